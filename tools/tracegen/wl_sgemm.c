/* Single-precision matrix products without shared memory: Parboil's plain sgemm, where a thread
 * computes one element of C = A * B^T, all matrices by columns. */
#include "tracegen/data.h"

enum { TILE = 16 };

/* Arguments: A, B, C, m, n, k. A is m x k, B is n x k, C is m x n. */
static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "sgemm_nt");
	val row = k_madi(k, k_ctaid(k, 0), TILE, k_tid(k, 0)),
	    col = k_madi(k, k_ctaid(k, 1), TILE, k_tid(k, 1));
	val m = k_arg_int(k, 3), n = k_arg_int(k, 4), sum = k_var(k, k_float(k, 0));
	val pa = k_var(k, k_elem(k, k_arg_ptr(k, 0), row, 4)),
	    pb = k_var(k, k_elem(k, k_arg_ptr(k, 1), col, 4));
	val i = k_for(k, k_int(k, 0), k_arg_int(k, 5), 1);
	(void)i;
	val a = k_ldg(k, M_32, T_F32, pa, 0), b = k_ldg(k, M_32, T_F32, pb, 0);
	k_set(k, sum, k_mad(k, a, b, sum));
	k_set(k, pa, k_elem(k, pa, m, 4));
	k_set(k, pb, k_elem(k, pb, n, 4));
	k_endfor(k);
	val p = k_elem(k, k_arg_ptr(k, 2), k_mad(k, col, m, row), 4), c = k_ldg(k, M_32, T_F32, p, 0);
	k_stg(k, M_32, p, 0, k_add(k, k_mul(k, c, k_float(k, 0)), sum)); /* beta = 0, alpha = 1 */
	k_finish(k);
	return k;
}

void wl_sgemm(struct wl *w)
{
	uint32_t m = wl_pick(w, 128, 256, 384), n = wl_pick(w, 96, 192, 256),
		 depth = wl_pick(w, 160, 128, 192);
	struct simt_buffer *a = wl_upload_random(w, (size_t)m * depth, -1, 1);
	struct simt_buffer *b = wl_upload_random(w, (size_t)n * depth, -1, 1);
	struct simt_buffer *c = simt_alloc(&w->g, 4 * (size_t)m * n);
	float *want = wl_host(w, m, 4);
	if (w->g.status != CT_OK)
		return;
	WL_LAUNCH(w, kernel(&w->g), simt_2d(m / TILE, n / TILE), simt_2d(TILE, TILE), 0, a->address,
	          b->address, c->address, m, n, depth);
	for (uint32_t col = 0; col < n; col++) {
		for (uint32_t row = 0; row < m; row++) {
			double sum = 0;
			for (uint32_t i = 0; i < depth; i++)
				sum += (double)wl_floats(a)[(size_t)i * m + row] *
				       (double)wl_floats(b)[(size_t)i * n + col];
			want[row] = (float)sum;
		}
		wl_check_floats(w, "C", wl_floats(c) + (size_t)col * m, want, m, 1e-4f);
	}
}
