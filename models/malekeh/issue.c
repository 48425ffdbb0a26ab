/* Scoreboard, schedulers and the allocation of collectors. */
#include <string.h>

#include "models/malekeh/core_internal.h"

static int groups_open(const struct mk_warp *w)
{
	return (int32_t)(w->group_done - w->wait_group) < 0;
}

/* Whether the warp's next instruction may issue. */
void mk_check(struct mk_core *k, uint32_t warp)
{
	struct mk_warp *w = &k->warp[warp];
	const struct ct_mk_op *op = w->op;
	k->ready &= ~mk_bit(warp);
	if (!op || w->barrier || w->membar || w->atomics || w->fetching || groups_open(w))
		return;
	const uint16_t *wait = k->sm->s->waits + op->wait;
	for (unsigned i = 0; i < op->nwait; i++)
		if (w->pending[wait[i] / 64] >> (wait[i] % 64) & 1)
			return;
	k->ready |= mk_bit(warp);
}

void mk_advance(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now)
{
	struct mk_warp *w = &k->warp[warp];
	uint64_t bit = mk_bit(warp);
	k->direct &= ~bit;
	if (w->i < w->w->n) {
		w->op = &sm->s->op[w->w->rec[w->i].sid];
		if (!w->op->needs_collector)
			k->direct |= bit;
		if (sm->sys->kind == CT_MK_LTRF)
			mk_fetch(sm, k, warp, now);
		mk_check(k, warp);
		return;
	}
	w->op = NULL;
	k->ready &= ~bit;
	sm->slot[w->cta].running--;
	mk_barrier(sm, w->cta, now);
	mk_warp_end(sm, k, warp, now);
}

/* Opens the CTA's barrier when every warp that still runs has come to it. */
void mk_barrier(struct mk_sm *sm, uint32_t slot, uint64_t now)
{
	struct mk_slot *s = &sm->slot[slot];
	uint32_t per = sm->s->warps_per_cta;
	if (!s->arrived || s->arrived < s->running)
		return;
	s->arrived = 0;
	for (uint32_t hw = slot * per; hw < (slot + 1) * per; hw++) {
		struct mk_core *k = &sm->core[hw % sm->cores];
		struct mk_warp *w = &k->warp[hw / sm->cores];
		if (!w->live || !w->barrier)
			continue;
		w->barrier = 0;
		mk_check(k, hw / sm->cores);
		mk_wake(k, now + 1);
	}
}

/* What an instruction does to its warp besides using a unit. */
static void effects(struct mk_sm *sm, struct mk_warp *w, const struct ct_mk_op *op)
{
	switch (op->kind) {
	case CT_MK_BARRIER:
		w->barrier = 1;
		sm->slot[w->cta].arrived++;
		break;
	case CT_MK_MEMBAR:
		w->membar = w->flights != 0;
		break;
	case CT_MK_LDGDEPBAR:
		w->group++;
		while (w->group_done != w->group && !w->group_open[w->group_done % MK_GROUPS])
			w->group_done++;
		break;
	case CT_MK_DEPBAR:
		if (w->group >= op->groups_left)
			w->wait_group = w->group - op->groups_left;
		break;
	case CT_MK_ATOMIC:
		w->atomics++;
		break;
	case CT_MK_ASYNC:
		w->group_open[w->group % MK_GROUPS]++;
		break;
	default:
		break;
	}
}

static void mark_pending(struct mk_sm *sm, struct mk_warp *w, const struct ct_mk_op *op)
{
	const uint16_t *mark = sm->s->waits + op->wait;
	for (unsigned i = 0; i < op->nmark; i++) {
		uint64_t bit = mk_bit(mark[i] % 64);
		w->pending[mark[i] / 64] |= bit;
		if (op->slow)
			w->slow[mark[i] / 64] |= bit;
	}
}

static uint32_t memory_of(const struct mk_sm *sm, const struct ct_mk_op *op, uint32_t mem)
{
	if (mem || op->unit != CT_MK_U_MEM)
		return mem;
	return 1u << CT_MK_MEM_BITS | (op->slow ? sm->m->slow_latency : sm->m->shared_latency);
}

static void fill_collector(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                           int32_t flight, uint64_t now)
{
	struct mk_collector *o = &k->coll[c];
	o->flight = flight;
	o->since = now;
	o->order = sm->order++;
	o->unit = k->flight[flight].op->unit;
	k->held |= mk_bit(c);
	sm->c.slots += k->flight[flight].op->nsrc;
	o->left = sm->sys->kind == CT_MK_CCU ? mk_ccu_enter(sm, k, c, warp, &k->flight[flight])
	                                     : mk_sources(sm, k, c, warp, &k->flight[flight]);
	if (!o->left)
		k->full |= mk_bit(c);
}

