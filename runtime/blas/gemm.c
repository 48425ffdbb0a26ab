/* cuBLAS: products of matrices, one and many, of the types that functions' names or their parameters say. */
#include <stdio.h>
#include <string.h>

#include "ptx/real.h"
#include "runtime/blas/blas.h"

/* The tiles of a type's kernels: the larger, which products with more than that of rows and columns take, and the smaller. */
struct kernels {
	enum ct_blas_module module;
	const char *name;
	int large_rows, large_threads, above, rows, threads;
};

static const struct kernels *kernels_of(int type)
{
	static const struct kernels of[] = {
		[CT_BLAS_F32] = {CT_BLAS_SGEMM, "sgemm", 128, 256, 64, 32, 64},
		[CT_BLAS_F64] = {CT_BLAS_DGEMM, "dgemm", 64, 256, 32, 32, 64},
		[CT_BLAS_C32] = {CT_BLAS_CGEMM, "cgemm", 64, 256, 32, 32, 64},
		[CT_BLAS_C64] = {CT_BLAS_ZGEMM, "zgemm", 32, 128, 0, 32, 128},
		[CT_BLAS_F16] = {CT_BLAS_HGEMM, "hgemm", 64, 128, 0, 64, 128},
		[CT_BLAS_BF16] = {CT_BLAS_MIXED, "gemm_bf16", 64, 256, 0, 64, 256},
		[CT_BLAS_I8] = {CT_BLAS_MIXED, "gemm_i8", 64, 256, 0, 64, 256},
		[CT_BLAS_I32] = {CT_BLAS_MODULES, NULL, 0, 0, 0, 0, 0},
		[CT_BLAS_E4M3] = {CT_BLAS_MIXED, "gemm_f8", 64, 256, 0, 64, 256},
		[CT_BLAS_E5M2] = {CT_BLAS_MIXED, "gemm_f8", 64, 256, 0, 64, 256},
	};
	return &of[type];
}

int ct_blas_type_of(cudaDataType type)
{
	switch (type) {
	case CUDA_R_32F: return CT_BLAS_F32;
	case CUDA_R_64F: return CT_BLAS_F64;
	case CUDA_C_32F: return CT_BLAS_C32;
	case CUDA_C_64F: return CT_BLAS_C64;
	case CUDA_R_16F: return CT_BLAS_F16;
	case CUDA_R_16BF: return CT_BLAS_BF16;
	case CUDA_R_8I: return CT_BLAS_I8;
	case CUDA_R_32I: return CT_BLAS_I32;
	case CUDA_R_8F_E4M3: return CT_BLAS_E4M3;
	case CUDA_R_8F_E5M2: return CT_BLAS_E5M2;
	default: return -1;
	}
}

size_t ct_blas_bytes_of(int type)
{
	static const uint8_t bytes[] = {
		[CT_BLAS_F32] = 4,  [CT_BLAS_F64] = 8,  [CT_BLAS_C32] = 8, [CT_BLAS_C64] = 16,
		[CT_BLAS_F16] = 2,  [CT_BLAS_BF16] = 2, [CT_BLAS_I8] = 1,  [CT_BLAS_I32] = 4,
		[CT_BLAS_E4M3] = 1, [CT_BLAS_E5M2] = 1,
	};
	return bytes[type];
}

/* 1: every column of every matrix begins where vectors of 16 bytes may. What arrays of pointers point to is not known here. */
static int is_wide(const struct ct_blas_matrix *m, int type, int32_t flags)
{
	uint64_t bytes = ct_blas_bytes_of(type);
	return !(flags & CT_BLAS_POINTERS) && (uintptr_t)m->at % 16 == 0 &&
	       (uint64_t)m->ld * bytes % 16 == 0 && (uint64_t)m->batch * bytes % 16 == 0 &&
	       (uint64_t)m->offset * bytes % 16 == 0;
}

