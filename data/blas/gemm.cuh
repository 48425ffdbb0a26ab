/* gemm.cuh - products of matrices on the cores for single numbers: d = alpha * op(a) * op(b) + beta * c.
 *
 * A CTA makes a tile of ROWS x COLUMNS. It goes along k in steps of DEPTH: the next step's parts of a and b are on their way from memory to
 * registers, as vectors of 16 bytes where all of one lies inside and is aligned, while this step's are multiplied out of shared memory; there
 * are two stages, and one barrier a step. Both parts lie in shared memory with their rows (of a) or columns (of b) side by side, whatever the
 * matrix' order is. A thread makes R x C results in registers, in groups of as many as a vector of shared memory has, so that
 * lanes read neighbouring vectors. What lies outside of a matrix is read as zero and not written. */
#ifndef CT_BLAS_GEMM_CUH
#define CT_BLAS_GEMM_CUH

#include <mma.h>
#include <type_traits>

#include "numbers.cuh"

constexpr __host__ __device__ int lesser(int a, int b)
{
	return a < b ? a : b;
}

/* What numbers of memory are to compute with; `type` tells apart those that are bytes alike. */
template <class Acc, class In> __device__ Acc decoded(In v, int, bool)
{
	return Acc(v);
}
template <> __device__ inline c32 decoded<c32, c32>(c32 v, int, bool conj)
{
	return conj ? conjugate(v) : v;
}
template <> __device__ inline c64 decoded<c64, c64>(c64 v, int, bool conj)
{
	return conj ? conjugate(v) : v;
}
template <> __device__ inline float decoded<float, __nv_bfloat16>(__nv_bfloat16 v, int, bool)
{
	return __bfloat162float(v);
}
template <> __device__ inline float decoded<float, uint8_t>(uint8_t v, int type, bool)
{
	return type == CT_BLAS_E5M2 ? float(__builtin_bit_cast(__nv_fp8_e5m2, v)) : float(__builtin_bit_cast(__nv_fp8_e4m3, v));
}

/* A part of a factor of WIDTH rows (or columns) and DEPTH of k, on its way. With ALONG_K its neighbours in memory are those along k. */
template <class In, class Acc, int WIDTH, int DEPTH, int THREADS, bool ALONG_K> struct part {
	static constexpr int EACH = WIDTH * DEPTH / THREADS;
	static constexpr int N = lesser(EACH, 16 / int(sizeof(In)));
	static constexpr int PITCH = WIDTH + (sizeof(Acc) < 16 ? 16 / int(sizeof(Acc)) : 1);
	static_assert(EACH * THREADS == WIDTH * DEPTH && EACH % N == 0 && (ALONG_K ? DEPTH : WIDTH) % N == 0, "tile");
	In kept[EACH];

	/* Place of the thread's vector number i. */
	__device__ static void place(int i, int *w, int *k)
	{
		int at = (i * THREADS + int(threadIdx.x)) * N;
		*w = ALONG_K ? at / DEPTH : at % WIDTH;
		*k = ALONG_K ? at % DEPTH : at / WIDTH;
	}

	__device__ void load(const In *p, int64_t ld, int w0, int k0, int width, int depth, bool wide)
	{
#pragma unroll
		for (int i = 0; i < EACH / N; i++) {
			int w, k;
			place(i, &w, &k);
			w += w0;
			k += k0;
			const In *from = p + (ALONG_K ? w * ld + k : k * ld + w);
			bool first = w < width && k < depth, all = ALONG_K ? k + N <= depth : w + N <= width;
			if (wide && first && all) {
				unpack<In, N>(&kept[i * N], *(const CT_BLAS_GLOBAL words_of<In, N> *)from);
				continue;
			}
#pragma unroll
			for (int j = 0; j < N; j++)
				kept[i * N + j] = (ALONG_K ? w < width && k + j < depth : w + j < width && k < depth) ? get(from + j) : In(0);
		}
	}

	__device__ void store(Acc *tile, int type, bool conj) const
	{
#pragma unroll
		for (int i = 0; i < EACH / N; i++) {
			int w, k;
			Acc v[N];
			place(i, &w, &k);
#pragma unroll
			for (int j = 0; j < N; j++)
				v[j] = decoded<Acc>(kept[i * N + j], type, conj);
			if constexpr (!ALONG_K && N * sizeof(Acc) <= 16) {
				pack_shared<Acc, N>(&tile[k * PITCH + w], v);
				continue;
			}
#pragma unroll
			for (int j = 0; j < N; j++)
				tile[ALONG_K ? (k + j) * PITCH + w : k * PITCH + w + j] = v[j];
		}
	}

	/* The same as it lies in memory, for tensor cores, which take both orders. */
	static constexpr int ROW = (ALONG_K ? DEPTH : WIDTH) + 16 / int(sizeof(In));
	__device__ void store_unchanged(In *tile) const
	{
#pragma unroll
		for (int i = 0; i < EACH / N; i++) {
			int w, k;
			place(i, &w, &k);
			*(words_of<In, N> *)&tile[ALONG_K ? w * ROW + k : k * ROW + w] = packed<In, N>(&kept[i * N]);
		}
	}
};

