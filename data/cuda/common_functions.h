/* common_functions.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_COMMON_FUNCTIONS_H
#define CT_CUDA_COMMON_FUNCTIONS_H
#define __COMMON_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
