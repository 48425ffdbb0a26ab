/* The pipeline of the L1 of an SM: tags, MSHR, miss queue, fills (doc/replay.md sections 5 and 6).
 * `usual` is that of usual.h. */
#include "base/bits.h"
#include "base/mem.h"
#include "replay/private/instruction.h"
#include "replay/private/lsu.h"
#include "replay/private/parts.h"
#include "replay/private/usual.h"

/* Doubles the ring of each bank. */
static int grow_stages(struct ct_replay *r, struct rp_sm *sm)
{
	uint32_t cap = sm->full.stage_mask + 1;
	struct rp_stage *p = ct_pool_take(&r->pool, (size_t)r->banks * 2 * cap, sizeof *p);
	if (!p) {
		sm->failed = 1;
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	}
	for (uint32_t b = 0; b < r->banks; b++) {
		for (uint32_t i = 0; i < cap; i++)
			p[(size_t)b * 2 * cap + i] =
				sm->full.stage[(size_t)b * cap +
			                       ((sm->full.bank_head[b] + i) & sm->full.stage_mask)];
		sm->full.bank_head[b] = 0;
	}
	sm->full.stage = p;
	sm->full.stage_mask = 2 * cap - 1;
	return 0;
}

static CT_INLINE struct rp_stage *stage_at(const struct rp_sm *sm, uint32_t bank, uint32_t i, int usual)
{
	uint32_t mask = usual ? RP_FIRST_STAGES - 1 : sm->full.stage_mask;
	return &sm->full.stage[(size_t)bank * (mask + 1) + ((sm->full.bank_head[bank] + i) & mask)];
}

/* Where the chain of the sector begins. */
static CT_INLINE uint32_t *bucket_of(const struct rp_sm *sm, uint64_t sector)
{
	return &sm->full.mshr_bucket[(uint32_t)((sector * UINT64_C(0x9e3779b97f4a7c15)) >> 32) &
	                             sm->full.mshr_mask];
}

/* A sector of a line enters a bank that is not full. */
static CT_INLINE void into_bank(struct ct_replay *r, struct rp_sm *sm, uint32_t bank, uint32_t what,
                                uint32_t ready, int usual)
{
	uint32_t n = sm->full.in_bank[bank]++;
	*stage_at(sm, bank, n, usual) = (struct rp_stage){what, ready};
	if (!n) {
		sm->full.bank_at[bank] = ready;
		sm->full.bank_what[bank] = what;
	}
	if (n + 1 >= r->g.l1_latency)
		sm->full.full_banks |= 1u << bank;
}

/* Sectors of one line, highest first, up to the first whose bank another one has taken in this cycle,
 * or is full; adds their banks to *used. */
static CT_INLINE void enter_sectors(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t ready,
                                    uint32_t *used)
{
	struct rp_lreq *l = &sm->full.lreq[lreq];
	while (l->enter) {
		uint32_t s = ct_high_bit(l->enter);
		uint32_t bank = ct_modulo(l->line * r->l1_sectors + s, r->banks);
		if ((*used | sm->full.full_banks) >> bank & 1)
			return;
		if (sm->full.in_bank[bank] > sm->full.stage_mask && grow_stages(r, sm) < 0)
			return;
		*used |= 1u << bank;
		l->enter &= (uint8_t)(0xffu ^ 1u << s);
		into_bank(r, sm, bank, lreq << 3 | s, ready, 0);
	}
}

/* The same where sectors and banks have the same numbers. */
static CT_INLINE void
enter_usual_sectors(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t ready, uint32_t *used)
{
	struct rp_lreq *l = &sm->full.lreq[lreq];
	uint32_t go = l->enter, stop = go & (*used | sm->full.full_banks);
	if (stop)
		go &= ~((2u << ct_high_bit(stop)) - 1);
	l->enter ^= (uint8_t)go;
	*used |= go;
	for (uint32_t m = go; m; m &= m - 1)
		into_bank(r, sm, ct_low_bit(m), lreq << 3 | ct_low_bit(m), ready, 1);
}

/* One line, as far as it goes. 1: all of it is in. */
static CT_INLINE int enter_line(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t ready,
                                uint32_t *used, int usual)
{
	struct rp_lreq *l = &sm->full.lreq[lreq];
	if (!(usual & RP_WITH_PARTS) && l->near == RP_NO_LINE &&
	    (l->near = rp_tags_guess(&sm->cache.tags, l->line)) == RP_NO_LINE)
		CT_BRING(bucket_of(sm, (l->line << (rp_l1_line(r, usual) - rp_l1_sector(r, usual))) +
		                               ct_high_bit(l->enter | 1u)));
	if (usual)
		enter_usual_sectors(r, sm, lreq, ready, used);
	else
		enter_sectors(r, sm, lreq, ready, used);
	return !l->enter;
}

