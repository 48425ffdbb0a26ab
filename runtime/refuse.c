/* Calls that libctcuda refuses by name: what other processes and graphics share with CUDA. */
#include "data/cuda/cuda_gl_interop.h"

#include "runtime/runtime.h"

/* A function whose body refuses; its arguments are never looked at. */
#define REFUSE(name, arguments, what) \
	cudaError_t name arguments \
	{ \
		ct_cuda_enter(); \
		return ct_cuda_leave(ct_cuda_refuse(#name, what)); \
	}

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

#define PROCESSES "memory and events of other processes are not emulated"
REFUSE(cudaIpcGetEventHandle, (cudaIpcEventHandle_t * handle, cudaEvent_t event), PROCESSES)
REFUSE(cudaIpcOpenEventHandle, (cudaEvent_t * event, cudaIpcEventHandle_t handle), PROCESSES)
REFUSE(cudaIpcGetMemHandle, (cudaIpcMemHandle_t * handle, void *p), PROCESSES)
REFUSE(cudaIpcOpenMemHandle, (void **p, cudaIpcMemHandle_t handle, unsigned flags), PROCESSES)
REFUSE(cudaIpcCloseMemHandle, (void *p), PROCESSES)
REFUSE(cudaMemPoolExportToShareableHandle,
       (void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type, unsigned flags),
       PROCESSES)
REFUSE(cudaMemPoolImportFromShareableHandle,
       (cudaMemPool_t * pool, void *handle, enum cudaMemAllocationHandleType type, unsigned flags),
       PROCESSES)
REFUSE(cudaMemPoolExportPointer, (struct cudaMemPoolPtrExportData * data, void *p), PROCESSES)
REFUSE(cudaMemPoolImportPointer, (void **p, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data),
       PROCESSES)

#define GRAPHICS "resources of graphics are not emulated: run the program without a window, where it can"
REFUSE(cudaGraphicsUnregisterResource, (cudaGraphicsResource_t resource), GRAPHICS)
REFUSE(cudaGraphicsResourceSetMapFlags, (cudaGraphicsResource_t resource, unsigned flags), GRAPHICS)
REFUSE(cudaGraphicsMapResources, (int n, cudaGraphicsResource_t *resources, cudaStream_t stream),
       GRAPHICS)
REFUSE(cudaGraphicsUnmapResources, (int n, cudaGraphicsResource_t *resources, cudaStream_t stream),
       GRAPHICS)
REFUSE(cudaGraphicsResourceGetMappedPointer, (void **p, size_t *bytes, cudaGraphicsResource_t resource),
       GRAPHICS)
REFUSE(cudaGraphicsSubResourceGetMappedArray,
       (cudaArray_t * array, cudaGraphicsResource_t resource, unsigned index, unsigned level), GRAPHICS)
REFUSE(cudaGraphicsGLRegisterBuffer, (cudaGraphicsResource_t * resource, GLuint buffer, unsigned flags),
       GRAPHICS)
REFUSE(cudaGraphicsGLRegisterImage,
       (cudaGraphicsResource_t * resource, GLuint image, GLenum target, unsigned flags), GRAPHICS)
REFUSE(cudaGLGetDevices, (unsigned *n, int *devices, unsigned most, enum cudaGLDeviceList list),
       GRAPHICS)
REFUSE(cudaGLRegisterBufferObject, (GLuint buffer), GRAPHICS)
REFUSE(cudaGLUnregisterBufferObject, (GLuint buffer), GRAPHICS)
REFUSE(cudaGLMapBufferObject, (void **p, GLuint buffer), GRAPHICS)
REFUSE(cudaGLMapBufferObjectAsync, (void **p, GLuint buffer, cudaStream_t stream), GRAPHICS)
REFUSE(cudaGLUnmapBufferObject, (GLuint buffer), GRAPHICS)
REFUSE(cudaGLUnmapBufferObjectAsync, (GLuint buffer, cudaStream_t stream), GRAPHICS)
REFUSE(cudaGLSetBufferObjectMapFlags, (GLuint buffer, unsigned flags), GRAPHICS)

/* It has been cudaSetDevice() since version 5. */
cudaError_t cudaGLSetGLDevice(int device)
{
	return cudaSetDevice(device);
}
