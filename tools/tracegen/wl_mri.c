/* Magnetic resonance imaging as in Parboil: mri-q, the Q matrix by brute force; and
 * mri-gridding, samples spread over a regular grid. */
#include <math.h>

#include "tracegen/data.h"

/* ---- mri-q ----------------------------------------------------------------------------- */

enum { PHI_BLOCK = 512, Q_BLOCK = 256, K_CHUNK = 1024, KV_BYTES = 16 };

/* |phi|^2. Arguments: real, imaginary, magnitude, n. */
static struct kb *phi_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "mriq_phi_mag");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 3)));
	val re = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0);
	val im = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 1), i, 4), 0);
	val mag = k_mad(k, re, re, k_mul(k, im, im));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), i, 4), 0, mag);
	k_finish(k);
	return k;
}

/* Adds a chunk of k-space, held in constant memory as {kx, ky, kz, mag}.
 * Arguments: x, y, z, Qr, Qi, chunk, entries of it * 16. */
static struct kb *q_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "mriq_compute_q");
	val i = k_gid(k), c[3];
	for (unsigned a = 0; a < 3; a++)
		c[a] = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, a), i, 4), 0);
	val pr = k_elem(k, k_arg_ptr(k, 3), i, 4), pi = k_elem(k, k_arg_ptr(k, 4), i, 4);
	val qr = k_var(k, k_ldg(k, M_32, T_F32, pr, 0)), qi = k_var(k, k_ldg(k, M_32, T_F32, pi, 0));
	val at = k_for(k, k_int(k, 0), k_arg_int(k, 6), KV_BYTES);
	val kv[4];
	for (int a = 0; a < 4; a++)
		kv[a] = k_ldc(k, T_F32, k_arg_ptr(k, 5), at, 4 * a);
	val dot = k_mad(k, kv[2], c[2], k_mad(k, kv[1], c[1], k_mul(k, kv[0], c[0])));
	val angle = k_mul(k, dot, k_float(k, 6.2831853f));
	val cosine = k_cos(k, angle), sine = k_sin(k, angle);
	k_set(k, qr, k_mad(k, kv[3], cosine, qr));
	k_set(k, qi, k_mad(k, kv[3], sine, qi));
	k_endfor(k);
	k_stg(k, M_32, pr, 0, qr);
	k_stg(k, M_32, pi, 0, qi);
	k_finish(k);
	return k;
}

struct mriq {
	uint32_t samples, voxels;
	struct simt_buffer *phi[2], *mag, *x[3], *q[2], *chunk;
	float *space; /* 4 floats a sample */
};

/* A few voxels spread over the volume, in double. */
static void check_q(struct wl *w, const struct mriq *m)
{
	for (uint32_t v = 0; v < m->voxels; v += m->voxels / 64) {
		double re = 0, im = 0, weight = 0;
		for (uint32_t s = 0; s < m->samples; s++) {
			const float *k = m->space + 4 * s;
			double dot = 0;
			for (int a = 0; a < 3; a++)
				dot += (double)k[a] * (double)wl_floats(m->x[a])[v];
			re += (double)k[3] * cos(2 * 3.14159265358979323846 * dot);
			im += (double)k[3] * sin(2 * 3.14159265358979323846 * dot);
			weight += (double)k[3];
		}
		float got[2] = {wl_floats(m->q[0])[v] / (float)weight,
		                wl_floats(m->q[1])[v] / (float)weight};
		float want[2] = {(float)(re / weight), (float)(im / weight)};
		wl_check_floats(w, "Q", got, want, 2, 1e-4f);
	}
}

