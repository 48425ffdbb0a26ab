/* The records of an answer: ES, and SW of a sweep. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/shared_l1/records.h"

static const char MECHANISM[] = "shared-l1";
static const char SCOPE[] = "all";
static const char METHOD[] = "analytic";

struct writer {
	struct ct_profile *p;
	struct ct_error *e;
	const char *system, *method;
	int status;
};

static void put(struct writer *w, const char *metric, double v, double low, double high)
{
	struct ct_estimate es = { .scope = SCOPE, .mechanism = MECHANISM, .system = w->system,
		                  .metric = metric, .method = w->method, .value = v, .low = low,
		                  .high = high };
	if (w->status == CT_OK)
		w->status = ct_profile_add_estimate(w->p, &es, w->e);
}

static void put_one(struct writer *w, const char *metric, double v)
{
	put(w, metric, v, NAN, NAN);
}

/* A value that may go as far as another one, to either side; NaN: no range. */
static void put_between(struct writer *w, const char *metric, double v, double other)
{
	int any = isfinite(v) && isfinite(other);
	put(w, metric, v, any ? fmin(v, other) : NAN, any ? fmax(v, other) : NAN);
}

static void put_range(struct writer *w, const char *metric, const struct ct_sl_range *r)
{
	put(w, metric, r->value, r->low, r->high);
}

static double per_kilo(const struct ct_sl_answer *a, double n)
{
	return 1000 * n / a->model.w->thread_insts;
}

static void write_row(struct writer *w, const struct ct_sl_answer *a,
                      const struct ct_sl_estimate *base, const struct ct_sl_row *r)
{
	const struct ct_sl_estimate *x = &r->x;
	const struct ct_workload *load = a->model.w;
	w->system = r->system->name;
	put_one(w, "cycles", x->cycles + load->launch_cycles);
	put_one(w, "ipc", load->thread_insts / (x->cycles + load->launch_cycles));
	put_range(w, "speedup", &r->speedup);
	put_range(w, "speedup_configured", &r->speedup_configured);
	put_range(w, "perf_per_watt", &r->perf_per_watt);
	put_one(w, "energy_j", x->joule);
	put_one(w, "llc_mpki", per_kilo(a, x->llc_misses));
	put_one(w, "l1_mpki", per_kilo(a, x->l1_sector_misses));
	put_one(w, "l1_miss_rate", x->l1_miss_rate);
	put(w, "l1_request_miss_rate", x->l1_request_miss_rate, x->miss_low, x->miss_high);
	put_one(w, "edge_fraction", x->edge_fraction);
	put_one(w, "storage_bytes", ct_sl_storage_bytes(&a->model, r->system));
	put_between(w, "replication_ratio", x->replication_ratio, x->replication_other);
	put_between(w, "replicas_mean", x->replicas, x->replicas_other);
	put_one(w, "remote_fraction", x->remote_fraction);
	put_one(w, "reply_latency_ratio", x->reply_latency / base->reply_latency);
	put_one(w, "eb", x->eb);
	put_one(w, "amat", x->amat);
	put_one(w, "home_imbalance", x->home_imbalance);
}

