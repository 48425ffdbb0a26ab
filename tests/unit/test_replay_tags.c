/* The tag array against a cache that is searched way by way, as doc/replay.md section 6
 * describes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "replay/private/tags.h"

enum { MAX_LINES = 1024, SECTORS = 4 };
enum state { ABSENT, RESERVED, VALID, MODIFIED };

struct slow_line {
	uint64_t tag;
	uint32_t touched;
	enum state s[SECTORS];
	int unreadable[SECTORS], back[SECTORS]; /* back: modified again when filled */
	uint32_t bytes[SECTORS];
};

struct slow {
	uint32_t sets, ways, fifo, percent;
	struct slow_line line[MAX_LINES];
};

static int any(const struct slow_line *l, enum state s)
{
	for (int i = 0; i < SECTORS; i++)
		if (l->s[i] == s)
			return 1;
	return 0;
}

static int absent(const struct slow_line *l)
{
	return !any(l, RESERVED) && !any(l, VALID) && !any(l, MODIFIED);
}

static int slow_find(const struct slow *c, uint32_t set, uint64_t tag)
{
	for (uint32_t w = 0; w < c->ways; w++) {
		const struct slow_line *l = &c->line[set * c->ways + w];
		if (!absent(l) && l->tag == tag)
			return (int)(set * c->ways + w);
	}
	return -1;
}

/* The last absent way, else the one touched longest ago (the first on ties); modified ones
 * only when the rest says so, or when there is nothing else and nothing to wait for. */
static int slow_victim(const struct slow *c, uint32_t set)
{
	uint32_t modified = 0, lines = c->sets * c->ways;
	int best = -1, empty = -1, oldest = -1, waits = 0;
	for (uint32_t i = 0; i < lines; i++)
		modified += (uint32_t)any(&c->line[i], MODIFIED);
	int protect = 100 * modified / lines < c->percent;
	for (uint32_t w = 0; w < c->ways; w++) {
		int i = (int)(set * c->ways + w);
		const struct slow_line *l = &c->line[i];
		if (absent(l))
			empty = i;
		else if (!any(l, RESERVED) && !(protect && any(l, MODIFIED)) &&
		         (best < 0 || l->touched < c->line[best].touched))
			best = i;
		waits |= any(l, RESERVED);
		if (oldest < 0 || l->touched < c->line[oldest].touched)
			oldest = i;
	}
	if (empty >= 0)
		return empty;
	return best < 0 && !waits ? oldest : best;
}

static void same(const struct slow *c, const struct rp_tags *t, uint32_t set, uint64_t tag)
{
	int i = slow_find(c, set, tag);
	uint32_t k = rp_tags_find(t, tag);
	assert_int_equal(i < 0, k == RP_NO_LINE);
	if (i < 0)
		return;
	assert_int_equal(i, k);
	for (int s = 0; s < SECTORS; s++) {
		const struct slow_line *l = &c->line[i];
		const struct rp_line *q = &t->line[k];
		assert_int_equal(l->s[s] == RESERVED, q->reserved >> s & 1);
		assert_int_equal(l->s[s] == VALID || l->s[s] == MODIFIED, q->valid >> s & 1);
		assert_int_equal(l->s[s] == MODIFIED, q->modified >> s & 1);
		assert_int_equal(l->s[s] == MODIFIED && l->unreadable[s], q->unreadable >> s & 1);
	}
}

static void slow_store(struct slow_line *l, int s, uint32_t bytes)
{
	int readable = l->s[s] == VALID || (l->s[s] == MODIFIED && !l->unreadable[s]);
	l->back[s] = l->s[s] == RESERVED || (l->s[s] == MODIFIED && l->back[s]);
	l->bytes[s] |= bytes;
	l->s[s] = MODIFIED;
	l->unreadable[s] = !readable && l->bytes[s] != 0xffffffffu;
}

/* One access: looks the sector up, makes room when it must, then one of load, fill,
 * store, drop. */
static void step(struct slow *c, struct rp_tags *t, uint64_t *seed, uint32_t now)
{
	uint64_t tag = ct_rand64(seed) % (c->sets * c->ways * 2);
	uint32_t set = (uint32_t)(tag % c->sets);
	int s = (int)(ct_rand64(seed) % SECTORS), what = (int)(ct_rand64(seed) % 8);
	int i = slow_find(c, set, tag);
	same(c, t, set, tag);
	if (i < 0) {
		i = slow_victim(c, set);
		uint32_t v = rp_tags_victim(t, set);
		assert_int_equal(i < 0, v == RP_NO_LINE);
		if (i < 0)
			return;
		assert_int_equal(i, v);
		memset(&c->line[i], 0, sizeof c->line[i]);
		c->line[i].tag = tag;
		c->line[i].touched = now;
		rp_tags_allocate(t, set, v, tag, now);
		what = what & 1 ? 0 : 4; /* an allocation comes with a sector */
	} else {
		if (!c->fifo)
			c->line[i].touched = now;
		rp_tags_touch(t, (uint32_t)i, now);
	}
	struct slow_line *l = &c->line[i];
	if (what < 3) {
		if (l->s[s] == VALID || l->s[s] == RESERVED ||
		    (l->s[s] == MODIFIED && !l->unreadable[s]))
			return;
		l->back[s] = l->s[s] == MODIFIED;
		l->s[s] = RESERVED;
		rp_tags_reserve(t, (uint32_t)i, (uint32_t)s);
	} else if (what == 3) {
		if (l->s[s] != RESERVED)
			return;
		l->s[s] = l->back[s] ? MODIFIED : VALID;
		l->unreadable[s] = l->back[s] = 0;
		rp_tags_fill(t, (uint32_t)i, (uint32_t)s, 0);
	} else if (what < 7) {
		uint32_t bytes = what == 4 ? 0xffffffffu : 0xffffu << (what == 5 ? 16 : 0);
		slow_store(l, s, bytes);
		rp_tags_store(t, (uint32_t)i, (uint32_t)s, bytes);
	} else if (!any(l, RESERVED)) {
		l->s[s] = ABSENT;
		l->bytes[s] = 0;
		rp_tags_drop(t, (uint32_t)i, 1u << s);
	}
	same(c, t, set, tag);
}

