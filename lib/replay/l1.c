/* The L1 data cache of an SM: pipeline, tags, MSHR, miss queue, fills (accelsim-model.md
 * 5 and 6). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "replay/private/parts.h"

enum { RP_FIRST_STAGES = 64 };

static void shape(struct ct_replay *r, struct rp_sm *sm, uint32_t sets, uint32_t ways)
{
	if (r->timing == CT_REPLAY_FULL)
		rp_tags_shape(&sm->tags, sets, ways);
	else
		rp_lru_shape(&sm->lru, sets, ways);
}

static void flush(struct ct_replay *r, struct rp_sm *sm)
{
	if (r->timing == CT_REPLAY_FULL)
		rp_tags_flush(&sm->tags);
	else
		rp_lru_flush(&sm->lru);
}

int rp_l1_init(struct ct_replay *r, struct rp_sm *sm, struct ct_error *e)
{
	uint64_t bytes = r->g.l1.size > r->g.unified_bytes ? r->g.l1.size : r->g.unified_bytes;
	uint32_t lines = (uint32_t)(bytes / r->g.l1.line), entries = r->g.l1.mshr_entries;
	if (lines < r->g.l1.sets * r->g.l1.ways)
		lines = r->g.l1.sets * r->g.l1.ways;
	uint32_t fifo = r->g.l1.replacement == CT_REPL_FIFO;
	int st = r->timing == CT_REPLAY_FULL
	                 ? rp_tags_init(&sm->tags, lines, r->l1_sectors, fifo, r->g.l1.dirty_percent, e)
	                 : rp_lru_init(&sm->lru, lines, r->l1_sectors, fifo, r->g.l1.dirty_percent, &r->pool, e);
	if (st < 0)
		return e ? e->status : CT_ERR_NOMEM;
	shape(r, sm, r->g.l1.sets, r->g.l1.ways);
	uint32_t buckets = 16;
	while (buckets < entries * 2)
		buckets *= 2;
	sm->mshr_mask = buckets - 1;
	sm->mshr = ct_calloc_aligned(entries, sizeof *sm->mshr);
	sm->mshr_bucket = ct_calloc(buckets, sizeof *sm->mshr_bucket);
	sm->stage_mask = RP_FIRST_STAGES - 1;
	sm->stage = ct_calloc((size_t)r->banks * RP_FIRST_STAGES, sizeof *sm->stage);
	sm->mshr_spare.at = ct_calloc(entries, sizeof *sm->mshr_spare.at);
	if (!sm->mshr || !sm->mshr_bucket || !sm->stage || !sm->mshr_spare.at)
		return ct_fail_nomem(e);
	for (uint32_t i = entries; i-- > 0;)
		sm->mshr_spare.at[sm->mshr_spare.n++] = i;
	for (uint32_t i = 0; i < buckets; i++)
		sm->mshr_bucket[i] = RP_NO_INDEX;
	return 0;
}

void rp_l1_free(struct rp_sm *sm)
{
	rp_tags_free(&sm->tags);
	free(sm->mshr);
	free(sm->mshr_bucket);
	free(sm->mshr_spare.at);
	free(sm->waiter);
	free(sm->stage);
	free(sm->steps);
}

void rp_l1_log(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t now, int what)
{
	if (sm->nlog == sm->log_cap) {
		size_t cap = sm->log_cap;
		if (ct_grow((void **)&sm->log, &cap, sm->nlog + 1, sizeof *sm->log) < 0) {
			sm->failed = 1;
			rp_fail(r, CT_ERR_NOMEM, "out of memory");
			return;
		}
		sm->log_cap = (uint32_t)cap;
	}
	sm->log[sm->nlog++] = (struct rp_log){line, now, (uint8_t)what};
}

static void log_line(struct ct_replay *r, struct rp_sm *sm, uint64_t line, uint32_t now, int what)
{
	if (r->replication)
		rp_l1_log(r, sm, line, now, what);
}

static void log_all_gone(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	for (uint32_t i = 0; r->replication && i < sm->tags.lines; i++)
		if (sm->tags.line[i].used && sm->tags.line[i].filled)
			log_line(r, sm, sm->tags.line[i].tag, now, RP_LOG_GONE);
	for (uint32_t i = 0; r->replication && i < sm->lru.lines; i++)
		if (rp_lru_at(&sm->lru, i)->used && rp_lru_at(&sm->lru, i)->filled)
			log_line(r, sm, rp_lru_at(&sm->lru, i)->tag, now, RP_LOG_GONE);
}

void rp_l1_begin(struct ct_replay *r, struct rp_sm *sm)
{
	sm->nsteps = sm->step_head = 0;
	sm->l1_next = RP_NEVER;
	memset(sm->in_bank, 0, sizeof sm->in_bank);
	memset(sm->bank_at, 0xff, sizeof sm->bank_at);
	memset(sm->bank_head, 0, sizeof sm->bank_head);
	int full = r->timing == CT_REPLAY_FULL;
	uint32_t sets = full ? sm->tags.sets : sm->lru.sets, ways = full ? sm->tags.ways : sm->lru.ways;
	if (sets != r->occ.l1_sets || ways != r->occ.l1_ways) {
		log_all_gone(r, sm, 0);
		shape(r, sm, r->occ.l1_sets, r->occ.l1_ways);
	} else if (r->g.l1_flush) {
		log_all_gone(r, sm, 0);
		flush(r, sm);
	}
	if (r->l1_part && r->l1_part->flush && r->g.l1_flush)
		r->l1_part->flush(r->l1_part->part.ctx, r, sm->id, r->base);
}

void rp_l1_wipe(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].l1_wipe)
			r->obs[i].l1_wipe(r->obs[i].ctx, sm->id);
	if (r->l1_part && r->l1_part->flush)
		r->l1_part->flush(r->l1_part->part.ctx, r, sm->id, r->base + now);
	log_all_gone(r, sm, now);
	flush(r, sm);
}

/* Doubles the ring of each bank. */
static int grow_stages(struct ct_replay *r, struct rp_sm *sm)
{
	uint32_t cap = sm->stage_mask + 1;
	struct rp_stage *p = ct_calloc((size_t)r->banks * 2 * cap, sizeof *p);
	if (!p) {
		sm->failed = 1;
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	}
	for (uint32_t b = 0; b < r->banks; b++) {
		for (uint32_t i = 0; i < cap; i++)
			p[(size_t)b * 2 * cap + i] =
				sm->stage[(size_t)b * cap + ((sm->bank_head[b] + i) & sm->stage_mask)];
		sm->bank_head[b] = 0;
	}
	free(sm->stage);
	sm->stage = p;
	sm->stage_mask = 2 * cap - 1;
	return 0;
}

