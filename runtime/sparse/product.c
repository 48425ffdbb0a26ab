/* cuSPARSE: products of sparse matrices with vectors and dense matrices, and of dense ones where a sparse one has elements. */
#include "runtime/sparse/sparse.h"

/* How a sparse matrix is gone through: */
enum way {
	ROWS,     /* by rows, whose elements are summed */
	SCATTER,  /* by rows of the transposed matrix, which are added to */
	SEGMENTS, /* by elements in the order of rows */
	ELEMENTS  /* by elements of the transposed matrix */
};

/* A product as asked for. */
struct asked {
	cusparseHandle_t handle;
	cusparseOperation_t op_a, op_b;
	const struct cusparseSpMatDescr *a;
	const struct ct_sparse_numbers *t;
	enum way way;
	int ordered; /* every sum is made in the same order, which elements of COO need offsets for */
	int64_t batches;
	struct ct_sparse_product g;
};

static int bits_of(const struct cusparseSpMatDescr *a)
{
	return a->index_type == CUSPARSE_INDEX_64I ? 64 : 32;
}

static enum way way_of(const struct cusparseSpMatDescr *a, cusparseOperation_t op)
{
	int transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
	if (a->format == CUSPARSE_FORMAT_COO)
		return transposed ? ELEMENTS : SEGMENTS;
	return (a->format == CUSPARSE_FORMAT_CSC) != transposed ? SCATTER : ROWS;
}

