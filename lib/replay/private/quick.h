/* quick.h - what contention costs where a warp runs ahead, CT_REPLAY_QUICK (private).
 *
 * SMs run one after the other through a window of time (quick_run.c, quick_mem.c) and only write down
 * what they ask the LLC for: nothing of it is back within the window. At its end all requests go through
 * the network, the slices and DRAM as those of full timing do, and what waits for them is told when it
 * can go on (quick_reply.c).
 *
 * Within an SM a warp runs ahead of the others: there a resource that hands out one place a cycle is a
 * calendar of bits, of which each takes the first free one. An SM is not stepped through cycles. */
#ifndef CT_REPLAY_PRIVATE_QUICK_H
#define CT_REPLAY_PRIVATE_QUICK_H

#include "base/bits.h"
#include "replay/private/ahead.h"
#include "replay/private/memory.h"

enum {
	RP_CALENDAR_WORDS = 64, /* of the memory side: 4096 places */
	RP_ISSUE_WORDS = 16,    /* of schedulers and units: 1024 cycles */
	RP_TO_REGISTERS = 2,    /* cycles from a reply to the registers, if the port is free */
	RP_SEEN_BEFORE = 1      /* cycles that an atomic is seen before its register is written */
};

/* Places (cycles, or multiples of some) from 64 * first on; those of [lo, hi) are taken. */
struct rp_calendar {
	uint64_t first, lo, hi;
	uint64_t over; /* what is behind the end of the calendar is taken up to here */
	uint64_t bits[RP_CALENDAR_WORDS];
};

struct rp_slots {
	uint64_t first;
	uint64_t bits[RP_ISSUE_WORDS];
};

struct rp_quick_sched {
	struct rp_slots issue, unit[RP_UNITS];
	uint32_t last, last_at; /* the warp that has issued last, and in which cycle */
	uint64_t waited; /* cycles that its warps' instructions have waited for it and its units */
	/* two-level scheduling: slots of the active warps, how many; those that could go on and have no place among
	 * them */
	uint64_t active, pending;
	uint32_t nactive;
};

/* What an SM asks a slice for: an LLC sector. Cycles of the launch. */
struct rp_quick_req {
	uint64_t sector; /* number of the LLC sector */
	uint32_t at;     /* when its sector comes to the tags; of one that is filled, when it has been */
	uint32_t next;   /* in its bank */
	uint32_t behind; /* needs_way: the request whose data the line in its place waits for */
	uint32_t llc_set; /* in the slice */
	uint32_t inst;    /* that waits for it */
	uint32_t line;    /* of the L1, that it fills; RP_LRU_NONE: none */
	uint32_t joined;  /* the last of the instructions that have joined it, RP_NO_INDEX */
	uint32_t bytes;   /* as in rp_packet; of loads only where somebody looks at them */
	uint16_t group, slice;
	uint8_t kind, k; /* k: sector of the L1's line */
	uint8_t before;  /* requests for the same L1 sector */
	uint8_t parts;   /* of the first for an L1 sector: those of its requests that are not back */
	uint8_t needs_way : 1;
	uint8_t over : 1;  /* the reply has come */
	uint8_t held : 1;  /* another waits for it */
	uint8_t alone : 1; /* as in rp_packet, the next too */
	uint8_t payload : 4;
};

/* An instruction that waits for something of which nobody knows when it is back. */
struct rp_quick_inst {
	const struct rp_op *op;
	uint32_t issued, back; /* back: the last of what is known */
	uint32_t left, group;
	uint32_t next; /* free ones */
	uint32_t sid;
	uint16_t warp;
};

/* It waits for a sector that another one has asked for: a ring of those that do. */
struct rp_quick_joined {
	uint32_t inst, next;
	uint32_t holds; /* the tags, too */
};

/* A memory instruction that has issued and asks for n lines. */
struct rp_quick_access {
	const struct rp_op *op;
	uint32_t issued, inst;    /* cycle; its record when it has had to wait, RP_NO_INDEX */
	uint32_t sid, busy, more; /* cycles of the unit; transactions of an atomic beyond its sectors */
	uint32_t warp, n;
};

/* It waits for the load/store unit. */
struct rp_quick_wait {
	struct rp_quick_access access;
	uint32_t place;                                      /* whose cycle is in unit */
	struct ct_line_request lines[CT_MAX_LINES_PER_INST]; /* n of them once it has to wait */
};

enum { RP_QUICK_PIECE = 7 };

/* Lines of a memory instruction of an SM in step, highest first; more are in the next piece. */
struct rp_quick_piece {
	struct ct_line_request line[RP_QUICK_PIECE];
	uint32_t next;
};

