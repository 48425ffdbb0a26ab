/* cuSPARSE: products and sums of sparse matrices by rows, whose indices are of 32 bits. */
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/sparse/sparse.h"

/* What the steps of a product leave for the next: where products of each element of a begin, and the result in the caller's second buffer. */
struct cusparseSpGEMMDescr {
	int32_t *first_product;
	int64_t products; /* -1: not counted yet */
	int32_t *row, *column;
	void *value;
	int64_t count; /* -1: not computed yet */
};

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr)
{
	if (!descr)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*descr = ct_calloc(1, sizeof **descr);
	if (!*descr)
		return CUSPARSE_STATUS_ALLOC_FAILED;
	(*descr)->products = (*descr)->count = -1;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr)
{
	free(descr);
	return CUSPARSE_STATUS_SUCCESS;
}

/* A product as asked for. */
struct asked {
	cusparseHandle_t handle;
	cusparseOperation_t op_a, op_b;
	const void *alpha, *beta;
	const struct cusparseSpMatDescr *a, *b;
	struct cusparseSpMatDescr *c;
	cudaDataType compute;
	cusparseSpGEMMAlg_t alg;
	struct cusparseSpGEMMDescr *descr;
};

static int is_usual(const struct cusparseSpMatDescr *m)
{
	return m->format == CUSPARSE_FORMAT_CSR && m->offset_type == CUSPARSE_INDEX_32I &&
	       m->index_type == CUSPARSE_INDEX_32I && m->batches == 1;
}

static cusparseStatus_t check(const struct asked *q, const struct ct_sparse_numbers **t)
{
	if (!q->handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!q->alpha || !q->beta || !q->a || !q->b || !q->c || !q->descr ||
	    (unsigned)q->alg > CUSPARSE_SPGEMM_ALG3 || !ct_sparse_is_operation(q->op_a) ||
	    !ct_sparse_is_operation(q->op_b))
		return CUSPARSE_STATUS_INVALID_VALUE;
	*t = ct_sparse_numbers_of(q->a->type, q->compute);
	if (!*t || (*t)->is_short || q->b->type != q->a->type || q->c->type != q->a->type ||
	    !is_usual(q->a) || !is_usual(q->b) || !is_usual(q->c) ||
	    q->op_a != CUSPARSE_OPERATION_NON_TRANSPOSE || q->op_b != CUSPARSE_OPERATION_NON_TRANSPOSE ||
	    q->alg == CUSPARSE_SPGEMM_ALG2 || q->alg == CUSPARSE_SPGEMM_ALG3)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	if (q->a->columns != q->b->rows || q->c->rows != q->a->rows || q->c->columns != q->b->columns)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return CUSPARSE_STATUS_SUCCESS;
}

static struct ct_sparse_gemm arguments_of(const struct asked *q)
{
	return (struct ct_sparse_gemm){.a = ct_sparse_matrix_of(q->a),
	                               .b = ct_sparse_matrix_of(q->b),
	                               .first_product = q->descr->first_product,
	                               .count = q->descr->products};
}

static cusparseStatus_t run(const struct asked *q, const struct ct_sparse_numbers *t, const char *name,
                            int64_t threads, struct ct_sparse_gemm *g)
{
	return ct_sparse_launch(q->handle, CT_SPARSE_GEMM, t, name, t ? 32 : 0,
	                        ct_sparse_threads(threads), g);
}

/* The number behind sums that a scan made. */
static cusparseStatus_t last_of(cusparseHandle_t handle, const int32_t *sums, int64_t count, int64_t *to)
{
	int32_t last = 0;
	cusparseStatus_t st = ct_sparse_fetch(
		handle, &last, (CUdeviceptr)(uintptr_t)(sums + count), sizeof last);
	*to = last;
	return st;
}

/* Counts the products. More than indices can name are too many. */
static cusparseStatus_t estimate(const struct asked *q, size_t *bytes, void *buffer)
{
	const struct ct_sparse_numbers *t;
	char *at = buffer;
	CT_SPARSE_TRY(check(q, &t));
	int64_t count = q->a->count;
	if (!bytes)
		return CUSPARSE_STATUS_INVALID_VALUE;
	int32_t *counts = ct_sparse_part(&at, ((size_t)count + 1) * sizeof *counts);
	if (!buffer) {
		*bytes = (size_t)(uintptr_t)at + ct_sparse_scan_bytes(count);
		return CUSPARSE_STATUS_SUCCESS;
	}
	q->descr->first_product = counts;
	struct ct_sparse_gemm g = arguments_of(q);
	CT_SPARSE_TRY(run(q, NULL, "gemm_count", count, &g));
	CT_SPARSE_TRY(ct_sparse_scan_counts(q->handle, 32, counts, count, 0, at));
	CT_SPARSE_TRY(last_of(q->handle, counts, count, &q->descr->products));
	if (q->descr->products >= 0)
		return CUSPARSE_STATUS_SUCCESS;
	q->descr->products = -1;
	return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
}

