/* Verdicts on a mechanism with simpler alternatives and an ideal: what it is given credit for, what cannot be gained, and
 * which of several estimates decides. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "models/mechanism.h"
#include "models/verdict/bound.h"
#include "models/verdict/verdict.h"
#include "tests/support/verdict_profile.h"

static void why_credited(const struct ct_profile *p, const struct ct_mechanism_number *speedup,
                         char *text, size_t n)
{
	(void)p, (void)speedup;
	snprintf(text, n, "conflicts are rare");
}

static void estimate_system(struct ct_profile *p, const struct ct_mechanism *m, const char *system,
                            double v, const char *method)
{
	struct ct_mechanism other = *m;
	other.judged = system;
	verdict_estimate(p, &other, v, strcmp(method, "analytic") ? NAN : v,
	                 strcmp(method, "analytic") ? NAN : v, method);
}

static const char *const simpler[] = {"64B", "128B", NULL};
static const struct ct_mechanism credited = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof(struct ct_mechanism),
	.name = "credited",
	.command = "credited-est",
	.judged = "Split",
	.baseline = "128B",
	.alternatives = simpler,
	.ideal = "Ideal",
	.bound = CT_BOUND_L1,
	.by_cache = 1,
	.reason = why_credited};

/* The verdict on `credited` of estimates by one method; 0: that system was not estimated. */
static struct ct_verdict credit(const char *method, double judged, double line64, double line128,
                                double ideal)
{
	const char *const name[] = {"Split", "64B", "128B", "Ideal"};
	const double value[] = {judged, line64, line128, ideal};
	struct ct_profile *p = verdict_profile(8, 0.1);
	struct ct_verdict v;
	for (int i = 0; i < 4; i++)
		if (value[i] > 0)
			estimate_system(p, &credited, name[i], value[i], method);
	ct_verdict_decide(p, &credited, &v);
	ct_profile_free(p);
	return v;
}

/* What the best of the simpler systems gives too is no credit, and the reason names it. */
static void test_credit(void **state)
{
	(void)state;
	struct ct_verdict v = credit("full", 1.30, 1.05, 1.10, 0);
	assert_int_equal(v.word, CT_BENEFITS);
	assert_string_equal(v.alternative, "128B");
	assert_true(fabs(v.alternative_speedup - 1.10) < 1e-9);
	assert_int_equal(v.decided_by, CT_DECIDED_FULL);
	assert_non_null(strstr(v.reason, "+18.2 % over 128B"));
	v = credit("full", 1.30, 1.05, 1.33, 0);
	assert_int_equal(v.word, CT_NEUTRAL);
	assert_non_null(strstr(v.reason, "+30.0 %, which 128B gives too (+33.0 %)"));
	v = credit("full", 1.30, 1.05, 1.272, 0); /* 2.2 % more, with an error on both sides of 2 % */
	assert_int_equal(v.word, CT_UNKNOWN);
	assert_true(v.open);
	v = credit("full", 1.30, 1.05, 0, 0); /* one of them is not known */
	assert_int_equal(v.word, CT_UNKNOWN);
	v = credit("full", 0.90, 0, 0, 0); /* a loss needs no comparison */
	assert_int_equal(v.word, CT_HURTS);
	v = credit("full", 1.001, 0.9, 0.8, 0);
	assert_int_equal(v.word, CT_NEUTRAL);
}

/* Where even the ideal gains too little, nothing else is asked; a loss is possible all the same. */
static void test_bound(void **state)
{
	(void)state;
	struct ct_verdict v = credit("quick", 1.015, 1, 1, 1.004);
	assert_int_equal(v.word, CT_NEUTRAL);
	assert_int_equal(v.decided_by, CT_DECIDED_BOUND);
	assert_string_equal(v.reason, "even an L1 that never misses gains +0.4 %");
	v = credit("quick", 0.8, 1, 1, 1.004);
	assert_int_equal(v.word, CT_HURTS);
	v = credit("quick", 0, 0, 0, 1.004); /* without any estimate */
	assert_int_equal(v.word, CT_NEUTRAL);
	v = credit("quick", 0, 0, 0, 1.2);
	assert_int_equal(v.word, CT_UNKNOWN);
	assert_true(v.open);
	/* A replay of the system itself knows more than that of an ideal. */
	v = credit("full", 1.1, 1, 1, 1.004);
	assert_int_equal(v.word, CT_BENEFITS);
	v = credit("full", 1.015, 1, 1, 1.004);
	assert_int_equal(v.word, CT_NEUTRAL);
	v = credit("analytic", 1.5, 1, 1, 1.018); /* the error of the estimate passes the border */
	assert_int_not_equal(v.decided_by, CT_DECIDED_BOUND);
	/* An estimate above the bound stays in its range, and may be as far off below it. */
	assert_true(v.speedup == v.high && v.high > 1.018 && v.high < 1.04);
	assert_true(fabs(v.low - v.high * v.high / 1.5) < 1e-12);
	assert_int_equal(v.word, CT_UNKNOWN);
	v = credit("analytic", 0.995, 1, 1, 0.8); /* an ideal that loses makes no loss of an estimate */
	assert_int_not_equal(v.word, CT_HURTS);
	assert_true(v.low < v.speedup && v.speedup < v.high && v.speedup == 0.995);
}

