/* sample.h - spatial sampling by line address (SHARDS, Waldspurger et al., FAST 2015).
 *
 * A line is in the sample for good or not at all, so a sample at rate R keeps reuse
 * intact and shrinks every distance by R. SHARDS takes a line when a hash of it is below
 * a threshold. Here the hash is stratified: within a group of 2^g neighbouring lines it
 * is line * phi mod 2^64 plus an offset drawn per group and salt. Each line is taken
 * with probability R as before, but from a group that is touched as a whole, as arrays
 * are, R * 2^g lines are taken give or take one, where independent hashes would vary by
 * the root of that; groups hold about 16 sampled lines. The estimate of a footprint, and
 * with it the place of a step in a miss-ratio curve, gets several times sharper. */
#ifndef CT_LOCALITY_SAMPLE_H
#define CT_LOCALITY_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/hash.h"

CT_DECLS_BEGIN

enum { CT_SAMPLE_SALTS = 4 };

struct ct_sampler {
	uint64_t limit[CT_SAMPLE_SALTS]; /* salt k takes a line whose hash is below limit[k] */
	uint64_t seed;
	unsigned group_bits, salts;
	int isa; /* enum ct_isa, resolved */
};

/* Rate in (0, 1], 1 to 4 salts: independent samples of that rate each. */
void ct_sampler_init(struct ct_sampler *s, double rate, unsigned salts, uint64_t seed, int isa);
/* The rate of salt k in force, limit / 2^64. */
double ct_sampler_rate(const struct ct_sampler *s, unsigned k);

/* Hash of the group's offsets; salt k uses it rotated by 16 k bits. */
static inline uint64_t ct_sample_offset(const struct ct_sampler *s, uint64_t line)
{
	uint64_t x = ((line >> s->group_bits) ^ s->seed) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 32) * 0x94d049bb133111ebu;
	return x ^ x >> 32;
}

/* The line's hash under salt k. */
static inline uint64_t ct_sample_hash(const struct ct_sampler *s, uint64_t line, unsigned k)
{
	uint64_t x = ct_sample_offset(s, line);
	return line * CT_GOLDEN64 + (k ? x << 16 * k | x >> (64 - 16 * k) : x);
}

/* Bit k set: salt k takes the line. */
static inline unsigned ct_sample_mask(const struct ct_sampler *s, uint64_t line)
{
	unsigned mask = 0;
	for (unsigned k = 0; k < s->salts; k++)
		mask |= (unsigned)(ct_sample_hash(s, line, k) < s->limit[k]) << k;
	return mask;
}

/* Finds the sampled ones of n <= 2^27 lines: hit[i] = index * 16 + mask of salts, in
 * ascending order. Returns their number; hit has room for n. Same result on every path. */
size_t ct_sample_filter(const struct ct_sampler *s, const uint64_t *line, size_t n, uint32_t *hit);

CT_DECLS_END

#endif
