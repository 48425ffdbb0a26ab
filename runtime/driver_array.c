/* CUDA's driver API: arrays and copies of them, texture and surface objects, which are those of the run-time API. */
#include <string.h>

#include "runtime/driver.h"
#include "runtime/runtime.h"

#define DRIVER(call) CT_CUDA_DRIVER(call)

/* ---- formats ---- */

static const struct format {
	CUarray_format format;
	int bits;
	enum cudaChannelFormatKind kind;
} formats[] = {
	{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
	{CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat},
};

/* The run-time's description of an element, of no bits where the driver API's is none. */
static struct cudaChannelFormatDesc describe(CUarray_format format, unsigned channels)
{
	struct cudaChannelFormatDesc d = {0};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i].format == format && (channels == 1 || channels == 2 || channels == 4)) {
			const int bits = formats[i].bits;
			d = (struct cudaChannelFormatDesc){
				bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
				channels > 2 ? bits : 0, formats[i].kind};
		}
	return d;
}

static CUarray_format format_of(const struct cudaChannelFormatDesc *d, unsigned *channels)
{
	size_t i = 0;
	while (i + 1 < sizeof formats / sizeof *formats &&
	       (formats[i].bits != d->x || formats[i].kind != d->f))
		i++;
	*channels = (unsigned)(ct_cuda_element_bytes(d) * 8) / (unsigned)formats[i].bits;
	return formats[i].format;
}

/* ---- arrays ---- */

static cudaArray_t array_of(CUarray array)
{
	return (cudaArray_t)(void *)array;
}

/* The flags of both APIs have the same values. */
static cudaError_t create(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	if (!array || !d)
		return cudaErrorInvalidValue;
	struct cudaChannelFormatDesc element = describe(d->Format, d->NumChannels);
	cudaArray_t made;
	cudaError_t error = cudaMalloc3DArray(
		&made, &element, make_cudaExtent(d->Width, d->Height, d->Depth), d->Flags);
	if (error == cudaSuccess)
		*array = (CUarray)(void *)made;
	return error;
}

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *description)
{
	DRIVER(create(array, description));
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *description)
{
	if (!description)
		return CUDA_ERROR_INVALID_VALUE;
	const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = description->Width,
	                                   .Height = description->Height,
	                                   .Format = description->Format,
	                                   .NumChannels = description->NumChannels};
	return cuArray3DCreate(array, &d);
}

CUresult cuArrayDestroy(CUarray array)
{
	if (!array)
		return CUDA_ERROR_INVALID_HANDLE;
	DRIVER(cudaFreeArray(array_of(array)));
}

static cudaError_t get_descriptor(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
	struct cudaChannelFormatDesc element;
	struct cudaExtent extent;
	unsigned flags, channels;
	cudaError_t error = d ? cudaArrayGetInfo(&element, &extent, &flags, array_of(array))
	                      : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	*d = (CUDA_ARRAY3D_DESCRIPTOR){
		.Width = extent.width, .Height = extent.height, .Depth = extent.depth, .Flags = flags};
	d->Format = format_of(&element, &channels);
	d->NumChannels = channels;
	return cudaSuccess;
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *description, CUarray array)
{
	DRIVER(get_descriptor(description, array));
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *description, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR d = {0};
	CUresult r = description ? cuArray3DGetDescriptor(&d, array) : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*description = (CUDA_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
	return r;
}

/* ---- chains ---- */

static cudaMipmappedArray_t chain_of(CUmipmappedArray chain)
{
	return (cudaMipmappedArray_t)(void *)chain;
}

static cudaError_t create_chain(CUmipmappedArray *chain, const CUDA_ARRAY3D_DESCRIPTOR *d,
                                unsigned levels)
{
	if (!chain || !d)
		return cudaErrorInvalidValue;
	struct cudaChannelFormatDesc element = describe(d->Format, d->NumChannels);
	cudaMipmappedArray_t made;
	cudaError_t error = cudaMallocMipmappedArray(
		&made, &element, make_cudaExtent(d->Width, d->Height, d->Depth), levels, d->Flags);
	if (error == cudaSuccess)
		*chain = (CUmipmappedArray)(void *)made;
	return error;
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *chain, const CUDA_ARRAY3D_DESCRIPTOR *description,
                                unsigned levels)
{
	DRIVER(create_chain(chain, description, levels));
}

static cudaError_t get_level(CUarray *level, CUmipmappedArray chain, unsigned number)
{
	cudaArray_t array;
	cudaError_t error = level ? cudaGetMipmappedArrayLevel(&array, chain_of(chain), number)
	                          : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*level = (CUarray)(void *)array;
	return error;
}

CUresult cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray chain, unsigned number)
{
	DRIVER(get_level(level, chain, number));
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray chain)
{
	if (!chain)
		return CUDA_ERROR_INVALID_HANDLE;
	DRIVER(cudaFreeMipmappedArray(chain_of(chain)));
}

