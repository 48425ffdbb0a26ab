/* CUDA's driver API: memory that is made by itself and mapped where the program has reserved addresses.
 *
 * A piece of memory is a nameless file, so that it is the same at each place where it is mapped. Addresses come one behind the other from
 * a range beside the arena, so that they are the same in every run. Kernels may access what is mapped once access is allowed. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "runtime/driver.h"
#include "runtime/runtime.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0 /* the address is a wish, and what comes of it is looked at */
#endif
#define FIRST UINT64_C(0x780000000000) /* behind the arena of the largest board */
#define GRANULE UINT64_C(0x200000)     /* 2 MiB, as on boards */

/* Memory that cuMemCreate made: its file is there until it is released and mapped nowhere. */
struct piece {
	struct piece *next;
	CUmemAllocationProp prop;
	uint64_t bytes;
	int file;
	unsigned refs; /* the program's handle, and each place */
	int released;
};

/* Addresses that are reserved. */
struct reservation {
	struct reservation *next;
	uint64_t first, bytes;
};

/* A piece, or a part of it, at a place. */
struct place {
	struct place *next;
	uint64_t first, bytes;
	struct piece *piece;
	CUmemAccess_flags access;
};

static struct piece *pieces;
static struct reservation *reservations;
static struct place *places;
static uint64_t next_address = FIRST;

static struct piece *piece_of(CUmemGenericAllocationHandle handle)
{
	for (struct piece *at = pieces; at; at = at->next)
		if ((CUmemGenericAllocationHandle)(uintptr_t)at == handle && !at->released)
			return at;
	return NULL;
}

static void drop_piece(struct piece *piece)
{
	if (--piece->refs)
		return;
	for (struct piece **at = &pieces; *at; at = &(*at)->next)
		if (*at == piece) {
			*at = piece->next;
			break;
		}
	close(piece->file);
	free(piece);
}

static int is_valid(const CUmemAllocationProp *prop)
{
	return prop && prop->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
	       prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option)
{
	CUresult r = ct_cuda_driver_enter();
	(void)option;
	if (r == CUDA_SUCCESS && (!bytes || !is_valid(prop)))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS && prop->location.id != 0)
		r = CUDA_ERROR_INVALID_DEVICE;
	if (r == CUDA_SUCCESS)
		*bytes = GRANULE;
	return ct_cuda_driver_leave(r);
}

/* ---- pieces ---- */

static CUresult make_piece(uint64_t bytes, const CUmemAllocationProp *prop, struct piece **out)
{
	struct piece *piece = ct_calloc(1, sizeof *piece);
	if (!piece || (piece->file = ct_cuda_nameless_file()) < 0) {
		free(piece);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	piece->prop = *prop;
	piece->bytes = bytes;
	piece->refs = 1;
	piece->next = pieces;
	pieces = piece;
	*out = piece;
	if (ftruncate(piece->file, (off_t)bytes) == 0)
		return CUDA_SUCCESS;
	drop_piece(piece);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *prop,
                     unsigned long long flags)
{
	CUresult r = ct_cuda_driver_enter();
	struct piece *piece;
	if (r == CUDA_SUCCESS && (!handle || !is_valid(prop) || flags || !bytes || bytes % GRANULE))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS && prop->location.id != 0)
		r = CUDA_ERROR_INVALID_DEVICE;
	if (r == CUDA_SUCCESS && prop->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
		r = (CUresult)ct_cuda_refuse(
			"cuMemCreate", "memory for other processes is not emulated");
	if (r == CUDA_SUCCESS && bytes > ct_cuda_board_memory())
		r = CUDA_ERROR_OUT_OF_MEMORY;
	if (r == CUDA_SUCCESS)
		r = make_piece(bytes, prop, &piece);
	if (r == CUDA_SUCCESS)
		*handle = (CUmemGenericAllocationHandle)(uintptr_t)piece;
	return ct_cuda_driver_leave(r);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	CUresult r = ct_cuda_driver_enter();
	struct piece *piece = r == CUDA_SUCCESS ? piece_of(handle) : NULL;
	if (r == CUDA_SUCCESS && !piece)
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS) {
		piece->released = piece->refs > 1; /* the handle counts no more where places have it */
		drop_piece(piece);
	}
	return ct_cuda_driver_leave(r);
}

