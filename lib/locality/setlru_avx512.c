/* The set lists for x86-64 with AVX-512: a set is one vector. */
#include "locality/setlru_kernel.h"

#if CT_X86

#ifdef __clang__
#pragma clang attribute push( \
	__attribute__((target("popcnt,avx2,avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2"))), \
	apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("popcnt,avx2,avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2")
#endif

typedef __mmask16 move_t; /* the entries that change */

/* v with the entries of m moved back by one and front before them. */
CT_INLINE __m512i moved(__m512i v, __m512i front, move_t m)
{
	return _mm512_mask_alignr_epi32(v, m, v, front, 15);
}

CT_INLINE unsigned find_and_move(uint32_t *tag, uint32_t q, move_t *m)
{
	__m512i v = _mm512_load_si512(tag), front = _mm512_set1_epi32((int)q);
	uint32_t same = _mm512_cmpeq_epi32_mask(v, front) | 1u << CT_SETLRU_WAYS;
	*m = (__mmask16)_blsmsk_u32(same); /* up to the lowest bit */
	_mm512_store_si512(tag, moved(v, front, *m));
	return (unsigned)__builtin_ctz(same);
}

CT_INLINE void run_move(uint32_t *run, move_t m, uint32_t v)
{
	_mm512_store_si512(run, moved(_mm512_load_si512(run), _mm512_set1_epi32((int)v), m));
}

static void count_bytes(const uint8_t *b, size_t n, uint64_t *count)
{
	for (int v = 0; v <= CT_SETLRU_WAYS; v++) {
		__m512i value = _mm512_set1_epi8((char)v);
		uint64_t sum = 0;
		for (size_t i = 0; i < n; i += 64)
			sum += (uint64_t)__builtin_popcountll(
				_mm512_cmpeq_epi8_mask(_mm512_loadu_si512(b + i), value));
		count[v] += sum;
	}
}

#define RUN ct_setlru_avx512
#include "locality/setlru_loop.h"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
