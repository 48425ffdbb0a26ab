/* cuda_awbarrier.h - a name that programs include: barriers in memory stand in cuda/barrier. */
#ifndef CT_CUDA_AWBARRIER_H
#define CT_CUDA_AWBARRIER_H

#include "cuda/barrier"

#if defined(__CUDA__) && defined(__cplusplus)
namespace nvcuda
{
namespace experimental
{
using awbarrier = ::cuda::barrier<::cuda::thread_scope_block>;
}
}
#endif

#endif
