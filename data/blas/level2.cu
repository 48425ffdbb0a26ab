/* Level 2, and what level 3 needs beside products: matrices and vectors, matrices of which one triangle is there, transposition, triangles that
 * are solved. */
#include "numbers.cuh"

#define ONE_KERNEL(letter, type, name, threads, ...) \
	extern "C" __global__ __launch_bounds__(threads) void ct_blas_##letter##name(ct_blas_level2 g) \
	{ \
		__VA_ARGS__<type>(g); \
	}
#define KERNELS(name, threads) \
	ONE_KERNEL(s, float, name, threads, name) \
	ONE_KERNEL(d, double, name, threads, name) \
	ONE_KERNEL(c, c32, name, threads, name) \
	ONE_KERNEL(z, c64, name, threads, name)

/* Writes alpha * sum + beta * y, which is not read where beta is zero. */
template <class T> __device__ __forceinline__ void finish_row(const ct_blas_level2 &g, T *y, int64_t i, T sum)
{
	T beta = scalar<T>(g.beta), v = scalar<T>(g.alpha) * sum;
	put(y + i * g.y.stride, is_zero(beta) ? v : fused(beta, get(y + i * g.y.stride), v));
}

/* y = alpha * a * x + beta * y: a CTA has 64 rows, whose columns four groups of threads share. */
template <class T> __device__ __forceinline__ void gemv_n(const ct_blas_level2 &g)
{
	enum { ROWS = 64, GROUPS = 4 };
	__shared__ T sums[GROUPS][ROWS];
	int64_t batch = g.first + int64_t(blockIdx.z);
	const T *a = matrix<const T>(g.a, g.flags, batch), *x = vector<const T>(g.x, g.flags, batch);
	int i = threadIdx.x % ROWS, group = threadIdx.x / ROWS, row = blockIdx.x * ROWS + i;
	T sum = T(0);
	int columns = is_zero(scalar<T>(g.alpha)) ? 0 : g.n; /* neither a nor x is read then */
	for (int j = group; j < columns && row < g.m; j += GROUPS)
		sum = fused(get(a + row + j * g.a.ld), get(x + j * g.x.stride), sum);
	sums[group][i] = sum;
	__syncthreads();
	if (group == 0 && row < g.m)
		finish_row(g, vector<T>(g.y, g.flags, batch), row, (sums[0][i] + sums[1][i]) + (sums[2][i] + sums[3][i]));
}
KERNELS(gemv_n, 256)

/* y = alpha * a^T * x + beta * y: a CTA has eight columns, each of which a warp sums. */
template <class T> __device__ __forceinline__ void gemv_t(const ct_blas_level2 &g)
{
	__shared__ T sums[256];
	int64_t batch = g.first + int64_t(blockIdx.z);
	const T *a = matrix<const T>(g.a, g.flags, batch), *x = vector<const T>(g.x, g.flags, batch);
	int lane = threadIdx.x % 32, column = blockIdx.x * 8 + threadIdx.x / 32;
	T sum = T(0);
	int rows = is_zero(scalar<T>(g.alpha)) ? 0 : g.m;
	for (int i = lane; i < rows && column < g.n; i += 32) {
		T v = get(a + i + column * g.a.ld);
		sum = fused(g.flags & CT_BLAS_CONJ_A ? conjugate(v) : v, get(x + i * g.x.stride), sum);
	}
	sums[threadIdx.x] = sum;
	for (int half = 16; half > 0; half /= 2) {
		__syncthreads();
		if (lane < half)
			sums[threadIdx.x] = sums[threadIdx.x] + sums[threadIdx.x + half];
	}
	if (lane == 0 && column < g.n)
		finish_row(g, vector<T>(g.y, g.flags, batch), column, sums[threadIdx.x]);
}
KERNELS(gemv_t, 256)

/* a += alpha * x * y^T, of a triangle where one is meant; CT_BLAS_CONJ_B: the conjugate of y. A CTA has 32 x 32. */
template <class T> __device__ __forceinline__ void ger(const ct_blas_level2 &g)
{
	T *a = matrix<T>(g.a, 0, 0), alpha = scalar<T>(g.alpha, g.flags & CT_BLAS_REAL_SCALARS);
	int row = blockIdx.x * 32 + threadIdx.x % 32;
	if (is_zero(alpha))
		return;
	for (int k = 0; k < 4; k++) {
		int column = blockIdx.y * 32 + threadIdx.x / 32 * 4 + k;
		if (row >= g.m || column >= g.n || ((g.flags & CT_BLAS_LOWER) && row < column) || ((g.flags & CT_BLAS_UPPER) && row > column))
			continue;
		T y = get((const T *)g.y.at + column * g.y.stride), *at = a + row + column * g.a.ld;
		T v = fused(alpha * get((const T *)g.x.at + row * g.x.stride), g.flags & CT_BLAS_CONJ_B ? conjugate(y) : y, get(at));
		put(at, g.flags & CT_BLAS_HERMITIAN && row == column ? only_real(v) : v);
	}
}
KERNELS(ger, 256)

