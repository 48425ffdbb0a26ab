/* Analysis of a batch of accesses: directory, streams, counts. */
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/threads.h"
#include "locality/isa.h"
#include "locality/observer_state.h"

enum { AHEAD = 8 };

/* Directory */

/* Directory entry of the line, created if new. UINT32_MAX when out of memory. */
static uint32_t enter(struct ct_locality *l, uint64_t line)
{
	uint32_t known = l->lines.lines, n = ct_linemap_enter(&l->lines, line);
	size_t need = (size_t)n + 1;
	if (n != known || n == UINT32_MAX)
		return n;
	if (ct_grow((void **)&l->ever, &l->ever_cap, need, sizeof *l->ever) < 0 ||
	    ct_grow((void **)&l->epoch, &l->epoch_cap, need, sizeof *l->epoch) < 0 ||
	    ct_grow((void **)&l->sharer, &l->sharer_cap, need * l->words,
	            sizeof *l->sharer) < 0)
		return UINT32_MAX;
	l->ever[n] = 0;
	l->epoch[n] = 0;
	return n;
}

static int number_lines(struct ct_locality *l, const struct ct_obs_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i + AHEAD < n)
			ct_linemap_prefetch(&l->lines, ev[i + AHEAD].line);
		l->number[i] = enter(l, ev[i].line);
		if (l->number[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

/* The SMs that touched the line since the last flush. */
static uint64_t *sharers_of(struct ct_locality *l, uint32_t n)
{
	uint64_t *w = l->sharer + (size_t)n * l->words;
	if (l->epoch[n] != l->epoch_now) {
		memset(w, 0, l->words * sizeof *w);
		l->epoch[n] = l->epoch_now;
	}
	return w;
}

/* Lists of operations */

static struct ct_stack_op *append(struct ct_obs_stream *s, uint64_t line, uint32_t event)
{
	if (ct_grow((void **)&s->op, &s->op_cap, s->n + 1, sizeof *s->op) < 0 ||
	    ct_grow((void **)&s->event, &s->event_cap, s->n + 1, sizeof *s->event) < 0)
		return NULL;
	s->event[s->n] = event;
	struct ct_stack_op *op = &s->op[s->n++];
	op->line = line;
	return op;
}

static int append_access(struct ct_locality *l, struct ct_obs_stream *s,
                         const struct ct_obs_event *ev, uint32_t event, int store)
{
	static const uint8_t kind_of_store[] = {
		[CT_STORE_ALLOCATE] = CT_STACK_TOUCH,
		[CT_STORE_NO_ALLOCATE] = CT_STACK_STORE_NOALLOC,
		[CT_STORE_EVICT] = CT_STACK_EVICT};
	struct ct_stack_op *op = append(s, ev->line, event);
	if (!op) {
		l->failed = 1;
		return -1;
	}
	op->kind = ev->is_write ? kind_of_store[store] : (uint8_t)CT_STACK_TOUCH;
	op->mask = ev->mask;
	op->stamp = ev->cycle;
	return 0;
}

/* Probes of the other SMs that may hold the line of a read. Returns how many, or -1. */
static int append_probes(struct ct_locality *l, const struct ct_obs_event *ev, uint32_t event,
                         const uint64_t *sharers)
{
	int probes = 0;
	for (uint32_t i = 0; i < l->words; i++)
		for (uint64_t bits = sharers[i]; bits; bits &= bits - 1) {
			uint32_t j = i * 64 + ct_low_bit(bits);
			if (j == ev->sm)
				continue;
			struct ct_stack_op *op =
				append(&l->stream[CT_OBS_FIRST_SM + j], ev->line, event);
			if (!op) {
				l->failed = 1;
				return -1;
			}
			op->kind = CT_STACK_PROBE;
			op->mask = 0;
			probes++;
		}
	return probes;
}

/* Sorts events into lists from `from` on until there are enough; returns where it ended. */
static size_t build(struct ct_locality *l, const struct ct_obs_event *ev, size_t from, size_t n)
{
	size_t ops = 0, i = from;
	for (; i < n && ops < CT_OBS_OPS && !l->failed; i++) {
		uint32_t number = l->number[i];
		uint64_t *sharers = sharers_of(l, number);
		uint32_t sm = ev[i].sm;
		if (i + AHEAD < n) {
			uint32_t next = l->number[i + AHEAD];
			CT_PREFETCH(&l->ever[next]);
			CT_PREFETCH(&l->epoch[next]);
			CT_PREFETCH(&l->sharer[(size_t)next * l->words]);
		}
		l->distinct_sectors += ct_bits(ev[i].mask & ~(unsigned)l->ever[number] & 15);
		l->ever[number] |= ev[i].mask;
		l->other[i] = CT_COLD;
		if (l->o.sharing && !ev[i].is_write) {
			int probes = append_probes(l, &ev[i], (uint32_t)i, sharers);
			ops += probes > 0 ? (size_t)probes : 0;
		}
		append_access(l, &l->stream[CT_OBS_FIRST_SM + sm], &ev[i], (uint32_t)i, l->o.store);
		append_access(l, &l->stream[CT_OBS_MERGED], &ev[i], (uint32_t)i, l->o.store);
		ops++;
		/* A store without allocation leaves no copy behind. */
		if (!ev[i].is_write || l->o.store == CT_STORE_ALLOCATE)
			sharers[sm / 64] |= (uint64_t)1 << sm % 64;
	}
	return i;
}

static void build_llc(struct ct_locality *l, const struct ct_obs_event *ev, size_t n)
{
	for (size_t i = 0; i < n && !l->failed; i++)
		append_access(l, &l->stream[CT_OBS_LLC], &ev[i], (uint32_t)i, CT_STORE_ALLOCATE);
}

static void run_stream(void *ctx, size_t i)
{
	struct ct_locality *l = ctx;
	struct ct_obs_stream *s = &l->stream[i];
	if (s->n)
		ct_stack_ops(s->stack, s->op, s->n);
}

/* Counts */

struct view {
	struct ct_hist *line[2], *sector[2]; /* reads, writes */
	struct ct_hist *part[2];             /* lines, sectors: CT_OBS_PARTS each, or NULL */
};

static struct view view_of(struct ct_locality *l, enum ct_locality_view v)
{
	struct ct_locality_counts *c = &l->now;
	struct ct_hist *part = l->part ? l->part[v] : NULL;
	struct ct_hist *by_sector = l->part ? l->part[CT_VIEW_L1_SECTOR + v] : NULL;
	switch (v) {
	case CT_VIEW_L1:
		return (struct view){{&c->l1_read, &c->l1_write},
		                     {&c->l1_sector_read, &c->l1_sector_write}, {part, by_sector}};
	case CT_VIEW_MERGED:
		return (struct view){{&c->merged_read, &c->merged_write},
		                     {&c->merged_sector_read, &c->merged_sector_write}, {part, by_sector}};
	default:
		return (struct view){{&c->llc_read, &c->llc_write},
		                     {&c->llc_sector_read, &c->llc_sector_write}, {part, by_sector}};
	}
}

/* Random part of the sampled lines; other bits than the sample's own hash. */
static unsigned part_of(uint64_t line)
{
	return (unsigned)(ct_mix64(line ^ 0x5851f42d4c957f2du) >> 61);
}

static void count_op(const struct view *v, const struct ct_stack_op *op, int is_write)
{
	ct_hist_add(v->line[is_write], op->distance, 1);
	for (unsigned i = 0; i < 4; i++)
		if (op->mask >> i & 1)
			ct_hist_add(v->sector[is_write], op->sector[i], 1);
	if (!v->part[0])
		return;
	unsigned part = part_of(op->line);
	ct_hist_add(&v->part[0][part], op->distance, 1);
	for (unsigned i = 0; i < 4; i++)
		if (op->mask >> i & 1)
			ct_hist_add(&v->part[1][part], op->sector[i], 1);
}

static void count_whole(struct ct_obs_stream *s, const struct view *v,
                        const struct ct_obs_event *ev)
{
	for (size_t i = 0; i < s->n; i++)
		count_op(v, &s->op[i], ev[s->event[i]].is_write);
	s->n = 0;
}

/* Own accesses of one SM. */
static void count_sm(struct ct_locality *l, const struct ct_obs_stream *s, const struct view *v,
                     const struct ct_obs_event *ev)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct ct_stack_op *op = &s->op[i];
		const struct ct_obs_event *e = &ev[s->event[i]];
		if (op->kind == CT_STACK_PROBE)
			continue;
		l->own[s->event[i]] = op->distance;
		count_op(v, op, e->is_write);
		if (!e->is_write && op->distance != CT_COLD)
			l->now.rt[ct_rt_bin(op->distance)]
			         [ct_rt_time_bin(e->cycle > op->stamp ? e->cycle - op->stamp : 0)]++;
	}
}

