/* cuda_pipeline_primitives.h - asynchronous copies of one thread, and waits for groups of them. */
#ifndef CT_CUDA_PIPELINE_PRIMITIVES_H
#define CT_CUDA_PIPELINE_PRIMITIVES_H

#pragma GCC system_header

#include "device/async.h"

#if defined(__CUDA__) && defined(__cplusplus)

CT_DEVICE void __pipeline_memcpy_async(void *to, const void *from, __SIZE_TYPE__ bytes, __SIZE_TYPE__ zeros = 0)
{
	ct_cuda_copy_async(to, from, bytes, zeros);
}

CT_DEVICE void __pipeline_commit()
{
	ct_cuda_end_group();
}

CT_DEVICE void __pipeline_wait_prior(__SIZE_TYPE__ n)
{
	ct_cuda_wait_groups((unsigned int)n);
}

#endif

#endif
