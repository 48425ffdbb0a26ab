/* cuSPARSE: descriptions of sparse and dense vectors and matrices. They keep what they are given; arrays are the caller's. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/sparse/sparse.h"

static int is_index_type(cusparseIndexType_t t)
{
	return t == CUSPARSE_INDEX_32I || t == CUSPARSE_INDEX_64I;
}

/* Sets *to, where there is something to set. */
#define TELL(to, value) \
	do { \
		if (to) \
			*(to) = (value); \
	} while (0)

/* A description of that size in *made, a copy of `from`. */
static cusparseStatus_t keep(const void *from, size_t bytes, void **made)
{
	*made = ct_calloc(1, bytes);
	if (!*made)
		return CUSPARSE_STATUS_ALLOC_FAILED;
	memcpy(*made, from, bytes);
	return CUSPARSE_STATUS_SUCCESS;
}

/* keep(), for a pointer of whatever type the caller has. */
#define KEEP(to, from) \
	do { \
		void *made_; \
		cusparseStatus_t st_ = keep(&(from), sizeof(from), &made_); \
		if (st_ == CUSPARSE_STATUS_SUCCESS) \
			*(to) = made_; \
		return st_; \
	} while (0)

static void *changeable(const void *p)
{
	return (void *)(uintptr_t)p;
}

/* The three functions by which values are asked for and changed, of a kind of description. */
#define VALUES(Name) \
	cusparseStatus_t cusparse##Name##GetValues(cusparse##Name##Descr_t d, void **values) \
	{ \
		if (!d || !values) \
			return CUSPARSE_STATUS_INVALID_VALUE; \
		*values = d->value; \
		return CUSPARSE_STATUS_SUCCESS; \
	} \
	cusparseStatus_t cusparseConst##Name##GetValues( \
		cusparseConst##Name##Descr_t d, const void **values) \
	{ \
		if (!d || !values) \
			return CUSPARSE_STATUS_INVALID_VALUE; \
		*values = d->value; \
		return CUSPARSE_STATUS_SUCCESS; \
	} \
	cusparseStatus_t cusparse##Name##SetValues(cusparse##Name##Descr_t d, void *values) \
	{ \
		if (!d) \
			return CUSPARSE_STATUS_INVALID_VALUE; \
		d->value = values; \
		return CUSPARSE_STATUS_SUCCESS; \
	} \
	cusparseStatus_t cusparseDestroy##Name(cusparseConst##Name##Descr_t d) \
	{ \
		free(changeable(d)); \
		return CUSPARSE_STATUS_SUCCESS; \
	}
VALUES(SpVec)
VALUES(DnVec)
VALUES(DnMat)
VALUES(SpMat)

/* ---- vectors ---- */

cusparseStatus_t cusparseCreateConstSpVec(
	cusparseConstSpVecDescr_t *vec, int64_t size, int64_t nnz, const void *indices,
	const void *values, cusparseIndexType_t indexType, cusparseIndexBase_t base, cudaDataType type)
{
	struct cusparseSpVecDescr d = {
		size, nnz, changeable(indices), changeable(values), indexType, base, type};
	if (!vec || size < 0 || nnz < 0 || nnz > size || !is_index_type(indexType) ||
	    !ct_sparse_is_base(base))
		return CUSPARSE_STATUS_INVALID_VALUE;
	KEEP(vec, d);
}

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *vec, int64_t size, int64_t nnz, void *indices,
                                     void *values, cusparseIndexType_t indexType,
                                     cusparseIndexBase_t base, cudaDataType type)
{
	return cusparseCreateConstSpVec(
		(cusparseConstSpVecDescr_t *)vec, size, nnz, indices, values, indexType, base, type);
}

