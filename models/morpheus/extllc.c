#include "models/morpheus/extllc.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* When a set's warp, and the queue before it, are free again. */
struct turn {
	uint64_t free_at;
	uint64_t waiting; /* requests that arrived before free_at and had to wait */
	uint64_t behind;  /* insertions that let lookups go first */
};

struct ct_mo_extllc {
	struct ct_mo_extllc_params p;
	uint32_t sets;
	uint64_t sm_blocks, ext_blocks; /* uncompressed, per SM and in all */
	struct ct_mo_set **set;
	struct ct_mo_filters *filters;
	struct turn *warp; /* per set */
	uint64_t *port;    /* per SM: free again */
	uint64_t next_epoch;
	int failed;
	struct ct_mo_extllc_counts c;
};

static unsigned blocks_of(const struct ct_mo_extllc *x, uint32_t set)
{
	const struct ct_morpheus_kernel *k = &x->p.kernel;
	return set / x->p.cache_sms < k->rf_warps ? k->rf_blocks : k->l1_blocks;
}

/* The L1 part is managed by hardware and never compressed (reading hardware-part). */
static int is_compressible(const struct ct_mo_extllc *x, uint32_t set)
{
	return x->p.compression && set / x->p.cache_sms < x->p.kernel.rf_warps;
}

/* Swap by touched bits instead of by count (reading swap-rule). */
static int swaps_by_touched_bits(const struct ct_mo_extllc *x, uint32_t set)
{
	return is_compressible(x, set) && !x->p.count_rule;
}

static int make_sets(struct ct_mo_extllc *x, struct ct_error *e)
{
	for (uint32_t i = 0; i < x->sets; i++) {
		unsigned blocks = blocks_of(x, i);
		struct ct_mo_set_params sp = {.registers = blocks,
		                              .lru = x->p.lru,
		                              .blocks_max = is_compressible(x, i) ? 0 : blocks,
		                              .lru_bits = x->p.lru_bits};
		x->set[i] = ct_mo_set_new(&sp, e);
		if (!x->set[i])
			return -1;
	}
	return 0;
}

struct ct_mo_extllc *ct_mo_extllc_new(const struct ct_mo_extllc_params *p, struct ct_error *e)
{
	const struct ct_morpheus_kernel *k = &p->kernel;
	uint64_t per_sm = (uint64_t)k->rf_warps * k->rf_blocks + (uint64_t)k->l1_warps * k->l1_blocks;
	if (p->cache_sms == 0 || p->partitions == 0 || per_sm == 0 || p->epoch == 0 ||
	    p->conv_blocks + per_sm * p->cache_sms > UINT32_MAX || (k->rf_warps && !k->rf_blocks) ||
	    (k->l1_warps && !k->l1_blocks)) {
		ct_fail(e, CT_ERR_USAGE,
		        "extended LLC of %u SMs and %llu blocks each: nothing to extend or "
		        "too large",
		        p->cache_sms, (unsigned long long)per_sm);
		return NULL;
	}
	struct ct_mo_extllc *x = ct_calloc(1, sizeof *x);
	if (!x) {
		ct_fail_nomem(e);
		return NULL;
	}
	x->p = *p;
	x->sets = (k->rf_warps + k->l1_warps) * p->cache_sms;
	x->sm_blocks = per_sm;
	x->ext_blocks = per_sm * p->cache_sms;
	x->next_epoch = p->epoch;
	x->set = ct_calloc(x->sets, sizeof *x->set);
	x->warp = ct_calloc(x->sets, sizeof *x->warp);
	x->port = ct_calloc(p->cache_sms, sizeof *x->port);
	x->filters = ct_mo_filters_new(&p->filter, x->sets, e);
	if (!x->set || !x->warp || !x->port)
		ct_fail_nomem(e);
	else if (x->filters && make_sets(x, e) == 0)
		return x;
	ct_mo_extllc_free(x);
	return NULL;
}

