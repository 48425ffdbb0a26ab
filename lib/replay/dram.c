/* A DRAM channel: FR-FCFS over banks, command timing (doc/replay.md section 9). Times are
 * DRAM command cycles; cycles in which nothing can happen are skipped. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "replay/private/llc.h"

static uint64_t lesser_cycle(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void rp_clock_reduce(struct rp_clock *c, uint64_t core, uint64_t own)
{
	uint64_t a = core, b = own;
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	c->core = rp_divisor_of(core / a);
	c->own = rp_divisor_of(own / a);
	c->same = core == own;
}

int rp_dram_init(struct ct_replay *r, struct rp_channel *c, struct ct_error *e)
{
	uint32_t n = r->g.dram_queue + 2; /* one more is on its way in */
	c->bank = ct_pool_take(&r->pool, r->g.dram_banks, sizeof *c->bank);
	c->pool = ct_pool_take(&r->pool, n + r->g.dram_banks, sizeof *c->pool);
	if (!c->bank || !c->pool)
		return ct_fail_nomem(e);
	_Static_assert(sizeof(struct rp_dram_req) == 32, "two requests in a line of the host");
	for (uint32_t b = 0; b < r->g.dram_banks; b++)
		c->bank[b].head = c->bank[b].tail = c->bank[b].current = RP_NO_INDEX;
	c->last_slice = r->map.per_channel - 1;
	c->next = c->next_core = c->command_at = RP_NEVER64;
	return 0;
}

void rp_dram_free(struct rp_channel *c)
{
	free(c->delay.p);
	free(c->returning.p);
}

int rp_dram_idle(const struct rp_channel *c)
{
	return !c->delay.n && !c->returning.n && !c->queued && !c->serving;
}

/* ---- queue of a bank ---- */

/* The request comes to the end of its bank's queue, which is a list through the channel's pool. */
static void enqueue_request(struct rp_channel *c, const struct rp_dram_req *q)
{
	uint32_t i = c->pool_free;
	struct rp_bank *b = &c->bank[q->bank];
	/* a free one is followed by the one behind it, or by another: + 1, since the pool is zeroed */
	c->pool_free = c->pool[i].next ? c->pool[i].next - 1 : i + 1;
	c->pool[i] = *q;
	c->pool[i].next = RP_NO_INDEX;
	if (b->tail == RP_NO_INDEX)
		b->head = i;
	else
		c->pool[b->tail].next = i;
	b->tail = i;
	c->queued++;
	c->held++;
	c->waiting_banks |= 1u << q->bank;
}

/* The oldest request to the row, or RP_NO_INDEX; *before: the one in front of it. */
static uint32_t oldest_of_row(const struct rp_channel *c, const struct rp_bank *b, uint64_t row,
                              uint32_t *before)
{
	*before = RP_NO_INDEX;
	for (uint32_t i = b->head; i != RP_NO_INDEX; *before = i, i = c->pool[i].next)
		if (c->pool[i].row == row)
			return i;
	return RP_NO_INDEX;
}

/* The bank's request needs that next, and the bank itself allows it from cycle `ready` on. */
static CT_INLINE void needs_next(struct rp_channel *c, uint32_t bank, uint32_t *banks, uint64_t ready)
{
	*banks |= 1u << bank;
	c->ready[bank] = ready;
	c->ripe &= ~(1u << bank);
}

/* What a request that the bank has just taken needs first. */
static CT_INLINE void sort_bank(struct rp_channel *c, uint32_t bank)
{
	const struct rp_bank *b = &c->bank[bank];
	const struct rp_dram_req *q = &c->pool[b->current];
	uint32_t bit = 1u << bank;
	int write = q->mshr == RP_NO_INDEX;
	c->writes = write ? c->writes | bit : c->writes & ~bit;
	if (!b->open)
		needs_next(c, bank, &c->to_open, rp_max64(b->rp, b->rc));
	else if (b->row == q->row)
		needs_next(c, bank, &c->to_access, write ? b->rcdwr : b->rcd);
	else
		needs_next(c, bank, &c->to_close, rp_max64(rp_max64(b->ras, b->wtp), b->rtp));
}

