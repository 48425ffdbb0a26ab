/* What replays an open verdict gets, and what it says then: on a mechanism whose systems are the GPU with other latencies of
 * the L1, so that a plain replay of that GPU tells what has to come out. */
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

#include "models/common/records.h"
#include "models/verdict/judge.h"
#include "pass/replays.h"
#include "replay/parts.h"
#include "tests/support/gpus.h"
#include "tests/support/mechanism_trial.h"

enum { SHORT, MIDDLE, LONG, SYSTEMS, MOST = 6 };

/* The GPUs of engines that are alive: [system][setting]. */
static struct ct_gpu other[SYSTEMS][MOST + 1];
static unsigned made, freed;

static int open_nothing(struct ct_mechanism_run *run, struct ct_error *e)
{
	(void)run, (void)e;
	return CT_OK;
}

static void close_nothing(struct ct_mechanism_run *run)
{
	(void)run;
}

/* A setting takes so many eighths of the latency away, and the fifth and sixth bring it back. */
static uint32_t latency_of(const struct ct_gpu *g, unsigned system, double setting)
{
	uint32_t eighths = setting > 4        ? 1
	                   : setting > 0      ? (uint32_t)setting
	                   : system == SHORT  ? 6
	                   : system == MIDDLE ? 2
	                                      : 1;
	return g->l1_latency - g->l1_latency * eighths / 8;
}

static int make_engine(const struct ct_mechanism_run *run, unsigned system,
                       struct ct_replays_engine *engine, void **parts, struct ct_error *e)
{
	(void)e;
	struct ct_gpu *g = &other[system][(int)run->setting];
	*g = *run->gpu;
	g->l1_latency = latency_of(run->gpu, system, run->setting);
	engine->gpu = g;
	*parts = g;
	made++;
	return CT_OK;
}

static void free_engine(void *parts)
{
	freed += parts != NULL;
}

/* All settings in two rounds, whatever came out of the first. */
static unsigned two_rounds(const struct ct_mechanism_run *run, unsigned system,
                           const struct ct_mechanism_tried *tried, unsigned n_tried,
                           double value[CT_CANDIDATES_MAX])
{
	unsigned n = 0;
	(void)run, (void)system, (void)tried;
	for (double s = n_tried + 1; n_tried < MOST && n < MOST / 2; s++)
		value[n++] = s;
	return n;
}

static void give_no_reason(const struct ct_profile *p, const struct ct_mechanism_number *speedup,
                           char *text, size_t n)
{
	(void)p, (void)speedup;
	snprintf(text, n, "the L1 answers sooner");
}

static const struct ct_mechanism_system systems[] = {
	{"Short", "", 0}, {"Middle", "", 0}, {"Long", "", 0}};
static const char *const alternatives[] = {"Middle", NULL};
static const struct ct_mechanism sooner = {
	.abi = CT_MECHANISM_ABI,
	.size = sizeof(struct ct_mechanism),
	.name = "sooner",
	.command = "sooner-est",
	.judged = "Short",
	.baseline = "configured",
	.alternatives = alternatives,
	.systems = systems,
	.n_systems = SYSTEMS,
	.places = CT_PLACE_L1_LINES,
	.open = open_nothing,
	.close = close_nothing,
	.engine = make_engine,
	.engine_free = free_engine,
	.reason = give_no_reason};

/* A chain of loads of one line for each of a few warps. */
static void chain(struct micro *m)
{
	enum { CTAS = 2, LOADS = 200 };
	memset(m, 0, sizeof *m);
	micro_kernel(m, "chain", CTAS, 32, 0, 32);
	for (uint32_t c = 0; c < CTAS; c++) {
		micro_cta(m);
		micro_warp(m, 0, LOADS + 1);
		for (int i = 0; i < LOADS; i++)
			micro_line(m, "ffffffff 1 R2 LDG.E 1 R2 4 1 0x10000000 4");
		micro_line(m, "ffffffff 0 EXIT 0 0");
		micro_cta_end(m);
	}
}

