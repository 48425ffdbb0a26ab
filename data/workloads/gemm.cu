/* gemm - C = A * B with square tiles in shared memory, as the CUDA programming guide explains it. */
#include "inputs.h"

enum { TILE = 16 };

#ifdef __CUDACC__
/* A is m x k, B is k x n, C is m x n; all are multiples of TILE, by rows. */
extern "C" __global__ void gemm_tiled(const float *A, const float *B, float *C, int n, int depth)
{
	__shared__ float a[TILE][TILE], b[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
	float sum = 0;
	for (int at = 0; at < depth; at += TILE) {
		a[ty][tx] = A[row * depth + at + tx];
		b[ty][tx] = B[(at + ty) * n + col];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += a[ty][i] * b[i][tx];
		__syncthreads();
	}
	C[row * n + col] = sum;
}
#endif

APP(gemm)
{
	/* The paper's size: DeepBench's 1760 x 128 x 1760. */
	uint32_t m = app_pick(a, 128, 256, 512, 1760), n = app_pick(a, 384, 256, 384, 128);
	uint32_t depth = app_pick(a, 256, 256, 256, 1760);
	const float *ha = input_floats(a, (size_t)m * depth, -1, 1);
	const float *hb = input_floats(a, (size_t)depth * n, -1, 1);
	float *got = (float *)app_host(a, (size_t)m * n, sizeof *got);
	float *want = (float *)app_host(a, n, sizeof *want);
	double *sum = (double *)app_host(a, n, sizeof *sum);
	const void *A = app_upload(a, "A", ha, sizeof *ha * m * depth);
	const void *B = app_upload(a, "B", hb, sizeof *hb * depth * n);
	void *C = app_device(a, "C", sizeof *got * m * n);
	APP_LAUNCH(a, gemm_tiled, app_2d(n / TILE, m / TILE), app_2d(TILE, TILE), 0, &A, &B, &C, &n,
	           &depth);
	app_to_host(a, got, C, sizeof *got * m * n);
	for (uint32_t i = 0; i < m; i++) {
		for (uint32_t j = 0; j < n; j++)
			sum[j] = 0;
		for (uint32_t l = 0; l < depth; l++)
			for (uint32_t j = 0; j < n; j++)
				sum[j] += (double)ha[(size_t)i * depth + l] *
				          (double)hb[(size_t)l * n + j];
		for (uint32_t j = 0; j < n; j++)
			want[j] = (float)sum[j];
		app_check_floats(a, "C", got + (size_t)i * n, want, n, 1e-4f);
	}
}
