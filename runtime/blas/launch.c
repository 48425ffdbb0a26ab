/* cuBLAS: its kernels, which lie as PTX in data/blas, and what every launch of one needs. */
#include <string.h>

#include "runtime/blas/blas.h"

const struct ct_blas_numbers ct_blas_s = {'s', CT_BLAS_F32, 4, 4}, ct_blas_d = {'d', CT_BLAS_F64, 8, 8},
			     ct_blas_c = {'c', CT_BLAS_C32, 8, 4}, ct_blas_z = {'z', CT_BLAS_C64, 16, 8};

static struct ct_cuda_own_library library = {.name = "cuBLAS"};
static struct ct_cuda_kernel_file files[] = {
	{.library = &library, .name = "blas/level1"}, {.library = &library, .name = "blas/level2"},
	{.library = &library, .name = "blas/sgemm"},  {.library = &library, .name = "blas/dgemm"},
	{.library = &library, .name = "blas/cgemm"},  {.library = &library, .name = "blas/zgemm"},
	{.library = &library, .name = "blas/hgemm"},  {.library = &library, .name = "blas/mixed"},
	{.library = &library, .name = "blas/lu"}};

cublasStatus_t ct_blas_status(CUresult result)
{
	switch (result) {
	case CUDA_SUCCESS: return CUBLAS_STATUS_SUCCESS;
	case CUDA_ERROR_OUT_OF_MEMORY: return CUBLAS_STATUS_ALLOC_FAILED;
	case CUDA_ERROR_NOT_INITIALIZED: return CUBLAS_STATUS_NOT_INITIALIZED;
	case CUDA_ERROR_NOT_SUPPORTED: return CUBLAS_STATUS_NOT_SUPPORTED;
	default: return CUBLAS_STATUS_EXECUTION_FAILED;
	}
}

cublasStatus_t ct_blas_launch(cublasHandle_t handle, enum ct_blas_module module, const char *kernel,
                              struct ct_cuda_grid grid, void *arguments)
{
	return ct_blas_status(
		ct_cuda_launch_own(&files[module], kernel, grid, arguments, handle->stream));
}

cublasStatus_t ct_blas_launch_batches(cublasHandle_t handle, enum ct_blas_module module,
                                      const char *kernel, struct ct_cuda_grid grid, void *arguments,
                                      int32_t *first)
{
	return ct_blas_status(
		ct_cuda_launch_batches(&files[module], kernel, grid, arguments, first, handle->stream));
}

cublasStatus_t ct_blas_room(cublasHandle_t handle, size_t bytes, void **room)
{
	CUresult r = ct_cuda_make_room(&handle->work, bytes, handle->stream);
	*room = (void *)(uintptr_t)handle->work.at;
	return ct_blas_status(r);
}

struct ct_blas_scalar ct_blas_scalar_of(cublasHandle_t handle, const void *from, size_t bytes)
{
	struct ct_blas_scalar s = {0};
	if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE)
		s.at = from;
	else
		memcpy(s.word, from, bytes);
	return s;
}

struct ct_blas_scalar ct_blas_constant(const struct ct_blas_numbers *t, int value)
{
	struct ct_blas_scalar s = {0};
	float single = (float)value;
	double twice = value;
	memcpy(s.word, t->real_bytes == sizeof single ? (const void *)&single : &twice, t->real_bytes);
	return s;
}

int ct_blas_is(const struct ct_blas_numbers *t, const struct ct_blas_scalar *s, int value)
{
	struct ct_blas_scalar wanted = ct_blas_constant(t, value);
	return !s->at && memcmp(s->word, wanted.word, t->bytes) == 0;
}

struct ct_blas_vector ct_blas_vector_of(const void *at, int64_t n, int64_t increment, size_t bytes)
{
	const char *first = at;
	if (increment < 0)
		first += (1 - n) * increment * (int64_t)bytes;
	return (struct ct_blas_vector){.at = (void *)(uintptr_t)first, .stride = increment};
}
