/* Morpheus through struct ct_mechanism alone: pass, estimate, replay, sweep, engines, tables, reasons. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "models/morpheus/systems.h"
#include "models/registry.h"
#include "tests/support/gpus.h"
#include "tests/support/mechanism_trial.h"

enum { CTAS = 16, WARPS = 4, LOADS = 24, LINE = 128, LANES = 32 };

static uint32_t next_lines(const void *lines, uint32_t cta, uint32_t warp, uint32_t load)
{
	const unsigned *n = lines;
	return 0x10000000u + ((cta * WARPS + warp) * LOADS + load) * LANES % *n * LINE;
}

/* CTAs whose warps load 32 lines at a time and go round a working set of `lines`. */
static void make_trace(struct micro *m, unsigned lines)
{
	micro_loads(m, "walk", CTAS, WARPS, LOADS, LINE, next_lines, &lines);
}

static const struct ct_mechanism *mechanism(void)
{
	int i = ct_mechanism_find("morpheus");
	assert_true(i >= 0);
	return ct_mechanism_at((unsigned)i);
}

/* A sixteenth of an rtx3080 with that setting. */
static void new_trial_with(struct mechanism_trial *t, unsigned lines, const char *setting)
{
	struct micro m;
	struct ct_gpu g;
	struct ct_error e;
	make_trace(&m, lines);
	test_gpu_with(&g, "rtx3080", &setting, 1);
	assert_int_equal(ct_gpu_scale(&g, 1 / 16.0, &e), CT_OK);
	trial_new(t, mechanism(), &g, &m);
}

/* The DRAM is so slow that misses of the LLC decide over the time. */
static void new_trial(struct mechanism_trial *t, unsigned lines)
{
	new_trial_with(t, lines, "clock.dram=700MHz");
}

static void expect_ok(int st, const struct ct_error *e)
{
	if (st != CT_OK)
		fail_msg("%d: %s", st, e->text);
}

static void estimated(struct mechanism_trial *t)
{
	struct ct_error e = {0};
	trial_pass(t, 1);
	expect_ok(t->run.mechanism->estimate(&t->run, &e), &e);
}

enum { TWICE_THE_LLC = 6000 };

/* A working set that the LLC does not hold and the SMs' memories do. */
static void estimates_every_system(void **state)
{
	struct mechanism_trial t;
	char text[320];
	(void)state;
	new_trial(&t, TWICE_THE_LLC);
	estimated(&t);
	const struct ct_mechanism *m = t.run.mechanism;
	for (unsigned i = 0; i < m->n_systems; i++)
		assert_true(trial_value(&t, m->systems[i].name, "speedup_configured", "analytic") > 0);
	assert_float_equal(trial_value(&t, m->baseline, "speedup", "analytic"), 1, 1e-9);
	assert_true(trial_value(&t, m->judged, "cache_sms", "analytic") > 0);
	assert_true(trial_value(&t, m->judged, "llc_mpki", NULL) <
	            trial_value(&t, m->baseline, "llc_mpki", NULL));
	for (unsigned i = 0; i < m->n_metrics; i++)
		assert_false(isnan(trial_value(&t, m->judged, m->metrics[i].name, NULL)));
	assert_int_equal(m->acted(t.run.p, text, sizeof text), 1);
	m->reason(t.run.p, &(struct ct_mechanism_number){1.2, 1.1, 1.3}, text, sizeof text);
	assert_non_null(strstr(text, "cache-mode SM"));
	assert_non_null(strstr(text, "faster since LLC sector misses fall from"));
	m->reason(t.run.p, &(struct ct_mechanism_number){0.8, 0.7, 0.9}, text, sizeof text);
	assert_non_null(strstr(text, "slower since SMs that compute fall from"));
	assert_non_null(m->cure("analytic", 1));
	assert_null(m->cure("analytic", 0));
	trial_free(&t);
}

/* Misses below first touches come of fetching whole lines, which no room explains, and only a gain has that for a reason. */
static void tells_of_whole_lines(void **state)
{
	static const char says[] = "misses are fewer than the ", how[] = "(-p llc.sector=128 does, too)";
	const struct ct_mechanism_number gain = {1.2, 1.1, 1.3}, loss = {0.8, 0.7, 0.9};
	struct mechanism_trial t;
	struct ct_hist h = {.cold = 0};
	char text[600];
	(void)state;
	new_trial(&t, TWICE_THE_LLC);
	estimated(&t);
	const struct ct_mechanism *m = t.run.mechanism;
	const double misses = trial_value(&t, m->judged, "llc_mpki", NULL) / 1000;
	double insts;
	assert_true(ct_profile_get(t.run.p, "all", "thread_insts", &insts));
	for (int twice = 1; twice >= 0; twice--) {
		h.cold = (uint64_t)(misses * insts * (twice ? 2 : 1));
		assert_int_equal(ct_profile_add_hist(t.run.p, "all", "llc_sector", &h, NULL, NULL),
		                 CT_OK);
		m->reason(t.run.p, &gain, text, sizeof text);
		assert_int_equal(strstr(text, says) != NULL, twice);
		assert_int_equal(strstr(text, how) != NULL, twice);
		m->reason(t.run.p, &loss, text, sizeof text);
		assert_null(strstr(text, says));
	}
	trial_free(&t);
}

