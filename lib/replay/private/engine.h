/* engine.h - what the files of the replay engine share.
 *
 * Time advances in windows. A request that leaves an SM needs at least the LLC's
 * latency before anything of it comes back, so within a window of that length SMs
 * do not see each other: each runs through the window by itself (sm.c), then the
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
#include "replay/private/cache.h"
#include "replay/private/divide.h"
#include "replay/replay.h"
#include "trace/record.h"

#define RP_NEVER 0xffffffffu      /* a cycle that is not known yet */
#define RP_NEVER64 UINT64_MAX
#define RP_LAST_CYCLE 0xfff00000u /* launches may not run longer */

enum {
	RP_MAX_SCHEDULERS = 8,
	RP_MAX_SLOTS = 64,      /* warps per scheduler */
	RP_SLOT_BLOCK = 8,
	RP_MAX_COLLECTORS = 16, /* per scheduler */
	RP_MAX_REG_BANKS = 16,  /* per scheduler */
	RP_WRITES = 64,         /* cycles ahead in which register writes are kept */
	RP_PORT = 512,          /* cycles ahead in which the write-back port is kept */
	RP_PORT_WORDS = 2 * RP_PORT / 64,
	RP_MAX_L1_BANKS = 32,
	RP_GROUPS = 64,         /* LDGSTS groups of a warp that are told apart */
	RP_REG_THERE = 0,       /* places of a warp's registers: no register, always there */
	RP_REG_NOWHERE = 1,     /* nor this: nobody reads it */
	RP_REG_FIRST = 2,       /* register 0 */
	RP_REGS = 272,          /* whole cache lines of the host */
	RP_PAD_DEP = 4, RP_PAD_DST = 2, /* so many can be looked at without counting them */
	RP_MAX_VETOES = 1 << 20, /* cycles in a row in which parts let nothing issue: a deadlock */
	RP_MAX_HELD = 64,       /* memory instructions in the collectors of a scheduler */
	RP_OPS_CHUNK = 256,
	RP_NEAR = 64,           /* cycles whose warps are kept by cycle */
	RP_LINES_IN_FLIGHT = 8192, /* of an SM, for telling their LLC accesses apart */
	RP_NONE = 0xffff
};
#define RP_NO_INDEX 0xffffffffu

