#include "models/morpheus/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/common/records.h"

static const char MECHANISM[] = "morpheus";
static const char SCOPE[] = "all";
static const char ANALYTIC[] = "analytic", REPLAY[] = "replay";

/* One uncertain thing, changed. */
struct variant {
	double trip_ns;      /* added to the way to the SM and back */
	double service;      /* factor on a warp's time */
	double dram;         /* factor on the DRAM's efficiency */
	double beta;         /* of slices and sets, 0 = as given */
	double static_share; /* -1 = as given */
	enum ct_perf_anchor how;
};

static const struct variant VARIANTS[] = {
	{0, 1, 1, 0, -1, CT_PERF_ANCHOR_MIXED},
	{0, 1, 1, 0, -1, CT_PERF_ANCHOR_PHASES},
	{20, 1, 1, 0, -1, CT_PERF_ANCHOR_STATION},          /* 185 instead of 165 ns */
	{0, 166.0 / 185, 1, 0, -1, CT_PERF_ANCHOR_STATION}, /* 48 * 128 B at 37 GB/s */
	{0, 1, 0.9, 0, -1, CT_PERF_ANCHOR_STATION},
	{0, 1, 1.1, 0, -1, CT_PERF_ANCHOR_STATION},
	{0, 1, 1, 1.2, -1, CT_PERF_ANCHOR_STATION},
	{0, 1, 1, 0, 0, CT_PERF_ANCHOR_STATION},
	{0, 1, 1, 0, 1, CT_PERF_ANCHOR_STATION},
};

static double perf_per_watt(const struct ct_mo_estimate *x, const struct ct_mo_estimate *base)
{
	return x->ipc / base->ipc / (x->watt / base->watt);
}

static int is_asked_for(const struct ct_mo_answer *a, size_t i)
{
	return a->systems >> i & 1;
}

/* One system on the SMs that were given for it, or on those that it chooses. */
static int estimate_system(struct ct_mo_model *m, const struct ct_mo_system *s, unsigned sms,
                           struct ct_mo_estimate *out, struct ct_error *e)
{
	return sms && (s->best_sms || s->as_ibl) ? ct_mo_estimate_at(m, s, sms, out, e)
	                                         : ct_mo_estimate_best(m, s, out, e);
}

/* Estimates every system that was asked for with the parameters as they are: the middle of each range. */
static int estimate_central(struct ct_mo_answer *a, unsigned sms, struct ct_error *e)
{
	struct ct_mo_model *m = &a->model;
	int st = ct_mo_estimate_configured(m, &a->configured, e);
	/* larger-LLC needs to know what Morpheus-ALL chooses. */
	struct ct_mo_estimate all;
	size_t of_all = (size_t)ct_mo_system_find("Morpheus-ALL");
	if (st == CT_OK)
		st = estimate_system(m, ct_mo_system_at(of_all), sms, &all, e);
	if (st != CT_OK)
		return st;
	m->larger_lines = (all.llc_bytes + all.extended_bytes) / m->gpu.llc.line;
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		struct ct_mo_row *r = &a->row[i];
		r->system = ct_mo_system_at(i);
		if (!is_asked_for(a, i))
			continue;
		if (i == of_all)
			r->x = all;
		else if ((st = estimate_system(m, r->system, sms, &r->x, e)) != CT_OK)
			return st;
		const struct ct_mo_estimate *base = &a->row[0].x;
		r->speedup = ct_number_begin(base->cycles / r->x.cycles);
		r->speedup_configured = ct_number_begin(a->configured.cycles / r->x.cycles);
		r->perf_per_watt = ct_number_begin(perf_per_watt(&r->x, base));
	}
	return CT_OK;
}

