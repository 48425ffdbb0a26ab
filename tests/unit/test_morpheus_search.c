/* The search for the number of computing SMs, against trying all of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/morpheus/search.h"

/* A GPU whose time is that of its SMs or of a memory that serves fewer SMs faster, and a rest that both share. */
struct shape {
	double compute, memory, grows, rest;
};

static double cycles_on(const struct shape *s, double sms)
{
	return s->rest + fmax(s->compute / sms, s->memory + s->grows * sms);
}

/* Searches; the number of SM counts that were tried. */
static unsigned search(const struct shape *s, unsigned fewest, unsigned all,
                       struct ct_mechanism_tried tried[CT_MO_TRIED_MAX])
{
	double value[CT_CANDIDATES_MAX];
	unsigned n = 0, more;
	while ((more = ct_mo_search_next(fewest, all, tried, n, value))) {
		assert_true(n + more <= CT_MO_TRIED_MAX);
		for (unsigned i = 0; i < more; i++) {
			assert_true(value[i] >= fewest && value[i] <= all &&
			            value[i] == floor(value[i]));
			assert_true(!i || value[i] > value[i - 1]);
			for (unsigned k = 0; k < n; k++)
				assert_true(tried[k].setting != value[i]);
		}
		for (unsigned i = 0; i < more; i++, n++)
			tried[n] = (struct ct_mechanism_tried){value[i], cycles_on(s, value[i])};
	}
	return n;
}

static void finds_what_trying_all_finds(void **state)
{
	struct ct_mechanism_tried tried[CT_MO_TRIED_MAX];
	(void)state;
	for (unsigned all = 1; all <= 132; all++)
		for (unsigned k = 0; k < 60; k++) {
			/* the memory's line meets that of the SMs at a twelfth of them, then more */
			double meet = all * (k % 12 + 1) / 12.0;
			struct shape s = {.compute = 1e6, .rest = 1e6 / all * (k / 12)};
			s.grows = 1e6 / meet / meet / (k % 5 + 1);
			s.memory = 1e6 / meet - s.grows * meet;
			unsigned fewest = all < 4 ? 1 : all / 4, n = search(&s, fewest, all, tried);
			double best = INFINITY;
			for (unsigned sms = fewest; sms <= all; sms++)
				best = fmin(best, cycles_on(&s, sms));
			unsigned at = ct_mo_search_best(tried, n);
			assert_in_range(n, 1, CT_MO_TRIED_MAX);
			if (!(tried[at].cycles <= 1.08 * best))
				fail_msg("%u SMs, shape %u: %g on %g, the best is %g", all, k,
				         tried[at].cycles, tried[at].setting, best);
		}
}

static void small_gpus_are_tried_out(void **state)
{
	struct ct_mechanism_tried tried[CT_MO_TRIED_MAX];
	const struct shape falls = {.memory = 100, .grows = 50};
	(void)state;
	for (unsigned all = 1; all <= 6; all++)
		assert_int_equal(search(&falls, 1, all, tried), all);
	assert_int_equal(search(&falls, 0, 3, tried), 3);
	assert_int_equal(search(&falls, 3, 3, tried), 1);
	double value[CT_CANDIDATES_MAX];
	assert_int_equal(ct_mo_search_next(9, 3, NULL, 0, value), 1); /* beyond the GPU: all SMs */
	assert_int_equal((int)value[0], 3);
}

/* A GPU that its SMs pace is left alone after the first round. */
static void compute_bound_runs_stop_early(void **state)
{
	struct ct_mechanism_tried tried[CT_MO_TRIED_MAX];
	const struct shape compute = {.compute = 1e6, .rest = 100}, flat = {.memory = 1e6};
	(void)state;
	assert_int_equal(search(&compute, 17, 68, tried), 4);
	assert_int_equal((int)tried[ct_mo_search_best(tried, 4)].setting, 68);
	/* and what changes nothing keeps all SMs */
	unsigned n = search(&flat, 17, 68, tried);
	assert_int_equal((int)tried[ct_mo_search_best(tried, n)].setting, 68);
}

/* Half a percent is noise, replays that failed are never the best. */
static void the_best_of_those_tried(void **state)
{
	const struct ct_mechanism_tried near[] = {{10, 1000}, {20, 1004}, {15, 1010}};
	const struct ct_mechanism_tried failed[] = {{30, NAN}, {10, 5000}, {20, 0}};
	(void)state;
	assert_int_equal(ct_mo_search_best(near, 3), 1);
	assert_int_equal(ct_mo_search_best(near, 1), 0);
	assert_int_equal(ct_mo_search_best(failed, 3), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_trying_all_finds),
		cmocka_unit_test(small_gpus_are_tried_out),
		cmocka_unit_test(compute_bound_runs_stop_early),
		cmocka_unit_test(the_best_of_those_tried),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
