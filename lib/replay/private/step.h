/* step.h - an attempt of a warp scheduler: from the choice of a warp to the operand collector of
 * its instruction (doc/replay.md sections 3 and 4).
 *
 * `usual` is a constant where these are called: 1 for SMs of four schedulers with two operand
 * collectors and a power of two of register banks each, which conflict, without parts; numbers are
 * constants then. 0 takes every SM. */
#ifndef CT_REPLAY_PRIVATE_STEP_H
#define CT_REPLAY_PRIVATE_STEP_H

#include <string.h>

#include "replay/private/full.h"
#include "replay/private/instruction.h"
#include "replay/private/slots.h"

enum { RP_USUAL_SCHEDULERS = 4, RP_USUAL_COLLECTORS = 2 };
enum { RP_USUAL_ONE_LEVEL = 1, RP_USUAL_TWO_LEVEL = 2 };

static CT_INLINE uint32_t rp_schedulers(const struct ct_replay *r, int usual)
{
	return usual ? RP_USUAL_SCHEDULERS : r->g.schedulers;
}

/* ---- operand collectors and units; times in them are half cycles (collect.c) ---- */

/* The collector that an instruction of the unit can enter first: memory instructions may have some of their own. */
static CT_INLINE uint32_t rp_free_collector(const struct ct_replay *r, const struct rp_sched *s,
                                            uint32_t unit, int usual)
{
	uint32_t best = 0, end = r->g.collectors;
	if (!usual && unit == RP_MEM && r->g.memory_collectors) {
		best = RP_MAX_COLLECTORS;
		end = best + r->g.memory_collectors;
	} else if (usual || end == RP_USUAL_COLLECTORS) {
		return s->collector_free[1] < s->collector_free[0];
	}
	for (uint32_t i = best + 1; i < end; i++)
		if (s->collector_free[i] < s->collector_free[best])
			best = i;
	return best;
}

static CT_INLINE uint32_t rp_bank_of(const struct ct_replay *r, uint32_t warp, unsigned reg, int usual)
{
	return usual ? (reg + 1u + warp) & (r->reg_banks - 1) : ct_modulo(reg + 1u + warp, r->reg_banks);
}

/* Step in which the instruction can leave a collector that it entered in `start`. */
static CT_INLINE uint32_t rp_read_operands(const struct ct_replay *r, struct rp_sched *s, uint32_t warp,
                                           const struct rp_op *op, uint32_t start, int usual)
{
	uint32_t last = start;
	if (!usual && (r->ideal & CT_REPLAY_IDEAL_REGISTERS))
		return start + 1 + (op->nread > 0);
	for (unsigned i = 0, n = op->nread; i < n; i++) {
		uint32_t bank = rp_bank_of(r, warp, op->read[i], usual);
		uint32_t step = rp_max32(start + 1, s->bank_free[bank]);
		/* writes go first */
		step += ~step & 1 & (s->written[bank][step / 2 % RP_WRITES] == step / 2);
		s->bank_free[bank] = step + 1;
		last = rp_max32(last, step);
	}
	return last + 1;
}

/* The memory instruction enters collector c of its scheduler in step `start`. */
static CT_INLINE void rp_enter_collector_memory(
	struct ct_replay *r, struct rp_sm *sm, struct rp_sched *s, uint32_t k, uint32_t warp,
	const struct rp_op *op, uint32_t mem, uint32_t c, uint32_t start, int usual)
{
	uint32_t leave = rp_read_operands(r, s, warp, op, start, usual);
	s->port[RP_MEM].idoc = start / 2;
	s->shut &= ~(1u << RP_MEM);
	if (sm->full.at_lsu[k] == RP_NO_INDEX && !s->nheld) {
		leave = rp_max32(leave, 2 * s->port[RP_MEM].ocex);
		s->collector_free[c] = leave;
		rp_lsu_offer(sm, k, mem, leave / 2);
	} else { /* when the load/store unit will take it is not known */
		s->held[s->nheld++] = (struct rp_held){mem, leave, c};
		s->collector_free[c] = RP_NEVER;
	}
}

