/* Shared L1s through struct ct_mechanism alone: passes, estimate, replay, sweeps, engines, tables, reasons. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "models/registry.h"
#include "models/shared_l1/systems.h"
#include "tests/support/gpus.h"
#include "tests/support/mechanism_trial.h"

enum { CTAS = 16, WARPS = 4, LOADS = 96, LINE = 128 };

struct walk {
	unsigned lines, apart;
};

static uint32_t next_line(const void *walk, uint32_t cta, uint32_t warp, uint32_t load)
{
	const struct walk *s = walk;
	return 0x10000000u + cta * s->apart + (load * WARPS + warp) % s->lines * LINE;
}

/* CTAs whose warps load one line at a time and go round a working set of `lines` that all of them have (apart: 0), or
 * one set for each CTA. */
static void make_trace(struct micro *m, unsigned lines, unsigned apart)
{
	const struct walk s = {lines, apart};
	micro_loads(m, "walk", CTAS, WARPS, LOADS, 4, next_line, &s);
}

static const struct ct_mechanism *mechanism(void)
{
	int i = ct_mechanism_find("sharedl1"); /* one of its prefixes */
	assert_true(i >= 0);
	return ct_mechanism_at((unsigned)i);
}

/* Four SMs on a mesh, whose L1s have 128 lines each. */
static void new_trial(struct mechanism_trial *t, unsigned lines, unsigned apart)
{
	struct micro m;
	struct ct_gpu g;
	make_trace(&m, lines, apart);
	test_gpu_sharedl1_small(&g);
	trial_new(t, mechanism(), &g, &m);
}

static void expect_ok(int st, const struct ct_error *e)
{
	if (st != CT_OK)
		fail_msg("%d: %s", st, e->text);
}

static void estimated(struct mechanism_trial *t, int observed)
{
	struct ct_error e = {0};
	trial_pass(t, observed);
	expect_ok(t->run.mechanism->estimate(&t->run, &e), &e);
}

/* More than an L1 holds and less than all of them do, and every SM wants all of it. */
enum { TOO_LARGE = 192, FITS = 64 };

static void estimates_every_system(void **state)
{
	struct mechanism_trial t;
	struct ct_mechanism_number one = {1.2, NAN, NAN};
	char text[320];
	(void)state;
	new_trial(&t, TOO_LARGE, 0);
	estimated(&t, 0);
	const struct ct_mechanism *m = t.run.mechanism;
	for (unsigned i = 0; i < m->n_systems; i++)
		assert_true(trial_value(&t, m->systems[i].name, "speedup_configured", "analytic") > 0);
	assert_float_equal(trial_value(&t, m->baseline, "speedup", "analytic"), 1, 1e-9);
	assert_true(trial_value(&t, m->baseline, "l1_request_miss_rate", NULL) >
	            2 * trial_value(&t, "Shared", "l1_request_miss_rate", NULL));
	for (unsigned i = 0; i < m->n_metrics; i++) {
		int other = !strcmp(m->metrics[i].name, "amat"); /* of the schemes that decide by it */
		assert_false(
			isnan(trial_value(&t, other ? "DynAMAT" : m->judged, m->metrics[i].name, NULL)));
	}
	assert_int_equal(m->acted(t.run.p, text, sizeof text), 1);
	m->reason(t.run.p, &(struct ct_mechanism_number){1.2, 1.1, 1.3}, text, sizeof text);
	assert_non_null(strstr(text, ", replication "));
	assert_int_equal(strncmp(text, "faster since L1 sector misses fall from ", 40), 0);
	m->reason(t.run.p, &(struct ct_mechanism_number){0.8, 0.7, 0.9}, text, sizeof text);
	assert_int_equal(strncmp(text, "slower since ", 13), 0);
	assert_non_null(strstr(text, "accesses to other SMs rise from 0 to "));
	assert_non_null(strstr(text, ", although L1 sector misses fall from "));
	m->reason(t.run.p, &one, text, 16);
	assert_int_equal(strlen(text), 15);
	assert_non_null(m->cure("analytic", 0));
	assert_null(m->cure("replay", 0));
	trial_free(&t);
}

