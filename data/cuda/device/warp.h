/* device/warp.h - what the lanes of a warp do together: shuffles, votes, matches, reductions. */
#ifndef CT_CUDA_DEVICE_WARP_H
#define CT_CUDA_DEVICE_WARP_H

#pragma GCC system_header

#include "define.h"

CT_DEVICE unsigned int __activemask()
{
	unsigned int mask;
	__asm__ volatile("activemask.b32 %0;" : "=r"(mask));
	return mask;
}

CT_DEVICE int __all_sync(unsigned int mask, int predicate)
{
	return __nvvm_vote_all_sync(mask, predicate != 0);
}

CT_DEVICE int __any_sync(unsigned int mask, int predicate)
{
	return __nvvm_vote_any_sync(mask, predicate != 0);
}

CT_DEVICE int __uni_sync(unsigned int mask, int predicate)
{
	return __nvvm_vote_uni_sync(mask, predicate != 0);
}

CT_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate)
{
	return (unsigned int)__nvvm_vote_ballot_sync(mask, predicate != 0);
}

/* Forms without a mask speak of the lanes that are active. */
CT_DEVICE int __all(int predicate)
{
	return __all_sync(__activemask(), predicate);
}

CT_DEVICE int __any(int predicate)
{
	return __any_sync(__activemask(), predicate);
}

CT_DEVICE unsigned int __ballot(int predicate)
{
	return __ballot_sync(__activemask(), predicate);
}

CT_DEVICE unsigned int ct_cuda_lanemask_lt()
{
	unsigned int mask;
	__asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
	return mask;
}

CT_DEVICE unsigned int ct_cuda_lane()
{
	unsigned int lane;
	__asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
	return lane;
}

/* The last operand of shfl: the width's segments in its upper half, the bound of the lane below. */
#define CT_CUDA_SHUFFLE_32(name, how, bound) \
	CT_DEVICE int ct_cuda_##name(unsigned int mask, int v, int lane, int width) \
	{ \
		return __nvvm_shfl_sync_##how##_i32(mask, v, lane, ((32 - width) << 8) | (bound)); \
	}
CT_CUDA_SHUFFLE_32(shfl, idx, 31)
CT_CUDA_SHUFFLE_32(shfl_up, up, 0)
CT_CUDA_SHUFFLE_32(shfl_down, down, 31)
CT_CUDA_SHUFFLE_32(shfl_xor, bfly, 31)
#undef CT_CUDA_SHUFFLE_32

/* Any type of 4 or 8 bytes goes as one or two words; the lane is a number, or how far away (`which`: its type). Functions without a mask
 * are templates, so that those are taken which a program defines where CUDA has or had none. */
#define CT_CUDA_SHUFFLE(name, type, which) \
	CT_DEVICE type __##name##_sync(unsigned int mask, type v, which lane, int width = 32) \
	{ \
		int word[sizeof(type) / 4]; \
		__builtin_memcpy(word, &v, sizeof v); \
		word[0] = ct_cuda_##name(mask, word[0], (int)lane, width); \
		if (sizeof(type) == 8) \
			word[sizeof(type) / 4 - 1] = \
				ct_cuda_##name(mask, word[sizeof(type) / 4 - 1], (int)lane, width); \
		__builtin_memcpy(&v, word, sizeof v); \
		return v; \
	} \
	template <class = void> CT_DEVICE type __##name(type v, which lane, int width = 32) \
	{ \
		return __##name##_sync(__activemask(), v, lane, width); \
	}
#define CT_CUDA_SHUFFLES(type) \
	CT_CUDA_SHUFFLE(shfl, type, int) \
	CT_CUDA_SHUFFLE(shfl_up, type, unsigned int) \
	CT_CUDA_SHUFFLE(shfl_down, type, unsigned int) \
	CT_CUDA_SHUFFLE(shfl_xor, type, int)
CT_CUDA_SHUFFLES(int)
CT_CUDA_SHUFFLES(unsigned int)
CT_CUDA_SHUFFLES(long)
CT_CUDA_SHUFFLES(unsigned long)
CT_CUDA_SHUFFLES(long long)
CT_CUDA_SHUFFLES(unsigned long long)
CT_CUDA_SHUFFLES(float)
CT_CUDA_SHUFFLES(double)

#define CT_CUDA_MATCH(type, word, bits) \
	CT_DEVICE unsigned int __match_any_sync(unsigned int mask, type v) \
	{ \
		word w; \
		__builtin_memcpy(&w, &v, sizeof w); \
		return (unsigned int)__nvvm_match_any_sync_##bits(mask, w); \
	} \
	CT_DEVICE unsigned int __match_all_sync(unsigned int mask, type v, int *all) \
	{ \
		word w; \
		__builtin_memcpy(&w, &v, sizeof w); \
		return (unsigned int)__nvvm_match_all_sync_##bits##p(mask, w, all); \
	}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
CT_CUDA_MATCH(int, unsigned int, i32)
CT_CUDA_MATCH(unsigned int, unsigned int, i32)
CT_CUDA_MATCH(float, unsigned int, i32)
CT_CUDA_MATCH(long, unsigned long long, i64)
CT_CUDA_MATCH(unsigned long, unsigned long long, i64)
CT_CUDA_MATCH(long long, unsigned long long, i64)
CT_CUDA_MATCH(unsigned long long, unsigned long long, i64)
CT_CUDA_MATCH(double, unsigned long long, i64)
#endif
#undef CT_CUDA_MATCH

#define CT_CUDA_REDUX(name, op, type, suffix) \
	CT_DEVICE type __reduce_##name##_sync(unsigned int mask, type v) \
	{ \
		type r; \
		__asm__ volatile("redux.sync." op "." suffix " %0, %1, %2;" \
		                 : "=r"(r) \
		                 : "r"(v), "r"(mask)); \
		return r; \
	}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
CT_CUDA_REDUX(add, "add", int, "s32")
CT_CUDA_REDUX(add, "add", unsigned int, "u32")
CT_CUDA_REDUX(min, "min", int, "s32")
CT_CUDA_REDUX(min, "min", unsigned int, "u32")
CT_CUDA_REDUX(max, "max", int, "s32")
CT_CUDA_REDUX(max, "max", unsigned int, "u32")
CT_CUDA_REDUX(and, "and", unsigned int, "b32")
CT_CUDA_REDUX(or, "or", unsigned int, "b32")
CT_CUDA_REDUX(xor, "xor", unsigned int, "b32")
#endif
#undef CT_CUDA_REDUX

#endif
