/* arguments.h - what the host's side of cuSPARSE (runtime/sparse) hands to the kernels of this folder: C and CUDA C++ at once.
 *
 * A kernel has one parameter, one of these structures. Scalars are as those of cuBLAS. Indices are of 32 or of 64 bits, as the kernel's name ends. */
#ifndef CT_SPARSE_ARGUMENTS_H
#define CT_SPARSE_ARGUMENTS_H

#include "../blas/arguments.h"

/* A sparse matrix as it lies in memory, by rows: those of a matrix in CSR, the columns of one in CSC. With `row` instead of offsets each element
 * names its row. Batches lie so many offsets and elements behind each other. */
struct ct_sparse_matrix {
	const void *offset, *row, *column;
	void *value;
	int64_t rows, columns, count, base;
	int64_t offset_batch, batch;
};

/* A dense matrix or vector: element (i, j) lies at i * row + j * column, and batches lie `batch` elements behind each other. */
struct ct_sparse_dense {
	void *at;
	int64_t row, column, batch;
};

enum {
	CT_SPARSE_CONJ_A = 1, /* the conjugate of a, b */
	CT_SPARSE_CONJ_B = 2
};

/* c = alpha * op(a) * op(b) + beta * c: with one sparse matrix, or all of them dense but for the places that are computed (SDDMM). */
struct ct_sparse_product {
	struct ct_sparse_matrix a;
	struct ct_sparse_dense b, c;
	struct ct_blas_scalar alpha, beta;
	int64_t columns; /* of c */
	int64_t inner;   /* summands of an element, of SDDMM */
	int32_t lanes;   /* threads that share a row, or an element of SDDMM: a power of two up to 32 */
	int32_t flags, first;
};

/* The elements of a dense matrix, of rows x columns: multiplied with beta, or set to zero. */
struct ct_sparse_scale {
	struct ct_sparse_dense c;
	struct ct_blas_scalar beta;
	int64_t rows, columns;
	int32_t first;
};

/* A sparse vector of `count` elements, and a dense one. */
struct ct_sparse_vectors {
	const void *index;
	void *value, *dense, *result;
	struct ct_blas_scalar alpha, beta; /* of rot: c and s */
	int64_t count, base;
	int32_t flags;
};

/* A matrix of one form that becomes one of another: element i has row[i], column[i] and value[i], rows begin at offset[row]. */
struct ct_sparse_conversion {
	void *row, *column, *offset, *value;
	struct ct_sparse_dense dense;
	int64_t rows, columns, count, base, batch;
	int32_t lanes, first;
};

/* Counts that become the sums of those before them, from `base`, with the sum of all behind them. parts: room for one number of each 1024 counts,
 * where there are more than that. */
struct ct_sparse_scan {
	void *counts, *parts;
	int64_t count, base;
};

/* Indices in another order: key_out[i] = key[permutation[i]], or one pass of a sort by four bits of them. */
struct ct_sparse_sort {
	const int32_t *key, *permutation; /* permutation NULL: 0, 1, 2, ... */
	int32_t *key_out, *permutation_out;
	int32_t *counts; /* of each digit and tile of 1024 keys */
	int64_t count;
	int32_t shift, tiles;
};

/* c = alpha * a * b + beta * c, all sparse, by the products of their elements: element i of a has those from first_product[i] on. */
struct ct_sparse_gemm {
	struct ct_sparse_matrix a, b;
	int32_t *a_row, *first_product; /* of elements of a */
	int32_t *row, *column;          /* of products */
	const int32_t *permutation;     /* the products by rows and columns */
	int32_t *place;                 /* 1 where one of them has another place than that before, and then how many have before */
	void *value;
	int32_t *c_row, *c_column;
	void *c_value;
	struct ct_blas_scalar alpha, beta;
	int64_t count; /* of products, or of elements of c */
	int32_t base, lanes;
};

/* c = alpha * a + beta * b, all by rows. */
struct ct_sparse_geam {
	struct ct_sparse_matrix a, b, c;
	struct ct_blas_scalar alpha, beta;
};

/* op(a) * x = alpha * b, where a is a triangle, by rows. Rows of x that are known have a flag each, in each tile of 32 columns. */
struct ct_sparse_solve {
	struct ct_sparse_matrix a;
	const int32_t *permutation; /* where an element has its number, or NULL: in order */
	int32_t *known;
	struct ct_sparse_dense b, x;
	struct ct_blas_scalar alpha;
	int64_t columns;
	int32_t flags; /* CT_BLAS_LOWER or CT_BLAS_UPPER, CT_BLAS_UNIT, CT_BLAS_CONJ_A, CT_BLAS_CONJ_B */
};

/* An incomplete factorization of a in its place. Rows that are finished are known; *zero is the first row without a pivot. */
struct ct_sparse_factor {
	struct ct_sparse_matrix a;
	int32_t *diagonal, *known, *zero; /* where a row has its diagonal element, or -1 */
};

#endif
