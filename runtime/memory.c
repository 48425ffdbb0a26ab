/* Memory of the device: an arena at a fixed place, so that a program's addresses are the same in every run.
 *
 * The arena is as large as the board's memory; the host gives pages of it as they are touched. Blocks lie in
 * the order of their addresses and each takes the first gap that is large enough. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/mem.h"
#include "runtime/runtime.h"

/* Where the arena is asked for: far from what Linux on x86-64 and arm64 maps, with and without sanitizers. */
#define ARENA UINT64_C(0x700000000000)
enum {
	GRANULE = 512,        /* cudaMalloc's alignment; the guide promises at least 256 bytes */
	PAGE = 1 << 16,       /* a multiple of every host's page */
	AROUND = 2 << 20,     /* what boards map at a time */
	LEAST_ARENA = 1 << 26 /* bytes: a host that has not even this cannot run programs */
};

static struct {
	uint64_t first, bytes;            /* of the arena; 0: not yet there */
	struct ct_cuda_allocation *block; /* by address: blocks of the arena and registered ranges */
	size_t n, room;
	uint64_t numbered, used;
	uint64_t graph_used,
		graph_high; /* bytes that graphs have allocated, and the most that they had */
} heap;

static cudaError_t make_arena(void)
{
	uint64_t bytes = ct_round_up(ct_cuda_board_memory(), PAGE);
	void *p = MAP_FAILED;
	for (; p == MAP_FAILED && bytes >= LEAST_ARENA; bytes /= 2) {
		p = mmap((void *)(uintptr_t)(ARENA - AROUND), bytes + 2 * AROUND, PROT_NONE,
		         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		heap.bytes = bytes;
	}
	if (p == MAP_FAILED)
		return cudaErrorMemoryAllocation;
	heap.first = (uint64_t)(uintptr_t)p + AROUND;
	return cudaSuccess;
}

/* Index of the first block behind `address`. */
static size_t behind(uint64_t address)
{
	size_t low = 0, high = heap.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (heap.block[middle].first <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct ct_cuda_allocation *ct_cuda_allocation_of(uint64_t address)
{
	size_t i = behind(address);
	if (i == 0 || address - heap.block[i - 1].first >= heap.block[i - 1].bytes)
		return NULL;
	return &heap.block[i - 1];
}

const struct ct_cuda_allocation *ct_cuda_nearest_allocation(uint64_t address)
{
	size_t i = behind(address);
	if (heap.n == 0)
		return NULL;
	if (i == 0)
		return &heap.block[0];
	const struct ct_cuda_allocation *before = &heap.block[i - 1];
	if (i == heap.n || address - (before->first + before->bytes) <= heap.block[i].first - address)
		return before;
	return &heap.block[i];
}

/* Puts a block in its place and makes it known to kernels. */
static cudaError_t insert(const struct ct_cuda_allocation *a)
{
	struct ct_error e;
	size_t at = behind(a->first);
	if (ct_grow((void **)&heap.block, &heap.room, heap.n + 1, sizeof *heap.block) < 0 ||
	    ct_ptx_memory_add(ct_cuda.memory, (void *)(uintptr_t)a->first, a->bytes, &e) != CT_OK)
		return cudaErrorMemoryAllocation;
	memmove(&heap.block[at + 1], &heap.block[at], (heap.n - at) * sizeof *heap.block);
	heap.block[at] = *a;
	heap.n++;
	return cudaSuccess;
}

static void take_out(struct ct_cuda_allocation *a)
{
	size_t at = (size_t)(a - heap.block);
	ct_ptx_memory_remove(ct_cuda.memory, (void *)(uintptr_t)a->first, NULL);
	free(a->known);
	memmove(&heap.block[at], &heap.block[at + 1], (heap.n - at - 1) * sizeof *heap.block);
	heap.n--;
}

/* Address of the first gap of `bytes`, or 0. */
static uint64_t find_gap(uint64_t bytes)
{
	uint64_t at = heap.first, end = heap.first + heap.bytes;
	for (size_t i = 0; i < heap.n; i++) {
		const struct ct_cuda_allocation *a = &heap.block[i];
		if (a->registered)
			continue;
		if (a->first - at >= bytes)
			return at;
		at = a->first + ct_round_up(a->bytes, GRANULE);
	}
	return end - at >= bytes ? at : 0;
}

/* Gives the pages that [first, end) has for itself to the host again. */
static void give_pages_back(uint64_t first, uint64_t end)
{
	first = ct_round_up(first, PAGE);
	end = end / PAGE * PAGE;
	if (first < end)
		madvise((void *)(uintptr_t)first, end - first, MADV_DONTNEED);
}

/* Fills in the place of a block and makes its pages writable. */
static cudaError_t take_gap(struct ct_cuda_allocation *a)
{
	uint64_t room = ct_round_up(a->bytes, GRANULE);
	if (heap.first == 0 && make_arena() != cudaSuccess)
		return cudaErrorMemoryAllocation;
	a->first = room >= a->bytes && room <= heap.bytes ? find_gap(room) : 0;
	if (a->first == 0)
		return cudaErrorMemoryAllocation;
	uint64_t page = a->first / PAGE * PAGE;
	if (mprotect((void *)(uintptr_t)page, ct_round_up(a->first + room, PAGE) - page,
	             PROT_READ | PROT_WRITE) != 0)
		return cudaErrorMemoryAllocation;
	/* What the host writes without a call, and what a text initialises, is taken as written. */
	int followed = ct_cuda.settings.check_init && a->type == cudaMemoryTypeDevice && !a->module;
	if (followed && !(a->known = ct_calloc(a->bytes, 1)))
		return cudaErrorMemoryAllocation;
	if (insert(a) != cudaSuccess) {
		free(a->known);
		return cudaErrorMemoryAllocation;
	}
	heap.used += room;
	return cudaSuccess;
}

cudaError_t ct_cuda_allocate(uint64_t bytes, enum cudaMemoryType type, unsigned flags, void **out)
{
	struct ct_cuda_allocation a = {
		.bytes = bytes, .number = heap.numbered + 1, .type = type, .flags = flags};
	cudaError_t error = bytes ? take_gap(&a) : cudaSuccess;
	*out = NULL;
	if (error != cudaSuccess || bytes == 0)
		return error;
	heap.numbered++;
	*out = (void *)(uintptr_t)a.first;
	return ct_cuda_trace_array(a.first, bytes, NULL);
}

static char forever; /* a module that is never removed */

cudaError_t ct_cuda_place_pages(uint64_t bytes, uint64_t *first)
{
	struct ct_cuda_allocation a = {
		.bytes = bytes + PAGE, .type = cudaMemoryTypeManaged, .module = &forever};
	cudaError_t error = take_gap(&a);
	*first = ct_round_up(a.first, PAGE);
	return error;
}

cudaError_t ct_cuda_know_range(uint64_t first, uint64_t bytes)
{
	struct ct_cuda_allocation a = {
		.first = first,
		.bytes = bytes,
		.type = cudaMemoryTypeManaged,
		.module = &forever,
		.registered = 1};
	return insert(&a);
}

cudaError_t ct_cuda_show_range(uint64_t first, uint64_t bytes)
{
	struct ct_cuda_allocation a = {
		.first = first,
		.bytes = bytes,
		.number = ++heap.numbered,
		.type = cudaMemoryTypeDevice,
		.registered = 1,
		.mapped = 1};
	cudaError_t error = insert(&a);
	return error == cudaSuccess ? ct_cuda_trace_array(first, bytes, NULL) : error;
}

void ct_cuda_hide_range(uint64_t first)
{
	struct ct_cuda_allocation *a = ct_cuda_allocation_of(first);
	if (a && a->mapped)
		take_out(a);
}

void *ct_cuda_place_variable(void *ctx, const char *name, uint64_t bytes, uint32_t align)
{
	(void)name;
	struct ct_cuda_allocation a = {.bytes = bytes, .type = cudaMemoryTypeDevice, .module = ctx};
	if (align > GRANULE || take_gap(&a) != cudaSuccess)
		return NULL;
	memset((void *)(uintptr_t)a.first, 0, bytes);
	return (void *)(uintptr_t)a.first;
}

cudaError_t ct_cuda_map_around(struct ct_ptx_memory **out)
{
	uint64_t first = UINT64_MAX, end = 0;
	struct ct_error e;
	if (ct_ptx_memory_create(out, &e) != CT_OK)
		return cudaErrorMemoryAllocation;
	for (size_t i = 0; i < heap.n; i++) {
		const struct ct_cuda_allocation *a = &heap.block[i];
		if (a->registered &&
		    ct_ptx_memory_add(*out, (void *)(uintptr_t)a->first, a->bytes, &e) != CT_OK)
			return cudaErrorMemoryAllocation;
		if (a->registered)
			continue;
		first = a->first < first ? a->first : first;
		end = a->first + a->bytes > end ? a->first + a->bytes : end;
	}
	if (!end)
		return cudaSuccess;
	first = first / PAGE * PAGE - AROUND;
	end = ct_round_up(end, PAGE) + AROUND;
	void *from = (void *)(uintptr_t)first;
	if (mprotect(from, end - first, PROT_READ | PROT_WRITE) != 0 ||
	    ct_ptx_memory_add(*out, from, end - first, &e) != CT_OK)
		return cudaErrorMemoryAllocation;
	return cudaSuccess;
}

/* Gives the block's room back. */
static void release(struct ct_cuda_allocation *a)
{
	uint64_t room = ct_round_up(a->bytes, GRANULE);
	heap.used -= room;
	give_pages_back(a->first, a->first + room);
	take_out(a);
}

void ct_cuda_release_variables(const void *module)
{
	for (size_t i = heap.n; i-- > 0;)
		if (heap.block[i].module == module)
			release(&heap.block[i]);
}

cudaError_t ct_cuda_release(const void *p, enum cudaMemoryType type)
{
	struct ct_cuda_allocation *a = ct_cuda_allocation_of((uint64_t)(uintptr_t)p);
	if (!p)
		return cudaSuccess;
	int managed = type == cudaMemoryTypeDevice && a && a->type == cudaMemoryTypeManaged;
	if (!a || a->registered || a->module || (a->type != type && !managed) ||
	    a->first != (uint64_t)(uintptr_t)p || a->graph == CT_CUDA_RESERVED)
		return cudaErrorInvalidValue;
	if (a->graph) {
		a->graph = CT_CUDA_RESERVED;
		heap.graph_used -= a->bytes;
	} else {
		release(a);
	}
	return cudaSuccess;
}

/* ---- memory of graphs: it keeps its place from launch to launch ---- */

cudaError_t ct_cuda_reserve_for_graph(uint64_t bytes, void **out)
{
	cudaError_t error = ct_cuda_allocate(bytes, cudaMemoryTypeDevice, 0, out);
	struct ct_cuda_allocation *a = ct_cuda_allocation_of((uint64_t)(uintptr_t)*out);
	if (a)
		a->graph = CT_CUDA_RESERVED;
	return error;
}

cudaError_t ct_cuda_allocate_in_graph(const void *p)
{
	struct ct_cuda_allocation *a = ct_cuda_allocation_of((uint64_t)(uintptr_t)p);
	if (!a || a->graph != CT_CUDA_RESERVED)
		return cudaErrorInvalidValue;
	a->graph = CT_CUDA_ALLOCATED;
	heap.graph_used += a->bytes;
	if (heap.graph_used > heap.graph_high)
		heap.graph_high = heap.graph_used;
	return cudaSuccess;
}

void ct_cuda_leave_graph(const void *p)
{
	struct ct_cuda_allocation *a = ct_cuda_allocation_of((uint64_t)(uintptr_t)p);
	if (!a || !a->graph)
		return;
	if (a->graph == CT_CUDA_ALLOCATED)
		heap.graph_used -= a->bytes;
	int unused = a->graph == CT_CUDA_RESERVED;
	a->graph = 0;
	if (unused)
		release(a);
}

uint64_t *ct_cuda_graph_bytes(int most)
{
	return most ? &heap.graph_high : &heap.graph_used;
}

void ct_cuda_release_all(void)
{
	for (size_t i = heap.n; i-- > 0;)
		if (heap.block[i].registered && !heap.block[i].module)
			take_out(&heap.block[i]);
		else if (!heap.block[i].module)
			release(&heap.block[i]);
	heap.graph_used = 0;
}

uint64_t ct_cuda_total_memory(void)
{
	return heap.first || make_arena() == cudaSuccess ? heap.bytes : 0;
}

uint64_t ct_cuda_free_memory(void)
{
	return ct_cuda_total_memory() - heap.used;
}

/* Places that are mapped side by side are one range. */
int ct_cuda_is_device_range(const void *p, uint64_t bytes)
{
	uint64_t first = (uint64_t)(uintptr_t)p;
	const struct ct_cuda_allocation *a = ct_cuda_allocation_of(first);
	while (a && bytes > a->bytes - (first - a->first)) {
		const uint64_t end = a->first + a->bytes;
		bytes -= end - first;
		first = end;
		a = a->mapped ? ct_cuda_allocation_of(end) : NULL;
		a = a && a->mapped ? a : NULL;
	}
	return a != NULL;
}

void ct_cuda_wrote(const void *p, uint64_t bytes)
{
	uint64_t first = (uint64_t)(uintptr_t)p;
	struct ct_cuda_allocation *a = ct_cuda_allocation_of(first);
	if (a && a->known && bytes <= a->bytes - (first - a->first))
		memset(a->known + (first - a->first), 1, bytes);
}

void ct_cuda_moved(const void *to, const void *from, uint64_t bytes)
{
	const struct ct_cuda_allocation *a = ct_cuda_allocation_of((uint64_t)(uintptr_t)to),
					*b = ct_cuda_allocation_of((uint64_t)(uintptr_t)from);
	if (a && a->known && b && b->known)
		memmove(a->known + ((uint64_t)(uintptr_t)to - a->first),
		        b->known + ((uint64_t)(uintptr_t)from - b->first), bytes);
	else
		ct_cuda_wrote(to, bytes);
}

/* Allocates for a call of the API. */
static cudaError_t api_allocate(void **p, size_t bytes, enum cudaMemoryType type, unsigned flags)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = p ? ct_cuda_allocate(bytes, type, flags, p) : cudaErrorInvalidValue;
	return ct_cuda_leave(error);
}

static cudaError_t api_release(const void *p, enum cudaMemoryType type)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = ct_cuda_release(p, type);
	return ct_cuda_leave(error);
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
	return api_allocate(p, bytes, cudaMemoryTypeDevice, 0);
}

/* On a stream that is captured it becomes a node. */
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream)
{
	struct ct_cuda_work w = {.kind = CT_CUDA_ALLOCATE};
	cudaError_t error = ct_cuda_enter();
	cudaGraph_t graph = error == cudaSuccess ? ct_cuda_captured_into(stream) : NULL;
	if (graph && (!p || !bytes))
		error = cudaErrorInvalidValue;
	if (graph && error == cudaSuccess)
		error = ct_cuda_reserve_for_graph(bytes, &w.to);
	if (graph && error == cudaSuccess) {
		error = ct_cuda_capture(graph, &w);
		if (error == cudaSuccess)
			*p = w.to;
		else
			ct_cuda_leave_graph(w.to);
	}
	error = ct_cuda_leave(error);
	return graph || error != cudaSuccess ? error : api_allocate(p, bytes, cudaMemoryTypeDevice, 0);
}

cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags)
{
	return api_allocate(p, bytes, cudaMemoryTypeManaged, flags);
}

cudaError_t cudaMallocHost(void **p, size_t bytes)
{
	return api_allocate(p, bytes, cudaMemoryTypeHost, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags)
{
	return api_allocate(p, bytes, cudaMemoryTypeHost, flags);
}

cudaError_t cudaFree(void *p)
{
	return api_release(p, cudaMemoryTypeDevice);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t stream)
{
	return ct_cuda_submit(stream, &(struct ct_cuda_work){.kind = CT_CUDA_FREE, .to = p});
}

cudaError_t cudaFreeHost(void *p)
{
	return api_release(p, cudaMemoryTypeHost);
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
	cudaError_t error = ct_cuda_enter();
	uint64_t row = ct_round_up(width, GRANULE);
	if (error == cudaSuccess && (!p || !pitch || row < width || (height && row > SIZE_MAX / height)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = ct_cuda_allocate(row * height, cudaMemoryTypeDevice, 0, p);
	if (error == cudaSuccess)
		*pitch = row;
	return ct_cuda_leave(error);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent)
{
	if (!p || (extent.depth && extent.height > SIZE_MAX / extent.depth))
		return ct_cuda_enter(), ct_cuda_leave(cudaErrorInvalidValue);
	*p = make_cudaPitchedPtr(NULL, 0, extent.width, extent.height);
	return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

/* Host memory is the device's here: registering only notes the range. */
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
	struct ct_cuda_allocation a = {
		.first = (uint64_t)(uintptr_t)p,
		.bytes = bytes,
		.type = cudaMemoryTypeHost,
		.registered = 1,
		.flags = flags};
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess) {
		size_t i = behind(a.first);
		if (!p || bytes == 0 || bytes > UINT64_MAX - a.first)
			error = cudaErrorInvalidValue;
		else if (ct_cuda_allocation_of(a.first) ||
		         (i < heap.n && heap.block[i].first - a.first < bytes))
			error = cudaErrorHostMemoryAlreadyRegistered;
		else
			error = insert(&a);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaHostUnregister(void *p)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess) {
		struct ct_cuda_allocation *a = ct_cuda_allocation_of((uint64_t)(uintptr_t)p);
		if (!a || !a->registered || a->first != (uint64_t)(uintptr_t)p)
			error = cudaErrorHostMemoryNotRegistered;
		else
			take_out(a);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess) {
		const struct ct_cuda_allocation *a = ct_cuda_allocation_of((uint64_t)(uintptr_t)host);
		if (!device || flags != 0 || !a || a->type != cudaMemoryTypeHost)
			error = cudaErrorInvalidValue;
		else
			*device = host;
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess) {
		const struct ct_cuda_allocation *a = ct_cuda_allocation_of((uint64_t)(uintptr_t)host);
		if (!flags || !a || a->type != cudaMemoryTypeHost)
			error = cudaErrorInvalidValue;
		else
			*flags = a->flags;
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!free_bytes || !total_bytes))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		*free_bytes = ct_cuda_free_memory();
		*total_bytes = ct_cuda_total_memory();
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *p)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && !attributes)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		const struct ct_cuda_allocation *a = ct_cuda_allocation_of((uint64_t)(uintptr_t)p);
		*attributes = (struct cudaPointerAttributes){.hostPointer = (void *)(uintptr_t)p};
		if (a) {
			attributes->type = a->type;
			attributes->devicePointer = (void *)(uintptr_t)p;
			if (a->type == cudaMemoryTypeDevice)
				attributes->hostPointer = NULL;
		}
	}
	return ct_cuda_leave(error);
}
