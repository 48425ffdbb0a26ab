/* plan.h - what a compiler would decide for the software-managed register caches.
 * Reconstructions: from the publications named, without their compilers, on the executed
 * path of each warp instead of the control-flow graph. */
#ifndef CT_MODELS_MALEKEH_PLAN_H
#define CT_MODELS_MALEKEH_PLAN_H

#include "models/malekeh/stream.h"

enum { CT_MK_PLAN_SLOTS = 16 }; /* operands of an instruction that a plan covers */

/* Strands (Gebhart and others, A Compile-Time Managed Multi-Level Register File
 * Hierarchy, MICRO 2011): for an instruction, by operand slot. */
struct ct_mk_strand {
	uint16_t hit;  /* sources that come from the small registers */
	uint16_t fill; /* sources read from the banks and kept */
	uint16_t last; /* of hit: nothing of the strand reads the value again */
	uint16_t keep; /* results written to the small registers */
	uint16_t bank; /* results written to the banks */
	uint16_t live; /* of those that could be kept: read after the strand */
};

/* A register interval (Sadrosadati and others, LTRF, ASPLOS 2018). */
struct ct_mk_range {
	uint32_t first;        /* instruction */
	uint32_t regs;         /* where in the plan's regs[] */
	uint8_t reads, writes; /* to fetch: read before written; to write back: written and live */
};

struct ct_mk_plan {
	struct ct_mk_strand *strand; /* by instruction, or NULL */
	struct ct_mk_range *range;   /* in order, or NULL; the last one is an end mark */
	size_t ranges, cap_ranges;
	uint8_t *regs;
	size_t n_regs, cap_regs;
};

/* A set of registers. */
struct ct_mk_regs {
	uint64_t word[4];
};
static inline int ct_mk_regs_has(const struct ct_mk_regs *r, uint8_t reg)
{
	return (int)(r->word[reg / 64] >> (reg % 64) & 1);
}
static inline void ct_mk_regs_put(struct ct_mk_regs *r, uint8_t reg, int in)
{
	uint64_t bit = UINT64_C(1) << (reg % 64);
	r->word[reg / 64] = in ? r->word[reg / 64] | bit : r->word[reg / 64] & ~bit;
}
static inline struct ct_mk_regs ct_mk_regs_either(const struct ct_mk_regs *a, const struct ct_mk_regs *b)
{
	struct ct_mk_regs r;
	for (unsigned q = 0; q < 4; q++)
		r.word[q] = a->word[q] | b->word[q];
	return r;
}
static inline struct ct_mk_regs ct_mk_regs_both(const struct ct_mk_regs *a, const struct ct_mk_regs *b)
{
	struct ct_mk_regs r;
	for (unsigned q = 0; q < 4; q++)
		r.word[q] = a->word[q] & b->word[q];
	return r;
}

/* Where a warp stands in its strand, or in its interval: all that decides whether its next instruction begins
 * another one. Zero-initialise at the warp's first instruction. */
struct ct_mk_strand_cut {
	struct ct_mk_regs slow; /* results of the strand that come from memory */
	uint64_t pc;            /* of the instruction before */
	uint32_t length;        /* instructions of the strand */
	uint8_t branch, ends;   /* the one before may have branched back; has ended the strand */
};
struct ct_mk_range_cut {
	struct ct_mk_regs read, written; /* read: before it is written */
	uint32_t set;                    /* registers in both */
};
/* The warp goes on to an instruction: 1 if a strand (an interval of at most `most` registers) begins with it. */
int ct_mk_strand_step(struct ct_mk_strand_cut *c, const struct ct_mk_stream *s,
                      const struct ct_mk_op *o);
int ct_mk_range_step(struct ct_mk_range_cut *c, const struct ct_mk_stream *s, const struct ct_mk_op *o,
                     unsigned most);

/* Plans of every warp of a sealed stream. Strands end before an instruction that waits for
 * memory, at branches back and at barriers; values live in three operand registers and
 * one last result, given to what saves most for its length. Needs lives. */
int ct_mk_plan_strands(struct ct_mk_stream *s, struct ct_error *e);
/* Intervals: as many instructions as at most `most` registers allow. */
int ct_mk_plan_ranges(struct ct_mk_stream *s, unsigned most, struct ct_error *e);
void ct_mk_plan_free(struct ct_mk_plan *p); /* NULL allowed */

#endif
