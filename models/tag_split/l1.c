#include "models/tag_split/l1_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/mem.h"
#include "gpu/address.h"

static int power_of_two(uint32_t v)
{
	return v && !(v & (v - 1));
}

/* Whether the organisation can be built. CT_OK, or CT_ERR_USAGE with the reason. */
static int check_shape(const struct ct_ts_shape *s, struct ct_error *e)
{
	if (!power_of_two(s->line) || !power_of_two(s->chunk) || s->chunk > s->line ||
	    s->line / s->chunk > CT_TS_CHUNKS_MAX)
		return ct_fail(e, CT_ERR_USAGE,
		               "lines of %u bytes in chunks of %u: use powers of two, at "
		               "most %d chunks per line",
		               s->line, s->chunk, CT_TS_CHUNKS_MAX);
	if (!s->sets || !s->ways)
		return ct_fail(e, CT_ERR_USAGE, "an L1 of no lines: give it at least one set and way");
	if (s->private_bits > s->tag_bits || s->tag_bits > 57)
		return ct_fail(e, CT_ERR_USAGE,
		               "%u private bits of a tag of %u: use at most all of them",
		               s->private_bits, s->tag_bits);
	if (s->kind == CT_TS_SPLIT && ct_ts_set_places(s) > CT_TS_SLOTS_MAX)
		return ct_fail(e, CT_ERR_USAGE, "%u chunks per set: use at most %d", ct_ts_set_places(s),
		               CT_TS_SLOTS_MAX);
	if (s->kind == CT_TS_DSC && (s->tags < 1 || s->tags > 64))
		return ct_fail(e, CT_ERR_USAGE, "%u tags per frame: use 1 to 64", s->tags);
	return CT_OK;
}

static const struct ts_ops *ops_of(enum ct_ts_kind k)
{
	switch (k) {
	case CT_TS_SPLIT: return &ts_split_ops;
	case CT_TS_DSC: return &ts_dsc_ops;
	case CT_TS_PERFECT: return &ts_perfect_ops;
	case CT_TS_IDEAL: return &ts_ideal_ops;
	default: return &ts_line_ops;
	}
}

int ct_ts_l1_new(struct ct_ts_l1 **out, const struct ct_ts_shape *s, struct ct_error *e)
{
	int st = check_shape(s, e);
	*out = NULL;
	if (st != CT_OK)
		return st;
	struct ct_ts_l1 *l1 = ct_calloc(1, sizeof *l1);
	if (!l1)
		return ct_fail_nomem(e);
	l1->s = *s;
	l1->ops = ops_of(s->kind);
	l1->per = s->line / s->chunk;
	l1->all = (uint32_t)((UINT64_C(1) << l1->per) - 1);
	l1->chunk_bits = ct_low_bit(l1->per);
	l1->random = s->seed;
	if (l1->ops->init(l1) < 0) {
		ct_ts_l1_free(l1);
		return ct_fail_nomem(e);
	}
	*out = l1;
	return CT_OK;
}

void ct_ts_l1_free(struct ct_ts_l1 *l1)
{
	if (!l1)
		return;
	if (l1->state)
		l1->ops->release(l1);
	free(l1);
}

const struct ct_ts_shape *ct_ts_l1_shape(const struct ct_ts_l1 *l1)
{
	return &l1->s;
}

uint32_t ct_ts_l1_set(const struct ct_ts_l1 *l1, uint64_t line)
{
	return ct_set_index(l1->s.hash, l1->s.sets, line);
}

int ts_load_in(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks, int coarse,
               struct ct_ts_result *r)
{
	memset(r, 0, sizeof *r);
	l1->clock++;
	return l1->ops->load(l1, set, line, chunks & l1->all, coarse, r);
}

int ts_store_in(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks,
                struct ct_ts_result *r)
{
	memset(r, 0, sizeof *r);
	l1->clock++;
	return l1->ops->store(l1, set, line, chunks & l1->all, r);
}

int ct_ts_l1_load(struct ct_ts_l1 *l1, uint64_t line, uint32_t chunks, int coarse,
                  struct ct_ts_result *r)
{
	return ts_load_in(l1, ct_ts_l1_set(l1, line), line, chunks, coarse, r);
}

int ct_ts_l1_store(struct ct_ts_l1 *l1, uint64_t line, uint32_t chunks, struct ct_ts_result *r)
{
	return ts_store_in(l1, ct_ts_l1_set(l1, line), line, chunks, r);
}

uint32_t ct_ts_l1_peek(const struct ct_ts_l1 *l1, uint64_t line, uint32_t chunks)
{
	return ts_peek_in(l1, ct_ts_l1_set(l1, line), line, chunks);
}

void ct_ts_l1_flush(struct ct_ts_l1 *l1)
{
	if (l1->clock == l1->flushed)
		return;
	l1->ops->flush(l1);
	l1->flushed = l1->clock;
}

void ct_ts_l1_collect(struct ct_ts_l1 *l1, struct ct_ts_use *u)
{
	u->fetched += l1->use.fetched;
	u->touched += l1->use.touched;
	u->reused += l1->use.reused;
	memset(&l1->use, 0, sizeof l1->use);
}

static void count_one(void *ctx, uint64_t line, uint32_t chunk)
{
	(void)line;
	(void)chunk;
	++*(uint64_t *)ctx;
}

uint64_t ct_ts_l1_cached(const struct ct_ts_l1 *l1)
{
	uint64_t n = 0;
	l1->ops->each(l1, count_one, &n);
	return n;
}

void ct_ts_l1_each(const struct ct_ts_l1 *l1, void (*fn)(void *ctx, uint64_t line, uint32_t chunk),
                   void *ctx)
{
	l1->ops->each(l1, fn, ctx);
}

void ts_leave(struct ct_ts_l1 *l1, uint32_t chunks, uint32_t touched, uint32_t reused)
{
	if (!chunks)
		return;
	l1->use.fetched += ts_few_bits(chunks);
	l1->use.touched += ts_few_bits(chunks & touched);
	l1->use.reused += ts_few_bits(chunks & reused);
}
