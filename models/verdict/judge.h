/* judge.h - replays what the estimates leave open, for all mechanisms of one workload at once.
 *
 * A verdict is decided in steps, the cheapest first (man/triage.1): by the bound of an ideal, by the estimate with its range,
 * by replays in quick timing, by replays in full timing. The first two need the profile only, and ct_verdict_decide() takes
 * them. This file does the other two: it asks ct_verdict_decide() which verdicts are open, replays what would decide them,
 * and appends what it finds as ES records of method quick or full, on which ct_verdict_decide() then decides. */
#ifndef CT_MODELS_VERDICT_JUDGE_H
#define CT_MODELS_VERDICT_JUDGE_H

#include "base/decls.h"
#include "base/error.h"
#include "models/mechanism.h"
#include "models/registry.h"
#include "models/verdict/verdict.h"

CT_DECLS_BEGIN

/* One workload. The caller fills it; what it points at outlives the call. */
struct ct_judge {
	/* The question to each mechanism of the registry, in its order, NULL where none is asked. All are open, about the
	 * same profile and GPU, and estimate() was called where it could be. */
	struct ct_mechanism_run *run[CT_MECHANISMS_MAX];
	struct ct_profile *p; /* that of the runs */
	const struct ct_gpu *gpu;
	const struct ct_pass_settings *settings;
	/* Core cycles without launches of the GPU as configured, where a replay of this trace in that timing has told them; 0:
	 * it is replayed, as it is in the other timing. */
	double configured_cycles;
	enum ct_replay_timing configured_timing;
	int from_trace; /* the trace has just been read: that it cannot be read again is a failure */
	int full_only;  /* leave out quick timing, as --method replay does */
	struct ct_error
		why; /* why nothing could be replayed, as the trace is not there; text "" where nothing failed */
};

/* Replays until all verdicts are decided or nothing is left to try: the configured GPU and the ideals of open mechanisms,
 * then their judged systems and alternatives, in quick timing and then those that are still open in full. What cannot
 * change a word is left out or stops early (doc/models.md section 13). Each round is
 * one pass over the trace that the profile names; there is none when no verdict is open. Appends ES speedup_configured
 * and cycles of scope all with method quick or full. A trace that cannot be read again is no failure, and is told in
 * j->why, unless j->from_trace: then it fails with CT_ERR_IO. Fails with CT_ERR_NOMEM. The results do not depend on settings->threads. One call at a time per profile. */
int ct_judge_replays(struct ct_judge *j, struct ct_error *e);
/* Sets what a profile tells of configured_cycles: its own cycles where a pass over all of the trace counted them, else 0,
 * and the timing of that pass. Reads p only. */
void ct_judge_know_configured(struct ct_judge *j, const struct ct_profile *p);
/* Removes what ct_judge_replays() has appended to p: it holds for the GPU that was in force. */
void ct_judge_forget(struct ct_profile *p);
/* Adds to the reason of a verdict that stays open why it was not replayed, where that is known. */
void ct_judge_tell(const struct ct_judge *j, struct ct_verdict *v);

CT_DECLS_END

#endif
