/* spmv-csr - a sparse matrix in compressed rows times a dense vector, as SHOC's: a thread a row, then a warp a
 * row. Size paper reads the vector through a texture, as SHOC does. */
#include "inputs.h"

enum { BLOCK = 128 };

#ifdef __CUDACC__
/* The vector through the L1, or as SHOC has it through a texture. */
struct loaded {
	const float *x;
	__device__ float operator[](int i) const
	{
		return __ldg(&x[i]);
	}
};
struct textured {
	cudaTextureObject_t x;
	__device__ float operator[](int i) const
	{
		return tex1Dfetch<float>(x, i);
	}
};

template <class X>
__device__ void multiply_by_thread(const float *values, X x, const int *columns, const int *rows, int n, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float sum = 0;
	for (int e = rows[i]; e < rows[i + 1]; e++)
		sum += values[e] * x[columns[e]];
	y[i] = sum;
}

/* The 32 partial sums of a row are joined in shared memory. */
template <class X>
__device__ void multiply_by_warp(const float *values, X x, const int *columns, const int *rows, int n, float *y,
                                 volatile float *partial)
{
	int t = threadIdx.x, lane = t % 32, row = (blockIdx.x * blockDim.x + t) / 32;
	if (row >= n)
		return;
	float sum = 0;
	for (int e = rows[row] + lane; e < rows[row + 1]; e += 32)
		sum += values[e] * x[columns[e]];
	partial[t] = sum;
	for (int half = 16; half > 0; half /= 2)
		if (lane < half)
			partial[t] += partial[t + half];
	if (lane == 0)
		y[row] = partial[t];
}

#define BY_THREAD(name, argument, reader) \
	extern "C" __global__ void name(const float *values, argument x, const int *columns, const int *rows, int n, float *y) \
	{ \
		multiply_by_thread(values, reader{x}, columns, rows, n, y); \
	}
#define BY_WARP(name, argument, reader) \
	extern "C" __global__ void name(const float *values, argument x, const int *columns, const int *rows, int n, float *y) \
	{ \
		__shared__ volatile float partial[BLOCK]; \
		multiply_by_warp(values, reader{x}, columns, rows, n, y, partial); \
	}
BY_THREAD(spmv_csr_scalar, const float *, loaded)
BY_WARP(spmv_csr_vector, const float *, loaded)
BY_THREAD(spmv_csr_scalar_texture, cudaTextureObject_t, textured)
BY_WARP(spmv_csr_vector_texture, cudaTextureObject_t, textured)
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
	const int textured = app_pick(a, 0, 0, 0, 1);
	unsigned long long texture = textured ? app_texture(a, (const float *)x, cols) : 0;
	const void *vector = textured ? (const void *)&texture : (const void *)&x;
#define MULTIPLY(kernel) APP_LAUNCH(a, kernel, grid, block, 0, &value, vector, &col, &row, &n, &y)
	for (int by_warp = 0; by_warp < 2; by_warp++) {
		struct app_dims grid = app_1d(app_ceil(n, by_warp ? BLOCK / 32 : BLOCK)), block = app_1d(BLOCK);
		memset(got, 0, sizeof *got * n);
		if (by_warp)
			app_to_device(a, y, got, sizeof *got * n);
		for (uint32_t i = 0; i < iterations; i++)
			if (textured && by_warp)
				MULTIPLY(spmv_csr_vector_texture);
			else if (textured)
				MULTIPLY(spmv_csr_scalar_texture);
			else if (by_warp)
				MULTIPLY(spmv_csr_vector);
			else
				MULTIPLY(spmv_csr_scalar);
		app_to_host(a, got, y, sizeof *got * n);
		app_check_floats(a, by_warp ? "y of the second" : "y of the first", got, want, n, 1e-4f);
	}
}
