/* interop_types.h - types of what other programs and graphics share with CUDA. libctcuda refuses the calls that take them; they are here so
 * that programs compile which can do without. Names and values are those of the CUDA Runtime API reference. */
#ifndef CT_CUDA_INTEROP_TYPES_H
#define CT_CUDA_INTEROP_TYPES_H

#include "driver_types.h"

/* ---- graphics ---- */

struct cudaGraphicsResource;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
enum cudaGraphicsRegisterFlags {
	cudaGraphicsRegisterFlagsNone = 0,
	cudaGraphicsRegisterFlagsReadOnly = 1,
	cudaGraphicsRegisterFlagsWriteDiscard = 2,
	cudaGraphicsRegisterFlagsSurfaceLoadStore = 4,
	cudaGraphicsRegisterFlagsTextureGather = 8
};
enum cudaGraphicsMapFlags {
	cudaGraphicsMapFlagsNone = 0,
	cudaGraphicsMapFlagsReadOnly = 1,
	cudaGraphicsMapFlagsWriteDiscard = 2
};
enum cudaGraphicsCubeFace {
	cudaGraphicsCubeFacePositiveX = 0,
	cudaGraphicsCubeFaceNegativeX = 1,
	cudaGraphicsCubeFacePositiveY = 2,
	cudaGraphicsCubeFaceNegativeY = 3,
	cudaGraphicsCubeFacePositiveZ = 4,
	cudaGraphicsCubeFaceNegativeZ = 5
};

/* ---- other processes ---- */

#define CUDA_IPC_HANDLE_SIZE 64
#define cudaIpcMemLazyEnablePeerAccess 0x01
typedef struct cudaIpcEventHandle_st {
	char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcEventHandle_t;
typedef struct cudaIpcMemHandle_st {
	char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcMemHandle_t;
struct cudaMemPoolPtrExportData {
	unsigned char reserved[64];
};

#endif