static void shows_all_it_knows(void **state)
{
	struct mechanism_trial t;
	struct ct_buf b = {0};
	(void)state;
	new_trial(&t, TWICE_THE_LLC);
	estimated(&t);
	trial_show(&t, &b);
	for (unsigned i = 0; i < t.run.mechanism->n_systems; i++)
		assert_non_null(strstr(b.data, t.run.mechanism->systems[i].name));
	assert_non_null(strstr(b.data, "note: no values in the input: compression is assumed"));
	assert_non_null(strstr(b.data, "published means of 14 memory-bound applications"));
	assert_non_null(strstr(b.data, "query logic per partition, KiB"));
	ct_buf_free(&b);
	trial_free(&t);
}

/* Without misses of the LLC, and where every SM does more by computing, there is nothing to do. */
static void nothing_to_act_on(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	char text[320];
	(void)state;
	new_trial(&t, 64);
	estimated(&t);
	assert_true(trial_value(&t, t.run.mechanism->judged, "cache_sms", NULL) == 0);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), 0);
	assert_string_equal(text, "0 SMs in cache mode");
	expect_ok(ct_profile_add_count(t.run.p, "all", "llc_line_misses", 0, NULL, "replay", &e), &e);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), 0);
	assert_string_equal(text, "0 misses in the LLC");
	ct_profile_remove(t.run.p, "SN", NULL, NULL);
	ct_profile_remove(t.run.p, "ES", NULL, NULL);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), -1);
	trial_free(&t);
}

/* A verdict's systems alone, and what it has to beat, come out as with all others. */
static void judged_alone(void **state)
{
	static const char *const metrics[] = {"speedup_configured", "llc_mpki", "energy_j", "cache_sms"};
	struct mechanism_trial all, few;
	(void)state;
	new_trial(&all, TWICE_THE_LLC);
	estimated(&all);
	new_trial(&few, TWICE_THE_LLC);
	few.run.judged_only = 1;
	estimated(&few);
	const struct ct_mechanism *m = all.run.mechanism;
	for (int i = 0; i < 4; i++) {
		assert_true(trial_value(&all, m->judged, metrics[i], NULL) ==
		            trial_value(&few, m->judged, metrics[i], NULL));
		assert_true(trial_value(&all, m->alternatives[0], metrics[i], NULL) ==
		            trial_value(&few, m->alternatives[0], metrics[i], NULL));
	}
	assert_true(isnan(trial_value(&few, "IBL-4x-LLC", "speedup", NULL)));
	trial_free(&few);
	trial_free(&all);
}

static size_t sweep_records(const struct ct_profile *p, const char *system, const char *metric)
{
	const struct ct_record *r;
	size_t n = 0;
	for (size_t i = 0; (r = ct_profile_next(p, "SW", &i));)
		n += !strcmp(r->field[2], system) && !strcmp(r->field[3], "sms") &&
		     !strcmp(r->field[5], metric);
	return n;
}

static void sweeps_its_sms(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	struct ct_range_spec sms = {.key = "sms", .first = 1, .last = 5, .step = 2, .whole = 1};
	(void)state;
	new_trial(&t, TWICE_THE_LLC);
	t.run.sweep = &sms;
	estimated(&t);
	assert_int_equal(sweep_records(t.run.p, "BL", "ipc"), 0);
	expect_ok(t.run.mechanism->sweep(&t.run, &e), &e);
	assert_int_equal(sweep_records(t.run.p, "BL", "ipc"), 3);
	assert_int_equal(sweep_records(t.run.p, "Morpheus-ALL", "extended_llc_bytes"), 3);
	sms.last = 6;
	assert_int_equal(t.run.mechanism->sweep(&t.run, &e), CT_ERR_USAGE);
	assert_non_null(strstr(e.text, "the GPU has 5 SMs"));
	trial_free(&t);
	new_trial(&t, TWICE_THE_LLC);
	t.run.charted = 1;
	estimated(&t);
	assert_true(sweep_records(t.run.p, "BL", "ipc") > 1);
	assert_int_equal(sweep_records(t.run.p, "BL", "speedup"), 0);
	trial_free(&t);
}

