/* cuBLASLt: products that descriptors describe. A handle of cuBLAS is one of cuBLASLt, too. */
#include "data/cuda/cublasLt.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/blas/blas.h"

/* What is in the descriptors. */
struct layout {
	int32_t type, order;
	uint64_t rows, columns;
	int64_t ld, stride;
	int32_t batches;
};
struct product {
	int32_t compute, scale_type, pointers, trans_a, trans_b, trans_c, fill, bias_type;
	uint32_t epilogue;
	int8_t fast;
	const void *bias;
	const float *a_scale, *b_scale, *c_scale, *d_scale;
	float *largest;
	int64_t bias_stride;
};
struct preference {
	uint64_t room;
};
_Static_assert(sizeof(struct layout) <= sizeof(cublasLtMatrixLayoutOpaque_t), "its room");
_Static_assert(sizeof(struct product) <= sizeof(cublasLtMatmulDescOpaque_t), "its room");
_Static_assert(sizeof(struct preference) <= sizeof(cublasLtMatmulPreferenceOpaque_t), "its room");

/* Where a descriptor has an attribute; 0 bytes: it has none. */
struct place {
	int attribute;
	size_t at, bytes;
};
#define PLACE(attribute, type, field) \
	{ \
		attribute, offsetof(struct type, field), sizeof((struct type *)0)->field \
	}
static const struct place layout_places[] = {
	PLACE(CUBLASLT_MATRIX_LAYOUT_TYPE, layout, type),
	PLACE(CUBLASLT_MATRIX_LAYOUT_ORDER, layout, order),
	PLACE(CUBLASLT_MATRIX_LAYOUT_ROWS, layout, rows),
	PLACE(CUBLASLT_MATRIX_LAYOUT_COLS, layout, columns),
	PLACE(CUBLASLT_MATRIX_LAYOUT_LD, layout, ld),
	PLACE(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, layout, batches),
	PLACE(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, layout, stride),
};
static const struct place product_places[] = {
	PLACE(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, product, compute),
	PLACE(CUBLASLT_MATMUL_DESC_SCALE_TYPE, product, scale_type),
	PLACE(CUBLASLT_MATMUL_DESC_POINTER_MODE, product, pointers),
	PLACE(CUBLASLT_MATMUL_DESC_TRANSA, product, trans_a),
	PLACE(CUBLASLT_MATMUL_DESC_TRANSB, product, trans_b),
	PLACE(CUBLASLT_MATMUL_DESC_TRANSC, product, trans_c),
	PLACE(CUBLASLT_MATMUL_DESC_FILL_MODE, product, fill),
	PLACE(CUBLASLT_MATMUL_DESC_EPILOGUE, product, epilogue),
	PLACE(CUBLASLT_MATMUL_DESC_BIAS_POINTER, product, bias),
	PLACE(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, product, bias_stride),
	PLACE(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, product, bias_type),
	PLACE(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, product, a_scale),
	PLACE(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, product, b_scale),
	PLACE(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, product, c_scale),
	PLACE(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, product, d_scale),
	PLACE(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, product, largest),
	PLACE(CUBLASLT_MATMUL_DESC_FAST_ACCUM, product, fast),
};
static const struct place preference_places[] = {
	PLACE(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, preference, room)};
#define PLACES(p) p, sizeof p / sizeof *p

static const struct place *find_place(const struct place *places, size_t n, int attribute)
{
	for (size_t i = 0; i < n; i++)
		if (places[i].attribute == attribute)
			return &places[i];
	return NULL;
}

static cublasStatus_t set_attribute(void *descriptor, const struct place *places, size_t n,
                                    int attribute, const void *value, size_t bytes)
{
	const struct place *p = find_place(places, n, attribute);
	if (!descriptor || !value)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!p)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (bytes != p->bytes)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy((char *)descriptor + p->at, value, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t get_attribute(const void *descriptor, const struct place *places, size_t n,
                                    int attribute, void *value, size_t bytes, size_t *written)
{
	const struct place *p = find_place(places, n, attribute);
	if (!descriptor || (!value && bytes) || (!bytes && !written))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!p)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (bytes && bytes < p->bytes)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (bytes)
		memcpy(value, (const char *)descriptor + p->at, p->bytes);
	if (written)
		*written = p->bytes;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
	return cublasCreate_v2(handle);
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
	return cublasDestroy_v2(handle);
}

