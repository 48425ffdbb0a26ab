/* timing.h - the timings of the engine behind one table of functions (private).
 *
 * What an instruction means is the same for all of them (instruction.h); a timing says when. The
 * engine asks its timing once for each launch, window, SM and warp, never for each instruction:
 * place.c drives the windows, and within one of them an SM runs in a loop of the timing's own.
 *
 * To add a timing: a file with its table, a line in rp_timing_of() and a value of
 * enum ct_replay_timing. */
#ifndef CT_REPLAY_PRIVATE_TIMING_H
#define CT_REPLAY_PRIVATE_TIMING_H

#include "base/bits.h"
#include "replay/private/engine.h"

struct rp_timing {
	const char *name;        /* as users give it */
	uint8_t takes_parts;     /* mechanisms can be plugged in (parts.h) */
	uint8_t knows_networks;  /* others than the crossbar */
	uint8_t knows_front_end; /* that code and branches cost time */
	uint8_t waits_for_fills; /* a sector is reserved until its fill comes (tags.h); else it knows when its
	                            data will be there (lru.h) */
	uint8_t ideal;           /* levels that it can take for ideal, enum ct_replay_ideal */

	/* State of its own, when the SMs and the slices are there. Returns 0 or fails. */
	int (*init)(struct ct_replay *r, struct ct_error *e);
	/* A launch begins, for an SM whose common state is set. */
	void (*begin_sm)(struct ct_replay *r, struct rp_sm *sm);
	/* The warp has been placed in cycle `now`: its first instruction, or its end. */
	void (*start_warp)(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now);
	/* A window begins. */
	void (*begin_window)(struct ct_replay *r);
	/* Asks the host's memory for what the SM will look at first in this window; then for what that
	 * points at, when it is near. */
	void (*prefetch_sm)(const struct ct_replay *r, const struct rp_sm *sm);
	void (*prefetch_warps)(const struct ct_replay *r, const struct rp_sm *sm);
	/* Runs the SM up to cycle `end` (not included) or to the cycle of its offer. */
	void (*run_sm)(struct ct_replay *r, struct rp_sm *sm, uint32_t end);
	/* The SM's next cycle with something to do; RP_NEVER: it is idle until a reply or a CTA comes. */
	uint32_t (*next_event)(const struct ct_replay *r, const struct rp_sm *sm);
	/* All SMs have run to the end of the window, memory cycle `end`: the memory system serves what
	 * they have asked for. Returns 0 or the engine's error. */
	int (*end_window)(struct ct_replay *r, uint64_t end);
	/* Whether nothing of its own is on its way between SMs and slices. */
	int (*memory_idle)(const struct ct_replay *r);
};

extern const struct rp_timing rp_timing_full;  /* full.c: resources, queues, DRAM */
extern const struct rp_timing rp_timing_quick; /* quick_run.c: what contention costs, estimated */

/* timing.c: the table of a timing; what is not in the enum has full timing. */
const struct rp_timing *rp_timing_of(enum ct_replay_timing timing);

/* Asks the host's memory for all cache lines that `bytes` lie in. */
static inline void rp_prefetch_bytes(const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 64)
		CT_BRING((const char *)from + i);
}

#endif
