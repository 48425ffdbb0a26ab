/* walk.h - the naive walk: caches without time. */
#ifndef CT_FIDELITY_WALK_H
#define CT_FIDELITY_WALK_H

#include "base/error.h"
#include "gpu/gpu.h"
#include "trace/trace.h"

struct walk_counts {
	uint64_t l1_accesses, l1_misses, llc_reads, llc_read_misses;
};

/* Walks the whole trace: CTAs dealt one per SM in turn, warps round robin with one
 * memory instruction each, LRU tags of the configured L1 (emptied at each launch) and
 * LLC, 32 B sectors, local memory where it lies; no latency, no MSHR. */
int walk_trace(struct ct_trace *t, const struct ct_gpu *g, struct walk_counts *c, struct ct_error *e);

#endif
