/* hash.h - hashing and checksums. */
#ifndef CT_BASE_HASH_H
#define CT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* 2^64 over the golden ratio: the high bits of a product with it spread neighbouring numbers evenly (Knuth,
 * The Art of Computer Programming 3, section 6.4). */
#define CT_GOLDEN64 UINT64_C(0x9e3779b97f4a7c15)

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

/* FNV-1a (Fowler, Noll, Vo): hashes texts byte by byte, from CT_FNV_START on. Its low bits are poor: mix what
 * it gives before it chooses a place. Pure. */
#define CT_FNV_START UINT64_C(0xcbf29ce484222325)
/* The hash of a text one byte longer than the one whose hash is h. Pure. */
static inline uint64_t ct_fnv_byte(uint64_t h, unsigned char byte)
{
	return (h ^ byte) * UINT64_C(0x100000001b3);
}

/* CRC-64/XZ of n bytes, continued from crc (0 to start). Pure. */
uint64_t ct_crc64(uint64_t crc, const void *p, size_t n);
/* CRC-32 (IEEE 802.3) of n bytes, continued from crc (0 to start). Pure. */
uint32_t ct_crc32(uint32_t crc, const void *p, size_t n);

/* Seeded generator of reproducible pseudo-random numbers (SplitMix64): set the
 * state to the seed, then each call gives the next 64 bits. */
static inline uint64_t ct_rand64(uint64_t *state)
{
	return ct_mix64(*state += CT_GOLDEN64);
}

CT_DECLS_END

#endif
