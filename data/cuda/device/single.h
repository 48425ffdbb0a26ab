/* device/single.h - mathematics in single precision.
 *
 * Each function reduces its argument, evaluates a polynomial and puts the result together. Polynomials
 * interpolate the function at the Chebyshev points of the interval that a comment names; no other source is
 * used. ctcc(1) states their errors. */
#ifndef CT_CUDA_DEVICE_SINGLE_H
#define CT_CUDA_DEVICE_SINGLE_H

#pragma GCC system_header

#include "integer.h"

#define CT_CUDA_INF_F __builtin_inff()
#define CT_CUDA_NAN_F __builtin_nanf("")

template <class T> CT_DEVICE T ct_cuda_fma(T a, T b, T c);
template <> CT_DEVICE float ct_cuda_fma(float a, float b, float c)
{
	return __builtin_fmaf(a, b, c);
}
template <> CT_DEVICE double ct_cuda_fma(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}

/* The polynomial in z with these coefficients, the constant one first. */
template <class T> CT_DEVICE T ct_cuda_poly(T, T c)
{
	return c;
}
template <class T, class... Rest> CT_DEVICE T ct_cuda_poly(T z, T c, Rest... rest)
{
	return ct_cuda_fma(ct_cuda_poly(z, rest...), z, c);
}

CT_DEVICE float sqrtf(float x)
{
#if defined(CTCC_FAST_SQRT)
	return ct_cuda_sqrt_approx(x);
#else
	return __fsqrt_rn(x);
#endif
}

CT_DEVICE float rsqrtf(float x)
{
	return ct_cuda_rsqrt_approx(x);
}

CT_DEVICE float fabsf(float x)
{
	return __builtin_fabsf(x);
}

CT_DEVICE float copysignf(float x, float sign)
{
	return __builtin_copysignf(x, sign);
}

CT_DEVICE float fmaf(float x, float y, float z)
{
	return __builtin_fmaf(x, y, z);
}

CT_DEVICE float fminf(float x, float y)
{
	return __builtin_fminf(x, y);
}

CT_DEVICE float fmaxf(float x, float y)
{
	return __builtin_fmaxf(x, y);
}

CT_DEVICE float fdimf(float x, float y)
{
	return x > y ? x - y : x != x || y != y ? x + y : 0.0f;
}

CT_DEVICE float floorf(float x)
{
	return __builtin_floorf(x);
}

CT_DEVICE float ceilf(float x)
{
	return __builtin_ceilf(x);
}

CT_DEVICE float truncf(float x)
{
	return __builtin_truncf(x);
}

