/* mri-gridding - samples spread over a regular grid as in Parboil: they are counted per bin of 4 x 4 x 4 grid points, a
 * scan gives each bin its place, samples move there, and a CTA per bin gathers from its 27 neighbours. */
#include "inputs.h"

enum { BIN = 4, GATHER = BIN * BIN * BIN, BLOCK = 256, SCAN = 1024 };

struct sample {
	float x, y, z, value;
};

#ifdef __CUDACC__
extern "C" __global__ void gridding_binning(const float4 *samples, int *bin_of, int *counts, int n, int bins)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 s = samples[i];
	int x = (int)(s.x * (1.0f / BIN)), y = (int)(s.y * (1.0f / BIN)), z = (int)(s.z * (1.0f / BIN));
	int bin = (z * bins + y) * bins + x;
	bin_of[i] = bin;
	atomicAdd(&counts[bin], 1);
}

/* One CTA scans all bins, SCAN at a time, by doubling steps. */
extern "C" __global__ void gridding_scan(const int *counts, int *starts, int *cursors, int n)
{
	__shared__ int s[SCAN];
	int t = threadIdx.x, carry = 0;
	for (int from = 0; from < n; from += SCAN) {
		int i = from + t, own = i < n ? counts[i] : 0, sum = own;
		s[t] = sum;
		__syncthreads();
		for (int step = 1; step < SCAN; step *= 2) {
			if (t >= step)
				sum += s[t - step];
			__syncthreads();
			s[t] = sum;
			__syncthreads();
		}
		if (i < n) {
			starts[i] = sum - own + carry;
			cursors[i] = sum - own + carry;
		}
		carry += s[SCAN - 1];
		__syncthreads();
	}
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

APP(mri_gridding)
{
	uint32_t n = app_pick(a, 794, 2000, 4000, 30000), side = app_pick(a, 28, 32, 48, 64);
	uint32_t bins = side / BIN, all = bins * bins * bins;
	size_t cells = (size_t)side * side * side;
	struct sample *s = (struct sample *)app_host(a, n, sizeof *s);
	double *exact = (double *)app_host(a, cells, sizeof *exact);
	float *want = (float *)app_host(a, cells, sizeof *want), *got = (float *)app_host(a, cells, sizeof *got);
	float half = (float)side / 2;
	/* Samples thicken towards the centre, as along spokes. */
	for (uint32_t i = 0; i < n; i++) {
		float r = app_unit(a) * half;
		s[i].x = half + r * app_between(a, -0.999f, 0.999f);
		s[i].y = half + r * app_between(a, -0.999f, 0.999f);
		s[i].z = half + r * app_between(a, -0.999f, 0.999f);
		s[i].value = app_between(a, 0.1f, 1);
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
