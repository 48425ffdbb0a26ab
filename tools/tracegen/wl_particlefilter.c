/* Particle filter that follows an object in a video, as in Rodinia: `float` with the whole
 * filter step on the GPU, `naive` with only the resampling search. */
#include <math.h>
#include <string.h>

#include "tracegen/data.h"

enum { BLOCK = 512, POINTS = 49 /* pixels around a particle */ };

/* A disc of radius 5 moving over noise; frame t at frame[t * side * side]. */
static void make_video(struct wl *w, unsigned char *frame, uint32_t side, uint32_t frames)
{
	for (uint32_t t = 0; t < frames; t++)
		for (uint32_t y = 0; y < side; y++)
			for (uint32_t x = 0; x < side; x++) {
				int dx = (int)x - (int)(side / 2 + t),
				    dy = (int)y - (int)(side / 2 + 2 * t);
				uint32_t grey = dx * dx + dy * dy < 25 ? 228 : 100;
				frame[((size_t)t * side + y) * side + x] =
					(unsigned char)(grey + wl_below(w, 16));
			}
}

/* Offsets of the template: a 7x7 square for all. */
static void make_template(uint32_t *offset)
{
	for (int i = 0; i < POINTS; i++) {
		offset[2 * i] = (uint32_t)(i % 7 - 3);
		offset[2 * i + 1] = (uint32_t)(i / 7 - 3);
	}
}

/* ---- the filter on the GPU ----------------------------------------------------------------- */

enum {
	A_X,
	A_Y,
	A_XJ,
	A_YJ,
	A_WEIGHT,
	A_CDF,
	A_U,
	A_FRAME,
	A_TEMPLATE,
	A_PARTIAL,
	A_N,
	A_SIDE,
	A_SHIFT,
	A_COUNT
};

/* Linear congruential numbers as the original's device code. */
static uint32_t lcg(uint32_t *s)
{
	return *s = *s * 1103515245u + 12345u;
}

static val lcg_step(struct kb *k, val seed)
{
	return k_mad(k, seed, k_uint(k, 1103515245u), k_uint(k, 12345u));
}

/* Uniform in [0, 1) from the upper bits. */
static val lcg_unit(struct kb *k, val seed)
{
	return k_mul(k, k_cvt(k, k_shri(k, seed, 8), T_F32), k_float(k, 1.0f / 16777216));
}

/* Moves every particle, weighs it by its pixels, and sums a CTA's weights. */
static struct kb *likelihood_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "particle_likelihood");
	val t = k_tid(k, 0), i = k_gid(k), at = k_shli(k, t, 2), n = k_arg_int(k, A_N);
	val side = k_arg_int(k, A_SIDE), weight = k_var(k, k_float(k, 0));
	k_if(k, k_setp(k, CMP_LT, i, n));
	val x = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, A_XJ), i, 4), 0);
	val y = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, A_YJ), i, 4), 0);
	val old = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, A_WEIGHT), i, 4), 0);
	/* The noise: particle number and frame as seed, two numbers per axis. */
	val seed = k_var(k, k_mad(k, k_as(k, i, T_U32), k_uint(k, 2654435761u),
	                          k_as(k, k_arg_int(k, A_SHIFT), T_U32)));
	val moved[2], shift[2];
	for (int a = 0; a < 2; a++) {
		k_set(k, seed, lcg_step(k, seed));
		val u = k_var(k, lcg_unit(k, seed));
		k_set(k, seed, lcg_step(k, seed));
		val v = lcg_unit(k, seed);
		shift[a] = k_sub(k, k_add(k, u, v), k_float(k, 1));
	}
	moved[0] = k_add(k, x, k_mad(k, shift[0], k_float(k, 5), k_float(k, 1)));
	moved[1] = k_add(k, y, k_mad(k, shift[1], k_float(k, 2), k_float(k, 2)));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, A_X), i, 4), 0, moved[0]);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, A_Y), i, 4), 0, moved[1]);
	val px = k_cvt(k, moved[0], T_S32), py = k_cvt(k, moved[1], T_S32),
	    like = k_var(k, k_float(k, 0));
	val top = k_addi(k, side, -1), zero = k_int(k, 0);
	val o = k_for(k, zero, k_int(k, 8 * POINTS), 8);
	val dx = k_ldc(k, T_S32, k_arg_ptr(k, A_TEMPLATE), o, 0),
	    dy = k_ldc(k, T_S32, k_arg_ptr(k, A_TEMPLATE), o, 4);
	val cx = k_min(k, k_max(k, k_add(k, px, dx), zero), top),
	    cy = k_min(k, k_max(k, k_add(k, py, dy), zero), top);
	val pixel = k_ldg(k, M_U8, T_S32, k_elem(k, k_arg_ptr(k, A_FRAME), k_mad(k, cy, side, cx), 1),
	                  0);
	val a = k_cvt(k, k_addi(k, pixel, -100), T_F32), b = k_cvt(k, k_addi(k, pixel, -228), T_F32);
	val diff = k_sub(k, k_mul(k, a, a), k_mul(k, b, b));
	k_set(k, like, k_mad(k, diff, k_float(k, 0.02f / POINTS / 50), like));
	k_endfor(k);
	k_set(k, weight, k_mul(k, old, k_exp(k, like)));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, A_WEIGHT), i, 4), 0, weight);
	k_endif(k);
	k_sts(k, M_32, at, 0, weight);
	k_bar(k);
	for (int half = BLOCK / 2; half > 0; half /= 2) {
		k_if(k, k_setpi(k, CMP_LT, t, half));
		val mine = k_lds(k, M_32, T_F32, at, 0), other = k_lds(k, M_32, T_F32, at, 4 * half);
		k_sts(k, M_32, at, 0, k_add(k, mine, other));
		k_endif(k);
		k_bar(k);
	}
	k_if(k, k_setpi(k, CMP_EQ, t, 0));
	val sum = k_lds(k, M_32, T_F32, at, 0);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, A_PARTIAL), k_ctaid(k, 0), 4), 4, sum);
	k_endif(k);
	k_finish(k);
	return k;
}