static inline uint32_t rp_max32(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint64_t rp_max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Numbers of banks and schedulers are powers of two on most GPUs. */
static inline uint32_t rp_modulo(uint64_t v, uint32_t n)
{
	return (uint32_t)(n & (n - 1) ? v % n : v & (n - 1));
}

/* Units that a scheduler owns one of (the load/store unit is the SM's), in the order in
 * which their instructions are given operand collectors. */
enum rp_unit {
	RP_SP, RP_SFU, RP_MEM, RP_DP, RP_INT, RP_BRANCH, RP_TEX, RP_TENSOR, RP_UNIFORM, RP_OTHER,
	RP_UNITS
};

enum rp_kind {
	RP_COMPUTE, RP_BARRIER, RP_MEMBAR, RP_DEPBAR, RP_LDGDEPBAR,
	RP_LOAD, RP_STORE, RP_ATOMIC, RP_ASYNC
};

/* A static instruction as the engine needs it; what nearly all need is in one cache line of the
 * host. */
struct rp_op {
	_Alignas(64) const struct ct_sinst *s;
	uint8_t unit, kind, cls;
	uint8_t ndst;
	uint8_t bypass;          /* goes past L1 */
	uint8_t shared;          /* shared memory by its opcode */
	uint16_t latency, initiation;
	uint16_t keeps;          /* cycles that it keeps its unit: 1 for memory, whose unit is the SM's */
	uint8_t counts_mem, counts_global; /* 1: among mem_insts; among the global requests */
	uint8_t outward;         /* global or local memory, or a fence: other SMs may see it */
	uint8_t special;         /* does something to its warp besides using a unit */
	uint8_t nread;           /* distinct sources, in read[] */
	uint8_t ndep;            /* distinct registers that have to be there, in dep[] */
	uint8_t read[CT_MAX_SRC];
	uint16_t dst[CT_MAX_DST], dep[CT_MAX_DST + CT_MAX_SRC]; /* places, padded by RP_REG_* */
	int32_t groups_left;     /* DEPBAR */
};

/* How a static instruction's addresses lay in the banks of shared memory the last time. */
struct rp_shape {
	uint8_t nruns, naddr, in_word, degree; /* no runs: nothing is known */
	uint8_t lanes[CT_ADDR_RUNS];
	int64_t delta[CT_ADDR_RUNS];
};

/* One line that a memory instruction asks for, until every sector has met the L1. Parts may
 * divide a line into up to 32 chunks, the L1 of the engine has at most 8 sectors. */
struct rp_lreq {
	uint64_t line;
	uint64_t bytes[2];
	uint32_t next;           /* lower line of the same instruction */
	uint32_t mem;
	uint32_t sectors, left;  /* asked for; not yet looked up */
	uint32_t group;          /* number of this line of this instruction */
	uint32_t near;           /* where it was in the tags when last looked up */
	uint32_t llc_set;
	uint16_t slice;
	uint8_t sent;            /* something of it has left for the LLC: slice, llc_set are known */
	uint8_t enter;           /* not yet in the L1 pipeline */
	uint8_t store;           /* the instruction is one */
	uint8_t met[RP_METS];    /* sectors, by what they met */
};

/* One memory instruction in flight. */
struct rp_mem {
	const struct rp_op *op;
	uint64_t order;          /* of issue on the SM: oldest first */
	uint32_t lines;          /* head of its list of rp_lreq; next free */
	uint32_t left;           /* sectors (transactions) that have not come back */
	uint32_t issued, last;   /* cycles */
	uint32_t taken, busy;    /* by the load/store unit: cycle, cycles */
	uint32_t group;          /* LDGSTS */
	uint32_t sid;
	uint16_t warp;
	uint8_t kind, shared, bypass, degree;
	uint32_t refs;           /* what still points here: lines, stores, replies */
};

/* A sector in the pipeline of a bank of the L1. */
struct rp_stage {
	uint32_t what;           /* rp_lreq << 3 | sector */
	uint32_t ready;          /* cycle at which it meets the tags */
};
/* A step of the pipeline of an L1 that is a part: chunks of one line. */
struct rp_step { uint32_t lreq, ready; };

/* Half a cache line of the host. */
struct rp_mshr {
	uint64_t sector;         /* address / sector bytes */
	uint32_t next;           /* in its bucket */
	uint32_t mem;            /* that waits first */
	uint32_t head, tail;     /* further ones: rp_waiter */
	uint32_t line;           /* index in tags */
	uint32_t count : 23;     /* that wait */
	uint32_t first : 1;      /* first sector of a line that a load allocated */
	uint32_t replies : 8;    /* LLC sectors still to come */
};
/* Free entries of a pool, the last freed first: taking one does not look at it. */
struct rp_spare { uint32_t *at; uint32_t n; };
enum { RP_MAX_WAITERS = (1 << 23) - 1, RP_MAX_REPLIES = 255 };
struct rp_waiter { uint32_t mem, next; };

/* Odd ones carry data to the LLC. The last three belong to parts. */
enum rp_packet_kind {
	RP_PK_READ = 0, RP_PK_STORE = 1, RP_PK_BYPASS = 2, RP_PK_ATOMIC = 4,
	RP_PK_WRITE = 3, RP_PK_FETCH = 6, RP_PK_MESSAGE = 8
};

/* A request, or its reply, for one LLC sector. */
struct rp_packet {
	uint64_t when;           /* cycle at which it is put into the present queue */
	uint64_t address;        /* of the sector */
	uint32_t bytes;          /* stores: mask within the sector; fetches: eighths of each sector,
	                            four bits each; messages: flits */
	uint32_t id;             /* rp_mshr or rp_mem */
	uint32_t llc_set;
	uint32_t group;          /* same number: one line of one instruction of the SM */
	uint16_t sm, slice;
	uint8_t kind;
	uint8_t payload;         /* fetches: eighths of a sector in the reply */
};
static inline int rp_is_store(const struct rp_packet *p) { return p->kind & 1; }

/* Ring that grows. */
struct rp_ring {
	struct rp_packet *p;
	uint32_t cap, head, n;
};

struct rp_warp {
	_Alignas(64) const struct rp_op *op; /* next instruction; NULL: none left */
	struct ct_cursor *cursor;
	uint32_t more;           /* instructions behind the next one that only add 1 to its sid */
	uint32_t born;
	uint32_t done;           /* last known completion of an instruction */
	uint32_t open;           /* instructions whose completion is not known */
	uint32_t stores;         /* not acknowledged */
	uint32_t blocked_since;  /* on outstanding loads, RP_NEVER: not */
	uint32_t *regs;          /* cycle at which each register can be read */
	uint8_t sub, slot;       /* scheduler, and which of its slots */
	uint8_t held;            /* waits for more than registers: rp_hold() */
	uint8_t live, started, at_barrier, membar, issued_any;
	uint8_t parked;          /* quick: goes on when something is back of which nobody knows when */
	uint16_t slot_cta;
	uint32_t atomics;
	uint32_t group, group_done; /* LDGSTS groups: open one; all before are complete */
	uint32_t wait_group;     /* DEPBAR: waits until group_done reaches it */
	uint64_t key, age;
	uint32_t group_open[RP_GROUPS];
};

/* To be called where one of these has changed. */
static inline void rp_hold(struct rp_warp *w)
{
	w->held = w->at_barrier || w->membar || w->atomics ||
	          (int32_t)(w->group_done - w->wait_group) < 0;
}

/* The next instruction of a warp. */
struct rp_next { _Alignas(64) struct ct_inst inst; };

struct rp_cta {
	struct ct_cta *cta;
	uint32_t warps_left;     /* not retired */
	uint32_t running;        /* with instructions left: barrier quorum */
	uint32_t arrived;
	uint32_t end;            /* latest retirement so far */
	uint32_t free_at;        /* RP_NEVER while warps are left */
};

/* An instruction that waits for an operand collector. */
struct rp_parked {
	const struct rp_op *op;
	uint32_t issued, mem;
	uint16_t warp;
	uint8_t sched;
};
/* A memory instruction that holds a collector until the load/store unit takes it. */
struct rp_held { uint32_t mem, step, collector; };

/* What each step looks at comes first: the whole is larger than a first-level cache. */
struct rp_sched {
	/* when each slot's next instruction may issue: slots that may now, a wheel of masks for
	 * the next 64 cycles, the others with their cycle */
	uint64_t ready, far, wheel_bits;
	uint64_t waiting;                  /* slots whose next instruction waits for memory, a barrier or a
	                                      fence */
	uint32_t upto;                     /* cycle that `ready` belongs to */
	uint32_t far_next;                 /* no far slot is earlier */
	uint32_t stepped;                  /* cycle of the last attempt + 1 */
	uint32_t last;                     /* slot that issued last */
	uint32_t vetoed;                   /* cycles since parts have let one issue */
	uint32_t nheld;
	struct rp_port { uint32_t idoc, ocex, free; } port[RP_UNITS]; /* of the unit: when its issue
	                                      register, the register in front of it, it itself is free */
	uint64_t of_unit[RP_UNITS];        /* slots whose next instruction wants the unit */
	uint32_t bank_free[RP_MAX_REG_BANKS];       /* half cycles */
	uint32_t collector_free[RP_MAX_COLLECTORS]; /* half cycles */
	uint32_t at[RP_MAX_SLOTS];         /* RP_NEVER: not known */
	uint64_t wheel[64];
	uint32_t written[RP_MAX_REG_BANKS][RP_WRITES]; /* [cycle % RP_WRITES] == cycle: a result is
	                                      written to the bank in its first step */
	struct rp_held held[RP_MAX_HELD];
};

/* What happened to a line of an L1, for the replication directory. */
enum rp_log_what { RP_LOG_HERE, RP_LOG_FILL /* for a load's line miss */, RP_LOG_GONE };
struct rp_log { uint64_t line; uint32_t when; uint8_t what; };

struct rp_sm {
	uint32_t id;
	uint32_t now;
	/* next cycle of everything in the SM */
	uint32_t sched_next[RP_MAX_SCHEDULERS]; /* next attempt of each scheduler */
	uint32_t l1_next, lsu_next, unpark_at;
	uint32_t rare_at;                  /* the first of the next four: rp_sm_rare() */
	uint32_t reply_at;                 /* cycle of the first of replies, RP_NEVER: none */
	uint32_t part_at;                  /* cycle of the first event of a part, RP_NEVER: none */
	uint32_t next_free /* of its CTAs */, wipe_at;
	int released;                      /* a barrier, in this cycle */
	int failed;                        /* out of memory or a damaged spill */
	struct rp_sched *sched;
	struct rp_warp *warp;
	struct rp_next *next;              /* of each warp */
	uint32_t (*regs)[RP_REGS];         /* cycle at which each register can be read */
	struct rp_cta *cta;
	uint32_t ctas, warps_live;
	uint64_t order;
	uint32_t fetch;                    /* quarter cycles: next fetch slot */
	uint32_t offer;                    /* cycle at which it can take a CTA, or RP_NEVER */
	uint32_t busy_since;

	/* load/store unit; each scheduler's rp_mem in front of it, when it can be taken at the
	 * earliest (RP_NEVER: there is none) and its order */
	uint32_t at_lsu[RP_MAX_SCHEDULERS], lsu_takes[RP_MAX_SCHEDULERS];
	uint64_t lsu_order[RP_MAX_SCHEDULERS];
	uint32_t lsu_mem, lsu_line, lsu_free;
	struct rp_mem *mem;
	uint32_t mem_cap, mem_free;
	struct rp_lreq *lreq;
	uint32_t lreq_cap;
	struct rp_spare lreq_spare;

	/* L1 */
	struct rp_cache cache;
	struct rp_stage *stage;            /* a ring for each bank, stage_mask + 1 each */
	uint32_t stage_mask;
	uint32_t bank_at[RP_MAX_L1_BANKS]; /* when the oldest in the bank is ready, RP_NEVER: empty */
	uint32_t bank_what[RP_MAX_L1_BANKS]; /* the oldest, if there is one */
	uint32_t bank_head[RP_MAX_L1_BANKS];
	uint32_t in_bank[RP_MAX_L1_BANKS];
	uint32_t full_banks;               /* that take no more */
	struct rp_step *steps;             /* with an L1 that is a part, whose bank is 0 */
	uint32_t step_cap, step_head, nsteps;
	struct rp_mshr *mshr;
	struct rp_spare mshr_spare;
	uint32_t *mshr_bucket, mshr_mask;
	struct rp_waiter *waiter;
	uint32_t waiter_cap, waiter_free;
	uint32_t missq_last;               /* cycle at which the last queued miss leaves */
	uint64_t port[RP_PORT_WORDS];      /* cycles in which the write-back port is taken, from ... */
	uint32_t port_word;                /* ... 64 times this on */
	int no_port;                       /* nothing waits for the write-back port */
	uint32_t group;
	uint32_t fetches, fetches_since;   /* loads in flight, for the averages */
	struct rp_ring missq, direct, replies;
	/* fixed and quick timing, warps that go on at a known cycle */
	uint32_t first_at;                 /* of the first of them, RP_NEVER: there is none */
	uint32_t near_from;                /* those of the RP_NEAR cycles from here on ... */
	uint64_t near_bits, near[RP_NEAR]; /* cycles that have any; bit warp of [cycle % RP_NEAR] */
	uint64_t *heap;                    /* ... and all others: cycle << 16 | warp; RP_NEVER64 at its head
	                                      where there are none */
	uint32_t nheap;
	struct rp_quick_sm *quick;

	struct rp_log *log;
	uint32_t log_cap, nlog;
	struct ct_replay_counts c;
	uint64_t l1_met[2][RP_METS];   /* sectors of loads and of stores: added to c by counts.c */

	/* waiting for an operand collector: of each unit oldest first, and units with any */
	uint32_t parked_units;
	uint8_t nparked[RP_UNITS];
	struct rp_parked parked[RP_UNITS][RP_MAX_SCHEDULERS];
	uint32_t group_missed[RP_LINES_IN_FLIGHT / 32]; /* bit group % ...: missed at the LLC */
};

static inline uint32_t rp_min32(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* To be called where one of these has changed. */
static inline void rp_sm_rare(struct rp_sm *sm)
{
	sm->rare_at = rp_min32(rp_min32(sm->reply_at, sm->part_at), rp_min32(sm->next_free, sm->wipe_at));
}

/* What the SM has issued; its counter warp_insts stays 0. */
static inline uint64_t rp_warp_insts(const struct rp_sm *sm)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < CT_CLASS_COUNT; i++)
		n += sm->c.unit_insts[i];
	return n;
}

