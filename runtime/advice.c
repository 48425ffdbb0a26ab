/* Advice about managed memory. It is where it is: what a program advises and prefetches is checked and kept for when it asks. Advice
 * about a part of an allocation counts for all of it. */
#include <string.h>

#include "runtime/runtime.h"

/* The managed allocation that holds the range, or NULL. */
static struct ct_cuda_allocation *managed_range(const void *p, size_t bytes)
{
	struct ct_cuda_allocation *a = ct_cuda_allocation_of((uint64_t)(uintptr_t)p);
	return a && a->type == cudaMemoryTypeManaged &&
	                       bytes <= a->bytes - ((uint64_t)(uintptr_t)p - a->first)
	               ? a
	               : NULL;
}

static int is_place(int device)
{
	return device == 0 || device == cudaCpuDeviceId;
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t stream)
{
	cudaError_t error = ct_cuda_enter();
	struct ct_cuda_allocation *a = error == cudaSuccess ? managed_range(p, bytes) : NULL;
	(void)stream;
	if (error == cudaSuccess && !a)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && !is_place(device))
		error = cudaErrorInvalidDevice;
	if (error == cudaSuccess)
		a->advice.prefetched = device == 0 ? CT_CUDA_ON_DEVICE : CT_CUDA_ON_HOST;
	return ct_cuda_leave(error);
}

cudaError_t cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
	cudaError_t error = ct_cuda_enter();
	struct ct_cuda_allocation *a = error == cudaSuccess ? managed_range(p, bytes) : NULL;
	uint8_t place = device == 0 ? CT_CUDA_ON_DEVICE : CT_CUDA_ON_HOST;
	int places = advice == cudaMemAdviseSetPreferredLocation ||
	             advice == cudaMemAdviseSetAccessedBy || advice == cudaMemAdviseUnsetAccessedBy;
	if (error == cudaSuccess && !a)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && places && !is_place(device))
		error = cudaErrorInvalidDevice;
	if (error == cudaSuccess)
		switch (advice) {
		case cudaMemAdviseSetReadMostly: a->advice.read_mostly = 1; break;
		case cudaMemAdviseUnsetReadMostly: a->advice.read_mostly = 0; break;
		case cudaMemAdviseSetPreferredLocation: a->advice.preferred = place; break;
		case cudaMemAdviseUnsetPreferredLocation: a->advice.preferred = 0; break;
		case cudaMemAdviseSetAccessedBy: a->advice.accessed_by |= place; break;
		case cudaMemAdviseUnsetAccessedBy: a->advice.accessed_by &= (uint8_t)~place; break;
		default: error = cudaErrorInvalidValue;
		}
	return ct_cuda_leave(error);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t bytes, unsigned flags)
{
	cudaError_t error = ct_cuda_enter();
	(void)stream;
	(void)flags;
	if (error == cudaSuccess && !managed_range(p, bytes))
		error = cudaErrorInvalidValue;
	return ct_cuda_leave(error);
}

static int device_number(uint8_t place)
{
	return place == CT_CUDA_ON_DEVICE ? 0
	       : place == CT_CUDA_ON_HOST ? cudaCpuDeviceId
	                                  : cudaInvalidDeviceId;
}

/* Numbers of 32 bits: one, or for who accesses the range as many as there is room for. */
cudaError_t cudaMemRangeGetAttribute(void *value, size_t bytes, enum cudaMemRangeAttribute attribute,
                                     const void *p, size_t range)
{
	cudaError_t error = ct_cuda_enter();
	const struct ct_cuda_allocation *a = error == cudaSuccess ? managed_range(p, range) : NULL;
	int32_t *out = value;
	if (error == cudaSuccess && (!a || !out || !range || bytes < 4 || bytes % 4))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		switch (attribute) {
		case cudaMemRangeAttributeReadMostly: *out = a->advice.read_mostly; break;
		case cudaMemRangeAttributePreferredLocation:
			*out = device_number(a->advice.preferred);
			break;
		case cudaMemRangeAttributeLastPrefetchLocation:
			*out = device_number(a->advice.prefetched);
			break;
		case cudaMemRangeAttributeAccessedBy: {
			size_t n = 0;
			for (uint8_t place = CT_CUDA_ON_DEVICE; place <= CT_CUDA_ON_HOST; place <<= 1)
				if (a->advice.accessed_by & place && n < bytes / 4)
					out[n++] = device_number(place);
			while (n < bytes / 4)
				out[n++] = cudaInvalidDeviceId;
			break;
		}
		default: error = cudaErrorInvalidValue;
		}
	return ct_cuda_leave(error);
}

cudaError_t cudaMemRangeGetAttributes(void **values, size_t *bytes,
                                      enum cudaMemRangeAttribute *attributes, size_t n, const void *p,
                                      size_t range)
{
	cudaError_t error = values && bytes && attributes && n ? cudaSuccess : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return ct_cuda_enter(), ct_cuda_leave(error);
	for (size_t i = 0; i < n && error == cudaSuccess; i++)
		error = cudaMemRangeGetAttribute(values[i], bytes[i], attributes[i], p, range);
	return error;
}
