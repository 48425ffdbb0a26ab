#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/hist.h"
#include "locality/rj.h"
#include "locality/rj_table.h"

static void cells_are_sorted_and_merge(void **state)
{
	struct ct_rj a = {0}, b = {0};
	uint64_t seed = 5, total = 0;
	(void)state;
	for (int i = 0; i < 500; i++) {
		uint64_t x = ct_rand64(&seed) % 9, y = ct_rand64(&seed) % 9;
		struct ct_rj_cell c = {x, x + 1, y, y + 1, 1 + i % 3};
		total += c.count;
		assert_int_equal(ct_rj_add(i % 2 ? &a : &b, &c, NULL), 0);
	}
	assert_int_equal(ct_rj_merge(&a, &b, NULL), 0);
	assert_in_range(a.n, 70, 81);
	for (size_t i = 0; i < a.n; i++) {
		const struct ct_rj_cell *c = &a.cell[i], *d = &a.cell[i ? i - 1 : 0];
		assert_true(i == 0 || d->own_lo < c->own_lo ||
		            (d->own_lo == c->own_lo && d->other_lo < c->other_lo));
		total -= c->count;
	}
	assert_int_equal(total, 0);
	ct_rj_free(&a);
	ct_rj_free(&b);
	assert_int_equal(a.n, 0);
}

static void ratio_and_replicas_by_hand(void **state)
{
	struct ct_rj nearest = {0}, sharers = {0};
	/* Four reads: cold and nowhere else; cold, 3 and 9 elsewhere; 8 own, 2 elsewhere;
	 * 1 own, 0 elsewhere. */
	const struct ct_rj_cell n[] = {{CT_COLD, CT_COLD, CT_COLD, CT_COLD, 1},
	                               {CT_COLD, CT_COLD, 3, 4, 1},
	                               {8, 9, 2, 3, 1},
	                               {1, 2, 0, 1, 1}};
	const struct ct_rj_cell s[] = {{CT_COLD, CT_COLD, 3, 4, 1},
	                               {CT_COLD, CT_COLD, 9, 10, 1},
	                               {8, 9, 2, 3, 1},
	                               {1, 2, 0, 1, 1}};
	double ratio, replicas;
	(void)state;
	ct_rj_replication(&nearest, &sharers, 8, &ratio, &replicas);
	assert_true(isnan(ratio) && isnan(replicas));
	for (int i = 0; i < 4; i++) {
		ct_rj_add(&nearest, &n[i], NULL);
		ct_rj_add(&sharers, &s[i], NULL);
	}
	ct_rj_replication(&nearest, &sharers, 8, &ratio, &replicas);
	assert_true(ct_rj_misses(&nearest, 8) == 3);
	assert_true(fabs(ratio - 2 / 3.) < 1e-15);
	assert_true(fabs(replicas - (1 + 2 / 3.)) < 1e-15);
	ct_rj_replication(&nearest, &sharers, 10, &ratio, &replicas);
	assert_true(ratio == 0.5 && replicas == 2);
	ct_rj_replication(&nearest, &sharers, 1, &ratio, &replicas);
	assert_true(ratio == 0.25 && replicas == 1.25);
	ct_rj_free(&nearest);
	ct_rj_free(&sharers);
}

static void table_equals_points_at_its_boundaries(void **state)
{
	struct ct_rj_table *t = ct_rj_table_new();
	struct ct_rj rows = {0}, points = {0};
	uint64_t seed = 11;
	(void)state;
	assert_non_null(t);
	for (int i = 0; i < 6000; i++) {
		uint64_t own = ct_rand64(&seed) >> (35 + ct_rand64(&seed) % 29);
		uint64_t other = ct_rand64(&seed) >> (35 + ct_rand64(&seed) % 29);
		if (i % 10 == 0)
			own = CT_COLD;
		if (i % 7 == 0)
			other = CT_COLD;
		struct ct_rj_cell c = {own, own == CT_COLD ? own : own + 1, other,
		                       other == CT_COLD ? other : other + 1, 1};
		ct_rj_table_count(t, own, other);
		assert_int_equal(ct_rj_add(&points, &c, NULL), 0);
		if (i == 3000)
			assert_int_equal(ct_rj_table_move(t, &rows, NULL, NULL), 0);
	}
	assert_int_equal(ct_rj_table_move(t, &rows, NULL, NULL), 0);
	for (uint64_t octave = 16; octave < (uint64_t)1 << 28; octave *= 2)
		for (uint64_t c = octave; c < 2 * octave; c += octave / 16) {
			assert_true(ct_rj_misses(&rows, (double)c) == ct_rj_misses(&points, (double)c));
			assert_true(ct_rj_shared_misses(&rows, (double)c) ==
			            ct_rj_shared_misses(&points, (double)c));
		}
	for (uint64_t c = 0; c < 16; c++)
		assert_true(ct_rj_shared_misses(&rows, (double)c) ==
		            ct_rj_shared_misses(&points, (double)c));
	ct_rj_table_free(t);
	ct_rj_free(&rows);
	ct_rj_free(&points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_sorted_and_merge),
		cmocka_unit_test(ratio_and_replicas_by_hand),
		cmocka_unit_test(table_equals_points_at_its_boundaries),
	};
	return cmocka_run_group_tests_name("rj", tests, NULL, NULL);
}
