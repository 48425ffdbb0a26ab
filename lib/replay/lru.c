/* The caches of the cheap engine: hash chains for lookup, lists in the order of use for victims. */
#include "replay/private/lru.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

int rp_lru_init(struct rp_lru *t, uint32_t capacity, uint32_t sectors, uint32_t fifo,
                uint32_t dirty_percent, struct ct_error *e)
{
	memset(t, 0, sizeof *t);
	if (capacity > UINT32_MAX / 64)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "a cache of more than %u lines", UINT32_MAX / 64);
	t->capacity = capacity;
	t->sectors = sectors;
	t->fifo = fifo;
	t->dirty_percent = dirty_percent;
	while ((sizeof(struct rp_entry) + sectors * sizeof(uint32_t)) >> t->entry_bits)
		t->entry_bits++;
	if ((sizeof(struct rp_entry) + sectors * sizeof(uint32_t)) == (size_t)1 << (t->entry_bits - 1))
		t->entry_bits--;
	unsigned bucket_bits = 4;
	while (capacity >> bucket_bits)
		bucket_bits++;
	t->bucket_shift = 64 - bucket_bits;
	t->entry = ct_calloc_aligned(capacity, (size_t)1 << t->entry_bits);
	t->order = ct_calloc_aligned(capacity, sizeof *t->order);
	t->bucket = ct_calloc_aligned((size_t)1 << bucket_bits, sizeof *t->bucket);
	t->set = ct_calloc_aligned(capacity, sizeof *t->set);
	/* any shape needs at most one word per set beyond one bit per line */
	t->free_ways = ct_calloc(capacity / 64 + capacity + 1, sizeof *t->free_ways);
	t->bytes = ct_calloc(capacity, sizeof *t->bytes);
	if (!t->entry || !t->order || !t->bucket || !t->set || !t->free_ways || !t->bytes) {
		rp_lru_free(t);
		return ct_fail_nomem(e);
	}
	return 0;
}

void rp_lru_free(struct rp_lru *t)
{
	free(t->entry);
	free(t->order);
	free(t->bucket);
	free(t->set);
	free(t->free_ways);
	free(t->bytes);
	memset(t, 0, sizeof *t);
}

