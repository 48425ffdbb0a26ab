/* driver_functions.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_DRIVER_FUNCTIONS_H
#define CT_CUDA_DRIVER_FUNCTIONS_H
#define __DRIVER_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
