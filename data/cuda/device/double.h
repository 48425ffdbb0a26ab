/* device/double.h - mathematics in double precision, made as device/single.h is. */
#ifndef CT_CUDA_DEVICE_DOUBLE_H
#define CT_CUDA_DEVICE_DOUBLE_H

#pragma GCC system_header

#include "single.h"

#define CT_CUDA_INF __builtin_inf()
#define CT_CUDA_NAN __builtin_nan("")

CT_DEVICE double sqrt(double x)
{
	return __dsqrt_rn(x);
}

/* Whatever the text says: a board's NaN has no number in it. */
CT_DEVICE double nan(const char *)
{
	return CT_CUDA_NAN;
}

CT_DEVICE float nanf(const char *)
{
	return __builtin_nanf("");
}

CT_DEVICE double rsqrt(double x)
{
	return x == CT_CUDA_INF ? 0.0 : __drcp_rn(__dsqrt_rn(x));
}

CT_DEVICE double fabs(double x)
{
	return __builtin_fabs(x);
}

CT_DEVICE double copysign(double x, double sign)
{
	return __builtin_copysign(x, sign);
}

CT_DEVICE double fma(double x, double y, double z)
{
	return __builtin_fma(x, y, z);
}

CT_DEVICE double fmin(double x, double y)
{
	return __builtin_fmin(x, y);
}

CT_DEVICE double fmax(double x, double y)
{
	return __builtin_fmax(x, y);
}

CT_DEVICE double fdim(double x, double y)
{
	return x > y ? x - y : x != x || y != y ? x + y : 0.0;
}

CT_DEVICE double floor(double x)
{
	return __builtin_floor(x);
}

CT_DEVICE double ceil(double x)
{
	return __builtin_ceil(x);
}

CT_DEVICE double trunc(double x)
{
	return __builtin_trunc(x);
}

CT_DEVICE double rint(double x)
{
	double r;
	__asm__("cvt.rni.f64.f64 %0, %1;" : "=d"(r) : "d"(x));
	return r;
}

CT_DEVICE double nearbyint(double x)
{
	return rint(x);
}

CT_DEVICE double round(double x)
{
	double t = trunc(x);
	return copysign(fabs(x - t) >= 0.5 ? t + copysign(1.0, x) : t, x);
}

CT_DEVICE long lrint(double x)
{
	return __double2ll_rn(x);
}

CT_DEVICE long long llrint(double x)
{
	return __double2ll_rn(x);
}

CT_DEVICE long lround(double x)
{
	return __double2ll_rz(round(x));
}

CT_DEVICE long long llround(double x)
{
	return __double2ll_rz(round(x));
}

/* 2 to the n, -1074 <= n <= 1023. */
CT_DEVICE double ct_cuda_power_of_2(int n)
{
	return __longlong_as_double(n < -1022 ? 1ll << (n + 1074) : (long long)(n + 1023) << 52);
}

/* x times 2 to the n, rounded once: all steps but the last are exact. */
CT_DEVICE double ldexp(double x, int n)
{
	n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
	for (; n > 1000; n -= 1000)
		x *= ct_cuda_power_of_2(1000);
	for (; n < -1000 && fabs(x) >= 1e-6; n += 1000)
		x *= ct_cuda_power_of_2(-1000);
	return x * ct_cuda_power_of_2(n < -1074 ? -1074 : n);
}

CT_DEVICE double scalbn(double x, int n)
{
	return ldexp(x, n);
}

CT_DEVICE double scalbln(double x, long n)
{
	return ldexp(x, n > 10000 ? 10000 : n < -10000 ? -10000 : (int)n);
}

/* The exponent of a positive, finite number. */
CT_DEVICE int ct_cuda_exponent(double x)
{
	long long bits = __double_as_longlong(x);
	return bits < 0x0010000000000000ll ? -1011 - __clzll(bits) : (int)(bits >> 52) - 1023;
}

