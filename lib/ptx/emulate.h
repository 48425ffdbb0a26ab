/* emulate.h - executes kernels of a PTX module on the CPU.
 *
 * A launch behaves as if its CTAs ran one after the other in launch order (x fastest), and
 * the warps of a CTA in order between barriers, so that the same launch always gives the same
 * bytes, on any number of threads. CTAs of a cooperative launch take turns instead, in that order, and so do those of a launch that wait for
 * one another where the launch says how many the board holds. Threads of a warp run in lockstep and come together again at immediate
 * post-dominators; a warp whose threads wait for one another still makes progress.
 *
 * Addresses: a pointer of the host is a device pointer. Global memory is what the caller
 * registers with ct_ptx_memory_add, and the module's own variables. Shared and local memory
 * have windows of their own in the generic address space, above every host address. */
#ifndef CT_PTX_EMULATE_H
#define CT_PTX_EMULATE_H

#include "base/decls.h"
#include "ptx/ptx.h"

CT_DECLS_BEGIN

/* Generic addresses of shared and local memory and of kernel parameters: window + offset. */
#define CT_PTX_SHARED_WINDOW (UINT64_C(1) << 56)
#define CT_PTX_LOCAL_WINDOW (UINT64_C(2) << 56)
#define CT_PTX_PARAM_WINDOW (UINT64_C(3) << 56)
#define CT_PTX_WINDOW_MASK (UINT64_C(0xff) << 56)

/* CTAs that a cooperative launch may have: as many as 256 SMs hold, of 32 each, more than any board has. */
enum { CT_PTX_COOPERATIVE_MAX = 8192 };

/* The registered ranges of global memory. */
struct ct_ptx_memory;

/* Makes an empty set of ranges; *out is the caller's, to be freed with ct_ptx_memory_free.
 * Fails with CT_ERR_NOMEM. */
CT_NODISCARD int ct_ptx_memory_create(struct ct_ptx_memory **out, struct ct_error *e);
/* Frees the set, not the memory that it describes. NULL is allowed. */
void ct_ptx_memory_free(struct ct_ptx_memory *memory);
/* Registers [first, first + bytes) of host memory, which must stay valid while launches run.
 * Fails with CT_ERR_USAGE where it is empty or overlaps a registered one, CT_ERR_NOMEM. Not
 * thread-safe, nor while a launch uses the set: the same holds for ct_ptx_memory_remove. */
CT_NODISCARD int ct_ptx_memory_add(struct ct_ptx_memory *memory, const void *first, uint64_t bytes,
                                   struct ct_error *e);
/* Takes out the range that starts at `first`: CT_OK, or CT_ERR_USAGE where none does. */
int ct_ptx_memory_remove(struct ct_ptx_memory *memory, const void *first, struct ct_error *e);
/* 1 and the range that holds `address` (either out pointer may be NULL), or 0. Thread-safe. */
int ct_ptx_memory_find(const struct ct_ptx_memory *memory, uint64_t address, uint64_t *first,
                       uint64_t *bytes);

/* A CTA as observers see it. */
struct ct_ptx_cta {
	const struct ct_ptx_kernel *kernel;
	uint64_t index; /* in launch order */
	uint32_t id[3]; /* %ctaid */
	uint32_t threads;
	uint32_t warps;
};

/* One executed PTX instruction of one warp. An asynchronous copy is two: its load of global memory, then
 * its store to shared memory. */
struct ct_ptx_event {
	const struct ct_ptx_cta *cta;
	uint32_t warp;        /* in its CTA */
	uint32_t instruction; /* static index: ct_ptx_instruction_at */
	uint32_t active;      /* lanes that came to the instruction */
	uint32_t mask;        /* those whose guard holds too */
	/* Of loads, stores, atomics and prefetches; else space is CT_PTX_GENERIC, width 0, addresses NULL. An asynchronous
	 * copy makes two events, which have their space in any case: the load, by the lanes that read any bytes, and the
	 * store to shared memory. */
	enum ct_ptx_space space; /* resolved: of a generic access the space of its first lane */
	uint32_t width;          /* bytes per lane, of all elements of a vector */
	const uint64_t
		*addresses; /* 32, valid where `mask` is set: host address (global, const) or offset */
	/* 1: all 32 lanes are in `mask`, and each address is `stride` (0 or the width) above the one
	 * before; 0: not known. */
	int even;
	uint32_t stride;
};

/* The addresses of an instruction, in the terms of struct ct_ptx_event. Where `even` is set, there is but that
 * of the first lane. */
struct ct_ptx_access {
	uint32_t instruction;
	enum ct_ptx_space space;
	uint32_t width;
	int even;
	uint32_t stride;
	const uint64_t *addresses;
};

