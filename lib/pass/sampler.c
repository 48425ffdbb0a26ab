/* sampler.c - --sample-kernels in the pass: the launches and CTAs of the sample (thin.c) are replayed, and what they counted
 * stands for the others. Histograms of a launch grow with its instructions; those of a launch that is left out are
 * of the last one that stands for its group. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pass/private/state.h"
#include "pass/private/thin.h"

/* The last launch that stands for its group. */
struct last {
	double insts;
	struct ct_lineutil_counts util;
	struct ct_locality_counts locality;
	struct ct_hist view[SMS_VIEWS][4];
};

struct ct_pass_sampler {
	struct ct_thin *thin;
	struct ct_thin_counts counts; /* of the baseline's engine */
	struct last *last[CT_THIN_GROUPS];
	struct ct_hist before[SMS_VIEWS][4]; /* of the views when the launch began */
	struct ct_replay_counts replayed;    /* as counted */
};

struct ct_pass_sampler *ct_pass_sampler_new(const struct ct_pass_state *a)
{
	struct ct_pass_sampler *s = ct_calloc(1, sizeof *s);
	if (s && !(s->thin = ct_thin_new(&a->gpu, a->settings.sample_kernels, a->settings.seed))) {
		free(s);
		return NULL;
	}
	return s;
}

void ct_pass_sampler_free(struct ct_pass_sampler *s)
{
	if (!s)
		return;
	for (int i = 0; i < CT_THIN_GROUPS; i++) {
		if (s->last[i])
			ct_locality_counts_free(&s->last[i]->locality);
		free(s->last[i]);
	}
	ct_thin_counts_free(&s->counts);
	ct_thin_free(s->thin);
	free(s);
}

const struct ct_replay_counts *ct_pass_sampler_replayed(const struct ct_pass_sampler *s)
{
	return &s->replayed;
}

void ct_pass_sampled_add(struct ct_pass_sampled *into, const struct ct_pass_sampled *from)
{
	into->launches += from->launches;
	into->ctas += from->ctas;
	into->insts += from->insts;
}

/* ---- histograms ---- */

static uint64_t scale_count(uint64_t v, double f)
{
	return (uint64_t)((double)v * f + 0.5);
}

static void scale_all(uint64_t *v, size_t n, double f)
{
	for (size_t i = 0; i < n; i++)
		v[i] = scale_count(v[i], f);
}

static void scale_hist(struct ct_hist *h, double f)
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
		scale_hist(hist[i], f);
	for (size_t i = 0; i < c->rj_nearest.n; i++)
		c->rj_nearest.cell[i].count = scale_count(c->rj_nearest.cell[i].count, f);
	for (size_t i = 0; i < c->rj_sharers.n; i++)
		c->rj_sharers.cell[i].count = scale_count(c->rj_sharers.cell[i].count, f);
	scale_all(&c->rt[0][0], sizeof c->rt / sizeof(uint64_t), f);
}

static void scale_util(struct ct_lineutil_counts *u, double f)
{
	scale_all((uint64_t *)(void *)u, sizeof *u / sizeof(uint64_t), f);
}

/* What the launch has added to a view. */
static void take_view(const struct ct_pass_state *a, unsigned i, struct ct_hist added[4])
{
	for (int h = 0; h < 4; h++) {
		const struct ct_hist *now = &a->view[i].hist[h], *was = &a->sampler->before[i][h];
		for (int b = 0; b < CT_HIST_BINS; b++)
			added[h].count[b] = now->count[b] - was->count[b];
		added[h].cold = now->cold - was->cold;
	}
}

/* Lets what the launch has added to the views grow with it. */
static void scale_views(struct ct_pass_state *a, double f)
{
	struct ct_hist added[4];
	for (unsigned i = 0; i < a->n_views && f > 1; i++) {
		take_view(a, i, added);
		for (int h = 0; h < 4; h++) {
			scale_hist(&added[h], f);
			a->view[i].hist[h] = a->sampler->before[i][h];
			ct_hist_merge(&a->view[i].hist[h], &added[h]);
		}
	}
}

/* ---- launches ---- */

/* Keeps the histograms of a launch that stands for its group. */
static int remember_launch(struct ct_pass_state *a, const struct ct_thin_launch *chosen,
                           const struct ct_pass_launch *l)
{
	struct last **last = &a->sampler->last[chosen->group];
	if (!*last && !(*last = ct_calloc(1, sizeof **last)))
		return ct_fail_nomem(a->e);
	(*last)->insts = (double)l->c.warp_insts;
	(*last)->util = l->util;
	for (unsigned i = 0; i < a->n_views; i++)
		take_view(a, i, (*last)->view[i]);
	ct_locality_counts_free(&(*last)->locality);
	memset(&(*last)->locality, 0, sizeof(*last)->locality);
	return ct_locality_counts_add(&(*last)->locality, a->launch, a->e);
}

