/* cuda_bf16.h - numbers of 16 bits that are the upper half of one in single precision. Arithmetic is PTX's fused operation
 * (compute capability 8.0), with 1 or -0 in the place of what a sum or product lacks, and single precision before that. */
#ifndef CT_CUDA_BF16_H
#define CT_CUDA_BF16_H

#pragma GCC system_header

#include "cuda_runtime.h"

struct __nv_bfloat16_raw {
	unsigned short x;
};
struct __nv_bfloat162_raw {
	unsigned short x, y;
};

#if defined(__CUDA__)
#include "device/define.h"

/* To the nearest, or towards zero. A NaN keeps no digits. */
CT_BOTH unsigned short ct_cuda_to_bfloat16(float v)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	unsigned short h;
	__asm__("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(v));
	return h;
#else
	unsigned int u = __builtin_bit_cast(unsigned int, v);
	if ((u & 0x7fffffff) > 0x7f800000)
		return 0x7fff;
	return (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
#endif
}

CT_BOTH float ct_cuda_from_bfloat16(unsigned short h)
{
	return __builtin_bit_cast(float, (unsigned int)h << 16);
}

struct __nv_bfloat16 {
	unsigned short __x;
	__nv_bfloat16() = default;
	__host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &r) : __x(r.x)
	{
	}
#define CT_CUDA_BFLOAT16_OF(type) \
	__host__ __device__ __nv_bfloat16(type v) : __x(ct_cuda_to_bfloat16((float)v)) \
	{ \
	}
	CT_CUDA_BFLOAT16_OF(float)
	CT_CUDA_BFLOAT16_OF(double)
	CT_CUDA_BFLOAT16_OF(int)
	CT_CUDA_BFLOAT16_OF(unsigned int)
	CT_CUDA_BFLOAT16_OF(long)
	CT_CUDA_BFLOAT16_OF(unsigned long)
	CT_CUDA_BFLOAT16_OF(long long)
	CT_CUDA_BFLOAT16_OF(unsigned long long)
#undef CT_CUDA_BFLOAT16_OF
	__host__ __device__ operator float() const
	{
		return ct_cuda_from_bfloat16(__x);
	}
	__host__ __device__ operator __nv_bfloat16_raw() const
	{
		return __nv_bfloat16_raw{__x};
	}
};
typedef __nv_bfloat16 nv_bfloat16;

struct __align__(4) __nv_bfloat162 {
	__nv_bfloat16 x, y;
	__nv_bfloat162() = default;
	__host__ __device__ __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b)
	{
	}
	__host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &r) : x(__nv_bfloat16_raw{r.x}), y(__nv_bfloat16_raw{r.y})
	{
	}
	__host__ __device__ operator __nv_bfloat162_raw() const
	{
		return __nv_bfloat162_raw{x.__x, y.__x};
	}
};
typedef __nv_bfloat162 nv_bfloat162;

CT_BOTH __nv_bfloat16 ct_cuda_bfloat16(unsigned short bits)
{
	return __nv_bfloat16(__nv_bfloat16_raw{bits});
}

/* ---- conversions ---- */

CT_BOTH __nv_bfloat16 __float2bfloat16(float v)
{
	return __nv_bfloat16(v);
}

CT_BOTH __nv_bfloat16 __float2bfloat16_rn(float v)
{
	return __nv_bfloat16(v);
}

CT_BOTH __nv_bfloat16 __float2bfloat16_rz(float v)
{
	return v == v ? ct_cuda_bfloat16((unsigned short)(__builtin_bit_cast(unsigned int, v) >> 16)) : __nv_bfloat16(v);
}

CT_BOTH __nv_bfloat16 __double2bfloat16(double v)
{
	return __nv_bfloat16((float)v);
}

CT_BOTH float __bfloat162float(__nv_bfloat16 v)
{
	return ct_cuda_from_bfloat16(v.__x);
}

CT_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
	return __nv_bfloat162(a, b);
}

CT_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
	return __nv_bfloat162(a, b);
}

CT_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 v)
{
	return __nv_bfloat162(v, v);
}

CT_BOTH __nv_bfloat162 __float2bfloat162_rn(float v)
{
	return __nv_bfloat162(__nv_bfloat16(v), __nv_bfloat16(v));
}

CT_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
	return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}

CT_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 v)
{
	return __nv_bfloat162(__nv_bfloat16(v.x), __nv_bfloat16(v.y));
}

CT_BOTH float2 __bfloat1622float2(__nv_bfloat162 v)
{
	return make_float2(__bfloat162float(v.x), __bfloat162float(v.y));
}

CT_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v)
{
	return v.x;
}

