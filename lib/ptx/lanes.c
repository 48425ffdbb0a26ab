/* Operations that go lane by lane. */
#include <string.h>

#include "base/bits.h"
#include "ptx/decode.h"
#include "ptx/exec.h"
#include "ptx/guard.h"
#include "ptx/real.h"

#define FOR_LANES(l, mask) \
	for (uint32_t left_ = (mask), l; left_ && (l = ct_low_bit(left_), 1); left_ &= left_ - 1)

/* Halves of a pair are two operations. */
static uint64_t pair(const struct ct_ptx_op *o, enum ct_ptx_type half, const uint64_t *x)
{
	uint64_t low[3], high[3];
	for (unsigned i = 0; i < 3; i++) {
		low[i] = x[i] & 0xffff;
		high[i] = x[i] >> 16 & 0xffff;
	}
	return ct_ptx_real_operation((enum ct_ptx_float_code)o->count, half, o->mode, low) |
	       ct_ptx_real_operation((enum ct_ptx_float_code)o->count, half, o->mode, high) << 16;
}

/* Floating-point operations that have no fast form, lane by lane, with the rounding that they name. */
void ct_ptx_exec_float_any(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	enum ct_ptx_type t = (enum ct_ptx_type)o->width;
	unsigned width = ct_ptx_type_bytes(t);
	void *d = ct_ptx_at(w, o->d);
	const void *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b), *c = ct_ptx_at(w, o->c);
	ct_ptx_real_round((enum ct_ptx_round)o->round);
	FOR_LANES(l, mask)
	{
		uint64_t x[3] = {ct_ptx_lane(a, l, width), ct_ptx_lane(b, l, width),
		                 ct_ptx_lane(c, l, width)},
			 r;
		if (t == CT_PTX_F16X2 || t == CT_PTX_BF16X2)
			r = pair(o, t == CT_PTX_F16X2 ? CT_PTX_F16 : CT_PTX_BF16, x);
		else
			r = ct_ptx_real_operation((enum ct_ptx_float_code)o->count, t, o->mode, x);
		ct_ptx_put_lane(d, l, width, r);
	}
	if (o->round != CT_PTX_RN)
		ct_ptx_real_nearest();
}

/* Comparisons of short floating-point types, lane by lane. With a NaN no relation holds but CT_PTX_NAN, not
 * even ne, before CT_PTX_TURNED turns the result around. */
void ct_ptx_exec_compare_any(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	enum ct_ptx_type t = (enum ct_ptx_type)o->width;
	unsigned width = ct_ptx_type_bytes(t);
	uint32_t bits = 0;
	FOR_LANES(l, mask)
	{
		uint64_t x = ct_ptx_lane(ct_ptx_at(w, o->a), l, width),
			 y = ct_ptx_lane(ct_ptx_at(w, o->b), l, width);
		if (o->mode & CT_PTX_FTZ) {
			x = ct_ptx_real_flush(t, x);
			y = ct_ptx_real_flush(t, y);
		}
		double a = ct_ptx_real_value(t, x), b = ct_ptx_real_value(t, y);
		int holds = o->count == CT_PTX_EQ   ? a == b
		            : o->count == CT_PTX_NE ? a < b || a > b
		            : o->count == CT_PTX_LT ? a < b
		            : o->count == CT_PTX_LE ? a <= b
		                                    : a != a || b != b;
		bits |= (uint32_t)holds << l;
	}
	ct_ptx_compared(w, o, bits, mask);
}

/* A value narrower than its register fills it: with its sign, or with zeros. */
static uint64_t fill(enum ct_ptx_type t, uint64_t bits)
{
	unsigned width = 8 * ct_ptx_type_bytes(t);
	if (width == 64)
		return bits;
	bits &= (UINT64_C(1) << width) - 1;
	return ct_ptx_is_signed(t) && bits >> (width - 1) ? bits | UINT64_MAX << width : bits;
}

