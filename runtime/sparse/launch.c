/* cuSPARSE: its kernels, which lie as PTX in data/sparse, and what every launch of one needs. */
#include <stdio.h>
#include <string.h>

#include "runtime/sparse/sparse.h"

static struct ct_cuda_own_library library = {.name = "cuSPARSE"};
static struct ct_cuda_kernel_file files[] = {
	{.library = &library, .name = "sparse/spmv"},    {.library = &library, .name = "sparse/spmm"},
	{.library = &library, .name = "sparse/sddmm"},   {.library = &library, .name = "sparse/vectors"},
	{.library = &library, .name = "sparse/convert"}, {.library = &library, .name = "sparse/sort"},
	{.library = &library, .name = "sparse/gemm"},    {.library = &library, .name = "sparse/solve"},
};

cusparseStatus_t ct_sparse_status(CUresult result)
{
	switch (result) {
	case CUDA_SUCCESS: return CUSPARSE_STATUS_SUCCESS;
	case CUDA_ERROR_OUT_OF_MEMORY: return CUSPARSE_STATUS_ALLOC_FAILED;
	case CUDA_ERROR_NOT_INITIALIZED: return CUSPARSE_STATUS_NOT_INITIALIZED;
	case CUDA_ERROR_NOT_SUPPORTED: return CUSPARSE_STATUS_NOT_SUPPORTED;
	default: return CUSPARSE_STATUS_EXECUTION_FAILED;
	}
}

static const struct ct_sparse_numbers single = {'s', 4, 4, 0}, twice = {'d', 8, 8, 0},
				      complex_single = {'c', 8, 8, 0}, complex_twice = {'z', 16, 16, 0},
				      half = {'h', 2, 4, 1}, brain = {'b', 2, 4, 1};

const struct ct_sparse_numbers *ct_sparse_numbers_of(cudaDataType type, cudaDataType compute)
{
	switch (type) {
	case CUDA_R_32F: return compute == type ? &single : NULL;
	case CUDA_R_64F: return compute == type ? &twice : NULL;
	case CUDA_C_32F: return compute == type ? &complex_single : NULL;
	case CUDA_C_64F: return compute == type ? &complex_twice : NULL;
	case CUDA_R_16F: return compute == CUDA_R_32F ? &half : NULL;
	case CUDA_R_16BF: return compute == CUDA_R_32F ? &brain : NULL;
	default: return NULL;
	}
}

const struct ct_sparse_numbers *ct_sparse_numbers_of_type(cudaDataType type)
{
	int is_short = type == CUDA_R_16F || type == CUDA_R_16BF;
	return ct_sparse_numbers_of(type, is_short ? CUDA_R_32F : type);
}

size_t ct_sparse_index_bytes(cusparseIndexType_t type)
{
	return type == CUSPARSE_INDEX_64I ? sizeof(int64_t) : sizeof(int32_t);
}

enum { NAME_MOST = 64 /* bytes of a kernel's name */ };

/* The kernel for numbers of that kind and indices of so many bits; NULL and 0: its name says nothing of them. */
static void name_kernel(char *kernel, const struct ct_sparse_numbers *t, const char *name, int bits)
{
	int n = snprintf(kernel, NAME_MOST, "ct_sparse_%.1s%s", t ? &t->letter : "", name);
	if (bits)
		snprintf(kernel + n, NAME_MOST - (size_t)n, "_%d", bits);
}

/* Whether there is nothing to do. */
static int is_empty(const struct ct_cuda_grid *grid)
{
	return grid->x == 0 || grid->y == 0 || grid->z == 0;
}

cusparseStatus_t ct_sparse_launch(cusparseHandle_t handle, enum ct_sparse_module module,
                                  const struct ct_sparse_numbers *t, const char *name, int bits,
                                  struct ct_cuda_grid grid, void *arguments)
{
	char kernel[NAME_MOST];
	if (is_empty(&grid))
		return CUSPARSE_STATUS_SUCCESS;
	name_kernel(kernel, t, name, bits);
	return ct_sparse_status(
		ct_cuda_launch_own(&files[module], kernel, grid, arguments, handle->stream));
}

