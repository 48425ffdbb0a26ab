/* Arrays, and references and objects of textures and surfaces: what the emulator is told of those that are bound. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/runtime.h"

enum { ALIGNMENT = 512, PITCH = 32 /* bytes, as cudaDeviceProp says */ };

/* A texture or surface object. Its handle is its number: no address is that low. */
struct object {
	struct object *next;
	struct cudaResourceDesc resource;
	struct cudaTextureDesc settings; /* of a texture */
	struct ct_ptx_texture texture;
	struct ct_ptx_level *levels; /* of the texture; they outlive the chain */
};
static struct object *objects;
static cudaTextureObject_t last_handle;

/* What cudaMallocArray gave. */
struct array_item {
	struct cudaArray array; /* first: its address is the handle */
	struct array_item *next;
};
static struct array_item *arrays;

size_t ct_cuda_element_bytes(const struct cudaChannelFormatDesc *d)
{
	int bits[4] = {d->x, d->y, d->z, d->w}, channels = 0;
	while (channels < 4 && bits[channels] > 0)
		channels++;
	for (int i = 0; i < 4; i++)
		if (bits[i] != (i < channels ? d->x : 0))
			return 0;
	if ((channels != 1 && channels != 2 && channels != 4) ||
	    (d->x != 8 && d->x != 16 && d->x != 32) || d->f > cudaChannelFormatKindFloat ||
	    (d->f == cudaChannelFormatKindFloat && d->x == 8))
		return 0;
	return (size_t)(channels * d->x / 8);
}

struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* ---- arrays ---- */

static struct array_item *item_of(cudaArray_const_t array)
{
	for (struct array_item *a = arrays; a; a = a->next)
		if (&a->array == array)
			return a;
	return NULL;
}

/* Whether an array of that extent may have those flags: layers have one or two dimensions, and a cube map has six
 * square ones. */
static int fits_flags(struct cudaExtent e, unsigned flags)
{
	const unsigned all = cudaArrayLayered | cudaArrayCubemap | cudaArraySurfaceLoadStore |
	                     cudaArrayTextureGather;
	if (flags & ~all || e.width == 0 || e.width > 1 << 27 || e.height > 1 << 20 || e.depth > 1 << 15)
		return 0;
	if (flags & cudaArrayCubemap)
		return e.width == e.height &&
		       (flags & cudaArrayLayered ? e.depth && e.depth % 6 == 0 : e.depth == 6);
	return flags & cudaArrayLayered ? e.depth > 0 : e.height > 0 || e.depth == 0;
}

/* An array is pitched memory of the device. */
cudaError_t ct_cuda_make_array(cudaArray_t *out, const struct cudaChannelFormatDesc *desc,
                               struct cudaExtent extent, unsigned flags)
{
	size_t element = desc ? ct_cuda_element_bytes(desc) : 0;
	uint64_t rows = (uint64_t)(extent.height ? extent.height : 1) *
	                (extent.depth ? extent.depth : 1);
	void *texels;
	if (!out || !fits_flags(extent, flags))
		return cudaErrorInvalidValue;
	if (element == 0)
		return cudaErrorInvalidChannelDescriptor;
	struct array_item *a = ct_calloc(1, sizeof *a);
	if (!a)
		return cudaErrorMemoryAllocation;
	size_t pitch = (extent.width * element + PITCH - 1) / PITCH * PITCH;
	cudaError_t error = ct_cuda_allocate(pitch * rows, cudaMemoryTypeDevice, 0, &texels);
	if (error != cudaSuccess) {
		free(a);
		return error;
	}
	a->array = (struct cudaArray){*desc, extent, pitch, flags, texels, 0};
	a->next = arrays;
	arrays = a;
	*out = &a->array;
	return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                            size_t height, unsigned flags)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = ct_cuda_make_array(array, desc, make_cudaExtent(width, height, 0), flags);
	return ct_cuda_leave(error);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned flags)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = ct_cuda_make_array(array, desc, extent, flags);
	return ct_cuda_leave(error);
}