void wl_mri_q(struct wl *w)
{
	struct mriq m = {.samples = wl_pick(w, 256, 512, 1024), .voxels = wl_pick(w, 2048, 4096, 8192)};
	for (int i = 0; i < 2; i++) {
		m.phi[i] = wl_upload_random(w, m.samples, -1, 1);
		m.q[i] = simt_alloc(&w->g, 4 * (size_t)m.voxels);
	}
	for (int a = 0; a < 3; a++)
		m.x[a] = wl_upload_random(w, m.voxels, -0.5f, 0.5f);
	m.mag = simt_alloc(&w->g, 4 * (size_t)m.samples);
	m.chunk = simt_alloc(&w->g, KV_BYTES * K_CHUNK);
	m.space = wl_host(w, 4 * (size_t)m.samples, 4);
	if (w->g.status != CT_OK)
		return;
	WL_LAUNCH(w, phi_kernel(&w->g), simt_1d(wl_ceil(m.samples, PHI_BLOCK)), simt_1d(PHI_BLOCK), 0,
	          m.phi[0]->address, m.phi[1]->address, m.mag->address, m.samples);
	for (uint32_t s = 0; s < m.samples; s++) {
		float re = wl_floats(m.phi[0])[s], im = wl_floats(m.phi[1])[s], mag = re * re + im * im;
		wl_check_floats(w, "mag", wl_floats(m.mag) + s, &mag, 1, 1e-6f);
		for (int a = 0; a < 3; a++)
			m.space[4 * s + (uint32_t)a] = wl_between(w, -8, 8);
		m.space[4 * s + 3] = mag;
	}
	struct kb *k = q_kernel(&w->g);
	for (uint32_t from = 0; from < m.samples && w->g.status == CT_OK; from += K_CHUNK) {
		uint32_t n = m.samples - from < K_CHUNK ? m.samples - from : K_CHUNK;
		for (uint32_t i = 0; i < 4 * n; i++)
			wl_floats(m.chunk)[i] = m.space[4 * from + i];
		simt_h2d(&w->g, m.chunk);
		WL_LAUNCH(w, k, simt_1d(m.voxels / Q_BLOCK), simt_1d(Q_BLOCK), 0, m.x[0]->address,
		          m.x[1]->address, m.x[2]->address, m.q[0]->address, m.q[1]->address,
		          m.chunk->address, n * KV_BYTES);
	}
	if (w->g.status == CT_OK)
		check_q(w, &m);
}

/* ---- mri-gridding ------------------------------------------------------------------------- */

/* Cells of 4x4x4 grid points are bins. Samples are counted per bin, a scan gives each bin
 * its place, samples move there, and a CTA per bin gathers from its 27 neighbours. */
enum { BIN = 4, GATHER = BIN * BIN * BIN, SAMPLE_FLOATS = 4 };

struct gridding {
	uint32_t n, side, bins; /* samples; grid points and bins per axis */
	struct simt_buffer *sample, *sorted, *bin_of, *count, *start, *cursor, *grid;
};

static val bin_coordinate(struct kb *k, val x)
{
	return k_cvt(k, k_mul(k, x, k_float(k, 1.0f / BIN)), T_S32);
}

/* Arguments: samples, bin of each, counts, n, bins per axis. */
static struct kb *binning_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "gridding_binning");
	val i = k_gid(k), bins = k_arg_int(k, 4);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 3)));
	val s = k_ldg(k, M_128, T_F32, k_elem(k, k_arg_ptr(k, 0), i, 16), 0);
	val bx = bin_coordinate(k, k_part(k, s, 0)), by = bin_coordinate(k, k_part(k, s, 1));
	val bz = bin_coordinate(k, k_part(k, s, 2));
	val bin = k_mad(k, k_mad(k, bz, bins, by), bins, bx);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), i, 4), 0, bin);
	k_red(k, ATOM_ADD, k_elem(k, k_arg_ptr(k, 2), bin, 4), 0, k_int(k, 1));
	k_finish(k);
	return k;
}

/* One CTA scans all bins, 1024 at a time, by doubling steps.
 * Arguments: counts, starts, cursors, bins. */
