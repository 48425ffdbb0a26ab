/* Caches whose sectors know when their data comes (lru.h): an index for lookup, stamps of recency for
 * the victim. */
#include "replay/private/lru.h"

#include <string.h>

enum { UNTIMED_BITS = 4 };

/* Takes all arrays of the cache from the pool, which frees them as a whole. */
static int allocate_all(struct rp_lru *t, struct ct_pool *pool, struct ct_error *e)
{
	uint32_t n = t->capacity;
	t->entry = ct_pool_take(pool, n, (size_t)1 << t->entry_bits);
	t->stamp = ct_pool_take(pool, n, sizeof *t->stamp);
	t->print = ct_pool_take(pool, n, sizeof *t->print);
	t->set = ct_pool_take(pool, n, sizeof *t->set);
	t->queue = ct_pool_take(pool, rp_queues(n), sizeof *t->queue);
	t->modified = ct_pool_take(pool, n / 64 + 2, sizeof *t->modified);
	/* any shape needs at most one word per set beyond one bit per line */
	t->free_ways = ct_pool_take(pool, n / 64 + n + 1, sizeof *t->free_ways);
	t->bytes = ct_pool_take(pool, n, sizeof *t->bytes);
	return t->entry && t->stamp && t->print && t->set && t->queue && t->modified && t->free_ways &&
	                       t->bytes
	               ? 0
	               : ct_fail_nomem(e);
}

int rp_lru_init(struct rp_lru *t, uint32_t capacity, uint32_t sectors, int timed, uint32_t fifo,
                uint32_t dirty_percent, struct ct_pool *pool, struct ct_error *e)
{
	memset(t, 0, sizeof *t);
	t->capacity = capacity;
	t->sectors = sectors;
	t->fifo = fifo;
	t->dirty_percent = dirty_percent;
	t->entry_bits = !timed ? UNTIMED_BITS : sectors <= 4 ? 5 : 6;
	int st = ct_tag_index_init(&t->index, capacity, t->entry_bits, pool, e);
	if (st == 0)
		st = allocate_all(t, pool, e);
	t->index.line = t->entry;
	return st;
}
_Static_assert(sizeof(struct rp_entry) == 1 << UNTIMED_BITS, "an entry without times");
_Static_assert(sizeof(struct rp_entry) + 4 * sizeof(uint32_t) == 32, "an entry of four sectors");

static void empty_ways(struct rp_lru *t)
{
	ct_tag_index_clear(&t->index);
	memset(t->entry, 0, (size_t)t->lines << t->entry_bits);
	memset(t->modified, 0, (t->lines / 64 + 1) * sizeof *t->modified);
	rp_queues_empty(t->queue, 0, t->sets, t->ways);
	for (uint32_t s = 0; s < t->sets; s++) {
		t->set[s] = (struct rp_lru_set){.victim = RP_LRU_NONE};
		rp_free_all(t->free_ways + (size_t)s * t->words, t->ways);
	}
	t->modified_lines = 0;
	t->used_lines = 0;
}

void rp_lru_shape(struct rp_lru *t, uint32_t sets, uint32_t ways)
{
	t->sets = sets;
	t->ways = ways;
	t->lines = sets * ways;
	t->words = (ways + 63) / 64;
	t->by_set = ways <= RP_STAMPS;
	t->way_bits = rp_way_bits(ways);
	empty_ways(t);
}

void rp_lru_flush(struct rp_lru *t)
{
	if (t->used_lines)
		empty_ways(t);
}

void rp_lru_rebase(struct rp_lru *t, uint32_t cycles)
{
	for (uint32_t i = 0; i < t->lines; i++) {
		uint32_t *due = rp_lru_at(t, i)->due;
		for (uint32_t s = 0; s < t->sectors; s++)
			if (!(due[s] & RP_DUE_ASKED))
				due[s] = due[s] > cycles ? due[s] - cycles : 0;
	}
}

