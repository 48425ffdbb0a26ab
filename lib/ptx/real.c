#include "ptx/real.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "ptx/decode.h"

/* What a compiler must not compute before the rounding is set goes through these. */
typedef volatile float kept_float;
typedef volatile double kept_double;

struct format {
	int digits, least;
}; /* of the significand; exponent of the least normal value */

static struct format format_of(enum ct_ptx_type t)
{
	return t == CT_PTX_F16 ? (struct format){11, -14} : (struct format){8, -126};
}

static float as_float(uint64_t bits)
{
	uint32_t u = (uint32_t)bits;
	float f;
	memcpy(&f, &u, sizeof f);
	return f;
}

static double as_double(uint64_t bits)
{
	double d;
	memcpy(&d, &bits, sizeof d);
	return d;
}

static uint64_t of_float(float f)
{
	uint32_t u;
	memcpy(&u, &f, sizeof u);
	return f != f ? CT_PTX_NAN_32 : u;
}

static uint64_t of_double(double d)
{
	uint64_t u;
	memcpy(&u, &d, sizeof u);
	return d != d ? CT_PTX_NAN_64 : u;
}

/* Of a normal number. */
static double power_of_two(int exponent)
{
	return as_double((uint64_t)(exponent + 1023) << 52);
}

uint64_t ct_ptx_real_bits(double v)
{
	return of_double(v);
}

double ct_ptx_real_value(enum ct_ptx_type t, uint64_t bits)
{
	if (t == CT_PTX_F64)
		return as_double(bits);
	if (t == CT_PTX_F32)
		return (double)as_float(bits);
	if (t == CT_PTX_BF16)
		return (double)as_float((bits & 0xffff) << 16);
	int exponent = (int)(bits >> 10 & 31), digits = (int)(bits & 1023);
	double v = exponent == 31 ? (digits ? (double)NAN : (double)INFINITY)
	           : exponent     ? (1024 + digits) * power_of_two(exponent - 25)
	                          : digits * power_of_two(-24);
	return bits >> 15 & 1 ? -v : v;
}

/* The exponent of a finite positive number; of a subnormal one less than that of any other. */
static int exponent_of(double v)
{
	uint64_t u;
	memcpy(&u, &v, sizeof u);
	return (int)(u >> 52) - 1023;
}

uint32_t ct_ptx_real_half(enum ct_ptx_type t, double v, enum ct_ptx_round round)
{
	struct format f = format_of(t);
	uint32_t sign = signbit(v) ? 0x8000 : 0, infinite = t == CT_PTX_F16 ? 0x7c00 : 0x7f80;
	if (v != v)
		return 0x7fff;
	v = fabs(v);
	if (isinf(v))
		return sign | infinite;
	if (v == 0)
		return sign;
	int exponent = exponent_of(v) < f.least ? f.least : exponent_of(v);
	/* The significand as an integer and what is left of it, both exact. */
	double scaled = v * power_of_two(f.digits - 1 - exponent);
	uint32_t whole = (uint32_t)scaled;
	double rest = scaled - whole;
	int away = round == CT_PTX_RM ? sign != 0 : round == CT_PTX_RP ? sign == 0 : 0;
	if (round == CT_PTX_RN)
		whole += rest > 0.5 || (rest == 0.5 && (whole & 1));
	else
		whole += away && rest > 0;
	/* Adding the integer to the exponent's field carries into it where it should. */
	uint32_t bits = whole + ((uint32_t)(exponent - f.least) << (f.digits - 1));
	if (bits >= infinite)
		bits = round == CT_PTX_RN || away ? infinite : infinite - 1;
	return sign | bits;
}

uint64_t ct_ptx_real_flush(enum ct_ptx_type t, uint64_t bits)
{
	uint64_t exponent = t == CT_PTX_F32   ? 0x7f800000
	                    : t == CT_PTX_F64 ? UINT64_C(0x7ff0000000000000)
	                    : t == CT_PTX_F16 ? 0x7c00
	                                      : 0x7f80;
	uint64_t sign = t == CT_PTX_F32 ? 0x80000000 : t == CT_PTX_F64 ? UINT64_C(1) << 63 : 0x8000;
	return bits & exponent ? bits : bits & sign;
}

