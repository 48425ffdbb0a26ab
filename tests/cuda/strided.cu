/* Reads with a stride of 33 words, so that one load is guilty; half of the instructions come from a file of its own. */
#include <cuda_runtime.h>

#include "strided.cuh"

__global__ void strided(const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;
	for (int k = 0; k < 4; k++)
		sum += x[(i + k) * 33 % n];
	y[i] = sum + second(y, i, n);
}

int main()
{
	const int n = 1 << 18;
	float *x, *y;
	cudaMalloc(&x, n * sizeof *x);
	cudaMalloc(&y, n * sizeof *y);
	strided<<<16, 256>>>(x, y, n);
	return cudaDeviceSynchronize() != cudaSuccess;
}
