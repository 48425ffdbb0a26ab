/* cuda_fp8.h - numbers of 8 bits: E4M3, with 4 bits of exponent, and E5M2, with 5. They are converted, never computed with. */
#ifndef CT_CUDA_FP8_H
#define CT_CUDA_FP8_H
#define __CUDA_FP8_H__

#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__CUDA__)

/* Rounds to the nearest number, and to the even one of two that are as near. What is too large becomes the largest finite number or,
 * without saturation, infinity; in E4M3, which has no infinity, NaN. */
CT_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind)
{
	const int digits = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
	const unsigned int most = kind == __NV_E4M3 ? 0x7e : 0x7b;
	unsigned int u = __builtin_bit_cast(unsigned int, v), sign = u >> 24 & 0x80, a = u & 0x7fffffff, code;
	if (a > 0x7f800000)
		return 0x7f;
	if (a < (unsigned int)(128 - bias) << 23) { /* a multiple of the smallest number */
		float moved = __builtin_bit_cast(float, a) +
		              __builtin_bit_cast(float, (unsigned int)(151 - bias - digits) << 23);
		code = __builtin_bit_cast(unsigned int, moved) & 0xff;
	} else {
		a += (1u << (22 - digits)) - 1 + (a >> (23 - digits) & 1);
		code = (a >> (23 - digits)) - ((unsigned int)(127 - bias) << digits);
	}
	if (code > most)
		code = saturation == __NV_SATFINITE ? most : kind == __NV_E4M3 ? 0x7f : 0x7c;
	return (__nv_fp8_storage_t)(sign | code);
}

/* Each number of 8 bits is a half. */
CT_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind)
{
	unsigned int sign = (v & 0x80u) << 8, a = v & 0x7fu;
	if (kind == __NV_E5M2)
		return __half_raw{(unsigned short)(a > 0x7c ? 0x7fff : v << 8)};
	if (a == 0x7f)
		return __half_raw{0x7fff};
	if (a < 8) /* multiples of 2^-9 */
		return __half_raw{(unsigned short)(sign | ct_cuda_to_half((float)a * 0.001953125f))};
	return __half_raw{(unsigned short)(sign | ((a << 7) + 0x2000))};
}

CT_BOTH float ct_cuda_from_fp8(__nv_fp8_storage_t v, __nv_fp8_interpretation_t kind)
{
	return ct_cuda_from_half(__nv_cvt_fp8_to_halfraw(v, kind).x);
}

CT_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t s, __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float_to_fp8((float)v, s, kind);
}

CT_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float_to_fp8(ct_cuda_from_half(v.x), s, kind);
}

CT_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw v, __nv_saturation_t s,
                                                       __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float_to_fp8(ct_cuda_from_bfloat16(v.x), s, kind);
}

CT_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t s, __nv_fp8_interpretation_t kind)
{
	return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(v.x, s, kind) | __nv_cvt_float_to_fp8(v.y, s, kind) << 8);
}

CT_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t s, __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float2_to_fp8x2(make_float2((float)v.x, (float)v.y), s, kind);
}

CT_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float2_to_fp8x2(make_float2(ct_cuda_from_half(v.x), ct_cuda_from_half(v.y)), s, kind);
}

CT_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v, __nv_saturation_t s,
                                                            __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float2_to_fp8x2(make_float2(ct_cuda_from_bfloat16(v.x), ct_cuda_from_bfloat16(v.y)), s, kind);
}

CT_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v, __nv_fp8_interpretation_t kind)
{
	return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)v, kind).x,
	                   __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(v >> 8), kind).x};
}

/* The types, whose constructors saturate: one number, two and four. */
#define CT_CUDA_FP8_OF(name, type, kind) \
	explicit __host__ __device__ name(type v) : __x(__nv_cvt_float_to_fp8((float)v, __NV_SATFINITE, kind)) \
	{ \
	}
