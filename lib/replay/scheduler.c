/* Warp schedulers: which warp issues, and when its next instruction may. */
#include <string.h>

#include "base/bits.h"
#include "replay/private/parts.h"

#define RP_LATER (RP_NEVER - 1) /* not known yet, but not for a load from memory */

void rp_sched_begin(struct ct_replay *r, struct rp_sm *sm)
{
	for (uint32_t k = 0; k < RP_MAX_SCHEDULERS; k++)
		sm->sched_next[k] = RP_NEVER; /* also of those that there are not */
	for (uint32_t k = 0; k < r->g.schedulers; k++) {
		struct rp_sched *s = &sm->sched[k];
		uint32_t last = s->last;
		memset(s, 0, sizeof *s);
		s->last = last; /* the pointers survive a launch (accelsim-model.md 1) */
		sm->at_lsu[k] = RP_NO_INDEX;
		sm->lsu_takes[k] = RP_NEVER;
		s->far_next = RP_NEVER;
		for (uint32_t i = 0; i < RP_MAX_SLOTS; i++)
			s->at[i] = RP_NEVER;
	}
}

/* ---- when slots may issue ---- */

RP_HOT uint64_t rotate(uint64_t v, uint32_t left)
{
	left &= 63;
	return left ? v << left | v >> (64 - left) : v;
}

/* For cycles behind `upto`. */
RP_HOT void put(struct rp_sched *s, uint32_t slot, uint32_t at)
{
	uint64_t bit = UINT64_C(1) << slot;
	if (at - s->upto < 64) {
		s->wheel[at & 63] |= bit;
		s->wheel_bits |= UINT64_C(1) << (at & 63);
	} else {
		s->far |= bit;
		if (at < s->far_next)
			s->far_next = at;
	}
}

/* The slot may not issue until somebody says when. Where it was does not matter: what is
 * not there is not there afterwards either. */
RP_HOT void clear_slot(struct rp_sched *s, uint32_t slot)
{
	uint64_t bit = UINT64_C(1) << slot;
	uint32_t old = s->at[slot] & 63;
	s->ready &= ~bit;
	s->far &= ~bit;
	s->wheel[old] &= ~bit;
	s->wheel_bits &= ~((uint64_t)!s->wheel[old] << old);
	s->at[slot] = RP_NEVER;
}

/* The slot may issue from cycle `at` on. */
RP_HOT void set_slot(struct rp_sched *s, uint32_t slot, uint32_t at)
{
	clear_slot(s, slot);
	s->at[slot] = at;
	if (at <= s->upto)
		s->ready |= UINT64_C(1) << slot;
	else
		put(s, slot, at);
}

static void look_far(struct rp_sched *s)
{
	uint64_t far = s->far;
	s->far = 0;
	s->far_next = RP_NEVER;
	for (; far; far &= far - 1) {
		uint32_t i = ct_low_bit(far);
		if (s->at[i] <= s->upto)
			s->ready |= UINT64_C(1) << i;
		else
			put(s, i, s->at[i]);
	}
}

/* Moves on to cycle `now`: `ready` holds what may issue by then. */
RP_HOT void advance(struct rp_sched *s, uint32_t now)
{
	uint32_t n = now - s->upto;
	if (!n)
		return;
	uint64_t passed = n >= 64 ? s->wheel_bits
	                          : s->wheel_bits & rotate((UINT64_C(1) << n) - 1, s->upto + 1);
	s->wheel_bits &= ~passed;
	for (; passed; passed &= passed - 1) {
		uint32_t i = ct_low_bit(passed);
		s->ready |= s->wheel[i];
		s->wheel[i] = 0;
	}
	s->upto = now;
	if (s->far && s->far_next - now < 64)
		look_far(s);
	else if (s->far_next <= now)
		look_far(s);
}

