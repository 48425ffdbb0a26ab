/* Operand collectors, register banks and units (accelsim-model.md 4).
 *
 * The collector stage makes two steps a cycle; times in it are counted in half
 * cycles. An instruction issued in cycle t is taken by a collector in the first step
 * of t + 1 at the earliest; from the next step on each register bank hands out one
 * operand a step; one step after the last operand it leaves for its unit. Where no
 * collector is free the instruction is parked: in each step the classes are served in
 * the order of enum rp_unit, of each class the oldest of the SM first, and while that one
 * finds no collector the younger ones of its class wait too. */
#include <string.h>

#include "replay/private/parts.h"

static uint32_t free_collector(const struct ct_replay *r, const struct rp_sched *s)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < r->g.collectors; i++)
		if (s->collector_free[i] < s->collector_free[best])
			best = i;
	return best;
}

static uint32_t bank_of(const struct ct_replay *r, uint32_t warp, unsigned reg)
{
	return rp_modulo(reg + 1u + warp, r->reg_banks);
}

void rp_register_write(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, unsigned reg,
                       uint32_t at)
{
	struct rp_sched *s = &sm->sched[sm->warp[warp].sub];
	s->written[bank_of(r, warp, reg)][at % RP_WRITES] = at;
}

/* Step in which the instruction can leave a collector that it entered in `start`. */
static uint32_t read_operands(const struct ct_replay *r, struct rp_sched *s, uint32_t warp,
                              const struct rp_op *op, uint32_t start)
{
	uint32_t last = start;
	for (unsigned i = 0; i < op->nread; i++) {
		uint32_t bank = bank_of(r, warp, op->read[i]);
		uint32_t step = rp_max32(start + 1, s->bank_free[bank]);
		if (!(step & 1) && s->written[bank][step / 2 % RP_WRITES] == step / 2)
			step++; /* writes go first */
		s->bank_free[bank] = step + 1;
		last = rp_max32(last, step);
	}
	return last + 1;
}

static void to_lsu(struct rp_sm *sm, struct rp_sched *s, uint32_t mem, uint32_t step)
{
	s->at_lsu = mem;
	s->at_lsu_since = step / 2;
	rp_lsu_offer(sm);
}

/* The instruction enters collector c of its scheduler in step `start`; all that follows
 * is known, except when the load/store unit will take a memory instruction. */
static void enter(struct ct_replay *r, struct rp_sm *sm, const struct rp_parked *p, uint32_t c,
                  uint32_t start)
{
	struct rp_sched *s = &sm->sched[p->sched];
	const struct rp_op *op = p->op;
	struct rp_warp *w = &sm->warp[p->warp];
	uint32_t unit = op->unit, leave = read_operands(r, s, p->warp, op, start);
	s->idoc_free[unit] = start / 2;
	if (p->mem != RP_NO_INDEX) {
		if (s->at_lsu == RP_NO_INDEX && !s->nheld) {
			leave = rp_max32(leave, 2 * s->ocex_free[RP_MEM]);
			s->collector_free[c] = leave;
			to_lsu(sm, s, p->mem, leave);
		} else {
			s->held[s->nheld++] = (struct rp_held){p->mem, leave, c};
			s->collector_free[c] = RP_NEVER;
		}
		return;
	}
	leave = rp_max32(leave, 2 * s->ocex_free[unit]);
	uint32_t start_exec = rp_max32(leave / 2 + 1, s->unit_free[unit]);
	uint32_t done = start_exec + op->latency + 2;
	s->collector_free[c] = leave;
	s->ocex_free[unit] = start_exec;
	s->unit_free[unit] = start_exec + op->initiation;
	for (unsigned i = 0; i < op->ndst; i++) {
		sm->regs[p->warp][op->dst[i]] = done;
		rp_register_write(r, sm, p->warp, op->dst[i], done);
	}
	w->done = rp_max32(w->done, done);
}

/* First cycle in which a parked instruction can find a collector, as far as known: the
 * oldest of each class counts. */