/* Evaluates every row again at its SM count in a changed model. */
static int widen_by_variant(struct ct_mo_answer *a, const struct variant *v, struct ct_error *e)
{
	struct ct_mo_model *m = &a->model, other;
	struct ct_morpheus_params p = m->p;
	struct ct_gpu replayed = m->replayed;
	p.v[CT_MO_EXT_TRIP_NS] += v->trip_ns;
	p.v[CT_MO_EXT_SERVICE_NS] *= v->service;
	if (v->beta > 0)
		p.v[CT_MO_SETS_BETA] = p.v[CT_MO_SLICE_BETA] = v->beta;
	if (v->static_share >= 0)
		p.v[CT_MO_STATIC_SHARE] = v->static_share;
	replayed.dram_efficiency *= v->dram;
	int st = ct_mo_model_vary(&other, m, &replayed, &p, v->how, e);
	if (st != CT_OK)
		return st;
	other.larger_lines = m->larger_lines;
	struct ct_mo_estimate base = {0}, configured;
	st = ct_mo_estimate_configured(&other, &configured, e);
	for (size_t i = 0; i < CT_MO_SYSTEMS && st == CT_OK; i++) {
		struct ct_mo_row *r = &a->row[i];
		struct ct_mo_estimate x;
		if (!is_asked_for(a, i))
			continue;
		st = ct_mo_estimate_at(&other, r->system, (unsigned)r->x.compute_sms, &x, e);
		if (st != CT_OK)
			break;
		if (i == 0)
			base = x;
		ct_number_widen(&r->speedup, base.cycles / x.cycles);
		ct_number_widen(&r->speedup_configured, configured.cycles / x.cycles);
		ct_number_widen(&r->perf_per_watt, perf_per_watt(&x, &base));
	}
	ct_mo_model_free(&other);
	return st;
}

/* Whether o is s without compression. */
static int plain_of(const struct ct_mo_system *s, const struct ct_mo_system *o)
{
	return s->compression && o->extended && !o->compression && o->indirect_mov == s->indirect_mov &&
	       o->predictor == s->predictor;
}

unsigned ct_mo_systems_for(size_t system)
{
	unsigned systems = 1u << system;
	for (size_t j = 0; j < CT_MO_SYSTEMS; j++)
		systems |= (unsigned)plain_of(ct_mo_system_at(system), ct_mo_system_at(j)) << j;
	return systems;
}

/* Without values, compression may do nothing or what was published. */
static void widen_compression(struct ct_mo_answer *a)
{
	if (a->model.mix_source != CT_MO_MIX_ASSUMED)
		return;
	double gain = a->model.p.v[CT_MO_PUBLISHED_COMPRESSION_GAIN];
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		struct ct_mo_row *r = &a->row[i];
		if (!is_asked_for(a, i))
			continue;
		for (size_t j = 0; j < CT_MO_SYSTEMS; j++) {
			const struct ct_mo_row *o = &a->row[j];
			if (!is_asked_for(a, j) || !plain_of(r->system, o->system))
				continue;
			ct_number_widen(&r->speedup, o->speedup.low);
			ct_number_widen(&r->speedup_configured, o->speedup_configured.low);
			ct_number_widen(&r->perf_per_watt, o->perf_per_watt.low);
			if (o->x.cache_sms > 0) {
				ct_number_widen(&r->speedup, o->speedup.value * gain);
				ct_number_widen(&r->speedup_configured,
				                o->speedup_configured.value * gain);
			}
		}
	}
}

/* What estimates with SMs in cache mode were off against replays, of the logarithm: nine in ten of the points of
 * tests/verdicts/sweep.tsv. The model holds means over loads; it does not know that the lines of one load miss together, that
 * warps wait for the same line, and how CTAs share L1s on another number of SMs. */
static const double EXTENDED_ERROR = 0.44;

/* Adds to what the assumptions leave open what such estimates were off; both are independent. */
static void widen_error(struct ct_mechanism_number *n)
{
	double below = log(n->value / n->low), above = log(n->high / n->value);
	if (!(n->value > 0) || !(n->low > 0))
		return;
	n->low = n->value * exp(-hypot(below, EXTENDED_ERROR));
	n->high = n->value * exp(hypot(above, EXTENDED_ERROR));
}

static void widen_extended(struct ct_mo_answer *a)
{
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		struct ct_mo_row *r = &a->row[i];
		if (!is_asked_for(a, i) || !(r->x.cache_sms > 0))
			continue;
		widen_error(&r->speedup);
		widen_error(&r->speedup_configured);
		widen_error(&r->perf_per_watt);
	}
}

/* A system may gain that much more than it is estimated to. */
static void reach_to(struct ct_mo_row *r, double gain)
{
	ct_number_widen(&r->speedup, r->speedup.value * gain);
	ct_number_widen(&r->speedup_configured, r->speedup_configured.value * gain);
	ct_number_widen(&r->perf_per_watt, r->perf_per_watt.value * gain);
}

