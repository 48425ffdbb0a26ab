/* The closed network as a whole GPU: at the replayed configuration it is the replay; away
 * from it, it stays within the roofline and moves in the right direction. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/workload.h"
#include "models/common/target.h"

static struct ct_workload w;
static struct ct_gpu gpu;
static struct ct_perf model;
static const struct ct_target_filter same = {1, 1};

static void make(double dram_busy, double lines, enum ct_perf_anchor how)
{
	const struct ct_made_workload s = {
		.lines = lines,
		.growing = 0.5,
		.requests = 4e6,
		.cold = 0.05,
		.insts_per_load = 12,
		.dram_busy = dram_busy,
		.latency = 900};
	struct ct_error e;
	ct_gpu_defaults(&gpu);
	ct_make_workload(&w, &gpu, &s);
	if (ct_perf_calibrate(&model, &w, &gpu, how, &e) != CT_OK)
		fail_msg("%s", e.text);
}

static void near(double a, double b, double part)
{
	if (!(fabs(a - b) <= part * fabs(b)))
		fail_msg("%.9g is not within %g of %.9g", a, part, b);
}

static void anchored(void **state)
{
	struct ct_target r, t;
	(void)state;
	for (int i = 0; i < 2; i++) {
		make(i ? 0.8 : 0.2, 60000, CT_PERF_ANCHOR_STATION);
		ct_target_replay(&w, &gpu, &r);
		ct_target_model(&model, &gpu, &same, 1, &t);
		near(t.cycles, r.cycles, 1e-9);
		near(t.ipc, r.ipc, 1e-9);
		near(t.issue, r.issue, 1e-9);
		near(t.l1, r.l1, 1e-9);
		near(t.noc_request, r.noc_request, 1e-9);
		near(t.noc_reply, r.noc_reply, 1e-9);
		near(t.llc, r.llc, 1e-9);
		near(t.dram, r.dram, 1e-6);
		near(t.llc_miss_rate, r.llc_miss_rate, 1e-6);
		near(r.issue * r.cycles * gpu.sms * gpu.schedulers, w.warp_insts, 1e-9);
		assert_true(r.dram > 0 && r.dram <= 1);
	}
}

/* Whatever the replay ran into, the settings that the root finder chooses make the model take as long. */
static void settings_meet_the_replay(void **state)
{
	static const enum ct_perf_anchor how[] = {
		CT_PERF_ANCHOR_STATION, CT_PERF_ANCHOR_MIXED, CT_PERF_ANCHOR_PHASES};
	int moved = 0;
	(void)state;
	for (int i = 0; i < 60; i++) {
		struct ct_target r, t;
		make(0.02 + 0.016 * i, 2000 * (1 + i % 7) * (1 + i % 7), how[i % 3]);
		ct_target_replay(&w, &gpu, &r);
		ct_target_model(&model, &gpu, &same, 0, &t);
		near(t.cycles, r.cycles, 1e-9);
		moved += fabs(model.ratio - 1) > 0.01;
	}
	assert_true(moved > 40); /* without them it would not */
}

/* The gain of an LLC of four times the size, with DRAM's backlog as measured. */
static double gain_with_backlog(double share, double yield)
{
	struct ct_perf_point pt;
	struct ct_perf_result now, large;
	struct ct_error e;
	make(0.34, 60000, CT_PERF_ANCHOR_STATION);
	w.mem_latency *= 1.3; /* the model alone is faster than the replay */
	double run = ct_gpu_dram_cycles(&gpu, w.cycles);
	w.dram_backlog_cycles = share * run;
	w.dram_backlog_busy_cycles = share * yield * run;
	assert_int_equal(ct_perf_calibrate(&model, &w, &gpu, CT_PERF_ANCHOR_STATION, &e), CT_OK);
	ct_perf_conventional(&model, &gpu, w.sms, ct_gpu_llc_lines(&gpu), &pt);
	ct_perf_eval(&model, &pt, &now);
	near(now.cycles, w.cycles, 1e-9);
	assert_int_equal(now.bottleneck == CT_PERF_DRAM && now.utilisation > 0.9, share > 0.5);
	ct_perf_conventional(&model, &gpu, w.sms, 4 * ct_gpu_llc_lines(&gpu), &pt);
	ct_perf_eval(&model, &pt, &large);
	return now.cycles / large.cycles;
}

