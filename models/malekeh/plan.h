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
	uint16_t keep; /* results written to the small registers */
	uint16_t bank; /* results written to the banks */
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

/* Plans of every warp of a sealed stream. Strands end before an instruction that waits for
 * memory, at branches back and at barriers; values live in three operand registers and
 * one last result, given to what saves most for its length. Needs lives. */
int ct_mk_plan_strands(struct ct_mk_stream *s, struct ct_error *e);
/* Intervals: as many instructions as at most `most` registers allow. */
int ct_mk_plan_ranges(struct ct_mk_stream *s, unsigned most, struct ct_error *e);
void ct_mk_plan_free(struct ct_mk_plan *p); /* NULL allowed */

#endif
