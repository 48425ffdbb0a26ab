/* parts.h - what a miss ratio of a sample may be off, by the spread between random parts of the sampled lines. Private to the
 * room. */
#ifndef CT_LOCALITY_PARTS_H
#define CT_LOCALITY_PARTS_H

#include "base/hash.h"
#include "locality/hist.h"

enum { CT_PARTS = 8 };

/* The part of a line: by other bits than the sample's own hash. Pure. */
static inline unsigned ct_part_of(uint64_t line)
{
	return (unsigned)(ct_mix64(line ^ 0x5851f42d4c957f2du) >> 61);
}

/* Half-width of the 95 % interval of the misses at a capacity within the distances of the histograms, in their counts: the
 * spread between the parts, and what an error of the distance scale of `side` does there. Pure. */
double ct_parts_error(const struct ct_hist part[CT_PARTS], double within, double side);

#endif
