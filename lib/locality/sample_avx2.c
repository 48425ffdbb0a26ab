/* The sampling filter for x86-64 with AVX2: four lines at a time. */
#include "locality/sample_filter.h"

#if CT_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

struct filter {
	__m256i seed, phi, c1, c2, limit[CT_SAMPLE_SALTS]; /* limits less 2^63 */
	__m128i group_bits;
};

/* Low 64 bits of products. */
CT_INLINE __m256i multiply(__m256i a, __m256i b)
{
	__m256i cross = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), b),
	                                 _mm256_mul_epu32(a, _mm256_srli_epi64(b, 32)));
	return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(cross, 32));
}

CT_INLINE __m256i offsets(const struct filter *f, __m256i line)
{
	__m256i x = _mm256_xor_si256(_mm256_srl_epi64(line, f->group_bits), f->seed);
	x = multiply(x, f->c1);
	x = multiply(_mm256_xor_si256(x, _mm256_srli_epi64(x, 32)), f->c2);
	return _mm256_xor_si256(x, _mm256_srli_epi64(x, 32));
}

CT_INLINE uint32_t below(__m256i hash, __m256i limit)
{
	/* AVX2 compares signed numbers: both sides are moved by 2^63. */
	__m256i h = _mm256_xor_si256(hash, _mm256_set1_epi64x(INT64_MIN));
	return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(limit, h)));
}

#define ROTATE(x, n) _mm256_or_si256(_mm256_slli_epi64(x, n), _mm256_srli_epi64(x, 64 - (n)))

/* Masks of the salts, 4 bits each: bit 4 k + i for line i. */
CT_INLINE uint32_t taken(const struct filter *f, __m256i line, int salts)
{
	__m256i x = offsets(f, line), base = multiply(line, f->phi);
	uint32_t m = below(_mm256_add_epi64(base, x), f->limit[0]);
	if (salts > 1) {
		m |= below(_mm256_add_epi64(base, ROTATE(x, 16)), f->limit[1]) << 4;
		m |= below(_mm256_add_epi64(base, ROTATE(x, 32)), f->limit[2]) << 8;
		m |= below(_mm256_add_epi64(base, ROTATE(x, 48)), f->limit[3]) << 12;
	}
	return m;
}

CT_INLINE size_t emit(uint32_t m, size_t i, uint32_t *hit, size_t hits)
{
	for (uint32_t b = 0; b < 4; b++) {
		uint32_t k = m >> b & 0x1111u;
		if (k) /* gathers bits 0, 4, 8, 12 into 0 to 3 */
			hit[hits++] = (uint32_t)(i + b) * 16 + (k * 0x1248u >> 12 & 15);
	}
	return hits;
}

/* Which of n lines are in the sample: their number times 16, plus a bit for each salt that takes them.
 * Most groups of eight have none, and are left at once. */
CT_INLINE size_t run(const struct ct_sampler *s, const uint64_t *line, size_t n, uint32_t *hit,
                     int salts)
{
	struct filter f;
	size_t i = 0, hits = 0;
	f.seed = _mm256_set1_epi64x((long long)s->seed);
	f.phi = _mm256_set1_epi64x((long long)0x9e3779b97f4a7c15u);
	f.c1 = _mm256_set1_epi64x((long long)0xbf58476d1ce4e5b9u);
	f.c2 = _mm256_set1_epi64x((long long)0x94d049bb133111ebu);
	f.group_bits = _mm_cvtsi32_si128((int)s->group_bits);
	for (int k = 0; k < CT_SAMPLE_SALTS; k++)
		f.limit[k] = _mm256_set1_epi64x((long long)(s->limit[k] ^ (uint64_t)1 << 63));
	for (; i + 8 <= n; i += 8) {
		ct_sample_prefetch(line + i);
		const __m256i *p = (const __m256i *)(const void *)(line + i);
		uint32_t a = taken(&f, _mm256_loadu_si256(p), salts);
		uint32_t b = taken(&f, _mm256_loadu_si256(p + 1), salts);
		if (CT_LIKELY((a | b) == 0))
			continue;
		hits = emit(a, i, hit, hits);
		hits = emit(b, i + 4, hit, hits);
	}
	for (; i < n; i++) {
		unsigned mask = ct_sample_mask(s, line[i]);
		if (mask)
			hit[hits++] = (uint32_t)(i * 16 + mask);
	}
	return hits;
}

size_t ct_sample_filter_avx2(const struct ct_sampler *s, const uint64_t *line, size_t n, uint32_t *hit)
{
	/* Unused salts have limit 0 and take nothing. */
	return s->salts == 1 ? run(s, line, n, hit, 1) : run(s, line, n, hit, CT_SAMPLE_SALTS);
}

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
