/* replays.c - what needs the trace: measuring with other parameters, and replaying each system. */
#include "gpu/occupancy.h"
#include "models/bypass/parts.h"
#include "models/bypass/run.h"
#include "models/common/records.h"

struct again {
	struct ct_bp_measure *m;
	const struct ct_gpu *g;
};

static int begin_kernel(void *ctx, const struct ct_kernel *k, struct ct_error *e)
{
	struct again *a = ctx;
	struct ct_occupancy occ;
	int st = ct_occupancy(a->g, k, &occ, e);
	if (st == CT_OK)
		ct_bp_measure_kernel(a->m, k, occ.l1_sets, occ.l1_ways);
	return st;
}

int bp_measure_again(const struct ct_mechanism_run *run, const char *why, struct ct_error *e)
{
	const struct ct_pass_settings *s = run->settings;
	struct again a = {.g = run->gpu};
	struct ct_replay_counts total;
	int st = ct_bp_measure_new(&a.m, run->gpu, &bp_run_of(run)->params, s->warmup > 0, e);
	if (st == CT_OK) {
		struct ct_replay_observer ob = ct_bp_measure_observer(a.m);
		struct ct_replays_engine engine = {
			.gpu = run->gpu,
			.options = {.timing = CT_REPLAY_FULL,
		                    .observers = &ob,
		                    .n_observers = 1,
		                    .warmup = s->warmup}};
		struct ct_replays_hooks hooks = {.ctx = &a, .begin = begin_kernel};
		st = ct_replays_run(run->p, s, why, &engine, 1, &hooks, &total, e);
	}
	if (st == CT_OK)
		st = ct_bp_measure_write(a.m, run->p, e);
	ct_bp_measure_free(a.m);
	return st;
}

static int make_engine(const struct ct_gpu *g, enum ct_bp_system system,
                       const struct ct_bp_params *params, struct ct_replays_engine *engine, void **parts,
                       struct ct_error *e)
{
	struct ct_bp_parts *x = NULL;
	int st = ct_bp_parts_new(&x, g, system, params, e);
	*parts = x;
	*engine = (struct ct_replays_engine){
		.gpu = g,
		.options = {.timing = CT_REPLAY_FULL,
	                    .ideal = system == CT_BP_IDEAL ? CT_REPLAY_IDEAL_L1 : 0u,
	                    .parts = ct_bp_parts_plugs(x)}};
	return st;
}

int bp_engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
              void **parts, struct ct_error *e)
{
	int st = make_engine(run->gpu, (enum ct_bp_system)system, &bp_run_of(run)->params, engine, parts,
	                     e);
	engine->options.warmup = run->settings->warmup;
	return st;
}

/* The system, and a predictor that changes its mind after a few lines. */
int bp_any_engine(const struct ct_gpu *g, const uint8_t bytes[CT_ANY_ENGINE_BYTES],
                  struct ct_replays_engine *engine, void **parts, struct ct_error *e)
{
	struct ct_bp_params params;
	ct_constants_defaults(&ct_bp_constants, params.v);
	params.v[CT_BP_ENTRIES] = 1u << bytes[1] % 8;
	params.v[CT_BP_COUNTER_BITS] = 1 + bytes[2] % 4;
	params.v[CT_BP_THRESHOLD] = 1 + bytes[2] / 4 % 8;
	params.v[CT_BP_SAMPLE_EVERY] = bytes[3] % 8;
	return make_engine(g, bytes[0] & 1 ? CT_BP_BYPASS : CT_BP_PERFECT, &params, engine, parts, e);
}

void bp_engine_free(void *parts)
{
	ct_bp_parts_free(parts);
}

static double own_cycles(const struct ct_replay_counts *c)
{
	return (double)(c->cycles - c->launch_cycles);
}

/* Writes what each system's replay counted; the first one is the baseline of all. */
static int write_systems(struct ct_profile *p, const struct ct_replay_counts *total, struct ct_error *e)
{
	struct ct_records w = {.p = p, .e = e, .mechanism = BP_MECHANISM, .method = "replay"};
	for (int i = 0; i < CT_BP_SYSTEMS; i++) {
		const struct ct_replay_counts *c = &total[i];
		double speedup = own_cycles(&total[CT_BP_BL]) / own_cycles(c);
		w.system = ct_bp_system_name((enum ct_bp_system)i);
		ct_records_value(&w, "cycles", (double)c->cycles);
		ct_records_value(&w, "ipc", (double)c->thread_insts / (double)c->cycles);
		ct_records_value(&w, "speedup", speedup);
		ct_records_value(&w, "speedup_configured", speedup);
		ct_records_value(&w, "llc_mpki", 1000 * (double)c->llc_misses / (double)c->thread_insts);
		ct_records_value(&w, "l1_miss_rate", (double)c->l1_misses / (double)c->l1_accesses);
		ct_records_value(&w, "l1_mpki", 1000 * (double)c->l1_misses / (double)c->thread_insts);
	}
	return w.status;
}

/* One engine for each system, all fed by one pass over the trace. */
int bp_replay(struct ct_mechanism_run *run, const char *why, struct ct_error *e)
{
	void *parts[CT_BP_SYSTEMS] = {NULL};
	struct ct_replays_engine engine[CT_BP_SYSTEMS];
	struct ct_replay_counts total[CT_BP_SYSTEMS];
	int st = CT_OK;
	for (unsigned i = 0; i < CT_BP_SYSTEMS && st == CT_OK; i++)
		st = bp_engine(run, i, &engine[i], &parts[i], e);
	if (st == CT_OK)
		st = ct_replays_run(run->p, run->settings, why, engine, CT_BP_SYSTEMS, NULL, total, e);
	if (st == CT_OK)
		st = write_systems(run->p, total, e);
	for (unsigned i = 0; i < CT_BP_SYSTEMS; i++)
		bp_engine_free(parts[i]);
	return st;
}
