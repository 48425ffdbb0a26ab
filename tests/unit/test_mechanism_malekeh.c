/* Malekeh through struct ct_mechanism alone: pass, estimate, replay, sweep, tables, reasons. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "models/malekeh/system.h"
#include "models/registry.h"
#include "tests/support/gpus.h"
#include "tests/support/mechanism_trial.h"

enum { STEPS = 60 };

/* Four warps on one SM that add many times. With `again` each sum is an operand of the next; without, every
 * register is read by one instruction only. */
static void make_trace(struct micro *m, int again)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "sum", 1, 128, 0, 200);
	micro_cta(m);
	for (uint32_t w = 0; w < 4; w++) {
		micro_warp(m, w, STEPS + 1);
		for (unsigned k = 0; k < STEPS; k++) {
			unsigned x = again ? 4 : 4 + 2 * k, y = again ? 5 : x + 1;
			micro_line(m, "ffffffff 1 R%u FADD 2 R%u R%u 0", again ? 4 : 150 + k % 20, x, y);
		}
		micro_line(m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(m);
}

static const struct ct_mechanism *mechanism(void)
{
	int i = ct_mechanism_find("malekeh");
	assert_true(i >= 0);
	return ct_mechanism_at((unsigned)i);
}

static void new_trial(struct mechanism_trial *t, int again)
{
	static const char *const settings[] = {"sm.count=1"};
	struct micro m;
	struct ct_gpu g;
	make_trace(&m, again);
	test_gpu_with(&g, "rtx3080", settings, 1);
	trial_new(t, mechanism(), &g, &m);
}

static void expect_ok(int st, const struct ct_error *e)
{
	if (st != CT_OK)
		fail_msg("%d: %s", st, e->text);
}

/* The pass again, as a command makes it: the observer's records come in a profile of their own. */
struct passes {
	struct mechanism_trial *trial;
	int made, taken;
	int fails;
};

static int pass_again(struct ct_mechanism_run *run, const char *why, struct ct_profile **p,
                      struct ct_error *e)
{
	struct passes *x = run->caller;
	struct ct_mechanism_run before = *run;
	assert_non_null(why);
	if (x->fails)
		return ct_fail(e, CT_ERR_IO, "the trace is gone");
	x->made++;
	trial_measure(x->trial);
	*p = run->p;
	*run = before;
	return CT_OK;
}

static void take(struct ct_mechanism_run *run, struct ct_profile *p)
{
	struct passes *x = run->caller;
	x->taken++;
	ct_profile_free(run->p);
	run->p = p;
	run->changed = 0;
}

static void let_pass(struct mechanism_trial *t, struct passes *x)
{
	*x = (struct passes){.trial = t};
	t->run.pass_again = pass_again;
	t->run.take = take;
	t->run.caller = x;
}

/* ---- tests ---- */

static void tables_agree(void **state)
{
	const struct ct_mechanism *m = mechanism();
	(void)state;
	assert_int_equal(m->n_systems, CT_MK_ALL_SYSTEMS);
	for (unsigned i = 0; i < m->n_systems; i++) {
		assert_string_equal(m->systems[i].name, ct_mk_system_at(i)->name);
		assert_string_equal(m->systems[i].help, ct_mk_system_at(i)->what);
	}
}

/* What is read again at once is found in the collectors; the banks are spared those reads. */
static void registers_that_come_again(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	struct ct_mechanism_number one = {1, NAN, NAN};
	char text[320];
	(void)state;
	new_trial(&t, 1);
	trial_pass(&t, 1);
	assert_int_equal(t.run.mechanism->measured(t.run.p), 1);
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	assert_true(trial_value(&t, "Malekeh", "rf_hit_ratio", "replay") > 0.5);
	assert_float_equal(trial_value(&t, "OCU", "rf_hit_ratio", "replay"), 0, 1e-12);
	assert_float_equal(trial_value(&t, "OCU", "speedup", "replay"), 1, 1e-12);
	assert_true(trial_value(&t, "Malekeh", "rf_bank_reads_ratio", "replay") < 0.5);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), 1);
	t.run.mechanism->reason(t.run.p, &one, text, sizeof text);
	assert_non_null(strstr(text, "of register reads hit the collectors"));
	struct ct_buf b = {0};
	trial_show(&t, &b);
	assert_non_null(strstr(b.data, "Malekeh_PR"));
	assert_non_null(strstr(b.data, "energy: Malekeh's registers take"));
	assert_non_null(strstr(b.data, "published:"));
	ct_buf_free(&b);
	trial_free(&t);
}

