/* device/sync.h - barriers, fences, clocks and the end of a kernel. */
#ifndef CT_CUDA_DEVICE_SYNC_H
#define CT_CUDA_DEVICE_SYNC_H

#pragma GCC system_header

#if defined(__CUDACC_RTC__)
typedef long clock_t;
#else
#include <time.h>
#endif

#include "define.h"

/* clang has it as a builtin. That of clang 14 lets values of shared memory stay in registers across it. */
#if __clang_major__ < 15
CT_DEVICE void ct_cuda_syncthreads()
{
	__asm__ volatile("bar.sync 0;" ::: "memory");
}
#define __syncthreads ct_cuda_syncthreads
#endif

CT_DEVICE void ct_cuda_settle()
{
	__asm__ volatile("" ::: "memory");
}

CT_DEVICE int __syncthreads_count(int predicate)
{
	ct_cuda_settle();
	int n = __nvvm_bar0_popc(predicate);
	ct_cuda_settle();
	return n;
}

CT_DEVICE int __syncthreads_and(int predicate)
{
	ct_cuda_settle();
	int all = __nvvm_bar0_and(predicate);
	ct_cuda_settle();
	return all;
}

CT_DEVICE int __syncthreads_or(int predicate)
{
	ct_cuda_settle();
	int any = __nvvm_bar0_or(predicate);
	ct_cuda_settle();
	return any;
}

CT_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu)
{
	__asm__ volatile("bar.warp.sync %0;" : : "r"(mask) : "memory");
}

CT_DEVICE void __threadfence_block()
{
	__nvvm_membar_cta();
}

CT_DEVICE void __threadfence()
{
	__nvvm_membar_gl();
}

CT_DEVICE void __threadfence_system()
{
	__nvvm_membar_sys();
}

CT_DEVICE clock_t clock()
{
	return (clock_t)__nvvm_read_ptx_sreg_clock();
}

CT_DEVICE long long clock64()
{
	return (long long)__nvvm_read_ptx_sreg_clock64();
}

CT_DEVICE void __nanosleep(unsigned int nanoseconds)
{
	__asm__ volatile("nanosleep.u32 %0;" : : "r"(nanoseconds));
}

CT_DEVICE __attribute__((noreturn)) void __trap()
{
	__asm__ volatile("trap;");
	__builtin_unreachable();
}

CT_DEVICE void __brkpt()
{
	__asm__ volatile("brkpt;");
}

CT_DEVICE void __prof_trigger(int)
{
}

#endif
