/* CUDA's driver API: what a program asks of the device and sets for its context, as the run-time API has it. */
#include <string.h>

#include "runtime/driver.h"
#include "runtime/runtime.h"

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	struct cudaDeviceProp p;
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS)
		r = uuid ? ct_cuda_result(cudaGetDeviceProperties(&p, device))
		         : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		memcpy(uuid->bytes, p.uuid, sizeof uuid->bytes);
	return ct_cuda_driver_leave(r);
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	return cuDeviceGetUuid(uuid, device);
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
	CT_CUDA_DRIVER(cudaDeviceGetByPCIBusId(device, id));
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device)
{
	CT_CUDA_DRIVER(cudaDeviceGetPCIBusId(id, size, device));
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	CT_CUDA_DRIVER(cudaDeviceCanAccessPeer(can, device, peer));
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
	CT_CUDA_DRIVER(device == 0 ? cudaDeviceReset() : cudaErrorInvalidDevice);
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	CT_CUDA_DRIVER(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
	CT_CUDA_DRIVER(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	CT_CUDA_DRIVER(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
	enum cudaFuncCache c = cudaFuncCachePreferNone;
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS)
		r = config ? ct_cuda_result(cudaDeviceGetCacheConfig(&c)) : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*config = (CUfunc_cache)c;
	return ct_cuda_driver_leave(r);
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	CT_CUDA_DRIVER(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config));
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
	enum cudaSharedMemConfig c = cudaSharedMemBankSizeDefault;
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS)
		r = config ? ct_cuda_result(cudaDeviceGetSharedMemConfig(&c)) : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*config = (CUsharedconfig)c;
	return ct_cuda_driver_leave(r);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CT_CUDA_DRIVER(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxResetPersistingL2Cache(void)
{
	CT_CUDA_DRIVER(cudaCtxResetPersistingL2Cache());
}

/* ---- refused ---- */

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
	(void)peer, (void)flags;
	CT_CUDA_DRIVER(ct_cuda_refuse("cuCtxEnablePeerAccess", "there is one device"));
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	(void)peer;
	CT_CUDA_DRIVER(ct_cuda_refuse("cuCtxDisablePeerAccess", "there is one device"));
}