/* alpha and beta of products in single precision, which may be halves. */
__device__ inline float mixed_scalar(const ct_blas_scalar &s, int flags)
{
	return s.at && flags & CT_BLAS_HALF_SCALARS ? __half2float(get((const __half *)s.at)) : scalar<float>(s);
}

/* The bias and the function that follow a product. GELU is the one by tanh. */
__device__ inline float finished(const ct_blas_gemm &g, float v, int row)
{
	if (g.flags & CT_BLAS_BIAS)
		v += load_as(g.bias, row, g.bias_type);
	if (g.flags & CT_BLAS_RELU)
		v = v > 0 ? v : 0.0f;
	if (g.flags & CT_BLAS_GELU)
		v = 0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
	return v;
}

__device__ inline int bytes_of(int type)
{
	switch (type) {
	case CT_BLAS_F64:
	case CT_BLAS_C32: return 8;
	case CT_BLAS_C64: return 16;
	case CT_BLAS_F16:
	case CT_BLAS_BF16: return 2;
	case CT_BLAS_I8:
	case CT_BLAS_E4M3:
	case CT_BLAS_E5M2: return 1;
	default: return 4;
	}
}

/* The matrix of a batch whose type the kernel learns when it runs. */
__device__ inline void *typed_matrix(const ct_blas_matrix &m, int flags, int64_t batch, int type)
{
	return one_of<char>(m.at, flags, m.batch * bytes_of(type), batch) + m.offset * bytes_of(type);
}

/* 1: the result is inside of the matrix, and of the triangle that is meant. */
__device__ inline bool is_wanted(const ct_blas_gemm &g, int row, int column)
{
	return row < g.m && column < g.n && !((g.flags & CT_BLAS_LOWER) && row < column) && !((g.flags & CT_BLAS_UPPER) && row > column);
}

/* A factor of the device; 1: there is none. */
__device__ inline float factor(const float *at)
{
	return at ? get(at) : 1.0f;
}

