/* cuComplex.h - complex numbers of two precisions, as float2 and double2. */
#ifndef CT_CUDA_CUCOMPLEX_H
#define CT_CUDA_CUCOMPLEX_H
#define CU_COMPLEX_H_

#pragma GCC system_header

#include <math.h>
#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#if defined(__CUDA__)
#define CT_COMPLEX static __inline__ __attribute__((always_inline, nodebug, unused)) __host__ __device__
#else
#define CT_COMPLEX static __inline__ __attribute__((unused))
#endif

/* Quotients and absolute values take the larger part out first, so that no square overflows. A C source has them, too. */
#define CT_CUDA_COMPLEX(complex, real, f, s) \
	CT_COMPLEX real cuCreal##f(complex v) \
	{ \
		return v.x; \
	} \
	CT_COMPLEX real cuCimag##f(complex v) \
	{ \
		return v.y; \
	} \
	CT_COMPLEX complex make_cu##s##Complex(real x, real y) \
	{ \
		complex v; \
		v.x = x; \
		v.y = y; \
		return v; \
	} \
	CT_COMPLEX complex cuConj##f(complex v) \
	{ \
		return make_cu##s##Complex(v.x, -v.y); \
	} \
	CT_COMPLEX complex cuCadd##f(complex a, complex b) \
	{ \
		return make_cu##s##Complex(a.x + b.x, a.y + b.y); \
	} \
	CT_COMPLEX complex cuCsub##f(complex a, complex b) \
	{ \
		return make_cu##s##Complex(a.x - b.x, a.y - b.y); \
	} \
	CT_COMPLEX complex cuCmul##f(complex a, complex b) \
	{ \
		return make_cu##s##Complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); \
	} \
	CT_COMPLEX complex cuCdiv##f(complex a, complex b) \
	{ \
		real scale = 1 / (fabs##f(b.x) + fabs##f(b.y)); \
		real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale; \
		real over = 1 / (bx * bx + by * by); \
		return make_cu##s##Complex((ax * bx + ay * by) * over, (ay * bx - ax * by) * over); \
	} \
	CT_COMPLEX real cuCabs##f(complex v) \
	{ \
		return hypot##f(v.x, v.y); \
	} \
	CT_COMPLEX complex cuCfma##f(complex a, complex b, complex c) \
	{ \
		return make_cu##s##Complex(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x); \
	}
CT_CUDA_COMPLEX(cuFloatComplex, float, f, Float)
CT_CUDA_COMPLEX(cuDoubleComplex, double, , Double)
#undef CT_CUDA_COMPLEX

CT_COMPLEX cuComplex make_cuComplex(float x, float y)
{
	return make_cuFloatComplex(x, y);
}

CT_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex v)
{
	return make_cuDoubleComplex((double)v.x, (double)v.y);
}

CT_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex v)
{
	return make_cuFloatComplex((float)v.x, (float)v.y);
}
#undef CT_COMPLEX

#endif
