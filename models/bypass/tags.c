#include "models/bypass/tags.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "gpu/address.h"

struct slot {
	uint64_t line;
	uint32_t next;           /* in its bucket */
	uint32_t older, younger; /* in its set */
	uint32_t sectors;
	uint32_t used;
};

struct set {
	uint32_t oldest, youngest;
};

/* The slots of a set are a list by age. Unused ones are the oldest. */
struct ct_bp_tags {
	uint32_t sets, ways, slots, fifo, mask;
	enum ct_set_hash hash;
	struct slot *slot; /* set * ways + way */
	struct set *set;
	uint32_t *bucket; /* first slot of each, mask + 1 of them */
};

int ct_bp_tags_new(struct ct_bp_tags **out, const struct ct_gpu *g, uint32_t slots, struct ct_error *e)
{
	struct ct_bp_tags *t = *out = ct_calloc(1, sizeof *t);
	if (!t)
		return ct_fail_nomem(e);
	t->slots = slots;
	t->fifo = g->l1.replacement == CT_REPL_FIFO;
	t->hash = (enum ct_set_hash)g->l1.set_hash;
	for (t->mask = 1; t->mask < slots;)
		t->mask = 2 * t->mask + 1;
	t->slot = ct_calloc(slots, sizeof *t->slot);
	t->set = ct_calloc(slots, sizeof *t->set);
	t->bucket = ct_calloc((size_t)t->mask + 1, sizeof *t->bucket);
	if (t->slot && t->set && t->bucket)
		return CT_OK;
	ct_bp_tags_free(t);
	*out = NULL;
	return ct_fail_nomem(e);
}

void ct_bp_tags_free(struct ct_bp_tags *t)
{
	if (!t)
		return;
	free(t->slot);
	free(t->set);
	free(t->bucket);
	free(t);
}

void ct_bp_tags_flush(struct ct_bp_tags *t)
{
	for (uint32_t i = 0; i <= t->mask; i++)
		t->bucket[i] = CT_BP_NO_SLOT;
	for (uint32_t s = 0; s < t->sets; s++) {
		uint32_t first = s * t->ways, last = first + t->ways - 1;
		t->set[s] = (struct set){first, last};
		for (uint32_t i = first; i <= last; i++)
			t->slot[i] = (struct slot){.older = i > first ? i - 1 : CT_BP_NO_SLOT,
			                           .younger = i < last ? i + 1 : CT_BP_NO_SLOT};
	}
}

void ct_bp_tags_shape(struct ct_bp_tags *t, uint32_t sets, uint32_t ways)
{
	t->sets = sets;
	t->ways = ways;
	ct_bp_tags_flush(t);
}

int ct_bp_tags_has_shape(const struct ct_bp_tags *t, uint32_t sets, uint32_t ways)
{
	return t->sets == sets && t->ways == ways;
}

static uint32_t *bucket_of(const struct ct_bp_tags *t, uint64_t line)
{
	return &t->bucket[ct_mix64(line) & t->mask];
}

uint32_t ct_bp_tags_find(const struct ct_bp_tags *t, uint64_t line)
{
	uint32_t i = *bucket_of(t, line);
	while (i != CT_BP_NO_SLOT && t->slot[i].line != line)
		i = t->slot[i].next;
	return i;
}

uint32_t ct_bp_tags_sectors(const struct ct_bp_tags *t, uint32_t slot)
{
	return t->slot[slot].sectors;
}

/* Takes the slot out of the list of its set. */
static void unlink_slot(struct ct_bp_tags *t, struct set *s, uint32_t i)
{
	struct slot *x = &t->slot[i];
	if (x->older == CT_BP_NO_SLOT)
		s->oldest = x->younger;
	else
		t->slot[x->older].younger = x->younger;
	if (x->younger == CT_BP_NO_SLOT)
		s->youngest = x->older;
	else
		t->slot[x->younger].older = x->older;
}

static void make_youngest(struct ct_bp_tags *t, uint32_t i)
{
	struct set *s = &t->set[i / t->ways];
	if (s->youngest == i)
		return;
	unlink_slot(t, s, i);
	t->slot[i].older = s->youngest;
	t->slot[i].younger = CT_BP_NO_SLOT;
	t->slot[s->youngest].younger = i;
	s->youngest = i;
}

static void make_oldest(struct ct_bp_tags *t, uint32_t i)
{
	struct set *s = &t->set[i / t->ways];
	if (s->oldest == i)
		return;
	unlink_slot(t, s, i);
	t->slot[i].younger = s->oldest;
	t->slot[i].older = CT_BP_NO_SLOT;
	t->slot[s->oldest].older = i;
	s->oldest = i;
}

/* The line in the slot is no longer found. */
static void forget_line(struct ct_bp_tags *t, uint32_t i)
{
	uint32_t *p = bucket_of(t, t->slot[i].line);
	while (*p != i)
		p = &t->slot[*p].next;
	*p = t->slot[i].next;
	t->slot[i].used = t->slot[i].sectors = 0;
}

void ct_bp_tags_touch(struct ct_bp_tags *t, uint32_t slot)
{
	if (!t->fifo)
		make_youngest(t, slot);
}

uint32_t ct_bp_tags_allocate(struct ct_bp_tags *t, uint64_t line, int *evicted)
{
	uint32_t i = t->set[ct_set_index(t->hash, t->sets, line)].oldest, *b = bucket_of(t, line);
	*evicted = t->slot[i].used != 0;
	if (*evicted)
		forget_line(t, i);
	t->slot[i].line = line;
	t->slot[i].used = 1;
	t->slot[i].next = *b;
	*b = i;
	make_youngest(t, i);
	return i;
}

void ct_bp_tags_fill(struct ct_bp_tags *t, uint32_t slot, uint32_t sectors)
{
	t->slot[slot].sectors |= sectors;
}

void ct_bp_tags_drop(struct ct_bp_tags *t, uint32_t slot, uint32_t sectors)
{
	t->slot[slot].sectors &= ~sectors;
	if (t->slot[slot].sectors)
		return;
	forget_line(t, slot);
	make_oldest(t, slot);
}
