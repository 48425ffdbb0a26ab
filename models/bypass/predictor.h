/* predictor.h - which loads may put their lines into an L1: a table of saturating counters beside each L1.
 *
 * The policy follows Y. Tian, S. Puthoor, J. L. Greathouse, B. M. Beckmann and D. A. Jimenez, "Adaptive GPU Cache
 * Bypassing", GPGPU-8, 2015: a hash of the load's address chooses a counter, a line remembers the counter of the
 * load that asked for it last, a line that leaves without having been hit raises that counter, a hit lowers it,
 * and a miss whose counter has reached the threshold does not allocate. Where that is silent or needs hardware
 * beyond the L1, the readings of cachetriage-bypass(7) say what is done here. */
#ifndef CT_MODELS_BYPASS_PREDICTOR_H
#define CT_MODELS_BYPASS_PREDICTOR_H

#include <stdint.h>

#include "base/error.h"
#include "models/bypass/params.h"

/* What the predictors of all L1s have done. */
struct ct_bp_learned {
	uint64_t evictions, dead, passes, samples;
};

struct ct_bp_predictor;

/* One table for each of `sms` L1s that have `slots` places for lines. Fails with CT_ERR_NOMEM. */
int ct_bp_predictor_new(struct ct_bp_predictor **p, uint32_t sms, uint32_t slots,
                        const struct ct_bp_params *params, struct ct_error *e);
void ct_bp_predictor_free(struct ct_bp_predictor *p); /* NULL allowed */

/* The launch that accesses belong to from now on: instructions of two kernels at the same place are two. */
void ct_bp_predictor_kernel(struct ct_bp_predictor *p, const char *name);

/* A load at `pc` misses its line in the L1 of an SM: 1 when it may allocate. */
int ct_bp_may_allocate(struct ct_bp_predictor *p, uint32_t sm, uint64_t pc);
/* A load finds its line in a slot; hit: with a sector that it asks for. */
void ct_bp_found(struct ct_bp_predictor *p, uint32_t sm, uint32_t slot, uint64_t pc, int hit);
/* A load or store puts its line into a slot, from which another line has to leave (evicted) or not. */
void ct_bp_allocated(struct ct_bp_predictor *p, uint32_t sm, uint32_t slot, uint64_t pc, int evicted);

/* The counter that a load at `pc` has at that L1. Pure. */
uint32_t ct_bp_counter(const struct ct_bp_predictor *p, uint32_t sm, uint64_t pc);
/* So far. Pure. */
struct ct_bp_learned ct_bp_predictor_counts(const struct ct_bp_predictor *p);
/* Counts from here on. */
void ct_bp_predictor_restart(struct ct_bp_predictor *p);

/* Bytes that the tables and the lines' marks add to each L1 of `lines` lines. Pure. */
double ct_bp_storage_bytes(const struct ct_bp_params *params, double lines);

#endif
