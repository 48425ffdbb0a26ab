/* libor - the LIBOR market model by Monte Carlo as in the ISPASS suite: a path per thread, whose rates are in
 * local memory. */
#include <math.h>

#include "inputs.h"

enum { RATES = 80, STEPS = 40, OPTIONS = 15, BLOCK = 64 };

#define DELTA 0.25f

#ifdef __CUDACC__
__constant__ float volatility[RATES], strikes[OPTIONS];
__constant__ int maturities[OPTIONS + 1];

extern "C" __global__ void libor_portfolio(float *values, const float *shocks, int paths)
{
	int path = blockIdx.x * blockDim.x + threadIdx.x;
	float rate[RATES];
	for (int i = 0; i < RATES; i++)
		rate[i] = 0.05f;
	for (int step = 0; step < STEPS; step++) {
		float shock = 0.5f /* root of DELTA */ * shocks[path + step * paths], drift = 0;
		for (int i = step + 1; i < RATES; i++) {
			/* The volatility of rate i, i - step - 1 periods before it is set. */
			float lambda = volatility[i - step - 1], con = DELTA * lambda;
			drift += __fdividef(con * rate[i], 1.0f + DELTA * rate[i]);
			rate[i] *= __expf(con * (drift - 0.5f * lambda) + lambda * shock);
		}
	}
	/* Bond prices from the moved curve, sums of them, and the swaptions that are due. */
	float bond = 1, swap = 0, value = 0;
	for (int j = STEPS, option = 0; j < RATES; j++) {
		bond = __fdividef(bond, 1.0f + DELTA * rate[j]);
		swap += DELTA * bond;
		if (j == maturities[option]) {
			float gain = bond + strikes[option] * swap - 1.0f;
			if (gain < 0)
				value -= 100.0f * gain;
			option++;
		}
	}
	values[path] = value;
}
#endif

static double value_of(const float *z, uint32_t paths, const float *vol, const float *strike, const int *due)
{
	double rate[RATES], bond = 1, swap = 0, value = 0, delta = (double)DELTA;
	for (int i = 0; i < RATES; i++)
		rate[i] = (double)0.05f;
	for (int s = 0; s < STEPS; s++) {
		double drift = 0, shock = 0.5 * (double)z[(size_t)s * paths];
		for (int i = s + 1; i < RATES; i++) {
			double lambda = (double)vol[i - s - 1], con = delta * lambda;
			drift += con * rate[i] / (1 + delta * rate[i]);
			rate[i] *= exp(con * (drift - 0.5 * lambda) + lambda * shock);
		}
	}
	for (int j = STEPS, o = 0; j < RATES; j++) {
		bond /= 1 + delta * rate[j];
		swap += delta * bond;
		if (j == due[o]) {
			double gain = bond + (double)strike[o++] * swap - 1;
			if (gain < 0)
				value -= 100 * gain;
		}
	}
	return value;
}

APP(libor)
{
	uint32_t paths = app_pick(a, 256, 1024, 4096, 16384);
	int due[OPTIONS + 1];
	float vol[RATES], strike[OPTIONS];
	for (int i = 0; i < RATES; i++)
		vol[i] = 0.2f;
	for (int o = 0; o < OPTIONS; o++) {
		due[o] = STEPS + (o < 9 ? 2 * o + 1 : 3 * o - 6);
		strike[o] = 0.045f + 0.005f * (float)(o % 6);
	}
	due[OPTIONS] = 0;
	float *z = (float *)app_host(a, (size_t)paths * STEPS, sizeof *z);
	float *want = (float *)app_host(a, paths, sizeof *want), *got = (float *)app_host(a, paths, sizeof *got);
	/* About normal: the sum of twelve uniform numbers. */
	for (size_t i = 0; i < (size_t)paths * STEPS; i++) {
		z[i] = -6;
		for (int j = 0; j < 12; j++)
			z[i] += app_unit(a);
	}
	APP_TO_SYMBOL(a, volatility, vol, sizeof vol);
	APP_TO_SYMBOL(a, strikes, strike, sizeof strike);
	APP_TO_SYMBOL(a, maturities, due, sizeof due);
	const void *shocks = app_upload(a, "shocks", z, sizeof *z * paths * STEPS);
	void *values = app_device(a, "values", sizeof *got * paths);
	APP_LAUNCH(a, libor_portfolio, app_1d(paths / BLOCK), app_1d(BLOCK), 0, &values, &shocks, &paths);
	for (uint32_t p = 0; p < paths; p++)
		want[p] = (float)value_of(z + p, paths, vol, strike, due);
	app_to_host(a, got, values, sizeof *got * paths);
	app_check_floats(a, "value", got, want, paths, 1e-3f);
}
