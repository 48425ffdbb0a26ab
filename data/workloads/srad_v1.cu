/* srad_v1 - speckle-reducing anisotropic diffusion of an ultrasound-like image, as Rodinia's first version: a
 * thread a cell, arrays of neighbours' indices, sums by a reduction kernel. Columns of the image are
 * contiguous. */
#include <math.h>

#include "srad.h"

enum { BLOCK = 512 };

#ifdef __CUDACC__
extern "C" __global__ void srad_extract(int n, float *image)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		image[i] = expf(image[i] / 255);
}

extern "C" __global__ void srad_compress(int n, float *image)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		image[i] = logf(image[i]) * 255;
}

extern "C" __global__ void srad_prepare(int n, const float *image, float *sums, float *sums2)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n) {
		sums[i] = image[i];
		sums2[i] = image[i] * image[i];
	}
}

/* Sums of 512 neighbouring elements, which are `stride` apart, to the place of the first. */
extern "C" __global__ void srad_reduce(int n, int stride, float *sums, float *sums2)
{
	__shared__ float a[BLOCK], b[BLOCK];
	int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
	a[t] = i < n ? sums[i * stride] : 0;
	b[t] = i < n ? sums2[i * stride] : 0;
	__syncthreads();
	for (int half = BLOCK / 2; half > 0; half /= 2) {
		if (t < half) {
			a[t] += a[t + half];
			b[t] += b[t + half];
		}
		__syncthreads();
	}
	if (t == 0) {
		sums[i * stride] = a[0];
		sums2[i * stride] = b[0];
	}
}

extern "C" __global__ void
srad_coefficients(int rows, int n, const int *north, const int *south, const int *west, const int *east,
                  const float *image, float *c, float *dn, float *ds, float *dw, float *de, float q0sqr)
{
	int i = blockIdx.x * BLOCK + threadIdx.x, col = i / rows, row = i % rows;
	if (i >= n)
		return;
	float jc = image[i];
	float n_ = image[north[row] + rows * col] - jc, s = image[south[row] + rows * col] - jc;
	float w = image[row + rows * west[col]] - jc, e = image[row + rows * east[col]] - jc;
	c[i] = srad_coefficient(jc, n_, s, w, e, q0sqr);
	dn[i] = n_;
	ds[i] = s;
	dw[i] = w;
	de[i] = e;
}

extern "C" __global__ void srad_update(int rows, int n, const int *south, const int *east, float *image,
                                       const float *c, const float *dn, const float *ds, const float *dw,
                                       const float *de)
{
	int i = blockIdx.x * BLOCK + threadIdx.x, col = i / rows, row = i % rows;
	if (i >= n)
		return;
	float here = c[i], cs = c[south[row] + rows * col], ce = c[row + rows * east[col]];
	float d = here * dn[i] + cs * ds[i] + here * dw[i] + ce * de[i];
	image[i] += 0.25f * SRAD_LAMBDA * d;
}
#endif

static void *neighbours(struct app *a, const char *name, uint32_t n, int step)
{
	int32_t *p = (int32_t *)app_host(a, n, sizeof *p);
	for (uint32_t i = 0; i < n; i++) {
		int64_t at = (int64_t)i + step;
		p[i] = (int32_t)(at < 0 ? 0 : at >= n ? n - 1 : at);
	}
	return app_upload(a, name, p, sizeof *p * n);
}

/* Totals of both arrays, in place, by launches over ever fewer elements. */
static void reduce_all(struct app *a, void *sums, void *sums2, uint32_t n)
{
	for (uint32_t stride = 1, left = n; left > 1; stride *= BLOCK, left = app_ceil(left, BLOCK))
		APP_LAUNCH(a, srad_reduce, app_1d(app_ceil(left, BLOCK)), app_1d(BLOCK), 0, &left, &stride,
		           &sums, &sums2);
}

/* The image as grey levels, and the reference's, whose rows are contiguous: it sees it transposed. */
static void *make_image(struct app *a, struct srad *s)
{
	size_t n = (size_t)s->rows * s->cols;
	input_image(a, s->c, s->cols, s->rows);
	for (size_t i = 0; i < n; i++) {
		s->c[i] *= 255;
		s->j[i] = expf(s->c[i] / 255);
	}
	return app_upload(a, "image", s->c, sizeof *s->c * n);
}

APP(srad_v1)
{
	uint32_t rows = app_pick(a, 502, 256, 502, 502), cols = app_pick(a, 89, 256, 458, 458);
	uint32_t n = rows * cols, steps = app_pick(a, 3, 2, 3, 20);
	size_t bytes = n * sizeof(float);
	struct srad s;
	srad_allocate(a, &s, cols, rows);
	void *image = make_image(a, &s), *d[5], *sum[2];
	void *in = neighbours(a, "iN", rows, -1), *is = neighbours(a, "iS", rows, 1);
	void *jw = neighbours(a, "jW", cols, -1), *je = neighbours(a, "jE", cols, 1);
	static const char *const names[5] = {"c", "dN", "dS", "dW", "dE"};
	for (int i = 0; i < 5; i++)
		d[i] = app_device(a, names[i], bytes);
	for (int i = 0; i < 2; i++)
		sum[i] = app_device(a, i ? "sums2" : "sums", bytes);
	struct app_dims grid = app_1d(app_ceil(n, BLOCK)), block = app_1d(BLOCK);
	APP_LAUNCH(a, srad_extract, grid, block, 0, &n, &image);
	for (uint32_t t = 0; t < steps; t++) {
		float total, total2;
		APP_LAUNCH(a, srad_prepare, grid, block, 0, &n, &image, &sum[0], &sum[1]);
		reduce_all(a, sum[0], sum[1], n);
		app_to_host(a, &total, sum[0], sizeof total);
		app_to_host(a, &total2, sum[1], sizeof total2);
		float q0sqr = srad_speckle((double)total, (double)total2, n);
		APP_LAUNCH(a, srad_coefficients, grid, block, 0, &rows, &n, &in, &is, &jw, &je, &image,
		           &d[0], &d[1], &d[2], &d[3], &d[4], &q0sqr);
		APP_LAUNCH(a, srad_update, grid, block, 0, &rows, &n, &is, &je, &image, &d[0], &d[1],
		           &d[2], &d[3], &d[4]);
		srad_reference(&s, q0sqr);
	}
	APP_LAUNCH(a, srad_compress, grid, block, 0, &n, &image);
	for (uint32_t i = 0; i < n; i++)
		s.c[i] = 255 * logf(s.j[i]);
	app_to_host(a, s.j, image, bytes);
	/* Grey levels up to 255: the squeezed range of the logarithm loses three digits. */
	app_check_floats(a, "image", s.j, s.c, n, 2e-3f);
}
