/* cuda_bf16.h - numbers of 16 bits that are the upper half of one in single precision. Arithmetic is PTX's fused operation
 * (compute capability 8.0), with 1 or -0 in the place of what a sum or product lacks, and single precision before that. */
#ifndef CT_CUDA_BF16_H
#define CT_CUDA_BF16_H
#define __CUDA_BF16_H__

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

#define CT_16 __nv_bfloat16
#define CT_16_PAIR __nv_bfloat162
#define CT_16_NAME bfloat16
#define CT_16_ENCODE ct_cuda_to_bfloat16
#define CT_16_DECODE ct_cuda_from_bfloat16
#define CT_16_ONE 0x3f80
#define CT_16_INFINITY 0x7f80
#define CT_16_PTX "bf16"
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define CT_16_FUSES 1
#endif
#include "device/number16.h"
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

CT_BOTH __nv_bfloat16 __float2bfloat16_rz(float v)
{
	return v == v ? __ushort_as_bfloat16((unsigned short)(__builtin_bit_cast(unsigned int, v) >> 16)) : __nv_bfloat16(v);
}

/* Through single precision: of more than 24 bits it may round twice. */
#define CT_CUDA_BFLOAT16_OF(type, name) \
	CT_DEVICE __nv_bfloat16 __##name##2bfloat16_rn(type v) \
	{ \
		return __nv_bfloat16((float)v); \
	}
CT_CUDA_BFLOAT16_OF(short, short)
CT_CUDA_BFLOAT16_OF(unsigned short, ushort)
CT_CUDA_BFLOAT16_OF(int, int)
CT_CUDA_BFLOAT16_OF(unsigned int, uint)
CT_CUDA_BFLOAT16_OF(long long, ll)
CT_CUDA_BFLOAT16_OF(unsigned long long, ull)
#undef CT_CUDA_BFLOAT16_OF
#endif

#endif
