/* record.h - what a trace is made of, once decoded.
 *
 * A trace is a sequence of kernels and memory copies; a kernel is a sequence of
 * CTAs; a CTA is a set of warps; a warp is a stream of instructions. Most of an
 * instruction is the same each time its program counter comes by, so a record
 * is split in two: the static part (struct ct_sinst, one per distinct text, kept
 * in the kernel's code table) and the dynamic part (struct ct_inst: which static
 * instruction, which lanes, which addresses). CTAs hold the dynamic parts in a
 * packed form of about four to eight bytes per instruction and are read back
 * through cursors. */
#ifndef CT_TRACE_RECORD_H
#define CT_TRACE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

/* Address space that an instruction names (doc/formats.md sections 6 and 7). */
enum ct_space {
	CT_SPACE_NONE, /* no data access */
	CT_SPACE_GLOBAL,
	CT_SPACE_LOCAL, /* addresses are per-thread offsets, see ct_local_line() */
	CT_SPACE_SHARED,
	CT_SPACE_CONST,
	CT_SPACE_TEXTURE,
	CT_SPACE_SURFACE,
	CT_SPACE_GENERIC /* resolved per lane by the kernel's windows */
};

/* What the instruction does to memory. */
enum ct_access {
	CT_ACCESS_NONE,
	CT_ACCESS_LOAD,
	CT_ACCESS_STORE,
	CT_ACCESS_ATOMIC,    /* read-modify-write at the LLC, with result */
	CT_ACCESS_REDUCTION, /* the same without result */
	CT_ACCESS_ASYNC,     /* LDGSTS: global read completed by LDGDEPBAR + DEPBAR */
	CT_ACCESS_PREFETCH,  /* CCTL and .PF forms: moves no data to a register */
	CT_ACCESS_BARRIER_OP /* SYNCS, ARRIVES: shared-memory barrier objects */
};

/* Execution unit class; latencies and initiation intervals are the GPU's
 * (doc/replay.md section 4). */
enum ct_unit_class {
	CT_CLASS_INT,
	CT_CLASS_ALU, /* MOV, SHFL, conversions ...: runs on the INT unit */
	CT_CLASS_SP,
	CT_CLASS_HALF,
	CT_CLASS_DP,
	CT_CLASS_SFU,
	CT_CLASS_TENSOR,
	CT_CLASS_BRANCH,
	CT_CLASS_TEX,
	CT_CLASS_UNIFORM, /* uniform datapath */
	CT_CLASS_MEM,     /* everything that goes to the load/store unit */
	CT_CLASS_BAR,     /* CTA barrier */
	CT_CLASS_MEMBAR,
	CT_CLASS_DEPBAR,    /* waits for LDGSTS groups (immediate = groups left) */
	CT_CLASS_LDGDEPBAR, /* closes a group of LDGSTS */
	CT_CLASS_EXIT,
	CT_CLASS_OTHER, /* no unit known: latency 4, initiation 1 */
	CT_CLASS_COUNT
};

/* Modifiers that change where an access may be cached. */
enum {
	CT_MOD_STRONG_GPU = 1u << 0, /* .STRONG.GPU: bypasses L1 */
	CT_MOD_STRONG_SYS = 1u << 1,
	CT_MOD_BYPASS = 1u << 2,   /* .BYPASS on LDGSTS */
	CT_MOD_CONSTANT = 1u << 3, /* .CONSTANT / .CI read-only path */
	CT_MOD_CG = 1u << 4,
	CT_MOD_CV = 1u << 5,
	CT_MOD_EVICT_FIRST = 1u << 6,
	CT_MOD_EXTENDED = 1u << 7, /* .E: 64-bit address register pair */
	CT_MOD_BULK = 1u << 8      /* bulk copy (TMA): goes to the LLC, past the L1 */
};