cudaError_t ct_cuda_free_array(cudaArray_t array)
{
	cudaError_t error = cudaErrorInvalidValue;
	for (struct array_item **at = &arrays, *a; (a = *at); at = &a->next)
		if (&a->array == array && !array->in_chain) {
			*at = a->next;
			error = ct_cuda_release(array->texels, cudaMemoryTypeDevice);
			free(a);
			break;
		}
	return error;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && array)
		error = ct_cuda_free_array(array);
	return ct_cuda_leave(error);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && !item_of(array))
		error = cudaErrorInvalidResourceHandle;
	if (error == cudaSuccess) {
		if (desc)
			*desc = array->desc;
		if (extent)
			*extent = array->extent;
		if (flags)
			*flags = array->flags;
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!desc || !item_of(array)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*desc = array->desc;
	return ct_cuda_leave(error);
}

void ct_cuda_forget_textures(void)
{
	ct_cuda_forget_chains();
	for (struct array_item *a; (a = arrays);) {
		arrays = a->next;
		free(a);
	}
	for (struct object *o; (o = objects);) {
		objects = o->next;
		free(o->levels);
		free(o);
	}
	for (struct ct_cuda_texture_reference *r = ct_cuda_texture_references(); r; r = r->next)
		r->bound = 0;
}

/* ---- what a texture reads ---- */

/* Texels of a resource; its sizes and place are the caller's. */
static cudaError_t set_format(struct ct_ptx_texture *t, const struct cudaChannelFormatDesc *d)
{
	size_t bytes = ct_cuda_element_bytes(d);
	if (bytes == 0)
		return cudaErrorInvalidChannelDescriptor;
	t->bits = (uint32_t)d->x;
	t->channels = (uint32_t)(bytes * 8 / t->bits);
	t->kind = d->f == cudaChannelFormatKindFloat    ? CT_PTX_TEXEL_REAL
	          : d->f == cudaChannelFormatKindSigned ? CT_PTX_TEXEL_SIGNED
	                                                : CT_PTX_TEXEL_UNSIGNED;
	return cudaSuccess;
}

static cudaError_t set_array(struct ct_ptx_texture *t, cudaArray_const_t array)
{
	if (!item_of(array))
		return cudaErrorInvalidResourceHandle;
	t->texels = array->texels;
	t->width = (uint32_t)array->extent.width;
	t->height = (uint32_t)array->extent.height;
	t->depth = (uint32_t)array->extent.depth;
	t->pitch = array->pitch;
	return set_format(t, &array->desc);
}

static cudaError_t set_memory(struct ct_ptx_texture *t, const void *p,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                              size_t pitch)
{
	cudaError_t error = set_format(t, desc);
	if (error != cudaSuccess)
		return error;
	size_t element = t->channels * t->bits / 8;
	if (width == 0 || width > UINT32_MAX || height > UINT32_MAX || width * element > pitch ||
	    !ct_cuda_is_device_range(p, (height ? height - 1 : 0) * pitch + width * element))
		return cudaErrorInvalidValue;
	t->texels = p;
	t->width = (uint32_t)width;
	t->height = (uint32_t)height;
	t->pitch = pitch;
	return cudaSuccess;
}

static enum ct_ptx_address address_mode(enum cudaTextureAddressMode mode)
{
	return mode == cudaAddressModeWrap     ? CT_PTX_ADDRESS_WRAP
	       : mode == cudaAddressModeMirror ? CT_PTX_ADDRESS_MIRROR
	       : mode == cudaAddressModeBorder ? CT_PTX_ADDRESS_BORDER
	                                       : CT_PTX_ADDRESS_CLAMP;
}

/* ---- references ---- */

/* Settings of a reference are read at a launch: the program may change them after it bound the texture. */
static void set_reference(struct ct_ptx_texture *t, const struct ct_cuda_texture_reference *r)
{
	const struct textureReference *host = r->host;
	if (r->surface)
		return;
	for (int i = 0; i < 3; i++)
		t->address[i] = address_mode(host->addressMode[i]);
	t->normalized_coordinates = host->normalized != 0;
	t->linear = host->filterMode == cudaFilterModeLinear;
	t->normalized_values = r->normalized_values;
	t->srgb = host->sRGB != 0;
}

