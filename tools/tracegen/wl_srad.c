/* Speckle-reducing anisotropic diffusion on an ultrasound-like image, as in Rodinia:
 * version 1 with one thread per cell, index arrays and a reduction kernel; version 2 with
 * 16x16 tiles in shared memory. */
#include <math.h>

#include "tracegen/data.h"

static const float lambda = 0.5f;

/* Diffusion coefficient of a cell from its four differences, clipped to [0, 1]. */
static val coefficient(struct kb *k, val jc, val dn, val ds, val dw, val de, val q0sqr)
{
	val squares = k_mad(k, de, de, k_mad(k, dw, dw, k_mad(k, ds, ds, k_mul(k, dn, dn))));
	val inv = k_rcp(k, jc);
	val g2 = k_mul(k, k_mul(k, squares, inv), inv);
	val l = k_mul(k, k_add(k, k_add(k, dn, ds), k_add(k, dw, de)), inv);
	val num = k_sub(k, k_mul(k, g2, k_float(k, 0.5f)),
	                k_mul(k, k_mul(k, l, l), k_float(k, 0.0625f)));
	val den = k_mad(k, l, k_float(k, 0.25f), k_float(k, 1));
	val qsqr = k_div(k, num, k_mul(k, den, den));
	val over = k_div(k, k_sub(k, qsqr, q0sqr), k_mul(k, q0sqr, k_add(k, q0sqr, k_float(k, 1))));
	val c = k_rcp(k, k_add(k, over, k_float(k, 1)));
	return k_min(k, k_max(k, c, k_float(k, 0)), k_float(k, 1));
}

struct srad {
	uint32_t rows, cols;
	float *j, *c, *dn, *ds, *dw, *de;
};

static float clip(float x)
{
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* One iteration in plain C; borders mirror. */
static void reference_step(struct srad *s, float q0sqr)
{
	uint32_t rows = s->rows, cols = s->cols;
	for (uint32_t y = 0; y < rows; y++)
		for (uint32_t x = 0; x < cols; x++) {
			size_t i = (size_t)y * cols + x;
			float jc = s->j[i];
			s->dn[i] = s->j[y ? i - cols : i] - jc;
			s->ds[i] = s->j[y + 1 < rows ? i + cols : i] - jc;
			s->dw[i] = s->j[x ? i - 1 : i] - jc;
			s->de[i] = s->j[x + 1 < cols ? i + 1 : i] - jc;
			float g2 = (s->dn[i] * s->dn[i] + s->ds[i] * s->ds[i] + s->dw[i] * s->dw[i] +
			            s->de[i] * s->de[i]) /
			           (jc * jc);
			float l = (s->dn[i] + s->ds[i] + s->dw[i] + s->de[i]) / jc;
			float den = 1 + 0.25f * l, qsqr = (0.5f * g2 - 0.0625f * l * l) / (den * den);
			s->c[i] = clip(1 / (1 + (qsqr - q0sqr) / (q0sqr * (1 + q0sqr))));
		}
	for (uint32_t y = 0; y < rows; y++)
		for (uint32_t x = 0; x < cols; x++) {
			size_t i = (size_t)y * cols + x;
			float cs = s->c[y + 1 < rows ? i + cols : i],
			      ce = s->c[x + 1 < cols ? i + 1 : i];
			float d = s->c[i] * s->dn[i] + cs * s->ds[i] + s->c[i] * s->dw[i] +
			          ce * s->de[i];
			s->j[i] += 0.25f * lambda * d;
		}
}

/* Variance over squared mean of the image. */
static float speckle(double sum, double sum2, size_t n)
{
	double mean = sum / (double)n, var = sum2 / (double)n - mean * mean;
	return (float)(var / (mean * mean));
}

static int allocate(struct wl *w, struct srad *s, uint32_t rows, uint32_t cols)
{
	size_t n = (size_t)rows * cols;
	*s = (struct srad){.rows = rows, .cols = cols};
	s->j = wl_host(w, n, 4);
	s->c = wl_host(w, n, 4);
	s->dn = wl_host(w, n, 4);
	s->ds = wl_host(w, n, 4);
	s->dw = wl_host(w, n, 4);
	s->de = wl_host(w, n, 4);
	return w->g.status == CT_OK;
}

/* ---- version 1 -------------------------------------------------------------------------- */

enum { BLOCK = 512 };

/* image = exp(image / 255), or 255 * log(image). Arguments: n, image. */
static struct kb *map_kernel(struct simt_run *g, int compress)
{
	struct kb *k = k_begin(g, compress ? "srad_compress" : "srad_extract");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 0)));
	val p = k_elem(k, k_arg_ptr(k, 1), i, 4), x = k_ldg(k, M_32, T_F32, p, 0);
	val y = compress ? k_mul(k, k_log(k, x), k_float(k, 255))
	                 : k_exp(k, k_mul(k, x, k_float(k, 1.0f / 255)));
	k_stg(k, M_32, p, 0, y);
	k_finish(k);
	return k;
}

