/* sm_60_atomic_functions.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_SM_60_ATOMIC_FUNCTIONS_H
#define CT_CUDA_SM_60_ATOMIC_FUNCTIONS_H
#define __SM_60_ATOMIC_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
