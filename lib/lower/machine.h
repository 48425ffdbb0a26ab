/* machine.h - machine code that stands for PTX: what lowering makes and recording uses. Private.
 *
 * PTX is executed and is the truth for lanes and addresses. A shadow of machine instructions is made
 * for each region of its control flow; each of them names the PTX instruction whose lanes, and
 * addresses where it is a memory access, it has. When a region has been executed, its machine
 * instructions go to the trace in their own order. */
#ifndef CT_LOWER_MACHINE_H
#define CT_LOWER_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ptx/operands.h"
#include "trace/cta_maker.h"
#include "trace/ctz.h"

#define CT_LOWER_NONE UINT32_MAX

/* A place of a value: number << 2 | which of its 32-bit parts. */
#define CT_LOWER_RZ UINT32_MAX /* reads as zero, or is thrown away */
#define CT_LOWER_PART(value, part) ((uint32_t)(value) << 2 | (uint32_t)(part))
#define CT_LOWER_VALUE(place) ((place) >> 2)

/* With which lanes a machine instruction goes to the trace. */
enum ct_lower_lanes {
	CT_LOWER_GUARDED,    /* those that executed the PTX instruction under its guard */
	CT_LOWER_ACTIVE,     /* those that came to it */
	CT_LOWER_CONVERTED,  /* as GUARDED; if none came there, it is issued without a lane */
	CT_LOWER_SPECULATED, /* those that came to the branch around it, `control` */
	CT_LOWER_TURNED,     /* those that came to it and for which its guard does not hold */
	CT_LOWER_TAKEN,      /* those that took the branch; not issued without one */
	CT_LOWER_PASSED,     /* those that did not; not issued without one */
	CT_LOWER_EXITS,      /* as GUARDED, and they end */
	CT_LOWER_RETURNS     /* as ACTIVE, and they end; not issued without one */
};

enum { CT_LOWER_MAX_DST = 2, CT_LOWER_MAX_SRC = 5 };

/* Places in a block: in its order, hoisted to its end, and what ends it. */
enum ct_lower_phase { CT_LOWER_BODY, CT_LOWER_HOISTED, CT_LOWER_END };

struct ct_lower_inst {
	const char *opcode; /* static text, or of the program's arena */
	uint32_t source;    /* PTX instruction, by its number in the module */
	uint32_t control;   /* of CONVERTED and SPECULATED: the branch */
	uint8_t lanes;      /* enum ct_lower_lanes */
	uint8_t memory;     /* has the addresses of `source` */
	uint8_t ndst, nsrc;
	uint8_t has_imm;
	uint8_t phase;  /* enum ct_lower_phase */
	uint8_t pure;   /* it only computes: lanes that do not need it may run it too */
	uint32_t home;  /* block, by its number in the program */
	uint32_t order; /* among those of its block */
	uint32_t dst[CT_LOWER_MAX_DST], src[CT_LOWER_MAX_SRC]; /* places of values */
	uint32_t pdst[2], psrc[3]; /* predicates, by number plus 1; 0: none. Traces do not show them */
	int64_t imm;
};

/* A value that a register holds: of one to four parts of 32 bits. */
struct ct_lower_value {
	uint8_t parts;
	uint8_t fixed; /* the stack pointer: R1 */
	uint16_t reg;  /* the first, once they are allocated */
};

/* PTX instructions that come one after the other. */
struct ct_lower_block {
	uint32_t first, end;  /* PTX instructions */
	uint32_t next[2];     /* blocks: where it falls to, where its branch goes; or NONE */
	uint32_t edge, edges; /* all blocks that may come next, in the program's list */
	uint32_t region;
};

/* Blocks whose machine instructions are issued as one list. */
struct ct_lower_region {
	uint32_t code, code_end; /* machine instructions */
	uint32_t ptx;            /* PTX instructions */
	uint32_t edge, edges;    /* regions that may come next, in the program's list */
	uint32_t variant;        /* the first of its 1 << guards, in the program's list */
	uint32_t guards;
};

/* What a region issues when lanes come to all of its PTX instructions together, and each of its guards holds
 * for all of them or for none. The number of a variant has bit k set where guard k holds for none. A
 * region of too many guards has but the variant in which all hold. */
struct ct_lower_variant {
	uint32_t step, step_end; /* of the program's list */
	uint32_t accesses;       /* steps that are one */
	uint32_t issued;         /* machine instructions */
	uint8_t plain;           /* 0: lanes end in it, and the steps do not tell */
};

