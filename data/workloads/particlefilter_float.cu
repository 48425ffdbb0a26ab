/* particlefilter_float - the particle filter that follows an object in a video, as Rodinia's: the whole filter step on
 * the GPU, in five kernels. Size paper computes weights, sums and marks in double precision, as Rodinia's does in spite of its name,
 * and keeps the places of a particle's pixels in memory. */
#include <math.h>

#include "inputs.h"

/* Pixels around a particle: a square of 7 x 7, in size paper a disc of radius 5 as Rodinia's. */
enum { BLOCK = 512, POINTS = 49, DISC = 69 };

#define LIKELIHOOD (0.02f / POINTS / 50)
#define DISC_LIKELIHOOD (0.02 / DISC / 50)

#ifdef __CUDACC__
__constant__ int offsets[2 * POINTS];

/* Linear congruential numbers as the original's device code; uniform in [0, 1) from the upper bits. */
static __device__ float uniform(uint32_t *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return (float)(*seed >> 8) * (1.0f / 16777216);
}

/* Moves particle i by noise: particle and frame as seed, two numbers per axis. T: the type of all arrays. */
template <class T>
static __device__ __forceinline__ void move(T *x, T *y, const T *xj, const T *yj, int i, uint32_t number,
                                            int *column, int *row)
{
	uint32_t seed = i * 2654435761u + number;
	float u = uniform(&seed), v = uniform(&seed);
	float px = (float)xj[i] + __fmaf_rn(u + v - 1, 5, 1);
	u = uniform(&seed), v = uniform(&seed);
	float py = (float)yj[i] + __fmaf_rn(u + v - 1, 2, 2);
	x[i] = px;
	y[i] = py;
	*column = (int)px;
	*row = (int)py;
}

static __device__ __forceinline__ int pixel_at(int column, int row, int side)
{
	return min(max(row, 0), side - 1) * side + min(max(column, 0), side - 1);
}

static __device__ __forceinline__ float contrast(int pixel)
{
	float dark = (float)(pixel - 100), bright = (float)(pixel - 228);
	return (dark * dark - bright * bright) * LIKELIHOOD;
}

/* Sums the weights of a CTA. */
template <class T> static __device__ __forceinline__ void sum_cta(T weight, T *partial)
{
	__shared__ T s[BLOCK];
	int t = threadIdx.x;
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

/* Moves every particle, weighs it by its pixels, and sums a CTA's weights. */
extern "C" __global__ void particle_likelihood(float *x, float *y, const float *xj, const float *yj, float *weights,
                                               const unsigned char *frame, float *partial, int n, int side,
                                               uint32_t number)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	float weight = 0;
	if (i < n) {
		int column, row;
		float like = 0;
		move(x, y, xj, yj, i, number, &column, &row);
		for (int o = 0; o < POINTS; o++)
			like += contrast(frame[pixel_at(column + offsets[2 * o], row + offsets[2 * o + 1], side)]);
		weight = weights[i] * exp(like);
		weights[i] = weight;
	}
	sum_cta(weight, partial);
}

/* The same with all places of a particle in memory, one after the other, a video whose pixels have their `frames` side by side, and
 * squares by pow(). */
extern "C" __global__ void
particle_likelihood_double(double *x, double *y, const double *xj, const double *yj, double *weights,
                           const unsigned char *video, const int *disc, int *places, double *partial, int n,
                           int side, uint32_t number, int frames)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	double weight = 0;
	if (i < n) {
		int column, row, *mine = places + i * DISC;
		double like = 0;
		move(x, y, xj, yj, i, number, &column, &row);
		for (int o = 0; o < DISC; o++)
			mine[o] = pixel_at(column + disc[2 * o], row + disc[2 * o + 1], side) * frames + number;
		for (int o = 0; o < DISC; o++)
			like += (pow((double)(video[mine[o]] - 100), 2) - pow((double)(video[mine[o]] - 228), 2)) / 50;
		weight = weights[i] * exp(like * (50 * DISC_LIKELIHOOD));
		weights[i] = weight;
	}
	sum_cta(weight, partial);
}

/* One thread adds the CTAs' sums into word 0. */
template <class T> static __device__ __forceinline__ void add_up(T *partial, int ctas)
{
	if (blockIdx.x * blockDim.x + threadIdx.x != 0)
		return;
	T sum = 0;
	for (int i = 0; i < ctas; i++)
		sum += partial[1 + i];
	partial[0] = sum;
}

template <class T> static __device__ __forceinline__ void normalize(T *weights, const T *partial, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		weights[i] = weights[i] / partial[0];
}