void ct_mo_extllc_free(struct ct_mo_extllc *x)
{
	if (!x)
		return;
	for (uint32_t i = 0; x->set && i < x->sets; i++)
		ct_mo_set_free(x->set[i]);
	free(x->set);
	free(x->warp);
	free(x->port);
	ct_mo_filters_free(x->filters);
	free(x);
}

void ct_mo_extllc_place(const struct ct_mo_extllc *x, uint64_t block, struct ct_mo_place *pl)
{
	uint64_t total = x->p.conv_blocks + x->ext_blocks;
	uint64_t at = (ct_mix64(block + 0xd1b54a32d192ed03u) >> 32) * total >> 32;
	memset(pl, 0, sizeof *pl);
	if (at < x->p.conv_blocks)
		return;
	const struct ct_morpheus_kernel *k = &x->p.kernel;
	uint64_t rf = (uint64_t)k->rf_warps * k->rf_blocks;
	at -= x->p.conv_blocks;
	uint64_t in_sm = at % x->sm_blocks;
	pl->extended = 1;
	pl->sm = (uint32_t)(at / x->sm_blocks);
	pl->warp = (uint32_t)(in_sm < rf ? in_sm / k->rf_blocks
	                                 : k->rf_warps + (in_sm - rf) / k->l1_blocks);
	pl->set = pl->warp * x->p.cache_sms + pl->sm;
	pl->partition = pl->set % x->p.partitions;
}

/* Every set's registers are dealt out again. */
static void end_of_epoch(struct ct_mo_extllc *x)
{
	memset(x->c.level, 0, sizeof x->c.level);
	for (uint32_t i = 0; i < x->sets; i++) {
		struct ct_mo_victims v;
		if (!is_compressible(x, i))
			continue;
		ct_mo_set_epoch(x->set[i], &v);
		x->c.evicted += v.evicted;
		x->c.dirty += v.dirty;
		for (int l = 0; l < CT_MO_LEVELS; l++)
			x->c.level[l] += ct_mo_set_level(x->set[i], (enum ct_mo_level)l);
	}
	x->c.epochs++;
}

static void pass_time(struct ct_mo_extllc *x, uint64_t now)
{
	if (!x->p.compression || now < x->next_epoch)
		return;
	/* Nothing happens between two requests: one reassignment stands for several. */
	end_of_epoch(x);
	x->next_epoch = now - now % x->p.epoch + x->p.epoch;
}

/* The SM's port takes one block at a time, first come, first served. */
static uint64_t pass_port(struct ct_mo_extllc *x, uint32_t sm, uint64_t now)
{
	uint64_t start = x->port[sm] > now ? x->port[sm] : now;
	x->port[sm] = start + x->p.port;
	return start;
}

/* Insertions that were put off begin as long as the warp is free before `start`. */
static void serve_insertions(const struct ct_mo_extllc *x, struct turn *w, uint64_t start)
{
	for (; w->behind && w->free_at < start; w->behind--)
		w->free_at += x->p.service;
}

/* A warp serves one request at a time, first come, first served. */
uint64_t ct_mo_extllc_serve(struct ct_mo_extllc *x, const struct ct_mo_place *pl, uint64_t now)
{
	struct turn *w = &x->warp[pl->set];
	uint64_t start = pass_port(x, pl->sm, now);
	serve_insertions(x, w, start);
	if (w->free_at > start) {
		start = w->free_at;
		w->waiting++;
		if (w->waiting > x->c.queued_most)
			x->c.queued_most = w->waiting;
	} else {
		w->waiting = 0;
	}
	w->free_at = start + x->p.service;
	x->c.wait_cycles += start - now;
	return start;
}

void ct_mo_extllc_insert(struct ct_mo_extllc *x, const struct ct_mo_place *pl, uint64_t now)
{
	if (!x->p.lookups_first) {
		ct_mo_extllc_serve(x, pl, now);
		return;
	}
	struct turn *w = &x->warp[pl->set];
	uint64_t start = pass_port(x, pl->sm, now);
	serve_insertions(x, w, start);
	if (w->free_at > start)
		w->behind++;
	else
		w->free_at = start + x->p.service;
}