cusparseStatus_t
cusparseConstSpVecGet(cusparseConstSpVecDescr_t vec, int64_t *size, int64_t *nnz, const void **indices,
                      const void **values, cusparseIndexType_t *indexType, cusparseIndexBase_t *base,
                      cudaDataType *type)
{
	if (!vec)
		return CUSPARSE_STATUS_INVALID_VALUE;
	TELL(size, vec->size);
	TELL(nnz, vec->count);
	TELL(indices, vec->index);
	TELL(values, vec->value);
	TELL(indexType, vec->index_type);
	TELL(base, vec->base);
	TELL(type, vec->type);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t vec, int64_t *size, int64_t *nnz, void **indices,
                                  void **values, cusparseIndexType_t *indexType,
                                  cusparseIndexBase_t *base, cudaDataType *type)
{
	return cusparseConstSpVecGet(
		vec, size, nnz, (const void **)indices, (const void **)values, indexType, base, type);
}

cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vec, cusparseIndexBase_t *base)
{
	if (!vec || !base)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*base = vec->base;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *vec, int64_t size,
                                          const void *values, cudaDataType type)
{
	struct cusparseDnVecDescr d = {size, changeable(values), type};
	if (!vec || size < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	KEEP(vec, d);
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vec, int64_t size, void *values,
                                     cudaDataType type)
{
	return cusparseCreateConstDnVec((cusparseConstDnVecDescr_t *)vec, size, values, type);
}

cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t vec, int64_t *size, const void **values,
                                       cudaDataType *type)
{
	if (!vec)
		return CUSPARSE_STATUS_INVALID_VALUE;
	TELL(size, vec->size);
	TELL(values, vec->value);
	TELL(type, vec->type);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vec, int64_t *size, void **values,
                                  cudaDataType *type)
{
	return cusparseConstDnVecGet(vec, size, (const void **)values, type);
}

/* ---- dense matrices ---- */

cusparseStatus_t
cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld,
                         const void *values, cudaDataType type, cusparseOrder_t order)
{
	struct cusparseDnMatDescr d = {rows, cols, ld, changeable(values), type, order, 1, 0};
	if (!mat || rows < 0 || cols < 0 ||
	    (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW) ||
	    ld < (order == CUSPARSE_ORDER_COL ? rows : cols))
		return CUSPARSE_STATUS_INVALID_VALUE;
	KEEP(mat, d);
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *mat, int64_t rows, int64_t cols, int64_t ld,
                                     void *values, cudaDataType type, cusparseOrder_t order)
{
	return cusparseCreateConstDnMat(
		(cusparseConstDnMatDescr_t *)mat, rows, cols, ld, values, type, order);
}

cusparseStatus_t
cusparseConstDnMatGet(cusparseConstDnMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *ld,
                      const void **values, cudaDataType *type, cusparseOrder_t *order)
{
	if (!mat)
		return CUSPARSE_STATUS_INVALID_VALUE;
	TELL(rows, mat->rows);
	TELL(cols, mat->columns);
	TELL(ld, mat->ld);
	TELL(values, mat->value);
	TELL(type, mat->type);
	TELL(order, mat->order);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *ld,
                                  void **values, cudaDataType *type, cusparseOrder_t *order)
{
	return cusparseConstDnMatGet(mat, rows, cols, ld, (const void **)values, type, order);
}

