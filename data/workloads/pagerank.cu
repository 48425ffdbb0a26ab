/* pagerank - PageRank as Pannotia's: every node pushes its share to its neighbours with atomics. */
#include "inputs.h"

enum { BLOCK = 256 };

#ifdef __CUDACC__
extern "C" __global__ void pagerank_init(float *rank, float *next, int n, float start)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		rank[i] = start;
		next[i] = 0;
	}
}

extern "C" __global__ void
pagerank_push(const int *rows, const int *columns, const float *rank, float *next, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int first = rows[i], last = rows[i + 1];
	float share = rank[i] / (float)(last - first);
	for (int e = first; e < last; e++)
		atomicAdd(&next[columns[e]], share);
}

extern "C" __global__ void pagerank_damp(float *rank, float *next, int n, float base)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		rank[i] = base + 0.85f * next[i];
		next[i] = 0;
	}
}
#endif

static void reference(const struct input_csr *g, uint32_t rounds, double *next, float *rank)
{
	for (uint32_t i = 0; i < g->n; i++)
		rank[i] = 1.0f / (float)g->n;
	for (uint32_t r = 0; r < rounds; r++) {
		for (uint32_t i = 0; i < g->n; i++)
			next[i] = 0;
		for (uint32_t i = 0; i < g->n; i++)
			for (uint32_t e = g->row[i]; e < g->row[i + 1]; e++)
				next[g->col[e]] += (double)rank[i] / (g->row[i + 1] - g->row[i]);
		for (uint32_t i = 0; i < g->n; i++)
			rank[i] = (float)(0.15 / g->n + 0.85 * next[i]);
	}
}

APP(pagerank)
{
	struct input_csr g;
	unsigned scale = app_pick(a, 12, 14, 18, 18);
	uint32_t rounds = app_pick(a, 8, 8, 8, 10);
	input_rmat(a, scale, 8u << scale, &g);
	size_t words = sizeof(float) * g.n;
	double *sum = (double *)app_host(a, g.n, sizeof *sum);
	float *want = (float *)app_host(a, g.n, sizeof *want), *got = (float *)app_host(a, g.n, sizeof *got);
	float n = (float)g.n, start = 1.0f / n, base = 0.15f / n;
	const void *rows = app_upload(a, "rows", g.row, sizeof *g.row * (g.n + 1));
	const void *columns = app_upload(a, "columns", g.col, sizeof *g.col * g.m);
	void *rank = app_device(a, "rank", words), *next = app_device(a, "next rank", words);
	struct app_dims grid = app_1d(app_ceil(g.n, BLOCK)), block = app_1d(BLOCK);
	APP_LAUNCH(a, pagerank_init, grid, block, 0, &rank, &next, &g.n, &start);
	for (uint32_t r = 0; r < rounds; r++) {
		APP_LAUNCH(a, pagerank_push, grid, block, 0, &rows, &columns, &rank, &next, &g.n);
		APP_LAUNCH(a, pagerank_damp, grid, block, 0, &rank, &next, &g.n, &base);
	}
	reference(&g, rounds, sum, want);
	app_to_host(a, got, rank, words);
	/* Ranks are about 1/n: compare n times them. */
	for (uint32_t i = 0; i < g.n; i++) {
		want[i] *= n;
		got[i] *= n;
	}
	app_check_floats(a, "rank", got, want, g.n, 1e-4f);
}
