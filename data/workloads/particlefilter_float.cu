/* particlefilter_float - the particle filter that follows an object in a video, as Rodinia's: the whole filter step on
 * the GPU, in five kernels. */
#include <math.h>

#include "inputs.h"

enum { BLOCK = 512, POINTS = 49 /* pixels around a particle */ };

#define LIKELIHOOD (0.02f / POINTS / 50)

#ifdef __CUDACC__
__constant__ int offsets[2 * POINTS];

/* Linear congruential numbers as the original's device code; uniform in [0, 1) from the upper bits. */
static __device__ float uniform(uint32_t *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return (float)(*seed >> 8) * (1.0f / 16777216);
}

/* Moves every particle, weighs it by its pixels, and sums a CTA's weights. */
extern "C" __global__ void
particle_likelihood(float *x, float *y, const float *xj, const float *yj, float *weights, const unsigned char *frame,
                    float *partial, int n, int side, uint32_t number)
{
	__shared__ float s[BLOCK];
	int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
	float weight = 0;
	if (i < n) {
		/* The noise: particle and frame as seed, two numbers per axis. */
		uint32_t seed = i * 2654435761u + number;
		float u = uniform(&seed), v = uniform(&seed);
		float px = xj[i] + __fmaf_rn(u + v - 1, 5, 1);
		u = uniform(&seed), v = uniform(&seed);
		float py = yj[i] + __fmaf_rn(u + v - 1, 2, 2), like = 0;
		x[i] = px;
		y[i] = py;
		for (int o = 0; o < POINTS; o++) {
			int cx = min(max((int)px + offsets[2 * o], 0), side - 1);
			int cy = min(max((int)py + offsets[2 * o + 1], 0), side - 1), pixel = frame[cy * side + cx];
			float dark = (float)(pixel - 100), bright = (float)(pixel - 228);
			like += (dark * dark - bright * bright) * LIKELIHOOD;
		}
		weight = weights[i] * expf(like);
		weights[i] = weight;
	}
	s[t] = weight;
	__syncthreads();
	for (int half = BLOCK / 2; half > 0; half /= 2) {
		if (t < half)
			s[t] += s[t + half];
		__syncthreads();
	}
	if (t == 0)
		partial[1 + blockIdx.x] = s[0];
}

/* One thread adds the CTAs' sums into word 0. */
extern "C" __global__ void particle_sum(float *partial, int ctas)
{
	if (blockIdx.x * blockDim.x + threadIdx.x != 0)
		return;
	float sum = 0;
	for (int i = 0; i < ctas; i++)
		sum += partial[1 + i];
	partial[0] = sum;
}

extern "C" __global__ void particle_normalize(float *weights, const float *partial, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		weights[i] = weights[i] / partial[0];
}

/* One thread makes the running sums; all set their marks, without the original's random part. */
extern "C" __global__ void particle_cdf(const float *weights, float *cdf, float *u, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= n)
		return;
	if (i == 0) {
		float sum = 0;
		for (int j = 0; j < n; j++) {
			sum += weights[j];
			cdf[j] = sum;
		}
	}
	u[i] = ((float)i + 0.5f) / (float)n;
}

/* The first particle whose running sum reaches the mark, by linear search; copies it. */
extern "C" __global__ void particle_find_index(const float *x, const float *y, const float *cdf, const float *u,
                                               float *xj, float *yj, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x, index = n - 1;
	if (i >= n)
		return;
	for (int j = 0; j < n; j++)
		if (cdf[j] >= u[i]) {
			index = j;
			break;
		}
	xj[i] = x[index];
	yj[i] = y[index];
}
#endif

enum { X, Y, XJ, YJ, WEIGHT, CDF, U, ARRAYS };

struct filter {
	uint32_t n, side;
	float *p[ARRAYS]; /* as they must be, but sums and marks, which the GPU made */
	int offset[2 * POINTS];
};

/* A disc of radius 5 moving over noise. */
static void draw_frame(struct app *a, unsigned char *frame, uint32_t side, uint32_t t)
{
	for (uint32_t y = 0; y < side; y++)
		for (uint32_t x = 0; x < side; x++) {
			int dx = (int)x - (int)(side / 2 + t), dy = (int)y - (int)(side / 2 + 2 * t);
			frame[y * side + x] = (unsigned char)((dx * dx + dy * dy < 25 ? 228 : 100) + app_below(a, 16));
		}
}

static float noise(uint32_t *seed)
{
	float u[2];
	for (int i = 0; i < 2; i++) {
		*seed = *seed * 1103515245u + 12345u;
		u[i] = (float)(*seed >> 8) / 16777216.0f;
	}
	return u[0] + u[1] - 1;
}