static cudaError_t bind(const void *host, const struct ct_ptx_texture *t, size_t offset)
{
	struct ct_cuda_texture_reference *r = ct_cuda_find_texture(host, t->surface);
	if (!r)
		return t->surface ? cudaErrorInvalidSurface : cudaErrorInvalidTexture;
	r->texture = *t;
	r->offset = offset;
	r->bound = 1;
	return cudaSuccess;
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texture, const void *p,
                            const struct cudaChannelFormatDesc *desc, size_t bytes)
{
	cudaError_t error = ct_cuda_enter();
	struct ct_ptx_texture t = {0};
	size_t moved = (uintptr_t)p % ALIGNMENT, element = desc ? ct_cuda_element_bytes(desc) : 0;
	if (error == cudaSuccess && (!texture || !desc || element == 0 || (moved && !offset)))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		const unsigned char *first = (const unsigned char *)p - moved;
		const struct ct_cuda_allocation *a = ct_cuda_allocation_of((uint64_t)(uintptr_t)first);
		uint64_t rest = a ? a->bytes - ((uint64_t)(uintptr_t)first - a->first) : 0;
		size_t whole = bytes > SIZE_MAX - moved ? SIZE_MAX : bytes + moved;
		whole = (whole < rest ? whole : rest) / element * element;
		error = set_memory(&t, first, desc, whole / element, 0, whole);
	}
	if (error == cudaSuccess)
		error = bind(texture, &t, moved);
	if (error == cudaSuccess && offset)
		*offset = moved;
	return ct_cuda_leave(error);
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texture, const void *p,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                              size_t pitch)
{
	cudaError_t error = ct_cuda_enter();
	struct ct_ptx_texture t = {0};
	if (error == cudaSuccess && (!texture || !desc || height == 0 || (uintptr_t)p % ALIGNMENT))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = set_memory(&t, p, desc, width, height, pitch);
	if (error == cudaSuccess)
		error = bind(texture, &t, 0);
	if (error == cudaSuccess && offset)
		*offset = 0;
	return ct_cuda_leave(error);
}

cudaError_t cudaBindTextureToArray(const struct textureReference *texture, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
	cudaError_t error = ct_cuda_enter();
	struct ct_ptx_texture t = {0};
	if (error == cudaSuccess)
		error = desc ? set_array(&t, array) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = bind(texture, &t, 0);
	return ct_cuda_leave(error);
}

cudaError_t cudaUnbindTexture(const struct textureReference *texture)
{
	cudaError_t error = ct_cuda_enter();
	struct ct_cuda_texture_reference *r = ct_cuda_find_texture(texture, 0);
	if (error == cudaSuccess && !r)
		error = cudaErrorInvalidTexture;
	if (error == cudaSuccess)
		r->bound = 0;
	return ct_cuda_leave(error);
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texture)
{
	cudaError_t error = ct_cuda_enter();
	const struct ct_cuda_texture_reference *r = ct_cuda_find_texture(texture, 0);
	if (error == cudaSuccess && !r)
		error = cudaErrorInvalidTexture;
	if (error == cudaSuccess && (!offset || !r->bound))
		error = cudaErrorInvalidTextureBinding;
	if (error == cudaSuccess)
		*offset = r->offset;
	return ct_cuda_leave(error);
}

cudaError_t cudaGetTextureReference(const struct textureReference **texture, const void *symbol)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!texture || !ct_cuda_find_texture(symbol, 0)))
		error = cudaErrorInvalidTexture;
	if (error == cudaSuccess)
		*texture = symbol;
	return ct_cuda_leave(error);
}

/* ---- objects ---- */

static struct object *object_of(unsigned long long handle, int surface)
{
	for (struct object *o = objects; o; o = o->next)
		if (o->texture.handle == handle && o->texture.surface == surface)
			return o;
	return NULL;
}

/* Makes an object known and gives it its handle. */
static unsigned long long add_object(struct object *o)
{
	o->texture.handle = ++last_handle;
	o->next = objects;
	objects = o;
	return o->texture.handle;
}