/* One thread adds the CTAs' sums into word 0. Argument A_SHIFT: their number. */
static struct kb *sum_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "particle_sum");
	k_exit_if(k, k_setpi(k, CMP_NE, k_gid(k), 0));
	val sum = k_var(k, k_float(k, 0)), p = k_var(k, k_var(k, k_arg_ptr(k, A_PARTIAL)));
	k_for(k, k_int(k, 0), k_arg_int(k, A_SHIFT), 1);
	k_set(k, sum, k_add(k, sum, k_ldg(k, M_32, T_F32, p, 4)));
	k_set(k, p, k_addi(k, p, 4));
	k_endfor(k);
	k_stg(k, M_32, k_arg_ptr(k, A_PARTIAL), 0, sum);
	k_finish(k);
	return k;
}

/* weight /= sum; one thread makes the running sums and the first mark; all set their marks. */
static struct kb *normalize_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "particle_normalize");
	val i = k_gid(k), n = k_arg_int(k, A_N);
	val sum = k_ldg(k, M_32, T_F32, k_arg_ptr(k, A_PARTIAL), 0);
	k_if(k, k_setp(k, CMP_LT, i, n));
	val p = k_elem(k, k_arg_ptr(k, A_WEIGHT), i, 4), x = k_ldg(k, M_32, T_F32, p, 0);
	k_stg(k, M_32, p, 0, k_div(k, x, sum));
	k_endif(k);
	k_finish(k);
	return k;
}

static struct kb *cdf_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "particle_cdf");
	val i = k_gid(k), n = k_arg_int(k, A_N), zero = k_int(k, 0);
	k_exit_if(k, k_setp(k, CMP_GE, i, n));
	k_if(k, k_setpi(k, CMP_EQ, i, 0));
	val run = k_var(k, k_float(k, 0)), j = k_for(k, zero, n, 1);
	k_set(k, run, k_add(k, run, k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, A_WEIGHT), j, 4), 0)));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, A_CDF), j, 4), 0, run);
	k_endfor(k);
	k_endif(k);
	/* u_i = (i + 1/2) / n: the first mark without its random part. */
	val count = k_cvt(k, k_var(k, n), T_F32), place = k_cvt(k, i, T_F32);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, A_U), i, 4), 0,
	      k_div(k, k_add(k, place, k_float(k, 0.5f)), count));
	k_finish(k);
	return k;
}

/* The first particle whose running sum reaches the mark, by linear search; copies it. */
static struct kb *find_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "particle_find_index");
	val i = k_gid(k), n = k_arg_int(k, A_N);
	k_exit_if(k, k_setp(k, CMP_GE, i, n));
	val u = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, A_U), i, 4), 0);
	val index = k_var(k, k_addi(k, n, -1));
	val j = k_for(k, k_int(k, 0), n, 1);
	val c = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, A_CDF), j, 4), 0);
	val found = k_setp(k, CMP_GE, c, u);
	k_when(k, found);
	k_set(k, index, j);
	k_endwhen(k);
	k_break(k, found);
	k_endfor(k);
	val x = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, A_X), index, 4), 0);
	val y = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, A_Y), index, 4), 0);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, A_XJ), i, 4), 0, x);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, A_YJ), i, 4), 0, y);
	k_finish(k);
	return k;
}

struct filter {
	uint32_t n, side, ctas;
	struct simt_buffer *a[A_PARTIAL + 1];
	float *x, *y, *weight, *xj, *yj; /* the same in plain C */
};