/* A tile is n/t x n/t: a grid has at most 65,535 of them along the columns, which 2 million columns do not reach. */
cublasStatus_t ct_blas_multiply(cublasHandle_t handle, const struct ct_blas_product *p)
{
	static const struct kernels finished = {CT_BLAS_MIXED, "gemm_f32", 64, 256, 0, 64, 256};
	const struct kernels *k = kernels_of(p->a_type);
	struct ct_blas_gemm g = {
		.a = p->a,
		.b = p->b,
		.c = p->c,
		.d = p->d,
		.alpha = p->alpha,
		.beta = p->beta,
		.bias = p->bias,
		.a_scale = p->a_scale,
		.b_scale = p->b_scale,
		.c_scale = p->c_scale,
		.d_scale = p->d_scale,
		.largest = p->largest,
		.m = (int32_t)p->m,
		.n = (int32_t)p->n,
		.k = (int32_t)p->k,
		.flags = p->flags,
		.a_type = p->a_type,
		.b_type = p->b_type,
		.c_type = p->c_type,
		.d_type = p->d_type,
		.bias_type = p->bias_type,
	};
	char kernel[64];
	if (p->a_type == CT_BLAS_F32 && p->flags & (CT_BLAS_BIAS | CT_BLAS_RELU | CT_BLAS_GELU))
		k = &finished;
	if (!k->name)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (p->m == 0 || p->n == 0 || p->batches == 0)
		return CUBLAS_STATUS_SUCCESS;
	g.flags |= (is_wide(&p->a, p->a_type, p->flags) ? CT_BLAS_WIDE_A : 0) |
	           (is_wide(&p->b, p->b_type, p->flags) ? CT_BLAS_WIDE_B : 0);
	g.flags |= (p->trans_a == CUBLAS_OP_C ? CT_BLAS_CONJ_A : 0) |
	           (p->trans_b == CUBLAS_OP_C ? CT_BLAS_CONJ_B : 0);
	int large = p->m > k->above && p->n > k->above, side = large ? k->large_rows : k->rows;
	snprintf(kernel, sizeof kernel, "ct_blas_%s_%dx%d_%c%c", k->name, side, side,
	         p->trans_a == CUBLAS_OP_N ? 'n' : 't', p->trans_b == CUBLAS_OP_N ? 'n' : 't');
	struct ct_cuda_grid grid = {ct_blas_tiles(p->m, side), ct_blas_tiles(p->n, side), p->batches,
	                            (unsigned)(large ? k->large_threads : k->threads)};
	return ct_blas_launch_batches(handle, k->module, kernel, grid, &g, &g.first);
}

int ct_blas_can_multiply(cublasComputeType_t compute, int a_type, int b_type, int c_type, int *scalar)
{
	int same = a_type == b_type && a_type == c_type;
	int bits8 = (a_type == CT_BLAS_E4M3 || a_type == CT_BLAS_E5M2) &&
	            (b_type == CT_BLAS_E4M3 || b_type == CT_BLAS_E5M2);
	*scalar = CT_BLAS_F32;
	switch (compute) {
	case CUBLAS_COMPUTE_16F:
	case CUBLAS_COMPUTE_16F_PEDANTIC: *scalar = CT_BLAS_F16; return same && a_type == CT_BLAS_F16;
	case CUBLAS_COMPUTE_32I:
	case CUBLAS_COMPUTE_32I_PEDANTIC:
		*scalar = CT_BLAS_I32;
		return a_type == CT_BLAS_I8 && b_type == CT_BLAS_I8 && c_type == CT_BLAS_I32;
	case CUBLAS_COMPUTE_64F:
	case CUBLAS_COMPUTE_64F_PEDANTIC:
		*scalar = a_type;
		return same && (a_type == CT_BLAS_F64 || a_type == CT_BLAS_C64);
	case CUBLAS_COMPUTE_32F:
	case CUBLAS_COMPUTE_32F_PEDANTIC:
	case CUBLAS_COMPUTE_32F_FAST_16F:
	case CUBLAS_COMPUTE_32F_FAST_16BF:
	case CUBLAS_COMPUTE_32F_FAST_TF32: break;
	default: return 0;
	}
	if (same && a_type == CT_BLAS_C32)
		*scalar = CT_BLAS_C32;
	if (same && (a_type == CT_BLAS_F32 || a_type == CT_BLAS_C32 || a_type == CT_BLAS_F16 ||
	             a_type == CT_BLAS_BF16))
		return 1;
	return c_type == CT_BLAS_F32 && a_type == b_type &&
	                       (a_type == CT_BLAS_F16 || a_type == CT_BLAS_BF16 || a_type == CT_BLAS_I8)
	               ? 1
	               : bits8 && (c_type == CT_BLAS_F32 || c_type == CT_BLAS_F16 ||
	                           c_type == CT_BLAS_BF16 || c_type == CT_BLAS_E4M3 ||
	                           c_type == CT_BLAS_E5M2);
}

