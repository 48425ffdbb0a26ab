/* sharedl1.h - systems of shared L1s through the replay engine, in one pass over the trace: what
 * sharedl1-est and `reuse --mechanisms shared-l1` have in common. */
#ifndef CT_TOOLS_SHAREDL1_H
#define CT_TOOLS_SHAREDL1_H

#include "common/stage.h"
#include "models/shared_l1/replayed.h"

/* Opens the trace that the stage's profile names and replays systems (a mask of the table; Private is
 * always among them) on the GPU in force; rows[] has CT_SL_SYSTEMS of them, of which those of the
 * mask count. timeline: DynEB's mode changes become SW records of the stage's profile. place: of a
 * mesh, else NULL. Returns CT_OK or < 0 with *e. */
int ct_sharedl1_replay(struct ct_tool *t, struct ct_stage *s, const struct ct_sl_answer *a,
                       const struct ct_sl_place *place, unsigned systems, int timeline,
                       struct ct_sl_row *rows, struct ct_error *e);

/* 1 for a -p that is the model's, as shared-l1.guard=0.2. */
int ct_sharedl1_is_key(const char *assignment);

/* The pass of a profile is over: replays the systems whose miss rates order decides (a stage's
 * defaults, and -p) and appends their ES records, method replay; none where there are none. What
 * cannot be read again, as standard input, is a warning. */
int ct_sharedl1_measure(struct ct_tool *t, const struct ct_gpu *g, struct ct_profile *p,
                        struct ct_error *e);

#endif
