/* device/random.h - generators of random numbers and what is made of their words: for kernels (curand_kernel.h, data/rand) and, as C, for the
 * host's side of cuRAND (runtime/rand), so that both have the same numbers.
 *
 * Xorwow is Marsaglia's (2003), Philox of ten rounds Salmon's and others' (SC 2011), MRG32k3a L'Ecuyer's (1999), MT19937 Matsumoto's and
 * Nishimura's (1998). A word is 32 random bits, or of MRG32k3a a number from 1 to its modulus. */
#ifndef CT_CUDA_DEVICE_RANDOM_H
#define CT_CUDA_DEVICE_RANDOM_H

#if defined(__CUDA__)
#pragma GCC system_header /* C of this project depends on it */
#endif

#include <stddef.h>

#if defined(__CUDA__)
#include "define.h"
#define CT_RANDOM CT_DEVICE
#define CT_RANDOM_UNROLL _Pragma("unroll")
#else
#include <math.h>
#include "../host_math.h"
#define CT_RANDOM static __inline__ __attribute__((unused))
#define CT_RANDOM_UNROLL
#endif

/* ---- xorwow ---- */

/* Each of 64 bits depends on each of the input: two rounds of multiplying by odd numbers and shifting. */
CT_RANDOM unsigned long long ct_random_mix(unsigned long long v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
	v = (v ^ v >> 27) * 0x94d049bb133111ebu;
	return v ^ v >> 31;
}

/* Steps the five words alone, which is linear over bits; *d counts up beside them. */
CT_RANDOM void ct_random_xorwow_step(unsigned int *v)
{
	unsigned int t = v[0] ^ v[0] >> 2;
	v[0] = v[1];
	v[1] = v[2];
	v[2] = v[3];
	v[3] = v[4];
	v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}
#define CT_RANDOM_XORWOW_COUNT 362437u

CT_RANDOM unsigned int ct_random_xorwow(unsigned int *v, unsigned int *d)
{
	ct_random_xorwow_step(v);
	return v[4] + (*d += CT_RANDOM_XORWOW_COUNT);
}

/* The beginning of a sequence. */
CT_RANDOM void ct_random_xorwow_seed(unsigned long long seed, unsigned long long sequence, unsigned int *v, unsigned int *d)
{
	unsigned long long at = ct_random_mix(seed + 0x9e3779b97f4a7c15u) ^ ct_random_mix(sequence * 0xd1342543de82ef95u + 1);
	unsigned int word[6];
	for (int i = 0; i < 3; i++) {
		unsigned long long w = ct_random_mix(at += 0x9e3779b97f4a7c15u);
		word[2 * i] = (unsigned int)w;
		word[2 * i + 1] = (unsigned int)(w >> 32);
	}
	for (int i = 0; i < 5; i++)
		v[i] = word[i];
	v[0] |= 1; /* not all are 0 */
	*d = word[5];
}

/* ---- Philox ---- */

/* Makes four random words of a counter, by a key of 64 bits. */
CT_RANDOM void ct_random_philox(unsigned int *c, unsigned long long key)
{
	unsigned int k0 = (unsigned int)key, k1 = (unsigned int)(key >> 32);
	CT_RANDOM_UNROLL
	for (int i = 0; i < 10; i++) {
		unsigned long long a = (unsigned long long)0xd2511f53u * c[0], b = (unsigned long long)0xcd9e8d57u * c[2];
		c[0] = (unsigned int)(b >> 32) ^ c[1] ^ k0;
		c[1] = (unsigned int)b;
		c[2] = (unsigned int)(a >> 32) ^ c[3] ^ k1;
		c[3] = (unsigned int)a;
		k0 += 0x9e3779b9u;
		k1 += 0xbb67ae85u;
	}
}

/* ---- MRG32k3a: two recurrences of three words each, s[0..2] and s[3..5] ---- */