CUresult
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
	CUresult r = ct_cuda_driver_enter();
	const struct piece *piece = r == CUDA_SUCCESS ? piece_of(handle) : NULL;
	if (r == CUDA_SUCCESS && (!piece || !prop))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*prop = piece->prop;
	return ct_cuda_driver_leave(r);
}

/* ---- addresses ---- */

static CUresult reserve(uint64_t bytes, uint64_t alignment, CUdeviceptr *p)
{
	struct reservation *v = ct_calloc(1, sizeof *v);
	if (!v)
		return CUDA_ERROR_OUT_OF_MEMORY;
	v->bytes = bytes;
	v->first = (next_address + alignment - 1) / alignment * alignment;
	if (v->first < next_address || bytes > UINT64_MAX - v->first ||
	    mmap((void *)(uintptr_t)v->first, bytes, PROT_NONE,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
	         0) != (void *)(uintptr_t)v->first) {
		free(v);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	next_address = v->first + bytes;
	v->next = reservations;
	reservations = v;
	*p = v->first;
	return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *p, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags)
{
	CUresult r = ct_cuda_driver_enter();
	uint64_t unit = alignment > GRANULE ? alignment : GRANULE;
	(void)wish; /* a hint */
	if (r == CUDA_SUCCESS &&
	    (!p || !bytes || bytes % GRANULE || flags || (alignment & (alignment - 1))))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		r = reserve(bytes, unit, p);
	return ct_cuda_driver_leave(r);
}

CUresult cuMemAddressFree(CUdeviceptr p, size_t bytes)
{
	CUresult r = ct_cuda_driver_enter();
	struct reservation **at = &reservations;
	while (*at && ((*at)->first != p || (*at)->bytes != bytes))
		at = &(*at)->next;
	if (r == CUDA_SUCCESS && !*at)
		r = CUDA_ERROR_INVALID_VALUE;
	for (const struct place *x = places; x && r == CUDA_SUCCESS; x = x->next)
		if (x->first >= p && x->first - p < bytes)
			r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS) {
		struct reservation *gone = *at;
		*at = gone->next;
		munmap((void *)(uintptr_t)p, bytes);
		free(gone);
	}
	return ct_cuda_driver_leave(r);
}

/* ---- places ---- */

/* 1: the range lies in one reservation. */
static int is_reserved(uint64_t first, uint64_t bytes)
{
	for (const struct reservation *v = reservations; v; v = v->next)
		if (first >= v->first && first - v->first <= v->bytes &&
		    bytes <= v->bytes - (first - v->first))
			return 1;
	return 0;
}

static int is_free(uint64_t first, uint64_t bytes)
{
	for (const struct place *x = places; x; x = x->next)
		if (x->first < first + bytes && first < x->first + x->bytes)
			return 0;
	return 1;
}

