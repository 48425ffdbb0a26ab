/* Seven-point Jacobi iteration on a 3-D grid, a thread per inner point, as in Parboil. */
#include "tracegen/data.h"

enum { BLOCK = 256 };

static const float c0 = 1.0f / 6.0f, c1 = 1.0f / 36.0f;

/* Arguments: in, out, nx, nx*ny, inner width. Grid y and z are the inner rows and planes. */
static struct kb *kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "stencil_7point");
	val i = k_gid(k), nx = k_arg_int(k, 2), plane = k_arg_int(k, 3);
	k_exit_if(k, k_setp(k, CMP_GE, i, k_arg_int(k, 4)));
	val row = k_addi(k, k_ctaid(k, 1), 1), slice = k_addi(k, k_ctaid(k, 2), 1);
	val at = k_addi(k, k_mad(k, slice, plane, k_mad(k, row, nx, i)), 1);
	val in = k_arg_ptr(k, 0), p = k_elem(k, in, at, 4);
	val top = k_ldg(k, M_32, T_F32, k_elem(k, in, k_add(k, at, plane), 4), 0);
	val bottom = k_ldg(k, M_32, T_F32, k_elem(k, in, k_sub(k, at, plane), 4), 0);
	val south = k_ldg(k, M_32, T_F32, k_elem(k, in, k_add(k, at, nx), 4), 0);
	val north = k_ldg(k, M_32, T_F32, k_elem(k, in, k_sub(k, at, nx), 4), 0);
	val east = k_ldg(k, M_32, T_F32, p, 4), west = k_ldg(k, M_32, T_F32, p, -4);
	val centre = k_ldg(k, M_32, T_F32, p, 0);
	val sum = k_add(k, k_add(k, k_add(k, k_add(k, k_add(k, top, bottom), south), north), east),
	                west);
	val r = k_mad(k, centre, k_float(k, -c0), k_mul(k, sum, k_float(k, c1)));
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), at, 4), 0, r);
	k_finish(k);
	return k;
}

static void step(const float *in, float *out, uint32_t nx, uint32_t ny, uint32_t nz)
{
	size_t plane = (size_t)nx * ny;
	for (uint32_t z = 1; z + 1 < nz; z++)
		for (uint32_t y = 1; y + 1 < ny; y++)
			for (uint32_t x = 1; x + 1 < nx; x++) {
				size_t i = z * plane + (size_t)y * nx + x;
				float sum = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
				            in[i - plane] + in[i + plane];
				out[i] = c1 * sum - c0 * in[i];
			}
}

void wl_stencil(struct wl *w)
{
	uint32_t nx = wl_pick(w, 128, 256, 256), ny = wl_pick(w, 64, 64, 96),
		 nz = wl_pick(w, 16, 24, 48);
	size_t n = (size_t)nx * ny * nz;
	struct simt_buffer *a[2] = {wl_upload_random(w, n, 0, 1), simt_alloc(&w->g, 4 * n)};
	float *want[2] = {wl_host(w, n, sizeof **want), wl_host(w, n, sizeof **want)};
	if (w->g.status != CT_OK)
		return;
	for (size_t i = 0; i < n; i++)
		want[0][i] = want[1][i] = wl_floats(a[1])[i] = wl_floats(a[0])[i];
	simt_h2d(&w->g, a[1]);
	struct kb *k = kernel(&w->g);
	struct simt_dims grid = {wl_ceil(nx - 2, BLOCK), ny - 2, nz - 2};
	uint32_t steps = 4;
	for (uint32_t s = 0; s < steps; s++) {
		WL_LAUNCH(w, k, grid, simt_1d(nx - 2 < BLOCK ? (nx + 29) / 32 * 32 : BLOCK), 0,
		          a[s & 1]->address, a[~s & 1]->address, nx, nx * ny, nx - 2);
		step(want[s & 1], want[~s & 1], nx, ny, nz);
	}
	wl_check_floats(w, "grid", wl_floats(a[steps & 1]), want[steps & 1], n, 1e-5f);
}