#define CT_CUDA_FP8(one, two, four, kind) \
	struct one { \
		__nv_fp8_storage_t __x; \
		one() = default; \
		CT_CUDA_FP8_OF(one, float, kind) \
		CT_CUDA_FP8_OF(one, double, kind) \
		CT_CUDA_FP8_OF(one, __half, kind) \
		CT_CUDA_FP8_OF(one, __nv_bfloat16, kind) \
		CT_CUDA_FP8_OF(one, int, kind) \
		CT_CUDA_FP8_OF(one, unsigned int, kind) \
		CT_CUDA_FP8_OF(one, long, kind) \
		CT_CUDA_FP8_OF(one, unsigned long, kind) \
		CT_CUDA_FP8_OF(one, long long, kind) \
		CT_CUDA_FP8_OF(one, unsigned long long, kind) \
		CT_CUDA_FP8_OF(one, short, kind) \
		CT_CUDA_FP8_OF(one, unsigned short, kind) \
		explicit __host__ __device__ operator float() const \
		{ \
			return ct_cuda_from_fp8(__x, kind); \
		} \
		explicit __host__ __device__ operator double() const \
		{ \
			return (double)ct_cuda_from_fp8(__x, kind); \
		} \
		explicit __host__ __device__ operator __half() const \
		{ \
			return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); \
		} \
		explicit __host__ __device__ operator __nv_bfloat16() const \
		{ \
			return __nv_bfloat16(ct_cuda_from_fp8(__x, kind)); \
		} \
		explicit __host__ __device__ operator int() const \
		{ \
			return (int)ct_cuda_from_fp8(__x, kind); \
		} \
		explicit __host__ __device__ operator bool() const \
		{ \
			return (__x & 0x7f) != 0; \
		} \
	}; \
	struct two { \
		__nv_fp8x2_storage_t __x; \
		two() = default; \
		explicit __host__ __device__ two(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) \
		{ \
		} \
		explicit __host__ __device__ two(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind)) \
		{ \
		} \
		explicit __host__ __device__ two(__half2 v) : two(__half22float2(v)) \
		{ \
		} \
		explicit __host__ __device__ two(__nv_bfloat162 v) : two(__bfloat1622float2(v)) \
		{ \
		} \
		explicit __host__ __device__ operator float2() const \
		{ \
			return make_float2(ct_cuda_from_fp8((__nv_fp8_storage_t)__x, kind), \
			                   ct_cuda_from_fp8((__nv_fp8_storage_t)(__x >> 8), kind)); \
		} \
		explicit __host__ __device__ operator __half2() const \
		{ \
			return __half2(__half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)__x, kind)), \
			               __half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(__x >> 8), kind))); \
		} \
	}; \
	struct four { \
		__nv_fp8x4_storage_t __x; \
		four() = default; \
		__host__ __device__ four(two low, two high) : __x(low.__x | (unsigned int)high.__x << 16) \
		{ \
		} \
		explicit __host__ __device__ four(float4 v) : four(two(make_float2(v.x, v.y)), two(make_float2(v.z, v.w))) \
		{ \
		} \
		explicit __host__ __device__ four(__half2 low, __half2 high) : four(two(low), two(high)) \
		{ \
		} \
		explicit __host__ __device__ four(__nv_bfloat162 low, __nv_bfloat162 high) : four(two(low), two(high)) \
		{ \
		} \
		explicit __host__ __device__ operator float4() const \
		{ \
			two low, high; \
			low.__x = (__nv_fp8x2_storage_t)__x; \
			high.__x = (__nv_fp8x2_storage_t)(__x >> 16); \
			float2 a = float2(low), b = float2(high); \
			return make_float4(a.x, a.y, b.x, b.y); \
		} \
	};
CT_CUDA_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
CT_CUDA_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef CT_CUDA_FP8
#undef CT_CUDA_FP8_OF
#endif

#endif
