#include "models/shared_l1/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One uncertain thing, changed. */
struct variant {
	double trip;         /* factor on the way to the home and back */
	double dram;         /* factor on the DRAM's efficiency */
	double beta;         /* at least as uneven homes */
	double static_share; /* -1 = as given */
	enum ct_perf_anchor how;
	int order; /* rates that order decides at the end of their range: -1 low, 1 high */
};

static const struct variant VARIANTS[] = {
	{1, 1, 1, -1, .how = CT_PERF_ANCHOR_MIXED},
	{1, 1, 1, -1, .how = CT_PERF_ANCHOR_PHASES},
	{0.5, 1, 1, -1, .how = CT_PERF_ANCHOR_STATION},
	{1.5, 1, 1, -1, .how = CT_PERF_ANCHOR_STATION},
	{1, 0.9, 1, -1, .how = CT_PERF_ANCHOR_STATION},
	{1, 1.1, 1, -1, .how = CT_PERF_ANCHOR_STATION},
	{1, 1, 1.2, -1, .how = CT_PERF_ANCHOR_STATION},
	{1, 1, 1, 0, .how = CT_PERF_ANCHOR_STATION},
	{1, 1, 1, 1, .how = CT_PERF_ANCHOR_STATION},
	{1, 1, 1, -1, .how = CT_PERF_ANCHOR_STATION, .order = -1},
	{1, 1, 1, -1, .how = CT_PERF_ANCHOR_STATION, .order = 1},
};

static void shift_order(struct ct_sl_inputs *in, int up)
{
	struct ct_sl_rates *const rates[] = {
		&in->priv, &in->plus, &in->priv2, &in->priv16, &in->shared, &in->min};
	for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
		ct_sl_rates_shift(rates[i], up);
}

static double perf_per_watt(const struct ct_sl_estimate *x, const struct ct_sl_estimate *base)
{
	return x->ipc / base->ipc / (x->watt / base->watt);
}

/* Estimates every system with the parameters as they are: the middle of each range. */
static void estimate_central(struct ct_sl_answer *a)
{
	struct ct_sl_estimate x[CT_SL_SYSTEMS];
	const struct ct_sl_estimate *base = &x[CT_SL_PRIVATE];
	ct_sl_estimate_all(&a->model, x);
	ct_sl_estimate_configured(&a->model, &a->configured);
	for (int i = 0; i < CT_SL_SYSTEMS; i++) {
		struct ct_sl_row *r = &a->row[i];
		r->system = ct_sl_system_at((size_t)i);
		r->x = x[i];
		r->speedup = ct_number_begin(base->cycles / x[i].cycles);
		r->speedup_configured = ct_number_begin(a->configured.cycles / x[i].cycles);
		r->perf_per_watt = ct_number_begin(perf_per_watt(&x[i], base));
	}
	a->target = ct_sl_is_target(&a->model.p, base->replication_ratio, base->l1_request_miss_rate,
	                            base->cycles / x[1].cycles - 1);
}

/* Estimates every system again with one uncertain thing changed, and widens the ranges by what comes out. */
static int widen_by_variant(struct ct_sl_answer *a, const struct variant *v,
                            const struct ct_sl_place *place, struct ct_error *e)
{
	const struct ct_sl_model *m = &a->model;
	struct ct_sl_model other;
	struct ct_sl_params p = m->p;
	struct ct_gpu replayed = m->replayed;
	struct ct_sl_estimate x[CT_SL_SYSTEMS], configured;
	struct ct_sl_inputs in = a->in;
	if (v->order)
		shift_order(&in, v->order > 0);
	replayed.dram_efficiency *= v->dram;
	if (v->static_share >= 0)
		p.v[CT_SL_STATIC_SHARE] = v->static_share;
	int st = ct_sl_model_init(&other, m->w, &in, &replayed, &m->gpu, &p, place, v->how, e);
	if (st != CT_OK)
		return st;
	other.trip_factor = v->trip;
	other.beta = fmax(m->beta, v->beta);
	other.camping = fmax(m->camping, v->beta);
	ct_sl_estimate_all(&other, x);
	ct_sl_estimate_configured(&other, &configured);
	for (int i = 0; i < CT_SL_SYSTEMS; i++) {
		struct ct_sl_row *r = &a->row[i];
		ct_number_widen(&r->speedup, x[CT_SL_PRIVATE].cycles / x[i].cycles);
		ct_number_widen(&r->speedup_configured, configured.cycles / x[i].cycles);
		ct_number_widen(&r->perf_per_watt, perf_per_watt(&x[i], &x[CT_SL_PRIVATE]));
	}
	ct_sl_model_free(&other);
	return CT_OK;
}

