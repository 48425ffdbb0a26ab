/* cuSPARSE: triangles that are solved, with one right side or many. */
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/sparse/sparse.h"

/* What the analysis leaves for the solution: op(a) by rows, in the caller's buffer where it had to be made, and flags there. */
struct triangle {
	struct ct_sparse_matrix a;
	const int32_t *permutation;
	int32_t *known;
	int64_t tiles; /* of 32 right sides; 0: not analysed yet */
};

struct cusparseSpSVDescr {
	struct triangle t;
};
struct cusparseSpSMDescr {
	struct triangle t;
};

/* The functions that make and free a description. */
#define DESCRIPTION(Name) \
	cusparseStatus_t cusparse##Name##_createDescr(cusparse##Name##Descr_t *descr) \
	{ \
		if (!descr) \
			return CUSPARSE_STATUS_INVALID_VALUE; \
		*descr = ct_calloc(1, sizeof **descr); \
		return *descr ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED; \
	} \
	cusparseStatus_t cusparse##Name##_destroyDescr(cusparse##Name##Descr_t descr) \
	{ \
		free(descr); \
		return CUSPARSE_STATUS_SUCCESS; \
	}
DESCRIPTION(SpSV)
DESCRIPTION(SpSM)

/* A solution as asked for. */
struct asked {
	cusparseHandle_t handle;
	cusparseOperation_t op;
	const struct cusparseSpMatDescr *a;
	const struct ct_sparse_numbers *t;
	struct triangle *triangle;
	int64_t columns; /* right sides */
	struct ct_sparse_dense b, x;
	int conj_b;
};