/* One thread makes the running sums; all set their marks, without the original's random part. */
template <class T> static __device__ __forceinline__ void make_cdf(const T *weights, T *cdf, T *u, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= n)
		return;
	if (i == 0) {
		T sum = 0;
		for (int j = 0; j < n; j++) {
			sum += weights[j];
			cdf[j] = sum;
		}
	}
	u[i] = ((T)i + (T)0.5) / (T)n;
}

/* The first particle whose running sum reaches the mark, by linear search; copies it. */
template <class T>
static __device__ __forceinline__ void find_index(const T *x, const T *y, const T *cdf, const T *u, T *xj, T *yj, int n)
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

#define KERNELS(suffix, T) \
	extern "C" __global__ void particle_sum##suffix(T *partial, int ctas) \
	{ \
		add_up(partial, ctas); \
	} \
	extern "C" __global__ void particle_normalize##suffix(T *weights, const T *partial, int n) \
	{ \
		normalize(weights, partial, n); \
	} \
	extern "C" __global__ void particle_cdf##suffix(const T *weights, T *cdf, T *u, int n) \
	{ \
		make_cdf(weights, cdf, u, n); \
	} \
	extern "C" __global__ void particle_find_index##suffix(const T *x, const T *y, const T *cdf, const T *u, T *xj, \
	                                                       T *yj, int n) \
	{ \
		find_index(x, y, cdf, u, xj, yj, n); \
	}
KERNELS(, float)
KERNELS(_double, double)
#endif

enum { X, Y, XJ, YJ, WEIGHT, CDF, U, ARRAYS };

struct filter {
	uint32_t n, side, frames;
	int is_double;        /* arrays of the GPU */
	float *p[ARRAYS];     /* as they must be, but sums and marks */
	double *cdf, *marks;  /* those, which the GPU made */
	int points, offset[2 * DISC];
	double factor; /* of a pixel's likelihood */
};

/* The pixels around a particle, row by row. */
static void draw_offsets(struct filter *f)
{
	const int reach = f->is_double ? 4 : 3;
	f->points = 0;
	f->factor = f->is_double ? DISC_LIKELIHOOD : (double)LIKELIHOOD;
	for (int dy = -reach; dy <= reach; dy++)
		for (int dx = -reach; dx <= reach; dx++)
			if (!f->is_double || dx * dx + dy * dy < 25) {
				f->offset[2 * f->points] = dx;
				f->offset[2 * f->points++ + 1] = dy;
			}
}

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
		for (int o = 0; o < f->points; o++) {
			int cx = (int)f->p[X][i] + f->offset[2 * o], cy = (int)f->p[Y][i] + f->offset[2 * o + 1];
			cx = cx < 0 ? 0 : cx > last ? last : cx;
			cy = cy < 0 ? 0 : cy > last ? last : cy;
			int pixel = frame[cy * (last + 1) + cx];
			like += (double)((pixel - 100) * (pixel - 100) - (pixel - 228) * (pixel - 228)) *
			        f->factor;
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
		while (j < f->n - 1 && f->cdf[j] < f->marks[i])
			j++;
		f->p[XJ][i] = f->p[X][j];
		f->p[YJ][i] = f->p[Y][j];
	}
}

/* An array of the GPU, whatever its type is there. */
static void fetch(struct app *a, const struct filter *f, const void *from, double *to)
{
	float *got = (float *)app_host(a, f->n, sizeof *got);
	if (f->is_double) {
		app_to_host(a, to, from, sizeof *to * f->n);
		return;
	}
	app_to_host(a, got, from, sizeof *got * f->n);
	for (uint32_t i = 0; i < f->n; i++)
		to[i] = (double)got[i];
}

static void *upload(struct app *a, const struct filter *f, const float *from)
{
	double *wide = (double *)app_host(a, f->n, sizeof *wide);
	for (uint32_t i = 0; i < f->n; i++)
		wide[i] = (double)from[i];
	return f->is_double ? app_upload(a, "particles", wide, sizeof *wide * f->n)
	                    : app_upload(a, "particles", from, sizeof *from * f->n);
}

static void check(struct app *a, const struct filter *f, void *const d[ARRAYS], int which, float relative)
{
	static const char *const names[ARRAYS] = {"x", "y", "new x", "new y", "weight", "", ""};
	float *got = (float *)app_host(a, f->n, sizeof *got);
	double *wide = (double *)app_host(a, f->n, sizeof *wide);
	fetch(a, f, d[which], wide);
	for (uint32_t i = 0; i < f->n; i++)
		got[i] = (float)wide[i];
	app_check_floats(a, names[which], got, f->p[which], f->n, relative);
}

