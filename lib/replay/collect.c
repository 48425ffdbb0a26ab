/* Operand collectors, register banks and units (doc/replay.md section 4).
 *
 * The collector stage makes two steps a cycle; times in it are counted in half
 * cycles. An instruction issued in cycle t is taken by a collector in the first step
 * of t + 1 at the earliest; from the next step on each register bank hands out one
 * operand a step; one step after the last operand it leaves for its unit. Where no
 * collector is free the instruction is parked: in each step the classes are served in
 * the order of enum rp_unit, of each class the oldest of the SM first, and while that one
 * finds no collector the younger ones of its class wait too. */
#include <string.h>

#include "base/bits.h"
#include "replay/private/parts.h"
#include "replay/private/step.h"

void rp_register_write(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, unsigned place, uint32_t at)
{
	struct rp_sched *s = &sm->full.sched[sm->warp[warp].sub];
	s->written[rp_bank_of(r, warp, place - RP_REG_FIRST, r->usual)][at % RP_WRITES] = at;
}

/* First step in which the oldest that waits for the unit can find a collector. */
static CT_INLINE uint32_t first_step_of(const struct ct_replay *r, const struct rp_sm *sm, uint32_t unit,
                                        int usual)
{
	const struct rp_parked *p = &sm->full.parked[unit][0];
	const struct rp_sched *s = &sm->full.sched[p->sched];
	return rp_max32(2 * (p->issued + 1), s->collector_free[rp_free_collector(r, s, unit, usual)]);
}

/* First step in which a parked instruction can find a collector, as far as known: the
 * oldest of each class counts. */
static CT_INLINE uint32_t next_parked_step(const struct ct_replay *r, const struct rp_sm *sm, int usual)
{
	uint32_t next = RP_NEVER;
	for (uint32_t units = sm->full.parked_units; units; units &= units - 1) {
		next = rp_min32(next, first_step_of(r, sm, ct_low_bit(units), usual));
	}
	return next;
}

static void park_instruction(struct ct_replay *r, struct rp_sm *sm, const struct rp_parked *p)
{
	uint32_t unit = p->op->unit;
	struct rp_sched *s = &sm->full.sched[p->sched];
	s->port[unit].idoc = RP_NEVER;
	s->shut |= 1u << unit;
	if (p->mem == RP_NO_INDEX)
		sm->warp[p->warp].open++;
	sm->full.parked[unit][sm->full.nparked[unit]++] = *p; /* oldest first: issue order */
	sm->full.parked_units |= 1u << unit;
	if (sm->full.nparked[unit] > 1)
		return; /* the oldest of each class counts */
	uint32_t step = first_step_of(r, sm, unit, 0);
	if (step != RP_NEVER && step / 2 < sm->full.unpark_at)
		sm->full.unpark_at = step / 2;
}

void rp_collect_later(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t warp,
                      const struct rp_op *op, uint32_t mem, uint32_t now)
{
	struct rp_parked p = {op, now, mem, (uint16_t)warp, (uint8_t)k};
	if (r->collector_part)
		rp_part_collect(r, sm, k, warp, op, mem, now);
	else
		park_instruction(r, sm, &p);
}

/* The oldest of the unit enters a collector. */
static CT_INLINE void enter_parked(struct ct_replay *r, struct rp_sm *sm, uint32_t unit, uint32_t step,
                                   int usual)
{
	struct rp_parked p = sm->full.parked[unit][0];
	struct rp_sched *s = &sm->full.sched[p.sched];
	struct rp_warp *w = &sm->warp[p.warp];
	uint32_t left = --sm->full.nparked[unit], c = rp_free_collector(r, s, unit, usual);
	for (uint32_t i = 0; i < left; i++)
		sm->full.parked[unit][i] = sm->full.parked[unit][i + 1];
	if (!left)
		sm->full.parked_units &= ~(1u << unit);
	if (p.mem != RP_NO_INDEX)
		rp_enter_collector_memory(r, sm, s, p.sched, p.warp, p.op, p.mem, c, step, usual);
	else
		rp_enter_collector(r, s, w, p.warp, p.op, c, step, usual);
	uint32_t at = rp_max32(s->port[unit].idoc, s->stepped);
	if (at < sm->full.sched_next[p.sched])
		sm->full.sched_next[p.sched] = at;
	if (p.mem == RP_NO_INDEX) {
		w->open--;
		if (w->op)
			rp_wake_warp_inline(sm, p.warp, step / 2);
		if (!w->op || w->wait.fence)
			rp_warp_check_end(r, sm, p.warp, step / 2);
	}
}

/* One step: what is parked and can enter does. The younger of a class wait behind the
 * oldest. */
static CT_INLINE void enter_all_parked(struct ct_replay *r, struct rp_sm *sm, uint32_t step, int usual)
{
	for (uint32_t units = sm->full.parked_units; units; units &= units - 1) {
		uint32_t unit = ct_low_bit(units);
		while (sm->full.nparked[unit] && first_step_of(r, sm, unit, usual) <= step)
			enter_parked(r, sm, unit, step, usual);
	}
}

/* Both steps of the cycle, the second if it is the next in which one can enter. */
static CT_INLINE void collect_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now, int usual)
{
	uint32_t step = 2 * now, next;
	do {
		enter_all_parked(r, sm, step, usual);
		next = next_parked_step(r, sm, usual);
	} while (next <= 2 * now + 1 && step++ == 2 * now);
	sm->full.unpark_at = next == RP_NEVER ? RP_NEVER : rp_max32(next / 2, now + 1);
}

void rp_collect_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	if (r->usual)
		collect_step(r, sm, now, 1);
	else
		collect_step(r, sm, now, 0);
}

/* The next memory instruction that a collector holds comes in front of the load/store unit, since this
 * one has left; with its collector free, a parked instruction may find one earlier. */
void rp_collect_lsu_took(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now)
{
	struct rp_sched *s = &sm->full.sched[k];
	if (r->collector_part) {
		rp_part_lsu_took(r, sm, k, now);
		return;
	}
	s->port[RP_MEM].ocex = now;
	if (!s->nheld)
		return;
	struct rp_held h = s->held[0];
	if (--s->nheld)
		memmove(s->held, s->held + 1, s->nheld * sizeof *s->held);
	uint32_t step = rp_max32(h.step, 2 * now);
	s->collector_free[h.collector] = step;
	rp_lsu_offer(sm, k, h.mem, step / 2);
	if (!sm->full.parked_units)
		return;
	uint32_t next = next_parked_step(r, sm, 0);
	if (next != RP_NEVER && next / 2 < sm->full.unpark_at)
		sm->full.unpark_at = next / 2;
}