CT_DEVICE double frexp(double x, int *exponent)
{
	double a = fabs(x);
	*exponent = 0;
	if (!(a < CT_CUDA_INF) || a == 0)
		return x + x;
	*exponent = ct_cuda_exponent(a) + 1;
	return ldexp(x, -*exponent);
}

CT_DEVICE int ilogb(double x)
{
	double a = fabs(x);
	return a == 0 ? -2147483647 - 1 : a < CT_CUDA_INF ? ct_cuda_exponent(a) : a > 0 ? 2147483647 : -2147483647 - 1;
}

CT_DEVICE double logb(double x)
{
	double a = fabs(x);
	return a == 0 ? -CT_CUDA_INF : a < CT_CUDA_INF ? (double)ct_cuda_exponent(a) : a;
}

CT_DEVICE double modf(double x, double *whole)
{
	double t = trunc(x);
	*whole = t;
	return copysign(fabs(x) == CT_CUDA_INF ? 0.0 : x - t, x);
}

/* ---- exponentials ---- */

/* e to (r + low), times 2 to the `whole` in two steps so that the last alone rounds: |r| <= ln(2) / 2. */
CT_DEVICE double ct_cuda_exp_parts(double whole, double x, double rest)
{
	double r = x + rest, low = rest - (r - x);
	double p = ct_cuda_poly(r, 0.5, 0.1666666666666667, 0.04166666666666667,
			0.008333333333325973, 0.0013888888888883633, 0.0001984126987538548,
			2.480158732595111e-05, 2.7557254685728803e-06, 2.755727313289604e-07,
			2.5105513541847086e-08, 2.0914898727175524e-09);
	double e = 1.0 + (r + fma(r * r, p, low));
	int n = __double2int_rn(whole), half = n >> 1;
	return e * ct_cuda_power_of_2(half) * ct_cuda_power_of_2(n - half);
}

/* Bounds beyond which e to the x is infinite, or zero. */
CT_DEVICE double ct_cuda_exp_bounded(double x)
{
	return fmax(fmin(x, 720.0), -760.0);
}

CT_DEVICE double ct_cuda_exp_sum(double x, double low)
{
	double b = ct_cuda_exp_bounded(x), whole = rint(b * 1.4426950408889634);
	double r = fma(whole, -0.6931471805599453, b);
	return x != x ? x : ct_cuda_exp_parts(whole, r, fma(whole, -2.3190468138462996e-17, low));
}

CT_DEVICE double exp(double x)
{
	return ct_cuda_exp_sum(x, 0.0);
}

CT_DEVICE double exp2(double x)
{
	double b = fmax(fmin(x, 1040.0), -1090.0), whole = rint(b), f = b - whole;
	double r = __dmul_rn(f, 0.6931471805599453);
	return x != x ? x : ct_cuda_exp_parts(whole, r, fma(f, 2.3190468138462996e-17, fma(f, 0.6931471805599453, -r)));
}

CT_DEVICE double exp10(double x)
{
	double b = fmax(fmin(x, 320.0), -340.0), whole = rint(b * 3.321928094887362);
	/* x - whole log10(2), whose low part log10(2) keeps, times ln(10) */
	double f = fma(whole, -0.3010299956639812, b);
	f = fma(whole, 2.8037281277851704e-18, f);
	double r = __dmul_rn(f, 2.302585092994046);
	return x != x ? x : ct_cuda_exp_parts(whole, r, fma(f, -2.1707562233822494e-16, fma(f, 2.302585092994046, -r)));
}

CT_DEVICE double expm1(double x)
{
	if (fabs(x) > 0.5)
		return exp(x) - 1.0;
	double p = ct_cuda_poly(x, 0.5, 0.16666666666666666, 0.04166666666666715,
			0.008333333333333366, 0.001388888888867288, 0.0001984126984112589,
			2.480158765587206e-05, 2.755731946009247e-06, 2.7557056612216297e-07,
			2.505193336631361e-08, 2.0966445329047167e-09, 1.6118821766390593e-10);
	return copysign(fma(x * x, p, x), x);
}

/* ---- logarithms ---- */

