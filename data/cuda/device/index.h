/* device/index.h - threadIdx, blockIdx, blockDim, gridDim and warpSize. */
#ifndef CT_CUDA_DEVICE_INDEX_H
#define CT_CUDA_DEVICE_INDEX_H

#pragma GCC system_header

#include <vector_types.h>

/* Every read of a member reads the special register; objects of these types do not exist. */
#define CT_CUDA_INDEX(type, name, reg) \
	struct ct_cuda_##type { \
		typedef void ct_is_index; /* for dim3 */ \
		__declspec(property(get = ct_x)) unsigned int x; \
		__declspec(property(get = ct_y)) unsigned int y; \
		__declspec(property(get = ct_z)) unsigned int z; \
		static __inline__ __attribute__((always_inline, device, nodebug)) unsigned int ct_x() \
		{ \
			return __nvvm_read_ptx_sreg_##reg##_x(); \
		} \
		static __inline__ __attribute__((always_inline, device, nodebug)) unsigned int ct_y() \
		{ \
			return __nvvm_read_ptx_sreg_##reg##_y(); \
		} \
		static __inline__ __attribute__((always_inline, device, nodebug)) unsigned int ct_z() \
		{ \
			return __nvvm_read_ptx_sreg_##reg##_z(); \
		} \
		__device__ operator uint3() const \
		{ \
			return uint3{ct_x(), ct_y(), ct_z()}; \
		} \
		ct_cuda_##type() = delete; \
		ct_cuda_##type(const ct_cuda_##type &) = delete; \
		void operator=(const ct_cuda_##type &) const = delete; \
	}; \
	extern const __device__ __attribute__((weak)) ct_cuda_##type name;

CT_CUDA_INDEX(thread_index, threadIdx, tid)
CT_CUDA_INDEX(block_index, blockIdx, ctaid)
CT_CUDA_INDEX(block_size, blockDim, ntid)
CT_CUDA_INDEX(grid_size, gridDim, nctaid)
#undef CT_CUDA_INDEX

constexpr int warpSize = 32;

#endif
