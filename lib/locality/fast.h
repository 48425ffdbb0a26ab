/* fast.h - state of the fast engine, shared by its compiled variants. Private.
 *
 * Each line maps to the time slot of its last touch (dense.h or sparse.h); the slots
 * are counted in a window (window.h). An access passes four stages: find the region,
 * find the time, exchange it for the new slot, count the live slots after the old one.
 * The first three work ahead of the last by tens of accesses and prefetch what the
 * next stage needs, so that the memory latency of map and window is hidden. The stages
 * change the map and the window each in stream order, so results are exact. */
#ifndef CT_LOCALITY_FAST_H
#define CT_LOCALITY_FAST_H

#include "locality/dense.h"
#include "locality/isa.h"
#include "locality/sm_stacks.h"
#include "locality/sparse.h"
#include "locality/stack_engine.h"
#include "locality/window.h"

/* Times below CT_WINDOW_FIRST. */
enum { CT_TIME_NONE = 0, CT_TIME_FAR = 1 /* known, but beyond the bounded depth */ };

enum {
	CT_FAST_AHEAD = 32,  /* accesses in a block; stages are a block apart */
	CT_FAST_CHUNK = 4096 /* accesses between two checks of memory and window */
};

struct ct_fast;
struct ct_renumber;

struct ct_fast_kernel {
	/* n plain touches, n at most what ct_fast_prepare() gave. */
	void (*touch)(struct ct_fast *f, const uint64_t *line, size_t n, uint64_t *distance);
	/* The same split in two for a pipeline of two threads. map: stages one to three;
	 * the first line gets slot `first`, told[i] gets the old time. count: stage four. */
	void (*map)(struct ct_fast *f, const uint64_t *line, size_t n, uint32_t first, uint32_t *told);
	void (*count)(struct ct_fast *f, const uint32_t *told, size_t n, uint64_t *distance);
	void (*ops)(struct ct_fast *f, struct ct_stack_op *op, size_t n);
	/* Compaction: n times, in place. */
	void (*renumber)(const struct ct_renumber *r, uint32_t *time, size_t n);
	/* Accesses of many SMs, and their compaction (sm_stacks.h); r[] by SM. */
	void (*sms)(struct ct_sm_stacks *s, const struct ct_line_access *ev, const uint32_t *number,
	            size_t n, struct ct_sm_met *met, struct ct_sharing *sharing);
	void (*sms_renumber)(struct ct_sm_stacks *s, const struct ct_renumber *r);
};

/* The variant for an enum ct_isa (0 = best). */
const struct ct_fast_kernel *ct_fast_kernel_of(int isa);

/* How compaction renumbers: live slots in order; the `lost` oldest lose theirs. */
struct ct_renumber {
	const struct ct_fast_kernel *kernel;
	const uint64_t *bits;
	const uint32_t *rank; /* live slots before each word */
	uint32_t lost;
};

struct ct_fast {
	struct ct_stack base;
	const struct ct_fast_kernel *kernel;
	int is_sparse;
	int extra; /* lines have a struct ct_sector_run */
	struct ct_dense dense;
	struct ct_sparse sparse;
	struct ct_window window;
	uint64_t end;   /* slot at which the window is compacted, at most window.slots */
	uint64_t step;  /* options.window: slots between compactions, 0 = automatic */
	uint64_t depth; /* distances are bounded by this, UINT64_MAX = not */
	uint64_t lines; /* known lines, those beyond the depth included */
	size_t slack;   /* bytes that a dense map may have beyond its lines' */
	unsigned threads;
	int isa;                 /* as in the options */
	ct_block *scratch_block; /* handed out when memory is short, like the next two */
	uint32_t scratch_time;
	struct ct_sector_run scratch_run;
};

/* Makes room; returns how many of the next n accesses may be done before the next
 * call, 0 when the stack has failed. */
size_t ct_fast_prepare(struct ct_fast *f, size_t n);

/* 1 if the dense map is too large for `known` lines. */
int ct_fast_too_sparse(const struct ct_fast *f, uint64_t known);

/* The stack if it is a fast one, else NULL. */
struct ct_fast *ct_stack_as_fast(struct ct_stack *s);
/* The f->lines lines of an unbounded stack, the one touched last at the end. 0, or -1 when
 * out of memory. */
int ct_fast_order(const struct ct_fast *f, uint64_t *line);

/* Slow paths of the stages; never NULL (scratch memory when out of memory, and the
 * stack has failed). */
ct_block **ct_fast_region(struct ct_fast *f, uint64_t line);
ct_block *ct_fast_block(struct ct_fast *f, ct_block **at);
uint32_t *ct_fast_enter(struct ct_fast *f, uint64_t hash, uint64_t line, struct ct_sector_run **run);

extern const struct ct_fast_kernel ct_fast_portable;
#if CT_X86
extern const struct ct_fast_kernel ct_fast_popcnt, ct_fast_avx2, ct_fast_avx512;
#endif

#endif
