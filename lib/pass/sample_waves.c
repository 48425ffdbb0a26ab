/* sample_waves.c - CTA-wave sampling: a long launch is replayed from its start until some
 * waves of CTAs in a row run at one speed and miss alike; the rest is taken to go on like
 * them. The caches are those of the true prefix; that the rest is alike is an assumption,
 * and the interval says how much the waves differ, not more. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/occupancy.h"
#include "pass/private/sample_launch.h"

/* The first waves fill the GPU and its caches. The waves behind them, eight more at a time,
 * make up a block until the interval of its mean is within 3 % (miss rates: 1 point); where its
 * halves differ by more than chance would have it, another block is begun. Four waves must
 * be left, or nothing is saved. */
enum { WARM_WAVES = 2, BLOCK_WAVES = 8, MOST_WAVES = WAVES_MAX };
static const double STEADY[WAVE_RATES] = {0.03, 0.01, 0.01};

enum { COUNTERS = sizeof(struct ct_replay_counts) / sizeof(uint64_t) };

static void mark_point(const struct ct_pass_state *a, struct ct_pass_mark *m)
{
	m->cycle = a->last_cycle;
	ct_replay_total(a->engine, &m->c);
}

static double ratio_of(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : 0;
}

static void rates_between(const struct ct_pass_mark *from, const struct ct_pass_mark *to,
                          double r[WAVE_RATES])
{
	r[0] = ratio_of(to->cycle - from->cycle, to->c.warp_insts - from->c.warp_insts);
	r[1] = ratio_of(to->c.l1_misses - from->c.l1_misses, to->c.l1_accesses - from->c.l1_accesses);
	r[2] = ratio_of(to->c.llc_misses - from->c.llc_misses,
	                to->c.llc_accesses - from->c.llc_accesses);
}

/* Notes where all counts stand, so that what the launch adds can be scaled up at its end. */
int ct_pass_waves_begin(struct ct_pass_state *a, struct ct_pass_waves *w, const struct ct_kernel *k)
{
	struct ct_occupancy occ;
	memset(w, 0, sizeof *w);
	int st = ct_occupancy(&a->gpu, k, &occ, a->e);
	if (st != CT_OK)
		return st;
	w->per_wave = (uint64_t)occ.ctas * a->gpu.sms;
	w->grid = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
	w->view = ct_calloc(SMS_VIEWS, sizeof *w->view);
	if (!w->view)
		return ct_fail_nomem(a->e);
	for (unsigned i = 0; i < a->n_views; i++)
		memcpy(w->view[i], a->view[i].hist, sizeof w->view[i]);
	mark_point(a, &w->begin);
	w->last = w->begin;
	return ct_pass_begin_launch(a, k);
}

/* What has been counted so far belongs to what precedes the block. */
static int open_block(struct ct_pass_state *a, struct ct_pass_waves *w)
{
	w->block = w->last;
	w->in_block = 0;
	memset(w->spread, 0, sizeof w->spread);
	int st = ct_locality_collect(a->locality, a->launch, a->e);
	if (st == CT_OK)
		st = ct_locality_counts_add(&w->before, a->launch, a->e);
	ct_locality_counts_free(a->launch);
	memset(a->launch, 0, sizeof *a->launch);
	return st == CT_OK && a->util ? ct_lineutil_collect(a->util, &w->util_before, 0, a->e) : st;
}

static double limit_of(const struct ct_pass_waves *w, int i)
{
	return STEADY[i] * (i ? 1 : w->spread[0].mean);
}

static int is_steady(const struct ct_pass_waves *w)
{
	for (int i = 0; i < WAVE_RATES; i++)
		if (!(ct_pass_spread_half(&w->spread[i]) <= limit_of(w, i)))
			return 0;
	return 1;
}

