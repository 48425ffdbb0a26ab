/* cuBLAS, level 1: vectors, and numbers that are made of them. */
#include <math.h>
#include <stdio.h>

#include "runtime/blas/blas.h"

/* Elements that a thread of a large vector has, at least. */
enum { THREADS = 256, EACH = 4 };

/* A vector of the caller. */
struct given {
	const void *at;
	int64_t increment;
};

static int64_t ctas(int64_t n, int64_t most)
{
	int64_t wanted = ct_blas_tiles(n, (int64_t)THREADS * EACH);
	return wanted < most ? wanted : most;
}

/* 1: a kernel with these vectors has nothing to do, or what the caller gave is wrong, which *st tells. */
static int ends_early(cublasHandle_t handle, int64_t n, struct given x, struct given y, int two,
                      cublasStatus_t *st)
{
	*st = !handle ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
	if (!handle || n <= 0)
		return 1;
	if (!ct_blas_fits(n))
		*st = CUBLAS_STATUS_NOT_SUPPORTED;
	else if (!x.at || (two && !y.at))
		*st = CUBLAS_STATUS_INVALID_VALUE;
	return *st != CUBLAS_STATUS_SUCCESS;
}

/* Launches the kernel `name` of a type for vectors with as many threads as they need; serial: with one, since elements lie upon each other. */
static cublasStatus_t run(cublasHandle_t handle, const struct ct_blas_numbers *t, const char *name,
                          struct ct_blas_level1 *g)
{
	char kernel[64];
	int serial = g->y.at && g->y.stride == 0;
	snprintf(kernel, sizeof kernel, "ct_blas_%.1s%s", t ? &t->letter : "", name);
	return ct_blas_launch(
		handle, CT_BLAS_LEVEL1, kernel,
		(struct ct_cuda_grid){serial ? 1 : ctas(g->n, 1 << 16), 1, 1, serial ? 1 : THREADS}, g);
}

/* y = f(x, y), or with one vector x = f(x). */
static cublasStatus_t each(cublasHandle_t handle, const struct ct_blas_numbers *t, const char *name,
                           int64_t n, const void *alpha, size_t alpha_bytes, struct given x,
                           struct given y, int two)
{
	cublasStatus_t st;
	struct ct_blas_level1 g = {.n = n};
	if (ends_early(handle, n, x, y, two, &st))
		return st;
	if (alpha_bytes && !alpha)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!two && x.increment <= 0)
		return CUBLAS_STATUS_SUCCESS;
	if (alpha_bytes)
		g.alpha = ct_blas_scalar_of(handle, alpha, alpha_bytes);
	g.x = ct_blas_vector_of(x.at, n, x.increment, t->bytes);
	if (two)
		g.y = ct_blas_vector_of(y.at, n, y.increment, t->bytes);
	return run(handle, t, name, &g);
}

/* Both vectors are turned; the sine is complex where sine_bytes is the number's. */
static cublasStatus_t turn(cublasHandle_t handle, const struct ct_blas_numbers *t, int64_t n,
                           struct given x, struct given y, const void *c, const void *s,
                           size_t sine_bytes)
{
	cublasStatus_t st;
	if (ends_early(handle, n, x, y, 1, &st))
		return st;
	if (!c || !s)
		return CUBLAS_STATUS_INVALID_VALUE;
	struct ct_blas_level1 g = {
		.n = n,
		.alpha = ct_blas_scalar_of(handle, c, t->real_bytes),
		.beta = ct_blas_scalar_of(handle, s, sine_bytes),
		.x = ct_blas_vector_of(x.at, n, x.increment, t->bytes),
		.y = ct_blas_vector_of(y.at, n, y.increment, t->bytes),
		.flags = sine_bytes == t->real_bytes ? 0 : CT_BLAS_CONJ_B,
	};
	return run(handle, t, "rot", &g);
}

/* Copies the number that the kernel left for the host, when the stream has come so far. */
static cublasStatus_t fetch(cublasHandle_t handle, void *to, size_t bytes)
{
	CUresult r = cuMemcpyDtoHAsync(to, handle->result, bytes, handle->stream);
	if (r == CUDA_SUCCESS)
		r = cuStreamSynchronize(handle->stream);
	return ct_blas_status(r);
}