static void registers_that_do_not(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	char text[320];
	(void)state;
	new_trial(&t, 0);
	trial_pass(&t, 1);
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), 0);
	assert_string_equal(text, "no register is read twice");
	assert_float_equal(trial_value(&t, "Malekeh", "rf_hit_ratio", "replay"), 0, 1e-12);
	trial_free(&t);
}

/* A verdict's systems alone come out as with all others. */
static void judged_alone(void **state)
{
	struct mechanism_trial all, few;
	struct ct_error e = {0};
	static const char *const metrics[] = {
		"speedup_configured", "rf_hit_ratio", "issue_stall_fraction"};
	(void)state;
	new_trial(&all, 1);
	trial_pass(&all, 1);
	new_trial(&few, 1);
	few.run.judged_only = 1;
	trial_pass(&few, 1);
	expect_ok(few.run.mechanism->estimate(&few.run, &e), &e);
	for (int i = 0; i < 3; i++)
		assert_true(trial_value(&all, "Malekeh", metrics[i], NULL) ==
		            trial_value(&few, "Malekeh", metrics[i], NULL));
	assert_true(isnan(trial_value(&few, "BOW", "speedup", NULL)));
	trial_free(&few);
	trial_free(&all);
}

/* Bounds where nothing was measured; the trace where it may be read; an error where neither will do. */
static void measured_later(void **state)
{
	struct mechanism_trial t;
	struct passes x;
	struct ct_error e = {0};
	(void)state;
	new_trial(&t, 1);
	trial_pass(&t, 0);
	assert_int_equal(t.run.mechanism->measured(t.run.p), 0);
	assert_int_equal(t.run.mechanism->estimate(&t.run, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "profile lacks malekeh"));
	let_pass(&t, &x);
	x.fails = 1;
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	assert_float_equal(trial_value(&t, "OCU", "rf_hit_ratio_distinct", "analytic"), 0, 1e-12);
	assert_true(isnan(trial_value(&t, "Malekeh", "speedup", NULL)));
	t.run.check = 1;
	assert_int_equal(t.run.mechanism->estimate(&t.run, &e), CT_ERR_IO);
	assert_string_equal(e.text, "the trace is gone");
	x.fails = 0;
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	assert_int_equal(x.made, 1);
	assert_int_equal(x.taken, 0);
	assert_true(trial_value(&t, "Malekeh", "rf_hit_ratio", "replay") > 0.5);
	/* Measured by now: asked again it needs no trace, but for another GPU. */
	t.run.check = 0;
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	assert_int_equal(x.made, 1);
	t.run.changed = 1;
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	assert_int_equal(x.made, 2);
	assert_int_equal(x.taken, 1);
	t.run.changed = 1;
	t.run.pass_again = NULL;
	assert_int_equal(t.run.mechanism->estimate(&t.run, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "another GPU"));
	assert_true(isnan(trial_value(&t, "Malekeh", "speedup", NULL)));
	trial_free(&t);
}

/* What a replay of the system counts after a pass that has measured it, or has not; plans are kept by a pass for replays
 * alone. */
static void replay_after(const char *system, int observed, enum ct_mechanism_method method,
                         struct ct_replay_counts *total)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	struct ct_replays_engine engine;
	void *parts = NULL;
	unsigned which = (unsigned)ct_mk_system_find(system);
	new_trial(&t, 1);
	t.run.method = method;
	trial_pass(&t, observed);
	expect_ok(t.run.mechanism->engine(&t.run, which, &engine, &parts, &e), &e);
	expect_ok(ct_replays_run(t.run.p, &t.settings, "a test", &engine, 1, NULL, total, &e), &e);
	t.run.mechanism->engine_free(parts);
	trial_free(&t);
}

