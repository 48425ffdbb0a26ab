/* What cuSPARSE says to wrong parameters, and what its handles and descriptions keep. What it computes, tests/cuda/sparse*.cpp hold to plain
 * loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data/cuda/cuda_runtime_api.h"
#include "data/cuda/cusparse.h"

#define GOOD(call) assert_int_equal(call, CUSPARSE_STATUS_SUCCESS)
#define WRONG(call) assert_int_equal(call, CUSPARSE_STATUS_INVALID_VALUE)
#define NONE(call) assert_int_equal(call, CUSPARSE_STATUS_NOT_SUPPORTED)
#define UNMADE(call) assert_int_equal(call, CUSPARSE_STATUS_NOT_INITIALIZED)
#define N CUSPARSE_OPERATION_NON_TRANSPOSE
#define T CUSPARSE_OPERATION_TRANSPOSE
#define I32 CUSPARSE_INDEX_32I
#define I64 CUSPARSE_INDEX_64I
#define ZERO CUSPARSE_INDEX_BASE_ZERO

static cusparseHandle_t h;
static int *d_offset, *d_column; /* of a matrix of 2 x 3 with three elements, on the device */
static float *d_value, *d_x;
static const float one = 1;
static cusparseSpMatDescr_t a;
static cusparseDnVecDescr_t x2, x3;

static int begin(void **state)
{
	static const int offset[] = {0, 2, 3}, column[] = {0, 2, 1};
	static const float value[] = {1, 2, 3}, x[] = {1, 1, 1, 1, 1, 1};
	(void)state;
	return cusparseCreate(&h) || cudaMalloc((void **)&d_offset, sizeof offset) ||
	       cudaMalloc((void **)&d_column, sizeof column) ||
	       cudaMalloc((void **)&d_value, sizeof value) || cudaMalloc((void **)&d_x, sizeof x) ||
	       cudaMemcpy(d_offset, offset, sizeof offset, cudaMemcpyHostToDevice) ||
	       cudaMemcpy(d_column, column, sizeof column, cudaMemcpyHostToDevice) ||
	       cudaMemcpy(d_value, value, sizeof value, cudaMemcpyHostToDevice) ||
	       cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice) ||
	       cusparseCreateCsr(&a, 2, 3, 3, d_offset, d_column, d_value, I32, I32, ZERO, CUDA_R_32F) ||
	       cusparseCreateDnVec(&x2, 2, d_x, CUDA_R_32F) ||
	       cusparseCreateDnVec(&x3, 3, d_x + 3, CUDA_R_32F);
}

static int end(void **state)
{
	(void)state;
	return cusparseDestroySpMat(a) || cusparseDestroyDnVec(x2) || cusparseDestroyDnVec(x3) ||
	       cudaFree(d_offset) || cudaFree(d_column) || cudaFree(d_value) || cudaFree(d_x) ||
	       cusparseDestroy(h);
}

static void handles_keep_settings(void **state)
{
	cusparsePointerMode_t pointers;
	cudaStream_t stream, kept;
	int version = 0;
	(void)state;
	WRONG(cusparseCreate(NULL));
	UNMADE(cusparseDestroy(NULL));
	UNMADE(cusparseSetPointerMode(NULL, CUSPARSE_POINTER_MODE_HOST));
	GOOD(cusparseGetPointerMode(h, &pointers));
	assert_int_equal(pointers, CUSPARSE_POINTER_MODE_HOST);
	WRONG(cusparseSetPointerMode(h, (cusparsePointerMode_t)2));
	WRONG(cusparseGetPointerMode(h, NULL));
	assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
	GOOD(cusparseSetStream(h, stream));
	GOOD(cusparseGetStream(h, &kept));
	assert_ptr_equal(kept, stream);
	GOOD(cusparseSetStream(h, NULL));
	assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
	UNMADE(cusparseGetVersion(NULL, &version));
	GOOD(cusparseGetVersion(h, &version));
	assert_int_equal(version, CUSPARSE_VERSION);
	GOOD(cusparseGetProperty(MINOR_VERSION, &version));
	assert_int_equal(version, CUSPARSE_VER_MINOR);
	WRONG(cusparseGetProperty((libraryPropertyType)3, &version));
	assert_string_equal(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT),
	                    "CUSPARSE_STATUS_ZERO_PIVOT");
	assert_string_equal(cusparseGetErrorString(CUSPARSE_STATUS_INSUFFICIENT_RESOURCES),
	                    "insufficient resources");
	assert_string_equal(cusparseGetErrorName((cusparseStatus_t)99), "unknown status");
}

