/* A working set read again and again; tracegen(1), WORKINGSET, defines every
 * parameter. One launch is one pass: L1 caches start cold where the GPU flushes them
 * between kernels, the LLC keeps what fits. */
#include "tracegen/workload.h"

enum { BLOCK = 256, UNROLL = 4 };

/* sum += x, then `intensity` dependent FFMAs, one chain per element. */
static val compute(struct kb *k, val x, uint64_t intensity)
{
	for (uint64_t i = 0; i < intensity; i++)
		x = k_mad(k, x, k_float(k, 0.5f), k_float(k, 0.25f));
	return x;
}

static float compute_host(float x, uint64_t intensity)
{
	for (uint64_t i = 0; i < intensity; i++)
		x = (float)((double)x * 0.5 + 0.25);
	return x;
}

/* Arguments: data, out (a float per thread), sharers of a slice, its elements. */
static struct kb *kernel(struct simt_run *g, const struct workingset_options *o)
{
	struct kb *k = k_begin(g, "workingset");
	val tid = k_tid(k, 0), cta = k_ctaid(k, 0);
	val n = k_arg_int(k, 3);
	val slice = k_udiv(k, cta, k_arg_int(k, 2));
	val first = k_mad(k, k_as(k, slice, T_S32), n, tid);
	val p = k_var(k, k_elem(k, k_arg_ptr(k, 0), first, (int32_t)o->stride));
	val sum = k_var(k, k_float(k, 0));
	int32_t step = BLOCK * (int32_t)o->stride;
	/* Four loads in flight per thread, then the rest one by one. */
	val i = k_var(k, tid);
	val last = k_addi(k, n, -(UNROLL - 1) * BLOCK);
	for (int unroll = UNROLL; unroll >= 1; unroll -= UNROLL - 1) {
		val end = unroll == 1 ? n : last;
		k_if(k, k_setp(k, CMP_LT, i, end));
		k_loop(k);
		val x[UNROLL];
		for (int u = 0; u < unroll; u++)
			x[u] = k_ldg(k, M_32, T_F32, p, u * step);
		for (int u = 0; u < unroll; u++)
			k_set(k, sum, k_add(k, sum, compute(k, x[u], o->intensity)));
		k_set(k, i, k_addi(k, i, unroll * BLOCK));
		k_set(k, p, k_addi(k, p, unroll * step));
		k_endloop(k, k_setp(k, CMP_LT, i, end));
		k_endif(k);
	}
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 1), k_madi(k, cta, BLOCK, tid), 4), 0, sum);
	k_finish(k);
	return k;
}

/* The sums of one CTA's threads in the order of the kernel. */
static void reference(const struct simt_buffer *data, const struct workingset_options *o, uint64_t slice,
                      uint64_t elements, float want[BLOCK])
{
	for (uint64_t t = 0; t < BLOCK; t++) {
		want[t] = 0;
		for (uint64_t i = t; i < elements; i += BLOCK) {
			const float *x = (const float *)(data->p + (slice * elements + i) * o->stride);
			want[t] += compute_host(*x, o->intensity);
		}
	}
}

static void defaults(struct wl *w, struct workingset_options *o)
{
	*o = w->workingset;
	if (!o->footprint)
		o->footprint = (uint64_t)wl_pick(w, 1, 9, 36) << 20;
	if (!o->ctas)
		o->ctas = wl_pick(w, 128, 816, 1632);
	if (!o->sharing)
		o->sharing = 2;
	if (!o->stride)
		o->stride = 4;
	if (!o->intensity)
		o->intensity = 2;
	if (!o->passes)
		o->passes = wl_pick(w, 2, 4, 3);
}

static int valid(struct wl *w, const struct workingset_options *o)
{
	const char *wrong = NULL;
	if (o->stride % 4 != 0 || o->stride > 1 << 16)
		wrong = "--stride: give a multiple of 4 bytes, at most 64KiB";
	else if (o->ctas % o->sharing != 0)
		wrong = "--ctas must be a multiple of --sharing";
	else if (o->footprint > (uint64_t)1 << 32 || o->ctas > 1 << 20 || o->intensity > 4096)
		wrong = "--footprint at most 4GiB, --ctas at most 1048576, --intensity at most 4096";
	else if (o->passes > 1 << 20)
		wrong = "--passes: at most 1048576 launches";
	else if (o->footprint / (o->ctas / o->sharing) / o->stride == 0)
		wrong = "--footprint is less than one element per slice: fewer --ctas or a smaller --stride";
	if (wrong)
		simt_fail(&w->g, CT_ERR_USAGE, "%s", wrong);
	return !wrong;
}

void wl_workingset(struct wl *w)
{
	struct workingset_options o;
	defaults(w, &o);
	if (!valid(w, &o))
		return;
	uint64_t slices = o.ctas / o.sharing, elements = o.footprint / slices / o.stride;
	size_t bytes = (size_t)(slices * elements * o.stride);
	struct simt_buffer *data = simt_alloc(&w->g, bytes);
	struct simt_buffer *out = simt_alloc(&w->g, (size_t)o.ctas * BLOCK * 4);
	if (w->g.status != CT_OK)
		return;
	float want[BLOCK];
	for (size_t i = 0; i + o.stride <= bytes; i += o.stride)
		*(float *)(data->p + i) = wl_between(w, -1, 1);
	simt_h2d(&w->g, data);
	struct kb *k = kernel(&w->g, &o);
	for (uint64_t pass = 0; pass < o.passes && w->g.status == CT_OK; pass++)
		WL_LAUNCH(w, k, simt_1d((uint32_t)o.ctas), simt_1d(BLOCK), 0, data->address,
		          out->address, o.sharing, elements);
	for (uint64_t cta = 0; cta < o.ctas && w->g.status == CT_OK; cta++) {
		reference(data, &o, cta / o.sharing, elements, want);
		wl_check_floats(w, "sum", (const float *)out->p + cta * BLOCK, want, BLOCK, 0);
	}
}