#define CT_RANDOM_M1 4294967087u /* 2^32 - 209 */
#define CT_RANDOM_M2 4294944443u /* 2^32 - 22853 */

/* v modulo 2^32 - c, for v below 2^54 and c below 2^15: what is above 32 bits counts c times. */
CT_RANDOM unsigned int ct_random_fold(unsigned long long v, unsigned int c)
{
	for (int i = 0; i < 3; i++)
		v = (v & 0xffffffffu) + (v >> 32) * c;
	unsigned long long m = (unsigned long long)1 << 32;
	m -= c;
	return (unsigned int)(v >= m ? v - m : v);
}

CT_RANDOM unsigned int ct_random_mrg(unsigned int *s)
{
	unsigned int a = ct_random_fold((unsigned long long)1403580u * s[1] + (unsigned long long)810728u * (CT_RANDOM_M1 - s[0]), 209);
	unsigned int b = ct_random_fold((unsigned long long)527612u * s[5] + (unsigned long long)1370589u * (CT_RANDOM_M2 - s[3]), 22853);
	s[0] = s[1];
	s[1] = s[2];
	s[2] = a;
	s[3] = s[4];
	s[4] = s[5];
	s[5] = b;
	return a > b ? a - b : a - b + CT_RANDOM_M1;
}

/* Both recurrences as matrices, by rows: one step. */
CT_RANDOM void ct_random_mrg_one(unsigned int *m)
{
	for (int i = 0; i < 18; i++)
		m[i] = i == 1 || i == 5 || i == 10 || i == 14;
	m[6] = CT_RANDOM_M1 - 810728u;
	m[7] = 1403580u;
	m[15] = CT_RANDOM_M2 - 1370589u;
	m[17] = 527612u;
}

/* One of the recurrences: row * column of m * v, where v has that many columns. */
CT_RANDOM void ct_random_mrg_times(const unsigned int *m, const unsigned int *v, int columns, unsigned long long modulus, unsigned int *to)
{
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < columns; j++) {
			unsigned long long sum = 0;
			for (int k = 0; k < 3; k++)
				sum = (sum + (unsigned long long)m[3 * i + k] * v[columns * k + j] % modulus) % modulus;
			to[columns * i + j] = (unsigned int)sum;
		}
}

/* Squares the matrices `times` times: a matrix for n steps becomes one for n * 2^times. */
CT_RANDOM void ct_random_mrg_square(unsigned int *m, int times)
{
	unsigned int next[18];
	for (; times > 0; times--) {
		ct_random_mrg_times(m, m, 3, CT_RANDOM_M1, next);
		ct_random_mrg_times(m + 9, m + 9, 3, CT_RANDOM_M2, next + 9);
		for (int i = 0; i < 18; i++)
			m[i] = next[i];
	}
}

/* Moves a state as far as the matrices say. */
CT_RANDOM void ct_random_mrg_move(const unsigned int *m, unsigned int *s)
{
	unsigned int next[6];
	ct_random_mrg_times(m, s, 1, CT_RANDOM_M1, next);
	ct_random_mrg_times(m + 9, s + 3, 1, CT_RANDOM_M2, next + 3);
	for (int i = 0; i < 6; i++)
		s[i] = next[i];
}

/* Moves a state by n * 2^power steps. */
CT_RANDOM void ct_random_mrg_skip(unsigned long long n, int power, unsigned int *s)
{
	unsigned int m[18];
	ct_random_mrg_one(m);
	ct_random_mrg_square(m, power);
	for (; n; n >>= 1) {
		if (n & 1)
			ct_random_mrg_move(m, s);
		ct_random_mrg_square(m, 1);
	}
}
#define CT_RANDOM_MRG_SEQUENCE 76 /* two sequences lie 2^76 steps apart */

