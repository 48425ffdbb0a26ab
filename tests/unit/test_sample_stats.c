/* Intervals of means, against textbook figures and against drawn samples. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "pass/private/sample_stats.h"

static void textbook(void **state)
{
	struct ct_pass_spread s = {0};
	(void)state;
	assert_true(isinf(ct_pass_spread_half(&s)));
	ct_pass_spread_add(&s, 3);
	assert_true(isinf(ct_pass_spread_half(&s)));
	ct_pass_spread_add(&s, 5);
	/* mean 4, s = sqrt(2), t(1) = tan(0.475 pi), half = t(1) sqrt(2) / sqrt(2) */
	assert_true(fabs(s.mean - 4) < 1e-12 &&
	            fabs(ct_pass_spread_half(&s) - tan(0.475 * M_PI)) < 1e-9);
	for (int i = 0; i < 6; i++)
		ct_pass_spread_add(&s, 4);
	/* n = 8: s^2 = 2/7, half = t(7) sqrt(2/7/8), t(7) = 2.364624 */
	assert_true(fabs(ct_pass_spread_half(&s) - 2.364624 * sqrt(2.0 / 56)) < 1e-6);
}

static void same_values(void **state)
{
	struct ct_pass_spread s = {0};
	(void)state;
	for (int i = 0; i < 40; i++)
		ct_pass_spread_add(&s, 0.125);
	assert_true(s.mean == 0.125 && ct_pass_spread_half(&s) == 0);
}

/* About 95 of 100 intervals hold the mean that the values were drawn around. */
static void holds_the_mean(void **state)
{
	static const unsigned n[] = {4, 8, 24};
	uint64_t seed = 5;
	(void)state;
	for (int k = 0; k < 3; k++) {
		int held = 0;
		for (int i = 0; i < 2000; i++) {
			struct ct_pass_spread s = {0};
			for (unsigned j = 0; j < n[k]; j++) {
				double v = 0; /* near normal: mean 6 */
				for (int d = 0; d < 12; d++)
					v += (double)(ct_rand64(&seed) >> 11) / 9007199254740992.0;
				ct_pass_spread_add(&s, v);
			}
			held += fabs(s.mean - 6) <= ct_pass_spread_half(&s);
		}
		assert_in_range(held, 1850, 1950);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(textbook),
		cmocka_unit_test(same_values),
		cmocka_unit_test(holds_the_mean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
