/* The L1 data cache of an SM: pipeline, tags, MSHR, miss queue, fills (accelsim-model.md
 * 5 and 6). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "replay/private/parts.h"

int rp_l1_init(struct ct_replay *r, struct rp_sm *sm, struct ct_error *e)
{
	uint64_t bytes = r->g.l1.size > r->g.unified_bytes ? r->g.l1.size : r->g.unified_bytes;
	uint32_t lines = (uint32_t)(bytes / r->g.l1.line), entries = r->g.l1.mshr_entries;
	if (lines < r->g.l1.sets * r->g.l1.ways)
		lines = r->g.l1.sets * r->g.l1.ways;
	if (rp_tags_init(&sm->tags, lines, r->l1_sectors, r->g.l1.replacement == CT_REPL_FIFO,
	                 r->g.l1.dirty_percent, e) < 0)
		return e ? e->status : CT_ERR_NOMEM;
	rp_tags_shape(&sm->tags, r->g.l1.sets, r->g.l1.ways);
	sm->due = r->timing == CT_REPLAY_FIXED ? ct_calloc(lines, sizeof *sm->due) : NULL;
	if (r->timing == CT_REPLAY_FIXED && !sm->due)
		return ct_fail_nomem(e);
	uint32_t buckets = 16;
	while (buckets < entries * 2)
		buckets *= 2;
	sm->mshr_mask = buckets - 1;
	sm->mshr = ct_calloc(entries, sizeof *sm->mshr);
	sm->mshr_bucket = ct_calloc(buckets, sizeof *sm->mshr_bucket);
	sm->step_cap = 64;
	sm->steps = ct_calloc(sm->step_cap, sizeof *sm->steps);
	if (!sm->mshr || !sm->mshr_bucket || !sm->steps)
		return ct_fail_nomem(e);
	sm->mshr_free = RP_NO_INDEX;
	for (uint32_t i = entries; i-- > 0;) {
		sm->mshr[i].next = sm->mshr_free;
		sm->mshr_free = i;
	}
	for (uint32_t i = 0; i < buckets; i++)
		sm->mshr_bucket[i] = RP_NO_INDEX;
	return 0;
}

void rp_l1_free(struct rp_sm *sm)
{
	rp_tags_free(&sm->tags);
	free(sm->mshr);
	free(sm->mshr_bucket);
	free(sm->waiter);
	free(sm->steps);
	free(sm->due);
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
}

void rp_l1_begin(struct ct_replay *r, struct rp_sm *sm)
{
	sm->nsteps = sm->step_head = 0;
	sm->l1_next = RP_NEVER;
	memset(sm->in_bank, 0, sizeof sm->in_bank);
	if (sm->tags.sets != r->occ.l1_sets || sm->tags.ways != r->occ.l1_ways) {
		log_all_gone(r, sm, 0);
		rp_tags_shape(&sm->tags, r->occ.l1_sets, r->occ.l1_ways);
	} else if (r->g.l1_flush) {
		log_all_gone(r, sm, 0);
		rp_tags_flush(&sm->tags);
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
	rp_tags_flush(&sm->tags);
}

int rp_l1_push(struct rp_sm *sm, uint32_t lreq, uint32_t sectors, uint32_t banks, uint32_t ready)
{
	if (sm->nsteps == sm->step_cap) {
		struct rp_step *p = ct_calloc(sm->step_cap * 2, sizeof *p);
		if (!p)
			return -1;
		for (uint32_t i = 0; i < sm->nsteps; i++)
			p[i] = sm->steps[(sm->step_head + i) & (sm->step_cap - 1)];
		free(sm->steps);
		sm->steps = p;
		sm->step_head = 0;
		sm->step_cap *= 2;
	}
	sm->steps[(sm->step_head + sm->nsteps++) & (sm->step_cap - 1)] =
		(struct rp_step){lreq, ready, sectors, banks};
	if (ready < sm->l1_next)
		sm->l1_next = ready;
	return 0;
}

/* ---- miss handling ---- */

