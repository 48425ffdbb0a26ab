/* Launches: `kernel<<<grid, block>>>(...)`, cudaLaunchKernel, and what the older calls made of them. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/runtime.h"

enum {
	MAX_NESTED = 16,
	MAX_ARGUMENT_BYTES = 4096 /* of a launch, as the CUDA C++ Programming Guide says */
};

/* The configurations between `<<<...>>>` and the stub's call; nested where arguments launch, too. */
static _Thread_local struct {
	dim3 grid, block;
	size_t shared_bytes;
	cudaStream_t stream;
} pushed[MAX_NESTED];
static _Thread_local unsigned n_pushed;

/* Arguments of cudaSetupArgument. */
static _Thread_local unsigned char argument[MAX_ARGUMENT_BYTES];
static _Thread_local size_t argument_bytes;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     struct CUstream_st *stream)
{
	if (n_pushed == MAX_NESTED)
		return 1; /* the launch is left out */
	pushed[n_pushed].grid = grid;
	pushed[n_pushed].block = block;
	pushed[n_pushed].shared_bytes = shared_bytes;
	pushed[n_pushed].stream = stream;
	n_pushed++;
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes, void *stream)
{
	if (n_pushed == 0)
		return ct_cuda_enter(), ct_cuda_leave(cudaErrorMissingConfiguration);
	n_pushed--;
	*grid = pushed[n_pushed].grid;
	*block = pushed[n_pushed].block;
	*shared_bytes = pushed[n_pushed].shared_bytes;
	*(cudaStream_t *)stream = pushed[n_pushed].stream;
	return cudaSuccess;
}

/* CTAs of a launch that the board holds at once. */
static uint32_t at_once(struct ct_cuda_function *f, const struct ct_cuda_shape *s)
{
	int blocks, threads = (int)(s->block.x * s->block.y * s->block.z);
	return ct_cuda_occupancy(f, threads, s->shared_bytes, &blocks) == cudaSuccess
	               ? (uint32_t)blocks * ct_cuda.gpu.sms
	               : 0;
}

/* Whether all of them have a place. */
static int fits(const struct ct_cuda_shape *s, uint32_t places)
{
	return (uint64_t)s->grid.x * s->grid.y * s->grid.z <= places;
}

/* The limits of every board that is emulated: the guide's table of technical specifications. CTAs of a cooperative launch have to fit
 * on the board at once. *places: how many fit, 0 where the shape is wrong. */
static cudaError_t check_shape(struct ct_cuda_function *f, const struct ct_cuda_shape *s,
                               uint32_t *places)
{
	const struct ct_ptx_kernel *k = f->kernel;
	const dim3 grid = s->grid, block = s->block;
	size_t most = ct_cuda_shared_default();
	*places = 0;
	if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z || grid.x > 0x7fffffff ||
	    grid.y > 65535 || grid.z > 65535 || block.x > 1024 || block.y > 1024 || block.z > 64 ||
	    block.x * block.y * block.z > 1024)
		return cudaErrorInvalidConfiguration;
	if (f->dynamic_shared_max > 0)
		most = (size_t)f->dynamic_shared_max + k->shared_bytes;
	if (s->shared_bytes > most || k->shared_bytes > most - s->shared_bytes)
		return cudaErrorInvalidValue;
	*places = at_once(f, s);
	return !s->cooperative || fits(s, *places) ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
}

/* Lays the arguments out as the kernel's parameters are. */
static void gather(const struct ct_ptx_kernel *k, void **params, unsigned char *buffer)
{
	for (uint32_t i = 0; i < k->nparams; i++)
		memcpy(buffer + k->params[i].offset, params[i], k->params[i].bytes);
}

