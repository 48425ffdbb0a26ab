/* The fast engine for x86-64 with SSE2 and POPCNT. */
#include "locality/fast.h"

#if CT_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("popcnt")
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
	__m128i d = _mm_set1_epi16((short)delta), *p = (__m128i *)(void *)group;
	const int16_t *m = mask16 + 32 - n;
	for (int i = 0; i < 4; i++, m += 8) {
		__m128i k = _mm_loadu_si128((const __m128i *)(const void *)m);
		_mm_store_si128(p + i, _mm_add_epi16(_mm_load_si128(p + i), _mm_and_si128(k, d)));
	}
}

CT_INLINE void lower32(uint32_t *group, uint64_t n, int delta)
{
	__m128i d = _mm_set1_epi32(delta), *p = (__m128i *)(void *)group;
	const int32_t *m = mask32 + 16 - n;
	for (int i = 0; i < 4; i++, m += 4) {
		__m128i k = _mm_loadu_si128((const __m128i *)(const void *)m);
		_mm_store_si128(p + i, _mm_add_epi32(_mm_load_si128(p + i), _mm_and_si128(k, d)));
	}
}

CT_INLINE unsigned bucket_match(const struct ct_bucket *b, uint64_t line)
{
	unsigned match = 0;
	for (unsigned i = 0; i < CT_BUCKET_LINES; i++)
		match |= (unsigned)((b->line[i] == line) & (b->time[i] != 0)) << i;
	return match;
}

#include "locality/fast_kernel.h"

const struct ct_fast_kernel ct_fast_popcnt = {
	touch_batch, map_batch, count_batch, ops_batch, renumber, sms_batch, sms_renumber};

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