/* What DRAM yields is not guessed where it was measured: it is what is short for as long as requests waited for it, however little
 * it moves, and else loads wait longer. So a larger LLC gains the more the longer they did. */
static void the_backlog_tells_how_long_dram_sets_the_pace(void **state)
{
	(void)state;
	double none = gain_with_backlog(0, 0), some = gain_with_backlog(0.3, 0.45),
	       half = gain_with_backlog(0.6, 0.45), most = gain_with_backlog(0.95, 0.3);
	assert_true(none > 1 && some > none && half > some && most > half);
	assert_true(most > none + 0.05); /* then the slices set the pace */
}

/* Anchors a program whose slices are busy for most of the time to a replay that took longer than the model. */
static void anchor_busy_slices(double backlog)
{
	struct ct_error e;
	make(0.9, 2000, CT_PERF_ANCHOR_STATION);
	w.cycles *= 1.3;
	w.mem_latency *= 1.6;
	w.noc_request_backlog = w.noc_reply_backlog = backlog * w.cycles * gpu.noc_mhz / gpu.core_mhz;
	assert_int_equal(ct_perf_calibrate(&model, &w, &gpu, CT_PERF_ANCHOR_STATION, &e), CT_OK);
}

static double cycles_with(double requests, double latency, double end_wait)
{
	struct ct_perf_point pt;
	struct ct_perf_result r;
	ct_perf_conventional(&model, &gpu, w.sms, ct_gpu_llc_lines(&gpu), &pt);
	pt.slice_in *= requests;
	for (unsigned i = 0; i < pt.n_classes; i++)
		pt.cls[i].latency += latency;
	pt.end_wait = end_wait;
	ct_perf_eval(&model, &pt, &r);
	return r.cycles;
}

/* Requests that wait at the slices for all of the run take as much longer as there are more of them; the less they waited, the
 * less. Where nobody has counted that, busy slices count as short all of the time. */
static void the_backlog_tells_how_long_slices_set_the_pace(void **state)
{
	double last = 0, more = 0;
	(void)state;
	for (int i = 0; i <= 4; i++) {
		anchor_busy_slices(0.25 * i);
		near(cycles_with(1, 0, 0), w.cycles, 1e-9);
		more = cycles_with(1.5, 0, 0) / w.cycles;
		assert_true(more > last);
		last = more;
	}
	near(more, 1.5, 0.02);
	anchor_busy_slices(NAN);
	near(cycles_with(1.5, 0, 0) / w.cycles, more, 1e-9);
}

/* Anchors a program to a replay that took longer than the model, whose misses waited for a line of their set, and whose requests for
 * DRAM, for these shares of it; cycles where so many times as many misses hold such lines, over the replay's. */
static double over_replayed(double sets, double dram, double set_misses)
{
	struct ct_perf_point pt;
	struct ct_perf_result r;
	struct ct_error e;
	make(0.34, 60000, CT_PERF_ANCHOR_STATION);
	w.mem_latency *= 1.3;
	w.l1_set_stall = sets * w.active_sms * w.cycles;
	w.l1_mshr_stall = 0;
	w.dram_backlog_cycles = dram * ct_gpu_dram_cycles(&gpu, w.cycles);
	w.dram_backlog_busy_cycles = 0.3 * w.dram_backlog_cycles;
	w.cycles *= 1.5;
	assert_int_equal(ct_perf_calibrate(&model, &w, &gpu, CT_PERF_ANCHOR_STATION, &e), CT_OK);
	ct_perf_conventional(&model, &gpu, w.sms, ct_gpu_llc_lines(&gpu), &pt);
	ct_perf_eval(&model, &pt, &r);
	near(r.cycles, w.cycles, 1e-9);
	pt.set_misses = set_misses;
	ct_perf_eval(&model, &pt, &r);
	return r.cycles / w.cycles;
}

/* The longer misses waited for a line of their set, the more an L1 gains in which none does, and the more is lost where more do;
 * not where DRAM had a backlog meanwhile. */
