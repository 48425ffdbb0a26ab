/* engine.h - the engine as a whole, for its own files (private).
 *
 * Time advances in windows. A request that leaves an SM needs at least the LLC's
 * latency before anything of it comes back, so within a window of that length SMs
 * do not see each other: each runs through the window by itself (timing.h), then the
 * request network (noc.c), then slices and DRAM channels (slice.c, dram.c), then the
 * reply network. CTAs are handed out between SMs in the order of simulated time
 * (place.c). Cycle numbers of an SM are counted from the start of the launch;
 * those of the memory system never restart. */
#ifndef CT_REPLAY_ENGINE_H
#define CT_REPLAY_ENGINE_H

#include <stdint.h>

#include "base/hot.h"
#include "base/pool.h"
#include "gpu/address.h"
#include "gpu/coalesce.h"
#include "gpu/gpu.h"
#include "gpu/occupancy.h"
#include "replay/parts.h"
#include "replay/private/divide.h"
#include "replay/private/sm.h"
#include "replay/replay.h"
#include "trace/record.h"

/* Derived DRAM timing, DRAM cycles (dram.c). */
struct rp_dram_timing {
	uint32_t burst, rtw, wtr, wtp, rcdwr;
	/* banks b with the same b & group_mask are a group: so many groups, and of each its banks */
	uint32_t group_mask, groups, banks_of[8];
};
struct rp_dram_timing rp_dram_timing_of(const struct ct_gpu *g);

/* A clock beside that of the SMs: both without their common divisor. Its ticks are counted from 0 like core
 * cycles, and each passes during a core cycle. */
struct rp_clock {
	struct rp_divisor core, own;
	int same; /* a tick is a core cycle */
};
/* Clocks in one unit, above 0 (dram.c). */
void rp_clock_reduce(struct rp_clock *c, uint64_t core, uint64_t own);
/* First tick that belongs to a core cycle or to a later one. */
static inline uint64_t rp_tick_of(const struct rp_clock *c, uint64_t core)
{
	return c->same ? core : rp_divide_by(core * c->own.by, &c->core);
}
/* The core cycle during which a tick passes. */
static inline uint64_t rp_core_of(const struct rp_clock *c, uint64_t tick)
{
	return c->same ? tick : rp_divide_by((tick + 1) * c->core.by - 1, &c->own);
}

struct rp_slice;
struct rp_partition;
struct rp_net;
struct rp_directory;
struct rp_llc_log;
struct rp_parts;
struct rp_timing;
struct rp_team;
struct rp_told;
struct rp_lines;

struct ct_replay {
	struct ct_gpu g;
	struct ct_address_map map;
	const struct rp_timing *timing; /* timing.h */
	unsigned free;                  /* enum ct_replay_free */
	unsigned ideal;                 /* enum ct_replay_ideal */
	struct ct_replay_observer *obs;
	unsigned nobs;
	int has_l1, has_llc, has_issue, has_mem, has_stall, replication;
	int l1_in_short;        /* what is told of the L1 is told in short only */
	struct rp_lines *lines; /* l1.h; NULL: nobody asks for them */
	uint64_t warmup;

	/* derived */
	uint32_t slots; /* warps per scheduler, rounded to blocks */
	uint32_t warps, banks, reg_banks;
	uint32_t l1_sectors, l1_sector_bits, l1_line_bits;
	uint32_t llc_sectors, llc_sector_bits, llc_line_bits;
	uint32_t llc_per_l1;           /* LLC sectors per L1 sector */
	uint32_t window, whole_window; /* cycles; without parts they are the same */
	struct rp_clock dram_clock, noc_clock, llc_clock;
	struct rp_dram_timing dram_timing;

	/* the launch */
	const struct ct_kernel *kernel;
	const struct ct_code *code;
	struct rp_op **ops;       /* chunks: warps hold pointers while the code grows */
	struct rp_shape **shapes; /* likewise */
	uint32_t nops, chunks;
	size_t chunks_cap, shapes_cap;
	struct ct_occupancy occ;
	struct ct_local_map local;
	uint64_t base;        /* memory cycle of the launch's cycle 0 */
	uint64_t epoch;       /* memory cycle from which due cycles count (lru.h) */
	uint32_t first_place; /* first cycle in which CTAs are placed */
	int in_kernel, ended;
	uint64_t launch_ctas, launch_key;
	uint32_t end_cycle;
	uint64_t warp_age;

	/* placement */
	uint32_t last_sm;                      /* that got a CTA */
	uint64_t placed;                       /* memory cycle in which it did */
	uint32_t round, round_start, round_at; /* cycle of the round in progress or RP_NEVER */
	struct ct_cta *waiting;

	/* memory system */
	uint64_t horizon; /* start of the present window */
	struct rp_partition *part;
	uint32_t partitions;
	struct rp_slice *slice;
	struct rp_net *to_llc, *to_sm;

