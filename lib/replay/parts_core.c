/* Operand collectors as a part: from issue to the unit, register writes, clocks. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/parts.h"

static unsigned add_registers(uint8_t *out, unsigned n, ct_reg reg, unsigned width)
{
	if (CT_REG_KIND(reg) != CT_REG_R || reg == CT_REG_RZ)
		return n;
	for (unsigned i = 0; i < (width ? width : 1) && n < CT_MAX_OPERANDS; i++)
		out[n++] = (uint8_t)(CT_REG_INDEX(reg) + i);
	return n;
}

void ct_operands_of(const struct ct_sinst *s, struct ct_operands *o)
{
	unsigned r = 0, w = 0;
	memset(o, 0, sizeof *o);
	for (unsigned i = 0; i < s->nsrc; i++)
		r = add_registers(o->read, r, s->src[i], s->src_regs[i]);
	for (unsigned i = 0; i < s->ndst; i++)
		w = add_registers(o->write, w, s->dst[i], s->dst_regs[i]);
	o->nread = (uint8_t)r;
	o->nwrite = (uint8_t)w;
}

static CT_NOINLINE const struct ct_operands *new_operands(struct ct_replay *r, uint32_t sid)
{
	struct rp_parts *p = r->parts;
	size_t cap = p->operands_cap;
	if (ct_grow((void **)&p->operands, &cap, (size_t)sid + 1, sizeof *p->operands) < 0) {
		rp_fail(r, CT_ERR_NOMEM, "out of memory");
		return NULL;
	}
	p->operands_cap = cap;
	for (; p->noperands <= sid; p->noperands++)
		ct_operands_of(ct_code_at(r->code, p->noperands), &p->operands[p->noperands]);
	return &p->operands[sid];
}

/* Operands are worked out once for each static instruction of a launch. */
static CT_INLINE const struct ct_operands *operands_at(struct ct_replay *r, uint32_t sid)
{
	return sid < r->parts->noperands ? &r->parts->operands[sid] : new_operands(r, sid);
}

/* Describes the instruction that a warp is about to issue to the part, until another one is. NULL: no memory was left for
 * its operands. */
static struct ct_issue *issue_of(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t warp)
{
	const struct ct_inst *inst = &sm->next[warp].inst;
	struct ct_issue *q = &r->parts->issue;
	*q = (struct ct_issue){
		.sm = sm->id,
		.sched = k,
		.warp = warp,
		.warp_key = sm->warp[warp].key,
		.sid = inst->sid,
		.sinst = sm->warp[warp].op->s,
		.inst = inst,
		.operands = operands_at(r, inst->sid),
	};
	r->parts->node = sm->id;
	r->parts->now = r->base + sm->now;
	return q->operands ? q : NULL;
}

enum ct_issue_verdict rp_part_veto(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t warp,
                                   uint32_t now)
{
	const struct ct_collector_part *c = r->collector_part;
	if (!c || !c->veto)
		return CT_ISSUE_GO;
	const struct ct_issue *q = issue_of(r, sm, k, warp);
	return q ? c->veto(c->part.ctx, r, q, r->base + now) : CT_ISSUE_NONE;
}

/* The veto, where there is one, has just been asked about the same instruction. */
void rp_part_collect(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t warp,
                     const struct rp_op *op, uint32_t mem, uint32_t now)
{
	struct rp_part_sm *ps = &r->parts->sm[sm->id];
	const struct ct_collector_part *c = r->collector_part;
	struct ct_issue *q = c->veto ? &r->parts->issue : issue_of(r, sm, k, warp);
	uint32_t i = rp_pool_take(r, &ps->cols, (void **)&ps->col, sizeof *ps->col,
	                          offsetof(struct rp_collected, next));
	if (i == RP_NO_INDEX || !q)
		return;
	ps->col[i] = (struct rp_collected){
		.op = op, .mem = mem, .sid = q->sid, .warp = (uint16_t)warp, .live = 1};
	if (mem == RP_NO_INDEX)
		sm->warp[warp].open++;
	q->token = i;
	c->take(c->part.ctx, r, q, r->base + now);
}

