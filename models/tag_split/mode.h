/* mode.h - how TSC+ chooses between fine and coarse fetches (reading mode-choice): in SM 0 some
 * sets always run one mode; the mode whose misses times packets are fewer is everybody else's. One object per GPU. */
#ifndef CT_MODELS_TAG_SPLIT_MODE_H
#define CT_MODELS_TAG_SPLIT_MODE_H

#include <stdint.h>

#include "base/error.h"

enum ct_ts_role { CT_TS_FOLLOWER, CT_TS_ALWAYS_FINE, CT_TS_ALWAYS_COARSE };

struct ct_ts_mode {
	uint32_t misses[2], packets[2]; /* fine, coarse: 16-bit counters */
	uint32_t threshold;             /* a miss counter beyond it halves all four */
	int coarse;                     /* in force; starts fine (reading mode-start) */
};

void ct_ts_mode_init(struct ct_ts_mode *m, uint32_t threshold);
/* A miss in a sampler set of that mode, for which `packets` (1 + data) were moved; 0 when
 * the MSHR had asked already (reading merged-misses). is_first: not another sector of a request that has missed.
 * Re-evaluates the mode; ties keep it. */
void ct_ts_mode_miss(struct ct_ts_mode *m, int coarse, int is_first, uint32_t packets);

/* Gives each of SM 0's `sets` sets a role: `per_mode` sets of each mode (fewer where there
 * are not that many sets), drawn from the seed, or evenly spread (reading sampler-sets). */
void ct_ts_mode_roles(uint8_t *role, uint32_t sets, uint32_t per_mode, int spread, uint64_t seed);

#endif
