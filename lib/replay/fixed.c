/* The cheap engine: the same placement, schedulers' bandwidth, scoreboard and caches,
 * but an access learns at once when its data will be there - fixed latencies behind
 * what SM, slice and channel have been given to do - so that a warp runs from one memory
 * instruction to the next in one go. For other SM counts and sweeps.
 *
 * A warp's time is its own; warps of an SM are taken in the order of their next memory
 * instruction or barrier. A scheduler hands out one slot a cycle to whatever comes. */
#include "replay/private/fixed.h"
#include "replay/private/quick.h"
#include "replay/private/step.h"

enum {
	RUN_LIMIT = 256, /* instructions before other warps get a look in */
	RUN_AHEAD = 8,   /* quick: cycles that a warp may be ahead of another that has yet to run: a
	                    little more than from an instruction to the next that depends on it */
	CALENDAR = 256,  /* quick: and of the SM's time, which the schedulers' calendars hold */
	SHORT_WAIT = 16  /* cycles for an operand that do not end a run */
};

/* ---- warps in the order of their time ---- */

static void push(struct rp_sm *sm, uint32_t warp, uint32_t at)
{
	uint64_t key = (uint64_t)at << 16 | warp, *h = sm->heap;
	uint32_t i = sm->nheap++;
	for (; i && h[(i - 1) / 2] > key; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = key;
}

static uint32_t pop(struct rp_sm *sm)
{
	uint64_t *h = sm->heap, top = h[0], key = h[--sm->nheap];
	uint32_t i = 0, n = sm->nheap;
	for (uint32_t k; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && h[k + 1] < h[k])
			k++;
		if (h[k] >= key)
			break;
		h[i] = h[k];
	}
	h[i] = key;
	return (uint32_t)(top & 0xffff);
}

/* ---- instructions ---- */

static void depbar(struct rp_warp *w, const struct rp_op *op)
{
	uint32_t left = (uint32_t)op->groups_left;
	uint32_t upto = w->group > left ? w->group - left : 0;
	for (; (int32_t)(upto - w->group_done) > 0; w->group_done++) {
		uint32_t *t = &w->group_open[w->group_done % RP_GROUPS];
		w->born = rp_max32(w->born, *t);
		*t = 0;
	}
}

static void barrier_release(struct ct_replay *r, struct rp_sm *sm, struct rp_cta *c)
{
	uint32_t per = r->occ.warps_per_cta, first = (uint32_t)(c - sm->cta) * per, at = 0;
	if (!c->arrived || c->arrived < c->running)
		return;
	c->arrived = 0;
	for (uint32_t w = first; w < first + per; w++)
		if (sm->warp[w].live && sm->warp[w].at_barrier)
			at = rp_max32(at, sm->warp[w].born);
	for (uint32_t w = first; w < first + per; w++)
		if (sm->warp[w].live && sm->warp[w].at_barrier) {
			sm->warp[w].at_barrier = 0;
			sm->warp[w].born = at;
			push(sm, w, at);
		}
}

static void retire(struct ct_replay *r, struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	struct rp_cta *c = &sm->cta[w->slot_cta];
	uint32_t end = rp_max32(w->done, w->born + 4);
	w->live = 0;
	w->op = NULL;
	sm->warps_live--;
	sm->c.resident_warp_cycles += end;
	c->end = rp_max32(c->end, end);
	c->running--;
	if (--c->warps_left == 0) {
		c->free_at = c->end;
		if (c->free_at < sm->next_free)
			sm->next_free = c->free_at;
	}
	barrier_release(r, sm, c);
}

/* Cycle at which the next instruction's registers are there. */
RP_HOT uint32_t operands(const struct rp_sm *sm, uint32_t warp)
{
	const struct rp_warp *w = &sm->warp[warp];
	const uint32_t *regs = sm->regs[warp];
	uint32_t t = w->born;
	for (unsigned i = 0; i < w->op->nread; i++)
		t = rp_max32(t, regs[w->op->read[i] + RP_REG_FIRST]);
	for (unsigned i = 0; i < w->op->ndst; i++)
		t = rp_max32(t, regs[w->op->dst[i]]);
	return t;
}

/* Reads the next instruction and finds its cycle: operands, then a slot of the
 * scheduler. 0 at the end of the warp. */
static int fetch(struct ct_replay *r, struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	if (!rp_fetch(r, sm, w, &sm->next[warp].inst))
		return 0;
	uint32_t ready = w->born, t = operands(sm, warp);
	sm->c.mem_stall_warp_cycles += t - ready > 64 ? t - ready : 0;
	w->born = t;
	return 1;
}

/* Loose round robin keeps the warps of an SM abreast. */
RP_HOT int too_far(const struct ct_replay *r, const struct rp_sm *sm, uint32_t at)
{
	return at > sm->now + CALENDAR ||
	       (!r->oldest_first && sm->nheap && at > (uint32_t)(sm->heap[0] >> 16) + RUN_AHEAD);
}

/* Executes the instruction that the warp stopped at, then goes on to the next one that
 * others may see. */
