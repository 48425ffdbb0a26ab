/* nw - Needleman-Wunsch alignment as Rodinia's: blocks of 16 x 16 cells along the matrix's anti-diagonals, a
 * launch per diagonal, the cells of a block by its own anti-diagonals. */
#include "inputs.h"

enum { B = 16, PENALTY = 10 };

#ifdef __CUDACC__
/* One block: its similarities and its rim come to shared memory, its cells go back. */
static __device__ void align_block(const int *similarity, int *matrix, int cols, int by, int bx)
{
	__shared__ int score[B + 1][B + 1], ref[B][B];
	int tx = threadIdx.x, origin = cols * B * by + B * bx, inner = origin + cols + tx + 1;
	if (tx == 0)
		score[0][0] = matrix[origin];
	for (int r = 0; r < B; r++)
		ref[r][tx] = similarity[inner + cols * r];
	score[tx + 1][0] = matrix[origin + cols * (tx + 1)];
	score[0][tx + 1] = matrix[origin + tx + 1];
	__syncthreads();
	for (int m = 0; m < 2 * B - 1; m++) {
		int y = m - tx;
		if (y >= 0 && y < B)
			score[y + 1][tx + 1] = max(max(score[y][tx] + ref[y][tx], score[y + 1][tx] - PENALTY),
			                           score[y][tx + 1] - PENALTY);
		__syncthreads();
	}
	for (int r = 0; r < B; r++)
		matrix[inner + cols * r] = score[r + 1][tx + 1];
}

/* Diagonal of `count` blocks in the upper left half, the longest included. */
extern "C" __global__ void nw_upper_left(const int *similarity, int *matrix, int cols, int count)
{
	align_block(similarity, matrix, cols, count - 1 - blockIdx.x, blockIdx.x);
}

extern "C" __global__ void nw_lower_right(const int *similarity, int *matrix, int cols, int count, int blocks)
{
	align_block(similarity, matrix, cols, blocks - 1 - blockIdx.x, blocks - count + blockIdx.x);
}
#endif

static void reference(const int32_t *sim, int32_t *m, uint32_t cols)
{
	for (uint32_t i = 1; i < cols; i++)
		for (uint32_t j = 1; j < cols; j++) {
			size_t at = (size_t)i * cols + j;
			int32_t d = m[at - cols - 1] + sim[at];
			int32_t b = m[at - 1] - PENALTY, c = m[at - cols] - PENALTY;
			m[at] = d > b ? (d > c ? d : c) : (b > c ? b : c);
		}
}

APP(nw)
{
	uint32_t n = app_pick(a, 256, 640, 1280, 2048), cols = n + 1, blocks = n / B;
	size_t cells = (size_t)cols * cols, bytes = cells * sizeof(int32_t);
	int32_t *hs = (int32_t *)app_host(a, cells, sizeof *hs);
	int32_t *want = (int32_t *)app_host(a, cells, sizeof *want);
	uint32_t *got = (uint32_t *)app_host(a, cells, sizeof *got);
	uint8_t *seq = (uint8_t *)app_host(a, 2 * (size_t)cols, 1);
	for (uint32_t i = 0; i < 2 * cols; i++)
		seq[i] = (uint8_t)app_below(a, 24);
	/* Like a substitution matrix: a match scores well, a near miss a little. */
	for (uint32_t i = 1; i < cols; i++)
		for (uint32_t j = 1; j < cols; j++) {
			int32_t x = seq[i], y = seq[cols + j], d = x > y ? x - y : y - x;
			hs[(size_t)i * cols + j] = d == 0 ? 5 + x % 4 : 1 - d % 6;
		}
	for (uint32_t i = 0; i < cols; i++)
		want[i] = want[(size_t)i * cols] = -(int32_t)(i * PENALTY);
	const void *sim = app_upload(a, "similarity", hs, bytes);
	void *matrix = app_upload(a, "matrix", want, bytes);
	for (uint32_t d = 1; d <= blocks; d++)
		APP_LAUNCH(a, nw_upper_left, app_1d(d), app_1d(B), 0, &sim, &matrix, &cols, &d);
	for (uint32_t d = blocks - 1; d >= 1; d--)
		APP_LAUNCH(a, nw_lower_right, app_1d(d), app_1d(B), 0, &sim, &matrix, &cols, &d, &blocks);
	reference(hs, want, cols);
	app_to_host(a, got, matrix, bytes);
	app_check_words(a, "score", got, (const uint32_t *)want, cells);
}