/* Zero is the number of an empty vector. */
static cublasStatus_t answer_zero(cublasHandle_t handle, void *result, size_t bytes)
{
	if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE)
		return ct_blas_status(
			cuMemsetD8Async((CUdeviceptr)(uintptr_t)result, 0, bytes, handle->stream));
	for (size_t i = 0; i < bytes; i++)
		((char *)result)[i] = 0;
	return CUBLAS_STATUS_SUCCESS;
}

/* Makes one number, of that many bytes, of the vectors in g: in one CTA, or in parts that another joins. */
static cublasStatus_t reduce(cublasHandle_t handle, const struct ct_blas_numbers *t, const char *name,
                             struct ct_blas_level1 *g, void *result, size_t bytes)
{
	char kernel[64];
	int on_device = handle->pointers == CUBLAS_POINTER_MODE_DEVICE;
	int64_t parts = ctas(g->n, CT_BLAS_PARTS);
	g->result = on_device ? result : (void *)(uintptr_t)handle->result;
	g->parts = (void *)(uintptr_t)(handle->result + CT_BLAS_RESULT_BYTES);
	snprintf(kernel, sizeof kernel, "ct_blas_%.1s%s", t ? &t->letter : "", name);
	CT_BLAS_TRY(ct_blas_launch(
		handle, CT_BLAS_LEVEL1, kernel, (struct ct_cuda_grid){parts, 1, 1, THREADS}, g));
	if (parts > 1) {
		g->n = parts;
		snprintf(kernel, sizeof kernel, "ct_blas_%.1s%s_finish", t ? &t->letter : "", name);
		CT_BLAS_TRY(ct_blas_launch(
			handle, CT_BLAS_LEVEL1, kernel, (struct ct_cuda_grid){1, 1, 1, THREADS}, g));
	}
	return on_device ? CUBLAS_STATUS_SUCCESS : fetch(handle, result, bytes);
}

/* One number of one vector. */
static cublasStatus_t one_of(cublasHandle_t handle, const struct ct_blas_numbers *t, const char *name,
                             int64_t n, struct given x, void *result, size_t bytes)
{
	struct ct_blas_level1 g = {.n = n, .x = {.at = (void *)(uintptr_t)x.at, .stride = x.increment}};
	cublasStatus_t st;
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!result)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (n <= 0 || x.increment <= 0)
		return answer_zero(handle, result, bytes);
	return ends_early(handle, n, x, x, 0, &st) ? st : reduce(handle, t, name, &g, result, bytes);
}

static cublasStatus_t dot(cublasHandle_t handle, const struct ct_blas_numbers *t, int64_t n,
                          struct given x, struct given y, int conj, void *result)
{
	cublasStatus_t st;
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!result)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (n <= 0)
		return answer_zero(handle, result, t->bytes);
	if (ends_early(handle, n, x, y, 1, &st))
		return st;
	struct ct_blas_level1 g = {
		.n = n,
		.x = ct_blas_vector_of(x.at, n, x.increment, t->bytes),
		.y = ct_blas_vector_of(y.at, n, y.increment, t->bytes),
		.flags = conj ? CT_BLAS_CONJ_A : 0,
	};
	return reduce(handle, t, "dot", &g, result, t->bytes);
}

/* An index of 32 bits, which functions of 64 bits give, too: more elements are refused. */
static cublasStatus_t index_64(cublasHandle_t handle, const struct ct_blas_numbers *t, const char *name,
                               int64_t n, struct given x, int64_t *result)
{
	if (handle && result &&
	    handle->pointers ==
	            CUBLAS_POINTER_MODE_DEVICE) /* its upper half; the kernel writes the lower */
		CT_BLAS_TRY(answer_zero(handle, result, sizeof *result));
	int32_t found = 0;
	int on_device = handle && handle->pointers == CUBLAS_POINTER_MODE_DEVICE;
	cublasStatus_t st = one_of(
		handle, t, name, n, x, !result || on_device ? (void *)result : &found, sizeof found);
	if (st == CUBLAS_STATUS_SUCCESS && !on_device)
		*result = found;
	return st;
}

#define X \
	(struct given) \
	{ \
		x, incx \
	}
#define Y \
	(struct given) \
	{ \
		y, incy \
	}
#define NONE \
	(struct given) \
	{ \
		NULL, 0 \
	}

