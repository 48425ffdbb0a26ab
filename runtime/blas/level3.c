/* cuBLAS, level 3 but for products of two whole matrices: symmetric and triangular factors, which become whole ones in room of the device;
 * products of which one triangle is wanted; triangles that are solved; sums of matrices. */
#include <stdio.h>

#include "runtime/blas/blas.h"

/* A side of the tiles of a matrix, and rows of a triangle that are solved at once for as many right sides (data/blas/level2.cu). */
enum { TILE = 32, PANEL = 16, SIDES = 64 };

/* What a caller gave: which functions use which is told by their parameters. */
struct asked {
	cublasSideMode_t side;
	cublasFillMode_t uplo;
	cublasOperation_t trans, trans_b;
	cublasDiagType_t diag;
	int64_t m, n, k, batches;
	const void *alpha, *a, *beta, *b, *c;
	int64_t lda, ldb, ldc;
	int32_t flags;
};

static struct ct_blas_matrix matrix_of(const void *at, int64_t ld, int64_t offset)
{
	return (struct ct_blas_matrix){.at = (void *)(uintptr_t)at, .ld = ld, .offset = offset};
}

/* Launches the kernel `name` of level2.cu for a matrix of m x n. */
static cublasStatus_t run(cublasHandle_t handle, const struct ct_blas_numbers *t, const char *name,
                          struct ct_cuda_grid grid, struct ct_blas_level2 *g)
{
	char kernel[64];
	snprintf(kernel, sizeof kernel, "ct_blas_%c%s", t->letter, name);
	return ct_blas_launch_batches(handle, CT_BLAS_LEVEL2, kernel, grid, g, &g->first);
}

static struct ct_cuda_grid tiles_of(int64_t m, int64_t n)
{
	return (struct ct_cuda_grid){ct_blas_tiles(m, TILE), ct_blas_tiles(n, TILE), 1, 256};
}

/* A product of the family's numbers, of which callers fill in the rest. */
static struct ct_blas_product
product_of(const struct ct_blas_numbers *t, int64_t m, int64_t n, int64_t k)
{
	return (struct ct_blas_product){
		.m = m,
		.n = n,
		.k = k,
		.batches = 1,
		.a_type = t->type,
		.b_type = t->type,
		.c_type = t->type,
		.d_type = t->type};
}

static int fits(const struct asked *q)
{
	return ct_blas_fits(q->m) && ct_blas_fits(q->n) && ct_blas_fits(q->k) &&
	       ct_blas_fits(q->batches);
}

static int32_t triangular(const struct asked *q)
{
	return CT_BLAS_TRIANGULAR | ct_blas_triangle(q->uplo) |
	       (q->diag == CUBLAS_DIAG_UNIT ? CT_BLAS_UNIT : 0) |
	       (q->trans == CUBLAS_OP_N ? 0 : CT_BLAS_TRANSPOSED) |
	       (q->trans == CUBLAS_OP_C ? CT_BLAS_CONJ_A : 0);
}

/* Makes the whole matrix, of `side` rows, of the triangle of a. */
static cublasStatus_t expand(cublasHandle_t handle, const struct ct_blas_numbers *t,
                             const struct asked *q, int64_t side, int32_t flags, void *to)
{
	struct ct_blas_level2 g = {.a = matrix_of(q->a, q->lda, 0),
	                           .c = matrix_of(to, side, 0),
	                           .m = (int32_t)side,
	                           .flags = flags};
	return run(handle, t, "expand", tiles_of(side, side), &g);
}

