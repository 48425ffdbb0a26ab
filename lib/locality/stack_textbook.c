/* The textbook engine: an open-addressing hash from line to the time of its last
 * touch, and a Fenwick tree over a window of time slots that counts the live ones
 * (Bennett and Kruskal 1975; Olken 1981). When the window is full the live lines are
 * renumbered in order. Plain on purpose: it is the twin of the fast engine and the
 * baseline of its benchmark. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "locality/sectors.h"
#include "locality/stack_engine.h"

enum { FIRST_SLOTS = 1 << 10, FIRST_WINDOW = 1 << 12, WINDOW_PER_LINE = 4 };

struct entry {
	uint64_t line;
	uint32_t time; /* 1.., 0 = empty */
};

struct textbook {
	struct ct_stack base;
	struct entry *slot;
	struct ct_sector_run *run; /* beside slot; NULL without sectors and stamps */
	uint64_t slots, lines;
	uint32_t *tree;                     /* Fenwick tree, 1..window */
	uint64_t window, least_window, now; /* now: the next free time slot */
	uint64_t depth;                     /* distances are cut here */
};

static struct textbook *textbook_of(struct ct_stack *s)
{
	return (struct textbook *)s;
}

/* Fenwick tree */

static void tree_add(struct textbook *t, uint64_t i, uint32_t delta)
{
	for (; i <= t->window; i += i & -i)
		t->tree[i] += delta;
}

static uint64_t tree_sum(const struct textbook *t, uint64_t i)
{
	uint64_t sum = 0;
	for (; i > 0; i &= i - 1)
		sum += t->tree[i];
	return sum;
}

/* A tree over `window` slots of which the first `live` are set. */
static void tree_fill(struct textbook *t)
{
	memset(t->tree, 0, (t->window + 1) * sizeof *t->tree);
	for (uint64_t i = 1; i <= t->window; i++) {
		uint64_t up = i + (i & -i);
		t->tree[i] += i <= t->lines;
		if (up <= t->window)
			t->tree[up] += t->tree[i];
	}
}

/* Hash table */

static uint64_t home_of(const struct textbook *t, uint64_t line)
{
	return ct_mix64(line) & (t->slots - 1);
}

/* Slot of the line, or the empty slot where it belongs. */
static uint64_t find_slot(const struct textbook *t, uint64_t line)
{
	uint64_t i = home_of(t, line);
	while (t->slot[i].time && t->slot[i].line != line)
		i = (i + 1) & (t->slots - 1);
	return i;
}

/* Doubles the hash table and enters all lines again. Returns -1 when out of memory, the table as it
 * was. */
static int grow_table(struct textbook *t)
{
	struct textbook old = *t;
	t->slots = old.slots * 2;
	t->slot = ct_calloc(t->slots, sizeof *t->slot);
	t->run = old.run ? ct_calloc(t->slots, sizeof *t->run) : NULL;
	if (!t->slot || (old.run && !t->run)) {
		free(t->slot);
		free(t->run);
		*t = old;
		return -1;
	}
	for (uint64_t i = 0; i < old.slots; i++) {
		if (!old.slot[i].time)
			continue;
		uint64_t j = find_slot(t, old.slot[i].line);
		t->slot[j] = old.slot[i];
		if (old.run)
			t->run[j] = old.run[i];
	}
	free(old.slot);
	free(old.run);
	return 0;
}

/* Empties slot i and moves what probed past it back (linear probing). */
static void remove_at(struct textbook *t, uint64_t i)
{
	uint64_t mask = t->slots - 1, j = i;
	for (;;) {
		j = (j + 1) & mask;
		if (!t->slot[j].time)
			break;
		if (((j - home_of(t, t->slot[j].line)) & mask) < ((j - i) & mask))
			continue;
		t->slot[i] = t->slot[j];
		if (t->run)
			t->run[i] = t->run[j];
		i = j;
	}
	t->slot[i].time = 0;
	t->lines--;
}

/* Compaction: times become ranks 1..lines, in a window of at least four times the
 * lines so that its cost is paid back. */
static int compact_times(struct textbook *t)
{
	uint64_t window = t->least_window;
	while (window < t->lines * WINDOW_PER_LINE)
		window *= 2;
	uint32_t *tree = t->tree;
	if (window > t->window) {
		tree = malloc((window + 1) * sizeof *tree);
		if (!tree)
			return -1;
	}
	for (uint64_t i = 0; i < t->slots; i++)
		if (t->slot[i].time)
			t->slot[i].time = (uint32_t)tree_sum(t, t->slot[i].time);
	if (tree != t->tree) {
		free(t->tree);
		t->tree = tree;
	}
	t->window = window;
	t->now = t->lines + 1;
	tree_fill(t);
	return 0;
}

/* Touches a line: its distance is the number of lines whose last touch is later, a sum over the Fenwick
 * tree. */
