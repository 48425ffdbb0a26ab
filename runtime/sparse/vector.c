/* cuSPARSE: sparse vectors with dense ones. */
#include "runtime/sparse/sparse.h"

/* Checks a sparse vector and a dense one, and fills in what they are. */
static cusparseStatus_t begin(cusparseHandle_t handle, const struct cusparseSpVecDescr *x,
                              const struct cusparseDnVecDescr *y, cudaDataType compute,
                              const struct ct_sparse_numbers **t, struct ct_sparse_vectors *g)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!x || !y || x->size != y->size)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*t = ct_sparse_numbers_of(x->type, compute);
	if (!*t || y->type != x->type)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	*g = (struct ct_sparse_vectors){
		.index = x->index,
		.value = x->value,
		.dense = y->value,
		.count = x->count,
		.base = x->base};
	return CUSPARSE_STATUS_SUCCESS;
}

/* The type that numbers of a type are computed with. */
static cudaDataType compute_of(cudaDataType type)
{
	return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}

static cusparseStatus_t run(cusparseHandle_t handle, const struct ct_sparse_numbers *t, const char *name,
                            const struct cusparseSpVecDescr *x, int64_t threads,
                            struct ct_sparse_vectors *g)
{
	return ct_sparse_launch(handle, CT_SPARSE_VECTORS, t, name,
	                        x->index_type == CUSPARSE_INDEX_64I ? 64 : 32,
	                        ct_sparse_threads(threads), g);
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x,
                               const void *beta, cusparseDnVecDescr_t y)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_vectors g;
	CT_SPARSE_TRY(begin(handle, x, y, x ? compute_of(x->type) : CUDA_R_32F, &t, &g));
	if (!alpha || !beta)
		return CUSPARSE_STATUS_INVALID_VALUE;
	struct ct_sparse_dense c = {.at = y->value, .row = 1};
	g.alpha = ct_sparse_scalar_of(handle, alpha, t->sum_bytes);
	CT_SPARSE_TRY(ct_sparse_scale(
		handle, t, &c, y->size, 1, 1, ct_sparse_scalar_of(handle, beta, t->sum_bytes)));
	return run(handle, t, "axpy", x, x->count, &g);
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y,
                                cusparseSpVecDescr_t x)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_vectors g;
	CT_SPARSE_TRY(begin(handle, x, y, x ? compute_of(x->type) : CUDA_R_32F, &t, &g));
	return run(handle, t, "gather", x, x->count, &g);
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                 cusparseDnVecDescr_t y)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_vectors g;
	CT_SPARSE_TRY(begin(handle, x, y, x ? compute_of(x->type) : CUDA_R_32F, &t, &g));
	return run(handle, t, "scatter", x, x->count, &g);
}

cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c, const void *s,
                             cusparseSpVecDescr_t x, cusparseDnVecDescr_t y)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_vectors g;
	CT_SPARSE_TRY(begin(handle, x, y, x ? compute_of(x->type) : CUDA_R_32F, &t, &g));
	if (!c || !s)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (t->is_short)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	g.alpha = ct_sparse_scalar_of(handle, c, t->sum_bytes);
	g.beta = ct_sparse_scalar_of(handle, s, t->sum_bytes);
	return run(handle, t, "rot", x, x->count, &g);
}

cusparseStatus_t cusparseSpVV_bufferSize(
	cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t x,
	cusparseConstDnVecDescr_t y, const void *result, cudaDataType computeType, size_t *bufferSize)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_vectors g;
	CT_SPARSE_TRY(begin(handle, x, y, computeType, &t, &g));
	if (!ct_sparse_is_operation(opX) || !result || !bufferSize)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bufferSize = 0;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX,
                              cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, void *result,
                              cudaDataType computeType, void *buffer)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_vectors g;
	(void)buffer;
	CT_SPARSE_TRY(begin(handle, x, y, computeType, &t, &g));
	if (!ct_sparse_is_operation(opX) || !result)
		return CUSPARSE_STATUS_INVALID_VALUE;
	int on_device = handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
	g.result = on_device ? result : (void *)(uintptr_t)handle->result;
	g.flags = opX == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? CT_SPARSE_CONJ_A : 0;
	CT_SPARSE_TRY(run(handle, t, "spvv", x, 1, &g));
	return on_device ? CUSPARSE_STATUS_SUCCESS
	                 : ct_sparse_fetch(handle, result, handle->result, t->sum_bytes);
}
