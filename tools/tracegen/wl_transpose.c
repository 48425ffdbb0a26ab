/* Matrix transposition as in the CUDA samples: without and with a tile in shared memory. */
#include "tracegen/data.h"

enum { TILE = 32, ROWS = 8, PITCH = (TILE + 1) * 4 };

/* Each thread moves TILE / ROWS elements. Arguments: in, out, width, height. */
static struct kb *naive_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "transpose_naive");
	val x = k_madi(k, k_ctaid(k, 0), TILE, k_tid(k, 0)),
	    y = k_madi(k, k_ctaid(k, 1), TILE, k_tid(k, 1));
	val in = k_var(k, k_elem(k, k_arg_ptr(k, 0), k_mad(k, y, k_arg_int(k, 2), x), 4));
	val out = k_elem(k, k_arg_ptr(k, 1), k_mad(k, x, k_arg_int(k, 3), y), 4);
	for (int i = 0; i < TILE; i += ROWS) {
		k_stg(k, M_32, out, 4 * i, k_ldg(k, M_32, T_F32, in, 0));
		k_set(k, in, k_elem(k, in, k_arg_int(k, 2), 4 * ROWS));
	}
	k_finish(k);
	return k;
}

static struct kb *tiled_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "transpose_tiled");
	val tx = k_tid(k, 0), ty = k_tid(k, 1), bx = k_ctaid(k, 0), by = k_ctaid(k, 1);
	val x = k_madi(k, bx, TILE, tx), y = k_madi(k, by, TILE, ty);
	val in = k_var(k, k_elem(k, k_arg_ptr(k, 0), k_mad(k, y, k_arg_int(k, 2), x), 4));
	val at = k_madi(k, ty, PITCH, k_shli(k, tx, 2));
	for (int i = 0; i < TILE; i += ROWS) {
		k_sts(k, M_32, at, i * PITCH, k_ldg(k, M_32, T_F32, in, 0));
		k_set(k, in, k_elem(k, in, k_arg_int(k, 2), 4 * ROWS));
	}
	k_bar(k);
	val x2 = k_madi(k, by, TILE, tx), y2 = k_madi(k, bx, TILE, ty);
	val out = k_var(k, k_elem(k, k_arg_ptr(k, 1), k_mad(k, y2, k_arg_int(k, 3), x2), 4));
	val from = k_madi(k, tx, PITCH, k_shli(k, ty, 2));
	for (int i = 0; i < TILE; i += ROWS) {
		k_stg(k, M_32, out, 0, k_lds(k, M_32, T_F32, from, 4 * i));
		k_set(k, out, k_elem(k, out, k_arg_int(k, 3), 4 * ROWS));
	}
	k_finish(k);
	return k;
}

void wl_transpose(struct wl *w)
{
	uint32_t width = wl_pick(w, 256, 1024, 2560), height = wl_pick(w, 512, 1536, 2048);
	size_t n = (size_t)width * height;
	struct simt_buffer *in = wl_upload_random(w, n, 0, 1), *out = simt_alloc(&w->g, 4 * n);
	float *want = wl_host(w, n, 4);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			want[(size_t)x * height + y] = wl_floats(in)[(size_t)y * width + x];
	for (int tiled = 0; tiled < 2; tiled++) {
		for (size_t i = 0; i < n; i++)
			wl_floats(out)[i] = -1;
		WL_LAUNCH(w, tiled ? tiled_kernel(&w->g) : naive_kernel(&w->g),
		          simt_2d(width / TILE, height / TILE), simt_2d(TILE, ROWS), TILE * PITCH,
		          in->address, out->address, width, height);
		wl_check_floats(w, "out", wl_floats(out), want, n, 0);
	}
}
