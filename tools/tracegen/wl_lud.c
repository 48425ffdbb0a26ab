/* LU decomposition without pivoting by 16x16 blocks, as in Rodinia: the diagonal block, its
 * row and column of blocks, the rest, for every diagonal block in turn. */
#include "tracegen/data.h"

enum { B = 16, ROW = B * 4, CELLS = B * B * 4 };

static val cell(struct kb *k, val row, val col)
{
	return k_shli(k, k_madi(k, row, B, col), 2);
}

/* Address of element (first + row, first + col). Arguments: matrix, n, first. */
static val element(struct kb *k, val row, val col)
{
	val r = k_add(k, k_arg_int(k, 2), row), c = k_add(k, k_arg_int(k, 2), col);
	return k_elem(k, k_arg_ptr(k, 0), k_mad(k, r, k_arg_int(k, 1), c), 4);
}

/* One warp, half of it idle: lane t owns row or column t. */
static struct kb *diagonal_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "lud_diagonal");
	val t = k_tid(k, 0), zero = k_int(k, 0), t4 = k_shli(k, t, 2), t64 = k_shli(k, t, 6);
	val p = k_var(k, element(k, zero, t));
	for (int r = 0; r < B; r++) {
		k_sts(k, M_32, t4, r * ROW, k_ldg(k, M_32, T_F32, p, 0));
		k_set(k, p, k_elem(k, p, k_arg_int(k, 1), 4));
	}
	k_bar(k);
	for (int i = 0; i < B - 1; i++) {
		/* Column i below the pivot, then row i+1. */
		k_if(k, k_setpi(k, CMP_GT, t, i));
		val sum = k_var(k, k_lds(k, M_32, T_F32, t64, 4 * i));
		for (int j = 0; j < i; j++) {
			val a = k_lds(k, M_32, T_F32, t64, 4 * j),
			    b = k_lds(k, M_32, T_F32, zero, j * ROW + 4 * i);
			k_set(k, sum, k_mad(k, k_neg(k, a), b, sum));
		}
		val pivot = k_lds(k, M_32, T_F32, zero, i * ROW + 4 * i);
		k_sts(k, M_32, t64, 4 * i, k_div(k, sum, pivot));
		k_endif(k);
		k_bar(k);
		k_if(k, k_setpi(k, CMP_GT, t, i));
		val row = k_var(k, k_lds(k, M_32, T_F32, t4, (i + 1) * ROW));
		for (int j = 0; j <= i; j++) {
			val a = k_lds(k, M_32, T_F32, zero, (i + 1) * ROW + 4 * j);
			val b = k_lds(k, M_32, T_F32, t4, j * ROW);
			k_set(k, row, k_mad(k, k_neg(k, a), b, row));
		}
		k_sts(k, M_32, t4, (i + 1) * ROW, row);
		k_endif(k);
		k_bar(k);
	}
	val q = k_var(k, element(k, k_int(k, 1), t));
	for (int r = 1; r < B; r++) {
		k_stg(k, M_32, q, 0, k_lds(k, M_32, T_F32, t4, r * ROW));
		k_set(k, q, k_elem(k, q, k_arg_int(k, 1), 4));
	}
	k_finish(k);
	return k;
}

enum { SH_DIAGONAL = 0, SH_ROWS = CELLS, SH_COLS = 2 * CELLS };

/* CTA b: row block and column block b + 1 behind the diagonal block. The first half-warp
 * solves the row, the other the column. */