cudaError_t ct_cuda_launch(struct ct_cuda_function *f, struct ct_cuda_shape shape, void **params,
                           const void *given, size_t bytes)
{
	const struct ct_ptx_kernel *k = f->kernel;
	uint32_t places;
	cudaError_t error = check_shape(f, &shape, &places);
	struct ct_ptx_launch l = {
		.module = f->module->ptx,
		.kernel = k,
		.grid = {shape.grid.x, shape.grid.y, shape.grid.z},
		.block = {shape.block.x, shape.block.y, shape.block.z},
		.dynamic_shared = (uint32_t)shape.shared_bytes,
		.shared_unit = ct_cuda_shared_unit(),
		.shared_behind = ct_cuda.settings.maps_around ? CT_CUDA_SHARED_BEHIND : 0,
		.cooperative = shape.cooperative ||
	                       ((ct_cuda.settings.resident || f->waits) && fits(&shape, places)),
		.side_by_side = places ? places : 1,
		.params = given,
		.param_bytes = bytes,
		.memory = ct_cuda.memory,
		.max_steps = ct_cuda.settings.max_steps,
		.threads = ct_cuda.settings.threads,
		.call = ct_cuda_host_call};
	struct ct_ptx_result r;
	struct ct_cuda_init init;
	struct ct_error e = {0};
	unsigned char *buffer = NULL;
	struct ct_ptx_memory *around = NULL;
	if (error == cudaSuccess && ct_cuda.settings.check_init)
		error = ct_cuda_follow_init(&init, f->module, &l);
	if (error == cudaSuccess && k->nparams && !params && bytes < k->param_bytes)
		error = cudaErrorInvalidValue;
	if (error == cudaSuccess && f->module->allocates)
		error = ct_cuda_make_heap();
	if (error == cudaSuccess)
		error = ct_cuda_bound_textures(f->module, &l.textures, &l.ntextures);
	if (error == cudaSuccess && params) {
		buffer = ct_calloc(1, (size_t)k->param_bytes + 1);
		if (!buffer)
			return cudaErrorMemoryAllocation;
		gather(k, params, buffer);
		l.params = buffer;
		l.param_bytes = k->param_bytes;
	}
	if (error == cudaSuccess && ct_cuda.settings.maps_around) {
		error = ct_cuda_map_around(&around);
		l.memory = around;
	}
	if (error == cudaSuccess) {
		ct_cuda.launches++;
		if (ct_cuda_trace_launch(&l, &r, &e) != CT_OK)
			error = ct_cuda_tell_fault(f, &l, &r, &e);
		if (r.waited && !f->waits)
			ct_cuda_tell_waiting(f);
	}
	ct_ptx_memory_free(around);
	free(buffer);
	return error;
}

/* The launch as work, in memory that the caller frees. Arguments are pointers or, with none of these, a buffer. */
static cudaError_t make_work(struct ct_cuda_function *f, const void *kernel, struct ct_cuda_shape shape,
                             void **arguments, const void *buffer, size_t bytes, struct ct_cuda_work *w)
{
	*w = (struct ct_cuda_work){.kind = CT_CUDA_LAUNCH,
	                           .kernel = kernel,
	                           .shape = shape,
	                           .bytes = f->kernel->param_bytes};
	if (f->kernel->nparams && !arguments && bytes < w->bytes)
		return cudaErrorInvalidValue;
	if (!(w->arguments = ct_calloc(1, w->bytes + 1)))
		return cudaErrorMemoryAllocation;
	if (arguments)
		gather(f->kernel, arguments, w->arguments);
	else if (buffer)
		memcpy(w->arguments, buffer, w->bytes);
	uint32_t places;
	return check_shape(f, &shape, &places);
}

cudaError_t ct_cuda_launch_work(const void *kernel, struct ct_cuda_shape shape, void **arguments,
                                struct ct_cuda_work *w)
{
	struct ct_cuda_function *f;
	cudaError_t error = ct_cuda_enter();
	*w = (struct ct_cuda_work){.kind = CT_CUDA_NOTHING};
	if (error == cudaSuccess)
		error = ct_cuda_find_function(kernel, &f);
	if (error == cudaSuccess)
		error = make_work(f, kernel, shape, arguments, NULL, 0, w);
	return ct_cuda_leave_quietly(error);
}

