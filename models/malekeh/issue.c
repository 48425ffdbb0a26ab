/* Scoreboard, schedulers and the allocation of collectors. */
#include <string.h>

#include "models/malekeh/core_internal.h"

/* Whether the warp's next instruction may issue. */
void mk_check(struct mk_core *k, uint32_t warp)
{
	struct mk_warp *w = &k->warp[warp];
	const struct ct_mk_op *op = w->op;
	k->ready &= ~mk_bit(warp);
	if (!op || w->fetching || ct_warp_waits(&w->wait))
		return;
	const uint16_t *wait = k->sm->s->waits + op->wait;
	for (unsigned i = 0; i < op->nwait; i++)
		if (w->pending[wait[i] / 64] >> (wait[i] % 64) & 1)
			return;
	k->ready |= mk_bit(warp);
}

/* The warp stands before its next instruction, or ends. */
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
	if (!ct_barrier_opens(&s->arrived, s->running))
		return;
	for (uint32_t hw = slot * per; hw < (slot + 1) * per; hw++) {
		struct mk_core *k = &sm->core[hw % sm->cores];
		struct mk_warp *w = &k->warp[hw / sm->cores];
		if (!w->live || !w->wait.at_barrier)
			continue;
		w->wait.at_barrier = 0;
		mk_check(k, hw / sm->cores);
		mk_wake(k, now + 1);
	}
}

/* What an instruction does to its warp besides using a unit. A fence waits for what is in flight before
 * it. */
static void take_effect(struct mk_sm *sm, struct mk_warp *w, const struct ct_mk_op *op)
{
	static const uint8_t effect[] = {
		[CT_MK_COMPUTE] = CT_EFFECT_NONE,
		[CT_MK_LOAD] = CT_EFFECT_NONE,
		[CT_MK_STORE] = CT_EFFECT_NONE,
		[CT_MK_ATOMIC] = CT_EFFECT_ATOMIC,
		[CT_MK_ASYNC] = CT_EFFECT_COPY,
		[CT_MK_BARRIER] = CT_EFFECT_BARRIER,
		[CT_MK_MEMBAR] = CT_EFFECT_FENCE,
		[CT_MK_DEPBAR] = CT_EFFECT_WAIT_GROUPS,
		[CT_MK_LDGDEPBAR] = CT_EFFECT_CLOSE_GROUP,
	};
	ct_warp_effect(&w->wait, (enum ct_warp_effect)effect[op->kind], op->groups_left);
	if (op->kind == CT_MK_BARRIER)
		sm->slot[w->cta].arrived++;
	else if (op->kind == CT_MK_MEMBAR)
		w->wait.fence = w->flights != 0;
	else if (op->kind == CT_MK_LDGDEPBAR)
		ct_warp_complete_groups(&w->wait);
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

/* The instruction takes collector c: its sources are asked for. */
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
static void issue_next(struct mk_sm *sm, struct mk_core *k, uint32_t warp, int32_t c, uint64_t now)
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
			.op = op,
			.index = w->i,
			.life = w->life,
			.warp = (uint8_t)warp,
			.mem = memory_of(sm, op, rec->mem),
			.group = (uint16_t)(w->wait.group % CT_WARP_GROUPS),
			.bits = sm->sys->bits == CT_MK_ORACLE && w->w->bits ? w->w->bits[w->i]
		                                                            : op->mask,
		};
		w->flights++;
		if (c != MK_NONE)
			fill_collector(sm, k, (uint32_t)c, warp, flight, now);
		else
			mk_schedule(sm, k, flight, now + op->latency + MK_PIPE);
	}
	mark_pending(sm, w, op);
	take_effect(sm, w, op);
	if (sm->sys->kind == CT_MK_LTRF)
		mk_note_written(sm, w);
	w->life += op->ndst;
	w->i++;
	mk_advance(sm, k, warp, now);
	if (op->kind == CT_MK_BARRIER)
		mk_barrier(sm, slot, now);
}

/* Finds a collector for an instruction of that warp (reading collector-allocation). */
static enum mk_outcome
allocate_collector(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t free, int32_t *c)
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
static uint64_t private_collectors(const struct mk_sm *sm, uint32_t warp)
{
	return (sm->depth == 64 ? UINT64_MAX : mk_bit(sm->depth) - 1) << warp * sm->depth;
}

