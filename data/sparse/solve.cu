/* Triangles that are solved, and incomplete factorizations. A warp has a row, and waits for the rows that it needs, which come before it: one launch
 * does it all, without levels. It is right where blocks begin in the order of their numbers. */
#include "numbers.cuh"

/* A number that another warp has written meanwhile. */
template <class T> __device__ __forceinline__ T fresh(const T *p)
{
	return __builtin_bit_cast(T, *(const volatile CT_BLAS_GLOBAL words_of<T, 1> *)p);
}
__device__ __forceinline__ void wait_for(const int32_t *known)
{
	while (!fresh(known))
		__nanosleep(20);
	__threadfence();
}
/* All that the warp has written is there: the row is known. */
__device__ __forceinline__ void tell(int32_t *known)
{
	__threadfence();
	__syncwarp();
	if (threadIdx.x % 32 == 0)
		*(volatile CT_BLAS_GLOBAL int32_t *)known = 1;
}

/* The number of the k-th element. */
template <class T> __device__ __forceinline__ T number_of(const ct_sparse_solve &g, const matrix_view<T, int32_t> &a, int32_t k)
{
	T v = get(a.value + (g.permutation ? get(g.permutation + k) : k));
	return g.flags & CT_BLAS_CONJ_A ? conjugate(v) : v;
}
/* This warp's row. */
__device__ __forceinline__ int32_t row_of(const ct_sparse_solve &g)
{
	int64_t warp = thread_number() / 32;
	return int32_t(g.flags & CT_BLAS_LOWER ? warp : g.a.rows - 1 - warp);
}
__device__ __forceinline__ bool is_needed(const ct_sparse_solve &g, int32_t column, int32_t row)
{
	return g.flags & CT_BLAS_LOWER ? column < row : column > row;
}

/* One right side: lanes share the row's elements. */
template <class T, class I> __device__ __forceinline__ void spsv(const ct_sparse_solve &g)
{
	if (thread_number() / 32 >= g.a.rows)
		return;
	int32_t row = row_of(g);
	matrix_view<T, I> a(g.a, 0);
	T *x = (T *)g.x.at, sum = T(0), diagonal = T(0);
	I end = a.begin(row + 1);
	for (I k = a.begin(row) + threadIdx.x % 32; k < end; k += 32) {
		I column = a.column_of(k);
		if (column == row)
			diagonal = diagonal + number_of(g, a, k);
		else if (is_needed(g, column, row)) {
			wait_for(g.known + column);
			sum = fused(number_of(g, a, k), fresh(x + column), sum);
		}
	}
	__syncwarp();
	sum = sum_lanes(sum, 32);
	diagonal = sum_lanes(diagonal, 32);
	if (threadIdx.x % 32 == 0) {
		T v = scalar<T>(g.alpha) * get((const T *)g.b.at + row) - sum;
		put(x + row, g.flags & CT_BLAS_UNIT ? v : v / diagonal);
	}
	tell(g.known + row);
}
KERNELS_OF_INT(spsv, ct_sparse_solve)

/* Many: a lane has a column of them. */
template <class T, class I> __device__ __forceinline__ void spsm(const ct_sparse_solve &g)
{
	if (thread_number() / 32 >= g.a.rows)
		return;
	int32_t row = row_of(g), *known = g.known + blockIdx.y * g.a.rows;
	int64_t at = int64_t(blockIdx.y) * 32 + threadIdx.x % 32;
	matrix_view<T, I> a(g.a, 0);
	T *x = (T *)g.x.at + at * g.x.column, sum = T(0), diagonal = T(0);
	I end = a.begin(row + 1);
	for (I k = a.begin(row); k < end; k++) {
		I column = a.column_of(k);
		T v = number_of(g, a, k);
		if (column == row)
			diagonal = diagonal + v;
		else if (is_needed(g, column, row)) {
			wait_for(known + column);
			if (at < g.columns)
				sum = fused(v, fresh(x + column * g.x.row), sum);
		}
	}
	if (at < g.columns) {
		T b = get((const T *)g.b.at + row * g.b.row + at * g.b.column);
		T v = scalar<T>(g.alpha) * (g.flags & CT_BLAS_CONJ_B ? conjugate(b) : b) - sum;
		put(x + row * g.x.row, g.flags & CT_BLAS_UNIT ? v : v / diagonal);
	}
	tell(known + row);
}
KERNELS_OF_INT(spsm, ct_sparse_solve)

