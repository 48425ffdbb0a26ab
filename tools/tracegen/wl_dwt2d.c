/* Two-dimensional discrete wavelet transform (reversible 5/3) of a colour image, as in
 * Rodinia's dwt2d: the bytes are split into components, then every level transforms tiles in
 * shared memory, rows first, columns next. */
#include "tracegen/data.h"

enum {
	SPLIT_BLOCK = 256,
	TX = 64,
	WIDTH = 64,
	HEIGHT = 16,
	HALO = 2,
	SW = WIDTH + 2 * HALO,
	SH = HEIGHT + 2 * HALO,
	PITCH = SW * 4,
	SH_BYTES = SH * PITCH,
	BPP = 3
};

/* Bytes r g b r g b ... to three arrays, centred. A CTA moves its bytes through shared
 * memory so that the loads are coalesced. Arguments: bytes, components (three arrays), n. */
static struct kb *split_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "dwt2d_components");
	val t = k_tid(k, 0), base = k_muli(k, k_ctaid(k, 0), SPLIT_BLOCK * BPP);
	val p = k_elem(k, k_arg_ptr(k, 0), k_add(k, base, t), 1);
	for (int i = 0; i < BPP; i++)
		k_sts(k, M_U8, t, i * SPLIT_BLOCK, k_ldg(k, M_U8, T_S32, p, i * SPLIT_BLOCK));
	k_bar(k);
	val i = k_gid(k), n = k_arg_int(k, 2), at = k_muli(k, t, BPP);
	k_exit_if(k, k_setp(k, CMP_GE, i, n));
	val out = k_var(k, k_elem(k, k_arg_ptr(k, 1), i, 4));
	for (int c = 0; c < BPP; c++) {
		val x = k_lds(k, M_U8, T_S32, at, c);
		k_stg(k, M_32, out, 0, k_addi(k, x, -128));
		k_set(k, out, k_elem(k, out, n, 4));
	}
	k_finish(k);
	return k;
}

/* One lifting step: the elements at `at` (bytes) become x - (a + b)/2 (predict) or
 * x + (a + b + 2)/4 (update) with their neighbours `step` bytes away. */
static void lift(struct kb *k, val at, int step, int predict)
{
	val x = k_lds(k, M_32, T_S32, at, 0);
	val a = k_lds(k, M_32, T_S32, at, -step), b = k_lds(k, M_32, T_S32, at, step);
	val sum = k_add(k, a, b);
	k_sts(k, M_32, at, 0,
	      predict ? k_sub(k, x, k_shri(k, sum, 1)) : k_add(k, x, k_shri(k, k_addi(k, sum, 2), 2)));
}

/* Index mirrored into 0 .. n-1. */
static val mirror(struct kb *k, val i, val n)
{
	val low = k_abs(k, i), last = k_addi(k, n, -1), over = k_sub(k, low, last);
	return k_sub(k, low, k_shli(k, k_max(k, over, k_int(k, 0)), 1));
}

/* Rows of the tile are shared by the 64 threads; `first` is the parity of the columns that
 * are lifted, from column HALO-1 (odd) or HALO (even) on. */
static void lift_rows(struct kb *k, val t, int predict)
{
	/* Predict covers columns 1 3 .. 67-2; update 2 4 .. 65. */
	int columns = predict ? (SW - 2) / 2 + (SW & 1) : WIDTH / 2, start = predict ? 1 : HALO;
	val cell = k_for(k, t, k_int(k, columns * SH), TX);
	val row = k_udiv(k, cell, k_uint(k, (uint32_t)columns));
	val col = k_sub(k, cell, k_as(k, k_muli(k, row, columns), T_S32));
	val at = k_madi(k, k_as(k, row, T_S32), PITCH, k_shli(k, col, 3));
	lift(k, k_addi(k, at, 4 * start), 4, predict);
	k_endfor(k);
	k_bar(k);
}

/* Columns: thread t owns column HALO + t. */
static void lift_columns(struct kb *k, val column, int predict)
{
	for (int row = predict ? 1 : HALO; row < (predict ? SH - 1 : HALO + HEIGHT); row += 2)
		lift(k, k_addi(k, column, row * PITCH), PITCH, predict);
	k_bar(k);
}

/* Arguments: in, out, width, height, pitch of both arrays (elements). The four quadrants of
 * out get the bands LL HL / LH HH. */
