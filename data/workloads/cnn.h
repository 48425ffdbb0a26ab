/* cnn.h - layers of convolutional networks with a thread per output as in Tango, whose neighbouring threads
 * (threadIdx.x) take neighbouring rows: a warp reads and writes 32 lines. */
#ifndef CT_WORKLOADS_CNN_H
#define CT_WORKLOADS_CNN_H

#include "inputs.h"

enum { CNN_BLOCK = 256, CNN_POOL_BLOCK = 128 };

/* filters x channels x size x size on channels x side x side, zero padded. */
struct cnn_layer {
	int channels, side, filters, size, stride, pad;
};

/* channels x side x side floats, on the device. */
struct cnn_tensor {
	uint32_t channels, side;
	void *p;
};

#ifdef __CUDACC__
/* A CTA row is a filter, x runs over pixels. added: what joins the sum, or NULL. */
static __device__ __forceinline__ void cnn_convolve(struct cnn_layer l, int out, const float *in, const float *weights,
                                                    const float *bias, float *output, const float *added)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, filter = blockIdx.y;
	if (i >= out * out)
		return;
	int x = i / out, y = i % out, y0 = y * l.stride - l.pad, x0 = x * l.stride - l.pad;
	float sum = bias[filter];
	const float *weight = weights + filter * l.channels * l.size * l.size;
	for (int c = 0; c < l.channels; c++)
		for (int fy = 0; fy < l.size; fy++)
			for (int fx = 0; fx < l.size; fx++) {
				int row = y0 + fy, col = x0 + fx;
				if (row >= 0 && row < l.side && col >= 0 && col < l.side)
					sum += in[(c * l.side + row) * l.side + col] *
					       weight[(c * l.size + fy) * l.size + fx];
			}
	int at = (filter * out + y) * out + x;
	if (added)
		sum += added[at];
	output[at] = fmaxf(sum, 0.0f);
}

/* A layer's own kernel. */
#define CNN_KERNEL(name) \
	extern "C" __global__ void name(struct cnn_layer l, int out, const float *in, const float *weights, \
	                                const float *bias, float *output, const float *added) \
	{ \
		cnn_convolve(l, out, in, weights, bias, output, added); \
	}

/* The largest of 3 x 3, every second pixel; a CTA row is a channel. */
extern "C" __global__ void pool_max3(const float *in, float *output, int side, int out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
	if (i >= out * out)
		return;
	int x = i / out, y = i % out;
	float best = -3e38f;
	for (int dy = 0; dy < 3; dy++)
		for (int dx = 0; dx < 3; dx++)
			best = fmaxf(best, in[(c * side + 2 * y + dy) * side + 2 * x + dx]);
	output[(c * out + y) * out + x] = best;
}
#endif

static inline uint32_t cnn_side(const struct cnn_layer *l)
{
	return (uint32_t)((l->side + 2 * l->pad - l->size) / l->stride + 1);
}

static inline size_t cnn_bytes(const struct cnn_tensor *t)
{
	return sizeof(float) * t->channels * t->side * t->side;
}

static inline struct cnn_layer
cnn_layer(uint32_t channels, uint32_t side, uint32_t filters, int size, int stride, int pad)
{
	struct cnn_layer l;
	l.channels = (int)channels, l.side = (int)side, l.filters = (int)filters;
	l.size = size, l.stride = stride, l.pad = pad;
	return l;
}

static inline struct cnn_tensor cnn_tensor(struct app *a, const char *name, uint32_t channels, uint32_t side)
{
	struct cnn_tensor t;
	t.channels = channels, t.side = side;
	t.p = app_device(a, name, cnn_bytes(&t));
	return t;
}

static inline struct cnn_tensor cnn_input(struct app *a, uint32_t channels, uint32_t side)
{
	struct cnn_tensor t = cnn_tensor(a, "input", channels, side);
	app_to_device(a, t.p, input_floats(a, cnn_bytes(&t) / sizeof(float), 0, 1), cnn_bytes(&t));
	return t;
}

static inline float *cnn_read(struct app *a, const struct cnn_tensor *t)
{
	float *p = (float *)app_host(a, cnn_bytes(t), 1);
	app_to_host(a, p, t->p, cnn_bytes(t));
	return p;
}

/* The sum of a filter at (y, x), in double. */
static inline double cnn_sum(const struct cnn_layer *l, const float *in, const float *weight, int f, int y, int x)
{
	double sum = 0;
	for (int c = 0; c < l->channels; c++)
		for (int fy = 0; fy < l->size; fy++)
			for (int fx = 0; fx < l->size; fx++) {
				int row = y * l->stride + fy - l->pad, col = x * l->stride + fx - l->pad;
				if (row < 0 || col < 0 || row >= l->side || col >= l->side)
					continue;
				sum += (double)in[((size_t)c * l->side + row) * l->side + col] *
				       (double)weight[((size_t)(f * l->channels + c) * l->size + fy) * l->size + fx];
			}
	return sum;
}

