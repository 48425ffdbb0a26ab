/* curand_kernel.h - random numbers in kernels: Marsaglia's xorwow (2003) and Philox of ten rounds (Salmon et al., SC 2011).
 *
 * Philox gives the numbers of its definition, with the seed as key and offset and sequence as counter. How cuRAND seeds xorwow is not
 * published: here seed and sequence are mixed, so that its numbers are others. */
#ifndef CT_CUDA_CURAND_KERNEL_H
#define CT_CUDA_CURAND_KERNEL_H

#pragma GCC system_header

#include "cuda_runtime.h"

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

#if defined(__CUDA__)
#include "device/define.h"

/* ---- xorwow ---- */

/* Each of 64 bits depends on each of the input: two rounds of multiplying by odd numbers and shifting. */
CT_DEVICE unsigned long long ct_cuda_mix(unsigned long long v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
	v = (v ^ v >> 27) * 0x94d049bb133111ebull;
	return v ^ v >> 31;
}

CT_DEVICE unsigned int curand(curandStateXORWOW *s)
{
	unsigned int t = s->v[0] ^ s->v[0] >> 2;
	s->v[0] = s->v[1];
	s->v[1] = s->v[2];
	s->v[2] = s->v[3];
	s->v[3] = s->v[4];
	s->v[4] = s->v[4] ^ s->v[4] << 4 ^ t ^ t << 1;
	s->d += 362437;
	return s->v[4] + s->d;
}

CT_DEVICE void skipahead(unsigned long long n, curandStateXORWOW *s)
{
	for (; n; n--)
		curand(s);
}

CT_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                           curandStateXORWOW *s)
{
	unsigned long long at = ct_cuda_mix(seed + 0x9e3779b97f4a7c15ull) ^ ct_cuda_mix(sequence * 0xd1342543de82ef95ull + 1);
	unsigned int word[6];
	for (int i = 0; i < 3; i++) {
		unsigned long long w = ct_cuda_mix(at += 0x9e3779b97f4a7c15ull);
		word[2 * i] = (unsigned int)w;
		word[2 * i + 1] = (unsigned int)(w >> 32);
	}
	for (int i = 0; i < 5; i++)
		s->v[i] = word[i];
	s->v[0] |= 1; /* not all are 0 */
	s->d = word[5];
	s->has_normal = s->has_normal_double = 0;
	skipahead(offset, s);
}

/* ---- Philox ---- */

CT_DEVICE uint4 ct_cuda_philox(uint4 c, uint2 k)
{
#pragma unroll
	for (int i = 0; i < 10; i++) {
		unsigned int high0 = __umulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
		unsigned int high1 = __umulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
		c = make_uint4(high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0);
		k.x += 0x9e3779b9u;
		k.y += 0xbb67ae85u;
	}
	return c;
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

/* ---- distributions ---- */

/* Above 0 and up to 1. */
CT_DEVICE float ct_cuda_uniform(unsigned int v)
{
	return fmaf((float)v, 2.3283064e-10f, 1.1641532e-10f);
}

CT_DEVICE double ct_cuda_uniform(unsigned int low, unsigned int high)
{
	unsigned long long bits = (unsigned long long)high << 21 ^ low;
	return (double)(bits & 0x1fffffffffffffull) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}

template <class S> CT_DEVICE float curand_uniform(S *s)
{
	return ct_cuda_uniform(curand(s));
}

template <class S> CT_DEVICE double curand_uniform_double(S *s)
{
	unsigned int low = curand(s);
	return ct_cuda_uniform(low, curand(s));
}

CT_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10 *s)
{
	uint4 v = curand4(s);
	return make_float4(ct_cuda_uniform(v.x), ct_cuda_uniform(v.y), ct_cuda_uniform(v.z), ct_cuda_uniform(v.w));
}

CT_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10 *s)
{
	uint4 v = curand4(s);
	return make_double2(ct_cuda_uniform(v.x, v.y), ct_cuda_uniform(v.z, v.w));
}

/* Box and Muller's pair. */
CT_DEVICE float2 ct_cuda_normal(unsigned int a, unsigned int b)
{
	float r = sqrtf(-2.0f * logf(ct_cuda_uniform(a))), s, c;
	sincosf(6.2831853f * ct_cuda_uniform(b), &s, &c);
	return make_float2(r * s, r * c);
}

template <class S> CT_DEVICE float2 curand_normal2(S *s)
{
	unsigned int a = curand(s);
	return ct_cuda_normal(a, curand(s));
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
	double r = sqrt(-2.0 * log(curand_uniform_double(s))), x, y;
	sincospi(2.0 * curand_uniform_double(s), &x, &y);
	return make_double2(r * x, r * y);
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

template <class S> CT_DEVICE float curand_log_normal(S *s, float mean, float deviation)
{
	return expf(mean + deviation * curand_normal(s));
}

template <class S> CT_DEVICE double curand_log_normal_double(S *s, double mean, double deviation)
{
	return exp(mean + deviation * curand_normal_double(s));
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
#endif

#endif
