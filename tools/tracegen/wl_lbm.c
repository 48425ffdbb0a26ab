/* Lattice-Boltzmann flow in three dimensions (D3Q19) as in Parboil: one array per direction,
 * streaming and collision in one kernel, obstacles bounce back, the z axis is periodic. */
#include <string.h>

#include "tracegen/data.h"

enum { Q = 19 };

static const int8_t direction[Q][3] = {
	{0, 0, 0},   {0, 1, 0},  {0, -1, 0}, {1, 0, 0},   {-1, 0, 0},  {0, 0, 1},  {0, 0, -1},
	{1, 1, 0},   {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}, {0, 1, 1},   {0, 1, -1}, {0, -1, 1},
	{0, -1, -1}, {1, 0, 1},  {1, 0, -1}, {-1, 0, 1},  {-1, 0, -1},
};

static const float omega = 1.85f;

static float weight(int q)
{
	int n = direction[q][0] * direction[q][0] + direction[q][1] * direction[q][1] +
	        direction[q][2] * direction[q][2];
	return n == 0 ? 1.0f / 3 : n == 1 ? 1.0f / 18 : 1.0f / 36;
}

static int opposite(int q)
{
	int o = 0;
	while (direction[o][0] != -direction[q][0] || direction[o][1] != -direction[q][1] ||
	       direction[o][2] != -direction[q][2])
		o++;
	return o;
}

struct lattice {
	uint32_t nx, ny, nz, cells; /* with a margin of one z-layer at either end */
	uint32_t array;             /* floats of one direction */
};

static int offset(const struct lattice *l, int q)
{
	return direction[q][0] + (int)l->nx * (direction[q][1] + (int)l->ny * direction[q][2]);
}

/* Sum of those directions whose component along `axis` has sign +, minus those with -. */
static val momentum(struct kb *k, const val f[Q], int axis)
{
	val sum = k_var(k, k_float(k, 0));
	for (int q = 0; q < Q; q++)
		if (direction[q][axis])
			k_set(k, sum,
			      direction[q][axis] > 0 ? k_add(k, sum, f[q]) : k_sub(k, sum, f[q]));
	return sum;
}

/* New value of direction q from the local density and velocity. */
static val collide(struct kb *k, int q, val f, val rho, const val u[3], val base)
{
	val poly = base;
	if (q > 0) {
		val eu = k_float(k, 0);
		int terms = 0;
		for (int a = 0; a < 3; a++)
			if (direction[q][a] > 0)
				eu = terms++ ? k_add(k, eu, u[a]) : u[a];
			else if (direction[q][a] < 0)
				eu = terms++ ? k_sub(k, eu, u[a]) : k_neg(k, u[a]);
		/* 1 + 3eu + 4.5eu^2 - 1.5u^2 */
		poly = k_mad(k, eu, k_mad(k, eu, k_float(k, 4.5f), k_float(k, 3)), base);
	}
	val equilibrium = k_mul(k, k_mul(k, rho, k_float(k, omega * weight(q))), poly);
	return k_mad(k, f, k_float(k, 1 - omega), equilibrium);
}

/* CTA = one row of nx cells, grid (ny, nz). Arguments: in, out, flags. */
static struct kb *kernel(struct simt_run *g, const struct lattice *l)
{
	struct kb *k = k_begin(g, "lbm_stream_collide");
	val x = k_tid(k, 0), y = k_ctaid(k, 0), z = k_ctaid(k, 1);
	val cell = k_madi(k, k_madi(k, z, (int32_t)l->ny, y), (int32_t)l->nx, x);
	val at = k_addi(k, cell, (int32_t)(l->nx * l->ny));
	val in = k_elem(k, k_arg_ptr(k, 0), at, 4), out = k_elem(k, k_arg_ptr(k, 1), at, 4), f[Q];
	for (int q = 0; q < Q; q++)
		f[q] = k_ldg(k, M_32, T_F32, in, 4 * (q * (int32_t)l->array));
	val flag = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 2), at, 4), 0);
	k_if(k, k_setpi(k, CMP_NE, flag, 0));
	for (int q = 0; q < Q; q++) {
		int o = opposite(q);
		k_stg(k, M_32, out, 4 * (o * (int32_t)l->array + offset(l, o)), f[q]);
	}
	k_else(k);
	val rho = k_var(k, f[0]);
	for (int q = 1; q < Q; q++)
		k_set(k, rho, k_add(k, rho, f[q]));
	val inv = k_rcp(k, rho), u[3];
	for (int a = 0; a < 3; a++)
		u[a] = k_mul(k, momentum(k, f, a), inv);
	val usqr = k_mad(k, u[2], u[2], k_mad(k, u[1], u[1], k_mul(k, u[0], u[0])));
	val base = k_mad(k, usqr, k_float(k, -1.5f), k_float(k, 1));
	for (int q = 0; q < Q; q++) {
		val next = collide(k, q, f[q], rho, u, base);
		k_stg(k, M_32, out, 4 * (q * (int32_t)l->array + offset(l, q)), next);
	}
	k_endif(k);
	k_finish(k);
	return k;
}

