/* runtime_templates.h - the forms of the run-time API that C++ adds: typed pointers, kernels and variables. */
#ifndef CT_CUDA_RUNTIME_TEMPLATES_H
#define CT_CUDA_RUNTIME_TEMPLATES_H

#pragma GCC system_header

#include "cuda_runtime_api.h"

#define CT_CUDA_API static __inline__ __host__

template <class T> CT_CUDA_API cudaError_t cudaMalloc(T **p, size_t bytes)
{
	return cudaMalloc((void **)(void *)p, bytes);
}

template <class T> CT_CUDA_API cudaError_t cudaMallocHost(T **p, size_t bytes, unsigned int flags = 0)
{
	return cudaHostAlloc((void **)(void *)p, bytes, flags);
}

template <class T> CT_CUDA_API cudaError_t cudaHostAlloc(T **p, size_t bytes, unsigned int flags)
{
	return cudaHostAlloc((void **)(void *)p, bytes, flags);
}

template <class T>
CT_CUDA_API cudaError_t cudaMallocManaged(T **p, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
	return cudaMallocManaged((void **)(void *)p, bytes, flags);
}

template <class T> CT_CUDA_API cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height)
{
	return cudaMallocPitch((void **)(void *)p, pitch, width, height);
}

template <class T>
CT_CUDA_API cudaError_t cudaMallocFromPoolAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	return cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, stream);
}

/* As CUDA has called these since version 12 or 13. */
CT_CUDA_API cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, struct cudaMemLocation where, unsigned int,
                                             cudaStream_t stream = 0)
{
	return cudaMemPrefetchAsync(p, bytes, where.type == cudaMemLocationTypeHost ? -1 : where.id, stream);
}

CT_CUDA_API cudaError_t cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice,
                                      struct cudaMemLocation where)
{
	return cudaMemAdvise(p, bytes, advice, where.type == cudaMemLocationTypeHost ? -1 : where.id);
}

CT_CUDA_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0)
{
	return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

CT_CUDA_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                            struct cudaGraphExecUpdateResultInfo *info)
{
	info->errorFromNode = 0;
	return cudaGraphExecUpdate(exec, graph, &info->errorNode, &info->result);
}

template <class T>
CT_CUDA_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                       const cudaGraphNode_t *behind, size_t n, const T &symbol,
                                                       const void *from, size_t bytes, size_t offset,
                                                       enum cudaMemcpyKind kind)
{
	return cudaGraphAddMemcpyNodeToSymbol(node, graph, behind, n, (const void *)&symbol, from, bytes, offset, kind);
}

template <class T>
CT_CUDA_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                         const cudaGraphNode_t *behind, size_t n, void *to,
                                                         const T &symbol, size_t bytes, size_t offset,
                                                         enum cudaMemcpyKind kind)
{
	return cudaGraphAddMemcpyNodeFromSymbol(node, graph, behind, n, to, (const void *)&symbol, bytes, offset, kind);
}

/* C++ has this name for two. */
template <class T>
CT_CUDA_API cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	return cudaMallocFromPoolAsync((void **)(void *)p, bytes, pool, stream);
}

template <class T> CT_CUDA_API cudaError_t cudaMallocAsync(T **p, size_t bytes, cudaStream_t stream)
{
	return cudaMallocAsync((void **)(void *)p, bytes, stream);
}

template <class T> CT_CUDA_API cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
	return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}

/* A variable of the device by its name in the program. */
template <class T> CT_CUDA_API cudaError_t cudaGetSymbolAddress(void **p, const T &symbol)
{
	return cudaGetSymbolAddress(p, (const void *)&symbol);
}

template <class T, class P> CT_CUDA_API cudaError_t cudaGetSymbolAddress(P **p, const T &symbol)
{
	return cudaGetSymbolAddress((void **)(void *)p, (const void *)&symbol);
}

template <class T> CT_CUDA_API cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
	return cudaGetSymbolSize(bytes, (const void *)&symbol);
}

template <class T>
CT_CUDA_API cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                           enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}

template <class T>
CT_CUDA_API cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}

template <class T>
CT_CUDA_API cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                                enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                cudaStream_t stream = 0)
{
	return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}

template <class T>
CT_CUDA_API cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                  cudaStream_t stream = 0)
{
	return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}

CT_CUDA_API cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
	return cudaEventCreateWithFlags(event, flags);
}

/* Kernels. */
template <class T>
CT_CUDA_API cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                         cudaStream_t stream = 0)
{
	return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}

template <class T>
CT_CUDA_API cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                                    size_t shared = 0, cudaStream_t stream = 0)
{
	return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared, stream);
}

