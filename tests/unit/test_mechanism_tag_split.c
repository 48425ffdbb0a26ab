/* The Tag-Split Cache through struct ct_mechanism alone: pass, estimate, replay, sweep, tables, reasons. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "models/registry.h"
#include "models/tag_split/systems.h"
#include "tests/support/gpus.h"
#include "tests/support/mechanism_trial.h"

/* One CTA on each of two SMs whose L1s have 16 KiB; a warp loads the first 32 bytes of each
 * of `lines` blocks, and does so twice. */
static void make_trace(struct micro *m, unsigned lines, unsigned stride)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "walk", 2, 32, 0, 32);
	for (int cta = 0; cta < 2; cta++) {
		micro_cta(m);
		micro_warp(m, 0, 2 * lines + 1);
		for (unsigned k = 0; k < 2 * lines; k++)
			micro_line(m, "000000ff 1 R%u LDG.E 1 R2 4 1 0x%x 4", 4 + k % 8,
			           0x10000000u + (unsigned)cta * 0x1000000u + k % lines * stride);
		micro_line(m, "ffffffff 0 EXIT 0 0");
		micro_cta_end(m);
	}
}

static void make_gpu(struct ct_gpu *g)
{
	static const char *const settings[] = {"sm.count=2", "l1.size=16KiB"};
	test_gpu_with(g, "fermi-15", settings, 2);
}

static const struct ct_mechanism *mechanism(void)
{
	int i = ct_mechanism_find("tag-split");
	assert_true(i >= 0);
	return ct_mechanism_at((unsigned)i);
}

static void new_trial(struct mechanism_trial *t, unsigned lines, unsigned stride)
{
	struct micro m;
	struct ct_gpu g;
	make_trace(&m, lines, stride);
	make_gpu(&g);
	trial_new(t, mechanism(), &g, &m);
}

static void expect_ok(int st, const struct ct_error *e)
{
	if (st != CT_OK)
		fail_msg("%d: %s", st, e->text);
}

static void tables_agree(void **state)
{
	const struct ct_mechanism *m = mechanism();
	(void)state;
	assert_int_equal(m->n_systems, CT_TS_SYSTEMS);
	for (unsigned i = 0; i < m->n_systems; i++)
		assert_string_equal(m->systems[i].name, ct_ts_system_at(i)->name);
}

/* Times of an earlier replay are not of the GPU in force, counts of its L1s are. */
static void another_gpu(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	(void)state;
	new_trial(&t, 192, 128);
	trial_pass(&t, 1);
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	expect_ok(t.run.mechanism->replay(&t.run, "--method replay", &e), &e);
	double misses = trial_value(&t, "TSC", "l1_request_misses", "replay");
	assert_true(trial_value(&t, "TSC", "speedup", "replay") > 0);
	t.run.from_trace = 0;
	t.run.changed = 1;
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	assert_true(isnan(trial_value(&t, "TSC", "speedup", "replay")));
	assert_true(trial_value(&t, "TSC", "l1_request_misses", "replay") == misses);
	trial_free(&t);
}

/* 192 lines of which a quarter is used: four chunks fit where one line did, so that the second round hits
 * nearly always in small chunks and never in lines of 128 bytes. */
