/* The part of a GPU that a small trace is run on: waves by a profile's launches and by headers alone, and the factor against
 * a search over all parts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pass/scale.h"
#include "tests/support/gpus.h"

static const char *const gpus[] = {"rtx3080", "sharedl1-28", "fermi-15", "rtx2060-third"};
enum { GPUS = sizeof gpus / sizeof gpus[0] };

/* The parts one by one: the largest that is filled, or the smallest. */
static void search_part(const struct ct_gpu *whole, double waves, struct ct_gpu *part)
{
	uint32_t n = whole->llc_slices < whole->dram_channels ? whole->llc_slices : whole->dram_channels;
	for (uint32_t c = n; c > 0; c--) {
		*part = *whole;
		part->sms = (whole->sms * c + n - 1) / n;
		part->dram_channels = whole->dram_channels * c / n;
		part->llc_slices = whole->llc_slices * c / n;
		if (waves >= 2 * part->sms)
			return;
	}
}

static void test_factor(void **state)
{
	(void)state;
	for (int i = 0; i < GPUS; i++) {
		struct ct_gpu whole;
		uint32_t least = 0;
		test_gpu(&whole, gpus[i]);
		for (double waves = 0.25; waves < 2.5 * whole.sms; waves += 0.25) {
			struct ct_gpu part = whole, wanted;
			search_part(&whole, waves, &wanted);
			double f = ct_pass_scale_factor(&whole, waves);
			if (f != 1)
				assert_int_equal(ct_gpu_scale(&part, f, NULL), CT_OK);
			assert_int_equal(part.sms, wanted.sms);
			assert_int_equal(part.dram_channels, wanted.dram_channels);
			assert_int_equal(part.llc_slices, wanted.llc_slices);
			assert_true(part.sms >= least); /* more waves never get less */
			least = part.sms;
		}
		assert_int_equal(least, whole.sms);
	}
}

/* A GPU of fewer SMs than channels keeps the channels of one SM; one of one channel stays as it is. */
static void test_factor_of_odd_gpus(void **state)
{
	struct ct_gpu g, part;
	struct ct_error e;
	(void)state;
	test_gpu(&g, "rtx3080");
	assert_int_equal(ct_gpu_set(&g, "sm.count=2", &e), CT_OK);
	part = g;
	assert_int_equal(ct_gpu_scale(&part, ct_pass_scale_factor(&g, 0.5), &e), CT_OK);
	assert_int_equal(part.sms, 1);
	assert_int_equal(part.dram_channels, 10);
	g.sms = 5;
	g.dram_channels = g.llc_slices = g.llc_partitions = 1;
	assert_true(ct_pass_scale_factor(&g, 0.5) == 1);
}

static void add_launch(struct ct_profile *p, const char *id, const char *ctas, const char *block,
                       const char *warps, const char *insts)
{
	const char *field[] = {id, "k", ctas, block, warps, insts, "0", "0", "32", "0"};
	assert_int_equal(ct_profile_add(p, "KN", 10, field, NULL), CT_OK);
}

/* fermi-15 holds 8 CTAs of one warp, and 1536 / 256 = 6 of eight (their registers: 32768 / (256 x 32) = 4). */
static void test_waves(void **state)
{
	struct ct_gpu g;
	double waves = 0;
	struct ct_profile *p = ct_profile_new(NULL);
	(void)state;
	assert_non_null(p);
	test_gpu(&g, "fermi-15");
	assert_int_equal(ct_pass_waves(p, &g, &waves, NULL), 1); /* no launch */
	add_launch(p, "1", "(16,1,1)", "(32,1,1)", "16", "1000");
	assert_int_equal(ct_pass_waves(p, &g, &waves, NULL), CT_OK);
	assert_true(waves == 2);
	/* Of more than half of the instructions, and by the CTAs that the trace has, not by the grid. */
	add_launch(p, "2", "(4096,1,1)", "(256,1,1)", "96", "3000");
	assert_int_equal(ct_pass_waves(p, &g, &waves, NULL), CT_OK);
	assert_true(waves == 3);
	add_launch(p, "3", "(8,1,1)", "(32,1,1)", "8", "5000");
	assert_int_equal(ct_pass_waves(p, &g, &waves, NULL), CT_OK);
	assert_true(waves == 1);
	/* A launch that does not say what it is. */
	add_launch(p, "4", "8", "(32,1,1)", "8", "1");
	assert_int_equal(ct_pass_waves(p, &g, &waves, NULL), 1);
	ct_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_factor),
		cmocka_unit_test(test_factor_of_odd_gpus),
		cmocka_unit_test(test_waves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