static cudaError_t destroy_object(unsigned long long handle, int surface)
{
	struct object *gone = object_of(handle, surface);
	if (!gone)
		return cudaErrorInvalidValue;
	for (struct object **at = &objects; *at; at = &(*at)->next)
		if (*at == gone) {
			*at = gone->next;
			free(gone->levels);
			free(gone);
			break;
		}
	return cudaSuccess;
}

/* The levels of a chain, whose coordinates are parts of one as their sizes differ. */
static cudaError_t set_chain(struct object *o)
{
	cudaMipmappedArray_const_t chain = o->resource.res.mipmap.mipmap;
	const struct cudaTextureDesc *s = &o->settings;
	struct ct_ptx_texture *t = &o->texture;
	if (!ct_cuda_is_chain(chain))
		return cudaErrorInvalidResourceHandle;
	if (!s->normalizedCoords)
		return cudaErrorInvalidValue;
	o->levels = ct_calloc(chain->n, sizeof *o->levels);
	if (!o->levels)
		return cudaErrorMemoryAllocation;
	for (unsigned i = 1; i < chain->n; i++) {
		const struct cudaArray *a = chain->level[i];
		o->levels[i - 1] = (struct ct_ptx_level){
			a->texels, (uint32_t)a->extent.width, (uint32_t)a->extent.height,
			(uint32_t)a->extent.depth, a->pitch};
	}
	t->levels = o->levels;
	t->nlevels = chain->n;
	t->linear_levels = s->mipmapFilterMode == cudaFilterModeLinear;
	t->level_bias = s->mipmapLevelBias;
	t->level_range[0] = s->minMipmapLevelClamp;
	t->level_range[1] = s->maxMipmapLevelClamp;
	return set_array(t, chain->level[0]);
}

/* Of bytes of linear memory those that are allocated: boards do not ask. */
static size_t bytes_there(const void *p, size_t bytes)
{
	uint64_t first = (uint64_t)(uintptr_t)p;
	const struct ct_cuda_allocation *a = ct_cuda_is_device_range(p, bytes)
	                                             ? NULL
	                                             : ct_cuda_allocation_of(first);
	return a ? a->first + a->bytes - first : bytes;
}

static cudaError_t set_object(struct object *o)
{
	const struct cudaResourceDesc *r = &o->resource;
	const struct cudaTextureDesc *s = &o->settings;
	struct ct_ptx_texture *t = &o->texture;
	for (int i = 0; i < 3; i++)
		t->address[i] = address_mode(s->addressMode[i]);
	t->normalized_coordinates = s->normalizedCoords != 0;
	t->linear = s->filterMode == cudaFilterModeLinear;
	t->normalized_values = s->readMode == cudaReadModeNormalizedFloat;
	t->srgb = s->sRGB != 0;
	memcpy(t->border, s->borderColor, sizeof t->border);
	if (r->resType == cudaResourceTypeArray)
		return set_array(t, r->res.array.array);
	if (r->resType == cudaResourceTypeLinear) {
		size_t element = ct_cuda_element_bytes(&r->res.linear.desc),
		       bytes = bytes_there(r->res.linear.devPtr, r->res.linear.sizeInBytes);
		return element ? set_memory(t, r->res.linear.devPtr, &r->res.linear.desc,
		                            bytes / element, 0, bytes)
		               : cudaErrorInvalidChannelDescriptor;
	}
	if (r->resType == cudaResourceTypePitch2D && r->res.pitch2D.height > 0)
		return set_memory(t, r->res.pitch2D.devPtr, &r->res.pitch2D.desc, r->res.pitch2D.width,
		                  r->res.pitch2D.height, r->res.pitch2D.pitchInBytes);
	return r->resType == cudaResourceTypeMipmappedArray ? set_chain(o) : cudaErrorInvalidValue;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *handle, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view)
{
	cudaError_t error = ct_cuda_enter();
	struct object *o = NULL;
	if (error == cudaSuccess && (!handle || !resource || !texture))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && view)
		error = ct_cuda_refuse("cudaCreateTextureObject", "views of resources are not emulated");
	if (error == cudaSuccess && !(o = ct_calloc(1, sizeof *o)))
		error = cudaErrorMemoryAllocation;
	if (error == cudaSuccess) {
		o->resource = *resource;
		o->settings = *texture;
		error = set_object(o);
	}
	if (error == cudaSuccess) {
		*handle = add_object(o);
	} else if (o) {
		free(o->levels);
		free(o);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = destroy_object(handle, 0);
	return ct_cuda_leave(error);
}

