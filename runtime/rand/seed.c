/* cuRAND: the states that generators begin with, at any offset. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "data/cuda/device/random.h"
#include "runtime/rand/rand.h"

/* ---- xorwow: its five words are a vector of 160 bits, and steps a matrix ---- */

enum { WORDS = 5, BITS = 160 };

/* What each bit alone becomes. */
struct matrix {
	uint32_t image[BITS][WORDS];
};

/* Moves one vector, in place. */
static void move(const struct matrix *m, uint32_t *v)
{
	uint32_t sum[WORDS] = {0};
	for (unsigned i = 0; i < BITS; i++)
		if (v[i / 32] >> i % 32 & 1)
			for (unsigned k = 0; k < WORDS; k++)
				sum[k] ^= m->image[i][k];
	memcpy(v, sum, sizeof sum);
}

/* Moves vectors by n steps: m[0] becomes one step, and then its squares with m[1] beside it. */
static void skip(struct matrix *m, uint64_t n, uint32_t (*v)[WORDS])
{
	memset(m, 0, sizeof *m);
	for (unsigned i = 0; i < BITS; i++) {
		m[0].image[i][i / 32] = 1u << i % 32;
		ct_random_xorwow_step(m[0].image[i]);
	}
	for (; n; n >>= 1) {
		if (n & 1)
			for (unsigned s = 0; s < CT_RAND_SEQUENCES; s++)
				move(&m[0], v[s]);
		m[1] = m[0];
		for (unsigned i = 0; i < BITS; i++)
			move(&m[1], m[0].image[i]);
	}
}

/* The sequences before the one whose turn it is have given one word more. */
int ct_rand_seed_xorwow(uint64_t seed, uint64_t offset, uint32_t *states)
{
	uint64_t all = offset / CT_RAND_SEQUENCES, more = offset % CT_RAND_SEQUENCES;
	uint32_t(*v)[WORDS] = ct_calloc(CT_RAND_SEQUENCES, sizeof *v);
	uint32_t *d = ct_calloc(CT_RAND_SEQUENCES, sizeof *d);
	struct matrix *m = ct_calloc(2, sizeof *m);
	int st = v && d && m ? 0 : -1;
	if (st == 0) {
		for (unsigned s = 0; s < CT_RAND_SEQUENCES; s++)
			ct_random_xorwow_seed(seed, s, v[s], &d[s]);
		skip(m, all, v);
		for (unsigned s = 0; s < CT_RAND_SEQUENCES; s++) {
			d[s] += (uint32_t)all * CT_RANDOM_XORWOW_COUNT;
			if (s < more)
				ct_random_xorwow(v[s], &d[s]);
			for (unsigned k = 0; k < WORDS; k++)
				states[k * CT_RAND_SEQUENCES + s] = v[s][k];
			states[WORDS * CT_RAND_SEQUENCES + s] = d[s];
		}
	}
	free(v);
	free(d);
	free(m);
	return st;
}

/* ---- MRG32k3a ---- */

void ct_rand_seed_mrg32k3a(uint64_t seed, uint64_t offset, uint32_t *states)
{
	uint64_t all = offset / CT_RAND_SEQUENCES, more = offset % CT_RAND_SEQUENCES;
	uint32_t apart[18], begin[6];
	ct_random_mrg_one(apart);
	ct_random_mrg_square(apart, CT_RANDOM_MRG_SEQUENCE);
	ct_random_mrg_seed(seed, begin);
	ct_random_mrg_skip(all, 0, begin);
	for (unsigned s = 0; s < CT_RAND_SEQUENCES; s++) {
		uint32_t now[6];
		memcpy(now, begin, sizeof now);
		if (s < more)
			ct_random_mrg(now);
		for (unsigned k = 0; k < 6; k++)
			states[k * CT_RAND_SEQUENCES + s] = now[k];
		ct_random_mrg_move(apart, begin);
	}
}

/* ---- MT19937, as its authors begin it ---- */

static void begin_twister(uint32_t seed, uint32_t *state)
{
	state[0] = seed;
	for (uint32_t i = 1; i < CT_RANDOM_TWISTER; i++)
		state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
}

