/* CUDA's run-time and driver API on modules that the test writes: what programs see of memory, launches, streams,
 * errors and the board. Kernels that fault, each in a process of its own: their error sticks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/cuda/cuda.h"
#include "data/cuda/cuda_runtime_api.h"
#include "runtime/register.h"

#define HEAD ".version 6.3\n.target sm_70\n.address_size 64\n"

/* y[i] += a * x[i] for i < n; a table in constant memory; a counter that blocks add to; dynamic shared memory. */
static const char text[] = HEAD
	".global .align 4 .u32 counter = 5;\n"
	".const .align 4 .b8 table[16];\n"
	".extern .shared .align 4 .b8 pool[];\n"
	".visible .entry saxpy(.param .u64 py, .param .u64 px, .param .f32 pa, .param .u32 pn)\n"
	"{\n"
	"	.reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<6>;\n"
	"	ld.param.u64 %rd1, [py];\n"
	"	ld.param.u64 %rd2, [px];\n"
	"	ld.param.f32 %f1, [pa];\n"
	"	ld.param.u32 %r1, [pn];\n"
	"	mov.u32 %r2, %ctaid.x;\n"
	"	mov.u32 %r3, %ntid.x;\n"
	"	mov.u32 %r4, %tid.x;\n"
	"	mad.lo.s32 %r5, %r2, %r3, %r4;\n"
	"	setp.ge.u32 %p1, %r5, %r1;\n"
	"	@%p1 bra done;\n"
	"	mul.wide.u32 %rd3, %r5, 4;\n"
	"	add.s64 %rd4, %rd1, %rd3;\n"
	"	add.s64 %rd5, %rd2, %rd3;\n"
	"	ld.global.f32 %f2, [%rd5];\n"
	"	ld.global.f32 %f3, [%rd4];\n"
	"	fma.rn.f32 %f3, %f1, %f2, %f3;\n"
	"	st.global.f32 [%rd4], %f3;\n"
	"done:\n"
	"	ret;\n"
	"}\n"
	".visible .entry count(.param .u64 pout)\n"
	"{\n"
	"	.reg .b32 %r<4>; .reg .b64 %rd<3>;\n"
	"	ld.param.u64 %rd1, [pout];\n"
	"	atom.global.add.u32 %r1, [counter], 1;\n"
	"	ld.const.u32 %r2, [table+4];\n"
	"	st.shared.u32 [pool], %r2;\n"
	"	ld.shared.u32 %r3, [pool];\n"
	"	st.global.u32 [%rd1], %r3;\n"
	"	ret;\n"
	"}\n"
	".visible .entry stop() { trap; }\n"
	".visible .entry far(.param .u64 p) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 1; "
	"ret; }\n";

/* What clang's code passes to __cudaRegisterFatBinary. */
struct wrapper {
	unsigned magic, version;
	const void *data;
	void *unused;
};

/* Their addresses are those of a program's stubs and shadows. */
static char saxpy, count, stop, far, unknown, counter_shadow, table_shadow;
static void **unit;

