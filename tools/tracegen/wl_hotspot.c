/* Chip temperature by explicit time steps, as Rodinia's hotspot: a CTA keeps a tile with
 * a border in shared memory and makes two steps before it writes the inner part back. */
#include "tracegen/data.h"

enum { TILE = 16, STEPS = 2, INNER = TILE - 2 * STEPS, PITCH = TILE * 4 };

/* Shared arrays: temperature, power, new temperature. */
enum { SH_T = 0, SH_P = TILE * TILE * 4, SH_N = 2 * TILE * TILE * 4, SH_BYTES = 3 * TILE * TILE * 4 };

/* Steps' constants after the original's for a 16 mm square die; only their size matters. */
static const float cap = 0.04f, rx = 2.0f, ry = 1.6f, rz = 12.0f, ambient = 80.0f;

static val inside(struct kb *k, val x, int lo, int hi)
{
	val p = k_setpi(k, CMP_GE, x, lo), q = k_setpi(k, CMP_LE, x, hi);
	return k_pand(k, p, q);
}

/* x kept within the first and last valid row or column of the tile. */
static val clamp(struct kb *k, val x, val lo, val hi)
{
	return k_min(k, k_max(k, x, lo), hi);
}

static val tile_at(struct kb *k, val row, val col)
{
	return k_shli(k, k_madi(k, row, TILE, col), 2);
}

static void time_step(struct kb *k, val at, val north, val south, val west, val east)
{
	val t = k_lds(k, M_32, T_F32, at, SH_T), p = k_lds(k, M_32, T_F32, at, SH_P);
	val tn = k_lds(k, M_32, T_F32, north, SH_T), ts = k_lds(k, M_32, T_F32, south, SH_T);
	val te = k_lds(k, M_32, T_F32, east, SH_T), tw = k_lds(k, M_32, T_F32, west, SH_T);
	val minus2t = k_mul(k, t, k_float(k, -2.0f));
	val y = k_add(k, k_add(k, ts, tn), minus2t), x = k_add(k, k_add(k, te, tw), minus2t);
	val sum = k_mad(k, y, k_float(k, 1 / ry), p);
	val sum2 = k_mad(k, x, k_float(k, 1 / rx), sum);
	val air = k_sub(k, k_float(k, ambient), t);
	val sum3 = k_mad(k, air, k_float(k, 1 / rz), sum2);
	k_sts(k, M_32, at, SH_N, k_mad(k, sum3, k_float(k, cap), t));
}

/* Arguments: power, in, out, n. */
static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "hotspot_steps");
	val tx = k_tid(k, 0), ty = k_tid(k, 1), n = k_arg_int(k, 3), last = k_addi(k, n, -1);
	val row0 = k_addi(k, k_muli(k, k_ctaid(k, 1), INNER), -STEPS);
	val col0 = k_addi(k, k_muli(k, k_ctaid(k, 0), INNER), -STEPS);
	val row = k_add(k, row0, ty), col = k_add(k, col0, tx), at = tile_at(k, ty, tx);
	val zero = k_int(k, 0);
	val here = k_pand(k, k_pand(k, k_setp(k, CMP_GE, row, zero), k_setp(k, CMP_LE, row, last)),
	                  k_pand(k, k_setp(k, CMP_GE, col, zero), k_setp(k, CMP_LE, col, last)));
	val index = k_mad(k, row, n, col);
	k_if(k, here);
	val t = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 1), index, 4), 0);
	val p = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), index, 4), 0);
	k_sts(k, M_32, at, SH_T, t);
	k_sts(k, M_32, at, SH_P, p);
	k_endif(k);
	k_bar(k);
	/* Valid part of the tile: the chip's edge mirrors itself. */
	val top = k_max(k, k_neg(k, row0), zero), left = k_max(k, k_neg(k, col0), zero);
	val bottom = k_min(k, k_sub(k, last, row0), k_int(k, TILE - 1));
	val right = k_min(k, k_sub(k, last, col0), k_int(k, TILE - 1));
	val north = tile_at(k, clamp(k, k_addi(k, ty, -1), top, bottom), tx);
	val south = tile_at(k, clamp(k, k_addi(k, ty, 1), top, bottom), tx);
	val west = tile_at(k, ty, clamp(k, k_addi(k, tx, -1), left, right));
	val east = tile_at(k, ty, clamp(k, k_addi(k, tx, 1), left, right));
	for (int s = 0; s < STEPS; s++) {
		val row_in = inside(k, ty, s + 1, TILE - 2 - s),
		    col_in = inside(k, tx, s + 1, TILE - 2 - s);
		val computes = k_pand(k, here, k_pand(k, row_in, col_in));
		k_if(k, computes);
		time_step(k, at, north, south, west, east);
		k_endif(k);
		k_bar(k);
		k_if(k, computes);
		val now = k_lds(k, M_32, T_F32, at, SH_N);
		if (s + 1 < STEPS)
			k_sts(k, M_32, at, SH_T, now);
		else
			k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), index, 4), 0, now);
		k_endif(k);
		if (s + 1 < STEPS)
			k_bar(k);
	}
	k_finish(k);
	return k;
}

static void reference_step(const float *in, const float *power, float *out, uint32_t n)
{
	for (uint32_t r = 0; r < n; r++)
		for (uint32_t c = 0; c < n; c++) {
			size_t i = (size_t)r * n + c;
			float t = in[i];
			float tn = in[r ? i - n : i], ts = in[r + 1 < n ? i + n : i];
			float tw = in[c ? i - 1 : i], te = in[c + 1 < n ? i + 1 : i];
			out[i] = t + cap * (power[i] + (ts + tn - 2 * t) / ry + (te + tw - 2 * t) / rx +
			                    (ambient - t) / rz);
		}
}

void wl_hotspot(struct wl *w)
{
	uint32_t n = wl_pick(w, 128, 256, 512);
	size_t cells = (size_t)n * n;
	struct simt_buffer *power = wl_upload_random(w, cells, 0, 2);
	struct simt_buffer *t[2] = {wl_upload_random(w, cells, 320, 340), simt_alloc(&w->g, 4 * cells)};
	float *want[2] = {wl_host(w, cells, 4), wl_host(w, cells, 4)};
	if (w->g.status != CT_OK)
		return;
	for (size_t i = 0; i < cells; i++)
		want[0][i] = wl_floats(t[0])[i];
	struct kb *k = kernel(&w->g);
	uint32_t ctas = wl_ceil(n, INNER), launches = wl_pick(w, 1, 2, 2);
	for (uint32_t l = 0; l < launches; l++) {
		WL_LAUNCH(w, k, simt_2d(ctas, ctas), simt_2d(TILE, TILE), SH_BYTES, power->address,
		          t[l & 1]->address, t[~l & 1]->address, n);
		for (int s = 0; s < STEPS; s++)
			reference_step(want[s & 1], wl_floats(power), want[~s & 1], n);
	}
	wl_check_floats(w, "temperature", wl_floats(t[launches & 1]), want[0], cells, 1e-5f);
}
