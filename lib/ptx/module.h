/* module.h - what the reader, the control-flow analysis and the emulator share. Private. */
#ifndef CT_PTX_MODULE_H
#define CT_PTX_MODULE_H

#include "ptx/operands.h"

enum { CT_PTX_LANES = 32 };

/* Types of registers, variables and instructions. */
enum ct_ptx_type {
	CT_PTX_B8,
	CT_PTX_B16,
	CT_PTX_B32,
	CT_PTX_B64,
	CT_PTX_U8,
	CT_PTX_U16,
	CT_PTX_U32,
	CT_PTX_U64,
	CT_PTX_S8,
	CT_PTX_S16,
	CT_PTX_S32,
	CT_PTX_S64,
	CT_PTX_F16,
	CT_PTX_F16X2,
	CT_PTX_BF16,
	CT_PTX_BF16X2,
	CT_PTX_F32,
	CT_PTX_F64,
	CT_PTX_PRED,
	CT_PTX_TYPES
};

/* Bytes of a value of the type (a predicate: 4, one bit a lane in a word). */
unsigned ct_ptx_type_bytes(enum ct_ptx_type t);
/* The type that `name` (without its dot, `n` characters) is; -1 for none. */
int ct_ptx_type_named(const char *name, size_t n);

/* A row holds one register of 32 lanes: 64, 128 or 256 bytes for values of 16, 32 and 64
 * bits. A row reference is its byte offset, a multiple of 64, plus the index of its base. */
enum ct_ptx_base {
	CT_PTX_BASE_FRAME,   /* registers of the running function */
	CT_PTX_BASE_CONST,   /* immediate operands of the module, the same value in every lane */
	CT_PTX_BASE_SPECIAL, /* special registers of the warp */
	CT_PTX_BASES
};

/* Special registers that have a row; the rest are instructions of their own. */
/* clang-format off */
enum ct_ptx_special {
	CT_PTX_TID_X, CT_PTX_TID_Y, CT_PTX_TID_Z, CT_PTX_NTID_X, CT_PTX_NTID_Y, CT_PTX_NTID_Z,
	CT_PTX_CTAID_X, CT_PTX_CTAID_Y, CT_PTX_CTAID_Z, CT_PTX_NCTAID_X, CT_PTX_NCTAID_Y, CT_PTX_NCTAID_Z,
	CT_PTX_LANEID, CT_PTX_WARPID, CT_PTX_NWARPID, CT_PTX_SMID, CT_PTX_NSMID, CT_PTX_GRIDID,
	CT_PTX_MASK_EQ, CT_PTX_MASK_LE, CT_PTX_MASK_LT, CT_PTX_MASK_GE, CT_PTX_MASK_GT,
	CT_PTX_COOPERATIVE, /* %envreg1, which PTX leaves to drivers: 1 in cooperative launches, else 0 */
	CT_PTX_TOTAL_SHARED, CT_PTX_DYNAMIC_SHARED,
	CT_PTX_DYNAMIC_BASE, /* offset of dynamic shared memory: the address of .extern .shared */
	CT_PTX_DYNAMIC_BASE_64, /* the same in a row of 64 bits, which takes two places */
	CT_PTX_SPECIALS = CT_PTX_DYNAMIC_BASE_64 + 2
};
/* clang-format on */

/* A predicate reference is the byte offset of its word in the frame, a multiple of 4, plus 1
 * where it is negated. The word at 0 is always true. */
/* Addresses of functions: this plus the index. */
#define CT_PTX_FUNCTION_WINDOW (UINT64_C(4) << 56)

#define CT_PTX_TRUE 0u
#define CT_PTX_FALSE 1u

#define CT_PTX_NO_TARGET UINT32_MAX
#define CT_PTX_TO_END (UINT32_MAX - 1) /* of a return, until the end of its function is known */
#define CT_PTX_NO_ROW UINT32_MAX       /* no result */

/* One executable operation: most PTX instructions are one, a few are several. */
struct ct_ptx_op {
	uint16_t code;       /* enum ct_ptx_code */
	uint8_t last;        /* of its PTX instruction: the event and the step belong to it */
	uint8_t space;       /* enum ct_ptx_space */
	uint8_t width;       /* bytes of one element of an access */
	uint8_t count;       /* elements of a vector */
	uint8_t round;       /* enum ct_ptx_round */
	uint8_t mode;        /* depends on the code */
	uint32_t guard;      /* predicate reference */
	uint32_t d, a, b, c; /* row references */
	uint32_t p, q, s;    /* predicate references: results and a source */
	uint32_t target;     /* index of an operation, a function, a branch table */
	uint32_t join;       /* where the lanes of a divergent branch come together again */
	uint32_t extra;      /* index of further row references in the module's list */
	int64_t imm;
	uint32_t source; /* index of the PTX instruction */
};

enum ct_ptx_round { CT_PTX_RN, CT_PTX_RZ, CT_PTX_RM, CT_PTX_RP, CT_PTX_ROUNDS };

struct ct_ptx_line {
	const char *opcode;
	uint32_t line;
	uint32_t function;
	uint32_t first_op;
	uint32_t first_operand, operands;
	uint32_t guard;                    /* predicate reference */
	uint32_t source_line, source_file; /* of the .loc before it; 0: none */
};

/* A .file directive: the name that a number of .loc stands for. */
struct ct_ptx_file {
	uint32_t number;
	uint32_t order; /* among all of the text */
	const char *name;
};

