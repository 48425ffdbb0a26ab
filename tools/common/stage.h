/* stage.h - what the stages behind `reuse` share: a profile, however it is given.
 *
 * A stage is handed a profile, or a trace and then makes the pass itself, so that
 * `replicate TRACE` equals `reuse TRACE | replicate`. It takes the GPU from the
 * profile's GP records; -g and -p may change capacities, latencies, bandwidths and
 * energies, whose effect is computed from the histograms. */
#ifndef CT_TOOLS_STAGE_H
#define CT_TOOLS_STAGE_H

#include "common/pass.h"
#include "common/tool.h"
#include "models/common/target.h"

struct ct_stage {
	struct ct_profile *p;
	struct ct_gpu base;              /* that the profile was made with */
	struct ct_gpu gpu;               /* in force: base with -g and -p */
	int changed;                     /* the two differ in any key but names */
	int l1_changed, llc_changed;     /* in the capacity of that level */
	int timing_unknown;              /* a change that the analytic model of time does not know */
	int truncated;                   /* --salvage met damage: the stage ends with 1 */
	struct ct_target time;           /* after ct_stage_retarget(), of scope all; NaN: unknown */
	int from_trace;                  /* the input was a trace */
	int replayed;                    /* it was not, but p comes from another pass over it */
	const struct ct_tool_pass *pass; /* of the passes this stage makes; NULL: the default */
};

/* Opens operand 0 or standard input. With --method replay and changed parameters the
 * trace that TR names is replayed again on the GPU in force, and the profile is the
 * new one. Fails with CT_ERR_USAGE for a change that needs the trace, and as
 * ct_tool_open_input() and ct_tool_pass_run() do. */
int ct_stage_open(struct ct_tool *t, struct ct_stage *s, struct ct_error *e);
/* The same for a stage that wants more of a pass (--mechanisms); pass must outlive s. */
int ct_stage_open_pass(struct ct_tool *t, struct ct_stage *s, const struct ct_tool_pass *pass,
                       struct ct_error *e);
/* The same on a profile of the caller's, which the stage takes also when it fails. why: makes the pass again on the GPU
 * in force, for the option of that name; NULL: fails for a change that needs the trace. */
int ct_stage_open_profile(struct ct_tool *t, struct ct_stage *s, struct ct_profile *p,
                          const struct ct_tool_pass *pass, const char *why, struct ct_error *e);
void ct_stage_close(struct ct_stage *s);

/* Appends PG and prints as -O asks. Returns the stage's status: 1 after damage. */
int ct_stage_emit(struct ct_tool *t, struct ct_stage *s,
                  int (*table)(struct ct_tool *t, const struct ct_profile *p, struct ct_buf *b,
                               struct ct_error *e),
                  struct ct_error *e);

/* Replays the trace that the profile's TR names on the GPU in force: *p is the caller's, with the PG records of
 * the stage's profile and all that ct_tool_pass_run() appends. `why` is the option that needs it, for messages.
 * Fails as ct_pass_reopen(), ct_pass_same_trace() and the pass do. */
int ct_stage_replay(struct ct_tool *t, struct ct_stage *s, const char *why, struct ct_profile **p,
                    struct ct_error *e);
/* Puts such a profile in the place of the stage's own: nothing is changed any more. */
void ct_stage_take(struct ct_stage *s, struct ct_profile *p);

/* Where the trace of the stage's profile does not fill the GPU in force, and nobody has scaled that: opens the trace that
 * TR names and makes the pass again on the part that it fills, which the stage takes. What the profile held of
 * mechanisms that only a pass can measure is measured again, too. A profile whose trace cannot be read stays as it is,
 * with a warning. Fails with CT_ERR_NOMEM, and as ct_tool_gpu() does. */
int ct_stage_fit(struct ct_tool *t, struct ct_stage *s, struct ct_error *e);

/* Puts the GPU in force into the profile: GP, and the SN records that depend on what
 * changed, with method analytic. Rates are the replay's, moved by what the histograms say
 * of the change; cycles and IPC of scope all come from the closed network (perf.h). What
 * neither knows becomes NA. Curves (MR) of the old GPU go. */
int ct_stage_retarget(struct ct_tool *t, struct ct_stage *s, struct ct_error *e);

/* Where the GPU in force is not the profile's: drops the estimates, sweeps and verdicts that
 * the profile brought, which are of its own GPU, but estimates of mechanism `keep` (NULL: none). */
void ct_stage_forget(struct ct_stage *s, const char *keep);

/* A list of sizes: "16KiB,32KiB" or "4KiB..4MiB" (doubling), or both mixed. Sorted,
 * each once. *sizes is the caller's to free. Fails with CT_ERR_USAGE naming option. */
int ct_parse_sizes(const char *option, const char *text, uint64_t **sizes, size_t *n,
                   struct ct_error *e);

#endif
