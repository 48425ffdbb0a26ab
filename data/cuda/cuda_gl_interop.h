/* cuda_gl_interop.h - a name that programs include, also those that draw nothing. Buffers shared with OpenGL are not
 * supported: what this header of CUDA's declares beyond the run-time API is missing here, and a call of it does not compile. */
#ifndef CT_CUDA_CUDA_GL_INTEROP_H
#define CT_CUDA_CUDA_GL_INTEROP_H

#include "cuda_runtime.h"

#endif
