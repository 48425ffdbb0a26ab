/* The tag array: an index for lookup, stamps of recency for the victim. */
#include "replay/private/tags.h"

#include <string.h>

#include "base/bits.h"

enum { LINE_BITS = 4 };
_Static_assert(sizeof(struct rp_line) == 1 << LINE_BITS, "a line of the index");

int rp_tags_init(struct rp_tags *t, uint32_t capacity, uint32_t sectors, uint32_t fifo,
                 uint32_t dirty_percent, struct ct_pool *pool, struct ct_error *e)
{
	memset(t, 0, sizeof *t);
	int st = ct_tag_index_init(&t->index, capacity, LINE_BITS, pool, e);
	if (st < 0)
		return st;
	t->capacity = capacity;
	t->sectors = sectors;
	t->full = (1u << sectors) - 1;
	t->fifo = fifo;
	t->dirty_percent = dirty_percent;
	t->line = ct_pool_take(pool, capacity, sizeof *t->line);
	t->stamp = ct_pool_take(pool, capacity, sizeof *t->stamp);
	t->touched = ct_pool_take(pool, capacity, sizeof *t->touched);
	t->queue = ct_pool_take(pool, rp_queues(capacity), sizeof *t->queue);
	t->reserved = ct_pool_take(pool, capacity / 64 + 2, sizeof *t->reserved);
	t->modified = ct_pool_take(pool, capacity / 64 + 2, sizeof *t->modified);
	t->set = ct_pool_take(pool, capacity, sizeof *t->set);
	/* any shape needs at most one word per set beyond one bit per line */
	t->free_ways = ct_pool_take(pool, capacity / 64 + capacity + 1, sizeof *t->free_ways);
	t->bytes = ct_pool_take(pool, capacity, sizeof *t->bytes);
	t->index.line = (const unsigned char *)t->line;
	return t->line && t->stamp && t->touched && t->queue && t->reserved && t->modified && t->set &&
	                       t->free_ways && t->bytes
	               ? 0
	               : ct_fail_nomem(e);
}

static void empty_ways(struct rp_tags *t)
{
	ct_tag_index_clear(&t->index);
	for (uint32_t i = 0; i < t->lines; i++) {
		t->strays |= t->line[i].reserved | t->line[i].fill_modified;
		t->line[i] = (struct rp_line){.tag = RP_NO_TAG};
	}
	memset(t->reserved, 0, (t->lines / 64 + 1) * sizeof *t->reserved);
	memset(t->modified, 0, (t->lines / 64 + 1) * sizeof *t->modified);
	for (uint32_t s = 0; s < t->sets; s++)
		t->set[s] = (struct rp_set){0};
	rp_queues_empty(t->queue, 0, t->sets, t->ways);
	for (uint32_t s = 0; s < t->sets; s++)
		rp_free_all(t->free_ways + (size_t)s * t->words, t->ways);
	t->modified_lines = 0;
	t->used_lines = 0;
}

void rp_tags_shape(struct rp_tags *t, uint32_t sets, uint32_t ways)
{
	t->sets = sets;
	t->ways = ways;
	t->lines = sets * ways;
	t->words = (ways + 63) / 64;
	t->way_bits = rp_way_bits(ways);
	t->strays |= t->used_lines;
	empty_ways(t);
}

void rp_tags_flush(struct rp_tags *t)
{
	if (t->used_lines)
		empty_ways(t);
}

uint32_t rp_tags_find(const struct rp_tags *t, uint64_t tag)
{
	return ct_tag_index_find(&t->index, tag);
}

void rp_tags_renumber(struct rp_tags *t, uint32_t set)
{
	t->set[set].stamp = rp_renumber(t->stamp + (size_t)set * t->ways, t->ways);
	rp_queues_empty(t->queue, set, 1, t->ways);
}

/* The oldest line of the set that is not reserved and, with `clean`, not modified; RP_NO_LINE. */
static uint32_t oldest_free(struct rp_tags *t, uint32_t set, uint32_t clean)
{
	struct rp_ways s = {t->queue + 2 * set + clean,
	                    t->stamp,
	                    set * t->ways,
	                    t->ways,
	                    t->set[set].stamp,
	                    t->reserved,
	                    clean ? t->modified : NULL};
	uint32_t i = rp_oldest_line(&s);
	if (t->ways > RP_STAMPS && s.queue->head + 1 < s.queue->n)
		CT_BRING(&t->line[s.queue->line[s.queue->head + 1]]); /* the next victim */
	return i == RP_NO_STAMP ? RP_NO_LINE : i;
}

/* The oldest line of a full set, whatever its state. */
static uint32_t oldest_of_set(const struct rp_tags *t, uint32_t set)
{
	uint32_t first = set * t->ways, best = first;
	for (uint32_t w = 1; w < t->ways; w++)
		if (t->stamp[first + w] < t->stamp[best])
			best = first + w;
	return best;
}

static int any_reserved(const struct rp_tags *t, uint32_t set)
{
	for (uint32_t w = 0; w < t->ways; w += 32)
		if (rp_bits_of(t->reserved, set * t->ways + w, t->ways - w < 32 ? t->ways - w : 32))
			return 1;
	return 0;
}

