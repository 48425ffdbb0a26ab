/* surface_types.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_SURFACE_TYPES_H
#define CT_CUDA_SURFACE_TYPES_H
#define __SURFACE_TYPES_H__

#include "cuda_runtime.h"

#endif
