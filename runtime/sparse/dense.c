/* cuSPARSE: dense matrices that become sparse, and back. */
#include "runtime/sparse/sparse.h"

/* A dense matrix as its sparse form has it: with the rows of CSR and COO, or the columns of CSC, as rows. */
static struct ct_sparse_dense dense_of(const struct cusparseDnMatDescr *m,
                                       const struct cusparseSpMatDescr *s)
{
	return ct_sparse_dense_of(m, s->format == CUSPARSE_FORMAT_CSC
	                                     ? CUSPARSE_OPERATION_TRANSPOSE
	                                     : CUSPARSE_OPERATION_NON_TRANSPOSE);
}

/* Checks a dense and a sparse matrix, and fills in what both are. */
static cusparseStatus_t begin(cusparseHandle_t handle, const struct cusparseDnMatDescr *d,
                              const struct cusparseSpMatDescr *s, const struct ct_sparse_numbers **t,
                              struct ct_sparse_conversion *g)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!d || !s || d->rows != s->rows || d->columns != s->columns)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*t = ct_sparse_numbers_of_type(s->type);
	if (!*t || d->type != s->type || s->offset_type != s->index_type || d->batches != 1 ||
	    s->batches != 1)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	int by_columns = s->format == CUSPARSE_FORMAT_CSC, coo = s->format == CUSPARSE_FORMAT_COO;
	*g = (struct ct_sparse_conversion){
		.offset = coo ? NULL : s->first,
		.row = coo ? s->first : NULL,
		.column = s->second,
		.value = s->value,
		.dense = dense_of(d, s),
		.rows = by_columns ? s->columns : s->rows,
		.columns = by_columns ? s->rows : s->columns,
		.count = s->count,
		.base = s->base};
	g->lanes = ct_sparse_lanes(g->rows, g->count);
	return CUSPARSE_STATUS_SUCCESS;
}

static int bits_of(const struct cusparseSpMatDescr *s)
{
	return s->index_type == CUSPARSE_INDEX_64I ? 64 : 32;
}

/* ---- from sparse to dense ---- */

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t A,
                                                  cusparseDnMatDescr_t B, cusparseSparseToDenseAlg_t alg,
                                                  size_t *bufferSize)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_conversion g;
	CT_SPARSE_TRY(begin(handle, B, A, &t, &g));
	if (!bufferSize || alg != CUSPARSE_SPARSETODENSE_ALG_DEFAULT)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bufferSize = 0;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t A, cusparseDnMatDescr_t B,
                      cusparseSparseToDenseAlg_t alg, void *buffer)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_conversion g;
	struct ct_blas_scalar zero = {0};
	(void)buffer;
	CT_SPARSE_TRY(begin(handle, B, A, &t, &g));
	if (alg != CUSPARSE_SPARSETODENSE_ALG_DEFAULT)
		return CUSPARSE_STATUS_INVALID_VALUE;
	CT_SPARSE_TRY(ct_sparse_scale(handle, t, &g.dense, g.rows, g.columns, 1, zero));
	int coo = A->format == CUSPARSE_FORMAT_COO;
	return ct_sparse_launch(handle, CT_SPARSE_CONVERT, t, coo ? "dense_elements" : "dense_rows",
	                        bits_of(A), ct_sparse_threads(coo ? g.count : g.rows * g.lanes), &g);
}

/* ---- from dense to sparse ---- */

/* Launches count or fill, by the way that rows lie in memory. */
static cusparseStatus_t run(cusparseHandle_t handle, const struct ct_sparse_numbers *t, const char *wide,
                            const char *tall, int bits, struct ct_sparse_conversion *g)
{
	int is_wide = g->dense.column == 1;
	return ct_sparse_launch(handle, CT_SPARSE_CONVERT, t, is_wide ? wide : tall, bits,
	                        ct_sparse_threads(is_wide ? g->rows * 32 : g->rows), g);
}

/* Offsets, one behind those of all rows, and parts of their sums. */
static size_t offset_bytes(const struct ct_sparse_conversion *g, int bits)
{
	return ((size_t)g->rows + 1) * (size_t)(bits / 8);
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t A,
                                                  cusparseSpMatDescr_t B, cusparseDenseToSparseAlg_t alg,
                                                  size_t *bufferSize)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_conversion g;
	char *end = NULL;
	CT_SPARSE_TRY(begin(handle, A, B, &t, &g));
	if (!bufferSize || alg != CUSPARSE_DENSETOSPARSE_ALG_DEFAULT)
		return CUSPARSE_STATUS_INVALID_VALUE;
	ct_sparse_part(&end, offset_bytes(&g, bits_of(B)));
	*bufferSize = (size_t)(uintptr_t)end + ct_sparse_scan_bytes(g.rows);
	return CUSPARSE_STATUS_SUCCESS;
}

