#include "locality/lineutil.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "locality/isa.h"

/* Resident lines live in nodes that a hash table finds by (SM, line) and that hang in
 * one LRU list per set, so that an access costs the same at 4 and at 256 ways. */
struct node {
	uint64_t line;
	uint32_t owner;      /* sm * sets + set: the list it hangs in */
	uint32_t prev, next; /* in the set's list, most recent first; next also links free nodes */
	uint8_t valid, reused, touched;
};

struct set_list {
	uint32_t head, tail, lines;
};

enum { NONE = UINT32_MAX };

/* Accesses wait until there are some, so that what they need of the table, then of the nodes,
 * can be asked for ahead. */
enum { WAITING = 128, AHEAD = 8 };

struct access {
	uint64_t line;
	uint32_t sm, set, bytes;
	uint8_t chunks, is_write;
};

struct ct_lineutil {
	struct ct_lineutil_options o;
	uint32_t sets, ways;
	struct set_list *list; /* [sm * sets + set] */
	struct node *node;
	size_t nodes, cap_nodes;
	uint32_t free_node;
	uint32_t *slot; /* open addressing: node index or NONE */
	uint64_t slots; /* power of two */
	uint64_t used;
	struct access waiting[WAITING];
	unsigned n_waiting;
	struct ct_lineutil_counts now;
	int failed;
};

/* The SM belongs to the key; a set follows from the line, so it need not. */
static uint64_t hash_of(const struct ct_lineutil *u, uint32_t sm, uint64_t line)
{
	return ct_mix64(line + (uint64_t)sm * CT_GOLDEN64) & (u->slots - 1);
}

static uint32_t sm_of(const struct ct_lineutil *u, const struct node *n)
{
	return n->owner / u->sets;
}

/* The same as sm_of() == sm, without a division. */
static int is_of(const struct ct_lineutil *u, const struct node *n, uint32_t sm)
{
	return n->owner - sm * u->sets < u->sets;
}

/* Slot that holds the line, or the free slot where it belongs. */
static uint64_t find_slot(const struct ct_lineutil *u, uint32_t sm, uint64_t line)
{
	uint64_t i = hash_of(u, sm, line);
	while (u->slot[i] != NONE) {
		const struct node *n = &u->node[u->slot[i]];
		if (n->line == line && is_of(u, n, sm))
			break;
		i = (i + 1) & (u->slots - 1);
	}
	return i;
}

/* Deletes a slot and moves later entries of its run up, so that no tombstones stay. */
static void empty_slot(struct ct_lineutil *u, uint64_t hole)
{
	uint64_t mask = u->slots - 1;
	for (uint64_t i = (hole + 1) & mask; u->slot[i] != NONE; i = (i + 1) & mask) {
		const struct node *n = &u->node[u->slot[i]];
		uint64_t home = hash_of(u, sm_of(u, n), n->line);
		/* The entry may fill the hole if its home is not inside (hole, i]. */
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			u->slot[hole] = u->slot[i];
			hole = i;
		}
	}
	u->slot[hole] = NONE;
}

/* Doubles the table of lines and enters them again. Returns -1 when out of memory, the table as it
 * was. */
static int grow_table(struct ct_lineutil *u)
{
	uint64_t old = u->slots;
	uint32_t *from = u->slot;
	u->slots = old ? old * 2 : 1024;
	u->slot = ct_reallocarray(NULL, u->slots, sizeof *u->slot);
	if (!u->slot) {
		u->slot = from;
		u->slots = old;
		return -1;
	}
	memset(u->slot, 0xff, u->slots * sizeof *u->slot);
	for (uint64_t i = 0; i < old; i++)
		if (from[i] != NONE) {
			const struct node *n = &u->node[from[i]];
			u->slot[find_slot(u, sm_of(u, n), n->line)] = from[i];
		}
	free(from);
	return 0;
}

