/* Warp schedulers: what step.h leaves to be called. */
#include <string.h>

#include "base/bits.h"
#include "replay/private/ahead.h"
#include "replay/private/parts.h"
#include "replay/private/step.h"

void rp_sched_begin(struct ct_replay *r, struct rp_sm *sm)
{
	struct rp_full_sm *f = &sm->full;
	f->unpark_at = f->lsu_next = RP_NEVER;
	memset(f->nparked, 0, sizeof f->nparked);
	f->parked_units = 0;
	f->lsu_mem = RP_NO_INDEX;
	f->port_word = 0;
	memset(f->port, 0, sizeof f->port);
	for (uint32_t k = 0; k < RP_MAX_SCHEDULERS; k++)
		sm->full.sched_next[k] = RP_NEVER; /* also of those that there are not */
	for (uint32_t k = 0; k < r->g.schedulers; k++) {
		struct rp_sched *s = &sm->full.sched[k];
		uint32_t last = s->last;
		uint64_t active = s->active;
		memset(s, 0, sizeof *s);
		s->last = last; /* the pointers survive a launch (doc/replay.md section 1) */
		s->active = active;
		sm->full.at_lsu[k] = RP_NO_INDEX;
		sm->full.lsu_takes[k] = RP_NEVER;
		s->far_next = RP_NEVER;
		for (uint32_t i = 0; i < RP_MAX_SLOTS; i++)
			s->at[i] = RP_NEVER;
	}
}

void rp_slots_bring_near(struct rp_sched *s)
{
	uint64_t far = s->far;
	s->far = 0;
	s->far_next = RP_NEVER;
	for (; far; far &= far - 1) {
		uint32_t i = ct_low_bit(far);
		if (s->at[i] <= s->upto)
			s->ready |= UINT64_C(1) << i;
		else
			rp_slot_put(s, i, s->at[i]);
	}
}

/* The same without those whose cycle is not known yet. */
static uint32_t known_operands(const struct rp_warp *w, const uint32_t *regs)
{
	uint32_t t = w->born;
	for (unsigned i = 0; i < w->op->ndep; i++) {
		uint32_t v = regs[w->op->dep[i]];
		if (v < RP_LATER && v > t)
			t = v;
	}
	return t;
}

void rp_note_long_wait(struct rp_sm *sm, uint32_t warp, uint32_t t)
{
	struct rp_warp *w = &sm->warp[warp];
	int fetching = t == RP_NEVER || ct_warp_waits_for_group(&w->wait);
	if (fetching && w->blocked_since == RP_NEVER) {
		w->blocked_since = known_operands(w, sm->regs[warp]);
		w->blocked_open = w->open;
	}
	if (fetching || ct_warp_waits(&w->wait))
		sm->full.sched[w->sub].waiting |= UINT64_C(1) << w->slot;
}

void rp_wake_warp(struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	if (sm->warp[warp].op)
		rp_wake_warp_inline(sm, warp, now);
}

static void pass_barrier(struct rp_sm *sm, uint32_t warp)
{
	rp_update_held(&sm->warp[warp]);
	rp_wake_warp(sm, warp, sm->now);
}

void rp_barrier_release(struct ct_replay *r, struct rp_sm *sm, struct rp_cta *c, uint32_t now)
{
	if (!ct_barrier_opens(&c->arrived, c->running))
		return;
	sm->full.released = 1;
	rp_leave_barrier(r, sm, c, now, pass_barrier);
}

/* A fence is over when nothing of the warp is open, and then empties the L1; a warp without
 * instructions retires when all that it asked for is back. */
void rp_warp_check_end(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	struct rp_warp *w = &sm->warp[warp];
	if (w->wait.fence && !w->open) {
		/* MEMBAR waits for the scoreboard, then empties the L1 (doc/replay.md section 3) */
		uint32_t at = w->done > now + 1 ? w->done : now + 1;
		w->wait.fence = 0;
		rp_update_held(w);
		if (w->born < at)
			w->born = at;
		if (r->g.l1_flush && at < sm->wipe_at) {
			sm->wipe_at = at;
			rp_sm_set_rare(sm);
		}
		rp_wake_warp(sm, warp, now);
	}
	if (w->op || !w->live || w->open || w->stores || w->wait.atomics)
		return;
	rp_warp_retire(sm, warp, rp_max32(w->done, now));
}

void rp_warp_end_stream(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	struct rp_warp *w = &sm->warp[warp];
	struct rp_cta *c = &sm->cta[w->slot_cta];
	struct rp_sched *s = &sm->full.sched[w->sub];
	rp_slot_clear(s, w->slot);
	s->live &= ~(UINT64_C(1) << w->slot);
	c->running--;
	rp_barrier_release(r, sm, c, now);
	rp_warp_check_end(r, sm, warp, now);
}

void rp_warp_begin(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	struct rp_warp *w = &sm->warp[warp];
	if (!rp_fetch_next(r, sm, w, &sm->next[warp].inst)) {
		rp_warp_end_stream(r, sm, warp, now);
		return;
	}
	struct rp_sched *s = &sm->full.sched[w->sub];
	s->of_unit[w->op->unit] |= UINT64_C(1) << w->slot;
	s->live |= UINT64_C(1) << w->slot;
	if (r->front_end)
		rp_wait_for_code(r, sm, w, now);
	rp_wake_warp_inline(sm, warp, now);
}

