/* Warps of the quick replay: a warp runs from one memory instruction to the next in one go, in time of its own. A scheduler's
 * slots, its units and what waits for memory are as contention has them. */
#include "replay/private/full.h"
#include "replay/private/quick.h"
#include "replay/private/timing.h"

enum {
	RUN_LIMIT = 256, /* instructions before other warps get a look in */
	RUN_AHEAD = 8,   /* cycles that a warp may be ahead of another that has yet to run: a little more
	                    than from an instruction to the next that depends on it */
	CALENDAR = 256,  /* and of the SM's time, which the schedulers' calendars hold */
	SHORT_WAIT = 16, /* cycles for an operand that do not end a run */
	LONG_WAIT = 64   /* cycles for operands that are counted as a stall */
};

/* ---- warps ---- */

/* Whether the warp goes on at a known cycle, which is in born then: nothing holds it, and its registers
 * will be there. */
static CT_INLINE int knows_when(struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	uint32_t t = rp_operands_ready(w);
	if (t == RP_NEVER || w->held)
		return 0;
	if (t - w->born > LONG_WAIT)
		rp_count_stall(sm, warp, w->born, t, 0);
	w->born = t;
	return 1;
}

/* The warp's place among the active ones goes to the oldest that has none. */
static void give_place(struct rp_sm *sm, uint32_t warp, uint32_t at)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t sub = sm->warp[warp].sub, n = q->schedulers;
	struct rp_quick_sched *s = &q->sched[sub];
	uint64_t bit = UINT64_C(1) << sm->warp[warp].slot;
	if (!(s->active & bit))
		return;
	s->active ^= bit;
	s->nactive--;
	if (!s->pending)
		return;
	uint32_t slot = ct_pick_oldest(s->pending, &sm->warp[sub].age, n * sizeof *sm->warp);
	struct rp_warp *next = &sm->warp[slot * n + sub];
	s->pending ^= UINT64_C(1) << slot;
	s->active |= UINT64_C(1) << slot;
	s->nactive++;
	next->born = rp_max32(rp_max32(next->born, at), sm->now);
	rp_warp_push(&sm->queue, slot * n + sub, next->born);
}

/* The warp waits for data or for other warps from cycle `at` on, or has ended: with two levels it is not active any more
 * (two_level.c). */
static CT_INLINE void leave_active(struct rp_sm *sm, uint32_t warp, uint32_t at)
{
	if (sm->quick->active_warps)
		give_place(sm, warp, at);
}

/* The warp can go on: whether it is active, or becomes so. */
static CT_INLINE int enter_active(struct rp_quick_sm *q, const struct rp_warp *w)
{
	struct rp_quick_sched *s = &q->sched[w->sub];
	uint64_t bit = UINT64_C(1) << w->slot;
	if (s->active & bit)
		return 1;
	if (s->nactive >= q->active_warps) {
		s->pending |= bit;
		return 0;
	}
	s->active |= bit;
	s->nactive++;
	return 1;
}

void rp_quick_go_on(struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	rp_update_held(w);
	w->parked = !knows_when(sm, warp);
	if (!w->parked)
		rp_warp_push(&sm->queue, warp, w->born);
	else
		leave_active(sm, warp, w->born);
}

/* No instruction is left. */
static void end_stream(struct ct_replay *r, struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	struct rp_cta *c = &sm->cta[w->slot_cta];
	c->running--;
	w->op = NULL;
	leave_active(sm, warp, w->born);
	w->parked = w->open != 0;
	if (!w->parked)
		rp_end_warp(sm, warp);
	rp_open_barrier(r, sm, c, rp_quick_go_on);
}

static void quick_start_warp(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	struct rp_warp *w = &sm->warp[warp];
	if (sm->quick->in_step) {
		rp_warp_begin(r, sm, warp, now);
		return;
	}
	if (!rp_fetch_next(r, sm, w, &sm->next[warp].inst)) {
		end_stream(r, sm, warp);
		return;
	}
	if (r->front_end)
		rp_wait_for_code(r, sm, w, now);
	rp_quick_go_on(sm, warp);
}

/* Something that the warp has waited for is back. */
static void wake_parked(struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	if (w->op)
		rp_quick_go_on(sm, warp);
	else if (!w->open)
		rp_end_warp(sm, warp);
}