/* A stride of 0 means the same matrix in every batch. */
cusparseStatus_t
cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t mat, int batchCount, int64_t batchStride)
{
	if (!mat || batchCount <= 0 || batchStride < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	mat->batches = batchCount;
	mat->batch = batchStride;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t mat, int *batchCount, int64_t *batchStride)
{
	if (!mat)
		return CUSPARSE_STATUS_INVALID_VALUE;
	TELL(batchCount, mat->batches);
	TELL(batchStride, mat->batch);
	return CUSPARSE_STATUS_SUCCESS;
}

/* ---- sparse matrices ---- */

/* What the functions that make one have in common. */
static cusparseStatus_t create(cusparseConstSpMatDescr_t *mat, struct cusparseSpMatDescr d)
{
	d.batches = 1;
	if (!mat || d.rows < 0 || d.columns < 0 || d.count < 0 || !is_index_type(d.offset_type) ||
	    !is_index_type(d.index_type) || !ct_sparse_is_base(d.base))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (d.rows && d.columns ? d.count / d.rows > d.columns : d.count > 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	KEEP(mat, d);
}

/* The functions of a format with offsets. */
#define WITH_OFFSETS(Name, FORMAT) \
	cusparseStatus_t cusparseCreateConst##Name( \
		cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz, \
		const void *offsets, const void *indices, const void *values, \
		cusparseIndexType_t offsetsType, cusparseIndexType_t indType, cusparseIndexBase_t base, \
		cudaDataType type) \
	{ \
		return create(mat, (struct cusparseSpMatDescr){ \
					   .format = (FORMAT), \
					   .rows = rows, \
					   .columns = cols, \
					   .count = nnz, \
					   .first = changeable(offsets), \
					   .second = changeable(indices), \
					   .value = changeable(values), \
					   .offset_type = offsetsType, \
					   .index_type = indType, \
					   .base = base, \
					   .type = type}); \
	} \
	cusparseStatus_t cusparseCreate##Name( \
		cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz, void *offsets, \
		void *indices, void *values, cusparseIndexType_t offsetsType, \
		cusparseIndexType_t indType, cusparseIndexBase_t base, cudaDataType type) \
	{ \
		return cusparseCreateConst##Name( \
			(cusparseConstSpMatDescr_t *)mat, rows, cols, nnz, offsets, indices, values, \
			offsetsType, indType, base, type); \
	} \
	cusparseStatus_t cusparseConst##Name##Get( \
		cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz, \
		const void **offsets, const void **indices, const void **values, \
		cusparseIndexType_t *offsetsType, cusparseIndexType_t *indType, \
		cusparseIndexBase_t *base, cudaDataType *type) \
	{ \
		if (!mat || mat->format != (FORMAT)) \
			return CUSPARSE_STATUS_INVALID_VALUE; \
		TELL(offsetsType, mat->offset_type); \
		return get(mat, rows, cols, nnz, offsets, indices, values, indType, base, type); \
	} \
	cusparseStatus_t cusparse##Name##Get( \
		cusparseSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets, \
		void **indices, void **values, cusparseIndexType_t *offsetsType, \
		cusparseIndexType_t *indType, cusparseIndexBase_t *base, cudaDataType *type) \
	{ \
		return cusparseConst##Name##Get( \
			mat, rows, cols, nnz, (const void **)offsets, (const void **)indices, \
			(const void **)values, offsetsType, indType, base, type); \
	} \
	cusparseStatus_t cusparse##Name##SetPointers( \
		cusparseSpMatDescr_t mat, void *offsets, void *indices, void *values) \
	{ \
		return set_pointers(mat, (FORMAT), offsets, indices, values); \
	}

