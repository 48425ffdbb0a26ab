#include "replay/missclass.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "gpu/address.h"
#include "gpu/occupancy.h"
#include "replay/private/ideal.h"
#include "replay/private/tags.h"

/* One cache and its three companions. */
struct level {
	struct rp_ideal endless, full; /* without end; fully associative */
	struct rp_tags tags;
};

struct ct_missclass {
	struct ct_gpu g;
	struct ct_pool pool; /* of the tags */
	struct ct_address_map map;
	struct level *l1;                /* of each SM */
	struct level *slice;             /* of the LLC: tags only */
	struct level llc;                /* all slices: endless and full */
	uint32_t slices;                 /* whose tags exist */
	uint32_t sms;                    /* likewise */
	uint32_t tick;                   /* orders the touches of all tags */
	struct ct_miss_classes count[2]; /* L1, LLC */
	int failed;                      /* out of memory */
};

/* What an access does where it does not bypass. */
enum act { LOAD, STORE, TOUCH_IF_HIT, DROP_IF_HIT };

struct access {
	uint64_t line;
	uint32_t set, sectors, tick;
	enum act act;
	uint32_t bytes[8];
};

static void fail_class(struct ct_missclass *m, int status)
{
	m->failed |= status < 0;
}

/* ---- the exact tag array with fills that take no time ---- */

static uint32_t tags_find(const struct rp_tags *t, uint64_t line, int store)
{
	uint32_t i = rp_tags_find(t, line);
	if (i == RP_NO_LINE)
		return 0;
	return store ? t->line[i].valid : rp_load_hits(&t->line[i]);
}

/* Does to the tags without latency what the access does to the real cache: a sector that misses is
 * there at once. */
static void tags_access(struct rp_tags *t, const struct access *a)
{
	uint32_t i = rp_tags_find(t, a->line), hits = tags_find(t, a->line, a->act != LOAD);
	if (a->act == TOUCH_IF_HIT || a->act == DROP_IF_HIT) {
		if (!(hits & a->sectors))
			return;
		if (a->act == TOUCH_IF_HIT)
			rp_tags_touch(t, i, a->tick);
		else
			rp_tags_drop(t, i, a->sectors);
		return;
	}
	if (i == RP_NO_LINE) {
		i = rp_tags_victim(t, a->set);
		if (i == RP_NO_LINE)
			return; /* all of the set is modified and protected */
		rp_tags_allocate(t, a->set, i, a->line, a->tick);
	} else {
		rp_tags_touch(t, i, a->tick);
	}
	for (uint32_t s = 0; s < t->sectors; s++) {
		if (!(a->sectors >> s & 1))
			continue;
		if (a->act == STORE) {
			rp_tags_store(t, i, s, a->bytes[s]);
		} else if (!(rp_load_hits(&t->line[i]) >> s & 1)) {
			rp_tags_reserve(t, i, s);
			rp_tags_fill(t, i, s, 0);
		}
	}
}

static int ideal_access(struct rp_ideal *c, const struct access *a)
{
	switch (a->act) {
	case LOAD: return rp_ideal_load(c, a->line, a->sectors);
	case STORE: return rp_ideal_store(c, a->line, a->sectors, a->bytes);
	case TOUCH_IF_HIT:
		if (rp_ideal_find(c, a->line, 1) & a->sectors)
			rp_ideal_touch(c, a->line);
		return 0;
	default: rp_ideal_drop(c, a->line, a->sectors); return 0;
	}
}

/* Counts each missed sector by the first cache that has it: none (compulsory), the endless one
 * (capacity), the fully associative one (associativity), the one without latency. Then all three see
 * the access. */
static void classify_access(struct ct_missclass *m, int which, uint32_t missed, const struct access *a,
                            struct rp_ideal *endless, struct rp_ideal *full, struct rp_tags *tags)
{
	int store = a->act != LOAD;
	struct ct_miss_classes *c = &m->count[which];
	uint32_t known = missed & rp_ideal_find(endless, a->line, store);
	uint32_t fits = known & rp_ideal_find(full, a->line, store);
	uint32_t there = fits & tags_find(tags, a->line, store);
	c->compulsory += ct_bits(missed & ~known);
	c->capacity += ct_bits(known & ~fits);
	c->associativity += ct_bits(fits & ~there);
	c->latency += ct_bits(there);
	fail_class(m, ideal_access(endless, a));
	fail_class(m, ideal_access(full, a));
	tags_access(tags, a);
}

/* Masks of 32 bytes each; sectors of another size count as written whole (l1.c). */
static void spread_bytes(const struct ct_cache_params *c, const uint64_t bytes[2], uint32_t out[8])
{
	for (uint32_t s = 0; s < 8; s++)
		out[s] = c->sector == 32 && s < 4 ? (uint32_t)(bytes[s / 2] >> 32 * (s % 2))
		                                  : 0xffffffffu;
}

void ct_missclass_l1(void *ctx, const struct ct_l1_event *ev)
{
	struct ct_missclass *m = ctx;
	struct level *v = &m->l1[ev->sm];
	struct access a = {.line = ev->line, .sectors = ev->sectors, .tick = ++m->tick};
	if (ev->bypass)
		return;
	a.set = ct_set_index((enum ct_set_hash)m->g.l1.set_hash, v->tags.sets, ev->line);
	if (ev->is_write)
		switch (m->g.l1.write_policy) {
		case CT_WRITE_THROUGH_NO_ALLOCATE: a.act = TOUCH_IF_HIT; break;
		case CT_WRITE_EVICT: a.act = DROP_IF_HIT; break;
		default: a.act = STORE; break;
		}
	spread_bytes(&m->g.l1, ev->bytes, a.bytes);
	classify_access(m, 0, ev->sector_miss | ev->line_miss, &a, &v->endless, &v->full, &v->tags);
}

