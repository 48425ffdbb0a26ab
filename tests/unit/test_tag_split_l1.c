/* The L1 organisations of the Tag-Split Cache paper against brute-force twins, and what
 * must hold for each of them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "models/tag_split/l1.h"
#include "models/tag_split/mshr.h"
#include "tests/support/tag_split_twin.h"

static struct ct_ts_l1 *make(const struct ct_ts_shape *s)
{
	struct ct_ts_l1 *l1;
	struct ct_error e;
	assert_int_equal(ct_ts_l1_new(&l1, s, &e), CT_OK);
	return l1;
}

struct step {
	uint64_t line;
	uint32_t chunks;
	int store, coarse;
};

/* Lines that share high tags in various numbers of bits, some hot, chunks in runs. */
static struct step draw(uint64_t *rng, uint32_t per, uint32_t reach)
{
	uint64_t r = ct_rand64(rng);
	struct step s = {.store = (r & 15) == 0, .coarse = (r >> 4 & 7) == 0};
	uint32_t from = (uint32_t)(r >> 8) % per, n = 1 + (uint32_t)(r >> 16) % per;
	s.line = (r >> 24) % reach;
	if (r >> 60 < 8)
		s.line %= reach / 4 + 1;
	s.line |= (r >> 48 & 3) << 12 | (r >> 50 & 1) << 20; /* other shared tags */
	s.chunks = ((1u << n) - 1) << from & ((UINT32_C(1) << per) - 1);
	return s;
}

static struct ct_ts_shape shape_of(uint64_t *rng, enum ct_ts_kind kind)
{
	static const enum ct_set_hash hashes[] = {CT_HASH_LINEAR, CT_HASH_FERMI, CT_HASH_FOLD};
	uint64_t r = ct_rand64(rng);
	struct ct_ts_shape s = {
		.kind = kind,
		.line = 128,
		.chunk = 8u << r % 5,
		.sets = 1u << (r >> 8) % 4,
		.ways = 1 + (uint32_t)(r >> 16) % 4,
		.hash = hashes[(r >> 24) % 3],
		.tag_bits = 20,
		.private_bits = (uint32_t)(r >> 32) % 21,
		.tags = 1 + (uint32_t)(r >> 40) % 4,
		.repl = kind == CT_TS_SPLIT && (r >> 48 & 3) ? CT_TS_NRU : CT_TS_LRU,
		.pick = (r >> 50 & 1) ? CT_TS_RANDOM : CT_TS_LOWEST,
		.victim = (r >> 51 & 1) ? CT_TS_GROUP_FIRST : CT_TS_ANY_GROUP,
		.store = kind == CT_TS_LINE || kind == CT_TS_SECTOR ? (enum ct_ts_store)((r >> 52) % 3)
	                                                            : CT_TS_STORE_EVICT,
		.seed = r};
	if ((r >> 60 & 3) == 0)
		s.sets = 3; /* an L1 that takes what shared memory leaves */
	if ((kind == CT_TS_LINE || kind == CT_TS_SECTOR) && (r >> 62 & 1)) {
		s.ways += 15; /* searched up to 16, linked above */
		s.sets = 1 + (uint32_t)(r >> 63);
	}
	return s;
}

static void compare(const struct ct_ts_result *a, const struct ct_ts_result *b)
{
	assert_int_equal(a->hit, b->hit);
	assert_int_equal(a->miss, b->miss);
	assert_int_equal(a->replaced, b->replaced);
	assert_int_equal(a->evicted, b->evicted);
	assert_int_equal(a->collateral, b->collateral);
}