static void behaves_as_a_slow_cache(void **state)
{
	static const struct {
		uint32_t sets, ways, fifo, percent;
	} shape[] = {
		{4, 64, 0, 25}, {1, 16, 0, 0},   {8, 4, 0, 25},
		{4, 16, 1, 0},  {2, 256, 0, 25}, {16, 1, 0, 50},
	};
	(void)state;
	for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
		static struct slow c;
		struct ct_pool pool = {0};
		struct rp_tags t;
		struct ct_error e;
		uint64_t seed = 7 + k;
		memset(&c, 0, sizeof c);
		c.sets = shape[k].sets;
		c.ways = shape[k].ways;
		c.fifo = shape[k].fifo;
		c.percent = shape[k].percent;
		assert_int_equal(rp_tags_init(&t, MAX_LINES, SECTORS, c.fifo, c.percent, &pool, &e), 0);
		rp_tags_shape(&t, c.sets, c.ways);
		for (uint32_t n = 0; n < 20000; n++) {
			step(&c, &t, &seed, 1 + n / 3); /* three accesses a cycle: ties */
			for (uint32_t s = 0; n == 10000 && s < c.sets; s++)
				t.set[s].stamp = UINT32_MAX - 7; /* stamps run out soon */
		}
		rp_tags_flush(&t);
		for (uint64_t tag = 0; tag < 2 * c.sets * c.ways; tag++)
			assert_int_equal(rp_tags_find(&t, tag), RP_NO_LINE);
		ct_pool_free(&pool);
	}
}

enum { FEW_TAGS = 64 };

/* One access to a sector whose fill may be on its way (*coming, of *open in all), as a cache with MSHRs makes it. */
static void access_with_fills(struct rp_tags *t, uint64_t tag, int s, int what, uint32_t now,
                              uint8_t *coming, uint32_t *open)
{
	uint32_t set = (uint32_t)(tag % t->sets), bit = 1u << s, i = rp_tags_find(t, tag);
	if (what == 2 && *coming) {
		*coming = 0;
		if (i != RP_NO_LINE && ((t->line[i].reserved | t->line[i].fill_modified) & bit))
			rp_tags_fill(t, i, (uint32_t)s, 0);
		if (!--*open)
			t->strays = 0;
	}
	if (what >= 2)
		return;
	if (i == RP_NO_LINE) {
		i = rp_tags_victim(t, set);
		if (i == RP_NO_LINE)
			return;
		rp_tags_allocate(t, set, i, tag, now);
	}
	if (what == 1) {
		rp_tags_store(t, i, (uint32_t)s, 0xffffu);
	} else if (!(t->line[i].reserved & bit) && !(rp_load_hits(&t->line[i]) & bit)) {
		rp_tags_reserve(t, i, (uint32_t)s);
		*open += !*coming;
		*coming = 1;
	}
}

/* A sector whose fill is on its way is reserved, or the tags say that it may come; of most others they say that it does
 * not. */
static void knows_what_may_come(void **state)
{
	static uint8_t coming[FEW_TAGS][SECTORS];
	struct ct_pool pool = {0};
	struct rp_tags t;
	struct ct_error e;
	uint64_t seed = 11;
	uint32_t open = 0, never = 0;
	(void)state;
	assert_int_equal(rp_tags_init(&t, MAX_LINES, SECTORS, 0, 0, &pool, &e), 0);
	rp_tags_shape(&t, 4, 8);
	for (uint32_t n = 0; n < 20000; n++) {
		uint64_t tag = ct_rand64(&seed) % FEW_TAGS;
		int s = (int)(ct_rand64(&seed) % SECTORS), what = (int)(ct_rand64(&seed) % 6);
		what = what > 3 ? 2 : what == 3 ? 0 : what; /* as many fills as loads */
		access_with_fills(&t, tag, s, what, n, &coming[tag][s], &open);
		if (n % 5000 == 4999)
			rp_tags_flush(&t);
		for (uint64_t k = 0; k < FEW_TAGS * SECTORS; k++) {
			uint32_t i = rp_tags_find(&t, k / SECTORS), bit = 1u << k % SECTORS;
			int reserved = i != RP_NO_LINE && (t.line[i].reserved & bit);
			int may_come = rp_tags_may_come(&t, i, bit);
			if (coming[k / SECTORS][k % SECTORS])
				assert_true(reserved || may_come);
			else
				never += !may_come;
		}
	}
	assert_true(never > 0);
	ct_pool_free(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behaves_as_a_slow_cache), cmocka_unit_test(knows_what_may_come)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
