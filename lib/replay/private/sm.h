/* sm.h - an SM: what every timing keeps of it, and the states of the timings (private).
 *
 * What happens in an SM within a window is the timing's own (timing.h); sm.c does what is the same for
 * all of them. */
#ifndef CT_REPLAY_PRIVATE_SM_H
#define CT_REPLAY_PRIVATE_SM_H

#include "replay/private/cache.h"
#include "replay/private/full_sm.h"
#include "replay/private/packet.h"
#include "replay/private/warp.h"
#include "replay/private/warp_queue.h"
#include "replay/replay.h"

enum {
	RP_INSTRUCTION_BYTES = 16, /* at most */
	RP_CODE_LINE_BITS = 7,     /* eight instructions of Volta and later */
	RP_CODE_LINES = 4096       /* what is behind them costs no time */
};
enum { RP_LINES_IN_FLIGHT = 8192 /* of an SM, for telling their LLC accesses apart */ };

/* What happened to a line of an L1, for the replication directory. */
enum rp_log_what { RP_LOG_HERE, RP_LOG_FILL /* for a load's line miss */, RP_LOG_GONE };
struct rp_log {
	uint64_t line;
	uint32_t when;
	uint8_t what;
};

struct rp_sm {
	uint32_t id;
	uint32_t now;
	uint32_t rare_at;  /* the first of the next five: rp_sm_set_rare() */
	uint32_t reply_at; /* cycle of the first of replies, RP_NEVER: none */
	uint32_t part_at;  /* cycle of the first event of a part, RP_NEVER: none */
	uint32_t
		l1_part_at; /* of the first relayed message or the timer of an L1 organisation; RP_NEVER: none */
	uint32_t next_free /* of its CTAs */, wipe_at;
	int failed; /* out of memory or a damaged spill */

	struct rp_full_sm full; /* the states of the timings */
	struct rp_quick_sm *quick;
	/* quick timing, in which a warp runs ahead of the others: warps by the cycle at which they go on; of each
	 * warp's groups of copies the cycle at which the last that is known is back */
	struct rp_warp_queue queue;
	uint32_t (*copied_at)[CT_WARP_GROUPS];

	struct rp_warp *warp;
	struct rp_next *next;      /* of each warp */
	uint32_t (*regs)[RP_REGS]; /* cycle at which each register can be read */
	struct rp_cta *cta;
	uint32_t ctas, warps_live;
	uint32_t fetch; /* quarter cycles: next fetch slot */
	uint32_t offer; /* cycle at which it can take a CTA, or RP_NEVER */
	uint32_t busy_since;

	struct rp_cache cache; /* L1 */
	uint32_t lsu_free;     /* the load/store unit can take the next instruction */
	uint32_t missq_last;   /* cycle at which the last queued miss leaves */
	struct rp_ring missq, direct, replies;
	struct rp_ring relayed; /* messages of an L1 organisation that slices have passed on */
	struct rp_ring late;    /* its answers that are due later */
	uint64_t l1_timer;      /* its timer: cycle of the memory system, RP_NEVER64: none */
	uint32_t group;
	uint32_t group_missed[RP_LINES_IN_FLIGHT / 32]; /* bit group % ...: missed at the LLC */
	uint32_t *group_sid; /* [group % ...]: its instruction; NULL where nobody asks */

	const struct ct_replay *stalls_of; /* whose observers want to know of stalls; NULL: nobody */

	uint32_t *
		code; /* by line of code, RP_CODE_LINES: the cycle from which it is there, 0: not asked for;
	                   NULL: code costs no time */
	uint64_t slots_used; /* slots, of the first 64, that have held a CTA of this launch */
	uint32_t code_lines; /* asked for in this launch */

	struct rp_log *log;
	uint32_t log_cap, nlog;
	struct ct_replay_counts c;
};

/* To be called where one of those five cycles has changed. */
static inline void rp_sm_set_rare(struct rp_sm *sm)
{
	sm->rare_at = rp_min32(rp_min32(sm->reply_at, sm->part_at),
	                       rp_min32(rp_min32(sm->next_free, sm->wipe_at), sm->l1_part_at));
}

/* What the SM has issued; its counter warp_insts stays 0. */
static inline uint64_t rp_warp_insts(const struct rp_sm *sm)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < CT_CLASS_COUNT; i++)
		n += sm->c.unit_insts[i];
	return n;
}

/* Notes which instruction the line of that number belongs to. */
static inline void rp_note_line_sid(struct rp_sm *sm, uint32_t group, uint32_t sid)
{
	if (sm->group_sid)
		sm->group_sid[group % RP_LINES_IN_FLIGHT] = sid;
}

/* No sector of the line has missed at the LLC so far. */
static inline void rp_no_miss_of_group(struct rp_sm *sm, uint32_t group)
{
	uint32_t g = group % RP_LINES_IN_FLIGHT;
	sm->group_missed[g / 32] &= ~(1u << g % 32);
}

/* A new number for a line of the instruction sid. */
static inline uint32_t rp_new_line_group(struct rp_sm *sm, uint32_t sid)
{
	uint32_t g = sm->group++ % RP_LINES_IN_FLIGHT;
	rp_note_line_sid(sm, g, sid);
	rp_no_miss_of_group(sm, g);
	return sm->group - 1;
}

/* Whether this is the first of the line's sectors to miss at the LLC. */
static inline int rp_first_miss_of_group(struct rp_sm *sm, uint32_t group)
{
	uint32_t g = group % RP_LINES_IN_FLIGHT, bit = 1u << g % 32;
	int first = !(sm->group_missed[g / 32] & bit);
	sm->group_missed[g / 32] |= bit;
	return first;
}

/* sm.c: what all timings have of an SM. rp_sm_begin(): a launch begins, every queue is empty. */
int rp_sm_init(struct ct_replay *r, struct rp_sm *sm, uint32_t id, struct ct_error *e);
void rp_sm_free(struct ct_replay *r, struct rp_sm *sm);
void rp_sm_begin(struct ct_replay *r, struct rp_sm *sm);
/* CTAs whose last warp has retired by cycle `now` leave. */
void rp_sm_free_slots(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
/* Gives the CTA to the SM, which has a place for it. Returns 0 or the engine's error. */
int rp_sm_place(struct ct_replay *r, struct rp_sm *sm, struct ct_cta *cta, uint32_t now);

/* The first reply has changed. */
void rp_sm_set_reply(struct ct_replay *r, struct rp_sm *sm);

#endif
