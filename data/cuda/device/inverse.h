/* device/inverse.h - inverses of the error function and of the normal distribution, and Bessel functions of imaginary
 * arguments. */
#ifndef CT_CUDA_DEVICE_INVERSE_H
#define CT_CUDA_DEVICE_INVERSE_H

#pragma GCC system_header

#include "special.h"

/* Three of Halley's steps from where erf(x) = y nearly; each triples the right digits. The derivative of erf is
 * 2 / sqrt(pi) exp(-x x). */
CT_DEVICE double ct_cuda_erf_steps(double x, double y)
{
	for (int i = 0; i < 3; i++) {
		double step = (erf(x) - y) * 0.88622692545275801 * exp(x * x);
		x -= step / (1.0 + x * step);
	}
	return x;
}

/* The same of erfc(x) = t, which keeps digits where erf is near 1. exp(x x) is the square of what does not overflow. */
CT_DEVICE double ct_cuda_erfc_steps(double x, double t)
{
	for (int i = 0; i < 3; i++) {
		double root = exp(0.5 * x * x), step = (t * root * root - erfcx(x)) * 0.88622692545275801;
		x -= step / (1.0 + x * step);
	}
	return x;
}

/* Where erf(x) = 1 - t, within a percent: by the leading terms of Winitzki's approximation of erf (2008), solved for x. */
CT_DEVICE double ct_cuda_erfc_guess(double t)
{
	double l = log(t * (2.0 - t)), a = 4.3307467508 + 0.5 * l;
	return sqrt(sqrt(fma(a, a, -6.8027501961 * l)) - a);
}

CT_DEVICE double erfcinv(double y)
{
	if (!(y >= 0.0 && y <= 2.0))
		return CT_CUDA_NAN;
	if (y == 0.0 || y == 2.0)
		return y == 0.0 ? CT_CUDA_INF : -CT_CUDA_INF;
	if (y > 0.5 && y < 1.5) {
		double z = 1.0 - y;
		return ct_cuda_erf_steps(0.88622692545275801 * z * (1.0 + 0.26179938779914941 * z * z), z);
	}
	double t = y < 1.0 ? y : 2.0 - y, x = ct_cuda_erfc_steps(ct_cuda_erfc_guess(t), t);
	return y < 1.0 ? x : -x;
}

CT_DEVICE double erfinv(double y)
{
	double a = fabs(y);
	if (!(a <= 1.0))
		return CT_CUDA_NAN;
	if (a < 0.5) {
		double z = 0.88622692545275801 * y;
		return a < 1e-8 ? z : ct_cuda_erf_steps(z * (1.0 + 0.26179938779914941 * y * y), y);
	}
	return copysign(erfcinv(1.0 - a), y);
}

CT_DEVICE double normcdfinv(double p)
{
	return -1.4142135623730951 * erfcinv(2.0 * p);
}

/* The sum of (x^2 / 4)^k / (k! (k + n)!), whose terms are all positive; above 40 the asymptotic series, each of whose terms is smaller
 * than the one before until they are below the last digit. */
CT_DEVICE double ct_cuda_bessel_i(double x, int n)
{
	double a = fabs(x), sum = 1.0, term = 1.0;
	if (a <= 40.0) {
		double q = 0.25 * a * a;
		for (int k = 1; term > 1e-17 * sum; k++) {
			term *= q / ((double)k * (double)(k + n));
			sum += term;
		}
		return n ? 0.5 * a * sum : sum;
	}
	for (int k = 1; k < 30 && fabs(term) > 1e-17; k++) {
		double odd = (double)(2 * k - 1);
		term *= (odd * odd - 4.0 * n) / (8.0 * k * a);
		sum += term;
	}
	double half = exp(0.5 * a); /* twice: exp(a) overflows before the quotient does */
	return half * (0.3989422804014327 / sqrt(a) * sum) * half;
}

CT_DEVICE double cyl_bessel_i0(double x)
{
	return ct_cuda_bessel_i(x, 0);
}

CT_DEVICE double cyl_bessel_i1(double x)
{
	return copysign(ct_cuda_bessel_i(x, 1), x);
}

#define CT_CUDA_SINGLE(name) \
	CT_DEVICE float name##f(float x) \
	{ \
		return (float)name((double)x); \
	}
CT_CUDA_SINGLE(erfinv)
CT_CUDA_SINGLE(erfcinv)
CT_CUDA_SINGLE(normcdfinv)
CT_CUDA_SINGLE(cyl_bessel_i0)
CT_CUDA_SINGLE(cyl_bessel_i1)
#undef CT_CUDA_SINGLE

/* Lengths of vectors of any dimension. The largest component is taken out, so that no square overflows. */
CT_DEVICE double norm(int n, const double *v)
{
	double most = 0.0, sum = 0.0;
	for (int i = 0; i < n; i++)
		most = fmax(most, fabs(v[i]));
	if (most == 0.0 || most == CT_CUDA_INF)
		return most;
	for (int i = 0; i < n; i++)
		sum = fma(v[i] / most, v[i] / most, sum);
	return most * sqrt(sum);
}

CT_DEVICE float normf(int n, const float *v)
{
	double sum = 0.0;
	for (int i = 0; i < n; i++)
		sum = fma((double)v[i], (double)v[i], sum);
	return (float)sqrt(sum);
}

CT_DEVICE double rnorm(int n, const double *v)
{
	return 1.0 / norm(n, v);
}

CT_DEVICE float rnormf(int n, const float *v)
{
	return 1.0f / normf(n, v);
}

#endif