/* The parts of a positive, finite x = 2^e m with sqrt(1/2) <= m < sqrt(2): m - 1, and e in *whole. */
CT_DEVICE double ct_cuda_log_parts(double x, double *whole)
{
	int down = 0;
	if (x < 2.2250738585072014e-308) {
		x *= 18014398509481984.0; /* 2^54 */
		down = 54;
	}
	int high = __double2hiint(x), e = (high - 0x3fe6a09e) >> 20;
	*whole = (double)(e - down);
	return __hiloint2double(high - e * 0x100000, __double2loint(x)) - 1.0;
}

/* ln of zero, negative numbers, infinity and what is no number. */
CT_DEVICE double ct_cuda_log_special(double x)
{
	return x == 0 ? -CT_CUDA_INF : x > 0 ? x : CT_CUDA_NAN;
}

/* ln(1 + f) as u + u^3 p(u^2) with u = 2 f / (2 + f), written so that f stands in front unrounded. */
CT_DEVICE double ct_cuda_log_near_1(double f, double low)
{
	double u = 2.0 * f / (2.0 + f), w = u * u;
	double p = ct_cuda_poly(w, 0.08333333333333333, 0.012499999999999997,
			0.0022321428571434204, 0.00043402777772916327, 8.877841119080262e-05,
			1.8779997200913896e-05, 4.069732687505699e-06, 8.916285317930278e-07,
			2.2686695675180092e-07);
	/* u = f - u f / 2, and the rest is small beside f */
	return f + fma(u, fma(w, p, -0.5 * f), low);
}

CT_DEVICE double log(double x)
{
	double whole, f;
	if (!(x > 0 && x < CT_CUDA_INF))
		return ct_cuda_log_special(x);
	f = ct_cuda_log_parts(x, &whole);
	double r = ct_cuda_log_near_1(f, whole * 2.3190468138462996e-17);
	return fma(whole, 0.6931471805599453, r);
}

/* The base-2 logarithm of a positive, finite x as a sum, for pow() and the other bases. With
 * u = 2 f / (2 + f) the logarithm of 1 + f is u + u^3 (1/12 + w p(w)), w = u^2; the first terms are kept in two
 * parts each. */
CT_DEVICE double ct_cuda_log2_sum(double x, double *low)
{
	double whole, f = ct_cuda_log_parts(x, &whole), d = 2.0 + f, u = 2.0 * f / d;
	double u_low = fma(-u, f, 2.0 * (f - u)) / d, w = u * u, w_low = fma(u, u, -w) + 2.0 * u * u_low;
	double p = ct_cuda_poly(w, 0.0125, 0.0022321428571428566,
			0.00043402777777790645, 8.877840907980209e-05, 1.8780048556678003e-05,
			4.0689987935698944e-06, 8.977408285706538e-07, 1.9941500812476424e-07,
			5.137249758143655e-08);
	/* c = 1/12 + w p */
	double q = w * p, c = 0.08333333333333333 + q;
	double c_low = q - (c - 0.08333333333333333) + 4.625929269271485e-18;
	/* cube = u w, both in two parts, then times c */
	double cube = u * w, cube_low = fma(u, w, -cube) + u * w_low + u_low * w;
	double t = __dmul_rn(cube, c), t_low = fma(cube, c, -t) + cube * c_low + cube_low * c;
	double s = u + t, s_low = t - (s - u) + (u_low + t_low);
	double high = __dmul_rn(s, 1.4426950408889634);
	double rest = fma(s, 1.4426950408889634, -high) + fma(s, 2.0355273740931033e-17, s_low * 1.4426950408889634);
	double sum = whole + high;
	rest += high - (sum - whole);
	double total = sum + rest;
	*low = rest - (total - sum);
	return total;
}

CT_DEVICE double log2(double x)
{
	double low;
	return x > 0 && x < CT_CUDA_INF ? ct_cuda_log2_sum(x, &low) : ct_cuda_log_special(x);
}

