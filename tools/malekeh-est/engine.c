/* --method replay: the organisations that can be parts, in the full engine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/replays.h"
#include "models/malekeh/parts.h"
#include "own.h"

struct engines {
	struct ct_mk_parts *parts[CT_MK_SYSTEMS];
	const struct ct_mk_system *system[CT_MK_SYSTEMS];
	struct ct_replay *engine[CT_MK_SYSTEMS];
	struct ct_replay_counts total[CT_MK_SYSTEMS];
	unsigned n;
};

static int add(struct engines *x, const struct ct_mk_system *s, const struct ct_gpu *g,
               const struct ct_mk_sthld_table *table, const struct ct_mk_params *p,
               const struct own *o, const struct ct_tool *t, struct ct_error *e)
{
	struct ct_replay_options ro = {.timing = CT_REPLAY_FULL, .warmup = t->warmup};
	struct ct_gpu gto = *g; /* the paper's baseline scheduler, whatever the GPU's is */
	gto.scheduler = CT_SCHED_GTO;
	int st = ct_mk_parts_new(&x->parts[x->n], s, &gto, &o->masks, table,
	                         (uint32_t)p->v[CT_MK_P_INTERVAL], t->seed, e);
	if (st != CT_OK)
		return st;
	ro.parts = ct_mk_parts_table(x->parts[x->n]);
	x->system[x->n] = s;
	st = ct_replay_new(&x->engine[x->n], &gto, &ro, e);
	if (st != CT_OK) {
		ct_mk_parts_free(x->parts[x->n]);
		return st;
	}
	x->n++;
	return CT_OK;
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
	struct ct_mk_counts c, base;
	struct ct_mk_machine m;
	uint32_t warps = (ct_gpu_max_warps(g) + g->schedulers - 1) / g->schedulers;
	const char *s = x->system[i]->name;
	uint64_t cycles = x->total[i].cycles - x->total[i].launch_cycles;
	ct_mk_parts_counts(x->parts[i], &c);
	ct_mk_parts_counts(x->parts[0], &base);
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
	struct ct_mk_sthld_table table;
	double cycles = 0, launch = 0;
	if (!x)
		return ct_fail_nomem(e);
	int st = ct_malekeh_table(t, &table, e);
	for (size_t i = 0; i < CT_MK_SYSTEMS && st == CT_OK; i++)
		if (ct_mk_parts_can(ct_mk_system_at(i)))
			st = add(x, ct_mk_system_at(i), &o->stage.gpu, &table, params, o, t, e);
	if (st == CT_OK) {
		st = ct_replays_run(t, &o->stage, "--method replay", x->engine, x->n, x->total, e);
	} else {
		for (unsigned i = 0; i < x->n; i++)
			ct_replay_free(x->engine[i]);
	}
	remember(o);
	ct_profile_get(o->stage.p, "all", "cycles", &cycles);
	ct_profile_get(o->stage.p, "all", "launch_cycles", &launch);
	for (unsigned i = 0; i < x->n && st == CT_OK; i++)
		st = write_row(o, x, i, cycles - launch, params, e);
	o->engines = x->n;
	for (unsigned i = 0; i < x->n; i++)
		ct_mk_parts_free(x->parts[i]);
	free(x);
	return st;
}