/* First ready, first come: the oldest request to the row that is open, or was last, then the oldest. */
static void take_next(const struct ct_replay *r, struct rp_channel *c, uint32_t bank)
{
	struct rp_bank *b = &c->bank[bank];
	uint32_t before = RP_NO_INDEX, i = RP_NO_INDEX;
	if (!r->g.dram_fifo)
		i = oldest_of_row(c, b, b->row, &before);
	if (i == RP_NO_INDEX) {
		i = b->head;
		before = RP_NO_INDEX;
	}
	if (before == RP_NO_INDEX)
		b->head = c->pool[i].next;
	else
		c->pool[before].next = c->pool[i].next;
	if (b->tail == i)
		b->tail = before;
	b->current = i;
	c->blocked &= c->queued != r->g.dram_queue; /* there is room again */
	c->queued--;
	c->serving |= 1u << bank;
	if (b->head == RP_NO_INDEX)
		c->waiting_banks &= ~(1u << bank);
	sort_bank(c, bank);
}

/* ---- commands ---- */

struct rp_dram_timing rp_dram_timing_of(const struct ct_gpu *g)
{
	struct rp_dram_timing t;
	t.burst = g->dram_data_ratio ? g->dram_burst / g->dram_data_ratio : 1;
	t.rcdwr = g->dram_rcd > g->dram_wl + 1 ? g->dram_rcd - g->dram_wl - 1 : 0;
	t.rtw = g->dram_cl + t.burst + 2 > g->dram_wl ? g->dram_cl + t.burst + 2 - g->dram_wl : 0;
	t.wtr = g->dram_wl + t.burst + g->dram_cdlr;
	t.wtp = g->dram_wl + t.burst + g->dram_wr;
	t.group_mask = (g->dram_bank_groups - 1) & 7;
	t.groups = t.group_mask + 1;
	memset(t.banks_of, 0, sizeof t.banks_of);
	for (uint32_t b = 0; b < g->dram_banks && b < 32; b++)
		t.banks_of[b & t.group_mask] |= 1u << b;
	return t;
}

static CT_INLINE uint32_t group_of(const struct ct_replay *r, uint32_t bank)
{
	return bank & r->dram_timing.group_mask;
}

/* First cycle in which a bank of to_access can have a column command. */
static CT_INLINE uint64_t column_at(const struct ct_replay *r, const struct rp_channel *c, uint32_t bank)
{
	uint64_t t = rp_max64(c->ready[bank], rp_max64(c->ccd, c->ccdl[group_of(r, bank)]));
	return rp_max64(t, c->writes >> bank & 1 ? c->rtw : c->wtr);
}

/* First cycle for a row command of a bank of to_open or to_close. */
static CT_INLINE uint64_t row_at(const struct ct_replay *r, const struct rp_channel *c, uint32_t bank)
{
	return rp_max64(c->ready[bank], c->to_open >> bank & 1 ? c->rrd : c->rtpl[group_of(r, bank)]);
}

/* Gives one idle bank its next request: at most one in a cycle. The commands that the other banks wait for stay where
 * they are. */
static void schedule_bank(struct ct_replay *r, struct rp_channel *c)
{
	uint32_t can = c->waiting_banks & ~c->serving;
	if (!can)
		return;
	uint32_t after = can >> c->prio << c->prio, b = ct_low_bit(after ? after : can);
	c->prio = c->prio + 1 == r->g.dram_banks ? 0 : c->prio + 1;
	take_next(r, c, b);
	c->command_at = lesser_cycle(
		c->command_at, c->to_access >> b & 1 ? column_at(r, c, b) : row_at(r, c, b));
}

/* The slice whose request it is. */
static struct rp_slice *slice_of(const struct ct_replay *r, const struct rp_partition *p,
                                 const struct rp_dram_req *q)
{
	return &r->slice[p->first_slice + q->slice];
}

/* A column command of the bank's request in DRAM cycle k: sets when others may follow. After the last
 * of its commands the request is on its way back, and the bank is free for another. */
