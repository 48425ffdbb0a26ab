/* cufft.h - cuFFT: discrete Fourier transforms of one to three dimensions, by kernels of this project's own.
 *
 * Names, values and parameters are those of the cuFFT reference. ctcc(1) tells what is there and what is not; traces of programs show the
 * kernels of data/fft, not NVIDIA's. */
#ifndef CT_CUDA_CUFFT_H
#define CT_CUDA_CUFFT_H
#define _CUFFT_H_

#pragma GCC system_header

#include "cuComplex.h"
#include "cuda_runtime.h"
#include "library_types.h"

#ifndef CUFFTAPI
#define CUFFTAPI
#endif
#define CUFFT_VER_MAJOR 10
#define CUFFT_VER_MINOR 9
#define CUFFT_VER_PATCH 0
#define CUFFT_VER_BUILD 0
#define CUFFT_VERSION (CUFFT_VER_MAJOR * 1000 + CUFFT_VER_MINOR * 100 + CUFFT_VER_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cufftResult_t {
	CUFFT_SUCCESS = 0,
	CUFFT_INVALID_PLAN = 1,
	CUFFT_ALLOC_FAILED = 2,
	CUFFT_INVALID_TYPE = 3,
	CUFFT_INVALID_VALUE = 4,
	CUFFT_INTERNAL_ERROR = 5,
	CUFFT_EXEC_FAILED = 6,
	CUFFT_SETUP_FAILED = 7,
	CUFFT_INVALID_SIZE = 8,
	CUFFT_UNALIGNED_DATA = 9,
	CUFFT_INCOMPLETE_PARAMETER_LIST = 10,
	CUFFT_INVALID_DEVICE = 11,
	CUFFT_PARSE_ERROR = 12,
	CUFFT_NO_WORKSPACE = 13,
	CUFFT_NOT_IMPLEMENTED = 14,
	CUFFT_LICENSE_ERROR = 15,
	CUFFT_NOT_SUPPORTED = 16,
	CUFFT_MISSING_DEPENDENCY = 17,
	CUFFT_NVRTC_FAILURE = 18,
	CUFFT_NVJITLINK_FAILURE = 19,
	CUFFT_NVSHMEM_FAILURE = 20
} cufftResult;
#define MAX_CUFFT_ERROR 21

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1

typedef enum cufftType_t {
	CUFFT_R2C = 0x2a,
	CUFFT_C2R = 0x2c,
	CUFFT_C2C = 0x29,
	CUFFT_D2Z = 0x6a,
	CUFFT_Z2D = 0x6c,
	CUFFT_Z2Z = 0x69
} cufftType;

typedef enum cufftCompatibility_t { CUFFT_COMPATIBILITY_FFTW_PADDING = 1 } cufftCompatibility;
#define CUFFT_COMPATIBILITY_DEFAULT CUFFT_COMPATIBILITY_FFTW_PADDING

typedef int cufftHandle;

#if !defined(__CUDACC_RTC__)
#pragma GCC visibility push(default)
cufftResult CUFFTAPI cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch);
cufftResult CUFFTAPI cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type);
cufftResult CUFFTAPI cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type);
cufftResult CUFFTAPI cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist,
                                   cufftType type, int batch);

cufftResult CUFFTAPI cufftCreate(cufftHandle *plan);
cufftResult CUFFTAPI cufftDestroy(cufftHandle plan);
cufftResult CUFFTAPI cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize);
cufftResult CUFFTAPI cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize);
cufftResult CUFFTAPI cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *workSize);
cufftResult CUFFTAPI cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist,
                                       cufftType type, int batch, size_t *workSize);
cufftResult CUFFTAPI cufftMakePlanMany64(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                                         long long int idist, long long int *onembed, long long int ostride, long long int odist, cufftType type,
                                         long long int batch, size_t *workSize);

cufftResult CUFFTAPI cufftEstimate1d(int nx, cufftType type, int batch, size_t *workSize);
cufftResult CUFFTAPI cufftEstimate2d(int nx, int ny, cufftType type, size_t *workSize);
cufftResult CUFFTAPI cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *workSize);
cufftResult CUFFTAPI cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist, cufftType type,
                                       int batch, size_t *workSize);
cufftResult CUFFTAPI cufftGetSize1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize);
cufftResult CUFFTAPI cufftGetSize2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize);
cufftResult CUFFTAPI cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *workSize);
cufftResult CUFFTAPI cufftGetSizeMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride, int odist,
                                      cufftType type, int batch, size_t *workSize);
cufftResult CUFFTAPI cufftGetSizeMany64(cufftHandle plan, int rank, long long int *n, long long int *inembed, long long int istride,
                                        long long int idist, long long int *onembed, long long int ostride, long long int odist, cufftType type,
                                        long long int batch, size_t *workSize);
cufftResult CUFFTAPI cufftGetSize(cufftHandle plan, size_t *workSize);

cufftResult CUFFTAPI cufftSetWorkArea(cufftHandle plan, void *workArea);
cufftResult CUFFTAPI cufftSetAutoAllocation(cufftHandle plan, int autoAllocate);
cufftResult CUFFTAPI cufftSetStream(cufftHandle plan, cudaStream_t stream);

cufftResult CUFFTAPI cufftExecC2C(cufftHandle plan, cufftComplex *idata, cufftComplex *odata, int direction);
cufftResult CUFFTAPI cufftExecR2C(cufftHandle plan, cufftReal *idata, cufftComplex *odata);
cufftResult CUFFTAPI cufftExecC2R(cufftHandle plan, cufftComplex *idata, cufftReal *odata);
cufftResult CUFFTAPI cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleComplex *odata, int direction);
cufftResult CUFFTAPI cufftExecD2Z(cufftHandle plan, cufftDoubleReal *idata, cufftDoubleComplex *odata);
cufftResult CUFFTAPI cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleReal *odata);

cufftResult CUFFTAPI cufftGetVersion(int *version);
cufftResult CUFFTAPI cufftGetProperty(libraryPropertyType type, int *value);
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
