/* Extended sets and their filters, bit by bit, against a list-based twin. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "models/morpheus/extset.h"
#include "models/morpheus/filter.h"

static struct ct_mo_set *new_set(unsigned registers, unsigned blocks, enum ct_mo_lru lru, unsigned bits)
{
	struct ct_error e;
	struct ct_mo_set_params p = {registers, blocks, lru, bits};
	struct ct_mo_set *s = ct_mo_set_new(&p, &e);
	assert_non_null(s);
	return s;
}

static struct ct_mo_filters *
new_filters(unsigned bits, unsigned hashes, enum ct_mo_hash kind, uint64_t sets)
{
	struct ct_error e;
	struct ct_mo_filter_params p = {bits, hashes, kind};
	struct ct_mo_filters *f = ct_mo_filters_new(&p, sets, &e);
	assert_non_null(f);
	return f;
}

/* A skewed stream with phases. */
static uint64_t draw(uint64_t *rng, unsigned blocks)
{
	uint64_t r = ct_rand64(rng), a = r % blocks, b = (r >> 20) % blocks;
	return (r >> 60) < 3 ? a + blocks : (a < b ? a : b);
}

static void exact_lru_is_lru(void **state)
{
	(void)state;
	enum { WAYS = 13 };
	struct ct_mo_set *s = new_set(WAYS, WAYS, CT_MO_LRU_EXACT, 0);
	uint64_t list[WAYS], rng = 3;
	unsigned len = 0, dirty_seen = 0;
	unsigned char dirty[256] = {0};
	for (int t = 0; t < 20000; t++) {
		uint64_t b = draw(&rng, 40), victim = UINT64_MAX;
		int is_write = (ct_rand64(&rng) & 3) == 0;
		unsigned i = 0;
		while (i < len && list[i] != b)
			i++;
		int hit = i < len;
		if (!hit && len == WAYS)
			victim = list[WAYS - 1];
		if (!hit)
			i = len < WAYS ? len++ : WAYS - 1;
		memmove(list + 1, list, i * sizeof *list);
		list[0] = b;
		struct ct_mo_victims v;
		assert_int_equal(ct_mo_set_holds(s, b), hit);
		assert_int_equal(ct_mo_set_access(s, b, is_write, CT_MO_LEVEL_NONE, &v), hit);
		assert_int_equal(v.evicted, victim != UINT64_MAX);
		if (victim != UINT64_MAX) {
			assert_int_equal(v.dirty, dirty[victim]);
			dirty_seen += v.dirty;
			dirty[victim] = 0;
			assert_false(ct_mo_set_holds(s, victim));
		}
		dirty[b] |= (unsigned char)is_write;
		assert_int_equal(ct_mo_set_resident(s), len);
	}
	assert_true(dirty_seen > 100);
	ct_mo_set_free(s);
}

/* Runs a set with its filters under the paper's counting rule or the rule by touched
 * blocks; returns false negatives. */
static unsigned negatives(struct ct_mo_set *s, struct ct_mo_filters *f, unsigned associativity,
                          int touched, unsigned n, uint64_t seed, int levels)
{
	uint64_t rng = seed;
	unsigned wrong = 0;
	for (unsigned t = 0; t < n; t++) {
		uint64_t b = draw(&rng, associativity * 2);
		enum ct_mo_level l = CT_MO_LEVEL_NONE;
		if (levels) /* a block keeps its contents */
			l = ct_mix64(b) % 3 == 0 ? CT_MO_LEVEL_NONE : CT_MO_LEVEL_HIGH;
		int said = ct_mo_filter_predict(f, 0, b);
		int hit = ct_mo_set_access(s, b, 0, l, NULL);
		wrong += hit && !said;
		ct_mo_filter_update(f, 0, b, touched ? 0 : associativity);
		if (levels && t % 500 == 499)
			ct_mo_set_epoch(s, NULL);
		if (touched && ct_mo_set_all_touched(s)) {
			ct_mo_filter_swap(f, 0);
			ct_mo_set_clear_touched(s);
		}
	}
	return wrong;
}

static void no_false_negative_under_exact_lru(void **state)
{
	(void)state;
	static const unsigned ways[] = {1, 2, 7, 32, 50, 64};
	for (size_t i = 0; i < 6; i++)
		for (int kind = 0; kind < 3; kind++)
			for (unsigned k = 1; k <= 4; k++) {
				struct ct_mo_set *s = new_set(ways[i], ways[i], CT_MO_LRU_EXACT, 0);
				struct ct_mo_filters *f = new_filters(256, k, (enum ct_mo_hash)kind, 1);
				assert_int_equal(negatives(s, f, ways[i], 0, 3000, k + i, 0), 0);
				assert_true(ct_mo_filters_swaps(f) > 0);
				ct_mo_set_free(s);
				ct_mo_filters_free(f);
			}
}

