/* cuBLAS, level 2: matrices and vectors. */
#include <stdio.h>

#include "runtime/blas/blas.h"

/* A side of the tiles in which kernels go over a matrix, and rows of a triangle that are solved at once (data/blas/level2.cu). */
enum { TILE = 32, PANEL = 16, GEMV_ROWS = 64, GEMV_COLUMNS = 8 };

/* What callers give of a vector. */
struct given {
	const void *at;
	int64_t increment, batch;
};

/* Launches the kernel `name` of a type. */
static cublasStatus_t run(cublasHandle_t handle, const struct ct_blas_numbers *t, const char *name,
                          struct ct_cuda_grid grid, struct ct_blas_level2 *g)
{
	char kernel[64];
	snprintf(kernel, sizeof kernel, "ct_blas_%c%s", t->letter, name);
	return ct_blas_launch_batches(handle, CT_BLAS_LEVEL2, kernel, grid, g, &g->first);
}

/* y = alpha * op(a) * x + beta * y, of which everything is right; x and y are vectors of the kernels. */
static cublasStatus_t launch_gemv(cublasHandle_t handle, const struct ct_blas_numbers *t,
                                  cublasOperation_t trans, int64_t batches, struct ct_blas_level2 *g)
{
	if (trans == CUBLAS_OP_N)
		return run(handle, t, "gemv_n",
		           (struct ct_cuda_grid){ct_blas_tiles(g->m, GEMV_ROWS), 1, batches, 256}, g);
	g->flags |= trans == CUBLAS_OP_C ? CT_BLAS_CONJ_A : 0;
	return run(handle, t, "gemv_t",
	           (struct ct_cuda_grid){ct_blas_tiles(g->n, GEMV_COLUMNS), 1, batches, 256}, g);
}

/* Checks and does it, for as many batches as there are. */
static cublasStatus_t
gemv(cublasHandle_t handle, const struct ct_blas_numbers *t, cublasOperation_t trans, int64_t m,
     int64_t n, const void *alpha, struct ct_blas_matrix a, struct given x, const void *beta,
     struct given y, int64_t batches, int32_t flags)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (m < 0 || n < 0 || batches < 0 || !ct_blas_is_operation(trans) ||
	    !ct_blas_is_leading(a.ld, m) || x.increment == 0 || y.increment == 0)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (m == 0 || n == 0 || batches == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (!alpha || !beta || !a.at || !x.at || !y.at)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!ct_blas_fits(m) || !ct_blas_fits(n) || !ct_blas_fits(batches) ||
	    (flags & CT_BLAS_POINTERS && (x.increment < 0 || y.increment < 0)))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	struct ct_blas_level2 g = {
		.a = a,
		.m = (int32_t)m,
		.n = (int32_t)n,
		.flags = flags,
		.alpha = ct_blas_scalar_of(handle, alpha, t->bytes),
		.beta = ct_blas_scalar_of(handle, beta, t->bytes),
		.x = ct_blas_vector_of(x.at, trans == CUBLAS_OP_N ? n : m, x.increment, t->bytes),
		.y = ct_blas_vector_of(y.at, trans == CUBLAS_OP_N ? m : n, y.increment, t->bytes),
	};
	g.x.batch = x.batch;
	g.y.batch = y.batch;
	return launch_gemv(handle, t, trans, batches, &g);
}

/* The flags of a triangular matrix, op of which is meant. */
static int32_t triangular(cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag)
{
	return CT_BLAS_TRIANGULAR | ct_blas_triangle(uplo) |
	       (diag == CUBLAS_DIAG_UNIT ? CT_BLAS_UNIT : 0) |
	       (trans == CUBLAS_OP_N ? 0 : CT_BLAS_TRANSPOSED) |
	       (trans == CUBLAS_OP_C ? CT_BLAS_CONJ_A : 0);
}

/* y = alpha * a * x + beta * y for a symmetric or, with CT_BLAS_HERMITIAN, Hermitian matrix. */
static cublasStatus_t symv(cublasHandle_t handle, const struct ct_blas_numbers *t, cublasFillMode_t uplo,
                           int64_t n, const void *alpha, const void *a, int64_t lda, struct given x,
                           const void *beta, struct given y, int32_t flags)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (n < 0 || !ct_blas_is_triangle(uplo) || !ct_blas_is_leading(lda, n) || x.increment == 0 ||
	    y.increment == 0)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (n == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (!alpha || !beta || !a || !x.at || !y.at)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!ct_blas_fits(n))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	struct ct_blas_level2 g = {
		.a = {.at = (void *)(uintptr_t)a, .ld = lda},
		.m = (int32_t)n,
		.flags = flags | ct_blas_triangle(uplo),
		.alpha = ct_blas_scalar_of(handle, alpha, t->bytes),
		.beta = ct_blas_scalar_of(handle, beta, t->bytes),
		.x = ct_blas_vector_of(x.at, n, x.increment, t->bytes),
		.y = ct_blas_vector_of(y.at, n, y.increment, t->bytes),
	};
	return run(handle, t, "structured_mv", (struct ct_cuda_grid){ct_blas_tiles(n, TILE), 1, 1, 256},
	           &g);
}