void ct_ptx_real_round(enum ct_ptx_round round)
{
	static const int modes[CT_PTX_ROUNDS] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	if (round != CT_PTX_RN)
		fesetround(modes[round]);
}

void ct_ptx_real_nearest(void)
{
	fesetround(FE_TONEAREST);
}

/* The sum of two values rounded to odd: enough to round once more to a much shorter type. */
static double add_odd(double a, double b)
{
	kept_double s = a + b;
	kept_double part = s - a;
	double error = (a - (s - part)) + (b - part);
	uint64_t bits;
	double sum = s;
	memcpy(&bits, &sum, sizeof bits);
	if (error == 0 || isinf(sum) || sum != sum || bits & 1)
		return sum;
	/* One step towards the side where the exact sum lies, to an odd last digit. */
	bits += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
	return as_double(bits);
}

/* The lesser or greater as min and max choose it, on bits. */
static uint64_t choose(int most, enum ct_ptx_type t, unsigned mode, uint64_t x, uint64_t y)
{
	double a = ct_ptx_real_value(t, x), b = ct_ptx_real_value(t, y);
	unsigned width = 8 * ct_ptx_type_bytes(t);
	uint64_t sign = UINT64_C(1) << (width - 1),
		 nan = t == CT_PTX_F32   ? CT_PTX_NAN_32
	               : t == CT_PTX_F64 ? CT_PTX_NAN_64
	                                 : 0x7fff;
	if ((a != a && b != b) || (mode & CT_PTX_WITH_NAN && (a != a || b != b)))
		return nan;
	uint64_t turned = (x ^ y) & sign;
	if (mode & CT_PTX_XORSIGN) {
		a = fabs(a);
		b = fabs(b);
		x &= ~sign;
		y &= ~sign;
	}
	uint64_t r = a != a ? y : b != b ? x : a == b ? (most ? x & y : x | y) : (a < b) != most ? x : y;
	return mode & CT_PTX_XORSIGN ? (r & ~sign) | turned : r;
}

/* Functions that hardware approximates, from the C library in double precision. */
static double approximate(enum ct_ptx_float_code code, double a)
{
	switch (code) {
	case CT_PTX_FRSQRT: return 1 / sqrt(a);
	case CT_PTX_FSIN: return sin(a);
	case CT_PTX_FCOS: return cos(a);
	case CT_PTX_FLG2: return log2(a);
	case CT_PTX_FEX2: return exp2(a);
	case CT_PTX_FTANH: return tanh(a);
	default: return a;
	}
}

static uint64_t operation32(enum ct_ptx_float_code code, const uint64_t *x)
{
	kept_float a = as_float(x[0]), b = as_float(x[1]), c = as_float(x[2]), r;
	switch (code) {
	case CT_PTX_FADD: r = a + b; break;
	case CT_PTX_FSUB: r = a - b; break;
	case CT_PTX_FMUL: r = a * b; break;
	case CT_PTX_FFMA: r = fmaf(a, b, c); break;
	case CT_PTX_FDIV: r = a / b; break;
	case CT_PTX_FSQRT: r = sqrtf(a); break;
	case CT_PTX_FRCP: r = 1 / a; break;
	default: r = (float)approximate(code, (double)a); break;
	}
	return of_float(r);
}

/* An operation in double precision, in the rounding that is set. */
static uint64_t operation64(enum ct_ptx_float_code code, unsigned mode, const uint64_t *x)
{
	kept_double a = as_double(x[0]), b = as_double(x[1]), c = as_double(x[2]), r;
	switch (code) {
	case CT_PTX_FADD: r = a + b; break;
	case CT_PTX_FSUB: r = a - b; break;
	case CT_PTX_FMUL: r = a * b; break;
	case CT_PTX_FFMA: r = fma(a, b, c); break;
	case CT_PTX_FDIV: r = a / b; break;
	case CT_PTX_FSQRT: r = sqrt(a); break;
	case CT_PTX_FRCP: r = 1 / a; break;
	default: r = approximate(code, a); break;
	}
	/* The approximations of double precision fill the upper half only. */
	int half = mode & CT_PTX_APPROX && (code == CT_PTX_FRCP || code == CT_PTX_FRSQRT);
	uint64_t bits = of_double(r);
	return half ? bits & ~(uint64_t)UINT32_MAX : bits;
}

