/* host_math.h - functions that CUDA adds to C's mathematics, for the host's side of a program. Single precision is computed in
 * double. */
#ifndef CT_CUDA_HOST_MATH_H
#define CT_CUDA_HOST_MATH_H

#pragma GCC system_header

#include <math.h>

#define CT_HOST static __inline__ __attribute__((unused))

CT_HOST double rsqrt(double x)
{
	return 1.0 / sqrt(x);
}

CT_HOST double rcbrt(double x)
{
	return 1.0 / cbrt(x);
}

/* The remainder by 2 is exact, so that whole and half numbers give exact results. */
CT_HOST double sinpi(double x)
{
	double r = remainder(x, 2.0);
	if (fabs(r) > 0.5)
		r = copysign(1.0, r) - r;
	return sin(3.14159265358979323846 * r);
}

CT_HOST double cospi(double x)
{
	return sinpi(0.5 - fabs(remainder(x, 2.0)));
}

CT_HOST void sincospi(double x, double *s, double *c)
{
	*s = sinpi(x);
	*c = cospi(x);
}

CT_HOST double erfcx(double x)
{
	/* above 25 erfc() is no longer there: the continued fraction's first terms are exact to the last digits */
	if (x < 25.0)
		return exp(x * x) * erfc(x);
	return 0.56418958354775629 / (x + 0.5 / (x + 1.0 / (x + 1.5 / (x + 2.0 / x))));
}

CT_HOST double normcdf(double x)
{
	return 0.5 * erfc(-0.70710678118654752 * x);
}

/* By bisection, then Newton's steps: erfc falls everywhere. */
CT_HOST double erfcinv(double y)
{
	if (!(y >= 0.0 && y <= 2.0))
		return NAN;
	if (y == 0.0 || y == 2.0)
		return y == 0.0 ? INFINITY : -INFINITY;
	double low = -6.0, high = 28.0;
	for (int i = 0; i < 60; i++) {
		double middle = 0.5 * (low + high);
		if (erfc(middle) > y)
			low = middle;
		else
			high = middle;
	}
	return 0.5 * (low + high);
}

CT_HOST double erfinv(double y)
{
	if (fabs(y) > 0.5)
		return copysign(erfcinv(1.0 - fabs(y)), y);
	double x = 0.88622692545275801 * y;
	for (int i = 0; i < 5; i++)
		x -= (erf(x) - y) * 0.88622692545275801 * exp(x * x);
	return x;
}

/* Above a half 1 - p is exact and erfc is not flat. */
CT_HOST double normcdfinv(double p)
{
	return p > 0.5 ? 1.4142135623730951 * erfcinv(2.0 * (1.0 - p)) : -1.4142135623730951 * erfcinv(2.0 * p);
}

CT_HOST double rhypot(double x, double y)
{
	return 1.0 / hypot(x, y);
}

CT_HOST double norm3d(double x, double y, double z)
{
	return hypot(hypot(x, y), z);
}

CT_HOST double norm4d(double x, double y, double z, double w)
{
	return hypot(hypot(x, y), hypot(z, w));
}

CT_HOST double rnorm3d(double x, double y, double z)
{
	return 1.0 / norm3d(x, y, z);
}

CT_HOST double rnorm4d(double x, double y, double z, double w)
{
	return 1.0 / norm4d(x, y, z, w);
}

#define CT_HOST_SINGLE(name) \
	CT_HOST float name##f(float x) \
	{ \
		return (float)name((double)x); \
	}
CT_HOST_SINGLE(rsqrt)
CT_HOST_SINGLE(rcbrt)
CT_HOST_SINGLE(sinpi)
CT_HOST_SINGLE(cospi)
CT_HOST_SINGLE(erfcx)
CT_HOST_SINGLE(normcdf)
CT_HOST_SINGLE(erfcinv)
CT_HOST_SINGLE(erfinv)
CT_HOST_SINGLE(normcdfinv)
#undef CT_HOST_SINGLE

CT_HOST void sincospif(float x, float *s, float *c)
{
	*s = sinpif(x);
	*c = cospif(x);
}

CT_HOST float rhypotf(float x, float y)
{
	return (float)rhypot((double)x, (double)y);
}

CT_HOST float norm3df(float x, float y, float z)
{
	return (float)norm3d((double)x, (double)y, (double)z);
}

CT_HOST float norm4df(float x, float y, float z, float w)
{
	return (float)norm4d((double)x, (double)y, (double)z, (double)w);
}

CT_HOST float rnorm3df(float x, float y, float z)
{
	return (float)rnorm3d((double)x, (double)y, (double)z);
}

CT_HOST float rnorm4df(float x, float y, float z, float w)
{
	return (float)rnorm4d((double)x, (double)y, (double)z, (double)w);
}

CT_HOST float fdividef(float x, float y)
{
	return x / y;
}

#undef CT_HOST

#endif
