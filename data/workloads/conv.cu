/* conv - a 3 x 3 convolution as an implicit matrix product on tensor cores, as DeepBench asks of a library: pixels x taps
 * times taps x filters, where the channels of a pixel lie side by side. For sm_80, and of size paper for sm_75, the GPU of the
 * paper that names it. */
#include "turing.h"

enum { SIZE = 3, TAPS = SIZE * SIZE, PAD = 1 };
enum { CHANNELS = 128, STAGES = CHANNELS / TENSOR_DEPTH /* of a tap */ }; /* of size paper */

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

/* The channels of a pixel outside the image. */
static __device__ __align__(16) uint16_t nothing[CHANNELS];

/* The pieces of the pixels' neighbours beside those of the weights; a round is a tap. Pixels of a thread are PIXELS apart. A
 * library has a kernel for each number of channels, and so has this: where a stage lies in its tap is known to the compiler. */
struct conv_from : turing_columns<64, STAGES> {
	enum { PIECES = 4, PIXELS = TURING_ROWS / PIECES };
	const uint16_t *input; /* at the tap of the first pixel */
	const uint16_t *pixel[PIECES];
	int x[PIECES], y[PIECES]; /* of the tap */
	int side, tap_x;

	__device__ conv_from(const uint16_t *in, const uint16_t *weights, int pixels, int side_, int filters)
	    : turing_columns<64, STAGES>(weights, filters, TAPS * CHANNELS), side(side_), tap_x(0)
	{
		int first = blockIdx.y * TURING_ROWS + threadIdx.x / 4;
		for (int i = 0; i < PIECES; i++) {
			x[i] = (first + i * PIXELS) % side - PAD;
			y[i] = first + i * PIXELS < pixels ? (first + i * PIXELS) / side % side - PAD : -SIZE;
		}
		input = &in[(first - PAD * side - PAD) * CHANNELS];
		find_pixels();
	}

	__device__ void find_pixels()
	{
		for (int i = 0; i < PIECES; i++) {
			bool inside = (unsigned)y[i] < (unsigned)side && (unsigned)x[i] < (unsigned)side;
			pixel[i] = (inside ? &input[i * PIXELS * CHANNELS] : nothing) + threadIdx.x % 4 * TENSOR_PIECE;
		}
	}

	__device__ uint4 a(int i, int k) const
	{
		return *(const uint4 *)(pixel[i] + k * TENSOR_DEPTH);
	}

	/* The next tap is one to the right, or back to the left and one down. */
	__device__ void next()
	{
		turing_columns<64, STAGES>::next();
		int down = ++tap_x == SIZE, right = down ? 1 - SIZE : 1;
		tap_x = down ? 0 : tap_x;
		for (int i = 0; i < PIECES; i++) {
			x[i] += right;
			y[i] += down;
		}
		input += (right + down * side) * CHANNELS;
		find_pixels();
	}
};

/* The same of 128 channels, by 128 pixels and 64 filters a CTA. */
extern "C" __global__ void
conv_implicit_gemm_128x64(const uint16_t *input, const uint16_t *weights, uint16_t *output, int images, int side,
                          int filters)
{
	turing<64, TURING_BY_ROW> p = {};
	int pixels = images * side * side;
	p.product<STAGES>(TAPS, conv_from(input, weights, pixels, side, filters));
	p.store(output, pixels, filters, filters, 1);
}
#endif

/* Whether a pixel's neighbour by that tap lies in the image, and which one it is, in all images. */
static int find_neighbour(uint32_t pixel, uint32_t side, int tap, size_t *neighbour)
{
	int dy = tap / SIZE - PAD, dx = tap % SIZE - PAD;
	int row = (int)(pixel / side % side) + dy, col = (int)(pixel % side) + dx;
	*neighbour = (size_t)((int)pixel + dy * (int)side + dx);
	return row >= 0 && col >= 0 && row < (int)side && col < (int)side;
}

/* The sum of filter f at a pixel, in double. */
static double reference(const float *in, const float *weight, uint32_t pixel, uint32_t side, uint32_t channels,
                        uint32_t f)
{
	double sum = 0;
	size_t from;
	for (int tap = 0; tap < TAPS; tap++) {
		if (!find_neighbour(pixel, side, tap, &from))
			continue;
		for (uint32_t c = 0; c < channels; c++)
			sum += (double)in[from * channels + c] * (double)weight[((size_t)f * TAPS + (size_t)tap) * channels + c];
	}
	return sum;
}

/* The same as the kernel of 128 channels keeps it, a half. */
static float reference_half(const float *in, const float *weight, uint32_t pixel, uint32_t side, uint32_t f)
{
	float sum = 0;
	size_t from;
	for (int tap = 0; tap < TAPS; tap++) {
		if (!find_neighbour(pixel, side, tap, &from))
			continue;
		for (uint32_t c = 0; c < CHANNELS; c += 8)
			sum = turing_add(sum, &in[from * CHANNELS + c], 1, &weight[((size_t)f * TAPS + (size_t)tap) * CHANNELS + c], 1);
	}
	return sum;
}

/* The training set's 3 x 3 convolution of 28 x 28 x 128, batch 16, 128 filters (DeepBench, conv_problems.h). */
static void run_paper(struct app *a)
{
	uint32_t images = 16, side = 28, filters = 128, pixels = images * side * side;
	size_t weights = (size_t)filters * TAPS * CHANNELS, inputs = (size_t)pixels * CHANNELS;
	float *in, *weight, *want = (float *)app_host(a, filters, sizeof *want);
	float *row = (float *)app_host(a, filters, sizeof *row);
	const uint16_t *hi = tensor_halves(a, inputs, 1, &in), *hw = tensor_halves(a, weights, 0.2f, &weight);
	uint16_t *got = (uint16_t *)app_host(a, (size_t)pixels * filters, sizeof *got);
	const void *input = app_upload(a, "input", hi, sizeof *hi * inputs);
	const void *filter = app_upload(a, "weights", hw, sizeof *hw * weights);
	void *output = app_device(a, "output", sizeof *got * pixels * filters);
	APP_LAUNCH(a, conv_implicit_gemm_128x64, app_2d(app_ceil(filters, 64), app_ceil(pixels, TURING_ROWS)),
	           app_1d(TURING_THREADS(64)), 0, &input, &filter, &output, &images, &side, &filters);
	app_to_host(a, got, output, sizeof *got * pixels * filters);
	/* Every 7th pixel: all would take longer than the trace. */
	for (uint32_t p = 0; p < pixels; p += 7) {
		for (uint32_t f = 0; f < filters; f++) {
			want[f] = reference_half(in, weight, p, side, f);
			row[f] = tensor_value(got[(size_t)p * filters + f]);
		}
		app_check_floats(a, "output", row, want, filters, TURING_TOLERANCE);
	}
}

APP(conv)
{
	if (a->size == APP_PAPER) {
		run_paper(a);
		return;
	}
	uint32_t images = app_pick(a, 4, 8, 16, 0), side = app_pick(a, 28, 28, 28, 0);
	uint32_t channels = app_pick(a, 64, 32, 64, 0), filters = app_pick(a, 128, 192, 128, 0);
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
