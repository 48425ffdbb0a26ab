/* The set lists for x86-64 with AVX2: a set is two vectors. */
#include "locality/setlru_kernel.h"

#if CT_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("popcnt,avx2,bmi,bmi2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("popcnt,avx2,bmi,bmi2")
#endif

/* Entries from 16 - p on have the first p + 1 set. */
static const int32_t first[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

typedef const int32_t *move_t;

/* Moves the entries of a list a, b that m names back by one; front comes to the front. */
CT_INLINE void move(uint32_t *list, __m256i a, __m256i b, move_t m, __m256i front)
{
	__m256i *to = (__m256i *)(void *)list;
	const __m256i *keep = (const __m256i *)(const void *)m;
	const __m256i back = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
	__m256i ra = _mm256_permutevar8x32_epi32(a, back);
	__m256i rb = _mm256_permutevar8x32_epi32(b, back);
	rb = _mm256_blend_epi32(rb, ra, 1);
	ra = _mm256_blend_epi32(ra, front, 1);
	_mm256_store_si256(to, _mm256_blendv_epi8(a, ra, _mm256_loadu_si256(keep)));
	_mm256_store_si256(to + 1, _mm256_blendv_epi8(b, rb, _mm256_loadu_si256(keep + 1)));
}

CT_INLINE unsigned find_and_move(uint32_t *tag, uint32_t q, move_t *m)
{
	const __m256i *t = (const __m256i *)(const void *)tag;
	__m256i front = _mm256_set1_epi32((int)q);
	__m256i a = _mm256_load_si256(t), b = _mm256_load_si256(t + 1);
	unsigned low = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, front)));
	unsigned high = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(b, front)));
	unsigned p = (unsigned)__builtin_ctz(low | high << 8 | 1u << CT_SETLRU_WAYS);
	*m = first + 16 - p;
	move(tag, a, b, *m, front);
	return p;
}

CT_INLINE void run_move(uint32_t *run, move_t m, uint32_t v)
{
	const __m256i *r = (const __m256i *)(const void *)run;
	move(run, _mm256_load_si256(r), _mm256_load_si256(r + 1), m, _mm256_set1_epi32((int)v));
}

/* How often each position comes among n bytes, 64 at a time: comparing with every position in turn needs
 * no table in memory. */
static void count_bytes(const uint8_t *b, size_t n, uint64_t *count)
{
	for (int v = 0; v <= CT_SETLRU_WAYS; v++) {
		__m256i value = _mm256_set1_epi8((char)v);
		uint64_t sum = 0;
		for (size_t i = 0; i < n; i += 64) {
			const __m256i *p = (const __m256i *)(const void *)(b + i);
			uint64_t low = (uint32_t)_mm256_movemask_epi8(
				_mm256_cmpeq_epi8(_mm256_loadu_si256(p), value));
			uint64_t high = (uint32_t)_mm256_movemask_epi8(
				_mm256_cmpeq_epi8(_mm256_loadu_si256(p + 1), value));
			sum += (uint64_t)__builtin_popcountll(high << 32 | low);
		}
		count[v] += sum;
	}
}

#define RUN ct_setlru_avx2
#include "locality/setlru_loop.h"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
