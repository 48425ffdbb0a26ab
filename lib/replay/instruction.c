/* What an instruction means (instruction.h): what is not asked so often. */
#include "replay/private/instruction.h"

/* Builds the event once for all observers. */
void rp_observe_issue(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	struct rp_warp *w = &sm->warp[warp];
	struct ct_issue_event ev = {
		.sm = sm->id,
		.subcore = warp % r->g.schedulers,
		.warp_slot = warp,
		.cta_slot = w->slot_cta,
		.cycle = r->base + now,
		.warp_key = w->key,
		.sinst = w->op->s,
		.inst = &sm->next[warp].inst,
		.first = !w->issued_any,
	};
	w->issued_any = 1;
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].issue)
			r->obs[i].issue(r->obs[i].ctx, &ev);
}

void rp_observe_stall(const struct ct_replay *r, const struct rp_sm *sm, uint32_t warp, uint32_t cycles)
{
	struct ct_stall_event ev = {sm->id, warp, sm->warp[warp].back, cycles};
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].stall)
			r->obs[i].stall(r->obs[i].ctx, &ev);
}

/* Whether the warp's next instruction needs what the load brings. */
static int waits_for(const struct rp_warp *w, const struct rp_op *load)
{
	if (load->kind == RP_ASYNC)
		return ct_warp_waits_for_group(&w->wait);
	for (unsigned i = 0; w->op && i < w->op->ndep; i++)
		for (unsigned k = 0; k < load->ndst; k++)
			if (w->op->dep[i] == load->dst[k])
				return 1;
	return 0;
}

void rp_charge_stall(struct rp_sm *sm, uint32_t warp, const struct rp_op *op, uint32_t sid, uint32_t at)
{
	struct rp_warp *w = &sm->warp[warp];
	w->back = sid;
	if (w->blocked_since == RP_NEVER || !waits_for(w, op))
		return;
	uint32_t from = rp_max32(w->blocked_since, w->charged);
	if (at <= from)
		return;
	rp_observe_stall(sm->stalls_of, sm, warp, at - from);
	w->charged = at;
}

struct ct_local_map rp_local_of(const struct ct_replay *r, const struct rp_sm *sm, uint32_t warp)
{
	struct ct_local_map m = r->local;
	uint32_t per = r->occ.warps_per_cta, slot = warp / per;
	m.sm = sm->id;
	m.hw_thread = slot * m.threads + (warp - slot * per) * 32;
	return m;
}

uint32_t rp_direct_sectors(const struct ct_replay *r, const struct rp_op *op, const struct ct_inst *inst,
                           const struct ct_line_request *q, unsigned n, uint32_t *more)
{
	uint32_t sectors = 0, all = 0;
	for (unsigned i = 0; i < n; i++)
		sectors += ct_bits(q[i].sectors) * r->llc_per_l1;
	if (op->kind == RP_ATOMIC && n)
		all = ct_atomic_transactions(r->kernel, op->s, inst, r->g.llc.sector);
	*more = all > sectors ? all - sectors : 0;
	return sectors;
}