/* c = alpha * a * b + beta * c, or with the symmetric matrix a on the right. */
static cublasStatus_t symm(cublasHandle_t handle, const struct ct_blas_numbers *t, const struct asked *q)
{
	int left = q->side == CUBLAS_SIDE_LEFT;
	int64_t side = left ? q->m : q->n;
	void *whole;
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (q->m < 0 || q->n < 0 || !ct_blas_is_side(q->side) || !ct_blas_is_triangle(q->uplo) ||
	    !ct_blas_is_leading(q->lda, side) || !ct_blas_is_leading(q->ldb, q->m) ||
	    !ct_blas_is_leading(q->ldc, q->m))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (q->m == 0 || q->n == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (!q->alpha || !q->beta || !q->a || !q->b || !q->c)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!fits(q))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	CT_BLAS_TRY(ct_blas_room(handle, (size_t)side * (size_t)side * t->bytes, &whole));
	CT_BLAS_TRY(expand(handle, t, q, side, q->flags | ct_blas_triangle(q->uplo), whole));
	struct ct_blas_product p = product_of(t, q->m, q->n, side);
	p.a = left ? matrix_of(whole, side, 0) : matrix_of(q->b, q->ldb, 0);
	p.b = left ? matrix_of(q->b, q->ldb, 0) : matrix_of(whole, side, 0);
	p.c = p.d = matrix_of(q->c, q->ldc, 0);
	p.alpha = ct_blas_scalar_of(handle, q->alpha, t->bytes);
	p.beta = ct_blas_scalar_of(handle, q->beta, t->bytes);
	return ct_blas_multiply(handle, &p);
}

/* What functions of a triangular matrix check alike. */
static cublasStatus_t check_triangular(cublasHandle_t handle, const struct asked *q)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (q->m < 0 || q->n < 0 || q->batches < 0 || !ct_blas_is_side(q->side) ||
	    !ct_blas_is_triangle(q->uplo) || !ct_blas_is_operation(q->trans) ||
	    (q->diag != CUBLAS_DIAG_UNIT && q->diag != CUBLAS_DIAG_NON_UNIT) ||
	    !ct_blas_is_leading(q->lda, q->side == CUBLAS_SIDE_LEFT ? q->m : q->n) ||
	    !ct_blas_is_leading(q->ldb, q->m))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (q->m > 0 && q->n > 0 && q->batches > 0 && (!q->alpha || !q->a || !q->b))
		return CUBLAS_STATUS_INVALID_VALUE;
	return fits(q) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