/* Derived DRAM timing, DRAM cycles (dram.c). */
struct rp_dram_timing { uint32_t burst, rtw, wtr, wtp, rcdwr; };
struct rp_dram_timing rp_dram_timing_of(const struct ct_gpu *g);

/* Core and DRAM clock without their common divisor. */
struct rp_clocks { struct rp_divisor core, dram; };
/* Clocks in one unit, above 0 (dram.c). */
void rp_clocks_set(struct rp_clocks *c, uint64_t core, uint64_t dram);

struct rp_slice;
struct rp_partition;
struct rp_net;
struct directory;
struct rp_llc_log;
struct rp_parts;
struct rp_timing;

struct ct_replay {
	struct ct_gpu g;
	struct ct_address_map map;
	const struct rp_timing *timing;    /* timing.h */
	unsigned free;                     /* enum ct_replay_free */
	struct ct_replay_observer *obs;
	unsigned nobs;
	int has_l1, has_llc, has_issue, has_mem, replication;
	uint64_t warmup;

	/* derived */
	uint32_t slots;                    /* warps per scheduler, rounded to blocks */
	uint32_t warps, banks, reg_banks;
	uint32_t l1_sectors, l1_sector_bits, l1_line_bits;
	uint32_t llc_sectors, llc_sector_bits, llc_line_bits;
	uint32_t llc_per_l1;               /* LLC sectors per L1 sector */
	uint32_t window, whole_window;     /* cycles; without parts they are the same */
	struct rp_clocks clocks;
	struct rp_dram_timing dram_timing;

