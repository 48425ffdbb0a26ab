/* rnn - long short-term memory over a sequence, as DeepBench's: per time step a product of inputs and state with the
 * weights on tensor cores, then the gates element by element. For sm_80, and of size paper for sm_75, the GPU of the paper that
 * names it. */
#include <math.h>

#include "turing.h"

enum { BLOCK = 256, GATES = 4 };

#ifdef __CUDACC__
#include <cuda_fp16.h>

/* pre (batch x 4H) = [x h] (batch x 2H) * weights^T (4H x 2H). */
extern "C" __global__ void
lstm_gemm(const uint16_t *inputs, const uint16_t *weights, float *pre, int batch, int gates, int depth)
{
	tensor_gemm(inputs, weights, pre, batch, gates, depth);
}

/* The same where the weights lie gate by gate, 4H x 2H in columns: pre^T (4H x batch) = weights * [x h]^T. */
extern "C" __global__ void
lstm_gemm_128x64(const uint16_t *weights, const uint16_t *inputs, uint16_t *pre, int gates, int batch, int depth)
{
	turing_gemm<64>(weights, inputs, pre, gates, batch, depth);
}

static __device__ float sigmoid(float x)
{
	return 1.0f / (1.0f + __expf(-x));
}

/* tanh(x) = 2 sigmoid(2x) - 1. The state goes behind the inputs of the next step. value(i) is element i of pre. */
template <typename Value>
static __device__ void make_state(Value value, const float *bias, float *cell, uint16_t *inputs, int hidden, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, b = i / hidden, j = i % hidden;
	if (i >= n)
		return;
	float gate[GATES];
	for (int g = 0; g < GATES; g++)
		gate[g] = value((b * GATES + g) * hidden + j) + bias[g * hidden + j];
	float next = sigmoid(gate[1]) * cell[i] + sigmoid(gate[0]) * (2.0f * sigmoid(2.0f * gate[2]) - 1.0f);
	float state = sigmoid(gate[3]) * (2.0f * sigmoid(2.0f * next) - 1.0f);
	cell[i] = next;
	inputs[(2 * b + 1) * hidden + j] = __half_as_ushort(__float2half_rn(state));
}

extern "C" __global__ void
lstm_gates(const float *pre, const float *bias, float *cell, uint16_t *inputs, int hidden, int n)
{
	make_state([=](int i) { return pre[i]; }, bias, cell, inputs, hidden, n);
}

/* The same of products that are halves. */
extern "C" __global__ void
lstm_gates_half(const uint16_t *pre, const float *bias, float *cell, uint16_t *inputs, int hidden, int n)
{
	make_state([=](int i) { return __half2float(__ushort_as_half(pre[i])); }, bias, cell, inputs, hidden, n);
}
#endif

struct lstm {
	uint32_t hidden, batch;
	int halves; /* products are */
	float *weight, *bias;
	double *c;
	float *h;
};

static double logistic(double x)
{
	return 1 / (1 + exp(-x));
}

/* The product of a row of weights with an input and a state. */
static double product(const struct lstm *s, const float *w, const float *x, const float *h)
{
	double sum = 0;
	float half = 0;
	if (s->halves) {
		for (uint32_t d = 0; d < 2 * s->hidden; d += 8)
			half = turing_add(half, &w[d], 1, d < s->hidden ? &x[d] : &h[d - s->hidden], 1);
		return (double)half;
	}
	for (uint32_t d = 0; d < s->hidden; d++)
		sum += (double)w[d] * (double)x[d] + (double)w[s->hidden + d] * (double)h[d];
	return sum;
}

/* One unit of one sequence; the state is kept as a half. */
static void reference_unit(const struct lstm *s, const float *x, const float *h, uint32_t b, uint32_t j)
{
	double gate[GATES], *c = &s->c[b * s->hidden + j];
	for (uint32_t g = 0; g < GATES; g++) {
		const float *w = s->weight + (size_t)(g * s->hidden + j) * 2 * s->hidden;
		gate[g] = (double)s->bias[g * s->hidden + j] + product(s, w, &x[b * s->hidden], &h[b * s->hidden]);
	}
	*c = logistic(gate[1]) * *c + logistic(gate[0]) * tanh(gate[2]);
	double state = logistic(gate[3]) * tanh(*c);
	s->h[b * s->hidden + j] = tensor_value(tensor_half((float)state));
}

