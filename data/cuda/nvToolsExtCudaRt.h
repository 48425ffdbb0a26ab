/* nvToolsExtCudaRt.h - a name that programs include: all of it stands in nvToolsExt.h. */
#ifndef CT_CUDA_NVTOOLSEXTCUDART_H
#define CT_CUDA_NVTOOLSEXTCUDART_H

#include "nvToolsExt.h"

#endif