CT_DEVICE double log10(double x)
{
	double low, high;
	if (!(x > 0 && x < CT_CUDA_INF))
		return ct_cuda_log_special(x);
	high = ct_cuda_log2_sum(x, &low);
	return fma(high, 0.3010299956639812, fma(high, -2.8037281277851704e-18, low * 0.3010299956639812));
}

CT_DEVICE double log1p(double x)
{
	if (x > -0.29 && x < 0.41)
		return copysign(ct_cuda_log_near_1(x, 0.0), x);
	double u = 1.0 + x;
	return x < 1e300 && u > 0 ? log(u) + (x - (u - 1.0)) / u : log(u);
}

CT_DEVICE int ct_cuda_integer_kind(double y)
{
	double half = 0.5 * y;
	return trunc(y) != y ? 0 : trunc(half) == half ? 2 : 1;
}

CT_DEVICE_CALL double ct_cuda_pow_special(double x, double y)
{
	int odd = ct_cuda_integer_kind(y) == 1 && fabs(y) < CT_CUDA_INF;
	if (x == 1.0 || y == 0.0)
		return 1.0;
	if (x != x || y != y)
		return x + y;
	if (fabs(y) == CT_CUDA_INF)
		return fabs(x) == 1.0 ? 1.0 : (fabs(x) > 1.0) == (y > 0) ? CT_CUDA_INF : 0.0;
	double r = (x == 0) == (y > 0) ? 0.0 : CT_CUDA_INF;
	return odd ? copysign(r, x) : r;
}

CT_DEVICE double pow(double x, double y)
{
	double a = fabs(x), low;
	if (!(a > 0 && a < CT_CUDA_INF && fabs(y) < CT_CUDA_INF) || x == 1.0 || y == 0.0)
		return ct_cuda_pow_special(x, y);
	double high = ct_cuda_log2_sum(a, &low), bound = fmax(fmin(y, 1e300), -1e300);
	double p = __dmul_rn(bound, high), rest = fma(bound, high, -p) + bound * low;
	if (!(fabs(p) < 1100.0)) {
		p = p > 0 ? 1100.0 : -1100.0;
		rest = 0;
	}
	double whole = rint(p), f = p - whole + 0.0, s = f + rest, s_low = rest - (s - f);
	double l = __dmul_rn(s, 0.6931471805599453);
	double l_low = fma(s, 0.6931471805599453, -l) + fma(s, 2.3190468138462996e-17, s_low * 0.6931471805599453);
	double r = ct_cuda_exp_parts(whole, l, l_low);
	if (x < 0) {
		int kind = ct_cuda_integer_kind(y);
		r = kind == 0 ? CT_CUDA_NAN : kind == 1 ? -r : r;
	}
	return r;
}

/* The single-precision root and two steps of Newton's method. */
CT_DEVICE double cbrt(double x)
{
	double a = fabs(x);
	if (!(a < CT_CUDA_INF) || a == 0)
		return x + x;
	int e = ct_cuda_exponent(a);
	e = (e + 1200) / 3 - 400;
	double m = ldexp(a, -3 * e), y = (double)cbrtf((float)m);
	for (int step = 0; step < 2; step++) {
		double y2 = y * y, error = fma(y2, y, -m) + fma(y, y, -y2) * y;
		y = fma(error, -1.0 / (3.0 * y2), y);
	}
	return copysign(ldexp(y, e), x);
}

CT_DEVICE double rcbrt(double x)
{
	return 1.0 / cbrt(x);
}

/* ---- trigonometry ---- */

/* The first bits of 2/pi behind the binary point. */
static __constant__ const unsigned long long ct_cuda_two_over_pi[19] = {
	0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
	0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
	0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
	0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
	0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull};

/* The 64 bits from bit `shift` of high:low on. */
CT_DEVICE unsigned long long ct_cuda_window(unsigned long long high, unsigned long long low, int shift)
{
	return shift ? high << shift | low >> (64 - shift) : high;
}