/* Element (i, j) of a symmetric, Hermitian or triangular matrix of which one triangle is there. */
template <class T> __device__ __forceinline__ T element_of(const ct_blas_level2 &g, const T *a, int i, int j)
{
	bool transposed, inside, conj = g.flags & CT_BLAS_CONJ_A;
	if (g.flags & CT_BLAS_TRIANGULAR) {
		transposed = g.flags & CT_BLAS_TRANSPOSED;
		int row = transposed ? j : i, column = transposed ? i : j;
		inside = g.flags & CT_BLAS_LOWER ? row >= column : row <= column;
		if (i == j && g.flags & CT_BLAS_UNIT)
			return T(1);
	} else {
		transposed = g.flags & CT_BLAS_LOWER ? i < j : i > j;
		conj = transposed && g.flags & CT_BLAS_HERMITIAN;
		inside = true;
	}
	if (!inside || i >= g.m || j >= g.m)
		return T(0);
	T v = get(transposed ? a + j + i * g.a.ld : a + i + j * g.a.ld);
	if (i == j && g.flags & CT_BLAS_HERMITIAN)
		v = only_real(v);
	return conj ? conjugate(v) : v;
}

/* 1: the tile (i0, j0) of that matrix lies in memory with its rows side by side. */
__device__ inline bool lies_by_rows(int flags, int i0, int j0)
{
	return flags & CT_BLAS_TRIANGULAR ? flags & CT_BLAS_TRANSPOSED : flags & CT_BLAS_LOWER ? i0 < j0 : i0 > j0;
}

/* A tile of it, of 32 x 32, read along memory. */
template <class T> __device__ __forceinline__ void load_tile(const ct_blas_level2 &g, const T *a, int i0, int j0, T tile[32][33])
{
	bool by_rows = lies_by_rows(g.flags, i0, j0);
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	for (int k = warp; k < 32; k += 8) {
		int i = by_rows ? k : lane, j = by_rows ? lane : k;
		tile[i][j] = element_of(g, a, i0 + i, j0 + j);
	}
}

/* y = alpha * a * x + beta * y for such a matrix. A CTA has 32 rows. */
template <class T> __device__ __forceinline__ void structured_mv(const ct_blas_level2 &g)
{
	__shared__ T tile[32][33];
	const T *a = matrix<const T>(g.a, 0, 0);
	int i = threadIdx.x % 32, group = threadIdx.x / 32, row = blockIdx.x * 32 + i;
	T sum = T(0);
	int columns = is_zero(scalar<T>(g.alpha)) ? 0 : g.m;
	for (int j0 = 0; j0 < columns; j0 += 32) {
		load_tile(g, a, blockIdx.x * 32, j0, tile);
		__syncthreads();
		for (int j = group * 4; j < group * 4 + 4 && j0 + j < g.m; j++)
			sum = fused(tile[i][j], get((const T *)g.x.at + (j0 + j) * g.x.stride), sum);
		__syncthreads();
	}
	tile[group][i] = sum;
	__syncthreads();
	if (group != 0 || row >= g.m)
		return;
	for (int k = 1; k < 8; k++)
		sum = sum + tile[k][i];
	finish_row(g, (T *)g.y.at, row, sum);
}
KERNELS(structured_mv, 256)

/* Writes such a matrix with both triangles to c. */
template <class T> __device__ __forceinline__ void expand(const ct_blas_level2 &g)
{
	__shared__ T tile[32][33];
	T *c = matrix<T>(g.c, 0, 0);
	int i0 = blockIdx.x * 32, j0 = blockIdx.y * 32, i = threadIdx.x % 32;
	load_tile(g, matrix<const T>(g.a, 0, 0), i0, j0, tile);
	__syncthreads();
	for (int j = threadIdx.x / 32; j < 32; j += 8)
		if (i0 + i < g.m && j0 + j < g.m)
			put(c + i0 + i + (j0 + j) * g.c.ld, tile[i][j]);
}
KERNELS(expand, 256)

