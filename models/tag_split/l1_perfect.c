/* The perfect cache: every line stays, over launches too, so that only first touches
 * miss. Stores change nothing. And the ideal one, in which those hit, too. */
#include <stdlib.h>

#include "base/bits.h"
#include "base/keyed.h"
#include "base/mem.h"
#include "models/tag_split/l1_internal.h"

/* The lines that were touched: entries that are nothing but their key. */
enum { ENTRY = sizeof(uint64_t) };

static int perfect_init(struct ct_ts_l1 *l1)
{
	struct ct_keyed *p = l1->state = ct_calloc(1, sizeof *p);
	return p ? ct_keyed_reserve(p, ENTRY) : -1;
}

static void perfect_release(struct ct_ts_l1 *l1)
{
	ct_keyed_free(l1->state);
	free(l1->state);
}

/* The first access of a line misses, and brings all of it. */
static int perfect_load(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks, int coarse,
                        struct ct_ts_result *r)
{
	struct ct_keyed *p = l1->state;
	void *x = ct_keyed_find(p, ENTRY, line);
	(void)set;
	(void)coarse;
	if (!ct_keyed_is_free(x)) {
		r->hit = chunks;
		return CT_OK;
	}
	r->miss = l1->all;
	ct_keyed_enter(p, x, line);
	return ct_keyed_reserve(p, ENTRY) < 0 ? CT_ERR_NOMEM : CT_OK;
}

static uint32_t perfect_peek(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks)
{
	(void)set;
	return ct_keyed_is_free(ct_keyed_find(l1->state, ENTRY, line)) ? 0 : chunks;
}

static int perfect_store(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks,
                         struct ct_ts_result *r)
{
	r->hit = perfect_peek(l1, set, line, chunks);
	return CT_OK;
}

static void perfect_flush(struct ct_ts_l1 *l1)
{
	(void)l1;
}

static void perfect_each(const struct ct_ts_l1 *l1, void (*fn)(void *ctx, uint64_t line, uint32_t chunk),
                         void *ctx)
{
	const struct ct_keyed *p = l1->state;
	for (size_t i = 0; i < p->slots; i++) {
		uint64_t mark = ct_keyed_mark((const char *)p->slot + i * ENTRY);
		for (uint32_t k = 0; mark && k < l1->per; k++)
			fn(ctx, mark - 1, k);
	}
}

static void perfect_near(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line)
{
	(void)set;
	TS_NEAR(ct_keyed_home(l1->state, ENTRY, line));
}

const struct ts_ops ts_perfect_ops = {
	perfect_init,  perfect_load, perfect_store,   perfect_peek,
	perfect_flush, perfect_each, perfect_release, perfect_near,
};

/* ---- the ideal cache: nothing to keep ---- */

static int ideal_init(struct ct_ts_l1 *l1)
{
	l1->state = NULL;
	return 0;
}

static int ideal_load(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks, int coarse,
                      struct ct_ts_result *r)
{
	(void)l1;
	(void)set;
	(void)line;
	(void)coarse;
	r->hit = chunks;
	return CT_OK;
}

static int ideal_store(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks,
                       struct ct_ts_result *r)
{
	return ideal_load(l1, set, line, chunks, 0, r);
}

static uint32_t ideal_peek(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks)
{
	(void)l1;
	(void)set;
	(void)line;
	return chunks;
}

static void ideal_each(const struct ct_ts_l1 *l1, void (*fn)(void *ctx, uint64_t line, uint32_t chunk),
                       void *ctx)
{
	(void)l1;
	(void)fn;
	(void)ctx;
}

static void ideal_release(struct ct_ts_l1 *l1)
{
	(void)l1;
}

static void ideal_near(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line)
{
	(void)l1;
	(void)set;
	(void)line;
}

const struct ts_ops ts_ideal_ops = {
	ideal_init,    ideal_load, ideal_store,   ideal_peek,
	perfect_flush, ideal_each, ideal_release, ideal_near,
};
