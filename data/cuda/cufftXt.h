/* cufftXt.h - what cuFFT has beside cufft.h: plans by types of numbers. Several devices, callbacks and halves are not there. */
#ifndef CT_CUDA_CUFFTXT_H
#define CT_CUDA_CUFFTXT_H
#define _CUFFTXT_H_

#pragma GCC system_header

#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(__CUDACC_RTC__)
#pragma GCC visibility push(default)
cufftResult CUFFTAPI cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                                         long long int idist, cudaDataType inputtype, long long int *onembed, long long int ostride,
                                         long long int odist, cudaDataType outputtype, long long int batch, size_t *workSize,
                                         cudaDataType executiontype);
cufftResult CUFFTAPI cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                                        long long int idist, cudaDataType inputtype, long long int *onembed, long long int ostride,
                                        long long int odist, cudaDataType outputtype, long long int batch, size_t *workSize,
                                        cudaDataType executiontype);
cufftResult CUFFTAPI cufftXtExec(cufftHandle plan, void *input, void *output, int direction);
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
