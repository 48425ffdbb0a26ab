/* figure_make.c - the figures that are no plain list of series. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "models/morpheus/figures.h"
#include "report/figure.h"

struct point {
	double x, y;
	char text[32];
};

/* Room for the points of one sweep after another. */
struct points {
	struct point *at;
	size_t cap;
	int failed; /* out of memory */
};

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;
	return p->x < q->x ? -1 : p->x > q->x;
}

static int starts(const char *s, const char *word)
{
	return strncmp(s, word, strlen(word)) == 0;
}

/* Points of a sweep, by x; returns how many. key: how it begins (of cores: all of it). */
static size_t sweep(const struct rp_workload *w, const char *mechanism, const char *system,
                    const char *key, const char *metric, struct points *p)
{
	const struct ct_record *r;
	size_t n = 0;
	for (size_t i = 0; (r = ct_profile_next(w->p, "SW", &i));) {
		struct point one;
		if (r->nfields < 9 || strcmp(r->field[0], "all") || strcmp(r->field[1], mechanism) ||
		    strcmp(r->field[2], system) || !starts(r->field[3], key) || strcmp(r->field[5], metric) ||
		    (starts(key, "core:") && strcmp(r->field[3], key)))
			continue;
		if (!ct_field_real(r->field[4], &one.x) || !ct_field_real(r->field[6], &one.y))
			continue;
		if (ct_grow((void **)&p->at, &p->cap, n + 1, sizeof one) < 0) {
			p->failed = 1;
			return 0;
		}
		snprintf(one.text, sizeof one.text, "%s", r->field[4]);
		p->at[n++] = one;
	}
	if (n)
		qsort(p->at, n, sizeof *p->at, by_x);
	return n;
}

static void points_free(struct points *p, struct fg_rows *rows)
{
	rows->failed |= p->failed;
	free(p->at);
}

static double gp(const struct rp_workload *w, const char *key)
{
	double v;
	const char *t = ct_profile_gp(w->p, key);
	return t && ct_field_real(t, &v) ? v : NAN;
}

/* ---- Morpheus ---- */

/* Without a sweep the two counts that are known: the best one and all. */
static size_t two_counts(const struct rp_workload *w, struct points *room)
{
	static const char *const system[] = {"IBL", "BL"};
	struct point p[2];
	size_t n = 0;
	for (int i = 0; i < 2; i++) {
		p[n].x = fg_es(w, "morpheus", system[i], "compute_sms", NULL);
		p[n].y = fg_es(w, "morpheus", system[i], "ipc", NULL);
		if (isnan(p[n].x) || isnan(p[n].y) || (n && p[n].x == p[0].x))
			continue;
		snprintf(p[n].text, sizeof p->text, "%.0f", p[n].x);
		n++;
	}
	if (ct_grow((void **)&room->at, &room->cap, 2, sizeof *p) < 0) {
		room->failed = 1;
		return 0;
	}
	memcpy(room->at, p, n * sizeof *p);
	return n;
}

void fg_ipc_by_sms(const struct rp_run *run, struct fg_rows *rows)
{
	struct points p = {0};
	for (size_t i = 0; i < run->n; i++) {
		const struct rp_workload *w = &run->w[i];
		size_t n = sweep(w, "morpheus", "BL", "sms", "ipc", &p);
		if (n == 0) {
			n = two_counts(w, &p);
			fg_add_missing(rows, "", "", w->name, gp(w, "sm.count") == 1 ? "the GPU has one SM" : FG_SMS_NEEDS);
		}
		for (size_t k = 0; k < n && p.at[0].y > 0; k++)
			fg_add(rows, "", p.at[k].text, w->name, p.at[k].y / p.at[0].y);
	}
	points_free(&p, rows);
}