/* sums = image, sums2 = image^2. Arguments: n, image, sums, sums2. */
static struct kb *prepare_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "srad_prepare");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 0)));
	val x = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 1), i, 4), 0);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), i, 4), 0, x);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 3), i, 4), 0, k_mul(k, x, x));
	k_finish(k);
	return k;
}

/* Sums of 512 neighbouring elements to the place of the first, of both arrays; elements are
 * `stride` apart. Arguments: n, stride, sums, sums2. */
static struct kb *reduce_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "srad_reduce");
	val tid = k_tid(k, 0), i = k_gid(k), at = k_shli(k, tid, 2), zero = k_float(k, 0);
	val index = k_mul(k, i, k_arg_int(k, 1));
	val a = k_var(k, zero), b = k_var(k, zero);
	val pa = k_elem(k, k_arg_ptr(k, 2), index, 4), pb = k_elem(k, k_arg_ptr(k, 3), index, 4);
	k_if(k, k_setp(k, CMP_LT, i, k_arg_int(k, 0)));
	k_set(k, a, k_ldg(k, M_32, T_F32, pa, 0));
	k_set(k, b, k_ldg(k, M_32, T_F32, pb, 0));
	k_endif(k);
	k_sts(k, M_32, at, 0, a);
	k_sts(k, M_32, at, 4 * BLOCK, b);
	k_bar(k);
	for (int half = BLOCK / 2; half > 0; half /= 2) {
		k_if(k, k_setpi(k, CMP_LT, tid, half));
		for (int array = 0; array < 2; array++) {
			val mine = k_lds(k, M_32, T_F32, at, 4 * BLOCK * array);
			val other = k_lds(k, M_32, T_F32, at, 4 * BLOCK * array + 4 * half);
			k_sts(k, M_32, at, 4 * BLOCK * array, k_add(k, mine, other));
		}
		k_endif(k);
		k_bar(k);
	}
	k_if(k, k_setpi(k, CMP_EQ, tid, 0));
	val sum = k_lds(k, M_32, T_F32, at, 0), sum2 = k_lds(k, M_32, T_F32, at, 4 * BLOCK);
	k_stg(k, M_32, pa, 0, sum);
	k_stg(k, M_32, pb, 0, sum2);
	k_endif(k);
	k_finish(k);
	return k;
}

/* Row and column of cell i (columns of the image are contiguous, as in the original). */
static void place(struct kb *k, val i, val rows, val *row, val *col)
{
	val c = k_as(k, k_udiv(k, i, rows), T_S32);
	*col = c;
	*row = k_sub(k, i, k_mul(k, c, rows));
}

static val load_index(struct kb *k, unsigned arg, val at)
{
	return k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, arg), at, 4), 0);
}

static val load_cell(struct kb *k, unsigned arg, val at)
{
	return k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, arg), at, 4), 0);
}

