/* fixed.h - what the cheap engines share, and what is between their halves: warps (fixed.c,
 * quick_run.c) and what their memory instructions meet (fixed_mem.c, quick_mem.c). */
#ifndef CT_REPLAY_PRIVATE_FIXED_H
#define CT_REPLAY_PRIVATE_FIXED_H

#include "base/bits.h"
#include "replay/private/engine.h"

/* Executes the next instruction of the warp, one of memory, that issues in cycle `at`: notes when
 * its registers, its LDGSTS group or the warp itself can go on. */
void rp_fixed_memory(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t at);

/* ---- warps in the order of their time: those of the next cycles by cycle, the others in a heap ---- */

/* Cycle of the first; RP_NEVER: there is none. */
CT_HOT uint32_t rp_warp_first(const struct rp_sm *sm)
{
	uint32_t from = sm->near_from, turn = from % RP_NEAR;
	uint32_t t = (uint32_t)(sm->heap[0] >> 16);
	uint64_t bits = sm->near_bits >> turn | sm->near_bits << (-turn % RP_NEAR);
	return bits ? rp_min32(t, from + ct_low_bit(bits)) : t;
}

CT_HOT void rp_warp_push(struct rp_sm *sm, uint32_t warp, uint32_t at)
{
	sm->first_at = rp_min32(sm->first_at, at);
	if (at - sm->near_from < RP_NEAR && warp < 64) {
		sm->near_bits |= UINT64_C(1) << at % RP_NEAR;
		sm->near[at % RP_NEAR] |= UINT64_C(1) << warp;
		return;
	}
	uint64_t key = (uint64_t)at << 16 | warp, *h = sm->heap;
	uint32_t i = sm->nheap++;
	for (; i && h[(i - 1) / 2] > key; i = (i - 1) / 2)
		h[i] = h[(i - 1) / 2];
	h[i] = key;
}

CT_HOT uint32_t rp_heap_pop(struct rp_sm *sm)
{
	uint64_t *h = sm->heap, top = h[0], key = h[--sm->nheap];
	uint32_t i = 0, n = sm->nheap;
	for (uint32_t k; (k = 2 * i + 1) < n; i = k) {
		k += k + 1 < n && h[k + 1] < h[k];
		if (h[k] >= key)
			break;
		h[i] = h[k];
	}
	h[i] = n ? key : RP_NEVER64;
	return (uint32_t)(top & 0xffff);
}

/* The first, of those of a cycle the lowest. */
CT_HOT uint32_t rp_warp_pop(struct rp_sm *sm)
{
	uint32_t at = sm->first_at, turn = at % RP_NEAR, warp;
	uint64_t near = at >= sm->near_from ? sm->near[turn] : 0;
	if (near && sm->heap[0] > ((uint64_t)at << 16 | ct_low_bit(near))) {
		warp = ct_low_bit(near);
		sm->near[turn] = near &= near - 1;
		if (!near)
			sm->near_bits &= ~(UINT64_C(1) << turn);
	} else {
		warp = rp_heap_pop(sm);
	}
	sm->near_from = rp_max32(sm->near_from, at);
	sm->first_at = rp_warp_first(sm);
	return warp;
}

/* ---- memory instructions, barriers and ends ---- */

/* The results of a memory instruction are there in cycle `back`: its registers and its LDGSTS group;
 * behind an atomic the warp goes on in cycle `seen`. */
CT_HOT void rp_results_at(struct rp_warp *w, const struct rp_op *op, uint32_t group, uint32_t back,
                          uint32_t seen)
{
	uint32_t *open = &w->group_open[group % RP_GROUPS];
	w->done = rp_max32(w->done, back);
	for (unsigned i = 0; i < op->ndst; i++)
		w->regs[op->dst[i]] = back;
	if (op->kind == RP_ATOMIC)
		w->born = rp_max32(w->born, seen);
	else if (op->kind == RP_ASYNC)
		*open = rp_max32(*open, back);
}

/* The CTA's barrier opens when all of its running warps have come to it: go_on() for each. */
static inline void rp_barrier_open(const struct ct_replay *r, struct rp_sm *sm, struct rp_cta *c,
                                   void (*go_on)(struct rp_sm *sm, uint32_t warp))
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
			go_on(sm, w);
		}
}

/* Nothing of the warp is left, and all that it asked for is back. */
static inline void rp_warp_retire(struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	struct rp_cta *c = &sm->cta[w->slot_cta];
	uint32_t end = rp_max32(w->done, w->born + 4);
	w->live = w->parked = 0;
	sm->warps_live--;
	sm->c.resident_warp_cycles += end;
	c->end = rp_max32(c->end, end);
	if (--c->warps_left)
		return;
	c->free_at = c->end;
	sm->next_free = rp_min32(sm->next_free, c->free_at);
}

#endif