RP_HOT struct rp_stage *stage_at(const struct rp_sm *sm, uint32_t bank, uint32_t i)
{
	return &sm->stage[(size_t)bank * (sm->stage_mask + 1) +
	                  ((sm->bank_head[bank] + i) & sm->stage_mask)];
}

static uint32_t *bucket_of(const struct rp_sm *sm, uint64_t sector)
{
	return &sm->mshr_bucket[(uint32_t)((sector * UINT64_C(0x9e3779b97f4a7c15)) >> 32) &
	                        sm->mshr_mask];
}

/* One line, as far as it goes; adds its banks to *used. 1: all of it is in. */
RP_HOT int enter_line(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t ready,
                      uint32_t *used)
{
	struct rp_lreq *l = &sm->lreq[lreq];
	uint64_t first = l->line * r->l1_sectors;
	if (l->near == RP_NO_LINE && (l->near = rp_tags_guess(&sm->tags, l->line)) == RP_NO_LINE)
		CT_BRING(bucket_of(sm, first + ct_high_bit(l->enter | 1u)));
	while (l->enter) {
		uint32_t s = ct_high_bit(l->enter), bank = rp_modulo(first + s, r->banks);
		if (*used >> bank & 1 || sm->in_bank[bank] >= r->g.l1_latency)
			return 0;
		if (sm->in_bank[bank] > sm->stage_mask && grow_stages(r, sm) < 0)
			return 0;
		*used |= 1u << bank;
		l->enter &= (uint8_t)~(1u << s);
		*stage_at(sm, bank, sm->in_bank[bank]++) = (struct rp_stage){lreq << 3 | s, ready};
		if (sm->bank_at[bank] == RP_NEVER)
			sm->bank_at[bank] = ready;
		if (ready < sm->l1_next)
			sm->l1_next = ready;
	}
	return 1;
}