static void matrices_of_parameters_keep_properties(void **state)
{
	cusparseMatDescr_t d;
	(void)state;
	GOOD(cusparseCreateMatDescr(&d));
	assert_int_equal(cusparseGetMatType(d), CUSPARSE_MATRIX_TYPE_GENERAL);
	GOOD(cusparseSetMatType(d, CUSPARSE_MATRIX_TYPE_TRIANGULAR));
	GOOD(cusparseSetMatFillMode(d, CUSPARSE_FILL_MODE_UPPER));
	GOOD(cusparseSetMatDiagType(d, CUSPARSE_DIAG_TYPE_UNIT));
	GOOD(cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ONE));
	assert_int_equal(cusparseGetMatType(d), CUSPARSE_MATRIX_TYPE_TRIANGULAR);
	assert_int_equal(cusparseGetMatFillMode(d), CUSPARSE_FILL_MODE_UPPER);
	assert_int_equal(cusparseGetMatDiagType(d), CUSPARSE_DIAG_TYPE_UNIT);
	assert_int_equal(cusparseGetMatIndexBase(d), CUSPARSE_INDEX_BASE_ONE);
	WRONG(cusparseSetMatType(d, (cusparseMatrixType_t)4));
	WRONG(cusparseSetMatIndexBase(NULL, ZERO));
	GOOD(cusparseDestroyMatDescr(d));
	WRONG(cusparseCreateMatDescr(NULL));
}

static void descriptions_tell_what_they_were_given(void **state)
{
	cusparseSpMatDescr_t m;
	cusparseConstSpVecDescr_t v;
	cusparseDnMatDescr_t dense;
	int64_t rows, columns, count, ld;
	void *first, *second, *value;
	const void *index, *numbers;
	cusparseIndexType_t offsets, indices;
	cusparseIndexBase_t base;
	cudaDataType type;
	cusparseOrder_t order;
	cusparseFormat_t format;
	int batches;
	(void)state;
	GOOD(cusparseCsrGet(a, &rows, &columns, &count, &first, &second, &value, &offsets, &indices,
	                    &base, &type));
	assert_true(rows == 2 && columns == 3 && count == 3 && first == d_offset && second == d_column &&
	            value == d_value && offsets == I32 && indices == I32 && base == ZERO &&
	            type == CUDA_R_32F);
	WRONG(cusparseCooGet(a, &rows, &columns, &count, &first, &second, &value, &indices, &base,
	                     &type));
	WRONG(cusparseCscSetPointers(a, first, second, value));
	GOOD(cusparseSpMatGetFormat(a, &format));
	assert_int_equal(format, CUSPARSE_FORMAT_CSR);
	GOOD(cusparseCreateCoo(&m, 4, 5, 3, d_column, d_offset, d_value, I64, CUSPARSE_INDEX_BASE_ONE,
	                       CUDA_C_64F));
	GOOD(cusparseCooSetStridedBatch(m, 3, 7));
	WRONG(cusparseCsrSetStridedBatch(m, 3, 7, 7));
	GOOD(cusparseSpMatGetStridedBatch(m, &batches));
	assert_int_equal(batches, 3);
	GOOD(cusparseSpMatSetValues(m, d_x));
	GOOD(cusparseSpMatGetValues(m, &value));
	assert_ptr_equal(value, d_x);
	GOOD(cusparseSpMatGetIndexBase(m, &base));
	assert_int_equal(base, CUSPARSE_INDEX_BASE_ONE);
	GOOD(cusparseDestroySpMat(m));
	GOOD(cusparseCreateConstSpVec(&v, 9, 2, d_column, d_value, I32, ZERO, CUDA_R_32F));
	GOOD(cusparseConstSpVecGet(v, &rows, &count, &index, &numbers, &indices, &base, &type));
	assert_true(rows == 9 && count == 2 && index == d_column && numbers == d_value);
	GOOD(cusparseDestroySpVec(v));
	GOOD(cusparseCreateDnMat(&dense, 2, 3, 4, d_x, CUDA_R_16F, CUSPARSE_ORDER_ROW));
	GOOD(cusparseDnMatGet(dense, &rows, &columns, &ld, &value, &type, &order));
	assert_true(rows == 2 && columns == 3 && ld == 4 && value == d_x && type == CUDA_R_16F &&
	            order == CUSPARSE_ORDER_ROW);
	GOOD(cusparseDestroyDnMat(dense));
}