/* Conversions that have no fast form, lane by lane; two results of half width may share a register. */
void ct_ptx_exec_cvt_any(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	enum ct_ptx_type to = (enum ct_ptx_type)o->width, from = (enum ct_ptx_type)o->count;
	int twice = to == CT_PTX_F16X2 || to == CT_PTX_BF16X2;
	enum ct_ptx_type half = to == CT_PTX_F16X2 ? CT_PTX_F16 : CT_PTX_BF16;
	FOR_LANES(l, mask)
	{
		uint64_t a = ct_ptx_lane(ct_ptx_at(w, o->a), l, (unsigned)o->imm), r;
		if (twice) {
			uint64_t b = ct_ptx_lane(ct_ptx_at(w, o->b), l, (unsigned)o->imm);
			r = ct_ptx_real_convert(half, from, o->mode, (enum ct_ptx_round)o->round, b) |
			    ct_ptx_real_convert(half, from, o->mode, (enum ct_ptx_round)o->round, a)
			            << 16;
		} else {
			r = fill(to,
			         ct_ptx_real_convert(to, from, o->mode, (enum ct_ptx_round)o->round, a));
		}
		ct_ptx_put_lane(ct_ptx_at(w, o->d), l, o->space, r);
	}
}

void ct_ptx_exec_testp(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	uint64_t exponent = o->width == CT_PTX_F32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
	uint64_t digits = o->width == CT_PTX_F32 ? 0x7fffff : UINT64_C(0xfffffffffffff);
	unsigned width = o->width == CT_PTX_F32 ? 4 : 8;
	uint32_t bits = 0;
	FOR_LANES(l, mask)
	{
		uint64_t x = ct_ptx_lane(ct_ptx_at(w, o->a), l, width), e = x & exponent, m = x & digits;
		int holds[] = {e != exponent,           e == exponent && m == 0, e != exponent || m == 0,
		               e == exponent && m != 0, e != 0 && e != exponent, e == 0 && m != 0};
		bits |= (uint32_t)holds[o->mode] << l;
	}
	ct_ptx_set_bits(w, o->p, bits, mask);
}

void ct_ptx_exec_slct(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	FOR_LANES(l, mask)
	{
		uint64_t c = ct_ptx_lane(ct_ptx_at(w, o->c), l, 4);
		if (o->mode & CT_PTX_FTZ)
			c = ct_ptx_real_flush(CT_PTX_F32, c);
		int first = o->count ? ct_ptx_real_value(CT_PTX_F32, c) >= 0 : !(c >> 31);
		ct_ptx_put_lane(ct_ptx_at(w, o->d), l, o->width,
		                ct_ptx_lane(ct_ptx_at(w, first ? o->a : o->b), l, o->width));
	}
}

/* Product of the low 24 bits: its low 32 bits or bits 16 to 47. */
static uint32_t product24(unsigned mode, uint32_t a, uint32_t b)
{
	int64_t x = a & 0xffffff, y = b & 0xffffff;
	if (mode & 1) {
		x -= x >> 23 ? 1 << 24 : 0;
		y -= y >> 23 ? 1 << 24 : 0;
	}
	uint64_t product = (uint64_t)(x * y);
	return (uint32_t)(mode & 2 ? product >> 16 : product);
}

void ct_ptx_exec_mul24(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b);
	ct_ptx_u32 *d = ct_ptx_at(w, o->d);
	FOR_LANES(l, mask)
	d[l] = product24(o->mode, a[l], b[l]);
}

void ct_ptx_exec_mad24(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b), *c = ct_ptx_at(w, o->c);
	ct_ptx_u32 *d = ct_ptx_at(w, o->d);
	FOR_LANES(l, mask)
	d[l] = product24(o->mode, a[l], b[l]) + c[l];
}

/* a + b + carry, of 32 or 64 bits; a subtraction is an addition of the complement with its carry turned. */
static void with_carry(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask, int minus)
{
	uint32_t in = ct_ptx_bits(w, o->s), out = 0;
	uint64_t full = o->width == 8 ? UINT64_MAX : UINT32_MAX;
	FOR_LANES(l, mask)
	{
		uint64_t a = ct_ptx_lane(ct_ptx_at(w, o->a), l, o->width),
			 b = ct_ptx_lane(ct_ptx_at(w, o->b), l, o->width);
		uint64_t carry = in >> l & 1, r;
		if (minus) {
			r = a - b - carry;
			out |= (uint32_t)(a < b || (a == b && carry)) << l;
		} else {
			r = (a + b + carry) & full;
			out |= (uint32_t)(r < a || (carry && r == a)) << l;
		}
		ct_ptx_put_lane(ct_ptx_at(w, o->d), l, o->width, r);
	}
	ct_ptx_set_bits(w, o->p, out, mask);
}