/* Any other: all that follows is known. */
static CT_INLINE void
rp_enter_collector(struct ct_replay *r, struct rp_sched *s, struct rp_warp *w, uint32_t warp,
                   const struct rp_op *op, uint32_t c, uint32_t start, int usual)
{
	struct rp_port *port = &s->port[op->unit];
	uint32_t leave = rp_read_operands(r, s, warp, op, start, usual);
	leave = rp_max32(leave, 2 * port->ocex);
	uint32_t start_exec = rp_max32(leave / 2 + 1, port->free);
	uint32_t done = start_exec + op->latency + 2;
	s->collector_free[c] = leave;
	port->idoc = start / 2;
	s->shut &= ~(1u << op->unit);
	port->ocex = start_exec;
	port->free = start_exec + op->initiation;
	for (unsigned i = 0, n = op->ndst; i < n; i++) {
		w->regs[op->dst[i]] = done;
		s->written[rp_bank_of(r, warp, op->dst[i] - RP_REG_FIRST, usual)][done % RP_WRITES] =
			done;
	}
	w->done = rp_max32(w->done, done);
}

/* ---- warps ---- */

/* The next instruction cannot issue before something else happens: t is RP_LATER or
 * RP_NEVER, or the warp waits for more than registers. */
static CT_INLINE void rp_suspend_warp(struct rp_sm *sm, struct rp_sched *s, uint32_t warp, uint32_t t)
{
	struct rp_warp *w = &sm->warp[warp];
	uint64_t bit = UINT64_C(1) << w->slot;
	s->waiting &= ~bit;
	if (t == RP_NEVER || w->held)
		rp_note_long_wait(sm, warp, t);
	if (s->at[w->slot] != RP_NEVER)
		rp_slot_clear(s, w->slot);
}

/* Puts a warp with an instruction in the place that its operands give it. */
static CT_INLINE void rp_wake_warp_inline(struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	struct rp_warp *w = &sm->warp[warp];
	uint32_t t = rp_operands_ready(w);
	struct rp_sched *s = &sm->full.sched[w->sub];
	if (t >= RP_LATER || w->held) {
		rp_suspend_warp(sm, s, warp, t);
		return;
	}
	s->waiting &= ~(UINT64_C(1) << w->slot);
	if (w->blocked_since != RP_NEVER) {
		if (t > w->blocked_since)
			rp_count_stall(sm, warp, w->blocked_since, t, w->blocked_open);
		w->blocked_since = RP_NEVER;
	}
	rp_slot_set(s, w->slot, t, now);
	t = rp_max32(rp_max32(t, s->stepped), now);
	if (t < sm->full.sched_next[w->sub])
		sm->full.sched_next[w->sub] = t;
}

/* The next instruction of the warp that issues in this cycle. */
static CT_INLINE void
rp_next_instruction(struct ct_replay *r, struct rp_sm *sm, struct rp_sched *s, uint32_t slot,
                    struct rp_warp *w, struct ct_inst *inst, uint32_t warp, uint32_t now)
{
	uint64_t bit = UINT64_C(1) << slot;
	const struct rp_op *before = w->op;
	s->of_unit[before->unit] &= ~bit;
	if (!rp_fetch_next(r, sm, w, inst)) {
		rp_warp_end_stream(r, sm, warp, now);
		return;
	}
	s->of_unit[w->op->unit] |= bit;
	if (r->front_end)
		rp_wait_for_front_end(r, sm, w, before, now);
	uint32_t t = rp_operands_ready(w);
	if (t >= RP_LATER || w->held)
		rp_suspend_warp(sm, s, warp, t);
	else
		rp_slot_again(s, slot, t); /* born is the next cycle */
}

/* ---- instructions ---- */

/* An instruction that has issued, without what it asks for; RP_NO_INDEX: out of memory. */
static CT_INLINE uint32_t rp_mem_take(struct ct_replay *r, struct rp_sm *sm, uint32_t warp,
                                      const struct rp_op *op, const struct ct_inst *inst, uint32_t now)
{
	if (sm->full.mem_free == RP_NO_INDEX && rp_mem_grow(r, sm) < 0)
		return RP_NO_INDEX;
	uint32_t id = sm->full.mem_free;
	struct rp_mem *m = &sm->full.mem[id];
	sm->full.mem_free = m->lines;
	*m = (struct rp_mem){
		.op = op,
		.order = sm->full.order++,
		.lines = RP_NO_INDEX,
		.issued = now,
		.last = now,
		.sid = inst->sid,
		.warp = (uint16_t)warp,
		.kind = op->kind,
		.bypass = op->bypass,
		.refs = 1,
	};
	return id;
}