static CT_INLINE uint32_t enter_lines(struct ct_replay *r, struct rp_sm *sm, uint32_t ready, int usual)
{
	uint32_t used = 0;
	while (sm->full.lsu_line != RP_NO_INDEX &&
	       enter_line(r, sm, sm->full.lsu_line, ready, &used, usual))
		sm->full.lsu_line = sm->full.lreq[sm->full.lsu_line].next;
	if (used && ready < sm->full.l1_next)
		sm->full.l1_next = ready;
	return used;
}

/* Lines of L1s that are a part are not in the engine's tags. */
uint32_t rp_l1_enter(struct ct_replay *r, struct rp_sm *sm, uint32_t ready)
{
	if (r->usual_banks && !r->l1_part)
		return enter_lines(r, sm, ready, 1);
	return r->usual_banks ? enter_lines(r, sm, ready, 1 | RP_WITH_PARTS)
	                      : enter_lines(r, sm, ready, 0);
}

int rp_l1_enter_line(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t ready,
                     uint32_t *used)
{
	int all = enter_line(r, sm, lreq, ready, used, 0);
	if (*used)
		sm->full.l1_next = rp_min32(sm->full.l1_next, ready);
	return all;
}

/* Asks the host's memory for the line of the bank's oldest, whose request has been asked for before, and for the request of
 * the one behind it. */
static CT_INLINE void bring_next(const struct rp_sm *sm, uint32_t bank, int usual)
{
	const struct rp_lreq *l = &sm->full.lreq[sm->full.bank_what[bank] >> 3];
	CT_BRING(&sm->full.lreq[stage_at(sm, bank, 1, usual)->what >> 3]);
	if (l->near != RP_NO_LINE)
		CT_BRING(&sm->cache.tags.line[l->near]);
}

/* The oldest in the bank leaves the pipeline. */
static CT_INLINE void leave_bank(struct rp_sm *sm, uint32_t bank, int usual)
{
	uint32_t left = --sm->full.in_bank[bank];
	sm->full.bank_head[bank]++;
	const struct rp_stage *next = stage_at(sm, bank, 0, usual);
	sm->full.bank_at[bank] = left ? next->ready : RP_NEVER;
	sm->full.bank_what[bank] = next->what;
	sm->full.full_banks &= ~(1u << bank);
	sm->full.missing_banks &= ~(1u << bank);
	bring_next(sm, bank, usual);
}

/* ---- miss handling ---- */

static uint32_t mshr_find(const struct rp_sm *sm, uint32_t bucket, uint64_t sector)
{
	uint32_t i = bucket;
	while (i != RP_NO_INDEX && sm->full.mshr[i].sector != sector)
		i = sm->full.mshr[i].next;
	return i;
}

/* A free entry, which becomes the first of the chain; the caller writes it, with the one behind it from *next. */
static CT_INLINE struct rp_mshr *mshr_open(struct rp_sm *sm, uint32_t *bucket, uint32_t *next)
{
	struct rp_spare *spare = &sm->full.mshr_spare;
	uint32_t i = spare->at[--spare->n];
	if (spare->n)
		CT_BRING(&sm->full.mshr[spare->at[spare->n - 1]]);
	*next = *bucket;
	*bucket = i;
	return &sm->full.mshr[i];
}

static void mshr_close(struct rp_sm *sm, uint32_t i)
{
	struct rp_mshr *m = &sm->full.mshr[i];
	uint32_t *p = bucket_of(sm, m->sector);
	while (*p != i)
		p = &sm->full.mshr[*p].next;
	*p = m->next;
	sm->full.mshr_spare.at[sm->full.mshr_spare.n++] = i;
	if (sm->full.mshr_spare.n == sm->full.mshr_entries)
		sm->cache.tags.strays = 0;
}