static void follow(struct ct_ts_l1 *l1, struct ts_twin *t, uint64_t *rng, unsigned steps)
{
	const struct ct_ts_shape *s = ct_ts_l1_shape(l1);
	uint32_t per = s->line / s->chunk, reach = 3 * s->sets * s->ways + 2;
	for (unsigned i = 0; i < steps; i++) {
		struct step q = draw(rng, per, reach);
		struct ct_ts_result a, b;
		uint32_t held = 0;
		for (uint32_t k = 0; k < per; k++)
			held |= (uint32_t)ts_twin_holds(t, q.line, k) << k;
		assert_int_equal(ct_ts_l1_peek(l1, q.line, q.chunks), held & q.chunks);
		if (q.store) {
			assert_int_equal(ct_ts_l1_store(l1, q.line, q.chunks, &a), CT_OK);
			ts_twin_store(t, q.line, q.chunks, &b);
		} else {
			assert_int_equal(ct_ts_l1_load(l1, q.line, q.chunks, q.coarse, &a), CT_OK);
			ts_twin_load(t, q.line, q.chunks, q.coarse, &b);
		}
		compare(&a, &b);
		if (s->kind != CT_TS_PERFECT && i % 16 == 15)
			assert_int_equal(ct_ts_l1_cached(l1), ts_twin_cached(t));
		if (i == steps / 2) {
			ct_ts_l1_flush(l1);
			ts_twin_flush(t);
		}
	}
}

static void equals_twin(enum ct_ts_kind kind, uint64_t seed, unsigned streams)
{
	uint64_t rng = seed;
	for (unsigned i = 0; i < streams; i++) {
		struct ct_ts_shape s = shape_of(&rng, kind);
		struct ct_ts_l1 *l1 = make(&s);
		struct ts_twin *t = ts_twin_new(&s);
		follow(l1, t, &rng, s.ways < 16 ? 100 : 300);
		ts_twin_free(t);
		ct_ts_l1_free(l1);
	}
}

static void lines_equal_their_twin(void **state)
{
	(void)state;
	equals_twin(CT_TS_LINE, 1, 1000);
}

static void sectors_equal_their_twin(void **state)
{
	(void)state;
	equals_twin(CT_TS_SECTOR, 2, 1000);
}

static void split_equals_its_twin(void **state)
{
	(void)state;
	equals_twin(CT_TS_SPLIT, 3, 2000);
}

static void decoupled_equals_its_twin(void **state)
{
	(void)state;
	equals_twin(CT_TS_DSC, 4, 1000);
}

static void perfect_equals_its_twin(void **state)
{
	(void)state;
	equals_twin(CT_TS_PERFECT, 5, 300);
}

static void ideal_equals_its_twin(void **state)
{
	(void)state;
	equals_twin(CT_TS_IDEAL, 6, 20);
}

/* Two organisations on one stream: the same chunks cached, hit and missed. */
static void equivalent(const struct ct_ts_shape *a, const struct ct_ts_shape *b, uint64_t seed)
{
	struct ct_ts_l1 *x = make(a), *y = make(b);
	uint64_t rng = seed;
	uint32_t per = a->line / a->chunk;
	for (int i = 0; i < 300; i++) {
		struct step q = draw(&rng, per, 3 * a->sets * a->ways);
		struct ct_ts_result p, r;
		if (q.store) {
			ct_ts_l1_store(x, q.line, q.chunks, &p);
			ct_ts_l1_store(y, q.line, q.chunks, &r);
		} else {
			ct_ts_l1_load(x, q.line, q.chunks, 0, &p);
			ct_ts_l1_load(y, q.line, q.chunks, 0, &r);
		}
		assert_int_equal(p.hit, r.hit);
		assert_int_equal(p.miss, r.miss);
		assert_int_equal(p.evicted, r.evicted);
		assert_int_equal(ct_ts_l1_cached(x), ct_ts_l1_cached(y));
	}
	ct_ts_l1_free(x);
	ct_ts_l1_free(y);
}

static void no_private_bits_is_the_sector_cache(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 600; i++) {
		struct ct_ts_shape s = {
			.kind = CT_TS_SPLIT,
			.line = 128,
			.chunk = 8u << i % 4,
			.sets = 1u << i % 3,
			.ways = 1 + i % 4,
			.tag_bits = 20,
			.repl = CT_TS_LRU};
		struct ct_ts_shape sector = s;
		sector.kind = CT_TS_SECTOR;
		equivalent(&s, &sector, i);
	}
}

