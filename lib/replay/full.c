/* Full timing: an SM goes from one cycle with something to do to the next; requests meet the
 * network, the slices and DRAM cycle by cycle at the end of each window. */
#include <string.h>

#include "base/bits.h"
#include "replay/private/lsu.h"
#include "replay/private/parts.h"
#include "replay/private/timing.h"
#include "replay/private/turns.h"
#include "replay/private/usual.h"

static CT_INLINE uint32_t next_event(const struct ct_replay *r, const struct rp_sm *sm, int usual)
{
	const struct rp_full_sm *f = &sm->full;
	uint32_t t = rp_min32(rp_min32(f->l1_next, f->lsu_next), sm->rare_at);
	return rp_min32(t, rp_next_turn(r, sm, usual));
}

/* Replies, then an L1 that is wiped. */
static void run_rare_events(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	while (sm->reply_at <= now) {
		const struct rp_packet *p = rp_ring_first(&sm->replies);
		struct rp_packet own;
		if (r->parts) { /* they may put another one in its place */
			own = *p;
			p = &own;
		}
		rp_ring_pop(&sm->replies);
		rp_sm_set_reply(r, sm);
		rp_l1_reply(r, sm, p, now);
	}
	if (sm->wipe_at <= now) {
		sm->wipe_at = RP_NEVER;
		rp_sm_set_rare(sm);
		rp_l1_wipe(r, sm, now);
	}
}

/* Events of parts, which may make others due in this cycle. */
static void run_parts(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	while (!sm->failed && (sm->part_at <= now || sm->l1_part_at <= now)) {
		if (sm->part_at <= now) {
			rp_part_late_answers(r, sm, now);
			rp_events_run(r, sm->id, r->base + now);
		}
		if (sm->l1_part_at <= now && !sm->failed)
			rp_part_l1_due(r, sm, now);
	}
}

/* One cycle of the SM: replies, lookups of the L1, the load/store unit, parts' events, collectors,
 * schedulers, then CTAs that leave. The order is part of the model (parts.h): each stage sees what
 * those before it did. */
static CT_INLINE void run_cycle(struct ct_replay *r, struct rp_sm *sm, uint32_t now, int usual)
{
	if (sm->reply_at <= now || sm->wipe_at <= now)
		run_rare_events(r, sm, now);
	if (sm->full.l1_next <= now)
		rp_l1_step(r, sm, now);
	if (sm->full.lsu_next <= now) {
		if (usual)
			rp_lsu_usual(r, sm, now);
		else
			rp_lsu_step(r, sm, now);
	}
	if (sm->rare_at <= now)
		run_parts(r, sm, now);
	if (sm->full.unpark_at <= now)
		rp_collect_step(r, sm, now);
	rp_take_turns(r, sm, now, usual);
	if (sm->rare_at <= now && sm->next_free <= now)
		rp_sm_free_slots(r, sm, now);
}

static CT_INLINE void run_until(struct ct_replay *r, struct rp_sm *sm, uint32_t end, int usual)
{
	while (!sm->failed) {
		uint32_t t = next_event(r, sm, usual);
		if (t >= end || (!r->ended && sm->offer < t))
			break;
		sm->now = t;
		run_cycle(r, sm, t, usual);
	}
}

/* Schedulers, the L1's pipeline and its MSHR: empty. */
static int init_sm(struct ct_replay *r, struct rp_sm *sm, struct ct_error *e)
{
	struct rp_full_sm *f = &sm->full;
	uint32_t entries = rp_mshr_entries(&r->g.l1, rp_l1_lines(r)), buckets = 16;
	while (buckets < entries * 2)
		buckets *= 2;
	f->no_port = (r->free & CT_REPLAY_FREE_L1) != 0;
	f->mem_free = f->waiter_free = RP_NO_INDEX;
	f->sched = ct_pool_take(&r->pool, r->g.schedulers, sizeof *f->sched);
	f->mshr_mask = buckets - 1;
	f->mshr_entries = entries;
	f->mshr = ct_pool_take(&r->pool, entries, sizeof *f->mshr);
	f->mshr_bucket = ct_pool_take(&r->pool, buckets, sizeof *f->mshr_bucket);
	f->mshr_spare.at = ct_pool_take(&r->pool, entries, sizeof *f->mshr_spare.at);
	f->stage_mask = RP_FIRST_STAGES - 1;
	f->stage = ct_pool_take(&r->pool, (size_t)r->banks * RP_FIRST_STAGES, sizeof *f->stage);
	if (!f->sched || !f->mshr || !f->mshr_bucket || !f->stage || !f->mshr_spare.at)
		return ct_fail_nomem(e);
	for (uint32_t i = entries; i-- > 0;)
		f->mshr_spare.at[f->mshr_spare.n++] = i;
	for (uint32_t i = 0; i < buckets; i++)
		f->mshr_bucket[i] = RP_NO_INDEX;
	return 0;
}

