/* replays.c - --method replay: the organisations that can be parts, in the full engine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/common/records.h"
#include "models/malekeh/measure.h"
#include "models/malekeh/parts.h"
#include "models/malekeh/run.h"

/* The engines of one replay. */
struct engines {
	const struct ct_mechanism_run *run;
	const struct ct_mk_system *system[CT_MK_SYSTEMS];
	struct ct_replays_engine engine[CT_MK_SYSTEMS];
	struct ct_mk_parts *parts[CT_MK_SYSTEMS]; /* of engines that are there */
	struct ct_mk_counts counts[CT_MK_SYSTEMS];
	struct ct_replay_counts total[CT_MK_SYSTEMS];
	unsigned n, own; /* how many; which of them is OCU-own, or is the same */
};

/* The parts of an engine hold what is in the collectors of all its warps: as measured, a hundred MB of all
 * systems on an h100. So they come and go with it. */
static const double part_bytes_per_warp = 9500;

/* The GPU in force with the scheduler of the paper's baseline, whatever its own is. */
static const struct ct_gpu *baseline_gpu(const struct ct_mechanism_run *run)
{
	struct mk_run *own = mk_run_of(run);
	own->gto = *run->gpu;
	own->gto.scheduler = CT_SCHED_GTO;
	return &own->gto;
}

/* The GPU of a system's engine: OCU-own has the scheduler of the GPU in force, too. */
static const struct ct_gpu *engine_gpu(const struct ct_mechanism_run *run, const struct ct_mk_system *s)
{
	return s->own ? run->gpu : baseline_gpu(run);
}

static int new_parts(const struct ct_mechanism_run *run, const struct ct_mk_system *s,
                     struct ct_mk_parts **parts, struct ct_error *e)
{
	const struct mk_run *own = mk_run_of(run);
	return ct_mk_parts_new(parts, s, engine_gpu(run, s), &own->params, &own->masks, &own->table,
	                       run->settings->seed, e);
}

static int begin_kernel(void *ctx, const struct ct_kernel *k, struct ct_error *e)
{
	return ct_mk_measure_kernel(ctx, k, e);
}

/* Whether a pass has to come before the system: for reuse bits or plans that no pass has left. */
static int lacks_masks(const struct ct_mechanism_run *run, const struct ct_mk_system *s)
{
	const struct ct_mk_masks *m = &mk_run_of(run)->masks;
	return (ct_mk_needs_bits(s) && !m->n) || (ct_mk_needs_code(s) && !(m->n && m->plans));
}

/* Reuse bits and plans where no pass has left any, as with a profile from a file: one replay of the trace behind it, with
 * the collectors that need none measured beside it. */
static int profile_masks(const struct ct_mechanism_run *run, struct ct_error *e)
{
	struct mk_run *own = mk_run_of(run);
	struct ct_mk_measure *m = NULL;
	struct ct_replay_counts total;
	struct ct_mk_measure_options o = {
		.params = own->params,
		.systems = ct_mk_system_at(0),
		.n_systems = 1,
		.sthld = &own->table,
		.seed = run->settings->seed,
		.warmup = run->settings->warmup,
		.masks = &own->masks};
	ct_mk_masks_clear(&own->masks);
	own->masks.plans = 1;
	int st = ct_mk_measure_new(&m, run->gpu, &o, e);
	if (st == CT_OK) {
		struct ct_replay_observer ob = ct_mk_measure_observer(m);
		struct ct_replays_engine engine = {
			.gpu = run->gpu,
			.options = {.timing = CT_REPLAY_FULL,
		                    .observers = &ob,
		                    .n_observers = 1,
		                    .warmup = run->settings->warmup}};
		struct ct_replays_hooks hooks = {.ctx = m, .begin = begin_kernel};
		st = ct_replays_run(run->p, run->settings, "the reuse bits of Malekeh", &engine, 1,
		                    &hooks, &total, e);
	}
	if (st == CT_OK)
		st = ct_mk_measure_finish(m, e);
	if (st != CT_OK)
		ct_mk_masks_clear(&own->masks);
	ct_mk_measure_free(m);
	return st;
}