/* Writes a tile out of shared memory as numbers whose type the kernel learns when it runs. */
template <int ROWS, int COLUMNS, int THREADS> __device__ __forceinline__ void write_tile(const ct_blas_gemm &g, const float *tile, int pitch, int64_t batch)
{
	float alpha = mixed_scalar(g.alpha, g.flags), beta = mixed_scalar(g.beta, g.flags), largest = 0;
	alpha *= factor(g.a_scale) * factor(g.b_scale);
	beta *= factor(g.c_scale);
	const void *c = typed_matrix(g.c, g.flags, batch, g.c_type);
	void *d = typed_matrix(g.d, g.flags, batch, g.d_type);
#pragma unroll 1
	for (int e = threadIdx.x; e < ROWS * COLUMNS; e += THREADS) {
		int i = e % ROWS, j = e / ROWS, row = blockIdx.x * ROWS + i, column = blockIdx.y * COLUMNS + j;
		if (!is_wanted(g, row, column))
			continue;
		float v = alpha * tile[i + j * pitch];
		if (beta != 0)
			v = fmaf(beta, load_as(c, row + column * g.c.ld, g.c_type), v);
		v = finished(g, v, row);
		largest = fmaxf(largest, fabsf(v));
		store_as(d, row + column * g.d.ld, g.d_type, v * factor(g.d_scale));
	}
	if (g.largest) /* numbers that are not negative have the order of their bits */
		atomicMax((int *)g.largest, __float_as_int(largest));
}
template <int ROWS, int COLUMNS, int THREADS> __device__ __forceinline__ void write_tile(const ct_blas_gemm &g, const int *tile, int pitch, int64_t batch)
{
	bool whole = g.d_type == CT_BLAS_I32;
	int alpha = scalar<int>(g.alpha), beta = scalar<int>(g.beta);
	float falpha = scalar<float>(g.alpha), fbeta = scalar<float>(g.beta);
	const void *c = typed_matrix(g.c, g.flags, batch, g.c_type);
	void *d = typed_matrix(g.d, g.flags, batch, g.d_type);
#pragma unroll 1
	for (int e = threadIdx.x; e < ROWS * COLUMNS; e += THREADS) {
		int i = e % ROWS, j = e / ROWS, row = blockIdx.x * ROWS + i, column = blockIdx.y * COLUMNS + j, sum = tile[i + j * pitch];
		int64_t at_c = row + column * g.c.ld, at_d = row + column * g.d.ld;
		if (!is_wanted(g, row, column))
			continue;
		if (whole)
			put((int *)d + at_d, alpha * sum + (beta ? beta * get((const int *)c + at_c) : 0));
		else
			put((float *)d + at_d, falpha * (float)sum + (fbeta != 0 ? fbeta * get((const float *)c + at_c) : 0));
	}
}

/* How many summands there are: none where alpha is zero, since the factors are not read then. */
template <class Acc> __device__ __forceinline__ int summands(const ct_blas_gemm &g)
{
	return is_zero(scalar<Acc>(g.alpha, g.flags & CT_BLAS_REAL_SCALARS)) ? 0 : g.k;
}
template <> __device__ inline int summands<float>(const ct_blas_gemm &g)
{
	return mixed_scalar(g.alpha, g.flags) == 0 ? 0 : g.k;
}
template <> __device__ inline int summands<int>(const ct_blas_gemm &g)
{
	return scalar<int>(g.alpha) == 0 ? 0 : g.k; /* the bits of single precision's zero, too */
}

