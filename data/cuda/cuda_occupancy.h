/* cuda_occupancy.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_CUDA_OCCUPANCY_H
#define CT_CUDA_CUDA_OCCUPANCY_H

#include "cuda_runtime.h"

#endif