void rp_quick_all_back(struct ct_replay *r, struct rp_sm *sm, uint32_t inst)
{
	struct rp_quick_sm *q = sm->quick;
	struct rp_quick_inst *p = &q->inst[inst];
	uint32_t back = p->back;
	struct rp_warp *w = &sm->warp[p->warp];
	const struct rp_op *op = p->op;
	p->next = q->inst_free;
	q->inst_free = inst;
	if (op->kind != RP_STORE)
		sm->c.mem_latency_sum += back - p->issued;
	w->open--;
	w->back = p->sid;
	w->fetched = rp_max32(w->fetched, back);
	rp_quick_results(sm, p->warp, op, p->group, back);
	if (q->in_step)
		rp_quick_step_wake(r, sm, p->warp);
	else if (w->parked)
		wake_parked(sm, p->warp);
}

/* ---- instructions ---- */

/* Cycle in which the warp's next instruction issues: the scheduler issues one a cycle, the unit
 * takes one every `keeps`. */
static CT_INLINE uint32_t issue_at(struct rp_quick_sched *s, const struct rp_warp *w, uint32_t now)
{
	const struct rp_op *op = w->op;
	uint64_t t = w->born;
	if (op->keeps > 1)
		t = rp_slots_take(&s->unit[op->unit], now, t, op->keeps);
	t = rp_slots_take(&s->issue, now, t, 1);
	s->waited += t - w->born;
	return (uint32_t)t;
}

/* Cycles that a warp may be ahead of the first of the others, which may be none: loose round robin keeps
 * the warps of an SM abreast. */
static CT_INLINE int64_t run_ahead(const struct ct_replay *r)
{
	return r->oldest_first ? INT64_MAX : RUN_AHEAD;
}

static CT_INLINE int too_far(const struct rp_sm *sm, uint32_t at, int64_t ahead)
{
	return at > sm->now + CALENDAR || (int64_t)at - sm->queue.first_at > ahead;
}

/* The warp's next instruction, which issues in cycle `at`; `watched` is r->has_issue and a constant where
 * these are called. */
static CT_INLINE void
execute_next(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, const struct rp_op *op,
             const struct ct_inst *inst, uint32_t at, int watched)
{
	uint32_t *regs = sm->warp[warp].regs;
	rp_count_issue(sm, op, inst);
	if (watched)
		rp_observe_issue(r, sm, warp, at);
	if (op->kind >= RP_LOAD) {
		if (op->shared)
			rp_quick_shared(r, sm, warp, at);
		else
			rp_quick_memory(r, sm, warp, at);
		return;
	}
	for (unsigned i = 0; i < op->ndst; i++)
		regs[op->dst[i]] = at + op->latency + 5;
	if (op->effect)
		rp_other_effects(r, sm, warp, op, at);
}

/* Executes the instruction that the warp stopped at, in cycle `at`, then goes on to the next one that
 * others may see. */
static CT_INLINE void run_warp(struct ct_replay *r, struct rp_sm *sm, struct rp_quick_sched *s,
                               uint32_t warp, uint32_t at, int watched)
{
	struct rp_warp *w = &sm->warp[warp];
	struct ct_inst *inst = &sm->next[warp].inst;
	const int64_t ahead = run_ahead(r);
	for (uint32_t n = 0;; n++, at = issue_at(s, w, sm->now)) {
		const struct rp_op *op = w->op;
		w->born = at + 1;
		if (at >= s->last_at) {
			s->last = warp;
			s->last_at = at;
		}
		execute_next(r, sm, warp, op, inst, at, watched);
		if (!rp_fetch_next(r, sm, w, inst)) {
			end_stream(r, sm, warp);
			return;
		}
		if (r->front_end)
			rp_wait_for_front_end(r, sm, w, op, at);
		if (op->kind == RP_BARRIER) {
			rp_meet_barrier(r, sm, warp, rp_quick_go_on);
			if (w->wait.at_barrier)
				leave_active(sm, warp, at + 1);
			return;
		}
		if (!knows_when(sm, warp)) {
			w->parked = 1;
			leave_active(sm, warp, at + 1);
			return;
		}
		if (w->op->outward || w->born > at + SHORT_WAIT || too_far(sm, w->born, ahead) ||
		    n >= RUN_LIMIT || sm->failed) {
			if (w->born > at + SHORT_WAIT &&
			    w->born <= w->fetched) /* no unit takes so long */
				leave_active(sm, warp, at + 1);
			rp_warp_push(&sm->queue, warp, w->born);
			return;
		}
	}
}

/* ---- the SM ---- */

/* Cycle in which a warp whose memory instruction has found no place has one, RP_NEVER: nobody knows,
 * or there is no such warp. */
static CT_INLINE uint32_t held_next_at(const struct rp_sm *sm)
{
	const struct rp_quick_sm *q = sm->quick;
	uint32_t next = RP_NEVER;
	for (uint32_t k = 0; q->nheld && k < q->rings; k++)
		if (q->held_of[k])
			next = rp_min32(next, rp_max32(q->unit[rp_quick_place(q, k)], sm->now));
	return next;
}