/* The GPU of a workload's profile, without its options. */
static int gpu_of(const struct rp_workload *w, struct ct_gpu *g)
{
	const struct ct_record *r;
	size_t n = 0;
	ct_gpu_defaults(g);
	for (size_t i = 0; (r = ct_profile_next(w->p, "GP", &i)); n++) {
		char set[512];
		int k = r->nfields >= 2 ? snprintf(set, sizeof set, "%s=%s", r->field[0], r->field[1]) : -1;
		if (k < 0 || (size_t)k >= sizeof set || ct_gpu_set(g, set, NULL) < 0)
			return 0;
	}
	return n > 0 && ct_gpu_check(g, NULL) == CT_OK;
}

void fg_timelines(const struct rp_run *run, struct fg_rows *rows)
{
	struct ct_morpheus_params params;
	struct ct_gpu g;
	ct_morpheus_defaults(&params);
	if (!gpu_of(&run->w[0], &g))
		return;
	for (int i = 0; i < CT_MO_TIMELINES; i++) {
		struct ct_mo_timeline_ns t;
		ct_mo_timeline(&g, &params, (enum ct_mo_timeline)i, &t);
		fg_add(rows, "segments", t.name, "network and LLC", t.llc);
		fg_add(rows, "segments", t.name, "way to the SM and lookup", t.helper);
		fg_add(rows, "segments", t.name, "DRAM", t.dram);
		fg_add(rows, "total", t.name, "total", t.total);
	}
}

void fg_helpers(const struct rp_run *run, struct fg_rows *rows)
{
	static const unsigned warps[] = {1, 8, 16, 32, 48};
	static const char *const name[] = {"registers", "shared memory", "L1"};
	static const enum ct_mo_helper helper[] = {CT_MO_HELPER_RF, CT_MO_HELPER_SHARED, CT_MO_HELPER_L1};
	struct ct_gpu g;
	if (!gpu_of(&run->w[0], &g))
		return;
	for (int h = 0; h < 3; h++)
		for (int i = 0; i < 5; i++) {
			struct ct_mo_helper_point p;
			char x[16];
			if (ct_mo_helper_point(&g, helper[h], warps[i], &p, NULL) != CT_OK)
				continue;
			snprintf(x, sizeof x, "%u", warps[i]);
			fg_add(rows, "capacity, KiB", x, name[h], p.capacity_bytes / 1024);
			fg_add(rows, "latency, ns", x, name[h], p.latency_ns);
			fg_add(rows, "bandwidth, GB/s", x, name[h], p.gbps);
			fg_add(rows, "energy, pJ/B", x, name[h], p.pj_per_byte);
		}
}

/* ---- Shared L1 ---- */

void fg_l1_latency(const struct rp_run *run, struct fg_rows *rows)
{
	struct points p = {0};
	for (size_t i = 0; i < run->n; i++) {
		const struct rp_workload *w = &run->w[i];
		size_t n = sweep(w, "shared-l1", "DynEB", "l1.latency", "speedup", &p);
		char x[32];
		for (size_t k = 0; k < n; k++)
			fg_add(rows, "a: DynEB", p.at[k].text, w->name, p.at[k].y);
		snprintf(x, sizeof x, "%.0f", gp(w, "l1.latency"));
		if (n == 0) {
			fg_add(rows, "a: DynEB", x, w->name, fg_es(w, "shared-l1", "DynEB", "speedup", NULL));
			fg_add_missing(rows, "a: DynEB", "", w->name, FG_LATENCY_NEEDS);
		}
	}
	fg_add_means(rows, 0, "a: DynEB", 0);
	points_free(&p, rows);
	fg_shapes_mesh(run, rows);
}

