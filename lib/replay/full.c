/* Full timing: an SM goes from one cycle with something to do to the next; requests meet the
 * network, the slices and DRAM cycle by cycle at the end of each window. */
#include "base/bits.h"
#include "replay/private/lsu.h"
#include "replay/private/parts.h"
#include "replay/private/timing.h"
#include "replay/private/usual.h"

CT_HOT uint32_t next_event(const struct ct_replay *r, const struct rp_sm *sm, int usual)
{
	const uint32_t *at = sm->sched_next;
	uint32_t t = rp_min32(rp_min32(sm->l1_next, sm->lsu_next), rp_min32(sm->unpark_at, sm->rare_at));
	uint32_t u = rp_four_first(at);
	for (uint32_t k = 4; k < rp_schedulers(r, usual); k++)
		u = rp_min32(u, at[k]);
	return rp_min32(t, u);
}

/* Schedulers whose turn it is in this cycle, of n the first in bit 0. */
CT_HOT uint32_t due_schedulers(const struct rp_sm *sm, uint32_t n, uint32_t first, uint32_t now)
{
	uint32_t due = rp_four_due(sm->sched_next, now);
	for (uint32_t k = 4; k < n; k++)
		due |= (uint32_t)(sm->sched_next[k] <= now) << k;
	return (due | due << n) >> first & ((1u << n) - 1);
}

/* Another one is first each time. Only a barrier that opens, or a part, makes it the turn
 * of one that comes after it in the same cycle. */
CT_HOT void step_schedulers(struct ct_replay *r, struct rp_sm *sm, uint32_t now, int usual)
{
	uint32_t n = rp_schedulers(r, usual), first = rp_modulo(now, n);
	uint32_t due = due_schedulers(sm, n, first, now);
	sm->released = usual ? 0 : r->core_parts;
	while (due) {
		uint32_t i = ct_low_bit(due);
		due &= due - 1;
		rp_sched_step(r, sm, rp_modulo(i + first, n), now, usual);
		if (sm->released)
			due = due_schedulers(sm, n, first, now) & ~((2u << i) - 1);
	}
}

/* Replies, then an L1 that is wiped. */
static void rare(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	while (sm->reply_at <= now) {
		const struct rp_packet *p = rp_ring_first(&sm->replies);
		struct rp_packet own;
		if (r->parts) { /* they may put another one in its place */
			own = *p;
			p = &own;
		}
		rp_ring_pop(&sm->replies);
		rp_sm_reply(r, sm);
		rp_l1_reply(r, sm, p, now);
	}
	if (sm->wipe_at <= now) {
		sm->wipe_at = RP_NEVER;
		rp_sm_rare(sm);
		rp_l1_wipe(r, sm, now);
	}
}

CT_HOT void cycle(struct ct_replay *r, struct rp_sm *sm, uint32_t now, int usual)
{
	if (sm->rare_at <= now)
		rare(r, sm, now);
	if (sm->l1_next <= now)
		rp_l1_step(r, sm, now);
	if (sm->lsu_next <= now) {
		if (usual)
			rp_lsu_usual(r, sm, now);
		else
			rp_lsu_step(r, sm, now);
	}
	if (sm->rare_at <= now && sm->part_at <= now)
		rp_events_run(r, sm->id, r->base + now);
	if (sm->unpark_at <= now)
		rp_collect_step(r, sm, now);
	step_schedulers(r, sm, now, usual);
	if (sm->rare_at <= now && sm->next_free <= now)
		rp_sm_free_slots(r, sm, now);
}

CT_HOT void run(struct ct_replay *r, struct rp_sm *sm, uint32_t end, int usual)
{
	while (!sm->failed) {
		uint32_t t = next_event(r, sm, usual);
		if (t >= end || (!r->ended && sm->offer < t))
			break;
		sm->now = t;
		cycle(r, sm, t, usual);
	}
}

static uint32_t full_next_event(const struct ct_replay *r, const struct rp_sm *sm)
{
	return next_event(r, sm, 0);
}

static void full_run_sm(struct ct_replay *r, struct rp_sm *sm, uint32_t end)
{
	if (r->usual)
		run(r, sm, end, 1);
	else
		run(r, sm, end, 0);
}

static void full_begin_window(struct ct_replay *r)
{
	(void)r; /* queues hold what is on its way, in cycles that never restart */
}

/* Requests go through the network, slices and DRAM channels, replies come back. A network that is a
 * part has its packets already (parts_net.c). */
static int full_end_window(struct ct_replay *r, uint64_t end)
{
	int part = r->parts && r->parts->given.network;
	if (!part && rp_net_requests(r, r->horizon + 1, end + 1) < 0)
		return r->error.status;
	if (rp_llc_run(r, end + r->window) < 0)
		return r->error.status;
	if (!part && rp_net_replies(r, end, end + r->window) < 0)
		return r->error.status;
	return 0;
}

const struct rp_timing rp_timing_full = {
	.name = "full", .takes_parts = 1, .knows_networks = 1, .waits_for_fills = 1,
	.init = rp_no_init, .begin_launch = rp_no_launch, .begin_sm = rp_no_sm,
	.start_warp = rp_warp_begin, .begin_window = full_begin_window,
	.prefetch_sm = rp_prefetch_whole_sm, .prefetch_warps = rp_prefetch_whole_warps,
	.run_sm = full_run_sm, .next_event = full_next_event, .end_window = full_end_window,
	.memory_idle = rp_always_idle,
};
