/* What quick replay keeps, and its calendars. */
#include <string.h>

#include "replay/private/full.h"
#include "replay/private/quick.h"

enum { FIRST_REQUESTS = 64 }; /* they should stay near */

/* Places of the word that have been given away behind the end of the calendar. */
static uint64_t taken_over(const struct rp_calendar *c, uint64_t word)
{
	uint64_t from = word << 6;
	if (c->over <= from)
		return 0;
	return c->over - from >= 64 ? UINT64_MAX : (UINT64_C(1) << (c->over - from)) - 1;
}

void rp_calendar_pass(struct rp_calendar *c, uint64_t word)
{
	if (word - c->first > RP_CALENDAR_WORDS)
		c->first = word - RP_CALENDAR_WORDS;
	for (; c->first < word; c->first++)
		c->bits[c->first % RP_CALENDAR_WORDS] = taken_over(c, c->first + RP_CALENDAR_WORDS);
}

uint64_t rp_calendar_search(struct rp_calendar *c, uint64_t t)
{
	uint64_t from = t < c->first << 6 ? c->first << 6 : t;
	uint64_t at = from >= c->lo && from < c->hi ? c->hi : from;
	uint64_t w = at >> 6, end = c->first + RP_CALENDAR_WORDS;
	uint64_t free = w < end ? ~c->bits[w % RP_CALENDAR_WORDS] & ~UINT64_C(0) << (at & 63) : 0;
	while (!free && ++w < end)
		free = ~c->bits[w % RP_CALENDAR_WORDS];
	if (w >= end) {
		at = rp_max64(rp_max64(c->over, end << 6), t);
		c->over = at + 1;
		return at;
	}
	uint32_t b = ct_low_bit(free);
	c->bits[w % RP_CALENDAR_WORDS] |= UINT64_C(1) << b;
	at = w << 6 | b;
	if (from <= c->hi && from >= c->lo) { /* longer */
		c->hi = at + 1;
	} else if (at - from > c->hi - c->lo || c->hi < c->first << 6) {
		c->lo = from;
		c->hi = at + 1;
	}
	return at;
}

void rp_slots_pass(struct rp_slots *c, uint64_t word)
{
	if (word - c->first > RP_ISSUE_WORDS)
		c->first = word - RP_ISSUE_WORDS;
	for (; c->first < word; c->first++)
		c->bits[c->first % RP_ISSUE_WORDS] = 0;
}

static uint64_t search_slot(struct rp_slots *c, uint64_t t)
{
	uint64_t at = rp_max64(t, c->first << 6), w = at >> 6, end = c->first + RP_ISSUE_WORDS;
	uint64_t free = w < end ? ~c->bits[w % RP_ISSUE_WORDS] & ~UINT64_C(0) << (at & 63) : 0;
	while (!free && ++w < end)
		free = ~c->bits[w % RP_ISSUE_WORDS];
	if (w >= end)
		return at;
	uint32_t b = ct_low_bit(free);
	c->bits[w % RP_ISSUE_WORDS] |= UINT64_C(1) << b;
	return w << 6 | b;
}

uint64_t rp_slots_search(struct rp_slots *c, uint64_t t, uint32_t n)
{
	uint64_t at = search_slot(c, t), end = (c->first + RP_ISSUE_WORDS) << 6;
	for (uint64_t i = at + 1; i < at + n && i < end; i++) /* behind, nothing is noted */
		search_slot(c, i);
	return at;
}

/* Numbers of entries stay known while as many instructions' worth of sectors as usual wait for one. */
static uint32_t mshr_ring(const struct ct_replay *r)
{
	uint32_t n = 1, least = r->g.l1.mshr_entries + CT_WARP_LANES * r->l1_sectors;
	while (n < least)
		n *= 2;
	return n;
}

/* Places of memory instructions that have issued and that the load/store unit has not taken. With collectors of their own each
 * scheduler has one in front of the unit, its collectors', and one that waits for a collector. Else all of an SM share theirs,
 * since other instructions take collectors, too: as many as are taken where the oldest warp comes first, one for each scheduler
 * where warps stay abreast, and one more. */
