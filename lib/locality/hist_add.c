/* Adding many distances at once. Their bins come from the exponent and the first four
 * bits of the mantissa of the distance as a floating-point number, eight or four at a
 * time; only the increments are left one by one. */
#include "locality/hist.h"
#include "locality/isa.h"

enum {
	BLOCK = 64,
	MANY = 4096,    /* from here on side tables are worth their merging */
	MOST = 1 << 20, /* keeps their counters within 32 bits */
	SIDES = 4
};

/* The sign, the exponent and four bits of the mantissa of a double, for 256 = 2^8. */
#define OF_256 ((1023 + 8) << 4)

/* Bins of n <= BLOCK distances; CT_COLD falls into the last one. Without branches, which
 * distances make hard to predict. */
static void bins_portable(const uint64_t *distance, size_t n, uint32_t *bin)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t d = distance[i];
		unsigned octave = ct_high_bit(d | CT_HIST_EXACT);
		unsigned far = CT_HIST_EXACT + (octave - 8) * CT_HIST_PER_OCTAVE +
		               (unsigned)(d >> (octave - 4) & 15);
		bin[i] = d < CT_HIST_EXACT ? (unsigned)d : far;
	}
}

#if CT_X86

__attribute__((target("avx2"))) static void bins_avx2(const uint64_t *distance, size_t n, uint32_t *bin)
{
	/* Below 2^52 a number is the mantissa of 2^52 more than itself. */
	const __m256i magic = _mm256_castpd_si256(_mm256_set1_pd(0x1p52));
	const __m256i exact = _mm256_set1_epi64x(CT_HIST_EXACT);
	const __m256i shift = _mm256_set1_epi64x(OF_256 - CT_HIST_EXACT);
	const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
	size_t i = 0;
	for (; i + 4 <= n; i += 4) {
		__m256i d = _mm256_loadu_si256((const __m256i *)(const void *)(distance + i));
		__m256i high = _mm256_srli_epi64(d, 52);
		if (!_mm256_testz_si256(high, high)) {
			bins_portable(distance + i, 4, bin + i);
			continue;
		}
		__m256d f = _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(d, magic)),
		                          _mm256_castsi256_pd(magic));
		__m256i far = _mm256_sub_epi64(_mm256_srli_epi64(_mm256_castpd_si256(f), 48), shift);
		__m256i b = _mm256_blendv_epi8(far, d, _mm256_cmpgt_epi64(exact, d));
		b = _mm256_permutevar8x32_epi32(b, even);
		_mm_storeu_si128((__m128i *)(void *)(bin + i), _mm256_castsi256_si128(b));
	}
	bins_portable(distance + i, n - i, bin + i);
}

__attribute__((target("avx512f,avx512dq"))) static void
bins_avx512(const uint64_t *distance, size_t n, uint32_t *bin)
{
	const __m512i exact = _mm512_set1_epi64(CT_HIST_EXACT);
	const __m512i shift = _mm512_set1_epi64(OF_256 - CT_HIST_EXACT);
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		__m512i d = _mm512_loadu_si512(distance + i);
		__m512d f = _mm512_cvt_roundepu64_pd(d, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
		__m512i far = _mm512_sub_epi64(_mm512_srli_epi64(_mm512_castpd_si512(f), 48), shift);
		__m512i b = _mm512_mask_mov_epi64(far, _mm512_cmplt_epu64_mask(d, exact), d);
		_mm256_storeu_si256((__m256i *)(void *)(bin + i), _mm512_cvtepi64_epi32(b));
	}
	bins_portable(distance + i, n - i, bin + i);
}

#endif

typedef void bins_of(const uint64_t *distance, size_t n, uint32_t *bin);

static void add_few(struct ct_hist *h, const uint64_t *distance, size_t n, bins_of *bins)
{
	uint32_t bin[BLOCK];
	for (size_t i = 0, m; i < n; i += m) {
		m = n - i < BLOCK ? n - i : BLOCK;
		bins(distance + i, m, bin);
		for (size_t k = 0; k < m; k++)
			h->count[bin[k]]++;
	}
}

/* Neighbours go to different tables: where they fall into the same bin, as in a scan, an
 * increment would wait for the one before. Returns how many were added. */
static size_t add_many(struct ct_hist *h, const uint64_t *distance, size_t n, bins_of *bins)
{
	uint32_t side[SIDES][CT_HIST_BINS] = {{0}}, bin[BLOCK];
	size_t i = 0;
	n = n < MOST ? n : MOST;
	for (; i + BLOCK <= n; i += BLOCK) {
		bins(distance + i, BLOCK, bin);
		for (size_t k = 0; k < BLOCK; k += SIDES)
			for (size_t j = 0; j < SIDES; j++)
				side[j][bin[k + j]]++;
	}
	for (size_t k = 0; k < CT_HIST_BINS; k++)
		h->count[k] += (uint64_t)side[0][k] + side[1][k] + side[2][k] + side[3][k];
	return i;
}

void ct_hist_add_all_on(struct ct_hist *h, const uint64_t *distance, size_t n, int isa)
{
	bins_of *bins = bins_portable;
#if CT_X86
	isa = (int)ct_isa_resolve((enum ct_isa)isa);
	bins = isa == CT_ISA_AVX512 ? bins_avx512 : isa == CT_ISA_AVX2 ? bins_avx2 : bins;
#else
	(void)isa;
#endif
	/* What falls into the last bin is CT_COLD: no stack is so deep. */
	uint64_t *last = &h->count[CT_HIST_BINS - 1], before = *last;
	*last = 0;
	while (n >= MANY) {
		size_t m = add_many(h, distance, n, bins);
		distance += m;
		n -= m;
	}
	add_few(h, distance, n, bins);
	h->cold += *last;
	*last = before;
}

void ct_hist_add_all(struct ct_hist *h, const uint64_t *distance, size_t n)
{
	ct_hist_add_all_on(h, distance, n, CT_ISA_BEST);
}
