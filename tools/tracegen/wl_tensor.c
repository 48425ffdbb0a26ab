/* Matrix product on tensor cores, as DeepBench's gemm through a library: half-precision inputs,
 * asynchronous copies into two stages of shared memory, LDSM fragments, HMMA. */
#include "tracegen/data.h"
#include "tracegen/mufu.h"

/* CTA: 64x64 of C by four warps of 32x32; 32 of the depth per stage. Rows of a stage are 64
 * bytes, their 16-byte pieces exchanged by row so that LDSM meets no bank twice. */
enum {
	CTA = 64,
	WARP = 32,
	DEPTH = 32,
	ROW = DEPTH * 2,
	TILE = CTA * ROW,
	STAGE = 2 * TILE,
	SH_BYTES = 2 * STAGE
};

/* Byte of 16-byte piece `piece` (0..3) of row `row`: piece ^ (row / 2 % 4). */
static val swizzled(struct kb *k, val row, val piece)
{
	val x = k_xor(k, piece, k_andi(k, k_shri(k, row, 1), 3));
	return k_add(k, k_shli(k, row, 6), k_shli(k, x, 4));
}

struct loader {
	val from[2], to; /* running addresses in A and B; place in the stage */
	val pitch;
};

/* 128 threads copy 64 rows of 64 bytes: two pieces each, 32 rows apart, per matrix. */
static void copy_stage(struct kb *k, const struct loader *l, int stage)
{
	for (int m = 0; m < 2; m++) {
		val p = l->from[m];
		for (int half = 0; half < 2; half++) {
			k_ldgsts(k, M_128, l->to, stage * STAGE + m * TILE + half * TILE / 2, p, 0);
			if (half == 0)
				p = k_elem(k, p, l->pitch, 2 * CTA / 2);
		}
		k_set(k, l->from[m], k_addi(k, l->from[m], ROW));
	}
	k_ldgdepbar(k);
}

/* Fragments of one 16-deep step and their products. */
static void multiply(struct kb *k, val acc[2][4], val sh_a, val sh_b, val lane_row, val lane_half,
                     int stage, int step)
{
	val a[2], b[2];
	val piece = k_addi(k, lane_half, 2 * step);
	for (int i = 0; i < 2; i++) {
		val row = k_addi(k, lane_row, 16 * i);
		a[i] = k_ldsm4(k, k_add(k, sh_a, swizzled(k, row, piece)), stage * STAGE);
	}
	for (int j = 0; j < 2; j++) {
		val row = k_addi(k, lane_row, 16 * j);
		b[j] = k_ldsm4(k, k_add(k, sh_b, swizzled(k, row, piece)), stage * STAGE + TILE);
	}
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 4; j++) {
			/* Sixteen rows of B make two 8-wide fragments: registers 0, 2 and 1, 3. */
			val pair = k_group(k, T_U32, 2);
			k_set(k, k_part(k, pair, 0), k_part(k, b[j / 2], (unsigned)(j & 1)));
			k_set(k, k_part(k, pair, 1), k_part(k, b[j / 2], (unsigned)(j & 1) + 2));
			k_hmma(k, acc[i][j], a[i], pair, acc[i][j]);
		}
}

