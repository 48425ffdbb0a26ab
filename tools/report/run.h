/* run.h - what report reads: a run, which is a set of workloads with their profiles. */
#ifndef CT_TOOLS_REPORT_RUN_H
#define CT_TOOLS_REPORT_RUN_H

#include "common/tool.h"
#include "models/verdict/name.h"
#include "models/registry.h"
#include "models/verdict/verdict.h"

struct rep_workload {
	char name[CT_WORKLOAD_NAME_MAX];
	char *path;                             /* of its profile, "" when only verdicts are known */
	struct ct_profile *p;                   /* may be empty, never NULL */
	struct ct_verdict v[CT_MECHANISMS_MAX]; /* by index in the registry */
};

struct rep_run {
	struct rep_workload *w; /* by name */
	size_t n, cap;
	uint32_t
		shown; /* mechanisms that are reported, a bit each: the published ones and those that a profile is about */
	struct ct_profile **verdicts; /* documents of verdicts only, until all workloads have come */
	size_t n_verdicts, cap_verdicts;
};

/* Adds the profiles that path names: a profile, a folder of profiles (those of its files
 * that are any), or "-". TV records of a document about several workloads are put to the
 * workloads of their names. Fails as ct_profile_read(); a trace is CT_ERR_USAGE. */
int rep_run_add(struct ct_tool *t, struct rep_run *run, const char *path, struct ct_error *e);
/* Ends adding: documents of verdicts put to the workloads, whatever came first; names made distinct, sorted;
 * verdicts that no TV gave are decided. */
int rep_run_finish(struct ct_tool *t, struct rep_run *run, struct ct_error *e);
void rep_run_free(struct rep_run *run);

/* Moves *m on to the next mechanism that is reported, itself included: 1, or 0 behind the last. */
int rep_next_shown(const struct rep_run *run, unsigned *m);

/* By name, or NULL. */
const struct rep_workload *rep_run_find(const struct rep_run *run, const char *name);

/* SN of scope all; NaN when missing. */
double rep_sn(const struct rep_workload *w, const char *metric);
/* Whether it rests on a part of its trace: what is lacking into text, a clause of at most n - 1 bytes. */
enum rep_part { REP_WHOLE, REP_PART /* cut, on purpose or not */, REP_DAMAGED };
enum { REP_PART_TEXT = 320 };
enum rep_part rep_part(const struct rep_workload *w, char *text, size_t n);
/* ES of scope all: 1 and *es, or 0. */
int rep_es(const struct rep_workload *w, const char *mechanism, const char *system, const char *metric,
           struct ct_estimate *es);

#endif