/* What trmv and trsv check alike; CUBLAS_STATUS_SUCCESS with n 0 is the caller's to look for. */
static cublasStatus_t
check_triangular(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                 cublasDiagType_t diag, int64_t n, const void *a, int64_t lda, struct given x)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (n < 0 || !ct_blas_is_triangle(uplo) || !ct_blas_is_operation(trans) ||
	    (diag != CUBLAS_DIAG_UNIT && diag != CUBLAS_DIAG_NON_UNIT) || !ct_blas_is_leading(lda, n) ||
	    x.increment == 0 || (n > 0 && (!a || !x.at)))
		return CUBLAS_STATUS_INVALID_VALUE;
	return ct_blas_fits(n) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

/* x = op(a) * x, out of a copy of x. */
static cublasStatus_t trmv(cublasHandle_t handle, const struct ct_blas_numbers *t, cublasFillMode_t uplo,
                           cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const void *a,
                           int64_t lda, struct given x)
{
	char kernel[64];
	void *copy;
	CT_BLAS_TRY(check_triangular(handle, uplo, trans, diag, n, a, lda, x));
	if (n == 0)
		return CUBLAS_STATUS_SUCCESS;
	CT_BLAS_TRY(ct_blas_room(handle, (size_t)n * t->bytes, &copy));
	struct ct_blas_level1 move = {.n = n,
	                              .x = ct_blas_vector_of(x.at, n, x.increment, t->bytes),
	                              .y = {.at = copy, .stride = 1}};
	snprintf(kernel, sizeof kernel, "ct_blas_%ccopy", t->letter);
	CT_BLAS_TRY(ct_blas_launch(handle, CT_BLAS_LEVEL1, kernel,
	                           (struct ct_cuda_grid){ct_blas_tiles(n, 256), 1, 1, 256}, &move));
	struct ct_blas_level2 g = {
		.a = {.at = (void *)(uintptr_t)a, .ld = lda},
		.m = (int32_t)n,
		.flags = triangular(uplo, trans, diag),
		.alpha = ct_blas_constant(t, 1),
		.x = move.y,
		.y = move.x,
	};
	return run(handle, t, "structured_mv", (struct ct_cuda_grid){ct_blas_tiles(n, TILE), 1, 1, 256},
	           &g);
}

/* Solves op(a) * x = b, a panel of rows after the other, each of which the remaining rows are freed of. */
static cublasStatus_t trsv(cublasHandle_t handle, const struct ct_blas_numbers *t, cublasFillMode_t uplo,
                           cublasOperation_t trans, cublasDiagType_t diag, int64_t n, const void *a,
                           int64_t lda, struct given x)
{
	CT_BLAS_TRY(check_triangular(handle, uplo, trans, diag, n, a, lda, x));
	struct ct_blas_vector v = ct_blas_vector_of(x.at, n, x.increment, t->bytes);
	int forward = (uplo == CUBLAS_FILL_MODE_LOWER) == (trans == CUBLAS_OP_N);
	int64_t panels = ct_blas_tiles(n, PANEL);
	for (int64_t s = 0; s < panels; s++) {
		int64_t k = (forward ? s : panels - 1 - s) * PANEL, rows = n - k < PANEL ? n - k : PANEL;
		int64_t rest = forward ? k + rows : 0, left = forward ? n - rest : k;
		struct ct_blas_level2 g = {
			.a = {.at = (void *)(uintptr_t)a, .ld = lda, .offset = k + k * lda},
			.b = {.at = v.at, .ld = 1, .offset = k * v.stride},
			.c = {.ld = v.stride},
			.alpha = ct_blas_constant(t, 1),
			.m = (int32_t)rows,
			.n = 1,
			.flags = triangular(uplo, trans, diag) | (forward ? 0 : CT_BLAS_BACKWARD),
		};
		CT_BLAS_TRY(run(handle, t, "solve", (struct ct_cuda_grid){1, 1, 1, 64}, &g));
		struct ct_blas_level2 update = {
			.a = {.at = g.a.at,
		              .ld = lda,
		              .offset = trans == CUBLAS_OP_N ? rest + k * lda : k + rest * lda},
			.m = (int32_t)(trans == CUBLAS_OP_N ? left : rows),
			.n = (int32_t)(trans == CUBLAS_OP_N ? rows : left),
			.alpha = ct_blas_constant(t, -1),
			.beta = ct_blas_constant(t, 1),
			.x = {.at = (char *)v.at + k * v.stride * t->bytes, .stride = v.stride},
			.y = {.at = (char *)v.at + rest * v.stride * t->bytes, .stride = v.stride},
		};
		if (left > 0)
			CT_BLAS_TRY(launch_gemv(handle, t, trans, 1, &update));
	}
	return CUBLAS_STATUS_SUCCESS;
}

