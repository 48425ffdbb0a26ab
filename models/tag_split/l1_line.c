/* One tag per line: plain lines, and the sector cache that stands for LAMAR. */
#include <stdlib.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "models/tag_split/l1_internal.h"
#include "replay/ways.h"

enum { SEARCHED_WAYS = 16 /* larger sets are linked: today's L1s have 256 ways */ };

/* Lines of a set lie next to each other, two in a line of the host. Where sets are linked, frames name each other as index +
 * 1, 0 = none. */
struct frame {
	/* stamp: of a set that is searched, else the neighbours in order of use (older_of()); used while any chunk is valid */
	struct ct_way w;
	uint16_t touched, reused; /* chunks */
	uint32_t next;            /* in the bucket of the line; of free frames, in the set's list */
};

struct set {
	uint32_t oldest, youngest;
	uint32_t free;  /* frames that were used and are free again */
	uint32_t fresh; /* frames that were ever used */
};

struct lines {
	struct frame *frame;
	uint32_t *bucket; /* NULL: sets are searched; else also the next */
	struct set *set;
	size_t buckets; /* a power of two */
};

/* Small sets are searched; large ones have a hash of all lines and a list of each set by recency. */
static int line_init(struct ct_ts_l1 *l1)
{
	struct lines *p = l1->state = ct_calloc(1, sizeof *p);
	size_t n = (size_t)l1->s.sets * l1->s.ways;
	if (!p)
		return -1;
	p->frame = ct_calloc_aligned(n, sizeof *p->frame);
	if (!p->frame || n >= UINT32_MAX)
		return -1;
	if (l1->s.ways <= SEARCHED_WAYS)
		return 0;
	for (p->buckets = 1; p->buckets < n; p->buckets *= 2)
		;
	p->set = ct_calloc(l1->s.sets, sizeof *p->set);
	p->bucket = ct_calloc(p->buckets, sizeof *p->bucket);
	return p->set && p->bucket ? 0 : -1;
}

static void line_release(struct ct_ts_l1 *l1)
{
	struct lines *p = l1->state;
	free(p->frame);
	free(p->set);
	free(p->bucket);
	free(p);
}

/* ---- linked sets ---- */

static uint32_t *bucket_of(const struct lines *p, uint64_t line)
{
	return &p->bucket[ct_mix64(line) & (p->buckets - 1)];
}

static uint32_t older_of(const struct frame *f)
{
	return (uint32_t)f->w.stamp;
}

static uint32_t younger_of(const struct frame *f)
{
	return (uint32_t)(f->w.stamp >> 32);
}

static void set_neighbours(struct frame *f, uint32_t older, uint32_t younger)
{
	f->w.stamp = (uint64_t)younger << 32 | older;
}

static void unlink_frame(struct lines *p, struct set *s, uint32_t i)
{
	const struct frame *f = &p->frame[i - 1];
	uint32_t older = older_of(f), younger = younger_of(f);
	if (older)
		set_neighbours(&p->frame[older - 1], older_of(&p->frame[older - 1]), younger);
	else
		s->oldest = younger;
	if (younger)
		set_neighbours(&p->frame[younger - 1], older, younger_of(&p->frame[younger - 1]));
	else
		s->youngest = older;
}

static void make_youngest(struct lines *p, struct set *s, uint32_t i)
{
	set_neighbours(&p->frame[i - 1], s->youngest, 0);
	if (s->youngest)
		set_neighbours(&p->frame[s->youngest - 1], older_of(&p->frame[s->youngest - 1]), i);
	else
		s->oldest = i;
	s->youngest = i;
}

static void unlink_line(struct lines *p, struct set *s, uint32_t i)
{
	uint32_t *b = bucket_of(p, p->frame[i - 1].w.line);
	while (*b != i)
		b = &p->frame[*b - 1].next;
	*b = p->frame[i - 1].next;
	unlink_frame(p, s, i);
	p->frame[i - 1].next = s->free;
	s->free = i;
}

static void link_line(struct lines *p, struct set *s, uint32_t i)
{
	uint32_t *b = bucket_of(p, p->frame[i - 1].w.line);
	p->frame[i - 1].next = *b;
	*b = i;
	make_youngest(p, s, i);
}

/* A frame of the set that holds nothing, or 0. */
static uint32_t take_free(const struct ct_ts_l1 *l1, struct lines *p, uint32_t set)
{
	struct set *s = &p->set[set];
	uint32_t i = s->free;
	if (i)
		s->free = p->frame[i - 1].next;
	else if (s->fresh < l1->s.ways)
		i = set * l1->s.ways + ++s->fresh;
	return i;
}

/* ---- either kind ---- */

enum { ABSENT = -1 };

static int64_t find_line(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line)
{
	const struct lines *p = l1->state;
	size_t at = (size_t)set * l1->s.ways;
	if (p->bucket) {
		uint32_t i = *bucket_of(p, line);
		while (i && p->frame[i - 1].w.line != line)
			i = p->frame[i - 1].next;
		return (int64_t)i - 1;
	}
	const struct ct_way *w = ct_way_find(&p->frame[at], sizeof *p->frame, l1->s.ways, line);
	return w ? (const struct frame *)(const void *)w - p->frame : ABSENT;
}

static void drop_chunks(struct ct_ts_l1 *l1, size_t at, uint32_t chunks)
{
	struct lines *p = l1->state;
	struct frame *f = &p->frame[at];
	uint32_t had = f->w.valid;
	ts_leave(l1, had & chunks, f->touched, f->reused);
	f->w.valid &= ~chunks;
	f->w.used = f->w.valid != 0;
	if (p->bucket && had && !f->w.valid)
		unlink_line(p, &p->set[at / l1->s.ways], (uint32_t)at + 1);
}

