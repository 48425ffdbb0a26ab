/* figure_list.c - the data figures of the paper and what each draws. */
#include "models/malekeh/figure_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NAME "malekeh"

/* What makes the data that a profile lacks. */
#define STHLD_NEEDS "run malekeh-est --sweep sthld=0..16:2"
#define RUN_REUSE "run reuse"
#define RUN_MECHANISMS "run reuse --mechanisms all"

/* A series of a figure that malekeh-est --studies measures. */
/* clang-format off */
#define STUDY(panel, name, mechanism, system, metric) \
	{panel, name, mechanism, system, metric, NULL, 0, "run malekeh-est --studies"}
/* clang-format on */

static const struct ct_figure_series figure_2[] = {
	CT_FIGURE_ES("", "RFC, sub-core", NAME, "RFC", "speedup"),
	CT_FIGURE_ES("", "software RFC, sub-core", NAME, "SW-RFC", "speedup"),
	STUDY("", "RFC, monolithic", NAME, "RFC-mono", "speedup"),
	STUDY("", "software RFC, monolithic", NAME, "SW-RFC-mono", "speedup"),
};
static const struct ct_figure_series figure_10[] = {
	CT_FIGURE_ES("RFC", "1 issues", NAME, "RFC", "issue_fraction"),
	CT_FIGURE_ES("RFC", "2 ready but pending", NAME, "RFC", "pending_ready_fraction"),
	CT_FIGURE_ES("RFC", "3 none ready", NAME, "RFC", "no_ready_fraction"),
	CT_FIGURE_ES("software RFC", "1 issues", NAME, "SW-RFC", "issue_fraction"),
	CT_FIGURE_ES("software RFC", "2 ready but pending", NAME, "SW-RFC", "pending_ready_fraction"),
	CT_FIGURE_ES("software RFC", "3 none ready", NAME, "SW-RFC", "no_ready_fraction"),
};
/* clang-format off */
#define MK_THREE(metric) {CT_FIGURE_ES("", "Malekeh", NAME, "Malekeh", metric), \
	CT_FIGURE_ES("", "Malekeh_PR", NAME, "Malekeh_PR", metric), CT_FIGURE_ES("", "BOW", NAME, "BOW", metric)}
/* clang-format on */
static const struct ct_figure_series figure_12[] = MK_THREE("speedup");
static const struct ct_figure_series figure_13[] = MK_THREE("rf_hit_ratio");
static const struct ct_figure_series figure_15[] = MK_THREE("rf_energy_ratio");
static const struct ct_figure_series figure_16[] = MK_THREE("rf_cache_writes_ratio");
static const struct ct_figure_series figure_17[] = {
	CT_FIGURE_ES("", "GTO+LRU", NAME, "GTO+LRU", "rf_hit_ratio")};

/* The share of register reads by their distance in instructions, first reads left out. */
static void make_register_distances(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	struct ct_hist *h = ct_calloc(1, sizeof *h);
	if (!h)
		rows->failed = 1;
	for (size_t i = 0; h && i < run->n; i++) {
		const struct ct_figure_workload *w = &run->workload[i];
		memset(h, 0, sizeof *h);
		if (!ct_profile_get_hist(w->p, "all", "reg_insts", h, NULL)) {
			ct_figure_add_missing(rows, "", "", w->name,
			                      "run reuse: the profile has no register distances");
			continue;
		}
		double used = (double)(ct_hist_total(h) - h->cold), below = ct_hist_hits(h, 1);
		for (int d = 1; d <= 10 && used > 0; d++) {
			char x[12];
			double hits = ct_hist_hits(h, d + 1);
			snprintf(x, sizeof x, "%d", d);
			ct_figure_add(rows, "", x, w->name, (hits - below) / used);
			below = hits;
		}
		if (used > 0)
			ct_figure_add(rows, "", ">10", w->name, 1 - below / used);
	}
	free(h);
}