/* The next cycle after `upto` in which another slot may issue, not later than that. */
RP_HOT uint32_t next_slot(const struct rp_sched *s)
{
	if (s->wheel_bits)
		return s->upto + 1 + ct_low_bit(rotate(s->wheel_bits, 63 - (s->upto & 63)));
	return s->far ? s->far_next : RP_NEVER;
}

/* Cycle at which the registers of the next instruction are there. */
RP_HOT uint32_t operands(const struct rp_warp *w, const uint32_t *regs)
{
	const struct rp_op *op = w->op;
	uint32_t t = rp_max32(regs[op->dep[0]], regs[op->dep[1]]);
	uint32_t u = rp_max32(regs[op->dep[2]], regs[op->dep[3]]);
	t = rp_max32(rp_max32(t, u), w->born);
	for (unsigned i = RP_PAD_DEP; i < op->ndep; i++)
		t = rp_max32(t, regs[op->dep[i]]);
	return t;
}

/* The same without those whose cycle is not known yet. */
static uint32_t known_operands(const struct rp_warp *w, const uint32_t *regs)
{
	uint32_t t = w->born;
	for (unsigned i = 0; i < w->op->ndep; i++) {
		uint32_t v = regs[w->op->dep[i]];
		if (v < RP_LATER && v > t)
			t = v;
	}
	return t;
}

/* The next instruction cannot issue before something else happens: t is RP_LATER or
 * RP_NEVER, or the warp waits for more than registers. */
static void lie_down(struct rp_sm *sm, uint32_t warp, uint32_t t)
{
	struct rp_warp *w = &sm->warp[warp];
	struct rp_sched *s = &sm->sched[w->sub];
	uint64_t bit = UINT64_C(1) << w->slot;
	int fetching = t == RP_NEVER || (int32_t)(w->group_done - w->wait_group) < 0;
	if (fetching && w->blocked_since == RP_NEVER)
		w->blocked_since = known_operands(w, sm->regs[warp]);
	if (fetching || w->at_barrier || w->membar || w->atomics)
		s->waiting |= bit;
	else
		s->waiting &= ~bit;
	clear_slot(s, w->slot);
}

/* Puts a warp with an instruction in the place that its operands give it. */
RP_HOT void wake(struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	struct rp_warp *w = &sm->warp[warp];
	uint32_t t = operands(w, sm->regs[warp]);
	if (t >= RP_LATER || w->at_barrier || w->membar || w->atomics ||
	    (int32_t)(w->group_done - w->wait_group) < 0) {
		lie_down(sm, warp, t);
		return;
	}
	struct rp_sched *s = &sm->sched[w->sub];
	s->waiting &= ~(UINT64_C(1) << w->slot);
	if (w->blocked_since != RP_NEVER) {
		if (t > w->blocked_since)
			sm->c.mem_stall_warp_cycles += t - w->blocked_since;
		w->blocked_since = RP_NEVER;
	}
	set_slot(s, w->slot, t);
	t = rp_max32(rp_max32(t, s->stepped), now);
	if (t < sm->sched_next[w->sub])
		sm->sched_next[w->sub] = t;
}

void rp_wake(struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	if (sm->warp[warp].op)
		wake(sm, warp, now);
}

static void release_barrier(struct ct_replay *r, struct rp_sm *sm, struct rp_cta *c, uint32_t now)
{
	uint32_t per = r->occ.warps_per_cta, first = (uint32_t)(c - sm->cta) * per;
	if (!c->arrived || c->arrived < c->running)
		return;
	c->arrived = 0;
	sm->released = 1;
	for (uint32_t w = first; w < first + per; w++)
		if (sm->warp[w].live && sm->warp[w].at_barrier) {
			sm->warp[w].at_barrier = 0;
			if (sm->warp[w].born < now)
				sm->warp[w].born = now;
			rp_wake(sm, w, now);
		}
}