/* As the one of single precision: x is m 2^e, and 192 bits of 2/pi are taken. */
CT_DEVICE_CALL double ct_cuda_reduce_large(double x, int *quadrant, double *low)
{
	long long bits = __double_as_longlong(x);
	int e = (int)(bits >> 52 & 2047) - 1075, first = e < 2 ? 0 : e - 2, shift = first & 63;
	unsigned long long m = (unsigned long long)(bits & 0xfffffffffffffll) | 0x10000000000000ull;
	const unsigned long long *word = ct_cuda_two_over_pi + (first >> 6);
	unsigned long long w0 = ct_cuda_window(word[0], word[1], shift), w1 = ct_cuda_window(word[1], word[2], shift),
			   w2 = ct_cuda_window(word[2], word[3], shift);
	unsigned long long p0 = __umul64hi(m, w2), p1 = m * w1, p2 = m * w0, carry;
	p1 += p0;
	carry = p1 < p0;
	p2 += __umul64hi(m, w1) + carry;
	unsigned long long top = __umul64hi(m, w0) + (p2 < carry + __umul64hi(m, w1));
	/* p2:p1 counts 2^-128 of four quadrants where e >= 2; else it is to be shifted down */
	if (e < 2) {
		int by = 2 - e; /* at most 64: 105615 is 2^16.7 */
		p1 = by < 64 ? p1 >> by | p2 << (64 - by) : p2;
		p2 = by < 64 ? p2 >> by | top << (64 - by) : top;
	}
	int q = (int)(p2 >> 62);
	unsigned long long f = p2 << 2 | p1 >> 62, g = p1 << 2;
	int up = (long long)f < 0;
	q += up;
	if (up) { /* the fraction less 1, its size in f:g */
		f = ~f;
		g = ~g;
	}
	int zeros = f ? __clzll((long long)f) : 63;
	f = ct_cuda_window(f, g, zeros);
	/* f 2^-(64 + zeros) of a quadrant */
	double scale = ct_cuda_power_of_2(-64 - zeros), a = (double)(f >> 11), b = (double)(f & 2047) * 0x1p-11;
	a *= 0x1p11 * scale;
	b *= 0x1p11 * scale;
	double r = __dmul_rn(a, 1.5707963267948966);
	*low = fma(a, 1.5707963267948966, -r) + fma(a, 6.123233995736766e-17, b * 1.5707963267948966);
	int negative = up != (bits < 0);
	*quadrant = bits < 0 ? -q : q;
	*low = negative ? -*low : *low;
	return negative ? -r : r;
}

/* x less a multiple of pi/2 as r + *low. */
CT_DEVICE double ct_cuda_reduce(double x, int *quadrant, double *low)
{
	double k = rint(x * 0.6366197723675814);
	double r = fma(k, -1.5707963267948966, x), t = fma(k, -6.123233995736766e-17, r);
	/* what the second subtraction lost, and the third part of pi/2 */
	*low = fma(k, -6.123233995736766e-17, r - t) + k * 1.4973849048591833e-33;
	*quadrant = __double2int_rn(k);
	if (fabs(x) > 105615.0) {
		if (fabs(x) < CT_CUDA_INF)
			t = ct_cuda_reduce_large(x, quadrant, low);
		else
			t = *low = x * 0.0;
	}
	return t;
}

CT_DEVICE double ct_cuda_sin_near_0(double r, double low)
{
	double z = r * r, p = ct_cuda_poly(z, -0.16666666666666666,
			0.008333333333333331, -0.00019841269841264987, 2.75573192192787e-06,
			-2.5052106211477828e-08, 1.605852830058916e-10, -7.586501821161272e-13);
	return r + fma(p, z * r, fma(-0.5 * z, low, low));
}

CT_DEVICE double ct_cuda_cos_near_0(double r, double low)
{
	double z = r * r, p = ct_cuda_poly(z, 0.041666666666666664,
			-0.0013888888888888887, 2.4801587301584605e-05, -2.755731922136921e-07,
			2.0876755779421716e-09, -1.1470459042646843e-11, 4.745763320578569e-14);
	double h = 0.5 * z, c = 1.0 - h;
	return c + (1.0 - c - h + fma(z * z, p, -r * low));
}