enum { CT_LOWER_GUARDS = 3 /* of a region, that variants are made of */ };

/* A part of a region's machine instructions: an access, or some without one between. */
struct ct_lower_step {
	uint32_t inst, n; /* the first, how many */
	uint32_t access;  /* its number in `address`, or NONE */
	uint32_t lanes;   /* all ones: those that executed the region; 0: none */
};

/* What recording asks of a machine instruction. */
struct ct_lower_issue {
	uint32_t source, control; /* where recording keeps the events of both */
	uint32_t access;          /* its number in `address`, or NONE */
	uint8_t lanes;            /* enum ct_lower_lanes */
};

/* A kernel with the functions that it calls, lowered. */
struct ct_lower_program {
	const struct ct_ptx_module *m;
	unsigned sm;
	struct ct_lower_block *block;
	size_t blocks, block_cap;
	uint32_t *edge;
	size_t edges, edge_cap;
	struct ct_lower_region *region;
	size_t regions, region_cap;
	struct ct_lower_issue *issue; /* of each machine instruction */
	struct ct_lower_variant *variant;
	size_t variants, variant_cap;
	struct ct_lower_step *step;
	size_t steps, step_cap;
	struct ct_lower_inst *inst;
	size_t insts, inst_cap;
	struct ct_lower_value *value;
	size_t values, value_cap;
	uint32_t registers;  /* that the kernel needs per thread */
	uint32_t predicates; /* more than any function has */
	/* By PTX instruction of the module: */
	uint32_t *block_of; /* or NONE: of a function that is not lowered */
	uint32_t *slot;     /* where recording keeps its event, within its region */
	uint32_t *address;  /* the same for addresses, or NONE */
	uint8_t *guard;     /* 0, or the bit that its guard has in the number of a variant */
	uint8_t *generic;   /* an access whose addresses name their space */
	uint8_t *copies;    /* an asynchronous copy: one instruction stands for its load and its store */
	uint32_t slots, addresses;    /* the largest region's */
	uint32_t *sid;                /* of each machine instruction, by ct_lower_describe */
	struct ct_ctz_step *sequence; /* of each step, in the terms of a trace; the same */
	struct ct_lower_text *text;
};

/* Lowers a kernel and the functions that it calls for an SM version. *out is the caller's, to be
 * freed with ct_lower_free. Fails with CT_ERR_NOMEM. */
CT_NODISCARD int ct_lower_kernel(struct ct_lower_program **out, const struct ct_ptx_module *m,
                                 const struct ct_ptx_kernel *k, unsigned sm, struct ct_error *e);
void ct_lower_free(struct ct_lower_program *p); /* NULL allowed */
/* Puts the static instructions into the code table of a trace. Fails as ct_cta_maker_code. */
CT_NODISCARD int ct_lower_describe(struct ct_lower_program *p, struct ct_cta_maker *maker,
                                   struct ct_error *e);

/* Source lines and files of the instructions (trace/sources.h): *has_lines says whether any has a line; the text of
 * its files, which may be empty, is the caller's. Fails with CT_ERR_NOMEM. */
CT_NODISCARD int ct_lower_sources(const struct ct_lower_program *p, uint8_t *has_lines, char **text,
                                  struct ct_error *e);

/* What the steps of lowering share: each fails with CT_ERR_NOMEM. */

/* A new machine instruction at the end of the list, zeroed but for source; NULL when out of memory. */
struct ct_lower_inst *ct_lower_add(struct ct_lower_program *p, const char *opcode, uint32_t source);
/* A new value of that many parts: its number, or NONE when out of memory. */
uint32_t ct_lower_new_value(struct ct_lower_program *p, unsigned parts);
/* A kept text: "LDG.E" and ".64"; NULL when out of memory. */
const char *ct_lower_text(struct ct_lower_program *p, const char *a, const char *b, const char *c);

/* flow.c: blocks of a function, appended. */
int ct_lower_blocks(struct ct_lower_program *p, uint32_t function);
/* select.c: machine instructions and regions of the blocks of a function. */
int ct_lower_select(struct ct_lower_program *p, uint32_t function, size_t first_block);
/* variants.c: the variants of all regions, once PTX instructions have their places. */
int ct_lower_find_variants(struct ct_lower_program *p);
/* registers.c: gives the values of a function their registers; its regions begin at first_region. */
int ct_lower_registers(struct ct_lower_program *p, size_t first_region, size_t first_value);

#endif
