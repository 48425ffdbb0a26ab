/* The set lists for x86-64 with AVX2: a set is two vectors. */
#include "locality/setlru_kernel.h"

#if CT_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2")
#endif

/* Entries from 16 - p on have the first p + 1 set. */
static const int32_t first[33] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                  -1, -1, -1, -1, -1, -1};

/* Moves the first p entries of a list of 16 back by one, over the entry at p. */
CT_INLINE void move(uint32_t *list, __m256i front, unsigned p)
{
	__m256i *to = (__m256i *)(void *)list;
	const __m256i *keep = (const __m256i *)(const void *)(first + 16 - p);
	const __m256i back = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
	__m256i a = _mm256_load_si256(to), b = _mm256_load_si256(to + 1);
	__m256i ra = _mm256_permutevar8x32_epi32(a, back);
	__m256i rb = _mm256_permutevar8x32_epi32(b, back);
	rb = _mm256_blend_epi32(rb, ra, 1);
	ra = _mm256_blend_epi32(ra, front, 1);
	_mm256_store_si256(to, _mm256_blendv_epi8(a, ra, _mm256_loadu_si256(keep)));
	_mm256_store_si256(to + 1, _mm256_blendv_epi8(b, rb, _mm256_loadu_si256(keep + 1)));
}

CT_INLINE unsigned find_and_move(uint32_t *tag, uint32_t q)
{
	const __m256i *t = (const __m256i *)(const void *)tag;
	__m256i front = _mm256_set1_epi32((int)q);
	__m256i a = _mm256_cmpeq_epi32(_mm256_load_si256(t), front);
	__m256i b = _mm256_cmpeq_epi32(_mm256_load_si256(t + 1), front);
	unsigned m = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(a)) |
	             (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(b)) << 8;
	unsigned p = (unsigned)__builtin_ctz(m | 1u << CT_SETLRU_WAYS);
	move(tag, front, p);
	return p;
}

CT_INLINE uint32_t run_at(const uint32_t *run, unsigned p)
{
	return run[p];
}

CT_INLINE void run_move(uint32_t *run, unsigned p, uint32_t v)
{
	move(run, _mm256_set1_epi32((int)v), p);
}

#define RUN ct_setlru_avx2
#include "locality/setlru_loop.h"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
