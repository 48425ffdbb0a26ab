/* What cuBLAS says to wrong parameters, and what its handles keep. What it computes, tests/cuda/blas.cu holds to plain loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/cuda/cublasLt.h"
#include "data/cuda/cublas_api.h"
#include "data/cuda/cuda_runtime_api.h"

#define GOOD(call) assert_int_equal(call, CUBLAS_STATUS_SUCCESS)
#define WRONG(call) assert_int_equal(call, CUBLAS_STATUS_INVALID_VALUE)
#define NONE(call) assert_int_equal(call, CUBLAS_STATUS_NOT_SUPPORTED)
#define UNMADE(call) assert_int_equal(call, CUBLAS_STATUS_NOT_INITIALIZED)

static cublasHandle_t h;
static double *d; /* 64 numbers on the device, and their values */
static double values[64];

static int begin(void **state)
{
	(void)state;
	for (int i = 0; i < 64; i++)
		values[i] = i;
	return cublasCreate_v2(&h) || cudaMalloc((void **)&d, sizeof values) ||
	       cudaMemcpy(d, values, sizeof values, cudaMemcpyHostToDevice);
}

static int end(void **state)
{
	(void)state;
	return cudaFree(d) || cublasDestroy_v2(h);
}

/* The numbers on the device are as they were. */
static void assert_untouched(void)
{
	double now[64];
	assert_int_equal(cudaMemcpy(now, d, sizeof now, cudaMemcpyDeviceToHost), cudaSuccess);
	assert_memory_equal(now, values, sizeof now);
}

static void handles_keep_settings(void **state)
{
	cublasPointerMode_t pointers;
	cublasMath_t math;
	cublasAtomicsMode_t atomics;
	cudaStream_t stream, kept;
	int version = 0;
	(void)state;
	WRONG(cublasCreate_v2(NULL));
	UNMADE(cublasDestroy_v2(NULL));
	UNMADE(cublasSetPointerMode_v2(NULL, CUBLAS_POINTER_MODE_HOST));
	GOOD(cublasGetPointerMode_v2(h, &pointers));
	assert_int_equal(pointers, CUBLAS_POINTER_MODE_HOST);
	WRONG(cublasSetPointerMode_v2(h, (cublasPointerMode_t)2));
	WRONG(cublasGetPointerMode_v2(h, NULL));
	GOOD(cublasSetMathMode(h, CUBLAS_TF32_TENSOR_OP_MATH));
	GOOD(cublasGetMathMode(h, &math));
	assert_int_equal(math, CUBLAS_TF32_TENSOR_OP_MATH);
	WRONG(cublasSetMathMode(h, (cublasMath_t)9));
	GOOD(cublasSetMathMode(h, CUBLAS_DEFAULT_MATH));
	GOOD(cublasGetAtomicsMode(h, &atomics));
	assert_int_equal(atomics, CUBLAS_ATOMICS_NOT_ALLOWED);
	assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
	GOOD(cublasSetStream_v2(h, stream));
	GOOD(cublasGetStream_v2(h, &kept));
	assert_ptr_equal(kept, stream);
	GOOD(cublasSetStream_v2(h, NULL));
	assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
	GOOD(cublasGetVersion_v2(NULL, &version));
	assert_int_equal(version, CUBLAS_VERSION);
	GOOD(cublasGetProperty(MINOR_VERSION, &version));
	assert_int_equal(version, CUBLAS_VER_MINOR);
	WRONG(cublasGetProperty((libraryPropertyType)3, &version));
	assert_string_equal(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED),
	                    "CUBLAS_STATUS_NOT_SUPPORTED");
	assert_string_equal(cublasGetStatusString(CUBLAS_STATUS_ALLOC_FAILED),
	                    "the resource allocation failed");
	assert_string_equal(cublasGetStatusName((cublasStatus_t)99), "unknown status");
}

static void copies_go_by_strides(void **state)
{
	double got[12] = {0};
	(void)state;
	GOOD(cublasGetVector(4, 8, d + 1, 3, got, 2));
	assert_true(got[0] == 1 && got[2] == 4 && got[4] == 7 && got[6] == 10 && got[1] == 0 &&
	            got[7] == 0);
	GOOD(cublasGetMatrix(2, 3, 8, d, 8, got, 4));
	assert_true(got[0] == 0 && got[1] == 1 && got[4] == 8 && got[5] == 9 && got[8] == 16 &&
	            got[9] == 17);
	GOOD(cublasSetMatrix(4, 2, 8, values, 8, d, 8));
	GOOD(cublasSetVector(0, 8, NULL, 1, NULL, 1));
	WRONG(cublasSetVector(2, 8, values, 0, d, 1));
	WRONG(cublasSetVector(-1, 8, values, 1, d, 1));
	WRONG(cublasSetMatrix(4, 2, 0, values, 8, d, 8));
	WRONG(cublasSetMatrix(4, 2, 8, values, 3, d, 8));
	WRONG(cublasGetMatrix(4, 2, 8, d, 8, got, 3));
	assert_untouched();
}