CT_DEVICE double ct_cuda_sin_of(double r, double low, int quadrant)
{
	double s = quadrant & 1 ? ct_cuda_cos_near_0(r, low) : ct_cuda_sin_near_0(r, low);
	return quadrant & 2 ? -s : s;
}

CT_DEVICE double sin(double x)
{
	int q;
	double low, r = ct_cuda_reduce(x, &q, &low);
	return x == 0 ? x : ct_cuda_sin_of(r, low, q);
}

CT_DEVICE double cos(double x)
{
	int q;
	double low, r = ct_cuda_reduce(x, &q, &low);
	return ct_cuda_sin_of(r, low, q + 1);
}

CT_DEVICE void sincos(double x, double *s, double *c)
{
	int q;
	double low, r = ct_cuda_reduce(x, &q, &low);
	double a = ct_cuda_sin_near_0(r, low), b = ct_cuda_cos_near_0(r, low);
	double sine = q & 1 ? b : a, cosine = q & 1 ? a : b;
	*s = x == 0 ? x : q & 2 ? -sine : sine;
	*c = (q + 1) & 2 ? -cosine : cosine;
}

CT_DEVICE double tan(double x)
{
	int q;
	double low, r = ct_cuda_reduce(x, &q, &low);
	double s = ct_cuda_sin_near_0(r, low), c = ct_cuda_cos_near_0(r, low);
	return x == 0 ? x : q & 1 ? -c / s : s / c;
}

CT_DEVICE double ct_cuda_reduce_pi(double x, int *quadrant, double *low)
{
	/* beyond 2^53 all numbers are even */
	double t = fabs(x) < 9007199254740992.0 ? x : x * 0.0;
	double k = rint(2.0 * t), f = fma(k, -0.5, t), r = __dmul_rn(f, 3.141592653589793);
	*quadrant = (int)(__double2ll_rn(k) & 3);
	*low = fma(f, 3.141592653589793, -r) + f * 1.2246467991473532e-16;
	return r;
}

CT_DEVICE double sinpi(double x)
{
	int q;
	double low, r = ct_cuda_reduce_pi(x, &q, &low);
	return trunc(x) == x ? x * 0.0 : ct_cuda_sin_of(r, low, q);
}

CT_DEVICE double cospi(double x)
{
	int q;
	double low, r = ct_cuda_reduce_pi(x, &q, &low);
	return ct_cuda_sin_of(r, low, q + 1) + 0.0;
}

CT_DEVICE void sincospi(double x, double *s, double *c)
{
	*s = sinpi(x);
	*c = cospi(x);
}

CT_DEVICE double ct_cuda_atan_near_0(double t)
{
	double z = t * t, p = ct_cuda_poly(z, -0.3333333333333333, 0.19999999999999554,
			-0.14285714285648404, 0.11111111107234799, -0.09090908969557403,
			0.07692305354678655, -0.06666636435777692, 0.05882074956371294,
			-0.05261265735709454, 0.04752086773576656, -0.04308119655330471,
			0.03872640214042632, -0.033750132001619734, 0.027567942297344678,
			-0.020238706986393514, 0.012756172907694298, -0.006575683344151699,
			0.002622977891906089, -0.0007518472526973822, 0.0001368724853148122,
			-1.1832505417555692e-05);
	return fma(p, z * t, t);
}

CT_DEVICE double atan(double x)
{
	double a = fabs(x), t = a > 1.0 ? 1.0 / a : a, r = ct_cuda_atan_near_0(t);
	r = a > 1.0 ? 1.5707963267948966 - (r - 6.123233995736766e-17) : r;
	return copysign(r, x);
}

CT_DEVICE double atan2(double y, double x)
{
	double a = fabs(x), b = fabs(y), large = a > b ? a : b, small = a > b ? b : a;
	if (x != x || y != y)
		return x + y;
	double t = large == 0 ? 0.0 : small == CT_CUDA_INF ? 1.0 : small / large;
	double r = ct_cuda_atan_near_0(t);
	r = b > a ? 1.5707963267948966 - (r - 6.123233995736766e-17) : r;
	r = __double2hiint(x) < 0 ? 3.141592653589793 - (r - 1.2246467991473532e-16) : r;
	return copysign(r, y);
}

