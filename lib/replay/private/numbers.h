/* numbers.h - cycles that are not known, indexes of nothing, and a few sums (private). */
#ifndef CT_REPLAY_PRIVATE_NUMBERS_H
#define CT_REPLAY_PRIVATE_NUMBERS_H

#include <stdint.h>

#include "base/bits.h"

#define RP_NEVER 0xffffffffu /* a cycle that is not known yet */
#define RP_NEVER64 UINT64_MAX
#define RP_LAST_CYCLE 0xfff00000u /* launches may not run longer */
#define RP_NO_INDEX 0xffffffffu

static inline uint32_t rp_min32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}
static inline uint32_t rp_max32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}
static inline uint64_t rp_min64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}
static inline uint64_t rp_max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Free entries of a pool, the last freed first: taking one does not look at it. */
struct rp_spare {
	uint32_t *at;
	uint32_t n;
};

#endif