static struct kb *transform_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "dwt2d_fdwt53");
	val t = k_tid(k, 0), bx = k_ctaid(k, 0), by = k_ctaid(k, 1);
	val width = k_arg_int(k, 2), height = k_arg_int(k, 3), pitch = k_arg_int(k, 4);
	val x0 = k_addi(k, k_muli(k, bx, WIDTH), -HALO), y0 = k_addi(k, k_muli(k, by, HEIGHT), -HALO);
	val r = k_for(k, k_int(k, 0), k_int(k, SH), 1);
	val line = k_mul(k, mirror(k, k_add(k, y0, r), height), pitch);
	val c = k_for(k, t, k_int(k, SW), TX);
	val from = k_add(k, line, mirror(k, k_add(k, x0, c), width));
	val x = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 0), from, 4), 0);
	k_sts(k, M_32, k_madi(k, r, PITCH, k_shli(k, c, 2)), 0, x);
	k_endfor(k);
	k_endfor(k);
	k_bar(k);
	lift_rows(k, t, 1);
	lift_rows(k, t, 0);
	val column = k_addi(k, k_shli(k, t, 2), 4 * HALO);
	lift_columns(k, column, 1);
	lift_columns(k, column, 0);
	/* Odd columns to the right half, odd rows to the lower half. */
	val x_out = k_add(k, k_shli(k, bx, 5), k_shri(k, t, 1)), odd = k_andi(k, t, 1);
	val half_x = k_shri(k, k_var(k, width), 1), half_y = k_shri(k, k_var(k, height), 1);
	val col_out = k_mad(k, odd, half_x, x_out);
	for (int row = 0; row < HEIGHT; row++) {
		val y = k_add(k, k_addi(k, k_shli(k, by, 3), row / 2), row & 1 ? half_y : k_int(k, 0));
		val v = k_lds(k, M_32, T_S32, column, (row + HALO) * PITCH);
		k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), k_mad(k, y, pitch, col_out), 4), 0, v);
	}
	k_finish(k);
	return k;
}

/* ---- the same in plain C --------------------------------------------------------------- */

static int32_t half(int32_t x)
{
	return (x - (x < 0 && x % 2)) / 2; /* floor */
}

static uint32_t reflect(int64_t i, uint32_t n)
{
	return (uint32_t)(i < 0 ? -i : i >= n ? 2 * (int64_t)(n - 1) - i : i);
}

/* One line of n elements `step` apart: low half, then high half. */
static void line53(int32_t *x, int32_t *tmp, uint32_t n, uint32_t step)
{
	for (uint32_t i = 0; i < n; i++)
		tmp[i] = x[(size_t)i * step];
	for (uint32_t i = 1; i < n; i += 2)
		tmp[i] -= half(tmp[i - 1] + tmp[reflect((int64_t)i + 1, n)]);
	for (uint32_t i = 0; i < n; i += 2)
		tmp[i] += half(
			half(tmp[reflect((int64_t)i - 1, n)] + tmp[i + 1 < n ? i + 1 : n - 1] + 2));
	for (uint32_t i = 0; i < n; i++)
		x[(size_t)(i / 2 + (i & 1 ? n / 2 : 0)) * step] = tmp[i];
}

static void reference(int32_t *x, int32_t *tmp, uint32_t width, uint32_t height, uint32_t pitch)
{
	for (uint32_t y = 0; y < height; y++)
		line53(x + (size_t)y * pitch, tmp, width, 1);
	for (uint32_t c = 0; c < width; c++)
		line53(x + c, tmp, height, pitch);
}

struct image {
	uint32_t width, height, levels;
	struct simt_buffer *bytes, *part, *out;
	uint32_t *want;
};

static void transform(struct wl *w, struct image *m, struct kb *k, uint32_t component, int32_t *tmp)
{
	size_t n = (size_t)m->width * m->height, base = component * n;
	for (uint32_t l = 0; l < m->levels && w->g.status == CT_OK; l++) {
		uint32_t wd = m->width >> l, ht = m->height >> l;
		WL_LAUNCH(w, k, simt_2d(wd / WIDTH, ht / HEIGHT), simt_1d(TX), SH_BYTES,
		          m->part->address + 4 * base, m->out->address + 4 * base, wd, ht, m->width);
		reference((int32_t *)m->want + base, tmp, wd, ht, m->width);
		/* The low band of the output is the next level's input: a copy on the device. */
		for (uint32_t y = 0; y < ht; y++)
			for (uint32_t x = 0; x < wd; x++)
				wl_words(m->part)[base + (size_t)y * m->width + x] = wl_words(
					m->out)[base + (size_t)y * m->width + x];
	}
}

void wl_dwt2d(struct wl *w)
{
	struct image m = {.width = wl_pick(w, 256, 512, 1024), .levels = wl_pick(w, 2, 3, 3)};
	m.height = wl_pick(w, 128, 256, 384);
	size_t n = (size_t)m.width * m.height;
	m.bytes = simt_alloc(&w->g, BPP * n);
	m.part = simt_alloc(&w->g, 4 * BPP * n);
	m.out = simt_alloc(&w->g, 4 * BPP * n);
	m.want = wl_host(w, BPP * n, 4);
	float *image = wl_host(w, n, 4);
	int32_t *tmp = wl_host(w, m.width > m.height ? m.width : m.height, 4);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t c = 0; c < BPP; c++) {
		wl_image(w, image, m.width, m.height);
		for (size_t i = 0; i < n; i++) {
			m.bytes->p[BPP * i + c] = (unsigned char)(image[i] * 256);
			m.want[c * n + i] = m.bytes->p[BPP * i + c] - 128u;
		}
	}
	simt_h2d(&w->g, m.bytes);
	WL_LAUNCH(w, split_kernel(&w->g), simt_1d((uint32_t)(n / SPLIT_BLOCK)), simt_1d(SPLIT_BLOCK),
	          SPLIT_BLOCK * BPP, m.bytes->address, m.part->address, n);
	wl_check_words(w, "component", wl_words(m.part), m.want, BPP * n);
	struct kb *k = transform_kernel(&w->g);
	for (uint32_t c = 0; c < BPP; c++)
		transform(w, &m, k, c, tmp);
	wl_check_words(w, "coefficient", wl_words(m.out), m.want, BPP * n);
}
