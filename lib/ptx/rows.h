/* rows.h - operations on rows of 32 lanes, compiled once per instruction set. The including
 * file defines CT_PTX_ROWS, the name of the table, and CT_PTX_LOOK. Private. */

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "ptx/exec.h"

#define LANES CT_PTX_LANES
#if defined(__GNUC__) && !defined(__clang__)
#define EACH_LANE _Pragma("GCC ivdep") for (unsigned l = 0; l < LANES; l++)
#else
#define EACH_LANE for (unsigned l = 0; l < LANES; l++)
#endif
/* A result row is one of the operands' rows or lies apart from them, so that lanes are independent. */
#define ROW(T, ref) ((T *)ct_ptx_at(w, ref))
#define OPERATION(name) \
	static void x_##name(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask)

/* Computes `expr` of a (and b, c) in every lane; d keeps its value where the mask is not set. */
#define COMPUTE(D, get, expr) \
	D *d = ROW(D, o->d); \
	if (mask == CT_PTX_ALL_LANES) { \
		EACH_LANE \
		{ \
			get; \
			d[l] = (D)(expr); \
		} \
	} else { \
		EACH_LANE \
		{ \
			get; \
			D r = (D)(expr); \
			d[l] = mask >> l & 1 ? r : d[l]; \
		} \
	}
/* clang-format off */
#define UNARY(name, D, A, expr) \
	OPERATION(name) { const A *pa = ROW(const A, o->a); COMPUTE(D, A a = pa[l], expr) }
#define BINARY(name, D, A, B, expr) \
	OPERATION(name) { const A *pa = ROW(const A, o->a); const B *pb = ROW(const B, o->b); \
		COMPUTE(D, A a = pa[l]; B b = pb[l], expr) }
#define TERNARY(name, D, A, C, expr) \
	OPERATION(name) { const A *pa = ROW(const A, o->a); const A *pb = ROW(const A, o->b); \
		const C *pc = ROW(const C, o->c); COMPUTE(D, A a = pa[l]; A b = pb[l]; C c = pc[l], expr) }
#define COMPARE(name, A, expr) \
	OPERATION(name) { const A *pa = ROW(const A, o->a); const A *pb = ROW(const A, o->b); uint32_t bits = 0; \
		for (unsigned l = 0; l < LANES; l++) { A a = pa[l]; A b = pb[l]; bits |= (uint32_t)(expr) << l; } \
		ct_ptx_compared(w, o, bits, mask); }
/* clang-format on */

#define U16 ct_ptx_u16
#define U32 ct_ptx_u32
#define U64 ct_ptx_u64
#define S16 ct_ptx_s16
#define S32 ct_ptx_s32
#define S64 ct_ptx_s64
#define F32 ct_ptx_f32
#define F64 ct_ptx_f64

