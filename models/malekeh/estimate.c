#include "models/malekeh/estimate.h"

#include <math.h>
#include <string.h>

#include "models/common/records.h"

static const char MECHANISM[] = "malekeh";
static const char SCOPE[] = "all";

static double ratio_of(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : NAN;
}

/* What speed-ups of the model were off replays of the same systems in the full engine, nine in ten of 372 (cachetriage-malekeh.7):
 * of the logarithm, by the share of the baseline's slots in which a warp is ready and none issues. There loads fill the
 * load/store unit, and the order in which they come decides, which the recording does not tell. */
static double error_of(const struct ct_mk_counts *base)
{
	static const struct {
		double stalls, error;
	} row[] = {{0.01, 0.025}, {0.05, 0.04}, {0.2, 0.07}, {0.8, 0.085}, {INFINITY, 0.24}};
	const double stalls = ratio_of(base->stalled, base->issued + base->stalled + base->idle);
	size_t i = 0;
	while (stalls > row[i].stalls)
		i++;
	return row[i].error;
}

/* A speed-up with the range that nine in ten are in. What counts the same is the same system. */
static struct ct_mechanism_number
speedup_over(const struct ct_mk_counts *base, const struct ct_mk_counts *c)
{
	const double value = ratio_of(base->cycles, c->cycles);
	const double error = memcmp(base, c, sizeof *c) == 0 ? 0 : error_of(base);
	return (struct ct_mechanism_number){value, value * exp(-error), value * exp(error)};
}

static size_t index_of(const struct ct_mk_measure *m, const char *name)
{
	for (size_t i = 0; i < ct_mk_measure_systems(m); i++)
		if (!strcmp(ct_mk_measure_system(m, i)->name, name))
			return i;
	return 0;
}

static uint32_t warps_per_core(const struct ct_gpu *g, const struct ct_mk_system *s)
{
	uint32_t cores = s->monolithic ? 1 : g->schedulers;
	return (ct_gpu_max_warps(g) + cores - 1) / cores;
}

static double energy_of(const struct ct_mk_counts *c, const struct ct_mk_system *s,
                        const struct ct_gpu *g, const struct ct_mk_params *p)
{
	struct ct_mk_machine m;
	ct_mk_machine_of(g, &m);
	return ct_mk_energy_pj(c, s, &m, warps_per_core(g, s), p);
}

void ct_mk_row(const struct ct_mk_measure *m, const struct ct_gpu *g, const struct ct_mk_params *p,
               const struct ct_mk_run_facts *f, size_t i, struct ct_mk_row *r)
{
	const struct ct_mk_system *s = ct_mk_measure_system(m, i);
	struct ct_mk_counts ocu, base, own;
	const struct ct_mk_counts *c = &r->c;
	ct_mk_measure_counts(m, i, &r->c);
	ct_mk_measure_counts(m, 0, &ocu);
	ct_mk_measure_counts(m, s->monolithic ? index_of(m, "OCU-mono") : 0, &base);
	ct_mk_measure_counts(m, index_of(m, ct_mk_system_at(CT_MK_OWN)->name), &own);
	r->system = s;
	r->speedup = speedup_over(&base, c);
	r->configured = speedup_over(&own, c);
	r->hit_ratio = ratio_of(c->hits, c->slots);
	r->bank_reads_ratio = ratio_of(c->bank_reads, ocu.bank_reads);
	double pj = energy_of(c, s, g, p);
	r->energy_ratio = pj / energy_of(&ocu, ct_mk_measure_system(m, 0), g, p);
	r->energy_j = pj * 1e-12;
	r->cache_writes_ratio = ratio_of(c->cache_writes, c->results);
	uint64_t all = c->issued + c->stalled + c->idle;
	r->issue = ratio_of(c->issued, all);
	r->stall = ratio_of(c->stalled, all);
	r->idle = ratio_of(c->idle, all);
	r->pending = ratio_of(c->pending_ready, all);
	/* reads may outlast the last warp */
	r->conflict = ratio_of(c->conflict_cycles < all ? c->conflict_cycles : all, all);
	/* the engine replays the GPU as configured */
	r->cycles = (f->cycles - f->launch_cycles) / r->configured.value + f->launch_cycles;
	r->ipc = f->thread_insts / r->cycles;
}

/* One value of a row, as ES or as a point of a sweep. */
static void put_value(struct ct_records *w, const char *key, const char *x, const char *metric, double v)
{
	if (key)
		ct_records_point(w, key, x, metric, v);
	else
		ct_records_value(w, metric, v);
}