/* Registers are numbered over all files: kind << 8 | index. */
enum ct_reg_kind { CT_REG_R, CT_REG_UR, CT_REG_P, CT_REG_UP };
typedef uint16_t ct_reg;
#define CT_REG_MAKE(kind, index) ((ct_reg)((unsigned)(kind) << 8 | (unsigned)(index)))
#define CT_REG_KIND(r) ((enum ct_reg_kind)((r) >> 8))
#define CT_REG_INDEX(r) ((unsigned)(0xff & (r)))
#define CT_REG_RZ CT_REG_MAKE(CT_REG_R, 255) /* reads as zero: never real */
#define CT_REG_URZ CT_REG_MAKE(CT_REG_UR, 63)

enum { CT_MAX_DST = 8, CT_MAX_SRC = 8, CT_WARP_LANES = 32 };

/* Static part of an instruction. Two lines share one if everything but mask,
 * addresses and values is equal. */
struct ct_sinst {
	uint64_t pc;        /* byte offset inside its function */
	const char *opcode; /* with modifiers, NUL-terminated, owned by the code table */
	uint32_t line;      /* source line, 0 = unknown */
	int64_t imm, imm2;  /* meaningful when has_imm >= 1, >= 2 */
	uint8_t has_imm;
	uint8_t space;        /* enum ct_space */
	uint8_t access;       /* enum ct_access */
	uint8_t unit;         /* enum ct_unit_class */
	uint16_t mods;        /* CT_MOD_* */
	uint16_t width;       /* true bytes per lane, re-derived from the opcode; 0 = no access */
	uint16_t width_field; /* what the trace printed; 0 = no address field */
	uint8_t has_gmma, gmma;
	uint8_t ndst, nsrc;
	ct_reg dst[CT_MAX_DST];
	ct_reg src[CT_MAX_SRC];
	/* consecutive registers that each stands for, 0 for RZ and URZ (operands.h); set in
	 * code tables */
	uint8_t dst_regs[CT_MAX_DST], src_regs[CT_MAX_SRC];
};

/* How the lane addresses were written; kept so that text can be written back. */
enum ct_addr_form { CT_ADDR_NONE, CT_ADDR_LIST, CT_ADDR_STRIDE, CT_ADDR_DELTAS };

/* Runs of equal differences that the addresses of an instruction are kept as at most. */
enum { CT_ADDR_RUNS = 8 };

/* Dynamic part: one executed warp instruction. The addresses are in addr[]; where nruns is
 * not 0 they are runs instead, as ct_cursor_step() hands them out: the first is base, the
 * next run_lanes[0] are each run_delta[0] above the one before, and so on, naddr in all.
 * What takes an instruction takes both forms unless it says otherwise. */
struct ct_inst {
	uint32_t sid;      /* index into the kernel's code table */
	uint32_t mask;     /* active and predicated-on lanes */
	uint8_t addr_form; /* enum ct_addr_form */
	uint8_t naddr;     /* addresses: the number of set mask bits, or 0 */
	uint16_t nvalues;  /* entries of values[] */
	uint8_t nruns;     /* 0: addr[] holds the addresses */
	uint8_t run_lanes[CT_ADDR_RUNS];
	int64_t stride;                  /* of CT_ADDR_STRIDE */
	uint64_t base;                   /* first address, also when naddr is 0 */
	const uint32_t *values;          /* register values where the trace has them, else NULL;
	                                 as in the text: per register a count then that many */
	int64_t run_delta[CT_ADDR_RUNS]; /* modulo 2^64 */
	uint64_t addr[CT_WARP_LANES];    /* one per set mask bit, in lane order */
};

/* Puts addresses that are runs into addr[]; nruns is 0 afterwards. */
void ct_inst_expand(struct ct_inst *inst);

struct ct_kernel {
	uint32_t id;        /* ordinal of the launch in the list, from 1; missing members count */
	uint64_t header_id; /* "-kernel id", 0 if absent */
	char *name;         /* as in the header (mangled or not) */
	uint32_t grid[3], block[3];
	uint64_t shmem_bytes; /* static + dynamic per CTA */
	uint32_t regs;        /* per thread */
	uint32_t binary_version;
	uint64_t stream;
	uint64_t shmem_base, local_base; /* generic windows; meaningful when has_windows */
	uint8_t has_windows;
	uint8_t has_lineinfo;
	uint8_t has_core_ids;   /* lines carry SM id and warp slot */
	uint8_t raw;            /* interleaved .trace, not grouped by CTA */
	uint8_t partial_header; /* it lacks lines that come with others that it has */
	uint8_t misnamed;       /* its file in a list is named for another kernel */
	uint8_t unordered;      /* it is in a list behind a kernel of a higher number */
	char *nvbit_version;    /* "" if absent */
	char *tracer_version;   /* "" if absent (the oldest) */
	char *path;             /* file that the kernel came from, "-" for standard input */
	char *sources;          /* source files of its instructions (sources.h); NULL: not known */
};