/* One core of each workload, the one that decides first: Figure 14 follows one too. */
void fg_modes(const struct rp_run *run, struct fg_rows *rows)
{
	struct points p = {0};
	for (size_t i = 0; i < run->n; i++) {
		const struct rp_workload *w = &run->w[i];
		const struct ct_record *r;
		char key[32] = "", series[64];
		for (size_t k = 0; !*key && (r = ct_profile_next(w->p, "SW", &k));)
			if (r->nfields >= 9 && !strcmp(r->field[1], "shared-l1") && !strcmp(r->field[2], "DynEB") &&
			    starts(r->field[3], "core:") && !strcmp(r->field[5], "mode"))
				snprintf(key, sizeof key, "%s", r->field[3]);
		size_t n = *key ? sweep(w, "shared-l1", "DynEB", key, "mode", &p) : 0;
		snprintf(series, sizeof series, "%.40s%s%.20s", w->name, *key ? " " : "", key);
		if (n == 0)
			fg_add_missing(rows, "", "", series, FG_TIMELINE_NEEDS);
		for (size_t k = 0; k < n; k++)
			fg_add(rows, "", p.at[k].text, series, p.at[k].y);
	}
	points_free(&p, rows);
}

/* Sorted speed-ups of a system: position and value. */
static void curve(const struct rp_run *run, const char *panel, const char *system,
                  struct fg_rows *rows)
{
	struct point *p = ct_calloc(run->n, sizeof *p);
	size_t n = 0;
	if (!p) {
		rows->failed = 1;
		return;
	}
	for (size_t i = 0; i < run->n; i++) {
		double v = fg_es(&run->w[i], "shared-l1", system, "speedup", NULL);
		if (!isnan(v))
			p[n++].x = v;
	}
	qsort(p, n, sizeof *p, by_x);
	for (size_t i = 0; i < n; i++) {
		char x[24];
		snprintf(x, sizeof x, "%zu", i + 1);
		fg_add(rows, panel, x, system, p[i].x);
	}
	free(p);
}

void fg_curve_mesh(const struct rp_run *run, struct fg_rows *rows)
{
	curve(run, "", "Shared", rows);
	curve(run, "", "Shared+Chunk", rows);
	curve(run, "", "Shared++", rows);
	curve(run, "", "DynEB", rows);
}

void fg_curve_crossbar(const struct rp_run *run, struct fg_rows *rows)
{
	curve(run, "b", "Shared", rows);
	curve(run, "b", "Shared+Chunk", rows);
	curve(run, "b", "DynEB", rows);
}

/* "(cores,partitions)" of the profile's GPU. */
static void shape_of(const struct rp_workload *w, char x[48])
{
	snprintf(x, 48, "(%.0f,%.0f)", gp(w, "sm.count"), gp(w, "llc.partitions"));
}

/* SF passes the paper's target test (SL-M5), NS does not. */
static int is_friendly(const struct rp_workload *w)
{
	return rp_sn(w, "replication_ratio") > 0.1 && rp_sn(w, "l1_miss_rate") > 0.5 &&
	       fg_es(w, "shared-l1", "16x-L1", "speedup", NULL) > 1.05;
}

/* Of the workloads of one class on GPUs of the shape x. */
static void shape(const struct rp_run *run, const char *panel, const char *x, const char *system,
                  int friendly, struct fg_rows *rows)
{
	char series[64], own[48];
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < run->n; i++) {
		const struct rp_workload *w = &run->w[i];
		double v = fg_es(w, "shared-l1", system, "speedup", NULL);
		shape_of(w, own);
		if (!(v > 0) || strcmp(own, x) != 0 || is_friendly(w) != friendly)
			continue;
		sum += log(v);
		n++;
	}
	snprintf(series, sizeof series, "%.40s, %s", system, friendly ? "SF" : "NS");
	if (n)
		fg_add(rows, panel, x, series, exp(sum / (double)n));
	else
		fg_add_missing(rows, panel, x, series, friendly ? "no workload passes the paper's test for SF (SL-M5)"
		                                                : "every workload passes the test for SF (SL-M5)");
}

