/* Mipmapped arrays: chains of arrays that the emulator reads as levels of a texture. */
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/runtime.h"

static struct cudaMipmappedArray *chains;

int ct_cuda_is_chain(cudaMipmappedArray_const_t chain)
{
	for (const struct cudaMipmappedArray *c = chains; c; c = c->next)
		if (c == chain)
			return 1;
	return 0;
}

static void free_chain(struct cudaMipmappedArray *c)
{
	free(c->level);
	free(c);
}

void ct_cuda_forget_chains(void)
{
	for (struct cudaMipmappedArray *c; (c = chains);) {
		chains = c->next;
		free_chain(c);
	}
}

/* The extent of a level: halves, at least 1, where the first has more. Layers and faces stay. */
static struct cudaExtent level_extent(struct cudaExtent e, unsigned flags, unsigned level)
{
	size_t *size[] = {&e.width, &e.height, &e.depth};
	const unsigned n = flags & (cudaArrayLayered | cudaArrayCubemap) ? 2 : 3;
	for (unsigned i = 0; i < n; i++)
		if (*size[i])
			*size[i] = *size[i] >> level ? *size[i] >> level : 1;
	return e;
}

/* Levels until all sizes are 1. */
static unsigned most_levels(struct cudaExtent e, unsigned flags)
{
	unsigned n = 1;
	for (struct cudaExtent at = e;
	     at.width > 1 || at.height > 1 ||
	     (at.depth > 1 && !(flags & (cudaArrayLayered | cudaArrayCubemap)));
	     n++)
		at = level_extent(e, flags, n);
	return n;
}

static cudaError_t release_levels(struct cudaMipmappedArray *c)
{
	cudaError_t error = cudaSuccess;
	for (unsigned i = 0; i < c->n; i++) {
		c->level[i]->in_chain = 0;
		cudaError_t one = ct_cuda_free_array(c->level[i]);
		error = error == cudaSuccess ? one : error;
	}
	return error;
}

static cudaError_t make_levels(struct cudaMipmappedArray *c, const struct cudaChannelFormatDesc *desc,
                               struct cudaExtent extent, unsigned n)
{
	cudaError_t error = cudaSuccess;
	while (c->n < n && error == cudaSuccess) {
		cudaArray_t a;
		error = ct_cuda_make_array(&a, desc, level_extent(extent, c->flags, c->n), c->flags);
		if (error != cudaSuccess)
			break;
		a->in_chain = 1;
		c->level[c->n++] = a;
	}
	return error;
}

/* More levels than there can be are as many as there can be. */
static cudaError_t make_chain(cudaMipmappedArray_t *out, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned levels, unsigned flags)
{
	if (!out || !desc || extent.width == 0)
		return cudaErrorInvalidValue;
	const unsigned most = most_levels(extent, flags);
	levels = levels > most ? most : levels ? levels : 1;
	struct cudaMipmappedArray *c = ct_calloc(1, sizeof *c);
	if (!c)
		return cudaErrorMemoryAllocation;
	c->flags = flags;
	c->level = ct_calloc(levels, sizeof(*c->level));
	cudaError_t error = c->level ? make_levels(c, desc, extent, levels) : cudaErrorMemoryAllocation;
	if (error != cudaSuccess) {
		release_levels(c);
		free_chain(c);
		return error;
	}
	c->next = chains;
	chains = c;
	*out = c;
	return cudaSuccess;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *chain,
                                     const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                                     unsigned levels, unsigned flags)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = make_chain(chain, desc, extent, levels, flags);
	return ct_cuda_leave(error);
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t chain,
                                       unsigned number)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!level || (ct_cuda_is_chain(chain) && number >= chain->n)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && !ct_cuda_is_chain(chain))
		error = cudaErrorInvalidResourceHandle;
	if (error == cudaSuccess)
		*level = chain->level[number];
	return ct_cuda_leave(error);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t chain)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && chain && !ct_cuda_is_chain(chain))
		error = cudaErrorInvalidResourceHandle;
	for (struct cudaMipmappedArray **at = &chains; error == cudaSuccess && *at; at = &(*at)->next)
		if (*at == chain) {
			*at = chain->next;
			error = release_levels(chain);
			free_chain(chain);
			break;
		}
	return ct_cuda_leave(error);
}
