/* replay.h - the systems of morpheus-est through the replay engine, in one pass. */
#ifndef CT_TOOLS_MORPHEUS_REPLAY_H
#define CT_TOOLS_MORPHEUS_REPLAY_H

#include "common/stage.h"
#include "models/morpheus/estimate.h"

/* Replays every system at the SM count that the answer chose, from the trace behind the
 * stage's profile; `why` is the option that asked. Fills rows[CT_MO_SYSTEMS] as
 * ct_mo_replays_rows() does. Returns CT_OK or < 0 with *e. */
int morpheus_replay(struct ct_tool *t, const struct ct_stage *s, const char *why,
                    const struct ct_mo_answer *a, struct ct_mo_row *rows, struct ct_error *e);

/* Both methods side by side, for --check. */
void morpheus_check_table(const struct ct_mo_answer *a, const struct ct_mo_row *rows,
                          struct ct_buf *b);

#endif
