/* figure_list.c - the data figures of the paper and what each draws. */
#include "models/shared_l1/figure_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NAME "shared-l1"

/* What makes the data that a profile lacks. */
#define LATENCY_NEEDS "run sharedl1-est --sweep l1.latency=8..64:8"
#define TIMELINE_NEEDS "run sharedl1-est --timeline"
#define RUN_REUSE "run reuse"
#define RUN_ESTIMATOR "run sharedl1-est"

static const struct ct_figure_series figure_1[] = {
	CT_FIGURE_SN("replication ratio", "Private", "replication_ratio"),
	CT_FIGURE_SN("L1 miss rate", "Private", "l1_miss_rate"),
	CT_FIGURE_ES("IPC over Private", "16x-L1", NAME, "16x-L1", "speedup"),
};
static const struct ct_figure_series figure_2[] = {
	CT_FIGURE_ES("IPC", "Hypothetical", NAME, "Hypothetical", "speedup"),
	CT_FIGURE_OVER("L1 miss rate", "Hypothetical", NAME, "Hypothetical", "l1_miss_rate", "Private"),
};
static const struct ct_figure_series figure_5[] = {
	CT_FIGURE_ES("IPC", "Shared", NAME, "Shared", "speedup"),
	CT_FIGURE_ES("IPC", "Shared+Chunk", NAME, "Shared+Chunk", "speedup"),
	CT_FIGURE_ES("IPC", "Shared++", NAME, "Shared++", "speedup"),
	CT_FIGURE_OVER("L1 miss rate", "Shared", NAME, "Shared", "l1_miss_rate", "Private"),
	CT_FIGURE_OVER("L1 miss rate", "Shared+Chunk", NAME, "Shared+Chunk", "l1_miss_rate", "Private"),
	CT_FIGURE_OVER("L1 miss rate", "Shared++", NAME, "Shared++", "l1_miss_rate", "Private"),
	CT_FIGURE_ES("reply latency", "Shared", NAME, "Shared", "reply_latency_ratio"),
	CT_FIGURE_ES("reply latency", "Shared+Chunk", NAME, "Shared+Chunk", "reply_latency_ratio"),
	CT_FIGURE_ES("reply latency", "Shared++", NAME, "Shared++", "reply_latency_ratio"),
};
static const struct ct_figure_series figure_6[] = {
	CT_FIGURE_SN("", "32 B", "useful_bytes_32"),
	CT_FIGURE_SN("", "64 B", "useful_bytes_64"),
	CT_FIGURE_SN("", "96 B", "useful_bytes_96"),
	CT_FIGURE_SN("", "128 B", "useful_bytes_128"),
};
static const struct ct_figure_series figure_7[] = {
	CT_FIGURE_ES("", "Shared++", NAME, "Shared++", "speedup")};
