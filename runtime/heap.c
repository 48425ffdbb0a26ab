/* The heap of malloc() and free() in kernels: one allocation of cudaLimitMallocHeapSize bytes, made before the first launch
 * of a module that asks for memory. Blocks are powers of two; those that were freed wait in lists. What a
 * kernel does to its memory cannot harm the lists, which lie in memory of the host. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "runtime/runtime.h"

/* Blocks of 16 << class bytes; as CUDA's, they are aligned to 16 bytes. */
enum { UNIT = 16, CLASSES = 40 };

static struct {
	uint64_t first, bytes;  /* 0: there is none */
	uint64_t used;          /* from the start, ever */
	unsigned char *kind;    /* of the block that begins at a unit: class + 1; 0: none does */
	uint32_t *next;         /* of a free block: unit + 1 of the next of its class; 0: none */
	uint32_t free[CLASSES]; /* the same of the first */
} heap;

void ct_cuda_forget_heap(void)
{
	free(heap.kind);
	free(heap.next);
	memset(&heap, 0, sizeof heap);
}

cudaError_t ct_cuda_make_heap(void)
{
	void *p = NULL;
	uint64_t bytes = ct_cuda_limit(cudaLimitMallocHeapSize) / UNIT * UNIT;
	if (heap.first || bytes == 0 || bytes / UNIT >= UINT32_MAX)
		return cudaSuccess;
	cudaError_t error = ct_cuda_allocate(bytes, cudaMemoryTypeDevice, 0, &p);
	if (error != cudaSuccess)
		return error;
	heap.kind = ct_calloc((size_t)(bytes / UNIT), sizeof *heap.kind);
	heap.next = ct_calloc((size_t)(bytes / UNIT), sizeof *heap.next);
	if (!heap.kind || !heap.next) {
		ct_cuda_forget_heap();
		ct_cuda_release(p, cudaMemoryTypeDevice);
		return cudaErrorMemoryAllocation;
	}
	heap.first = (uint64_t)(uintptr_t)p;
	heap.bytes = bytes;
	return ct_cuda_trace_array(heap.first, bytes, "device heap");
}

uint64_t ct_cuda_heap_malloc(uint64_t bytes)
{
	unsigned kind = bytes <= UNIT ? 0 : ct_high_bit((bytes - 1) / UNIT) + 1;
	uint64_t room = (uint64_t)UNIT << kind, at;
	if (!heap.first || bytes == 0 || bytes > heap.bytes)
		return 0;
	if (heap.free[kind]) {
		at = (uint64_t)(heap.free[kind] - 1) * UNIT;
		heap.free[kind] = heap.next[at / UNIT];
	} else if (room <= heap.bytes - heap.used) {
		at = heap.used;
		heap.used += room;
	} else {
		return 0;
	}
	heap.kind[at / UNIT] = (unsigned char)(kind + 1);
	return heap.first + at;
}

int ct_cuda_heap_free(uint64_t address)
{
	uint64_t at = address - heap.first;
	if (address == 0)
		return 0;
	if (!heap.first || at >= heap.bytes || at % UNIT || !heap.kind[at / UNIT])
		return -1;
	unsigned kind = heap.kind[at / UNIT] - 1u;
	heap.kind[at / UNIT] = 0;
	heap.next[at / UNIT] = heap.free[kind];
	heap.free[kind] = (uint32_t)(at / UNIT) + 1;
	return 0;
}
