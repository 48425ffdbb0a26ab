/* Needleman-Wunsch alignment as in Rodinia: blocks of 16x16 cells along the matrix's
 * anti-diagonals, one launch per diagonal, cells of a block by its own anti-diagonals. */
#include <string.h>

#include "tracegen/data.h"

enum { B = 16, PITCH = B + 1, SH_REF = PITCH * PITCH * 4, SH_BYTES = SH_REF + B * B * 4, PENALTY = 10 };

static val sh(struct kb *k, val row, val col, int pitch)
{
	return k_shli(k, k_madi(k, row, pitch, col), 2);
}

/* One cell: the best of its three neighbours. */
static void cell(struct kb *k, val x, val y)
{
	val at = sh(k, y, x, PITCH), ref_at = sh(k, y, x, B);
	val nw = k_lds(k, M_32, T_S32, at, 0), ref = k_lds(k, M_32, T_S32, ref_at, SH_REF);
	val w = k_lds(k, M_32, T_S32, at, 4 * PITCH), n = k_lds(k, M_32, T_S32, at, 4);
	val diagonal = k_add(k, nw, ref), penalty = k_int(k, -PENALTY);
	val best = k_max(k, k_max(k, diagonal, k_add(k, w, penalty)), k_add(k, n, penalty));
	k_sts(k, M_32, at, 4 * PITCH + 4, best);
}

/* Arguments: similarity, matrix, columns of both, first block row, last block column. */
static struct kb *kernel(struct simt_run *g, const char *name)
{
	struct kb *k = k_begin(g, name);
	val tx = k_tid(k, 0), b = k_ctaid(k, 0), cols = k_arg_int(k, 2);
	/* The block lies on the diagonal: one down, one left per CTA. */
	val by = k_add(k, k_arg_int(k, 3), b), bx = k_sub(k, k_arg_int(k, 4), b);
	val corner = k_madi(k, k_mad(k, by, cols, bx), B, k_int(k, 0));
	val origin = k_as(k, corner, T_S32);
	val inner = k_add(k, k_add(k, origin, cols), k_addi(k, tx, 1));
	val ref = k_var(k, k_elem(k, k_arg_ptr(k, 0), inner, 4));
	val mat = k_var(k, k_elem(k, k_arg_ptr(k, 1), inner, 4));
	k_if(k, k_setpi(k, CMP_EQ, tx, 0));
	k_sts(k, M_32, k_int(k, 0), 0, k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), origin, 4), 0));
	k_endif(k);
	val tx4 = k_shli(k, tx, 2);
	for (int r = 0; r < B; r++) {
		val x = k_ldg(k, M_32, T_S32, ref, 0);
		k_sts(k, M_32, tx4, SH_REF + 4 * B * r, x);
		k_set(k, ref, k_elem(k, ref, cols, 4));
	}
	val west = k_add(k, origin, k_mul(k, cols, k_addi(k, tx, 1)));
	val w = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), west, 4), 0);
	k_sts(k, M_32, k_muli(k, k_addi(k, tx, 1), 4 * PITCH), 0, w);
	val north = k_add(k, origin, k_addi(k, tx, 1));
	val n = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), north, 4), 0);
	k_sts(k, M_32, tx4, 4, n);
	k_bar(k);
	for (int m = 0; m < 2 * B - 1; m++) {
		/* Cells (x, m - x) of the block. */
		val y = k_sub(k, k_int(k, m), tx);
		k_if(k, m < B ? k_setpi(k, CMP_LE, tx, m) : k_setpi(k, CMP_LT, y, B));
		cell(k, tx, y);
		k_endif(k);
		k_bar(k);
	}
	for (int r = 0; r < B; r++) {
		val x = k_lds(k, M_32, T_S32, tx4, 4 * PITCH * (r + 1) + 4);
		k_stg(k, M_32, mat, 0, x);
		k_set(k, mat, k_elem(k, mat, cols, 4));
	}
	k_finish(k);
	return k;
}

static void reference(const int32_t *sim, int32_t *m, uint32_t cols)
{
	for (uint32_t i = 1; i < cols; i++)
		for (uint32_t j = 1; j < cols; j++) {
			int32_t a = m[(i - 1) * cols + j - 1] + sim[i * cols + j];
			int32_t b = m[i * cols + j - 1] - PENALTY, c = m[(i - 1) * cols + j] - PENALTY;
			m[i * cols + j] = a > b ? (a > c ? a : c) : (b > c ? b : c);
		}
}

void wl_nw(struct wl *w)
{
	uint32_t n = wl_pick(w, 256, 640, 1280), cols = n + 1, blocks = n / B;
	size_t cells = (size_t)cols * cols;
	struct simt_buffer *sim = simt_alloc(&w->g, 4 * cells), *mat = simt_alloc(&w->g, 4 * cells);
	uint32_t *want = wl_host(w, cells, sizeof *want);
	uint8_t *seq = wl_host(w, 2 * (size_t)cols, 1);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t i = 0; i < 2 * cols; i++)
		seq[i] = (uint8_t)wl_below(w, 24);
	/* Like a substitution matrix: a match scores well, a near miss a little. */
	for (uint32_t i = 1; i < cols; i++)
		for (uint32_t j = 1; j < cols; j++) {
			int32_t a = seq[i], b = seq[cols + j], d = a > b ? a - b : b - a;
			wl_words(sim)[(size_t)i * cols + j] = (uint32_t)(d == 0 ? 5 + a % 4 : 1 - d % 6);
		}
	for (uint32_t i = 0; i < cols; i++)
		wl_words(mat)[i] = wl_words(mat)[(size_t)i * cols] = 0u - i * PENALTY;
	memcpy(want, mat->p, 4 * cells);
	simt_h2d(&w->g, sim);
	simt_h2d(&w->g, mat);
	struct kb *k1 = kernel(&w->g, "nw_upper_left"), *k2 = kernel(&w->g, "nw_lower_right");
	for (uint32_t d = 1; d <= blocks; d++)
		WL_LAUNCH(w, k1, simt_1d(d), simt_1d(B), SH_BYTES, sim->address, mat->address, cols, 0,
		          d - 1);
	for (uint32_t d = blocks - 1; d >= 1; d--)
		WL_LAUNCH(w, k2, simt_1d(d), simt_1d(B), SH_BYTES, sim->address, mat->address, cols,
		          blocks - d, blocks - 1);
	reference((const int32_t *)(const void *)sim->p, (int32_t *)want, cols);
	wl_check_words(w, "score", wl_words(mat), want, cells);
}
