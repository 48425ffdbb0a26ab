/* LU decompositions of many small matrices, and what is solved by them: a CTA has one matrix. */
#include "numbers.cuh"

enum { THREADS = 128 };

#define KERNELS(name) \
	ONE_KERNEL(s, float, name) \
	ONE_KERNEL(d, double, name) \
	ONE_KERNEL(c, c32, name) \
	ONE_KERNEL(z, c64, name)
#define ONE_KERNEL(letter, type, name) \
	extern "C" __global__ __launch_bounds__(THREADS) void ct_blas_##letter##name(ct_blas_lu g) \
	{ \
		name<type>(g); \
	}

/* The row from `from` on whose element of column k is largest, the first of equals. */
template <class T> __device__ __forceinline__ int find_pivot(const T *column, int from, int n)
{
	__shared__ real_of<T> sizes[THREADS];
	__shared__ int rows[THREADS];
	int t = threadIdx.x, best = from;
	real_of<T> size = -1;
	for (int i = from + t; i < n; i += THREADS) {
		real_of<T> v = size_of(get(column + i));
		if (v > size) {
			size = v;
			best = i;
		}
	}
	sizes[t] = size;
	rows[t] = best;
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half && (sizes[t + half] > sizes[t] || (sizes[t + half] == sizes[t] && rows[t + half] < rows[t]))) {
			sizes[t] = sizes[t + half];
			rows[t] = rows[t + half];
		}
	}
	__syncthreads();
	best = rows[0];
	__syncthreads();
	return best;
}

/* a = P * L * U in its place, column by column; info is the first column, from 1, whose pivot is zero. Without pivots no rows are exchanged. */
template <class T> __device__ __forceinline__ void getrf(const ct_blas_lu &g)
{
	int64_t batch = g.first + int64_t(blockIdx.x), ld = g.a.ld;
	T *a = matrix<T>(g.a, CT_BLAS_POINTERS, batch);
	int t = threadIdx.x, n = g.n, info = 0;
	for (int k = 0; k < n; k++) {
		int pivot = g.pivots ? find_pivot(a + k * ld, k, n) : k;
		if (t == 0 && g.pivots)
			put(g.pivots + batch * n + k, pivot + 1);
		for (int j = t; j < n && pivot != k; j += THREADS) {
			T *x = a + k + j * ld, *y = a + pivot + j * ld, v = get(x);
			put(x, get(y));
			put(y, v);
		}
		__syncthreads();
		T diagonal = get(a + k + k * ld);
		if (is_zero(diagonal)) {
			info = info ? info : k + 1;
			continue;
		}
		for (int i = k + 1 + t; i < n; i += THREADS)
			put(a + i + k * ld, get(a + i + k * ld) / diagonal);
		__syncthreads();
		int rest = n - k - 1;
		for (int e = t; e < rest * rest; e += THREADS) {
			int i = k + 1 + e % rest, j = k + 1 + e / rest;
			put(a + i + j * ld, get(a + i + j * ld) - get(a + i + k * ld) * get(a + k + j * ld));
		}
		__syncthreads();
	}
	if (t == 0)
		put(g.info + batch, info);
}
KERNELS(getrf)

/* Solves with a triangle of op(a) for one right side x. */
template <class T> __device__ __forceinline__ void solve_triangle(const ct_blas_lu &g, const T *a, T *x, bool lower)
{
	bool transposed = g.flags & CT_BLAS_TRANSPOSED, conj = g.flags & CT_BLAS_CONJ_A, forward = lower != transposed;
	for (int s = 0; s < g.n; s++) {
		int i = forward ? s : g.n - 1 - s;
		T v = get(x + i);
		for (int k = forward ? 0 : i + 1; k < (forward ? i : g.n); k++) {
			T m = get(transposed ? a + k + i * g.a.ld : a + i + k * g.a.ld);
			v = v - (conj ? conjugate(m) : m) * get(x + k);
		}
		T d = get(a + i + i * g.a.ld);
		put(x + i, lower ? v : v / (conj ? conjugate(d) : d));
	}
}

/* Exchanges elements of x as the rows of the matrix were, or back. */
template <class T> __device__ __forceinline__ void exchange(const ct_blas_lu &g, T *x, int64_t batch, bool back)
{
	for (int s = 0; s < g.n && g.pivots; s++) {
		int k = back ? g.n - 1 - s : s, pivot = get(g.pivots + batch * g.n + k) - 1;
		T v = get(x + k);
		put(x + k, get(x + pivot));
		put(x + pivot, v);
	}
}

/* b = op(a)^-1 * b, a thread for each right side */
template <class T> __device__ __forceinline__ void getrs(const ct_blas_lu &g)
{
	int64_t batch = g.first + int64_t(blockIdx.x);
	const T *a = matrix<const T>(g.a, CT_BLAS_POINTERS, batch);
	bool transposed = g.flags & CT_BLAS_TRANSPOSED;
	for (int j = threadIdx.x; j < g.columns; j += THREADS) {
		T *x = matrix<T>(g.b, CT_BLAS_POINTERS, batch) + j * g.b.ld;
		if (!transposed)
			exchange(g, x, batch, false);
		solve_triangle(g, a, x, !transposed);
		solve_triangle(g, a, x, transposed);
		if (transposed)
			exchange(g, x, batch, true);
	}
}
KERNELS(getrs)

/* b = a^-1, a thread for each column; info is the first zero of the diagonal. */
template <class T> __device__ __forceinline__ void getri(const ct_blas_lu &g)
{
	int64_t batch = g.first + int64_t(blockIdx.x);
	const T *a = matrix<const T>(g.a, CT_BLAS_POINTERS, batch);
	int info = 0;
	for (int k = g.n; k > 0; k--)
		info = is_zero(get(a + k - 1 + (k - 1) * g.a.ld)) ? k : info;
	if (threadIdx.x == 0)
		put(g.info + batch, info);
	for (int j = threadIdx.x; j < g.n && !info; j += THREADS) {
		T *x = matrix<T>(g.b, CT_BLAS_POINTERS, batch) + j * g.b.ld;
		for (int i = 0; i < g.n; i++)
			put(x + i, T(i == j));
		exchange(g, x, batch, false);
		solve_triangle(g, a, x, true);
		solve_triangle(g, a, x, false);
	}
}
KERNELS(getri)
