/* device/video.h - two numbers of 16 bits or four of 8 bits in a word. GPUs since compute capability 5.0 have no instructions for most
 * of these: they are a few of whole words. */
#ifndef CT_CUDA_DEVICE_VIDEO_H
#define CT_CUDA_DEVICE_VIDEO_H

#pragma GCC system_header

#include "integer.h"

/* Each part of a and b, at bit `at`, as a number; the results are put together. */
#define CT_CUDA_EACH(bits, extend, expression) \
	unsigned int r = 0; \
	for (int at = 0; at < 32; at += bits) { \
		int x = extend(a, at, bits), y = extend(b, at, bits); \
		(void)y; \
		r |= ((unsigned int)(expression) & ((1u << bits) - 1)) << at; \
	} \
	return r;
CT_DEVICE int ct_cuda_part_s(unsigned int v, int at, int bits)
{
	return (int)(v << (32 - bits - at)) >> (32 - bits);
}

CT_DEVICE int ct_cuda_part_u(unsigned int v, int at, int bits)
{
	return (int)(v >> at & ((1u << bits) - 1));
}

CT_DEVICE int ct_cuda_within(int v, int least, int most)
{
	return v < least ? least : v > most ? most : v;
}

#define CT_CUDA_VIDEO_2(name, extend, expression) \
	CT_DEVICE unsigned int name##2(unsigned int a, unsigned int b) \
	{ \
		enum { bits = 16 }; \
		CT_CUDA_EACH(16, extend, expression) \
	} \
	CT_DEVICE unsigned int name##4(unsigned int a, unsigned int b) \
	{ \
		enum { bits = 8 }; \
		CT_CUDA_EACH(8, extend, expression) \
	}
#define CT_CUDA_VIDEO_1(name, expression) \
	CT_DEVICE unsigned int name##2(unsigned int a) \
	{ \
		enum { bits = 16 }; \
		const unsigned int b = 0; \
		CT_CUDA_EACH(16, ct_cuda_part_s, expression) \
	} \
	CT_DEVICE unsigned int name##4(unsigned int a) \
	{ \
		enum { bits = 8 }; \
		const unsigned int b = 0; \
		CT_CUDA_EACH(8, ct_cuda_part_s, expression) \
	}
#define CT_CUDA_SIGNED(v) ct_cuda_within(v, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
#define CT_CUDA_UNSIGNED(v) ct_cuda_within(v, 0, (1 << bits) - 1)

CT_CUDA_VIDEO_1(__vabs, x < 0 ? -x : x)
CT_CUDA_VIDEO_1(__vabsss, CT_CUDA_SIGNED(x < 0 ? -x : x))
CT_CUDA_VIDEO_1(__vneg, -x)
CT_CUDA_VIDEO_1(__vnegss, CT_CUDA_SIGNED(-x))
CT_CUDA_VIDEO_2(__vadd, ct_cuda_part_u, x + y)
CT_CUDA_VIDEO_2(__vaddss, ct_cuda_part_s, CT_CUDA_SIGNED(x + y))
CT_CUDA_VIDEO_2(__vaddus, ct_cuda_part_u, CT_CUDA_UNSIGNED(x + y))
CT_CUDA_VIDEO_2(__vsub, ct_cuda_part_u, x - y)
CT_CUDA_VIDEO_2(__vsubss, ct_cuda_part_s, CT_CUDA_SIGNED(x - y))
CT_CUDA_VIDEO_2(__vsubus, ct_cuda_part_u, CT_CUDA_UNSIGNED(x - y))
CT_CUDA_VIDEO_2(__vabsdiffs, ct_cuda_part_s, x < y ? y - x : x - y)
CT_CUDA_VIDEO_2(__vabsdiffu, ct_cuda_part_u, x < y ? y - x : x - y)
/* Averages: of signed numbers halves go away from zero, of unsigned ones up (v) or down (h). */
CT_CUDA_VIDEO_2(__vavgs, ct_cuda_part_s, (x + y + (x + y > 0)) >> 1)
CT_CUDA_VIDEO_2(__vavgu, ct_cuda_part_u, (x + y + 1) >> 1)
CT_CUDA_VIDEO_2(__vhaddu, ct_cuda_part_u, (x + y) >> 1)
CT_CUDA_VIDEO_2(__vmaxs, ct_cuda_part_s, x > y ? x : y)
CT_CUDA_VIDEO_2(__vmaxu, ct_cuda_part_u, x > y ? x : y)
CT_CUDA_VIDEO_2(__vmins, ct_cuda_part_s, x < y ? x : y)
CT_CUDA_VIDEO_2(__vminu, ct_cuda_part_u, x < y ? x : y)

/* Comparisons: all bits of a part (cmp), or its lowest one (set). */
#define CT_CUDA_VIDEO_COMPARE(name, extend, op) \
	CT_CUDA_VIDEO_2(__vcmp##name, extend, x op y ? -1 : 0) \
	CT_CUDA_VIDEO_2(__vset##name, extend, x op y)
CT_CUDA_VIDEO_COMPARE(eq, ct_cuda_part_u, ==)
CT_CUDA_VIDEO_COMPARE(ne, ct_cuda_part_u, !=)
CT_CUDA_VIDEO_COMPARE(ges, ct_cuda_part_s, >=)
CT_CUDA_VIDEO_COMPARE(geu, ct_cuda_part_u, >=)
CT_CUDA_VIDEO_COMPARE(gts, ct_cuda_part_s, >)
CT_CUDA_VIDEO_COMPARE(gtu, ct_cuda_part_u, >)
CT_CUDA_VIDEO_COMPARE(les, ct_cuda_part_s, <=)
CT_CUDA_VIDEO_COMPARE(leu, ct_cuda_part_u, <=)
CT_CUDA_VIDEO_COMPARE(lts, ct_cuda_part_s, <)
CT_CUDA_VIDEO_COMPARE(ltu, ct_cuda_part_u, <)
#undef CT_CUDA_VIDEO_COMPARE
#undef CT_CUDA_VIDEO_1
#undef CT_CUDA_VIDEO_2
#undef CT_CUDA_SIGNED
#undef CT_CUDA_UNSIGNED
#undef CT_CUDA_EACH

/* Sums of differences, in one number. */
#define CT_CUDA_VIDEO_SUM(name, bits, extend) \
	CT_DEVICE unsigned int name(unsigned int a, unsigned int b) \
	{ \
		int sum = 0; \
		for (int at = 0; at < 32; at += bits) { \
			int d = extend(a, at, bits) - extend(b, at, bits); \
			sum += d < 0 ? -d : d; \
		} \
		return (unsigned int)sum; \
	}
CT_CUDA_VIDEO_SUM(__vsads2, 16, ct_cuda_part_s)
CT_CUDA_VIDEO_SUM(__vsads4, 8, ct_cuda_part_s)
CT_CUDA_VIDEO_SUM(__vsadu2, 16, ct_cuda_part_u)
CT_CUDA_VIDEO_SUM(__vsadu4, 8, ct_cuda_part_u)
#undef CT_CUDA_VIDEO_SUM

/* The position of the bit that is the n-th set one from `base` upwards (n > 0) or downwards (n < 0), or base itself where it is set
 * (n = 0); all bits where there is none. */
CT_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int n)
{
	int left = n < 0 ? -n : n, step = n < 0 ? -1 : 1;
	if (!n)
		return base < 32 && mask >> base & 1 ? base : 0xffffffffu;
	for (int at = (int)base; at >= 0 && at < 32; at += step)
		if (mask >> at & 1 && --left == 0)
			return (unsigned int)at;
	return 0xffffffffu;
}

#endif