static void chunks_keep_what_lines_lose(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	char text[320];
	(void)state;
	new_trial(&t, 192, 128);
	trial_pass(&t, 1);
	assert_int_equal(t.run.mechanism->measured(t.run.p), 1);
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	assert_float_equal(trial_value(&t, "128B", "mem_inst_miss_rate", "replay"), 1, 1e-9);
	assert_float_equal(trial_value(&t, "TSC", "mem_inst_miss_rate", "replay"), 0.5, 0.05);
	assert_float_equal(trial_value(&t, "Perfect", "mem_inst_miss_rate", "replay"), 0.5, 1e-9);
	assert_float_equal(trial_value(&t, "128B", "speedup", "analytic"), 1, 1e-9);
	assert_true(trial_value(&t, "TSC+", "speedup_configured", "analytic") > 1.1);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), 1);
	t.run.mechanism->reason(t.run.p, &(struct ct_mechanism_number){1.2, 1.1, 1.3}, text,
	                        sizeof text);
	assert_non_null(strstr(text, "loads that miss L1 fall from 100 to 5"));
	assert_non_null(strstr(text, "one of four chunks used"));
	struct ct_buf b = {0};
	trial_show(&t, &b);
	assert_non_null(strstr(b.data, "TSC-coarse"));
	assert_non_null(strstr(b.data, "line size: CLN"));
	assert_non_null(strstr(b.data, "published means of 15 programs"));
	ct_buf_free(&b);
	trial_free(&t);
}

/* What fits leaves the mechanism nothing but smaller fetches; with sectors not even those. */
static void nothing_to_act_on(void **state)
{
	struct mechanism_trial t;
	char text[320];
	(void)state;
	new_trial(&t, 32, 128);
	trial_pass(&t, 1);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), 1);
	trial_free(&t);
	/* Distances beyond a set's ways and within the capacity leave it open. */
	new_trial(&t, 32, 128);
	t.gpu.l1.sector = 32;
	trial_pass(&t, 1);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), -1);
	trial_free(&t);
	/* Whichever systems the pass has measured, the answer is the same. */
	for (int judged = 0; judged < 2; judged++) {
		new_trial(&t, 3, 128);
		t.gpu.l1.sector = 32;
		t.run.judged_only = judged;
		trial_pass(&t, 1);
		assert_int_equal(isnan(trial_value(&t, "Perfect", "l1_request_misses", NULL)), judged);
		assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), 0);
		assert_non_null(strstr(text, "0 evictions from the L1s"));
		trial_free(&t);
	}
}

/* A verdict's systems alone come out as with all others. */
static void judged_alone(void **state)
{
	struct mechanism_trial all, few;
	struct ct_error e = {0};
	(void)state;
	new_trial(&all, 160, 64);
	trial_pass(&all, 1);
	expect_ok(all.run.mechanism->estimate(&all.run, &e), &e);
	new_trial(&few, 160, 64);
	few.run.judged_only = 1;
	trial_pass(&few, 1);
	expect_ok(few.run.mechanism->estimate(&few.run, &e), &e);
	static const char *const metrics[] = {"speedup_configured", "mem_inst_miss_rate", "energy_j"};
	for (int i = 0; i < 3; i++)
		assert_true(trial_value(&all, "TSC+", metrics[i], NULL) ==
		            trial_value(&few, "TSC+", metrics[i], NULL));
	assert_true(isnan(trial_value(&few, "LAMAR", "speedup", NULL)));
	/* what a verdict holds it against, and what bounds it */
	for (const char *const *a = few.run.mechanism->alternatives; *a; a++)
		assert_true(trial_value(&few, *a, "speedup_configured", NULL) ==
		            trial_value(&all, *a, "speedup_configured", NULL));
	assert_true(trial_value(&few, few.run.mechanism->ideal, "speedup_configured", NULL) >=
	            trial_value(&few, "TSC+", "speedup_configured", NULL));
	trial_free(&few);
	trial_free(&all);
}

