/* runtime.h - what the files of libctcuda share. Private.
 *
 * libctcuda is CUDA's run-time library for a device that is emulated. As CUDA's API has one device and
 * no handle for it, there is one state, struct ct_cuda, behind one lock: every function of the API
 * begins with ct_cuda_enter() and ends with ct_cuda_leave(). All work is done when a call returns.
 * The library prints what a kernel prints, faults, and what it cannot do; it ends the program
 * where its settings are wrong. */
#ifndef CT_RUNTIME_RUNTIME_H
#define CT_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "data/cuda/cuda_runtime_api.h"

#include "base/buf.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "ptx/emulate.h"
#include "ptx/link.h"
#include "ptx/ptx.h"

/* What programs are told of the driver, 1000 * major + 10 * minor: as on most machines it is newer than the run-time they were compiled
 * for. Programs ask for it before they use pools (11.2), memory in graphs (11.4) and attributes of launches (11.8). */
#define CT_CUDA_DRIVER_VERSION 11080

/* ---- the state ---- */

/* What the environment asks for; libctcuda(7) lists the variables. */
struct ct_cuda_settings {
	uint64_t max_steps;   /* warp instructions of a launch; 0: no bound */
	int resident;         /* CTAs run side by side where they fit on the board */
	int maps_around;      /* accesses beside an allocation are made */
	unsigned threads;     /* of an emulation; 0: all processors */
	int check_init;       /* look for reads of memory that nothing has written */
	const char *data_dir; /* of GPU files */
};

struct ct_cuda {
	int started; /* 1: the settings have been read */
	struct ct_cuda_settings settings;
	struct ct_gpu gpu;
	struct ct_ptx_memory *memory; /* what kernels may access */
	cudaError_t fault;            /* of a kernel: sticks */
	uint64_t launches;            /* so far */
};
extern struct ct_cuda ct_cuda;

/* Takes the lock alone: what is done before main() needs no device. ct_cuda_leave_quietly gives it back. */
void ct_cuda_lock(void);
/* Takes the lock and, in the first call, reads the settings. Returns cudaSuccess, or the fault of an
 * earlier kernel, which the caller passes to ct_cuda_leave() without doing anything. */
cudaError_t ct_cuda_enter(void);
/* Gives the lock back and keeps an error for cudaGetLastError(). Returns `error`. */
cudaError_t ct_cuda_leave(cudaError_t error);
/* The same without keeping it: of functions that only ask. */
cudaError_t ct_cuda_leave_quietly(cudaError_t error);

/* Keeps an error of this thread for cudaGetLastError(). */
void ct_cuda_keep_error(cudaError_t error);

/* The file of the library, or of the program that it is a part of, in path[PATH_MAX]: 0, or -1 where nobody knows it. */
int ct_cuda_library_file(char *path);

/* Prints "libctcuda: " and one line on standard error. */
void ct_cuda_say(const char *fmt, ...) CT_PRINTF(1, 2);
/* Says that `function` is not there since `what` cannot be emulated; returns cudaErrorNotSupported. */
cudaError_t ct_cuda_refuse(const char *function, const char *what);

/* ---- memory ---- */

/* Memory that a node of a graph allocates: it has its place while the graph is there. */
enum ct_cuda_graph_memory { CT_CUDA_RESERVED = 1, CT_CUDA_ALLOCATED };

/* Where advice says that memory is to be. */
enum ct_cuda_place { CT_CUDA_ON_DEVICE = 1, CT_CUDA_ON_HOST = 2 };

/* One range that kernels may access: allocated here, or the program's and registered. */
struct ct_cuda_allocation {
	uint64_t first, bytes;
	uint64_t number; /* of the program's allocations, from 1 */
	enum cudaMemoryType type;
	const void *module; /* of a variable: no call frees it */
	int registered;     /* memory of the program's own */
	int graph;          /* enum ct_cuda_graph_memory; 0: not of a graph */
	int mapped; /* of a range of addresses that the program reserved: its neighbours may go on with it */
	struct {
		uint8_t read_mostly, preferred, accessed_by, prefetched; /* places; 0: none */
	} advice;                                                        /* of managed memory */
	unsigned flags; /* of cudaHostAlloc or cudaHostRegister */
	unsigned char
		*known; /* with check_init: per byte, whether something wrote it; NULL: not followed */
};

/* Allocates device, managed or page-locked memory on a multiple of 512 bytes, filled with zeroes where
 * it is fresh; 0 bytes give NULL. */
