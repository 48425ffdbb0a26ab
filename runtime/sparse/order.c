/* cuSPARSE: sums of counts, sorts, and what is made by them: elements in another order, and matrices by columns instead of rows. */
#include "runtime/sparse/sparse.h"

enum { TILE = 1024, DIGIT_BITS = 4, DIGITS = 16 };

void *ct_sparse_part(char **room, size_t bytes)
{
	char *at = *room;
	*room = at + (bytes + 255) / 256 * 256;
	return at;
}

/* What the parts of that many bytes take of the room. */
static size_t rounded(size_t bytes)
{
	return (bytes + 255) / 256 * 256;
}

/* ---- sums of counts ---- */

size_t ct_sparse_scan_bytes(int64_t count)
{
	return rounded(((size_t)ct_sparse_tiles(count, TILE) + 1) * sizeof(int64_t));
}

cusparseStatus_t ct_sparse_scan_counts(cusparseHandle_t handle, int bits, void *counts, int64_t count,
                                       int64_t base, void *parts)
{
	int64_t tiles = count > TILE ? ct_sparse_tiles(count, TILE) : 1;
	struct ct_sparse_scan g = {
		.counts = counts, .parts = tiles > 1 ? parts : NULL, .count = count, .base = base};
	struct ct_cuda_grid grid = {tiles, 1, 1, CT_SPARSE_THREADS}, one = {1, 1, 1, CT_SPARSE_THREADS};
	if (tiles > 1) {
		CT_SPARSE_TRY(
			ct_sparse_launch(handle, CT_SPARSE_SORT, NULL, "scan_parts", bits, grid, &g));
		CT_SPARSE_TRY(
			ct_sparse_launch(handle, CT_SPARSE_SORT, NULL, "scan_totals", bits, one, &g));
	}
	return ct_sparse_launch(handle, CT_SPARSE_SORT, NULL, "scan", bits, grid, &g);
}

/* ---- orders ---- */

static size_t counts_of(int64_t count)
{
	return (size_t)ct_sparse_tiles(count, TILE) * DIGITS + 1;
}

size_t ct_sparse_order_bytes(int64_t count)
{
	return 4 * rounded((size_t)count * sizeof(int32_t)) +
	       rounded(counts_of(count) * sizeof(int32_t)) +
	       ct_sparse_scan_bytes((int64_t)counts_of(count));
}

void ct_sparse_order_begin(struct ct_sparse_order *o, void *room, int64_t count)
{
	char *at = room;
	*o = (struct ct_sparse_order){.count = count};
	for (int i = 0; i < 2; i++) {
		o->key[i] = ct_sparse_part(&at, (size_t)count * sizeof(int32_t));
		o->permutation[i] = ct_sparse_part(&at, (size_t)count * sizeof(int32_t));
	}
	o->counts = ct_sparse_part(&at, counts_of(count) * sizeof(int32_t));
	o->parts = at;
}

