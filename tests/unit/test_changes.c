/* Change points: the pruned search against all divisions, and steps in noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "common/changes.h"

enum { SMALL = 12, DIMS = 2, LONG = 3000 };

static double random_of(uint64_t *rng)
{
	return (double)(ct_mix64((*rng)++) >> 11) * 0x1p-53;
}

/* Nearly normal: the sum of twelve. */
static double noise(uint64_t *rng)
{
	double v = -6;
	for (int i = 0; i < 12; i++)
		v += random_of(rng);
	return v;
}

/* Squared error of a division around its means; in whatever unit x has. */
static double cost_of(const double *x, const unsigned *phase, size_t n, unsigned *stretches)
{
	double cost = 0;
	*stretches = 0;
	for (size_t a = 0, b; a < n; a = b) {
		for (b = a; b < n && phase[b] == phase[a];)
			b++;
		++*stretches;
		for (unsigned k = 0; k < DIMS; k++) {
			double mean = 0;
			for (size_t i = a; i < b; i++)
				mean += x[i * DIMS + k] / (double)(b - a);
			for (size_t i = a; i < b; i++)
				cost += (x[i * DIMS + k] - mean) * (x[i * DIMS + k] - mean);
		}
	}
	return cost;
}

/* Of all divisions into as many stretches none has a smaller error: both dimensions have the same noise here, as each is
 * the other one backwards, so that the unit does not matter. */
static void best_of_all_divisions(void **state)
{
	uint64_t rng = 3;
	(void)state;
	for (int round = 0; round < 40; round++) {
		double x[SMALL * DIMS];
		unsigned phase[SMALL], other[SMALL], n = 0, m = 0;
		struct ct_error e;
		for (int i = 0; i < SMALL; i++) {
			x[i * DIMS] = 0.5 * noise(&rng) + (i > 2 + round % 7 ? 9 : 0);
			x[(SMALL - 1 - i) * DIMS + 1] = x[i * DIMS];
		}
		assert_int_equal(ct_changes(x, SMALL, DIMS, phase, &e), CT_OK);
		double found = cost_of(x, phase, SMALL, &n), best = INFINITY;
		assert_int_equal(phase[0], 1);
		assert_int_equal(phase[SMALL - 1], n);
		for (unsigned bits = 0; bits < 1u << (SMALL - 1); bits++) {
			other[0] = 1;
			for (int i = 1; i < SMALL; i++)
				other[i] = other[i - 1] + (bits >> (i - 1) & 1);
			double c = other[SMALL - 1] == n ? cost_of(x, other, SMALL, &m) : INFINITY;
			best = c < best ? c : best;
		}
		assert_true(found <= best * (1 + 1e-9) + 1e-9);
	}
}

static void steps_in_noise(void **state)
{
	static double x[LONG];
	static unsigned phase[LONG];
	uint64_t rng = 11;
	struct ct_error e;
	(void)state;
	for (int i = 0; i < LONG; i++)
		x[i] = noise(&rng) + (i < 900 ? 0 : i < 2100 ? 5 : 1);
	x[17] = NAN;
	assert_int_equal(ct_changes(x, LONG, 1, phase, &e), CT_OK);
	assert_int_equal(phase[LONG - 1], 3);
	assert_true(phase[880] == 1 && phase[920] == 2 && phase[2080] == 2 && phase[2120] == 3);
}

static void quiet_runs_have_one_phase(void **state)
{
	static double x[LONG];
	static unsigned phase[LONG];
	uint64_t rng = 5;
	struct ct_error e;
	(void)state;
	for (int i = 0; i < LONG; i++)
		x[i] = noise(&rng);
	assert_int_equal(ct_changes(x, LONG, 1, phase, &e), CT_OK);
	assert_int_equal(phase[LONG - 1], 1);
	for (int i = 0; i < LONG; i++)
		x[i] = NAN;
	assert_int_equal(ct_changes(x, LONG, 1, phase, &e), CT_OK);
	assert_int_equal(phase[LONG - 1], 1);
	assert_int_equal(ct_changes(x, 1, 1, phase, &e), CT_OK);
	assert_int_equal(phase[0], 1);
	assert_int_equal(ct_changes(x, 0, 1, phase, &e), CT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(best_of_all_divisions),
		cmocka_unit_test(steps_in_noise),
		cmocka_unit_test(quiet_runs_have_one_phase),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