/* ---- copies ---- */

/* One side of a copy as the run-time API has it. A pitch or height of 0 is that of what is copied. */
struct side {
	cudaArray_t array;
	struct cudaPos at;
	struct cudaPitchedPtr p;
	size_t element; /* bytes; 1 of memory */
	int device;     /* 1, or 0: of the host; -1: the address says it */
};

static int find_side(struct side *s, CUmemorytype type, const void *host, CUdeviceptr device,
                     CUarray array)
{
	struct cudaChannelFormatDesc element;
	s->element = 1;
	s->device = type == CU_MEMORYTYPE_UNIFIED ? -1 : type != CU_MEMORYTYPE_HOST;
	if (type == CU_MEMORYTYPE_ARRAY) {
		s->array = array_of(array);
		if (!array || cudaGetChannelDesc(&element, s->array) != cudaSuccess)
			return -1;
		s->element = ct_cuda_element_bytes(&element);
		if (s->at.x % s->element)
			return -1;
		s->at.x /= s->element;
		return 0;
	}
	s->p.ptr = type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)host : (void *)(uintptr_t)device;
	return s->p.ptr && type >= CU_MEMORYTYPE_HOST && type <= CU_MEMORYTYPE_UNIFIED ? 0 : -1;
}

/* What the run-time API is asked for: widths count elements where an array takes part. */
static int find_copy(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p)
{
	const size_t from_row = c->srcXInBytes + c->WidthInBytes,
		     to_row = c->dstXInBytes + c->WidthInBytes;
	struct side from = {.at = {c->srcXInBytes, c->srcY, c->srcZ},
	                    .p = {.pitch = c->srcPitch ? c->srcPitch : from_row,
	                          .ysize = c->srcHeight ? c->srcHeight : c->srcY + c->Height}},
		    to = {.at = {c->dstXInBytes, c->dstY, c->dstZ},
	                  .p = {.pitch = c->dstPitch ? c->dstPitch : to_row,
	                        .ysize = c->dstHeight ? c->dstHeight : c->dstY + c->Height}};
	if (c->srcLOD || c->dstLOD ||
	    find_side(&from, c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray) < 0 ||
	    find_side(&to, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray) < 0)
		return -1;
	const size_t element = from.array ? from.element : to.element;
	if (c->WidthInBytes % element || (to.array && to.element != element))
		return -1;
	*p = (struct cudaMemcpy3DParms){
		from.array,
		from.at,
		from.p,
		to.array,
		to.at,
		to.p,
		make_cudaExtent(c->WidthInBytes / element, c->Height, c->Depth),
		from.device < 0 || to.device < 0 ? cudaMemcpyDefault
		: to.device   ? from.device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
		: from.device ? cudaMemcpyDeviceToHost
			      : cudaMemcpyHostToHost};
	return 0;
}

static cudaError_t copy(const CUDA_MEMCPY3D *c)
{
	struct cudaMemcpy3DParms p;
	return c && find_copy(c, &p) == 0 ? cudaMemcpy3D(&p) : cudaErrorInvalidValue;
}

static cudaError_t copy_on(const CUDA_MEMCPY3D *c, CUstream stream)
{
	struct cudaMemcpy3DParms p;
	return c && find_copy(c, &p) == 0 ? cudaMemcpy3DAsync(&p, stream) : cudaErrorInvalidValue;
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c)
{
	DRIVER(copy(c));
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream stream)
{
	DRIVER(copy_on(c, stream));
}

