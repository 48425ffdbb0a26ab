/* parts.h (private) - the engine's side of parts: events at nodes, messages, tokens. */
#ifndef CT_REPLAY_PRIVATE_PARTS_H
#define CT_REPLAY_PRIVATE_PARTS_H

#include "base/heap.h"
#include "replay/parts.h"
#include "replay/private/events.h"
#include "replay/private/full.h"
#include "replay/private/llc.h"

/* A message on its way, or a free entry. */
struct rp_note {
	struct ct_message m;
	const struct ct_part *who;
	uint32_t next;
};

/* Something to be routed by a network model, or routed and on its way. */
struct rp_flight {
	struct rp_moment when; /* put in; later: arrives */
	struct rp_packet p;    /* kind RP_PK_MESSAGE: id is the note */
	uint32_t from, to, flits;
	uint8_t net;
};
struct rp_flights {
	struct rp_flight *p;
	size_t n, cap;
};

/* A read or write of an L1 organisation, a request that an LLC organisation holds, a read from
 * DRAM of its own. */
struct rp_part_fetch {
	uint64_t tag;
	uint32_t left, next;
	uint32_t chunks; /* of a store that is forwarded */
	uint8_t kind;
};
struct rp_taken {
	struct rp_packet p;
	uint32_t next;
	uint8_t live;
};
struct rp_part_sm {
	struct rp_part_fetch *fetch;
	struct rp_pool_head fetches;
	uint64_t shape_at; /* of the event that asks the shaper, or CT_NO_CYCLE */
	uint32_t
		shaped; /* request of the shaper's of which sectors still wait for their banks, or RP_NO_INDEX */
	/* collectors: instructions between issue and their unit */
	struct rp_collected *col;
	struct rp_pool_head cols;
	struct rp_moment clock[RP_MAX_SCHEDULERS]; /* of sub-cores, among the events of the SM */
	uint32_t clocks;                           /* bit: that clock has been asked for */
	uint32_t nclocks;
	uint64_t
		clock_order; /* of these the sub-cores in the order of time, the first in the lowest byte */
};

struct rp_collected {
	const struct rp_op *op;
	uint32_t mem, next, sid;
	uint16_t warp;
	uint8_t live;
};

struct rp_part_slice {
	struct rp_taken *taken;
	struct rp_pool_head takens;
	struct rp_part_fetch *read;
	struct rp_pool_head reads;
	int passed; /* the head of the input has been seen and passed on */
};

struct rp_parts {
	int banks; /* ct_l1_part.banks */
	struct ct_replay_parts given;
	uint8_t *owned; /* copy; NULL: none */
	uint32_t nowned;
	struct rp_events *events; /* of each node */
	struct rp_part_sm *sm;
	struct rp_part_slice *slice;
	struct rp_note *note;
	struct rp_pool_head notes;
	uint64_t seq;
	uint32_t line, chunk, line_bits;
	/* where the engine is: the node whose callback runs, or RP_NO_INDEX */
	uint32_t node;
	uint64_t now;
	uint64_t slices_until; /* slices have run up to here */
	/* network models */
	struct rp_flights out;        /* put in, not routed */
	struct rp_flights fly;        /* routed ordinary packets: heap by arrival */
	struct ct_issue issue;        /* what the collectors were asked about last */
	struct ct_operands *operands; /* by sid, of the launch */
	uint32_t noperands;
	size_t operands_cap;
	struct ct_two_level *two_level; /* of the configuration, as the next */
	struct ct_network *network;
	uint64_t ticked[6]; /* cycle of the last tick of each part */
};

/* The sub-core whose clock is the first of those that have been asked for, of which there is one. Pure. */
static CT_INLINE unsigned rp_first_clock(const struct rp_part_sm *ps)
{
	return ps->clock_order & 0xff;
}

/* Takes the first clock out. */
static CT_INLINE void rp_clock_take(struct rp_part_sm *ps)
{
	ps->clocks &= ~(1u << rp_first_clock(ps));
	ps->clock_order >>= 8;
	ps->nclocks--;
}

/* parts_core.c: the same as rp_clock_put() for one that does not come last. */
void rp_clock_insert(struct rp_part_sm *ps, uint32_t sched, const struct rp_moment *when);

/* Puts the sub-core's clock at that moment, which has the highest number so far, in place of a later one. */
static CT_INLINE void rp_clock_put(struct rp_part_sm *ps, uint32_t sched, const struct rp_moment *when)
{
	const uint32_t n = ps->nclocks;
	if (ps->clocks >> sched & 1 ||
	    (n && ps->clock[ps->clock_order >> 8 * (n - 1) & 0xff].at > when->at)) {
		rp_clock_insert(ps, sched, when);
		return;
	}
	ps->clock_order |= (uint64_t)sched << 8 * n;
	ps->clocks |= 1u << sched;
	ps->clock[sched] = *when;
	ps->nclocks++;
}

/* The SM has an event or a clock in cycle `at` of its launch. */
static CT_INLINE void rp_part_not_after(struct rp_sm *sm, uint32_t at)
{
	if (at < sm->part_at) {
		sm->part_at = rp_min32(at, RP_LAST_CYCLE);
		sm->rare_at = rp_min32(sm->rare_at, sm->part_at);
	}
}

