/* common_functions.h - a name that programs include: all of it stands in common_functions.h. */
#ifndef CT_CUDA_CRT_COMMON_FUNCTIONS_H
#define CT_CUDA_CRT_COMMON_FUNCTIONS_H

#include "../common_functions.h"

#endif
