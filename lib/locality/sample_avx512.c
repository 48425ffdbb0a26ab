/* The sampling filter for x86-64 with AVX-512: eight lines at a time. */
#include "locality/sample_filter.h"

#if CT_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512dq,bmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512dq,bmi")
#endif

struct filter {
	__m512i seed, phi, c1, c2, limit[CT_SAMPLE_SALTS];
	__m128i group_bits;
};

CT_INLINE __m512i offsets(const struct filter *f, __m512i line)
{
	__m512i x = _mm512_xor_si512(_mm512_srl_epi64(line, f->group_bits), f->seed);
	x = _mm512_mullo_epi64(x, f->c1);
	x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 32)), f->c2);
	return _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
}

/* Masks of the salts, 8 bits each: bit 8 k + i for line i. */
CT_INLINE uint32_t taken(const struct filter *f, __m512i line, int salts)
{
	__m512i x = offsets(f, line), base = _mm512_mullo_epi64(line, f->phi);
	uint32_t m = _mm512_cmplt_epu64_mask(_mm512_add_epi64(base, x), f->limit[0]);
	if (salts > 1) {
		__m512i y = _mm512_add_epi64(base, _mm512_rol_epi64(x, 16));
		m |= (uint32_t)_mm512_cmplt_epu64_mask(y, f->limit[1]) << 8;
		y = _mm512_add_epi64(base, _mm512_rol_epi64(x, 32));
		m |= (uint32_t)_mm512_cmplt_epu64_mask(y, f->limit[2]) << 16;
		y = _mm512_add_epi64(base, _mm512_rol_epi64(x, 48));
		m |= (uint32_t)_mm512_cmplt_epu64_mask(y, f->limit[3]) << 24;
	}
	return m;
}

CT_INLINE size_t emit(uint32_t m, size_t i, uint32_t *hit, size_t hits)
{
	uint32_t any = (m | m >> 8 | m >> 16 | m >> 24) & 0xff;
	while (any) {
		uint32_t b = (uint32_t)__builtin_ctz(any), k = m >> b & 0x01010101u;
		any &= any - 1;
		/* Gathers bits 0, 8, 16, 24 into 0 to 3. */
		hit[hits++] = (uint32_t)(i + b) * 16 + (k * 0x10204080u >> 28 & 15);
	}
	return hits;
}

/* Which of n lines are in the sample: their number times 16, plus a bit for each salt that takes them.
 * Most groups of sixteen have none, and are left at once. */
CT_INLINE size_t run(const struct ct_sampler *s, const uint64_t *line, size_t n, uint32_t *hit,
                     int salts)
{
	struct filter f;
	size_t i = 0, hits = 0;
	f.seed = _mm512_set1_epi64((long long)s->seed);
	f.phi = _mm512_set1_epi64((long long)0x9e3779b97f4a7c15u);
	f.c1 = _mm512_set1_epi64((long long)0xbf58476d1ce4e5b9u);
	f.c2 = _mm512_set1_epi64((long long)0x94d049bb133111ebu);
	f.group_bits = _mm_cvtsi32_si128((int)s->group_bits);
	for (int k = 0; k < CT_SAMPLE_SALTS; k++)
		f.limit[k] = _mm512_set1_epi64((long long)s->limit[k]);
	for (; i + 16 <= n; i += 16) {
		ct_sample_prefetch(line + i);
		ct_sample_prefetch(line + i + 8);
		uint32_t a = taken(&f, _mm512_loadu_si512(line + i), salts);
		uint32_t b = taken(&f, _mm512_loadu_si512(line + i + 8), salts);
		if (CT_LIKELY((a | b) == 0))
			continue;
		hits = emit(a, i, hit, hits);
		hits = emit(b, i + 8, hit, hits);
	}
	for (; i < n; i++) {
		unsigned mask = ct_sample_mask(s, line[i]);
		if (mask)
			hit[hits++] = (uint32_t)(i * 16 + mask);
	}
	return hits;
}

size_t ct_sample_filter_avx512(const struct ct_sampler *s, const uint64_t *line, size_t n, uint32_t *hit)
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
