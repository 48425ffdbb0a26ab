/* Prefix sums by blocks (Blelloch's up- and down-sweep in shared memory), and the
 * tree reduction of SHOC. */
#include "tracegen/data.h"

enum { BLOCK = 256, ITEMS = 2 * BLOCK };

/* Exclusive prefix sums of ITEMS elements per CTA, and their total.
 * Arguments: in, out, totals. */
static struct kb *scan_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "scan_blocks");
	val t = k_tid(k, 0), b = k_ctaid(k, 0), zero = k_int(k, 0), pair = k_shli(k, t, 3);
	val first = k_madi(k, b, ITEMS, k_shli(k, t, 1));
	val in = k_ldg(k, M_64, T_U32, k_elem(k, k_arg_ptr(k, 0), first, 4), 0);
	k_sts(k, M_64, pair, 0, in);
	for (int step = 1, n = BLOCK; n > 0; step *= 2, n /= 2) {
		k_bar(k);
		k_if(k, k_setpi(k, CMP_LT, t, n));
		val left = k_shli(k, k_addi(k, k_muli(k, t, 2 * step), step - 1), 2);
		val a = k_lds(k, M_32, T_U32, left, 0), c = k_lds(k, M_32, T_U32, left, 4 * step);
		k_sts(k, M_32, left, 4 * step, k_add(k, a, c));
		k_endif(k);
	}
	k_if(k, k_setpi(k, CMP_EQ, t, 0));
	val total = k_lds(k, M_32, T_U32, zero, 4 * (ITEMS - 1));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), b, 4), 0, total);
	k_sts(k, M_32, zero, 4 * (ITEMS - 1), zero);
	k_endif(k);
	for (int step = BLOCK, n = 1; step > 0; step /= 2, n *= 2) {
		k_bar(k);
		k_if(k, k_setpi(k, CMP_LT, t, n));
		val left = k_shli(k, k_addi(k, k_muli(k, t, 2 * step), step - 1), 2);
		val a = k_lds(k, M_32, T_U32, left, 0), c = k_lds(k, M_32, T_U32, left, 4 * step);
		k_sts(k, M_32, left, 0, c);
		k_sts(k, M_32, left, 4 * step, k_add(k, a, c));
		k_endif(k);
	}
	k_bar(k);
	k_stg(k, M_64, k_elem(k, k_arg_ptr(k, 1), first, 4), 0, k_lds(k, M_64, T_U32, pair, 0));
	k_finish(k);
	return k;
}

/* Adds the sum of the blocks before. Arguments: out, offsets. */
static struct kb *add_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "scan_add");
	val b = k_ctaid(k, 0), first = k_madi(k, b, ITEMS, k_shli(k, k_tid(k, 0), 1));
	val offset = k_ldg(k, M_32, T_U32, k_elem(k, k_arg_ptr(k, 1), b, 4), 0);
	val p = k_elem(k, k_arg_ptr(k, 0), first, 4), x = k_ldg(k, M_64, T_U32, p, 0);
	val r = k_group(k, T_U32, 2);
	for (unsigned i = 0; i < 2; i++)
		k_set(k, k_part(k, r, i), k_add(k, k_part(k, x, i), offset));
	k_stg(k, M_64, p, 0, r);
	k_finish(k);
	return k;
}

