#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_cdf.h>

#include "base/hash.h"
#include "locality/hist.h"
#include "locality/isa.h"

static void bins_cover_every_distance_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i + 1 < CT_HIST_BINS; i++) {
		assert_true(ct_hist_lo(i) < ct_hist_hi(i));
		assert_int_equal(ct_hist_bin(ct_hist_lo(i)), i);
		assert_int_equal(ct_hist_bin(ct_hist_hi(i) - 1), i);
		assert_int_equal(ct_hist_bin_at(ct_hist_lo(i)), i);
	}
	assert_int_equal(ct_hist_bin(UINT64_MAX - 1), CT_HIST_BINS - 1);
	assert_int_equal(ct_hist_lo(256), 256);
	assert_int_equal(ct_hist_hi(256), 272); /* 16 per octave */
	assert_int_equal(ct_hist_bin_at(257), -1);
}

static void cold_is_counted_apart(void **state)
{
	static struct ct_hist h, twice;
	(void)state;
	memset(&h, 0, sizeof h);
	memset(&twice, 0, sizeof twice);
	ct_hist_add(&h, CT_COLD, 3);
	ct_hist_add(&h, 0, 2);
	ct_hist_add(&h, 1000, 5);
	assert_int_equal(h.cold, 3);
	assert_int_equal(ct_hist_total(&h), 10);
	ct_hist_merge(&twice, &h);
	ct_hist_merge(&twice, &h);
	assert_int_equal(ct_hist_total(&twice), 20);
	assert_int_equal(twice.count[0], 4);
}

/* On every path and for few and many, the bins of ct_hist_add(). */
static void adding_many_equals_one_by_one(void **state)
{
	enum { N = 9001 };
	static uint64_t d[N];
	static struct ct_hist want, got;
	uint64_t seed = 3;
	(void)state;
	for (size_t i = 0; i < N; i++) {
		uint64_t r = ct_rand64(&seed);
		/* Up to 2^63, powers of two and their neighbours, long runs of one, cold. */
		d[i] = r >> (1 + (r & 63) % 63);
		d[i] = i % 5 == 1 ? ((uint64_t)1 << r % 63) + r / 64 % 3 - 1 : d[i];
		d[i] = i % 5 == 2 ? 300 : i % 5 == 3 && r % 4 == 0 ? CT_COLD : d[i];
		d[i] = d[i] == UINT64_MAX ? CT_COLD : d[i];
	}
	static const size_t sizes[] = {0, 1, 3, 7, 63, 64, 65, 100, 4095, 4096, 4100, N};
	for (int isa = CT_ISA_BEST; isa < CT_ISA_COUNT; isa++)
		for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
			memset(&want, 0, sizeof want);
			memset(&got, 0, sizeof got);
			ct_hist_add(&want, UINT64_MAX - 1, 5); /* what is there stays */
			ct_hist_add(&got, UINT64_MAX - 1, 5);
			for (size_t i = 0; i < sizes[k]; i++)
				ct_hist_add(&want, d[i], 1);
			ct_hist_add_all_on(&got, d, sizes[k], isa);
			assert_memory_equal(&got, &want, sizeof got);
		}
}

static void hits_are_exact_at_boundaries_and_linear_inside(void **state)
{
	static struct ct_hist h;
	(void)state;
	memset(&h, 0, sizeof h);
	ct_hist_add(&h, 0, 4);
	ct_hist_add(&h, 7, 4);
	ct_hist_add(&h, 512, 32); /* bin [512, 544) */
	assert_true(ct_hist_hits(&h, 0) == 0);
	assert_true(ct_hist_hits(&h, 1) == 4);
	assert_true(ct_hist_hits(&h, 7) == 4);
	assert_true(ct_hist_hits(&h, 8) == 8);
	assert_true(ct_hist_hits(&h, 512) == 8);
	assert_true(ct_hist_hits(&h, 520) == 16);
	assert_true(ct_hist_hits(&h, 544) == 40);
}

/* Pascal's triangle instead of closed forms: P(Binomial(d, p) < ways). */
static double slow_hit(unsigned d, double p, unsigned ways)
{
	double have[64] = {1};
	for (unsigned i = 0; i < d; i++)
		for (unsigned k = ways; k-- > 0;)
			have[k] = have[k] * (1 - p) + (k ? have[k - 1] * p : 0);
	double sum = 0;
	for (unsigned k = 0; k < ways; k++)
		sum += have[k];
	return sum;
}