/* A profile that nothing was measured for is completed from its trace, to the same numbers as in the pass. */
static void measured_later(void **state)
{
	struct mechanism_trial with, without;
	struct ct_error e = {0};
	(void)state;
	new_trial(&without, 96, 256);
	trial_pass(&without, 0);
	assert_int_equal(without.run.mechanism->measured(without.run.p), 0);
	without.run.method = CT_BY_ANALYTIC;
	assert_int_equal(without.run.mechanism->estimate(&without.run, &e), CT_ERR_USAGE);
	assert_non_null(strstr(e.text, "needs the trace"));
	without.run.method = CT_BY_AUTO;
	expect_ok(without.run.mechanism->estimate(&without.run, &e), &e);
	new_trial(&with, 96, 256);
	trial_pass(&with, 1);
	expect_ok(with.run.mechanism->estimate(&with.run, &e), &e);
	assert_true(trial_value(&with, "TSC", "speedup", NULL) ==
	            trial_value(&without, "TSC", "speedup", NULL));
	with.run.workload = NULL;
	ct_profile_remove(with.run.p, "IM", NULL, NULL);
	assert_int_equal(with.run.mechanism->estimate(&with.run, &e), CT_ERR_INPUT);
	with.run.l1_changed = 1;
	assert_int_equal(with.run.mechanism->estimate(&with.run, &e), CT_ERR_INPUT);
	trial_free(&with);
	trial_free(&without);
}

/* -p changes what the trace is measured with. */
static void parameters(void **state)
{
	static const char *const set[] = {"tsc.chunk=128"};
	struct ct_error e = {0};
	(void)state;
	struct mechanism_trial t;
	new_trial(&t, 192, 128);
	t.run.set = set;
	t.run.n_set = 1;
	trial_pass(&t, 0);
	assert_true(t.run.mechanism->values(&t.run)[1] == 128);
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	assert_true(trial_value(&t, "TSC", "mem_inst_miss_rate", "replay") >
	            0.8); /* one chunk is a line */
	trial_free(&t);
	static const char *const wrong[] = {"tsc.chunk=24", "tsc.chunck=32", "tsc.lru=0.5", "tsc.chunk"};
	for (int i = 0; i < 4; i++) {
		struct ct_mechanism_run run = {.mechanism = mechanism(), .set = &wrong[i], .n_set = 1};
		assert_int_equal(run.mechanism->open(&run, &e), CT_ERR_USAGE);
		run.mechanism->close(&run);
	}
}

static void replayed_and_swept(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	struct ct_range_spec chunk = {.key = "chunk", .first = 32, .last = 128, .factor = 2, .whole = 1};
	const struct ct_record *r;
	size_t points = 0;
	(void)state;
	new_trial(&t, 192, 128);
	t.run.sweep = &chunk;
	trial_pass(&t, 1);
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	expect_ok(t.run.mechanism->replay(&t.run, "--method replay", &e), &e);
	assert_float_equal(trial_value(&t, "128B", "speedup", "replay"), 1, 1e-9);
	assert_true(trial_value(&t, "TSC", "speedup", "replay") > 1);
	expect_ok(t.run.mechanism->sweep(&t.run, &e), &e);
	for (size_t i = 0; (r = ct_profile_next(t.run.p, "SW", &i));)
		points += !strcmp(r->field[3], "chunk") && !strcmp(r->field[5], "mem_inst_miss_rate");
	assert_int_equal(points, 3);
	trial_check_records(&t);
	struct ct_buf b = {0};
	trial_show(&t, &b);
	assert_non_null(strstr(b.data, "by both methods"));
	ct_buf_free(&b);
	trial_free(&t);
}

static void ranges_that_fit_no_l1(void **state)
{
	struct ct_range_spec chunk = {.key = "chunk", .first = 8, .last = 64, .step = 8, .whole = 1};
	struct ct_mechanism_run run = {.mechanism = mechanism(), .sweep = &chunk};
	struct ct_error e = {0};
	(void)state;
	assert_int_equal(run.mechanism->open(&run, &e), CT_ERR_USAGE);
	assert_non_null(strstr(e.text, "power of two"));
	run.mechanism->close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_agree),
		cmocka_unit_test(another_gpu),
		cmocka_unit_test(chunks_keep_what_lines_lose),
		cmocka_unit_test(nothing_to_act_on),
		cmocka_unit_test(judged_alone),
		cmocka_unit_test(measured_later),
		cmocka_unit_test(parameters),
		cmocka_unit_test(replayed_and_swept),
		cmocka_unit_test(ranges_that_fit_no_l1),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