static void descriptions_are_checked(void **state)
{
	cusparseSpMatDescr_t m;
	cusparseSpVecDescr_t v;
	cusparseDnVecDescr_t d;
	cusparseDnMatDescr_t dense;
	cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER;
	int wrong = 7;
	(void)state;
	WRONG(cusparseCreateCsr(NULL, 2, 3, 3, d_offset, d_column, d_value, I32, I32, ZERO, CUDA_R_32F));
	WRONG(cusparseCreateCsr(&m, -1, 3, 3, d_offset, d_column, d_value, I32, I32, ZERO, CUDA_R_32F));
	WRONG(cusparseCreateCsr(&m, 2, 3, 9, d_offset, d_column, d_value, I32, I32, ZERO, CUDA_R_32F));
	WRONG(cusparseCreateCsc(&m, 2, 3, 3, d_offset, d_column, d_value, CUSPARSE_INDEX_16U, I32, ZERO,
	                        CUDA_R_32F));
	WRONG(cusparseCreateCoo(&m, 2, 3, 3, d_offset, d_column, d_value, I32, (cusparseIndexBase_t)2,
	                        CUDA_R_32F));
	WRONG(cusparseCreateSpVec(&v, 2, 3, d_column, d_value, I32, ZERO, CUDA_R_32F));
	WRONG(cusparseCreateDnVec(&d, -1, d_x, CUDA_R_32F));
	WRONG(cusparseCreateDnMat(&dense, 3, 2, 2, d_x, CUDA_R_32F, CUSPARSE_ORDER_COL));
	WRONG(cusparseCreateDnMat(&dense, 3, 2, 3, d_x, CUDA_R_32F, (cusparseOrder_t)3));
	WRONG(cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &fill, 1));
	WRONG(cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &wrong, sizeof wrong));
	WRONG(cusparseSpMatGetAttribute(a, (cusparseSpMatAttribute_t)2, &fill, sizeof fill));
	GOOD(cusparseDestroySpMat(NULL));
}

static cusparseStatus_t spmv(cusparseHandle_t handle, cusparseOperation_t op, const void *alpha,
                             cusparseDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType compute,
                             cusparseSpMVAlg_t alg)
{
	size_t bytes;
	cusparseStatus_t st = cusparseSpMV_bufferSize(
		handle, op, alpha, a, x, &one, y, compute, alg, &bytes);
	assert_int_equal(cusparseSpMV(handle, op, alpha, a, x, &one, y, compute, alg, NULL), st);
	return st;
}

