/* mri-gridding - samples spread over a regular grid as in Parboil: they are counted per bin of 4 x 4 x 4 grid points, a
 * scan gives each bin its place, samples move there, and a CTA per bin gathers from its 27 neighbours. Size paper does as
 * Parboil's kernels do: a bin is one grid point, samples are complex, and a CTA takes them into shared memory. */
#include "inputs.h"

enum { BIN = 4, GATHER = BIN * BIN * BIN, BLOCK = 256, SCAN = 1024 };

/* Size paper: samples taken at a time, threads of a CTA, points of each, which lie DEEP apart, bins that a window reaches, and
 * terms of the window's series. */
enum { TILE = 64, WIDE = 8, HIGH = 4, DEEP = 2, POINTS = 4, REACH = 3, TERMS = 14 };

#define RADIUS 2.5f

struct sample {
	float x, y, z, value; /* in size paper value is the density by which it is weighted */
};

struct signal {
	float real, imaginary;
};

#ifdef __CUDACC__
/* A bin is `width` grid points wide. */
static __device__ __forceinline__ void bin_samples(const float4 *samples, int *bin_of, int *counts, int n, int bins,
                                                   int width)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 s = samples[i];
	int x = (int)(s.x * (1.0f / width)), y = (int)(s.y * (1.0f / width)), z = (int)(s.z * (1.0f / width));
	int bin = (z * bins + y) * bins + x;
	bin_of[i] = bin;
	atomicAdd(&counts[bin], 1);
}

extern "C" __global__ void gridding_binning(const float4 *samples, int *bin_of, int *counts, int n, int bins)
{
	bin_samples(samples, bin_of, counts, n, bins, BIN);
}

extern "C" __global__ void gridding_binning_points(const float4 *samples, int *bin_of, int *counts, int n, int side)
{
	bin_samples(samples, bin_of, counts, n, side, 1);
}

/* The sum of a thread's own number and those of the threads before it, by doubling steps; s holds all of them. */
static __device__ __forceinline__ int scan_cta(int *s, int own)
{
	int t = threadIdx.x, sum = own;
	s[t] = sum;
	__syncthreads();
	for (int step = 1; step < SCAN; step *= 2) {
		if (t >= step)
			sum += s[t - step];
		__syncthreads();
		s[t] = sum;
		__syncthreads();
	}
	return sum;
}

/* One CTA scans all bins, SCAN at a time. */
extern "C" __global__ void gridding_scan(const int *counts, int *starts, int *cursors, int n)
{
	__shared__ int s[SCAN];
	int t = threadIdx.x, carry = 0;
	for (int from = 0; from < n; from += SCAN) {
		int i = from + t, own = i < n ? counts[i] : 0, sum = scan_cta(s, own);
		if (i < n) {
			starts[i] = sum - own + carry;
			cursors[i] = sum - own + carry;
		}
		carry += s[SCAN - 1];
		__syncthreads();
	}
}

/* Each CTA scans SCAN bins and leaves their sum. */
extern "C" __global__ void gridding_scan_part(const int *counts, int *starts, int *sums, int n)
{
	__shared__ int s[SCAN];
	int i = blockIdx.x * SCAN + threadIdx.x, own = i < n ? counts[i] : 0, sum = scan_cta(s, own);
	if (i < n)
		starts[i] = sum - own;
	if (threadIdx.x == SCAN - 1)
		sums[blockIdx.x] = sum;
}

/* Adds to each bin's place the scanned sums of the CTAs before its own. */
extern "C" __global__ void gridding_scan_add(const int *sums, int *starts, int *cursors, int n)
{
	int i = blockIdx.x * SCAN + threadIdx.x;
	if (i >= n)
		return;
	int start = starts[i] + sums[blockIdx.x];
	starts[i] = start;
	cursors[i] = start;
}

extern "C" __global__ void
gridding_reorder(const float4 *samples, const int *bin_of, int *cursors, float4 *sorted, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		sorted[atomicAdd(&cursors[bin_of[i]], 1)] = samples[i];
}