void rp_warp_check_end(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	struct rp_warp *w = &sm->warp[warp];
	if (w->membar && !w->open) {
		/* MEMBAR waits for the scoreboard, then empties the L1 (accelsim-model.md 3) */
		uint32_t at = w->done > now + 1 ? w->done : now + 1;
		w->membar = 0;
		if (w->born < at)
			w->born = at;
		if (r->g.l1_flush && at < sm->wipe_at)
			sm->wipe_at = at;
		rp_wake(sm, warp, now);
	}
	if (w->op || !w->live || w->open || w->stores || w->atomics)
		return;
	struct rp_cta *c = &sm->cta[w->slot_cta];
	uint32_t end = w->done > now ? w->done : now;
	w->live = 0;
	sm->warps_live--;
	sm->c.resident_warp_cycles += end;
	if (end > c->end)
		c->end = end;
	if (--c->warps_left == 0) {
		c->free_at = c->end;
		if (c->free_at < sm->next_free)
			sm->next_free = c->free_at;
	}
}

RP_HOT int fetch(struct ct_replay *r, struct rp_sm *sm, uint32_t warp)
{
	struct rp_warp *w = &sm->warp[warp];
	struct ct_inst *inst = &sm->inst[warp];
	if (w->more) {
		w->more--;
		inst->sid++;
	} else {
		int st = ct_cursor_step(w->cursor, inst, &w->more, &r->error);
		if (st <= 0) {
			sm->failed |= st < 0;
			w->op = NULL;
			return 0;
		}
	}
	w->op = rp_op_at(r, inst->sid);
	if (!w->op)
		sm->failed = 1;
	return w->op != NULL;
}

int rp_warp_fetch(struct ct_replay *r, struct rp_sm *sm, uint32_t warp)
{
	return fetch(r, sm, warp);
}

/* Fetches the warp's next instruction. */
RP_HOT void next_inst(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	struct rp_warp *w = &sm->warp[warp];
	uint32_t slot = w->slot;
	struct rp_sched *s = &sm->sched[w->sub];
	uint64_t bit = UINT64_C(1) << slot;
	if (w->op)
		s->of_unit[w->op->unit] &= ~bit;
	if (fetch(r, sm, warp)) {
		s->of_unit[w->op->unit] |= bit;
		wake(sm, warp, now);
		return;
	}
	clear_slot(s, slot);
	struct rp_cta *c = &sm->cta[w->slot_cta];
	c->running--;
	release_barrier(r, sm, c, now);
	rp_warp_check_end(r, sm, warp, now);
}

void rp_warp_advance(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	next_inst(r, sm, warp, now);
}

RP_HOT void count(struct rp_sm *sm, const struct rp_op *op, const struct ct_inst *inst)
{
	struct ct_replay_counts *c = &sm->c;
	uint64_t lanes = inst->mask == UINT32_MAX ? 32 : ct_bits(inst->mask);
	c->warp_insts++;
	c->thread_insts += lanes;
	c->mem_insts += op->counts_mem;
	c->unit_insts[op->cls]++;
	c->global_requests += op->counts_global;
	c->global_lane_accesses += op->counts_global * lanes;
}

static void observe(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now)
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
		.inst = &sm->inst[warp],
		.first = !w->issued_any,
	};
	w->issued_any = 1;
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].issue)
			r->obs[i].issue(r->obs[i].ctx, &ev);
}

/* Kinds that do something to their warp besides using a unit, and what that is. */
enum {
	WITH_EFFECTS = 1 << RP_BARRIER | 1 << RP_MEMBAR | 1 << RP_LDGDEPBAR | 1 << RP_DEPBAR |
	               1 << RP_ATOMIC | 1 << RP_ASYNC
};

