/* figure_list.c - the data figures of the paper and what each draws. */
#include "models/tag_split/figure_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define NAME "tag-split"

/* What makes the data that a profile lacks. */
#define PRIVATE_NEEDS "run tsc-est --sweep private_bits=0..20:2"
#define CHUNK_NEEDS "run tsc-est --sweep chunk=8..64"
#define RUN_REUSE "run reuse"
#define RUN_ESTIMATOR "run reuse --mechanisms all and tsc-est"
#define RUN_MECHANISMS "run reuse --mechanisms all"

static const struct ct_figure_series figure_1[] = {
	CT_FIGURE_SN("", "0 %", "line_util_0"),     CT_FIGURE_SN("", "25 %", "line_util_25"),
	CT_FIGURE_SN("", "50 %", "line_util_50"),   CT_FIGURE_SN("", "75 %", "line_util_75"),
	CT_FIGURE_SN("", "100 %", "line_util_100"),
};
static const struct ct_figure_series figure_2[] = {
	CT_FIGURE_ES("", "32 B", NAME, "32B", "speedup"),
	CT_FIGURE_ES("", "64 B", NAME, "64B", "speedup"),
	CT_FIGURE_ES("", "128 B", NAME, "128B", "speedup"),
	CT_FIGURE_ES("", "256 B", NAME, "256B", "speedup"),
};
/* Of what sends for anything, in the order of the system's own replay where one was made, else in that of the pass, which is
 * the same rule. */
#define MPKI "l1_sent_mpki|l1_request_mpki"
#define MISS_RATE "l1_sent_inst_rate|mem_inst_miss_rate"
#define UPWARDS "l1_sent_bytes|traffic_l1_to_l2_bytes"
static const struct ct_figure_series figure_4[] = {
	CT_FIGURE_ES("", "32 B", NAME, "32B", MISS_RATE),
	CT_FIGURE_ES("", "64 B", NAME, "64B", MISS_RATE),
	CT_FIGURE_ES("", "128 B", NAME, "128B", MISS_RATE),
};
static const struct ct_figure_series figure_5[] = {
	CT_FIGURE_OVER("", "32 B", NAME, "32B", UPWARDS, "128B"),
	CT_FIGURE_OVER("", "64 B", NAME, "64B", UPWARDS, "128B"),
	CT_FIGURE_OVER("", "256 B", NAME, "256B", UPWARDS, "128B"),
};
static const struct ct_figure_series figure_10[] = {
	CT_FIGURE_ES("a", "32 B", NAME, "32B", "speedup"),
	CT_FIGURE_ES("a", "64 B", NAME, "64B", "speedup"),
	CT_FIGURE_ES("a", "TSC", NAME, "TSC", "speedup"),
	CT_FIGURE_ES("a", "TSC+", NAME, "TSC+", "speedup"),
	CT_FIGURE_ES("b", "MRPB", NAME, "MRPB", "speedup"),
	CT_FIGURE_ES("b", "LAMAR", NAME, "LAMAR", "speedup"),
	CT_FIGURE_ES("b", "DSC-2", NAME, "DSC-2", "speedup"),
	CT_FIGURE_ES("b", "DSC-4", NAME, "DSC-4", "speedup"),
	CT_FIGURE_ES("b", "TSC", NAME, "TSC", "speedup"),
	CT_FIGURE_ES("b", "TSC+", NAME, "TSC+", "speedup"),
};
static const struct ct_figure_series figure_11[] = {
	CT_FIGURE_OVER("", "LAMAR", NAME, "LAMAR", MPKI, "128B"),
	CT_FIGURE_OVER("", "DSC-2", NAME, "DSC-2", MPKI, "128B"),
	CT_FIGURE_OVER("", "DSC-4", NAME, "DSC-4", MPKI, "128B"),
	CT_FIGURE_OVER("", "TSC", NAME, "TSC", MPKI, "128B"),
	CT_FIGURE_OVER("", "TSC+", NAME, "TSC+", MPKI, "128B"),
};
static const struct ct_figure_series table3[] = {
	CT_FIGURE_ES("speed-up", "LAMAR", NAME, "LAMAR", "speedup"),
	CT_FIGURE_ES("speed-up", "DSC-2", NAME, "DSC-2", "speedup"),
	CT_FIGURE_ES("speed-up", "DSC-4", NAME, "DSC-4", "speedup"),
	CT_FIGURE_ES("speed-up", "MRPB", NAME, "MRPB", "speedup"),
	CT_FIGURE_ES("speed-up", "TSC", NAME, "TSC", "speedup"),
	CT_FIGURE_ES("speed-up", "TSC+", NAME, "TSC+", "speedup"),
};