uint32_t rp_l1_enter(struct ct_replay *r, struct rp_sm *sm, uint32_t ready)
{
	uint32_t used = 0;
	while (sm->lsu_line != RP_NO_INDEX && enter_line(r, sm, sm->lsu_line, ready, &used))
		sm->lsu_line = sm->lreq[sm->lsu_line].next;
	return used;
}

/* The oldest in the bank leaves the pipeline. */
RP_HOT void leave(struct rp_sm *sm, uint32_t bank)
{
	sm->bank_head[bank]++;
	sm->bank_at[bank] = --sm->in_bank[bank] ? stage_at(sm, bank, 0)->ready : RP_NEVER;
}

/* ---- miss handling ---- */

static uint32_t mshr_find(const struct rp_sm *sm, uint32_t bucket, uint64_t sector)
{
	uint32_t i = bucket;
	while (i != RP_NO_INDEX && sm->mshr[i].sector != sector)
		i = sm->mshr[i].next;
	return i;
}

RP_HOT struct rp_mshr *mshr_open(struct rp_sm *sm, uint32_t *bucket, uint64_t sector, uint32_t mem)
{
	uint32_t i = sm->mshr_spare.at[--sm->mshr_spare.n];
	struct rp_mshr *m = &sm->mshr[i];
	*m = (struct rp_mshr){.sector = sector, .next = *bucket, .mem = mem, .head = RP_NO_INDEX,
	                      .tail = RP_NO_INDEX, .count = 1};
	*bucket = i;
	return m;
}

static void mshr_close(struct rp_sm *sm, uint32_t i)
{
	struct rp_mshr *m = &sm->mshr[i];
	uint32_t *p = bucket_of(sm, m->sector);
	while (*p != i)
		p = &sm->mshr[*p].next;
	*p = m->next;
	sm->mshr_spare.at[sm->mshr_spare.n++] = i;
}

/* One more that waits for an open entry. */
static int mshr_wait(struct ct_replay *r, struct rp_sm *sm, struct rp_mshr *m, uint32_t mem)
{
	if (sm->waiter_free == RP_NO_INDEX) {
		uint32_t cap = sm->waiter_cap ? sm->waiter_cap * 2 : 256;
		struct rp_waiter *p = ct_reallocarray(sm->waiter, cap, sizeof *p);
		if (!p)
			return sm->failed = 1, rp_fail(r, CT_ERR_NOMEM, "out of memory");
		for (uint32_t i = cap; i-- > sm->waiter_cap;) {
			p[i].next = sm->waiter_free;
			sm->waiter_free = i;
		}
		sm->waiter = p;
		sm->waiter_cap = cap;
	}
	uint32_t w = sm->waiter_free;
	sm->waiter_free = sm->waiter[w].next;
	sm->waiter[w] = (struct rp_waiter){mem, RP_NO_INDEX};
	if (m->tail == RP_NO_INDEX)
		m->head = w;
	else
		sm->waiter[m->tail].next = w;
	m->tail = w;
	m->count++;
	return 0;
}

/* Entries in the miss queue: it hands one a cycle to the network. */
static uint32_t queued(const struct rp_sm *sm, uint32_t now)
{
	return sm->missq_last > now ? sm->missq_last - now : 0;
}

