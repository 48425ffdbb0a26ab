#include "models/shared_l1/org.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/address.h"
#include "models/shared_l1/camping.h"
#include "replay/ways.h"

enum { SL_BUCKETS = 4096 };
#define SL_NONE UINT32_MAX

struct sl_way {
	struct ct_way w; /* held: with reservation, something is on its way */
	uint8_t dead;    /* flushed meanwhile: not kept */
};

/* A line on its way to an L1. */
struct sl_entry {
	uint64_t line;
	unsigned at;
	uint32_t pending;
	uint32_t next;              /* in its bucket, or next free */
	uint32_t head, tail, count; /* waiters */
	uint8_t fresh;              /* the line was absent: its fill is counted */
	uint8_t dead;
};
struct sl_waiting {
	struct ct_sl_waiter w;
	uint32_t next;
};

struct sl_core {
	uint32_t mshrs;
	uint64_t served; /* accesses of its L1 */
};

/* Lines that some L1 holds or held, and in how many it is: open addressing, never shrinks. */
struct sl_copies {
	uint64_t line;
	uint32_t count;
	uint8_t used;
};

struct ct_sl_org {
	struct ct_sl_org_config c;
	void (*watch)(void *ctx, const struct ct_sl_org_event *ev);
	void *watch_ctx;
	struct sl_way *way; /* [core][set][way] */
	struct sl_core *core;
	struct sl_entry *entry;
	struct sl_waiting *waiter;
	size_t entries, entry_cap, waiters, waiter_cap;
	uint32_t free_entry, free_waiter;
	uint32_t bucket[SL_BUCKETS];
	struct sl_copies *copies;
	size_t copies_used, copies_cap; /* cap: a power of two */
	uint64_t clock;
	struct ct_sl_org_stats s;
	struct ct_sl_camping camping;
	struct ct_sl_phases *phases; /* of a dynamic scheme, else NULL */
};

int ct_sl_org_new(struct ct_sl_org **out, const struct ct_sl_org_config *c, struct ct_error *e)
{
	*out = NULL;
	if (!c->cores || !c->sets || !c->ways || !c->whole)
		return ct_fail(e, CT_ERR_USAGE, "shared L1s need cores, sets, ways and sectors");
	if (c->organisation == CT_SL_ORG_DYNAMIC && c->sets % 2)
		return ct_fail(e, CT_ERR_USAGE,
		               "a dynamic scheme samples even and odd sets: the L1 has %u", c->sets);
	struct ct_sl_org *o = ct_calloc(1, sizeof *o);
	if (!o)
		return ct_fail_nomem(e);
	o->c = *c;
	o->way = ct_calloc((size_t)c->cores * c->sets * c->ways, sizeof *o->way);
	o->core = ct_calloc(c->cores, sizeof *o->core);
	int st = ct_sl_camping_init(&o->camping, c->cores);
	if (st == CT_OK && c->organisation == CT_SL_ORG_DYNAMIC)
		st = ct_sl_phases_new(&o->phases, &c->scheme, c->cores);
	if (!o->way || !o->core || st != CT_OK) {
		ct_sl_org_free(o);
		return ct_fail_nomem(e);
	}
	for (size_t i = 0; i < SL_BUCKETS; i++)
		o->bucket[i] = SL_NONE;
	o->free_entry = o->free_waiter = SL_NONE;
	*out = o;
	return CT_OK;
}

void ct_sl_org_free(struct ct_sl_org *o)
{
	if (!o)
		return;
	free(o->way);
	free(o->core);
	free(o->entry);
	free(o->waiter);
	free(o->copies);
	ct_sl_camping_free(&o->camping);
	ct_sl_phases_free(o->phases);
	free(o);
}

void ct_sl_org_watch(struct ct_sl_org *o, void (*watch)(void *ctx, const struct ct_sl_org_event *ev),
                     void *ctx)
{
	o->watch = watch;
	o->watch_ctx = ctx;
}

