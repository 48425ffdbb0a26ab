/* Of spelled.cu, which includes it by <>. */
#ifndef CT_TESTS_CUDA_SPELLED_H
#define CT_TESTS_CUDA_SPELLED_H

enum { FOUR = 2, LAST_OF_FOUR = (-1 << FOUR), LOW = ((-1 << FOUR) & 31) >> (3 - (1 << 1)) };
static_assert(LAST_OF_FOUR == -4 && LOW == 14, "shifts of -1");

#if defined(__CUDA_ARCH__)
#define UNROLL_TWICE #pragma unroll 2
#else
#define UNROLL_TWICE
#endif

static __device__ int lane()
{
	int twice;
	asm("mov.u32 %0, %laneid; add.s32 %0, %0, %0;" : "=r"(twice));
	return twice;
}

#endif
