/* pathfinder - the cheapest path through a grid, row by row, as Rodinia's: a CTA advances ten rows in shared
 * memory on a window that shrinks by one cell at either side per row. */
#include "inputs.h"

enum { BLOCK = 256, HEIGHT = 10, INNER = BLOCK - 2 * HEIGHT };

#ifdef __CUDACC__
#define WITHIN(x, low, high) ((x) >= (low) && (x) <= (high))

/* `wall` are the rows behind the first one, of which `first` is the next. */
extern "C" __global__ void
pathfinder_rows(int rows, const int *wall, const int *in, int *out, int cols, int first)
{
	__shared__ int before[BLOCK], after[BLOCK];
	int tx = threadIdx.x, x0 = (int)blockIdx.x * INNER - HEIGHT, x = x0 + tx, last = cols - 1;
	int left = max(-x0, 0), right = min(last - x0, BLOCK - 1);
	int west = max(tx - 1, left), east = min(tx + 1, right);
	bool valid = WITHIN(tx, left, right), computes = false;
	if (WITHIN(x, 0, last))
		before[tx] = in[x];
	__syncthreads();
	for (int i = 0; i < rows; i++) {
		computes = WITHIN(tx, i + 1, BLOCK - i - 2) && valid;
		if (computes)
			after[tx] = min(min(before[west], before[tx]), before[east]) +
			            wall[cols * (first + i) + x];
		__syncthreads();
		if (i == rows - 1)
			break;
		if (computes)
			before[tx] = after[tx];
		__syncthreads();
	}
	/* With fewer rows than HEIGHT more threads computed than those whose cells are this CTA's. */
	if (computes && WITHIN(tx, HEIGHT, BLOCK - HEIGHT - 1))
		out[x] = after[tx];
}
#endif

static void next_row(const uint32_t *in, const uint32_t *wall, uint32_t *out, uint32_t cols)
{
	for (uint32_t x = 0; x < cols; x++) {
		uint32_t best = in[x];
		if (x > 0 && in[x - 1] < best)
			best = in[x - 1];
		if (x + 1 < cols && in[x + 1] < best)
			best = in[x + 1];
		out[x] = best + wall[x];
	}
}

APP(pathfinder)
{
	uint32_t cols = app_pick(a, 12500, 20000, 200000, 100000), rows = app_pick(a, 81, 61, 81, 101);
	size_t cells = (size_t)cols * (rows - 1), row = sizeof(uint32_t) * cols;
	uint32_t *hw = (uint32_t *)app_host(a, cells, sizeof *hw), *want[2], launches = 0;
	uint32_t *got = (uint32_t *)app_host(a, cols, sizeof *got);
	for (int i = 0; i < 2; i++)
		want[i] = (uint32_t *)app_host(a, cols, sizeof *want[i]);
	for (size_t i = 0; i < cells; i++)
		hw[i] = app_below(a, 10);
	for (uint32_t x = 0; x < cols; x++)
		want[0][x] = app_below(a, 10);
	const void *wall = app_upload(a, "wall", hw, sizeof *hw * cells);
	void *cost[2];
	cost[0] = app_upload(a, "cost", want[0], row);
	cost[1] = app_device(a, "next cost", row);
	for (uint32_t r = 0; r < rows - 1; r += HEIGHT, launches++) {
		uint32_t some = rows - 1 - r < HEIGHT ? rows - 1 - r : HEIGHT;
		APP_LAUNCH(a, pathfinder_rows, app_1d(app_ceil(cols, INNER)), app_1d(BLOCK), 0, &some,
		           &wall, &cost[launches & 1], &cost[~launches & 1], &cols, &r);
	}
	for (uint32_t r = 0; r < rows - 1; r++)
		next_row(want[r & 1], hw + (size_t)r * cols, want[~r & 1], cols);
	app_to_host(a, got, cost[launches & 1], row);
	app_check_words(a, "cost", got, want[(rows - 1) & 1], cols);
}