size_t cublasLtGetVersion(void)
{
	return CUBLAS_VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
	return cublasGetCudartVersion();
}

const char *cublasLtGetStatusName(cublasStatus_t status)
{
	return cublasGetStatusName(status);
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
	return cublasGetStatusString(status);
}

/* ---- descriptors ---- */

cublasStatus_t
cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t bytes, cudaDataType type,
                                  uint64_t rows, uint64_t cols, int64_t ld)
{
	struct layout l = {.type = (int32_t)type, .rows = rows, .columns = cols, .ld = ld, .batches = 1};
	if (!layout || bytes < sizeof l)
		return CUBLAS_STATUS_INVALID_VALUE;
	memset(layout, 0, bytes);
	memcpy(layout, &l, sizeof l);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t bytes,
                                               cublasComputeType_t compute, cudaDataType scale_type)
{
	struct product p = {.compute = (int32_t)compute,
	                    .scale_type = (int32_t)scale_type,
	                    .fill = CUBLAS_FILL_MODE_FULL,
	                    .bias_type = -1,
	                    .epilogue = CUBLASLT_EPILOGUE_DEFAULT};
	if (!desc || bytes < sizeof p)
		return CUBLAS_STATUS_INVALID_VALUE;
	memset(desc, 0, bytes);
	memcpy(desc, &p, sizeof p);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t bytes)
{
	if (!preference || bytes < sizeof(struct preference))
		return CUBLAS_STATUS_INVALID_VALUE;
	memset(preference, 0, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

/* Makes room for a descriptor, whose owner frees it by its Destroy. */
static cublasStatus_t create(void *descriptor, size_t bytes)
{
	if (!descriptor)
		return CUBLAS_STATUS_INVALID_VALUE;
	void *p = ct_calloc(1, bytes);
	memcpy(descriptor, &p, sizeof p);
	return p ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                          uint64_t rows, uint64_t cols, int64_t ld)
{
	CT_BLAS_TRY(create(layout, sizeof **layout));
	return cublasLtMatrixLayoutInit(*layout, type, rows, cols, ld);
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute,
                                        cudaDataType scale_type)
{
	CT_BLAS_TRY(create(desc, sizeof **desc));
	return cublasLtMatmulDescInit(*desc, compute, scale_type);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
	return create(preference, sizeof **preference);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
	free(layout);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc)
{
	free(desc);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
	free(preference);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void *value, size_t bytes)
{
	return set_attribute(layout, PLACES(layout_places), (int)attribute, value, bytes);
}

cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, void *value,
                                                size_t bytes, size_t *written)
{
	return get_attribute(layout, PLACES(layout_places), (int)attribute, value, bytes, written);
}

cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                               const void *value, size_t bytes)
{
	return set_attribute(desc, PLACES(product_places), (int)attribute, value, bytes);
}

cublasStatus_t
cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                               void *value, size_t bytes, size_t *written)
{
	return get_attribute(desc, PLACES(product_places), (int)attribute, value, bytes, written);
}

/* Other preferences choose among algorithms, of which there is one. */
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void *value, size_t bytes)
{
	if (!preference || !value)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!find_place(PLACES(preference_places), (int)attribute))
		return CUBLAS_STATUS_SUCCESS;
	return set_attribute(preference, PLACES(preference_places), (int)attribute, value, bytes);
}

/* ---- products ---- */

/* The flags of what is done to the result; -1: that is not known here. */
static int32_t epilogue_flags(uint32_t epilogue)
{
	switch (epilogue) {
	case CUBLASLT_EPILOGUE_DEFAULT: return 0;
	case CUBLASLT_EPILOGUE_RELU: return CT_BLAS_RELU;
	case CUBLASLT_EPILOGUE_BIAS: return CT_BLAS_BIAS;
	case CUBLASLT_EPILOGUE_RELU_BIAS: return CT_BLAS_RELU | CT_BLAS_BIAS;
	case CUBLASLT_EPILOGUE_GELU: return CT_BLAS_GELU;
	case CUBLASLT_EPILOGUE_GELU_BIAS: return CT_BLAS_GELU | CT_BLAS_BIAS;
	default: return -1;
	}
}

