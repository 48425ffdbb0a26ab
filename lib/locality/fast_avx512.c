/* The fast engine for x86-64 with AVX-512. */
#include "locality/fast.h"

#if CT_X86

#ifdef __clang__
#pragma clang attribute push( \
	__attribute__((target("popcnt,bmi,bmi2,avx2,avx512f,avx512bw,avx512dq,avx512vl"))), \
	apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("popcnt,bmi,bmi2,avx2,avx512f,avx512bw,avx512dq,avx512vl")
#endif

#define POPCOUNT (uint64_t)__builtin_popcountll
#define LOWER16 lower16
#define LOWER32 lower32
#define WIN_AVX512 1

CT_INLINE void lower16(uint16_t *group, uint64_t n, int delta)
{
	__m512i v = _mm512_load_si512(group);
	_mm512_store_si512(group, _mm512_mask_add_epi16(v, _bzhi_u32(~0u, (unsigned)n), v,
	                                                _mm512_set1_epi16((short)delta)));
}

CT_INLINE void lower32(uint32_t *group, uint64_t n, int delta)
{
	__m512i v = _mm512_load_si512(group);
	_mm512_store_si512(group, _mm512_mask_add_epi32(
		v, (__mmask16)_bzhi_u32(0xffffu, (unsigned)n), v, _mm512_set1_epi32(delta)));
}

/* The bucket is one cache line: five lines in the first 40 bytes, five times behind. */
CT_INLINE unsigned bucket_match(const struct ct_bucket *b, uint64_t line)
{
	__m512i v = _mm512_load_si512(b);
	unsigned same = _mm512_cmpeq_epi64_mask(v, _mm512_set1_epi64((long long)line));
	unsigned used = _mm512_test_epi32_mask(v, v);
	return same & used >> 10 & 0x1f;
}

#include "locality/fast_kernel.h"

const struct ct_fast_kernel ct_fast_avx512 = {touch_batch, map_batch, count_batch, ops_batch,
                                             renumber};

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
