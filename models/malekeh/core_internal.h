/* core_internal.h - private: what the files of the sub-core model share. */
#ifndef CT_MODELS_MALEKEH_CORE_INTERNAL_H
#define CT_MODELS_MALEKEH_CORE_INTERNAL_H

#include "base/bits.h"
#include "base/hash.h"
#include "models/malekeh/core.h"
#include "models/malekeh/plan.h"
#include "replay/scheduling.h"

#define MK_NEVER UINT64_MAX

enum {
	MK_SLOTS = 64, /* warps of a scheduler */
	MK_BANKS = 64,
	MK_WHEEL = 1024, /* cycles of the calendar of results */
	MK_REGS = 1024,  /* all register files */
	MK_WORDS = MK_REGS / 64,
	MK_RFC = 16, /* most entries of a warp in a register file cache */
	MK_PIPE = 3, /* cycles of dispatch, 1, and write-back, 2, around a unit's latency */
	MK_NONE = -1,
	MK_FETCH = 64 /* bank requests from here on are prefetches: MK_FETCH + warp slot */
};

/* An instruction between issue and write-back. */
struct mk_flight {
	uint64_t time;
	const struct ct_mk_op *op;
	uint32_t index, life; /* in the warp; of its first result in life[] */
	uint32_t bits, mem;
	int32_t next; /* in its day, or next free */
	uint16_t group;
	uint8_t warp;
};

struct mk_warp {
	const struct ct_mk_warp *w;
	const struct ct_mk_op *op;  /* next instruction; NULL: none left */
	uint64_t pending[MK_WORDS]; /* registers whose result is not there */
	uint64_t slow[MK_WORDS];    /* of them: from memory */
	uint64_t age;
	uint32_t i, life;
	uint32_t flights;
	uint32_t cta;
	int32_t ccu;              /* collector with its data */
	struct ct_warp_wait wait; /* barriers, fences, atomics, groups of copies */
	uint8_t live;
	/* BOC: instruction index + 1 of the last access */
	uint32_t last[256];
	/* RFC */
	uint8_t reg[MK_RFC];
	uint32_t until[MK_RFC]; /* last read of the value */
	uint8_t used, oldest;
	/* LTRF */
	uint32_t range;
	uint8_t fetched;
	uint16_t fetching; /* registers still to come */
	struct ct_mk_regs dirty;
	struct ct_mk_regs wrote; /* by instructions of the interval */
};

/* A cache table (reading caching-collector). */
struct mk_table {
	int32_t owner;
	uint64_t valid, lock, near;
	uint64_t port; /* cycle + 1 of the last result, and how many came in it */
	uint32_t ports;
	uint32_t clock, stamp[CT_MK_MAX_ENTRIES];
	uint8_t reg[CT_MK_MAX_ENTRIES];
	uint8_t where[256]; /* entry + 1 */
};

struct mk_collector {
	int32_t flight;
	uint32_t left; /* operands to come */
	uint64_t since, order;
	uint8_t unit; /* that its instruction goes to */
};

/* Requests of one bank, in order. */
struct mk_bank {
	uint8_t *ask; /* ring: collector, or MK_FETCH + warp */
	uint32_t cap, head, n;
	uint64_t writes_until; /* access at which all writes are done */
};

struct mk_sm;
struct mk_core {
	struct mk_sm *sm;
	uint32_t id;
	uint64_t next;      /* cycle of the next step */
	uint64_t last_step; /* cycle + 1 */
	int gap;            /* how cycles without a step count */
	uint64_t ready, live, active;
	uint64_t direct;     /* warps whose next instruction needs no collector */
	uint64_t blocked;    /* full collectors before whose unit another instruction stands, */
	uint64_t retry;      /* at least until this cycle */
	uint64_t held, full; /* collectors in use; with all operands */
	uint32_t greedy;     /* slot that issued last */
	uint32_t reads;      /* in all banks */
	uint32_t waited;     /* STHLD counter */
	struct mk_collector *coll;
	uint64_t port[MK_SLOTS]; /* access + 1 of the last operand, by collector or BOC */
	struct mk_table *table;  /* CCU: by collector */
	struct mk_bank bank[MK_BANKS];
	struct mk_warp warp[MK_SLOTS];
	uint64_t port_free[CT_MK_UNITS]; /* the register in front of the unit, */
	uint64_t unit_free[CT_MK_UNITS]; /* and the unit behind it */
	int32_t lsu;                     /* flight in front of the load/store unit */
	uint64_t lsu_order;
	struct mk_flight *flight;
	size_t cap_flights;
	int32_t free_flight;
	int32_t day[MK_WHEEL], last_of_day[MK_WHEEL];
	uint64_t days[MK_WHEEL / 64];
};

struct mk_slot {
	uint32_t cta;
	uint32_t left, running, arrived;
	uint8_t used;
};

struct mk_sm {
	const struct ct_mk_stream *s;
	const struct ct_mk_system *sys;
	const struct ct_mk_machine *m;
	struct ct_mk_state *state;
	struct ct_mk_counts c;
	struct mk_core *core;
	uint32_t cores, banks, ncoll, width;
	uint32_t accesses;         /* of a bank in a cycle */
	uint32_t depth;            /* BOC: instructions that one collects at a time */
	uint8_t port_of[MK_SLOTS]; /* of a collector: depth collectors share one */
	uint64_t all;              /* collectors of a sub-core, as a mask */
	struct mk_slot slot[MK_SLOTS * 8];
	uint32_t next_cta, resident, live_ctas;
	uint64_t place_at; /* next cycle in which a CTA may be placed */
	uint64_t lsu_free, lsu_next;
	uint64_t order, age;
	uint64_t tick; /* end of the STHLD interval */
	uint64_t insts_mark;
	uint32_t waited; /* shared counter */
	int failed;      /* status */
};