/* a += alpha * x * y^T, with CT_BLAS_CONJ_B y^H; of a triangle alone where the flags name one. */
static cublasStatus_t ger(cublasHandle_t handle, const struct ct_blas_numbers *t, int64_t m, int64_t n,
                          const void *alpha, struct given x, struct given y, const void *a, int64_t lda,
                          int32_t flags)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (m < 0 || n < 0 || !ct_blas_is_leading(lda, m) || x.increment == 0 || y.increment == 0)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (!alpha || !a || !x.at || !y.at)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!ct_blas_fits(m) || !ct_blas_fits(n))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	struct ct_blas_level2 g = {
		.a = {.at = (void *)(uintptr_t)a, .ld = lda},
		.m = (int32_t)m,
		.n = (int32_t)n,
		.flags = flags,
		.alpha = ct_blas_scalar_of(
			handle, alpha, flags & CT_BLAS_REAL_SCALARS ? t->real_bytes : t->bytes),
		.x = ct_blas_vector_of(x.at, m, x.increment, t->bytes),
		.y = ct_blas_vector_of(y.at, n, y.increment, t->bytes),
	};
	return run(handle, t, "ger",
	           (struct ct_cuda_grid){ct_blas_tiles(m, TILE), ct_blas_tiles(n, TILE), 1, 256}, &g);
}

/* a += alpha * x * x^T, of a triangle. */
static cublasStatus_t syr(cublasHandle_t handle, const struct ct_blas_numbers *t, cublasFillMode_t uplo,
                          int64_t n, const void *alpha, struct given x, const void *a, int64_t lda,
                          int32_t flags)
{
	if (handle && !ct_blas_is_triangle(uplo))
		return CUBLAS_STATUS_INVALID_VALUE;
	return ger(handle, t, n, n, alpha, x, x, a, lda, flags | ct_blas_triangle(uplo));
}

#define X \
	(struct given) \
	{ \
		x, incx, 0 \
	}
#define Y \
	(struct given) \
	{ \
		y, incy, 0 \
	}
#define MATRIX(a, lda, stride) \
	(struct ct_blas_matrix) \
	{ \
		.at = (void *)(uintptr_t)(a), .ld = lda, .batch = stride \
	}