CT_DEVICE double ct_cuda_asin_near_0(double t)
{
	double z = t * t, p = ct_cuda_poly(z, 0.16666666666666669, 0.07499999999998389,
			0.04464285714644605, 0.0303819441312372, 0.022372173243832207,
			0.017352385393480947, 0.013971325328728771, 0.011478047472510145,
			0.010330370295404406, 0.005424230839804001, 0.017493569476248205,
			-0.014999855783811349, 0.02886097438799853);
	return fma(p, z * t, t);
}

CT_DEVICE double asin(double x)
{
	double a = fabs(x);
	if (a > 0.5) {
		double h = __dsqrt_rn(fma(-0.5, a, 0.5));
		return copysign(1.5707963267948966 - (2.0 * ct_cuda_asin_near_0(h) - 6.123233995736766e-17), x);
	}
	return ct_cuda_asin_near_0(x);
}

CT_DEVICE double acos(double x)
{
	double a = fabs(x);
	if (a > 0.5) {
		double r = 2.0 * ct_cuda_asin_near_0(__dsqrt_rn(fma(-0.5, a, 0.5)));
		return x < 0 ? 3.141592653589793 - (r - 1.2246467991473532e-16) : r;
	}
	return 1.5707963267948966 - (ct_cuda_asin_near_0(x) - 6.123233995736766e-17);
}

/* ---- hyperbolic functions ---- */

/* e^a / 2 for a >= 0, which is finite where e^a is not. */
CT_DEVICE double ct_cuda_half_exp(double a)
{
	double b = fmin(a, 760.0), whole = rint(b * 1.4426950408889634);
	double r = fma(whole, -0.6931471805599453, b);
	return a != a ? a : ct_cuda_exp_parts(whole - 1.0, r, whole * -2.3190468138462996e-17);
}

CT_DEVICE double sinh(double x)
{
	double a = fabs(x), z = x * x;
	if (a < 1.0) {
		double p = ct_cuda_poly(z, 0.16666666666666666, 0.008333333333333333,
				0.00019841269841269773, 2.755731922404034e-06, 2.505210836405804e-08,
				1.6059048396350562e-10, 7.646625361656657e-13, 2.8445264169895285e-15);
		return fma(p, z * x, x);
	}
	double half = ct_cuda_half_exp(a);
	return copysign(half - 0.25 / half, x);
}

CT_DEVICE double cosh(double x)
{
	double half = ct_cuda_half_exp(fabs(x));
	return half + 0.25 / half;
}

CT_DEVICE double tanh(double x)
{
	double a = fabs(x), z = x * x;
	if (a < 0.55) {
		double p = ct_cuda_poly(z, -0.3333333333333333, 0.13333333333333305,
				-0.05396825396821176, 0.021869488533603213, -0.008863235450017834,
				0.0035921265571986906, -0.0014558169553480793, 0.0005898914948486743,
				-0.00023841575269367045, 9.440568000217939e-05, -3.351086325904106e-05,
				7.743877325542659e-06);
		return copysign(fma(p, z * x, x), x);
	}
	return copysign(1.0 - 2.0 / (exp(2.0 * a) + 1.0), x);
}

CT_DEVICE double asinh(double x)
{
	double a = fabs(x), z = a * a;
	double r = a > 1e100 ? log(a) + 0.6931471805599453 : log1p(a + z / (1.0 + __dsqrt_rn(1.0 + z)));
	return copysign(r, x);
}

CT_DEVICE double acosh(double x)
{
	double t = x - 1.0;
	return t > 1e100 ? log(x) + 0.6931471805599453 : log1p(t + __dsqrt_rn(fma(t, t, 2.0 * t)));
}

CT_DEVICE double atanh(double x)
{
	double a = fabs(x);
	return copysign(0.5 * log1p(2.0 * a / (1.0 - a)), x);
}

#endif
