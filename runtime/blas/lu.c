/* cuBLAS: LU decompositions of many matrices, whose pointers lie on the device; solutions by them, inverses, and least squares. */
#include <stdio.h>

#include "runtime/blas/blas.h"

enum { THREADS = 128 };

static struct ct_blas_matrix matrix_of(const void *at, int64_t ld)
{
	return (struct ct_blas_matrix){.at = (void *)(uintptr_t)at, .ld = ld};
}

/* A grid's first dimension has room for every number of batches. */
static cublasStatus_t run(cublasHandle_t handle, char letter, const char *name, int batches,
                          struct ct_blas_lu *g)
{
	char kernel[64];
	snprintf(kernel, sizeof kernel, "ct_blas_%c%s", letter, name);
	return ct_blas_launch(handle, CT_BLAS_LU, kernel, (struct ct_cuda_grid){batches, 1, 1, THREADS},
	                      g);
}

static cublasStatus_t getrf(cublasHandle_t handle, char letter, int n, const void *a, int lda,
                            int *pivots, int *info, int batches)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (n < 0 || batches < 0 || !ct_blas_is_leading(lda, n))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (n == 0 || batches == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (!a || !info)
		return CUBLAS_STATUS_INVALID_VALUE;
	struct ct_blas_lu g = {.a = matrix_of(a, lda), .pivots = pivots, .info = info, .n = n};
	return run(handle, letter, "getrf", batches, &g);
}

/* *info, of the host, is the number of the parameter that is wrong, negative, or 0. */
static cublasStatus_t getrs(cublasHandle_t handle, char letter, cublasOperation_t trans, int n,
                            int columns, const void *a, int lda, const int *pivots, const void *b,
                            int ldb, int *info, int batches)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!info)
		return CUBLAS_STATUS_INVALID_VALUE;
	int none = n == 0 || columns == 0 || batches == 0;
	*info = !ct_blas_is_operation(trans)  ? -1
	        : n < 0                       ? -2
	        : columns < 0                 ? -3
	        : !a && !none                 ? -4
	        : !ct_blas_is_leading(lda, n) ? -5
	        : !b && !none                 ? -7
	        : !ct_blas_is_leading(ldb, n) ? -8
	        : batches < 0                 ? -10
	                                      : 0;
	if (*info || none)
		return *info ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
	struct ct_blas_lu g = {
		.a = matrix_of(a, lda),
		.b = matrix_of(b, ldb),
		.pivots = (int32_t *)(uintptr_t)pivots,
		.n = n,
		.columns = columns,
		.flags = (trans == CUBLAS_OP_N ? 0 : CT_BLAS_TRANSPOSED) |
	                 (trans == CUBLAS_OP_C ? CT_BLAS_CONJ_A : 0),
	};
	return run(handle, letter, "getrs", batches, &g);
}

static cublasStatus_t getri(cublasHandle_t handle, char letter, int n, const void *a, int lda,
                            const int *pivots, const void *c, int ldc, int *info, int batches)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (n < 0 || batches < 0 || !ct_blas_is_leading(lda, n) || !ct_blas_is_leading(ldc, n))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (n == 0 || batches == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (!a || !c || !info)
		return CUBLAS_STATUS_INVALID_VALUE;
	struct ct_blas_lu g = {.a = matrix_of(a, lda),
	                       .b = matrix_of(c, ldc),
	                       .pivots = (int32_t *)(uintptr_t)pivots,
	                       .info = info,
	                       .n = n};
	return run(handle, letter, "getri", batches, &g);
}

/* *info, of the host, is as getrs' is; `zeros`, of the device, says for each matrix which column is of no use, or is NULL. */
static cublasStatus_t gels(cublasHandle_t handle, char letter, cublasOperation_t trans, int m, int n,
                           int columns, const void *a, int lda, const void *c, int ldc, int *info,
                           int *zeros, int batches)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!info)
		return CUBLAS_STATUS_INVALID_VALUE;
	int none = m == 0 || n == 0 || columns == 0 || batches == 0;
	*info = !ct_blas_is_operation(trans)  ? -1
	        : m < 0                       ? -2
	        : n < 0                       ? -3
	        : columns < 0                 ? -4
	        : !a && !none                 ? -5
	        : !ct_blas_is_leading(lda, m) ? -6
	        : !c && !none                 ? -7
	        : !ct_blas_is_leading(ldc, m) ? -8
	        : batches < 0                 ? -11
	                                      : 0;
	if (*info)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (trans != CUBLAS_OP_N || m < n)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (none)
		return CUBLAS_STATUS_SUCCESS;
	struct ct_blas_lu g = {.a = matrix_of(a, lda),
	                       .b = matrix_of(c, ldc),
	                       .info = zeros,
	                       .m = m,
	                       .n = n,
	                       .columns = columns};
	return run(handle, letter, "gels", batches, &g);
}

#define FUNCTIONS(S, letter, type) \
	cublasStatus_t cublas##S##getrfBatched(cublasHandle_t handle, int n, type *const A[], int lda, \
	                                       int *pivots, int *info, int batch) \
	{ \
		return getrf(handle, letter, n, A, lda, pivots, info, batch); \
	} \
	cublasStatus_t cublas##S##getrsBatched( \
		cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs, const type *const A[], \
		int lda, const int *pivots, type *const B[], int ldb, int *info, int batch) \
	{ \
		return getrs(handle, letter, trans, n, nrhs, A, lda, pivots, B, ldb, info, batch); \
	} \
	cublasStatus_t cublas##S##getriBatched( \
		cublasHandle_t handle, int n, const type *const A[], int lda, const int *pivots, \
		type *const C[], int ldc, int *info, int batch) \
	{ \
		return getri(handle, letter, n, A, lda, pivots, C, ldc, info, batch); \
	} \
	cublasStatus_t cublas##S##gelsBatched( \
		cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs, \
		type *const A[], int lda, type *const C[], int ldc, int *info, int *device_info, \
		int batch) \
	{ \
		return gels(handle, letter, trans, m, n, nrhs, A, lda, C, ldc, info, device_info, \
		            batch); \
	}
FUNCTIONS(S, 's', float)
FUNCTIONS(D, 'd', double)
FUNCTIONS(C, 'c', cuComplex)
FUNCTIONS(Z, 'z', cuDoubleComplex)