int rp_tags_all_reserved(const struct rp_tags *t, uint32_t set)
{
	for (uint32_t w = 0; w < t->ways; w += 32) {
		uint32_t n = t->ways - w < 32 ? t->ways - w : 32;
		if (rp_bits_of(t->reserved, set * t->ways + w, n) != UINT32_MAX >> (32 - n))
			return 0;
	}
	return 1;
}

uint32_t rp_tags_victim(struct rp_tags *t, uint32_t set)
{
	if (t->set[set].used < t->ways)
		return set * t->ways + rp_last_bit(t->free_ways + (size_t)set * t->words, t->words);
	uint32_t protect = t->modified_lines && 100u * t->modified_lines / t->lines < t->dirty_percent;
	uint32_t v = oldest_free(t, set, protect);
	if (v == RP_NO_LINE && protect && !any_reserved(t, set))
		v = oldest_of_set(t, set); /* modified lines only: no fill would ever end the wait */
	return v;
}

static void set_modified(struct rp_tags *t, uint32_t index, uint32_t mask)
{
	struct rp_line *l = &t->line[index];
	int cleaned = l->modified && !mask;
	t->modified_lines -= l->modified != 0;
	l->modified = (uint8_t)mask;
	t->modified_lines += mask != 0;
	rp_put_bit(t->modified, index, mask != 0);
	if (cleaned && !l->reserved)
		rp_tags_missed(t, index, 0);
}

static void release_way(struct rp_tags *t, uint32_t set, uint32_t way)
{
	uint32_t index = set * t->ways + way;
	struct rp_line *l = &t->line[index];
	ct_tag_index_remove(&t->index, index);
	t->strays |= l->reserved | l->fill_modified;
	if (l->modified)
		set_modified(t, index, 0);
	if (l->reserved)
		rp_tags_unreserve(t, index, l->reserved);
	t->used_lines--;
	t->set[set].used--;
	t->free_ways[set * t->words + way / 64] |= UINT64_C(1) << way % 64;
	*l = (struct rp_line){.tag = RP_NO_TAG};
}

void rp_tags_allocate(struct rp_tags *t, uint32_t set, uint32_t index, uint64_t tag, uint32_t now)
{
	uint32_t way = index - set * t->ways;
	struct rp_line *l = &t->line[index];
	if (l->used)
		release_way(t, set, way);
	t->free_ways[set * t->words + way / 64] &= ~(UINT64_C(1) << way % 64);
	t->set[set].used++;
	t->used_lines++;
	l->tag = tag;
	l->used = 1;
	ct_tag_index_insert(&t->index, index);
	t->touched[index] = now;
	rp_tags_make_youngest(t, set, index, now);
}

void rp_tags_reserve_modified(struct rp_tags *t, uint32_t index, uint32_t bit)
{
	struct rp_line *l = &t->line[index];
	set_modified(t, index, l->modified & ~bit);
	l->fill_modified |= (uint8_t)bit;
}

void rp_tags_fill_modified(struct rp_tags *t, uint32_t index, uint32_t bit)
{
	set_modified(t, index, t->line[index].modified | bit);
}

void rp_tags_store(struct rp_tags *t, uint32_t index, uint32_t sector, uint32_t bytes)
{
	struct rp_line *l = &t->line[index];
	uint32_t bit = 1u << sector;
	int readable = (l->valid & bit) && !(l->unreadable & bit);
	if (l->reserved & bit) { /* the fill will be merged */
		rp_tags_unreserve(t, index, bit);
		l->fill_modified |= (uint8_t)bit;
	}
	readable |= bytes == UINT32_MAX;
	if (!readable) {
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

void rp_tags_clean(struct rp_tags *t, uint32_t index)
{
	set_modified(t, index, 0);
}

uint32_t rp_tags_oldest_modified(const struct rp_tags *t, uint32_t set, uint32_t most)
{
	uint32_t first = set * t->ways, n = 0, oldest = RP_NO_LINE;
	for (uint32_t i = first; i < first + t->ways; i++) {
		if (!t->line[i].modified)
			continue;
		n++;
		if (oldest == RP_NO_LINE || t->stamp[i] < t->stamp[oldest])
			oldest = i;
	}
	return n > most ? oldest : RP_NO_LINE;
}

void rp_tags_modify(struct rp_tags *t, uint32_t index, uint32_t sector)
{
	struct rp_line *l = &t->line[index];
	uint32_t bit = 1u << sector;
	if (!(l->modified & bit))
		set_modified(t, index, l->modified | bit);
}

void rp_tags_drop(struct rp_tags *t, uint32_t index, uint32_t sectors)
{
	struct rp_line *l = &t->line[index];
	if (l->modified & sectors)
		set_modified(t, index, l->modified & ~sectors);
	l->valid &= (uint8_t)~sectors;
	l->unreadable &= (uint8_t)~sectors;
	if (l->counted)
		rp_forget_written(t->bytes[index], sectors);
	if (!l->valid && !l->reserved)
		release_way(t, index / t->ways, index % t->ways);
}