struct ct_blas_scalar ct_blas_product_scalar(cublasHandle_t handle, const void *from, int scalar_type)
{
	struct ct_blas_scalar s = {0};
	if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE ||
	    (scalar_type != CT_BLAS_F16 && scalar_type != CT_BLAS_BF16))
		return ct_blas_scalar_of(handle, from, ct_blas_bytes_of(scalar_type));
	uint16_t bits;
	memcpy(&bits, from, sizeof bits);
	/* Numbers of 16 bits are exact in single precision. */
	float value = (float)ct_ptx_real_value(
		scalar_type == CT_BLAS_F16 ? CT_PTX_F16 : CT_PTX_BF16, bits);
	memcpy(s.word, &value, sizeof value);
	return s;
}

/* ---- the functions ---- */

/* What a caller gave. */
struct asked {
	cublasOperation_t trans_a, trans_b;
	int64_t m, n, k;
	const void *alpha, *beta;
	struct ct_blas_matrix a, b, c;
	int a_type, b_type, c_type, scalar;
	int64_t batches;
	int32_t flags;
};

/* A matrix of the caller, whose batches lie `stride` elements apart. */
static struct ct_blas_matrix matrix_of(const void *at, int64_t ld, int64_t stride)
{
	return (struct ct_blas_matrix){.at = (void *)(uintptr_t)at, .ld = ld, .batch = stride};
}

/* Checks what was asked for and does it. Neither a nor b may be missing where there are sums of products. */
static cublasStatus_t gemm(cublasHandle_t handle, const struct asked *q)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (q->m < 0 || q->n < 0 || q->k < 0 || q->batches < 0 || !ct_blas_is_operation(q->trans_a) ||
	    !ct_blas_is_operation(q->trans_b) ||
	    !ct_blas_is_leading(q->a.ld, q->trans_a == CUBLAS_OP_N ? q->m : q->k) ||
	    !ct_blas_is_leading(q->b.ld, q->trans_b == CUBLAS_OP_N ? q->k : q->n) ||
	    !ct_blas_is_leading(q->c.ld, q->m))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (q->m == 0 || q->n == 0 || q->batches == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (!q->alpha || !q->beta || !q->c.at || (q->k > 0 && (!q->a.at || !q->b.at)))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!ct_blas_fits(q->m) || !ct_blas_fits(q->n) || !ct_blas_fits(q->k) ||
	    !ct_blas_fits(q->batches))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	struct ct_blas_product p = {
		.trans_a = q->trans_a,
		.trans_b = q->trans_b,
		.m = q->m,
		.n = q->n,
		.k = q->k,
		.batches = q->batches,
		.a = q->a,
		.b = q->b,
		.c = q->c,
		.d = q->c,
		.a_type = q->a_type,
		.b_type = q->b_type,
		.c_type = q->c_type,
		.d_type = q->c_type,
		.alpha = ct_blas_product_scalar(handle, q->alpha, q->scalar),
		.beta = ct_blas_product_scalar(handle, q->beta, q->scalar),
		.flags = q->flags | (q->scalar == CT_BLAS_F16 ? CT_BLAS_HALF_SCALARS : 0),
	};
	return ct_blas_multiply(handle, &p);
}

/* The same for types that the caller names. */
static cublasStatus_t gemm_ex(cublasHandle_t handle, struct asked *q, cudaDataType a, cudaDataType b,
                              cudaDataType c, cublasComputeType_t compute)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	q->a_type = ct_blas_type_of(a);
	q->b_type = ct_blas_type_of(b);
	q->c_type = ct_blas_type_of(c);
	if (q->a_type < 0 || q->b_type < 0 || q->c_type < 0 ||
	    !ct_blas_can_multiply(compute, q->a_type, q->b_type, q->c_type, &q->scalar))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	return gemm(handle, q);
}

#define TYPES(type) .a_type = type, .b_type = type, .c_type = type, .scalar = type
#define SHAPE .trans_a = transa, .trans_b = transb, .m = m, .n = n, .k = k, .alpha = alpha, .beta = beta