/* Makes the offsets, in the buffer, and tells the matrix how many elements it will have. */
cusparseStatus_t
cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t A,
                               cusparseSpMatDescr_t B, cusparseDenseToSparseAlg_t alg, void *buffer)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_conversion g;
	char *at = buffer;
	CT_SPARSE_TRY(begin(handle, A, B, &t, &g));
	if (!buffer || alg != CUSPARSE_DENSETOSPARSE_ALG_DEFAULT)
		return CUSPARSE_STATUS_INVALID_VALUE;
	int bits = bits_of(B);
	g.offset = ct_sparse_part(&at, offset_bytes(&g, bits));
	CT_SPARSE_TRY(run(handle, t, "count_wide", "count_tall", bits, &g));
	CT_SPARSE_TRY(ct_sparse_scan_counts(handle, bits, g.offset, g.rows, g.base, at));
	int64_t last = 0;
	int32_t short_last = 0;
	CUdeviceptr from = (CUdeviceptr)(uintptr_t)g.offset + offset_bytes(&g, bits) -
	                   (size_t)(bits / 8);
	CT_SPARSE_TRY(ct_sparse_fetch(
		handle, bits == 64 ? (void *)&last : &short_last, from, (size_t)(bits / 8)));
	B->count = (bits == 64 ? last : short_last) - g.base;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t A,
                              cusparseSpMatDescr_t B, cusparseDenseToSparseAlg_t alg, void *buffer)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_conversion g;
	CT_SPARSE_TRY(begin(handle, A, B, &t, &g));
	if (!buffer || alg != CUSPARSE_DENSETOSPARSE_ALG_DEFAULT)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (B->format != CUSPARSE_FORMAT_COO)
		CT_SPARSE_TRY(ct_sparse_status(cuMemcpyDtoDAsync(
			(CUdeviceptr)(uintptr_t)B->first, (CUdeviceptr)(uintptr_t)buffer,
			offset_bytes(&g, bits_of(B)), handle->stream)));
	g.offset = buffer;
	return run(handle, t, "fill_wide", "fill_tall", bits_of(B), &g);
}

/* ---- how many elements are not zero ---- */

static cusparseStatus_t nnz(cusparseHandle_t handle, cudaDataType type, cusparseDirection_t direction,
                            int m, int n, const struct cusparseMatDescr *descr, const void *a, int lda,
                            int *counts, int *total)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if ((unsigned)direction > CUSPARSE_DIRECTION_COLUMN || m < 0 || n < 0 || !descr || !counts ||
	    !total || lda < (m > 1 ? m : 1) || (m && n && !a))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (descr->type != CUSPARSE_MATRIX_TYPE_GENERAL)
		return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
	int by_rows = direction == CUSPARSE_DIRECTION_ROW;
	struct ct_sparse_conversion g = {
		.offset = counts,
		.dense = {.at = (void *)(uintptr_t)a,
	                  .row = by_rows ? 1 : lda,
	                  .column = by_rows ? lda : 1},
		.rows = by_rows ? m : n,
		.columns = by_rows ? n : m,
	};
	char *at;
	CT_SPARSE_TRY(run(handle, ct_sparse_numbers_of_type(type), "count_wide", "count_tall", 32, &g));
	/* The sum is that of a scan of a copy, which leaves the counts as they are. */
	size_t bytes = ((size_t)g.rows + 1) * sizeof(int32_t);
	CT_SPARSE_TRY(ct_sparse_status(ct_cuda_make_room(
		&handle->work, bytes + 256 + ct_sparse_scan_bytes(g.rows), handle->stream)));
	at = (char *)(uintptr_t)handle->work.at;
	int32_t *sums = ct_sparse_part(&at, bytes);
	if (g.rows)
		CT_SPARSE_TRY(ct_sparse_status(
			cuMemcpyDtoDAsync((CUdeviceptr)(uintptr_t)sums, (CUdeviceptr)(uintptr_t)counts,
		                          (size_t)g.rows * sizeof *sums, handle->stream)));
	CT_SPARSE_TRY(ct_sparse_scan_counts(handle, 32, sums, g.rows, 0, at));
	CUdeviceptr from = (CUdeviceptr)(uintptr_t)(sums + g.rows);
	if (handle->pointers == CUSPARSE_POINTER_MODE_HOST)
		return ct_sparse_fetch(handle, total, from, sizeof *total);
	return ct_sparse_status(
		cuMemcpyDtoDAsync((CUdeviceptr)(uintptr_t)total, from, sizeof *total, handle->stream));
}

#define NNZ(S, type, number) \
	cusparseStatus_t cusparse##S##nnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, \
	                                  int n, const cusparseMatDescr_t descrA, const type *A, \
	                                  int lda, int *nnzPerRowCol, int *nnzTotalDevHostPtr) \
	{ \
		return nnz(handle, number, dirA, m, n, descrA, A, lda, nnzPerRowCol, \
		           nnzTotalDevHostPtr); \
	}
NNZ(S, float, CUDA_R_32F)
NNZ(D, double, CUDA_R_64F)
NNZ(C, cuComplex, CUDA_C_32F)
NNZ(Z, cuDoubleComplex, CUDA_C_64F)