static CUresult map(uint64_t first, uint64_t bytes, uint64_t offset, struct piece *piece)
{
	struct place *x = ct_calloc(1, sizeof *x);
	if (!x)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (mmap((void *)(uintptr_t)first, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
	         piece->file, (off_t)offset) == MAP_FAILED) {
		free(x);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	x->first = first;
	x->bytes = bytes;
	x->piece = piece;
	piece->refs++;
	x->next = places;
	places = x;
	return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr p, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags)
{
	CUresult r = ct_cuda_driver_enter();
	struct piece *piece = r == CUDA_SUCCESS ? piece_of(handle) : NULL;
	if (r == CUDA_SUCCESS &&
	    (!piece || flags || !bytes || p % GRANULE || bytes % GRANULE || offset % GRANULE ||
	     offset > piece->bytes || bytes > piece->bytes - offset || !is_reserved(p, bytes) ||
	     !is_free(p, bytes)))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		r = map(p, bytes, offset, piece);
	return ct_cuda_driver_leave(r);
}

/* The place behind which *at stands; what it has goes back. Its addresses stay reserved. */
static void unmap(struct place **at)
{
	struct place *x = *at;
	*at = x->next;
	if (x->access)
		ct_cuda_hide_range(x->first);
	mmap((void *)(uintptr_t)x->first, x->bytes, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	drop_piece(x->piece);
	free(x);
}

/* Bytes of the range that places have which lie in it as a whole. */
static uint64_t mapped_bytes(uint64_t first, uint64_t bytes)
{
	uint64_t sum = 0;
	for (const struct place *x = places; x; x = x->next)
		if (x->first >= first && x->first - first < bytes &&
		    x->bytes <= bytes - (x->first - first))
			sum += x->bytes;
	return sum;
}

CUresult cuMemUnmap(CUdeviceptr p, size_t bytes)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && (!bytes || mapped_bytes(p, bytes) != bytes))
		r = CUDA_ERROR_INVALID_VALUE;
	for (struct place **at = &places; r == CUDA_SUCCESS && *at;)
		if ((*at)->first >= p && (*at)->first - p < bytes)
			unmap(at);
		else
			at = &(*at)->next;
	return ct_cuda_driver_leave(r);
}

static CUresult allow(struct place *x, CUmemAccess_flags flags)
{
	cudaError_t error = cudaSuccess;
	if (!x->access && flags)
		error = ct_cuda_show_range(x->first, x->bytes);
	else if (x->access && !flags)
		ct_cuda_hide_range(x->first);
	if (error == cudaSuccess)
		x->access = flags;
	return ct_cuda_result(error);
}

CUresult cuMemSetAccess(CUdeviceptr p, size_t bytes, const CUmemAccessDesc *access, size_t n)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && (!bytes || !access || mapped_bytes(p, bytes) != bytes))
		r = CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < n && r == CUDA_SUCCESS; i++) {
		if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || access[i].location.id != 0)
			r = CUDA_ERROR_INVALID_DEVICE;
		for (struct place *x = places; x && r == CUDA_SUCCESS; x = x->next)
			if (x->first >= p && x->first - p < bytes)
				r = allow(x, access[i].flags);
	}
	return ct_cuda_driver_leave(r);
}

static const struct place *place_of(uint64_t address)
{
	for (const struct place *x = places; x; x = x->next)
		if (address >= x->first && address - x->first < x->bytes)
			return x;
	return NULL;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr p)
{
	CUresult r = ct_cuda_driver_enter();
	const struct place *x = r == CUDA_SUCCESS ? place_of(p) : NULL;
	if (r == CUDA_SUCCESS && (!flags || !location || !x))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*flags = x->access;
	return ct_cuda_driver_leave(r);
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *p)
{
	CUresult r = ct_cuda_driver_enter();
	const struct place *x = r == CUDA_SUCCESS ? place_of((uint64_t)(uintptr_t)p) : NULL;
	if (r == CUDA_SUCCESS && (!handle || !x))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS) {
		x->piece->refs += (unsigned)x->piece->released;
		x->piece->released = 0;
		*handle = (CUmemGenericAllocationHandle)(uintptr_t)x->piece;
	}
	return ct_cuda_driver_leave(r);
}

/* ---- refused ---- */

CUresult cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags)
{
	(void)out, (void)handle, (void)type, (void)flags;
	CT_CUDA_DRIVER(ct_cuda_refuse(
		"cuMemExportToShareableHandle", "memory for other processes is not emulated"));
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *from,
                                        CUmemAllocationHandleType type)
{
	(void)handle, (void)from, (void)type;
	CT_CUDA_DRIVER(ct_cuda_refuse(
		"cuMemImportFromShareableHandle", "memory of other processes is not emulated"));
}
