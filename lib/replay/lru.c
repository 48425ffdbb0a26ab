/* The caches of the cheap engine: hash for lookup, stamps of recency for the victim. */
#include "replay/private/lru.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "replay/private/oldest.h"

/* Of a slot of the hash, as in tags.c. */
enum { INDEX_BITS = 21 };

static int allocate_all(struct rp_lru *t, struct ct_error *e)
{
	uint32_t n = t->capacity;
	t->entry = ct_calloc_aligned(n, (size_t)1 << t->entry_bits);
	t->stamp = ct_calloc_aligned(n, sizeof *t->stamp);
	for (int i = 0; i < 2; i++) /* any shape has no more sets or blocks */
		t->oldest[i] = ct_calloc_aligned(n, sizeof *t->oldest[i]);
	t->modified = ct_calloc(n / 64 + 2, sizeof *t->modified);
	t->set = ct_calloc_aligned(n, sizeof *t->set);
	/* any shape needs at most one word per set beyond one bit per line */
	t->free_ways = ct_calloc(n / 64 + n + 1, sizeof *t->free_ways);
	t->hash = ct_calloc_aligned((size_t)t->hash_mask + 1, sizeof *t->hash);
	t->bytes = ct_calloc(n, sizeof *t->bytes);
	if (!t->entry || !t->stamp || !t->oldest[0] || !t->oldest[1] || !t->modified || !t->set ||
	    !t->free_ways || !t->hash || !t->bytes) {
		rp_lru_free(t);
		return ct_fail_nomem(e);
	}
	return 0;
}

int rp_lru_init(struct rp_lru *t, uint32_t capacity, uint32_t sectors, uint32_t fifo,
                uint32_t dirty_percent, struct ct_error *e)
{
	uint32_t slots = 16;
	memset(t, 0, sizeof *t);
	if (capacity >= (1u << INDEX_BITS) - 1)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "a cache of more than %u lines",
		               (1u << INDEX_BITS) - 2);
	t->capacity = capacity;
	t->sectors = sectors;
	t->fifo = fifo;
	t->dirty_percent = dirty_percent;
	t->entry_bits = sectors <= 4 ? 5 : 6;
	while (slots < capacity * 2)
		slots *= 2;
	t->hash_mask = slots - 1;
	while (capacity >> t->index_bits)
		t->index_bits++;
	t->homes = t->hash_mask <= 0xffffffffu >> t->index_bits;
	return allocate_all(t, e);
}
_Static_assert(sizeof(struct rp_entry) + 4 * sizeof(uint32_t) == 32, "an entry of four sectors");

void rp_lru_free(struct rp_lru *t)
{
	free(t->entry);
	free(t->stamp);
	free(t->oldest[0]);
	free(t->oldest[1]);
	free(t->modified);
	free(t->set);
	free(t->free_ways);
	free(t->hash);
	free(t->bytes);
	memset(t, 0, sizeof *t);
}

