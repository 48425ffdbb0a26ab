/* cublas_api.h - cuBLAS: products and sums of vectors and matrices, by kernels of this project's own.
 *
 * Names, values and parameters are those of the cuBLAS library reference. Which functions there are is told in ctcc(1): what is not declared here
 * is not there. Traces of programs show the kernels of data/blas, not NVIDIA's. */
#ifndef CT_CUDA_CUBLAS_API_H
#define CT_CUDA_CUBLAS_API_H
#define CUBLAS_API_H_

#pragma GCC system_header

#include <stdint.h>

#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "library_types.h"
#if defined(__CUDA__)
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#else
#include "cuda_fp16.h"
typedef struct __half_raw ct_cublas_half;
#define __half ct_cublas_half
#endif

#ifndef CUBLASWINAPI
#define CUBLASWINAPI
#endif
#define CUBLAS_VER_MAJOR 11
#define CUBLAS_VER_MINOR 11
#define CUBLAS_VER_PATCH 3
#define CUBLAS_VER_BUILD 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

typedef enum {
	CUBLAS_STATUS_SUCCESS = 0,
	CUBLAS_STATUS_NOT_INITIALIZED = 1,
	CUBLAS_STATUS_ALLOC_FAILED = 3,
	CUBLAS_STATUS_INVALID_VALUE = 7,
	CUBLAS_STATUS_ARCH_MISMATCH = 8,
	CUBLAS_STATUS_MAPPING_ERROR = 11,
	CUBLAS_STATUS_EXECUTION_FAILED = 13,
	CUBLAS_STATUS_INTERNAL_ERROR = 14,
	CUBLAS_STATUS_NOT_SUPPORTED = 15,
	CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef cublasStatus_t cublasStatus;

typedef enum {
	CUBLAS_OP_N = 0,
	CUBLAS_OP_T = 1,
	CUBLAS_OP_C = 2,
	CUBLAS_OP_HERMITAN = 2,
	CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
	CUBLAS_DEFAULT_MATH = 0,
	CUBLAS_TENSOR_OP_MATH = 1,
	CUBLAS_PEDANTIC_MATH = 2,
	CUBLAS_TF32_TENSOR_OP_MATH = 3,
	CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
	CUBLAS_COMPUTE_16F = 64,
	CUBLAS_COMPUTE_16F_PEDANTIC = 65,
	CUBLAS_COMPUTE_32F = 68,
	CUBLAS_COMPUTE_32F_PEDANTIC = 69,
	CUBLAS_COMPUTE_64F = 70,
	CUBLAS_COMPUTE_64F_PEDANTIC = 71,
	CUBLAS_COMPUTE_32I = 72,
	CUBLAS_COMPUTE_32I_PEDANTIC = 73,
	CUBLAS_COMPUTE_32F_FAST_16F = 74,
	CUBLAS_COMPUTE_32F_FAST_16BF = 75,
	CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
/* Every algorithm is the same here. */
typedef enum {
	CUBLAS_GEMM_DFALT = -1,
	CUBLAS_GEMM_DEFAULT = -1,
	CUBLAS_GEMM_ALGO0 = 0,
	CUBLAS_GEMM_ALGO1,
	CUBLAS_GEMM_ALGO2,
	CUBLAS_GEMM_ALGO3,
	CUBLAS_GEMM_ALGO4,
	CUBLAS_GEMM_ALGO5,
	CUBLAS_GEMM_ALGO6,
	CUBLAS_GEMM_ALGO7,
	CUBLAS_GEMM_ALGO8,
	CUBLAS_GEMM_ALGO9,
	CUBLAS_GEMM_ALGO10,
	CUBLAS_GEMM_ALGO11,
	CUBLAS_GEMM_ALGO12,
	CUBLAS_GEMM_ALGO13,
	CUBLAS_GEMM_ALGO14,
	CUBLAS_GEMM_ALGO15,
	CUBLAS_GEMM_ALGO16,
	CUBLAS_GEMM_ALGO17,
	CUBLAS_GEMM_ALGO18,
	CUBLAS_GEMM_ALGO19,
	CUBLAS_GEMM_ALGO20,
	CUBLAS_GEMM_ALGO21,
	CUBLAS_GEMM_ALGO22,
	CUBLAS_GEMM_ALGO23,
	CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
	CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
	CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
	CUBLAS_GEMM_ALGO1_TENSOR_OP,
	CUBLAS_GEMM_ALGO2_TENSOR_OP,
	CUBLAS_GEMM_ALGO3_TENSOR_OP,
	CUBLAS_GEMM_ALGO4_TENSOR_OP,
	CUBLAS_GEMM_ALGO5_TENSOR_OP,
	CUBLAS_GEMM_ALGO6_TENSOR_OP,
	CUBLAS_GEMM_ALGO7_TENSOR_OP,
	CUBLAS_GEMM_ALGO8_TENSOR_OP,
	CUBLAS_GEMM_ALGO9_TENSOR_OP,
	CUBLAS_GEMM_ALGO10_TENSOR_OP,
	CUBLAS_GEMM_ALGO11_TENSOR_OP,
	CUBLAS_GEMM_ALGO12_TENSOR_OP,
	CUBLAS_GEMM_ALGO13_TENSOR_OP,
	CUBLAS_GEMM_ALGO14_TENSOR_OP,
	CUBLAS_GEMM_ALGO15_TENSOR_OP
} cublasGemmAlgo_t;
typedef cudaDataType cublasDataType_t;

struct cublasContext;
typedef struct cublasContext *cublasHandle_t;

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)
/* The library. */
cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);

