/* Sparse matrix times dense vector: jagged diagonals as in Parboil, and compressed rows by
 * thread and by warp as in SHOC. */
#include <stdlib.h>

#include "tracegen/data.h"

/* The product in plain C, in double. */
static float *reference(struct wl *w, const struct wl_csr *a, const float *x)
{
	float *y = wl_host(w, a->n, sizeof *y);
	for (uint32_t i = 0; y && i < a->n; i++) {
		double sum = 0;
		for (uint32_t e = a->row[i]; e < a->row[i + 1]; e++)
			sum += (double)a->value[e] * (double)x[a->col[e]];
		y[i] = (float)sum;
	}
	return y;
}

/* ---- jagged diagonals ----------------------------------------------------------------- */

/* Rows by falling length; diagonal d holds entry d of every row that has one, padded so
 * that the 32 rows of a warp are equally long. */
struct jds {
	uint32_t n, m, diagonals, warps;
	uint32_t *perm;    /* sorted place -> row */
	uint32_t *start;   /* per diagonal: offset of its entries */
	uint32_t *longest; /* per warp of rows */
	uint32_t *col;
	float *value;
};

static uint32_t length(const struct wl_csr *a, uint32_t row)
{
	return a->row[row + 1] - a->row[row];
}

/* Counting sort by falling length, stable. */
static void sort_rows(struct wl *w, const struct wl_csr *a, struct jds *j)
{
	uint32_t longest = 0;
	for (uint32_t i = 0; i < a->n; i++)
		longest = length(a, i) > longest ? length(a, i) : longest;
	uint32_t *first = wl_host(w, longest + 2, sizeof *first);
	if (!first)
		return;
	for (uint32_t i = 0; i < a->n; i++)
		first[longest - length(a, i) + 1]++;
	for (uint32_t l = 0; l <= longest; l++)
		first[l + 1] += first[l];
	for (uint32_t i = 0; i < a->n; i++)
		j->perm[first[longest - length(a, i)]++] = i;
	j->diagonals = longest;
}

static void convert(struct wl *w, const struct wl_csr *a, struct jds *j)
{
	*j = (struct jds){.n = a->n, .warps = wl_ceil(a->n, 32)};
	j->perm = wl_host(w, a->n, sizeof *j->perm);
	j->longest = wl_host(w, j->warps, sizeof *j->longest);
	if (w->g.status == CT_OK)
		sort_rows(w, a, j);
	j->start = wl_host(w, (size_t)j->diagonals + 1, sizeof *j->start);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t g = 0; g < j->warps; g++)
		j->longest[g] = length(a, j->perm[32 * g]);
	for (uint32_t d = 0, g = j->warps; d < j->diagonals; d++) {
		while (g > 0 && j->longest[g - 1] <= d)
			g--;
		j->start[d + 1] = j->start[d] + 32 * g;
	}
	j->m = j->start[j->diagonals];
	j->col = wl_host(w, j->m, sizeof *j->col);
	j->value = wl_host(w, j->m, sizeof *j->value);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t d = 0; d < length(a, j->perm[i]); d++) {
			j->col[j->start[d] + i] = a->col[a->row[j->perm[i]] + d];
			j->value[j->start[d] + i] = a->value[a->row[j->perm[i]] + d];
		}
}

/* Arguments: values, columns, x, y, perm, start (constant), longest (constant), n. */
static struct kb *jds_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "spmv_jds");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 7)));
	val bound = k_ldc(k, T_S32, k_arg_ptr(k, 6), k_shli(k, k_shri(k, i, 5), 2), 0);
	val sum = k_var(k, k_float(k, 0)), at = k_var(k, k_int(k, 0));
	val d = k_for(k, k_int(k, 0), bound, 1);
	(void)d;
	val j = k_add(k, k_ldc(k, T_S32, k_arg_ptr(k, 5), at, 0), i);
	val column = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), j, 4), 0);
	val a = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), j, 4), 0);
	val x = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 2), column, 4), 0);
	k_set(k, sum, k_mad(k, a, x, sum));
	k_set(k, at, k_addi(k, at, 4));
	k_endfor(k);
	val row = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 4), i, 4), 0);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 3), row, 4), 0, sum);
	k_finish(k);
	return k;
}