int ct_sl_answer_init(struct ct_sl_answer *a, const struct ct_profile *p, const struct ct_workload *w,
                      const struct ct_gpu *replayed, const struct ct_gpu *gpu,
                      const struct ct_sl_params *params, const struct ct_sl_place *place,
                      struct ct_error *e)
{
	memset(a, 0, sizeof *a);
	int st = ct_sl_inputs_read(&a->in, p, replayed, gpu, params, e);
	if (st == CT_OK)
		st = ct_sl_model_init(&a->model, w, &a->in, replayed, gpu, params, place,
		                      CT_PERF_ANCHOR_STATION, e);
	if (st != CT_OK)
		return st;
	estimate_central(a);
	unsigned sensitive = ct_sl_rows_sensitive(a->row);
	for (size_t i = 0; i < sizeof VARIANTS / sizeof VARIANTS[0] && st == CT_OK; i++)
		if (!VARIANTS[i].order || sensitive)
			st = widen_by_variant(a, &VARIANTS[i], place, e);
	if (st != CT_OK)
		ct_sl_answer_free(a);
	return st;
}

int ct_sl_row_sensitive(const struct ct_sl_row *r)
{
	return ct_sl_order_sensitive(r->x.edge_fraction);
}

unsigned ct_sl_rows_sensitive(const struct ct_sl_row *rows)
{
	unsigned mask = 0;
	for (unsigned i = 0; i < CT_SL_SYSTEMS; i++)
		if (!rows[i].system->best && ct_sl_row_sensitive(&rows[i]))
			mask |= 1u << i;
	return mask;
}

void ct_sl_answer_free(struct ct_sl_answer *a)
{
	ct_sl_model_free(&a->model);
}

double ct_sl_storage_bytes(const struct ct_sl_model *m, const struct ct_sl_system *s)
{
	double cores = m->gpu.sms, l1 = m->in->l1_bytes * cores;
	double bytes = l1 * (s->l1_factor - 1) + (double)ct_gpu_llc_bytes(&m->gpu) * (s->llc_factor - 1);
	if (s->shared)
		bytes += cores * ct_sl_sharing_bytes(&m->p, s->dynamic);
	if (s->plus)
		bytes += cores * ct_sl_plus_ways(&m->gpu, &m->p) * m->gpu.l1.sets * m->gpu.l1.line;
	return bytes;
}

/* ---- for people ---- */

static unsigned add_note(char out[][CT_SL_NOTE_LEN], unsigned n, const char *text)
{
	if (n < CT_SL_NOTES_MAX)
		snprintf(out[n++], CT_SL_NOTE_LEN, "%s", text);
	return n;
}

/* Which systems' miss rates the order of accesses decides, and how far; as many as fit. */
static unsigned order_note(const struct ct_sl_row *rows, char out[][CT_SL_NOTE_LEN], unsigned n)
{
	enum { REST = 24 };
	char text[CT_SL_NOTE_LEN] = "order-sensitive, ask --method replay: miss rates of";
	size_t at = strlen(text), left = 0;
	unsigned mask = ct_sl_rows_sensitive(rows);
	for (unsigned i = 0; i < CT_SL_SYSTEMS; i++) {
		const struct ct_sl_row *r = &rows[i];
		char one[48];
		if (!(mask >> i & 1))
			continue;
		int len = snprintf(one, sizeof one, " %s %.0f..%.0f %%,", r->system->name,
		                   100 * r->x.miss_low, 100 * r->x.miss_high);
		if (len < 0 || at + (size_t)len + REST > sizeof text) {
			left++;
			continue;
		}
		memcpy(text + at, one, (size_t)len + 1);
		at += (size_t)len;
	}
	if (left)
		snprintf(text + at, sizeof text - at, " and %zu more", left);
	else
		text[at - 1] = '\0';
	return mask ? add_note(out, n, text) : n;
}

/* Either way of anchoring the model explains the replay badly. */
static const double FAR_OFF = 1.5;

