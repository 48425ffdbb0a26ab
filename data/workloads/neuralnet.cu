/* neuralnet - the small neural net of the ISPASS suite: four layers that recognise digits on images of 29 x 29, a
 * thread per neuron. */
#include <math.h>

#include "inputs.h"

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
	TAPS = FILTER * FILTER,
	LAYERS = 4
};

#ifdef __CUDACC__
/* 1.7159 tanh(2x/3), by an exponential. */
static __device__ float squash(float x)
{
	return 2 * 1.7159f / (1.0f + __expf(x * (-4.0f / 3))) - 1.7159f;
}

/* A convolution with stride 2: CTA (map, image), a thread is a neuron of the map. Each map has a bias and TAPS
 * weights per input map. */
template <int in_maps, int in_side, int out_maps, int out_side>
static __device__ void filter_layer(const float *in, const float *weights, float *out)
{
	int tx = threadIdx.x, ty = threadIdx.y, map = blockIdx.x, image = blockIdx.y;
	const float *w = weights + map * (1 + TAPS * in_maps);
	const float *p = in + image * in_maps * in_side * in_side + 2 * ty * in_side + 2 * tx;
	float sum = w[0];
	for (int m = 0; m < in_maps; m++)
#pragma unroll
		for (int i = 0; i < TAPS; i++)
			sum += p[m * in_side * in_side + i / FILTER * in_side + i % FILTER] * w[1 + m * TAPS + i];
	out[(image * out_maps + map) * out_side * out_side + ty * out_side + tx] = squash(sum);
}

/* All inputs to one neuron: CTA (neuron, image) of a single thread, as in the original. */
template <int inputs, int outputs>
static __device__ void full_layer(const float *in, const float *weights, float *out)
{
	const float *w = weights + blockIdx.x * (1 + inputs), *p = in + blockIdx.y * inputs;
	float sum = w[0];
	for (int i = 0; i < inputs; i++)
		sum += p[i] * w[1 + i];
	out[blockIdx.y * outputs + blockIdx.x] = squash(sum);
}

extern "C" __global__ void nn_first_layer(const float *in, const float *weights, float *out)
{
	filter_layer<1, SIDE, MAPS1, SIDE1>(in, weights, out);
}

extern "C" __global__ void nn_second_layer(const float *in, const float *weights, float *out)
{
	filter_layer<MAPS1, SIDE1, MAPS2, SIDE2>(in, weights, out);
}

extern "C" __global__ void nn_third_layer(const float *in, const float *weights, float *out)
{
	full_layer<N2, N3>(in, weights, out);
}

extern "C" __global__ void nn_fourth_layer(const float *in, const float *weights, float *out)
{
	full_layer<N3, N4>(in, weights, out);
}
#endif

static float squash_host(double x)
{
	return (float)(1.7159 * tanh(x * 2 / 3));
}

static void filter_host(const float *in, const float *w, float *out, int in_maps, int in_side, int out_maps,
                        int out_side)
{
	for (int m = 0; m < out_maps; m++)
		for (int n = 0; n < out_side * out_side; n++) {
			const float *weight = w + m * (1 + TAPS * in_maps);
			double sum = (double)weight[0];
			for (int i = 0; i < in_maps * TAPS; i++) {
				int y = 2 * (n / out_side) + i % TAPS / FILTER;
				int x = 2 * (n % out_side) + i % FILTER;
				sum += (double)weight[1 + i] * (double)in[(i / TAPS * in_side + y) * in_side + x];
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

static const uint32_t neurons[LAYERS + 1] = {PIXELS, N1, N2, N3, N4};
static const uint32_t weight_count[LAYERS] = {MAPS1 * (1 + TAPS), MAPS2 * (1 + TAPS * MAPS1), N3 * (1 + N2),
                                              N4 * (1 + N3)};

static void reference(float *const layer[LAYERS + 1], float *const w[LAYERS])
{
	filter_host(layer[0], w[0], layer[1], 1, SIDE, MAPS1, SIDE1);
	filter_host(layer[1], w[1], layer[2], MAPS1, SIDE1, MAPS2, SIDE2);
	full_host(layer[2], w[2], layer[3], N2, N3);
	full_host(layer[3], w[3], layer[4], N3, N4);
}

APP(neuralnet)
{
	uint32_t images = app_pick(a, 3, 3, 24, 28);
	float *weight[LAYERS], *want[LAYERS + 1], *got[LAYERS + 1];
	void *weights[LAYERS], *layer[LAYERS + 1];
	for (int i = 0; i <= LAYERS; i++) {
		got[i] = (float *)app_host(a, (size_t)neurons[i] * images, sizeof **got);
		want[i] = (float *)app_host(a, neurons[i], sizeof **want);
		if (i == 0)
			app_fill(a, got[0], (size_t)PIXELS * images, -1, 1);
		layer[i] = app_upload(a, "layer", got[i], sizeof **got * neurons[i] * images);
	}
	for (int i = 0; i < LAYERS; i++) {
		weight[i] = input_floats(a, weight_count[i], i < 2 ? -0.2f : -0.05f, i < 2 ? 0.2f : 0.05f);
		weights[i] = app_upload(a, "weights", weight[i], sizeof **weight * weight_count[i]);
	}
	APP_LAUNCH(a, nn_first_layer, app_2d(MAPS1, images), app_2d(SIDE1, SIDE1), 0, &layer[0], &weights[0],
	           &layer[1]);
	APP_LAUNCH(a, nn_second_layer, app_2d(MAPS2, images), app_2d(SIDE2, SIDE2), 0, &layer[1], &weights[1],
	           &layer[2]);
	APP_LAUNCH(a, nn_third_layer, app_2d(N3, images), app_1d(1), 0, &layer[2], &weights[2], &layer[3]);
	APP_LAUNCH(a, nn_fourth_layer, app_2d(N4, images), app_1d(1), 0, &layer[3], &weights[3], &layer[4]);
	for (int i = 1; i <= LAYERS; i++)
		app_to_host(a, got[i], layer[i], sizeof **got * neurons[i] * images);
	for (uint32_t i = 0; i < images; i++) {
		memcpy(want[0], got[0] + i * PIXELS, sizeof **want * PIXELS);
		reference(want, weight);
		app_check_floats(a, "neuron", got[2] + i * N2, want[2], N2, 1e-4f);
		app_check_floats(a, "digit", got[4] + i * N4, want[4], N4, 1e-4f);
	}
}
