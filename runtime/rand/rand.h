/* rand.h - what the files of cuRAND's host interface share. Private.
 *
 * A generator is seeded when numbers are first wanted: its state is made on the host and, of a generator of the device, copied there. Kernels
 * of data/rand go on from it, or for a generator of the host the loops of host.c, which have the same arguments and give the same numbers. */
#ifndef CT_RUNTIME_RAND_RAND_H
#define CT_RUNTIME_RAND_RAND_H

#include "data/cuda/curand.h"
#include "data/rand/arguments.h"
#include "runtime/kernels.h"

enum { CT_RAND_DIMENSIONS = 481 /* of Sobol's sequences */ };

/* What results are. */
enum ct_rand_kind {
	CT_RAND_BITS,
	CT_RAND_UNIFORM,
	CT_RAND_UNIFORM_DOUBLE,
	CT_RAND_NORMAL,
	CT_RAND_NORMAL_DOUBLE,
	CT_RAND_LOG_NORMAL,
	CT_RAND_LOG_NORMAL_DOUBLE,
	CT_RAND_DISCRETE
};

/* Whole numbers from `least` on: the sums of their probabilities. */
struct ct_rand_sums {
	double *sums;
	uint32_t least, count;
};

struct curandGenerator_st {
	curandGenerator_t next; /* of those that are there */
	curandRngType_t type;
	int host; /* 1: numbers are made on the host and for it */
	int seeded;
	uint64_t seed, offset;
	unsigned dimensions;
	CUstream stream;
	uint64_t first; /* the sequence whose turn it is, the next word, or the next point */
	void *state;    /* of the host, of that many bytes; directions of Sobol's */
	size_t state_bytes;
	CUdeviceptr state_copy;
	CUdeviceptr words; /* of MT19937, room for that many bytes; 0: none */
	size_t words_bytes;
	/* Of the discrete distribution that was last asked for. */
	struct ct_rand_sums sums;
	double sums_mean, sums_trials;
	CUdeviceptr sums_copy;
};

/* 1: a generator of points, not of pseudo-random numbers; of 64 bits. */
static inline int ct_rand_is_quasi(curandRngType_t type)
{
	return type >= CURAND_RNG_QUASI_DEFAULT;
}
static inline int ct_rand_is_long(curandRngType_t type)
{
	return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}
/* 1: sequences take turns. */
static inline int ct_rand_takes_turns(curandRngType_t type)
{
	return type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_MRG32K3A;
}

/* The generator where it is one that has been created and not destroyed, else NULL. */
curandGenerator_t ct_rand_known(curandGenerator_t generator);
/* The status for a result of the driver API. */
curandStatus_t ct_rand_status(CUresult result);
/* Makes the state, and copies it to the device. */
curandStatus_t ct_rand_seed(curandGenerator_t g);
/* Replaces memory of the device, *at, by a copy of those bytes. */
CUresult ct_rand_copy_out(CUdeviceptr *at, const void *bytes, size_t n);

/* Writes the states of all sequences at an offset: word k of sequence s is states[k * CT_RAND_SEQUENCES + s]. Returns 0, or -1 without memory. */
int ct_rand_seed_xorwow(uint64_t seed, uint64_t offset, uint32_t *states);
void ct_rand_seed_mrg32k3a(uint64_t seed, uint64_t offset, uint32_t *states);
/* Writes MT19937's 624 words and how many of them have been given: all. */
void ct_rand_seed_mt19937(uint64_t seed, uint32_t *state);

/* The direction numbers of a dimension from 0, and what scrambles it. */
void ct_rand_directions32(unsigned dimension, uint32_t *v);
void ct_rand_directions64(unsigned dimension, unsigned long long *v);
uint64_t ct_rand_scramble(unsigned dimension);

/* Sums of Poisson's distribution (trials 0) or the binomial one, of that mean. The caller frees sums. Returns 0, or -1 without memory. */
int ct_rand_sum_up(double mean, double trials, struct ct_rand_sums *out);

/* How many words an item of the kind wants of that generator, and how many results it is. */
unsigned ct_rand_words(curandRngType_t type, enum ct_rand_kind kind);
unsigned ct_rand_results(curandRngType_t type, enum ct_rand_kind kind);
/* Does on the host what the generator's kernel of that kind does; g->from is the generator's state. */
void ct_rand_draw(curandGenerator_t generator, enum ct_rand_kind kind,
                  const struct ct_rand_arguments *g);

#endif
