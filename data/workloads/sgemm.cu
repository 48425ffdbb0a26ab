/* sgemm - C = A * B^T without shared memory, all matrices by columns: a thread per element, as Parboil's
 * plain version. */
#include "inputs.h"

enum { TILE = 16 };

#ifdef __CUDACC__
/* A is m x k, B is n x k, C is m x n. */
extern "C" __global__ void
sgemm_nt(const float *A, const float *B, float *C, int m, int n, int depth, float alpha, float beta)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
	float sum = 0;
	for (int i = 0; i < depth; i++)
		sum += A[row + i * m] * B[col + i * n];
	C[row + col * m] = C[row + col * m] * beta + alpha * sum;
}
#endif

APP(sgemm)
{
	/* The paper's size: Parboil's medium input. */
	uint32_t m = app_pick(a, 512, 256, 512, 1024), n = app_pick(a, 288, 256, 288, 1056);
	/* The small size makes the first columns of the large C. */
	uint32_t cols = app_pick(a, 64, n, n, n), depth = app_pick(a, 192, 128, 192, 992);
	const float *ha = input_floats(a, (size_t)m * depth, -1, 1);
	const float *hb = input_floats(a, (size_t)n * depth, -1, 1);
	float *got = (float *)app_host(a, (size_t)m * n, sizeof *got), alpha = 1, beta = 0;
	double *sum = (double *)app_host(a, m, sizeof *sum);
	float *want = (float *)app_host(a, m, sizeof *want);
	const void *A = app_upload(a, "A", ha, sizeof *ha * m * depth);
	const void *B = app_upload(a, "B", hb, sizeof *hb * n * depth);
	void *C = app_device(a, "C", sizeof *got * m * n);
	APP_LAUNCH(a, sgemm_nt, app_2d(m / TILE, cols / TILE), app_2d(TILE, TILE), 0, &A, &B, &C, &m, &n,
	           &depth, &alpha, &beta);
	app_to_host(a, got, C, sizeof *got * m * n);
	for (uint32_t col = 0; col < cols; col++) {
		for (uint32_t row = 0; row < m; row++)
			sum[row] = 0;
		for (uint32_t i = 0; i < depth; i++)
			for (uint32_t row = 0; row < m; row++)
				sum[row] += (double)ha[(size_t)i * m + row] *
				            (double)hb[(size_t)i * n + col];
		for (uint32_t row = 0; row < m; row++)
			want[row] = (float)sum[row];
		app_check_floats(a, "C", got + (size_t)col * m, want, m, 1e-4f);
	}
}