#define LEVEL2(S, type, t, v, w, int) \
	cublasStatus_t cublas##S##gemv##v( \
		cublasHandle_t handle, cublasOperation_t trans, int m, int n, const type *alpha, \
		const type *A, int lda, const type *x, int incx, const type *beta, type *y, int incy) \
	{ \
		return gemv(handle, &t, trans, m, n, alpha, MATRIX(A, lda, 0), X, beta, Y, 1, 0); \
	} \
	cublasStatus_t cublas##S##gemvBatched##w( \
		cublasHandle_t handle, cublasOperation_t trans, int m, int n, const type *alpha, \
		const type *const A[], int lda, const type *const x[], int incx, const type *beta, \
		type *const y[], int incy, int batch) \
	{ \
		return gemv(handle, &t, trans, m, n, alpha, MATRIX(A, lda, 0), X, beta, Y, batch, \
		            CT_BLAS_POINTERS); \
	} \
	cublasStatus_t cublas##S##gemvStridedBatched##w( \
		cublasHandle_t handle, cublasOperation_t trans, int m, int n, const type *alpha, \
		const type *A, int lda, long long strideA, const type *x, int incx, long long stridex, \
		const type *beta, type *y, int incy, long long stridey, int batch) \
	{ \
		return gemv(handle, &t, trans, m, n, alpha, MATRIX(A, lda, strideA), \
		            (struct given){x, incx, stridex}, beta, (struct given){y, incy, stridey}, \
		            batch, 0); \
	} \
	cublasStatus_t cublas##S##symv##v( \
		cublasHandle_t handle, cublasFillMode_t uplo, int n, const type *alpha, const type *A, \
		int lda, const type *x, int incx, const type *beta, type *y, int incy) \
	{ \
		return symv(handle, &t, uplo, n, alpha, A, lda, X, beta, Y, 0); \
	} \
	cublasStatus_t cublas##S##trmv##v( \
		cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
		cublasDiagType_t diag, int n, const type *A, int lda, type *x, int incx) \
	{ \
		return trmv(handle, &t, uplo, trans, diag, n, A, lda, X); \
	} \
	cublasStatus_t cublas##S##trsv##v( \
		cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
		cublasDiagType_t diag, int n, const type *A, int lda, type *x, int incx) \
	{ \
		return trsv(handle, &t, uplo, trans, diag, n, A, lda, X); \
	} \
	cublasStatus_t cublas##S##syr##v(cublasHandle_t handle, cublasFillMode_t uplo, int n, \
	                                 const type *alpha, const type *x, int incx, type *A, int lda) \
	{ \
		return syr(handle, &t, uplo, n, alpha, X, A, lda, 0); \
	} \
	cublasStatus_t cublas##S##syr2##v( \
		cublasHandle_t handle, cublasFillMode_t uplo, int n, const type *alpha, const type *x, \
		int incx, const type *y, int incy, type *A, int lda) \
	{ \
		if (handle && !ct_blas_is_triangle(uplo)) \
			return CUBLAS_STATUS_INVALID_VALUE; \
		CT_BLAS_TRY(ger(handle, &t, n, n, alpha, X, Y, A, lda, ct_blas_triangle(uplo))); \
		return ger(handle, &t, n, n, alpha, Y, X, A, lda, ct_blas_triangle(uplo)); \
	}
#define LEVEL2S(S, type, t) LEVEL2(S, type, t, _v2, , int) LEVEL2(S, type, t, _64, _64, int64_t)
LEVEL2S(S, float, ct_blas_s)
LEVEL2S(D, double, ct_blas_d)
LEVEL2S(C, cuComplex, ct_blas_c)
LEVEL2S(Z, cuDoubleComplex, ct_blas_z)

#define GER(S, type, t, flags, v, int) \
	cublasStatus_t cublas##S##v(cublasHandle_t handle, int m, int n, const type *alpha, \
	                            const type *x, int incx, const type *y, int incy, type *A, int lda) \
	{ \
		return ger(handle, &t, m, n, alpha, X, Y, A, lda, flags); \
	}
#define GERS(S, type, t, flags) GER(S, type, t, flags, _v2, int) GER(S, type, t, flags, _64, int64_t)
GERS(Sger, float, ct_blas_s, 0)
GERS(Dger, double, ct_blas_d, 0)
GERS(Cgeru, cuComplex, ct_blas_c, 0)
GERS(Cgerc, cuComplex, ct_blas_c, CT_BLAS_CONJ_B)
GERS(Zgeru, cuDoubleComplex, ct_blas_z, 0)
GERS(Zgerc, cuDoubleComplex, ct_blas_z, CT_BLAS_CONJ_B)

#define HERMITIAN(S, type, real, t, v, int) \
	cublasStatus_t cublas##S##hemv##v( \
		cublasHandle_t handle, cublasFillMode_t uplo, int n, const type *alpha, const type *A, \
		int lda, const type *x, int incx, const type *beta, type *y, int incy) \
	{ \
		return symv(handle, &t, uplo, n, alpha, A, lda, X, beta, Y, CT_BLAS_HERMITIAN); \
	} \
	cublasStatus_t cublas##S##her##v(cublasHandle_t handle, cublasFillMode_t uplo, int n, \
	                                 const real *alpha, const type *x, int incx, type *A, int lda) \
	{ \
		return syr(handle, &t, uplo, n, alpha, X, A, lda, \
		           CT_BLAS_HERMITIAN | CT_BLAS_REAL_SCALARS | CT_BLAS_CONJ_B); \
	}
HERMITIAN(C, cuComplex, float, ct_blas_c, _v2, int)
HERMITIAN(Z, cuDoubleComplex, double, ct_blas_z, _v2, int)
HERMITIAN(C, cuComplex, float, ct_blas_c, _64, int64_t)
HERMITIAN(Z, cuDoubleComplex, double, ct_blas_z, _64, int64_t)
