/* Lanes all over memory: sorted by line first, so that what shares a line is side by side.
 *
 * 32 keys of 32 bits go through a sorting network, four at a time: columns, then merges that double
 * the sorted length (Batcher, AFIPS 1968). The keys look like positive floating-point numbers, which
 * order as integers do and have a minimum and a maximum in the baseline of the machine. */
#include "gpu/scatter.h"

#if defined(__SSE2__) && !defined(CT_NO_SIMD)

#include <emmintrin.h>

#include "base/bits.h"
#include "base/hot.h"

enum { LANE_BITS = 5, LINE_BITS = 25, VECTORS = 8 };
#define NORMAL 0x00800000u /* the lowest that is no denormal number */

/* The higher of each pair goes to *a. */
static inline void order_pairs(__m128 *a, __m128 *b)
{
	__m128 high = _mm_max_ps(*a, *b);
	*b = _mm_min_ps(*a, *b);
	*a = high;
}

#define ORDER(i, j) order_pairs(&v[i], &v[j])

/* Sorts the four columns: 19 comparisons, the fewest for eight. */
static inline void sort_columns(__m128 *v)
{
	ORDER(0, 2);
	ORDER(1, 3);
	ORDER(4, 6);
	ORDER(5, 7);
	ORDER(0, 4);
	ORDER(1, 5);
	ORDER(2, 6);
	ORDER(3, 7);
	ORDER(0, 1);
	ORDER(2, 3);
	ORDER(4, 5);
	ORDER(6, 7);
	ORDER(2, 4);
	ORDER(3, 5);
	ORDER(1, 4);
	ORDER(3, 6);
	ORDER(1, 2);
	ORDER(3, 4);
	ORDER(5, 6);
}

static inline __m128 reversed_vector(__m128 v)
{
	return _mm_shuffle_ps(v, v, _MM_SHUFFLE(0, 1, 2, 3));
}

/* Sorts two vectors of four that are bitonic each. */
static inline void finish_runs(__m128 *a, __m128 *b)
{
	__m128 x = _mm_movelh_ps(*a, *b),
	       y = _mm_movehl_ps(*b, *a); /* halves: a0 a1 b0 b1, a2 a3 b2 b3 */
	order_pairs(&x, &y);
	__m128 u = _mm_shuffle_ps(x, y, _MM_SHUFFLE(2, 0, 2, 0)); /* x0 x2 y0 y2 */
	__m128 w = _mm_shuffle_ps(x, y, _MM_SHUFFLE(3, 1, 3, 1)); /* x1 x3 y1 y3 */
	order_pairs(&u, &w);
	__m128 low = _mm_unpacklo_ps(u, w), high = _mm_unpackhi_ps(u, w); /* a0 a1 b0 b1, a2 a3 b2 b3 */
	*a = _mm_movelh_ps(low, high);
	*b = _mm_movehl_ps(high, low);
}

/* Turns two vectors round and changes their places. */
static inline void turn(__m128 *a, __m128 *b)
{
	__m128 t = reversed_vector(*a);
	*a = reversed_vector(*b);
	*b = t;
}

/* Two sorted runs of two vectors become one: the second the other way round is bitonic. */
static inline void merge_four(__m128 *v)
{
	turn(&v[2], &v[3]);
	ORDER(0, 2);
	ORDER(1, 3);
	ORDER(0, 1);
	ORDER(2, 3);
	finish_runs(&v[0], &v[1]);
	finish_runs(&v[2], &v[3]);
}

/* Merges two sorted runs of four vectors into one of eight with a bitonic network (Batcher 1968). */
static inline void merge_eight(__m128 *v)
{
	turn(&v[4], &v[7]);
	turn(&v[5], &v[6]);
	ORDER(0, 4);
	ORDER(1, 5);
	ORDER(2, 6);
	ORDER(3, 7);
	ORDER(0, 2);
	ORDER(1, 3);
	ORDER(4, 6);
	ORDER(5, 7);
	ORDER(0, 1);
	ORDER(2, 3);
	ORDER(4, 5);
	ORDER(6, 7);
	finish_runs(&v[0], &v[1]);
	finish_runs(&v[2], &v[3]);
	finish_runs(&v[4], &v[5]);
	finish_runs(&v[6], &v[7]);
}

/* Sorts 32 keys, the largest first, in vectors: columns first, then transposed into runs that are merged. */
static void sort_descending(uint32_t key[CT_WARP_LANES])
{
	__m128 v[VECTORS], t[VECTORS];
	for (unsigned i = 0; i < VECTORS; i++)
		v[i] = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)(const void *)(key + 4 * i)));
	sort_columns(v);
	_MM_TRANSPOSE4_PS(v[0], v[1], v[2], v[3]);
	_MM_TRANSPOSE4_PS(v[4], v[5], v[6], v[7]);
	for (unsigned i = 0; i < 4; i++) { /* columns become runs of two vectors */
		t[2 * i] = v[i];
		t[2 * i + 1] = v[4 + i];
	}
	merge_four(t);
	merge_four(t + 4);
	merge_eight(t);
	for (unsigned i = 0; i < VECTORS; i++)
		_mm_storeu_si128((__m128i *)(void *)(key + 4 * i), _mm_castps_si128(t[i]));
}

