/* ctz_list.c - the differences of a list of addresses, from their planes into the store's form.
 *
 * A frame has as many of them as an instruction with scattered addresses has lanes, so that they
 * are most of what is decoded of such a trace. Those of up to four bytes each are decoded side by
 * side, and what is to be stored follows without looking at each; any other list, and any that
 * is near the end of a plane, goes number by number. */
#include "base/bits.h"
#include "trace/private/ctz.h"

#if defined(__SSE2__) && !defined(CT_NO_SIMD)
#include <emmintrin.h>
#endif

enum { LANES = CT_WARP_LANES };

/* n numbers in four planes, as ctz_get_planes() reads them one by one. */
static int get_deltas(struct ctz_in *plane, int64_t *delta, unsigned n)
{
	struct ctz_in a = plane[0], b = plane[1], c = plane[2], rest = plane[3];
	if ((size_t)(a.end - a.p) < n)
		return -1;
	for (unsigned i = 0; i < n; i++) {
		uint64_t v = *a.p++, byte;
		if (v & 0x80) {
			if (b.p == b.end)
				return -1;
			byte = *b.p++;
			v = (v & 0x7f) | (byte & 0x7f) << 7;
			if (byte & 0x80) {
				if (c.p == c.end)
					return -1;
				byte = *c.p++;
				v |= (byte & 0x7f) << 14;
			}
			for (unsigned shift = 21; byte & 0x80; shift += 7) {
				if (rest.p == rest.end || shift > 63)
					return -1;
				byte = *rest.p++;
				if (shift == 63 && byte > 1)
					return -1;
				v |= (byte & 0x7f) << shift;
			}
		}
		delta[i] = (int64_t)ctz_unzigzag(v);
	}
	plane[0] = a;
	plane[1] = b;
	plane[2] = c;
	plane[3] = rest;
	return 0;
}

static int get_one_by_one(struct ctz_in *plane, unsigned n, struct ctz_list *list)
{
	struct ct_pack_addr a;
	a.n = n + 1;
	if (get_deltas(plane, a.delta, n) != 0)
		return -1;
	list->packed_bytes = (uint16_t)ct_pack_deltas(&a, list->packed, &list->packed_runs);
	return 0;
}

#if defined(__SSE2__) && !defined(CT_NO_SIMD)

enum { PLANES = 4, ROOM = 2 * LANES };

/* The numbers of a list by their bytes. */
struct by_bytes {
	unsigned planes, plain; /* of the longest; of all as LEB128 */
	unsigned char
		byte[PLANES][ROOM]; /* byte[k][i]: of number i if it has one there, else anything */
};

static inline __m128i load(const void *p)
{
	return _mm_loadu_si128(p);
}

static inline void store(void *p, __m128i v)
{
	_mm_storeu_si128(p, v);
}

/* Puts those of the next bytes of a plane that belong to `wanted` numbers of n to their places: all
 * that follows a number without one moves up. */
static inline void spread(unsigned char out[ROOM], const unsigned char *p, uint32_t wanted, unsigned n)
{
	unsigned without = 0;
	memcpy(out, p, LANES);
	for (uint32_t left = ~wanted & ((UINT32_C(1) << n) - 1); left; left &= left - 1) {
		unsigned i = ct_low_bit(left) + 1;
		memcpy(out + i, p + i - ++without, LANES);
	}
}

/* 0 where a number is longer, or a plane has few bytes left. */
static inline int take_planes(struct ctz_in *plane, unsigned n, struct by_bytes *b)
{
	uint32_t wanted = (UINT32_C(1) << n) - 1;
	unsigned count[PLANES], k = 0;
	b->plain = 0;
	do {
		if (k == PLANES || plane[k].end - plane[k].p < ROOM)
			return 0;
		spread(b->byte[k], plane[k].p, wanted, n);
		b->plain += count[k] = ct_bits(wanted);
		uint32_t low = (uint32_t)_mm_movemask_epi8(load(b->byte[k]));
		uint32_t high = (uint32_t)_mm_movemask_epi8(load(b->byte[k] + 16));
		wanted &= low | high << 16; /* those with a byte in the next plane, too */
		k++;
	} while (wanted);
	b->planes = k;
	while (k-- > 0)
		plane[k].p += count[k];
	return 1;
}

/* Two bytes of seven bits each, of eight numbers; `half` picks those of the sixteen. */
static inline __m128i two_bytes(__m128i low, __m128i high, int half)
{
	const __m128i zero = _mm_setzero_si128(), bits = _mm_set1_epi8(0x7f);
	low = _mm_and_si128(low, bits);
	high = _mm_and_si128(high, bits);
	__m128i a = half ? _mm_unpackhi_epi8(low, zero) : _mm_unpacklo_epi8(low, zero);
	__m128i b = half ? _mm_unpackhi_epi8(zero, high) : _mm_unpacklo_epi8(zero, high);
	return _mm_or_si128(a, _mm_srli_epi16(b, 1));
}

