/* The LLC: slices with in-order input queues, tags and MSHRs (accelsim-model.md 8). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "replay/private/parts.h"

int rp_req_grow(struct rp_req_ring *q)
{
	uint32_t cap = q->cap ? q->cap * 2 : 16;
	struct rp_dram_req *v = ct_calloc(cap, sizeof *v);
	if (!v)
		return -1;
	for (uint32_t i = 0; i < q->n; i++)
		v[i] = *rp_req_at(q, i);
	free(q->p);
	q->p = v;
	q->cap = cap;
	q->head = 0;
	return 0;
}

static int slice_init(struct ct_replay *r, struct rp_slice *s, uint32_t id, struct ct_error *e)
{
	const struct ct_cache_params *c = &r->g.llc;
	uint32_t buckets = 16;
	s->id = id;
	s->waiter_free = s->near = RP_NO_INDEX;
	uint32_t lines = c->sets * c->ways, fifo = c->replacement == CT_REPL_FIFO;
	int st = r->timing == CT_REPLAY_FULL
	                 ? rp_tags_init(&s->tags, lines, r->llc_sectors, fifo, c->dirty_percent, &r->pool, e)
	                 : rp_lru_init(&s->lru, lines, r->llc_sectors, fifo, c->dirty_percent, &r->pool, e);
	if (st < 0)
		return -1;
	if (r->timing == CT_REPLAY_FULL)
		rp_tags_shape(&s->tags, c->sets, c->ways);
	else
		rp_lru_shape(&s->lru, c->sets, c->ways);
	while (buckets < c->mshr_entries * 2)
		buckets *= 2;
	s->bucket_mask = buckets - 1;
	s->mshr = ct_pool_take(&r->pool, c->mshr_entries, sizeof *s->mshr);
	s->bucket = ct_pool_take(&r->pool, buckets, sizeof *s->bucket);
	s->mshr_spare.at = ct_pool_take(&r->pool, c->mshr_entries, sizeof *s->mshr_spare.at);
	if (!s->mshr || !s->bucket || !s->mshr_spare.at)
		return ct_fail_nomem(e);
	for (uint32_t i = c->mshr_entries; i-- > 0;)
		s->mshr_spare.at[s->mshr_spare.n++] = i;
	for (uint32_t i = 0; i < buckets; i++)
		s->bucket[i] = RP_NO_INDEX;
	s->next = RP_NEVER64;
	return 0;
}

int rp_llc_init(struct ct_replay *r, struct ct_error *e)
{
	uint32_t ns = r->map.per_channel, nc = r->map.per_slice;
	r->partitions = r->map.slices / ns;
	r->slice = ct_pool_take(&r->pool, r->map.slices, sizeof *r->slice);
	r->part = ct_pool_take(&r->pool, r->partitions, sizeof *r->part);
	if (!r->slice || !r->part)
		return ct_fail_nomem(e);
	for (uint32_t i = 0; i < r->map.slices; i++)
		if (slice_init(r, &r->slice[i], i, e) < 0)
			return e ? e->status : CT_ERR_NOMEM;
	for (uint32_t i = 0; i < r->partitions; i++) {
		struct rp_partition *p = &r->part[i];
		p->first_slice = i * ns;
		p->nslices = ns;
		p->first_channel = i * nc;
		p->nchannels = nc;
		p->next = RP_NEVER64;
		p->channel = ct_pool_take(&r->pool, nc, sizeof *p->channel);
		if (!p->channel)
			return ct_fail_nomem(e);
		for (uint32_t c = 0; c < nc; c++)
			if (rp_dram_init(r, &p->channel[c], e) < 0)
				return e ? e->status : CT_ERR_NOMEM;
	}
	return 0;
}

void rp_llc_free(struct ct_replay *r)
{
	for (uint32_t i = 0; r->slice && i < r->map.slices; i++) {
		struct rp_slice *s = &r->slice[i];
		rp_ring_free(&s->input);
		rp_ring_free(&s->ready);
		rp_ring_free(&s->replies);
		free(s->past);
		free(s->waiter);
		free(s->missq.p);
		free(s->to_dram.p);
		free(s->fills.p);
	}
	for (uint32_t i = 0; r->part && i < r->partitions; i++) {
		for (uint32_t c = 0; r->part[i].channel && c < r->part[i].nchannels; c++)
			rp_dram_free(&r->part[i].channel[c]);
	}
}

struct rp_ring *rp_llc_replies(struct ct_replay *r, uint32_t slice)
{
	return &r->slice[slice].replies;
}

void rp_llc_wake(struct ct_replay *r, uint32_t slice, uint64_t at)
{
	struct rp_slice *s = &r->slice[slice];
	struct rp_partition *part = &r->part[slice / r->map.per_channel];
	s->next = s->next < at ? s->next : at;
	part->next = part->next < s->next ? part->next : s->next;
}

/* A packet that asks for several sectors of a line becomes one for each. */
static int accept_fetch(struct ct_replay *r, const struct rp_packet *p, uint64_t when)
{
	uint32_t eighth = 1u << r->llc_sector_bits >> 3;
	for (uint32_t s = 0; s < r->llc_sectors; s++) {
		uint32_t n = p->bytes >> 4 * s & 15;
		struct rp_packet q = *p;
		if (!n)
			continue;
		q.address += (uint64_t)s << r->llc_sector_bits;
		q.payload = (uint8_t)(n * eighth);
		q.bytes = 0;
		if (rp_llc_accept(r, &q, when) < 0)
			return -1;
	}
	return 0;
}