#define B3_UNARY(n, expr) \
	UNARY(n##_b16, U16, U16, expr) UNARY(n##_b32, U32, U32, expr) UNARY(n##_b64, U64, U64, expr)
/* Products of 16 bits would become signed: u makes operands unsigned and as wide as needed. */
#define B3_BINARY(n, expr) \
	BINARY(n##_b16, U16, U16, U16, expr) \
	BINARY(n##_b32, U32, U32, U32, expr) BINARY(n##_b64, U64, U64, U64, expr)

B3_UNARY(mov, a)
B3_UNARY(not, ~a)
B3_UNARY(neg, 0u - a)
B3_UNARY(cnot, a == 0)
B3_BINARY(add, a + b)
B3_BINARY(sub, a - b)
B3_BINARY(and, a &b)
B3_BINARY(or, a | b)
B3_BINARY(xor, a ^ b)
B3_BINARY(mul, 1u * a * b)
TERNARY(mad_b16, U16, U16, U16, 1u * a * b + c)
TERNARY(mad_b32, U32, U32, U32, a *b + c)
TERNARY(mad_b64, U64, U64, U64, a *b + c)
BINARY(shl_b16, U16, U16, U32, b < 16 ? (uint32_t)a << (b & 15) : 0)
BINARY(shl_b32, U32, U32, U32, b < 32 ? a << (b & 31) : 0)
BINARY(shl_b64, U64, U64, U32, b < 64 ? a << (b & 63) : 0)
BINARY(shr_u16, U16, U16, U32, b < 16 ? a >> (b & 15) : 0)
BINARY(shr_u32, U32, U32, U32, b < 32 ? a >> (b & 31) : 0)
BINARY(shr_u64, U64, U64, U32, b < 64 ? a >> (b & 63) : 0)
/* Shifts of negative values go towards minus infinity: by the complement, as C leaves it open. */
BINARY(shr_s16, S16, S16, U32, a < 0 ? ~(~a >> (b < 15 ? b : 15)) : a >> (b < 15 ? b : 15))
BINARY(shr_s32, S32, S32, U32, a < 0 ? ~(~a >> (b < 31 ? b : 31)) : a >> (b < 31 ? b : 31))
BINARY(shr_s64, S64, S64, U32, a < 0 ? ~(~a >> (b < 63 ? b : 63)) : a >> (b < 63 ? b : 63))

#define SAME6(kind, n, expr) \
	kind(n##_u16, U16, expr) kind(n##_u32, U32, expr) kind(n##_u64, U64, expr) \
		kind(n##_s16, S16, expr) kind(n##_s32, S32, expr) kind(n##_s64, S64, expr)
#define SAME_BINARY(n, T, expr) BINARY(n, T, T, T, expr)
SAME6(SAME_BINARY, min, a < b ? a : b)
SAME6(SAME_BINARY, max, a > b ? a : b)
SAME6(COMPARE, lt, a < b)
SAME6(COMPARE, le, a <= b)
COMPARE(eq_b16, U16, a == b)
COMPARE(eq_b32, U32, a == b)
COMPARE(eq_b64, U64, a == b)

/* Division by zero gives all ones, as hardware does; the least value by -1 gives itself. */
#define UNSIGNED_DIV(n, T) \
	BINARY(div_##n, T, T, T, b ? a / b : ~(T)0) BINARY(rem_##n, T, T, T, b ? a % b : a)
/* clang-format off */
#define SIGNED_DIV(n, T, U) \
	BINARY(div_##n, T, T, T, b == 0 ? (T)-1 : b == -1 ? (T)((U)0 - (U)a) : (T)(a / b)) \
	BINARY(rem_##n, T, T, T, b == 0 ? a : b == -1 ? (T)0 : (T)(a % b))
/* clang-format on */
UNSIGNED_DIV(u16, U16)
UNSIGNED_DIV(u32, U32)
UNSIGNED_DIV(u64, U64)
SIGNED_DIV(s16, S16, U16)
SIGNED_DIV(s32, S32, U32)
SIGNED_DIV(s64, S64, U64)

#define UNSIGNED_ABS(n, T) UNARY(abs_##n, T, T, a)
#define SIGNED_ABS(n, T, U) UNARY(abs_##n, U, T, a < 0 ? (U)0 - (U)a : (U)a)
UNSIGNED_ABS(u16, U16)
UNSIGNED_ABS(u32, U32)
UNSIGNED_ABS(u64, U64)
SIGNED_ABS(s16, S16, U16)
SIGNED_ABS(s32, S32, U32)
SIGNED_ABS(s64, S64, U64)
#define SAD(n, T, U) TERNARY(sad_##n, U, T, U, (U)(c + (a < b ? (U)b - (U)a : (U)a - (U)b)))
SAD(u16, U16, U16)
SAD(u32, U32, U32)
SAD(u64, U64, U64)
SAD(s16, S16, U16)
SAD(s32, S32, U32)
SAD(s64, S64, U64)

/* Upper half of a product of 64 bits, from products of 32. */
static inline uint64_t high_product(uint64_t a, uint64_t b)
{
	uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), m1 = (a >> 32) * (b & UINT32_MAX),
		 m2 = (a & UINT32_MAX) * (b >> 32);
	uint64_t carry = (low >> 32) + (m1 & UINT32_MAX) + (m2 & UINT32_MAX);
	return (a >> 32) * (b >> 32) + (m1 >> 32) + (m2 >> 32) + (carry >> 32);
}

static inline uint64_t high_signed(int64_t a, int64_t b)
{
	return high_product((uint64_t)a, (uint64_t)b) - (a < 0 ? (uint64_t)b : 0) -
	       (b < 0 ? (uint64_t)a : 0);
}

#define HIGH(n, T, U, high) \
	BINARY(mulhi_##n, U, T, T, high) TERNARY(madhi_##n, U, T, U, (U)((U)(high) + c))
HIGH(u16, U16, U16, (uint32_t)a *b >> 16)
HIGH(u32, U32, U32, (uint64_t)a *b >> 32)
HIGH(u64, U64, U64, high_product(a, b))
HIGH(s16, S16, U16, (uint32_t)((int32_t)a *b) >> 16)
HIGH(s32, S32, U32, (uint64_t)((int64_t)a *b) >> 32)
HIGH(s64, S64, U64, high_signed(a, b))
#define WIDE(n, T, W, product) \
	BINARY(mulwide_##n, W, T, T, product) TERNARY(madwide_##n, W, T, W, (W)(product) + c)
WIDE(u16, U16, U32, (uint32_t)a *b)
WIDE(u32, U32, U64, (uint64_t)a *b)
WIDE(s16, S16, U32, (uint32_t)((int32_t)a *b))
WIDE(s32, S32, U64, (uint64_t)((int64_t)a *b))

static inline int32_t clamp32(int64_t v)
{
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}
BINARY(add_sat, S32, S32, S32, clamp32((int64_t)a + b))
BINARY(sub_sat, S32, S32, S32, clamp32((int64_t)a - b))

/* selp: a where the predicate holds, else b. */
/* clang-format off */
#define SELECT(n, T) \
	OPERATION(sel_##n) { const T *pa = ROW(const T, o->a); const T *pb = ROW(const T, o->b); \
		uint32_t bits = ct_ptx_bits(w, o->s); COMPUTE(T, T a = pa[l]; T b = pb[l], bits >> l & 1 ? a : b) }
/* clang-format on */
SELECT(b16, U16)
SELECT(b32, U32)
SELECT(b64, U64)

/* Every NaN that arithmetic makes has the same bits, as on the device and on no two hosts. */
static inline uint32_t float_bits(float v)
{
	uint32_t u;
	memcpy(&u, &v, sizeof u);
	return v != v ? 0x7fffffffu : u;
}

static inline uint64_t double_bits(double v)
{
	uint64_t u;
	memcpy(&u, &v, sizeof u);
	return v != v ? UINT64_C(0xfff8000000000000) : u;
}

/* Subnormal numbers become zeros of their sign, where an instruction says ftz. */
static inline uint32_t flushed(uint32_t u)
{
	return u & 0x7f800000u ? u : u & 0x80000000u;
}

static inline float flush(float v)
{
	uint32_t u;
	memcpy(&u, &v, sizeof u);
	u = flushed(u);
	memcpy(&v, &u, sizeof v);
	return v;
}

#if defined(__GNUC__)
#define FMA32 __builtin_fmaf
#define FMA64 __builtin_fma
#define SQRT32 __builtin_sqrtf
#define SQRT64 __builtin_sqrt
#else
#define FMA32 fmaf
#define FMA64 fma
#define SQRT32 sqrtf
#define SQRT64 sqrt
#endif
/* clang-format off */
#define FTZ_UNARY(name, expr) \
	OPERATION(name) { const F32 *pa = ROW(const F32, o->a); COMPUTE(U32, F32 a = flush(pa[l]), flushed(expr)) }
#define FTZ_BINARY(name, expr) \
	OPERATION(name) { const F32 *pa = ROW(const F32, o->a); const F32 *pb = ROW(const F32, o->b); \
		COMPUTE(U32, F32 a = flush(pa[l]); F32 b = flush(pb[l]), flushed(expr)) }
#define FTZ_TERNARY(name, expr) \
	OPERATION(name) { const F32 *pa = ROW(const F32, o->a); const F32 *pb = ROW(const F32, o->b); \
		const F32 *pc = ROW(const F32, o->c); \
		COMPUTE(U32, F32 a = flush(pa[l]); F32 b = flush(pb[l]); F32 c = flush(pc[l]), flushed(expr)) }
/* clang-format on */
#define REAL_UNARY(n, f32, f64) \
	UNARY(n##_f32, U32, F32, float_bits(f32)) \
	UNARY(n##_f64, U64, F64, double_bits(f64)) FTZ_UNARY(n##_ftz, float_bits(f32))
#define REAL_BINARY(n, expr) \
	BINARY(n##_f32, U32, F32, F32, float_bits(expr)) \
	BINARY(n##_f64, U64, F64, F64, double_bits(expr)) FTZ_BINARY(n##_ftz, float_bits(expr))
REAL_BINARY(fadd, a + b)
REAL_BINARY(fsub, a - b)
REAL_BINARY(fmul, a *b)
REAL_BINARY(fdiv, a / b)
TERNARY(fma_f32, U32, F32, F32, float_bits(FMA32(a, b, c)))
TERNARY(fma_f64, U64, F64, F64, double_bits(FMA64(a, b, c)))
FTZ_TERNARY(fma_ftz, float_bits(FMA32(a, b, c)))
REAL_UNARY(fsqrt, SQRT32(a), SQRT64(a))
REAL_UNARY(frcp, 1 / a, 1 / a)
/* An approximation, of which that of double precision fills the upper half only. */
UNARY(frsqrt_f32, U32, F32, float_bits((float)(1 / SQRT64((double)a))))
UNARY(frsqrt_f64, U64, F64, double_bits(1 / SQRT64(a)) & ~(uint64_t)UINT32_MAX)
FTZ_UNARY(frsqrt_ftz, float_bits((float)(1 / SQRT64((double)a))))
UNARY(fabs_f32, U32, U32, a & 0x7fffffffu)
UNARY(fabs_f64, U64, U64, a &UINT64_C(0x7fffffffffffffff))
UNARY(fabs_ftz, U32, U32, flushed(a) & 0x7fffffffu)
UNARY(fneg_f32, U32, U32, a ^ 0x80000000u)
UNARY(fneg_f64, U64, U64, a ^ UINT64_C(0x8000000000000000))
UNARY(fneg_ftz, U32, U32, flushed(a) ^ 0x80000000u)

/* The lesser or greater of two; the other where one is NaN; -0 is less than +0. */
static inline uint32_t least32(float a, float b, int most)
{
	uint32_t x, y, both;
	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	both = most ? x & y : x | y; /* equal: they differ in the sign of zero at most */
	x = a != a ? 0x7fffffffu : x;
	y = b != b ? 0x7fffffffu : y;
	return a != a ? y : b != b ? x : a == b ? both : (a < b) != most ? x : y;
}

static inline uint64_t least64(double a, double b, int most)
{
	uint64_t x, y, both;
	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	both = most ? x & y : x | y;
	x = a != a ? UINT64_C(0xfff8000000000000) : x;
	y = b != b ? UINT64_C(0xfff8000000000000) : y;
	return a != a ? y : b != b ? x : a == b ? both : (a < b) != most ? x : y;
}
BINARY(fmin_f32, U32, F32, F32, least32(a, b, 0))
BINARY(fmax_f32, U32, F32, F32, least32(a, b, 1))
BINARY(fmin_f64, U64, F64, F64, least64(a, b, 0))
BINARY(fmax_f64, U64, F64, F64, least64(a, b, 1))
FTZ_BINARY(fmin_ftz, least32(a, b, 0))
FTZ_BINARY(fmax_ftz, least32(a, b, 1))
/* clang-format off */
#define FTZ_COMPARE(name, expr) \
	OPERATION(name) { const F32 *pa = ROW(const F32, o->a); const F32 *pb = ROW(const F32, o->b); uint32_t bits = 0; \
		for (unsigned l = 0; l < LANES; l++) { F32 a = flush(pa[l]); F32 b = flush(pb[l]); bits |= (uint32_t)(expr) << l; } \
		ct_ptx_compared(w, o, bits, mask); }
/* clang-format on */
#define REAL_COMPARE(n, expr) \
	COMPARE(n##_f32, F32, expr) COMPARE(n##_f64, F64, expr) FTZ_COMPARE(n##_ftz, expr)
REAL_COMPARE(feq, a == b)
REAL_COMPARE(fne, (a < b) | (a > b))
REAL_COMPARE(flt, a < b)
REAL_COMPARE(fle, a <= b)
REAL_COMPARE(fnan, (a != a) | (b != b))

/* The nearest number with 11 bits of significand; of two, the one that is farther from zero. */
static inline uint32_t tf32_bits(uint32_t u)
{
	return (u & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : (u + 0x1000u) & ~0x1fffu;
}

/* Extension and truncation; 8-bit sources lie in rows of 16 bits. */
#define EXTEND(s, R, T) \
	UNARY(cvt_##s##_16, U16, R, (T)a) \
	UNARY(cvt_##s##_32, U32, R, (T)a) UNARY(cvt_##s##_64, U64, R, (T)a)
EXTEND(u8, U16, uint8_t)
EXTEND(s8, U16, int8_t)
EXTEND(u16, U16, uint16_t)
EXTEND(s16, U16, int16_t)
EXTEND(u32, U32, uint32_t)
EXTEND(s32, U32, int32_t)
EXTEND(u64, U64, uint64_t)
EXTEND(s64, U64, int64_t)
UNARY(cvt_f32_tf32, U32, U32, tf32_bits(a))
UNARY(cvt_f32_f64, U64, F32, double_bits((double)a))
UNARY(cvt_f64_f32, U32, F64, float_bits((float)a))
UNARY(cvt_u32_f32, F32, U32, (float)a)
UNARY(cvt_s32_f32, F32, S32, (float)a)
UNARY(cvt_u64_f32, F32, U64, (float)a)
UNARY(cvt_s64_f32, F32, S64, (float)a)
UNARY(cvt_u32_f64, F64, U32, (double)a)
UNARY(cvt_s32_f64, F64, S32, (double)a)
UNARY(cvt_u64_f64, F64, U64, (double)a)
UNARY(cvt_s64_f64, F64, S64, (double)a)
/* Out of range: the nearest value; NaN: 0. What is converted is always in range. */
UNARY(cvt_f32_s32, S32, F32,
      a >= 2147483648.0f    ? INT32_MAX
      : a <= -2147483648.0f ? INT32_MIN
      : a != a              ? 0
                            : (int32_t)a)
UNARY(cvt_f64_s32, S32, F64,
      a >= 2147483647.0    ? INT32_MAX
      : a <= -2147483648.0 ? INT32_MIN
      : a != a             ? 0
                           : (int32_t)a)
UNARY(cvt_f32_u32, U32, F32, a >= 4294967296.0f ? UINT32_MAX : a > 0 ? (uint32_t)a : 0)
#if defined(__GNUC__)
#define NEAR32 __builtin_rintf
#define ZERO32 __builtin_truncf
#define DOWN32 __builtin_floorf
#define UP32 __builtin_ceilf
#else
#define NEAR32 rintf
#define ZERO32 truncf
#define DOWN32 floorf
#define UP32 ceilf
#endif
#define INTEGRAL(n, expr) \
	UNARY(cvt_f32_##n, U32, F32, float_bits(expr)) FTZ_UNARY(cvt_ftz_##n, float_bits(expr))
INTEGRAL(near, NEAR32(a))
INTEGRAL(zero, ZERO32(a))
INTEGRAL(down, DOWN32(a))
INTEGRAL(up, UP32(a))

/* Computes the addresses of an access (register plus constant) and looks at them once. A range has less
 * than 2^63 bytes, so that the sign of a difference tells on which side of an end an address lies. */
void CT_PTX_LOOK(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask, uint64_t first,
                 uint64_t limit, unsigned bytes, struct ct_ptx_look *look)
{
	uint64_t add = (uint64_t)o->imm + (o->mode & CT_PTX_IN_FRAME ? w->local_base : 0), outside = 0,
		 any = 0, step = 0, same = 0;
	uint64_t *address = w->address;
	if (o->mode & CT_PTX_ADDRESS_32) {
		const U32 *a = ROW(const U32, o->a);
		EACH_LANE
		{
			address[l] = a[l] + add;
		}
	} else {
		const U64 *a = ROW(const U64, o->a);
		EACH_LANE
		{
			address[l] = a[l] + add;
		}
	}
	if (mask == CT_PTX_ALL_LANES) {
		uint64_t start = address[0];
		unsigned shift = ct_low_bit(bytes);
		for (unsigned l = 0; l < LANES; l++) {
			uint64_t ahead = address[l] - start;
			same |= ahead;
			step |= ahead ^ (uint64_t)l << shift;
		}
		if (same && step) { /* apart in another way: each has to be looked at */
			for (unsigned l = 0; l < LANES; l++) {
				uint64_t in = address[l] - first;
				outside |= in | (limit - in);
				any |= address[l];
			}
		} else {
			uint64_t low = start - first, high = low;
			if (same)
				high += (uint64_t)(LANES - 1) << shift;
			outside = low | (limit - low) | high | (limit - high);
			any = start;
		}
	} else {
		same = step = 1;
		for (unsigned l = 0; l < LANES; l++) {
			uint64_t in = address[l] - first, here = 0 - (uint64_t)(mask >> l & 1);
			outside |= (in | (limit - in)) & here;
			any |= address[l] & here;
		}
	}
	*look = (struct ct_ptx_look){outside, any, step, same};
}

#define ENTRY(n) x_##n,
ct_ptx_exec *const CT_PTX_ROWS[] = {CT_PTX_ROW_CODES(ENTRY)};
#undef ENTRY
