/* A training step of a two-layer perceptron as in Rodinia: the forward pass of the input
 * layer, and the correction of its weights, on the GPU; the rest on the host. */
#include <math.h>

#include "tracegen/data.h"

enum { HIDDEN = 16, ROWS = 16, SH_W = ROWS * 4, SH_BYTES = SH_W + ROWS * HIDDEN * 4 };

static const float rate = 0.3f, momentum = 0.3f;

/* CTA y covers input units 16y+1 .. 16y+16, thread (x, y) weight of hidden unit x+1.
 * Weights are (inputs + 1) x (HIDDEN + 1). */
static val weight_index(struct kb *k, val tx, val ty)
{
	val row = k_addi(k, k_madi(k, k_ctaid(k, 1), ROWS, ty), 1);
	return k_addi(k, k_madi(k, row, HIDDEN + 1, tx), 1);
}

/* Partial sums of a CTA's 16 inputs for every hidden unit. Arguments: input, weights, partial. */
static struct kb *forward_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "backprop_forward");
	val tx = k_tid(k, 0), ty = k_tid(k, 1), by = k_ctaid(k, 1);
	val unit = k_addi(k, k_madi(k, by, ROWS, ty), 1);
	val weight = k_elem(k, k_arg_ptr(k, 1), weight_index(k, tx, ty), 4);
	val at = k_shli(k, k_madi(k, ty, HIDDEN, tx), 2), in_at = k_shli(k, ty, 2);
	k_if(k, k_setpi(k, CMP_EQ, tx, 0));
	k_sts(k, M_32, in_at, 0, k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), unit, 4), 0));
	k_endif(k);
	k_bar(k);
	k_sts(k, M_32, at, SH_W, k_ldg(k, M_32, T_F32, weight, 0));
	k_bar(k);
	val x = k_lds(k, M_32, T_F32, in_at, 0), v = k_lds(k, M_32, T_F32, at, SH_W);
	k_sts(k, M_32, at, SH_W, k_mul(k, v, x));
	k_bar(k);
	for (int power = 2; power <= ROWS; power *= 2) {
		k_if(k, k_setpi(k, CMP_EQ, k_andi(k, ty, (uint32_t)power - 1), 0));
		val mine = k_lds(k, M_32, T_F32, at, SH_W);
		val other = k_lds(k, M_32, T_F32, at, SH_W + power / 2 * HIDDEN * 4);
		k_sts(k, M_32, at, SH_W, k_add(k, mine, other));
		k_endif(k);
		k_bar(k);
	}
	k_stg(k, M_32, weight, 0, k_lds(k, M_32, T_F32, at, SH_W));
	k_bar(k);
	k_if(k, k_setpi(k, CMP_EQ, tx, 0));
	val sum = k_lds(k, M_32, T_F32, k_shli(k, ty, 2), SH_W);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), k_madi(k, by, HIDDEN, ty), 4), 0, sum);
	k_endif(k);
	k_finish(k);
	return k;
}

/* w += rate * delta * x + momentum * old; old = that step. Arguments: delta, input, weights, old. */
static struct kb *adjust_kernel(struct simt_run *g)
{
	struct kb *k = k_begin(g, "backprop_adjust");
	val tx = k_tid(k, 0), ty = k_tid(k, 1), by = k_ctaid(k, 1);
	val unit = k_addi(k, k_madi(k, by, ROWS, ty), 1), index = weight_index(k, tx, ty);
	val weight = k_elem(k, k_arg_ptr(k, 2), index, 4), old = k_elem(k, k_arg_ptr(k, 3), index, 4);
	val delta = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 0), tx, 4), 4);
	val x = k_ldg(k, M_32, T_F32, k_elem(k, k_arg_ptr(k, 1), unit, 4), 0);
	val was = k_ldg(k, M_32, T_F32, old, 0), now = k_ldg(k, M_32, T_F32, weight, 0);
	val step = k_mul(k, k_mul(k, delta, k_float(k, rate)), x);
	val change = k_mad(k, was, k_float(k, momentum), step);
	k_stg(k, M_32, weight, 0, k_add(k, now, change));
	k_stg(k, M_32, old, 0, change);
	k_bar(k);
	/* The bias row has no CTA of its own. */
	val first = k_setpi(k, CMP_EQ, k_or(k, ty, by), 0);
	k_if(k, first);
	val bias = k_elem(k, k_arg_ptr(k, 2), tx, 4), old_bias = k_elem(k, k_arg_ptr(k, 3), tx, 4);
	val b = k_ldg(k, M_32, T_F32, bias, 4), ob = k_ldg(k, M_32, T_F32, old_bias, 4);
	val bias_change = k_mad(k, ob, k_float(k, momentum), k_mul(k, delta, k_float(k, rate)));
	k_stg(k, M_32, bias, 4, k_add(k, b, bias_change));
	k_stg(k, M_32, old_bias, 4, bias_change);
	k_endif(k);
	k_finish(k);
	return k;
}