static void binomial_is_the_exact_sum(void **state)
{
	(void)state;
	/* Published check values: doc/models.md section 1, A = 4, B = 128. */
	assert_true(fabs(ct_binomial_hit(128, 129, 4 / 128., 4) - 0.430) < 0.001);
	assert_true(fabs(ct_binomial_hit(512, 513, 4 / 128., 4) - 0.0001) < 0.0001);
	uint64_t seed = 7;
	for (int i = 0; i < 100; i++) {
		unsigned ways = 1 + (unsigned)(ct_rand64(&seed) % 32);
		unsigned lo = (unsigned)(ct_rand64(&seed) % 3000);
		unsigned n = 1 + (unsigned)(ct_rand64(&seed) % (i % 2 ? 300 : 1));
		double p = (double)(1 + ct_rand64(&seed) % 999) / 1000, mean = 0;
		for (unsigned d = lo; d < lo + n; d++)
			mean += slow_hit(d, p, ways) / n;
		assert_true(fabs(ct_binomial_hit(lo, lo + n, p, ways) - mean) < 1e-9);
	}
}

/* Bins in ascending order share what they have in common: the answers stay. */
static void binomial_of_many_bins(void **state)
{
	uint64_t seed = 11;
	(void)state;
	for (int i = 0; i < 60; i++) {
		struct ct_binomial b;
		unsigned ways = 1 + (unsigned)(ct_rand64(&seed) % 32), skip = i % 3 ? 2 : 20;
		double p = 1.0 / (double)(1 + ct_rand64(&seed) % (i % 2 ? 4096 : 16));
		ct_binomial_start(&b, p, ways);
		for (unsigned bin = 0; bin < CT_HIST_BINS;
		     bin += 1 + (unsigned)(ct_rand64(&seed) % skip)) {
			uint64_t lo = ct_hist_lo(bin), hi = ct_hist_hi(bin);
			assert_true(fabs(ct_binomial_share(&b, lo, hi) -
			                 ct_binomial_hit(lo, hi, p, ways)) < 1e-12);
			if (bin < CT_HIST_EXACT)
				assert_true(fabs(ct_binomial_share(&b, lo, hi) -
				                 slow_hit(bin, p, ways)) < 1e-9);
		}
		/* and back again */
		assert_true(fabs(ct_binomial_share(&b, 40, 41) - slow_hit(40, p, ways)) < 1e-9);
	}
}

/* The recurrences that the hot loops need against GSL's continued fraction, with more draws and more
 * ways than the triangle can do, log-domain terms among them. */
static void binomial_is_gsls(void **state)
{
	uint64_t seed = 19;
	(void)state;
	for (int i = 0; i < 4000; i++) {
		unsigned ways = 1 + (unsigned)(ct_rand64(&seed) % (i % 4 ? 64 : 2000));
		unsigned draws = (unsigned)(ways * (1 + ct_rand64(&seed) % (i % 3 ? 8 : 4096)));
		double p = (double)ways / draws * ((double)(1 + ct_rand64(&seed) % 2000) / 1000);
		if (!(p < 1))
			continue;
		double below = gsl_cdf_binomial_P(ways - 1, p, draws);
		assert_true(isfinite(below));
		assert_true(fabs(ct_binomial_hit(draws, draws + 1ull, p, ways) - below) < 1e-8);
	}
}

static void binomial_survives_extremes(void **state)
{
	(void)state;
	assert_true(ct_binomial_hit(0, 4, 0.5, 4) == 1);
	assert_true(ct_binomial_hit(5, 6, 0.5, 0) == 0);
	assert_true(ct_binomial_hit(3, 5, 1, 4) == 0.5);
	assert_true(ct_binomial_hit(1u << 30, 1u << 31, 1e-9, 16) > 0.999);
	double far = ct_binomial_hit(UINT64_MAX - 5, UINT64_MAX, 0.25, 16);
	assert_true(far >= 0 && far < 1e-12);
	double tiny = ct_binomial_hit(1 << 20, (1 << 20) + (1 << 16), 16. / (1 << 14), 16);
	assert_true(tiny >= 0 && tiny < 1e-9);
}

static void associativity_tends_to_full(void **state)
{
	static struct ct_hist h;
	double before = 0;
	(void)state;
	memset(&h, 0, sizeof h);
	for (unsigned d = 0; d < 200; d++)
		ct_hist_add(&h, d, 10);
	/* All distances below the capacity: conflict misses vanish with more ways. */
	for (unsigned ways = 1; ways <= 256; ways *= 2) {
		double hits = ct_hist_hits_assoc(&h, 256, ways);
		assert_true(hits > before);
		before = hits;
	}
	assert_true(before == ct_hist_hits(&h, 256));
	assert_true(ct_hist_hits_assoc(&h, 256, 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_cover_every_distance_once),
		cmocka_unit_test(cold_is_counted_apart),
		cmocka_unit_test(adding_many_equals_one_by_one),
		cmocka_unit_test(hits_are_exact_at_boundaries_and_linear_inside),
		cmocka_unit_test(binomial_is_the_exact_sum),
		cmocka_unit_test(binomial_of_many_bins),
		cmocka_unit_test(binomial_is_gsls),
		cmocka_unit_test(binomial_survives_extremes),
		cmocka_unit_test(associativity_tends_to_full),
	};
	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