/* One more that waits for an open entry. */
static int mshr_wait(struct ct_replay *r, struct rp_sm *sm, struct rp_mshr *m, uint32_t mem)
{
	if (sm->full.waiter_free == RP_NO_INDEX &&
	    rp_table_grow(r, (void **)&sm->full.waiter, &sm->full.waiter_cap, 256,
	                  sizeof *sm->full.waiter, offsetof(struct rp_waiter, next),
	                  &sm->full.waiter_free) < 0)
		return sm->failed = 1, r->error.status;
	uint32_t w = sm->full.waiter_free;
	sm->full.waiter_free = sm->full.waiter[w].next;
	sm->full.waiter[w] = (struct rp_waiter){mem, RP_NO_INDEX};
	if (m->tail == RP_NO_INDEX)
		m->head = w;
	else
		sm->full.waiter[m->tail].next = w;
	m->tail = w;
	m->count++;
	return 0;
}

/* Entries in the miss queue: it hands one a cycle to the network. */
static uint32_t queued_misses(const struct rp_sm *sm, uint32_t now)
{
	return sm->missq_last > now ? sm->missq_last - now : 0;
}

/* Puts a request for each LLC sector of the L1's sector into the miss queue, which hands one a cycle
 * to the network. The place of the line in the LLC is worked out with the first. */
static CT_INLINE void
send_sector(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l, uint32_t sector,
            enum rp_packet_kind kind, uint32_t id, uint32_t now, int usual)
{
	uint32_t n = usual ? 1 : r->llc_per_l1;
	if (!l->is.sent)
		rp_lreq_place(r, sm, l);
	uint64_t at = (l->line << rp_l1_line(r, usual)) + ((uint64_t)sector << rp_l1_sector(r, usual));
	uint32_t bytes = usual ? rp_sector_bytes(l->bytes, sector)
	                       : rp_written_bytes(r, l->bytes, sector);
	for (uint32_t i = 0; i < n; i++) {
		struct rp_packet *p = rp_ring_new(&sm->missq);
		if (!p) {
			sm->failed = 1;
			rp_fail(r, CT_ERR_NOMEM, "out of memory");
			return;
		}
		sm->missq_last = !usual && (r->free & CT_REPLAY_FREE_L1)
		                         ? now + 1
		                         : rp_max32(sm->missq_last, now) + 1;
		*p = (struct rp_packet){
			.when = r->base + sm->missq_last,
			.address = at + ((uint64_t)i << r->llc_sector_bits),
			.bytes = bytes,
			.id = id,
			.llc_set = l->llc_set,
			.group = l->group,
			.sm = (uint16_t)sm->id,
			.slice = l->slice,
			.kind = (uint8_t)kind,
			.payload = (uint8_t)(!usual && kind == RP_PK_STORE
		                                     ? rp_piece_eighths(r, l->bytes, sector, i)
		                                     : 0),
			.alone = usual && !(l->sectors & (l->sectors - 1)),
		};
		if (!usual && r->l1_line_bits > r->llc_line_bits)
			rp_packet_place(r, p);
	}
}

/* ---- admission (parts.h) ---- */

static struct ct_admission_visit visit_of(const struct rp_sm *sm, const struct rp_lreq *l)
{
	const struct rp_mem *m = &sm->full.mem[l->mem];
	return (struct ct_admission_visit){
		.line = l->line, .pc = m->op->s->pc, .sm = sm->id, .sid = m->sid, .slot = l->near};
}

/* 1 when a load that has missed its line may not put it into the L1. Asked once: a request that has to try
 * again keeps its answer. */
static int passes_l1(const struct ct_replay *r, const struct rp_sm *sm, struct rp_lreq *l)
{
	const struct ct_admission_part *a = r->admission;
	if (a && l->is.admission == RP_NOT_ASKED) {
		struct ct_admission_visit v = visit_of(sm, l);
		l->is.admission = !a->may_allocate || a->may_allocate(a->part.ctx, &v) ? RP_MAY_ALLOCATE
		                                                                       : RP_PASSES;
	}
	return l->is.admission == RP_PASSES;
}

/* Tells that a load has found its line, but not of a line that the request itself has brought or asked for. */
static CT_INLINE void tell_found(const struct ct_replay *r, const struct rp_sm *sm, struct rp_lreq *l,
                                 int hit, int usual)
{
	const struct ct_admission_part *a = r->admission;
	if (usual || !a || l->is.admission != RP_NOT_ASKED)
		return;
	struct ct_admission_visit v = visit_of(sm, l);
	l->is.admission = RP_WAS_FOUND;
	if (a->found)
		a->found(a->part.ctx, &v, hit);
}

static void tell_allocated(const struct ct_replay *r, const struct rp_sm *sm, const struct rp_lreq *l,
                           int evicted)
{
	const struct ct_admission_part *a = r->admission;
	struct ct_admission_visit v = visit_of(sm, l);
	if (a->allocated)
		a->allocated(a->part.ctx, &v, evicted);
}

