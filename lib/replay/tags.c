/* The tag array: hash for lookup, stamps of recency for the victim. */
#include "replay/private/tags.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "replay/private/oldest.h"

enum { NO_WAY = 0xffff, NO_STAMP = RP_NO_STAMP };

/* A slot holds index + 1 and, above, as many low bits of the hash as fit: they tell most other
 * tags apart without a look at their lines, and in all but huge caches the slot where the
 * probing for the line began. */
enum { INDEX_BITS = 21 };

int rp_tags_init(struct rp_tags *t, uint32_t capacity, uint32_t sectors, uint32_t fifo,
                 uint32_t dirty_percent, struct ct_error *e)
{
	memset(t, 0, sizeof *t);
	if (capacity >= (1u << INDEX_BITS) - 1)
		return ct_fail(e, CT_ERR_UNSUPPORTED, "a cache of more than %u lines",
		               (1u << INDEX_BITS) - 2);
	t->capacity = capacity;
	t->sectors = sectors;
	t->full = (1u << sectors) - 1;
	t->fifo = fifo;
	t->dirty_percent = dirty_percent;
	uint32_t slots = 16;
	while (slots < capacity * 2)
		slots *= 2;
	t->hash_mask = slots - 1;
	while (capacity >> t->index_bits)
		t->index_bits++;
	t->homes = t->hash_mask <= 0xffffffffu >> t->index_bits;
	t->stamp = ct_calloc_aligned(capacity, sizeof *t->stamp);
	t->touched = ct_calloc(capacity, sizeof *t->touched);
	for (int i = 0; i < 2; i++) /* any shape has no more sets or blocks */
		t->oldest[i] = ct_calloc_aligned(capacity, sizeof *t->oldest[i]);
	t->reserved = ct_calloc(capacity / 64 + 2, sizeof *t->reserved);
	t->modified = ct_calloc(capacity / 64 + 2, sizeof *t->modified);
	t->line = ct_calloc_aligned(capacity, sizeof *t->line);
	t->set = ct_calloc(capacity, sizeof *t->set);
	/* any shape needs at most one word per set beyond one bit per line */
	t->free_ways = ct_calloc(capacity / 64 + capacity + 1, sizeof *t->free_ways);
	t->hash = ct_calloc(slots, sizeof *t->hash);
	t->bytes = ct_calloc(capacity, sizeof *t->bytes);
	if (!t->stamp || !t->touched || !t->oldest[0] || !t->oldest[1] || !t->reserved || !t->modified || !t->line || !t->set ||
	    !t->free_ways || !t->hash || !t->bytes) {
		rp_tags_free(t);
		return ct_fail_nomem(e);
	}
	return 0;
}

