/* scan - exclusive prefix sums by blocks: up- and down-sweep in shared memory (Blelloch), three levels. */
#include "inputs.h"

enum { BLOCK = 256, ITEMS = 2 * BLOCK };

#ifdef __CUDACC__
/* Sums of a CTA's ITEMS elements, and their total. */
extern "C" __global__ void scan_blocks(const uint2 *in, uint2 *out, uint32_t *totals)
{
	__shared__ uint32_t s[ITEMS];
	int t = threadIdx.x, step = 1;
	uint2 pair = in[blockIdx.x * BLOCK + t];
	s[2 * t] = pair.x;
	s[2 * t + 1] = pair.y;
	for (int n = BLOCK; n > 0; n /= 2, step *= 2) {
		__syncthreads();
		if (t < n)
			s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
	}
	if (t == 0) {
		totals[blockIdx.x] = s[ITEMS - 1];
		s[ITEMS - 1] = 0;
	}
	for (int n = 1; n <= BLOCK; n *= 2) {
		step /= 2;
		__syncthreads();
		if (t < n) {
			int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1;
			uint32_t sum = s[left];
			s[left] = s[right];
			s[right] += sum;
		}
	}
	__syncthreads();
	out[blockIdx.x * BLOCK + t] = make_uint2(s[2 * t], s[2 * t + 1]);
}

/* Adds the sum of the blocks before. */
extern "C" __global__ void scan_add(uint2 *out, const uint32_t *offsets)
{
	uint32_t offset = offsets[blockIdx.x];
	uint2 *p = &out[blockIdx.x * BLOCK + threadIdx.x], pair = *p;
	*p = make_uint2(pair.x + offset, pair.y + offset);
}
#endif

APP(scan)
{
	uint32_t blocks = app_pick(a, 128, 1024, 4096, 16384), padded = app_ceil(blocks, ITEMS) * ITEMS;
	size_t n = (size_t)blocks * ITEMS, bytes = n * sizeof(uint32_t);
	uint32_t *x = (uint32_t *)app_host(a, n, sizeof *x), *want = (uint32_t *)app_host(a, n, sizeof *want);
	struct app_dims block = app_1d(BLOCK), above = app_1d(padded / ITEMS), one = app_1d(1);
	for (uint32_t i = 0, sum = 0; i < n; i++) {
		x[i] = app_below(a, 1000);
		want[i] = sum;
		sum += x[i];
	}
	void *in = app_upload(a, "in", x, bytes), *out = app_device(a, "out", bytes);
	void *totals = app_device(a, "totals", padded * sizeof *x);
	void *offsets = app_device(a, "offsets", padded * sizeof *x);
	void *tops = app_device(a, "tops", ITEMS * sizeof *x), *none = app_device(a, "none", ITEMS * sizeof *x);
	APP_LAUNCH(a, scan_blocks, app_1d(blocks), block, 0, &in, &out, &totals);
	/* Up to ITEMS * ITEMS blocks: three levels. */
	APP_LAUNCH(a, scan_blocks, above, block, 0, &totals, &offsets, &tops);
	if (padded > ITEMS) {
		APP_LAUNCH(a, scan_blocks, one, block, 0, &tops, &tops, &none);
		APP_LAUNCH(a, scan_add, above, block, 0, &offsets, &tops);
	}
	APP_LAUNCH(a, scan_add, app_1d(blocks), block, 0, &out, &offsets);
	app_to_host(a, x, out, bytes);
	app_check_words(a, "sum", x, want, n);
}