void wl_scan(struct wl *w)
{
	uint32_t blocks = wl_pick(w, 128, 1024, 4096), padded = wl_ceil(blocks, ITEMS) * ITEMS;
	size_t n = (size_t)blocks * ITEMS;
	struct simt_buffer *in = simt_alloc(&w->g, 4 * n), *out = simt_alloc(&w->g, 4 * n);
	struct simt_buffer *totals = simt_alloc(&w->g, 4 * (size_t)padded);
	struct simt_buffer *offsets = simt_alloc(&w->g, 4 * (size_t)padded);
	struct simt_buffer *tops = simt_alloc(&w->g, 4 * ITEMS), *none = simt_alloc(&w->g, 4 * ITEMS);
	uint32_t *want = wl_host(w, n, 4);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t i = 0, sum = 0; i < n; i++) {
		wl_words(in)[i] = wl_below(w, 1000);
		want[i] = sum;
		sum += wl_words(in)[i];
	}
	simt_h2d(&w->g, in);
	struct kb *scan = scan_kernel(&w->g), *add = add_kernel(&w->g);
	WL_LAUNCH(w, scan, simt_1d(blocks), simt_1d(BLOCK), 4 * ITEMS, in->address, out->address,
	          totals->address);
	/* Up to ITEMS * ITEMS blocks: three levels. */
	WL_LAUNCH(w, scan, simt_1d(padded / ITEMS), simt_1d(BLOCK), 4 * ITEMS, totals->address,
	          offsets->address, tops->address);
	if (padded > ITEMS) {
		WL_LAUNCH(w, scan, simt_1d(1), simt_1d(BLOCK), 4 * ITEMS, tops->address, tops->address,
		          none->address);
		WL_LAUNCH(w, add, simt_1d(padded / ITEMS), simt_1d(BLOCK), 0, offsets->address,
		          tops->address);
	}
	WL_LAUNCH(w, add, simt_1d(blocks), simt_1d(BLOCK), 0, out->address, offsets->address);
	wl_check_words(w, "sum", wl_words(out), want, n);
}

/* ---- reduction -------------------------------------------------------------------------- */

/* Sum of the elements that the CTA meets with a grid stride, two at a time.
 * Arguments: in, sums, n. */
static struct kb *reduce_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "reduce");
	val t = k_tid(k, 0), b = k_ctaid(k, 0), at = k_shli(k, t, 2), n = k_arg_int(k, 2);
	val step = k_shli(k, k_mul(k, k_ntid(k, 0), k_var(k, k_nctaid(k, 0))), 1);
	val sum = k_var(k, k_float(k, 0));
	val i = k_for_val(k, k_madi(k, b, 2 * BLOCK, t), n, step);
	val p = k_elem(k, k_arg_ptr(k, 0), i, 4);
	val x = k_ldg(k, M_32, T_F32, p, 0), y = k_ldg(k, M_32, T_F32, p, 4 * BLOCK);
	k_set(k, sum, k_add(k, sum, k_add(k, x, y)));
	k_endfor(k);
	k_sts(k, M_32, at, 0, sum);
	k_bar(k);
	for (int half = BLOCK / 2; half >= 32; half /= 2) {
		k_if(k, k_setpi(k, CMP_LT, t, half));
		val mine = k_lds(k, M_32, T_F32, at, 0), other = k_lds(k, M_32, T_F32, at, 4 * half);
		k_sts(k, M_32, at, 0, k_add(k, mine, other));
		k_endif(k);
		k_bar(k);
	}
	k_if(k, k_setpi(k, CMP_LT, t, 32));
	val v = k_var(k, k_lds(k, M_32, T_F32, at, 0));
	for (int half = 16; half > 0; half /= 2)
		k_set(k, v, k_add(k, v, k_shfl(k, SHFL_DOWN, v, k_int(k, half))));
	k_if(k, k_setpi(k, CMP_EQ, t, 0));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), b, 4), 0, v);
	k_endif(k);
	k_endif(k);
	k_finish(k);
	return k;
}

void wl_reduction(struct wl *w)
{
	uint32_t n = wl_pick(w, 512 * 1024, 2048 * 1024, 8192 * 1024), ctas = 64;
	struct simt_buffer *in = wl_upload_random(w, n, 0, 1), *sums = simt_alloc(&w->g, 4 * ctas);
	if (w->g.status != CT_OK)
		return;
	struct kb *k = reduce_kernel(&w->g);
	for (uint32_t round = 0; round < wl_pick(w, 2, 4, 5); round++)
		WL_LAUNCH(w, k, simt_1d(ctas), simt_1d(BLOCK), 4 * BLOCK, in->address, sums->address, n);
	double want = 0, got = 0;
	for (uint32_t i = 0; i < n; i++)
		want += (double)wl_floats(in)[i];
	for (uint32_t i = 0; i < ctas; i++)
		got += (double)wl_floats(sums)[i];
	wl_check_floats(w, "sum", (float[]){(float)(got / n)}, (float[]){(float)(want / n)}, 1, 1e-5f);
}