static CT_INLINE int
issue_column(struct ct_replay *r, const struct rp_partition *p, struct rp_channel *c, uint32_t bank,
             uint64_t k, const struct rp_dram_timing *t)
{
	struct rp_bank *b = &c->bank[bank];
	struct rp_dram_req *q = &c->pool[b->current];
	uint32_t g = group_of(r, bank), i = b->current;
	int write = q->mshr == RP_NO_INDEX;
	c->ccd = k + r->g.dram_ccd;
	c->ccdl[g] = k + r->g.dram_ccdl;
	r->total.dram_busy += t->burst;
	r->total.dram_backlog_busy += c->held >= r->g.dram_banks ? t->burst : 0;
	if (!write) {
		c->rtw = k + t->rtw;
		b->rtp = k + t->burst;
		c->rtpl[g] = k + r->g.dram_rtpl;
	} else {
		c->wtr = k + t->wtr;
		b->wtp = k + t->wtp;
	}
	if (q->atoms > 1) {
		q->atoms--;
		return 0;
	}
	if (c->held-- == r->g.dram_banks)
		r->total.dram_backlog += k + t->burst - c->backlog_from;
	struct rp_dram_req *back = rp_req_new(&c->returning);
	if (!back)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	*back = *q;
	/* data CL (writes: WL) cycles later; one more to the slice's queue */
	back->due = k + (write ? r->g.dram_wl : r->g.dram_cl) + 1;
	if (q->mshr < RP_PART_READ)
		CT_BRING(&slice_of(r, p, q)->mshr[q->mshr]);
	q->next = c->pool_free + 1;
	c->pool_free = i;
	b->current = RP_NO_INDEX;
	c->serving &= ~(1u << bank);
	c->to_access &= ~(1u << bank);
	return 0;
}

/* A row command in DRAM cycle k: opens the row that the bank's request needs, or closes the one that
 * is open. */
static CT_INLINE void issue_row(struct ct_replay *r, struct rp_channel *c, uint32_t bank, uint64_t k,
                                const struct rp_dram_timing *t)
{
	struct rp_bank *b = &c->bank[bank];
	if (c->to_open >> bank & 1) {
		b->row = c->pool[b->current].row;
		b->open = 1;
		c->rrd = k + r->g.dram_rrd;
		b->rcd = k + r->g.dram_rcd;
		b->rcdwr = k + t->rcdwr;
		b->ras = k + r->g.dram_ras;
		b->rc = k + r->g.dram_rc;
		c->to_open &= ~(1u << bank);
		needs_next(c, bank, &c->to_access, c->writes >> bank & 1 ? b->rcdwr : b->rcd);
	} else {
		b->open = 0;
		b->rp = k + r->g.dram_rp;
		c->to_close &= ~(1u << bank);
		needs_next(c, bank, &c->to_open, rp_max64(b->rp, b->rc));
	}
	c->prio = bank + 1 == r->g.dram_banks ? 0 : bank + 1;
}

/* Banks of groups whose distance, in cycles of each group, is over in cycle k. */
static CT_INLINE uint32_t banks_of_groups(const struct rp_dram_timing *t, const uint64_t *over,
                                          uint64_t k)
{
	uint32_t banks = 0;
	for (uint32_t g = 0; g < t->groups; g++)
		banks |= (0 - (uint32_t)(over[g] <= k)) & t->banks_of[g];
	return banks;
}

/* Of banks of to_access whose own distances are over, those that can have a column command in cycle k. */
static CT_INLINE uint32_t columns_of(const struct rp_channel *c, const struct rp_dram_timing *t,
                                     uint32_t banks, uint64_t k)
{
	banks &= (c->rtw <= k ? c->writes : 0) | (c->wtr <= k ? ~c->writes : 0);
	return banks ? banks & banks_of_groups(t, c->ccdl, k) : 0;
}

/* Banks that can have a row command. */
static CT_INLINE uint32_t rows_now(const struct rp_channel *c, const struct rp_dram_timing *t,
                                   uint64_t k)
{
	uint32_t close = c->to_close & c->ripe;
	return (c->rrd <= k ? c->to_open & c->ripe : 0) |
	       (close ? close & banks_of_groups(t, c->rtpl, k) : 0);
}

/* The first of some banks, one at least, from `prio` on. */
static CT_INLINE uint32_t first_in_turn(uint32_t banks, uint32_t prio)
{
	uint32_t after = banks >> prio << prio;
	return ct_low_bit(after ? after : banks);
}

/* One column and one row command with a dual bus; else banks in turn, the first
 * possible command (a row command may be followed by a column command of a later
 * bank). */
static CT_INLINE int issue_commands(struct ct_replay *r, const struct rp_partition *p,
                                    struct rp_channel *c, uint64_t k)
{
	const struct rp_dram_timing *t = &r->dram_timing;
	uint32_t prio = c->prio, dual = r->g.dram_dual_bus;
	for (uint32_t m = c->serving & ~c->ripe; m; m &= m - 1)
		c->ripe |= (uint32_t)(c->ready[ct_low_bit(m)] <= k) << ct_low_bit(m);
	uint32_t ripe = c->ccd <= k ? c->to_access & c->ripe : 0;
	uint32_t columns = ripe ? columns_of(c, t, ripe, k) : 0, rows = dual ? 0 : rows_now(c, t, k);
	uint32_t column = columns ? first_in_turn(columns, prio) : 0;
	if (rows) {
		uint32_t row = first_in_turn(rows, prio);
		if (!columns || ((row - prio) & 31) < ((column - prio) & 31))
			issue_row(r, c, row, k, t);
	}
	if (columns && issue_column(r, p, c, column, k, t) < 0)
		return -1;
	if (dual && (rows = rows_now(c, t, k)) != 0)
		issue_row(r, c, first_in_turn(rows, prio), k, t);
	return 0;
}

