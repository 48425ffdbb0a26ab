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
#include "device/define.h"

/* The host has no instruction for it; clang's own conversion serves both sides. */
CT_BOTH unsigned short ct_cuda_to_half(float v)
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

CT_BOTH float ct_cuda_from_half(unsigned short h)
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
	__host__ __device__ __half(long v) : __x(ct_cuda_to_half((float)v))
	{
	}
	__host__ __device__ __half(unsigned long v) : __x(ct_cuda_to_half((float)v))
	{
	}
	__host__ __device__ __half(long long v) : __x(ct_cuda_to_half((float)v))
	{
	}
	__host__ __device__ __half(unsigned long long v) : __x(ct_cuda_to_half((float)v))
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
	__host__ __device__ __half2(const __half2_raw &r) : x(__half_raw{r.x}), y(__half_raw{r.y})
	{
	}
	__host__ __device__ operator __half2_raw() const
	{
		return __half2_raw{x.__x, y.__x};
	}
};
typedef __half2 half2;

CT_BOTH __half ct_cuda_half(unsigned short bits)
{
	return __half(__half_raw{bits});
}

CT_BOTH __half __float2half(float v)
{
	return __half(v);
}

CT_BOTH __half __float2half_rn(float v)
{
	return __half(v);
}

CT_BOTH __half __double2half(double v)
{
	return __half((float)v);
}

CT_BOTH float __half2float(__half v)
{
	return ct_cuda_from_half(v.__x);
}

CT_BOTH __half2 __halves2half2(__half a, __half b)
{
	return __half2(a, b);
}

CT_BOTH __half2 make_half2(__half a, __half b)
{
	return __half2(a, b);
}

CT_BOTH __half2 __half2half2(__half a)
{
	return __half2(a, a);
}

CT_BOTH __half2 __float2half2_rn(float v)
{
	return __half2(__half(v), __half(v));
}

CT_BOTH __half2 __floats2half2_rn(float a, float b)
{
	return __half2(__half(a), __half(b));
}

CT_BOTH __half2 __float22half2_rn(float2 v)
{
	return __half2(__half(v.x), __half(v.y));
}

CT_BOTH float2 __half22float2(__half2 v)
{
	return make_float2(__half2float(v.x), __half2float(v.y));
}

CT_BOTH __half __low2half(__half2 v)
{
	return v.x;
}

CT_BOTH __half __high2half(__half2 v)
{
	return v.y;
}

CT_BOTH float __low2float(__half2 v)
{
	return __half2float(v.x);
}

CT_BOTH float __high2float(__half2 v)
{
	return __half2float(v.y);
}

CT_BOTH __half2 __lowhigh2highlow(__half2 v)
{
	return __half2(v.y, v.x);
}

CT_BOTH __half2 __low2half2(__half2 v)
{
	return __half2(v.x, v.x);
}

CT_BOTH __half2 __high2half2(__half2 v)
{
	return __half2(v.y, v.y);
}

CT_BOTH unsigned short __half_as_ushort(__half v)
{
	return v.__x;
}

CT_BOTH short __half_as_short(__half v)
{
	return (short)v.__x;
}

CT_BOTH __half __ushort_as_half(unsigned short v)
{
	return ct_cuda_half(v);
}

CT_BOTH __half __short_as_half(short v)
{
	return ct_cuda_half((unsigned short)v);
}

/* Conversions to integers go through single precision, which holds every half. Those from integers that single precision does not
 * hold are PTX's own, rounded once. */
#define CT_CUDA_HALF_TO(type, name) \
	CT_DEVICE type __half2##name##_rz(__half v) \
	{ \
		return (type)__half2float(v); \
	} \
	CT_DEVICE type __half2##name##_rn(__half v) \
	{ \
		return (type)rintf(__half2float(v)); \
	} \
	CT_DEVICE type __half2##name##_rd(__half v) \
	{ \
		return (type)floorf(__half2float(v)); \
	} \
	CT_DEVICE type __half2##name##_ru(__half v) \
	{ \
		return (type)ceilf(__half2float(v)); \
	}
CT_CUDA_HALF_TO(short, short)
CT_CUDA_HALF_TO(unsigned short, ushort)
CT_CUDA_HALF_TO(int, int)
CT_CUDA_HALF_TO(unsigned int, uint)
CT_CUDA_HALF_TO(long long, ll)
CT_CUDA_HALF_TO(unsigned long long, ull)
#undef CT_CUDA_HALF_TO

#define CT_CUDA_HALF_OF(type, name, ptx, constraint) \
	CT_DEVICE __half __##name##2half_rn(type v) \
	{ \
		unsigned short h; \
		__asm__("cvt.rn.f16." ptx " %0, %1;" : "=h"(h) : constraint(v)); \
		return ct_cuda_half(h); \
	} \
	CT_DEVICE __half __##name##2half_rz(type v) \
	{ \
		unsigned short h; \
		__asm__("cvt.rz.f16." ptx " %0, %1;" : "=h"(h) : constraint(v)); \
		return ct_cuda_half(h); \
	}
CT_CUDA_HALF_OF(short, short, "s16", "h")
CT_CUDA_HALF_OF(unsigned short, ushort, "u16", "h")
CT_CUDA_HALF_OF(int, int, "s32", "r")
CT_CUDA_HALF_OF(unsigned int, uint, "u32", "r")
CT_CUDA_HALF_OF(long long, ll, "s64", "l")
CT_CUDA_HALF_OF(unsigned long long, ull, "u64", "l")
#undef CT_CUDA_HALF_OF

#if defined(__CUDA_ARCH__)
#define CT_16_DO_2(name, a, b) \
	unsigned short r; \
	__asm__(CT_16_PTX_##name ".f16 %0, %1, %2;" : "=h"(r) : "h"(a.__x), "h"(b.__x)); \
	return ct_cuda_half(r);
#define CT_16_DO_PAIRS_2(name, a, b) \
	unsigned int w; \
	__asm__(CT_16_PTX_##name ".f16x2 %0, %1, %2;" : "=r"(w) : "r"(ct_cuda_word(a)), "r"(ct_cuda_word(b))); \
	ct_cuda_set_word(a, w); \
	return a;
#define CT_16_DO_3(a, b, c) \
	unsigned short r; \
	__asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); \
	return ct_cuda_half(r);
#define CT_16_DO_PAIRS_3(a, b, c) \
	unsigned int w; \
	__asm__("fma.rn.f16x2 %0, %1, %2, %3;" \
	        : "=r"(w) \
	        : "r"(ct_cuda_word(a)), "r"(ct_cuda_word(b)), "r"(ct_cuda_word(c))); \
	ct_cuda_set_word(a, w); \
	return a;
#define CT_16_PTX___hadd "add"
#define CT_16_PTX___hsub "sub"
#define CT_16_PTX___hmul "mul"
#else
#define CT_16_DO_2(name, a, b)
#define CT_16_DO_PAIRS_2(name, a, b)
#define CT_16_DO_3(a, b, c)
#define CT_16_DO_PAIRS_3(a, b, c)
#endif
#define CT_16 __half
#define CT_16_PAIR __half2
#define CT_16_BITS ct_cuda_half
#define CT_16_TO __float2half
#define CT_16_FROM __half2float
#define CT_16_INFINITY 0x7c00
#include "device/number16.h"
#include "device/number16_end.h"
#endif

#endif