/* Vectors without elements, and numbers of them. */
static void vectors_are_checked(void **state)
{
	double one = 1, result = 5;
	int index = 5;
	int64_t far = 5;
	(void)state;
	UNMADE(cublasDaxpy_v2(NULL, 1, &one, d, 1, d, 1));
	WRONG(cublasDaxpy_v2(h, 1, NULL, d, 1, d, 1));
	WRONG(cublasDcopy_v2(h, 1, NULL, 1, d, 1));
	GOOD(cublasDaxpy_v2(h, -1, &one, d, 1, d, 1));
	GOOD(cublasDscal_v2(h, 4, &result, d, 0));
	NONE(cublasDswap_64(h, (int64_t)1 << 40, d, 1, d, 1));
	WRONG(cublasDdot_v2(h, 1, d, 1, d, 1, NULL));
	GOOD(cublasDdot_v2(h, 0, d, 1, d, 1, &result));
	assert_true(result == 0);
	result = 5;
	GOOD(cublasDnrm2_v2(h, 3, d, -1, &result));
	assert_true(result == 0);
	GOOD(cublasIdamax_v2(h, 0, d, 1, &index));
	assert_int_equal(index, 0);
	GOOD(cublasIdamax_64(h, 9, d, 1, &far));
	assert_int_equal(far, 9);
	GOOD(cublasDasum_v2(h, 4, d, 2, &result));
	assert_true(result == 12);
	NONE(cublasDotEx(h, 4, d, CUDA_R_16F, 1, d, CUDA_R_16F, 1, &result, CUDA_R_16F, CUDA_R_16F));
	NONE(cublasScalEx(h, 4, &one, CUDA_R_64F, d, CUDA_R_32F, 1, CUDA_R_32F));
	assert_untouched();
}

static cublasStatus_t gemm(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, int lda,
                           int ldb, int ldc)
{
	const double zero = 0, one = 1;
	return cublasDgemm_v2(h, ta, tb, m, n, k, &zero, d, lda, d, ldb, &one, d, ldc);
}

