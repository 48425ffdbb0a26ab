/* cuda/scope.h - what the headers of namespace cuda share: scopes of threads, and sizes with an alignment. */
#ifndef CT_CUDA_CUDA_SCOPE_H
#define CT_CUDA_CUDA_SCOPE_H

#pragma GCC system_header

#include "../device/async.h"

namespace cuda
{

/* Who may wait for, or see, what a thread does. */
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

/* A number of bytes, which is a multiple of `alignment`, as are the addresses that it is used with. */
template <__SIZE_TYPE__ alignment> struct aligned_size_t {
	static constexpr __SIZE_TYPE__ align = alignment;
	__SIZE_TYPE__ value;
	constexpr explicit aligned_size_t(__SIZE_TYPE__ bytes) : value(bytes)
	{
	}
	constexpr operator __SIZE_TYPE__() const
	{
		return value;
	}
};

#if defined(__CUDA__)
/* The alignment that a size promises; 0: none. */
CT_DEVICE __SIZE_TYPE__ ct_cuda_alignment(__SIZE_TYPE__)
{
	return 0;
}
template <__SIZE_TYPE__ alignment> CT_DEVICE __SIZE_TYPE__ ct_cuda_alignment(aligned_size_t<alignment>)
{
	return alignment;
}
#endif

}

#endif
