/* The other unit of texture.cu. */
#include <cuda_runtime.h>

static __device__ int own = 20;

static __global__ void read_line(int *out)
{
	*out = own++;
}

int other_unit(void)
{
	int *out, got;
	cudaMalloc((void **)&out, sizeof *out);
	read_line<<<1, 1>>>(out);
	read_line<<<1, 1>>>(out);
	cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
	cudaFree(out);
	return got;
}
