/* What kernels may ask of the headers, each checked against plain C on the host: prints the names that disagree. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuda/std/cassert>
#include <cuda/std/utility>
#include <cuda_fp16.h>
#include <device_launch_parameters.h>

namespace cg = cooperative_groups;

#include "expect.h"

struct counters {
	int i, least, most, bits, swapped;
	unsigned int u, wraps, down;
	unsigned long long l;
	float f;
	double d;
	half h[2];
	half2 pair;
};

__global__ void atomics(counters *c)
{
	int t = (int)threadIdx.x;
	atomicAdd(&c->i, t);
	atomicSub(&c->i, 1);
	atomicMin(&c->least, t - 7);
	atomicMax(&c->most, t * 3);
	atomicOr(&c->bits, 1 << t % 20);
	atomicAnd(&c->bits, ~(1 << 19));
	atomicXor(&c->bits, 1 << 25);
	atomicAdd(&c->u, 2u);
	atomicInc(&c->wraps, 9u);
	atomicDec(&c->down, 9u);
	atomicAdd(&c->l, 1ull << 40);
	atomicAdd(&c->f, 0.5f);
	atomicAdd(&c->d, 0.25);
	atomicCAS(&c->swapped, t, t + 1);
	atomicAdd(&c->h[1], half(0.5f));
	atomicAdd(&c->pair, half2(half(1.0f), half(2.0f)));
}

static void check_atomics()
{
	counters *c;
	cudaMallocManaged(&c, sizeof *c);
	memset(c, 0, sizeof *c);
	atomics<<<2, 64>>>(c);
	cudaDeviceSynchronize();
	expect("atomicAdd, atomicSub", c->i, 2 * 63 * 32 - 128);
	expect("atomicMin", c->least, -7);
	expect("atomicMax", c->most, 189);
	expect("atomicOr, atomicAnd, atomicXor", c->bits, (1 << 19) - 1);
	expect("atomicAdd of unsigned", c->u, 256);
	expect("atomicInc", c->wraps, 128 % 10);
	expect("atomicDec", c->down, 2);
	expect("atomicAdd of 64 bits", (long long)c->l, 128ll << 40);
	expect("atomicAdd of float", (long long)c->f, 64);
	expect("atomicAdd of double", (long long)c->d, 32);
	expect("atomicCAS", c->swapped, 64);
	expect("atomicAdd of half", (long long)(float)c->h[1], 64);
	expect("atomicAdd of half2", (long long)(float)c->pair.x + (long long)(float)c->pair.y, 384);
	cudaFree(c);
}

enum { LANES = 32 };

struct three {
	int i;
	double d;
	char c;
};

__global__ void warps(int *out)
{
	int t = (int)threadIdx.x, *o = out + t * 24;
	double d = t + 0.5;
	*o++ = __shfl_sync(0xffffffffu, t, 5);
	*o++ = __shfl_up_sync(0xffffffffu, t, 3);
	*o++ = __shfl_down_sync(0xffffffffu, t, 3, 16);
	*o++ = (int)(2 * __shfl_xor_sync(0xffffffffu, d, 7));
	*o++ = (int)__ballot_sync(0xffffffffu, t % 3 == 0);
	*o++ = __any_sync(0xffffffffu, t == 31) + 2 * __all_sync(0xffffffffu, t < 31);
	*o++ = (int)__match_any_sync(0xffffffffu, t % 4);
	*o++ = t < 8 ? (int)__activemask() : 0;
	*o++ = __syncthreads_count(t > 20) + 100 * __syncthreads_and(t < 32) + 1000 * __syncthreads_or(t > 40);
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
	*o++ = cg::reduce(tile, t, cg::plus<int>());
	*o++ = (int)tile.thread_rank() + 100 * tile.shfl(t, 2) + 10000 * (int)tile.meta_group_rank();
	*o++ = (int)tile.ballot(t & 1);
	*o++ = cg::inclusive_scan(tile, t) + 1000 * cg::exclusive_scan(tile, t, cg::greater<int>());
	three v = tile.shfl_xor(three{t, 2.0 * t, (char)t}, 5);
	*o++ = v.i + (int)v.d + v.c;
	__shared__ int from[LANES], to[LANES];
	from[t] = 3 * t;
	block.sync();
	cg::memcpy_async(block, to, from, sizeof from);
	cg::wait(block);
	*o++ = to[LANES - 1 - t];
	block.sync();
	if (t % 5 == 0) {
		cg::coalesced_group some = cg::coalesced_threads();
		*o++ = (int)some.thread_rank() + 100 * (int)some.size() + 10000 * some.shfl(t, 2);
	}
}

static void check_warps()
{
	int *out, fives = 7;
	cudaMallocManaged(&out, LANES * 24 * sizeof *out);
	warps<<<1, LANES>>>(out);
	cudaDeviceSynchronize();
	for (int t = 0; t < LANES; t++) {
		const int *o = out + t * 24;
		expect("__shfl_sync", *o++, 5);
		expect("__shfl_up_sync", *o++, t < 3 ? t : t - 3);
		expect("__shfl_down_sync", *o++, t % 16 + 3 > 15 ? t : t + 3);
		expect("__shfl_xor_sync of double", *o++, 2 * (t ^ 7) + 1);
		expect("__ballot_sync", *o++, 0x49249249);
		expect("__any_sync, __all_sync", *o++, 1);
		expect("__match_any_sync", *o++, 0x11111111 << t % 4);
		expect("__activemask", *o++, t < 8 ? 0xff : 0);
		expect("__syncthreads_count, and, or", *o++, 11 + 100);
		expect("reduce", *o++, 8 * (t & ~7) + 28);
		expect("thread_block_tile", *o++, t % 8 + 100 * ((t & ~7) + 2) + 10000 * (t / 8));
		expect("tile.ballot", *o++, 0xaa);
		expect("inclusive_scan, exclusive_scan", *o++,
		       (t % 8 + 1) * (2 * (t & ~7) + t % 8) / 2 + 1000 * (t % 8 ? t - 1 : 0));
		expect("shfl_xor of a struct", *o++, 4 * (t ^ 5));
		expect("memcpy_async", *o++, 3 * (LANES - 1 - t));
		if (t % 5 == 0)
			expect("coalesced_threads", *o++, t / 5 + 100 * fives + 10000 * 10);
	}
	cudaFree(out);
}

__global__ void integers(long long *out, unsigned int a, unsigned int b, long long l, float f, double d)
{
	*out++ = __clz((int)a) + 100 * __popc(a) + 10000 * __ffs((int)a) + 1000000 * __clzll(l);
	*out++ = __brev(a);
	*out++ = __byte_perm(a, b, 0x1604);
	*out++ = __umulhi(a, b);
	*out++ = __mulhi((int)a, (int)b);
	*out++ = (long long)__umul64hi((unsigned long long)l << 20, 12345678901234567ull);
	*out++ = __funnelshift_l(a, b, 9);
	*out++ = __funnelshift_r(a, b, 9);
	*out++ = __dp4a((int)a, (int)b, 5);
	*out++ = __float2int_rn(f) + 100 * __float2int_rz(f) + 10000 * __float2int_ru(f) + 1000000 * __float2int_rd(f);
	*out++ = __double2ll_rd(d);
	*out++ = __float_as_int(f);
	*out++ = __double_as_longlong(__hiloint2double(__double2hiint(d), __double2loint(d)));
	*out++ = __float_as_int(__fadd_ru(1.0f, 1e-10f)) - __float_as_int(__fadd_rd(1.0f, 1e-10f));
	*out++ = (long long)min(a, b) + max((int)a, 3) + abs(-7) + (int)fmaxf(2.0f, f) + (int)std::min(3.5, d);
	*out++ = __half_as_ushort(__hadd(half(1.5f), half(0.25f))) + 65536ll * __half_as_ushort(__hfma2(half2(half(2.0f), half(3.0f)), half2(half(4.0f), half(5.0f)), half2(half(1.0f), half(1.0f))).y);
	*out = __ldg(out - 1) == out[-1];
}

static unsigned int reversed(unsigned int v)
{
	unsigned int r = 0;
	for (int i = 0; i < 32; i++)
		r |= (v >> i & 1) << (31 - i);
	return r;
}

static void check_integers()
{
	unsigned int a = 0x00f2b360, b = 0x9e3779b9;
	long long *out, l = 0x123456789ll;
	float f = -2.5f;
	double d = -3.75;
	cudaMallocManaged(&out, 32 * sizeof *out);
	integers<<<1, 1>>>(out, a, b, l, f, d);
	cudaDeviceSynchronize();
	long long *o = out;
	expect("__clz, __popc, __ffs, __clzll", *o++, 8 + 100 * __builtin_popcount(a) + 10000 * 6 + 1000000 * 31);
	expect("__brev", *o++, reversed(a));
	expect("__byte_perm", *o++, 0xb33760b9);
	expect("__umulhi", *o++, (long long)((unsigned long long)a * b >> 32));
	expect("__mulhi", *o++, (long long)(int)a * (int)b >> 32);
	expect("__umul64hi", *o++, (long long)((unsigned __int128)((unsigned long long)l << 20) * 12345678901234567ull >> 64));
	expect("__funnelshift_l", *o++, (unsigned int)(b << 9 | a >> 23));
	expect("__funnelshift_r", *o++, (unsigned int)(b << 23 | a >> 9));
	int dot = 5;
	for (int i = 0; i < 32; i += 8)
		dot += (signed char)(a >> i) * (signed char)(b >> i);
	expect("__dp4a", *o++, dot);
	expect("__float2int", *o++, -2 + 100 * -2 + 10000 * -2 + 1000000 * -3);
	expect("__double2ll_rd", *o++, -4);
	expect("__float_as_int", *o++, (int)0xc0200000);
	expect("__hiloint2double", *o++, (long long)0xc00e000000000000ull);
	expect("__fadd_ru, __fadd_rd", *o++, 1);
	expect("min, max, abs", *o++, (long long)a + a + 7 + 2 - 3);
	expect("half", *o++, 0x3f00 + 65536ll * 0x4c00);
	expect("__ldg", *o++, 1);
	cudaFree(out);
	expect("half of the host", __half_as_ushort(half(0.1f)) + __half_as_ushort(half(1e-6f)) + __half_as_ushort(half(70000.0f)),
	       0x2e66 + 0x11 + 0x7c00);
	expect("half of the host, back", (long long)(__half2float(__ushort_as_half(0x3555)) * 1e6f), 333251);
}

texture<float, 1> line;
texture<uchar4, 1, cudaReadModeNormalizedFloat> colours;
texture<float, 2> plane;
__constant__ int table[8];
__device__ double scale = 2.0;

__global__ void reads(float *out, cudaTextureObject_t object)
{
	int t = (int)threadIdx.x;
	extern __shared__ float buffer[];
	buffer[t] = tex1Dfetch(line, t) * (float)scale + (float)table[t];
	__syncthreads();
	float4 c = tex1Dfetch(colours, t);
	out[t] = buffer[7 - t] + c.y * 255.0f + tex2D(plane, (float)(t % 4) + 0.5f, (float)(t / 4) + 0.5f) + tex1Dfetch<float>(object, t);
}

static void check_memory()
{
	float host[8] = {0, 1, 2, 3, 4, 5, 6, 7}, *p, *out, got[8];
	uchar4 colour[8], *q;
	int numbers[8] = {100, 200, 300, 400, 500, 600, 700, 800};
	double two = 10;
	cudaArray_t array;
	for (int i = 0; i < 8; i++)
		colour[i] = make_uchar4(1, (unsigned char)(10 * i), 3, 4);
	cudaMalloc(&p, sizeof host);
	cudaMalloc(&q, sizeof colour);
	cudaMalloc(&out, sizeof got);
	cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
	cudaMemcpy(q, colour, sizeof colour, cudaMemcpyHostToDevice);
	cudaMemcpyToSymbol(table, numbers, sizeof numbers);
	cudaMemcpyToSymbol(scale, &two, sizeof two);
	cudaBindTexture(NULL, line, p, sizeof host);
	cudaBindTexture(NULL, colours, q, sizeof colour);
	cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
	cudaMallocArray(&array, &channels, 4, 2);
	cudaMemcpyToArray(array, 0, 0, host, sizeof host, cudaMemcpyHostToDevice);
	cudaBindTextureToArray(plane, array);
	cudaResourceDesc resource = {};
	cudaTextureDesc how = {};
	cudaTextureObject_t object = 0;
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = p;
	resource.res.linear.desc = channels;
	resource.res.linear.sizeInBytes = 3 * sizeof host; /* boards do not ask how far memory goes */
	cudaCreateTextureObject(&object, &resource, &how, NULL);
	reads<<<1, 8, sizeof got>>>(out, object);
	cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
	expect("no error", cudaGetLastError(), cudaSuccess);
	for (int t = 0; t < 8; t++)
		expect("textures, constants, shared memory", (long long)(got[t] + 0.5f), 10 * (7 - t) + numbers[7 - t] + 10 * t + t + t);
}

