/* Particle forces between neighbouring boxes with a cut-off, as in Rodinia's lavaMD. */
#include <math.h>

#include "tracegen/data.h"

enum { PARTICLES = 100, BLOCK = 128, NEIGHBOURS = 27 };
/* Shared memory: positions {v,x,y,z} of the home box, of the neighbour, its charges. */
enum { SH_A = 0, SH_B = 16 * PARTICLES, SH_Q = 32 * PARTICLES, SH_BYTES = 36 * PARTICLES };

static const float alpha = 0.5f;

/* Boxes: {neighbours, numbers of up to 27 boxes, own first} of 28 words. Arguments: boxes,
 * positions, charges, forces. CTA = box. */
static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "lavamd_forces");
	val t = k_tid(k, 0), home = k_ctaid(k, 0), t16 = k_shli(k, t, 4), zero = k_int(k, 0);
	val box = k_elem(k, k_arg_ptr(k, 0), home, 4 * (NEIGHBOURS + 1));
	val here = k_setpi(k, CMP_LT, t, PARTICLES), mine = k_madi(k, home, PARTICLES, t);
	k_if(k, here);
	val r = k_ldg(k, M_128, T_F32, k_elem(k, k_arg_ptr(k, 1), mine, 16), 0);
	k_sts(k, M_128, t16, SH_A, r);
	k_endif(k);
	val force = k_group(k, T_F32, 4);
	for (unsigned c = 0; c < 4; c++)
		k_set(k, k_part(k, force, c), k_float(k, 0));
	val count = k_ldg(k, M_32, T_S32, box, 0), next = k_var(k, box);
	k_for(k, zero, count, 1);
	val other = k_ldg(k, M_32, T_S32, next, 4), from = k_madi(k, other, PARTICLES, t);
	k_if(k, here);
	val rb = k_ldg(k, M_128, T_F32, k_elem(k, k_arg_ptr(k, 1), from, 16), 0);
	val qb = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 2), from, 4), 0);
	k_sts(k, M_128, t16, SH_B, rb);
	k_sts(k, M_32, k_shli(k, t, 2), SH_Q, qb);
	k_endif(k);
	k_bar(k);
	k_if(k, here);
	val a = k_lds(k, M_128, T_F32, t16, SH_A);
	val j = k_for(k, zero, k_int(k, PARTICLES), 1);
	val b = k_lds(k, M_128, T_F32, k_shli(k, j, 4), SH_B), d[3];
	val q = k_lds(k, M_32, T_F32, k_shli(k, j, 2), SH_Q);
	val dot = k_mul(k, k_part(k, a, 1), k_part(k, b, 1));
	for (unsigned c = 2; c < 4; c++)
		dot = k_mad(k, k_part(k, a, c), k_part(k, b, c), dot);
	val r2 = k_sub(k, k_add(k, k_part(k, a, 0), k_part(k, b, 0)), dot);
	val vij = k_exp(k, k_mul(k, r2, k_float(k, -2 * alpha * alpha)));
	val weight = k_mul(k, q, vij), fs = k_mul(k, k_add(k, weight, weight), k_float(k, 1));
	for (unsigned c = 0; c < 3; c++)
		d[c] = k_sub(k, k_part(k, a, c + 1), k_part(k, b, c + 1));
	k_set(k, k_part(k, force, 0), k_add(k, k_part(k, force, 0), weight));
	for (unsigned c = 1; c < 4; c++)
		k_set(k, k_part(k, force, c), k_mad(k, fs, d[c - 1], k_part(k, force, c)));
	k_endfor(k);
	/* The original keeps the sums in memory; the compiler stores them once per box. */
	k_stg(k, M_128, k_elem(k, k_arg_ptr(k, 3), mine, 16), 0, force);
	k_endif(k);
	k_bar(k);
	k_set(k, next, k_addi(k, next, 4));
	k_endfor(k);
	k_finish(k);
	return k;
}

static void reference(const uint32_t *box, const float *r, const float *q, uint32_t boxes, float *f)
{
	for (uint32_t h = 0; h < boxes; h++)
		for (uint32_t i = h * PARTICLES; i < (h + 1) * PARTICLES; i++) {
			double sum[4] = {0};
			const uint32_t *b = box + h * (NEIGHBOURS + 1);
			for (uint32_t n = 0; n < b[0]; n++)
				for (uint32_t j = b[n + 1] * PARTICLES; j < (b[n + 1] + 1) * PARTICLES;
				     j++) {
					double dot = 0, w;
					for (int c = 1; c < 4; c++)
						dot += (double)r[4 * i + c] * (double)r[4 * j + c];
					w = (double)q[j] *
					    exp(-2.0 * (double)(alpha * alpha) *
					        ((double)r[4 * i] + (double)r[4 * j] - dot));
					sum[0] += w;
					for (int c = 1; c < 4; c++)
						sum[c] += 2 * w *
						          ((double)r[4 * i + c] - (double)r[4 * j + c]);
				}
			for (int c = 0; c < 4; c++)
				f[4 * i + c] = (float)sum[c];
		}
}

static void make_boxes(uint32_t *box, int side)
{
	for (int z = 0; z < side; z++)
		for (int y = 0; y < side; y++)
			for (int x = 0; x < side; x++) {
				uint32_t *b = box + ((z * side + y) * side + x) * (NEIGHBOURS + 1);
				b[++b[0]] = (uint32_t)((z * side + y) * side + x);
				for (int n = 0; n < NEIGHBOURS; n++) {
					int i = x + n % 3 - 1, j = y + n / 3 % 3 - 1, l = z + n / 9 - 1;
					if (n != 13 && i >= 0 && j >= 0 && l >= 0 && i < side &&
					    j < side && l < side)
						b[++b[0]] = (uint32_t)((l * side + j) * side + i);
				}
			}
}

void wl_lavamd(struct wl *w)
{
	uint32_t side = wl_pick(w, 2, 3, 4), boxes = side * side * side, n = boxes * PARTICLES;
	struct simt_buffer *box = simt_alloc(&w->g, 4 * (size_t)boxes * (NEIGHBOURS + 1));
	struct simt_buffer *r = simt_alloc(&w->g, 16 * (size_t)n), *q = wl_upload_random(w, n, 0.1f, 1);
	struct simt_buffer *f = simt_alloc(&w->g, 16 * (size_t)n);
	float *want = wl_host(w, 4 * (size_t)n, 4);
	if (w->g.status != CT_OK)
		return;
	make_boxes(wl_words(box), (int)side);
	for (size_t i = 0; i < 4 * (size_t)n; i++)
		wl_floats(r)[i] = wl_between(w, 0.1f, 1);
	simt_h2d(&w->g, box);
	simt_h2d(&w->g, r);
	simt_h2d(&w->g, f);
	WL_LAUNCH(w, kernel(&w->g), simt_1d(boxes), simt_1d(BLOCK), SH_BYTES, box->address, r->address,
	          q->address, f->address);
	reference(wl_words(box), wl_floats(r), wl_floats(q), boxes, want);
	wl_check_floats(w, "force", wl_floats(f), want, 4 * (size_t)n, 1e-4f);
}
