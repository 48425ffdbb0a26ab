/* sampler.c - --sample-kernels: launches that repeat others are recognised by kernel,
 * grid, instructions and footprint, and counted as those were; long launches are cut short
 * (sample_waves.c). A kernel that always does the same work is replayed until the cycles of
 * its launches, the first one aside (it may find cold caches), are known within 2 % and its
 * miss rates within a point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pass/private/progress.h"
#include "pass/private/sample_launch.h"

enum { GROUPS_MAX = 256 };
static const double CYCLES_KNOWN = 0.02, RATES_KNOWN = 0.01;

/* Launches of the same work. */
struct group {
	char *name;
	uint32_t grid[3], block[3], regs;
	uint64_t shmem;
	struct ct_pass_work work; /* without sketch and cursor */
	unsigned replayed;
	struct ct_pass_spread spread[WAVE_RATES]; /* cycles, L1 and LLC miss rate; not of the first */
	/* the last one that was replayed */
	struct ct_pass_launch counts;
	struct ct_locality_counts locality;
	struct ct_hist view[SMS_VIEWS][4];
};

struct ct_pass_sampler {
	struct group *group[GROUPS_MAX];
	unsigned n;
	struct ct_pass_work work;
	struct ct_cta **cta; /* of a launch that is held back until its work is known */
	size_t n_cta, cap_cta;
};

struct ct_pass_sampler *ct_pass_sampler_new(void)
{
	return ct_calloc(1, sizeof(struct ct_pass_sampler));
}

static void drop_ctas(struct ct_pass_sampler *s)
{
	while (s->n_cta)
		ct_cta_unref(s->cta[--s->n_cta]);
}

void ct_pass_sampler_free(struct ct_pass_sampler *s)
{
	if (!s)
		return;
	drop_ctas(s);
	for (unsigned i = 0; i < s->n; i++) {
		free(s->group[i]->name);
		ct_locality_counts_free(&s->group[i]->locality);
		free(s->group[i]);
	}
	ct_pass_work_free(&s->work);
	free(s->cta);
	free(s);
}

void ct_pass_sampled_add(struct ct_pass_sampled *into, const struct ct_pass_sampled *from)
{
	into->launches += from->launches;
	into->ctas += from->ctas;
	into->insts += from->insts;
	into->cycles += from->cycles;
	into->l1_misses += from->l1_misses;
	into->llc_misses += from->llc_misses;
}

/* ---- groups ---- */

static int same_shape(const struct group *g, const struct ct_kernel *k)
{
	return memcmp(g->grid, k->grid, sizeof g->grid) == 0 &&
	       memcmp(g->block, k->block, sizeof g->block) == 0 && g->regs == k->regs &&
	       g->shmem == k->shmem_bytes && strcmp(g->name, k->name) == 0;
}

static int is_known(const struct group *g)
{
	return ct_pass_spread_half(&g->spread[0]) <= CYCLES_KNOWN * g->spread[0].mean &&
	       ct_pass_spread_half(&g->spread[1]) <= RATES_KNOWN &&
	       ct_pass_spread_half(&g->spread[2]) <= RATES_KNOWN;
}

/* Whether the launch may be one that need not be replayed. */
static int may_repeat(const struct ct_pass_sampler *s, const struct ct_kernel *k)
{
	for (unsigned i = 0; i < s->n; i++)
		if (same_shape(s->group[i], k) && is_known(s->group[i]))
			return 1;
	return 0;
}

static struct group *find_group(const struct ct_pass_sampler *s, const struct ct_kernel *k)
{
	for (unsigned i = 0; i < s->n; i++)
		if (same_shape(s->group[i], k) && ct_pass_work_equal(&s->group[i]->work, &s->work))
			return s->group[i];
	return NULL;
}