static void products_are_checked(void **state)
{
	const cusparseSpMVAlg_t alg = CUSPARSE_SPMV_ALG_DEFAULT;
	cusparseDnVecDescr_t twice;
	cusparseDnMatDescr_t b, c;
	cusparseSpMatDescr_t mixed;
	float y[2];
	(void)state;
	UNMADE(spmv(NULL, N, &one, x3, x2, CUDA_R_32F, alg));
	WRONG(spmv(h, N, NULL, x3, x2, CUDA_R_32F, alg));
	WRONG(spmv(h, N, &one, x2, x3, CUDA_R_32F, alg));
	WRONG(spmv(h, T, &one, x3, x2, CUDA_R_32F, alg));
	WRONG(spmv(h, (cusparseOperation_t)3, &one, x3, x2, CUDA_R_32F, alg));
	WRONG(spmv(h, N, &one, NULL, x2, CUDA_R_32F, alg));
	WRONG(spmv(h, N, &one, x3, x2, CUDA_R_32F, (cusparseSpMVAlg_t)17));
	NONE(spmv(h, N, &one, x3, x2, CUDA_R_64F, alg));
	NONE(spmv(h, N, &one, x3, x2, CUDA_R_32F, CUSPARSE_SPMV_SELL_ALG1));
	GOOD(cusparseCreateDnVec(&twice, 3, d_x, CUDA_R_64F));
	NONE(spmv(h, N, &one, twice, x2, CUDA_R_32F, alg));
	GOOD(cusparseDestroyDnVec(twice));
	assert_int_equal(cudaMemcpy(y, d_x, sizeof y, cudaMemcpyDeviceToHost), cudaSuccess);
	assert_true(y[0] == 1 && y[1] == 1);
	GOOD(spmv(h, N, &one, x3, x2, CUDA_R_32F, alg));
	assert_int_equal(cudaMemcpy(y, d_x, sizeof y, cudaMemcpyDeviceToHost), cudaSuccess);
	assert_true(y[0] == 4 && y[1] == 4);
	GOOD(cusparseCreateCsr(&mixed, 2, 3, 3, d_offset, d_column, d_value, I64, I32, ZERO,
	                       CUDA_R_32F));
	NONE(cusparseSpMV(h, N, &one, mixed, x3, &one, x2, CUDA_R_32F, alg, NULL));
	GOOD(cusparseDestroySpMat(mixed));
	GOOD(cusparseCreateDnMat(&b, 3, 1, 3, d_x, CUDA_R_32F, CUSPARSE_ORDER_COL));
	GOOD(cusparseCreateDnMat(&c, 2, 1, 2, d_x + 4, CUDA_R_32F, CUSPARSE_ORDER_COL));
	WRONG(cusparseSpMM(h, N, N, &one, a, c, &one, c, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, NULL));
	WRONG(cusparseSpMM(h, N, T, &one, a, b, &one, c, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, NULL));
	NONE(cusparseSpMM(h, N, N, &one, a, b, &one, c, CUDA_R_32F, CUSPARSE_SPMM_BLOCKED_ELL_ALG1,
	                  NULL));
	GOOD(cusparseDnMatSetStridedBatch(b, 2, 1));
	WRONG(cusparseSpMM(h, N, N, &one, a, b, &one, c, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, NULL));
	WRONG(cusparseDnMatSetStridedBatch(b, 0, 1));
	WRONG(cusparseSDDMM(h, N, N, &one, b, c, &one, a, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, NULL));
	GOOD(cusparseDestroyDnMat(b));
	GOOD(cusparseDestroyDnMat(c));
}

/* COO that is to be summed in order needs the buffer that it asks for. */
static void buffers_are_asked_for(void **state)
{
	cusparseSpMatDescr_t coo;
	size_t bytes;
	(void)state;
	GOOD(cusparseCreateCoo(&coo, 2, 3, 3, d_column, d_column, d_value, I32, ZERO, CUDA_R_32F));
	GOOD(cusparseSpMV_bufferSize(
		h, N, &one, coo, x3, &one, x2, CUDA_R_32F, CUSPARSE_SPMV_COO_ALG2, &bytes));
	assert_int_equal(bytes, 12);
	WRONG(cusparseSpMV(h, N, &one, coo, x3, &one, x2, CUDA_R_32F, CUSPARSE_SPMV_COO_ALG2, NULL));
	GOOD(cusparseDestroySpMat(coo));
}

