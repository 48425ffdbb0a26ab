/* CUDA's driver API: the device, contexts, modules of PTX, launches. driver_memory.c has the rest.
 *
 * Its handles are the run-time's own objects: a CUmodule is a struct ct_cuda_module, a CUfunction a
 * struct ct_cuda_function. Contexts share one memory and are told apart by their handle alone. */
#include "runtime/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "runtime/runtime.h"

struct CUctx_st {
	struct CUctx_st *next;
	unsigned flags;
};
static struct CUctx_st primary;
static struct CUctx_st *contexts; /* that cuCtxCreate made */
static _Thread_local CUcontext current;
static int initialized;

enum {
	MAX_DEPTH = 32,
	CONTEXT_VERSION = 3020 /* of every context since CUDA 3.2 */
};
static _Thread_local CUcontext below[MAX_DEPTH]; /* contexts that others were pushed upon */
static _Thread_local unsigned depth;

CUresult ct_cuda_result(cudaError_t error)
{
	switch (error) {
	case cudaErrorInvalidConfiguration:
	case cudaErrorInvalidPitchValue:
	case cudaErrorInvalidMemcpyDirection:
	case cudaErrorInvalidChannelDescriptor:
	case cudaErrorInvalidTexture:
	case cudaErrorInvalidTextureBinding:
	case cudaErrorInvalidSurface:
	case cudaErrorInvalidDevicePointer: return CUDA_ERROR_INVALID_VALUE;
	case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_INVALID_HANDLE;
	case cudaErrorInvalidSymbol: return CUDA_ERROR_NOT_FOUND;
	default: return (CUresult)error; /* the same numbers */
	}
}

void ct_cuda_driver_use_primary(void)
{
	initialized = 1;
	if (!current)
		current = &primary;
}

CUresult ct_cuda_driver_enter(void)
{
	cudaError_t fault = ct_cuda_enter();
	if (!initialized)
		return CUDA_ERROR_NOT_INITIALIZED;
	return (CUresult)fault;
}

CUresult ct_cuda_driver_leave(CUresult result)
{
	ct_cuda_leave_quietly(cudaSuccess);
	return result;
}

