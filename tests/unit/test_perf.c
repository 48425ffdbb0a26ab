/* The closed network against the replays that it stands for, on traces whose limits differ: speed-ups by other SM counts
 * within 17 %, by capacities of the LLC, whose misses are predicted too, within a third, and none the other way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/common/perf.h"
#include "pass/replays.h"
#include "tests/support/gpus.h"
#include "tests/support/mechanism_trial.h"

/* CTAs of four warps, each of which reads `rows` lines `passes` times, `ahead` of them before it uses the first; all together
 * go round `lines` lines in every one of `launches`. */
struct program {
	const char *name;
	unsigned ctas, rows, ahead, lines, launches, arithmetic, passes;
};

enum { WARPS = 4, LINE = 128 };

static void write_warp(struct micro *m, const struct program *p, uint32_t warp, uint32_t first)
{
	micro_warp(m, warp, p->passes * p->rows * (2 + p->arithmetic) + 1);
	for (uint32_t k = 0; k < p->passes * p->rows; k++) {
		micro_line(m, "ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x 4", 4 + k % p->ahead,
		           0x10000000u + (first + k % p->rows) % p->lines * LINE);
		micro_line(m, "ffffffff 1 R60 FADD 2 R60 R%u 0", 4 + (k + 1) % p->ahead);
		for (uint32_t i = 0; i < p->arithmetic; i++)
			micro_line(m, "ffffffff 1 R60 FADD 2 R60 R61 0");
	}
	micro_line(m, "ffffffff 0 EXIT 0 0");
}

static void write_program(struct micro *m, const struct program *p)
{
	memset(m, 0, sizeof *m);
	for (uint32_t l = 0; l < p->launches; l++) {
		micro_kernel(m, "k", p->ctas, 32 * WARPS, 0, 32);
		for (uint32_t c = 0; c < p->ctas; c++) {
			micro_cta(m);
			for (uint32_t w = 0; w < WARPS; w++)
				write_warp(m, p, w, (c * WARPS + w) * p->rows);
			micro_cta_end(m);
		}
	}
}

/* What is changed: shares of the SMs, multiples of the LLC. */
static const struct change {
	double sms, llc;
} changes[] = {{1, 1}, {0.8, 1}, {0.6, 1}, {1, 2}, {1, 4}, {0.6, 4}};
enum { CHANGES = sizeof changes / sizeof changes[0] };

/* Cycles of each change as replayed, without launches. */
static void replay_changes(struct mechanism_trial *t, double cycles[CHANGES])
{
	struct ct_gpu gpu[CHANGES];
	struct ct_replays_engine engine[CHANGES] = {{0}};
	struct ct_replay_counts total[CHANGES];
	struct ct_error e = {0};
	for (size_t i = 0; i < CHANGES; i++) {
		double bytes = (double)ct_gpu_llc_bytes(&t->gpu) * changes[i].llc;
		gpu[i] = t->gpu;
		assert_int_equal(ct_gpu_resize_llc(&gpu[i], (uint64_t)bytes, &e), CT_OK);
		gpu[i].sms = (uint32_t)(t->gpu.sms * changes[i].sms + 0.5);
		engine[i].gpu = &gpu[i];
	}
	assert_int_equal(
		ct_replays_run(t->run.p, &t->settings, "a test", engine, CHANGES, NULL, total, &e),
		CT_OK);
	for (size_t i = 0; i < CHANGES; i++)
		cycles[i] = (double)(total[i].cycles - total[i].launch_cycles);
}

static void estimate_changes(const struct mechanism_trial *t, double cycles[CHANGES])
{
	struct ct_perf m;
	struct ct_error e = {0};
	assert_int_equal(ct_perf_calibrate(&m, &t->workload, &t->gpu, CT_PERF_ANCHOR_STATION, &e),
	                 CT_OK);
	for (size_t i = 0; i < CHANGES; i++) {
		struct ct_perf_point pt;
		struct ct_perf_result r;
		ct_perf_conventional(&m, &t->gpu, floor(t->gpu.sms * changes[i].sms + 0.5),
		                     ct_gpu_llc_lines(&t->gpu) * changes[i].llc, &pt);
		ct_perf_eval(&m, &pt, &r);
		cycles[i] = r.cycles;
	}
}

static const struct program programs[] = {
	{"cyclic, eight loads ahead", 30, 96, 8, 9000, 4, 0, 1},
	{"cyclic, two loads ahead", 60, 48, 2, 9000, 3, 0, 1},
	{"stream, eight loads ahead", 60, 64, 8, 100000, 2, 0, 1},
	{"fits, eight loads ahead", 60, 48, 8, 2000, 3, 0, 1},
	{"arithmetic", 40, 24, 2, 9000, 2, 20, 1},
	{"few CTAs", 6, 64, 2, 9000, 3, 0, 1},
	{"points read five times", 180, 16, 16, 9000, 4, 1, 5},
	{"points read five times, eight instructions each", 120, 16, 16, 9000, 4, 8, 5},
};

