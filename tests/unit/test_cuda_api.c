/* What CUDA's run-time and driver API have for programs that ask more of a device than memory and launches: hints, access, limits, linking,
 * memory at addresses of the program's choice; and what they refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "data/cuda/cuda.h"
#include "data/cuda/cuda_gl_interop.h"
#include "data/cuda/nvml.h"

#define GOOD(call) assert_int_equal(call, cudaSuccess)
#define BAD(error, call) assert_int_equal(call, error)
#define FINE(call) assert_int_equal(call, CUDA_SUCCESS)

static const char text[] =
	".version 6.3\n.target sm_70\n.address_size 64\n"
	".visible .entry put(.param .u64 p, .param .u32 v)\n"
	"{ .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v];\n"
	"  st.global.u32 [%rd1], %r1; ret; }\n";

static void hints_are_kept(void **state)
{
	cudaStream_t s, t;
	union cudaLaunchAttributeValue set = {{0}}, got;
	char window[16];
	(void)state;
	GOOD(cudaStreamCreate(&s));
	GOOD(cudaStreamCreate(&t));
	set.accessPolicyWindow = (struct cudaAccessPolicyWindow){
		window, sizeof window, 0.5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
	GOOD(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &set));
	GOOD(cudaStreamCopyAttributes(t, s));
	GOOD(cudaStreamGetAttribute(t, cudaStreamAttributeAccessPolicyWindow, &got));
	assert_ptr_equal(got.accessPolicyWindow.base_ptr, window);
	GOOD(cudaStreamGetAttribute(NULL, cudaStreamAttributeSynchronizationPolicy, &got));
	assert_int_equal(got.syncPolicy, cudaSyncPolicyAuto);
	BAD(cudaErrorInvalidValue, cudaStreamSetAttribute(s, cudaLaunchAttributeCooperative, &set));
	GOOD(cudaCtxResetPersistingL2Cache());
	GOOD(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20));
	size_t limit;
	FINE(cuCtxGetLimit(&limit, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
	assert_int_equal(limit, 1 << 20);
	GOOD(cudaStreamDestroy(s));
	GOOD(cudaStreamDestroy(t));
	cudaGetLastError();
}

static void advice_is_kept(void **state)
{
	char *p;
	int32_t now, both[3];
	(void)state;
	GOOD(cudaMallocManaged((void **)&p, 100, cudaMemAttachGlobal));
	GOOD(cudaMemRangeGetAttribute(&now, 4, cudaMemRangeAttributePreferredLocation, p, 100));
	assert_int_equal(now, cudaInvalidDeviceId);
	GOOD(cudaMemAdvise(p, 50, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
	GOOD(cudaMemAdvise(p, 50, cudaMemAdviseSetReadMostly, 0));
	GOOD(cudaMemAdvise(p, 50, cudaMemAdviseSetAccessedBy, 0));
	GOOD(cudaMemAdvise(p, 50, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId));
	GOOD(cudaMemPrefetchAsync(p, 100, 0, NULL));
	enum cudaMemRangeAttribute which[] = {
		cudaMemRangeAttributePreferredLocation, cudaMemRangeAttributeAccessedBy};
	void *values[] = {&now, both};
	size_t bytes[] = {sizeof now, sizeof both};
	GOOD(cudaMemRangeGetAttributes(values, bytes, which, 2, p, 100));
	assert_int_equal(now, cudaCpuDeviceId);
	assert_true(both[0] == 0 && both[1] == cudaCpuDeviceId && both[2] == cudaInvalidDeviceId);
	GOOD(cudaMemRangeGetAttribute(&now, 4, cudaMemRangeAttributeLastPrefetchLocation, p, 100));
	assert_int_equal(now, 0);
	BAD(cudaErrorInvalidValue,
	    cudaMemRangeGetAttribute(&now, 4, cudaMemRangeAttributeReadMostly, p, 101));
	BAD(cudaErrorInvalidDevice, cudaMemPrefetchAsync(p, 100, 1, NULL));
	GOOD(cudaFree(p));
	cudaGetLastError();
}

static void one_device_has_access(void **state)
{
	cudaMemPool_t pool;
	enum cudaMemAccessFlags flags;
	int v;
	struct cudaMemAccessDesc access = {
		{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
	(void)state;
	GOOD(cudaDeviceGetDefaultMemPool(&pool, 0));
	GOOD(cudaMemPoolSetAccess(pool, &access, 1));
	GOOD(cudaMemPoolGetAccess(&flags, pool, &access.location));
	assert_int_equal(flags, cudaMemAccessFlagsProtReadWrite);
	access.location.id = 1;
	BAD(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &access, 1));
	BAD(cudaErrorInvalidDevice, cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 0));
	GOOD(cudaDeviceGetAttribute(&v, cudaDevAttrHostRegisterSupported, 0));
	assert_int_equal(v, 1);
	GOOD(cudaDeviceGetAttribute(&v, cudaDevAttrMaxTexture2DHeight, 0));
	assert_int_equal(v, 65000);
	GOOD(cudaDeviceGetAttribute(&v, cudaDevAttrConcurrentManagedAccess, 0));
	assert_int_equal(v, 1);
	BAD(cudaErrorInvalidValue, cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)999, 0));
	cudaGetLastError();
}

static void others_are_refused(void **state)
{
	cudaGraphicsResource_t resource;
	cudaIpcMemHandle_t handle;
	CUmemGenericAllocationHandle memory;
	CUcontext context;
	(void)state;
	BAD(cudaErrorNotSupported,
	    cudaGraphicsGLRegisterBuffer(&resource, 1, cudaGraphicsRegisterFlagsNone));
	BAD(cudaErrorNotSupported, cudaGraphicsMapResources(1, &resource, NULL));
	BAD(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, NULL));
	GOOD(cudaGLSetGLDevice(0));
	struct cudaLaunchParams two[2] = {{NULL, {1, 1, 1}, {1, 1, 1}, NULL, 0, NULL}};
	BAD(cudaErrorNotSupported, cudaLaunchCooperativeKernelMultiDevice(two, 2, 0));
	BAD(cudaErrorInvalidDeviceFunction, cudaLaunchCooperativeKernelMultiDevice(two, 1, 0));
	FINE(cuCtxGetCurrent(&context));
	BAD(CUDA_ERROR_NOT_SUPPORTED, cuCtxEnablePeerAccess(context, 0));
	BAD(CUDA_ERROR_NOT_SUPPORTED,
	    cuMemImportFromShareableHandle(&memory, NULL, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	cudaGetLastError();
}

/* Loads the text through the linker. */
static CUfunction put(CUmodule *m)
{
	CUlinkState link;
	CUfunction f;
	void *image;
	size_t bytes;
	float took = 1;
	char log[8] = "?";
	CUjit_option options[] = {CU_JIT_WALL_TIME, CU_JIT_INFO_LOG_BUFFER};
	void *values[] = {NULL, log};
	FINE(cuLinkCreate(2, options, values, &link));
	memcpy(&took, &values[0], sizeof took);
	assert_true(took == 0 && log[0] == '\0');
	FINE(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)text, sizeof text, "put", 0, NULL,
	                   NULL));
	BAD(CUDA_ERROR_NOT_SUPPORTED, cuLinkAddData(link, CU_JIT_INPUT_CUBIN, (void *)(uintptr_t)text, 4,
	                                            "binary", 0, NULL, NULL));
	FINE(cuLinkComplete(link, &image, &bytes));
	assert_int_equal(bytes, sizeof text);
	FINE(cuModuleLoadData(m, image));
	FINE(cuLinkDestroy(link));
	BAD(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(link));
	FINE(cuModuleGetFunction(&f, *m, "put"));
	return f;
}

