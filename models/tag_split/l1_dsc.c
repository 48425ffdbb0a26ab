/* The decoupled sectored cache (readings decoupled-sectors and dsc-geometry): a frame of a
 * line's size with several tags. Position k of the frame holds chunk k of one of them. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "models/tag_split/l1_internal.h"
#include "replay/ways.h"

struct entry {
	struct ct_way w;          /* used while any chunk is valid */
	uint16_t touched, reused; /* chunks */
};

struct dsc {
	struct entry *entry; /* [set][frame][tag] */
};

static int dsc_init(struct ct_ts_l1 *l1)
{
	struct dsc *p = l1->state = ct_calloc(1, sizeof *p);
	if (!p)
		return -1;
	p->entry = ct_calloc((size_t)l1->s.sets * l1->s.ways * l1->s.tags, sizeof *p->entry);
	return p->entry ? 0 : -1;
}

static void dsc_release(struct ct_ts_l1 *l1)
{
	struct dsc *p = l1->state;
	free(p->entry);
	free(p);
}

static struct entry *set_of(const struct ct_ts_l1 *l1, uint32_t set)
{
	struct dsc *p = l1->state;
	return p->entry + (size_t)set * l1->s.ways * l1->s.tags;
}

static struct entry *find_tag(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line)
{
	return (struct entry *)ct_way_find(
		set_of(l1, set), sizeof(struct entry), l1->s.ways * l1->s.tags, line);
}

static void drop_chunks(struct ct_ts_l1 *l1, struct entry *t, uint32_t chunks, struct ct_ts_result *r)
{
	uint32_t out = t->w.valid & chunks;
	ts_leave(l1, out, t->touched, t->reused);
	r->evicted += ts_few_bits(out);
	t->w.valid &= ~chunks;
	t->w.used = t->w.valid != 0;
}

/* Positions of a frame that are taken. */
static uint32_t taken_positions(const struct ct_ts_l1 *l1, const struct entry *frame)
{
	uint32_t m = 0;
	for (uint32_t i = 0; i < l1->s.tags; i++)
		m |= frame[i].w.valid;
	return m;
}

/* A free tag of the frame, else that of the line used least recently. */
static struct entry *oldest_tag(const struct ct_ts_l1 *l1, struct entry *frame)
{
	return (struct entry *)ct_way_victim(frame, sizeof *frame, l1->s.tags);
}

/* The frame with most of the positions free; of equals the one with a free tag, or with
 * the least recent line. */
static struct entry *choose_frame(const struct ct_ts_l1 *l1, uint32_t set, uint32_t chunks)
{
	struct entry *t = set_of(l1, set), *best = NULL;
	unsigned best_free = 0;
	uint64_t best_stamp = 0;
	for (uint32_t f = 0; f < l1->s.ways; f++) {
		struct entry *frame = t + (size_t)f * l1->s.tags, *o = oldest_tag(l1, frame);
		unsigned n = ts_few_bits(chunks & ~taken_positions(l1, frame));
		uint64_t stamp = o->w.valid ? o->w.stamp : 0;
		if (!best || n > best_free || (n == best_free && stamp < best_stamp)) {
			best = frame;
			best_free = n;
			best_stamp = stamp;
		}
	}
	return best;
}

/* Takes positions from the other tags of the frame; each that loses one is a round of
 * replacement. */
static void claim_positions(struct ct_ts_l1 *l1, struct entry *frame, struct entry *mine,
                            uint32_t chunks, struct ct_ts_result *r)
{
	for (uint32_t i = 0; i < l1->s.tags; i++)
		if (&frame[i] != mine && frame[i].w.valid & chunks) {
			drop_chunks(l1, &frame[i], chunks, r);
			r->replaced++;
		}
}

static struct entry *frame_of(const struct ct_ts_l1 *l1, uint32_t set, struct entry *t)
{
	struct entry *base = set_of(l1, set);
	return base + (size_t)(t - base) / l1->s.tags * l1->s.tags;
}

static struct entry *enter_line(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks,
                                struct ct_ts_result *r)
{
	struct entry *t = oldest_tag(l1, choose_frame(l1, set, chunks));
	if (t->w.valid) {
		drop_chunks(l1, t, l1->all, r);
		r->replaced++;
	}
	t->w.line = line;
	return t;
}

/* Chunks that miss take their positions of one frame from other tags, each of which that loses one is
 * a round of replacement. */
static int dsc_load(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks, int coarse,
                    struct ct_ts_result *r)
{
	struct entry *t = find_tag(l1, set, line);
	(void)coarse;
	r->hit = t ? t->w.valid & chunks : 0;
	r->miss = chunks & ~r->hit;
	if (t) {
		t->touched |= (uint16_t)r->hit;
		t->reused |= (uint16_t)r->hit;
	}
	if (r->miss) {
		if (!t)
			t = enter_line(l1, set, line, r->miss, r);
		claim_positions(l1, frame_of(l1, set, t), t, r->miss, r);
		t->w.valid |= r->miss;
		t->w.used = 1;
		t->touched |= (uint16_t)r->miss;
		t->reused &= (uint16_t)~r->miss;
	}
	t->w.stamp = l1->clock;
	return CT_OK;
}

static int dsc_store(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks,
                     struct ct_ts_result *r)
{
	struct entry *t = find_tag(l1, set, line);
	r->hit = t ? t->w.valid & chunks : 0;
	if (r->hit && l1->s.store == CT_TS_STORE_EVICT)
		drop_chunks(l1, t, chunks, r);
	return CT_OK;
}

static uint32_t dsc_peek(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks)
{
	const struct entry *t = find_tag(l1, set, line);
	return t ? t->w.valid & chunks : 0;
}

static void dsc_flush(struct ct_ts_l1 *l1)
{
	struct dsc *p = l1->state;
	struct ct_ts_result r = {0};
	for (size_t i = 0; i < (size_t)l1->s.sets * l1->s.ways * l1->s.tags; i++)
		if (p->entry[i].w.valid)
			drop_chunks(l1, &p->entry[i], l1->all, &r);
}

static void dsc_each(const struct ct_ts_l1 *l1, void (*fn)(void *ctx, uint64_t line, uint32_t chunk),
                     void *ctx)
{
	const struct dsc *p = l1->state;
	for (size_t i = 0; i < (size_t)l1->s.sets * l1->s.ways * l1->s.tags; i++)
		for (uint32_t v = p->entry[i].w.valid; v; v &= v - 1)
			fn(ctx, p->entry[i].w.line, ct_low_bit(v));
}

static void dsc_near(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line)
{
	(void)line;
	ts_near_bytes(set_of(l1, set), (size_t)l1->s.ways * l1->s.tags * sizeof(struct entry));
}

const struct ts_ops ts_dsc_ops = {
	dsc_init, dsc_load, dsc_store, dsc_peek, dsc_flush, dsc_each, dsc_release, dsc_near,
};
