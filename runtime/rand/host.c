/* cuRAND: numbers that are made on the host, the same as the kernels of data/rand make. */
#include <math.h>

#include "data/cuda/device/random.h"
#include "runtime/rand/rand.h"

/* ---- words ---- */

/* The next word of the sequence that has item `i`. */
static uint32_t next_in_turn(curandGenerator_t generator, const struct ct_rand_arguments *g, uint64_t i)
{
	uint32_t *states = (uint32_t *)g->from + (g->first + i) % CT_RAND_SEQUENCES, state[6], word;
	for (int k = 0; k < 6; k++)
		state[k] = states[k * CT_RAND_SEQUENCES];
	word = generator->type == CURAND_RNG_PSEUDO_XORWOW ? ct_random_xorwow(state, state + 5)
	                                                   : ct_random_mrg(state);
	for (int k = 0; k < 6; k++)
		states[k * CT_RAND_SEQUENCES] = state[k];
	return word;
}

/* Word n of Philox' sequence. */
static uint32_t philox_word(uint64_t key, uint64_t n)
{
	uint32_t w[4] = {(uint32_t)(n / 4), (uint32_t)(n / 4 >> 32), 0, 0};
	ct_random_philox(w, key);
	return w[n % 4];
}

/* A state follows from the one before, from its first word to its last. */
static uint32_t next_twister(uint32_t *state)
{
	enum { N = CT_RANDOM_TWISTER };
	if (state[N] == N) {
		for (int i = 0; i < N; i++)
			state[i] = ct_random_twist(
				state[i], state[(i + 1) % N], state[(i + CT_RANDOM_TWISTER_MIDDLE) % N]);
		state[N] = 0;
	}
	return ct_random_temper(state[state[N]++]);
}

/* The words of item i. */
static void read_words(curandGenerator_t generator, const struct ct_rand_arguments *g, uint64_t i,
                       unsigned words, uint32_t *w)
{
	for (unsigned k = 0; k < words; k++) {
		if (ct_rand_takes_turns(generator->type))
			w[k] = next_in_turn(generator, g, i);
		else if (generator->type == CURAND_RNG_PSEUDO_MT19937)
			w[k] = next_twister(g->from);
		else
			w[k] = philox_word(g->key, g->first + i * words + k);
	}
}

/* ---- distributions ---- */

unsigned ct_rand_words(curandRngType_t type, enum ct_rand_kind kind)
{
	int one = ct_rand_is_quasi(type), twice = !one && type != CURAND_RNG_PSEUDO_MRG32K3A;
	switch (kind) {
	case CT_RAND_UNIFORM_DOUBLE: return twice ? 2 : 1;
	case CT_RAND_NORMAL:
	case CT_RAND_LOG_NORMAL: return one ? 1 : 2;
	case CT_RAND_NORMAL_DOUBLE:
	case CT_RAND_LOG_NORMAL_DOUBLE: return one ? 1 : twice ? 4 : 2;
	default: return 1;
	}
}

unsigned ct_rand_results(curandRngType_t type, enum ct_rand_kind kind)
{
	int normal = kind >= CT_RAND_NORMAL && kind <= CT_RAND_LOG_NORMAL_DOUBLE;
	return normal && !ct_rand_is_quasi(type) ? 2 : 1;
}

static float uniform(int mrg, const uint32_t *w)
{
	return mrg ? (float)ct_random_mrg_uniform(w[0]) : ct_random_uniform(w[0]);
}

static double uniform_double(int mrg, const uint32_t *w)
{
	return mrg ? ct_random_mrg_uniform(w[0]) : ct_random_uniform_double(w[0], w[1]);
}

/* Writes a number of the normal distribution, or its exponential. */
static void put_normal(enum ct_rand_kind kind, const struct ct_rand_arguments *g, uint64_t i, double v)
{
	switch (kind) {
	case CT_RAND_NORMAL:
	case CT_RAND_LOG_NORMAL: {
		float x = fmaf((float)g->deviation, (float)v, (float)g->mean);
		((float *)g->to)[i] = kind == CT_RAND_NORMAL ? x : expf(x);
		break;
	}
	default: {
		double x = fma(g->deviation, v, g->mean);
		((double *)g->to)[i] = kind == CT_RAND_NORMAL_DOUBLE ? x : exp(x);
		break;
	}
	}
}

