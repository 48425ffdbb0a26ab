/* cuda_gl_interop.h - buffers and images that CUDA shares with OpenGL. libctcuda refuses them when they are asked for, so that programs
 * compile which can run without a window. Names are those of the CUDA Runtime API reference. */
#ifndef CT_CUDA_CUDA_GL_INTEROP_H
#define CT_CUDA_CUDA_GL_INTEROP_H
#define __CUDA_GL_INTEROP_H__

#include "cuda_runtime_api.h"

/* OpenGL's header where there is one, which programs that draw include, too; else the two types that are needed. */
#if defined(__has_include)
#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#define CT_CUDA_HAS_GL
#endif
#endif
#ifndef CT_CUDA_HAS_GL
typedef unsigned int GLuint;
typedef unsigned int GLenum;
#endif

enum cudaGLDeviceList {
	cudaGLDeviceListAll = 1,
	cudaGLDeviceListCurrentFrame = 2,
	cudaGLDeviceListNextFrame = 3
};
enum cudaGLMapFlags { cudaGLMapFlagsNone = 0, cudaGLMapFlagsReadOnly = 1, cudaGLMapFlagsWriteDiscard = 2 };

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

cudaError_t cudaGLGetDevices(unsigned int *n, int *devices, unsigned int most, enum cudaGLDeviceList list);
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t *resource, GLuint buffer, unsigned int flags);
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t *resource, GLuint image, GLenum target,
                                        unsigned int flags);

/* As these were called before there were resources. */
cudaError_t cudaGLSetGLDevice(int device);
cudaError_t cudaGLRegisterBufferObject(GLuint buffer);
cudaError_t cudaGLUnregisterBufferObject(GLuint buffer);
cudaError_t cudaGLMapBufferObject(void **p, GLuint buffer);
cudaError_t cudaGLMapBufferObjectAsync(void **p, GLuint buffer, cudaStream_t stream);
cudaError_t cudaGLUnmapBufferObject(GLuint buffer);
cudaError_t cudaGLUnmapBufferObjectAsync(GLuint buffer, cudaStream_t stream);
cudaError_t cudaGLSetBufferObjectMapFlags(GLuint buffer, unsigned int flags);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
