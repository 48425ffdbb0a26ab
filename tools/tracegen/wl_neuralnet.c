/* The small neural net of the ISPASS suite: four layers that recognise digits on 29x29
 * images, a thread per neuron. */
#include <math.h>

#include "tracegen/data.h"

enum {
	SIDE = 29,
	PIXELS = SIDE * SIDE,
	MAPS1 = 6,
	SIDE1 = 13,
	N1 = MAPS1 * SIDE1 * SIDE1,
	MAPS2 = 50,
	SIDE2 = 5,
	N2 = MAPS2 * SIDE2 * SIDE2,
	N3 = 100,
	N4 = 10,
	FILTER = 5,
	TAPS = FILTER * FILTER
};

/* 1.7159 tanh(2x/3), by an exponential. */
static val squash(struct kb *k, val x)
{
	val e = k_exp(k, k_mul(k, x, k_float(k, -4.0f / 3)));
	val s = k_rcp(k, k_add(k, e, k_float(k, 1)));
	return k_mad(k, s, k_float(k, 2 * 1.7159f), k_float(k, -1.7159f));
}

/* A convolution with stride 2: CTA (map, image), thread = neuron of the map. Each map has a
 * bias and TAPS weights per input map. Arguments: input, weights, output. */
static struct kb *filter_kernel(struct simt_run *g, const char *name, int in_maps, int in_side,
                                int out_maps, int out_side)
{
	struct kb *k = k_begin(g, name);
	int weights = 1 + TAPS * in_maps, in_size = in_maps * in_side * in_side;
	val tx = k_tid(k, 0), ty = k_tid(k, 1), map = k_ctaid(k, 0), image = k_ctaid(k, 1);
	val w = k_var(k, k_elem(k, k_arg_ptr(k, 1), map, 4 * weights));
	val sum = k_var(k, k_ldg(k, M_32, T_F32, w, 0));
	val row = k_shli(k, ty, 1), first = k_madi(k, row, in_side, k_shli(k, tx, 1));
	val p = k_var(k, k_elem(k, k_arg_ptr(k, 0), k_madi(k, image, in_size, first), 4));
	k_for(k, k_int(k, 0), k_int(k, in_maps), 1);
	for (int i = 0; i < TAPS; i++) {
		val x = k_ldg(k, M_32, T_F32, p, 4 * (i / FILTER * in_side + i % FILTER));
		val weight = k_ldg(k, M_32, T_F32, w, 4 + 4 * i);
		k_set(k, sum, k_mad(k, x, weight, sum));
	}
	k_set(k, p, k_addi(k, p, 4 * in_side * in_side));
	k_set(k, w, k_addi(k, w, 4 * TAPS));
	k_endfor(k);
	val neuron = k_madi(k, ty, out_side, tx), of_map = k_madi(k, map, out_side * out_side, neuron);
	val at = k_madi(k, image, out_maps * out_side * out_side, of_map);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), at, 4), 0, squash(k, sum));
	k_finish(k);
	return k;
}

/* All inputs to one neuron: CTA (neuron, image) of a single thread, as in the original.
 * Arguments: input, weights, output. */
static struct kb *full_kernel(struct simt_run *g, const char *name, int inputs, int outputs)
{
	struct kb *k = k_begin(g, name);
	val neuron = k_ctaid(k, 0), image = k_ctaid(k, 1);
	val w = k_var(k, k_elem(k, k_arg_ptr(k, 1), neuron, 4 * (1 + inputs)));
	val p = k_var(k, k_elem(k, k_arg_ptr(k, 0), image, 4 * inputs)),
	    sum = k_var(k, k_ldg(k, M_32, T_F32, w, 0));
	/* Unrolled by five, which divides both layers' inputs. */
	k_for(k, k_int(k, 0), k_int(k, inputs), 5);
	for (int i = 0; i < 5; i++) {
		val x = k_ldg(k, M_32, T_F32, p, 4 * i), weight = k_ldg(k, M_32, T_F32, w, 4 + 4 * i);
		k_set(k, sum, k_mad(k, x, weight, sum));
	}
	k_set(k, p, k_addi(k, p, 20));
	k_set(k, w, k_addi(k, w, 20));
	k_endfor(k);
	val at = k_madi(k, image, outputs, neuron);
	k_stg(k, M_32, k_elem(k, k_arg_ptr(k, 2), at, 4), 0, squash(k, sum));
	k_finish(k);
	return k;
}

