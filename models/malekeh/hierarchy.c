/* What the organisations without tables do with sources and results: OCU, BOW, and the
 * register hierarchies with their two-level scheduler (reconstructions, see plan.h). */
#include <string.h>

#include "models/malekeh/core_internal.h"

/* ---- BOW (reading bow-window): hit up to `window` instructions after the last access ---- */

/* Sources of an instruction under BOW. Operands beyond the six that a collector has room for are not remembered. */
static uint32_t boc_sources(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                            const struct mk_flight *f)
{
	struct mk_warp *w = &k->warp[warp];
	const uint8_t *src = sm->s->reads + f->op->src, *dst = sm->s->writes + f->op->dst;
	uint32_t asked = 0, now = f->index + 1;
	for (unsigned i = 0; i < f->op->nsrc; i++) {
		uint32_t last = w->last[src[i]];
		if (i < CT_MK_SLOTS && last && now - last <= sm->sys->window) {
			sm->c.hits++;
			sm->c.repeats += last == now;
			sm->c.cache_reads++;
		} else {
			mk_bank_read(sm, k, warp, src[i], c);
			sm->c.uncached += i >= CT_MK_SLOTS;
			sm->c.cache_fills += i < CT_MK_SLOTS;
			asked++;
		}
		if (i < CT_MK_SLOTS)
			w->last[src[i]] = now;
	}
	for (unsigned i = 0; i < f->op->ndst; i++)
		w->last[dst[i]] = i < CT_MK_BOC_SLOTS - CT_MK_SLOTS ? now : 0;
	return asked;
}

/* The banks get every result, the window those whose instruction has not slid out. */
static void boc_results(struct mk_sm *sm, struct mk_core *k, const struct mk_flight *f, uint64_t now)
{
	const uint8_t *dst = sm->s->writes + f->op->dst;
	int inside = k->warp[f->warp].i - f->index <= sm->sys->window;
	for (unsigned i = 0; i < f->op->ndst; i++) {
		mk_bank_write(sm, k, f->warp, dst[i], now);
		sm->c.cache_writes += inside && i < CT_MK_BOC_SLOTS - CT_MK_SLOTS;
	}
}

/* ---- RFC: results of short operations, first in first out, of active warps ---- */

static int rfc_find(const struct mk_warp *w, uint8_t reg)
{
	for (int i = 0; i < w->used; i++)
		if (w->reg[i] == reg)
			return i;
	return MK_NONE;
}

static void rfc_remove(struct mk_warp *w, int i)
{
	w->used--;
	memmove(w->reg + i, w->reg + i + 1, (size_t)(w->used - i));
	memmove(w->until + i, w->until + i + 1, (size_t)(w->used - i) * sizeof *w->until);
}

/* Entry 0 leaves: to the banks if it will be read (static liveness, ISCA 2011). */
static void rfc_evict(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now)
{
	struct mk_warp *w = &k->warp[warp];
	if (w->until[0] > w->i)
		mk_bank_write(sm, k, warp, w->reg[0], now);
	rfc_remove(w, 0);
}

void mk_rfc_put(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint8_t reg, int slow,
                uint32_t until, uint64_t now)
{
	struct mk_warp *w = &k->warp[warp];
	int at = rfc_find(w, reg);
	if (slow || !(k->active >> warp & 1)) {
		mk_bank_write(sm, k, warp, reg, now);
		if (at != MK_NONE)
			rfc_remove(w, at);
		return;
	}
	sm->c.cache_writes++;
	if (at == MK_NONE) {
		if (w->used == sm->sys->entries)
			rfc_evict(sm, k, warp, now);
		at = w->used++;
		w->reg[at] = reg;
	}
	w->until[at] = until;
}

void mk_rfc_kill(struct mk_core *k, uint32_t warp, uint8_t reg)
{
	int at = rfc_find(&k->warp[warp], reg);
	if (at != MK_NONE)
		k->warp[warp].until[at] = 0;
}

void mk_rfc_empty(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now)
{
	while (k->warp[warp].used)
		rfc_evict(sm, k, warp, now);
}

static void rfc_results(struct mk_sm *sm, struct mk_core *k, const struct mk_flight *f, uint64_t now)
{
	const uint8_t *dst = sm->s->writes + f->op->dst;
	for (unsigned i = 0; i < f->op->ndst; i++)
		mk_rfc_put(sm, k, f->warp, dst[i], f->op->slow, k->warp[f->warp].w->life[f->life + i],
		           now);
}

/* Sources of an instruction under RFC: those in the warp's cache are hits, the others are read from
 * their banks. Returns how many were asked for. */