/* The collector is free from this cycle on; its token names other instructions later. */
void rp_part_left(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t token, uint64_t now)
{
	struct rp_part_sm *ps = &r->parts->sm[sm->id];
	const struct ct_collector_part *c = r->collector_part;
	ps->col[token].next = ps->cols.free;
	ps->cols.free = token;
	if (c->left)
		c->left(c->part.ctx, r, sm->id, k, token, now);
	if (sm->full.sched[k].blocked)
		sm->full.sched_next[k] = rp_min32(sm->full.sched_next[k], (uint32_t)(now - r->base));
}

/* It leaves at `at`, which may be known long before: until then it keeps its collector. */
static void note_left(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t token, uint32_t at)
{
	r->parts->sm[sm->id].col[token].live = 0;
	rp_event_push_sm(r, sm, at, RP_EV_LEFT, token, k);
}

static void offer_to_lsu(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t token, uint32_t at)
{
	rp_lsu_offer(sm, k, r->parts->sm[sm->id].col[token].mem, at);
	note_left(r, sm, k, token, at);
}

static void memory_done(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t token, uint32_t at)
{
	struct rp_sched *s = &sm->full.sched[k];
	if (sm->full.at_lsu[k] == RP_NO_INDEX && !s->nheld) {
		offer_to_lsu(r, sm, k, token, rp_max32(at, s->port[RP_MEM].ocex));
	} else if (s->nheld < RP_MAX_HELD) {
		s->held[s->nheld++] = (struct rp_held){r->parts->sm[sm->id].col[token].mem, at, token};
	} else {
		rp_fail(r, CT_ERR_LIMIT,
		        "more than 64 memory instructions wait in the collectors of a "
		        "scheduler");
	}
}

/* Ends an instruction as collect.c does: a cycle to the unit, the unit's latency, two cycles to the registers. */
static void compute_done(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t token, uint32_t at)
{
	struct rp_sched *s = &sm->full.sched[k];
	const struct rp_collected c = r->parts->sm[sm->id].col[token];
	uint32_t unit = c.op->unit, leave = rp_max32(at, s->port[unit].ocex);
	uint32_t start = rp_max32(leave + 1, s->port[unit].free), done = start + c.op->latency + 2;
	struct rp_warp *w = &sm->warp[c.warp];
	s->port[unit].ocex = start;
	s->port[unit].free = start + c.op->initiation;
	for (unsigned i = 0; i < c.op->ndst; i++)
		sm->regs[c.warp][c.op->dst[i]] = done;
	rp_part_writes(r, sm, c.warp, c.sid, done);
	w->done = rp_max32(w->done, done);
	w->open--;
	note_left(r, sm, k, token, leave);
	rp_wake_warp(sm, c.warp, sm->now);
	rp_warp_check_end(r, sm, c.warp, sm->now);
}

/* A memory instruction goes to the load/store unit, any other to its unit, at `at` or now if that is
 * over. */
void ct_collector_done(struct ct_replay *r, uint32_t smi, uint32_t sched, uint64_t token, uint64_t at)
{
	struct rp_sm *sm = &r->sm[smi];
	const struct rp_part_sm *ps = &r->parts->sm[smi];
	uint64_t now = r->base + sm->now;
	if (token >= ps->cols.cap || !ps->col[token].live) {
		rp_fail(r, CT_ERR_USAGE, "a collector is done with what it does not hold");
		return;
	}
	uint32_t when = (uint32_t)((at > now ? at : now) - r->base);
	if (ps->col[token].mem != RP_NO_INDEX)
		memory_done(r, sm, sched, (uint32_t)token, when);
	else
		compute_done(r, sm, sched, (uint32_t)token, when);
}

void rp_part_lsu_took(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint32_t now)
{
	struct rp_sched *s = &sm->full.sched[k];
	s->port[RP_MEM].ocex = now;
	if (!s->nheld)
		return;
	struct rp_held h = s->held[0];
	memmove(s->held, s->held + 1, --s->nheld * sizeof *s->held);
	r->parts->node = sm->id;
	r->parts->now = r->base + now;
	offer_to_lsu(r, sm, k, h.collector, rp_max32(h.step, now));
}

