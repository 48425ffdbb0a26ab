/* Copies into shared memory that do not pass through registers, in groups and in stages, barriers in memory, and atomic numbers, against plain
 * C. Prints what is not so. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/type_traits>
#include <cuda_pipeline.h>
#include <utility>

namespace cg = cooperative_groups;

#include "expect.h"

enum { THREADS = 64, ROUNDS = 7, STAGES = 3, WORDS = THREADS * 4 };

/* One thread's copies: two groups are on their way while the third is used; the last four bytes of each copy are zeros. */
__global__ void primitives(const int4 *in, int *out)
{
	__shared__ int4 s[STAGES][THREADS];
	int t = (int)threadIdx.x, sum = 0;
	for (int i = 0; i < ROUNDS + STAGES - 1; i++) {
		if (i < ROUNDS)
			__pipeline_memcpy_async(&s[i % STAGES][t], &in[i * THREADS + t], 16, 4);
		__pipeline_commit();
		if (i < STAGES - 1)
			continue;
		__pipeline_wait_prior(STAGES - 1);
		int4 v = s[(i - STAGES + 1) % STAGES][t];
		sum += v.x + 3 * v.y + 5 * v.z + 7 * v.w;
	}
	out[t] = sum;
}

/* Half of the block copies, the other half computes. */
__global__ void roles(const int *in, int *out)
{
	__shared__ alignas(16) int s[2][WORDS];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> shared;
	cg::thread_block block = cg::this_thread_block();
	int t = (int)threadIdx.x;
	bool copies = t < THREADS / 2;
	auto pipe = cuda::make_pipeline(block, &shared, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
	int sum = 0;
	for (int i = 0; i < ROUNDS; i++)
		if (copies) {
			pipe.producer_acquire();
			for (int k = t; k < WORDS / 4; k += THREADS / 2)
				cuda::memcpy_async((int4 *)s[i % 2] + k, (const int4 *)(in + i * WORDS) + k,
						   cuda::aligned_size_t<16>(16), pipe);
			pipe.producer_commit();
		} else {
			pipe.consumer_wait();
			for (int k = t - THREADS / 2; k < WORDS; k += THREADS / 2)
				sum += (i + 1) * s[i % 2][k];
			pipe.consumer_release();
		}
	if (!copies)
		out[t - THREADS / 2] = sum;
}

/* All threads copy together and compute together. */
__global__ void stages(const int *in, int *out)
{
	__shared__ int s[STAGES][WORDS];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> shared;
	cg::thread_block block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &shared);
	int sum = 0;
	for (int i = 0, next = 0; i < ROUNDS; i++) {
		for (; next < ROUNDS && next < i + STAGES; next++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, s[next % STAGES], in + next * WORDS, sizeof(int) * WORDS, pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		for (int k = (int)threadIdx.x; k < WORDS; k += THREADS)
			sum += (i + 1) * s[i % STAGES][k];
		pipe.consumer_release();
	}
	out[threadIdx.x] = sum;
}

/* A block's barrier: what is written before it, others read behind it; a copy of the group; a thread of one's own. */
__global__ void barriers(const int *in, int *out)
{
	__shared__ int s[WORDS], sums[THREADS];
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	cg::thread_block block = cg::this_thread_block();
	int t = (int)threadIdx.x, sum = 0;
	if (t == 0)
		init(&bar, THREADS);
	block.sync();
	for (int i = 0; i < ROUNDS; i++) {
		cuda::memcpy_async(block, s, in + i * WORDS, sizeof(int) * WORDS, bar);
		bar.arrive_and_wait();
		for (int k = 0; k < 4; k++)
			sum += s[(t * 4 + k + 5) % WORDS];
		auto token = bar.arrive();
		sum++;
		bar.wait(std::move(token));
	}
	sums[t] = sum;
	cg::sync(block);
	cg::memcpy_async(block, s, sums, sizeof sums);
	cg::wait(block);
	out[t] = s[THREADS - 1 - t];
}

struct counters {
	cuda::atomic<int> i;
	cuda::atomic<unsigned long long, cuda::thread_scope_device> l;
	cuda::atomic<float> f;
	int least, most, taken, first;
	cuda::atomic<float> lowest, highest;
	cuda::atomic<unsigned char> small[6];
	cuda::atomic<short> lower;
	cuda::atomic<bool> said;
};

__global__ void atomics(counters *c)
{
	int t = (int)(threadIdx.x + blockIdx.x * blockDim.x), expected = c->i.load(cuda::memory_order_relaxed);
	while (!c->i.compare_exchange_weak(expected, expected + t))
		;
	c->l += 1ull << 33;
	c->l--;
	c->f.fetch_add(0.5f, cuda::memory_order_relaxed);
	cuda::atomic_ref<int, cuda::thread_scope_device>(c->least).fetch_min(3 - t);
	cuda::atomic_ref<int>(c->most).fetch_max(t * 5);
	if (cuda::atomic_ref<int>(c->taken).exchange(1) == 0)
		cuda::atomic_ref<int>(c->first)++;
	static_assert(cuda::std::is_same<int, int>::value, "names of std");
	c->lowest.fetch_min(-0.5f * (float)t);
	c->highest.fetch_max(-1.5f - (float)t);
	volatile counters *v = c;
	v->small[t & 3].fetch_add(3, cuda::memory_order_relaxed);
	v->small[4].fetch_max((unsigned char)t);
	v->small[5].fetch_or((unsigned char)(1 << (t & 6)));
	v->lower.fetch_sub((short)1);
	if (!v->said.exchange(true))
		v->lower.fetch_sub((short)1000);
}

static int *ints(int n)
{
	int *p;
	cudaMallocManaged(&p, (size_t)n * sizeof *p);
	return p;
}

int main()
{
	int *in = ints(ROUNDS * WORDS), *out = ints(THREADS);
	for (int i = 0; i < ROUNDS * WORDS; i++)
		in[i] = (i * 7919) % 1009;
	primitives<<<1, THREADS>>>((const int4 *)in, out);
	cudaDeviceSynchronize();
	for (int t = 0; t < THREADS; t++) {
		int sum = 0;
		for (int i = 0; i < ROUNDS; i++) {
			const int *v = in + (i * THREADS + t) * 4;
			sum += v[0] + 3 * v[1] + 5 * v[2];
		}
		expect("groups of copies, with zeros", out[t], sum);
	}
	for (int which = 0; which < 2; which++) {
		int threads = which ? THREADS : THREADS / 2;
		if (which)
			stages<<<1, THREADS>>>(in, out);
		else
			roles<<<1, THREADS>>>(in, out);
		cudaDeviceSynchronize();
		for (int t = 0; t < threads; t++) {
			int sum = 0;
			for (int i = 0; i < ROUNDS; i++)
				for (int k = t; k < WORDS; k += threads)
					sum += (i + 1) * in[i * WORDS + k];
			expect(which ? "stages that all fill" : "threads that copy, and others", out[t], sum);
		}
	}
	barriers<<<1, THREADS>>>(in, out);
	cudaDeviceSynchronize();
	for (int t = 0; t < THREADS; t++) {
		int sum = ROUNDS, from = THREADS - 1 - t;
		for (int i = 0; i < ROUNDS; i++)
			for (int k = 0; k < 4; k++)
				sum += in[i * WORDS + (from * 4 + k + 5) % WORDS];
		expect("barriers in memory", out[t], sum);
	}
	counters *c;
	cudaMallocManaged(&c, sizeof *c);
	c->i = 0;
	c->l = 0;
	c->f = 0;
	c->least = c->most = c->taken = c->first = 0;
	c->lowest = 0;
	c->highest = -3000;
	for (cuda::atomic<unsigned char> &small : c->small)
		small = 0;
	c->lower = 0;
	c->said = false;
	atomics<<<4, THREADS>>>(c);
	cudaDeviceSynchronize();
	expect("atomic: compare_exchange", c->i++, 255 * 128);
	expect("atomic: ++ of the host", c->i, 255 * 128 + 1);
	expect("atomic of 64 bits", (long long)c->l.load(), 256 * ((1ll << 33) - 1));
	expect("atomic of float", (long long)c->f, 128);
	expect("atomic_ref: fetch_min", c->least, 3 - 255);
	expect("atomic_ref: fetch_max", c->most, 1275);
	expect("atomic_ref: exchange", c->taken, 1);
	expect("atomic_ref: one that was first", c->first, 1);
	expect("atomic of float: fetch_min", (long long)(2 * c->lowest), -255);
	expect("atomic of float: fetch_max", (long long)(2 * c->highest), -3);
	for (int i = 0; i < 4; i++)
		expect("atomic of 8 bits: fetch_add", c->small[i], 64 * 3);
	expect("atomic of 8 bits: fetch_max", c->small[4]--, 255);
	expect("atomic of 8 bits: -- of the host", c->small[4], 254);
	expect("atomic of 8 bits: fetch_or", c->small[5], 1 | 4 | 16 | 64);
	expect("atomic of 16 bits: fetch_sub", c->lower, -1256);
	expect("atomic of bool", c->said, true);
	printf("%s: %d failures\n", cudaGetErrorString(cudaGetLastError()), failures);
	return failures != 0;
}
