/* LLC accesses as observers see them: one event for all sectors of a line that one
 * instruction sent, in the order of simulated time.
 *
 * Slices run through a window one after the other and serve the sectors of a line one
 * by one, so accesses are gathered by instruction and line and handed out when HOLD windows
 * have passed since the first (a line may stall in the L1 between two of its sectors). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hot.h"
#include "base/mem.h"
#include "replay/private/memory.h"
#include "replay/private/order.h"
#include "replay/private/timing.h"

enum {
	HOLD = 8,
	FIRST_BUCKETS = 1024,
	BLOCK = 256, /* accesses in a block */
	TOLD = 32,   /* accesses that are told together */
	SEEN = 128,  /* sectors that wait to be gathered */
	SORTED =
		512 /* accesses of how many windows are put in order together: of as few as have so many */
};

#define GONE UINT64_MAX /* the line of an access that has been handed out: no address has it */

/* Those that more may come for hang together in buckets, most recent first: `next` is the number of the one before. */
struct access {
	uint64_t line;
	uint64_t when; /* cycle, two bits of WRITE and ATOMIC */
	uint32_t group, next, sectors;
	uint16_t sm, slice;
};
enum { WRITE = 1, ATOMIC = 2, KIND_BITS = 2 };

/* What else observers may ask for. */
struct detail {
	uint64_t bytes[2];
	uint32_t hit, pending, miss, sid;
};

/* Accesses that came one after the other. */
struct block {
	struct access a[BLOCK];
	struct detail *detail; /* of each; NULL: nobody asks */
	struct block *spare;   /* the next that is not in use */
};

/* A sector that a slice has served. */
struct seen {
	uint64_t address, cycle;
	uint32_t bytes, group;
	uint16_t sm, slice;
	uint8_t what, kind, alone;
};

/* Accesses are numbered as they come. Blocks go when all of theirs have been handed out, and the one that was read last is
 * filled next: it is still near. */
struct rp_llc_log {
	struct seen seen[SEEN];
	uint32_t n_seen;
	struct block **block; /* in use; the first begins with number `first` */
	struct block *spare;
	size_t blocks, block_cap;
	uint32_t first, end;
	struct rp_order order;
	uint32_t *ends; /* numbers of those that came first in a window, of the windows that are held */
	size_t n_ends, ends_cap;
	uint32_t *bucket;
	uint32_t buckets; /* a power of two, at least as many as there are accesses */
	uint64_t windows;
	uint64_t latest, newest; /* cycle of the last access before this window, of the last */
	int mixed;               /* an access is not behind all of the windows before it */
	int in_short;            /* nobody asks for details */
};

int rp_llc_log_init(struct ct_replay *r, struct ct_error *e)
{
	struct rp_llc_log *g = ct_calloc(1, sizeof *g);
	r->llc_log = g;
	if (!g)
		return ct_fail_nomem(e);
	if (!r->has_llc)
		return 0;
	g->in_short = 1;
	for (unsigned i = 0; i < r->nobs; i++)
		g->in_short &= !r->obs[i].llc;
	g->first = g->end = BLOCK; /* an empty bucket's 0 is the number of none */
	g->buckets = FIRST_BUCKETS;
	g->bucket = ct_calloc(g->buckets, sizeof *g->bucket);
	return g->bucket ? 0 : ct_fail_nomem(e);
}

static void free_block(struct block *b)
{
	if (b)
		free(b->detail);
	free(b);
}

void rp_llc_log_free(struct ct_replay *r)
{
	struct rp_llc_log *g = r->llc_log;
	if (!g)
		return;
	for (size_t i = 0; i < g->blocks; i++)
		free_block(g->block[i]);
	for (struct block *b = g->spare, *next; b; b = next) {
		next = b->spare;
		free_block(b);
	}
	free(g->block);
	rp_order_free(&g->order);
	free(g->ends);
	free(g->bucket);
	free(g);
}

/* ---- accesses ---- */

static CT_INLINE struct block *block_of(const struct rp_llc_log *g, uint32_t number)
{
	return g->block[(uint32_t)(number - g->first) / BLOCK];
}

static CT_INLINE struct access *access_of(const struct rp_llc_log *g, uint32_t number)
{
	return &block_of(g, number)->a[number % BLOCK];
}