/* A layer's data: inputs of one launch and what came of it. */
struct cnn_run {
	struct cnn_layer l;
	float *weight, *bias;
	void *weights, *biases;
};

static inline struct cnn_run cnn_begin(struct app *a, const struct cnn_layer *l)
{
	struct cnn_run r;
	size_t n = (size_t)l->filters * l->channels * l->size * l->size;
	/* About 1 over the root of the fan-in, so that layers keep their scale. */
	float scale = 2.0f / (float)(l->size * (l->channels > 64 ? 16 : l->channels > 16 ? 8 : 3));
	r.l = *l;
	r.weight = input_floats(a, n, -scale, scale);
	r.bias = input_floats(a, (size_t)l->filters, -0.1f, 0.1f);
	r.weights = app_upload(a, "weights", r.weight, sizeof(float) * n);
	r.biases = app_upload(a, "bias", r.bias, sizeof(float) * l->filters);
	return r;
}

/* Checks filters behind channel `channel` of `out`, every second row. */
static inline void cnn_check(struct app *a, const struct cnn_run *r, const struct cnn_tensor *in,
                             const struct cnn_tensor *added, const struct cnn_tensor *out, uint32_t channel)
{
	uint32_t side = out->side;
	const float *x = cnn_read(a, in), *got = cnn_read(a, out) + (size_t)channel * side * side;
	const float *more = added ? cnn_read(a, added) : NULL;
	float *want = (float *)app_host(a, side, sizeof *want);
	for (uint32_t f = 0; f < (uint32_t)r->l.filters; f++)
		for (uint32_t y = f % 2; y < side; y += 2) {
			size_t at = ((size_t)f * side + y) * side;
			for (uint32_t i = 0; i < side; i++) {
				double sum = cnn_sum(&r->l, x, r->weight, (int)f, (int)y, (int)i) +
				             (double)r->bias[f] + (more ? (double)more[at + i] : 0);
				want[i] = sum > 0 ? (float)sum : 0;
			}
			app_check_floats(a, "output", got + at, want, side, 1e-4f);
		}
}

/* out = relu(in * weights + bias [+ added]) at channel `channel` of `out`, by kernel `name`. */
#define CNN_CONVOLVE(a, name, layer, in, added, out, channel) \
	do { \
		const struct cnn_tensor *cnn_added = added; \
		struct cnn_run cnn_r = cnn_begin(a, layer); \
		uint32_t cnn_out = cnn_side(layer), cnn_pixels = cnn_out * cnn_out; \
		uint32_t cnn_block = cnn_pixels < CNN_BLOCK ? (cnn_pixels + 31) / 32 * 32 : CNN_BLOCK; \
		void *cnn_to = (float *)(out)->p + (size_t)(channel) * cnn_pixels; \
		void *cnn_more = cnn_added ? cnn_added->p : NULL; \
		APP_LAUNCH(a, name, app_2d(app_ceil(cnn_pixels, cnn_block), (uint32_t)(layer)->filters), \
		           app_1d(cnn_block), 0, layer, &cnn_out, &(in)->p, &cnn_r.weights, &cnn_r.biases, \
		           &cnn_to, &cnn_more); \
		cnn_check(a, &cnn_r, in, cnn_added, out, channel); \
	} while (0)

static inline struct cnn_tensor cnn_pool(struct app *a, const struct cnn_tensor *in)
{
	uint32_t side = (in->side - 3) / 2 + 1, pixels = side * side;
	struct cnn_tensor out = cnn_tensor(a, "pool", in->channels, side);
	APP_LAUNCH(a, pool_max3, app_2d(app_ceil(pixels, CNN_POOL_BLOCK), in->channels), app_1d(CNN_POOL_BLOCK), 0,
	           &in->p, &out.p, &in->side, &side);
	const float *x = cnn_read(a, in), *got = cnn_read(a, &out);
	float *want = (float *)app_host(a, pixels, sizeof *want);
	for (uint32_t c = 0; c < in->channels; c++) {
		for (uint32_t i = 0; i < pixels; i++) {
			const float *p = x + ((size_t)c * in->side + i / side * 2) * in->side + i % side * 2;
			want[i] = p[0];
			for (uint32_t j = 0; j < 9; j++)
				if (p[j / 3 * in->side + j % 3] > want[i])
					want[i] = p[j / 3 * in->side + j % 3];
		}
		app_check_floats(a, "pool", got + (size_t)c * pixels, want, pixels, 0);
	}
	return out;
}

#endif
