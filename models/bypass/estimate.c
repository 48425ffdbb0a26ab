#include "models/bypass/estimate.h"

#include <math.h>
#include <string.h>

#include "models/common/baseline.h"
#include "models/common/energy.h"
#include "models/common/records.h"

static const char MECHANISM[] = "bypass";

int ct_bp_measured_in(const struct ct_profile *p)
{
	struct ct_estimate es;
	return ct_profile_get_estimate(p, "all", MECHANISM, ct_bp_system_name(CT_BP_BYPASS),
	                               "l1_request_misses", "replay", &es);
}

int ct_bp_measured_read(struct ct_bp_measured *x, const struct ct_profile *p, enum ct_bp_system system,
                        struct ct_error *e)
{
	const struct {
		const char *metric;
		double *v;
		int need;
	} field[] = {
		{"l1_requests", &x->requests, 1},
		{"l1_request_misses", &x->request_misses, 1},
		{"l1_fetched_bytes", &x->fetched_bytes, 1},
		{"l1_stored_bytes", &x->stored_bytes, 1},
		{"l1_untimed_miss_rate", &x->untimed_miss_rate, 0},
		{"l1_evictions", &x->evictions, 0},
		{"l1_dead_evictions", &x->dead, 0},
		{"l1_passed_requests", &x->passed, 0},
		{"storage_bytes", &x->storage, 0},
	};
	for (size_t i = 0; i < sizeof field / sizeof field[0]; i++) {
		struct ct_estimate es;
		const char *name = ct_bp_system_name(system);
		*field[i].v = NAN;
		if (ct_profile_get_estimate(p, "all", MECHANISM, name, field[i].metric, "replay", &es))
			*field[i].v = es.value;
		if (field[i].need && !(*field[i].v >= 0))
			return ct_fail(
				e, CT_ERR_INPUT,
				"profile lacks bypass (%s of %s): make it with reuse --mechanisms "
				"bypass",
				field[i].metric, name);
	}
	return CT_OK;
}

/* ---- one system in the closed network ---- */

static double quotient_or(double a, double b, double otherwise)
{
	return b > 0 ? a / b : otherwise;
}

/* DRAM behind an L1 that lets `lines` times as many lines pass as the replayed one. First touches reach DRAM
 * whatever the L1 does; what comes again misses the LLC with the same chance per line as before. follow: the share of
 * that effect which is believed; at 0 DRAM serves as many lines as before. */
static void follow_to_dram(struct ct_perf_point *pt, double before, double cold, double lines,
                           double follow)
{
	double again = cold < 1 ? fmax(before - cold, 0) / (1 - cold) : 0;
	double served = cold + fmax(lines - cold, 0) * again;
	double kept = ct_perf_dram_share(pt);
	if (!(before > 0) || !(lines > 0))
		return;
	served = follow * served + (1 - follow) * before;
	double now = fmin(served / lines, 1);
	for (unsigned i = 0; i < pt->n_classes; i++) {
		double from = pt->cls[i].dram ? kept : 1 - kept, to = pt->cls[i].dram ? now : 1 - now;
		pt->cls[i].share = from > 0 ? pt->cls[i].share * to / from : to;
	}
	pt->dram_bytes *= served / before;
}

/* The system x in the model m, which is anchored to the run of BL, c. Returns the DRAM traffic over BL's. */
static double evaluate_system(const struct ct_bp_answer *a, const struct ct_perf *m,
                              const struct ct_bp_measured *x, double follow, struct ct_perf_result *r)
{
	const struct ct_bp_measured *c = &a->row[CT_BP_BL].x;
	struct ct_perf_point pt;
	ct_perf_conventional(m, &a->gpu, m->w->sms, ct_gpu_llc_lines(&a->gpu), &pt);
	double dram = pt.dram_bytes, before = ct_perf_dram_share(&pt),
	       cold = fmin(fmax(pt.cold, 0), before);
	double lines = quotient_or(x->request_misses, c->request_misses, 1);
	double traffic = quotient_or(
		x->fetched_bytes + x->stored_bytes, c->fetched_bytes + c->stored_bytes, 1);
	if (lines > 0 || c->request_misses > 0) {
		ct_perf_filter_l1(&pt, lines, traffic);
		follow_to_dram(&pt, before, cold, lines, follow);
	}
	if (!(lines > 0)) /* what stores write is left */
		pt.dram_bytes *= quotient_or(
			m->w->dram_write_bytes, m->w->dram_read_bytes + m->w->dram_write_bytes, 1);
	ct_perf_eval(m, &pt, r);
	return quotient_or(pt.dram_bytes, dram, 1);
}

