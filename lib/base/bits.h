/* bits.h - counting and finding bits; the compiler's instructions where it has them. */
#ifndef CT_BASE_BITS_H
#define CT_BASE_BITS_H

#include <stdint.h>

/* Number of set bits. Pure. */
static inline unsigned ct_bits(uint64_t v)
{
#if defined(__GNUC__)
	return (unsigned)__builtin_popcountll(v);
#else
	unsigned n = 0;
	for (; v; v &= v - 1)
		n++;
	return n;
#endif
}

/* Index of the lowest set bit; v must not be 0. Pure. */
static inline unsigned ct_low_bit(uint64_t v)
{
#if defined(__GNUC__)
	return (unsigned)__builtin_ctzll(v);
#else
	unsigned n = 0;
	while (!(v & 1)) {
		v >>= 1;
		n++;
	}
	return n;
#endif
}

/* Index of the highest set bit; v must not be 0. Pure. */
static inline unsigned ct_high_bit(uint64_t v)
{
#if defined(__GNUC__)
	return 63u - (unsigned)__builtin_clzll(v);
#else
	unsigned n = 0;
	while (v >>= 1)
		n++;
	return n;
#endif
}

#endif