/* Shared memory by the opcode. */
static CT_INLINE uint32_t rp_mem_new_shared(struct ct_replay *r, struct rp_sm *sm, uint32_t warp,
                                            const struct rp_op *op, const struct ct_inst *inst,
                                            uint32_t now)
{
	uint32_t id = rp_mem_take(r, sm, warp, op, inst, now);
	if (id != RP_NO_INDEX) {
		sm->full.mem[id].shared = 1;
		sm->full.mem[id].degree = (uint8_t)rp_conflict_degree(r, inst);
	}
	return id;
}

/* Issues the next instruction of the slot: counts it, makes its results unknown or known, does its
 * effects and hands it to a collector or lets it wait for one. The next instruction of the warp
 * follows at once, since a barrier or a fence needs to know whether there is one. */
static CT_INLINE void rp_issue_warp(struct ct_replay *r, struct rp_sm *sm, struct rp_sched *s,
                                    uint32_t k, uint32_t slot, uint32_t now, int usual)
{
	uint32_t warp = slot * rp_schedulers(r, usual) + k, mem = RP_NO_INDEX;
	struct rp_warp *w = &sm->warp[warp];
	struct ct_inst *inst = &sm->next[warp].inst;
	const struct rp_op *op = w->op;
	uint32_t *regs = w->regs;
	rp_count_issue(sm, op, inst);
	if (r->has_issue)
		rp_observe_issue(r, sm, warp, now);
	/* the one before it kept it waiting until that had a collector, in cycle idoc */
	if (!usual && r->g.memory_collectors && op->kind >= RP_LOAD)
		rp_count_held(sm, warp, op, inst->sid, rp_operands_ready(w),
		              rp_min32(s->port[RP_MEM].idoc, now));
	w->born = now + 1;
	uint32_t c = 0, enters = 0, start = 2 * (now + 1);
	if (usual || !r->collector_part) {
		c = rp_free_collector(r, s, op->unit, usual);
		enters = !sm->full.parked_units && s->collector_free[c] <= start;
	}
	if (op->kind >= RP_LOAD) {
		mem = op->shared  ? rp_mem_new_shared(r, sm, warp, op, inst, now)
		      : sm->quick ? rp_quick_mem_new(r, sm, warp, op, inst, now)
		                  : rp_mem_new(r, sm, warp, op, inst, now);
		if (mem == RP_NO_INDEX)
			return;
		uint32_t unknown = sm->full.mem[mem].shared ? RP_LATER : RP_NEVER;
		if (op->kind == RP_STORE)
			w->stores++; /* stands for its acknowledgements until it is taken */
		else
			w->open++;
		regs[op->dst[0]] = regs[op->dst[1]] = unknown;
		for (unsigned i = RP_PAD_DST; i < op->ndst; i++)
			regs[op->dst[i]] = unknown;
		if (enters)
			rp_enter_collector_memory(r, sm, s, k, warp, op, mem, c, start, usual);
	} else if (enters) {
		rp_enter_collector(r, s, w, warp, op, c, start, usual);
	} else {
		for (unsigned i = 0; i < op->ndst; i++)
			regs[op->dst[i]] = RP_LATER;
	}
	uint32_t effect = op->effect;
	if (effect)
		rp_apply_effect(sm, warp, op, mem);
	if (!enters) {
		rp_collect_later(r, sm, k, warp, op, mem, now);
		if (!usual && r->collector_part) /* what it was done with at once has moved the slot */
			rp_slot_clear(s, slot);
	}
	rp_next_instruction(r, sm, s, slot, w, inst, warp, now);
	if (effect == CT_EFFECT_BARRIER)
		rp_barrier_release(r, sm, &sm->cta[w->slot_cta], now);
	else if (effect == CT_EFFECT_FENCE)
		rp_warp_check_end(r, sm, warp, now);
}

/* Loose round robin: from the one after the last that issued. */
static CT_INLINE uint32_t rp_pick_slot(const struct ct_replay *r, const struct rp_sm *sm, uint32_t k,
                                       const struct rp_sched *s, uint64_t mask)
{
	if (r->oldest_first)
		return rp_pick_oldest(r, sm, k, s, mask);
	return ct_pick_in_turn(mask, s->last);
}

/* Slots of the mask without those whose unit an instruction stands before, until nobody knows when. */
static CT_INLINE uint64_t rp_not_shut(const struct rp_sched *s, uint64_t mask)
{
	for (uint32_t shut = s->shut; shut; shut &= shut - 1)
		mask &= ~s->of_unit[ct_low_bit(shut)];
	return mask;
}