static void add_function(char *stub, const char *name)
{
	char device[16];
	snprintf(device, sizeof device, "%s", name);
	__cudaRegisterFunction(unit, stub, device, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static int set_up(void **state)
{
	static struct wrapper w = {0x466243b1, 1, text, NULL};
	(void)state;
	unit = __cudaRegisterFatBinary(&w);
	add_function(&saxpy, "saxpy");
	add_function(&count, "count");
	add_function(&stop, "stop");
	add_function(&far, "far");
	__cudaRegisterVar(unit, &counter_shadow, NULL, "counter", 0, 4, 0, 0);
	__cudaRegisterVar(unit, &table_shadow, NULL, "table", 0, 16, 1, 0);
	__cudaRegisterFatBinaryEnd(unit);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	cudaDeviceReset();
	__cudaUnregisterFatBinary(unit);
	return 0;
}

#define GOOD(call) assert_int_equal(call, cudaSuccess)
#define BAD(error, call) assert_int_equal(call, error)

static const dim3 one = {1, 1, 1};

static void a_kernel_computes(void **state)
{
	enum { N = 1000 };
	float x[N], y[N], *dx, *dy, a = 2.5f;
	unsigned n = N;
	void *arguments[] = {&dy, &dx, &a, &n};
	(void)state;
	for (int i = 0; i < N; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
	GOOD(cudaMalloc((void **)&dx, sizeof x));
	GOOD(cudaMalloc((void **)&dy, sizeof y));
	GOOD(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
	GOOD(cudaMemcpy(dy, y, sizeof y, cudaMemcpyDefault));
	GOOD(cudaLaunchKernel(&saxpy, (dim3){8, 1, 1}, (dim3){128, 1, 1}, arguments, 0, NULL));
	GOOD(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		assert_true(y[i] == fmaf(2.5f, (float)i, 1));
	GOOD(cudaFree(dx));
	GOOD(cudaFree(dy));
	BAD(cudaErrorInvalidValue, cudaFree(dy));
}

static void a_stub_launches_what_was_pushed(void **state)
{
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;
	(void)state;
	assert_int_equal(
		__cudaPushCallConfiguration((dim3){3, 2, 1}, (dim3){4, 5, 6}, 7, cudaStreamLegacy), 0);
	GOOD(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
	assert_true(grid.x == 3 && grid.y == 2 && block.z == 6 && shared == 7 &&
	            stream == cudaStreamLegacy);
	BAD(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
	BAD(cudaErrorMissingConfiguration, cudaGetLastError());
}

static void variables_are_reached_by_their_shadows(void **state)
{
	unsigned table[4] = {1, 22, 3, 4}, got, *out, old;
	void *p;
	size_t bytes;
	void *arguments[] = {&out};
	(void)state;
	GOOD(cudaMalloc((void **)&out, 4));
	GOOD(cudaGetSymbolSize(&bytes, &table_shadow));
	assert_int_equal(bytes, 16);
	GOOD(cudaMemcpyToSymbol(&table_shadow, table, sizeof table, 0, cudaMemcpyHostToDevice));
	GOOD(cudaMemcpyFromSymbol(&old, &counter_shadow, 4, 0, cudaMemcpyDeviceToHost));
	assert_int_equal(old, 5);
	GOOD(cudaLaunchKernel(&count, (dim3){3, 1, 1}, one, arguments, 64, NULL));
	GOOD(cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost));
	assert_int_equal(got, 22);
	GOOD(cudaGetSymbolAddress(&p, &counter_shadow));
	GOOD(cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost));
	assert_int_equal(got, 8);
	BAD(cudaErrorInvalidValue,
	    cudaMemcpyToSymbol(&table_shadow, table, 16, 4, cudaMemcpyHostToDevice));
	BAD(cudaErrorInvalidMemcpyDirection,
	    cudaMemcpyToSymbol(&table_shadow, table, 16, 0, cudaMemcpyDeviceToHost));
	BAD(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(&unknown, table, 4, 0, cudaMemcpyHostToDevice));
	GOOD(cudaFree(out));
}

static void impossible_launches_are_refused(void **state)
{
	void *p = NULL, *arguments[] = {&p};
	dim3 wide = {1025, 1, 1}, deep = {1, 1, 65}, none = {0, 1, 1}, high = {1, 65536, 1};
	(void)state;
	BAD(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(&unknown, one, one, arguments, 0, NULL));
	BAD(cudaErrorInvalidConfiguration, cudaLaunchKernel(&count, one, wide, arguments, 0, NULL));
	BAD(cudaErrorInvalidConfiguration, cudaLaunchKernel(&count, one, deep, arguments, 0, NULL));
	BAD(cudaErrorInvalidConfiguration, cudaLaunchKernel(&count, none, one, arguments, 0, NULL));
	BAD(cudaErrorInvalidConfiguration, cudaLaunchKernel(&count, high, one, arguments, 0, NULL));
	BAD(cudaErrorInvalidValue, cudaLaunchKernel(&count, one, one, arguments, 48 * 1024 + 1, NULL));
	BAD(cudaErrorInvalidValue, cudaGetLastError());
	GOOD(cudaGetLastError());
	/* A V100 has 96 KiB for a block that asks for it. */
	BAD(cudaErrorInvalidValue,
	    cudaFuncSetAttribute(&count, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024 + 1));
	GOOD(cudaMalloc(&p, 4));
	GOOD(cudaFuncSetAttribute(&count, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 * 1024));
	GOOD(cudaLaunchKernel(&count, one, one, arguments, 96 * 1024, NULL));
	GOOD(cudaFree(p));
	cudaGetLastError();
}

static void copies_stay_inside_allocations(void **state)
{
	char host[64] = "bytes", *a, *b;
	struct cudaPointerAttributes what;
	(void)state;
	GOOD(cudaMalloc((void **)&a, 64));
	GOOD(cudaMalloc((void **)&b, 64));
	assert_int_equal((uintptr_t)a % 512, 0);
	BAD(cudaErrorInvalidValue, cudaMemcpy(a, host, 65, cudaMemcpyHostToDevice));
	BAD(cudaErrorInvalidValue, cudaMemcpy(a + 1, host, 64, cudaMemcpyHostToDevice));
	BAD(cudaErrorInvalidValue, cudaMemcpy(host, host, 8, cudaMemcpyHostToDevice));
	BAD(cudaErrorInvalidValue, cudaMemcpy(NULL, a, 8, cudaMemcpyDeviceToHost));
	BAD(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, host, 8, (enum cudaMemcpyKind)7));
	GOOD(cudaMemcpy(a, host, 64, cudaMemcpyHostToDevice));
	GOOD(cudaMemcpy(b, a, 64, cudaMemcpyDeviceToDevice));
	memset(host, 0, sizeof host);
	GOOD(cudaMemcpyAsync(host, b, 64, cudaMemcpyDeviceToHost, NULL));
	assert_string_equal(host, "bytes");
	GOOD(cudaMemset(a, 'x', 3));
	GOOD(cudaMemcpy(host, a, 64, cudaMemcpyDeviceToHost));
	assert_string_equal(host, "xxxes");
	BAD(cudaErrorInvalidValue, cudaMemset(a, 0, 65));
	BAD(cudaErrorInvalidValue, cudaMemset(host, 0, 1));
	GOOD(cudaPointerGetAttributes(&what, a + 5));
	assert_true(what.type == cudaMemoryTypeDevice && what.hostPointer == NULL);
	GOOD(cudaPointerGetAttributes(&what, host));
	assert_true(what.type == cudaMemoryTypeUnregistered && what.devicePointer == NULL);
	GOOD(cudaFree(a));
	GOOD(cudaFree(b));
	GOOD(cudaFree(NULL));
	cudaGetLastError();
}

/* Against the plainest copy, byte by byte. */
static void boxes_of_rows_are_copied(void **state)
{
	enum { W = 13, H = 5, D = 3, FROM = 20, TO = 17 };
	unsigned char from[D][H][FROM], back[D][H][TO];
	struct cudaPitchedPtr p;
	struct cudaMemcpy3DParms in = {.kind = cudaMemcpyHostToDevice},
				 out = {.kind = cudaMemcpyDeviceToHost};
	(void)state;
	for (size_t i = 0; i < sizeof from; i++)
		(&from[0][0][0])[i] = (unsigned char)(i * 7);
	memset(back, 0xee, sizeof back);
	GOOD(cudaMalloc3D(&p, make_cudaExtent(W, H, D)));
	assert_true(p.pitch >= W && p.pitch % 512 == 0 && p.ysize == H);
	in.srcPtr = make_cudaPitchedPtr(from, FROM, W, H);
	in.dstPtr = p;
	in.extent = make_cudaExtent(W, H, D);
	GOOD(cudaMemcpy3D(&in));
	out.srcPtr = p;
	out.srcPos = make_cudaPos(2, 1, 1);
	out.dstPtr = make_cudaPitchedPtr(back, TO, W, H);
	out.extent = make_cudaExtent(W - 2, H - 1, D - 1);
	GOOD(cudaMemcpy3D(&out));
	for (int z = 0; z < D; z++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < TO; x++)
				assert_int_equal(back[z][y][x], z < D - 1 && y < H - 1 && x < W - 2
				                                        ? from[z + 1][y + 1][x + 2]
				                                        : 0xee);
	BAD(cudaErrorInvalidPitchValue,
	    cudaMemcpy2D(p.ptr, W - 1, from, FROM, W, H, cudaMemcpyHostToDevice));
	BAD(cudaErrorInvalidValue,
	    cudaMemcpy2D(p.ptr, p.pitch, from, FROM, W, H * D + 1, cudaMemcpyHostToDevice));
	GOOD(cudaMemset3D(p, 9, make_cudaExtent(W, H, D)));
	GOOD(cudaMemcpy2D(back, TO, p.ptr, p.pitch, W, H, cudaMemcpyDeviceToHost));
	assert_int_equal(back[0][H - 1][W - 1], 9);
	GOOD(cudaFree(p.ptr));
	cudaGetLastError();
}

static void arrays_hold_rows_of_texels(void **state)
{
	enum { W = 9, H = 4 };
	float from[H][W], to[H * W];
	struct cudaChannelFormatDesc
		real = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat),
		odd = cudaCreateChannelDesc(32, 16, 0, 0, cudaChannelFormatKindFloat), got;
	struct cudaExtent extent;
	cudaArray_t a;
	(void)state;
	for (int i = 0; i < W * H; i++)
		from[i / W][i % W] = (float)i;
	BAD(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &odd, W, H, 0));
	GOOD(cudaMallocArray(&a, &real, W, H, 0));
	GOOD(cudaMemcpyToArray(a, 0, 0, from, sizeof from, cudaMemcpyHostToDevice));
	memset(to, 0, sizeof to);
	GOOD(cudaMemcpy2DFromArray(to, W * 4, a, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
	assert_memory_equal(to, from, sizeof from);
	/* Five texels from the middle of a row on, over its end. */
	GOOD(cudaMemcpyFromArray(to, a, 6 * 4, 1, 5 * 4, cudaMemcpyDeviceToHost));
	assert_memory_equal(to, &from[1][6], 5 * 4);
	BAD(cudaErrorInvalidValue,
	    cudaMemcpyToArray(a, 0, 0, from, sizeof from + 4, cudaMemcpyHostToDevice));
	GOOD(cudaArrayGetInfo(&got, &extent, NULL, a));
	assert_true(got.x == 32 && extent.width == W && extent.height == H && extent.depth == 0);
	GOOD(cudaFreeArray(a));
	BAD(cudaErrorInvalidValue, cudaFreeArray(a));
	cudaGetLastError();
}

static void a_reset_frees_everything(void **state)
{
	struct cudaChannelFormatDesc real = cudaCreateChannelDesc(
		32, 0, 0, 0, cudaChannelFormatKindFloat);
	struct cudaTextureDesc settings = {.filterMode = cudaFilterModePoint};
	struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
	cudaTextureObject_t object;
	cudaArray_t a;
	size_t before, after, total;
	void *p;
	(void)state;
	GOOD(cudaMemGetInfo(&before, &total));
	GOOD(cudaMalloc(&p, 5000));
	GOOD(cudaMallocArray(&a, &real, 8, 8, 0));
	resource.res.array.array = a;
	GOOD(cudaCreateTextureObject(&object, &resource, &settings, NULL));
	GOOD(cudaDeviceReset());
	GOOD(cudaMemGetInfo(&after, &total));
	assert_int_equal(before, after);
	BAD(cudaErrorInvalidValue, cudaFree(p));
	BAD(cudaErrorInvalidValue, cudaFreeArray(a));
	BAD(cudaErrorInvalidValue, cudaDestroyTextureObject(object));
	cudaGetLastError();
}

static void host_memory_is_the_devices_too(void **state)
{
	char *pinned, own[100], *device;
	unsigned flags;
	(void)state;
	GOOD(cudaHostAlloc((void **)&pinned, 100, cudaHostAllocMapped));
	GOOD(cudaHostGetFlags(&flags, pinned));
	assert_int_equal(flags, cudaHostAllocMapped);
	GOOD(cudaHostGetDevicePointer((void **)&device, pinned, 0));
	BAD(cudaErrorInvalidValue, cudaFree(pinned));
	GOOD(cudaFreeHost(pinned));
	BAD(cudaErrorInvalidValue, cudaHostGetDevicePointer((void **)&device, own, 0));
	GOOD(cudaHostRegister(own, sizeof own, 0));
	BAD(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own + 10, 5, 0));
	GOOD(cudaHostGetDevicePointer((void **)&device, own, 0));
	assert_ptr_equal(device, own);
	GOOD(cudaHostUnregister(own));
	BAD(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own));
	GOOD(cudaMallocManaged((void **)&pinned, 100, cudaMemAttachGlobal));
	memset(pinned, 1, 100);
	GOOD(cudaMemPrefetchAsync(pinned, 100, 0, NULL));
	GOOD(cudaFree(pinned));
	cudaGetLastError();
}

/* Random allocations against a list: none overlaps another, and memory comes back. */
static void the_arena_keeps_blocks_apart(void **state)
{
	enum { BLOCKS = 60, STEPS = 3000 };
	struct {
		unsigned char *p;
		size_t n;
	} b[BLOCKS] = {{NULL, 0}};
	size_t before, after, total;
	uint32_t random = 7;
	(void)state;
	GOOD(cudaMemGetInfo(&before, &total));
	for (int step = 0; step < STEPS; step++) {
		random = random * 1664525 + 1013904223;
		size_t i = (random >> 8) % BLOCKS;
		if (b[i].p) {
			for (size_t k = 0; k < b[i].n; k += 97)
				assert_int_equal(b[i].p[k], (unsigned char)i);
			GOOD(cudaFree(b[i].p));
			b[i].p = NULL;
		} else {
			b[i].n = 1 + (random >> 12) % 300000;
			GOOD(cudaMalloc((void **)&b[i].p, b[i].n));
			GOOD(cudaMemset(b[i].p, (int)i, b[i].n));
		}
	}
	for (int i = 0; i < BLOCKS; i++)
		GOOD(cudaFree(b[i].p));
	GOOD(cudaMemGetInfo(&after, &total));
	assert_int_equal(before, after);
	void *p;
	BAD(cudaErrorMemoryAllocation, cudaMalloc(&p, total + 1));
	BAD(cudaErrorMemoryAllocation, cudaMalloc(&p, SIZE_MAX));
	assert_null(p);
	GOOD(cudaMalloc(&p, 0));
	assert_null(p);
	cudaGetLastError();
}

static void add_one(void *user)
{
	++*(int *)user;
}

static void streams_and_events_are_in_order(void **state)
{
	cudaStream_t s;
	cudaEvent_t a, b;
	float ms = -1;
	int called = 0;
	(void)state;
	GOOD(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	GOOD(cudaEventCreate(&a));
	GOOD(cudaEventCreate(&b));
	BAD(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, a, b));
	GOOD(cudaEventRecord(a, s));
	GOOD(cudaLaunchHostFunc(s, add_one, &called));
	assert_int_equal(called, 1);
	GOOD(cudaEventRecord(b, NULL));
	GOOD(cudaStreamWaitEvent(s, b, 0));
	GOOD(cudaEventQuery(b));
	GOOD(cudaEventElapsedTime(&ms, a, b));
	assert_true(ms >= 0);
	GOOD(cudaEventDestroy(a));
	BAD(cudaErrorInvalidResourceHandle, cudaEventRecord(a, s));
	GOOD(cudaStreamDestroy(s));
	BAD(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
	GOOD(cudaEventDestroy(b));
	cudaGetLastError();
}

static void the_board_is_a_v100(void **state)
{
	struct cudaDeviceProp p;
	int n, value, blocks;
	struct cudaFuncAttributes f;
	(void)state;
	GOOD(cudaGetDeviceCount(&n));
	assert_int_equal(n, 1);
	GOOD(cudaGetDeviceProperties(&p, 0));
	assert_true(p.major == 7 && p.minor == 0 && p.multiProcessorCount == 80 && p.warpSize == 32);
	assert_int_equal(p.l2CacheSize, 6 << 20);
	assert_int_equal(p.clockRate, 1530000);
	BAD(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 1));
	BAD(cudaErrorInvalidDevice, cudaSetDevice(1));
	GOOD(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
	assert_int_equal(value, 80);
	GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &saxpy, 1024, 0));
	assert_int_equal(blocks, 2);
	GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &saxpy, 32, 40 * 1024));
	assert_int_equal(blocks, 2);
	GOOD(cudaFuncGetAttributes(&f, &saxpy));
	assert_true(f.numRegs > 0 && f.maxThreadsPerBlock == 1024 && f.sharedSizeBytes == 0);
	cudaGetLastError();
}

