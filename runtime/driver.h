/* driver.h - what the files of the driver API share. Private. */
#ifndef CT_RUNTIME_DRIVER_H
#define CT_RUNTIME_DRIVER_H

#include "data/cuda/cuda.h"
#include "data/cuda/cuda_runtime_api.h"

/* What each call of the run-time API does for the driver API, behind the lock: it is initialized, and where the
 * thread has no current context, that is the device's primary one. */
void ct_cuda_driver_use_primary(void);
/* As ct_cuda_enter and ct_cuda_leave: CUDA_ERROR_NOT_INITIALIZED before cuInit and before any call of the run-time API. */
CUresult ct_cuda_driver_enter(void);
CUresult ct_cuda_driver_leave(CUresult result);
/* The result that the driver API has for an error of the run-time API. */
CUresult ct_cuda_result(cudaError_t error);

#endif
