#include "models/malekeh/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hot.h"
#include "base/mem.h"
#include "models/malekeh/core_internal.h"
#include "models/malekeh/planned.h"
#include "replay/scheduling.h"

/* What a hardware warp has in flight: by register, serial << 1 | near of the instruction
 * that will write it. Under RFC SLOW and UNUSED of the result; of SW-RFC and LTRF see planned.h. */
struct pw {
	uint64_t key;
	uint32_t insts;
	uint32_t near[256];
	struct mk_planned planned;
};

enum { SLOW = 1, UNUSED = 2 /* comes from memory; nothing reads it */ };

/* A sub-core of the engine's. */
struct pcore {
	struct mk_sm *sm; /* the model's, whose banks, collectors and tables it uses */
	struct mk_core *k;
	uint64_t token[MK_SLOTS]; /* by collector */
	struct mk_flight flight[MK_SLOTS];
	uint64_t needs; /* warps whose next instruction was found to need a collector, until it issues */
	int32_t chosen; /* by the veto, for the take that follows; */
	const struct ct_mk_op *asked; /* the instruction that it was for, or NULL */
	uint32_t serial, granted_serial;
	uint64_t granted_at;   /* cycle + 1 of the last results at a port, */
	uint32_t granted_warp; /* whose they were and whether they got in */
	int granted;
	struct pw *warp;
};

struct ct_mk_parts {
	struct ct_collector_part col;
	struct ct_sched_part sched;
	struct ct_replay_parts table;
	struct ct_mk_system sys;
	const struct ct_mk_masks *masks;
	struct ct_gpu g;
	struct ct_mk_machine machine;
	struct ct_mk_state state;
	struct ct_mk_stream ops; /* static instructions of the launch */
	struct mk_sm **sm;
	struct pcore *core; /* sm * schedulers + scheduler */
	uint32_t shift;     /* log2 of the schedulers of an SM; 32: they are no power of two */
	int has_plan;       /* ct_mk_needs_plan() of the system */
	int marks; /* something keeps results besides the banks, and part_write() has to know of them */
	size_t launch;  /* launches begun */
	uint64_t insts; /* at the last tick */
};

int ct_mk_parts_can(const struct ct_mk_system *s)
{
	return !s->monolithic && (s->bits == CT_MK_PROFILE || !ct_mk_needs_bits(s));
}

/* The slot of a warp in its scheduler. */
static CT_INLINE uint32_t slot_of(const struct ct_mk_parts *p, uint32_t warp)
{
	return p->shift < 32 ? warp >> p->shift : warp / p->g.schedulers;
}

static CT_INLINE struct pcore *pcore_at(const struct ct_mk_parts *p, uint32_t sm, uint32_t sched)
{
	return &p->core[(size_t)sm * p->g.schedulers + sched];
}

static const struct ct_mk_op *op_of(struct ct_mk_parts *p, struct ct_replay *r, const struct ct_issue *q)
{
	const struct ct_mk_op *op = ct_mk_stream_op(&p->ops, &p->g, q->sid, q->sinst);
	if (!op)
		ct_part_fail(r, CT_ERR_NOMEM, "out of memory");
	return op;
}

/* A slot has another warp than before: the old one's values are dead. */
static CT_NOINLINE void meet_warp(const struct ct_mk_parts *p, struct pcore *c, uint32_t slot,
                                  uint64_t key)
{
	struct mk_core *k = c->k;
	struct pw *w = &c->warp[slot];
	if (k->table)
		mk_ccu_end(k, slot);
	if (k->sm->sys->kind == CT_MK_BOC)
		memset(k->warp[slot].last, 0, sizeof k->warp[slot].last);
	k->warp[slot].used = 0;
	memset(w, 0, p->marks ? sizeof *w : offsetof(struct pw, near));
	w->key = key + 1;
	c->needs &= ~mk_bit(slot);
}

/* LTRF: whether the interval of the warp's next instruction is in the cache. */
static int is_fetched(struct ct_mk_parts *p, struct ct_replay *r, const struct ct_issue *q,
                      const struct ct_mk_op *op, uint64_t cycle)
{
	struct pcore *c = pcore_at(p, q->sm, q->sched);
	struct mk_sm *sm = c->sm;
	struct mk_core *k = c->k;
	uint32_t slot = slot_of(p, q->warp);
	struct pw *w = &c->warp[slot];
	int ready = mk_planned_ready(sm, k, slot, &w->planned, op,
	                             ct_mk_code_at(p->masks, p->launch - 1, q->sid), w->insts, cycle);
	if (sm->failed)
		ct_part_fail(r, sm->failed, "out of memory");
	if (!ready)
		ct_collector_clock(r, q->sm, q->sched, cycle + 1);
	return ready;
}