/* Storage of a private tag of p bits: 208 + 48 p bytes (reading storage-law). */
static double private_tag_bytes(int p)
{
	return 208 + 48.0 * p;
}

/* Storage and speed by the number of private tag bits. */
static void make_private_tags(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	struct ct_figure_points p = {0};
	for (int bits = 0; bits <= 20; bits++) {
		char x[12];
		snprintf(x, sizeof x, "%d", bits);
		ct_figure_add(rows, "storage, bytes", x, "TSC", private_tag_bytes(bits));
	}
	for (size_t i = 0; i < run->n; i++) {
		const struct ct_figure_workload *w = &run->workload[i];
		size_t n = ct_figure_sweep(w, NAME, "TSC", "private", "speedup", &p);
		for (size_t k = 0; k < n; k++)
			ct_figure_add(rows, "IPC", p.at[k].text, w->name, p.at[k].y);
		if (n == 0) {
			ct_figure_add(rows, "IPC", "8", w->name,
			              ct_figure_es(w, NAME, "TSC", "speedup", NULL));
			ct_figure_add_missing(rows, "IPC", "", w->name, PRIVATE_NEEDS);
		}
	}
	ct_figure_add_means(rows, 0, "IPC", 0);
	ct_figure_points_free(&p, rows);
}

/* Speed by the size of a chunk. */
static void make_chunks(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	struct ct_figure_points p = {0};
	for (size_t i = 0; i < run->n; i++) {
		const struct ct_figure_workload *w = &run->workload[i];
		size_t n = ct_figure_sweep(w, NAME, "TSC", "chunk", "speedup", &p);
		for (size_t k = 0; k < n; k++) {
			char name[48];
			snprintf(name, sizeof name, "%.30s B", p.at[k].text);
			ct_figure_add(rows, "", w->name, name, p.at[k].y);
		}
		if (n == 0) {
			ct_figure_add(rows, "", w->name, "32 B",
			              ct_figure_es(w, NAME, "TSC", "speedup", NULL));
			ct_figure_add_missing(rows, "", w->name, "8 B, 16 B, 64 B", CHUNK_NEEDS);
		}
	}
	ct_figure_add_means(rows, 0, "", 1);
	ct_figure_points_free(&p, rows);
}

/* Bytes between L1 and L2, relative to those that the baseline fetches: of the systems' own replays where all were replayed. */
static void make_traffic(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	enum { SYSTEMS = 3 };
	static const char *const system[SYSTEMS] = {"128B", "LAMAR", "TSC"};
	static const char *const name[SYSTEMS] = {"baseline", "LAMAR", "TSC"};
	static const char *const upwards[] = {"traffic_l1_to_l2_bytes", "l1_sent_bytes"};
	static const char *const downwards[] = {"traffic_l2_to_l1_bytes", "l1_received_bytes"};
	for (size_t i = 0; i < run->n; i++) {
		const struct ct_figure_workload *w = &run->workload[i];
		int own = 1;
		for (int s = 0; s < SYSTEMS; s++)
			own &= !isnan(ct_figure_es(w, NAME, system[s], downwards[1], NULL));
		double base = ct_figure_es(w, NAME, "128B", downwards[own], NULL);
		if (!(base > 0))
			ct_figure_add_missing(
				rows, name[0], w->name, "L2 to L1",
				base == 0 ? "nothing comes from L2" : "run reuse --mechanisms all");
		for (int s = 0; s < SYSTEMS && base > 0; s++) {
			double up = ct_figure_es(w, NAME, system[s], upwards[own], NULL);
			double down = ct_figure_es(w, NAME, system[s], downwards[own], NULL);
			ct_figure_add(rows, name[s], w->name, "L1 to L2", up / base);
			ct_figure_add(rows, name[s], w->name, "L2 to L1", down / base);
		}
	}
}