/* Arguments: rows, n, iN, iS, jW, jE, image, c, dN, dS, dW, dE, q0sqr. */
static struct kb *srad_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "srad_coefficients");
	val i = k_gid(k), rows = k_arg_int(k, 0), row, col;
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 1)));
	place(k, i, rows, &row, &col);
	val jc = load_cell(k, 6, i);
	val in = load_index(k, 2, row), is = load_index(k, 3, row);
	val jw = load_index(k, 4, col), je = load_index(k, 5, col);
	val base = k_mul(k, col, rows);
	val n = load_cell(k, 6, k_add(k, in, base)), s = load_cell(k, 6, k_add(k, is, base));
	val west = load_cell(k, 6, k_mad(k, jw, rows, row)),
	    e = load_cell(k, 6, k_mad(k, je, rows, row));
	val dn = k_sub(k, n, jc), ds = k_sub(k, s, jc), dw = k_sub(k, west, jc), de = k_sub(k, e, jc);
	val c = coefficient(k, jc, dn, ds, dw, de, k_arg_float(k, 12));
	const val out[5] = {c, dn, ds, dw, de};
	for (unsigned j = 0; j < 5; j++)
		k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 7 + j), i, 4), 0, out[j]);
	k_finish(k);
	return k;
}

static struct kb *update_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "srad_update");
	val i = k_gid(k), rows = k_arg_int(k, 0), row, col;
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 1)));
	place(k, i, rows, &row, &col);
	val is = load_index(k, 3, row), je = load_index(k, 5, col);
	val c = load_cell(k, 7, i), cs = load_cell(k, 7, k_mad(k, col, rows, is));
	val ce = load_cell(k, 7, k_mad(k, je, rows, row));
	val dn = load_cell(k, 8, i), ds = load_cell(k, 9, i);
	val dw = load_cell(k, 10, i), de = load_cell(k, 11, i);
	val d = k_mad(k, ce, de, k_mad(k, c, dw, k_mad(k, cs, ds, k_mul(k, c, dn))));
	val p = k_elem(k, k_arg_ptr(k, 6), i, 4), x = k_ldg(k, M_32, T_F32, p, 0);
	k_stg(k, M_32, p, 0, k_mad(k, d, k_float(k, 0.25f * lambda), x));
	k_finish(k);
	return k;
}

/* Total of both sum arrays, in place, by launches over ever fewer elements. */
static void reduce_all(struct wl *w, struct kb *k, const struct simt_buffer *a,
                       const struct simt_buffer *b, uint32_t n)
{
	for (uint32_t stride = 1, left = n; left > 1; stride *= BLOCK, left = wl_ceil(left, BLOCK))
		WL_LAUNCH(w, k, simt_1d(wl_ceil(left, BLOCK)), simt_1d(BLOCK), 8 * BLOCK, left, stride,
		          a->address, b->address);
}

static struct simt_buffer *neighbours(struct wl *w, uint32_t n, int step)
{
	struct simt_buffer *b = simt_alloc(&w->g, 4 * (size_t)n);
	for (uint32_t i = 0; b && i < n; i++) {
		int64_t at = (int64_t)i + step;
		wl_words(b)[i] = at < 0 ? 0 : at >= n ? n - 1 : (uint32_t)at;
	}
	if (b)
		simt_h2d(&w->g, b);
	return b;
}

static void check_log(struct wl *w, const struct simt_buffer *image, struct srad *s)
{
	size_t n = (size_t)s->rows * s->cols;
	for (size_t i = 0; i < n; i++)
		s->c[i] = 255 * logf(s->j[i]);
	/* Grey levels up to 255: the squeezed range of the logarithm loses three digits. */
	wl_check_floats(w, "image", wl_floats(image), s->c, n, 2e-3f);
}

