/* curand_kernel.h - random numbers in kernels: xorwow, MRG32k3a, Philox of ten rounds, and Sobol's sequences.
 *
 * Philox gives the numbers of its definition, with the seed as key and offset and sequence as counter. How cuRAND seeds xorwow is not
 * published: here seed and sequence are mixed, so that its numbers are others. So are those of MRG32k3a with another seed than 0, which
 * gives its author's. */
#ifndef CT_CUDA_CURAND_KERNEL_H
#define CT_CUDA_CURAND_KERNEL_H

#pragma GCC system_header

#include "curand.h"

/* The states, which host code passes along. */
struct curandStateXORWOW {
	unsigned int d, v[5];
	float normal; /* the second of a pair, where there is one */
	double normal_double;
	int has_normal, has_normal_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStateMRG32k3a {
	unsigned int s[6];
	float normal;
	double normal_double;
	int has_normal, has_normal_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

struct curandStatePhilox4_32_10 {
	uint4 counter, output;
	uint2 key;
	unsigned int at; /* of the output, the next to be given */
	float normal;
	double normal_double;
	int has_normal, has_normal_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10;

/* Sobol's: the number of the next point, what scrambles it, and the dimension's direction numbers. */
struct curandStateSobol32 {
	unsigned int i, c, v[32];
};
struct curandStateScrambledSobol32 {
	unsigned int i, c, v[32];
};
struct curandStateSobol64 {
	unsigned long long i, c, v[64];
};
struct curandStateScrambledSobol64 {
	unsigned long long i, c, v[64];
};
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

#if defined(__CUDA__)
#include "device/random.h"

/* ---- xorwow ---- */

CT_DEVICE unsigned int curand(curandStateXORWOW *s)
{
	return ct_random_xorwow(s->v, &s->d);
}

CT_DEVICE void skipahead(unsigned long long n, curandStateXORWOW *s)
{
	for (; n; n--)
		curand(s);
}

CT_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                           curandStateXORWOW *s)
{
	ct_random_xorwow_seed(seed, sequence, s->v, &s->d);
	s->has_normal = s->has_normal_double = 0;
	skipahead(offset, s);
}

/* ---- MRG32k3a ---- */

CT_DEVICE unsigned int curand(curandStateMRG32k3a *s)
{
	return ct_random_mrg(s->s);
}

CT_DEVICE void skipahead(unsigned long long n, curandStateMRG32k3a *s)
{
	ct_random_mrg_skip(n, 0, s->s);
}

CT_DEVICE void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *s)
{
	ct_random_mrg_skip(n, CT_RANDOM_MRG_SEQUENCE, s->s);
}

CT_DEVICE void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *s)
{
	ct_random_mrg_skip(n, 127, s->s);
}

CT_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                           curandStateMRG32k3a *s)
{
	ct_random_mrg_seed(seed, s->s);
	s->has_normal = s->has_normal_double = 0;
	skipahead_subsequence(sequence, s);
	skipahead(offset, s);
}

/* ---- Philox ---- */

CT_DEVICE uint4 ct_cuda_philox(uint4 c, uint2 k)
{
	unsigned int w[4] = {c.x, c.y, c.z, c.w};
	ct_random_philox(w, (unsigned long long)k.y << 32 | k.x);
	return make_uint4(w[0], w[1], w[2], w[3]);
}

/* Counts blocks of four numbers. */
CT_DEVICE void ct_cuda_count(curandStatePhilox4_32_10 *s, unsigned long long blocks)
{
	unsigned long long low = (unsigned long long)s->counter.y << 32 | s->counter.x, sum = low + blocks;
	s->counter.x = (unsigned int)sum;
	s->counter.y = (unsigned int)(sum >> 32);
	if (sum < low && ++s->counter.z == 0)
		s->counter.w++;
}

CT_DEVICE void skipahead(unsigned long long n, curandStatePhilox4_32_10 *s)
{
	n += s->at;
	ct_cuda_count(s, n / 4);
	s->at = (unsigned int)(n % 4);
	s->output = ct_cuda_philox(s->counter, s->key);
}

CT_DEVICE void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10 *s)
{
	unsigned long long high = ((unsigned long long)s->counter.w << 32 | s->counter.z) + n;
	s->counter.z = (unsigned int)high;
	s->counter.w = (unsigned int)(high >> 32);
	s->output = ct_cuda_philox(s->counter, s->key);
}

CT_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                           curandStatePhilox4_32_10 *s)
{
	s->counter = make_uint4(0, 0, (unsigned int)sequence, (unsigned int)(sequence >> 32));
	s->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
	s->at = 0;
	s->has_normal = s->has_normal_double = 0;
	skipahead(offset, s);
}

CT_DEVICE unsigned int curand(curandStatePhilox4_32_10 *s)
{
	unsigned int v = s->at == 0 ? s->output.x : s->at == 1 ? s->output.y : s->at == 2 ? s->output.z : s->output.w;
	if (++s->at == 4) {
		s->at = 0;
		ct_cuda_count(s, 1);
		s->output = ct_cuda_philox(s->counter, s->key);
	}
	return v;
}