void ct_ptx_exec_add_carry(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	with_carry(w, o, mask, 0);
}

void ct_ptx_exec_sub_carry(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	with_carry(w, o, mask, 1);
}

void ct_ptx_exec_popc(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	FOR_LANES(l, mask)
	ct_ptx_put_lane(ct_ptx_at(w, o->d), l, 4, ct_bits(ct_ptx_lane(ct_ptx_at(w, o->a), l, o->width)));
}

void ct_ptx_exec_clz(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	FOR_LANES(l, mask)
	{
		uint64_t a = ct_ptx_lane(ct_ptx_at(w, o->a), l, o->width);
		ct_ptx_put_lane(ct_ptx_at(w, o->d), l, 4,
		                a ? 8u * o->width - 1 - ct_high_bit(a) : 8u * o->width);
	}
}

void ct_ptx_exec_bfind(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	FOR_LANES(l, mask)
	{
		unsigned top = 8u * o->width - 1;
		uint64_t a = ct_ptx_lane(ct_ptx_at(w, o->a), l, o->width);
		if (o->mode & 1 && a >> top & 1)
			a = ~a & (o->width == 8 ? UINT64_MAX : UINT32_MAX);
		uint32_t at = a ? ct_high_bit(a) : UINT32_MAX;
		ct_ptx_put_lane(ct_ptx_at(w, o->d), l, 4, a && o->mode & 2 ? top - at : at);
	}
}

void ct_ptx_exec_brev(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	FOR_LANES(l, mask)
	{
		uint64_t a = ct_ptx_lane(ct_ptx_at(w, o->a), l, o->width), r = 0;
		for (unsigned i = 0; i < 8u * o->width; i++)
			r |= (a >> i & 1) << (8u * o->width - 1 - i);
		ct_ptx_put_lane(ct_ptx_at(w, o->d), l, o->width, r);
	}
}

void ct_ptx_exec_bfe(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	unsigned top = 8u * o->width - 1;
	FOR_LANES(l, mask)
	{
		uint64_t a = ct_ptx_lane(ct_ptx_at(w, o->a), l, o->width), r = 0;
		unsigned at = ct_ptx_lane(ct_ptx_at(w, o->b), l, 4) & 255,
			 n = ct_ptx_lane(ct_ptx_at(w, o->c), l, 4) & 255;
		unsigned last = at + n - 1 < top ? at + n - 1 : top; /* n 0: no sign */
		int sign = o->mode & 1 && n && a >> last & 1;
		for (unsigned i = 0; i <= top; i++)
			r |= (uint64_t)(i < n && at + i <= top ? (int)(a >> (at + i) & 1) : sign) << i;
		ct_ptx_put_lane(ct_ptx_at(w, o->d), l, o->width, r);
	}
}

void ct_ptx_exec_bfi(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const void *length = ct_ptx_at(w, w->run->m->extra[o->extra]);
	unsigned top = 8u * o->width - 1;
	FOR_LANES(l, mask)
	{
		uint64_t a = ct_ptx_lane(ct_ptx_at(w, o->a), l, o->width),
			 r = ct_ptx_lane(ct_ptx_at(w, o->b), l, o->width);
		unsigned at = ct_ptx_lane(ct_ptx_at(w, o->c), l, 4) & 255,
			 n = ct_ptx_lane(length, l, 4) & 255;
		for (unsigned i = 0; i < n && at + i <= top; i++)
			r = (r & ~(UINT64_C(1) << (at + i))) | (a >> i & 1) << (at + i);
		ct_ptx_put_lane(ct_ptx_at(w, o->d), l, o->width, r);
	}
}

/* fns: place of the n-th set bit from `base` upwards (n positive) or downwards; -1 where there is none. */
static uint32_t nth_set(uint32_t bits, uint32_t base, int32_t n)
{
	if (base > 31)
		return UINT32_MAX;
	if (n == 0)
		return bits >> base & 1 ? base : UINT32_MAX;
	int64_t wanted = n > 0 ? n : -(int64_t)n, step = n > 0 ? 1 : -1;
	for (int64_t i = base; i >= 0 && i < 32; i += step)
		if (bits >> i & 1 && --wanted == 0)
			return (uint32_t)i;
	return UINT32_MAX;
}