/* Makes a group for the work of the launch that has just been looked at. */
static int add_group(struct ct_pass_state *a, const struct ct_kernel *k, struct group **out)
{
	struct ct_pass_sampler *s = a->sampler;
	struct group *g = ct_calloc(1, sizeof *g);
	*out = NULL;
	if (!g || !(g->name = ct_strndup(k->name, strlen(k->name)))) {
		free(g);
		return ct_fail_nomem(a->e);
	}
	memcpy(g->grid, k->grid, sizeof g->grid);
	memcpy(g->block, k->block, sizeof g->block);
	g->regs = k->regs;
	g->shmem = k->shmem_bytes;
	g->work = s->work;
	g->work.sketch = NULL;
	g->work.cursor = NULL;
	s->group[s->n++] = g;
	*out = g;
	return CT_OK;
}

static double miss_rate(uint64_t misses, uint64_t accesses)
{
	return accesses ? (double)misses / (double)accesses : 0;
}

/* The launch that has just been counted into *l and a->launch becomes its group's last. */
static int remember_launch(struct ct_pass_state *a, const struct ct_kernel *k,
                           const struct ct_pass_launch *l, const struct ct_pass_waves *w)
{
	struct group *g = find_group(a->sampler, k);
	int st = CT_OK;
	if (!g && a->sampler->n == GROUPS_MAX)
		return CT_OK;
	if (!g)
		st = add_group(a, k, &g);
	if (st != CT_OK)
		return st;
	const struct ct_replay_counts *c = &l->c[0];
	if (g->replayed++) {
		ct_pass_spread_add(&g->spread[0], (double)(c->cycles - c->launch_cycles));
		ct_pass_spread_add(&g->spread[1], miss_rate(c->l1_misses, c->l1_accesses));
		ct_pass_spread_add(&g->spread[2], miss_rate(c->llc_misses, c->llc_accesses));
	}
	g->counts = *l;
	for (unsigned i = 0; i < a->n_views; i++)
		for (int h = 0; h < 4; h++) {
			const struct ct_hist *now = &a->view[i].hist[h], *was = &w->view[i][h];
			for (int b = 0; b < CT_HIST_BINS; b++)
				g->view[i][h].count[b] = now->count[b] - was->count[b];
			g->view[i][h].cold = now->cold - was->cold;
		}
	ct_locality_counts_free(&g->locality);
	memset(&g->locality, 0, sizeof g->locality);
	return ct_locality_counts_add(&g->locality, a->launch, a->e);
}

/* The launch is counted as the last of its group was. */
static int repeat_launch(struct ct_pass_state *a, const struct ct_kernel *k, const struct group *g)
{
	struct ct_pass_launch l = g->counts;
	const struct ct_replay_counts *c = &g->counts.c[0];
	double cycles = (double)(c->cycles - c->launch_cycles);
	int st = ct_locality_counts_add(a->launch, &g->locality, a->e);
	if (st != CT_OK)
		return st;
	l.sampled.launches = 1;
	l.sampled.insts = (double)l.c[0].warp_insts;
	l.sampled.cycles += ct_pass_spread_half(&g->spread[0]) + fabs(cycles - g->spread[0].mean);
	l.sampled.l1_misses += ct_pass_spread_half(&g->spread[1]) * (double)c->l1_accesses;
	l.sampled.llc_misses += ct_pass_spread_half(&g->spread[2]) * (double)c->llc_accesses;
	for (unsigned i = 0; i < a->n_views; i++)
		for (int h = 0; h < 4; h++)
			ct_hist_merge(&a->view[i].hist[h], &g->view[i][h]);
	return ct_pass_count(a, k, &l);
}

/* ---- one launch ---- */

static int hold_cta(struct ct_pass_state *a, struct ct_cta *cta)
{
	struct ct_pass_sampler *s = a->sampler;
	if (ct_grow((void **)&s->cta, &s->cap_cta, s->n_cta + 1, sizeof *s->cta) < 0)
		return ct_fail_nomem(a->e);
	s->cta[s->n_cta++] = ct_cta_ref(cta);
	return CT_OK;
}

