/* What video instructions compute, lane by lane. */
#include <string.h>

#include "base/bits.h"
#include "ptx/exec.h"

_Static_assert(sizeof(struct ct_ptx_video) == sizeof(int64_t),
               "what a video instruction does fits where others have a constant");

/* Part number i of `bits` bits, with its sign if it has one. */
static int64_t part(uint64_t v, unsigned i, unsigned bits, int sign)
{
	int64_t p = (int64_t)(v >> bits * i & ((UINT64_C(1) << bits) - 1));
	return sign && p >> (bits - 1) ? p - (INT64_C(1) << bits) : p;
}

/* The nearest number of `bits` bits. */
static int64_t within(int64_t v, unsigned bits, int sign)
{
	int64_t least = sign ? -(INT64_C(1) << (bits - 1)) : 0,
		most = (INT64_C(1) << (bits - (sign ? 1 : 0))) - 1;
	return v < least ? least : v > most ? most : v;
}

static int64_t compare(unsigned relation, int64_t a, int64_t b)
{
	switch (relation) {
	case CT_PTX_IS_EQ: return a == b;
	case CT_PTX_IS_NE: return a != b;
	case CT_PTX_IS_LT: return a < b;
	case CT_PTX_IS_LE: return a <= b;
	case CT_PTX_IS_GT: return a > b;
	default: return a >= b;
	}
}

/* By up to 32 bits. What is shifted out of 64 bits is as far away from a word as matters. */
static int64_t shift_left(int64_t a, int64_t n)
{
	const int64_t far = INT64_C(1) << 62;
	if (n == 32)
		return a > 0 ? far : a < 0 ? -far : 0;
	return a * (INT64_C(1) << n);
}

/* All but the product, of numbers of at most 33 bits. Halves are rounded away from zero. */
static int64_t operate(enum ct_ptx_video_code code, const struct ct_ptx_video *v, int64_t a, int64_t b)
{
	int64_t sum = a + b, n = v->flags & CT_PTX_VIDEO_WRAP ? b & 31 : b > 32 || b < 0 ? 32 : b;
	switch (code) {
	case CT_PTX_VADD: return sum;
	case CT_PTX_VSUB: return a - b;
	case CT_PTX_VABSDIFF: return a < b ? b - a : a - b;
	case CT_PTX_VMIN: return a < b ? a : b;
	case CT_PTX_VMAX: return a > b ? a : b;
	case CT_PTX_VAVRG: return sum >= 0 ? (sum + 1) / 2 : (sum - 1) / 2;
	case CT_PTX_VSET: return compare(v->relation, a, b);
	case CT_PTX_VSHL: return shift_left(a, n);
	case CT_PTX_VSHR: return a < 0 ? ~(~a >> n) : a >> n;
	case CT_PTX_VMAD: break;
	}
	return 0;
}

/* a * b + c, and one more, shifted: it fits into 64 bits, with or without a sign. */
static uint32_t multiply(const struct ct_ptx_video *v, int64_t a, int64_t b, uint32_t c)
{
	int sign = (v->flags & (CT_PTX_VIDEO_SIGNED_A | CT_PTX_VIDEO_SIGNED_B)) != 0;
	uint64_t r = (uint64_t)a * (uint64_t)b + (sign ? (uint64_t)(int64_t)(int32_t)c : c) +
	             (v->flags & CT_PTX_VIDEO_PLUS_ONE ? 1 : 0);
	int negative = sign && r >> 63;
	r = negative ? ~(~r >> v->relation) : r >> v->relation;
	if (v->flags & CT_PTX_VIDEO_SAT) {
		if (!sign)
			return r > UINT32_MAX ? UINT32_MAX : (uint32_t)r;
		if (negative ? r < UINT64_C(0xffffffff80000000) : r > INT32_MAX)
			return negative ? UINT32_C(0x80000000) : INT32_MAX;
	}
	return (uint32_t)r;
}

/* The result with c: by the second operation, or as the part of it that is written. */
static uint32_t finish(const struct ct_ptx_video *v, uint32_t r, uint32_t c)
{
	const unsigned bits = 8 * (v->d & 7u), which = v->d >> 3;
	int sign = v->flags & CT_PTX_VIDEO_SIGNED_D, less = sign ? (int32_t)r < (int32_t)c : r < c;
	if (v->second == CT_PTX_SECOND_ADD)
		return r + c;
	if (v->second)
		return (v->second == CT_PTX_SECOND_MIN) == less ? r : c;
	if (bits == 32)
		return r;
	uint32_t mask = ((UINT32_C(1) << bits) - 1) << bits * which;
	return (c & ~mask) | (r << bits * which & mask);
}

#define FOR_LANES(l, mask) \
	for (uint32_t left_ = (mask), l; left_ && (l = ct_low_bit(left_), 1); left_ &= left_ - 1)

void ct_ptx_exec_video(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b), *c = ct_ptx_at(w, o->c);
	struct ct_ptx_video v;
	memcpy(&v, &o->imm, sizeof v);
	FOR_LANES(l, mask)
	{
		int64_t x = part(a[l], v.a >> 8, v.a & 255, v.flags & CT_PTX_VIDEO_SIGNED_A),
			y = part(b[l], v.b >> 8, v.b & 255, v.flags & CT_PTX_VIDEO_SIGNED_B);
		uint32_t r;
		if (o->count == CT_PTX_VMAD) {
			r = multiply(&v, x, y, c[l]);
		} else {
			int64_t all = operate((enum ct_ptx_video_code)o->count, &v, x, y);
			if (v.flags & CT_PTX_VIDEO_SAT)
				all = within(all, 8 * (v.d & 7u), v.flags & CT_PTX_VIDEO_SIGNED_D);
			r = finish(&v, (uint32_t)all, c[l]);
		}
		((ct_ptx_u32 *)ct_ptx_at(w, o->d))[l] = r;
	}
}

/* Two or four parts of a word. Their sum with c, or each in its place and those of c where it is not written. */
void ct_ptx_exec_video_parts(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b), *c = ct_ptx_at(w, o->c);
	const unsigned bits = o->width;
	struct ct_ptx_video v;
	memcpy(&v, &o->imm, sizeof v);
	FOR_LANES(l, mask)
	{
		const uint64_t both = (uint64_t)b[l] << 32 | a[l];
		uint32_t r = c[l];
		for (unsigned i = 0; i < 32 / bits; i++) {
			int64_t x = part(both, v.a >> 4 * i & 15, bits, v.flags & CT_PTX_VIDEO_SIGNED_A),
				y = part(both, v.b >> 4 * i & 15, bits, v.flags & CT_PTX_VIDEO_SIGNED_B),
				t = operate((enum ct_ptx_video_code)o->count, &v, x, y);
			uint32_t place = ((UINT32_C(1) << bits) - 1) << bits * i;
			if (!(v.d >> i & 1))
				continue;
			if (v.flags & CT_PTX_VIDEO_SAT)
				t = within(t, bits, v.flags & CT_PTX_VIDEO_SIGNED_D);
			r = v.second ? r + (uint32_t)t
			             : (r & ~place) | ((uint32_t)t << bits * i & place);
		}
		((ct_ptx_u32 *)ct_ptx_at(w, o->d))[l] = r;
	}
}
