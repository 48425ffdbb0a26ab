/* Curves from histograms against brute-force caches on the same streams. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/mrc.h"
#include "locality/stack.h"
#include "tests/support/brute_cache.h"

enum { N = 40000, LINES = 3000 };

static uint64_t line[N], distance[N];
static struct ct_hist hist;

static void make(uint64_t seed)
{
	struct ct_stack *s = ct_stack_new(NULL, NULL);
	assert_non_null(s);
	memset(&hist, 0, sizeof hist);
	for (size_t i = 0; i < N; i++) {
		uint64_t r = ct_rand64(&seed);
		line[i] = r % 8 < 3 ? r >> 8 & 255 : r % 8 < 7 ? (r >> 8) % LINES : i % LINES;
	}
	ct_stack_touch_batch(s, line, N, distance);
	for (size_t i = 0; i < N; i++)
		ct_hist_add(&hist, distance[i], 1);
	ct_stack_free(s);
}

static double brute_misses(unsigned sets, unsigned ways, uint64_t salt)
{
	struct brute_cache c;
	uint64_t misses = 0;
	brute_cache_init(&c, sets, ways);
	for (size_t i = 0; i < N; i++) {
		int hit;
		brute_cache_access(&c, line[i], (unsigned)(ct_mix64(line[i] + salt) % sets), 1, &hit);
		misses += !hit;
	}
	brute_cache_free(&c);
	return (double)misses;
}

static void full_associativity_is_exact_at_boundaries(void **state)
{
	struct ct_mrc_input in = {&hist, NULL};
	(void)state;
	make(1);
	static const unsigned lines[] = {1, 2, 17, 100, 255, 256, 272, 1024, 2048};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_true(ct_mrc_misses(&in, lines[i], 0) == brute_misses(1, lines[i], 0));
	assert_true(ct_mrc_ratio(&in, 1 << 20, 0) == (double)hist.cold / N);
}

/* Lines that a hash spreads at random: the binomial must give the mean over hashes. */
static void sets_follow_the_binomial(void **state)
{
	static const unsigned shape[][2] = {{64, 1}, {64, 4}, {256, 2}, {32, 16}, {512, 4}};
	struct ct_mrc_input in = {&hist, NULL};
	(void)state;
	make(2);
	for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
		unsigned sets = shape[i][0], ways = shape[i][1];
		double mean = 0;
		for (uint64_t salt = 0; salt < 8; salt++)
			mean += brute_misses(sets, ways, salt << 32) / 8;
		double model = ct_mrc_misses(&in, (double)sets * ways, ways);
		assert_true(fabs(model - mean) < 0.006 * N);
		assert_true(model >= ct_mrc_misses(&in, (double)sets * ways, 0) * 0.9);
	}
}

static void slices_with_unequal_shares(void **state)
{
	enum { SLICES = 4, EACH = 200 };
	struct ct_mrc_input in = {&hist, NULL};
	double share[SLICES], misses = 0;
	(void)state;
	make(3);
	ct_mrc_shares(1.6, share, SLICES);
	assert_true(fabs(share[0] + share[1] + share[2] + share[3] - 1) < 1e-12);
	assert_true(fabs(share[3] * SLICES - 1.6) < 1e-12);
	for (uint64_t salt = 0; salt < 8; salt++) {
		struct brute_cache c[SLICES];
		for (int k = 0; k < SLICES; k++)
			brute_cache_init(&c[k], 1, EACH);
		for (size_t i = 0; i < N; i++) {
			double u = (double)(ct_mix64(line[i] + (salt << 32)) >> 11) * 0x1p-53;
			int k = 0, hit;
			while (k < SLICES - 1 && u >= share[k])
				u -= share[k++];
			brute_cache_access(&c[k], line[i], 0, 1, &hit);
			misses += !hit / 8.0;
		}
		for (int k = 0; k < SLICES; k++)
			brute_cache_free(&c[k]);
	}
	double model = ct_mrc_misses_sliced(&in, SLICES * EACH, 0, share, SLICES);
	assert_true(fabs(model - misses) < 0.01 * N);
	/* Imbalance costs hits. */
	assert_true(model > ct_mrc_misses(&in, SLICES * EACH, 0));
	ct_mrc_shares(1, share, SLICES);
	double equal = ct_mrc_misses_sliced(&in, SLICES * EACH, 0, share, SLICES);
	assert_true(fabs(equal - ct_mrc_misses(&in, SLICES * EACH, 0)) < 1e-6);
}

/* Private LRU L1s in front of an LRU LLC, on an independent-reference stream. */
static void filtered_llc_is_near_where_valid(void **state)
{
	enum { SMS = 8, L1 = 32 };
	struct ct_mrc_input in = {&hist, NULL};
	uint64_t seed = 5;
	(void)state;
	make(4);
	for (unsigned llc_lines = 512; llc_lines <= 2048; llc_lines *= 2) {
		struct brute_cache l1[SMS], llc;
		uint64_t reach = 0, misses = 0;
		for (int k = 0; k < SMS; k++)
			brute_cache_init(&l1[k], 1, L1);
		brute_cache_init(&llc, 1, llc_lines);
		for (size_t i = 0; i < N; i++) {
			int hit;
			brute_cache_access(&l1[ct_rand64(&seed) % SMS], line[i], 0, 1, &hit);
			if (hit)
				continue;
			reach++;
			brute_cache_access(&llc, line[i], 0, 1, &hit);
			misses += !hit;
		}
		struct ct_mrc_filtered f = ct_mrc_filtered_llc(
			&in, (double)reach, SMS * L1, llc_lines, 0);
		assert_true(f.valid && f.low == f.ratio && f.high == f.ratio);
		assert_true(fabs(f.ratio - (double)misses / (double)reach) < 0.02);
		for (int k = 0; k < SMS; k++)
			brute_cache_free(&l1[k]);
		brute_cache_free(&llc);
	}
	struct ct_mrc_filtered f = ct_mrc_filtered_llc(&in, N / 2, 256, 256, 0);
	assert_true(!f.valid && f.low <= f.ratio && f.high == 1 && f.low < 1);
}

static void capacities_ascend(void **state)
{
	double c[64];
	(void)state;
	assert_int_equal(ct_mrc_capacities(64, 4, c, 64), 9);
	assert_true(c[0] == 16 && c[1] == 20 && c[4] == 32 && c[8] == 64);
	assert_int_equal(ct_mrc_capacities(65, 1, c, 2), 4);
	struct ct_mrc_input none = {NULL, NULL};
	assert_true(isnan(ct_mrc_ratio(&none, 16, 0)));
	struct ct_mrc_filtered f = ct_mrc_filtered_llc(&none, 0, 1, 2, 0);
	assert_true(isnan(f.ratio));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_associativity_is_exact_at_boundaries),
		cmocka_unit_test(sets_follow_the_binomial),
		cmocka_unit_test(slices_with_unequal_shares),
		cmocka_unit_test(filtered_llc_is_near_where_valid),
		cmocka_unit_test(capacities_ascend),
	};
	return cmocka_run_group_tests_name("mrc", tests, NULL, NULL);
}
