/* require.h - thresholds on what a run found: "llc_mpki <= 1.05*base for bfs*".
 *
 *   requirement = condition [ "for" GLOB { "," GLOB } ]
 *   condition   = all { "or" all }          all = test { "and" test }
 *   test        = "(" condition ")" | sum COMPARE sum | MECHANISM.verdict ==|!= WORD
 *   sum         = product { "+"|"-" product }
 *   product     = factor { "*"|"/" factor }
 *   factor      = NUMBER ["%"] | "base" | value | "-" factor | "(" sum ")"
 *   value       = METRIC | MECHANISM.SYSTEM.METRIC | MECHANISM.speedup|low|high
 *
 * METRIC alone is an SN of scope all; with mechanism and system an ES of scope all;
 * MECHANISM.speedup, low and high are the verdict's. base is the left side of the same
 * comparison in the run that this one is compared with. */
#ifndef CT_MODELS_VERDICT_REQUIRE_H
#define CT_MODELS_VERDICT_REQUIRE_H

#include <stddef.h>

#include "base/error.h"

enum { CT_REQUIRE_TEXT_MAX = 4096, CT_REQUIRE_NODES_MAX = 256, CT_REQUIRE_DEPTH_MAX = 32 };

/* A value by name. mechanism "" for an SN metric, system "" for a verdict's value. */
struct ct_require_name {
	const char *mechanism, *system, *metric;
};

/* Looks a value up in one run. number: 1 and *v, 0 when it is missing. word: the
 * verdict on a mechanism, or NULL when there is none. run is what ct_require_eval() was
 * given. Both must be pure. allow_unknown: a test on a verdict that is unknown passes;
 * else it fails, unless it compares with the word unknown itself. */
struct ct_require_source {
	int (*number)(const void *run, const struct ct_require_name *name, double *v);
	const char *(*word)(const void *run, const char *mechanism);
	int allow_unknown;
};

struct ct_require;

/* Parses text (copied; one line). Fails with CT_ERR_USAGE, naming the column and what
 * was expected there, or CT_ERR_NOMEM. *r is the caller's. */
int ct_require_parse(struct ct_require **r, const char *text, struct ct_error *e);
void ct_require_free(struct ct_require *r); /* NULL allowed */

/* The text as given, blanks at both ends removed. */
const char *ct_require_text(const struct ct_require *r);
/* 1 when one of its globs (none: any) matches the workload's name. */
int ct_require_applies(const struct ct_require *r, const char *workload);
/* The first of its globs that matches none of n workloads, the requirement's; NULL: there is none. name_of
 * gives that of workload i of the runs, or NULL for one that does not count. Pure when name_of is. */
const char *ct_require_unmatched(const struct ct_require *r, size_t n,
                                 const char *(*name_of)(const void *runs, size_t i), const void *runs);
/* 1 when it names base anywhere. */
int ct_require_uses_base(const struct ct_require *r);

enum ct_require_outcome {
	CT_REQUIRE_PASSED,
	CT_REQUIRE_FAILED,
	CT_REQUIRE_ABSENT,  /* a value it names is missing in this run */
	CT_REQUIRE_NO_BASE, /* the other run has no such workload or value */
	CT_REQUIRE_MISNAMED /* a value it names is missing, and no metric has that name: no run can ever hold */
};

/* Evaluates against one workload; old is the same workload of the other run or NULL.
 * why[0..n-1] gets the comparison that decided with its numbers, or the name of what is
 * missing. A division by zero counts as missing, and so does what is no number, as
 * inf - inf. Pure. */
enum ct_require_outcome
ct_require_eval(const struct ct_require *r, const struct ct_require_source *source, const void *run,
                const void *old, char *why, size_t n);

#endif
