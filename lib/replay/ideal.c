#include "replay/private/ideal.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum { FIRST_BUCKETS = 64, WHOLE_SECTOR = -1 };
#define NONE 0xffffffffu

static uint32_t bucket_of(const struct rp_ideal *c, uint64_t line)
{
	return (uint32_t)ct_mix64(line) & (c->buckets - 1);
}

static uint32_t find_line(const struct rp_ideal *c, uint64_t line)
{
	if (!c->buckets)
		return NONE;
	uint32_t i = c->bucket[bucket_of(c, line)];
	while (i && c->l[i - 1].line != line)
		i = c->l[i - 1].next;
	return i - 1; /* 0 gives NONE */
}

static void unlink_line(struct rp_ideal *c, uint32_t i)
{
	const struct rp_ideal_line *l = &c->l[i];
	if (l->older == NONE)
		c->oldest = l->younger;
	else
		c->l[l->older].younger = l->younger;
	if (l->younger == NONE)
		c->youngest = l->older;
	else
		c->l[l->younger].older = l->older;
}

static void link_youngest(struct rp_ideal *c, uint32_t i)
{
	c->l[i].older = c->youngest;
	c->l[i].younger = NONE;
	if (c->youngest == NONE)
		c->oldest = i;
	else
		c->l[c->youngest].younger = i;
	c->youngest = i;
}

static void forget_line(struct rp_ideal *c, uint32_t i)
{
	uint32_t *p = &c->bucket[bucket_of(c, c->l[i].line)];
	while (*p != i + 1)
		p = &c->l[*p - 1].next;
	*p = c->l[i].next;
	unlink_line(c, i);
	c->l[i].next = c->free;
	c->free = i;
	c->used--;
}

/* Twice as many buckets; every line is linked again, the oldest first. < 0: out of memory. */
static int more_buckets(struct rp_ideal *c)
{
	uint32_t n = c->buckets ? 2 * c->buckets : FIRST_BUCKETS;
	uint32_t *b = ct_calloc(n, sizeof *b);
	if (!b)
		return -1;
	free(c->bucket);
	c->bucket = b;
	c->buckets = n;
	for (uint32_t i = c->used ? c->oldest : NONE; i != NONE; i = c->l[i].younger) {
		uint32_t at = bucket_of(c, c->l[i].line);
		c->l[i].next = b[at];
		b[at] = i + 1;
	}
	return 0;
}

/* Index of the line, which becomes the youngest; NONE: out of memory. */
static uint32_t enter_line(struct rp_ideal *c, uint64_t line)
{
	uint32_t i = find_line(c, line);
	if (i != NONE) {
		unlink_line(c, i);
		link_youngest(c, i);
		return i;
	}
	if (c->capacity && c->used >= c->capacity)
		forget_line(c, c->oldest);
	if (c->used >= c->buckets && more_buckets(c) < 0)
		return NONE;
	if (!c->used)
		c->oldest = c->youngest = NONE;
	if (c->used < c->n) {
		i = c->free;
		c->free = c->l[i].next;
	} else {
		if (ct_grow((void **)&c->l, &c->cap, (size_t)c->n + 1, sizeof *c->l) < 0)
			return NONE;
		i = c->n++;
		c->l[i].bytes = NONE;
	}
	struct rp_ideal_line *l = &c->l[i];
	uint32_t *b = &c->bucket[bucket_of(c, line)];
	l->line = line;
	l->next = *b;
	l->valid = l->unreadable = 0;
	if (l->bytes != NONE)
		memset(c->written[l->bytes], 0, sizeof c->written[l->bytes]);
	*b = i + 1;
	c->used++;
	link_youngest(c, i);
	return i;
}

uint32_t rp_ideal_find(const struct rp_ideal *c, uint64_t line, int store)
{
	uint32_t i = find_line(c, line);
	if (i == NONE)
		return 0;
	return store ? c->l[i].valid : (uint32_t)(c->l[i].valid & ~c->l[i].unreadable);
}

int rp_ideal_load(struct rp_ideal *c, uint64_t line, uint32_t sectors)
{
	uint32_t i = enter_line(c, line);
	if (i == NONE)
		return -1;
	c->l[i].valid |= (uint8_t)sectors;
	c->l[i].unreadable &= (uint8_t)~sectors;
	return 0;
}

/* Notes a store. As in rp_tags_store(), a sector that is absent or partly written becomes readable when all of it has
 * been written. */
int rp_ideal_store(struct rp_ideal *c, uint64_t line, uint32_t sectors, const uint32_t bytes[8])
{
	uint32_t i = enter_line(c, line);
	if (i == NONE)
		return -1;
	if (c->l[i].bytes == NONE) {
		if (ct_grow((void **)&c->written, &c->written_cap, (size_t)c->written_n + 1,
		            sizeof *c->written) < 0)
			return -1;
		memset(c->written[c->written_n], 0, sizeof c->written[c->written_n]);
		c->l[i].bytes = c->written_n++;
	}
	uint32_t *written = c->written[c->l[i].bytes];
	for (uint32_t s = 0; s < 8; s++) {
		uint8_t bit = (uint8_t)(1u << s);
		if (!(sectors & bit))
			continue;
		int readable = (c->l[i].valid & bit) && !(c->l[i].unreadable & bit);
		written[s] |= bytes[s];
		c->l[i].valid |= bit;
		if (readable || written[s] == (uint32_t)WHOLE_SECTOR)
			c->l[i].unreadable &= (uint8_t)~bit;
		else
			c->l[i].unreadable |= bit;
	}
	return 0;
}

void rp_ideal_touch(struct rp_ideal *c, uint64_t line)
{
	uint32_t i = find_line(c, line);
	if (i == NONE)
		return;
	unlink_line(c, i);
	link_youngest(c, i);
}

void rp_ideal_drop(struct rp_ideal *c, uint64_t line, uint32_t sectors)
{
	uint32_t i = find_line(c, line);
	if (i == NONE)
		return;
	c->l[i].valid &= (uint8_t)~sectors;
	c->l[i].unreadable &= (uint8_t)~sectors;
	if (!c->l[i].valid)
		forget_line(c, i);
}

void rp_ideal_empty(struct rp_ideal *c)
{
	c->n = c->used = c->written_n = 0;
	c->oldest = c->youngest = NONE;
	if (c->buckets)
		memset(c->bucket, 0, c->buckets * sizeof *c->bucket);
}

void rp_ideal_free(struct rp_ideal *c)
{
	free(c->l);
	free(c->bucket);
	free(c->written);
	memset(c, 0, sizeof *c);
}
