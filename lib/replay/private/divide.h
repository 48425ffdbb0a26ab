/* divide.h - division by what stays the same for a run, by a multiplication (private). */
#ifndef CT_REPLAY_PRIVATE_DIVIDE_H
#define CT_REPLAY_PRIVATE_DIVIDE_H

#include <stdint.h>

/* 2^64 / by, rounded up: times a number below the limit, the quotient is in the upper half, since what
 * it is too large by stays below 1 / by. */
struct rp_divisor {
	uint64_t by, per, limit;
};

/* by > 0. */
static inline struct rp_divisor rp_divisor_of(uint64_t by)
{
	struct rp_divisor d = {by, UINT64_MAX / by + 1, 0};
#if defined(__SIZEOF_INT128__)
	d.limit = by > 1 ? UINT64_MAX / by : 0;
#endif
	return d;
}

static inline uint64_t rp_divide_by(uint64_t n, const struct rp_divisor *d)
{
#if defined(__SIZEOF_INT128__)
	if (n < d->limit)
		return (uint64_t)((__extension__(unsigned __int128) n * d->per) >> 64);
#endif
	return n / d->by;
}

#endif