/* First cycle with a column command that can be given after those of cycle k. */
static CT_INLINE uint64_t next_column(const struct ct_replay *r, const struct rp_channel *c, uint64_t k)
{
	uint64_t t = RP_NEVER64, first = rp_max64(k + 1, c->ccd);
	uint32_t ripe = c->to_access & c->ripe;
	if (ripe && columns_of(c, &r->dram_timing, ripe, first))
		return first;
	for (uint32_t m = c->to_access; m; m &= m - 1)
		t = lesser_cycle(t, column_at(r, c, ct_low_bit(m)));
	return t;
}

/* The same of any command; it may be before k + 1, which means then. */
static CT_INLINE uint64_t next_command(const struct ct_replay *r, const struct rp_channel *c, uint64_t k)
{
	uint64_t t = next_column(r, c, k), open = RP_NEVER64;
	if (c->to_open & c->ripe)
		t = lesser_cycle(t, c->rrd);
	else if (c->to_open) {
		for (uint32_t m = c->to_open; m; m &= m - 1)
			open = lesser_cycle(open, c->ready[ct_low_bit(m)]);
		t = lesser_cycle(t, rp_max64(open, c->rrd));
	}
	for (uint32_t m = c->to_close; m; m &= m - 1)
		t = lesser_cycle(t, row_at(r, c, ct_low_bit(m)));
	return t;
}

/* ---- between slices and the controller ---- */

/* Bit k % 64: that slice of the partition has credit: one for each, the rest shared (doc/replay.md section 9). */
static CT_INLINE uint64_t with_credit(const struct ct_replay *r, const struct rp_channel *c)
{
	uint32_t places = r->g.dram_queue + r->g.dram_return_queue;
	return c->shared_credit + r->map.per_channel - 1 < places ? UINT64_MAX : ~c->private_credit;
}

/* The next slice in turn that has a request for this channel, credit and room for its answer, by its number in the
 * partition; RP_NO_INDEX: there is none. From the last in turn to the first, without a branch: which one has is
 * anybody's guess. */
static CT_INLINE uint32_t next_taken(const struct ct_replay *r, const struct rp_partition *p,
                                     const struct rp_channel *c)
{
	uint32_t me = (uint32_t)(c - p->channel), best = RP_NO_INDEX;
	if (c->queued >= r->g.dram_queue)
		return RP_NO_INDEX;
	uint64_t credit = with_credit(r, c);
	for (uint32_t i = p->nslices, k = c->last_slice; i; i--) {
		const struct rp_slice *s = &r->slice[p->first_slice + k];
		uint32_t can = (s->to_dram.n != 0) & (s->fills.n < RP_L2_QUEUE) &
		               (uint32_t)(credit >> (k & 63) & 1);
		if (p->nchannels > 1)
			can = can && rp_req_first(&s->to_dram)->channel == me;
		best = can ? k : best;
		k = (k ? k : p->nslices) - 1;
	}
	return best;
}

/* Another channel has taken a request: the one behind it may be for this channel. Channels take in the order of their
 * numbers within a core cycle. */
static void show_next(struct ct_replay *r, struct rp_partition *p, const struct rp_channel *by,
                      uint64_t core)
{
	for (uint32_t i = 0; i < p->nchannels; i++)
		if (&p->channel[i] != by)
			rp_dram_wake(r, &p->channel[i], &p->channel[i] > by ? core : core + 1);
}

/* The controller takes a request from a slice: at most one in a DRAM cycle. */
static int take_from_slices(struct ct_replay *r, struct rp_partition *p, struct rp_channel *c,
                            uint64_t core)
{
	uint32_t k = next_taken(r, p, c);
	c->blocked = k == RP_NO_INDEX;
	if (c->blocked)
		return 0;
	struct rp_slice *s = &r->slice[p->first_slice + k];
	struct rp_dram_req *q = rp_req_new(&c->delay);
	if (!q)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	*q = *rp_req_first(&s->to_dram);
	q->due = rp_dram_cycle_of(r, core + r->g.dram_latency);
	rp_req_pop(&s->to_dram);
	p->to_dram--;
	c->shared_credit += (uint32_t)(c->private_credit >> (k & 63) & 1);
	c->private_credit |= UINT64_C(1) << (k & 63);
	c->last_slice = k;
	if (s->next > core)
		s->next = core; /* its miss queue may move */
	if (p->nchannels > 1)
		show_next(r, p, c, core);
	return 0;
}