static double cycles_on(const struct ct_gpu *g)
{
	static struct micro_result r;
	struct micro m;
	chain(&m);
	micro_run(&m, g, NULL, &r);
	return (double)(r.c.cycles - r.c.launch_cycles);
}

struct trial {
	struct mechanism_trial t;
	struct ct_judge j;
};

static void begin(struct trial *x, const struct ct_mechanism *m, const char *gpu)
{
	struct ct_gpu g;
	struct ct_error e;
	struct micro text;
	test_gpu(&g, gpu);
	assert_int_equal(ct_gpu_set(&g, "sm.count=1", &e), CT_OK);
	chain(&text);
	trial_new(&x->t, m, &g, &text);
	trial_pass(&x->t, 0);
	x->j = (struct ct_judge){
		.run = {&x->t.run}, .p = x->t.run.p, .gpu = &x->t.gpu, .settings = &x->t.settings};
	made = freed = 0;
}

static void judge(struct trial *x)
{
	struct ct_error e = {0};
	if (ct_judge_replays(&x->j, &e) != CT_OK)
		fail_msg("%s", e.text);
	assert_int_equal(made, freed);
}

static double speedup(const struct trial *x, const char *system, const char *method)
{
	return trial_value(&x->t, system, "speedup_configured", method);
}

/* The speed-up of a system is that of a plain replay of its GPU. */
static void check_speedup(const struct trial *x, unsigned system, double setting)
{
	struct ct_gpu g = x->t.gpu;
	double configured = cycles_on(&g);
	g.l1_latency = latency_of(&x->t.gpu, system, setting);
	double got = speedup(x, systems[system].name, "full"), want = configured / cycles_on(&g);
	if (!(fabs(got - want) < 1e-5 * want))
		fail_msg("%s: %.6f, and a plain replay says %.6f", systems[system].name, got, want);
}

static void test_decides(void **state)
{
	static struct trial x;
	struct ct_verdict v;
	(void)state;
	begin(&x, &sooner, "sharedl1-28");
	ct_verdict_decide(x.j.p, &sooner, &v);
	assert_true(v.open && v.word == CT_UNKNOWN);
	x.j.full_only = 1;
	judge(&x);
	assert_true(isnan(speedup(&x, "Short", "quick")));
	check_speedup(&x, SHORT, 0);
	check_speedup(&x, MIDDLE, 0);
	ct_verdict_decide(x.j.p, &sooner, &v);
	assert_int_equal(v.word, CT_BENEFITS);
	assert_int_equal(v.decided_by, CT_DECIDED_FULL);
	assert_string_equal(v.alternative, "Middle");
	assert_true(v.low <= v.speedup && v.speedup <= v.high);
	/* Nothing is open any more: not even the trace is looked for. */
	unlink(x.t.path);
	made = freed = 0;
	x.j.from_trace = 1;
	judge(&x);
	assert_int_equal(made, 0);
	ct_judge_forget(x.j.p);
	assert_true(isnan(speedup(&x, "Short", NULL)));
	trial_free(&x.t);
}

static int is_middle(const struct ct_mechanism_run *run, unsigned system)
{
	(void)run;
	return system == MIDDLE;
}

/* Where a system stands for the GPU as configured, speed-ups are over its replay. An alternative that the mechanism calls
 * the same is not replayed. */
static void test_own_baseline(void **state)
{
	static struct trial x;
	struct ct_mechanism m = sooner;
	(void)state;
	m.configured = "Long";
	begin(&x, &m, "sharedl1-28");
	struct ct_gpu g = x.t.gpu;
	g.l1_latency = latency_of(&x.t.gpu, LONG, 0);
	const double base = cycles_on(&g);
	x.j.full_only = 1;
	judge(&x);
	for (unsigned i = SHORT; i <= LONG; i++) {
		g.l1_latency = latency_of(&x.t.gpu, i, 0);
		double got = speedup(&x, systems[i].name, "full"), want = base / cycles_on(&g);
		if (!(fabs(got - want) < 1e-5 * want))
			fail_msg("%s: %.6f, and replays say %.6f", systems[i].name, got, want);
	}
	assert_string_equal(ct_verdict_baseline_of(&m), "Long");
	assert_string_equal(ct_verdict_baseline_of(&sooner), ct_verdict_baseline);
	trial_free(&x.t);
	m.is_configured = is_middle;
	begin(&x, &m, "sharedl1-28");
	x.j.full_only = 1;
	judge(&x);
	assert_true(speedup(&x, "Short", "full") > 1);
	assert_true(speedup(&x, "Middle", "full") == 1 && speedup(&x, "Long", "full") == 1);
	assert_int_equal(made, 2);
	trial_free(&x.t);
}

