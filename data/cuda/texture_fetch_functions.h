/* texture_fetch_functions.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_TEXTURE_FETCH_FUNCTIONS_H
#define CT_CUDA_TEXTURE_FETCH_FUNCTIONS_H
#define __TEXTURE_FETCH_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