/* The host's half between the kernels: hidden units, their errors. */
static void hidden_deltas(const float *partial, const float *bias, uint32_t ctas, float *delta)
{
	for (uint32_t h = 1; h <= HIDDEN; h++) {
		double sum = (double)bias[h];
		for (uint32_t c = 0; c < ctas; c++)
			sum += (double)partial[c * HIDDEN + h - 1];
		/* A bounded squash keeps libm out of values that the kernels read. */
		double out = sum / (1 + fabs(sum));
		delta[h] = (float)((1 - out * out) * (0.1 * h - out));
	}
}

static void check(struct wl *w, const float *in, const float *delta, const float *before,
                  const float *got, const float *got_old, float *want, float *want_old, uint32_t n)
{
	for (uint32_t i = 0; i <= n; i++)
		for (uint32_t h = 1; h <= HIDDEN; h++) {
			size_t at = (size_t)i * (HIDDEN + 1) + h;
			want_old[at] = rate * delta[h] * (i ? in[i] : 1.0f);
			want[at] = before[at] + want_old[at];
		}
	wl_check_floats(w, "weight", got, want, ((size_t)n + 1) * (HIDDEN + 1), 1e-5f);
	wl_check_floats(w, "change", got_old, want_old, ((size_t)n + 1) * (HIDDEN + 1), 1e-5f);
}

void wl_backprop(struct wl *w)
{
	uint32_t n = wl_pick(w, 8192, 32768, 131072), ctas = n / ROWS;
	size_t weights = ((size_t)n + 1) * (HIDDEN + 1);
	struct simt_buffer *in = wl_upload_random(w, n + 1, 0, 1);
	struct simt_buffer *weight = wl_upload_random(w, weights, -0.05f, 0.05f);
	struct simt_buffer *partial = simt_alloc(&w->g, 4 * (size_t)ctas * HIDDEN);
	struct simt_buffer *delta = simt_alloc(&w->g, 4 * (HIDDEN + 1));
	struct simt_buffer *old = simt_alloc(&w->g, 4 * weights);
	float *before = wl_host(w, weights, 4), *want = wl_host(w, weights, 4);
	float *want_old = wl_host(w, weights, 4), *sums = wl_host(w, (size_t)ctas * HIDDEN, 4);
	if (w->g.status != CT_OK)
		return;
	for (size_t i = 0; i < weights; i++)
		before[i] = i % (HIDDEN + 1) ? wl_floats(weight)[i] : 0;
	WL_LAUNCH(w, forward_kernel(&w->g), simt_2d(1, ctas), simt_2d(HIDDEN, ROWS), SH_BYTES,
	          in->address, weight->address, partial->address);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t h = 0; h < HIDDEN; h++)
			sums[i / ROWS * HIDDEN + h] += wl_floats(in)[i + 1] *
			                               before[(size_t)(i + 1) * (HIDDEN + 1) + h + 1];
	wl_check_floats(w, "partial", wl_floats(partial), sums, (size_t)ctas * HIDDEN, 1e-5f);
	if (w->g.status != CT_OK)
		return;
	hidden_deltas(wl_floats(partial), before, ctas, wl_floats(delta));
	/* The forward pass used the weights' memory; the original copies them again too. */
	for (size_t i = 0; i < weights; i++)
		wl_floats(weight)[i] = before[i];
	simt_h2d(&w->g, delta);
	simt_h2d(&w->g, weight);
	simt_h2d(&w->g, old);
	WL_LAUNCH(w, adjust_kernel(&w->g), simt_2d(1, ctas), simt_2d(HIDDEN, ROWS), 0, delta->address,
	          in->address, weight->address, old->address);
	check(w, wl_floats(in), wl_floats(delta), before, wl_floats(weight), wl_floats(old), want,
	      want_old, n);
}
