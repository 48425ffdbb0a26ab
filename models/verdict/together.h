/* together.h - several mechanisms at work on one GPU: replayed each alone and all at once.
 *
 * Their parts (replay/parts.h) go into one engine. A mechanism whose systems have a setting, as how many SMs compute,
 * searches for the best one alone and again together. All speed-ups are against the GPU as configured, or what stands for
 * it in the parts of a mechanism (ct_mechanism.configured), which at most one of them may have. The interaction is
 * the speed-up together over the product of the speed-ups alone: 1 where the mechanisms do not meet. */
#ifndef CT_MODELS_VERDICT_TOGETHER_H
#define CT_MODELS_VERDICT_TOGETHER_H

#include "base/buf.h"
#include "base/decls.h"
#include "base/error.h"
#include "models/mechanism.h"
#include "models/verdict/verdict.h"

CT_DECLS_BEGIN

enum { CT_TOGETHER_MAX = 8 };

/* What a replay gave: NaN where there was none. */
struct ct_together_result {
	double setting; /* 0: the system has none */
	double cycles;  /* core cycles without launches */
	double speedup; /* against the GPU as configured */
	struct ct_replay_counts counts;
};

/* Mechanisms and what came of them. The caller fills the first four; what they point at outlives the call. */
struct ct_together {
	/* Open questions about the same profile and GPU, each of another mechanism, and a system of each. */
	struct ct_mechanism_run *run[CT_TOGETHER_MAX];
	unsigned system[CT_TOGETHER_MAX];
	unsigned n; /* at least 2 */
	const struct ct_pass_settings *settings;
	const char *name[CT_TOGETHER_MAX]; /* of each mechanism; static storage */
	struct ct_together_result alone[CT_TOGETHER_MAX], together;
	double interaction;
};

/* Whether mechanisms can be at work together: CT_OK, or fails with CT_ERR_USAGE, saying what excludes what. By what they
 * say of themselves (ct_mechanism.places); ct_together_replay() also knows their parts. Pure. */
int ct_together_check(const struct ct_mechanism *const *m, unsigned n, struct ct_error *e);

/* Replays the trace that the profile names: the GPU as configured, each mechanism alone and all together, in as many passes
 * as their searches take, and fills the results. `why` is the option that asks. Fails as ct_together_check(), the
 * mechanisms' engine() and ct_replays_run() do. The results do not depend on the threads of settings. */
int ct_together_replay(struct ct_together *x, const char *why, struct ct_error *e);

/* Appends ES records of scope all and method replay, of a mechanism and a system whose names are those of all with commas
 * between: cycles, ipc, speedup, speedup_configured, interaction and llc_mpki; and of each alone cycles, ipc,
 * speedup_configured and llc_mpki with method full. Fails with CT_ERR_NOMEM. */
int ct_together_write(const struct ct_together *x, struct ct_profile *p, struct ct_error *e);

/* The verdict on all together, from replays in full timing, with how they interact as its reason. What they have to beat is
 * the best of them alone. p: where the profile is,
 * for its range and its GPU. Pure. */
void ct_together_verdict(const struct ct_together *x, const struct ct_profile *p, struct ct_verdict *v);

/* These two names, with commas between. Out of memory shows in b. */
void ct_together_name(const struct ct_together *x, struct ct_buf *mechanism, struct ct_buf *system);

CT_DECLS_END

#endif
