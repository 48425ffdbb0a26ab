/* bits.h - counting and finding bits, rounding to units; the compiler's instructions where it has them. */
#ifndef CT_BASE_BITS_H
#define CT_BASE_BITS_H

#include <stdint.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* Asks the host's memory for a cache line that will be read soon. */
#if defined(__GNUC__)
#define CT_BRING(p) __builtin_prefetch(p)
#else
#define CT_BRING(p) ((void)(p))
#endif

/* Number of set bits. Pure. */
static inline unsigned ct_bits(uint64_t v)
{
#if defined(__POPCNT__) || (defined(__GNUC__) && !defined(__x86_64__))
	return (unsigned)__builtin_popcountll(v);
#else /* in place: the compiler's would be a call */
	v -= v >> 1 & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(v * UINT64_C(0x0101010101010101) >> 56);
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

/* The least multiple of the unit, which is not 0, that n does not exceed; the sum of both stays below 2^64. Pure. */
static inline uint64_t ct_round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* v modulo n, which is a power of two most of the time. n > 0. Pure. */
static inline uint32_t ct_modulo(uint64_t v, uint32_t n)
{
	return (uint32_t)(n & (n - 1) ? v % n : v & (n - 1));
}

CT_DECLS_END

#endif