/* An instruction that the load/store unit of an SM in step has taken while the tags are held up. */
struct rp_quick_late {
	uint32_t mem, taken; /* its record; cycle */
};

struct rp_quick_sm {
	_Alignas(
		64) struct rp_quick_req *req; /* a ring by their numbers: those before `over` are over */
	uint32_t req_mask, asked, over;
	uint32_t direct_last; /* cycle of the last that went past the L1 */
	/* each bank of the L1: the first that has missed or stores and is held up there, or still comes; the
	 * last; how many; the cycle in which the next can go; with any, the cycle in which the first could go
	 * if it needed nothing but its turn */
	uint32_t bank_first[RP_MAX_L1_BANKS], bank_last[RP_MAX_L1_BANKS], in_bank[RP_MAX_L1_BANKS],
		bank_free[RP_MAX_L1_BANKS], bank_at[RP_MAX_L1_BANKS];
	uint32_t banks; /* those with any */
	/* of them: those that hold as many as their pipeline has stages; whose first is a load, whose first
	 * needs a way */
	uint32_t full_banks, load_banks, way_banks;
	uint32_t
		leaves; /* while one is full, no instruction that issues before this cycle finds room; or 0 */
	struct rp_quick_inst *inst;
	uint32_t inst_free, insts;
	uint32_t *mshr; /* of each entry taken, by its number: when it is free, RP_NEVER: not known */
	uint32_t mshr_mask, taken, filled; /* filled: so many have been free again */
	uint32_t l1_free;                  /* the tags are held up until then */
	uint32_t stuck;  /* things that hold the tags up of which nobody knows when they are over */
	uint8_t *merged; /* line * sectors + sector: instructions that wait for it */
	struct rp_quick_joined *joined;
	uint32_t njoined, joined_free;
	uint32_t end; /* of the window */
	/* places in front of the load/store unit: a ring of `depth` for each scheduler, or one for all of them;
	 * the cycle in which what was there has been taken, RP_NEVER: not yet */
	uint32_t *unit;
	uint32_t rings, depth, place[RP_MAX_SCHEDULERS]; /* place: of the next in its ring */
	struct rp_quick_wait
		*wait; /* ring of what has issued and waits for the unit, a record for each place */
	uint32_t wait_next, nwait; /* wait_next: behind the last */
	uint16_t *held;            /* ring of warps with an instruction that finds no place */
	uint32_t held_first, nheld, held_of[RP_MAX_SCHEDULERS]; /* held_of: of a ring of places */
	uint32_t schedulers;
	uint32_t active_warps; /* of a scheduler, at most; 0: all are */
	/* quick_step.c: whether the SM is in step; since which cycle it has been looked at whether it should be, and of
	 * these windows that have ended and warps that could issue at those ends */
	int in_step;
	uint32_t watched_from, windows, ready;
	struct rp_quick_piece *piece;
	uint32_t pieces, piece_free;
	struct rp_quick_late *late; /* room for a cycle of the L1's latency each */
	uint32_t nlate, late_busy;  /* cycles that they keep the unit */
	struct rp_quick_sched *sched;
	struct rp_calendar write_back, lsu; /* of the launch */
};

struct rp_quick {
	struct rp_quick_sm *sm;
	uint64_t warps
		[RP_MAX_SCHEDULERS]; /* of each scheduler those that it has, bit warp, of the first 64 */
	struct ct_line_request lines[CT_MAX_LINES_PER_INST]; /* of the instruction at work */
};

/* quick.c: what they take is of the engine's pool. */
int rp_quick_init(struct ct_replay *r, struct ct_error *e);
/* A launch begins: nothing is on its way. */
void rp_quick_begin(struct ct_replay *r, struct rp_sm *sm);
/* A window begins. Due cycles (lru.h) have 32 bits: what they count from follows time. */
void rp_quick_follow_epoch(struct ct_replay *r);
/* Forgets places before 64 * word. */
void rp_calendar_pass(struct rp_calendar *c, uint64_t word);
/* The first free place from t on, which is not free or outside the calendar. */
uint64_t rp_calendar_search(struct rp_calendar *c, uint64_t t);
/* The same two of slots; n places, one after the other as they are free. */
void rp_slots_pass(struct rp_slots *c, uint64_t word);
uint64_t rp_slots_search(struct rp_slots *c, uint64_t t, uint32_t n);

/* quick_run.c: nothing is left that the instruction waits for. */
void rp_quick_all_back(struct ct_replay *r, struct rp_sm *sm, uint32_t inst);
/* quick_run.c: the warp, which has a next instruction, goes on by itself when that has what it needs. */
void rp_quick_go_on(struct rp_sm *sm, uint32_t warp);

