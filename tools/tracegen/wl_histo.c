/* Saturating 2-D histogram after Parboil's: a scan of the input's range, a pass that turns
 * values into bins, a main kernel that counts in shared memory for the busy middle of the
 * range and in global memory for the rest, and a pass that saturates. */
#include <string.h>

#include "tracegen/data.h"

enum {
	BLOCK = 512,
	WIDTH = 996,
	HEIGHT = 1024,
	BINS = WIDTH * HEIGHT,
	SLICE = 4096, /* bins that a CTA counts in shared memory */
	STRIPS = 32   /* parts of the input, a CTA each per slice */
};

/* Joins the CTA's values in shared memory at `at` by a tree; thread 0 sends the result. */
static void reduce_to(struct kb *k, val tid, val x, enum simt_atom op, val target, int32_t offset)
{
	val at = k_shli(k, tid, 2);
	k_bar(k);
	k_sts(k, M_32, at, 0, x);
	k_bar(k);
	for (int half = BLOCK / 2; half > 0; half /= 2) {
		k_if(k, k_setpi(k, CMP_LT, tid, half));
		val mine = k_lds(k, M_32, T_U32, at, 0), other = k_lds(k, M_32, T_U32, at, 4 * half);
		k_sts(k, M_32, at, 0, op == ATOM_MIN ? k_min(k, mine, other) : k_max(k, mine, other));
		k_endif(k);
		k_bar(k);
	}
	k_if(k, k_setpi(k, CMP_EQ, tid, 0));
	k_red(k, op, target, offset, k_lds(k, M_32, T_U32, at, 0));
	k_endif(k);
}

/* Arguments: input, n, {smallest, largest}. */
static struct kb *prescan_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "histo_prescan");
	val tid = k_tid(k, 0), i0 = k_gid(k);
	val step = k_mul(k, k_var(k, k_nctaid(k, 0)), k_int(k, BLOCK));
	val lo = k_var(k, k_uint(k, UINT32_MAX)), hi = k_var(k, k_uint(k, 0));
	val i = k_for_val(k, i0, k_arg_int(k, 1), step);
	val x = k_ldg(k, M_32, T_U32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0);
	k_set(k, lo, k_min(k, lo, x));
	k_set(k, hi, k_max(k, hi, x));
	k_endfor(k);
	reduce_to(k, tid, lo, ATOM_MIN, k_arg_ptr(k, 2), 0);
	reduce_to(k, tid, hi, ATOM_MAX, k_arg_ptr(k, 2), 4);
	k_finish(k);
	return k;
}

/* value -> slice << 16 | bin in the slice. Arguments: input, n, mapping. */
static struct kb *intermediates_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "histo_intermediates");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 1)));
	val x = k_ldg(k, M_32, T_U32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0);
	val slice = k_shri(k, x, 12), bin = k_andi(k, x, SLICE - 1);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), i, 4), 0, k_or(k, k_shli(k, slice, 16), bin));
	k_finish(k);
	return k;
}

/* CTA (slice, strip). Arguments: mapping, n, counts, first busy slice, busy slices, strip. */
static struct kb *main_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "histo_main");
	val tid = k_tid(k, 0), counts = k_arg_ptr(k, 2), one = k_uint(k, 1);
	val mine = k_as(k, k_add(k, k_ctaid(k, 0), k_arg_int(k, 3)), T_U32);
	val first = k_ctaid(k, 0);
	val at = k_for(k, tid, k_int(k, SLICE), BLOCK);
	k_sts(k, M_32, k_shli(k, at, 2), 0, k_uint(k, 0));
	k_endfor(k);
	k_bar(k);
	val from = k_mul(k, k_ctaid(k, 1), k_arg_int(k, 5));
	val end = k_min(k, k_add(k, from, k_arg_int(k, 5)), k_arg_int(k, 1));
	val i = k_for(k, k_add(k, from, tid), end, BLOCK);
	val m = k_ldg(k, M_32, T_U32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0);
	val slice = k_shri(k, m, 16), bin = k_andi(k, m, 0xffff);
	k_if(k, k_setp(k, CMP_EQ, slice, mine));
	k_reds(k, ATOM_ADD, k_shli(k, bin, 2), 0, one);
	k_else(k);
	/* Values outside of the busy slices: the CTAs of the first slice send them on. */
	val above = k_sub(k, slice, k_as(k, k_arg_int(k, 3), T_U32));
	val outside = k_setp(k, CMP_GE, above, k_as(k, k_arg_int(k, 4), T_U32));
	k_if(k, k_pand(k, outside, k_setpi(k, CMP_EQ, first, 0)));
	k_red(k, ATOM_ADD, k_elem(k, counts, k_add(k, k_shli(k, slice, 12), bin), 4), 0, one);
	k_endif(k);
	k_endif(k);
	k_endfor(k);
	k_bar(k);
	val b = k_for(k, tid, k_int(k, SLICE), BLOCK);
	val c = k_lds(k, M_32, T_U32, k_shli(k, b, 2), 0);
	k_if(k, k_setpi(k, CMP_NE, c, 0));
	val global = k_add(k, k_shli(k, mine, 12), k_as(k, b, T_U32));
	k_red(k, ATOM_ADD, k_elem(k, counts, global, 4), 0, c);
	k_endif(k);
	k_endfor(k);
	k_finish(k);
	return k;
}

