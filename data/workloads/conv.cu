/* conv - a 3 x 3 convolution as an implicit matrix product, as DeepBench asks of a library: filters x taps times taps x
 * pixels, whose elements are fetched through their coordinates, with a tile of either in shared memory. */
#include "cnn.h"

enum { TILE = 16 };

#ifdef __CUDACC__
extern "C" __global__ void
conv_implicit_gemm(struct cnn_layer l, int out, const float *weights, const float *in, float *output)
{
	__shared__ float a[TILE][TILE], b[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y, taps = l.size * l.size, depth = l.channels * taps;
	int filter = blockIdx.y * TILE + ty, pixel = blockIdx.x * TILE + tx;
	int y0 = pixel / out * l.stride - l.pad, x0 = pixel % out * l.stride - l.pad;
	float sum = 0;
	for (int at = 0; at < depth; at += TILE) {
		int t = at + ty, c = t / taps, rest = t % taps, row = y0 + rest / l.size, col = x0 + rest % l.size;
		bool inside = row >= 0 && row < l.side && col >= 0 && col < l.side;
		a[ty][tx] = weights[filter * depth + at + tx];
		b[ty][tx] = inside ? in[(c * l.side + row) * l.side + col] : 0.0f;
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += a[ty][i] * b[i][tx];
		__syncthreads();
	}
	if (pixel < out * out)
		output[filter * out * out + pixel] = sum;
}
#endif

APP(conv)
{
	uint32_t channels = app_pick(a, 16, 16, 32, 64), side = app_pick(a, 14, 28, 28, 56);
	uint32_t filters = app_pick(a, 32, 64, 96, 64);
	struct cnn_layer l = cnn_layer(channels, side, filters, 3, 1, 1);
	uint32_t out = cnn_side(&l), pixels = out * out;
	struct cnn_tensor in = cnn_input(a, channels, side), got = cnn_tensor(a, "output", filters, out);
	struct cnn_run r = cnn_begin(a, &l);
	APP_LAUNCH(a, conv_implicit_gemm, app_2d(app_ceil(pixels, TILE), filters / TILE), app_2d(TILE, TILE), 0, &l,
	           &out, &r.weights, &in.p, &got.p);
	const float *x = cnn_read(a, &in), *y = cnn_read(a, &got);
	float *want = (float *)app_host(a, pixels, sizeof *want);
	for (uint32_t f = 0; f < filters; f++) {
		for (uint32_t i = 0; i < pixels; i++)
			want[i] = (float)cnn_sum(&l, x, r.weight, (int)f, (int)(i / out), (int)(i % out));
		app_check_floats(a, "output", y + (size_t)f * pixels, want, pixels, 1e-4f);
	}
}