/* Its author's 12345 six times for seed 0, else words that are mixed of the seed. */
CT_RANDOM void ct_random_mrg_seed(unsigned long long seed, unsigned int *s)
{
	for (int i = 0; i < 6; i++) {
		unsigned int modulus = i < 3 ? CT_RANDOM_M1 : CT_RANDOM_M2;
		unsigned long long w = ct_random_mix(seed + (unsigned long long)(i + 1) * 0x9e3779b97f4a7c15u);
		s[i] = seed ? 1 + (unsigned int)(w % (modulus - 1)) : 12345u;
	}
}

/* ---- MT19937 ---- */

#define CT_RANDOM_TWISTER 624
#define CT_RANDOM_TWISTER_MIDDLE 397

/* A word of the next state, of two that follow one another and the one in the middle. */
CT_RANDOM unsigned int ct_random_twist(unsigned int a, unsigned int b, unsigned int middle)
{
	return middle ^ ((a & 0x80000000u) | (b & 0x7fffffffu)) >> 1 ^ (b & 1 ? 0x9908b0dfu : 0);
}

CT_RANDOM unsigned int ct_random_temper(unsigned int v)
{
	v ^= v >> 11;
	v ^= v << 7 & 0x9d2c5680u;
	v ^= v << 15 & 0xefc60000u;
	return v ^ v >> 18;
}

/* ---- Sobol's sequences ---- */

/* Point i of a dimension: the direction numbers for the bits of i's Gray code, from the lowest. */
CT_RANDOM unsigned int ct_random_sobol32(const unsigned int *directions, unsigned int i)
{
	unsigned int x = 0;
	for (unsigned int gray = i ^ i >> 1; gray; gray >>= 1, directions++)
		if (gray & 1)
			x ^= *directions;
	return x;
}

CT_RANDOM unsigned long long ct_random_sobol64(const unsigned long long *directions, unsigned long long i)
{
	unsigned long long x = 0;
	for (unsigned long long gray = i ^ i >> 1; gray; gray >>= 1, directions++)
		if (gray & 1)
			x ^= *directions;
	return x;
}

/* ---- distributions ---- */

/* Above 0 and up to 1. */
CT_RANDOM float ct_random_uniform(unsigned int v)
{
	return fmaf((float)v, 2.3283064e-10f, 1.1641532e-10f);
}
CT_RANDOM double ct_random_uniform_double(unsigned int low, unsigned int high)
{
	unsigned long long bits = (unsigned long long)high << 21 ^ low;
	return (double)(bits & 0x1fffffffffffffu) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}
/* Of one word. */
CT_RANDOM double ct_random_uniform_word(unsigned int v)
{
	return (double)v * 2.3283064365386963e-10 + 1.1641532182693481e-10;
}
CT_RANDOM double ct_random_uniform_long(unsigned long long v)
{
	return (double)(v >> 11) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}
/* Of a word of MRG32k3a, as its author has it. */
CT_RANDOM double ct_random_mrg_uniform(unsigned int v)
{
	return v * 2.328306549295728e-10;
}

/* Box and Muller's pair. */
CT_RANDOM void ct_random_normal(float a, float b, float *x, float *y)
{
	float r = sqrtf(-2.0f * logf(a)), s, c;
#if defined(__CUDA__)
	sincosf(6.2831853f * b, &s, &c);
#else
	s = sinf(6.2831853f * b);
	c = cosf(6.2831853f * b);
#endif
	*x = r * s;
	*y = r * c;
}
CT_RANDOM void ct_random_normal_double(double a, double b, double *x, double *y)
{
	double r = sqrt(-2.0 * log(a)), s, c;
	sincospi(2.0 * b, &s, &c);
	*x = r * s;
	*y = r * c;
}

/* The place of u among the sums of probabilities of n whole numbers: the first whose sum is not below u, or the last. */
CT_RANDOM unsigned int ct_random_find(const double *sums, unsigned int n, double u)
{
	unsigned int low = 0, high = n - 1;
	while (low < high) {
		unsigned int middle = low + (high - low) / 2;
		if (sums[middle] < u)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