/* Nothing of the launch is replayed. */
static int leave_out(struct ct_pass_state *a, struct ct_trace *trace, const struct ct_kernel *k,
                     const struct ct_thin_launch *chosen)
{
	struct ct_pass_sampler *s = a->sampler;
	struct ct_pass_launch l = {.sampled.launches = 1};
	struct ct_trace_skipped skipped;
	const struct last *last = s->last[chosen->group];
	int st = ct_trace_skip_ctas(trace, UINT64_MAX, &skipped, a->e);
	if (st == CT_OK)
		st = ct_thin_count_left_out(&s->counts, chosen, &skipped, &l.c, a->e);
	if (st != CT_OK)
		return st;
	l.sampled.insts = (double)skipped.insts;
	if (last && last->insts > 0) {
		const double f = (double)skipped.insts / last->insts;
		l.util = last->util;
		scale_util(&l.util, f);
		st = ct_locality_counts_add(a->launch, &last->locality, a->e);
		if (st == CT_OK)
			scale_locality(a->launch, f);
		for (unsigned i = 0; i < a->n_views; i++)
			for (int h = 0; h < 4; h++) {
				struct ct_hist some = last->view[i][h];
				scale_hist(&some, f);
				ct_hist_merge(&a->view[i].hist[h], &some);
			}
	}
	return st == CT_OK ? ct_pass_count(a, k, &l) : st;
}

/* The launch has been replayed, all or in part: what was counted becomes that of all of it. */
static int count_launch(struct ct_pass_state *a, const struct ct_kernel *k,
                        const struct ct_thin_launch *chosen, const struct ct_trace_skipped *skipped)
{
	struct ct_pass_sampler *s = a->sampler;
	struct ct_pass_launch l;
	size_t n;
	int st = ct_pass_end_launch(a, k, &l);
	if (st != CT_OK)
		return st;
	const struct ct_lanes_mark *mark = ct_lanes_marks(a->lanes, 0, &n);
	const double insts = (double)l.c.warp_insts;
	ct_replay_counts_add(&s->replayed, &l.c);
	st = ct_thin_count(&s->counts, chosen, mark, n, skipped, &l.c, a->e);
	if (skipped->insts && insts > 0) {
		const double whole = (insts + (double)skipped->insts) / insts;
		l.sampled.ctas = skipped->ctas;
		l.sampled.insts = (double)skipped->insts;
		scale_locality(a->launch, whole);
		scale_util(&l.util, whole);
		scale_views(a, whole);
	}
	if (st == CT_OK && chosen->stands)
		st = remember_launch(a, chosen, &l);
	return st == CT_OK ? ct_pass_count(a, k, &l) : st;
}

int ct_pass_sampler_launch(struct ct_pass_state *a, struct ct_trace *trace, const struct ct_kernel *k)
{
	struct ct_thin_launch chosen;
	struct ct_trace_skipped skipped;
	struct ct_cta *held = NULL;
	int is_insts;
	int st = ct_thin_choose(a->sampler->thin, k, ct_trace_kernel_size(trace, &is_insts), &chosen,
	                        a->e);
	if (st == CT_OK && chosen.kind == CT_THIN_OUT)
		return leave_out(a, trace, k, &chosen);
	for (unsigned i = 0; i < a->n_views; i++)
		memcpy(a->sampler->before[i], a->view[i].hist, sizeof a->sampler->before[i]);
	if (st == CT_OK)
		st = ct_pass_begin_launch(a, k);
	if (st == CT_OK)
		st = ct_thin_push(a->lanes, trace, &chosen, &a->settings, &held, &skipped, a->e);
	if (st == CT_OK)
		st = count_launch(a, k, &chosen, &skipped);
	ct_cta_unref(held);
	return st;
}

/* ---- records ---- */

static int put_sampled(struct ct_pass_state *a, const struct ct_pass_scope *s, const char *metric,
                       double v)
{
	return ct_profile_add_real(a->p, s->name, metric, v, NULL, "sampled", a->e);
}

/* Which strata the counts of a scope come from. */
static struct ct_sample_scope strata_of(const struct ct_pass_state *a, const struct ct_pass_scope *s)
{
	static const char name[] = "name:", launch[] = "kernel:";
	struct ct_sample_scope of = {0};
	if (s->name == a->scope[0].name)
		return of;
	if (strncmp(s->name, name, sizeof name - 1) == 0)
		of.kernel = ct_sample_name(s->name + sizeof name - 1);
	else if (strncmp(s->name, launch, sizeof launch - 1) == 0)
		of.launch = (uint32_t)strtoul(s->name + sizeof launch - 1, NULL, 10);
	return of;
}

