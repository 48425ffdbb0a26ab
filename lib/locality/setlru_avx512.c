/* The set lists for x86-64 with AVX-512: a set is one vector. */
#include "locality/setlru_kernel.h"

#if CT_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512bw,bmi,bmi2"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512bw,bmi,bmi2")
#endif

/* v with its first p + 1 entries replaced by front and the first p before. */
CT_INLINE __m512i moved(__m512i v, __m512i front, unsigned p)
{
	return _mm512_mask_alignr_epi32(v, (__mmask16)_bzhi_u32(0xffff, p + 1), v, front, 15);
}

CT_INLINE unsigned find_and_move(uint32_t *tag, uint32_t q)
{
	__m512i v = _mm512_load_si512(tag), front = _mm512_set1_epi32((int)q);
	unsigned p = (unsigned)__builtin_ctz(_mm512_cmpeq_epi32_mask(v, front) |
	                                     1u << CT_SETLRU_WAYS);
	_mm512_store_si512(tag, moved(v, front, p));
	return p;
}

CT_INLINE uint32_t run_at(const uint32_t *run, unsigned p)
{
	__m512i v = _mm512_permutexvar_epi32(_mm512_set1_epi32((int)p), _mm512_load_si512(run));
	return (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(v));
}

CT_INLINE void run_move(uint32_t *run, unsigned p, uint32_t v)
{
	_mm512_store_si512(run, moved(_mm512_load_si512(run), _mm512_set1_epi32((int)v), p));
}

#define RUN ct_setlru_avx512
#include "locality/setlru_loop.h"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
