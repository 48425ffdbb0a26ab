/* Covariance matrix of a data set as in PolyBench: means, centring, products. */
#include "tracegen/data.h"

enum { BLOCK = 256, TX = 32, TY = 8 };

/* Thread = column. Arguments: data, mean, columns, rows. */
static struct kb *mean_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "covariance_mean");
	val j = k_gid(k), m = k_arg_int(k, 2), rows = k_arg_int(k, 3);
	k_exit_if(k, k_setp(k, CMP_GE, j, m));
	val sum = k_var(k, k_float(k, 0)), p = k_var(k, k_elem(k, k_arg_ptr(k, 0), j, 4));
	k_for(k, k_int(k, 0), rows, 1);
	k_set(k, sum, k_add(k, sum, k_ldg(k, M_32, T_F32, p, 0)));
	k_set(k, p, k_elem(k, p, m, 4));
	k_endfor(k);
	val count = k_cvt(k, k_var(k, rows), T_F32);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), j, 4), 0, k_div(k, sum, count));
	k_finish(k);
	return k;
}

static struct kb *centre_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "covariance_reduce");
	val j = k_gid_axis(k, 0), i = k_gid_axis(k, 1), m = k_arg_int(k, 2);
	k_exit_if(k, k_setp(k, CMP_GE, j, m));
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 3)));
	val p = k_elem(k, k_arg_ptr(k, 0), k_mad(k, i, m, j), 4), x = k_ldg(k, M_32, T_F32, p, 0);
	val mean = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 1), j, 4), 0);
	k_stg(k, M_32, p, 0, k_sub(k, x, mean));
	k_finish(k);
	return k;
}

/* Thread = column j1, for all j2 >= j1. The running sum lives in memory, as in the original.
 * Arguments: data, symmetric, columns, rows. */
static struct kb *product_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "covariance_products");
	val j1 = k_gid(k), m = k_arg_int(k, 2), rows = k_arg_int(k, 3), data = k_arg_ptr(k, 0);
	k_exit_if(k, k_setp(k, CMP_GE, j1, m));
	val j2 = k_for(k, j1, m, 1);
	val p = k_elem(k, k_arg_ptr(k, 1), k_mad(k, j1, m, j2), 4);
	k_stg(k, M_32, p, 0, k_float(k, 0));
	val a = k_var(k, k_elem(k, data, j1, 4)), b = k_var(k, k_elem(k, data, j2, 4));
	k_for(k, k_int(k, 0), rows, 1);
	val x = k_ldg(k, M_32, T_F32, a, 0), y = k_ldg(k, M_32, T_F32, b, 0);
	val sum = k_ldg(k, M_32, T_F32, p, 0);
	k_stg(k, M_32, p, 0, k_mad(k, x, y, sum));
	k_set(k, a, k_elem(k, a, m, 4));
	k_set(k, b, k_elem(k, b, m, 4));
	k_endfor(k);
	val mirror = k_elem(k, k_arg_ptr(k, 1), k_mad(k, j2, m, j1), 4);
	k_stg(k, M_32, mirror, 0, k_ldg(k, M_32, T_F32, p, 0));
	k_endfor(k);
	k_finish(k);
	return k;
}

void wl_covariance(struct wl *w)
{
	uint32_t m = wl_pick(w, 96, 160, 288), rows = wl_pick(w, 64, 160, 256);
	struct simt_buffer *data = wl_upload_random(w, (size_t)m * rows, -1, 1);
	struct simt_buffer *mean = simt_alloc(&w->g, 4 * (size_t)m);
	struct simt_buffer *sym = simt_alloc(&w->g, 4 * (size_t)m * m);
	double *x = wl_host(w, (size_t)m * rows, sizeof *x);
	float *want = wl_host(w, (size_t)m * m, 4);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t j = 0; j < m; j++) {
		double sum = 0;
		for (uint32_t i = 0; i < rows; i++)
			sum += (double)wl_floats(data)[i * m + j];
		for (uint32_t i = 0; i < rows; i++)
			x[i * m + j] = (double)wl_floats(data)[i * m + j] - sum / rows;
	}
	struct simt_dims grid = simt_1d(wl_ceil(m, BLOCK)), block = simt_1d(BLOCK);
	WL_LAUNCH(w, mean_kernel(&w->g), grid, block, 0, data->address, mean->address, m, rows);
	WL_LAUNCH(w, centre_kernel(&w->g), simt_2d(wl_ceil(m, TX), wl_ceil(rows, TY)), simt_2d(TX, TY),
	          0, data->address, mean->address, m, rows);
	WL_LAUNCH(w, product_kernel(&w->g), grid, block, 0, data->address, sym->address, m, rows);
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = 0; b < m; b++) {
			double sum = 0;
			for (uint32_t i = 0; i < rows; i++)
				sum += x[i * m + a] * x[i * m + b];
			want[a * m + b] = (float)sum;
		}
	wl_check_floats(w, "covariance", wl_floats(sym), want, (size_t)m * m, 1e-4f);
}