RP_HOT void run_warp(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, int quick)
{
	struct rp_warp *w = &sm->warp[warp];
	struct rp_sched *s = &sm->sched[warp % r->g.schedulers];
	s->stepped = rp_max32(s->stepped, w->born); /* slots before now are gone */
	for (uint32_t n = 0;; n++) {
		const struct rp_op *op = w->op;
		uint32_t at = quick ? (uint32_t)rp_quick_issue(r, sm, warp, op, w->born)
		                    : rp_max32(w->born, s->stepped++);
		w->born = at + 1;
		rp_count(sm, op, &sm->next[warp].inst);
		if (r->has_issue)
			rp_observe_issue(r, sm, warp, at);
		if (op->kind >= RP_LOAD && quick)
			rp_quick_memory(r, sm, warp, at);
		else if (op->kind >= RP_LOAD)
			rp_fixed_memory(r, sm, warp, at);
		else if (op->kind == RP_DEPBAR)
			depbar(w, op);
		else if (op->kind == RP_LDGDEPBAR)
			w->group++;
		else if (op->kind == RP_MEMBAR && r->g.l1_flush)
			rp_l1_wipe(r, sm, at);
		if (op->kind < RP_LOAD) {
			uint32_t done = at + op->latency + 5;
			for (unsigned i = 0; i < op->ndst; i++)
				sm->regs[warp][op->dst[i]] = done;
		}
		int barrier = op->kind == RP_BARRIER;
		if (!fetch(r, sm, warp)) {
			retire(r, sm, warp);
			return;
		}
		if (barrier) {
			w->at_barrier = 1;
			sm->cta[w->slot_cta].arrived++;
			barrier_release(r, sm, &sm->cta[w->slot_cta]);
			return;
		}
		if ((w->op->kind >= RP_LOAD && !w->op->shared) || w->op->kind == RP_MEMBAR ||
		    w->born > at + SHORT_WAIT || (quick && too_far(r, sm, w->born)) || n >= RUN_LIMIT ||
		    sm->failed) {
			push(sm, warp, w->born);
			return;
		}
	}
}

void rp_fixed_start(struct ct_replay *r, struct rp_sm *sm, uint32_t warp)
{
	if (fetch(r, sm, warp))
		push(sm, warp, sm->warp[warp].born);
	else
		retire(r, sm, warp);
}

/* Cycle in which the load/store unit takes what waits before the L1, RP_NEVER: nothing does. */
RP_HOT uint32_t held_next(const struct ct_replay *r, const struct rp_sm *sm)
{
	const struct rp_quick_sm *q = sm->quick;
	uint64_t lead = r->base + r->g.l1_latency + 4;
	if (!q->nheld)
		return RP_NEVER;
	return q->l1_free > lead ? (uint32_t)(q->l1_free - lead) : 0;
}

uint32_t rp_fixed_next(const struct ct_replay *r, const struct rp_sm *sm)
{
	uint32_t t = sm->next_free;
	if (sm->nheap && (uint32_t)(sm->heap[0] >> 16) < t)
		t = (uint32_t)(sm->heap[0] >> 16);
	if (r->timing == CT_REPLAY_QUICK)
		t = rp_min32(t, rp_max32(held_next(r, sm), sm->now));
	return t;
}

/* The first warp in time. What would not get past the L1's tags within this window waits for a
 * later one, in order: other SMs' requests come before it. */
RP_HOT void next_warp(struct ct_replay *r, struct rp_sm *sm, uint32_t end, int quick)
{
	struct rp_quick_sm *q = sm->quick;
	if (quick && q->nheld && held_next(r, sm) <= sm->now) {
		uint32_t warp = q->held[q->held_first];
		q->held_first = rp_quick_after(q->held_first, r->warps);
		q->nheld--;
		sm->warp[warp].born = rp_max32(sm->warp[warp].born, sm->now);
		run_warp(r, sm, warp, quick);
		return;
	}
	uint32_t warp = pop(sm);
	struct rp_warp *w = &sm->warp[warp];
	const struct rp_op *op = w->op;
	if (quick && w->revised) {
		uint32_t t = operands(sm, warp);
		w->revised = 0;
		if (t > w->born) {
			sm->c.mem_stall_warp_cycles += t - w->born;
			push(sm, warp, w->born = t);
			return;
		}
	}
	if (quick && op->kind >= RP_LOAD && !op->shared &&
	    (q->nheld || q->l1_free >= r->base + end + r->g.l1_latency + 4)) {
		uint32_t last = q->held_first + q->nheld++;
		q->held[last < r->warps ? last : last - r->warps] = (uint16_t)warp;
		return;
	}
	run_warp(r, sm, warp, quick);
}

RP_HOT void run(struct ct_replay *r, struct rp_sm *sm, uint32_t end, int quick)
{
	while (!sm->failed) {
		uint32_t t = rp_fixed_next(r, sm);
		if (t >= end || (!r->ended && sm->offer < t))
			break;
		sm->now = t;
		if (sm->next_free <= t)
			rp_sm_free_slots(r, sm, t);
		else
			next_warp(r, sm, end, quick);
	}
}

void rp_fixed_run(struct ct_replay *r, struct rp_sm *sm, uint32_t end)
{
	run(r, sm, end, 0);
}

void rp_quick_run(struct ct_replay *r, struct rp_sm *sm, uint32_t end)
{
	run(r, sm, end, 1);
}