static void follows_the_replay(void **state)
{
	const struct ct_mechanism *any = ct_mechanism_at((unsigned)ct_mechanism_find("morpheus"));
	(void)state;
	for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++) {
		struct mechanism_trial t;
		struct micro m;
		struct ct_gpu g;
		struct ct_error e;
		double replayed[CHANGES], estimated[CHANGES];
		write_program(&m, &programs[k]);
		test_gpu(&g, "rtx3080");
		assert_int_equal(ct_gpu_scale(&g, 1 / 16.0, &e), CT_OK);
		trial_new(&t, any, &g, &m);
		trial_pass(&t, 1);
		replay_changes(&t, replayed);
		estimate_changes(&t, estimated);
		for (size_t i = 0; i < CHANGES; i++) {
			double want = replayed[0] / replayed[i], got = estimated[0] / estimated[i];
			double most = changes[i].llc > 1 ? 1.0 / 3 : 0.17;
			int opposite = (want > 1.05 && got < 0.95) || (want < 0.95 && got > 1.05);
			if (fabs(got / want - 1) > most || opposite)
				fail_msg("%s, %g of the SMs, %g times the LLC: estimated %.3f, "
				         "replayed %.3f",
				         programs[k].name, changes[i].sms, changes[i].llc, got, want);
		}
		trial_free(&t);
	}
}

/* Two warps on each of a few SMs, in which each thread walks along a row of its own: a load touches 32 sectors, all of them for
 * the first time once in eight loads, all of them again in the other seven. */
static void write_rows(struct micro *m)
{
	enum { ROW = 128, LOADS = 256 };
	memset(m, 0, sizeof *m);
	micro_kernel(m, "rows", 4, 64, 0, 32);
	for (uint32_t c = 0; c < 4; c++) {
		micro_cta(m);
		for (uint32_t w = 0; w < 2; w++) {
			micro_warp(m, w, 2 * LOADS + 1);
			for (uint32_t k = 0; k < LOADS; k++) {
				/* A sector of a line, then the same one of the next line. */
				uint32_t at = k / 8 * 32 * ROW + k % 8 * 4;
				micro_line(m, "ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x %d",
				           0x10000000u + (c * 2 + w) * LOADS / 8 * 32 * ROW + at, ROW);
				micro_line(m, "ffffffff 1 R60 FADD 2 R60 R4 0");
			}
			micro_line(m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(m);
	}
}

/* Cycles without launches that one system of shared L1s takes, as estimated and as replayed. */
static double cycles_of(struct mechanism_trial *t, const char *system, const char *method)
{
	return trial_value(t, system, "cycles", method);
}

/* Where the lines of a load miss together, seven loads of eight wait for an L1 hit alone, so that longer ways to the L1s slow down all
 * of them: taken as independent, nearly every load would miss anyway, and shared L1s would be estimated at 0.73 where they are replayed at 0.33. */
static void lines_that_miss_together(void **state)
{
	const struct ct_mechanism *shared = ct_mechanism_at((unsigned)ct_mechanism_find("shared-l1"));
	struct mechanism_trial t;
	struct micro m;
	struct ct_gpu g;
	struct ct_error e = {0};
	struct ct_perf perf;
	(void)state;
	write_rows(&m);
	test_gpu(&g, "rtx3080");
	assert_int_equal(ct_gpu_scale(&g, 1 / 17.0, &e), CT_OK);
	trial_new(&t, shared, &g, &m);
	trial_pass(&t, 1);
	assert_int_equal(ct_perf_calibrate(&perf, &t.workload, &g, CT_PERF_ANCHOR_STATION, &e), CT_OK);
	assert_true(perf.a.apart < 0.25);
	assert_true(perf.a.latency_factor > 0.75);
	assert_int_equal(shared->estimate(&t.run, &e), CT_OK);
	double estimated = cycles_of(&t, "Private", "analytic") / cycles_of(&t, "Shared", "analytic");
	assert_int_equal(shared->replay(&t.run, "a test", &e), CT_OK);
	double replayed = cycles_of(&t, "Private", "replay") / cycles_of(&t, "Shared", "replay");
	if (!(fabs(log(estimated / replayed)) < 0.05))
		fail_msg("estimated %.3f, replayed %.3f, apart %.3f, factor %.3f", estimated, replayed,
		         perf.a.apart, perf.a.latency_factor);
	trial_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_replay), cmocka_unit_test(lines_that_miss_together)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
