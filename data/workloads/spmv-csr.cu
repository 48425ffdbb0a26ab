/* spmv-csr - a sparse matrix in compressed rows times a dense vector, as SHOC's: a thread a row, then a warp a
 * row. */
#include "inputs.h"

enum { BLOCK = 128 };

#ifdef __CUDACC__
extern "C" __global__ void spmv_csr_scalar(const float *values, const float *x, const int *columns,
                                           const int *rows, int n, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float sum = 0;
	for (int e = rows[i]; e < rows[i + 1]; e++)
		sum += values[e] * __ldg(&x[columns[e]]);
	y[i] = sum;
}

/* The 32 partial sums of a row are joined in shared memory. */
extern "C" __global__ void spmv_csr_vector(const float *values, const float *x, const int *columns,
                                           const int *rows, int n, float *y)
{
	__shared__ volatile float partial[BLOCK];
	int t = threadIdx.x, lane = t % 32, row = (blockIdx.x * blockDim.x + t) / 32;
	if (row >= n)
		return;
	float sum = 0;
	for (int e = rows[row] + lane; e < rows[row + 1]; e += 32)
		sum += values[e] * __ldg(&x[columns[e]]);
	partial[t] = sum;
	for (int half = 16; half > 0; half /= 2)
		if (lane < half)
			partial[t] += partial[t + half];
	if (lane == 0)
		y[row] = partial[t];
}
#endif

APP(spmv_csr)
{
	struct input_csr m;
	/* The paper's size: SHOC's first, which is its default: 1024 rows with 1 % of the entries, 100 iterations. */
	uint32_t n = app_pick(a, 2000, 8192, 30000, 1024), mean = app_pick(a, 82, 82, 82, 10);
	uint32_t iterations = app_pick(a, 1, 1, 1, 100);
	/* The small size has the first rows of the large matrix. */
	uint32_t cols = app_pick(a, 30000, n, n, n);
	input_even_rows(a, n, cols, mean, cols, &m);
	const float *hx = input_floats(a, cols, -1, 1), *want = input_product(a, &m, hx);
	float *got = (float *)app_host(a, n, sizeof *got);
	const void *value = app_upload(a, "values", m.value, sizeof *m.value * m.m);
	const void *col = app_upload(a, "columns", m.col, sizeof *m.col * m.m);
	const void *row = app_upload(a, "rows", m.row, sizeof *m.row * (n + 1));
	const void *x = app_upload(a, "x", hx, sizeof *hx * cols);
	void *y = app_device(a, "y", sizeof *got * n);
	for (uint32_t i = 0; i < iterations; i++)
		APP_LAUNCH(a, spmv_csr_scalar, app_1d(app_ceil(n, BLOCK)), app_1d(BLOCK), 0, &value, &x,
		           &col, &row, &n, &y);
	app_to_host(a, got, y, sizeof *got * n);
	app_check_floats(a, "y of the first", got, want, n, 1e-4f);
	memset(got, 0, sizeof *got * n);
	app_to_device(a, y, got, sizeof *got * n);
	for (uint32_t i = 0; i < iterations; i++)
		APP_LAUNCH(a, spmv_csr_vector, app_1d(app_ceil(n, BLOCK / 32)), app_1d(BLOCK), 0, &value,
		           &x, &col, &row, &n, &y);
	app_to_host(a, got, y, sizeof *got * n);
	app_check_floats(a, "y of the second", got, want, n, 1e-4f);
}