static void unlink_node(struct ct_lineutil *u, uint32_t i)
{
	struct node *n = &u->node[i];
	struct set_list *l = &u->list[n->owner];
	if (n->prev != NONE)
		u->node[n->prev].next = n->next;
	else
		l->head = n->next;
	if (n->next != NONE)
		u->node[n->next].prev = n->prev;
	else
		l->tail = n->prev;
	l->lines--;
}

static void push_front(struct ct_lineutil *u, uint32_t i)
{
	struct node *n = &u->node[i];
	struct set_list *l = &u->list[n->owner];
	n->prev = NONE;
	n->next = l->head;
	if (l->head != NONE)
		u->node[l->head].prev = i;
	else
		l->tail = i;
	l->head = i;
	l->lines++;
}

/* A line's life ends: it is counted and its node is free. */
static void leave_line(struct ct_lineutil *u, uint32_t i)
{
	struct node *n = &u->node[i];
	u->now.reused[ct_bits(n->reused)]++;
	u->now.touched[ct_bits(n->touched)]++;
	empty_slot(u, find_slot(u, sm_of(u, n), n->line));
	u->used--;
	unlink_node(u, i);
	n->next = u->free_node;
	u->free_node = i;
}

static void empty_all(struct ct_lineutil *u)
{
	for (uint64_t k = 0; k < (uint64_t)u->o.sms * u->sets; k++)
		while (u->list[k].head != NONE)
			leave_line(u, u->list[k].head);
}

struct ct_lineutil *ct_lineutil_new(const struct ct_lineutil_options *o, struct ct_error *e)
{
	struct ct_lineutil *u;
	if (o->sms == 0 || o->chunks == 0 || o->chunks > CT_LINEUTIL_CHUNKS) {
		ct_fail(e, CT_ERR_USAGE, "line utilisation needs 1 to %d chunks per line, not %u",
		        (int)CT_LINEUTIL_CHUNKS, o->chunks);
		return NULL;
	}
	u = calloc(1, sizeof *u);
	if (!u) {
		ct_fail_nomem(e);
		return NULL;
	}
	u->o = *o;
	u->free_node = NONE;
	return u;
}

void ct_lineutil_free(struct ct_lineutil *u)
{
	if (!u)
		return;
	free(u->list);
	free(u->node);
	free(u->slot);
	free(u);
}

static uint32_t new_node(struct ct_lineutil *u)
{
	uint32_t i = u->free_node;
	if (i != NONE) {
		u->free_node = u->node[i].next;
		return i;
	}
	if (u->nodes >= NONE ||
	    ct_grow((void **)&u->node, &u->cap_nodes, u->nodes + 1, sizeof *u->node) < 0)
		return NONE;
	return (uint32_t)u->nodes++;
}

/* Room in the table and a node for one more line; NONE when out of memory. */
static uint32_t take_node(struct ct_lineutil *u)
{
	if ((u->slots == 0 || u->used * 2 >= u->slots) && grow_table(u) < 0)
		return NONE;
	return new_node(u);
}

/* Puts a line into its set. In a full set the least recently used one leaves and is counted. */
static void fill_line(struct ct_lineutil *u, uint32_t sm, uint64_t line, uint32_t set, uint32_t chunks)
{
	uint32_t owner = sm * u->sets + set;
	if (u->ways == 0)
		return;
	if (u->list[owner].lines >= u->ways)
		leave_line(u, u->list[owner].tail);
	uint32_t i = take_node(u);
	if (i == NONE) {
		u->failed = 1;
		return;
	}
	uint8_t all = (uint8_t)((1u << u->o.chunks) - 1);
	u->node[i] = (struct node){.line = line,
	                           .owner = owner,
	                           .touched = (uint8_t)chunks,
	                           .valid = u->o.fill_whole_line ? all : (uint8_t)chunks};
	u->slot[find_slot(u, sm, line)] = i;
	u->used++;
	push_front(u, i);
}

/* Takes one access. A store may evict the line; a load marks the chunks that it touches, and those among them that were
 * there already as reused. */
