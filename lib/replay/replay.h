/* replay.h - the virtual GPU: runs a trace with approximate time.
 *
 * Push interface: the caller feeds kernels and CTAs in launch order, so that one
 * pass over a trace can drive several GPUs (other SM counts) at the same time:
 *
 *     ct_replay_new(&r, &gpu, &options, &err);
 *     for each kernel: ct_replay_kernel_begin(r, kernel, code_ctas, &err);
 *         for each CTA:  ct_replay_push_cta(r, cta, &err);
 *         ct_replay_kernel_end(r, &kernel_counts, &err);
 *     ct_replay_total(r, &counts);
 *
 * push_cta advances simulated time only until the CTA has a slot, so at most one
 * GPU's worth of CTAs is resident. Deterministic; one engine belongs to one thread. */
#ifndef CT_REPLAY_REPLAY_H
#define CT_REPLAY_REPLAY_H

#include <stdint.h>

#include "base/access.h"
#include "base/decls.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "trace/record.h"

CT_DECLS_BEGIN

struct ct_replay;
struct ct_replay_parts;

/* One line of one warp instruction at an L1 (global, local and generic). */
struct ct_l1_event {
	uint32_t sm, subcore, warp_slot, cta_slot;
	uint32_t sid;
	uint64_t pc; /* of the instruction, in its kernel */
	uint64_t cycle;
	uint64_t line;                                 /* address / line bytes */
	uint32_t sectors;                              /* asked for */
	uint32_t hit, pending, sector_miss, line_miss; /* sector masks, a partition of sectors;
	                                                  0 for accesses that bypass L1 */
	uint64_t bytes[2];                             /* byte mask of a 128 B line */
	uint8_t is_write, is_atomic, bypass;
};

/* One line of one warp instruction at the LLC, with all its sectors that left the L1
 * together, even where the engine serves them one by one: the locality views count
 * line accesses, and four sectors of one line are one access (IM and RD llc rely on
 * it). The cycle is that of the first sector. */
struct ct_llc_event {
	uint32_t sm, slice;
	uint64_t cycle, line;
	uint32_t sectors; /* mask */
	uint32_t hit, pending, miss;
	uint64_t bytes[2]; /* stores: byte mask of a line of 128 B */
	/* The instruction's, for those who observe the L1 as well; CT_NO_SID where nobody knows, as of what a part
	 * sends of its own accord. */
	uint32_t sid;
	uint8_t is_write, is_atomic;
};
#define CT_NO_SID UINT32_MAX

/* One issued warp instruction. */
struct ct_issue_event {
	uint32_t sm, subcore, warp_slot, cta_slot;
	uint64_t cycle;
	uint64_t warp_key; /* unique per warp of the launch */
	const struct ct_sinst *sinst;
	const struct ct_inst *inst; /* its addresses may be runs */
	uint8_t first, last;        /* of its warp */
};

/* A thread block (CTA) comes to an SM or leaves it. */
struct ct_cta_event {
	uint32_t sm, cta_slot;
	uint64_t cycle;
	uint8_t ends;
};

/* One memory instruction that is over: a load, atomic or LDGSTS when its data is there, a
 * store when the load/store unit is through with it. Full timing only. */
struct ct_mem_event {
	uint32_t sm, warp_slot;
	uint64_t issued; /* cycle of its issue event; sm, warp_slot and this name it */
	uint64_t taken;  /* by the load/store unit */
	uint64_t done;   /* its registers can be read */
	uint32_t busy;   /* cycles of the load/store unit */
};

/* The next instruction of a warp has waited so many cycles for this load from global or local memory, atomic or LDGSTS:
 * since it began to wait, or since another one came back that it needs as well. The sum is mem_stall_warp_cycles.
 * With quick timing all of the wait is told of the one whose end became known last. */
struct ct_stall_event {
	uint32_t sm, warp_slot;
	uint32_t sid; /* of the load */
	uint64_t cycles;
};

/* Hooks; any may be NULL. Called in simulated-time order per SM, mem when the engine knows
 * the instruction's end. */
struct ct_replay_observer {
	void *ctx;
	void (*l1)(void *ctx, const struct ct_l1_event *ev);
	void (*llc)(void *ctx, const struct ct_llc_event *ev);
	void (*issue)(void *ctx, const struct ct_issue_event *ev);
	void (*mem)(void *ctx, const struct ct_mem_event *ev);
	void (*stall)(void *ctx, const struct ct_stall_event *ev);
	void (*cta)(void *ctx, const struct ct_cta_event *ev);
	void (*l1_wipe)(void *ctx, uint32_t sm); /* a MEMBAR has emptied the SM's L1 */
	void (*counted)(void *ctx);              /* warm-up is over: the engine counts from here on */
	/* The same lines as l1 has but for what passes the L1, and as llc has, in short and several at once: some time
	 * later, before `counted` and the end of the launch. An engine is faster where nobody asks for more. */
	void (*l1_lines)(void *ctx, const struct ct_line_access *a, size_t n);
	void (*llc_lines)(void *ctx, const struct ct_line_access *a, size_t n);
};

