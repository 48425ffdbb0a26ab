/* squeezenet - a fire module of SqueezeNet as Tango's: 1 x 1 squeeze, 1 x 1 and 3 x 3 expand side by side, then
 * pooling, in double precision; scaled but at the paper's size, at which filters of 7 x 7 over a picture come first. A CTA is a
 * column of the picture, a thread a row of it, and each thread makes all filters one after the other: for each it reads all
 * channels again. */
#include "inputs.h"

/* Of the first layer: sides of a filter, of the picture and of what it gives; colours. */
enum { FIRST = 7, PICTURE = 227, FIRST_OUT = 111, PLANES = 3 };

#ifdef __CUDACC__
/* filters x channels x SIZE x SIZE over channels x side x side, zero padded. */
template <int SIZE>
static __device__ __forceinline__ void fire(int channels, int filters, int side, const double *in,
                                            const double *weights, double *output)
{
	int row = threadIdx.x, col = blockIdx.x;
	for (int f = 0; f < filters; f++) {
		double sum = 0;
		for (int c = 0; c < channels; c++)
			for (int y = row - SIZE / 2; y <= row + SIZE / 2; y++)
				for (int x = col - SIZE / 2; x <= col + SIZE / 2; x++)
					if (y >= 0 && x >= 0 && y < side && x < side)
						sum += in[(c * side + y) * side + x] *
						       weights[((f * channels + c) * SIZE + y - row + SIZE / 2) * SIZE +
		                                               x - col + SIZE / 2];
		output[(f * side + row) * side + col] = sum > 0 ? sum : 0;
	}
}

#define FIRE_KERNEL(name, size) \
	extern "C" __global__ void name(int channels, int filters, int side, const double *in, \
	                                const double *weights, double *output) \
	{ \
		fire<size>(channels, filters, side, in, weights, output); \
	}

FIRE_KERNEL(fire_squeeze1x1, 1)
FIRE_KERNEL(fire_expand1x1, 1)
FIRE_KERNEL(fire_expand3x3, 3)

/* Filters of 7 x 7 around every second pixel of three planes of whole numbers, which have side x side pixels; what is summed is
 * whole inside of them. */
extern "C" __global__ void fire_first7x7(int filters, int out, int side, const int *red, const int *green, const int *blue,
                                         const double *weights, double *output)
{
	int row = threadIdx.x, col = blockIdx.x;
	for (int f = 0; f < filters; f++) {
		const double *w = weights + f * PLANES * FIRST * FIRST;
		double sum = 0;
		for (int y = 0; y < FIRST; y++)
			for (int x = 0; x < FIRST; x++) {
				int at = (2 * row + y) * side + 2 * col + x, i = y * FIRST + x;
				sum += red[at] * w[i] + green[at] * w[FIRST * FIRST + i] +
				       blue[at] * w[2 * FIRST * FIRST + i];
			}
		output[(f * out + row) * out + col] = sum > 0 ? sum : 0;
	}
}

/* The largest of 3 x 3 around every second pixel, of all channels one after the other. */
extern "C" __global__ void fire_pool_max3(const double *in, double *output, int channels, int side, int out)
{
	int row = threadIdx.x, col = blockIdx.x;
	if (!(row & col & 1))
		return;
	for (int c = 0; c < channels; c++) {
		double best = 0;
		for (int y = row - 1; y <= row + 1 && y < side; y++)
			for (int x = col - 1; x <= col + 1 && x < side; x++)
				best = fmax(best, in[(c * side + y) * side + x]);
		output[(c * out + row / 2) * out + col / 2] = best;
	}
}
#endif

/* channels x side x side doubles. */
struct fire_tensor {
	uint32_t channels, side;
	void *p;
};

static size_t fire_count(const struct fire_tensor *t)
{
	return (size_t)t->channels * t->side * t->side;
}

static struct fire_tensor fire_tensor(struct app *a, const char *name, uint32_t channels, uint32_t side)
{
	struct fire_tensor t;
	t.channels = channels, t.side = side;
	t.p = app_device(a, name, sizeof(double) * fire_count(&t));
	return t;
}

/* Random numbers between lo and hi. */
static double *fire_numbers(struct app *a, size_t n, float lo, float hi)
{
	float *from = input_floats(a, n, lo, hi);
	double *to = (double *)app_host(a, n, sizeof *to);
	for (size_t i = 0; i < n; i++)
		to[i] = (double)from[i];
	return to;
}

static double *fire_read(struct app *a, const struct fire_tensor *t)
{
	double *p = (double *)app_host(a, fire_count(t), sizeof *p);
	app_to_host(a, p, t->p, sizeof *p * fire_count(t));
	return p;
}

/* What a filter of size x size gives at one pixel. */
static double fire_sum(const struct fire_tensor *in, const double *x, const double *weight, int size, int row, int col)
{
	double sum = 0;
	int side = (int)in->side, half = size / 2;
	for (int c = 0; c < (int)in->channels; c++)
		for (int i = 0; i < size * size; i++) {
			int r = row + i / size - half, k = col + i % size - half;
			if (r >= 0 && k >= 0 && r < side && k < side)
				sum += x[(c * side + r) * side + k] * weight[c * size * size + i];
		}
	return sum > 0 ? sum : 0;
}

/* Checks every second column of the filters behind channel `channel` of `out`. */
static void fire_check(struct app *a, const struct fire_tensor *in, const double *weight, int size,
                       const struct fire_tensor *out, uint32_t channel, uint32_t filters)
{
	uint32_t side = in->side;
	const double *x = fire_read(a, in), *y = fire_read(a, out) + (size_t)channel * side * side;
	float *got = (float *)app_host(a, side, sizeof *got), *want = (float *)app_host(a, side, sizeof *want);
	for (uint32_t f = 0; f < filters; f++)
		for (uint32_t col = f % 2; col < side; col += 2) {
			const double *w = weight + (size_t)f * in->channels * (size_t)(size * size);
			for (uint32_t row = 0; row < side; row++) {
				got[row] = (float)y[((size_t)f * side + row) * side + col];
				want[row] = (float)fire_sum(in, x, w, size, (int)row, (int)col);
			}
			app_check_floats(a, "output", got, want, side, 1e-4f);
		}
}