/* A warp may issue when its instruction needs no collector or one is found for it; which one is kept
 * for part_take(), which follows at once. */
static enum ct_issue_verdict part_veto(void *ctx, struct ct_replay *r, const struct ct_issue *q,
                                       uint64_t cycle)
{
	struct ct_mk_parts *p = ctx;
	struct pcore *c = pcore_at(p, q->sm, q->sched);
	struct mk_core *k = c->k;
	uint32_t slot = slot_of(p, q->warp);
	const struct ct_mk_op *op = c->asked = op_of(p, r, q);
	c->chosen = MK_NONE;
	if (!op)
		return CT_ISSUE_NONE;
	if (c->warp[slot].key != q->warp_key + 1)
		meet_warp(p, c, slot, q->warp_key);
	if (p->sys.kind == CT_MK_LTRF && !is_fetched(p, r, q, op, cycle))
		return CT_ISSUE_NEXT;
	if (!op->needs_collector)
		return CT_ISSUE_GO;
	c->needs |= mk_bit(slot);
	enum mk_outcome out = mk_collector_for(c->sm, k, slot, op, &c->chosen);
	return out == MK_ISSUED ? CT_ISSUE_GO : out == MK_NEXT ? CT_ISSUE_NEXT : CT_ISSUE_NONE;
}

/* RFC: values that the instruction is the last to read are not written to the banks when they leave (reading
 * written-victims). */
static void kill_values(struct mk_sm *sm, struct mk_core *k, uint32_t slot, const struct ct_mk_op *op,
                        const struct ct_mk_code_op *code)
{
	for (unsigned i = 0; code && i < op->nsrc && i < CT_MK_PLAN_SLOTS; i++)
		if (!(code->alive >> i & 1))
			mk_rfc_kill(k, slot, sm->s->reads[op->src + i]);
}

/* What part_write() has to know of result n. */
static uint32_t mark_of(const struct ct_mk_parts *p, const struct mk_flight *f, unsigned n,
                        uint32_t serial, const struct ct_mk_code_op *code)
{
	uint32_t bit = CT_MK_BIT_DST + n;
	if (p->sys.kind == CT_MK_RFC)
		return (f->op->slow ? SLOW : 0u) |
		       (code && n < CT_MK_PLAN_SLOTS && !(code->used >> n & 1) ? UNUSED : 0u);
	return serial << 1 | (bit < CT_MK_BIT_COUNT && (f->bits >> bit & 1));
}

/* Asks for the sources; how many the banks have to bring. */
static uint32_t ask_sources(struct ct_mk_parts *p, struct mk_sm *sm, struct mk_core *k, uint32_t i,
                            struct pw *w, const struct mk_flight *f, const struct ct_mk_code_op *code)
{
	if (p->has_plan)
		return mk_planned_take(sm, k, i, f->warp, &w->planned, f->op, code, w->near);
	if (sm->sys->kind == CT_MK_CCU)
		return mk_ccu_enter(sm, k, i, f->warp, f);
	uint32_t asked = mk_sources(sm, k, i, f->warp, f);
	if (sm->sys->kind == CT_MK_RFC)
		kill_values(sm, k, f->warp, f->op, code);
	return asked;
}

/* The instruction enters the collector that part_veto() found: its results are marked near or far for
 * the writes to come, and its operands are asked for. Without a collector it is done at once. */
static void part_take(void *ctx, struct ct_replay *r, const struct ct_issue *q, uint64_t cycle)
{
	struct ct_mk_parts *p = ctx;
	struct pcore *c = pcore_at(p, q->sm, q->sched);
	struct mk_sm *sm = c->sm;
	struct mk_core *k = c->k;
	uint32_t slot = slot_of(p, q->warp), i = (uint32_t)c->chosen;
	const struct ct_mk_op *op = c->asked;
	uint32_t index = c->warp[slot].insts++;
	sm->c.insts++;
	c->needs &= ~mk_bit(slot);
	struct pw *w = &c->warp[slot];
	if (!op || c->chosen == MK_NONE) {
		if (op && p->has_plan)
			mk_planned_take(sm, k, 0, slot, &w->planned, op, NULL, w->near);
		ct_collector_done(r, q->sm, q->sched, q->token, cycle + 1);
		return;
	}
	struct mk_flight *f = &c->flight[i];
	*f = (struct mk_flight){.op = op,
	                        .index = index,
	                        .warp = (uint8_t)slot,
	                        .bits = ct_mk_mask_of(p->masks, p->launch - 1, q->sid)};
	c->serial++;
	const struct ct_mk_code_op *code = ct_mk_code_at(p->masks, p->launch - 1, q->sid);
	for (unsigned n = 0; n < op->ndst && p->marks; n++)
		w->near[p->ops.writes[op->dst + n]] = mark_of(p, f, n, c->serial, code);
	c->token[i] = q->token;
	k->coll[i].since = cycle;
	k->held |= mk_bit(i);
	sm->c.slots += op->nsrc;
	k->coll[i].left = ask_sources(p, sm, k, i, w, f, code);
	if (sm->failed)
		ct_part_fail(r, sm->failed, "out of memory");
	if (k->coll[i].left)
		ct_collector_clock(r, q->sm, q->sched, cycle + 1);
	else
		ct_collector_done(r, q->sm, q->sched, q->token, cycle + 1);
}