	/* the launch */
	const struct ct_kernel *kernel;
	const struct ct_code *code;
	struct rp_op **ops;                /* chunks: warps hold pointers while the code grows */
	struct rp_shape **shapes;          /* likewise */
	uint32_t nops, chunks;
	size_t chunks_cap, shapes_cap;
	struct ct_occupancy occ;
	struct ct_local_map local;
	uint64_t base;                     /* memory cycle of the launch's cycle 0 */
	uint64_t epoch;                    /* memory cycle from which due cycles count (fixed.c) */
	uint32_t first_place;              /* first cycle in which CTAs are placed */
	int in_kernel, ended;
	uint64_t launch_ctas, launch_key;
	uint32_t end_cycle;
	uint64_t warp_age;

	/* placement */
	uint32_t last_sm;                  /* that got a CTA */
	uint32_t round, round_start, round_at; /* cycle of the round in progress or RP_NEVER */
	struct ct_cta *waiting;

	/* memory system */
	uint64_t horizon;                  /* start of the present window */
	int sms_done;                      /* every SM has run to the end of the window */
	struct rp_partition *part;
	uint32_t partitions;
	struct rp_slice *slice;
	struct rp_net *to_llc, *to_sm;
	uint64_t in_flight;                /* packets between SM and SM */

	struct ct_pool pool;               /* what lasts as long as the engine */
	struct rp_sm *sm;
	struct ct_replay_counts total, at_begin, at_warm;
	uint64_t launch, cycles_before;
	int warm;                          /* warm-up is over */
	struct ct_error error;
	struct directory *directory;
	struct rp_quick *quick;            /* quick timing: its memory system */
	struct rp_llc_log *llc_log;

