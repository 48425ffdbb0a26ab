#include "malekeh_twin.h"

#include <stdlib.h>
#include <string.h>

#include "models/malekeh/plan.h"

enum {
	WARPS = 16,
	COLLECTORS = 64,
	BANKS = 8,
	QUEUE = 4096,
	FLIGHTS = 512,
	ENTRIES = 16,
	REGS = 256,
	FETCH = COLLECTORS /* requests from here on are fetches of a warp */
};

struct flight {
	int used, waiting; /* waiting: in a collector or before the load/store unit */
	uint64_t time, scheduled, order;
	const struct ct_mk_op *op;
	uint32_t index, warp, bits, mem, life;
};

struct entry {
	int valid, lock, near, reg;
	uint64_t stamp;
};

struct collector {
	int held, flight, left, owner;
	uint64_t since, clock;
	struct entry e[ENTRIES];
	uint64_t result_cycle;
	uint32_t results;
};

struct warp {
	const struct ct_mk_warp *w;
	int live, cta;
	uint32_t i, flights;
	uint64_t age, last[REGS];
	int pending[1024], slow[1024];
	int active, cached; /* two-level; entries of its RFC, oldest first */
	uint32_t life, until[ENTRIES];
	uint8_t reg[ENTRIES];
	uint32_t range; /* LTRF: interval; fetched; registers to come */
	int fetched, fetching, dirty[REGS];
};

struct twin {
	const struct ct_mk_stream *s;
	const struct ct_mk_system *sys;
	struct ct_mk_counts *c;
	uint32_t banks, warps, collectors, depth;
	struct warp warp[WARPS];
	struct collector coll[COLLECTORS];
	struct flight flight[FLIGHTS];
	int queue[BANKS][QUEUE], queued[BANKS];
	uint64_t writing[BANKS];
	uint64_t port_free[CT_MK_UNITS], unit_free[CT_MK_UNITS], lsu_free, lsu_since, order, sequence,
		age;
	int lsu, greedy;
	uint32_t waited, next_cta;
};

static uint32_t bank(const struct twin *t, uint32_t warp, unsigned reg)
{
	return (reg + warp) % t->banks;
}

static void bank_read(struct twin *t, uint32_t warp, unsigned reg, int c)
{
	uint32_t b = bank(t, warp, reg);
	t->queue[b][t->queued[b]++] = c;
	t->c->bank_reads++;
}

static void bank_write(struct twin *t, uint32_t warp, unsigned reg, uint64_t now)
{
	uint32_t b = bank(t, warp, reg);
	t->writing[b] = (t->writing[b] > now ? t->writing[b] : now) + 1;
	t->c->bank_writes++;
}

/* ---- RFC and SW-RFC ---- */

static int cached_at(const struct warp *w, int reg)
{
	for (int i = 0; i < w->cached; i++)
		if (w->reg[i] == reg)
			return i;
	return -1;
}

static void drop_cached(struct warp *w, int at)
{
	for (w->cached--; at < w->cached; at++) {
		w->reg[at] = w->reg[at + 1];
		w->until[at] = w->until[at + 1];
	}
}

/* The oldest entry leaves; the banks get it if an instruction that has not issued reads it. */
static void evict(struct twin *t, uint32_t warp, uint64_t now)
{
	struct warp *w = &t->warp[warp];
	if (w->until[0] >= w->i + 1)
		bank_write(t, warp, w->reg[0], now);
	drop_cached(w, 0);
}

static void rfc_result(struct twin *t, const struct flight *f, unsigned i, uint64_t now)
{
	struct warp *w = &t->warp[f->warp];
	uint8_t reg = t->s->writes[f->op->dst + i];
	int at = cached_at(w, reg);
	if (f->op->slow || !w->active) {
		bank_write(t, f->warp, reg, now);
		if (at >= 0)
			drop_cached(w, at);
		return;
	}
	t->c->cache_writes++;
	if (at < 0 && w->cached == (int)t->sys->entries)
		evict(t, f->warp, now);
	if (at < 0)
		at = w->cached++;
	w->reg[at] = reg;
	w->until[at] = w->w->life[f->life + i];
}

static void planned_result(struct twin *t, const struct flight *f, unsigned i, uint64_t now)
{
	const struct ct_mk_strand *p = &t->warp[f->warp].w->plan->strand[f->index];
	int covered = i < CT_MK_PLAN_SLOTS;
	t->c->cache_writes += covered && (p->keep >> i & 1);
	if (!covered || (p->bank >> i & 1))
		bank_write(t, f->warp, t->s->writes[f->op->dst + i], now);
}

