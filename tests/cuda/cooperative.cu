/* Blocks that wait for one another: all of the grid in a cooperative launch, and a barrier of the program's own where the environment
 * lets blocks run side by side (CACHETRIAGE_RESIDENT). Groups of a size that is known when the kernel runs. Prints what is not so. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

#include "expect.h"

enum { THREADS = 96 };

/* Each block takes what the next one left in the round before. */
__global__ void pass_on(int *from, int *to, int rounds)
{
	cg::grid_group grid = cg::this_grid();
	for (int i = 0; i < rounds; i++) {
		unsigned n = (unsigned)grid.num_threads(), t = (unsigned)grid.thread_rank();
		to[t] = from[(t + THREADS) % n] + 1;
		grid.sync();
		int *other = from;
		from = to;
		to = other;
	}
}

/* A barrier as programs write it: blocks count themselves in, and wait without sleeping. */
__device__ volatile unsigned came;
__global__ void wait_by_hand(int *out)
{
	__threadfence();
	if (threadIdx.x == 0) {
		atomicAdd((unsigned *)&came, 1u);
		while (came < gridDim.x)
			;
	}
	__syncthreads();
	out[blockIdx.x * blockDim.x + threadIdx.x] = (int)came;
}

__device__ int add_up(const cg::thread_group &g, int *shared, int v)
{
	unsigned rank = g.thread_rank();
	for (unsigned i = g.size() / 2; i > 0; i /= 2) {
		shared[rank] = v;
		g.sync();
		if (rank < i)
			v += shared[rank + i];
		g.sync();
	}
	return v;
}

__global__ void groups(int *out)
{
	__shared__ int shared[64];
	int t = (int)threadIdx.x;
	cg::thread_block block = cg::this_thread_block();
	cg::thread_group tile = cg::tiled_partition(block, 16);
	int all = add_up(block, shared, t), part = add_up(tile, shared + t / 16 * 16, t);
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
	cg::thread_block_tile<8> eight = cg::tiled_partition<8>(warp);
	cg::coalesced_group odd = cg::binary_partition(warp, t & 1), half = cg::tiled_partition(odd, 8),
			    like = cg::labeled_partition(warp, t / 3);
	out[t] = t == 0 ? all : (int)block.thread_rank();
	out[64 + t] = tile.thread_rank() == 0 ? part : (int)tile.size();
	out[128 + t] = (int)(100 * odd.size() + odd.thread_rank());
	out[192 + t] = half.shfl(t, 0);
	out[256 + t] = (int)(100 * like.size() + eight.thread_rank());
}

/* Tiles of several warps. */
__global__ void wide_tiles(int *out)
{
	__shared__ cg::block_tile_memory<256> memory;
	cg::thread_block block = cg::this_thread_block(memory);
	cg::thread_block_tile<64> tile = cg::tiled_partition<64>(block);
	cg::thread_block_tile<128> pair = cg::tiled_partition<128>(block);
	int t = (int)threadIdx.x;
	int sum = cg::reduce(tile, t, cg::plus<int>()), most = cg::reduce(pair, t % 50, cg::greater<int>());
	out[t] = sum + (int)tile.thread_rank();
	out[256 + t] = 1000 * most + 10 * tile.shfl(t, 40) + 2 * tile.any(t == 70) + tile.all(t >= 64);
}

static void check_wide_tiles()
{
	int *out;
	cudaMallocManaged(&out, 512 * sizeof *out);
	wide_tiles<<<1, 256>>>(out);
	cudaDeviceSynchronize();
	for (int t = 0; t < 256; t++) {
		int first = t / 64 * 64;
		expect("sums of tiles of two warps", out[t], 64 * first + 63 * 32 + t % 64);
		expect("the most, a shuffle and votes of wide tiles", out[256 + t],
		       1000 * 49 + 10 * (first + 40) + 2 * (first == 64) + (first >= 64));
	}
}

static void check_groups()
{
	int *out;
	cudaMallocManaged(&out, 320 * sizeof *out);
	groups<<<1, 64>>>(out);
	cudaDeviceSynchronize();
	for (int t = 0; t < 64; t++) {
		int first = t / 16 * 16, in_warp = t % 32;
		expect("a group that is the block", out[t], t == 0 ? 63 * 32 : t);
		expect("tiles of a size that is not constant", out[64 + t], t % 16 ? 16 : 16 * first + 120);
		expect("binary_partition", out[128 + t], 1600 + in_warp / 2);
		expect("tiles of lanes that are together", out[192 + t], t / 16 * 16 + t % 2);
		int begin = t / 3 * 3, warp = t / 32 * 32;
		int from = begin > warp ? begin : warp, to = begin + 3 < warp + 32 ? begin + 3 : warp + 32;
		expect("labeled_partition", out[256 + t], 100 * (to - from) + t % 8);
	}
}

static void check_grid(int blocks, int rounds)
{
	int *a, *b, n = blocks * THREADS;
	cudaMallocManaged(&a, n * sizeof *a);
	cudaMallocManaged(&b, n * sizeof *b);
	for (int i = 0; i < n; i++)
		a[i] = i;
	void *arguments[] = {&a, &b, &rounds};
	expect("cudaLaunchCooperativeKernel",
	       cudaLaunchCooperativeKernel(pass_on, dim3(blocks), dim3(THREADS), arguments), cudaSuccess);
	expect("its kernel", cudaDeviceSynchronize(), cudaSuccess);
	for (int i = 0; i < n; i++)
		expect("rounds of the grid", (rounds & 1 ? b : a)[i], (i + rounds * THREADS) % n + rounds);
}

/* As many blocks as the board holds, and one more. */
static void check_size()
{
	int blocks, sms, rounds = 1, *a;
	cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, pass_on, THREADS, 0);
	expect("blocks of an SM", blocks, 2048 / THREADS);
	cudaMallocManaged(&a, (size_t)sms * blocks * THREADS * sizeof *a);
	void *arguments[] = {&a, &a, &rounds};
	expect("a launch of all that fit",
	       cudaLaunchCooperativeKernel(pass_on, dim3(sms * blocks), dim3(THREADS), arguments), cudaSuccess);
	expect("a launch of more",
	       cudaLaunchCooperativeKernel(pass_on, dim3(sms * blocks + 1), dim3(THREADS), arguments),
	       cudaErrorCooperativeLaunchTooLarge);
	expect("its error", cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "alone") == 0) {
		int *a;
		cudaMallocManaged(&a, 4 * THREADS * sizeof *a);
		pass_on<<<4, THREADS>>>(a, a, 1);
		printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
		return 0;
	}
	if (argc > 1) {
		int *out;
		cudaMallocManaged(&out, 640 * sizeof *out);
		wait_by_hand<<<10, 64>>>(out);
		cudaDeviceSynchronize();
		for (int i = 0; i < 640; i++)
			expect("a barrier of the program's own", out[i], 10);
	} else {
		check_groups();
		check_wide_tiles();
		check_grid(1, 3);
		check_grid(13, 4);
		check_size();
	}
	printf("%s: %d failures\n", cudaGetErrorString(cudaGetLastError()), failures);
	return failures != 0;
}
