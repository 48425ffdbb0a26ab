/* cuda_fp16.h - numbers of 16 bits, one and two at a time. Arithmetic is that of PTX's f16 and f16x2; what a
 * function has no instruction for is computed in single precision and rounded once. */
#ifndef CT_CUDA_FP16_H
#define CT_CUDA_FP16_H

#pragma GCC system_header

#include "cuda_runtime.h"

struct __half_raw {
	unsigned short x;
};
struct __half2_raw {
	unsigned short x, y;
};

#if defined(__CUDA__)
#define CT_HALF static __inline__ __attribute__((always_inline, nodebug)) __host__ __device__

/* The host has no instruction for it; clang's own conversion serves both sides. */
CT_HALF unsigned short ct_cuda_to_half(float v)
{
#if defined(__CUDA_ARCH__)
	unsigned short h;
	__asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
	return h;
#else
	unsigned int u = __builtin_bit_cast(unsigned int, v), sign = u >> 16 & 0x8000, a = u & 0x7fffffff;
	if (a > 0x7f800000)
		return 0x7fff;
	if (a >= 0x47800000) /* 65536, or 65520 after rounding below */
		return (unsigned short)(sign | 0x7c00);
	if (a < 0x38800000) { /* below 2^-14: adding 1/2 leaves the digits of a denormal at the end */
		float moved = __builtin_bit_cast(float, a) + 0.5f;
		return (unsigned short)(sign | (__builtin_bit_cast(unsigned int, moved) - 0x3f000000));
	}
	a += 0xfff + (a >> 13 & 1);
	return (unsigned short)(sign | ((a - 0x38000000) >> 13));
#endif
}

CT_HALF float ct_cuda_from_half(unsigned short h)
{
#if defined(__CUDA_ARCH__)
	float v;
	__asm__("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(h));
	return v;
#else
	unsigned int sign = (h & 0x8000u) << 16, a = h & 0x7fffu;
	if (a >= 0x7c00)
		return __builtin_bit_cast(float, sign | 0x7f800000u | (a & 0x3ff) << 13);
	if (a < 0x400) /* denormal: multiples of 2^-24 */
		return __builtin_bit_cast(float, sign | __builtin_bit_cast(unsigned int, (float)a * 5.9604644775390625e-8f));
	return __builtin_bit_cast(float, sign | (a << 13) + 0x38000000u);
#endif
}

struct __half {
	unsigned short __x;
	__half() = default;
	__host__ __device__ __half(const __half_raw &r) : __x(r.x)
	{
	}
	__host__ __device__ __half(float v) : __x(ct_cuda_to_half(v))
	{
	}
	__host__ __device__ __half(double v) : __x(ct_cuda_to_half((float)v))
	{
	}
	__host__ __device__ __half(int v) : __x(ct_cuda_to_half((float)v))
	{
	}
	__host__ __device__ __half(unsigned int v) : __x(ct_cuda_to_half((float)v))
	{
	}
	__host__ __device__ operator float() const
	{
		return ct_cuda_from_half(__x);
	}
	__host__ __device__ operator __half_raw() const
	{
		return __half_raw{__x};
	}
};
typedef __half half;

struct __align__(4) __half2 {
	__half x, y;
	__half2() = default;
	__host__ __device__ __half2(const __half &a, const __half &b) : x(a), y(b)
	{
	}
};
typedef __half2 half2;

CT_HALF __half ct_cuda_half(unsigned short bits)
{
	return __half(__half_raw{bits});
}

CT_HALF __half __float2half(float v)
{
	return __half(v);
}

CT_HALF __half __float2half_rn(float v)
{
	return __half(v);
}

CT_HALF __half __double2half(double v)
{
	return __half((float)v);
}

CT_HALF float __half2float(__half v)
{
	return ct_cuda_from_half(v.__x);
}

CT_HALF __half2 __halves2half2(__half a, __half b)
{
	return __half2(a, b);
}

CT_HALF __half2 make_half2(__half a, __half b)
{
	return __half2(a, b);
}

CT_HALF __half2 __half2half2(__half a)
{
	return __half2(a, a);
}

CT_HALF __half2 __float2half2_rn(float v)
{
	return __half2(__half(v), __half(v));
}

CT_HALF __half2 __floats2half2_rn(float a, float b)
{
	return __half2(__half(a), __half(b));
}

CT_HALF __half2 __float22half2_rn(float2 v)
{
	return __half2(__half(v.x), __half(v.y));
}

CT_HALF float2 __half22float2(__half2 v)
{
	return make_float2(__half2float(v.x), __half2float(v.y));
}

CT_HALF __half __low2half(__half2 v)
{
	return v.x;
}

CT_HALF __half __high2half(__half2 v)
{
	return v.y;
}

CT_HALF float __low2float(__half2 v)
{
	return __half2float(v.x);
}

CT_HALF float __high2float(__half2 v)
{
	return __half2float(v.y);
}

CT_HALF __half2 __lowhigh2highlow(__half2 v)
{
	return __half2(v.y, v.x);
}

CT_HALF __half2 __low2half2(__half2 v)
{
	return __half2(v.x, v.x);
}

CT_HALF __half2 __high2half2(__half2 v)
{
	return __half2(v.y, v.y);
}

CT_HALF unsigned short __half_as_ushort(__half v)
{
	return v.__x;
}

CT_HALF short __half_as_short(__half v)
{
	return (short)v.__x;
}

CT_HALF __half __ushort_as_half(unsigned short v)
{
	return ct_cuda_half(v);
}

CT_HALF __half __short_as_half(short v)
{
	return ct_cuda_half((unsigned short)v);
}

/* Conversions to and from integers go through single precision, which holds every half. */
CT_DEVICE int __half2int_rz(__half v)
{
	return __float2int_rz(__half2float(v));
}

CT_DEVICE int __half2int_rn(__half v)
{
	return __float2int_rn(__half2float(v));
}

CT_DEVICE __half __int2half_rn(int v)
{
	unsigned short h;
	__asm__("cvt.rn.f16.s32 %0, %1;" : "=h"(h) : "r"(v));
	return ct_cuda_half(h);
}

CT_DEVICE __half __uint2half_rn(unsigned int v)
{
	unsigned short h;
	__asm__("cvt.rn.f16.u32 %0, %1;" : "=h"(h) : "r"(v));
	return ct_cuda_half(h);
}

CT_DEVICE unsigned int ct_cuda_pair(__half2 v)
{
	return (unsigned int)v.y.__x << 16 | v.x.__x;
}

CT_DEVICE __half2 ct_cuda_unpair(unsigned int v)
{
	return __half2(ct_cuda_half((unsigned short)v), ct_cuda_half((unsigned short)(v >> 16)));
}

#define CT_CUDA_HALF_2(name, op) \
	CT_DEVICE __half name(__half a, __half b) \
	{ \
		unsigned short r; \
		__asm__(op ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x)); \
		return ct_cuda_half(r); \
	} \
	CT_DEVICE __half2 name##2(__half2 a, __half2 b) \
	{ \
		unsigned int r; \
		__asm__(op ".f16x2 %0, %1, %2;" : "=r"(r) : "r"(ct_cuda_pair(a)), "r"(ct_cuda_pair(b))); \
		return ct_cuda_unpair(r); \
	}