/* By replay every system; with check both methods. */
static void replays_its_systems(void **state)
{
	struct ct_buf b = {0};
	(void)state;
	for (int check = 0; check < 2; check++) {
		struct mechanism_trial t;
		struct ct_error e = {0};
		new_trial(&t, TWICE_THE_LLC);
		t.run.method = check ? CT_BY_AUTO : CT_BY_REPLAY;
		t.run.check = check;
		assert_int_equal(t.run.mechanism->open(&t.run, &e), CT_OK);
		assert_int_equal(t.run.mechanism->replay(&t.run, "--method replay", &e), CT_ERR_USAGE);
		t.run.mechanism->close(&t.run);
		estimated(&t);
		expect_ok(t.run.mechanism->replay(&t.run, "--method replay", &e), &e);
		for (unsigned i = 0; i < t.run.mechanism->n_systems; i++) {
			const char *name = t.run.mechanism->systems[i].name;
			assert_false(isnan(trial_value(&t, name, "speedup", "replay")));
			assert_int_equal(isnan(trial_value(&t, name, "speedup", "analytic")), !check);
		}
		assert_float_equal(trial_value(&t, "BL", "speedup", "replay"), 1, 1e-9);
		trial_show(&t, &b);
		assert_int_equal(strstr(b.data, "analytic, replayed (difference)") != NULL, check);
		ct_buf_reset(&b);
		trial_free(&t);
	}
	ct_buf_free(&b);
}

static void makes_engines(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	(void)state;
	new_trial(&t, TWICE_THE_LLC);
	estimated(&t);
	const struct ct_mechanism *m = t.run.mechanism;
	for (unsigned i = 0; i < m->n_systems; i++) {
		struct ct_replays_engine engine = {0};
		void *parts = NULL;
		int st = m->engine(&t.run, i, &engine, &parts, &e);
		double sms = trial_value(&t, m->systems[i].name, "compute_sms", NULL);
		expect_ok(st, &e);
		assert_non_null(engine.gpu);
		/* SMs that rest are not there, those that cache are */
		assert_true(engine.options.parts ? sms < engine.gpu->sms : sms == engine.gpu->sms);
		m->engine_free(parts);
	}
	m->engine_free(NULL);
	trial_free(&t);
}

/* An LLC of twice or four times the size has as many times the banks, each a slice; on a mesh larger ones. */
static void a_larger_llc_has_more_banks(void **state)
{
	static const char *const networks[] = {"noc.kind=crossbar", "noc.kind=mesh"};
	(void)state;
	for (unsigned i = 0; i < 2; i++)
		for (unsigned factor = 2; factor <= 4; factor += 2) {
			struct mechanism_trial t;
			struct ct_replays_engine engine = {0};
			struct ct_error e = {0};
			void *parts = NULL;
			new_trial_with(&t, TWICE_THE_LLC, networks[i]);
			estimated(&t);
			unsigned system = (unsigned)ct_mo_system_find(
				factor == 2 ? "IBL-2x-LLC" : "IBL-4x-LLC");
			expect_ok(t.run.mechanism->engine(&t.run, system, &engine, &parts, &e), &e);
			assert_int_equal(ct_gpu_llc_bytes(engine.gpu),
			                 factor * ct_gpu_llc_bytes(&t.gpu));
			assert_int_equal(engine.gpu->llc_slices, t.gpu.llc_slices * (i ? 1 : factor));
			t.run.mechanism->engine_free(parts);
			trial_free(&t);
		}
}

static double replayed_cycles(struct mechanism_trial *t, unsigned system, double setting)
{
	const struct ct_mechanism *m = t->run.mechanism;
	struct ct_replays_engine engine = {0};
	struct ct_replay_counts total = {0};
	struct ct_error e = {0};
	void *parts = NULL;
	t->run.setting = setting;
	expect_ok(m->engine(&t->run, system, &engine, &parts, &e), &e);
	expect_ok(ct_replays_run(t->run.p, t->run.settings, "a test", &engine, 1, NULL, &total, &e), &e);
	m->engine_free(parts);
	t->run.setting = 0;
	return (double)(total.cycles - total.launch_cycles);
}