static const struct ct_figure_series figure_9[] = {
	CT_FIGURE_ES("a", "Shared++", NAME, "Shared++", "speedup"),
	CT_FIGURE_ES("a", "DynAMAT", NAME, "DynAMAT", "speedup"),
	CT_FIGURE_ES("a", "DynAMAT+L1MRpr", NAME, "DynAMAT+L1MRpr", "speedup"),
	CT_FIGURE_ES("b", "Shared++", NAME, "Shared++", "speedup"),
	CT_FIGURE_ES("b", "DynEB", NAME, "DynEB-noguard", "speedup"),
	CT_FIGURE_ES("b", "DynEB+L1MRpr", NAME, "DynEB", "speedup"),
};
static const struct ct_figure_series figure_10[] = {
	CT_FIGURE_ES("", "Shared++", NAME, "Shared++", "speedup"),
	CT_FIGURE_ES("", "DynEB", NAME, "DynEB", "speedup"),
	CT_FIGURE_ES("", "Best(Private,Shared++)", NAME, "Best", "speedup"),
};
static const struct ct_figure_series figure_12[] = {
	CT_FIGURE_ES("", "Private", NAME, "Private", "replicas_mean"),
	CT_FIGURE_ES("", "DynEB", NAME, "DynEB", "replicas_mean"),
	CT_FIGURE_ES("", "Shared++", NAME, "Shared++", "replicas_mean"),
};
static const struct ct_figure_series figure_13[] = {
	CT_FIGURE_OVER("", "Shared++", NAME, "Shared++", "l1_miss_rate", "Private"),
	CT_FIGURE_OVER("", "DynEB", NAME, "DynEB", "l1_miss_rate", "Private"),
};
static const struct ct_figure_series figure_16[] = {
	CT_FIGURE_SN("private: rates", "replication ratio", "replication_ratio"),
	CT_FIGURE_SN("private: rates", "L1 miss rate", "l1_miss_rate"),
	CT_FIGURE_ES("DynEB over Private", "IPC", NAME, "DynEB", "speedup"),
	CT_FIGURE_OVER("DynEB over Private", "L1 miss rate", NAME, "DynEB", "l1_miss_rate", "Private"),
};
static const struct ct_figure_series figure_17[] = {
	CT_FIGURE_ES("a", "Shared+Chunk", NAME, "Shared+Chunk", "speedup"),
	CT_FIGURE_ES("a", "DynEB", NAME, "DynEB", "speedup"),
};

/* "(cores,partitions)" of the profile's GPU. */
static void name_shape(const struct ct_figure_workload *w, char x[48])
{
	snprintf(x, 48, "(%.0f,%.0f)", ct_figure_gp(w, "sm.count"), ct_figure_gp(w, "llc.partitions"));
}

/* SF passes the paper's target test (reading target-test), NS does not. */
static int is_shared_friendly(const struct ct_figure_workload *w)
{
	return ct_figure_sn(w, "replication_ratio") > 0.1 && ct_figure_sn(w, "l1_miss_rate") > 0.5 &&
	       ct_figure_es(w, NAME, "16x-L1", "speedup", NULL) > 1.05;
}

/* Of the workloads of one class on GPUs of the shape x. */
static void add_shape(const struct ct_figure_run *run, const char *panel, const char *x,
                      const char *system, int friendly, struct ct_figure_rows *rows)
{
	char series[64], own[48];
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < run->n; i++) {
		const struct ct_figure_workload *w = &run->workload[i];
		double v = ct_figure_es(w, NAME, system, "speedup", NULL);
		name_shape(w, own);
		if (!(v > 0) || strcmp(own, x) != 0 || is_shared_friendly(w) != friendly)
			continue;
		sum += log(v);
		n++;
	}
	snprintf(series, sizeof series, "%.40s, %s", system, friendly ? "SF" : "NS");
	if (n)
		ct_figure_add(rows, panel, x, series, exp(sum / (double)n));
	else
		ct_figure_add_missing(rows, panel, x, series,
		                      friendly ? "no workload passes the paper's test for SF"
		                               : "every workload passes the test for SF");
}

/* Geometric means by the GPU of the profile and by the class of the workload. */
static void add_shapes(const struct ct_figure_run *run, const char *panel, const char *const *system,
                       size_t n_systems, struct ct_figure_rows *rows)
{
	int any = 0;
	for (size_t i = 0; i < run->n; i++)
		any |= ct_figure_es(&run->workload[i], NAME, system[0], "speedup", NULL) > 0;
	for (size_t i = 0; i < run->n && any; i++) {
		char x[48], earlier[48];
		size_t k = 0;
		name_shape(&run->workload[i], x);
		for (; k < i; k++) {
			name_shape(&run->workload[k], earlier);
			if (strcmp(x, earlier) == 0)
				break;
		}
		for (size_t s = 0; s < n_systems && k == i; s++) {
			add_shape(run, panel, x, system[s], 1, rows);
			add_shape(run, panel, x, system[s], 0, rows);
		}
	}
}

