/* cuSPARSE: incomplete factorizations of matrices by rows, which have no other elements than the matrix. */
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/sparse/sparse.h"

/* Where the first row without a pivot is told, on the device; INT32_MAX: there is none. */
struct factor {
	CUdeviceptr zero;
	int base, analysed;
};
struct csrilu02Info {
	struct factor f;
};
struct csric02Info {
	struct factor f;
};

static CUresult forget_pivots(struct factor *f, CUstream stream)
{
	return cuMemsetD32Async(f->zero, INT32_MAX, 1, stream);
}

static cusparseStatus_t begin(struct factor *f)
{
	CUresult r = ct_cuda_begin_library();
	if (r == CUDA_SUCCESS)
		r = cuMemAlloc(&f->zero, sizeof(int32_t));
	if (r == CUDA_SUCCESS)
		r = forget_pivots(f, NULL);
	return ct_sparse_status(r);
}

#define INFO(Name, type) \
	cusparseStatus_t cusparseCreate##Name(type##_t *info) \
	{ \
		if (!info) \
			return CUSPARSE_STATUS_INVALID_VALUE; \
		struct type *made = ct_calloc(1, sizeof *made); \
		cusparseStatus_t st = made ? begin(&made->f) : CUSPARSE_STATUS_ALLOC_FAILED; \
		if (st == CUSPARSE_STATUS_SUCCESS) \
			*info = made; \
		else \
			free(made); \
		return st; \
	} \
	cusparseStatus_t cusparseDestroy##Name(type##_t info) \
	{ \
		if (info) \
			cuMemFree(info->f.zero); \
		free(info); \
		return CUSPARSE_STATUS_SUCCESS; \
	}
INFO(Csrilu02Info, csrilu02Info)
INFO(Csric02Info, csric02Info)

/* The first row without a pivot, counted from the matrix' base, or -1. */
static cusparseStatus_t zero_pivot(cusparseHandle_t handle, const struct factor *f, int *position)
{
	int32_t zero;
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!f || !position)
		return CUSPARSE_STATUS_INVALID_VALUE;
	CT_SPARSE_TRY(ct_sparse_fetch(handle, &zero, f->zero, sizeof zero));
	int there = zero != INT32_MAX, at = there ? zero + f->base : -1;
	if (handle->pointers == CUSPARSE_POINTER_MODE_HOST)
		*position = at;
	else
		CT_SPARSE_TRY(ct_sparse_status(
			cuMemcpyHtoD((CUdeviceptr)(uintptr_t)position, &at, sizeof at)));
	return there ? CUSPARSE_STATUS_ZERO_PIVOT : CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int *position)
{
	return zero_pivot(handle, info ? &info->f : NULL, position);
}

cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info, int *position)
{
	return zero_pivot(handle, info ? &info->f : NULL, position);
}

/* A factorization as asked for. */
struct asked {
	cusparseHandle_t handle;
	int m, nnz;
	const struct cusparseMatDescr *descr;
	void *value;
	const int *offset, *column;
	struct factor *f;
};

/* Checks parameters; buffer: places of diagonal elements and flags, as many as rows. */
static cusparseStatus_t check(const struct asked *q, const void *buffer, struct ct_sparse_factor *g)
{
	if (!q->handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (q->m < 0 || q->nnz < 0 || !q->descr || !q->f || !q->offset ||
	    (q->nnz && (!q->value || !q->column)) || !buffer)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (q->descr->type != CUSPARSE_MATRIX_TYPE_GENERAL)
		return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
	char *at = (char *)(uintptr_t)buffer;
	g->a = (struct ct_sparse_matrix){
		.offset = q->offset,
		.column = q->column,
		.value = q->value,
		.rows = q->m,
		.columns = q->m,
		.count = q->nnz,
		.base = q->descr->base};
	g->diagonal = ct_sparse_part(&at, (size_t)q->m * sizeof *g->diagonal);
	g->known = ct_sparse_part(&at, (size_t)q->m * sizeof *g->known);
	g->zero = (int32_t *)(uintptr_t)q->f->zero;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t buffer_bytes(const struct asked *q, int *bytes)
{
	struct ct_sparse_factor g;
	CT_SPARSE_TRY(check(q, q, &g));
	if (!bytes)
		return CUSPARSE_STATUS_INVALID_VALUE;
	size_t end = (size_t)((uintptr_t)(g.known + q->m) - (uintptr_t)g.diagonal);
	if (end > INT32_MAX)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	*bytes = (int)end;
	return CUSPARSE_STATUS_SUCCESS;
}

/* Finds the diagonal, and tells the first row that has none. */
static cusparseStatus_t analyse(const struct asked *q, void *buffer)
{
	struct ct_sparse_factor g;
	CT_SPARSE_TRY(check(q, buffer, &g));
	q->f->base = q->descr->base;
	q->f->analysed = 1;
	CT_SPARSE_TRY(ct_sparse_status(forget_pivots(q->f, q->handle->stream)));
	return ct_sparse_launch(q->handle, CT_SPARSE_SOLVE, NULL, "diagonals", 0,
	                        ct_sparse_threads(q->m), &g);
}

static cusparseStatus_t factorize(const struct asked *q, const char *name, cudaDataType type,
                                  void *buffer)
{
	struct ct_sparse_factor g;
	CT_SPARSE_TRY(check(q, buffer, &g));
	if (!q->f->analysed)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (q->m == 0)
		return CUSPARSE_STATUS_SUCCESS;
	CT_SPARSE_TRY(ct_sparse_status(
		cuMemsetD32Async((CUdeviceptr)(uintptr_t)g.known, 0, (size_t)q->m, q->handle->stream)));
	return ct_sparse_launch(q->handle, CT_SPARSE_SOLVE, ct_sparse_numbers_of_type(type), name, 32,
	                        ct_sparse_threads((int64_t)q->m * 32), &g);
}

#define ASKED \
	&(struct asked) \
	{ \
		handle, m, nnz, descrA, (void *)(uintptr_t)val, rowPtr, colInd, info ? &info->f : NULL \
	}

#define FACTOR(S, name, kernel, info_t, type, number) \
	cusparseStatus_t cusparse##S##name##_bufferSize( \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, type *val, \
		const int *rowPtr, const int *colInd, info_t info, int *bytes) \
	{ \
		return buffer_bytes(ASKED, bytes); \
	} \
	cusparseStatus_t cusparse##S##name##_analysis( \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, \
		const type *val, const int *rowPtr, const int *colInd, info_t info, \
		cusparseSolvePolicy_t policy, void *buffer) \
	{ \
		(void)policy; \
		return analyse(ASKED, buffer); \
	} \
	cusparseStatus_t cusparse##S##name( \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, type *val, \
		const int *rowPtr, const int *colInd, info_t info, cusparseSolvePolicy_t policy, \
		void *buffer) \
	{ \
		(void)policy; \
		return factorize(ASKED, kernel, number, buffer); \
	}
#define FACTORS(S, type, number) \
	FACTOR(S, csrilu02, "ilu", csrilu02Info_t, type, number) \
	FACTOR(S, csric02, "ic", csric02Info_t, type, number)
FACTORS(S, float, CUDA_R_32F)
FACTORS(D, double, CUDA_R_64F)
FACTORS(C, cuComplex, CUDA_C_32F)
FACTORS(Z, cuDoubleComplex, CUDA_C_64F)
