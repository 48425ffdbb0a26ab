/* y += x by a first launch, then twice by a second kernel; prints, and fails as its arguments ask:
 * "far" reads behind the array, "status" ends with 3, "abort" kills itself, "none" launches nothing,
 * "loop" waits for a later block, "unset" reads what nothing has written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

__device__ int hits;

__global__ void add(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += x[i];
	if (i == 3)
		printf("thread %d of %s: %.1f\n", i, "add", y[i]);
	if (i < 2)
		atomicAdd(&hits, 1);
}

__global__ void twice(float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] *= 2;
}

__global__ void wait_for_last(volatile int *flag)
{
	if (blockIdx.x == gridDim.x - 1)
		*flag = 1;
	while (!*flag)
		;
}

int main(int argc, char **argv)
{
	const int n = 1000;
	const char *how = argc > 1 ? argv[1] : "";
	static float x[n], y[n];
	float *dx, *dy;
	int got, bad = 0;
	for (int i = 0; i < n; i++)
		x[i] = i, y[i] = 1;
	if (strcmp(how, "none") == 0)
		return 0;
	cudaMalloc((void **)&dx, sizeof x);
	cudaMalloc((void **)&dy, sizeof y);
	if (strcmp(how, "unset") != 0)
		cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
	cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
	if (strcmp(how, "loop") == 0) {
		cudaMemset(dx, 0, 4);
		wait_for_last<<<2, 32>>>((int *)dx);
	}
	add<<<(n + 127) / 128, 128>>>(dy, dx, strcmp(how, "far") == 0 ? n + 1 : n);
	twice<<<(n + 255) / 256, 256>>>(dy, n);
	twice<<<(n + 255) / 256, 256>>>(dy, n);
	cudaError_t e = cudaDeviceSynchronize();
	printf("%s\n", cudaGetErrorString(e));
	if (e != cudaSuccess)
		return 4;
	if (strcmp(how, "abort") == 0)
		abort();
	cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost);
	cudaMemcpyFromSymbol(&got, hits, sizeof got);
	for (int i = 0; i < n; i++)
		bad += y[i] != 4 * (1 + (strcmp(how, "unset") == 0 ? 0.0f : i));
	printf("%d wrong, %d hits\n", bad, got);
	cudaFree(dx);
	cudaFree(dy);
	return strcmp(how, "status") == 0 ? 3 : bad != 0;
}