static cusparseStatus_t get(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz,
                            const void **first, const void **second, const void **values,
                            cusparseIndexType_t *indType, cusparseIndexBase_t *base, cudaDataType *type)
{
	TELL(rows, mat->rows);
	TELL(cols, mat->columns);
	TELL(nnz, mat->count);
	TELL(first, mat->first);
	TELL(second, mat->second);
	TELL(values, mat->value);
	TELL(indType, mat->index_type);
	TELL(base, mat->base);
	TELL(type, mat->type);
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t set_pointers(cusparseSpMatDescr_t mat, cusparseFormat_t format, void *first,
                                     void *second, void *values)
{
	if (!mat || mat->format != format)
		return CUSPARSE_STATUS_INVALID_VALUE;
	mat->first = first;
	mat->second = second;
	mat->value = values;
	return CUSPARSE_STATUS_SUCCESS;
}

WITH_OFFSETS(Csr, CUSPARSE_FORMAT_CSR)
WITH_OFFSETS(Csc, CUSPARSE_FORMAT_CSC)

cusparseStatus_t
cusparseCreateConstCoo(cusparseConstSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                       const void *rowInd, const void *colInd, const void *values,
                       cusparseIndexType_t indType, cusparseIndexBase_t base, cudaDataType type)
{
	return create(mat, (struct cusparseSpMatDescr){
				   .format = CUSPARSE_FORMAT_COO,
				   .rows = rows,
				   .columns = cols,
				   .count = nnz,
				   .first = changeable(rowInd),
				   .second = changeable(colInd),
				   .value = changeable(values),
				   .offset_type = indType,
				   .index_type = indType,
				   .base = base,
				   .type = type});
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *mat, int64_t rows, int64_t cols, int64_t nnz,
                                   void *rowInd, void *colInd, void *values, cusparseIndexType_t indType,
                                   cusparseIndexBase_t base, cudaDataType type)
{
	return cusparseCreateConstCoo((cusparseConstSpMatDescr_t *)mat, rows, cols, nnz, rowInd, colInd,
	                              values, indType, base, type);
}

cusparseStatus_t
cusparseConstCooGet(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz,
                    const void **rowInd, const void **colInd, const void **values,
                    cusparseIndexType_t *indType, cusparseIndexBase_t *base, cudaDataType *type)
{
	if (!mat || mat->format != CUSPARSE_FORMAT_COO)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return get(mat, rows, cols, nnz, rowInd, colInd, values, indType, base, type);
}

cusparseStatus_t
cusparseCooGet(cusparseSpMatDescr_t mat, int64_t *rows, int64_t *cols, int64_t *nnz, void **rowInd,
               void **colInd, void **values, cusparseIndexType_t *indType, cusparseIndexBase_t *base,
               cudaDataType *type)
{
	return cusparseConstCooGet(mat, rows, cols, nnz, (const void **)rowInd, (const void **)colInd,
	                           (const void **)values, indType, base, type);
}

cusparseStatus_t
cusparseCooSetPointers(cusparseSpMatDescr_t mat, void *rowInd, void *colInd, void *values)
{
	return set_pointers(mat, CUSPARSE_FORMAT_COO, rowInd, colInd, values);
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t mat, int64_t *rows, int64_t *cols,
                                      int64_t *nnz)
{
	if (!mat || !rows || !cols || !nnz)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*rows = mat->rows;
	*cols = mat->columns;
	*nnz = mat->count;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t mat, cusparseFormat_t *format)
{
	if (!mat || !format)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*format = mat->format;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t mat, cusparseIndexBase_t *base)
{
	if (!mat || !base)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*base = mat->base;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t mat, int *batchCount)
{
	if (!mat || !batchCount)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*batchCount = mat->batches;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t set_batches(cusparseSpMatDescr_t mat, cusparseFormat_t format, int batches,
                                    int64_t offset_batch, int64_t batch)
{
	if (!mat || mat->format != format || batches <= 0 || offset_batch < 0 || batch < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	mat->batches = batches;
	mat->offset_batch = offset_batch;
	mat->batch = batch;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t mat, int batchCount,
                                            int64_t offsetsBatchStride, int64_t columnsValuesBatchStride)
{
	return set_batches(mat, CUSPARSE_FORMAT_CSR, batchCount, offsetsBatchStride,
	                   columnsValuesBatchStride);
}

cusparseStatus_t
cusparseCooSetStridedBatch(cusparseSpMatDescr_t mat, int batchCount, int64_t batchStride)
{
	return set_batches(mat, CUSPARSE_FORMAT_COO, batchCount, 0, batchStride);
}

/* Both attributes are an enumeration of two values. */
cusparseStatus_t cusparseSpMatGetAttribute(
	cusparseConstSpMatDescr_t mat, cusparseSpMatAttribute_t attribute, void *data, size_t dataSize)
{
	if (!mat || !data || dataSize != sizeof(cusparseFillMode_t) || (unsigned)attribute > 1)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (attribute == CUSPARSE_SPMAT_FILL_MODE)
		memcpy(data, &mat->fill, dataSize);
	else
		memcpy(data, &mat->diag, dataSize);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t mat, cusparseSpMatAttribute_t attribute,
                                           const void *data, size_t dataSize)
{
	unsigned value;
	if (!mat || !data || dataSize != sizeof value || (unsigned)attribute > 1)
		return CUSPARSE_STATUS_INVALID_VALUE;
	memcpy(&value, data, sizeof value);
	if (value > 1)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (attribute == CUSPARSE_SPMAT_FILL_MODE)
		mat->fill = (cusparseFillMode_t)value;
	else
		mat->diag = (cusparseDiagType_t)value;
	return CUSPARSE_STATUS_SUCCESS;
}
