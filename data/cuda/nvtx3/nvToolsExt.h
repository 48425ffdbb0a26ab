/* nvToolsExt.h - as version 3 of NVTX calls it: all of it stands in nvToolsExt.h. */
#ifndef CT_CUDA_NVTX3_NVTOOLSEXT_H
#define CT_CUDA_NVTX3_NVTOOLSEXT_H

#include "../nvToolsExt.h"

#endif
