/* CUDA's driver API: memory, streams and events, which are those of the run-time API. */
#include <string.h>

#include "runtime/driver.h"
#include "runtime/runtime.h"

static void *pointer(CUdeviceptr p)
{
	return (void *)(uintptr_t)p;
}

#define DRIVER(call) CT_CUDA_DRIVER(call)

/* ---- memory ---- */

static cudaError_t allocate(CUdeviceptr *p, size_t bytes, enum cudaMemoryType type)
{
	void *at = NULL;
	cudaError_t error = p && bytes ? ct_cuda_allocate(bytes, type, 0, &at) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*p = (CUdeviceptr)(uintptr_t)at;
	return error;
}

CUresult cuMemAlloc(CUdeviceptr *p, size_t bytes)
{
	DRIVER(allocate(p, bytes, cudaMemoryTypeDevice));
}

CUresult cuMemAllocManaged(CUdeviceptr *p, size_t bytes, unsigned flags)
{
	(void)flags;
	DRIVER(allocate(p, bytes, cudaMemoryTypeManaged));
}

static cudaError_t allocate_pitch(CUdeviceptr *p, size_t *pitch, size_t width, size_t height)
{
	void *at = NULL;
	cudaError_t error = p && width && height ? cudaMallocPitch(&at, pitch, width, height)
	                                         : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*p = (CUdeviceptr)(uintptr_t)at;
	return error;
}

CUresult cuMemAllocPitch(CUdeviceptr *p, size_t *pitch, size_t width, size_t height,
                         unsigned element_bytes)
{
	if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
		return CUDA_ERROR_INVALID_VALUE;
	DRIVER(allocate_pitch(p, pitch, width, height));
}

CUresult cuMemFree(CUdeviceptr p)
{
	DRIVER(ct_cuda_release(pointer(p), cudaMemoryTypeDevice));
}

CUresult cuMemAllocHost(void **p, size_t bytes)
{
	DRIVER(cudaMallocHost(p, bytes));
}

CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned flags)
{
	DRIVER(cudaHostAlloc(p, bytes, flags));
}

CUresult cuMemFreeHost(void *p)
{
	DRIVER(ct_cuda_release(p, cudaMemoryTypeHost));
}

static cudaError_t host_pointer(CUdeviceptr *device, void *host, unsigned flags)
{
	void *at = NULL;
	cudaError_t error = device ? cudaHostGetDevicePointer(&at, host, flags) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*device = (CUdeviceptr)(uintptr_t)at;
	return error;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned flags)
{
	DRIVER(host_pointer(device, host, flags));
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	DRIVER(cudaMemGetInfo(free_bytes, total_bytes));
}

static cudaError_t address_range(CUdeviceptr *first, size_t *bytes, CUdeviceptr p)
{
	const struct ct_cuda_allocation *a = ct_cuda_allocation_of(p);
	if (!a)
		return cudaErrorInvalidValue;
	if (first)
		*first = a->first;
	if (bytes)
		*bytes = a->bytes;
	return cudaSuccess;
}

CUresult cuMemGetAddressRange(CUdeviceptr *first, size_t *bytes, CUdeviceptr p)
{
	DRIVER(address_range(first, bytes, p));
}

CUresult cuMemHostRegister(void *p, size_t bytes, unsigned flags)
{
	DRIVER(cudaHostRegister(p, bytes, flags));
}

CUresult cuMemHostUnregister(void *p)
{
	DRIVER(cudaHostUnregister(p));
}

CUresult cuMemHostGetFlags(unsigned *flags, void *p)
{
	DRIVER(cudaHostGetFlags(flags, p));
}

/* What the value of an attribute is written as is the reference's. */
static cudaError_t pointer_attribute(void *value, CUpointer_attribute attribute, CUdeviceptr p)
{
	const struct ct_cuda_allocation *a = ct_cuda_allocation_of(p);
	if (!value || !a)
		return cudaErrorInvalidValue;
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT: return ct_cuda_current_context(value);
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)value = a->type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST
		                                                   : CU_MEMORYTYPE_DEVICE;
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)value = p; break;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (a->type == cudaMemoryTypeDevice)
			return cudaErrorInvalidValue;
		*(void **)value = pointer(p);
		break;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(int *)value = 1; break;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)value = a->number; break;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(int *)value = a->type == cudaMemoryTypeManaged; break;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: *(int *)value = 0; break;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)value = a->first; break;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)value = a->bytes; break;
	case CU_POINTER_ATTRIBUTE_MAPPED: *(int *)value = 1; break;
	default: return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr p)
{
	DRIVER(pointer_attribute(value, attribute, p));
}

CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute *attributes, void **values,
                                CUdeviceptr p)
{
	CUresult r = attributes && values ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < n && r == CUDA_SUCCESS; i++)
		r = cuPointerGetAttribute(values[i], attributes[i], p);
	return r;
}

