/* channel_descriptor.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_CHANNEL_DESCRIPTOR_H
#define CT_CUDA_CHANNEL_DESCRIPTOR_H
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime.h"

#endif