void rp_tags_free(struct rp_tags *t)
{
	free(t->line);
	free(t->stamp);
	free(t->touched);
	free(t->oldest[0]);
	free(t->oldest[1]);
	free(t->reserved);
	free(t->modified);
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
	memset(t->reserved, 0, (t->lines / 64 + 1) * sizeof *t->reserved);
	memset(t->modified, 0, (t->lines / 64 + 1) * sizeof *t->modified);
	for (uint32_t s = 0; s < t->sets; s++)
		t->set[s] = (struct rp_set){0};
	for (int i = 0; i < 2; i++)
		memset(t->oldest[i], 0xff, (size_t)t->sets * t->blocks * sizeof *t->oldest[i]);
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
	t->blocks = (ways + RP_TAGS_BLOCK - 1) / RP_TAGS_BLOCK;
	for (t->way_bits = 0; t->way_bits < 32 && ways >> t->way_bits != 1;)
		t->way_bits++;
	if (!ways || ways & (ways - 1))
		t->way_bits = 32;
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

static uint32_t print_of(const struct rp_tags *t, uint64_t mixed)
{
	return (uint32_t)(mixed >> 32) << t->index_bits;
}

static uint32_t index_of(const struct rp_tags *t, uint32_t slot)
{
	return (slot & ((1u << t->index_bits) - 1)) - 1;
}

/* Where probing for the line of a slot began. */
static uint32_t home_of(const struct rp_tags *t, uint32_t slot)
{
	if (t->homes)
		return slot >> t->index_bits & t->hash_mask;
	return slot_of(t, mix(t->line[index_of(t, slot)].tag));
}

uint32_t rp_tags_find(const struct rp_tags *t, uint64_t tag)
{
	uint64_t m = mix(tag);
	uint32_t print = print_of(t, m), v;
	for (uint32_t h = slot_of(t, m); (v = t->hash[h]) != 0; h = (h + 1) & t->hash_mask)
		if ((v ^ print) >> t->index_bits == 0 && t->line[index_of(t, v)].tag == tag)
			return index_of(t, v);
	return RP_NO_LINE;
}

void rp_tags_prefetch(const struct rp_tags *t, uint64_t tag)
{
	CT_BRING(&t->hash[slot_of(t, mix(tag))]);
}

uint32_t rp_tags_guess(const struct rp_tags *t, uint64_t tag)
{
	uint64_t m = mix(tag);
	uint32_t print = print_of(t, m), v;
	for (uint32_t h = slot_of(t, m); (v = t->hash[h]) != 0; h = (h + 1) & t->hash_mask)
		if ((v ^ print) >> t->index_bits == 0) {
			CT_BRING(&t->line[index_of(t, v)]);
			return index_of(t, v);
		}
	return RP_NO_LINE;
}

static void hash_remove(struct rp_tags *t, uint32_t index)
{
	uint64_t m = mix(t->line[index].tag);
	uint32_t h = slot_of(t, m), want = print_of(t, m) | (index + 1);
	while (t->hash[h] != want)
		h = (h + 1) & t->hash_mask;
	/* close the gap: move back what may not be found across it */
	for (uint32_t k = (h + 1) & t->hash_mask; t->hash[k]; k = (k + 1) & t->hash_mask) {
		uint32_t home = home_of(t, t->hash[k]);
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
	t->hash[h] = print_of(t, m) | (index + 1);
}

/* A line of the block can be a victim again. */
static void lower(struct rp_tags *t, uint32_t index, int modified)
{
	uint32_t set = rp_tags_set_of(t, index), stamp = t->stamp[index];
	uint32_t b = set * t->blocks + (index - set * t->ways) / RP_TAGS_BLOCK;
	uint32_t *o = &t->oldest[0][b], *clean = &t->oldest[1][b];
	*o = *o < stamp ? *o : stamp;
	if (!modified)
		*clean = *clean < stamp ? *clean : stamp;
}

void rp_tags_renumber(struct rp_tags *t, uint32_t set)
{
	uint32_t *r = t->stamp + (size_t)set * t->ways;
	uint32_t low = 0, next;
	for (uint32_t n = 0;; n++, low = next + 1) { /* the n-th lowest, from 0 on, becomes n */
		next = NO_STAMP;
		for (uint32_t w = 0; w < t->ways; w++)
			if (r[w] >= low && r[w] < next)
				next = r[w];
		if (next == NO_STAMP)
			break;
		for (uint32_t w = 0; w < t->ways; w++)
			if (r[w] == next)
				r[w] = n;
		t->set[set].stamp = n;
	}
	for (int i = 0; i < 2; i++)
		memset(t->oldest[i] + (size_t)set * t->blocks, 0, t->blocks * sizeof *t->oldest[i]);
}

static uint32_t last_free_way(const struct rp_tags *t, uint32_t set)
{
	for (uint32_t w = t->words; w-- > 0;) {
		uint64_t v = t->free_ways[set * t->words + w];
		if (v)
			return w * 64 + ct_high_bit(v);
	}
	return NO_WAY;
}

/* The oldest line of the set that is not reserved and, with `clean`, not modified; RP_NO_LINE. */
static uint32_t oldest_free(struct rp_tags *t, uint32_t set, uint32_t clean)
{
	uint32_t *bound = t->oldest[clean] + (size_t)set * t->blocks;
	for (;;) {
		uint64_t block = t->blocks == 1 ? 0 : rp_lowest(bound, t->blocks, 0);
		uint32_t b = (uint32_t)block, expected = (uint32_t)(block >> 32), first, n, not;
		if (expected == NO_STAMP)
			return RP_NO_LINE;
		first = set * t->ways + b * RP_TAGS_BLOCK;
		n = t->ways - b * RP_TAGS_BLOCK;
		n = n < RP_TAGS_BLOCK ? n : RP_TAGS_BLOCK;
		not = rp_bits_of(t->reserved, first, n) | (clean ? rp_bits_of(t->modified, first, n) : 0);
		uint64_t best = rp_lowest(t->stamp + first, n, not);
		uint32_t stamp = (uint32_t)(best >> 32);
		if (t->blocks == 1 || stamp == expected)
			return stamp == NO_STAMP ? RP_NO_LINE : first + (uint32_t)best;
		bound[b] = stamp; /* it was too low: lines have been touched */
	}
}

uint32_t rp_tags_oldest(const struct rp_tags *t, uint32_t set)
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

uint32_t rp_tags_victim(struct rp_tags *t, uint32_t set)
{
	if (t->set[set].used < t->ways)
		return set * t->ways + last_free_way(t, set);
	uint32_t protect = t->modified_lines &&
	                   100u * t->modified_lines / t->lines < t->dirty_percent;
	uint32_t v = oldest_free(t, set, protect);
	if (v == RP_NO_LINE && protect && !any_reserved(t, set))
		v = rp_tags_oldest(t, set); /* modified lines only: no fill would ever end the wait */
	return v;
}

/* The last of the line's fills has come, or none is waited for any more. */
static void unreserve(struct rp_tags *t, uint32_t index)
{
	struct rp_line *l = &t->line[index];
	l->reserved = 0;
	rp_put_bit(t->reserved, index, 0);
	lower(t, index, l->modified != 0);
}

static void unreserve_sector(struct rp_tags *t, uint32_t index, uint32_t bit)
{
	struct rp_line *l = &t->line[index];
	if (l->reserved == bit)
		unreserve(t, index);
	else
		l->reserved &= (uint8_t)~bit;
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
		lower(t, index, 0);
}

static void release(struct rp_tags *t, uint32_t set, uint32_t way)
{
	uint32_t index = set * t->ways + way;
	struct rp_line *l = &t->line[index];
	hash_remove(t, index);
	if (l->modified)
		set_modified(t, index, 0);
	if (l->reserved)
		unreserve(t, index);
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
	l->used = 1;
	hash_insert(t, index);
	t->touched[index] = now;
	rp_tags_make_youngest(t, set, index, now);
	lower(t, index, 0);
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
		set_modified(t, index, l->modified & ~bit);
	l->valid &= (uint8_t)~bit;
	l->unreadable &= (uint8_t)~bit;
	l->reserved |= (uint8_t)bit;
	rp_put_bit(t->reserved, index, 1);
}

void rp_tags_fill(struct rp_tags *t, uint32_t index, uint32_t sector, int modified)
{
	struct rp_line *l = &t->line[index];
	uint32_t bit = 1u << sector;
	if ((l->fill_modified & bit) || modified)
		set_modified(t, index, l->modified | bit);
	unreserve_sector(t, index, bit);
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
		unreserve_sector(t, index, bit);
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
		set_modified(t, index, l->modified | bit);
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
		set_modified(t, index, l->modified | bit);
}

void rp_tags_drop(struct rp_tags *t, uint32_t index, uint32_t sectors)
{
	struct rp_line *l = &t->line[index];
	if (l->modified & sectors)
		set_modified(t, index, l->modified & ~sectors);
	l->valid &= (uint8_t)~sectors;
	l->unreadable &= (uint8_t)~sectors;
	if (!l->valid && !l->reserved)
		release(t, index / t->ways, index % t->ways);
}
