/* ahead_l1.h - the lines of a memory instruction in the L1 where a sector knows when its data will be there
 * (private; quick_mem.c): hints, the lookup, banks, counts. */
#ifndef CT_REPLAY_PRIVATE_AHEAD_L1_H
#define CT_REPLAY_PRIVATE_AHEAD_L1_H

#include "base/bits.h"
#include "replay/private/instruction.h"
#include "replay/private/l1.h"

/* A line of an instruction, with hints that were asked for ahead of its turn. */
struct rp_look {
	const struct ct_line_request *q;
	uint32_t set, near; /* in the L1 */
};

static CT_INLINE uint32_t rp_l1_set(const struct ct_replay *r, const struct rp_lru *t, uint64_t line)
{
	return ct_set_index((enum ct_set_hash)r->g.l1.set_hash, t->sets, line);
}

/* Asks the host's memory for the line that makes room in the set next. */
static CT_INLINE void rp_lru_prefetch_victim(const struct rp_lru *t, uint32_t set)
{
	uint32_t i = t->set[set].victim;
	if (i != RP_LRU_NONE)
		CT_BRING(rp_lru_at(t, i));
}

/* The same for what all lines of an instruction meet in the L1. */
static CT_INLINE void rp_look_prefetch(const struct ct_replay *r, const struct rp_lru *t,
                                       const struct ct_line_request *q, unsigned n, struct rp_look *look)
{
	for (unsigned i = 0; i < n; i++)
		rp_lru_prefetch_set(t, look[i].set = rp_l1_set(r, t, q[i].line), q[i].line);
	for (unsigned i = 0; i < n; i++) {
		uint32_t k = look[i].near = rp_lru_guess(t, look[i].set, q[i].line);
		look[i].q = &q[i];
		if (k != RP_LRU_NONE)
			rp_lru_prefetch_line(t, k);
		else
			rp_lru_prefetch_victim(t, look[i].set);
	}
}

/* What a line met in the L1: masks of its sectors. */
struct rp_outcome {
	uint32_t back; /* when its last sector is, as far as that is known */
	uint32_t pending, missing;
	int had; /* something of the line was there */
};

#define RP_TWO_BITS(n) n, n + 1, n + 1, n + 2
#define RP_FOUR_BITS(n) RP_TWO_BITS(n), RP_TWO_BITS(n + 1), RP_TWO_BITS(n + 1), RP_TWO_BITS(n + 2)
#define RP_SIX_BITS(n) RP_FOUR_BITS(n), RP_FOUR_BITS(n + 1), RP_FOUR_BITS(n + 1), RP_FOUR_BITS(n + 2)
static const uint8_t rp_count_of[256] = {RP_SIX_BITS(0), RP_SIX_BITS(1), RP_SIX_BITS(1), RP_SIX_BITS(2)};

/* Sectors of an instruction's lines, and lines with one that missed. */
struct rp_tally {
	uint32_t asked, missed, pending, sector_misses, lines_missed;
};

static CT_INLINE void rp_tally_misses(struct rp_tally *t, const struct rp_outcome *o)
{
	uint32_t missed = rp_count_of[o->missing & 0xff];
	t->missed += missed;
	t->sector_misses += o->had ? missed : 0;
	t->lines_missed += missed != 0;
	t->pending += rp_count_of[o->pending & 0xff];
}

static CT_INLINE void rp_tally_add(struct rp_tally *t, uint32_t asked, const struct rp_outcome *o)
{
	t->asked += rp_count_of[asked & 0xff];
	rp_tally_misses(t, o);
}

static CT_INLINE void rp_tally_count(struct rp_sm *sm, const struct rp_tally *t, uint32_t lines,
                                     int is_write)
{
	sm->c.l1_line_accesses += lines;
	sm->c.l1_line_misses += t->lines_missed;
	rp_count_l1(&sm->c, &(struct rp_l1_met){t->asked, t->missed, t->pending, t->sector_misses},
	            is_write);
}

/* The line takes the place of the victim i. */
static CT_INLINE uint32_t rp_make_room(struct ct_replay *r, struct rp_sm *sm, const struct rp_look *l,
                                       uint32_t i, uint32_t at)
{
	if (r->replication && rp_lru_at(&sm->cache.lru, i)->used)
		rp_log_line_now(r, sm, rp_lru_at(&sm->cache.lru, i)->tag, at, RP_LOG_GONE);
	rp_lru_allocate(&sm->cache.lru, l->set, i, l->q->line, at);
	return i;
}

/* Where a load has found its line. */
struct rp_found {
	uint32_t index; /* RP_LRU_NONE: nowhere */
	uint32_t valid; /* sectors that it asks for and that are there, or on their way */
	int had;        /* something of the line was there */
	struct rp_entry *e;
};