static int predict_hit(const struct ct_mo_extllc *x, const struct ct_mo_place *pl, uint64_t block,
                       int resident)
{
	if (x->p.predictor == CT_MO_PREDICT_NONE)
		return 1;
	if (x->p.predictor == CT_MO_PREDICT_PERFECT)
		return resident;
	return ct_mo_filter_predict(x->filters, pl->set, block);
}

static void update_predictor(struct ct_mo_extllc *x, const struct ct_mo_place *pl, uint64_t block)
{
	int touched = swaps_by_touched_bits(x, pl->set);
	ct_mo_filter_update(x->filters, pl->set, block, touched ? 0 : blocks_of(x, pl->set));
	if (touched && ct_mo_set_all_touched(x->set[pl->set])) {
		ct_mo_filter_swap(x->filters, pl->set);
		ct_mo_set_clear_touched(x->set[pl->set]);
	}
}

static void count_access(struct ct_mo_extllc *x, enum ct_mo_access kind, const struct ct_mo_reply *r)
{
	x->c.reads += kind == CT_MO_READ;
	x->c.writes += kind == CT_MO_WRITE;
	x->c.atomics += kind == CT_MO_ATOMIC;
	x->c.hits += r->hit != 0;
	x->c.misses += !r->hit;
	x->c.false_positives += r->predicted && !r->hit;
	x->c.false_negatives += !r->predicted && r->hit;
	x->c.evicted += r->evicted;
	x->c.dirty += r->dirty;
}

int ct_mo_extllc_lookup(struct ct_mo_extllc *x, const struct ct_mo_place *pl, uint64_t block,
                        enum ct_mo_access kind, enum ct_mo_level level, uint64_t now,
                        struct ct_mo_reply *r, struct ct_error *e)
{
	struct ct_mo_victims v;
	if (x->failed)
		return ct_fail(e, CT_ERR_LIMIT, "extended LLC: stopped after a false negative");
	pass_time(x, now);
	if (!is_compressible(x, pl->set))
		level = CT_MO_LEVEL_NONE;
	struct ct_mo_set *set = x->set[pl->set];
	int held = ct_mo_set_holds(set, block);
	int writes = kind == CT_MO_ATOMIC || (kind == CT_MO_WRITE && (held || !x->p.store_fetches));
	r->predicted = predict_hit(x, pl, block, held);
	r->hit = ct_mo_set_access(set, block, writes, level, &v);
	r->evicted = v.evicted;
	r->dirty = v.dirty;
	r->ready = 0;
	update_predictor(x, pl, block);
	count_access(x, kind, r);
	int diagnostic = x->p.lru != CT_MO_LRU_EXACT || x->p.count_rule;
	if (!r->predicted && r->hit && !diagnostic) {
		x->failed = 1;
		return ct_fail(
			e, CT_ERR_LIMIT,
			"extended LLC: the predictor denied resident block %llu of set %u: a fault of "
			"this program, please report it",
			(unsigned long long)block, pl->set);
	}
	return CT_OK;
}

int ct_mo_extllc_access(struct ct_mo_extllc *x, const struct ct_mo_place *pl, uint64_t block,
                        enum ct_mo_access kind, enum ct_mo_level level, uint64_t now,
                        struct ct_mo_reply *r, struct ct_error *e)
{
	int st = ct_mo_extllc_lookup(x, pl, block, kind, level, now, r, e);
	if (st != CT_OK)
		return st;
	r->ready = now;
	if (r->predicted)
		r->ready = ct_mo_extllc_serve(x, pl, now) + x->p.trip;
	else /* takes the warp's time, too, but nobody waits */
		ct_mo_extllc_insert(x, pl, now);
	return CT_OK;
}

void ct_mo_extllc_counts(const struct ct_mo_extllc *x, struct ct_mo_extllc_counts *c)
{
	*c = x->c;
	c->swaps = ct_mo_filters_swaps(x->filters);
}
