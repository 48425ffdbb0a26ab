/* full_sm.h - what an SM keeps with full timing: schedulers, operand collectors, the load/store unit
 * and the pipeline of the L1 (private). */
#ifndef CT_REPLAY_PRIVATE_FULL_SM_H
#define CT_REPLAY_PRIVATE_FULL_SM_H

#include "replay/private/tags.h"
#include "replay/private/warp.h"

enum {
	RP_MAX_COLLECTORS = 16, /* per scheduler */
	RP_MAX_REG_BANKS = 16,  /* per scheduler */
	RP_WRITES = 64,         /* cycles ahead in which register writes are kept */
	RP_PORT = 512,          /* cycles ahead in which the write-back port is kept */
	RP_PORT_WORDS = 2 * RP_PORT / 64,
	RP_MAX_L1_BANKS = 32,
	RP_MAX_VETOES = 1 << 20, /* cycles in a row in which parts let nothing issue: a deadlock */
	RP_MAX_HELD = 64         /* memory instructions in the collectors of a scheduler */
};

/* What the part that decides over admission has been told of a line, or has said. */
enum rp_admission { RP_NOT_ASKED, RP_MAY_ALLOCATE, RP_PASSES, RP_WAS_FOUND };

/* What a sector that misses the L1 needs besides a place in the miss queue. */
enum rp_l1_lack {
	RP_LACKS_SET = 1,
	RP_LACKS_MSHR = 2,
	RP_LACKS_CLEAN = 4 /* of a set: some of its lines stay only since they are modified */
};

/* One line that a memory instruction asks for, until every sector has met the L1. Parts may
 * divide a line into up to 32 chunks, the L1 of the engine has at most 8 sectors. */
struct rp_lreq {
	_Alignas(64) uint64_t line;
	uint64_t bytes[2];
	uint32_t next; /* lower line of the same instruction */
	uint32_t mem;
	uint32_t sectors, left; /* asked for; not yet looked up */
	uint32_t group;         /* number of this line of this instruction */
	uint32_t near;          /* where it was in the tags when last looked up */
	uint32_t llc_set;
	uint32_t memo; /* what an L1 organisation notes about it */
	uint16_t slice;
	uint8_t enter; /* not yet in the L1 pipeline */
	struct rp_lreq_is {
		uint8_t sent : 1;  /* something of it has left for the LLC: slice, llc_set are known */
		uint8_t store : 1; /* the instruction is one */
		uint8_t admission : 2; /* enum rp_admission */
	} is;
	uint8_t met[RP_METS]; /* sectors, by what they met */
};
_Static_assert(sizeof(struct rp_lreq) == 64, "a line of the host");

/* One memory instruction in flight. */
struct rp_mem {
	const struct rp_op *op;
	uint64_t order;        /* of issue on the SM: oldest first */
	uint32_t lines;        /* head of its list of rp_lreq; next free */
	uint32_t left;         /* sectors (transactions) that have not come back */
	uint32_t issued, last; /* cycles */
	uint32_t taken, busy;  /* by the load/store unit: cycle, cycles */
	uint32_t group;        /* LDGSTS */
	uint32_t sid;
	uint16_t warp;
	uint8_t kind, shared, bypass, degree;
	uint32_t refs; /* what still points here: lines, stores, replies */
};

/* A sector in the pipeline of a bank of the L1. */
struct rp_stage {
	uint32_t what;  /* rp_lreq << 3 | sector */
	uint32_t ready; /* cycle at which it meets the tags */
};
/* A step of the pipeline of an L1 that is a part: chunks of one line. */
struct rp_step {
	uint32_t lreq, ready;
};

/* Half a cache line of the host. */
struct rp_mshr {
	uint64_t sector;      /* address / sector bytes */
	uint32_t next;        /* in its bucket */
	uint32_t mem;         /* that waits first */
	uint32_t head, tail;  /* further ones: rp_waiter */
	uint32_t line;        /* index in tags */
	uint32_t count : 22;  /* that wait */
	uint32_t passes : 1;  /* none of them may put the line into the L1 */
	uint32_t first : 1;   /* first sector of a line that a load allocated */
	uint32_t replies : 8; /* LLC sectors still to come */
};
enum { RP_MAX_WAITERS = (1 << 22) - 1, RP_MAX_REPLIES = 255 };
struct rp_waiter {
	uint32_t mem, next;
};

/* An instruction that waits for an operand collector. */
struct rp_parked {
	const struct rp_op *op;
	uint32_t issued, mem;
	uint16_t warp;
	uint8_t sched;
};
/* A memory instruction that holds a collector until the load/store unit takes it. */
struct rp_held {
	uint32_t mem, step, collector;
};

