/* kernels.h - kernels of the libraries that this project has itself, cuBLAS, cuRAND, cuSPARSE and cuFFT: PTX in the data folder, launched by the driver API as
 * a program's own are. Private. */
#ifndef CT_RUNTIME_KERNELS_H
#define CT_RUNTIME_KERNELS_H

#include <stdint.h>

#include "data/cuda/cuda.h"

/* A library: its name, for messages, and whether it has said that its files are missing. */
struct ct_cuda_own_library {
	const char *name;
	int told;
};

/* A file of kernels of a library, below the data folder and without ".ptx": a module for all handles and contexts, which share one memory here.
 * It is read when a kernel of it is first wanted. */
struct ct_cuda_kernel_file {
	struct ct_cuda_own_library *library;
	const char *name;
	CUmodule module;
};

enum { CT_CUDA_GRID_MAX = 65535 /* CTAs of the second and third dimension */ };

/* The grid and the CTA of a launch. */
struct ct_cuda_grid {
	int64_t x, y, z;
	unsigned threads;
};

/* Room of the device that the calls of a handle share; bytes 0: none yet. */
struct ct_cuda_room {
	CUdeviceptr at;
	size_t bytes;
};
/* Makes room of that many bytes, or more, for work of the stream. What was there before is lost. */
CUresult ct_cuda_make_room(struct ct_cuda_room *room, size_t bytes, CUstream stream);

/* The first call of a program may be one of a library's: makes a context current. */
CUresult ct_cuda_begin_library(void);
/* Launches the kernel of that name, which has one parameter, on a stream. A grid that is larger than boards' gives CUDA_ERROR_NOT_SUPPORTED. */
CUresult ct_cuda_launch_own(struct ct_cuda_kernel_file *file, const char *kernel,
                            struct ct_cuda_grid grid, void *argument, CUstream stream);
/* The same of any number of batches, grid.z, as many at once as a grid has: *first, which belongs to the argument, is the number of the first
 * of a launch. */
CUresult ct_cuda_launch_batches(struct ct_cuda_kernel_file *file, const char *kernel,
                                struct ct_cuda_grid grid, void *argument, int32_t *first,
                                CUstream stream);

#endif