static void make_overheads(const struct ct_figure_run *run, struct ct_figure_rows *rows)
{
	static const char *const system[] = {"LAMAR", "DSC-2", "DSC-4", "MRPB", "TSC", "TSC+"};
	for (int s = 0; s < 6; s++)
		for (size_t i = 0; i < run->n; i++) {
			double v = ct_figure_es(&run->workload[i], NAME, system[s], "storage_bytes",
			                        NULL);
			if (isnan(v))
				continue;
			ct_figure_add(rows, "storage, KB", "per L1", system[s], v / 1024);
			break; /* of the structure, not of the workload */
		}
}

/* id, title, x, y, needs, drawing, mean, series, n, make, percent, log x */
static const struct ct_figure figures[] = {
	{"tag-split:1", "Share of a line that is reused before it leaves", "workload", "lines",
         RUN_REUSE, CT_FIGURE_STACKED, CT_FIGURE_NO_MEAN, CT_FIGURE_LIST(figure_1), NULL, 1, 0},
	{"tag-split:2", "IPC by line size, over 128 B", "workload", "IPC", RUN_ESTIMATOR, CT_FIGURE_BARS,
         CT_FIGURE_NO_MEAN, CT_FIGURE_LIST(figure_2), NULL, 0, 0},
	{"tag-split:4", "Memory instructions that miss, by line size", "workload", "instructions",
         RUN_MECHANISMS, CT_FIGURE_BARS, CT_FIGURE_NO_MEAN, CT_FIGURE_LIST(figure_4), NULL, 1, 0},
	{"tag-split:5", "Traffic from L1 to L2 by line size, over 128 B", "workload", "bytes",
         RUN_MECHANISMS, CT_FIGURE_BARS, CT_FIGURE_NO_MEAN, CT_FIGURE_LIST(figure_5), NULL, 0, 0},
	{"tag-split:9", "Private tag: speed-up and storage", "bits", "", RUN_REUSE, CT_FIGURE_LINES,
         CT_FIGURE_NO_MEAN, CT_FIGURE_NONE, make_private_tags, 0, 0},
	{"tag-split:10", "IPC over the baseline", "workload", "", RUN_ESTIMATOR, CT_FIGURE_BARS,
         CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(figure_10), NULL, 0, 0},
	{"tag-split:11", "Misses per 1000 instructions, over the baseline", "workload", "MPKI",
         RUN_MECHANISMS, CT_FIGURE_BARS, CT_FIGURE_NO_MEAN, CT_FIGURE_LIST(figure_11), NULL, 0, 0},
	{"tag-split:12", "Traffic over the baseline's from L2 to L1", "workload", "bytes",
         RUN_MECHANISMS, CT_FIGURE_STACKED, CT_FIGURE_NO_MEAN, CT_FIGURE_NONE, make_traffic, 0, 0},
	{"tag-split:13", "TSC by chunk size, IPC over the baseline", "workload", "IPC", RUN_ESTIMATOR,
         CT_FIGURE_BARS, CT_FIGURE_GEOMETRIC, CT_FIGURE_NONE, make_chunks, 0, 0},
	{"tag-split:table3", "Storage per L1 and speed-up", "", "", RUN_MECHANISMS, CT_FIGURE_BARS,
         CT_FIGURE_GEOMETRIC, CT_FIGURE_LIST(table3), make_overheads, 0, 0},
};

const struct ct_figure *ct_ts_figures(unsigned *n)
{
	*n = sizeof figures / sizeof figures[0];
	return figures;
}