/* Makes room for the line and puts it there with no sector; 0 if every way is held. */
static int allocate_line(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l, uint32_t now,
                         uint32_t *index)
{
	uint32_t set = ct_set_index((enum ct_set_hash)r->g.l1.set_hash, sm->cache.tags.sets, l->line);
	uint32_t v = rp_tags_victim(&sm->cache.tags, set);
	if (v == RP_NO_LINE)
		return 0;
	const struct rp_line *old = &sm->cache.tags.line[v];
	int evicted = old->used;
	if (old->used && old->filled)
		rp_log_line(r, sm, old->tag, now, RP_LOG_GONE);
	rp_tags_allocate(&sm->cache.tags, set, v, l->line, now);
	*index = l->near = v;
	if (r->admission)
		tell_allocated(r, sm, l, evicted);
	return 1;
}

/* The sector stays where it is for want of that. */
static enum rp_met fails_for(struct rp_sm *sm, enum rp_l1_lack lack, uint32_t now)
{
	sm->full.l1_lacks |= lack;
	sm->full.l1_lacks_at = now;
	return RP_FAIL;
}

/* The same for want of a line of the set: allocate_line() has found none. */
static enum rp_met fails_for_set(const struct ct_replay *r, struct rp_sm *sm, uint64_t line,
                                 uint32_t now)
{
	uint32_t set = ct_set_index((enum ct_set_hash)r->g.l1.set_hash, sm->cache.tags.sets, line);
	sm->full.l1_lacks |= rp_tags_all_reserved(&sm->cache.tags, set) ? 0 : RP_LACKS_CLEAN;
	return fails_for(sm, RP_LACKS_SET, now);
}

/* Counts for how long a bank has stood still, when the banks are asked again. */
static CT_INLINE void count_lacks(struct rp_sm *sm, uint32_t now)
{
	if (!sm->full.l1_lacks)
		return;
	const uint32_t cycles = now - sm->full.l1_lacks_at;
	sm->c.l1_set_stall += sm->full.l1_lacks & RP_LACKS_SET ? cycles : 0;
	sm->c.l1_mshr_stall += sm->full.l1_lacks & RP_LACKS_MSHR ? cycles : 0;
	sm->full.modified_stall += sm->full.l1_lacks & RP_LACKS_CLEAN ? cycles : 0;
	sm->full.l1_lacks = 0;
}

static int has_miss_room(struct rp_sm *sm, uint32_t limit, uint32_t now, uint32_t *retry)
{
	if (queued_misses(sm, now) < limit)
		return 1;
	uint32_t at = sm->missq_last - limit + 1;
	if (at < *retry)
		*retry = at;
	return 0;
}

/* Every load finds its sectors, and nothing is ever put into the tags. `usual` is a constant: such an L1 is
 * not. */
static CT_INLINE int always_hits(const struct ct_replay *r, int usual)
{
	return !usual && (r->ideal & CT_REPLAY_IDEAL_L1);
}

/* A load of one sector. FAIL: nothing has changed, *retry is lowered to the cycle in
 * which it is worth trying again if that is known (else after the next fill). */
