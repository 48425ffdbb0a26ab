/* again.h - what tsc-est needs the trace for: measuring other parameters, and replaying each
 * system with its own L1s in the engine. */
#ifndef CT_TOOLS_TSC_EST_AGAIN_H
#define CT_TOOLS_TSC_EST_AGAIN_H

#include "common/stage.h"
#include "models/tag_split/measure.h"

/* Replays the baseline once more with the systems (NULL: all of the paper) measured on it, and puts
 * their ES records into `into`. why: the option that needs the trace. Fails as
 * ct_replays_run() does. */
int tsc_measure(struct ct_tool *t, struct ct_stage *s, const char *why,
                const struct ct_ts_params *params, const struct ct_ts_system *systems, unsigned n,
                struct ct_profile *into, struct ct_error *e);

/* One engine per system, all fed by one pass. ES records of method replay: cycles, ipc,
 * speedup, speedup_configured, llc_mpki. */
int tsc_replay(struct ct_tool *t, struct ct_stage *s, const char *why,
               const struct ct_ts_params *params, struct ct_error *e);

#endif
