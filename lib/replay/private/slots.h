/* slots.h - when the slots of a warp scheduler may issue: those that may now, a wheel of masks
 * for the next 64 cycles, the others with their cycle.
 *
 * Between two attempts of a scheduler nothing in the wheel or beyond is due: the next attempt
 * comes no later than the first of them. */
#ifndef CT_REPLAY_PRIVATE_SLOTS_H
#define CT_REPLAY_PRIVATE_SLOTS_H

#include "base/bits.h"
#include "base/hot.h"
#include "replay/private/full_sm.h"

static CT_INLINE uint64_t rp_rotate(uint64_t v, uint32_t left)
{
	return v << (left & 63) | v >> (-left & 63);
}

/* Enters a slot that becomes ready at cycle `at`, which lies behind `upto`. */
static CT_INLINE void rp_slot_put(struct rp_sched *s, uint32_t slot, uint32_t at)
{
	uint64_t bit = UINT64_C(1) << slot;
	if (at - s->upto < 64) {
		s->wheel[at & 63] |= bit;
		s->wheel_bits |= UINT64_C(1) << (at & 63);
	} else {
		s->far |= bit;
		if (at < s->far_next)
			s->far_next = at;
	}
}

/* The slot may not issue until somebody says when. Where it was does not matter: what is
 * not there is not there afterwards either. */
static CT_INLINE void rp_slot_clear(struct rp_sched *s, uint32_t slot)
{
	uint64_t bit = UINT64_C(1) << slot;
	uint32_t old = s->at[slot] & 63;
	s->ready &= ~bit;
	s->far &= ~bit;
	s->wheel[old] &= ~bit;
	s->wheel_bits &= ~((uint64_t)!s->wheel[old] << old);
	s->at[slot] = RP_NEVER;
}

/* The slot may issue from cycle `at` on; no attempt comes before `now`. */
static CT_INLINE void rp_slot_set(struct rp_sched *s, uint32_t slot, uint32_t at, uint32_t now)
{
	if (s->at[slot] == at)
		return;
	rp_slot_clear(s, slot);
	s->at[slot] = at;
	if (at <= now || at <= s->upto)
		s->ready |= UINT64_C(1) << slot;
	else
		rp_slot_put(s, slot, at);
}

/* The same for the slot that issues in this cycle: it was among the ready ones. */
static CT_INLINE void rp_slot_again(struct rp_sched *s, uint32_t slot, uint32_t at)
{
	s->ready &= ~(UINT64_C(1) << slot);
	s->at[slot] = at;
	rp_slot_put(s, slot, at);
}

/* scheduler.c: brings near slots into the wheel. */
void rp_slots_bring_near(struct rp_sched *s);

/* Moves on to cycle `now`, that of an attempt: `ready` holds what may issue by then. */
static CT_INLINE void rp_slots_advance(struct rp_sched *s, uint32_t now)
{
	uint32_t i = now & 63;
	s->ready |= s->wheel[i];
	s->wheel[i] = 0;
	s->wheel_bits &= ~(UINT64_C(1) << i);
	s->upto = now;
	if (s->far_next <= now + 63)
		rp_slots_bring_near(s);
}

/* The next cycle after `upto` in which another slot may issue, not later than that. */
static CT_INLINE uint32_t rp_slots_next(const struct rp_sched *s)
{
	if (s->wheel_bits)
		return s->upto + 1 + ct_low_bit(rp_rotate(s->wheel_bits, 63 - (s->upto & 63)));
	return s->far ? s->far_next : RP_NEVER;
}

#endif
