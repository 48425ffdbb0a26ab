#include "common/replays.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/lanes.h"
#include "common/progress.h"

struct pass {
	struct ct_lanes *lanes;
	struct ct_trace *trace;
	struct ct_progress progress;
	struct ct_replay_counts *launch, *total; /* one for each engine, of every pass */
	unsigned first, n, made;                 /* engines of this pass; those that had make() */
	struct ct_replays_hooks hooks;
	struct ct_error *e;
};

static int run_kernel(struct pass *x, const struct ct_kernel *k)
{
	struct ct_cta *cta, *held = NULL;
	int st = x->hooks.begin ? x->hooks.begin(x->hooks.ctx, k, x->e) : CT_OK;
	if (st == CT_OK)
		st = ct_lanes_kernel_begin(x->lanes, k, 0, x->e);
	if (st != CT_OK)
		return st;
	while ((st = ct_trace_next_cta(x->trace, &cta, x->e)) > 0) {
		st = ct_lanes_push_cta(x->lanes, cta, x->e);
		ct_progress_tick(&x->progress, ct_trace_path(x->trace),
		                 ct_trace_stats(x->trace)->warp_insts);
		/* The first CTA keeps the kernel alive until the launch is over. */
		if (held)
			ct_cta_unref(cta);
		else
			held = cta;
		if (st != CT_OK)
			break;
	}
	if (st == CT_OK)
		st = ct_lanes_kernel_end(x->lanes, x->launch + x->first, x->e);
	for (unsigned i = x->first; i < x->first + x->n && st == CT_OK; i++)
		ct_replay_counts_add(&x->total[i], &x->launch[i]);
	if (st == CT_OK && x->hooks.end)
		st = x->hooks.end(x->hooks.ctx, k, x->launch, x->e);
	ct_cta_unref(held);
	return st;
}

static int run_trace(struct pass *x)
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

int ct_replays_run(struct ct_tool *t, const struct ct_stage *s, const char *why,
                   const struct ct_replays_engine *engine, unsigned n, struct ct_replay_counts *total,
                   struct ct_error *e)
{
	return ct_replays_run_with(t, s, why, engine, n, &(struct ct_replays_hooks){0}, total, e);
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
	const double lines = (double)ct_gpu_llc_bytes(g) / g->llc.line;
	return g->sms * (per_sm + per_l1_line * ct_replays_l1_lines(g)) + per_llc_line * lines;
}

int ct_replays_fit(const struct ct_tool *t, const struct ct_gpu *g, double bytes, struct ct_error *e)
{
	static const double gib = 1 << 30;
	if (bytes <= fmax(gib, (double)t->max_memory))
		return CT_OK;
	return ct_fail(e, CT_ERR_LIMIT, "%" PRIu32 " SMs and their caches take some %.1f GiB to replay: "
	               "fewer or smaller ones, --scale, or --max-memory %.0fGiB", g->sms, bytes / gib,
	               ceil(bytes / gib));
}

/* How many of the n engines may be there together: what the limit has room for. */
static unsigned together(const struct ct_tool *t, const struct ct_replays_engine *engine, unsigned n)
{
	double bytes = 0;
	unsigned k = 0;
	for (; k < n; k++) {
		bytes += ct_replays_bytes(engine[k].gpu) + engine[k].part_bytes;
		if (bytes > (double)ct_tool_memory(t))
			break;
	}
	return k ? k : 1;
}

/* Makes the engines of this pass and the lanes that feed them. */
static int make_lanes(struct pass *x, const struct ct_replays_engine *spec, unsigned threads)
{
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
	free(engine);
	return st;
}

/* One pass for the engines from x->first on. */
static int run_some(struct ct_tool *t, const struct ct_stage *s, const char *why, struct pass *x,
                    const struct ct_replays_engine *engine)
{
	x->made = 0;
	int st = make_lanes(x, engine, t->threads);
	if (st == CT_OK)
		st = ct_stage_trace(t, s, why, &x->trace, x->e);
	if (st == CT_OK) {
		ct_progress_start(&x->progress, t);
		st = run_trace(x);
		ct_progress_end(&x->progress, ct_trace_path(x->trace), ct_trace_stats(x->trace)->warp_insts);
	}
	if (st == CT_OK)
		st = ct_stage_same_trace(s, x->trace, x->total[x->first].warp_insts, x->e);
	ct_lanes_free(x->lanes);
	ct_trace_close(x->trace);
	x->lanes = NULL;
	x->trace = NULL;
	for (unsigned i = 0; i < x->made && x->hooks.done; i++)
		x->hooks.done(x->hooks.ctx, x->first + i);
	return st;
}

int ct_replays_run_with(struct ct_tool *t, const struct ct_stage *s, const char *why,
                        const struct ct_replays_engine *engine, unsigned n,
                        const struct ct_replays_hooks *hooks, struct ct_replay_counts *total,
                        struct ct_error *e)
{
	struct pass x = {.total = total, .hooks = *hooks, .e = e};
	int st = CT_OK;
	memset(total, 0, n * sizeof *total);
	if (!(x.launch = ct_calloc(n, sizeof *x.launch)))
		return ct_fail_nomem(e);
	for (unsigned i = 0; i < n && st == CT_OK; i++)
		st = ct_replays_fit(t, engine[i].gpu, ct_replays_bytes(engine[i].gpu) + engine[i].part_bytes, e);
	for (x.first = 0; x.first < n && st == CT_OK; x.first += x.n) {
		x.n = together(t, engine + x.first, n - x.first);
		memset(x.launch, 0, n * sizeof *x.launch);
		st = run_some(t, s, why, &x, engine + x.first);
	}
	free(x.launch);
	return st;
}
