/* Headers that programs include, and the names by which other code asks whether they are there; for CUDA, C++ and C. */
#include <builtin_types.h>
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_gl_interop.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <cuda_surface_types.h>
#include <curand_kernel.h>
#include <device_double_functions.h>
#include <device_types.h>
#include <driver_functions.h>
#include <library_types.h>
#include <math_constants.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>
#include <sm_20_intrinsics.h>
#include <sm_61_intrinsics.h>
#include <surface_types.h>
#include <vector_functions.h>

#if !defined(__cuda_cuda_h__) || !defined(__CUDA_RUNTIME_H__) || !defined(__CUDA_RUNTIME_API_H__) || \
	!defined(__DRIVER_TYPES_H__) || !defined(__VECTOR_TYPES_H__) || \
	!defined(__VECTOR_FUNCTIONS_H__) || !defined(__DRIVER_FUNCTIONS_H__) || \
	!defined(__CUDA_GL_INTEROP_H__) || !defined(CU_COMPLEX_H_)
#error "a name is missing"
#endif

struct states {
	curandState plain;
	curandStateXORWOW_t xorwow;
	curandStatePhilox4_32_10_t philox;
	curandStateMRG32k3a_t mrg32k3a;
	curandStateScrambledSobol64_t sobol;
	curandDirectionVectors32_t directions;
	curandGenerator_t generator;
};

static __inline__ int with_ranges(struct cudaGraphicsResource **resource)
{
	CUctxCreateParams parameters = {0, 0, 0};
	nvtxRangePush("a range");
	nvtxMark("a mark");
	nvtxRangePop();
	return parameters.numExecAffinityParams +
	       (cudaGraphicsGLRegisterBuffer(resource, 1, cudaGraphicsMapFlagsNone) != 0);
}

int use_names(struct cudaGraphicsResource **resource);
int use_names(struct cudaGraphicsResource **resource)
{
	return with_ranges(resource);
}
