#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "profile/profile.h"

static struct ct_profile *reread(const struct ct_profile *p)
{
	struct ct_buf b = {0};
	struct ct_profile *q;
	assert_int_equal(ct_profile_write(p, &b, NULL), CT_OK);
	assert_int_equal(ct_profile_read_memory(&q, "t", b.data, b.len, 1, NULL), CT_OK);
	ct_buf_free(&b);
	return q;
}

static void random_hist(struct ct_hist *h, uint64_t seed)
{
	memset(h, 0, sizeof *h);
	for (int i = 0; i < 200; i++)
		ct_hist_add(h, ct_rand64(&seed) >> (ct_rand64(&seed) % 63), ct_rand64(&seed) % 1000);
	h->cold = seed % 100;
}

static void histograms_survive_the_document(void **state)
{
	struct ct_hist r, w, r2, w2;
	(void)state;
	for (uint64_t seed = 1; seed < 50; seed++) {
		struct ct_profile *p = ct_profile_new(NULL), *q;
		random_hist(&r, seed);
		random_hist(&w, seed + 1000);
		assert_int_equal(ct_profile_add_hist(p, "all", "l1", &w, &w, NULL), 0);
		assert_int_equal(ct_profile_add_hist(p, "name:k\t1", "llc", NULL, &w, NULL), 0);
		assert_int_equal(ct_profile_add_hist(p, "all", "l1", &r, &w, NULL), 0);
		q = reread(p);
		memset(&r2, 0, sizeof r2);
		memset(&w2, 0, sizeof w2);
		assert_int_equal(ct_profile_get_hist(q, "all", "l1", &r2, &w2), 1);
		assert_memory_equal(&r, &r2, sizeof r);
		assert_memory_equal(&w, &w2, sizeof w);
		/* Reads and writes may be summed into one. */
		assert_int_equal(ct_profile_get_hist(q, "all", "l1", &r2, &r2), 1);
		assert_true(ct_hist_total(&r2) == 2 * ct_hist_total(&r) + ct_hist_total(&w));
		memset(&r2, 0, sizeof r2);
		assert_int_equal(ct_profile_get_hist(q, "name:k\t1", "llc", &r2, NULL), 1);
		assert_true(ct_hist_total(&r2) == 0);
		assert_int_equal(ct_profile_get_hist(q, "all", "llc", &r2, NULL), 0);
		ct_profile_free(p);
		ct_profile_free(q);
	}
}

static void an_empty_histogram_is_not_an_absent_one(void **state)
{
	struct ct_profile *p = ct_profile_new(NULL), *q;
	struct ct_hist none = {0};
	struct ct_rj empty = {0}, got = {0};
	static uint64_t rt[CT_RT_BINS][CT_RT_TIMES];
	(void)state;
	assert_int_equal(ct_profile_add_hist(p, "all", "l1", &none, NULL, NULL), 0);
	assert_int_equal(ct_profile_add_rj(p, "all", "nearest", &empty, NULL), 0);
	assert_int_equal(ct_profile_add_rt(p, "all", "l1", (const uint64_t(*)[CT_RT_TIMES])rt, NULL), 0);
	assert_int_equal(ct_profile_count(p), 3);
	q = reread(p);
	assert_int_equal(ct_profile_get_hist(q, "all", "l1", &none, NULL), 1);
	assert_int_equal(ct_profile_get_hist(q, "all", "merged", &none, NULL), 0);
	assert_int_equal(ct_profile_get_rj(q, "all", "nearest", &got, NULL), 1);
	assert_int_equal(got.n, 0);
	assert_int_equal(ct_profile_get_rj(q, "all", "sharers", &got, NULL), 0);
	assert_int_equal(ct_profile_get_rt(q, "all", "l1", rt), 1);
	assert_int_equal(ct_profile_get_rt(q, "all", "llc", rt), 0);
	ct_rj_free(&got);
	ct_profile_free(p);
	ct_profile_free(q);
}

static int no_match(void *ctx, const struct ct_record *r)
{
	(void)ctx;
	(void)r;
	return 0;
}

static void joint_histograms_survive_in_any_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 30; seed++) {
		struct ct_rj j = {0}, got = {0};
		uint64_t s = seed;
		for (int i = 0; i < 300; i++) {
			uint64_t x = ct_rand64(&s) % 64, y = ct_rand64(&s) % 64;
			struct ct_rj_cell c = {x, x + 1, y, y + 1 + y, 1 + ct_rand64(&s) % 9};
			if (x == 0)
				c.own_lo = c.own_hi = CT_COLD;
			if (y == 0)
				c.other_lo = c.other_hi = CT_COLD;
			assert_int_equal(ct_rj_add(&j, &c, NULL), 0);
		}
		struct ct_profile *p = ct_profile_new(NULL), *q, *shuffled = ct_profile_new(NULL);
		assert_int_equal(ct_profile_add_rj(p, "all", "sharers", &j, NULL), 0);
		q = reread(p);
		/* The same records the other way round. */
		for (size_t i = ct_profile_count(q); i-- > 0;) {
			const struct ct_record *r = ct_profile_at(q, i);
			assert_int_equal(ct_profile_add(shuffled, "RJ", r->nfields, r->field, NULL), 0);
		}
		ct_profile_remove(shuffled, "RJ", no_match, NULL);
		assert_int_equal(ct_profile_get_rj(shuffled, "all", "sharers", &got, NULL), 1);
		assert_int_equal(got.n, j.n);
		assert_memory_equal(got.cell, j.cell, j.n * sizeof *j.cell);
		/* get adds. */
		assert_int_equal(ct_profile_get_rj(q, "all", "sharers", &got, NULL), 1);
		assert_true(ct_rj_misses(&got, 7) == 2 * ct_rj_misses(&j, 7));
		ct_rj_free(&j);
		ct_rj_free(&got);
		ct_profile_free(p);
		ct_profile_free(q);
		ct_profile_free(shuffled);
	}
}

static void reuse_times_survive(void **state)
{
	static uint64_t rt[CT_RT_BINS][CT_RT_TIMES], got[CT_RT_BINS][CT_RT_TIMES];
	uint64_t seed = 4;
	(void)state;
	for (int i = 0; i < 500; i++)
		rt[ct_rand64(&seed) % CT_RT_BINS][ct_rand64(&seed) % CT_RT_TIMES] += i + 1;
	struct ct_profile *p = ct_profile_new(NULL), *q;
	assert_int_equal(ct_profile_add_rt(p, "all", "l1", (const uint64_t(*)[CT_RT_TIMES])rt, NULL), 0);
	q = reread(p);
	assert_int_equal(ct_profile_get_rt(q, "all", "l1", got), 1);
	assert_memory_equal(rt, got, sizeof rt);
	ct_profile_free(p);
	ct_profile_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(histograms_survive_the_document),
		cmocka_unit_test(an_empty_histogram_is_not_an_absent_one),
		cmocka_unit_test(joint_histograms_survive_in_any_order),
		cmocka_unit_test(reuse_times_survive),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
