/* Sampling: the filter is the same on every path and fair; the estimates come near the
 * exact curve; their error bars hold. Seeds are fixed, so nothing here is by chance. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/isa.h"
#include "locality/sample.h"
#include "locality/shards.h"
#include "locality/stack.h"
#include "tests/support/streams.h"

enum { N = 300000, SIZES = 50 };

static void filters_agree_on_every_path(void **state)
{
	enum { LINES = 4003 };
	static uint64_t line[LINES];
	static uint32_t want[LINES], got[LINES];
	static const double rates[] = {1, 0.5, 0.1, 0.01, 0.001};
	uint64_t seed = 8;
	(void)state;
	for (size_t i = 0; i < LINES; i++)
		line[i] = i % 2 ? ct_rand64(&seed) : i;
	for (unsigned salts = 1; salts <= CT_SAMPLE_SALTS; salts++)
		for (int r = 0; r < 5; r++)
			for (int isa = CT_ISA_PORTABLE; isa < CT_ISA_COUNT; isa++) {
				struct ct_sampler s;
				size_t n = 0;
				ct_sampler_init(&s, rates[r], salts, 77, isa);
				for (size_t i = 0; i < LINES; i++)
					if (ct_sample_mask(&s, line[i]))
						want[n++] = (uint32_t)i * 16 +
						            ct_sample_mask(&s, line[i]);
				assert_int_equal(ct_sample_filter(&s, line, LINES, got), n);
				assert_memory_equal(got, want, n * sizeof *got);
				assert_true(rates[r] < 1 || n == LINES);
			}
}

/* Over many seeds every line is taken at the rate; a whole array much more evenly than
 * independent choices would; two salts are independent. */
static void samples_are_fair_and_even(void **state)
{
	enum { SEEDS = 400, ARRAY = 20000 };
	const double rate = 0.01;
	double single = 0, both = 0, sum = 0, squares = 0;
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct ct_sampler s;
		double n = 0;
		ct_sampler_init(&s, rate, 2, seed, CT_ISA_PORTABLE);
		for (uint64_t l = 0; l < ARRAY; l++) {
			unsigned m = ct_sample_mask(&s, 1000000 + l);
			n += m & 1;
			both += m == 3;
		}
		for (uint64_t l = 0; l < 100; l++) /* scattered lines */
			single += ct_sample_mask(&s, ct_mix64(l)) & 1;
		sum += n;
		squares += n * n;
	}
	double mean = sum / SEEDS, variance = squares / SEEDS - mean * mean;
	assert_true(fabs(mean - rate * ARRAY) < 1);
	assert_true(variance < 0.15 * rate * ARRAY); /* independent: 0.99 rate ARRAY */
	assert_true(fabs(single / (SEEDS * 100) - rate) < 0.0015);
	assert_true(fabs(both / SEEDS / ARRAY - rate * rate) < 0.00002);
}

/* The exact curve at SIZES sizes up to the footprint. */
static void exact(const uint64_t *line, double *capacity, double *truth)
{
	struct ct_stack *s = ct_stack_new(NULL, NULL);
	uint64_t *distance = malloc(N * sizeof *distance);
	assert_true(s && distance);
	ct_stack_touch_batch(s, line, N, distance);
	uint64_t lines = ct_stack_lines(s);
	for (size_t k = 0; k < SIZES; k++) {
		uint64_t misses = 0, c = lines * (k + 1) / SIZES;
		for (size_t i = 0; i < N; i++)
			misses += distance[i] >= c;
		capacity[k] = (double)c;
		truth[k] = (double)misses / N;
	}
	ct_stack_free(s);
	free(distance);
}

struct score {
	double error, covered, width, rms, band;
};

static struct score judge(const uint64_t *line, const double *capacity, const double *truth,
                          const struct ct_shards_options *o)
{
	struct ct_shards *s = ct_shards_new(o, NULL);
	struct ct_shards_point p[SIZES];
	struct score r = {0};
	assert_non_null(s);
	for (size_t i = 0, n; i < N; i += n) { /* pieces must not matter */
		n = 33333 < N - i ? 33333 : N - i;
		ct_shards_access(s, line + i, n);
	}
	assert_int_equal(ct_shards_check(s, NULL), 0);
	ct_shards_curve(s, capacity, SIZES, p);
	for (size_t k = 0; k < SIZES; k++) {
		double e = fabs(p[k].miss_ratio - truth[k]);
		assert_true(p[k].miss_ratio >= 0 && p[k].miss_ratio <= 1);
		assert_true(p[k].low <= p[k].miss_ratio && p[k].high >= p[k].miss_ratio);
		r.error += e / SIZES;
		r.rms += e * e / SIZES;
		if (o->salts > 1) {
			r.covered += (e <= p[k].half_width + 1e-12) / (double)SIZES;
			r.width += p[k].half_width / SIZES;
		} else {
			assert_true(isnan(p[k].half_width));
		}
		r.band += (truth[k] >= p[k].low - 1e-12 && truth[k] <= p[k].high + 1e-12) /
		          (double)SIZES;
	}
	if (o->max_lines)
		assert_true(ct_shards_sampled(s) <= o->max_lines * o->salts);
	ct_shards_free(s);
	return r;
}