/* `n` instructions, numbered one after the other, whose guards hold for all lanes that came to them. The only
 * accesses among them are loads and stores: one at most for each instruction, in their order. */
struct ct_ptx_straight {
	const struct ct_ptx_cta *cta;
	uint32_t warp;
	uint32_t first, n;
	uint32_t active;
	const struct ct_ptx_access *access;
	uint32_t accesses;
};

/* What texels are, and what an index outside of a texture reads. */
enum ct_ptx_texel { CT_PTX_TEXEL_UNSIGNED, CT_PTX_TEXEL_SIGNED, CT_PTX_TEXEL_REAL };
enum ct_ptx_address {
	CT_PTX_ADDRESS_WRAP,
	CT_PTX_ADDRESS_CLAMP,
	CT_PTX_ADDRESS_MIRROR,
	CT_PTX_ADDRESS_BORDER
};

/* A texture or surface that a launch may access, in the terms of CUDA's texture objects. */
/* A level of a texture that has several. */
struct ct_ptx_level {
	const void *texels;
	uint32_t width, height, depth;
	uint64_t pitch;
};

struct ct_ptx_texture {
	uint64_t
		handle; /* what kernels pass: of a .texref or .surfref variable the address of its storage */
	int surface; /* suld and sust access it, and tex does not */
	const void *
		texels; /* readable while launches run, a surface's writable; those of a row lie side by side */
	uint32_t width, height,
		depth; /* in texels; 0 or 1 where it has fewer dimensions. Layers count as depth, six of a cube map */
	uint64_t pitch;          /* bytes from row to row; slices are `height` rows apart */
	uint32_t channels, bits; /* 1, 2 or 4 channels of 8, 16 or 32 bits */
	enum ct_ptx_texel kind;  /* REAL: of 16 or 32 bits */
	enum ct_ptx_address
		address[3];    /* of each dimension; WRAP and MIRROR hold for normalized coordinates */
	int normalized_values; /* integers read as [0, 1] or [-1, 1] */
	int normalized_coordinates;
	int linear; /* mean of the texels around, not the nearest */
	float border
		[4]; /* what BORDER reads outside: a number, or the bits that an integer result gets */
	int srgb;    /* unsigned bytes that read as [0, 1] are sRGB's, but for the last of four */
	const struct ct_ptx_level *
		levels; /* of a chain, that above the first, each half as large as the one before; readable as texels are */
	uint32_t nlevels;     /* the first and those; 0 or 1: there is no chain */
	int linear_levels;    /* mean of the two levels around, not the nearest */
	float level_bias;     /* is added to a level that is asked for; */
	float level_range[2]; /* then it is brought between these */
};

/* What follows an emulation. Any function may be NULL. They are called from the thread
 * that called ct_ptx_launch, CTAs in launch order, the events of one warp in program order; those of a
 * cooperative launch begin before others have ended. What they are given is valid during the call. A negative return value ends the launch,
 * which then returns it and expects *e to be filled. */
struct ct_ptx_observer {
	void *ctx;
	int (*cta_begin)(void *ctx, const struct ct_ptx_cta *cta, struct ct_error *e);
	int (*instruction)(void *ctx, const struct ct_ptx_event *event, struct ct_error *e);
	/* What may be told of together; NULL: `instruction` is called for each. */
	int (*straight)(void *ctx, const struct ct_ptx_straight *straight, struct ct_error *e);
	int (*cta_end)(void *ctx, const struct ct_ptx_cta *cta, struct ct_error *e);
};

/* What follows an emulation on several threads: an observer for each of them (where CTAs run side by side,
 * for each that does), which it tells of the CTAs that it runs, in any order, and which makes something of each; what was made is handed on in launch
 * order. A CTA that ran too early is run again: what was made of it is dropped, or it never ended. */
struct ct_ptx_team {
	void *ctx;
	/* The observer of a thread, from 0; NULL: it cannot be made, and fewer threads are used. Called from
	 * the thread that called ct_ptx_launch; that of thread 0 must be there. */
	const struct ct_ptx_observer *(*observer)(void *ctx, unsigned thread);
	/* After cta_end: what was made of the CTA. By its thread. */
	int (*take)(void *ctx, unsigned thread, const struct ct_ptx_cta *cta, void **made,
	            struct ct_error *e);
	/* Comes in launch order and from one thread at a time. Takes over what was made. */
	int (*commit)(void *ctx, const struct ct_ptx_cta *cta, void *made, struct ct_error *e);
	void (*drop)(void *ctx, void *made);
};

