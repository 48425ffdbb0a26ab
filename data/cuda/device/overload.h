/* device/overload.h - the names of C++: functions that take float by the name of double's, integers as double. */
#ifndef CT_CUDA_DEVICE_OVERLOAD_H
#define CT_CUDA_DEVICE_OVERLOAD_H

#pragma GCC system_header

#include "inverse.h"

template <bool yes, class T> struct ct_cuda_if {
};
template <class T> struct ct_cuda_if<true, T> {
	typedef T type;
};
template <class T> struct ct_cuda_kind {
	enum { integer = 0, number = 0 };
};
#define CT_CUDA_KIND(T, whole) \
	template <> struct ct_cuda_kind<T> { \
		enum { integer = whole, number = 1 }; \
	};
CT_CUDA_KIND(bool, 1)
CT_CUDA_KIND(char, 1)
CT_CUDA_KIND(signed char, 1)
CT_CUDA_KIND(unsigned char, 1)
CT_CUDA_KIND(short, 1)
CT_CUDA_KIND(unsigned short, 1)
CT_CUDA_KIND(int, 1)
CT_CUDA_KIND(unsigned int, 1)
CT_CUDA_KIND(long, 1)
CT_CUDA_KIND(unsigned long, 1)
CT_CUDA_KIND(long long, 1)
CT_CUDA_KIND(unsigned long long, 1)
CT_CUDA_KIND(float, 0)
CT_CUDA_KIND(double, 0)
#undef CT_CUDA_KIND

#define CT_CUDA_ONE_AS(name, result) \
	CT_DEVICE result name(float x) \
	{ \
		return name##f(x); \
	} \
	template <class T> CT_DEVICE typename ct_cuda_if<ct_cuda_kind<T>::integer, ct_cuda_##result##_of_integer>::type name(T x) \
	{ \
		return name((double)x); \
	}
typedef double ct_cuda_float_of_integer;
typedef int ct_cuda_int_of_integer;
typedef long ct_cuda_long_of_integer;
#define CT_CUDA_ONE(name) CT_CUDA_ONE_AS(name, float)
CT_CUDA_ONE(sqrt)
CT_CUDA_ONE(rsqrt)
CT_CUDA_ONE(cbrt)
CT_CUDA_ONE(rcbrt)
CT_CUDA_ONE(fabs)
CT_CUDA_ONE(floor)
CT_CUDA_ONE(ceil)
CT_CUDA_ONE(trunc)
CT_CUDA_ONE(rint)
CT_CUDA_ONE(nearbyint)
CT_CUDA_ONE(round)
CT_CUDA_ONE(logb)
CT_CUDA_ONE(exp)
CT_CUDA_ONE(exp2)
CT_CUDA_ONE(exp10)
CT_CUDA_ONE(expm1)
CT_CUDA_ONE(log)
CT_CUDA_ONE(log2)
CT_CUDA_ONE(log10)
CT_CUDA_ONE(log1p)
CT_CUDA_ONE(sin)
CT_CUDA_ONE(cos)
CT_CUDA_ONE(tan)
CT_CUDA_ONE(sinpi)
CT_CUDA_ONE(cospi)
CT_CUDA_ONE(asin)
CT_CUDA_ONE(acos)
CT_CUDA_ONE(atan)
CT_CUDA_ONE(sinh)
CT_CUDA_ONE(cosh)
CT_CUDA_ONE(tanh)
CT_CUDA_ONE(asinh)
CT_CUDA_ONE(acosh)
CT_CUDA_ONE(atanh)
CT_CUDA_ONE(erf)
CT_CUDA_ONE(erfc)
CT_CUDA_ONE(erfcx)
CT_CUDA_ONE(normcdf)
CT_CUDA_ONE(erfinv)
CT_CUDA_ONE(erfcinv)
CT_CUDA_ONE(normcdfinv)
CT_CUDA_ONE(tgamma)
CT_CUDA_ONE(lgamma)
CT_CUDA_ONE_AS(ilogb, int)
CT_CUDA_ONE_AS(lrint, long)
CT_CUDA_ONE_AS(lround, long)
#undef CT_CUDA_ONE
#undef CT_CUDA_ONE_AS

CT_DEVICE long long llrint(float x)
{
	return llrintf(x);
}

CT_DEVICE long long llround(float x)
{
	return llroundf(x);
}

/* Two arguments: float of two floats, else double. */
#define CT_CUDA_TWO(name) \
	CT_DEVICE float name(float x, float y) \
	{ \
		return name##f(x, y); \
	} \
	template <class T, class U> \
	CT_DEVICE typename ct_cuda_if<ct_cuda_kind<T>::number && ct_cuda_kind<U>::number, double>::type name(T x, U y) \
	{ \
		return name((double)x, (double)y); \
	}
