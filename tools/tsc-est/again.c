#include "tsc-est/again.h"

#include <math.h>

#include "models/tag_split/parts.h"
#include "pass/replays.h"

static int on_kernel(void *ctx, const struct ct_kernel *k, struct ct_error *e)
{
	return ct_ts_measure_kernel(ctx, k, e);
}

int tsc_measure(struct ct_tool *t, struct ct_stage *s, const char *why,
                const struct ct_ts_params *params, const struct ct_ts_system *systems, unsigned n,
                struct ct_profile *into, struct ct_error *e)
{
	struct ct_ts_measure_options o = {.params = *params, .sample = t->sample, .seed = t->seed,
	                                  .warmup = t->warmup, .systems = systems, .n_systems = n};
	struct ct_ts_measure *m = NULL;
	struct ct_replay_counts total;
	int st = ct_ts_measure_new(&m, &s->gpu, &o, e);
	if (st == CT_OK) {
		struct ct_replay_observer ob = ct_ts_measure_observer(m);
		struct ct_replay_options ro = {.timing = CT_REPLAY_FULL, .observers = &ob,
		                               .n_observers = 1, .warmup = t->warmup};
		struct ct_pass_settings settings;
		ct_tool_pass_settings(t, &settings);
		st = ct_replays_run(s->p, &settings, why, &(struct ct_replays_engine){.gpu = &s->gpu, .options = ro}, 1,
		                    &(struct ct_replays_hooks){.ctx = m, .begin = on_kernel}, &total, e);
	}
	if (st == CT_OK)
		st = ct_ts_measure_write(m, into, total.thread_insts, e);
	ct_ts_measure_free(m);
	return st;
}

static int start_systems(struct ct_tool *t, const struct ct_stage *s,
                         const struct ct_ts_params *params, struct ct_ts_parts **parts,
                         struct ct_replays_engine *engine, struct ct_error *e)
{
	int st = CT_OK;
	for (unsigned n = 0; n < CT_TS_SYSTEMS && st == CT_OK; n++) {
		st = ct_ts_parts_new(&parts[n], &s->gpu, ct_ts_system_at(n), params, t->seed, e);
		if (st == CT_OK)
			engine[n] = (struct ct_replays_engine){
				.gpu = &s->gpu, .options = {.timing = CT_REPLAY_FULL, .warmup = t->warmup,
				                            .parts = ct_ts_parts_plugs(parts[n])}};
	}
	return st;
}

static int put(struct ct_profile *p, unsigned i, const char *metric, double v, struct ct_error *e)
{
	struct ct_estimate es = {.scope = "all", .mechanism = "tag-split",
	                         .system = ct_ts_system_at(i)->name, .metric = metric,
	                         .method = "replay", .value = v, .low = NAN, .high = NAN};
	return ct_profile_add_estimate(p, &es, e);
}

static double own_cycles(const struct ct_replay_counts *c)
{
	return (double)(c->cycles - c->launch_cycles);
}

static int write_systems(struct ct_profile *p, const struct ct_replay_counts *total,
                         struct ct_error *e)
{
	const struct ct_replay_counts *base = &total[0], *own = &total[CT_TS_SYSTEMS - 1];
	int st = CT_OK;
	for (unsigned i = 0; i < CT_TS_SYSTEMS && st == CT_OK; i++) {
		const struct ct_replay_counts *c = &total[i];
		st = put(p, i, "cycles", (double)c->cycles, e);
		if (st == CT_OK)
			st = put(p, i, "ipc", (double)c->thread_insts / (double)c->cycles, e);
		if (st == CT_OK)
			st = put(p, i, "speedup", own_cycles(base) / own_cycles(c), e);
		if (st == CT_OK)
			st = put(p, i, "speedup_configured", own_cycles(own) / own_cycles(c), e);
		if (st == CT_OK)
			st = put(p, i, "llc_mpki", 1000 * (double)c->llc_misses / (double)c->thread_insts, e);
	}
	return st;
}

int tsc_replay(struct ct_tool *t, struct ct_stage *s, const char *why,
               const struct ct_ts_params *params, struct ct_error *e)
{
	struct ct_ts_parts *parts[CT_TS_SYSTEMS] = {NULL};
	struct ct_replays_engine engine[CT_TS_SYSTEMS];
	struct ct_replay_counts total[CT_TS_SYSTEMS];
	struct ct_pass_settings settings;
	int st = start_systems(t, s, params, parts, engine, e);
	ct_tool_pass_settings(t, &settings);
	if (st == CT_OK)
		st = ct_replays_run(s->p, &settings, why, engine, CT_TS_SYSTEMS, NULL, total, e);
	if (st == CT_OK)
		st = write_systems(s->p, total, e);
	for (unsigned i = 0; i < CT_TS_SYSTEMS; i++)
		ct_ts_parts_free(parts[i]);
	return st;
}
