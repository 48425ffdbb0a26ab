/* The perfect cache: every line stays, over launches too, so that only first touches
 * miss. Stores change nothing. */
#include <stdlib.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"
#include "models/tag_split/l1_internal.h"

enum { FIRST_SLOTS = 64 };

/* Open addressing; 0 = empty, else line + 1. */
struct known {
	uint64_t *slot;
	size_t slots, lines;
};

static int perfect_init(struct ct_ts_l1 *l1)
{
	struct known *p = l1->state = ct_calloc(1, sizeof *p);
	if (!p)
		return -1;
	p->slots = FIRST_SLOTS;
	p->slot = ct_calloc(p->slots, sizeof *p->slot);
	return p->slot ? 0 : -1;
}

static void perfect_release(struct ct_ts_l1 *l1)
{
	struct known *p = l1->state;
	free(p->slot);
	free(p);
}

static size_t slot_of(const struct known *p, uint64_t line)
{
	size_t i = ct_mix64(line) & (p->slots - 1);
	while (p->slot[i] && p->slot[i] != line + 1)
		i = (i + 1) & (p->slots - 1);
	return i;
}

static int grow_slots(struct known *p)
{
	struct known old = *p;
	uint64_t *slot = ct_calloc(old.slots * 2, sizeof *slot);
	if (!slot)
		return -1;
	p->slot = slot;
	p->slots = old.slots * 2;
	for (size_t i = 0; i < old.slots; i++)
		if (old.slot[i])
			p->slot[slot_of(p, old.slot[i] - 1)] = old.slot[i];
	free(old.slot);
	return 0;
}

/* The first access of a line misses, and brings all of it. */
static int perfect_load(struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks, int coarse,
                        struct ct_ts_result *r)
{
	struct known *p = l1->state;
	size_t i = slot_of(p, line);
	(void)set;
	(void)coarse;
	if (p->slot[i]) {
		r->hit = chunks;
		return CT_OK;
	}
	r->miss = l1->all;
	p->slot[i] = line + 1;
	p->lines++;
	return p->lines * 2 > p->slots && grow_slots(p) < 0 ? CT_ERR_NOMEM : CT_OK;
}

static uint32_t perfect_peek(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line, uint32_t chunks)
{
	const struct known *p = l1->state;
	(void)set;
	return p->slot[slot_of(p, line)] ? chunks : 0;
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
	const struct known *p = l1->state;
	for (size_t i = 0; i < p->slots; i++)
		for (uint32_t k = 0; p->slot[i] && k < l1->per; k++)
			fn(ctx, p->slot[i] - 1, k);
}

static void perfect_near(const struct ct_ts_l1 *l1, uint32_t set, uint64_t line)
{
	const struct known *p = l1->state;
	(void)set;
	TS_NEAR(&p->slot[ct_mix64(line) & (p->slots - 1)]);
}

const struct ts_ops ts_perfect_ops = {
	perfect_init, perfect_load, perfect_store, perfect_peek,
	perfect_flush, perfect_each, perfect_release, perfect_near,
};
