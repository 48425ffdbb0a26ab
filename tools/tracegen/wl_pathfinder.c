/* Cheapest path through a grid, row by row, as Rodinia's pathfinder: a CTA advances ten
 * rows in shared memory on a window that shrinks by one cell at either side per row. */
#include "tracegen/data.h"

enum {
	BLOCK = 256,
	HEIGHT = 10,
	INNER = BLOCK - 2 * HEIGHT,
	SH_NEXT = BLOCK * 4,
	SH_BYTES = 2 * BLOCK * 4
};

/* Arguments: wall (rows behind the first), in, out, columns, rows to go, first row. */
static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "pathfinder_rows");
	val tx = k_tid(k, 0), cols = k_arg_int(k, 3), last = k_addi(k, cols, -1), zero = k_int(k, 0);
	val x0 = k_addi(k, k_muli(k, k_ctaid(k, 0), INNER), -HEIGHT), x = k_add(k, x0, tx);
	val left = k_max(k, k_neg(k, x0), zero);
	val right = k_min(k, k_sub(k, last, x0), k_int(k, BLOCK - 1));
	val west = k_shli(k, k_max(k, k_addi(k, tx, -1), left), 2);
	val east = k_shli(k, k_min(k, k_addi(k, tx, 1), right), 2), at = k_shli(k, tx, 2);
	val valid = k_pand(k, k_setp(k, CMP_GE, tx, left), k_setp(k, CMP_LE, tx, right));
	k_if(k, valid);
	k_sts(k, M_32, at, 0, k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), x, 4), 0));
	k_endif(k);
	k_bar(k);
	val rows = k_arg_int(k, 4), cell = k_var(k, k_mad(k, k_arg_int(k, 5), cols, x));
	val result = k_var(k, zero);
	val i = k_for(k, zero, rows, 1);
	val low = k_setp(k, CMP_GT, tx, i), edge = k_sub(k, k_int(k, BLOCK - 1), i);
	val computes = k_pand(k, k_pand(k, low, k_setp(k, CMP_LT, tx, edge)), valid);
	k_if(k, computes);
	val a = k_lds(k, M_32, T_S32, west, 0), b = k_lds(k, M_32, T_S32, at, 0);
	val c = k_lds(k, M_32, T_S32, east, 0);
	val wall = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 0), cell, 4), 0);
	k_set(k, result, k_add(k, k_min(k, k_min(k, a, b), c), wall));
	k_sts(k, M_32, at, SH_NEXT, result);
	k_endif(k);
	k_bar(k);
	k_if(k, computes);
	k_sts(k, M_32, at, 0, k_lds(k, M_32, T_S32, at, SH_NEXT));
	k_endif(k);
	k_bar(k);
	k_set(k, cell, k_add(k, cell, cols));
	k_endfor(k);
	val inner = k_pand(k, k_setpi(k, CMP_GE, tx, HEIGHT), k_setpi(k, CMP_LT, tx, BLOCK - HEIGHT));
	k_if(k, k_pand(k, inner, valid));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), x, 4), 0, result);
	k_endif(k);
	k_finish(k);
	return k;
}

static void next_row(const uint32_t *in, const uint32_t *wall, uint32_t *out, uint32_t cols)
{
	for (uint32_t x = 0; x < cols; x++) {
		uint32_t best = in[x];
		if (x > 0 && in[x - 1] < best)
			best = in[x - 1];
		if (x + 1 < cols && in[x + 1] < best)
			best = in[x + 1];
		out[x] = best + wall[x];
	}
}

void wl_pathfinder(struct wl *w)
{
	uint32_t cols = wl_pick(w, 5000, 20000, 50000), rows = wl_pick(w, 41, 61, 81);
	struct simt_buffer *wall = simt_alloc(&w->g, 4 * (size_t)cols * (rows - 1));
	struct simt_buffer *cost[2] = {
		simt_alloc(&w->g, 4 * (size_t)cols), simt_alloc(&w->g, 4 * (size_t)cols)};
	uint32_t *want[2] = {wl_host(w, cols, 4), wl_host(w, cols, 4)};
	if (w->g.status != CT_OK)
		return;
	for (size_t i = 0; i < (size_t)cols * (rows - 1); i++)
		wl_words(wall)[i] = wl_below(w, 10);
	for (uint32_t x = 0; x < cols; x++)
		want[0][x] = wl_words(cost[0])[x] = wl_below(w, 10);
	simt_h2d(&w->g, cost[0]);
	simt_h2d(&w->g, wall);
	struct kb *k = kernel(&w->g);
	uint32_t launches = 0;
	for (uint32_t r = 0; r < rows - 1; r += HEIGHT, launches++)
		WL_LAUNCH(w, k, simt_1d(wl_ceil(cols, INNER)), simt_1d(BLOCK), SH_BYTES, wall->address,
		          cost[launches & 1]->address, cost[~launches & 1]->address, cols,
		          rows - 1 - r < HEIGHT ? rows - 1 - r : HEIGHT, r);
	for (uint32_t r = 0; r < rows - 1; r++)
		next_row(want[r & 1], wl_words(wall) + (size_t)r * cols, want[~r & 1], cols);
	wl_check_words(w, "cost", wl_words(cost[launches & 1]), want[(rows - 1) & 1], cols);
}
