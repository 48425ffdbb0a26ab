/* Sparse vectors with dense ones, and factors of dense matrices. */
#include "numbers.cuh"

/* c = beta * c, or zero: threads lie along the dimension in which memory does. */
template <class T> __device__ __forceinline__ void scale(const ct_sparse_scale &g)
{
	typedef sum_of<T> S;
	T *c = dense<T>(g.c, g.first + int64_t(blockIdx.z));
	S beta = scalar<S>(g.beta);
	int64_t row = thread_number();
	if (row >= g.rows)
		return;
	for (int64_t column = blockIdx.y; column < g.columns; column += gridDim.y) {
		T *p = c + row * g.c.row + column * g.c.column;
		store(p, is_zero(beta) ? S(0) : beta * load(p));
	}
}
#define SCALE(letter, type) \
	extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_##letter##scale(ct_sparse_scale g) \
	{ \
		scale<type>(g); \
	}
SCALE(s, float)
SCALE(d, double)
SCALE(c, c32)
SCALE(z, c64)
SCALE(h, __half)
SCALE(b, __nv_bfloat16)

/* The place in the dense vector of this thread's element; negative: it has none. */
template <class I> __device__ __forceinline__ int64_t place(const ct_sparse_vectors &g)
{
	int64_t i = thread_number();
	return i < g.count ? int64_t(index<I>(g.index, I(i)) - I(g.base)) : -1;
}

template <class T, class I> __device__ __forceinline__ void axpy(const ct_sparse_vectors &g)
{
	int64_t at = place<I>(g);
	if (at >= 0)
		store((T *)g.dense + at,
		      fused(scalar<sum_of<T>>(g.alpha), load((const T *)g.value + thread_number()), load((const T *)g.dense + at)));
}
KERNELS_WITH_SHORT(axpy, ct_sparse_vectors)

template <class T, class I> __device__ __forceinline__ void gather(const ct_sparse_vectors &g)
{
	int64_t at = place<I>(g);
	if (at >= 0)
		put((T *)g.value + thread_number(), get((const T *)g.dense + at));
}
KERNELS_WITH_SHORT(gather, ct_sparse_vectors)

template <class T, class I> __device__ __forceinline__ void scatter(const ct_sparse_vectors &g)
{
	int64_t at = place<I>(g);
	if (at >= 0)
		put((T *)g.dense + at, get((const T *)g.value + thread_number()));
}
KERNELS_WITH_SHORT(scatter, ct_sparse_vectors)

template <class T, class I> __device__ __forceinline__ void rot(const ct_sparse_vectors &g)
{
	int64_t at = place<I>(g);
	if (at < 0)
		return;
	T *px = (T *)g.value + thread_number(), *py = (T *)g.dense + at, x = get(px), y = get(py), c = scalar<T>(g.alpha), s = scalar<T>(g.beta);
	put(px, c * x + s * y);
	put(py, c * y - conjugate(s) * x);
}
KERNELS(rot, ct_sparse_vectors)

/* The inner product, by one CTA: each thread sums every 256th element, then warps and their sums are joined. */
template <class T, class I> __device__ __forceinline__ void spvv(const ct_sparse_vectors &g)
{
	typedef sum_of<T> S;
	__shared__ S sums[THREADS / 32];
	S sum = S(0);
	for (int64_t i = threadIdx.x; i < g.count; i += THREADS) {
		S x = load((const T *)g.value + i);
		sum = fused(g.flags & CT_SPARSE_CONJ_A ? conjugate(x) : x, load((const T *)g.dense + (index<I>(g.index, I(i)) - I(g.base))), sum);
	}
	sum = sum_lanes(sum, 32);
	if (threadIdx.x % 32 == 0)
		sums[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int i = 1; i < THREADS / 32; i++)
			sum = sum + sums[i];
		put((S *)g.result, sum);
	}
}
KERNELS_WITH_SHORT(spvv, ct_sparse_vectors)