/* A pass by four bits. */
static cusparseStatus_t pass(cusparseHandle_t handle, struct ct_sparse_order *o, int shift)
{
	int32_t tiles = (int32_t)ct_sparse_tiles(o->count, TILE);
	struct ct_cuda_grid grid = {tiles, 1, 1, CT_SPARSE_THREADS};
	struct ct_sparse_sort g = {
		.key = o->key[o->now],
		.permutation = o->any ? o->permutation[o->now] : NULL,
		.key_out = o->key[!o->now],
		.permutation_out = o->permutation[!o->now],
		.counts = o->counts,
		.count = o->count,
		.shift = shift,
		.tiles = tiles};
	CT_SPARSE_TRY(ct_sparse_launch(handle, CT_SPARSE_SORT, NULL, "sort_count", 0, grid, &g));
	CT_SPARSE_TRY(
		ct_sparse_scan_counts(handle, 32, o->counts, (int64_t)tiles * DIGITS, 0, o->parts));
	CT_SPARSE_TRY(ct_sparse_launch(handle, CT_SPARSE_SORT, NULL, "sort_move", 0, grid, &g));
	o->now = !o->now;
	o->any = 1;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t ct_sparse_permute(cusparseHandle_t handle, const int32_t *permutation, int64_t count,
                                   const int32_t *from, int32_t *to)
{
	struct ct_sparse_sort g = {
		.key = from, .permutation = permutation, .key_out = to, .count = count};
	return ct_sparse_launch(handle, CT_SPARSE_SORT, NULL, "permute", 0, ct_sparse_threads(count),
	                        &g);
}

cusparseStatus_t
ct_sparse_permute_numbers(cusparseHandle_t handle, const struct ct_sparse_numbers *t,
                          const int32_t *permutation, int64_t count, const void *from, void *to)
{
	struct ct_sparse_vectors g = {
		.index = permutation, .value = to, .dense = (void *)(uintptr_t)from, .count = count};
	return ct_sparse_launch(handle, CT_SPARSE_VECTORS, t, "gather", 32, ct_sparse_threads(count),
	                        &g);
}

cusparseStatus_t ct_sparse_order_by(cusparseHandle_t handle, struct ct_sparse_order *o,
                                    const int32_t *key, int64_t largest)
{
	CT_SPARSE_TRY(ct_sparse_permute(
		handle, o->any ? o->permutation[o->now] : NULL, o->count, key, o->key[o->now]));
	int shift = 0;
	do {
		CT_SPARSE_TRY(pass(handle, o, shift));
		shift += DIGIT_BITS;
	} while (largest >> shift);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t ct_sparse_rows_of(cusparseHandle_t handle, const int32_t *offset, int64_t rows,
                                   int64_t count, int base, int32_t *row)
{
	struct ct_sparse_conversion g = {
		.offset = (void *)(uintptr_t)offset,
		.row = row,
		.rows = rows,
		.base = base,
		.lanes = ct_sparse_lanes(rows, count)};
	return ct_sparse_launch(handle, CT_SPARSE_CONVERT, NULL, "expand", 32,
	                        ct_sparse_threads(rows * g.lanes), &g);
}

cusparseStatus_t ct_sparse_offsets_of(cusparseHandle_t handle, const int32_t *row, int64_t rows,
                                      int64_t count, int base, int32_t *offset)
{
	struct ct_sparse_conversion g = {
		.row = (void *)(uintptr_t)row,
		.offset = offset,
		.rows = rows,
		.count = count,
		.base = base};
	return ct_sparse_launch(handle, CT_SPARSE_CONVERT, NULL, "offsets", 32,
	                        ct_sparse_threads(count + 1), &g);
}

/* ---- functions ---- */

/* What most of them check of sizes and arrays. */
static cusparseStatus_t check(cusparseHandle_t handle, int64_t rows, int64_t columns, int64_t count,
                              int arrays)
{
	if (!handle)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	return rows < 0 || columns < 0 || count < 0 || (count && !arrays)
	               ? CUSPARSE_STATUS_INVALID_VALUE
	               : CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m,
                                  int *csrRowPtr, cusparseIndexBase_t base)
{
	CT_SPARSE_TRY(check(handle, m, 0, nnz, cooRowInd != NULL));
	if (!csrRowPtr || !ct_sparse_is_base(base))
		return CUSPARSE_STATUS_INVALID_VALUE;
	return ct_sparse_offsets_of(handle, cooRowInd, m, nnz, base, csrRowPtr);
}

cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrRowPtr, int nnz, int m,
                                  int *cooRowInd, cusparseIndexBase_t base)
{
	CT_SPARSE_TRY(check(handle, m, 0, nnz, csrRowPtr && cooRowInd));
	if (!ct_sparse_is_base(base))
		return CUSPARSE_STATUS_INVALID_VALUE;
	return nnz ? ct_sparse_rows_of(handle, csrRowPtr, m, nnz, base, cooRowInd)
	           : CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p)
{
	struct ct_sparse_conversion g = {.row = p, .count = n};
	CT_SPARSE_TRY(check(handle, 0, 0, n, p != NULL));
	return ct_sparse_launch(handle, CT_SPARSE_CONVERT, NULL, "identity", 32, ct_sparse_threads(n),
	                        &g);
}

/* The room of a sort of elements: an order, rows, and what is copied back. */
static size_t sort_bytes(int64_t count)
{
	return ct_sparse_order_bytes(count) + 2 * rounded((size_t)count * sizeof(int32_t));
}

/* Puts an array into the order that has been found; copy: room for it. */
static cusparseStatus_t reorder(cusparseHandle_t handle, const struct ct_sparse_order *o, int32_t *array,
                                int32_t *copy)
{
	CT_SPARSE_TRY(ct_sparse_permute(handle, o->permutation[o->now], o->count, array, copy));
	return ct_sparse_status(
		cuMemcpyDtoDAsync((CUdeviceptr)(uintptr_t)array, (CUdeviceptr)(uintptr_t)copy,
	                          (size_t)o->count * sizeof *array, handle->stream));
}

/* Sorts elements by `first`, which numbers to `firsts` go to with any base, and those of one by `second`. from: offsets that say first, or NULL:
 * it is an array of the caller's, and sorted, too. p: numbers that are taken along, or NULL. */
static cusparseStatus_t sort(cusparseHandle_t handle, int64_t count, int32_t *first, int64_t firsts,
                             const int32_t *from, int base, int32_t *second, int64_t seconds, int32_t *p,
                             void *buffer)
{
	struct ct_sparse_order o;
	char *at = buffer;
	if (count == 0)
		return CUSPARSE_STATUS_SUCCESS;
	if (!buffer)
		return CUSPARSE_STATUS_INVALID_VALUE;
	int32_t *copy = ct_sparse_part(&at, (size_t)count * sizeof *copy),
		*rows = ct_sparse_part(&at, (size_t)count * sizeof *rows);
	ct_sparse_order_begin(&o, at, count);
	CT_SPARSE_TRY(ct_sparse_order_by(handle, &o, second, seconds));
	if (from)
		CT_SPARSE_TRY(ct_sparse_rows_of(handle, from, firsts, count, base, rows));
	CT_SPARSE_TRY(ct_sparse_order_by(handle, &o, from ? rows : first, firsts));
	if (first)
		CT_SPARSE_TRY(reorder(handle, &o, first, copy));
	CT_SPARSE_TRY(reorder(handle, &o, second, copy));
	return p ? reorder(handle, &o, p, copy) : CUSPARSE_STATUS_SUCCESS;
}

/* All sorts need the same room. */
#define BUFFER_SIZE(Name, a, b) \
	cusparseStatus_t cusparseX##Name##sort_bufferSizeExt( \
		cusparseHandle_t handle, int m, int n, int nnz, const int *a, const int *b, \
		size_t *bytes) \
	{ \
		CT_SPARSE_TRY(check(handle, m, n, nnz, (a) && (b))); \
		if (!bytes) \
			return CUSPARSE_STATUS_INVALID_VALUE; \
		*bytes = sort_bytes(nnz); \
		return CUSPARSE_STATUS_SUCCESS; \
	}