/* ---- the order ---- */

void rp_lru_renumber(struct rp_lru *t, uint32_t set)
{
	t->set[set].stamp = rp_renumber(t->stamp + (size_t)set * t->ways, t->ways);
	rp_queues_empty(t->queue, set, 1, t->ways);
	t->set[set].victim = RP_LRU_NONE;
}

/* The oldest line of a full set, with `clean` of those that are not modified; RP_LRU_NONE. */
static inline uint32_t oldest_of(struct rp_lru *t, uint32_t set, uint32_t clean)
{
	struct rp_ways s = {
		t->queue + 2 * set + clean, t->stamp, set * t->ways, t->ways, t->set[set].stamp,
		clean ? t->modified : NULL, NULL};
	uint32_t i = rp_oldest_line(&s);
	return i == RP_NO_STAMP ? RP_LRU_NONE : i;
}

/* Too few lines are modified for one of them to go. */
static int protects_modified(const struct rp_lru *t)
{
	return t->modified_lines &&
	       100 * (uint64_t)t->modified_lines < (uint64_t)t->dirty_percent * t->lines;
}

static uint32_t free_way(const struct rp_lru *t, uint32_t set)
{
	return set * t->ways + rp_last_bit(t->free_ways + (size_t)set * t->words, t->words);
}

uint32_t rp_lru_victim(struct rp_lru *t, uint32_t set)
{
	const struct rp_lru_set *s = &t->set[set];
	if (s->used < t->ways)
		return s->victim != RP_LRU_NONE ? s->victim : free_way(t, set);
	if (protects_modified(t)) {
		uint32_t clean = oldest_of(t, set, 1);
		if (clean != RP_LRU_NONE)
			return clean;
	}
	if (s->victim != RP_LRU_NONE && t->stamp[s->victim] == s->victim_stamp)
		return s->victim; /* others have only become younger */
	return oldest_of(t, set, 0);
}

uint32_t rp_lru_settled_victim(struct rp_lru *t, uint32_t set, uint32_t now)
{
	uint32_t first = set * t->ways, victim = rp_lru_victim(t, set), best = RP_LRU_NONE;
	int clean = protects_modified(t);
	if (!rp_lru_awaits(t, rp_lru_at(t, victim), now))
		return victim;
	for (uint32_t i = first; i < first + t->ways; i++)
		if ((best == RP_LRU_NONE || t->stamp[i] < t->stamp[best]) &&
		    !(clean && rp_lru_at(t, i)->modified) && !rp_lru_awaits(t, rp_lru_at(t, i), now))
			best = i;
	return best != RP_LRU_NONE ? best : victim;
}

/* Asks for what the next victim of a set of many ways will need to leave the index, and for the line
 * that goes after it. */
static inline void bring_after(const struct rp_lru *t, uint32_t set, uint32_t victim)
{
	if (t->by_set)
		return;
	const struct rp_queue *q = &t->queue[2 * set];
	CT_BRING(ct_tag_index_slot(&t->index, rp_lru_at(t, victim)->tag));
	if (q->head + 1 < q->n)
		CT_BRING(rp_lru_at(t, q->line[q->head + 1]));
}

/* What will go next is known now, and asked for. */
static void look_for_next(struct rp_lru *t, uint32_t set)
{
	struct rp_lru_set *s = &t->set[set];
	s->victim = RP_LRU_NONE;
	if (s->used < t->ways) {
		s->victim = free_way(t, set);
	} else if (protects_modified(t)) {
		return;
	} else {
		s->victim = oldest_of(t, set, 0);
		s->victim_stamp = t->stamp[s->victim];
		bring_after(t, set, s->victim);
	}
	CT_BRING(rp_lru_at(t, s->victim));
}

/* ---- lines ---- */

enum { SMALL = sizeof(struct rp_entry), MEDIUM = 2 * SMALL };

