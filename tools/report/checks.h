/* checks.h - the thresholds of report and how each did on each workload. */
#ifndef CT_TOOLS_REPORT_CHECKS_H
#define CT_TOOLS_REPORT_CHECKS_H

#include "models/verdict/require.h"
#include "report/run.h"

struct rep_finding {
	const struct rep_workload *w;
	enum ct_require_outcome outcome;
	char why[160];
};

struct rep_check {
	struct ct_require *r;
	struct rep_finding *finding; /* of the workloads it applies to */
	size_t n;
	size_t failed, absent, no_base; /* findings of that outcome */
	const char *gone;               /* a name of its own that no workload has, or NULL */
	int strangers;       /* it compares with a run that has no workload of this run at all */
	int passed, skipped; /* skipped: it compares with a run that has none of its own workloads */
};

struct rep_checks {
	struct rep_check *check;
	size_t n, cap;
	size_t failed, skipped;
	int allow_unknown;    /* tests on unknown verdicts pass */
	const char *open_end; /* a file whose last threshold has no newline behind it, or NULL */
};

/* Adds one requirement, or those of a file: one per line, '#' starts a comment. Fails
 * with CT_ERR_USAGE (naming file and line), CT_ERR_IO, CT_ERR_NOMEM. */
int rep_checks_add(struct rep_checks *c, const char *text, struct ct_error *e);
int rep_checks_add_file(struct rep_checks *c, const char *path, struct ct_error *e);

/* Evaluates all; old may be NULL when none of them names base, else CT_ERR_USAGE. A
 * requirement fails when it fails or lacks a value for one workload, or no workload has one of the
 * names that it is for. */
int rep_checks_run(struct rep_checks *c, const struct rep_run *run, const struct rep_run *old,
                   struct ct_error *e);
void rep_checks_free(struct rep_checks *c);

/* Why the first of its workloads did not pass: "bfs: 1.02 >= 1.05 does not hold". */
void rep_check_why(const struct rep_check *c, char *out, size_t n);

#endif
