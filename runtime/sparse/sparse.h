/* sparse.h - what the files of cuSPARSE share. Private.
 *
 * A function checks its parameters as cuSPARSE's reference says, fills in the arguments of data/sparse/arguments.h, and launches a kernel of
 * data/sparse on the handle's stream by the driver API, as any program does. */
#ifndef CT_RUNTIME_SPARSE_SPARSE_H
#define CT_RUNTIME_SPARSE_SPARSE_H

#include "data/cuda/cusparse.h"
#include "data/sparse/arguments.h"
#include "runtime/kernels.h"

struct cusparseContext {
	CUstream stream;
	cusparsePointerMode_t pointers;
	CUdeviceptr result; /* where a number is made that the host asks for */
	struct ct_cuda_room work;
};

struct cusparseMatDescr {
	cusparseMatrixType_t type;
	cusparseFillMode_t fill;
	cusparseDiagType_t diag;
	cusparseIndexBase_t base;
};

struct cusparseSpVecDescr {
	int64_t size, count;
	void *index, *value;
	cusparseIndexType_t index_type;
	cusparseIndexBase_t base;
	cudaDataType type;
};

struct cusparseDnVecDescr {
	int64_t size;
	void *value;
	cudaDataType type;
};

struct cusparseDnMatDescr {
	int64_t rows, columns, ld;
	void *value;
	cudaDataType type;
	cusparseOrder_t order;
	int batches;
	int64_t batch;
};

/* Of CSR `first` has the offsets and `second` the columns, of CSC the offsets and the rows, of COO rows and columns. */
struct cusparseSpMatDescr {
	cusparseFormat_t format;
	int64_t rows, columns, count;
	void *first, *second, *value;
	cusparseIndexType_t offset_type, index_type;
	cusparseIndexBase_t base;
	cudaDataType type;
	cusparseFillMode_t fill;
	cusparseDiagType_t diag;
	int batches;
	int64_t offset_batch, batch;
};

/* A type of numbers: those that kernels sum it in. */
struct ct_sparse_numbers {
	char letter; /* in the names of its kernels */
	uint8_t bytes;
	uint8_t sum_bytes;
	uint8_t is_short; /* only stored, and summed in single precision */
};

/* Files of data/sparse, a module each. */
enum ct_sparse_module {
	CT_SPARSE_SPMV,
	CT_SPARSE_SPMM,
	CT_SPARSE_SDDMM,
	CT_SPARSE_VECTORS,
	CT_SPARSE_CONVERT,
	CT_SPARSE_SORT,
	CT_SPARSE_GEMM,
	CT_SPARSE_SOLVE
};

enum { CT_SPARSE_THREADS = 256 /* of a CTA */ };

/* The numbers of a type that kernels know, which are summed as `compute` says; NULL: there are no such kernels. */
const struct ct_sparse_numbers *ct_sparse_numbers_of(cudaDataType type, cudaDataType compute);
/* The same, summed as the type itself is. */
const struct ct_sparse_numbers *ct_sparse_numbers_of_type(cudaDataType type);
/* Bytes of an index. */
size_t ct_sparse_index_bytes(cusparseIndexType_t type);

/* Launches the kernel `name` of a type of numbers (NULL: of none) and indices of that many bits (0: of none). */
cusparseStatus_t ct_sparse_launch(cusparseHandle_t handle, enum ct_sparse_module module,
                                  const struct ct_sparse_numbers *t, const char *name, int bits,
                                  struct ct_cuda_grid grid, void *arguments);
/* The same, for batches of any number, the first of which *first names. */
cusparseStatus_t ct_sparse_launch_batches(cusparseHandle_t handle, enum ct_sparse_module module,
                                          const struct ct_sparse_numbers *t, const char *name, int bits,
                                          struct ct_cuda_grid grid, void *arguments, int32_t *first);
/* The status for a result of the driver API. */
cusparseStatus_t ct_sparse_status(CUresult result);
/* A scalar that the caller gave, of that many bytes: its value, or its address where the pointer mode says so. */
struct ct_blas_scalar ct_sparse_scalar_of(cusparseHandle_t handle, const void *from, size_t bytes);
/* 1: a scalar of the host which is 1 in that type. */
int ct_sparse_is_one(const struct ct_blas_scalar *s, const struct ct_sparse_numbers *t);
/* Multiplies a dense matrix of rows x columns, and so many batches, with beta; it launches nothing where beta is 1. */
cusparseStatus_t ct_sparse_scale(cusparseHandle_t handle, const struct ct_sparse_numbers *t,
                                 const struct ct_sparse_dense *c, int64_t rows, int64_t columns,
                                 int64_t batches, struct ct_blas_scalar beta);
