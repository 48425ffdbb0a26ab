/* popcount.h - number of set bits, portably. Private to the room. */
#ifndef CT_LOCALITY_POPCOUNT_H
#define CT_LOCALITY_POPCOUNT_H

#include <stdint.h>

static inline uint64_t ct_popcount(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555u;
	x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return x * 0x0101010101010101u >> 56;
}

#endif
