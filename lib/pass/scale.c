#include "pass/scale.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "gpu/occupancy.h"

const double ct_pass_waves_wanted = 2;

/* Forgives the rounding of a quotient of whole numbers. */
static const double nearly = 1e-9;

struct launch {
	double waves; /* on one SM */
	double weight;
};

struct launches {
	struct launch *of;
	size_t n, cap;
};

/* Fails with CT_ERR_NOMEM. */
static int add_launch(struct launches *l, double ctas, uint32_t ctas_per_sm, double weight,
                      struct ct_error *e)
{
	if (ct_grow((void **)&l->of, &l->cap, l->n + 1, sizeof *l->of) < 0)
		return ct_fail_nomem(e);
	l->of[l->n++] = (struct launch){ctas / ctas_per_sm, weight};
	return CT_OK;
}

static int by_waves(const void *a, const void *b)
{
	const struct launch *x = a, *y = b;
	return x->waves > y->waves ? -1 : x->waves < y->waves;
}

/* The most waves that launches with half of the weight make each. Weights are whole numbers below 2^53. */
static double waves_of_half(struct launches *l)
{
	double all = 0, above = 0;
	if (!l->n)
		return 0;
	qsort(l->of, l->n, sizeof *l->of, by_waves);
	for (size_t i = 0; i < l->n; i++)
		all += l->of[i].weight;
	for (size_t i = 0; i < l->n; i++)
		if (2 * (above += l->of[i].weight) >= all)
			return l->of[i].waves;
	return l->of[l->n - 1].waves;
}

/* ---- of a profile ---- */

/* "(X,Y,Z)"; 0 when it is something else. */
static int read_extent(const char *text, uint32_t xyz[3])
{
	char *at = (char *)text;
	for (int i = 0; i < 3; i++) {
		if (*at != (i ? ',' : '('))
			return 0;
		xyz[i] = (uint32_t)strtoul(at + 1, &at, 10);
	}
	return *at == ')';
}

/* A launch by its KN record: 1, or 0 when the record does not tell what is needed. */
static int read_launch(const struct ct_record *r, struct ct_kernel *k, uint64_t *warps, uint64_t *insts)
{
	enum { ID, NAME, GRID, BLOCK, WARPS, WARP_INSTS, THREAD_INSTS, MEM_INSTS, REGS, SHMEM, FIELDS };
	uint64_t regs;
	*k = (struct ct_kernel){0};
	if (r->nfields < FIELDS || !read_extent(r->field[GRID], k->grid) ||
	    !read_extent(r->field[BLOCK], k->block) || !ct_field_count(r->field[WARPS], warps) ||
	    !ct_field_count(r->field[WARP_INSTS], insts) || !ct_field_count(r->field[REGS], &regs) ||
	    !ct_field_count(r->field[SHMEM], &k->shmem_bytes))
		return 0;
	k->regs = (uint32_t)regs;
	return 1;
}

int ct_pass_waves(const struct ct_profile *p, const struct ct_gpu *g, double *waves, struct ct_error *e)
{
	struct launches l = {0};
	const struct ct_record *r;
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(p, "KN", &i));) {
		struct ct_kernel k;
		struct ct_occupancy occ;
		uint64_t warps, insts;
		if (!read_launch(r, &k, &warps, &insts) || ct_occupancy(g, &k, &occ, NULL) != CT_OK) {
			st = 1;
			break;
		}
		/* The CTAs that the trace has, which may be fewer than its grid. */
		double ctas = ceil((double)warps / occ.warps_per_cta);
		st = add_launch(&l, ctas, occ.ctas_by_resources, (double)insts, e);
	}
	if (st == CT_OK && !l.n)
		st = 1;
	if (st == CT_OK)
		*waves = waves_of_half(&l);
	free(l.of);
	return st;
}

/* ---- of a trace that is not read yet ---- */

int ct_pass_waves_guess(const char *path, const struct ct_trace_options *options, const struct ct_gpu *g,
                        double *waves, struct ct_error *e)
{
	struct ct_trace_options o = {0};
	struct launches l = {0};
	struct ct_trace *trace;
	struct ct_event ev;
	int st;
	if (options)
		o = *options;
	o.diag.warn = NULL; /* the pass will say it */
	if ((st = ct_trace_open(&trace, path, &o, e)) != CT_OK)
		return st;
	while ((st = ct_trace_next(trace, &ev, e)) > 0) {
		struct ct_occupancy occ;
		uint64_t bytes;
		if (ev.kind != CT_EVENT_KERNEL)
			continue;
		const uint32_t *grid = ev.kernel->grid;
		double ctas = (double)grid[0] * grid[1] * grid[2];
		if ((st = ct_occupancy(g, ev.kernel, &occ, e)) != CT_OK ||
		    (st = ct_trace_skip_kernel(trace, &bytes, e)) != CT_OK ||
		    (st = add_launch(&l, ctas, occ.ctas_by_resources, (double)bytes, e)) != CT_OK)
			break;
	}
	ct_trace_close(trace);
	*waves = waves_of_half(&l);
	free(l.of);
	return st;
}

/* ---- the factor ---- */

/* 1 when g scaled by f is a GPU that so many waves fill. */
static int fills_gpu(const struct ct_gpu *g, double f, double waves)
{
	struct ct_gpu scaled = *g;
	return ct_gpu_scale(&scaled, f, NULL) == CT_OK &&
	       waves * (1 + nearly) >= ct_pass_waves_wanted * scaled.sms;
}

double ct_pass_scale_factor(const struct ct_gpu *g, double waves)
{
	const double channels = g->llc_slices < g->dram_channels ? g->llc_slices : g->dram_channels;
	const double sms = floor(waves * (1 + nearly) / ct_pass_waves_wanted); /* that it fills */
	struct ct_gpu scaled = *g;
	if (sms >= g->sms)
		return 1;
	/* Rounding leaves a GPU of this many channels at most. */
	for (double c = fmin(floor(channels * sms / g->sms) + 1, channels - 1); c >= 1; c--)
		if (fills_gpu(g, c / channels, waves))
			return c / channels;
	/* One channel, or one SM of a GPU that has fewer of those. */
	double f = 1 / fmin(channels, g->sms);
	return ct_gpu_scale(&scaled, f, NULL) == CT_OK ? f : 1;
}
