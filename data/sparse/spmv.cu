/* Products of a sparse matrix and a vector: y = alpha * op(a) * x + beta * y. What adds to y finds it multiplied with beta before. */
#include "numbers.cuh"

/* By rows, each of which a group of lanes shares: CSR, and CSC transposed. */
template <class T, class I> __device__ __forceinline__ void spmv_rows(const ct_sparse_product &g)
{
	typedef sum_of<T> S;
	matrix_view<T, I> a(g.a, 0);
	const T *x = (const T *)g.b.at;
	S alpha = scalar<S>(g.alpha), sum = S(0);
	int lanes = g.lanes, lane = threadIdx.x & (lanes - 1);
	int64_t row = group_number(lanes);
	if (row < g.a.rows && !is_zero(alpha)) {
		I end = a.begin(I(row) + 1);
		for (I i = a.begin(I(row)) + lane; i < end; i += lanes)
			sum = fused(a.number(i, g.flags & CT_SPARSE_CONJ_A), load(x + a.column_of(i)), sum);
	}
	sum = sum_lanes(sum, lanes);
	if (lane == 0 && row < g.a.rows)
		finish((T *)g.c.at + row, alpha, sum, scalar<S>(g.beta));
}
KERNELS_WITH_SHORT(spmv_rows, ct_sparse_product)

/* By rows of the transposed matrix, each of which adds to many elements of y: CSR transposed, and CSC. */
template <class T, class I> __device__ __forceinline__ void spmv_scatter(const ct_sparse_product &g)
{
	matrix_view<T, I> a(g.a, 0);
	T alpha = scalar<T>(g.alpha);
	int lanes = g.lanes, lane = threadIdx.x & (lanes - 1);
	int64_t row = group_number(lanes);
	if (row >= g.a.rows || is_zero(alpha))
		return;
	T x = alpha * get((const T *)g.b.at + row);
	I end = a.begin(I(row) + 1);
	for (I i = a.begin(I(row)) + lane; i < end; i += lanes)
		add_atomically((T *)g.c.at + a.column_of(i), a.number(i, g.flags & CT_SPARSE_CONJ_A) * x);
}
KERNELS(spmv_scatter, ct_sparse_product)

/* COO, whose elements lie by rows: a warp sums 256 of them in segments of one row. Rows of two warps are why it adds. */
template <class T, class I> __device__ __forceinline__ void spmv_segments(const ct_sparse_product &g)
{
	enum { EACH = 8 };
	matrix_view<T, I> a(g.a, 0);
	T alpha = scalar<T>(g.alpha), *y = (T *)g.c.at, carry = T(0);
	int lane = threadIdx.x % 32;
	int64_t first = thread_number() / 32 * 32 * EACH;
	I carried = -1; /* the row of the lanes' last sum */
	if (is_zero(alpha))
		return;
	for (int k = 0; k < EACH && first + 32 * k < g.a.count; k++) {
		int64_t i = first + 32 * k + lane;
		I row = -1;
		T sum = T(0);
		if (i < g.a.count) {
			row = a.row_of(I(i));
			sum = a.number(I(i), false) * get((const T *)g.b.at + a.column_of(I(i)));
		}
		if (lane == 0 && carried == row)
			sum = carry + sum;
		else if (lane == 0 && carried >= 0)
			add_atomically(y + carried, alpha * carry);
		for (int d = 1; d < 32; d *= 2) {
			I its = from_below(row, d);
			T its_sum = from_below(sum, d);
			if (lane >= d && its == row)
				sum = its_sum + sum;
		}
		I next = from_above(row, 1);
		if (lane < 31 && row >= 0 && row != next)
			add_atomically(y + row, alpha * sum);
		carried = from_lane(row, 31);
		carry = from_lane(sum, 31);
	}
	if (lane == 0 && carried >= 0)
		add_atomically(y + carried, alpha * carry);
}
KERNELS(spmv_segments, ct_sparse_product)

/* COO transposed: a thread an element. */
template <class T, class I> __device__ __forceinline__ void spmv_elements(const ct_sparse_product &g)
{
	matrix_view<T, I> a(g.a, 0);
	T alpha = scalar<T>(g.alpha);
	int64_t i = thread_number();
	if (i < g.a.count && !is_zero(alpha))
		add_atomically((T *)g.c.at + a.column_of(I(i)),
		               alpha * (a.number(I(i), g.flags & CT_SPARSE_CONJ_A) * get((const T *)g.b.at + a.row_of(I(i)))));
}
KERNELS(spmv_elements, ct_sparse_product)