int rp_llc_accept(struct ct_replay *r, const struct rp_packet *p, uint64_t when)
{
	struct rp_slice *s = &r->slice[p->slice];
	if (p->kind == RP_PK_FETCH && p->bytes)
		return accept_fetch(r, p, when);
	struct rp_packet *q = rp_ring_new(&s->input);
	if (!q)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	*q = *p;
	q->when = when;
	rp_tags_prefetch(&s->tags, p->address >> r->llc_line_bits);
	if (!s->stalled && s->input.n == 1) {
		struct rp_partition *part = &r->part[p->slice / r->map.per_channel];
		s->next = s->next < when + 1 ? s->next : when + 1;
		part->next = part->next < s->next ? part->next : s->next;
	}
	return 0;
}

/* Requests that had entered the queue by `cycle` and had not left it. The slices are a
 * window ahead of the network, so some have left since. A window's network asks in the order
 * of its cycles. */
static uint32_t queued_at(struct rp_slice *s, uint64_t cycle)
{
	while (s->past_in < s->npast && s->past[s->past_in].entered <= cycle)
		s->past_in++;
	while (s->past_out < s->npast && s->past[s->past_out].left <= cycle)
		s->past_out++;
	while (s->input_in < s->input.n && rp_ring_at(&s->input, s->input_in)->when <= cycle)
		s->input_in++;
	return s->past_in + s->input_in - s->past_out;
}

int rp_llc_accepts(const struct ct_replay *r, uint32_t slice, uint64_t cycle)
{
	struct rp_slice *s = &r->slice[slice];
	if (cycle <= s->room_until || s->input.n + s->npast + 4 <= r->g.llc_queue)
		return 1;
	uint32_t queued = queued_at(s, cycle) + 4;
	/* one a cycle enters at most, without parts and with a network that takes time */
	if (queued <= r->g.llc_queue && !r->parts && !r->free)
		s->room_until = cycle + r->g.llc_queue - queued;
	return queued <= r->g.llc_queue;
}

void rp_llc_flush(struct ct_replay *r)
{
	for (uint32_t i = 0; i < r->map.slices; i++)
		if (r->timing == CT_REPLAY_FULL)
			rp_tags_flush(&r->slice[i].tags);
		else
			rp_lru_flush(&r->slice[i].lru);
}

/* ---- one slice ---- */