static CT_INLINE enum rp_met
load_sector(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l, uint32_t bank, uint32_t sector,
            uint32_t now, uint32_t *retry, int usual)
{
	if (always_hits(r, usual)) {
		rp_mem_return(r, sm, l->mem, 1, now, now);
		return RP_HIT;
	}
	enum rp_met what = rp_tags_probe(&sm->cache.tags, l->line, 1u << sector, 0, &l->near);
	uint32_t i = l->near;
	int on_fill = !usual && r->g.l1.allocate != CT_ALLOCATE_ON_MISS;
	if (what == RP_HIT) {
		rp_tags_touch_later(&sm->cache.tags, i, now);
		tell_found(r, sm, l, 1, usual);
		rp_mem_return(r, sm, l->mem, 1, now, now);
		return RP_HIT;
	}
	uint64_t address = (l->line << (rp_l1_line(r, usual) - rp_l1_sector(r, usual))) + sector;
	uint32_t *bucket = bucket_of(sm, address), m = RP_NO_INDEX;
	if (!usual || what == RP_PENDING || rp_tags_may_come(&sm->cache.tags, i, 1u << sector))
		m = mshr_find(sm, *bucket, address);
	if (what != RP_PENDING && m == RP_NO_INDEX)
		sm->full.missing_banks |= 1u << bank;
	if (!has_miss_room(sm, r->g.l1.miss_queue - 1, now, retry))
		return RP_FAIL;
	if (m != RP_NO_INDEX ? sm->full.mshr[m].count >= r->g.l1.mshr_merge : !sm->full.mshr_spare.n)
		return fails_for(sm, RP_LACKS_MSHR, now);
	int passes = !usual && what == RP_LINE_MISS && passes_l1(r, sm, l);
	if (what == RP_LINE_MISS && !on_fill && !passes && !allocate_line(r, sm, l, now, &i))
		return fails_for_set(r, sm, l->line, now);
	if (what != RP_LINE_MISS) {
		rp_tags_touch_later(&sm->cache.tags, i, now);
		tell_found(r, sm, l, what == RP_PENDING, usual);
	}
	if (what != RP_PENDING && (usual || i != RP_NO_LINE))
		rp_tags_reserve(&sm->cache.tags, i, sector);
	if (m != RP_NO_INDEX) {
		if (!usual && !passes)
			sm->full.mshr[m].passes = 0;
		mshr_wait(r, sm, &sm->full.mshr[m], l->mem);
		return what;
	}
	uint32_t next;
	struct rp_mshr *e = mshr_open(sm, bucket, &next);
	*e = (struct rp_mshr){
		.sector = address,
		.next = next,
		.mem = l->mem,
		.head = RP_NO_INDEX,
		.tail = RP_NO_INDEX,
		.line = i,
		.count = 1,
		.first = what == RP_LINE_MISS,
		.passes = passes & 1u,
		.replies = (usual ? 1 : r->llc_per_l1) & RP_MAX_REPLIES,
	};
	send_sector(r, sm, l, sector, RP_PK_READ, *bucket, now, usual);
	return what;
}

static void write_sector(struct ct_replay *r, struct rp_sm *sm, const struct rp_lreq *l, uint32_t index,
                         uint32_t sector, uint32_t now)
{
	uint32_t bytes = rp_written_bytes(r, l->bytes, sector);
	struct rp_line *t = &sm->cache.tags.line[index];
	if (!t->filled)
		rp_log_line(r, sm, t->tag, now, RP_LOG_HERE);
	rp_tags_store(&sm->cache.tags, index, sector, bytes);
}

/* A store of one sector: always sent on, and to the line in the L1 what the write policy says. FAIL as
 * load_sector(). */
static enum rp_met store_sector(struct ct_replay *r, struct rp_sm *sm, struct rp_lreq *l,
                                uint32_t sector, uint32_t now, uint32_t *retry)
{
	uint32_t bit = 1u << sector;
	enum rp_store_rule rule = rp_store_rule(&r->g);
	if (!has_miss_room(sm, r->g.l1.miss_queue, now, retry))
		return RP_FAIL;
	enum rp_met what = rp_tags_probe(&sm->cache.tags, l->line, bit, 1, &l->near);
	uint32_t i = l->near, warp = sm->full.mem[l->mem].warp;
	if (always_hits(r, 0)) {
		send_sector(r, sm, l, sector, RP_PK_STORE, warp, now, 0);
		return RP_HIT;
	}
	if (what == RP_LINE_MISS && rule == RP_STORE_WRITES && !allocate_line(r, sm, l, now, &i))
		return fails_for_set(r, sm, l->line, now);
	if (rule == RP_STORE_WRITES) {
		rp_tags_touch_later(&sm->cache.tags, i, now);
		write_sector(r, sm, l, i, sector, now);
	} else if (what == RP_HIT && rule == RP_STORE_TOUCHES) {
		rp_tags_touch_later(&sm->cache.tags, i, now);
	} else if (what == RP_HIT) {
		if (sm->cache.tags.line[i].valid == bit && !sm->cache.tags.line[i].reserved)
			rp_log_line(r, sm, l->line, now, RP_LOG_GONE);
		rp_tags_drop(&sm->cache.tags, i, bit);
	}
	send_sector(r, sm, l, sector, RP_PK_STORE, warp, now, 0);
	return what;
}

/* ---- the pipeline ---- */

static CT_NOINLINE void observe_all(struct ct_replay *r, const struct rp_sm *sm, const struct rp_lreq *l,
                                    uint32_t now)
{
	const struct rp_mem *m = &sm->full.mem[l->mem];
	struct ct_l1_event ev = rp_l1_event(
		r, sm, m->warp, m->op, m->sid, r->base + now, l->line, l->sectors, l->bytes);
	ev.hit = l->met[RP_HIT];
	ev.pending = l->met[RP_PENDING];
	ev.sector_miss = l->met[RP_SECTOR_MISS];
	ev.line_miss = l->met[RP_LINE_MISS];
	rp_tell_l1_observers(r, &ev);
}