/* What the ideal does not gain over a simpler system, nothing gains over it. */
static void test_bound_over(void **state)
{
	struct ct_profile *p = verdict_profile(8, 0.1);
	struct ct_verdict v;
	(void)state;
	estimate_system(p, &credited, "Split", 1.25, "analytic");
	estimate_system(p, &credited, "64B", 1, "quick");
	estimate_system(p, &credited, "128B", 1.30, "quick");
	estimate_system(p, &credited, "Ideal", 1.40, "quick");
	ct_verdict_decide(p, &credited, &v);
	assert_int_not_equal(v.decided_by, CT_DECIDED_BOUND);
	estimate_system(p, &credited, "Ideal", 1.31, "full");
	ct_verdict_decide(p, &credited, &v);
	assert_int_equal(v.word, CT_NEUTRAL);
	assert_int_equal(v.decided_by, CT_DECIDED_BOUND);
	assert_string_equal(v.reason, "even an L1 that never misses gains +31.0 %, and 128B +30.0 %");
	ct_profile_free(p);
}

/* A gain by a full replay is held against alternatives that were replayed in quick timing, but not against estimates. */
static void test_quick_alternatives(void **state)
{
	struct ct_profile *p = verdict_profile(8, 0.1);
	struct ct_verdict v;
	(void)state;
	estimate_system(p, &credited, "Split", 1.30, "full");
	estimate_system(p, &credited, "64B", 1.01, "analytic");
	estimate_system(p, &credited, "128B", 1.05, "quick");
	ct_verdict_decide(p, &credited, &v);
	assert_int_equal(v.word, CT_UNKNOWN);
	estimate_system(p, &credited, "64B", 1.01, "quick");
	ct_verdict_decide(p, &credited, &v);
	assert_int_equal(v.word, CT_BENEFITS);
	assert_int_equal(v.decided_by, CT_DECIDED_FULL);
	ct_profile_free(p);
}

/* Of several estimates the closest one decides. */
static void test_steps(void **state)
{
	static const char *const method[] = {"analytic", "quick", "full"};
	static const enum ct_verdict_step step[] = {
		CT_DECIDED_ESTIMATE, CT_DECIDED_QUICK, CT_DECIDED_FULL};
	struct ct_profile *p = verdict_profile(8, 0.1);
	struct ct_verdict v;
	(void)state;
	for (int i = 0; i < 3; i++) {
		const double speedup = 1.5 - i;
		estimate_system(p, &credited, "Split", speedup > 0 ? speedup : 0.7, method[i]);
		estimate_system(p, &credited, "64B", 1, method[i]);
		estimate_system(p, &credited, "128B", 1, method[i]);
		ct_verdict_decide(p, &credited, &v);
		assert_int_equal(v.decided_by, step[i]);
		assert_int_equal(v.word, i ? CT_HURTS : CT_BENEFITS);
	}
	ct_profile_free(p);
}

/* Lines that are asked for once are served by no cache, whatever its size. */
static void test_no_reuse(void **state)
{
	struct ct_profile *p = verdict_profile(8, 1);
	struct ct_verdict v;
	const char *const cold[] = {"all", "l1", "inf", "inf", "9990", "0"};
	const char *const warm[] = {"all", "l1", "4", "8", "10", "0"};
	(void)state;
	assert_int_equal(ct_profile_add(p, "RD", 6, cold, NULL), CT_OK);
	assert_int_equal(ct_profile_add(p, "RD", 6, warm, NULL), CT_OK);
	estimate_system(p, &credited, "Split", 1.01, "analytic");
	ct_verdict_decide(p, &credited, &v);
	assert_int_equal(v.word, CT_NEUTRAL);
	assert_int_equal(v.decided_by, CT_DECIDED_BOUND);
	assert_non_null(strstr(v.reason, "no reuse: 0.1 % of the lines"));
	ct_profile_free(p);
}

/* A line that is there may lack the sector that is asked for, so that lines miss more often than they are new. */
static void test_first_sectors(void **state)
{
	struct ct_profile *p = verdict_profile(8, 0.75);
	const char *const cold[] = {"all", "llc_sector", "inf", "inf", "380", "20"};
	(void)state;
	assert_true(ct_bound_first_touches(p) == 0.75);
	assert_int_equal(ct_profile_add(p, "RD", 6, cold, NULL), CT_OK);
	assert_true(ct_bound_first_touches(p) == 0.75); /* of how many is not told */
	assert_int_equal(ct_profile_add_count(p, "all", "llc_sector_misses", 500, NULL, "replay", NULL),
	                 CT_OK);
	assert_true(ct_bound_first_touches(p) == 0.8);
	ct_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_credit),     cmocka_unit_test(test_first_sectors),
		cmocka_unit_test(test_bound_over), cmocka_unit_test(test_quick_alternatives),
		cmocka_unit_test(test_bound),      cmocka_unit_test(test_steps),
		cmocka_unit_test(test_no_reuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
