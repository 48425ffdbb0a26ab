/* storage_class.h - a name that programs include: all of it stands in cuda_runtime.h. */
#ifndef CT_CUDA_STORAGE_CLASS_H
#define CT_CUDA_STORAGE_CLASS_H
#define __STORAGE_CLASS_H__

#include "cuda_runtime.h"

#endif