CT_DEVICE uint4 curand4(curandStatePhilox4_32_10 *s)
{
	unsigned int x = curand(s), y = curand(s), z = curand(s);
	return make_uint4(x, y, z, curand(s));
}

/* ---- Sobol ---- */

/* What states of 32 and of 64 bits have in common. */
#define CT_CUDA_SOBOL(State, word, bits) \
	CT_DEVICE word curand(State *s) \
	{ \
		return ct_random_sobol##bits(s->v, s->i++) ^ s->c; \
	} \
	CT_DEVICE void skipahead(word n, State *s) \
	{ \
		s->i += n; \
	} \
	CT_DEVICE void ct_cuda_sobol(const word *directions, word scramble, word offset, State *s) \
	{ \
		s->i = offset; \
		s->c = scramble; \
		for (int i = 0; i < bits; i++) \
			s->v[i] = directions[i]; \
	}
CT_CUDA_SOBOL(curandStateSobol32, unsigned int, 32)
CT_CUDA_SOBOL(curandStateScrambledSobol32, unsigned int, 32)
CT_CUDA_SOBOL(curandStateSobol64, unsigned long long, 64)
CT_CUDA_SOBOL(curandStateScrambledSobol64, unsigned long long, 64)
#undef CT_CUDA_SOBOL

/* The first parameter is an array of curandDirectionVectors32_t or curandDirectionVectors64_t. */
CT_DEVICE void curand_init(const unsigned int *directions, unsigned int offset, curandStateSobol32 *s)
{
	ct_cuda_sobol(directions, 0, offset, s);
}
CT_DEVICE void curand_init(const unsigned int *directions, unsigned int scramble, unsigned int offset, curandStateScrambledSobol32 *s)
{
	ct_cuda_sobol(directions, scramble, offset, s);
}
CT_DEVICE void curand_init(const unsigned long long *directions, unsigned long long offset, curandStateSobol64 *s)
{
	ct_cuda_sobol(directions, 0, offset, s);
}
CT_DEVICE void curand_init(const unsigned long long *directions, unsigned long long scramble, unsigned long long offset,
                           curandStateScrambledSobol64 *s)
{
	ct_cuda_sobol(directions, scramble, offset, s);
}

/* ---- distributions ---- */

/* Above 0 and up to 1. */
template <class S> CT_DEVICE float curand_uniform(S *s)
{
	return ct_random_uniform(curand(s));
}
CT_DEVICE float curand_uniform(curandStateMRG32k3a *s)
{
	return (float)ct_random_mrg_uniform(curand(s));
}

template <class S> CT_DEVICE double curand_uniform_double(S *s)
{
	unsigned int low = curand(s);
	return ct_random_uniform_double(low, curand(s));
}
CT_DEVICE double curand_uniform_double(curandStateMRG32k3a *s)
{
	return ct_random_mrg_uniform(curand(s));
}

CT_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10 *s)
{
	uint4 v = curand4(s);
	return make_float4(ct_random_uniform(v.x), ct_random_uniform(v.y), ct_random_uniform(v.z), ct_random_uniform(v.w));
}

CT_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10 *s)
{
	uint4 v = curand4(s);
	return make_double2(ct_random_uniform_double(v.x, v.y), ct_random_uniform_double(v.z, v.w));
}

/* A pair. */
template <class S> CT_DEVICE float2 curand_normal2(S *s)
{
	float2 v;
	float a = curand_uniform(s);
	ct_random_normal(a, curand_uniform(s), &v.x, &v.y);
	return v;
}

template <class S> CT_DEVICE float curand_normal(S *s)
{
	s->has_normal = !s->has_normal;
	if (!s->has_normal)
		return s->normal;
	float2 pair = curand_normal2(s);
	s->normal = pair.y;
	return pair.x;
}

CT_DEVICE float4 curand_normal4(curandStatePhilox4_32_10 *s)
{
	float2 a = curand_normal2(s), b = curand_normal2(s);
	return make_float4(a.x, a.y, b.x, b.y);
}

template <class S> CT_DEVICE double2 curand_normal2_double(S *s)
{
	double2 v;
	double a = curand_uniform_double(s);
	ct_random_normal_double(a, curand_uniform_double(s), &v.x, &v.y);
	return v;
}

template <class S> CT_DEVICE double curand_normal_double(S *s)
{
	s->has_normal_double = !s->has_normal_double;
	if (!s->has_normal_double)
		return s->normal_double;
	double2 pair = curand_normal2_double(s);
	s->normal_double = pair.y;
	return pair.x;
}