/* Rates are higher than in the benchmark because the streams are shorter. */
static void estimates_come_near_and_bars_hold(void **state)
{
	uint64_t *line = malloc(N * sizeof *line);
	double capacity[SIZES], truth[SIZES], all = 0;
	(void)state;
	assert_non_null(line);
	for (int k = 0; k < STREAM_HASHED; k++) {
		struct score sum = {0};
		int seeds = 40;
		stream_fill((enum stream_kind)k, 1, line, N);
		exact(line, capacity, truth);
		for (int seed = 0; seed < seeds; seed++) {
			struct ct_shards_options o = {.rate = 0.02, .salts = 4, .seed = (uint64_t)seed};
			struct score r = judge(line, capacity, truth, &o);
			sum.error += r.error / seeds;
			sum.covered += r.covered / seeds;
			sum.band += r.band / seeds;
			sum.width += r.width / seeds;
			sum.rms += r.rms / seeds;
		}
		assert_true(sum.error < 0.01);
		/* One stream in a few seeds may be unlucky, all together are not. */
		assert_true(sum.covered > 0.8 && sum.band > 0.8);
		assert_true(sum.width < 4 * sqrt(sum.rms) + 1e-4);
		all += sum.covered / STREAM_HASHED;
	}
	assert_true(all > 0.9);
	free(line);
}

static void fixed_size_stays_small_and_near(void **state)
{
	uint64_t *line = malloc(N * sizeof *line);
	double capacity[SIZES], truth[SIZES], error = 0;
	(void)state;
	assert_non_null(line);
	stream_fill(STREAM_ZIPF20, 1, line, N);
	exact(line, capacity, truth);
	for (uint64_t seed = 0; seed < 8; seed++) {
		struct ct_shards_options o = {
			.rate = 1, .salts = 1 + seed % 4, .seed = seed, .max_lines = 2000};
		error += judge(line, capacity, truth, &o).error / 8;
	}
	assert_true(error < 0.012);
	/* However long the stream, and whatever its addresses. */
	struct ct_shards_options o = {.rate = 0.1, .salts = 2, .max_lines = 1000};
	struct ct_shards *s = ct_shards_new(&o, NULL);
	assert_non_null(s);
	for (uint64_t i = 0; i < 8; i++) {
		for (size_t k = 0; k < N; k++)
			line[k] = ct_mix64(i * N + k);
		ct_shards_access(s, line, N);
	}
	assert_int_equal(ct_shards_check(s, NULL), 0);
	assert_true(ct_shards_sampled(s) <= 2000);
	assert_true(ct_shards_bytes(s) < 4 << 20);
	assert_true(fabs(ct_shards_lines(s) / (8.0 * N) - 1) < 0.12);
	ct_shards_free(s);
	free(line);
}

/* At rate 1 nothing is estimated. */
static void rate_one_is_exact(void **state)
{
	uint64_t *line = malloc(N * sizeof *line);
	double capacity[SIZES], truth[SIZES];
	struct ct_shards_options o = {.rate = 1, .salts = 1};
	(void)state;
	assert_non_null(line);
	stream_fill(STREAM_TILE, 1, line, N);
	exact(line, capacity, truth);
	struct score r = judge(line, capacity, truth, &o);
	assert_true(r.error < 0.002); /* only what bins of the histogram cost */
	free(line);
}

static void bad_options_are_refused(void **state)
{
	static const struct ct_shards_options bad[] = {
		{.rate = 0},
		{.rate = -1},
		{.rate = 1.5},
		{.rate = NAN},
		{.rate = 0.1, .salts = 5},
		{.rate = 0.1, .max_lines = 3}};
	struct ct_error e;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_null(ct_shards_new(&bad[i], &e));
		assert_int_equal(e.status, CT_ERR_USAGE);
	}
	struct ct_shards_options o = {.rate = 0.1};
	struct ct_shards *s = ct_shards_new(&o, &e);
	struct ct_shards_point p;
	double c = 10;
	assert_non_null(s);
	ct_shards_curve(s, &c, 1, &p);
	assert_true(isnan(p.miss_ratio));
	ct_shards_free(s);
}

/* Below 2^-64 a rate still is one: it takes next to nothing, but what it says are numbers. */
static void the_smallest_rates_give_numbers(void **state)
{
	static const double rates[] = {0x1p-63, 0x1p-64, 1e-20, 1e-300};
	uint64_t line[64];
	(void)state;
	for (uint64_t i = 0; i < 64; i++)
		line[i] = i % 16;
	for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
		struct ct_shards_options o = {.rate = rates[r], .salts = 4};
		struct ct_shards *s = ct_shards_new(&o, NULL);
		struct ct_shards_point p;
		double c = 8;
		assert_non_null(s);
		ct_shards_access(s, line, 64);
		ct_shards_curve(s, &c, 1, &p);
		assert_true(ct_shards_rate(s) > 0 && isfinite(ct_shards_lines(s)));
		assert_true(p.miss_ratio >= 0 && p.miss_ratio <= 1);
		assert_true(p.low >= 0 && p.high <= 1);
		ct_shards_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters_agree_on_every_path),
		cmocka_unit_test(samples_are_fair_and_even),
		cmocka_unit_test(estimates_come_near_and_bars_hold),
		cmocka_unit_test(fixed_size_stays_small_and_near),
		cmocka_unit_test(rate_one_is_exact),
		cmocka_unit_test(bad_options_are_refused),
		cmocka_unit_test(the_smallest_rates_give_numbers),
	};
	return cmocka_run_group_tests_name("shards", tests, NULL, NULL);
}