/* c = alpha * op(a) * b, or with the triangular matrix a on the right; c may be b, which is copied then. */
static cublasStatus_t trmm(cublasHandle_t handle, const struct ct_blas_numbers *t, const struct asked *q)
{
	int left = q->side == CUBLAS_SIDE_LEFT;
	int64_t side = left ? q->m : q->n, ldb = q->ldb;
	const void *b = q->b;
	void *whole;
	CT_BLAS_TRY(check_triangular(handle, q));
	if (!ct_blas_is_leading(q->ldc, q->m))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (q->m == 0 || q->n == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (!q->c)
		return CUBLAS_STATUS_INVALID_VALUE;
	size_t square = (size_t)side * (size_t)side * t->bytes,
	       copied = q->b == q->c ? (size_t)q->m * (size_t)q->n * t->bytes : 0;
	CT_BLAS_TRY(ct_blas_room(handle, square + copied, &whole));
	CT_BLAS_TRY(expand(handle, t, q, side, triangular(q), whole));
	if (copied) {
		struct ct_blas_level2 copy = {
			.a = matrix_of(b, ldb, 0),
			.b = matrix_of(b, ldb, 0),
			.c = matrix_of((char *)whole + square, q->m, 0),
			.m = (int32_t)q->m,
			.n = (int32_t)q->n,
			.alpha = ct_blas_constant(t, 1)};
		CT_BLAS_TRY(run(handle, t, "geam", tiles_of(q->m, q->n), &copy));
		b = (char *)whole + square;
		ldb = q->m;
	}
	struct ct_blas_product p = product_of(t, q->m, q->n, side);
	p.a = left ? matrix_of(whole, side, 0) : matrix_of(b, ldb, 0);
	p.b = left ? matrix_of(b, ldb, 0) : matrix_of(whole, side, 0);
	p.c = p.d = matrix_of(q->c, q->ldc, 0);
	p.alpha = ct_blas_scalar_of(handle, q->alpha, t->bytes);
	p.beta = ct_blas_constant(t, 0);
	return ct_blas_multiply(handle, &p);
}

/* A triangle of c = alpha * op(a) * op(b)^T + beta * c. Hermitian products take the conjugate of the second factor, and real scalars. */
static cublasStatus_t syrk(cublasHandle_t handle, const struct ct_blas_numbers *t, const struct asked *q)
{
	int hermitian = q->flags & CT_BLAS_HERMITIAN, complex = t->bytes != t->real_bytes;
	int64_t rows = q->trans == CUBLAS_OP_N ? q->n : q->k;
	size_t scalar = hermitian ? t->real_bytes : t->bytes;
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (q->n < 0 || q->k < 0 || !ct_blas_is_triangle(q->uplo) || !ct_blas_is_operation(q->trans) ||
	    !ct_blas_is_leading(q->lda, rows) || !ct_blas_is_leading(q->ldb, rows) ||
	    !ct_blas_is_leading(q->ldc, q->n) ||
	    (complex && q->trans == (hermitian ? CUBLAS_OP_T : CUBLAS_OP_C)))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (q->n == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (!q->alpha || !q->beta || !q->c || (q->k > 0 && (!q->a || !q->b)))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!fits(q))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	struct ct_blas_product p = product_of(t, q->n, q->n, q->k);
	cublasOperation_t turned = hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
	p.trans_a = q->trans == CUBLAS_OP_N ? CUBLAS_OP_N : turned;
	p.trans_b = q->trans == CUBLAS_OP_N ? turned : CUBLAS_OP_N;
	p.a = matrix_of(q->a, q->lda, 0);
	p.b = matrix_of(q->b, q->ldb, 0);
	p.c = p.d = matrix_of(q->c, q->ldc, 0);
	p.alpha = ct_blas_scalar_of(handle, q->alpha, scalar);
	p.beta = ct_blas_scalar_of(handle, q->beta, scalar);
	p.flags = ct_blas_triangle(q->uplo) | (hermitian ? CT_BLAS_HERMITIAN | CT_BLAS_REAL_SCALARS : 0);
	return ct_blas_multiply(handle, &p);
}

/* A step of trsm: the panel of rows (or, on the right, columns) of the unknowns that begins at `at`, and those that are left, from `rest` on. */
struct step {
	int64_t at, rows, rest, left;
	int forward;
	struct ct_blas_scalar scale; /* alpha in the first step, then 1 */
};

/* Solves the panel's triangle. Rows of b are right sides where a is on the right: their system is the transposed one. */
static cublasStatus_t solve_panel(cublasHandle_t handle, const struct ct_blas_numbers *t,
                                  const struct asked *q, const struct step *s)
{
	int left = q->side == CUBLAS_SIDE_LEFT;
	int64_t sides = left ? q->n : q->m;
	struct ct_blas_level2 g = {
		.a = matrix_of(q->a, q->lda, s->at + s->at * q->lda),
		.b = left ? matrix_of(q->b, q->ldb, s->at) : matrix_of(q->b, 1, s->at * q->ldb),
		.c = {.ld = left ? 1 : q->ldb},
		.alpha = s->scale,
		.m = (int32_t)s->rows,
		.n = (int32_t)sides,
		.flags = (triangular(q) ^ (left ? 0 : CT_BLAS_TRANSPOSED)) | q->flags |
	                 (s->forward ? 0 : CT_BLAS_BACKWARD),
	};
	return run(handle, t, "solve",
	           (struct ct_cuda_grid){ct_blas_tiles(sides, SIDES), 1, q->batches, SIDES}, &g);
}

/* Takes what the panel's unknowns contribute from what is left of b. */
static cublasStatus_t take_panel(cublasHandle_t handle, const struct ct_blas_numbers *t,
                                 const struct asked *q, const struct step *s)
{
	int left = q->side == CUBLAS_SIDE_LEFT, plain = q->trans == CUBLAS_OP_N;
	struct ct_blas_product p = left ? product_of(t, s->left, q->n, s->rows)
	                                : product_of(t, q->m, s->left, s->rows);
	/* The part of op(a) that has the panel's columns (rows, on the right) and what is left of its rows (columns). */
	int64_t row = left == plain ? s->rest : s->at, column = left == plain ? s->at : s->rest;
	struct ct_blas_matrix a = matrix_of(q->a, q->lda, row + column * q->lda),
			      x = matrix_of(q->b, q->ldb, left ? s->at : s->at * q->ldb);
	p.batches = q->batches;
	p.flags = q->flags;
	p.a = left ? a : x;
	p.b = left ? x : a;
	p.trans_a = left ? q->trans : CUBLAS_OP_N;
	p.trans_b = left ? CUBLAS_OP_N : q->trans;
	p.c = p.d = matrix_of(q->b, q->ldb, left ? s->rest : s->rest * q->ldb);
	p.alpha = ct_blas_constant(t, -1);
	p.beta = s->scale;
	return ct_blas_multiply(handle, &p);
}

/* Solves op(a) * x = alpha * b or x * op(a) = alpha * b, panel by panel; x takes b's place. */
static cublasStatus_t trsm(cublasHandle_t handle, const struct ct_blas_numbers *t, const struct asked *q)
{
	CT_BLAS_TRY(check_triangular(handle, q));
	if (q->m == 0 || q->n == 0 || q->batches == 0)
		return CUBLAS_STATUS_SUCCESS;
	int left = q->side == CUBLAS_SIDE_LEFT,
	    lower = (q->uplo == CUBLAS_FILL_MODE_LOWER) == (q->trans == CUBLAS_OP_N);
	int64_t n = left ? q->m : q->n, panels = ct_blas_tiles(n, PANEL);
	struct step s = {.forward = left == lower,
	                 .scale = ct_blas_scalar_of(handle, q->alpha, t->bytes)};
	for (int64_t i = 0; i < panels; i++) {
		s.at = (s.forward ? i : panels - 1 - i) * PANEL;
		s.rows = n - s.at < PANEL ? n - s.at : PANEL;
		s.rest = s.forward ? s.at + s.rows : 0;
		s.left = s.forward ? n - s.rest : s.at;
		CT_BLAS_TRY(solve_panel(handle, t, q, &s));
		if (s.left > 0)
			CT_BLAS_TRY(take_panel(handle, t, q, &s));
		s.scale = ct_blas_constant(t, 1);
	}
	return CUBLAS_STATUS_SUCCESS;
}

/* c = alpha * op(a) + beta * op(b). A term whose factor is zero on the host has no matrix. */
static cublasStatus_t geam(cublasHandle_t handle, const struct ct_blas_numbers *t, const struct asked *q)
{
	int plain_a = q->trans == CUBLAS_OP_N, plain_b = q->trans_b == CUBLAS_OP_N;
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (q->m < 0 || q->n < 0 || !ct_blas_is_operation(q->trans) ||
	    !ct_blas_is_operation(q->trans_b) || !q->alpha || !q->beta ||
	    !ct_blas_is_leading(q->lda, plain_a ? q->m : q->n) ||
	    !ct_blas_is_leading(q->ldb, plain_b ? q->m : q->n) || !ct_blas_is_leading(q->ldc, q->m))
		return CUBLAS_STATUS_INVALID_VALUE;
	if ((q->c == q->a && (!plain_a || q->ldc != q->lda)) ||
	    (q->c == q->b && (!plain_b || q->ldc != q->ldb)))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (q->m == 0 || q->n == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (!fits(q))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	struct ct_blas_level2 g = {
		.a = matrix_of(q->a, q->lda, 0),
		.b = matrix_of(q->b, q->ldb, 0),
		.c = matrix_of(q->c, q->ldc, 0),
		.m = (int32_t)q->m,
		.n = (int32_t)q->n,
		.alpha = ct_blas_scalar_of(handle, q->alpha, t->bytes),
		.beta = ct_blas_scalar_of(handle, q->beta, t->bytes),
		.flags = (plain_a ? 0 : CT_BLAS_TRANSPOSED) | (plain_b ? 0 : CT_BLAS_TRANSPOSED_B) |
	                 (q->trans == CUBLAS_OP_C ? CT_BLAS_CONJ_A : 0) |
	                 (q->trans_b == CUBLAS_OP_C ? CT_BLAS_CONJ_B : 0),
	};
	if (!q->c || (!q->a && !ct_blas_is(t, &g.alpha, 0)) || (!q->b && !ct_blas_is(t, &g.beta, 0)))
		return CUBLAS_STATUS_INVALID_VALUE;
	return run(handle, t, "geam", tiles_of(q->m, q->n), &g);
}

/* c = a * diag(x), or diag(x) * a on the left. */
static cublasStatus_t dgmm(cublasHandle_t handle, const struct ct_blas_numbers *t, const struct asked *q,
                           const void *x, int64_t incx)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (q->m < 0 || q->n < 0 || !ct_blas_is_side(q->side) || !ct_blas_is_leading(q->lda, q->m) ||
	    !ct_blas_is_leading(q->ldc, q->m))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (q->m == 0 || q->n == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (!q->a || !q->c || !x)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!fits(q))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	struct ct_blas_level2 g = {
		.a = matrix_of(q->a, q->lda, 0),
		.c = matrix_of(q->c, q->ldc, 0),
		.m = (int32_t)q->m,
		.n = (int32_t)q->n,
		.x = ct_blas_vector_of(x, q->side == CUBLAS_SIDE_LEFT ? q->m : q->n, incx, t->bytes),
		.flags = q->side == CUBLAS_SIDE_LEFT ? CT_BLAS_TRANSPOSED : 0,
	};
	return run(handle, t, "dgmm", tiles_of(q->m, q->n), &g);
}

#define A_B_C .a = A, .lda = lda, .b = B, .ldb = ldb, .c = C, .ldc = ldc
#define A_A_C .a = A, .lda = lda, .b = A, .ldb = lda, .c = C, .ldc = ldc
#define TRIANGLE .side = side, .uplo = uplo, .trans = trans, .diag = diag, .m = m, .n = n, .alpha = alpha

#define LEVEL3(S, type, t, v, w, int) \
	cublasStatus_t cublas##S##symm##v( \
		cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, \
		const type *alpha, const type *A, int lda, const type *B, int ldb, const type *beta, \
		type *C, int ldc) \
	{ \
		return symm(handle, &t, \
		            &(struct asked){.side = side, \
		                            .uplo = uplo, \
		                            .m = m, \
		                            .n = n, \
		                            .alpha = alpha, \
		                            .beta = beta, \
		                            A_B_C}); \
	} \
	cublasStatus_t cublas##S##syrk##v( \
		cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
		const type *alpha, const type *A, int lda, const type *beta, type *C, int ldc) \
	{ \
		return syrk(handle, &t, \
		            &(struct asked){.uplo = uplo, \
		                            .trans = trans, \
		                            .n = n, \
		                            .k = k, \
		                            .alpha = alpha, \
		                            .beta = beta, \
		                            A_A_C}); \
	} \
	cublasStatus_t cublas##S##syrkx##w( \
		cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
		const type *alpha, const type *A, int lda, const type *B, int ldb, const type *beta, \
		type *C, int ldc) \
	{ \
		return syrk(handle, &t, \
		            &(struct asked){.uplo = uplo, \
		                            .trans = trans, \
		                            .n = n, \
		                            .k = k, \
		                            .alpha = alpha, \
		                            .beta = beta, \
		                            A_B_C}); \
	} \
	cublasStatus_t cublas##S##trmm##v( \
		cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, \
		cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const type *alpha, \
		const type *A, int lda, const type *B, int ldb, type *C, int ldc) \
	{ \
		return trmm(handle, &t, &(struct asked){TRIANGLE, A_B_C, .batches = 1}); \
	} \
	cublasStatus_t cublas##S##trsm##v( \
		cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, \
		cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const type *alpha, \
		const type *A, int lda, type *B, int ldb) \
	{ \
		return trsm(handle, &t, \
		            &(struct asked){TRIANGLE, .a = A, .lda = lda, .b = B, .ldb = ldb, \
		                            .batches = 1}); \
	} \
	cublasStatus_t cublas##S##trsmBatched##w( \
		cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, \
		cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const type *alpha, \
		const type *const A[], int lda, type *const B[], int ldb, int batch) \
	{ \
		return trsm(handle, &t, \
		            &(struct asked){TRIANGLE, .a = A, .lda = lda, .b = B, .ldb = ldb, \
		                            .batches = batch, .flags = CT_BLAS_POINTERS}); \
	} \
	cublasStatus_t cublas##S##geam##w( \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
		int n, const type *alpha, const type *A, int lda, const type *beta, const type *B, \
		int ldb, type *C, int ldc) \
	{ \
		return geam(handle, &t, \
		            &(struct asked){.trans = transa, \
		                            .trans_b = transb, \
		                            .m = m, \
		                            .n = n, \
		                            .alpha = alpha, \
		                            .beta = beta, \
		                            A_B_C}); \
	} \
	cublasStatus_t cublas##S##dgmm##w( \
		cublasHandle_t handle, cublasSideMode_t mode, int m, int n, const type *A, int lda, \
		const type *x, int incx, type *C, int ldc) \
	{ \
		return dgmm( \
			handle, &t, \
			&(struct asked){ \
				.side = mode, .m = m, .n = n, .a = A, .lda = lda, .c = C, .ldc = ldc}, \
			x, incx); \
	}