cudaError_t ct_cuda_argument_pointers(const struct ct_cuda_work *w, void ***out)
{
	struct ct_cuda_function *f;
	cudaError_t error = ct_cuda_find_function(w->kernel, &f);
	if (error != cudaSuccess)
		return error;
	const struct ct_ptx_kernel *k = f->kernel;
	if (!(*out = ct_calloc((size_t)k->nparams + 1, sizeof **out)))
		return cudaErrorMemoryAllocation;
	for (uint32_t i = 0; i < k->nparams; i++)
		(*out)[i] = (char *)w->arguments + k->params[i].offset;
	return cudaSuccess;
}

cudaError_t ct_cuda_capture_launch(cudaGraph_t graph, struct ct_cuda_function *f, const void *kernel,
                                   struct ct_cuda_shape shape, void **arguments, const void *buffer,
                                   size_t bytes)
{
	struct ct_cuda_work w;
	cudaError_t error = make_work(f, kernel, shape, arguments, buffer, bytes, &w);
	if (error == cudaSuccess)
		error = ct_cuda_capture(graph, &w);
	free(w.arguments);
	return error;
}

static cudaError_t launch(const void *function, struct ct_cuda_shape shape, void **arguments,
                          cudaStream_t stream)
{
	struct ct_cuda_function *f;
	cudaError_t error = ct_cuda_enter();
	cudaGraph_t graph = error == cudaSuccess ? ct_cuda_captured_into(stream) : NULL;
	void *none = NULL;
	if (error == cudaSuccess)
		error = ct_cuda_find_function(function, &f);
	if (error == cudaSuccess && graph)
		error = ct_cuda_capture_launch(graph, f, function, shape, arguments, NULL, 0);
	else if (error == cudaSuccess)
		error = ct_cuda_launch(f, shape, arguments ? arguments : &none, NULL, 0);
	return ct_cuda_leave(error);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes, cudaStream_t stream)
{
	return launch(function, (struct ct_cuda_shape){grid, block, shared_bytes, 0}, arguments, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes, cudaStream_t stream)
{
	return launch(function, (struct ct_cuda_shape){grid, block, shared_bytes, 1}, arguments, stream);
}

/* What the attributes of a launch ask for: cooperation counts, and hints do not. */
static cudaError_t read_attributes(const cudaLaunchConfig_t *config, struct ct_cuda_shape *shape)
{
	for (unsigned i = 0; i < config->numAttrs; i++) {
		const union cudaLaunchAttributeValue *v = &config->attrs[i].val;
		if (config->attrs[i].id == cudaLaunchAttributeCooperative)
			shape->cooperative = v->cooperative != 0;
		if (config->attrs[i].id == cudaLaunchAttributeClusterDimension &&
		    (uint64_t)v->clusterDim.x * v->clusterDim.y * v->clusterDim.z > 1) {
			ct_cuda_enter();
			return ct_cuda_leave(ct_cuda_refuse(
				"cudaLaunchKernelExC", "clusters of blocks are not emulated"));
		}
	}
	return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
	if (!config || (config->numAttrs && !config->attrs))
		return ct_cuda_enter(), ct_cuda_leave(cudaErrorInvalidValue);
	struct ct_cuda_shape shape = {config->gridDim, config->blockDim, config->dynamicSmemBytes, 0};
	cudaError_t error = read_attributes(config, &shape);
	return error == cudaSuccess ? launch(function, shape, arguments, config->stream) : error;
}

/* With one device it is a cooperative launch. */
cudaError_t
cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *list, unsigned devices, unsigned flags)
{
	(void)flags;
	if (!list || devices != 1) {
		ct_cuda_enter();
		return ct_cuda_leave(!list || !devices
		                             ? cudaErrorInvalidValue
		                             : ct_cuda_refuse("cudaLaunchCooperativeKernelMultiDevice",
		                                              "there is one device"));
	}
	return cudaLaunchCooperativeKernel(
		list->func, list->gridDim, list->blockDim, list->args, list->sharedMem, list->stream);
}

cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream)
{
	argument_bytes = 0;
	if (__cudaPushCallConfiguration(grid, block, shared_bytes, stream) != 0)
		return ct_cuda_enter(), ct_cuda_leave(cudaErrorInvalidConfiguration);
	return cudaSuccess;
}