static CT_INLINE void observe_l1(struct ct_replay *r, const struct rp_sm *sm, const struct rp_lreq *l,
                                 uint32_t now)
{
	if (r->l1_in_short && !r->told)
		rp_tell_line(r, sm->id, l->line, l->sectors, l->is.store, r->base + now);
	else
		observe_all(r, sm, l, now);
}

static CT_INLINE void lreq_done(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, uint32_t now)
{
	struct rp_lreq *l = &sm->full.lreq[lreq];
	uint32_t mem = l->mem;
	sm->c.l1_line_accesses++;
	sm->c.l1_line_misses += (l->met[RP_SECTOR_MISS] | l->met[RP_LINE_MISS]) != 0;
	if (l->is.store && !l->met[RP_LINE_MISS])
		sm->c.l1_store_line_hits += ct_bits(l->sectors);
	if (r->has_l1)
		observe_l1(r, sm, l, now);
	sm->full.lreq_spare.at[sm->full.lreq_spare.n++] = lreq;
	rp_mem_unref(sm, mem);
}

/* n sectors of the line have met that. */
static CT_INLINE void count_met(struct ct_replay *r, struct rp_sm *sm, uint32_t lreq, enum rp_met what,
                                uint32_t sectors, uint32_t n, uint32_t now)
{
	struct rp_lreq *l = &sm->full.lreq[lreq];
	sm->full.l1_met[l->is.store][what] += n;
	l->met[what] |= (uint8_t)sectors;
	l->left &= ~sectors;
	if (!l->left)
		lreq_done(r, sm, lreq, now);
}

/* Several banks are ready, with sectors of the same line, and all hit: the common case, in one
 * lookup. */
static CT_INLINE int try_all_banks(struct ct_replay *r, struct rp_sm *sm, uint32_t banks, uint32_t now,
                                   int usual)
{
	uint32_t lreq = sm->full.bank_what[ct_low_bit(banks)] >> 3, sectors = 0, i, n = 0;
	for (uint32_t m = banks; m; m &= m - 1, n++) {
		uint32_t what = sm->full.bank_what[ct_low_bit(m)];
		if (what >> 3 != lreq)
			return 0;
		sectors |= 1u << (what & 7);
	}
	struct rp_lreq *l = &sm->full.lreq[lreq];
	uint32_t mem = l->mem;
	if (l->is.store)
		return 0;
	i = l->near = rp_tags_find_near(&sm->cache.tags, l->line, l->near);
	if (i == RP_NO_LINE || (sectors & ~rp_load_hits(&sm->cache.tags.line[i])))
		return 0;
	rp_tags_touch_later(&sm->cache.tags, i, now);
	tell_found(r, sm, l, 1, usual);
	for (uint32_t m = banks; m; m &= m - 1)
		leave_bank(sm, ct_low_bit(m), usual);
	count_met(r, sm, lreq, RP_HIT, sectors, n, now);
	rp_mem_return(r, sm, mem, n, now, now);
	return 1;
}

/* Whether the bank's oldest, which has missed before, still has no room in the miss queue or no entry. */
static CT_INLINE int still_lacks(struct ct_replay *r, struct rp_sm *sm, uint32_t now, uint32_t *retry)
{
	if (!has_miss_room(sm, r->g.l1.miss_queue - 1, now, retry))
		return 1;
	if (!sm->full.mshr_spare.n)
		fails_for(sm, RP_LACKS_MSHR, now);
	return !sm->full.mshr_spare.n;
}

/* One bank tries its head; the request keeps its instruction alive meanwhile. */
static CT_INLINE int try_bank(struct ct_replay *r, struct rp_sm *sm, uint32_t bank, uint32_t now,
                              uint32_t *retry, int usual)
{
	uint32_t head = sm->full.bank_what[bank], lreq = head >> 3, s = usual ? bank : head & 7;
	struct rp_lreq *l = &sm->full.lreq[lreq];
	if ((sm->full.missing_banks >> bank & 1) && still_lacks(r, sm, now, retry))
		return 0;
	enum rp_met what = l->is.store ? store_sector(r, sm, l, s, now, retry)
	                               : load_sector(r, sm, l, bank, s, now, retry, usual);
	if (what == RP_FAIL)
		return 0;
	leave_bank(sm, bank, usual);
	count_met(r, sm, lreq, what, 1u << s, 1, now);
	return 1;
}

