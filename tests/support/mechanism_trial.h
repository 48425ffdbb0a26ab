/* mechanism_trial.h - one mechanism on one small trace, through its interface alone: the pass with its
 * observer, the estimate, the tables. Fails the running cmocka test where a step fails that should not. */
#ifndef CT_TESTS_MECHANISM_TRIAL_H
#define CT_TESTS_MECHANISM_TRIAL_H

#include "models/common/workload.h"
#include "models/registry.h"
#include "tests/support/microtrace.h"

struct mechanism_trial {
	struct ct_mechanism_run run;
	struct ct_pass_settings settings;
	struct ct_gpu gpu;
	struct ct_workload workload;
	char path[64];   /* of the trace, a temporary file */
	char data[4096]; /* folder of the data files */
};

/* Fills *t for the mechanism and GPU and writes the trace to a file; frees the text. run.set and the rest
 * that is known before open() may still be filled. */
void trial_new(struct mechanism_trial *t, const struct ct_mechanism *m, const struct ct_gpu *g,
               struct micro *trace);
/* Opens the run, makes the pass with the views and observers of the mechanism (not observed: without the one
 * of passes that measure it) and reads the workload. */
void trial_pass(struct mechanism_trial *t, int observed);
/* Makes the pass again with the observer of a run that is open, and puts the new profile into run.p: the old
 * one stays the caller's. */
void trial_measure(struct mechanism_trial *t);
/* The value of an ES record of scope all; NaN when there is none. method may be NULL. */
double trial_value(const struct mechanism_trial *t, const char *system, const char *metric,
                   const char *method);
/* Fails for an ES or SW record of the mechanism whose system or metric its table does not name. */
void trial_check_records(const struct mechanism_trial *t);
/* What show() and its sisters write, checked for NaN and tabs; the caller frees it. */
void trial_show(const struct mechanism_trial *t, struct ct_buf *b);
/* Closes the run, and removes and frees everything. */
void trial_free(struct mechanism_trial *t);

#endif