static void make_shapes_mesh(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	static const char *const system[] = {"Shared++", "DynEB"};
	add_shapes(run, "b", system, 2, rows);
}

static void make_shapes_crossbar(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	static const char *const system[] = {"Shared+Chunk", "DynEB"};
	add_shapes(run, "", system, 2, rows);
}

/* The speed-up by the latency of an L1, from a sweep, or at the GPU's own latency. */
static void make_l1_latency(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	struct ct_figure_points p = {0};
	for (size_t i = 0; i < run->n; i++) {
		const struct ct_figure_workload *w = &run->workload[i];
		size_t n = ct_figure_sweep(w, NAME, "DynEB", "l1.latency", "speedup", &p);
		char x[32];
		for (size_t k = 0; k < n; k++)
			ct_figure_add(rows, "a: DynEB", p.at[k].text, w->name, p.at[k].y);
		snprintf(x, sizeof x, "%.0f", ct_figure_gp(w, "l1.latency"));
		if (n == 0) {
			ct_figure_add(rows, "a: DynEB", x, w->name,
			              ct_figure_es(w, NAME, "DynEB", "speedup", NULL));
			ct_figure_add_missing(rows, "a: DynEB", "", w->name, LATENCY_NEEDS);
		}
	}
	ct_figure_add_means(rows, 0, "a: DynEB", 0);
	ct_figure_points_free(&p, rows);
	make_shapes_mesh(run, rows);
}

/* One core of each workload, the one that decides first: Figure 14 follows one too. */
static void make_modes(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	struct ct_figure_points p = {0};
	for (size_t i = 0; i < run->n; i++) {
		const struct ct_figure_workload *w = &run->workload[i];
		const struct ct_record *r;
		char key[32] = "", series[64];
		for (size_t k = 0; !*key && (r = ct_profile_next(w->p, "SW", &k));)
			if (r->nfields >= 9 && !strcmp(r->field[1], NAME) &&
			    !strcmp(r->field[2], "DynEB") && !strncmp(r->field[3], "core:", 5) &&
			    !strcmp(r->field[5], "mode"))
				snprintf(key, sizeof key, "%s", r->field[3]);
		size_t n = *key ? ct_figure_sweep(w, NAME, "DynEB", key, "mode", &p) : 0;
		snprintf(series, sizeof series, "%.40s%s%.20s", w->name, *key ? " " : "", key);
		if (n == 0)
			ct_figure_add_missing(rows, "", "", series, TIMELINE_NEEDS);
		for (size_t k = 0; k < n; k++)
			ct_figure_add(rows, "", p.at[k].text, series, p.at[k].y);
	}
	ct_figure_points_free(&p, rows);
}

/* Sorted speed-ups of a system: position and value. */
static void add_sorted_curve(const struct ct_figure_run *run, const char *panel, const char *system,
                             struct ct_figure_rows *rows)
{
	struct ct_figure_point *p = ct_calloc(run->n, sizeof *p);
	size_t n = 0;
	if (!p) {
		rows->failed = 1;
		return;
	}
	for (size_t i = 0; i < run->n; i++) {
		double v = ct_figure_es(&run->workload[i], NAME, system, "speedup", NULL);
		if (!isnan(v))
			p[n++].x = v;
	}
	qsort(p, n, sizeof *p, ct_figure_by_x);
	for (size_t i = 0; i < n; i++) {
		char x[24];
		snprintf(x, sizeof x, "%zu", i + 1);
		ct_figure_add(rows, panel, x, system, p[i].x);
	}
	free(p);
}

static void make_curve_mesh(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	add_sorted_curve(run, "", "Shared", rows);
	add_sorted_curve(run, "", "Shared+Chunk", rows);
	add_sorted_curve(run, "", "Shared++", rows);
	add_sorted_curve(run, "", "DynEB", rows);
}

static void make_curve_crossbar(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	add_sorted_curve(run, "b", "Shared", rows);
	add_sorted_curve(run, "b", "Shared+Chunk", rows);
	add_sorted_curve(run, "b", "DynEB", rows);
}