static struct kb *perimeter_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "lud_perimeter");
	val t = k_tid(k, 0), zero = k_int(k, 0), n = k_arg_int(k, 1);
	val lane = k_andi(k, t, B - 1), lane4 = k_shli(k, lane, 2), lane64 = k_shli(k, lane, 6);
	val beside = k_shli(k, k_addi(k, k_ctaid(k, 0), 1), 4);
	val first_half = k_setpi(k, CMP_LT, t, B),
	    to = k_sel(k, first_half, k_int(k, SH_ROWS), k_int(k, SH_COLS));
	val down = k_sel(k, first_half, zero, beside), right = k_sel(k, first_half, beside, zero);
	/* All 32 lanes: two rows of the diagonal block at a time. */
	val half = k_shri(k, t, 4);
	val p = k_var(k, element(k, half, lane));
	val at = cell(k, half, lane);
	for (int r = 0; r < B; r += 2) {
		k_sts(k, M_32, at, SH_DIAGONAL + r * ROW, k_ldg(k, M_32, T_F32, p, 0));
		k_set(k, p, k_elem(k, p, n, 8));
	}
	val q = k_var(k, element(k, down, k_add(k, right, lane)));
	val sh = k_add(k, lane4, to);
	for (int r = 0; r < B; r++) {
		k_sts(k, M_32, sh, r * ROW, k_ldg(k, M_32, T_F32, q, 0));
		k_set(k, q, k_elem(k, q, n, 4));
	}
	k_bar(k);
	k_if(k, first_half);
	/* L * X = row block: column `lane` of X from the top down. */
	for (int i = 1; i < B; i++) {
		val x = k_var(k, k_lds(k, M_32, T_F32, lane4, SH_ROWS + i * ROW));
		for (int j = 0; j < i; j++) {
			val a = k_lds(k, M_32, T_F32, zero, SH_DIAGONAL + i * ROW + 4 * j);
			val b = k_lds(k, M_32, T_F32, lane4, SH_ROWS + j * ROW);
			k_set(k, x, k_mad(k, k_neg(k, a), b, x));
		}
		k_sts(k, M_32, lane4, SH_ROWS + i * ROW, x);
	}
	k_else(k);
	/* X * U = column block: row `lane` of X from the left. */
	for (int i = 0; i < B; i++) {
		val x = k_var(k, k_lds(k, M_32, T_F32, lane64, SH_COLS + 4 * i));
		for (int j = 0; j < i; j++) {
			val a = k_lds(k, M_32, T_F32, lane64, SH_COLS + 4 * j);
			val b = k_lds(k, M_32, T_F32, zero, SH_DIAGONAL + j * ROW + 4 * i);
			k_set(k, x, k_mad(k, k_neg(k, a), b, x));
		}
		val pivot = k_lds(k, M_32, T_F32, zero, SH_DIAGONAL + i * ROW + 4 * i);
		k_sts(k, M_32, lane64, SH_COLS + 4 * i, k_div(k, x, pivot));
	}
	k_endif(k);
	k_bar(k);
	val out = k_var(k, element(k, down, k_add(k, right, lane)));
	for (int r = 0; r < B; r++) {
		k_stg(k, M_32, out, 0, k_lds(k, M_32, T_F32, sh, r * ROW));
		k_set(k, out, k_elem(k, out, n, 4));
	}
	k_finish(k);
	return k;
}

/* CTA (x, y): block - column block y * row block x. */
static struct kb *internal_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "lud_internal");
	val tx = k_tid(k, 0), ty = k_tid(k, 1), at = cell(k, ty, tx);
	val x0 = k_shli(k, k_addi(k, k_ctaid(k, 0), 1), 4),
	    y0 = k_shli(k, k_addi(k, k_ctaid(k, 1), 1), 4);
	val col = k_add(k, x0, tx), row = k_add(k, y0, ty);
	val a = k_ldg(k, M_32, T_F32, element(k, ty, col), 0);
	val b = k_ldg(k, M_32, T_F32, element(k, row, tx), 0);
	k_sts(k, M_32, at, SH_ROWS, a);
	k_sts(k, M_32, at, SH_COLS, b);
	k_bar(k);
	val sum = k_var(k, k_float(k, 0)), ty64 = k_shli(k, ty, 6), tx4 = k_shli(k, tx, 2);
	for (int j = 0; j < B; j++) {
		val l = k_lds(k, M_32, T_F32, ty64, SH_COLS + 4 * j);
		val u = k_lds(k, M_32, T_F32, tx4, SH_ROWS + j * ROW);
		k_set(k, sum, k_mad(k, l, u, sum));
	}
	val p = element(k, row, col), old = k_ldg(k, M_32, T_F32, p, 0);
	k_stg(k, M_32, p, 0, k_sub(k, old, sum));
	k_finish(k);
	return k;
}

static void reference(double *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t r = i + 1; r < n; r++) {
			a[r * n + i] /= a[i * n + i];
			for (uint32_t c = i + 1; c < n; c++)
				a[r * n + c] -= a[r * n + i] * a[i * n + c];
		}
}

void wl_lud(struct wl *w)
{
	uint32_t n = wl_pick(w, 128, 256, 416), blocks = n / B;
	size_t cells = (size_t)n * n;
	struct simt_buffer *m = simt_alloc(&w->g, 4 * cells);
	double *a = wl_host(w, cells, sizeof *a);
	float *want = wl_host(w, cells, sizeof *want);
	if (w->g.status != CT_OK)
		return;
	/* Diagonally dominant, so that no pivot is needed. */
	for (size_t i = 0; i < cells; i++)
		a[i] = (double)(wl_floats(m)[i] = i / n == i % n ? (float)n : wl_between(w, -1, 1));
	simt_h2d(&w->g, m);
	struct kb *diagonal = diagonal_kernel(&w->g), *perimeter = perimeter_kernel(&w->g);
	struct kb *internal = internal_kernel(&w->g);
	for (uint32_t b = 0; b < blocks; b++) {
		uint32_t left = blocks - 1 - b;
		WL_LAUNCH(w, diagonal, simt_1d(1), simt_1d(B), CELLS, m->address, n, b * B);
		if (left == 0)
			break;
		WL_LAUNCH(w, perimeter, simt_1d(left), simt_1d(2 * B), 3 * CELLS, m->address, n, b * B);
		WL_LAUNCH(w, internal, simt_2d(left, left), simt_2d(B, B), 3 * CELLS, m->address, n,
		          b * B);
	}
	reference(a, n);
	for (size_t i = 0; i < cells; i++)
		want[i] = (float)a[i];
	wl_check_floats(w, "LU", wl_floats(m), want, cells, 1e-4f);
}
