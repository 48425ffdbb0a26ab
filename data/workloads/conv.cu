/* conv - a 3 x 3 convolution as an implicit matrix product on tensor cores, as DeepBench asks of a library: pixels x taps
 * times taps x filters, where the channels of a pixel lie side by side. For sm_80. */
#include "tensor.h"

enum { SIZE = 3, TAPS = SIZE * SIZE, PAD = 1 };

#ifdef __CUDACC__
/* input: images x side x side x channels; weights: filters x taps x channels; output: pixels x filters. A stage lies within
 * one tap: channels are a multiple of its depth. */
extern "C" __global__ void conv_implicit_gemm(const uint16_t *input, const uint16_t *weights, float *output, int images,
                                              int side, int channels, int filters)
{
	float sum[2][4][4] = {};
	int pixels = images * side * side, first = blockIdx.y * TENSOR_CTA + threadIdx.x / 4, piece = threadIdx.x % 4;
	weights += blockIdx.x * TENSOR_CTA * TAPS * channels;
	tensor_product(sum, TAPS * channels, [=](tensor_stage &stage, int at) {
		int tap = at / channels, dy = tap / SIZE - PAD, dx = tap % SIZE - PAD, c = at % channels;
#pragma unroll
		for (int half = 0; half < TENSOR_CTA; half += TENSOR_CTA / 2) {
			int pixel = first + half, y = pixel / side % side + dy, x = pixel % side + dx;
			bool inside = pixel < pixels && y >= 0 && y < side && x >= 0 && x < side;
			int from = inside ? (pixel + dy * side + dx) * channels + c : 0;
			tensor_copy(&stage[0][tensor_place(threadIdx.x / 4 + half, piece)],
			            input + from + piece * TENSOR_PIECE, inside);
		}
		tensor_copy_rows(stage[1], weights + at, TAPS * channels);
	});
	tensor_store(sum, output, filters, pixels);
}
#endif

/* The sum of filter f at a pixel, in double. */
static double reference(const float *in, const float *weight, uint32_t pixel, uint32_t side, uint32_t channels,
                        uint32_t f)
{
	int y = (int)(pixel / side % side), x = (int)(pixel % side);
	double sum = 0;
	for (int tap = 0; tap < TAPS; tap++) {
		int row = y + tap / SIZE - PAD, col = x + tap % SIZE - PAD;
		if (row < 0 || col < 0 || row >= (int)side || col >= (int)side)
			continue;
		size_t from = (size_t)((int)pixel + (row - y) * (int)side + col - x) * channels;
		for (uint32_t c = 0; c < channels; c++)
			sum += (double)in[from + c] * (double)weight[((size_t)f * TAPS + (size_t)tap) * channels + c];
	}
	return sum;
}

APP(conv)
{
	uint32_t images = app_pick(a, 4, 8, 16, 16), side = app_pick(a, 28, 28, 28, 56);
	uint32_t channels = app_pick(a, 64, 32, 64, 64), filters = app_pick(a, 128, 192, 128, 64);
	uint32_t pixels = images * side * side;
	size_t weights = (size_t)filters * TAPS * channels, inputs = (size_t)pixels * channels;
	float *in, *weight, *want = (float *)app_host(a, filters, sizeof *want);
	const uint16_t *hi = tensor_halves(a, inputs, 1, &in), *hw = tensor_halves(a, weights, 0.2f, &weight);
	float *got = (float *)app_host(a, (size_t)pixels * filters, sizeof *got);
	const void *input = app_upload(a, "input", hi, sizeof *hi * inputs);
	const void *filter = app_upload(a, "weights", hw, sizeof *hw * weights);
	void *output = app_device(a, "output", sizeof *got * pixels * filters);
	APP_LAUNCH(a, conv_implicit_gemm, app_2d(filters / TENSOR_CTA, app_ceil(pixels, TENSOR_CTA)),
	           app_1d(TENSOR_THREADS), 0, &input, &filter, &output, &images, &side, &channels, &filters);
	app_to_host(a, got, output, sizeof *got * pixels * filters);
	/* Every 7th pixel: all would take longer than the trace. */
	for (uint32_t p = 0; p < pixels; p += 7) {
		for (uint32_t f = 0; f < filters; f++)
			want[f] = (float)reference(in, weight, p, side, channels, f);
		app_check_floats(a, "output", got + (size_t)p * filters, want, filters, 1e-4f);
	}
}
