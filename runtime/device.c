/* The one device: choosing it, its limits, and waiting for it, which never takes long. */
#include <stdio.h>
#include <string.h>

#include "runtime/runtime.h"

/* Bytes, levels or launches, as CUDA sets them where a program does not. Only the heap's has an effect. */
static size_t limits[] = {
	[cudaLimitStackSize] = 1024,
	[cudaLimitPrintfFifoSize] = 1 << 20,
	[cudaLimitMallocHeapSize] = 8 << 20,
	[cudaLimitDevRuntimeSyncDepth] = 2,
	[cudaLimitDevRuntimePendingLaunchCount] = 2048,
	[cudaLimitMaxL2FetchGranularity] = 64,
	[cudaLimitPersistingL2CacheSize] = 0,
};
static enum cudaFuncCache cache_config = cudaFuncCachePreferNone;
static enum cudaSharedMemConfig bank_config = cudaSharedMemBankSizeFourByte;
static unsigned device_flags;

/* Ends a call of the API whose arguments are right where `ok` holds. */
static cudaError_t leave_if(cudaError_t entered, int ok, cudaError_t otherwise)
{
	return ct_cuda_leave(entered != cudaSuccess ? entered : ok ? cudaSuccess : otherwise);
}

cudaError_t cudaGetDeviceCount(int *count)
{
	cudaError_t entered = ct_cuda_enter();
	if (count)
		*count = 1;
	return leave_if(entered, count != NULL, cudaErrorInvalidValue);
}

cudaError_t cudaSetDevice(int device)
{
	return leave_if(ct_cuda_enter(), device == 0, cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int *device)
{
	cudaError_t entered = ct_cuda_enter();
	if (device)
		*device = 0;
	return leave_if(entered, device != NULL, cudaErrorInvalidValue);
}

cudaError_t cudaSetValidDevices(int *devices, int n)
{
	return leave_if(ct_cuda_enter(), n == 0 || (n == 1 && devices && *devices == 0),
	                cudaErrorInvalidDevice);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
	cudaError_t entered = ct_cuda_enter();
	if (device)
		*device = 0;
	return leave_if(entered, device && prop, cudaErrorInvalidValue);
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
	cudaError_t entered = ct_cuda_enter();
	if (entered == cudaSuccess)
		device_flags = flags;
	return ct_cuda_leave(entered);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
	cudaError_t entered = ct_cuda_enter();
	if (flags)
		*flags = device_flags;
	return leave_if(entered, flags != NULL, cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize(void)
{
	return ct_cuda_leave(ct_cuda_enter());
}

/* Frees all memory, and textures with it. A fault stays: CUDA wants a new process after one. */
cudaError_t cudaDeviceReset(void)
{
	cudaError_t entered = ct_cuda_enter();
	if (entered == cudaSuccess) {
		ct_cuda_forget_textures();
		ct_cuda_release_all();
		ct_cuda_forget_heap();
	}
	return ct_cuda_leave(entered);
}

static int has_limit(enum cudaLimit limit)
{
	return (size_t)limit < sizeof limits / sizeof *limits;
}

size_t ct_cuda_limit(enum cudaLimit limit)
{
	return limits[limit];
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	cudaError_t entered = ct_cuda_enter();
	if (entered == cudaSuccess && has_limit(limit))
		limits[limit] = value;
	return leave_if(entered, has_limit(limit), cudaErrorUnsupportedLimit);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	cudaError_t entered = ct_cuda_enter();
	if (value && has_limit(limit))
		*value = limits[limit];
	return leave_if(entered, value && has_limit(limit), cudaErrorUnsupportedLimit);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	cudaError_t entered = ct_cuda_enter();
	if (config)
		*config = cache_config;
	return leave_if(entered, config != NULL, cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	cudaError_t entered = ct_cuda_enter();
	if (entered == cudaSuccess)
		cache_config = config;
	return ct_cuda_leave(entered);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	cudaError_t entered = ct_cuda_enter();
	if (config)
		*config = bank_config;
	return leave_if(entered, config != NULL, cudaErrorInvalidValue);
}

/* Accepted and without effect, as on every board since Maxwell: banks are four bytes wide. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	return leave_if(ct_cuda_enter(), config <= cudaSharedMemBankSizeEightByte,
	                cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	cudaError_t entered = ct_cuda_enter();
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -1;
	return ct_cuda_leave(entered);
}

static const char bus_id[] = "0000:01:00.0";

cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
	cudaError_t entered = ct_cuda_enter();
	int ok = id && size >= (int)sizeof bus_id && device == 0;
	if (ok)
		memcpy(id, bus_id, sizeof bus_id);
	return leave_if(entered, ok, device == 0 ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	cudaError_t entered = ct_cuda_enter();
	int ok = device && id && strcmp(id, bus_id) == 0;
	if (ok)
		*device = 0;
	return leave_if(entered, ok, cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	cudaError_t entered = ct_cuda_enter();
	if (can)
		*can = 0;
	return leave_if(entered, can && device == 0 && peer == 0, cudaErrorInvalidDevice);
}

/* There are no two devices to ask about. */
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device, int peer)
{
	(void)attribute, (void)device, (void)peer;
	return leave_if(ct_cuda_enter(), 0, value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	(void)peer, (void)flags;
	ct_cuda_enter();
	return ct_cuda_leave(ct_cuda_refuse("cudaDeviceEnablePeerAccess", "there is one device"));
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	(void)peer;
	ct_cuda_enter();
	return ct_cuda_leave(ct_cuda_refuse("cudaDeviceDisablePeerAccess", "there is one device"));
}

static cudaError_t version(int *out, int number)
{
	cudaError_t entered = ct_cuda_enter();
	if (out)
		*out = number;
	return leave_if(entered, out != NULL, cudaErrorInvalidValue);
}

cudaError_t cudaDriverGetVersion(int *out)
{
	return version(out, CT_CUDA_DRIVER_VERSION);
}

cudaError_t cudaRuntimeGetVersion(int *out)
{
	return version(out, CUDART_VERSION);
}

/* A profiler's range chooses nothing: `tracegen capture -k --skip --launches` does. */
cudaError_t cudaProfilerStart(void)
{
	return ct_cuda_leave(ct_cuda_enter());
}

cudaError_t cudaProfilerStop(void)
{
	return ct_cuda_leave(ct_cuda_enter());
}

/* ---- names before version 4 ---- */

cudaError_t cudaThreadExit(void)
{
	return cudaDeviceReset();
}

cudaError_t cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
	return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
	return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
	return cudaDeviceGetCacheConfig(config);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
	return cudaDeviceSetCacheConfig(config);
}
