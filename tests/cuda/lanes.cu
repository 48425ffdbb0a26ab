/* What boards do with lanes that a program treats carelessly: barriers behind an early return, loops around barriers that some leave
 * first, votes of lanes that leave themselves out, indexes of shared memory that go round, and shuffles of what one lane alone has
 * set. And kernels of one program that
 * take most of shared memory each. Prints what is not so. */
#include <cstdio>

enum { THREADS = 128, WORK = 125 };

/* The last three threads of a block have returned before the barriers of the others. */
__global__ void return_early(const int *in, int *out, int rounds)
{
	__shared__ int all[THREADS];
	int t = (int)threadIdx.x, sum = 0;
	if (t >= WORK)
		return;
	for (int i = 0; i < rounds; i++) {
		all[t] = in[t] + i;
		__syncthreads();
		sum += all[(t + 5) % WORK];
		__syncthreads();
	}
	out[t] = sum;
}

/* Each lane names those below it. */
__global__ void vote_below(const int *in, int *out)
{
	unsigned below = (1u << threadIdx.x) - 1;
	out[threadIdx.x] = __popc(__ballot_sync(below, in[threadIdx.x] & 1));
}

/* -1 - i as a number without a sign, behind the end of an array. */
__global__ void index_backwards(int *out)
{
	__shared__ int all[THREADS];
	unsigned t = threadIdx.x;
	all[t] = (int)(3 * t);
	__syncthreads();
	const int *end = all + blockDim.x;
	out[t] = end[~t];
}

/* Lanes turn different numbers of times around a barrier, and meet behind the loop. */
__global__ void turn_around(int *out)
{
	int t = (int)threadIdx.x, turns = t % 7, sum = 0;
	for (int i = 0; i < turns; i++) {
		sum += i + t;
		__syncthreads();
	}
	out[t] = sum;
	if (t & 1)
		out[t] += 1000;
}

/* One lane adds for those of its warp that come here, and the others get their number of it; they set nothing themselves. */
__global__ void add_for_others(const int *in, int *counter, int *out)
{
	int t = (int)threadIdx.x, old;
	out[t] = -1;
	if (in[t] & 1) {
		unsigned here = __ballot_sync(~0u, 1);
		int leader = __ffs((int)here) - 1;
		if (t % 32 == leader)
			old = atomicAdd(counter, __popc(here));
		old = __shfl_sync(~0u, old, leader);
		out[t] = old + __popc(here & ((1u << t % 32) - 1));
	}
}

/* Every kernel that calls it has one of its own. */
__device__ __noinline__ int count_threads()
{
	__shared__ int threads;
	threads = 0;
	__syncthreads();
	atomicAdd(&threads, 1);
	__syncthreads();
	return threads;
}

template <int kernel> __global__ void fill_room(int *out)
{
	__shared__ int all[11000];
	for (int i = (int)threadIdx.x; i < 11000; i += (int)blockDim.x)
		all[i] = i + kernel;
	int threads = count_threads();
	out[threadIdx.x] = all[10999 - threadIdx.x] + threads;
}

template <int kernel> static int check_room(int *out)
{
	struct cudaFuncAttributes a;
	int wrong = 0;
	fill_room<kernel><<<2, THREADS>>>(out);
	wrong += cudaDeviceSynchronize() != cudaSuccess;
	for (int i = 0; i < THREADS; i++)
		wrong += out[i] != 10999 - i + kernel + THREADS;
	cudaFuncGetAttributes(&a, fill_room<kernel>);
	return wrong + (a.sharedSizeBytes < 44000 || a.sharedSizeBytes > 44100) +
	       (kernel ? check_room<kernel ? kernel - 1 : 0>(out) : 0);
}

int main()
{
	int *in, *out, wrong[6] = {0}, below = 0;
	cudaMallocManaged(&in, THREADS * sizeof *in);
	cudaMallocManaged(&out, (THREADS + 1) * sizeof *out);
	for (int i = 0; i < THREADS; i++)
		in[i] = i * i % 37;
	return_early<<<1, THREADS>>>(in, out, 3);
	cudaDeviceSynchronize();
	for (int i = 0; i < WORK; i++)
		wrong[0] += out[i] != 3 * in[(i + 5) % WORK] + 3;
	vote_below<<<1, 32>>>(in, out);
	cudaDeviceSynchronize();
	for (int i = 0; i < 32; i++) {
		wrong[1] += out[i] != below;
		below += in[i] & 1;
	}
	index_backwards<<<1, THREADS>>>(out);
	printf("%s: ", cudaGetErrorString(cudaDeviceSynchronize()));
	for (int i = 0; i < THREADS; i++)
		wrong[2] += out[i] != 3 * (THREADS - 1 - i);
	wrong[3] = check_room<7>(out);
	turn_around<<<1, THREADS>>>(out);
	wrong[4] = cudaDeviceSynchronize() != cudaSuccess;
	for (int i = 0; i < THREADS; i++) {
		int turns = i % 7;
		wrong[4] += out[i] != turns * (turns - 1) / 2 + turns * i + (i & 1 ? 1000 : 0);
	}
	int *counter = out + THREADS;
	*counter = 0;
	add_for_others<<<1, THREADS>>>(in, counter, out);
	wrong[5] = cudaDeviceSynchronize() != cudaSuccess;
	below = 0;
	for (int i = 0; i < THREADS; i++)
		wrong[5] += out[i] != (in[i] & 1 ? below++ : -1);
	wrong[5] += *counter != below;
	printf("%d %d %d %d %d %d wrong\n", wrong[0], wrong[1], wrong[2], wrong[3], wrong[4], wrong[5]);
	return wrong[0] || wrong[1] || wrong[2] || wrong[3] || wrong[4] || wrong[5];
}