/* Two texts, of which one calls what the other has. */
static void texts_are_linked(void **state)
{
	static const char head[] = ".version 6.3\n.target sm_70\n.address_size 64\n";
	static const char calls[] =
		".extern .func (.param .b32 r) seven();\n"
		".visible .entry k(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p];\n"
		"  { .param .b32 x; call.uni (x), seven, (); ld.param.b32 %r1, [x]; }\n"
		"  st.global.u32 [%rd1], %r1; ret; }\n";
	static const char seven[] =
		".visible .func (.param .b32 r) seven() { .reg .b32 %r<2>; mov.u32 %r1, 7;\n"
		"  st.param.b32 [r], %r1; ret; }\n";
	const char *const part[] = {calls, seven, seven};
	CUdeviceptr p;
	(void)state;
	FINE(cuMemAlloc(&p, 4));
	for (unsigned n = 2; n <= 3; n++) {
		CUlinkState link;
		CUmodule m;
		CUfunction f;
		void *image, *args[] = {&p};
		char both[600];
		int got = 0;
		FINE(cuLinkCreate(0, NULL, NULL, &link));
		for (unsigned i = 0; i < n; i++) {
			snprintf(both, sizeof both, "%s%s", head, part[i]);
			FINE(cuLinkAddData(link, CU_JIT_INPUT_PTX, both, strlen(both), NULL, 0, NULL,
			                   NULL));
		}
		if (n == 3) { /* seven is there twice */
			BAD(CUDA_ERROR_INVALID_PTX, cuLinkComplete(link, &image, NULL));
			FINE(cuLinkDestroy(link));
			break;
		}
		FINE(cuLinkComplete(link, &image, NULL));
		FINE(cuModuleLoadData(&m, image));
		FINE(cuLinkDestroy(link));
		FINE(cuModuleGetFunction(&f, m, "k"));
		FINE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
		FINE(cuMemcpyDtoH(&got, p, sizeof got));
		assert_int_equal(got, 7);
		FINE(cuModuleUnload(m));
	}
	FINE(cuMemFree(p));
}