/* A matrix of the kernels, without its address. One by rows is the transposed one by columns. */
static struct ct_blas_matrix matrix_of(const struct layout *l)
{
	return (struct ct_blas_matrix){.ld = l->ld, .batch = l->stride};
}

/* 1: a factor's size under its operation is that of the product, whose first and second side are given. */
static int is_factor(const struct layout *l, int32_t trans, uint64_t rows, uint64_t columns)
{
	uint64_t r = trans == CUBLAS_OP_N ? l->rows : l->columns,
		 c = trans == CUBLAS_OP_N ? l->columns : l->rows;
	return r == rows && c == columns &&
	       ct_blas_is_leading(l->ld,
	                          (int64_t)(l->order == CUBLASLT_ORDER_ROW ? l->columns : l->rows));
}

static cublasOperation_t operation_of(const struct layout *l, int32_t trans)
{
	if (l->order != CUBLASLT_ORDER_ROW)
		return (cublasOperation_t)trans;
	return trans == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* Types that the kernels have; *scalar is that of alpha and beta. */
static int has_types(const struct product *d, struct ct_blas_product *p, int *scalar)
{
	int bits8 = p->a_type == CT_BLAS_E4M3 || p->a_type == CT_BLAS_E5M2;
	int c_is_fine = p->c_type == p->d_type ||
	                (bits8 && (p->c_type == CT_BLAS_BF16 || p->c_type == CT_BLAS_F16));
	if (p->a_type < 0 || p->b_type < 0 || p->c_type < 0 || p->d_type < 0 || !c_is_fine ||
	    !ct_blas_can_multiply((cublasComputeType_t)d->compute, p->a_type, p->b_type, p->d_type,
	                          scalar))
		return 0;
	int mixed = p->a_type != CT_BLAS_F64 && p->a_type != CT_BLAS_C32 && p->a_type != CT_BLAS_C64 &&
	            p->a_type != CT_BLAS_I8;
	int scaled = d->a_scale || d->b_scale || d->c_scale || d->d_scale || d->largest;
	return ct_blas_type_of((cudaDataType)d->scale_type) == *scalar && (mixed || !p->flags) &&
	       (bits8 || !scaled);
}

/* Turns what descriptors say into a product, without its addresses and scalars. */
static cublasStatus_t describe(const struct product *d, const struct layout *a, const struct layout *b,
                               const struct layout *c, const struct layout *r, struct ct_blas_product *p,
                               int *scalar)
{
	int32_t flags = epilogue_flags(d->epilogue);
	*p = (struct ct_blas_product){
		.m = (int64_t)r->rows, .n = (int64_t)r->columns, .batches = r->batches, .flags = flags};
	uint64_t k = d->trans_a == CUBLAS_OP_N ? a->columns : a->rows;
	if (!ct_blas_is_operation((cublasOperation_t)d->trans_a) ||
	    !ct_blas_is_operation((cublasOperation_t)d->trans_b) ||
	    !is_factor(a, d->trans_a, r->rows, k) || !is_factor(b, d->trans_b, k, r->columns) ||
	    !is_factor(c, CUBLAS_OP_N, r->rows, r->columns) ||
	    !is_factor(r, CUBLAS_OP_N, r->rows, r->columns) || r->batches < 1 ||
	    a->batches != r->batches || b->batches != r->batches || c->batches != r->batches)
		return CUBLAS_STATUS_INVALID_VALUE;
	p->k = (int64_t)k;
	p->trans_a = operation_of(a, d->trans_a);
	p->trans_b = operation_of(b, d->trans_b);
	p->a_type = ct_blas_type_of((cudaDataType)a->type);
	p->b_type = ct_blas_type_of((cudaDataType)b->type);
	p->c_type = ct_blas_type_of((cudaDataType)c->type);
	p->d_type = ct_blas_type_of((cudaDataType)r->type);
	p->bias_type = d->bias_type < 0 ? p->d_type : ct_blas_type_of((cudaDataType)d->bias_type);
	if (d->bias_type < 0 && (p->d_type == CT_BLAS_E4M3 || p->d_type == CT_BLAS_E5M2))
		p->bias_type = p->c_type;
	int conj_by_rows = (a->order == CUBLASLT_ORDER_ROW && d->trans_a == CUBLAS_OP_C) ||
	                   (b->order == CUBLASLT_ORDER_ROW && d->trans_b == CUBLAS_OP_C);
	if (flags < 0 || a->order > CUBLASLT_ORDER_ROW || b->order > CUBLASLT_ORDER_ROW ||
	    c->order != CUBLASLT_ORDER_COL || r->order != CUBLASLT_ORDER_COL || conj_by_rows ||
	    d->trans_c != CUBLAS_OP_N || d->fill != CUBLAS_FILL_MODE_FULL ||
	    d->pointers > CUBLASLT_POINTER_MODE_DEVICE || p->bias_type < 0 || d->bias_stride ||
	    !ct_blas_fits(p->m) || !ct_blas_fits(p->n) || !ct_blas_fits(p->k) ||
	    !has_types(d, p, scalar))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	p->a = matrix_of(a);
	p->b = matrix_of(b);
	p->c = matrix_of(c);
	p->d = matrix_of(r);
	return CUBLAS_STATUS_SUCCESS;
}

/* Reads the descriptors, which are structures of this file in the room of opaque ones. */
static cublasStatus_t
read_all(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
         cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t r, struct product *d,
         struct ct_blas_product *p, int *scalar)
{
	struct layout la, lb, lc, lr;
	if (!desc || !a || !b || !c || !r)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(d, desc, sizeof *d);
	memcpy(&la, a, sizeof la);
	memcpy(&lb, b, sizeof lb);
	memcpy(&lc, c, sizeof lc);
	memcpy(&lr, r, sizeof lr);
	return describe(d, &la, &lb, &lc, &lr, p, scalar);
}

/* One algorithm, without room, where the product can be done. */
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
	cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t A,
	cublasLtMatrixLayout_t B, cublasLtMatrixLayout_t C, cublasLtMatrixLayout_t D,
	cublasLtMatmulPreference_t preference, int requested, cublasLtMatmulHeuristicResult_t results[],
	int *returned)
{
	struct product d;
	struct ct_blas_product p;
	int scalar;
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!preference || requested < 1 || !results || !returned)
		return CUBLAS_STATUS_INVALID_VALUE;
	*returned = 0;
	CT_BLAS_TRY(read_all(desc, A, B, C, D, &d, &p, &scalar));
	memset(results, 0, sizeof *results);
	results->wavesCount = 1;
	*returned = 1;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *A,
               cublasLtMatrixLayout_t A_layout, const void *B, cublasLtMatrixLayout_t B_layout,
               const void *beta, const void *C, cublasLtMatrixLayout_t C_layout, void *D,
               cublasLtMatrixLayout_t D_layout, const cublasLtMatmulAlgo_t *algo, void *workspace,
               size_t bytes, cudaStream_t stream)
{
	struct product d;
	struct ct_blas_product p;
	int scalar;
	(void)algo, (void)workspace, (void)bytes;
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	CT_BLAS_TRY(read_all(desc, A_layout, B_layout, C_layout, D_layout, &d, &p, &scalar));
	if (!alpha || !beta || !A || !B || !D || (p.flags & CT_BLAS_BIAS && !d.bias))
		return CUBLAS_STATUS_INVALID_VALUE;
	struct cublasContext h = *handle;
	h.stream = stream;
	h.pointers = d.pointers == CUBLASLT_POINTER_MODE_HOST ? CUBLAS_POINTER_MODE_HOST
	                                                      : CUBLAS_POINTER_MODE_DEVICE;
	p.a.at = (void *)(uintptr_t)A;
	p.b.at = (void *)(uintptr_t)B;
	p.c.at = (void *)(uintptr_t)(C ? C : D);
	p.d.at = D;
	p.alpha = ct_blas_product_scalar(&h, alpha, scalar);
	p.beta = ct_blas_product_scalar(&h, beta, scalar);
	p.flags |= scalar == CT_BLAS_F16 ? CT_BLAS_HALF_SCALARS : 0;
	p.bias = d.bias;
	p.a_scale = d.a_scale;
	p.b_scale = d.b_scale;
	p.c_scale = d.c_scale;
	p.d_scale = d.d_scale;
	p.largest = d.largest;
	return ct_blas_multiply(&h, &p);
}
