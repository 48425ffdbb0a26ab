/* driver.h - what the files of the driver API share. Private. */
#ifndef CT_RUNTIME_DRIVER_H
#define CT_RUNTIME_DRIVER_H

#include "data/cuda/cuda.h"
#include "data/cuda/cuda_runtime_api.h"

#include "base/buf.h"

/* What each call of the run-time API does for the driver API, behind the lock: it is initialized, and where the
 * thread has no current context, that is the device's primary one. */
void ct_cuda_driver_use_primary(void);
/* As ct_cuda_enter and ct_cuda_leave: CUDA_ERROR_NOT_INITIALIZED before cuInit and before any call of the run-time API. */
CUresult ct_cuda_driver_enter(void);
CUresult ct_cuda_driver_leave(CUresult result);
/* The result that the driver API has for an error of the run-time API. */
CUresult ct_cuda_result(cudaError_t error);
/* Ends a function of the driver API whose work the run-time API does, behind the lock. */
#define CT_CUDA_DRIVER(call) \
	do { \
		CUresult r_ = ct_cuda_driver_enter(); \
		if (r_ == CUDA_SUCCESS) \
			r_ = ct_cuda_result(call); \
		return ct_cuda_driver_leave(r_); \
	} while (0)
/* The context that is current, in *out, a CUcontext. */
cudaError_t ct_cuda_current_context(void *out);
/* Tells the options of a compiler that it has said nothing. */
void ct_cuda_answer_options(unsigned n, const CUjit_option *options, void **values);
/* Reads a whole file into b and ends it with a NUL: 0, or -1 with errno. */
int ct_cuda_read_file(const char *name, struct ct_buf *b);

#endif