int ct_mk_row_write(const struct ct_mk_row *r, const struct ct_gpu *g, const char *key, const char *x,
                    struct ct_profile *p, struct ct_error *e)
{
	struct ct_records w = {
		.p = p, .e = e, .mechanism = MECHANISM, .system = r->system->name, .method = "replay"};
	if (!key)
		ct_records_value(&w, "cycles", r->cycles);
	put_value(&w, key, x, "ipc", r->ipc);
	if (key)
		ct_records_point(&w, key, x, "speedup", r->speedup.value);
	else
		ct_records_number(&w, "speedup", &r->speedup);
	put_value(&w, key, x, "rf_hit_ratio", r->hit_ratio);
	if (!key)
		ct_records_value(&w, "rf_hit_ratio_distinct",
		                 ratio_of(r->c.hits - r->c.repeats, r->c.slots - r->c.repeats));
	put_value(&w, key, x, "rf_bank_reads_ratio", r->bank_reads_ratio);
	put_value(&w, key, x, "rf_energy_ratio", r->energy_ratio);
	if (key)
		return w.status;
	ct_records_number(&w, "speedup_configured", &r->configured);
	ct_records_value(&w, "energy_j", r->energy_j);
	ct_records_value(&w, "storage_bytes", (double)ct_mk_added_bytes(r->system, g));
	ct_records_value(&w, "rf_cache_bytes", (double)ct_mk_cache_bytes(r->system, g));
	ct_records_value(&w, "rf_cache_writes_ratio", r->cache_writes_ratio);
	ct_records_value(&w, "issue_stall_fraction", r->stall);
	ct_records_value(&w, "issue_fraction", r->issue);
	ct_records_value(&w, "pending_ready_fraction", r->pending);
	ct_records_value(&w, "no_ready_fraction", r->idle);
	ct_records_value(&w, "bank_conflict_fraction", r->conflict);
	ct_records_value(&w, "near_lost", ratio_of(r->c.lost, r->c.results));
	ct_records_value(&w, "stale_dropped", ratio_of(r->c.stale, r->c.results));
	ct_records_value(&w, "uncached_operands", ratio_of(r->c.uncached, r->c.slots));
	if (r->c.sthld_intervals && r->system->schedule == CT_MK_PRIORITY)
		ct_records_value(&w, "sthld_mean", ratio_of(r->c.sthld_sum, r->c.sthld_intervals));
	return w.status;
}

/* ---- bounds ---- */

/* Bounds follow from the register reuse distances alone, so that they need no replay. */
struct ct_mk_bound ct_mk_hit_bound(const struct ct_mk_system *s, const struct ct_hist *insts,
                                   const struct ct_hist *distinct)
{
	double all = (double)ct_hist_total(insts);
	struct ct_mk_bound b = {NAN, NAN};
	if (!(all > 0))
		return b;
	b.most = 1 - (double)insts->cold / all; /* a first read finds nothing anywhere */
	switch (s->kind) {
	case CT_MK_OCU: b.hit = b.most = 0; break;
	case CT_MK_BOC: /* distances count from 1: at most the window */
		b.hit = b.most = ct_hist_hits(insts, s->window + 1.0) / all;
		break;
	case CT_MK_CCU:
		if (!s->collectors)
			b.hit = ct_hist_hits(distinct, s->entries + 1.0) / all;
		break;
	case CT_MK_LTRF: /* what an interval reads first is fetched before it begins */
		b.hit = b.most = 1;
		break;
	default: break;
	}
	return b;
}

uint64_t ct_mk_least_cycles(const struct ct_mk_counts *c, const struct ct_mk_system *s,
                            const struct ct_mk_machine *m)
{
	uint64_t banks = (uint64_t)m->banks * m->cores;
	/* reads need a bank's port; writes that no read waits for may still be queued at the end */
	uint64_t read = s->ideal ? 0 : (c->bank_reads + banks - 1) / banks;
	uint64_t cores = s->monolithic ? 1 : m->cores;
	uint64_t issue = (c->insts + cores - 1) / cores;
	return read > issue ? read : issue;
}

int ct_mk_bounds_write(const struct ct_gpu *g, struct ct_profile *p, struct ct_error *e)
{
	struct ct_hist insts = {.cold = 0}, distinct = {.cold = 0};
	if (!ct_profile_get_hist(p, SCOPE, "reg_insts", &insts, NULL) ||
	    !ct_profile_get_hist(p, SCOPE, "reg_distinct", &distinct, NULL))
		return ct_fail(e, CT_ERR_INPUT,
		               "the profile lacks RD reg_insts and reg_distinct: make it with "
		               "reuse");
	for (size_t i = 0; i < CT_MK_SYSTEMS; i++) {
		const struct ct_mk_system *s = ct_mk_system_at(i);
		struct ct_mk_bound b = ct_mk_hit_bound(s, &insts, &distinct);
		struct ct_records w = {
			.p = p, .e = e, .mechanism = MECHANISM, .system = s->name, .method = "analytic"};
		double least = s->kind == CT_MK_BOC || s->kind == CT_MK_OCU ? b.hit : 0;
		ct_records_between(&w, "rf_hit_ratio_distinct", b.hit, least, b.most);
		if (s->kind != CT_MK_LTRF)
			ct_records_between(&w, "rf_bank_reads_ratio", 1 - b.hit, 1 - b.most, 1 - least);
		ct_records_value(&w, "storage_bytes", (double)ct_mk_added_bytes(s, g));
		ct_records_value(&w, "rf_cache_bytes", (double)ct_mk_cache_bytes(s, g));
		if (w.status != CT_OK)
			return w.status;
	}
	return CT_OK;
}