BUFFER_SIZE(coo, cooRows, cooCols)
BUFFER_SIZE(csr, csrRowPtr, csrColInd)
BUFFER_SIZE(csc, cscColPtr, cscRowInd)

cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *cooRows,
                                       int *cooCols, int *P, void *buffer)
{
	CT_SPARSE_TRY(check(handle, m, n, nnz, cooRows && cooCols));
	return sort(handle, nnz, cooRows, m, NULL, 0, cooCols, n, P, buffer);
}

cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int *cooRows,
                                          int *cooCols, int *P, void *buffer)
{
	CT_SPARSE_TRY(check(handle, m, n, nnz, cooRows && cooCols));
	return sort(handle, nnz, cooCols, n, NULL, 0, cooRows, m, P, buffer);
}

cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int *csrRowPtr, int *csrColInd,
                                  int *P, void *buffer)
{
	CT_SPARSE_TRY(check(handle, m, n, nnz, csrRowPtr && csrColInd));
	if (!descrA)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return sort(handle, nnz, NULL, m, csrRowPtr, descrA->base, csrColInd, n, P, buffer);
}

cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
                                  const cusparseMatDescr_t descrA, const int *cscColPtr, int *cscRowInd,
                                  int *P, void *buffer)
{
	CT_SPARSE_TRY(check(handle, m, n, nnz, cscColPtr && cscRowInd));
	if (!descrA)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return sort(handle, nnz, NULL, n, cscColPtr, descrA->base, cscRowInd, m, P, buffer);
}

