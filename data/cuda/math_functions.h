/* math_functions.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_MATH_FUNCTIONS_H
#define CT_CUDA_MATH_FUNCTIONS_H
#define __MATH_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
