/* DRAM of the quick replay, in its cycles: rows of banks, the bus, activates (doc/replay.md
 * sections 8 and 10). */
#include <string.h>

#include "replay/private/quick.h"

/* Channels with an empty calendar and no row known. Returns 0 or fails with CT_ERR_NOMEM. */
int rp_quick_dram_init(struct ct_replay *r, struct ct_error *e)
{
	uint32_t n = r->partitions * r->map.per_slice, places = r->g.dram_queue ? r->g.dram_queue : 1;
	uint32_t ccd = r->g.dram_ccd ? r->g.dram_ccd : 1;
	struct rp_quick_channel *c = r->quick->channel = ct_pool_take(&r->pool, n, sizeof *c);
	if (!c)
		return ct_fail_nomem(e);
	r->quick->rc = rp_divisor_of(r->g.dram_rc ? r->g.dram_rc : 1);
	r->quick->rrd = rp_divisor_of(r->g.dram_rrd ? r->g.dram_rrd : 1);
	r->quick->ccd = rp_divisor_of(ccd);
	r->quick->ccdl = rp_divisor_of(rp_max32(r->g.dram_ccdl, ccd));
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t b = 0; b < r->g.dram_banks; b++)
			memset(c[i].bank[b].at, 0xff, sizeof c[i].bank[b].at); /* no turn */
		c[i].queue = ct_pool_take(&r->pool, places, sizeof *c[i].queue);
		if (!c[i].queue)
			return ct_fail_nomem(e);
	}
	return 0;
}

void rp_quick_dram_window(struct ct_replay *r)
{
	struct rp_quick *w = r->quick;
	uint64_t floor = rp_dram_cycle_of(r, r->horizon);
	w->floor_rrd = rp_divide_by(floor, &w->rrd);
	w->floor_ccd = rp_divide_by(floor, &w->ccd);
	w->floor_ccdl = rp_divide_by(floor, &w->ccdl);
}

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

/* Takes the first free place from cycle t on in a calendar whose places are so many cycles long. */
static CT_INLINE uint64_t take_place(struct rp_calendar *c, uint64_t floor, uint64_t t,
                                     const struct rp_divisor *d)
{
	return rp_calendar_take(c, floor, rp_divide_by(t, d)) * d->by;
}

/* Opens the row in the turn, k at the earliest. */
static struct rp_row *open_row(struct ct_replay *r, struct rp_quick_channel *c, struct rp_quick_bank *b,
                               uint32_t row, uint64_t turn, uint64_t k)
{
	const struct rp_row *before = row_before(b, turn);
	const struct rp_divisor *rrd = &r->quick->rrd;
	uint64_t act = k;
	if (before) {
		act = rp_max64(k + r->g.dram_rp, before->act + r->g.dram_rc);
		act = rp_max64(act, before->act + before->after + r->dram_timing.burst + r->g.dram_rp);
	}
	act = rp_max64(act, take_place(&c->activate, r->quick->floor_rrd, act, rrd));
	return take_turn(b, turn, row, act);
}

/* The bank's row for a request that can be served from cycle k on: its own where it is open
 * or will be, else in the first turn that the bank has left (first ready, first come). */
static struct rp_row *row_for(struct ct_replay *r, struct rp_quick_channel *c, struct rp_quick_bank *b,
                              uint32_t row, uint64_t k)
{
	uint64_t turn = rp_divide_by(k, &r->quick->rc), first = turn;
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
	return open_row(r, c, b, row, turn, rp_max64(k, turn * r->quick->rc.by));
}

/* Column command of a sector that arrives at the controller in cycle k. */
static uint64_t take_column(struct ct_replay *r, const struct ct_place *place, uint64_t k)
{
	struct rp_quick_channel *c = &r->quick->channel[place->channel];
	struct rp_quick_bank *b = &c->bank[place->bank];
	const struct rp_quick *w = r->quick;
	k = rp_max64(k, c->queue[c->queue_next]);
	struct rp_row *p = row_for(r, c, b, (uint32_t)place->row, k);
	uint64_t col = rp_max64(k, p->act + r->g.dram_rcd);
	if (w->ccdl.by > w->ccd.by) {
		struct rp_calendar *g = &c->group[place->bank & (r->g.dram_bank_groups - 1) & 7];
		col = rp_max64(col, take_place(g, w->floor_ccdl, col, &w->ccdl));
	}
	col = rp_max64(col, take_place(&c->bus, w->floor_ccd, col, &w->ccd));
	p->after = rp_max32(p->after, (uint32_t)(col - p->act));
	r->total.dram_busy += r->dram_timing.burst;
	c->queue[c->queue_next] = col;
	c->queue_next = rp_ring_after(c->queue_next, r->g.dram_queue);
	return col;
}

uint64_t rp_quick_dram(struct ct_replay *r, const struct ct_place *place, uint64_t at)
{
	uint64_t k = rp_dram_cycle_of(r, at + 1 + r->g.dram_latency) + 2;
	return rp_dram_core_of(r, take_column(r, place, k) + r->g.dram_cl + 1) + 2;
}

void rp_quick_dram_write(struct ct_replay *r, uint64_t address, uint32_t bytes, uint64_t at)
{
	uint64_t k = rp_dram_cycle_of(r, at + 1 + r->g.dram_latency) + 2;
	struct ct_place place = ct_address_place(&r->map, address);
	uint32_t atom = r->g.dram_bus_bytes * r->g.dram_burst;
	for (uint32_t i = 0; i < bytes; i += atom ? atom : bytes)
		take_column(r, &place, k);
}
