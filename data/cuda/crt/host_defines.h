/* crt/host_defines.h - a name that programs include: the qualifiers. */
#ifndef CT_CUDA_CRT_HOST_DEFINES_H
#define CT_CUDA_CRT_HOST_DEFINES_H

#include "../host_defines.h"

#endif
