#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/observer.h"
#include "models/common/baseline.h"

enum { SMS = 5, LINES = 60, STEPS = 4000 };

/* An LRU cache as a list, most recent first: the twin. */
struct lru {
	uint64_t line[LINES];
	size_t n;
};

static int lru_holds(const struct lru *c, uint64_t line, size_t capacity)
{
	for (size_t i = 0; i < c->n && i < capacity; i++)
		if (c->line[i] == line)
			return 1;
	return 0;
}

static void lru_touch(struct lru *c, uint64_t line)
{
	size_t i = 0;
	while (i < c->n && c->line[i] != line)
		i++;
	if (i == c->n)
		c->n++;
	memmove(c->line + 1, c->line, i * sizeof c->line[0]);
	c->line[0] = line;
}

struct counts {
	uint64_t accesses, misses, replicated, copies;
};

static void twin_read(struct lru *l1, unsigned sm, uint64_t line, size_t capacity, struct counts *c)
{
	c->accesses++;
	if (!lru_holds(&l1[sm], line, capacity)) {
		unsigned others = 0;
		for (unsigned i = 0; i < SMS; i++)
			others += i != sm && lru_holds(&l1[i], line, capacity);
		c->misses++;
		c->replicated += others > 0;
		c->copies += 1 + others;
	}
	lru_touch(&l1[sm], line);
}

static struct ct_profile *profile_of(const struct ct_locality_counts *c, const char *scope,
                                     struct ct_profile *p)
{
	if (!p)
		p = ct_profile_new(NULL);
	assert_non_null(p);
	assert_int_equal(ct_profile_add_hist(p, scope, "l1", &c->l1_read, &c->l1_write, NULL), 0);
	assert_int_equal(ct_profile_add_hist(p, scope, "l1_sector", &c->l1_sector_read,
	                                     &c->l1_sector_write, NULL),
	                 0);
	assert_int_equal(ct_profile_add_rj(p, scope, "nearest", &c->rj_nearest, NULL), 0);
	assert_int_equal(ct_profile_add_rj(p, scope, "sharers", &c->rj_sharers, NULL), 0);
	return p;
}

static struct ct_l1_parts full(double lines)
{
	struct ct_l1_parts parts = {.n = 1};
	parts.part[0].shape = (struct ct_cache_shape){lines, (unsigned)lines};
	parts.part[0].share = 1;
	return parts;
}

/* Replication of fully associative LRU L1s: equal to caches simulated one by one, for
 * every capacity whose bins are exact. */
static void replication_equals_simulated_caches(void **state)
{
	static const size_t sizes[] = {1, 2, 3, 5, 8, 13, 21, 31};
	struct ct_gpu g;
	(void)state;
	ct_gpu_defaults(&g);
	for (uint64_t seed = 1; seed <= 12; seed++) {
		const size_t n_sizes = sizeof sizes / sizeof sizes[0];
		struct ct_locality_options o = {.sms = SMS, .sectors = 1, .sharing = 1};
		struct ct_locality *l = ct_locality_new(&o, NULL);
		static struct ct_locality_counts c;
		struct counts want[8] = {{0, 0, 0, 0}};
		struct lru l1[SMS];
		uint64_t s = seed;
		memset(&c, 0, sizeof c);
		memset(l1, 0, sizeof l1);
		assert_non_null(l);
		ct_locality_kernel_begin(l, 1);
		for (int i = 0; i < STEPS; i++) {
			unsigned sm = (unsigned)(ct_rand64(&s) % SMS);
			/* Skewed, so that lines are both shared and private. */
			uint64_t line = ct_rand64(&s) % (1 + ct_rand64(&s) % LINES);
			struct lru before[SMS];
			ct_locality_l1(l, sm, line, 1, 0, (uint64_t)i);
			memcpy(before, l1, sizeof l1);
			for (size_t k = 0; k < n_sizes; k++) {
				memcpy(l1, before, sizeof l1);
				twin_read(l1, sm, line, sizes[k], &want[k]);
			}
		}
		assert_int_equal(ct_locality_collect(l, &c, NULL), 0);
		struct ct_profile *p = profile_of(&c, "all", NULL);
		for (size_t k = 0; k < n_sizes; k++) {
			struct ct_l1_parts parts = full((double)sizes[k]);
			struct ct_l1_answer a;
			assert_int_equal(ct_baseline_l1(p, &g, "all", &parts, &a, NULL), 0);
			assert_true(a.line_accesses == (double)want[k].accesses);
			assert_true(fabs(a.line_misses - (double)want[k].misses) < 1e-6);
			assert_true(fabs(a.fills - (double)want[k].misses) < 1e-6);
			assert_true(fabs(a.replicated - (double)want[k].replicated) < 1e-6);
			assert_true(fabs(a.copies - (double)want[k].copies) < 1e-6);
			assert_true(isnan(a.merged_sectors));
		}
		ct_profile_free(p);
		ct_locality_counts_free(&c);
		ct_locality_free(l);
	}
}