void ct_missclass_llc(void *ctx, const struct ct_llc_event *ev)
{
	struct ct_missclass *m = ctx;
	struct ct_place place = ct_address_place(&m->map, ev->line * m->g.llc.line);
	struct access a = {.line = ev->line,
	                   .sectors = ev->sectors,
	                   .tick = ++m->tick,
	                   .set = place.llc_set,
	                   .act = ev->is_write ? STORE : LOAD};
	spread_bytes(&m->g.llc, ev->bytes, a.bytes);
	classify_access(m, 1, ev->miss, &a, &m->llc.endless, &m->llc.full, &m->slice[place.slice].tags);
}

static void empty_l1(struct level *v)
{
	rp_ideal_empty(&v->endless);
	rp_ideal_empty(&v->full);
	rp_tags_flush(&v->tags);
}

void ct_missclass_l1_wipe(void *ctx, uint32_t sm)
{
	struct ct_missclass *m = ctx;
	empty_l1(&m->l1[sm]);
}

/* Gives the L1s the shape that the launch has. As in rp_l1_begin(), another shape empties them. */
int ct_missclass_kernel_begin(struct ct_missclass *m, const struct ct_kernel *k, struct ct_error *e)
{
	struct ct_occupancy occ;
	int st = ct_occupancy(&m->g, k, &occ, e);
	if (st < 0)
		return st;
	for (uint32_t i = 0; i < m->sms; i++) {
		struct level *v = &m->l1[i];
		int reshape = v->tags.sets != occ.l1_sets || v->tags.ways != occ.l1_ways;
		if (reshape || m->g.l1_flush)
			empty_l1(v);
		if (reshape)
			rp_tags_shape(&v->tags, occ.l1_sets, occ.l1_ways);
		v->full.capacity = (uint64_t)occ.l1_sets * occ.l1_ways;
	}
	if (m->g.llc_flush) {
		rp_ideal_empty(&m->llc.endless);
		rp_ideal_empty(&m->llc.full);
		for (uint32_t i = 0; i < m->slices; i++)
			rp_tags_flush(&m->slice[i].tags);
	}
	return CT_OK;
}

static int tags_of(struct ct_pool *pool, struct rp_tags *t, const struct ct_cache_params *c,
                   uint64_t bytes, struct ct_error *e)
{
	uint64_t lines = bytes / c->line;
	if (lines < (uint64_t)c->sets * c->ways)
		lines = (uint64_t)c->sets * c->ways;
	int st = rp_tags_init(t, (uint32_t)lines, c->line / c->sector, c->replacement == CT_REPL_FIFO,
	                      c->dirty_percent, pool, e);
	if (st < 0)
		return st;
	rp_tags_shape(t, c->sets, c->ways);
	return CT_OK;
}

int ct_missclass_new(struct ct_missclass **out, const struct ct_gpu *g, struct ct_error *e)
{
	struct ct_missclass *m = ct_calloc(1, sizeof *m);
	*out = NULL;
	if (!m)
		return ct_fail_nomem(e);
	m->g = *g;
	int st = ct_address_map_init(&m->map, g, e);
	m->l1 = ct_calloc(g->sms, sizeof *m->l1);
	m->slice = ct_calloc(m->map.slices, sizeof *m->slice);
	if (st == CT_OK && (!m->l1 || !m->slice))
		st = ct_fail_nomem(e);
	uint64_t bytes = g->l1.size > g->unified_bytes ? g->l1.size : g->unified_bytes;
	while (st == CT_OK && m->sms < g->sms) {
		m->l1[m->sms].full.capacity = (uint64_t)g->l1.sets * g->l1.ways;
		st = tags_of(&m->pool, &m->l1[m->sms++].tags, &g->l1, bytes, e);
	}
	while (st == CT_OK && m->slices < m->map.slices)
		st = tags_of(&m->pool, &m->slice[m->slices++].tags, &g->llc, 0, e);
	m->llc.full.capacity = (uint64_t)m->map.slices * g->llc.sets * g->llc.ways;
	if (st != CT_OK) {
		ct_missclass_free(m);
		return st;
	}
	*out = m;
	return CT_OK;
}

int ct_missclass_take(struct ct_missclass *m, struct ct_miss_classes *l1, struct ct_miss_classes *llc,
                      struct ct_error *e)
{
	*l1 = m->count[0];
	*llc = m->count[1];
	memset(m->count, 0, sizeof m->count);
	return m->failed ? ct_fail_nomem(e) : CT_OK;
}

static void free_level(struct level *v)
{
	rp_ideal_free(&v->endless);
	rp_ideal_free(&v->full);
}

void ct_missclass_free(struct ct_missclass *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; m->l1 && i < m->sms; i++)
		free_level(&m->l1[i]);
	for (uint32_t i = 0; m->slice && i < m->slices; i++)
		free_level(&m->slice[i]);
	free_level(&m->llc);
	ct_pool_free(&m->pool);
	free(m->l1);
	free(m->slice);
	free(m);
}
