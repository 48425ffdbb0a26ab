/* cuda_device_runtime_api.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_CUDA_DEVICE_RUNTIME_API_H
#define CT_CUDA_CUDA_DEVICE_RUNTIME_API_H
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "cuda_runtime.h"

#endif