/* Reading lru-counter: counters that tie break true LRU, and with it the rule that the filters rely
 * on. Long filters, so that nothing is hidden by aliases. */
static void narrow_counters_mislead_the_predictor(void **state)
{
	(void)state;
	unsigned found[2] = {0, 0};
	for (int wrap = 0; wrap < 2; wrap++)
		for (unsigned bits = 4; bits <= 6; bits++) {
			struct ct_mo_set *s = new_set(
				4, 4, wrap ? CT_MO_LRU_WRAP : CT_MO_LRU_SATURATE, bits);
			struct ct_mo_filters *f = new_filters(4096, 4, CT_MO_HASH_MIX, 1);
			uint64_t rng = 9;
			for (unsigned t = 0; t < 200000; t++) {
				/* Long stays on few blocks, so that a counter runs down. */
				uint64_t b = ct_rand64(&rng) % 40 ? t / 400 % 7 : ct_rand64(&rng) % 7;
				int said = ct_mo_filter_predict(f, 0, b);
				found[wrap] += ct_mo_set_access(s, b, 0, CT_MO_LEVEL_NONE, NULL) &&
				               !said;
				ct_mo_filter_update(f, 0, b, 4);
			}
			ct_mo_set_free(s);
			ct_mo_filters_free(f);
		}
	assert_true(found[0] > 0);
	assert_true(found[1] > 0);
}

/* Reading swap-rule: with pools per level the victim need not be the set's least recent block. */
static void pools_need_the_touched_rule(void **state)
{
	(void)state;
	unsigned counted, touched;
	for (int rule = 0; rule < 2; rule++) {
		struct ct_mo_set *s = new_set(6, 0, CT_MO_LRU_EXACT, 0);
		struct ct_mo_filters *f = new_filters(8192, 4, CT_MO_HASH_MIX, 1);
		unsigned n = negatives(s, f, 6, rule, 60000, 5, 1);
		if (rule)
			touched = n;
		else
			counted = n;
		ct_mo_set_free(s);
		ct_mo_filters_free(f);
	}
	assert_true(counted > 100);
	assert_int_equal(touched, 0);
}

/* Under exact LRU the touched rule never fires later than the paper's. */
static void touched_rule_is_not_later(void **state)
{
	(void)state;
	struct ct_mo_set *a = new_set(20, 20, CT_MO_LRU_EXACT, 0);
	struct ct_mo_set *b = new_set(20, 20, CT_MO_LRU_EXACT, 0);
	struct ct_mo_filters *fa = new_filters(65536, 2, CT_MO_HASH_MIX, 1);
	struct ct_mo_filters *fb = new_filters(65536, 2, CT_MO_HASH_MIX, 1);
	assert_int_equal(negatives(a, fa, 20, 0, 30000, 8, 0), 0);
	assert_int_equal(negatives(b, fb, 20, 1, 30000, 8, 0), 0);
	assert_true(ct_mo_filters_swaps(fb) >= ct_mo_filters_swaps(fa));
	ct_mo_set_free(a);
	ct_mo_set_free(b);
	ct_mo_filters_free(fa);
	ct_mo_filters_free(fb);
}

static void compression_follows_the_mix(void **state)
{
	(void)state;
	/* All high: one register stays uncompressed, the rest hold four blocks each. */
	struct ct_mo_set *s = new_set(10, 0, CT_MO_LRU_EXACT, 0);
	for (int round = 0; round < 6; round++) {
		for (uint64_t b = 0; b < 37; b++)
			ct_mo_set_access(s, b, 0, CT_MO_LEVEL_HIGH, NULL);
		ct_mo_set_epoch(s, NULL);
	}
	assert_int_equal(ct_mo_set_registers(s, CT_MO_LEVEL_HIGH), 9);
	assert_int_equal(ct_mo_set_registers(s, CT_MO_LEVEL_NONE), 1);
	assert_int_equal(ct_mo_set_slots(s), 37);
	for (uint64_t b = 0; b < 37; b++)
		assert_int_equal(ct_mo_set_access(s, b, 0, CT_MO_LEVEL_HIGH, NULL), 1);
	assert_int_equal(ct_mo_set_level(s, CT_MO_LEVEL_HIGH), 37);
	/* All none afterwards: registers go back one an epoch, but not all of them. Victims
	 * come from the pool of the newcomer's own level, so dead compressed blocks stay
	 * and keep being counted (cachetriage-morpheus(7) says so). */
	for (int round = 0; round < 20; round++) {
		for (uint64_t b = 100; b < 110; b++)
			ct_mo_set_access(s, b, 0, CT_MO_LEVEL_NONE, NULL);
		ct_mo_set_epoch(s, NULL);
	}
	assert_int_equal(ct_mo_set_registers(s, CT_MO_LEVEL_NONE), 6);
	assert_int_equal(ct_mo_set_level(s, CT_MO_LEVEL_HIGH), 16);
	ct_mo_set_free(s);
}

