/* The extended LLC as a whole: who owns a block, what hits, and in what time. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "models/morpheus/extllc.h"
#include "models/morpheus/split.h"

enum { CONV = 4096 };

static struct ct_mo_extllc_params params(uint32_t sms)
{
	struct ct_mo_extllc_params p;
	memset(&p, 0, sizeof p);
	p.cache_sms = sms;
	p.partitions = 10;
	p.conv_blocks = CONV;
	p.kernel = (struct ct_morpheus_kernel){
		.warps = 48,
		.rf_warps = 32,
		.l1_warps = 16,
		.rf_blocks = 50,
		.l1_blocks = 64,
		.ratio = 1};
	p.filter = (struct ct_mo_filter_params){256, 3, CT_MO_HASH_MIX};
	p.service = 316;
	p.port = 7;
	p.trip = 282;
	p.epoch = 10000;
	return p;
}

static struct ct_mo_extllc *make(const struct ct_mo_extllc_params *p)
{
	struct ct_error e;
	struct ct_mo_extllc *x = ct_mo_extllc_new(p, &e);
	if (!x)
		fail_msg("%s", e.text);
	return x;
}

static int run(struct ct_mo_extllc *x, uint64_t block, enum ct_mo_access kind, enum ct_mo_level level,
               uint64_t now, struct ct_mo_reply *r)
{
	struct ct_mo_place pl;
	struct ct_error e;
	ct_mo_extllc_place(x, block, &pl);
	if (!pl.extended)
		return 0;
	if (ct_mo_extllc_access(x, &pl, block, kind, level, now, r, &e) != CT_OK)
		fail_msg("%s", e.text);
	return 1;
}

static void shares_follow_capacity(void **state)
{
	(void)state;
	struct ct_mo_extllc_params p = params(4);
	struct ct_mo_extllc *x = make(&p);
	unsigned seen[48 * 4] = {0}, conv = 0;
	const unsigned n = 400000;
	for (uint64_t b = 0; b < n; b++) {
		struct ct_mo_place pl, again;
		ct_mo_extllc_place(x, b * 7, &pl);
		ct_mo_extllc_place(x, b * 7, &again);
		assert_memory_equal(&pl, &again, sizeof pl);
		if (!pl.extended) {
			conv++;
			continue;
		}
		assert_true(pl.sm < 4 && pl.warp < 48 && pl.partition < 10);
		assert_int_equal(pl.set, pl.warp * 4 + pl.sm);
		assert_int_equal(pl.partition, pl.set % 10);
		seen[pl.set]++;
	}
	double total = CONV + 4 * (32 * 50 + 16 * 64);
	assert_true(fabs(conv / (double)n - CONV / total) < 0.005);
	for (unsigned s = 0; s < 48 * 4; s++) {
		double want = n * (s / 4 < 32 ? 50 : 64) / total;
		assert_true(fabs(seen[s] - want) < 6 * sqrt(want));
	}
	ct_mo_extllc_free(x);
}

static void holds_what_fits(void **state)
{
	(void)state;
	struct ct_mo_extllc_params p = params(4);
	struct ct_mo_extllc *x = make(&p);
	struct ct_mo_reply r;
	uint64_t now = 0;
	for (int round = 0; round < 4; round++)
		for (uint64_t b = 0; b < 7000; b++) /* half of all capacity */
			if (run(x, b, CT_MO_READ, CT_MO_LEVEL_NONE, now += 1000, &r) && round > 0)
				assert_true(r.hit && r.predicted && r.ready == now + 282);
	struct ct_mo_extllc_counts c;
	ct_mo_extllc_counts(x, &c);
	assert_int_equal(c.false_negatives, 0);
	assert_int_equal(c.wait_cycles, 0);
	assert_int_equal(c.evicted, 0);
	assert_int_equal(c.hits, 3 * c.misses);
	ct_mo_extllc_free(x);
}

/* A lookup behind four insertions of its set waits for all of them, or, when lookups go first, for the one that has
 * begun; the others then take the time after it. */