/* ---- LTRF, as cut ---- */

static void clean(struct twin *t, uint32_t warp, const uint8_t *only, unsigned n, uint64_t now)
{
	struct warp *w = &t->warp[warp];
	for (unsigned reg = 0; reg < REGS; reg++) {
		int wanted = only == NULL;
		for (unsigned i = 0; i < n; i++)
			wanted |= only[i] == reg;
		if (w->dirty[reg] && wanted)
			bank_write(t, warp, reg, now);
		w->dirty[reg] = 0;
	}
}

/* The warp stands before an instruction. */
static void fetch(struct twin *t, uint32_t warp, uint64_t now)
{
	struct warp *w = &t->warp[warp];
	const struct ct_mk_plan *p = w->w->plan;
	const struct ct_mk_range *r = &p->range[w->range];
	if (w->i == r[1].first && w->i < w->w->n) {
		clean(t, warp, p->regs + r->regs + r->reads, r->writes, now);
		w->range++;
		w->fetched = 0;
	}
	if (w->fetched || !w->active)
		return;
	r = &p->range[w->range];
	w->fetched = 1;
	w->fetching = 0;
	for (unsigned reg = 0; reg < REGS; reg++) {
		int wanted = 0;
		for (unsigned i = 0; i < r->reads; i++)
			wanted |= p->regs[r->regs + i] == reg;
		for (uint32_t k = r->first; k < w->i; k++) {
			const struct ct_mk_op *o = &t->s->op[w->w->rec[k].sid];
			for (unsigned i = 0; i < o->ndst; i++)
				wanted |= t->s->writes[o->dst + i] == reg;
		}
		if (wanted)
			bank_read(t, warp, reg, FETCH + (int)warp);
		w->fetching += wanted;
		t->c->cache_fills += (uint64_t)wanted;
	}
}

static void interval_result(struct twin *t, const struct flight *f, unsigned i, uint64_t now)
{
	struct warp *w = &t->warp[f->warp];
	uint8_t reg = t->s->writes[f->op->dst + i];
	if (w->active && f->index >= w->w->plan->range[w->range].first) {
		w->dirty[reg] = 1;
		t->c->cache_writes++;
	} else {
		bank_write(t, f->warp, reg, now);
	}
}

static int find(const struct collector *c, int reg)
{
	for (int i = 0; i < ENTRIES; i++)
		if (c->e[i].valid && c->e[i].reg == reg)
			return i;
	return -1;
}

static int insert(struct twin *t, struct collector *c, int reg)
{
	int n = (int)t->sys->entries, best = -1;
	for (int i = 0; i < n && best < 0; i++)
		if (!c->e[i].valid)
			best = i;
	for (int i = 0; i < n && best < 0 && !t->sys->lru; i++)
		if (!c->e[i].lock && !c->e[i].near)
			best = i;
	if (best < 0)
		for (int i = 0; i < n; i++)
			if (!c->e[i].lock && (best < 0 || c->e[i].stamp < c->e[best].stamp))
				best = i;
	if (best >= 0)
		c->e[best] = (struct entry){1, 0, 0, reg, 0};
	return best;
}

static int owner_of(const struct twin *t, uint32_t warp)
{
	for (uint32_t c = 0; c < t->collectors; c++)
		if (t->coll[c].owner == (int)warp)
			return (int)c;
	return -1;
}

static void flush(struct twin *t, struct collector *c)
{
	int any = 0;
	for (int i = 0; i < ENTRIES; i++)
		any |= c->e[i].valid;
	t->c->flushes += (uint64_t)any;
	memset(c->e, 0, sizeof c->e);
}

static void cache_results(struct twin *t, const struct flight *f, uint64_t now)
{
	int k = owner_of(t, f->warp), granted = -1;
	struct collector *c = k < 0 ? NULL : &t->coll[k];
	for (unsigned i = 0; i < f->op->ndst; i++) {
		int reg = t->s->writes[f->op->dst + i];
		int near = f->bits >> (CT_MK_BIT_DST + i) & 1, wants = near || t->sys->lru;
		if (!c)
			continue;
		if (wants && granted < 0) {
			if (c->result_cycle != now + 1)
				c->results = 0;
			c->result_cycle = now + 1;
			granted = !t->sys->ports || c->results++ < t->sys->ports;
		}
		int e = find(c, reg);
		if (wants && granted) {
			e = e < 0 ? insert(t, c, reg) : e;
			if (e >= 0) {
				c->e[e].near = near;
				c->e[e].stamp = ++c->clock;
				t->c->cache_writes++;
			}
			continue;
		}
		t->c->lost += (uint64_t)near;
		if (e >= 0 && !c->e[e].lock) {
			c->e[e].valid = 0;
			t->c->stale++;
		}
	}
}

