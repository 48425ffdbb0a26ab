/* parts_trial.h - a small trace on a small GPU, for tests of parts in the engine. Fails the running cmocka test where a step
 * fails that should not. */
#ifndef CT_TESTS_SUPPORT_PARTS_TRIAL_H
#define CT_TESTS_SUPPORT_PARTS_TRIAL_H

#include "replay/parts.h"
#include "tests/support/microtrace.h"

/* SMs of the GPU, CTAs of a launch, warps of a CTA, and lines that every warp reads. */
enum { SMS = 4, CTAS = 8, WARPS = 4, LINES = 24 };

/* An RTX 3070 of SMS SMs. */
void parts_gpu(struct ct_gpu *g);
/* Makes the settings of `-p` up to a NULL; ends the test when one is wrong. */
void parts_set(struct ct_gpu *g, const char *const *keys);
/* Runs the trace in full timing, with the parts p (NULL: none). Each launch has CTAS CTAs of WARPS warps; every warp reads the
 * same LINES lines, computes on each, and stores to a line of its own. */
void parts_run(const struct ct_gpu *g, const struct ct_replay_parts *p, struct micro_result *r,
               int launches);

#endif