/* A thread is a grid point, a CTA a bin. The window (1 - d^2/R^2)^2 stands for the Kaiser-Bessel function. */
extern "C" __global__ void gridding_gather(const float4 *sorted, const int *starts, const int *counts,
                                           float *grid, int bins, int points)
{
	int t = threadIdx.x, bx = blockIdx.x, by = blockIdx.y, bz = blockIdx.z;
	int px = bx * BIN + t % BIN, py = by * BIN + t / BIN % BIN, pz = bz * BIN + t / BIN / BIN;
	float sum = 0;
	for (int z = max(bz - 1, 0); z < min(bz + 2, bins); z++)
		for (int y = max(by - 1, 0); y < min(by + 2, bins); y++)
			for (int x = max(bx - 1, 0); x < min(bx + 2, bins); x++) {
				int bin = (z * bins + y) * bins + x, first = starts[bin], n = counts[bin];
				for (int e = first; e < first + n; e++) {
					float4 s = sorted[e];
					float dx = (float)px - s.x, dy = (float)py - s.y, dz = (float)pz - s.z;
					float d2 = dx * dx + dy * dy + dz * dz;
					if (d2 < BIN * BIN) {
						float window = 1.0f - d2 * (1.0f / (BIN * BIN));
						sum += window * window * s.w;
					}
				}
			}
	grid[(pz * points + py) * points + px] = sum;
}

extern "C" __global__ void gridding_reorder_signals(const float4 *samples, const float2 *signals, const int *bin_of,
                                                    int *cursors, float4 *sorted, float2 *sorted_signals, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int to = atomicAdd(&cursors[bin_of[i]], 1);
	sorted[to] = samples[i];
	sorted_signals[to] = signals[i];
}

/* The Kaiser-Bessel window by the series of the Bessel function, its parameter 8; u: 1 - d^2/R^2. */
static __device__ __forceinline__ float kaiser(float u)
{
	float z = 16 * u, sum = 1;
#pragma unroll
	for (int k = TERMS; k > 0; k--)
		sum = 1 + sum * (z * (1.0f / (k * k)));
	return sum;
}

/* What sample e of a tile adds to the points of a thread, which lie DEEP apart from (x, y, z) on. */
static __device__ __forceinline__ void add_sample(const float (*tile)[TILE], int e, int x, int y, int z, float2 *sum,
                                                  float *near)
{
	float real = tile[0][e], imaginary = tile[1][e], density = tile[5][e];
	if ((real == 0 && imaginary == 0) || density == 0)
		return;
	float dx = tile[2][e] - (float)x, dy = tile[3][e] - (float)y, plane = dx * dx + dy * dy;
#pragma unroll
	for (int i = 0; i < POINTS; i++) {
		float dz = tile[4][e] - (float)(z + i * DEEP), d2 = plane + dz * dz;
		if (d2 < RADIUS * RADIUS) {
			float weight = kaiser(1 - d2 * (1 / (RADIUS * RADIUS))) * density;
			sum[i].x += weight * real;
			sum[i].y += weight * imaginary;
			near[i] += 1;
		}
	}
}

static __device__ __forceinline__ void take(float (*tile)[TILE], int t, float4 s, float2 signal)
{
	tile[0][t] = signal.x;
	tile[1][t] = signal.y;
	tile[2][t] = s.x;
	tile[3][t] = s.y;
	tile[4][t] = s.z;
	tile[5][t] = s.w;
}

/* Bins of one point: what a CTA needs of a row of bins lies side by side, and its threads take TILE of it at a time into
 * shared memory. */
extern "C" __global__ void gridding_gather_tiled(const float4 *sorted, const float2 *signals, const int *starts,
                                                 float2 *grid, float *density, int side)
{
	__shared__ float tile[6][TILE];
	int t = (threadIdx.z * HIGH + threadIdx.y) * WIDE + threadIdx.x;
	int x0 = blockIdx.x * WIDE, y0 = blockIdx.y * HIGH, z0 = blockIdx.z * DEEP * POINTS;
	int px = x0 + threadIdx.x, py = y0 + threadIdx.y, pz = z0 + threadIdx.z;
	float2 sum[POINTS] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
	float near[POINTS] = {0, 0, 0, 0};
	for (int z = max(z0 - REACH, 0); z < min(z0 + DEEP * POINTS + REACH, side); z++)
		for (int y = max(y0 - REACH, 0); y < min(y0 + HIGH + REACH, side); y++) {
			const int *row = starts + (z * side + y) * side;
			int first = row[max(x0 - REACH, 0)], end = row[min(x0 + WIDE + REACH, side)];
			for (int from = first; from < end; from += TILE) {
				int n = min(end - from, (int)TILE);
				__syncthreads();
				if (t < n)
					take(tile, t, sorted[from + t], signals[from + t]);
				__syncthreads();
				for (int e = 0; e < n; e++)
					add_sample(tile, e, px, py, pz, sum, near);
			}
		}
#pragma unroll
	for (int i = 0; i < POINTS; i++) {
		grid[((pz + i * DEEP) * side + py) * side + px] = sum[i];
		density[((pz + i * DEEP) * side + py) * side + px] = near[i];
	}
}
#endif

