/* ptx.h - modules of PTX text: kernels, variables and decoded instructions.
 *
 * PTX is NVIDIA's documented virtual instruction set (the PTX ISA manual). The reader takes
 * what clang and nvcc write for 64-bit addresses (ISA 6.0 and later) and is strict: a form
 * that it does not know ends with "file:line: what: hint", so that nothing is computed from
 * a misunderstood instruction. lib/ptx/emulate.h executes what is read here. */
#ifndef CT_PTX_PTX_H
#define CT_PTX_PTX_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

/* One module: everything of one PTX text. */
struct ct_ptx_module;

/* State spaces of memory accesses and variables. */
enum ct_ptx_space {
	CT_PTX_GENERIC, /* decided by the address of each lane */
	CT_PTX_GLOBAL,
	CT_PTX_SHARED,
	CT_PTX_LOCAL,
	CT_PTX_CONST,
	CT_PTX_PARAM,   /* of a kernel or of a call */
	CT_PTX_TEXTURE, /* of events only: texels in global memory, read as a texture, */
	CT_PTX_SURFACE, /* or accessed as a surface */
	CT_PTX_SPACES
};

/* One parameter of a kernel, where the launch expects it in its parameter buffer. */
struct ct_ptx_param {
	const char *name;
	uint32_t offset; /* bytes from the start of the buffer, a multiple of align */
	uint32_t bytes;
	uint32_t align;
};

/* What a launch needs to know of a kernel (.entry). Owned by the module. */
struct ct_ptx_kernel {
	const char *name; /* as in the text: mangled where the front end mangles */
	const struct ct_ptx_param *params;
	uint32_t nparams;
	uint32_t param_bytes;         /* of the whole buffer */
	uint32_t shared_bytes;        /* static shared memory of one CTA */
	uint32_t local_bytes;         /* local memory of one thread, without that of callees */
	uint32_t registers;           /* rows that the emulator keeps per warp, predicates aside */
	uint32_t max_threads[3];      /* .maxntid; 0: not said */
	uint32_t required_threads[3]; /* .reqntid; 0: not said */
	uint32_t min_ctas;            /* .minnctapersm; 0: not said */
	uint32_t line;                /* of its .entry */
	uint32_t first_instruction;   /* index for ct_ptx_instruction */
	uint32_t instructions;        /* how many PTX instructions the body has */
};

/* One .global or .const variable. Its storage belongs to the module, holds the initial
 * value after ct_ptx_read, and is what kernels see: its host address is its address. */
struct ct_ptx_variable {
	const char *name;
	enum ct_ptx_space space; /* CT_PTX_GLOBAL or CT_PTX_CONST */
	uint64_t bytes;          /* 0: declared .extern here, without storage */
	uint32_t align;
	int texture;   /* a .texref or .surfref: its address is the handle that kernels pass */
	void *storage; /* NULL for an .extern one */
};

/* One static instruction as the text has it. */
struct ct_ptx_instruction {
	const char *opcode; /* "ld.global.f32": with its modifiers, without its guard */
	uint32_t line;
	uint32_t function; /* index of the function it is in, kernels included */
};

/* Reads a module from `size` bytes of text (a closing NUL is allowed). `name` is what
 * error messages call it (a file name, or "<module>"); it is copied, as is all that is kept
 * of the text. On success *out is the caller's, to be freed with ct_ptx_free; on failure
 * *out is NULL and *e holds the first line that could not be read:
 * CT_ERR_INPUT (malformed), CT_ERR_UNSUPPORTED (understood, but refused by name),
 * CT_ERR_NOMEM. Thread-safe. */
CT_NODISCARD int ct_ptx_read(struct ct_ptx_module **out, const char *text, size_t size, const char *name,
                             struct ct_error *e);

/* Where the variables of a module are to lie, where their addresses matter: place() returns, for the variable of that name, `bytes` of
 * zeroed memory on a multiple of `align`, a power of two, which lives at least as long as the module, or NULL when
 * there is none. It is the caller's to free. */
struct ct_ptx_placing {
	void *(*place)(void *ctx, const char *name, uint64_t bytes, uint32_t align);
	void *ctx;
};
/* ct_ptx_read with a place for each variable; NULL: as ct_ptx_read. */
CT_NODISCARD int ct_ptx_read_placed(struct ct_ptx_module **out, const char *text, size_t size,
                                    const char *name, const struct ct_ptx_placing *placing,
                                    struct ct_error *e);

/* 1: the variables lie where the caller of ct_ptx_read_placed put them. */
int ct_ptx_is_placed(const struct ct_ptx_module *m);

/* Frees a module and the storage of its variables that it has itself. NULL is allowed. */
void ct_ptx_free(struct ct_ptx_module *m);

/* Version of the ISA that the text names, times ten (63 for "6.3"), and its target without
 * "sm_" (70). Thread-safe as all getters below are; what they return lives as long as the module. */
unsigned ct_ptx_version(const struct ct_ptx_module *m);
unsigned ct_ptx_target(const struct ct_ptx_module *m);

/* Kernels in the order of the text. ct_ptx_find_kernel returns NULL for an unknown name. */
size_t ct_ptx_kernel_count(const struct ct_ptx_module *m);
const struct ct_ptx_kernel *ct_ptx_kernel_at(const struct ct_ptx_module *m, size_t index);
const struct ct_ptx_kernel *ct_ptx_find_kernel(const struct ct_ptx_module *m, const char *name);

/* Variables of .global and .const space in the order of the text; NULL for an unknown name. */
size_t ct_ptx_variable_count(const struct ct_ptx_module *m);
const struct ct_ptx_variable *ct_ptx_variable_at(const struct ct_ptx_module *m, size_t index);
const struct ct_ptx_variable *ct_ptx_find_variable(const struct ct_ptx_module *m, const char *name);

/* Static instructions of all functions, numbered through the module in the order of the text. */
size_t ct_ptx_instruction_count(const struct ct_ptx_module *m);
struct ct_ptx_instruction ct_ptx_instruction_at(const struct ct_ptx_module *m, size_t index);

/* What an instruction was compiled from, as the directives .loc and .file say (-lineinfo). */
struct ct_ptx_source {
	uint32_t line;    /* 0: not said */
	const char *file; /* NULL: not said; without control characters */
};
/* Of static instruction `index`; nothing where there is none of that number. */
struct ct_ptx_source ct_ptx_source_of(const struct ct_ptx_module *m, size_t index);

CT_DECLS_END

#endif
