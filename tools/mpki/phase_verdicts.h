/* phase_verdicts.h - mpki --every --mechanism: what mechanisms would do in each phase of a run. */
#ifndef CT_TOOLS_MPKI_PHASE_VERDICTS_H
#define CT_TOOLS_MPKI_PHASE_VERDICTS_H

#include "base/buf.h"
#include "common/stage.h"

/* Replays the trace of the stage's profile on the GPU in force, in full timing: as configured, and with the judged system,
 * the alternatives and the ideal of each mechanism of the mask (a bit each, as of ct_mechanism_at()). Caches keep what
 * earlier phases have brought. Appends a PV record for each phase that the profile's PH records name, and mechanism. Fails
 * with CT_ERR_USAGE for a mechanism that no part replays, CT_ERR_NOMEM, and as ct_replays_run() and the mechanisms do. */
int mpki_phase_verdicts(struct ct_tool *t, struct ct_stage *s, uint32_t mask, struct ct_error *e);

/* The PV records for people: a row each. */
void mpki_phase_verdicts_print(const struct ct_profile *p, struct ct_buf *b);

#endif