static uint64_t operation16(enum ct_ptx_float_code code, enum ct_ptx_type t, const uint64_t *x)
{
	double a = ct_ptx_real_value(t, x[0]), b = ct_ptx_real_value(t, x[1]),
	       c = ct_ptx_real_value(t, x[2]), r;
	switch (code) {
	case CT_PTX_FADD: r = add_odd(a, b); break;
	case CT_PTX_FSUB: r = add_odd(a, -b); break;
	case CT_PTX_FMUL:
		r = a * b; /* exact: twice 11 digits */
		break;
	case CT_PTX_FFMA: r = add_odd(a * b, c); break;
	default: r = approximate(code, a); break;
	}
	return ct_ptx_real_half(t, r, CT_PTX_RN);
}

static uint64_t saturate(enum ct_ptx_type t, unsigned mode, uint64_t bits)
{
	if (!(mode & (CT_PTX_RELU | CT_PTX_SAT)))
		return bits;
	double v = ct_ptx_real_value(t, bits);
	uint64_t one = t == CT_PTX_F32   ? 0x3f800000
	               : t == CT_PTX_F64 ? UINT64_C(0x3ff0000000000000)
	               : t == CT_PTX_F16 ? 0x3c00
	                                 : 0x3f80;
	if (mode & CT_PTX_RELU && (v < 0 || (v == 0 && signbit(v))))
		bits = 0;
	if (mode & CT_PTX_SAT)
		bits = v != v || v <= 0 ? 0 : v >= 1 ? one : bits;
	return bits;
}

uint64_t ct_ptx_real_operation(enum ct_ptx_float_code code, enum ct_ptx_type t, unsigned mode,
                               const uint64_t *x)
{
	uint64_t sign = UINT64_C(1) << (8 * ct_ptx_type_bytes(t) - 1), in[3], r;
	for (unsigned i = 0; i < 3; i++)
		in[i] = mode & CT_PTX_FTZ && t != CT_PTX_F64 ? ct_ptx_real_flush(t, x[i]) : x[i];
	switch (code) {
	case CT_PTX_FMIN:
	case CT_PTX_FMAX: r = choose(code == CT_PTX_FMAX, t, mode, in[0], in[1]); break;
	case CT_PTX_FABS: return in[0] & ~sign;
	case CT_PTX_FNEG: return in[0] ^ sign;
	case CT_PTX_FCOPYSIGN: /* copysign d, a, b: the sign of a, the magnitude of b */
		return (in[0] & sign) | (in[1] & ~sign);
	default:
		r = t == CT_PTX_F32   ? operation32(code, in)
		    : t == CT_PTX_F64 ? operation64(code, mode, in)
		                      : operation16(code, t, in);
		break;
	}
	r = saturate(t, mode, r);
	return mode & CT_PTX_FTZ && t != CT_PTX_F64 ? ct_ptx_real_flush(t, r) : r;
}

/* Rounds to an integral value. */
static double to_integral(double v, enum ct_ptx_round round)
{
	switch (round) {
	case CT_PTX_RZ: return trunc(v);
	case CT_PTX_RM: return floor(v);
	case CT_PTX_RP: return ceil(v);
	default: return rint(v); /* the host rounds to nearest */
	}
}

/* Least and greatest value of an integer type, as 64 bits. */
static void range_of(enum ct_ptx_type t, int64_t *least, uint64_t *most)
{
	unsigned width = 8 * ct_ptx_type_bytes(t);
	*least = ct_ptx_is_signed(t) ? (width == 64 ? INT64_MIN : -((int64_t)1 << (width - 1))) : 0;
	*most = (width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1) >> ct_ptx_is_signed(t);
}