/* parts.c */
int rp_parts_wanted(const struct ct_replay *r); /* by the configuration */
/* p may be NULL. */
int rp_parts_init(struct ct_replay *r, const struct ct_replay_parts *p, struct ct_error *e);
int rp_parts_build(struct ct_replay *r, struct ct_error *e);
void rp_parts_free(struct ct_replay *r);
void rp_parts_kernel(struct ct_replay *r);
/* The SM's first event has changed, or the beginning of its launch. */
void rp_part_set_next(struct ct_replay *r, struct rp_sm *sm);
void rp_parts_window(struct ct_replay *r);
/* Fills in what the queue orders by: *ev is the caller's. */
int rp_event_push(struct ct_replay *r, uint32_t node, struct rp_event *ev);
/* The same of an SM in cycle `at` of its launch, or in its present one if that is over, and of nobody in particular. */
static CT_INLINE void rp_event_push_sm(struct ct_replay *r, struct rp_sm *sm, uint32_t at,
                                       enum rp_event_kind kind, uint64_t data, uint32_t arg)
{
	struct rp_events *q = &r->parts->events[sm->id];
	struct rp_event far, *ev = &far;
	at = rp_max32(at, sm->now);
	const int near = rp_events_is_near(q, r->base + at, r->base + sm->now);
	if (near && !(ev = rp_events_place(q, r->base + at))) {
		rp_fail(r, CT_ERR_NOMEM, "out of memory");
		return;
	}
	ev->when = (struct rp_moment){r->base + at, r->parts->seq++};
	ev->who = NULL;
	ev->data = data;
	ev->arg = arg;
	ev->kind = (uint8_t)kind;
	if (!near && rp_events_put_far(q, ev) < 0)
		rp_fail(r, CT_ERR_NOMEM, "out of memory");
	rp_part_not_after(sm, at);
}
void rp_note_arrive(struct ct_replay *r, uint32_t note, uint64_t at);
/* As rp_pool_get(); the run fails when memory is out. */
uint32_t rp_pool_take(struct ct_replay *r, struct rp_pool_head *h, void **p, size_t size, size_t next);
/* Runs the events of the node up to `now`. */
void rp_events_run(struct ct_replay *r, uint32_t node, uint64_t now);

/* parts_l1.c */
int rp_part_enter(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
void rp_part_shape(struct ct_replay *r, struct rp_sm *sm, uint64_t cycle);
void rp_part_l1_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
/* Sectors of a line at the ends of their banks. Returns those that are looked up; where some are not, *retry is lowered
 * to the cycle in which to try again. */
uint32_t rp_part_look_up(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t sectors,
                         uint32_t now, uint32_t *retry);
void rp_part_l1_reply(struct ct_replay *r, struct rp_sm *sm, const struct rp_packet *p, uint32_t now);
void rp_part_answer(struct ct_replay *r, struct rp_sm *sm, uint64_t token, uint32_t chunks, uint64_t at);
void rp_part_deliver(struct ct_replay *r, struct rp_sm *sm, uint64_t token, uint32_t chunks, uint32_t at,
                     uint32_t now);
/* Whether messages and timers of the L1 organisation are the only ones there can be. */
static inline int rp_l1_part_alone(const struct ct_replay *r)
{
	const struct ct_replay_parts *g = &r->parts->given;
	return g->l1 && !g->llc && !g->shaper && !g->network && !g->own && !r->core_parts;
}
/* Whether the parts are of schedulers and collectors alone, so that memory works as without any. */
static inline int rp_core_parts_alone(const struct ct_replay *r)
{
	const struct ct_replay_parts *g = &r->parts->given;
	return !g->l1 && !g->llc && !g->admission && !g->shaper && !g->network && !g->own;
}
/* The first of the SM's relayed messages, or its timer, has changed. */
void rp_part_set_l1_at(const struct ct_replay *r, struct rp_sm *sm);
/* Gives the SM late answers, which come before the events of their cycle. */
void rp_part_late_answers(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
/* Gives the SM late answers, then the L1 organisation relayed messages, then its timer, that have come by cycle `now`. */
void rp_part_l1_due(struct ct_replay *r, struct rp_sm *sm, uint32_t now);
void rp_sm_send(struct ct_replay *r, struct rp_sm *sm, struct rp_packet *p, uint32_t now);

/* parts_llc.c */
int rp_part_llc_access(struct ct_replay *r, struct rp_slice *s, const struct rp_packet *p, uint64_t now);
void rp_part_llc_filled(struct ct_replay *r, struct rp_slice *s, uint32_t mshr, uint64_t now);
void rp_part_llc_answer(struct ct_replay *r, uint32_t slice, uint64_t token, uint32_t what,
                        uint64_t now);

/* parts_core.c */
void rp_part_collect(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t warp,
                     const struct rp_op *op, uint32_t mem, uint32_t now);
void rp_part_lsu_took(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now);
void rp_part_writes(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t sid, uint32_t at);
int rp_part_pick(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint64_t ready, uint32_t now);
enum ct_issue_verdict rp_part_veto(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t warp,
                                   uint32_t now);
void rp_part_clock(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint64_t now);
void rp_part_left(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t token, uint64_t now);

/* parts_net.c */
/* A message that a slice has passed on reaches its SM in cycle `at`; they come in the order of their cycles. */
int rp_sm_relay(struct ct_replay *r, const struct rp_packet *p, uint64_t at);
/* The message that such a packet holds. */
struct ct_message rp_relayed_message(const struct ct_replay *r, const struct rp_packet *p);
int rp_flight_push(struct ct_replay *r, const struct rp_flight *f);
int rp_parts_route(struct ct_replay *r, uint64_t until);
int rp_parts_flying(const struct ct_replay *r);

#endif
