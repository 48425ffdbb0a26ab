/* surface_functions.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_SURFACE_FUNCTIONS_H
#define CT_CUDA_SURFACE_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
