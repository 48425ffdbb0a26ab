/* stencil - seven-point Jacobi iteration on a 3-D grid as Parboil's: a thread goes through the planes of two
 * columns, the current plane is in shared memory, the ones below and above it in registers. */
#include "inputs.h"

enum { TX = 32, TY = 4, COARSE = 2 /* columns of a thread */, STEPS = 4 };

#ifdef __CUDACC__
extern "C" __global__ void
stencil_7point(float c0, float c1, const float *in, float *out, int nx, int ny, int nz)
{
	__shared__ float plane[TY][COARSE * TX];
	int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * TY + ty;
	int x0 = blockIdx.x * COARSE * TX + tx, slice = nx * ny;
	float below[COARSE], here[COARSE], above[COARSE];
	bool valid[COARSE], inner[COARSE];
#pragma unroll
	for (int h = 0; h < COARSE; h++) {
		int x = x0 + h * TX;
		valid[h] = x < nx && y < ny;
		inner[h] = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
		below[h] = valid[h] ? in[y * nx + x] : 0;
		here[h] = valid[h] ? in[slice + y * nx + x] : 0;
		plane[ty][tx + h * TX] = here[h];
	}
	__syncthreads();
	for (int z = 1; z < nz - 1; z++) {
#pragma unroll
		for (int h = 0; h < COARSE; h++) {
			int s = tx + h * TX, at = z * slice + y * nx + x0 + h * TX;
			above[h] = valid[h] ? in[at + slice] : 0;
			if (inner[h]) {
				/* Neighbours of other CTAs' columns come from memory. */
				float west = s > 0 ? plane[ty][s - 1] : in[at - 1];
				float east = s < COARSE * TX - 1 ? plane[ty][s + 1] : in[at + 1];
				float north = ty > 0 ? plane[ty - 1][s] : in[at - nx];
				float south = ty < TY - 1 ? plane[ty + 1][s] : in[at + nx];
				out[at] = (above[h] + below[h] + south + north + east + west) * c1 -
				          here[h] * c0;
			}
		}
		__syncthreads();
#pragma unroll
		for (int h = 0; h < COARSE; h++) {
			below[h] = here[h];
			here[h] = above[h];
			plane[ty][tx + h * TX] = above[h];
		}
		__syncthreads();
	}
}
#endif

static void step(const float *in, float *out, uint32_t nx, uint32_t ny, uint32_t nz, float c0, float c1)
{
	size_t plane = (size_t)nx * ny;
	for (uint32_t z = 1; z + 1 < nz; z++)
		for (uint32_t y = 1; y + 1 < ny; y++)
			for (uint32_t x = 1; x + 1 < nx; x++) {
				size_t i = z * plane + (size_t)y * nx + x;
				float sum = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
				            in[i - plane] + in[i + plane];
				out[i] = c1 * sum - c0 * in[i];
			}
}

APP(stencil)
{
	uint32_t nx = app_pick(a, 256, 256, 256, 512), ny = app_pick(a, 48, 96, 1280, 512);
	uint32_t nz = app_pick(a, 22, 14, 22, 64);
	size_t n = (size_t)nx * ny * nz, bytes = n * sizeof(float);
	float *want[2], *got = (float *)app_host(a, n, sizeof *got), c0 = 1.0f / 6, c1 = 1.0f / 36;
	struct app_dims grid = app_2d(app_ceil(nx, COARSE * TX), app_ceil(ny, TY));
	void *grids[2];
	want[0] = input_floats(a, n, 0, 1);
	want[1] = (float *)app_host(a, n, sizeof **want);
	memcpy(want[1], want[0], bytes);
	grids[0] = app_upload(a, "grid", want[0], bytes);
	grids[1] = app_upload(a, "next grid", want[0], bytes);
	for (int s = 0; s < STEPS; s++) {
		APP_LAUNCH(a, stencil_7point, grid, app_2d(TX, TY), 0, &c0, &c1, &grids[s & 1],
		           &grids[~s & 1], &nx, &ny, &nz);
		step(want[s & 1], want[~s & 1], nx, ny, nz, c0, c1);
	}
	app_to_host(a, got, grids[STEPS & 1], bytes);
	app_check_floats(a, "grid", got, want[STEPS & 1], n, 1e-5f);
}