static void take_access(struct ct_lineutil *u, const struct access *a)
{
	uint32_t i = u->slots ? u->slot[find_slot(u, a->sm, a->line)] : NONE;
	if (a->is_write) {
		if (u->o.store_evicts && i != NONE)
			leave_line(u, i);
		return;
	}
	if (a->bytes > 0)
		u->now.requests[a->bytes < CT_LINEUTIL_BYTES ? a->bytes : CT_LINEUTIL_BYTES]++;
	if (i == NONE) {
		fill_line(u, a->sm, a->line, a->set, a->chunks);
		return;
	}
	struct node *n = &u->node[i];
	n->reused |= (uint8_t)(a->chunks & n->valid);
	n->touched |= a->chunks;
	n->valid |= a->chunks;
	unlink_node(u, i);
	push_front(u, i);
}

static void prefetch_slot(const struct ct_lineutil *u, const struct access *a)
{
	if (u->slots)
		CT_PREFETCH(&u->slot[hash_of(u, a->sm, a->line)]);
}

static void prefetch_node(const struct ct_lineutil *u, const struct access *a)
{
	uint32_t i = u->slots ? u->slot[hash_of(u, a->sm, a->line)] : NONE;
	if (i != NONE)
		CT_PREFETCH(&u->node[i]);
}

/* Takes the accesses that wait. */
static void drain_lines(struct ct_lineutil *u)
{
	const struct access *a = u->waiting;
	unsigned n = u->n_waiting;
	for (unsigned i = 0; i < n + 2 * AHEAD; i++) {
		if (i < n)
			prefetch_slot(u, &a[i]);
		if (i >= AHEAD && i - AHEAD < n)
			prefetch_node(u, &a[i - AHEAD]);
		if (i >= 2 * AHEAD && !u->failed)
			take_access(u, &a[i - 2 * AHEAD]);
	}
	u->n_waiting = 0;
}

void ct_lineutil_access(struct ct_lineutil *u, uint32_t sm, uint64_t line, uint32_t set, uint32_t chunks,
                        uint32_t bytes, int is_write)
{
	if (sm >= u->o.sms || set >= u->sets)
		return;
	chunks &= (1u << u->o.chunks) - 1;
	u->waiting[u->n_waiting++] = (struct access){
		line, sm, set, bytes, (uint8_t)chunks, is_write != 0};
	if (u->n_waiting == WAITING)
		drain_lines(u);
}

int ct_lineutil_resize(struct ct_lineutil *u, uint32_t sets, uint32_t ways, struct ct_error *e)
{
	drain_lines(u);
	if (u->list)
		empty_all(u);
	u->ways = ways;
	if (sets == u->sets)
		return CT_OK;
	struct set_list *list = ct_calloc((size_t)u->o.sms * sets, sizeof *list);
	if (!list)
		return ct_fail_nomem(e);
	for (size_t i = 0; i < (size_t)u->o.sms * sets; i++)
		list[i].head = list[i].tail = NONE;
	free(u->list);
	u->list = list;
	u->sets = sets;
	return CT_OK;
}

void ct_lineutil_counts_add(struct ct_lineutil_counts *into, const struct ct_lineutil_counts *from)
{
	for (int i = 0; i <= CT_LINEUTIL_CHUNKS; i++) {
		into->reused[i] += from->reused[i];
		into->touched[i] += from->touched[i];
	}
	for (int i = 0; i <= CT_LINEUTIL_BYTES; i++)
		into->requests[i] += from->requests[i];
}

int ct_lineutil_collect(struct ct_lineutil *u, struct ct_lineutil_counts *c, int finish,
                        struct ct_error *e)
{
	drain_lines(u);
	if (u->failed)
		return ct_fail_nomem(e);
	if (finish && u->list)
		empty_all(u);
	ct_lineutil_counts_add(c, &u->now);
	memset(&u->now, 0, sizeof u->now);
	return CT_OK;
}