static uint32_t mshr_find(const struct rp_sm *sm, uint64_t sector)
{
	uint32_t h = (uint32_t)((sector * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & sm->mshr_mask;
	uint32_t i = sm->mshr_bucket[h];
	while (i != RP_NO_INDEX && sm->mshr[i].sector != sector)
		i = sm->mshr[i].next;
	return i;
}

static uint32_t mshr_open(struct rp_sm *sm, uint64_t sector)
{
	uint32_t h = (uint32_t)((sector * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & sm->mshr_mask;
	uint32_t i = sm->mshr_free;
	struct rp_mshr *m = &sm->mshr[i];
	sm->mshr_free = m->next;
	memset(m, 0, sizeof *m);
	m->sector = sector;
	m->head = m->tail = RP_NO_INDEX;
	m->next = sm->mshr_bucket[h];
	sm->mshr_bucket[h] = i;
	return i;
}

static void mshr_close(struct rp_sm *sm, uint32_t i)
{
	struct rp_mshr *m = &sm->mshr[i];
	uint32_t h = (uint32_t)((m->sector * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & sm->mshr_mask;
	uint32_t *p = &sm->mshr_bucket[h];
	while (*p != i)
		p = &sm->mshr[*p].next;
	*p = m->next;
	m->next = sm->mshr_free;
	sm->mshr_free = i;
}

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

static void send(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l, uint32_t sector,
                 enum rp_packet_kind kind, uint32_t id, uint32_t now)
{
	if (!l->sent)
		rp_lreq_place(r, sm, l);
	uint64_t at = (l->line << r->l1_line_bits) + ((uint64_t)sector << r->l1_sector_bits);
	uint32_t bytes = (uint32_t)(l->bytes[sector / 2 & 1] >> 32 * (sector % 2));
	struct rp_packet p = {
		.address = at, .bytes = r->l1_sector_bits == 5 ? bytes : 0xffffffffu, .id = id,
		.llc_set = l->llc_set, .group = l->group, .sm = (uint16_t)sm->id,
		.slice = l->slice, .kind = (uint8_t)kind,
	};
	for (uint32_t i = 0; i < r->llc_per_l1; i++) {
		sm->missq_last =
			r->free & CT_REPLAY_FREE_L1 ? now + 1 : rp_max32(sm->missq_last, now) + 1;
		p.when = r->base + sm->missq_last;
		p.address = at + ((uint64_t)i << r->llc_sector_bits);
		if (rp_ring_push(&sm->missq, &p) < 0) {
			sm->failed = 1;
			rp_fail(r, CT_ERR_NOMEM, "out of memory");
			return;
		}
	}
}

enum outcome { HIT, PENDING, SECTOR_MISS, LINE_MISS, FAIL };

static enum outcome probe(const struct rp_sm *sm, struct rp_lreq *l, uint32_t bit, int store,
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
static enum outcome load(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l, uint32_t sector,
                         uint32_t now, uint32_t *retry)
{
	uint32_t bit = 1u << sector, i;
	enum outcome what = probe(sm, l, bit, 0, &i);
	int on_fill = r->g.l1.allocate != CT_ALLOCATE_ON_MISS;
	if (what == HIT) {
		rp_tags_touch(&sm->tags, i, now);
		rp_mem_return(r, sm, l->mem, 1, now, now);
		return HIT;
	}
	if (!room_for(sm, r->g.l1.miss_queue - 1, now, retry))
		return FAIL;
	uint64_t address = (l->line << (r->l1_line_bits - r->l1_sector_bits)) + sector;
	uint32_t m = mshr_find(sm, address);
	if (m != RP_NO_INDEX ? sm->mshr[m].count >= r->g.l1.mshr_merge : sm->mshr_free == RP_NO_INDEX)
		return FAIL;
	if (what == LINE_MISS && !on_fill && !allocate(r, sm, l, now, &i))
		return FAIL;
	if (what != LINE_MISS)
		rp_tags_touch(&sm->tags, i, now);
	if (what != PENDING && i != RP_NO_LINE)
		rp_tags_reserve(&sm->tags, i, sector);
	if (m == RP_NO_INDEX) {
		m = mshr_open(sm, address);
		sm->mshr[m].replies = r->llc_per_l1;
		sm->mshr[m].first = what == LINE_MISS;
		sm->mshr[m].line = i;
		send(r, sm, l, sector, RP_PK_READ, m, now);
	}
	mshr_wait(r, sm, &sm->mshr[m], l->mem);
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
			rp_tags_touch(&sm->tags, i, now);
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
		rp_tags_touch(&sm->tags, i, now);
		store_into(r, sm, l, i, sector, now);
		break;
	}
	send(r, sm, l, sector, RP_PK_STORE, warp, now);
	return what;
}

/* ---- the pipeline ---- */

void rp_lreq_done(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t now)
{
	struct rp_lreq *l = &sm->lreq[lreq];
	const struct rp_mem *m = &sm->mem[l->mem];
	uint32_t mem = l->mem;
	sm->c.l1_line_accesses++;
	sm->c.l1_line_misses += (l->sector_miss | l->line_miss) != 0;
	if (r->has_l1) {
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
	l->next = sm->lreq_free;
	sm->lreq_free = lreq;
	rp_mem_unref(sm, mem);
}

static void count(struct rp_sm *sm, struct rp_lreq *l, enum outcome what, uint32_t sectors, int read)
{
	uint32_t n = ct_bits(sectors);
	struct ct_replay_counts *c = &sm->c;
	c->l1_accesses += n;
	if (read)
		c->l1_read_accesses += n;
	switch (what) {
	case HIT: l->hit |= sectors; return;
	case PENDING:
		l->pending |= sectors;
		c->l1_pending += n;
		if (read)
			c->l1_read_pending += n;
		return;
	case SECTOR_MISS:
		l->sector_miss |= sectors;
		c->l1_sector_misses += n;
		break;
	default: l->line_miss |= sectors; break;
	}
	c->l1_misses += n;
	if (read)
		c->l1_read_misses += n;
}

static void took(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t sectors,
                 uint32_t now)
{
	struct rp_lreq *l = &sm->lreq[lreq];
	l->left &= ~sectors;
	if (!l->left)
		rp_lreq_done(r, sm, lreq, now);
}

/* Every sector of a step hits: the common case, in one lookup. */
static int all_hit(struct ct_replay *r, struct rp_sm *sm, struct rp_step *st, uint32_t now)
{
	struct rp_lreq *l = &sm->lreq[st->lreq];
	uint32_t i, n;
	if (sm->mem[l->mem].kind == RP_STORE)
		return 0;
	i = l->near = rp_tags_find(&sm->tags, l->line);
	if (i == RP_NO_LINE || (st->sectors & ~rp_load_hits(&sm->tags.line[i])))
		return 0;
	rp_tags_touch(&sm->tags, i, now);
	n = ct_bits(st->sectors);
	count(sm, l, HIT, st->sectors, 1);
	for (uint32_t b = 0; b < r->banks; b++)
		sm->in_bank[b] -= st->banks >> b & 1;
	uint32_t mem = l->mem;
	took(r, sm, st->lreq, st->sectors, now);
	rp_mem_return(r, sm, mem, n, now, now);
	st->sectors = st->banks = 0;
	return 1;
}

/* One bank tries its head. */
static int try_bank(struct ct_replay *r, struct rp_sm *sm, struct rp_step *st, uint32_t bank,
                    uint32_t now, uint32_t *retry)
{
	struct rp_lreq *l = &sm->lreq[st->lreq];
	uint64_t first = l->line * r->l1_sectors;
	uint32_t s = 0, lreq = st->lreq;
	while (!(st->sectors >> s & 1) || rp_modulo(first + s, r->banks) != bank)
		s++;
	int read = sm->mem[l->mem].kind != RP_STORE;
	uint32_t mem = l->mem;
	sm->mem[mem].refs++;
	enum outcome what = read ? load(r, sm, l, s, now, retry) : store(r, sm, l, s, now, retry);
	if (what != FAIL) {
		l = &sm->lreq[lreq];
		st->sectors &= ~(1u << s);
		st->banks &= ~(1u << bank);
		sm->in_bank[bank]--;
		count(sm, l, what, 1u << s, read);
		took(r, sm, lreq, 1u << s, now);
	}
	rp_mem_unref(sm, mem);
	return what != FAIL;
}

static struct rp_step *step_at(const struct rp_sm *sm, uint32_t i)
{
	return &sm->steps[(sm->step_head + i) & (sm->step_cap - 1)];
}

/* Each bank with something at its head tries it, lowest bank first. Returns the mask
 * of banks that failed. */
static uint32_t try_heads(struct ct_replay *r, struct rp_sm *sm, uint32_t now, uint32_t *retry,
                          uint32_t *moved)
{
	uint32_t head[RP_MAX_L1_BANKS], taken = 0, failed = 0;
	uint32_t all = r->banks == 32 ? 0xffffffffu : (1u << r->banks) - 1;
	for (uint32_t i = 0; i < sm->nsteps && taken != all; i++) {
		const struct rp_step *st = step_at(sm, i);
		uint32_t mine = st->banks & ~taken;
		if (st->ready > now)
			break;
		for (uint32_t b = 0; b < r->banks; b++)
			if (mine >> b & 1)
				head[b] = i;
		taken |= mine;
	}
	for (uint32_t b = 0; b < r->banks; b++)
		if (taken >> b & 1) {
			if (try_bank(r, sm, step_at(sm, head[b]), b, now, retry))
				*moved |= 1u << b;
			else
				failed |= 1u << b;
		}
	return failed;
}

/* When the pipeline has to be looked at next. */
static uint32_t next_step(const struct rp_sm *sm, uint32_t failed, uint32_t retry, uint32_t now)
{
	uint32_t seen = 0, next = RP_NEVER;
	for (uint32_t i = 0; i < sm->nsteps; i++) {
		const struct rp_step *st = step_at(sm, i);
		uint32_t mine = st->banks & ~seen;
		seen |= st->banks;
		if (mine & ~failed) {
			uint32_t at = rp_max32(st->ready, now + 1);
			if (at < next)
				next = at;
		}
		if (st->ready > now)
			break;
	}
	if (failed && retry != RP_NEVER && rp_max32(retry, now + 1) < next)
		next = rp_max32(retry, now + 1);
	return next;
}

void rp_l1_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	uint32_t retry = RP_NEVER, failed = 0, moved = 0;
	if (r->l1_part) {
		rp_part_l1_step(r, sm, now);
		return;
	}
	sm->l1_next = RP_NEVER;
	if (!sm->nsteps)
		return;
	struct rp_step *st = step_at(sm, 0);
	int single = sm->nsteps == 1 || step_at(sm, 1)->ready > now;
	if (st->ready <= now && single && all_hit(r, sm, st, now))
		moved = 1;
	else
		failed = try_heads(r, sm, now, &retry, &moved);
	while (sm->nsteps && !step_at(sm, 0)->banks) {
		sm->step_head = (sm->step_head + 1) & (sm->step_cap - 1);
		sm->nsteps--;
	}
	if (moved && sm->lsu_mem != RP_NO_INDEX && sm->lsu_next == RP_NEVER)
		sm->lsu_next = now; /* a bank that was full has moved */
	uint32_t next = next_step(sm, failed, retry, now);
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
	for (uint32_t i = m->head; i != RP_NO_INDEX;) {
		uint32_t next = sm->waiter[i].next, mem = sm->waiter[i].mem;
		sm->waiter[i].next = sm->waiter_free;
		sm->waiter_free = i;
		rp_mem_return(r, sm, mem, 1, rp_port_take(sm, now, now + 2), now);
		i = next;
	}
	mshr_close(sm, p->id);
	if (sm->nsteps && step_at(sm, 0)->ready <= now)
		sm->l1_next = now;
}
