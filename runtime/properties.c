/* The board that programs see: a GPU file of this program, and what such a file does not hold. */
#include <stdio.h>
#include <string.h>

#include "gpu/occupancy.h"
#include "lower/capture.h"
#include "runtime/runtime.h"

/* Sources: NVIDIA's list of CUDA-enabled GPUs (compute capability); the boards' datasheets and white papers that
 * data/gpus cites (memory, width of its bus); CUDA C++ Programming Guide, table of technical specifications per
 * compute capability (shared memory of one block on demand). */
static const struct board {
	const char *gpu, *name;
	unsigned capability;
	unsigned memory_gib, bus_bits, shared_kib;
} boards[] = {
	{"v100", "Tesla V100-SXM2-16GB", 70, 16, 4096, 96},
	{"rtx2060", "NVIDIA GeForce RTX 2060", 75, 6, 192, 64},
	{"a100", "NVIDIA A100-SXM4-40GB", 80, 40, 5120, 163},
	{"rtx3070", "NVIDIA GeForce RTX 3070", 86, 8, 256, 99},
	{"rtx3080", "NVIDIA GeForce RTX 3080", 86, 10, 320, 99},
	{"rtx4090", "NVIDIA GeForce RTX 4090", 89, 24, 384, 99},
	{"h100", "NVIDIA H100 80GB HBM3", 90, 80, 5120, 227},
};

enum {
	MAX_THREADS = 1024,
	SHARED_DEFAULT = 48 << 10,
	CONSTANT_BYTES = 64 << 10,
	REGISTERS_MOST = 255, /* of a thread: technical specifications of the guide */
	ALIGNMENT = 512,
	PITCH = 32
};

/* The board of the GPU file; another file's board is taken for a V100 of that file's sizes. */
static const struct board *board(void)
{
	for (size_t i = 1; i < sizeof boards / sizeof *boards; i++)
		if (strcmp(boards[i].gpu, ct_cuda.gpu.name) == 0)
			return &boards[i];
	return &boards[0];
}

unsigned ct_cuda_capability(void)
{
	return board()->capability;
}

uint64_t ct_cuda_board_memory(void)
{
	return (uint64_t)board()->memory_gib << 30;
}

size_t ct_cuda_shared_default(void)
{
	return SHARED_DEFAULT;
}

size_t ct_cuda_shared_most(void)
{
	return (size_t)board()->shared_kib << 10;
}

/* Limits that all boards have in common (CUDA C++ Programming Guide, technical specifications). */
static void fill_limits(struct cudaDeviceProp *p)
{
	p->warpSize = 32;
	p->maxThreadsPerBlock = MAX_THREADS;
	p->maxThreadsDim[0] = p->maxThreadsDim[1] = MAX_THREADS;
	p->maxThreadsDim[2] = 64;
	p->maxGridSize[0] = 0x7fffffff;
	p->maxGridSize[1] = p->maxGridSize[2] = 65535;
	p->memPitch = 0x7fffffff;
	p->totalConstMem = CONSTANT_BYTES;
	p->textureAlignment = p->surfaceAlignment = ALIGNMENT;
	p->texturePitchAlignment = PITCH;
	p->maxTexture1D = 131072;
	p->maxTexture1DLinear = 1 << 28;
	p->maxTexture2D[0] = p->maxTexture2DLinear[0] = 131072;
	p->maxTexture2D[1] = p->maxTexture2DLinear[1] = 65000;
	p->maxTexture2DLinear[2] = 2097120;
	p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = 16384;
}

/* What the GPU's file says, and what the table of boards adds to it. */
static void fill_board(struct cudaDeviceProp *p)
{
	const struct board *b = board();
	const struct ct_gpu *g = &ct_cuda.gpu;
	snprintf(p->name, sizeof p->name, "%s", strcmp(b->gpu, g->name) == 0 ? b->name : g->name);
	p->major = (int)(b->capability / 10);
	p->minor = (int)(b->capability % 10);
	p->totalGlobalMem = ct_cuda_total_memory();
	p->memoryBusWidth = (int)b->bus_bits;
	p->sharedMemPerBlock = SHARED_DEFAULT;
	p->sharedMemPerBlockOptin = ct_cuda_shared_most();
	p->sharedMemPerMultiprocessor = g->shmem_bytes;
	p->reservedSharedMemPerBlock = b->capability >= 80 ? 1024 : 0;
	p->regsPerBlock = p->regsPerMultiprocessor = (int)g->registers;
	p->cooperativeLaunch = b->capability >= 60;
	p->multiProcessorCount = (int)g->sms;
	p->maxThreadsPerMultiProcessor = (int)g->max_threads;
	p->maxBlocksPerMultiProcessor = (int)g->max_ctas;
	p->clockRate = (int)(g->core_mhz * 1000);
	p->memoryClockRate = (int)(g->dram_mhz * 1000);
	p->l2CacheSize = (int)ct_gpu_llc_bytes(g);
	p->singleToDoublePrecisionPerfRatio = b->capability % 10 == 0 ? 2
	                                      : b->capability == 75   ? 32
	                                                              : 64;
}

static void fill(struct cudaDeviceProp *p)
{
	memset(p, 0, sizeof *p);
	fill_limits(p);
	fill_board(p);
	p->deviceOverlap = p->asyncEngineCount = 1;
	p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = 1;
	p->concurrentKernels = 1;
	p->globalL1CacheSupported = p->localL1CacheSupported = 1;
	p->canUseHostPointerForRegisteredMem = 1;
	p->pciBusID = 1;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = !p ? cudaErrorInvalidValue : device != 0 ? cudaErrorInvalidDevice : cudaSuccess;
	if (error == cudaSuccess)
		fill(p);
	return ct_cuda_leave(error);
}