/* Without a pass that measures it the engine makes one, to the same reuse bits and plans. */
static void replayed_after_any_pass(void **state)
{
	static const char *const systems[] = {"Malekeh", "SW-RFC", "LTRF"};
	(void)state;
	for (unsigned i = 0; i < sizeof systems / sizeof *systems; i++) {
		struct ct_replay_counts own, one, other;
		replay_after(systems[i], 0, CT_BY_AUTO, &own);
		replay_after(systems[i], 1, CT_BY_AUTO, &one);
		replay_after(systems[i], 1, CT_BY_REPLAY, &other);
		assert_true(own.cycles > 0);
		assert_memory_equal(&own, &one, sizeof own);
		assert_memory_equal(&own, &other, sizeof own);
	}
}

/* The full engine takes the place of the sub-core model, with the reuse bits and plans of the pass. */
static void replayed(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	struct ct_replays_engine engine;
	void *parts = NULL;
	int malekeh = ct_mk_system_find("Malekeh"), mono = ct_mk_system_find("SW-RFC-mono");
	(void)state;
	new_trial(&t, 1);
	t.run.method = CT_BY_REPLAY;
	trial_pass(&t, 1);
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	expect_ok(t.run.mechanism->replay(&t.run, "--method replay", &e), &e);
	assert_float_equal(trial_value(&t, "OCU", "speedup", "replay"), 1, 1e-12);
	assert_true(trial_value(&t, "Malekeh", "rf_hit_ratio", "replay") > 0.5);
	struct ct_buf b = {0};
	trial_show(&t, &b);
	assert_non_null(strstr(b.data, "over OCU, engine"));
	ct_buf_free(&b);
	expect_ok(t.run.mechanism->engine(&t.run, (unsigned)malekeh, &engine, &parts, &e), &e);
	assert_non_null(engine.options.parts);
	t.run.mechanism->engine_free(parts);
	assert_true(trial_value(&t, "SW-RFC", "rf_hit_ratio", "replay") > 0.5);
	assert_true(trial_value(&t, "LTRF", "rf_hit_ratio", "replay") > 0.99);
	assert_int_equal(t.run.mechanism->engine(&t.run, (unsigned)mono, &engine, &parts, &e),
	                 CT_ERR_UNSUPPORTED);
	t.run.mechanism->engine_free(parts);
	trial_free(&t);
}

static void swept_and_studied(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	struct ct_range_spec entries = {.key = "entries", .first = 6, .last = 8, .step = 1, .whole = 1};
	static const char *const option[] = {"", NULL};
	const struct ct_record *r;
	size_t points = 0;
	(void)state;
	new_trial(&t, 1);
	t.run.sweep = &entries;
	t.run.option = option;
	trial_pass(&t, 1);
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	expect_ok(t.run.mechanism->sweep(&t.run, &e), &e);
	for (size_t i = 0; (r = ct_profile_next(t.run.p, "SW", &i));)
		points += !strcmp(r->field[3], "entries") && !strcmp(r->field[5], "rf_hit_ratio");
	assert_int_equal(points, 9); /* three systems */
	trial_check_records(&t);
	assert_true(trial_value(&t, "OCU-16", "speedup", NULL) > 0);
	t.run.method = CT_BY_ANALYTIC;
	assert_int_equal(t.run.mechanism->sweep(&t.run, &e), CT_ERR_USAGE);
	trial_free(&t);
}

static void what_open_refuses(void **state)
{
	static const char *const wrong[] = {
		"malekeh.rthd=3", "malekeh.oracle=0.5", "malekeh.sms=1.5", "malekeh.rthld"};
	static const char *const option[] = {NULL, "/nonexistent/table.tsv"};
	struct ct_error e = {0};
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct ct_mechanism_run run = {.mechanism = mechanism(), .set = &wrong[i], .n_set = 1};
		assert_int_equal(run.mechanism->open(&run, &e), CT_ERR_USAGE);
		run.mechanism->close(&run);
	}
	struct ct_mechanism_run run = {.mechanism = mechanism(), .option = option};
	assert_int_equal(run.mechanism->open(&run, &e), CT_ERR_IO);
	assert_non_null(strstr(e.text, "/nonexistent/table.tsv"));
	run.mechanism->close(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_agree),
		cmocka_unit_test(registers_that_come_again),
		cmocka_unit_test(registers_that_do_not),
		cmocka_unit_test(judged_alone),
		cmocka_unit_test(measured_later),
		cmocka_unit_test(replayed_after_any_pass),
		cmocka_unit_test(replayed),
		cmocka_unit_test(swept_and_studied),
		cmocka_unit_test(what_open_refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
