/* device/system.h - what device code asks of the run-time: printf, assert, memory. */
#ifndef CT_CUDA_DEVICE_SYSTEM_H
#define CT_CUDA_DEVICE_SYSTEM_H

#pragma GCC system_header

#include "define.h"

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void *malloc(__SIZE_TYPE__);
__device__ void free(void *);
__device__ __attribute__((noreturn)) void __assertfail(const char *text, const char *file, unsigned int line,
                                                       const char *function, __SIZE_TYPE__ char_size);
}

/* What assert() of the C library calls. */
extern "C" __device__ __inline__ __attribute__((noreturn)) void __assert_fail(const char *text, const char *file,
                                                                              unsigned int line,
                                                                              const char *function)
{
	__assertfail(text, file, line, function, sizeof(char));
}

CT_DEVICE void *memcpy(void *to, const void *from, __SIZE_TYPE__ bytes)
{
	return __builtin_memcpy(to, from, bytes);
}

CT_DEVICE void *memset(void *to, int value, __SIZE_TYPE__ bytes)
{
	return __builtin_memset(to, value, bytes);
}

CT_DEVICE void *memmove(void *to, const void *from, __SIZE_TYPE__ bytes)
{
	return __builtin_memmove(to, from, bytes);
}

/* What the run-time says of errors kernels may ask for, too; they see none. */
extern "C" {
__device__ __inline__ const char *cudaGetErrorString(cudaError_t error)
{
	return error == cudaSuccess ? "no error" : "error";
}
__device__ __inline__ const char *cudaGetErrorName(cudaError_t error)
{
	return error == cudaSuccess ? "cudaSuccess" : "cudaErrorUnknown";
}
__device__ __inline__ cudaError_t cudaGetLastError(void)
{
	return cudaSuccess;
}
__device__ __inline__ cudaError_t cudaPeekAtLastError(void)
{
	return cudaSuccess;
}
}

/* Kernels that launch kernels are refused. Programs name these two in code that they leave out then. */
CT_DEVICE void *cudaGetParameterBuffer(__SIZE_TYPE__, __SIZE_TYPE__)
{
	return nullptr;
}

CT_DEVICE cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3, unsigned int, cudaStream_t)
{
	return cudaErrorNotSupported;
}

#endif