CUresult cuInit(unsigned flags)
{
	ct_cuda_enter();
	if (flags == 0)
		initialized = 1;
	return ct_cuda_driver_leave(flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = CT_CUDA_DRIVER_VERSION;
	return CUDA_SUCCESS;
}

static const struct {
	CUresult result;
	const char *name;
} results[] = {
#define RESULT(name) \
	{ \
		name, #name \
	}
	RESULT(CUDA_SUCCESS),
	RESULT(CUDA_ERROR_INVALID_VALUE),
	RESULT(CUDA_ERROR_OUT_OF_MEMORY),
	RESULT(CUDA_ERROR_NOT_INITIALIZED),
	RESULT(CUDA_ERROR_DEINITIALIZED),
	RESULT(CUDA_ERROR_PROFILER_DISABLED),
	RESULT(CUDA_ERROR_STUB_LIBRARY),
	RESULT(CUDA_ERROR_DEVICE_UNAVAILABLE),
	RESULT(CUDA_ERROR_NO_DEVICE),
	RESULT(CUDA_ERROR_INVALID_DEVICE),
	RESULT(CUDA_ERROR_INVALID_IMAGE),
	RESULT(CUDA_ERROR_INVALID_CONTEXT),
	RESULT(CUDA_ERROR_CONTEXT_ALREADY_CURRENT),
	RESULT(CUDA_ERROR_MAP_FAILED),
	RESULT(CUDA_ERROR_UNMAP_FAILED),
	RESULT(CUDA_ERROR_ARRAY_IS_MAPPED),
	RESULT(CUDA_ERROR_ALREADY_MAPPED),
	RESULT(CUDA_ERROR_NO_BINARY_FOR_GPU),
	RESULT(CUDA_ERROR_ALREADY_ACQUIRED),
	RESULT(CUDA_ERROR_NOT_MAPPED),
	RESULT(CUDA_ERROR_NOT_MAPPED_AS_ARRAY),
	RESULT(CUDA_ERROR_NOT_MAPPED_AS_POINTER),
	RESULT(CUDA_ERROR_ECC_UNCORRECTABLE),
	RESULT(CUDA_ERROR_UNSUPPORTED_LIMIT),
	RESULT(CUDA_ERROR_CONTEXT_ALREADY_IN_USE),
	RESULT(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED),
	RESULT(CUDA_ERROR_INVALID_PTX),
	RESULT(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT),
	RESULT(CUDA_ERROR_NVLINK_UNCORRECTABLE),
	RESULT(CUDA_ERROR_JIT_COMPILER_NOT_FOUND),
	RESULT(CUDA_ERROR_UNSUPPORTED_PTX_VERSION),
	RESULT(CUDA_ERROR_INVALID_SOURCE),
	RESULT(CUDA_ERROR_FILE_NOT_FOUND),
	RESULT(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND),
	RESULT(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED),
	RESULT(CUDA_ERROR_OPERATING_SYSTEM),
	RESULT(CUDA_ERROR_INVALID_HANDLE),
	RESULT(CUDA_ERROR_ILLEGAL_STATE),
	RESULT(CUDA_ERROR_NOT_FOUND),
	RESULT(CUDA_ERROR_NOT_READY),
	RESULT(CUDA_ERROR_ILLEGAL_ADDRESS),
	RESULT(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES),
	RESULT(CUDA_ERROR_LAUNCH_TIMEOUT),
	RESULT(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
	RESULT(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
	RESULT(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE),
	RESULT(CUDA_ERROR_CONTEXT_IS_DESTROYED),
	RESULT(CUDA_ERROR_ASSERT),
	RESULT(CUDA_ERROR_TOO_MANY_PEERS),
	RESULT(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
	RESULT(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
	RESULT(CUDA_ERROR_HARDWARE_STACK_ERROR),
	RESULT(CUDA_ERROR_ILLEGAL_INSTRUCTION),
	RESULT(CUDA_ERROR_MISALIGNED_ADDRESS),
	RESULT(CUDA_ERROR_INVALID_ADDRESS_SPACE),
	RESULT(CUDA_ERROR_INVALID_PC),
	RESULT(CUDA_ERROR_LAUNCH_FAILED),
	RESULT(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE),
	RESULT(CUDA_ERROR_NOT_PERMITTED),
	RESULT(CUDA_ERROR_NOT_SUPPORTED),
	RESULT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
	RESULT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE),
	RESULT(CUDA_ERROR_UNKNOWN),
#undef RESULT
};

CUresult cuGetErrorName(CUresult error, const char **name)
{
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	*name = NULL;
	for (size_t i = 0; i < sizeof results / sizeof *results; i++)
		if (results[i].result == error)
			*name = results[i].name;
	return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
	CUresult known = cuGetErrorName(error, text);
	if (known == CUDA_SUCCESS)
		*text = cudaGetErrorString((cudaError_t)error);
	return known;
}

/* ---- the device ---- */

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && (!device || ordinal != 0))
		r = device ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*device = 0;
	return ct_cuda_driver_leave(r);
}

CUresult cuDeviceGetCount(int *count)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && !count)
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*count = 1;
	return ct_cuda_driver_leave(r);
}

/* The properties of a device for a call of the driver API. */
static CUresult properties(struct cudaDeviceProp *p, CUdevice device)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS)
		r = ct_cuda_result(cudaGetDeviceProperties(p, device));
	return ct_cuda_driver_leave(r);
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
	struct cudaDeviceProp p;
	CUresult r = name && size > 0 ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		snprintf(name, (size_t)size, "%s", p.name);
	return r;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
	struct cudaDeviceProp p;
	CUresult r = bytes ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*bytes = p.totalGlobalMem;
	return r;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	struct cudaDeviceProp p;
	CUresult r = major && minor ? properties(&p, device) : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS) {
		*major = p.major;
		*minor = p.minor;
	}
	return r;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS)
		r = ct_cuda_result(
			cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
	return ct_cuda_driver_leave(r);
}

/* ---- contexts ---- */

static int is_context(CUcontext c)
{
	for (CUcontext at = contexts; at; at = at->next)
		if (at == c)
			return 1;
	return c == &primary;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && (!context || device != 0))
		r = context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*context = &primary;
	return ct_cuda_driver_leave(r);
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
	CUresult r = ct_cuda_driver_enter();
	return ct_cuda_driver_leave(r == CUDA_SUCCESS && device != 0 ? CUDA_ERROR_INVALID_DEVICE : r);
}

