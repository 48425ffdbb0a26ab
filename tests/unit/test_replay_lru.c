/* The caches of the cheap engine against one that is searched way by way, as doc/replay.md section 6
 * describes it where every fill comes at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "replay/private/lru.h"

enum { MAX_LINES = 512, SECTORS = 4 };

struct slow_line {
	uint64_t tag;
	uint32_t touched;
	int valid[SECTORS], modified[SECTORS], unreadable[SECTORS];
	uint32_t bytes[SECTORS], due[SECTORS];
};

struct slow {
	uint32_t sets, ways, fifo, percent;
	struct slow_line line[MAX_LINES];
};

static int any(const int *v)
{
	for (int s = 0; s < SECTORS; s++)
		if (v[s])
			return 1;
	return 0;
}

static uint32_t slow_find(const struct slow *c, uint32_t set, uint64_t tag)
{
	for (uint32_t i = set * c->ways; i < (set + 1) * c->ways; i++)
		if (any(c->line[i].valid) && c->line[i].tag == tag)
			return i;
	return RP_LRU_NONE;
}

/* The last absent way, else the one touched longest ago (the first on ties), modified ones only
 * when enough are or all. */
static uint32_t slow_victim(const struct slow *c, uint32_t set)
{
	uint32_t modified = 0, lines = c->sets * c->ways, best = RP_LRU_NONE, oldest = RP_LRU_NONE;
	for (uint32_t i = 0; i < lines; i++)
		modified += (uint32_t)any(c->line[i].modified);
	int protect = 100 * modified / lines < c->percent;
	for (uint32_t i = (set + 1) * c->ways; i-- > set * c->ways;) {
		const struct slow_line *l = &c->line[i];
		if (!any(l->valid))
			return i;
		if (oldest == RP_LRU_NONE || l->touched <= c->line[oldest].touched)
			oldest = i;
		if (!(protect && any(l->modified)) &&
		    (best == RP_LRU_NONE || l->touched <= c->line[best].touched))
			best = i;
	}
	return best == RP_LRU_NONE ? oldest : best;
}

static void same(const struct slow *c, const struct rp_lru *t)
{
	for (uint32_t i = 0; i < c->sets * c->ways; i++) {
		const struct slow_line *l = &c->line[i];
		const struct rp_entry *e = rp_lru_at(t, i);
		assert_int_equal(e->used, any(l->valid));
		for (int s = 0; e->used && s < SECTORS; s++) {
			assert_int_equal(e->tag, l->tag);
			assert_int_equal(e->valid >> s & 1, l->valid[s]);
			assert_int_equal(e->modified >> s & 1, l->modified[s]);
			assert_int_equal(e->unreadable >> s & 1, l->unreadable[s]);
			assert_int_equal(e->due[s], l->due[s]);
		}
	}
}

static void slow_store(struct slow_line *l, int s, uint32_t bytes)
{
	l->bytes[s] |= bytes;
	l->unreadable[s] = !(l->valid[s] && !l->unreadable[s]) && l->bytes[s] != 0xffffffffu;
	l->valid[s] = l->modified[s] = 1;
}

/* A fill, a store or a sector that goes. */
static void change(struct slow_line *l, struct rp_lru *t, uint32_t i, int s, uint32_t what, uint32_t now)
{
	if (what < 4) {
		rp_lru_fill(rp_lru_at(t, i), 1u << s);
		rp_lru_at(t, i)->due[s] = l->due[s] = now + 100;
		l->valid[s] = 1;
		l->unreadable[s] = 0;
	} else if (what < 8) {
		static const uint32_t stored[] = {0xffffffffu, 0xffffu << 16, 0xffffu, 0};
		uint32_t bytes = stored[what - 4];
		slow_store(l, s, bytes);
		rp_lru_store(t, i, (uint32_t)s, bytes);
	} else {
		l->valid[s] = l->modified[s] = l->unreadable[s] = 0;
		l->bytes[s] = 0;
		rp_lru_drop(t, i, 1u << s);
	}
}