int rp_usual_sms(const struct ct_replay *r)
{
	if (r->g.schedulers != RP_USUAL_SCHEDULERS || r->g.collectors != RP_USUAL_COLLECTORS ||
	    r->g.memory_collectors || (r->reg_banks & (r->reg_banks - 1)) || r->core_parts ||
	    (r->ideal & CT_REPLAY_IDEAL_REGISTERS))
		return 0;
	return r->two_level ? RP_USUAL_TWO_LEVEL : RP_USUAL_ONE_LEVEL;
}

static int full_init(struct ct_replay *r, struct ct_error *e)
{
	r->usual = rp_usual_sms(r);
	for (uint32_t i = 0; i < r->g.sms; i++)
		if (init_sm(r, &r->sm[i], e) < 0)
			return e ? e->status : CT_ERR_NOMEM;
	return 0;
}

/* Collectors, the load/store unit and the pipeline of the L1 are empty: the last launch has run to its
 * end. */
static void full_begin_sm(struct ct_replay *r, struct rp_sm *sm)
{
	struct rp_full_sm *f = &sm->full;
	rp_sched_begin(r, sm);
	f->l1_next = RP_NEVER;
	f->nsteps = f->step_head = 0;
	memset(f->in_bank, 0, sizeof f->in_bank);
	memset(f->bank_at, 0xff, sizeof f->bank_at);
	memset(f->bank_head, 0, sizeof f->bank_head);
	f->full_banks = f->missing_banks = f->l1_lacks = 0;
	f->modified_stall = 0;
}

static uint32_t full_next_event(const struct ct_replay *r, const struct rp_sm *sm)
{
	return next_event(r, sm, 0);
}

static void full_run_sm(struct ct_replay *r, struct rp_sm *sm, uint32_t end)
{
	if (r->usual == RP_USUAL_ONE_LEVEL)
		run_until(r, sm, end, RP_USUAL_ONE_LEVEL);
	else if (r->usual == RP_USUAL_TWO_LEVEL)
		run_until(r, sm, end, RP_USUAL_TWO_LEVEL);
	else
		run_until(r, sm, end, 0);
}

/* Hardware warps of the SM that the launch can use, 0 while it has no CTA. */
static uint32_t warps_in_use(const struct ct_replay *r, const struct rp_sm *sm)
{
	return sm->ctas ? r->occ.ctas * r->occ.warps_per_cta : 0;
}

enum { SHORT_WINDOW = 32 }; /* cycles of a window in which most warps of an SM do not issue */

/* The SM, its schedulers' lists of warps, and each warp with its next instruction. A short window, as networks of routers
 * and parts have, brings only the SM near: all of its warps for the few that issue would take longer than those few wait. */
void rp_prefetch_schedulers(const struct ct_replay *r, const struct rp_sm *sm)
{
	uint32_t n = warps_in_use(r, sm);
	if (!n)
		return;
	rp_prefetch_bytes(sm, offsetof(struct rp_sm, full) + offsetof(struct rp_full_sm, l1_met));
	rp_prefetch_bytes(&sm->warp, offsetof(struct rp_sm, missq) - offsetof(struct rp_sm, warp));
	if (r->window <= SHORT_WINDOW)
		return;
	for (uint32_t k = 0; k < r->g.schedulers; k++)
		rp_prefetch_bytes(&sm->full.sched[k], offsetof(struct rp_sched, written));
	for (uint32_t w = 0; w < n; w++) {
		CT_BRING(&sm->warp[w]);
		CT_BRING(&sm->next[w]);
	}
}

/* What each warp's next instruction is read from. */
void rp_prefetch_all_warps(const struct ct_replay *r, const struct rp_sm *sm)
{
	if (r->window <= SHORT_WINDOW)
		return;
	for (uint32_t w = 0, n = warps_in_use(r, sm); w < n; w++) {
		if (!sm->warp[w].op)
			continue;
		ct_cursor_ahead(sm->warp[w].cursor);
		rp_prefetch_bytes(&sm->regs[w], 128);
	}
}

static int full_memory_idle(const struct ct_replay *r)
{
	(void)r; /* what is on its way is in the network, in slices or in channels, which are asked themselves */
	return 1;
}

static void full_begin_window(struct ct_replay *r)
{
	(void)r; /* queues hold what is on its way, in cycles that never restart */
}

const struct rp_timing rp_timing_full = {
	.name = "full",
	.takes_parts = 1,
	.knows_networks = 1,
	.knows_front_end = 1,
	.waits_for_fills = 1,
	.ideal = CT_REPLAY_IDEAL_L1 | CT_REPLAY_IDEAL_LLC | CT_REPLAY_IDEAL_REGISTERS,
	.init = full_init,
	.begin_sm = full_begin_sm,
	.start_warp = rp_warp_begin,
	.begin_window = full_begin_window,
	.prefetch_sm = rp_prefetch_schedulers,
	.prefetch_warps = rp_prefetch_all_warps,
	.run_sm = full_run_sm,
	.next_event = full_next_event,
	.end_window = rp_step_memory,
	.memory_idle = full_memory_idle,
};