cudaError_t ct_cuda_allocate(uint64_t bytes, enum cudaMemoryType type, unsigned flags, void **out);
/* The same for a variable of module `ctx`: NULL where there is no room. */
void *ct_cuda_place_variable(void *ctx, const char *name, uint64_t bytes, uint32_t align);
/* Room of whole pages for variables that stay; a range of the program's own that kernels may access for good. */
cudaError_t ct_cuda_place_pages(uint64_t bytes, uint64_t *first);
cudaError_t ct_cuda_know_range(uint64_t first, uint64_t bytes);
/* The same for a range that the program has mapped as memory of the device, until it is hidden. */
cudaError_t ct_cuda_show_range(uint64_t first, uint64_t bytes);
void ct_cuda_hide_range(uint64_t first);
/* A file in TMPDIR that has no name: a descriptor, or -1 with errno. */
int ct_cuda_nameless_file(void);
/* Where the device has the __managed__ variable of a shadow; 0: it is none. */
uint64_t ct_cuda_managed_place(const void *shadow);
/* Frees the variables of a module. */
void ct_cuda_release_variables(const void *module);
/* Frees what ct_cuda_allocate gave; NULL is allowed. Another type or address is cudaErrorInvalidValue. */
cudaError_t ct_cuda_release(const void *p, enum cudaMemoryType type);
/* Memory of a graph's node. It is reserved; allocated when the node is done, which is cudaErrorInvalidValue where it is already; given
 * back by ct_cuda_release; and when the node is gone, free or the program's. */
cudaError_t ct_cuda_reserve_for_graph(uint64_t bytes, void **out);
cudaError_t ct_cuda_allocate_in_graph(const void *p);
void ct_cuda_leave_graph(const void *p);
/* Bytes that graphs have allocated now, or have had at most. */
uint64_t *ct_cuda_graph_bytes(int most);
/* The allocation that holds the address, or NULL. */
struct ct_cuda_allocation *ct_cuda_allocation_of(uint64_t address);
/* The allocation nearest to an address that none holds, or NULL. */
const struct ct_cuda_allocation *ct_cuda_nearest_allocation(uint64_t address);
/* 1: [p, p + bytes) is memory of the device, of an allocation or of a module's variable. */
int ct_cuda_is_device_range(const void *p, uint64_t bytes);
/* Bytes of the board, and those not yet allocated. */
uint64_t ct_cuda_total_memory(void);
uint64_t ct_cuda_free_memory(void);
/* What kernels may access where all that lies between the first and the last block is mapped, and 2 MiB before and behind them, as on
 * boards, which map so much at a time. The caller frees *out, also after a failure. */
cudaError_t ct_cuda_map_around(struct ct_ptx_memory **out);
/* Frees all memory but that of modules: for cudaDeviceReset. */
void ct_cuda_release_all(void);

/* The host wrote a range of device memory, or copied one to another: for the check init. */
void ct_cuda_wrote(const void *p, uint64_t bytes);
void ct_cuda_moved(const void *to, const void *from, uint64_t bytes);
/* Copies bytes whose ranges were checked; a copy to the device goes into the trace. */
cudaError_t ct_cuda_copy(void *to, const void *from, uint64_t bytes, enum cudaMemcpyKind kind);
/* Checks the direction and the device's ranges of a copy of `rows` rows. */
cudaError_t ct_cuda_check_copy(const void *to, uint64_t to_bytes, const void *from, uint64_t from_bytes,
                               enum cudaMemcpyKind *kind);

/* An array of texels: rows lie `pitch` bytes apart, slices or layers `height` rows. */
struct cudaArray {
	struct cudaChannelFormatDesc desc;
	struct cudaExtent extent; /* elements; height and depth 0 where it has fewer dimensions */
	size_t pitch;
	unsigned flags;
	unsigned char *texels;
	int in_chain; /* a level of a mipmapped array, which frees it */
};
/* A chain of arrays: the first has the extent that was asked for. */
struct cudaMipmappedArray {
	struct cudaMipmappedArray *next;
	unsigned flags;
	unsigned n;
	cudaArray_t *level; /* n of them */
};
/* An array, and its end where it is none of a chain: what cudaMalloc3DArray and cudaFreeArray do. */
cudaError_t ct_cuda_make_array(cudaArray_t *out, const struct cudaChannelFormatDesc *desc,
                               struct cudaExtent extent, unsigned flags);
