/* host_defines.h - the qualifiers of CUDA's functions and variables, for both sides. */
#ifndef CT_CUDA_HOST_DEFINES_H
#define CT_CUDA_HOST_DEFINES_H
#define __HOST_DEFINES_H__

#pragma GCC system_header

#if defined(__CUDA__)
/* What nvcc says of itself, and the C++ library asks for. */
#if !defined(__CUDACC__)
#define __CUDACC__ 1
#if !defined(__CUDACC_RTC__)
#define __NVCC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 5
#define __CUDACC_VER_BUILD__ 0
#endif
#if defined(__clang_major__) && __clang_major__ < 15 && defined(__cplusplus)
/* Before clang 15 the word is no keyword, and libstdc++ writes it inside of attributes. */
#if !defined(__CUDACC_RTC__)
#include <memory>
#endif
#define __noinline__ __attribute__((noinline))
#endif
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#if defined(__CUDACC_RTC__)
/* Whoever loads the module may write a static one, too. */
#define __constant__ __attribute__((constant, used))
#else
#define __constant__ __attribute__((constant))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#if defined(__CUDA_ARCH__)
#define __managed__ __device__
#else
#define __managed__ __device__ __attribute__((section("ctcuda_managed"), used))
#endif
#else
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __grid_constant__
#define __nv_pure__ __attribute__((pure))
#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB

#endif
