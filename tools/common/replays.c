#include "common/replays.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/lanes.h"
#include "common/progress.h"

struct pass {
	struct ct_lanes *lanes;
	struct ct_trace *trace;
	struct ct_progress progress;
	struct ct_replay_counts *launch, *total; /* one for each engine */
	unsigned n;
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
		st = ct_lanes_kernel_end(x->lanes, x->launch, x->e);
	for (unsigned i = 0; i < x->n && st == CT_OK; i++)
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
                   struct ct_replay *const *engine, unsigned n, struct ct_replay_counts *total,
                   struct ct_error *e)
{
	return ct_replays_run_with(t, s, why, engine, n, &(struct ct_replays_hooks){0}, total, e);
}

int ct_replays_run_with(struct ct_tool *t, const struct ct_stage *s, const char *why,
                        struct ct_replay *const *engine, unsigned n,
                        const struct ct_replays_hooks *hooks, struct ct_replay_counts *total,
                        struct ct_error *e)
{
	struct pass x = {.total = total, .n = n, .hooks = *hooks, .e = e};
	int st = ct_lanes_new(&x.lanes, engine, n, t->threads, e);
	if (st != CT_OK)
		return st;
	memset(total, 0, n * sizeof *total);
	x.launch = ct_calloc(n, sizeof *x.launch);
	st = x.launch ? ct_stage_trace(t, s, why, &x.trace, e) : ct_fail_nomem(e);
	if (st == CT_OK) {
		ct_progress_start(&x.progress, t);
		st = run_trace(&x);
		ct_progress_end(&x.progress, ct_trace_path(x.trace), ct_trace_stats(x.trace)->warp_insts);
	}
	if (st == CT_OK)
		st = ct_stage_same_trace(s, x.trace, total[0].warp_insts, e);
	ct_lanes_free(x.lanes);
	ct_trace_close(x.trace);
	free(x.launch);
	return st;
}