/* Quick timing comes first, and full timing only where that leaves it open. */
static void test_quick_first(void **state)
{
	static struct trial x;
	struct ct_verdict v;
	(void)state;
	begin(&x, &sooner, "rtx3080");
	judge(&x);
	ct_verdict_decide(x.j.p, &sooner, &v);
	assert_true(speedup(&x, "Short", "quick") > 1);
	assert_false(v.open);
	assert_int_equal(v.decided_by == CT_DECIDED_FULL, speedup(&x, "Short", "full") > 1);
	trial_free(&x.t);
}

/* No alternative is replayed where a loss is in question, but where a gain is. */
static void test_only_what_decides(void **state)
{
	static const double judged[] = {0.978, 1.021};
	(void)state;
	for (int i = 0; i < 2; i++) {
		static struct trial x;
		struct ct_error e = {0};
		begin(&x, &sooner, "sharedl1-28");
		struct ct_records w = {.p = x.j.p,
		                       .e = &e,
		                       .mechanism = sooner.name,
		                       .system = "Short",
		                       .method = "full"};
		ct_records_value(&w, "speedup_configured", judged[i]);
		assert_int_equal(w.status, CT_OK);
		x.j.full_only = 1;
		judge(&x);
		assert_int_equal(speedup(&x, "Middle", "full") > 0, i);
		trial_free(&x.t);
	}
}

/* What is known of the GPU as configured is not replayed again, but believed. */
static void test_known_cycles(void **state)
{
	static struct trial x;
	(void)state;
	begin(&x, &sooner, "sharedl1-28");
	x.j.full_only = 1;
	judge(&x);
	double once = speedup(&x, "Short", "full");
	ct_judge_forget(x.j.p);
	ct_judge_know_configured(&x.j, x.j.p);
	x.j.configured_cycles *= 3;
	assert_true(x.j.configured_cycles == 3 * cycles_on(&x.t.gpu));
	judge(&x);
	assert_true(fabs(speedup(&x, "Short", "full") - 3 * once) < 1e-4);
	/* What quick timing has told is no baseline for replays in full timing. */
	ct_judge_forget(x.j.p);
	x.j.configured_timing = CT_REPLAY_QUICK;
	judge(&x);
	assert_true(fabs(speedup(&x, "Short", "full") - once) < 1e-4);
	trial_free(&x.t);
}

/* The timing of the pass is that of the cycles which a profile tells. */
static void test_known_timing(void **state)
{
	static struct trial x;
	struct ct_error e = {0};
	(void)state;
	begin(&x, &sooner, "sharedl1-28");
	ct_judge_know_configured(&x.j, x.j.p);
	assert_true(x.j.configured_cycles > 0);
	assert_int_equal(x.j.configured_timing, CT_REPLAY_FULL);
	assert_int_equal(ct_profile_add_gp(x.j.p, CT_PASS_TIMING_KEY, "quick", "", &e), CT_OK);
	ct_judge_know_configured(&x.j, x.j.p);
	assert_true(x.j.configured_cycles > 0);
	assert_int_equal(x.j.configured_timing, CT_REPLAY_QUICK);
	trial_free(&x.t);
}

/* Where nobody sees more than the verdict, a simpler system that is slower than the best one is not replayed to its end, and
 * its record says no more than that. */
