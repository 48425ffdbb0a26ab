/* rnn - long short-term memory over a sequence, as DeepBench's: per time step a product of the weights with inputs and
 * state, then the gates element by element. */
#include <math.h>

#include "inputs.h"

enum { TILE = 16, BLOCK = 256, GATES = 4 };

#ifdef __CUDACC__
/* pre (4H x batch) = weights (4H x 2H) * [x; h] (2H x batch) + bias, by tiles in shared memory. */
extern "C" __global__ void
lstm_gemm(const float *weights, const float *inputs, float *pre, const float *bias, int depth, int batch)
{
	__shared__ float w[TILE][TILE], x[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
	float sum = bias[row];
	for (int at = 0; at < depth; at += TILE) {
		w[ty][tx] = weights[row * depth + at + tx];
		x[ty][tx] = inputs[(at + ty) * batch + col];
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum += w[ty][i] * x[i][tx];
		__syncthreads();
	}
	pre[row * batch + col] = sum;
}

static __device__ float sigmoid(float x)
{
	return 1.0f / (1.0f + __expf(-x));
}

/* tanh(x) = 2 sigmoid(2x) - 1. The state goes to the second half of the next inputs. */
extern "C" __global__ void lstm_gates(const float *pre, float *cell, float *state, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float in = sigmoid(pre[i]), forget = sigmoid(pre[i + n]), out = sigmoid(pre[i + 3 * n]);
	float next = forget * cell[i] + in * (2.0f * sigmoid(2.0f * pre[i + 2 * n]) - 1.0f);
	cell[i] = next;
	state[i] = out * (2.0f * sigmoid(2.0f * next) - 1.0f);
}
#endif

struct lstm {
	uint32_t hidden, batch;
	float *weight, *bias;
	double *c, *h, *pre;
};

static double logistic(double x)
{
	return 1 / (1 + exp(-x));
}

static void reference_step(struct lstm *s, const float *x)
{
	uint32_t depth = 2 * s->hidden, n = s->hidden * s->batch;
	for (uint32_t r = 0; r < GATES * s->hidden; r++)
		for (uint32_t b = 0; b < s->batch; b++) {
			double sum = (double)s->bias[r];
			for (uint32_t d = 0; d < depth; d++)
				sum += (double)s->weight[(size_t)r * depth + d] *
				       (d < s->hidden ? (double)x[d * s->batch + b]
				                      : s->h[(d - s->hidden) * s->batch + b]);
			s->pre[r * s->batch + b] = sum;
		}
	for (uint32_t i = 0; i < n; i++) {
		const double *p = s->pre + i;
		s->c[i] = logistic(p[n]) * s->c[i] + logistic(p[0]) * tanh(p[2 * (size_t)n]);
		s->h[i] = logistic(p[3 * (size_t)n]) * tanh(s->c[i]);
	}
}

APP(rnn)
{
	struct lstm s;
	s.hidden = app_pick(a, 64, 128, 160, 512), s.batch = app_pick(a, 16, 32, 32, 32);
	uint32_t steps = app_pick(a, 4, 4, 6, 10), n = s.hidden * s.batch, depth = 2 * s.hidden;
	size_t weights = (size_t)GATES * s.hidden * depth, words = sizeof(float) * n;
	s.weight = input_floats(a, weights, -0.2f, 0.2f);
	s.bias = input_floats(a, GATES * s.hidden, -0.5f, 0.5f);
	s.c = (double *)app_host(a, n, sizeof *s.c);
	s.h = (double *)app_host(a, n, sizeof *s.h);
	s.pre = (double *)app_host(a, (size_t)n * GATES, sizeof *s.pre);
	float *x = (float *)app_host(a, n, sizeof *x), *want = (float *)app_host(a, n, sizeof *want);
	const void *weight = app_upload(a, "weights", s.weight, sizeof(float) * weights);
	const void *bias = app_upload(a, "bias", s.bias, sizeof(float) * GATES * s.hidden);
	void *input = app_device(a, "inputs and state", 2 * words), *pre = app_device(a, "pre", words * GATES);
	void *cell = app_device(a, "cell", words), *state = (char *)input + words;
	for (uint32_t t = 0; t < steps; t++) {
		/* The sequence's next input; the state lies behind it already. */
		app_fill(a, x, n, -1, 1);
		app_to_device(a, input, x, words);
		APP_LAUNCH(a, lstm_gemm, app_2d(s.batch / TILE, GATES * s.hidden / TILE), app_2d(TILE, TILE), 0,
		           &weight, &input, &pre, &bias, &depth, &s.batch);
		reference_step(&s, x);
		APP_LAUNCH(a, lstm_gates, app_1d(app_ceil(n, BLOCK)), app_1d(BLOCK), 0, &pre, &cell, &state, &n);
	}
	for (uint32_t i = 0; i < n; i++)
		want[i] = (float)s.h[i];
	app_to_host(a, x, state, words);
	app_check_floats(a, "state", x, want, n, 1e-4f);
}