/* The functions of a type, of one width of integers. */
#define VECTORS(S, R, type, real, t, v, int) \
	cublasStatus_t cublas##S##axpy##v(cublasHandle_t handle, int n, const type *alpha, \
	                                  const type *x, int incx, type *y, int incy) \
	{ \
		return each(handle, &t, "axpy", n, alpha, sizeof(type), X, Y, 1); \
	} \
	cublasStatus_t cublas##S##scal##v( \
		cublasHandle_t handle, int n, const type *alpha, type *x, int incx) \
	{ \
		return each(handle, &t, "scal", n, alpha, sizeof(type), X, NONE, 0); \
	} \
	cublasStatus_t cublas##S##copy##v( \
		cublasHandle_t handle, int n, const type *x, int incx, type *y, int incy) \
	{ \
		return each(handle, &t, "copy", n, NULL, 0, X, Y, 1); \
	} \
	cublasStatus_t cublas##S##swap##v( \
		cublasHandle_t handle, int n, type *x, int incx, type *y, int incy) \
	{ \
		return each(handle, &t, "swap", n, NULL, 0, X, Y, 1); \
	} \
	cublasStatus_t cublas##S##rot##v(cublasHandle_t handle, int n, type *x, int incx, type *y, \
	                                 int incy, const real *c, const type *s) \
	{ \
		return turn(handle, &t, n, X, Y, c, s, sizeof(type)); \
	} \
	cublasStatus_t cublas##R##asum##v( \
		cublasHandle_t handle, int n, const type *x, int incx, real *result) \
	{ \
		return one_of(handle, &t, "asum", n, X, result, sizeof(real)); \
	} \
	cublasStatus_t cublas##R##nrm2##v( \
		cublasHandle_t handle, int n, const type *x, int incx, real *result) \
	{ \
		return one_of(handle, &t, "nrm2", n, X, result, sizeof(real)); \
	}
VECTORS(S, S, float, float, ct_blas_s, _v2, int)
VECTORS(D, D, double, double, ct_blas_d, _v2, int)
VECTORS(C, Sc, cuComplex, float, ct_blas_c, _v2, int)
VECTORS(Z, Dz, cuDoubleComplex, double, ct_blas_z, _v2, int)
VECTORS(S, S, float, float, ct_blas_s, _64, int64_t)
VECTORS(D, D, double, double, ct_blas_d, _64, int64_t)
VECTORS(C, Sc, cuComplex, float, ct_blas_c, _64, int64_t)
VECTORS(Z, Dz, cuDoubleComplex, double, ct_blas_z, _64, int64_t)

#define INDEX(s, type, t, which) \
	cublasStatus_t cublasI##s##which##_v2( \
		cublasHandle_t handle, int n, const type *x, int incx, int *result) \
	{ \
		return one_of(handle, &t, "i" #which, n, X, result, sizeof *result); \
	} \
	cublasStatus_t cublasI##s##which##_64( \
		cublasHandle_t handle, int64_t n, const type *x, int64_t incx, int64_t *result) \
	{ \
		return index_64(handle, &t, "i" #which, n, X, result); \
	}
#define INDICES(s, type, t) INDEX(s, type, t, amax) INDEX(s, type, t, amin)
INDICES(s, float, ct_blas_s)
INDICES(d, double, ct_blas_d)
INDICES(c, cuComplex, ct_blas_c)
INDICES(z, cuDoubleComplex, ct_blas_z)

#define DOT(S, type, t, conj, v, int) \
	cublasStatus_t cublas##S##v(cublasHandle_t handle, int n, const type *x, int incx, \
	                            const type *y, int incy, type *result) \
	{ \
		return dot(handle, &t, n, X, Y, conj, result); \
	}
#define DOTS(S, type, t, conj) DOT(S, type, t, conj, _v2, int) DOT(S, type, t, conj, _64, int64_t)
DOTS(Sdot, float, ct_blas_s, 0)
DOTS(Ddot, double, ct_blas_d, 0)
DOTS(Cdotu, cuComplex, ct_blas_c, 0)
DOTS(Cdotc, cuComplex, ct_blas_c, 1)
DOTS(Zdotu, cuDoubleComplex, ct_blas_z, 0)
DOTS(Zdotc, cuDoubleComplex, ct_blas_z, 1)