#if __cplusplus >= 201103L
/* A launch with attributes: arguments are converted to what the kernel's parameters are. */
template <class... P>
CT_CUDA_API cudaError_t ct_cuda_launch_ex(const cudaLaunchConfig_t *config, const void *kernel, P... parameters)
{
	void *arguments[sizeof...(P) + 1] = {(void *)&parameters...};
	return cudaLaunchKernelExC(config, kernel, arguments);
}

template <class... P, class... A>
CT_CUDA_API cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...arguments)
{
	return ct_cuda_launch_ex<P...>(config, (const void *)kernel, static_cast<A &&>(arguments)...);
}

template <class T>
CT_CUDA_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, T *kernel, void **arguments)
{
	return cudaLaunchKernelExC(config, (const void *)kernel, arguments);
}
#endif

template <class T> CT_CUDA_API cudaError_t cudaFuncGetName(const char **name, T *kernel)
{
	return cudaFuncGetName(name, (const void *)kernel);
}

template <class T> CT_CUDA_API cudaError_t cudaSetupArgument(T argument, size_t offset)
{
	return cudaSetupArgument((const void *)&argument, sizeof argument, offset);
}

template <class T> CT_CUDA_API cudaError_t cudaLaunch(T *kernel)
{
	return cudaLaunch((const void *)kernel);
}

template <class T>
CT_CUDA_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *kernel)
{
	return cudaFuncGetAttributes(attributes, (const void *)kernel);
}

template <class T>
CT_CUDA_API cudaError_t cudaFuncSetAttribute(T *kernel, enum cudaFuncAttribute attribute, int value)
{
	return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

template <class T> CT_CUDA_API cudaError_t cudaFuncSetCacheConfig(T *kernel, enum cudaFuncCache config)
{
	return cudaFuncSetCacheConfig((const void *)kernel, config);
}

template <class T> CT_CUDA_API cudaError_t cudaFuncSetSharedMemConfig(T *kernel, enum cudaSharedMemConfig config)
{
	return cudaFuncSetSharedMemConfig((const void *)kernel, config);
}

template <class T>
CT_CUDA_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int threads,
                                                                      size_t shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, shared);
}

template <class T>
CT_CUDA_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T kernel, int threads,
                                                                               size_t shared, unsigned int flags)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, threads, shared, flags);
}

/* The block of the most warps an SM can hold, and the grid that fills the board with it; bytes_of(threads) says how much shared memory
 * a block has. */
template <class F, class T>
CT_CUDA_API cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T kernel, F bytes_of,
                                                                       int limit = 0)
{
	struct cudaFuncAttributes attributes;
	int device = 0, multiprocessors = 0, best = 0;
	cudaError_t st = cudaGetDevice(&device);
	if (st == cudaSuccess)
		st = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
	if (st == cudaSuccess)
		st = cudaFuncGetAttributes(&attributes, (const void *)kernel);
	if (st != cudaSuccess)
		return st;
	int most = limit > 0 && limit < attributes.maxThreadsPerBlock ? limit : attributes.maxThreadsPerBlock;
	*grid = *block = 0;
	for (int threads = most / 32 * 32; threads >= 32 && st == cudaSuccess; threads -= 32) {
		int blocks = 0;
		st = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, threads,
		                                                   bytes_of(threads));
		if (blocks * threads > best) {
			best = blocks * threads;
			*block = threads;
			*grid = blocks * multiprocessors;
		}
	}
	return st;
}

struct ct_cuda_same_bytes {
	size_t bytes;
	__host__ size_t operator()(int) const
	{
		return bytes;
	}
};

template <class T>
CT_CUDA_API cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T kernel, size_t shared = 0,
                                                           int limit = 0)
{
	struct ct_cuda_same_bytes same = {shared};
	return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, same, limit);
}

/* What a texel of type T is. */
template <class T> struct ct_cuda_channel;
#define CT_CUDA_CHANNEL(T, n, bits, kind) \
	template <> struct ct_cuda_channel<T> { \
		static __host__ struct cudaChannelFormatDesc describe() \
		{ \
			return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, kind); \
		} \
	};