static float axis_noise(uint32_t *seed)
{
	float u = (float)(lcg(seed) >> 8) / 16777216.0f, v = (float)(lcg(seed) >> 8) / 16777216.0f;
	return u + v - 1;
}

/* One frame in plain C, but for the resampling, which is checked against the GPU's sums. */
static void reference_weights(struct filter *f, const unsigned char *frame, const uint32_t *offset,
                              uint32_t t)
{
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t seed = i * 2654435761u + t;
		float sx = axis_noise(&seed), sy = axis_noise(&seed);
		f->x[i] = f->xj[i] + (float)((double)sx * 5 + 1);
		f->y[i] = f->yj[i] + (float)((double)sy * 2 + 2);
		double like = 0;
		for (int o = 0; o < POINTS; o++) {
			int cx = (int)f->x[i] + (int)offset[2 * o],
			    cy = (int)f->y[i] + (int)offset[2 * o + 1];
			cx = cx < 0 ? 0 : cx >= (int)f->side ? (int)f->side - 1 : cx;
			cy = cy < 0 ? 0 : cy >= (int)f->side ? (int)f->side - 1 : cy;
			int pixel = frame[cy * (int)f->side + cx];
			like += (double)((pixel - 100) * (pixel - 100) - (pixel - 228) * (pixel - 228)) *
			        (double)(0.02f / POINTS / 50);
		}
		f->weight[i] = (float)((double)f->weight[i] * exp(like));
	}
	double sum = 0;
	for (uint32_t i = 0; i < f->n; i++)
		sum += (double)f->weight[i];
	for (uint32_t i = 0; i < f->n; i++)
		f->weight[i] = (float)((double)f->weight[i] / sum);
}

/* Position i must be that of the first particle whose running sum reaches its mark. */
static void check_resampling(struct wl *w, struct filter *f)
{
	const float *cdf = wl_floats(f->a[A_CDF]), *u = wl_floats(f->a[A_U]);
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t j = 0;
		while (j < f->n - 1 && cdf[j] < u[i])
			j++;
		f->xj[i] = f->x[j];
		f->yj[i] = f->y[j];
	}
	wl_check_floats(w, "x", wl_floats(f->a[A_XJ]), f->xj, f->n, 0);
	wl_check_floats(w, "y", wl_floats(f->a[A_YJ]), f->yj, f->n, 0);
}

static void run_frame(struct wl *w, struct filter *f, struct kb *const kernel[5], uint32_t t)
{
	uint64_t args[A_COUNT];
	for (int i = 0; i <= A_PARTIAL; i++)
		args[i] = f->a[i]->address;
	args[A_N] = f->n;
	args[A_SIDE] = f->side;
	for (int l = 0; l < 5; l++) {
		args[A_SHIFT] = l == 1 ? f->ctas : t;
		simt_launch(&w->g, kernel[l], simt_1d(f->ctas), simt_1d(BLOCK), 4 * BLOCK, args,
		            A_COUNT);
	}
}

static int allocate(struct wl *w, struct filter *f)
{
	size_t n = f->n;
	for (int i = A_X; i <= A_U; i++)
		f->a[i] = simt_alloc(&w->g, 4 * n);
	f->a[A_FRAME] = simt_alloc(&w->g, (size_t)f->side * f->side);
	f->a[A_TEMPLATE] = simt_alloc(&w->g, 8 * POINTS);
	f->a[A_PARTIAL] = simt_alloc(&w->g, 4 * ((size_t)f->ctas + 1));
	f->x = wl_host(w, n, 4);
	f->y = wl_host(w, n, 4);
	f->xj = wl_host(w, n, 4);
	f->yj = wl_host(w, n, 4);
	f->weight = wl_host(w, n, 4);
	return w->g.status == CT_OK;
}

