/* Products and sums of sparse matrices. A product is made of all products of elements, which are sorted by rows and columns and then summed where
 * these are the same, in the order in which they were. */
#include "numbers.cuh"

/* How many products each element of a has. */
extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_gemm_count(ct_sparse_gemm g)
{
	int64_t i = thread_number();
	if (i >= g.a.count)
		return;
	const int32_t *offset = (const int32_t *)g.b.offset + get((const int32_t *)g.a.column + i) - g.a.base;
	put(g.first_product + i, get(offset + 1) - get(offset));
}

/* The products: a group of lanes has an element of a, and a row of b. */
template <class T, class I> __device__ __forceinline__ void gemm_expand(const ct_sparse_gemm &g)
{
	int64_t e = group_number(g.lanes);
	if (e >= g.a.count)
		return;
	matrix_view<T, I> a(g.a, 0), b(g.b, 0);
	I k = a.column_of(I(e)), begin = b.begin(k), end = b.begin(k + 1), to = get(g.first_product + e), row = get(g.a_row + e) - g.a.base;
	T factor = get(a.value + e);
	for (I i = begin + (threadIdx.x & (g.lanes - 1)); i < end; i += g.lanes) {
		put(g.row + to + i - begin, row);
		put(g.column + to + i - begin, b.column_of(i));
		put((T *)g.value + to + i - begin, factor * get(b.value + i));
	}
}
KERNELS_OF_INT(gemm_expand, ct_sparse_gemm)

/* 1: the product that is i-th in order has another place than that before. */
__device__ __forceinline__ int is_first(const ct_sparse_gemm &g, int64_t i)
{
	if (i == 0)
		return 1;
	int32_t p = get(g.permutation + i), q = get(g.permutation + i - 1);
	return get(g.row + p) != get(g.row + q) || get(g.column + p) != get(g.column + q);
}
extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_gemm_mark(ct_sparse_gemm g)
{
	int64_t i = thread_number();
	if (i < g.count)
		put(g.place + i, is_first(g, i));
}

/* Sums those of one place: the thread of the first has them all. */
template <class T, class I> __device__ __forceinline__ void gemm_sum(const ct_sparse_gemm &g)
{
	int64_t i = thread_number();
	if (i >= g.count)
		return;
	I to = get(g.place + i);
	if (get(g.place + i + 1) == to)
		return;
	I p = get(g.permutation + i);
	put(g.c_row + to, get(g.row + p));
	put(g.c_column + to, get(g.column + p));
	T sum = get((const T *)g.value + p);
	while (++i < g.count && get(g.place + i + 1) == get(g.place + i))
		sum = sum + get((const T *)g.value + get(g.permutation + i));
	put((T *)g.c_value + to, sum);
}
KERNELS_OF_INT(gemm_sum, ct_sparse_gemm)

/* Hands the sums out: value is the caller's, c_value what was summed. */
template <class T, class I> __device__ __forceinline__ void gemm_finish(const ct_sparse_gemm &g)
{
	int64_t i = thread_number();
	if (i >= g.count)
		return;
	put(g.column + i, get(g.c_column + i) + g.base);
	finish((T *)g.value + i, scalar<T>(g.alpha), get((const T *)g.c_value + i), scalar<T>(g.beta));
}
KERNELS_OF_INT(gemm_finish, ct_sparse_gemm)

/* A row of a and one of b, whose columns ascend, merged: a thread has a row of each. `each` is called with every place and what both have there. */
template <class T, class I, class Each> __device__ __forceinline__ void merge(const ct_sparse_geam &g, I row, const Each &each)
{
	matrix_view<T, I> a(g.a, 0), b(g.b, 0);
	I i = a.begin(row), j = b.begin(row), a_end = a.begin(row + 1), b_end = b.begin(row + 1), none = 0x7fffffff;
	while (i < a_end || j < b_end) {
		I ca = i < a_end ? a.column_of(i) : none, cb = j < b_end ? b.column_of(j) : none, at = ca < cb ? ca : cb;
		each(at, ca == at ? i++ : -1, cb == at ? j++ : -1);
	}
}
extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_geam_count(ct_sparse_geam g)
{
	int64_t row = thread_number();
	int32_t sum = 0;
	if (row >= g.a.rows)
		return;
	merge<float, int32_t>(g, int32_t(row), [&](int32_t, int32_t, int32_t) { sum++; });
	put((int32_t *)g.c.offset + row, sum);
}
template <class T, class I> __device__ __forceinline__ void geam(const ct_sparse_geam &g)
{
	int64_t row = thread_number();
	if (row >= g.a.rows)
		return;
	T alpha = scalar<T>(g.alpha), beta = scalar<T>(g.beta);
	matrix_view<T, I> c(g.c, 0);
	I to = c.begin(I(row));
	merge<T, I>(g, I(row), [&](I column, I i, I j) {
		T v = i >= 0 ? alpha * get((const T *)g.a.value + i) : T(0);
		if (j >= 0)
			v = fused(beta, get((const T *)g.b.value + j), v);
		put((I *)g.c.column + to, column + I(g.c.base));
		put(c.value + to++, v);
	});
}
KERNELS_OF_INT(geam, ct_sparse_geam)
