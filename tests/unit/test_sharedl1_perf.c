/* What the model says that sharing costs against the replays that it stands for, on traces whose limits differ, with the
 * traffic forwarded through the LLC's slices: packets of one flit and of several, warps that end with stores, lines that all
 * SMs want at once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "models/registry.h"
#include "tests/support/gpus.h"
#include "tests/support/mechanism_trial.h"

enum { WARPS = 4, LINE = 128 };

/* CTAs of four warps. Each warp makes its loads one after the other, `passes` times over `lines` lines that are its own, or
 * those of all (common), and may store a line at its end. */
struct program {
	const char *name;
	unsigned ctas, lines, passes, common, stores;
};

static const struct program programs[] = {
	{"own lines that hit", 40, 4, 16, 0, 0},
	{"short warps that store", 240, 1, 1, 0, 1},
	{"a stream", 120, 16, 1, 0, 0},
	{"lines of all that hit", 40, 16, 8, 1, 0},
};

static void write_warp(struct micro *m, const struct program *p, uint32_t warp)
{
	const uint32_t first = p->common ? 0 : warp * p->lines, loads = p->lines * p->passes;
	micro_warp(m, warp % WARPS, 2 * loads + (p->stores != 0) + 1);
	for (uint32_t k = 0; k < loads; k++) {
		micro_line(m, "ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4",
		           0x10000000u + (first + k % p->lines) * LINE);
		micro_line(m, "ffffffff 1 R60 FADD 2 R60 R4 0");
	}
	if (p->stores)
		micro_line(m, "ffffffff 0 STG.E 2 R2 R60 4 1 0x%x 4", 0x20000000u + warp * LINE);
	micro_line(m, "ffffffff 0 EXIT 0 0");
}

static void write_program(struct micro *m, const struct program *p)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "k", p->ctas, 32 * WARPS, 0, 32);
	for (uint32_t c = 0; c < p->ctas; c++) {
		micro_cta(m);
		for (uint32_t w = 0; w < WARPS; w++)
			write_warp(m, p, c * WARPS + w);
		micro_cta_end(m);
	}
}

static void expect_near(const struct mechanism_trial *t, const char *what, const char *system)
{
	const double got = trial_value(t, system, "speedup_configured", "analytic"),
		     want = trial_value(t, system, "speedup_configured", "replay");
	if (!(fabs(log(got / want)) < 0.22))
		fail_msg("%s: %s: estimated %.3f, replayed %.3f", what, system, got, want);
}

static void follows_the_replays(void **state)
{
	static const char *const gpus[] = {"fermi-15", "rtx3080"};
	int i = ct_mechanism_find("shared-l1");
	(void)state;
	assert_true(i >= 0);
	for (size_t k = 0; k < 2 * sizeof programs / sizeof programs[0]; k++) {
		const struct program *p = &programs[k / 2];
		struct mechanism_trial t;
		struct ct_error e = {0};
		struct ct_gpu g;
		struct micro m;
		char what[64];
		snprintf(what, sizeof what, "%s, %s", p->name, gpus[k % 2]);
		write_program(&m, p);
		test_gpu(&g, gpus[k % 2]);
		assert_int_equal(ct_gpu_scale(&g, k % 2 ? 1 / 16.0 : 1 / 3.0, &e), CT_OK);
		trial_new(&t, ct_mechanism_at((unsigned)i), &g, &m);
		t.run.method = CT_BY_AUTO;
		t.run.check = 1;
		trial_pass(&t, 1);
		assert_int_equal(t.run.mechanism->estimate(&t.run, &e), CT_OK);
		assert_int_equal(t.run.mechanism->replay(&t.run, "a test", &e), CT_OK);
		expect_near(&t, what, "Shared");
		trial_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(follows_the_replays)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