/* ---- copies and fills ---- */

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	DRIVER(cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	DRIVER(cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDefault));
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
	DRIVER(cudaMemcpy(pointer(to), from, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
	DRIVER(cudaMemcpy(to, pointer(from), bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	DRIVER(cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
	DRIVER(cudaMemcpyAsync(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	DRIVER(cudaMemcpyAsync(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	DRIVER(cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream));
}

/* n elements of `bytes` bytes, each set to the value's. */
static cudaError_t fill(CUdeviceptr p, const void *value, size_t bytes, size_t n)
{
	unsigned char *to = pointer(p);
	if (p % bytes || n > SIZE_MAX / bytes || (n && !ct_cuda_is_device_range(to, n * bytes)))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++)
		memcpy(to + i * bytes, value, bytes);
	ct_cuda_wrote(to, n * bytes);
	return cudaSuccess;
}

CUresult cuMemsetD8(CUdeviceptr p, unsigned char value, size_t n)
{
	DRIVER(fill(p, &value, sizeof value, n));
}

CUresult cuMemsetD16(CUdeviceptr p, unsigned short value, size_t n)
{
	DRIVER(fill(p, &value, sizeof value, n));
}

CUresult cuMemsetD32(CUdeviceptr p, unsigned value, size_t n)
{
	DRIVER(fill(p, &value, sizeof value, n));
}

/* Rows of a pitch. */
static cudaError_t fill_rows(CUdeviceptr p, size_t pitch, const void *value, size_t bytes, size_t width,
                             size_t height)
{
	cudaError_t error = cudaSuccess;
	for (size_t y = 0; y < height && error == cudaSuccess; y++)
		error = fill(p + y * pitch, value, bytes, width);
	return error;
}

CUresult cuMemsetD2D8(CUdeviceptr p, size_t pitch, unsigned char value, size_t width, size_t height)
{
	DRIVER(fill_rows(p, pitch, &value, sizeof value, width, height));
}

CUresult cuMemsetD2D16(CUdeviceptr p, size_t pitch, unsigned short value, size_t width, size_t height)
{
	DRIVER(fill_rows(p, pitch, &value, sizeof value, width, height));
}

CUresult cuMemsetD2D32(CUdeviceptr p, size_t pitch, unsigned value, size_t width, size_t height)
{
	DRIVER(fill_rows(p, pitch, &value, sizeof value, width, height));
}

/* On a stream that is captured it becomes a node. */
static cudaError_t fill_on(CUstream stream, CUdeviceptr p, unsigned value, unsigned element, size_t n)
{
	cudaGraph_t graph = ct_cuda_captured_into(stream);
	unsigned char byte = (unsigned char)value;
	unsigned short two = (unsigned short)value;
	if (!graph)
		return fill(p,
		            element == 1   ? (const void *)&byte
		            : element == 2 ? (const void *)&two
		                           : &value,
		            element, n);
	return ct_cuda_capture(
		graph, &(struct ct_cuda_work){.kind = CT_CUDA_FILL,
	                                      .to = pointer(p),
	                                      .to_pitch = n * element,
	                                      .value = value,
	                                      .element = element,
	                                      .width = n,
	                                      .height = 1});
}

CUresult cuMemsetD16Async(CUdeviceptr p, unsigned short value, size_t n, CUstream stream)
{
	DRIVER(fill_on(stream, p, value, sizeof value, n));
}

CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t n, CUstream stream)
{
	DRIVER(fill_on(stream, p, value, sizeof value, n));
}

CUresult cuMemsetD32Async(CUdeviceptr p, unsigned value, size_t n, CUstream stream)
{
	DRIVER(fill_on(stream, p, value, sizeof value, n));
}

/* ---- streams and events ---- */

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
	DRIVER(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
	DRIVER(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
	DRIVER(cudaStreamGetPriority(stream, priority));
}

CUresult cuStreamGetFlags(CUstream stream, unsigned *flags)
{
	DRIVER(cudaStreamGetFlags(stream, flags));
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user, unsigned flags)
{
	CUresult r = cuStreamQuery(stream);
	if (r == CUDA_SUCCESS && (!callback || flags != 0))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		callback(stream, CUDA_SUCCESS, user);
	return r;
}

CUresult cuStreamDestroy(CUstream stream)
{
	DRIVER(cudaStreamDestroy(stream));
}

CUresult cuStreamSynchronize(CUstream stream)
{
	DRIVER(cudaStreamSynchronize(stream));
}

CUresult cuStreamQuery(CUstream stream)
{
	DRIVER(cudaStreamQuery(stream));
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	DRIVER(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
	DRIVER(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy(CUevent event)
{
	DRIVER(cudaEventDestroy(event));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	DRIVER(cudaEventRecord(event, stream));
}

CUresult cuEventQuery(CUevent event)
{
	DRIVER(cudaEventQuery(event));
}

CUresult cuEventSynchronize(CUevent event)
{
	DRIVER(cudaEventSynchronize(event));
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
	DRIVER(cudaEventElapsedTime(milliseconds, start, end));
}