/* quick_mem.c: executes the next instruction of the warp, one of memory, that issues in cycle `at`: notes when its registers,
 * its LDGSTS group or the warp itself can go on, or what that waits for. An instruction that is not of shared memory by its
 * opcode has a place to wait for the load/store unit. */
void rp_quick_memory(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at);
/* The same of one that is, or whose lanes all are there. */
void rp_quick_shared(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at);
/* Cycle in which an instruction has to have issued for the unit to take what waits; RP_NEVER: nobody
 * knows. */
uint32_t rp_quick_unit_next(const struct ct_replay *r, const struct rp_sm *sm);
/* Whether a bank of the L1 keeps the unit from taking anything now, after what leaves them by now. */
int rp_quick_unit_blocked(struct ct_replay *r, struct rp_sm *sm);
/* The unit takes what has waited for it for longest. */
void rp_quick_unit_take(struct ct_replay *r, struct rp_sm *sm);
/* Cycles that an instruction with those n lines, one or more, keeps the unit: of one that goes past the L1 the sectors, and
 * what lanes of an atomic that meet in a sector add, which is left in *more. */
uint32_t rp_quick_unit_cycles(const struct ct_replay *r, const struct rp_op *op,
                              const struct ct_inst *inst, const struct ct_line_request *q, unsigned n,
                              uint32_t *more);
/* The first of an instruction's lines enters the L1 in cycle `at`. Returns when what is known of it is back; a->inst is
 * RP_NO_INDEX where that is all, else a record that all_back() follows for; group: its LDGSTS group. */
uint32_t rp_quick_enter(struct ct_replay *r, struct rp_sm *sm, struct rp_quick_access *a,
                        const struct ct_line_request *lines, uint32_t group, uint32_t at);

/* quick_step.c: an SM whose warps are in step, as those of full timing. */
/* A launch begins. */
void rp_quick_step_begin(struct ct_replay *r, struct rp_sm *sm);
/* Runs the SM up to cycle `end`, or to its offer. */
void rp_quick_step_run(struct ct_replay *r, struct rp_sm *sm, uint32_t end);
/* Its next cycle with something to do; RP_NEVER: nobody knows. */
uint32_t rp_quick_step_next(const struct ct_replay *r, const struct rp_sm *sm);
/* Something that the warp has waited for is back, or will be in a known cycle. */
void rp_quick_step_wake(struct ct_replay *r, struct rp_sm *sm, uint32_t warp);
/* A window has ended in cycle `end`, and all replies that are known have been taken: chooses whether the SM goes on in step,
 * and lets the load/store unit go on if it does. */
void rp_quick_step_window(struct ct_replay *r, struct rp_sm *sm, uint32_t end);

/* The request of that number becomes the first of the bank. */
static CT_INLINE void rp_quick_first_of_bank(struct rp_quick_sm *q, uint32_t bank, uint32_t number)
{
	const struct rp_quick_req *p = &q->req[number & q->req_mask];
	uint32_t bit = 1u << bank;
	q->bank_first[bank] = number;
	q->bank_at[bank] = rp_max32(p->at, q->bank_free[bank]);
	q->load_banks = p->kind != RP_PK_STORE ? q->load_banks | bit : q->load_banks & ~bit;
	q->way_banks = p->needs_way ? q->way_banks | bit : q->way_banks & ~bit;
	CT_BRING(&q->req[p->next & q->req_mask]); /* the first after it */
}

/* quick_send.c: what misses or stores leaves the banks of the L1 before cycle `end`, the lowest bank first.
 * Returns the cycle in which the next does; RP_NEVER: there is none, or nobody knows. */
uint32_t rp_quick_send(struct ct_replay *r, struct rp_sm *sm, uint32_t end);
/* quick_send.c: the request of that number goes into a queue to the network, which can move it behind cycle
 * `at`. Returns 0 or the engine's error. */
int rp_quick_packet(struct ct_replay *r, const struct rp_sm *sm, struct rp_ring *to,
                    const struct rp_quick_req *p, uint32_t number, uint32_t at);

/* quick_reply.c: what SMs have asked for up to the end of the window, that cycle, goes through the memory
 * system, and what comes back up to the end of the next goes to those who wait. Returns 0 or the engine's
 * error. */
int rp_quick_serve(struct ct_replay *r, uint64_t end);
int rp_quick_idle(const struct ct_replay *r);