/* Checks what both kinds have in common. */
static cusparseStatus_t check(struct asked *q, const void *alpha, cudaDataType b, cudaDataType x,
                              cudaDataType compute)
{
	const struct cusparseSpMatDescr *a = q->a;
	if (!alpha || !q->triangle || !ct_sparse_is_operation(q->op))
		return CUSPARSE_STATUS_INVALID_VALUE;
	q->t = ct_sparse_numbers_of(a->type, compute);
	if (!q->t || q->t->is_short || b != a->type || x != a->type ||
	    a->offset_type != CUSPARSE_INDEX_32I || a->index_type != CUSPARSE_INDEX_32I ||
	    a->batches != 1)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	return a->rows == a->columns ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

/* 1: op(a) does not lie by rows, but its transposed matrix does. */
static int is_turned(const struct asked *q)
{
	return (q->a->format == CUSPARSE_FORMAT_CSC) != (q->op != CUSPARSE_OPERATION_NON_TRANSPOSE);
}

/* Parts of the buffer, as far as they are needed, and what is behind them. */
struct parts {
	int32_t *known, *offset, *rows, *columns;
	void *order;
	char *end;
};

static struct parts parts_of(const struct asked *q, void *buffer)
{
	char *at = buffer;
	size_t n = (size_t)q->a->rows, count = (size_t)q->a->count,
	       tiles = (size_t)ct_sparse_tiles(q->columns, 32);
	struct parts p = {.known = ct_sparse_part(&at, n * tiles * sizeof *p.known)};
	if (is_turned(q) || q->a->format == CUSPARSE_FORMAT_COO)
		p.offset = ct_sparse_part(&at, (n + 1) * sizeof *p.offset);
	if (is_turned(q)) {
		p.rows = ct_sparse_part(&at, count * sizeof *p.rows);
		p.columns = ct_sparse_part(&at, count * sizeof *p.columns);
		p.order = ct_sparse_part(&at, ct_sparse_order_bytes(q->a->count));
	}
	p.end = at;
	return p;
}

/* Rows of the transposed matrix: its elements by columns. */
static cusparseStatus_t turn(const struct asked *q, const struct parts *p)
{
	struct triangle *t = q->triangle;
	struct ct_sparse_order o;
	const int32_t *rows = t->a.row;
	int base = (int)t->a.base;
	if (!rows) {
		CT_SPARSE_TRY(
			ct_sparse_rows_of(q->handle, t->a.offset, t->a.rows, t->a.count, base, p->rows));
		rows = p->rows;
	}
	ct_sparse_order_begin(&o, p->order, t->a.count);
	CT_SPARSE_TRY(ct_sparse_order_by(q->handle, &o, t->a.column, t->a.columns));
	CT_SPARSE_TRY(ct_sparse_offsets_of(
		q->handle, o.key[o.now], t->a.columns, t->a.count, base, p->offset));
	CT_SPARSE_TRY(ct_sparse_permute(q->handle, o.permutation[o.now], t->a.count, rows, p->columns));
	t->a.column = p->columns;
	t->permutation = o.permutation[o.now];
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t analyse(const struct asked *q, void *buffer)
{
	struct triangle *t = q->triangle;
	struct parts p = parts_of(q, buffer);
	if (!buffer)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*t = (struct triangle){.a = ct_sparse_matrix_of(q->a), .known = p.known};
	if (is_turned(q) && q->a->count)
		CT_SPARSE_TRY(turn(q, &p));
	else if (p.offset)
		CT_SPARSE_TRY(ct_sparse_offsets_of(
			q->handle, t->a.row, t->a.rows, t->a.count, (int)t->a.base, p.offset));
	if (p.offset)
		t->a.offset = p.offset;
	t->tiles = ct_sparse_tiles(q->columns, 32);
	return CUSPARSE_STATUS_SUCCESS;
}

/* Values are those that the matrix has now. */
static cusparseStatus_t solve(const struct asked *q, const char *name, const void *alpha)
{
	const struct triangle *t = q->triangle;
	int lower = (q->a->fill == CUSPARSE_FILL_MODE_LOWER) ==
	            (q->op == CUSPARSE_OPERATION_NON_TRANSPOSE);
	if (t->tiles != ct_sparse_tiles(q->columns, 32) || t->a.rows != q->a->rows)
		return CUSPARSE_STATUS_INVALID_VALUE;
	struct ct_sparse_solve g = {
		.a = t->a,
		.permutation = t->permutation,
		.known = t->known,
		.b = q->b,
		.x = q->x,
		.alpha = ct_sparse_scalar_of(q->handle, alpha, q->t->sum_bytes),
		.columns = q->columns,
		.flags = (lower ? CT_BLAS_LOWER : CT_BLAS_UPPER) |
	                 (q->a->diag == CUSPARSE_DIAG_TYPE_UNIT ? CT_BLAS_UNIT : 0) |
	                 (q->op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? CT_BLAS_CONJ_A : 0) |
	                 (q->conj_b ? CT_BLAS_CONJ_B : 0),
	};
	g.a.value = q->a->value;
	size_t flags = (size_t)t->a.rows * (size_t)t->tiles;
	if (flags == 0)
		return CUSPARSE_STATUS_SUCCESS;
	CT_SPARSE_TRY(ct_sparse_status(
		cuMemsetD32Async((CUdeviceptr)(uintptr_t)t->known, 0, flags, q->handle->stream)));
	struct ct_cuda_grid grid = ct_sparse_threads(t->a.rows * 32);
	grid.y = t->tiles;
	return ct_sparse_launch(q->handle, CT_SPARSE_SOLVE, q->t, name, 32, grid, &g);
}

/* ---- one right side ---- */

static cusparseStatus_t
prepare_vector(struct asked *q, const void *alpha, const struct cusparseDnVecDescr *x,
               const struct cusparseDnVecDescr *y, cudaDataType compute, cusparseSpSVAlg_t alg,
               struct cusparseSpSVDescr *descr)
{
	if (!q->handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!q->a || !x || !y || !descr || alg != CUSPARSE_SPSV_ALG_DEFAULT)
		return CUSPARSE_STATUS_INVALID_VALUE;
	q->triangle = &descr->t;
	CT_SPARSE_TRY(check(q, alpha, x->type, y->type, compute));
	q->columns = 1;
	q->b.at = x->value;
	q->x.at = y->value;
	return x->size == q->a->rows && y->size == q->a->rows
	               ? CUSPARSE_STATUS_SUCCESS
	               : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseSpSV_bufferSize(
	cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t A,
	cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType computeType,
	cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr, size_t *bufferSize)
{
	struct asked q = {.handle = handle, .op = opA, .a = A};
	CT_SPARSE_TRY(prepare_vector(&q, alpha, x, y, computeType, alg, descr));
	if (!bufferSize)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bufferSize = (size_t)(uintptr_t)parts_of(&q, NULL).end;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSV_analysis(
	cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha, cusparseConstSpMatDescr_t A,
	cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType computeType,
	cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr, void *buffer)
{
	struct asked q = {.handle = handle, .op = opA, .a = A};
	CT_SPARSE_TRY(prepare_vector(&q, alpha, x, y, computeType, alg, descr));
	return analyse(&q, buffer);
}

cusparseStatus_t
cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
                   cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                   cudaDataType computeType, cusparseSpSVAlg_t alg, cusparseSpSVDescr_t descr)
{
	struct asked q = {.handle = handle, .op = opA, .a = A};
	CT_SPARSE_TRY(prepare_vector(&q, alpha, x, y, computeType, alg, descr));
	return solve(&q, "spsv", alpha);
}

/* ---- many ---- */

static cusparseStatus_t
prepare_matrix(struct asked *q, cusparseOperation_t op_b, const void *alpha,
               const struct cusparseDnMatDescr *b, const struct cusparseDnMatDescr *c,
               cudaDataType compute, cusparseSpSMAlg_t alg, struct cusparseSpSMDescr *descr)
{
	if (!q->handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!q->a || !b || !c || !descr || alg != CUSPARSE_SPSM_ALG_DEFAULT ||
	    !ct_sparse_is_operation(op_b))
		return CUSPARSE_STATUS_INVALID_VALUE;
	q->triangle = &descr->t;
	CT_SPARSE_TRY(check(q, alpha, b->type, c->type, compute));
	if (b->batches != 1 || c->batches != 1)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	int flipped = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
	q->columns = c->columns;
	q->b = ct_sparse_dense_of(b, op_b);
	q->x = ct_sparse_dense_of(c, CUSPARSE_OPERATION_NON_TRANSPOSE);
	q->conj_b = op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
	return c->rows == q->a->rows && (flipped ? b->columns : b->rows) == c->rows &&
	                       (flipped ? b->rows : b->columns) == c->columns
	               ? CUSPARSE_STATUS_SUCCESS
	               : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseSpSM_bufferSize(
	cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
	cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, cusparseDnMatDescr_t C,
	cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr, size_t *bufferSize)
{
	struct asked q = {.handle = handle, .op = opA, .a = A};
	CT_SPARSE_TRY(prepare_matrix(&q, opB, alpha, B, C, computeType, alg, descr));
	if (!bufferSize)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bufferSize = (size_t)(uintptr_t)parts_of(&q, NULL).end;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpSM_analysis(
	cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
	cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, cusparseDnMatDescr_t C,
	cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr, void *buffer)
{
	struct asked q = {.handle = handle, .op = opA, .a = A};
	CT_SPARSE_TRY(prepare_matrix(&q, opB, alpha, B, C, computeType, alg, descr));
	return analyse(&q, buffer);
}

cusparseStatus_t cusparseSpSM_solve(
	cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
	cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B, cusparseDnMatDescr_t C,
	cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t descr)
{
	struct asked q = {.handle = handle, .op = opA, .a = A};
	CT_SPARSE_TRY(prepare_matrix(&q, opB, alpha, B, C, computeType, alg, descr));
	return solve(&q, "spsm", alpha);
}
