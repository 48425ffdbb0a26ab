/* blackscholes - option prices by the Black-Scholes formula as in the CUDA SDK: streaming, special functions. */
#include <math.h>

#include "inputs.h"

enum { BLOCK = 128, CTAS = 480, LAUNCHES = 2 };

#define RISKLESS 0.02f
#define VOLATILITY 0.30f

#ifdef __CUDACC__
/* Cumulative normal distribution (Abramowitz and Stegun 26.2.17). */
static __device__ float normal(float d)
{
	float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
	float poly = k * (0.31938153f +
	                  k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
	float tail = 0.39894228f * __expf(-0.5f * d * d) * poly;
	return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void blackscholes(float *call, float *put, const float *price, const float *strike,
                                        const float *years, int n)
{
	for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
		float d1 = __fdividef(__logf(__fdividef(s, x)) +
		                              (RISKLESS + 0.5f * VOLATILITY * VOLATILITY) * t,
		                      VOLATILITY * root);
		float n1 = normal(d1), n2 = normal(d1 - VOLATILITY * root);
		float discounted = x * __expf(-RISKLESS * t);
		call[i] = s * n1 - discounted * n2;
		put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
	}
}
#endif

APP(blackscholes)
{
	uint32_t n = app_pick(a, 50000, 400000, 1500000, 4000000) + 5;
	size_t bytes = n * sizeof(float);
	const float *s = input_floats(a, n, 5, 30), *x = input_floats(a, n, 1, 100);
	const float *t = input_floats(a, n, 0.25f, 10);
	float *want[2], *got = (float *)app_host(a, n, sizeof *got);
	for (int i = 0; i < 2; i++)
		want[i] = (float *)app_host(a, n, sizeof **want);
	void *call = app_device(a, "call", bytes), *put = app_device(a, "put", bytes);
	const void *price = app_upload(a, "price", s, bytes), *strike = app_upload(a, "strike", x, bytes);
	const void *years = app_upload(a, "years", t, bytes);
	for (int l = 0; l < LAUNCHES; l++)
		APP_LAUNCH(a, blackscholes, app_1d(CTAS), app_1d(BLOCK), 0, &call, &put, &price, &strike, &years,
		           &n);
	for (uint32_t i = 0; i < n; i++) {
		double ps = (double)s[i], px = (double)x[i], pt = (double)t[i], r = (double)RISKLESS;
		double v = (double)VOLATILITY, vt = v * sqrt(pt);
		double d1 = (log(ps / px) + (r + 0.5 * v * v) * pt) / vt;
		double n1 = 0.5 * erfc(-d1 / sqrt(2.0)), n2 = 0.5 * erfc(-(d1 - vt) / sqrt(2.0));
		want[0][i] = (float)(ps * n1 - px * exp(-r * pt) * n2);
		want[1][i] = (float)(px * exp(-r * pt) * (1 - n2) - ps * (1 - n1));
	}
	app_to_host(a, got, call, bytes);
	app_check_floats(a, "call", got, want[0], n, 1e-4f);
	app_to_host(a, got, put, bytes);
	app_check_floats(a, "put", got, want[1], n, 1e-4f);
}