static void reference_weights(struct filter *f, const unsigned char *frame, uint32_t t)
{
	double sum = 0;
	int last = (int)f->side - 1;
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t seed = i * 2654435761u + t;
		float sx = noise(&seed), sy = noise(&seed);
		f->p[X][i] = f->p[XJ][i] + (float)((double)sx * 5 + 1);
		f->p[Y][i] = f->p[YJ][i] + (float)((double)sy * 2 + 2);
		double like = 0;
		for (int o = 0; o < POINTS; o++) {
			int cx = (int)f->p[X][i] + f->offset[2 * o], cy = (int)f->p[Y][i] + f->offset[2 * o + 1];
			cx = cx < 0 ? 0 : cx > last ? last : cx;
			cy = cy < 0 ? 0 : cy > last ? last : cy;
			int pixel = frame[cy * (last + 1) + cx];
			like += (double)((pixel - 100) * (pixel - 100) - (pixel - 228) * (pixel - 228)) *
			        (double)LIKELIHOOD;
		}
		f->p[WEIGHT][i] = (float)((double)f->p[WEIGHT][i] * exp(like));
		sum += (double)f->p[WEIGHT][i];
	}
	for (uint32_t i = 0; i < f->n; i++)
		f->p[WEIGHT][i] = (float)((double)f->p[WEIGHT][i] / sum);
}

/* Position i must be that of the first particle whose running sum reaches its mark. */
static void reference_positions(struct filter *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t j = 0;
		while (j < f->n - 1 && f->p[CDF][j] < f->p[U][i])
			j++;
		f->p[XJ][i] = f->p[X][j];
		f->p[YJ][i] = f->p[Y][j];
	}
}

static void check(struct app *a, const struct filter *f, void *const d[ARRAYS], int which, float relative)
{
	static const char *const names[ARRAYS] = {"x", "y", "new x", "new y", "weight", "", ""};
	float *got = (float *)app_host(a, f->n, sizeof *got);
	app_to_host(a, got, d[which], sizeof *got * f->n);
	app_check_floats(a, names[which], got, f->p[which], f->n, relative);
}

static void run_frame(struct app *a, struct filter *f, void *const d[ARRAYS], const void *frame, void *partial,
                      uint32_t t)
{
	uint32_t ctas = app_ceil(f->n, BLOCK);
	struct app_dims grid = app_1d(ctas), block = app_1d(BLOCK);
	APP_LAUNCH(a, particle_likelihood, grid, block, 0, &d[X], &d[Y], &d[XJ], &d[YJ], &d[WEIGHT], &frame, &partial,
	           &f->n, &f->side, &t);
	APP_LAUNCH(a, particle_sum, grid, block, 0, &partial, &ctas);
	APP_LAUNCH(a, particle_normalize, grid, block, 0, &d[WEIGHT], &partial, &f->n);
	APP_LAUNCH(a, particle_cdf, grid, block, 0, &d[WEIGHT], &d[CDF], &d[U], &f->n);
	APP_LAUNCH(a, particle_find_index, grid, block, 0, &d[X], &d[Y], &d[CDF], &d[U], &d[XJ], &d[YJ], &f->n);
}

APP(particlefilter_float)
{
	struct filter f;
	f.n = app_pick(a, 512, 1024, 2048, 8192), f.side = 128;
	uint32_t frames = app_pick(a, 4, 3, 4, 3), pixels = f.side * f.side;
	size_t bytes = f.n * sizeof(float);
	unsigned char *frame = (unsigned char *)app_host(a, pixels, 1);
	void *d[ARRAYS], *video = app_device(a, "frame", pixels);
	void *partial = app_device(a, "sums", sizeof(float) * (app_ceil(f.n, BLOCK) + 1));
	for (int i = 0; i < 2 * POINTS; i++)
		f.offset[i] = i & 1 ? i / 2 / 7 - 3 : i / 2 % 7 - 3;
	APP_TO_SYMBOL(a, offsets, f.offset, sizeof f.offset);
	for (int i = 0; i < ARRAYS; i++) {
		f.p[i] = (float *)app_host(a, f.n, sizeof **f.p);
		for (uint32_t j = 0; j < f.n; j++)
			f.p[i][j] = i == WEIGHT ? 1.0f / (float)f.n : i == XJ || i == YJ ? (float)f.side / 2 : 0;
		d[i] = app_upload(a, "particles", f.p[i], bytes);
	}
	for (uint32_t t = 0; t < frames; t++) {
		draw_frame(a, frame, f.side, t);
		app_to_device(a, video, frame, pixels);
		run_frame(a, &f, d, video, partial, t);
		reference_weights(&f, frame, t);
		app_to_host(a, f.p[CDF], d[CDF], bytes);
		app_to_host(a, f.p[U], d[U], bytes);
		reference_positions(&f);
		check(a, &f, d, X, 0);
		check(a, &f, d, Y, 0);
		check(a, &f, d, WEIGHT, 1e-4f);
		check(a, &f, d, XJ, 0);
		check(a, &f, d, YJ, 0);
	}
}
