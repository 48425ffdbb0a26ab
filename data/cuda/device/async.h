/* device/async.h - copies into shared memory that do not pass through registers, on GPUs that have them (compute capability 8.0 and later);
 * loads and stores on others. */
#ifndef CT_CUDA_DEVICE_ASYNC_H
#define CT_CUDA_DEVICE_ASYNC_H

#pragma GCC system_header

#include "../cuda_runtime.h"

#if defined(__CUDA__) && defined(__cplusplus)

/* `bytes` (4, 8 or 16) at addresses that are multiples of them. What is wider than eight goes around the L1, as CUDA has it. */
template <int bytes> CT_DEVICE void ct_cuda_copy_word(void *to, const void *from, unsigned int filled)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	unsigned int at = (unsigned int)__cvta_generic_to_shared(to);
	if (bytes == 16)
		__asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
				 :
				 : "r"(at), "l"(__cvta_generic_to_global(from)), "r"(filled)
				 : "memory");
	else
		__asm__ volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;"
				 :
				 : "r"(at), "l"(__cvta_generic_to_global(from)), "r"(filled), "n"(bytes)
				 : "memory");
#else
	for (unsigned int i = 0; i < (unsigned int)bytes; i += 4)
		*(unsigned int *)((char *)to + i) = i < filled ? *(const unsigned int *)((const char *)from + i) : 0;
#endif
}

/* As __pipeline_memcpy_async has it: the last `zeros` of the bytes are zero and are not read. */
CT_DEVICE void ct_cuda_copy_async(void *to, const void *from, __SIZE_TYPE__ bytes, __SIZE_TYPE__ zeros)
{
	if (bytes == 16)
		ct_cuda_copy_word<16>(to, from, 16 - (unsigned int)zeros);
	else if (bytes == 8)
		ct_cuda_copy_word<8>(to, from, 8 - (unsigned int)zeros);
	else
		ct_cuda_copy_word<4>(to, from, 4 - (unsigned int)zeros);
}

/* Copies so far make a group; waits until no more than the last n groups are on their way. */
CT_DEVICE void ct_cuda_end_group()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	__asm__ volatile("cp.async.commit_group;" : : : "memory");
#endif
}

template <int n> CT_DEVICE void ct_cuda_wait_groups()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
	__asm__ volatile("cp.async.wait_group %0;" : : "n"(n) : "memory");
#endif
}

CT_DEVICE void ct_cuda_wait_groups(unsigned int n)
{
	switch (n) {
	case 0: ct_cuda_wait_groups<0>(); break;
	case 1: ct_cuda_wait_groups<1>(); break;
	case 2: ct_cuda_wait_groups<2>(); break;
	case 3: ct_cuda_wait_groups<3>(); break;
	case 4: ct_cuda_wait_groups<4>(); break;
	case 5: ct_cuda_wait_groups<5>(); break;
	case 6: ct_cuda_wait_groups<6>(); break;
	default: ct_cuda_wait_groups<7>(); break;
	}
}

/* Part `rank` of `n` of a copy, in words of `bytes`. */
template <int bytes>
CT_DEVICE void ct_cuda_copy_part(char *to, const char *from, __SIZE_TYPE__ all, __SIZE_TYPE__ rank, __SIZE_TYPE__ n)
{
	const bool async = __isShared(to) && __isGlobal(from);
	for (__SIZE_TYPE__ i = rank * bytes; i < all; i += n * bytes)
		if (async)
			ct_cuda_copy_word<bytes>(to + i, from + i, bytes);
		else
			__builtin_memcpy(__builtin_assume_aligned(to + i, bytes),
					 __builtin_assume_aligned(from + i, bytes), bytes);
}

/* Threads, of which this is number `rank` of `n`, copy bytes together, in the widest words that fit. `align` is what both addresses and the
 * length are multiples of; 0: that is looked up. */
CT_DEVICE void ct_cuda_copy_together(void *to, const void *from, __SIZE_TYPE__ bytes, __SIZE_TYPE__ align,
				     __SIZE_TYPE__ rank, __SIZE_TYPE__ n)
{
	const __SIZE_TYPE__ low = align ? align : (__SIZE_TYPE__)to | (__SIZE_TYPE__)from | bytes;
	char *d = (char *)to;
	const char *s = (const char *)from;
	if ((low & 15) == 0)
		ct_cuda_copy_part<16>(d, s, bytes, rank, n);
	else if ((low & 7) == 0)
		ct_cuda_copy_part<8>(d, s, bytes, rank, n);
	else if ((low & 3) == 0)
		ct_cuda_copy_part<4>(d, s, bytes, rank, n);
	else
		for (__SIZE_TYPE__ i = rank; i < bytes; i += n)
			d[i] = s[i];
}

#endif

#endif