CUresult cuCtxPushCurrent(CUcontext context)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && (!is_context(context) || depth == MAX_DEPTH))
		r = CUDA_ERROR_INVALID_CONTEXT;
	if (r == CUDA_SUCCESS) {
		below[depth++] = current;
		current = context;
	}
	return ct_cuda_driver_leave(r);
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && depth == 0)
		r = CUDA_ERROR_INVALID_CONTEXT;
	if (r == CUDA_SUCCESS) {
		if (context)
			*context = current;
		current = below[--depth];
	}
	return ct_cuda_driver_leave(r);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned flags, CUdevice device)
{
	CUresult r = ct_cuda_driver_enter();
	(void)params;
	if (r == CUDA_SUCCESS && (!context || device != 0))
		r = context ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS) {
		CUcontext c = ct_calloc(1, sizeof *c);
		if (c) {
			c->flags = flags;
			c->next = contexts;
			contexts = c;
			*context = c;
			r = cuCtxPushCurrent(c);
		} else {
			r = CUDA_ERROR_OUT_OF_MEMORY;
		}
	}
	return ct_cuda_driver_leave(r);
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int n, unsigned flags,
                        CUdevice device)
{
	(void)affinity, (void)n;
	return cuCtxCreate_v4(context, NULL, flags, device);
}

CUresult cuCtxCreate(CUcontext *context, unsigned flags, CUdevice device)
{
	return cuCtxCreate_v4(context, NULL, flags, device);
}

CUresult cuCtxDestroy(CUcontext context)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && (context == &primary || !is_context(context)))
		r = CUDA_ERROR_INVALID_CONTEXT;
	if (r == CUDA_SUCCESS && current == context) {
		current = NULL;
		if (depth > 0)
			current = below[--depth];
	}
	for (CUcontext *at = &contexts; r == CUDA_SUCCESS && *at; at = &(*at)->next)
		if (*at == context) {
			*at = context->next;
			free(context);
			break;
		}
	return ct_cuda_driver_leave(r);
}

CUresult cuCtxDetach(CUcontext context)
{
	return cuCtxDestroy(context);
}

CUresult cuCtxSetCurrent(CUcontext context)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && context && !is_context(context))
		r = CUDA_ERROR_INVALID_CONTEXT;
	if (r == CUDA_SUCCESS)
		current = context;
	return ct_cuda_driver_leave(r);
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && !context)
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*context = current;
	return ct_cuda_driver_leave(r);
}

cudaError_t ct_cuda_current_context(void *out)
{
	*(CUcontext *)out = current ? current : &primary;
	return cudaSuccess;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && (!device || !current))
		r = device ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*device = 0;
	return ct_cuda_driver_leave(r);
}

CUresult cuCtxGetFlags(unsigned *flags)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && (!flags || !current))
		r = flags ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*flags = current->flags;
	return ct_cuda_driver_leave(r);
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && (!version || (context && !is_context(context))))
		r = version ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS)
		*version = CONTEXT_VERSION;
	return ct_cuda_driver_leave(r);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && device != 0)
		r = CUDA_ERROR_INVALID_DEVICE;
	if (r == CUDA_SUCCESS)
		primary.flags = flags;
	return ct_cuda_driver_leave(r);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS && (!flags || !active || device != 0))
		r = device != 0 ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS) {
		*flags = primary.flags;
		*active = 1;
	}
	return ct_cuda_driver_leave(r);
}

CUresult cuCtxSynchronize(void)
{
	return ct_cuda_driver_leave(ct_cuda_driver_enter());
}

/* ---- modules ---- */

