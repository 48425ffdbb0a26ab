/* CUDA's driver API: functions of modules, their attributes, launches and occupancy. */
#include "runtime/driver.h"
#include "runtime/runtime.h"

/* Registers are those of the machine code that traces have, shared and local memory those of the PTX. */
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
	CUresult r = ct_cuda_driver_enter();
	struct ct_cuda_function *f = (struct ct_cuda_function *)function;
	if (r == CUDA_SUCCESS && !value)
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS && !ct_cuda_is_function(f))
		r = CUDA_ERROR_INVALID_HANDLE;
	if (r == CUDA_SUCCESS)
		switch (attribute) {
		case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
		case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)f->kernel->shared_bytes; break;
		case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = 0; break;
		case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)f->kernel->local_bytes; break;
		case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = ct_cuda_registers(f); break;
		case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = (int)ct_ptx_target(f->module->ptx); break;
		case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = (int)ct_cuda_capability(); break;
		case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
			*value = (int)ct_cuda_dynamic_limit(f);
			break;
		case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
		case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
			*value = cudaSharedmemCarveoutDefault;
			break;
		default: r = CUDA_ERROR_INVALID_VALUE;
		}
	return ct_cuda_driver_leave(r);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
	CUresult r = ct_cuda_driver_enter();
	struct ct_cuda_function *f = (struct ct_cuda_function *)function;
	if (r == CUDA_SUCCESS && !ct_cuda_is_function(f))
		r = CUDA_ERROR_INVALID_HANDLE;
	if (r == CUDA_SUCCESS && attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		r = ct_cuda_result(ct_cuda_allow_shared(f, value));
	else if (r == CUDA_SUCCESS && attribute != CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
		r = CUDA_ERROR_INVALID_VALUE;
	return ct_cuda_driver_leave(r);
}

/* The buffer of arguments that `extra` names: 0, or -1. */
static int extra_buffer(void **extra, const void **buffer, size_t *bytes)
{
	*buffer = NULL;
	*bytes = 0;
	for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2)
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			*buffer = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
			*bytes = *(const size_t *)extra[1];
		else
			return -1;
	return 0;
}

/* Arguments come as pointers (parameters) or as one buffer (extra), never both. A launch that begins is well: what its kernel does wrong,
 * the next call tells, as on a board. On a stream that is captured it becomes a node. */
static CUresult launch(CUfunction function, struct ct_cuda_shape shape, CUstream stream,
                       void **parameters, void **extra)
{
	CUresult r = ct_cuda_driver_enter();
	struct ct_cuda_function *f = (struct ct_cuda_function *)function;
	const void *buffer;
	size_t bytes;
	if (r == CUDA_SUCCESS && !ct_cuda_is_function(f))
		r = CUDA_ERROR_INVALID_HANDLE;
	if (r == CUDA_SUCCESS && ((parameters && extra) || extra_buffer(extra, &buffer, &bytes) < 0))
		r = CUDA_ERROR_INVALID_VALUE;
	cudaGraph_t graph = r == CUDA_SUCCESS ? ct_cuda_captured_into(stream) : NULL;
	if (graph)
		r = ct_cuda_result(
			ct_cuda_capture_launch(graph, f, f, shape, parameters, buffer, bytes));
	else if (r == CUDA_SUCCESS) {
		cudaError_t error = ct_cuda_launch(f, shape, parameters, buffer, bytes);
		r = ct_cuda.fault ? CUDA_SUCCESS : ct_cuda_result(error);
	}
	return ct_cuda_driver_leave(r);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void **parameters, void **extra)
{
	return launch(function,
	              (struct ct_cuda_shape){
			      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, 0},
	              stream, parameters, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned shared_bytes, CUstream stream, void **parameters)
{
	return launch(function,
	              (struct ct_cuda_shape){
			      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, 1},
	              stream, parameters, NULL);
}

/* Cooperation counts, clusters are refused, the other attributes are hints. */
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                          void **extra)
{
	if (!config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	struct ct_cuda_shape shape = {{config->gridDimX, config->gridDimY, config->gridDimZ},
	                              {config->blockDimX, config->blockDimY, config->blockDimZ},
	                              config->sharedMemBytes,
	                              0};
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const CUlaunchAttributeValue *v = &config->attrs[i].value;
		if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
			shape.cooperative = v->cooperative != 0;
		if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
		    (uint64_t)v->clusterDim.x * v->clusterDim.y * v->clusterDim.z > 1)
			return (CUresult)ct_cuda_refuse(
				"cuLaunchKernelEx", "clusters of blocks are not emulated");
	}
	return launch(function, shape, config->hStream, parameters, extra);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user)
{
	CUresult r = ct_cuda_driver_leave(ct_cuda_driver_enter());
	return r == CUDA_SUCCESS ? ct_cuda_result(cudaLaunchHostFunc(stream, function, user)) : r;
}

static CUresult check_function(CUfunction function)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && !ct_cuda_is_function((struct ct_cuda_function *)function))
		r = CUDA_ERROR_INVALID_HANDLE;
	return ct_cuda_driver_leave(r);
}

/* Hints about caches change nothing. */
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
	(void)config;
	return check_function(function);
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config)
{
	(void)config;
	return check_function(function);
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
	CUresult r = module ? check_function(function) : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*module = (CUmodule)((struct ct_cuda_function *)function)->module;
	return r;
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
	CUresult r = name ? check_function(function) : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*name = ((struct ct_cuda_function *)function)->name;
	return r;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared_bytes)
{
	CUresult r = ct_cuda_driver_enter();
	struct ct_cuda_function *f = (struct ct_cuda_function *)function;
	if (r == CUDA_SUCCESS && !ct_cuda_is_function(f))
		r = CUDA_ERROR_INVALID_HANDLE;
	if (r == CUDA_SUCCESS)
		r = ct_cuda_result(ct_cuda_occupancy(f, threads, shared_bytes, blocks));
	return ct_cuda_driver_leave(r);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *blocks, CUfunction function, int threads, size_t shared_bytes, unsigned flags)
{
	if (flags > cudaOccupancyDisableCachingOverride)
		return CUDA_ERROR_INVALID_VALUE;
	return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes);
}

/* The block of the most warps an SM can hold, and the grid that fills the board with it. bytes_of may be NULL: all blocks have
 * shared_bytes. */
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize bytes_of, size_t shared_bytes, int limit)
{
	int most = 1024, best = 0;
	CUresult r = grid && block ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	if (r != CUDA_SUCCESS)
		return r;
	if (limit > 0 && limit < most)
		most = limit;
	*grid = *block = 0;
	for (int threads = most / 32 * 32; threads >= 32 && r == CUDA_SUCCESS; threads -= 32) {
		int blocks = 0;
		r = cuOccupancyMaxActiveBlocksPerMultiprocessor(
			&blocks, function, threads, bytes_of ? bytes_of(threads) : shared_bytes);
		if (blocks * threads > best) {
			best = blocks * threads;
			*block = threads;
			*grid = blocks * (int)ct_cuda.gpu.sms;
		}
	}
	return r;
}

/* The flags change nothing here, as those of the other function. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
                                                   CUoccupancyB2DSize bytes_of, size_t shared_bytes,
                                                   int limit, unsigned flags)
{
	(void)flags;
	return cuOccupancyMaxPotentialBlockSize(grid, block, function, bytes_of, shared_bytes, limit);
}
