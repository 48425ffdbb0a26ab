/* cuda_fp16.h - numbers of 16 bits, one and two at a time. Arithmetic is that of PTX's f16 and f16x2; what a
 * function has no instruction for is computed in single precision and rounded once. */
#ifndef CT_CUDA_FP16_H
#define CT_CUDA_FP16_H
#define __CUDA_FP16_H__

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

#define CT_16 __half
#define CT_16_PAIR __half2
#define CT_16_NAME half
#define CT_16_ENCODE ct_cuda_to_half
#define CT_16_DECODE ct_cuda_from_half
#define CT_16_ONE 0x3c00
#define CT_16_INFINITY 0x7c00
#define CT_16_PTX "f16"
#if defined(__CUDA_ARCH__)
#define CT_16_ADDS 1
#define CT_16_FUSES 1
#define CT_16_ROUNDS 1
#endif
#include "device/number16.h"

CT_BOTH __half __float2half_rz(float v)
{
	return ct_cuda_float2half_towards(v, 0);
}
typedef __half half;
typedef __half2 half2;

/* Of integers that single precision does not hold: rounded once. */
#define CT_CUDA_HALF_ROUNDED(type, name, ptx, constraint, how, mode) \
	CT_DEVICE __half __##name##2half_##how(type v) \
	{ \
		unsigned short h; \
		__asm__("cvt." mode ".f16." ptx " %0, %1;" : "=h"(h) : constraint(v)); \
		return __ushort_as_half(h); \
	}
#define CT_CUDA_HALF_OF(type, name, ptx, constraint) \
	CT_CUDA_HALF_ROUNDED(type, name, ptx, constraint, rn, "rn") \
	CT_CUDA_HALF_ROUNDED(type, name, ptx, constraint, rz, "rz") \
	CT_CUDA_HALF_ROUNDED(type, name, ptx, constraint, ru, "rp") \
	CT_CUDA_HALF_ROUNDED(type, name, ptx, constraint, rd, "rm")
CT_CUDA_HALF_OF(short, short, "s16", "h")
CT_CUDA_HALF_OF(unsigned short, ushort, "u16", "h")
CT_CUDA_HALF_OF(int, int, "s32", "r")
CT_CUDA_HALF_OF(unsigned int, uint, "u32", "r")
CT_CUDA_HALF_OF(long long, ll, "s64", "l")
CT_CUDA_HALF_OF(unsigned long long, ull, "u64", "l")
#undef CT_CUDA_HALF_OF
#undef CT_CUDA_HALF_ROUNDED

#endif

#endif
