/* reduction - the sum of a vector as SHOC's: CTAs with a grid stride, a tree in shared memory, shuffles in the last
 * warp. */
#include "inputs.h"

enum { BLOCK = 256, CTAS = 64 };

#ifdef __CUDACC__
extern "C" __global__ void reduce(const float *in, float *sums, int n)
{
	__shared__ float s[BLOCK];
	int t = threadIdx.x;
	float sum = 0;
	for (int i = blockIdx.x * 2 * BLOCK + t; i < n; i += 2 * BLOCK * gridDim.x)
		sum += in[i] + in[i + BLOCK];
	s[t] = sum;
	__syncthreads();
	for (int half = BLOCK / 2; half >= 32; half /= 2) {
		if (t < half)
			s[t] += s[t + half];
		__syncthreads();
	}
	if (t >= 32)
		return;
	sum = s[t];
	for (int half = 16; half > 0; half /= 2)
		sum += __shfl_down_sync(0xffffffff, sum, half);
	if (t == 0)
		sums[blockIdx.x] = sum;
}
#endif

APP(reduction)
{
	uint32_t n = app_pick(a, 512 * 1024, 2048 * 1024, 8192 * 1024, 16384 * 1024);
	const float *x = input_floats(a, n, 0, 1);
	float parts[CTAS], got, want;
	const void *in = app_upload(a, "in", x, sizeof *x * n);
	void *sums = app_device(a, "sums", sizeof parts);
	for (uint32_t round = 0; round < app_pick(a, 2, 4, 5, 8); round++)
		APP_LAUNCH(a, reduce, app_1d(CTAS), app_1d(BLOCK), 0, &in, &sums, &n);
	app_to_host(a, parts, sums, sizeof parts);
	double exact = 0, sum = 0;
	for (uint32_t i = 0; i < n; i++)
		exact += (double)x[i];
	for (uint32_t i = 0; i < CTAS; i++)
		sum += (double)parts[i];
	want = (float)(exact / n);
	got = (float)(sum / n);
	app_check_floats(a, "mean", &got, &want, 1, 1e-5f);
}
