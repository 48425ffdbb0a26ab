/* Kernels of the libraries that this project has itself. */
#include <limits.h>
#include <stdio.h>

#include "runtime/kernels.h"
#include "runtime/runtime.h"

CUresult ct_cuda_begin_library(void)
{
	return cudaFree(NULL) == cudaSuccess ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

/* Reads the file, behind the lock. */
static CUresult load(struct ct_cuda_kernel_file *file)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s.ptx", ct_cuda.settings.data_dir, file->name);
	CUresult r = cuModuleLoad(&file->module, path);
	if (r == CUDA_ERROR_FILE_NOT_FOUND && !file->library->told++)
		ct_cuda_say(
			"%s: the kernels of %s are not there: does CACHETRIAGE_DATA name the data folder?",
			path, file->library->name);
	return r;
}

/* A kernel of a module, which is read where it has not been, or has been unloaded since. */
static CUresult find(struct ct_cuda_kernel_file *file, const char *kernel, CUfunction *f)
{
	CUresult r = CUDA_ERROR_INVALID_HANDLE;
	ct_cuda_enter();
	if (file->module)
		r = cuModuleGetFunction(f, file->module, kernel);
	if (r == CUDA_ERROR_INVALID_HANDLE) {
		r = load(file);
		if (r == CUDA_SUCCESS)
			r = cuModuleGetFunction(f, file->module, kernel);
	}
	ct_cuda_leave_quietly(cudaSuccess);
	return r;
}

CUresult ct_cuda_launch_own(struct ct_cuda_kernel_file *file, const char *kernel,
                            struct ct_cuda_grid grid, void *argument, CUstream stream)
{
	void *parameters[] = {argument};
	CUfunction f;
	if (grid.x > INT32_MAX || grid.y > CT_CUDA_GRID_MAX || grid.z > CT_CUDA_GRID_MAX)
		return CUDA_ERROR_NOT_SUPPORTED;
	CUresult r = find(file, kernel, &f);
	if (r == CUDA_SUCCESS)
		r = cuLaunchKernel(f, (unsigned)grid.x, (unsigned)grid.y, (unsigned)grid.z, grid.threads,
		                   1, 1, 0, stream, parameters, NULL);
	return r;
}

CUresult ct_cuda_launch_batches(struct ct_cuda_kernel_file *file, const char *kernel,
                                struct ct_cuda_grid grid, void *argument, int32_t *first,
                                CUstream stream)
{
	const int64_t all = grid.z;
	CUresult r = CUDA_SUCCESS;
	for (int64_t done = 0; done < all && r == CUDA_SUCCESS; done += CT_CUDA_GRID_MAX) {
		grid.z = all - done < CT_CUDA_GRID_MAX ? all - done : CT_CUDA_GRID_MAX;
		*first = (int32_t)done;
		r = ct_cuda_launch_own(file, kernel, grid, argument, stream);
	}
	return r;
}

/* Work of the stream may still use the old room: it is freed when that is done. */
CUresult ct_cuda_make_room(struct ct_cuda_room *room, size_t bytes, CUstream stream)
{
	if (bytes <= room->bytes)
		return CUDA_SUCCESS;
	CUresult r = cuStreamSynchronize(stream);
	if (r == CUDA_SUCCESS && room->bytes)
		r = cuMemFree(room->at);
	*room = (struct ct_cuda_room){0};
	if (r == CUDA_SUCCESS)
		r = cuMemAlloc(&room->at, bytes);
	if (r == CUDA_SUCCESS)
		room->bytes = bytes;
	return r;
}
