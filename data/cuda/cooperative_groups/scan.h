/* cooperative_groups/scan.h - a name that programs include: all of it stands in cooperative_groups.h. */
#ifndef CT_CUDA_COOPERATIVE_GROUPS_SCAN_H
#define CT_CUDA_COOPERATIVE_GROUPS_SCAN_H

#include "../cooperative_groups.h"

#endif