static void test_slower_alternative(void **state)
{
	static const char *const both[] = {"Middle", "Long", NULL};
	struct ct_mechanism m = sooner;
	(void)state;
	m.alternatives = both;
	for (int judged_only = 0; judged_only < 2; judged_only++) {
		static struct trial x;
		struct ct_verdict v;
		struct ct_estimate es;
		struct ct_error e = {0};
		begin(&x, &m, "sharedl1-28");
		x.t.run.judged_only = judged_only;
		for (int i = 0; i < 2; i++) {
			struct ct_records w = {.p = x.j.p,
			                       .e = &e,
			                       .mechanism = m.name,
			                       .system = both[i],
			                       .method = "analytic"};
			ct_records_value(&w, "speedup_configured", i ? 1.01 : 1.02);
		}
		x.j.full_only = 1;
		judge(&x);
		check_speedup(&x, SHORT, 0);
		check_speedup(&x, MIDDLE, 0);
		assert_true(ct_profile_get_estimate(
			x.j.p, "all", m.name, "Long", "speedup_configured", "full", &es));
		assert_true(es.value < speedup(&x, "Middle", "full"));
		if (judged_only)
			assert_true(es.low == 0 && es.high == es.value);
		else
			check_speedup(&x, LONG, 0);
		ct_verdict_decide(x.j.p, &m, &v);
		assert_int_equal(v.word, CT_BENEFITS);
		assert_string_equal(v.alternative, "Middle");
		trial_free(&x.t);
	}
}

static void test_searches(void **state)
{
	static struct trial x;
	struct ct_mechanism m = sooner;
	(void)state;
	m.candidates = two_rounds;
	begin(&x, &m, "sharedl1-28");
	x.j.full_only = 1;
	judge(&x);
	check_speedup(&x, SHORT, 4);
	check_speedup(&x, MIDDLE, 4);
	assert_true(made >= 2 * MOST);
	trial_free(&x.t);
}

static int hurts;

/* The judged system has a part that does nothing; settings help, or hurt. */
static int make_engine_with_part(const struct ct_mechanism_run *run, unsigned system,
                                 struct ct_replays_engine *engine, void **parts, struct ct_error *e)
{
	static const struct ct_replay_parts nothing;
	int st = make_engine(run, system, engine, parts, e);
	if (hurts)
		other[system][(int)run->setting].l1_latency = 4 * run->gpu->l1_latency;
	engine->options.parts = system == SHORT ? &nothing : NULL;
	return st;
}

/* The ideal of a mechanism with settings is tried at one. Where it gains there, it is no bound, and nothing is said of others;
 * where it does not, all settings are searched. */
static void test_probes_the_ideal(void **state)
{
	(void)state;
	for (hurts = 0; hurts < 2; hurts++) {
		static struct trial x;
		struct ct_mechanism m = sooner;
		m.candidates = two_rounds;
		m.bound = CT_BOUND_L1;
		m.engine = make_engine_with_part;
		begin(&x, &m, "sharedl1-28");
		judge(&x);
		if (hurts)
			assert_true(speedup(&x, "Ideal-L1", "full") < 1);
		else
			assert_true(isnan(speedup(&x, "Ideal-L1", "full")));
		trial_free(&x.t);
	}
}

/* A trace that is gone: a failure where it has just been read, else said in the reason. */
static void test_without_trace(void **state)
{
	static struct trial x;
	struct ct_verdict v;
	struct ct_error e = {0};
	(void)state;
	begin(&x, &sooner, "sharedl1-28");
	unlink(x.t.path);
	judge(&x);
	ct_verdict_decide(x.j.p, &sooner, &v);
	assert_true(v.open);
	ct_judge_tell(&x.j, &v);
	assert_non_null(strstr(v.reason, "; not replayed: "));
	assert_non_null(strstr(v.reason, x.t.path));
	x.j.from_trace = 1;
	assert_int_equal(ct_judge_replays(&x.j, &e), CT_ERR_IO);
	assert_int_equal(made, freed);
	trial_free(&x.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decides),
		cmocka_unit_test(test_quick_first),
		cmocka_unit_test(test_only_what_decides),
		cmocka_unit_test(test_known_cycles),
		cmocka_unit_test(test_known_timing),
		cmocka_unit_test(test_searches),
		cmocka_unit_test(test_probes_the_ideal),
		cmocka_unit_test(test_without_trace),
		cmocka_unit_test(test_slower_alternative),
		cmocka_unit_test(test_own_baseline),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
