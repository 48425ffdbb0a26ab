/* transpose - the transpose of a matrix as in the CUDA samples: without and with a tile in shared memory. */
#include "inputs.h"

enum { TILE = 32, ROWS = 8 };

#ifdef __CUDACC__
/* Each thread moves TILE / ROWS elements. */
extern "C" __global__ void transpose_naive(const float *in, float *out, int width, int height)
{
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	for (int i = 0; i < TILE; i += ROWS)
		out[x * height + y + i] = in[(y + i) * width + x];
}

extern "C" __global__ void transpose_tiled(const float *in, float *out, int width, int height)
{
	__shared__ float tile[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	for (int i = 0; i < TILE; i += ROWS)
		tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
	__syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
	for (int i = 0; i < TILE; i += ROWS)
		out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}
#endif

APP(transpose)
{
	uint32_t width = app_pick(a, 2560, 1024, 2560, 4096), height = app_pick(a, 2048, 1536, 2048, 4096);
	/* The small size moves the first rows of the large matrix. */
	uint32_t rows = app_pick(a, 512, height, height, height);
	size_t n = (size_t)width * height, bytes = n * sizeof(float);
	const float *x = input_floats(a, n, 0, 1);
	float *want = (float *)app_host(a, n, sizeof *want), *got = (float *)app_host(a, n, sizeof *got);
	struct app_dims grid = app_2d(width / TILE, rows / TILE), block = app_2d(TILE, ROWS);
	for (uint32_t j = 0; j < rows; j++)
		for (uint32_t i = 0; i < width; i++)
			want[(size_t)i * height + j] = x[(size_t)j * width + i];
	const void *in = app_upload(a, "in", x, bytes);
	void *out = app_device(a, "out", bytes);
	APP_LAUNCH(a, transpose_naive, grid, block, 0, &in, &out, &width, &height);
	app_to_host(a, got, out, bytes);
	app_check_floats(a, "out of the first", got, want, n, 0);
	memset(got, 0, bytes);
	app_to_device(a, out, got, bytes);
	APP_LAUNCH(a, transpose_tiled, grid, block, 0, &in, &out, &width, &height);
	app_to_host(a, got, out, bytes);
	app_check_floats(a, "out of the second", got, want, n, 0);
}