/* Keys: line, counted from below that of the first lane, above the number of the address. */
static int make_keys(const struct ct_inst *inst, unsigned width, unsigned line_bits,
                     uint32_t key[CT_WARP_LANES])
{
	const uint64_t below = (inst->addr[0] >> line_bits) - (UINT64_C(1) << (LINE_BITS - 1));
	const __m128i shift = _mm_cvtsi32_si128((int)line_bits), from = _mm_set1_epi64x((int64_t)below);
	__m128i number = _mm_add_epi32(_mm_set_epi32(3, 2, 1, 0), _mm_set1_epi32(NORMAL));
	__m128i odds = _mm_setzero_si128(), alls = odds;
	uint64_t two[2], all = 0, odd = 0;
	unsigned i = 0;
	for (; i + 4 <= inst->naddr; i += 4) {
		__m128i a = _mm_loadu_si128((const __m128i *)(const void *)&inst->addr[i]);
		__m128i b = _mm_loadu_si128((const __m128i *)(const void *)&inst->addr[i + 2]);
		odds = _mm_or_si128(odds, _mm_or_si128(a, b));
		a = _mm_sub_epi64(_mm_srl_epi64(a, shift), from);
		b = _mm_sub_epi64(_mm_srl_epi64(b, shift), from);
		alls = _mm_or_si128(alls, _mm_or_si128(a, b));
		a = _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b),
		                                    _MM_SHUFFLE(2, 0, 2, 0))); /* the low halves */
		a = _mm_add_epi32(_mm_slli_epi32(a, LANE_BITS), number);
		_mm_storeu_si128((__m128i *)(void *)(key + i), a);
		number = _mm_add_epi32(number, _mm_set1_epi32(4));
	}
	for (; i < inst->naddr; i++) {
		uint64_t line = (inst->addr[i] >> line_bits) - below;
		odd |= inst->addr[i];
		all |= line;
		key[i] = (uint32_t)(line << LANE_BITS | i) + NORMAL;
	}
	for (; i < CT_WARP_LANES; i++)
		key[i] = NORMAL; /* nothing is lower */
	_mm_storeu_si128((__m128i *)(void *)two, odds);
	odd |= two[0] | two[1];
	_mm_storeu_si128((__m128i *)(void *)two, alls);
	all |= two[0] | two[1];
	return !(odd & (width - 1)) && all >> LINE_BITS == 0;
}

/* Bit i: lane of address i. */
static void lanes_of(uint32_t mask, uint32_t lane[CT_WARP_LANES])
{
	for (unsigned i = 0; mask; i++, mask &= mask - 1)
		lane[i] = mask & (0 - mask);
}

/* One request for each run of keys of one line. The shape of the cache is constant where it is called
 * for the usual one, and lane is NULL where all lanes take part. */
static CT_INLINE unsigned
join(const struct ct_inst *inst, const uint32_t key[CT_WARP_LANES], const uint32_t *lane, uint64_t bits,
     unsigned line_bits, unsigned sector_bits, struct ct_line_request *out)
{
	const uint64_t line_mask = ((uint64_t)1 << line_bits) - 1;
	struct ct_line_request *r = out - 1;
	uint32_t last = 0; /* no key is as low */
	for (unsigned i = 0; i < inst->naddr; i++) {
		unsigned k = key[i] & (CT_WARP_LANES - 1);
		uint64_t a = inst->addr[k];
		unsigned offset = (unsigned)(a & line_mask), half = offset >> 6 & 1;
		uint32_t sector = UINT32_C(1) << (offset >> sector_bits);
		uint32_t bit = lane ? lane[k] : UINT32_C(1) << k;
		uint64_t bytes = bits << (offset & 63);
		if ((key[i] ^ last) < CT_WARP_LANES) {
			r->sectors |= sector;
			r->lanes |= bit;
			r->bytes[half] |= bytes;
			continue;
		}
		last = key[i];
		r++;
		r->line = a >> line_bits;
		r->sectors = sector;
		r->lanes = bit;
		r->bytes[0] = r->bytes[1] = 0;
		r->bytes[half] = bytes;
	}
	return (unsigned)(r + 1 - out);
}

unsigned ct_scatter(const struct ct_inst *inst, unsigned width, unsigned line_bits, unsigned sector_bits,
                    struct ct_line_request *out)
{
	uint32_t key[CT_WARP_LANES], lane[CT_WARP_LANES];
	const uint64_t bits = line_bits <= 7 ? ~UINT64_C(0) >> (64 - width) : 0;
	int all = inst->mask == UINT32_MAX;
	unsigned n = inst->naddr;
	if (n == 0 || n > CT_WARP_LANES || !make_keys(inst, width, line_bits, key))
		return 0;
	sort_descending(key);
	if (inst->addr[key[n - 1] & (CT_WARP_LANES - 1)] >> line_bits == 0) /* one may be 0 */
		return 0;
	if (!all)
		lanes_of(inst->mask, lane);
	if (line_bits == 7 && sector_bits == 5)
		return all ? join(inst, key, NULL, bits, 7, 5, out)
		           : join(inst, key, lane, bits, 7, 5, out);
	return join(inst, key, all ? NULL : lane, bits, line_bits, sector_bits, out);
}

#else

unsigned ct_scatter(const struct ct_inst *inst, unsigned width, unsigned line_bits, unsigned sector_bits,
                    struct ct_line_request *out)
{
	(void)inst;
	(void)width;
	(void)line_bits;
	(void)sector_bits;
	(void)out;
	return 0;
}

#endif