void wl_srad1(struct wl *w)
{
	/* Transposed for the reference, whose rows are contiguous. */
	uint32_t rows = wl_pick(w, 112, 256, 502), cols = wl_pick(w, 100, 256, 458), n = rows * cols;
	uint32_t steps = wl_pick(w, 1, 2, 3);
	struct srad s;
	if (!allocate(w, &s, cols, rows))
		return;
	struct simt_buffer *image = simt_alloc(&w->g, 4 * (size_t)n);
	struct simt_buffer *in = neighbours(w, rows, -1), *is = neighbours(w, rows, 1);
	struct simt_buffer *jw = neighbours(w, cols, -1), *je = neighbours(w, cols, 1);
	struct simt_buffer *d[5], *sum[2];
	for (int i = 0; i < 5; i++)
		d[i] = simt_alloc(&w->g, 4 * (size_t)n);
	for (int i = 0; i < 2; i++)
		sum[i] = simt_alloc(&w->g, 4 * (size_t)n);
	if (w->g.status != CT_OK)
		return;
	wl_image(w, wl_floats(image), rows, cols);
	for (uint32_t i = 0; i < n; i++) {
		wl_floats(image)[i] *= 255;
		s.j[i] = expf(wl_floats(image)[i] / 255);
	}
	simt_h2d(&w->g, image);
	struct simt_dims grid = simt_1d(wl_ceil(n, BLOCK)), block = simt_1d(BLOCK);
	struct kb *prepare = prepare_kernel(&w->g), *reduce = reduce_kernel(&w->g);
	struct kb *srad = srad_kernel(&w->g), *update = update_kernel(&w->g);
	WL_LAUNCH(w, map_kernel(&w->g, 0), grid, block, 0, n, image->address);
	for (uint32_t t = 0; t < steps && w->g.status == CT_OK; t++) {
		WL_LAUNCH(w, prepare, grid, block, 0, n, image->address, sum[0]->address,
		          sum[1]->address);
		reduce_all(w, reduce, sum[0], sum[1], n);
		float q0sqr = speckle((double)wl_floats(sum[0])[0], (double)wl_floats(sum[1])[0], n);
		for (int phase = 0; phase < 2; phase++)
			WL_LAUNCH(w, phase ? update : srad, grid, block, 0, rows, n, in->address,
			          is->address, jw->address, je->address, image->address, d[0]->address,
			          d[1]->address, d[2]->address, d[3]->address, d[4]->address,
			          simt_fbits(q0sqr));
		reference_step(&s, q0sqr);
	}
	WL_LAUNCH(w, map_kernel(&w->g, 1), grid, block, 0, n, image->address);
	if (w->g.status == CT_OK)
		check_log(w, image, &s);
}

/* ---- version 2 -------------------------------------------------------------------------- */

enum { TILE = 16, ROW = TILE * 4, CELLS = TILE * TILE * 4 };

struct tile {
	val tx, ty, row, col, rows, cols, index, at;
};

/* Arguments: rows and cols at `size`. */
static struct tile tile_place(struct kb *k, unsigned size)
{
	struct tile t;
	t.tx = k_tid(k, 0);
	t.ty = k_tid(k, 1);
	val by = k_ctaid(k, 1), bx = k_ctaid(k, 0);
	t.rows = k_arg_int(k, size);
	t.cols = k_arg_int(k, size + 1);
	t.row = k_madi(k, by, TILE, t.ty);
	t.col = k_madi(k, bx, TILE, t.tx);
	t.index = k_mad(k, t.row, t.cols, t.col);
	t.at = k_shli(k, k_madi(k, t.ty, TILE, t.tx), 2);
	return t;
}

/* Value of the neighbour at (dy, dx): from the tile, or from memory at the tile's rim. */
static val neighbour(struct kb *k, const struct tile *t, unsigned array, int dy, int dx)
{
	val x = k_var(k, k_float(k, 0)), along = dy ? t->ty : t->tx;
	val far = k_setpi(k, CMP_EQ, along, dy + dx > 0 ? TILE - 1 : 0);
	k_if(k, far);
	/* Mirror at the image's border. */
	val place = dy ? t->row : t->col, end = k_addi(k, dy ? t->rows : t->cols, -1);
	val moved = dy + dx > 0 ? k_min(k, k_addi(k, place, 1), end)
	                        : k_max(k, k_addi(k, place, -1), k_int(k, 0));
	val index = dy ? k_mad(k, moved, t->cols, t->col) : k_mad(k, t->row, t->cols, moved);
	k_set(k, x, k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, array), index, 4), 0));
	k_else(k);
	k_set(k, x, k_lds(k, M_32, T_F32, t->at, dy * ROW + dx * 4));
	k_endif(k);
	return x;
}