/* The numbers, 0 behind the last; returns all their bits. */
static inline uint32_t join_planes(const struct by_bytes *b, unsigned n, uint32_t v[LANES])
{
	static const unsigned char edge[2 * LANES] = {
		255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
		255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
	const __m128i zero = _mm_setzero_si128();
	__m128i all = zero, byte[PLANES] = {zero, zero, zero, zero};
	uint32_t bits[4];
	for (unsigned i = 0; i < LANES; i += 16) {
		byte[0] = _mm_and_si128(load(b->byte[0] + i), load(edge + LANES - n + i));
		for (unsigned k = 1; k < b->planes; k++) /* only where the one before says so */
			byte[k] = _mm_and_si128(load(b->byte[k] + i), _mm_cmpgt_epi8(zero, byte[k - 1]));
		for (int half = 0; half < 2; half++) {
			__m128i low = two_bytes(byte[0], byte[1], half),
				high = two_bytes(byte[2], byte[3], half);
			for (int quarter = 0; quarter < 2; quarter++) {
				__m128i x = quarter ? _mm_unpackhi_epi16(low, zero)
				                    : _mm_unpacklo_epi16(low, zero);
				__m128i y = quarter ? _mm_unpackhi_epi16(high, zero)
				                    : _mm_unpacklo_epi16(high, zero);
				x = _mm_or_si128(x, _mm_slli_epi32(y, 14));
				all = _mm_or_si128(all, x);
				store(v + i + 8 * half + 4 * quarter, x);
			}
		}
	}
	store(bits, all);
	return bits[0] | bits[1] | bits[2] | bits[3];
}

/* Bit i: number i is not the one before. */
static inline uint32_t heads_of(const uint32_t v[LANES], unsigned n)
{
	uint32_t before[LANES], equal[2];
	before[0] = UINT32_MAX; /* none is */
	memcpy(before + 1, v, (LANES - 1) * sizeof *v);
	for (unsigned i = 0; i < 2; i++) {
		__m128i same[4];
		for (unsigned k = 0; k < 4; k++)
			same[k] = _mm_cmpeq_epi32(load(v + 16 * i + 4 * k),
			                          load(before + 16 * i + 4 * k));
		equal[i] = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(
			_mm_packs_epi32(same[0], same[1]), _mm_packs_epi32(same[2], same[3])));
	}
	return ~(equal[0] | equal[1] << 16) & ((UINT32_C(1) << n) - 1);
}

static unsigned char *put_runs(unsigned char *p, const uint32_t *v, unsigned n, uint32_t heads,
                               unsigned width)
{
	struct ct_pack_runs r = {0};
	for (; heads; r.n++) {
		unsigned i = ct_low_bit(heads);
		heads &= heads - 1;
		r.delta[r.n] = (int64_t)ctz_unzigzag(v[i]);
		r.length[r.n] = (uint8_t)((heads ? ct_low_bit(heads) : n) - i);
	}
	return ct_pack_runs(p, &r, width);
}

/* `width` bytes each, without the zigzag; p has room for all lanes. */
static inline unsigned char *put_fixed(unsigned char *p, const uint32_t v[LANES], unsigned n,
                                       unsigned width)
{
	__m128i d[LANES / 4];
	int32_t one[LANES];
	*p++ = (unsigned char)width;
	for (unsigned k = 0; k < LANES / 4; k++) {
		__m128i x = load(v + 4 * k), sign = _mm_and_si128(x, _mm_set1_epi32(1));
		d[k] = _mm_xor_si128(_mm_srli_epi32(x, 1), _mm_sub_epi32(_mm_setzero_si128(), sign));
		if (width <= 2 && k % 2)
			d[k / 2] = _mm_packs_epi32(d[k - 1], d[k]);
		else if (width == 3)
			store(one + 4 * k, d[k]);
	}
	for (unsigned k = 0; k < 2 && width == 1; k++)
		store(p + 16 * k, _mm_packs_epi16(d[2 * k], d[2 * k + 1]));
	for (unsigned k = 0; k < 4 && width == 2; k++)
		store(p + 16 * k, d[k]);
	for (unsigned i = 0; i < n && width == 3; i++)
		memcpy(p + 3 * i, &one[i], 4);
	for (unsigned k = 0; k < 8 && width == 4; k++)
		store(p + 16 * k, d[k]);
	return p + n * width;
}

/* The same choice of a form as ct_pack_deltas() makes. */
static unsigned put_list(struct ctz_list *list, const struct by_bytes *b, unsigned n)
{
	uint32_t v[LANES], all = join_planes(b, n, v), heads = heads_of(v, n);
	unsigned char *const out = list->packed, *p = out;
	unsigned width = ct_high_bit(all | 1) / 8 + 1;
	unsigned runs = ct_bits(heads);
	list->packed_runs = runs < n && ct_pack_runs_size(runs, width) <= b->plain;
	if (list->packed_runs)
		return (unsigned)(put_runs(out, v, n, heads, width) - out);
	if (n * width <= b->plain + b->plain / 4) {
		switch (width) {
		case 1: return (unsigned)(put_fixed(out, v, n, 1) - out);
		case 2: return (unsigned)(put_fixed(out, v, n, 2) - out);
		case 3: return (unsigned)(put_fixed(out, v, n, 3) - out);
		default: return (unsigned)(put_fixed(out, v, n, 4) - out);
		}
	}
	*p++ = 0;
	for (unsigned i = 0; i < n; i++)
		p = ct_pack_number(p, v[i]);
	return (unsigned)(p - out);
}

int ctz_list_get(struct ctz_in *plane, unsigned n, struct ctz_list *list)
{
	struct by_bytes b;
	if (n == 0 || !take_planes(plane, n, &b))
		return get_one_by_one(plane, n, list);
	list->packed_bytes = (uint16_t)put_list(list, &b, n);
	return 0;
}

#else

int ctz_list_get(struct ctz_in *plane, unsigned n, struct ctz_list *list)
{
	return get_one_by_one(plane, n, list);
}

#endif