/* The difference of two halves has twice the interval of the whole. */
static int halves_differ(const struct ct_pass_waves *w)
{
	for (int i = 0; i < WAVE_RATES; i++) {
		double first = 0;
		for (unsigned k = 0; k < w->in_block / 2; k++)
			first += w->rate[k][i] /
			         (w->in_block / 2); /* NOLINT(bugprone-integer-division): as many as k */
		double half = fmax(ct_pass_spread_half(&w->spread[i]), limit_of(w, i));
		if (fabs(w->spread[i].mean - first) > half)
			return 1;
	}
	return 0;
}

/* A wave of CTAs is over. Those that fill the GPU and its caches come before the first block; then each full block is
 * looked at: another is begun where the waves still change, and where they are steady the rest is left out. */
static int end_wave(struct ct_pass_state *a, struct ct_pass_waves *w)
{
	struct ct_pass_mark now;
	double r[WAVE_RATES];
	mark_point(a, &now);
	rates_between(&w->last, &now, r);
	w->last = now;
	w->wave++;
	if (w->wave <= WARM_WAVES)
		return w->wave == WARM_WAVES ? open_block(a, w) : CT_OK;
	memcpy(w->rate[w->in_block++], r, sizeof r);
	for (int i = 0; i < WAVE_RATES; i++)
		ct_pass_spread_add(&w->spread[i], r[i]);
	if (w->in_block % BLOCK_WAVES)
		return CT_OK;
	rates_between(&w->block, &now, w->rates);
	if (w->grid <= w->pushed + w->per_wave * BLOCK_WAVES / 2)
		return CT_OK;
	if (halves_differ(w) || w->in_block == MOST_WAVES)
		return open_block(a, w);
	w->stopped = is_steady(w);
	return CT_OK;
}

int ct_pass_waves_push(struct ct_pass_state *a, struct ct_pass_waves *w, struct ct_cta *cta)
{
	if (w->stopped) {
		w->ctas++;
		w->warps += ct_cta_warps(cta);
		for (uint32_t i = 0; i < ct_cta_warps(cta); i++)
			w->insts += ct_cta_warp(cta, i)->insts;
		return CT_OK;
	}
	int st = ct_lanes_push_cta(a->lanes, cta, a->e);
	if (st == CT_OK && ++w->pushed % w->per_wave == 0)
		st = end_wave(a, w);
	return st;
}

/* ---- what stands for the rest ---- */

static uint64_t scale_count(uint64_t v, double f)
{
	return (uint64_t)((double)v * f + 0.5);
}

static void scale_all(uint64_t *v, size_t n, double f)
{
	for (size_t i = 0; i < n; i++)
		v[i] = scale_count(v[i], f);
}

void ct_pass_scale_hist(struct ct_hist *h, double f)
{
	scale_all(h->count, CT_HIST_BINS, f);
	h->cold = scale_count(h->cold, f);
}

static void scale_locality(struct ct_locality_counts *c, double f)
{
	struct ct_hist *const hist[] = {
		&c->l1_read,     &c->l1_write,     &c->l1_sector_read,     &c->l1_sector_write,
		&c->merged_read, &c->merged_write, &c->merged_sector_read, &c->merged_sector_write,
		&c->llc_read,    &c->llc_write,    &c->llc_sector_read,    &c->llc_sector_write,
		&c->reg_insts,   &c->reg_distinct};
	for (size_t i = 0; i < sizeof hist / sizeof hist[0]; i++)
		ct_pass_scale_hist(hist[i], f);
	for (size_t i = 0; i < c->rj_nearest.n; i++)
		c->rj_nearest.cell[i].count = scale_count(c->rj_nearest.cell[i].count, f);
	for (size_t i = 0; i < c->rj_sharers.n; i++)
		c->rj_sharers.cell[i].count = scale_count(c->rj_sharers.cell[i].count, f);
	scale_all(&c->rt[0][0], sizeof c->rt / sizeof(uint64_t), f);
}

/* Counters of the launch: what the block and the end of the launch counted stands for the
 * rest too. Time is taken from the block alone, so that the end of the launch comes once;
 * sums over time grow with all of the launch, because theirs are open within it. */