/* Banks whose oldest is ready; what there is not never is. */
static CT_INLINE uint32_t ready_banks(const struct ct_replay *r, const struct rp_sm *sm, uint32_t now,
                                      int usual)
{
	uint32_t ready = rp_four_due(sm->full.bank_at, now);
	for (uint32_t b = RP_USUAL_BANKS; !usual && b < r->banks; b++)
		ready |= (uint32_t)(sm->full.bank_at[b] <= now) << b;
	return ready;
}

/* The first cycle in which one is, where those that have failed try again in cycle `retry`. */
static CT_INLINE uint32_t next_bank(const struct ct_replay *r, const struct rp_sm *sm, uint32_t failed,
                                    uint32_t retry, int usual)
{
	uint32_t next = failed ? retry : RP_NEVER;
	if (!failed && (usual || r->banks <= RP_USUAL_BANKS))
		return rp_four_first(sm->full.bank_at);
	for (uint32_t b = 0; b < r->banks; b++)
		next = rp_min32(next, failed >> b & 1 ? retry : sm->full.bank_at[b]);
	return next;
}

/* Each bank with something at its head tries it, lowest bank first. */
static CT_INLINE void step_banks(struct ct_replay *r, struct rp_sm *sm, uint32_t now, int usual)
{
	uint32_t retry = RP_NEVER, failed = 0, ready = ready_banks(r, sm, now, usual), next;
	count_lacks(sm, now);
	sm->full.l1_next = RP_NEVER;
	if (!(ready & (ready - 1)) || (ready & sm->full.missing_banks) ||
	    !try_all_banks(r, sm, ready, now, usual))
		for (uint32_t m = ready; m; m &= m - 1)
			if (!try_bank(r, sm, ct_low_bit(m), now, &retry, usual))
				failed |= m & (0 - m);
	if ((ready & ~failed) && sm->full.lsu_mem != RP_NO_INDEX && sm->full.lsu_next == RP_NEVER)
		sm->full.lsu_next = now; /* a bank that was full has moved */
	next = rp_max32(next_bank(r, sm, failed, retry, usual), now + 1);
	if (next < sm->full.l1_next)
		sm->full.l1_next = next;
}

/* Takes the next banks of *left whose oldest belong to one line, and gives them to the L1 organisation. Returns those that
 * have to try again. */
static CT_INLINE uint32_t give_banks_to_part(struct ct_replay *r, struct rp_sm *sm, uint32_t *left,
                                             uint32_t now, uint32_t *retry, int usual)
{
	uint32_t lreq = sm->full.bank_what[ct_low_bit(*left)] >> 3, sectors = 0, banks = 0, failed = 0;
	for (; *left && sm->full.bank_what[ct_low_bit(*left)] >> 3 == lreq; *left &= *left - 1) {
		sectors |= 1u << (sm->full.bank_what[ct_low_bit(*left)] & 7);
		banks |= *left & (0 - *left);
	}
	uint32_t taken = rp_part_look_up(r, sm, lreq, sectors, now, retry);
	for (uint32_t m = banks; m; m &= m - 1) {
		uint32_t bank = ct_low_bit(m);
		if (taken >> (sm->full.bank_what[bank] & 7) & 1)
			leave_bank(sm, bank, usual);
		else
			failed |= m & (0 - m);
	}
	return failed;
}

/* Does what step_banks() does, for an L1 organisation that is looked up through the banks. */
static CT_INLINE void step_part_banks(struct ct_replay *r, struct rp_sm *sm, uint32_t now, int usual)
{
	uint32_t retry = RP_NEVER, failed = 0, ready = ready_banks(r, sm, now, usual), next;
	sm->full.l1_next = RP_NEVER;
	for (uint32_t left = ready; left;)
		failed |= give_banks_to_part(r, sm, &left, now, &retry, usual);
	if ((ready & ~failed) && sm->full.lsu_mem != RP_NO_INDEX && sm->full.lsu_next == RP_NEVER)
		sm->full.lsu_next = now; /* a bank that was full has moved */
	next = rp_max32(next_bank(r, sm, failed, retry, usual), now + 1);
	if (next < sm->full.l1_next)
		sm->full.l1_next = next;
}

void rp_l1_step(struct ct_replay *r, struct rp_sm *sm, uint32_t now)
{
	if (r->usual_memory)
		step_banks(r, sm, now, 1);
	else if (r->l1_part && r->parts->banks && r->usual_banks)
		step_part_banks(r, sm, now, 1);
	else if (r->l1_part && r->parts->banks)
		step_part_banks(r, sm, now, 0);
	else if (r->l1_part)
		rp_part_l1_step(r, sm, now);
	else
		step_banks(r, sm, now, 0);
}