/* What others' probes found in one SM. */
static void count_probes(struct ct_locality *l, struct ct_obs_stream *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct ct_stack_op *op = &s->op[i];
		uint32_t e = s->event[i];
		if (op->kind != CT_STACK_PROBE || op->distance == CT_COLD)
			continue;
		ct_rj_table_count(l->sharers, l->own[e], op->distance);
		if (op->distance < l->other[e])
			l->other[e] = op->distance;
	}
	s->n = 0;
}

static void count_l1(struct ct_locality *l, const struct ct_obs_event *ev, size_t from,
                     size_t to)
{
	struct view v = view_of(l, CT_VIEW_L1), merged = view_of(l, CT_VIEW_MERGED);
	for (uint32_t i = 0; i < l->o.sms; i++)
		count_sm(l, &l->stream[CT_OBS_FIRST_SM + i], &v, ev);
	for (uint32_t i = 0; i < l->o.sms; i++)
		count_probes(l, &l->stream[CT_OBS_FIRST_SM + i]);
	count_whole(&l->stream[CT_OBS_MERGED], &merged, ev);
	for (size_t i = from; l->o.sharing && i < to; i++)
		if (!ev[i].is_write)
			ct_rj_table_count(l->nearest, l->own[i], l->other[i]);
}

void ct_obs_run(struct ct_locality *l, struct ct_obs_batch *b)
{
	unsigned threads = l->o.threads > 2 ? l->o.threads - 1 : 1;
	size_t from = 0;
	if (!l->failed && number_lines(l, b->l1, b->n_l1) < 0)
		l->failed = 1;
	build_llc(l, b->llc, b->n_llc);
	while (!l->failed && (from < b->n_l1 || l->stream[CT_OBS_LLC].n > 0)) {
		size_t to = build(l, b->l1, from, b->n_l1);
		if (l->failed)
			break;
		ct_parallel_for(threads, CT_OBS_FIRST_SM + (size_t)l->o.sms, run_stream, l);
		count_l1(l, b->l1, from, to);
		struct view llc = view_of(l, CT_VIEW_LLC);
		count_whole(&l->stream[CT_OBS_LLC], &llc, b->llc);
		from = to;
	}
	b->n_l1 = b->n_llc = 0;
}