#define LEVEL3S(S, type, t) LEVEL3(S, type, t, _v2, , int) LEVEL3(S, type, t, _64, _64, int64_t)
LEVEL3S(S, float, ct_blas_s)
LEVEL3S(D, double, ct_blas_d)
LEVEL3S(C, cuComplex, ct_blas_c)
LEVEL3S(Z, cuDoubleComplex, ct_blas_z)

#define HERMITIAN(S, type, real, t, v, int) \
	cublasStatus_t cublas##S##hemm##v( \
		cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, \
		const type *alpha, const type *A, int lda, const type *B, int ldb, const type *beta, \
		type *C, int ldc) \
	{ \
		return symm(handle, &t, \
		            &(struct asked){.side = side, \
		                            .uplo = uplo, \
		                            .m = m, \
		                            .n = n, \
		                            .alpha = alpha, \
		                            .beta = beta, \
		                            A_B_C, \
		                            .flags = CT_BLAS_HERMITIAN}); \
	} \
	cublasStatus_t cublas##S##herk##v( \
		cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
		const real *alpha, const type *A, int lda, const real *beta, type *C, int ldc) \
	{ \
		return syrk(handle, &t, \
		            &(struct asked){.uplo = uplo, \
		                            .trans = trans, \
		                            .n = n, \
		                            .k = k, \
		                            .alpha = alpha, \
		                            .beta = beta, \
		                            A_A_C, \
		                            .flags = CT_BLAS_HERMITIAN}); \
	}
HERMITIAN(C, cuComplex, float, ct_blas_c, _v2, int)
HERMITIAN(Z, cuDoubleComplex, double, ct_blas_z, _v2, int)
HERMITIAN(C, cuComplex, float, ct_blas_c, _64, int64_t)
HERMITIAN(Z, cuDoubleComplex, double, ct_blas_z, _64, int64_t)
