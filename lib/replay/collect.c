/* Operand collectors, register banks and units (accelsim-model.md 4).
 *
 * The collector stage makes two steps a cycle; times in it are counted in half
 * cycles. An instruction issued in cycle t is taken by a collector in the first step
 * of t + 1 at the earliest; from the next step on each register bank hands out one
 * operand a step; one step after the last operand it leaves for its unit. */
#include <string.h>

#include "replay/private/engine.h"

static uint32_t max32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t free_collector(const struct ct_replay *r, const struct rp_sched *s)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < r->g.collectors; i++)
		if (s->collector_free[i] < s->collector_free[best])
			best = i;
	return best;
}

/* Step in which the instruction can leave a collector that it entered in `start`. */
static uint32_t read_operands(const struct ct_replay *r, struct rp_sched *s, uint32_t warp,
                              const struct rp_op *op, uint32_t start)
{
	uint32_t last = start;
	for (unsigned i = 0; i < op->nread; i++) {
		uint32_t bank = (op->read[i] + 1u + warp) % r->reg_banks;
		uint32_t step = max32(start + 1, s->bank_free[bank]);
		s->bank_free[bank] = step + 1;
		last = max32(last, step);
	}
	return last + 1;
}

static void to_lsu(struct rp_sm *sm, struct rp_sched *s, uint32_t mem, uint32_t step)
{
	s->at_lsu = mem;
	s->at_lsu_since = step / 2;
	rp_lsu_offer(sm);
}

static void enter(struct ct_replay *r, struct rp_sm *sm, uint32_t k, const struct rp_parked *p,
                  uint32_t now)
{
	struct rp_sched *s = &sm->sched[k];
	const struct rp_op *op = p->op;
	struct rp_warp *w = &sm->warp[p->warp];
	uint32_t c = free_collector(r, s), unit = p->unit;
	uint32_t start = max32(2 * (p->issued + 1), s->collector_free[c]);
	uint32_t leave = read_operands(r, s, p->warp, op, start);
	(void)now;
	s->idoc_free[unit] = start / 2;
	if (p->mem != RP_NO_INDEX) {
		if (s->at_lsu == RP_NO_INDEX && !s->nheld) {
			leave = max32(leave, 2 * s->ocex_free[RP_MEM]);
			s->collector_free[c] = leave;
			to_lsu(sm, s, p->mem, leave);
		} else {
			s->held[s->nheld++] = (struct rp_held){p->mem, leave, (uint8_t)c};
			s->collector_free[c] = RP_NEVER;
		}
		return;
	}
	leave = max32(leave, 2 * s->ocex_free[unit]);
	uint32_t start_exec = max32(leave / 2 + 1, s->unit_free[unit]);
	uint32_t done = start_exec + op->latency + 2;
	s->collector_free[c] = leave;
	s->ocex_free[unit] = start_exec;
	s->unit_free[unit] = start_exec + op->initiation;
	for (unsigned i = 0; i < op->ndst; i++)
		sm->regs[p->warp][op->dst[i]] = done;
	w->done = max32(w->done, done);
}

void rp_collect(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t warp,
                const struct rp_op *op, uint32_t mem, uint32_t now)
{
	struct rp_sched *s = &sm->sched[k];
	struct rp_parked p = {op, now, mem, (uint16_t)warp, op->unit};
	if (!s->nparked && s->collector_free[free_collector(r, s)] != RP_NEVER) {
		enter(r, sm, k, &p, now);
		return;
	}
	s->idoc_free[op->unit] = RP_NEVER;
	if (mem == RP_NO_INDEX)
		sm->warp[warp].open++;
	s->parked[s->nparked++] = p;
}

void rp_collect_lsu_took(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now)
{
	struct rp_sched *s = &sm->sched[k];
	s->at_lsu = RP_NO_INDEX;
	s->ocex_free[RP_MEM] = now;
	if (!s->nheld)
		return;
	struct rp_held h = s->held[0];
	memmove(s->held, s->held + 1, --s->nheld * sizeof *s->held);
	uint32_t step = max32(h.step, 2 * now);
	s->collector_free[h.collector] = step;
	to_lsu(sm, s, h.mem, step);
	while (s->nparked && s->collector_free[free_collector(r, s)] != RP_NEVER) {
		struct rp_parked p = s->parked[0];
		memmove(s->parked, s->parked + 1, --s->nparked * sizeof *s->parked);
		enter(r, sm, k, &p, now);
		uint32_t at = max32(s->idoc_free[p.unit], s->stepped);
		if (at < s->next)
			s->next = at;
		if (p.mem == RP_NO_INDEX) {
			sm->warp[p.warp].open--;
			rp_wake(sm, r, p.warp, now);
			rp_warp_check_end(r, sm, p.warp, now);
		}
	}
}