	/* parts; all NULL or 0 without any */
	struct rp_parts *parts;
	const struct ct_l1_part *l1_part;
	const struct ct_llc_part *llc_part;
	const struct ct_collector_part *collector_part;
	int core_parts;                    /* a scheduler or a collector */
	int usual;                         /* an SM as step.h takes to be usual */
	int usual_memory;                  /* a memory system as usual.h does */
	int oldest_first;                  /* schedulers prefer the oldest warp */
};

/* ops.c: the static instruction of sid, decoding what is new. NULL: out of memory. */
int rp_ops_reserve(struct ct_replay *r, uint32_t sid);
void rp_ops_free(struct ct_replay *r);
/* Accesses to the fullest bank of shared memory, whose banks are a power of two; *p is of the
 * instruction's sid. */
uint32_t rp_shared_degree(struct ct_replay *r, const struct ct_inst *inst, struct rp_shape *p);
static inline const struct rp_op *rp_op_at(struct ct_replay *r, uint32_t sid)
{
	if (sid >= r->nops && rp_ops_reserve(r, sid) < 0)
		return NULL;
	return &r->ops[sid / RP_OPS_CHUNK][sid % RP_OPS_CHUNK];
}

/* sm.c */
int rp_sm_init(struct ct_replay *r, struct rp_sm *sm, uint32_t id, struct ct_error *e);
void rp_sm_free(struct ct_replay *r, struct rp_sm *sm);
void rp_sm_begin(struct ct_replay *r, struct rp_sm *sm);
void rp_sm_free_slots(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
int rp_sm_place(struct ct_replay *r, struct rp_sm *sm, struct ct_cta *cta, uint32_t now);

/* scheduler.c */
void rp_sched_begin(struct ct_replay *r, struct rp_sm *sm);
/* The same where parts have a say. */
void rp_sched_step_parts(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now);
void rp_wake(struct rp_sm *sm, uint32_t warp, uint32_t now);
/* Notes what a warp that lies down waits for, when that is memory, a barrier or a fence. */
void rp_long_wait(struct rp_sm *sm, uint32_t warp, uint32_t t);
void rp_observe_issue(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now);
void rp_barrier_release(struct ct_replay *r, struct rp_sm *sm, struct rp_cta *c, uint32_t now);
void rp_effects(struct rp_sm *sm, uint32_t warp, const struct rp_op *op, uint32_t mem);
uint32_t rp_pick_oldest(const struct ct_replay *r, const struct rp_sm *sm, uint32_t k,
                        const struct rp_sched *s, uint64_t mask);
/* Nothing is left of the warp's stream. */
void rp_warp_over(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now);
/* The first instruction of a warp, or its end. */
void rp_warp_begin(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now);
void rp_warp_check_end(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now);
/* fixed_mem.c: to be called at the begin of each window. */
void rp_epoch_follows(struct ct_replay *r);

/* Books the write-back port of the load/store unit in the first free cycle from `at` on. */
uint32_t rp_port_take(struct rp_sm *sm, uint32_t now, uint32_t at);
/* The result for a place of the warp's registers is written in cycle `at`. */
void rp_register_write(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, unsigned place,
                       uint32_t at);

/* collect.c: operand collectors and units. */
/* What has issued and finds no collector free waits for one, or goes to the part. */
void rp_collect_later(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t warp,
                      const struct rp_op *op, uint32_t mem, uint32_t now);
void rp_collect_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
void rp_collect_lsu_took(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now);

void rp_sm_reply(struct ct_replay *r, struct rp_sm *sm);

/* A new number for a line of an instruction. */
static inline uint32_t rp_group_new(struct rp_sm *sm)
{
	uint32_t g = sm->group++ % RP_LINES_IN_FLIGHT;
	sm->group_missed[g / 32] &= ~(1u << g % 32);
	return sm->group - 1;
}

/* Whether this is the first of the line's sectors to miss at the LLC. */
static inline int rp_group_miss(struct rp_sm *sm, uint32_t group)
{
	uint32_t g = group % RP_LINES_IN_FLIGHT, bit = 1u << g % 32;
	int first = !(sm->group_missed[g / 32] & bit);
	sm->group_missed[g / 32] |= bit;
	return first;
}

/* ldst.c */
struct ct_local_map rp_local_of(const struct ct_replay *r, const struct rp_sm *sm, uint32_t warp);
/* One more is free afterwards. */
int rp_mem_grow(struct ct_replay *r, struct rp_sm *sm);
/* An instruction that has issued and is not of shared memory by its opcode; RP_NO_INDEX: out of
 * memory. */
uint32_t rp_mem_new(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, const struct rp_op *op,
                    const struct ct_inst *inst, uint32_t now);
CT_HOT void rp_mem_unref(struct rp_sm *sm, uint32_t mem)
{
	struct rp_mem *m = &sm->mem[mem];
	if (--m->refs)
		return;
	m->lines = sm->mem_free;
	sm->mem_free = mem;
}
void rp_lreq_place(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l);
void rp_packet_place(const struct ct_replay *r, struct rp_packet *p);
void rp_lsu_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
/* Puts a memory instruction in front of the unit, which can take it from the cycle after `at`
 * on; there is none there. */
static inline void rp_lsu_offer(struct rp_sm *sm, uint32_t k, uint32_t mem, uint32_t at)
{
	sm->at_lsu[k] = mem;
	sm->lsu_takes[k] = at + 1;
	sm->lsu_order[k] = sm->mem[mem].order;
	if (sm->lsu_mem == RP_NO_INDEX && sm->lsu_next > sm->now + 1)
		sm->lsu_next = sm->now + 1;
}
/* Every sector of the instruction has come back, or it has been acknowledged. */
void rp_mem_over(struct ct_replay *r, struct rp_sm *sm, uint32_t mem, uint32_t now);
/* `n` sectors of a load came back; registers can be read at cycle `at`. */
CT_HOT void rp_mem_return(struct ct_replay *r, struct rp_sm *sm, uint32_t mem, uint32_t n,
                          uint32_t at, uint32_t now)
{
	struct rp_mem *m = &sm->mem[mem];
	m->last = rp_max32(m->last, at);
	m->left -= n;
	if (!m->left)
		rp_mem_over(r, sm, mem, now);
}

/* table.c: a copy of a table with room for `cap` entries of `size` bytes, of which `had` are those of the
 * old one, which stays with the pool; NULL: out of memory, the run has failed. */
void *rp_table_copy(struct ct_replay *r, const void *table, uint32_t had, uint32_t cap, size_t size);
/* Twice as many entries, `least` at first; the new ones go to the front of the list of free ones, by the
 * number of 32 bits that is `link` bytes into each. < 0: out of memory, the run has failed. */
int rp_table_grow(struct ct_replay *r, void **table, uint32_t *cap, uint32_t least, size_t size,
                  size_t link, uint32_t *free);

/* Written bytes of a sector, of those of its line: bit by bit (32 bytes a sector). */
static inline uint32_t rp_sector_bytes(const uint64_t bytes[2], uint32_t sector)
{
	return (uint32_t)(bytes[sector / 2 & 1] >> 32 * (sector % 2));
}

/* What a store to the L1's sector writes: all of it where requests do not name their bytes so. */
static inline uint32_t rp_written(const struct ct_replay *r, const uint64_t bytes[2], uint32_t sector)
{
	return r->l1_sector_bits == 5 && r->l1_line_bits <= 7 ? rp_sector_bytes(bytes, sector) : UINT32_MAX;
}

/* Tells those who watch the L1. */
static inline void rp_tell_l1(const struct ct_replay *r, const struct ct_l1_event *ev)
{
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].l1)
			r->obs[i].l1(r->obs[i].ctx, ev);
}

