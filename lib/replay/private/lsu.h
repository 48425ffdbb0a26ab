/* lsu.h - the load/store unit's way of an instruction to shared memory, which is the usual one
 * where there is any; the rest is in ldst.c. */
#ifndef CT_REPLAY_PRIVATE_LSU_H
#define CT_REPLAY_PRIVATE_LSU_H

#include "replay/private/step.h"

/* ldst.c: forgets cycles before `now`; the first free cycle in [at, last], else last. */
void rp_port_forget(struct rp_sm *sm, uint32_t now);
uint32_t rp_port_search(const struct rp_sm *sm, uint32_t at, uint32_t last);
void rp_observe_mem(struct ct_replay *r, const struct rp_sm *sm, const struct rp_mem *m, uint32_t done);

/* Shared loads, fills and what bypassed the L1 write back one a cycle. */
static CT_INLINE uint32_t rp_port_book(struct rp_sm *sm, uint32_t now, uint32_t at)
{
	uint32_t last = now + RP_PORT - 1;
	if (sm->full.no_port)
		return at;
	if (now / 64 != sm->full.port_word)
		rp_port_forget(sm, now);
	if (at < last && (sm->full.port[at / 64 % RP_PORT_WORDS] >> at % 64 & 1))
		at = rp_port_search(sm, at, last);
	if (at <= last)
		sm->full.port[at / 64 % RP_PORT_WORDS] |= UINT64_C(1) << at % 64;
	return at;
}

/* Scheduler of the oldest instruction in front of the unit that can be taken in cycle `now`, or
 * RP_NO_INDEX. No branch: which of them can is anybody's guess. */
static CT_INLINE uint32_t rp_lsu_choose(const struct rp_sm *sm, uint32_t schedulers, uint32_t now)
{
	uint32_t best = RP_NO_INDEX;
	uint64_t oldest = UINT64_MAX;
	if (sm->lsu_free > now)
		return RP_NO_INDEX;
	for (uint32_t k = 0; k < schedulers; k++) {
		uint64_t order = sm->full.lsu_order[k] | (0 - (uint64_t)(sm->full.lsu_takes[k] > now));
		best = order < oldest ? k : best;
		oldest = order < oldest ? order : oldest;
	}
	return best;
}

/* The first cycle in which it can take one. */
static CT_INLINE uint32_t rp_lsu_next_at(const struct rp_sm *sm, uint32_t schedulers)
{
	uint32_t next = RP_NEVER;
	for (uint32_t k = 0; k < schedulers; k++)
		next = rp_min32(next, sm->full.lsu_takes[k]);
	return rp_max32(next, sm->lsu_free);
}

/* A load or store of shared memory goes through the unit in cycle `now`: the array holds it for
 * its conflict degree. */
static CT_INLINE void rp_lsu_shared(struct ct_replay *r, struct rp_sm *sm, uint32_t mem, uint32_t now)
{
	struct rp_mem *m = &sm->full.mem[mem];
	uint32_t warp = m->warp, busy = m->degree ? m->degree : 1;
	uint32_t at = now + r->g.shmem_latency + 1 + busy;
	struct rp_warp *w = &sm->warp[warp];
	struct rp_sched *s = &sm->full.sched[w->sub];
	const struct rp_op *op = m->op;
	sm->lsu_free = now + busy;
	sm->c.l1_busy += busy; /* one array holds L1 and shared memory */
	if (m->kind != RP_STORE)
		at = rp_port_book(sm, now, at);
	if (r->has_mem) {
		m->taken = now;
		m->busy = busy;
		rp_observe_mem(r, sm, m, at);
	}
	for (unsigned i = 0, n = op->ndst; i < n; i++) {
		w->regs[op->dst[i]] = at;
		s->written[rp_bank_of(r, warp, op->dst[i] - RP_REG_FIRST, 1)][at % RP_WRITES] = at;
	}
	w->done = rp_max32(w->done, at);
	if (m->kind == RP_STORE)
		w->stores--;
	else
		w->open--;
	m->lines = sm->full.mem_free;
	sm->full.mem_free = mem;
	if (w->op)
		rp_wake_warp_inline(sm, warp, now);
	if (!w->op || w->wait.fence)
		rp_warp_check_end(r, sm, warp, now);
}

/* rp_lsu_step() for the usual SM. */
static CT_INLINE void rp_lsu_usual(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	uint32_t k;
	if (sm->full.lsu_mem != RP_NO_INDEX) {
		rp_lsu_step(r, sm, now);
		return;
	}
	k = rp_lsu_choose(sm, RP_USUAL_SCHEDULERS, now);
	if (k != RP_NO_INDEX) {
		uint32_t mem = sm->full.at_lsu[k];
		if (!sm->full.mem[mem].shared || sm->full.mem[mem].op->effect) {
			rp_lsu_step(r, sm, now);
			return;
		}
		sm->full.at_lsu[k] = RP_NO_INDEX;
		sm->full.lsu_takes[k] = RP_NEVER;
		rp_lsu_shared(r, sm, mem, now);
		sm->full.sched[k].port[RP_MEM].ocex = now;
		if (sm->full.sched[k].nheld)
			rp_collect_lsu_took(r, sm, k, now);
	}
	sm->full.lsu_next = rp_lsu_next_at(sm, RP_USUAL_SCHEDULERS);
}

#endif
