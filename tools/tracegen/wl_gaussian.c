/* Gaussian elimination as in Rodinia: for every column one launch computes the
 * multipliers and one subtracts the pivot row from the rows below. */
#include "tracegen/data.h"

enum { BLOCK = 256, TILE = 16 };

/* m[r][t] = a[r][t] / a[t][t] for r > t. Arguments: a, m, n, t. */
static struct kb *fan1_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "gaussian_fan1");
	val i = k_gid(k), n = k_arg_int(k, 2), t = k_arg_int(k, 3);
	val left = k_sub(k, k_addi(k, k_var(k, n), -1), t);
	k_exit_if(k, k_setp(k, CMP_GE, i, left));
	val at = k_mad(k, n, k_addi(k, k_add(k, t, i), 1), t);
	val x = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), at, 4), 0);
	val diagonal = k_elem(k, k_arg_ptr(k, 0), k_mad(k, k_var(k, n), t, t), 4);
	val pivot = k_ldg(k, M_32, T_F32, diagonal, 0);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), at, 4), 0, k_div(k, x, pivot));
	k_finish(k);
	return k;
}

/* a[r][c] -= m[r][t] * a[t][c]; the right-hand side with column 0.
 * Arguments: a, m, n, t, b. */
static struct kb *fan2_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "gaussian_fan2");
	val x = k_gid_axis(k, 0), y = k_gid_axis(k, 1), n = k_arg_int(k, 2), t = k_arg_int(k, 3);
	val width = k_sub(k, k_var(k, n), t);
	k_exit_if(k, k_setp(k, CMP_GE, x, k_addi(k, width, -1)));
	k_exit_if(k, k_setp(k, CMP_GE, y, width));
	val row = k_addi(k, k_add(k, x, t), 1), col = k_add(k, y, t);
	val multiplier = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 1), k_mad(k, row, n, t), 4), 0);
	val above = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), k_mad(k, t, n, col), 4), 0);
	val p = k_elem(k, k_arg_ptr(k, 0), k_mad(k, row, n, col), 4);
	val old = k_ldg(k, M_32, T_F32, p, 0);
	k_stg(k, M_32, p, 0, k_mad(k, k_neg(k, multiplier), above, old));
	k_if(k, k_setpi(k, CMP_EQ, y, 0));
	val bt = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 4), t, 4), 0);
	val q = k_elem(k, k_arg_ptr(k, 4), row, 4), b = k_ldg(k, M_32, T_F32, q, 0);
	k_stg(k, M_32, q, 0, k_mad(k, k_neg(k, multiplier), bt, b));
	k_endif(k);
	k_finish(k);
	return k;
}

void wl_gaussian(struct wl *w)
{
	uint32_t n = wl_pick(w, 64, 128, 208);
	size_t cells = (size_t)n * n;
	struct simt_buffer *a = simt_alloc(&w->g, 4 * cells), *m = simt_alloc(&w->g, 4 * cells);
	struct simt_buffer *b = wl_upload_random(w, n, -1, 1);
	double *ref = wl_host(w, cells + n, sizeof *ref);
	float *want = wl_host(w, cells + n, sizeof *want);
	if (w->g.status != CT_OK)
		return;
	for (size_t i = 0; i < cells; i++)
		ref[i] = (double)(wl_floats(a)[i] = i / n == i % n ? (float)n : wl_between(w, -1, 1));
	for (uint32_t i = 0; i < n; i++)
		ref[cells + i] = (double)wl_floats(b)[i];
	simt_h2d(&w->g, a);
	simt_h2d(&w->g, m);
	struct kb *fan1 = fan1_kernel(&w->g), *fan2 = fan2_kernel(&w->g);
	for (uint32_t t = 0; t + 1 < n; t++) {
		WL_LAUNCH(w, fan1, simt_1d(wl_ceil(n, BLOCK)), simt_1d(BLOCK), 0, a->address, m->address,
		          n, t);
		WL_LAUNCH(w, fan2, simt_2d(wl_ceil(n, TILE), wl_ceil(n, TILE)), simt_2d(TILE, TILE), 0,
		          a->address, m->address, n, t, b->address);
		for (uint32_t r = t + 1; r < n; r++) {
			double f = ref[r * n + t] / ref[t * n + t];
			for (uint32_t c = t; c < n; c++)
				ref[r * n + c] -= f * ref[t * n + c];
			ref[cells + r] -= f * ref[cells + t];
		}
	}
	for (size_t i = 0; i < cells + n; i++)
		want[i] = (float)ref[i];
	wl_check_floats(w, "matrix", wl_floats(a), want, cells, 1e-4f);
	wl_check_floats(w, "right side", wl_floats(b), want + cells, n, 1e-4f);
}
