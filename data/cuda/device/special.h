/* device/special.h - error functions, gamma, lengths and remainders in double precision, made as
 * device/single.h is. */
#ifndef CT_CUDA_DEVICE_SPECIAL_H
#define CT_CUDA_DEVICE_SPECIAL_H

#pragma GCC system_header

#include "double.h"

/* ---- error functions and gamma ---- */

CT_DEVICE double ct_cuda_erf_near_0(double x)
{
	double z = x * x, p = ct_cuda_poly(z, 0.1283791670955126, -0.37612638903183754,
			0.1128379167095512, -0.02686617064512984, 0.0052239776254232985,
			-0.000854832702193483, 0.00012055332902888736, -1.4925647567519332e-05,
			1.6462045441468418e-06, -1.6364642158167616e-07, 1.4792401209404813e-08,
			-1.216456005728345e-09, 8.709045129053106e-11, -4.230945824295338e-12);
	return fma(p, x, x);
}

/* e^(x^2) erfc(x) for x >= 0.4 as r((x - 4) / (x + 4)) / (1 + 2 x) (M. Shepherd, J. Laframboise: Chebyshev
 * approximation of (1 + 2x) exp(x^2) erfc x, Math. Comp. 36, 1981). */
CT_DEVICE double ct_cuda_erfcx_tail(double b)
{
	double t = (b - 4.0) / (b + 4.0);
	double p = ct_cuda_poly(t, 1.2329951186255526, -0.1396211168405625,
			0.015379652102620024, 0.06809705425469184, -0.1010390660363236,
			0.09373283499838343, -0.06633036581169781, 0.03716751553689339,
			-0.016197734065064456, 0.00503196998315447, -0.0007577732290352425,
			-0.00019925671792259803, 0.00015062137187791093, -2.439917108921655e-05,
			-1.1221040298234377e-05, 5.709783432329159e-06, 2.917569350744597e-07,
			-8.258492477802459e-07, 7.726650781690355e-08, 1.1094390293359294e-07,
			-1.982779178050443e-08, -1.4971959397716502e-08, 2.4391323784148005e-09,
			1.602802789057185e-09);
	return p / fma(2.0, b, 1.0);
}

/* erfc(x) for x >= 0.4: the same without its factor. */
CT_DEVICE double ct_cuda_erfc_tail(double x)
{
	double b = fmin(x, 28.0);
	double square = __dmul_rn(b, b);
	return ct_cuda_exp_sum(-square, -fma(b, b, -square)) * ct_cuda_erfcx_tail(b);
}

CT_DEVICE double erf(double x)
{
	double a = fabs(x);
	if (a < 1.0)
		return ct_cuda_erf_near_0(x);
	return x != x ? x : copysign(1.0 - ct_cuda_erfc_tail(fmin(a, 6.0)), x);
}

CT_DEVICE double erfc(double x)
{
	if (x != x)
		return x;
	return x < 0.46875 ? x < -1.0 ? 2.0 - ct_cuda_erfc_tail(fmin(-x, 7.0)) : 1.0 - ct_cuda_erf_near_0(x)
	                   : ct_cuda_erfc_tail(x);
}

CT_DEVICE double erfcx(double x)
{
	double b = fmin(x, 1e15);
	if (x != x)
		return x;
	if (x < 0.46875)
		return exp(x * x) * erfc(x);
	if (x > 27.0)
		/* the asymptotic series, 1/sqrt(pi) in front */
		return 0.5641895835477563 / x *
		       ct_cuda_poly(1.0 / (b * b), 1.0, -0.5, 0.75, -1.875, 6.5625, -29.53125,
		                    162.421875, -1055.7421875);
	return ct_cuda_erfcx_tail(b);
}

CT_DEVICE double normcdf(double x)
{
	double t = __dmul_rn(x, -0.7071067811865476), r = 0.5 * erfc(t);
	/* what the rounding of t lost, along the slope of erfc */
	double low = fma(x, -0.7071067811865476, -t) + x * 4.833646656726457e-17;
	return x < -1.0 && x > -39.0 ? fma(low * -0.5641895835477563, ct_cuda_exp_sum(-(t * t), 0.0), r) : r;
}

