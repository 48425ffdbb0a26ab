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

#define POPCOUNT(x) ((uint64_t)__builtin_popcountll(x))
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
	_mm512_store_si512(group, _mm512_mask_add_epi32(v, (__mmask16)_bzhi_u32(0xffffu, (unsigned)n), v,
	                                                _mm512_set1_epi32(delta)));
}

/* The bucket is one cache line: five lines in the first 40 bytes, five times behind. */
CT_INLINE unsigned bucket_match(const struct ct_bucket *b, uint64_t line)
{
	__m512i v = _mm512_load_si512(b);
	unsigned same = _mm512_cmpeq_epi64_mask(v, _mm512_set1_epi64((long long)line));
	unsigned used = _mm512_test_epi32_mask(v, v);
	return same & used >> 10 & 0x1f;
}

/* Bits below place t % 64 of the words, counted byte by byte. */
CT_INLINE __m512i bits_before(__m512i words, __m512i t)
{
	const __m512i nibble = _mm512_set1_epi8(15), one = _mm512_set1_epi64(1);
	const __m512i count = _mm512_broadcast_i32x4(
		_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
	__m512i place = _mm512_and_si512(t, _mm512_set1_epi64(63));
	words = _mm512_and_si512(words, _mm512_sub_epi64(_mm512_sllv_epi64(one, place), one));
	__m512i low = _mm512_shuffle_epi8(count, _mm512_and_si512(words, nibble));
	__m512i high = _mm512_shuffle_epi8(count, _mm512_and_si512(_mm512_srli_epi64(words, 4), nibble));
	return _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512());
}

CT_INLINE __m256i bits_before8(const struct ct_renumber *r, __m256i t, __mmask8 used)
{
	__m512i words = _mm512_mask_i32gather_epi64(
		_mm512_setzero_si512(), used, _mm256_srli_epi32(t, 6), r->bits, 8);
	return _mm512_cvtepi64_epi32(bits_before(words, _mm512_cvtepu32_epi64(t)));
}

/* As the plain loop in fast_kernel.h, 16 at a time, so that their loads overlap. */
static void renumber(const struct ct_renumber *r, uint32_t *time, size_t n)
{
	const __m512i first = _mm512_set1_epi32(CT_WINDOW_FIRST);
	const __m512i lost = _mm512_set1_epi32((int)r->lost);
	for (size_t i = 0; i < n; i += 16) {
		__mmask16 in = (__mmask16)_bzhi_u32(0xffffu, n - i < 16 ? (unsigned)(n - i) : 16);
		__m512i t = _mm512_maskz_loadu_epi32(in, time + i);
		__mmask16 used = _mm512_mask_cmpge_epu32_mask(in, t, first);
		__m512i rank = _mm512_mask_i32gather_epi32(
			_mm512_setzero_si512(), used, _mm512_srli_epi32(t, 6), r->rank, 4);
		__m256i low = bits_before8(r, _mm512_castsi512_si256(t), (__mmask8)used);
		__m256i high = bits_before8(r, _mm512_extracti64x4_epi64(t, 1), (__mmask8)(used >> 8));
		__m512i at = _mm512_add_epi32(
			rank, _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
		__mmask16 kept = _mm512_cmpge_epu32_mask(at, lost);
		__m512i to = _mm512_mask_mov_epi32(_mm512_set1_epi32(CT_TIME_FAR), kept,
		                                   _mm512_add_epi32(first, _mm512_sub_epi32(at, lost)));
		_mm512_mask_storeu_epi32(time + i, used, to);
	}
}

#include "locality/fast_kernel.h"

const struct ct_fast_kernel ct_fast_avx512 = {
	touch_batch, map_batch, count_batch, ops_batch, renumber, sms_batch, sms_renumber};

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