static void products_are_checked(void **state)
{
	const double one = 1, zero = 0;
	double now[4];
	(void)state;
	UNMADE(cublasDgemm_v2(NULL, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, d, 1, d, 1, &one, d, 1));
	GOOD(gemm(CUBLAS_OP_N, CUBLAS_OP_N, 2, 3, 4, 2, 4, 2));
	GOOD(gemm(CUBLAS_OP_T, CUBLAS_OP_C, 2, 3, 4, 4, 3, 2));
	WRONG(gemm((cublasOperation_t)7, CUBLAS_OP_N, 2, 3, 4, 2, 4, 2));
	WRONG(gemm(CUBLAS_OP_N, CUBLAS_OP_N, -1, 3, 4, 2, 4, 2));
	WRONG(gemm(CUBLAS_OP_N, CUBLAS_OP_N, 2, 3, 4, 1, 4, 2));
	WRONG(gemm(CUBLAS_OP_T, CUBLAS_OP_N, 2, 3, 4, 3, 4, 2));
	WRONG(gemm(CUBLAS_OP_N, CUBLAS_OP_N, 2, 3, 4, 2, 3, 2));
	WRONG(gemm(CUBLAS_OP_N, CUBLAS_OP_T, 2, 3, 4, 2, 2, 2));
	WRONG(gemm(CUBLAS_OP_N, CUBLAS_OP_N, 2, 3, 4, 2, 4, 1));
	WRONG(gemm(CUBLAS_OP_N, CUBLAS_OP_N, 0, 0, 0, 0, 1, 1));
	GOOD(gemm(CUBLAS_OP_N, CUBLAS_OP_N, 0, 3, 4, 1, 4, 1));
	WRONG(cublasDgemm_v2(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, NULL, d, 1, d, 1, &one, d, 1));
	WRONG(cublasDgemm_v2(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, d, 1, NULL, 1, &one, d, 1));
	NONE(cublasDgemm_64(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, (int64_t)1 << 33, &one, d, 1, d,
	                    (int64_t)1 << 33, &one, d, 1));
	NONE(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, d, CUDA_R_16F, 1, d, CUDA_R_16F, 1,
	                  &one, d, CUDA_R_64F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
	NONE(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, d, CUDA_R_4I, 1, d, CUDA_R_4I, 1,
	                  &one, d, CUDA_R_32I, 1, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
	assert_untouched();
	/* 2 x 2 of the numbers 8, 9, 10, 11 with itself, to a place of its own. */
	GOOD(cublasDgemm_v2(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, d + 8, 2, d + 8, 2, &zero, d,
	                    2));
	assert_int_equal(cudaMemcpy(now, d, sizeof now, cudaMemcpyDeviceToHost), cudaSuccess);
	assert_true(now[0] == 154 && now[1] == 171 && now[2] == 190 && now[3] == 211);
	assert_int_equal(cudaMemcpy(d, values, sizeof values, cudaMemcpyHostToDevice), cudaSuccess);
}

static void matrices_are_checked(void **state)
{
	const double one = 1, zero = 0;
	const cuDoubleComplex unit = {1, 0};
	cuDoubleComplex *z = (cuDoubleComplex *)d;
	double **pointers = (double **)d;
	int info = 5;
	(void)state;
	WRONG(cublasDgemv_v2(h, CUBLAS_OP_N, 3, 3, &one, d, 2, d, 1, &one, d, 1));
	WRONG(cublasDgemv_v2(h, CUBLAS_OP_N, 3, 3, &one, d, 3, d, 0, &one, d, 1));
	WRONG(cublasDsymv_v2(h, CUBLAS_FILL_MODE_FULL, 3, &one, d, 3, d, 1, &one, d, 1));
	WRONG(cublasDtrsv_v2(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, (cublasDiagType_t)2, 3, d, 3, d,
	                     1));
	WRONG(cublasDger_v2(h, 3, 3, &one, d, 1, d, 1, d, 2));
	WRONG(cublasDsyr_v2(h, (cublasFillMode_t)5, 3, &one, d, 1, d, 3));
	WRONG(cublasDtrsm_v2(h, (cublasSideMode_t)2, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
	                     CUBLAS_DIAG_UNIT, 3, 3, &one, d, 3, d, 3));
	WRONG(cublasDtrsm_v2(h, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT,
	                     2, 3, &one, d, 2, d, 3));
	WRONG(cublasDsymm_v2(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, 3, 2, &one, d, 3, d, 2, &one,
	                     d, 3));
	WRONG(cublasZsyrk_v2(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, 2, 2, &unit, z, 2, &unit, z, 2));
	WRONG(cublasZherk_v2(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, 2, 2, &one, z, 2, &one, z, 2));
	WRONG(cublasDgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, &one, d, 2, &one, d, 2, d,
	                  2)); /* transposed in its place */
	WRONG(cublasDgeam(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, &one, NULL, 2, &zero, d, 2, d, 2));
	WRONG(cublasDdgmm(h, CUBLAS_SIDE_LEFT, 3, 3, d, 2, d, 1, d, 3));
	NONE(cublasDgemvBatched(h, CUBLAS_OP_N, 2, 2, &one, (const double *const *)pointers, 2,
	                        (const double *const *)pointers, -1, &one, pointers, 1, 1));
	WRONG(cublasDgetrfBatched(h, 3, pointers, 2, NULL, &info, 1));
	WRONG(cublasDgetrsBatched(h, CUBLAS_OP_N, 3, 1, (const double *const *)pointers, 3, NULL,
	                          pointers, 2, &info, 1));
	assert_int_equal(info, -8);
	GOOD(cublasDgetrsBatched(h, CUBLAS_OP_N, 3, 0, (const double *const *)pointers, 3, NULL,
	                         pointers, 3, &info, 1));
	assert_int_equal(info, 0);
	assert_untouched();
}

/* What does not fit together, and what is missing. */
static void descriptors_are_checked(void **state)
{
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t a, wide;
	cublasLtMatmulHeuristicResult_t found;
	cublasLtMatmulPreference_t preference;
	const double one = 1;
	int n = 5;
	(void)state;
	GOOD(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_64F, CUDA_R_64F));
	GOOD(cublasLtMatrixLayoutCreate(&a, CUDA_R_64F, 2, 2, 2));
	GOOD(cublasLtMatrixLayoutCreate(&wide, CUDA_R_64F, 2, 3, 2));
	GOOD(cublasLtMatmulPreferenceCreate(&preference));
	GOOD(cublasLtMatmulAlgoGetHeuristic(h, desc, a, a, a, a, preference, 1, &found, &n));
	assert_int_equal(n, 1);
	WRONG(cublasLtMatmulAlgoGetHeuristic(h, desc, a, a, a, wide, preference, 1, &found, &n));
	WRONG(cublasLtMatmulAlgoGetHeuristic(h, desc, a, a, a, a, preference, 0, &found, &n));
	WRONG(cublasLtMatmul(h, desc, NULL, d, a, d, a, &one, d, a, d, a, NULL, NULL, 0, NULL));
	NONE(cublasLtMatmulDescSetAttribute(desc, (cublasLtMatmulDescAttributes_t)77, &n, sizeof n));
	GOOD(cublasLtMatmulPreferenceDestroy(preference));
	GOOD(cublasLtMatrixLayoutDestroy(a));
	GOOD(cublasLtMatrixLayoutDestroy(wide));
	GOOD(cublasLtMatmulDescDestroy(desc));
	assert_untouched();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handles_keep_settings), cmocka_unit_test(copies_go_by_strides),
		cmocka_unit_test(vectors_are_checked),   cmocka_unit_test(products_are_checked),
		cmocka_unit_test(matrices_are_checked),  cmocka_unit_test(descriptors_are_checked),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
