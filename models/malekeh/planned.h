/* planned.h - private: SW-RFC and LTRF in the replay engine, warp by warp as their instructions come. What the sub-core
 * model (hierarchy.c) takes from the plan of the whole warp is here from the planned code (code.h) and from what the warp
 * has done. */
#ifndef CT_MODELS_MALEKEH_PLANNED_H
#define CT_MODELS_MALEKEH_PLANNED_H

#include "models/malekeh/code.h"
#include "models/malekeh/core_internal.h"

/* A warp. Zero-initialise. */
struct mk_planned {
	struct ct_mk_strand_cut strand;
	struct ct_mk_range_cut range;
	struct ct_mk_regs
		held;     /* values that the cache has, or will have when their instruction is over */
	uint32_t entries; /* SW-RFC: how many */
	/* LTRF: */
	uint32_t decided; /* instructions whose interval is decided */
	uint32_t serial;  /* of the interval, from 1 on */
	int fetched;
	struct ct_mk_regs list;       /* what the interval reads before it writes, */
	struct ct_mk_regs wrote;      /* what it has written, */
	struct ct_mk_regs dirty, out; /* what the banks do not have; of that read after the interval */
};

/* The instruction issues into collector c (MK_NONE: without one). Sources are asked for, and mark[] gets for each register
 * that it writes what mk_planned_write() needs. Returns how many sources the banks have to bring. */
uint32_t mk_planned_take(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                         struct mk_planned *x, const struct ct_mk_op *op,
                         const struct ct_mk_code_op *code, uint32_t *mark);
/* A result comes. */
void mk_planned_write(struct mk_sm *sm, struct mk_core *k, uint32_t warp, struct mk_planned *x,
                      uint8_t reg, uint32_t mark, uint64_t now);
/* LTRF: the warp stands before its instruction number `index`. A new interval is fetched, also when the warp has become
 * active again. 1 if the instruction need not wait for that. */
int mk_planned_ready(struct mk_sm *sm, struct mk_core *k, uint32_t warp, struct mk_planned *x,
                     const struct ct_mk_op *op, const struct ct_mk_code_op *code, uint32_t index,
                     uint64_t now);
/* The warp leaves the active ones. */
void mk_planned_leave(struct mk_sm *sm, struct mk_core *k, uint32_t warp, struct mk_planned *x,
                      uint64_t now);

#endif
