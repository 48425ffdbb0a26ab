/* kernel.h - inside of the tracing layer: what build*.c make, schedule.c orders, plan.c completes and
 * exec.c runs. */
#ifndef CT_TRACEGEN_KERNEL_H
#define CT_TRACEGEN_KERNEL_H

#include "trace/record.h"
#include "tracegen/simt.h"

enum {
	LANES = CT_WARP_LANES,
	MAX_REGS = 255,   /* R0..R254; R255 is RZ */
	CONST_ROWS = 256, /* row numbers from here on are constants */
	MAX_DEPTH = 48,   /* nested ifs and loops */
	MAX_OPERANDS = 4,
	NO_VALUE = 0xffff
};

/* clang-format off */
enum op_code {
	/* Integer and logic. */
	OP_MOV, OP_IADD, OP_ISUB, OP_IMUL, OP_IMAD, OP_IMAD_WIDE, OP_IMULHI, OP_IADD_CC, OP_IADD_X,
	OP_SHL, OP_SHR, OP_SAR, OP_AND, OP_OR, OP_XOR, OP_IMIN, OP_IMAX, OP_UMIN, OP_UMAX, OP_IABS,
	OP_POPC, OP_FLO, OP_SEL,
	/* Floats. */
	OP_FADD, OP_FSUB, OP_FMUL, OP_FFMA, OP_FMIN, OP_FMAX, OP_FNEG, OP_FABS, OP_MUFU,
	OP_DADD, OP_DSUB, OP_DMUL, OP_DFMA,
	/* Conversions. */
	OP_I2F, OP_U2F, OP_F2I, OP_F2U, OP_F2D, OP_D2F, OP_I2D, OP_D2I,
	/* Predicates. */
	OP_ISETP, OP_USETP, OP_FSETP, OP_DSETP, OP_PAND, OP_POR, OP_PNOT,
	/* Special registers, warp-wide. */
	OP_S2R, OP_SHFL, OP_BALLOT, OP_ANY, OP_ALL, OP_HMMA,
	/* Memory. */
	OP_LOAD, OP_STORE, OP_ATOM, OP_LDSM, OP_LDGSTS,
	/* Control. */
	OP_GONE /* removed by the plan */,
	OP_NOP, OP_BSSY, OP_IF, OP_ELSE, OP_ENDIF, OP_LOOP, OP_BREAK, OP_ENDLOOP, OP_BSYNC, OP_EXIT_IF,
	OP_EXIT, OP_BAR
};
/* clang-format on */

enum { MUFU_RCP, MUFU_RSQ, MUFU_SQRT, MUFU_EX2, MUFU_LG2, MUFU_SIN, MUFU_COS };
enum { SR_TID = 0, SR_CTAID = 4, SR_LANE = 8 };

/* A value of the kernel. */
struct value {
	uint8_t kind;         /* enum value_kind */
	uint8_t type;         /* enum simt_type */
	uint8_t nregs;        /* 1, 2 or 4 */
	uint8_t variable;     /* assigned more than once */
	uint8_t varies;       /* may differ between the lanes of a warp */
	uint16_t reg;         /* first register; predicate number; first constant row */
	uint32_t first, last; /* ops of first definition and last use */
	uint64_t bits;        /* of a constant; slot of an argument; axis of a dimension */
};

enum value_kind { V_REG, V_PRED, V_CONST, V_ARG, V_NTID, V_NCTAID };

struct op {
	uint8_t code;  /* enum op_code */
	uint8_t sub;   /* comparison, MUFU function, special register, atomic ... */
	uint8_t space; /* enum ct_space of a memory op */
	uint8_t mem;   /* enum simt_mem */
	uint8_t nsrc;
	uint8_t records; /* makes a trace line */
	uint8_t partial; /* writes part of a group that is live before */
	uint8_t negate;  /* of predicate operand 0 (ENDLOOP_ALWAYS has none) */
	val dst;         /* id NO_VALUE when it has none */
	val src[MAX_OPERANDS];
	uint16_t guard;                    /* predicate of k_when(), or NO_VALUE */
	uint16_t drow, srow[MAX_OPERANDS]; /* register or constant rows, predicate numbers */
	int32_t offset;                    /* of an address */
	int32_t offset2;                   /* LDGSTS: of the shared address */
	uint32_t target;   /* op to continue at: ELSE/ENDIF of an IF, ENDIF of an ELSE, ENDLOOP of a
	                      LOOP or BREAK, LOOP of an ENDLOOP, construct of a BSSY */
	uint32_t around;   /* LOOP, while planning: divergent blocks around its body */
	uint8_t divergent; /* construct: its lanes may part */
	const char *opcode;
	struct ct_sinst sinst;
};

struct for_loop {
	val i, to, step;
	uint8_t guarded;
};

struct kb {
	struct simt_run *g;
	char *name;
	struct op *op;
	size_t n_ops, cap_ops;
	struct value *value;
	size_t n_values, cap_values;
	char **text; /* opcode strings made for this kernel */
	size_t n_text, cap_text;
	uint32_t depth, open[MAX_DEPTH]; /* IF, ELSE and LOOP ops not yet closed */
	uint8_t open_bssy[MAX_DEPTH];
	struct for_loop loop[MAX_DEPTH];
	uint32_t n_for;
	uint16_t guard;
	uint32_t frame_bytes; /* local memory per thread */
	int finished;
	/* From plan.c. */
	uint32_t nregs, npreds, nconst;
};

/* Orders the ops of each block independently of the C compiler; drops unused ones. */
int simt_schedule(struct kb *k, struct ct_error *e);
/* Moves ops within each block so that results are ready when they are used. */
int simt_hide_latency(struct kb *k, struct ct_error *e);
/* Decides uniformity, registers, rows and program counters. CT_OK or a failure. */
int simt_plan(struct kb *k, struct ct_error *e);
void simt_kernel_free(struct kb *k); /* NULL allowed */

#endif