/* Counters in Accel-Sim's conventions: sector accesses, a
 * pending hit is an access and not a miss. All additive. */
struct ct_replay_counts {
	uint64_t warp_insts, thread_insts, mem_insts;
	uint64_t global_requests, global_lane_accesses;
	uint64_t l1_accesses, l1_misses, l1_pending, l1_sector_misses /* tag hit, sector absent */;
	uint64_t l1_read_accesses, l1_read_misses, l1_read_pending;
	uint64_t l1_store_line_hits; /* sectors of stores to lines that the L1 held, in whatever state
	                                the sectors were */
	uint64_t l1_line_accesses, l1_line_misses; /* 128 B lines: a line with any sector missing */
	uint64_t llc_accesses, llc_misses, llc_pending, llc_read_accesses, llc_read_misses;
	uint64_t llc_line_accesses, llc_line_misses;
	uint64_t dram_read_bytes, dram_write_bytes;
	uint64_t cycles, launch_cycles; /* cycles include launch_cycles */
	uint64_t ctas, warps;
	uint64_t replicated_misses, line_copies, line_fills; /* replication, at the fills of L1
	        read misses: misses whose line sits in another L1; copies over all L1s after
	        the fill, this one included; number of fills */
	/* what the analytic twin needs (IM records) */
	uint64_t unit_insts[CT_CLASS_COUNT];
	uint64_t l1_busy, noc_request_busy, noc_reply_busy, llc_busy, dram_busy; /* resource cycles */
	/* SM cycles in which a sector at the head of an L1 bank waits, since no line of its set can leave (each waits for a fill, or
	   is modified and kept by l1.dirty_percent), or since no miss register takes it; 0 with quick timing and where the L1 is
	   a part */
	uint64_t l1_set_stall, l1_mshr_stall;
	/* The same cycles where a line of the set could leave but for l1.dirty_percent: of each launch those of the SM in which they
	   are most */
	uint64_t l1_modified_stall;
	uint64_t llc_merge_stall; /* cycles of slices that stand still since the entry of the sector
	                             that their head asks for takes no more requests */
	/* network cycles in which the crossbar of requests, or of replies, has as many packets to move as it can at once: inputs
	   whose packet waits or is still leaving are as many as the fewer of SMs and slices, or more */
	uint64_t noc_request_backlog, noc_reply_backlog;
	/* DRAM command cycles, over channels, in which one holds as many requests as it has banks, or more; and those of
	   them in which it moves data, the rest being lost to rows and turns of the bus */
	uint64_t dram_backlog, dram_backlog_busy;
	uint64_t mem_latency_sum, mem_latency_count;  /* cycles from issue to data, loads */
	uint64_t resident_warp_cycles;                /* sum over warps of residency */
	uint64_t busy_sm_cycles;                      /* cycles an SM held any CTA */
	uint64_t outstanding_sum, outstanding_cycles; /* loads in flight per SM, when any */
	uint64_t issue_stall_cycles;                  /* scheduler had warps, none could issue */
	uint64_t mem_stall_warp_cycles; /* sum over warps of the cycles in which the next instruction
	                   waits for a register or an LDGSTS group that an outstanding global or local
	                   load will fill, beyond what its other dependences would have cost */
	uint64_t mem_stall_open;  /* in these cycles, the sum over warps of their memory instructions
	                   on the way when the wait began; 0 with quick timing */
	uint64_t sm_cta_capacity; /* CTAs the GPU holds at once, summed over kernels */
	uint64_t ctas_first_wave; /* min(CTAs, capacity), summed */
};

enum ct_replay_timing {
	CT_REPLAY_FULL, /* resources, queues, DRAM */
	/* warps run ahead of each other and are charged what contention within an SM costs; 1 was a timing that is gone */
	CT_REPLAY_QUICK = 2
};

/* Resources that cost no time, for asking what they cost (mpki --explain). What is cached
 * stays as it is: a free DRAM answers the misses of the LLC, a free LLC still has them. */
