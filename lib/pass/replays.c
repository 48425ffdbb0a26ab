#include "pass/replays.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pass/private/lanes.h"
#include "pass/origin.h"
#include "pass/private/progress.h"
#include "pass/private/thin.h"
#include "pass/reopen.h"

struct replays {
	const struct ct_profile *p;
	const struct ct_pass_settings *settings;
	const char *why;
	struct ct_lanes *lanes;
	struct ct_trace *trace;
	struct ct_replay_counts *launch, *total; /* one for each engine, of every pass */
	unsigned first, n, made;                 /* engines of this pass; those that had make() */
	struct ct_replays_hooks hooks;
	struct ct_thin *thin;          /* of this pass, or NULL: all of the trace is replayed */
	struct ct_thin_counts *counts; /* of each engine, where thin */
	struct ct_error *e;
};

/* Adds the launch's counts to the totals. */
static int end_kernel(struct replays *x, const struct ct_kernel *k)
{
	for (unsigned i = x->first; i < x->first + x->n; i++)
		ct_replay_counts_add(&x->total[i], &x->launch[i]);
	return x->hooks.end ? x->hooks.end(x->hooks.ctx, k, x->launch, x->e) : CT_OK;
}

/* No engine replays the launch: others stand for it. */
static int leave_out(struct replays *x, const struct ct_kernel *k, const struct ct_thin_launch *l)
{
	struct ct_trace_skipped skipped;
	int st = ct_trace_skip_ctas(x->trace, UINT64_MAX, &skipped, x->e);
	for (unsigned i = x->first; i < x->first + x->n && st == CT_OK; i++)
		st = ct_thin_count_left_out(&x->counts[i], l, &skipped, &x->launch[i], x->e);
	return st == CT_OK ? end_kernel(x, k) : st;
}

/* What the engines have replayed of the launch stands for all of it. */
static int count_sample(struct replays *x, const struct ct_thin_launch *l,
                        const struct ct_trace_skipped *skipped)
{
	int st = CT_OK;
	for (unsigned i = x->first; i < x->first + x->n && st == CT_OK; i++) {
		size_t n;
		const struct ct_lanes_mark *m = ct_lanes_marks(x->lanes, i - x->first, &n);
		st = ct_thin_count(&x->counts[i], l, m, n, skipped, &x->launch[i], x->e);
	}
	return st;
}

/* Runs one launch through the engines of this pass, between the hooks of its ends. */
static int run_kernel(struct replays *x, const struct ct_kernel *k)
{
	struct ct_thin_launch chosen = {.kind = CT_THIN_WHOLE};
	struct ct_trace_skipped skipped = {0};
	int is_insts;
	struct ct_cta *held = NULL;
	int st = x->thin ? ct_thin_choose(x->thin, k, ct_trace_kernel_size(x->trace, &is_insts), &chosen,
	                                  x->e)
	                 : CT_OK;
	if (st == CT_OK && chosen.kind == CT_THIN_OUT)
		return leave_out(x, k, &chosen);
	if (st == CT_OK && x->hooks.begin)
		st = x->hooks.begin(x->hooks.ctx, k, x->e);
	if (st == CT_OK)
		st = ct_lanes_kernel_begin(x->lanes, k, x->e);
	if (st != CT_OK)
		return st;
	st = ct_thin_push(x->lanes, x->trace, &chosen, x->settings, &held, &skipped, x->e);
	if (st == CT_OK)
		st = ct_lanes_kernel_end(x->lanes, x->launch + x->first, x->e);
	if (st == CT_OK && x->thin)
		st = count_sample(x, &chosen, &skipped);
	if (st == CT_OK)
		st = end_kernel(x, k);
	ct_cta_unref(held);
	return st;
}

static int run_trace(struct replays *x)
{
	struct ct_event ev;
	int st;
	while ((st = ct_trace_next(x->trace, &ev, x->e)) > 0) {
		if (ev.kind == CT_EVENT_MEMCPY)
			ct_lanes_memcpy(x->lanes, ev.address, ev.bytes);
		else if ((st = run_kernel(x, ev.kernel)) != CT_OK)
			return st;
	}
	return st;
}

double ct_replays_l1_lines(const struct ct_gpu *g)
{
	const double nominal = (double)g->l1.sets * g->l1.ways;
	return g->l1_adaptive ? fmax(nominal, (double)g->unified_bytes / g->l1.line) : nominal;
}

/* Measured resident over engines of mpki --explain (rtx3080 with 17 to 136 SMs, L1s of 128 and 256 KiB,
 * LLCs of 5 and 20 MiB; h100), rounded up. */
double ct_replays_bytes(const struct ct_gpu *g)
{
	static const double per_sm = 215e3, per_l1_line = 185, per_llc_line = 150;
	const double lines = ct_gpu_llc_lines(g);
	return g->sms * (per_sm + per_l1_line * ct_replays_l1_lines(g)) + per_llc_line * lines;
}

static const double GIB = 1 << 30;

int ct_replays_fit(const struct ct_pass_settings *settings, const struct ct_gpu *g, double bytes,
                   struct ct_error *e)
{
	if (bytes <= fmax(GIB, (double)settings->max_memory))
		return CT_OK;
	return ct_fail(e, CT_ERR_LIMIT,
	               "%" PRIu32 " SMs and their caches take some %.1f GiB to replay: "
	               "fewer or smaller ones, --scale, or --max-memory %.0fGiB",
	               g->sms, bytes / GIB, ceil(bytes / GIB));
}