/* The parts of the second buffer. */
struct rooms {
	int32_t *a_row, *row, *column, *place;
	void *value, *order, *parts;
	size_t bytes;
};

static struct rooms rooms_of(struct cusparseSpGEMMDescr *d, const struct ct_sparse_numbers *t,
                             int64_t elements, void *buffer)
{
	char *at = buffer;
	size_t n = (size_t)d->products;
	d->row = ct_sparse_part(&at, n * sizeof(int32_t));
	d->column = ct_sparse_part(&at, n * sizeof(int32_t));
	d->value = ct_sparse_part(&at, n * t->bytes);
	struct rooms r = {.a_row = ct_sparse_part(&at, (size_t)elements * sizeof(int32_t)),
	                  .row = ct_sparse_part(&at, n * sizeof(int32_t)),
	                  .column = ct_sparse_part(&at, n * sizeof(int32_t)),
	                  .value = ct_sparse_part(&at, n * t->bytes),
	                  .place = ct_sparse_part(&at, (n + 1) * sizeof(int32_t)),
	                  .parts = ct_sparse_part(&at, ct_sparse_scan_bytes(d->products)),
	                  .order = ct_sparse_part(&at, ct_sparse_order_bytes(d->products))};
	r.bytes = (size_t)(at - (char *)buffer);
	return r;
}

/* Makes all products, sorts them and sums those of one place. */
static cusparseStatus_t multiply(const struct asked *q, const struct ct_sparse_numbers *t,
                                 const struct rooms *r)
{
	struct cusparseSpGEMMDescr *d = q->descr;
	struct ct_sparse_gemm g = arguments_of(q);
	struct ct_sparse_order o;
	g.a_row = r->a_row;
	g.row = r->row;
	g.column = r->column;
	g.value = r->value;
	g.place = r->place;
	g.c_row = d->row;
	g.c_column = d->column;
	g.c_value = d->value;
	g.lanes = ct_sparse_lanes(q->b->rows, q->b->count);
	CT_SPARSE_TRY(ct_sparse_rows_of(
		q->handle, q->a->first, q->a->rows, q->a->count, q->a->base, r->a_row));
	CT_SPARSE_TRY(run(q, t, "gemm_expand", q->a->count * g.lanes, &g));
	ct_sparse_order_begin(&o, r->order, d->products);
	CT_SPARSE_TRY(ct_sparse_order_by(q->handle, &o, r->column, q->b->columns));
	CT_SPARSE_TRY(ct_sparse_order_by(q->handle, &o, r->row, q->a->rows));
	g.permutation = o.permutation[o.now];
	CT_SPARSE_TRY(run(q, NULL, "gemm_mark", d->products, &g));
	CT_SPARSE_TRY(ct_sparse_scan_counts(q->handle, 32, r->place, d->products, 0, r->parts));
	CT_SPARSE_TRY(run(q, t, "gemm_sum", d->products, &g));
	return last_of(q->handle, r->place, d->products, &d->count);
}