static uint64_t access_line(struct ct_stack *s, uint64_t line, uint32_t mask, int allocate, int fill,
                            uint64_t *sector)
{
	struct textbook *t = textbook_of(s);
	uint64_t i = find_slot(t, line), distance = CT_COLD;
	for (unsigned k = 0; sector && k < 4; k++)
		if (mask >> k & 1)
			sector[k] = CT_COLD;
	if (s->failed || (!t->slot[i].time && !allocate))
		return CT_COLD;
	if (t->now > t->window && compact_times(t) < 0) {
		s->failed = 1;
		return CT_COLD;
	}
	if (t->slot[i].time) {
		distance = t->lines - tree_sum(t, t->slot[i].time);
		distance = distance < t->depth ? distance : t->depth;
		tree_add(t, t->slot[i].time, UINT32_MAX); /* minus one */
	} else {
		if ((t->lines + 1) * 10 > t->slots * 6) {
			if (t->lines >= CT_STACK_MAX_LINES || grow_table(t) < 0) {
				s->failed = 1;
				return CT_COLD;
			}
			i = find_slot(t, line);
		}
		t->slot[i].line = line;
		t->lines++;
		if (t->run)
			ct_sector_run_reset(&t->run[i]);
	}
	t->slot[i].time = (uint32_t)t->now;
	if (t->run)
		t->run[i].stamp = 0;
	tree_add(t, t->now++, 1);
	if (s->sectors > 1)
		ct_sector_run_step(&t->run[i], distance, mask, fill, sector);
	else if (sector && mask & 1)
		sector[0] = distance;
	return distance;
}

static void textbook_batch(struct ct_stack *s, const uint64_t *line, size_t n, uint64_t *distance)
{
	for (size_t i = 0; i < n; i++)
		distance[i] = access_line(s, line[i], 15, 1, 1, NULL);
}

static uint64_t textbook_probe(const struct ct_stack *s, uint64_t line)
{
	const struct textbook *t = (const struct textbook *)s;
	uint64_t i = find_slot(t, line);
	if (!t->slot[i].time)
		return CT_COLD;
	uint64_t distance = t->lines - tree_sum(t, t->slot[i].time);
	return distance < t->depth ? distance : t->depth;
}

static void textbook_invalidate(struct ct_stack *s, uint64_t line)
{
	struct textbook *t = textbook_of(s);
	uint64_t i = find_slot(t, line);
	if (s->failed || !t->slot[i].time)
		return;
	tree_add(t, t->slot[i].time, UINT32_MAX);
	remove_at(t, i);
}

static uint64_t stamp_of(const struct textbook *t, uint64_t line)
{
	uint64_t i = find_slot(t, line);
	return t->slot[i].time ? t->run[i].stamp : 0;
}

/* Does the operations one by one. This engine is the plain twin that the fast one is tested against. */
static void textbook_operations(struct ct_stack *s, struct ct_stack_op *op, size_t n)
{
	struct textbook *t = textbook_of(s);
	for (; n > 0; n--, op++) {
		int touch = op->kind == CT_STACK_TOUCH;
		if (op->kind == CT_STACK_PROBE) {
			op->distance = textbook_probe(s, op->line);
			continue;
		}
		uint64_t old = s->stamps ? stamp_of(t, op->line) : 0;
		op->distance = access_line(s, op->line, op->mask, touch, touch, op->sector);
		uint64_t i = find_slot(t, op->line);
		if (s->stamps && t->slot[i].time)
			t->run[i].stamp = op->stamp;
		if (s->stamps)
			op->stamp = old;
		if (op->kind == CT_STACK_EVICT)
			textbook_invalidate(s, op->line);
	}
}

static void textbook_flush(struct ct_stack *s)
{
	struct textbook *t = textbook_of(s);
	memset(t->slot, 0, t->slots * sizeof *t->slot);
	t->lines = 0;
	t->now = 1;
	tree_fill(t);
}

static void textbook_list(const struct ct_stack *s, uint64_t *line)
{
	const struct textbook *t = (const struct textbook *)s;
	for (uint64_t i = 0; i < t->slots; i++)
		if (t->slot[i].time)
			*line++ = t->slot[i].line;
}

/* It keeps its memory: it is the plain twin. */
static void textbook_shrink(struct ct_stack *s)
{
	(void)s;
}

static uint64_t textbook_lines(const struct ct_stack *s)
{
	return ((const struct textbook *)s)->lines;
}

static size_t textbook_bytes(const struct ct_stack *s)
{
	const struct textbook *t = (const struct textbook *)s;
	return sizeof *t + t->slots * (sizeof *t->slot + (t->run ? sizeof *t->run : 0)) +
	       (t->window + 1) * sizeof *t->tree;
}

static void textbook_free(struct ct_stack *s)
{
	struct textbook *t = textbook_of(s);
	free(t->slot);
	free(t->run);
	free(t->tree);
	free(t);
}

struct ct_stack *ct_stack_textbook_new(const struct ct_stack_options *o)
{
	static const struct ct_stack_ops table = {
		access_line,         textbook_batch, textbook_operations, textbook_probe,
		textbook_invalidate, textbook_list,  textbook_shrink,     textbook_flush,
		textbook_lines,      textbook_bytes, textbook_free};
	struct textbook *t = ct_calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->base.ops = &table;
	t->least_window = t->window = o->window ? o->window : FIRST_WINDOW;
	t->depth = o->depth ? o->depth : UINT64_MAX;
	t->slots = FIRST_SLOTS;
	while (t->slots * 6 / 10 < o->expected_lines && t->slots < CT_STACK_MAX_LINES)
		t->slots *= 2;
	t->now = 1;
	t->slot = ct_calloc(t->slots, sizeof *t->slot);
	t->tree = ct_calloc(t->window + 1, sizeof *t->tree);
	t->run = o->sectors > 1 || o->stamps ? ct_calloc(t->slots, sizeof *t->run) : NULL;
	if (!t->slot || !t->tree || ((o->sectors > 1 || o->stamps) && !t->run)) {
		textbook_free(&t->base);
		return NULL;
	}
	return &t->base;
}