/* What Stirling's formula leaves out of ln gamma(x), x >= 9: Bernoulli's numbers over 2k (2k - 1) x^(2k - 1). */
CT_DEVICE double ct_cuda_stirling(double x)
{
	double v = 1.0 / x;
	return v * ct_cuda_poly(v * v, 0.08333333333333333, -0.002777777777777778, 7.936507936507937e-4,
	                        -5.952380952380953e-4, 8.417508417508418e-4, -1.9175269175269176e-3,
	                        6.41025641025641e-3, -2.955065359477124e-2, 0.17964437236883057,
	                        -1.3924322169059011);
}

/* x and so many that the sum is 9 or more, with the product of all numbers on the way. *low: what the rounding of
 * the sum changes of ln gamma, whose slope is about ln(y) - 1 / 2y. */
CT_DEVICE double ct_cuda_gamma_up(double x, double *product, double *low)
{
	double n = x < 9.0 ? ceil(9.0 - x) : 0.0, y = x + n;
	*low = (x - (y - n)) * (log(y) - 0.5 / y);
	*product = 1.0;
	for (double k = 0.0; k < n; k += 1.0)
		*product *= x + k;
	return y;
}

/* gamma(x) for x >= 1/2: the power of Stirling's formula in two factors, behind a product that leads to x >= 9. */
CT_DEVICE_CALL double ct_cuda_gamma_positive(double x)
{
	double product = 1.0;
	if (x > 172.0)
		return CT_CUDA_INF;
	if (x == trunc(x) && x < 24.0) { /* factorials are exact */
		for (double k = 2.0; k < x; k += 1.0)
			product *= k;
		return product;
	}
	double low, y = ct_cuda_gamma_up(x, &product, &low), root = pow(y, 0.5 * y - 0.25);
	double g = 2.5066282746310002 * root * exp(-y) * root * exp(ct_cuda_stirling(y)) / product;
	return fma(g, low, g);
}

CT_DEVICE double tgamma(double x)
{
	double product = 1.0, y = x;
	if (x == 0)
		return copysign(CT_CUDA_INF, x);
	if (x != x || (x < 0 && trunc(x) == x))
		return CT_CUDA_NAN;
	if (x >= 0.5)
		return ct_cuda_gamma_positive(x);
	if (x < -190.0)
		return copysign(0.0, sinpi(x));
	/* gamma(1 - x) would be infinite */
	for (; y < -150.0; y += 1.0)
		product *= y;
	/* gamma(y) gamma(1 - y) = pi / sin(pi y); the rounding of 1 - y counts by the slope of ln gamma */
	double z = 1.0 - y, g = ct_cuda_gamma_positive(z);
	g = fma(g, (1.0 - z - y) * (log(z) - 0.5 / z), g);
	return 3.141592653589793 / (sinpi(y) * g) / product;
}

CT_DEVICE_CALL double ct_cuda_lgamma_positive(double x)
{
	double product, low;
	if (x == 1.0 || x == 2.0)
		return 0.0;
	if (x > 1e305)
		return CT_CUDA_INF;
	double y = ct_cuda_gamma_up(x, &product, &low);
	return fma(y - 0.5, log(y), -y) + 0.9189385332046727 + (ct_cuda_stirling(y) + low) - log(product);
}

CT_DEVICE double lgamma(double x)
{
	if (fabs(x) == CT_CUDA_INF || (x <= 0 && trunc(x) == x))
		return CT_CUDA_INF;
	if (x >= 0.5)
		return ct_cuda_lgamma_positive(x);
	return x != x ? x : 1.1447298858494002 - log(fabs(sinpi(x))) - ct_cuda_lgamma_positive(1.0 - x);
}

CT_DEVICE float erfcf(float x)
{
	return (float)erfc((double)x);
}

CT_DEVICE float erfcxf(float x)
{
	return (float)erfcx((double)x);
}

