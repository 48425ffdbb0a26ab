/* unit.h - one function while it is lowered: what is known of its registers and its flow. Private. */
#ifndef CT_LOWER_UNIT_H
#define CT_LOWER_UNIT_H

#include "lower/machine.h"

/* What a register is without any machine instruction: the vendor's compiler folds these into the
 * instructions that use them. */
enum ct_lower_fact {
	CT_LOWER_VALUE_OF_ITS_OWN,
	CT_LOWER_CONSTANT, /* value */
	CT_LOWER_BANK,     /* in constant memory: a parameter, a dimension of the launch, an address */
	CT_LOWER_COPY_OF,  /* another register, or its low part: of */
	CT_LOWER_EXTENSION /* a 32-bit register with zeros above it: of */
};

struct ct_lower_reg {
	uint32_t defs, def; /* how many instructions write it; the last of them, by module number */
	uint32_t first;     /* and the first of them */
	uint32_t uses, use; /* reads by instructions that are lowered; one of them */
	uint8_t bytes;
	uint8_t fact;   /* enum ct_lower_fact */
	uint8_t narrow; /* 64 bits that hold an index of 32 */
	uint8_t divergent;
	uint8_t anyway; /* needed for more than addresses */
	uint8_t whole;  /* read by an instruction that names no half of a machine register */
	uint32_t of;
	int64_t constant;
	uint32_t value; /* machine value, or NONE */
	uint8_t part;   /* of that value */
};

struct ct_lower_pred {
	uint32_t defs, def, uses;
	uint8_t divergent;
	uint8_t folded; /* its only use takes it in: no instruction of its own */
};

/* A PTX instruction, by its number in the function. */
struct ct_lower_ptx {
	const char *opcode;
	const struct ct_ptx_operand *operand;
	uint32_t operands;
	struct ct_ptx_control control;
	uint8_t writes;   /* operands at place 0 that it writes */
	uint8_t access;   /* it has an address in global, shared, local or generic memory */
	uint8_t needed;   /* its effect or its result is */
	uint8_t absorbed; /* another instruction does its work */
	uint32_t fused;   /* the producer whose work it does, or NONE */
	uint32_t
		quad; /* of a load of shared memory that reads four words for itself and three others: the
	                     one of the lowest address; else NONE */
	uint32_t base; /* of an access: its address group, or NONE: the register as it is */
};

#define CT_LOWER_UNKNOWN (CT_LOWER_NONE - 1) /* a base while needs are found without addresses */
enum { CT_LOWER_TERMS = 5 };

/* A sum of registers times factors and a constant. */
struct ct_lower_form {
	unsigned terms;
	struct {
		uint32_t reg;
		int64_t factor;
	} term[CT_LOWER_TERMS];
	int64_t constant;
};

/* Accesses whose addresses differ only by constants share a base. */
struct ct_lower_group {
	struct ct_lower_form form; /* its constant is part of the base where it is not 0 */
	uint8_t wide;              /* addresses of 64 bits */
};

/* Flow of a block, by its number in the function. */
struct ct_lower_node {
	uint32_t dominator; /* immediate; the first block's is itself; NONE: never reached */
	uint32_t order;     /* in reverse postorder */
	uint32_t loop;      /* header of the innermost loop around it, or NONE */
	uint32_t outer;     /* of a header: the loop around its loop, or NONE */
	uint8_t header;
	uint8_t divergent; /* some lanes may be here without the others of the warp */
	uint8_t returns;   /* it only ends the kernel */
};

/* A base that was computed: its value is there in that block, and in those that it dominates. */
struct ct_lower_base {
	uint32_t group, block, place;
	uint32_t at; /* of registers that change: the access that it was made for; else NONE */
};

/* A constant that an instruction could not hold: in a register, from a block on. */
struct ct_lower_kept {
	uint32_t bank, block, place;
	int64_t imm;
	uint8_t hoisted; /* it is at the end of its block */
};

/* The high part of an index that was extended to 64 bits. */
struct ct_lower_sign {
	uint32_t reg, block, place;
};

struct ct_lower_unit {
	struct ct_lower_program *p;
	struct ct_ptx_body body;
	size_t first_block;
	uint32_t blocks;
	struct ct_lower_ptx *ptx;
	struct ct_lower_reg *reg;
	struct ct_lower_pred *pred;
	struct ct_lower_node *node;
	uint32_t *order; /* blocks in reverse postorder */
	uint32_t reached;
	struct ct_lower_group *group;
	size_t groups, group_cap;
	struct ct_lower_base *base;
	size_t bases, base_cap;
	struct ct_lower_kept *kept;
	size_t nkept, kept_cap;
	struct ct_lower_sign *sign;
	size_t nsigns, sign_cap;
	uint32_t home; /* block that instructions are emitted for */
	uint8_t phase; /* and where in it: enum ct_lower_phase */
	int failed;    /* out of memory */
};

static inline const struct ct_lower_block *ct_lower_block_of(const struct ct_lower_unit *u, uint32_t b)
{
	return &u->p->block[u->first_block + b];
}

/* The PTX instruction of that number in the module. */
static inline struct ct_lower_ptx *ct_lower_ptx_at(const struct ct_lower_unit *u, uint32_t instruction)
{
	return &u->ptx[instruction - u->body.first_instruction];
}

static inline uint32_t ct_lower_home(const struct ct_lower_unit *u, uint32_t instruction)
{
	return u->p->block_of[instruction] - (uint32_t)u->first_block;
}