cudaError_t
cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t handle)
{
	cudaError_t error = ct_cuda_enter();
	const struct object *o = object_of(handle, 0);
	if (error == cudaSuccess && (!resource || !o))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*resource = o->resource;
	return ct_cuda_leave(error);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture, cudaTextureObject_t handle)
{
	cudaError_t error = ct_cuda_enter();
	const struct object *o = object_of(handle, 0);
	if (error == cudaSuccess && (!texture || !o))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*texture = o->settings;
	return ct_cuda_leave(error);
}

/* ---- surfaces ---- */

/* A surface of an array that was made for it, or of a level of any chain, which boards take as well. */
static cudaError_t set_surface(struct ct_ptx_texture *t, cudaArray_const_t array)
{
	cudaError_t error = set_array(t, array);
	t->surface = 1;
	return error == cudaSuccess && !array->in_chain && !(array->flags & cudaArraySurfaceLoadStore)
	               ? cudaErrorInvalidValue
	               : error;
}

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *surface, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc)
{
	cudaError_t error = ct_cuda_enter();
	struct ct_ptx_texture t = {0};
	if (error == cudaSuccess)
		error = desc ? set_surface(&t, array) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		error = bind(surface, &t, 0);
	return ct_cuda_leave(error);
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **surface, const void *symbol)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess && (!surface || !ct_cuda_find_texture(symbol, 1)))
		error = cudaErrorInvalidSurface;
	if (error == cudaSuccess)
		*surface = symbol;
	return ct_cuda_leave(error);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *handle, const struct cudaResourceDesc *resource)
{
	cudaError_t error = ct_cuda_enter();
	struct object *o = NULL;
	if (error == cudaSuccess && (!handle || !resource || resource->resType != cudaResourceTypeArray))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && !(o = ct_calloc(1, sizeof *o)))
		error = cudaErrorMemoryAllocation;
	if (error == cudaSuccess) {
		o->resource = *resource;
		error = set_surface(&o->texture, resource->res.array.array);
	}
	if (error == cudaSuccess)
		*handle = add_object(o);
	else
		free(o);
	return ct_cuda_leave(error);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = destroy_object(handle, 1);
	return ct_cuda_leave(error);
}

cudaError_t
cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t handle)
{
	cudaError_t error = ct_cuda_enter();
	const struct object *o = object_of(handle, 1);
	if (error == cudaSuccess && (!resource || !o))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*resource = o->resource;
	return ct_cuda_leave(error);
}

/* ---- what a launch is told ---- */

cudaError_t ct_cuda_bound_textures(const struct ct_cuda_module *m, const struct ct_ptx_texture **out,
                                   size_t *n)
{
	static struct ct_ptx_texture *all;
	static size_t room;
	*n = 0;
	for (const struct object *o = objects; o; o = o->next) {
		if (ct_grow((void **)&all, &room, *n + 1, sizeof *all) < 0)
			return cudaErrorMemoryAllocation;
		all[(*n)++] = o->texture;
	}
	for (struct ct_cuda_texture_reference *r = ct_cuda_texture_references(); r; r = r->next) {
		const struct ct_ptx_variable *v = r->module == m && r->bound
		                                          ? ct_ptx_find_variable(m->ptx, r->name)
		                                          : NULL;
		if (!v || !v->texture)
			continue;
		if (ct_grow((void **)&all, &room, *n + 1, sizeof *all) < 0)
			return cudaErrorMemoryAllocation;
		all[*n] = r->texture;
		set_reference(&all[*n], r);
		all[(*n)++].handle = (uint64_t)(uintptr_t)v->storage;
	}
	*out = all;
	return cudaSuccess;
}