/* id, title, x, y, needs, drawing, mean, series, n, make, percent, log x */
static const struct ct_figure figures[] = {
	{"shared-l1:1", "Replication, L1 misses, and IPC with an L1 of 16 times the size", "workload",
         "", RUN_ESTIMATOR, CT_FIGURE_BARS, CT_FIGURE_NO_MEAN, CT_FIGURE_LIST(figure_1), NULL, 0, 0},
	{"shared-l1:2", "Shared L1s without cost of communication, over private ones", "workload", "",
         RUN_ESTIMATOR, CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_2), NULL, 0, 0},
	{"shared-l1:5", "Shared L1s and their optimisations, over private ones", "workload", "",
         RUN_ESTIMATOR, CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_5), NULL, 0, 0},
	{"shared-l1:6", "Bytes of a line that a request uses", "workload", "requests", RUN_REUSE,
         CT_FIGURE_STACKED, CT_FIGURE_ARITHMETIC, CT_FIGURE_LIST(figure_6), NULL, 1, 0},
	{"shared-l1:7", "IPC of Shared++ over private L1s", "workload", "IPC", RUN_ESTIMATOR,
         CT_FIGURE_BARS, CT_FIGURE_NO_MEAN, CT_FIGURE_LIST(figure_7), NULL, 0, 0},
	{"shared-l1:9", "Metrics that choose, IPC over private L1s", "workload", "", RUN_ESTIMATOR,
         CT_FIGURE_BARS, CT_FIGURE_NO_MEAN, CT_FIGURE_LIST(figure_9), NULL, 0, 0},
	{"shared-l1:10", "DynEB and the static best, IPC over private L1s", "workload", "IPC",
         RUN_ESTIMATOR, CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_10), NULL, 0, 0},
	{"shared-l1:11", "IPC over private L1s, sorted", "workloads, sorted", "IPC", RUN_ESTIMATOR,
         CT_FIGURE_LINES, CT_FIGURE_NO_MEAN, CT_FIGURE_NONE, make_curve_mesh, 0, 0},
	{"shared-l1:12", "Copies of a line in the L1s", "workload", "copies", RUN_ESTIMATOR,
         CT_FIGURE_BARS, CT_FIGURE_ARITHMETIC, CT_FIGURE_LIST(figure_12), NULL, 0, 0},
	{"shared-l1:13", "L1 miss rate over that of private L1s", "workload", "L1 miss rate",
         RUN_ESTIMATOR, CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_13), NULL, 0, 0},
	{"shared-l1:14", "Mode of a core over time: 0 samples, 1 private, 2 shared", "cycle", "mode",
         TIMELINE_NEEDS, CT_FIGURE_LINES, CT_FIGURE_NO_MEAN, CT_FIGURE_NONE, make_modes, 0, 0},
	{"shared-l1:15", "DynEB by L1 latency, and on this GPU's cores and partitions",
         "L1 latency, cycles", "IPC", LATENCY_NEEDS, CT_FIGURE_BARS, CT_FIGURE_NO_MEAN, CT_FIGURE_NONE,
         make_l1_latency, 0, 0},
	{"shared-l1:16", "Deep learning: rates of private L1s, and DynEB", "workload", "", RUN_ESTIMATOR,
         CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_16), NULL, 0, 0},
	{"shared-l1:17", "On a crossbar, IPC over private L1s", "workload", "", RUN_ESTIMATOR,
         CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_17), make_curve_crossbar, 0, 0},
	{"shared-l1:18", "On a crossbar, by cores and partitions", "cores,partitions", "IPC",
         RUN_ESTIMATOR, CT_FIGURE_BARS, CT_FIGURE_NO_MEAN, CT_FIGURE_NONE, make_shapes_crossbar, 0, 0},
};

const struct ct_figure *ct_sl_figures(unsigned *n)
{
	*n = sizeof figures / sizeof figures[0];
	return figures;
}
