/* figure_list.c - the data figures of the paper and what each draws. */
#include "models/morpheus/figure_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "models/morpheus/figures.h"

#define NAME "morpheus"

/* What makes the data that a profile lacks. */
#define SMS_NEEDS "run morpheus-est --sweep sms=10..68 (triage --resume keeps it)"
#define RUN_REUSE "run reuse"
#define RUN_ESTIMATOR "run morpheus-est"

static const struct ct_figure_series figure_2[] = {
	CT_FIGURE_OVER("", "2x LLC", NAME, "IBL-2x-LLC", "speedup", "IBL"),
	CT_FIGURE_OVER("", "4x LLC", NAME, "IBL-4x-LLC", "speedup", "IBL"),
};
static const struct ct_figure_series figure_12[] = {
	CT_FIGURE_TIME("execution time", "IBL", NAME, "IBL"),
	CT_FIGURE_TIME("execution time", "IBL-4x-LLC", NAME, "IBL-4x-LLC"),
	CT_FIGURE_TIME("execution time", "Frequency-Boost", NAME, "Frequency-Boost"),
	CT_FIGURE_TIME("execution time", "Unified-SM-Mem", NAME, "Unified-SM-Mem"),
	CT_FIGURE_TIME("execution time", "Morpheus-Basic", NAME, "Morpheus-Basic"),
	CT_FIGURE_TIME("execution time", "Morpheus-Compression", NAME, "Morpheus-Compression"),
	CT_FIGURE_TIME("execution time", "Morpheus-Indirect-MOV", NAME, "Morpheus-Indirect-MOV"),
	CT_FIGURE_TIME("execution time", "Morpheus-ALL", NAME, "Morpheus-ALL"),
	CT_FIGURE_ES("performance/watt", "IBL", NAME, "IBL", "perf_per_watt"),
	CT_FIGURE_ES("performance/watt", "IBL-4x-LLC", NAME, "IBL-4x-LLC", "perf_per_watt"),
	CT_FIGURE_ES("performance/watt", "Frequency-Boost", NAME, "Frequency-Boost", "perf_per_watt"),
	CT_FIGURE_ES("performance/watt", "Unified-SM-Mem", NAME, "Unified-SM-Mem", "perf_per_watt"),
	CT_FIGURE_ES("performance/watt", "Morpheus-Basic", NAME, "Morpheus-Basic", "perf_per_watt"),
	CT_FIGURE_ES("performance/watt", "Morpheus-Compression", NAME, "Morpheus-Compression",
                     "perf_per_watt"),
	CT_FIGURE_ES("performance/watt", "Morpheus-Indirect-MOV", NAME, "Morpheus-Indirect-MOV",
                     "perf_per_watt"),
	CT_FIGURE_ES("performance/watt", "Morpheus-ALL", NAME, "Morpheus-ALL", "perf_per_watt"),
};
static const struct ct_figure_series figure_13[] = {
	CT_FIGURE_TIME("over BL", "No-Prediction", NAME, "Morpheus-Basic/No-Prediction"),
	CT_FIGURE_TIME("over BL", "Bloom-Filter", NAME, "Morpheus-Basic"),
	CT_FIGURE_TIME("over BL", "Perfect-Prediction", NAME, "Morpheus-Basic/Perfect-Prediction"),
	CT_FIGURE_OVER("over Bloom-Filter", "No-Prediction", NAME, "Morpheus-Basic/No-Prediction",
                       "cycles", "Morpheus-Basic"),
	CT_FIGURE_OVER("over Bloom-Filter", "Perfect-Prediction", NAME,
                       "Morpheus-Basic/Perfect-Prediction", "cycles", "Morpheus-Basic"),
};
/* Table 3: SMs that run the application. */
static const struct ct_figure_series table_3[] = {
	CT_FIGURE_ES("", "IBL", NAME, "IBL", "compute_sms"),
	CT_FIGURE_ES("", "Morpheus-Basic", NAME, "Morpheus-Basic", "compute_sms"),
	CT_FIGURE_ES("", "Morpheus-ALL", NAME, "Morpheus-ALL", "compute_sms"),
};
/* What section 7.4 says of the traffic. */
static const struct ct_figure_series section_74[] = {
	CT_FIGURE_OVER("LLC throughput", "Morpheus-ALL over BL", NAME, "Morpheus-ALL",
                       "llc_throughput_ratio", "BL"),
	CT_FIGURE_OVER("LLC throughput", "Morpheus-ALL over IBL", NAME, "Morpheus-ALL",
                       "llc_throughput_ratio", "IBL"),
	CT_FIGURE_OVER("LLC throughput", "larger-LLC over BL", NAME, "larger-LLC",
                       "llc_throughput_ratio", "BL"),
	CT_FIGURE_OVER("network load", "Morpheus-ALL over BL", NAME, "Morpheus-ALL", "noc_load_ratio",
                       "BL"),
	CT_FIGURE_OVER("network latency", "Morpheus-ALL over BL", NAME, "Morpheus-ALL",
                       "network_latency", "BL"),
	CT_FIGURE_OVER("DRAM bandwidth in use", "Morpheus-ALL over IBL", NAME, "Morpheus-ALL",
                       "dram_utilisation", "IBL"),
	CT_FIGURE_OVER("LLC MPKI", "Morpheus-ALL over IBL", NAME, "Morpheus-ALL", "llc_mpki", "IBL"),
};

