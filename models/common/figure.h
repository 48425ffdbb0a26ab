/* figure.h - the data figures of a mechanism's paper, for the user's workloads: what each shows, and the helpers that
 * make its rows. How they are drawn is the report's business. */
#ifndef CT_MODELS_COMMON_FIGURE_H
#define CT_MODELS_COMMON_FIGURE_H

#include "base/decls.h"
#include "gpu/gpu.h"
#include "profile/profile.h"

CT_DECLS_BEGIN

/* The workloads that a figure is about. */
struct ct_figure_workload {
	const char *name;
	const struct ct_profile *p; /* may be empty, never NULL */
};
struct ct_figure_run {
	const struct ct_figure_workload *workload;
	size_t n;
};

enum { CT_FIGURE_X_MAX = 160, CT_FIGURE_PANEL_MAX = 24, CT_FIGURE_SERIES_MAX = 64 };

/* One value of a figure. */
struct ct_figure_row {
	char panel[CT_FIGURE_PANEL_MAX]; /* "a", or "" where there is one panel only */
	char x[CT_FIGURE_X_MAX];         /* workload, parameter or bucket */
	char series[CT_FIGURE_SERIES_MAX];
	double value, low, high; /* the range is NaN where there is none */
	int paper;               /* printed in the paper, not ours */
	const char *missing;     /* why a workload has no value, or NULL; static storage */
};

/* A growing list of rows; zero-initialise, free with ct_figure_rows_free(). */
struct ct_figure_rows {
	struct ct_figure_row *row;
	size_t n, cap;
	int failed; /* out of memory */
};

/* Each adds one row; texts are copied and cut to their room. A NaN value is left out. Memory that runs out shows in
 * rows->failed. */
void ct_figure_add(struct ct_figure_rows *rows, const char *panel, const char *x, const char *series,
                   double v);
void ct_figure_add_range(struct ct_figure_rows *rows, const char *panel, const char *x,
                         const char *series, double v, double low, double high);
/* Says instead why there is no value, and what makes it: why lives in static storage. */
void ct_figure_add_missing(struct ct_figure_rows *rows, const char *panel, const char *x,
                           const char *series, const char *why);
/* Adds geometric means of the panel's rows from `first` on: of every x over its series, as series "mean", or
 * (by_series) of every series over its x, as x "mean". */
void ct_figure_add_means(struct ct_figure_rows *rows, size_t first, const char *panel, int by_series);
void ct_figure_rows_free(struct ct_figure_rows *rows);

enum ct_figure_drawing { CT_FIGURE_BARS, CT_FIGURE_STACKED, CT_FIGURE_LINES };
enum ct_figure_mean { CT_FIGURE_NO_MEAN, CT_FIGURE_GEOMETRIC, CT_FIGURE_ARITHMETIC };

/* A series of which every workload has one value: metric of system, over the same metric of system `over` unless
 * that is NULL. Mechanism "" means an SN metric. Of several metrics with | between, as "replayed|estimated", a workload's
 * value is the first that it has, of both systems where there are two. */
struct ct_figure_series {
	const char *panel, *name;
	const char *mechanism, *system, *metric, *over;
	int inverse;       /* draw 1 / value: times from speed-ups */
	const char *needs; /* how its data comes into a profile; NULL: as for the figure */
};

struct ct_figure {
	const char *id;    /* "NAME:12", NAME being the mechanism's */
	const char *title; /* one line */
	const char *x, *y; /* axes */
	const char *needs; /* how the data comes into a profile */
	enum ct_figure_drawing drawing;
	enum ct_figure_mean mean;
	const struct ct_figure_series *series; /* n of them, or */
	size_t n;
	void (*make)(const struct ct_figure_run *run, struct ct_figure_rows *rows); /* this, or both */
	int percent_y, log_x;
};

/* Rows of the short forms that figure tables are written in: an ES metric, one over another system's, a time from a
 * speed-up, an SN metric. */
/* clang-format off */
#define CT_FIGURE_ES(panel, name, mechanism, system, metric) \
	{panel, name, mechanism, system, metric, NULL, 0, NULL}
#define CT_FIGURE_OVER(panel, name, mechanism, system, metric, over) \
	{panel, name, mechanism, system, metric, over, 0, NULL}
#define CT_FIGURE_TIME(panel, name, mechanism, system) {panel, name, mechanism, system, "speedup", NULL, 1, NULL}
#define CT_FIGURE_SN(panel, name, metric) {panel, name, "", "", metric, NULL, 0, NULL}
/* clang-format on */
/* The two members that hold a table of series, and those of a figure without one. */
#define CT_FIGURE_LIST(table) table, sizeof(table) / sizeof((table)[0])
#define CT_FIGURE_NONE NULL, 0

/* SN of scope all; NaN when missing. */
double ct_figure_sn(const struct ct_figure_workload *w, const char *metric);
/* ES of scope all: 1 and *es, or 0 when missing or NA. */
int ct_figure_estimate(const struct ct_figure_workload *w, const char *mechanism, const char *system,
                       const char *metric, struct ct_estimate *es);
/* Its value, over that of another system (of the same method where both have it) unless `over` is NULL; NaN when
 * either is missing. */
double ct_figure_es(const struct ct_figure_workload *w, const char *mechanism, const char *system,
                    const char *metric, const char *over);
/* A GP key as a number; NaN when it is missing or no number. */
double ct_figure_gp(const struct ct_figure_workload *w, const char *key);
/* The GPU of the workload's profile: 1, or 0 when its GP records make none. */
int ct_figure_gpu(const struct ct_figure_workload *w, struct ct_gpu *g);

/* A point of a sweep; text is its x as printed. */
struct ct_figure_point {
	double x, y;
	char text[32];
};
/* Room for the points of one sweep after another; zero-initialise. */
struct ct_figure_points {
	struct ct_figure_point *at;
	size_t cap;
	int failed; /* out of memory */
};
/* Puts the points of a sweep (SW of scope all) into p, by ascending x, and returns how many there are. key is how the
 * key begins; a key with a colon has to be equal as a whole. */
size_t ct_figure_sweep(const struct ct_figure_workload *w, const char *mechanism, const char *system,
                       const char *key, const char *metric, struct ct_figure_points *p);
/* Frees the points and hands a failure on to rows. */
void ct_figure_points_free(struct ct_figure_points *p, struct ct_figure_rows *rows);
/* For qsort() of points. */
int ct_figure_by_x(const void *a, const void *b);

CT_DECLS_END

#endif
