/* lud - LU decomposition without pivoting by blocks of 16 x 16, as Rodinia's: for every diagonal block in turn
 * the block itself, its row and column of blocks, and the rest. */
#include "inputs.h"

enum { B = 16 };

#ifdef __CUDACC__
/* One warp, half of it idle: thread t owns row or column t. */
extern "C" __global__ void lud_diagonal(float *m, int n, int first)
{
	__shared__ float block[B][B];
	int t = threadIdx.x, at = first * n + first + t;
	for (int r = 0; r < B; r++)
		block[r][t] = m[at + r * n];
	__syncthreads();
	for (int i = 0; i < B - 1; i++) {
		/* Column i below the pivot, then row i + 1. */
		if (t > i) {
			for (int j = 0; j < i; j++)
				block[t][i] -= block[t][j] * block[j][i];
			block[t][i] /= block[i][i];
		}
		__syncthreads();
		if (t > i)
			for (int j = 0; j < i + 1; j++)
				block[i + 1][t] -= block[i + 1][j] * block[j][t];
		__syncthreads();
	}
	for (int r = 1; r < B; r++)
		m[at + r * n] = block[r][t];
}

/* CTA b: the row and the column block b + 1 behind the diagonal block. The first half of the warp solves the row,
 * the other one the column. */
extern "C" __global__ void lud_perimeter(float *m, int n, int first)
{
	__shared__ float diagonal[B][B], rows[B][B], cols[B][B];
	int t = threadIdx.x % B, half = threadIdx.x / B, beside = (blockIdx.x + 1) * B;
	for (int r = half; r < B; r += 2)
		diagonal[r][t] = m[(first + r) * n + first + t];
	int at = half ? (first + beside) * n + first + t : first * n + first + beside + t;
	for (int r = 0; r < B; r++)
		if (half)
			cols[r][t] = m[at + r * n];
		else
			rows[r][t] = m[at + r * n];
	__syncthreads();
	if (half == 0) {
		for (int i = 1; i < B; i++)
			for (int j = 0; j < i; j++)
				rows[i][t] -= diagonal[i][j] * rows[j][t];
	} else {
		for (int i = 0; i < B; i++) {
			for (int j = 0; j < i; j++)
				cols[t][i] -= cols[t][j] * diagonal[j][i];
			cols[t][i] /= diagonal[i][i];
		}
	}
	__syncthreads();
	for (int r = 0; r < B; r++)
		m[at + r * n] = half ? cols[r][t] : rows[r][t];
}

/* CTA (x, y): a block less its column block y times its row block x. */
extern "C" __global__ void lud_internal(float *m, int n, int first)
{
	__shared__ float rows[B][B], cols[B][B];
	int tx = threadIdx.x, ty = threadIdx.y;
	int col = first + (blockIdx.x + 1) * B, row = first + (blockIdx.y + 1) * B;
	rows[ty][tx] = m[(first + ty) * n + col + tx];
	cols[ty][tx] = m[(row + ty) * n + first + tx];
	__syncthreads();
	float sum = 0;
	for (int i = 0; i < B; i++)
		sum += cols[ty][i] * rows[i][tx];
	m[(row + ty) * n + col + tx] -= sum;
}
#endif

static void reference(double *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t r = i + 1; r < n; r++) {
			m[r * n + i] /= m[i * n + i];
			for (size_t c = i + 1; c < n; c++)
				m[r * n + c] -= m[r * n + i] * m[i * n + c];
		}
}

APP(lud)
{
	uint32_t n = app_pick(a, 128, 256, 640, 1024), blocks = n / B;
	size_t cells = (size_t)n * n;
	float *x = (float *)app_host(a, cells, sizeof *x), *got = (float *)app_host(a, cells, sizeof *got);
	double *exact = (double *)app_host(a, cells, sizeof *exact);
	/* Diagonally dominant, so that no pivot is needed. */
	for (size_t i = 0; i < cells; i++) {
		x[i] = i / n == i % n ? (float)n : app_between(a, -1, 1);
		exact[i] = (double)x[i];
	}
	void *m = app_upload(a, "matrix", x, sizeof *x * cells);
	for (uint32_t b = 0; b < blocks; b++) {
		uint32_t left = blocks - 1 - b, first = b * B;
		APP_LAUNCH(a, lud_diagonal, app_1d(1), app_1d(B), 0, &m, &n, &first);
		if (left == 0)
			break;
		APP_LAUNCH(a, lud_perimeter, app_1d(left), app_1d(2 * B), 0, &m, &n, &first);
		APP_LAUNCH(a, lud_internal, app_2d(left, left), app_2d(B, B), 0, &m, &n, &first);
	}
	reference(exact, n);
	for (size_t i = 0; i < cells; i++)
		x[i] = (float)exact[i];
	app_to_host(a, got, m, sizeof *got * cells);
	app_check_floats(a, "LU", got, x, cells, 1e-4f);
}
