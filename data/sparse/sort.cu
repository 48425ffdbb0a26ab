/* Sums of all numbers before each, and a sort by four bits at a time that keeps the order of equal keys. */
#include "numbers.cuh"

enum { EACH = 4, TILE = THREADS * EACH, DIGITS = 16 };

/* The sum of v of all threads before this one, and in *all that of all of the CTA. */
template <class I> __device__ __forceinline__ I sum_before(I v, I *all)
{
	__shared__ I warps[THREADS / 32];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	I sum = v;
	for (int d = 1; d < 32; d *= 2) {
		I below = from_below(sum, d);
		if (lane >= d)
			sum += below;
	}
	__syncthreads(); /* the sums of the call before are read */
	if (lane == 31)
		warps[warp] = sum;
	__syncthreads();
	I before = 0, total = 0;
	for (int w = 0; w < THREADS / 32; w++) {
		before += w < warp ? warps[w] : 0;
		total += warps[w];
	}
	*all = total;
	return before + sum - v;
}

/* ---- sums ---- */

/* The four counts of this thread, of a tile; zeros behind the last. */
template <class I> __device__ __forceinline__ I load_counts(const I *counts, int64_t count, int64_t tile, I v[EACH])
{
	I sum = 0;
#pragma unroll
	for (int k = 0; k < EACH; k++) {
		int64_t i = tile * TILE + threadIdx.x * EACH + k;
		v[k] = i < count ? get(counts + i) : I(0);
		sum += v[k];
	}
	return sum;
}
/* Writes the sums before them, from `base`. */
template <class I> __device__ __forceinline__ void store_sums(I *counts, int64_t count, int64_t tile, const I v[EACH], I base)
{
#pragma unroll
	for (int k = 0; k < EACH; k++) {
		int64_t i = tile * TILE + threadIdx.x * EACH + k;
		if (i < count)
			put(counts + i, base);
		base += v[k];
		if (i == count - 1)
			put(counts + count, base);
	}
}

/* The sum of a tile's counts. */
template <class I> __device__ __forceinline__ void scan_parts(const ct_sparse_scan &g)
{
	I v[EACH], all;
	sum_before(load_counts((const I *)g.counts, g.count, blockIdx.x, v), &all);
	if (threadIdx.x == 0)
		put((I *)g.parts + blockIdx.x, all);
}
OF_INDICES(scan_parts, ct_sparse_scan)

/* One CTA makes sums of them. */
template <class I> __device__ __forceinline__ void scan_totals(const ct_sparse_scan &g)
{
	I v[EACH], all, base = I(g.base);
	int64_t parts = (g.count + TILE - 1) / TILE;
	for (int64_t tile = 0; tile * TILE < parts; tile++) {
		I before = sum_before(load_counts((const I *)g.parts, parts, tile, v), &all);
		store_sums((I *)g.parts, parts, tile, v, base + before);
		base += all;
	}
}
OF_INDICES(scan_totals, ct_sparse_scan)

template <class I> __device__ __forceinline__ void scan(const ct_sparse_scan &g)
{
	I v[EACH], all, base = g.parts ? get((const I *)g.parts + blockIdx.x) : I(g.base);
	I before = sum_before(load_counts((const I *)g.counts, g.count, blockIdx.x, v), &all);
	store_sums((I *)g.counts, g.count, blockIdx.x, v, base + before);
	if (g.count == 0 && threadIdx.x == 0)
		put((I *)g.counts, base);
}
OF_INDICES(scan, ct_sparse_scan)

/* ---- order ---- */

__device__ __forceinline__ int32_t permuted(const ct_sparse_sort &g, int64_t i)
{
	return g.permutation ? get(g.permutation + i) : int32_t(i);
}
extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_permute(ct_sparse_sort g)
{
	int64_t i = thread_number();
	if (i < g.count)
		put(g.key_out + i, get(g.key + permuted(g, i)));
}

/* How many keys of a tile have each digit. */
extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_sort_count(ct_sparse_sort g)
{
	__shared__ int32_t sums[DIGITS];
	if (threadIdx.x < DIGITS)
		sums[threadIdx.x] = 0;
	__syncthreads();
	for (int k = 0; k < EACH; k++) {
		int64_t i = int64_t(blockIdx.x) * TILE + k * THREADS + threadIdx.x;
		if (i < g.count)
			atomicAdd(&sums[get(g.key + i) >> g.shift & (DIGITS - 1)], 1);
	}
	__syncthreads();
	if (threadIdx.x < DIGITS)
		put(g.counts + threadIdx.x * g.tiles + blockIdx.x, sums[threadIdx.x]);
}

/* Moves a tile's keys to where their digits go: threads have four keys each that follow each other, and digits of the tile are counted by thread. */
extern "C" __global__ __launch_bounds__(THREADS) void ct_sparse_sort_move(ct_sparse_sort g)
{
	__shared__ int32_t places[DIGITS * THREADS];
	int64_t first = int64_t(blockIdx.x) * TILE + threadIdx.x * EACH;
	int32_t key[EACH], all, sum = 0;
	for (int d = 0; d < DIGITS; d++)
		places[d * THREADS + threadIdx.x] = 0;
#pragma unroll
	for (int k = 0; k < EACH; k++)
		if (first + k < g.count) {
			key[k] = get(g.key + first + k);
			places[(key[k] >> g.shift & (DIGITS - 1)) * THREADS + threadIdx.x]++;
		}
	__syncthreads();
	int32_t *mine = places + threadIdx.x * DIGITS;
	for (int d = 0; d < DIGITS; d++)
		sum += mine[d];
	sum = sum_before(sum, &all);
	for (int d = 0; d < DIGITS; d++) {
		int32_t v = mine[d];
		mine[d] = sum;
		sum += v;
	}
	__syncthreads();
#pragma unroll
	for (int k = 0; k < EACH; k++)
		if (first + k < g.count) {
			int digit = key[k] >> g.shift & (DIGITS - 1), rank = 0;
			for (int j = 0; j < k; j++)
				rank += (key[j] >> g.shift & (DIGITS - 1)) == digit;
			int32_t to = get(g.counts + digit * g.tiles + blockIdx.x) + places[digit * THREADS + threadIdx.x] - places[digit * THREADS] + rank;
			put(g.key_out + to, key[k]);
			put(g.permutation_out + to, permuted(g, first + k));
		}
}
