/* Sum of two vectors. */
#include "tracegen/workload.h"

static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "vecadd");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 3)));
	val a = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0);
	val b = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 1), i, 4), 0);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), i, 4), 0, k_add(k, a, b));
	k_finish(k);
	return k;
}

void wl_vecadd(struct wl *w)
{
	/* Not a multiple of the block: the last warp is partly masked. */
	uint32_t n = wl_pick(w, 50000, 1000000, 8000000) + 7;
	struct simt_buffer *a = simt_alloc(&w->g, 4 * (size_t)n), *b = simt_alloc(&w->g, 4 * (size_t)n);
	struct simt_buffer *c = simt_alloc(&w->g, 4 * (size_t)n);
	float *want = wl_host(w, n, sizeof *want);
	if (w->g.status == CT_OK) {
		float *pa = (float *)a->p, *pb = (float *)b->p;
		for (uint32_t i = 0; i < n; i++) {
			pa[i] = wl_unit(w);
			pb[i] = wl_unit(w);
			want[i] = pa[i] + pb[i];
		}
		simt_h2d(&w->g, a);
		simt_h2d(&w->g, b);
		WL_LAUNCH(w, kernel(&w->g), simt_1d(wl_ceil(n, 256)), simt_1d(256), 0, a->address,
		          b->address, c->address, n);
		wl_check_floats(w, "c", (float *)c->p, want, n, 0);
	}
}