/* Box and Muller's pair of item i. */
static void put_pair(enum ct_rand_kind kind, const struct ct_rand_arguments *g, uint64_t i, int mrg,
                     const uint32_t *w)
{
	double x, y;
	if (kind == CT_RAND_NORMAL || kind == CT_RAND_LOG_NORMAL) {
		float single_x, single_y;
		ct_random_normal(uniform(mrg, w), uniform(mrg, w + 1), &single_x, &single_y);
		x = single_x;
		y = single_y;
	} else {
		ct_random_normal_double(uniform_double(mrg, w), uniform_double(mrg, w + (mrg ? 1 : 2)),
		                        &x, &y);
	}
	put_normal(kind, g, 2 * i, x);
	put_normal(kind, g, 2 * i + 1, y);
}

static void draw_items(curandGenerator_t generator, enum ct_rand_kind kind,
                       const struct ct_rand_arguments *g)
{
	int mrg = generator->type == CURAND_RNG_PSEUDO_MRG32K3A;
	unsigned words = ct_rand_words(generator->type, kind);
	for (uint64_t i = 0; i < g->items; i++) {
		uint32_t w[4];
		read_words(generator, g, i, words, w);
		switch (kind) {
		case CT_RAND_BITS: ((uint32_t *)g->to)[i] = w[0]; break;
		case CT_RAND_UNIFORM: ((float *)g->to)[i] = uniform(mrg, w); break;
		case CT_RAND_UNIFORM_DOUBLE: ((double *)g->to)[i] = uniform_double(mrg, w); break;
		case CT_RAND_DISCRETE:
			((uint32_t *)g->to)[i] = g->least +
			                         ct_random_find(g->sums, g->count,
			                                        mrg ? ct_random_mrg_uniform(w[0])
			                                            : ct_random_uniform_word(w[0]));
			break;
		default: put_pair(kind, g, i, mrg, w); break;
		}
	}
}

/* Points of one dimension after the other. */
static void draw_points(curandGenerator_t generator, enum ct_rand_kind kind,
                        const struct ct_rand_arguments *g)
{
	int is_long = ct_rand_is_long(generator->type);
	for (uint64_t i = 0; i < g->items * generator->dimensions; i++) {
		uint64_t dimension = i / g->items, point = g->first + i % g->items, word;
		if (is_long) {
			const unsigned long long *v = g->from;
			v += dimension * CT_RAND_DIRECTIONS_64;
			word = ct_random_sobol64(v, point) ^ v[CT_RAND_DIRECTIONS_64 - 1];
		} else {
			const uint32_t *v = (const uint32_t *)g->from +
			                    dimension * CT_RAND_DIRECTIONS_32;
			word = ct_random_sobol32(v, (uint32_t)point) ^ v[CT_RAND_DIRECTIONS_32 - 1];
		}
		double u = is_long ? ct_random_uniform_long(word)
		                   : ct_random_uniform_word((uint32_t)word);
		switch (kind) {
		case CT_RAND_BITS:
			if (is_long)
				((uint64_t *)g->to)[i] = word;
			else
				((uint32_t *)g->to)[i] = (uint32_t)word;
			break;
		case CT_RAND_UNIFORM:
			((float *)g->to)[i] = ct_random_uniform((uint32_t)(is_long ? word >> 32 : word));
			break;
		case CT_RAND_UNIFORM_DOUBLE: ((double *)g->to)[i] = u; break;
		case CT_RAND_DISCRETE:
			((uint32_t *)g->to)[i] = g->least + ct_random_find(g->sums, g->count, u);
			break;
		default: put_normal(kind, g, i, normcdfinv(u)); break;
		}
	}
}

void ct_rand_draw(curandGenerator_t generator, enum ct_rand_kind kind, const struct ct_rand_arguments *g)
{
	if (ct_rand_is_quasi(generator->type))
		draw_points(generator, kind, g);
	else
		draw_items(generator, kind, g);
}
