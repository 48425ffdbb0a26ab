/* ahead.h - a warp that runs ahead of the others, in quick timing (private): when results are there, groups of copies,
 * barriers, ends. */
#ifndef CT_REPLAY_PRIVATE_AHEAD_H
#define CT_REPLAY_PRIVATE_AHEAD_H

#include "base/bits.h"
#include "replay/private/instruction.h"

/* The results of a memory instruction are there in cycle `back`: its registers and its LDGSTS group;
 * behind an atomic the warp goes on in cycle `seen`. */
static CT_INLINE void rp_results_at(struct rp_sm *sm, uint32_t warp, const struct rp_op *op,
                                    uint32_t group, uint32_t back, uint32_t seen)
{
	struct rp_warp *w = &sm->warp[warp];
	w->done = rp_max32(w->done, back);
	for (unsigned i = 0; i < op->ndst; i++)
		w->regs[op->dst[i]] = back;
	if (op->kind == RP_ATOMIC) {
		w->born = rp_max32(w->born, seen);
	} else if (op->kind == RP_ASYNC) {
		uint32_t *at = &sm->copied_at[warp][group % CT_WARP_GROUPS];
		*at = rp_max32(*at, back);
	}
}

/* Passes groups of the warp whose data is there, or will be in a known cycle, up to the one that it waits
 * for: it goes on behind them. */
static inline void rp_pass_groups(struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	for (; ct_warp_waits_for_group(&w->wait); w->wait.group_done++) {
		uint32_t g = w->wait.group_done % CT_WARP_GROUPS, *at = &sm->copied_at[warp][g];
		if (w->wait.group_open[g])
			return;
		w->born = rp_max32(w->born, *at);
		*at = 0;
	}
}

/* The warp has come to its CTA's barrier, or has ended: it opens when all of the running warps have come,
 * in the cycle of the last one. go_on() follows for each. */
static inline void rp_open_barrier(const struct ct_replay *r, struct rp_sm *sm, struct rp_cta *c,
                                   void (*go_on)(struct rp_sm *sm, uint32_t warp))
{
	uint32_t per = r->occ.warps_per_cta, first = (uint32_t)(c - sm->cta) * per, at = 0;
	if (!ct_barrier_opens(&c->arrived, c->running))
		return;
	for (uint32_t w = first; w < first + per; w++)
		if (sm->warp[w].live && sm->warp[w].wait.at_barrier)
			at = rp_max32(at, sm->warp[w].born);
	rp_leave_barrier(r, sm, c, at, go_on);
}

/* The warp comes to its CTA's barrier. */
static inline void rp_meet_barrier(const struct ct_replay *r, struct rp_sm *sm, uint32_t warp,
                                   void (*go_on)(struct rp_sm *sm, uint32_t warp))
{
	struct rp_cta *c = &sm->cta[sm->warp[warp].slot_cta];
	ct_warp_effect(&sm->warp[warp].wait, CT_EFFECT_BARRIER, 0);
	c->arrived++;
	rp_open_barrier(r, sm, c, go_on);
}

/* No instruction of the warp is left and nothing that it waits for: it retires behind what it has
 * issued. */
static inline void rp_end_warp(struct rp_sm *sm, uint32_t warp)
{
	const struct rp_warp *w = &sm->warp[warp];
	rp_warp_retire(sm, warp, rp_max32(w->done, w->born + 4));
}

/* What an instruction that issues in cycle `at` and is not of memory does to its warp, barriers apart:
 * a fence waits for nothing here, but empties the L1. */
static inline void rp_other_effects(struct ct_replay *r, struct rp_sm *sm, uint32_t warp,
                                    const struct rp_op *op, uint32_t at)
{
	struct rp_warp *w = &sm->warp[warp];
	if (op->effect == CT_EFFECT_FENCE && r->g.l1_flush) {
		rp_l1_wipe(r, sm, at);
	} else if (op->effect == CT_EFFECT_CLOSE_GROUP || op->effect == CT_EFFECT_WAIT_GROUPS) {
		ct_warp_effect(&w->wait, (enum ct_warp_effect)op->effect, op->groups_left);
		rp_pass_groups(sm, warp);
		rp_update_held(w);
	}
}

#endif