/* Checks what products of a sparse matrix have in common, and fills in what it says. The result's rows go to *rows, the summands to *inner. */
static cusparseStatus_t begin(struct asked *q, cudaDataType type, cudaDataType compute, int64_t *rows,
                              int64_t *inner)
{
	const struct cusparseSpMatDescr *a = q->a;
	int transposed = q->op_a != CUSPARSE_OPERATION_NON_TRANSPOSE;
	if (!ct_sparse_is_operation(q->op_a) || !ct_sparse_is_operation(q->op_b))
		return CUSPARSE_STATUS_INVALID_VALUE;
	q->t = ct_sparse_numbers_of(a->type, compute);
	q->way = way_of(a, q->op_a);
	if (!q->t || type != a->type || a->offset_type != a->index_type ||
	    (q->t->is_short && q->way != ROWS))
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	q->g.a = ct_sparse_matrix_of(a);
	q->g.lanes = ct_sparse_lanes(q->g.a.rows, q->g.a.count);
	q->g.flags = (q->op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? CT_SPARSE_CONJ_A : 0) |
	             (q->op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? CT_SPARSE_CONJ_B : 0);
	*rows = transposed ? a->columns : a->rows;
	*inner = transposed ? a->rows : a->columns;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t scalars(struct asked *q, const void *alpha, const void *beta)
{
	if (!alpha || !beta)
		return CUSPARSE_STATUS_INVALID_VALUE;
	q->g.alpha = ct_sparse_scalar_of(q->handle, alpha, q->t->sum_bytes);
	q->g.beta = ct_sparse_scalar_of(q->handle, beta, q->t->sum_bytes);
	return CUSPARSE_STATUS_SUCCESS;
}

/* Bytes of the caller's buffer: for offsets, where COO is summed in order. */
static size_t buffer_bytes(const struct asked *q)
{
	if (q->way != SEGMENTS || !q->ordered)
		return 0;
	return ((size_t)q->a->rows + 1) * ct_sparse_index_bytes(q->a->index_type) *
	       (size_t)q->a->batches;
}

/* Makes offsets of the rows that elements name, in the buffer: the matrix is one by rows then. */
static cusparseStatus_t make_offsets(struct asked *q, void *buffer)
{
	if (!buffer_bytes(q))
		return CUSPARSE_STATUS_SUCCESS;
	if (!buffer)
		return CUSPARSE_STATUS_INVALID_VALUE;
	struct ct_sparse_conversion g = {
		.row = (void *)(uintptr_t)q->g.a.row,
		.offset = buffer,
		.rows = q->a->rows,
		.count = q->a->count,
		.base = q->a->base,
		.batch = q->a->batch};
	struct ct_cuda_grid grid = ct_sparse_threads(q->a->count + 1);
	grid.z = q->a->batches;
	CT_SPARSE_TRY(ct_sparse_launch_batches(
		q->handle, CT_SPARSE_CONVERT, NULL, "offsets", bits_of(q->a), grid, &g, &g.first));
	q->g.a.offset = buffer;
	q->g.a.offset_batch = q->a->batches > 1 ? q->a->rows + 1 : 0;
	q->way = ROWS;
	return CUSPARSE_STATUS_SUCCESS;
}

/* ---- a matrix and a vector ---- */

static cusparseStatus_t
prepare_vector(struct asked *q, const struct cusparseDnVecDescr *x, const struct cusparseDnVecDescr *y,
               cudaDataType compute, cusparseSpMVAlg_t alg)
{
	int64_t rows, inner;
	if (!q->handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!q->a || !x || !y || (unsigned)alg > CUSPARSE_SPMV_SELL_ALG1)
		return CUSPARSE_STATUS_INVALID_VALUE;
	CT_SPARSE_TRY(begin(q, x->type, compute, &rows, &inner));
	if (y->type != x->type || alg == CUSPARSE_SPMV_SELL_ALG1)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	if (x->size != inner || y->size != rows)
		return CUSPARSE_STATUS_INVALID_VALUE;
	q->ordered = alg == CUSPARSE_SPMV_COO_ALG2;
	q->g.b = (struct ct_sparse_dense){.at = x->value, .row = 1};
	q->g.c = (struct ct_sparse_dense){.at = y->value, .row = 1};
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV_bufferSize(
	cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t A,
	cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType computeType,
	cusparseSpMVAlg_t alg, size_t *bufferSize)
{
	struct asked q = {.handle = handle, .op_a = opA, .a = A};
	CT_SPARSE_TRY(prepare_vector(&q, x, y, computeType, alg));
	if (!alpha || !beta || !bufferSize)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bufferSize = buffer_bytes(&q);
	return CUSPARSE_STATUS_SUCCESS;
}

/* There is nothing to prepare. */
cusparseStatus_t cusparseSpMV_preprocess(
	cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t A,
	cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType computeType,
	cusparseSpMVAlg_t alg, void *buffer)
{
	size_t bytes;
	(void)buffer;
	return cusparseSpMV_bufferSize(handle, opA, alpha, A, x, beta, y, computeType, alg, &bytes);
}

cusparseStatus_t
cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
             cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x, const void *beta,
             cusparseDnVecDescr_t y, cudaDataType computeType, cusparseSpMVAlg_t alg, void *buffer)
{
	static const char *const names[] = {
		"spmv_rows", "spmv_scatter", "spmv_segments", "spmv_elements"};
	struct asked q = {.handle = handle, .op_a = opA, .a = A};
	CT_SPARSE_TRY(prepare_vector(&q, x, y, computeType, alg));
	CT_SPARSE_TRY(scalars(&q, alpha, beta));
	CT_SPARSE_TRY(make_offsets(&q, buffer));
	if (q.way != ROWS)
		CT_SPARSE_TRY(ct_sparse_scale(handle, q.t, &q.g.c, y->size, 1, 1, q.g.beta));
	int64_t threads = q.way == SEGMENTS   ? ct_sparse_tiles(A->count, 8)
	                  : q.way == ELEMENTS ? A->count
	                                      : q.g.a.rows * q.g.lanes;
	return ct_sparse_launch(handle, CT_SPARSE_SPMV, q.t, names[q.way], bits_of(A),
	                        ct_sparse_threads(threads), &q.g);
}

/* ---- matrices ---- */

/* Batches of a product: as many as its matrices have, of which some may be one for all. -1: they differ. */
static int64_t batches_of(int a, int b, int c)
{
	int most = a > b ? a : b;
	most = most > c ? most : c;
	return (a == most || a == 1) && (b == most || b == 1) && c == most ? most : -1;
}

static cusparseStatus_t
prepare_matrix(struct asked *q, const struct cusparseDnMatDescr *b, const struct cusparseDnMatDescr *c,
               cudaDataType compute, cusparseSpMMAlg_t alg)
{
	int64_t rows, inner;
	if (!q->handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!q->a || !b || !c || (unsigned)alg > CUSPARSE_SPMM_BLOCKED_ELL_ALG1)
		return CUSPARSE_STATUS_INVALID_VALUE;
	CT_SPARSE_TRY(begin(q, b->type, compute, &rows, &inner));
	if (c->type != b->type || alg == CUSPARSE_SPMM_BLOCKED_ELL_ALG1)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	int transposed = q->op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
	q->batches = batches_of(q->a->batches, b->batches, c->batches);
	if (c->rows != rows || (transposed ? b->columns : b->rows) != inner ||
	    (transposed ? b->rows : b->columns) != c->columns || q->batches < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	q->ordered = alg == CUSPARSE_SPMM_COO_ALG2;
	q->g.columns = c->columns;
	q->g.b = ct_sparse_dense_of(b, q->op_b);
	q->g.c = ct_sparse_dense_of(c, CUSPARSE_OPERATION_NON_TRANSPOSE);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM_bufferSize(
	cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
	cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, const void *beta,
	cusparseDnMatDescr_t C, cudaDataType computeType, cusparseSpMMAlg_t alg, size_t *bufferSize)
{
	struct asked q = {.handle = handle, .op_a = opA, .op_b = opB, .a = A};
	CT_SPARSE_TRY(prepare_matrix(&q, B, C, computeType, alg));
	if (!alpha || !beta || !bufferSize)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bufferSize = buffer_bytes(&q);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM_preprocess(
	cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
	cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, const void *beta,
	cusparseDnMatDescr_t C, cudaDataType computeType, cusparseSpMMAlg_t alg, void *buffer)
{
	size_t bytes;
	(void)buffer;
	return cusparseSpMM_bufferSize(handle, opA, opB, alpha, A, B, beta, C, computeType, alg, &bytes);
}

/* Rows by the way that b lies: its rows side by side, or its columns. */
static cusparseStatus_t multiply(struct asked *q)
{
	static const char *const names[] = {NULL, "spmm_scatter", "spmm_segments", "spmm_elements"};
	int tall = q->way == ROWS && q->g.b.column != 1 && q->g.b.row == 1;
	const char *name = q->way != ROWS ? names[q->way] : tall ? "spmm_tall" : "spmm_wide";
	int64_t threads = q->way == SEGMENTS || q->way == ELEMENTS
	                          ? q->a->count
	                          : q->g.a.rows * (tall ? q->g.lanes : 32);
	struct ct_cuda_grid grid = ct_sparse_threads(threads);
	grid.y = ct_sparse_tiles(q->g.columns, tall ? 4 : 32);
	grid.z = q->batches;
	return ct_sparse_launch_batches(
		q->handle, CT_SPARSE_SPMM, q->t, name, bits_of(q->a), grid, &q->g, &q->g.first);
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                              const void *alpha, cusparseConstSpMatDescr_t A,
                              cusparseConstDnMatDescr_t B, const void *beta, cusparseDnMatDescr_t C,
                              cudaDataType computeType, cusparseSpMMAlg_t alg, void *buffer)
{
	struct asked q = {.handle = handle, .op_a = opA, .op_b = opB, .a = A};
	CT_SPARSE_TRY(prepare_matrix(&q, B, C, computeType, alg));
	CT_SPARSE_TRY(scalars(&q, alpha, beta));
	CT_SPARSE_TRY(make_offsets(&q, buffer));
	if (q.way != ROWS)
		CT_SPARSE_TRY(
			ct_sparse_scale(handle, q.t, &q.g.c, C->rows, C->columns, q.batches, q.g.beta));
	return multiply(&q);
}

/* ---- dense matrices where a sparse one has elements ---- */

static cusparseStatus_t
prepare_sampled(struct asked *q, const struct cusparseDnMatDescr *a, const struct cusparseDnMatDescr *b,
                cudaDataType compute, cusparseSDDMMAlg_t alg)
{
	const struct cusparseSpMatDescr *c = q->a;
	if (!q->handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!a || !b || !c || alg != CUSPARSE_SDDMM_ALG_DEFAULT || !ct_sparse_is_operation(q->op_a) ||
	    !ct_sparse_is_operation(q->op_b))
		return CUSPARSE_STATUS_INVALID_VALUE;
	int ta = q->op_a != CUSPARSE_OPERATION_NON_TRANSPOSE,
	    tb = q->op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
	q->t = ct_sparse_numbers_of(c->type, compute);
	if (!q->t || a->type != c->type || b->type != c->type || c->offset_type != c->index_type ||
	    c->format != CUSPARSE_FORMAT_CSR)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	q->batches = batches_of(a->batches, b->batches, c->batches);
	q->g.inner = ta ? a->rows : a->columns;
	if ((ta ? a->columns : a->rows) != c->rows || (tb ? b->rows : b->columns) != c->columns ||
	    (tb ? b->columns : b->rows) != q->g.inner || q->batches < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	q->g.a = ct_sparse_matrix_of(c);
	q->g.b = ct_sparse_dense_of(a, q->op_a);
	q->g.c = ct_sparse_dense_of(b, q->op_b);
	q->g.flags = (q->op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? CT_SPARSE_CONJ_A : 0) |
	             (q->op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? CT_SPARSE_CONJ_B : 0);
	for (q->g.lanes = 1; q->g.lanes < 32 && q->g.lanes < q->g.inner;)
		q->g.lanes *= 2;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSDDMM_bufferSize(
	cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
	cusparseConstDnMatDescr_t A, cusparseConstDnMatDescr_t B, const void *beta,
	cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSDDMMAlg_t alg, size_t *bufferSize)
{
	struct asked q = {.handle = handle, .op_a = opA, .op_b = opB, .a = C};
	CT_SPARSE_TRY(prepare_sampled(&q, A, B, computeType, alg));
	if (!alpha || !beta || !bufferSize)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bufferSize = 0;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSDDMM_preprocess(
	cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
	cusparseConstDnMatDescr_t A, cusparseConstDnMatDescr_t B, const void *beta,
	cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSDDMMAlg_t alg, void *buffer)
{
	size_t bytes;
	(void)buffer;
	return cusparseSDDMM_bufferSize(
		handle, opA, opB, alpha, A, B, beta, C, computeType, alg, &bytes);
}

cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                               const void *alpha, cusparseConstDnMatDescr_t A,
                               cusparseConstDnMatDescr_t B, const void *beta, cusparseSpMatDescr_t C,
                               cudaDataType computeType, cusparseSDDMMAlg_t alg, void *buffer)
{
	struct asked q = {.handle = handle, .op_a = opA, .op_b = opB, .a = C};
	(void)buffer;
	CT_SPARSE_TRY(prepare_sampled(&q, A, B, computeType, alg));
	CT_SPARSE_TRY(scalars(&q, alpha, beta));
	struct ct_cuda_grid grid = ct_sparse_threads(q.g.a.rows * 32);
	grid.z = q.batches;
	return ct_sparse_launch_batches(
		handle, CT_SPARSE_SDDMM, q.t, "sddmm", bits_of(C), grid, &q.g, &q.g.first);
}