/* Geometric means by the GPU of the profile and by the class of the workload. */
static void shapes(const struct rp_run *run, const char *panel, const char *const *system,
                   size_t n_systems, struct fg_rows *rows)
{
	int any = 0;
	for (size_t i = 0; i < run->n; i++)
		any |= fg_es(&run->w[i], "shared-l1", system[0], "speedup", NULL) > 0;
	for (size_t i = 0; i < run->n && any; i++) {
		char x[48], earlier[48];
		size_t k = 0;
		shape_of(&run->w[i], x);
		for (; k < i; k++) {
			shape_of(&run->w[k], earlier);
			if (strcmp(x, earlier) == 0)
				break;
		}
		for (size_t s = 0; s < n_systems && k == i; s++) {
			shape(run, panel, x, system[s], 1, rows);
			shape(run, panel, x, system[s], 0, rows);
		}
	}
}

void fg_shapes_mesh(const struct rp_run *run, struct fg_rows *rows)
{
	static const char *const system[] = {"Shared++", "DynEB"};
	shapes(run, "b", system, 2, rows);
}

void fg_shapes_crossbar(const struct rp_run *run, struct fg_rows *rows)
{
	static const char *const system[] = {"Shared+Chunk", "DynEB"};
	shapes(run, "", system, 2, rows);
}

/* ---- Malekeh ---- */

void fg_register_distances(const struct rp_run *run, struct fg_rows *rows)
{
	struct ct_hist *h = ct_calloc(1, sizeof *h);
	if (!h)
		rows->failed = 1;
	for (size_t i = 0; h && i < run->n; i++) {
		const struct rp_workload *w = &run->w[i];
		memset(h, 0, sizeof *h);
		if (!ct_profile_get_hist(w->p, "all", "reg_insts", h, NULL)) {
			fg_add_missing(rows, "", "", w->name, "run reuse: the profile has no register distances");
			continue;
		}
		double used = (double)(ct_hist_total(h) - h->cold), below = ct_hist_hits(h, 1);
		for (int d = 1; d <= 10 && used > 0; d++) {
			char x[12];
			double hits = ct_hist_hits(h, d + 1);
			snprintf(x, sizeof x, "%d", d);
			fg_add(rows, "", x, w->name, (hits - below) / used);
			below = hits;
		}
		if (used > 0)
			fg_add(rows, "", ">10", w->name, 1 - below / used);
	}
	free(h);
}

static void sthld_panel(const struct rp_workload *w, const char *metric, const char *panel,
                        struct points *p, struct fg_rows *rows)
{
	size_t n = sweep(w, "malekeh", "Malekeh", "sthld", metric, p);
	char x[32];
	for (size_t k = 0; k < n; k++)
		fg_add(rows, panel, p->at[k].text, w->name, p->at[k].y);
	if (n)
		return;
	/* Without a sweep: where the machine settled. */
	snprintf(x, sizeof x, "%.3g", fg_es(w, "malekeh", "Malekeh", "sthld_mean", NULL));
	if (strcmp(x, "nan") != 0)
		fg_add(rows, panel, x, w->name, fg_es(w, "malekeh", "Malekeh", metric, NULL));
	fg_add_missing(rows, panel, "", w->name, FG_STHLD_NEEDS);
}

void fg_sthld(const struct rp_run *run, struct fg_rows *rows)
{
	struct points p = {0};
	for (size_t i = 0; i < run->n; i++) {
		sthld_panel(&run->w[i], "speedup", "IPC", &p, rows);
		sthld_panel(&run->w[i], "rf_hit_ratio", "hit ratio", &p, rows);
	}
	points_free(&p, rows);
}

/* The L1's own rate: register systems change its order of accesses only a little, and the
 * measurement replays the baseline's. */
void fg_l1d_hits(const struct rp_run *run, struct fg_rows *rows)
{
	for (size_t i = 0; i < run->n; i++) {
		double miss = rp_sn(&run->w[i], "l1_miss_rate");
		if (isnan(miss))
			fg_add_missing(rows, "", run->w[i].name, "baseline", "no access to global memory");
		else
			fg_add(rows, "", run->w[i].name, "baseline", 1 - miss);
	}
}