/* Every register of the results, the unnamed ones too. */
void rp_part_writes(struct ct_replay *r, struct rp_sm *sm, uint32_t warp, uint32_t sid, uint32_t at)
{
	const struct ct_operands *o = operands_at(r, sid);
	if (!r->collector_part->write || !o)
		return;
	const uint32_t who = (uint32_t)sm->warp[warp].sub << 24 | warp << 8;
	for (unsigned i = 0; i < o->nwrite; i++)
		rp_event_push_sm(r, sm, at, RP_EV_WRITE, 0, who | o->write[i]);
}

void rp_clock_insert(struct rp_part_sm *ps, uint32_t sched, const struct rp_moment *when)
{
	uint64_t order = 0; /* without the sub-core */
	unsigned n = 0, i;
	for (unsigned k = 0; k < ps->nclocks; k++) {
		const uint64_t other = ps->clock_order >> 8 * k & 0xff;
		if (other != sched)
			order |= other << 8 * n++;
	}
	for (i = n; i > 0 && ps->clock[order >> 8 * (i - 1) & 0xff].at > when->at;)
		i--;
	const uint64_t before = order & ((UINT64_C(1) << 8 * i) - 1);
	ps->clock_order = before | (uint64_t)sched << 8 * i | (order ^ before) << 8;
	ps->clocks |= 1u << sched;
	ps->clock[sched] = *when;
	ps->nclocks = n + 1;
}

/* Called with the sub-core whose clock is the first. */
void rp_part_clock(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint64_t now)
{
	const struct ct_collector_part *c = r->collector_part;
	rp_clock_take(&r->parts->sm[sm->id]);
	if (!c->clock)
		return;
	uint64_t next = c->clock(c->part.ctx, r, sm->id, k, now);
	if (next != CT_NO_CYCLE)
		ct_collector_clock(r, sm->id, k, next > now ? next : now + 1);
}

void ct_collector_clock(struct ct_replay *r, uint32_t sm, uint32_t sched, uint64_t at)
{
	struct rp_part_sm *ps = &r->parts->sm[sm];
	at = rp_max64(at, r->base + r->sm[sm].now);
	if (ps->clocks >> sched & 1 && ps->clock[sched].at <= at)
		return;
	rp_clock_put(ps, sched, &(struct rp_moment){at, r->parts->seq++});
	rp_part_not_after(&r->sm[sm], rp_launch_cycle(r, at));
}

/* Asks the scheduler part for a slot and checks its answer: one that is not ready ends the run. -1:
 * none. */
int rp_part_pick(struct ct_replay *r, struct rp_sm *sm, uint32_t k, uint64_t ready, uint32_t now)
{
	const struct ct_sched_part *p = r->parts->given.sched;
	struct ct_sched_view v = {
		.sm = sm->id,
		.sched = k,
		.slots = r->slots,
		.last = sm->full.sched[k].last,
		.ready = ready,
		.live = sm->full.sched[k].live,
		.fetching = sm->full.sched[k].waiting & ~ready};
	r->parts->node = sm->id;
	r->parts->now = r->base + now;
	int slot = p->pick(p->part.ctx, r, &v, r->base + now);
	if (slot >= 0 && (slot >= 64 || !(ready >> slot & 1))) {
		rp_fail(r, CT_ERR_USAGE, "a warp scheduler picks a warp that is not ready");
		return -1;
	}
	return slot;
}

uint64_t ct_sched_age(const struct ct_replay *r, uint32_t sm, uint32_t sched, uint32_t slot)
{
	return r->sm[sm].warp[slot * r->g.schedulers + sched].age;
}

uint32_t ct_sched_oldest(const struct ct_replay *r, uint32_t sm, uint32_t sched, uint64_t slots)
{
	return ct_pick_oldest(slots, &r->sm[sm].warp[sched].age,
	                      r->g.schedulers * sizeof *r->sm[sm].warp);
}