static void lookups_may_go_first(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		struct ct_mo_extllc_params p = params(1);
		p.lookups_first = first;
		struct ct_mo_extllc *x = make(&p);
		struct ct_mo_place pl;
		uint64_t b = 0;
		do
			ct_mo_extllc_place(x, ++b, &pl);
		while (!pl.extended);
		for (int i = 0; i < 4; i++)
			ct_mo_extllc_insert(x, &pl, 0);
		assert_int_equal(ct_mo_extllc_serve(x, &pl, 20), (first ? 1 : 4) * p.service);
		uint64_t third = 3 * p.service -
		                 1; /* the second insertion has begun behind the lookup */
		assert_int_equal(ct_mo_extllc_serve(x, &pl, third), (first ? 3 : 5) * p.service);
		assert_int_equal(ct_mo_extllc_serve(x, &pl, 100 * p.service), 100 * p.service);
		ct_mo_extllc_free(x);
	}
}

static void queues_are_first_come_first_served(void **state)
{
	(void)state;
	struct ct_mo_extllc_params p = params(1);
	struct ct_mo_extllc *x = make(&p);
	struct ct_mo_reply r;
	struct ct_mo_place pl;
	uint64_t b = 0, ready = 0;
	do
		ct_mo_extllc_place(x, ++b, &pl);
	while (!pl.extended);
	run(x, b, CT_MO_WRITE, CT_MO_LEVEL_NONE, 0, &r);
	assert_int_equal(r.ready, 0); /* predicted miss: DRAM at once */
	for (unsigned i = 1; i < 6; i++) {
		run(x, b, CT_MO_ATOMIC, CT_MO_LEVEL_NONE, 10, &r);
		assert_true(r.hit && r.predicted);
		if (i > 1)
			assert_int_equal(r.ready, ready + 316);
		ready = r.ready;
	}
	assert_int_equal(ready, 316 * 5 + 282);
	struct ct_mo_extllc_counts c;
	ct_mo_extllc_counts(x, &c);
	assert_int_equal(c.queued_most, 5);
	assert_int_equal(c.atomics, 5);
	assert_true(c.wait_cycles > 0);
	ct_mo_extllc_free(x);
}

/* A random mixture in every mode: never a false negative where none may be. */
static void never_denies_a_resident_block(void **state)
{
	(void)state;
	for (int compression = 0; compression < 2; compression++)
		for (int kind = 0; kind < 3; kind++) {
			struct ct_mo_extllc_params p = params(2);
			p.compression = compression;
			p.filter.kind = (enum ct_mo_hash)kind;
			struct ct_mo_extllc *x = make(&p);
			struct ct_mo_reply r;
			uint64_t rng = 1 + (uint64_t)kind, now = 0;
			for (unsigned t = 0; t < 60000; t++) {
				uint64_t v = ct_rand64(&rng), b = (v & 0xffff) * (v >> 48) >> 16;
				enum ct_mo_level l = (enum ct_mo_level)(ct_mix64(b) % 3);
				run(x, b, (enum ct_mo_access)(v >> 40 & 1), l, now += v >> 60, &r);
			}
			struct ct_mo_extllc_counts c;
			ct_mo_extllc_counts(x, &c);
			assert_int_equal(c.false_negatives, 0);
			assert_true(c.swaps > 0 && c.hits > 1000 && c.dirty > 0);
			assert_int_equal(c.epochs > 0, compression);
			ct_mo_extllc_free(x);
		}
}

static void diagnostics_count_what_may_not_be(void **state)
{
	(void)state;
	struct ct_mo_extllc_params p = params(1);
	p.conv_blocks = 0;
	p.kernel.rf_blocks = 4;
	p.kernel.l1_blocks = 4;
	p.filter.bits = 4096;
	p.lru = CT_MO_LRU_SATURATE;
	p.lru_bits = 4;
	struct ct_mo_extllc *x = make(&p);
	struct ct_mo_reply r;
	uint64_t rng = 5;
	for (unsigned t = 0; t < 200000; t++) {
		uint64_t v = ct_rand64(&rng);
		run(x, v % 40 ? t / 4000 % 300 : v >> 20 & 0x1ff, CT_MO_READ, CT_MO_LEVEL_NONE, t, &r);
	}
	struct ct_mo_extllc_counts c;
	ct_mo_extllc_counts(x, &c);
	assert_true(c.false_negatives > 0);
	ct_mo_extllc_free(x);
}