CT_DEVICE float rintf(float x)
{
	float r;
	__asm__("cvt.rni.f32.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

CT_DEVICE float nearbyintf(float x)
{
	return rintf(x);
}

/* Halves away from zero; 0.49999997 may not become 1. */
CT_DEVICE float roundf(float x)
{
	float t = truncf(x);
	return copysignf(fabsf(x - t) >= 0.5f ? t + copysignf(1.0f, x) : t, x);
}

CT_DEVICE long lrintf(float x)
{
	return __float2ll_rn(x);
}

CT_DEVICE long long llrintf(float x)
{
	return __float2ll_rn(x);
}

CT_DEVICE long lroundf(float x)
{
	return __float2ll_rz(roundf(x));
}

CT_DEVICE long long llroundf(float x)
{
	return __float2ll_rz(roundf(x));
}

/* x times 2 to the n, rounded once. */
CT_DEVICE float ldexpf(float x, int n)
{
	n = n > 300 ? 300 : n < -300 ? -300 : n;
	return (float)((double)x * __hiloint2double((1023 + n) << 20, 0));
}

CT_DEVICE float scalbnf(float x, int n)
{
	return ldexpf(x, n);
}

CT_DEVICE float scalblnf(float x, long n)
{
	return ldexpf(x, n > 1000 ? 1000 : n < -1000 ? -1000 : (int)n);
}

/* The exponent of a positive, finite number: 2^e <= x < 2^(e + 1). */
CT_DEVICE int ct_cuda_exponent(float x)
{
	int bits = __float_as_int(x);
	return bits < 0x00800000 ? -118 - __clz(bits) : (bits >> 23) - 127;
}

CT_DEVICE float frexpf(float x, int *exponent)
{
	float a = fabsf(x);
	*exponent = 0;
	if (!(a < CT_CUDA_INF_F) || a == 0)
		return x + x;
	*exponent = ct_cuda_exponent(a) + 1;
	return ldexpf(x, -*exponent);
}

CT_DEVICE int ilogbf(float x)
{
	float a = fabsf(x);
	return a == 0 ? -2147483647 - 1 : a < CT_CUDA_INF_F ? ct_cuda_exponent(a) : a > 0 ? 2147483647 : -2147483647 - 1;
}

CT_DEVICE float logbf(float x)
{
	float a = fabsf(x);
	return a == 0 ? -CT_CUDA_INF_F : a < CT_CUDA_INF_F ? (float)ct_cuda_exponent(a) : a;
}

CT_DEVICE float modff(float x, float *whole)
{
	float t = truncf(x);
	*whole = t;
	return copysignf(fabsf(x) == CT_CUDA_INF_F ? 0.0f : x - t, x);
}

/* ---- exponentials ---- */

/* 2 to the exponent whose reduced form is `whole` and `fraction`, times 2 to the `shift`. What the exponent
 * of a float cannot hold stays in the fraction, which ex2 takes at any size. */
CT_DEVICE float ct_cuda_exp2_parts(float whole, float fraction, int shift)
{
	return ct_cuda_exp2_approx(fraction) * __int_as_float((__float2int_rn(whole) + shift) * 0x800000 + 0x3f800000);
}

CT_DEVICE float ct_cuda_exp_whole(float x)
{
	return fmaxf(fminf(rintf(x), 126.0f), -126.0f);
}

/* e or 10 to the x, times 2 to the shift: x times the logarithm of the base, of which `low` is what `high`
 * lacks. */
CT_DEVICE float ct_cuda_exp_base(float x, float high, float low, int shift)
{
	float whole = ct_cuda_exp_whole(x * high);
	return ct_cuda_exp2_parts(whole, fmaf(x, low, fmaf(x, high, -whole)), shift);
}

CT_DEVICE float __expf(float x)
{
	return ct_cuda_exp2_approx(x * 1.44269502f);
}

CT_DEVICE float __exp10f(float x)
{
	return ct_cuda_exp2_approx(x * 3.32192802f);
}

/* The logarithm of a constant is a constant: loops that end at one are unrolled. */
CT_DEVICE float __log2f(float x)
{
	if (__builtin_constant_p(x) && x > 0.0f && x < CT_CUDA_INF_F)
		return __builtin_log2f(x);
	return ct_cuda_log2_approx(x);
}

CT_DEVICE float __logf(float x)
{
	return __log2f(x) * 0.693147182f;
}

CT_DEVICE float __log10f(float x)
{
	return __log2f(x) * 0.301030010f;
}

CT_DEVICE float __powf(float x, float y)
{
	return ct_cuda_exp2_approx(y * __log2f(x));
}

CT_DEVICE float __tanf(float x)
{
	return __fdividef(__sinf(x), __cosf(x));
}

CT_DEVICE void __sincosf(float x, float *s, float *c)
{
	*s = __sinf(x);
	*c = __cosf(x);
}

CT_DEVICE float exp2f(float x)
{
	return ct_cuda_exp2_approx(x);
}

CT_DEVICE float expf(float x)
{
#if defined(CTCC_FAST_MATH)
	return __expf(x);
#else
	return ct_cuda_exp_base(x, 1.44269502f, 1.92596299e-8f, 0);
#endif
}

CT_DEVICE float exp10f(float x)
{
#if defined(CTCC_FAST_MATH)
	return __exp10f(x);
#else
	return ct_cuda_exp_base(x, 3.32192802f, 7.05951625e-8f, 0);
#endif
}

/* e^r - 1 on [-1/2, 1/2] as r + r^2 p(r). */
CT_DEVICE float expm1f(float x)
{
	if (fabsf(x) > 0.5f)
		return expf(x) - 1.0f;
	float p = ct_cuda_poly(x, 0.5f, 0.166666672f, 0.0416666679f, 0.00833316986f,
			0.00138887251f, 0.000199670758f, 2.49273307e-05f);
	return copysignf(fmaf(x * x, p, x), x);
}

/* ---- logarithms ---- */

/* ln(1 + f) on [-1/3, 1/3] as f + f^2 p(f). */
CT_DEVICE float ct_cuda_log_near_1(float f)
{
	float p = ct_cuda_poly(f, -0.5f, 0.333332717f, -0.249999434f, 0.200073749f,
			-0.166734457f, 0.140527576f, -0.122859105f, 0.137666613f, -0.12439087f);
	return fmaf(f * f, p, f);
}

CT_DEVICE float logf(float x)
{
#if defined(CTCC_FAST_MATH)
	return __logf(x);
#else
	float a = x < 1.17549435e-38f ? x * 8388608.0f : x, scale = x < 1.17549435e-38f ? -23.0f : 0.0f;
	/* a = 2^e m with 2/3 <= m < 4/3 */
	int bits = __float_as_int(a), e = (bits - 0x3f2aaaab) & (int)0xff800000;
	float r = ct_cuda_log_near_1(__int_as_float(bits - e) - 1.0f);
	r = fmaf((float)e * 1.1920929e-7f + scale, 0.693147182f, r);
	if ((unsigned int)bits - 1u >= 0x7f7fffffu)
		r = bits == 0x7f800000 ? a : (bits & 0x7fffffff) == 0 ? -CT_CUDA_INF_F : CT_CUDA_NAN_F;
	return r;
#endif
}

CT_DEVICE float log2f(float x)
{
	return __log2f(x);
}

CT_DEVICE float log10f(float x)
{
#if defined(CTCC_FAST_MATH)
	return __log10f(x);
#else
	float l = logf(x);
	return fabsf(l) < CT_CUDA_INF_F ? fmaf(l, 0.434294492f, l * -1.01014991e-8f) : l;
#endif
}

/* ln(1 + x) from the logarithm of the rounded sum, which the exact x corrects. */
CT_DEVICE float log1pf(float x)
{
	if (x > -0.333f && x < 0.333f)
		return copysignf(ct_cuda_log_near_1(x), x);
	float u = 1.0f + x;
	return x < 1e30f && u > 0 ? logf(u) + __fdividef(x - (u - 1.0f), u) : logf(u);
}

/* The base-2 logarithm of a positive, finite x as a sum, for powf(). With u = 2 (m - 1) / (m + 1) the
 * logarithm of m is u + u^3 p(u^2) on [sqrt(1/2), sqrt(2)]; u_low is what the rounding of u lost. */
CT_DEVICE float ct_cuda_log2_sum(float x, float *low)
{
	float scale = x < 1.17549435e-38f ? -23.0f : 0.0f, a = x < 1.17549435e-38f ? x * 8388608.0f : x;
	int bits = __float_as_int(a), e = (bits - 0x3f3504f3) & (int)0xff800000;
	float whole = (float)e * 1.1920929e-7f + scale, f = __int_as_float(bits - e) - 1.0f;
	float r = ct_cuda_rcp_approx(2.0f + f), u = __fmul_rn(2.0f * f, r);
	float u_low = r * fmaf(-u, f, 2.0f * (f - u)), w = u * u;
	float p = ct_cuda_poly(w, 0.0833333358f, 0.0125000393f, 0.00223050476f, 0.000455863541f);
	float high = __fmul_rn(u, 1.44269502f); /* not to be contracted: its rest is taken */
	float rest = fmaf(u, 1.44269502f, -high) + fmaf(u, 1.92596299e-8f, fmaf(u * w, p, u_low) * 1.44269502f);
	float sum = whole + high;
	rest += high - (sum - whole);
	float total = sum + rest;
	*low = rest - (total - sum);
	return total;
}

/* y is an integer: 2, and 1 where it is odd; else 0. */
CT_DEVICE int ct_cuda_integer_kind(float y)
{
	float half = 0.5f * y;
	return truncf(y) != y ? 0 : truncf(half) == half ? 2 : 1;
}

/* pow() where an argument is zero, one, infinite or no number. */
CT_DEVICE_CALL float ct_cuda_pow_special(float x, float y)
{
	int odd = ct_cuda_integer_kind(y) == 1 && fabsf(y) < CT_CUDA_INF_F;
	if (x == 1.0f || y == 0.0f)
		return 1.0f;
	if (x != x || y != y)
		return x + y;
	if (fabsf(y) == CT_CUDA_INF_F)
		return fabsf(x) == 1.0f ? 1.0f : (fabsf(x) > 1.0f) == (y > 0) ? CT_CUDA_INF_F : 0.0f;
	float r = (x == 0) == (y > 0) ? 0.0f : CT_CUDA_INF_F;
	return odd ? copysignf(r, x) : r;
}

CT_DEVICE float powf(float x, float y)
{
#if defined(CTCC_FAST_MATH)
	return __powf(x, y);
#else
	float a = fabsf(x), low;
	if (!(a > 0 && a < CT_CUDA_INF_F && fabsf(y) < CT_CUDA_INF_F) || x == 1.0f || y == 0.0f)
		return ct_cuda_pow_special(x, y);
	float high = ct_cuda_log2_sum(a, &low), bound = y;
	/* Far beyond what a result can be; products would become infinite. */
	bound = bound > 1e34f ? 1e34f : bound < -1e34f ? -1e34f : bound;
	float p = __fmul_rn(bound, high), rest = fmaf(bound, high, -p) + bound * low;
	float whole = ct_cuda_exp_whole(p), r = ct_cuda_exp2_parts(whole, p - whole + rest, 0);
	if (x < 0) {
		int kind = ct_cuda_integer_kind(y);
		r = kind == 0 ? CT_CUDA_NAN_F : kind == 1 ? -r : r;
	}
	return r;
#endif
}

/* A seed from the logarithm and a step of Newton's method, with the argument off the denormals. */
CT_DEVICE float cbrtf(float x)
{
	float a = fabsf(x), scale = 1.0f;
	if (!(a < CT_CUDA_INF_F) || a == 0)
		return x + x;
	if (a < 1e-30f) {
		a *= 16777216.0f; /* 2^24, the cube of 2^8 */
		scale = 0.00390625f;
	}
	float y = ct_cuda_exp2_approx(ct_cuda_log2_approx(a) * 0.333333343f), y2 = y * y;
	float error = fmaf(y2, y, -a) + fmaf(y, y, -y2) * y;
	y = fmaf(error, -0.333333343f * ct_cuda_rcp_approx(y2), y);
	return copysignf(y * scale, x);
}

CT_DEVICE float rcbrtf(float x)
{
	return __frcp_rn(cbrtf(x));
}

/* ---- trigonometry ---- */

/* The first bits of 2/pi behind the binary point. */
static __constant__ const unsigned int ct_cuda_two_over_pi_f[8] = {
	0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u};

/* Arguments above 105615, in integers (M. Payne, R. Hanek: Radian reduction for trigonometric functions, 1983).
 * x is m 2^e with an integer m; bits of 2/pi that stand above 2^-e 4 make whole turns and are left out. */
CT_DEVICE_CALL float ct_cuda_reduce_large(float x, int *quadrant)
{
	int bits = __float_as_int(x), e = (bits >> 23 & 255) - 150, first = e < 2 ? 0 : e - 2;
	unsigned long long m = (unsigned int)(bits & 0x7fffff) | 0x800000u;
	const unsigned int *word = ct_cuda_two_over_pi_f + (first >> 5);
	unsigned int shift = (unsigned int)first & 31;
	/* 96 bits of 2/pi times m: 120 bits, of which those from 2^96 on count whole turns where e >= 2 */
	unsigned long long low = m * __funnelshift_l(word[3], word[2], shift);
	unsigned long long middle = m * __funnelshift_l(word[2], word[1], shift) + (low >> 32);
	unsigned long long high = m * __funnelshift_l(word[1], word[0], shift) + (middle >> 32);
	unsigned long long turn = high << 32 | (middle & 0xffffffffu);
	if (e < 2)
		turn = turn >> (2 - e) | high >> 32 << (62 + e);
	/* two bits of quadrant, then the fraction of one, which is taken from -1/2 to 1/2 */
	long long rest = (long long)(turn << 2);
	int q = (int)(turn >> 62) + (rest < 0);
	double r = (double)rest * 0x1.921fb54442d18p-64; /* pi/2 2^-64 */
	*quadrant = bits < 0 ? -q : q;
	return (float)(bits < 0 ? -r : r);
}

/* x less a multiple of pi/2, in [-pi/4, pi/4] or a hair more; pi/2 in three parts, of which the products
 * lose nothing. */
CT_DEVICE float ct_cuda_reduce(float x, int *quadrant)
{
	float k = rintf(x * 0.636619747f);
	float r = fmaf(k, -1.57079637f, x);
	r = fmaf(k, 4.37113883e-8f, r);
	r = fmaf(k, 1.71512489e-15f, r);
	*quadrant = __float2int_rn(k);
	if (fabsf(x) > 105615.0f) {
		if (fabsf(x) < CT_CUDA_INF_F)
			r = ct_cuda_reduce_large(x, quadrant);
		else
			r = x * 0.0f;
	}
	return r;
}

/* On [-pi/4, pi/4]. */
CT_DEVICE float ct_cuda_sin_near_0(float r)
{
	float z = r * r, p = ct_cuda_poly(z, -0.166666642f, 0.00833274424f, -0.000195870743f);
	return fmaf(p, z * r, r);
}

CT_DEVICE float ct_cuda_cos_near_0(float r)
{
	float z = r * r, p = ct_cuda_poly(z, -0.5f, 0.0416666642f, -0.0013888299f, 2.45471238e-05f);
	return fmaf(p, z, 1.0f);
}

/* The sine after `quadrant` quarter turns. */
CT_DEVICE float ct_cuda_sin_of(float r, int quadrant)
{
	float s = quadrant & 1 ? ct_cuda_cos_near_0(r) : ct_cuda_sin_near_0(r);
	return quadrant & 2 ? -s : s;
}

CT_DEVICE float sinf(float x)
{
#if defined(CTCC_FAST_MATH)
	return __sinf(x);
#else
	int q;
	float r = ct_cuda_reduce(x, &q);
	return x == 0 ? x : ct_cuda_sin_of(r, q);
#endif
}

CT_DEVICE float cosf(float x)
{
#if defined(CTCC_FAST_MATH)
	return __cosf(x);
#else
	int q;
	float r = ct_cuda_reduce(x, &q);
	return ct_cuda_sin_of(r, q + 1);
#endif
}

CT_DEVICE void sincosf(float x, float *s, float *c)
{
#if defined(CTCC_FAST_MATH)
	__sincosf(x, s, c);
#else
	int q;
	float r = ct_cuda_reduce(x, &q), a = ct_cuda_sin_near_0(r), b = ct_cuda_cos_near_0(r);
	float sine = q & 1 ? b : a, cosine = q & 1 ? a : b;
	*s = x == 0 ? x : q & 2 ? -sine : sine;
	*c = (q + 1) & 2 ? -cosine : cosine;
#endif
}

CT_DEVICE float tanf(float x)
{
#if defined(CTCC_FAST_MATH)
	return __tanf(x);
#else
	int q;
	float r = ct_cuda_reduce(x, &q), s = ct_cuda_sin_near_0(r), c = ct_cuda_cos_near_0(r);
	return x == 0 ? x : q & 1 ? -c / s : s / c;
#endif
}

/* Half turns: x less the nearest multiple of 1/2 is exact. */
CT_DEVICE float ct_cuda_reduce_pi(float x, int *quadrant)
{
	/* beyond 2^24 all numbers are even */
	float t = fabsf(x) < 16777216.0f ? x : x * 0.0f, k = rintf(2.0f * t), r = fmaf(k, -0.5f, t);
	*quadrant = __float2int_rn(k);
	return fmaf(r, 3.14159274f, r * -8.74227766e-8f);
}

CT_DEVICE float sinpif(float x)
{
	int q;
	float r = ct_cuda_reduce_pi(x, &q);
	return truncf(x) == x ? x * 0.0f : ct_cuda_sin_of(r, q);
}

CT_DEVICE float cospif(float x)
{
	int q;
	float r = ct_cuda_reduce_pi(x, &q);
	return ct_cuda_sin_of(r, q + 1) + 0.0f;
}

CT_DEVICE void sincospif(float x, float *s, float *c)
{
	*s = sinpif(x);
	*c = cospif(x);
}

/* On [-1, 1]. */
CT_DEVICE float ct_cuda_atan_near_0(float t)
{
	float z = t * t, p = ct_cuda_poly(z, -0.333333313f, 0.199997395f,
			-0.142785683f, 0.110337645f, -0.0865688026f, 0.0625016913f, -0.0358715393f,
			0.0135077713f, -0.00238699722f);
	return fmaf(p, z * t, t);
}

CT_DEVICE float atanf(float x)
{
	float a = fabsf(x), t = a > 1.0f ? __frcp_rn(a) : a, r = ct_cuda_atan_near_0(t);
	r = a > 1.0f ? 1.57079637f - r : r;
	return copysignf(r, x);
}

CT_DEVICE float atan2f(float y, float x)
{
	float a = fabsf(x), b = fabsf(y), large = a > b ? a : b, small = a > b ? b : a;
	if (x != x || y != y)
		return x + y;
	float t = large == 0 ? 0.0f : small == CT_CUDA_INF_F ? 1.0f : small / large;
	float r = ct_cuda_atan_near_0(t);
	r = b > a ? 1.57079637f - r : r;
	r = __float_as_int(x) < 0 ? 3.14159274f - r : r;
	return copysignf(r, y);
}

/* asin(t) on [-1/2, 1/2] as t + t^3 p(t^2). */
CT_DEVICE float ct_cuda_asin_near_0(float t)
{
	float z = t * t, p = ct_cuda_poly(z, 0.166666731f, 0.0749884471f,
			0.0450039543f, 0.026535118f, 0.0381297469f);
	return fmaf(p, z * t, t);
}

CT_DEVICE float asinf(float x)
{
	float a = fabsf(x);
	if (a > 0.5f) {
		float h = __fsqrt_rn(fmaf(-0.5f, a, 0.5f));
		return copysignf(fmaf(-2.0f, ct_cuda_asin_near_0(h), 1.57079637f), x);
	}
	return ct_cuda_asin_near_0(x);
}

CT_DEVICE float acosf(float x)
{
	float a = fabsf(x);
	if (a > 0.5f) {
		float r = 2.0f * ct_cuda_asin_near_0(__fsqrt_rn(fmaf(-0.5f, a, 0.5f)));
		return x < 0 ? 3.14159274f - r : r;
	}
	return 1.57079637f - (ct_cuda_asin_near_0(x) + 4.37113883e-8f);
}

/* ---- hyperbolic functions ---- */

CT_DEVICE float sinhf(float x)
{
	float a = fabsf(x), z = x * x;
	if (a < 1.0f) {
		float p = ct_cuda_poly(z, 0.166666672f, 0.00833333936f,
				0.000198381022f, 2.80628024e-06f);
		return fmaf(p, z * x, x);
	}
	/* e^a / 2, which is finite where e^a is not */
	float half = ct_cuda_exp_base(a, 1.44269502f, 1.92596299e-8f, -1);
	return copysignf(half - 0.25f / half, x);
}

CT_DEVICE float coshf(float x)
{
	float half = ct_cuda_exp_base(fabsf(x), 1.44269502f, 1.92596299e-8f, -1);
	return half + 0.25f / half;
}

CT_DEVICE float tanhf(float x)
{
	float a = fabsf(x), z = x * x;
	if (a < 0.55f) {
		float p = ct_cuda_poly(z, -0.333333313f, 0.133330926f, -0.0539053604f,
				0.0212847237f, -0.0065643955f);
		return copysignf(fmaf(p, z * x, x), x);
	}
	return copysignf(1.0f - 2.0f / (expf(2.0f * a) + 1.0f), x);
}

CT_DEVICE float asinhf(float x)
{
	float a = fabsf(x), z = a * a;
	float r = a > 1e9f ? logf(a) + 0.693147182f : log1pf(a + z / (1.0f + __fsqrt_rn(1.0f + z)));
	return copysignf(r, x);
}

CT_DEVICE float acoshf(float x)
{
	float t = x - 1.0f;
	return t > 1e9f ? logf(x) + 0.693147182f : log1pf(t + __fsqrt_rn(fmaf(t, t, 2.0f * t)));
}

CT_DEVICE float atanhf(float x)
{
	float a = fabsf(x);
	return copysignf(0.5f * log1pf(2.0f * a / (1.0f - a)), x);
}

/* ---- error functions ---- */

/* Up to 1 a polynomial in x^2; then erfc(x) is 2 to a polynomial, and 0 from 4 on. */
CT_DEVICE float erff(float x)
{
	float a = fabsf(x), z = x * x;
	if (a < 1.0f) {
		float p = ct_cuda_poly(z, 0.128379166f, -0.37612626f, 0.112835944f,
				-0.0268542115f, 0.00518908724f, -0.00080168643f, 7.87587487e-05f);
		return fmaf(p, x, x);
	}
	a = a > 4.0f ? 4.0f : a;
	float p = ct_cuda_poly(a - 1.0f, -2.66841674f, -3.8072257f, -1.21634305f,
			-0.0599811152f, 0.0145392036f, -0.0029637299f, 0.000462008029f,
			-4.75524284e-05f, 2.36191022e-06f);
	float r = x != x ? x : 1.0f - ct_cuda_exp2_approx(p);
	return copysignf(r, x);
}

/* ---- lengths and remainders ---- */

CT_DEVICE float hypotf(float x, float y)
{
	float a = fabsf(x), b = fabsf(y), large = a > b ? a : b, small = a > b ? b : a;
	if (a == CT_CUDA_INF_F || b == CT_CUDA_INF_F)
		return CT_CUDA_INF_F;
	if (x != x || y != y)
		return x + y;
	/* A power of two brings both into the range whose squares a float holds. */
	float up = large > 1e15f ? 1.26217745e-29f : large < 1e-15f ? 7.92281625e+28f : 1.0f;
	float down = large > 1e15f ? 7.92281625e+28f : large < 1e-15f ? 1.26217745e-29f : 1.0f;
	large *= up;
	small *= up;
	return __fsqrt_rn(fmaf(large, large, small * small)) * down;
}

CT_DEVICE float rhypotf(float x, float y)
{
	return __frcp_rn(hypotf(x, y));
}

CT_DEVICE float norm3df(float x, float y, float z)
{
	return hypotf(hypotf(x, y), z);
}

CT_DEVICE float rnorm3df(float x, float y, float z)
{
	return __frcp_rn(norm3df(x, y, z));
}

CT_DEVICE float norm4df(float x, float y, float z, float w)
{
	return hypotf(hypotf(x, y), hypotf(z, w));
}

CT_DEVICE float rnorm4df(float x, float y, float z, float w)
{
	return __frcp_rn(norm4df(x, y, z, w));
}

/* a less a multiple of b, both positive and a < 2^22 b: no rounding down passes an integer, and the rest is exact. */
CT_DEVICE float ct_cuda_rest(float a, float b)
{
	return fmaf(-truncf(__fdiv_rz(a, b)), b, a);
}

CT_DEVICE float fmodf(float x, float y)
{
	float a = fabsf(x), b = fabsf(y);
	if (!(a < CT_CUDA_INF_F) || !(b > 0))
		return CT_CUDA_NAN_F;
	if (b == CT_CUDA_INF_F || a < b)
		return x;
	/* 22 bits of the quotient at a time. */
	for (int e = ct_cuda_exponent(a) - ct_cuda_exponent(b) - 21; e > 0; e -= 21)
		if (a >= b)
			a = ct_cuda_rest(a, ldexpf(b, e));
	return copysignf(ct_cuda_rest(a, b), x);
}

/* x less the nearest multiple of y, halves to the even one; *quotient: its last bits with its sign. */
CT_DEVICE float remquof(float x, float y, int *quotient)
{
	/* a sixteenth of both, where eight times y would overflow: exact for numbers of that size, or lost beside them */
	float b = fabsf(y), scale = b >= 1e37f ? 0.0625f : 1.0f, a = fabsf(x) * scale;
	int q = 0, negative = (__float_as_int(x) ^ __float_as_int(y)) < 0;
	*quotient = 0;
	if (!(a < CT_CUDA_INF_F) || !(b > 0))
		return CT_CUDA_NAN_F;
	if (b == CT_CUDA_INF_F)
		return x;
	b *= scale;
	float whole = a;
	a = fmodf(a, 8.0f * b);
	for (int k = 4; k > 0; k >>= 1)
		if (a >= (float)k * b) {
			a -= (float)k * b;
			q += k;
		}
	if (2.0f * a > b || (2.0f * a == b && q & 1)) {
		a -= b;
		q++;
	}
	*quotient = negative ? -q : q;
	if (q == 0 && a == whole)
		return x;
	a /= scale;
	return a == 0 ? copysignf(a, x) : __float_as_int(x) < 0 ? -a : a;
}

CT_DEVICE float remainderf(float x, float y)
{
	int quotient;
	return remquof(x, y, &quotient);
}

CT_DEVICE float nextafterf(float x, float y)
{
	int bits = __float_as_int(x);
	if (x != x || y != y)
		return x + y;
	if (x == y)
		return y;
	if (x == 0)
		return copysignf(1.40129846e-45f, y);
	return __int_as_float((x < y) == (x > 0) ? bits + 1 : bits - 1);
}

#endif
