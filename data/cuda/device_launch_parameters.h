/* device_launch_parameters.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#define CT_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "cuda_runtime.h"

#endif
