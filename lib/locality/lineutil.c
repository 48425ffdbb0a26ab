#include "locality/lineutil.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/pool.h"
#include "base/tag_index.h"
#include "locality/isa.h"

/* A line that is there. It hangs in the list of its set, so that an access costs the same at 4 and at 256 ways. */
struct node {
	_Alignas(32) uint64_t line; /* its tag in the index */
	uint32_t set;
	uint32_t prev, next; /* in the set's list, most recent first; next also links free nodes */
	uint8_t valid, reused, touched;
};
enum { NODE_BITS = 5, NONE = CT_TAG_INDEX_NONE };
_Static_assert(sizeof(struct node) == 1 << NODE_BITS, "a line of the index");

struct set_list {
	uint32_t head, tail, lines;
};

/* The L1 of an SM. What it needs lies together, since an SM's accesses come many at a time. */
struct l1 {
	struct ct_tag_index index;
	struct node *node; /* sets * ways of them */
	struct set_list *list;
	uint32_t nodes; /* that have been in use */
	uint32_t free_node;
};

/* Accesses wait until there are some, so that what they need of the index, then of the nodes,
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
	struct l1 *l1; /* of each SM; NULL: they have no capacity yet */
	struct ct_pool pool;
	struct access waiting[WAITING];
	unsigned n_waiting;
	struct ct_lineutil_counts now;
};

static void unlink_node(struct l1 *c, uint32_t i)
{
	const struct node *n = &c->node[i];
	struct set_list *l = &c->list[n->set];
	if (n->prev != NONE)
		c->node[n->prev].next = n->next;
	else
		l->head = n->next;
	if (n->next != NONE)
		c->node[n->next].prev = n->prev;
	else
		l->tail = n->prev;
	l->lines--;
}

static void push_front(struct l1 *c, uint32_t i)
{
	struct node *n = &c->node[i];
	struct set_list *l = &c->list[n->set];
	n->prev = NONE;
	n->next = l->head;
	if (l->head != NONE)
		c->node[l->head].prev = i;
	else
		l->tail = i;
	l->head = i;
	l->lines++;
}

/* A line's life ends. */
static void count_line(struct ct_lineutil *u, const struct node *n)
{
	u->now.reused[ct_bits(n->reused)]++;
	u->now.touched[ct_bits(n->touched)]++;
}

/* A line leaves: it is counted and its node is free. */
static void leave_line(struct ct_lineutil *u, struct l1 *c, uint32_t i)
{
	count_line(u, &c->node[i]);
	ct_tag_index_remove(&c->index, i);
	unlink_node(c, i);
	c->node[i].next = c->free_node;
	c->free_node = i;
}

static void empty_l1(struct l1 *c, uint32_t sets)
{
	ct_tag_index_clear(&c->index);
	for (uint32_t k = 0; k < sets; k++)
		c->list[k] = (struct set_list){NONE, NONE, 0};
	c->nodes = 0;
	c->free_node = NONE;
}

/* All lines of all L1s leave. */
static void empty_all(struct ct_lineutil *u)
{
	for (uint32_t sm = 0; u->l1 && sm < u->o.sms; sm++) {
		struct l1 *c = &u->l1[sm];
		for (uint32_t k = 0; k < u->sets; k++)
			for (uint32_t i = c->list[k].head; i != NONE; i = c->node[i].next)
				count_line(u, &c->node[i]);
		if (c->nodes)
			empty_l1(c, u->sets);
	}
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
	return u;
}

void ct_lineutil_free(struct ct_lineutil *u)
{
	if (!u)
		return;
	ct_pool_free(&u->pool);
	free(u);
}

/* Asks the host's memory for what the next victim of a set will need to leave, and for the line that goes after it. */
static void bring_victim(const struct l1 *c, uint32_t set)
{
	uint32_t i = c->list[set].tail;
	if (i == NONE)
		return;
	CT_PREFETCH(ct_tag_index_slot(&c->index, c->node[i].line));
	if (c->node[i].prev != NONE)
		CT_PREFETCH(&c->node[c->node[i].prev]);
}

/* A node for one more line of a set: of a full set that of the least recently used one, which leaves and is counted. */
static uint32_t take_node(struct ct_lineutil *u, struct l1 *c, uint32_t set)
{
	if (c->list[set].lines >= u->ways) {
		leave_line(u, c, c->list[set].tail);
		bring_victim(c, set);
	}
	uint32_t i = c->free_node;
	if (i == NONE)
		return c->nodes++;
	c->free_node = c->node[i].next;
	return i;
}