static void call_back(void *calls)
{
	++*(int *)calls;
}

/* By hand and from a stream, of everything but kernels, which tests/cuda/graph.cu has. */
static void graphs_do_their_nodes(void **state)
{
	unsigned char *d, own[64] = {0};
	int calls = 0;
	cudaGraph_t graph, other;
	cudaGraphExec_t exec;
	cudaGraphNode_t fill, node, copy, nodes[8];
	cudaStream_t s;
	size_t n = 8;
	(void)state;
	GOOD(cudaMalloc((void **)&d, sizeof own));
	GOOD(cudaMemset(d, 0, sizeof own));
	GOOD(cudaGraphCreate(&graph, 0));
	BAD(cudaErrorInvalidValue, cudaGraphCreate(&other, 1));
	const struct cudaMemsetParams set = {
		.dst = d, .pitch = 32, .value = 0x0102, .elementSize = 2, .width = 8, .height = 2};
	const struct cudaHostNodeParams call = {call_back, &calls};
	GOOD(cudaGraphAddMemcpyNode1D(
		&copy, graph, NULL, 0, own, d, sizeof own, cudaMemcpyDeviceToHost));
	GOOD(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &set));
	GOOD(cudaGraphAddHostNode(&node, graph, &fill, 1, &call));
	GOOD(cudaGraphAddEmptyNode(&node, graph, &node, 1));
	GOOD(cudaGraphAddDependencies(graph, &node, &copy, 1));
	BAD(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&fill, graph, NULL, 1, &set));
	BAD(cudaErrorInvalidValue, cudaGraphAddHostNode(&fill, graph, NULL, 0, NULL));
	GOOD(cudaGraphGetNodes(graph, nodes, &n));
	assert_int_equal(n, 4);
	assert_ptr_equal(nodes[0], copy);
	assert_null(nodes[7]);
	GOOD(cudaGraphInstantiate(&exec, graph, &node, NULL, 0));
	GOOD(cudaGraphDestroy(graph));
	BAD(cudaErrorInvalidValue, cudaGraphDestroy(graph));
	GOOD(cudaGraphUpload(exec, NULL));
	GOOD(cudaGraphLaunch(exec, NULL));
	assert_int_equal(calls, 1);
	assert_int_equal(own[0] | own[1] << 8, 0x0102);
	assert_int_equal(own[32 + 14] | own[32 + 15] << 8, 0x0102);
	assert_int_equal(own[16], 0);

	/* A graph on a stream that is captured becomes part of what is captured. */
	GOOD(cudaStreamCreate(&s));
	GOOD(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	BAD(cudaErrorIllegalState, cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	GOOD(cudaMemset2DAsync(d, 32, 7, 4, 2, s));
	GOOD(cudaGraphLaunch(exec, s));
	GOOD(cudaMemcpy2DAsync(own + 48, 8, d + 16, 32, 8, 2, cudaMemcpyDeviceToHost, s));
	GOOD(cudaFreeAsync(d, s));
	GOOD(cudaStreamEndCapture(s, &graph));
	GOOD(cudaGraphExecDestroy(exec));
	assert_int_equal(calls, 1);
	GOOD(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	GOOD(cudaGraphLaunch(exec, s));
	assert_int_equal(calls, 2);
	GOOD(cudaGraphExecDestroy(exec));
	GOOD(cudaGraphDestroy(graph));
	GOOD(cudaStreamDestroy(s));
	BAD(cudaErrorInvalidValue, cudaFree(d)); /* the graph has freed it */
	cudaGetLastError();
}

static void errors_have_names_and_texts(void **state)
{
	const char *s;
	(void)state;
	assert_string_equal(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
	assert_string_equal(cudaGetErrorString(cudaErrorIllegalAddress),
	                    "an illegal memory access was encountered");
	assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
	assert_string_equal(cudaGetErrorName((cudaError_t)12345), "unrecognized error code");
	assert_int_equal(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &s), CUDA_SUCCESS);
	assert_string_equal(s, "CUDA_ERROR_INVALID_PTX");
	BAD(cudaErrorInvalidDeviceFunction,
	    cudaLaunchCooperativeKernel(NULL, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL));
	cudaGetLastError();
	BAD(cudaErrorNotSupported, cudaDeviceEnablePeerAccess(0, 0));
	BAD(cudaErrorNotSupported, cudaPeekAtLastError());
	BAD(cudaErrorNotSupported, cudaGetLastError());
	GOOD(cudaGetLastError());
}

/* ---- the driver API ---- */

/* Runs first: any call of the run-time API initializes the driver API too, as CUDA does. */
static void the_driver_waits_to_be_initialized(void **state)
{
	CUdevice device;
	int n;
	(void)state;
	assert_int_equal(cuDeviceGet(&device, 0), CUDA_ERROR_NOT_INITIALIZED);
	GOOD(cudaGetDeviceCount(&n));
	assert_int_equal(cuDeviceGet(&device, 0), CUDA_SUCCESS);
}

static void the_driver_loads_and_launches(void **state)
{
	CUdevice device;
	CUcontext context;
	CUmodule m;
	CUfunction f;
	CUdeviceptr out, global;
	size_t bytes;
	unsigned got = 0;
	(void)state;
	assert_int_equal(cuInit(0), CUDA_SUCCESS);
	assert_int_equal(cuDeviceGet(&device, 0), CUDA_SUCCESS);
	assert_int_equal(cuCtxCreate(&context, 0, device), CUDA_SUCCESS);
	assert_int_equal(cuModuleLoadData(&m, "no ptx"), CUDA_ERROR_INVALID_PTX);
	assert_int_equal(cuModuleLoadData(&m, text), CUDA_SUCCESS);
	assert_int_equal(cuModuleGetFunction(&f, m, "none"), CUDA_ERROR_NOT_FOUND);
	assert_int_equal(cuModuleGetFunction(&f, m, "count"), CUDA_SUCCESS);
	assert_int_equal(cuModuleGetGlobal(&global, &bytes, m, "counter"), CUDA_SUCCESS);
	assert_int_equal(bytes, 4);
	assert_int_equal(cuMemsetD32(global, 100, 1), CUDA_SUCCESS);
	assert_int_equal(cuMemAlloc(&out, 4), CUDA_SUCCESS);
	void *parameters[] = {&out};
	assert_int_equal(cuLaunchKernel(f, 2, 2, 1, 1, 1, 1, 4, NULL, parameters, NULL), CUDA_SUCCESS);
	size_t n = sizeof out;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &out, CU_LAUNCH_PARAM_BUFFER_SIZE, &n,
	                 CU_LAUNCH_PARAM_END};
	assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 4, NULL, NULL, extra), CUDA_SUCCESS);
	n = 4; /* a pointer has eight */
	assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 4, NULL, NULL, extra),
	                 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuMemcpyDtoH(&got, global, 4), CUDA_SUCCESS);
	assert_int_equal(got, 105);
	assert_int_equal(cuModuleUnload(m), CUDA_SUCCESS);
	assert_int_equal(cuModuleUnload(m), CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 4, NULL, parameters, NULL),
	                 CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(cuMemFree(out), CUDA_SUCCESS);
	assert_int_equal(cuCtxDestroy(context), CUDA_SUCCESS);
}