enum ct_replay_free {
	CT_REPLAY_FREE_ISSUE = 1u << 0,        /* units, operand collectors, register banks; each
	                                          scheduler still issues one instruction a cycle */
	CT_REPLAY_FREE_DEPENDENCIES = 1u << 1, /* results of units are there after a cycle */
	CT_REPLAY_FREE_L1 = 1u << 2,           /* L1 and shared memory: latency, ports, MSHRs */
	CT_REPLAY_FREE_NETWORK = 1u << 3,      /* any number of packets per port and cycle */
	CT_REPLAY_FREE_LLC = 1u << 4,          /* latency, ports, queues, MSHRs of the slices */
	CT_REPLAY_FREE_DRAM = 1u << 5,         /* answers in the next cycle */
	CT_REPLAY_FREE_MSHR = 1u << 6          /* MSHR entries and merges of L1 and LLC */
};

/* Levels that are as good as they can be, for bounds of what a mechanism can gain there. Latencies, ports and
 * the work of instructions stay. */
enum ct_replay_ideal {
	/* Every load hits an L1, its first touch too, and asks the LLC for nothing. A store hits as well,
	 * and goes on to the LLC: an L1 that writes through spares it nothing, however large. What passes
	 * the L1 by its opcode (atomics, ...) still does. */
	CT_REPLAY_IDEAL_L1 = 1u << 0,
	CT_REPLAY_IDEAL_LLC = 1u << 1,      /* the LLC never misses: nothing reaches DRAM */
	CT_REPLAY_IDEAL_REGISTERS = 1u << 2 /* each operand is read in one step, whatever bank it is in;
	                                       CT_REPLAY_FULL only: quick timing has no register banks */
};

struct ct_replay_options {
	enum ct_replay_timing timing;
	unsigned free; /* enum ct_replay_free; CT_REPLAY_FULL only */
	/* enum ct_replay_ideal. CT_ERR_UNSUPPORTED where the timing does not know the level, and beside a part that takes
	 * the place of that level */
	unsigned ideal;
	const struct ct_replay_observer *observers;
	unsigned n_observers;
	uint64_t warmup; /* the first warp instructions are not counted; of the launch in which
	                        they end, CTAs and warps are */
	int replication; /* count replication against the other L1s */
	/* Core cycles without launches and warm-up after which nobody needs more: the engine stops at the end of the
	 * window in which it has passed them and takes what comes then without replaying it, so that it counts more
	 * cycles than these and less of everything than it would have. 0: it replays all. */
	uint64_t most_cycles;
	const struct ct_replay_parts *parts; /* parts.h; NULL: none. Copied, what it points at is not.
	                        CT_REPLAY_FULL only, else CT_ERR_UNSUPPORTED */
};

/* Makes a replay of this GPU, which is copied. The caller frees *r with ct_replay_free(). Fails with
 * CT_ERR_NOMEM, and with CT_ERR_UNSUPPORTED where the options do not go with each other or with the GPU.
 * One thread at a time for a replay; several replays may run at once. */
int ct_replay_new(struct ct_replay **r, const struct ct_gpu *g, const struct ct_replay_options *o,
                  struct ct_error *e);
/* Has work(arg) called in another thread, number `helper` from 0 on, soon, when it has time for it, or not at all; in
 * place of what was asked for before and has not been called yet. */
typedef void ct_replay_post(void *poster, unsigned helper, void (*work)(void *arg), void *arg);
/* From now on other threads run some of the SMs while the caller's runs the others. Results are the same. An observer's
 * calls come one at a time and in the same order, but from any of the threads. Does nothing for a replay with parts or with
 * a network that is not the crossbar, with observers of issues, memory instructions or stalls, or of few SMs. Fails with
 * CT_ERR_NOMEM. Once for a replay, before its first launch; what was posted must not be called any more when the replay is
 * freed. */
int ct_replay_share(struct ct_replay *r, unsigned helpers, ct_replay_post *post, void *poster,
                    struct ct_error *e);
/* Starts a launch. Fails with CT_ERR_INPUT when a CTA does not fit on an SM. */
int ct_replay_kernel_begin(struct ct_replay *r, const struct ct_kernel *k, struct ct_error *e);
/* Takes a reference of its own to cta. */
int ct_replay_push_cta(struct ct_replay *r, struct ct_cta *cta, struct ct_error *e);
/* Runs the launch to its end; *c (may be NULL) gets this launch's counts. */
int ct_replay_kernel_end(struct ct_replay *r, struct ct_replay_counts *c, struct ct_error *e);
/* A host-to-device copy (fills the LLC when the GPU says so). */
void ct_replay_memcpy(struct ct_replay *r, uint64_t address, uint64_t bytes);
/* The cycle in which the last CTA so far was placed on an SM, over all launches. Pure. */
uint64_t ct_replay_placed(const struct ct_replay *r);
void ct_replay_total(const struct ct_replay *r, struct ct_replay_counts *c);
void ct_replay_counts_add(struct ct_replay_counts *into, const struct ct_replay_counts *from);
void ct_replay_free(struct ct_replay *r); /* NULL allowed */

CT_DECLS_END

#endif