template <class In, class Acc, bool MIXED, int ROWS, int COLUMNS, int DEPTH, int R, int C, bool TA, bool TB>
__device__ __forceinline__ void multiply(const ct_blas_gemm &g)
{
	constexpr int ACROSS = ROWS / R, THREADS = ACROSS * (COLUMNS / C);
	constexpr int GR = lesser(R, sizeof(Acc) < 16 ? 16 / int(sizeof(Acc)) : 1), GC = lesser(C, sizeof(Acc) < 16 ? 16 / int(sizeof(Acc)) : 1);
	typedef part<In, Acc, ROWS, DEPTH, THREADS, TA> part_a;
	typedef part<In, Acc, COLUMNS, DEPTH, THREADS, !TB> part_b;
	__shared__ __align__(16) Acc tile_a[2][DEPTH * part_a::PITCH];
	__shared__ __align__(16) Acc tile_b[2][DEPTH * part_b::PITCH];
	int64_t batch = g.first + int64_t(blockIdx.z);
	int row0 = blockIdx.x * ROWS, column0 = blockIdx.y * COLUMNS;
	if (((g.flags & CT_BLAS_LOWER) && row0 + ROWS <= column0) || ((g.flags & CT_BLAS_UPPER) && column0 + COLUMNS <= row0))
		return;
	const In *a = matrix<const In>(g.a, g.flags, batch), *b = matrix<const In>(g.b, g.flags, batch);
	part_a from_a;
	part_b from_b;
	bool wide_a = g.flags & CT_BLAS_WIDE_A, wide_b = g.flags & CT_BLAS_WIDE_B;
	bool conj_a = g.flags & CT_BLAS_CONJ_A, conj_b = g.flags & CT_BLAS_CONJ_B;
	Acc sum[R][C];
#pragma unroll
	for (int i = 0; i < R; i++)
#pragma unroll
		for (int j = 0; j < C; j++)
			sum[i][j] = Acc(0);
	int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS, stage = 0, depth = summands<Acc>(g);
	if (depth > 0) {
		from_a.load(a, g.a.ld, row0, 0, g.m, g.k, wide_a);
		from_b.load(b, g.b.ld, column0, 0, g.n, g.k, wide_b);
	}
	for (int at = 0; at < depth; at += DEPTH, stage ^= 1) {
		from_a.store(tile_a[stage], g.a_type, conj_a);
		from_b.store(tile_b[stage], g.b_type, conj_b);
		__syncthreads();
		if (at + DEPTH < depth) {
			from_a.load(a, g.a.ld, row0, at + DEPTH, g.m, g.k, wide_a);
			from_b.load(b, g.b.ld, column0, at + DEPTH, g.n, g.k, wide_b);
		}
#pragma unroll
		for (int k = 0; k < DEPTH; k++) {
			Acc va[R], vb[C];
#pragma unroll
			for (int i = 0; i < R / GR; i++)
				unpack_shared<Acc, GR>(&va[i * GR], &tile_a[stage][k * part_a::PITCH + (i * ACROSS + x) * GR]);
#pragma unroll
			for (int j = 0; j < C / GC; j++)
				unpack_shared<Acc, GC>(&vb[j * GC], &tile_b[stage][k * part_b::PITCH + (j * (COLUMNS / C) + y) * GC]);
#pragma unroll
			for (int i = 0; i < R; i++)
#pragma unroll
				for (int j = 0; j < C; j++)
					sum[i][j] = fused(va[i], vb[j], sum[i][j]);
		}
	}
	if constexpr (MIXED) {
		__shared__ Acc tile[ROWS * COLUMNS];
#pragma unroll
		for (int i = 0; i < R; i++)
#pragma unroll
			for (int j = 0; j < C; j++)
				tile[(i / GR * ACROSS + x) * GR + i % GR + ((j / GC * (COLUMNS / C) + y) * GC + j % GC) * ROWS] = sum[i][j];
		__syncthreads();
		write_tile<ROWS, COLUMNS, THREADS>(g, tile, ROWS, batch);
	} else {
		bool real = g.flags & CT_BLAS_REAL_SCALARS;
		Acc alpha = scalar<Acc>(g.alpha, real), beta = scalar<Acc>(g.beta, real);
		const Acc *c = matrix<const Acc>(g.c, g.flags, batch);
		Acc *d = matrix<Acc>(g.d, g.flags, batch);
		bool reads = !is_zero(beta);
#pragma unroll
		for (int j = 0; j < C; j++) {
			int column = column0 + (j / GC * (COLUMNS / C) + y) * GC + j % GC;
#pragma unroll
			for (int i = 0; i < R; i++) {
				int row = row0 + (i / GR * ACROSS + x) * GR + i % GR;
				if (!is_wanted(g, row, column))
					continue;
				Acc v = alpha * sum[i][j];
				v = reads ? fused(beta, get(c + row + column * g.c.ld), v) : v;
				put(d + row + column * g.d.ld, g.flags & CT_BLAS_HERMITIAN && row == column ? only_real(v) : v);
			}
		}
	}
}