CT_CUDA_HALF_2(__hadd, "add")
CT_CUDA_HALF_2(__hsub, "sub")
CT_CUDA_HALF_2(__hmul, "mul")
#undef CT_CUDA_HALF_2

CT_DEVICE __half __hfma(__half a, __half b, __half c)
{
	unsigned short r;
	__asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
	return ct_cuda_half(r);
}

CT_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
	unsigned int r;
	__asm__("fma.rn.f16x2 %0, %1, %2, %3;"
	        : "=r"(r)
	        : "r"(ct_cuda_pair(a)), "r"(ct_cuda_pair(b)), "r"(ct_cuda_pair(c)));
	return ct_cuda_unpair(r);
}

CT_HALF __half __hneg(__half v)
{
	return ct_cuda_half((unsigned short)(v.__x ^ 0x8000));
}

CT_HALF __half __habs(__half v)
{
	return ct_cuda_half((unsigned short)(v.__x & 0x7fff));
}

CT_HALF __half2 __hneg2(__half2 v)
{
	return __half2(__hneg(v.x), __hneg(v.y));
}

CT_HALF bool __hisnan(__half v)
{
	return (v.__x & 0x7fff) > 0x7c00;
}

CT_HALF int __hisinf(__half v)
{
	return v.__x == 0x7c00 ? 1 : v.__x == 0xfc00 ? -1 : 0;
}

/* In single precision, which changes no quotient, root or function value but by its one rounding. */
CT_DEVICE __half __hdiv(__half a, __half b)
{
	return __half(__half2float(a) / __half2float(b));
}

CT_DEVICE __half2 __h2div(__half2 a, __half2 b)
{
	return __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}

