/* PageRank as in Pannotia: every node pushes its share to its neighbours with atomics. */
#include "tracegen/data.h"

enum { BLOCK = 256 };

/* Arguments: rank, next, n, 1/n. */
static struct kb *init_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "pagerank_init");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 2)));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0, k_arg_float(k, 3));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), i, 4), 0, k_float(k, 0));
	k_finish(k);
	return k;
}

/* Arguments: rows, columns, rank, next, n. */
static struct kb *push_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "pagerank_push");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 4)));
	val p = k_elem(k, k_arg_ptr(k, 0), i, 4);
	val first = k_ldg(k, M_32, T_S32, p, 0), last = k_ldg(k, M_32, T_S32, p, 4);
	val rank = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 2), i, 4), 0);
	val share = k_div(k, rank, k_cvt(k, k_sub(k, last, first), T_F32));
	val e = k_for(k, first, last, 1);
	val to = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), e, 4), 0);
	k_red(k, ATOM_ADD, k_elem(k, k_arg_ptr(k, 3), to, 4), 0, share);
	k_endfor(k);
	k_finish(k);
	return k;
}

/* rank = 0.15/n + 0.85 * next; next = 0. Arguments: rank, next, n, 0.15/n. */
static struct kb *damp_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "pagerank_damp");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 2)));
	val next = k_elem(k, k_arg_ptr(k, 1), i, 4);
	val sum = k_ldg(k, M_32, T_F32, next, 0);
	val r = k_mad(k, sum, k_float(k, 0.85f), k_arg_float(k, 3));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0, r);
	k_stg(k, M_32, next, 0, k_float(k, 0));
	k_finish(k);
	return k;
}

static void reference(const struct wl_csr *g, uint32_t rounds, double *next, float *rank)
{
	for (uint32_t i = 0; i < g->n; i++)
		rank[i] = 1.0f / (float)g->n;
	for (uint32_t r = 0; r < rounds; r++) {
		for (uint32_t i = 0; i < g->n; i++)
			next[i] = 0;
		for (uint32_t i = 0; i < g->n; i++)
			for (uint32_t e = g->row[i]; e < g->row[i + 1]; e++)
				next[g->col[e]] += (double)rank[i] / (g->row[i + 1] - g->row[i]);
		for (uint32_t i = 0; i < g->n; i++)
			rank[i] = (float)(0.15 / g->n + 0.85 * next[i]);
	}
}

void wl_pagerank(struct wl *w)
{
	struct wl_csr g;
	unsigned scale = wl_pick(w, 12, 14, 15);
	uint32_t rounds = wl_pick(w, 8, 8, 14);
	wl_rmat(w, scale, 8u << scale, &g);
	if (w->g.status != CT_OK)
		return;
	struct simt_buffer *row = wl_upload(w, g.row, 4 * ((size_t)g.n + 1));
	struct simt_buffer *col = wl_upload(w, g.col, 4 * (size_t)g.m);
	struct simt_buffer *rank = simt_alloc(&w->g, 4 * (size_t)g.n);
	struct simt_buffer *next = simt_alloc(&w->g, 4 * (size_t)g.n);
	double *sum = wl_host(w, g.n, sizeof *sum);
	float *want = wl_host(w, g.n, sizeof *want);
	if (w->g.status != CT_OK)
		return;
	struct simt_dims grid = simt_1d(wl_ceil(g.n, BLOCK)), block = simt_1d(BLOCK);
	struct kb *push = push_kernel(&w->g), *damp = damp_kernel(&w->g);
	float n = (float)g.n;
	WL_LAUNCH(w, init_kernel(&w->g), grid, block, 0, rank->address, next->address, g.n,
	          simt_fbits(1.0f / n));
	for (uint32_t r = 0; r < rounds; r++) {
		WL_LAUNCH(w, push, grid, block, 0, row->address, col->address, rank->address,
		          next->address, g.n);
		WL_LAUNCH(w, damp, grid, block, 0, rank->address, next->address, g.n,
		          simt_fbits(0.15f / n));
	}
	reference(&g, rounds, sum, want);
	/* Ranks are about 1/n: compare n times them. */
	for (uint32_t i = 0; i < g.n; i++) {
		want[i] *= n;
		wl_floats(rank)[i] *= n;
	}
	wl_check_floats(w, "rank", wl_floats(rank), want, g.n, 1e-4f);
}