static void set_places(const struct ct_replay *r, struct rp_quick_sm *q)
{
	q->rings = 1;
	q->depth = r->g.schedulers + 1;
	if (r->oldest_first && r->g.memory_collectors) {
		q->rings = r->g.schedulers;
		q->depth = 2 + r->g.memory_collectors;
	} else if (r->oldest_first) {
		q->depth += r->g.schedulers * r->g.collectors;
	}
}

/* What an SM keeps with quick timing, all of the engine's pool. Returns 0 or fails with CT_ERR_NOMEM. */
static int init_sm(struct ct_replay *r, struct rp_sm *sm, struct ct_error *e)
{
	struct rp_quick_sm *q = sm->quick = &r->quick->sm[sm->id];
	q->sched = ct_pool_take(&r->pool, r->g.schedulers, sizeof *q->sched);
	q->mshr_mask = mshr_ring(r) - 1;
	q->mshr = ct_pool_take(&r->pool, q->mshr_mask + 1, sizeof *q->mshr);
	q->merged = ct_pool_take(&r->pool, (size_t)sm->cache.lru.capacity * r->l1_sectors,
	                         sizeof *q->merged);
	q->schedulers = r->g.schedulers;
	q->active_warps = r->g.scheduler == CT_SCHED_TWO_LEVEL ? r->g.active_warps : 0;
	q->req_mask = FIRST_REQUESTS - 1;
	q->req = ct_pool_take(&r->pool, FIRST_REQUESTS, sizeof *q->req);
	q->inst_free = q->joined_free = q->piece_free = RP_NO_INDEX;
	sm->full.mem_free = RP_NO_INDEX;
	q->held = ct_pool_take(&r->pool, r->warps, sizeof *q->held);
	set_places(r, q);
	q->wait = ct_pool_take(&r->pool, q->rings * q->depth, sizeof *q->wait);
	q->unit = ct_pool_take(&r->pool, q->rings * q->depth, sizeof *q->unit);
	return q->sched && q->mshr && q->merged && q->req && q->held && q->wait && q->unit
	               ? 0
	               : ct_fail_nomem(e);
}

int rp_quick_init(struct ct_replay *r, struct ct_error *e)
{
	r->quick = ct_pool_take(&r->pool, 1, sizeof *r->quick);
	if (!r->quick)
		return ct_fail_nomem(e);
	r->has_mem = 0; /* nobody is told when a memory instruction is over */
	r->usual = rp_usual_sms(r);
	r->quick->sm = ct_pool_take(&r->pool, r->g.sms, sizeof *r->quick->sm);
	if (!r->quick->sm)
		return ct_fail_nomem(e);
	for (uint32_t w = 0; w < 64; w++)
		r->quick->warps[w % r->g.schedulers] |= UINT64_C(1) << w;
	for (uint32_t i = 0; i < r->g.sms; i++)
		if (init_sm(r, &r->sm[i], e) < 0)
			return CT_ERR_NOMEM;
	return 0;
}

static void clear_calendar(struct rp_calendar *c)
{
	memset(c, 0, sizeof *c);
}

void rp_quick_begin(struct ct_replay *r, struct rp_sm *sm)
{
	struct rp_quick_sm *q = sm->quick;
	memset(q->sched, 0, r->g.schedulers * sizeof *q->sched);
	memset(q->mshr, 0, ((size_t)q->mshr_mask + 1) * sizeof *q->mshr);
	clear_calendar(&q->lsu);
	clear_calendar(&q->write_back);
	memset(q->unit, 0, (size_t)q->rings * q->depth * sizeof *q->unit);
	q->l1_free = q->direct_last = q->banks = q->full_banks = q->leaves = 0;
	memset(q->bank_free, 0, sizeof q->bank_free);
	q->filled = q->taken;
	rp_quick_step_begin(r, sm);
}

void rp_quick_follow_epoch(struct ct_replay *r)
{
	const uint64_t slack = UINT64_C(1) << 29; /* they stay below RP_DUE_ASKED */
	if (r->horizon - r->epoch < 3 * slack)
		return;
	uint64_t on = r->horizon - slack - r->epoch;
	uint32_t cycles = on > UINT32_MAX ? UINT32_MAX : (uint32_t)on;
	for (uint32_t i = 0; i < r->g.sms; i++)
		rp_lru_rebase(&r->sm[i].cache.lru, cycles);
	r->epoch += on;
}