__global__ void takes(int **kept, int words)
{
	int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int *mine = (int *)malloc(words * sizeof *mine);
	for (int i = 0; mine && i < words; i++)
		mine[i] = t + i;
	kept[t] = mine;
}

__global__ void gives(int **kept, long long *sum, int words)
{
	int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	for (int i = 0; i < words; i++)
		atomicAdd((unsigned long long *)sum, (unsigned long long)kept[t][i]);
	free(kept[t]);
}

/* Memory that kernels allocate stays theirs from launch to launch, and comes back when it is freed. */
static void check_heap()
{
	int **kept;
	long long *sum, want = 0;
	size_t heap = 0;
	cudaMallocManaged(&kept, 256 * sizeof *kept);
	cudaMallocManaged(&sum, sizeof *sum);
	for (int t = 0; t < 256; t++)
		want += 3 * (t + 1);
	for (int round = 0; round < 3; round++) {
		*sum = 0;
		takes<<<4, 64>>>(kept, 3);
		gives<<<4, 64>>>(kept, sum, 3);
		cudaDeviceSynchronize();
		expect("malloc and free", *sum, want);
	}
	cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
	takes<<<1, 32>>>(kept, (int)(heap / 16));
	expect("malloc when the heap is full", (kept[0] != NULL) + 10 * (kept[31] != NULL), 1);
	expect("no error of the heap", cudaDeviceSynchronize(), cudaSuccess);
}