/* Arguments: A (m x depth halves), B^T (n x depth halves), C (m x n floats), n, depth. */
static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "gemm_hmma_64x64");
	val t = k_tid(k, 0), lane = k_andi(k, t, 31), warp = k_shri(k, t, 5);
	val bx = k_ctaid(k, 0), by = k_ctaid(k, 1), depth = k_arg_int(k, 4), n = k_arg_int(k, 3),
	    zero = k_int(k, 0);
	val row = k_shri(k, t, 2), piece = k_andi(k, t, 3), acc[2][4];
	struct loader l = {.pitch = depth, .to = swizzled(k, row, piece)};
	for (unsigned m = 0; m < 2; m++) {
		val first = k_madi(k, m ? bx : by, CTA, row);
		val at = k_mad(k, first, depth, k_shli(k, piece, 3));
		l.from[m] = k_var(k, k_elem(k, k_arg_ptr(k, m), at, 2));
	}
	copy_stage(k, &l, 0);
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 4; j++) {
			acc[i][j] = k_group(k, T_F32, 4);
			for (unsigned r = 0; r < 4; r++)
				k_set(k, k_part(k, acc[i][j], r), k_float(k, 0));
		}
	val warp_row = k_shli(k, k_shri(k, warp, 1), 5), warp_col = k_shli(k, k_andi(k, warp, 1), 5);
	val sh_a = k_shli(k, warp_row, 6), sh_b = k_shli(k, warp_col, 6);
	val lane_row = k_andi(k, lane, 15), lane_half = k_shri(k, lane, 4);
	/* Two stages per round, the next one in flight while one is used. */
	val left = k_var(k, k_var(k, depth));
	k_loop(k);
	for (int stage = 0; stage < 2; stage++) {
		k_if(k, k_setpi(k, CMP_GT, left, DEPTH * (stage + 1)));
		copy_stage(k, &l, !stage);
		k_depbar(k, 1);
		k_else(k);
		k_depbar(k, 0);
		k_endif(k);
		k_bar(k);
		for (int step = 0; step < 2; step++)
			multiply(k, acc, sh_a, sh_b, lane_row, lane_half, stage, step);
		k_bar(k);
	}
	k_set(k, left, k_addi(k, left, -2 * DEPTH));
	k_endloop(k, k_setp(k, CMP_GT, left, zero));
	val c_row = k_add(k, k_madi(k, by, CTA, warp_row), k_shri(k, lane, 2));
	val c_col = k_add(k, k_madi(k, bx, CTA, warp_col), k_shli(k, k_andi(k, lane, 3), 1));
	val p = k_var(k, k_elem(k, k_arg_ptr(k, 2), k_mad(k, c_row, n, c_col), 4));
	for (int i = 0; i < 4; i++) {
		for (int j = 0; j < 4; j++) {
			val pair = k_group(k, T_F32, 2);
			for (unsigned r = 0; r < 2; r++)
				k_set(k, k_part(k, pair, r),
				      k_part(k, acc[i / 2][j], r + 2 * (unsigned)(i & 1)));
			k_stg(k, M_64, p, 32 * j, pair);
		}
		k_set(k, p, k_elem(k, p, n, 4 * 8));
	}
	k_finish(k);
	return k;
}

static struct simt_buffer *halves(struct wl *w, size_t n)
{
	struct simt_buffer *b = simt_alloc(&w->g, 2 * n);
	for (size_t i = 0; b && i < n; i++)
		((uint16_t *)(void *)b->p)[i] = simt_to_half(wl_between(w, -1, 1));
	if (b)
		simt_h2d(&w->g, b);
	return b;
}

void wl_gemm_tensor(struct wl *w)
{
	uint32_t m = wl_pick(w, 256, 768, 1536), n = wl_pick(w, 192, 640, 1024),
		 depth = wl_pick(w, 256, 512, 1024);
	struct simt_buffer *a = halves(w, (size_t)m * depth), *b = halves(w, (size_t)n * depth);
	struct simt_buffer *c = simt_alloc(&w->g, 4 * (size_t)m * n);
	float *fa = wl_host(w, (size_t)m * depth, 4), *fb = wl_host(w, (size_t)n * depth, 4);
	float *want = wl_host(w, n, 4);
	if (w->g.status != CT_OK)
		return;
	for (size_t i = 0; i < (size_t)m * depth; i++)
		fa[i] = simt_from_half(((uint16_t *)(void *)a->p)[i]);
	for (size_t i = 0; i < (size_t)n * depth; i++)
		fb[i] = simt_from_half(((uint16_t *)(void *)b->p)[i]);
	WL_LAUNCH(w, kernel(&w->g), simt_2d(n / CTA, m / CTA), simt_1d(128), SH_BYTES, a->address,
	          b->address, c->address, n, depth);
	/* Every 7th row: the whole product would take longer than the trace. */
	for (uint32_t i = 0; i < m; i += 7) {
		for (uint32_t j = 0; j < n; j++) {
			double sum = 0;
			for (uint32_t l = 0; l < depth; l++)
				sum += (double)fa[(size_t)i * depth + l] *
				       (double)fb[(size_t)j * depth + l];
			want[j] = (float)sum;
		}
		wl_check_floats(w, "C", wl_floats(c) + (size_t)i * n, want, n, 1e-4f);
	}
}