	struct ct_pool pool; /* what lasts as long as the engine */
	struct rp_sm *sm;
	struct ct_replay_counts total, at_begin, at_warm;
	uint64_t launch, cycles_before;
	uint64_t most_cycles; /* of the options */
	int warm;             /* warm-up is over */
	int stopped;          /* has run for more than most_cycles */
	struct ct_error error;
	struct rp_directory *directory;
	struct rp_quick *quick; /* quick timing: its memory system */
	struct rp_llc_log *llc_log;
	struct rp_team *team; /* team.h; NULL: SMs run one after the other */
	struct rp_told *told; /* [SM]: SMs run side by side and note what observers will be told */

	/* parts; all NULL or 0 without any */
	struct rp_parts *parts;
	const struct ct_l1_part *l1_part;
	const struct ct_admission_part *admission;
	const struct ct_llc_part *llc_part;
	const struct ct_collector_part *collector_part;
	int l1_alone;     /* an L1 organisation without other parts beside it */
	int core_parts;   /* a scheduler or a collector */
	int usual;        /* an SM as step.h takes to be usual */
	int usual_memory; /* a memory system as usual.h does */
	int usual_llc;    /* what of it is behind the SMs */
	int usual_banks;  /* the banks of the L1s */
	int front_end;    /* code and branches cost time */
	int oldest_first; /* schedulers prefer the oldest warp */
	int two_level; /* schedulers of full timing have a set of active warps, and no part has a say */
};

/* ops.c: decodes static instructions up to sid. < 0: it is not in the code, or out of memory; the run has
 * failed. */
int rp_ops_reserve(struct ct_replay *r, uint32_t sid);
void rp_ops_free(struct ct_replay *r);
/* Accesses to the fullest bank of shared memory, whose banks are a power of two; *p is of the
 * instruction's sid. */
uint32_t rp_shared_degree(struct ct_replay *r, const struct ct_inst *inst, struct rp_shape *p);
/* The static instruction of sid; NULL as above. */
static inline const struct rp_op *rp_op_at(struct ct_replay *r, uint32_t sid)
{
	if (sid >= r->nops && rp_ops_reserve(r, sid) < 0)
		return NULL;
	return &r->ops[sid / RP_OPS_CHUNK][sid % RP_OPS_CHUNK];
}

/* table.c: a copy of a table with room for `cap` entries of `size` bytes, of which `had` are those of the
 * old one, which stays with the pool; NULL: out of memory, the run has failed. */
void *rp_table_copy(struct ct_replay *r, const void *table, uint32_t had, uint32_t cap, size_t size);
/* Twice as many entries, `least` at first; the new ones go to the front of the list of free ones, by the
 * number of 32 bits that is `link` bytes into each. < 0: out of memory, the run has failed. */
int rp_table_grow(struct ct_replay *r, void **table, uint32_t *cap, uint32_t least, size_t size,
                  size_t link, uint32_t *free);

/* free.c: sets parameters of the resources that cost nothing (enum ct_replay_free). */
void rp_make_resources_free(struct ct_gpu *g, unsigned what);

/* place.c: the cycle of the launch at which the present window ends, 0: before the launch begins. */
uint32_t rp_window_end(const struct ct_replay *r);
/* Runs SMs from..to - 1 up to cycle `end`, or to their offers, one after the other; looks at no others. Returns the first that
 * has failed, else RP_NO_INDEX. */
uint32_t rp_run_some(struct ct_replay *r, uint32_t from, uint32_t to, uint32_t end);
/* The launch's cycle in which the window begins; 0 where that was before the launch, which begins within a window when the one
 * before it has just ended. */
static inline uint64_t rp_window_start(const struct ct_replay *r)
{
	return r->horizon > r->base ? r->horizon - r->base : 0;
}
/* The launch's cycle of one of the memory system: 0 before the launch, at most RP_LAST_CYCLE. */
static inline uint32_t rp_launch_cycle(const struct ct_replay *r, uint64_t at)
{
	return at < r->base                   ? 0
	       : at - r->base > RP_LAST_CYCLE ? RP_LAST_CYCLE
	                                      : (uint32_t)(at - r->base);
}
/* The launch lasts for longer than its cycles are counted: the run has failed. */
int rp_too_long(struct ct_replay *r);
/* Until the CTA that waits has been placed; until all have left. */
int rp_place_waiting(struct ct_replay *r);
int rp_run_to_end(struct ct_replay *r);

/* counts.c: a launch begins, with so many cycles before its first CTA; a window is over, and with it
 * perhaps the warm-up; the launch has ended (*c, which may be NULL, gets its counts). */
void rp_counts_begin(struct ct_replay *r, uint64_t launch);
void rp_counts_warm(struct ct_replay *r);
void rp_counts_end(struct ct_replay *r, struct ct_replay_counts *c);
/* Core cycles that have been counted up to the present window, without launches; 0 before the warm-up is over. */
uint64_t rp_counts_cycles(const struct ct_replay *r);

/* replay.c: the run fails, unless it has before; returns its status. */
int rp_fail(struct ct_replay *r, int status, const char *text);

#endif