/* What a sample costs beside what its units tell: waves that are cut out of a launch run into each other. Shares of the
 * number, by which ranges without them were short in twenty traces that were replayed whole (tests/long/coverage.tsv); those
 * of LLC miss rates were not. */
static const double CYCLES_FLOOR = 0.005, L1_FLOOR = 0.001;

/* Of a launch that is left out nothing is known but what its group tells. */
static double half_of(const struct ct_pass_state *a, const struct ct_pass_scope *s,
                      const double weight[CT_SAMPLE_RATES])
{
	const struct ct_sample_scope of = strata_of(a, s);
	if (!(s->sampled.insts > 0))
		return 0;
	return of.launch && s->sampled.launches ? INFINITY
	                                        : ct_sample_half(&a->sampler->counts.series, weight, of);
}

/* The rate misses / accesses with its range: the error of a ratio is that of misses - rate * accesses. */
static int put_range(struct ct_pass_state *a, const struct ct_pass_scope *s, const char *low,
                     const char *high, enum ct_sample_rate misses, double n_misses,
                     enum ct_sample_rate accesses, double n_accesses)
{
	double weight[CT_SAMPLE_RATES] = {0}, rate = n_misses / n_accesses;
	if (!(n_accesses > 0)) {
		int st = put_sampled(a, s, low, NAN);
		return st == CT_OK ? put_sampled(a, s, high, NAN) : st;
	}
	weight[misses] = 1 / n_accesses;
	weight[accesses] = -rate / n_accesses;
	const double floor_of = misses == CT_SAMPLE_L1_MISSES && s->sampled.insts > 0 ? L1_FLOOR : 0;
	const double half = hypot(half_of(a, s, weight), floor_of * rate);
	int st = put_sampled(a, s, low, fmax(rate - half, 0));
	return st == CT_OK ? put_sampled(a, s, high, fmin(rate + half, 1)) : st;
}

/* Cycles are a whole number: so are the ends of its range, rounded outwards, so that it lies between them. */
static int put_cycles(struct ct_pass_state *a, const struct ct_pass_scope *s, uint64_t cycles)
{
	const double weight[CT_SAMPLE_RATES] = {[CT_SAMPLE_CYCLES] = 1};
	const double half = hypot(half_of(a, s, weight),
	                          s->sampled.insts > 0 ? CYCLES_FLOOR * (double)cycles : 0);
	double low = floor(fmax((double)cycles - half, 0)), high = ceil((double)cycles + half);
	if (!(high < 0x1p63)) {
		int st = put_sampled(a, s, "cycles_low", NAN);
		return st == CT_OK ? put_sampled(a, s, "cycles_high", NAN) : st;
	}
	int st = ct_profile_add_count(a->p, s->name, "cycles_low", (uint64_t)low, NULL, "sampled", a->e);
	return st == CT_OK ? ct_profile_add_count(a->p, s->name, "cycles_high", (uint64_t)high, NULL,
	                                          "sampled", a->e)
	                   : st;
}

int ct_pass_write_sampled(struct ct_pass_state *a, const struct ct_pass_scope *s)
{
	const struct ct_pass_sampled *x = &s->sampled;
	const struct ct_replay_counts *c = &s->counts;
	int st = ct_profile_add_count(
		a->p, s->name, "sampled_launches", x->launches, NULL, "sampled", a->e);
	if (st == CT_OK)
		st = ct_profile_add_count(a->p, s->name, "sampled_ctas", x->ctas, NULL, "sampled", a->e);
	if (st == CT_OK)
		st = put_sampled(a, s, "replayed_share",
		                 c->warp_insts ? 1 - x->insts / (double)c->warp_insts : NAN);
	if (st == CT_OK)
		st = put_cycles(a, s, c->cycles);
	if (st == CT_OK)
		st = put_range(a, s, "l1_miss_rate_low", "l1_miss_rate_high", CT_SAMPLE_L1_MISSES,
		               (double)c->l1_misses, CT_SAMPLE_L1_ACCESSES, (double)c->l1_accesses);
	if (st == CT_OK)
		st = put_range(a, s, "llc_miss_rate_low", "llc_miss_rate_high", CT_SAMPLE_LLC_MISSES,
		               (double)c->llc_misses, CT_SAMPLE_LLC_ACCESSES, (double)c->llc_accesses);
	return st;
}