static cusparseStatus_t
check_csc(cusparseHandle_t handle, int m, int n, int nnz, int arrays, cudaDataType type,
          cusparseAction_t action, cusparseIndexBase_t base, const struct ct_sparse_numbers **t)
{
	CT_SPARSE_TRY(check(handle, m, n, nnz, arrays));
	if (!ct_sparse_is_base(base) || (unsigned)action > CUSPARSE_ACTION_NUMERIC)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*t = ct_sparse_numbers_of_type(type);
	return *t ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

cusparseStatus_t
cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal,
                              const int *csrRowPtr, const int *csrColInd, void *cscVal, int *cscColPtr,
                              int *cscRowInd, cudaDataType valType, cusparseAction_t copyValues,
                              cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg, size_t *bufferSize)
{
	const struct ct_sparse_numbers *t;
	(void)csrVal;
	(void)cscVal;
	(void)alg;
	CT_SPARSE_TRY(check_csc(handle, m, n, nnz, csrRowPtr && csrColInd && cscColPtr && cscRowInd,
	                        valType, copyValues, base, &t));
	if (!bufferSize)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*bufferSize = sort_bytes(nnz);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsr2cscEx2(
	cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal, const int *csrRowPtr,
	const int *csrColInd, void *cscVal, int *cscColPtr, int *cscRowInd, cudaDataType valType,
	cusparseAction_t copyValues, cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg, void *buffer)
{
	const struct ct_sparse_numbers *t;
	struct ct_sparse_order o;
	char *at = buffer;
	int values = copyValues == CUSPARSE_ACTION_NUMERIC;
	(void)alg;
	CT_SPARSE_TRY(check_csc(handle, m, n, nnz, csrRowPtr && csrColInd && cscRowInd && buffer,
	                        valType, copyValues, base, &t));
	if (!cscColPtr || (nnz && values && (!csrVal || !cscVal)))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (nnz == 0)
		return ct_sparse_offsets_of(handle, NULL, n, 0, base, cscColPtr);
	int32_t *rows = ct_sparse_part(&at, (size_t)nnz * sizeof *rows);
	ct_sparse_order_begin(&o, at, nnz);
	CT_SPARSE_TRY(ct_sparse_rows_of(handle, csrRowPtr, m, nnz, base, rows));
	CT_SPARSE_TRY(ct_sparse_order_by(handle, &o, csrColInd, n));
	CT_SPARSE_TRY(ct_sparse_offsets_of(handle, o.key[o.now], n, nnz, base, cscColPtr));
	CT_SPARSE_TRY(ct_sparse_permute(handle, o.permutation[o.now], nnz, rows, cscRowInd));
	return values ? ct_sparse_permute_numbers(handle, t, o.permutation[o.now], nnz, csrVal, cscVal)
	              : CUSPARSE_STATUS_SUCCESS;
}