/* The builtin indices are a dim3 or a uint3 wherever one is wanted. */
__device__ dim3 block()
{
	return blockIdx;
}
__device__ unsigned int digits(dim3 d)
{
	return d.x + d.y * 10 + d.z * 100;
}
__device__ unsigned int first(uint3 d)
{
	return d.x;
}
__global__ void convert_indices(unsigned int *sum)
{
	dim3 a(threadIdx), b = gridDim, c(gridDim);
	uint3 d = blockDim;
	int e = 1, f = 2;
	cuda::std::swap(e, f);
	assert(e == 2 && f == 1);
	if (threadIdx.x == 0)
		*sum = digits(block()) + digits(blockDim) * 10 + digits(gridDim) + first(threadIdx) + first(gridDim) + a.x + b.y + d.z + c.z;
}

/* Bounds of launches say how many registers there are, whatever the kernel would like to have. */
__global__ void __launch_bounds__(1024, 2) many_registers(float *p)
{
	float a[60];
	for (int i = 0; i < 60; i++)
		a[i] = p[threadIdx.x + i * 1024];
	__syncthreads();
	for (int i = 0; i < 60; i++)
		p[threadIdx.x * 60 + i] = a[i] * a[59 - i];
}

static void check_indices()
{
	unsigned int *sum;
	cudaMallocManaged(&sum, sizeof *sum);
	convert_indices<<<dim3(1, 2, 3), dim3(4, 2)>>>(sum);
	if (cudaDeviceSynchronize() != cudaSuccess)
		*sum = 0;
	/* The last block is (0, 1, 2): 210 of itself, 10 times 124, 321 of the grid, and 0 + 1 + 0 + 2 + 1 + 3. */
	expect("indices", *sum, 210 + 1240 + 321 + 7);
	int blocks = 0;
	expect("occupancy with flags", cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, convert_indices, 128, 0, 0), 0);
	expect("blocks that fit", blocks > 0, 1);
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, many_registers, 1024, 0);
	expect("blocks that bounds of launches promise", blocks, 2);
	cudaFree(sum);
}

