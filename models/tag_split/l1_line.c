/* One tag per line: plain lines, and the sector cache that stands for LAMAR. */
#include <stdlib.h>

#include "base/bits.h"
#include "base/mem.h"
#include "models/tag_split/l1_internal.h"

/* Lines of a set lie next to each other, tags apart from what is rarely read. */
struct frame {
	uint64_t stamp;
	uint16_t valid, touched, reused; /* chunks; valid 0: the way is free */
};

struct lines {
	uint64_t *tag;
	struct frame *frame;
};

static int init(struct ct_ts_l1 *l1)
{
	struct lines *p = l1->state = ct_calloc(1, sizeof *p);
	size_t n = (size_t)l1->s.sets * l1->s.ways;
	if (!p)
		return -1;
	p->tag = ct_calloc(n, sizeof *p->tag);
	p->frame = ct_calloc(n, sizeof *p->frame);
	return p->tag && p->frame ? 0 : -1;
}

static void release(struct ct_ts_l1 *l1)
{
	struct lines *p = l1->state;
	free(p->tag);
	free(p->frame);
	free(p);
}

enum { ABSENT = -1 };

static int64_t find(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line)
{
	const struct lines *p = l1->state;
	size_t at = (size_t)set * l1->s.ways;
	for (uint32_t w = 0; w < l1->s.ways; w++)
		if (p->tag[at + w] == line && p->frame[at + w].valid)
			return (int64_t)(at + w);
	return ABSENT;
}

static void drop(struct ct_ts_l1 *l1, struct frame *f, uint32_t chunks)
{
	ts_leave(l1, f->valid & chunks, f->touched, f->reused);
	f->valid &= (uint16_t)~chunks;
}

/* A free way, else the least recently used line, which leaves. */
static size_t make_room(struct ct_ts_l1 *l1, uint32_t set, struct ct_ts_result *r)
{
	struct lines *p = l1->state;
	size_t at = (size_t)set * l1->s.ways, oldest = at;
	for (size_t i = at; i < at + l1->s.ways; i++) {
		if (!p->frame[i].valid)
			return i;
		if (p->frame[i].stamp < p->frame[oldest].stamp)
			oldest = i;
	}
	r->replaced = 1;
	r->evicted = ts_few_bits(p->frame[oldest].valid);
	drop(l1, &p->frame[oldest], l1->all);
	return oldest;
}

static void install(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, int64_t at, uint32_t chunks,
                    uint32_t asked, struct ct_ts_result *r)
{
	struct lines *p = l1->state;
	if (at == ABSENT) {
		at = (int64_t)make_room(l1, set, r);
		p->tag[at] = line;
	}
	struct frame *f = &p->frame[at];
	f->valid |= (uint16_t)chunks;
	f->touched = (uint16_t)((f->touched & ~chunks) | (chunks & asked));
	f->reused &= (uint16_t)~chunks;
	f->stamp = l1->clock;
}

static int load(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks, int coarse,
                struct ct_ts_result *r)
{
	struct lines *p = l1->state;
	int64_t at = find(l1, set, line);
	uint32_t valid = at == ABSENT ? 0 : p->frame[at].valid;
	(void)coarse;
	r->hit = chunks & valid;
	if (at != ABSENT) {
		struct frame *f = &p->frame[at];
		f->touched |= (uint16_t)r->hit;
		f->reused |= (uint16_t)r->hit;
		f->stamp = l1->clock;
	}
	if (r->hit == chunks)
		return CT_OK;
	r->miss = (l1->s.kind == CT_TS_LINE ? l1->all : chunks) & ~valid;
	install(l1, set, line, at, r->miss, chunks, r);
	return CT_OK;
}

static int store(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks,
                 struct ct_ts_result *r)
{
	struct lines *p = l1->state;
	int64_t at = find(l1, set, line);
	uint32_t valid = at == ABSENT ? 0 : p->frame[at].valid;
	r->hit = chunks & valid;
	switch (l1->s.store) {
	case CT_TS_STORE_EVICT:
		if (r->hit) {
			uint32_t out = l1->s.kind == CT_TS_LINE ? l1->all : chunks;
			r->evicted = ts_few_bits(valid & out);
			drop(l1, &p->frame[at], out);
		}
		break;
	case CT_TS_STORE_UPDATE:
		if (at != ABSENT)
			p->frame[at].stamp = l1->clock;
		break;
	case CT_TS_STORE_ALLOCATE:
		r->miss = chunks & ~valid;
		install(l1, set, line, at, r->miss, chunks, r);
		break;
	}
	return CT_OK;
}

static uint32_t peek(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks)
{
	const struct lines *p = l1->state;
	int64_t at = find(l1, set, line);
	return at == ABSENT ? 0 : p->frame[at].valid & chunks;
}

static void flush(struct ct_ts_l1 *l1)
{
	struct lines *p = l1->state;
	for (size_t i = 0; i < (size_t)l1->s.sets * l1->s.ways; i++)
		drop(l1, &p->frame[i], l1->all);
}

static void each(const struct ct_ts_l1 *l1, void (*fn)(void *ctx, uint64_t line, uint32_t chunk),
                 void *ctx)
{
	const struct lines *p = l1->state;
	for (size_t i = 0; i < (size_t)l1->s.sets * l1->s.ways; i++)
		for (uint32_t v = p->frame[i].valid; v; v &= v - 1)
			fn(ctx, p->tag[i], ct_low_bit(v));
}

const struct ts_ops ts_line_ops = {init, load, store, peek, flush, each, release};