/* ---- incomplete factorizations, in place; columns of rows ascend ---- */

/* Where the row from `begin` to `end` has that column; -1: nowhere. */
__device__ __forceinline__ int32_t find(const ct_sparse_factor &g, int32_t begin, int32_t end, int32_t column)
{
	const int32_t *columns = (const int32_t *)g.a.column;
	column += int32_t(g.a.base);
	while (begin < end) {
		int32_t middle = begin + (end - begin) / 2, its = get(columns + middle);
		if (its == column)
			return middle;
		if (its < column)
			begin = middle + 1;
		else
			end = middle;
	}
	return -1;
}

extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_diagonals(ct_sparse_factor g)
{
	int64_t row = thread_number();
	if (row >= g.a.rows)
		return;
	matrix_view<float, int32_t> a(g.a, 0);
	int32_t at = find(g, a.begin(int32_t(row)), a.begin(int32_t(row) + 1), int32_t(row));
	put(g.diagonal + row, at);
	if (at < 0)
		atomicMin(g.zero, int32_t(row));
}

/* LU: row i less the multiples of rows before it that make its elements left of the diagonal zero. */
template <class T, class I> __device__ __forceinline__ void ilu(const ct_sparse_factor &g)
{
	int64_t row = thread_number() / 32;
	if (row >= g.a.rows)
		return;
	matrix_view<T, I> a(g.a, 0);
	I begin = a.begin(I(row)), end = a.begin(I(row) + 1);
	for (I k = begin; k < end && a.column_of(k) < row; k++) {
		I pivot = a.column_of(k), at = get(g.diagonal + pivot);
		wait_for(g.known + pivot);
		if (at < 0)
			continue;
		T factor = get(a.value + k) / fresh(a.value + at);
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			put(a.value + k, factor);
		I last = a.begin(pivot + 1);
		for (I j = at + 1 + threadIdx.x % 32; j < last; j += 32) {
			I to = find(g, k + 1, end, a.column_of(j));
			if (to >= 0)
				put(a.value + to, get(a.value + to) - factor * fresh(a.value + j));
		}
		__threadfence();
		__syncwarp();
	}
	if (threadIdx.x % 32 == 0 && get(g.diagonal + row) >= 0 && is_zero(get(a.value + get(g.diagonal + row))))
		atomicMin(g.zero, int32_t(row));
	tell(g.known + row);
}
KERNELS_OF_INT(ilu, ct_sparse_factor)

__device__ inline float root(float v)
{
	return sqrtf(v);
}
__device__ inline double root(double v)
{
	return sqrt(v);
}
template <class R> __device__ complex_of<R> root(complex_of<R> v)
{
	return {root(v.re), 0};
}
template <class T> __device__ bool is_positive(T v)
{
	return v > 0;
}
template <class R> __device__ bool is_positive(complex_of<R> v)
{
	return v.re > 0;
}

/* Cholesky, of the lower triangle: element (i, k) less the product of rows i and k before column k. */
template <class T, class I> __device__ __forceinline__ void ic(const ct_sparse_factor &g)
{
	int64_t row = thread_number() / 32;
	if (row >= g.a.rows)
		return;
	matrix_view<T, I> a(g.a, 0);
	I begin = a.begin(I(row)), end = a.begin(I(row) + 1);
	for (I k = begin; k < end && a.column_of(k) <= row; k++) {
		I pivot = a.column_of(k), at = get(g.diagonal + pivot);
		if (at < 0)
			continue;
		if (pivot != row)
			wait_for(g.known + pivot);
		T sum = T(0);
		for (I j = a.begin(pivot) + threadIdx.x % 32; j < at; j += 32) {
			I to = find(g, begin, k, a.column_of(j));
			if (to >= 0)
				sum = fused(get(a.value + to), conjugate(fresh(a.value + j)), sum);
		}
		__syncwarp();
		sum = sum_lanes(sum, 32);
		if (threadIdx.x % 32 == 0) {
			T v = get(a.value + k) - sum;
			if (pivot == row && !is_positive(v))
				atomicMin(g.zero, int32_t(row));
			put(a.value + k, pivot == row ? root(v) : v / fresh(a.value + at));
		}
		__threadfence();
		__syncwarp();
	}
	tell(g.known + row);
}
KERNELS_OF_INT(ic, ct_sparse_factor)
