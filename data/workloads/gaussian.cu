/* gaussian - Gaussian elimination as Rodinia's: for every column a launch computes the multipliers, and one
 * subtracts the pivot's row from the rows below. */
#include "inputs.h"

enum { BLOCK = 256, TILE = 16, PAPER_BLOCK = 512, PAPER_TILE = 4 /* Rodinia's CTAs */ };

#ifdef __CUDACC__
/* m[r][t] = x[r][t] / x[t][t] for r > t. */
extern "C" __global__ void gaussian_fan1(float *m, const float *x, int n, int t)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n - 1 - t)
		m[n * (i + t + 1) + t] = x[n * (i + t + 1) + t] / x[n * t + t];
}

/* x[r][c] -= m[r][t] * x[t][c]; the right-hand side with column t. */
extern "C" __global__ void gaussian_fan2(const float *m, float *x, float *b, int n, int t)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= n - 1 - t || j >= n - t)
		return;
	x[n * (i + t + 1) + j + t] -= m[n * (i + t + 1) + t] * x[n * t + j + t];
	if (j == 0)
		b[i + t + 1] -= m[n * (i + t + 1) + t] * b[t];
}
#endif

APP(gaussian)
{
	/* The paper's size: Rodinia's matrix208, in CTAs of half a warp. */
	uint32_t n = app_pick(a, 64, 128, 208, 208);
	uint32_t tile = app_pick(a, TILE, TILE, TILE, PAPER_TILE);
	uint32_t block = app_pick(a, BLOCK, BLOCK, BLOCK, PAPER_BLOCK);
	size_t cells = (size_t)n * n;
	float *x = (float *)app_host(a, cells, sizeof *x), *y = input_floats(a, n, -1, 1);
	double *ref = (double *)app_host(a, cells + n, sizeof *ref);
	float *want = (float *)app_host(a, cells + n, sizeof *want);
	for (size_t i = 0; i < cells; i++) {
		x[i] = i / n == i % n ? (float)n : app_between(a, -1, 1);
		ref[i] = (double)x[i];
	}
	for (uint32_t i = 0; i < n; i++)
		ref[cells + i] = (double)y[i];
	void *m = app_upload(a, "multipliers", want, sizeof *x * cells);
	void *dx = app_upload(a, "matrix", x, sizeof *x * cells);
	void *b = app_upload(a, "right side", y, sizeof *y * n);
	struct app_dims square = app_2d(app_ceil(n, tile), app_ceil(n, tile));
	for (uint32_t t = 0; t + 1 < n; t++) {
		APP_LAUNCH(a, gaussian_fan1, app_1d(app_ceil(n, block)), app_1d(block), 0, &m, &dx, &n, &t);
		APP_LAUNCH(a, gaussian_fan2, square, app_2d(tile, tile), 0, &m, &dx, &b, &n, &t);
		for (size_t r = t + 1; r < n; r++) {
			double f = ref[r * n + t] / ref[(size_t)t * n + t];
			for (uint32_t c = t; c < n; c++)
				ref[r * n + c] -= f * ref[(size_t)t * n + c];
			ref[cells + r] -= f * ref[cells + t];
		}
	}
	for (size_t i = 0; i < cells + n; i++)
		want[i] = (float)ref[i];
	app_to_host(a, x, dx, sizeof *x * cells);
	app_to_host(a, y, b, sizeof *y * n);
	app_check_floats(a, "matrix", x, want, cells, 1e-4f);
	app_check_floats(a, "right side", y, want + cells, n, 1e-4f);
}
