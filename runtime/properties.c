/* The board that programs see: a GPU file of this program, and what such a file does not hold. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "lower/capture.h"
#include "runtime/runtime.h"

/* Sources: NVIDIA's list of CUDA-enabled GPUs (compute capability); the boards' datasheets and white papers that
 * data/gpus cites (memory); CUDA C++ Programming Guide, table of technical specifications per
 * compute capability (shared memory of one block on demand). */
static const struct board { /* by compute capability */
	const char *gpu, *name;
	unsigned capability;
	unsigned memory_gib, shared_kib;
} boards[] = {
	{"v100", "Tesla V100-SXM2-16GB", 70, 16, 96},
	{"rtx2060", "NVIDIA GeForce RTX 2060", 75, 6, 64},
	{"a100", "NVIDIA A100-SXM4-40GB", 80, 40, 163},
	{"rtx3070", "NVIDIA GeForce RTX 3070", 86, 8, 99},
	{"rtx3080", "NVIDIA GeForce RTX 3080", 86, 10, 99},
	{"rtx4090", "NVIDIA GeForce RTX 4090", 89, 24, 99},
	{"h100", "NVIDIA H100 80GB HBM3", 90, 80, 227},
};

enum {
	MAX_THREADS = 1024,
	SHARED_DEFAULT = 48 << 10,
	CONSTANT_BYTES = 64 << 10,
	REGISTERS_MOST = 255, /* of a thread: technical specifications of the guide */
	REGISTERS_UNIT = 256, /* that warps are given registers in: CUDA Occupancy Calculator */
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

const char *ct_cuda_board_for(unsigned target)
{
	enum { LAST = sizeof boards / sizeof *boards - 1 };
	size_t i = 0;
	while (i < LAST && boards[i].capability < target)
		i++;
	return boards[i].gpu;
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

uint32_t ct_cuda_shared_unit(void)
{
	return board()->capability >= 80 ? 128 : 256; /* CUDA Occupancy Calculator */
}

/* Bytes of shared memory that the system keeps of each block: CUDA C++ Programming Guide, compute capability 8.x. */
static uint32_t system_shared(void)
{
	return board()->capability >= 80 ? 1024 : 0;
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
	p->memoryBusWidth = (int)(8 * g->dram_bus_bytes * g->dram_channels);
	p->sharedMemPerBlock = SHARED_DEFAULT;
	p->sharedMemPerBlockOptin = ct_cuda_shared_most();
	p->sharedMemPerMultiprocessor = g->shmem_bytes;
	p->reservedSharedMemPerBlock = system_shared();
	p->regsPerBlock = p->regsPerMultiprocessor = (int)g->registers;
	/* Pascal's pages that move by themselves, and stops amid a kernel: CUDA C++ Programming Guide, unified memory. */
	p->concurrentManagedAccess = p->computePreemptionSupported = b->capability >= 60;
	p->cooperativeLaunch = b->capability >= 60;
	p->multiProcessorCount = (int)g->sms;
	p->maxThreadsPerMultiProcessor = (int)g->max_threads;
	p->maxBlocksPerMultiProcessor = (int)g->max_ctas;
	p->clockRate = (int)(g->core_mhz * 1000);
	/* The clock of which each cycle moves two words, whatever a command's clock is: programs reckon a board's bandwidth so. */
	p->memoryClockRate = (int)(g->dram_mhz * g->dram_data_ratio / 2 * 1000);
	p->l2CacheSize = (int)ct_gpu_llc_bytes(g);
	/* Since Ampere three quarters of the L2 may be set aside for lines that stay, for windows of up to 128 MiB: CUDA C++
	 * Programming Guide, device memory L2 access management. */
	p->persistingL2CacheMaxSize = b->capability >= 80 ? p->l2CacheSize / 4 * 3 : 0;
	p->accessPolicyMaxWindowSize = b->capability >= 80 ? 128 << 20 : 0;
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
	p->concurrentKernels = p->streamPrioritiesSupported = 1;
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

/* Where the properties have the value of an attribute: an int, or a size. */
struct member {
	enum cudaDeviceAttr attribute;
	size_t offset;
};
#define MEMBER(name, at) \
	{ \
		cudaDevAttr##name, offsetof(struct cudaDeviceProp, at) \
	}
static const struct member ints[] = {
	MEMBER(MaxThreadsPerBlock, maxThreadsPerBlock),
	MEMBER(MaxBlockDimX, maxThreadsDim[0]),
	MEMBER(MaxBlockDimY, maxThreadsDim[1]),
	MEMBER(MaxBlockDimZ, maxThreadsDim[2]),
	MEMBER(MaxGridDimX, maxGridSize[0]),
	MEMBER(MaxGridDimY, maxGridSize[1]),
	MEMBER(MaxGridDimZ, maxGridSize[2]),
	MEMBER(WarpSize, warpSize),
	MEMBER(MaxRegistersPerBlock, regsPerBlock),
	MEMBER(ClockRate, clockRate),
	MEMBER(GpuOverlap, deviceOverlap),
	MEMBER(MultiProcessorCount, multiProcessorCount),
	MEMBER(KernelExecTimeout, kernelExecTimeoutEnabled),
	MEMBER(Integrated, integrated),
	MEMBER(CanMapHostMemory, canMapHostMemory),
	MEMBER(ComputeMode, computeMode),
	MEMBER(MaxTexture1DWidth, maxTexture1D),
	MEMBER(MaxTexture2DWidth, maxTexture2D[0]),
	MEMBER(MaxTexture2DHeight, maxTexture2D[1]),
	MEMBER(MaxTexture3DWidth, maxTexture3D[0]),
	MEMBER(MaxTexture3DHeight, maxTexture3D[1]),
	MEMBER(MaxTexture3DDepth, maxTexture3D[2]),
	MEMBER(MaxTexture2DLayeredWidth, maxTexture2DLayered[0]),
	MEMBER(MaxTexture2DLayeredHeight, maxTexture2DLayered[1]),
	MEMBER(MaxTexture2DLayeredLayers, maxTexture2DLayered[2]),
	MEMBER(ConcurrentKernels, concurrentKernels),
	MEMBER(EccEnabled, ECCEnabled),
	MEMBER(PciBusId, pciBusID),
	MEMBER(PciDeviceId, pciDeviceID),
	MEMBER(PciDomainId, pciDomainID),
	MEMBER(TccDriver, tccDriver),
	MEMBER(MemoryClockRate, memoryClockRate),
	MEMBER(GlobalMemoryBusWidth, memoryBusWidth),
	MEMBER(L2CacheSize, l2CacheSize),
	MEMBER(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
	MEMBER(AsyncEngineCount, asyncEngineCount),
	MEMBER(UnifiedAddressing, unifiedAddressing),
	MEMBER(MaxTexture1DLayeredWidth, maxTexture1DLayered[0]),
	MEMBER(MaxTexture1DLayeredLayers, maxTexture1DLayered[1]),
	MEMBER(MaxTexture1DLinearWidth, maxTexture1DLinear),
	MEMBER(MaxTexture2DLinearWidth, maxTexture2DLinear[0]),
	MEMBER(MaxTexture2DLinearHeight, maxTexture2DLinear[1]),
	MEMBER(MaxTexture2DLinearPitch, maxTexture2DLinear[2]),
	MEMBER(ComputeCapabilityMajor, major),
	MEMBER(ComputeCapabilityMinor, minor),
	MEMBER(StreamPrioritiesSupported, streamPrioritiesSupported),
	MEMBER(GlobalL1CacheSupported, globalL1CacheSupported),
	MEMBER(LocalL1CacheSupported, localL1CacheSupported),
	MEMBER(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
	MEMBER(ManagedMemory, managedMemory),
	MEMBER(IsMultiGpuBoard, isMultiGpuBoard),
	MEMBER(MultiGpuBoardGroupID, multiGpuBoardGroupID),
	MEMBER(HostNativeAtomicSupported, hostNativeAtomicSupported),
	MEMBER(SingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
	MEMBER(PageableMemoryAccess, pageableMemoryAccess),
	MEMBER(ConcurrentManagedAccess, concurrentManagedAccess),
	MEMBER(ComputePreemptionSupported, computePreemptionSupported),
	MEMBER(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
	MEMBER(CooperativeLaunch, cooperativeLaunch),
	MEMBER(CooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
	MEMBER(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
	MEMBER(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
	MEMBER(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
	MEMBER(MaxPersistingL2CacheSize, persistingL2CacheMaxSize),
	MEMBER(MaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
};
static const struct member sizes[] = {
	MEMBER(MaxSharedMemoryPerBlock, sharedMemPerBlock),
	MEMBER(TotalConstantMemory, totalConstMem),
	MEMBER(MaxPitch, memPitch),
	MEMBER(TextureAlignment, textureAlignment),
	MEMBER(SurfaceAlignment, surfaceAlignment),
	MEMBER(TexturePitchAlignment, texturePitchAlignment),
	MEMBER(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
	MEMBER(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
	MEMBER(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
};
#undef MEMBER

/* What the properties do not have. The last are of the driver API alone: CU_DEVICE_ATTRIBUTE_... */
static const struct {
	int attribute, value;
} others[] = {
	{cudaDevAttrHostRegisterSupported, 1},
	{cudaDevAttrHostRegisterReadOnlySupported, 1},
	{cudaDevAttrMemoryPoolsSupported, 1},
	{cudaDevAttrCanFlushRemoteWrites, 0},
	{cudaDevAttrSparseCudaArraySupported, 0},
	{cudaDevAttrGPUDirectRDMASupported, 0},
	{cudaDevAttrMemoryPoolSupportedHandleTypes, 0},
	{cudaDevAttrClusterLaunch, 0},
	{102, 1}, /* memory that is mapped at addresses of the program's choice */
	{103, 0}, /* handles of it for other processes, of three kinds */
	{104, 0},
	{105, 0},
	{107, 0}, /* compressed memory */
	{110, 0},
};

/* 0 and the value, or -1 for an attribute that is not known. */
static int attribute(const struct cudaDeviceProp *p, enum cudaDeviceAttr which, int *value)
{
	size_t bytes;
	for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
		if (ints[i].attribute == which) {
			memcpy(value, (const char *)p + ints[i].offset, sizeof *value);
			return 0;
		}
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i].attribute == which) {
			memcpy(&bytes, (const char *)p + sizes[i].offset, sizeof bytes);
			*value = (int)bytes;
			return 0;
		}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i].attribute == (int)which) {
			*value = others[i].value;
			return 0;
		}
	return -1;
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

/* Blocks of so many warps for which the registers of an SM suffice: a warp has its own from one of the SM's parts, in units of
 * REGISTERS_UNIT. */
static uint32_t blocks_by_registers(uint32_t warps, uint32_t registers)
{
	const struct ct_gpu *g = &ct_cuda.gpu;
	uint32_t warp = (uint32_t)ct_round_up(registers * 32, REGISTERS_UNIT);
	return warp ? (uint32_t)(g->registers / g->schedulers) / warp * g->schedulers / warps
	            : UINT32_MAX;
}

/* The same of its shared memory: a block has what it asks for and what the system keeps of each, in whole units. */
static uint32_t blocks_by_shared(uint64_t bytes)
{
	uint64_t block = ct_round_up(bytes + system_shared(), ct_cuda_shared_unit());
	return block ? (uint32_t)(ct_cuda.gpu.shmem_bytes / block) : UINT32_MAX;
}

cudaError_t ct_cuda_occupancy(struct ct_cuda_function *f, int threads, size_t shared_bytes, int *blocks)
{
	const struct ct_gpu *g = &ct_cuda.gpu;
	if (!blocks || threads < 1)
		return cudaErrorInvalidValue;
	uint32_t warps = ((uint32_t)threads + 31) / 32, most = g->max_ctas, n;
	*blocks = 0;
	if (threads > MAX_THREADS || shared_bytes > UINT32_MAX)
		return cudaSuccess;
	if ((n = g->max_threads / 32 / warps) < most)
		most = n;
	if ((n = blocks_by_registers(warps, (uint32_t)ct_cuda_registers(f))) < most)
		most = n;
	if ((n = blocks_by_shared(f->kernel->shared_bytes + shared_bytes)) < most)
		most = n;
	*blocks = (int)most;
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