static CT_INLINE uint32_t next_of(const struct ct_replay *r, const struct rp_sm *sm)
{
	uint32_t t = rp_min32(rp_min32(sm->next_free, sm->queue.first_at), held_next_at(sm));
	return sm->quick->nwait ? rp_min32(t, rp_quick_unit_next(r, sm)) : t;
}

/* Whether the warp's scheduler has a place for its memory instruction in cycle `at`, which others may wait for. */
static CT_INLINE int has_place(const struct rp_sm *sm, uint32_t warp, uint32_t at)
{
	const struct rp_quick_sm *q = sm->quick;
	return q->unit[rp_quick_place(q, rp_quick_ring(q, sm->warp[warp].sub))] <= at;
}

/* Whether the warp's scheduler is greedy and has issued from it last. */
static CT_INLINE int is_greedy_for(const struct ct_replay *r, const struct rp_sm *sm, uint32_t warp)
{
	return r->g.scheduler != CT_SCHED_OLDEST && sm->quick->sched[sm->warp[warp].sub].last == warp;
}

/* Whether a scheduler would rather issue from warp a than from b. */
static CT_INLINE int is_preferred(const struct ct_replay *r, const struct rp_sm *sm, uint32_t a,
                                  uint32_t b)
{
	if (is_greedy_for(r, sm, b))
		return 0;
	return is_greedy_for(r, sm, a) || sm->warp[a].age < sm->warp[b].age;
}

/* Takes a warp whose memory instruction waits for a place and has one: the first of them, or the one that its scheduler
 * prefers. With memory collectors that one is often not the oldest: its data has come last, and it has gone on with
 * instructions that need no place. */
static CT_INLINE uint32_t take_held(const struct ct_replay *r, const struct rp_sm *sm)
{
	struct rp_quick_sm *q = sm->quick;
	uint32_t at = q->held_first, warp = RP_NO_INDEX;
	for (uint32_t i = 0; i < q->nheld && (r->oldest_first || !i); i++) {
		uint32_t k = q->held_first + i, place = k < r->warps ? k : k - r->warps;
		uint32_t other = q->held[place];
		if (has_place(sm, other, sm->now) &&
		    (warp == RP_NO_INDEX || is_preferred(r, sm, other, warp))) {
			warp = other;
			at = place;
		}
	}
	q->held[at] = q->held[q->held_first];
	q->held_first = rp_ring_after(q->held_first, r->warps);
	q->nheld--;
	q->held_of[rp_quick_ring(q, sm->warp[warp].sub)]--;
	return warp;
}

/* Of warps that go on in the same cycle, as full timing has them: schedulers take turns to be the first, and each takes the warp that
 * its policy says. */
static CT_INLINE uint32_t choose_due(const struct ct_replay *r, const struct rp_sm *sm, uint64_t due)
{
	uint32_t n = r->g.schedulers, k = ct_modulo(sm->queue.first_at, n);
	const uint64_t *warps = r->quick->warps;
	while (!(due & warps[k]))
		k = rp_ring_after(k, n);
	due &= warps[k];
	uint32_t last = sm->quick->sched[k].last;
	if (!r->oldest_first)
		return ct_pick_in_turn(due, rp_min32(last, 63));
	return ct_pick_greedy(due, last, due, &sm->warp[0].age, sizeof *sm->warp);
}

/* Takes the first warp in time. */
static CT_INLINE uint32_t take_due(const struct ct_replay *r, struct rp_sm *sm)
{
	uint64_t due = rp_warps_due(&sm->queue);
	int several = (due & (due - 1)) != 0;
	return rp_warp_take(&sm->queue, several ? UINT64_C(1) << choose_due(r, sm, due) : due);
}

/* The first warp in time, and of those whose memory instruction waits for a place the first. */
static CT_INLINE void next_warp(struct ct_replay *r, struct rp_sm *sm, int watched)
{
	struct rp_quick_sm *q = sm->quick;
	int held = held_next_at(sm) <= sm->now;
	uint32_t warp = held ? take_held(r, sm) : take_due(r, sm), at;
	struct rp_warp *w = &sm->warp[warp];
	struct rp_quick_sched *s = &q->sched[w->sub];
	if (q->active_warps && !held && !enter_active(q, w))
		return;
	if (held) {
		at = rp_max32(w->born, sm->now);
		if (r->g.memory_collectors)
			rp_count_held(sm, warp, w->op, sm->next[warp].inst.sid, w->born, at);
	} else {
		at = issue_at(s, w, sm->now);
		if (w->op->outward && w->op->kind >= RP_LOAD &&
		    (q->held_of[rp_quick_ring(q, w->sub)] || !has_place(sm, warp, at))) {
			uint32_t last = q->held_first + q->nheld++;
			q->held_of[rp_quick_ring(q, w->sub)]++;
			q->held[last < r->warps ? last : last - r->warps] = (uint16_t)warp;
			w->born = at;
			return;
		}
	}
	run_warp(r, sm, s, warp, at, watched);
}

