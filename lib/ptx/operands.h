/* operands.h - operands and control flow of the instructions of a PTX module, as the text has them.
 *
 * It is for those who turn PTX into something else. The emulator has a form of its own. */
#ifndef CT_PTX_OPERANDS_H
#define CT_PTX_OPERANDS_H

#include "base/decls.h"
#include "ptx/ptx.h"

CT_DECLS_BEGIN

enum ct_ptx_operand_kind {
	CT_PTX_OPERAND_REGISTER,  /* number; bytes 2, 4 or 8 */
	CT_PTX_OPERAND_PREDICATE, /* number; may be negated */
	CT_PTX_OPERAND_INTEGER,   /* value */
	CT_PTX_OPERAND_REAL,      /* value holds the bits */
	CT_PTX_OPERAND_SPECIAL,   /* a special register: name */
	CT_PTX_OPERAND_VARIABLE,  /* its address plus value; name, where it has one; space */
	CT_PTX_OPERAND_NAME,      /* a label or function: name */
	CT_PTX_OPERAND_SINK       /* _ */
};

#define CT_PTX_NO_OPERAND UINT32_MAX /* no predicate, no instruction */

/* One operand. Elements of a vector are operands of their own in the same place. */
struct ct_ptx_operand {
	enum ct_ptx_operand_kind kind;
	uint32_t number;         /* of a register or predicate: unique in its function */
	uint8_t place;           /* counts operands of the text from 0 */
	uint8_t bytes;           /* of a register */
	uint8_t negated;         /* of a predicate */
	uint8_t in_brackets;     /* an address: what stands at base + value is meant */
	enum ct_ptx_space space; /* of a variable */
	int64_t value;           /* of a constant; of an address or variable the offset behind it */
	const char *name;        /* or NULL */
};

/* The operands of an instruction, which live as long as the module; *n says how many. Thread-safe,
 * as all functions here. */
const struct ct_ptx_operand *
ct_ptx_operands_of(const struct ct_ptx_module *m, size_t instruction, size_t *n);

/* Where lanes go behind an instruction. */
struct ct_ptx_control {
	uint32_t guard;   /* predicate, or CT_PTX_NO_OPERAND */
	uint8_t negated;  /* the guard holds where the predicate does not */
	uint8_t branches; /* bra, or ret of a function: to `target` */
	uint8_t ends;     /* exit, ret of a kernel, trap: its lanes end */
	uint8_t table;    /* brx: to one of ct_ptx_table_of */
	uint32_t target;  /* instruction, or CT_PTX_NO_OPERAND */
	uint32_t
		join; /* of a branch: where lanes that part come together, or CT_PTX_NO_OPERAND: at the end */
};
/* Where lanes go behind instruction number `instruction` of the module. Pure. */
struct ct_ptx_control ct_ptx_control_of(const struct ct_ptx_module *m, size_t instruction);
/* The i-th target of a brx: an instruction, or CT_PTX_NO_OPERAND behind the last. */
uint32_t ct_ptx_table_of(const struct ct_ptx_module *m, size_t instruction, uint32_t i);

/* Whether an instruction is an atomic whose result nothing reads, of an operation that `red` has. */
int ct_ptx_is_reduction(const struct ct_ptx_module *m, size_t instruction);

/* A function, kernels included, by the number that struct ct_ptx_instruction has. */
struct ct_ptx_body {
	const char *name;
	uint32_t first_instruction, instructions; /* 0 instructions: it has no body */
	uint32_t registers, predicates;           /* all numbers of operands are below these */
	uint8_t kernel;
};
/* Function number `function`, below ct_ptx_body_count(). Its texts belong to the module. Pure. */
struct ct_ptx_body ct_ptx_body_at(const struct ct_ptx_module *m, size_t function);
size_t ct_ptx_body_count(const struct ct_ptx_module *m);

CT_DECLS_END

#endif
