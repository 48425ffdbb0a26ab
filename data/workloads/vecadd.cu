/* vecadd - the sum of two vectors. */
#include "app.h"

#ifdef __CUDACC__
extern "C" __global__ void vecadd(const float *x, const float *y, float *sum, uint32_t n)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		sum[i] = x[i] + y[i];
}
#endif

APP(vecadd)
{
	/* Not a multiple of the block: the last warp is partly masked. */
	uint32_t n = app_pick(a, 50000, 1000000, 8000000, 16000000) + 7;
	size_t bytes = n * sizeof(float);
	float *x = (float *)app_host(a, n, sizeof *x), *y = (float *)app_host(a, n, sizeof *y);
	float *want = (float *)app_host(a, n, sizeof *want), *got = (float *)app_host(a, n, sizeof *got);
	for (uint32_t i = 0; i < n; i++) {
		x[i] = app_unit(a);
		y[i] = app_unit(a);
		want[i] = x[i] + y[i];
	}
	const void *dx = app_upload(a, "x", x, bytes), *dy = app_upload(a, "y", y, bytes);
	void *dsum = app_device(a, "sum", bytes);
	APP_LAUNCH(a, vecadd, app_1d(app_ceil(n, 256)), app_1d(256), 0, &dx, &dy, &dsum, &n);
	app_to_host(a, got, dsum, bytes);
	app_check_floats(a, "sum", got, want, n, 0);
}
