/* What GSL answers against closed forms and slower ways to the same numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/numeric.h"

static void near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fabs(want)))
		fail_msg("got %.17g, wanted %.17g within %g", got, want, relative);
}

/* ---- roots ---- */

/* Functions that rise or fall all the way, of a kind and a parameter. */
struct curve {
	int kind;
	double at;
	unsigned calls;
};

static double curve(void *ctx, double x)
{
	struct curve *c = ctx;
	c->calls++;
	switch (c->kind) {
	case 0: return x - c->at;
	case 1: return c->at * c->at * c->at - x * x * x;
	case 2: return exp(x) - exp(c->at);
	case 3: return x < c->at ? -1e-3 : 1e3 * (x - c->at) + 1e-9; /* a step */
	case 4: return fmin(fmax(1e9 * (x - c->at), -1), 1);         /* flat but for the crossing */
	case 5: return 1 / (c->at + 1) - 1 / (x + 1);
	default: return NAN;
	}
}

static double bisected(struct curve *c, double lo, double hi)
{
	int rises = curve(c, hi) > curve(c, lo);
	for (int i = 0; i < 200; i++) {
		double mid = lo + (hi - lo) / 2;
		if ((curve(c, mid) < 0) == rises)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

static void root_is_where_bisection_ends(void **state)
{
	uint64_t rng = 7;
	(void)state;
	for (int i = 0; i < 6000; i++) {
		struct curve c = {.kind = i % 6, .at = (double)(ct_rand64(&rng) >> 40) / 1e6};
		double lo = c.at * (double)(ct_rand64(&rng) >> 12) * 0x1p-52, hi = c.at + 1e-6 + lo / 3,
		       x = -1;
		assert_int_equal(ct_root_between(curve, &c, lo, hi, &x), 0);
		assert_true(c.calls < 200);
		near(x, bisected(&c, lo, hi), 1e-12);
	}
}

static void root_at_an_end(void **state)
{
	struct curve c = {.at = 2};
	double x = -1;
	(void)state;
	assert_int_equal(ct_root_between(curve, &c, 2, 5, &x), 0);
	assert_true(x == 2);
	assert_int_equal(ct_root_between(curve, &c, -3, 2, &x), 0);
	assert_true(x == 2);
	assert_int_equal(ct_root_between(curve, &c, 2, 2, &x), 0);
	assert_true(x == 2);
}

static double broken_inside(void *ctx, double x)
{
	(void)ctx;
	return x < 1 ? -1 : x > 2 ? 1 : INFINITY;
}

static void no_root(void **state)
{
	struct curve c = {.at = 2}, nan = {.kind = 9};
	double x = -7;
	(void)state;
	assert_int_equal(ct_root_between(curve, &c, 3, 5, &x), -1);
	assert_int_equal(ct_root_between(curve, &c, 0, 1, &x), -1);
	assert_int_equal(ct_root_between(curve, &c, 5, 0, &x), -1);
	assert_int_equal(ct_root_between(curve, &c, 0, INFINITY, &x), -1);
	assert_int_equal(ct_root_between(curve, &c, NAN, 5, &x), -1);
	assert_int_equal(ct_root_between(curve, &nan, 0, 5, &x), -1);
	assert_int_equal(ct_root_between(broken_inside, NULL, 0, 3, &x), -1);
	assert_true(x == -7);
}

/* x^2 + x - at, whose root is known. */
static double parabola(void *ctx, double x, double *slope)
{
	*slope = 2 * x + 1;
	return x * x + x - *(double *)ctx;
}

static double oddity(void *ctx, double x, double *slope)
{
	int kind = *(int *)ctx;
	*slope = kind == 0 ? 0 : kind == 1 ? NAN : kind == 2 ? 1 : INFINITY;
	return kind == 2 && x < 5 ? NAN : 1;
}

static void newton_comes_down_to_the_root(void **state)
{
	uint64_t rng = 3;
	(void)state;
	for (int i = 0; i < 3000; i++) {
		double at = (double)(ct_rand64(&rng) >> 24) / 1e4,
		       want = 2 * at / (1 + sqrt(1 + 4 * at));
		near(ct_root_newton_down(parabola, &at, want * (1 + i / 100.0) + 1e-3), want, 1e-14);
	}
	double two = 2;
	assert_true(ct_root_newton_down(parabola, &two, 0.5) == 0.5); /* already below */
	for (int kind = 0; kind < 4; kind++)
		assert_true(ct_root_newton_down(oddity, &kind, 5) <= 5);
	assert_true(isinf(ct_root_newton_down(parabola, &two, INFINITY)));
}

/* ---- distributions ---- */

/* Simpson's rule over the density of Student's t with `freedom` degrees. */
static double student_within(unsigned freedom, double t)
{
	enum { PARTS = 20000 };
	double h = 2 * t / PARTS, sum = 0;
	double scale = exp(lgamma((freedom + 1) / 2.0) - lgamma(freedom / 2.0)) / sqrt(freedom * M_PI);
	for (int i = 0; i <= PARTS; i++) {
		double x = -t + i * h, weight = i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2;
		sum += weight * scale * pow(1 + x * x / freedom, -((double)freedom + 1) / 2);
	}
	return sum * h / 3;
}

static void factors_of_intervals(void **state)
{
	/* To the three decimals of any printed table. */
	static const double printed[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
	                                 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120};
	(void)state;
	near(erf(ct_normal_factor95() / M_SQRT2), 0.95, 1e-14);
	near(ct_student_factor95(1), tan(0.475 * M_PI), 1e-13);
	near(ct_student_factor95(2), 0.95 * sqrt(2 / (1 - 0.95 * 0.95)), 1e-13);
	for (unsigned i = 0; i < 16; i++)
		assert_true(fabs(ct_student_factor95(i + 1) - printed[i]) < 5.001e-4);
	for (unsigned freedom = 3; freedom < 40; freedom++)
		near(student_within(freedom, ct_student_factor95(freedom)), 0.95, 1e-12);
	for (unsigned freedom = 1; freedom < 3000; freedom++)
		assert_true(ct_student_factor95(freedom) > ct_student_factor95(freedom + 1));
	assert_true(ct_student_factor95(UINT32_MAX) >= ct_normal_factor95() - 1e-8);
	assert_true(isinf(ct_student_factor95(0)));
}

/* Pascal's triangle, exact in 64 bits up to row 62. */
static void choose_is_pascals(void **state)
{
	uint64_t row[64] = {1};
	(void)state;
	for (int n = 0; n < 62; n++) {
		for (int k = 0; k <= n; k++)
			assert_true(fabs(ct_log_choose(n, k) - log((double)row[k])) < 1e-12);
		for (int k = n + 1; k > 0; k--)
			row[k] += row[k - 1];
	}
	assert_true(isnan(ct_log_choose(3, 4)));
	assert_true(isnan(ct_log_choose(3, -1)));
	assert_true(isnan(ct_log_choose(INFINITY, 1)));
	assert_true(isnan(ct_log_choose(NAN, 1)));
}

/* Products one by one, where lgamma() has lost its digits. */
static void choose_of_many(void **state)
{
	static const double many[] = {1e4, 1e6, 1e9, 1e12, 0x1p52, 1e18};
	(void)state;
	for (size_t i = 0; i < sizeof many / sizeof many[0]; i++)
		for (double k = 1; k < 600; k = ceil(k * 1.3)) {
			long double sum = 0;
			for (double j = 0; j < k; j++)
				sum += logl(((long double)many[i] - j) / (j + 1));
			near(ct_log_choose(many[i], k), (double)sum, 3e-14);
		}
}

/* ---- samples ---- */

static void means_and_their_errors(void **state)
{
	uint64_t rng = 11;
	(void)state;
	for (size_t n = 1; n < 40; n++) {
		double v[40], sum = 0, squares = 0;
		for (size_t i = 0; i < n; i++)
			sum += v[i] = (double)(ct_rand64(&rng) >> 50) / 16;
		for (size_t i = 0; i < n; i++)
			squares += (v[i] - sum / (double)n) * (v[i] - sum / (double)n);
		near(ct_mean(v, n), sum / (double)n, 1e-14);
		if (n > 1)
			near(ct_mean_error(v, n), sqrt(squares / (double)(n - 1) / (double)n), 1e-12);
		else
			assert_true(isinf(ct_mean_error(v, n)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_is_where_bisection_ends),
		cmocka_unit_test(root_at_an_end),
		cmocka_unit_test(no_root),
		cmocka_unit_test(newton_comes_down_to_the_root),
		cmocka_unit_test(factors_of_intervals),
		cmocka_unit_test(choose_is_pascals),
		cmocka_unit_test(choose_of_many),
		cmocka_unit_test(means_and_their_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
