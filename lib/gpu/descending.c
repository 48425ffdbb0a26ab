/* Lines of an instruction in descending order: the order in which they are sent. */
#include <string.h>
#if defined(__SSE2__) && !defined(CT_NO_SIMD)
#include <emmintrin.h>
#endif

#include "gpu/coalesce.h"

/* Scattered lanes: each request counts those that come before it, without a branch, since which of
 * two lines is higher is anybody's guess. */
static void rank_few(const struct ct_line_request *r, unsigned n, uint32_t *rank)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t mine = r[i].line;
		unsigned ahead = 0; /* it goes in front of so many of those before it */
		for (unsigned j = 0; j < i; j++) {
			unsigned lower = r[j].line < mine;
			rank[j] += lower;
			ahead += lower;
		}
		rank[i] = i - ahead;
	}
}

#if defined(__SSE2__) && !defined(CT_NO_SIMD)
/* The same for distinct lines that lie within 2^31 of each other: 1; else 0. */
static int rank_near(const struct ct_line_request *r, unsigned n, uint32_t *rank)
{
	int32_t key[CT_WARP_LANES];
	uint64_t low = r[0].line, sum = 0;
	unsigned groups = (n + 3) / 4;
	for (unsigned i = 1; i < n; i++)
		low = r[i].line < low ? r[i].line : low;
	for (unsigned i = 0; i < n; i++) {
		sum |= r[i].line - low;
		key[i] = (int32_t)(r[i].line - low);
	}
	if (sum >> 31)
		return 0;
	for (unsigned i = n; i < 4 * groups; i++)
		key[i] = -1;
	for (unsigned g = 0; g < groups; g++) {
		__m128i mine = _mm_loadu_si128((const __m128i *)(const void *)(key + 4 * g));
		__m128i count = _mm_setzero_si128();
		for (unsigned i = 0; i < n; i++)
			count = _mm_sub_epi32(count, _mm_cmpgt_epi32(_mm_set1_epi32(key[i]), mine));
		_mm_storeu_si128((__m128i *)(void *)(rank + 4 * g), count);
	}
	sum = 0;
	for (unsigned i = 0; i < n; i++)
		sum |= UINT64_C(1) << rank[i];
	return sum == (UINT64_C(1) << n) - 1;
}
#else
static int rank_near(const struct ct_line_request *r, unsigned n, uint32_t *rank)
{
	(void)r;
	(void)n;
	(void)rank;
	return 0;
}
#endif

static void sort_few(struct ct_line_request *r, unsigned n)
{
	struct ct_line_request copy[CT_WARP_LANES];
	uint32_t rank[CT_WARP_LANES];
	if (!rank_near(r, n, rank))
		rank_few(r, n, rank);
	memcpy(copy, r, n * sizeof *r);
	for (unsigned i = 0; i < n; i++)
		r[rank[i]] = copy[i];
}

void ct_lines_descending(struct ct_line_request *r, unsigned n)
{
	struct ct_line_request t;
	unsigned rising = 1;
	if (n < 2)
		return;
	for (unsigned i = 1; i < n && rising; i++)
		rising = r[i - 1].line < r[i].line;
	for (unsigned i = 0; rising && i < n / 2; i++) { /* the usual case */
		t = r[i];
		r[i] = r[n - 1 - i];
		r[n - 1 - i] = t;
	}
	if (!rising && n <= CT_WARP_LANES)
		sort_few(r, n);
	for (unsigned i = 1; !rising && n > CT_WARP_LANES && i < n; i++) {
		unsigned j = i;
		for (t = r[i]; j > 0 && r[j - 1].line < t.line; j--)
			r[j] = r[j - 1];
		r[j] = t;
	}
}
