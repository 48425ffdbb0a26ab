/* The tag array: hash for lookup, one recency list per set for the victim. */
#include "replay/private/tags.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { NO_WAY = 0xffff };

/* A slot holds index + 1 and, above, bits of the hash that tell most other tags apart
 * without a look at their lines. */
enum { INDEX_BITS = 21 };
#define INDEX_MASK ((1u << INDEX_BITS) - 1)

int rp_tags_init(struct rp_tags *t, uint32_t capacity, uint32_t sectors, uint32_t fifo,
                 uint32_t dirty_percent, struct ct_error *e)
{
	memset(t, 0, sizeof *t);
	if (capacity >= INDEX_MASK)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "a cache of more than %u lines", INDEX_MASK - 1);
	t->capacity = capacity;
	t->sectors = sectors;
	t->full = (1u << sectors) - 1;
	t->fifo = fifo;
	t->dirty_percent = dirty_percent;
	uint32_t slots = 16;
	while (slots < capacity * 2)
		slots *= 2;
	t->hash_mask = slots - 1;
	t->line = ct_calloc_aligned(capacity, sizeof *t->line);
	t->set = ct_calloc(capacity, sizeof *t->set);
	/* any shape needs at most one word per set beyond one bit per line */
	t->free_ways = ct_calloc(capacity / 64 + capacity + 1, sizeof *t->free_ways);
	t->hash = ct_calloc(slots, sizeof *t->hash);
	t->bytes = ct_calloc(capacity, sizeof *t->bytes);
	if (!t->line || !t->set || !t->free_ways || !t->hash || !t->bytes) {
		rp_tags_free(t);
		return ct_fail_nomem(e);
	}
	return 0;
}

void rp_tags_free(struct rp_tags *t)
{
	free(t->line);
	free(t->set);
	free(t->free_ways);
	free(t->hash);
	free(t->bytes);
	memset(t, 0, sizeof *t);
}

static void empty(struct rp_tags *t)
{
	memset(t->hash, 0, ((size_t)t->hash_mask + 1) * sizeof *t->hash);
	memset(t->line, 0, (size_t)t->lines * sizeof *t->line);
	for (uint32_t s = 0; s < t->sets; s++)
		t->set[s] = (struct rp_set){NO_WAY, NO_WAY, 0};
	memset(t->free_ways, 0, (size_t)t->sets * t->words * sizeof *t->free_ways);
	for (uint32_t s = 0; s < t->sets; s++)
		for (uint32_t w = 0; w < t->ways; w++)
			t->free_ways[s * t->words + w / 64] |= UINT64_C(1) << w % 64;
	t->modified_lines = 0;
	t->used_lines = 0;
}

void rp_tags_shape(struct rp_tags *t, uint32_t sets, uint32_t ways)
{
	t->sets = sets;
	t->ways = ways;
	t->lines = sets * ways;
	t->words = (ways + 63) / 64;
	empty(t);
}

void rp_tags_flush(struct rp_tags *t)
{
	if (t->used_lines)
		empty(t);
}

