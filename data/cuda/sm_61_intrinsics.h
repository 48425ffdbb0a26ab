/* sm_61_intrinsics.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_SM_61_INTRINSICS_H
#define CT_CUDA_SM_61_INTRINSICS_H
#define __SM_61_INTRINSICS_H__

#include "cuda_runtime.h"

#endif