/* Another SM count that is this close to the best one may be better: estimates differ from replays by more. */
static const double CLOSE = 0.02;

/* Where all SMs compute since lending some of them is estimated to gain nothing, and hardly to lose, that estimate may be off,
 * too. */
static void widen_choice(struct ct_mo_answer *a)
{
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		struct ct_mo_row *r = &a->row[i];
		const double lent = r->x.lent_ipc / r->x.ipc, gain = lent * exp(EXTENDED_ERROR);
		if (!is_asked_for(a, i) || !r->system->extended || r->x.cache_sms > 0 ||
		    !(lent > 1 - CLOSE))
			continue;
		reach_to(r, gain);
	}
}

/* The share of the cycles of LLC slices above which standing still is more than the error of the estimate: of the 32 pairs of
 * workload and GPU in tests/verdicts/verdicts.tsv with 0.5 % or more, the three with over a quarter gain 2.5, 6 and 57 % in
 * replays; of the others one gains more than 2 %, as simpler systems do there. */
static const double STALL_MATTERS = 0.25;

/* The model has no slices of the LLC that stand still, where more SMs ask for a sector on its way than its MSHR entry takes
 * (llc.mshr_merge). Requests to the extended LLC do not come to them, so that up to all of that time may be won, with any
 * number of SMs: the range of systems that extend the LLC reaches there. */
static void widen_merge_stall(struct ct_mo_answer *a)
{
	const struct ct_workload *w = a->model.w;
	const double stalled = w->llc_merge_stall_cycles / (a->model.replayed.llc_slices * w->cycles);
	const double gain = 1 / (1 - fmin(stalled, 0.99));
	if (stalled < STALL_MATTERS)
		return;
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		struct ct_mo_row *r = &a->row[i];
		if (!is_asked_for(a, i) || !r->system->extended)
			continue;
		reach_to(r, gain);
	}
}

int ct_mo_answer_init(struct ct_mo_answer *a, const struct ct_workload *w, const struct ct_gpu *replayed,
                      const struct ct_gpu *gpu, const struct ct_morpheus_params *p,
                      const struct ct_morpheus_mix *mix, struct ct_error *e)
{
	return ct_mo_answer_init_some(a, w, replayed, gpu, p, mix, CT_MO_ALL_SYSTEMS, 0, e);
}

int ct_mo_answer_init_some(struct ct_mo_answer *a, const struct ct_workload *w,
                           const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                           const struct ct_morpheus_params *p, const struct ct_morpheus_mix *mix,
                           unsigned systems, double sms, struct ct_error *e)
{
	memset(a, 0, sizeof *a);
	if (sms != 0 && !(sms >= 1 && sms <= gpu->sms && sms == floor(sms)))
		return ct_fail(e, CT_ERR_USAGE, "%g SMs cannot compute on a GPU of %u: give 1 to %u",
		               sms, gpu->sms, gpu->sms);
	a->systems = systems | 1u << ct_mo_system_find("BL");
	int st = ct_mo_model_init(&a->model, w, replayed, gpu, p, mix, CT_PERF_ANCHOR_STATION, e);
	if (st != CT_OK)
		return st;
	st = estimate_central(a, (unsigned)sms, e);
	for (size_t i = 0; i < sizeof VARIANTS / sizeof VARIANTS[0] && st == CT_OK; i++)
		st = widen_by_variant(a, &VARIANTS[i], e);
	if (st != CT_OK) {
		ct_mo_answer_free(a);
		return st;
	}
	widen_compression(a);
	widen_extended(a);
	widen_choice(a);
	widen_merge_stall(a);
	return CT_OK;
}

void ct_mo_answer_free(struct ct_mo_answer *a)
{
	ct_mo_model_free(&a->model);
}

static double storage_of(const struct ct_mo_answer *a, const struct ct_mo_row *r)
{
	double own = (double)ct_gpu_llc_bytes(&a->model.gpu);
	if (r->system->extended)
		return (double)a->model.storage.total_bytes;
	return r->system->fair ? 0 : fmax(r->x.llc_bytes - own, 0);
}

