/* The other source of linked.cu. */
#include "linked.h"

__device__ int depth = 7;
__constant__ float table[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__managed__ int managed = 30;
namespace shelf {
__device__ int books = 200;
}

static __device__ int own = 2;
static __device__ __noinline__ int twice(int x)
{
	return 20 * x;
}

__device__ int shape::area() const
{
	return side * side;
}

__device__ int there(int x)
{
	return twice(x) + here(x);
}

static __global__ void use(int *out)
{
	out[0] = here(3);
	out[1] = count(2);
	out[2] = depth;
	own += 20;
	managed++;
	printf("%s: %d\n", "other", out[0]);
}

void launch_other(int *out)
{
	use<<<1, 1>>>(out);
}

int other_own()
{
	int n = 0;
	cudaMemcpyFromSymbol(&n, own, sizeof n);
	return n;
}
