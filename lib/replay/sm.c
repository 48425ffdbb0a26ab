/* One SM whatever the timing: its beginning and end, CTAs that come and go. */
#include <stdlib.h>
#include <string.h>

#include "replay/private/l1.h"
#include "replay/private/parts.h"
#include "replay/private/timing.h"

int rp_sm_init(struct ct_replay *r, struct rp_sm *sm, uint32_t id, struct ct_error *e)
{
	memset(sm, 0, sizeof *sm);
	sm->id = id;
	sm->l1_timer = RP_NEVER64;
	sm->l1_part_at = RP_NEVER;
	sm->warp = ct_pool_take(&r->pool, r->warps, sizeof *sm->warp);
	sm->next = ct_pool_take(&r->pool, r->warps, sizeof *sm->next);
	sm->regs = ct_pool_take(&r->pool, r->warps, sizeof *sm->regs);
	sm->cta = ct_pool_take(&r->pool, r->g.max_ctas, sizeof *sm->cta);
	sm->copied_at = ct_pool_take(
		&r->pool, r->timing->waits_for_fills ? 0 : r->warps, sizeof *sm->copied_at);
	sm->queue.heap = ct_pool_take(&r->pool, r->warps, sizeof *sm->queue.heap);
	sm->stalls_of = r->has_stall ? r : NULL;
	if (r->has_l1 && !r->l1_in_short && r->has_llc &&
	    !(sm->group_sid = ct_pool_take(&r->pool, RP_LINES_IN_FLIGHT, sizeof *sm->group_sid)))
		return ct_fail_nomem(e);
	int fetches = r->timing->knows_front_end && r->g.llc_flush &&
	              (r->g.code_first_cycles || r->g.code_line_cycles);
	sm->code = fetches ? ct_pool_take(&r->pool, RP_CODE_LINES, sizeof *sm->code) : NULL;
	if (!sm->warp || !sm->next || !sm->regs || !sm->cta || !sm->queue.heap || !sm->copied_at ||
	    (fetches && !sm->code))
		return ct_fail_nomem(e);
	return rp_l1_init(r, sm, e);
}

void rp_sm_free(struct ct_replay *r, struct rp_sm *sm)
{
	for (uint32_t i = 0; sm->warp && i < r->warps; i++)
		ct_cursor_close(sm->warp[i].cursor);
	for (uint32_t i = 0; sm->cta && i < r->g.max_ctas; i++)
		ct_cta_unref(sm->cta[i].cta);
	rp_ring_free(&sm->missq);
	rp_ring_free(&sm->direct);
	rp_ring_free(&sm->replies);
	rp_ring_free(&sm->relayed);
	rp_ring_free(&sm->late);
	free(sm->log);
	memset(sm, 0, sizeof *sm);
}

/* Every queue is empty here: the last launch has run to its end. */
void rp_sm_begin(struct ct_replay *r, struct rp_sm *sm)
{
	sm->now = 0;
	sm->ctas = sm->warps_live = 0;
	sm->fetch = 0;
	rp_warp_queue_clear(&sm->queue);
	sm->next_free = sm->wipe_at = RP_NEVER;
	sm->offer = r->parts && r->parts->owned && r->parts->owned[sm->id] ? RP_NEVER : r->first_place;
	sm->part_at = sm->reply_at = RP_NEVER;
	if (r->parts) {
		rp_part_set_next(r, sm);
		rp_part_set_l1_at(r, sm);
	}
	sm->lsu_free = sm->missq_last = 0;
	sm->code_lines = 0;
	sm->slots_used = 0;
	if (sm->code)
		memset(sm->code, 0, RP_CODE_LINES * sizeof *sm->code);
	rp_sm_set_reply(r, sm);
	r->timing->begin_sm(r, sm);
	rp_l1_begin(r, sm);
}

/* The first reply has changed. */
void rp_sm_set_reply(struct ct_replay *r, struct rp_sm *sm)
{
	sm->reply_at = RP_NEVER;
	if (sm->replies.n)
		sm->reply_at = rp_launch_cycle(r, rp_ring_first(&sm->replies)->when);
	rp_sm_set_rare(sm);
}