unsigned ct_sl_org_home(const struct ct_sl_org *o, uint64_t line)
{
	return ct_sl_home(o->c.homes, line, o->c.sets, o->c.cores);
}

static uint32_t set_of(const struct ct_sl_org *o, uint64_t line)
{
	return ct_set_index((enum ct_set_hash)o->c.set_hash, o->c.sets, line);
}

static struct sl_way *ways_of(const struct ct_sl_org *o, unsigned core, uint64_t line)
{
	return o->way + ((size_t)core * o->c.sets + set_of(o, line)) * o->c.ways;
}

static struct sl_way *find_line(const struct ct_sl_org *o, unsigned core, uint64_t line)
{
	return (struct sl_way *)ct_way_find(
		ways_of(o, core, line), sizeof(struct sl_way), o->c.ways, line);
}

/* The way that makes room for the line in the L1 of a core; NULL when something is on its way to all. */
static struct sl_way *victim_of(const struct ct_sl_org *o, unsigned core, uint64_t line)
{
	return (struct sl_way *)ct_way_victim(ways_of(o, core, line), sizeof(struct sl_way), o->c.ways);
}

/* ---- copies ---- */

static struct sl_copies *copies_slot(const struct ct_sl_org *o, uint64_t line)
{
	size_t i = (size_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (o->copies_cap - 1);
	while (o->copies[i].used && o->copies[i].line != line)
		i = (i + 1) & (o->copies_cap - 1);
	return &o->copies[i];
}

/* Twice as many slots; every line is put in again. CT_OK or CT_ERR_NOMEM. */
static int copies_grow(struct ct_sl_org *o)
{
	enum { FIRST = 1024 };
	struct sl_copies *old = o->copies;
	size_t n = o->copies_cap;
	struct sl_copies *more = ct_calloc(n ? n * 2 : FIRST, sizeof *more);
	if (!more)
		return CT_ERR_NOMEM;
	o->copies = more;
	o->copies_cap = n ? n * 2 : FIRST;
	for (size_t i = 0; i < n; i++)
		if (old[i].used)
			*copies_slot(o, old[i].line) = old[i];
	free(old);
	return CT_OK;
}

/* A line has come to (by 1) or left (by -1) an L1. CT_OK or CT_ERR_NOMEM (only when it comes). */
static int copies_add(struct ct_sl_org *o, uint64_t line, int by)
{
	if (by > 0 && o->copies_used * 2 >= o->copies_cap && copies_grow(o) != CT_OK)
		return CT_ERR_NOMEM;
	struct sl_copies *s = copies_slot(o, line);
	if (!s->used) {
		*s = (struct sl_copies){.line = line, .used = 1};
		o->copies_used++;
	}
	s->count = (uint32_t)((int)s->count + by);
	return CT_OK;
}

unsigned ct_sl_org_copies(const struct ct_sl_org *o, uint64_t line)
{
	return o->copies_cap ? copies_slot(o, line)->count : 0;
}

/* Forgets what a place holds. */
static int forget_way(struct ct_sl_org *o, struct sl_way *w)
{
	int st = w->w.used && w->w.valid ? copies_add(o, w->w.line, -1) : CT_OK;
	w->w.valid = 0;
	w->w.used = 0;
	return st;
}

/* ---- modes ---- */

/* Group of a line's set while sampling: 0 private (even), 1 shared (odd). */
static unsigned sampled_group(const struct ct_sl_org *o, uint64_t line)
{
	return set_of(o, line) & 1;
}

static int is_shared(const struct ct_sl_org *o, unsigned core, uint64_t line)
{
	if (!o->phases)
		return o->c.organisation == CT_SL_ORG_SHARED;
	return ct_sl_phases_shared(o->phases, core, sampled_group(o, line));
}

static int note_own_access(struct ct_sl_org *o, unsigned core, uint64_t line, enum ct_sl_way way,
                           uint64_t now)
{
	if (o->phases && ct_sl_phases_own(o->phases, core, sampled_group(o, line), way))
		return ct_sl_phases_turn(o->phases, core, now);
	return CT_OK;
}

static int note_served(struct ct_sl_org *o, unsigned at, unsigned from, uint64_t line, int missed,
                       uint64_t now)
{
	o->core[at].served++;
	ct_sl_camping_add(&o->camping, at);
	if (o->phases && ct_sl_phases_served(o->phases, at, from, sampled_group(o, line), missed))
		return ct_sl_phases_turn(o->phases, at, now);
	return CT_OK;
}

void ct_sl_org_ack(struct ct_sl_org *o, unsigned at, uint64_t line)
{
	if (o->phases)
		ct_sl_phases_llc_reply(o->phases, at, sampled_group(o, line));
}

void ct_sl_org_reply(struct ct_sl_org *o, unsigned core, uint64_t line, int missed)
{
	if (o->phases)
		ct_sl_phases_home_reply(o->phases, core, sampled_group(o, line), missed);
}

static void tell_watcher(const struct ct_sl_org *o, enum ct_sl_org_what what, unsigned at, unsigned from,
                         uint64_t line, uint32_t mask, int is_write)
{
	struct ct_sl_org_event ev = {what, at, from, line, mask, is_write};
	if (o->watch)
		o->watch(o->watch_ctx, &ev);
}

static int goes_past_home(const struct ct_sl_org *o, unsigned core, unsigned home, unsigned partition)
{
	return o->c.nearer &&
	       o->c.nearer[((size_t)core * o->c.cores + home) * o->c.partitions + partition];
}

int ct_sl_org_route(struct ct_sl_org *o, unsigned core, uint64_t line, unsigned partition, uint64_t now,
                    struct ct_sl_route *r)
{
	unsigned home = is_shared(o, core, line) ? ct_sl_org_home(o, line) : core;
	tell_watcher(o, CT_SL_ROUTED, home, core, line, 0, 0);
	*r = (struct ct_sl_route){CT_SL_LOCAL, core};
	if (home == core) {
		o->s.local++;
	} else if (goes_past_home(o, core, home, partition)) {
		o->s.past++;
		r->way = CT_SL_PAST;
	} else {
		o->s.remote++;
		*r = (struct ct_sl_route){CT_SL_REMOTE, home};
	}
	return note_own_access(o, core, line, r->way, now);
}

/* ---- lines on their way ---- */

static uint32_t entry_bucket(unsigned at, uint64_t line)
{
	return (uint32_t)(((line ^ (uint64_t)at << 40) * UINT64_C(0x9e3779b97f4a7c15)) >> 52) %
	       SL_BUCKETS;
}

static struct sl_entry *entry_find(const struct ct_sl_org *o, unsigned at, uint64_t line)
{
	uint32_t i = o->bucket[entry_bucket(at, line)];
	while (i != SL_NONE && (o->entry[i].at != at || o->entry[i].line != line))
		i = o->entry[i].next;
	return i == SL_NONE ? NULL : &o->entry[i];
}

/* A new entry of the core's MSHR for the line, without waiters; NULL: out of memory. */
static struct sl_entry *entry_add(struct ct_sl_org *o, unsigned at, uint64_t line)
{
	uint32_t i = o->free_entry;
	if (i != SL_NONE) {
		o->free_entry = o->entry[i].next;
	} else {
		if (ct_grow((void **)&o->entry, &o->entry_cap, o->entries + 1, sizeof *o->entry) < 0)
			return NULL;
		i = (uint32_t)o->entries++;
	}
	uint32_t *b = &o->bucket[entry_bucket(at, line)];
	o->entry[i] = (struct sl_entry){
		.line = line, .at = at, .next = *b, .head = SL_NONE, .tail = SL_NONE};
	*b = i;
	o->core[at].mshrs++;
	return &o->entry[i];
}

static void entry_drop(struct ct_sl_org *o, struct sl_entry *x)
{
	uint32_t at = (uint32_t)(x - o->entry), *link = &o->bucket[entry_bucket(x->at, x->line)];
	while (*link != at)
		link = &o->entry[*link].next;
	*link = x->next;
	o->core[x->at].mshrs--;
	x->next = o->free_entry;
	o->free_entry = at;
}

/* One more that waits for the entry, behind the others. < 0: out of memory. */
static int waiter_add(struct ct_sl_org *o, struct sl_entry *x, const struct ct_sl_waiter *w)
{
	uint32_t entry = (uint32_t)(x - o->entry), i = o->free_waiter;
	if (i != SL_NONE) {
		o->free_waiter = o->waiter[i].next;
	} else {
		if (ct_grow((void **)&o->waiter, &o->waiter_cap, o->waiters + 1, sizeof *o->waiter) < 0)
			return -1;
		i = (uint32_t)o->waiters++;
	}
	x = &o->entry[entry];
	o->waiter[i] = (struct sl_waiting){*w, SL_NONE};
	if (x->tail == SL_NONE)
		x->head = i;
	else
		o->waiter[x->tail].next = i;
	x->tail = i;
	x->count++;
	return 0;
}

/* ---- access ---- */

/* A read that lacks sectors: takes a line and an MSHR, or joins the ones that wait. */
static int read_missing(struct ct_sl_org *o, unsigned at, uint64_t line, struct sl_way *w,
                        const struct ct_sl_waiter *waiter, struct ct_sl_found *f)
{
	struct sl_entry *x = entry_find(o, at, line);
	if (x && o->c.mshr_merge && x->count >= o->c.mshr_merge)
		return CT_SL_RETRY;
	if (!x && o->c.mshr_entries && o->core[at].mshrs >= o->c.mshr_entries)
		return CT_SL_RETRY;
	if (o->c.reserve && !w) {
		w = victim_of(o, at, line);
		if (!w)
			return CT_SL_RETRY;
	}
	uint32_t known = x ? x->pending : 0;
	f->pending = waiter->mask & known;
	f->fetch = waiter->mask & ~known;
	int fresh = !x && f->line_miss; /* an absent line that nobody has asked for */
	f->line_miss &= f->fetch;
	f->sector_miss &= f->fetch;
	if (x && f->line_miss) { /* the line is on its way, these sectors are not */
		f->sector_miss |= f->line_miss;
		f->line_miss = 0;
	}
	if (!x && !(x = entry_add(o, at, line)))
		return CT_ERR_NOMEM;
	x->pending |= f->fetch;
	if (fresh) {
		o->s.fills++;
		x->fresh = 1;
	}
	if (o->c.reserve) {
		if (!w->w.used || w->w.line != line) {
			if (forget_way(o, w) != CT_OK)
				return CT_ERR_NOMEM;
			*w = (struct sl_way){.w = {.line = line, .used = 1}};
		}
		w->w.held = 1;
		w->w.stamp = ++o->clock;
	}
	struct ct_sl_waiter me = *waiter;
	me.missed = f->fetch != 0;
	return waiter_add(o, x, &me) < 0 ? CT_ERR_NOMEM : CT_OK;
}

/* Sectors of the line that a read finds in this place of the L1. */
static uint32_t found_sectors(const struct sl_way *w, uint32_t mask)
{
	return w && !w->dead ? w->w.valid & mask : 0;
}

int ct_sl_org_holds(const struct ct_sl_org *o, unsigned at, uint64_t line, uint32_t mask)
{
	return found_sectors(find_line(o, at, line), mask) == mask;
}

int ct_sl_org_access(struct ct_sl_org *o, unsigned at, unsigned from, uint64_t line, uint32_t mask,
                     int is_write, uint64_t token, uint64_t now, struct ct_sl_found *f)
{
	struct sl_way *w = find_line(o, at, line);
	uint32_t there = found_sectors(w, mask);
	*f = (struct ct_sl_found){.hit = there};
	*(w && w->w.valid ? &f->sector_miss : &f->line_miss) = mask & ~there;
	if (!is_write && there != mask) {
		struct ct_sl_waiter waiter = {token, from, mask & ~there, 0};
		int st = read_missing(o, at, line, w, &waiter, f);
		if (st != CT_OK)
			return st;
		w = find_line(o, at, line);
	}
	if (w && (there || !is_write))
		w->w.stamp = ++o->clock;
	tell_watcher(o, CT_SL_ACCESSED, at, from, line, mask, is_write);
	int missed = is_write ? there != mask : f->fetch != 0;
	*(is_write ? &o->s.writes : &o->s.reads) += 1;
	*(is_write ? &o->s.write_misses : &o->s.read_misses) += (uint64_t)missed;
	return note_served(o, at, from, line, missed, now);
}

int ct_sl_org_store(struct ct_sl_org *o, unsigned at, uint64_t line, uint32_t mask, uint32_t whole)
{
	struct sl_way *w = find_line(o, at, line);
	if (o->c.write == CT_WRITE_EVICT && w && w->w.valid) {
		if (!(w->w.valid & ~mask) && !w->w.held)
			return forget_way(o, w);
		if (!(w->w.valid & ~mask) && copies_add(o, line, -1) != CT_OK)
			return CT_ERR_NOMEM;
		w->w.valid &= ~mask;
	}
	if (o->c.write < CT_WRITE_THROUGH_ALLOCATE || (w && w->dead))
		return CT_OK;
	if (!w) {
		if (!(w = victim_of(o, at, line)))
			return CT_OK;
		if (forget_way(o, w) != CT_OK)
			return CT_ERR_NOMEM;
		*w = (struct sl_way){.w = {.line = line, .used = 1}};
	}
	w->w.stamp = ++o->clock;
	if (whole && !w->w.valid && copies_add(o, line, 1) != CT_OK)
		return CT_ERR_NOMEM;
	w->w.valid |= whole;
	return CT_OK;
}

/* Calls done() for every waiter that lacks no sector any more, in the order of arrival, and keeps the
 * others. done() may add entries: the entry is looked up by its index again. */
static void hand_back_waiters(struct ct_sl_org *o, struct sl_entry *x,
                              void (*done)(void *ctx, const struct ct_sl_waiter *w), void *ctx)
{
	uint32_t entry = (uint32_t)(x - o->entry), i = x->head, keep = SL_NONE;
	x->head = x->tail = SL_NONE;
	while (i != SL_NONE) {
		uint32_t next = o->waiter[i].next;
		x = &o->entry[entry];
		if (o->waiter[i].w.mask & x->pending) { /* still lacks some */
			o->waiter[i].next = SL_NONE;
			if (keep == SL_NONE)
				x->head = i;
			else
				o->waiter[keep].next = i;
			x->tail = keep = i;
		} else {
			struct ct_sl_waiter w = o->waiter[i].w;
			o->waiter[i].next = o->free_waiter;
			o->free_waiter = i;
			x->count--;
			done(ctx, &w);
		}
		i = next;
	}
}

/* Puts what has come where it belongs; with reservation the line is there. */
static int install_sectors(struct ct_sl_org *o, unsigned at, uint64_t line, uint32_t mask,
                           const struct sl_entry *x)
{
	struct sl_way *w = find_line(o, at, line);
	int dead = w && o->c.reserve ? w->dead : x->dead, st = CT_OK;
	if (!w && !o->c.reserve && !dead && (w = victim_of(o, at, line))) {
		st = forget_way(o, w);
		*w = (struct sl_way){.w = {.line = line, .used = 1, .stamp = ++o->clock}};
	}
	if (!w)
		return CT_OK;
	if (!dead && st == CT_OK && !w->w.valid)
		st = copies_add(o, line, 1);
	if (!dead)
		w->w.valid |= mask;
	if (!x->pending && o->c.reserve) {
		w->w.held = 0;
		if (w->dead)
			w->w.used = 0;
		w->dead = 0;
	}
	return st;
}

/* Checks that somebody waits for the sectors and that a shared organisation keeps them at their home,
 * puts them there, counts copies where the line is new, then hands back who waits. */
int ct_sl_org_fill(struct ct_sl_org *o, unsigned at, uint64_t line, uint32_t mask,
                   void (*done)(void *ctx, const struct ct_sl_waiter *w), void *ctx)
{
	struct sl_entry *x = entry_find(o, at, line);
	if (!x || (mask & ~x->pending))
		return CT_ERR_INPUT;
	if (o->c.organisation == CT_SL_ORG_SHARED && ct_sl_org_home(o, line) != at)
		return CT_ERR_INPUT;
	tell_watcher(o, CT_SL_FILLED, at, at, line, mask, 0);
	x->pending &= ~mask;
	if (install_sectors(o, at, line, mask, x) != CT_OK)
		return CT_ERR_NOMEM;
	if (x->fresh) {
		x->fresh = 0;
		o->s.landed++;
		unsigned copies = ct_sl_org_copies(o, line);
		o->s.copies += copies;
		o->s.replicated += copies > 1;
		if (o->c.organisation == CT_SL_ORG_SHARED && copies > 1)
			return CT_ERR_INPUT;
	}
	ct_sl_org_ack(o, at, line);
	uint32_t entry = (uint32_t)(x - o->entry);
	hand_back_waiters(o, x, done, ctx);
	x = &o->entry[entry];
	if (!x->pending && x->head == SL_NONE)
		entry_drop(o, x);
	return CT_OK;
}

void ct_sl_org_flush(struct ct_sl_org *o, unsigned core)
{
	struct sl_way *w = o->way + (size_t)core * o->c.sets * o->c.ways;
	tell_watcher(o, CT_SL_FLUSHED, core, core, 0, 0, 0);
	for (size_t i = 0; i < (size_t)o->c.sets * o->c.ways; i++) {
		int reserved = w[i].w.held;
		(void)forget_way(o, &w[i]); /* what leaves needs no memory */
		if (reserved)
			w[i].w.used = w[i].dead = 1;
	}
	for (size_t i = 0; i < o->entries; i++)
		if (o->entry[i].at == core)
			o->entry[i].dead = 1;
}

int ct_sl_org_reshape(struct ct_sl_org *o, uint32_t sets, uint32_t ways, struct ct_error *e)
{
	if (sets == o->c.sets && ways == o->c.ways)
		return CT_OK;
	if (!sets || !ways || (o->c.organisation == CT_SL_ORG_DYNAMIC && sets % 2))
		return ct_fail(e, CT_ERR_USAGE, "a shared L1 of %u sets and %u ways", sets, ways);
	struct sl_way *w = ct_calloc((size_t)o->c.cores * sets * ways, sizeof *w);
	if (!w)
		return ct_fail_nomem(e);
	free(o->way);
	o->way = w;
	o->c.sets = sets;
	o->c.ways = ways;
	for (size_t i = 0; i < o->copies_cap; i++)
		o->copies[i].count = 0;
	return CT_OK;
}

void ct_sl_org_stats(const struct ct_sl_org *o, struct ct_sl_org_stats *s)
{
	*s = o->s;
	for (unsigned i = 0; i < o->c.cores; i++)
		if (o->core[i].served > s->max_home)
			s->max_home = o->core[i].served;
	s->camping = ct_sl_camping_mean(&o->camping);
	s->phases = (struct ct_sl_phase_stats){.eb = NAN, .amat = NAN};
	if (o->phases)
		ct_sl_phases_stats(o->phases, &s->phases);
}

const struct ct_sl_change *ct_sl_org_timeline(const struct ct_sl_org *o, size_t *n)
{
	*n = 0;
	return o->phases ? ct_sl_phases_timeline(o->phases, n) : NULL;
}