static void predictors(void **state)
{
	(void)state;
	uint64_t wrong[3], hits[3];
	for (int kind = 0; kind < 3; kind++) {
		struct ct_mo_extllc_params p = params(1);
		p.predictor = (enum ct_mo_predictor)kind;
		struct ct_mo_extllc *x = make(&p);
		struct ct_mo_reply r;
		uint64_t rng = 5;
		for (unsigned t = 0; t < 60000; t++)
			run(x, ct_rand64(&rng) % 12000, CT_MO_READ, CT_MO_LEVEL_NONE, t, &r);
		struct ct_mo_extllc_counts c;
		ct_mo_extllc_counts(x, &c);
		wrong[kind] = c.false_positives;
		hits[kind] = c.hits;
		if (kind == CT_MO_PREDICT_NONE)
			assert_int_equal(c.false_positives, c.misses);
		ct_mo_extllc_free(x);
	}
	assert_int_equal(wrong[CT_MO_PREDICT_PERFECT], 0);
	assert_true(wrong[CT_MO_PREDICT_BLOOM] > 0);
	assert_true(wrong[CT_MO_PREDICT_BLOOM] < wrong[CT_MO_PREDICT_NONE]);
	assert_true(hits[0] == hits[1] && hits[1] == hits[2]); /* a predictor moves no block */
}

/* The analytic split against the bits: hit rate and predictions of a random stream. */
static void split_formula_matches_the_bits(void **state)
{
	(void)state;
	enum { LINES = 16000, N = 400000 };
	struct ct_mo_extllc_params p = params(2);
	struct ct_mo_extllc *x = make(&p);
	struct ct_workload *w = calloc(1, sizeof *w);
	struct ct_mo_reply r;
	struct ct_error e;
	assert_non_null(w);
	uint64_t rng = 5, extended = 0, misses = 0, wrong = 0;
	for (unsigned t = 0; t < N; t++) {
		int in = run(x, ct_rand64(&rng) % LINES, CT_MO_READ, CT_MO_LEVEL_NONE, t, &r);
		if (t < N / 4 || !in)
			continue;
		extended++;
		misses += !r.hit;
		wrong += !r.hit && r.predicted;
	}
	/* Independent uniform references: every distance from 0 to LINES - 1 is as likely. */
	for (uint64_t d = 0; d < LINES; d++)
		ct_hist_add(&w->view[0].hist, d, 100);
	w->n_views = 1;
	w->sms = w->view[0].sms = 4;
	w->view[0].total = w->view[0].requests = 100.0 * LINES;
	struct ct_morpheus_params mp;
	struct ct_mo_bloom bloom;
	struct ct_mo_split s;
	ct_morpheus_defaults(&mp);
	assert_int_equal(ct_mo_bloom_init(&bloom, &mp, &e), CT_OK);
	assert_int_equal(ct_mo_split_eval(w, &p.kernel, &bloom, 2, 2, CONV, 16, &s, &e), CT_OK);
	double miss = (double)misses / (double)extended, q = (double)wrong / (double)misses;
	double want = s.ext_misses / (s.requests * s.ext_share);
	print_message("miss rate bits %.4f formula %.4f, P(hit|miss) bits %.4f formula %.4f\n", miss,
	              want, q, s.given_miss);
	assert_true(fabs(miss - want) < 0.01);
	assert_true(fabs(q - s.given_miss) < 0.05 * q);
	ct_mo_bloom_free(&bloom);
	ct_mo_extllc_free(x);
	free(w);
}

static void refuses_impossible_sizes(void **state)
{
	(void)state;
	struct ct_error e;
	struct ct_mo_extllc_params p = params(0);
	assert_null(ct_mo_extllc_new(&p, &e));
	assert_int_equal(e.status, CT_ERR_USAGE);
	p = params(1);
	p.conv_blocks = UINT32_MAX;
	assert_null(ct_mo_extllc_new(&p, &e));
	p = params(1);
	p.filter.hashes = 0;
	assert_null(ct_mo_extllc_new(&p, &e));
	ct_mo_extllc_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_follow_capacity),
		cmocka_unit_test(holds_what_fits),
		cmocka_unit_test(queues_are_first_come_first_served),
		cmocka_unit_test(lookups_may_go_first),
		cmocka_unit_test(never_denies_a_resident_block),
		cmocka_unit_test(diagnostics_count_what_may_not_be),
		cmocka_unit_test(predictors),
		cmocka_unit_test(split_formula_matches_the_bits),
		cmocka_unit_test(refuses_impossible_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