cudaError_t ct_cuda_free_array(cudaArray_t array);
/* 1: a chain that is still there. */
int ct_cuda_is_chain(cudaMipmappedArray_const_t chain);
/* Frees what is known of all chains, whose memory is gone. */
void ct_cuda_forget_chains(void);
/* Bytes of an element, or 0 where the description is none. */
size_t ct_cuda_element_bytes(const struct cudaChannelFormatDesc *desc);

/* ---- work of streams, and graphs of it ---- */

/* How a kernel is launched. */
struct ct_cuda_shape {
	dim3 grid, block;
	size_t shared_bytes; /* dynamic */
	int cooperative;     /* its CTAs may wait for one another */
};

enum ct_cuda_work_kind {
	CT_CUDA_LAUNCH,
	CT_CUDA_COPY, /* of rows: of one where height is 1 */
	CT_CUDA_COPY_3D,
	CT_CUDA_FILL,
	CT_CUDA_HOST,     /* a function of the program */
	CT_CUDA_RECORD,   /* an event, which is `user` */
	CT_CUDA_WAIT,     /* for an event */
	CT_CUDA_ALLOCATE, /* memory that is reserved, at `to` */
	CT_CUDA_FREE,
	CT_CUDA_CHILD, /* another graph, in a graph alone */
	CT_CUDA_NOTHING
};
/* What a call on a stream asks for. */
struct ct_cuda_work {
	enum ct_cuda_work_kind kind;
	const void *kernel; /* as the program knows it */
	struct ct_cuda_shape shape;
	void *arguments; /* as they lie in memory; */
	size_t bytes;    /* of these */
	void *to;
	const void *from;
	size_t to_pitch, from_pitch;
	size_t width, height; /* in elements, and rows */
	enum cudaMemcpyKind copy;
	unsigned value, element; /* of a fill, and the bytes of each */
	struct cudaMemcpy3DParms box;
	cudaHostFn_t function;
	void *user;
};
/* Does it, without the lock. */
cudaError_t ct_cuda_do(const struct ct_cuda_work *w);
/* Does it on a stream, or puts it into the graph that the stream is captured into. Without the lock. */
cudaError_t ct_cuda_submit(cudaStream_t stream, const struct ct_cuda_work *w);
/* The launch that these arguments ask for; the caller frees w->arguments, which are laid out as the kernel's parameters. Without the
 * lock. */
cudaError_t ct_cuda_launch_work(const void *kernel, struct ct_cuda_shape shape, void **arguments,
                                struct ct_cuda_work *w);
/* Pointers to the arguments of a launch, which are the caller's to free. */
cudaError_t ct_cuda_argument_pointers(const struct ct_cuda_work *w, void ***out);
/* Where a stream keeps the graph that it is captured into; NULL: it is no stream that can be captured. */
cudaGraph_t *ct_cuda_capture_of(cudaStream_t stream);
/* The graph that a stream is captured into, or NULL. */
static inline cudaGraph_t ct_cuda_captured_into(cudaStream_t stream)
{
	const cudaGraph_t *at = ct_cuda_capture_of(stream);
	return at ? *at : NULL;
}
/* Adds work to a graph behind all that it has; the arguments are copied. */
cudaError_t ct_cuda_capture(cudaGraph_t graph, const struct ct_cuda_work *w);
/* Streams and events are captured into that graph no more. */
void ct_cuda_end_capture(cudaGraph_t graph);

/* ---- modules ---- */

/* One PTX text: of a program's fat binary or of cuModuleLoad. It is read when something of it is used; modules of a program that need
 * functions or variables of one another are joined then. */
struct ct_cuda_module {
	struct ct_cuda_module *next;
	char *name;       /* for messages */
	const char *text; /* up to its NUL */
	char *owned;      /* the text, where it is the module's own; else NULL */
	int tried;        /* 1: it has been read, or cannot be */
	struct ct_ptx_module *ptx;
	int managed; /* it has __managed__ variables */
	int joined;  /* it is made of that many modules of the program that are still there */
	struct ct_cuda_module
		*into;         /* of a module that was linked with others: the one that they became */
	int allocates;         /* its kernels may call malloc() */
	unsigned char *access; /* of the check init: per instruction; NULL: not yet made */
};