/* OCU-own is what OCU is on a GPU with two collectors and greedy-then-oldest schedulers. */
int mk_is_configured(const struct ct_mechanism_run *run, unsigned system)
{
	const struct ct_mk_system *s = ct_mk_system_at(system),
				  own = ct_mk_system_on(ct_mk_system_at(CT_MK_OWN), run->gpu);
	return system == 0 && run->gpu->scheduler == CT_SCHED_GTO && own.collectors == s->collectors &&
	       !own.memory;
}

/* Whether the engine can have the system with the parameters in force: true distances need whole warps, which it does not
 * see ahead. */
static int can_be_part(const struct ct_mechanism_run *run, const struct ct_mk_system *s)
{
	struct ct_mk_system sys;
	ct_mk_apply(&mk_run_of(run)->params, run->gpu, s, &sys);
	return ct_mk_parts_can(&sys);
}

/* Systems that decide by reuse bits or by plans need those of a pass. */
int mk_engine(const struct ct_mechanism_run *run, unsigned system, struct ct_replays_engine *engine,
              void **parts, struct ct_error *e)
{
	const struct ct_mk_system *s = ct_mk_system_at(system);
	struct ct_mk_parts *x = NULL;
	*parts = NULL;
	if (!s || !can_be_part(run, s))
		return ct_fail(e, CT_ERR_UNSUPPORTED, "%s cannot be replayed: it needs %s",
		               s ? s->name : "no system",
		               s && s->monolithic ? "one scheduler for the whole SM"
		                                  : "true distances (malekeh.oracle=1) of whole warps");
	int st = lacks_masks(run, s) ? profile_masks(run, e) : CT_OK;
	if (st == CT_OK)
		st = new_parts(run, s, &x, e);
	*engine = (struct ct_replays_engine){
		.gpu = engine_gpu(run, s),
		.options = {.timing = CT_REPLAY_FULL, .warmup = run->settings->warmup}};
	if (st == CT_OK)
		engine->options.parts = ct_mk_parts_table(x);
	*parts = x;
	return st;
}

void mk_engine_free(void *parts)
{
	ct_mk_parts_free(parts);
}

/* Whether the run asks for the system at all. */
static int is_requested(const struct ct_mechanism_run *run, const struct ct_mk_system *s)
{
	const struct mk_request *q = &mk_run_of(run)->request;
	for (size_t i = 0; i < q->n; i++)
		if (strcmp(q->system[i].name, s->name) == 0)
			return 1;
	return 0;
}

/* OCU, which the others are held against, comes first and is always among them. */
static void choose_engines(struct engines *x)
{
	for (size_t i = 0; i < CT_MK_SYSTEMS; i++) {
		const struct ct_mk_system *s = ct_mk_system_at(i);
		const struct ct_gpu *g = engine_gpu(x->run, s);
		const double warps = (double)g->sms * ct_gpu_max_warps(g);
		if (!can_be_part(x->run, s) || !is_requested(x->run, s) ||
		    (s->own && mk_is_configured(x->run, 0)))
			continue;
		if (s->own)
			x->own = x->n;
		x->engine[x->n] = (struct ct_replays_engine){
			.gpu = g,
			.options = {.timing = CT_REPLAY_FULL, .warmup = x->run->settings->warmup},
			.part_bytes = part_bytes_per_warp * warps};
		x->system[x->n++] = s;
	}
}

static int make_engine(void *ctx, unsigned i, struct ct_error *e)
{
	struct engines *x = ctx;
	int st = new_parts(x->run, x->system[i], &x->parts[i], e);
	if (st == CT_OK)
		x->engine[i].options.parts = ct_mk_parts_table(x->parts[i]);
	return st;
}

static void end_engine(void *ctx, unsigned i)
{
	struct engines *x = ctx;
	ct_mk_parts_counts(x->parts[i], &x->counts[i]);
	ct_mk_parts_free(x->parts[i]);
}

static double ratio_of(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : NAN;
}