/* Reads the launch; replays its CTAs at once, or holds them all (*w unused). */
static int read_launch(struct ct_pass_state *a, struct ct_trace *trace, struct ct_pass_waves *w,
                       int held)
{
	struct ct_cta *cta;
	int st;
	while ((st = ct_trace_next_cta(trace, &cta, a->e)) > 0) {
		st = ct_pass_work_add(&a->sampler->work, cta, a->e);
		/* The first CTA keeps the kernel alive until the launch has been counted. */
		if (st >= 0 && (held || a->sampler->n_cta == 0))
			st = hold_cta(a, cta);
		if (st >= 0 && !held)
			st = ct_pass_waves_push(a, w, cta);
		ct_cta_unref(cta);
		ct_pass_advance(&a->settings, trace);
		if (st < 0)
			return st;
	}
	ct_pass_work_end(&a->sampler->work);
	return st;
}

static int finish_launch(struct ct_pass_state *a, const struct ct_kernel *k, struct ct_pass_waves *w)
{
	struct ct_pass_launch l;
	int st = ct_pass_end_launch(a, k, &l);
	if (st == CT_OK)
		st = ct_pass_waves_end(a, w, &l);
	if (st == CT_OK)
		st = remember_launch(a, k, &l, w);
	return st == CT_OK ? ct_pass_count(a, k, &l) : st;
}

/* Reads one launch and counts it: as its group was when it may be a repetition and the work turns out to be the same,
 * else by replaying it. A launch that may repeat is held back until its work is known. */
static int sample_launch(struct ct_pass_state *a, struct ct_trace *trace, const struct ct_kernel *k,
                         struct ct_pass_waves *w)
{
	struct ct_pass_sampler *s = a->sampler;
	int held = may_repeat(s, k);
	int st = ct_pass_work_begin(&s->work, k, a->e);
	if (st == CT_OK && !held)
		st = ct_pass_waves_begin(a, w, k);
	if (st == CT_OK)
		st = read_launch(a, trace, w, held);
	if (st == CT_OK && held) {
		const struct group *g = find_group(s, k);
		if (g && is_known(g))
			return repeat_launch(a, k, g);
		st = ct_pass_waves_begin(a, w, k);
		for (size_t i = 0; i < s->n_cta && st == CT_OK; i++)
			st = ct_pass_waves_push(a, w, s->cta[i]);
	}
	return st == CT_OK ? finish_launch(a, k, w) : st;
}

int ct_pass_sampler_launch(struct ct_pass_state *a, struct ct_trace *trace, const struct ct_kernel *k)
{
	struct ct_pass_waves *w = ct_calloc(1, sizeof *w);
	if (!w)
		return ct_fail_nomem(a->e);
	int st = sample_launch(a, trace, k, w);
	ct_pass_waves_free(w);
	free(w);
	drop_ctas(a->sampler);
	return st;
}

/* ---- records ---- */

static int put_sampled(struct ct_pass_state *a, const struct ct_pass_scope *s, const char *metric,
                       double v)
{
	return ct_profile_add_real(a->p, s->name, metric, v, NULL, "sampled", a->e);
}

/* value -/+ half, over `of`, as NAME_low and NAME_high. */
static int put_range(struct ct_pass_state *a, const struct ct_pass_scope *s, const char *low,
                     const char *high, double value, double half, double of)
{
	int st = put_sampled(a, s, low, of > 0 ? fmax(value - half, 0) / of : NAN);
	return st == CT_OK ? put_sampled(a, s, high, of > 0 ? (value + half) / of : NAN) : st;
}

/* Cycles are a whole number: so are the ends of its range, rounded outwards, so that it lies between them. */
static int put_cycles(struct ct_pass_state *a, const struct ct_pass_scope *s, uint64_t cycles,
                      double half)
{
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
		st = put_cycles(a, s, c->cycles, x->cycles);
	if (st == CT_OK)
		st = put_range(a, s, "l1_miss_rate_low", "l1_miss_rate_high", (double)c->l1_misses,
		               x->l1_misses, (double)c->l1_accesses);
	if (st == CT_OK)
		st = put_range(a, s, "llc_miss_rate_low", "llc_miss_rate_high", (double)c->llc_misses,
		               x->llc_misses, (double)c->llc_accesses);
	return st;
}
