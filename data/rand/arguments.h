/* arguments.h - what the host's side of cuRAND (runtime/rand) hands to the kernels of this folder: C and CUDA C++ at once.
 *
 * A kernel has one parameter, this structure. An item is what one call of a distribution gives: one result, or a pair of normal numbers that
 * Box and Muller's method makes of two uniform ones. */
#ifndef CT_RAND_ARGUMENTS_H
#define CT_RAND_ARGUMENTS_H

#include <stdint.h>

struct ct_rand_arguments {
	void *to;       /* the results, as the distribution has them */
	uint64_t items; /* of pseudo-random generators; of others, points of each dimension */
	/* Where the numbers come from: the states of sequences, one word of all after another; words that ct_rand_mt19937 has made; direction
	 * numbers, CT_RAND_DIRECTIONS a dimension, of which the last scrambles. */
	void *from;
	uint64_t key, first; /* Philox' key; its first word, the sequence that has the first item, or the first point */
	double mean, deviation;
	const double *sums; /* of the probabilities of `count` whole numbers from `least` on */
	uint32_t least, count;
};

enum {
	CT_RAND_SEQUENCES = 4096,   /* of a generator, a thread each */
	CT_RAND_THREADS = 256,      /* of a CTA */
	CT_RAND_DIRECTIONS_32 = 33, /* and one that scrambles */
	CT_RAND_DIRECTIONS_64 = 65
};

#endif
