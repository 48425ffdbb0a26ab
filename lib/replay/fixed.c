/* Fixed timing: the same placement, schedulers' bandwidth, scoreboard and caches,
 * but an access learns at once when its data will be there - fixed latencies behind
 * what SM, slice and channel have been given to do - so that a warp runs from one memory
 * instruction to the next in one go. It is what the other timings are compared with.
 *
 * A warp's time is its own; warps of an SM are taken in the order of their next memory
 * instruction or barrier. A scheduler hands out one slot a cycle to whatever comes. */
#include <string.h>

#include "replay/private/ahead.h"
#include "replay/private/timing.h"

enum {
	RUN_LIMIT = 256, /* instructions before other warps get a look in */
	SHORT_WAIT = 16  /* cycles for an operand that do not end a run */
};

static void push_warp(struct rp_sm *sm, uint32_t warp)
{
	rp_warp_push(&sm->queue, warp, sm->warp[warp].born);
}

/* No instruction is left. */
static void end_stream(struct ct_replay *r, struct rp_sm *sm, uint32_t warp)
{
	struct rp_cta *c = &sm->cta[sm->warp[warp].slot_cta];
	c->running--;
	sm->warp[warp].op = NULL;
	rp_end_warp(sm, warp);
	rp_open_barrier(r, sm, c, push_warp);
}

/* Reads the next instruction and finds its cycle: operands, then a slot of the
 * scheduler. 0 at the end of the warp. */
static int fetch_with_operands(struct ct_replay *r, struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	if (!rp_fetch_next(r, sm, w, &sm->next[warp].inst))
		return 0;
	uint32_t ready = w->born, t = rp_operands_ready(w);
	sm->c.mem_stall_warp_cycles += t - ready > 64 ? t - ready : 0;
	w->born = t;
	return 1;
}

/* Executes the instruction that the warp stopped at, then goes on to the next one that
 * others may see. */
static void run_warp(struct ct_replay *r, struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	uint32_t *free = &sm->fixed.issue_free[warp % r->g.schedulers];
	*free = rp_max32(*free, w->born); /* slots before now are gone */
	for (uint32_t n = 0;; n++) {
		const struct rp_op *op = w->op;
		uint32_t at = rp_max32(w->born, (*free)++);
		w->born = at + 1;
		rp_count_issue(sm, op, &sm->next[warp].inst);
		if (r->has_issue)
			rp_observe_issue(r, sm, warp, at);
		if (op->kind >= RP_LOAD)
			rp_fixed_memory(r, sm, warp, at);
		else if (op->effect)
			rp_other_effects(r, sm, warp, op, at);
		if (op->kind < RP_LOAD) {
			uint32_t done = at + op->latency + 5;
			for (unsigned i = 0; i < op->ndst; i++)
				sm->regs[warp][op->dst[i]] = done;
		}
		int barrier = op->kind == RP_BARRIER;
		if (!fetch_with_operands(r, sm, warp)) {
			end_stream(r, sm, warp);
			return;
		}
		if (barrier) {
			rp_meet_barrier(r, sm, warp, push_warp);
			return;
		}
		if (w->op->outward || w->born > at + SHORT_WAIT || n >= RUN_LIMIT || sm->failed) {
			rp_warp_push(&sm->queue, warp, w->born);
			return;
		}
	}
}

static void fixed_start_warp(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	(void)now;
	if (fetch_with_operands(r, sm, warp))
		rp_warp_push(&sm->queue, warp, sm->warp[warp].born);
	else
		end_stream(r, sm, warp);
}

static CT_INLINE uint32_t next_of(const struct rp_sm *sm)
{
	return rp_min32(sm->next_free, sm->queue.first_at);
}

static void fixed_begin_sm(struct ct_replay *r, struct rp_sm *sm)
{
	(void)r;
	memset(&sm->fixed, 0, sizeof sm->fixed);
}

static void fixed_prefetch_sm(const struct ct_replay *r, const struct rp_sm *sm)
{
	for (uint32_t w = 0, n = rp_warps_in_use(r, sm); w < n; w++) {
		CT_BRING(&sm->warp[w]);
		CT_BRING(&sm->next[w]);
	}
}

static uint32_t fixed_next_event(const struct ct_replay *r, const struct rp_sm *sm)
{
	(void)r;
	return next_of(sm);
}

static void fixed_run_sm(struct ct_replay *r, struct rp_sm *sm, uint32_t end)
{
	while (!sm->failed) {
		uint32_t t = next_of(sm);
		if (t >= end || (!r->ended && sm->offer < t))
			break;
		sm->now = t;
		if (sm->next_free <= t)
			rp_sm_free_slots(r, sm, t);
		else
			run_warp(r, sm, rp_warp_pop(&sm->queue));
	}
}

/* An access has learnt at once when its data is back: nothing is left for the end of a window. */
static int fixed_end_window(struct ct_replay *r, uint64_t end)
{
	(void)r;
	(void)end;
	return 0;
}

const struct rp_timing rp_timing_fixed = {
	.name = "fixed",
	.knows_networks = 1,
	.line_at_once = 1,
	.init = rp_no_init,
	.begin_launch = rp_no_launch,
	.begin_sm = fixed_begin_sm,
	.start_warp = fixed_start_warp,
	.begin_window = rp_follow_epoch,
	.prefetch_sm = fixed_prefetch_sm,
	.prefetch_warps = rp_prefetch_all_warps,
	.run_sm = fixed_run_sm,
	.next_event = fixed_next_event,
	.end_window = fixed_end_window,
	.memory_idle = rp_always_idle,
};
