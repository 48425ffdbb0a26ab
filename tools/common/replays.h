/* replays.h - the trace behind a stage, run again through engines of the caller's. */
#ifndef CT_TOOLS_REPLAYS_H
#define CT_TOOLS_REPLAYS_H

#include "common/stage.h"
#include "replay/replay.h"

/* Runs the trace that the stage's profile was made from (ct_stage_trace()) through the n
 * engines in one pass, with progress, and checks that it was that trace. total[i] gets the
 * counts of engine i over all launches. The engines are taken over and freed, also on
 * failure; what their parts and observers hold stays the caller's. With -@ they run in threads:
 * parts of two engines may share nothing that changes. `why` is the option that needs the
 * trace, for messages. Engines want the stage's warm-up (struct ct_replay_options.warmup).
 * Fails as ct_stage_trace(), the engines and their parts do. */
int ct_replays_run(struct ct_tool *t, const struct ct_stage *s, const char *why,
                   struct ct_replay *const *engine, unsigned n, struct ct_replay_counts *total,
                   struct ct_error *e);

/* What a caller wants to do at the ends of each launch; either may be NULL. What they return below
 * CT_OK ends the run. launch[i] has the counts of engine i over this launch. */
struct ct_replays_hooks {
	void *ctx;
	int (*begin)(void *ctx, const struct ct_kernel *k, struct ct_error *e);
	int (*end)(void *ctx, const struct ct_kernel *k, const struct ct_replay_counts *launch,
	           struct ct_error *e);
};

/* The same with hooks. */
int ct_replays_run_with(struct ct_tool *t, const struct ct_stage *s, const char *why,
                        struct ct_replay *const *engine, unsigned n,
                        const struct ct_replays_hooks *hooks, struct ct_replay_counts *total,
                        struct ct_error *e);

#endif