/* A kernel as the program knows it: the address of its stub, or the handle of a CUfunction. */
struct ct_cuda_function {
	struct ct_cuda_function *next;
	struct ct_cuda_module *module;
	const void *stub; /* NULL: of the driver API */
	char *name;
	const struct ct_ptx_kernel *kernel; /* NULL until it is used */
	int dynamic_shared_max;             /* bytes that a launch may ask for; 0: the common limit */
	uint32_t registers;                 /* of its machine code; 0: nobody has asked for them */
	int waits;                          /* a block of it waited for a later one */
	struct ct_cuda_prepared *prepared;  /* NULL: nothing (driver_prepare.c) */
};

/* A texture or surface reference of a program. */
struct ct_cuda_texture_reference {
	struct ct_cuda_texture_reference *next;
	struct ct_cuda_module *module;
	const void *host; /* the struct textureReference, or with `surface` surfaceReference */
	int surface;
	char *name;
	int normalized_values; /* as its type says: reads give numbers in [0, 1] */
	int bound;
	struct ct_ptx_texture texture; /* where it is bound */
	size_t offset;                 /* bytes that the address was moved to be aligned */
};

/* Reads the module where that was not tried before; says why where it cannot be. */
cudaError_t ct_cuda_read_module(struct ct_cuda_module *m);
/* Joins those modules of the program that need functions or variables of one another and have not been read: their kernels, variables
 * and references belong to a new module from then on. Says what stands against it; such modules cannot be read any more. */
cudaError_t ct_cuda_link_modules(void);
/* All modules, the youngest first. */
struct ct_cuda_module *ct_cuda_modules(void);
/* The compute capability that the PTX of a module asks for, of all modules the highest, as 70 for 7.0; 0: there is none. */
unsigned ct_cuda_highest_target(void);
/* Makes what belongs to a module belong to another, whose text has the linker's names for those of its text `text`. */
cudaError_t ct_cuda_move_module(struct ct_cuda_module *m, struct ct_cuda_module *into,
                                const struct ct_ptx_linker *l, size_t text);
/* 1: the module was compiled to be linked with others. */
int ct_cuda_is_relocatable(const struct ct_cuda_module *m);
/* Appends a text that has those variables of the module that `wanted` answers 1 for, and nothing else. */
cudaError_t ct_cuda_pick_variables(const struct ct_cuda_module *m,
                                   int (*wanted)(const void *module, const char *name),
                                   struct ct_buf *out);
/* Makes a module of a text that outlives it (copy 0) or of a copy; NULL: no memory. */
struct ct_cuda_module *ct_cuda_add_module(const char *name, const char *text, int copy);
/* Frees a module with its kernels, variables and references. */
void ct_cuda_remove_module(struct ct_cuda_module *m);
/* The kernel of a stub, or one of the driver API, which stands for itself: cudaErrorInvalidDeviceFunction where the program has none there. */
cudaError_t ct_cuda_find_function(const void *stub, struct ct_cuda_function **out);
/* The kernel of that name of a module, made known where it was not: cudaErrorSymbolNotFound. */
cudaError_t ct_cuda_module_function(struct ct_cuda_module *m, const char *name,
                                    struct ct_cuda_function **out);
/* 1: a function or module that is (still) known. */
int ct_cuda_is_function(const struct ct_cuda_function *f);
int ct_cuda_is_module(const struct ct_cuda_module *m);
/* The variable of a shadow: cudaErrorInvalidSymbol where the program has none there. */
cudaError_t ct_cuda_find_symbol(const void *shadow, const struct ct_ptx_variable **out);
/* The texture or surface reference of the program's variable, or NULL. */
struct ct_cuda_texture_reference *ct_cuda_find_texture(const void *host, int surface);
/* The textures and surfaces that are bound, references and objects, in an array that lives until the next call. */
cudaError_t ct_cuda_bound_textures(const struct ct_cuda_module *m, const struct ct_ptx_texture **out,
                                   size_t *n);
struct ct_cuda_texture_reference *ct_cuda_texture_references(void);
/* Frees arrays and objects of textures and surfaces and unbinds references: for cudaDeviceReset, which frees their memory. */
void ct_cuda_forget_textures(void);

/* ---- the trace, where `tracegen capture` asks for one ---- */

/* Opens it as the environment says, or does nothing. Ends the program where it cannot be opened. */
void ct_cuda_trace_open(void);
/* Runs a launch, records a copy to the device, an allocation: as ct_capture_launch and its kin do. */
int ct_cuda_trace_launch(const struct ct_ptx_launch *launch, struct ct_ptx_result *r,
                         struct ct_error *e);
