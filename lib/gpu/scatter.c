/* Lanes all over memory: sorted by line first, so that what shares a line is side by side.
 *
 * 32 keys of 32 bits go through a sorting network, four at a time: columns, then merges that double
 * the sorted length (Batcher, AFIPS 1968). The keys look like positive floating-point numbers, which
 * order as integers do and have a minimum and a maximum in the baseline of the machine. */
#include "gpu/scatter.h"

#if defined(__SSE2__) && !defined(CT_NO_SIMD)

#include <emmintrin.h>

#include "base/bits.h"

enum { LANE_BITS = 5, LINE_BITS = 25, VECTORS = 8 };
#define NORMAL 0x00800000u /* the lowest that is no denormal number */

/* The higher of each pair goes to *a. */
static inline void order(__m128 *a, __m128 *b)
{
	__m128 high = _mm_max_ps(*a, *b);
	*b = _mm_min_ps(*a, *b);
	*a = high;
}

#define ORDER(i, j) order(&v[i], &v[j])

/* Sorts the four columns: 19 comparisons, the fewest for eight. */
static inline void sort_columns(__m128 *v)
{
	ORDER(0, 2); ORDER(1, 3); ORDER(4, 6); ORDER(5, 7);
	ORDER(0, 4); ORDER(1, 5); ORDER(2, 6); ORDER(3, 7);
	ORDER(0, 1); ORDER(2, 3); ORDER(4, 5); ORDER(6, 7);
	ORDER(2, 4); ORDER(3, 5);
	ORDER(1, 4); ORDER(3, 6);
	ORDER(1, 2); ORDER(3, 4); ORDER(5, 6);
}

static inline __m128 reversed(__m128 v)
{
	return _mm_shuffle_ps(v, v, _MM_SHUFFLE(0, 1, 2, 3));
}

/* Sorts two vectors of four that are bitonic each. */
static inline void finish(__m128 *a, __m128 *b)
{
	__m128 x = _mm_movelh_ps(*a, *b), y = _mm_movehl_ps(*b, *a); /* halves: a0 a1 b0 b1, a2 a3 b2 b3 */
	order(&x, &y);
	__m128 u = _mm_shuffle_ps(x, y, _MM_SHUFFLE(2, 0, 2, 0)); /* x0 x2 y0 y2 */
	__m128 w = _mm_shuffle_ps(x, y, _MM_SHUFFLE(3, 1, 3, 1)); /* x1 x3 y1 y3 */
	order(&u, &w);
	__m128 low = _mm_unpacklo_ps(u, w), high = _mm_unpackhi_ps(u, w); /* a0 a1 b0 b1, a2 a3 b2 b3 */
	*a = _mm_movelh_ps(low, high);
	*b = _mm_movehl_ps(high, low);
}

/* Turns two vectors round and changes their places. */
static inline void turn(__m128 *a, __m128 *b)
{
	__m128 t = reversed(*a);
	*a = reversed(*b);
	*b = t;
}

/* Two sorted runs of two vectors become one: the second the other way round is bitonic. */
static inline void merge_four(__m128 *v)
{
	turn(&v[2], &v[3]);
	ORDER(0, 2); ORDER(1, 3);
	ORDER(0, 1); ORDER(2, 3);
	finish(&v[0], &v[1]);
	finish(&v[2], &v[3]);
}

static inline void merge_eight(__m128 *v)
{
	turn(&v[4], &v[7]);
	turn(&v[5], &v[6]);
	ORDER(0, 4); ORDER(1, 5); ORDER(2, 6); ORDER(3, 7);
	ORDER(0, 2); ORDER(1, 3); ORDER(4, 6); ORDER(5, 7);
	ORDER(0, 1); ORDER(2, 3); ORDER(4, 5); ORDER(6, 7);
	finish(&v[0], &v[1]);
	finish(&v[2], &v[3]);
	finish(&v[4], &v[5]);
	finish(&v[6], &v[7]);
}

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
	uint64_t below = (inst->addr[0] >> line_bits) - (UINT64_C(1) << (LINE_BITS - 1)), all = 0, odd = 0;
	uint32_t zero = 0;
	for (unsigned i = 0; i < inst->naddr; i++) {
		uint64_t a = inst->addr[i], line = (a >> line_bits) - below;
		odd |= a;
		zero |= a == 0;
		all |= line;
		key[i] = (uint32_t)(line << LANE_BITS | i) + NORMAL;
	}
	for (unsigned i = inst->naddr; i < CT_WARP_LANES; i++)
		key[i] = NORMAL; /* nothing is lower */
	return !(odd & (width - 1)) && !zero && all >> LINE_BITS == 0;
}

/* Bit i: lane of address i. */
static void lanes_of(uint32_t mask, uint32_t lane[CT_WARP_LANES])
{
	for (unsigned i = 0; mask; i++, mask &= mask - 1)
		lane[i] = mask & (0 - mask);
}

unsigned ct_scatter(const struct ct_inst *inst, unsigned width, unsigned line_bits,
                    unsigned sector_bits, struct ct_line_request *out)
{
	uint32_t key[CT_WARP_LANES], lane[CT_WARP_LANES], last = 0;
	const uint64_t line_mask = ((uint64_t)1 << line_bits) - 1;
	const uint64_t bits = line_bits <= 7 ? ~UINT64_C(0) >> (64 - width) : 0;
	struct ct_line_request *r = out;
	unsigned n = 0;
	if (inst->naddr > CT_WARP_LANES || !make_keys(inst, width, line_bits, key))
		return 0;
	sort_descending(key);
	if (inst->mask != UINT32_MAX)
		lanes_of(inst->mask, lane);
	for (unsigned i = 0; i < inst->naddr; i++) {
		unsigned k = (key[i] - NORMAL) & (CT_WARP_LANES - 1);
		uint64_t a = inst->addr[k];
		unsigned offset = (unsigned)(a & line_mask), half = offset >> 6 & 1;
		uint32_t sector = UINT32_C(1) << (offset >> sector_bits);
		uint32_t bit = inst->mask == UINT32_MAX ? UINT32_C(1) << k : lane[k];
		uint64_t bytes = bits << (offset & 63);
		if (i && key[i] >> LANE_BITS == last) {
			r->sectors |= sector;
			r->lanes |= bit;
			r->bytes[half] |= bytes;
			continue;
		}
		last = key[i] >> LANE_BITS;
		r = &out[n++];
		r->line = a >> line_bits;
		r->sectors = sector;
		r->lanes = bit;
		r->bytes[half] = bytes;
		r->bytes[!half] = 0;
	}
	return n;
}

#else

unsigned ct_scatter(const struct ct_inst *inst, unsigned width, unsigned line_bits,
                    unsigned sector_bits, struct ct_line_request *out)
{
	(void)inst;
	(void)width;
	(void)line_bits;
	(void)sector_bits;
	(void)out;
	return 0;
}

#endif
