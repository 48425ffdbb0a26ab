/* The clocks of the network and the LLC, and the ports of a network whose packets have several flits: each bounds how
 * fast lines that the LLC holds come to SMs that read them all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/support/gpus.h"
#include "tests/support/microtrace.h"

enum { LINES = 768, WARPS = 24, LOADS = LINES / WARPS, SETTINGS = 5 };

static const enum ct_replay_timing timings[2] = {CT_REPLAY_FULL, CT_REPLAY_QUICK};

/* Every SM reads all lines once, each SM beginning with another. */
static void read_by_all(struct micro *m, uint32_t sms)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "all", sms, 32 * WARPS, 0, 32);
	for (uint32_t c = 0; c < sms; c++) {
		micro_cta(m);
		for (uint32_t w = 0; w < WARPS; w++) {
			micro_warp(m, w, LOADS + 1);
			for (uint32_t i = 0; i < LOADS; i++)
				micro_line(m, "ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x 4", 4 + i % 8,
				           0x10000000 + 128 * ((i * WARPS + w + c * 37) % LINES));
			micro_line(m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(m);
	}
}

/* Cycles of fermi-15 with these settings, for each line that an SM reads. */
static double cycles_per_line(uint32_t sms, const char *const *settings, size_t n,
                              enum ct_replay_timing timing)
{
	static struct micro_result r;
	struct ct_gpu g;
	struct micro m;
	struct ct_replay_options o = {.timing = timing};
	char count[32];
	const char *set[SETTINGS + 2] = {count, "l1.mshr_entries=128"};
	snprintf(count, sizeof count, "sm.count=%u", sms);
	memcpy(set + 2, settings, n * sizeof *settings);
	test_gpu_with(&g, "fermi-15", set, n + 2);
	read_by_all(&m, sms);
	micro_run(&m, &g, &o, &r);
	return (double)(r.c.cycles - r.c.launch_cycles) / LINES;
}

/* A slice looks up a line in each cycle of the LLC's clock. */
static void slices_follow_the_llc_clock(void **state)
{
	static const char *const slow[] = {
		"noc.packet_flits_one=on", "clock.noc=1400MHz", "clock.llc=140MHz"};
	static const char *const fast[] = {
		"noc.packet_flits_one=on", "clock.noc=1400MHz", "clock.llc=1400MHz"};
	(void)state;
	for (int i = 0; i < 2; i++) {
		double bound = 15 * 10 / 12.0;
		double a = cycles_per_line(15, slow, 3, timings[i]);
		double b = cycles_per_line(15, fast, 3, timings[i]);
		if (!(a >= bound && a < 1.4 * bound && b < 0.5 * bound))
			fail_msg("%.2f and %.2f cycles a line, slices need %.2f", a, b, bound);
	}
}

/* A port of an SM takes a flit in each cycle of the network's clock. */
static void ports_follow_the_network_clock(void **state)
{
	static const char *const slow[] = {
		"noc.packet_flits_one=on", "clock.noc=140MHz", "clock.llc=1400MHz"};
	static const char *const fast[] = {
		"noc.packet_flits_one=on", "clock.noc=1400MHz", "clock.llc=1400MHz"};
	(void)state;
	for (int i = 0; i < 2; i++) {
		double a = cycles_per_line(8, slow, 3, timings[i]);
		double b = cycles_per_line(8, fast, 3, timings[i]);
		if (!(a >= 10 && a < 18 && b < 5))
			fail_msg("%.2f and %.2f cycles a line, a port needs 10", a, b);
	}
}

/* A line is five flits, which leave a slice one after the other whoever they go to. */
static void flits_keep_a_slice_busy(void **state)
{
	static const char *const narrow[] = {"clock.noc=1400MHz", "clock.llc=1400MHz"};
	static const char *const wide[] = {"clock.noc=1400MHz", "clock.llc=1400MHz", "noc.flit=136"};
	(void)state;
	for (int i = 0; i < 2; i++) {
		double bound = 30 * 5 / 12.0;
		double a = cycles_per_line(30, narrow, 2, timings[i]);
		double b = cycles_per_line(30, wide, 3, timings[i]);
		if (!(a >= bound && a < 2 * bound && b < 0.6 * bound))
			fail_msg("%.2f and %.2f cycles a line, slices need %.2f", a, b, bound);
	}
}

/* Clocks faster than that of the SMs: several of their cycles pass in one. */
static void clocks_may_be_faster(void **state)
{
	static const char *const same[] = {
		"noc.packet_flits_one=on", "clock.noc=1400MHz", "clock.llc=1400MHz"};
	static const char *const twice[] = {
		"noc.packet_flits_one=on", "clock.noc=2800MHz", "clock.llc=2800MHz"};
	(void)state;
	double a = cycles_per_line(60, same, 3, CT_REPLAY_FULL);
	double b = cycles_per_line(60, twice, 3, CT_REPLAY_FULL);
	if (!(a >= 60 / 12.0 && b >= 60 / 24.0 && b < 0.7 * a))
		fail_msg("%.2f and %.2f cycles a line", a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_follow_the_llc_clock),
		cmocka_unit_test(ports_follow_the_network_clock),
		cmocka_unit_test(flits_keep_a_slice_busy),
		cmocka_unit_test(clocks_may_be_faster),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