static uint32_t rfc_sources(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                            const struct mk_flight *f)
{
	const uint8_t *src = sm->s->reads + f->op->src;
	uint32_t asked = 0;
	for (unsigned i = 0; i < f->op->nsrc; i++) {
		if (rfc_find(&k->warp[warp], src[i]) != MK_NONE) {
			sm->c.hits++;
			sm->c.cache_reads++;
			continue;
		}
		mk_bank_read(sm, k, warp, src[i], c);
		asked++;
	}
	return asked;
}

/* ---- software RFC: as planned ---- */

/* The same under SW-RFC, where the compiler's plan says which sources are in the cache and which are put
 * there. */
static uint32_t sw_sources(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                           const struct mk_flight *f)
{
	const struct ct_mk_strand *p = &k->warp[warp].w->plan->strand[f->index];
	const uint8_t *src = sm->s->reads + f->op->src;
	uint32_t asked = 0;
	for (unsigned i = 0; i < f->op->nsrc; i++) {
		if (i < CT_MK_PLAN_SLOTS && (p->hit >> i & 1)) {
			sm->c.hits++;
			sm->c.cache_reads++;
			continue;
		}
		mk_bank_read(sm, k, warp, src[i], c);
		sm->c.cache_fills += i < CT_MK_PLAN_SLOTS && (p->fill >> i & 1);
		asked++;
	}
	return asked;
}

static void sw_results(struct mk_sm *sm, struct mk_core *k, const struct mk_flight *f, uint64_t now)
{
	const struct ct_mk_strand *p = &k->warp[f->warp].w->plan->strand[f->index];
	const uint8_t *dst = sm->s->writes + f->op->dst;
	for (unsigned i = 0; i < f->op->ndst; i++) {
		sm->c.cache_writes += i < CT_MK_PLAN_SLOTS && (p->keep >> i & 1);
		if (i >= CT_MK_PLAN_SLOTS || (p->bank >> i & 1))
			mk_bank_write(sm, k, f->warp, dst[i], now);
	}
}

/* ---- LTRF: everything from the cache, which is filled interval by interval ---- */

void mk_write_regs(struct mk_sm *sm, struct mk_core *k, uint32_t warp, const struct ct_mk_regs *regs,
                   uint64_t now)
{
	for (unsigned q = 0; q < 4; q++)
		for (uint64_t m = regs->word[q]; m; m &= m - 1)
			mk_bank_write(sm, k, warp, q * 64 + ct_low_bit(m), now);
}

void mk_fetch_regs(struct mk_sm *sm, struct mk_core *k, uint32_t warp, const struct ct_mk_regs *regs)
{
	uint32_t n = 0;
	for (unsigned q = 0; q < 4; q++)
		for (uint64_t m = regs->word[q]; m; m &= m - 1, n++)
			mk_bank_read(sm, k, warp, q * 64 + ct_low_bit(m), MK_FETCH + warp);
	k->warp[warp].fetching = (uint16_t)n;
	sm->c.cache_fills += n;
}

/* The interval ends: what is dirty and lives on goes to the banks. */
static void leave_range(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now)
{
	const struct ct_mk_plan *p = k->warp[warp].w->plan;
	const struct ct_mk_range *r = &p->range[k->warp[warp].range];
	const uint8_t *reg = p->regs + r->regs + r->reads;
	struct ct_mk_regs *dirty = &k->warp[warp].dirty, live = {{0}};
	for (unsigned i = 0; i < r->writes; i++)
		ct_mk_regs_put(&live, reg[i], 1);
	live = ct_mk_regs_both(dirty, &live);
	mk_write_regs(sm, k, warp, &live, now);
	*dirty = (struct ct_mk_regs){{0}};
}

void mk_note_written(const struct mk_sm *sm, struct mk_warp *w)
{
	for (unsigned i = 0; i < w->op->ndst; i++)
		ct_mk_regs_put(&w->wrote, sm->s->writes[w->op->dst + i], 1);
}

/* Where a warp has come back to its interval, it also fetches what it has written in it. */
void mk_fetch(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now)
{
	struct mk_warp *w = &k->warp[warp];
	const struct ct_mk_plan *p = w->w->plan;
	if (w->range + 2 < p->ranges && w->i == p->range[w->range + 1].first) {
		leave_range(sm, k, warp, now);
		w->range++;
		w->fetched = 0;
		w->wrote = (struct ct_mk_regs){{0}};
	}
	if (w->fetched || !(k->active >> warp & 1))
		return;
	const struct ct_mk_range *r = &p->range[w->range];
	struct ct_mk_regs list = w->wrote;
	for (unsigned i = 0; i < r->reads; i++)
		ct_mk_regs_put(&list, p->regs[r->regs + i], 1);
	mk_fetch_regs(sm, k, warp, &list);
	w->fetched = 1;
	if (w->fetching)
		mk_wake(k, now + 1);
}