/* Thread blocks of the grid. Pure. */
static inline uint64_t ct_kernel_ctas(const struct ct_kernel *k)
{
	return (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
}

/* Warps of one of its thread blocks, the last of which may lack threads. Pure. */
static inline uint32_t ct_kernel_cta_warps(const struct ct_kernel *k)
{
	return (k->block[0] * k->block[1] * k->block[2] + 31) / 32;
}

/* Static instructions of one kernel. Grows while the kernel is read; a pointer
 * from ct_code_at() stays valid until the code is released. Readable from several
 * threads for every sid already handed out. */
struct ct_code;
const struct ct_sinst *ct_code_at(const struct ct_code *code, uint32_t sid);
uint32_t ct_code_count(const struct ct_code *code);

/* One CTA: its place in the grid and its warps. Reference-counted and immutable
 * once handed out, so that several engines can replay it; the counter is atomic. */
struct ct_cta;
struct ct_cta *ct_cta_ref(struct ct_cta *cta);
void ct_cta_unref(struct ct_cta *cta); /* NULL allowed */

struct ct_warp_info {
	uint32_t warp;    /* number inside the CTA (32 threads in linear order) */
	uint64_t insts;   /* instructions in its stream */
	int32_t sm, slot; /* traced core ids, or -1 */
};

/* What a CTA consists of. All results belong to the CTA and live as long as it; several threads may ask
 * at once. */
const struct ct_kernel *ct_cta_kernel(const struct ct_cta *cta);
const struct ct_code *ct_cta_code(const struct ct_cta *cta);
uint64_t ct_cta_index(const struct ct_cta *cta); /* linear: x + gx*(y + gy*z) */
/* The number of warps, and warp i below it; 32 threads in linear order make a warp. */
uint32_t ct_cta_warps(const struct ct_cta *cta);
const struct ct_warp_info *ct_cta_warp(const struct ct_cta *cta, uint32_t i);

/* Reads the stream of one warp of a CTA. Not thread-safe itself; any number of
 * cursors may read one CTA at the same time. */
struct ct_cursor;
int ct_cursor_open(struct ct_cursor **c, struct ct_cta *cta, uint32_t i, struct ct_error *e);
/* 1: *inst holds the next instruction; 0: end of the stream; < 0: a spilled part
 * could not be read back. inst->values stays valid until the next call. */
int ct_cursor_next(struct ct_cursor *c, struct ct_inst *inst, struct ct_error *e);
/* The same with less work for those who take most instructions as they come: addresses may
 * stay runs, and *more says how many further instructions differ from this one only in
 * that each sid is one higher than the one before. They have no addresses and count as
 * read: the caller makes them itself, the next call returns the one behind them. */
int ct_cursor_step(struct ct_cursor *c, struct ct_inst *inst, uint32_t *more, struct ct_error *e);
/* Tells only which instructions come: *insts of them, one behind the other in the code, of which the first is *sid.
 * Returns 1, 0 at the end of the stream, or fails as ct_cursor_next() does. Behind it addresses are unknown: until
 * ct_cursor_reset() no other call may read on. */
int ct_cursor_stretch(struct ct_cursor *c, uint32_t *sid, uint32_t *insts, struct ct_error *e);
/* Asks the host's memory for what the next call will read; c may be NULL. */
void ct_cursor_ahead(const struct ct_cursor *c);
/* Starts again at the head of another warp (reuses the cursor's memory). */
int ct_cursor_reset(struct ct_cursor *c, struct ct_cta *cta, uint32_t i, struct ct_error *e);
void ct_cursor_close(struct ct_cursor *c); /* NULL allowed */

CT_DECLS_END

#endif