/* ---- Tag-Split ---- */

/* Storage of a private tag of p bits: 208 + 48 p bytes (TS-C3). */
static double tag_bytes(int p)
{
	return 208 + 48.0 * p;
}

void fg_private_tags(const struct rp_run *run, struct fg_rows *rows)
{
	struct points p = {0};
	for (int bits = 0; bits <= 20; bits++) {
		char x[12];
		snprintf(x, sizeof x, "%d", bits);
		fg_add(rows, "storage, bytes", x, "TSC", tag_bytes(bits));
	}
	for (size_t i = 0; i < run->n; i++) {
		const struct rp_workload *w = &run->w[i];
		size_t n = sweep(w, "tag-split", "TSC", "private", "speedup", &p);
		for (size_t k = 0; k < n; k++)
			fg_add(rows, "IPC", p.at[k].text, w->name, p.at[k].y);
		if (n == 0) {
			fg_add(rows, "IPC", "8", w->name, fg_es(w, "tag-split", "TSC", "speedup", NULL));
			fg_add_missing(rows, "IPC", "", w->name, FG_PRIVATE_NEEDS);
		}
	}
	fg_add_means(rows, 0, "IPC", 0);
	points_free(&p, rows);
}

void fg_chunks(const struct rp_run *run, struct fg_rows *rows)
{
	struct points p = {0};
	for (size_t i = 0; i < run->n; i++) {
		const struct rp_workload *w = &run->w[i];
		size_t n = sweep(w, "tag-split", "TSC", "chunk", "speedup", &p);
		for (size_t k = 0; k < n; k++) {
			char name[48];
			snprintf(name, sizeof name, "%.30s B", p.at[k].text);
			fg_add(rows, "", w->name, name, p.at[k].y);
		}
		if (n == 0) {
			fg_add(rows, "", w->name, "32 B", fg_es(w, "tag-split", "TSC", "speedup", NULL));
			fg_add_missing(rows, "", w->name, "8 B, 16 B, 64 B", FG_CHUNK_NEEDS);
		}
	}
	fg_add_means(rows, 0, "", 1);
	points_free(&p, rows);
}

void fg_traffic(const struct rp_run *run, struct fg_rows *rows)
{
	static const char *const system[] = {"128B", "LAMAR", "TSC"};
	static const char *const name[] = {"baseline", "LAMAR", "TSC"};
	for (size_t i = 0; i < run->n; i++) {
		const struct rp_workload *w = &run->w[i];
		double base = fg_es(w, "tag-split", "128B", "traffic_l2_to_l1_bytes", NULL);
		if (!(base > 0))
			fg_add_missing(rows, name[0], w->name, "L2 to L1", base == 0 ? "nothing comes from L2"
			                                                            : "run reuse --mechanisms all");
		for (int s = 0; s < 3 && base > 0; s++) {
			double up = fg_es(w, "tag-split", system[s], "traffic_l1_to_l2_bytes", NULL);
			double down = fg_es(w, "tag-split", system[s], "traffic_l2_to_l1_bytes", NULL);
			fg_add(rows, name[s], w->name, "L1 to L2", up / base);
			fg_add(rows, name[s], w->name, "L2 to L1", down / base);
		}
	}
}

void fg_overheads(const struct rp_run *run, struct fg_rows *rows)
{
	static const char *const system[] = {"LAMAR", "DSC-2", "DSC-4", "MRPB", "TSC", "TSC+"};
	for (int s = 0; s < 6; s++)
		for (size_t i = 0; i < run->n; i++) {
			double v = fg_es(&run->w[i], "tag-split", system[s], "storage_bytes", NULL);
			if (isnan(v))
				continue;
			fg_add(rows, "storage, KB", "per L1", system[s], v / 1024);
			break; /* of the structure, not of the workload */
		}
}