RP_HOT void send(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l, uint32_t sector,
                 enum rp_packet_kind kind, uint32_t id, uint32_t now)
{
	if (!l->sent)
		rp_lreq_place(r, sm, l);
	uint64_t at = (l->line << r->l1_line_bits) + ((uint64_t)sector << r->l1_sector_bits);
	uint32_t bytes = (uint32_t)(l->bytes[sector / 2 & 1] >> 32 * (sector % 2));
	if (r->l1_sector_bits != 5)
		bytes = 0xffffffffu;
	for (uint32_t i = 0; i < r->llc_per_l1; i++) {
		struct rp_packet *p = rp_ring_new(&sm->missq);
		if (!p) {
			sm->failed = 1;
			rp_fail(r, CT_ERR_NOMEM, "out of memory");
			return;
		}
		sm->missq_last =
			r->free & CT_REPLAY_FREE_L1 ? now + 1 : rp_max32(sm->missq_last, now) + 1;
		*p = (struct rp_packet){
			.when = r->base + sm->missq_last, .address = at + ((uint64_t)i << r->llc_sector_bits),
			.bytes = bytes, .id = id, .llc_set = l->llc_set, .group = l->group,
			.sm = (uint16_t)sm->id, .slice = l->slice, .kind = (uint8_t)kind,
		};
	}
}

enum outcome { HIT, PENDING, SECTOR_MISS, LINE_MISS, FAIL };

RP_HOT enum outcome probe(const struct rp_sm *sm, struct rp_lreq *l, uint32_t bit, int store,
                          uint32_t *index)
{
	uint32_t i = l->near = rp_tags_find_near(&sm->tags, l->line, l->near);
	*index = i;
	if (i == RP_NO_LINE)
		return LINE_MISS;
	const struct rp_line *t = &sm->tags.line[i];
	if (t->reserved & bit)
		return PENDING;
	if (!(t->valid & bit))
		return SECTOR_MISS;
	return store || !(t->unreadable & bit) ? HIT : SECTOR_MISS;
}

/* Makes room for the line and puts it there with no sector; 0 if every way is held. */
static int allocate(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l, uint32_t now,
                    uint32_t *index)
{
	uint32_t set = ct_set_index((enum ct_set_hash)r->g.l1.set_hash, sm->tags.sets, l->line);
	uint32_t v = rp_tags_victim(&sm->tags, set);
	if (v == RP_NO_LINE)
		return 0;
	const struct rp_line *old = &sm->tags.line[v];
	if (old->used && old->filled)
		log_line(r, sm, old->tag, now, RP_LOG_GONE);
	rp_tags_allocate(&sm->tags, set, v, l->line, now);
	*index = l->near = v;
	return 1;
}

static int room_for(struct rp_sm *sm, uint32_t limit, uint32_t now, uint32_t *retry)
{
	if (queued(sm, now) < limit)
		return 1;
	uint32_t at = sm->missq_last - limit + 1;
	if (at < *retry)
		*retry = at;
	return 0;
}

/* A load of one sector. FAIL: nothing has changed, *retry is lowered to the cycle in
 * which it is worth trying again if that is known (else after the next fill). */
RP_HOT enum outcome load(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l, uint32_t sector,
                         uint32_t now, uint32_t *retry)
{
	uint32_t bit = 1u << sector, i;
	enum outcome what = probe(sm, l, bit, 0, &i);
	int on_fill = r->g.l1.allocate != CT_ALLOCATE_ON_MISS;
	if (what == HIT) {
		rp_tags_touch_later(&sm->tags, i, now);
		rp_mem_return(r, sm, l->mem, 1, now, now);
		return HIT;
	}
	if (!room_for(sm, r->g.l1.miss_queue - 1, now, retry))
		return FAIL;
	uint64_t address = (l->line << (r->l1_line_bits - r->l1_sector_bits)) + sector;
	uint32_t *bucket = bucket_of(sm, address), m = mshr_find(sm, *bucket, address);
	if (m != RP_NO_INDEX ? sm->mshr[m].count >= r->g.l1.mshr_merge : !sm->mshr_spare.n)
		return FAIL;
	if (what == LINE_MISS && !on_fill && !allocate(r, sm, l, now, &i))
		return FAIL;
	if (what != LINE_MISS)
		rp_tags_touch_later(&sm->tags, i, now);
	if (what != PENDING && i != RP_NO_LINE)
		rp_tags_reserve(&sm->tags, i, sector);
	if (m == RP_NO_INDEX) {
		struct rp_mshr *e = mshr_open(sm, bucket, address, l->mem);
		e->replies = r->llc_per_l1 & RP_MAX_REPLIES;
		e->first = what == LINE_MISS;
		e->line = i;
		send(r, sm, l, sector, RP_PK_READ, *bucket, now);
	} else {
		mshr_wait(r, sm, &sm->mshr[m], l->mem);
	}
	return what;
}

