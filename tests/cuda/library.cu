/* CUB and Thrust as Debian has them: parts of blocks, and algorithms of whole arrays. Prints what is wrong. */
#include <cstdio>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

enum { THREADS = 128, N = 3000 };

__global__ void in_blocks(const int *in, int *out)
{
	typedef cub::BlockReduce<int, THREADS> reduce;
	typedef cub::BlockScan<int, THREADS> scan;
	__shared__ typename reduce::TempStorage a;
	__shared__ typename scan::TempStorage b;
	int v = in[threadIdx.x], before, sum = reduce(a).Sum(v);
	scan(b).ExclusiveSum(v, before);
	out[threadIdx.x] = before;
	if (threadIdx.x == 0)
		out[THREADS] = sum;
}

int main()
{
	thrust::host_vector<int> h(N), sorted;
	unsigned seed = 1;
	int sum = 0, wrong[4] = {0};
	for (int i = 0; i < N; i++) {
		seed = seed * 1664525 + 1013904223;
		sum += h[i] = (int)(seed >> 20);
	}
	thrust::device_vector<int> d = h, sums(N), out(THREADS + 1);
	in_blocks<<<1, THREADS>>>(thrust::raw_pointer_cast(d.data()), thrust::raw_pointer_cast(out.data()));
	thrust::exclusive_scan(thrust::device, d.begin(), d.end(), sums.begin());
	thrust::host_vector<int> scanned = sums, blocks = out;
	for (int i = 0, before = 0; i < N; before += h[i++]) {
		wrong[0] += i <= THREADS && blocks[i] != before;
		wrong[1] += scanned[i] != before;
	}
	wrong[2] = thrust::reduce(d.begin(), d.end()) != sum;
	thrust::sort(d.begin(), d.end());
	sorted = d;
	std::sort(h.begin(), h.end());
	for (int i = 0; i < N; i++)
		wrong[3] += sorted[i] != h[i];
	printf("%s: blocks %d, scan %d, sum %d, sort %d wrong\n", cudaGetErrorString(cudaDeviceSynchronize()), wrong[0],
	       wrong[1], wrong[2], wrong[3]);
	return wrong[0] || wrong[1] || wrong[2] || wrong[3];
}
