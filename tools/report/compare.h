/* compare.h - what changed between two runs. */
#ifndef CT_TOOLS_REPORT_COMPARE_H
#define CT_TOOLS_REPORT_COMPARE_H

#include "report/run.h"

/* Which way a change goes, by what its metric counts (enum ct_metric_direction); in the order of showing. */
enum rep_way { REP_WORSE, REP_BETTER, REP_OTHER };
enum { REP_WAYS = 3 };

/* A value that differs, or a verdict that does. */
struct rep_change {
	const struct rep_workload *w, *old;
	char what[160];       /* "llc_mpki", "MECHANISM.SYSTEM.speedup", "MECHANISM.verdict" */
	double before, after; /* NaN for verdicts and where missing */
	const char *word_before, *word_after; /* of verdicts */
	enum rep_way way;
	int detail;    /* of an estimate, and no speed, time or energy */
	double effect; /* for the order: see rep_compare() */
};

struct rep_changes {
	struct rep_change *change; /* what is worse, better, other: the largest effect of each first */
	size_t n, cap, n_way[REP_WAYS];
	const char **only_old, **only_new; /* names of workloads that one run has */
	size_t n_old, n_new, same;         /* same: workloads in which nothing changed */
};

/* Compares SN and ES of scope all and the verdicts, but for what the workload has no part in (CT_METRIC_GIVEN). Values are
 * those of the profiles, so equal runs have no changes. The effect of a share or a ratio is the difference, of any other
 * number the difference over the mean of both; a verdict comes before numbers, details of estimates after them, and what one run lacks comes last. Fails
 * with CT_ERR_NOMEM. */
int rep_compare(struct rep_changes *c, const struct rep_run *old, const struct rep_run *run,
                struct ct_error *e);
void rep_changes_free(struct rep_changes *c);

/* "Regressions" ...; static storage. */
const char *rep_way_name(enum rep_way way);
/* The change in percent of the old value, "+20.0 %": 1, or 0 where there is none. */
int rep_change_percent(const struct rep_change *x, char out[32]);

#endif
