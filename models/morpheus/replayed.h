/* replayed.h - the systems of the Morpheus paper through the replay engine.
 *
 * Each system becomes a GPU, which has fewer SMs where some rest, and a part (part.h) where some cache; systems that come
 * to the same share an engine. Those that choose their SM count are replayed at the counts that a search asks for
 * (search.h). */
#ifndef CT_MODELS_MORPHEUS_REPLAYED_H
#define CT_MODELS_MORPHEUS_REPLAYED_H

#include "models/morpheus/estimate.h"
#include "models/morpheus/part.h"
#include "models/morpheus/search.h"
#include "replay/replay.h"

/* One engine's GPU and parts, and when it has run, what came of it. */
struct ct_mo_lane {
	struct ct_gpu gpu;
	unsigned sms;                        /* that compute */
	const struct ct_mo_system *extended; /* whose extended LLC it has; NULL: none */
	uint8_t *owned;
	struct ct_mo_part *part;
	struct ct_replay_parts parts;
	struct ct_replay_options options; /* of an engine that is the lane's; they point into it */
	struct ct_replay_counts total;
	struct ct_mo_part_counts part_total;
	struct ct_mo_extllc_counts extended_total;
};

/* A system on so many compute SMs, as a lane for an engine beside others. m: of ct_mo_model_open() or more; it need not
 * outlive the call. ct_mo_lane_free() frees *l, also after a failure. Fails with CT_ERR_UNSUPPORTED for a system that the
 * engine cannot be made into, CT_ERR_USAGE for an SM count that the GPU does not have, CT_ERR_NOMEM. */
int ct_mo_lane_init(struct ct_mo_lane *l, const struct ct_mo_model *m, const struct ct_mo_system *s,
                    unsigned sms, uint64_t warmup, struct ct_error *e);
void ct_mo_lane_free(struct ct_mo_lane *l);

enum { CT_MO_LANES_MAX = CT_MO_SYSTEMS * CT_MO_TRIED_MAX + 1 };

/* The replays of one answer. */
struct ct_mo_replays {
	const struct ct_mo_answer *answer;
	struct ct_mo_model model; /* the answer's, with what replays have found */
	uint64_t warmup;
	unsigned sms; /* the count for systems that choose one; 0: replays search for it */
	struct ct_mo_lane lane[CT_MO_LANES_MAX]; /* 0: the GPU as configured */
	unsigned n, n_run;                       /* lanes, and how many of them have run */
	unsigned n_tried[CT_MO_SYSTEMS];         /* SM counts of each system; 0: not replayed */
	struct ct_mechanism_tried tried[CT_MO_SYSTEMS][CT_MO_TRIED_MAX];
	unsigned lane_of[CT_MO_SYSTEMS][CT_MO_TRIED_MAX];
};

/* Adds lanes for what the systems of the answer want replayed next, knowing what the lanes that have run gave: those
 * from x->n_run on, none when the search is over. *x is zero but for answer, model, warmup and sms before the first call, and
 * may not be copied; the answer must outlive it. Fails with CT_ERR_USAGE, CT_ERR_NOMEM; ct_mo_replays_free() is called
 * all the same. */
int ct_mo_replays_next(struct ct_mo_replays *x, struct ct_error *e);
/* The engines of lanes from x->n_run on have run and counted total[0..]: keeps that, and frees their parts. */
void ct_mo_replays_done(struct ct_mo_replays *x, const struct ct_replay_counts *total);
void ct_mo_replays_free(struct ct_mo_replays *x);

/* Rows at the best SM count of each system: row[i] of system i, like those of the answer, without ranges; cycles are
 * not-a-number where the system was not replayed. */
void ct_mo_replays_rows(const struct ct_mo_replays *x, struct ct_mo_row row[CT_MO_SYSTEMS]);

#endif