/* The short cuts of the sweep change nothing that six digits show. */
static void short_cuts_agree_with_the_exact_sum(void **state)
{
	static const struct ct_cache_shape shapes[] = {{128, 4},  {1024, 256}, {1024, 16}, {40960, 16},
	                                               {2048, 1}, {512, 512},  {700, 700}, {64, 32}};
	uint64_t seed = 9;
	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
		struct ct_hist h = {{0}, 0};
		for (int k = 0; k < 300; k++)
			ct_hist_add(&h, ct_rand64(&seed) >> (44 + ct_rand64(&seed) % 20),
			            ct_rand64(&seed) % 100);
		h.cold = 17;
		double want = ct_hist_hits_assoc(&h, shapes[i].lines, shapes[i].ways);
		double got = ct_curve_hits(&h, &shapes[i]);
		assert_true(fabs(got - want) <= 1e-9 * (1 + want));
	}
	const struct ct_cache_shape none = {0, 4};
	assert_true(ct_hit_share(&none, 0, 1) == 0);
	assert_true(ct_hit_share(&shapes[0], CT_COLD, CT_COLD) == 0);
}

static void sizes_keep_the_build_of_the_cache(void **state)
{
	struct ct_cache_shape c = ct_cache_shape(65536, 128, 4, 256);
	(void)state;
	assert_true(c.lines == 512 && c.ways == 128);
	c = ct_cache_shape(32768, 128, 64, 4);
	assert_true(c.lines == 256 && c.ways == 4);
	c = ct_cache_shape(128, 128, 4, 256);
	assert_true(c.lines == 1 && c.ways == 1);
}

static void add_kernel(struct ct_profile *p, const char *id, const char *name, const char *insts,
                       const char *shmem)
{
	const char *f[] = {id, name, "(680,1,1)", "(128,1,1)", "1", "1", "1", insts, "16", shmem};
	assert_int_equal(ct_profile_add(p, "KN", 10, f, NULL), 0);
}

static void adaptive_l1s_follow_the_kernels(void **state)
{
	struct ct_profile *p = ct_profile_new(NULL);
	struct ct_l1_parts parts;
	struct ct_gpu g;
	(void)state;
	ct_gpu_defaults(&g);
	assert_true(g.l1_adaptive);
	ct_baseline_parts(p, &g, "all", &parts);
	assert_int_equal(parts.n, 1);
	assert_int_equal(parts.part[0].bytes, g.l1.size);
	add_kernel(p, "1", "a", "30", "0");
	add_kernel(p, "2", "b", "10", "8192");
	ct_baseline_parts(p, &g, "all", &parts);
	assert_int_equal(parts.n, 2);
	assert_int_equal(parts.part[0].bytes, g.l1.size);
	assert_true(parts.part[0].share == 0.75);
	assert_true(parts.part[1].bytes < g.l1.size);
	ct_baseline_parts(p, &g, "name:b", &parts);
	assert_int_equal(parts.n, 1);
	assert_true(parts.part[0].bytes < g.l1.size);
	ct_baseline_parts(p, &g, "kernel:1", &parts);
	assert_int_equal(parts.n, 1);
	assert_int_equal(parts.part[0].bytes, g.l1.size);
	/* A size asked for holds for every kernel. */
	assert_int_equal(ct_gpu_set(&g, "l1.size=64KiB", NULL), 0);
	assert_int_equal(ct_gpu_check(&g, NULL), 0);
	ct_baseline_parts(p, &g, "all", &parts);
	assert_int_equal(parts.n, 1);
	assert_int_equal(parts.part[0].bytes, 65536);
	ct_profile_free(p);
}