/* l1.c, l1_step.c */
int rp_l1_init(struct ct_replay *r, struct rp_sm *sm, struct ct_error *e);
void rp_l1_free(struct rp_sm *sm);
void rp_l1_begin(struct ct_replay *r, struct rp_sm *sm);
void rp_l1_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
/* The reply that was the first of the SM's. */
void rp_l1_reply(struct ct_replay *r, struct rp_sm *sm, const struct rp_packet *p, uint32_t now);
void rp_l1_log(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t now, int what);
static inline void rp_l1_note(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t now,
                              int what)
{
	if (r->replication)
		rp_l1_log(r, sm, line, now, what);
}
void rp_l1_wipe(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
/* Puts sectors of the load/store unit's lines into the pipeline, where they are ready in cycle
 * `ready`, highest first, up to the first whose bank one of them has taken or is full; returns the
 * banks taken. */
uint32_t rp_l1_enter(struct ct_replay *r, struct rp_sm *sm, uint32_t ready);
void rp_lreq_done(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t now);

enum { RP_NET_QUEUE = 512 }; /* packets at an input, and at an output (accelsim-model.md 7) */

/* rings */
int rp_ring_grow(struct rp_ring *q);
/* A place behind the last, not cleared; NULL: out of memory. */
static inline struct rp_packet *rp_ring_new(struct rp_ring *q)
{
	if (q->n == q->cap && rp_ring_grow(q) < 0)
		return NULL;
	return &q->p[(q->head + q->n++) & (q->cap - 1)];
}
static inline int rp_ring_push(struct rp_ring *q, const struct rp_packet *p)
{
	struct rp_packet *to = rp_ring_new(q);
	if (!to)
		return -1;
	*to = *p;
	return 0;
}
static inline struct rp_packet *rp_ring_at(const struct rp_ring *q, uint32_t i)
{
	return &q->p[(q->head + i) & (q->cap - 1)];
}
static inline struct rp_packet *rp_ring_first(const struct rp_ring *q)
{
	return &q->p[q->head];
}
/* An empty ring begins at its start again, which is still near. */
static inline void rp_ring_pop(struct rp_ring *q)
{
	q->head = --q->n ? (q->head + 1) & (q->cap - 1) : 0;
}
void rp_ring_free(struct rp_ring *q);

/* noc.c */
int rp_net_new(struct rp_net **n, uint32_t inputs, uint32_t outputs, struct ct_error *e);
void rp_net_free(struct rp_net *n);
/* Flits of a packet on the way to the LLC (`requests`) or back. */
uint32_t rp_packet_flits(const struct ct_replay *r, const struct rp_packet *k, int requests);
/* Moves requests in cycles [from, to) (those put in before their cycle), replies
 * likewise (those put in at or before it). */
int rp_net_requests(struct ct_replay *r, uint64_t from, uint64_t to);
/* Packets that SMs have put in before `cycle` and that wait for their first hop. */
void rp_net_backpressure(struct ct_replay *r, uint64_t cycle);
int rp_net_idle(const struct ct_replay *r);
int rp_net_replies(struct ct_replay *r, uint64_t from, uint64_t to);

/* llc.c */
int rp_llc_init(struct ct_replay *r, struct ct_error *e);
void rp_llc_free(struct ct_replay *r);
int rp_llc_accept(struct ct_replay *r, const struct rp_packet *p, uint64_t when);
struct rp_ring *rp_llc_replies(struct ct_replay *r, uint32_t slice);
/* slice.c: up to cycle `to`. */
int rp_llc_run(struct ct_replay *r, uint64_t to);
int rp_llc_idle(const struct ct_replay *r);
void rp_llc_flush(struct ct_replay *r);
void rp_llc_fill(struct ct_replay *r, uint64_t address, uint64_t bytes);
uint64_t rp_llc_next(const struct ct_replay *r);
/* llc_log.c: notes an LLC access for the observers. what: hit 0, pending 1, miss. */
void rp_llc_log(struct ct_replay *r, uint32_t slice, const struct rp_packet *p, uint64_t now, int what);

/* free.c: sets parameters of the resources that cost nothing (enum ct_replay_free). */
void rp_make_free(struct ct_gpu *g, unsigned what);

/* place.c: the cycle of the launch at which the present window ends, 0: before the launch begins. */
uint32_t rp_window_end(const struct ct_replay *r);
/* The launch lasts for longer than its cycles are counted: the run has failed. */
int rp_too_long(struct ct_replay *r);
/* Until the CTA that waits has been placed; until all have left. */
int rp_advance(struct ct_replay *r);
int rp_finish(struct ct_replay *r);

/* counts.c */
void rp_counts_begin(struct ct_replay *r, uint64_t launch);
void rp_counts_warm(struct ct_replay *r);
void rp_counts_end(struct ct_replay *r, struct ct_replay_counts *c);
/* directory.c: replication across the L1s; logs are merged at the end of a window. */
int rp_directory_init(struct ct_replay *r, struct ct_error *e);
void rp_directory_free(struct ct_replay *r);
int rp_directory_merge(struct ct_replay *r);
/* llc_log.c: what observers of the LLC see. */
int rp_llc_log_init(struct ct_replay *r, struct ct_error *e);
void rp_llc_log_free(struct ct_replay *r);
void rp_llc_log_window(struct ct_replay *r);
void rp_llc_log_flush(struct ct_replay *r, uint64_t before);
int rp_fail(struct ct_replay *r, int status, const char *text);

#endif