/* Arguments: dE, dW, dS, dN, image, c, rows, cols, q0sqr. */
static struct kb *tile_coefficients(struct simt_run *g)
{
	struct kb *k = k_begin(g, "srad2_coefficients");
	struct tile t = tile_place(k, 6);
	val jc = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 4), t.index, 4), 0);
	k_sts(k, M_32, t.at, 0, jc);
	k_bar(k);
	val n = neighbour(k, &t, 4, -1, 0), s = neighbour(k, &t, 4, 1, 0);
	val west = neighbour(k, &t, 4, 0, -1), e = neighbour(k, &t, 4, 0, 1);
	val dn = k_sub(k, n, jc), ds = k_sub(k, s, jc), dw = k_sub(k, west, jc), de = k_sub(k, e, jc);
	val c = coefficient(k, jc, dn, ds, dw, de, k_arg_float(k, 8));
	const val out[6] = {de, dw, ds, dn, c, c};
	for (unsigned j = 0; j < 6; j++)
		if (j != 4)
			k_stg(k, M_32, k_elem(k, k_arg_ptr(k, j), t.index, 4), 0, out[j]);
	k_finish(k);
	return k;
}

/* Arguments as above. */
static struct kb *tile_update(struct simt_run *g)
{
	struct kb *k = k_begin(g, "srad2_update");
	struct tile t = tile_place(k, 6);
	val c = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 5), t.index, 4), 0);
	k_sts(k, M_32, t.at, 0, c);
	k_bar(k);
	val cs = neighbour(k, &t, 5, 1, 0), ce = neighbour(k, &t, 5, 0, 1);
	val de = load_cell(k, 0, t.index), dw = load_cell(k, 1, t.index);
	val ds = load_cell(k, 2, t.index), dn = load_cell(k, 3, t.index);
	val d = k_mad(k, ce, de, k_mad(k, c, dw, k_mad(k, cs, ds, k_mul(k, c, dn))));
	val p = k_elem(k, k_arg_ptr(k, 4), t.index, 4), x = k_ldg(k, M_32, T_F32, p, 0);
	k_stg(k, M_32, p, 0, k_mad(k, d, k_float(k, 0.25f * lambda), x));
	k_finish(k);
	return k;
}

/* Speckle of the region of interest, which the original keeps on the host. */
static float host_speckle(const float *j, uint32_t cols, uint32_t side)
{
	double sum = 0, sum2 = 0;
	for (uint32_t y = 0; y < side; y++)
		for (uint32_t x = 0; x < side; x++) {
			double v = (double)j[y * cols + x];
			sum += v;
			sum2 += v * v;
		}
	return speckle(sum, sum2, (size_t)side * side);
}

void wl_srad2(struct wl *w)
{
	uint32_t n = wl_pick(w, 128, 256, 512), steps = wl_pick(w, 2, 3, 4);
	struct srad s;
	if (!allocate(w, &s, n, n))
		return;
	struct simt_buffer *image = simt_alloc(&w->g, 4 * (size_t)n * n), *d[5];
	for (int i = 0; i < 5; i++)
		d[i] = simt_alloc(&w->g, 4 * (size_t)n * n);
	if (w->g.status != CT_OK)
		return;
	wl_image(w, s.j, n, n);
	for (size_t i = 0; i < (size_t)n * n; i++)
		wl_floats(image)[i] = s.j[i] = expf(s.j[i]);
	simt_h2d(&w->g, image);
	struct kb *first = tile_coefficients(&w->g), *second = tile_update(&w->g);
	for (uint32_t t = 0; t < steps && w->g.status == CT_OK; t++) {
		float q0sqr = host_speckle(wl_floats(image), n, 64);
		for (int phase = 0; phase < 2; phase++)
			WL_LAUNCH(w, phase ? second : first, simt_2d(n / TILE, n / TILE),
			          simt_2d(TILE, TILE), CELLS, d[0]->address, d[1]->address,
			          d[2]->address, d[3]->address, image->address, d[4]->address, n, n,
			          simt_fbits(q0sqr));
		reference_step(&s, q0sqr);
	}
	wl_check_floats(w, "image", wl_floats(image), s.j, (size_t)n * n, 1e-4f);
}
