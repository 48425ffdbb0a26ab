/* phase_clock.h - when a replay has come how far: the cycle by its warp instructions.
 *
 * A phase is a range of warp instructions, counted in the order in which the GPU as configured issues them. With a
 * mechanism the GPU issues them in another order, so that phases overlap a little. The border of two phases is the cycle at
 * which as many warp instructions have been issued as the phases before it hold: then exactly as many instructions of later
 * phases came too early as of earlier ones are still to come. The cycles of all phases add up to those of the run. */
#ifndef CT_TOOLS_MPKI_PHASE_CLOCK_H
#define CT_TOOLS_MPKI_PHASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "replay/replay.h"

enum mpki_clock_event { MPKI_ISSUED, MPKI_STARTED, MPKI_ENDED, MPKI_CLOCK_EVENTS };

struct mpki_clock_launch {
	uint64_t insts, cycles;         /* of all launches before this one */
	uint64_t own_insts, own_cycles; /* of this one */
	uint64_t overhead;              /* cycles before its first CTA */
	uint64_t work;                  /* cycles of the launches before, without their overheads */
};

/* One replay. Events are counted in bins of equal width; when all are used, two become one. */
struct mpki_clock {
	uint64_t *bin[MPKI_CLOCK_EVENTS]; /* after mpki_clock_finish(): of this bin and all before */
	unsigned shift;                   /* log2 of a bin's cycles */
	size_t used;
	struct mpki_clock_launch *launch;
	size_t launches, cap;
};

/* Fails with CT_ERR_NOMEM. Free with mpki_clock_free() also then. */
int mpki_clock_init(struct mpki_clock *c, struct ct_error *e);
void mpki_clock_free(struct mpki_clock *c);
/* Counts in *c what a replay issues; *c must outlive it. */
struct ct_replay_observer mpki_clock_observer(struct mpki_clock *c);
/* Comes at the end of each launch with its counts. Fails with CT_ERR_NOMEM. */
int mpki_clock_launch(struct mpki_clock *c, const struct ct_replay_counts *counts, struct ct_error *e);
/* Comes once, after the last launch and before the questions below. */
void mpki_clock_finish(struct mpki_clock *c);

/* Cycles, without the overheads of launches, until so many warp instructions have been issued. Pure. */
double mpki_clock_at(const struct mpki_clock *c, uint64_t insts);
/* Warps of launch k that run while the warp instructions from `from` to before `to` are issued. Pure. */
uint64_t mpki_clock_warps(const struct mpki_clock *c, size_t k, uint64_t from, uint64_t to);

#endif