/* 0 and the value, or -1 for an attribute that is not known. */
static int attribute(const struct cudaDeviceProp *p, enum cudaDeviceAttr which, int *value)
{
	switch (which) {
	case cudaDevAttrMaxThreadsPerBlock: *value = p->maxThreadsPerBlock; break;
	case cudaDevAttrMaxBlockDimX: *value = p->maxThreadsDim[0]; break;
	case cudaDevAttrMaxBlockDimY: *value = p->maxThreadsDim[1]; break;
	case cudaDevAttrMaxBlockDimZ: *value = p->maxThreadsDim[2]; break;
	case cudaDevAttrMaxGridDimX: *value = p->maxGridSize[0]; break;
	case cudaDevAttrMaxGridDimY: *value = p->maxGridSize[1]; break;
	case cudaDevAttrMaxGridDimZ: *value = p->maxGridSize[2]; break;
	case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)p->sharedMemPerBlock; break;
	case cudaDevAttrTotalConstantMemory: *value = (int)p->totalConstMem; break;
	case cudaDevAttrWarpSize: *value = p->warpSize; break;
	case cudaDevAttrMaxPitch: *value = (int)p->memPitch; break;
	case cudaDevAttrMaxRegistersPerBlock: *value = p->regsPerBlock; break;
	case cudaDevAttrClockRate: *value = p->clockRate; break;
	case cudaDevAttrTextureAlignment: *value = (int)p->textureAlignment; break;
	case cudaDevAttrGpuOverlap: *value = p->deviceOverlap; break;
	case cudaDevAttrMultiProcessorCount: *value = p->multiProcessorCount; break;
	case cudaDevAttrKernelExecTimeout: *value = p->kernelExecTimeoutEnabled; break;
	case cudaDevAttrIntegrated: *value = p->integrated; break;
	case cudaDevAttrCanMapHostMemory: *value = p->canMapHostMemory; break;
	case cudaDevAttrComputeMode: *value = p->computeMode; break;
	case cudaDevAttrConcurrentKernels: *value = p->concurrentKernels; break;
	case cudaDevAttrEccEnabled: *value = p->ECCEnabled; break;
	case cudaDevAttrMemoryClockRate: *value = p->memoryClockRate; break;
	case cudaDevAttrGlobalMemoryBusWidth: *value = p->memoryBusWidth; break;
	case cudaDevAttrL2CacheSize: *value = p->l2CacheSize; break;
	case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p->maxThreadsPerMultiProcessor; break;
	case cudaDevAttrAsyncEngineCount: *value = p->asyncEngineCount; break;
	case cudaDevAttrUnifiedAddressing: *value = p->unifiedAddressing; break;
	case cudaDevAttrComputeCapabilityMajor: *value = p->major; break;
	case cudaDevAttrComputeCapabilityMinor: *value = p->minor; break;
	case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
		*value = (int)p->sharedMemPerMultiprocessor;
		break;
	case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p->regsPerMultiprocessor; break;
	case cudaDevAttrManagedMemory: *value = p->managedMemory; break;
	case cudaDevAttrPageableMemoryAccess: *value = p->pageableMemoryAccess; break;
	case cudaDevAttrConcurrentManagedAccess: *value = p->concurrentManagedAccess; break;
	case cudaDevAttrCooperativeLaunch: *value = p->cooperativeLaunch; break;
	case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)p->sharedMemPerBlockOptin; break;
	case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
	case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p->maxBlocksPerMultiProcessor; break;
	default: return -1;
	}
	return 0;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device)
{
	cudaError_t error = ct_cuda_enter();
	struct cudaDeviceProp p;
	if (error == cudaSuccess)
		error = !value        ? cudaErrorInvalidValue
		        : device != 0 ? cudaErrorInvalidDevice
		                      : cudaSuccess;
	if (error == cudaSuccess) {
		fill(&p);
		if (attribute(&p, which, value) < 0)
			error = cudaErrorInvalidValue;
	}
	return ct_cuda_leave(error);
}

unsigned ct_cuda_machine(void)
{
	unsigned c = ct_cuda_capability();
	return c == 89 ? 86 : c > 86 ? 80 : c;
}

int ct_cuda_registers(struct ct_cuda_function *f)
{
	struct ct_error unread;
	if (!f->registers && (ct_capture_registers(f->module->ptx, f->kernel, ct_cuda_machine(),
	                                           &f->registers, &unread) != CT_OK ||
	                      f->registers > REGISTERS_MOST))
		f->registers = REGISTERS_MOST;
	return (int)f->registers;
}

cudaError_t ct_cuda_occupancy(struct ct_cuda_function *f, int threads, size_t shared_bytes, int *blocks)
{
	struct ct_kernel k = {.name = f->name,
	                      .grid = {1, 1, 1},
	                      .block = {(uint32_t)threads, 1, 1},
	                      .shmem_bytes = f->kernel->shared_bytes + shared_bytes,
	                      .regs = (uint32_t)ct_cuda_registers(f)};
	struct ct_occupancy o;
	if (!blocks || threads < 1)
		return cudaErrorInvalidValue;
	*blocks = 0;
	if (threads <= MAX_THREADS && ct_occupancy(&ct_cuda.gpu, &k, &o, NULL) == CT_OK)
		*blocks = (int)o.ctas_by_resources;
	return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, const void *function, int threads, size_t shared_bytes, unsigned flags)
{
	struct ct_cuda_function *f;
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && flags > cudaOccupancyDisableCachingOverride)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = ct_cuda_find_function(function, &f);
	if (error == cudaSuccess)
		error = ct_cuda_occupancy(f, threads, shared_bytes, blocks);
	return ct_cuda_leave(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t shared_bytes)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, function, threads, shared_bytes, cudaOccupancyDefault);
}
