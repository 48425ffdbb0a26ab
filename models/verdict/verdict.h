/* verdict.h - from an estimate to a decision: benefits, neutral, hurts or unknown. Every command takes its verdicts
 * from here, so that the same profile has the same verdict in all of them.
 *
 * The speed-up is that of the mechanism's judged system against the user's GPU as
 * configured (ES speedup_configured of scope all). Its range is widened by what such
 * estimates have been off in pairs of runs of the same trace, with and without a change
 * (make fidelity), and by the sampling error of the profile. man/triage.1 tells the rule. */
#ifndef CT_MODELS_VERDICT_VERDICT_H
#define CT_MODELS_VERDICT_VERDICT_H

#include <stddef.h>

#include "base/decls.h"
#include "models/mechanism.h"
#include "profile/profile.h"

CT_DECLS_BEGIN

enum ct_verdict_word { CT_BENEFITS, CT_NEUTRAL, CT_HURTS, CT_UNKNOWN };
/* "benefits" ...; static storage. */
const char *ct_verdict_word(enum ct_verdict_word w);
/* By name: the word, or -1. */
int ct_verdict_find(const char *name);

/* What decided: that even an ideal gains too little, the analytic estimate, or a replay in quick or full timing. */
enum ct_verdict_step {
	CT_DECIDED_NOT,
	CT_DECIDED_BOUND,
	CT_DECIDED_ESTIMATE,
	CT_DECIDED_QUICK,
	CT_DECIDED_FULL
};
/* "bound", "estimate", "quick", "full"; "NA" of an open one. Static storage. */
const char *ct_verdict_step(enum ct_verdict_step s);

enum { CT_REASON_MAX = 600, CT_SYSTEM_NAME_MAX = 48, CT_RANGE_TEXT_MAX = 64 };

struct ct_verdict {
	enum ct_verdict_word word;
	double speedup, low, high;  /* NaN when there is no estimate */
	char reason[CT_REASON_MAX]; /* one line, UTF-8, no tabs */
	/* The best of the simpler systems that the mechanism has to beat, "" where there is none, and its speed-up against
	 * the GPU as configured, which is the baseline of both. */
	char alternative[CT_SYSTEM_NAME_MAX];
	double alternative_speedup; /* NaN where there is none */
	enum ct_verdict_step decided_by;
	double sms_used,
		sms_asked; /* of the GPU that was simulated, and of the one that was named; NaN: unknown */
	int open;          /* unknown, but replays would tell (judge.h) */
};

/* The name of the GPU as configured, the baseline of verdicts: "configured". */
extern const char ct_verdict_baseline[];
/* The name of what verdicts on m are over: that, or the system of m that stands for it in replays. Static storage. Pure. */
const char *ct_verdict_baseline_of(const struct ct_mechanism *m);

/* A verdict is benefits above the first, hurts below the second. */
extern const double ct_verdict_benefits, ct_verdict_hurts;

/* What an estimate of a change is off, from the reference pairs: of the logarithm of the
 * speed-up, at least `floor`, else `share` of it. */
struct ct_paired_error {
	double floor, share;
};
/* The error of estimates by a method: "full" or "replay", "quick", and any other counts as analytic. */
struct ct_paired_error ct_paired_error(const char *method);

/* The range of a speed-up as verdicts state it, for tables: that of the estimate, widened by what such estimates were off
 * and by the profile's sampling error. NaN where the value is no speed-up or the sampling error is not known. Pure. */
void ct_verdict_range(const struct ct_profile *p, const struct ct_estimate *es, double *low,
                      double *high);

/* The verdict on mechanism m for the workload of p. What p lacks makes it unknown, with a reason that says what to do. CT_OK,
 * or CT_ERR_NOMEM, which leaves it unknown without a reason. Pure. */
int ct_verdict_decide(const struct ct_profile *p, const struct ct_mechanism *m, struct ct_verdict *v);

/* 1 when v is unknown because the trace does not fill the GPU: another --scale may tell. */
int ct_verdict_too_small(const struct ct_verdict *v);

/* 1 when p has an estimate that ct_verdict_decide() can use. */
int ct_verdict_possible(const struct ct_profile *p, const struct ct_mechanism *m);

/* Appends, or replaces, p's TV record of a workload and mechanism. Fails as
 * ct_profile_put(). */
int ct_verdict_write(struct ct_profile *p, const char *workload, const struct ct_mechanism *m,
                     const struct ct_verdict *v, struct ct_error *e);
/* Reads a TV record: the mechanism's index in the registry and *v; -1 when the record is malformed or of a mechanism
 * that this build does not know. */
int ct_verdict_read(const struct ct_record *r, struct ct_verdict *v);

/* The range of v as "0.97..1.04", a factor: with two decimals, or of an unknown verdict with as many as show on which side
 * of the borders its ends lie ("0.97995..0.99178" crosses 0.98); "-" where there is none. */
void ct_verdict_range_text(const struct ct_verdict *v, char out[CT_RANGE_TEXT_MAX]);

/* Appends the verdict as a line for people: "verdict: WORD: SYSTEM runs 1.03 times as fast as this GPU as configured
 * (range 1.01..1.05, decided by a full replay): REASON". Out of memory shows in b. */
void ct_verdict_line(const struct ct_verdict *v, const struct ct_mechanism *m, struct ct_buf *b);

CT_DECLS_END

#endif
