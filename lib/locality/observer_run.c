/* Analysis of a batch of accesses: directory, streams, counts. */
#include <string.h>

#include "base/bits.h"

#include "base/mem.h"
#include "base/threads.h"
#include "locality/isa.h"
#include "locality/observer_state.h"
#include "locality/parts.h"

/* Numbers the lines in the order they are first seen. */
static int number_lines(struct ct_locality *l, const struct ct_line_access *ev, size_t n)
{
	if (ct_linemap_enter(&l->lines, ev, n, l->number) < 0)
		return -1;
	return ct_sm_stacks_lines(&l->sms, (uint32_t)l->lines.used);
}

/* Counts */

struct view {
	struct ct_hist *line[2], *sector[2]; /* reads, writes */
	struct ct_hist *part[2];             /* lines, sectors: CT_PARTS each, or NULL */
};

/* The histograms of one of the three views. */
static struct view view_of(struct ct_locality *l, enum ct_locality_view v)
{
	struct ct_locality_counts *c = &l->now;
	struct ct_hist *part = l->part ? l->part[v] : NULL;
	struct ct_hist *by_sector = l->part ? l->part[CT_VIEW_L1_SECTOR + v] : NULL;
	switch (v) {
	case CT_VIEW_L1:
		return (struct view){{&c->l1_read, &c->l1_write},
		                     {&c->l1_sector_read, &c->l1_sector_write},
		                     {part, by_sector}};
	case CT_VIEW_MERGED:
		return (struct view){{&c->merged_read, &c->merged_write},
		                     {&c->merged_sector_read, &c->merged_sector_write},
		                     {part, by_sector}};
	default:
		return (struct view){{&c->llc_read, &c->llc_write},
		                     {&c->llc_sector_read, &c->llc_sector_write},
		                     {part, by_sector}};
	}
}

static void count_op(const struct view *v, const struct ct_stack_op *op, uint64_t line, int is_write)
{
	struct ct_hist *sector = v->sector[is_write];
	ct_hist_add(v->line[is_write], op->distance, 1);
	for (uint32_t left = op->mask & 15; left; left &= left - 1)
		ct_hist_add(sector, op->sector[ct_low_bit(left)], 1);
	if (!v->part[0])
		return;
	unsigned part = ct_part_of(line);
	ct_hist_add(&v->part[0][part], op->distance, 1);
	for (unsigned i = 0; i < 4; i++)
		if (op->mask >> i & 1)
			ct_hist_add(&v->part[1][part], op->sector[i], 1);
}

static void count_piece(const struct view *v, const struct ct_line_access *ev,
                        const struct ct_stack_op *op, size_t n)
{
	for (size_t i = 0; i < n; i++)
		count_op(v, &op[i], ev[i].line, ev[i].is_write);
}

/* A distance on an SM's stack. */
CT_INLINE uint64_t wide(uint32_t distance)
{
	return distance == CT_SECTOR_COLD ? CT_COLD : distance;
}

/* What an SM's access met, as the other streams have it. */
static struct ct_stack_op wide_op(const struct ct_sm_met *met)
{
	struct ct_stack_op op = {.distance = wide(met->distance), .mask = met->mask};
	for (unsigned i = 0; i < 4; i++)
		op.sector[i] = wide(met->sector[i]);
	return op;
}

CT_INLINE void add_short(struct ct_hist *h, uint32_t distance)
{
	if (distance == CT_SECTOR_COLD)
		h->cold++;
	else
		h->count[ct_hist_bin(distance)]++;
}

/* Distances in the L1s, in lines and in sectors. */
static void count_met(const struct view *v, const struct ct_line_access *ev, const struct ct_sm_met *met,
                      size_t n)
{
	for (size_t i = 0; v->part[0] && i < n; i++) {
		struct ct_stack_op op = wide_op(&met[i]);
		count_op(v, &op, ev[i].line, ev[i].is_write);
	}
	for (size_t i = 0; !v->part[0] && i < n; i++) {
		struct ct_hist *sector = v->sector[ev[i].is_write];
		add_short(v->line[ev[i].is_write], met[i].distance);
		for (uint32_t left = met[i].mask & 15; left; left &= left - 1)
			add_short(sector, met[i].sector[ct_low_bit(left)]);
	}
}

/* Reuse times of the reads that find their line. */
static void count_times(struct ct_locality *l, const struct ct_line_access *ev,
                        const struct ct_sm_met *met, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!ev[i].is_write && met[i].distance != CT_SECTOR_COLD)
			l->now.rt[ct_rt_bin(met[i].distance)][ct_rt_time_bin(
				ev[i].cycle > met[i].stamp ? ev[i].cycle - met[i].stamp : 0)]++;
}

