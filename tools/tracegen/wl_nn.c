/* Nearest neighbours as in Rodinia: distances of all records to a place. */
#include "tracegen/data.h"

enum { BLOCK = 64 };

/* Arguments: {latitude, longitude} pairs, distances, n, latitude, longitude. */
static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "nn_distance");
	val i = k_gid(k);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 2)));
	val p = k_elem(k, k_arg_ptr(k, 0), i, 8);
	val lat = k_ldg(k, M_32, T_F32, p, 0), lng = k_ldg(k, M_32, T_F32, p, 4);
	val a = k_sub(k, k_arg_float(k, 3), lat), b = k_sub(k, k_arg_float(k, 4), lng);
	val d = k_sqrt(k, k_mad(k, a, a, k_mul(k, b, b)));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), i, 4), 0, d);
	k_finish(k);
	return k;
}

void wl_nn(struct wl *w)
{
	uint32_t n = wl_pick(w, 42764, 42764 * 20, 42764 * 120);
	struct simt_buffer *place = simt_alloc(&w->g, 8 * (size_t)n),
			   *out = simt_alloc(&w->g, 4 * (size_t)n);
	float *want = wl_host(w, n, 4);
	if (w->g.status != CT_OK)
		return;
	for (uint32_t i = 0; i < n; i++) {
		float lat = wl_between(w, 0, 70), lng = wl_between(w, 0, 360);
		wl_floats(place)[2 * i] = lat;
		wl_floats(place)[2 * i + 1] = lng;
		double a = 30.0 - (double)lat, b = 90.0 - (double)lng;
		want[i] = (float)(a * a + b * b);
	}
	simt_h2d(&w->g, place);
	WL_LAUNCH(w, kernel(&w->g), simt_1d(wl_ceil(n, BLOCK)), simt_1d(BLOCK), 0, place->address,
	          out->address, n, simt_fbits(30), simt_fbits(90));
	for (uint32_t i = 0; i < n; i++)
		wl_floats(out)[i] *= wl_floats(out)[i];
	wl_check_floats(w, "squared distance", wl_floats(out), want, n, 1e-5f);
}