/* ---- replies ---- */

/* The data of a sector that was reserved is there. The line may have gone when the L1 was wiped
 * meanwhile; an L1 that allocates on a fill takes a place for it only now. */
static void fill_sector(struct ct_replay *r, struct rp_sm *sm, const struct rp_mshr *m, uint32_t now,
                        int usual)
{
	uint32_t bits = rp_l1_line(r, usual) - rp_l1_sector(r, usual);
	uint64_t line = m->sector >> bits;
	uint32_t sector = (uint32_t)m->sector & ((1u << bits) - 1), bit = 1u << sector;
	uint32_t i = rp_tags_find_near(&sm->cache.tags, line, m->line);
	if (!usual && i == RP_NO_LINE && !m->passes && r->g.l1.allocate != CT_ALLOCATE_ON_MISS) {
		struct rp_lreq l = {.line = line, .mem = m->mem};
		if (!allocate_line(r, sm, &l, now, &i))
			i = RP_NO_LINE;
		else
			rp_tags_reserve(&sm->cache.tags, i, sector);
	}
	if (i == RP_NO_LINE) /* wiped in the meantime */
		return;
	struct rp_line *t = &sm->cache.tags.line[i];
	if (!((t->reserved | t->fill_modified) & bit))
		return;
	if (!t->filled)
		rp_log_line(r, sm, line, now, m->first ? RP_LOG_FILL : RP_LOG_HERE);
	rp_tags_fill(&sm->cache.tags, i, sector, 0);
}

/* Asks the host's memory for what the next replies will need. */
static CT_INLINE void prefetch_replies(const struct rp_sm *sm)
{
	const struct rp_packet *p;
	if (sm->replies.n > 5 && (p = rp_ring_at(&sm->replies, 5))->kind == RP_PK_READ)
		CT_BRING(&sm->full.mshr[p->id]);
	if (sm->replies.n > 2 && (p = rp_ring_at(&sm->replies, 2))->kind == RP_PK_READ) {
		const struct rp_mshr *m = &sm->full.mshr[p->id];
		CT_BRING(&sm->full.mem[m->mem]);
		CT_BRING(bucket_of(sm, m->sector));
		if (m->line != RP_NO_LINE) {
			CT_BRING(&sm->cache.tags.line[m->line]);
			CT_BRING(&sm->cache.tags.stamp[m->line]);
		}
	}
}

/* The data of an entry: its requests take the write-back port one a cycle from two cycles on. */
static CT_INLINE void take_fill(struct ct_replay *r, struct rp_sm *sm, uint32_t id, uint32_t now,
                                int usual)
{
	struct rp_mshr *m = &sm->full.mshr[id];
	prefetch_replies(sm);
	if (--m->replies)
		return;
	fill_sector(r, sm, m, now, usual);
	rp_mem_return(r, sm, m->mem, 1, rp_port_book(sm, now, now + 2), now);
	for (uint32_t i = m->head; i != RP_NO_INDEX;) {
		uint32_t next = sm->full.waiter[i].next, mem = sm->full.waiter[i].mem;
		sm->full.waiter[i].next = sm->full.waiter_free;
		sm->full.waiter_free = i;
		rp_mem_return(r, sm, mem, 1, rp_port_take(sm, now, now + 2), now);
		i = next;
	}
	mshr_close(sm, id);
	if (ready_banks(r, sm, now, usual))
		sm->full.l1_next = now;
}

/* A reply reaches the load/store unit: a fill writes the tags at once (doc/replay.md section 5). */
void rp_l1_reply(struct ct_replay *r, struct rp_sm *sm, const struct rp_packet *p, uint32_t now)
{
	if (p->kind == RP_PK_READ) {
		if (r->usual_memory)
			take_fill(r, sm, p->id, now, 1);
		else
			take_fill(r, sm, p->id, now, 0);
	} else if (p->kind == RP_PK_STORE) {
		struct rp_warp *w = &sm->warp[p->id];
		w->stores--;
		rp_warp_check_end(r, sm, p->id, now);
	} else if (p->kind == RP_PK_FETCH || p->kind == RP_PK_WRITE) {
		rp_part_l1_reply(r, sm, p, now);
	} else {
		rp_mem_return(r, sm, p->id, 1, rp_port_take(sm, now, now + 2), now);
	}
}
