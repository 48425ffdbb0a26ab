/* part.h - Morpheus as an LLC organisation of the replay engine.
 *
 * A request for a block that address separation gives to a cache-mode SM is taken out of its
 * slice's queue (reading request-path). Sectors of one block that come while it is on its way share its one
 * request to the SM. A predicted miss goes to DRAM from the slice and the block into the SM
 * behind it; a predicted hit travels to the SM over the reply network, waits there for the port and
 * for the warp of its set, comes back over the request network, and goes to DRAM from the
 * slice when the warp does not have it (reading helper-fetches). Stores are acknowledged at the slice. Which
 * blocks are where, the predictors, and how long SM and warp take, are extllc.h's, bit by bit.
 *
 * Approximations: dirty victims are written back at the address of the block that pushed them
 * out; a launch does not empty the extended LLC; predictor and set change when the request is at
 * the slice, in the order in which the slices run, which is that of time up to the
 * engine's window. */
#ifndef CT_MODELS_MORPHEUS_PART_H
#define CT_MODELS_MORPHEUS_PART_H

#include "models/morpheus/extllc.h"
#include "replay/parts.h"

struct ct_mo_part_params {
	struct ct_mo_extllc_params ext;
	uint32_t first_cache_sm;    /* cache-mode SMs are this one and those behind it */
	uint32_t block_bytes;       /* equal to the LLC's line */
	struct ct_morpheus_mix mix; /* with compression: a block's level is drawn from it by its
	                                number, so that it is always the same */
};

struct ct_mo_part_counts {
	uint64_t sectors, sector_hits; /* of requests that the extended part answered; pending ones
	                                   are hits */
	uint64_t joined;               /* of them without a request of their own to the SM */
	uint64_t queries;              /* messages to cache-mode SMs */
	uint64_t latency_sum;          /* of predicted hits: cycles from the slice to its answer */
	uint64_t answers;              /* and how many */
};

struct ct_mo_part;

/* Makes the part for one engine, whose GPU is g. Returns NULL with CT_ERR_USAGE or CT_ERR_NOMEM in *e. The caller frees
 * it after the engine, and uses it in the engine's thread only. */
struct ct_mo_part *ct_mo_part_new(const struct ct_mo_part_params *p, const struct ct_gpu *g,
                                  struct ct_error *e);
void ct_mo_part_free(struct ct_mo_part *m); /* NULL allowed */

/* What ct_replay_parts.llc takes; it lives in m. */
const struct ct_llc_part *ct_mo_part_llc(const struct ct_mo_part *m);
void ct_mo_part_counts(const struct ct_mo_part *m, struct ct_mo_part_counts *c,
                       struct ct_mo_extllc_counts *ext);

#endif