/* The collector of the mask whose instruction issued first. */
static uint32_t oldest_of(const struct mk_core *k, uint64_t mask)
{
	uint32_t best = ct_low_bit(mask);
	for (mask &= mask - 1; mask; mask &= mask - 1)
		if (k->coll[ct_low_bit(mask)].since < k->coll[best].since)
			best = ct_low_bit(mask);
	return best;
}

static uint64_t clock_banks(void *ctx, struct ct_replay *r, uint32_t smi, uint32_t sched, uint64_t cycle)
{
	struct ct_mk_parts *p = ctx;
	const struct pcore *c = pcore_at(p, smi, sched);
	struct mk_core *k = c->k;
	mk_step_banks(c->sm, k, cycle);
	uint64_t full = k->full;
	k->full = 0;
	while (full) {
		uint32_t i = oldest_of(k, full);
		full &= ~mk_bit(i);
		ct_collector_done(r, smi, sched, c->token[i], cycle + 1);
	}
	return k->reads ? cycle + 1 : CT_NO_CYCLE;
}

/* The instruction has left for its unit: its collector is free, with what its table holds. */
static void part_left(void *ctx, struct ct_replay *r, uint32_t smi, uint32_t sched, uint64_t token,
                      uint64_t at)
{
	struct ct_mk_parts *p = ctx;
	const struct pcore *c = pcore_at(p, smi, sched);
	struct mk_core *k = c->k;
	(void)r;
	for (uint64_t m = k->held; m; m &= m - 1) {
		uint32_t i = ct_low_bit(m);
		if (c->token[i] != token)
			continue;
		k->held &= ~mk_bit(i);
		c->sm->c.collected++;
		c->sm->c.collect_cycles += at - k->coll[i].since;
		if (k->table)
			mk_ccu_leave(k, i);
		return;
	}
}

/* One register of a result: the port is asked for once for each instruction. */
static void part_write(void *ctx, struct ct_replay *r, uint32_t smi, uint32_t sched, uint32_t warp,
                       uint32_t reg, uint64_t cycle)
{
	struct ct_mk_parts *p = ctx;
	struct pcore *c = pcore_at(p, smi, sched);
	struct mk_sm *sm = c->sm;
	struct mk_core *k = c->k;
	uint32_t slot = slot_of(p, warp);
	uint32_t mark = p->marks ? c->warp[slot].near[reg & 255] : 0;
	int near = (int)(mark & 1);
	(void)r;
	sm->c.results++;
	if (p->has_plan) {
		mk_planned_write(sm, k, slot, &c->warp[slot].planned, (uint8_t)reg, mark, cycle);
		return;
	}
	if (sm->sys->kind == CT_MK_RFC) {
		mk_rfc_put(sm, k, slot, (uint8_t)reg, near, mark & UNUSED ? 0 : UINT32_MAX, cycle);
		return;
	}
	mk_bank_write(sm, k, slot, reg, cycle);
	if (!k->table) {
		sm->c.cache_writes += sm->sys->kind == CT_MK_BOC && k->warp[slot].last[reg & 255] &&
		                      c->warp[slot].insts + 1 - k->warp[slot].last[reg & 255] <=
		                              sm->sys->window;
		return;
	}
	if ((near || sm->sys->lru) &&
	    (c->granted_at != cycle + 1 || c->granted_serial != mark >> 1 || c->granted_warp != slot)) {
		c->granted = mk_ccu_port(sm, k, slot, cycle);
		c->granted_at = cycle + 1;
		c->granted_serial = mark >> 1;
		c->granted_warp = slot;
	}
	mk_ccu_put(sm, k, slot, (uint8_t)reg, near, c->granted);
}

