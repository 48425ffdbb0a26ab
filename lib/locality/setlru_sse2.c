/* The set lists for x86-64: a set is four vectors. */
#include "locality/setlru_kernel.h"

#if CT_X86

#include "base/bits.h"

/* Entries from 16 - p on have the first p + 1 set. */
static const int32_t first[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

typedef const int32_t *move_t;

CT_INLINE __m128i pick(__m128i keep, __m128i yes, __m128i no)
{
	return _mm_xor_si128(no, _mm_and_si128(keep, _mm_xor_si128(yes, no)));
}

/* Moves the entries that m names back by one; v comes to the front. */
CT_INLINE void move(__m128i *to, const __m128i *old, move_t m, __m128i v)
{
	__m128i before = _mm_slli_si128(v, 12);
	for (int i = 0; i < 4; i++) {
		__m128i moved = _mm_or_si128(_mm_slli_si128(old[i], 4), _mm_srli_si128(before, 12));
		__m128i keep = _mm_loadu_si128((const __m128i *)(const void *)(m + 4 * i));
		before = old[i];
		_mm_store_si128(to + i, pick(keep, moved, old[i]));
	}
}

CT_INLINE void load(__m128i *v, const __m128i *from)
{
	for (int i = 0; i < 4; i++)
		v[i] = _mm_load_si128(from + i);
}

CT_INLINE unsigned find_and_move(uint32_t *tag, uint32_t q, move_t *m)
{
	__m128i v[4], front = _mm_set1_epi32((int)q);
	load(v, (__m128i *)(void *)tag);
	__m128i low = _mm_packs_epi32(_mm_cmpeq_epi32(v[0], front), _mm_cmpeq_epi32(v[1], front));
	__m128i high = _mm_packs_epi32(_mm_cmpeq_epi32(v[2], front), _mm_cmpeq_epi32(v[3], front));
	unsigned same = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
	unsigned p = ct_low_bit(same | 1u << CT_SETLRU_WAYS);
	*m = first + 16 - p;
	move((__m128i *)(void *)tag, v, *m, front);
	return p;
}

CT_INLINE void run_move(uint32_t *run, move_t m, uint32_t v)
{
	__m128i old[4];
	load(old, (__m128i *)(void *)run);
	move((__m128i *)(void *)run, old, m, _mm_cvtsi32_si128((int)v));
}

static void count_bytes(const uint8_t *b, size_t n, uint64_t *count)
{
	for (int v = 0; v <= CT_SETLRU_WAYS; v++) {
		__m128i value = _mm_set1_epi8((char)v), zero = _mm_setzero_si128(), sum = zero;
		for (size_t i = 0; i < n; i += 64) { /* at most four in a byte */
			const __m128i *p = (const __m128i *)(const void *)(b + i);
			__m128i some = zero;
			for (int k = 0; k < 4; k++)
				some = _mm_sub_epi8(some, _mm_cmpeq_epi8(_mm_loadu_si128(p + k), value));
			sum = _mm_add_epi64(sum, _mm_sad_epu8(some, zero));
		}
		count[v] += (uint64_t)_mm_cvtsi128_si64(sum) +
		            (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum));
	}
}

#define RUN ct_setlru_sse2
#include "locality/setlru_loop.h"

#endif
