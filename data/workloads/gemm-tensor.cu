/* gemm-tensor - a matrix product on tensor cores, as DeepBench's through a library: for sm_80, and of size paper for sm_75, the
 * GPU of the paper that names it. */
#include "turing.h"

#ifdef __CUDACC__
extern "C" __global__ void gemm_hmma_64x64(const uint16_t *A, const uint16_t *B, float *C, int m, int n, int depth)
{
	tensor_gemm(A, B, C, m, n, depth);
}

extern "C" __global__ void
gemm_hmma_128x64(const uint16_t *A, const uint16_t *B, uint16_t *C, int m, int n, int depth)
{
	turing_gemm<64>(A, B, C, m, n, depth);
}
#endif

/* The training set's product (7680, 128, 2560) of matrices that are not transposed (DeepBench, gemm_problems.h). */
static void run_paper(struct app *a)
{
	uint32_t m = 7680, n = 128, depth = 2560;
	float *fa, *fb, *want = (float *)app_host(a, n, sizeof *want), *row = (float *)app_host(a, n, sizeof *row);
	uint16_t *got = (uint16_t *)app_host(a, (size_t)m * n, sizeof *got);
	const uint16_t *ha = tensor_halves(a, (size_t)m * depth, 1, &fa);
	const uint16_t *hb = tensor_halves(a, (size_t)n * depth, 1, &fb);
	const void *A = app_upload(a, "A", ha, sizeof *ha * m * depth);
	const void *B = app_upload(a, "B", hb, sizeof *hb * n * depth);
	void *C = app_device(a, "C", sizeof *got * m * n);
	APP_LAUNCH(a, gemm_hmma_128x64, app_2d(app_ceil(n, 64), app_ceil(m, TURING_ROWS)), app_1d(TURING_THREADS(64)), 0, &A,
	           &B, &C, &m, &n, &depth);
	app_to_host(a, got, C, sizeof *got * m * n);
	/* Every 37th row. */
	for (uint32_t i = 0; i < m; i += 37) {
		for (uint32_t j = 0; j < n; j++) {
			want[j] = 0;
			for (uint32_t l = 0; l < depth; l += 8)
				want[j] = turing_add(want[j], &fa[(size_t)l * m + i], m, &fb[(size_t)j * depth + l], 1);
			row[j] = tensor_value(got[(size_t)j * m + i]);
		}
		app_check_floats(a, "C", row, want, n, TURING_TOLERANCE);
	}
}

APP(gemm_tensor)
{
	if (a->size == APP_PAPER) {
		run_paper(a);
		return;
	}
	uint32_t m = app_pick(a, 128, 1024, 2048, 0), n = app_pick(a, 1536, 1024, 1536, 0);
	uint32_t depth = app_pick(a, 1536, 768, 1536, 0);
	float *fa, *fb, *want = (float *)app_host(a, n, sizeof *want);
	const uint16_t *ha = tensor_halves(a, (size_t)m * depth, 1, &fa);
	const uint16_t *hb = tensor_halves(a, (size_t)n * depth, 1, &fb);
	float *got = (float *)app_host(a, (size_t)m * n, sizeof *got);
	const void *A = app_upload(a, "A", ha, sizeof *ha * m * depth);
	const void *B = app_upload(a, "B", hb, sizeof *hb * n * depth);
	void *C = app_device(a, "C", sizeof *got * m * n);
	APP_LAUNCH(a, gemm_hmma_64x64, app_2d(n / TENSOR_CTA, m / TENSOR_CTA), app_1d(TENSOR_THREADS), 0, &A, &B, &C, &m,
	           &n, &depth);
	app_to_host(a, got, C, sizeof *got * m * n);
	/* Every 7th row: the whole product would take longer than the trace. */
	for (uint32_t i = 0; i < m; i += 7) {
		for (uint32_t j = 0; j < n; j++) {
			double sum = 0;
			for (uint32_t l = 0; l < depth; l++)
				sum += (double)fa[(size_t)i * depth + l] * (double)fb[(size_t)j * depth + l];
			want[j] = (float)sum;
		}
		app_check_floats(a, "C", got + (size_t)i * n, want, n, 1e-4f);
	}
}