/* Reads PTX text at once, since the caller wants to know whether it can be read. */
static CUresult load(CUmodule *module, const char *name, const char *text)
{
	/* ELF begins with 7f 45 4c 46, NVIDIA's container with 50 ed 55 ba. */
	if ((unsigned char)text[0] == 0x7f || (unsigned char)text[0] == 0x50) {
		ct_cuda_say("%s: a binary image for a GPU: give PTX text", name);
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	struct ct_cuda_module *m = ct_cuda_add_module(name, text, 1);
	if (!m)
		return CUDA_ERROR_OUT_OF_MEMORY;
	cudaError_t error = ct_cuda_read_module(m);
	if (error != cudaSuccess)
		ct_cuda_remove_module(m);
	else
		*module = (CUmodule)m;
	return ct_cuda_result(error);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	CUresult r = ct_cuda_driver_enter();
	if (r == CUDA_SUCCESS)
		r = module && image ? load(module, "module", image) : CUDA_ERROR_INVALID_VALUE;
	return ct_cuda_driver_leave(r);
}

/* Options of a compiler have nothing to change: its logs stay empty, and it takes no time. */
void ct_cuda_answer_options(unsigned n, const CUjit_option *options, void **values)
{
	const float no_time = 0;
	for (unsigned i = 0; options && values && i < n; i++)
		if ((options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER) &&
		    values[i])
			*(char *)values[i] = '\0';
		else if (options[i] == CU_JIT_WALL_TIME)
			memcpy(&values[i], &no_time, sizeof no_time);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
	return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, CUjit_option *options,
                            void **values)
{
	ct_cuda_answer_options(n, options, values);
	return cuModuleLoadData(module, image);
}

int ct_cuda_read_file(const char *name, struct ct_buf *b)
{
	char block[1 << 14];
	size_t n;
	FILE *f = fopen(name, "rb");
	if (!f)
		return -1;
	while ((n = fread(block, 1, sizeof block, f)) > 0)
		ct_buf_add(b, block, n);
	int bad = ferror(f);
	fclose(f);
	ct_buf_putc(b, '\0');
	return bad || b->failed ? -1 : 0;
}

CUresult cuModuleLoad(CUmodule *module, const char *file)
{
	CUresult r = ct_cuda_driver_enter();
	struct ct_buf text = {0};
	if (r == CUDA_SUCCESS && (!module || !file))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS && ct_cuda_read_file(file, &text) < 0)
		r = CUDA_ERROR_FILE_NOT_FOUND;
	if (r == CUDA_SUCCESS)
		r = load(module, file, text.data);
	ct_buf_free(&text);
	return ct_cuda_driver_leave(r);
}

CUresult cuModuleUnload(CUmodule module)
{
	CUresult r = ct_cuda_driver_enter();
	struct ct_cuda_module *m = (struct ct_cuda_module *)module;
	if (r == CUDA_SUCCESS && (!ct_cuda_is_module(m) || !m->owned))
		r = CUDA_ERROR_INVALID_HANDLE;
	if (r == CUDA_SUCCESS)
		ct_cuda_remove_module(m);
	return ct_cuda_driver_leave(r);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	CUresult r = ct_cuda_driver_enter();
	struct ct_cuda_function *f;
	if (r == CUDA_SUCCESS && (!function || !name))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS && !ct_cuda_is_module((struct ct_cuda_module *)module))
		r = CUDA_ERROR_INVALID_HANDLE;
	if (r == CUDA_SUCCESS)
		r = ct_cuda_result(ct_cuda_module_function((struct ct_cuda_module *)module, name, &f));
	if (r == CUDA_SUCCESS)
		*function = (CUfunction)f;
	return ct_cuda_driver_leave(r);
}

/* A variable by its name. That of a static one is mangled by clang, and not by nvcc. */
static const struct ct_ptx_variable *find_global(const struct ct_cuda_module *m, const char *name)
{
	const struct ct_ptx_variable *v = ct_ptx_find_variable(m->ptx, name);
	struct ct_buf mangled = {0};
	ct_buf_printf(&mangled, "_ZL%zu%s", strlen(name), name);
	if (!v && !mangled.failed)
		v = ct_ptx_find_variable(m->ptx, mangled.data);
	ct_buf_free(&mangled);
	return v;
}

CUresult cuModuleGetGlobal(CUdeviceptr *p, size_t *bytes, CUmodule module, const char *name)
{
	CUresult r = ct_cuda_driver_enter();
	const struct ct_cuda_module *m = (struct ct_cuda_module *)module;
	if (r == CUDA_SUCCESS && !name)
		r = CUDA_ERROR_INVALID_VALUE;
	if (r == CUDA_SUCCESS && !ct_cuda_is_module(m))
		r = CUDA_ERROR_INVALID_HANDLE;
	if (r == CUDA_SUCCESS) {
		const struct ct_ptx_variable *v = find_global(m, name);
		if (!v || !v->storage)
			r = CUDA_ERROR_NOT_FOUND;
		if (r == CUDA_SUCCESS && p)
			*p = (CUdeviceptr)(uintptr_t)v->storage;
		if (r == CUDA_SUCCESS && bytes)
			*bytes = v->bytes;
	}
	return ct_cuda_driver_leave(r);
}