static struct kb *starts_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "gridding_scan");
	val t = k_tid(k, 0), at = k_shli(k, t, 2), n = k_arg_int(k, 3), zero = k_int(k, 0);
	val carry = k_var(k, zero);
	val base = k_for(k, zero, n, 1024), i = k_add(k, base, t);
	val valid = k_setp(k, CMP_LT, i, n), own = k_var(k, zero);
	k_when(k, valid);
	k_set(k, own, k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 0), i, 4), 0));
	k_endwhen(k);
	val sum = k_var(k, own);
	k_sts(k, M_32, at, 0, sum);
	k_bar(k);
	for (int step = 1; step < 1024; step *= 2) {
		k_if(k, k_setpi(k, CMP_GE, t, step));
		k_set(k, sum, k_add(k, sum, k_lds(k, M_32, T_S32, at, -4 * step)));
		k_endif(k);
		k_bar(k);
		k_sts(k, M_32, at, 0, sum);
		k_bar(k);
	}
	val exclusive = k_add(k, k_sub(k, sum, own), carry);
	k_when(k, valid);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), i, 4), 0, exclusive);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), i, 4), 0, exclusive);
	k_endwhen(k);
	k_set(k, carry, k_add(k, carry, k_lds(k, M_32, T_S32, zero, 4 * 1023)));
	k_bar(k);
	k_endfor(k);
	k_finish(k);
	return k;
}

/* Arguments: samples, bin of each, cursors, sorted, n. */
static struct kb *reorder_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "gridding_reorder");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 4)));
	val bin = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), i, 4), 0);
	val s = k_ldg(k, M_128, T_F32, k_elem(k, k_arg_ptr(k, 0), i, 16), 0);
	val to = k_atomg(k, ATOM_ADD, k_elem(k, k_arg_ptr(k, 2), bin, 4), 0, k_int(k, 1));
	k_stg(k, M_128, k_elem(k, k_arg_ptr(k, 3), to, 16), 0, s);
	k_finish(k);
	return k;
}

static val squared(struct kb *k, val point, val sample)
{
	val d = k_sub(k, point, sample);
	return k_mul(k, d, d);
}

/* Thread = grid point, CTA = bin. The window (1 - d^2/R^2)^2 stands for the Kaiser-Bessel
 * function. Arguments: sorted, starts, counts, grid, bins per axis, points per axis. */
static struct kb *gather_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "gridding_gather");
	val t = k_tid(k, 0), bins = k_arg_int(k, 4), points = k_arg_int(k, 5), b[3], x[3], xf[3];
	for (unsigned a = 0; a < 3; a++) {
		b[a] = k_ctaid(k, a);
		x[a] = k_madi(k, b[a], BIN, k_andi(k, k_shri(k, t, 2 * a), BIN - 1));
		xf[a] = k_cvt(k, x[a], T_F32);
	}
	val sum = k_var(k, k_float(k, 0)), lo[3], hi[3], i[3];
	for (int a = 0; a < 3; a++) {
		lo[a] = k_max(k, k_addi(k, b[a], -1), k_int(k, 0));
		hi[a] = k_min(k, k_addi(k, b[a], 2), bins);
	}
	for (int a = 2; a >= 0; a--)
		i[a] = k_for(k, lo[a], hi[a], 1);
	val bin = k_mad(k, k_mad(k, i[2], bins, i[1]), bins, i[0]);
	val first = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), bin, 4), 0);
	val count = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 2), bin, 4), 0);
	val e = k_for(k, first, k_add(k, first, count), 1);
	val s = k_ldg(k, M_128, T_F32, k_elem(k, k_arg_ptr(k, 0), e, 16), 0);
	val d2 = k_add(k,
	               k_add(k, squared(k, xf[0], k_part(k, s, 0)), squared(k, xf[1], k_part(k, s, 1))),
	               squared(k, xf[2], k_part(k, s, 2)));
	k_if(k, k_setp(k, CMP_LT, d2, k_float(k, BIN * BIN)));
	val window = k_mad(k, d2, k_float(k, -1.0f / (BIN * BIN)), k_float(k, 1));
	val value = k_mul(k, k_mul(k, window, window), k_part(k, s, 3));
	k_set(k, sum, k_add(k, sum, value));
	k_endif(k);
	k_endfor(k);
	for (int a = 0; a < 3; a++)
		k_endfor(k);
	val at = k_mad(k, k_mad(k, x[2], points, x[1]), points, x[0]);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 3), at, 4), 0, sum);
	k_finish(k);
	return k;
}

