/* LU decompositions of many small matrices, least squares, and what is solved by them: a CTA has one matrix. */
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

/* The sum of what threads have, the same pairs each time, for all threads. */
template <class R> __device__ __forceinline__ R sum_of_threads(R mine)
{
	__shared__ R all[THREADS];
	int t = threadIdx.x;
	all[t] = mine;
	for (int half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half)
			all[t] += all[t + half];
	}
	__syncthreads();
	mine = all[0];
	__syncthreads();
	return mine;
}

template <class T> __device__ __forceinline__ real_of<T> square(T v)
{
	return v * v;
}
template <class R> __device__ __forceinline__ R square(complex_of<R> v)
{
	return v.re * v.re + v.im * v.im;
}
template <class T> __device__ __forceinline__ T real_part(T v)
{
	return v;
}
template <class R> __device__ __forceinline__ R real_part(complex_of<R> v)
{
	return v.re;
}

/* c -= factor * (v^H * c) * v, for rows from k on; v is the column below the diagonal, and 1 on it. */
template <class T> __device__ __forceinline__ void reflect(const T *v, T *c, int k, int m, T factor)
{
	T sum = get(c + k);
	for (int i = k + 1; i < m; i++)
		sum = fused(conjugate(get(v + i)), get(c + i), sum);
	sum = factor * sum;
	put(c + k, get(c + k) - sum);
	for (int i = k + 1; i < m; i++)
		put(c + i, get(c + i) - sum * get(v + i));
}

/* The x for which a * x is nearest to b, of m >= n rows: reflections make a triangle of a, as LAPACK's geqrf does (a thread reflects a column),
 * and b is reflected with it. info is the first zero of the triangle's diagonal. */
template <class T> __device__ __forceinline__ void gels(const ct_blas_lu &g)
{
	int64_t batch = g.first + int64_t(blockIdx.x), ld = g.a.ld;
	T *a = matrix<T>(g.a, CT_BLAS_POINTERS, batch), *b = matrix<T>(g.b, CT_BLAS_POINTERS, batch);
	int t = threadIdx.x, info = 0;
	for (int k = 0; k < g.n; k++) {
		T *v = a + k * ld, alpha = get(v + k);
		real_of<T> below = 0;
		for (int i = k + 1 + t; i < g.m; i += THREADS)
			below += square(get(v + i));
		below = sum_of_threads(below);
		real_of<T> beta = -copysign(sqrt(square(alpha) + below), real_part(alpha));
		if (beta == 0) {
			info = info ? info : k + 1;
			continue;
		}
		T factor = conjugate((T(beta) - alpha) / T(beta)), scale = T(1) / (alpha - T(beta));
		for (int i = k + 1 + t; i < g.m; i += THREADS)
			put(v + i, get(v + i) * scale);
		if (t == 0)
			put(v + k, T(beta));
		__syncthreads();
		for (int j = k + 1 + t; j < g.n + g.columns; j += THREADS)
			reflect(v, j < g.n ? a + j * ld : b + (j - g.n) * g.b.ld, k, g.m, factor);
		__syncthreads();
	}
	if (t == 0 && g.info)
		put(g.info + batch, info);
	for (int j = t; j < g.columns && !info; j += THREADS)
		solve_triangle(g, a, b + j * g.b.ld, false);
}
KERNELS(gels)