static void touch_line(struct ct_ts_l1 *l1, uint32_t set, size_t at)
{
	struct lines *p = l1->state;
	if (!p->bucket) {
		p->frame[at].w.stamp = l1->clock;
		return;
	}
	struct set *s = &p->set[set];
	if (s->youngest == at + 1)
		return;
	unlink_frame(p, s, (uint32_t)at + 1);
	make_youngest(p, s, (uint32_t)at + 1);
}

/* The line leaves. */
static void evict_line(struct ct_ts_l1 *l1, size_t at, struct ct_ts_result *r)
{
	const struct lines *p = l1->state;
	r->replaced = 1;
	r->evicted = ts_few_bits(p->frame[at].w.valid);
	drop_chunks(l1, at, l1->all);
}

/* A free way, else the least recently used line, which leaves. */
static size_t make_room(struct ct_ts_l1 *l1, uint32_t set, struct ct_ts_result *r)
{
	struct lines *p = l1->state;
	size_t at = (size_t)set * l1->s.ways;
	if (p->bucket) {
		uint32_t i = take_free(l1, p, set);
		if (!i) {
			evict_line(l1, p->set[set].oldest - 1, r);
			i = take_free(l1, p, set);
		}
		return i - 1;
	}
	const struct ct_way *w = ct_way_victim(&p->frame[at], sizeof *p->frame, l1->s.ways);
	size_t victim = (size_t)((const struct frame *)(const void *)w - p->frame);
	if (w->used)
		evict_line(l1, victim, r);
	return victim;
}

/* Chunks come to the line, which takes a place if it has none, and is the youngest then. */
static void install_chunks(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, int64_t at, uint32_t chunks,
                           uint32_t asked, struct ct_ts_result *r)
{
	struct lines *p = l1->state;
	if (at == ABSENT) {
		at = (int64_t)make_room(l1, set, r);
		p->frame[at].w.line = line;
		if (p->bucket)
			link_line(p, &p->set[set], (uint32_t)at + 1);
	}
	struct frame *f = &p->frame[at];
	f->w.valid |= chunks;
	f->w.used = f->w.valid != 0;
	f->touched = (uint16_t)((f->touched & ~chunks) | (chunks & asked));
	f->reused &= (uint16_t)~chunks;
	touch_line(l1, set, (size_t)at);
}

/* A load: plain lines fetch all of a line that lacks any chunk, sectors what is missing. */
static int line_load(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks, int coarse,
                     struct ct_ts_result *r)
{
	struct lines *p = l1->state;
	int64_t at = find_line(l1, set, line);
	uint32_t valid = at == ABSENT ? 0 : p->frame[at].w.valid;
	(void)coarse;
	r->hit = chunks & valid;
	if (at != ABSENT) {
		struct frame *f = &p->frame[at];
		f->touched |= (uint16_t)r->hit;
		f->reused |= (uint16_t)r->hit;
		touch_line(l1, set, (size_t)at);
	}
	if (r->hit == chunks)
		return CT_OK;
	r->miss = (l1->s.kind == CT_TS_LINE ? l1->all : chunks) & ~valid;
	install_chunks(l1, set, line, at, r->miss, chunks, r);
	return CT_OK;
}

/* A store, by what the shape says that stores do. */
static int line_store(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks,
                      struct ct_ts_result *r)
{
	struct lines *p = l1->state;
	int64_t at = find_line(l1, set, line);
	uint32_t valid = at == ABSENT ? 0 : p->frame[at].w.valid;
	r->hit = chunks & valid;
	switch (l1->s.store) {
	case CT_TS_STORE_EVICT:
		if (r->hit) {
			uint32_t out = l1->s.kind == CT_TS_LINE ? l1->all : chunks;
			r->evicted = ts_few_bits(valid & out);
			drop_chunks(l1, (size_t)at, out);
		}
		break;
	case CT_TS_STORE_UPDATE:
		if (at != ABSENT)
			touch_line(l1, set, (size_t)at);
		break;
	case CT_TS_STORE_ALLOCATE:
		r->miss = chunks & ~valid;
		install_chunks(l1, set, line, at, r->miss, chunks, r);
		break;
	}
	return CT_OK;
}

static uint32_t line_peek(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks)
{
	const struct lines *p = l1->state;
	int64_t at = find_line(l1, set, line);
	return at == ABSENT ? 0 : p->frame[at].w.valid & chunks;
}

static void line_flush(struct ct_ts_l1 *l1)
{
	const struct lines *p = l1->state;
	for (size_t i = 0; i < (size_t)l1->s.sets * l1->s.ways; i++)
		if (p->frame[i].w.valid)
			drop_chunks(l1, i, l1->all);
}

static void line_each(const struct ct_ts_l1 *l1, void (*fn)(void *ctx, uint64_t line, uint32_t chunk),
                      void *ctx)
{
	const struct lines *p = l1->state;
	for (size_t i = 0; i < (size_t)l1->s.sets * l1->s.ways; i++)
		for (uint32_t v = p->frame[i].w.valid; v; v &= v - 1)
			fn(ctx, p->frame[i].w.line, ct_low_bit(v));
}

static void line_near(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line)
{
	const struct lines *p = l1->state;
	size_t at = (size_t)set * l1->s.ways;
	if (p->bucket) {
		TS_NEAR(bucket_of(p, line));
		return;
	}
	ts_near_bytes(&p->frame[at], l1->s.ways * sizeof *p->frame);
}

const struct ts_ops ts_line_ops = {
	line_init, line_load, line_store, line_peek, line_flush, line_each, line_release, line_near,
};
