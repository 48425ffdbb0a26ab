/* replayed.h - the systems of the Morpheus paper through the replay engine.
 *
 * Each system becomes a GPU and, where SMs cache or idle, parts (part.h); systems that come to
 * the same share an engine. They run at the SM counts that the analytic answer chose. The
 * engine has one clock for network and LLC, so Frequency-Boost stays analytic. */
#ifndef CT_MODELS_MORPHEUS_REPLAYED_H
#define CT_MODELS_MORPHEUS_REPLAYED_H

#include "models/morpheus/estimate.h"
#include "models/morpheus/part.h"
#include "replay/replay.h"

enum { CT_MO_LANES_MAX = CT_MO_SYSTEMS + 1 };

/* One engine's GPU and parts. */
struct ct_mo_lane {
	struct ct_gpu gpu;
	unsigned sms;                        /* that compute */
	const struct ct_mo_system *extended; /* whose extended LLC it has; NULL: none */
	uint8_t *owned;
	struct ct_mo_part *part;
	struct ct_replay_parts parts;
	struct ct_replay_options options; /* of an engine that is the lane's; they point into it */
};

struct ct_mo_replays {
	const struct ct_mo_answer *answer;
	struct ct_mo_lane lane[CT_MO_LANES_MAX]; /* 0: the GPU as configured */
	unsigned n;
	int lane_of[CT_MO_SYSTEMS]; /* -1: not replayed */
};

/* Chooses the lanes of the systems that the answer was asked for. The answer must outlive *x, and *x, which may not be copied, the engines that are made
 * of its lanes; it is freed by ct_mo_replays_free(), also when this fails (CT_ERR_USAGE, CT_ERR_NOMEM). */
int ct_mo_replays_init(struct ct_mo_replays *x, const struct ct_mo_answer *a, uint64_t warmup,
                       struct ct_error *e);
void ct_mo_replays_free(struct ct_mo_replays *x);

/* Rows from the engines' totals: row[i] of system i, like those of the answer, without ranges;
 * cycles are not-a-number where the system was not replayed. */
void ct_mo_replays_rows(const struct ct_mo_replays *x, const struct ct_replay_counts *total,
                        struct ct_mo_row row[CT_MO_SYSTEMS]);

/* One system of the answer as a lane of its own, for an engine beside others. The answer has to have been asked for it,
 * and must outlive *l; ct_mo_lane_free() frees it, also after a failure. Fails with CT_ERR_UNSUPPORTED for a system that
 * the engine cannot be made into, CT_ERR_USAGE, CT_ERR_NOMEM. */
int ct_mo_lane_init(struct ct_mo_lane *l, const struct ct_mo_answer *a, unsigned system, uint64_t warmup,
                    struct ct_error *e);
void ct_mo_lane_free(struct ct_mo_lane *l);

#endif
