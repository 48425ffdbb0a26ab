/* nvrtc.h - CUDA's compiler as a library: kernels that a program has as text become PTX while it runs.
 *
 * libctcuda has these functions, and runs ctcc for them. What they do is what NVRTC's reference says; libctcuda(7) tells the
 * differences. */
#ifndef CT_CUDA_NVRTC_H
#define CT_CUDA_NVRTC_H
#define __NVRTC_H__ /* by which other code knows that these calls are there */

#include <stddef.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	NVRTC_SUCCESS = 0,
	NVRTC_ERROR_OUT_OF_MEMORY = 1,
	NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
	NVRTC_ERROR_INVALID_INPUT = 3,
	NVRTC_ERROR_INVALID_PROGRAM = 4,
	NVRTC_ERROR_INVALID_OPTION = 5,
	NVRTC_ERROR_COMPILATION = 6,
	NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
	NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
	NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
	NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
	NVRTC_ERROR_INTERNAL_ERROR = 11,
	NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
	NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
	NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
	NVRTC_ERROR_PCH_CREATE = 15,
	NVRTC_ERROR_CANCELLED = 16,
	NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

/* The library: what a result is called, its version, and the architectures that it compiles for, as 70 for compute_70. */
const char *nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int *major, int *minor);
nvrtcResult nvrtcGetNumSupportedArchs(int *n);
nvrtcResult nvrtcGetSupportedArchs(int *archs);

/* A program of one source. Headers are found by their names before all others. All texts are copied. */
nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int n,
                               const char *const *headers, const char *const *names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int n, const char *const *options);

/* What the last compilation made. Sizes count the NUL at the end. Where an option named an architecture sm_XX, the "CUBIN" is the PTX
 * text, which cuModuleLoadData() takes; else its size is 0. There is never code for linking or for OptiX. */
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *text);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *image);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char *code);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char *code);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *text);

/* The names that kernels and variables have in PTX, of expressions in C++ as "&ns::kernel<float>" that were added before the compilation. A
 * name is the program's until it is destroyed. */
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression, const char **name);

/* The function is asked before the compiler starts; where its answer is 1, it does not. */
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *), void *payload);

/* Headers are not precompiled: the size is kept for whoever asks for it. */
nvrtcResult nvrtcGetPCHHeapSize(size_t *bytes);
nvrtcResult nvrtcSetPCHHeapSize(size_t bytes);
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program);
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t *bytes);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

/* The name of a type, for expressions that are made of types of the host. */
#if defined(__cplusplus) && defined(NVRTC_GET_TYPE_NAME) && NVRTC_GET_TYPE_NAME
#include <cxxabi.h>
#include <stdlib.h>
#include <string>
#include <typeinfo>

static inline nvrtcResult nvrtcGetTypeName(const std::type_info &type, std::string *result)
{
	int status = 0;
	char *name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
	if (!name)
		return status == -1 ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_ERROR_INTERNAL_ERROR;
	*result = name;
	free(name);
	return NVRTC_SUCCESS;
}

/* Keeps references and qualifiers, which type_info drops. */
template <class T> struct ct_nvrtc_type {
};
template <class T> static inline nvrtcResult nvrtcGetTypeName(std::string *result)
{
	nvrtcResult r = nvrtcGetTypeName(typeid(ct_nvrtc_type<T>), result);
	if (r == NVRTC_SUCCESS) {
		const size_t first = result->find('<') + 1;
		*result = result->substr(first, result->rfind('>') - first);
	}
	return r;
}
#endif

#endif
