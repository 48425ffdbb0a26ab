/* ir.h - private to capture: LLVM's form as parsed, and what lowering makes of it. */
#ifndef CT_TRACEGEN_CAPTURE_IR_H
#define CT_TRACEGEN_CAPTURE_IR_H

#include "tracegen/capture/program.h"

struct ir_type {
	char kind;      /* i f p s v */
	uint8_t n;      /* elements of a vector, else 1 */
	uint16_t bits;  /* of an element */
	uint8_t space;  /* of a pointer: LLVM's number */
	uint32_t bytes; /* of s */
};

enum ir_operand_kind { IR_VALUE, IR_INT, IR_CONST, IR_LABEL };
struct ir_operand {
	enum ir_operand_kind kind;
	uint32_t id; /* value or label */
	int64_t imm;
};

struct ir_inst {
	const char *name; /* LLVM's opcode, or the builtin's name */
	uint8_t builtin, has_mem, fused;
	struct ir_type type, from;
	uint32_t dst;     /* value or CAP_NONE */
	uint32_t op, nop; /* operands */
	uint32_t space, bytes, align;
	uint32_t segment, index;
};

struct ir_block {
	uint32_t inst, ninst, succ, nsucc, segment;
};

struct ir_func {
	uint32_t block, nblock; /* over all functions */
	uint32_t nvalues;
	uint32_t arg, narg; /* in ir.arg */
};

struct ir_arg {
	uint32_t value;
	struct ir_type type;
};

struct ir {
	char *text, *name;
	struct ir_func *func;
	struct ir_block *block;
	struct ir_inst *inst;
	struct ir_operand *operand;
	struct ir_arg *arg;
	uint32_t *succ;
	size_t nfunc, nblock, ninst, noperand, narg, nsucc, nsegment;
	size_t cfunc, cblock, cinst, coperand, carg, csucc;
};

int cap_ir_parse(struct ir *ir, const char *text, size_t n, struct ct_error *e);
void cap_ir_free(struct ir *ir);

/* Immediate post-dominators of the function's blocks to join[] (numbers over all
 * functions; CAP_NONE: the end). Algorithm of Cooper, Harvey and Kennedy (2001). */
int cap_post_dominators(const struct ir *ir, const struct ir_func *f, uint32_t *join,
                        struct ct_error *e);

/* A group of registers of a function, or a part of one. v CAP_NONE: no register. */
struct cap_loc {
	uint32_t v;
	uint8_t sub, n;
};

enum cap_mem { CAP_NO_MEM, CAP_LOAD, CAP_STORE, CAP_ATOMIC };

/* A line before registers are known. */
struct cap_op {
	const char *opcode;
	struct cap_loc dst, src[4];
	uint8_t nsrc, mem, copy, dead;
	uint32_t segment, index;
	uint16_t event, offset;
};

struct cap_vreg {
	uint8_t n;
	uint32_t parent;     /* union-find, while copies are joined */
	uint32_t start, end; /* positions of ops where it lives */
	uint32_t reg;
};

struct cap_code {
	struct cap_op *op;
	size_t n, cap;
	struct cap_vreg *vreg;
	size_t nv, capv;
	uint32_t *block_end; /* ops before the end of each block of the function */
	uint32_t first_op;   /* of the function */
	int failed;
};

/* Lowers one function's instructions behind those already in c. */
int cap_lower(const struct ir *ir, const struct ir_func *f, int is_kernel, struct cap_code *c,
              const char **unknown, struct ct_error *e);
/* Registers for the function's values: liveness, joined copies, linear scan from register
 * `base` on. *regs grows to what is used; *crowded counts values that had to share. */
int cap_allocate(const struct ir *ir, const struct ir_func *f, struct cap_code *c, uint32_t base,
                 uint32_t *regs, uint32_t *crowded, struct ct_error *e);

/* What a builtin function costs: opcodes of a dependent chain for float and for double, blank-separated,
 * NULL when the name is not known. */
const char *cap_builtin_chain(const char *name, int is_double, int is_float);

#endif
