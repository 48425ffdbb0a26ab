/* device/dpx.h - sums and extremes of three numbers, as programs for sequences of genes and paths take them. GPUs before compute
 * capability 9.0 compute them out of others, and so do these. */
#ifndef CT_CUDA_DEVICE_DPX_H
#define CT_CUDA_DEVICE_DPX_H

#pragma GCC system_header

#include "video.h"

/* Of numbers of 32 bits, whose sums wrap. */
#define CT_CUDA_DPX_32(suffix, T, more, less) \
	CT_DEVICE T __viaddmax_##suffix(T a, T b, T c) \
	{ \
		T s = (T)((unsigned int)a + (unsigned int)b); \
		return more(s, c); \
	} \
	CT_DEVICE T __viaddmin_##suffix(T a, T b, T c) \
	{ \
		T s = (T)((unsigned int)a + (unsigned int)b); \
		return less(s, c); \
	} \
	CT_DEVICE T __vimax3_##suffix(T a, T b, T c) \
	{ \
		return more(more(a, b), c); \
	} \
	CT_DEVICE T __vimin3_##suffix(T a, T b, T c) \
	{ \
		return less(less(a, b), c); \
	} \
	CT_DEVICE T __vibmax_##suffix(T a, T b, bool *first) \
	{ \
		*first = a >= b; \
		return more(a, b); \
	} \
	CT_DEVICE T __vibmin_##suffix(T a, T b, bool *first) \
	{ \
		*first = a <= b; \
		return less(a, b); \
	}
#define CT_CUDA_MORE(a, b) ((a) > (b) ? (a) : (b))
#define CT_CUDA_LESS(a, b) ((a) < (b) ? (a) : (b))
CT_CUDA_DPX_32(s32, int, CT_CUDA_MORE, CT_CUDA_LESS)
CT_CUDA_DPX_32(u32, unsigned int, CT_CUDA_MORE, CT_CUDA_LESS)

/* Of two of 16 bits. */
#define CT_CUDA_DPX_16(suffix, more, less, part) \
	CT_DEVICE unsigned int __viaddmax_##suffix(unsigned int a, unsigned int b, unsigned int c) \
	{ \
		return more(__vadd2(a, b), c); \
	} \
	CT_DEVICE unsigned int __viaddmin_##suffix(unsigned int a, unsigned int b, unsigned int c) \
	{ \
		return less(__vadd2(a, b), c); \
	} \
	CT_DEVICE unsigned int __vimax3_##suffix(unsigned int a, unsigned int b, unsigned int c) \
	{ \
		return more(more(a, b), c); \
	} \
	CT_DEVICE unsigned int __vimin3_##suffix(unsigned int a, unsigned int b, unsigned int c) \
	{ \
		return less(less(a, b), c); \
	} \
	CT_DEVICE unsigned int __vibmax_##suffix(unsigned int a, unsigned int b, bool *high, bool *low) \
	{ \
		*high = part(a, 16, 16) >= part(b, 16, 16); \
		*low = part(a, 0, 16) >= part(b, 0, 16); \
		return more(a, b); \
	} \
	CT_DEVICE unsigned int __vibmin_##suffix(unsigned int a, unsigned int b, bool *high, bool *low) \
	{ \
		*high = part(a, 16, 16) <= part(b, 16, 16); \
		*low = part(a, 0, 16) <= part(b, 0, 16); \
		return less(a, b); \
	}
CT_CUDA_DPX_16(s16x2, __vmaxs2, __vmins2, ct_cuda_part_s)
CT_CUDA_DPX_16(u16x2, __vmaxu2, __vminu2, ct_cuda_part_u)

/* The signed ones, and 0 where they are below. */
CT_DEVICE int __vimax_s32_relu(int a, int b)
{
	return CT_CUDA_MORE(CT_CUDA_MORE(a, b), 0);
}

CT_DEVICE int __vimin_s32_relu(int a, int b)
{
	return CT_CUDA_MORE(CT_CUDA_LESS(a, b), 0);
}

CT_DEVICE unsigned int __vimax_s16x2_relu(unsigned int a, unsigned int b)
{
	return __vmaxs2(__vmaxs2(a, b), 0);
}

CT_DEVICE unsigned int __vimin_s16x2_relu(unsigned int a, unsigned int b)
{
	return __vmaxs2(__vmins2(a, b), 0);
}

#define CT_CUDA_DPX_RELU(name, suffix, T, floor) \
	CT_DEVICE T name##_##suffix##_relu(T a, T b, T c) \
	{ \
		T v = name##_##suffix(a, b, c); \
		return floor(v, 0); \
	}
CT_CUDA_DPX_RELU(__viaddmax, s32, int, CT_CUDA_MORE)
CT_CUDA_DPX_RELU(__viaddmin, s32, int, CT_CUDA_MORE)
CT_CUDA_DPX_RELU(__vimax3, s32, int, CT_CUDA_MORE)
CT_CUDA_DPX_RELU(__vimin3, s32, int, CT_CUDA_MORE)
CT_CUDA_DPX_RELU(__viaddmax, s16x2, unsigned int, __vmaxs2)
CT_CUDA_DPX_RELU(__viaddmin, s16x2, unsigned int, __vmaxs2)
CT_CUDA_DPX_RELU(__vimax3, s16x2, unsigned int, __vmaxs2)
CT_CUDA_DPX_RELU(__vimin3, s16x2, unsigned int, __vmaxs2)
#undef CT_CUDA_DPX_RELU
#undef CT_CUDA_DPX_16
#undef CT_CUDA_DPX_32
#undef CT_CUDA_MORE
#undef CT_CUDA_LESS

#endif