#define GEMM(S, name, type, t, v, w, int) \
	cublasStatus_t cublas##S##gemm##v( \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
		int n, int k, const type *alpha, const type *A, int lda, const type *B, int ldb, \
		const type *beta, type *C, int ldc) \
	{ \
		return gemm(handle, \
		            &(struct asked){SHAPE, TYPES(t), .batches = 1, .a = matrix_of(A, lda, 0), \
		                            .b = matrix_of(B, ldb, 0), .c = matrix_of(C, ldc, 0)}); \
	} \
	cublasStatus_t cublas##S##gemmBatched##w( \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
		int n, int k, const type *alpha, const type *const A[], int lda, const type *const B[], \
		int ldb, const type *beta, type *const C[], int ldc, int batch) \
	{ \
		return gemm(handle, \
		            &(struct asked){SHAPE, TYPES(t), .batches = batch, \
		                            .a = matrix_of(A, lda, 0), .b = matrix_of(B, ldb, 0), \
		                            .c = matrix_of(C, ldc, 0), .flags = CT_BLAS_POINTERS}); \
	} \
	cublasStatus_t cublas##S##gemmStridedBatched##w( \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
		int n, int k, const type *alpha, const type *A, int lda, long long strideA, \
		const type *B, int ldb, long long strideB, const type *beta, type *C, int ldc, \
		long long strideC, int batch) \
	{ \
		return gemm(handle, \
		            &(struct asked){ \
				    SHAPE, TYPES(t), .batches = batch, .a = matrix_of(A, lda, strideA), \
				    .b = matrix_of(B, ldb, strideB), .c = matrix_of(C, ldc, strideC)}); \
	}
#define GEMMS(S, type, t, v) GEMM(S, gemm, type, t, v, , int) GEMM(S, gemm, type, t, _64, _64, int64_t)
GEMMS(S, float, CT_BLAS_F32, _v2)
GEMMS(D, double, CT_BLAS_F64, _v2)
GEMMS(C, cuComplex, CT_BLAS_C32, _v2)
GEMMS(Z, cuDoubleComplex, CT_BLAS_C64, _v2)
GEMMS(H, ct_cublas_half, CT_BLAS_F16, )

#define GEMM_EX(v, int) \
	cublasStatus_t cublasGemmEx##v( \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
		int n, int k, const void *alpha, const void *A, cudaDataType A_type, int lda, \
		const void *B, cudaDataType B_type, int ldb, const void *beta, void *C, \
		cudaDataType C_type, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo) \
	{ \
		(void)algo; \
		return gemm_ex(handle, \
		               &(struct asked){SHAPE, .batches = 1, .a = matrix_of(A, lda, 0), \
		                               .b = matrix_of(B, ldb, 0), .c = matrix_of(C, ldc, 0)}, \
		               A_type, B_type, C_type, compute); \
	} \
	cublasStatus_t cublasGemmBatchedEx##v( \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
		int n, int k, const void *alpha, const void *const A[], cudaDataType A_type, int lda, \
		const void *const B[], cudaDataType B_type, int ldb, const void *beta, void *const C[], \
		cudaDataType C_type, int ldc, int batch, cublasComputeType_t compute, \
		cublasGemmAlgo_t algo) \
	{ \
		(void)algo; \
		return gemm_ex(handle, \
		               &(struct asked){SHAPE, .batches = batch, .a = matrix_of(A, lda, 0), \
		                               .b = matrix_of(B, ldb, 0), .c = matrix_of(C, ldc, 0), \
		                               .flags = CT_BLAS_POINTERS}, \
		               A_type, B_type, C_type, compute); \
	} \
	cublasStatus_t cublasGemmStridedBatchedEx##v( \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
		int n, int k, const void *alpha, const void *A, cudaDataType A_type, int lda, \
		long long strideA, const void *B, cudaDataType B_type, int ldb, long long strideB, \
		const void *beta, void *C, cudaDataType C_type, int ldc, long long strideC, int batch, \
		cublasComputeType_t compute, cublasGemmAlgo_t algo) \
	{ \
		(void)algo; \
		return gemm_ex( \
			handle, \
			&(struct asked){SHAPE, .batches = batch, .a = matrix_of(A, lda, strideA), \
		                        .b = matrix_of(B, ldb, strideB), \
		                        .c = matrix_of(C, ldc, strideC)}, \
			A_type, B_type, C_type, compute); \
	} \
	cublasStatus_t cublasSgemmEx##v( \
		cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, \
		int n, int k, const float *alpha, const void *A, cudaDataType A_type, int lda, \
		const void *B, cudaDataType B_type, int ldb, const float *beta, void *C, \
		cudaDataType C_type, int ldc) \
	{ \
		return cublasGemmEx##v(handle, transa, transb, m, n, k, alpha, A, A_type, lda, B, \
		                       B_type, ldb, beta, C, C_type, ldc, CUBLAS_COMPUTE_32F, \
		                       CUBLAS_GEMM_DEFAULT); \
	}
GEMM_EX(, int)
GEMM_EX(_64, int64_t)