cudaError_t cudaSetupArgument(const void *p, size_t bytes, size_t offset)
{
	if (!p || offset > MAX_ARGUMENT_BYTES || bytes > MAX_ARGUMENT_BYTES - offset)
		return ct_cuda_enter(), ct_cuda_leave(cudaErrorInvalidValue);
	memcpy(argument + offset, p, bytes);
	argument_bytes = offset + bytes > argument_bytes ? offset + bytes : argument_bytes;
	return cudaSuccess;
}

cudaError_t cudaLaunch(const void *function)
{
	struct ct_cuda_shape shape = {{0, 0, 0}, {0, 0, 0}, 0, 0};
	cudaStream_t stream = NULL;
	struct ct_cuda_function *f;
	cudaError_t error = __cudaPopCallConfiguration(
		&shape.grid, &shape.block, &shape.shared_bytes, &stream);
	if (error != cudaSuccess)
		return error;
	error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = ct_cuda_find_function(function, &f);
	if (error == cudaSuccess)
		error = ct_cuda_launch(f, shape, NULL, argument, argument_bytes);
	return ct_cuda_leave(error);
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
	struct ct_cuda_function *f;
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = name ? ct_cuda_find_function(function, &f) : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*name = f->name;
	return ct_cuda_leave(error);
}

/* The same as cuFuncGetAttribute() for a function of the host. */
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *function)
{
	struct ct_cuda_function *f;
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = a ? ct_cuda_find_function(function, &f) : cudaErrorInvalidValue;
	if (error == cudaSuccess) {
		int version = (int)ct_cuda_capability();
		*a = (struct cudaFuncAttributes){
			.sharedSizeBytes = f->kernel->shared_bytes,
			.localSizeBytes = f->kernel->local_bytes,
			.maxThreadsPerBlock = 1024,
			.numRegs = ct_cuda_registers(f),
			.ptxVersion = (int)ct_ptx_target(f->module->ptx),
			.binaryVersion = version,
			.maxDynamicSharedSizeBytes = (int)ct_cuda_dynamic_limit(f),
			.preferredShmemCarveout = cudaSharedmemCarveoutDefault};
		uint64_t most = (uint64_t)f->kernel->max_threads[0] * f->kernel->max_threads[1] *
		                f->kernel->max_threads[2];
		if (most > 0 && most < 1024)
			a->maxThreadsPerBlock = (int)most;
	}
	return ct_cuda_leave(error);
}

size_t ct_cuda_dynamic_limit(const struct ct_cuda_function *f)
{
	size_t own = f->kernel->shared_bytes, all = ct_cuda_shared_default();
	if (f->dynamic_shared_max > 0)
		return (size_t)f->dynamic_shared_max;
	return own < all ? all - own : 0;
}

cudaError_t ct_cuda_allow_shared(struct ct_cuda_function *f, int bytes)
{
	size_t own = f->kernel->shared_bytes, most = ct_cuda_shared_most();
	if (bytes < 0 || own > most || (size_t)bytes > most - own)
		return cudaErrorInvalidValue;
	f->dynamic_shared_max = bytes;
	return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
	struct ct_cuda_function *f;
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = ct_cuda_find_function(function, &f);
	if (error == cudaSuccess && attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
		error = ct_cuda_allow_shared(f, value);
	else if (error == cudaSuccess && attribute != cudaFuncAttributePreferredSharedMemoryCarveout)
		error = cudaErrorInvalidValue;
	return ct_cuda_leave(error);
}

/* Hints about caches change nothing: the replay chooses the split of L1 and shared memory. */
static cudaError_t check_function(const void *function)
{
	struct ct_cuda_function *f;
	cudaError_t error = ct_cuda_enter();
	if (error == cudaSuccess)
		error = ct_cuda_find_function(function, &f);
	return ct_cuda_leave(error);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
	(void)config;
	return check_function(function);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
	(void)config;
	return check_function(function);
}