static void fill_line(struct ct_lineutil *u, struct l1 *c, const struct access *a)
{
	const uint8_t all = (uint8_t)((1u << u->o.chunks) - 1);
	const uint32_t i = take_node(u, c, a->set);
	c->node[i] = (struct node){.line = a->line,
	                           .set = a->set,
	                           .touched = a->chunks,
	                           .valid = u->o.fill_whole_line ? all : a->chunks};
	ct_tag_index_insert(&c->index, i);
	push_front(c, i);
}

/* Takes one access. A store may evict the line; a load marks the chunks that it touches, and those among them that were
 * there already as reused. */
static void take_access(struct ct_lineutil *u, const struct access *a)
{
	struct l1 *c = &u->l1[a->sm];
	uint32_t i = ct_tag_index_find(&c->index, a->line);
	if (a->is_write) {
		if (u->o.store_evicts && i != NONE)
			leave_line(u, c, i);
		return;
	}
	if (a->bytes > 0)
		u->now.requests[a->bytes < CT_LINEUTIL_BYTES ? a->bytes : CT_LINEUTIL_BYTES]++;
	if (u->ways == 0)
		return;
	if (i == NONE) {
		fill_line(u, c, a);
		return;
	}
	struct node *n = &c->node[i];
	n->reused |= (uint8_t)(a->chunks & n->valid);
	n->touched |= a->chunks;
	n->valid |= a->chunks;
	unlink_node(c, i);
	push_front(c, i);
}

static void prefetch_slot(const struct ct_lineutil *u, const struct access *a)
{
	CT_PREFETCH(ct_tag_index_slot(&u->l1[a->sm].index, a->line));
}

static void prefetch_node(const struct ct_lineutil *u, const struct access *a)
{
	const struct l1 *c = &u->l1[a->sm];
	uint32_t i = ct_tag_index_guess(&c->index, a->line);
	if (i != NONE)
		CT_PREFETCH(&c->node[i]);
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
		if (i >= 2 * AHEAD)
			take_access(u, &a[i - 2 * AHEAD]);
	}
	u->n_waiting = 0;
}

void ct_lineutil_access(struct ct_lineutil *u, uint32_t sm, uint64_t line, uint32_t set, uint32_t chunks,
                        uint32_t bytes, int is_write)
{
	if (!u->l1 || sm >= u->o.sms || set >= u->sets)
		return;
	chunks &= (1u << u->o.chunks) - 1;
	u->waiting[u->n_waiting++] = (struct access){
		line, sm, set, bytes, (uint8_t)chunks, is_write != 0};
	if (u->n_waiting == WAITING)
		drain_lines(u);
}

static int init_l1(struct ct_lineutil *u, struct l1 *c, uint32_t sets, uint32_t lines,
                   struct ct_error *e)
{
	int st = ct_tag_index_init(&c->index, lines, NODE_BITS, &u->pool, e);
	if (st != CT_OK)
		return st;
	c->node = ct_pool_take(&u->pool, lines ? lines : 1, sizeof *c->node);
	c->list = ct_pool_take(&u->pool, sets, sizeof *c->list);
	if (!c->node || !c->list)
		return ct_fail_nomem(e);
	c->index.line = (const unsigned char *)c->node;
	empty_l1(c, sets);
	return CT_OK;
}

int ct_lineutil_resize(struct ct_lineutil *u, uint32_t sets, uint32_t ways, struct ct_error *e)
{
	drain_lines(u);
	empty_all(u);
	if (u->l1 && sets == u->sets && ways == u->ways)
		return CT_OK;
	ct_pool_free(&u->pool);
	u->sets = sets;
	u->ways = ways;
	struct l1 *l1 = ct_pool_take(&u->pool, u->o.sms, sizeof *l1);
	int st = l1 ? CT_OK : ct_fail_nomem(e);
	for (uint32_t sm = 0; st == CT_OK && sm < u->o.sms; sm++)
		st = init_l1(u, &l1[sm], sets, sets * ways, e);
	u->l1 = st == CT_OK ? l1 : NULL;
	return st;
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

void ct_lineutil_collect(struct ct_lineutil *u, struct ct_lineutil_counts *c, int finish)
{
	drain_lines(u);
	if (finish)
		empty_all(u);
	ct_lineutil_counts_add(c, &u->now);
	memset(&u->now, 0, sizeof u->now);
}