static cusparseStatus_t compute(const struct asked *q, size_t *bytes, void *buffer)
{
	const struct ct_sparse_numbers *t;
	CT_SPARSE_TRY(check(q, &t));
	if (!bytes || q->descr->products < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	struct rooms r = rooms_of(q->descr, t, q->a->count, buffer);
	if (!buffer) {
		*bytes = r.bytes;
		return CUSPARSE_STATUS_SUCCESS;
	}
	if (*bytes < r.bytes)
		return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
	q->descr->count = 0;
	if (q->descr->products)
		CT_SPARSE_TRY(multiply(q, t, &r));
	q->c->count = q->descr->count;
	return CUSPARSE_STATUS_SUCCESS;
}

/* Where beta is not zero, c has the places of the product. */
static cusparseStatus_t copy(const struct asked *q)
{
	const struct ct_sparse_numbers *t;
	struct cusparseSpGEMMDescr *d = q->descr;
	CT_SPARSE_TRY(check(q, &t));
	if (d->count < 0 || !q->c->first || (d->count && (!q->c->second || !q->c->value)))
		return CUSPARSE_STATUS_INVALID_VALUE;
	struct ct_sparse_gemm g = {
		.column = q->c->second,
		.value = q->c->value,
		.c_column = d->column,
		.c_value = d->value,
		.alpha = ct_sparse_scalar_of(q->handle, q->alpha, t->sum_bytes),
		.beta = ct_sparse_scalar_of(q->handle, q->beta, t->sum_bytes),
		.count = d->count,
		.base = (int32_t)q->c->base,
	};
	/* Rows are counted from 0 here. */
	struct ct_sparse_conversion offsets = {
		.row = d->row, .offset = q->c->first, .rows = q->c->rows, .count = d->count};
	CT_SPARSE_TRY(ct_sparse_launch(q->handle, CT_SPARSE_CONVERT, NULL, "offsets", 32,
	                               ct_sparse_threads(d->count + 1), &offsets));
	if (q->c->base) {
		struct ct_sparse_conversion move = {
			.offset = q->c->first, .count = q->c->rows + 1, .base = 1};
		CT_SPARSE_TRY(ct_sparse_launch(q->handle, CT_SPARSE_CONVERT, NULL, "rebase", 32,
		                               ct_sparse_threads(q->c->rows + 1), &move));
	}
	return run(q, t, "gemm_finish", d->count, &g);
}

#define ASKED \
	&(struct asked) \
	{ \
		handle, opA, opB, alpha, beta, A, B, C, computeType, alg, descr \
	}

cusparseStatus_t cusparseSpGEMM_workEstimation(
	cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
	cusparseConstSpMatDescr_t A, cusparseConstSpMatDescr_t B, const void *beta,
	cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSpGEMMAlg_t alg,
	cusparseSpGEMMDescr_t descr, size_t *bufferSize1, void *buffer1)
{
	return estimate(ASKED, bufferSize1, buffer1);
}

cusparseStatus_t cusparseSpGEMM_compute(
	cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,
	cusparseConstSpMatDescr_t A, cusparseConstSpMatDescr_t B, const void *beta,
	cusparseSpMatDescr_t C, cudaDataType computeType, cusparseSpGEMMAlg_t alg,
	cusparseSpGEMMDescr_t descr, size_t *bufferSize2, void *buffer2)
{
	return compute(ASKED, bufferSize2, buffer2);
}

cusparseStatus_t
cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
                    const void *alpha, cusparseConstSpMatDescr_t A, cusparseConstSpMatDescr_t B,
                    const void *beta, cusparseSpMatDescr_t C, cudaDataType computeType,
                    cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t descr)
{
	return copy(ASKED);
}

/* ---- sums ---- */

/* A matrix as parameters have it. */
static struct ct_sparse_matrix given(const struct cusparseMatDescr *d, int m, int n, int nnz,
                                     const void *value, const int *offset, const int *column)
{
	return (struct ct_sparse_matrix){
		.offset = offset,
		.column = column,
		.value = (void *)(uintptr_t)value,
		.rows = m,
		.columns = n,
		.count = nnz,
		.base = d ? d->base : 0};
}

static cusparseStatus_t check_sum(cusparseHandle_t handle, int m, int n,
                                  const struct cusparseMatDescr *a, const struct cusparseMatDescr *b,
                                  const struct cusparseMatDescr *c, const struct ct_sparse_geam *g)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (m < 0 || n < 0 || !a || !b || !c || g->a.count < 0 || g->b.count < 0 || !g->a.offset ||
	    !g->b.offset || (g->a.count && !g->a.column) || (g->b.count && !g->b.column))
		return CUSPARSE_STATUS_INVALID_VALUE;
	return a->type == CUSPARSE_MATRIX_TYPE_GENERAL && b->type == CUSPARSE_MATRIX_TYPE_GENERAL &&
	                       c->type == CUSPARSE_MATRIX_TYPE_GENERAL
	               ? CUSPARSE_STATUS_SUCCESS
	               : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