#define BY_REAL(S, C, type, real, t, v, int) \
	cublasStatus_t cublas##S##scal##v( \
		cublasHandle_t handle, int n, const real *alpha, type *x, int incx) \
	{ \
		return each(handle, &t, "rscal", n, alpha, sizeof(real), X, NONE, 0); \
	} \
	cublasStatus_t cublas##S##rot##v(cublasHandle_t handle, int n, type *x, int incx, type *y, \
	                                 int incy, const real *c, const real *s) \
	{ \
		return turn(handle, &t, n, X, Y, c, s, sizeof(real)); \
	}
BY_REAL(Cs, C, cuComplex, float, ct_blas_c, _v2, int)
BY_REAL(Zd, Z, cuDoubleComplex, double, ct_blas_z, _v2, int)
BY_REAL(Cs, C, cuComplex, float, ct_blas_c, _64, int64_t)
BY_REAL(Zd, Z, cuDoubleComplex, double, ct_blas_z, _64, int64_t)

/* ---- types that the call names ---- */

/* The family that computes with numbers of that type alone; NULL: none. */
static const struct ct_blas_numbers *family_of(cudaDataType type)
{
	switch (type) {
	case CUDA_R_32F: return &ct_blas_s;
	case CUDA_R_64F: return &ct_blas_d;
	case CUDA_C_32F: return &ct_blas_c;
	case CUDA_C_64F: return &ct_blas_z;
	default: return NULL;
	}
}

/* 1: numbers of 16 bits, which are computed with in single precision. */
static int is_short(cudaDataType type, cudaDataType execution)
{
	return (type == CUDA_R_16F || type == CUDA_R_16BF) && execution == CUDA_R_32F;
}

/* A scalar of a type, in single precision where the host has it. */
static struct ct_blas_scalar short_scalar(cublasHandle_t handle, const void *from, cudaDataType type)
{
	if (type == CUDA_R_32F)
		return ct_blas_scalar_of(handle, from, sizeof(float));
	return ct_blas_product_scalar(handle, from, ct_blas_type_of(type));
}

static cublasStatus_t axpy_ex(cublasHandle_t handle, int64_t n, const void *alpha,
                              cudaDataType alpha_type, struct given x, cudaDataType x_type,
                              struct given y, cudaDataType y_type, cudaDataType execution)
{
	const struct ct_blas_numbers *t = family_of(execution);
	cublasStatus_t st;
	if (handle && t && alpha_type == execution && x_type == execution && y_type == execution)
		return each(handle, t, "axpy", n, alpha, t->bytes, x, y, 1);
	if (ends_early(handle, n, x, y, 1, &st))
		return st;
	if (!is_short(x_type, execution) || y_type != x_type ||
	    (alpha_type != CUDA_R_32F && alpha_type != x_type))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!alpha)
		return CUBLAS_STATUS_INVALID_VALUE;
	struct ct_blas_level1 g = {
		.n = n,
		.alpha = short_scalar(handle, alpha, alpha_type),
		.x = ct_blas_vector_of(x.at, n, x.increment, 2),
		.y = ct_blas_vector_of(y.at, n, y.increment, 2),
		.x_type = ct_blas_type_of(x_type),
		.y_type = ct_blas_type_of(y_type),
		.result_type = ct_blas_type_of(alpha_type),
	};
	return run(handle, NULL, "axpy_ex", &g);
}

static cublasStatus_t scal_ex(cublasHandle_t handle, int64_t n, const void *alpha,
                              cudaDataType alpha_type, struct given x, cudaDataType x_type,
                              cudaDataType execution)
{
	const struct ct_blas_numbers *t = family_of(execution);
	cublasStatus_t st;
	if (handle && t && alpha_type == execution && x_type == execution)
		return each(handle, t, "scal", n, alpha, t->bytes, x, NONE, 0);
	if (ends_early(handle, n, x, x, 0, &st))
		return st;
	if (!is_short(x_type, execution) || (alpha_type != CUDA_R_32F && alpha_type != x_type))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!alpha)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (x.increment <= 0)
		return CUBLAS_STATUS_SUCCESS;
	struct ct_blas_level1 g = {
		.n = n,
		.alpha = short_scalar(handle, alpha, alpha_type),
		.x = ct_blas_vector_of(x.at, n, x.increment, 2),
		.x_type = ct_blas_type_of(x_type),
		.result_type = ct_blas_type_of(alpha_type),
	};
	return run(handle, NULL, "scal_ex", &g);
}

