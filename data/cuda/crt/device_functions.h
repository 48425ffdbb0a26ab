/* device_functions.h - a name that programs include: all of it stands in device_functions.h. */
#ifndef CT_CUDA_CRT_DEVICE_FUNCTIONS_H
#define CT_CUDA_CRT_DEVICE_FUNCTIONS_H

#include "../device_functions.h"

#endif