static void add_sthld_panel(const struct ct_figure_workload *w, const char *metric, const char *panel,
                            struct ct_figure_points *p, struct ct_figure_rows *rows)
{
	size_t n = ct_figure_sweep(w, NAME, "Malekeh", "sthld", metric, p);
	char x[32];
	for (size_t k = 0; k < n; k++)
		ct_figure_add(rows, panel, p->at[k].text, w->name, p->at[k].y);
	if (n)
		return;
	/* Without a sweep: where the machine settled. */
	snprintf(x, sizeof x, "%.3g", ct_figure_es(w, NAME, "Malekeh", "sthld_mean", NULL));
	if (strcmp(x, "nan") != 0)
		ct_figure_add(rows, panel, x, w->name, ct_figure_es(w, NAME, "Malekeh", metric, NULL));
	ct_figure_add_missing(rows, panel, "", w->name, STHLD_NEEDS);
}

static void make_sthld(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	struct ct_figure_points p = {0};
	for (size_t i = 0; i < run->n; i++) {
		add_sthld_panel(&run->workload[i], "speedup", "IPC", &p, rows);
		add_sthld_panel(&run->workload[i], "rf_hit_ratio", "hit ratio", &p, rows);
	}
	ct_figure_points_free(&p, rows);
}

/* The L1's own rate: register systems change its order of accesses only a little, and the
 * measurement replays the baseline's. */
static void make_l1d_hits(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	for (size_t i = 0; i < run->n; i++) {
		double miss = ct_figure_sn(&run->workload[i], "l1_miss_rate");
		if (isnan(miss))
			ct_figure_add_missing(rows, "", run->workload[i].name, "baseline",
			                      "no access to global memory");
		else
			ct_figure_add(rows, "", run->workload[i].name, "baseline", 1 - miss);
	}
}

/* id, title, x, y, needs, drawing, mean, series, n, make, percent, log x */
static const struct ct_figure figures[] = {
	{"malekeh:1", "Instructions between uses of a register", "distance", "reuses", RUN_REUSE,
         CT_FIGURE_BARS, CT_FIGURE_NO_MEAN, CT_FIGURE_NONE, make_register_distances, 1, 0},
	{"malekeh:2", "Two-level schedulers, IPC over the own baseline", "workload", "IPC",
         RUN_MECHANISMS, CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_2), NULL, 0, 0},
	{"malekeh:7", "IPC and hit ratio by STHLD", "STHLD", "", STHLD_NEEDS, CT_FIGURE_LINES,
         CT_FIGURE_NO_MEAN, CT_FIGURE_NONE, make_sthld, 0, 0},
	{"malekeh:10", "Scheduler cycles by state", "workload", "", RUN_MECHANISMS, CT_FIGURE_STACKED,
         CT_FIGURE_ARITHMETIC, CT_FIGURE_LIST(figure_10), NULL, 1, 0},
	{"malekeh:12", "IPC over the baseline", "workload", "IPC", RUN_MECHANISMS, CT_FIGURE_BARS,
         CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_12), NULL, 0, 0},
	{"malekeh:13", "Register reads that hit", "workload", "hits", RUN_MECHANISMS, CT_FIGURE_BARS,
         CT_FIGURE_ARITHMETIC, CT_FIGURE_LIST(figure_13), NULL, 1, 0},
	{"malekeh:14", "Hits in the L1 data cache", "workload", "hits", RUN_REUSE, CT_FIGURE_BARS,
         CT_FIGURE_ARITHMETIC, CT_FIGURE_NONE, make_l1d_hits, 1, 0},
	{"malekeh:15", "Dynamic energy of the register file, over the baseline", "workload", "energy",
         RUN_MECHANISMS, CT_FIGURE_BARS, CT_FIGURE_ARITHMETIC, CT_FIGURE_LIST(figure_15), NULL, 0, 0},
	{"malekeh:16", "Writes into the collectors, over all register writes", "workload", "writes",
         RUN_MECHANISMS, CT_FIGURE_BARS, CT_FIGURE_ARITHMETIC, CT_FIGURE_LIST(figure_16), NULL, 0, 0},
	{"malekeh:17", "Register reads that hit with GTO and LRU", "workload", "hits", RUN_MECHANISMS,
         CT_FIGURE_BARS, CT_FIGURE_ARITHMETIC, CT_FIGURE_LIST(figure_17), NULL, 1, 0},
};

const struct ct_figure *ct_mk_figures(unsigned *n)
{
	*n = sizeof figures / sizeof figures[0];
	return figures;
}
