/* The records of an answer: ES, and SW of a sweep. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/common/records.h"
#include "models/shared_l1/records.h"

static const char MECHANISM[] = "shared-l1";
static const char METHOD[] = "analytic";

/* Gives a value a range that reaches as far as another value, to either side; NaN: no range. */
static void put_between(struct ct_records *w, const char *metric, double v, double other)
{
	int any = isfinite(v) && isfinite(other);
	ct_records_between(w, metric, v, any ? fmin(v, other) : NAN, any ? fmax(v, other) : NAN);
}

static double per_kilo(const struct ct_sl_answer *a, double n)
{
	return 1000 * n / a->model.w->thread_insts;
}

/* Writes what is known of one system; base is Private, which ratios are against. */
static void write_row(struct ct_records *w, const struct ct_sl_answer *a,
                      const struct ct_sl_estimate *base, const struct ct_sl_row *r)
{
	const struct ct_sl_estimate *x = &r->x;
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
	ct_records_value(w, "l1_miss_rate", x->l1_miss_rate);
	ct_records_between(w, "l1_request_miss_rate", x->l1_request_miss_rate, x->miss_low,
	                   x->miss_high);
	ct_records_value(w, "edge_fraction", x->edge_fraction);
	ct_records_value(w, "storage_bytes", ct_sl_storage_bytes(&a->model, r->system));
	put_between(w, "replication_ratio", x->replication_ratio, x->replication_other);
	put_between(w, "replicas_mean", x->replicas, x->replicas_other);
	ct_records_value(w, "remote_fraction", x->remote_fraction);
	ct_records_value(w, "reply_latency_ratio", x->reply_latency / base->reply_latency);
	ct_records_value(w, "eb", x->eb);
	ct_records_value(w, "amat", x->amat);
	ct_records_value(w, "home_imbalance", x->home_imbalance);
}

int ct_sl_rows_write(const struct ct_sl_answer *a, const struct ct_sl_row *rows, unsigned systems,
                     const char *method, struct ct_profile *p, struct ct_error *e)
{
	struct ct_records w = {.p = p, .e = e, .mechanism = MECHANISM, .method = method};
	for (int i = 0; i < CT_SL_SYSTEMS; i++)
		if (systems >> i & 1)
			write_row(&w, a, &rows[CT_SL_PRIVATE].x, &rows[i]);
	return w.status;
}

int ct_sl_answer_write(const struct ct_sl_answer *a, struct ct_profile *p, struct ct_error *e)
{
	return ct_sl_rows_write(a, a->row, CT_SL_ALL, METHOD, p, e);
}

/* ---- sweeps ---- */

/* Private streams do not know how many cores there are; shared ones get more sets. The
 * histograms' rate goes with what is known of all cores. */
static void sweep_cores(const struct ct_sl_answer *a, const struct ct_sl_curves *c, double cores,
                        const char *x, struct ct_records *w)
{
	struct ct_l1_parts parts;
	struct ct_sl_rates all, r;
	enum ct_sl_homes homes = a->model.p.homes;
	ct_sl_parts(w->p, &a->model.gpu, 1, &parts);
	ct_sl_shared(c, &parts, a->model.gpu.sms, homes, &all);
	ct_sl_shared(c, &parts, (unsigned)cores, homes, &r);
	double known = ct_sl_miss_rate(&a->in.shared), then = ct_sl_miss_rate(&all);
	w->system = "Private";
	ct_records_point(w, "cores", x, "l1_request_miss_rate", ct_sl_miss_rate(&a->in.priv));
	w->system = "Shared";
	ct_records_point(w, "cores", x, "l1_request_miss_rate",
	                 then > 0 ? fmin(known * (ct_sl_miss_rate(&r) / then), 1) : known);
}

/* Every system on the GPU with that key changed. */
static int sweep_gpu(const struct ct_sl_answer *a, const struct ct_sl_curves *c, const char *key,
                     const char *at, struct ct_records *w)
{
	const struct ct_sl_model *m = &a->model;
	struct ct_gpu g = m->gpu;
	char set[CT_RANGE_KEY_MAX + CT_RANGE_PART_MAX];
	snprintf(set, sizeof set, "%s=%s", key, at);
	int st = ct_gpu_set(&g, set, w->e);
	if (st == CT_OK)
		st = ct_gpu_check(&g, w->e);
	if (st != CT_OK)
		return st;
	struct ct_sl_inputs in;
	struct ct_sl_model other;
	struct ct_sl_estimate x[CT_SL_SYSTEMS];
	ct_sl_inputs_from(&in, c, w->p, &m->replayed, &g, &m->p);
	st = ct_sl_model_init(&other, m->w, &in, &m->replayed, &g, &m->p,
	                      m->noc.kind == CT_SL_NET_MESH ? &m->noc.place : NULL,
	                      CT_PERF_ANCHOR_STATION, w->e);
	if (st != CT_OK)
		return st;
	ct_sl_estimate_all(&other, x);
	for (size_t i = 0; i < CT_SL_SYSTEMS; i++) {
		w->system = ct_sl_system_at(i)->name;
		ct_records_point(w, key, at, "ipc",
		                 m->w->thread_insts / (x[i].cycles + m->w->launch_cycles));
		ct_records_point(w, key, at, "speedup", x[CT_SL_PRIVATE].cycles / x[i].cycles);
		ct_records_point(w, key, at, "l1_request_miss_rate", x[i].l1_request_miss_rate);
	}
	ct_sl_model_free(&other);
	return w->status;
}

int ct_sl_answer_sweep(const struct ct_sl_answer *a, const struct ct_range_spec *range,
                       struct ct_profile *p, struct ct_error *e)
{
	struct ct_records w = {.p = p, .e = e, .mechanism = MECHANISM, .method = METHOD};
	struct ct_sl_curves *c;
	int cores = !strcmp(range->key, "cores");
	size_t points = ct_range_points(range);
	if (!cores && strcmp(range->key, "l1.latency") != 0 && strcmp(range->key, "l1.size") != 0)
		return ct_fail(e, CT_ERR_USAGE, "a sweep of %s: use l1.latency, l1.size or cores",
		               range->key);
	int st = ct_sl_curves_load(&c, p, e);
	if (st != CT_OK)
		return st;
	for (size_t i = 0; i < points && st == CT_OK; i++) {
		char x[CT_RANGE_PART_MAX];
		ct_range_text_at(range, i, x, sizeof x);
		if (cores)
			sweep_cores(a, c, ct_range_at(range, i), x, &w);
		st = cores ? w.status : sweep_gpu(a, c, range->key, x, &w);
	}
	ct_sl_curves_free(c);
	return st;
}
