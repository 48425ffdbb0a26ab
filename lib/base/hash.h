/* hash.h - hashing and checksums. */
#ifndef CT_BASE_HASH_H
#define CT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Bijective 64-bit mixer (the finaliser of SplitMix64, Steele et al. 2014):
 * every output bit depends on every input bit. Pure. */
static inline uint64_t ct_mix64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* CRC-64/XZ of n bytes, continued from crc (0 to start). Pure. */
uint64_t ct_crc64(uint64_t crc, const void *p, size_t n);
/* CRC-32 (IEEE 802.3) of n bytes, continued from crc (0 to start). Pure. */
uint32_t ct_crc32(uint32_t crc, const void *p, size_t n);

/* Seeded generator of reproducible pseudo-random numbers (SplitMix64): set the
 * state to the seed, then each call gives the next 64 bits. */
static inline uint64_t ct_rand64(uint64_t *state)
{
	return ct_mix64(*state += 0x9e3779b97f4a7c15u);
}

#endif