/* A CTA has a tile of 64 x 64 on tensor cores, four warps 32 x 32 each of it. Sums are of single precision. */
template <class In, bool TA, bool TB> __device__ __forceinline__ void multiply_on_tensor_cores(const ct_blas_gemm &g)
{
	using namespace nvcuda;
	constexpr int SIDE = 64, DEPTH = 32, THREADS = 128, PITCH = SIDE + 4;
	typedef part<In, In, SIDE, DEPTH, THREADS, TA> part_a;
	typedef part<In, In, SIDE, DEPTH, THREADS, !TB> part_b;
	constexpr int BYTES_A = (TA ? SIDE : DEPTH) * part_a::ROW * int(sizeof(In)), BYTES_B = (TB ? DEPTH : SIDE) * part_b::ROW * int(sizeof(In));
	constexpr int BYTES = BYTES_A + BYTES_B;
	static_assert(2 * BYTES >= SIDE * PITCH * 4, "results take the place of the factors");
	__shared__ __align__(32) char shared[2 * BYTES];
	int64_t batch = g.first + int64_t(blockIdx.z);
	int row0 = blockIdx.x * SIDE, column0 = blockIdx.y * SIDE, warp = threadIdx.x / 32, x = warp % 2 * 32, y = warp / 2 * 32;
	const In *a = matrix<const In>(g.a, g.flags, batch), *b = matrix<const In>(g.b, g.flags, batch);
	bool wide_a = g.flags & CT_BLAS_WIDE_A, wide_b = g.flags & CT_BLAS_WIDE_B;
	part_a from_a;
	part_b from_b;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
#pragma unroll
	for (int i = 0; i < 4; i++)
		wmma::fill_fragment(sum[i / 2][i % 2], 0.0f);
	int depth = mixed_scalar(g.alpha, g.flags) == 0 ? 0 : g.k;
	if (depth > 0) {
		from_a.load(a, g.a.ld, row0, 0, g.m, g.k, wide_a);
		from_b.load(b, g.b.ld, column0, 0, g.n, g.k, wide_b);
	}
	for (int at = 0, stage = 0; at < depth; at += DEPTH, stage ^= 1) {
		In *tile_a = (In *)(shared + stage * BYTES), *tile_b = (In *)(shared + stage * BYTES + BYTES_A);
		from_a.store_unchanged(tile_a);
		from_b.store_unchanged(tile_b);
		__syncthreads();
		if (at + DEPTH < depth) {
			from_a.load(a, g.a.ld, row0, at + DEPTH, g.m, g.k, wide_a);
			from_b.load(b, g.b.ld, column0, at + DEPTH, g.n, g.k, wide_b);
		}
#pragma unroll
		for (int k = 0; k < DEPTH; k += 16) {
			wmma::fragment<wmma::matrix_a, 16, 16, 16, In, typename std::conditional<TA, wmma::row_major, wmma::col_major>::type> fa[2];
			wmma::fragment<wmma::matrix_b, 16, 16, 16, In, typename std::conditional<TB, wmma::row_major, wmma::col_major>::type> fb[2];
#pragma unroll
			for (int i = 0; i < 2; i++) {
				int w = x + i * 16, v = y + i * 16;
				wmma::load_matrix_sync(fa[i], tile_a + (TA ? w * part_a::ROW + k : k * part_a::ROW + w), part_a::ROW);
				wmma::load_matrix_sync(fb[i], tile_b + (TB ? k * part_b::ROW + v : v * part_b::ROW + k), part_b::ROW);
			}
#pragma unroll
			for (int i = 0; i < 4; i++)
				wmma::mma_sync(sum[i / 2][i % 2], fa[i / 2], fb[i % 2], sum[i / 2][i % 2]);
		}
	}
	float *tile = (float *)shared;
	__syncthreads();
#pragma unroll
	for (int i = 0; i < 4; i++)
		wmma::store_matrix_sync(tile + x + i / 2 * 16 + (y + i % 2 * 16) * PITCH, sum[i / 2][i % 2], PITCH, wmma::mem_col_major);
	__syncthreads();
	write_tile<SIDE, SIDE, THREADS>(g, tile, PITCH, batch);
}

/* The four kernels of a tile, by which factors are transposed. They are called PREFIX_ROWSxCOLUMNS_nn and so on. */
#define CT_BLAS_GEMM(prefix, in, acc, mixed, rows, columns, depth, r, c, order, ta, tb) \
	extern "C" __global__ __launch_bounds__((rows / r) * (columns / c)) void prefix##_##rows##x##columns##_##order(ct_blas_gemm g) \
	{ \
		multiply<in, acc, mixed, rows, columns, depth, r, c, ta, tb>(g); \
	}
#define CT_BLAS_GEMMS(prefix, in, acc, mixed, rows, columns, depth, r, c) \
	CT_BLAS_GEMM(prefix, in, acc, mixed, rows, columns, depth, r, c, nn, false, false) \
	CT_BLAS_GEMM(prefix, in, acc, mixed, rows, columns, depth, r, c, nt, false, true) \
	CT_BLAS_GEMM(prefix, in, acc, mixed, rows, columns, depth, r, c, tn, true, false) \
	CT_BLAS_GEMM(prefix, in, acc, mixed, rows, columns, depth, r, c, tt, true, true)

#endif
