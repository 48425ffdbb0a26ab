/* Device code in two sources: functions and variables of linked_other.cu, and names that each source has for itself. */
#include "linked.h"

static __device__ int own = 1;
static __device__ __noinline__ int twice(int x)
{
	__shared__ int kept[32];
	kept[threadIdx.x] = x;
	__syncthreads();
	return 2 * kept[threadIdx.x];
}

__device__ int here(int x)
{
	return twice(x) + 1;
}

static __global__ void use(int *out)
{
	shape s(4);
	const shape *any = &s;
	out[0] = there(10);
	out[1] = depth++;
	out[2] = (int)(100 * table[2]);
	out[3] = managed + shelf::books;
	out[4] = count(1);
	out[5] = any->area();
	own += 10;
	printf("%s: %d\n", "linked", out[0]);
}

int main()
{
	int *out, seen[3], set = 70;
	float back = 0;
	cudaMallocManaged(&out, 64);
	managed += 4;
	cudaMemcpyToSymbol(depth, &set, sizeof set);
	use<<<1, 1>>>(out);
	launch_other(out + 8);
	cudaDeviceSynchronize();
	for (int i = 0; i < 11; i++)
		printf("%d%c", out[i], i == 10 ? '\n' : ' ');
	cudaMemcpyFromSymbol(&seen[0], depth, sizeof *seen);
	cudaMemcpyFromSymbol(&seen[1], own, sizeof *seen);
	cudaMemcpyFromSymbol(&seen[2], shelf::books, sizeof *seen);
	cudaMemcpyFromSymbol(&back, table, sizeof back, 4);
	printf("depth %d, own %d and %d, books %d, table %g, managed %d\n", seen[0], seen[1],
	       other_own(), seen[2], back, managed);
	printf("%s\n", cudaGetErrorString(cudaGetLastError()));
	return 0;
}
