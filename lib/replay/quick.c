/* Contention in the cheap engine: calendars, DRAM (accelsim-model.md 5 to 9). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/llc.h"
#include "replay/private/quick.h"

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

static int sm_init(struct ct_replay *r, struct rp_sm *sm, struct ct_error *e)
{
	struct rp_quick_sm *q = sm->quick = ct_calloc(1, sizeof *q);
	if (!q)
		return ct_fail_nomem(e);
	q->sched = ct_calloc(r->g.schedulers, sizeof *q->sched);
	q->mshr = ct_calloc(r->g.l1.mshr_entries, sizeof *q->mshr);
	q->line = ct_calloc(sm->lru.capacity, sizeof *q->line);
	q->note = ct_calloc(RP_NOTES, sizeof *q->note);
	q->held = ct_calloc(r->warps, sizeof *q->held);
	return q->sched && q->mshr && q->line && q->note && q->held ? 0 : ct_fail_nomem(e);
}

static int slice_init(struct ct_replay *r, struct rp_slice *s, struct ct_error *e)
{
	struct rp_quick_slice *q = s->quick = ct_calloc(1, sizeof *q);
	if (!q)
		return ct_fail_nomem(e);
	q->mshr = ct_calloc(r->g.llc.mshr_entries, sizeof *q->mshr);
	q->line = ct_calloc(s->lru.capacity, sizeof *q->line);
	q->note = ct_calloc(RP_NOTES, sizeof *q->note);
	return q->mshr && q->line && q->note ? 0 : ct_fail_nomem(e);
}

int rp_quick_init(struct ct_replay *r, struct ct_error *e)
{
	for (uint32_t i = 0; i < r->g.sms; i++)
		if (sm_init(r, &r->sm[i], e) < 0)
			return CT_ERR_NOMEM;
	for (uint32_t i = 0; i < r->map.slices; i++)
		if (slice_init(r, &r->slice[i], e) < 0)
			return CT_ERR_NOMEM;
	uint32_t n = r->partitions * r->map.per_slice;
	r->quick = ct_calloc(n, sizeof *r->quick);
	if (!r->quick)
		return ct_fail_nomem(e);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t b = 0; b < r->g.dram_banks; b++)
			memset(r->quick[i].bank[b].at, 0xff, sizeof r->quick[i].bank[b].at); /* no turn */
		r->quick[i].queue = ct_calloc(r->g.dram_queue ? r->g.dram_queue : 1, sizeof *r->quick[i].queue);
		if (!r->quick[i].queue)
			return ct_fail_nomem(e);
	}
	return 0;
}

void rp_quick_free(struct ct_replay *r)
{
	for (uint32_t i = 0; r->sm && i < r->g.sms; i++) {
		struct rp_quick_sm *q = r->sm[i].quick;
		if (!q)
			continue;
		free(q->sched);
		free(q->held);
		free(q->mshr);
		free(q->line);
		free(q->note);
		free(q);
	}
	for (uint32_t i = 0; r->slice && i < r->map.slices; i++) {
		struct rp_quick_slice *q = r->slice[i].quick;
		if (!q)
			continue;
		free(q->mshr);
		free(q->line);
		free(q->note);
		free(q);
	}
	for (uint32_t i = 0; r->quick && i < r->partitions * r->map.per_slice; i++)
		free(r->quick[i].queue);
	free(r->quick);
}

void rp_quick_begin(struct ct_replay *r, struct rp_sm *sm)
{
	memset(sm->quick->sched, 0, r->g.schedulers * sizeof *sm->quick->sched);
	sm->quick->notes += RP_NOTES; /* those of the last launch count from another cycle */
}

/* ---- DRAM, in its cycles ---- */

static struct rp_row *row_in(struct rp_quick_bank *b, uint64_t turn)
{
	struct rp_row *p = &b->at[turn % RP_ROWS];
	return p->turn == turn ? p : NULL;
}

/* The row that is open when the turn begins; NULL: none that is known. */
static struct rp_row *row_before(struct rp_quick_bank *b, uint64_t turn)
{
	if (turn > b->newest)
		return row_in(b, b->newest);
	for (uint32_t i = 1; i < RP_ROWS && i <= turn; i++)
		if (row_in(b, turn - i))
			return row_in(b, turn - i);
	return NULL;
}