cudaError_t ct_cuda_trace_copy(uint64_t address, uint64_t bytes);
cudaError_t ct_cuda_trace_alias(uint64_t first, uint64_t bytes, uint64_t shown);
cudaError_t ct_cuda_trace_array(uint64_t first, uint64_t bytes, const char *name);

/* ---- launches ---- */

/* Runs a kernel. params: one pointer per parameter, or (params NULL) buffer of bytes laid out as the
 * kernel's. A fault is told and sticks. */
cudaError_t ct_cuda_launch(struct ct_cuda_function *f, struct ct_cuda_shape shape, void **params,
                           const void *buffer, size_t bytes);
/* Adds a launch to a graph, with its arguments as ct_cuda_launch has them. `kernel` is what the program knows the function by. */
cudaError_t ct_cuda_capture_launch(cudaGraph_t graph, struct ct_cuda_function *f, const void *kernel,
                                   struct ct_cuda_shape shape, void **arguments, const void *buffer,
                                   size_t bytes);
/* The check `init` of one launch. It follows the launch's instructions, of which it tells those that read
 * memory that nothing has written. */
struct ct_cuda_init {
	struct ct_ptx_observer observer;
	const struct ct_ptx_launch *launch;
	struct ct_cuda_module *module;
};
/* Makes *c, which lives as long as the launch runs, its observer. */
cudaError_t ct_cuda_follow_init(struct ct_cuda_init *c, struct ct_cuda_module *m,
                                struct ct_ptx_launch *launch);
/* Says what was found, at the program's end. */
void ct_cuda_tell_init(void);

/* The heap of kernels: made where there is none, of as many bytes as cudaLimitMallocHeapSize says; forgotten, when
 * cudaDeviceReset has freed its memory. */
cudaError_t ct_cuda_make_heap(void);
void ct_cuda_forget_heap(void);
/* malloc() of a kernel: an address, or 0 where there is no room; free(): 0, or -1 where malloc() has not given
 * the address. */
uint64_t ct_cuda_heap_malloc(uint64_t bytes);
int ct_cuda_heap_free(uint64_t address);
size_t ct_cuda_limit(enum cudaLimit limit);

/* A call of a kernel to a function of the host: vprintf, __assertfail, malloc, free (struct ct_ptx_launch.call). */
int ct_cuda_host_call(void *ctx, const struct ct_ptx_call *call, struct ct_error *e);
/* Says that a block of the launch waited for a later one, once for a kernel, whose later launches begin all blocks at once. */
void ct_cuda_tell_waiting(struct ct_cuda_function *f);
/* Says where and why a launch stopped, and returns the error that CUDA has for it. */
cudaError_t ct_cuda_tell_fault(const struct ct_cuda_function *f, const struct ct_ptx_launch *l,
                               const struct ct_ptx_result *r, const struct ct_error *e);
/* Bytes of dynamic shared memory that a launch may ask for, and a new bound of them. */
size_t ct_cuda_dynamic_limit(const struct ct_cuda_function *f);
cudaError_t ct_cuda_allow_shared(struct ct_cuda_function *f, int bytes);

/* ---- the board ---- */

/* Compute capability, as 70 for 7.0. */
unsigned ct_cuda_capability(void);
/* The GPU file of the first board that executes PTX for that compute capability; of the last board where none does. Pure. */
const char *ct_cuda_board_for(unsigned target);
/* Bytes of the board's memory, and the largest shared memory of one block: by default and on demand. */
uint64_t ct_cuda_board_memory(void);
size_t ct_cuda_shared_default(void);
/* Bytes behind a block's shared memory that boards let pass: FPcompress and llm.c store up to 96 there, behind the last unit. */
enum { CT_CUDA_SHARED_BEHIND = 1024 };
/* Bytes in whose multiples the board gives shared memory to a block. Pure. */
uint32_t ct_cuda_shared_unit(void);
size_t ct_cuda_shared_most(void);
/* Machine code of this capability is what traces have for the board: of the nearest that is lowered to. */
unsigned ct_cuda_machine(void);
/* Machine registers of a thread of the kernel: at most 255, and those where machine code cannot be made. */
int ct_cuda_registers(struct ct_cuda_function *f);
/* Blocks of a kernel that one SM holds. */
cudaError_t ct_cuda_occupancy(struct ct_cuda_function *f, int threads, size_t shared_bytes, int *blocks);

#endif