static void a_write_that_grows_moves(void **state)
{
	(void)state;
	struct ct_mo_set *s = new_set(4, 0, CT_MO_LRU_EXACT, 0);
	struct ct_mo_victims v;
	for (int round = 0; round < 6; round++) {
		for (uint64_t b = 0; b < 13; b++)
			ct_mo_set_access(s, b, 0, CT_MO_LEVEL_HIGH, NULL);
		ct_mo_set_epoch(s, NULL);
	}
	assert_int_equal(ct_mo_set_resident(s), 13);
	unsigned evicted = 0, dirty = 0;
	for (uint64_t b = 12; b > 6; b--) {
		assert_int_equal(ct_mo_set_access(s, b, 1, CT_MO_LEVEL_NONE, &v), 1);
		evicted += v.evicted;
		dirty += v.dirty;
	}
	/* They share the one uncompressed slot: each writes the one before it back. */
	assert_int_equal(ct_mo_set_resident(s), 13 - evicted);
	assert_int_equal(ct_mo_set_level(s, CT_MO_LEVEL_NONE), 1);
	assert_int_equal(dirty, 5);
	ct_mo_set_free(s);
}

static void never_more_than_the_registers_hold(void **state)
{
	(void)state;
	for (unsigned registers = 1; registers < 12; registers++) {
		struct ct_mo_set *s = new_set(registers, 0, CT_MO_LRU_EXACT, 0);
		uint64_t rng = registers;
		for (unsigned t = 0; t < 4000; t++) {
			uint64_t b = draw(&rng, 60);
			enum ct_mo_level l = (enum ct_mo_level)(ct_rand64(&rng) % 3);
			struct ct_mo_victims v;
			unsigned before = ct_mo_set_resident(s);
			int hit = ct_mo_set_access(s, b, ct_rand64(&rng) & 1, l, &v);
			assert_int_equal(ct_mo_set_resident(s), before + !hit - v.evicted);
			if (t % 97 == 0) {
				before = ct_mo_set_resident(s);
				ct_mo_set_epoch(s, &v);
				assert_int_equal(ct_mo_set_resident(s), before - v.evicted);
			}
			unsigned sum = 0;
			for (int x = 0; x < CT_MO_LEVELS; x++)
				sum += ct_mo_set_registers(s, (enum ct_mo_level)x);
			assert_int_equal(sum, registers);
			assert_true(ct_mo_set_registers(s, CT_MO_LEVEL_NONE) >= 1);
			assert_true(ct_mo_set_resident(s) <= ct_mo_set_slots(s));
			assert_true(ct_mo_set_holds(s, b));
		}
		ct_mo_set_free(s);
	}
}

static void refuses_impossible_sizes(void **state)
{
	(void)state;
	struct ct_error e;
	struct ct_mo_set_params p = {0, 0, CT_MO_LRU_EXACT, 0};
	assert_null(ct_mo_set_new(&p, &e));
	p.registers = 4;
	p.lru = CT_MO_LRU_WRAP;
	assert_null(ct_mo_set_new(&p, &e));
	struct ct_mo_filter_params f = {256, 17, CT_MO_HASH_MIX};
	assert_null(ct_mo_filters_new(&f, 1, &e));
	f.hashes = 3;
	assert_null(ct_mo_filters_new(&f, 0, &e));
	assert_int_equal(e.status, CT_ERR_USAGE);
	ct_mo_set_free(NULL);
	ct_mo_filters_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_lru_is_lru),
		cmocka_unit_test(no_false_negative_under_exact_lru),
		cmocka_unit_test(narrow_counters_mislead_the_predictor),
		cmocka_unit_test(pools_need_the_touched_rule),
		cmocka_unit_test(touched_rule_is_not_later),
		cmocka_unit_test(compression_follows_the_mix),
		cmocka_unit_test(a_write_that_grows_moves),
		cmocka_unit_test(never_more_than_the_registers_hold),
		cmocka_unit_test(refuses_impossible_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
