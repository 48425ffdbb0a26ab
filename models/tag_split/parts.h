/* parts.h - a system of the Tag-Split Cache paper inside the replay engine: its L1s with their
 * MSHRs as an L1 organisation, MRPB's queues as a request shaper.
 *
 * As GPGPU-Sim's L1, and as the engine's own: a miss needs an MSHR entry (one per line,
 * with a limit of merged requests), room in the miss queue, and a way of its set that no line on
 * its way holds; else the pipeline waits. Space is allocated at the miss (reading
 * allocate-at-miss); a chunk on its way is asked for once (reading issued-mask). The configured L1 is the
 * engine's own: no parts. */
#ifndef CT_MODELS_TAG_SPLIT_PARTS_H
#define CT_MODELS_TAG_SPLIT_PARTS_H

#include "models/tag_split/measure.h"
#include "replay/parts.h"

struct ct_ts_parts;

/* One system for one engine. Fails with CT_ERR_USAGE, CT_ERR_NOMEM; for the configured
 * system and the ideal one, which is an engine's option, *x is NULL. */
int ct_ts_parts_new(struct ct_ts_parts **x, const struct ct_gpu *g, const struct ct_ts_system *s,
                    const struct ct_ts_params *p, uint64_t seed, struct ct_error *e);
void ct_ts_parts_free(struct ct_ts_parts *x); /* NULL allowed */
/* For ct_replay_options.parts; lives in x. NULL for NULL. */
const struct ct_replay_parts *ct_ts_parts_plugs(const struct ct_ts_parts *x);
/* What the L1s counted so far, warm-up included. Of struct ct_ts_counts: loads and
 * load_misses (not behind MRPB, which mixes instructions), seen, requests, request_misses,
 * partial, entries, coarse_requests, stores, fetched_bytes, data_packets, request_packets, write_packets, evicted,
 * collateral, bypassed, use. */
void ct_ts_parts_counts(const struct ct_ts_parts *x, struct ct_ts_counts *c);

#endif