/* Without any estimate: the settings that candidates() asks for, one after the other, end at the best of all. */
static void searched_by_replays(void **state)
{
	static const char *const searched[] = {"Morpheus-ALL", "IBL"};
	struct mechanism_trial t;
	struct ct_replays_engine engine;
	struct ct_error e = {0};
	void *parts = NULL;
	double value[CT_CANDIDATES_MAX];
	(void)state;
	new_trial(&t, TWICE_THE_LLC);
	trial_pass(&t, 1);
	const struct ct_mechanism *m = t.run.mechanism;
	for (size_t i = 0; i < sizeof searched / sizeof *searched; i++) {
		struct ct_mechanism_tried tried[CT_CANDIDATES_MAX];
		unsigned n = 0, more, at = (unsigned)ct_mo_system_find(searched[i]);
		double best = INFINITY, all = INFINITY;
		while ((more = m->candidates(&t.run, at, tried, n, value)))
			for (unsigned k = 0; k < more; k++, n++) {
				tried[n].setting = value[k];
				tried[n].cycles = replayed_cycles(&t, at, value[k]);
				best = fmin(best, tried[n].cycles);
			}
		for (unsigned sms = (unsigned)tried[0].setting; sms <= t.gpu.sms; sms++)
			all = fmin(all, replayed_cycles(&t, at, sms));
		assert_in_range(n, 2, 9);
		assert_float_equal(best, all, 0.01 * all);
	}
	/* systems with one SM count have nothing to search, and need no estimate; others do */
	assert_int_equal(m->candidates(&t.run, (unsigned)ct_mo_system_find("BL"), NULL, 0, value), 0);
	assert_true(replayed_cycles(&t, (unsigned)ct_mo_system_find("BL"), 0) > 0);
	assert_int_equal(m->engine(&t.run, (unsigned)ct_mo_system_find("IBL"), &engine, &parts, &e),
	                 CT_ERR_USAGE);
	m->engine_free(parts);
	t.run.setting = t.gpu.sms + 1.0;
	assert_int_equal(m->engine(&t.run, (unsigned)ct_mo_system_find("IBL"), &engine, &parts, &e),
	                 CT_ERR_USAGE);
	m->engine_free(parts);
	trial_free(&t);
}

static void options_are_checked(void **state)
{
	static const struct {
		const char *helper, *mix, *set, *text;
	} wrong[] = {
		{"tape", NULL, NULL, "--helper tape"},
		{NULL, "1,2", NULL, "--mix 1,2"},
		{NULL, "0,0,0", NULL, "--mix 0,0,0"},
		{NULL, "1,2,3,4", NULL, "--mix"},
		{NULL, NULL, "morpheus.ext_gpbs=30", "did you mean morpheus.ext_gbps"},
	};
	struct ct_error e = {0};
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		const char *option[2] = {wrong[i].helper, wrong[i].mix};
		struct ct_mechanism_run run = {.mechanism = mechanism(),
		                               .option = option,
		                               .set = &wrong[i].set,
		                               .n_set = wrong[i].set != NULL};
		assert_int_equal(run.mechanism->open(&run, &e), CT_ERR_USAGE);
		assert_non_null(strstr(e.text, wrong[i].text));
		run.mechanism->close(&run);
	}
}

/* Every block to a quarter of its size: the register part holds more, and the input needs no values. */
static void options_have_effect(void **state)
{
	static const char *const option[] = {"rf", "1,0,0"};
	struct mechanism_trial t;
	(void)state;
	new_trial(&t, TWICE_THE_LLC);
	t.run.option = option;
	estimated(&t);
	assert_true(trial_value(&t, "Morpheus-ALL", "compression_ratio", NULL) > 3);
	assert_float_equal(trial_value(&t, "Morpheus-Basic", "compression_ratio", NULL), 1, 1e-9);
	trial_free(&t);
}

static void lacking_profiles_are_refused(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	(void)state;
	new_trial(&t, TWICE_THE_LLC);
	estimated(&t);
	t.run.workload = NULL;
	ct_profile_remove(t.run.p, "IM", NULL, NULL);
	assert_int_equal(t.run.mechanism->estimate(&t.run, &e), CT_ERR_INPUT);
	assert_non_null(strstr(e.text, "the profile lacks IM"));
	trial_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_every_system),
		cmocka_unit_test(tells_of_whole_lines),
		cmocka_unit_test(shows_all_it_knows),
		cmocka_unit_test(nothing_to_act_on),
		cmocka_unit_test(judged_alone),
		cmocka_unit_test(sweeps_its_sms),
		cmocka_unit_test(replays_its_systems),
		cmocka_unit_test(makes_engines),
		cmocka_unit_test(a_larger_llc_has_more_banks),
		cmocka_unit_test(searched_by_replays),
		cmocka_unit_test(options_are_checked),
		cmocka_unit_test(options_have_effect),
		cmocka_unit_test(lacking_profiles_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