static void ltrf_results(struct mk_sm *sm, struct mk_core *k, const struct mk_flight *f, uint64_t now)
{
	struct mk_warp *w = &k->warp[f->warp];
	const uint8_t *dst = sm->s->writes + f->op->dst;
	/* a result of an earlier interval, or of a warp that has left, goes to the banks */
	int inside = (k->active >> f->warp & 1) && f->index >= w->w->plan->range[w->range].first;
	for (unsigned i = 0; i < f->op->ndst; i++) {
		if (inside) {
			ct_mk_regs_put(&w->dirty, dst[i], 1);
			sm->c.cache_writes++;
		} else {
			mk_bank_write(sm, k, f->warp, dst[i], now);
		}
	}
}

/* ---- all ---- */

uint32_t mk_sources(struct mk_sm *sm, struct mk_core *k, uint32_t c, uint32_t warp,
                    const struct mk_flight *f)
{
	const uint8_t *src = sm->s->reads + f->op->src;
	switch (sm->sys->kind) {
	case CT_MK_BOC: return boc_sources(sm, k, c, warp, f);
	case CT_MK_RFC: return rfc_sources(sm, k, c, warp, f);
	case CT_MK_SW_RFC: return sw_sources(sm, k, c, warp, f);
	case CT_MK_LTRF:
		sm->c.hits += f->op->nsrc;
		sm->c.cache_reads += f->op->nsrc;
		return 0;
	default:
		if (sm->sys->ideal) {
			sm->c.bank_reads += f->op->nsrc;
			return 0;
		}
		for (unsigned i = 0; i < f->op->nsrc; i++)
			mk_bank_read(sm, k, warp, src[i], c);
		return f->op->nsrc;
	}
}

void mk_results(struct mk_sm *sm, struct mk_core *k, const struct mk_flight *f, uint64_t now)
{
	switch (sm->sys->kind) {
	case CT_MK_CCU: mk_ccu_result(sm, k, f, now); return;
	case CT_MK_BOC: boc_results(sm, k, f, now); return;
	case CT_MK_RFC: rfc_results(sm, k, f, now); return;
	case CT_MK_SW_RFC: sw_results(sm, k, f, now); return;
	case CT_MK_LTRF: ltrf_results(sm, k, f, now); return;
	default:
		for (unsigned i = 0; i < f->op->ndst; i++)
			mk_bank_write(sm, k, f->warp, sm->s->writes[f->op->dst + i], now);
	}
}

/* ---- two-level scheduling (reading two-level): active warps that wait for memory or at a barrier
 * change places with the oldest pending warp that is ready ---- */

static int waits_long(const struct mk_sm *sm, const struct mk_warp *w)
{
	if (ct_warp_waits(&w->wait))
		return 1;
	const uint16_t *wait = sm->s->waits + w->op->wait;
	for (unsigned i = 0; i < w->op->nwait; i++)
		if (w->slow[wait[i] / 64] >> (wait[i] % 64) & 1)
			return 1;
	return 0;
}

static void demote_warp(struct mk_sm *sm, struct mk_core *k, uint32_t warp, uint64_t now)
{
	struct mk_warp *w = &k->warp[warp];
	k->active &= ~mk_bit(warp);
	sm->c.demotions++;
	if (sm->sys->kind == CT_MK_RFC)
		mk_rfc_empty(sm, k, warp, now);
	if (sm->sys->kind == CT_MK_LTRF) {
		mk_write_regs(sm, k, warp, &w->dirty, now);
		w->dirty = (struct ct_mk_regs){{0}};
		w->fetched = 0;
	}
}

void mk_sets(struct mk_sm *sm, struct mk_core *k, uint64_t now)
{
	for (uint64_t m = k->active & ~k->ready; m; m &= m - 1) {
		uint32_t warp = ct_low_bit(m);
		struct mk_warp *w = &k->warp[warp];
		if (!w->op)
			k->active &= ~mk_bit(warp);
		else if (!w->fetching && waits_long(sm, w))
			demote_warp(sm, k, warp, now);
	}
	while (ct_bits(k->active) < sm->sys->active) {
		uint64_t pending = k->ready & ~k->active;
		if (!pending)
			return;
		uint32_t warp = ct_pick_oldest(pending, &k->warp[0].age, sizeof *k->warp);
		k->active |= mk_bit(warp);
		if (sm->sys->kind == CT_MK_LTRF) {
			mk_fetch(sm, k, warp, now);
			mk_check(k, warp);
		}
	}
}