/* One sample spreads over the points in its window. */
static void spread(const struct sample *p, int side, double *want)
{
	double at[3] = {(double)p->x, (double)p->y, (double)p->z};
	int lo[3], hi[3];
	for (int i = 0; i < 3; i++) {
		lo[i] = (int)at[i] - BIN < 0 ? 0 : (int)at[i] - BIN;
		hi[i] = (int)at[i] + BIN + 1 < side ? (int)at[i] + BIN + 1 : side - 1;
	}
	for (int z = lo[2]; z <= hi[2]; z++)
		for (int y = lo[1]; y <= hi[1]; y++)
			for (int x = lo[0]; x <= hi[0]; x++) {
				double dx = x - at[0], dy = y - at[1], dz = z - at[2];
				double v = 1 - (dx * dx + dy * dy + dz * dz) / (BIN * BIN);
				if (v > 0)
					want[((size_t)z * side + y) * side + x] += v * v * (double)p->value;
			}
}

/* The same of size paper: three numbers per point, of which the third counts samples. */
static void spread_signal(const struct sample *p, const struct signal *signal, int side, double *want)
{
	const float at[3] = {p->x, p->y, p->z};
	int lo[3], hi[3];
	for (int i = 0; i < 3; i++) {
		lo[i] = (int)at[i] - REACH < 0 ? 0 : (int)at[i] - REACH;
		hi[i] = (int)at[i] + REACH + 1 < side ? (int)at[i] + REACH + 1 : side - 1;
	}
	for (int z = lo[2]; z <= hi[2]; z++)
		for (int y = lo[1]; y <= hi[1]; y++)
			for (int x = lo[0]; x <= hi[0]; x++) {
				float dx = at[0] - (float)x, dy = at[1] - (float)y, dz = at[2] - (float)z;
				double u = 1 - (double)(dx * dx + dy * dy + dz * dz) / (double)(RADIUS * RADIUS);
				double weight = 1, *to = &want[(((size_t)z * side + y) * side + x) * 3];
				if (u <= 0)
					continue;
				for (int k = TERMS; k > 0; k--)
					weight = 1 + weight * 16 * u / (k * k);
				to[0] += weight * (double)p->value * (double)signal->real;
				to[1] += weight * (double)p->value * (double)signal->imaginary;
				to[2] += 1;
			}
}

/* Samples thicken towards the centre, as along spokes. */
static void draw(struct app *a, struct sample *s, uint32_t side)
{
	float half = (float)side / 2, r = app_unit(a) * half;
	s->x = half + r * app_between(a, -0.999f, 0.999f);
	s->y = half + r * app_between(a, -0.999f, 0.999f);
	s->z = half + r * app_between(a, -0.999f, 0.999f);
	s->value = app_between(a, 0.1f, 1);
}

static void grid_by_bins(struct app *a, uint32_t n, uint32_t side)
{
	uint32_t bins = side / BIN, all = bins * bins * bins;
	size_t cells = (size_t)side * side * side;
	struct sample *s = (struct sample *)app_host(a, n, sizeof *s);
	double *exact = (double *)app_host(a, cells, sizeof *exact);
	float *want = (float *)app_host(a, cells, sizeof *want), *got = (float *)app_host(a, cells, sizeof *got);
	for (uint32_t i = 0; i < n; i++) {
		draw(a, &s[i], side);
		spread(&s[i], (int)side, exact);
	}
	const void *samples = app_upload(a, "samples", s, sizeof *s * n);
	void *sorted = app_device(a, "sorted", sizeof *s * n), *bin_of = app_device(a, "bins", sizeof(int) * n);
	void *counts = app_device(a, "counts", sizeof(int) * all), *starts = app_device(a, "starts", sizeof(int) * all);
	void *cursors = app_device(a, "cursors", sizeof(int) * all), *grid = app_device(a, "grid", sizeof *got * cells);
	struct app_dims ctas = app_1d(app_ceil(n, BLOCK)), block = app_1d(BLOCK);
	APP_LAUNCH(a, gridding_binning, ctas, block, 0, &samples, &bin_of, &counts, &n, &bins);
	APP_LAUNCH(a, gridding_scan, app_1d(1), app_1d(SCAN), 0, &counts, &starts, &cursors, &all);
	APP_LAUNCH(a, gridding_reorder, ctas, block, 0, &samples, &bin_of, &cursors, &sorted, &n);
	APP_LAUNCH(a, gridding_gather, app_3d(bins, bins, bins), app_1d(GATHER), 0, &sorted, &starts, &counts, &grid,
	           &bins, &side);
	for (size_t i = 0; i < cells; i++)
		want[i] = (float)exact[i];
	app_to_host(a, got, grid, sizeof *got * cells);
	app_check_floats(a, "grid", got, want, cells, 1e-4f);
}