/* Without a sweep the two counts that are known: the best one and all. */
static size_t points_of_two_counts(const struct ct_figure_workload *w, struct ct_figure_points *room)
{
	static const char *const system[] = {"IBL", "BL"};
	struct ct_figure_point p[2];
	size_t n = 0;
	for (int i = 0; i < 2; i++) {
		p[n].x = ct_figure_es(w, NAME, system[i], "compute_sms", NULL);
		p[n].y = ct_figure_es(w, NAME, system[i], "ipc", NULL);
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

/* IPC by the number of SMs, relative to the fewest, from a sweep or from the two counts that every
 * profile has. */
static void make_ipc_by_sms(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	struct ct_figure_points p = {0};
	for (size_t i = 0; i < run->n; i++) {
		const struct ct_figure_workload *w = &run->workload[i];
		size_t n = ct_figure_sweep(w, NAME, "BL", "sms", "ipc", &p);
		if (n == 0) {
			n = points_of_two_counts(w, &p);
			ct_figure_add_missing(
				rows, "", "", w->name,
				ct_figure_gp(w, "sm.count") == 1 ? "the GPU has one SM" : SMS_NEEDS);
		}
		for (size_t k = 0; k < n && p.at[0].y > 0; k++)
			ct_figure_add(rows, "", p.at[k].text, w->name, p.at[k].y / p.at[0].y);
	}
	ct_figure_points_free(&p, rows);
}

/* The parts of an access's time, for hits and misses of both kinds. */
static void make_timelines(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	struct ct_morpheus_params params;
	struct ct_gpu g;
	ct_morpheus_defaults(&params);
	if (!ct_figure_gpu(&run->workload[0], &g))
		return;
	for (int i = 0; i < CT_MO_TIMELINES; i++) {
		struct ct_mo_timeline_ns t;
		ct_mo_timeline(&g, &params, (enum ct_mo_timeline)i, &t);
		ct_figure_add(rows, "segments", t.name, "network and LLC", t.llc);
		ct_figure_add(rows, "segments", t.name, "way to the SM and lookup", t.helper);
		ct_figure_add(rows, "segments", t.name, "DRAM", t.dram);
		ct_figure_add(rows, "total", t.name, "total", t.total);
	}
}

/* Capacity, latency, bandwidth and energy of an SM's stores by the number of helper warps. */
static void make_helpers(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	static const unsigned warps[] = {1, 8, 16, 32, 48};
	static const char *const name[] = {"registers", "shared memory", "L1"};
	static const enum ct_mo_helper helper[] = {
		CT_MO_HELPER_RF, CT_MO_HELPER_SHARED, CT_MO_HELPER_L1};
	struct ct_gpu g;
	if (!ct_figure_gpu(&run->workload[0], &g))
		return;
	for (int h = 0; h < 3; h++)
		for (int i = 0; i < 5; i++) {
			struct ct_mo_helper_point p;
			char x[16];
			if (ct_mo_helper_point(&g, helper[h], warps[i], &p, NULL) != CT_OK)
				continue;
			snprintf(x, sizeof x, "%u", warps[i]);
			ct_figure_add(rows, "capacity, KiB", x, name[h], p.capacity_bytes / 1024);
			ct_figure_add(rows, "latency, ns", x, name[h], p.latency_ns);
			ct_figure_add(rows, "bandwidth, GB/s", x, name[h], p.gbps);
			ct_figure_add(rows, "energy, pJ/B", x, name[h], p.pj_per_byte);
		}
}

/* id, title, x, y, needs, drawing, mean, series, n, make, percent, log x */
static const struct ct_figure figures[] = {
	{"morpheus:1", "IPC by the number of SMs, over that of the fewest", "SMs", "IPC", SMS_NEEDS,
         CT_FIGURE_LINES, CT_FIGURE_NO_MEAN, CT_FIGURE_NONE, make_ipc_by_sms, 0, 0},
	{"morpheus:2", "Best IPC with a larger LLC, over the best with the configured one", "workload",
         "IPC", RUN_ESTIMATOR, CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_2), NULL, 0,
         0},
	{"morpheus:5", "Where an access to the LLC spends its time", "access", "ns", RUN_REUSE,
         CT_FIGURE_STACKED, CT_FIGURE_NO_MEAN, CT_FIGURE_NONE, make_timelines, 0, 0},
	{"morpheus:11", "What a cache-mode SM gives, by warps of the helper kernel", "warps", "",
         RUN_REUSE, CT_FIGURE_BARS, CT_FIGURE_NO_MEAN, CT_FIGURE_NONE, make_helpers, 0, 0},
	{"morpheus:12", "Execution time and performance per watt, over BL", "workload", "",
         RUN_ESTIMATOR, CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_12), NULL, 0, 0},
	{"morpheus:13", "Execution time by predictor", "workload", "", RUN_ESTIMATOR, CT_FIGURE_BARS,
         CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_13), NULL, 0, 0},
	{"morpheus:table3", "SMs that run the application", "workload", "SMs", RUN_ESTIMATOR,
         CT_FIGURE_BARS, CT_FIGURE_ARITHMETIC, CT_FIGURE_LIST(table_3), NULL, 0, 0},
	{"morpheus:7.4", "Traffic of the LLC, the network and the memory", "workload", "", RUN_ESTIMATOR,
         CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(section_74), NULL, 0, 0},
};

const struct ct_figure *ct_mo_figures(unsigned *n)
{
	*n = sizeof figures / sizeof figures[0];
	return figures;
}
