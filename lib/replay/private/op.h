/* op.h - static instructions as the engine needs them (private; ops.c decodes them). */
#ifndef CT_REPLAY_PRIVATE_OP_H
#define CT_REPLAY_PRIVATE_OP_H

#include <stdint.h>

#include "gpu/coalesce.h"
#include "trace/record.h"

enum {
	RP_REG_THERE = 0,   /* places of a warp's registers: no register, always there */
	RP_REG_NOWHERE = 1, /* nor this: nobody reads it */
	RP_REG_FIRST = 2,   /* register 0 */
	RP_REGS = 272,      /* whole cache lines of the host */
	RP_PAD_DEP = 4,
	RP_PAD_DST = 2,    /* so many can be looked at without counting them */
	RP_OPS_CHUNK = 256 /* static instructions that are decoded into one piece of memory */
};

/* Units that a scheduler owns one of (the load/store unit is the SM's), in the order in
 * which their instructions are given operand collectors. */
enum rp_unit {
	RP_SP,
	RP_SFU,
	RP_MEM,
	RP_DP,
	RP_INT,
	RP_BRANCH,
	RP_TEX,
	RP_TENSOR,
	RP_UNIFORM,
	RP_OTHER,
	RP_UNITS
};

enum rp_kind {
	RP_COMPUTE,
	RP_BARRIER,
	RP_MEMBAR,
	RP_DEPBAR,
	RP_LDGDEPBAR,
	RP_LOAD,
	RP_STORE,
	RP_ATOMIC,
	RP_ASYNC
};

/* A static instruction as the engine needs it; what nearly all need is in one cache line of the
 * host. */
struct rp_op {
	_Alignas(64) const struct ct_sinst *s;
	uint8_t unit, kind, cls;
	uint8_t ndst;
	uint8_t bypass; /* goes past L1 */
	uint8_t shared; /* shared memory by its opcode */
	uint16_t latency, initiation;
	uint16_t keeps; /* cycles that it keeps its unit: 1 for memory, whose unit is the SM's */
	uint8_t counts_mem, counts_global; /* 1: among mem_insts; among the global requests */
	uint8_t outward;                   /* global or local memory, or a fence: other SMs may see it */
	uint8_t effect; /* enum ct_warp_effect: what it does to its warp besides using a unit */
	uint8_t nread;  /* distinct sources, in read[] */
	uint8_t ndep;   /* distinct registers that have to be there, in dep[] */
	uint8_t read[CT_MAX_SRC];
	uint16_t dst[CT_MAX_DST], dep[CT_MAX_DST + CT_MAX_SRC]; /* places, padded by RP_REG_* */
	uint32_t groups_left;                                   /* of CT_EFFECT_WAIT_GROUPS */
};

/* How a static instruction's addresses lay in the banks of shared memory the last time. */
struct rp_shape {
	uint8_t nruns, naddr, in_word, degree; /* no runs: nothing is known */
	uint8_t lanes[CT_ADDR_RUNS];
	int64_t delta[CT_ADDR_RUNS];
};

#endif