/* Tells observers that a CTA comes to its slot or leaves it. */
static void tell_cta(struct ct_replay *r, const struct rp_sm *sm, uint32_t slot, uint32_t now, int ends)
{
	const struct ct_cta_event ev = {
		.sm = sm->id, .cta_slot = slot, .cycle = r->base + now, .ends = ends != 0};
	if (r->told)
		rp_note_cta(r, &ev);
	for (unsigned i = 0; i < r->nobs && !r->told; i++)
		if (r->obs[i].cta)
			r->obs[i].cta(r->obs[i].ctx, &ev);
}

/* CTAs whose last warp retires in this cycle leave; a new one can be placed at the
 * end of the cycle (doc/replay.md section 2). */
void rp_sm_free_slots(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	uint32_t next = RP_NEVER;
	for (uint32_t i = 0; i < r->occ.ctas; i++) {
		struct rp_cta *c = &sm->cta[i];
		if (!c->cta)
			continue;
		if (c->free_at > now) {
			next = rp_min32(next, c->free_at);
			continue;
		}
		ct_cta_unref(c->cta);
		c->cta = NULL;
		tell_cta(r, sm, i, now, 1);
		sm->ctas--;
		sm->offer = now;
		if (!sm->ctas)
			sm->c.busy_sm_cycles += now - sm->busy_since;
		if (r->end_cycle < now)
			r->end_cycle = now;
	}
	sm->next_free = next;
	rp_sm_set_rare(sm);
}

/* A CTA takes the lowest free slot; its warps are fetched from the next cycle on,
 * four a cycle, the last of them one later (doc/replay.md section 3). */
int rp_sm_place(struct ct_replay *r, struct rp_sm *sm, struct ct_cta *cta, uint32_t now)
{
	uint32_t slot = 0, per = r->occ.warps_per_cta, n = ct_cta_warps(cta);
	while (sm->cta[slot].cta)
		slot++;
	struct rp_cta *c = &sm->cta[slot];
	memset(c, 0, sizeof *c);
	c->cta = cta;
	c->free_at = RP_NEVER;
	tell_cta(r, sm, slot, now, 0);
	if (!sm->ctas++)
		sm->busy_since = now;
	uint32_t start = now + 2 + (slot < 64 && sm->slots_used >> slot & 1 ? r->g.cta_gap_cycles : 0);
	sm->slots_used |= slot < 64 ? UINT64_C(1) << slot : 0;
	if (sm->fetch < 4 * start + 1)
		sm->fetch = 4 * start + 1;
	for (uint32_t i = 0; i < n; i++) {
		const struct ct_warp_info *info = ct_cta_warp(cta, i);
		if (info->warp >= per)
			return rp_fail(r, CT_ERR_INPUT, "a CTA has more warps than its block");
		uint32_t hw = slot * per + info->warp;
		struct rp_warp *w = &sm->warp[hw];
		struct ct_cursor *cursor = w->cursor;
		int st = cursor ? ct_cursor_reset(cursor, cta, i, &r->error)
		                : ct_cursor_open(&cursor, cta, i, &r->error);
		memset(w, 0, sizeof *w);
		w->cursor = cursor;
		w->regs = sm->regs[hw];
		if (st < 0)
			return st;
		w->key = r->launch_key + ct_cta_index(cta) * per + info->warp;
		w->age = r->warp_age++;
		w->slot_cta = (uint16_t)slot;
		w->sub = (uint8_t)(hw % r->g.schedulers);
		w->slot = (uint8_t)(hw / r->g.schedulers);
		w->live = 1;
		w->born = sm->fetch++ / 4;
		w->done = now;
		w->blocked_since = RP_NEVER;
		memset(sm->regs[hw], 0, sizeof sm->regs[hw]);
		if (!r->timing->waits_for_fills)
			memset(sm->copied_at[hw], 0, sizeof sm->copied_at[hw]);
		c->warps_left++;
		c->running++;
		sm->warps_live++;
		sm->c.resident_warp_cycles -= now;
	}
	sm->c.ctas++;
	sm->c.warps += n;
	if (!n) {
		sm->next_free = c->free_at = c->end = now + 1;
		rp_sm_set_rare(sm);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t hw = slot * per + ct_cta_warp(cta, i)->warp;
		r->timing->start_warp(r, sm, hw, now);
	}
	return r->error.status;
}