static void part_kernel(void *ctx, struct ct_replay *r, const struct ct_kernel *kernel, uint64_t cycle)
{
	struct ct_mk_parts *p = ctx;
	(void)r;
	(void)cycle;
	if (!kernel)
		return;
	ct_mk_stream_reset(&p->ops);
	p->launch++;
}

/* The machine's step, on the IPC of all SMs (reading machine-ipc). */
static void part_tick(void *ctx, struct ct_replay *r, const struct ct_part_counts *n)
{
	struct ct_mk_parts *p = ctx;
	(void)r;
	if (!p->machine.sthld)
		return;
	ct_mk_sthld_step(p->machine.sthld, &p->state.sthld,
	                 (double)(n->warp_insts - p->insts) / p->machine.interval);
	p->insts = n->warp_insts;
	p->sm[0]->c.sthld_intervals++;
	p->sm[0]->c.sthld_sum += (uint64_t)p->state.sthld.value;
}

/* No collector is free: which warp asks makes no difference. Not where asking changes which warps are active. */
static int part_full(void *ctx, uint32_t smi, uint32_t sched)
{
	const struct ct_mk_parts *p = ctx;
	const struct pcore *c = pcore_at(p, smi, sched);
	return p->sys.collectors && p->sys.schedule != CT_MK_TWO_LEVEL &&
	       !mk_free_collectors(c->sm, c->k);
}

/* Of the warps that are known to need a collector those that the veto would certainly refuse: their own one is in use, or
 * all are. With few collectors that is most warps, in most cycles. Not where asking changes which warps are active. */
static uint64_t part_refused(void *ctx, uint32_t smi, uint32_t sched)
{
	struct ct_mk_parts *p = ctx;
	const struct pcore *c = pcore_at(p, smi, sched);
	const struct mk_core *k = c->k;
	uint64_t busy = 0, needs = c->needs;
	if (!needs || !p->sys.collectors || p->sys.schedule == CT_MK_TWO_LEVEL)
		return 0;
	if (!mk_free_collectors(c->sm, k))
		return needs;
	for (uint64_t m = p->sys.schedule == CT_MK_PRIORITY ? k->held : 0; m; m &= m - 1) {
		int32_t owner = k->table[ct_low_bit(m)].owner;
		busy |= owner == MK_NONE ? 0 : mk_bit((uint32_t)owner);
	}
	return needs & busy;
}

/* Reading warp-priority: the last warp, those with data, the others; the oldest of each. */
static int part_pick(void *ctx, struct ct_replay *r, const struct ct_sched_view *v, uint64_t cycle)
{
	struct ct_mk_parts *p = ctx;
	const struct pcore *c = pcore_at(p, v->sm, v->sched);
	(void)cycle;
	if (v->last < 64 && (v->ready >> v->last & 1))
		return (int)v->last;
	uint64_t own = mk_owners(c->sm, c->k, v->ready);
	return (int)ct_sched_oldest(r, v->sm, v->sched, own ? own : v->ready);
}

/* Reading two-level: a warp that waits for memory, a barrier or a fence leaves the active ones, with its
 * values; the oldest that is ready takes its place. Active ones issue in turn. */
static int part_pick_active(void *ctx, struct ct_replay *r, const struct ct_sched_view *v,
                            uint64_t cycle)
{
	struct ct_mk_parts *p = ctx;
	struct pcore *c = pcore_at(p, v->sm, v->sched);
	struct mk_sm *sm = c->sm;
	struct mk_core *k = c->k;
	for (uint64_t m = k->active & (v->fetching | ~v->live); m; m &= m - 1) {
		uint32_t slot = ct_low_bit(m);
		sm->c.demotions++;
		if (!(v->live >> slot & 1)) { /* its values are dead */
			k->warp[slot].used = 0;
			continue;
		}
		mk_rfc_empty(sm, k, slot, cycle);
		mk_planned_leave(sm, k, slot, &c->warp[slot].planned, cycle);
	}
	k->active &= v->live & ~v->fetching;
	uint64_t pending = v->ready & ~k->active;
	for (; pending && ct_bits(k->active) < p->sys.active; pending &= ~k->active)
		k->active |= mk_bit(ct_sched_oldest(r, v->sm, v->sched, pending));
	return k->active & v->ready ? (int)ct_pick_in_turn(k->active & v->ready, v->last) : -1;
}

/* The sub-core model's SM, of which the parts use banks, collectors and tables; warps own no collector
 * at first. */
