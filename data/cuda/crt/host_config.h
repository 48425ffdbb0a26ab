/* host_config.h - a name that programs include: all of it stands in host_config.h. */
#ifndef CT_CUDA_CRT_HOST_CONFIG_H
#define CT_CUDA_CRT_HOST_CONFIG_H

#include "../host_config.h"

#endif
