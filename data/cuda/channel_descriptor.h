/* channel_descriptor.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_CHANNEL_DESCRIPTOR_H
#define CT_CUDA_CHANNEL_DESCRIPTOR_H

#include "cuda_runtime.h"

#endif
