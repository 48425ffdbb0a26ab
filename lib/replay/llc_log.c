/* LLC accesses as observers see them: one event for all sectors of a line that one
 * instruction sent, in the order of simulated time.
 *
 * Slices run through a window one after the other and serve the sectors of a line one
 * by one, so accesses are gathered by instruction and line and handed out when HOLD windows
 * have passed since the first (a line may stall in the L1 between two of its sectors). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "replay/private/memory.h"
#include "replay/private/order.h"
#include "replay/private/timing.h"

enum { HOLD = 8, FIRST_BUCKETS = 1024 };
enum { AHEAD = 6 }; /* entries between asking the host's memory for one and looking at it */

#define NOT_LINKED UINT32_MAX

/* Entries of a bucket hang together, most recent first: `next` is an index + 1; NOT_LINKED: it is in none, since nothing
 * more comes for its line. */
struct entry {
	struct ct_llc_event ev;
	uint32_t group, next;
};

struct rp_llc_log {
	struct entry *e, *kept; /* in the order they came; room to move what stays */
	struct rp_order order;
	size_t cap, kept_cap, n;
	uint32_t *bucket;
	uint32_t buckets; /* a power of two, at least n */
	uint64_t windows;
};

int rp_llc_log_init(struct ct_replay *r, struct ct_error *e)
{
	struct rp_llc_log *g = ct_calloc(1, sizeof *g);
	r->llc_log = g;
	if (!g)
		return ct_fail_nomem(e);
	if (!r->has_llc)
		return 0;
	g->buckets = FIRST_BUCKETS;
	g->bucket = ct_calloc(g->buckets, sizeof *g->bucket);
	return g->bucket ? 0 : ct_fail_nomem(e);
}

void rp_llc_log_free(struct ct_replay *r)
{
	if (!r->llc_log)
		return;
	free(r->llc_log->e);
	free(r->llc_log->kept);
	rp_order_free(&r->llc_log->order);
	free(r->llc_log->bucket);
	free(r->llc_log);
}

