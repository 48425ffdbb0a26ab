/* Copies and fills of linear memory, rows and boxes, and of variables of kernels. */
#include <string.h>

#include "runtime/runtime.h"

/* The direction that addresses say. */
static enum cudaMemcpyKind kind_of(const void *to, const void *from)
{
	int to_device = ct_cuda_is_device_range(to, 1), from_device = ct_cuda_is_device_range(from, 1);
	if (to_device)
		return from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
	return from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

cudaError_t ct_cuda_check_copy(const void *to, uint64_t to_bytes, const void *from, uint64_t from_bytes,
                               enum cudaMemcpyKind *kind)
{
	if ((unsigned)*kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (to_bytes == 0 || from_bytes == 0)
		return cudaSuccess;
	if (!to || !from)
		return cudaErrorInvalidValue;
	if (*kind == cudaMemcpyDefault)
		*kind = kind_of(to, from);
	int to_device = *kind == cudaMemcpyHostToDevice || *kind == cudaMemcpyDeviceToDevice;
	int from_device = *kind == cudaMemcpyDeviceToHost || *kind == cudaMemcpyDeviceToDevice;
	if ((to_device && !ct_cuda_is_device_range(to, to_bytes)) ||
	    (from_device && !ct_cuda_is_device_range(from, from_bytes)))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

cudaError_t ct_cuda_copy(void *to, const void *from, uint64_t bytes, enum cudaMemcpyKind kind)
{
	if (bytes == 0)
		return cudaSuccess;
	memmove(to, from, bytes);
	if (kind == cudaMemcpyHostToDevice)
		ct_cuda_wrote(to, bytes);
	if (kind == cudaMemcpyDeviceToDevice)
		ct_cuda_moved(to, from, bytes);
	return kind == cudaMemcpyHostToDevice ? ct_cuda_trace_copy((uint64_t)(uintptr_t)to, bytes)
	                                      : cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = ct_cuda_check_copy(to, bytes, from, bytes, &kind);
	if (error == cudaSuccess)
		error = ct_cuda_copy(to, from, bytes, kind);
	return ct_cuda_leave(error);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
	return ct_cuda_submit(stream, &(struct ct_cuda_work){.kind = CT_CUDA_COPY,
	                                                     .to = to,
	                                                     .from = from,
	                                                     .width = bytes,
	                                                     .height = 1,
	                                                     .copy = kind});
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
	if (to_device != 0 || from_device != 0)
		return ct_cuda_enter(), ct_cuda_leave(cudaErrorInvalidDevice);
	return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream)
{
	if (to_device != 0 || from_device != 0)
		return ct_cuda_enter(), ct_cuda_leave(cudaErrorInvalidDevice);
	return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

/* A box of rows in memory: of slices that lie `slice` bytes apart. */
struct box {
	unsigned char *p;
	uint64_t pitch, slice;
};

/* Bytes from the box's first to behind its last, or 0 where it is empty; -1 in *ok: too large. */
static uint64_t box_bytes(const struct box *b, uint64_t width, uint64_t height, uint64_t depth, int *ok)
{
	uint64_t most = UINT64_C(1) << 47; /* an address space */
	*ok = b->pitch < most && b->slice < most && width < most && height < most && depth < most;
	if (!*ok || width == 0 || height == 0 || depth == 0)
		return 0;
	*ok = (height == 1 || b->pitch <= most / height) && (depth == 1 || b->slice <= most / depth);
	return *ok ? (depth - 1) * b->slice + (height - 1) * b->pitch + width : 0;
}

/* Copies `width` bytes of `height` rows of `depth` slices. A box without gaps counts as one copy. */
static cudaError_t copy_box(const struct box *to, const struct box *from, uint64_t width,
                            uint64_t height, uint64_t depth, enum cudaMemcpyKind kind)
{
	int ok_to, ok_from;
	uint64_t to_bytes = box_bytes(to, width, height, depth, &ok_to),
		 from_bytes = box_bytes(from, width, height, depth, &ok_from);
	if (!ok_to || !ok_from)
		return cudaErrorInvalidValue;
	if ((height > 1 || depth > 1) && (to->pitch < width || from->pitch < width))
		return cudaErrorInvalidPitchValue;
	cudaError_t error = ct_cuda_check_copy(to->p, to_bytes, from->p, from_bytes, &kind);
	uint64_t whole = width * height * depth;
	if (error == cudaSuccess && to_bytes == whole && from_bytes == whole)
		return ct_cuda_copy(to->p, from->p, whole, kind);
	for (uint64_t z = 0; z < depth; z++)
		for (uint64_t y = 0; y < height && error == cudaSuccess; y++)
			error = ct_cuda_copy(to->p + z * to->slice + y * to->pitch,
			                     from->p + z * from->slice + y * from->pitch, width, kind);
	return error;
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
	struct box a = {to, to_pitch, 0}, b = {(unsigned char *)(uintptr_t)from, from_pitch, 0};
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = copy_box(&a, &b, width, height, 1, kind);
	return ct_cuda_leave(error);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return ct_cuda_submit(
		stream, &(struct ct_cuda_work){.kind = CT_CUDA_COPY,
	                                       .to = to,
	                                       .from = from,
	                                       .to_pitch = to_pitch,
	                                       .from_pitch = from_pitch,
	                                       .width = width,
	                                       .height = height,
	                                       .copy = kind});
}

/* A box of an array, from a place that is given in bytes and rows; empty where it is outside. */
static int array_box(struct box *b, cudaArray_const_t array, uint64_t x, uint64_t y, uint64_t z,
                     uint64_t width, uint64_t height, uint64_t depth)
{
	if (!array)
		return -1;
	uint64_t row = array->extent.width * ct_cuda_element_bytes(&array->desc),
		 rows = array->extent.height ? array->extent.height : 1,
		 slices = array->extent.depth ? array->extent.depth : 1;
	if (x > row || width > row - x || y > rows || height > rows - y || z > slices ||
	    depth > slices - z)
		return -1;
	*b = (struct box){array->texels + z * rows * array->pitch + y * array->pitch + x, array->pitch,
	                  rows * array->pitch};
	return 0;
}

/* The side of a 3D copy: an array where one is given, whose place counts elements, or memory. */
static int side_box(struct box *b, cudaArray_const_t array, const struct cudaPitchedPtr *p,
                    const struct cudaPos *at, const struct cudaExtent *bytes)
{
	if (array)
		return array_box(b, array, at->x * ct_cuda_element_bytes(&array->desc), at->y, at->z,
		                 bytes->width, bytes->height, bytes->depth);
	if (!p->ptr)
		return -1;
	*b = (struct box){p->ptr, p->pitch, p->pitch * p->ysize};
	b->p += at->z * b->slice + at->y * b->pitch + at->x;
	return 0;
}

/* Copies a box between linear memory and arrays. Widths count elements where an array takes part, else
 * bytes. */
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
	cudaError_t error = ct_cuda_enter();
	struct box to, from;
	if (error == cudaSuccess && !p)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		struct cudaExtent bytes = p->extent;
		cudaArray_const_t array = p->srcArray ? p->srcArray : p->dstArray;
		if (array)
			bytes.width *= ct_cuda_element_bytes(&array->desc);
		if (side_box(&to, p->dstArray, &p->dstPtr, &p->dstPos, &bytes) < 0 ||
		    side_box(&from, p->srcArray, &p->srcPtr, &p->srcPos, &bytes) < 0)
			error = cudaErrorInvalidValue;
		else
			error = copy_box(&to, &from, bytes.width, bytes.height, bytes.depth, p->kind);
	}
	return ct_cuda_leave(error);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
	struct ct_cuda_work w = {.kind = CT_CUDA_COPY_3D};
	if (!p)
		return cudaMemcpy3D(p);
	w.box = *p;
	return ct_cuda_submit(stream, &w);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct box a, b = {(unsigned char *)(uintptr_t)from, from_pitch, 0};
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = array_box(&a, to, x, y, 0, width, height, 1) < 0
		                ? cudaErrorInvalidValue
		                : copy_box(&a, &b, width, height, 1, kind);
	return ct_cuda_leave(error);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct box a = {to, to_pitch, 0}, b;
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = array_box(&b, from, x, y, 0, width, height, 1) < 0
		                ? cudaErrorInvalidValue
		                : copy_box(&a, &b, width, height, 1, kind);
	return ct_cuda_leave(error);
}

/* Copies bytes that run from row to row of an array, as cudaMemcpyToArray and its twin count them. */
static cudaError_t copy_run(cudaArray_const_t array, size_t x, size_t y, unsigned char *memory,
                            size_t bytes, enum cudaMemcpyKind kind, int to_array)
{
	cudaError_t error = array ? cudaSuccess : cudaErrorInvalidValue;
	uint64_t row = array ? array->extent.width * ct_cuda_element_bytes(&array->desc) : 0;
	if (error == cudaSuccess && x >= row)
		error = cudaErrorInvalidValue;
	while (error == cudaSuccess && bytes > 0) {
		uint64_t n = row - x < bytes ? row - x : bytes;
		struct box a, b = {memory, n, 0};
		if (array_box(&a, array, x, y, 0, n, 1, 1) < 0)
			return cudaErrorInvalidValue;
		error = to_array ? copy_box(&a, &b, n, 1, 1, kind) : copy_box(&b, &a, n, 1, 1, kind);
		memory += n;
		bytes -= n;
		x = 0;
		y++;
	}
	return error;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = copy_run(to, x, y, (unsigned char *)(uintptr_t)from, bytes, kind, 1);
	return ct_cuda_leave(error);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = copy_run(from, x, y, to, bytes, kind, 0);
	return ct_cuda_leave(error);
}

/* ---- fills ---- */

static cudaError_t fill(unsigned char *p, uint64_t pitch, uint64_t slice, int value,
                        struct cudaExtent extent)
{
	struct box b = {p, pitch, slice};
	int ok;
	uint64_t bytes = box_bytes(&b, extent.width, extent.height, extent.depth, &ok);
	if (!ok || (bytes && !ct_cuda_is_device_range(p, bytes)))
		return cudaErrorInvalidValue;
	for (uint64_t z = 0; z < extent.depth && bytes; z++)
		for (uint64_t y = 0; y < extent.height; y++) {
			memset(p + z * slice + y * pitch, value, extent.width);
			ct_cuda_wrote(p + z * slice + y * pitch, extent.width);
		}
	return cudaSuccess;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = fill(p.ptr, p.pitch, p.pitch * p.ysize, value, extent);
	return ct_cuda_leave(error);
}

cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = fill(p, pitch, 0, value, make_cudaExtent(width, height, 1));
	return ct_cuda_leave(error);
}

cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
	return cudaMemset2D(p, bytes, value, bytes, 1);
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream)
{
	return cudaMemset2DAsync(p, bytes, value, bytes, 1, stream);
}

cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
	return ct_cuda_submit(
		stream, &(struct ct_cuda_work){.kind = CT_CUDA_FILL,
	                                       .to = p,
	                                       .to_pitch = pitch,
	                                       .value = (unsigned)value,
	                                       .element = 1,
	                                       .width = width,
	                                       .height = height});
}

/* ---- variables of kernels ---- */

/* The bytes [offset, offset + bytes) of the variable that the program knows by `symbol`. */
static cudaError_t symbol_range(const void *symbol, size_t bytes, size_t offset, unsigned char **out)
{
	const struct ct_ptx_variable *v;
	cudaError_t error = ct_cuda_find_symbol(symbol, &v);
	if (error == cudaSuccess && (offset > v->bytes || bytes > v->bytes - offset))
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*out = (unsigned char *)v->storage + offset;
	return error;
}

cudaError_t cudaGetSymbolAddress(void **p, const void *symbol)
{
	cudaError_t error = ct_cuda_enter();
	unsigned char *at = NULL;
	if (error == cudaSuccess)
		error = p ? symbol_range(symbol, 0, 0, &at) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*p = at;
	return ct_cuda_leave(error);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
	cudaError_t error = ct_cuda_enter();
	const struct ct_ptx_variable *v;
	if (error == cudaSuccess)
		error = bytes ? ct_cuda_find_symbol(symbol, &v) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*bytes = v->bytes;
	return ct_cuda_leave(error);
}