CT_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v)
{
	return v.y;
}

CT_BOTH float __low2float(__nv_bfloat162 v)
{
	return __bfloat162float(v.x);
}

CT_BOTH float __high2float(__nv_bfloat162 v)
{
	return __bfloat162float(v.y);
}

CT_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v)
{
	return __nv_bfloat162(v.x, v.x);
}

CT_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v)
{
	return __nv_bfloat162(v.y, v.y);
}

CT_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v)
{
	return __nv_bfloat162(v.y, v.x);
}

CT_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 v)
{
	return v.__x;
}

CT_BOTH short __bfloat16_as_short(__nv_bfloat16 v)
{
	return (short)v.__x;
}

CT_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short v)
{
	return ct_cuda_bfloat16(v);
}

CT_BOTH __nv_bfloat16 __short_as_bfloat16(short v)
{
	return ct_cuda_bfloat16((unsigned short)v);
}

/* Through single precision, which holds every nv_bfloat16; of integers of more than 24 bits it may round twice. */
#define CT_CUDA_BFLOAT16_INTEGER(type, name) \
	CT_DEVICE type __bfloat162##name##_rz(__nv_bfloat16 v) \
	{ \
		return (type)__bfloat162float(v); \
	} \
	CT_DEVICE type __bfloat162##name##_rn(__nv_bfloat16 v) \
	{ \
		return (type)rintf(__bfloat162float(v)); \
	} \
	CT_DEVICE type __bfloat162##name##_rd(__nv_bfloat16 v) \
	{ \
		return (type)floorf(__bfloat162float(v)); \
	} \
	CT_DEVICE type __bfloat162##name##_ru(__nv_bfloat16 v) \
	{ \
		return (type)ceilf(__bfloat162float(v)); \
	} \
	CT_DEVICE __nv_bfloat16 __##name##2bfloat16_rn(type v) \
	{ \
		return __nv_bfloat16((float)v); \
	}
CT_CUDA_BFLOAT16_INTEGER(short, short)
CT_CUDA_BFLOAT16_INTEGER(unsigned short, ushort)
CT_CUDA_BFLOAT16_INTEGER(int, int)
CT_CUDA_BFLOAT16_INTEGER(unsigned int, uint)
CT_CUDA_BFLOAT16_INTEGER(long long, ll)
CT_CUDA_BFLOAT16_INTEGER(unsigned long long, ull)
#undef CT_CUDA_BFLOAT16_INTEGER

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define CT_16_DO_3(a, b, c) \
	unsigned short r; \
	__asm__("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.__x), "h"(b.__x), "h"(c.__x)); \
	return ct_cuda_bfloat16(r);
#define CT_16_DO_PAIRS_3(a, b, c) \
	unsigned int w; \
	__asm__("fma.rn.bf16x2 %0, %1, %2, %3;" \
	        : "=r"(w) \
	        : "r"(ct_cuda_word(a)), "r"(ct_cuda_word(b)), "r"(ct_cuda_word(c))); \
	ct_cuda_set_word(a, w); \
	return a;
CT_DEVICE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c);
CT_DEVICE __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c);
/* a * 1 + b, b * -1 + a, a * b - 0: exact but for the one rounding, and of the sign that the plain operation has. */
#define CT_16_DO_2(name, a, b) return __hfma(CT_16_FUSED_##name(a, b, ct_cuda_bfloat16));
#define CT_16_DO_PAIRS_2(name, a, b) return __hfma2(CT_16_FUSED_##name(a, b, ct_cuda_bfloat162));
#define CT_16_FUSED___hadd(a, b, number) a, number(0x3f80), b
#define CT_16_FUSED___hsub(a, b, number) b, number(0xbf80), a
#define CT_16_FUSED___hmul(a, b, number) a, b, number(0x8000)
CT_BOTH __nv_bfloat162 ct_cuda_bfloat162(unsigned short bits)
{
	return __nv_bfloat162(ct_cuda_bfloat16(bits), ct_cuda_bfloat16(bits));
}
#else
#define CT_16_DO_2(name, a, b)
#define CT_16_DO_PAIRS_2(name, a, b)
#define CT_16_DO_3(a, b, c)
#define CT_16_DO_PAIRS_3(a, b, c)
#endif
#define CT_16 __nv_bfloat16
#define CT_16_PAIR __nv_bfloat162
#define CT_16_BITS ct_cuda_bfloat16
#define CT_16_TO __float2bfloat16
#define CT_16_FROM __bfloat162float
#define CT_16_INFINITY 0x7f80
#include "device/number16.h"
#include "device/number16_end.h"
#endif

#endif