/* What the GPU has of the video, of a disc's pixels, and for places. */
struct memory {
	const void *video, *disc;
	void *places, *partial;
};

static void run_frame(struct app *a, struct filter *f, void *const d[ARRAYS], const struct memory *m, uint32_t t)
{
	uint32_t ctas = app_ceil(f->n, BLOCK);
	struct app_dims grid = app_1d(ctas), block = app_1d(BLOCK);
	if (f->is_double) {
		APP_LAUNCH(a, particle_likelihood_double, grid, block, 0, &d[X], &d[Y], &d[XJ], &d[YJ], &d[WEIGHT],
		           &m->video, &m->disc, &m->places, &m->partial, &f->n, &f->side, &t, &f->frames);
		APP_LAUNCH(a, particle_sum_double, grid, block, 0, &m->partial, &ctas);
		APP_LAUNCH(a, particle_normalize_double, grid, block, 0, &d[WEIGHT], &m->partial, &f->n);
		APP_LAUNCH(a, particle_cdf_double, grid, block, 0, &d[WEIGHT], &d[CDF], &d[U], &f->n);
		APP_LAUNCH(a, particle_find_index_double, grid, block, 0, &d[X], &d[Y], &d[CDF], &d[U], &d[XJ],
		           &d[YJ], &f->n);
		return;
	}
	APP_LAUNCH(a, particle_likelihood, grid, block, 0, &d[X], &d[Y], &d[XJ], &d[YJ], &d[WEIGHT], &m->video,
	           &m->partial, &f->n, &f->side, &t);
	APP_LAUNCH(a, particle_sum, grid, block, 0, &m->partial, &ctas);
	APP_LAUNCH(a, particle_normalize, grid, block, 0, &d[WEIGHT], &m->partial, &f->n);
	APP_LAUNCH(a, particle_cdf, grid, block, 0, &d[WEIGHT], &d[CDF], &d[U], &f->n);
	APP_LAUNCH(a, particle_find_index, grid, block, 0, &d[X], &d[Y], &d[CDF], &d[U], &d[XJ], &d[YJ], &f->n);
}

APP(particlefilter_float)
{
	struct filter f;
	f.n = app_pick(a, 512, 1024, 2048, 8192), f.side = 128;
	f.is_double = a->size == APP_PAPER;
	f.cdf = (double *)app_host(a, f.n, sizeof *f.cdf);
	f.marks = (double *)app_host(a, f.n, sizeof *f.marks);
	f.frames = app_pick(a, 4, 3, 4, 3);
	uint32_t pixels = f.side * f.side, apart = f.is_double ? f.frames : 1;
	unsigned char *frame = (unsigned char *)app_host(a, pixels, 1);
	unsigned char *video = (unsigned char *)app_host(a, pixels, apart);
	void *d[ARRAYS], *dvideo = app_device(a, "frame", pixels * apart);
	struct memory m = {dvideo, NULL, NULL, NULL};
	m.partial = app_device(a, "sums", (f.is_double ? sizeof(double) : sizeof(float)) * (app_ceil(f.n, BLOCK) + 1));
	draw_offsets(&f);
	if (f.is_double) {
		m.disc = app_upload(a, "disc", f.offset, sizeof f.offset);
		m.places = app_device(a, "places", sizeof(int) * DISC * f.n);
	} else {
		APP_TO_SYMBOL(a, offsets, f.offset, sizeof *f.offset * 2 * POINTS);
	}
	for (int i = 0; i < ARRAYS; i++) {
		f.p[i] = (float *)app_host(a, f.n, sizeof **f.p);
		for (uint32_t j = 0; j < f.n; j++)
			f.p[i][j] = i == WEIGHT ? 1.0f / (float)f.n : i == XJ || i == YJ ? (float)f.side / 2 : 0;
		d[i] = upload(a, &f, f.p[i]);
	}
	for (uint32_t t = 0; t < f.frames; t++) {
		draw_frame(a, frame, f.side, t);
		for (uint32_t i = 0; i < pixels; i++)
			video[i * apart + (f.is_double ? t : 0)] = frame[i];
		app_to_device(a, dvideo, video, pixels * apart);
		run_frame(a, &f, d, &m, t);
		reference_weights(&f, frame, t);
		fetch(a, &f, d[CDF], f.cdf);
		fetch(a, &f, d[U], f.marks);
		reference_positions(&f);
		check(a, &f, d, X, 0);
		check(a, &f, d, Y, 0);
		check(a, &f, d, WEIGHT, 1e-4f);
		check(a, &f, d, XJ, 0);
		check(a, &f, d, YJ, 0);
	}
}
