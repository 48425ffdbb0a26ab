/* turns.h - the schedulers of an SM in a cycle: whose turn it is, one after the other (private).
 *
 * `usual` is that of step.h. */
#ifndef CT_REPLAY_PRIVATE_TURNS_H
#define CT_REPLAY_PRIVATE_TURNS_H

#include "replay/private/step.h"
#include "replay/private/usual.h"

/* The first cycle in which a scheduler tries to issue or a parked instruction finds a collector. */
static CT_INLINE uint32_t rp_next_turn(const struct ct_replay *r, const struct rp_sm *sm, int usual)
{
	const uint32_t *at = sm->full.sched_next;
	uint32_t t = rp_min32(sm->full.unpark_at, rp_four_first(at));
	for (uint32_t k = 4; k < rp_schedulers(r, usual); k++)
		t = rp_min32(t, at[k]);
	return t;
}

/* Schedulers whose turn it is in this cycle, of n the first in bit 0. */
static CT_INLINE uint32_t rp_due_schedulers(const struct rp_sm *sm, uint32_t n, uint32_t first,
                                            uint32_t now)
{
	uint32_t due = rp_four_due(sm->full.sched_next, now);
	for (uint32_t k = 4; k < n; k++)
		due |= (uint32_t)(sm->full.sched_next[k] <= now) << k;
	return (due | due << n) >> first & ((1u << n) - 1);
}

/* The turns from..to - 1 of this cycle have passed: a scheduler that waits for a collector has had its own, too, although
 * it did not try. */
static CT_INLINE void rp_pass_turns(const struct ct_replay *r, struct rp_sm *sm, uint32_t from,
                                    uint32_t to, uint32_t now)
{
	for (uint32_t i = from; r->collector_part && i < to; i++) {
		struct rp_sched *s = &sm->full.sched[ct_modulo(i + now, r->g.schedulers)];
		if (s->blocked)
			s->stepped = now + 1;
	}
}

/* Another one is first each time. Only a barrier that opens, or a part, makes it the turn
 * of one that comes after it in the same cycle. */
static CT_INLINE void rp_take_turns(struct ct_replay *r, struct rp_sm *sm, uint32_t now, int usual)
{
	uint32_t n = rp_schedulers(r, usual), first = ct_modulo(now, n);
	uint32_t due = rp_due_schedulers(sm, n, first, now), passed = 0;
	sm->full.released = usual ? 0 : r->core_parts;
	while (due) {
		uint32_t i = ct_low_bit(due);
		due &= due - 1;
		if (!usual)
			rp_pass_turns(r, sm, passed, i, now);
		rp_sched_attempt(r, sm, ct_modulo(i + first, n), now, usual);
		passed = i + 1;
		if (sm->full.released)
			due = rp_due_schedulers(sm, n, first, now) & ~((2u << i) - 1);
	}
	if (!usual)
		rp_pass_turns(r, sm, passed, n, now);
}

#endif