static void end_warp(struct twin *t, uint32_t warp)
{
	int c = owner_of(t, warp);
	t->warp[warp].live = t->warp[warp].active = 0;
	if (c >= 0) {
		memset(t->coll[c].e, 0, sizeof t->coll[c].e);
		t->coll[c].owner = -1;
	}
}

static void write_back(struct twin *t, struct flight *f, uint64_t now)
{
	struct warp *w = &t->warp[f->warp];
	for (unsigned i = 0; i < f->op->nmark; i++)
		w->pending[t->s->waits[f->op->wait + i]] = w->slow[t->s->waits[f->op->wait + i]] = 0;
	t->c->results += f->op->ndst;
	for (unsigned i = 0; i < f->op->ndst; i++) {
		if (t->sys->schedule == CT_MK_TWO_LEVEL) {
			if (t->sys->kind == CT_MK_LTRF)
				interval_result(t, f, i, now);
			else if (t->sys->kind == CT_MK_RFC)
				rfc_result(t, f, i, now);
			else
				planned_result(t, f, i, now);
			continue;
		}
		bank_write(t, f->warp, t->s->writes[f->op->dst + i], now);
		if (t->sys->kind == CT_MK_BOC)
			t->c->cache_writes += i < 2 && w->i - f->index <= t->sys->window;
	}
	if (t->sys->kind == CT_MK_CCU)
		cache_results(t, f, now);
	f->used = 0;
	if (!--w->flights && w->i == w->w->n)
		end_warp(t, f->warp);
}

static void results(struct twin *t, uint64_t now)
{
	for (;;) {
		int best = -1;
		for (int i = 0; i < FLIGHTS; i++) {
			const struct flight *f = &t->flight[i];
			if (f->used && !f->waiting && f->time == now &&
			    (best < 0 || f->scheduled < t->flight[best].scheduled))
				best = i;
		}
		if (best < 0)
			return;
		write_back(t, &t->flight[best], now);
	}
}

static void dispatch(struct twin *t, uint64_t now)
{
	int best = -1;
	for (uint32_t c = 0; c < t->collectors; c++) {
		const struct collector *k = &t->coll[c];
		if (!k->held || k->left)
			continue;
		const struct flight *f = &t->flight[k->flight];
		if (f->op->unit == CT_MK_U_MEM ? t->lsu >= 0 : t->port_free[f->op->unit] > now)
			continue;
		if (best < 0 || f->order < t->flight[t->coll[best].flight].order)
			best = (int)c;
	}
	if (best < 0)
		return;
	struct collector *k = &t->coll[best];
	struct flight *f = &t->flight[k->flight];
	if (f->op->unit == CT_MK_U_MEM) {
		t->lsu = k->flight;
		t->lsu_since = now;
	} else {
		uint64_t begin = now + 1;
		if (begin < t->unit_free[f->op->unit])
			begin = t->unit_free[f->op->unit];
		t->port_free[f->op->unit] = begin;
		t->unit_free[f->op->unit] = begin + f->op->initiation;
		f->time = begin + f->op->latency + 2;
		f->scheduled = t->sequence++;
		f->waiting = 0;
	}
	k->held = 0;
	t->c->collected++;
	t->c->collect_cycles += now - k->since;
	for (int i = 0; i < ENTRIES; i++)
		k->e[i].lock = 0;
}

static void banks(struct twin *t, uint64_t now)
{
	int port[COLLECTORS + WARPS] = {0}, kept = 0;
	for (uint32_t i = 0; i < t->banks; i++) {
		uint32_t b = (uint32_t)((now + i) % t->banks);
		if (!t->queued[b])
			continue;
		int c = t->queue[b][0];
		uint32_t at = c >= FETCH ? (uint32_t)c : (uint32_t)c / t->depth;
		if (t->writing[b] > now || port[at]) {
			t->c->conflicts++;
			kept = 1;
			continue;
		}
		t->c->conflicts += t->queued[b] > 1;
		kept |= t->queued[b] > 1;
		memmove(t->queue[b], t->queue[b] + 1, (size_t)--t->queued[b] * sizeof **t->queue);
		port[at] = 1;
		if (c >= FETCH)
			t->warp[c - FETCH].fetching--;
		else
			t->coll[c].left--;
	}
	t->c->conflict_cycles += (uint64_t)kept;
}