static void effects(struct rp_sm *sm, uint32_t warp, const struct rp_op *op, uint32_t mem)
{
	struct rp_warp *w = &sm->warp[warp];
	struct rp_cta *c = &sm->cta[w->slot_cta];
	switch (op->kind) {
	case RP_BARRIER:
		w->at_barrier = 1;
		c->arrived++;
		break;
	case RP_MEMBAR:
		w->membar = 1;
		break;
	case RP_LDGDEPBAR:
		w->group++;
		while (w->group_done != w->group && !w->group_open[w->group_done % RP_GROUPS])
			w->group_done++;
		break;
	case RP_DEPBAR:
		if (w->group >= (uint32_t)op->groups_left)
			w->wait_group = w->group - (uint32_t)op->groups_left;
		break;
	case RP_ATOMIC:
		w->atomics++;
		break;
	case RP_ASYNC:
		sm->mem[mem].group = w->group;
		w->group_open[w->group % RP_GROUPS]++;
		break;
	default:
		break;
	}
}

void rp_count_issue(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t now)
{
	count(sm, sm->warp[warp].op, &sm->inst[warp]);
	if (r->has_issue)
		observe(r, sm, warp, now);
}

static void issue(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t slot, uint32_t now)
{
	uint32_t warp = slot * r->g.schedulers + k, mem = RP_NO_INDEX, unknown = RP_LATER;
	struct rp_warp *w = &sm->warp[warp];
	const struct rp_op *op = w->op;
	uint32_t *regs = sm->regs[warp];
	count(sm, op, &sm->inst[warp]);
	if (r->has_issue)
		observe(r, sm, warp, now);
	w->born = now + 1;
	if (op->kind >= RP_LOAD) {
		mem = rp_mem_new(r, sm, warp, op, &sm->inst[warp], now);
		if (mem == RP_NO_INDEX)
			return;
		unknown = sm->mem[mem].shared ? RP_LATER : RP_NEVER;
		if (op->kind == RP_STORE)
			w->stores++; /* stands for its acknowledgements until it is taken */
		else
			w->open++;
	}
	regs[op->dst[0]] = regs[op->dst[1]] = unknown;
	for (unsigned i = RP_PAD_DST; i < op->ndst; i++)
		regs[op->dst[i]] = unknown;
	uint32_t special = WITH_EFFECTS >> op->kind & 1;
	if (special)
		effects(sm, warp, op, mem);
	rp_collect(r, sm, k, warp, op, mem, now);
	next_inst(r, sm, warp, now);
	if (special && op->kind == RP_BARRIER)
		release_barrier(r, sm, &sm->cta[w->slot_cta], now);
	else if (special && op->kind == RP_MEMBAR)
		rp_warp_check_end(r, sm, warp, now);
}

/* Loose round robin: from the one after the last that issued. */
RP_HOT uint32_t pick_lrr(const struct rp_sched *s, uint64_t mask)
{
	uint64_t after = s->last >= 63 ? 0 : mask & ~((UINT64_C(2) << s->last) - 1);
	return ct_low_bit(after ? after : mask);
}

/* Greedy then oldest: the last that issued, else the one launched first. */
static uint32_t pick_gto(const struct ct_replay *r, const struct rp_sm *sm, uint32_t k,
                         const struct rp_sched *s, uint64_t mask, int greedy)
{
	uint32_t best = ct_low_bit(mask);
	if (greedy && mask >> s->last & 1)
		return s->last;
	for (uint64_t m = mask; m; m &= m - 1) {
		uint32_t i = ct_low_bit(m);
		if (sm->warp[i * r->g.schedulers + k].age < sm->warp[best * r->g.schedulers + k].age)
			best = i;
	}
	return best;
}

RP_HOT uint32_t pick(const struct ct_replay *r, const struct rp_sm *sm, uint32_t k,
                     const struct rp_sched *s, uint64_t mask)
{
	if (r->g.scheduler == CT_SCHED_LRR)
		return pick_lrr(s, mask);
	switch (r->g.scheduler) {
	case CT_SCHED_GTO:
	case CT_SCHED_WARP_LIMIT: return pick_gto(r, sm, k, s, mask, 1);
	case CT_SCHED_OLDEST: return pick_gto(r, sm, k, s, mask, 0);
	default: return pick_lrr(s, mask);
	}
}