/* A matrix whose rows lie one after the other, column by column. */
static const uint16_t *by_column(struct app *a, const uint16_t *m, uint32_t rows, uint32_t columns)
{
	uint16_t *c = (uint16_t *)app_host(a, (size_t)rows * columns, sizeof *c);
	for (uint32_t i = 0; i < rows; i++)
		for (uint32_t j = 0; j < columns; j++)
			c[(size_t)j * rows + i] = m[(size_t)i * columns + j];
	return c;
}

APP(rnn)
{
	struct lstm s;
	s.halves = a->size == APP_PAPER;
	/* Of size paper one of the training set's (DeepBench, rnn_problems.h), but for steps, of which that has 25. */
	s.hidden = app_pick(a, 128, 320, 512, 2048), s.batch = app_pick(a, 64, 64, 64, 64);
	uint32_t steps = app_pick(a, 4, 6, 6, 4), n = s.hidden * s.batch, depth = 2 * s.hidden;
	uint32_t gates = GATES * s.hidden;
	size_t weights = (size_t)gates * depth;
	float *x, *want = (float *)app_host(a, n, sizeof *want), *got = (float *)app_host(a, n, sizeof *got);
	const uint16_t *hw = tensor_halves(a, weights, 2.0f / sqrtf((float)depth), &s.weight);
	if (s.halves)
		hw = by_column(a, hw, gates, depth);
	uint16_t *in = (uint16_t *)app_host(a, 2 * (size_t)n, sizeof *in);
	float *before = (float *)app_host(a, n, sizeof *before);
	s.bias = input_floats(a, gates, -0.5f, 0.5f);
	s.c = (double *)app_host(a, n, sizeof *s.c);
	s.h = (float *)app_host(a, n, sizeof *s.h);
	const void *weight = app_upload(a, "weights", hw, sizeof *hw * weights);
	const void *bias = app_upload(a, "bias", s.bias, sizeof(float) * gates);
	void *input = app_device(a, "inputs and state", sizeof *in * 2 * n);
	void *pre = app_device(a, "pre", sizeof(float) * gates * s.batch), *cell = app_device(a, "cell", sizeof(float) * n);
	for (uint32_t t = 0; t < steps; t++) {
		const uint16_t *hx = tensor_halves(a, n, 1, &x);
		/* The sequence's next input beside the state. */
		for (uint32_t b = 0; b < s.batch; b++)
			memcpy(in + 2 * b * s.hidden, hx + b * s.hidden, sizeof *in * s.hidden);
		app_to_device(a, input, in, sizeof *in * 2 * n);
		if (s.halves) {
			APP_LAUNCH(a, lstm_gemm_128x64, app_2d(app_ceil(s.batch, 64), app_ceil(gates, TURING_ROWS)),
			           app_1d(TURING_THREADS(64)), 0, &weight, &input, &pre, &gates, &s.batch, &depth);
			APP_LAUNCH(a, lstm_gates_half, app_1d(app_ceil(n, BLOCK)), app_1d(BLOCK), 0, &pre, &bias, &cell, &input,
			           &s.hidden, &n);
		} else {
			APP_LAUNCH(a, lstm_gemm, app_2d(gates / TENSOR_CTA, s.batch / TENSOR_CTA), app_1d(TENSOR_THREADS), 0,
			           &input, &weight, &pre, &s.batch, &gates, &depth);
			APP_LAUNCH(a, lstm_gates, app_1d(app_ceil(n, BLOCK)), app_1d(BLOCK), 0, &pre, &bias, &cell, &input,
			           &s.hidden, &n);
		}
		app_to_host(a, in, input, sizeof *in * 2 * n);
		memcpy(before, s.h, sizeof *before * n);
		for (uint32_t i = 0; i < n; i++)
			reference_unit(&s, x, before, i / s.hidden, i % s.hidden);
	}
	for (uint32_t i = 0; i < n; i++) {
		want[i] = s.h[i];
		got[i] = tensor_value(in[(2 * (i / s.hidden) + 1) * s.hidden + i % s.hidden]);
	}
	/* A rounding of the state the other way is a part in 1024 of it. */
	app_check_floats(a, "state", got, want, n, 2e-3f);
}