static void scale_counts(const struct ct_pass_waves *w, struct ct_replay_counts *c, double f,
                         double whole, uint64_t cycles)
{
	struct ct_replay_counts was = *c;
	uint64_t all[COUNTERS], from[COUNTERS], to[COUNTERS];
	memcpy(all, c, sizeof all);
	memcpy(from, &w->begin.c, sizeof from);
	memcpy(to, &w->block.c, sizeof to);
	for (unsigned i = 0; i < COUNTERS; i++) {
		uint64_t before = to[i] - from[i]; /* modular */
		all[i] = before <= all[i] ? before + scale_count(all[i] - before, f)
		                          : scale_count(all[i], whole);
	}
	memcpy(c, all, sizeof all);
	c->warp_insts = was.warp_insts + w->insts;
	c->ctas = was.ctas + w->ctas;
	c->warps = was.warps + w->warps;
	c->cycles = was.cycles + cycles;
	c->launch_cycles = was.launch_cycles;
	c->sm_cta_capacity = was.sm_cta_capacity;
	c->ctas_first_wave = was.ctas_first_wave;
	c->resident_warp_cycles = scale_count(was.resident_warp_cycles, whole);
	c->busy_sm_cycles = scale_count(was.busy_sm_cycles, whole);
	c->outstanding_sum = scale_count(was.outstanding_sum, whole);
	c->outstanding_cycles = scale_count(was.outstanding_cycles, whole);
	c->mem_stall_warp_cycles = scale_count(was.mem_stall_warp_cycles, whole);
}

/* Scales what the launch has added to the views by the share of its work that was replayed. */
static void scale_views(struct ct_pass_state *a, const struct ct_pass_waves *w, struct ct_pass_launch *l,
                        double whole)
{
	for (unsigned i = 0; i < a->n_views; i++) {
		uint64_t c[COUNTERS];
		for (int h = 0; h < 4; h++) {
			struct ct_hist *now = &a->view[i].hist[h];
			const struct ct_hist *was = &w->view[i][h];
			for (int b = 0; b < CT_HIST_BINS; b++)
				now->count[b] = was->count[b] +
				                scale_count(now->count[b] - was->count[b], whole);
			now->cold = was->cold + scale_count(now->cold - was->cold, whole);
		}
		memcpy(c, &l->c[i + 1], sizeof c);
		scale_all(c, COUNTERS, whole);
		memcpy(&l->c[i + 1], c, sizeof c);
	}
}

int ct_pass_waves_end(struct ct_pass_state *a, struct ct_pass_waves *w, struct ct_pass_launch *l)
{
	struct ct_replay_counts *c = &l->c[0];
	double rest = (double)w->insts, all = (double)c->warp_insts;
	double block = (double)(w->begin.c.warp_insts + c->warp_insts - w->block.c.warp_insts);
	if (w->insts && block > 0) {
		double cycles = rest * w->rates[0], f = (block + rest) / block,
		       whole = (all + rest) / all;
		const struct ct_replay_counts was = *c;
		scale_counts(w, c, f, whole, (uint64_t)(cycles + 0.5));
		scale_locality(a->launch, f);
		scale_all(&l->util.reused[0], sizeof l->util / sizeof(uint64_t), f);
		scale_views(a, w, l, whole);
		l->sampled.ctas = w->ctas;
		l->sampled.insts = rest;
		l->sampled.cycles = ct_pass_spread_half(&w->spread[0]) * rest;
		l->sampled.l1_misses = ct_pass_spread_half(&w->spread[1]) *
		                       (double)(c->l1_accesses - was.l1_accesses);
		l->sampled.llc_misses = ct_pass_spread_half(&w->spread[2]) *
		                        (double)(c->llc_accesses - was.llc_accesses);
	}
	ct_lineutil_counts_add(&l->util, &w->util_before);
	return ct_locality_counts_add(a->launch, &w->before, a->e);
}

void ct_pass_waves_free(struct ct_pass_waves *w)
{
	ct_locality_counts_free(&w->before);
	free(w->view);
	memset(w, 0, sizeof *w);
}
