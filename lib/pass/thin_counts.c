/* thin_counts.c - what an engine counted of a sample, made to stand for all of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pass/private/thin.h"

enum { COUNTERS = sizeof(struct ct_replay_counts) / sizeof(uint64_t) };

void ct_thin_counts_free(struct ct_thin_counts *x)
{
	free(x->group);
	ct_sample_free(&x->series);
	memset(x, 0, sizeof *x);
}

static uint64_t rounded(double v)
{
	return v > 0 ? (uint64_t)(v + 0.5) : 0;
}

/* The points of a launch: the end of its first waves, then three for each segment, of which the last two enclose what
 * is measured and the first two the wave before it. */
enum { POINTS = 3 };

static size_t segments_of(size_t n)
{
	return n ? (n - 1) / POINTS : 0;
}

static double insts_between(const struct ct_lanes_mark *a, const struct ct_lanes_mark *b)
{
	return (double)(b->c.warp_insts - a->c.warp_insts);
}

static void rates_between(const struct ct_lanes_mark *a, const struct ct_lanes_mark *b,
                          double rate[CT_SAMPLE_RATES])
{
	const double insts = insts_between(a, b);
	const uint64_t count[CT_SAMPLE_RATES] = {
		[CT_SAMPLE_CYCLES] = b->cycle - a->cycle,
		[CT_SAMPLE_L1_MISSES] = b->c.l1_misses - a->c.l1_misses,
		[CT_SAMPLE_L1_ACCESSES] = b->c.l1_accesses - a->c.l1_accesses,
		[CT_SAMPLE_LLC_MISSES] = b->c.llc_misses - a->c.llc_misses,
		[CT_SAMPLE_LLC_ACCESSES] = b->c.llc_accesses - a->c.llc_accesses};
	for (int i = 0; i < CT_SAMPLE_RATES; i++)
		rate[i] = insts > 0 ? (double)count[i] / insts : 0;
}

static void rates_of(const struct ct_replay_counts *c, double rate[CT_SAMPLE_RATES])
{
	const struct ct_lanes_mark none = {0}, all = {c->cycles - c->launch_cycles, *c};
	rates_between(&none, &all, rate);
}

/* How much the rates of the waves before those that are measured differ from theirs in the mean: what caches that were not
 * warm yet may have cost. */
static void measure_drift(const struct ct_lanes_mark *m, size_t segments, double drift[CT_SAMPLE_RATES])
{
	for (size_t s = 0; s < segments; s++) {
		double before[CT_SAMPLE_RATES], rate[CT_SAMPLE_RATES];
		rates_between(&m[POINTS * s + 1], &m[POINTS * s + 2], before);
		rates_between(&m[POINTS * s + 2], &m[POINTS * s + 3], rate);
		for (int i = 0; i < CT_SAMPLE_RATES; i++)
			drift[i] += (before[i] - rate[i]) / (double)segments;
	}
}

/* Adds the waves of a launch as a stratum of their own. */
static int add_waves(struct ct_thin_counts *x, const struct ct_thin_launch *l,
                     const struct ct_lanes_mark *m, size_t segments, double rest, double measured,
                     struct ct_error *e)
{
	struct ct_sample_stratum stratum = {
		.kernel = l->kernel, .launch = l->id, .rest = rest, .measured = measured};
	struct ct_sample_unit u;
	measure_drift(m, segments, stratum.drift);
	int st = ct_sample_add_stratum(&x->series, &stratum, &u.stratum, e);
	for (size_t s = 0; s < segments && st == CT_OK; s++) {
		rates_between(&m[POINTS * s + 2], &m[POINTS * s + 3], u.rate);
		st = ct_sample_add_unit(&x->series, &u, e);
	}
	return st;
}

/* Sums over time grow with all of the launch, because theirs are open within it. */
static void scale_sums(struct ct_replay_counts *c, const struct ct_replay_counts *was, double whole)
{
	c->resident_warp_cycles = rounded((double)was->resident_warp_cycles * whole);
	c->busy_sm_cycles = rounded((double)was->busy_sm_cycles * whole);
	c->outstanding_sum = rounded((double)was->outstanding_sum * whole);
	c->outstanding_cycles = rounded((double)was->outstanding_cycles * whole);
	c->mem_stall_warp_cycles = rounded((double)was->mem_stall_warp_cycles * whole);
	c->mem_stall_open = rounded((double)was->mem_stall_open * whole);
}

/* Misses are counted somewhat behind accesses: a sum of waves may have more of them. */
static void keep_below(uint64_t *misses, uint64_t accesses)
{
	*misses = *misses < accesses ? *misses : accesses;
}

static void keep_misses_below_accesses(struct ct_replay_counts *c)
{
	keep_below(&c->l1_misses, c->l1_accesses);
	keep_below(&c->l1_read_misses, c->l1_read_accesses);
	keep_below(&c->l1_line_misses, c->l1_line_accesses);
	keep_below(&c->llc_misses, c->llc_accesses);
	keep_below(&c->llc_read_misses, c->llc_read_accesses);
	keep_below(&c->llc_line_misses, c->llc_line_accesses);
}

/* What is counted from the first segment to the last gives way to the measured waves, times the instructions that they
 * stand for over their own. The first waves and the launch's end stand for themselves. */
