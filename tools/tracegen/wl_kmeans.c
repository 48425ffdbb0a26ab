/* k-means clustering as in Rodinia: the features are transposed once, then a thread per point
 * finds the nearest centre and the host moves the centres. */
#include "tracegen/data.h"

enum { BLOCK = 256, CLUSTERS = 5 };

/* Arguments: features by point, features by feature, points, features. */
static struct kb *transpose_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "kmeans_swap");
	val i = k_gid(k), n = k_arg_int(k, 2), features = k_arg_int(k, 3);
	k_exit_if(k, k_setp(k, CMP_GE, i, n));
	val f = k_for(k, k_int(k, 0), features, 1);
	val x = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), k_mad(k, i, features, f), 4), 0);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), k_mad(k, f, n, i), 4), 0, x);
	k_endfor(k);
	k_finish(k);
	return k;
}

/* Arguments: features by feature, centres, membership, points, features, clusters. */
static struct kb *nearest_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "kmeans_nearest");
	val i = k_gid(k), n = k_arg_int(k, 3), features = k_arg_int(k, 4);
	k_exit_if(k, k_setp(k, CMP_GE, i, n));
	val best = k_var(k, k_float(k, 3.4e38f)), index = k_var(k, k_int(k, 0));
	val c = k_for(k, k_int(k, 0), k_arg_int(k, 5), 1);
	val sum = k_var(k, k_float(k, 0));
	val f = k_for(k, k_int(k, 0), features, 1);
	val x = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), k_mad(k, f, n, i), 4), 0);
	val m = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 1), k_mad(k, c, features, f), 4), 0);
	val d = k_sub(k, x, m);
	k_set(k, sum, k_mad(k, d, d, sum));
	k_endfor(k);
	k_when(k, k_setp(k, CMP_LT, sum, best));
	k_set(k, best, sum);
	k_set(k, index, c);
	k_endwhen(k);
	k_endfor(k);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), i, 4), 0, index);
	k_finish(k);
	return k;
}

/* Nearest centre with the kernel's rounding: ties must fall the same way. */
static uint32_t nearest(const float *x, const float *centre, uint32_t features)
{
	float best = 3.4e38f;
	uint32_t index = 0;
	for (uint32_t c = 0; c < CLUSTERS; c++) {
		float sum = 0;
		for (uint32_t f = 0; f < features; f++) {
			float d = x[f] - centre[c * features + f];
			sum = (float)((double)d * (double)d + (double)sum);
		}
		if (sum < best) {
			best = sum;
			index = c;
		}
	}
	return index;
}

static void move_centres(const float *x, const uint32_t *member, uint32_t n, uint32_t features,
                         double *sum, float *centre)
{
	uint32_t size[CLUSTERS] = {0};
	for (uint32_t j = 0; j < CLUSTERS * features; j++)
		sum[j] = 0;
	for (uint32_t i = 0; i < n; i++) {
		size[member[i]]++;
		for (uint32_t f = 0; f < features; f++)
			sum[member[i] * features + f] += (double)x[i * features + f];
	}
	for (uint32_t j = 0; j < CLUSTERS * features; j++)
		if (size[j / features])
			centre[j] =
				(float)(sum[j] /
			                size[j /
			                     features]); /* NOLINT(bugprone-integer-division): a cluster */
}

void wl_kmeans(struct wl *w)
{
	uint32_t n = wl_pick(w, 3000, 8000, 24000) + 11, features = 34;
	size_t cells = (size_t)n * features;
	struct simt_buffer *x = simt_alloc(&w->g, 4 * cells), *swapped = simt_alloc(&w->g, 4 * cells);
	struct simt_buffer *centre = simt_alloc(&w->g, 4 * CLUSTERS * features);
	struct simt_buffer *member = simt_alloc(&w->g, 4 * (size_t)n);
	double *sum = wl_host(w, CLUSTERS * features, sizeof *sum);
	uint32_t *want = wl_host(w, n, sizeof *want);
	if (w->g.status != CT_OK)
		return;
	/* Points around CLUSTERS far corners. */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t home = wl_below(w, CLUSTERS);
		for (uint32_t f = 0; f < features; f++)
			wl_floats(x)[i * features + f] = (float)((home + f) % CLUSTERS) +
			                                 wl_between(w, -2, 2);
	}
	for (uint32_t j = 0; j < CLUSTERS * features; j++)
		wl_floats(centre)[j] = wl_floats(x)[j];
	simt_h2d(&w->g, x);
	struct simt_dims grid = simt_1d(wl_ceil(n, BLOCK)), block = simt_1d(BLOCK);
	WL_LAUNCH(w, transpose_kernel(&w->g), grid, block, 0, x->address, swapped->address, n, features);
	struct kb *k = nearest_kernel(&w->g);
	for (uint32_t round = 0; round < 3 && w->g.status == CT_OK; round++) {
		simt_h2d(&w->g, centre);
		WL_LAUNCH(w, k, grid, block, 0, swapped->address, centre->address, member->address, n,
		          features, CLUSTERS);
		for (uint32_t i = 0; i < n; i++)
			want[i] = nearest(wl_floats(x) + (size_t)i * features, wl_floats(centre),
			                  features);
		wl_check_words(w, "membership", wl_words(member), want, n);
		if (w->g.status == CT_OK)
			move_centres(wl_floats(x), wl_words(member), n, features, sum,
			             wl_floats(centre));
	}
}