/* Rates by capacity pass through the replayed one, fall with capacity, and stay shares whatever the histograms say. */
static void expect_anchored(struct ct_profile *p, const struct ct_gpu *g, const char *metric,
                            int (*rates)(const struct ct_profile *, const struct ct_gpu *, const char *,
                                         const double *, size_t, double *),
                            double by_histograms)
{
	static const double factor[] = {0.0625, 0.25, 0.5, 1, 2, 4, 16};
	enum { N = sizeof factor / sizeof factor[0], HERE = 3 };
	static const double replayed[] = {0, 0.001, 0.3, 0.5, 0.97, 1};
	double rate[N];
	assert_int_equal(rates(p, g, "all", factor, N, rate), 1);
	assert_true(fabs(rate[HERE] - by_histograms) < 1e-12);
	for (size_t i = 0; i < sizeof replayed / sizeof replayed[0]; i++) {
		assert_int_equal(
			ct_profile_add_real(p, "all", metric, replayed[i], NULL, "replay", NULL), 0);
		assert_int_equal(rates(p, g, "all", factor, N, rate), 1);
		assert_true(fabs(rate[HERE] - replayed[i]) < 1e-12);
		for (int k = 1; k < N; k++)
			assert_true(rate[k - 1] <= 1 && rate[k] <= rate[k - 1] + 1e-12 && rate[k] >= 0);
	}
	assert_int_equal(rates(p, g, "name:none", factor, N, rate), 0);
}

/* Scope all is the sum over the names where their L1s differ. */
static void all_is_the_sum_of_the_names(void **state)
{
	struct ct_profile *p = ct_profile_new(NULL);
	struct ct_gpu g;
	struct ct_l1_answer a, b, all;
	struct ct_hist h[2] = {{{0}, 0}, {{0}, 0}}, sum = {{0}, 0};
	(void)state;
	ct_gpu_defaults(&g);
	add_kernel(p, "1", "a", "30", "0");
	add_kernel(p, "2", "b", "10", "8192");
	ct_hist_add(&h[0], 700, 10); /* fits 128 KiB, and not what b leaves */
	ct_hist_add(&h[1], 700, 20);
	ct_hist_merge(&sum, &h[0]);
	ct_hist_merge(&sum, &h[1]);
	assert_int_equal(ct_profile_add_hist(p, "all", "l1_sector", &sum, NULL, NULL), 0);
	assert_int_equal(ct_profile_add_hist(p, "all", "l1", &sum, NULL, NULL), 0);
	assert_int_equal(ct_profile_add_hist(p, "name:a", "l1_sector", &h[0], NULL, NULL), 0);
	assert_int_equal(ct_profile_add_hist(p, "name:a", "l1", &h[0], NULL, NULL), 0);
	assert_int_equal(ct_profile_add_hist(p, "name:b", "l1_sector", &h[1], NULL, NULL), 0);
	assert_int_equal(ct_profile_add_hist(p, "name:b", "l1", &h[1], NULL, NULL), 0);
	assert_int_equal(ct_baseline_l1(p, &g, "name:a", NULL, &a, NULL), 0);
	assert_int_equal(ct_baseline_l1(p, &g, "name:b", NULL, &b, NULL), 0);
	assert_int_equal(ct_baseline_l1(p, &g, "all", NULL, &all, NULL), 0);
	assert_true(a.sector_misses < 1);
	assert_true(b.sector_misses > 19);
	assert_true(fabs(all.sector_misses - a.sector_misses - b.sector_misses) < 1e-9);
	assert_true(isnan(all.fills));
	expect_anchored(p, &g, "l1_miss_rate", ct_baseline_l1_rates,
	                all.sector_misses / all.sector_accesses);
	ct_profile_free(p);
}