/* Bytes that this process may take of the memory limit. */
static double own_memory(const struct ct_pass_settings *s)
{
	return s->memory ? (double)s->memory : s->max_memory ? (double)s->max_memory : GIB;
}

/* How many of the n engines may be there together: what the limit has room for. */
static unsigned engines_that_fit(const struct ct_pass_settings *settings,
                                 const struct ct_replays_engine *engine, unsigned n)
{
	double bytes = 0;
	unsigned k = 0;
	for (; k < n; k++) {
		bytes += ct_replays_bytes(engine[k].gpu) + engine[k].part_bytes;
		if (bytes > own_memory(settings))
			break;
	}
	return k ? k : 1;
}

/* Makes the engines of this pass and the lanes that feed them. */
static int make_lanes(struct replays *x, const struct ct_replays_engine *spec)
{
	const unsigned threads = x->settings->threads ? x->settings->threads : 1;
	struct ct_replay **engine = ct_calloc(x->n, sizeof *engine);
	int st = engine ? CT_OK : ct_fail_nomem(x->e);
	for (unsigned i = 0; i < x->n && st == CT_OK; i++) {
		st = x->hooks.make ? x->hooks.make(x->hooks.ctx, x->first + i, x->e) : CT_OK;
		x->made += st == CT_OK;
		if (st == CT_OK)
			st = ct_replay_new(&engine[i], spec[i].gpu, &spec[i].options, x->e);
	}
	if (st == CT_OK)
		st = ct_lanes_new(&x->lanes, engine, x->n, threads, x->e);
	else
		for (unsigned i = 0; i < x->n && engine; i++)
			ct_replay_free(engine[i]);
	if (st == CT_OK && threads > 1)
		st = ct_lanes_help(x->lanes, threads - 1, x->e);
	free(engine);
	return st;
}

/* The sample of the profile's pass, on the GPU of which it depends. */
static int choose_sample(struct replays *x)
{
	struct ct_gpu g;
	if (!x->counts)
		return CT_OK;
	int st = ct_pass_get_gpu(x->p, &g, x->e);
	if (st != CT_OK)
		return st;
	x->thin = ct_thin_new(&g, x->settings->sample_kernels, x->settings->seed);
	return x->thin ? CT_OK : ct_fail_nomem(x->e);
}

/* The warp instructions of the trace, as an engine counts them that has replayed it to its end. */
static uint64_t insts_of_trace(const struct replays *x, const struct ct_replays_engine *engine)
{
	for (unsigned i = 0; i < x->n; i++)
		if (!ct_replays_stopped(&engine[i], &x->total[x->first + i]))
			return x->total[x->first + i].warp_insts;
	return CT_PASS_INSTS_UNKNOWN;
}

int ct_replays_stopped(const struct ct_replays_engine *engine, const struct ct_replay_counts *total)
{
	uint64_t most = engine->options.most_cycles;
	return most && total->cycles - total->launch_cycles > most;
}

/* One pass for the engines from x->first on. */
static int run_some(struct replays *x, const struct ct_replays_engine *engine)
{
	x->made = 0;
	int st = choose_sample(x);
	if (st == CT_OK)
		st = make_lanes(x, engine);
	if (st == CT_OK)
		st = ct_pass_reopen(x->p, x->settings, x->why, &x->trace, x->e);
	if (st == CT_OK) {
		ct_pass_begin(x->settings);
		st = run_trace(x);
		ct_pass_end(x->settings, x->trace);
	}
	if (st == CT_OK)
		st = ct_pass_same_trace(x->p, x->trace, insts_of_trace(x, engine), x->e);
	ct_thin_free(x->thin);
	x->thin = NULL;
	ct_lanes_free(x->lanes);
	ct_trace_close(x->trace);
	x->lanes = NULL;
	x->trace = NULL;
	for (unsigned i = 0; i < x->made && x->hooks.done; i++)
		x->hooks.done(x->hooks.ctx, x->first + i);
	return st;
}

int ct_replays_run(const struct ct_profile *p, const struct ct_pass_settings *settings, const char *why,
                   const struct ct_replays_engine *engine, unsigned n,
                   const struct ct_replays_hooks *hooks, struct ct_replay_counts *total,
                   struct ct_error *e)
{
	struct replays x = {.p = p, .settings = settings, .why = why, .total = total, .e = e};
	int st = CT_OK;
	if (hooks)
		x.hooks = *hooks;
	memset(total, 0, n * sizeof *total);
	if (!(x.launch = ct_calloc(n, sizeof *x.launch)))
		return ct_fail_nomem(e);
	const int thinned = settings->sample_kernels > 0 && settings->sample_kernels < 1;
	if (thinned && !(x.counts = ct_calloc(n, sizeof *x.counts)))
		st = ct_fail_nomem(e);
	for (unsigned i = 0; i < n && st == CT_OK; i++)
		st = ct_replays_fit(settings, engine[i].gpu,
		                    ct_replays_bytes(engine[i].gpu) + engine[i].part_bytes, e);
	for (x.first = 0; x.first < n && st == CT_OK; x.first += x.n) {
		x.n = engines_that_fit(settings, engine + x.first, n - x.first);
		memset(x.launch, 0, n * sizeof *x.launch);
		st = run_some(&x, engine + x.first);
	}
	for (unsigned i = 0; i < n && x.counts; i++) {
		if (st == CT_OK && x.hooks.sample) {
			x.hooks.sample[i] = x.counts[i].series;
			x.counts[i].series = (struct ct_sample_series){0};
		}
		ct_thin_counts_free(&x.counts[i]);
	}
	free(x.counts);
	free(x.launch);
	return st;
}