/* ---- energy ---- */

static struct ct_energy_run energy_run(const struct ct_bp_answer *a, const struct ct_bp_row *r)
{
	const struct ct_workload *w = a->w;
	const struct ct_bp_measured *c = &a->row[CT_BP_BL].x;
	double traffic = quotient_or(
		r->x.fetched_bytes + r->x.stored_bytes, c->fetched_bytes + c->stored_bytes, 1);
	return (struct ct_energy_run){
		.seconds = r->cycles / (a->gpu.core_mhz * 1e6),
		.sms = w->sms,
		.llc_bytes = w->llc_sectors * a->gpu.llc.sector * traffic,
		.noc_bytes = r->x.fetched_bytes + r->x.stored_bytes,
		.dram_bytes = (w->dram_read_bytes + w->dram_write_bytes) * r->dram};
}

static void spend_energy(struct ct_bp_answer *a)
{
	struct ct_energy en;
	struct ct_energy_run run = energy_run(a, &a->row[CT_BP_BL]);
	ct_energy_split(&en, &a->gpu, a->params.v[CT_BP_CONSTANT_WATT], a->params.v[CT_BP_STATIC_SHARE],
	                &run);
	for (int i = 0; i < CT_BP_SYSTEMS; i++) {
		run = energy_run(a, &a->row[i]);
		a->row[i].joule = ct_energy_joule(&en, &run);
		a->row[i].watt = a->row[i].joule / run.seconds;
	}
}

/* ---- the answer ---- */

/* Every row with the central assumptions, and the ratios that ranges begin with. */
static void estimate_rows(struct ct_bp_answer *a)
{
	const struct ct_bp_row *base = &a->row[CT_BP_BL];
	for (int i = 0; i < CT_BP_SYSTEMS; i++) {
		struct ct_bp_row *r = &a->row[i];
		r->dram = evaluate_system(a, &a->perf, &r->x, 1, &r->perf);
		r->cycles = r->perf.cycles;
	}
	spend_energy(a);
	for (int i = 0; i < CT_BP_SYSTEMS; i++) {
		struct ct_bp_row *r = &a->row[i];
		r->speedup = ct_number_begin(base->cycles / r->cycles);
		r->perf_per_watt = ct_number_begin(base->joule / r->joule);
	}
}

/* The pass's L1s know no time. What the replay missed, moved as their misses move from BL to another system, is that
 * system's rate in the sense of SN. */
static void find_miss_rates(struct ct_bp_answer *a)
{
	const struct ct_workload *w = a->w;
	double had = w->l1_sectors > 0 ? w->l1_sector_misses / w->l1_sectors : NAN;
	for (int i = 0; i < CT_BP_SYSTEMS; i++) {
		struct ct_bp_row *r = &a->row[i];
		double old = a->row[CT_BP_BL].x.untimed_miss_rate;
		r->l1_miss_rate = isnan(had) ? NAN
		                             : ct_baseline_moved_share(had, old, r->x.untimed_miss_rate);
		r->l1_mpki = 1000 * r->l1_miss_rate * w->l1_sectors / w->thread_insts;
	}
}

struct variant {
	enum ct_perf_anchor how;
	double dram, follow;
};

/* The same systems under another assumption: every ratio that comes out widens its range. Energy is not computed
 * again: power moves little, so that the ratio follows the time. */