#define CT_CUDA_HALF_FUNCTION(name, function) \
	CT_DEVICE __half h##name(__half v) \
	{ \
		return __half(function(__half2float(v))); \
	} \
	CT_DEVICE __half2 h2##name(__half2 v) \
	{ \
		return __half2(h##name(v.x), h##name(v.y)); \
	}
CT_CUDA_HALF_FUNCTION(sqrt, sqrtf)
CT_CUDA_HALF_FUNCTION(rsqrt, rsqrtf)
CT_CUDA_HALF_FUNCTION(rcp, __frcp_rn)
CT_CUDA_HALF_FUNCTION(exp, expf)
CT_CUDA_HALF_FUNCTION(exp2, exp2f)
CT_CUDA_HALF_FUNCTION(exp10, exp10f)
CT_CUDA_HALF_FUNCTION(log, logf)
CT_CUDA_HALF_FUNCTION(log2, log2f)
CT_CUDA_HALF_FUNCTION(log10, log10f)
CT_CUDA_HALF_FUNCTION(sin, sinf)
CT_CUDA_HALF_FUNCTION(cos, cosf)
CT_CUDA_HALF_FUNCTION(floor, floorf)
CT_CUDA_HALF_FUNCTION(ceil, ceilf)
CT_CUDA_HALF_FUNCTION(trunc, truncf)
CT_CUDA_HALF_FUNCTION(rint, rintf)
#undef CT_CUDA_HALF_FUNCTION

#define CT_CUDA_HALF_COMPARE(name, op) \
	CT_HALF bool __h##name(__half a, __half b) \
	{ \
		return __half2float(a) op __half2float(b); \
	} \
	CT_HALF bool operator op(const __half &a, const __half &b) \
	{ \
		return __half2float(a) op __half2float(b); \
	}
CT_CUDA_HALF_COMPARE(eq, ==)
CT_CUDA_HALF_COMPARE(lt, <)
CT_CUDA_HALF_COMPARE(le, <=)
CT_CUDA_HALF_COMPARE(gt, >)
CT_CUDA_HALF_COMPARE(ge, >=)
#undef CT_CUDA_HALF_COMPARE

CT_HALF bool operator!=(const __half &a, const __half &b)
{
	return __half2float(a) != __half2float(b);
}

CT_HALF bool __hne(__half a, __half b)
{
	return __half2float(a) < __half2float(b) || __half2float(a) > __half2float(b);
}

CT_DEVICE __half __hmin(__half a, __half b)
{
	return __half(fminf(__half2float(a), __half2float(b)));
}

CT_DEVICE __half __hmax(__half a, __half b)
{
	return __half(fmaxf(__half2float(a), __half2float(b)));
}

#define CT_CUDA_HALF_OPERATOR(op, one, two) \
	CT_DEVICE __half operator op(const __half &a, const __half &b) \
	{ \
		return one(a, b); \
	} \
	CT_DEVICE __half &operator op##=(__half &a, const __half &b) \
	{ \
		return a = one(a, b); \
	} \
	CT_DEVICE __half2 operator op(const __half2 &a, const __half2 &b) \
	{ \
		return two(a, b); \
	} \
	CT_DEVICE __half2 &operator op##=(__half2 &a, const __half2 &b) \
	{ \
		return a = two(a, b); \
	}
CT_CUDA_HALF_OPERATOR(+, __hadd, __hadd2)
CT_CUDA_HALF_OPERATOR(-, __hsub, __hsub2)
CT_CUDA_HALF_OPERATOR(*, __hmul, __hmul2)
CT_CUDA_HALF_OPERATOR(/, __hdiv, __h2div)
#undef CT_CUDA_HALF_OPERATOR

CT_DEVICE __half operator-(const __half &a)
{
	return __hneg(a);
}

/* By compare and swap of the word around it, as hardware without the instruction does. */
CT_DEVICE __half2 atomicAdd(__half2 *p, __half2 v)
{
	unsigned int old = *(volatile unsigned int *)p, seen;
	do {
		seen = old;
		old = atomicCAS((unsigned int *)p, seen, ct_cuda_pair(__hadd2(ct_cuda_unpair(seen), v)));
	} while (old != seen);
	return ct_cuda_unpair(old);
}

CT_DEVICE __half atomicAdd(__half *p, __half v)
{
	unsigned short old = *(volatile unsigned short *)p, seen;
	do {
		seen = old;
		old = atomicCAS((unsigned short *)p, seen, __hadd(ct_cuda_half(seen), v).__x);
	} while (old != seen);
	return ct_cuda_half(old);
}

CT_DEVICE __half __ldg(const __half *p)
{
	return ct_cuda_half(__ldg(&p->__x));
}

CT_DEVICE __half2 __ldg(const __half2 *p)
{
	return ct_cuda_unpair(__ldg((const unsigned int *)p));
}

CT_DEVICE __half __shfl_down_sync(unsigned int mask, __half v, int by, int width = 32)
{
	return ct_cuda_half((unsigned short)__shfl_down_sync(mask, (int)v.__x, by, width));
}

CT_DEVICE __half __shfl_xor_sync(unsigned int mask, __half v, int by, int width = 32)
{
	return ct_cuda_half((unsigned short)__shfl_xor_sync(mask, (int)v.__x, by, width));
}

CT_DEVICE __half __shfl_sync(unsigned int mask, __half v, int lane, int width = 32)
{
	return ct_cuda_half((unsigned short)__shfl_sync(mask, (int)v.__x, lane, width));
}

#undef CT_HALF
#endif

#endif