cusparseStatus_t
cusparseXcsrgeam2Nnz(cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA, int nnzA,
                     const int *rowPtrA, const int *colIndA, const cusparseMatDescr_t descrB, int nnzB,
                     const int *rowPtrB, const int *colIndB, const cusparseMatDescr_t descrC,
                     int *rowPtrC, int *nnzTotalDevHostPtr, void *workspace)
{
	struct ct_sparse_geam g = {.a = given(descrA, m, n, nnzA, NULL, rowPtrA, colIndA),
	                           .b = given(descrB, m, n, nnzB, NULL, rowPtrB, colIndB),
	                           .c = given(descrC, m, n, 0, NULL, rowPtrC, NULL)};
	CT_SPARSE_TRY(check_sum(handle, m, n, descrA, descrB, descrC, &g));
	if (!rowPtrC || !nnzTotalDevHostPtr || !workspace)
		return CUSPARSE_STATUS_INVALID_VALUE;
	CT_SPARSE_TRY(ct_sparse_launch(
		handle, CT_SPARSE_GEMM, NULL, "geam_count", 0, ct_sparse_threads(m), &g));
	CT_SPARSE_TRY(ct_sparse_scan_counts(handle, 32, rowPtrC, m, descrC->base, workspace));
	int64_t last;
	CT_SPARSE_TRY(last_of(handle, rowPtrC, m, &last));
	int32_t total = (int32_t)(last - descrC->base);
	if (handle->pointers == CUSPARSE_POINTER_MODE_HOST) {
		*nnzTotalDevHostPtr = total;
		return CUSPARSE_STATUS_SUCCESS;
	}
	return ct_sparse_status(
		cuMemcpyHtoD((CUdeviceptr)(uintptr_t)nnzTotalDevHostPtr, &total, sizeof total));
}

static cusparseStatus_t
add(cusparseHandle_t handle, cudaDataType type, const void *alpha, const void *beta,
    const struct cusparseMatDescr *a, const struct cusparseMatDescr *b, const struct cusparseMatDescr *c,
    struct ct_sparse_geam *g)
{
	const struct ct_sparse_numbers *t = ct_sparse_numbers_of_type(type);
	CT_SPARSE_TRY(check_sum(handle, (int)g->a.rows, (int)g->a.columns, a, b, c, g));
	if (!alpha || !beta || !g->c.offset || (g->a.count && !g->a.value) ||
	    (g->b.count && !g->b.value) || (g->a.count + g->b.count && (!g->c.value || !g->c.column)))
		return CUSPARSE_STATUS_INVALID_VALUE;
	g->alpha = ct_sparse_scalar_of(handle, alpha, t->sum_bytes);
	g->beta = ct_sparse_scalar_of(handle, beta, t->sum_bytes);
	return ct_sparse_launch(handle, CT_SPARSE_GEMM, t, "geam", 32, ct_sparse_threads(g->a.rows), g);
}

static cusparseStatus_t sum_bytes(cusparseHandle_t handle, int m, int n, size_t *bytes)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (m < 0 || n < 0 || !bytes)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bytes = ct_sparse_scan_bytes(m);
	return CUSPARSE_STATUS_SUCCESS;
}

#define GEAM(S, type, number) \
	cusparseStatus_t cusparse##S##csrgeam2_bufferSizeExt( \
		cusparseHandle_t handle, int m, int n, const type *alpha, \
		const cusparseMatDescr_t descrA, int nnzA, const type *valA, const int *rowPtrA, \
		const int *colIndA, const type *beta, const cusparseMatDescr_t descrB, int nnzB, \
		const type *valB, const int *rowPtrB, const int *colIndB, \
		const cusparseMatDescr_t descrC, const type *valC, const int *rowPtrC, \
		const int *colIndC, size_t *bytes) \
	{ \
		(void)alpha, (void)descrA, (void)nnzA, (void)valA, (void)rowPtrA, (void)colIndA, \
			(void)beta, (void)descrB, (void)nnzB, (void)valB, (void)rowPtrB, (void)colIndB, \
			(void)descrC, (void)valC, (void)rowPtrC, (void)colIndC; \
		return sum_bytes(handle, m, n, bytes); \
	} \
	cusparseStatus_t cusparse##S##csrgeam2( \
		cusparseHandle_t handle, int m, int n, const type *alpha, \
		const cusparseMatDescr_t descrA, int nnzA, const type *valA, const int *rowPtrA, \
		const int *colIndA, const type *beta, const cusparseMatDescr_t descrB, int nnzB, \
		const type *valB, const int *rowPtrB, const int *colIndB, \
		const cusparseMatDescr_t descrC, type *valC, int *rowPtrC, int *colIndC, void *buffer) \
	{ \
		struct ct_sparse_geam g = {.a = given(descrA, m, n, nnzA, valA, rowPtrA, colIndA), \
		                           .b = given(descrB, m, n, nnzB, valB, rowPtrB, colIndB), \
		                           .c = given(descrC, m, n, 0, valC, rowPtrC, colIndC)}; \
		(void)buffer; \
		return add(handle, number, alpha, beta, descrA, descrB, descrC, &g); \
	}
GEAM(S, float, CUDA_R_32F)
GEAM(D, double, CUDA_R_64F)
GEAM(C, cuComplex, CUDA_C_32F)
GEAM(Z, cuDoubleComplex, CUDA_C_64F)