static void launches_have_attributes(void **state)
{
	CUmodule m, same;
	CUfunction f = put(&m);
	CUdeviceptr p;
	const char *name;
	unsigned v = 77, got = 0, kind;
	int grid, block;
	CUlaunchAttribute one = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
	CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, NULL, &one, 1};
	void *parameters[] = {&p, &v};
	(void)state;
	FINE(cuMemAlloc(&p, 4));
	FINE(cuLaunchKernelEx(&config, f, parameters, NULL));
	FINE(cuMemcpyDtoH(&got, p, 4));
	assert_int_equal(got, 77);
	one.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	one.value.clusterDim.x = 2;
	one.value.clusterDim.y = one.value.clusterDim.z = 1;
	BAD(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernelEx(&config, f, parameters, NULL));
	FINE(cuFuncGetName(&name, f));
	assert_string_equal(name, "put");
	FINE(cuFuncGetModule(&same, f));
	assert_ptr_equal(same, m);
	FINE(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
	FINE(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
	assert_true(block >= 32 && grid >= 1);
	FINE(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
	assert_int_equal(kind, CU_MEMORYTYPE_DEVICE);
	BAD(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 8));
	FINE(cuMemFree(p));
	FINE(cuModuleUnload(m));
}

/* Before cuLaunchKernel, a function was prepared call by call; it stays prepared. */
static void launches_are_prepared(void **state)
{
	CUmodule m;
	CUfunction f = put(&m);
	CUdeviceptr p;
	unsigned got = 0;
	(void)state;
	FINE(cuMemAlloc(&p, 8));
	BAD(CUDA_ERROR_INVALID_VALUE, cuLaunch(f)); /* its parameters lack */
	FINE(cuFuncSetBlockShape(f, 2, 1, 1));
	FINE(cuParamSetv(f, 0, &p, sizeof p));
	FINE(cuParamSeti(f, 8, 55));
	FINE(cuParamSetSize(f, 12));
	FINE(cuLaunch(f));
	FINE(cuMemcpyDtoH(&got, p, 4));
	assert_int_equal(got, 55);
	FINE(cuParamSetf(f, 8, 1.0f));
	FINE(cuLaunchGrid(f, 3, 2));
	FINE(cuMemcpyDtoH(&got, p, 4));
	assert_int_equal(got, 0x3f800000);
	FINE(cuFuncSetSharedSize(f, 1 << 20));
	assert_int_not_equal(cuLaunchGridAsync(f, 1, 1, NULL), CUDA_SUCCESS);
	FINE(cuFuncSetSharedSize(f, 0));
	BAD(CUDA_ERROR_INVALID_VALUE, cuFuncSetBlockShape(f, 1, 0, 1));
	BAD(CUDA_ERROR_INVALID_VALUE, cuParamSetv(f, 4090, &p, sizeof p));
	BAD(CUDA_ERROR_INVALID_VALUE, cuParamSetv(f, -1, &p, sizeof p));
	BAD(CUDA_ERROR_INVALID_VALUE, cuParamSetSize(f, 1 << 20));
	BAD(CUDA_ERROR_INVALID_VALUE, cuLaunchGrid(f, 0, 1));
	BAD(CUDA_ERROR_INVALID_HANDLE, cuParamSeti((CUfunction)&m, 0, 1));
	FINE(cuMemFree(p));
	FINE(cuModuleUnload(m));
}

/* What the manager says of the board is what CUDA says; what only silicon knows it does not support. */
static void the_manager_knows_the_board(void **state)
{
	struct cudaDeviceProp p;
	nvmlDevice_t d, same;
	nvmlMemory_t memory;
	nvmlPciInfo_t pci;
	char said[NVML_DEVICE_UUID_BUFFER_SIZE];
	unsigned n, mhz;
	(void)state;
	BAD(NVML_ERROR_UNINITIALIZED, nvmlDeviceGetCount(&n));
	BAD(NVML_ERROR_UNINITIALIZED, nvmlShutdown());
	assert_int_equal(nvmlInit(), NVML_SUCCESS);
	assert_int_equal(nvmlInit(), NVML_SUCCESS);
	assert_int_equal(nvmlShutdown(), NVML_SUCCESS);
	assert_int_equal(nvmlDeviceGetCount(&n), NVML_SUCCESS);
	assert_int_equal(n, 1);
	assert_int_equal(nvmlDeviceGetHandleByIndex(0, &d), NVML_SUCCESS);
	BAD(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetHandleByIndex(1, &d));
	GOOD(cudaGetDeviceProperties(&p, 0));
	assert_int_equal(nvmlDeviceGetName(d, said, sizeof said), NVML_SUCCESS);
	assert_string_equal(said, p.name);
	BAD(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetName(d, said, 3));
	assert_int_equal(nvmlDeviceGetPciInfo(d, &pci), NVML_SUCCESS);
	assert_int_equal(nvmlDeviceGetHandleByPciBusId(pci.busId, &same), NVML_SUCCESS);
	assert_ptr_equal(same, d);
	assert_int_equal(nvmlDeviceGetHandleByPciBusId(pci.busIdLegacy, &same), NVML_SUCCESS);
	BAD(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleByPciBusId("0000:02:00.0", &same));
	assert_int_equal(nvmlDeviceGetUUID(d, said, sizeof said), NVML_SUCCESS);
	assert_int_equal(nvmlDeviceGetHandleByUUID(said, &same), NVML_SUCCESS);
	BAD(NVML_ERROR_NOT_FOUND, nvmlDeviceGetHandleByUUID("GPU-", &same));
	assert_int_equal(nvmlDeviceGetMemoryInfo(d, &memory), NVML_SUCCESS);
	assert_int_equal(memory.total, p.totalGlobalMem);
	assert_int_equal(memory.used + memory.free, memory.total);
	assert_int_equal(nvmlDeviceGetClockInfo(d, NVML_CLOCK_MEM, &mhz), NVML_SUCCESS);
	assert_int_equal(mhz, p.memoryClockRate / 1000);
	assert_int_equal(nvmlDeviceGetSupportedGraphicsClocks(d, mhz, &n, &mhz), NVML_SUCCESS);
	assert_true(n == 1 && mhz == (unsigned)p.clockRate / 1000);
	n = 0;
	BAD(NVML_ERROR_INSUFFICIENT_SIZE, nvmlDeviceGetSupportedMemoryClocks(d, &n, NULL));
	assert_int_equal(n, 1);
	BAD(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceGetPowerUsage(d, &n));
	BAD(NVML_ERROR_NOT_SUPPORTED, nvmlDeviceResetGpuLockedClocks(d));
	BAD(NVML_ERROR_INVALID_ARGUMENT, nvmlDeviceGetPowerUsage(NULL, &n));
	assert_string_equal(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported");
	assert_int_equal(nvmlShutdown(), NVML_SUCCESS);
}

/* What the driver API does on a stream that is captured, as libraries do, waits for the graph's launch. */
static void captured_launches_are_nodes(void **state)
{
	CUmodule m;
	CUfunction f = put(&m);
	CUdeviceptr p, wide;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	unsigned v = 77, got[2] = {0, 0};
	size_t n;
	void *parameters[] = {&p, &v};
	struct {
		CUdeviceptr p;
		unsigned v;
	} buffer;
	size_t bytes = sizeof buffer;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
	                 CU_LAUNCH_PARAM_END};
	(void)state;
	FINE(cuMemAlloc(&wide, 8));
	FINE(cuMemsetD32(wide, 1, 2));
	assert_int_equal(cudaStreamCreate(&stream), cudaSuccess);
	assert_int_equal(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
	FINE(cuMemsetD32Async(wide, 0x12345, 2, stream));
	p = wide;
	FINE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
	memset(&buffer, 0, sizeof buffer);
	buffer.p = wide + 4;
	buffer.v = 88;
	FINE(cuMemsetD16Async(wide + 4, 9, 2, stream));
	FINE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra));
	bytes = 4;
	BAD(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, NULL, extra));
	assert_int_equal(cudaStreamEndCapture(stream, &graph), cudaSuccess);
	assert_int_equal(cudaGraphGetNodes(graph, NULL, &n), cudaSuccess);
	assert_int_equal(n, 4);
	FINE(cuMemcpyDtoH(got, wide, 8));
	assert_true(got[0] == 1 && got[1] == 1);
	assert_int_equal(cudaGraphInstantiateWithFlags(&exec, graph, 0), cudaSuccess);
	v = buffer.v = 5; /* the graph has what they were */
	assert_int_equal(cudaGraphLaunch(exec, stream), cudaSuccess);
	FINE(cuMemcpyDtoH(got, wide, 8));
	assert_true(got[0] == 77 && got[1] == 88);
	assert_int_equal(cudaGraphExecDestroy(exec), cudaSuccess);
	assert_int_equal(cudaGraphDestroy(graph), cudaSuccess);
	assert_int_equal(cudaStreamDestroy(stream), cudaSuccess);
	FINE(cuMemFree(wide));
	FINE(cuModuleUnload(m));
}

