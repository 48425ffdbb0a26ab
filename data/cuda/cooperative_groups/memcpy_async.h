/* cooperative_groups/memcpy_async.h - a name that programs include: all of it stands in cooperative_groups.h. */
#ifndef CT_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define CT_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#endif