void ct_ptx_exec_fns(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b), *c = ct_ptx_at(w, o->c);
	FOR_LANES(l, mask)
	((ct_ptx_u32 *)ct_ptx_at(w, o->d))[l] = nth_set(a[l], b[l], (int32_t)c[l]);
}

void ct_ptx_exec_bmsk(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b);
	FOR_LANES(l, mask)
	{
		uint32_t at = a[l], n = b[l];
		if (o->mode & 2)
			at &= 31, n &= 31;
		uint32_t bits = n >= 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
		((ct_ptx_u32 *)ct_ptx_at(w, o->d))[l] = at >= 32 ? 0 : bits << at;
	}
}

void ct_ptx_exec_szext(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b);
	FOR_LANES(l, mask)
	{
		uint32_t v = a[l], n = o->mode & 2 ? b[l] & 31 : b[l];
		if (n < 32) {
			uint32_t low = (UINT32_C(1) << n) - 1;
			v = o->mode & 1 && n && v >> (n - 1) & 1 ? v | ~low : v & low;
		}
		((ct_ptx_u32 *)ct_ptx_at(w, o->d))[l] = v;
	}
}

void ct_ptx_exec_lop3(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b), *c = ct_ptx_at(w, o->c);
	FOR_LANES(l, mask)
	{
		uint32_t r = 0;
		for (unsigned i = 0; i < 8; i++) /* row i of the truth table: bits of a, b, c */
			if (o->imm >> i & 1)
				r |= (i & 4 ? a[l] : ~a[l]) & (i & 2 ? b[l] : ~b[l]) &
				     (i & 1 ? c[l] : ~c[l]);
		((ct_ptx_u32 *)ct_ptx_at(w, o->d))[l] = r;
	}
}

/* Funnel shift of b:a by c. */
void ct_ptx_exec_shf(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b), *c = ct_ptx_at(w, o->c);
	FOR_LANES(l, mask)
	{
		uint64_t whole = (uint64_t)b[l] << 32 | a[l];
		unsigned n = o->mode & 2 ? c[l] & 31 : c[l] > 32 ? 32 : c[l];
		((ct_ptx_u32 *)ct_ptx_at(
			w, o->d))[l] = (uint32_t)(o->mode & 4 ? whole >> n : whole << n >> 32);
	}
}

/* Which bytes of b:a the modes of prmt choose, by the low bits of c. */
static uint32_t permute(unsigned mode, uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t r = 0, s = c & 3;
	for (unsigned i = 0; i < 4; i++) {
		unsigned from[] = {c >> 4 * i & 7, (i + s) & 7,   (s - i) & 7,          s,
		                   i < s ? s : i,  i < s ? i : s, (i & 1) + 2 * (s & 1)};
		uint32_t byte = (uint32_t)(bytes >> 8 * from[mode]) & 255;
		if (mode == 0 && c >> (4 * i + 3) & 1)
			byte = byte >> 7 ? 255 : 0;
		r |= byte << 8 * i;
	}
	return r;
}

void ct_ptx_exec_prmt(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b), *c = ct_ptx_at(w, o->c);
	FOR_LANES(l, mask)
	((ct_ptx_u32 *)ct_ptx_at(w, o->d))[l] = permute(o->mode, a[l], b[l], c[l]);
}

/* The nearest whole number of `bits` bits to that of a word. */
static uint32_t narrowed(uint32_t v, unsigned bits, int from_signed, int to_signed)
{
	const int64_t x = from_signed ? (int64_t)(int32_t)v : (int64_t)v;
	const int64_t most = ((int64_t)1 << (bits - (unsigned)to_signed)) - 1,
		      least = to_signed ? -most - 1 : 0;
	return (uint32_t)(x < least ? least : x > most ? most : x) & ((1u << bits) - 1);
}

/* b in the lowest bits and a behind it, and behind both what was in c. */
void ct_ptx_exec_cvt_pack(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b),
			 *c = o->width < 16 ? ct_ptx_at(w, o->c) : NULL;
	const int from_signed = o->mode & 1, to_signed = o->mode >> 1 & 1;
	FOR_LANES(l, mask)
	{
		uint32_t low = narrowed(b[l], o->width, from_signed, to_signed),
			 high = narrowed(a[l], o->width, from_signed, to_signed);
		((ct_ptx_u32 *)ct_ptx_at(w, o->d))[l] = low | high << o->width |
		                                        (c ? c[l] << 2 * o->width : 0);
	}
}

