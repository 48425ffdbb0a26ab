/* arguments.h - what the host's side of cuBLAS (runtime/blas) hands to the kernels of this folder: C and CUDA C++ at once.
 *
 * A kernel has one parameter, one of these structures. A scalar is a value, or an address of the device where cuBLAS' pointer mode says
 * so. Matrices lie by columns, and all counts are of elements. */
#ifndef CT_BLAS_ARGUMENTS_H
#define CT_BLAS_ARGUMENTS_H

#include <stdint.h>

/* A number of the kernel's type, of at most 16 bytes; `at`, where it is not NULL, is where it lies on the device. */
struct ct_blas_scalar {
	const void *at;
	uint64_t word[2];
};

/* A vector: of batches the first; `stride` elements lie between two elements, and `batch` ones between two vectors. */
struct ct_blas_vector {
	void *at;
	int64_t stride, batch;
};

/* A matrix: element (i, j) lies at i + j * ld. Of batches the first, `batch` elements before the next, or with CT_BLAS_POINTERS an array of
 * pointers to them. `offset` is where the part of the matrix begins that is meant. */
struct ct_blas_matrix {
	void *at;
	int64_t ld, offset, batch;
};

enum {
	CT_BLAS_POINTERS = 1,   /* matrices are arrays of pointers to them */
	CT_BLAS_WIDE_A = 2,     /* a, b, d: columns are aligned as vectors of 16 bytes are */
	CT_BLAS_WIDE_B = 4,
	CT_BLAS_WIDE_D = 8,
	CT_BLAS_CONJ_A = 16,    /* the conjugate of a, b */
	CT_BLAS_CONJ_B = 32,
	CT_BLAS_LOWER = 64,     /* the triangle that is meant alone */
	CT_BLAS_UPPER = 128,
	CT_BLAS_UNIT = 256,     /* the diagonal is 1 and not read */
	CT_BLAS_TRANSPOSED = 512,
	CT_BLAS_HERMITIAN = 1024, /* of a symmetric matrix: the other triangle has the conjugates, and the diagonal is real */
	CT_BLAS_TRIANGULAR = 2048, /* the other triangle is zero */
	CT_BLAS_HALF_SCALARS = 4096, /* alpha and beta on the device are halves */
	CT_BLAS_BIAS = 8192,    /* a vector is added to each column, and then */
	CT_BLAS_RELU = 16384,
	CT_BLAS_GELU = 32768,
	CT_BLAS_TRANSPOSED_B = 131072,
	CT_BLAS_REAL_SCALARS = 262144, /* alpha and beta are real where the matrices are complex */
	CT_BLAS_BACKWARD = 65536 /* a triangle is solved from its end */
};

/* Types of numbers, of which matrices of a product may have different ones. */
enum ct_blas_type {
	CT_BLAS_F32,
	CT_BLAS_F64,
	CT_BLAS_C32,
	CT_BLAS_C64,
	CT_BLAS_F16,
	CT_BLAS_BF16,
	CT_BLAS_I8,
	CT_BLAS_I32,
	CT_BLAS_E4M3,
	CT_BLAS_E5M2
};

/* d = alpha * op(a) * op(b) + beta * c, of m x n and k summands; then the bias and the function that flags ask for. */
struct ct_blas_gemm {
	struct ct_blas_matrix a, b, c, d;
	struct ct_blas_scalar alpha, beta;
	const void *bias;
	const float *a_scale, *b_scale, *c_scale, *d_scale; /* factors on the device, or NULL */
	float *largest; /* |d| before its factor, or NULL; it is only made larger */
	int32_t m, n, k, flags;
	int32_t c_type, d_type, bias_type; /* enum ct_blas_type */
	int32_t a_type, b_type;
	int32_t first; /* the number of the batch that blockIdx.z 0 means */
};

/* Level 1: results go to `result` or, in parts, to `parts`. */
struct ct_blas_level1 {
	struct ct_blas_vector x, y;
	struct ct_blas_scalar alpha, beta; /* of rot: c and s */
	void *result, *parts;
	int64_t n;
	int32_t x_type, y_type, result_type, flags;
};

/* Level 2 and what else has matrices and vectors: y = alpha * op(a) * x + beta * y, or a += alpha * x * y. */
struct ct_blas_level2 {
	struct ct_blas_matrix a, b, c;
	struct ct_blas_vector x, y;
	struct ct_blas_scalar alpha, beta;
	int32_t m, n, flags, first;
};

/* LU and QR of batches: a is n x n, or of m rows, and b has `columns` right sides or the inverse; n pivots each, from 1, or NULL; one number a
 * matrix in info. */
struct ct_blas_lu {
	struct ct_blas_matrix a, b;
	int32_t *pivots, *info;
	int32_t m, n, columns, flags, first;
};

#endif