static void scale_counts(struct ct_replay_counts *c, const struct ct_lanes_mark *m, size_t segments,
                         const struct ct_trace_skipped *skipped, double factor)
{
	const struct ct_replay_counts was = *c;
	const struct ct_lanes_mark *first = &m[0], *last = &m[POINTS * segments];
	uint64_t all[COUNTERS], from[COUNTERS], to[COUNTERS];
	double sum[COUNTERS] = {0}, cycles = 0;
	for (size_t s = 0; s < segments; s++) {
		memcpy(from, &m[POINTS * s + 2].c, sizeof from);
		memcpy(to, &m[POINTS * s + 3].c, sizeof to);
		for (unsigned i = 0; i < COUNTERS; i++)
			sum[i] += (double)(to[i] - from[i]);
		cycles += (double)(m[POINTS * s + 3].cycle - m[POINTS * s + 2].cycle);
	}
	memcpy(all, c, sizeof all);
	memcpy(from, &first->c, sizeof from);
	memcpy(to, &last->c, sizeof to);
	for (unsigned i = 0; i < COUNTERS; i++) {
		const uint64_t between = to[i] - from[i];
		all[i] = (all[i] > between ? all[i] - between : 0) + rounded(sum[i] * factor);
	}
	memcpy(c, all, sizeof all);
	const double insts = (double)was.warp_insts;
	scale_sums(c, &was, (insts + (double)skipped->insts) / fmax(insts, 1));
	c->cycles = rounded((double)was.cycles - (double)(last->cycle - first->cycle) + cycles * factor);
	c->warp_insts = was.warp_insts + skipped->insts;
	c->ctas = was.ctas + skipped->ctas;
	c->warps = was.warps + skipped->warps;
	c->launch_cycles = was.launch_cycles;
	c->sm_cta_capacity = was.sm_cta_capacity;
	c->ctas_first_wave = was.ctas_first_wave;
	keep_misses_below_accesses(c);
}

/* Every counter times f. */
static void scale_all(struct ct_replay_counts *c, double f)
{
	uint64_t v[COUNTERS];
	memcpy(v, c, sizeof v);
	for (unsigned i = 0; i < COUNTERS; i++)
		v[i] = rounded((double)v[i] * f);
	memcpy(c, v, sizeof v);
}

static struct ct_thin_sum *group_of(struct ct_thin_counts *x, const struct ct_thin_launch *l)
{
	const size_t had = x->cap, need = (size_t)l->group + 1;
	if (need > had) {
		if (ct_grow((void **)&x->group, &x->cap, need, sizeof *x->group) < 0)
			return NULL;
		memset(x->group + had, 0, (x->cap - had) * sizeof *x->group);
	}
	return &x->group[l->group];
}

/* Adds the launch to those that stand for its group. */
static int add_to_group(struct ct_thin_counts *x, const struct ct_thin_launch *l,
                        const struct ct_replay_counts *c, struct ct_error *e)
{
	struct ct_thin_sum *g = group_of(x, l);
	struct ct_sample_unit u;
	int st = CT_OK;
	if (!g)
		return ct_fail_nomem(e);
	if (!g->stratum) {
		struct ct_sample_stratum stratum = {.kernel = l->kernel};
		st = ct_sample_add_stratum(&x->series, &stratum, &g->stratum, e);
		g->stratum++;
	}
	if (st != CT_OK)
		return st;
	ct_replay_counts_add(&g->c, c);
	g->insts += (double)c->warp_insts;
	g->n++;
	u.stratum = g->stratum - 1;
	rates_of(c, u.rate);
	x->series.stratum[u.stratum].measured = g->insts;
	return ct_sample_add_unit(&x->series, &u, e);
}

int ct_thin_count(struct ct_thin_counts *x, const struct ct_thin_launch *l,
                  const struct ct_lanes_mark *mark, size_t n, const struct ct_trace_skipped *skipped,
                  struct ct_replay_counts *c, struct ct_error *e)
{
	const size_t segments = segments_of(n);
	double measured = 0;
	int st = CT_OK;
	for (size_t s = 0; s < segments; s++)
		measured += insts_between(&mark[POINTS * s + 2], &mark[POINTS * s + 3]);
	if (skipped->insts && measured > 0) {
		const double rest = (double)skipped->insts +
		                    insts_between(&mark[0], &mark[POINTS * segments]);
		st = add_waves(x, l, mark, segments, rest, measured, e);
		scale_counts(c, mark, segments, skipped, rest / measured);
	} else if (skipped->ctas) { /* empty CTAs */
		c->warp_insts += skipped->insts;
		c->ctas += skipped->ctas;
		c->warps += skipped->warps;
	}
	x->series.cycles += (double)(c->cycles - c->launch_cycles);
	return st == CT_OK && l->stands ? add_to_group(x, l, c, e) : st;
}

int ct_thin_count_left_out(struct ct_thin_counts *x, const struct ct_thin_launch *l,
                           const struct ct_trace_skipped *skipped, struct ct_replay_counts *c,
                           struct ct_error *e)
{
	struct ct_thin_sum *g = group_of(x, l);
	memset(c, 0, sizeof *c);
	if (!g)
		return ct_fail_nomem(e);
	if (g->n && g->insts > 0) {
		struct ct_sample_stratum *s = &x->series.stratum[g->stratum - 1];
		*c = g->c;
		scale_all(c, (double)skipped->insts / g->insts);
		/* These belong to each launch, whatever its length. */
		c->launch_cycles = g->c.launch_cycles / g->n;
		c->cycles = c->launch_cycles + rounded((double)(g->c.cycles - g->c.launch_cycles) *
		                                       (double)skipped->insts / g->insts);
		c->sm_cta_capacity = g->c.sm_cta_capacity / g->n;
		c->ctas_first_wave = g->c.ctas_first_wave / g->n;
		s->rest = fmax(s->rest, g->insts) + (double)skipped->insts;
	}
	c->warp_insts = skipped->insts;
	c->ctas = skipped->ctas;
	c->warps = skipped->warps;
	x->series.cycles += (double)(c->cycles - c->launch_cycles);
	return CT_OK;
}
