#include "models/common/bdi.h"

#include <string.h>

#include "base/hot.h"

/* Little-endian segment of 2, 4 or 8 bytes: a constant once this and the following are inlined. */
static CT_INLINE uint64_t load_segment(const unsigned char *p, unsigned size)
{
	uint64_t v = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	memcpy(&v, p, size);
#else
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * i;
#endif
	return v;
}

/* Whether a difference of `size` bytes, modulo that size, fits in `bytes` signed ones:
 * adding half the range turns the test into one unsigned comparison. */
static CT_INLINE int difference_fits(uint64_t difference, unsigned size, unsigned bytes)
{
	uint64_t all = ~UINT64_C(0) >> (64 - 8 * size);
	uint64_t half = UINT64_C(1) << (8 * bytes - 1);
	return ((difference + half) & all) < 2 * half;
}

enum ct_bdi_level ct_bdi_level(const void *block, size_t n)
{
	const unsigned char *p = block;
	uint32_t base = (uint32_t)load_segment(p, 4), over8 = 0, over16 = 0;
	for (size_t i = 4; i < n; i += 4) {
		uint32_t d = (uint32_t)load_segment(p + i, 4) - base;
		over8 |= (d + 0x80u) & ~0xffu;
		over16 |= (d + 0x8000u) & ~0xffffu;
	}
	return over8 == 0 ? CT_BDI_HIGH : over16 == 0 ? CT_BDI_LOW : CT_BDI_NONE;
}

size_t ct_bdi_level_bytes(enum ct_bdi_level level, size_t n)
{
	return level == CT_BDI_HIGH ? n / 4 : level == CT_BDI_LOW ? n / 2 : n;
}

const char *ct_bdi_level_name(enum ct_bdi_level level)
{
	static const char *const names[CT_BDI_LEVELS] = {"high", "low", "none"};
	return names[level];
}

static const struct {
	const char *name;
	unsigned base, delta;
} codes[CT_BDI_CODES] = {
	{"zeros", 0, 0}, {"repeat", 8, 0}, {"b8d1", 8, 1}, {"b8d2", 8, 2}, {"b8d4", 8, 4},
	{"b4d1", 4, 1},  {"b4d2", 4, 2},   {"b2d1", 2, 1}, {"raw", 0, 0},
};

const char *ct_bdi_code_name(enum ct_bdi_code code)
{
	return codes[code].name;
}

/* Bit d is set when differences of d bytes from the first segment hold the block: the
 * bits that a difference has beyond d bytes, of all segments together, are none. */
static CT_INLINE unsigned widths_one_base(const unsigned char *p, size_t n, unsigned size)
{
	const uint64_t all = ~UINT64_C(0) >> (64 - 8 * size);
	const uint64_t out1 = all & ~UINT64_C(0xff), out2 = all & ~UINT64_C(0xffff);
	const uint64_t out4 = all & ~UINT64_C(0xffffffff);
	uint64_t base = load_segment(p, size), over1 = 0, over2 = 0, over4 = 0;
	for (size_t i = size; i < n; i += size) {
		uint64_t d = load_segment(p + i, size) - base;
		over1 |= (d + 0x80) & out1;
		if (size > 2)
			over2 |= (d + 0x8000) & out2;
		if (size > 4)
			over4 |= (d + 0x80000000) & out4;
		/* Noise is over after a few segments. */
		if (over1 && (size == 2 || over2) && (size <= 4 || over4))
			return 0;
	}
	return (unsigned)!over1 << 1 | (unsigned)!over2 << 2 | (unsigned)!over4 << 4;
}

/* The same with zero as a second base: each width has a first segment of its own that
 * is not near zero. */
static CT_INLINE unsigned widths_two_bases(const unsigned char *p, size_t n, unsigned size)
{
	uint64_t base[5] = {0};
	unsigned have = 0, candidates = 1u << 1 | 1u << 2 | 1u << 4;
	for (size_t i = 0; i < n && candidates; i += size) {
		uint64_t v = load_segment(p + i, size);
		for (unsigned d = 1; d <= 4 && d < size; d *= 2) {
			if (!(candidates & 1u << d) || difference_fits(v, size, d))
				continue;
			if (!(have & 1u << d)) {
				base[d] = v;
				have |= 1u << d;
			} else if (!difference_fits(v - base[d], size, d)) {
				candidates &= ~(1u << d);
			}
		}
	}
	return candidates;
}

static CT_INLINE unsigned widths_that_fit(const unsigned char *p, size_t n, unsigned size, int zero_base)
{
	return zero_base ? widths_two_bases(p, n, size) : widths_one_base(p, n, size);
}

uint32_t ct_bdi_fits(const void *block, size_t n, int zero_base)
{
	const unsigned char *p = block;
	uint32_t out = 1u << CT_BDI_RAW;
	uint64_t first = load_segment(p, 8), other = 0;
	for (size_t i = 8; i < n; i += 8)
		other |= load_segment(p + i, 8) ^ first;
	if (!other)
		out |= 1u << CT_BDI_REPEAT | (first ? 0 : 1u << CT_BDI_ZEROS);
	unsigned w8 = widths_that_fit(p, n, 8, zero_base);
	unsigned w4 = widths_that_fit(p, n, 4, zero_base);
	unsigned w2 = widths_that_fit(p, n, 2, zero_base);
	for (unsigned c = CT_BDI_B8D1; c <= CT_BDI_B2D1; c++) {
		unsigned w = codes[c].base == 8 ? w8 : codes[c].base == 4 ? w4 : w2;
		out |= (w >> codes[c].delta & 1) << c;
	}
	return out;
}

size_t ct_bdi_bytes(enum ct_bdi_code code, size_t n, int zero_base)
{
	if (code == CT_BDI_ZEROS)
		return 1;
	if (code == CT_BDI_REPEAT)
		return 8;
	if (code == CT_BDI_RAW)
		return n;
	size_t segments = n / codes[code].base;
	return codes[code].base + segments * codes[code].delta + (zero_base ? (segments + 7) / 8 : 0);
}

enum ct_bdi_code ct_bdi_best(const void *block, size_t n, int zero_base)
{
	uint32_t can = ct_bdi_fits(block, n, zero_base);
	enum ct_bdi_code best = CT_BDI_RAW;
	size_t bytes = n;
	for (unsigned c = 0; c < CT_BDI_RAW; c++) {
		size_t b = ct_bdi_bytes((enum ct_bdi_code)c, n, zero_base);
		if (can >> c & 1 && b < bytes) {
			best = (enum ct_bdi_code)c;
			bytes = b;
		}
	}
	return best;
}

void ct_bdi_count(struct ct_bdi_counts *c, const void *block, size_t n, int zero_base)
{
	enum ct_bdi_level level = ct_bdi_level(block, n);
	enum ct_bdi_code code = ct_bdi_best(block, n, zero_base);
	c->blocks++;
	c->bytes += n;
	c->level[level]++;
	c->level_bytes += ct_bdi_level_bytes(level, n);
	c->code[code]++;
	c->code_bytes += ct_bdi_bytes(code, n, zero_base);
}
