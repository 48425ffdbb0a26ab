/* cuda_pipeline.h - the pipeline of one thread under the name that it had before cuda::pipeline. */
#ifndef CT_CUDA_PIPELINE_H
#define CT_CUDA_PIPELINE_H

#pragma GCC system_header

#include "cuda_pipeline_primitives.h"

#if defined(__CUDA__) && defined(__cplusplus)
namespace nvcuda
{
namespace experimental
{

class pipeline
{
	__SIZE_TYPE__ groups;

      public:
	CT_METHOD pipeline() : groups(0)
	{
	}
	pipeline(const pipeline &) = delete;
	CT_METHOD __SIZE_TYPE__ commit()
	{
		ct_cuda_end_group();
		return groups++;
	}
	CT_METHOD void commit_and_wait()
	{
		commit();
		ct_cuda_wait_groups<0>();
	}
	CT_METHOD void wait(__SIZE_TYPE__ group)
	{
		ct_cuda_wait_groups((unsigned int)(groups - group - 1));
	}
	template <unsigned int n> CT_METHOD void wait_prior()
	{
		ct_cuda_wait_groups<n>();
	}
};

template <class T> CT_DEVICE void memcpy_async(T &to, const T &from, pipeline &)
{
	ct_cuda_copy_together(&to, &from, sizeof(T), alignof(T) >= 4 ? alignof(T) : 0, 0, 1);
}

}
}
#endif

#endif