/* One piece of memory at two places, side by side with another. */
static void memory_is_mapped_where_the_program_wants_it(void **state)
{
	CUmodule m;
	CUfunction f = put(&m);
	CUmemAllocationProp prop = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle one, two;
	CUdeviceptr at, from;
	size_t unit;
	unsigned v = 123, got[2] = {0, 0};
	unsigned long long flags;
	void *parameters[] = {&from, &v};
	(void)state;
	FINE(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	BAD(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&one, unit + 1, &prop, 0));
	FINE(cuMemCreate(&one, unit, &prop, 0));
	FINE(cuMemCreate(&two, unit, &prop, 0));
	FINE(cuMemAddressReserve(&at, 3 * unit, 0, 0, 0));
	FINE(cuMemMap(at, unit, 0, one, 0));
	BAD(CUDA_ERROR_INVALID_VALUE, cuMemMap(at, unit, 0, two, 0));
	FINE(cuMemMap(at + unit, unit, 0, two, 0));
	FINE(cuMemMap(at + 2 * unit, unit, 0, one, 0));
	BAD(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(at, &v, 4)); /* nobody may access it yet */
	FINE(cuMemSetAccess(at, 3 * unit, &access, 1));
	FINE(cuMemGetAccess(&flags, &prop.location, at + unit));
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	FINE(cuMemRelease(one));
	BAD(CUDA_ERROR_INVALID_VALUE, cuMemRelease(one));
	from = at + 2 * unit - 4; /* over the end of a place */
	FINE(cuMemcpyHtoD(from, (unsigned[2]){1, 2}, 8));
	from = at + 4;
	FINE(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
	FINE(cuMemcpyDtoH(got, at + 2 * unit, 8));
	assert_true(got[0] == 2 && got[1] == 123);
	BAD(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(at, 3 * unit));
	FINE(cuMemUnmap(at, 3 * unit));
	BAD(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(got, at, 4));
	FINE(cuMemRelease(two));
	FINE(cuMemAddressFree(at, 3 * unit));
	FINE(cuModuleUnload(m));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(hints_are_kept),
		cmocka_unit_test(advice_is_kept),
		cmocka_unit_test(one_device_has_access),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(texts_are_linked),
		cmocka_unit_test(launches_have_attributes),
		cmocka_unit_test(launches_are_prepared),
		cmocka_unit_test(captured_launches_are_nodes),
		cmocka_unit_test(the_manager_knows_the_board),
		cmocka_unit_test(memory_is_mapped_where_the_program_wants_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