static uint64_t mix(uint64_t tag)
{
	return tag * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t slot_of(const struct rp_tags *t, uint64_t mixed)
{
	return (uint32_t)(mixed >> 32) & t->hash_mask;
}

static uint32_t print_of(uint64_t mixed)
{
	return (uint32_t)(mixed >> 16) << INDEX_BITS;
}

uint32_t rp_tags_find(const struct rp_tags *t, uint64_t tag)
{
	uint64_t m = mix(tag);
	uint32_t print = print_of(m), v;
	for (uint32_t h = slot_of(t, m); (v = t->hash[h]) != 0; h = (h + 1) & t->hash_mask)
		if ((v & ~INDEX_MASK) == print && t->line[(v & INDEX_MASK) - 1].tag == tag)
			return (v & INDEX_MASK) - 1;
	return RP_NO_LINE;
}

static void hash_remove(struct rp_tags *t, uint32_t index)
{
	uint64_t m = mix(t->line[index].tag);
	uint32_t h = slot_of(t, m), want = print_of(m) | (index + 1);
	while (t->hash[h] != want)
		h = (h + 1) & t->hash_mask;
	/* close the gap: move back what may not be found across it */
	for (uint32_t k = (h + 1) & t->hash_mask; t->hash[k]; k = (k + 1) & t->hash_mask) {
		uint32_t home = slot_of(t, mix(t->line[(t->hash[k] & INDEX_MASK) - 1].tag));
		if (((k - home) & t->hash_mask) >= ((k - h) & t->hash_mask)) {
			t->hash[h] = t->hash[k];
			h = k;
		}
	}
	t->hash[h] = 0;
}

static void hash_insert(struct rp_tags *t, uint32_t index)
{
	uint64_t m = mix(t->line[index].tag);
	uint32_t h = slot_of(t, m);
	while (t->hash[h])
		h = (h + 1) & t->hash_mask;
	t->hash[h] = print_of(m) | (index + 1);
}

static void unlink_line(struct rp_tags *t, uint32_t set, uint32_t way)
{
	struct rp_line *base = t->line + (size_t)set * t->ways, *l = base + way;
	struct rp_set *s = &t->set[set];
	if (l->prev == NO_WAY)
		s->oldest = l->next;
	else
		base[l->prev].next = l->next;
	if (l->next == NO_WAY)
		s->youngest = l->prev;
	else
		base[l->next].prev = l->prev;
}

/* Lines touched in one cycle are told apart by their way (the first is the victim),
 * so the list is ordered by cycle, then way. */
static void link_youngest(struct rp_tags *t, uint32_t set, uint32_t way)
{
	struct rp_line *base = t->line + (size_t)set * t->ways, *l = base + way;
	struct rp_set *s = &t->set[set];
	uint16_t before = s->youngest;
	while (before != NO_WAY && base[before].touched == l->touched && before > way)
		before = base[before].prev;
	l->prev = before;
	l->next = before == NO_WAY ? s->oldest : base[before].next;
	if (l->prev == NO_WAY)
		s->oldest = (uint16_t)way;
	else
		base[l->prev].next = (uint16_t)way;
	if (l->next == NO_WAY)
		s->youngest = (uint16_t)way;
	else
		base[l->next].prev = (uint16_t)way;
}

static uint32_t last_free_way(const struct rp_tags *t, uint32_t set)
{
	for (uint32_t w = t->words; w-- > 0;) {
		uint64_t v = t->free_ways[set * t->words + w];
		if (v) {
			uint32_t bit = 63;
			while (!(v >> bit & 1))
				bit--;
			return w * 64 + bit;
		}
	}
	return NO_WAY;
}

uint32_t rp_tags_victim(const struct rp_tags *t, uint32_t set)
{
	const struct rp_line *base = t->line + (size_t)set * t->ways;
	if (t->set[set].used < t->ways)
		return set * t->ways + last_free_way(t, set);
	int protect = 100u * t->modified_lines / t->lines < t->dirty_percent, waits = 0;
	for (uint16_t w = t->set[set].oldest; w != NO_WAY; w = base[w].next) {
		if (!base[w].reserved && !(protect && base[w].modified))
			return set * t->ways + w;
		waits |= base[w].reserved;
	}
	/* modified lines only: no fill would ever end the wait */
	return waits ? RP_NO_LINE : set * t->ways + t->set[set].oldest;
}

static void release(struct rp_tags *t, uint32_t set, uint32_t way)
{
	struct rp_line *l = t->line + (size_t)set * t->ways + way;
	hash_remove(t, set * t->ways + way);
	unlink_line(t, set, way);
	t->modified_lines -= l->modified != 0;
	t->used_lines--;
	t->set[set].used--;
	t->free_ways[set * t->words + way / 64] |= UINT64_C(1) << way % 64;
	memset(l, 0, sizeof *l);
}

void rp_tags_allocate(struct rp_tags *t, uint32_t set, uint32_t index, uint64_t tag, uint32_t now)
{
	uint32_t way = index - set * t->ways;
	struct rp_line *l = &t->line[index];
	if (l->used)
		release(t, set, way);
	t->free_ways[set * t->words + way / 64] &= ~(UINT64_C(1) << way % 64);
	t->set[set].used++;
	t->used_lines++;
	l->tag = tag;
	l->touched = now;
	l->used = 1;
	hash_insert(t, index);
	link_youngest(t, set, way);
}

void rp_tags_touch(struct rp_tags *t, uint32_t index, uint32_t now)
{
	struct rp_line *l = &t->line[index];
	if (t->fifo || l->touched == now)
		return;
	uint32_t set = index / t->ways, way = index - set * t->ways;
	l->touched = now;
	if (t->set[set].youngest == way)
		return;
	unlink_line(t, set, way);
	link_youngest(t, set, way);
}

static void set_modified(struct rp_tags *t, struct rp_line *l, uint32_t mask)
{
	t->modified_lines -= l->modified != 0;
	l->modified = (uint8_t)mask;
	t->modified_lines += l->modified != 0;
}

void rp_tags_reserve(struct rp_tags *t, uint32_t index, uint32_t sector)
{
	struct rp_line *l = &t->line[index];
	uint32_t bit = 1u << sector;
	if (l->modified & bit)
		l->fill_modified |= (uint8_t)bit;
	else
		l->fill_modified &= (uint8_t)~bit;
	if (l->modified & bit)
		set_modified(t, l, l->modified & ~bit);
	l->valid &= (uint8_t)~bit;
	l->unreadable &= (uint8_t)~bit;
	l->reserved |= (uint8_t)bit;
}

void rp_tags_fill(struct rp_tags *t, uint32_t index, uint32_t sector, int modified)
{
	struct rp_line *l = &t->line[index];
	uint32_t bit = 1u << sector;
	if ((l->fill_modified & bit) || modified)
		set_modified(t, l, l->modified | bit);
	l->reserved &= (uint8_t)~bit;
	l->fill_modified &= (uint8_t)~bit;
	l->unreadable &= (uint8_t)~bit;
	l->valid |= (uint8_t)bit;
	l->filled = 1;
}

void rp_tags_store(struct rp_tags *t, uint32_t index, uint32_t sector, uint32_t bytes)
{
	struct rp_line *l = &t->line[index];
	uint32_t bit = 1u << sector;
	int readable = (l->valid & bit) && !(l->unreadable & bit);
	if (l->reserved & bit) { /* the fill will be merged */
		l->reserved &= (uint8_t)~bit;
		l->fill_modified |= (uint8_t)bit;
	}
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
		set_modified(t, l, l->modified | bit);
	if (readable)
		l->unreadable &= (uint8_t)~bit;
	else
		l->unreadable |= (uint8_t)bit;
	l->filled = 1;
}

void rp_tags_modify(struct rp_tags *t, uint32_t index, uint32_t sector)
{
	struct rp_line *l = &t->line[index];
	uint32_t bit = 1u << sector;
	if (!(l->modified & bit))
		set_modified(t, l, l->modified | bit);
}

void rp_tags_drop(struct rp_tags *t, uint32_t index, uint32_t sectors)
{
	struct rp_line *l = &t->line[index];
	if (l->modified & sectors)
		set_modified(t, l, l->modified & ~sectors);
	l->valid &= (uint8_t)~sectors;
	l->unreadable &= (uint8_t)~sectors;
	if (!l->valid && !l->reserved)
		release(t, index / t->ways, index % t->ways);
}
