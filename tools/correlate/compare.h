/* compare.h - a profile's launches beside a profiler's. */
#ifndef CT_TOOLS_CORRELATE_COMPARE_H
#define CT_TOOLS_CORRELATE_COMPARE_H

#include "counters/counters.h"
#include "profile/profile.h"

enum cor_level { COR_REQUESTS, COR_L1, COR_LLC, COR_DRAM, COR_CYCLES, COR_LEVELS };
enum { COR_METRICS_MAX = 32 };

/* What is compared. A metric is named as in SN where it is one. */
struct cor_metric {
	const char *name, *unit;
	enum cor_level level;
	int rate; /* its error is a difference, not a share */
};

/* A launch that both sides have, or a kernel of which the profiler gives a mean. NaN is what a side lacks. */
struct cor_pair {
	size_t launch; /* the first of them */
	int mean;
	double predicted[COR_METRICS_MAX], measured[COR_METRICS_MAX];
};

/* One number about several launches. */
struct cor_score {
	size_t n; /* pairs, or kernels, that both sides know */
	double predicted, measured, error;
};

struct cor_launch {
	uint64_t id;
	const char *name; /* the profile's */
	size_t kernel;    /* first launch of the same name */
	int matched;
	size_t pair[2]; /* that measures it, and as a mean; SIZE_MAX: none */
};

struct cor_comparison {
	const struct ct_profile *p;
	struct cor_launch *launch;
	size_t n_launches, matched_launches;
	size_t rows, matched_rows; /* of the profiler's files */
	struct cor_pair *pair;     /* in the order of the launches */
	size_t n_pairs, cap_pairs;
	double core_mhz; /* of the SMs; NaN: free, so that times tell nothing */
};

size_t cor_metrics(void);
const struct cor_metric *cor_metric_at(size_t i);
/* The metric that this one is compared instead of where a profile lacks that; NULL for all others. */
const char *cor_instead_of(size_t i);
/* Whether it is a time, which is compared with held clocks only. */
int cor_is_time(size_t i);
const char *cor_level_name(enum cor_level l);

/* Takes the launches of a profile with scopes kernel:N; the profile must outlive c. Fails with CT_ERR_INPUT where it has
 * none, CT_ERR_NOMEM. */
int cor_begin(struct cor_comparison *c, const struct ct_profile *p, double core_mhz, struct ct_error *e);
/* Adds what a file measured of them. */
int cor_add(struct cor_comparison *c, const struct ct_counters *measured, struct ct_error *e);
/* Sorts the pairs once all files were added. */
void cor_end(struct cor_comparison *c);
void cor_free(struct cor_comparison *c);

/* Error of one pair: signed, a share of what was measured, or of rates the difference. NaN where a side lacks it,
 * infinite where the board counted none. */
double cor_error(const struct cor_pair *p, size_t metric);
/* Of the pairs of one kernel, launch `first` being the first of its launches: means, and the mean absolute error. */
struct cor_score cor_kernel(const struct cor_comparison *c, size_t first, size_t metric);
/* Of the program: sums (of rates means), and the mean of its kernels' errors. */
struct cor_score cor_program(const struct cor_comparison *c, size_t metric);
/* The metric of a level that is off most; -1 where none is known. *error gets its error. */
int cor_worst(const struct cor_comparison *c, enum cor_level level, double *error);

/* Appends the CR records: all, each kernel, and where asked for each launch. */
int cor_records(const struct cor_comparison *c, struct ct_profile *p, const char *program,
                int per_kernel, struct ct_error *e);

#endif