/* ---- who missed what ---- */

/* Room for every site of the batch. */
static int make_sites(struct ct_locality *l, const struct ct_obs_batch *b)
{
	size_t n = l->n_sites, had = l->cap_sites;
	for (size_t i = 0; b->origin && i < b->n_l1; i++)
		if (b->origin[i].site >= n)
			n = (size_t)b->origin[i].site + 1;
	if (n > had && ct_grow((void **)&l->site, &l->cap_sites, n, sizeof *l->site) < 0)
		return -1;
	if (l->cap_sites > had)
		memset(l->site + had, 0, (l->cap_sites - had) * sizeof *l->site);
	l->n_sites = n;
	return 0;
}

/* A missed sector is cold when it was never touched, a matter of capacity when more lines than the L1 has were
 * touched since. In an L1 without sectors the line stands for them. */
static void count_origins(struct ct_locality *l, const struct ct_obs_origin *from,
                          const struct ct_sm_met *met, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct ct_locality_site *s = &l->site[from[i].site];
		add_short(&s->distance, met[i].distance);
		for (uint32_t m = from[i].missed; m; m &= m - 1) {
			uint64_t d = wide(
				l->o.sectors > 1 ? met[i].sector[ct_low_bit(m) & 3] : met[i].distance);
			s->cold += d == CT_COLD;
			s->capacity += d != CT_COLD && d >= l->l1_lines;
			s->others += d < l->l1_lines;
		}
	}
}

/* Streams */

static void run_sms(struct ct_locality *l, const struct ct_line_access *ev,
                    const struct ct_obs_origin *from, const uint32_t *number, size_t n)
{
	struct view v = view_of(l, CT_VIEW_L1);
	ct_sm_stacks_run(&l->sms, ev, number, n, l->met, l->sharing);
	count_met(&v, ev, l->met, n);
	if (!l->o.without_times)
		count_times(l, ev, l->met, n);
	if (from)
		count_origins(l, from, l->met, n);
}

/* number: the lines', or NULL to take them as they are. */
static void run_stack(struct ct_stack *s, const struct view *v, int store,
                      const struct ct_line_access *ev, const uint32_t *number, size_t n,
                      struct ct_stack_op *op)
{
	for (size_t i = 0; i < n; i++) {
		op[i].line = number ? number[i] : ev[i].line;
		op[i].kind = ev[i].is_write ? (uint8_t)store : (uint8_t)CT_STACK_TOUCH;
		op[i].mask = (uint8_t)ev[i].sectors;
	}
	ct_stack_ops(s, op, n);
	count_piece(v, ev, op, n);
}

struct work {
	struct ct_locality *l;
	const struct ct_obs_batch *batch;
};

/* Analyses one stream of a batch, piece by piece so that its operations stay in the cache. Streams are
 * independent and may run on different threads. */
static void run_stream(void *ctx, size_t stream)
{
	const struct work *w = ctx;
	struct ct_locality *l = w->l;
	struct ct_stack_op *op = l->op + stream * CT_OBS_PIECE;
	size_t all = stream == CT_OBS_LLC ? w->batch->n_llc : w->batch->n_l1;
	if (l->o.without >> stream & 1) /* enum ct_locality_stream has them in this order */
		return;
	l->analysed[stream] += all;
	struct view v = view_of(l, stream == CT_OBS_LLC ? CT_VIEW_LLC : CT_VIEW_MERGED);
	for (size_t i = 0, n; i < all; i += n) {
		n = all - i < CT_OBS_PIECE ? all - i : CT_OBS_PIECE;
		if (stream == CT_OBS_SMS)
			run_sms(l, w->batch->l1 + i, w->batch->origin ? w->batch->origin + i : NULL,
			        l->number + i, n);
		else if (stream == CT_OBS_MERGED)
			run_stack(l->merged, &v, l->sms.store, w->batch->l1 + i, l->number + i, n, op);
		else
			run_stack(l->llc, &v, CT_STACK_TOUCH, w->batch->llc + i, NULL, n, op);
	}
}

void ct_obs_run(struct ct_locality *l, struct ct_obs_batch *b)
{
	unsigned threads = l->o.threads > 2 ? l->o.threads - 1 : 1;
	struct work w = {l, b};
	if (!l->failed && number_lines(l, b->l1, b->n_l1) < 0)
		l->failed = 1;
	if (!l->failed && make_sites(l, b) < 0)
		l->failed = 1;
	if (!l->failed)
		ct_parallel_for(threads, CT_OBS_STREAMS, run_stream, &w);
	l->failed |= l->sms.failed;
	b->n_l1 = b->n_llc = 0;
}
