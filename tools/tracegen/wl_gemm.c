/* C = A * B with square tiles in shared memory (the CUDA programming guide's scheme). */
#include "tracegen/workload.h"

enum { TILE = 16 };

/* Arguments: A (m x k), B (k x n), C (m x n), n, k; all multiples of TILE, row-major. */
static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "gemm_tiled");
	val tx = k_tid(k, 0), ty = k_tid(k, 1);
	val row = k_madi(k, k_ctaid(k, 1), TILE, ty), col = k_madi(k, k_ctaid(k, 0), TILE, tx);
	val n = k_arg_int(k, 3), depth = k_arg_int(k, 4);
	/* Running addresses: A moves along its row, B down its column. */
	val pa = k_var(k, k_elem(k, k_arg_ptr(k, 0), k_mad(k, row, depth, tx), 4));
	val pb = k_var(k, k_elem(k, k_arg_ptr(k, 1), k_mad(k, ty, n, col), 4));
	val store = k_shli(k, k_madi(k, ty, TILE, tx), 2);
	val row_a = k_shli(k, ty, 6), col_b = k_shli(k, tx, 2); /* TILE floats are 64 bytes */
	val acc = k_var(k, k_float(k, 0));
	k_for(k, k_int(k, 0), depth, TILE);
	val a = k_ldg(k, M_32, T_F32, pa, 0), b = k_ldg(k, M_32, T_F32, pb, 0);
	k_sts(k, M_32, store, 0, a);
	k_sts(k, M_32, store, TILE * TILE * 4, b);
	k_bar(k);
	for (int i = 0; i < TILE; i += 4) {
		val a4 = k_lds(k, M_128, T_F32, row_a, 4 * i);
		for (int j = 0; j < 4; j++) {
			val bij = k_lds(k, M_32, T_F32, col_b, (TILE + i + j) * TILE * 4);
			k_set(k, acc, k_mad(k, k_part(k, a4, (unsigned)j), bij, acc));
		}
	}
	k_bar(k);
	k_set(k, pa, k_addi(k, pa, 4 * TILE));
	k_set(k, pb, k_elem(k, pb, n, 4 * TILE));
	k_endfor(k);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), k_mad(k, row, n, col), 4), 0, acc);
	k_finish(k);
	return k;
}

static void fill(struct wl *w, struct simt_buffer *b)
{
	float *p = (float *)b->p;
	for (size_t i = 0; i < b->bytes / 4; i++)
		p[i] = wl_between(w, -1, 1);
	simt_h2d(&w->g, b);
}

void wl_gemm(struct wl *w)
{
	uint32_t m = wl_pick(w, 128, 256, 512), n = wl_pick(w, 96, 256, 384);
	uint32_t depth = wl_pick(w, 160, 256, 256);
	struct simt_buffer *a = simt_alloc(&w->g, 4 * (size_t)m * depth);
	struct simt_buffer *b = simt_alloc(&w->g, 4 * (size_t)depth * n);
	struct simt_buffer *c = simt_alloc(&w->g, 4 * (size_t)m * n);
	double *sum = wl_host(w, n, sizeof *sum);
	float *want = wl_host(w, n, sizeof *want);
	if (w->g.status == CT_OK) {
		fill(w, a);
		fill(w, b);
		WL_LAUNCH(w, kernel(&w->g), simt_2d(n / TILE, m / TILE), simt_2d(TILE, TILE),
		          2 * TILE * TILE * 4, a->address, b->address, c->address, n, depth);
	}
	const float *pa = a ? (const float *)a->p : NULL, *pb = b ? (const float *)b->p : NULL;
	for (uint32_t i = 0; i < m && w->g.status == CT_OK; i++) {
		for (uint32_t j = 0; j < n; j++)
			sum[j] = 0;
		for (uint32_t l = 0; l < depth; l++)
			for (uint32_t j = 0; j < n; j++)
				sum[j] += (double)pa[(size_t)i * depth + l] *
				          (double)pb[(size_t)l * n + j];
		for (uint32_t j = 0; j < n; j++)
			want[j] = (float)sum[j];
		wl_check_floats(w, "C", (const float *)c->p + (size_t)i * n, want, n, 1e-4f);
	}
}