static void forms_are_checked(void **state)
{
	cusparseMatDescr_t d;
	cusparseSpGEMMDescr_t steps;
	cusparseSpSVDescr_t triangle;
	csrilu02Info_t info;
	size_t bytes;
	int total, position;
	(void)state;
	GOOD(cusparseCreateMatDescr(&d));
	UNMADE(cusparseXcoo2csr(NULL, d_column, 3, 2, d_offset, ZERO));
	WRONG(cusparseXcoo2csr(h, NULL, 3, 2, d_offset, ZERO));
	WRONG(cusparseXcsr2coo(h, d_offset, -1, 2, d_column, ZERO));
	WRONG(cusparseXcsrsort(h, 2, 3, 3, d, d_offset, d_column, NULL, NULL));
	WRONG(cusparseCreateIdentityPermutation(h, 3, NULL));
	NONE(cusparseCsr2cscEx2_bufferSize(
		h, 2, 3, 3, d_value, d_offset, d_column, d_value, d_offset, d_column, CUDA_R_8I,
		CUSPARSE_ACTION_NUMERIC, ZERO, CUSPARSE_CSR2CSC_ALG1, &bytes));
	WRONG(cusparseSnnz(h, CUSPARSE_DIRECTION_ROW, 3, 2, d, d_x, 2, d_offset, &total));
	GOOD(cusparseSetMatType(d, CUSPARSE_MATRIX_TYPE_SYMMETRIC));
	assert_int_equal(cusparseSnnz(h, CUSPARSE_DIRECTION_ROW, 2, 2, d, d_x, 2, d_offset, &total),
	                 CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
	GOOD(cusparseSpGEMM_createDescr(&steps));
	WRONG(cusparseSpGEMM_workEstimation(
		h, N, N, &one, a, a, &one, a, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, steps, &bytes, NULL));
	NONE(cusparseSpGEMM_workEstimation(
		h, T, N, &one, a, a, &one, a, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, steps, &bytes, NULL));
	NONE(cusparseSpGEMM_workEstimation(
		h, N, N, &one, a, a, &one, a, CUDA_R_32F, CUSPARSE_SPGEMM_ALG3, steps, &bytes, NULL));
	GOOD(cusparseSpGEMM_destroyDescr(steps));
	GOOD(cusparseSpSV_createDescr(&triangle));
	WRONG(cusparseSpSV_bufferSize(h, N, &one, a, x2, x2, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT,
	                              triangle, &bytes)); /* a is not square */
	GOOD(cusparseSpSV_destroyDescr(triangle));
	GOOD(cusparseCreateCsrilu02Info(&info));
	WRONG(cusparseXcsrilu02_zeroPivot(h, info, NULL));
	GOOD(cusparseXcsrilu02_zeroPivot(h, info, &position));
	assert_int_equal(position, -1);
	GOOD(cusparseSetMatType(d, CUSPARSE_MATRIX_TYPE_GENERAL));
	WRONG(cusparseScsrilu02(h, 2, 3, d, d_value, d_offset, d_column, info,
	                        CUSPARSE_SOLVE_POLICY_NO_LEVEL, d_x)); /* without analysis */
	GOOD(cusparseDestroyCsrilu02Info(info));
	GOOD(cusparseDestroyMatDescr(d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handles_keep_settings),
		cmocka_unit_test(matrices_of_parameters_keep_properties),
		cmocka_unit_test(descriptions_tell_what_they_were_given),
		cmocka_unit_test(descriptions_are_checked),
		cmocka_unit_test(products_are_checked),
		cmocka_unit_test(buffers_are_asked_for),
		cmocka_unit_test(forms_are_checked),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