static void step(struct slow *c, struct rp_lru *t, uint64_t *seed, uint32_t now)
{
	uint64_t tag = ct_rand64(seed) % (c->sets * c->ways * 2);
	uint32_t set = (uint32_t)(tag % c->sets), what = (uint32_t)(ct_rand64(seed) % 9);
	uint32_t i = slow_find(c, set, tag);
	assert_int_equal(rp_lru_find(t, set, tag), i);
	if (i == RP_LRU_NONE) {
		i = slow_victim(c, set);
		assert_int_equal(rp_lru_victim(t, set), i);
		memset(&c->line[i], 0, sizeof c->line[i]);
		c->line[i].tag = tag;
		c->line[i].touched = now;
		rp_lru_allocate(t, set, i, tag, now);
		what &= 3; /* it comes with a sector */
	} else {
		if (!c->fifo)
			c->line[i].touched = now;
		rp_lru_touch(t, set, i, now);
	}
	change(&c->line[i], t, i, (int)(ct_rand64(seed) % SECTORS), what, now);
}

static void twin(uint32_t sets, uint32_t ways, uint32_t fifo, uint32_t percent, uint32_t stamp)
{
	static struct slow c;
	struct ct_pool pool = {0};
	struct rp_lru t;
	uint64_t seed = sets * 1000 + ways + percent;
	c = (struct slow){.sets = sets, .ways = ways, .fifo = fifo, .percent = percent};
	assert_int_equal(rp_lru_init(&t, MAX_LINES, SECTORS, 1, fifo, percent, &pool, NULL), 0);
	rp_lru_shape(&t, sets, ways);
	for (uint32_t s = 0; s < sets; s++)
		t.set[s].stamp = stamp;
	for (uint32_t k = 1, now = 0; k <= 20000; k++) {
		now += (uint32_t)(ct_rand64(&seed) % 3 == 0); /* often the same cycle */
		step(&c, &t, &seed, now);
		if (k % 500 == 0)
			same(&c, &t);
		if (k % 9000 == 0) {
			memset(c.line, 0, sizeof c.line);
			rp_lru_flush(&t);
		}
	}
	ct_pool_free(&pool);
}

static void one_set(void **state)
{
	(void)state;
	twin(1, 16, 0, 25, 0);
	twin(1, 70, 0, 50, 0);
}

/* Found by the tags of the set, a block of them and fewer. */
static void few_ways(void **state)
{
	(void)state;
	twin(16, 16, 0, 25, 0);
	twin(8, 4, 0, 25, 0);
	twin(5, 3, 0, 0, 0);
}

/* Tags whose low bits are the same. */
static void tags_alike(void **state)
{
	struct ct_pool pool = {0};
	struct rp_lru t;
	(void)state;
	assert_int_equal(rp_lru_init(&t, 8, 4, 1, 0, 0, &pool, NULL), 0);
	rp_lru_shape(&t, 2, 4);
	for (uint64_t k = 0; k < 4; k++)
		rp_lru_allocate(&t, 1, rp_lru_victim(&t, 1), k << 32 | 5, (uint32_t)k);
	for (uint64_t k = 0; k < 4; k++)
		assert_int_equal(rp_lru_at(&t, rp_lru_find(&t, 1, k << 32 | 5))->tag, k << 32 | 5);
	assert_int_equal(rp_lru_find(&t, 1, UINT64_C(4) << 32 | 5), RP_LRU_NONE);
	assert_int_equal(rp_lru_find(&t, 0, 0), RP_LRU_NONE);
	ct_pool_free(&pool);
}

static void some_sets(void **state)
{
	(void)state;
	twin(4, 64, 0, 25, 0);
	twin(3, 24, 0, 0, 0);
}

static void first_in_first_out(void **state)
{
	(void)state;
	twin(2, 16, 1, 25, 0);
}

/* Stamps run out in the middle. */
static void renumbered(void **state)
{
	(void)state;
	twin(2, 32, 0, 25, UINT32_MAX - 700);
}

static void rebased(void **state)
{
	struct ct_pool pool = {0};
	struct rp_lru t;
	(void)state;
	assert_int_equal(rp_lru_init(&t, 8, 8, 1, 0, 0, &pool, NULL), 0);
	rp_lru_shape(&t, 2, 2);
	rp_lru_at(&t, 3)->due[7] = 1000;
	rp_lru_at(&t, 0)->due[1] = 300;
	rp_lru_rebase(&t, 400);
	assert_int_equal(rp_lru_at(&t, 3)->due[7], 600);
	assert_int_equal(rp_lru_at(&t, 0)->due[1], 0);
	ct_pool_free(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_set),
		cmocka_unit_test(few_ways),
		cmocka_unit_test(tags_alike),
		cmocka_unit_test(some_sets),
		cmocka_unit_test(first_in_first_out),
		cmocka_unit_test(renumbered),
		cmocka_unit_test(rebased),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