#define CT_CUDA_CHANNELS(name, element, bits, kind) \
	CT_CUDA_CHANNEL(element, 1, bits, kind) \
	CT_CUDA_CHANNEL(name##1, 1, bits, kind) \
	CT_CUDA_CHANNEL(name##2, 2, bits, kind) \
	CT_CUDA_CHANNEL(name##4, 4, bits, kind)
CT_CUDA_CHANNELS(char, signed char, 8, cudaChannelFormatKindSigned)
CT_CUDA_CHANNELS(uchar, unsigned char, 8, cudaChannelFormatKindUnsigned)
CT_CUDA_CHANNELS(short, short, 16, cudaChannelFormatKindSigned)
CT_CUDA_CHANNELS(ushort, unsigned short, 16, cudaChannelFormatKindUnsigned)
CT_CUDA_CHANNELS(int, int, 32, cudaChannelFormatKindSigned)
CT_CUDA_CHANNELS(uint, unsigned int, 32, cudaChannelFormatKindUnsigned)
CT_CUDA_CHANNELS(float, float, 32, cudaChannelFormatKindFloat)
CT_CUDA_CHANNEL(char, 1, 8, cudaChannelFormatKindSigned)
#undef CT_CUDA_CHANNEL
#undef CT_CUDA_CHANNELS

template <class T> CT_CUDA_API struct cudaChannelFormatDesc cudaCreateChannelDesc()
{
	return ct_cuda_channel<T>::describe();
}

#if defined(__CUDA__)
#include "device/surface.h"
#include "device/texture.h"

template <class T, int type, enum cudaTextureReadMode mode>
__host__ texture<T, type, mode>::texture(int normalized_coordinates, enum cudaTextureFilterMode filter,
                                         enum cudaTextureAddressMode address,
                                         struct cudaChannelFormatDesc channels)
    : textureReference()
{
	this->normalized = normalized_coordinates;
	this->filterMode = filter;
	this->addressMode[0] = this->addressMode[1] = this->addressMode[2] = address;
	this->channelDesc = channels;
}

template <class T, int type, enum cudaTextureReadMode mode>
__host__ texture<T, type, mode>::texture(int normalized_coordinates, enum cudaTextureFilterMode filter,
                                         enum cudaTextureAddressMode address)
    : texture(normalized_coordinates, filter, address, cudaCreateChannelDesc<T>())
{
}

template <class T, int type, enum cudaTextureReadMode mode>
CT_CUDA_API cudaError_t cudaBindTexture(size_t *offset, const texture<T, type, mode> &t, const void *p,
                                        const struct cudaChannelFormatDesc &channels, size_t bytes = 0xffffffffu)
{
	return cudaBindTexture(offset, (const struct textureReference *)&t, p, &channels, bytes);
}

template <class T, int type, enum cudaTextureReadMode mode>
CT_CUDA_API cudaError_t cudaBindTexture(size_t *offset, const texture<T, type, mode> &t, const void *p,
                                        size_t bytes = 0xffffffffu)
{
	return cudaBindTexture(offset, (const struct textureReference *)&t, p, &t.channelDesc, bytes);
}

template <class T, int type, enum cudaTextureReadMode mode>
CT_CUDA_API cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, type, mode> &t, const void *p,
                                          const struct cudaChannelFormatDesc &channels, size_t width, size_t height,
                                          size_t pitch)
{
	return cudaBindTexture2D(offset, (const struct textureReference *)&t, p, &channels, width, height, pitch);
}

template <class T, int type, enum cudaTextureReadMode mode>
CT_CUDA_API cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, type, mode> &t, const void *p, size_t width,
                                          size_t height, size_t pitch)
{
	return cudaBindTexture2D(offset, (const struct textureReference *)&t, p, &t.channelDesc, width, height, pitch);
}

template <class T, int type, enum cudaTextureReadMode mode>
CT_CUDA_API cudaError_t cudaBindTextureToArray(const texture<T, type, mode> &t, cudaArray_const_t array,
                                               const struct cudaChannelFormatDesc &channels)
{
	return cudaBindTextureToArray((const struct textureReference *)&t, array, &channels);
}

template <class T, int type, enum cudaTextureReadMode mode>
CT_CUDA_API cudaError_t cudaBindTextureToArray(const texture<T, type, mode> &t, cudaArray_const_t array)
{
	struct cudaChannelFormatDesc channels;
	cudaError_t st = cudaGetChannelDesc(&channels, array);
	return st == cudaSuccess ? cudaBindTextureToArray((const struct textureReference *)&t, array, &channels) : st;
}

template <class T, int type, enum cudaTextureReadMode mode>
CT_CUDA_API cudaError_t cudaUnbindTexture(const texture<T, type, mode> &t)
{
	return cudaUnbindTexture((const struct textureReference *)&t);
}

template <class T, int type>
CT_CUDA_API cudaError_t cudaBindSurfaceToArray(const surface<T, type> &s, cudaArray_const_t array,
                                               const struct cudaChannelFormatDesc &channels)
{
	return cudaBindSurfaceToArray((const struct surfaceReference *)&s, array, &channels);
}

template <class T, int type>
CT_CUDA_API cudaError_t cudaBindSurfaceToArray(const surface<T, type> &s, cudaArray_const_t array)
{
	struct cudaChannelFormatDesc channels;
	cudaError_t st = cudaGetChannelDesc(&channels, array);
	return st == cudaSuccess ? cudaBindSurfaceToArray((const struct surfaceReference *)&s, array, &channels) : st;
}
#endif

#undef CT_CUDA_API
#endif
