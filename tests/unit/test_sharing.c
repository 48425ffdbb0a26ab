/* Reads that are asked what other SMs hold (locality/sharing.h): all of them, a sample, its error. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/sharing.h"

enum { HOLDERS = 3, READS = 60000 };

struct read {
	uint64_t own, other[HOLDERS];
};

/* Distances of many sizes; what others have depends on the own one, so that rows differ. */
static struct read next_read(uint64_t *seed)
{
	struct read r = {.own = ct_rand64(seed) >> (40 + ct_rand64(seed) % 24)};
	if (ct_rand64(seed) % 9 == 0)
		r.own = CT_COLD;
	for (int i = 0; i < HOLDERS; i++) {
		const unsigned bits = r.own == CT_COLD ? 50 : 44 + (unsigned)(r.own % 16);
		r.other[i] = ct_rand64(seed) >> (bits - ct_rand64(seed) % 12);
	}
	return r;
}

static uint64_t nearest_of(const struct read *r)
{
	uint64_t least = CT_COLD;
	for (int i = 0; i < HOLDERS; i++)
		least = r->other[i] < least ? r->other[i] : least;
	return least;
}

/* As the stacks do it (fast_sms.h). */
static void feed(struct ct_sharing *x, const struct read *r)
{
	const uint64_t each = ct_sharing_read(x, r->own);
	const unsigned own = ct_rj_bin(r->own);
	if (!each)
		return;
	for (int i = 0; i < HOLDERS; i++)
		x->sharers.count[own][ct_rj_bin(r->other[i])] += each;
	x->nearest.count[own][ct_rj_bin(nearest_of(r))] += each;
	x->nearest.used[own] = x->sharers.used[own] = 1;
	ct_sharing_note(x, r->own, nearest_of(r), each);
}

/* The same reads counted plainly. */
static void count(struct ct_rj_table *nearest, struct ct_rj_table *sharers, const struct read *r)
{
	for (int i = 0; i < HOLDERS; i++)
		ct_rj_table_count(sharers, r->own, r->other[i]);
	ct_rj_table_count(nearest, r->own, nearest_of(r));
}

struct both {
	struct ct_rj nearest, sharers;
};

static void free_both(struct both *b)
{
	ct_rj_free(&b->nearest);
	ct_rj_free(&b->sharers);
}

/* Sample and plain count of the launches, whose reads are so many each. */
static struct ct_sharing *run(uint64_t most, uint64_t seed, const int *reads, int launches,
                              struct both *sample, struct both *plain)
{
	struct ct_sharing *x = ct_sharing_new(most, seed);
	struct ct_rj_table *n = ct_rj_table_new(), *s = ct_rj_table_new();
	assert_true(x && n && s);
	for (int l = 0; l < launches; l++) {
		for (int i = 0; i < reads[l]; i++) {
			const struct read r = next_read(&seed);
			feed(x, &r);
			count(n, s, &r);
		}
		assert_int_equal(ct_sharing_move(x, &sample->nearest, &sample->sharers, NULL), 0);
		assert_int_equal(ct_rj_table_move(n, &plain->nearest, NULL, NULL), 0);
		assert_int_equal(ct_rj_table_move(s, &plain->sharers, NULL, NULL), 0);
	}
	ct_rj_table_free(n);
	ct_rj_table_free(s);
	return x;
}

static void same_cells(const struct ct_rj *a, const struct ct_rj *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->cell, b->cell, a->n * sizeof *a->cell);
}

static void few_reads_are_all_asked_about(void **state)
{
	static const int reads[] = {4000, 0, 17, 4096};
	(void)state;
	for (int bounded = 0; bounded < 2; bounded++) {
		struct both sample = {0}, plain = {0};
		struct ct_sharing *x = run(bounded ? 4096 : UINT64_MAX, 5, reads, 4, &sample, &plain);
		same_cells(&sample.nearest, &plain.nearest);
		same_cells(&sample.sharers, &plain.sharers);
		assert_true(ct_sharing_rate(x) == 1);
		assert_true(ct_sharing_error(x, 1024) == 0);
		ct_sharing_free(x);
		free_both(&sample);
		free_both(&plain);
	}
}

/* Misses do not come from the sample. */
static void reads_at_each_distance_are_those_of_all(void **state)
{
	static const int reads[] = {READS, 30, 9000};
	struct both sample = {0}, plain = {0};
	struct ct_sharing *x = run(64, 3, reads, 3, &sample, &plain);
	(void)state;
	for (uint64_t c = 0; c < 1 << 24; c = c < 16 ? c + 1 : c * 17 / 16)
		assert_true(ct_rj_misses(&sample.nearest, (double)c) ==
		            ct_rj_misses(&plain.nearest, (double)c));
	/* Of READS reads, 64 at each of some ten rates. */
	assert_true(ct_sharing_rate(x) < 0.03 && ct_sharing_rate(x) > 0.01);
	ct_sharing_free(x);
	free_both(&sample);
	free_both(&plain);
}

/* A 95 % interval that misses in 40 of 400 cases or less, and is not far too wide. */
static void the_error_covers(void **state)
{
	static const int reads[] = {READS / 4};
	enum { RUNS = 100, SIZES = 4 };
	double off_sum = 0, off_squares = 0, width_sum = 0;
	int missed = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct both sample = {0}, plain = {0};
		struct ct_sharing *x = run(256, seed, reads, 1, &sample, &plain);
		for (int i = 0; i < SIZES; i++) {
			const double lines = 16 << 4 * i;
			double a, b, replicas;
			ct_rj_replication(&sample.nearest, &sample.sharers, lines, &a, &replicas);
			ct_rj_replication(&plain.nearest, &plain.sharers, lines, &b, &replicas);
			missed += fabs(a - b) > ct_sharing_error(x, lines);
			off_sum += a - b;
			off_squares += (a - b) * (a - b);
			width_sum += ct_sharing_error(x, lines);
		}
		ct_sharing_free(x);
		free_both(&sample);
		free_both(&plain);
	}
	const double deviation = sqrt(off_squares / (RUNS * SIZES));
	assert_true(missed <= 40);
	assert_true(width_sum / (RUNS * SIZES) < 4 * deviation);
	assert_true(fabs(off_sum / (RUNS * SIZES)) < deviation / 4); /* no bias */
	assert_true(deviation > 0.002 && deviation < 0.05);
}

static void rows_without_a_sample_borrow_one(void **state)
{
	struct ct_rj nearest = {0}, sharers = {0};
	struct ct_sharing *x = ct_sharing_new(1, 1);
	struct read r = {100, {5, CT_COLD, CT_COLD}};
	(void)state;
	assert_non_null(x);
	feed(x, &r);
	r.own = 3;
	while (ct_sharing_read(x, r.own) == 0)
		; /* the last one is asked about, and not counted: nothing of row 3 is known */
	assert_int_equal(ct_sharing_move(x, &nearest, &sharers, NULL), 0);
	assert_true(ct_rj_misses(&nearest, 4) == 1);
	assert_true(ct_rj_misses(&nearest, 0) >= 2);
	assert_true(ct_rj_shared_misses(&nearest, 64) == 1);
	assert_true(ct_rj_shared_misses(&nearest, 0) == 0);
	ct_sharing_free(x);
	ct_rj_free(&nearest);
	ct_rj_free(&sharers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_reads_are_all_asked_about),
		cmocka_unit_test(reads_at_each_distance_are_those_of_all),
		cmocka_unit_test(the_error_covers),
		cmocka_unit_test(rows_without_a_sample_borrow_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