/* The part of op(a) in a tile, times alpha; nothing is read where alpha is zero. */
template <class T>
__device__ __forceinline__ void load_term(const ct_blas_level2 &g, const ct_blas_matrix &m, const ct_blas_scalar &by, bool transposed, bool conj, T tile[32][33])
{
	T alpha = scalar<T>(by);
	const T *a = matrix<const T>(m, 0, 0);
	int lane = threadIdx.x % 32;
	for (int k = threadIdx.x / 32; k < 32; k += 8) {
		int i = transposed ? k : lane, j = transposed ? lane : k, row = blockIdx.x * 32 + i, column = blockIdx.y * 32 + j;
		T v = T(0);
		if (row < g.m && column < g.n && !is_zero(alpha)) {
			v = get(transposed ? a + column + row * m.ld : a + row + column * m.ld);
			v = alpha * (conj ? conjugate(v) : v);
		}
		tile[i][j] = v;
	}
}

/* c = alpha * op(a) + beta * op(b) */
template <class T> __device__ __forceinline__ void geam(const ct_blas_level2 &g)
{
	__shared__ T tile_a[32][33], tile_b[32][33];
	int i = threadIdx.x % 32, row = blockIdx.x * 32 + i;
	load_term(g, g.a, g.alpha, g.flags & CT_BLAS_TRANSPOSED, g.flags & CT_BLAS_CONJ_A, tile_a);
	load_term(g, g.b, g.beta, g.flags & CT_BLAS_TRANSPOSED_B, g.flags & CT_BLAS_CONJ_B, tile_b);
	__syncthreads();
	for (int j = threadIdx.x / 32; j < 32; j += 8) {
		int column = blockIdx.y * 32 + j;
		if (row < g.m && column < g.n)
			put(matrix<T>(g.c, 0, 0) + row + column * g.c.ld, tile_a[i][j] + tile_b[i][j]);
	}
}
KERNELS(geam, 256)

/* c = a * diag(x), or with CT_BLAS_TRANSPOSED diag(x) * a */
template <class T> __device__ __forceinline__ void dgmm(const ct_blas_level2 &g)
{
	int row = blockIdx.x * 32 + threadIdx.x % 32;
	for (int k = 0; k < 4; k++) {
		int column = blockIdx.y * 32 + threadIdx.x / 32 * 4 + k;
		if (row >= g.m || column >= g.n)
			continue;
		T x = get((const T *)g.x.at + (g.flags & CT_BLAS_TRANSPOSED ? row : column) * g.x.stride);
		put(matrix<T>(g.c, 0, 0) + row + column * g.c.ld, x * get(matrix<const T>(g.a, 0, 0) + row + column * g.a.ld));
	}
}
KERNELS(dgmm, 256)

/* Solves op(a) * x = alpha * b for a triangle of at most 16 rows and g.n right sides; x takes b's place. Element (i, j) of b is at
 * i * c.ld + j * b.ld, so that right sides may be rows. A thread solves one of them. */
template <class T> __device__ __forceinline__ void solve(const ct_blas_level2 &g)
{
	enum { SIDE = 16, SIDES = 64 };
	__shared__ T tile[SIDE][SIDE + 1], x[SIDE][SIDES + 1];
	int64_t batch = g.first + int64_t(blockIdx.z), across = g.c.ld, along = g.b.ld;
	const T *a = matrix<const T>(g.a, g.flags, batch);
	T *b = matrix<T>(g.b, g.flags, batch), alpha = scalar<T>(g.alpha);
	int first = blockIdx.x * SIDES, t = threadIdx.x;
	for (int e = t; e < g.m * g.m; e += SIDES)
		tile[e / g.m][e % g.m] = element_of(g, a, e / g.m, e % g.m);
	for (int e = t; e < g.m * SIDES; e += SIDES) {
		int i = across == 1 ? e % g.m : e / SIDES, j = across == 1 ? e / g.m : e % SIDES;
		if (first + j < g.n)
			x[i][j] = is_zero(alpha) ? T(0) : alpha * get(b + i * across + (first + j) * along);
	}
	__syncthreads();
	bool backward = g.flags & CT_BLAS_BACKWARD;
	for (int s = 0; s < g.m && first + t < g.n; s++) {
		int i = backward ? g.m - 1 - s : s;
		T v = x[i][t];
		for (int k = backward ? i + 1 : 0; k < (backward ? g.m : i); k++)
			v = v - tile[i][k] * x[k][t];
		x[i][t] = g.flags & CT_BLAS_UNIT ? v : v / tile[i][i];
	}
	__syncthreads();
	for (int e = t; e < g.m * SIDES; e += SIDES) {
		int i = across == 1 ? e % g.m : e / SIDES, j = across == 1 ? e / g.m : e % SIDES;
		if (first + j < g.n)
			put(b + i * across + (first + j) * along, x[i][j]);
	}
}
KERNELS(solve, 64)
