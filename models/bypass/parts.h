/* parts.h - the systems inside the replay engine: Bypass decides over admission to the engine's own L1s, Perfect is
 * an L1 organisation that forgets nothing. BL is the engine as it is: no parts. Nor has Ideal-L1 any.
 *
 * Perfect asks for a sector once per SM, whatever a launch or a fence empties; what asks for it while it is on its
 * way waits. Its fetches hold MSHR entries and take places of the miss queue as those of the engine's L1. */
#ifndef CT_MODELS_BYPASS_PARTS_H
#define CT_MODELS_BYPASS_PARTS_H

#include "models/bypass/measure.h"
#include "replay/parts.h"

struct ct_bp_parts;

/* One system for one engine of that GPU; *x is NULL for BL, and for Ideal-L1, which is an option of the engine. Fails with CT_ERR_NOMEM. */
int ct_bp_parts_new(struct ct_bp_parts **x, const struct ct_gpu *g, enum ct_bp_system system,
                    const struct ct_bp_params *params, struct ct_error *e);
void ct_bp_parts_free(struct ct_bp_parts *x); /* NULL allowed */
/* For ct_replay_options.parts; lives in x. NULL for NULL. */
const struct ct_replay_parts *ct_bp_parts_plugs(const struct ct_bp_parts *x);
/* What the predictors of Bypass did, warm-up included; zero for Perfect. Pure. */
struct ct_bp_learned ct_bp_parts_learned(const struct ct_bp_parts *x);

#endif