static void store_into(struct ct_replay *r, struct rp_sm *sm, const struct rp_lreq *l,
                       uint32_t index, uint32_t sector, uint32_t now)
{
	uint32_t bytes = (uint32_t)(l->bytes[sector / 2 & 1] >> 32 * (sector % 2));
	struct rp_line *t = &sm->tags.line[index];
	if (r->l1_sector_bits != 5)
		bytes = 0xffffffffu;
	if (!t->filled)
		log_line(r, sm, t->tag, now, RP_LOG_HERE);
	rp_tags_store(&sm->tags, index, sector, bytes);
}

static enum outcome store(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l, uint32_t sector,
                          uint32_t now, uint32_t *retry)
{
	uint32_t bit = 1u << sector, i;
	enum outcome what = probe(sm, l, bit, 1, &i);
	uint32_t warp = sm->mem[l->mem].warp;
	int allocates = r->g.l1.write_policy >= CT_WRITE_THROUGH_ALLOCATE;
	if (!room_for(sm, r->g.l1.miss_queue, now, retry))
		return FAIL;
	if (what == LINE_MISS && allocates && !allocate(r, sm, l, now, &i))
		return FAIL;
	switch (r->g.l1.write_policy) {
	case CT_WRITE_THROUGH_NO_ALLOCATE:
		if (what == HIT)
			rp_tags_touch_later(&sm->tags, i, now);
		break;
	case CT_WRITE_EVICT:
		if (what == HIT) {
			if (sm->tags.line[i].valid == bit && !sm->tags.line[i].reserved)
				log_line(r, sm, l->line, now, RP_LOG_GONE);
			rp_tags_drop(&sm->tags, i, bit);
		}
		break;
	default:
		/* Write-back L1s do not exist on the GPUs described; they are taken as
		 * write-through with allocation, which loads see alike. */
		rp_tags_touch_later(&sm->tags, i, now);
		store_into(r, sm, l, i, sector, now);
		break;
	}
	send(r, sm, l, sector, RP_PK_STORE, warp, now);
	return what;
}

/* ---- the pipeline ---- */

static void observe_l1(struct ct_replay *r, const struct rp_sm *sm, const struct rp_lreq *l,
                       uint32_t now)
{
	const struct rp_mem *m = &sm->mem[l->mem];
	struct ct_l1_event ev = {
		.sm = sm->id, .subcore = m->warp % r->g.schedulers, .warp_slot = m->warp,
		.sid = m->sid, .cycle = r->base + now, .line = l->line,
		.sectors = l->sectors, .hit = l->hit, .pending = l->pending,
		.sector_miss = l->sector_miss, .line_miss = l->line_miss,
		.bytes = {l->bytes[0], l->bytes[1]}, .is_write = m->kind == RP_STORE,
	};
	for (unsigned i = 0; i < r->nobs; i++)
		if (r->obs[i].l1)
			r->obs[i].l1(r->obs[i].ctx, &ev);
}

RP_HOT void lreq_done(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t now)
{
	struct rp_lreq *l = &sm->lreq[lreq];
	uint32_t mem = l->mem;
	sm->c.l1_line_accesses++;
	sm->c.l1_line_misses += (l->sector_miss | l->line_miss) != 0;
	if (r->has_l1)
		observe_l1(r, sm, l, now);
	sm->lreq_spare.at[sm->lreq_spare.n++] = lreq;
	rp_mem_unref(sm, mem);
}

void rp_lreq_done(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t now)
{
	lreq_done(r, sm, lreq, now);
}

RP_HOT void count(struct rp_sm *sm, struct rp_lreq *l, enum outcome what, uint32_t sectors,
                  uint32_t n, int read)
{
	struct ct_replay_counts *c = &sm->c;
	c->l1_accesses += n;
	if (read)
		c->l1_read_accesses += n;
	switch (what) {
	case HIT: l->hit |= (uint8_t)sectors; return;
	case PENDING:
		l->pending |= (uint8_t)sectors;
		c->l1_pending += n;
		if (read)
			c->l1_read_pending += n;
		return;
	case SECTOR_MISS:
		l->sector_miss |= (uint8_t)sectors;
		c->l1_sector_misses += n;
		break;
	default: l->line_miss |= (uint8_t)sectors; break;
	}
	c->l1_misses += n;
	if (read)
		c->l1_read_misses += n;
}