/* Copies between host and device. */
cublasStatus_t cublasSetVector(int n, int bytes, const void *x, int incx, void *device, int incy);
cublasStatus_t cublasGetVector(int n, int bytes, const void *device, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void *A, int lda, void *device, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void *device, int lda, void *B, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int bytes, const void *x, int incx, void *device, int incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int bytes, const void *device, int incx, void *y, int incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int bytes, const void *A, int lda, void *device, int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int bytes, const void *device, int lda, void *B, int ldb, cudaStream_t stream);

/* LU decompositions of many matrices, solutions by them, inverses, and least squares. */
#define CT_CUBLAS_LU(S, type) \
	cublasStatus_t cublas##S##getrfBatched(cublasHandle_t handle, int n, type *const A[], int lda, int *pivots, int *info, int batch); \
	cublasStatus_t cublas##S##getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs, const type *const A[], int lda, const int *pivots, type *const B[], int ldb, int *info, int batch); \
	cublasStatus_t cublas##S##getriBatched(cublasHandle_t handle, int n, const type *const A[], int lda, const int *pivots, type *const C[], int ldc, int *info, int batch); \
	cublasStatus_t cublas##S##gelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs, type *const A[], int lda, type *const C[], int ldc, int *info, int *device_info, int batch);
CT_CUBLAS_LU(S, float)
CT_CUBLAS_LU(D, double)
CT_CUBLAS_LU(C, cuComplex)
CT_CUBLAS_LU(Z, cuDoubleComplex)
#undef CT_CUBLAS_LU

#define CT_CUBLAS_INT int
#define CT_CUBLAS_NAME(f) f
#define CT_CUBLAS_FIRST(f) f##_v2
#include "cublas_functions.h"
#undef CT_CUBLAS_INT
#undef CT_CUBLAS_NAME
#undef CT_CUBLAS_FIRST
#define CT_CUBLAS_INT int64_t
#define CT_CUBLAS_NAME(f) f##_64
#define CT_CUBLAS_FIRST(f) f##_64
#include "cublas_functions.h"
#undef CT_CUBLAS_INT
#undef CT_CUBLAS_NAME
#undef CT_CUBLAS_FIRST
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#if !defined(__CUDA__)
#undef __half
#endif

#if defined(__cplusplus)
/* What programs from before version 11 name the type of sums by. */
static inline cublasStatus_t cublasMigrateComputeType(cublasHandle_t, cudaDataType type, cublasComputeType_t *compute)
{
	switch (type) {
	case CUDA_R_32F:
	case CUDA_C_32F: *compute = CUBLAS_COMPUTE_32F; return CUBLAS_STATUS_SUCCESS;
	case CUDA_R_64F:
	case CUDA_C_64F: *compute = CUBLAS_COMPUTE_64F; return CUBLAS_STATUS_SUCCESS;
	case CUDA_R_16F: *compute = CUBLAS_COMPUTE_16F; return CUBLAS_STATUS_SUCCESS;
	case CUDA_R_32I: *compute = CUBLAS_COMPUTE_32I; return CUBLAS_STATUS_SUCCESS;
	default: return CUBLAS_STATUS_NOT_SUPPORTED;
	}
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                          const void *A, cudaDataType A_type, int lda, const void *B, cudaDataType B_type, int ldb, const void *beta, void *C,
                                          cudaDataType C_type, int ldc, cudaDataType compute, cublasGemmAlgo_t algo)
{
	cublasComputeType_t type = CUBLAS_COMPUTE_32F;
	cublasStatus_t st = cublasMigrateComputeType(handle, compute, &type);
	return st ? st : cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, A_type, lda, B, B_type, ldb, beta, C, C_type, ldc, type, algo);
}
static inline cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                                                 const void *alpha, const void *const A[], cudaDataType A_type, int lda, const void *const B[],
                                                 cudaDataType B_type, int ldb, const void *beta, void *const C[], cudaDataType C_type, int ldc, int batch,
                                                 cudaDataType compute, cublasGemmAlgo_t algo)
{
	cublasComputeType_t type = CUBLAS_COMPUTE_32F;
	cublasStatus_t st = cublasMigrateComputeType(handle, compute, &type);
	return st ? st : cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, A, A_type, lda, B, B_type, ldb, beta, C, C_type, ldc, batch, type, algo);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
                                                        const void *alpha, const void *A, cudaDataType A_type, int lda, long long int strideA,
                                                        const void *B, cudaDataType B_type, int ldb, long long int strideB, const void *beta, void *C,
                                                        cudaDataType C_type, int ldc, long long int strideC, int batch, cudaDataType compute,
                                                        cublasGemmAlgo_t algo)
{
	cublasComputeType_t type = CUBLAS_COMPUTE_32F;
	cublasStatus_t st = cublasMigrateComputeType(handle, compute, &type);
	return st ? st : cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, A_type, lda, strideA, B, B_type, ldb, strideB, beta, C, C_type, ldc, strideC, batch, type, algo);
}
#endif

#endif