static void lines_of_a_set_pace_a_share(void **state)
{
	double gained = 1, lost = 1;
	(void)state;
	for (int i = 1; i <= 4; i++) {
		double none = over_replayed(0.375 * i, 0, 0), twice = over_replayed(0.375 * i, 0, 2);
		assert_true(none < gained && twice > lost);
		gained = none;
		lost = twice;
	}
	assert_true(lost > 1.9 && gained < 0.9);
	near(over_replayed(0, 0, 0), 1, 1e-9);
	near(over_replayed(0.6, 0.9, 2), 1, 1e-9);
}

/* A longer latency is waited for by each load that a warp has on its way when it waits; what other instructions hide of it, they
 * hide already. A warp that waits longer at its end keeps its place longer. */
static void latency_that_is_hidden(void **state)
{
	struct ct_error e;
	(void)state;
	make(0.1, 60000, CT_PERF_ANCHOR_STATION);
	w.mem_parallelism = 2;
	assert_int_equal(ct_perf_calibrate(&model, &w, &gpu, CT_PERF_ANCHOR_STATION, &e), CT_OK);
	double two = cycles_with(1, 2000, 0);
	w.mem_stall = 1e6;
	w.mem_stall_open = 2e6;
	assert_int_equal(ct_perf_calibrate(&model, &w, &gpu, CT_PERF_ANCHOR_STATION, &e), CT_OK);
	near(cycles_with(1, 2000, 0), two, 1e-9);
	w.mem_stall_open = 1e6;
	assert_int_equal(ct_perf_calibrate(&model, &w, &gpu, CT_PERF_ANCHOR_STATION, &e), CT_OK);
	near(cycles_with(1, 0, 0), w.cycles, 1e-9);
	near(cycles_with(1, 2000, 0) - w.cycles, 2 * (two - w.cycles), 0.01);
	near(cycles_with(1, 0, 5000), w.cycles, 1e-9); /* of how many warps is not known */
	w.warps = w.loads / 4;
	assert_true(cycles_with(1, 0, 5000) > 1.05 * w.cycles);
}

static void without_anchor(void **state)
{
	struct ct_target t;
	(void)state;
	make(0.8, 60000, CT_PERF_ANCHOR_NONE);
	ct_target_model(&model, &gpu, &same, 0, &t);
	near(t.cycles, model.ratio * w.cycles, 1e-9);
	assert_true(t.issue <= 1 && t.dram <= 1 && t.llc <= 1 && t.l1 <= 1);
}

static void any_gpu(void **state)
{
	struct ct_target t, last = {0};
	struct ct_gpu g;
	struct ct_error e;
	(void)state;
	make(0.5, 60000, CT_PERF_ANCHOR_STATION);
	for (unsigned sms = 1; sms <= gpu.sms; sms += 13) {
		g = gpu;
		g.sms = sms;
		ct_target_model(&model, &g, &same, 1, &t);
		assert_true(t.cycles > 0 && t.issue <= 1 && t.llc_miss_rate >= 0 &&
		            t.llc_miss_rate <= 1);
		if (sms == 14)
			assert_true(t.cycles < last.cycles / 4); /* few SMs: they are what is short */
		last = t;
	}
	g = gpu;
	assert_int_equal(ct_gpu_resize_llc(&g, 64 << 20, &e), 0);
	ct_target_model(&model, &g, &same, 1, &t);
	assert_true(t.llc_miss_rate < last.llc_miss_rate && t.cycles < w.cycles);
	assert_true(t.dram < 0.5);
	g = gpu;
	g.dram_latency += 2000;
	ct_target_model(&model, &g, &same, 1, &t);
	assert_true(t.cycles > w.cycles);
	const struct ct_target_filter more = {1.5, 1.5};
	struct ct_target wide;
	ct_target_model(&model, &gpu, &more, 1, &wide);
	assert_true(wide.llc_sectors > last.llc_sectors && wide.llc_miss_rate < last.llc_miss_rate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(anchored),
		cmocka_unit_test(settings_meet_the_replay),
		cmocka_unit_test(the_backlog_tells_how_long_dram_sets_the_pace),
		cmocka_unit_test(the_backlog_tells_how_long_slices_set_the_pace),
		cmocka_unit_test(lines_of_a_set_pace_a_share),
		cmocka_unit_test(latency_that_is_hidden),
		cmocka_unit_test(without_anchor),
		cmocka_unit_test(any_gpu),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
