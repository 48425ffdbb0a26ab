/* cuBLAS: its handles, what they keep, and copies between host and device. */
#include <stdlib.h>

#include "base/mem.h"
#include "data/cuda/cuda_runtime_api.h"
#include "runtime/blas/blas.h"

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
	if (!handle)
		return CUBLAS_STATUS_INVALID_VALUE;
	struct cublasContext *h = ct_calloc(1, sizeof *h);
	if (!h)
		return CUBLAS_STATUS_ALLOC_FAILED;
	CUresult r = ct_cuda_begin_library();
	if (r == CUDA_SUCCESS)
		r = cuMemAlloc(&h->result, CT_BLAS_RESULT_BYTES + CT_BLAS_PARTS * CT_BLAS_PART_BYTES);
	if (r != CUDA_SUCCESS) {
		free(h);
		return r == CUDA_ERROR_OUT_OF_MEMORY ? CUBLAS_STATUS_ALLOC_FAILED
		                                     : CUBLAS_STATUS_NOT_INITIALIZED;
	}
	*handle = h;
	return CUBLAS_STATUS_SUCCESS;
}

/* Memory that cudaDeviceReset has freed before is no mistake. */
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	cuMemFree(handle->result);
	if (handle->work.bytes)
		cuMemFree(handle->work.at);
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
	(void)handle; /* which may be NULL */
	if (!version)
		return CUBLAS_STATUS_INVALID_VALUE;
	*version = CUBLAS_VERSION;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
	static const int parts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
	if (!value || (unsigned)type > PATCH_LEVEL)
		return CUBLAS_STATUS_INVALID_VALUE;
	*value = parts[type];
	return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void)
{
	int version = 0;
	cudaRuntimeGetVersion(&version);
	return (size_t)version;
}

static const struct status {
	cublasStatus_t status;
	const char *name, *text;
} statuses[] = {
	{CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
	{CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
         "the library was not initialized"},
	{CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
	{CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
         "an invalid value was used as an argument"},
	{CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
         "an absent device architectural feature is required"},
	{CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR",
         "an access to GPU memory space failed"},
	{CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
         "the function failed to launch on the GPU"},
	{CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
	{CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
         "the requested functionality is not supported"},
	{CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR",
         "an error was detected when checking the license"},
};

/* What is known of a status. */
static const struct status *find_status(cublasStatus_t status)
{
	static const struct status unknown = {CUBLAS_STATUS_SUCCESS, "unknown status", "unknown status"};
	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		if (statuses[i].status == status)
			return &statuses[i];
	return &unknown;
}

const char *cublasGetStatusName(cublasStatus_t status)
{
	return find_status(status)->name;
}

const char *cublasGetStatusString(cublasStatus_t status)
{
	return find_status(status)->text;
}

/* The library goes on using room of its own: what results are does not depend on it. */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
	(void)bytes;
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	return (uintptr_t)workspace % 256 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

/* A setting of the handle, and the question what it is. */
#define SETTING(Name, type, field, valid) \
	cublasStatus_t cublasSet##Name(cublasHandle_t handle, type mode) \
	{ \
		if (!handle) \
			return CUBLAS_STATUS_NOT_INITIALIZED; \
		if (!(valid)) \
			return CUBLAS_STATUS_INVALID_VALUE; \
		handle->field = mode; \
		return CUBLAS_STATUS_SUCCESS; \
	} \
	cublasStatus_t cublasGet##Name(cublasHandle_t handle, type *mode) \
	{ \
		if (!handle) \
			return CUBLAS_STATUS_NOT_INITIALIZED; \
		if (!mode) \
			return CUBLAS_STATUS_INVALID_VALUE; \
		*mode = handle->field; \
		return CUBLAS_STATUS_SUCCESS; \
	}
SETTING(Stream_v2, cudaStream_t, stream, 1)
SETTING(PointerMode_v2, cublasPointerMode_t, pointers,
        mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE)
SETTING(AtomicsMode, cublasAtomicsMode_t, atomics,
        mode == CUBLAS_ATOMICS_NOT_ALLOWED || mode == CUBLAS_ATOMICS_ALLOWED)
SETTING(MathMode, cublasMath_t, math,
        (mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) <= CUBLAS_TF32_TENSOR_OP_MATH)

/* Copies rows x cols elements between columns that are `from_ld` and `to_ld` apart. */
static cublasStatus_t
copy_matrix(int64_t rows, int64_t cols, int bytes, const void *from, int from_ld, void *to, int to_ld,
            enum cudaMemcpyKind kind, int waits, cudaStream_t stream)
{
	if (rows < 0 || cols < 0 || bytes <= 0 || from_ld <= 0 || to_ld <= 0 || from_ld < rows ||
	    to_ld < rows)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (rows == 0 || cols == 0)
		return CUBLAS_STATUS_SUCCESS;
	size_t size = (size_t)bytes, width = (size_t)rows * size, from_pitch = (size_t)from_ld * size,
	       to_pitch = (size_t)to_ld * size;
	int whole = from_pitch == width && to_pitch == width; /* one copy, as a program would make it */
	cudaError_t r;
	if (whole)
		r = waits ? cudaMemcpy(to, from, width * (size_t)cols, kind)
		          : cudaMemcpyAsync(to, from, width * (size_t)cols, kind, stream);
	else
		r = waits ? cudaMemcpy2D(to, to_pitch, from, from_pitch, width, (size_t)cols, kind)
		          : cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, (size_t)cols, kind,
		                              stream);
	return r == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

cublasStatus_t cublasSetVector(int n, int bytes, const void *x, int incx, void *device, int incy)
{
	return copy_matrix(1, n, bytes, x, incx, device, incy, cudaMemcpyHostToDevice, 1, NULL);
}

cublasStatus_t cublasGetVector(int n, int bytes, const void *device, int incx, void *y, int incy)
{
	return copy_matrix(1, n, bytes, device, incx, y, incy, cudaMemcpyDeviceToHost, 1, NULL);
}

cublasStatus_t cublasSetVectorAsync(int n, int bytes, const void *x, int incx, void *device, int incy,
                                    cudaStream_t stream)
{
	return copy_matrix(1, n, bytes, x, incx, device, incy, cudaMemcpyHostToDevice, 0, stream);
}

cublasStatus_t cublasGetVectorAsync(int n, int bytes, const void *device, int incx, void *y, int incy,
                                    cudaStream_t stream)
{
	return copy_matrix(1, n, bytes, device, incx, y, incy, cudaMemcpyDeviceToHost, 0, stream);
}

cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void *A, int lda, void *device,
                               int ldb)
{
	return copy_matrix(rows, cols, bytes, A, lda, device, ldb, cudaMemcpyHostToDevice, 1, NULL);
}

cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void *device, int lda, void *B,
                               int ldb)
{
	return copy_matrix(rows, cols, bytes, device, lda, B, ldb, cudaMemcpyDeviceToHost, 1, NULL);
}

cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int bytes, const void *A, int lda, void *device,
                                    int ldb, cudaStream_t stream)
{
	return copy_matrix(rows, cols, bytes, A, lda, device, ldb, cudaMemcpyHostToDevice, 0, stream);
}

cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int bytes, const void *device, int lda, void *B,
                                    int ldb, cudaStream_t stream)
{
	return copy_matrix(rows, cols, bytes, device, lda, B, ldb, cudaMemcpyDeviceToHost, 0, stream);
}
