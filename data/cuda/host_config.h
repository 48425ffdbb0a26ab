/* host_config.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_HOST_CONFIG_H
#define CT_CUDA_HOST_CONFIG_H
#define __HOST_CONFIG_H__

#include "cuda_runtime.h"

#endif