static void whole_line_chunks_are_the_baseline(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 600; i++) {
		struct ct_ts_shape s = {
			.kind = CT_TS_SPLIT,
			.line = 128,
			.chunk = 128,
			.sets = 1u << i % 3,
			.ways = 1 + i % 4,
			.tag_bits = 20,
			.private_bits = i % 21,
			.repl = CT_TS_LRU};
		struct ct_ts_shape line = s;
		line.kind = CT_TS_LINE;
		equivalent(&s, &line, i);
	}
}

struct census {
	uint64_t key[4096];
	size_t n;
};

static void note(void *ctx, uint64_t line, uint32_t chunk)
{
	struct census *c = ctx;
	assert_in_range(c->n, 0, 4095);
	for (size_t i = 0; i < c->n; i++)
		assert_false(c->key[i] == (line << 4 | chunk));
	c->key[c->n++] = line << 4 | chunk;
}

/* Every kind, at every step: no chunk twice, never more than fit. */
static void a_chunk_is_stored_once(void **state)
{
	(void)state;
	static const enum ct_ts_kind kinds[] = {CT_TS_LINE, CT_TS_SECTOR, CT_TS_SPLIT, CT_TS_DSC};
	uint64_t rng = 7;
	for (unsigned i = 0; i < 160; i++) {
		struct ct_ts_shape s = shape_of(&rng, kinds[i % 4]);
		struct ct_ts_l1 *l1 = make(&s);
		uint32_t per = s.line / s.chunk;
		for (int k = 0; k < 100; k++) {
			struct step q = draw(&rng, per, 3 * s.sets * s.ways);
			struct ct_ts_result r;
			struct census c = {.n = 0};
			if (q.store)
				ct_ts_l1_store(l1, q.line, q.chunks, &r);
			else
				ct_ts_l1_load(l1, q.line, q.chunks, q.coarse, &r);
			assert_int_equal(r.hit & r.miss, 0);
			ct_ts_l1_each(l1, note, &c);
			assert_true(c.n <= (size_t)s.sets * s.ways * per);
		}
		ct_ts_l1_free(l1);
	}
}

/* What came in leaves in the end, and nothing else. */
static void use_adds_up(void **state)
{
	(void)state;
	static const enum ct_ts_kind kinds[] = {CT_TS_LINE, CT_TS_SECTOR, CT_TS_SPLIT, CT_TS_DSC};
	uint64_t rng = 8;
	for (unsigned i = 0; i < 200; i++) {
		struct ct_ts_shape s = shape_of(&rng, kinds[i % 4]);
		struct ct_ts_l1 *l1 = make(&s);
		struct ct_ts_use u = {0};
		uint64_t in = 0;
		for (int k = 0; k < 200; k++) {
			struct step q = draw(&rng, s.line / s.chunk, 3 * s.sets * s.ways);
			struct ct_ts_result r;
			if (q.store)
				ct_ts_l1_store(l1, q.line, q.chunks, &r);
			else
				ct_ts_l1_load(l1, q.line, q.chunks, q.coarse, &r);
			in += ct_bits(r.miss);
		}
		ct_ts_l1_flush(l1);
		ct_ts_l1_collect(l1, &u);
		assert_int_equal(u.fetched, in);
		assert_true(u.reused <= u.touched && u.touched <= u.fetched);
		assert_int_equal(ct_ts_l1_cached(l1), 0);
		ct_ts_l1_free(l1);
	}
}

static uint64_t misses(uint32_t private_bits, uint64_t seed)
{
	struct ct_ts_shape s = {
		.kind = CT_TS_SPLIT,
		.line = 128,
		.chunk = 32,
		.sets = 2,
		.ways = 4,
		.tag_bits = 20,
		.private_bits = private_bits,
		.repl = CT_TS_NRU,
		.seed = seed};
	struct ct_ts_l1 *l1 = make(&s);
	uint64_t n = 0;
	for (int i = 0; i < 200; i++) {
		struct step q = draw(&seed, 4, 24);
		struct ct_ts_result r;
		ct_ts_l1_load(l1, q.line, q.chunks, 0, &r);
		n += r.miss != 0;
	}
	ct_ts_l1_free(l1);
	return n;
}