/* A bit for each kind that a number is of. */
__global__ void kinds(const float *f, int *bits)
{
	const float x = f[threadIdx.x];
	const double y = x;
	bits[threadIdx.x] = (__isnanf(x) != 0) | (__isinff(x) != 0) << 1 | (__finitef(x) != 0) << 2 | (__signbitf(x) != 0) << 3 |
			    (__isnan(y) != 0) << 4 | (__isinf(y) != 0) << 5 | (__finite(y) != 0) << 6 | (__signbit(y) != 0) << 7;
}

static void check_kinds()
{
	const float number[] = {1, -0.0f, INFINITY, -INFINITY, NAN};
	const int want[] = {0x44, 0xcc, 0x22, 0xaa, 0x11};
	float *f;
	int *bits;
	cudaMallocManaged(&f, sizeof number);
	cudaMallocManaged(&bits, sizeof want);
	memcpy(f, number, sizeof number);
	kinds<<<1, 5>>>(f, bits);
	cudaDeviceSynchronize();
	bits[4] &= 0x77; /* boards' NaN has any sign */
	for (int i = 0; i < 5; i++)
		expect("kinds of numbers", bits[i], want[i]);
	cudaFree(f);
	cudaFree(bits);
}

int main()
{
	check_heap();
	check_kinds();
	check_atomics();
	check_warps();
	check_integers();
	check_memory();
	check_indices();
	if (!failures)
		puts("all as in C");
	return failures != 0;
}
