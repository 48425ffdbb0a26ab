/* --method replay: the organisations that can be parts, in the full engine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/malekeh/parts.h"
#include "pass/replays.h"
#include "own.h"

struct engines {
	const struct ct_tool *tool;
	const struct ct_mk_params *params;
	struct ct_mk_sthld_table table;
	struct ct_gpu gto; /* with the paper's baseline scheduler, whatever the GPU's is */
	const struct ct_mk_system *system[CT_MK_SYSTEMS];
	struct ct_replays_engine engine[CT_MK_SYSTEMS];
	struct ct_mk_parts *parts[CT_MK_SYSTEMS]; /* of engines that are there */
	struct ct_mk_counts counts[CT_MK_SYSTEMS];
	struct ct_replay_counts total[CT_MK_SYSTEMS];
	unsigned n;
};

/* The parts of an engine hold what is in the collectors of all its warps: as measured, a hundred MB of all
 * systems on an h100. So they come and go with it. */
static const double part_bytes_per_warp = 9500;

static void choose(struct engines *x)
{
	const double warps = (double)x->gto.sms * ct_gpu_max_warps(&x->gto);
	for (size_t i = 0; i < CT_MK_SYSTEMS; i++) {
		if (!ct_mk_parts_can(ct_mk_system_at(i)))
			continue;
		x->engine[x->n] = (struct ct_replays_engine){
			.gpu = &x->gto, .options = {.timing = CT_REPLAY_FULL, .warmup = x->tool->warmup},
			.part_bytes = part_bytes_per_warp * warps};
		x->system[x->n++] = ct_mk_system_at(i);
	}
}

static int make(void *ctx, unsigned i, struct ct_error *e)
{
	struct engines *x = ctx;
	const struct own *o = x->tool->own;
	int st = ct_mk_parts_new(&x->parts[i], x->system[i], &x->gto, &o->masks, &x->table,
	                         (uint32_t)x->params->v[CT_MK_P_INTERVAL], x->tool->seed, e);
	if (st == CT_OK)
		x->engine[i].options.parts = ct_mk_parts_table(x->parts[i]);
	return st;
}

static void done(void *ctx, unsigned i)
{
	struct engines *x = ctx;
	ct_mk_parts_counts(x->parts[i], &x->counts[i]);
	ct_mk_parts_free(x->parts[i]);
}

static double of(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : NAN;
}

/* Replayed numbers take the place of those of the sub-core model. */
static int put(struct ct_profile *p, const char *system, const char *metric, double v,
               struct ct_error *e)
{
	struct ct_estimate es = {.scope = "all", .mechanism = "malekeh", .system = system,
	                         .metric = metric, .method = "replay", .value = v, .low = NAN,
	                         .high = NAN};
	return ct_profile_add_estimate(p, &es, e);
}

static int write_row(struct own *o, const struct engines *x, unsigned i, double configured,
                     const struct ct_mk_params *params, struct ct_error *e)
{
	struct ct_profile *p = o->stage.p;
	const struct ct_gpu *g = &o->stage.gpu;
	const struct ct_mk_counts c = x->counts[i], base = x->counts[0];
	struct ct_mk_machine m;
	uint32_t warps = (ct_gpu_max_warps(g) + g->schedulers - 1) / g->schedulers;
	const char *s = x->system[i]->name;
	uint64_t cycles = x->total[i].cycles - x->total[i].launch_cycles;
	ct_mk_machine_of(g, &m);
	o->engine[i] = (struct mk_engine_row){
		.system = s, .cycles = (double)x->total[i].cycles, .hit = of(c.hits, c.slots),
		.speedup = of(x->total[0].cycles - x->total[0].launch_cycles, cycles)};
	double pj = ct_mk_energy_pj(&c, x->system[i], &m, warps, params);
	const struct { const char *metric; double v; } rows[] = {
		{"cycles", (double)x->total[i].cycles},
		{"ipc", of(x->total[i].thread_insts, x->total[i].cycles)},
		{"speedup", o->engine[i].speedup},
		{"speedup_configured", configured / (double)cycles},
		{"rf_hit_ratio", o->engine[i].hit},
		{"rf_hit_ratio_distinct", of(c.hits - c.repeats, c.slots - c.repeats)},
		{"rf_bank_reads_ratio", of(c.bank_reads, base.bank_reads)},
		{"rf_energy_ratio", pj / ct_mk_energy_pj(&base, x->system[0], &m, warps, params)},
		{"energy_j", pj * 1e-12},
		{"rf_cache_writes_ratio", of(c.cache_writes, c.results)},
		{"l1_miss_rate", of(x->total[i].l1_misses, x->total[i].l1_accesses)},
		{"near_lost", of(c.lost, c.results)},
		{"stale_dropped", of(c.stale, c.results)},
	};
	int st = CT_OK;
	for (size_t k = 0; k < sizeof rows / sizeof rows[0] && st == CT_OK; k++)
		st = put(p, s, rows[k].metric, rows[k].v, e);
	return st;
}

/* What the sub-core model said, for --check. */
static void remember(struct own *o)
{
	for (size_t i = 0; i < CT_MK_SYSTEMS; i++) {
		struct ct_estimate es;
		struct mk_engine_row *r = &o->model[i];
		*r = (struct mk_engine_row){ct_mk_system_at(i)->name, NAN, NAN, NAN};
		if (ct_profile_get_estimate(o->stage.p, "all", "malekeh", r->system, "speedup", "replay", &es))
			r->speedup = es.value;
		if (ct_profile_get_estimate(o->stage.p, "all", "malekeh", r->system, "rf_hit_ratio", "replay",
		                            &es))
			r->hit = es.value;
	}
}

int mk_engine(struct ct_tool *t, const struct ct_mk_params *params, struct ct_error *e)
{
	struct own *o = t->own;
	struct engines *x = ct_calloc(1, sizeof *x);
	double cycles = 0, launch = 0;
	if (!x)
		return ct_fail_nomem(e);
	x->tool = t;
	x->params = params;
	x->gto = o->stage.gpu;
	x->gto.scheduler = CT_SCHED_GTO;
	int st = ct_malekeh_table(t, &x->table, e);
	if (st == CT_OK) {
		struct ct_pass_settings settings;
		choose(x);
		ct_tool_pass_settings(t, &settings);
		st = ct_replays_run(o->stage.p, &settings, "--method replay", x->engine, x->n,
		                    &(struct ct_replays_hooks){.ctx = x, .make = make, .done = done}, x->total, e);
	}
	remember(o);
	ct_profile_get(o->stage.p, "all", "cycles", &cycles);
	ct_profile_get(o->stage.p, "all", "launch_cycles", &launch);
	for (unsigned i = 0; i < x->n && st == CT_OK; i++)
		st = write_row(o, x, i, cycles - launch, params, e);
	o->engines = x->n;
	free(x);
	return st;
}