/* Slots of the mask whose kind of instruction the stage behind takes; lowers *next to when it takes another. */
static CT_INLINE uint64_t rp_taken_on(const struct rp_sched *s, uint64_t mask, uint32_t now,
                                      uint32_t *next)
{
	for (uint32_t u = 0; u < RP_UNITS; u++)
		if (s->port[u].idoc > now && (mask & s->of_unit[u])) {
			if (s->port[u].idoc < *next)
				*next = s->port[u].idoc;
			mask &= ~s->of_unit[u];
		}
	return mask;
}

/* Two levels (reading two-level): warps that wait for memory, at a barrier or a fence leave the set of active warps, the
 * oldest that do not wait take their places, and one of the set issues in turn. `can` is not 0; RP_NO_INDEX: only warps
 * outside the set could issue. Does what the part of two_level.c does. */
static CT_INLINE uint32_t rp_pick_active(const struct ct_replay *r, const struct rp_sm *sm, uint32_t k,
                                         struct rp_sched *s, uint64_t can, int usual)
{
	s->active = ct_active_set(s->active, s->live & (~s->waiting | can), r->g.active_warps,
	                          &sm->warp[k].age, rp_schedulers(r, usual) * sizeof *sm->warp);
	can &= s->active;
	return can ? ct_pick_in_turn(can, s->last) : RP_NO_INDEX;
}

/* The first ready warp in the scheduler's order whose unit can take an instruction issues; without one lowers *next to when
 * a unit can that kept one from issuing. */
static CT_INLINE uint32_t rp_issue_first(struct ct_replay *r, struct rp_sm *sm, uint32_t k,
                                         struct rp_sched *s, uint32_t now, uint32_t *next, int usual)
{
	uint64_t rest = rp_not_shut(s, s->ready);
	while (rest) {
		uint32_t slot = rp_pick_slot(r, sm, k, s, rest);
		uint32_t unit = sm->warp[slot * rp_schedulers(r, usual) + k].op->unit;
		if (s->port[unit].idoc > now) {
			*next = rp_min32(*next, s->port[unit].idoc);
			rest &= ~s->of_unit[unit];
			continue;
		}
		rp_issue_warp(r, sm, s, k, slot, now,
		              usual); /* lowers sched_next for other warps that it wakes */
		return slot;
	}
	return RP_NO_INDEX;
}

/* The same with two levels; *next is the next cycle where only warps outside the set could issue. */
static CT_INLINE uint32_t rp_issue_active(struct ct_replay *r, struct rp_sm *sm, uint32_t k,
                                          struct rp_sched *s, uint32_t now, uint32_t *next, int usual)
{
	uint64_t can = rp_taken_on(s, s->ready, now, next);
	if (!can)
		return RP_NO_INDEX;
	uint32_t slot = rp_pick_active(r, sm, k, s, can, usual);
	if (slot == RP_NO_INDEX)
		*next = now + 1;
	else
		rp_issue_warp(r, sm, s, k, slot, now, usual);
	return slot;
}

/* An attempt of scheduler k: the warp that it chooses issues. Notes the cycle of the next attempt: right away while another
 * is ready, else when a unit or a warp is. */
static CT_INLINE void rp_sched_attempt(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now,
                                       int usual)
{
	struct rp_sched *s = &sm->full.sched[k];
	uint32_t next = RP_NEVER;
	if (!usual && r->core_parts) {
		rp_sched_attempt_parts(r, sm, k, now);
		return;
	}
	rp_slots_advance(s, now);
	uint64_t mask = s->ready;
	s->stepped = now + 1;
	sm->full.sched_next[k] = RP_NEVER;
	int two_level = usual ? usual == RP_USUAL_TWO_LEVEL : r->two_level;
	uint32_t slot = two_level ? rp_issue_active(r, sm, k, s, now, &next, usual)
	                          : rp_issue_first(r, sm, k, s, now, &next, usual);
	if (slot != RP_NO_INDEX) {
		s->last = slot;
		if (mask & ~(UINT64_C(1) << slot))
			next = now + 1;
	} else if (mask) {
		sm->c.issue_stall_cycles++;
	}
	next = rp_min32(next, rp_slots_next(s));
	sm->full.sched_next[k] = rp_min32(next, sm->full.sched_next[k]);
}

#endif