static double per_kilo(const struct ct_mo_answer *a, double n)
{
	return 1000 * n / a->model.w->thread_insts;
}

static double dram_utilisation(const struct ct_mo_answer *a, const struct ct_mo_estimate *x)
{
	const struct ct_gpu *g = &a->model.gpu;
	double seconds = x->cycles / (g->core_mhz * 1e6);
	return x->dram_bytes / seconds / (ct_gpu_dram_gbps(g) * 1e9);
}

double ct_mo_network_latency(const struct ct_mo_answer *a, const struct ct_mo_estimate *x)
{
	const struct ct_gpu *g = &a->model.gpu;
	const double load = fmin(x->packets / 2 / (g->llc_slices * x->cycles), 0.99);
	return 2 * (fmax(g->noc_latency, 1) + load / (2 * (1 - load)));
}

/* Writes what an estimate or a replay knows of one system; base is the row that ratios are against. */
static void write_row(struct ct_records *w, const struct ct_mo_answer *a, const struct ct_mo_row *r,
                      const struct ct_mo_estimate *base)
{
	const struct ct_mo_estimate *x = &r->x;
	const struct ct_workload *load = a->model.w;
	w->system = r->system->name;
	ct_records_value(w, "cycles", x->cycles + load->launch_cycles);
	ct_records_value(w, "ipc", load->thread_insts / (x->cycles + load->launch_cycles));
	ct_records_number(w, "speedup", &r->speedup);
	ct_records_number(w, "speedup_configured", &r->speedup_configured);
	ct_records_number(w, "perf_per_watt", &r->perf_per_watt);
	ct_records_value(w, "energy_j", x->joule);
	ct_records_value(w, "llc_mpki", per_kilo(a, x->llc_misses));
	ct_records_value(w, "l1_mpki", per_kilo(a, x->l1_sector_misses));
	ct_records_value(w, "l1_miss_rate",
	                 load->l1_sectors > 0 ? x->l1_sector_misses / load->l1_sectors : NAN);
	ct_records_value(w, "storage_bytes", storage_of(a, r));
	ct_records_value(w, "compute_sms", x->compute_sms);
	ct_records_value(w, "cache_sms", x->cache_sms);
	ct_records_value(w, "extended_llc_bytes", x->extended_bytes);
	if (r->system->extended) {
		ct_records_value(w, "extended_llc_hit_rate", x->extended_hit_rate);
		ct_records_value(w, "bloom_false_positive_rate", x->given_miss);
		ct_records_value(w, "compression_ratio", x->compression_ratio);
	}
	ct_records_value(w, "llc_throughput_ratio",
	                 x->llc_requests / x->cycles / (base->llc_requests / base->cycles));
	ct_records_value(w, "noc_load_ratio", x->packets / x->cycles / (base->packets / base->cycles));
	ct_records_value(w, "network_latency", ct_mo_network_latency(a, x));
	ct_records_value(w, "dram_utilisation", dram_utilisation(a, x));
}

int ct_mo_answer_write(const struct ct_mo_answer *a, struct ct_profile *p, struct ct_error *e)
{
	struct ct_records w = {.p = p, .e = e, .mechanism = MECHANISM, .method = ANALYTIC};
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++)
		if (is_asked_for(a, i))
			write_row(&w, a, &a->row[i], &a->row[0].x);
	return w.status;
}

int ct_mo_answer_write_replayed(const struct ct_mo_answer *a, const struct ct_mo_row *row, int both,
                                struct ct_profile *p, struct ct_error *e)
{
	struct ct_records w = {.p = p, .e = e, .mechanism = MECHANISM};
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		int replayed = isfinite(row[i].x.cycles);
		if (!is_asked_for(a, i))
			continue;
		w.method = ANALYTIC;
		if (both || !replayed)
			write_row(&w, a, &a->row[i], &a->row[0].x);
		w.method = REPLAY;
		if (replayed)
			write_row(&w, a, &row[i], &row[0].x);
	}
	return w.status;
}