/* 1 where the opcode begins with that name, up to a dot. */
int ct_lower_is(const char *opcode, const char *name);
/* 1: it reads a texture or accesses a surface, whose memory has no addresses in traces. */
int ct_lower_is_texture(const char *opcode);
/* 1 where one of the opcode's parts behind its name is that word. */
int ct_lower_has(const char *opcode, const char *word);
/* Bits of the last type in the opcode; 0 for a predicate. */
unsigned ct_lower_bits(const char *opcode);

/* facts.c: fills ptx, reg, pred. */
int ct_lower_facts(struct ct_lower_unit *u);
/* The register behind copies. */
uint32_t ct_lower_resolve(const struct ct_lower_unit *u, uint32_t reg);
/* Whether an operand is zero, which no register has to hold. */
int ct_lower_is_zero(const struct ct_lower_unit *u, const struct ct_ptx_operand *o);
/* fuse.c: marks what one machine instruction does for two of PTX. */
void ct_lower_fuse(struct ct_lower_unit *u);
/* The name of a conversion of single precision to halves. */
const char *ct_lower_to_half(const struct ct_lower_unit *u, const char *opcode);
/* Emits what makes and packs two halves at once; 0 where the instruction is none. */
int ct_lower_halves(struct ct_lower_unit *u, uint32_t at);
/* graph.c: fills node and order, and what is divergent. */
int ct_lower_graph(struct ct_lower_unit *u);
int ct_lower_dominates(const struct ct_lower_unit *u, uint32_t a, uint32_t b);
/* 1 where a register is written in a loop, by the loop's header. */
int ct_lower_changes_in(const struct ct_lower_unit *u, uint32_t reg, uint32_t header);
/* 1 where block b is in the loop of that header. */
int ct_lower_in_loop(const struct ct_lower_unit *u, uint32_t b, uint32_t header);
/* address.c: groups of accesses, and what is needed. */
int ct_lower_groups(struct ct_lower_unit *u);
/* The group of an address: an equal one, or a new one; NONE when out of memory (u->failed). */
uint32_t ct_lower_group_of(struct ct_lower_unit *u, struct ct_lower_form f, int wide);
/* Whether an access's address is another's, moved on, in PTX too: a pointer is added to twice. */
int ct_lower_is_moved_on(const struct ct_lower_unit *u, uint32_t at);
/* Whether a register keeps its value from instruction `from` to `to`: no path between passes a definition. */
int ct_lower_keeps_value(const struct ct_lower_unit *u, uint32_t reg, uint32_t from, uint32_t to);
/* base.c: the place of a group's base at an access, computed where it has to be. */
uint32_t ct_lower_base_of(struct ct_lower_unit *u, uint32_t group, uint32_t at);

/* emit.c: machine instructions with their operands. */

/* What an instruction reads: a place, or what its encoding holds. */
struct ct_lower_source {
	uint32_t place; /* RZ of zero and of what is folded */
	uint8_t folded; /* a constant or constant memory: an instruction takes one */
	uint32_t
		bank; /* which constant memory: the register that it would be, plus 1 and its part; 0: imm */
	int64_t imm;
};
struct ct_lower_source ct_lower_read(struct ct_lower_unit *u, const struct ct_ptx_operand *o,
                                     unsigned part);
struct ct_lower_source ct_lower_read_register(struct ct_lower_unit *u, uint32_t reg, unsigned part);
/* Where a register's part is written. */
uint32_t ct_lower_write(struct ct_lower_unit *u, uint32_t reg, unsigned part);
/* 32-bit parts that a register takes. */
unsigned ct_lower_parts(const struct ct_lower_unit *u, uint32_t reg);
/* An instruction for PTX instruction `at`. dst may be RZ: none. Sources of the n that cannot be folded
 * together go through registers first. Returns it until the next call; NULL when out of memory. */
struct ct_lower_inst *ct_lower_emit(struct ct_lower_unit *u, const char *opcode, uint32_t at,
                                    uint32_t dst, unsigned n, const struct ct_lower_source *src);
/* select.c: notes the predicates that an instruction reads and writes, for the schedule's order. m may be NULL. */
void ct_lower_predicates(const struct ct_lower_ptx *i, struct ct_lower_inst *m);
/* vector.c: n operands of an instruction from `first` on that lie side by side in machine code. The place that they are written to;
 * spread moves them from there, behind the instruction, to where they are if they lie elsewhere. */
uint32_t ct_lower_write_vector(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t first,
                               uint32_t n);
void ct_lower_spread_vector(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t first,
                            uint32_t n, uint32_t at, uint32_t place);
/* The place where they are read, after the moves that put them there where they do not lie so yet. */
uint32_t ct_lower_read_vector(struct ct_lower_unit *u, const struct ct_lower_ptx *i, uint32_t first,
                              uint32_t n, uint32_t at);
/* Before anything is selected: the sums of each product get a place together, and so do its factors. */
void ct_lower_group_products(struct ct_lower_unit *u);
/* matrix.c: a product (mma) or a move of matrices (ldmatrix); 0 where the instruction is neither. */
int ct_lower_matrix(struct ct_lower_unit *u, uint32_t at);
/* Registers of the second factor of a product. */
uint32_t ct_lower_second_factor(const struct ct_lower_ptx *i);
/* expand.c: what PTX does in one instruction and machines in several; 0 where it is none of these. */
int ct_lower_expand(struct ct_lower_unit *u, uint32_t at);
/* convert.c: regions of the function's blocks, whose machine instructions begin at first_inst. */
int ct_lower_regions(struct ct_lower_unit *u, size_t first_inst);
/* schedule.c: the order of a region's machine instructions. */
int ct_lower_schedule(struct ct_lower_program *p, uint32_t region);

#endif
