/* guard.h - keeps CTAs that run side by side from seeing one another. Private.
 *
 * A CTA runs ahead of earlier ones as long as it meets none of them in global memory. Memory is divided
 * into granules; each has a mark that says which CTA has read or written it. An access that would
 * see what another CTA of those not yet committed did, or would change what such a one has seen, is not made: the launch
 * goes back to the last committed CTA and on from there in order. So every access that is made sees what
 * it sees in launch order. Ranges that nothing of the launch has stored to have no marks: the first
 * store to one stops the CTAs that are not committed, too, and gives the range marks.
 *
 * Reductions that return nothing are put off until their CTA is committed. */
#ifndef CT_PTX_GUARD_H
#define CT_PTX_GUARD_H

#include <stdatomic.h>

#include "ptx/exec.h"

enum { CT_PTX_GRANULE = 32 }; /* bytes: a sector, so that neighbours rarely share one */

/* The fault that ends a CTA which may not go on; never seen outside. */
#define CT_PTX_OUT_OF_ORDER ((enum ct_ptx_fault_kind)(CT_PTX_LAUNCH + 1))

typedef _Atomic(uint32_t) ct_ptx_mark;

/* What a granule held before a CTA wrote to it. */
struct ct_ptx_undo {
	unsigned char *at; /* NULL: nothing */
	ct_ptx_mark *mark;
	uint32_t bytes;
	unsigned char old[CT_PTX_GRANULE];
};

/* A reduction that waits for its CTA's turn. */
struct ct_ptx_late {
	const struct ct_ptx_op *op;
	unsigned char *at;
	uint64_t b;
};

/* What one CTA did that is not committed. */
struct ct_ptx_claim {
	struct ct_ptx_undo *undo;
	size_t undos, undo_cap;
	struct ct_ptx_late *late;
	size_t lates, late_cap;
};

/* What the threads of a launch share. */
struct ct_ptx_guard {
	const struct ct_ptx_range *range; /* of the launch; another's */
	size_t nranges;
	ct_ptx_mark **marks;       /* of each range, or NULL */
	_Atomic(uint64_t) done;    /* CTAs below this are committed */
	atomic_int stop;           /* no CTA may go on */
	_Atomic(uint32_t) unknown; /* range that was stored to and has no marks, or UINT32_MAX */
};

/* What one thread keeps for the CTA that it runs. */
struct ct_ptx_guarded {
	struct ct_ptx_guard *all;
	struct ct_ptx_claim *claim;
	uint32_t number; /* of the CTA, plus 1 */
};

/* Prepares the guard of a run's ranges: 0, or -1 when out of memory. */
int ct_ptx_guard_init(struct ct_ptx_guard *g, const struct ct_ptx_run *r);
void ct_ptx_guard_free(struct ct_ptx_guard *g);
/* Gives the range in `unknown` its marks, while no CTA runs: 0, or -1 where it can have none. */
int ct_ptx_guard_learn(struct ct_ptx_guard *g);

/* Before an access of w->run with a guard, whose addresses are resolved: 0, or -1 where the CTA may not
 * go on. */
int ct_ptx_guard_access(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t mask, unsigned bytes,
                        int writes);
/* Before a reduction of one lane: 0 it may be made, 1 it is put off, -1. */
int ct_ptx_guard_reduce(struct ct_ptx_warp *w, const struct ct_ptx_op *o, uint32_t lane, uint64_t b);
/* The texels of a texture are read, or part of the launch outside of memory is asked for, which only
 * order gives: 0, or -1. */
int ct_ptx_guard_texels(struct ct_ptx_warp *w, const struct ct_ptx_op *o, const void *texels);
int ct_ptx_guard_refuse(struct ct_ptx_warp *w, const struct ct_ptx_op *o);

/* Makes the CTA's reductions; what it did stays. In launch order. */
void ct_ptx_claim_keep(struct ct_ptx_claim *c);
/* Memory is as before the CTA, and its marks are gone. While no CTA runs. */
void ct_ptx_claim_undo(struct ct_ptx_claim *c);
void ct_ptx_claim_free(struct ct_ptx_claim *c);

/* One step of a reduction in memory (exchange.c). */
void ct_ptx_reduce(const struct ct_ptx_op *o, void *at, uint64_t b);

#endif