/* Copies bytes of the device to the host. */
cusparseStatus_t ct_sparse_fetch(cusparseHandle_t handle, void *to, CUdeviceptr from, size_t bytes);
/* The strides of a dense matrix, transposed or not. */
struct ct_sparse_dense ct_sparse_dense_of(const struct cusparseDnMatDescr *m, cusparseOperation_t op);

/* The matrix of the arguments: of CSC the transposed one, which lies by rows. */
struct ct_sparse_matrix ct_sparse_matrix_of(const struct cusparseSpMatDescr *a);
/* Threads that share a row: as many as it has elements in the mean, as far as a warp goes. */
int32_t ct_sparse_lanes(int64_t rows, int64_t count);

/* Takes a part of *room, of that many bytes; NULL counts only. */
void *ct_sparse_part(char **room, size_t bytes);
/* Bytes of the parts of a scan, which are a function of how many counts there are. */
size_t ct_sparse_scan_bytes(int64_t count);
/* Makes of counts, on the device, the sums of those before each, from `base`, and behind them that of all. */
cusparseStatus_t ct_sparse_scan_counts(cusparseHandle_t handle, int bits, void *counts, int64_t count,
                                       int64_t base, void *parts);

/* An order of elements, which sorts by one key after the other make: keys and the elements' numbers, of the last pass those in [now]. */
struct ct_sparse_order {
	int32_t *key[2], *permutation[2], *counts;
	void *parts;
	int64_t count;
	int now, any;
};
/* Bytes of the room of an order, and an order in such room. */
size_t ct_sparse_order_bytes(int64_t count);
void ct_sparse_order_begin(struct ct_sparse_order *o, void *room, int64_t count);
/* Sorts by a key of each element, of 0 to `largest`; elements of the same key stay as they were. */
cusparseStatus_t ct_sparse_order_by(cusparseHandle_t handle, struct ct_sparse_order *o,
                                    const int32_t *key, int64_t largest);
/* to[i] = from[permutation[i]], of indices, and of numbers of a type. */
cusparseStatus_t ct_sparse_permute(cusparseHandle_t handle, const int32_t *permutation, int64_t count,
                                   const int32_t *from, int32_t *to);
cusparseStatus_t
ct_sparse_permute_numbers(cusparseHandle_t handle, const struct ct_sparse_numbers *t,
                          const int32_t *permutation, int64_t count, const void *from, void *to);
/* Rows of elements from offsets, and back; both of indices of 32 bits. */
cusparseStatus_t ct_sparse_rows_of(cusparseHandle_t handle, const int32_t *offset, int64_t rows,
                                   int64_t count, int base, int32_t *row);
cusparseStatus_t ct_sparse_offsets_of(cusparseHandle_t handle, const int32_t *row, int64_t rows,
                                      int64_t count, int base, int32_t *offset);

static inline int64_t ct_sparse_tiles(int64_t n, int64_t side)
{
	return (n + side - 1) / side;
}
/* A grid of one dimension with that many threads. */
static inline struct ct_cuda_grid ct_sparse_threads(int64_t n)
{
	return (struct ct_cuda_grid){ct_sparse_tiles(n, CT_SPARSE_THREADS), 1, 1, CT_SPARSE_THREADS};
}
static inline int ct_sparse_is_operation(cusparseOperation_t o)
{
	return o == CUSPARSE_OPERATION_NON_TRANSPOSE || o == CUSPARSE_OPERATION_TRANSPOSE ||
	       o == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}
static inline int ct_sparse_is_base(cusparseIndexBase_t b)
{
	return b == CUSPARSE_INDEX_BASE_ZERO || b == CUSPARSE_INDEX_BASE_ONE;
}
#define CT_SPARSE_TRY(call) \
	do { \
		cusparseStatus_t st_ = (call); \
		if (st_ != CUSPARSE_STATUS_SUCCESS) \
			return st_; \
	} while (0)

#endif
