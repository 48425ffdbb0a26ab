/* Pools of memory for allocations in the order of a stream. All work is done when its call returns, so that what is freed is free at
 * once: a pool keeps its settings and nothing else, and memory comes from where cudaMalloc() takes it. */
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/runtime.h"

enum { ATTRIBUTES = cudaMemPoolAttrUsedMemHigh + 1 };

struct CUmemPoolHandle_st {
	struct CUmemPoolHandle_st *next;
	uint64_t value[ATTRIBUTES]; /* by attribute */
};

/* The device's own, which is also the one in use until the program chooses another. */
static struct CUmemPoolHandle_st own = {.value = {[cudaMemPoolReuseFollowEventDependencies] = 1,
                                                  [cudaMemPoolReuseAllowOpportunistic] = 1,
                                                  [cudaMemPoolReuseAllowInternalDependencies] = 1}};
static struct CUmemPoolHandle_st *made, *in_use = &own;

static cudaError_t check_pool(cudaMemPool_t pool)
{
	if (pool == &own)
		return cudaSuccess;
	for (struct CUmemPoolHandle_st *at = made; at; at = at->next)
		if (at == pool)
			return cudaSuccess;
	return cudaErrorInvalidValue;
}

/* The three reuse settings are int, the others 64 bits. */
static int is_flag(enum cudaMemPoolAttr attribute)
{
	return attribute >= cudaMemPoolReuseFollowEventDependencies &&
	       attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

static cudaError_t check_attribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, const void *value)
{
	if (!value || (unsigned)attribute >= ATTRIBUTES ||
	    attribute < cudaMemPoolReuseFollowEventDependencies)
		return cudaErrorInvalidValue;
	return check_pool(pool);
}

static cudaError_t give_pool(cudaMemPool_t *pool, int device, struct CUmemPoolHandle_st *which)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && !pool)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && device != 0)
		error = cudaErrorInvalidDevice;
	if (error == cudaSuccess)
		*pool = which;
	return ct_cuda_leave(error);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	return give_pool(pool, device, &own);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	return give_pool(pool, device, in_use);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && device != 0)
		error = cudaErrorInvalidDevice;
	if (error == cudaSuccess)
		error = check_pool(pool);
	if (error == cudaSuccess)
		in_use = pool;
	return ct_cuda_leave(error);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!pool || !properties))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		struct CUmemPoolHandle_st *p = ct_calloc(1, sizeof *p);
		if (p) {
			*p = own;
			p->next = made;
			*pool = made = p;
		} else {
			error = cudaErrorMemoryAllocation;
		}
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	cudaError_t error = ct_cuda_enter();
	struct CUmemPoolHandle_st **at = &made;
	while (error == cudaSuccess && *at && *at != pool)
		at = &(*at)->next;
	if (error == cudaSuccess && !*at)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		*at = pool->next;
		in_use = in_use == pool ? &own : in_use;
		free(pool);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = check_attribute(pool, attribute, value);
	if (error == cudaSuccess)
		pool->value[attribute] = is_flag(attribute) ? (uint64_t)(*(int *)value != 0)
		                                            : *(uint64_t *)value;
	return ct_cuda_leave(error);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = check_attribute(pool, attribute, value);
	if (error == cudaSuccess && is_flag(attribute))
		*(int *)value = (int)pool->value[attribute];
	else if (error == cudaSuccess)
		*(uint64_t *)value = pool->value[attribute];
	return ct_cuda_leave(error);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
	(void)bytes; /* a pool keeps nothing */
	cudaError_t error = ct_cuda_enter();
	return ct_cuda_leave(error == cudaSuccess ? check_pool(pool) : error);
}

cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = check_pool(pool);
	error = ct_cuda_leave(error);
	return error == cudaSuccess ? cudaMallocAsync(p, bytes, stream) : error;
}

/* ---- access ---- */

/* The one device has it, and keeps it. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t n)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = n && !access ? cudaErrorInvalidValue : check_pool(pool);
	for (size_t i = 0; i < n && error == cudaSuccess; i++)
		if (access[i].location.type != cudaMemLocationTypeDevice || access[i].location.id != 0)
			error = cudaErrorInvalidDevice;
		else if (access[i].flags != cudaMemAccessFlagsProtReadWrite)
			error = cudaErrorInvalidValue;
	return ct_cuda_leave(error);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *where)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = flags && where ? check_pool(pool) : cudaErrorInvalidValue;
	if (error == cudaSuccess && (where->type != cudaMemLocationTypeDevice || where->id != 0))
		error = cudaErrorInvalidDevice;
	if (error == cudaSuccess)
		*flags = cudaMemAccessFlagsProtReadWrite;
	return ct_cuda_leave(error);
}

/* ---- memory of graphs: bytes that their nodes have allocated, now or at most ---- */

static cudaError_t enter_for_graphs(int device, enum cudaGraphMemAttributeType attribute,
                                    const void *value)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && device != 0)
		error = cudaErrorInvalidDevice;
	if (error == cudaSuccess && ((unsigned)attribute > cudaGraphMemAttrReservedMemHigh || !value))
		error = cudaErrorInvalidValue;
	return error;
}

static int is_high(enum cudaGraphMemAttributeType attribute)
{
	return attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
}

cudaError_t
cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
	cudaError_t error = enter_for_graphs(device, attribute, value);
	if (error == cudaSuccess)
		*(uint64_t *)value = *ct_cuda_graph_bytes(is_high(attribute));
	return ct_cuda_leave(error);
}

/* A program sets the highest back to 0. */
cudaError_t
cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
	cudaError_t error = enter_for_graphs(device, attribute, value);
	if (error == cudaSuccess && (!is_high(attribute) || *(uint64_t *)value != 0))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*ct_cuda_graph_bytes(1) = *ct_cuda_graph_bytes(0);
	return ct_cuda_leave(error);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
	uint64_t nothing;
	return ct_cuda_leave(enter_for_graphs(device, cudaGraphMemAttrUsedMemCurrent, &nothing));
}