/* Each item that the watch of a pass writes has its unit and its rule of merging in the table. */
static void names_what_passes_count(void **state)
{
	struct mechanism_trial t;
	const struct ct_record *r;
	unsigned found = 0;
	(void)state;
	new_trial(&t, TOO_LARGE, 0);
	trial_pass(&t, 0);
	const struct ct_mechanism *m = t.run.mechanism;
	for (size_t i = 0; (r = ct_profile_next(t.run.p, "IM", &i));) {
		int watched = !strncmp(r->field[1], "private", 7) ||
		              !strncmp(r->field[1], "shared", 6) || !strncmp(r->field[1], "dyn", 3) ||
		              !strncmp(r->field[1], "home_", 5);
		unsigned k = 0;
		while (k < m->n_items && strcmp(m->items[k].name, r->field[1]) != 0)
			k++;
		if (watched && k == m->n_items)
			fail_msg("%s is not among the items", r->field[1]);
		if (k < m->n_items) {
			assert_string_equal(r->field[3], m->items[k].unit);
			found++;
		}
	}
	assert_true(found > 80);
	trial_free(&t);
}

static void shows_all_it_knows(void **state)
{
	struct mechanism_trial t;
	struct ct_buf b = {0};
	(void)state;
	new_trial(&t, TOO_LARGE, 0);
	estimated(&t, 0);
	trial_show(&t, &b);
	for (unsigned i = 0; i < t.run.mechanism->n_systems; i++)
		assert_non_null(strstr(b.data, t.run.mechanism->systems[i].name));
	assert_non_null(strstr(b.data, "network: mesh 3 x 3"));
	assert_non_null(strstr(b.data, "published means of 11 shared-friendly applications"));
	assert_non_null(strstr(b.data, "queues and counters of DynEB, bytes"));
	ct_buf_free(&b);
	trial_free(&t);
}

/* Without a line in two L1s sharing has nothing to save. */
static void nothing_to_act_on(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	char text[320];
	(void)state;
	new_trial(&t, FITS, FITS * LINE);
	estimated(&t, 0);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), 0);
	assert_string_equal(text, "0 lines are in more than one L1");
	expect_ok(ct_profile_add_count(t.run.p, "all", "line_fills", 0, NULL, "replay", &e), &e);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), 0);
	assert_string_equal(text, "0 lines are fetched into an L1");
	/* A loss of stores alone has its causes, though a ratio of no fills is none. */
	expect_ok(ct_profile_add_real(t.run.p, "all", "replication_ratio", NAN, NULL, "replay", &e), &e);
	t.run.mechanism->reason(t.run.p, &(struct ct_mechanism_number){0.8, 0.7, 0.9}, text,
	                        sizeof text);
	assert_int_equal(strncmp(text, "slower since ", 13), 0);
	assert_non_null(strstr(text, ", 0 lines are fetched into an L1"));
	assert_null(strstr(text, "replication"));
	ct_profile_remove(t.run.p, "SN", NULL, NULL);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), -1);
	t.run.mechanism->reason(t.run.p, &(struct ct_mechanism_number){0.8, 0.7, 0.9}, text,
	                        sizeof text);
	assert_string_equal(text, "the profile has no replication ratio");
	trial_free(&t);
}

static size_t sweep_records(const struct ct_profile *p, const char *system, const char *key,
                            const char *metric)
{
	const struct ct_record *r;
	size_t n = 0;
	for (size_t i = 0; (r = ct_profile_next(p, "SW", &i));)
		n += !strcmp(r->field[2], system) && !strncmp(r->field[3], key, strlen(key)) &&
		     !strcmp(r->field[5], metric);
	return n;
}

static void sweeps_keys_of_its_own(void **state)
{
	static const struct ct_range_spec range[] = {
		{.key = "l1.latency", .first = 8, .last = 24, .step = 8, .whole = 1},
		{.key = "l1.size", .first = 8192, .last = 32768, .factor = 2, .whole = 1},
		{.key = "cores", .first = 2, .last = 4, .step = 1, .whole = 1},
	};
	struct mechanism_trial t;
	struct ct_error e = {0};
	(void)state;
	new_trial(&t, TOO_LARGE, 0);
	estimated(&t, 0);
	assert_int_equal(t.run.mechanism->n_sweeps, 3);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(t.run.mechanism->sweeps[i].key, range[i].key);
		t.run.sweep = &range[i];
		expect_ok(t.run.mechanism->sweep(&t.run, &e), &e);
		assert_int_equal(sweep_records(t.run.p, "Shared", range[i].key, "l1_request_miss_rate"),
		                 3);
		assert_int_equal(sweep_records(t.run.p, "DynEB", range[i].key, "speedup"),
		                 i < 2 ? 3 : 0);
	}
	/* A size that makes no L1 is refused. */
	static const struct ct_range_spec odd = {
		.key = "l1.size", .first = 1000, .last = 1000, .step = 1, .whole = 1};
	t.run.sweep = &odd;
	assert_true(t.run.mechanism->sweep(&t.run, &e) < 0);
	trial_free(&t);
}

