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

/* Size paper has the shapes of Parboil's launches: a range from an eighth of the input, CTAs of sixteen lines, 14 groups that each
 * count all parts of the range in packed bytes, and a pass that adds up what the groups have. No group finds a value 255 times. */
enum {
	PAPER_LINE = 996,
	PAPER_LINES = 1040,
	PAPER_BINS = 256 * 8192,
	PART = 24576, /* bins that a CTA counts */
	PARTS = 6,
	GROUPS = 14,
	UNROLL = 16,
	FIRST_PART = (PAPER_BINS / 2 - PARTS / 2 * PART) / PART + 1,
	ROUNDS = 2
};

#ifdef __CUDACC__
extern "C" __global__ void histo_prescan_eighth(const uint32_t *in, int n, uint32_t *range)
{
	__shared__ uint32_t s[BLOCK];
	uint32_t low = UINT32_MAX, high = 0;
	int strip = n / gridDim.x, end = blockIdx.x * strip + strip / 8;
	for (int i = blockIdx.x * strip + threadIdx.x; i < end; i += BLOCK) {
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

static __device__ uint32_t split(uint32_t bin)
{
	return bin / PART << 16 | bin % PART;
}

/* value -> part << 16 | bin in the part */
extern "C" __global__ void histo_intermediates_lines(const uint2 *in, uint32_t *mapping)
{
	const uint2 *from = in + blockIdx.x * UNROLL * blockDim.x + threadIdx.x;
	uint32_t *to = mapping + blockIdx.x * UNROLL * PAPER_LINE + threadIdx.x;
#pragma unroll
	for (int i = 0; i < UNROLL; i++, from += blockDim.x, to += PAPER_LINE) {
		uint2 pair = *from;
		to[0] = split(pair.x);
		to[blockDim.x] = split(pair.y);
	}
}

/* CTA (group, part of the range). `rest` has two counts a word. */
extern "C" __global__ void
histo_main_packed(const uint32_t *mapping, int n, uint32_t *groups, uint32_t *rest, int first)
{
	__shared__ uint32_t count[PART / 4];
	uint32_t mine = blockIdx.y + first;
	for (int i = threadIdx.x; i < PART / 4; i += blockDim.x)
		count[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		uint32_t one = mapping[i], part = one >> 16, bin = one & 0xffff;
		if (part == mine)
			atomicAdd(&count[bin / 4], 1u << bin % 4 * 8);
		else if (blockIdx.y == 0 && part - first >= PARTS)
			atomicAdd(&rest[(part * PART + bin) / 2], 1u << bin % 2 * 16);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < PART / 4; i += blockDim.x)
		groups[blockIdx.x * (PAPER_BINS / 4) + mine * (PART / 4) + i] = count[i];
}

/* Four bins a turn, at most 255 each; `rest` and `over`, counts beyond a byte, are cleared for the next round. */
extern "C" __global__ void
histo_final_groups(const uint32_t *groups, uint2 *rest, uint4 *over, uint32_t *bytes, int first)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < PAPER_BINS / 4;
	     i += gridDim.x * blockDim.x) {
		uint4 c;
		if ((uint32_t)(i - first * (PART / 4)) < PARTS * (PART / 4)) {
			c = over[i];
			over[i] = make_uint4(0, 0, 0, 0);
#pragma unroll
			for (int g = 0; g < GROUPS; g++) {
				uint32_t four = groups[g * (PAPER_BINS / 4) + i];
				c.x += four & 255, c.y += four >> 8 & 255, c.z += four >> 16 & 255,
					c.w += four >> 24;
			}
		} else {
			uint2 two = rest[i];
			rest[i] = make_uint2(0, 0);
			c = make_uint4(two.x & 0xffff, two.x >> 16, two.y & 0xffff, two.y >> 16);
		}
		bytes[i] = min(c.x, 255) | min(c.y, 255) << 8 | min(c.z, 255) << 16 |
		           min(c.w, 255) << 24;
	}
}
#endif

/* Around 0, nearly normal, with a deviation of 28. */
static int spread(struct app *a)
{
	float sum = 0;
	for (int i = 0; i < 12; i++)
		sum += app_unit(a);
	return (int)(28 * (sum - 6));
}

static void paper(struct app *a)
{
	uint32_t n = PAPER_LINE * PAPER_LINES, strip = n / 64, first = FIRST_PART,
		 range[2] = {UINT32_MAX, 0}, seen[2];
	uint32_t *x = (uint32_t *)app_host(a, n, sizeof *x);
	uint32_t *want = (uint32_t *)app_host(a, PAPER_BINS, sizeof *want),
		 *got = (uint32_t *)app_host(a, PAPER_BINS, sizeof *got);
	void *drange = app_upload(a, "range", range, sizeof range);
	for (uint32_t i = 0; i < n; i++) {
		x[i] = (uint32_t)(256 * (4096 + spread(a)) + 128 + spread(a) % 128);
		want[x[i]] += want[x[i]] < 255;
		if (i / strip < 64 && i % strip < strip / 8) {
			range[0] = x[i] < range[0] ? x[i] : range[0];
			range[1] = x[i] > range[1] ? x[i] : range[1];
		}
	}
	const void *in = app_upload(a, "in", x, sizeof *x * n);
	void *mapping = app_device(a, "mapping", sizeof *x * n),
	     *groups = app_device(a, "groups", GROUPS * PAPER_BINS);
	void *rest = app_device(a, "rest", 2 * PAPER_BINS),
	     *over = app_device(a, "overflow", 4 * PAPER_BINS);
	void *bytes = app_device(a, "bytes", PAPER_BINS);
	for (int r = 0; r < ROUNDS; r++) {
		APP_LAUNCH(a, histo_prescan_eighth, app_1d(64), app_1d(BLOCK), 0, &in, &n, &drange);
		APP_LAUNCH(a, histo_intermediates_lines, app_1d(PAPER_LINES / UNROLL),
		           app_1d(PAPER_LINE / 2), 0, &in, &mapping);
		APP_LAUNCH(a, histo_main_packed, app_2d(GROUPS, PARTS), app_1d(768), 0, &mapping, &n,
		           &groups, &rest, &first);
		APP_LAUNCH(a, histo_final_groups, app_1d(3 * GROUPS), app_1d(512), 0, &groups, &rest,
		           &over, &bytes, &first);
	}
	app_to_host(a, seen, drange, sizeof seen);
	app_check_words(a, "range", seen, range, 2);
	uint8_t *packed = (uint8_t *)app_host(a, PAPER_BINS, 1);
	app_to_host(a, packed, bytes, PAPER_BINS);
	for (uint32_t i = 0; i < PAPER_BINS; i++)
		got[i] = packed[i];
	app_check_words(a, "byte", got, want, PAPER_BINS);
}

APP(histo)
{
	if (a->size == APP_PAPER) {
		paper(a);
		return;
	}
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
