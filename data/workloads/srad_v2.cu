/* srad_v2 - speckle-reducing anisotropic diffusion as Rodinia's second version: tiles of 16 x 16 in shared
 * memory. */
#include <math.h>

#include "srad.h"

enum { TILE = 16, REGION = 64 /* side of the region whose speckle is measured, on the host */ };

#ifdef __CUDACC__
/* Neighbour (dx, dy) of a cell: from the tile, or at its rim from memory, where borders mirror. */
static __device__ float
neighbour(float (*tile)[TILE], const float *from, int dx, int dy, int row, int col, int rows, int cols)
{
	int x = (int)threadIdx.x + dx, y = (int)threadIdx.y + dy;
	if (x >= 0 && x < TILE && y >= 0 && y < TILE)
		return tile[y][x];
	return from[cols * min(max(row + dy, 0), rows - 1) + min(max(col + dx, 0), cols - 1)];
}

extern "C" __global__ void srad2_coefficients(float *east, float *west, float *south, float *north,
                                              const float *image, float *c, int cols, int rows,
                                              float q0sqr)
{
	__shared__ float tile[TILE][TILE];
	int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
	int i = cols * row + col;
	float jc = tile[threadIdx.y][threadIdx.x] = image[i];
	__syncthreads();
	float n = neighbour(tile, image, 0, -1, row, col, rows, cols) - jc;
	float s = neighbour(tile, image, 0, 1, row, col, rows, cols) - jc;
	float w = neighbour(tile, image, -1, 0, row, col, rows, cols) - jc;
	float e = neighbour(tile, image, 1, 0, row, col, rows, cols) - jc;
	c[i] = srad_coefficient(jc, n, s, w, e, q0sqr);
	east[i] = e;
	west[i] = w;
	south[i] = s;
	north[i] = n;
}

extern "C" __global__ void srad2_update(const float *east, const float *west, const float *south,
                                        const float *north, float *image, const float *c, int cols, int rows)
{
	__shared__ float tile[TILE][TILE];
	int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
	int i = cols * row + col;
	float here = tile[threadIdx.y][threadIdx.x] = c[i];
	__syncthreads();
	float cs = neighbour(tile, c, 0, 1, row, col, rows, cols);
	float ce = neighbour(tile, c, 1, 0, row, col, rows, cols);
	float d = here * north[i] + cs * south[i] + here * west[i] + ce * east[i];
	image[i] += 0.25f * SRAD_LAMBDA * d;
}
#endif

static float region_speckle(const float *j, uint32_t cols)
{
	double sum = 0, sum2 = 0;
	for (uint32_t y = 0; y < REGION; y++)
		for (uint32_t x = 0; x < REGION; x++) {
			double v = (double)j[y * cols + x];
			sum += v;
			sum2 += v * v;
		}
	return srad_speckle(sum, sum2, (size_t)REGION * REGION);
}

APP(srad_v2)
{
	uint32_t n = app_pick(a, 512, 256, 512, 2048), rows = app_pick(a, 96, 256, 512, 2048);
	uint32_t steps = app_pick(a, 4, 3, 4, 2);
	size_t cells = (size_t)rows * n, bytes = cells * sizeof(float);
	float *got = (float *)app_host(a, cells, sizeof *got);
	struct app_dims grid = app_2d(n / TILE, rows / TILE), block = app_2d(TILE, TILE);
	struct srad s;
	srad_allocate(a, &s, rows, n);
	input_image(a, s.j, n, rows);
	for (size_t i = 0; i < cells; i++)
		s.j[i] = expf(s.j[i]);
	void *image = app_upload(a, "J", s.j, bytes), *c = app_device(a, "C", bytes), *d[4];
	static const char *const names[4] = {"E", "W", "S", "N"};
	for (int i = 0; i < 4; i++)
		d[i] = app_device(a, names[i], bytes);
	for (uint32_t t = 0; t < steps; t++) {
		app_to_host(a, got, image, bytes);
		float q0sqr = region_speckle(got, n);
		APP_LAUNCH(a, srad2_coefficients, grid, block, 0, &d[0], &d[1], &d[2], &d[3], &image, &c,
		           &n, &rows, &q0sqr);
		APP_LAUNCH(a, srad2_update, grid, block, 0, &d[0], &d[1], &d[2], &d[3], &image, &c, &n,
		           &rows);
		srad_reference(&s, q0sqr);
	}
	app_to_host(a, got, image, bytes);
	app_check_floats(a, "image", got, s.j, cells, 1e-4f);
}
