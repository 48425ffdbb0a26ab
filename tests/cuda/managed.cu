/* __managed__ variables: the host and kernels see one memory, by either address. */
#include <cstdio>

__managed__ int x = 5;
__device__ __managed__ int big[3000];
static __managed__ float f = 1.5f;
__device__ int own = 3;
static int before = 9; /* beside them in the program's data */

__global__ void change(int *p)
{
	x += own;
	big[threadIdx.x + 2000] = x;
	p[1] = 77;
	f *= 2;
}

int main()
{
	int *p = NULL;
	printf("%d %g\n", x, (double)f);
	x = 40;
	change<<<1, 32>>>(big);
	cudaDeviceSynchronize();
	cudaGetSymbolAddress((void **)&p, x);
	printf("%d %d %d %g %d %d\n", x, big[2005], big[1], (double)f, *p, before);
	*p = 8;
	cudaDeviceReset();
	printf("%d\n", x);
	return 0;
}
