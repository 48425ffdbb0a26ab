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

/* The features of Rodinia's input, in its order: those of the network connections of KDD Cup 1999 that are numbers. */
enum {
	SENT = 1, /* bytes */
	RECEIVED,
	COUNT = 15, /* connections to the same host in two seconds, and to the same service */
	SERVICE_COUNT,
	SYN_ERRORS, /* shares of them */
	SERVICE_SYN_ERRORS,
	SAME_SERVICE = 21,
	OTHER_SERVICE,
	HOST_COUNT = 24, /* the same of the last hundred connections to the host */
	HOST_SERVICE_COUNT,
	HOST_SAME_SERVICE,
	HOST_OTHER_SERVICE,
	HOST_SAME_PORT,
	HOST_SYN_ERRORS = 30,
	HOST_SERVICE_SYN_ERRORS
};

/* What connections of the same kind have in common, and how they differ. */
static void fill_connection(struct app *a, float *x, uint32_t kind)
{
	memset(x, 0, FEATURES * sizeof *x);
	x[HOST_COUNT] = x[HOST_SERVICE_COUNT] = 255;
	if (kind == 0) { /* smurf: pings of one size, without an answer */
		x[SENT] = 1032;
		x[COUNT] = x[SERVICE_COUNT] = 511;
		x[SAME_SERVICE] = x[HOST_SAME_SERVICE] = x[HOST_SAME_PORT] = 1;
	} else if (kind == 1) { /* neptune: half-open connections to all ports */
		x[COUNT] = (float)(100 + app_below(a, 200));
		x[SERVICE_COUNT] = x[HOST_SERVICE_COUNT] = (float)(1 + app_below(a, 20));
		x[SAME_SERVICE] = x[HOST_SAME_SERVICE] = (float)app_below(a, 11) / 100;
		x[OTHER_SERVICE] = x[HOST_OTHER_SERVICE] = (float)(5 + app_below(a, 4)) / 100;
		x[SYN_ERRORS] = x[SERVICE_SYN_ERRORS] = x[HOST_SYN_ERRORS] = x[HOST_SERVICE_SYN_ERRORS] = 1;
	} else { /* normal: pages that are asked for */
		x[SENT] = (float)(150 + app_below(a, 250));
		x[RECEIVED] = (float)app_below(a, 20000);
		x[COUNT] = x[SERVICE_COUNT] = (float)(1 + app_below(a, 25));
		x[SAME_SERVICE] = x[HOST_SAME_SERVICE] = 1;
		x[HOST_COUNT] = (float)(1 + app_below(a, 255));
		x[HOST_SAME_PORT] = (float)app_below(a, 15) / 100;
	}
}

/* Connections as they stand in the file of KDD Cup 1999 that Rodinia clusters, its ten percent: 57 % are of one attack, 22 % of
 * another and 20 % are normal, and neighbours are of one kind, since an attack is many connections. The lengths of
 * these runs, some thousands, are ours. What is in memory decides how far caches can compress it. */
static void fill_connections(struct app *a, float *x, uint32_t n)
{
	for (uint32_t i = 0, left = 0, kind = 0; i < n; i++, left--) {
		if (left == 0) {
			uint32_t r = app_below(a, 100);
			kind = r < 58 ? 0 : r < 80 ? 1 : 2;
			left = 500 + app_below(a, 4000);
		}
		fill_connection(a, x + (size_t)i * FEATURES, kind);
	}
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
	fill_connections(a, x, n);
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
