/* replay.h - every system of sharedl1-est through the replay engine, in one pass over the
 * trace. */
#ifndef CT_TOOLS_SHAREDL1_REPLAY_H
#define CT_TOOLS_SHAREDL1_REPLAY_H

#include "common/stage.h"
#include "models/shared_l1/replayed.h"

/* Opens the trace that the stage's profile names and replays all systems on the GPU in force;
 * rows[] has CT_SL_SYSTEMS of them. timeline: DynEB's mode changes become SW records of the
 * stage's profile. place: of a mesh, else NULL. Returns CT_OK or < 0 with *e. */
int sharedl1_replay(struct ct_tool *t, struct ct_stage *s, const struct ct_sl_answer *a,
                    const struct ct_sl_place *place, int timeline, struct ct_sl_row *rows,
                    struct ct_error *e);

#endif
