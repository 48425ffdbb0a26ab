/* nvToolsExtCuda.h - as version 3 of NVTX calls it: all of it stands in nvToolsExt.h. */
#ifndef CT_CUDA_NVTX3_NVTOOLSEXTCUDA_H
#define CT_CUDA_NVTX3_NVTOOLSEXTCUDA_H

#include "../nvToolsExt.h"

#endif