/* The load/store unit takes what waits for it, if it can. */
static void take_waiting(struct ct_replay *r, struct rp_sm *sm)
{
	if (!rp_quick_unit_blocked(r, sm))
		rp_quick_unit_take(r, sm);
}

/* Takes what comes first in the SM up to cycle `end`: a CTA that leaves, the load/store unit, a warp. */
static CT_INLINE void run_until(struct ct_replay *r, struct rp_sm *sm, uint32_t end, int watched)
{
	sm->quick->end = end;
	while (!sm->failed) {
		uint32_t t = next_of(r, sm);
		if (t >= end || (!r->ended && sm->offer < t))
			break;
		sm->now = t;
		if (sm->next_free <= t)
			rp_sm_free_slots(r, sm, t);
		else if (sm->quick->nwait && rp_quick_unit_next(r, sm) <= t)
			take_waiting(r, sm);
		else
			next_warp(r, sm, watched);
	}
}

static uint32_t quick_next_event(const struct ct_replay *r, const struct rp_sm *sm)
{
	return sm->quick->in_step ? rp_quick_step_next(r, sm) : next_of(r, sm);
}

static void quick_run_sm(struct ct_replay *r, struct rp_sm *sm, uint32_t end)
{
	if (sm->quick->in_step)
		rp_quick_step_run(r, sm, end);
	else if (r->has_issue)
		run_until(r, sm, end, 1);
	else
		run_until(r, sm, end, 0);
}

/* ---- what the host's memory is asked for ---- */

/* What a warp looks at first, or what that points at. */
static void prefetch_warp(const struct rp_sm *sm, uint32_t warp, int itself)
{
	if (itself) {
		CT_BRING(&sm->warp[warp]);
		rp_prefetch_bytes(&sm->next[warp], 128);
	} else {
		ct_cursor_ahead(sm->warp[warp].cursor);
		rp_prefetch_bytes(&sm->regs[warp], 128);
	}
}

/* Warps that will run in this window. */
static void prefetch_due_warps(const struct ct_replay *r, const struct rp_sm *sm, int itself)
{
	uint32_t end = rp_window_end(r);
	uint64_t warps = 0;
	for (uint64_t left = sm->queue.near_bits; left; left &= left - 1)
		warps |= sm->queue.near[ct_low_bit(left)];
	for (; warps; warps &= warps - 1)
		prefetch_warp(sm, ct_low_bit(warps), itself);
	for (uint32_t i = 0; i < sm->queue.nheap; i++)
		if (sm->queue.heap[i] >> 16 < end)
			prefetch_warp(sm, (uint32_t)(sm->queue.heap[i] & 0xffff), itself);
}

static void quick_prefetch_sm(const struct ct_replay *r, const struct rp_sm *sm)
{
	const struct rp_quick_sm *q = sm->quick;
	if (!sm->ctas)
		return;
	rp_prefetch_bytes(&q->req[q->asked & q->req_mask], 256); /* room for a few requests */
	if (q->in_step)
		rp_prefetch_schedulers(r, sm);
	else
		prefetch_due_warps(r, sm, 1);
}

static void quick_prefetch_warps(const struct ct_replay *r, const struct rp_sm *sm)
{
	if (sm->quick->in_step)
		rp_prefetch_all_warps(r, sm);
	else
		prefetch_due_warps(r, sm, 0);
}

const struct rp_timing rp_timing_quick = {
	.name = "quick",
	.knows_front_end = 1,
	.ideal = CT_REPLAY_IDEAL_L1 | CT_REPLAY_IDEAL_LLC,
	.init = rp_quick_init,
	.begin_sm = rp_quick_begin,
	.start_warp = quick_start_warp,
	.begin_window = rp_quick_follow_epoch,
	.prefetch_sm = quick_prefetch_sm,
	.prefetch_warps = quick_prefetch_warps,
	.run_sm = quick_run_sm,
	.next_event = quick_next_event,
	.end_window = rp_quick_serve,
	.memory_idle = rp_quick_idle,
};