CT_CUDA_TWO(pow)
CT_CUDA_TWO(atan2)
CT_CUDA_TWO(hypot)
CT_CUDA_TWO(fmod)
CT_CUDA_TWO(remainder)
CT_CUDA_TWO(fmin)
CT_CUDA_TWO(fmax)
CT_CUDA_TWO(fdim)
CT_CUDA_TWO(copysign)
CT_CUDA_TWO(nextafter)
#undef CT_CUDA_TWO

CT_DEVICE float fma(float x, float y, float z)
{
	return fmaf(x, y, z);
}

CT_DEVICE float ldexp(float x, int n)
{
	return ldexpf(x, n);
}

CT_DEVICE float scalbn(float x, int n)
{
	return scalbnf(x, n);
}

CT_DEVICE float scalbln(float x, long n)
{
	return scalblnf(x, n);
}

CT_DEVICE float frexp(float x, int *exponent)
{
	return frexpf(x, exponent);
}

CT_DEVICE float modf(float x, float *whole)
{
	return modff(x, whole);
}

CT_DEVICE float remquo(float x, float y, int *quotient)
{
	return remquof(x, y, quotient);
}

CT_DEVICE void sincos(float x, float *s, float *c)
{
	sincosf(x, s, c);
}

CT_DEVICE float fdividef(float x, float y)
{
	return x / y;
}

/* Absolute values, and the lesser and greater of two, which CUDA has for the host as well. */
CT_DEVICE int abs(int x)
{
	return x < 0 ? -x : x;
}

CT_DEVICE long labs(long x)
{
	return x < 0 ? -x : x;
}

CT_DEVICE long long llabs(long long x)
{
	return x < 0 ? -x : x;
}

CT_DEVICE long abs(long x)
{
	return labs(x);
}

CT_DEVICE long long abs(long long x)
{
	return llabs(x);
}

CT_DEVICE float abs(float x)
{
	return fabsf(x);
}

CT_DEVICE double abs(double x)
{
	return fabs(x);
}

#define CT_CUDA_LESSER(T) \
	static __inline__ __host__ __device__ T min(T a, T b) \
	{ \
		return b < a ? b : a; \
	} \
	static __inline__ __host__ __device__ T max(T a, T b) \
	{ \
		return a < b ? b : a; \
	}
CT_CUDA_LESSER(int)
CT_CUDA_LESSER(unsigned int)
CT_CUDA_LESSER(long)
CT_CUDA_LESSER(unsigned long)
CT_CUDA_LESSER(long long)
CT_CUDA_LESSER(unsigned long long)
#undef CT_CUDA_LESSER

/* Of numbers, one that is none loses. */
#define CT_CUDA_LESSER(T, U, R, low, high) \
	static __inline__ __host__ __device__ R min(T a, U b) \
	{ \
		return low((R)a, (R)b); \
	} \
	static __inline__ __host__ __device__ R max(T a, U b) \
	{ \
		return high((R)a, (R)b); \
	}
CT_CUDA_LESSER(float, float, float, __builtin_fminf, __builtin_fmaxf)
CT_CUDA_LESSER(double, double, double, __builtin_fmin, __builtin_fmax)
CT_CUDA_LESSER(float, double, double, __builtin_fmin, __builtin_fmax)
CT_CUDA_LESSER(double, float, double, __builtin_fmin, __builtin_fmax)
#undef CT_CUDA_LESSER

#define CT_CUDA_LESSER(T, U, R) \
	static __inline__ __host__ __device__ R min(T a, U b) \
	{ \
		return min((R)a, (R)b); \
	} \
	static __inline__ __host__ __device__ R max(T a, U b) \
	{ \
		return max((R)a, (R)b); \
	}
CT_CUDA_LESSER(int, unsigned int, unsigned int)
CT_CUDA_LESSER(unsigned int, int, unsigned int)
CT_CUDA_LESSER(long, unsigned long, unsigned long)
CT_CUDA_LESSER(unsigned long, long, unsigned long)
CT_CUDA_LESSER(long long, unsigned long long, unsigned long long)
CT_CUDA_LESSER(unsigned long long, long long, unsigned long long)
#undef CT_CUDA_LESSER

CT_DEVICE unsigned int umin(unsigned int a, unsigned int b)
{
	return b < a ? b : a;
}

CT_DEVICE unsigned int umax(unsigned int a, unsigned int b)
{
	return a < b ? b : a;
}

/* Kinds of a number, by the names that macros of the C library call on the host. */
#define CT_CUDA_KINDS(T, suffix) \
	CT_DEVICE int __isnan##suffix(T x) \
	{ \
		return __builtin_isnan(x); \
	} \
	CT_DEVICE int __isinf##suffix(T x) \
	{ \
		return __builtin_isinf(x); \
	} \
	CT_DEVICE int __finite##suffix(T x) \
	{ \
		return __builtin_isfinite(x); \
	} \
	CT_DEVICE int __signbit##suffix(T x) \
	{ \
		return __builtin_signbit(x); \
	}
CT_CUDA_KINDS(float, f)
CT_CUDA_KINDS(double, )
#undef CT_CUDA_KINDS

#endif