static struct rp_row *take_turn(struct rp_quick_bank *b, uint64_t turn, uint32_t row, uint64_t act)
{
	struct rp_row *p = &b->at[turn % RP_ROWS];
	*p = (struct rp_row){turn, act, row, 0};
	if (turn > b->newest)
		b->newest = turn;
	return p;
}

/* Opens the row in the turn, k at the earliest. */
static struct rp_row *open_row(struct ct_replay *r, struct rp_quick_channel *c,
                               struct rp_quick_bank *b, uint32_t row, uint64_t turn, uint64_t k)
{
	const struct rp_row *before = row_before(b, turn);
	uint64_t act = k, rrd = r->g.dram_rrd ? r->g.dram_rrd : 1;
	if (before) {
		act = rp_max64(k + r->g.dram_rp, before->act + r->g.dram_rc);
		act = rp_max64(act, before->act + before->after + r->dram_timing.burst + r->g.dram_rp);
	}
	uint64_t floor = rp_dram_cycle_of(r, r->horizon);
	act = rp_max64(act, rp_calendar_take(&c->activate, floor / rrd, act / rrd) * rrd);
	return take_turn(b, turn, row, act);
}

/* The bank's row for a request that can be served from cycle k on: its own where it is open
 * or will be, else in the first turn that the bank has left (first ready, first come). */
static struct rp_row *row_for(struct ct_replay *r, struct rp_quick_channel *c,
                              struct rp_quick_bank *b, uint32_t row, uint64_t k)
{
	uint64_t rc = r->g.dram_rc ? r->g.dram_rc : 1, turn = k / rc, first = turn;
	struct rp_row *p;
	for (; turn < first + RP_ROWS && (p = row_in(b, turn)) != NULL; turn++)
		if (p->row == row)
			return p;
	if (turn == first && (p = row_before(b, turn)) != NULL && p->row == row) {
		uint32_t after = p->after;
		p = take_turn(b, turn, row, p->act);
		p->after = after;
		return p;
	}
	return open_row(r, c, b, row, turn, rp_max64(k, turn * rc));
}

/* Column command of a sector that arrives at the controller in cycle k. */
static uint64_t column(struct ct_replay *r, const struct ct_place *place, uint64_t k)
{
	struct rp_quick_channel *c = &r->quick[place->channel];
	struct rp_quick_bank *b = &c->bank[place->bank];
	uint64_t floor = rp_dram_cycle_of(r, r->horizon);
	uint32_t ccd = r->g.dram_ccd ? r->g.dram_ccd : 1, ccdl = rp_max32(r->g.dram_ccdl, ccd);
	k = rp_max64(k, c->queue[c->queue_next]);
	struct rp_row *p = row_for(r, c, b, (uint32_t)place->row, k);
	uint64_t col = rp_max64(k, p->act + r->g.dram_rcd);
	if (ccdl > ccd) {
		struct rp_calendar *g = &c->group[place->bank & (r->g.dram_bank_groups - 1) & 7];
		col = rp_max64(col, rp_calendar_take(g, floor / ccdl, col / ccdl) * ccdl);
	}
	col = rp_max64(col, rp_calendar_take(&c->bus, floor / ccd, col / ccd) * ccd);
	p->after = rp_max32(p->after, (uint32_t)(col - p->act));
	r->total.dram_busy += r->dram_timing.burst;
	c->queue[c->queue_next] = col;
	c->queue_next = rp_quick_after(c->queue_next, r->g.dram_queue);
	return col;
}

uint64_t rp_quick_dram(struct ct_replay *r, const struct ct_place *place, uint64_t at)
{
	uint64_t k = rp_dram_cycle_of(r, at + 1 + r->g.dram_latency) + 2;
	return rp_dram_core_of(r, column(r, place, k) + r->g.dram_cl + 1) + 2;
}

void rp_quick_dram_write(struct ct_replay *r, uint64_t address, uint32_t bytes, uint64_t at)
{
	uint64_t k = rp_dram_cycle_of(r, at + 1 + r->g.dram_latency) + 2;
	struct ct_place place = ct_address_place(&r->map, address);
	uint32_t atom = r->g.dram_bus_bytes * r->g.dram_burst;
	for (uint32_t i = 0; i < bytes; i += atom ? atom : bytes)
		column(r, &place, k);
}
