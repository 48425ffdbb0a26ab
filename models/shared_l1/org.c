#include "models/shared_l1/org.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "gpu/address.h"
#include "models/shared_l1/camping.h"
#include "models/shared_l1/lines.h"

enum { SL_BUCKETS = 4096 };
#define SL_NONE UINT32_MAX

enum { SL_SECTORS = 32 };
/* Sectors of a line on their way to an L1. */
struct sl_entry {
	uint64_t line;
	unsigned at;
	uint32_t pending;
	uint32_t next;              /* in its bucket, or next free */
	uint32_t head, tail;        /* waiters */
	uint16_t waits[SL_SECTORS]; /* requests for each sector, also the one that fetches it */
	uint8_t fresh;              /* the line was absent: its fill is counted */
	uint8_t dead;
};
struct sl_waiting {
	struct ct_sl_waiter w;
	uint32_t next;
};

struct sl_core {
	uint32_t mshrs;    /* sectors on their way */
	uint32_t modified; /* lines that stores have written to */
	uint64_t served;   /* accesses of its L1 */
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
	struct ct_sl_lines lines;
	struct sl_core *core;
	struct sl_entry *entry;
	struct sl_waiting *waiter;
	size_t entries, entry_cap, waiters, waiter_cap;
	uint32_t free_entry, free_waiter;
	uint32_t bucket[SL_BUCKETS];
	struct sl_copies *copies;
	size_t copies_used, copies_cap; /* cap: a power of two */
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
	o->core = ct_calloc(c->cores, sizeof *o->core);
	int st = ct_sl_lines_init(&o->lines, c->cores, c->sets, c->ways, c->set_hash, e);
	if (st == CT_OK && (!o->core || ct_sl_camping_init(&o->camping, c->cores) != CT_OK ||
	                    (c->organisation == CT_SL_ORG_DYNAMIC &&
	                     ct_sl_phases_new(&o->phases, &c->scheme, c->cores) != CT_OK)))
		st = ct_fail_nomem(e);
	if (st != CT_OK) {
		ct_sl_org_free(o);
		return st;
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
	ct_sl_lines_free(&o->lines);
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

/* Sectors of which the place holds anything. */
static uint32_t content_of(const struct ct_sl_line *w)
{
	return w->valid | w->partly;
}

static void set_modified(struct ct_sl_org *o, unsigned core, struct ct_sl_line *w, uint32_t sectors)
{
	o->core[core].modified -= w->modified != 0;
	w->modified = sectors;
	o->core[core].modified += w->modified != 0;
}

/* Forgets what a place holds of its line. */
static int forget_content(struct ct_sl_org *o, unsigned core, struct ct_sl_line *w)
{
	int st = content_of(w) ? copies_add(o, w->line, -1) : CT_OK;
	set_modified(o, core, w, 0);
	w->valid = w->partly = 0;
	return st;
}

/* Forgets what a place holds, and its line. */
static int forget_line(struct ct_sl_org *o, unsigned core, struct ct_sl_line *w)
{
	int st = forget_content(o, core, w);
	ct_sl_lines_leave(&o->lines, core, w);
	return st;
}

/* ---- room ---- */

/* The place that makes room for the line in the L1 of a core, as in the engine's L1: lines that stores have written to stay
 * while they are less than a share of all lines. NULL: every line that might leave has something on its way to it. */
static struct ct_sl_line *victim_of(const struct ct_sl_org *o, unsigned core, uint64_t line)
{
	uint64_t modified = o->core[core].modified;
	if (modified && 100 * modified / ((uint64_t)o->c.sets * o->c.ways) < o->c.dirty_percent) {
		struct ct_sl_line *w = ct_sl_lines_victim(&o->lines, core, line, 1);
		if (w || ct_sl_lines_held(&o->lines, core, line))
			return w;
	}
	return ct_sl_lines_victim(&o->lines, core, line, 0);
}

/* Gives the line a place with nothing in it; NULL: there is none. */
static struct ct_sl_line *take_place(struct ct_sl_org *o, unsigned core, uint64_t line, uint64_t now)
{
	struct ct_sl_line *w = victim_of(o, core, line);
	if (!w)
		return NULL;
	if (w->used)
		(void)forget_line(o, core, w); /* what leaves needs no memory */
	ct_sl_lines_take(&o->lines, core, w, line, now);
	return w;
}

/* ---- modes ---- */

/* Group of a line's set while sampling: 0 private (even), 1 shared (odd). */
static unsigned sampled_group(const struct ct_sl_org *o, uint64_t line)
{
	return ct_sl_lines_set(&o->lines, line) & 1;
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

/* A new entry for the line, without waiters; NULL: out of memory. */
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
	return &o->entry[i];
}

static void entry_drop(struct ct_sl_org *o, struct sl_entry *x)
{
	uint32_t at = (uint32_t)(x - o->entry), *link = &o->bucket[entry_bucket(x->at, x->line)];
	while (*link != at)
		link = &o->entry[*link].next;
	*link = x->next;
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
	return 0;
}

/* ---- access ---- */

/* What is known of the line while its sectors are looked up one after the other. */
struct lookup {
	struct ct_sl_line *w; /* NULL: the L1 has no place for the line */
	struct sl_entry *x;   /* NULL: nothing of it is on its way */
	uint32_t room;        /* requests that may still be sent */
	uint32_t waits;       /* sectors that this read waits for */
};

/* What a sector that does not hit has met. A sector on its way counts as missing to those who find its place gone, or a
 * store in it, meanwhile. */
static void class_sector(const struct ct_sl_org *o, const struct lookup *l, uint32_t bit,
                         struct ct_sl_found *f)
{
	int coming = l->x && (l->x->pending & bit);
	if (coming && (!o->c.reserve || (l->w && (l->w->dead || (l->w->reserved & bit)))))
		f->pending |= bit;
	else if (l->w || l->x)
		f->sector_miss |= bit;
	else
		f->line_miss |= bit;
}

/* A read of one sector. CT_SL_RETRY: nothing is done, since no request may be sent, no MSHR is free or takes another
 * request, or no line can leave. */
static int load_sector(struct ct_sl_org *o, const struct ct_sl_access *a, struct lookup *l, uint32_t bit,
                       struct ct_sl_found *f)
{
	struct ct_sl_line *w = l->w;
	uint32_t s = ct_low_bit(bit);
	if (w && !w->dead && (w->valid & bit)) {
		ct_sl_lines_settle(&o->lines, a->at, w, a->now);
		f->hit |= bit;
		return CT_OK;
	}
	int coming = l->x && (l->x->pending & bit), fresh = !l->x && (!w || !content_of(w));
	f->no_room |= !l->room;
	if (!l->room || (coming && o->c.mshr_merge && l->x->waits[s] >= o->c.mshr_merge) ||
	    (!coming && o->c.mshr_entries && o->core[a->at].mshrs >= o->c.mshr_entries))
		return CT_SL_RETRY;
	if (o->c.reserve && !w && !(w = take_place(o, a->at, a->line, a->now)))
		return CT_SL_RETRY;
	class_sector(o, l, bit, f);
	if (!l->x && !(l->x = entry_add(o, a->at, a->line)))
		return CT_ERR_NOMEM;
	if (fresh) {
		o->s.fills++;
		l->x->fresh = 1;
	}
	if (!coming) {
		l->x->pending |= bit;
		l->room--;
		o->core[a->at].mshrs++;
		f->fetch |= bit;
	}
	l->x->waits[s]++;
	l->waits |= bit;
	l->w = w;
	if (w && o->c.reserve) {
		w->reserved |= bit;
		w->merging = (w->merging & ~bit) | (w->modified & bit);
		set_modified(o, a->at, w, w->modified & ~bit);
	}
	if (w)
		ct_sl_lines_settle(&o->lines, a->at, w, a->now);
	return CT_OK;
}

/* Bytes of the sector that the store writes, of a line whose bytes are known, come to those that are there; the sector can
 * be read once all of it is written or has come. */
static int write_sector(struct ct_sl_org *o, const struct ct_sl_access *a, struct ct_sl_line *w,
                        uint32_t bit)
{
	uint32_t s = ct_low_bit(bit), in = s % 2 * 32;
	int whole = 1, first = !content_of(w);
	if (o->c.by_bytes) {
		w->bytes[s / 2] |= a->bytes[s / 2] & (uint64_t)UINT32_MAX << in;
		whole = (uint32_t)(w->bytes[s / 2] >> in) == UINT32_MAX;
	}
	w->merging |= w->reserved & bit;
	w->reserved &= ~bit;
	set_modified(o, a->at, w, w->modified | bit);
	ct_sl_lines_settle(&o->lines, a->at, w, a->now);
	w->valid |= whole ? bit : 0;
	w->partly = (w->partly | bit) & ~w->valid;
	return first ? copies_add(o, a->line, 1) : CT_OK;
}

/* The sector leaves the L1, and with the last one the line. */
static int drop_sector(struct ct_sl_org *o, const struct ct_sl_access *a, struct lookup *l, uint32_t bit)
{
	if (l->w->valid == bit && !l->w->reserved) {
		int st = forget_line(o, a->at, l->w);
		l->w = NULL;
		return st;
	}
	l->w->valid &= ~bit;
	return content_of(l->w) ? CT_OK : copies_add(o, a->line, -1);
}

/* A store to one sector, which is always sent on, and what the GPU's l1.write says that it does to the L1. CT_SL_RETRY as
 * load_sector(). */
static int store_sector(struct ct_sl_org *o, const struct ct_sl_access *a, struct lookup *l,
                        uint32_t bit, struct ct_sl_found *f)
{
	int hit = l->w && !l->w->dead && (content_of(l->w) & ~l->w->reserved & bit), st = CT_OK;
	f->no_room |= !l->room;
	if (!l->room)
		return CT_SL_RETRY;
	if (o->c.write >= CT_WRITE_THROUGH_ALLOCATE && !l->w) {
		struct ct_sl_line *w = take_place(o, a->at, a->line, a->now);
		if (!w)
			return CT_SL_RETRY;
		class_sector(o, l, bit, f);
		l->w = w;
	} else if (hit) {
		f->hit |= bit;
	} else {
		class_sector(o, l, bit, f);
	}
	if (o->c.write >= CT_WRITE_THROUGH_ALLOCATE && !l->w->dead)
		st = write_sector(o, a, l->w, bit);
	else if (hit && o->c.write == CT_WRITE_EVICT)
		st = drop_sector(o, a, l, bit);
	else if (hit)
		ct_sl_lines_settle(&o->lines, a->at, l->w, a->now);
	l->room--;
	return st;
}

/* Whether a read finds all of its sectors, which is the common case. */
static int load_all(struct ct_sl_org *o, const struct ct_sl_access *a, struct ct_sl_line *w,
                    struct ct_sl_found *f)
{
	if (!w || w->dead || (a->mask & ~w->valid))
		return 0;
	ct_sl_lines_settle(&o->lines, a->at, w, a->now);
	f->hit = a->mask;
	return 1;
}

/* Whether nothing can be done since no request may be sent: a store needs one for each sector, a read for what it does not
 * find. */
static int lacks_room(const struct ct_sl_access *a, const struct ct_sl_line *w, struct ct_sl_found *f)
{
	if (a->room || (!a->is_write && w && !w->dead && (w->valid & a->mask)))
		return 0;
	f->no_room = 1;
	f->again = a->mask;
	return 1;
}

/* Looks the sectors up one after the other, lowest first. CT_OK also where some have to be tried again; CT_ERR_NOMEM. */
static int access_sectors(struct ct_sl_org *o, const struct ct_sl_access *a, struct ct_sl_line *w,
                          struct ct_sl_found *f)
{
	struct lookup l = {w, entry_find(o, a->at, a->line), a->room, 0};
	for (uint32_t left = a->mask; left; left &= left - 1) {
		uint32_t bit = left & (0 - left);
		int st = a->is_write ? store_sector(o, a, &l, bit, f) : load_sector(o, a, &l, bit, f);
		if (st == CT_SL_RETRY)
			f->again |= bit;
		else if (st != CT_OK)
			return st;
	}
	f->waits = l.waits;
	if (!l.waits)
		return CT_OK;
	struct ct_sl_waiter waiter = {a->token, a->from, l.waits, f->fetch != 0, 0};
	return waiter_add(o, l.x, &waiter) < 0 ? CT_ERR_NOMEM : CT_OK;
}

/* Looks the sectors up as the banks of the engine's L1 do; counts the line once for those that did not have to be put
 * off. */
int ct_sl_org_access(struct ct_sl_org *o, const struct ct_sl_access *a, struct ct_sl_found *f)
{
	struct ct_sl_line *w = a->is_write && !a->room ? NULL
	                                               : ct_sl_lines_find(&o->lines, a->at, a->line);
	*f = (struct ct_sl_found){0};
	if (lacks_room(a, w, f))
		return CT_SL_RETRY;
	if (a->is_write || !load_all(o, a, w, f)) {
		int st = access_sectors(o, a, w, f);
		if (st != CT_OK)
			return st;
	}
	if (f->again == a->mask)
		return CT_SL_RETRY;
	tell_watcher(o, CT_SL_ACCESSED, a->at, a->from, a->line, a->mask & ~f->again, a->is_write);
	int missed = a->is_write ? (f->sector_miss | f->line_miss) != 0 : f->fetch != 0;
	*(a->is_write ? &o->s.writes : &o->s.reads) += 1;
	*(a->is_write ? &o->s.write_misses : &o->s.read_misses) += (uint64_t)missed;
	return note_served(o, a->at, a->from, a->line, missed, a->now);
}

/* Calls done() for every waiter of these sectors, in the order of arrival, and keeps those that lack others. done() may add
 * entries: the entry is looked up by its index again. */
static void hand_back_waiters(struct ct_sl_org *o, struct sl_entry *x, uint32_t landed,
                              void (*done)(void *ctx, const struct ct_sl_waiter *w), void *ctx)
{
	uint32_t entry = (uint32_t)(x - o->entry), i = x->head, keep = SL_NONE;
	x->head = x->tail = SL_NONE;
	while (i != SL_NONE) {
		uint32_t next = o->waiter[i].next;
		struct ct_sl_waiter w = o->waiter[i].w;
		o->waiter[i].w.mask &= ~landed;
		w.last = !o->waiter[i].w.mask;
		w.mask &= landed;
		x = &o->entry[entry];
		if (!w.last) { /* still lacks some */
			o->waiter[i].next = SL_NONE;
			if (keep == SL_NONE)
				x->head = i;
			else
				o->waiter[keep].next = i;
			x->tail = keep = i;
		} else {
			o->waiter[i].next = o->free_waiter;
			o->free_waiter = i;
		}
		if (w.mask)
			done(ctx, &w);
		i = next;
	}
}

/* Puts what has come where it belongs: with reservation the line has a place, unless it was given away after a store had
 * written to each sector that reads waited for. */
static int install_sectors(struct ct_sl_org *o, unsigned at, uint64_t line, uint32_t mask, uint64_t now,
                           const struct sl_entry *x)
{
	struct ct_sl_line *w = ct_sl_lines_find(&o->lines, at, line);
	int dead = w && o->c.reserve ? w->dead : x->dead, st = CT_OK;
	if (!w && !o->c.reserve && !dead)
		w = take_place(o, at, line, now);
	if (!w)
		return CT_OK;
	if (o->c.reserve) {
		uint32_t kept = mask & (w->reserved | w->merging);
		set_modified(o, at, w, w->modified | (mask & w->merging));
		w->reserved &= ~mask;
		w->merging &= ~mask;
		mask = kept;
		ct_sl_lines_settle(&o->lines, at, w, w->stamp);
	}
	if (!dead && mask && !content_of(w))
		st = copies_add(o, line, 1);
	if (!dead) {
		w->valid |= mask;
		w->partly &= ~mask;
	} else if (o->c.reserve && !w->reserved) {
		ct_sl_lines_leave(&o->lines, at, w);
	}
	return st;
}

/* Checks that somebody waits for the sectors and that a shared organisation keeps them at their home,
 * puts them there, counts copies where the line is new, then hands back who waits. */
int ct_sl_org_fill(struct ct_sl_org *o, unsigned at, uint64_t line, uint32_t mask, uint64_t now,
                   void (*done)(void *ctx, const struct ct_sl_waiter *w), void *ctx)
{
	struct sl_entry *x = entry_find(o, at, line);
	if (!x || (mask & ~x->pending))
		return CT_ERR_INPUT;
	if (o->c.organisation == CT_SL_ORG_SHARED && ct_sl_org_home(o, line) != at)
		return CT_ERR_INPUT;
	tell_watcher(o, CT_SL_FILLED, at, at, line, mask, 0);
	x->pending &= ~mask;
	o->core[at].mshrs -= ct_bits(mask);
	for (uint32_t left = mask; left; left &= left - 1)
		x->waits[ct_low_bit(left)] = 0;
	if (install_sectors(o, at, line, mask, now, x) != CT_OK)
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
	hand_back_waiters(o, x, mask, done, ctx);
	x = &o->entry[entry];
	if (!x->pending && x->head == SL_NONE)
		entry_drop(o, x);
	return CT_OK;
}

void ct_sl_org_flush(struct ct_sl_org *o, unsigned core)
{
	const size_t lines = (size_t)o->c.sets * o->c.ways;
	struct ct_sl_line *w = o->lines.at + core * lines;
	tell_watcher(o, CT_SL_FLUSHED, core, core, 0, 0, 0);
	for (size_t i = 0; i < lines; i++) {
		if (w[i].used && w[i].reserved) {
			(void)forget_content(o, core, &w[i]); /* what leaves needs no memory */
			w[i].dead = 1;
		} else if (w[i].used) {
			(void)forget_line(o, core, &w[i]);
		}
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
	struct ct_sl_lines empty;
	int st = ct_sl_lines_init(&empty, o->c.cores, sets, ways, o->c.set_hash, e);
	if (st != CT_OK) {
		ct_sl_lines_free(&empty);
		return st;
	}
	ct_sl_lines_free(&o->lines);
	o->lines = empty;
	o->c.sets = sets;
	o->c.ways = ways;
	for (size_t i = 0; i < o->copies_cap; i++)
		o->copies[i].count = 0;
	for (unsigned i = 0; i < o->c.cores; i++)
		o->core[i].modified = 0;
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
