/* Products of a sparse and a dense matrix: c = alpha * op(a) * op(b) + beta * c. What adds to c finds it multiplied with beta before. */
#include "numbers.cuh"

/* Element (row, column) of op(b). */
template <class T> __device__ __forceinline__ sum_of<T> number_of_b(const ct_sparse_product &g, const T *b, int64_t row, int64_t column)
{
	sum_of<T> v = load(b + row * g.b.row + column * g.b.column);
	return g.flags & CT_SPARSE_CONJ_B ? conjugate(v) : v;
}

/* Rows of b and c lie side by side: a warp has a row of a and 32 columns of c, and passes the row's elements, which its lanes load together. */
template <class T, class I> __device__ __forceinline__ void spmm_wide(const ct_sparse_product &g)
{
	typedef sum_of<T> S;
	int64_t batch = g.first + int64_t(blockIdx.z), row = thread_number() / 32, column = int64_t(blockIdx.y) * 32 + threadIdx.x % 32;
	matrix_view<T, I> a(g.a, batch);
	const T *b = dense<const T>(g.b, batch);
	S alpha = scalar<S>(g.alpha), sum = S(0);
	int lane = threadIdx.x % 32;
	if (row >= g.a.rows)
		return;
	I begin = a.begin(I(row)), end = is_zero(alpha) ? begin : a.begin(I(row) + 1);
	for (I i = begin; i < end; i += 32) {
		I at = 0;
		S v = S(0);
		if (i + lane < end) {
			at = a.column_of(i + lane);
			v = a.number(i + lane, g.flags & CT_SPARSE_CONJ_A);
		}
		int some = end - i < 32 ? int(end - i) : 32;
		for (int k = 0; k < some; k++) {
			I its = from_lane(at, k);
			S factor = from_lane(v, k);
			if (column < g.columns)
				sum = fused(factor, number_of_b(g, b, its, column), sum);
		}
	}
	if (column < g.columns)
		finish(dense<T>(g.c, batch) + row * g.c.row + column * g.c.column, alpha, sum, scalar<S>(g.beta));
}
KERNELS_WITH_SHORT(spmm_wide, ct_sparse_product)

/* Columns of b lie side by side: a group of lanes has a row of a and four columns of c, each a product with a vector. */
template <class T, class I> __device__ __forceinline__ void spmm_tall(const ct_sparse_product &g)
{
	typedef sum_of<T> S;
	enum { COLUMNS = 4 };
	int64_t batch = g.first + int64_t(blockIdx.z), column = int64_t(blockIdx.y) * COLUMNS;
	matrix_view<T, I> a(g.a, batch);
	const T *b = dense<const T>(g.b, batch);
	T *c = dense<T>(g.c, batch);
	S alpha = scalar<S>(g.alpha), beta = scalar<S>(g.beta), sum[COLUMNS];
	int lanes = g.lanes, lane = threadIdx.x & (lanes - 1), some = g.columns - column < COLUMNS ? int(g.columns - column) : COLUMNS;
	int64_t row = group_number(lanes);
#pragma unroll
	for (int k = 0; k < COLUMNS; k++)
		sum[k] = S(0);
	if (row < g.a.rows && !is_zero(alpha)) {
		I end = a.begin(I(row) + 1);
		for (I i = a.begin(I(row)) + lane; i < end; i += lanes) {
			I at = a.column_of(i);
			S v = a.number(i, g.flags & CT_SPARSE_CONJ_A);
#pragma unroll
			for (int k = 0; k < COLUMNS; k++)
				if (k < some)
					sum[k] = fused(v, number_of_b(g, b, at, column + k), sum[k]);
		}
	}
#pragma unroll
	for (int k = 0; k < COLUMNS; k++) {
		sum[k] = sum_lanes(sum[k], lanes);
		if (lane == 0 && row < g.a.rows && k < some)
			finish(c + row * g.c.row + (column + k) * g.c.column, alpha, sum[k], beta);
	}
}
KERNELS_WITH_SHORT(spmm_tall, ct_sparse_product)

/* The transposed matrix lies by rows: a warp has one of them, and adds to 32 columns of c. */
template <class T, class I> __device__ __forceinline__ void spmm_scatter(const ct_sparse_product &g)
{
	int64_t batch = g.first + int64_t(blockIdx.z), row = thread_number() / 32, column = int64_t(blockIdx.y) * 32 + threadIdx.x % 32;
	matrix_view<T, I> a(g.a, batch);
	T alpha = scalar<T>(g.alpha), *c = dense<T>(g.c, batch);
	if (row >= g.a.rows || column >= g.columns || is_zero(alpha))
		return;
	T v = alpha * number_of_b(g, dense<const T>(g.b, batch), row, column);
	I end = a.begin(I(row) + 1);
	for (I i = a.begin(I(row)); i < end; i++)
		add_atomically(c + a.column_of(i) * g.c.row + column * g.c.column, a.number(i, g.flags & CT_SPARSE_CONJ_A) * v);
}
KERNELS(spmm_scatter, ct_sparse_product)

/* COO: a warp has 32 elements and 32 columns of c, and adds where the row ends; `transposed` exchanges rows and columns. */
template <class T, class I> __device__ __forceinline__ void coo(const ct_sparse_product &g, bool transposed)
{
	int64_t batch = g.first + int64_t(blockIdx.z), begin = thread_number() / 32 * 32, column = int64_t(blockIdx.y) * 32 + threadIdx.x % 32;
	matrix_view<T, I> a(g.a, batch);
	const T *b = dense<const T>(g.b, batch);
	T alpha = scalar<T>(g.alpha), *c = dense<T>(g.c, batch) + column * g.c.column, sum = T(0);
	if (begin >= g.a.count || column >= g.columns || is_zero(alpha))
		return;
	I end = g.a.count - begin < 32 ? I(g.a.count) : I(begin + 32), last = -1;
	for (I i = I(begin); i < end; i++) {
		I row = transposed ? a.column_of(i) : a.row_of(i), from = transposed ? a.row_of(i) : a.column_of(i);
		if (row != last) {
			if (last >= 0)
				add_atomically(c + last * g.c.row, alpha * sum);
			last = row;
			sum = T(0);
		}
		sum = fused(a.number(i, g.flags & CT_SPARSE_CONJ_A), number_of_b(g, b, from, column), sum);
	}
	add_atomically(c + last * g.c.row, alpha * sum);
}
template <class T, class I> __device__ __forceinline__ void spmm_segments(const ct_sparse_product &g)
{
	coo<T, I>(g, false);
}
KERNELS(spmm_segments, ct_sparse_product)
template <class T, class I> __device__ __forceinline__ void spmm_elements(const ct_sparse_product &g)
{
	coo<T, I>(g, true);
}
KERNELS(spmm_elements, ct_sparse_product)