/* Of these collectors those that the instruction may use: some are for memory instructions alone. */
static uint64_t collectors_of(const struct mk_sm *sm, const struct ct_mk_op *op, uint64_t free)
{
	if (!sm->sys->memory)
		return free;
	const uint64_t others = mk_bit(sm->sys->collectors) - 1;
	return free & (op->unit == CT_MK_U_MEM ? ~others : others);
}

enum mk_outcome mk_collector_for(struct mk_sm *sm, struct mk_core *k, uint32_t warp,
                                 const struct ct_mk_op *op, int32_t *c)
{
	uint64_t free = collectors_of(sm, op, mk_free_collectors(sm, k)), own;
	*c = MK_NONE;
	if (!sm->sys->collectors) {
		own = free & private_collectors(sm, warp);
		if (own)
			*c = (int32_t)ct_low_bit(own);
	} else if (sm->sys->kind == CT_MK_CCU && sm->sys->schedule == CT_MK_PRIORITY) {
		return allocate_collector(sm, k, warp, free, c);
	} else if (free) {
		*c = (int32_t)mk_any(sm, free);
	}
	return *c == MK_NONE ? MK_NEXT : MK_ISSUED;
}

/* The warp's next instruction issues if a collector takes it. */
static enum mk_outcome try_to_issue(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now)
{
	int32_t c = MK_NONE;
	enum mk_outcome out = MK_ISSUED;
	if (k->warp[warp].op->needs_collector)
		out = mk_collector_for(sm, k, warp, k->warp[warp].op, &c);
	if (out == MK_ISSUED) {
		k->greedy = warp;
		issue_next(sm, k, warp, c, now);
	}
	return out;
}

/* Whether a warp's collector has data (reading priority-data). */
static int has_data(const struct mk_sm *sm, const struct mk_core *k, int32_t collector)
{
	if (collector == MK_NONE || sm->sys->data == CT_MK_DATA_OWNER)
		return collector != MK_NONE;
	const struct mk_table *t = &k->table[collector];
	return (t->valid & (sm->sys->data == CT_MK_DATA_ANY ? t->valid : t->near)) != 0;
}

uint64_t mk_owners(const struct mk_sm *sm, const struct mk_core *k, uint64_t warps)
{
	uint64_t own = 0;
	if (!sm->sys->collectors) {
		for (uint64_t m = warps; m; m &= m - 1)
			if (has_data(sm, k, k->warp[ct_low_bit(m)].ccu))
				own |= m & -m;
		return own;
	}
	for (uint32_t c = 0; c < sm->ncoll; c++)
		if (k->table[c].owner != MK_NONE && has_data(sm, k, (int32_t)c))
			own |= mk_bit((uint32_t)k->table[c].owner);
	return own & warps;
}

/* Two levels and round robin: in turn. Else greedy, then the oldest of those that own a cache table (`own`, 0 where that
 * does not count), then the oldest. */
static uint32_t pick_warp(const struct mk_sm *sm, const struct mk_core *k, uint64_t mask, uint64_t own)
{
	if (sm->sys->schedule == CT_MK_TWO_LEVEL || sm->sys->schedule == CT_MK_IN_TURN)
		return ct_pick_in_turn(mask, k->greedy);
	return ct_pick_greedy(mask, k->greedy, own, &k->warp[0].age, sizeof *k->warp);
}

/* Tries the ready warps in the order of the schedule until one issues or the issue slot waits; those whose
 * next instruction finds no collector for certain are left out. */
int mk_issue(struct mk_sm *sm, struct mk_core *k, uint64_t now)
{
	uint64_t rest = k->ready, own = 0;
	if (sm->sys->schedule == CT_MK_TWO_LEVEL)
		rest &= k->active;
	if (!sm->sys->collectors && sm->depth == 1)
		rest &= k->direct | ~k->held;
	else if (!mk_free_collectors(sm, k))
		rest &= k->direct;
	if (rest && sm->sys->schedule == CT_MK_PRIORITY)
		own = mk_owners(sm, k, k->ready);
	while (rest) {
		uint32_t warp = pick_warp(sm, k, rest, own);
		enum mk_outcome out = try_to_issue(sm, k, warp, now);
		if (out != MK_NEXT)
			return out == MK_ISSUED;
		rest &= ~mk_bit(warp);
	}
	return 0;
}