/* Writes what a system does on so many SMs; of the curve that charts draw IPC only. */
static int write_point(struct ct_mo_answer *a, const struct ct_mo_system *s, unsigned sms, int ipc_only,
                       struct ct_records *w)
{
	struct ct_mo_estimate x;
	char text[16];
	w->status = ct_mo_estimate_at(&a->model, s, sms, &x, w->e);
	w->system = s->name;
	snprintf(text, sizeof text, "%u", sms);
	ct_records_point(w, "sms", text, "ipc",
	                 a->model.w->thread_insts / (x.cycles + a->model.w->launch_cycles));
	if (ipc_only)
		return w->status;
	ct_records_point(w, "sms", text, "speedup", a->row[0].x.cycles / x.cycles);
	ct_records_point(w, "sms", text, "llc_mpki", per_kilo(a, x.llc_misses));
	if (s->extended)
		ct_records_point(w, "sms", text, "extended_llc_bytes", x.extended_bytes);
	return w->status;
}

int ct_mo_answer_sweep(struct ct_mo_answer *a, const struct ct_range_spec *sms, struct ct_profile *p,
                       struct ct_error *e)
{
	struct ct_records w = {.p = p, .e = e, .mechanism = MECHANISM, .method = ANALYTIC};
	size_t points = ct_range_points(sms);
	if (sms->last > a->model.gpu.sms)
		return ct_fail(e, CT_ERR_USAGE,
		               "--sweep sms=%.0f..%.0f: the GPU has %u SMs: sweep up to that",
		               sms->first, sms->last, a->model.gpu.sms);
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		const struct ct_mo_system *s = ct_mo_system_at(i);
		/* IBL at a given SM count is BL there: one curve is enough. */
		if (!strcmp(s->name, "IBL"))
			continue;
		for (size_t k = 0; k < points && w.status == CT_OK; k++)
			write_point(a, s, (unsigned)ct_range_at(sms, k), 0, &w);
	}
	return w.status;
}

static int has_curve(const struct ct_profile *p)
{
	const struct ct_record *r;
	for (size_t i = 0; (r = ct_profile_next(p, "SW", &i));)
		if (r->nfields >= 6 && !strcmp(r->field[0], SCOPE) && !strcmp(r->field[1], MECHANISM) &&
		    !strcmp(r->field[3], "sms") && !strcmp(r->field[5], "ipc"))
			return 1;
	return 0;
}

int ct_mo_answer_curve(struct ct_mo_answer *a, struct ct_profile *p, struct ct_error *e)
{
	static const char *const drawn[] = {"BL", "Morpheus-ALL"};
	enum { POINTS = 128 };
	unsigned all = a->model.gpu.sms, first = all * 10 / 68, step = (all + POINTS - 1) / POINTS;
	struct ct_records w = {.p = p, .e = e, .mechanism = MECHANISM, .method = ANALYTIC};
	if (all < 2 || has_curve(p))
		return CT_OK;
	first = first ? first : 1;
	for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
		const struct ct_mo_system *s = ct_mo_system_at((size_t)ct_mo_system_find(drawn[i]));
		/* from the end, so that all SMs are a point */
		for (unsigned n = first + (all - first) % step; n <= all && w.status == CT_OK; n += step)
			write_point(a, s, n, 1, &w);
	}
	return w.status;
}

static unsigned add_note(char out[][CT_MO_NOTE_LEN], unsigned n, const char *text)
{
	if (n < CT_MO_NOTES_MAX)
		snprintf(out[n++], CT_MO_NOTE_LEN, "%s", text);
	return n;
}

