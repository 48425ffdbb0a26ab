#include "models/malekeh/estimate.h"

#include <math.h>
#include <string.h>

static const char MECHANISM[] = "malekeh";
static const char SCOPE[] = "all";

void ct_mk_with_configured(const struct ct_gpu *g, const struct ct_mk_system *systems, size_t n,
                           struct ct_mk_system *out)
{
	memmove(out, systems, n * sizeof *out);
	out[n] = *ct_mk_system_at(0);
	out[n].name = "configured";
	out[n].collectors = g->collectors ? g->collectors : 1;
	if (out[n].collectors > 64)
		out[n].collectors = 64;
}

static double ratio(uint64_t a, uint64_t b)
{
	return b ? (double)a / (double)b : NAN;
}

/* Of a baseline's scheduler cycles, those in which every warp waited: what organisations
 * cannot shorten if memory does not answer sooner. */
static double waiting(const struct ct_mk_counts *c)
{
	return ratio(c->idle, c->issued + c->stalled + c->idle);
}

static void range(double value, double share, double *low, double *high)
{
	double other = 1 + (value - 1) * (1 - share);
	*low = fmin(value, other);
	*high = fmax(value, other);
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

void ct_mk_row(const struct ct_mk_measure *m, const struct ct_gpu *g,
               const struct ct_mk_params *p, const struct ct_mk_run_facts *f, size_t i,
               struct ct_mk_row *r)
{
	const struct ct_mk_system *s = ct_mk_measure_system(m, i);
	struct ct_mk_counts ocu, base, own;
	const struct ct_mk_counts *c = &r->c;
	ct_mk_measure_counts(m, i, &r->c);
	ct_mk_measure_counts(m, 0, &ocu);
	ct_mk_measure_counts(m, s->monolithic ? index_of(m, "OCU-mono") : 0, &base);
	ct_mk_measure_counts(m, ct_mk_measure_systems(m) - 1, &own);
	r->system = s;
	r->speedup = ratio(base.cycles, c->cycles);
	r->configured = ratio(own.cycles, c->cycles);
	range(r->speedup, waiting(&base), &r->low, &r->high);
	range(r->configured, waiting(&own), &r->configured_low, &r->configured_high);
	r->hit_ratio = ratio(c->hits, c->slots);
	r->bank_reads_ratio = ratio(c->bank_reads, ocu.bank_reads);
	double pj = energy_of(c, s, g, p);
	r->energy_ratio = pj / energy_of(&ocu, ct_mk_measure_system(m, 0), g, p);
	r->energy_j = pj * 1e-12;
	r->cache_writes_ratio = ratio(c->cache_writes, c->results);
	uint64_t all = c->issued + c->stalled + c->idle;
	r->issue = ratio(c->issued, all);
	r->stall = ratio(c->stalled, all);
	r->idle = ratio(c->idle, all);
	r->pending = ratio(c->pending_ready, all);
	/* reads may outlast the last warp */
	r->conflict = ratio(c->conflict_cycles < all ? c->conflict_cycles : all, all);
	/* the engine replays the GPU as configured */
	r->cycles = (f->cycles - f->launch_cycles) / r->configured + f->launch_cycles;
	r->ipc = f->thread_insts / r->cycles;
}

struct writer {
	struct ct_profile *p;
	struct ct_error *e;
	const char *system, *key, *x, *method;
	int status;
};

static void put(struct writer *w, const char *metric, double v, double low, double high)
{
	if (w->status != CT_OK)
		return;
	if (w->key) {
		struct ct_sweep_point sw = {.scope = SCOPE, .mechanism = MECHANISM, .system = w->system,
		                            .key = w->key, .x = w->x, .metric = metric,
		                            .method = w->method, .value = v};
		w->status = ct_profile_add_sweep(w->p, &sw, w->e);
		return;
	}
	struct ct_estimate es = {.scope = SCOPE, .mechanism = MECHANISM, .system = w->system,
	                         .metric = metric, .method = w->method, .value = v, .low = low,
	                         .high = high};
	w->status = ct_profile_add_estimate(w->p, &es, w->e);
}

static void put_one(struct writer *w, const char *metric, double v)
{
	put(w, metric, v, NAN, NAN);
}

int ct_mk_row_write(const struct ct_mk_row *r, const struct ct_gpu *g, const char *key,
                    const char *x, struct ct_profile *p, struct ct_error *e)
{
	struct writer w = {.p = p, .e = e, .system = r->system->name, .key = key, .x = x,
	                   .method = "replay", .status = CT_OK};
	if (!key)
		put_one(&w, "cycles", r->cycles);
	put_one(&w, "ipc", r->ipc);
	put(&w, "speedup", r->speedup, r->low, r->high);
	put_one(&w, "rf_hit_ratio", r->hit_ratio);
	if (!key)
		put_one(&w, "rf_hit_ratio_distinct", ratio(r->c.hits - r->c.repeats, r->c.slots - r->c.repeats));
	put_one(&w, "rf_bank_reads_ratio", r->bank_reads_ratio);
	put_one(&w, "rf_energy_ratio", r->energy_ratio);
	if (key)
		return w.status;
	put(&w, "speedup_configured", r->configured, r->configured_low, r->configured_high);
	put_one(&w, "energy_j", r->energy_j);
	put_one(&w, "storage_bytes", (double)ct_mk_added_bytes(r->system, g));
	put_one(&w, "rf_cache_bytes", (double)ct_mk_cache_bytes(r->system, g));
	put_one(&w, "rf_cache_writes_ratio", r->cache_writes_ratio);
	put_one(&w, "issue_stall_fraction", r->stall);
	put_one(&w, "issue_fraction", r->issue);
	put_one(&w, "pending_ready_fraction", r->pending);
	put_one(&w, "no_ready_fraction", r->idle);
	put_one(&w, "bank_conflict_fraction", r->conflict);
	put_one(&w, "near_lost", ratio(r->c.lost, r->c.results));
	put_one(&w, "stale_dropped", ratio(r->c.stale, r->c.results));
	put_one(&w, "uncached_operands", ratio(r->c.uncached, r->c.slots));
	if (r->c.sthld_intervals && r->system->schedule == CT_MK_PRIORITY)
		put_one(&w, "sthld_mean", ratio(r->c.sthld_sum, r->c.sthld_intervals));
	return w.status;
}

/* ---- bounds ---- */

struct ct_mk_bound ct_mk_hit_bound(const struct ct_mk_system *s, const struct ct_hist *insts,
                                   const struct ct_hist *distinct)
{
	double all = (double)ct_hist_total(insts);
	struct ct_mk_bound b = {NAN, NAN};
	if (!(all > 0))
		return b;
	b.most = 1 - (double)insts->cold / all; /* a first read finds nothing anywhere */
	switch (s->kind) {
	case CT_MK_OCU:
		b.hit = b.most = 0;
		break;
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
	default:
		break;
	}
	return b;
}

uint64_t ct_mk_least_cycles(const struct ct_mk_counts *c, const struct ct_mk_system *s,
                            const struct ct_mk_machine *m)
{
	uint64_t banks = (uint64_t)m->banks * m->cores;
	/* reads need a bank's port; writes that no read waits for may still be queued at the end */
	uint64_t read = (c->bank_reads + banks - 1) / banks;
	uint64_t cores = s->monolithic ? 1 : m->cores;
	uint64_t issue = (c->insts + cores - 1) / cores;
	return read > issue ? read : issue;
}

int ct_mk_bounds_write(const struct ct_gpu *g, struct ct_profile *p, struct ct_error *e)
{
	struct ct_hist insts = {.cold = 0}, distinct = {.cold = 0};
	if (!ct_profile_get_hist(p, SCOPE, "reg_insts", &insts, NULL) ||
	    !ct_profile_get_hist(p, SCOPE, "reg_distinct", &distinct, NULL))
		return ct_fail(e, CT_ERR_INPUT, "the profile lacks RD reg_insts and reg_distinct: make it with "
		               "reuse");
	for (size_t i = 0; i < CT_MK_SYSTEMS; i++) {
		const struct ct_mk_system *s = ct_mk_system_at(i);
		struct ct_mk_bound b = ct_mk_hit_bound(s, &insts, &distinct);
		struct writer w = {.p = p, .e = e, .system = s->name, .method = "analytic", .status = CT_OK};
		double least = s->kind == CT_MK_BOC || s->kind == CT_MK_OCU ? b.hit : 0;
		put(&w, "rf_hit_ratio_distinct", b.hit, least, b.most);
		if (s->kind != CT_MK_LTRF)
			put(&w, "rf_bank_reads_ratio", 1 - b.hit, 1 - b.most, 1 - least);
		put_one(&w, "storage_bytes", (double)ct_mk_added_bytes(s, g));
		put_one(&w, "rf_cache_bytes", (double)ct_mk_cache_bytes(s, g));
		if (w.status != CT_OK)
			return w.status;
	}
	return CT_OK;
}