static float squash_host(double x)
{
	return (float)(1.7159 * tanh(x * 2 / 3));
}

static void filter_host(const float *in, const float *w, float *out, int in_maps, int in_side,
                        int out_maps, int out_side)
{
	for (int m = 0; m < out_maps; m++)
		for (int n = 0; n < out_side * out_side; n++) {
			const float *weight = w + m * (1 + TAPS * in_maps);
			double sum = (double)weight[0];
			for (int i = 0; i < in_maps * TAPS; i++) {
				int y = 2 * (n / out_side) + i % TAPS / FILTER,
				    x = 2 * (n % out_side) + i % FILTER;
				sum += (double)weight[1 + i] *
				       (double)in[(i / TAPS * in_side + y) * in_side + x];
			}
			out[m * out_side * out_side + n] = squash_host(sum);
		}
}

static void full_host(const float *in, const float *w, float *out, int inputs, int outputs)
{
	for (int o = 0; o < outputs; o++) {
		double sum = (double)w[o * (1 + inputs)];
		for (int i = 0; i < inputs; i++)
			sum += (double)w[o * (1 + inputs) + 1 + i] * (double)in[i];
		out[o] = squash_host(sum);
	}
}

void wl_neuralnet(struct wl *w)
{
	static const int sizes[5] = {PIXELS, N1, N2, N3, N4};
	static const int weights[4] = {
		MAPS1 * (1 + TAPS), MAPS2 * (1 + TAPS * MAPS1), N3 * (1 + N2), N4 * (1 + N3)};
	uint32_t images = wl_pick(w, 1, 3, 10);
	struct simt_buffer *layer[5], *weight[4];
	float *want[5];
	for (int i = 0; i < 5; i++) {
		layer[i] = i ? simt_alloc(&w->g, 4 * (size_t)sizes[i] * images)
		             : wl_upload_random(w, (size_t)PIXELS * images, -1, 1);
		want[i] = wl_host(w, (size_t)sizes[i], 4);
	}
	for (int i = 0; i < 4; i++) {
		float scale = i < 2 ? 0.2f : 0.05f;
		weight[i] = wl_upload_random(w, (size_t)weights[i], -scale, scale);
	}
	if (w->g.status != CT_OK)
		return;
	WL_LAUNCH(w, filter_kernel(&w->g, "nn_first_layer", 1, SIDE, MAPS1, SIDE1),
	          simt_2d(MAPS1, images), simt_2d(SIDE1, SIDE1), 0, layer[0]->address,
	          weight[0]->address, layer[1]->address);
	WL_LAUNCH(w, filter_kernel(&w->g, "nn_second_layer", MAPS1, SIDE1, MAPS2, SIDE2),
	          simt_2d(MAPS2, images), simt_2d(SIDE2, SIDE2), 0, layer[1]->address,
	          weight[1]->address, layer[2]->address);
	WL_LAUNCH(w, full_kernel(&w->g, "nn_third_layer", N2, N3), simt_2d(N3, images), simt_1d(1), 0,
	          layer[2]->address, weight[2]->address, layer[3]->address);
	WL_LAUNCH(w, full_kernel(&w->g, "nn_fourth_layer", N3, N4), simt_2d(N4, images), simt_1d(1), 0,
	          layer[3]->address, weight[3]->address, layer[4]->address);
	for (uint32_t i = 0; i < images && w->g.status == CT_OK; i++) {
		filter_host(wl_floats(layer[0]) + i * PIXELS, wl_floats(weight[0]), want[1], 1, SIDE,
		            MAPS1, SIDE1);
		filter_host(want[1], wl_floats(weight[1]), want[2], MAPS1, SIDE1, MAPS2, SIDE2);
		full_host(want[2], wl_floats(weight[2]), want[3], N2, N3);
		full_host(want[3], wl_floats(weight[3]), want[4], N3, N4);
		wl_check_floats(w, "neuron", wl_floats(layer[2]) + i * N2, want[2], N2, 1e-4f);
		wl_check_floats(w, "digit", wl_floats(layer[4]) + i * N4, want[4], N4, 1e-4f);
	}
}