/* Clears an entry of 16, 32 or 64 bytes, in pieces whose size the compiler knows. */
static void clear_entry(const struct rp_lru *t, struct rp_entry *l)
{
	memset(l, 0, SMALL);
	if (t->entry_bits > UNTIMED_BITS)
		memset((unsigned char *)l + SMALL, 0, SMALL);
	if (t->entry_bits > UNTIMED_BITS + 1)
		memset((unsigned char *)l + MEDIUM, 0, MEDIUM);
}

/* Which sectors of the line are modified from now on. */
static void set_modified(struct rp_lru *t, uint32_t index, uint32_t mask)
{
	struct rp_entry *l = rp_lru_at(t, index);
	int before = l->modified != 0, after = mask != 0;
	l->modified = (uint8_t)mask;
	if (before == after)
		return;
	t->modified_lines += after ? 1u : UINT32_MAX;
	rp_put_bit(t->modified, index, after);
	if (!after && t->ways > RP_STAMPS)
		rp_queue_missed(&t->queue[2 * rp_lru_set_of(t, index) + 1], t->stamp[index]);
}

/* Takes the tag that was there out of what finds it, puts the new one in, youngest of its set, and
 * finds the victim that is next. */
void rp_lru_allocate(struct rp_lru *t, uint32_t set, uint32_t index, uint64_t tag, uint32_t now)
{
	struct rp_entry *l = rp_lru_at(t, index);
	if (t->set[set].used == t->ways) { /* else it is free, and need not be near to be written */
		if (!t->by_set)
			ct_tag_index_remove(&t->index, index);
		if (l->modified)
			set_modified(t, index, 0);
	} else {
		uint32_t way = index - set * t->ways;
		t->free_ways[set * t->words + way / 64] &= ~(UINT64_C(1) << way % 64);
		t->set[set].used++;
		t->used_lines++;
	}
	clear_entry(t, l);
	l->tag = tag;
	l->used = 1;
	l->touched = now;
	if (t->by_set)
		t->print[index] = (uint32_t)tag;
	else
		ct_tag_index_insert(&t->index, index);
	t->stamp[index] = rp_lru_stamp(t, set, now);
	look_for_next(t, set);
}

/* A sector that is only partly written cannot be read until all of its bytes have been written or it
 * is filled: written bytes are noted for that. */
void rp_lru_store(struct rp_lru *t, uint32_t index, uint32_t sector, uint32_t bytes)
{
	struct rp_entry *l = rp_lru_at(t, index);
	uint32_t bit = 1u << sector;
	int readable = (rp_lru_hits(l) & bit) || bytes == UINT32_MAX;
	if (!readable && bytes) {
		readable = rp_all_written(t->bytes[index], l->counted, sector, bytes);
		l->counted = 1;
	}
	l->valid |= (uint8_t)bit;
	if (!(l->modified & bit))
		set_modified(t, index, l->modified | bit);
	if (readable)
		l->unreadable &= (uint8_t)~bit;
	else
		l->unreadable |= (uint8_t)bit;
	l->filled = 1;
}

/* A line without a valid sector leaves its set, whose next victim is its way then. */
void rp_lru_drop(struct rp_lru *t, uint32_t index, uint32_t sectors)
{
	struct rp_entry *l = rp_lru_at(t, index);
	uint32_t set = rp_lru_set_of(t, index), way = index - set * t->ways;
	if (l->modified & sectors)
		set_modified(t, index, l->modified & ~sectors);
	l->valid &= (uint8_t)~sectors;
	l->unreadable &= (uint8_t)~sectors;
	if (l->counted)
		rp_forget_written(t->bytes[index], sectors);
	if (l->valid)
		return;
	if (!t->by_set)
		ct_tag_index_remove(&t->index, index);
	t->used_lines--;
	t->set[set].used--;
	t->set[set].victim = RP_LRU_NONE;
	t->free_ways[set * t->words + way / 64] |= UINT64_C(1) << way % 64;
	clear_entry(t, l);
}