static void lsu(struct twin *t, uint64_t now)
{
	if (t->lsu < 0 || t->lsu_free > now || t->lsu_since >= now)
		return;
	struct flight *f = &t->flight[t->lsu];
	t->lsu_free = now + (f->mem >> CT_MK_MEM_BITS);
	f->time = now + (f->mem & ((1u << CT_MK_MEM_BITS) - 1));
	f->scheduled = t->sequence++;
	f->waiting = 0;
	t->lsu = -1;
}

static const struct ct_mk_op *op_of(const struct twin *t, uint32_t warp)
{
	const struct warp *w = &t->warp[warp];
	return w->live && w->i < w->w->n ? &t->s->op[w->w->rec[w->i].sid] : NULL;
}

static int ready(const struct twin *t, uint32_t warp)
{
	const struct ct_mk_op *op = op_of(t, warp);
	for (unsigned i = 0; op && i < op->nwait; i++)
		if (t->warp[warp].pending[t->s->waits[op->wait + i]])
			return 0;
	return op != NULL && !t->warp[warp].fetching;
}

static int read_sources(struct twin *t, int c, const struct flight *f)
{
	struct collector *k = &t->coll[c];
	struct warp *w = &t->warp[f->warp];
	const uint8_t *src = t->s->reads + f->op->src;
	int asked = 0, n = f->op->nsrc;
	t->c->slots += (uint64_t)n;
	if (t->sys->kind == CT_MK_OCU) {
		for (int i = 0; i < n; i++)
			bank_read(t, f->warp, src[i], c);
		return n;
	}
	if (t->sys->kind == CT_MK_LTRF) {
		t->c->hits += (uint64_t)n;
		t->c->cache_reads += (uint64_t)n;
		return 0;
	}
	if (t->sys->kind == CT_MK_RFC || t->sys->kind == CT_MK_SW_RFC) {
		const struct ct_mk_strand *p = t->sys->kind == CT_MK_SW_RFC
		                                       ? &w->w->plan->strand[f->index]
		                                       : NULL;
		for (int i = 0; i < n; i++) {
			int covered = p && i < CT_MK_PLAN_SLOTS;
			if (p ? covered && (p->hit >> i & 1) : cached_at(w, src[i]) >= 0) {
				t->c->hits++;
				t->c->cache_reads++;
				continue;
			}
			t->c->cache_fills += covered && (p->fill >> i & 1);
			bank_read(t, f->warp, src[i], c);
			asked++;
		}
		return asked;
	}
	if (t->sys->kind == CT_MK_BOC) {
		for (int i = 0; i < n; i++) {
			uint64_t d = w->last[src[i]] ? f->index + 1 - w->last[src[i]] : 99999;
			if (i < 6 && d <= t->sys->window) {
				t->c->hits++;
				t->c->repeats += d == 0;
				t->c->cache_reads++;
			} else {
				bank_read(t, f->warp, src[i], c);
				t->c->uncached += i >= 6;
				t->c->cache_fills += i < 6;
				asked++;
			}
			if (i < 6)
				w->last[src[i]] = f->index + 1;
		}
		for (int i = 0; i < f->op->ndst; i++)
			w->last[t->s->writes[f->op->dst + i]] = i < 2 ? f->index + 1 : 0;
		return asked;
	}
	if (k->owner != (int)f->warp) {
		int other = owner_of(t, f->warp);
		if (other >= 0) {
			flush(t, &t->coll[other]);
			t->coll[other].owner = -1;
		}
		flush(t, k);
		k->owner = (int)f->warp;
	}
	for (int i = 0; i < n && i < 6; i++)
		if (find(k, src[i]) >= 0)
			k->e[find(k, src[i])].lock = 1;
	for (int i = 0; i < n; i++) {
		int e = i < 6 ? find(k, src[i]) : -1;
		int again = 0;
		for (int q = 0; q < i; q++)
			again |= src[q] == src[i];
		if (e >= 0) {
			t->c->hits++;
			t->c->cache_reads++;
			t->c->repeats += (uint64_t)again;
		} else {
			e = i < 6 ? insert(t, k, src[i]) : -1;
			t->c->cache_fills += e >= 0;
			t->c->uncached += i >= 6;
			bank_read(t, f->warp, src[i], c);
			asked++;
		}
		if (e >= 0) {
			k->e[e].lock = 1;
			k->e[e].near = f->bits >> i & 1;
			k->e[e].stamp = ++k->clock;
		}
	}
	return asked;
}