/* Slots of the mask whose kind of instruction the stage behind takes; lowers *next to when
 * it takes another. */
static uint64_t taken_on(const struct rp_sched *s, uint64_t mask, uint32_t now, uint32_t *next)
{
	for (uint32_t u = 0; u < RP_UNITS; u++)
		if (s->idoc_free[u] > now && (mask & s->of_unit[u])) {
			if (s->idoc_free[u] < *next)
				*next = s->idoc_free[u];
			mask &= ~s->of_unit[u];
		}
	return mask;
}

/* The slot to issue from when parts have a say, or -1. */
static int choose_with_parts(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint64_t mask,
                             uint32_t now)
{
	while (mask && !r->error.status) {
		int slot = r->parts->given.sched ? rp_part_pick(r, sm, k, mask, now)
		                                 : (int)pick(r, sm, k, &sm->sched[k], mask);
		if (slot < 0)
			return -1;
		uint32_t warp = (uint32_t)slot * r->g.schedulers + k;
		enum ct_issue_verdict v = rp_part_veto(r, sm, k, warp, now);
		if (v == CT_ISSUE_GO)
			return slot;
		if (v == CT_ISSUE_NONE)
			return -1;
		mask &= ~(UINT64_C(1) << slot);
	}
	return -1;
}

static void step_with_parts(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now)
{
	struct rp_sched *s = &sm->sched[k];
	const struct ct_sched_part *p = r->parts->given.sched;
	uint32_t next = RP_NEVER, later;
	advance(s, now);
	uint64_t mask = s->ready, can = taken_on(s, mask, now, &next);
	s->stepped = now + 1;
	sm->sched_next[k] = RP_NEVER;
	int slot = choose_with_parts(r, sm, k, can, now);
	if (slot >= 0) {
		issue(r, sm, k, (uint32_t)slot, now);
		s->last = (uint32_t)slot;
		s->vetoed = 0;
		if (p && p->issued)
			p->issued(p->part.ctx, r, sm->id, k, (uint32_t)slot, r->base + now);
		mask &= ~(UINT64_C(1) << slot);
	} else if (mask) {
		sm->c.issue_stall_cycles++;
		if (can && ++s->vetoed > RP_MAX_VETOES)
			rp_fail(r, CT_ERR_LIMIT, "a part lets no ready warp issue any more");
	}
	if (slot >= 0 ? mask : can)
		next = now + 1;
	later = next_slot(s);
	next = later < next ? later : next;
	if (next < sm->sched_next[k])
		sm->sched_next[k] = next;
}

void rp_sched_step(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now)
{
	struct rp_sched *s = &sm->sched[k];
	uint32_t next = RP_NEVER;
	if (r->core_parts) {
		step_with_parts(r, sm, k, now);
		return;
	}
	advance(s, now);
	uint64_t mask = s->ready, rest = mask;
	s->stepped = now + 1;
	sm->sched_next[k] = RP_NEVER;
	while (rest) {
		uint32_t slot = pick(r, sm, k, s, rest);
		uint32_t unit = sm->warp[slot * r->g.schedulers + k].op->unit;
		if (s->idoc_free[unit] > now) {
			if (s->idoc_free[unit] < next)
				next = s->idoc_free[unit];
			rest &= ~s->of_unit[unit];
			continue;
		}
		issue(r, sm, k, slot, now); /* lowers sched_next for the warps that it wakes */
		s->last = slot;
		if (mask & ~(UINT64_C(1) << slot))
			next = now + 1;
		break;
	}
	if (!rest && mask)
		sm->c.issue_stall_cycles++;
	uint32_t later = next_slot(s);
	if (later < next)
		next = later;
	if (next < sm->sched_next[k])
		sm->sched_next[k] = next;
}
