/* texture_indirect_functions.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_TEXTURE_INDIRECT_FUNCTIONS_H
#define CT_CUDA_TEXTURE_INDIRECT_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