static cublasStatus_t dot_ex(cublasHandle_t handle, int64_t n, struct given x, cudaDataType x_type,
                             struct given y, cudaDataType y_type, int conj, void *result,
                             cudaDataType result_type, cudaDataType execution)
{
	const struct ct_blas_numbers *t = family_of(execution);
	cublasStatus_t st;
	if (handle && t && result_type == execution && x_type == execution && y_type == execution)
		return dot(handle, t, n, x, y, conj, result);
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!is_short(x_type, execution) || y_type != x_type || result_type != x_type)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!result)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (n <= 0)
		return answer_zero(handle, result, 2);
	if (ends_early(handle, n, x, y, 1, &st))
		return st;
	struct ct_blas_level1 g = {
		.n = n,
		.x = ct_blas_vector_of(x.at, n, x.increment, 2),
		.y = ct_blas_vector_of(y.at, n, y.increment, 2),
		.x_type = ct_blas_type_of(x_type),
		.y_type = ct_blas_type_of(y_type),
		.result_type = ct_blas_type_of(result_type),
	};
	return reduce(handle, NULL, "dot_ex", &g, result, 2);
}

static cublasStatus_t nrm2_ex(cublasHandle_t handle, int64_t n, struct given x, cudaDataType x_type,
                              void *result, cudaDataType result_type, cudaDataType execution)
{
	const struct ct_blas_numbers *t = family_of(x_type);
	struct ct_blas_level1 g = {.n = n, .x = {.at = (void *)(uintptr_t)x.at, .stride = x.increment}};
	cublasStatus_t st;
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (t && result_type == execution &&
	    execution == (t->real_bytes == sizeof(float) ? CUDA_R_32F : CUDA_R_64F))
		return one_of(handle, t, "nrm2", n, x, result, t->real_bytes);
	if (!is_short(x_type, execution) || result_type != x_type)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (!result)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (n <= 0 || x.increment <= 0)
		return answer_zero(handle, result, 2);
	g.x_type = ct_blas_type_of(x_type);
	g.result_type = ct_blas_type_of(result_type);
	return ends_early(handle, n, x, x, 0, &st) ? st : reduce(handle, NULL, "nrm2_ex", &g, result, 2);
}

#define EX(v, int) \
	cublasStatus_t cublasAxpyEx##v( \
		cublasHandle_t handle, int n, const void *alpha, cudaDataType alpha_type, \
		const void *x, cudaDataType x_type, int incx, void *y, cudaDataType y_type, int incy, \
		cudaDataType execution) \
	{ \
		return axpy_ex(handle, n, alpha, alpha_type, X, x_type, Y, y_type, execution); \
	} \
	cublasStatus_t cublasScalEx##v( \
		cublasHandle_t handle, int n, const void *alpha, cudaDataType alpha_type, void *x, \
		cudaDataType x_type, int incx, cudaDataType execution) \
	{ \
		return scal_ex(handle, n, alpha, alpha_type, X, x_type, execution); \
	} \
	cublasStatus_t cublasDotEx##v(cublasHandle_t handle, int n, const void *x, cudaDataType x_type, \
	                              int incx, const void *y, cudaDataType y_type, int incy, \
	                              void *result, cudaDataType result_type, cudaDataType execution) \
	{ \
		return dot_ex(handle, n, X, x_type, Y, y_type, 0, result, result_type, execution); \
	} \
	cublasStatus_t cublasDotcEx##v( \
		cublasHandle_t handle, int n, const void *x, cudaDataType x_type, int incx, \
		const void *y, cudaDataType y_type, int incy, void *result, cudaDataType result_type, \
		cudaDataType execution) \
	{ \
		return dot_ex(handle, n, X, x_type, Y, y_type, 1, result, result_type, execution); \
	} \
	cublasStatus_t cublasNrm2Ex##v( \
		cublasHandle_t handle, int n, const void *x, cudaDataType x_type, int incx, \
		void *result, cudaDataType result_type, cudaDataType execution) \
	{ \
		return nrm2_ex(handle, n, X, x_type, result, result_type, execution); \
	}
EX(, int)
EX(_64, int64_t)