/* Replayed numbers of a system, which engine i has replayed, take the place of those of the sub-core model. */
static int write_row(const struct ct_mechanism_run *run, const struct engines *x, unsigned i,
                     const struct ct_mk_system *s, struct ct_error *e)
{
	struct mk_run *own = mk_run_of(run);
	const struct ct_gpu *g = run->gpu;
	const struct ct_mk_counts c = x->counts[i], base = x->counts[0];
	struct ct_mk_machine m;
	uint32_t warps = (ct_gpu_max_warps(g) + g->schedulers - 1) / g->schedulers;
	uint64_t cycles = x->total[i].cycles - x->total[i].launch_cycles;
	const struct ct_replay_counts *configured = &x->total[x->own];
	const double hit = ratio_of(c.hits, c.slots);
	const double speedup = ratio_of(x->total[0].cycles - x->total[0].launch_cycles, cycles);
	struct ct_records w = {
		.p = run->p, .e = e, .mechanism = MK_MECHANISM, .system = s->name, .method = "replay"};
	ct_mk_machine_of(g, &m);
	own->engine[own->engines++] = (struct mk_engine_row){
		.system = s->name, .cycles = (double)x->total[i].cycles, .hit = hit, .speedup = speedup};
	double pj = ct_mk_energy_pj(&c, s, &m, warps, &own->params);
	ct_records_value(&w, "cycles", (double)x->total[i].cycles);
	ct_records_value(&w, "ipc", ratio_of(x->total[i].thread_insts, x->total[i].cycles));
	ct_records_value(&w, "speedup", speedup);
	ct_records_value(&w, "speedup_configured",
	                 ratio_of(configured->cycles - configured->launch_cycles, cycles));
	ct_records_value(&w, "rf_hit_ratio", hit);
	ct_records_value(&w, "rf_hit_ratio_distinct", ratio_of(c.hits - c.repeats, c.slots - c.repeats));
	ct_records_value(&w, "rf_bank_reads_ratio", ratio_of(c.bank_reads, base.bank_reads));
	ct_records_value(&w, "rf_energy_ratio",
	                 pj / ct_mk_energy_pj(&base, x->system[0], &m, warps, &own->params));
	ct_records_value(&w, "energy_j", pj * 1e-12);
	ct_records_value(&w, "rf_cache_writes_ratio", ratio_of(c.cache_writes, c.results));
	ct_records_value(&w, "l1_miss_rate", ratio_of(x->total[i].l1_misses, x->total[i].l1_accesses));
	ct_records_value(&w, "near_lost", ratio_of(c.lost, c.results));
	ct_records_value(&w, "stale_dropped", ratio_of(c.stale, c.results));
	return w.status;
}

/* Keeps what the sub-core model said, to be shown beside the engine's numbers. */
static void remember_model(const struct ct_mechanism_run *run)
{
	struct mk_run *own = mk_run_of(run);
	for (size_t i = 0; i < CT_MK_SYSTEMS; i++) {
		struct ct_estimate es;
		struct mk_engine_row *r = &own->model[i];
		*r = (struct mk_engine_row){ct_mk_system_at(i)->name, NAN, NAN, NAN};
		if (ct_profile_get_estimate(run->p, "all", MK_MECHANISM, r->system, "speedup", "replay",
		                            &es))
			r->speedup = es.value;
		if (ct_profile_get_estimate(run->p, "all", MK_MECHANISM, r->system, "rf_hit_ratio",
		                            "replay", &es))
			r->hit = es.value;
	}
}

/* What is wanted under --check is the measurement of the pass beside the bounds: only method replay runs the
 * engine. */
int mk_replay(struct ct_mechanism_run *run, const char *why, struct ct_error *e)
{
	if (run->method != CT_BY_REPLAY)
		return CT_OK;
	struct engines *x = ct_calloc(1, sizeof *x);
	if (!x)
		return ct_fail_nomem(e);
	x->run = run;
	choose_engines(x);
	struct ct_replays_hooks hooks = {.ctx = x, .make = make_engine, .done = end_engine};
	/* The pass that made the profile may have been another run's, as at the points of a sweep. */
	int lacks = 0, st = CT_OK;
	for (unsigned i = 0; i < x->n; i++)
		lacks |= lacks_masks(run, x->system[i]);
	if (lacks)
		st = profile_masks(run, e);
	if (st == CT_OK)
		st = ct_replays_run(run->p, run->settings, why, x->engine, x->n, &hooks, x->total, e);
	remember_model(run);
	mk_run_of(run)->engines = 0;
	for (unsigned i = 0; i < x->n && st == CT_OK; i++)
		st = write_row(run, x, i, x->system[i], e);
	if (st == CT_OK && !x->own)
		st = write_row(run, x, 0, ct_mk_system_at(CT_MK_OWN), e);
	free(x);
	return st;
}