/* ---- faults ---- */

/* Launches in a child; returns what it wrote to standard error, at most n - 1 bytes. */
static void fault_of(const char *stub, void *argument, cudaError_t error, char *told, size_t n)
{
	int fd[2], status;
	void *arguments[] = {&argument};
	assert_int_equal(pipe(fd), 0);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(fd[1], STDERR_FILENO);
		int ok = cudaLaunchKernel(stub, one, one, arguments, 0, NULL) == error;
		/* It sticks, and is not taken away by asking. */
		ok &= cudaGetLastError() == error && cudaGetLastError() == error;
		ok &= cudaDeviceSynchronize() == error && cudaMalloc(&argument, 4) == error;
		_exit(ok ? 0 : 1);
	}
	close(fd[1]);
	size_t got = 0;
	for (ssize_t r; got < n - 1 && (r = read(fd[0], told + got, n - 1 - got)) > 0;)
		got += (size_t)r;
	told[got] = '\0';
	close(fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void faults_are_told_and_stick(void **state)
{
	char told[4096], *p;
	(void)state;
	fault_of(&stop, NULL, cudaErrorLaunchFailure, told, sizeof told);
	assert_non_null(strstr(told, "kernel stop, block (0,0,0), thread (0,0,0): trap"));
	GOOD(cudaMalloc((void **)&p, 100));
	fault_of(&far, p + 100, cudaErrorIllegalAddress, told, sizeof told);
	assert_non_null(
		strstr(told, "kernel far, block (0,0,0), thread (0,0,0): st.global.u32 of 4 bytes"));
	assert_non_null(strstr(told, "it is 0 bytes behind the end of allocation"));
	assert_non_null(strstr(told, "CACHETRIAGE_BOUNDS=pages"));
	fault_of(&far, told, cudaErrorIllegalAddress, told, sizeof told);
	assert_non_null(strstr(told, "no allocation is near it: is it a pointer of the host"));
	assert_null(strstr(told, "CACHETRIAGE_BOUNDS"));
	fault_of(&far, (void *)16, cudaErrorIllegalAddress, told, sizeof told);
	assert_non_null(strstr(told, "it is 16 bytes behind a null pointer"));
	fault_of(&far, p + 98, cudaErrorMisalignedAddress, told, sizeof told);
	assert_non_null(strstr(told, "misaligned"));
	GOOD(cudaFree(p));
	fault_of(&far, p, cudaErrorIllegalAddress, told, sizeof told);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_driver_waits_to_be_initialized),
		cmocka_unit_test(a_kernel_computes),
		cmocka_unit_test(a_stub_launches_what_was_pushed),
		cmocka_unit_test(variables_are_reached_by_their_shadows),
		cmocka_unit_test(impossible_launches_are_refused),
		cmocka_unit_test(copies_stay_inside_allocations),
		cmocka_unit_test(boxes_of_rows_are_copied),
		cmocka_unit_test(arrays_hold_rows_of_texels),
		cmocka_unit_test(a_reset_frees_everything),
		cmocka_unit_test(host_memory_is_the_devices_too),
		cmocka_unit_test(the_arena_keeps_blocks_apart),
		cmocka_unit_test(streams_and_events_are_in_order),
		cmocka_unit_test(the_board_is_a_v100),
		cmocka_unit_test(graphs_do_their_nodes),
		cmocka_unit_test(errors_have_names_and_texts),
		cmocka_unit_test(the_driver_loads_and_launches),
		cmocka_unit_test(faults_are_told_and_stick),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