unsigned ct_mo_answer_notes(const struct ct_mo_answer *a, char out[][CT_MO_NOTE_LEN])
{
	const struct ct_mo_model *m = &a->model;
	unsigned n = 0;
	char text[CT_MO_NOTE_LEN];
	int dead = 0, crowded = 0, simulated = 0;
	for (size_t i = 0; i < CT_MO_SYSTEMS; i++) {
		dead |= a->row[i].x.dead;
		crowded |= a->row[i].x.crowded;
		simulated |= a->row[i].x.simulated;
	}
	if (dead || crowded) {
		/* The ceiling grows with the number of bits. */
		unsigned bytes = m->bloom.bits / 8;
		while (m->kernel[1].rf_blocks > 0.6 * m->bloom.ceiling * bytes * 8 / m->bloom.bits)
			bytes *= 2;
		snprintf(text, sizeof text,
		         "the %u-bit filters %s with up to %u blocks in a set (they can count %.0f): "
		         "more misses are predicted hits; try morpheus.bloom_bytes=%u",
		         m->bloom.bits, dead ? "never swap" : "hardly swap", m->kernel[1].rf_blocks,
		         m->bloom.ceiling, bytes);
		n = add_note(out, n, text);
	}
	double can = ct_morpheus_warp_bandwidth(
		m->kernel[0].warps, m->p.v[CT_MO_BLOCK_BYTES], m->p.v[CT_MO_EXT_SERVICE_NS]);
	/* The paper's own 34 GB/s is 2 % above what its 185 ns allow (reading bandwidth-bound). */
	if (m->p.v[CT_MO_EXT_GBPS] > 1.05 * can) {
		snprintf(text, sizeof text,
		         "morpheus.ext_gbps=%g is more than %u warps with one request of %g ns each can "
		         "serve (%.1f GB/s)",
		         m->p.v[CT_MO_EXT_GBPS], m->kernel[0].warps, m->p.v[CT_MO_EXT_SERVICE_NS], can);
		n = add_note(out, n, text);
	}
	if (m->mix_source == CT_MO_MIX_ASSUMED) {
		snprintf(
			text, sizeof text,
			"no values in the input: compression is assumed (ratio %.2f of the register part); "
			"the range runs from none to the published gain",
			m->kernel[1].ratio);
		n = add_note(out, n, text);
	}
	if (m->w->n_views == 1)
		n = add_note(out, n,
		             "the profile has no llc@sms=N views: locality is taken not to depend on "
		             "the number of SMs");
	if (m->perf.ratio > 1.5 || m->perf.ratio < 1 / 1.5) {
		snprintf(
			text, sizeof text,
			"before anchoring the model takes %.2f times the replayed cycles: trust ranks more "
			"than values",
			m->perf.ratio);
		n = add_note(out, n, text);
	}
	if (simulated)
		n = add_note(
			out, n,
			"false positives were simulated bit by bit where the formula is optimistic");
	return n;
}

static const char *limited_by(const struct ct_mo_estimate *x)
{
	if (x->utilisation < 0.5)
		return "latency";
	if (x->bottleneck >= CT_PERF_STATIONS)
		return "cache-mode SMs";
	return ct_perf_station_name(x->bottleneck);
}

/* What a count is more than before, as a share of that; 0 where there was none. */
static double added_share(double before, double now)
{
	return before > 0 ? now / before - 1 : 0;
}

void ct_mo_row_why(const struct ct_mo_answer *a, const struct ct_mo_row *r, char *out, size_t n)
{
	const struct ct_mo_estimate *x = &r->x, *base = &a->row[0].x;
	double misses = added_share(base->llc_misses, x->llc_misses);
	const char *by = limited_by(x);
	char busy[64];
	ct_perf_busy_text(x->utilisation, x->yield, busy, sizeof busy);
	if (r == &a->row[0])
		snprintf(out, n, "limited by %s (%s)", by, busy);
	else if (r->system->extended && x->cache_sms <= 0)
		snprintf(out, n, "every SM does more by computing");
	else if (fabs(misses) >= 0.005)
		snprintf(out, n, "LLC misses %+.0f %%, limited by %s (%.0f %%)", 100 * misses, by,
		         100 * x->utilisation);
	else
		snprintf(out, n, "LLC misses unchanged, limited by %s", by);
}

void ct_mo_replayed_row_why(const struct ct_mo_row *bl, const struct ct_mo_row *r, char *out, size_t n)
{
	const struct ct_mo_estimate *x = &r->x, *base = &bl->x;
	double misses = added_share(base->llc_misses, x->llc_misses);
	double bytes = added_share(base->dram_bytes, x->dram_bytes);
	if (r == bl)
		snprintf(out, n, "DRAM moves %.3g bytes a cycle", x->dram_bytes / x->cycles);
	else if (r->system->extended && x->cache_sms <= 0)
		snprintf(out, n, "every SM does more by computing");
	else if (fabs(misses) >= 0.005 || fabs(bytes) >= 0.005)
		snprintf(out, n, "LLC misses %+.0f %%, DRAM bytes %+.0f %%", 100 * misses, 100 * bytes);
	else
		snprintf(out, n, "LLC misses and DRAM bytes unchanged");
}