void wl_particlefilter(struct wl *w)
{
	struct filter f = {.n = wl_pick(w, 512, 1024, 2048), .side = wl_pick(w, 64, 128, 128)};
	uint32_t frames = wl_pick(w, 2, 3, 4);
	size_t pixels = (size_t)f.side * f.side;
	f.ctas = wl_ceil(f.n, BLOCK);
	unsigned char *video = wl_host(w, pixels * frames, 1);
	if (!video || !allocate(w, &f))
		return;
	make_video(w, video, f.side, frames);
	make_template(wl_words(f.a[A_TEMPLATE]));
	for (uint32_t i = 0; i < f.n; i++) {
		f.xj[i] = f.yj[i] = wl_floats(f.a[A_XJ])[i] = wl_floats(
			f.a[A_YJ])[i] = (float)f.side / 2;
		f.weight[i] = wl_floats(f.a[A_WEIGHT])[i] = 1.0f / (float)f.n;
	}
	simt_h2d(&w->g, f.a[A_TEMPLATE]);
	simt_h2d(&w->g, f.a[A_XJ]);
	simt_h2d(&w->g, f.a[A_YJ]);
	simt_h2d(&w->g, f.a[A_WEIGHT]);
	struct kb *const kernel[5] = {likelihood_kernel(&w->g), sum_kernel(&w->g),
	                              normalize_kernel(&w->g), cdf_kernel(&w->g), find_kernel(&w->g)};
	for (uint32_t t = 0; t < frames && w->g.status == CT_OK; t++) {
		memcpy(f.a[A_FRAME]->p, video + t * pixels, pixels);
		simt_h2d(&w->g, f.a[A_FRAME]);
		run_frame(w, &f, kernel, t);
		if (w->g.status != CT_OK)
			return;
		reference_weights(&f, video + t * pixels, wl_words(f.a[A_TEMPLATE]), t);
		wl_check_floats(w, "x", wl_floats(f.a[A_X]), f.x, f.n, 0);
		wl_check_floats(w, "weight", wl_floats(f.a[A_WEIGHT]), f.weight, f.n, 1e-4f);
		check_resampling(w, &f);
	}
}

/* ---- only the search ------------------------------------------------------------------------ */

/* In double, as the original. Arguments: x, y, cdf, u, xj, yj, n. */
static struct kb *naive_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "particle_naive_find");
	val i = k_gid(k), n = k_arg_int(k, 6);
	k_exit_if(k, k_setp(k, CMP_GE, i, n));
	val u = k_ldg(k, M_64, T_F64, k_elem(k, k_arg_ptr(k, 3), i, 8), 0),
	    index = k_var(k, k_int(k, -1));
	val j = k_for(k, k_int(k, 0), n, 1);
	val c = k_ldg(k, M_64, T_F64, k_elem(k, k_arg_ptr(k, 2), j, 8), 0),
	    found = k_setp(k, CMP_GE, c, u);
	k_when(k, found);
	k_set(k, index, j);
	k_endwhen(k);
	k_break(k, found);
	k_endfor(k);
	k_when(k, k_setpi(k, CMP_EQ, index, -1));
	k_set(k, index, k_addi(k, n, -1));
	k_endwhen(k);
	val x = k_ldg(k, M_64, T_F64, k_elem(k, k_arg_ptr(k, 0), index, 8), 0);
	val y = k_ldg(k, M_64, T_F64, k_elem(k, k_arg_ptr(k, 1), index, 8), 0);
	k_stg(k, M_64, k_elem(k, k_arg_ptr(k, 4), i, 8), 0, x);
	k_stg(k, M_64, k_elem(k, k_arg_ptr(k, 5), i, 8), 0, y);
	k_finish(k);
	return k;
}

void wl_particlefilter_naive(struct wl *w)
{
	enum { ARRAYS = 6, NAIVE_BLOCK = 128 };
	uint32_t n = wl_pick(w, 800, 1500, 2500), frames = wl_pick(w, 3, 4, 5);
	struct simt_buffer *a[ARRAYS];
	for (int i = 0; i < ARRAYS; i++)
		a[i] = simt_alloc(&w->g, 8 * (size_t)n);
	if (w->g.status != CT_OK)
		return;
	double *p[ARRAYS];
	for (int i = 0; i < ARRAYS; i++)
		p[i] = (double *)(void *)a[i]->p;
	struct kb *k = naive_kernel(&w->g);
	for (uint32_t t = 0; t < frames && w->g.status == CT_OK; t++) {
		double sum = 0;
		for (uint32_t i = 0; i < n; i++) {
			/* Few particles carry most of the weight once the filter has locked on. */
			double u = (double)wl_unit(w);
			p[2][i] = sum += u * u * u * u + 1e-3;
			p[0][i] = 64 + (double)wl_unit(w);
			p[1][i] = 64 + (double)wl_unit(w);
		}
		double first = (double)wl_unit(w) / n;
		for (uint32_t i = 0; i < n; i++) {
			p[2][i] /= sum;
			p[3][i] = first + (double)i / n;
		}
		for (int i = 0; i < 4; i++)
			simt_h2d(&w->g, a[i]);
		WL_LAUNCH(w, k, simt_1d(wl_ceil(n, NAIVE_BLOCK)), simt_1d(NAIVE_BLOCK), 0, a[0]->address,
		          a[1]->address, a[2]->address, a[3]->address, a[4]->address, a[5]->address, n);
		for (uint32_t i = 0, j; i < n && w->g.status == CT_OK; i++) {
			for (j = 0; j < n - 1 && p[2][j] < p[3][i]; j++)
				;
			if (!(p[4][i] == p[0][j] && p[5][i] == p[1][j]))
				simt_fail(&w->g, CT_ERR_LIMIT, "particle %u differs from the reference",
				          i);
		}
	}
}