static void go(struct twin *t, uint32_t warp, int c, uint64_t now)
{
	struct warp *w = &t->warp[warp];
	const struct ct_mk_op *op = op_of(t, warp);
	t->c->insts++;
	t->greedy = (int)warp;
	int i = 0;
	while (t->flight[i].used)
		i++;
	struct flight *f = &t->flight[i];
	*f = (struct flight){.used = 1,
	                     .waiting = 1,
	                     .op = op,
	                     .index = w->i,
	                     .warp = warp,
	                     .bits = op->mask,
	                     .mem = w->w->rec[w->i].mem};
	f->order = t->order++;
	f->life = w->life;
	w->life += op->ndst;
	for (unsigned k = 0; k < op->nmark; k++) {
		w->pending[t->s->waits[op->wait + k]] = 1;
		w->slow[t->s->waits[op->wait + k]] = op->slow;
	}
	w->flights++;
	w->i++;
	t->coll[c].held = 1;
	t->coll[c].flight = i;
	t->coll[c].since = now;
	t->coll[c].left = read_sources(t, c, f);
	if (t->sys->kind == CT_MK_LTRF && op_of(t, warp))
		fetch(t, warp, now);
}

static int holds_near(const struct collector *c)
{
	for (int i = 0; i < ENTRIES; i++)
		if (c->e[i].valid && c->e[i].near)
			return 1;
	return 0;
}

/* -1: none for this warp; -2: the scheduler waits. */
static int choose_collector(struct twin *t, uint32_t warp)
{
	uint32_t from = 0, to = t->collectors;
	if (!t->sys->collectors) {
		from = warp * t->depth;
		to = from + t->depth;
	} else if (t->sys->kind == CT_MK_CCU && !t->sys->lru) {
		int own = owner_of(t, warp), any = -1;
		if (own >= 0)
			return t->coll[own].held ? -1 : own;
		for (uint32_t c = 0; c < t->collectors; c++) {
			if (t->coll[c].held)
				continue;
			if (!holds_near(&t->coll[c]))
				return (int)c;
			any = any < 0 ? (int)c : any;
		}
		if (any >= 0 && t->waited < (uint32_t)t->sys->sthld) {
			t->waited++;
			t->c->waits++;
			return -2;
		}
		if (any >= 0)
			t->waited = 0;
		return any;
	}
	for (uint32_t c = from; c < to; c++)
		if (!t->coll[c].held)
			return (int)c;
	return -1;
}

/* A warp that owns a collector, or by the system's reading only one with a value or a near value in it. */
static int has_data(const struct twin *t, uint32_t warp)
{
	int c = owner_of(t, warp), values = 0;
	for (int i = 0; c >= 0 && i < ENTRIES; i++)
		values |= t->coll[c].e[i].valid;
	switch (t->sys->data) {
	case CT_MK_DATA_NEAR: return c >= 0 && holds_near(&t->coll[c]);
	case CT_MK_DATA_ANY: return values;
	default: return c >= 0;
	}
}

/* Rank of a warp: greedy, then with data, then the rest; oldest first among equals. */
static int before(const struct twin *t, uint32_t a, uint32_t b)
{
	int ra = 2, rb = 2;
	if (t->sys->schedule == CT_MK_PRIORITY) {
		ra = has_data(t, a) ? 1 : 2;
		rb = has_data(t, b) ? 1 : 2;
	}
	ra = (int)a == t->greedy ? 0 : ra;
	rb = (int)b == t->greedy ? 0 : rb;
	return ra != rb ? ra < rb : t->warp[a].age < t->warp[b].age;
}

/* ---- two-level sets ---- */

static int waits_long(const struct twin *t, uint32_t warp)
{
	const struct ct_mk_op *op = op_of(t, warp);
	for (unsigned i = 0; i < op->nwait; i++)
		if (t->warp[warp].slow[t->s->waits[op->wait + i]])
			return 1;
	return 0;
}