static void reference(const struct lattice *l, const float *in, float *out, const uint32_t *flags)
{
	size_t first = (size_t)l->nx * l->ny;
	for (size_t c = first; c < first + l->cells; c++) {
		double rho = 0, u[3] = {0}, usqr = 0;
		for (int q = 0; q < Q; q++) {
			double f = (double)in[(size_t)q * l->array + c];
			rho += f;
			for (int a = 0; a < 3; a++)
				u[a] += direction[q][a] * f;
		}
		for (int a = 0; a < 3; a++) {
			u[a] /= rho;
			usqr += u[a] * u[a];
		}
		for (int q = 0; q < Q; q++) {
			int to = flags[c] ? opposite(q) : q;
			double f = (double)in[(size_t)q * l->array + c], eu = 0;
			for (int a = 0; a < 3; a++)
				eu += direction[q][a] * u[a];
			double next = (1 - (double)omega) * f +
			              (double)omega * (double)weight(q) * rho *
			                      (1 + 3 * eu + 4.5 * eu * eu - 1.5 * usqr);
			out[(size_t)to * l->array + (size_t)((int64_t)c + offset(l, to))] =
				flags[c] ? (float)f : (float)next;
		}
	}
}

/* Copies what streamed over the periodic ends back in. */
static void wrap(const struct lattice *l, float *f)
{
	size_t layer = (size_t)l->nx * l->ny;
	for (int q = 0; q < Q; q++) {
		float *a = f + (size_t)q * l->array;
		if (direction[q][2] > 0)
			memcpy(a + layer, a + layer + l->cells, 4 * layer);
		if (direction[q][2] < 0)
			memcpy(a + l->cells, a, 4 * layer);
	}
}

void wl_lbm(struct wl *w)
{
	struct lattice l = {.nx = wl_pick(w, 32, 64, 128),
	                    .ny = wl_pick(w, 16, 32, 64),
	                    .nz = wl_pick(w, 16, 24, 36)};
	uint32_t layer = l.nx * l.ny, steps = 2;
	l.cells = layer * l.nz;
	l.array = l.cells + 2 * layer + 32;
	struct simt_buffer *f[2], *flags = simt_alloc(&w->g, 4 * (size_t)l.array);
	float *want[2];
	for (int i = 0; i < 2; i++) {
		f[i] = simt_alloc(&w->g, 4 * (size_t)l.array * Q);
		want[i] = wl_host(w, (size_t)l.array * Q, 4);
	}
	if (w->g.status != CT_OK)
		return;
	/* Walls all round in x and y (so that rows do not wrap), and scattered obstacles. */
	for (uint32_t c = 0; c < l.cells; c++) {
		uint32_t x = c % l.nx, y = c / l.nx % l.ny;
		int wall = x == 0 || y == 0 || x == l.nx - 1 || y == l.ny - 1;
		wl_words(flags)[layer + c] = wall || wl_below(w, 20) == 0;
	}
	for (int q = 0; q < Q; q++)
		for (uint32_t c = 0; c < l.array; c++)
			wl_floats(f[0])[(size_t)q * l.array + c] = weight(q) * (1 + 0.1f * wl_unit(w));
	for (int i = 0; i < 2; i++)
		memcpy(want[i], f[0]->p, f[0]->bytes);
	memcpy(f[1]->p, f[0]->p, f[0]->bytes);
	simt_h2d(&w->g, flags);
	simt_h2d(&w->g, f[0]);
	simt_h2d(&w->g, f[1]);
	struct kb *k = kernel(&w->g, &l);
	for (uint32_t s = 0; s < steps && w->g.status == CT_OK; s++) {
		WL_LAUNCH(w, k, simt_2d(l.ny, l.nz), simt_1d(l.nx), 0, f[s & 1]->address,
		          f[~s & 1]->address, flags->address);
		reference(&l, want[s & 1], want[~s & 1], wl_words(flags));
		wrap(&l, wl_floats(f[~s & 1]));
		wrap(&l, want[~s & 1]);
	}
	wl_check_floats(w, "distribution", wl_floats(f[steps & 1]), want[steps & 1], (size_t)l.array * Q,
	                1e-5f);
}