void wl_spmv(struct wl *w)
{
	struct wl_csr a;
	struct jds j;
	uint32_t n = wl_pick(w, 4096, 36000, 110000) + 19;
	wl_power_rows(w, n, 24, &a);
	if (w->g.status == CT_OK)
		convert(w, &a, &j);
	if (w->g.status != CT_OK)
		return;
	struct simt_buffer *value = wl_upload(w, j.value, 4 * (size_t)j.m);
	struct simt_buffer *col = wl_upload(w, j.col, 4 * (size_t)j.m);
	struct simt_buffer *x = wl_upload_random(w, n, -1, 1), *y = simt_alloc(&w->g, 4 * (size_t)n);
	struct simt_buffer *perm = wl_upload(w, j.perm, 4 * (size_t)n);
	struct simt_buffer *start = wl_upload(w, j.start, 4 * ((size_t)j.diagonals + 1));
	struct simt_buffer *longest = wl_upload(w, j.longest, 4 * (size_t)j.warps);
	if (w->g.status != CT_OK)
		return;
	struct kb *k = jds_kernel(&w->g);
	/* The original repeats the product 50 times. */
	for (uint32_t i = 0; i < wl_pick(w, 1, 2, 3); i++)
		WL_LAUNCH(w, k, simt_1d(wl_ceil(n, 192)), simt_1d(192), 0, value->address, col->address,
		          x->address, y->address, perm->address, start->address, longest->address, n);
	const float *want = reference(w, &a, wl_floats(x));
	wl_check_floats(w, "y", wl_floats(y), want, n, 1e-4f);
}

/* ---- compressed rows ------------------------------------------------------------------- */

/* A thread per row. Arguments: values, columns, x, y, rows, n. */
static struct kb *scalar_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "spmv_csr_scalar");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 5)));
	val p = k_elem(k, k_arg_ptr(k, 4), i, 4);
	val first = k_ldg(k, M_32, T_S32, p, 0), last = k_ldg(k, M_32, T_S32, p, 4);
	val sum = k_var(k, k_float(k, 0));
	val e = k_for(k, first, last, 1);
	val column = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), e, 4), 0);
	val a = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), e, 4), 0);
	val x = k_ldg_mod(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 2), column, 4), 0, LD_CONSTANT);
	k_set(k, sum, k_mad(k, a, x, sum));
	k_endfor(k);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 3), i, 4), 0, sum);
	k_finish(k);
	return k;
}

/* A warp per row, partial sums joined in shared memory. */
static struct kb *vector_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "spmv_csr_vector");
	val tid = k_tid(k, 0), lane = k_andi(k, tid, 31), row = k_shri(k, k_gid(k), 5);
	k_exit_if(k, k_setp(k, CMP_GE, row, k_arg_int(k, 5)));
	val p = k_elem(k, k_arg_ptr(k, 4), row, 4);
	val first = k_ldg(k, M_32, T_S32, p, 0), last = k_ldg(k, M_32, T_S32, p, 4);
	val sum = k_var(k, k_float(k, 0));
	val e = k_for(k, k_add(k, first, lane), last, 32);
	val column = k_ldg(k, M_32, T_S32, k_elem(k, k_arg_ptr(k, 1), e, 4), 0);
	val a = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), e, 4), 0);
	val x = k_ldg_mod(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 2), column, 4), 0, LD_CONSTANT);
	k_set(k, sum, k_mad(k, a, x, sum));
	k_endfor(k);
	val at = k_shli(k, tid, 2);
	k_sts(k, M_32, at, 0, sum);
	for (int half = 16; half > 0; half /= 2) {
		k_when(k, k_setpi(k, CMP_LT, lane, half));
		val mine = k_lds(k, M_32, T_F32, at, 0), other = k_lds(k, M_32, T_F32, at, 4 * half);
		k_sts(k, M_32, at, 0, k_add(k, mine, other));
		k_endwhen(k);
	}
	k_when(k, k_setpi(k, CMP_EQ, lane, 0));
	val total = k_lds(k, M_32, T_F32, at, 0);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 3), row, 4), 0, total);
	k_endwhen(k);
	k_finish(k);
	return k;
}

void wl_spmv_csr(struct wl *w)
{
	struct wl_csr a;
	uint32_t n = wl_pick(w, 1024, 8192, 30000), mean = wl_pick(w, 40, 82, 82);
	wl_even_rows(w, n, mean, &a);
	if (w->g.status != CT_OK)
		return;
	struct simt_buffer *value = wl_upload(w, a.value, 4 * (size_t)a.m);
	struct simt_buffer *col = wl_upload(w, a.col, 4 * (size_t)a.m);
	struct simt_buffer *x = wl_upload_random(w, n, -1, 1), *y = simt_alloc(&w->g, 4 * (size_t)n);
	struct simt_buffer *row = wl_upload(w, a.row, 4 * ((size_t)n + 1));
	if (w->g.status != CT_OK)
		return;
	const float *want = reference(w, &a, wl_floats(x));
	WL_LAUNCH(w, scalar_kernel(&w->g), simt_1d(wl_ceil(n, 128)), simt_1d(128), 0, value->address,
	          col->address, x->address, y->address, row->address, n);
	wl_check_floats(w, "y", wl_floats(y), want, n, 1e-4f);
	for (uint32_t i = 0; i < n; i++)
		wl_floats(y)[i] = 0;
	WL_LAUNCH(w, vector_kernel(&w->g), simt_1d(wl_ceil(n, 4)), simt_1d(128), 512, value->address,
	          col->address, x->address, y->address, row->address, n);
	wl_check_floats(w, "y", wl_floats(y), want, n, 1e-4f);
}