static uint32_t bucket_of(const struct rp_slice *s, uint64_t sector)
{
	return (uint32_t)((sector * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & s->bucket_mask;
}

static uint32_t mshr_find(const struct rp_slice *s, uint64_t sector)
{
	uint32_t i = s->bucket[bucket_of(s, sector)];
	while (i != RP_NO_INDEX && s->mshr[i].sector != sector)
		i = s->mshr[i].next;
	return i;
}

static uint32_t mshr_open(struct rp_slice *s, uint64_t sector)
{
	uint32_t i = s->mshr_spare.at[--s->mshr_spare.n], *b = &s->bucket[bucket_of(s, sector)];
	struct rp_l2_mshr *m = &s->mshr[i];
	*m = (struct rp_l2_mshr){.sector = sector, .next = *b, .head = RP_NO_INDEX,
	                         .tail = RP_NO_INDEX};
	*b = i;
	return i;
}

static void mshr_close(struct rp_slice *s, uint32_t i)
{
	uint32_t *b = &s->bucket[bucket_of(s, s->mshr[i].sector)];
	while (*b != i)
		b = &s->mshr[*b].next;
	*b = s->mshr[i].next;
	s->mshr_spare.at[s->mshr_spare.n++] = i;
}

static int mshr_wait(struct ct_replay *r, struct rp_slice *s, uint32_t m, const struct rp_packet *p)
{
	if (s->waiter_free == RP_NO_INDEX) {
		uint32_t cap = s->waiter_cap ? s->waiter_cap * 2 : 64;
		struct rp_l2_waiter *v = ct_reallocarray(s->waiter, cap, sizeof *v);
		if (!v)
			return rp_fail(r, CT_ERR_NOMEM, "out of memory");
		for (uint32_t i = cap; i-- > s->waiter_cap;) {
			v[i].next = s->waiter_free;
			s->waiter_free = i;
		}
		s->waiter = v;
		s->waiter_cap = cap;
	}
	uint32_t w = s->waiter_free;
	s->waiter_free = s->waiter[w].next;
	s->waiter[w] = (struct rp_l2_waiter){RP_NO_INDEX, p->id, p->group, p->sm, p->kind,
	                                      p->payload};
	if (s->mshr[m].tail == RP_NO_INDEX)
		s->mshr[m].head = w;
	else
		s->waiter[s->mshr[m].tail].next = w;
	s->mshr[m].tail = w;
	s->mshr[m].count++;
	s->mshr[m].atomic |= p->kind == RP_PK_ATOMIC;
	return 0;
}

/* Replies leave one a cycle; the queue's length follows from when the last leaves. */
RP_HOT int reply(struct ct_replay *r, struct rp_slice *s, const struct rp_packet *p, uint64_t now)
{
	struct rp_packet *q = rp_ring_new(&s->replies);
	if (!q)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	s->reply_last = r->free & CT_REPLAY_FREE_LLC ? now + 1 : rp_max64(now, s->reply_last) + 1;
	*q = *p;
	q->when = s->reply_last;
	q->slice = (uint16_t)s->id;
	return 0;
}

int rp_llc_reply(struct ct_replay *r, uint32_t slice, const struct rp_packet *p, uint64_t now)
{
	return reply(r, &r->slice[slice], p, now);
}

static int reply_full(const struct rp_slice *s, uint64_t now)
{
	return s->reply_last > now && s->reply_last - now >= RP_L2_QUEUE;
}

int rp_llc_to_dram(struct ct_replay *r, uint32_t slice, uint64_t address, uint32_t mshr,
                   uint32_t bytes)
{
	struct rp_slice *s = &r->slice[slice];
	struct ct_place place = ct_address_place(&r->map, address);
	uint32_t atom = r->g.dram_bus_bytes * r->g.dram_burst;
	struct rp_dram_req q = {
		.row = place.row, .bank = (uint16_t)place.bank, .mshr = mshr,
		.atoms = atom && bytes > atom ? (bytes + atom - 1) / atom : 1,
		.slice = (uint16_t)(s->id % r->map.per_channel),
		.channel = (uint16_t)(place.channel % r->map.per_slice),
	};
	if (mshr == RP_NO_INDEX)
		r->total.dram_write_bytes += bytes;
	else
		r->total.dram_read_bytes += bytes;
	if (rp_req_push(&s->missq, &q) < 0)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	return 0;
}

static int to_dram(struct ct_replay *r, struct rp_slice *s, uint64_t address, uint32_t mshr,
                   uint32_t sectors)
{
	return rp_llc_to_dram(r, s->id, address, mshr, sectors << r->llc_sector_bits);
}

enum { AHEAD = 3 }; /* requests between asking the host's memory for a line and its lookup */

enum outcome { HIT, PENDING, SECTOR_MISS, LINE_MISS, FAIL };

/* Takes way v, a victim, for the line; a modified one goes to DRAM. */
static int allocate(struct ct_replay *r, struct rp_slice *s, uint32_t set, uint32_t v, uint64_t line,
                    uint32_t now, uint32_t *index)
{
	if (v == RP_NO_LINE)
		return 0;
	const struct rp_line *old = &s->tags.line[v];
	if (old->modified &&
	    to_dram(r, s, old->tag << r->llc_line_bits, RP_NO_INDEX, ct_bits(old->modified)) < 0)
		return -1;
	rp_tags_allocate(&s->tags, set, v, line, now);
	*index = s->near = v;
	return 1;
}

RP_HOT enum outcome probe(struct rp_slice *s, uint64_t line, uint32_t bit, int store,
                          uint32_t *index)
{
	uint32_t i = s->near = rp_tags_find_near(&s->tags, line, s->near);
	*index = i;
	if (i == RP_NO_LINE)
		return LINE_MISS;
	const struct rp_line *t = &s->tags.line[i];
	if (t->reserved & bit)
		return PENDING;
	if (!(t->valid & bit))
		return SECTOR_MISS;
	return store || !(t->unreadable & bit) ? HIT : SECTOR_MISS;
}

static enum outcome read_sector(struct ct_replay *r, struct rp_slice *s, const struct rp_packet *p,
                                uint32_t now)
{
	uint64_t line = p->address >> r->llc_line_bits, sector = p->address >> r->llc_sector_bits;
	uint32_t k = (uint32_t)(sector & (r->llc_sectors - 1)), i, m, v = RP_NO_LINE;
	enum outcome what = probe(s, line, 1u << k, 0, &i);
	if (what == HIT) {
		rp_tags_touch_later(&s->tags, i, now);
		if (p->kind == RP_PK_ATOMIC)
			rp_tags_modify(&s->tags, i, k);
		return HIT;
	}
	if (s->missq.n + 1 >= r->g.llc.miss_queue)
		return FAIL;
	m = mshr_find(s, sector);
	if (m != RP_NO_INDEX ? s->mshr[m].count >= r->g.llc.mshr_merge : !s->mshr_spare.n)
		return FAIL;
	if (what == LINE_MISS)
		v = rp_tags_victim(&s->tags, p->llc_set);
	if (m == RP_NO_INDEX) {
		m = mshr_open(s, sector);
		/* the read goes ahead of the victim's write-back */
		if (what == LINE_MISS && v == RP_NO_LINE) {
			mshr_close(s, m);
			return FAIL;
		}
		if (to_dram(r, s, p->address, m, 1) < 0)
			return FAIL;
	}
	if (what == LINE_MISS) {
		if (allocate(r, s, p->llc_set, v, line, now, &i) <= 0)
			return FAIL;
	} else {
		rp_tags_touch_later(&s->tags, i, now);
	}
	if (what != PENDING)
		rp_tags_reserve(&s->tags, i, k);
	s->mshr[m].line = i;
	if (mshr_wait(r, s, m, p) < 0)
		return FAIL;
	return what;
}

static enum outcome write_sector(struct ct_replay *r, struct rp_slice *s,
                                 const struct rp_packet *p, uint32_t now)
{
	uint64_t line = p->address >> r->llc_line_bits, sector = p->address >> r->llc_sector_bits;
	uint32_t k = (uint32_t)(sector & (r->llc_sectors - 1)), i;
	enum outcome what = probe(s, line, 1u << k, 1, &i);
	if (what != HIT && s->missq.n >= r->g.llc.miss_queue)
		return FAIL;
	if (what == LINE_MISS) {
		if (allocate(r, s, p->llc_set, rp_tags_victim(&s->tags, p->llc_set), line, now, &i) <= 0)
			return FAIL;
	} else {
		rp_tags_touch_later(&s->tags, i, now);
	}
	rp_tags_store(&s->tags, i, k, r->llc_sector_bits == 5 ? p->bytes : 0xffffffffu);
	return what;
}

void rp_llc_count(struct ct_replay *r, const struct rp_packet *p, int pending, int miss)
{
	struct ct_replay_counts *c = &r->total;
	int read = !rp_is_store(p);
	c->llc_accesses++;
	c->llc_misses += (uint64_t)miss;
	c->llc_pending += (uint64_t)pending;
	c->llc_busy++;
	if (read) {
		c->llc_read_accesses++;
		c->llc_read_misses += (uint64_t)miss;
	}
}

RP_HOT int note_left(struct ct_replay *r, struct rp_slice *s, uint64_t entered, uint64_t now)
{
	if (s->npast == s->past_cap) {
		size_t cap = s->past_cap;
		if (ct_grow((void **)&s->past, &cap, s->npast + 1, sizeof *s->past) < 0)
			return rp_fail(r, CT_ERR_NOMEM, "out of memory");
		s->past_cap = (uint32_t)cap;
	}
	s->past[s->npast++] = (struct rp_past){entered, now};
	return 0;
}

/* An LLC organisation sees the head first: CT_LLC_TAKEN and it is gone. */
static enum ct_llc_outcome show_head(struct ct_replay *r, struct rp_slice *s, uint64_t now)
{
	struct rp_packet p = *rp_ring_at(&s->input, 0);
	enum ct_llc_outcome what = (enum ct_llc_outcome)rp_part_llc_access(r, s, &p, now);
	if (what != CT_LLC_TAKEN)
		return what;
	rp_ring_pop(&s->input);
	return note_left(r, s, p.when, now) < 0 ? CT_LLC_RETRY : what;
}

/* The tags serve the head of the input queue; 0 when it has to be tried again after something has
 * changed. */
static int access_head(struct ct_replay *r, struct rp_slice *s, uint64_t now)
{
	if (r->llc_part && show_head(r, s, now) != CT_LLC_PASS)
		return 1;
	struct rp_packet p = *rp_ring_at(&s->input, 0);
	int store = rp_is_store(&p);
	CT_BRING(rp_ring_at(&s->input, AHEAD + 2));
	if (s->input.n > AHEAD)
		rp_tags_guess(&s->tags, rp_ring_at(&s->input, AHEAD)->address >> r->llc_line_bits);
	uint32_t tick = (uint32_t)now;
	enum outcome what = store ? write_sector(r, s, &p, tick) : read_sector(r, s, &p, tick);
	if (what == FAIL)
		return 0;
	rp_ring_pop(&s->input);
	if (r->llc_part)
		r->parts->slice[s->id].passed = 0;
	if (note_left(r, s, p.when, now) < 0)
		return 0;
	rp_llc_count(r, &p, what == PENDING, what > PENDING);
	/* of several sectors of one line that miss the first makes the line miss */
	if (what > PENDING)
		r->total.llc_line_misses += (uint64_t)rp_group_miss(&r->sm[p.sm], p.group);
	if (r->has_llc)
		rp_llc_log(r, s->id, &p, now, (int)what);
	if (store || what == HIT)
		reply(r, s, &p, now);
	return 1;
}

static int fill(struct ct_replay *r, struct rp_slice *s, uint32_t m)
{
	struct rp_l2_mshr *e = &s->mshr[m];
	uint32_t k = (uint32_t)(e->sector & (r->llc_sectors - 1));
	uint32_t i = rp_tags_find_near(&s->tags, e->sector >> (r->llc_line_bits - r->llc_sector_bits),
	                               e->line);
	if (i != RP_NO_LINE &&
	    ((s->tags.line[i].reserved | s->tags.line[i].fill_modified) >> k & 1))
		rp_tags_fill(&s->tags, i, k, e->atomic);
	for (uint32_t w = e->head; w != RP_NO_INDEX;) {
		uint32_t next = s->waiter[w].next;
		struct rp_packet p = {.id = s->waiter[w].id, .group = s->waiter[w].group,
		                      .sm = s->waiter[w].sm, .kind = s->waiter[w].kind,
		                      .payload = s->waiter[w].payload};
		if (rp_ring_push(&s->ready, &p) < 0)
			return rp_fail(r, CT_ERR_NOMEM, "out of memory");
		s->waiter[w].next = s->waiter_free;
		s->waiter_free = w;
		w = next;
	}
	mshr_close(s, m);
	return 0;
}

/* DRAM that costs nothing: what has been read is there, what is written is gone. */
static int answer_misses(struct ct_replay *r, struct rp_slice *s)
{
	while (s->missq.n) {
		const struct rp_dram_req *q = rp_req_at(&s->missq, 0);
		if (q->mshr != RP_NO_INDEX && rp_req_push(&s->fills, q) < 0)
			return rp_fail(r, CT_ERR_NOMEM, "out of memory");
		rp_req_pop(&s->missq);
	}
	return 0;
}

/* A request that has been filled is answered in cycle `at`, one in each. */
static int answer_ready(struct ct_replay *r, struct rp_slice *s, uint64_t at)
{
	if (s->answered > at || reply_full(s, at))
		return 0;
	int st = reply(r, s, rp_ring_at(&s->ready, 0), at);
	rp_ring_pop(&s->ready);
	s->answered = r->free & CT_REPLAY_FREE_LLC ? 0 : at + 1;
	return st;
}

/* One cycle: an answered fill leaves, a fill arrives, the miss queue moves, the tags
 * serve a request. */
static int slice_cycle(struct ct_replay *r, struct rp_partition *p, struct rp_slice *s, uint64_t now)
{
	int changed = 0, progress = 0;
	if (r->parts && rp_event_next(&r->parts->events[r->g.sms + s->id]) <= now) {
		rp_events_run(r, r->g.sms + s->id, now);
		if (r->error.status)
			return -1;
	}
	if (s->ready.n && answer_ready(r, s, now) < 0)
		return -1;
	if (s->fills.n) {
		uint32_t m = rp_req_at(&s->fills, 0)->mshr;
		rp_req_pop(&s->fills);
		if (m & RP_PART_READ)
			rp_part_llc_filled(r, s, m, now);
		else if (fill(r, s, m) < 0)
			return -1;
		changed = 1;
	}
	if (s->missq.n && (r->free & CT_REPLAY_FREE_DRAM)) {
		if (answer_misses(r, s) < 0)
			return -1;
		changed = 1;
	} else if (s->missq.n && s->to_dram.n < RP_L2_QUEUE) {
		if (rp_req_push(&s->to_dram, rp_req_at(&s->missq, 0)) < 0)
			return rp_fail(r, CT_ERR_NOMEM, "out of memory");
		rp_req_pop(&s->missq);
		p->to_dram++;
		changed = 1;
	}
	if (s->stalled && changed)
		s->stalled = 0;
	if (s->input.n && !s->stalled && rp_ring_at(&s->input, 0)->when < now &&
	    s->to_dram.n < RP_L2_QUEUE && !reply_full(s, now)) {
		progress = access_head(r, s, now);
		s->stalled = !progress;
	}
	/* what the next cycle would begin with, if nothing can come between */
	if (s->ready.n && !r->parts && !(r->free & CT_REPLAY_FREE_LLC) &&
	    answer_ready(r, s, now + 1) < 0)
		return -1;
	s->next = RP_NEVER64;
	if (s->ready.n || s->fills.n || (s->missq.n && s->to_dram.n < RP_L2_QUEUE))
		s->next = now + 1;
	else if (s->input.n && !s->stalled && s->to_dram.n < RP_L2_QUEUE)
		s->next = rp_max64(now, rp_ring_at(&s->input, 0)->when) + 1;
	if (r->parts && rp_event_next(&r->parts->events[r->g.sms + s->id]) < s->next)
		s->next = rp_max64(now + 1, rp_event_next(&r->parts->events[r->g.sms + s->id]));
	return r->error.status;
}

/* Whether a slice without ports and queues has more to do in this cycle. */
static int goes_on(const struct ct_replay *r, const struct rp_slice *s, uint64_t now)
{
	if (!(r->free & CT_REPLAY_FREE_LLC))
		return 0;
	return s->ready.n || s->fills.n ||
	       (s->input.n && !s->stalled && s->to_dram.n < RP_L2_QUEUE &&
	        rp_ring_at(&s->input, 0)->when < now);
}

static int partition_cycle(struct ct_replay *r, struct rp_partition *p, uint64_t now)
{
	struct rp_channel *channel = p->channel, *end = channel + p->nchannels;
	struct rp_slice *s = &r->slice[p->first_slice], *last = s + p->nslices;
	uint64_t next = RP_NEVER64;
	for (struct rp_channel *c = channel; c < end; c++)
		if (c->next_core <= now && rp_dram_step(r, p, c, now) < 0)
			return -1;
	for (; s < last; s++) {
		if (s->next <= now) {
			do
				if (slice_cycle(r, p, s, now) < 0)
					return -1;
			while (goes_on(r, s, now));
		}
		next = s->next < next ? s->next : next;
	}
	for (struct rp_channel *c = channel; c < end; c++) {
		if (p->to_dram && c->next_core > now)
			rp_dram_wake(r, c, now + 1);
		next = c->next_core < next ? c->next_core : next;
	}
	p->next = next;
	return 0;
}

int rp_llc_run(struct ct_replay *r, uint64_t from, uint64_t to)
{
	(void)from;
	for (uint32_t i = 0; i < r->map.slices; i++)
		r->slice[i].npast = r->slice[i].past_in = r->slice[i].past_out = r->slice[i].input_in = 0;
	for (uint32_t i = 0; i < r->partitions; i++) {
		struct rp_partition *p = &r->part[i];
		while (p->next < to)
			if (partition_cycle(r, p, p->next) < 0)
				return -1;
	}
	if (r->parts)
		r->parts->slices_until = to;
	return 0;
}

uint64_t rp_llc_next(const struct ct_replay *r)
{
	uint64_t t = RP_NEVER64;
	for (uint32_t i = 0; i < r->partitions; i++)
		if (r->part[i].next < t)
			t = r->part[i].next;
	return t;
}

static void fill_now(struct rp_lru *t, uint32_t set, uint64_t line, uint32_t sector, uint32_t tick)
{
	uint32_t i = rp_lru_find(t, set, line);
	if (i == RP_LRU_NONE) {
		i = rp_lru_victim(t, set);
		rp_lru_allocate(t, set, i, line, tick);
	} else {
		rp_lru_touch(t, set, i, tick);
	}
	if (!(rp_lru_at(t, i)->valid >> sector & 1))
		rp_lru_fill(rp_lru_at(t, i), 1u << sector);
}

/* A copy puts its sectors into the tags, clean, without traffic; the address is cut to
 * 32 bits as Accel-Sim does (accelsim-model.md 1). */
void rp_llc_fill(struct ct_replay *r, uint64_t address, uint64_t bytes)
{
	uint64_t step = UINT64_C(1) << r->llc_sector_bits;
	uint64_t limit = 8 * ct_gpu_llc_bytes(&r->g); /* beyond, only the end stays */
	if (bytes > limit) {
		address += bytes - limit;
		bytes = limit;
	}
	for (uint64_t off = 0; off < bytes; off += step) {
		uint64_t at = (address + off) & 0xffffffffu;
		struct ct_place place = ct_address_place(&r->map, at);
		struct rp_slice *s = &r->slice[place.slice];
		uint64_t line = at >> r->llc_line_bits;
		uint32_t k = (uint32_t)(at >> r->llc_sector_bits & (r->llc_sectors - 1));
		uint32_t tick = (uint32_t)r->horizon;
		if (r->timing != CT_REPLAY_FULL) {
			fill_now(&s->lru, place.llc_set, line, k, tick);
			continue;
		}
		uint32_t i = rp_tags_find(&s->tags, line);
		if (i == RP_NO_LINE) {
			i = rp_tags_victim(&s->tags, place.llc_set);
			if (i == RP_NO_LINE)
				continue;
			rp_tags_allocate(&s->tags, place.llc_set, i, line, tick);
		} else {
			rp_tags_touch(&s->tags, i, tick);
		}
		if (!(s->tags.line[i].valid >> k & 1)) {
			rp_tags_reserve(&s->tags, i, k);
			rp_tags_fill(&s->tags, i, k, 0);
		}
	}
}