RP_HOT void took(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t sectors,
                 uint32_t now)
{
	struct rp_lreq *l = &sm->lreq[lreq];
	l->left &= ~sectors;
	if (!l->left)
		lreq_done(r, sm, lreq, now);
}

/* Every bank that is ready has a sector of the same line, and all hit: the common case, in
 * one lookup. */
static int all_hit(struct ct_replay *r, struct rp_sm *sm, uint32_t banks, uint32_t now)
{
	uint32_t what = stage_at(sm, ct_low_bit(banks), 0)->what, lreq = what >> 3, sectors = 0, i, n = 0;
	for (uint32_t m = banks; m; m &= m - 1, n++) {
		what = stage_at(sm, ct_low_bit(m), 0)->what;
		if (what >> 3 != lreq)
			return 0;
		sectors |= 1u << (what & 7);
	}
	struct rp_lreq *l = &sm->lreq[lreq];
	uint32_t mem = l->mem;
	if (sm->mem[mem].kind == RP_STORE)
		return 0;
	i = l->near = rp_tags_find_near(&sm->tags, l->line, l->near);
	if (i == RP_NO_LINE || (sectors & ~rp_load_hits(&sm->tags.line[i])))
		return 0;
	rp_tags_touch_later(&sm->tags, i, now);
	count(sm, l, HIT, sectors, n, 1);
	for (uint32_t m = banks; m; m &= m - 1)
		leave(sm, ct_low_bit(m));
	took(r, sm, lreq, sectors, now);
	rp_mem_return(r, sm, mem, n, now, now);
	return 1;
}

/* One bank tries its head; the request keeps its instruction alive meanwhile. */
RP_HOT int try_bank(struct ct_replay *r, struct rp_sm *sm, uint32_t bank, uint32_t now,
                    uint32_t *retry)
{
	uint32_t head = stage_at(sm, bank, 0)->what, lreq = head >> 3, s = head & 7;
	struct rp_lreq *l = &sm->lreq[lreq];
	int read = sm->mem[l->mem].kind != RP_STORE;
	enum outcome what = read ? load(r, sm, l, s, now, retry) : store(r, sm, l, s, now, retry);
	if (what == FAIL)
		return 0;
	leave(sm, bank);
	count(sm, l, what, 1u << s, 1, read);
	took(r, sm, lreq, 1u << s, now);
	return 1;
}

/* Banks whose oldest is ready; what there is not never is. */
RP_HOT uint32_t ready_banks(const struct rp_sm *sm, uint32_t banks, uint32_t now)
{
	const uint32_t *at = sm->bank_at;
	uint32_t ready = (uint32_t)(at[0] <= now) | (uint32_t)(at[1] <= now) << 1 |
	                 (uint32_t)(at[2] <= now) << 2 | (uint32_t)(at[3] <= now) << 3;
	for (uint32_t b = 4; b < banks; b++)
		ready |= (uint32_t)(at[b] <= now) << b;
	return ready;
}

/* The first cycle in which one is, where those that have failed try again in cycle `retry`. */
RP_HOT uint32_t next_bank(const struct rp_sm *sm, uint32_t banks, uint32_t failed, uint32_t retry)
{
	const uint32_t *at = sm->bank_at;
	uint32_t next;
	if (!failed && banks <= 4)
		return rp_min32(rp_min32(at[0], at[1]), rp_min32(at[2], at[3]));
	next = failed ? retry : RP_NEVER;
	for (uint32_t b = 0; b < banks; b++)
		next = rp_min32(next, failed >> b & 1 ? retry : at[b]);
	return next;
}

