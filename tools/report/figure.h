/* figure.h - the data figures of the four papers, for the user's workloads. */
#ifndef CT_TOOLS_REPORT_FIGURE_H
#define CT_TOOLS_REPORT_FIGURE_H

#include "report/run.h"

/* One value of a figure. */
struct fg_row {
	char panel[24];   /* "a", or "" where there is one panel only */
	char x[CT_WORKLOAD_NAME_MAX]; /* workload, parameter or bucket */
	char series[64];
	double value, low, high; /* range NaN where there is none */
	int paper;        /* printed in the paper, not ours */
	const char *missing; /* why a workload has no value, or NULL; static storage */
};

struct fg_rows {
	struct fg_row *row;
	size_t n, cap;
	int failed; /* out of memory */
};

/* Adds a row; a NaN is left out. panel and series are copied. */
void fg_add(struct fg_rows *rows, const char *panel, const char *x, const char *series, double v);
void fg_add_range(struct fg_rows *rows, const char *panel, const char *x, const char *series,
                  double v, double low, double high);
/* Says instead why there is none, and what makes it. */
void fg_add_missing(struct fg_rows *rows, const char *panel, const char *x, const char *series,
                    const char *why);
/* Geometric means of a panel's rows from `first` on: of every x over its series, as series
 * "mean", or (by_series) of every series over its x, as x "mean". */
void fg_add_means(struct fg_rows *rows, size_t first, const char *panel, int by_series);
void fg_free(struct fg_rows *rows);

enum fg_drawing { FG_BARS, FG_STACKED, FG_LINES };
enum fg_mean { FG_NO_MEAN, FG_GEOMETRIC, FG_ARITHMETIC };

/* A series that every workload has one value of: metric of system, over the same metric of
 * `over`; mechanism "" is an SN metric. */
struct fg_series {
	const char *panel, *name;
	const char *mechanism, *system, *metric, *over;
	int inverse; /* 1 / value: times from speed-ups */
	const char *needs; /* NULL: the figure's */
};

struct fg_figure {
	const char *id;     /* "morpheus:12" */
	const char *title;  /* one line */
	const char *x, *y;  /* axes */
	const char *needs;  /* how the data comes into a profile */
	enum fg_drawing drawing;
	enum fg_mean mean;
	const struct fg_series *series; /* with n of them, or */
	size_t n;
	void (*make)(const struct rp_run *run, struct fg_rows *rows); /* this, or both */
	int percent_y, log_x;
};

/* The i-th of the 41, or NULL; by id, or NULL. */
const struct fg_figure *fg_at(size_t i);
const struct fg_figure *fg_find(const char *id);

/* Our rows, then the paper's from data/report/published.tsv. Of a workload without data
 * fg_tell_missing() knows why. Fails with CT_ERR_INPUT when no workload has any of the data, with the
 * way to it; CT_ERR_IO, CT_ERR_NOMEM. */
int fg_make(const struct fg_figure *f, const struct rp_run *run, struct fg_rows *rows,
            struct ct_error *e);
/* Tab-separated: figure, panel, x, series, value, low, high, source (here or paper). */
void fg_tsv(const struct fg_figure *f, const struct fg_rows *rows, struct ct_buf *b);
/* A line of t's warnings per reason for rows that are missing: at most `most` names, and what
 * makes them. Fails with CT_ERR_NOMEM. */
int fg_tell_missing(const struct fg_figure *f, const struct fg_rows *rows, size_t most,
                    struct ct_tool *t, struct ct_error *e);
/* One SVG, a panel below the other; the paper's values are ticks of their own. Returns how many values
 * have no room in it. */
size_t fg_svg(const struct fg_figure *f, const struct fg_rows *rows, struct ct_buf *b);

/* ES of scope all over another system's; NaN when either is missing. over may be NULL. */
double fg_es(const struct rp_workload *w, const char *mechanism, const char *system,
             const char *metric, const char *over);
/* What makes the data of sweeps. */
#define FG_SMS_NEEDS "run morpheus-est --sweep sms=10..68 (triage --resume keeps it)"
#define FG_LATENCY_NEEDS "run sharedl1-est --sweep l1.latency=8..64:8"
#define FG_TIMELINE_NEEDS "run sharedl1-est --timeline"
#define FG_STHLD_NEEDS "run malekeh-est --sweep sthld=0..16:2"
#define FG_PRIVATE_NEEDS "run tsc-est --sweep private_bits=0..20:2"
#define FG_CHUNK_NEEDS "run tsc-est --sweep chunk=8..64"

/* Those of a paper's figures that are no plain list of series. */
void fg_ipc_by_sms(const struct rp_run *run, struct fg_rows *rows);
void fg_timelines(const struct rp_run *run, struct fg_rows *rows);
void fg_helpers(const struct rp_run *run, struct fg_rows *rows);
void fg_l1_latency(const struct rp_run *run, struct fg_rows *rows);
void fg_modes(const struct rp_run *run, struct fg_rows *rows);
void fg_curve_mesh(const struct rp_run *run, struct fg_rows *rows);
void fg_curve_crossbar(const struct rp_run *run, struct fg_rows *rows);
void fg_shapes_mesh(const struct rp_run *run, struct fg_rows *rows);
void fg_shapes_crossbar(const struct rp_run *run, struct fg_rows *rows);
void fg_register_distances(const struct rp_run *run, struct fg_rows *rows);
void fg_sthld(const struct rp_run *run, struct fg_rows *rows);
void fg_private_tags(const struct rp_run *run, struct fg_rows *rows);
void fg_chunks(const struct rp_run *run, struct fg_rows *rows);
void fg_traffic(const struct rp_run *run, struct fg_rows *rows);
void fg_overheads(const struct rp_run *run, struct fg_rows *rows);
void fg_l1d_hits(const struct rp_run *run, struct fg_rows *rows);

#endif