struct tiled {
	const void *samples, *signals;
	void *sorted, *sorted_signals, *bin_of, *counts, *starts, *cursors, *grid, *density;
};

/* The last of all bins is empty: where it starts the one before it ends. */
static void launch_tiled(struct app *a, const struct tiled *m, uint32_t n, uint32_t all, uint32_t side)
{
	uint32_t parts = app_ceil(all, SCAN);
	void *sums = app_device(a, "sums", sizeof(int) * parts), *before = app_device(a, "before", sizeof(int) * parts);
	void *unused = app_device(a, "unused", sizeof(int) * parts);
	struct app_dims ctas = app_1d(app_ceil(n, BLOCK)), block = app_1d(BLOCK), scan = app_1d(SCAN);
	APP_LAUNCH(a, gridding_binning_points, ctas, block, 0, &m->samples, &m->bin_of, &m->counts, &n, &side);
	APP_LAUNCH(a, gridding_scan_part, app_1d(parts), scan, 0, &m->counts, &m->starts, &sums, &all);
	APP_LAUNCH(a, gridding_scan, app_1d(1), scan, 0, &sums, &before, &unused, &parts);
	APP_LAUNCH(a, gridding_scan_add, app_1d(parts), scan, 0, &before, &m->starts, &m->cursors, &all);
	APP_LAUNCH(a, gridding_reorder_signals, ctas, block, 0, &m->samples, &m->signals, &m->bin_of, &m->cursors, &m->sorted,
	           &m->sorted_signals, &n);
	APP_LAUNCH(a, gridding_gather_tiled, app_3d(side / WIDE, side / HIGH, side / (DEEP * POINTS)),
	           app_3d(WIDE, HIGH, DEEP), 0, &m->sorted, &m->sorted_signals, &m->starts, &m->grid, &m->density, &side);
}

static void grid_by_tiles(struct app *a, uint32_t n, uint32_t side)
{
	uint32_t cells = side * side * side, all = cells + 1;
	struct sample *s = (struct sample *)app_host(a, n, sizeof *s);
	struct signal *signal = (struct signal *)app_host(a, n, sizeof *signal);
	double *exact = (double *)app_host(a, cells, 3 * sizeof *exact);
	float *want = (float *)app_host(a, cells, 3 * sizeof *want), *got = (float *)app_host(a, cells, 3 * sizeof *got);
	for (uint32_t i = 0; i < n; i++) {
		draw(a, &s[i], side);
		signal[i].real = app_unit(a);
		signal[i].imaginary = app_unit(a);
		spread_signal(&s[i], &signal[i], (int)side, exact);
	}
	struct tiled m;
	m.samples = app_upload(a, "samples", s, sizeof *s * n);
	m.signals = app_upload(a, "signals", signal, sizeof *signal * n);
	m.sorted = app_device(a, "sorted", sizeof *s * n);
	m.sorted_signals = app_device(a, "sorted signals", sizeof *signal * n);
	m.bin_of = app_device(a, "bins", sizeof(int) * n);
	m.counts = app_device(a, "counts", sizeof(int) * all);
	m.starts = app_device(a, "starts", sizeof(int) * all);
	m.cursors = app_device(a, "cursors", sizeof(int) * all);
	m.grid = app_device(a, "grid", 2 * sizeof *got * cells);
	m.density = app_device(a, "density", sizeof *got * cells);
	launch_tiled(a, &m, n, all, side);
	for (uint32_t i = 0; i < cells; i++) {
		want[2 * i] = (float)exact[3 * i];
		want[2 * i + 1] = (float)exact[3 * i + 1];
		want[2 * cells + i] = (float)exact[3 * i + 2];
	}
	app_to_host(a, got, m.grid, 2 * sizeof *got * cells);
	app_to_host(a, got + 2 * cells, m.density, sizeof *got * cells);
	app_check_floats(a, "grid", got, want, 2 * cells, 1e-4f);
	app_check_floats(a, "density", got + 2 * cells, want + 2 * cells, cells, 0);
}

APP(mri_gridding)
{
	uint32_t n = app_pick(a, 794, 2000, 4000, 30000), side = app_pick(a, 28, 32, 48, 64);
	if (a->size == APP_PAPER)
		grid_by_tiles(a, n, side);
	else
		grid_by_bins(a, n, side);
}