struct ct_ptx_function {
	const char *name;
	int entry;                /* a kernel */
	int defined;              /* has a body */
	int calls, calls_unknown; /* calls functions; calls through a register */
	uint32_t index;
	uint32_t line;
	struct ct_ptx_param *param; /* of a .func at offsets of its frame of local memory */
	uint32_t nparams, params_cap, param_bytes;
	struct ct_ptx_param *result;
	uint32_t nresults, results_cap, result_bytes;
	uint32_t frame_bytes;     /* of rows and predicates */
	uint32_t predicate_bytes; /* of it, at its start */
	uint32_t registers;
	uint32_t local_bytes;  /* of one thread: variables, parameters of calls */
	uint32_t shared_own;   /* of its own variables, from offset 0 */
	uint32_t shared_bytes; /* with variables of the module that it or its callees use */
	uint32_t shared_end;   /* behind the last of them: where dynamic memory begins */
	uint32_t shared_align; /* of dynamic shared memory */
	uint32_t max_threads[3], required_threads[3], min_ctas;
	uint32_t first_op, ops;
	uint32_t first_line, lines;
	uint32_t *callee; /* functions called, by index */
	size_t ncallees, callees_cap;
	uint32_t *variable; /* shared variables of the module that it uses, by index */
	size_t nvariables, variables_cap;
};

/* A variable of any space that lives outside of functions. */
struct ct_ptx_symbol {
	struct ct_ptx_variable v;
	void *block;     /* what holds its storage */
	int space;       /* enum ct_ptx_space */
	int dynamic;     /* .extern .shared with an open size */
	uint32_t offset; /* in shared memory */
	uint32_t line;
};

/* An address in an initial value, filled in when all variables have their storage. */
struct ct_ptx_fixup {
	const char *name;
	uint32_t symbol; /* whose storage is filled */
	uint64_t at;
	unsigned width;
	int64_t add;
	uint32_t line;
};

/* A use of a shared variable of the module, which is placed when all functions are read. */
struct ct_ptx_use {
	uint32_t symbol;
	int in_constant; /* bytes of a lane where `at` is a constant row's offset; 0: an operation */
	uint32_t at;
};

/* Names of one kind, to indices. */
struct ct_ptx_name {
	const char *name;
	uint32_t scope, value;
};
struct ct_ptx_names {
	struct ct_ptx_name *slot;
	size_t cap, used;
};

struct ct_ptx_module {
	char *file;
	unsigned version, target;
	int placed;                  /* another's memory holds its variables */
	struct ct_ptx_block *blocks; /* arena of names and small arrays */
	struct ct_ptx_function *function;
	size_t nfunctions, functions_cap;
	struct ct_ptx_symbol *symbol;
	size_t nsymbols, symbols_cap;
	struct ct_ptx_kernel *kernel; /* made when everything is read */
	size_t nkernels;
	uint32_t *kernel_function; /* function of each kernel */
	uint32_t *global;          /* symbols that are variables of the public kind */
	size_t nglobals;
	struct ct_ptx_fixup *fixup;
	size_t nfixups, fixups_cap;
	struct ct_ptx_use *use;
	size_t nuses, uses_cap;
	struct ct_ptx_op *op;
	size_t nops, ops_cap;
	struct ct_ptx_line *line;
	size_t nlines, lines_cap;
	struct ct_ptx_file *source;
	size_t nsources, sources_cap;
	struct ct_ptx_operand *operand; /* of the lines, as the text has them */
	size_t noperands, operands_cap;
	uint32_t *extra; /* further row references */
	size_t nextra, extra_cap;
	uint32_t *table; /* branch tables: count, then operations */
	size_t ntable, table_cap;
	unsigned char *constant; /* rows of CT_PTX_BASE_CONST, aligned to 64 */
	size_t constant_bytes, constant_cap;
	struct ct_ptx_names functions, symbols, constants;
};

/* Memory that lives as long as the module, zeroed; NULL when out of memory. */
void *ct_ptx_keep(struct ct_ptx_module *m, size_t bytes);
/* A kept copy of n characters with a NUL. */
const char *ct_ptx_keep_text(struct ct_ptx_module *m, const char *s, size_t n);

/* Puts a name (kept by the caller) of a scope into the map, in place of an older one:
 * 0, or -1 when out of memory. */
int ct_ptx_names_put(struct ct_ptx_names *names, const char *name, uint32_t scope, uint32_t value);
/* The value of a name of n characters in that scope, or -1. */
int64_t ct_ptx_names_get(const struct ct_ptx_names *names, const char *name, size_t n, uint32_t scope);
void ct_ptx_names_free(struct ct_ptx_names *names);

/* Appends a value to a list that does not hold it: 0, or -1 when out of memory. */
int ct_ptx_add_once(uint32_t **list, size_t *n, size_t *cap, uint32_t value);

/* Stores the low `width` bytes of a value as one lane of a row, in the host's order. */
static inline void ct_ptx_put_lane(void *row, size_t lane, unsigned width, uint64_t bits)
{
	if (width == 8)
		((uint64_t *)row)[lane] = bits;
	else if (width == 4)
		((uint32_t *)row)[lane] = (uint32_t)bits;
	else
		((uint16_t *)row)[lane] = (uint16_t)bits;
}

/* location.c: puts the names of files in order once all are read, for ct_ptx_source_of(). */
void ct_ptx_sort_sources(struct ct_ptx_module *m);

/* unread.c: takes their results from atomics where nothing reads them. 0, or -1 when out of memory. */
int ct_ptx_find_unread(struct ct_ptx_module *m);

#endif
