/* math_functions.h - a name that programs include: all of it stands in math_functions.h. */
#ifndef CT_CUDA_CRT_MATH_FUNCTIONS_H
#define CT_CUDA_CRT_MATH_FUNCTIONS_H

#include "../math_functions.h"

#endif
