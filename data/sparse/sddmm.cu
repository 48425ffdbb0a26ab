/* Products of dense matrices where a sparse one has elements. */
#include "numbers.cuh"

/* a = alpha * (b * c where a has elements) + beta * a: a warp has a row of a, and groups of its lanes an element each, whose summands they share. */
template <class T, class I> __device__ __forceinline__ void sddmm(const ct_sparse_product &g)
{
	typedef sum_of<T> S;
	int64_t batch = g.first + int64_t(blockIdx.z), row = thread_number() / 32;
	matrix_view<T, I> a(g.a, batch);
	const T *b = dense<const T>(g.b, batch) + row * g.b.row, *c = dense<const T>(g.c, batch);
	S alpha = scalar<S>(g.alpha), beta = scalar<S>(g.beta);
	int lanes = g.lanes, lane = threadIdx.x & (lanes - 1), group = threadIdx.x % 32 >> shift_of(lanes), groups = 32 >> shift_of(lanes);
	if (row >= g.a.rows)
		return;
	I begin = a.begin(I(row)), end = a.begin(I(row) + 1);
	for (I i = begin; i < end; i += groups) {
		I mine = i + group;
		S sum = S(0);
		if (mine < end && !is_zero(alpha)) {
			const T *column = c + a.column_of(mine) * g.c.column;
			for (int64_t k = lane; k < g.inner; k += lanes) {
				S v = load(b + k * g.b.column), w = load(column + k * g.c.row);
				sum = fused(g.flags & CT_SPARSE_CONJ_A ? conjugate(v) : v, g.flags & CT_SPARSE_CONJ_B ? conjugate(w) : w, sum);
			}
		}
		sum = sum_lanes(sum, lanes);
		if (lane == 0 && mine < end)
			finish(a.value + mine, alpha, sum, beta);
	}
}
KERNELS_WITH_SHORT(sddmm, ct_sparse_product)