/* The range of a symbol that a copy to the device, or one from it, names; `way` is HostToDevice or DeviceToHost. */
static cudaError_t symbol_side(const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
                               enum cudaMemcpyKind way, unsigned char **at)
{
	cudaError_t error = ct_cuda_enter();
	*at = NULL;
	if (error == cudaSuccess)
		error = symbol_range(symbol, bytes, offset, at);
	if (error == cudaSuccess && kind != way && kind != cudaMemcpyDeviceToDevice &&
	    kind != cudaMemcpyDefault)
		error = cudaErrorInvalidMemcpyDirection;
	return ct_cuda_leave(error);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
	unsigned char *to;
	cudaError_t error = symbol_side(symbol, bytes, offset, kind, cudaMemcpyHostToDevice, &to);
	return error == cudaSuccess ? cudaMemcpy(to, from, bytes, kind) : error;
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind)
{
	unsigned char *from;
	cudaError_t error = symbol_side(symbol, bytes, offset, kind, cudaMemcpyDeviceToHost, &from);
	return error == cudaSuccess ? cudaMemcpy(to, from, bytes, kind) : error;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
	unsigned char *to;
	cudaError_t error = symbol_side(symbol, bytes, offset, kind, cudaMemcpyHostToDevice, &to);
	return error == cudaSuccess ? cudaMemcpyAsync(to, from, bytes, kind, stream) : error;
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	unsigned char *from;
	cudaError_t error = symbol_side(symbol, bytes, offset, kind, cudaMemcpyDeviceToHost, &from);
	return error == cudaSuccess ? cudaMemcpyAsync(to, from, bytes, kind, stream) : error;
}