/* Of a point's one number: the numbers whose probability it is. */
#define CT_CUDA_SOBOL(State, single, twice) \
	CT_DEVICE float curand_uniform(State *s) \
	{ \
		return ct_random_uniform((unsigned int)(single)); \
	} \
	CT_DEVICE double curand_uniform_double(State *s) \
	{ \
		return twice(curand(s)); \
	} \
	CT_DEVICE double curand_normal_double(State *s) \
	{ \
		return normcdfinv(curand_uniform_double(s)); \
	} \
	CT_DEVICE float curand_normal(State *s) \
	{ \
		return (float)curand_normal_double(s); \
	} \
	CT_DEVICE unsigned int curand_poisson(State *s, double mean) \
	{ \
		return ct_cuda_poisson(curand_uniform_double(s), mean); \
	}

/* The first number that Poisson's distribution does not exceed with that probability; where the mean is large, of the normal one like it. */
CT_DEVICE unsigned int ct_cuda_poisson(double u, double mean)
{
	if (mean > 700)
		return (unsigned int)fmax(0.0, floor(mean + sqrt(mean) * normcdfinv(u) + 0.5));
	unsigned int n = 0;
	double part = exp(-mean), sum = part;
	while (sum < u && part > 0) {
		part *= mean / ++n;
		sum += part;
	}
	return n;
}

CT_CUDA_SOBOL(curandStateSobol32, curand(s), ct_random_uniform_word)
CT_CUDA_SOBOL(curandStateScrambledSobol32, curand(s), ct_random_uniform_word)
CT_CUDA_SOBOL(curandStateSobol64, curand(s) >> 32, ct_random_uniform_long)
CT_CUDA_SOBOL(curandStateScrambledSobol64, curand(s) >> 32, ct_random_uniform_long)
#undef CT_CUDA_SOBOL

template <class S> CT_DEVICE float curand_log_normal(S *s, float mean, float deviation)
{
	return expf(mean + deviation * curand_normal(s));
}

template <class S> CT_DEVICE double curand_log_normal_double(S *s, double mean, double deviation)
{
	return exp(mean + deviation * curand_normal_double(s));
}

/* Pairs, and what Philox makes of four or eight words. */
template <class S> CT_DEVICE float2 curand_log_normal2(S *s, float mean, float deviation)
{
	float2 v = curand_normal2(s);
	return make_float2(expf(mean + deviation * v.x), expf(mean + deviation * v.y));
}
template <class S> CT_DEVICE double2 curand_log_normal2_double(S *s, double mean, double deviation)
{
	double2 v = curand_normal2_double(s);
	return make_double2(exp(mean + deviation * v.x), exp(mean + deviation * v.y));
}
CT_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10 *s, float mean, float deviation)
{
	float2 a = curand_log_normal2(s, mean, deviation), b = curand_log_normal2(s, mean, deviation);
	return make_float4(a.x, a.y, b.x, b.y);
}
CT_DEVICE double4 curand_uniform4_double(curandStatePhilox4_32_10 *s)
{
	double2 a = curand_uniform2_double(s), b = curand_uniform2_double(s);
	return make_double4(a.x, a.y, b.x, b.y);
}
CT_DEVICE double4 curand_normal4_double(curandStatePhilox4_32_10 *s)
{
	double2 a = curand_normal2_double(s), b = curand_normal2_double(s);
	return make_double4(a.x, a.y, b.x, b.y);
}
CT_DEVICE double4 curand_log_normal4_double(curandStatePhilox4_32_10 *s, double mean, double deviation)
{
	double2 a = curand_log_normal2_double(s, mean, deviation), b = curand_log_normal2_double(s, mean, deviation);
	return make_double4(a.x, a.y, b.x, b.y);
}

/* Knuth's product of uniform numbers, in steps of a mean that exp() does not make 0. */
template <class S> CT_DEVICE unsigned int curand_poisson(S *s, double mean)
{
	unsigned int n = 0;
	double product = 1.0;
	for (;;) {
		product *= curand_uniform_double(s);
		while (product < 1.0 && mean > 0) {
			double step = mean < 500 ? mean : 500;
			product *= exp(step);
			mean -= step;
		}
		if (product <= 1.0)
			return n;
		n++;
	}
}

CT_DEVICE uint4 curand_poisson4(curandStatePhilox4_32_10 *s, double mean)
{
	unsigned int x = curand_poisson(s, mean), y = curand_poisson(s, mean), z = curand_poisson(s, mean);
	return make_uint4(x, y, z, curand_poisson(s, mean));
}

/* Numbers of a distribution that curandCreatePoissonDistribution() made. */
template <class S> CT_DEVICE unsigned int curand_discrete(S *s, curandDiscreteDistribution_t distribution)
{
	return distribution->first + ct_random_find(distribution->sums, distribution->count, curand_uniform_double(s));
}
CT_DEVICE uint4 curand_discrete4(curandStatePhilox4_32_10 *s, curandDiscreteDistribution_t distribution)
{
	unsigned int x = curand_discrete(s, distribution), y = curand_discrete(s, distribution), z = curand_discrete(s, distribution);
	return make_uint4(x, y, z, curand_discrete(s, distribution));
}
#endif

#endif