static void sets(struct twin *t, uint64_t now)
{
	uint32_t active = 0;
	for (uint32_t w = 0; w < t->warps; w++) {
		struct warp *x = &t->warp[w];
		if (x->active && !ready(t, w) && !op_of(t, w)) {
			x->active = 0;
		} else if (x->active && !ready(t, w) && !x->fetching && waits_long(t, w)) {
			x->active = 0;
			t->c->demotions++;
			if (t->sys->kind == CT_MK_LTRF)
				clean(t, w, NULL, 0, now);
			x->fetched = 0;
			while (x->cached)
				evict(t, w, now);
		}
		active += (uint32_t)x->active;
	}
	for (; active < t->sys->active; active++) {
		int best = -1;
		for (uint32_t w = 0; w < t->warps; w++)
			if (!t->warp[w].active && ready(t, w) &&
			    (best < 0 || t->warp[w].age < t->warp[best].age))
				best = (int)w;
		if (best < 0)
			return;
		t->warp[best].active = 1;
		if (t->sys->kind == CT_MK_LTRF)
			fetch(t, (uint32_t)best, now);
	}
}

/* In turn among the active, from the one after the last. */
static int issue_in_turn(struct twin *t, uint64_t now)
{
	for (uint32_t n = 1; n <= 64; n++) {
		uint32_t w = ((uint32_t)t->greedy + n) % 64;
		if (w >= t->warps || !t->warp[w].active || !ready(t, w))
			continue;
		int c = choose_collector(t, w);
		if (c < 0)
			return 0; /* none for anybody */
		go(t, w, c, now);
		return 1;
	}
	return 0;
}

static int issue(struct twin *t, uint64_t now)
{
	int tried[WARPS] = {0};
	for (;;) {
		int best = -1;
		for (uint32_t w = 0; w < t->warps; w++)
			if (!tried[w] && ready(t, w) && (best < 0 || before(t, w, (uint32_t)best)))
				best = (int)w;
		if (best < 0)
			return 0;
		int c = choose_collector(t, (uint32_t)best);
		if (c == -2)
			return 0;
		if (c >= 0) {
			go(t, (uint32_t)best, c, now);
			return 1;
		}
		tried[best] = 1;
	}
}

/* CTAs that have ended leave; the next takes the lowest free slot. 1 while any is there. */
static int place(struct twin *t)
{
	uint32_t per = t->s->warps_per_cta;
	int any = 0;
	for (uint32_t slot = 0; slot < t->s->resident; slot++) {
		int used = 0;
		for (uint32_t i = 0; i < per; i++)
			used |= t->warp[slot * per + i].live;
		if (!used && t->next_cta < t->s->ctas) {
			const struct ct_mk_cta *cta = &t->s->cta[t->next_cta++];
			for (uint32_t i = 0; i < cta->warps; i++) {
				const struct ct_mk_warp *w = &t->s->warp[cta->first + i];
				struct warp *x = &t->warp[slot * per + w->number];
				memset(x, 0, sizeof *x);
				x->w = w;
				x->live = 1;
				x->age = t->age++;
			}
			used = 1;
		}
		any |= used;
	}
	return any;
}

void malekeh_twin(const struct ct_mk_stream *s, const struct ct_mk_system *sys, uint32_t nbanks,
                  struct ct_mk_counts *c)
{
	struct twin *t = calloc(1, sizeof *t);
	memset(c, 0, sizeof *c);
	if (!t)
		return;
	t->s = s;
	t->sys = sys;
	t->c = c;
	t->banks = nbanks;
	t->lsu = -1;
	t->depth = 1;
	t->warps = s->resident * s->warps_per_cta;
	if (sys->kind == CT_MK_BOC)
		t->depth = sys->window < 64 / t->warps ? sys->window : 64 / t->warps;
	t->collectors = sys->collectors ? sys->collectors : t->warps * t->depth;
	for (uint32_t i = 0; i < t->collectors; i++)
		t->coll[i].owner = -1;
	for (uint64_t now = 0;; now++) {
		if (!place(t))
			break;
		int had = 0, some = 0;
		for (uint32_t w = 0; w < t->warps; w++)
			had |= t->warp[w].live;
		c->cycles = now + 1;
		results(t, now);
		dispatch(t, now);
		banks(t, now);
		int two_level = sys->schedule == CT_MK_TWO_LEVEL, outside = 0;
		if (two_level)
			sets(t, now);
		for (uint32_t w = 0; w < t->warps; w++) {
			some |= ready(t, w);
			outside |= !t->warp[w].active && ready(t, w);
		}
		int issued = two_level ? issue_in_turn(t, now) : issue(t, now);
		if (two_level && issued)
			sets(t, now);
		c->pending_ready += two_level && !issued && outside;
		c->issued += (uint64_t)issued;
		c->stalled += !issued && some;
		c->idle += had && !issued && !some;
		lsu(t, now);
	}
	free(t);
}
