/* backprop - a training step of a two-layer perceptron as in Rodinia: the forward pass of the input layer and
 * the correction of its weights on the GPU, the rest on the host. Size paper computes as Rodinia does: the hidden layer's size is a parameter,
 * the powers of two of its sums come from fast functions and remainders, and weights are corrected in double precision, since the rates
 * are written so. */
#include <math.h>

#include "inputs.h"

enum { HIDDEN = 16, ROWS = 16 };

/* Learning rate and momentum. */
#define RATE 0.3f
#define MOMENTUM 0.3f

#ifdef __CUDACC__
/* CTA y covers input units 16y+1 .. 16y+16, thread (x, y) the weight to hidden unit x+1. Weights are
 * (inputs + 1) x (hidden + 1). */
static __device__ int weight_index(int unit, int hidden)
{
	return unit * (hidden + 1) + threadIdx.x + 1;
}

/* Partial sums of a CTA's inputs for every hidden unit. */
template <bool computes_powers>
static __device__ __forceinline__ void forward(const float *input, float *weights, float *partial, int hidden)
{
	__shared__ float in[ROWS], product[ROWS][HIDDEN];
	int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y, unit = ROWS * by + ty + 1;
	int index = weight_index(unit, hidden);
	if (tx == 0)
		in[ty] = input[unit];
	__syncthreads();
	product[ty][tx] = weights[index];
	__syncthreads();
	product[ty][tx] = product[ty][tx] * in[ty];
	__syncthreads();
	for (int power = 2, i = 1; computes_powers ? i <= __log2f(ROWS) : power <= ROWS; power *= 2, i++) {
		if (computes_powers)
			power = (int)__powf(2, i);
		if (ty % power == 0)
			product[ty][tx] = product[ty][tx] + product[ty + power / 2][tx];
		__syncthreads();
	}
	weights[index] = product[ty][tx];
	__syncthreads();
	if (tx == 0)
		partial[by * hidden + ty] = product[tx][ty];
}

extern "C" __global__ void backprop_forward(const float *input, float *weights, float *partial)
{
	forward<false>(input, weights, partial, HIDDEN);
}

extern "C" __global__ void backprop_forward_powers(const float *input, float *weights, float *partial, int hidden)
{
	forward<true>(input, weights, partial, hidden);
}

/* weights += RATE * delta * input + MOMENTUM * old; old = that step. T: what the two rates are. */
template <class T>
static __device__ __forceinline__ void adjust(const float *delta, const float *input, float *weights, float *old, T rate,
                                              T momentum, int hidden)
{
	int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y, unit = ROWS * by + ty + 1;
	int index = weight_index(unit, hidden);
	weights[index] += rate * delta[tx + 1] * input[unit] + momentum * old[index];
	old[index] = rate * delta[tx + 1] * input[unit] + momentum * old[index];
	__syncthreads();
	/* The bias row has no CTA of its own. */
	if (ty == 0 && by == 0) {
		weights[tx + 1] += rate * delta[tx + 1] + momentum * old[tx + 1];
		old[tx + 1] = rate * delta[tx + 1] + momentum * old[tx + 1];
	}
}

extern "C" __global__ void
backprop_adjust(const float *delta, const float *input, float *weights, float *old)
{
	adjust(delta, input, weights, old, RATE, MOMENTUM, HIDDEN);
}

extern "C" __global__ void
backprop_adjust_double(const float *delta, const float *input, float *weights, float *old, int hidden)
{
	adjust(delta, input, weights, old, 0.3, 0.3, hidden);
}
#endif

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

/* Weights and changes as they must be. */
static void correct(const float *in, const float *delta, const float *before, float *want,
                    float *want_old, uint32_t n)
{
	for (uint32_t i = 0; i <= n; i++)
		for (uint32_t h = 1; h <= HIDDEN; h++) {
			size_t at = (size_t)i * (HIDDEN + 1) + h;
			want_old[at] = RATE * delta[h] * (i ? in[i] : 1.0f);
			want[at] = before[at] + want_old[at];
		}
}

APP(backprop)
{
	uint32_t n = app_pick(a, 8192, 32768, 131072, 65536), ctas = n / ROWS;
	size_t weights = ((size_t)n + 1) * (HIDDEN + 1), sums = (size_t)ctas * HIDDEN;
	float *x = input_floats(a, n + 1, 0, 1), *before = input_floats(a, weights, -0.05f, 0.05f);
	float *got = (float *)app_host(a, weights, sizeof *got), delta[HIDDEN + 1] = {0};
	float *want = (float *)app_host(a, weights, sizeof *want);
	float *want_old = (float *)app_host(a, weights, sizeof *want_old);
	float *sum = (float *)app_host(a, sums, sizeof *sum);
	float *partial = (float *)app_host(a, sums, sizeof *partial);
	int hidden = HIDDEN;
	struct app_dims grid = app_2d(1, ctas), block = app_2d(HIDDEN, ROWS);
	for (size_t i = 0; i < weights; i += HIDDEN + 1)
		before[i] = 0;
	const void *in = app_upload(a, "input", x, sizeof *x * (n + 1));
	void *weight = app_upload(a, "weights", before, sizeof *before * weights);
	void *parts = app_device(a, "partial", sizeof *sum * sums);
	void *deltas = app_device(a, "delta", sizeof delta);
	void *old = app_device(a, "old", sizeof *before * weights);
	if (a->size == APP_PAPER)
		APP_LAUNCH(a, backprop_forward_powers, grid, block, 0, &in, &weight, &parts, &hidden);
	else
		APP_LAUNCH(a, backprop_forward, grid, block, 0, &in, &weight, &parts);
	app_to_host(a, partial, parts, sizeof *partial * sums);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t h = 0; h < HIDDEN; h++)
			sum[i / ROWS * HIDDEN + h] += x[i + 1] *
			                              before[(size_t)(i + 1) * (HIDDEN + 1) + h + 1];
	app_check_floats(a, "partial", partial, sum, sums, 1e-5f);
	hidden_deltas(partial, before, ctas, delta);
	/* The forward pass used the weights' memory; the original copies them again, too. */
	app_to_device(a, deltas, delta, sizeof delta);
	app_to_device(a, weight, before, sizeof *before * weights);
	app_to_device(a, old, want_old, sizeof *before * weights);
	if (a->size == APP_PAPER)
		APP_LAUNCH(a, backprop_adjust_double, grid, block, 0, &deltas, &in, &weight, &old, &hidden);
	else
		APP_LAUNCH(a, backprop_adjust, grid, block, 0, &deltas, &in, &weight, &old);
	correct(x, delta, before, want, want_old, n);
	app_to_host(a, got, weight, sizeof *got * weights);
	app_check_floats(a, "weight", got, want, weights, 1e-5f);
	app_to_host(a, got, old, sizeof *got * weights);
	app_check_floats(a, "change", got, want_old, weights, 1e-5f);
}
