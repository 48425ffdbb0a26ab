/* The fast engine for x86-64 with AVX2. */
#include "locality/fast.h"

#if CT_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("popcnt,avx2,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("popcnt,avx2,bmi,bmi2")
#endif

#define POPCOUNT(x) ((uint64_t)__builtin_popcountll(x))
#define LOWER16 lower16
#define LOWER32 lower32
#define WIN_AVX512 0

/* A row of 32 entries that starts at 32 - n has its first n set. */
static const int16_t mask16[64] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                   -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
static const int32_t mask32[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

CT_INLINE void lower16(uint16_t *group, uint64_t n, int delta)
{
	__m256i d = _mm256_set1_epi16((short)delta), *p = (__m256i *)(void *)group;
	const __m256i *m = (const __m256i *)(const void *)(mask16 + 32 - n);
	for (int i = 0; i < 2; i++)
		_mm256_store_si256(p + i,
		                   _mm256_add_epi16(_mm256_load_si256(p + i),
		                                    _mm256_and_si256(_mm256_loadu_si256(m + i), d)));
}

CT_INLINE void lower32(uint32_t *group, uint64_t n, int delta)
{
	__m256i d = _mm256_set1_epi32(delta), *p = (__m256i *)(void *)group;
	const __m256i *m = (const __m256i *)(const void *)(mask32 + 16 - n);
	for (int i = 0; i < 2; i++)
		_mm256_store_si256(p + i,
		                   _mm256_add_epi32(_mm256_load_si256(p + i),
		                                    _mm256_and_si256(_mm256_loadu_si256(m + i), d)));
}

CT_INLINE unsigned bucket_match(const struct ct_bucket *b, uint64_t line)
{
	const __m256i *p = (const __m256i *)(const void *)b;
	__m256i same = _mm256_cmpeq_epi64(_mm256_load_si256(p), _mm256_set1_epi64x((long long)line));
	/* Empty places keep old lines. */
	__m128i time = _mm_loadu_si128((const __m128i *)(const void *)b->time);
	__m128i none = _mm_cmpeq_epi32(time, _mm_setzero_si128());
	unsigned match = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(same)) &
	                 ~(unsigned)_mm_movemask_ps(_mm_castsi128_ps(none));
	return match | (unsigned)((b->line[4] == line) & (b->time[4] != 0)) << 4;
}

#include "locality/fast_kernel.h"

const struct ct_fast_kernel ct_fast_avx2 = {
	touch_batch, map_batch, count_batch, ops_batch, renumber, sms_batch, sms_renumber};

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