/* The results of an instruction that its warp has waited for are there in cycle `back`: registers, its LDGSTS group, and behind
 * an atomic the warp itself. */
static inline void rp_quick_results(struct rp_sm *sm, uint32_t warp, const struct rp_op *op,
                                    uint32_t group, uint32_t back)
{
	struct rp_warp *w = &sm->warp[warp];
	rp_results_at(sm, warp, op, group, back, back - RP_SEEN_BEFORE);
	w->wait.atomics -= op->kind == RP_ATOMIC;
	if (op->kind == RP_ASYNC) {
		w->wait.group_open[group % CT_WARP_GROUPS]--;
		rp_pass_groups(sm, warp);
	}
}

/* Something that the instruction waits for is back in cycle `back`. */
static CT_INLINE void
rp_quick_one_back(struct ct_replay *r, struct rp_sm *sm, uint32_t inst, uint32_t back)
{
	struct rp_quick_inst *p = &sm->quick->inst[inst];
	p->back = rp_max32(p->back, back);
	if (!--p->left)
		rp_quick_all_back(r, sm, inst);
}

/* The place behind `at` in a ring of n. */
static CT_INLINE uint32_t rp_ring_after(uint32_t at, uint32_t n)
{
	return at + 1 >= n ? 0 : at + 1;
}

/* Ring of places that a scheduler's memory instructions take. */
static CT_INLINE uint32_t rp_quick_ring(const struct rp_quick_sm *q, uint32_t sched)
{
	return q->rings > 1 ? sched : 0;
}

/* The next place of a ring. */
static CT_INLINE uint32_t rp_quick_place(const struct rp_quick_sm *q, uint32_t ring)
{
	return ring * q->depth + q->place[ring];
}

/* The next place of the scheduler's is taken. */
static CT_INLINE uint32_t rp_quick_place_take(struct rp_quick_sm *q, uint32_t sched)
{
	uint32_t ring = rp_quick_ring(q, sched), place = rp_quick_place(q, ring);
	q->place[ring] = rp_ring_after(q->place[ring], q->depth);
	return place;
}

/* Takes n free places in a row in the word, if the first free one at or behind *t begins such a row, and sets *t to it.
 * Returns 0 when it does not. */
static CT_INLINE int rp_take_run(uint64_t *word, uint64_t *t, uint32_t n)
{
	uint64_t free = ~*word >> (*t & 63), run = (UINT64_C(2) << ((n - 1) & 63)) - 1;
	if (!free || n > 64)
		return 0;
	uint32_t skip = ct_low_bit(free);
	if (~(free >> skip) & run)
		return 0;
	*t += skip;
	*word |= run << (*t & 63);
	return 1;
}

/* The first free place from t on. */
static CT_INLINE uint64_t rp_calendar_take_first(struct rp_calendar *c, uint64_t t)
{
	uint64_t w = t >> 6;
	if (w - c->first < RP_CALENDAR_WORDS && rp_take_run(&c->bits[w % RP_CALENDAR_WORDS], &t, 1))
		return t;
	return rp_calendar_search(c, t);
}

/* The same. Nobody will ask for one before `floor`. */
static CT_INLINE uint64_t rp_calendar_take(struct rp_calendar *c, uint64_t floor, uint64_t t)
{
	if (floor >> 6 > c->first)
		rp_calendar_pass(c, floor >> 6);
	return rp_calendar_take_first(c, t);
}

/* The same for n places, one after the other as they are free; returns the first. */
static CT_INLINE uint64_t rp_calendar_take_more(struct rp_calendar *c, uint64_t floor, uint64_t t,
                                                uint32_t n)
{
	if (floor >> 6 > c->first)
		rp_calendar_pass(c, floor >> 6);
	uint64_t w = t >> 6;
	if (w - c->first < RP_CALENDAR_WORDS && rp_take_run(&c->bits[w % RP_CALENDAR_WORDS], &t, n))
		return t;
	uint64_t at = rp_calendar_take_first(c, t);
	for (uint32_t i = 1; i < n; i++)
		rp_calendar_take_first(c, at + i);
	return at;
}

/* The same of a scheduler or a unit; nothing is noted beyond the end of what is known. */
static CT_INLINE uint64_t rp_slots_take(struct rp_slots *c, uint64_t floor, uint64_t t, uint32_t n)
{
	if (floor >> 6 > c->first)
		rp_slots_pass(c, floor >> 6);
	uint64_t w = t >> 6;
	if (w - c->first < RP_ISSUE_WORDS && rp_take_run(&c->bits[w % RP_ISSUE_WORDS], &t, n))
		return t;
	return rp_slots_search(c, t, n);
}

#endif