/* What each step looks at comes first: the whole is larger than a first-level cache. */
struct rp_sched {
	/* when each slot's next instruction may issue: slots that may now, a wheel of masks for
	 * the next 64 cycles, the others with their cycle */
	uint64_t ready, far, wheel_bits;
	uint64_t waiting;  /* slots whose next instruction waits for memory, a barrier or a
	                                      fence */
	uint64_t live;     /* slots with a next instruction */
	uint32_t shut;     /* bit: an instruction waits in the unit's issue register for a collector */
	uint64_t active;   /* slots of the set of two levels */
	uint32_t upto;     /* cycle that `ready` belongs to */
	uint32_t far_next; /* no far slot is earlier */
	uint32_t stepped;  /* cycle of the last attempt + 1 */
	uint32_t last;     /* slot that issued last */
	uint32_t vetoed;   /* cycles since parts have let one issue */
	uint32_t blocked;  /* nothing issues until a collector is free: the first such cycle that no
	                                      attempt has counted; 0: not so */
	uint32_t nheld;
	struct rp_port {
		uint32_t idoc, ocex, free;
	} port[RP_UNITS];                     /* of the unit: when its issue
	                                      register, the register in front of it, it itself is free */
	uint64_t of_unit[RP_UNITS];           /* slots whose next instruction wants the unit */
	uint32_t bank_free[RP_MAX_REG_BANKS]; /* half cycles */
	/* half cycles; from RP_MAX_COLLECTORS on those of memory instructions alone */
	uint32_t collector_free[2 * RP_MAX_COLLECTORS];
	uint32_t at[RP_MAX_SLOTS]; /* RP_NEVER: not known */
	uint64_t wheel[64];
	uint32_t written[RP_MAX_REG_BANKS][RP_WRITES]; /* [cycle % RP_WRITES] == cycle: a result is
	                                      written to the bank in its first step */
	struct rp_held held[RP_MAX_HELD];
};

/* What each step looks at comes first. */
struct rp_full_sm {
	/* next cycle of each of these */
	uint32_t sched_next[RP_MAX_SCHEDULERS]; /* next attempt of each scheduler */
	uint32_t l1_next, lsu_next, unpark_at;
	int released; /* a barrier, in this cycle */
	struct rp_sched *sched;
	uint64_t order; /* memory instructions issued so far */

	/* load/store unit; each scheduler's rp_mem in front of it, when it can be taken at the
	 * earliest (RP_NEVER: there is none) and its order */
	uint32_t at_lsu[RP_MAX_SCHEDULERS], lsu_takes[RP_MAX_SCHEDULERS];
	uint64_t lsu_order[RP_MAX_SCHEDULERS];
	uint32_t lsu_mem, lsu_line;
	struct rp_mem *mem;
	uint32_t mem_cap, mem_free;
	struct rp_lreq *lreq;
	uint32_t lreq_cap;
	struct rp_spare lreq_spare;

	/* L1 */
	struct rp_stage *stage; /* a ring for each bank, stage_mask + 1 each */
	uint32_t stage_mask;
	uint32_t bank_at[RP_MAX_L1_BANKS];   /* when the oldest in the bank is ready, RP_NEVER: empty */
	uint32_t bank_what[RP_MAX_L1_BANKS]; /* the oldest, if there is one */
	uint32_t bank_head[RP_MAX_L1_BANKS];
	uint32_t in_bank[RP_MAX_L1_BANKS];
	uint32_t full_banks; /* that take no more */
	/* whose oldest, a load, has found neither its sector nor an entry for it: only its own bank can change that */
	uint32_t missing_banks;
	uint32_t l1_lacks;       /* enum rp_l1_lack: for want of what a bank did not move, ... */
	uint32_t l1_lacks_at;    /* ... since this cycle */
	uint64_t modified_stall; /* cycles of the launch in which that was RP_LACKS_CLEAN */
	struct rp_step *steps;   /* with an L1 that is a part, whose bank is 0 */
	uint32_t step_cap, step_head, nsteps;
	struct rp_mshr *mshr;
	struct rp_spare mshr_spare;
	uint32_t *mshr_bucket, mshr_mask, mshr_entries;
	struct rp_waiter *waiter;
	uint32_t waiter_cap, waiter_free;
	uint64_t port[RP_PORT_WORDS]; /* cycles in which the write-back port is taken, from ... */
	uint32_t port_word;           /* ... 64 times this on */
	int no_port;                  /* nothing waits for the write-back port */
	uint64_t l1_met[2][RP_METS];  /* sectors of loads and of stores: added to c by counts.c */

	/* waiting for an operand collector: of each unit oldest first, and units with any */
	uint32_t parked_units;
	uint8_t nparked[RP_UNITS];
	struct rp_parked parked[RP_UNITS][RP_MAX_SCHEDULERS];
};

#endif