static void empty(struct rp_lru *t)
{
	memset(t->hash, 0, ((size_t)t->hash_mask + 1) * sizeof *t->hash);
	memset(t->entry, 0, (size_t)t->lines << t->entry_bits);
	memset(t->modified, 0, (t->lines / 64 + 1) * sizeof *t->modified);
	for (int i = 0; i < 2; i++)
		memset(t->oldest[i], 0xff, (size_t)t->sets * t->blocks * sizeof *t->oldest[i]);
	for (uint32_t s = 0; s < t->sets; s++) {
		t->set[s] = (struct rp_lru_set){.victim = RP_LRU_NONE};
		for (uint32_t w = 0; w < t->words; w++) {
			uint32_t left = t->ways - w * 64;
			t->free_ways[s * t->words + w] = left < 64 ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
		}
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
	t->blocks = (ways + RP_STAMPS - 1) / RP_STAMPS;
	for (t->way_bits = 0; t->way_bits < 32 && ways >> t->way_bits != 1;)
		t->way_bits++;
	if (!ways || ways & (ways - 1))
		t->way_bits = 32;
	empty(t);
}

void rp_lru_flush(struct rp_lru *t)
{
	if (t->used_lines)
		empty(t);
}

void rp_lru_rebase(struct rp_lru *t, uint32_t cycles)
{
	for (uint32_t i = 0; i < t->lines; i++) {
		uint32_t *due = rp_lru_at(t, i)->due;
		for (uint32_t s = 0; s < t->sectors; s++)
			due[s] = due[s] > cycles ? due[s] - cycles : 0;
	}
}

/* ---- the hash ---- */

/* Where probing for the line of a slot began. */
static uint32_t home_of(const struct rp_lru *t, uint32_t slot)
{
	if (t->homes)
		return slot >> t->index_bits & t->hash_mask;
	return rp_lru_mix(rp_lru_at(t, rp_lru_index(t, slot))->tag) & t->hash_mask;
}

static void hash_remove(struct rp_lru *t, uint32_t index)
{
	uint32_t m = rp_lru_mix(rp_lru_at(t, index)->tag), mask = t->hash_mask, *hash = t->hash;
	uint32_t h = m & mask, want = m << t->index_bits | (index + 1);
	while (hash[h] != want)
		h = (h + 1) & mask;
	/* close the gap: move back what may not be found across it */
	for (uint32_t k = (h + 1) & mask; hash[k]; k = (k + 1) & mask)
		if (((k - home_of(t, hash[k])) & mask) >= ((k - h) & mask)) {
			hash[h] = hash[k];
			h = k;
		}
	hash[h] = 0;
}

static void hash_insert(struct rp_lru *t, uint32_t index)
{
	uint32_t m = rp_lru_mix(rp_lru_at(t, index)->tag), h = m & t->hash_mask;
	while (t->hash[h])
		h = (h + 1) & t->hash_mask;
	t->hash[h] = m << t->index_bits | (index + 1);
}

/* ---- the order ---- */

/* A line of the block can be a victim again. */
static void lower(struct rp_lru *t, uint32_t set, uint32_t index, int which)
{
	uint32_t *o = &t->oldest[which][set * t->blocks + (index - set * t->ways) / RP_STAMPS];
	*o = *o < t->stamp[index] ? *o : t->stamp[index];
}

void rp_lru_renumber(struct rp_lru *t, uint32_t set)
{
	uint32_t *r = t->stamp + (size_t)set * t->ways, low = 0, next;
	for (uint32_t n = 0;; n++, low = next + 1) { /* the n-th lowest, from 0 on, becomes n */
		next = RP_NO_STAMP;
		for (uint32_t w = 0; w < t->ways; w++)
			if (r[w] >= low && r[w] < next)
				next = r[w];
		if (next == RP_NO_STAMP)
			break;
		for (uint32_t w = 0; w < t->ways; w++)
			if (r[w] == next)
				r[w] = n;
		t->set[set].stamp = n;
	}
	for (int i = 0; i < 2; i++)
		memset(t->oldest[i] + (size_t)set * t->blocks, 0, t->blocks * sizeof *t->oldest[i]);
	t->set[set].victim = RP_LRU_NONE;
}

/* The oldest line of a full set, with `clean` of those that are not modified; RP_LRU_NONE. */
static inline uint32_t oldest_of(struct rp_lru *t, uint32_t set, int clean)
{
	uint32_t *bound = t->oldest[clean] + (size_t)set * t->blocks;
	for (;;) {
		uint64_t block = t->blocks == 1 ? 0 : rp_lowest(bound, t->blocks, 0);
		uint32_t b = (uint32_t)block, expected = (uint32_t)(block >> 32), first, n;
		if (expected == RP_NO_STAMP)
			return RP_LRU_NONE;
		first = set * t->ways + b * RP_STAMPS;
		n = t->ways - b * RP_STAMPS;
		n = n < RP_STAMPS ? n : RP_STAMPS;
		uint64_t best = rp_lowest(t->stamp + first, n, clean ? rp_bits_of(t->modified, first, n) : 0);
		uint32_t stamp = (uint32_t)(best >> 32);
		if (t->blocks == 1 || stamp == expected)
			return stamp == RP_NO_STAMP ? RP_LRU_NONE : first + (uint32_t)best;
		bound[b] = stamp; /* it was too low: lines have been touched */
	}
}

static uint32_t last_free_way(const struct rp_lru *t, uint32_t set)
{
	uint32_t w = t->words;
	while (w-- > 1 && !t->free_ways[set * t->words + w])
		;
	return w * 64 + ct_high_bit(t->free_ways[set * t->words + w]);
}

/* Too few lines are modified for one of them to go. */
static int protects(const struct rp_lru *t)
{
	return t->modified_lines &&
	       100 * (uint64_t)t->modified_lines < (uint64_t)t->dirty_percent * t->lines;
}

uint32_t rp_lru_victim(struct rp_lru *t, uint32_t set)
{
	const struct rp_lru_set *s = &t->set[set];
	if (s->used < t->ways)
		return set * t->ways + last_free_way(t, set);
	if (protects(t)) {
		uint32_t clean = oldest_of(t, set, 1);
		if (clean != RP_LRU_NONE)
			return clean;
	}
	if (s->victim != RP_LRU_NONE && t->stamp[s->victim] == s->victim_stamp)
		return s->victim; /* others have only become younger */
	return oldest_of(t, set, 0);
}

/* What will go next is known now, and asked for. */
static void look_for_next(struct rp_lru *t, uint32_t set)
{
	struct rp_lru_set *s = &t->set[set];
	s->victim = RP_LRU_NONE;
	if (s->used < t->ways || protects(t))
		return;
	s->victim = oldest_of(t, set, 0);
	s->victim_stamp = t->stamp[s->victim];
	CT_BRING(rp_lru_at(t, s->victim));
}

/* ---- lines ---- */

enum { SMALL = 32 };

/* Of a size that the compiler knows. */
static void clear(const struct rp_lru *t, struct rp_entry *l)
{
	memset(l, 0, SMALL);
	if (t->entry_bits > 5)
		memset((unsigned char *)l + SMALL, 0, SMALL);
}

void rp_lru_modified(struct rp_lru *t, uint32_t index, uint32_t mask)
{
	struct rp_entry *l = rp_lru_at(t, index);
	int before = l->modified != 0, after = mask != 0;
	l->modified = (uint8_t)mask;
	if (before == after)
		return;
	t->modified_lines += after ? 1u : UINT32_MAX;
	rp_put_bit(t->modified, index, after);
	if (!after)
		lower(t, rp_lru_set_of(t, index), index, 1);
}

void rp_lru_allocate(struct rp_lru *t, uint32_t set, uint32_t index, uint64_t tag, uint32_t now)
{
	struct rp_entry *l = rp_lru_at(t, index);
	if (l->used) {
		hash_remove(t, index);
		if (l->modified)
			rp_lru_modified(t, index, 0);
	} else {
		uint32_t way = index - set * t->ways;
		t->free_ways[set * t->words + way / 64] &= ~(UINT64_C(1) << way % 64);
		t->set[set].used++;
		t->used_lines++;
	}
	clear(t, l);
	l->tag = tag;
	l->used = 1;
	l->touched = now;
	hash_insert(t, index);
	t->stamp[index] = rp_lru_stamp(t, set, now);
	lower(t, set, index, 0);
	lower(t, set, index, 1);
	look_for_next(t, set);
}

void rp_lru_store(struct rp_lru *t, uint32_t index, uint32_t sector, uint32_t bytes)
{
	struct rp_entry *l = rp_lru_at(t, index);
	uint32_t bit = 1u << sector;
	int readable = (rp_lru_hits(l) & bit) != 0;
	if (!l->counted) {
		memset(t->bytes[index], 0, sizeof t->bytes[index]);
		l->counted = 1;
	}
	uint64_t *word = &t->bytes[index][sector / 2];
	*word |= (uint64_t)bytes << 32 * (sector % 2);
	if ((uint32_t)(*word >> 32 * (sector % 2)) == 0xffffffffu)
		readable = 1;
	l->valid |= (uint8_t)bit;
	if (!(l->modified & bit))
		rp_lru_modified(t, index, l->modified | bit);
	if (readable)
		l->unreadable &= (uint8_t)~bit;
	else
		l->unreadable |= (uint8_t)bit;
	l->filled = 1;
}

void rp_lru_drop(struct rp_lru *t, uint32_t index, uint32_t sectors)
{
	struct rp_entry *l = rp_lru_at(t, index);
	uint32_t set = rp_lru_set_of(t, index), way = index - set * t->ways;
	if (l->modified & sectors)
		rp_lru_modified(t, index, l->modified & ~sectors);
	l->valid &= (uint8_t)~sectors;
	l->unreadable &= (uint8_t)~sectors;
	if (l->valid)
		return;
	hash_remove(t, index);
	t->used_lines--;
	t->set[set].used--;
	t->free_ways[set * t->words + way / 64] |= UINT64_C(1) << way % 64;
	clear(t, l);
}
