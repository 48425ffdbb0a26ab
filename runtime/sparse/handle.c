/* cuSPARSE: its handles, statuses, and what a matrix is for functions whose arrays are parameters. */
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/sparse/sparse.h"

enum { RESULT_BYTES = 64 };

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
	if (!handle)
		return CUSPARSE_STATUS_INVALID_VALUE;
	struct cusparseContext *h = ct_calloc(1, sizeof *h);
	if (!h)
		return CUSPARSE_STATUS_ALLOC_FAILED;
	CUresult r = ct_cuda_begin_library();
	if (r == CUDA_SUCCESS)
		r = cuMemAlloc(&h->result, RESULT_BYTES);
	if (r != CUDA_SUCCESS) {
		free(h);
		return r == CUDA_ERROR_OUT_OF_MEMORY ? CUSPARSE_STATUS_ALLOC_FAILED
		                                     : CUSPARSE_STATUS_NOT_INITIALIZED;
	}
	*handle = h;
	return CUSPARSE_STATUS_SUCCESS;
}

/* Memory that cudaDeviceReset has freed before is no mistake. */
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	cuMemFree(handle->result);
	if (handle->work.bytes)
		cuMemFree(handle->work.at);
	free(handle);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!version)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*version = CUSPARSE_VERSION;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
	static const int parts[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
	if (!value || (unsigned)type > PATCH_LEVEL)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*value = parts[type];
	return CUSPARSE_STATUS_SUCCESS;
}

/* Statuses are numbered from 0. */
static const struct status {
	const char *name, *text;
} statuses[] = {
	{"CUSPARSE_STATUS_SUCCESS", "success"},
	{"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
	{"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
	{"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
	{"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
	{"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
	{"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
	{"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
	{"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
	{"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
	{"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
	{"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};

/* What is known of a status. */
static const struct status *find_status(cusparseStatus_t status)
{
	static const struct status unknown = {"unknown status", "unknown status"};
	return (unsigned)status < sizeof statuses / sizeof *statuses ? &statuses[status] : &unknown;
}

const char *cusparseGetErrorName(cusparseStatus_t status)
{
	return find_status(status)->name;
}

const char *cusparseGetErrorString(cusparseStatus_t status)
{
	return find_status(status)->text;
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	handle->stream = stream;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!stream)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*stream = handle->stream;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (mode != CUSPARSE_POINTER_MODE_HOST && mode != CUSPARSE_POINTER_MODE_DEVICE)
		return CUSPARSE_STATUS_INVALID_VALUE;
	handle->pointers = mode;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!mode)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*mode = handle->pointers;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descr)
{
	if (!descr)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*descr = ct_calloc(1, sizeof **descr);
	return *descr ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr)
{
	free(descr);
	return CUSPARSE_STATUS_SUCCESS;
}

/* A property of the description, of which there are so many values, and the question what it is. */
#define PROPERTY(Name, kind, field, values) \
	cusparseStatus_t cusparseSet##Name(cusparseMatDescr_t descr, kind value) \
	{ \
		if (!descr || (unsigned)value >= (values)) \
			return CUSPARSE_STATUS_INVALID_VALUE; \
		descr->field = value; \
		return CUSPARSE_STATUS_SUCCESS; \
	} \
	kind cusparseGet##Name(const cusparseMatDescr_t descr) \
	{ \
		return descr ? descr->field : (kind)0; \
	}
PROPERTY(MatType, cusparseMatrixType_t, type, 4)
PROPERTY(MatFillMode, cusparseFillMode_t, fill, 2)
PROPERTY(MatDiagType, cusparseDiagType_t, diag, 2)
PROPERTY(MatIndexBase, cusparseIndexBase_t, base, 2)