/* Of random victims no order holds on every stream, but it does on their mean. */
static void private_tags_miss_no_more_on_average(void **state)
{
	(void)state;
	uint64_t whole = 0, some = 0;
	for (uint64_t i = 0; i < 1000; i++) {
		whole += misses(20, i);
		some += misses(8, i);
	}
	assert_true(whole <= some);
	assert_true(some < 1000 * 200); /* and something hits at all */
}

/* Issued masks grow while an entry lives, no chunk is requested twice, and a chunk that
 * was asked for comes back once. Entries that nothing is in cost nothing: the most that the GPU's key
 * takes would last for minutes. */
static void mshr_asks_once(void **state)
{
	(void)state;
	enum { LINES = 12 };
	for (uint64_t seed = 0; seed < 2000; seed++) {
		const uint32_t entries = seed % 8 ? 5 : 1 << 20;
		struct ct_ts_mshr *m;
		struct ct_error e;
		uint32_t issued[LINES] = {0}, back[LINES] = {0}, used = 0;
		uint64_t rng = seed;
		assert_int_equal(ct_ts_mshr_new(&m, entries, &e), CT_OK);
		for (int i = 0; i < 60; i++) {
			uint64_t r = ct_rand64(&rng);
			uint32_t l = (uint32_t)(r % LINES), chunks = 1 + (uint32_t)(r >> 8) % 15,
				 send = 99;
			if (r >> 60 < 7 && issued[l]) { /* something of it comes back */
				uint32_t some = issued[l] & ~back[l] & chunks;
				back[l] |= some;
				ct_ts_mshr_fill(m, l, some);
				if (some && back[l] == issued[l]) {
					issued[l] = back[l] = 0;
					used--;
				}
			} else if (!issued[l] && used == entries) {
				assert_int_equal(ct_ts_mshr_miss(m, l, chunks, &send), 0);
				assert_int_equal(send, 99);
			} else {
				assert_int_equal(ct_ts_mshr_miss(m, l, chunks, &send), 1);
				assert_int_equal(send, chunks & ~issued[l]);
				used += !issued[l];
				issued[l] |= chunks;
			}
			uint32_t had = 99;
			assert_int_equal(ct_ts_mshr_pending(m, l, &had), issued[l] & ~back[l]);
			assert_int_equal(had, issued[l]);
			assert_int_equal(ct_ts_mshr_used(m), used);
		}
		ct_ts_mshr_free(m);
	}
}

static void impossible_shapes_are_refused(void **state)
{
	(void)state;
	static const struct ct_ts_shape bad[] = {
		{.kind = CT_TS_LINE, .line = 96, .chunk = 32, .sets = 1, .ways = 1},
		{.kind = CT_TS_LINE, .line = 128, .chunk = 4, .sets = 1, .ways = 1},
		{.kind = CT_TS_LINE, .line = 128, .chunk = 32, .sets = 0, .ways = 1},
		{.kind = CT_TS_SPLIT, .line = 128, .chunk = 8, .sets = 1, .ways = 8},
		{.kind = CT_TS_SPLIT, .line = 128, .chunk = 32, .sets = 1, .ways = 4, .private_bits = 1},
		{.kind = CT_TS_DSC, .line = 128, .chunk = 32, .sets = 1, .ways = 4},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ct_ts_l1 *l1;
		struct ct_ts_mshr *m;
		struct ct_error e;
		assert_int_equal(ct_ts_l1_new(&l1, &bad[i], &e), CT_ERR_USAGE);
		assert_null(l1);
		assert_int_equal(ct_ts_mshr_new(&m, 0, &e), CT_ERR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_equal_their_twin),
		cmocka_unit_test(sectors_equal_their_twin),
		cmocka_unit_test(split_equals_its_twin),
		cmocka_unit_test(decoupled_equals_its_twin),
		cmocka_unit_test(perfect_equals_its_twin),
		cmocka_unit_test(ideal_equals_its_twin),
		cmocka_unit_test(no_private_bits_is_the_sector_cache),
		cmocka_unit_test(whole_line_chunks_are_the_baseline),
		cmocka_unit_test(a_chunk_is_stored_once),
		cmocka_unit_test(use_adds_up),
		cmocka_unit_test(private_tags_miss_no_more_on_average),
		cmocka_unit_test(mshr_asks_once),
		cmocka_unit_test(impossible_shapes_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
