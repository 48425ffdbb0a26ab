/* MT19937: one CTA makes words, 624 of each state; other kernels make of them what distributions are. */
#include "rand.cuh"

enum { N = CT_RANDOM_TWISTER, MIDDLE = CT_RANDOM_TWISTER_MIDDLE };

/* The next state, in parts whose words want only older ones and those of the parts before. */
static __device__ void twist(uint32_t *state)
{
	for (int begin = 0; begin < N; begin += N - MIDDLE) {
		int i = begin + threadIdx.x, end = begin + (N - MIDDLE) < N ? begin + (N - MIDDLE) : N;
		uint32_t next = 0;
		if (i < end)
			next = ct_random_twist(state[i], state[(i + 1) % N], state[(i + MIDDLE) % N]);
		__syncthreads();
		if (i < end)
			state[i] = next;
		__syncthreads();
	}
}

/* Writes g.items words. Behind the state lies how many of its words have been given. */
extern "C" __global__ __launch_bounds__(CT_RAND_THREADS) void ct_rand_mt19937(ct_rand_arguments g)
{
	__shared__ uint32_t state[N];
	uint32_t *kept = (uint32_t *)g.from, *to = (uint32_t *)g.to, at = kept[N];
	for (int i = threadIdx.x; i < N; i += CT_RAND_THREADS)
		state[i] = kept[i];
	__syncthreads();
	for (uint64_t done = 0; done < g.items;) {
		if (at == N) {
			twist(state);
			at = 0;
		}
		uint32_t n = g.items - done < N - at ? uint32_t(g.items - done) : N - at;
		for (uint32_t i = threadIdx.x; i < n; i += CT_RAND_THREADS)
			to[done + i] = ct_random_temper(state[at + i]);
		done += n;
		at += n;
	}
	for (int i = threadIdx.x; i < N; i += CT_RAND_THREADS)
		kept[i] = state[i];
	if (threadIdx.x == 0)
		kept[N] = at;
}

struct given : words32 {
	static __device__ void block(const ct_rand_arguments &g, uint64_t number, uint32_t *w)
	{
		uint4 v = ((const uint4 *)g.from)[number];
		w[0] = v.x;
		w[1] = v.y;
		w[2] = v.z;
		w[3] = v.w;
	}
};
template <class Distribution> static __device__ __forceinline__ void draw(const ct_rand_arguments &g)
{
	draw_blocks<given, Distribution>(g);
}
CT_RAND_KERNELS(mt19937, draw, given)