unsigned ct_sl_answer_notes(const struct ct_sl_answer *a, const struct ct_sl_row *rows,
                            char out[][CT_SL_NOTE_LEN])
{
	const struct ct_sl_model *m = &a->model;
	const struct ct_sl_row *dyn = &a->row[CT_SL_DYNEB];
	char text[CT_SL_NOTE_LEN];
	unsigned n = 0;
	if (m->noc.kind == CT_SL_NET_FORWARDED && m->gpu.noc == CT_NOC_CROSSBAR)
		n = add_note(
			out, n,
			"the GPU has no SM-to-SM network: remote accesses go through the LLC slices; "
			"see --network");
	if (!(a->in.useful[0] >= 0))
		n = add_note(
			out, n,
			"the profile lacks useful_bytes_32: chunked replies are taken to carry whole "
			"lines");
	if (m->beta > 1.5) {
		int better = a->in.home_load[CT_SL_HOMES_HASH] < 0.8 * m->beta;
		snprintf(text, sizeof text, "homes are uneven: the busiest gets %.2f times the mean%s",
		         m->beta,
		         better ? "; try --homes hash"
		                : ", and hashing them does not help: few lines are hot");
		n = add_note(out, n, text);
	}
	if (dyn->x.sampling_share > 0.25) {
		snprintf(text, sizeof text,
		         "DynEB samples for %.0f %% of the accesses, counting only local ones: "
		         "see --count served",
		         100 * dyn->x.sampling_share);
		n = add_note(out, n,
		             ct_sl_count_of(&m->p) == CT_SL_COUNT_LOCAL
		                     ? text
		                     : "the run is so short that DynEB samples for most of it");
	}
	if (m->perf.ratio > FAR_OFF || m->perf.ratio < 1 / FAR_OFF) {
		snprintf(text, sizeof text,
		         "before it was anchored, the model of time took %.2f times the "
		         "replayed cycles: the range may be too narrow",
		         m->perf.ratio);
		n = add_note(out, n, text);
	}
	return order_note(rows, out, n);
}

static const char *limited_by(const struct ct_sl_estimate *x)
{
	return x->utilisation < 0.5 ? "latency" : ct_sl_station_name(x->bottleneck);
}

void ct_sl_row_why(const struct ct_sl_row *rows, const struct ct_sl_row *r, char *out, size_t n)
{
	const struct ct_sl_estimate *x = &r->x, *base = &rows[CT_SL_PRIVATE].x;
	const char *by = limited_by(x);
	double miss = base->l1_request_miss_rate > 0
	                      ? x->l1_request_miss_rate / base->l1_request_miss_rate - 1
	                      : 0;
	char busy[64];
	ct_perf_busy_text(x->utilisation, x->yield, busy, sizeof busy);
	if (r == &rows[CT_SL_PRIVATE] && x->utilisation > 0)
		snprintf(out, n, "limited by %s (%s)", by, busy);
	else if (r->system->best)
		snprintf(out, n, "%s", x->remote_fraction > 0 ? "Shared++" : "Private");
	else if (r->system->dynamic && isfinite(x->sampling_share))
		snprintf(out, n, "chooses %s, samples %.0f %%", x->chose_shared ? "shared" : "private",
		         100 * x->sampling_share);
	else if (!(x->utilisation > 0)) /* a replay does not say what limits */
		snprintf(out, n, "L1 line misses %+.0f %%", 100 * miss);
	else if (fabs(miss) >= 0.005)
		snprintf(out, n, "L1 line misses %+.0f %%, limited by %s (%.0f %%)", 100 * miss, by,
		         100 * x->utilisation);
	else
		snprintf(out, n, "L1 line misses unchanged, limited by %s", by);
}

void ct_sl_target_why(const struct ct_sl_params *p, const struct ct_sl_row *rows, char *out, size_t n)
{
	const struct ct_sl_estimate *b = &rows[CT_SL_PRIVATE].x;
	double gain = rows[1].speedup.value - 1;
	const double *v = p->v;
	int target = ct_sl_is_target(p, b->replication_ratio, b->l1_request_miss_rate, gain);
	if (isnan(b->replication_ratio)) {
		snprintf(out, n, "no target of the paper: nothing misses an L1");
		return;
	}
	snprintf(out, n,
	         "%s: replication %.0f %% (over %.0f), L1 line misses %.0f %% (over %.0f), 16 times "
	         "the L1 gains %.0f %% (over %.0f)",
	         target ? "a target of the paper" : "no target of the paper", 100 * b->replication_ratio,
	         100 * v[CT_SL_TARGET_REPLICATION], 100 * b->l1_request_miss_rate,
	         100 * v[CT_SL_TARGET_MISS], 100 * gain, 100 * v[CT_SL_TARGET_GAIN]);
}