static uint32_t next_unpark(const struct ct_replay *r, const struct rp_sm *sm)
{
	uint32_t next = RP_NEVER, seen = 0;
	for (uint32_t i = 0; i < sm->nparked; i++) {
		const struct rp_parked *p = &sm->parked[i];
		if (seen >> p->op->unit & 1)
			continue;
		seen |= 1u << p->op->unit;
		const struct rp_sched *s = &sm->sched[p->sched];
		uint32_t free_at = s->collector_free[free_collector(r, s)];
		if (free_at == RP_NEVER)
			continue;
		uint32_t at = rp_max32(p->issued + 1, free_at / 2);
		if (at < next)
			next = at;
	}
	return next;
}

void rp_collect(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t warp,
                const struct rp_op *op, uint32_t mem, uint32_t now)
{
	struct rp_sched *s = &sm->sched[k];
	if (r->collector_part) {
		rp_part_collect(r, sm, k, warp, op, mem, now);
		return;
	}
	struct rp_parked p = {op, now, mem, (uint16_t)warp, (uint8_t)k};
	uint32_t c = free_collector(r, s), start = 2 * (now + 1);
	if (!sm->nparked && s->collector_free[c] <= start) {
		enter(r, sm, &p, c, start);
		return;
	}
	s->idoc_free[op->unit] = RP_NEVER;
	if (mem == RP_NO_INDEX)
		sm->warp[warp].open++;
	sm->parked[sm->nparked++] = p; /* oldest first: issue order */
	uint32_t at = next_unpark(r, sm);
	if (at < sm->unpark_at)
		sm->unpark_at = at;
}

static void unpark(struct ct_replay *r, struct rp_sm *sm, uint32_t i, uint32_t c, uint32_t step)
{
	struct rp_parked p = sm->parked[i];
	struct rp_sched *s = &sm->sched[p.sched];
	memmove(sm->parked + i, sm->parked + i + 1, (--sm->nparked - i) * sizeof *sm->parked);
	enter(r, sm, &p, c, step);
	uint32_t at = rp_max32(s->idoc_free[p.op->unit], s->stepped);
	if (at < sm->sched_next[p.sched])
		sm->sched_next[p.sched] = at;
	if (p.mem == RP_NO_INDEX) {
		sm->warp[p.warp].open--;
		rp_wake(sm, p.warp, step / 2);
		rp_warp_check_end(r, sm, p.warp, step / 2);
	}
}

/* One step: what is parked and can enter does. */
static void unpark_step(struct ct_replay *r, struct rp_sm *sm, uint32_t step)
{
	uint32_t units = 0;
	for (uint32_t i = 0; i < sm->nparked; i++)
		units |= 1u << sm->parked[i].op->unit;
	for (uint32_t unit = 0; units >> unit; unit++)
		for (uint32_t i = 0; (units >> unit & 1) && i < sm->nparked;) {
			const struct rp_parked *p = &sm->parked[i];
			const struct rp_sched *s = &sm->sched[p->sched];
			if (p->op->unit != unit) {
				i++;
				continue;
			}
			uint32_t c = free_collector(r, s);
			if (2 * (p->issued + 1) > step || s->collector_free[c] > step)
				break; /* the younger of the class wait behind it */
			unpark(r, sm, i, c, step);
		}
}

void rp_collect_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	unpark_step(r, sm, 2 * now);
	unpark_step(r, sm, 2 * now + 1);
	uint32_t next = next_unpark(r, sm);
	sm->unpark_at = next <= now ? now + 1 : next;
}

void rp_collect_lsu_took(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now)
{
	struct rp_sched *s = &sm->sched[k];
	if (r->collector_part) {
		rp_part_lsu_took(r, sm, k, now);
		return;
	}
	s->at_lsu = RP_NO_INDEX;
	s->ocex_free[RP_MEM] = now;
	if (!s->nheld)
		return;
	struct rp_held h = s->held[0];
	memmove(s->held, s->held + 1, --s->nheld * sizeof *s->held);
	uint32_t step = rp_max32(h.step, 2 * now);
	s->collector_free[h.collector] = step;
	to_lsu(sm, s, h.mem, step);
	uint32_t at = next_unpark(r, sm);
	if (at < sm->unpark_at)
		sm->unpark_at = at;
}