/* What a function of the host is given that a kernel calls (.extern .func: vprintf, malloc). */
struct ct_ptx_call {
	const char *name;
	const struct ct_ptx_cta *cta;
	uint32_t thread[3];    /* %tid of the calling thread */
	const void *arguments; /* the parameters, laid out as a kernel's are */
	size_t argument_bytes;
	void *result; /* to be filled; zero before */
	size_t result_bytes;
	/* Copies `bytes` at generic address `from` as the calling thread sees it: 0, or -1
	 * where it is out of range. */
	int (*read)(const struct ct_ptx_call *call, void *to, uint64_t from, size_t bytes);
	void *thread_state; /* of `read` */
};

/* Why a launch stopped: for CUDA's error codes and compute-sanitizer's kind of report. */
enum ct_ptx_fault_kind {
	CT_PTX_NO_FAULT,
	CT_PTX_OUT_OF_RANGE, /* an access outside of every allocation */
	CT_PTX_MISALIGNED,   /* an address that is no multiple of the access's width */
	CT_PTX_TRAP,         /* trap or brkpt */
	CT_PTX_ASSERT,       /* a host function refused to go on */
	CT_PTX_DEADLOCK,     /* every thread of a CTA waits */
	CT_PTX_STEPS,        /* more than max_steps */
	CT_PTX_CALL,    /* a call to what is no function, too deep, or a table's index behind its end */
	CT_PTX_BARRIER, /* a barrier's number behind the last */
	CT_PTX_NO_TEXTURE, /* an access to a texture or surface whose handle the launch does not know */
	CT_PTX_LAUNCH      /* the launch itself is impossible */
};

struct ct_ptx_fault {
	enum ct_ptx_fault_kind kind;
	uint32_t line; /* of the PTX text */
	uint32_t cta[3], thread[3];
	uint64_t address; /* of an access, as the lane computed it */
	uint32_t width;
	enum ct_ptx_space space;
	int32_t coordinate[3]; /* of an access to a surface, the first in bytes */
};

struct ct_ptx_launch {
	const struct ct_ptx_module *module;
	const struct ct_ptx_kernel *kernel; /* of that module */
	uint32_t grid[3], block[3];         /* each at least 1; a block of at most 1024 threads */
	uint32_t dynamic_shared;            /* bytes behind the kernel's own */
	/* Bytes in whose multiples the board gives shared memory, 0 is 1: %total_smem_size is such a multiple. A kernel may access
	 * what it asks for, and with shared_behind all that it is given and so many bytes behind. */
	uint32_t shared_unit, shared_behind;
	const void *params;                    /* laid out as kernel->params says */
	size_t param_bytes;                    /* at least kernel->param_bytes */
	const struct ct_ptx_memory *memory;    /* NULL: only the module's variables */
	const struct ct_ptx_texture *textures; /* those that may be accessed, surfaces too */
	size_t ntextures;
	uint64_t max_steps; /* warp instructions of the launch; 0: no bound */
	unsigned threads;   /* that may be used, 0: all; results do not depend on it */
	int cooperative;    /* 1: CTAs run side by side and may wait for one another, on one thread;
	                     * at most CT_PTX_COOPERATIVE_MAX */
	/* CTAs that the board holds at once, 0 where nobody knows. Where a CTA waits for a later one, so many run side by side from
	 * there on, as those of a cooperative launch do; with 0, the launch does not end. And warps have short turns behind a barrier,
	 * which become longer, so that none is far ahead of the others, while with 0 one after the other runs up to the next barrier. */
	uint32_t side_by_side;
	const struct ct_ptx_observer *observer; /* NULL: none; else one thread is used */
	const struct ct_ptx_team *team;         /* in its place; NULL: none */
	/* Called for each active thread, in order, of a call to a function without a body. Returns 0,
	 * or a negative status with *e filled, which ends the launch. NULL: such calls end it. */
	int (*call)(void *ctx, const struct ct_ptx_call *call, struct ct_error *e);
	void *call_ctx;
};

/* CTAs of its grid. Pure. */
static inline uint64_t ct_ptx_ctas(const struct ct_ptx_launch *l)
{
	return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}

struct ct_ptx_result {
	uint64_t steps;            /* executed warp instructions */
	int waited;                /* 1: a CTA waited for a later one (side_by_side) */
	struct ct_ptx_fault fault; /* kind CT_PTX_NO_FAULT after success */
};

/* Runs a launch to its end. *r (may be NULL) tells what happened, also after a failure. Fails
 * with CT_ERR_USAGE (impossible launch), CT_ERR_INPUT (the kernel did what it must not do:
 * "file:line: kernel NAME, block (x,y,z), thread (x,y,z): what: hint"), CT_ERR_LIMIT (max_steps,
 * the text names the loop), CT_ERR_NOMEM, or what an observer or a call returned. Memory that
 * was written before a failure stays written. Launches of one module may not run at once. */
CT_NODISCARD int ct_ptx_launch(const struct ct_ptx_launch *launch, struct ct_ptx_result *r,
                               struct ct_error *e);

CT_DECLS_END

#endif