static void the_llc_is_one_cache_of_all_slices(void **state)
{
	struct ct_profile *p = ct_profile_new(NULL);
	struct ct_gpu g;
	struct ct_llc_answer a;
	struct ct_hist r = {{0}, 0}, w = {{0}, 0};
	(void)state;
	ct_gpu_defaults(&g);
	ct_baseline_llc(p, &g, "all", 1 << 20, NULL, &a);
	assert_true(isnan(a.misses));
	ct_hist_add(&r, 1000, 10);
	ct_hist_add(&r, 100000, 5);
	ct_hist_add(&w, CT_COLD, 3);
	assert_int_equal(ct_profile_add_hist(p, "all", "llc", &r, &w, NULL), 0);
	ct_baseline_llc(p, &g, "all", ct_gpu_llc_bytes(&g), NULL, &a);
	assert_true(a.accesses == 18 && a.read_accesses == 15 && isnan(a.sector_misses));
	assert_true(fabs(a.read_misses - 5) < 1e-2 && fabs(a.misses - 8) < 1e-2);
	ct_baseline_llc(p, &g, "all", 64u << 20, NULL, &a);
	assert_true(fabs(a.read_misses) < 1e-2 && fabs(a.misses - 3) < 1e-2);
	assert_int_equal(ct_profile_add_hist(p, "all", "llc_sector", &r, &w, NULL), 0);
	ct_baseline_llc(p, &g, "all", ct_gpu_llc_bytes(&g), NULL, &a);
	expect_anchored(p, &g, "llc_miss_rate", ct_baseline_llc_rates,
	                a.sector_misses / a.sector_accesses);
	ct_profile_free(p);
}

/* A working set that is walked again and again: `n` lines. */
struct loop {
	double n, cold, reuses;
};

static double loop_misses(const void *ctx, double lines, unsigned ways)
{
	const struct loop *l = ctx;
	struct ct_hist h = {{0}, 0};
	const struct ct_cache_shape c = {lines, ways ? ways : UINT32_MAX};
	ct_hist_add(&h, (uint64_t)l->n, (uint64_t)l->reuses);
	return l->cold + l->reuses - ct_curve_hits(&h, &c);
}

static double fitted(const struct loop *l, double measured, double lines)
{
	struct ct_curve_fit fit;
	ct_curve_fit(loop_misses, l, 4096, 16, measured, &fit);
	return ct_curve_fitted(loop_misses, l, lines, 16, &fit);
}

static void curves_meet_the_measured_cache(void **state)
{
	struct loop l = {3500, 3500, 100000};
	struct ct_curve_fit fit;
	double even = loop_misses(&l, 4096, 0), random = loop_misses(&l, 4096, 16);
	(void)state;
	assert_true(even < 4000 && random > 1.5 * even);
	/* between the curves: a mixture; at either, that one */
	for (int i = 0; i <= 4; i++) {
		double want = even + (random - even) * i / 4;
		ct_curve_fit(loop_misses, &l, 4096, 16, want, &fit);
		assert_true(fabs(fit.scatter - i / 4.0) < 1e-9 && fit.stretch == 1);
		assert_true(fabs(fitted(&l, want, 4096) - want) < 1e-6 * want);
	}
	/* a hair beyond the random curve (figures are rounded) is the random curve */
	ct_curve_fit(loop_misses, &l, 4096, 16, random * 1.001, &fit);
	assert_true(fit.scatter == 1 && fit.stretch == 1);
	/* The loop is a little larger than the cache, and yet fits: what the cache holds is
	 * a little more than its lines. At half the size everything misses, at twice nothing. */
	l.n = 4300;
	ct_curve_fit(loop_misses, &l, 4096, 16, l.cold + 100, &fit);
	assert_true(fit.scatter == 0 && fit.stretch > 1.04 && fit.stretch < 1.12);
	assert_true(fitted(&l, l.cold + 100, 2048) > 0.999 * (l.cold + l.reuses));
	assert_true(fitted(&l, l.cold + 100, 8192) < l.cold + 1);
	/* what no size explains is left as it is */
	ct_curve_fit(loop_misses, &l, 4096, 16, 10, &fit);
	assert_true(fit.stretch == 1);
	ct_curve_fit(loop_misses, &l, 4096, 16, 0, &fit);
	assert_true(fit.stretch == 1 && fit.scatter == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replication_equals_simulated_caches),
		cmocka_unit_test(short_cuts_agree_with_the_exact_sum),
		cmocka_unit_test(sizes_keep_the_build_of_the_cache),
		cmocka_unit_test(adaptive_l1s_follow_the_kernels),
		cmocka_unit_test(all_is_the_sum_of_the_names),
		cmocka_unit_test(the_llc_is_one_cache_of_all_slices),
		cmocka_unit_test(curves_meet_the_measured_cache),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
