/* parts.h - the organisations as parts of the replay engine: collectors and their scheduler
 * on every SM, with real memory behind them. */
#ifndef CT_MODELS_MALEKEH_PARTS_H
#define CT_MODELS_MALEKEH_PARTS_H

#include "models/malekeh/core.h"
#include "models/malekeh/masks.h"
#include "models/malekeh/params.h"
#include "replay/parts.h"

/* One organisation on one engine. */
struct ct_mk_parts;

/* 1 if the system can be a part. */
int ct_mk_parts_can(const struct ct_mk_system *s);
/* Makes the part of a system for an engine of GPU g, with the parameters applied to it (copied). masks: reuse bits and
 * planned code of each launch, in order, as an earlier pass found them; NULL or too few: all far, and nothing planned.
 * sthld: the machine's table, may be NULL if the system has a constant. masks and sthld must outlive the part. Fails with
 * CT_ERR_UNSUPPORTED, CT_ERR_NOMEM. */
int ct_mk_parts_new(struct ct_mk_parts **p, const struct ct_mk_system *s, const struct ct_gpu *g,
                    const struct ct_mk_params *params, const struct ct_mk_masks *masks,
                    const struct ct_mk_sthld_table *sthld, uint64_t seed, struct ct_error *e);
/* What ct_replay_options.parts takes; it lives in p. */
const struct ct_replay_parts *ct_mk_parts_table(const struct ct_mk_parts *p);
/* What all SMs did: slots, hits, reads and writes, waits and so on; cycles and scheduler
 * states are the engine's to count and stay 0. */
void ct_mk_parts_counts(const struct ct_mk_parts *p, struct ct_mk_counts *c);
void ct_mk_parts_free(struct ct_mk_parts *p); /* NULL allowed; after the engine */

#endif