static int build_sm(struct ct_mk_parts *p, uint32_t i, struct ct_error *e)
{
	const uint32_t warps = ct_gpu_max_warps(&p->g);
	const uint32_t slots = (warps + p->g.schedulers - 1) / p->g.schedulers;
	struct mk_sm *sm = ct_calloc(1, sizeof *sm);
	p->sm[i] = sm;
	if (!sm)
		return ct_fail_nomem(e);
	sm->s = &p->ops;
	sm->sys = &p->sys;
	sm->m = &p->machine;
	sm->state = &p->state;
	int st = mk_sm_size(sm, warps, e);
	if (st == CT_OK)
		st = mk_sm_build(sm, e);
	for (uint32_t k = 0; k < p->g.schedulers && st == CT_OK; k++) {
		struct pcore *c = pcore_at(p, i, k);
		c->sm = sm;
		c->k = &sm->core[k];
		c->chosen = MK_NONE;
		for (uint32_t w = 0; w < slots; w++)
			c->k->warp[w].ccu = MK_NONE;
		if (!(c->warp = ct_calloc(slots, sizeof *c->warp)))
			st = ct_fail_nomem(e);
	}
	return st;
}

int ct_mk_parts_new(struct ct_mk_parts **out, const struct ct_mk_system *s, const struct ct_gpu *g,
                    const struct ct_mk_params *params, const struct ct_mk_masks *masks,
                    const struct ct_mk_sthld_table *sthld, uint64_t seed, struct ct_error *e)
{
	struct ct_mk_system sys;
	struct ct_mk_parts *p;
	*out = NULL;
	ct_mk_apply(params, g, s, &sys);
	if (!ct_mk_parts_can(&sys))
		return ct_fail(e, CT_ERR_UNSUPPORTED, "%s is not replayed in the full engine", s->name);
	if (!(p = ct_calloc(1, sizeof *p)))
		return ct_fail_nomem(e);
	p->sys = sys;
	p->has_plan = ct_mk_needs_plan(&sys);
	p->marks = p->has_plan || sys.kind == CT_MK_CCU || sys.kind == CT_MK_RFC;
	p->g = *g;
	p->shift = g->schedulers & (g->schedulers - 1) ? 32 : ct_high_bit(g->schedulers);
	p->masks = masks;
	ct_mk_machine_of(g, &p->machine);
	p->machine.sthld = sthld;
	ct_mk_apply_machine(params, &p->machine);
	ct_mk_state_start(&p->state, &p->machine, seed);
	p->sm = ct_calloc(g->sms, sizeof *p->sm);
	p->core = ct_calloc((size_t)g->sms * g->schedulers, sizeof *p->core);
	int st = p->sm && p->core ? CT_OK : ct_fail_nomem(e);
	for (uint32_t i = 0; i < g->sms && st == CT_OK; i++)
		st = build_sm(p, i, e);
	if (st != CT_OK) {
		ct_mk_parts_free(p);
		return st;
	}
	p->col = (struct ct_collector_part){
		.part = {.ctx = p,
	                 .kernel = part_kernel,
	                 .tick = part_tick,
	                 .interval = p->machine.interval},
		.veto = part_veto,
		.full = part_full,
		.refused = part_refused,
		.take = part_take,
		.left = part_left,
		.write = part_write,
		.clock = clock_banks};
	p->sched = (struct ct_sched_part){.part = {.ctx = p}, .pick = part_pick};
	p->table.collector = &p->col;
	if (s->schedule == CT_MK_TWO_LEVEL)
		p->sched.pick = part_pick_active;
	if (s->schedule != CT_MK_GTO)
		p->table.sched = &p->sched;
	*out = p;
	return CT_OK;
}

const struct ct_replay_parts *ct_mk_parts_table(const struct ct_mk_parts *p)
{
	return &p->table;
}

void ct_mk_parts_counts(const struct ct_mk_parts *p, struct ct_mk_counts *c)
{
	memset(c, 0, sizeof *c);
	for (uint32_t i = 0; i < p->g.sms; i++)
		ct_mk_counts_add(c, &p->sm[i]->c);
}

void ct_mk_parts_free(struct ct_mk_parts *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; p->sm && i < p->g.sms; i++)
		mk_sm_free(p->sm[i]);
	for (size_t i = 0; p->core && i < (size_t)p->g.sms * p->g.schedulers; i++)
		free(p->core[i].warp);
	free(p->sm);
	free(p->core);
	ct_mk_stream_free(&p->ops);
	free(p);
}
