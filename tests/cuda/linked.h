/* What two sources share: each has device functions and variables that the other uses. */
#include <cstdio>
#include <cuda_runtime.h>

extern __device__ int depth; /* of linked_other.cu */
extern __constant__ float table[4];
extern __managed__ int managed;
namespace shelf
{
extern __device__ int books;
}

__device__ int there(int x); /* of linked_other.cu */
__device__ int here(int x);  /* of linked.cu */

struct shape {
	int side;
	__device__ shape(int n) : side(n)
	{
	}
	__device__ virtual int area() const;
};

/* Both sources make this one, which has one counter. */
template <class T> __device__ __noinline__ T count(T x)
{
	static __device__ T sum;
	return sum += x;
}

void launch_other(int *out);
int other_own();
