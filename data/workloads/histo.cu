/* histo - a saturating 2-D histogram after Parboil's: a scan of the input's range, a pass that turns values into
 * bins, a main kernel that counts in shared memory for the busy middle of the range and in global memory for the
 * rest, and a pass that saturates. */
#include "inputs.h"

enum {
	BLOCK = 512,
	WIDTH = 996,
	HEIGHT = 1024,
	BINS = WIDTH * HEIGHT,
	SLICE = 4096, /* bins that a CTA counts in shared memory */
	STRIPS = 32,  /* parts of the input, a CTA each per slice */
	BUSY = 6,     /* slices in the middle, where rows 504 to 519 lie */
	FIRST_BUSY = (HEIGHT / 2 - 8) * WIDTH / SLICE
};

#ifdef __CUDACC__
/* Joins the values of a CTA by a tree. */
template <typename Join> static __device__ uint32_t join(uint32_t *s, uint32_t x, Join better)
{
	int t = threadIdx.x;
	__syncthreads();
	s[t] = x;
	__syncthreads();
	for (int half = BLOCK / 2; half > 0; half /= 2) {
		if (t < half)
			s[t] = better(s[t], s[t + half]);
		__syncthreads();
	}
	return s[0];
}

extern "C" __global__ void histo_prescan(const uint32_t *in, int n, uint32_t *range)
{
	__shared__ uint32_t s[BLOCK];
	uint32_t low = UINT32_MAX, high = 0;
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += BLOCK * gridDim.x) {
		low = min(low, in[i]);
		high = max(high, in[i]);
	}
	low = join(s, low, [](uint32_t x, uint32_t y) { return min(x, y); });
	high = join(s, high, [](uint32_t x, uint32_t y) { return max(x, y); });
	if (threadIdx.x == 0) {
		atomicMin(&range[0], low);
		atomicMax(&range[1], high);
	}
}

/* value -> slice << 16 | bin in the slice */
extern "C" __global__ void histo_intermediates(const uint32_t *in, int n, uint32_t *mapping)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		mapping[i] = in[i] / SLICE << 16 | in[i] % SLICE;
}

/* CTA (slice, strip). */
extern "C" __global__ void
histo_main(const uint32_t *mapping, int n, uint32_t *counts, int first, int busy, int strip)
{
	__shared__ uint32_t count[SLICE];
	uint32_t mine = blockIdx.x + first;
	for (int i = threadIdx.x; i < SLICE; i += BLOCK)
		count[i] = 0;
	__syncthreads();
	int end = min((int)(blockIdx.y + 1) * strip, n);
	for (int i = blockIdx.y * strip + threadIdx.x; i < end; i += BLOCK) {
		uint32_t slice = mapping[i] >> 16, bin = mapping[i] & 0xffff;
		if (slice == mine)
			atomicAdd(&count[bin], 1);
		/* Values outside of the busy slices: the CTAs of the first slice send them on. */
		else if (blockIdx.x == 0 && slice - first >= (uint32_t)busy)
			atomicAdd(&counts[slice * SLICE + bin], 1);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < SLICE; i += BLOCK)
		if (count[i] != 0)
			atomicAdd(&counts[mine * SLICE + i], count[i]);
}

/* Four bins a thread: counts -> bytes, at most 255. */
extern "C" __global__ void histo_final(const uint4 *counts, uint32_t *bytes, int words)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= words)
		return;
	uint4 c = counts[i];
	bytes[i] = min(c.x, 255) | min(c.y, 255) << 8 | min(c.z, 255) << 16 | min(c.w, 255) << 24;
}
#endif

/* Values pile up around the middle, as in the wafer image of the benchmark. */
static uint32_t draw(struct app *a)
{
	uint32_t row = 0, col = app_below(a, WIDTH);
	for (int i = 0; i < 8; i++)
		row += app_below(a, HEIGHT / 8);
	if (app_below(a, 100) < 60)
		row = HEIGHT / 2 - 8 + row % 16;
	return row * WIDTH + col;
}

APP(histo)
{
	uint32_t n = app_pick(a, 40000, 300000, 1000000, 1019904), range[2] = {UINT32_MAX, 0}, seen[2];
	uint32_t strip = app_ceil(n, STRIPS), words = BINS / 4, first = FIRST_BUSY, busy = BUSY;
	uint32_t *x = (uint32_t *)app_host(a, n, sizeof *x);
	uint32_t *want = (uint32_t *)app_host(a, BINS, sizeof *want);
	uint32_t *got = (uint32_t *)app_host(a, BINS, sizeof *got);
	uint32_t *packed = (uint32_t *)app_host(a, words, sizeof *packed);
	void *drange = app_upload(a, "range", range, sizeof range);
	for (uint32_t i = 0; i < n; i++) {
		x[i] = draw(a);
		want[x[i]]++;
		range[0] = x[i] < range[0] ? x[i] : range[0];
		range[1] = x[i] > range[1] ? x[i] : range[1];
	}
	const void *in = app_upload(a, "in", x, sizeof *x * n);
	void *counts = app_upload(a, "counts", got, sizeof *got * BINS), *bytes = app_device(a, "bytes", BINS);
	void *mapping = app_device(a, "mapping", sizeof *x * n);
	struct app_dims block = app_1d(BLOCK);
	APP_LAUNCH(a, histo_prescan, app_1d(64), block, 0, &in, &n, &drange);
	APP_LAUNCH(a, histo_intermediates, app_1d(app_ceil(n, BLOCK)), block, 0, &in, &n, &mapping);
	APP_LAUNCH(a, histo_main, app_2d(BUSY, STRIPS), block, 0, &mapping, &n, &counts, &first, &busy, &strip);
	APP_LAUNCH(a, histo_final, app_1d(app_ceil(words, BLOCK)), block, 0, &counts, &bytes, &words);
	app_to_host(a, seen, drange, sizeof seen);
	app_check_words(a, "range", seen, range, 2);
	app_to_host(a, got, counts, sizeof *got * BINS);
	app_check_words(a, "counts", got, want, BINS);
	app_to_host(a, packed, bytes, BINS);
	for (uint32_t i = 0; i < BINS; i++) {
		got[i] = packed[i / 4] >> i % 4 * 8 & 255;
		want[i] = want[i] < 255 ? want[i] : 255;
	}
	app_check_words(a, "byte", got, want, BINS);
}
