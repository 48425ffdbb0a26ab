/* srad.h - speckle-reducing anisotropic diffusion, in plain C: what both versions are checked against. */
#ifndef CT_WORKLOADS_SRAD_H
#define CT_WORKLOADS_SRAD_H

#include "inputs.h"

#define SRAD_LAMBDA 0.5f

struct srad {
	uint32_t rows, cols;
	float *j, *c, *dn, *ds, *dw, *de; /* image, coefficients, differences */
};

static inline void srad_allocate(struct app *a, struct srad *s, uint32_t rows, uint32_t cols)
{
	size_t n = (size_t)rows * cols;
	s->rows = rows, s->cols = cols;
	s->j = (float *)app_host(a, n, sizeof *s->j);
	s->c = (float *)app_host(a, n, sizeof *s->c);
	s->dn = (float *)app_host(a, n, sizeof *s->dn);
	s->ds = (float *)app_host(a, n, sizeof *s->ds);
	s->dw = (float *)app_host(a, n, sizeof *s->dw);
	s->de = (float *)app_host(a, n, sizeof *s->de);
}

static inline float srad_clip(float x)
{
	return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* One iteration; borders mirror. */
static inline void srad_reference(struct srad *s, float q0sqr)
{
	uint32_t rows = s->rows, cols = s->cols;
	for (uint32_t y = 0; y < rows; y++)
		for (uint32_t x = 0; x < cols; x++) {
			size_t i = (size_t)y * cols + x;
			float jc = s->j[i];
			s->dn[i] = s->j[y ? i - cols : i] - jc;
			s->ds[i] = s->j[y + 1 < rows ? i + cols : i] - jc;
			s->dw[i] = s->j[x ? i - 1 : i] - jc;
			s->de[i] = s->j[x + 1 < cols ? i + 1 : i] - jc;
			float g2 = (s->dn[i] * s->dn[i] + s->ds[i] * s->ds[i] + s->dw[i] * s->dw[i] +
			            s->de[i] * s->de[i]) /
			           (jc * jc);
			float l = (s->dn[i] + s->ds[i] + s->dw[i] + s->de[i]) / jc;
			float den = 1 + 0.25f * l, qsqr = (0.5f * g2 - 0.0625f * l * l) / (den * den);
			s->c[i] = srad_clip(1 / (1 + (qsqr - q0sqr) / (q0sqr * (1 + q0sqr))));
		}
	for (uint32_t y = 0; y < rows; y++)
		for (uint32_t x = 0; x < cols; x++) {
			size_t i = (size_t)y * cols + x;
			float cs = s->c[y + 1 < rows ? i + cols : i],
			      ce = s->c[x + 1 < cols ? i + 1 : i];
			float d = s->c[i] * s->dn[i] + cs * s->ds[i] + s->c[i] * s->dw[i] +
			          ce * s->de[i];
			s->j[i] += 0.25f * SRAD_LAMBDA * d;
		}
}

/* Variance over squared mean of an image, from the sums of its cells and of their squares. */
static inline float srad_speckle(double sum, double sum2, size_t n)
{
	double mean = sum / (double)n, var = sum2 / (double)n - mean * mean;
	return (float)(var / (mean * mean));
}

#ifdef __CUDACC__
/* Diffusion coefficient of a cell from its four differences, clipped to [0, 1]. */
static __device__ inline float
srad_coefficient(float jc, float dn, float ds, float dw, float de, float q0sqr)
{
	float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (jc * jc);
	float l = (dn + ds + dw + de) / jc;
	float num = 0.5f * g2 - 0.0625f * (l * l), den = 1 + 0.25f * l;
	float qsqr = num / (den * den);
	den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
	float c = 1.0f / (1.0f + den);
	return c < 0 ? 0 : c > 1 ? 1 : c;
}
#endif

#endif
