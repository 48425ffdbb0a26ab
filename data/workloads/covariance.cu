/* covariance - the covariance matrix of a data set as PolyBench's: means, centring, products. */
#include "inputs.h"

enum { BLOCK = 256, TX = 32, TY = 8 };

#ifdef __CUDACC__
/* A thread a column. */
extern "C" __global__ void covariance_mean(float *mean, const float *data, int m, int rows)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j >= m)
		return;
	float sum = 0;
	for (int i = 0; i < rows; i++)
		sum += data[i * m + j];
	mean[j] = sum / (float)rows;
}

extern "C" __global__ void covariance_reduce(const float *mean, float *data, int m, int rows)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < rows && j < m)
		data[i * m + j] -= mean[j];
}

/* A thread is column j1, for all j2 >= j1; the running sum lives in memory, as in the original. */
extern "C" __global__ void covariance_products(float *symmetric, float *data, int m, int rows)
{
	int j1 = blockIdx.x * blockDim.x + threadIdx.x;
	if (j1 >= m)
		return;
	for (int j2 = j1; j2 < m; j2++) {
		symmetric[j1 * m + j2] = 0;
		for (int i = 0; i < rows; i++)
			symmetric[j1 * m + j2] += data[i * m + j1] * data[i * m + j2];
		symmetric[j2 * m + j1] = symmetric[j1 * m + j2];
	}
}
#endif

APP(covariance)
{
	uint32_t m = app_pick(a, 96, 160, 288, 512), rows = app_pick(a, 64, 160, 256, 512);
	float *x = input_floats(a, (size_t)m * rows, -1, 1);
	float *want = (float *)app_host(a, (size_t)m * m, sizeof *want);
	float *got = (float *)app_host(a, (size_t)m * m, sizeof *got);
	double *centred = (double *)app_host(a, (size_t)m * rows, sizeof *centred);
	for (uint32_t j = 0; j < m; j++) {
		double sum = 0;
		for (uint32_t i = 0; i < rows; i++)
			sum += (double)x[i * m + j];
		for (uint32_t i = 0; i < rows; i++)
			centred[i * m + j] = (double)x[i * m + j] - sum / rows;
	}
	void *data = app_upload(a, "data", x, sizeof *x * m * rows), *mean = app_device(a, "mean", sizeof *x * m);
	void *symmetric = app_device(a, "symmetric", sizeof *x * m * m);
	struct app_dims grid = app_1d(app_ceil(m, BLOCK)), block = app_1d(BLOCK);
	APP_LAUNCH(a, covariance_mean, grid, block, 0, &mean, &data, &m, &rows);
	APP_LAUNCH(a, covariance_reduce, app_2d(app_ceil(m, TX), app_ceil(rows, TY)), app_2d(TX, TY), 0, &mean,
	           &data, &m, &rows);
	APP_LAUNCH(a, covariance_products, grid, block, 0, &symmetric, &data, &m, &rows);
	for (uint32_t i = 0; i < m; i++)
		for (uint32_t j = 0; j < m; j++) {
			double sum = 0;
			for (uint32_t r = 0; r < rows; r++)
				sum += centred[r * m + i] * centred[r * m + j];
			want[i * m + j] = (float)sum;
		}
	app_to_host(a, got, symmetric, sizeof *got * m * m);
	app_check_floats(a, "covariance", got, want, (size_t)m * m, 1e-4f);
}