cusparseStatus_t ct_sparse_launch_batches(cusparseHandle_t handle, enum ct_sparse_module module,
                                          const struct ct_sparse_numbers *t, const char *name, int bits,
                                          struct ct_cuda_grid grid, void *arguments, int32_t *first)
{
	char kernel[NAME_MOST];
	if (is_empty(&grid))
		return CUSPARSE_STATUS_SUCCESS;
	name_kernel(kernel, t, name, bits);
	return ct_sparse_status(
		ct_cuda_launch_batches(&files[module], kernel, grid, arguments, first, handle->stream));
}

struct ct_blas_scalar ct_sparse_scalar_of(cusparseHandle_t handle, const void *from, size_t bytes)
{
	struct ct_blas_scalar s = {0};
	if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE)
		s.at = from;
	else
		memcpy(s.word, from, bytes);
	return s;
}

int ct_sparse_is_one(const struct ct_blas_scalar *s, const struct ct_sparse_numbers *t)
{
	struct ct_blas_scalar one = {0};
	float of_single = 1;
	double of_double = 1;
	int is_double = t->letter == 'd' || t->letter == 'z';
	memcpy(one.word, is_double ? (const void *)&of_double : &of_single,
	       is_double ? sizeof of_double : sizeof of_single);
	return !s->at && memcmp(s->word, one.word, t->sum_bytes) == 0;
}

cusparseStatus_t ct_sparse_scale(cusparseHandle_t handle, const struct ct_sparse_numbers *t,
                                 const struct ct_sparse_dense *c, int64_t rows, int64_t columns,
                                 int64_t batches, struct ct_blas_scalar beta)
{
	struct ct_sparse_scale g = {.c = *c, .beta = beta, .rows = rows, .columns = columns};
	if (ct_sparse_is_one(&beta, t))
		return CUSPARSE_STATUS_SUCCESS;
	if (c->row != 1 && c->column == 1) {
		g.c.row = c->column;
		g.c.column = c->row;
		g.rows = columns;
		g.columns = rows;
	}
	struct ct_cuda_grid grid = ct_sparse_threads(g.rows);
	grid.y = g.columns < CT_CUDA_GRID_MAX ? g.columns : CT_CUDA_GRID_MAX;
	grid.z = batches;
	return ct_sparse_launch_batches(handle, CT_SPARSE_VECTORS, t, "scale", 0, grid, &g, &g.first);
}

/* The host's copy is there when the stream has come so far. */
cusparseStatus_t ct_sparse_fetch(cusparseHandle_t handle, void *to, CUdeviceptr from, size_t bytes)
{
	CUresult r = cuMemcpyDtoHAsync(to, from, bytes, handle->stream);
	if (r == CUDA_SUCCESS)
		r = cuStreamSynchronize(handle->stream);
	return ct_sparse_status(r);
}

struct ct_sparse_dense ct_sparse_dense_of(const struct cusparseDnMatDescr *m, cusparseOperation_t op)
{
	int by_rows = (m->order == CUSPARSE_ORDER_ROW) != (op != CUSPARSE_OPERATION_NON_TRANSPOSE);
	return (struct ct_sparse_dense){.at = m->value,
	                                .row = by_rows ? m->ld : 1,
	                                .column = by_rows ? 1 : m->ld,
	                                .batch = m->batch};
}

struct ct_sparse_matrix ct_sparse_matrix_of(const struct cusparseSpMatDescr *a)
{
	int by_columns = a->format == CUSPARSE_FORMAT_CSC, coo = a->format == CUSPARSE_FORMAT_COO;
	return (struct ct_sparse_matrix){
		.offset = coo ? NULL : a->first,
		.row = coo ? a->first : NULL,
		.column = a->second,
		.value = a->value,
		.rows = by_columns ? a->columns : a->rows,
		.columns = by_columns ? a->rows : a->columns,
		.count = a->count,
		.base = a->base,
		.offset_batch = a->offset_batch,
		.batch = a->batch};
}

int32_t ct_sparse_lanes(int64_t rows, int64_t count)
{
	int32_t lanes = 2;
	while (lanes < 32 && lanes * rows < count)
		lanes *= 2;
	return lanes;
}
