/* Sparse matrices of one form that become those of another. */
#include "numbers.cuh"

/* offset, of rows + 1, from the rows that elements name in order: the thread of an element has the rows behind that of the element before. */
template <class I> __device__ __forceinline__ void offsets(const ct_sparse_conversion &g)
{
	int64_t batch = g.first + int64_t(blockIdx.z), i = thread_number();
	const I *row = (const I *)g.row + batch * g.batch;
	I *offset = (I *)g.offset + batch * (g.rows + 1);
	if (i > g.count)
		return;
	I from = i ? get(row + i - 1) - I(g.base) + 1 : 0, to = i < g.count ? get(row + i) - I(g.base) : I(g.rows);
	for (I r = from; r <= to; r++)
		put(offset + r, I(i + g.base));
}
OF_INDICES(offsets, ct_sparse_conversion)

/* The rows that elements have, from offsets: a group of lanes has a row. */
template <class I> __device__ __forceinline__ void expand(const ct_sparse_conversion &g)
{
	int64_t r = group_number(g.lanes);
	if (r >= g.rows)
		return;
	I end = get((const I *)g.offset + r + 1) - I(g.base);
	for (I i = get((const I *)g.offset + r) - I(g.base) + (threadIdx.x & (g.lanes - 1)); i < end; i += g.lanes)
		put((I *)g.row + i, I(r + g.base));
}
OF_INDICES(expand, ct_sparse_conversion)

/* Adds the base to offsets that were counted from 0. */
template <class I> __device__ __forceinline__ void rebase(const ct_sparse_conversion &g)
{
	int64_t i = thread_number();
	if (i < g.count)
		put((I *)g.offset + i, get((const I *)g.offset + i) + I(g.base));
}
OF_INDICES(rebase, ct_sparse_conversion)

/* 0, 1, 2, ... */
template <class I> __device__ __forceinline__ void identity(const ct_sparse_conversion &g)
{
	int64_t i = thread_number();
	if (i < g.count)
		put((I *)g.row + i, I(i));
}
OF_INDICES(identity, ct_sparse_conversion)

/* Which elements of row r are not zero: a bit each, of 32 columns from `from` on. */
template <class T> __device__ __forceinline__ unsigned filled(const ct_sparse_conversion &g, int64_t r, int64_t from)
{
	int64_t column = from + threadIdx.x % 32;
	return __ballot_sync(0xffffffffu, column < g.columns && !is_zero(load((const T *)g.dense.at + r * g.dense.row + column * g.dense.column)));
}

/* How many elements of each row of a dense matrix are not zero. Rows lie in memory: a warp has one. */
template <class T, class I> __device__ __forceinline__ void count_wide(const ct_sparse_conversion &g)
{
	int64_t r = thread_number() / 32;
	I sum = 0;
	if (r >= g.rows)
		return;
	for (int64_t from = 0; from < g.columns; from += 32)
		sum += __popc(filled<T>(g, r, from));
	if (threadIdx.x % 32 == 0)
		put((I *)g.offset + r, sum);
}
KERNELS_WITH_SHORT(count_wide, ct_sparse_conversion)

/* Columns lie in memory: a thread has a row. */
template <class T, class I> __device__ __forceinline__ void count_tall(const ct_sparse_conversion &g)
{
	int64_t r = thread_number();
	I sum = 0;
	if (r >= g.rows)
		return;
	for (int64_t c = 0; c < g.columns; c++)
		sum += is_zero(load((const T *)g.dense.at + r * g.dense.row + c * g.dense.column)) ? 0 : 1;
	put((I *)g.offset + r, sum);
}
KERNELS_WITH_SHORT(count_tall, ct_sparse_conversion)

/* Element i of the sparse matrix is that one. */
template <class T, class I> __device__ __forceinline__ void fill_one(const ct_sparse_conversion &g, I i, int64_t r, int64_t c)
{
	put((T *)g.value + i, get((const T *)g.dense.at + r * g.dense.row + c * g.dense.column));
	put((I *)g.column + i, I(c + g.base));
	if (g.row)
		put((I *)g.row + i, I(r + g.base));
}
template <class T, class I> __device__ __forceinline__ void fill_wide(const ct_sparse_conversion &g)
{
	int64_t r = thread_number() / 32;
	int lane = threadIdx.x % 32;
	if (r >= g.rows)
		return;
	I i = get((const I *)g.offset + r) - I(g.base);
	for (int64_t from = 0; from < g.columns; from += 32) {
		unsigned some = filled<T>(g, r, from);
		if (some >> lane & 1)
			fill_one<T, I>(g, i + __popc(some & ((1u << lane) - 1)), r, from + lane);
		i += __popc(some);
	}
}
KERNELS_WITH_SHORT(fill_wide, ct_sparse_conversion)
template <class T, class I> __device__ __forceinline__ void fill_tall(const ct_sparse_conversion &g)
{
	int64_t r = thread_number();
	if (r >= g.rows)
		return;
	I i = get((const I *)g.offset + r) - I(g.base);
	for (int64_t c = 0; c < g.columns; c++)
		if (!is_zero(load((const T *)g.dense.at + r * g.dense.row + c * g.dense.column)))
			fill_one<T, I>(g, i++, r, c);
}
KERNELS_WITH_SHORT(fill_tall, ct_sparse_conversion)

/* The elements of rows that groups of lanes share, or of COO, a thread each, into a dense matrix of zeros. */
template <class T, class I> __device__ __forceinline__ void spread(const ct_sparse_conversion &g, I i, int64_t r)
{
	put((T *)g.dense.at + r * g.dense.row + (get((const I *)g.column + i) - I(g.base)) * g.dense.column, get((const T *)g.value + i));
}
template <class T, class I> __device__ __forceinline__ void dense_rows(const ct_sparse_conversion &g)
{
	int64_t r = group_number(g.lanes);
	if (r >= g.rows)
		return;
	I end = get((const I *)g.offset + r + 1) - I(g.base);
	for (I i = get((const I *)g.offset + r) - I(g.base) + (threadIdx.x & (g.lanes - 1)); i < end; i += g.lanes)
		spread<T, I>(g, i, r);
}
KERNELS_WITH_SHORT(dense_rows, ct_sparse_conversion)
template <class T, class I> __device__ __forceinline__ void dense_elements(const ct_sparse_conversion &g)
{
	int64_t i = thread_number();
	if (i < g.count)
		spread<T, I>(g, I(i), get((const I *)g.row + i) - I(g.base));
}
KERNELS_WITH_SHORT(dense_elements, ct_sparse_conversion)