/* Asks the host's memory for what the fill of that MSHR entry will meet. */
static void bring_fill(const struct rp_slice *s, uint32_t mshr)
{
	const struct rp_l2_mshr *m = &s->mshr[mshr];
	CT_BRING(&s->tags.line[m->line]);
	if (m->head != RP_NO_INDEX)
		CT_BRING(&s->waiter[m->head]);
}

/* The first request on its way back reaches its slice when it is due and the slice has room for a
 * fill, and gives its credit back. */
static int give_back(struct ct_replay *r, struct rp_partition *p, struct rp_channel *c, uint64_t k,
                     uint64_t core)
{
	if (!c->returning.n || rp_req_first(&c->returning)->due > k)
		return 0;
	const struct rp_dram_req *q = rp_req_first(&c->returning);
	struct rp_slice *s = slice_of(r, p, q);
	if (q->mshr != RP_NO_INDEX) {
		if (s->fills.n >= RP_L2_QUEUE)
			return 0;
		if (rp_req_push(&s->fills, q) < 0)
			return rp_fail(r, CT_ERR_NOMEM, "out of memory");
		if (q->mshr < RP_PART_READ)
			bring_fill(s, q->mshr);
		if (s->next > core)
			s->next = core;
	}
	c->shared_credit -= (uint32_t)(~c->private_credit >> (q->slice & 63) & 1);
	c->private_credit &= ~(UINT64_C(1) << (q->slice & 63));
	c->blocked = 0;
	rp_req_pop(&c->returning);
	return 0;
}

/* The first of the delay line arrives when it is due and there is room by the end of a cycle, and
 * is queued at the beginning of the next. */
static void take_from_delay(const struct ct_replay *r, struct rp_channel *c, uint64_t k)
{
	if (!c->delay.n || rp_req_first(&c->delay)->due >= k || c->queued >= r->g.dram_queue)
		return;
	enqueue_request(c, rp_req_first(&c->delay));
	rp_req_pop(&c->delay);
	if (c->held == r->g.dram_banks)
		c->backlog_from = k;
}

static int one_cycle(struct ct_replay *r, struct rp_partition *p, struct rp_channel *c, uint64_t k,
                     uint64_t core)
{
	if (give_back(r, p, c, k, core) < 0)
		return -1;
	take_from_delay(r, c, k);
	schedule_bank(r, c);
	if (c->command_at <= k) {
		if (issue_commands(r, p, c, k) < 0)
			return -1;
		c->command_at = next_command(r, c, k);
	}
	return ((p->to_dram != 0) & !c->blocked) ? take_from_slices(r, p, c, core) : 0;
}

/* Earliest cycle after k in which the channel has something to do. */
static uint64_t next_cycle(struct ct_replay *r, const struct rp_partition *p, const struct rp_channel *c,
                           uint64_t k)
{
	uint64_t t = c->command_at;
	if (((p->to_dram != 0) & !c->blocked) | ((c->waiting_banks & ~c->serving) != 0))
		return k + 1;
	if (c->returning.n)
		t = lesser_cycle(t, rp_req_first(&c->returning)->due);
	if (c->delay.n && c->queued < r->g.dram_queue)
		t = lesser_cycle(t, rp_req_first(&c->delay)->due + 1);
	return rp_max64(t, k + 1);
}

void rp_dram_wake(struct ct_replay *r, struct rp_channel *c, uint64_t core)
{
	uint64_t k = rp_dram_cycle_of(r, core);
	c->blocked = 0;
	if (c->next > k) {
		c->next = k;
		c->next_core = rp_dram_core_of(r, k);
	}
}

int rp_dram_step(struct ct_replay *r, struct rp_partition *p, struct rp_channel *c, uint64_t core)
{
	do {
		if (one_cycle(r, p, c, c->next, core) < 0)
			return -1;
		c->next = next_cycle(r, p, c, c->next);
		c->next_core = rp_dram_core_of(r, c->next);
	} while (c->next_core <= core);
	return 0;
}