int ct_sl_rows_write(const struct ct_sl_answer *a, const struct ct_sl_row *rows,
                     unsigned systems, const char *method, struct ct_profile *p, struct ct_error *e)
{
	struct writer w = { p, e, NULL, method, CT_OK };
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

static int put_point(struct ct_profile *p, const char *system, const char *key, uint64_t at,
                     const char *metric, double v, struct ct_error *e)
{
	char x[24];
	snprintf(x, sizeof x, "%llu", (unsigned long long)at);
	struct ct_sweep_point sw = { .scope = SCOPE, .mechanism = MECHANISM, .system = system,
		                     .key = key, .x = x, .metric = metric, .method = METHOD, .value = v };
	return ct_profile_add_sweep(p, &sw, e);
}

static int put_rates(struct ct_profile *p, const char *system, const char *key, uint64_t at,
                     const struct ct_sl_rates *r, struct ct_error *e)
{
	return put_point(p, system, key, at, "l1_request_miss_rate", ct_sl_miss_rate(r), e);
}

/* Private streams do not know how many cores there are; shared ones get more sets. The
 * histograms' rate goes with what is known of all cores. */
static int sweep_cores(const struct ct_sl_answer *a, const struct ct_sl_curves *c, uint64_t n,
                       struct ct_profile *p, struct ct_error *e)
{
	struct ct_l1_parts parts;
	struct ct_sl_rates all, r;
	enum ct_sl_homes homes = a->model.p.homes;
	int st = put_rates(p, "Private", "cores", n, &a->in.priv, e);
	ct_sl_parts(p, &a->model.gpu, 1, &parts);
	ct_sl_shared(c, &parts, a->model.gpu.sms, homes, &all);
	ct_sl_shared(c, &parts, (unsigned)n, homes, &r);
	double known = ct_sl_miss_rate(&a->in.shared), then = ct_sl_miss_rate(&all);
	double rate = then > 0 ? fmin(known * (ct_sl_miss_rate(&r) / then), 1) : known;
	return st == CT_OK ? put_point(p, "Shared", "cores", n, "l1_request_miss_rate", rate, e) : st;
}

static int sweep_gpu(const struct ct_sl_answer *a, const struct ct_sl_curves *c, const char *key,
                     uint64_t at, struct ct_profile *p, struct ct_error *e)
{
	const struct ct_sl_model *m = &a->model;
	struct ct_gpu g = m->gpu;
	char set[48];
	snprintf(set, sizeof set, "%s=%llu", key, (unsigned long long)at);
	int st = ct_gpu_set(&g, set, e);
	if (st == CT_OK)
		st = ct_gpu_check(&g, e);
	if (st != CT_OK)
		return st;
	struct ct_sl_inputs in;
	struct ct_sl_model other;
	struct ct_sl_estimate x[CT_SL_SYSTEMS];
	ct_sl_inputs_from(&in, c, p, &m->replayed, &g, &m->p);
	st = ct_sl_model_init(&other, m->w, &in, &m->replayed, &g, &m->p,
	                      m->noc.kind == CT_SL_NET_MESH ? &m->noc.place : NULL,
	                      CT_PERF_ANCHOR_STATION, e);
	if (st != CT_OK)
		return st;
	ct_sl_estimate_all(&other, x);
	for (size_t i = 0; i < CT_SL_SYSTEMS && st == CT_OK; i++) {
		const char *name = ct_sl_system_at(i)->name;
		st = put_point(p, name, key, at, "ipc", x[i].ipc, e);
		if (st == CT_OK)
			st = put_point(p, name, key, at, "speedup", x[CT_SL_PRIVATE].cycles / x[i].cycles, e);
		if (st == CT_OK)
			st = put_point(p, name, key, at, "l1_request_miss_rate", x[i].l1_request_miss_rate, e);
	}
	ct_sl_model_free(&other);
	return st;
}

int ct_sl_answer_sweep(const struct ct_sl_answer *a, const char *key, uint64_t first,
                       uint64_t last, uint64_t step, struct ct_profile *p, struct ct_error *e)
{
	struct ct_sl_curves *c;
	int cores = !strcmp(key, "cores");
	if (!cores && strcmp(key, "l1.latency") != 0 && strcmp(key, "l1.size") != 0)
		return ct_fail(e, CT_ERR_USAGE, "a sweep of %s: use l1.latency, l1.size or cores", key);
	int st = ct_sl_curves_load(&c, p, e);
	if (st != CT_OK)
		return st;
	for (uint64_t at = first; at <= last && st == CT_OK; at = step ? at + step : at * 2)
		st = cores ? sweep_cores(a, c, at, p, e) : sweep_gpu(a, c, key, at, p, e);
	ct_sl_curves_free(c);
	return st;
}