/* Of an instruction's line; its low bits choose the bucket. */
static CT_INLINE uint32_t hash_of(uint32_t sm, uint32_t group, uint64_t line)
{
	uint64_t key = ((uint64_t)group << 16 | sm) + line * UINT64_C(0xd1342543de82ef95);
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static CT_INLINE uint32_t *bucket_of(const struct rp_llc_log *g, uint32_t hash)
{
	return &g->bucket[hash & (g->buckets - 1)];
}

/* Puts the access at the head of a bucket. */
static CT_INLINE void link_access(struct access *a, uint32_t number, uint32_t *bucket)
{
	a->next = *bucket;
	*bucket = number;
}

/* Twice as many buckets. */
static int grow_buckets(struct rp_llc_log *g)
{
	uint32_t *bucket = ct_calloc(g->buckets * (size_t)2, sizeof *bucket);
	if (!bucket)
		return -1;
	free(g->bucket);
	g->bucket = bucket;
	g->buckets *= 2;
	for (uint32_t i = g->first; i != g->end; i++) {
		struct access *a = access_of(g, i);
		if (a->line != GONE && a->next != i)
			link_access(a, i, bucket_of(g, hash_of(a->sm, a->group, a->line)));
	}
	return 0;
}

static struct block *new_block(int in_short)
{
	struct block *b = ct_calloc_aligned(1, sizeof *b);
	if (b && !in_short && !(b->detail = ct_calloc_aligned(BLOCK, sizeof *b->detail))) {
		free(b);
		return NULL;
	}
	return b;
}

/* A block for the accesses from number `end` on. */
static int add_block(struct rp_llc_log *g)
{
	struct block *b = g->spare;
	if (g->end - g->first > UINT32_MAX / 2 ||
	    ct_grow((void **)&g->block, &g->block_cap, g->blocks + 1, sizeof *g->block) < 0 ||
	    (g->end - g->first >= g->buckets && grow_buckets(g) < 0))
		return -1;
	if (b)
		g->spare = b->spare;
	else if (!(b = new_block(g->in_short)))
		return -1;
	g->block[g->blocks++] = b;
	return 0;
}

static uint32_t sid_of(const struct ct_replay *r, const struct seen *p)
{
	const uint32_t *sid = r->sm[p->sm].group_sid;
	return sid ? sid[p->group % RP_LINES_IN_FLIGHT] : CT_NO_SID;
}

/* The number of the instruction's line, from that one on in its bucket; `end`: it is not there. A bucket may name accesses that
 * are gone, and behind them comes nothing. */
static CT_INLINE uint32_t find_access(const struct rp_llc_log *g, const struct seen *p, uint64_t line,
                                      uint32_t number)
{
	uint32_t before = g->end - g->first;
	for (uint32_t at; (at = number - g->first) < before; before = at) {
		const struct access *a = &g->block[at / BLOCK]->a[number % BLOCK];
		if (a->group == p->group && a->line == line && a->sm == p->sm)
			return number;
		number = a->next;
	}
	return g->end;
}

/* A new access, number `end`. Returns 0 or the engine's error. */
static CT_INLINE int add_access(struct ct_replay *r, const struct seen *p, uint64_t line, uint32_t hash)
{
	struct rp_llc_log *g = r->llc_log;
	uint32_t i = g->end % BLOCK;
	if (g->end - g->first == g->blocks * BLOCK && add_block(g) < 0)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	struct block *b = g->block[g->blocks - 1];
	struct access *a = &b->a[i];
	a->line = line;
	a->when = p->cycle << KIND_BITS | (p->kind & 1 ? WRITE : 0) |
	          (p->kind == RP_PK_ATOMIC ? ATOMIC : 0);
	a->group = p->group;
	a->next = g->end; /* its own: it is in no bucket */
	a->sectors = 0;
	a->sm = p->sm;
	a->slice = p->slice;
	if (b->detail)
		b->detail[i] = (struct detail){.sid = sid_of(r, p)};
	if (!p->alone)
		link_access(a, g->end, bucket_of(g, hash));
	g->end++;
	g->newest = p->cycle > g->newest ? p->cycle : g->newest;
	g->mixed |= p->cycle <= g->latest;
	return 0;
}

/* Adds what the LLC did with sector k of the line, and what a store writes of it. what: as of rp_llc_log(). */
static void note_detail(struct detail *d, uint32_t k, uint32_t bytes, int what)
{
	if (k < 4)
		d->bytes[k / 2] |= (uint64_t)bytes << 32 * (k % 2);
	*(what == 0 ? &d->hit : what == 1 ? &d->pending : &d->miss) |= 1u << k;
}

/* Asks the host's memory for what the sectors that were seen will be looked for in. */
static CT_INLINE void bring_places(const struct rp_llc_log *g, uint64_t line_bits, uint32_t hash[SEEN])
{
	for (uint32_t i = 0; i < g->n_seen; i++) {
		const struct seen *p = &g->seen[i];
		hash[i] = hash_of(p->sm, p->group, p->address >> line_bits);
		if (!p->alone)
			CT_BRING(bucket_of(g, hash[i]));
	}
	for (uint32_t i = 0; i < g->n_seen; i++) {
		uint32_t number = *bucket_of(g, hash[i]);
		if (!g->seen[i].alone && number - g->first < g->end - g->first)
			CT_BRING(access_of(g, number));
	}
}

/* Makes accesses of the sectors that were seen. */
static void gather_sectors(struct ct_replay *r)
{
	struct rp_llc_log *g = r->llc_log;
	const uint32_t n = g->n_seen, line_bits = r->llc_line_bits, sector_bits = r->llc_sector_bits;
	uint32_t hash[SEEN];
	bring_places(g, line_bits, hash);
	for (uint32_t i = 0; i < n; i++) {
		const struct seen *p = &g->seen[i];
		uint64_t line = p->address >> line_bits;
		uint32_t k = (uint32_t)(p->address >> sector_bits) & (r->llc_sectors - 1);
		uint32_t number = p->alone ? g->end : find_access(g, p, line, *bucket_of(g, hash[i]));
		if (number == g->end && add_access(r, p, line, hash[i]) < 0)
			break;
		struct block *b = block_of(g, number);
		struct access *a = &b->a[number % BLOCK];
		if (a->sectors >> k & 1) /* a further lane of an atomic */
			continue;
		a->sectors |= 1u << k;
		if (b->detail)
			note_detail(&b->detail[number % BLOCK], k, p->bytes, p->what);
	}
	g->n_seen = 0;
}

void rp_llc_log(struct ct_replay *r, uint32_t slice, const struct rp_packet *p, uint64_t now, int what)
{
	struct rp_llc_log *g = r->llc_log;
	struct seen *to = &g->seen[g->n_seen];
	to->address = p->address;
	to->cycle = now;
	to->bytes = p->bytes;
	to->group = p->group;
	to->sm = p->sm;
	to->slice = (uint16_t)slice;
	to->what = (uint8_t)what;
	to->kind = p->kind;
	to->alone = p->alone;
	if (++g->n_seen == SEEN)
		gather_sectors(r);
}

/* ---- handing them out ---- */

/* Appends the places of the accesses up to number `to` that began before `before`; of a key only the difference counts. */
static int gather(struct ct_replay *r, uint32_t from, uint32_t to, uint64_t before)
{
	const struct rp_llc_log *g = r->llc_log;
	struct rp_order *o = &r->llc_log->order;
	if (rp_order_reserve(o, o->n + (to - from)) < 0)
		return rp_fail(r, CT_ERR_NOMEM, "out of memory");
	for (; from != to; from++) {
		const struct access *a = access_of(g, from);
		uint64_t cycle = a->when >> KIND_BITS;
		if (a->line != GONE && cycle < before)
			o->place[o->n++] = (struct rp_place){cycle * r->map.slices + a->slice, from};
	}
	return 0;
}

/* Orders the places by cycle, then by slice, then as they came. */
static void sort_in_time(struct rp_order *o)
{
	uint64_t least = UINT64_MAX, most = 0;
	for (size_t i = 0; i < o->n; i++)
		least = o->place[i].key < least ? o->place[i].key : least;
	for (size_t i = 0; i < o->n; i++) {
		o->place[i].key -= least;
		most |= o->place[i].key;
	}
	rp_order_sort(o, most);
}

/* An access with all that is known of it. */
static struct ct_llc_event event_of(const struct rp_llc_log *g, uint32_t number)
{
	const struct block *b = block_of(g, number);
	const struct access *a = &b->a[number % BLOCK];
	const struct detail *d = &b->detail[number % BLOCK];
	return (struct ct_llc_event){
		.sm = a->sm,
		.slice = a->slice,
		.cycle = a->when >> KIND_BITS,
		.line = a->line,
		.sectors = a->sectors,
		.hit = d->hit,
		.pending = d->pending,
		.miss = d->miss,
		.bytes = {d->bytes[0], d->bytes[1]},
		.sid = d->sid,
		.is_write = a->when & WRITE,
		.is_atomic = (a->when & ATOMIC) != 0,
	};
}

/* Tells observers of some accesses that follow each other in time, at those places. */
static void tell_accesses(const struct ct_replay *r, const struct rp_place *place,
                          const struct ct_line_access *lines, size_t n)
{
	struct ct_llc_event ev[TOLD];
	for (size_t i = 0; !r->llc_log->in_short && i < n; i++)
		ev[i] = event_of(r->llc_log, (uint32_t)place[i].at);
	for (unsigned k = 0; k < r->nobs; k++) {
		const struct ct_replay_observer *o = &r->obs[k];
		for (size_t i = 0; o->llc && i < n; i++)
			o->llc(o->ctx, &ev[i]);
		if (o->llc_lines)
			o->llc_lines(o->ctx, lines, n);
	}
}

/* Hands out what was gathered, in the order of time. */
static void hand_out(struct ct_replay *r)
{
	const struct rp_llc_log *g = r->llc_log;
	struct rp_order *o = &r->llc_log->order;
	struct ct_line_access lines[TOLD];
	sort_in_time(o);
	for (size_t i = 0, n; i < o->n; i += n) {
		n = o->n - i < TOLD ? o->n - i : TOLD;
		for (size_t k = 0; k < n; k++)
			CT_BRING(access_of(g, (uint32_t)o->place[i + k].at));
		for (size_t k = 0; k < n; k++) {
			const struct access *a = access_of(g, (uint32_t)o->place[i + k].at);
			lines[k].line = a->line;
			lines[k].cycle = a->when >> KIND_BITS;
			lines[k].sectors = a->sectors;
			lines[k].sm = a->sm;
			lines[k].is_write = a->when & WRITE;
		}
		tell_accesses(r, &o->place[i], lines, n);
		for (size_t k = 0; k < n; k++)
			access_of(g, (uint32_t)o->place[i + k].at)->line = GONE;
	}
	o->n = 0;
}

/* Takes blocks away whose accesses are all gone, and the windows that ended in them. */
static void drop_gone(struct rp_llc_log *g)
{
	size_t blocks = 0, windows = 0;
	uint32_t i = g->first;
	while (i != g->end && access_of(g, i)->line == GONE)
		i++;
	if (i == g->end) { /* also of the last, which is not full */
		i += BLOCK - 1;
		g->end = i -= i % BLOCK;
		g->mixed = 0;
	}
	for (; i - g->first >= BLOCK; g->first += BLOCK) {
		struct block *b = g->block[blocks++];
		b->spare = g->spare;
		g->spare = b;
	}
	g->blocks -= blocks;
	memmove(g->block, g->block + blocks, g->blocks * sizeof *g->block);
	while (windows < g->n_ends && (uint32_t)(g->ends[windows] - g->first) > g->end - g->first)
		windows++;
	g->n_ends -= windows;
	memmove(g->ends, g->ends + windows, g->n_ends * sizeof *g->ends);
}

void rp_llc_log_window(struct ct_replay *r)
{
	struct rp_llc_log *g = r->llc_log;
	uint64_t hold = (uint64_t)HOLD * r->whole_window; /* parts may have made windows shorter */
	gather_sectors(r);
	g->latest = g->newest;
	if (r->has_llc && ct_grow((void **)&g->ends, &g->ends_cap, g->n_ends + 1, sizeof *g->ends) < 0)
		rp_fail(r, CT_ERR_NOMEM, "out of memory");
	else if (r->has_llc)
		g->ends[g->n_ends++] = g->end;
	if (++g->windows % (HOLD * (r->whole_window / r->window)))
		return;
	rp_llc_log_flush(r, r->horizon > hold ? r->horizon - hold : 0);
}

/* Hands out what began before `before`, oldest first, and keeps the rest. Windows follow each other in time, so that a few
 * at a time are put in order, which stays near. */
void rp_llc_log_flush(struct ct_replay *r, uint64_t before)
{
	struct rp_llc_log *g = r->llc_log;
	gather_sectors(r);
	if (!r->has_llc || g->first == g->end)
		return;
	uint32_t from = g->first;
	for (size_t i = 0; i <= g->n_ends; i++) {
		uint32_t to = i < g->n_ends ? g->ends[i] : g->end;
		if (gather(r, from, to, before) < 0)
			return;
		from = to;
		if (!g->mixed && g->order.n >= SORTED)
			hand_out(r);
	}
	hand_out(r);
	drop_gone(g);
}
