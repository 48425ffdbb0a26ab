/* reader.h - the state of reading one module, shared by its files. Private. */
#ifndef CT_PTX_READER_H
#define CT_PTX_READER_H

#include "ptx/lex.h"
#include "ptx/module.h"

/* What a name inside a function stands for. */
enum ct_ptx_declared { CT_PTX_IS_ROW, CT_PTX_IS_PREDICATE, CT_PTX_IS_MEMORY };

struct ct_ptx_declaration {
	const char *name; /* of a range of registers without the number */
	size_t length;
	int64_t count; /* of a range, else -1 */
	enum ct_ptx_declared kind;
	enum ct_ptx_type type;
	int space;       /* of memory: enum ct_ptx_space */
	uint32_t ref;    /* reference of the (first) register; offset of memory */
	uint32_t bytes;  /* of memory */
	uint32_t symbol; /* of the module, plus 1: shared memory of a .func; 0: none */
};

/* A place that waits for a label of its function. */
struct ct_ptx_pending {
	const char *name;
	uint32_t scope, line;
	uint32_t at; /* operation, or place in the module's tables */
	enum { CT_PTX_WANTS_LABEL, CT_PTX_WANTS_TABLE, CT_PTX_IN_TABLE } kind;
};

enum ct_ptx_arg_kind {
	CT_PTX_ARG_ROW,
	CT_PTX_ARG_PREDICATE,
	CT_PTX_ARG_INTEGER,
	CT_PTX_ARG_FLOAT,
	CT_PTX_ARG_VARIABLE, /* memory by name: its address, or `offset` behind it */
	CT_PTX_ARG_NAME,     /* label, function, or a special register that has no row */
	CT_PTX_ARG_SINK,     /* _ */
	CT_PTX_ARG_MEMORY,   /* [base + offset], base as `inner` says */
	CT_PTX_ARG_VECTOR,   /* {a, b} */
	CT_PTX_ARG_GROUP     /* (a, b) of calls */
};

struct ct_ptx_arg {
	enum ct_ptx_arg_kind kind, inner;
	enum ct_ptx_type type; /* of a register */
	uint32_t ref;          /* of a register or predicate; offset of local, shared or param memory */
	uint32_t other;        /* predicate reference behind '|' */
	int has_other;
	int space;      /* of a variable */
	int64_t symbol; /* its index in the module, or -1 for one of the function */
	uint64_t value; /* of a constant */
	int single;
	int64_t offset;
	const char *name; /* kept text */
	const char *
		parts; /* of a video instruction: what stands behind the register's dot, in the text; or NULL */
	uint32_t parts_length;
	uint32_t first, count; /* elements of a vector or group in the statement's list */
};

enum { CT_PTX_MAX_ARGS = 8, CT_PTX_MAX_ELEMENTS = 64, CT_PTX_MAX_ATOMS = 16 };

/* One instruction of the text with its names resolved. */
struct ct_ptx_statement {
	const char *opcode;
	const char *atom[CT_PTX_MAX_ATOMS]; /* the opcode cut at its dots */
	unsigned natoms, next_atom;         /* next_atom: the first that no decoder has taken */
	uint32_t guard;
	struct ct_ptx_arg arg[CT_PTX_MAX_ARGS];
	unsigned nargs;
	struct ct_ptx_arg element[CT_PTX_MAX_ELEMENTS];
	unsigned nelements;
};

/* Registers that expansions of an instruction use. */
enum { CT_PTX_CARRY, CT_PTX_SCRATCH_PREDICATE, CT_PTX_SCRATCH_32, CT_PTX_SCRATCH_64, CT_PTX_SCRATCH };

struct ct_ptx_reader {
	struct ct_ptx_lexer x;
	struct ct_ptx_module *m;
	const struct ct_ptx_placing *placing; /* NULL: the module has its variables itself */
	struct ct_ptx_function *f;            /* whose body is read */
	struct ct_ptx_declaration *declared;
	size_t ndeclared, declared_cap;
	uint32_t *outer; /* the scope around each scope of the function */
	size_t nscopes, scopes_cap;
	uint32_t scope;
	struct ct_ptx_names labels, tables;
	struct ct_ptx_pending *pending;
	size_t npending, pending_cap;
	size_t first_extra; /* row references of this function */
	uint32_t scratch
		[CT_PTX_SCRATCH]; /* registers of expansions, made when first wanted; 0: not yet */
	struct ct_ptx_statement s;
	uint32_t source_line, source_file; /* of the .loc read last in this function */
};

/* Fails with "out of memory". */
int ct_ptx_nomem(struct ct_ptx_reader *r);

/* Directives that hold a variable, in or outside of a function, after its space's word. */
int ct_ptx_read_variable(struct ct_ptx_reader *r, int space, int external);
/* Fills addresses in initial values, when every variable is known. */
int ct_ptx_fix_addresses(struct ct_ptx_reader *r);
/* ".align N": reads it if it is there, into *align. */
int ct_ptx_read_align(struct ct_ptx_reader *r, uint32_t *align);
/* A type word: CT_OK with *type, or a failure. */
int ct_ptx_read_type(struct ct_ptx_reader *r, enum ct_ptx_type *type);
/* "[N][M]": the number of elements in *n, 1 without brackets; *open where one is empty. */
int ct_ptx_read_extent(struct ct_ptx_reader *r, uint64_t *n, int *open);
/* The word at hand, kept, and a step behind it; fails where it is none. */
int ct_ptx_read_name(struct ct_ptx_reader *r, const char **name);

/* ".loc FILE LINE ..." or ".file NUMBER NAME ...", to the end of its line: they are for debuggers, so that what
 * has another form is passed over. Fails as the lexer does, and with CT_ERR_NOMEM. */
int ct_ptx_read_location(struct ct_ptx_reader *r);

/* Body of r->f between its braces, and all that follows from it. */
int ct_ptx_read_body(struct ct_ptx_reader *r);
/* Registers of a .reg directive, after its word. */
int ct_ptx_read_registers(struct ct_ptx_reader *r);
/* Operands of the statement up to ';'. */
int ct_ptx_read_args(struct ct_ptx_reader *r);
/* Keeps them in the module, as those of an instruction: CT_OK, or CT_ERR_NOMEM. */
int ct_ptx_keep_operands(struct ct_ptx_reader *r, struct ct_ptx_line *line);
/* What a name means in the current scope, or NULL; *number counts in a range of registers. */
const struct ct_ptx_declaration *
ct_ptx_lookup(const struct ct_ptx_reader *r, const char *name, size_t n, uint32_t *number);
int ct_ptx_declare(struct ct_ptx_reader *r, const struct ct_ptx_declaration *d);
/* A new row or predicate of the function. */
uint32_t ct_ptx_new_row(struct ct_ptx_reader *r, enum ct_ptx_type type, uint64_t count);
uint32_t ct_ptx_new_predicate(struct ct_ptx_reader *r, uint64_t count);

/* Puts a label that an operation or table waits for on the list. */
int ct_ptx_await(struct ct_ptx_reader *r, const struct ct_ptx_pending *p);

/* Turns the statement into operations (decode.c). */
int ct_ptx_decode(struct ct_ptx_reader *r);
/* What stands behind the last statement of a function. */
int ct_ptx_decode_end(struct ct_ptx_reader *r);

#endif