/* Part i of `bits` bits of a word, with its sign if it has one. */
static int64_t part(uint32_t v, unsigned i, unsigned bits, int sign)
{
	int64_t p = v >> bits * i & ((1u << bits) - 1);
	return sign && p >> (bits - 1) ? p - ((int64_t)1 << bits) : p;
}

void ct_ptx_exec_dp4a(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b), *c = ct_ptx_at(w, o->c);
	FOR_LANES(l, mask)
	{
		uint32_t sum = c[l];
		for (unsigned i = 0; i < 4; i++)
			sum += (uint32_t)(part(a[l], i, 8, o->mode & 1) * part(b[l], i, 8, o->mode & 2));
		((ct_ptx_u32 *)ct_ptx_at(w, o->d))[l] = sum;
	}
}

void ct_ptx_exec_dp2a(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const ct_ptx_u32 *a = ct_ptx_at(w, o->a), *b = ct_ptx_at(w, o->b), *c = ct_ptx_at(w, o->c);
	FOR_LANES(l, mask)
	{
		uint32_t sum = c[l];
		for (unsigned i = 0; i < 2; i++)
			sum += (uint32_t)(part(a[l], i, 16, o->mode & 1) *
			                  part(b[l], i + (o->mode & 4 ? 2 : 0), 8, o->mode & 2));
		((ct_ptx_u32 *)ct_ptx_at(w, o->d))[l] = sum;
	}
}

/* and, or, xor, not and mov of predicates. */
void ct_ptx_exec_pred(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	uint32_t a = ct_ptx_bits(w, o->s);
	uint32_t b = o->round == CT_PTX_JOIN_NONE || o->round == CT_PTX_JOIN_NOT
	                     ? 0
	                     : ct_ptx_bits(w, o->q);
	ct_ptx_set_bits(w, o->p,
	                o->round == CT_PTX_JOIN_AND   ? a & b
	                : o->round == CT_PTX_JOIN_OR  ? a | b
	                : o->round == CT_PTX_JOIN_XOR ? a ^ b
	                : o->round == CT_PTX_JOIN_NOT ? ~a
	                                              : a,
	                mask);
}

void ct_ptx_exec_pack(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const uint32_t *from = w->run->m->extra + o->extra;
	FOR_LANES(l, mask)
	{
		uint64_t r = 0;
		for (unsigned i = 0; i < o->count; i++)
			r |= ct_ptx_lane(ct_ptx_at(w, from[i]), l, o->width) << 8 * o->width * i;
		ct_ptx_put_lane(ct_ptx_at(w, o->d), l, o->width * o->count, r);
	}
}

void ct_ptx_exec_unpack(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	const uint32_t *to = w->run->m->extra + o->extra;
	FOR_LANES(l, mask)
	{
		uint64_t a = ct_ptx_lane(ct_ptx_at(w, o->a), l, o->width * o->count);
		for (unsigned i = 0; i < o->count; i++)
			ct_ptx_put_lane(ct_ptx_at(w, to[i]), l, o->width, a >> 8 * o->width * i);
	}
}

void ct_ptx_exec_local_address(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	FOR_LANES(l, mask)
	ct_ptx_put_lane(ct_ptx_at(w, o->d), l, o->width, w->local_base + (uint64_t)o->imm);
}

/* Time is the number of executed instructions: the same on every machine. */
void ct_ptx_exec_clock(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	if (w->run->guarded && ct_ptx_guard_refuse(w, o) < 0) /* it counts those of earlier CTAs */
		return;
	FOR_LANES(l, mask)
	ct_ptx_put_lane(ct_ptx_at(w, o->d), l, o->width, o->mode ? w->run->steps >> 32 : w->run->steps);
}

void ct_ptx_exec_active_mask(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	FOR_LANES(l, mask)
	((ct_ptx_u32 *)ct_ptx_at(w, o->d))[l] = mask;
}

void ct_ptx_exec_special_zero(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)
{
	FOR_LANES(l, mask)
	ct_ptx_put_lane(ct_ptx_at(w, o->d), l, o->width, 0);
}

#define ENTRY(n) ct_ptx_exec_##n,
ct_ptx_exec *const ct_ptx_lane_table[] = {CT_PTX_LANE_CODES(ENTRY) CT_PTX_WARP_CODES(ENTRY)};
#undef ENTRY