static inline uint64_t mk_bit(uint32_t i)
{
	return UINT64_C(1) << i;
}

/* The collectors of a sub-core that no instruction is in. */
static inline uint64_t mk_free_collectors(const struct mk_sm *sm, const struct mk_core *k)
{
	return sm->all & ~k->held;
}

/* A random set bit, or the lowest. */
static inline uint32_t mk_any(const struct mk_sm *sm, uint64_t mask)
{
	if (sm->m->lowest || !(mask & (mask - 1)))
		return ct_low_bit(mask);
	uint32_t n = (uint32_t)(ct_rand64(&sm->state->seed) >> 32) % ct_bits(mask);
	while (n--)
		mask &= mask - 1;
	return ct_low_bit(mask);
}

/* core.c: the size of an SM of `warps` warps, its sub-cores, their end (NULL allowed). */
int mk_sm_size(struct mk_sm *sm, uint32_t warps, struct ct_error *e);
int mk_sm_build(struct mk_sm *sm, struct ct_error *e);
void mk_sm_free(struct mk_sm *sm);
void mk_step_banks(struct mk_sm *sm, struct mk_core *k, uint64_t now);
void mk_bank_read(struct mk_sm *sm, struct mk_core *k, uint32_t warp, unsigned reg, unsigned who);
void mk_bank_write(struct mk_sm *sm, struct mk_core *k, uint32_t warp, unsigned reg, uint64_t now);
void mk_check(struct mk_core *k, uint32_t warp);
void mk_wake(struct mk_core *k, uint64_t at);

/* issue.c: a collector for the warp's next instruction op (*c), or not this warp, or the
 * issue slot waits. */
enum mk_outcome { MK_ISSUED, MK_NEXT, MK_STALL };
enum mk_outcome mk_collector_for(struct mk_sm *sm, struct mk_core *k, uint32_t warp,
                                 const struct ct_mk_op *op, int32_t *c);
/* Of these warps the ones that have data in a collector (sys->data). */
uint64_t mk_owners(const struct mk_sm *sm, const struct mk_core *k, uint64_t warps);
/* One scheduler decision; 1 if a warp issued. */
int mk_issue(struct mk_sm *sm, struct mk_core *k, uint64_t now);
/* The warp goes on to its next instruction. */
void mk_advance(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now);
void mk_schedule(struct mk_sm *sm, struct mk_core *k, int32_t flight, uint64_t at);
int32_t mk_flight_new(struct mk_sm *sm, struct mk_core *k);
void mk_barrier(struct mk_sm *sm, uint32_t slot, uint64_t now);
void mk_warp_end(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now);

/* ccu.c */
uint32_t mk_ccu_enter(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                      const struct mk_flight *f);
void mk_ccu_leave(struct mk_core *k, uint32_t c);
/* The warp has ended: its values are dead (our addition). */
void mk_ccu_end(struct mk_core *k, uint32_t warp);
void mk_ccu_result(struct mk_sm *sm, struct mk_core *k, const struct mk_flight *f, uint64_t now);
/* Asks for the write port of the warp's collector in this cycle: it takes one instruction's
 * results; those of one instruction come one after the other and do not disturb each other. */
int mk_ccu_port(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now);
/* One result at the warp's collector, if it has one. */
void mk_ccu_put(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint8_t reg, int near, int granted);
/* Free collectors of the core whose tables hold no near value. */
uint64_t mk_ccu_far(const struct mk_core *k, uint64_t free);

/* hierarchy.c: RFC, SW-RFC, LTRF and BOW. Reads of one instruction: returns how many the
 * banks have to bring. */
uint32_t mk_sources(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                    const struct mk_flight *f);
void mk_results(struct mk_sm *sm, struct mk_core *k, const struct mk_flight *f, uint64_t now);
/* RFC: one result of a warp goes into its cache, or to the banks where a memory instruction gives it (slow) or the
 * warp is not active. until: the warp's index of the value's last read; an older value that leaves is written to
 * the banks. */
void mk_rfc_put(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint8_t reg, int slow,
                uint32_t until, uint64_t now);
/* RFC: nothing reads the warp's value of the register any more. */
void mk_rfc_kill(struct mk_core *k, uint32_t warp, uint8_t reg);
/* RFC: the warp leaves the active ones; its values go to the banks. */
void mk_rfc_empty(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now);
/* Two-level sets: moves warps between them. */
void mk_sets(struct mk_sm *sm, struct mk_core *k, uint64_t now);
/* LTRF: the registers of the warp go to the banks, or are asked for, which the warp waits for. */
void mk_write_regs(struct mk_sm *sm, struct mk_core *k, uint32_t warp, const struct ct_mk_regs *regs,
                   uint64_t now);
void mk_fetch_regs(struct mk_sm *sm, struct mk_core *k, uint32_t warp, const struct ct_mk_regs *regs);
/* LTRF: the warp's next instruction issues. */
void mk_note_written(const struct mk_sm *sm, struct mk_warp *w);
/* LTRF: the warp stands before an instruction; fetches its interval if it has to. */
void mk_fetch(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now);

#endif