/* Each sample spreads over the points in its window. */
static void check_grid(struct wl *w, const struct gridding *g, double *want, float *rounded)
{
	int side = (int)g->side;
	for (uint32_t s = 0; s < g->n; s++) {
		const float *p = wl_floats(g->sample) + SAMPLE_FLOATS * s;
		int lo[3], hi[3];
		for (int a = 0; a < 3; a++) {
			lo[a] = (int)p[a] - BIN < 0 ? 0 : (int)p[a] - BIN;
			hi[a] = (int)p[a] + BIN + 1 < side ? (int)p[a] + BIN + 1 : side - 1;
		}
		for (int z = lo[2]; z <= hi[2]; z++)
			for (int y = lo[1]; y <= hi[1]; y++)
				for (int x = lo[0]; x <= hi[0]; x++) {
					double dx = x - (double)p[0], dy = y - (double)p[1],
					       dz = z - (double)p[2];
					double v = 1 - (dx * dx + dy * dy + dz * dz) / (BIN * BIN);
					if (v > 0)
						want[((size_t)z * g->side + (size_t)y) * g->side +
						     (size_t)x] += v * v * (double)p[3];
				}
	}
	size_t cells = (size_t)g->side * g->side * g->side;
	for (size_t i = 0; i < cells; i++)
		rounded[i] = (float)want[i];
	wl_check_floats(w, "grid", wl_floats(g->grid), rounded, cells, 1e-4f);
}

/* Samples thicken towards the centre, as along spokes. */
static void draw_samples(struct wl *w, const struct gridding *g)
{
	float half = (float)g->side / 2;
	for (uint32_t s = 0; s < g->n; s++) {
		float *p = wl_floats(g->sample) + SAMPLE_FLOATS * s, r = wl_unit(w);
		for (int a = 0; a < 3; a++)
			p[a] = half + r * wl_between(w, -0.999f, 0.999f) * half;
		p[3] = wl_between(w, 0.1f, 1);
	}
	simt_h2d(&w->g, g->sample);
}

void wl_mri_gridding(struct wl *w)
{
	struct gridding g = {.n = wl_pick(w, 400, 2000, 4000), .side = wl_pick(w, 32, 32, 48)};
	g.bins = g.side / BIN;
	uint32_t bins = g.bins * g.bins * g.bins;
	size_t cells = (size_t)g.side * g.side * g.side;
	g.sample = simt_alloc(&w->g, 16 * (size_t)g.n);
	g.sorted = simt_alloc(&w->g, 16 * (size_t)g.n);
	g.bin_of = simt_alloc(&w->g, 4 * (size_t)g.n);
	g.count = simt_alloc(&w->g, 4 * (size_t)bins);
	g.start = simt_alloc(&w->g, 4 * (size_t)bins);
	g.cursor = simt_alloc(&w->g, 4 * (size_t)bins);
	g.grid = simt_alloc(&w->g, 4 * cells);
	double *want = wl_host(w, cells, sizeof *want);
	float *rounded = wl_host(w, cells, sizeof *rounded);
	if (w->g.status != CT_OK)
		return;
	draw_samples(w, &g);
	struct simt_dims grid = simt_1d(wl_ceil(g.n, 256)), block = simt_1d(256);
	WL_LAUNCH(w, binning_kernel(&w->g), grid, block, 0, g.sample->address, g.bin_of->address,
	          g.count->address, g.n, g.bins);
	WL_LAUNCH(w, starts_kernel(&w->g), simt_1d(1), simt_1d(1024), 4096, g.count->address,
	          g.start->address, g.cursor->address, bins);
	WL_LAUNCH(w, reorder_kernel(&w->g), grid, block, 0, g.sample->address, g.bin_of->address,
	          g.cursor->address, g.sorted->address, g.n);
	struct simt_dims all = {g.bins, g.bins, g.bins};
	WL_LAUNCH(w, gather_kernel(&w->g), all, simt_1d(GATHER), 0, g.sorted->address, g.start->address,
	          g.count->address, g.grid->address, g.bins, g.side);
	if (w->g.status == CT_OK)
		check_grid(w, &g, want, rounded);
}
