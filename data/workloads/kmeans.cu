/* kmeans - k-means clustering as Rodinia's: the features are transposed once; then a thread per point finds
 * the nearest centre, with points in a texture and centres in constant memory, and the host moves the
 * centres. */
#include "inputs.h"

enum { BLOCK = 256, CLUSTERS = 5, FEATURES = 34, ROUNDS = 3 };

#ifdef __CUDACC__
__constant__ float centres[CLUSTERS * FEATURES];

extern "C" __global__ void kmeans_swap(const float *points, float *swapped, int n, int features)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= n)
		return;
	for (int f = 0; f < features; f++)
		swapped[f * n + i] = points[i * features + f];
}

extern "C" __global__ void
kmeans_nearest(cudaTextureObject_t points, int *membership, int n, int features, int clusters)
{
	int i = blockIdx.x * BLOCK + threadIdx.x, index = 0;
	float best = 3.4e38f;
	if (i >= n)
		return;
	for (int c = 0; c < clusters; c++) {
		float sum = 0;
		for (int f = 0; f < features; f++) {
			float d = tex1Dfetch<float>(points, f * n + i) - centres[c * features + f];
			sum += d * d;
		}
		if (sum < best) {
			best = sum;
			index = c;
		}
	}
	membership[i] = index;
}
#endif

/* The nearest centre with the kernel's rounding: ties must fall the same way. */
static uint32_t nearest(const float *x, const float *centre)
{
	float best = 3.4e38f;
	uint32_t index = 0;
	for (uint32_t c = 0; c < CLUSTERS; c++) {
		float sum = 0;
		for (uint32_t f = 0; f < FEATURES; f++) {
			float d = x[f] - centre[c * FEATURES + f];
			sum = (float)((double)d * (double)d + (double)sum);
		}
		if (sum < best) {
			best = sum;
			index = c;
		}
	}
	return index;
}

static void move_centres(const float *x, const uint32_t *member, uint32_t n, float *centre)
{
	uint32_t size[CLUSTERS] = {0};
	double sum[CLUSTERS * FEATURES] = {0};
	for (uint32_t i = 0; i < n; i++) {
		size[member[i]]++;
		for (uint32_t f = 0; f < FEATURES; f++)
			sum[member[i] * FEATURES + f] += (double)x[(size_t)i * FEATURES + f];
	}
	for (uint32_t c = 0; c < CLUSTERS; c++)
		for (uint32_t f = 0; f < FEATURES && size[c]; f++)
			centre[c * FEATURES + f] = (float)(sum[c * FEATURES + f] / size[c]);
}

APP(kmeans)
{
	/* The paper's size: Rodinia's kdd_cup. */
	uint32_t n = app_pick(a, 3000, 8000, 212000, 494020) + 11, features = FEATURES;
	uint32_t clusters = CLUSTERS;
	size_t cells = (size_t)n * FEATURES;
	float *x = (float *)app_host(a, cells, sizeof *x), centre[CLUSTERS * FEATURES];
	uint32_t *got = (uint32_t *)app_host(a, n, sizeof *got);
	uint32_t *want = (uint32_t *)app_host(a, n, sizeof *want);
	/* Points around CLUSTERS far corners. */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t home = app_below(a, CLUSTERS);
		for (uint32_t f = 0; f < FEATURES; f++)
			x[(size_t)i * FEATURES + f] = (float)((home + f) % CLUSTERS) + app_between(a, -2, 2);
	}
	memcpy(centre, x, sizeof centre);
	const void *points = app_upload(a, "points", x, sizeof *x * cells);
	void *swapped = app_device(a, "swapped", sizeof *x * cells);
	void *member = app_device(a, "membership", sizeof *got * n);
	struct app_dims grid = app_1d(app_ceil(n, BLOCK)), block = app_1d(BLOCK);
	APP_LAUNCH(a, kmeans_swap, grid, block, 0, &points, &swapped, &n, &features);
	unsigned long long texture = app_texture(a, (const float *)swapped, (uint32_t)cells);
	for (int round = 0; round < ROUNDS; round++) {
		APP_TO_SYMBOL(a, centres, centre, sizeof centre);
		APP_LAUNCH(a, kmeans_nearest, grid, block, 0, &texture, &member, &n, &features,
		           &clusters);
		app_to_host(a, got, member, sizeof *got * n);
		for (uint32_t i = 0; i < n; i++)
			want[i] = nearest(x + (size_t)i * FEATURES, centre);
		app_check_words(a, "membership", got, want, n);
		move_centres(x, got, n, centre);
	}
}