/* By replay, by both methods, and with the modes of each SM over time. */
static void replays_its_systems(void **state)
{
	static const char *const timeline[5] = {NULL, NULL, NULL, NULL, ""};
	static const char *const plain[5] = {NULL};
	struct ct_buf b = {0};
	(void)state;
	for (int check = 0; check < 2; check++) {
		struct mechanism_trial t;
		struct ct_error e = {0};
		new_trial(&t, TOO_LARGE, 0);
		t.run.method = check ? CT_BY_AUTO : CT_BY_REPLAY;
		t.run.check = check;
		t.run.option = check ? plain : timeline;
		estimated(&t, 0);
		expect_ok(t.run.mechanism->replay(&t.run, "--method replay", &e), &e);
		for (unsigned i = 0; i < t.run.mechanism->n_systems; i++) {
			const char *name = t.run.mechanism->systems[i].name;
			assert_true(trial_value(&t, name, "speedup", "replay") > 0);
			assert_int_equal(isnan(trial_value(&t, name, "speedup", "analytic")), !check);
		}
		assert_true(trial_value(&t, "Shared", "l1_request_miss_rate", "replay") <
		            trial_value(&t, "Private", "l1_request_miss_rate", "replay"));
		assert_int_equal(sweep_records(t.run.p, "DynEB", "core:", "mode") >= t.gpu.sms, !check);
		trial_show(&t, &b);
		assert_int_equal(strstr(b.data, "Both methods") != NULL, check);
		ct_buf_reset(&b);
		trial_free(&t);
	}
	ct_buf_free(&b);
}

/* Where only the verdict is seen, the judged system and its baseline are replayed, to the same numbers. */
static void judged_alone(void **state)
{
	struct mechanism_trial all, few;
	struct ct_error e = {0};
	(void)state;
	new_trial(&all, TOO_LARGE, 0);
	estimated(&all, 0);
	expect_ok(all.run.mechanism->replay(&all.run, "a test", &e), &e);
	new_trial(&few, TOO_LARGE, 0);
	few.run.judged_only = 1;
	estimated(&few, 0);
	expect_ok(few.run.mechanism->replay(&few.run, "a test", &e), &e);
	assert_true(trial_value(&all, "DynEB", "speedup", "replay") ==
	            trial_value(&few, "DynEB", "speedup", "replay"));
	assert_true(isnan(trial_value(&few, "Shared", "speedup", "replay")));
	/* what it has to beat, and what bounds it */
	const struct ct_mechanism *m = few.run.mechanism;
	for (int replayed = 0; replayed < 2; replayed++) {
		const char *how = replayed ? "replay" : "analytic";
		double plus = trial_value(&few, m->alternatives[0], "speedup_configured", how);
		double most = trial_value(&few, m->ideal, "speedup_configured", how);
		assert_true(plus > 0.98 && plus <= most);
		assert_true(trial_value(&few, m->judged, "speedup_configured", how) <= most);
	}
	trial_free(&few);
	trial_free(&all);
}

/* A working set of about an L1: which accesses come together decides, and a pass that measures the mechanism replays
 * those systems. Their replays stand for the estimates until the question is another one. */
