#include "tsc-est/again.h"

#include <math.h>
#include <string.h>

#include "common/lanes.h"
#include "common/progress.h"
#include "models/tag_split/parts.h"

/* A pass of one engine with a measurement, or of one engine per system. */
struct again {
	struct ct_tool *tool;
	struct ct_stage *s;
	struct ct_ts_measure *measure;
	struct ct_ts_parts *parts[CT_TS_SYSTEMS];
	struct ct_lanes *lanes;
	struct ct_replay_counts total[CT_TS_SYSTEMS];
	unsigned n;
	struct ct_progress progress;
	struct ct_error *e;
};

static int end_kernel(struct again *a)
{
	struct ct_replay_counts c[CT_TS_SYSTEMS];
	int st = ct_lanes_kernel_end(a->lanes, c, a->e);
	for (unsigned i = 0; i < a->n && st == CT_OK; i++)
		ct_replay_counts_add(&a->total[i], &c[i]);
	return st;
}

static int run_kernel(struct again *a, struct ct_trace *trace, const struct ct_kernel *k)
{
	struct ct_cta *cta, *held = NULL;
	int st = a->measure ? ct_ts_measure_kernel(a->measure, k, a->e) : CT_OK;
	if (st == CT_OK)
		st = ct_lanes_kernel_begin(a->lanes, k, a->e);
	if (st != CT_OK)
		return st;
	while ((st = ct_trace_next_cta(trace, &cta, a->e)) > 0) {
		st = ct_lanes_push_cta(a->lanes, cta, a->e);
		ct_progress_tick(&a->progress, ct_trace_path(trace), ct_trace_stats(trace)->warp_insts);
		/* The first CTA keeps the kernel alive until the launch is over. */
		if (held)
			ct_cta_unref(cta);
		else
			held = cta;
		if (st != CT_OK)
			break;
	}
	if (st == CT_OK)
		st = end_kernel(a);
	ct_cta_unref(held);
	return st;
}

static int run_events(struct again *a, struct ct_trace *trace)
{
	struct ct_event ev;
	int st;
	while ((st = ct_trace_next(trace, &ev, a->e)) > 0) {
		if (ev.kind == CT_EVENT_MEMCPY) {
			ct_lanes_memcpy(a->lanes, ev.address, ev.bytes);
			continue;
		}
		st = run_kernel(a, trace, ev.kernel);
		if (st != CT_OK)
			return st;
	}
	return st;
}

static int run_trace(struct again *a, const char *why)
{
	struct ct_trace *trace = NULL;
	int st = ct_stage_trace(a->tool, a->s, why, &trace, a->e);
	if (st == CT_OK) {
		ct_progress_start(&a->progress, a->tool);
		st = run_events(a, trace);
		ct_progress_end(&a->progress, ct_trace_path(trace), ct_trace_stats(trace)->warp_insts);
	}
	if (st == CT_OK)
		st = ct_stage_same_trace(a->s, trace, a->total[0].warp_insts, a->e);
	ct_trace_close(trace);
	return st;
}

int tsc_measure(struct ct_tool *t, struct ct_stage *s, const char *why,
                const struct ct_ts_params *params, const struct ct_ts_system *systems, unsigned n,
                struct ct_profile *into, struct ct_error *e)
{
	struct again a = {.tool = t, .s = s, .n = 1, .e = e};
	struct ct_ts_measure_options o = {.params = *params, .sample = t->sample, .seed = t->seed,
	                                  .warmup = t->warmup, .systems = systems, .n_systems = n};
	struct ct_replay *engine = NULL;
	int st = ct_ts_measure_new(&a.measure, &s->gpu, &o, e);
	if (st == CT_OK) {
		struct ct_replay_observer ob = ct_ts_measure_observer(a.measure);
		struct ct_replay_options ro = {.timing = CT_REPLAY_FULL, .observers = &ob,
		                               .n_observers = 1, .warmup = t->warmup};
		st = ct_replay_new(&engine, &s->gpu, &ro, e);
	}
	if (st == CT_OK)
		st = ct_lanes_new(&a.lanes, &engine, 1, 1, e);
	if (st == CT_OK)
		st = run_trace(&a, why);
	if (st == CT_OK)
		st = ct_ts_measure_write(a.measure, into, a.total[0].thread_insts, e);
	ct_lanes_free(a.lanes);
	ct_ts_measure_free(a.measure);
	return st;
}

static int start_systems(struct again *a, const struct ct_ts_params *params)
{
	struct ct_replay *engine[CT_TS_SYSTEMS];
	unsigned n = 0;
	int st = CT_OK;
	while (n < CT_TS_SYSTEMS && st == CT_OK) {
		st = ct_ts_parts_new(&a->parts[n], &a->s->gpu, ct_ts_system_at(n), params, a->tool->seed, a->e);
		if (st != CT_OK)
			break;
		struct ct_replay_options o = {.timing = CT_REPLAY_FULL, .warmup = a->tool->warmup,
		                              .parts = ct_ts_parts_plugs(a->parts[n])};
		st = ct_replay_new(&engine[n], &a->s->gpu, &o, a->e);
		n += st == CT_OK;
	}
	if (st == CT_OK)
		return ct_lanes_new(&a->lanes, engine, a->n = n, a->tool->threads, a->e);
	while (n > 0)
		ct_replay_free(engine[--n]);
	return st;
}

static int put(struct again *a, unsigned i, const char *metric, double v)
{
	struct ct_estimate es = {.scope = "all", .mechanism = "tag-split",
	                         .system = ct_ts_system_at(i)->name, .metric = metric,
	                         .method = "replay", .value = v, .low = NAN, .high = NAN};
	return ct_profile_add_estimate(a->s->p, &es, a->e);
}

static double own_cycles(const struct ct_replay_counts *c)
{
	return (double)(c->cycles - c->launch_cycles);
}

static int write_systems(struct again *a)
{
	const struct ct_replay_counts *base = &a->total[0], *own = &a->total[CT_TS_SYSTEMS - 1];
	int st = CT_OK;
	for (unsigned i = 0; i < a->n && st == CT_OK; i++) {
		const struct ct_replay_counts *c = &a->total[i];
		st = put(a, i, "cycles", (double)c->cycles);
		if (st == CT_OK)
			st = put(a, i, "ipc", (double)c->thread_insts / (double)c->cycles);
		if (st == CT_OK)
			st = put(a, i, "speedup", own_cycles(base) / own_cycles(c));
		if (st == CT_OK)
			st = put(a, i, "speedup_configured", own_cycles(own) / own_cycles(c));
	}
	return st;
}

int tsc_replay(struct ct_tool *t, struct ct_stage *s, const char *why,
               const struct ct_ts_params *params, struct ct_error *e)
{
	struct again *a = &(struct again){.tool = t, .s = s, .e = e};
	int st = start_systems(a, params);
	if (st == CT_OK)
		st = run_trace(a, why);
	if (st == CT_OK)
		st = write_systems(a);
	ct_lanes_free(a->lanes);
	for (unsigned i = 0; i < CT_TS_SYSTEMS; i++)
		ct_ts_parts_free(a->parts[i]);
	return st;
}
