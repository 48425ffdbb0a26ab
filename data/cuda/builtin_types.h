/* builtin_types.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_BUILTIN_TYPES_H
#define CT_CUDA_BUILTIN_TYPES_H
#define __BUILTIN_TYPES_H__

#include "cuda_runtime.h"

#endif