/* Each bank with something at its head tries it, lowest bank first. */
void rp_l1_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	uint32_t retry = RP_NEVER, failed = 0, ready, next;
	if (r->l1_part) {
		rp_part_l1_step(r, sm, now);
		return;
	}
	sm->l1_next = RP_NEVER;
	ready = ready_banks(sm, r->banks, now);
	if (ready && !all_hit(r, sm, ready, now))
		for (uint32_t m = ready; m; m &= m - 1)
			if (!try_bank(r, sm, ct_low_bit(m), now, &retry))
				failed |= m & (0 - m);
	if ((ready & ~failed) && sm->lsu_mem != RP_NO_INDEX && sm->lsu_next == RP_NEVER)
		sm->lsu_next = now; /* a bank that was full has moved */
	next = rp_max32(next_bank(sm, r->banks, failed, retry), now + 1);
	if (next < sm->l1_next)
		sm->l1_next = next;
}

/* ---- replies ---- */

static void fill(struct ct_replay *r, struct rp_sm *sm, struct rp_mshr *m, uint32_t now)
{
	uint64_t line = m->sector >> (r->l1_line_bits - r->l1_sector_bits);
	uint32_t sector = (uint32_t)(m->sector & (r->l1_sectors - 1)), bit = 1u << sector;
	uint32_t i = rp_tags_find_near(&sm->tags, line, m->line);
	if (i == RP_NO_LINE && r->g.l1.allocate != CT_ALLOCATE_ON_MISS) {
		struct rp_lreq l = {.line = line};
		if (!allocate(r, sm, &l, now, &i))
			i = RP_NO_LINE;
		else
			rp_tags_reserve(&sm->tags, i, sector);
	}
	if (i == RP_NO_LINE) /* wiped in the meantime */
		return;
	struct rp_line *t = &sm->tags.line[i];
	if (!(t->reserved & bit) && !(t->fill_modified & bit))
		return;
	if (!t->filled)
		log_line(r, sm, line, now, m->first ? RP_LOG_FILL : RP_LOG_HERE);
	rp_tags_fill(&sm->tags, i, sector, 0);
}

void rp_l1_replies_ahead(const struct rp_sm *sm)
{
	const struct rp_packet *p;
	if (sm->replies.n > 6 && (p = rp_ring_at(&sm->replies, 6))->kind == RP_PK_READ)
		CT_BRING(&sm->mshr[p->id]);
	if (sm->replies.n > 3 && (p = rp_ring_at(&sm->replies, 3))->kind == RP_PK_READ) {
		const struct rp_mshr *m = &sm->mshr[p->id];
		CT_BRING(&sm->mem[m->mem]);
		CT_BRING(bucket_of(sm, m->sector));
		if (m->line != RP_NO_LINE) {
			CT_BRING(&sm->tags.line[m->line]);
			CT_BRING(&sm->tags.stamp[m->line]);
		}
	}
}

/* A reply reaches the load/store unit: a fill writes the tags at once; its requests
 * take the write-back port one a cycle from two cycles on (accelsim-model.md 5). */
void rp_l1_reply(struct ct_replay *r, struct rp_sm *sm, const struct rp_packet *p, uint32_t now)
{
	if (p->kind == RP_PK_STORE) {
		struct rp_warp *w = &sm->warp[p->id];
		w->stores--;
		rp_warp_check_end(r, sm, p->id, now);
		return;
	}
	if (p->kind == RP_PK_FETCH || p->kind == RP_PK_WRITE) {
		rp_part_l1_reply(r, sm, p, now);
		return;
	}
	if (p->kind != RP_PK_READ) {
		rp_mem_return(r, sm, p->id, 1, rp_port_take(sm, now, now + 2), now);
		return;
	}
	struct rp_mshr *m = &sm->mshr[p->id];
	if (--m->replies)
		return;
	fill(r, sm, m, now);
	rp_mem_return(r, sm, m->mem, 1, rp_port_take(sm, now, now + 2), now);
	for (uint32_t i = m->head; i != RP_NO_INDEX;) {
		uint32_t next = sm->waiter[i].next, mem = sm->waiter[i].mem;
		sm->waiter[i].next = sm->waiter_free;
		sm->waiter_free = i;
		rp_mem_return(r, sm, mem, 1, rp_port_take(sm, now, now + 2), now);
		i = next;
	}
	mshr_close(sm, p->id);
	if (ready_banks(sm, r->banks, now))
		sm->l1_next = now;
}
