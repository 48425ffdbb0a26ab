/* blas.h - what the files of cuBLAS share. Private.
 *
 * A function checks its parameters as cuBLAS' reference says, fills in the arguments of data/blas/arguments.h, and launches a kernel of data/blas
 * on the handle's stream by the driver API, as any program does. */
#ifndef CT_RUNTIME_BLAS_BLAS_H
#define CT_RUNTIME_BLAS_BLAS_H

#include "data/blas/arguments.h"
#include "data/cuda/cublas_api.h"
#include "data/cuda/cuda.h"
#include "runtime/kernels.h"

struct cublasContext {
	CUstream stream;
	cublasPointerMode_t pointers;
	cublasAtomicsMode_t atomics;
	cublasMath_t math;
	CUdeviceptr
		result; /* where a number is made that the host asks for, and the parts of sums behind it */
	struct ct_cuda_room work;
};

enum {
	CT_BLAS_PARTS = 64,        /* CTAs that sum a vector */
	CT_BLAS_RESULT_BYTES = 64, /* in front of their parts */
	CT_BLAS_PART_BYTES = 32    /* the largest part */
};

/* The type of numbers of a family of functions. */
struct ct_blas_numbers {
	char letter; /* in the names of its kernels */
	uint8_t type;
	uint8_t bytes, real_bytes;
};
extern const struct ct_blas_numbers ct_blas_s, ct_blas_d, ct_blas_c, ct_blas_z;

/* Files of data/blas, a module each. */
enum ct_blas_module {
	CT_BLAS_LEVEL1,
	CT_BLAS_LEVEL2,
	CT_BLAS_SGEMM,
	CT_BLAS_DGEMM,
	CT_BLAS_CGEMM,
	CT_BLAS_ZGEMM,
	CT_BLAS_HGEMM,
	CT_BLAS_MIXED,
	CT_BLAS_LU,
	CT_BLAS_MODULES
};

/* Launches the kernel of that name of a module, which is read when it is first wanted. The arguments are one of the structures of arguments.h. */
cublasStatus_t ct_blas_launch(cublasHandle_t handle, enum ct_blas_module module, const char *kernel,
                              struct ct_cuda_grid grid, void *arguments);
/* As ct_blas_launch, for batches of any number: launches of as many as a grid has, the first of which *first names. */
cublasStatus_t ct_blas_launch_batches(cublasHandle_t handle, enum ct_blas_module module,
                                      const char *kernel, struct ct_cuda_grid grid, void *arguments,
                                      int32_t *first);
/* The status for a result of the driver API. */
cublasStatus_t ct_blas_status(CUresult result);
/* Room of the device of that many bytes, which the next call may use, too. */
cublasStatus_t ct_blas_room(cublasHandle_t handle, size_t bytes, void **room);
/* A scalar that the caller gave, of that many bytes: its value, or its address where the pointer mode says so. */
struct ct_blas_scalar ct_blas_scalar_of(cublasHandle_t handle, const void *from, size_t bytes);
/* That number, in the family's type: 0, 1 and -1 are what callers need. */
struct ct_blas_scalar ct_blas_constant(const struct ct_blas_numbers *t, int value);
/* 1: the scalar is of the host, and that number (of a family, real or complex). */
int ct_blas_is(const struct ct_blas_numbers *t, const struct ct_blas_scalar *s, int value);
/* The vector of n numbers whose elements lie `increment` apart: with a negative one its first is the last of memory. */
struct ct_blas_vector ct_blas_vector_of(const void *at, int64_t n, int64_t increment, size_t bytes);

/* How many tiles of that side cover n. */
static inline int64_t ct_blas_tiles(int64_t n, int64_t side)
{
	return (n + side - 1) / side;
}
/* 1: a count that the kernels can handle; those of 64 bits may be none. */
static inline int ct_blas_fits(int64_t n)
{
	return n <= INT32_MAX;
}
static inline int ct_blas_is_operation(cublasOperation_t o)
{
	return o == CUBLAS_OP_N || o == CUBLAS_OP_T || o == CUBLAS_OP_C;
}
static inline int ct_blas_is_triangle(cublasFillMode_t uplo)
{
	return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}
static inline int ct_blas_is_side(cublasSideMode_t side)
{
	return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}
/* 1: ld can be the leading dimension of a matrix with that many rows. */
static inline int ct_blas_is_leading(int64_t ld, int64_t rows)
{
	return ld >= (rows > 1 ? rows : 1);
}
static inline int32_t ct_blas_triangle(cublasFillMode_t uplo)
{
	return uplo == CUBLAS_FILL_MODE_LOWER ? CT_BLAS_LOWER : CT_BLAS_UPPER;
}
#define CT_BLAS_TRY(call) \
	do { \
		cublasStatus_t st_ = (call); \
		if (st_ != CUBLAS_STATUS_SUCCESS) \
			return st_; \
	} while (0)

/* A product as functions of several names ask for it: d = alpha * op(a) * op(b) + beta * c, `batches` times. Flags are those of the arguments. */
struct ct_blas_product {
	cublasOperation_t trans_a, trans_b;
	int64_t m, n, k, batches;
	struct ct_blas_matrix a, b, c, d;
	struct ct_blas_scalar alpha, beta;
	const void *bias;
	const float *a_scale, *b_scale, *c_scale, *d_scale;
	float *largest;
	int32_t flags, a_type, c_type, d_type, bias_type;
	int32_t b_type;
};
/* Launches a product whose sizes and types are right: a_type and b_type are the same, or both of eight bits with a point. */
cublasStatus_t ct_blas_multiply(cublasHandle_t handle, const struct ct_blas_product *p);
/* Type of a matrix in a product; -1: none that is known here. */
int ct_blas_type_of(cudaDataType type);
/* Bytes of a number of a type. */
size_t ct_blas_bytes_of(int type);
/* 1: numbers of a_type are multiplied and summed as `compute` says, with results of c_type; then *scalar is the type of alpha and beta. */
int ct_blas_can_multiply(cublasComputeType_t compute, int a_type, int b_type, int c_type, int *scalar);
/* alpha or beta of that type, as the kernels of the product want it. */
struct ct_blas_scalar ct_blas_product_scalar(cublasHandle_t handle, const void *from, int scalar_type);

#endif
