/* particlefilter_naive - the resampling search of Rodinia's particle filter alone, by linear search, in double. */
#include "inputs.h"

enum { BLOCK = 128, ARRAYS = 6, X = 0, Y, CDF, U, XJ, YJ };

#ifdef __CUDACC__
extern "C" __global__ void particle_naive_find(const double *x, const double *y, const double *cdf, const double *u,
                                               double *xj, double *yj, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, index = -1;
	if (i >= n)
		return;
	for (int j = 0; j < n; j++)
		if (cdf[j] >= u[i]) {
			index = j;
			break;
		}
	if (index == -1)
		index = n - 1;
	xj[i] = x[index];
	yj[i] = y[index];
}
#endif

APP(particlefilter_naive)
{
	uint32_t n = app_pick(a, 800, 1500, 2500, 10000), frames = app_pick(a, 3, 4, 5, 3);
	size_t bytes = n * sizeof(double);
	static const char *const names[ARRAYS] = {"x", "y", "CDF", "u", "xj", "yj"};
	double *p[ARRAYS];
	void *d[ARRAYS];
	uint32_t *right = (uint32_t *)app_host(a, n, sizeof *right), *all = (uint32_t *)app_host(a, n, sizeof *all);
	for (int i = 0; i < ARRAYS; i++) {
		p[i] = (double *)app_host(a, n, sizeof **p);
		d[i] = app_device(a, names[i], bytes);
	}
	for (uint32_t t = 0; t < frames; t++) {
		double sum = 0, first = (double)app_unit(a) / n;
		for (uint32_t i = 0; i < n; i++) {
			/* Few particles carry most of the weight once the filter has locked on. */
			double u = (double)app_unit(a);
			p[CDF][i] = sum += u * u * u * u + 1e-3;
			p[X][i] = 64 + (double)app_unit(a);
			p[Y][i] = 64 + (double)app_unit(a);
		}
		for (uint32_t i = 0; i < n; i++) {
			p[CDF][i] /= sum;
			p[U][i] = first + (double)i / n;
		}
		for (int i = X; i <= U; i++)
			app_to_device(a, d[i], p[i], bytes);
		APP_LAUNCH(a, particle_naive_find, app_1d(app_ceil(n, BLOCK)), app_1d(BLOCK), 0, &d[X], &d[Y],
		           &d[CDF], &d[U], &d[XJ], &d[YJ], &n);
		app_to_host(a, p[XJ], d[XJ], bytes);
		app_to_host(a, p[YJ], d[YJ], bytes);
		for (uint32_t i = 0, j = 0; i < n; i++) {
			/* Marks and sums rise. */
			while (j < n - 1 && p[CDF][j] < p[U][i])
				j++;
			all[i] = 1;
			right[i] = p[XJ][i] == p[X][j] && p[YJ][i] == p[Y][j];
		}
		app_check_words(a, "particle is right", right, all, n);
	}
}