static void holds_what_passes_replayed(void **state)
{
	static const char *const set[] = {"shared-l1.guard=0.2"};
	struct mechanism_trial t;
	struct ct_error e = {0};
	struct ct_buf b = {0};
	(void)state;
	new_trial(&t, 128, 0);
	estimated(&t, 1);
	unsigned held = 0;
	for (unsigned i = 0; i < t.run.mechanism->n_systems; i++)
		held += !isnan(trial_value(&t, t.run.mechanism->systems[i].name, "speedup", "replay"));
	assert_true(held > 0);
	trial_show(&t, &b);
	assert_non_null(strstr(b.data, ", replayed"));
	ct_buf_free(&b);
	/* The profile comes from a file, and a parameter is another one than it was made with. */
	t.run.mechanism->close(&t.run);
	t.run.set = set;
	t.run.n_set = 1;
	t.run.from_trace = 0;
	expect_ok(t.run.mechanism->open(&t.run, &e), &e);
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	for (unsigned i = 0; i < t.run.mechanism->n_systems; i++)
		assert_true(
			isnan(trial_value(&t, t.run.mechanism->systems[i].name, "speedup", "replay")));
	trial_free(&t);
}

static void makes_engines(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	(void)state;
	new_trial(&t, TOO_LARGE, 0);
	estimated(&t, 0);
	const struct ct_mechanism *m = t.run.mechanism;
	for (unsigned i = 0; i < m->n_systems; i++) {
		struct ct_replays_engine engine = {0};
		void *parts = NULL;
		int st = m->engine(&t.run, i, &engine, &parts, &e);
		if (!strcmp(m->systems[i].name, "Best")) {
			assert_int_equal(st, CT_ERR_UNSUPPORTED);
		} else {
			expect_ok(st, &e);
			assert_int_equal(engine.gpu->sms, t.gpu.sms);
			/* private L1s behind a crossbar are the engine's own, in any timing */
			assert_int_equal(engine.options.parts != NULL,
			                 ct_sl_system_at(i)->shared ||
			                         ct_sl_network_of(&t.gpu) == CT_SL_NET_MESH);
			assert_int_equal(engine.options.ideal,
			                 !strcmp(m->systems[i].name, m->ideal) ? CT_REPLAY_IDEAL_L1 : 0);
		}
		m->engine_free(parts);
	}
	m->engine_free(NULL);
	trial_free(&t);
}

static void options_are_checked(void **state)
{
	static const struct {
		const char *option[5], *set, *text;
		int status;
	} wrong[] = {
		{{"string"}, NULL, "--network string", CT_ERR_USAGE},
		{{NULL, NULL, "nowhere"}, NULL, "--homes nowhere", CT_ERR_USAGE},
		{{NULL, NULL, NULL, "sheep"}, NULL, "--count sheep", CT_ERR_USAGE},
		{{NULL, "no/such/file"}, NULL, "no/such/file", CT_ERR_IO},
		{{NULL}, "sharedl1.gaurd=1", "did you mean shared-l1.guard", CT_ERR_USAGE},
	};
	struct ct_error e = {0};
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct ct_mechanism_run run = {.mechanism = mechanism(),
		                               .option = wrong[i].option,
		                               .set = &wrong[i].set,
		                               .n_set = wrong[i].set != NULL};
		assert_int_equal(run.mechanism->open(&run, &e), wrong[i].status);
		assert_non_null(strstr(e.text, wrong[i].text));
		run.mechanism->close(&run);
	}
}

/* Homes by the hash, no mesh between cores, and other constants change what is estimated. */
static void options_have_effect(void **state)
{
	static const char *const option[] = {"forwarded", NULL, "hash", "served", NULL};
	static const char *const set[] = {"shared_l1.sampling=64"};
	struct mechanism_trial t;
	struct ct_buf b = {0};
	(void)state;
	new_trial(&t, TOO_LARGE, 0);
	t.run.option = option;
	t.run.set = set;
	t.run.n_set = 1;
	estimated(&t, 0);
	assert_true(t.run.mechanism->values(&t.run)[0] == 64);
	trial_show(&t, &b);
	assert_non_null(strstr(b.data, "network: forwarded; homes: hash"));
	ct_buf_free(&b);
	trial_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_every_system), cmocka_unit_test(names_what_passes_count),
		cmocka_unit_test(shows_all_it_knows),     cmocka_unit_test(nothing_to_act_on),
		cmocka_unit_test(sweeps_keys_of_its_own), cmocka_unit_test(replays_its_systems),
		cmocka_unit_test(judged_alone),           cmocka_unit_test(holds_what_passes_replayed),
		cmocka_unit_test(makes_engines),          cmocka_unit_test(options_are_checked),
		cmocka_unit_test(options_have_effect),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