/* Four bins a thread: counts -> bytes, at most 255. Arguments: counts, bytes, bins. */
static struct kb *final_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "histo_final");
	val i = k_gid(k), i4 = k_shli(k, i, 2);
	k_exit_if(k, k_setp(k, CMP_GE, i4, k_arg_int(k, 2)));
	val c = k_ldg(k, M_128, T_U32, k_elem(k, k_arg_ptr(k, 0), i4, 4), 0);
	val packed = k_var(k, k_uint(k, 0));
	for (unsigned j = 0; j < 4; j++) {
		val byte = k_min(k, k_part(k, c, j), k_uint(k, 255));
		k_set(k, packed, k_or(k, packed, k_shli(k, byte, 8 * j)));
	}
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), i4, 1), 0, packed);
	k_finish(k);
	return k;
}

/* Values pile up around the middle, as in the wafer image of the benchmark. */
static uint32_t draw(struct wl *w)
{
	uint32_t row = 0, col = wl_below(w, WIDTH);
	for (int i = 0; i < 8; i++)
		row += wl_below(w, HEIGHT / 8);
	if (wl_below(w, 100) < 60)
		row = HEIGHT / 2 - 8 + row % 16;
	return row * WIDTH + col;
}

static void launches(struct wl *w, struct simt_buffer *in, struct simt_buffer *counts,
                     struct simt_buffer *bytes, struct simt_buffer *range)
{
	uint32_t n = (uint32_t)(in->bytes / 4), strip = wl_ceil(n, STRIPS);
	struct simt_buffer *mapping = simt_alloc(&w->g, in->bytes);
	if (w->g.status != CT_OK)
		return;
	WL_LAUNCH(w, prescan_kernel(&w->g), simt_1d(64), simt_1d(BLOCK), 4 * BLOCK, in->address, n,
	          range->address);
	WL_LAUNCH(w, intermediates_kernel(&w->g), simt_1d(wl_ceil(n, BLOCK)), simt_1d(BLOCK), 0,
	          in->address, n, mapping->address);
	/* The busy slices in the middle: rows 504 to 519 lie in six of them. */
	WL_LAUNCH(w, main_kernel(&w->g), simt_2d(6, STRIPS), simt_1d(BLOCK), 4 * SLICE, mapping->address,
	          n, counts->address, (HEIGHT / 2 - 8) * WIDTH / SLICE, 6, strip);
	WL_LAUNCH(w, final_kernel(&w->g), simt_1d(wl_ceil(BINS / 4, BLOCK)), simt_1d(BLOCK), 0,
	          counts->address, bytes->address, BINS);
}

void wl_histo(struct wl *w)
{
	uint32_t n = wl_pick(w, 40000, 300000, 1000000);
	struct simt_buffer *in = simt_alloc(&w->g, 4 * (size_t)n), *range = simt_alloc(&w->g, 8);
	struct simt_buffer *counts = simt_alloc(&w->g, 4 * BINS), *bytes = simt_alloc(&w->g, BINS);
	uint32_t *want = wl_host(w, BINS, sizeof *want);
	if (w->g.status != CT_OK)
		return;
	uint32_t lo = UINT32_MAX, hi = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = draw(w);
		wl_words(in)[i] = x;
		want[x]++;
		lo = x < lo ? x : lo;
		hi = x > hi ? x : hi;
	}
	wl_words(range)[0] = UINT32_MAX;
	simt_h2d(&w->g, in);
	simt_h2d(&w->g, range);
	simt_h2d(&w->g, counts);
	launches(w, in, counts, bytes, range);
	if (w->g.status != CT_OK)
		return;
	wl_check_words(w, "counts", wl_words(counts), want, BINS);
	wl_check_words(w, "range", wl_words(range), (uint32_t[]){lo, hi}, 2);
	for (uint32_t i = 0; i < BINS && w->g.status == CT_OK; i++)
		if (bytes->p[i] != (want[i] < 255 ? want[i] : 255))
			simt_fail(&w->g, CT_ERR_LIMIT, "byte %u differs from the reference", i);
}