/* A real value to an integer: out of range gives the nearest, NaN gives 0. */
static uint64_t real_to_integer(enum ct_ptx_type to, double v, enum ct_ptx_round round)
{
	int64_t least;
	uint64_t most;
	range_of(to, &least, &most);
	if (v != v)
		return 0;
	v = to_integral(v, round);
	if (v <= (double)least)
		return (uint64_t)least;
	if (v >= ldexp(1, (int)(8 * ct_ptx_type_bytes(to)) - ct_ptx_is_signed(to)))
		return most;
	return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v;
}

/* Converts an integer with one rounding. Half precision goes through a double, which is rounded to odd
 * first, so that the second rounding is exact. */
static uint64_t integer_to_real(enum ct_ptx_type to, int negative, uint64_t bits,
                                enum ct_ptx_round round)
{
	kept_float f;
	kept_double d;
	uint64_t r;
	if (to != CT_PTX_F32 && to != CT_PTX_F64) {
		uint64_t magnitude = negative ? 0 - bits : bits;
		if (magnitude >> 53) /* to odd, so that a double holds what the short type needs */
			magnitude = (magnitude & ~UINT64_C(0x7ff)) | (magnitude & 0x7ff ? 0x800 : 0);
		return ct_ptx_real_half(to, negative ? -(double)magnitude : (double)magnitude, round);
	}
	ct_ptx_real_round(round);
	if (to == CT_PTX_F32) {
		volatile uint64_t v = bits;
		f = negative ? (float)(int64_t)v : (float)v;
		r = of_float(f);
	} else {
		volatile uint64_t v = bits;
		d = negative ? (double)(int64_t)v : (double)v;
		r = of_double(d);
	}
	ct_ptx_real_nearest();
	return r;
}

static uint64_t real_to_real(enum ct_ptx_type to, double v, unsigned mode, enum ct_ptx_round round)
{
	if (mode & CT_PTX_INTEGRAL)
		v = to_integral(v, round);
	if (to == CT_PTX_F64)
		return of_double(v);
	if (to != CT_PTX_F32)
		return ct_ptx_real_half(to, v, mode & CT_PTX_INTEGRAL ? CT_PTX_RN : round);
	ct_ptx_real_round(mode & CT_PTX_INTEGRAL ? CT_PTX_RN : round);
	kept_double in = v;
	kept_float f = (float)in;
	ct_ptx_real_nearest();
	return of_float(f);
}

/* An integer to another type of integer; .sat keeps it in range. */
static uint64_t integer_to_integer(enum ct_ptx_type to, int negative, uint64_t bits, unsigned mode)
{
	int64_t least;
	uint64_t most;
	range_of(to, &least, &most);
	if (!(mode & CT_PTX_SAT))
		return bits;
	if (negative)
		return (int64_t)bits < least ? (uint64_t)least : bits;
	return bits > most ? most : bits;
}

uint64_t ct_ptx_real_convert(enum ct_ptx_type to, enum ct_ptx_type from, unsigned mode,
                             enum ct_ptx_round round, uint64_t bits)
{
	unsigned width = 8 * ct_ptx_type_bytes(from);
	uint64_t r;
	bits = width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
	if (!ct_ptx_is_float(from)) {
		int negative = ct_ptx_is_signed(from) && bits >> (width - 1) & 1;
		if (negative && width < 64)
			bits |= UINT64_MAX << width;
		if (!ct_ptx_is_float(to))
			return integer_to_integer(to, negative, bits, mode);
		r = integer_to_real(to, negative, bits, round);
	} else {
		if (mode & CT_PTX_FTZ && from == CT_PTX_F32)
			bits = ct_ptx_real_flush(from, bits);
		double v = ct_ptx_real_value(from, bits);
		if (!ct_ptx_is_float(to))
			return real_to_integer(to, v, round);
		r = real_to_real(to, v, mode, round);
	}
	r = saturate(to, mode, r);
	return mode & CT_PTX_FTZ && to == CT_PTX_F32 ? ct_ptx_real_flush(to, r) : r;
}