/* With a seed of more than 32 bits its halves are the array that the authors' second way begins with. */
static void mix_twister(uint64_t seed, uint32_t *state)
{
	enum { N = CT_RANDOM_TWISTER };
	uint32_t i = 1;
	begin_twister(19650218u, state);
	for (uint32_t k = 0; k < 2 * N - 1; k++) {
		uint32_t before = state[i - 1] ^ state[i - 1] >> 30;
		if (k < N)
			state[i] = (state[i] ^ before * 1664525u) + (uint32_t)(seed >> k % 2 * 32) +
			           k % 2;
		else
			state[i] = (state[i] ^ before * 1566083941u) - i;
		if (++i == N) {
			state[0] = state[N - 1];
			i = 1;
		}
	}
	state[0] = 0x80000000u;
}

void ct_rand_seed_mt19937(uint64_t seed, uint32_t *state)
{
	if (seed >> 32)
		mix_twister(seed, state);
	else
		begin_twister((uint32_t)seed, state);
	state[CT_RANDOM_TWISTER] = CT_RANDOM_TWISTER;
}

/* ---- all ---- */

/* Rows of direction numbers, and behind each what scrambles it. */
static void write_directions(curandGenerator_t g)
{
	int scrambled = g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 ||
	                g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
	for (unsigned i = 0; i < g->dimensions; i++) {
		uint64_t scramble = scrambled ? ct_rand_scramble(i) : 0;
		if (ct_rand_is_long(g->type)) {
			unsigned long long *row = g->state;
			row += (size_t)i * CT_RAND_DIRECTIONS_64;
			ct_rand_directions64(i, row);
			row[CT_RAND_DIRECTIONS_64 - 1] = scramble;
		} else {
			uint32_t *row = (uint32_t *)g->state + (size_t)i * CT_RAND_DIRECTIONS_32;
			ct_rand_directions32(i, row);
			row[CT_RAND_DIRECTIONS_32 - 1] = (uint32_t)scramble;
		}
	}
}

static size_t state_bytes(const struct curandGenerator_st *g)
{
	if (ct_rand_takes_turns(g->type))
		return 6 * CT_RAND_SEQUENCES * sizeof(uint32_t);
	if (g->type == CURAND_RNG_PSEUDO_MT19937)
		return (CT_RANDOM_TWISTER + 1) * sizeof(uint32_t);
	if (ct_rand_is_long(g->type))
		return g->dimensions * CT_RAND_DIRECTIONS_64 * sizeof(uint64_t);
	return ct_rand_is_quasi(g->type) ? g->dimensions * CT_RAND_DIRECTIONS_32 * sizeof(uint32_t) : 0;
}

/* Philox has no state beside its place. */
curandStatus_t ct_rand_seed(curandGenerator_t g)
{
	size_t bytes = state_bytes(g);
	if (bytes != g->state_bytes) {
		void *state = ct_calloc(1, bytes);
		if (!state)
			return CURAND_STATUS_ALLOCATION_FAILED;
		free(g->state);
		g->state = state;
		g->state_bytes = bytes;
	}
	g->first = ct_rand_takes_turns(g->type) ? g->offset % CT_RAND_SEQUENCES : g->offset;
	int st = 0;
	if (g->type == CURAND_RNG_PSEUDO_XORWOW)
		st = ct_rand_seed_xorwow(g->seed, g->offset, g->state);
	else if (g->type == CURAND_RNG_PSEUDO_MRG32K3A)
		ct_rand_seed_mrg32k3a(g->seed, g->offset, g->state);
	else if (g->type == CURAND_RNG_PSEUDO_MT19937)
		ct_rand_seed_mt19937(g->seed, g->state);
	else if (bytes)
		write_directions(g);
	if (st != 0)
		return CURAND_STATUS_ALLOCATION_FAILED;
	if (!g->host && bytes) {
		CUresult r = ct_rand_copy_out(&g->state_copy, g->state, bytes);
		if (r != CUDA_SUCCESS)
			return ct_rand_status(r);
	}
	g->seeded = 1;
	return CURAND_STATUS_SUCCESS;
}