void rp_apply_effect(struct rp_sm *sm, uint32_t warp, const struct rp_op *op, uint32_t mem)
{
	struct rp_warp *w = &sm->warp[warp];
	ct_warp_effect(&w->wait, (enum ct_warp_effect)op->effect, op->groups_left);
	if (op->effect == CT_EFFECT_BARRIER)
		sm->cta[w->slot_cta].arrived++;
	else if (op->effect == CT_EFFECT_COPY)
		sm->full.mem[mem].group = w->wait.group;
	else if (sm->quick)
		rp_pass_groups(sm, warp); /* a copy that is known may come in a later cycle */
	else if (op->effect == CT_EFFECT_CLOSE_GROUP)
		ct_warp_complete_groups(&w->wait);
	rp_update_held(w);
}

uint32_t rp_pick_oldest(const struct ct_replay *r, const struct rp_sm *sm, uint32_t k,
                        const struct rp_sched *s, uint64_t mask)
{
	const uint64_t *age = &sm->warp[k].age;
	size_t stride = r->g.schedulers * sizeof *sm->warp;
	if (r->g.scheduler == CT_SCHED_OLDEST)
		return ct_pick_oldest(mask, age, stride);
	return ct_pick_greedy(mask, s->last, mask, age, stride);
}

/* The slot to issue from when parts have a say, or -1. */
static int choose_with_parts(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint64_t mask,
                             uint32_t now)
{
	while (mask && !r->error.status) {
		int slot = r->parts->given.sched ? rp_part_pick(r, sm, k, mask, now)
		                                 : (int)rp_pick_slot(r, sm, k, &sm->full.sched[k], mask);
		if (slot < 0)
			return -1;
		uint32_t warp = (uint32_t)slot * r->g.schedulers + k;
		enum ct_issue_verdict v = rp_part_veto(r, sm, k, warp, now);
		if (v == CT_ISSUE_GO)
			return slot;
		if (v == CT_ISSUE_NONE)
			return -1;
		mask &= ~(UINT64_C(1) << slot);
	}
	return -1;
}

/* Of the slots that can issue those that are worth asking the parts about. Under two levels a warp that is refused has had its
 * turn: all are asked. */
static uint64_t not_refused(const struct ct_replay *r, const struct rp_sm *sm, uint32_t k, uint64_t can)
{
	const struct ct_collector_part *c = r->collector_part;
	if (!can || !c || !c->refused || r->parts->two_level)
		return can;
	return can & ~c->refused(c->part.ctx, sm->id, k);
}

/* Whether only the parts can be why nothing issues. Not while the load/store unit has an instruction or others wait for it in
 * their collectors: then the memory may be slow, as behind a network that stores have filled. */
static int only_parts_refuse(const struct rp_sm *sm, uint32_t k)
{
	return sm->full.lsu_mem == RP_NO_INDEX && sm->full.at_lsu[k] == RP_NO_INDEX &&
	       !sm->full.sched[k].nheld;
}

/* Whether the warps that were refused will be until a collector is free, so that nobody need ask before. */
static int are_collectors_full(const struct ct_replay *r, const struct rp_sm *sm, uint32_t k)
{
	const struct ct_collector_part *c = r->collector_part;
	return c && c->full && c->full(c->part.ctx, sm->id, k);
}

/* Does what rp_sched_attempt() does, but a scheduler part chooses and a collector part may refuse. They are asked again in
 * the next cycle as long as a warp could issue, but where all collectors are in use, when one is free. Parts that refuse for
 * too long end the run. */
void rp_sched_attempt_parts(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now)
{
	struct rp_sched *s = &sm->full.sched[k];
	const struct ct_sched_part *p = r->parts->given.sched;
	uint32_t next = RP_NEVER, later;
	rp_slots_advance(s, now);
	/* before a collector part nothing waits for a collector of the GPU's own */
	uint64_t mask = s->ready, can = r->collector_part ? mask : rp_taken_on(s, mask, now, &next);
	if (s->blocked)
		sm->c.issue_stall_cycles += now - s->blocked;
	s->blocked = 0;
	s->stepped = now + 1;
	sm->full.sched_next[k] = RP_NEVER;
	int slot = choose_with_parts(r, sm, k, not_refused(r, sm, k, can), now);
	if (slot >= 0) {
		rp_issue_warp(r, sm, s, k, (uint32_t)slot, now, 0);
		s->last = (uint32_t)slot;
		s->vetoed = 0;
		if (p && p->issued)
			p->issued(p->part.ctx, r, sm->id, k, (uint32_t)slot, r->base + now);
		mask &= ~(UINT64_C(1) << slot);
	} else if (mask) {
		sm->c.issue_stall_cycles++;
		s->vetoed = can && only_parts_refuse(sm, k) ? s->vetoed + 1 : 0;
		if (s->vetoed > RP_MAX_VETOES)
			rp_fail(r, CT_ERR_LIMIT, "a part lets no ready warp issue any more");
	}
	if (slot < 0 && can && are_collectors_full(r, sm, k))
		s->blocked = now + 1;
	else if (slot >= 0 ? mask : can)
		next = now + 1;
	later = rp_slots_next(s);
	next = later < next ? later : next;
	if (next < sm->full.sched_next[k])
		sm->full.sched_next[k] = next;
}
