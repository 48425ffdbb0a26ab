/* Contention in the cheap engine: calendars, DRAM (accelsim-model.md 5 to 9). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/llc.h"
#include "replay/private/quick.h"

void rp_calendar_pass(struct rp_calendar *c, uint64_t word)
{
	if (word - c->first >= RP_CALENDAR_WORDS) {
		memset(c->bits, 0, sizeof c->bits);
		c->first = word;
		return;
	}
	for (; c->first < word; c->first++)
		c->bits[c->first % RP_CALENDAR_WORDS] = 0;
}

static int sm_init(struct ct_replay *r, struct rp_sm *sm, struct ct_error *e)
{
	struct rp_quick_sm *q = sm->quick = ct_calloc(1, sizeof *q);
	if (!q)
		return ct_fail_nomem(e);
	q->sched = ct_calloc(r->g.schedulers, sizeof *q->sched);
	q->mshr = ct_calloc(r->g.l1.mshr_entries, sizeof *q->mshr);
	q->merged = ct_calloc(sm->tags.capacity, sizeof *q->merged);
	return q->sched && q->mshr && q->merged ? 0 : ct_fail_nomem(e);
}

static int slice_init(struct ct_replay *r, struct rp_slice *s, struct ct_error *e)
{
	struct rp_quick_slice *q = s->quick = ct_calloc(1, sizeof *q);
	if (!q)
		return ct_fail_nomem(e);
	q->mshr = ct_calloc(r->g.llc.mshr_entries, sizeof *q->mshr);
	q->merged = ct_calloc(s->tags.capacity, sizeof *q->merged);
	return q->mshr && q->merged ? 0 : ct_fail_nomem(e);
}

int rp_quick_init(struct ct_replay *r, struct ct_error *e)
{
	for (uint32_t i = 0; i < r->g.sms; i++)
		if (sm_init(r, &r->sm[i], e) < 0)
			return CT_ERR_NOMEM;
	for (uint32_t i = 0; i < r->map.slices; i++)
		if (slice_init(r, &r->slice[i], e) < 0)
			return CT_ERR_NOMEM;
	r->quick = ct_calloc((size_t)r->partitions * r->map.per_slice, sizeof *r->quick);
	return r->quick ? 0 : ct_fail_nomem(e);
}

void rp_quick_free(struct ct_replay *r)
{
	for (uint32_t i = 0; r->sm && i < r->g.sms; i++) {
		struct rp_quick_sm *q = r->sm[i].quick;
		if (!q)
			continue;
		free(q->sched);
		free(q->mshr);
		free(q->merged);
		free(q);
	}
	for (uint32_t i = 0; r->slice && i < r->map.slices; i++) {
		struct rp_quick_slice *q = r->slice[i].quick;
		if (!q)
			continue;
		free(q->mshr);
		free(q->merged);
		free(q);
	}
	free(r->quick);
}

void rp_quick_begin(struct ct_replay *r, struct rp_sm *sm)
{
	memset(sm->quick->sched, 0, r->g.schedulers * sizeof *sm->quick->sched);
}

/* ---- DRAM ---- */

/* The row's place among those that the bank has open or will open, if a request that arrives
 * in cycle k still finds it there. */
static struct rp_row *find_row(struct rp_quick_bank *b, uint64_t row, uint64_t k, uint32_t rp)
{
	struct rp_row *p = &b->at[b->newest];
	if (!b->open || p->row == row)
		return b->open ? p : NULL;
	for (uint32_t i = 1; i < RP_ROWS; i++) {
		struct rp_row *before = &b->at[(b->newest - i) % RP_ROWS];
		if (p->act < k + rp)
			return NULL; /* it is closed by then */
		if (before->row == row && before->act)
			return before;
		p = before;
	}
	return NULL;
}

/* Opens the row after what the bank has to do before. */
static struct rp_row *open_row(struct ct_replay *r, struct rp_quick_channel *c,
                               struct rp_quick_bank *b, uint64_t row, uint64_t floor, uint64_t k)
{
	struct rp_row *p = &b->at[b->newest];
	uint64_t act = k + 1;
	if (b->open) {
		act = rp_max64(k + r->g.dram_rp, p->act + r->g.dram_rc);
		act = rp_max64(act, p->last + r->dram_timing.burst + r->g.dram_rp);
	}
	uint32_t rrd = r->g.dram_rrd ? r->g.dram_rrd : 1;
	act = rp_max64(act, rp_calendar_take(&c->activate, floor / rrd, act / rrd) * rrd);
	b->newest = (b->newest + 1) % RP_ROWS;
	b->open = 1;
	p = &b->at[b->newest];
	*p = (struct rp_row){row, act, act};
	return p;
}

/* Column command of a sector that arrives at the controller in cycle k. */
static uint64_t column(struct ct_replay *r, uint64_t address, uint64_t at, uint64_t k)
{
	struct ct_place place = ct_address_place(&r->map, address);
	struct rp_quick_channel *c = &r->quick[place.channel];
	struct rp_quick_bank *b = &c->bank[place.bank];
	uint64_t floor = rp_dram_cycle_of(r, r->horizon);
	uint32_t ccd = r->g.dram_ccd ? r->g.dram_ccd : 1, ccdl = rp_max32(r->g.dram_ccdl, ccd);
	struct rp_row *p = find_row(b, place.row, k, r->g.dram_rp);
	(void)at;
	if (!p)
		p = open_row(r, c, b, place.row, floor, k);
	uint64_t col = rp_max64(k, p->act + r->g.dram_rcd);
	if (ccdl > ccd) {
		struct rp_calendar *g = &c->group[place.bank & (r->g.dram_bank_groups - 1) & 7];
		col = rp_max64(col, rp_calendar_take(g, floor / ccdl, col / ccdl) * ccdl);
	}
	col = rp_max64(col, rp_calendar_take(&c->bus, floor / ccd, col / ccd) * ccd);
	p->last = rp_max64(p->last, col);
	return col;
}

uint64_t rp_quick_dram(struct ct_replay *r, uint64_t address, uint64_t at)
{
	uint64_t k = rp_dram_cycle_of(r, at + 1 + r->g.dram_latency) + 2;
	return rp_dram_core_of(r, column(r, address, at, k) + r->g.dram_cl + 1) + 2;
}

void rp_quick_dram_write(struct ct_replay *r, uint64_t address, uint32_t bytes, uint64_t at)
{
	uint64_t k = rp_dram_cycle_of(r, at + 1 + r->g.dram_latency) + 2;
	uint32_t atom = r->g.dram_bus_bytes * r->g.dram_burst;
	for (uint32_t i = 0; i < bytes; i += atom ? atom : bytes)
		column(r, address, at, k);
}