static int widen_by_variant(struct ct_bp_answer *a, const struct variant *v, struct ct_error *e)
{
	struct ct_perf m;
	struct ct_gpu g = a->replayed;
	struct ct_perf_result r[CT_BP_SYSTEMS];
	g.dram_efficiency *= v->dram;
	int st = ct_perf_calibrate(&m, a->w, &g, v->how, e);
	if (st != CT_OK)
		return st;
	for (int i = 0; i < CT_BP_SYSTEMS; i++)
		evaluate_system(a, &m, &a->row[i].x, v->follow, &r[i]);
	for (int i = 0; i < CT_BP_SYSTEMS; i++) {
		struct ct_bp_row *row = &a->row[i];
		double speedup = r[CT_BP_BL].cycles / r[i].cycles;
		ct_number_widen(&row->perf_per_watt,
		                row->perf_per_watt.value * speedup / row->speedup.value);
		ct_number_widen(&row->speedup, speedup);
	}
	return CT_OK;
}

int ct_bp_answer_init(struct ct_bp_answer *a, const struct ct_profile *p, const struct ct_workload *w,
                      const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                      const struct ct_bp_params *params, struct ct_error *e)
{
	static const struct variant VARIANTS[] = {
		{CT_PERF_ANCHOR_MIXED, 1, 1},     {CT_PERF_ANCHOR_PHASES, 1, 1},
		{CT_PERF_ANCHOR_STATION, 0.9, 1}, {CT_PERF_ANCHOR_STATION, 1.1, 1},
		{CT_PERF_ANCHOR_STATION, 1, 0.5}, {CT_PERF_ANCHOR_STATION, 1, 0},
	};
	memset(a, 0, sizeof *a);
	if (replayed->l1.size != gpu->l1.size || replayed->l1.ways != gpu->l1.ways)
		return ct_fail(e, CT_ERR_INPUT,
		               "the profile's bypass was measured with another L1: make it again with "
		               "reuse --mechanisms bypass");
	a->w = w;
	a->replayed = *replayed;
	a->gpu = *gpu;
	a->params = *params;
	int st = ct_perf_calibrate(&a->perf, w, replayed, CT_PERF_ANCHOR_STATION, e);
	for (int i = 0; i < CT_BP_SYSTEMS && st == CT_OK; i++)
		st = ct_bp_measured_read(&a->row[i].x, p, (enum ct_bp_system)i, e);
	if (st != CT_OK)
		return st;
	estimate_rows(a);
	find_miss_rates(a);
	for (size_t i = 0; i < sizeof VARIANTS / sizeof VARIANTS[0] && st == CT_OK; i++)
		st = widen_by_variant(a, &VARIANTS[i], e);
	return st;
}

int ct_bp_answer_write(const struct ct_bp_answer *a, struct ct_profile *p, struct ct_error *e)
{
	struct ct_records w = {.p = p, .e = e, .mechanism = MECHANISM, .method = "analytic"};
	const struct ct_workload *load = a->w;
	for (int i = 0; i < CT_BP_SYSTEMS; i++) {
		const struct ct_bp_row *r = &a->row[i];
		w.system = ct_bp_system_name((enum ct_bp_system)i);
		ct_records_value(&w, "cycles", r->cycles + load->launch_cycles);
		ct_records_value(&w, "ipc", load->thread_insts / (r->cycles + load->launch_cycles));
		ct_records_number(&w, "speedup", &r->speedup);
		ct_records_number(&w, "speedup_configured", &r->speedup);
		ct_records_number(&w, "perf_per_watt", &r->perf_per_watt);
		ct_records_value(&w, "energy_j", r->joule);
		ct_records_value(&w, "llc_mpki",
		                 1000 * load->llc_sector_misses / load->thread_insts * r->dram);
		ct_records_value(&w, "l1_miss_rate", r->l1_miss_rate);
		ct_records_value(&w, "l1_mpki", r->l1_mpki);
	}
	return w.status;
}
