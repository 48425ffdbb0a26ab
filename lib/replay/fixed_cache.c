#include "replay/private/fixed_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

int fx_cache_init(struct fx_cache *c, uint32_t lines, uint32_t sets, struct ct_error *e)
{
	uint32_t slots = 64;
	memset(c, 0, sizeof *c);
	while (slots < lines * 2)
		slots *= 2;
	c->node = ct_calloc(lines, sizeof *c->node);
	c->slot = ct_calloc(slots, sizeof *c->slot);
	c->set = ct_calloc(sets, sizeof *c->set);
	c->mask = slots - 1;
	c->nodes = lines;
	if (c->node && c->slot && c->set)
		return CT_OK;
	fx_cache_free(c);
	return ct_fail_nomem(e);
}

void fx_cache_free(struct fx_cache *c)
{
	free(c->node);
	free(c->slot);
	free(c->set);
	memset(c, 0, sizeof *c);
}

void fx_cache_shape(struct fx_cache *c, uint32_t sets, uint32_t ways,
                    void (*left)(void *ctx, uint64_t line), void *ctx)
{
	for (uint32_t s = 0; left && s < c->sets; s++)
		for (uint32_t i = c->set[s].head; c->ways && i != FX_NONE; i = c->node[i].next)
			left(ctx, c->node[i].line);
	c->sets = sets;
	c->ways = ways;
	for (uint32_t s = 0; s < sets; s++)
		c->set[s] = (struct fx_set){FX_NONE, FX_NONE, 0};
	memset(c->slot, 0xff, ((size_t)c->mask + 1) * sizeof *c->slot);
	c->free = 0;
	for (uint32_t i = 0; i < c->nodes; i++)
		c->node[i].next = i + 1 < c->nodes ? i + 1 : FX_NONE;
}

static uint32_t slot_of(const struct fx_cache *c, uint64_t line)
{
	uint32_t i = (uint32_t)ct_mix64(line) & c->mask;
	while (c->slot[i] != FX_NONE && c->node[c->slot[i]].line != line)
		i = (i + 1) & c->mask;
	return i;
}

/* Empties a slot and moves later entries of its run up, so that no tombstones stay. */
static void empty_slot(struct fx_cache *c, uint32_t hole)
{
	for (uint32_t i = (hole + 1) & c->mask; c->slot[i] != FX_NONE; i = (i + 1) & c->mask) {
		uint32_t home = (uint32_t)ct_mix64(c->node[c->slot[i]].line) & c->mask;
		if (((i - home) & c->mask) >= ((i - hole) & c->mask)) {
			c->slot[hole] = c->slot[i];
			hole = i;
		}
	}
	c->slot[hole] = FX_NONE;
}

static void unlink_line(struct fx_cache *c, uint32_t i)
{
	struct fx_line *n = &c->node[i];
	struct fx_set *s = &c->set[n->set];
	if (n->prev != FX_NONE)
		c->node[n->prev].next = n->next;
	else
		s->head = n->next;
	if (n->next != FX_NONE)
		c->node[n->next].prev = n->prev;
	else
		s->tail = n->prev;
	s->used--;
}

static void push_front(struct fx_cache *c, uint32_t i)
{
	struct fx_line *n = &c->node[i];
	struct fx_set *s = &c->set[n->set];
	n->prev = FX_NONE;
	n->next = s->head;
	if (s->head != FX_NONE)
		c->node[s->head].prev = i;
	else
		s->tail = i;
	s->head = i;
	s->used++;
}

static void drop(struct fx_cache *c, uint32_t i, struct fx_outcome *o)
{
	o->evicted = 1;
	o->victim = c->node[i].line;
	o->victim_dirty = c->node[i].dirty;
	empty_slot(c, slot_of(c, c->node[i].line));
	unlink_line(c, i);
	c->node[i].next = c->free;
	c->free = i;
}

static struct fx_line *allocate(struct fx_cache *c, uint64_t line, uint32_t set,
                                struct fx_outcome *o)
{
	if (c->ways == 0)
		return NULL;
	if (c->set[set].used >= c->ways)
		drop(c, c->set[set].tail, o);
	uint32_t i = c->free;
	c->free = c->node[i].next;
	c->node[i] = (struct fx_line){.line = line, .set = set};
	c->slot[slot_of(c, line)] = i;
	push_front(c, i);
	return &c->node[i];
}

void fx_cache_access(struct fx_cache *c, uint64_t line, uint32_t set, uint32_t sectors,
                     uint64_t now, int is_write, enum fx_store_rule rule, struct fx_outcome *o)
{
	uint32_t at = c->slot[slot_of(c, line)];
	memset(o, 0, sizeof *o);
	if (at == FX_NONE) {
		o->line_miss = sectors;
		if (!is_write || rule == FX_ALLOCATE)
			o->line = allocate(c, line, set, o);
		if (o->line)
			o->line->valid = (uint8_t)sectors;
		return;
	}
	struct fx_line *n = &c->node[at];
	for (uint32_t s = 0; s < FX_SECTORS; s++) {
		uint32_t bit = 1u << s;
		if (!(sectors & bit))
			continue;
		if (!(n->valid & bit)) {
			o->sector_miss |= bit;
		} else if (n->arrives[s] > now) {
			o->pending |= bit;
			if (n->arrives[s] > o->ready)
				o->ready = n->arrives[s];
		} else {
			o->hit |= bit;
		}
	}
	if (is_write && rule == FX_EVICT) {
		drop(c, at, o);
		o->victim_dirty = 0;
		return;
	}
	if (!is_write || rule == FX_ALLOCATE)
		for (uint32_t s = 0; s < FX_SECTORS; s++)
			if (o->sector_miss >> s & 1) {
				n->valid |= (uint8_t)(1u << s);
				n->arrives[s] = 0;
			}
	unlink_line(c, at);
	push_front(c, at);
	o->line = n;
}