static uint32_t *bucket_of(const struct rp_llc_log *g, uint32_t sm, uint32_t group, uint64_t line)
{
	uint64_t key = ((uint64_t)group << 16 | sm) + line * UINT64_C(0xd1342543de82ef95);
	return &g->bucket[(uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (g->buckets - 1)];
}

static void link_entry(struct rp_llc_log *g, size_t i)
{
	struct entry *k = &g->e[i];
	uint32_t *b = bucket_of(g, k->ev.sm, k->group, k->ev.line);
	k->next = *b;
	*b = (uint32_t)i + 1;
}

/* Room for one more entry. */
static int grow_log(const struct ct_replay *r)
{
	struct rp_llc_log *g = r->llc_log;
	if (g->n >= UINT32_MAX / 2 || ct_grow((void **)&g->e, &g->cap, g->n + 1, sizeof *g->e) < 0)
		return -1;
	if (g->n < g->buckets)
		return 0;
	uint32_t *bucket = ct_calloc(g->buckets * (size_t)2, sizeof *bucket);
	if (!bucket)
		return -1;
	free(g->bucket);
	g->bucket = bucket;
	g->buckets *= 2;
	for (size_t i = 0; i < g->n; i++)
		if (g->e[i].next != NOT_LINKED)
			link_entry(g, i);
	return 0;
}

static int is_of(const struct entry *k, const struct rp_packet *p, uint64_t line)
{
	return k->group == p->group && k->ev.sm == p->sm && k->ev.line == line;
}

static uint32_t sid_of(const struct ct_replay *r, const struct rp_packet *p)
{
	const uint32_t *sid = r->sm[p->sm].group_sid;
	return sid ? sid[p->group % RP_LINES_IN_FLIGHT] : CT_NO_SID;
}

/* The entry of the instruction's line that is there for the packet, or NULL. */
static struct entry *find_entry(const struct ct_replay *r, const struct rp_packet *p, uint64_t line)
{
	const struct rp_llc_log *g = r->llc_log;
	if (p->alone)
		return NULL;
	if (g->n && is_of(&g->e[g->n - 1], p, line))
		return &g->e[g->n - 1];
	for (uint32_t i = *bucket_of(g, p->sm, p->group, line); i; i = g->e[i - 1].next)
		if (is_of(&g->e[i - 1], p, line))
			return &g->e[i - 1];
	return NULL;
}

/* The same, or a new one; NULL: out of memory. */
static struct entry *entry_of(struct ct_replay *r, const struct rp_packet *p, uint32_t slice,
                              uint64_t now)
{
	struct rp_llc_log *g = r->llc_log;
	uint64_t line = p->address >> r->llc_line_bits;
	struct entry *k = find_entry(r, p, line);
	if (k)
		return k;
	if (grow_log(r) < 0) {
		rp_fail(r, CT_ERR_NOMEM, "out of memory");
		return NULL;
	}
	k = &g->e[g->n];
	memset(k, 0, sizeof *k);
	k->group = p->group;
	k->ev.sm = p->sm;
	k->ev.slice = slice;
	k->ev.cycle = now;
	k->ev.line = line;
	k->ev.sid = sid_of(r, p);
	k->ev.is_write = (uint8_t)rp_is_store(p);
	k->ev.is_atomic = p->kind == RP_PK_ATOMIC;
	k->next = NOT_LINKED;
	if (!p->alone)
		link_entry(g, g->n);
	g->n++;
	return k;
}

/* Adds sector k of the line to an event, with what a store writes of it. what: as of rp_llc_log(). */
static CT_INLINE void note_sector(struct ct_llc_event *ev, uint32_t k, uint32_t bytes, int what)
{
	uint32_t bit = 1u << k;
	ev->sectors |= bit;
	if (k < 4)
		ev->bytes[k / 2] |= (uint64_t)bytes << 32 * (k % 2);
	*(what == 0 ? &ev->hit : what == 1 ? &ev->pending : &ev->miss) |= bit;
}

void rp_llc_log(struct ct_replay *r, uint32_t slice, const struct rp_packet *p, uint64_t now, int what)
{
	struct entry *k = entry_of(r, p, slice, now);
	uint32_t bit = 1u << (p->address >> r->llc_sector_bits & (r->llc_sectors - 1));
	if (!k || (k->ev.sectors & bit)) /* further lanes of an atomic on one sector */
		return;
	note_sector(&k->ev, ct_low_bit(bit), p->bytes, what);
}

/* Orders the entries by cycle, then by slice, then as they came. */
static int sort_in_time(struct ct_replay *r)
{
	struct rp_llc_log *g = r->llc_log;
	uint64_t least = g->e[0].ev.cycle, most = 0;
	if (rp_order_reserve(&g->order, g->n) < 0)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	for (size_t i = 1; i < g->n; i++)
		least = g->e[i].ev.cycle < least ? g->e[i].ev.cycle : least;
	for (size_t i = 0; i < g->n; i++) {
		uint64_t key = (g->e[i].ev.cycle - least) * r->map.slices + g->e[i].ev.slice;
		g->order.place[i] = (struct rp_place){key, i};
		most |= key;
	}
	g->order.n = g->n;
	rp_order_sort(&g->order, most);
	return 0;
}

/* Asks the host's memory for the entry of that place in the order of time. */
static void bring_entry(const struct rp_llc_log *g, size_t place)
{
	if (place < g->n) {
		const struct entry *k = &g->e[g->order.place[place].at];
		CT_BRING(k);
		CT_BRING((const char *)(k + 1) - 1);
	}
}

/* What is still held becomes the log, oldest first. */
static int keep_from(struct ct_replay *r, size_t done)
{
	struct rp_llc_log *g = r->llc_log;
	size_t n = g->n - done;
	if (ct_grow((void **)&g->kept, &g->kept_cap, n, sizeof *g->kept) < 0)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		bring_entry(g, done + i + AHEAD);
		g->kept[i] = g->e[g->order.place[done + i].at];
	}
	struct rp_llc_log old = *g;
	g->e = old.kept;
	g->cap = old.kept_cap;
	g->kept = old.e;
	g->kept_cap = old.cap;
	g->n = n;
	memset(g->bucket, 0, g->buckets * sizeof *g->bucket);
	for (size_t i = 0; i < n; i++)
		if (g->e[i].next != NOT_LINKED)
			link_entry(g, i);
	return 0;
}

void rp_llc_log_window(struct ct_replay *r)
{
	struct rp_llc_log *g = r->llc_log;
	uint64_t hold = (uint64_t)HOLD * r->whole_window; /* parts may have made windows shorter */
	if (++g->windows % (HOLD * (r->whole_window / r->window)))
		return;
	rp_llc_log_flush(r, r->horizon > hold ? r->horizon - hold : 0);
}

/* Hands out what began before `before`, oldest first, and keeps the rest. */
void rp_llc_log_flush(struct ct_replay *r, uint64_t before)
{
	struct rp_llc_log *g = r->llc_log;
	size_t done = 0;
	if (!r->has_llc || !g->n || sort_in_time(r) < 0)
		return;
	for (; done < g->n && g->e[g->order.place[done].at].ev.cycle < before; done++) {
		bring_entry(g, done + AHEAD);
		for (unsigned i = 0; i < r->nobs; i++)
			if (r->obs[i].llc)
				r->obs[i].llc(r->obs[i].ctx, &g->e[g->order.place[done].at].ev);
	}
	if (done)
		(void)keep_from(r, done); /* fails the replay */
}