CT_DEVICE float normcdff(float x)
{
	return (float)normcdf((double)x);
}

CT_DEVICE float tgammaf(float x)
{
	return (float)tgamma((double)x);
}

CT_DEVICE float lgammaf(float x)
{
	return (float)lgamma((double)x);
}

/* ---- lengths and remainders ---- */

CT_DEVICE double hypot(double x, double y)
{
	double a = fabs(x), b = fabs(y), large = a > b ? a : b, small = a > b ? b : a;
	if (a == CT_CUDA_INF || b == CT_CUDA_INF)
		return CT_CUDA_INF;
	if (x != x || y != y)
		return x + y;
	double up = large > 1e150 ? 0x1p-700 : large < 1e-150 ? 0x1p700 : 1.0;
	double down = large > 1e150 ? 0x1p700 : large < 1e-150 ? 0x1p-700 : 1.0;
	large *= up;
	small *= up;
	return __dsqrt_rn(fma(large, large, small * small)) * down;
}

CT_DEVICE double rhypot(double x, double y)
{
	return 1.0 / hypot(x, y);
}

CT_DEVICE double norm3d(double x, double y, double z)
{
	return hypot(hypot(x, y), z);
}

CT_DEVICE double rnorm3d(double x, double y, double z)
{
	return 1.0 / norm3d(x, y, z);
}

CT_DEVICE double norm4d(double x, double y, double z, double w)
{
	return hypot(hypot(x, y), hypot(z, w));
}

CT_DEVICE double rnorm4d(double x, double y, double z, double w)
{
	return 1.0 / norm4d(x, y, z, w);
}

/* a less a multiple of b, both positive and a < 2^51 b. */
CT_DEVICE double ct_cuda_rest(double a, double b)
{
	return fma(-trunc(__ddiv_rz(a, b)), b, a);
}

CT_DEVICE double fmod(double x, double y)
{
	double a = fabs(x), b = fabs(y);
	if (!(a < CT_CUDA_INF) || !(b > 0))
		return CT_CUDA_NAN;
	if (b == CT_CUDA_INF || a < b)
		return x;
	for (int e = ct_cuda_exponent(a) - ct_cuda_exponent(b) - 50; e > 0; e -= 50)
		if (a >= ldexp(b, e))
			a = ct_cuda_rest(a, ldexp(b, e));
	return copysign(ct_cuda_rest(a, b), x);
}

CT_DEVICE double remquo(double x, double y, int *quotient)
{
	/* a sixteenth of both, where eight times y would overflow: exact for numbers of that size, or lost beside them */
	double b = fabs(y), scale = b >= 1e307 ? 0.0625 : 1.0, a = fabs(x) * scale;
	int q = 0, negative = (__double2hiint(x) ^ __double2hiint(y)) < 0;
	*quotient = 0;
	if (!(a < CT_CUDA_INF) || !(b > 0))
		return CT_CUDA_NAN;
	if (b == CT_CUDA_INF)
		return x;
	b *= scale;
	double whole = a;
	a = fmod(a, 8.0 * b);
	for (int k = 4; k > 0; k >>= 1)
		if (a >= (double)k * b) {
			a -= (double)k * b;
			q += k;
		}
	if (2.0 * a > b || (2.0 * a == b && q & 1)) {
		a -= b;
		q++;
	}
	*quotient = negative ? -q : q;
	if (q == 0 && a == whole)
		return x;
	a /= scale;
	return a == 0 ? copysign(a, x) : __double2hiint(x) < 0 ? -a : a;
}

CT_DEVICE double remainder(double x, double y)
{
	int quotient;
	return remquo(x, y, &quotient);
}

CT_DEVICE double nextafter(double x, double y)
{
	long long bits = __double_as_longlong(x);
	if (x != x || y != y)
		return x + y;
	if (x == y)
		return y;
	if (x == 0)
		return copysign(4.9406564584124654e-324, y);
	return __longlong_as_double((x < y) == (x > 0) ? bits + 1 : bits - 1);
}

#endif