/* The warp's next instruction goes; c: its collector, or MK_NONE. */
static void go(struct mk_sm *sm, struct mk_core *k, uint32_t warp, int32_t c, uint64_t now)
{
	struct mk_warp *w = &k->warp[warp];
	const struct ct_mk_op *op = w->op;
	const struct ct_mk_rec *rec = &w->w->rec[w->i];
	uint32_t slot = w->cta;
	sm->c.insts++;
	if (c != MK_NONE || op->nmark) {
		int32_t flight = mk_flight_new(sm, k);
		if (flight == MK_NONE)
			return;
		k->flight[flight] = (struct mk_flight){
			.op = op, .index = w->i, .life = w->life, .warp = (uint8_t)warp,
			.mem = memory_of(sm, op, rec->mem), .group = (uint16_t)(w->group % MK_GROUPS),
			.bits = sm->sys->bits == CT_MK_ORACLE && w->w->bits ? w->w->bits[w->i] : op->mask,
		};
		w->flights++;
		if (c != MK_NONE)
			fill_collector(sm, k, (uint32_t)c, warp, flight, now);
		else
			mk_schedule(sm, k, flight, now + op->latency + MK_PIPE);
	}
	mark_pending(sm, w, op);
	effects(sm, w, op);
	w->life += op->ndst;
	w->i++;
	mk_advance(sm, k, warp, now);
	if (op->kind == CT_MK_BARRIER)
		mk_barrier(sm, slot, now);
}

/* Finds a collector for an instruction of that warp (reading collector-allocation). */
static enum mk_outcome allocate(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t free,
                             int32_t *c)
{
	int32_t own = k->warp[warp].ccu;
	uint32_t *waited = sm->m->shared_counter ? &sm->waited : &k->waited;
	int32_t limit = sm->sys->sthld == CT_MK_STHLD_MACHINE ? sm->state->sthld.value : sm->sys->sthld;
	if (own != MK_NONE) {
		*c = own;
		return free >> own & 1 ? MK_ISSUED : MK_NEXT;
	}
	if (!free)
		return MK_NEXT;
	uint64_t far = mk_ccu_far(k, free);
	if (!far && *waited < (uint32_t)limit) {
		(*waited)++;
		sm->c.waits++;
		return MK_STALL; /* the issue slot waits: reading denied-warp */
	}
	if (!far)
		*waited = 0;
	*c = (int32_t)mk_any(sm, far ? far : free);
	return MK_ISSUED;
}

/* Collectors that only this warp may use. */
static uint64_t private_of(const struct mk_sm *sm, uint32_t warp)
{
	return (sm->depth == 64 ? UINT64_MAX : mk_bit(sm->depth) - 1) << warp * sm->depth;
}

enum mk_outcome mk_collector_for(struct mk_sm *sm, struct mk_core *k, uint32_t warp, int32_t *c)
{
	uint64_t free = sm->all & ~k->held, own;
	*c = MK_NONE;
	if (!sm->sys->collectors) {
		own = free & private_of(sm, warp);
		if (own)
			*c = (int32_t)ct_low_bit(own);
	} else if (sm->sys->kind == CT_MK_CCU && sm->sys->schedule == CT_MK_PRIORITY) {
		return allocate(sm, k, warp, free, c);
	} else if (free) {
		*c = (int32_t)mk_any(sm, free);
	}
	return *c == MK_NONE ? MK_NEXT : MK_ISSUED;
}

static enum mk_outcome attempt(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now)
{
	int32_t c = MK_NONE;
	enum mk_outcome out = MK_ISSUED;
	if (k->warp[warp].op->needs_collector)
		out = mk_collector_for(sm, k, warp, &c);
	if (out == MK_ISSUED) {
		k->greedy = warp;
		go(sm, k, warp, c, now);
	}
	return out;
}

static uint32_t oldest(const struct mk_core *k, uint64_t mask)
{
	uint32_t best = ct_low_bit(mask);
	for (mask &= mask - 1; mask; mask &= mask - 1) {
		uint32_t i = ct_low_bit(mask);
		if (k->warp[i].age < k->warp[best].age)
			best = i;
	}
	return best;
}

/* The next after the last that issued, in turn. */
static uint32_t in_turn(const struct mk_core *k, uint64_t mask)
{
	uint64_t after = k->greedy >= 63 ? 0 : mask & ~((UINT64_C(2) << k->greedy) - 1);
	return ct_low_bit(after ? after : mask);
}

static uint64_t owners(const struct mk_sm *sm, const struct mk_core *k)
{
	uint64_t mask = 0;
	if (!sm->sys->collectors) {
		for (uint64_t m = k->ready; m; m &= m - 1)
			if (k->warp[ct_low_bit(m)].ccu != MK_NONE)
				mask |= m & -m;
		return mask;
	}
	for (uint32_t c = 0; c < sm->ncoll; c++)
		if (k->table[c].owner != MK_NONE)
			mask |= mk_bit((uint32_t)k->table[c].owner);
	return mask;
}

static uint32_t pick(const struct mk_sm *sm, const struct mk_core *k, uint64_t mask, uint64_t own)
{
	if (sm->sys->schedule == CT_MK_TWO_LEVEL)
		return in_turn(k, mask);
	if (mask >> k->greedy & 1)
		return k->greedy;
	return oldest(k, mask & own ? mask & own : mask);
}

int mk_issue(struct mk_sm *sm, struct mk_core *k, uint64_t now)
{
	uint64_t rest = k->ready, own = 0;
	if (sm->sys->schedule == CT_MK_TWO_LEVEL)
		rest &= k->active;
	if (!sm->sys->collectors && sm->depth == 1)
		rest &= k->direct | ~k->held;
	else if (!(sm->all & ~k->held))
		rest &= k->direct;
	if (rest && sm->sys->schedule == CT_MK_PRIORITY)
		own = owners(sm, k);
	while (rest) {
		uint32_t warp = pick(sm, k, rest, own);
		enum mk_outcome out = attempt(sm, k, warp, now);
		if (out != MK_NEXT)
			return out == MK_ISSUED;
		rest &= ~mk_bit(warp);
	}
	return 0;
}