static void empty(struct rp_lru *t)
{
	memset(t->bucket, 0xff, (size_t)1 << (64 - t->bucket_shift) << 2);
	memset(t->entry, 0, (size_t)t->lines << t->entry_bits);
	for (uint32_t s = 0; s < t->sets; s++) {
		t->set[s] = (struct rp_lru_set){
			.list = {{RP_LRU_NONE, RP_LRU_NONE}, {RP_LRU_NONE, RP_LRU_NONE}},
		};
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

static void hash_remove(struct rp_lru *t, uint32_t index)
{
	uint32_t *from = rp_lru_bucket(t, rp_lru_at(t, index)->tag);
	while (*from != index)
		from = &rp_lru_at(t, *from)->next;
	*from = rp_lru_at(t, index)->next;
}

static void hash_insert(struct rp_lru *t, uint32_t index)
{
	struct rp_entry *l = rp_lru_at(t, index);
	uint32_t *b = rp_lru_bucket(t, l->tag);
	l->next = *b;
	*b = index;
}

/* ---- the order ---- */

static int before(const struct rp_lru *t, uint32_t a, uint32_t b)
{
	uint32_t x = t->order[a].stamp, y = t->order[b].stamp;
	return x < y || (x == y && a < b);
}

static void unlink_line(struct rp_lru *t, struct rp_lru_list *list, uint32_t index)
{
	const struct rp_order *o = &t->order[index];
	if (o->older != RP_LRU_NONE)
		t->order[o->older].younger = o->younger;
	else
		list->oldest = o->younger;
	if (o->younger != RP_LRU_NONE)
		t->order[o->younger].older = o->older;
	else
		list->youngest = o->older;
}

/* Most often it is the youngest, or next to those of the same cycle. */
static void link_line(struct rp_lru *t, struct rp_lru_list *list, uint32_t index)
{
	struct rp_order *o = &t->order[index];
	uint32_t older = list->youngest, younger = RP_LRU_NONE;
	while (older != RP_LRU_NONE && before(t, index, older)) {
		younger = older;
		older = t->order[older].older;
	}
	o->older = older;
	o->younger = younger;
	if (older != RP_LRU_NONE)
		t->order[older].younger = index;
	else
		list->oldest = index;
	if (younger != RP_LRU_NONE)
		t->order[younger].older = index;
	else
		list->youngest = index;
}

static struct rp_lru_list *list_of(struct rp_lru *t, uint32_t set, const struct rp_entry *l)
{
	return &t->set[set].list[l->modified != 0];
}

void rp_lru_move(struct rp_lru *t, uint32_t set, uint32_t index)
{
	struct rp_lru_list *list = list_of(t, set, rp_lru_at(t, index));
	const struct rp_order *o = &t->order[index];
	if ((o->older == RP_LRU_NONE || before(t, o->older, index)) &&
	    (o->younger == RP_LRU_NONE || before(t, index, o->younger)))
		return;
	unlink_line(t, list, index);
	link_line(t, list, index);
}

void rp_lru_renumber(struct rp_lru *t, uint32_t set)
{
	struct rp_lru_set *s = &t->set[set];
	uint32_t at[2] = {s->list[0].oldest, s->list[1].oldest}, old = 0;
	for (s->stamp = 0;;) { /* the n-th lowest, from 0 on, becomes n */
		unsigned k = at[0] == RP_LRU_NONE || (at[1] != RP_LRU_NONE && before(t, at[1], at[0]));
		uint32_t i = at[k];
		if (i == RP_LRU_NONE)
			return;
		if (i != s->list[k].oldest || at[!k] != s->list[!k].oldest) /* not the first */
			s->stamp += t->order[i].stamp != old;
		at[k] = t->order[i].younger;
		old = t->order[i].stamp;
		t->order[i].stamp = s->stamp;
	}
}

static uint32_t last_free_way(const struct rp_lru *t, uint32_t set)
{
	uint32_t w = t->words;
	while (w-- > 1 && !t->free_ways[set * t->words + w])
		;
	return w * 64 + ct_high_bit(t->free_ways[set * t->words + w]);
}

uint32_t rp_lru_victim(const struct rp_lru *t, uint32_t set)
{
	const struct rp_lru_set *s = &t->set[set];
	uint32_t clean = s->list[0].oldest, modified = s->list[1].oldest;
	if (s->used < t->ways)
		return set * t->ways + last_free_way(t, set);
	if (clean == RP_LRU_NONE || modified == RP_LRU_NONE)
		return clean == RP_LRU_NONE ? modified : clean;
	if (100u * t->modified_lines / t->lines < t->dirty_percent)
		return clean;
	return before(t, clean, modified) ? clean : modified;
}

/* ---- lines ---- */

void rp_lru_modified(struct rp_lru *t, uint32_t index, uint32_t mask)
{
	struct rp_entry *l = rp_lru_at(t, index);
	uint32_t set = rp_lru_set_of(t, index);
	if (!l->modified == !mask) {
		l->modified = (uint8_t)mask;
		return;
	}
	unlink_line(t, list_of(t, set, l), index);
	l->modified = (uint8_t)mask;
	link_line(t, list_of(t, set, l), index);
	t->modified_lines += mask ? 1u : UINT32_MAX;
}

/* Out of the hash and the order; the rest is up to the caller. */
static void take_out(struct rp_lru *t, uint32_t set, uint32_t index)
{
	struct rp_entry *l = rp_lru_at(t, index);
	hash_remove(t, index);
	unlink_line(t, list_of(t, set, l), index);
	t->modified_lines -= l->modified != 0;
}

void rp_lru_allocate(struct rp_lru *t, uint32_t set, uint32_t index, uint64_t tag, uint32_t now)
{
	struct rp_lru_set *s = &t->set[set];
	struct rp_order *o = &t->order[index];
	struct rp_entry *l = rp_lru_at(t, index);
	if (l->used) {
		take_out(t, set, index);
	} else {
		uint32_t way = index - set * t->ways;
		t->free_ways[set * t->words + way / 64] &= ~(UINT64_C(1) << way % 64);
		s->used++;
		t->used_lines++;
	}
	memset(l, 0, (size_t)1 << t->entry_bits);
	l->tag = tag;
	l->used = 1;
	hash_insert(t, index);
	if (s->now != now && ++s->stamp == UINT32_MAX) {
		rp_lru_renumber(t, set);
		s->stamp++;
	}
	s->now = o->touched = now;
	o->stamp = s->stamp;
	link_line(t, &s->list[0], index);
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
	take_out(t, set, index);
	t->used_lines--;
	t->set[set].used--;
	t->free_ways[set * t->words + way / 64] |= UINT64_C(1) << way % 64;
	memset(l, 0, (size_t)1 << t->entry_bits);
}