/* A load meets the line in the L1, which is touched at `at`. What seemed to be absent is: only
 * this instruction has been here since. */
static CT_INLINE struct rp_found rp_find_load(struct rp_sm *sm, const struct rp_look *l, uint32_t at)
{
	struct rp_lru *t = &sm->cache.lru;
	struct rp_found f = {.index = l->near};
	if (f.index != RP_LRU_NONE)
		f.index = rp_lru_find_near(t, l->set, l->q->line, f.index);
	f.had = f.index != RP_LRU_NONE;
	if (f.had) {
		f.e = rp_lru_at(t, f.index);
		f.valid = rp_lru_hits(f.e) & l->q->sectors;
		rp_lru_touch(t, l->set, f.index, at);
	}
	return f;
}

/* The sectors of a load that are missing have their place from now on, whenever their data comes. */
static CT_INLINE void
rp_place_missing(struct ct_replay *r, struct rp_sm *sm, const struct rp_look *l, struct rp_found *f,
                 uint32_t missing, uint32_t victim, uint32_t at)
{
	if (!f->had) {
		f->index = rp_make_room(r, sm, l, victim, at);
		rp_log_line(r, sm, l->q->line, at, RP_LOG_FILL);
		f->e = rp_lru_at(&sm->cache.lru, f->index);
	}
	rp_lru_fill(f->e, missing);
}

/* Whether a store of the line takes a way of its set. */
static CT_INLINE int
rp_store_allocates(const struct ct_replay *r, const struct rp_sm *sm, const struct rp_look *l)
{
	const struct rp_lru *t = &sm->cache.lru;
	return rp_store_rule(&r->g) == RP_STORE_WRITES &&
	       rp_lru_find_near(t, l->set, l->q->line, l->near) == RP_LRU_NONE;
}

/* A store meets the line in the L1 at cycle `at`, where that line makes room for it if it allocates; returns what it found
 * there. */
static CT_INLINE struct rp_outcome rp_store_line(struct ct_replay *r, struct rp_sm *sm,
                                                 const struct rp_look *l, uint32_t victim, uint32_t at)
{
	const struct ct_line_request *q = l->q;
	uint32_t i = rp_lru_find_near(&sm->cache.lru, l->set, q->line, l->near);
	uint32_t had = i != RP_LRU_NONE, all = had ? rp_lru_at(&sm->cache.lru, i)->valid : 0;
	uint32_t valid = all & q->sectors;
	enum rp_store_rule rule = rp_store_rule(&r->g);
	if (had && rule != RP_STORE_DROPS)
		rp_lru_touch(&sm->cache.lru, l->set, i, at);
	if (had && rule == RP_STORE_DROPS) {
		if (all == valid)
			rp_log_line(r, sm, q->line, at, RP_LOG_GONE);
		if (valid)
			rp_lru_drop(&sm->cache.lru, i, valid);
	} else if (rule == RP_STORE_WRITES) {
		if (!had) {
			i = rp_make_room(r, sm, l, victim, at);
			rp_log_line(r, sm, q->line, at, RP_LOG_HERE);
		}
		for (uint32_t left = q->sectors; left; left &= left - 1) {
			uint32_t s = ct_low_bit(left);
			rp_lru_store(&sm->cache.lru, i, s, rp_written_bytes(r, q->bytes, s));
		}
	}
	sm->c.l1_store_line_hits += had ? rp_count_of[q->sectors & 0xff] : 0;
	return (struct rp_outcome){.missing = q->sectors & ~valid, .had = (int)had};
}

/* Tells observers of a line what it met in the L1, where it came in as the `start` of the instruction
 * has it. */
static inline void rp_observe_line(struct ct_replay *r, struct rp_sm *sm, uint32_t warp,
                                   const struct rp_op *op, uint32_t sid, uint32_t start,
                                   const struct ct_line_request *q, const struct rp_outcome *o)
{
	const uint64_t cycle = r->base + start + r->g.l1_latency;
	if (r->l1_in_short && !r->told) {
		if (!op->bypass)
			rp_tell_line(r, sm->id, q->line, q->sectors, op->kind == RP_STORE, cycle);
		return;
	}
	struct ct_l1_event v = rp_l1_event(r, sm, warp, op, sid, cycle, q->line, q->sectors, q->bytes);
	if (!op->bypass) {
		v.pending = (uint8_t)o->pending;
		v.hit = (uint8_t)(q->sectors & ~o->missing & ~o->pending);
		*(o->had ? &v.sector_miss : &v.line_miss) = (uint8_t)o->missing;
	}
	rp_tell_l1_observers(r, &v);
}

#endif
