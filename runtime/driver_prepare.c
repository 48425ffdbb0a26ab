/* CUDA's driver API: launches as they were before cuLaunchKernel, which prepare a function call by call: the shape of its blocks, the bytes
 * of its dynamic shared memory, its parameters each at an offset. What was prepared stays with the function for later launches. */
#include <stdlib.h>
#include <string.h>

#include "runtime/driver.h"
#include "runtime/runtime.h"

/* Bytes of a kernel's parameters at most, as long as there were such launches: CUDA C++ Programming Guide, function parameters. */
enum { PARAMETERS_MOST = 4096 };

struct ct_cuda_prepared {
	dim3 block;
	unsigned shared_bytes;
	size_t bytes; /* of the parameters, as the program says */
	unsigned char parameters[PARAMETERS_MOST];
};

/* What is prepared of the function, in *out: made where nothing was, with a block of one thread. Between enter and leave of a call. */
static CUresult prepared(CUfunction function, struct ct_cuda_prepared **out)
{
	struct ct_cuda_function *f = (struct ct_cuda_function *)function;
	CUresult r = ct_cuda_driver_enter();
	if (r != CUDA_SUCCESS)
		return r;
	if (!ct_cuda_is_function(f))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!f->prepared && (f->prepared = calloc(1, sizeof *f->prepared)))
		f->prepared->block = (dim3){1, 1, 1};
	*out = f->prepared;
	return f->prepared ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z)
{
	struct ct_cuda_prepared *p;
	CUresult r = prepared(function, &p);
	if (r == CUDA_SUCCESS && (x < 1 || y < 1 || z < 1))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		p->block = (dim3){(unsigned)x, (unsigned)y, (unsigned)z};
	return ct_cuda_driver_leave(r);
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes)
{
	struct ct_cuda_prepared *p;
	CUresult r = prepared(function, &p);
	if (r == CUDA_SUCCESS)
		p->shared_bytes = bytes;
	return ct_cuda_driver_leave(r);
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes)
{
	struct ct_cuda_prepared *p;
	CUresult r = prepared(function, &p);
	if (r == CUDA_SUCCESS && bytes > PARAMETERS_MOST)
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		p->bytes = bytes;
	return ct_cuda_driver_leave(r);
}

CUresult cuParamSetv(CUfunction function, int offset, void *value, unsigned bytes)
{
	struct ct_cuda_prepared *p;
	CUresult r = prepared(function, &p);
	if (r == CUDA_SUCCESS && (offset < 0 || bytes > PARAMETERS_MOST ||
	                          (unsigned)offset > PARAMETERS_MOST - bytes || (bytes && !value)))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS && bytes)
		memcpy(p->parameters + offset, value, bytes);
	return ct_cuda_driver_leave(r);
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value)
{
	return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction function, int offset, float value)
{
	return cuParamSetv(function, offset, &value, sizeof value);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream)
{
	struct ct_cuda_prepared *p;
	CUresult r = prepared(function, &p);
	if (r == CUDA_SUCCESS && (width < 1 || height < 1))
		r = CUDA_ERROR_INVALID_VALUE;
	ct_cuda_driver_leave(r);
	if (r != CUDA_SUCCESS)
		return r;
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, p->parameters, CU_LAUNCH_PARAM_BUFFER_SIZE,
	                 &p->bytes, CU_LAUNCH_PARAM_END};
	return cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, p->block.x, p->block.y,
	                      p->block.z, p->shared_bytes, stream, NULL, extra);
}

CUresult cuLaunchGrid(CUfunction function, int width, int height)
{
	return cuLaunchGridAsync(function, width, height, NULL);
}

CUresult cuLaunch(CUfunction function)
{
	return cuLaunchGridAsync(function, 1, 1, NULL);
}