/* The same of one slice. */
static CUDA_MEMCPY3D one_slice(const CUDA_MEMCPY2D *c)
{
	return (CUDA_MEMCPY3D){
		.srcXInBytes = c->srcXInBytes,
		.srcY = c->srcY,
		.srcMemoryType = c->srcMemoryType,
		.srcHost = c->srcHost,
		.srcDevice = c->srcDevice,
		.srcArray = c->srcArray,
		.srcPitch = c->srcPitch,
		.dstXInBytes = c->dstXInBytes,
		.dstY = c->dstY,
		.dstMemoryType = c->dstMemoryType,
		.dstHost = c->dstHost,
		.dstDevice = c->dstDevice,
		.dstArray = c->dstArray,
		.dstPitch = c->dstPitch,
		.WidthInBytes = c->WidthInBytes,
		.Height = c->Height,
		.Depth = 1,
	};
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c)
{
	CUDA_MEMCPY3D slice = {0};
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	slice = one_slice(c);
	return cuMemcpy3D(&slice);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c)
{
	return cuMemcpy2D(c);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream)
{
	CUDA_MEMCPY3D slice = {0};
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	slice = one_slice(c);
	return cuMemcpy3DAsync(&slice, stream);
}

/* Bytes of an array, counted from its first. */
CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void *from, size_t bytes)
{
	DRIVER(cudaMemcpyToArray(array_of(to), offset, 0, from, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes)
{
	DRIVER(cudaMemcpyToArray(array_of(to), offset, 0, (const void *)(uintptr_t)from, bytes,
	                         cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoH(void *to, CUarray from, size_t offset, size_t bytes)
{
	DRIVER(cudaMemcpyFromArray(to, array_of(from), offset, 0, bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes)
{
	DRIVER(cudaMemcpyFromArray(
		(void *)(uintptr_t)to, array_of(from), offset, 0, bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes)
{
	const CUDA_MEMCPY3D c = {
		.srcXInBytes = from_offset,
		.srcMemoryType = CU_MEMORYTYPE_ARRAY,
		.srcArray = from,
		.dstXInBytes = to_offset,
		.dstMemoryType = CU_MEMORYTYPE_ARRAY,
		.dstArray = to,
		.WidthInBytes = bytes,
		.Height = 1,
		.Depth = 1};
	return cuMemcpy3D(&c);
}

/* ---- objects ---- */

/* A resource as the run-time API has it; its kinds have the same numbers. */
static void find_resource(const CUDA_RESOURCE_DESC *r, struct cudaResourceDesc *out)
{
	memset(out, 0, sizeof *out);
	out->resType = (enum cudaResourceType)r->resType;
	if (r->resType == CU_RESOURCE_TYPE_ARRAY) {
		out->res.array.array = array_of(r->res.array.hArray);
	} else if (r->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
		out->res.mipmap.mipmap = chain_of(r->res.mipmap.hMipmappedArray);
	} else if (r->resType == CU_RESOURCE_TYPE_LINEAR) {
		out->res.linear.devPtr = (void *)(uintptr_t)r->res.linear.devPtr;
		out->res.linear.desc = describe(r->res.linear.format, r->res.linear.numChannels);
		out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
	} else if (r->resType == CU_RESOURCE_TYPE_PITCH2D) {
		out->res.pitch2D.devPtr = (void *)(uintptr_t)r->res.pitch2D.devPtr;
		out->res.pitch2D.desc = describe(r->res.pitch2D.format, r->res.pitch2D.numChannels);
		out->res.pitch2D.width = r->res.pitch2D.width;
		out->res.pitch2D.height = r->res.pitch2D.height;
		out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
	}
}

static void return_resource(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *out)
{
	memset(out, 0, sizeof *out);
	out->resType = (CUresourcetype)r->resType;
	if (r->resType == cudaResourceTypeArray) {
		out->res.array.hArray = (CUarray)(void *)r->res.array.array;
	} else if (r->resType == cudaResourceTypeMipmappedArray) {
		out->res.mipmap.hMipmappedArray = (CUmipmappedArray)(void *)r->res.mipmap.mipmap;
	} else if (r->resType == cudaResourceTypeLinear) {
		out->res.linear.devPtr = (CUdeviceptr)(uintptr_t)r->res.linear.devPtr;
		out->res.linear.format = format_of(&r->res.linear.desc, &out->res.linear.numChannels);
		out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
	} else if (r->resType == cudaResourceTypePitch2D) {
		out->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)r->res.pitch2D.devPtr;
		out->res.pitch2D.format = format_of(&r->res.pitch2D.desc, &out->res.pitch2D.numChannels);
		out->res.pitch2D.width = r->res.pitch2D.width;
		out->res.pitch2D.height = r->res.pitch2D.height;
		out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
	}
}

/* Integers of 8 and 16 bits are read as they are where the program says so, those of 32 always. */
static int is_normalized(const struct cudaResourceDesc *r, unsigned flags)
{
	struct cudaChannelFormatDesc d = {0};
	if (r->resType == cudaResourceTypeArray)
		cudaGetChannelDesc(&d, r->res.array.array);
	else if (r->resType == cudaResourceTypeMipmappedArray)
		d = ct_cuda_is_chain(r->res.mipmap.mipmap) ? r->res.mipmap.mipmap->level[0]->desc : d;
	else
		d = r->resType == cudaResourceTypeLinear ? r->res.linear.desc : r->res.pitch2D.desc;
	return !(flags & CU_TRSF_READ_AS_INTEGER) && d.x < 32 && d.f != cudaChannelFormatKindFloat;
}

static cudaError_t create_texture(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                                  const CUDA_TEXTURE_DESC *t, const CUDA_RESOURCE_VIEW_DESC *view)
{
	struct cudaResourceDesc r;
	struct cudaTextureDesc s = {0};
	const struct cudaResourceViewDesc some = {0};
	if (!object || !resource || !t)
		return cudaErrorInvalidValue;
	find_resource(resource, &r);
	for (int i = 0; i < 3; i++)
		s.addressMode[i] = (enum cudaTextureAddressMode)t->addressMode[i];
	s.filterMode = (enum cudaTextureFilterMode)t->filterMode;
	s.readMode = is_normalized(&r, t->flags) ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
	s.normalizedCoords = (t->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
	s.sRGB = (t->flags & CU_TRSF_SRGB) != 0;
	memcpy(s.borderColor, t->borderColor, sizeof s.borderColor);
	s.maxAnisotropy = t->maxAnisotropy;
	s.mipmapFilterMode = (enum cudaTextureFilterMode)t->mipmapFilterMode;
	s.mipmapLevelBias = t->mipmapLevelBias;
	s.minMipmapLevelClamp = t->minMipmapLevelClamp;
	s.maxMipmapLevelClamp = t->maxMipmapLevelClamp;
	return cudaCreateTextureObject(object, &r, &s, view ? &some : NULL);
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *texture, const CUDA_RESOURCE_VIEW_DESC *view)
{
	DRIVER(create_texture(object, resource, texture, view));
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
	DRIVER(cudaDestroyTextureObject(object));
}

/* What an object reads, which one of the run-time's functions tells. */
static cudaError_t object_resource(CUDA_RESOURCE_DESC *resource, unsigned long long object,
                                   cudaError_t (*tell)(struct cudaResourceDesc *, unsigned long long))
{
	struct cudaResourceDesc r;
	cudaError_t error = resource ? tell(&r, object) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		return_resource(&r, resource);
	return error;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject object)
{
	DRIVER(object_resource(resource, object, cudaGetTextureObjectResourceDesc));
}

static cudaError_t texture_settings(CUDA_TEXTURE_DESC *t, CUtexObject object)
{
	struct cudaTextureDesc s;
	cudaError_t error = t ? cudaGetTextureObjectTextureDesc(&s, object) : cudaErrorInvalidValue;
	if (error != cudaSuccess)
		return error;
	memset(t, 0, sizeof *t);
	for (int i = 0; i < 3; i++)
		t->addressMode[i] = (CUaddress_mode)s.addressMode[i];
	t->filterMode = (CUfilter_mode)s.filterMode;
	t->flags = (s.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
	           (s.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
	           (s.sRGB ? CU_TRSF_SRGB : 0);
	memcpy(t->borderColor, s.borderColor, sizeof t->borderColor);
	t->maxAnisotropy = s.maxAnisotropy;
	t->mipmapFilterMode = (CUfilter_mode)s.mipmapFilterMode;
	t->mipmapLevelBias = s.mipmapLevelBias;
	t->minMipmapLevelClamp = s.minMipmapLevelClamp;
	t->maxMipmapLevelClamp = s.maxMipmapLevelClamp;
	return cudaSuccess;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture, CUtexObject object)
{
	DRIVER(texture_settings(texture, object));
}

static cudaError_t create_surface(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
	struct cudaResourceDesc r;
	if (!object || !resource)
		return cudaErrorInvalidValue;
	find_resource(resource, &r);
	return cudaCreateSurfaceObject(object, &r);
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *resource)
{
	DRIVER(create_surface(object, resource));
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
	DRIVER(cudaDestroySurfaceObject(object));
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject object)
{
	DRIVER(object_resource(resource, object, cudaGetSurfaceObjectResourceDesc));
}
