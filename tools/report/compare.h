/* compare.h - what changed between two runs. */
#ifndef CT_TOOLS_REPORT_COMPARE_H
#define CT_TOOLS_REPORT_COMPARE_H

#include "report/run.h"

/* A value that differs, or a verdict that does. */
struct rep_change {
	const struct rep_workload *w, *old;
	char what[160];       /* "llc_mpki", "MECHANISM.SYSTEM.speedup", "MECHANISM.verdict" */
	double before, after; /* NaN for verdicts and where missing */
	const char *word_before, *word_after; /* of verdicts */
	double size; /* for the order: |ln(after / before)|; verdicts come first */
};

struct rep_changes {
	struct rep_change *change; /* largest first */
	size_t n, cap;
	const char **only_old, **only_new; /* names of workloads that one run has */
	size_t n_old, n_new, same;         /* same: workloads in which nothing changed */
};

/* Compares SN and ES of scope all and the verdicts. Values are those of the profiles, so
 * equal runs have no changes. Fails with CT_ERR_NOMEM. */
int rep_compare(struct rep_changes *c, const struct rep_run *old, const struct rep_run *run,
                struct ct_error *e);
void rep_changes_free(struct rep_changes *c);

#endif