/* `filters` filters of size x size, about 1 over the root of the fan-in, to channel `channel` of `out`, by kernel `name`. */
#define FIRE(a, name, size, in, filters, out, channel) \
	do { \
		uint32_t fire_n = (in)->channels * (uint32_t)((size) * (size)); \
		float fire_scale = 2.0f / (float)((size) * ((in)->channels > 64 ? 16 : 8)); \
		double *fire_w = fire_numbers(a, (size_t)(filters)*fire_n, -fire_scale, fire_scale); \
		void *fire_weights = app_upload(a, "weights", fire_w, sizeof(double) * (filters)*fire_n); \
		void *fire_to = (double *)(out)->p + (size_t)(channel) * (in)->side * (in)->side; \
		APP_LAUNCH(a, name, app_1d((in)->side), app_1d((in)->side), 0, &(in)->channels, &(filters), \
		           &(in)->side, &(in)->p, &fire_weights, &fire_to); \
		fire_check(a, in, fire_w, size, out, channel, filters); \
	} while (0)

static void fire_pool(struct app *a, const struct fire_tensor *in)
{
	uint32_t side = in->side, half = side / 2;
	struct fire_tensor out = fire_tensor(a, "pool", in->channels, half);
	APP_LAUNCH(a, fire_pool_max3, app_1d(side), app_1d(side), 0, &in->p, &out.p, &in->channels, &in->side, &half);
	const double *x = fire_read(a, in), *y = fire_read(a, &out);
	float *got = (float *)app_host(a, half, sizeof *got), *want = (float *)app_host(a, half, sizeof *want);
	for (uint32_t i = 0; i < in->channels * half; i++) {
		uint32_t c = i / half, r = i % half * 2;
		for (uint32_t k = 0; k < half; k++) {
			double best = 0;
			for (uint32_t j = 0; j < 9; j++) {
				uint32_t row = r + j / 3, col = 2 * k + j % 3;
				if (row < side && col < side && x[((size_t)c * side + row) * side + col] > best)
					best = x[((size_t)c * side + row) * side + col];
			}
			got[k] = (float)y[(size_t)i * half + k];
			want[k] = (float)best;
		}
		app_check_floats(a, "pool", got, want, half, 0);
	}
}

/* The network's first layer: a picture of 227 x 227, and 6 of its 96 filters, which with the one fire module below has the share of the
 * network's instructions that all of them have with all modules, a quarter (Tango's program captured: 56 of 220 million). */
static void fire_picture(struct app *a)
{
	uint32_t side = PICTURE, out = FIRST_OUT, filters = 6, taps = PLANES * FIRST * FIRST, pixels = side * side;
	const void *plane[PLANES];
	int *value[PLANES];
	for (int p = 0; p < PLANES; p++) {
		value[p] = (int *)app_host(a, pixels, sizeof *value[p]);
		for (uint32_t i = 0; i < pixels; i++)
			value[p][i] = (int)app_below(a, 256) - 128;
		plane[p] = app_upload(a, "picture", value[p], sizeof *value[p] * pixels);
	}
	const double *w = fire_numbers(a, (size_t)filters * taps, -0.01f, 0.01f);
	const void *weights = app_upload(a, "weights", w, sizeof *w * filters * taps);
	struct fire_tensor y = fire_tensor(a, "first", filters, out);
	APP_LAUNCH(a, fire_first7x7, app_1d(out), app_1d(out), 0, &filters, &out, &side, &plane[0], &plane[1], &plane[2],
	           &weights, &y.p);
	const double *got = fire_read(a, &y);
	for (uint32_t f = 0; f < filters; f++)
		for (uint32_t col = f % 8; col < out; col += 8) {
			float had[FIRST_OUT], want[FIRST_OUT];
			for (uint32_t row = 0; row < out; row++) {
				double sum = 0;
				for (uint32_t i = 0; i < taps; i++) {
					uint32_t p = i / (FIRST * FIRST), t = i % (FIRST * FIRST);
					uint32_t at = (2 * row + t / FIRST) * side + 2 * col + t % FIRST;
					sum += value[p][at] * w[f * taps + i];
				}
				had[row] = (float)got[((size_t)f * out + row) * out + col];
				want[row] = sum > 0 ? (float)sum : 0;
			}
			app_check_floats(a, "first", had, want, out, 1e-4f);
		}
}

APP(squeezenet)
{
	if (app_pick(a, 0, 0, 0, 1))
		fire_picture(a);

	uint32_t side = app_pick(a, 27, 27, 41, 55), s = app_pick(a, 8, 12, 12, 16);
	uint32_t e = app_pick(a, 16, 32, 48, 64);
	struct fire_tensor x = fire_tensor(a, "input", 2 * e, side), y = fire_tensor(a, "squeeze", s, side);
	struct fire_tensor out = fire_tensor(a, "expand", 2 * e, side);
	app_to_device(a, x.p, fire_numbers(a, fire_count(&x), 0, 1), sizeof(double) * fire_count(&x));
	FIRE(a, fire_squeeze1x1, 1, &x, s, &y, 0);
	FIRE(a, fire_expand1x1, 1, &y, e, &out, 0);
	FIRE(a, fire_expand3x3, 3, &y, e, &out, e);
	fire_pool(a, &out);
}
