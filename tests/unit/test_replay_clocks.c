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

/* Every SM reads all lines once, each SM beginning with another. */
static uint32_t line_of(const void *ctx, uint32_t cta, uint32_t warp, uint32_t load)
{
	(void)ctx;
	return 0x10000000 + 128 * ((load * WARPS + warp + cta * 37) % LINES);
}

/* Counts of so many SMs of fermi-15 with these settings, which becomes *g. */
static const struct ct_replay_counts *
read_all(struct ct_gpu *g, uint32_t sms, uint32_t warps, const char *const *settings, size_t n,
         enum ct_replay_timing timing)
{
	static struct micro_result r;
	struct micro m;
	struct ct_replay_options o = {.timing = timing};
	char count[32];
	const char *set[SETTINGS + 2] = {count, "l1.mshr_entries=128"};
	snprintf(count, sizeof count, "sm.count=%u", sms);
	memcpy(set + 2, settings, n * sizeof *settings);
	test_gpu_with(g, "fermi-15", set, n + 2);
	micro_loads(&m, "all", sms, warps, LOADS, 4, line_of, NULL);
	micro_run(&m, g, &o, &r);
	return &r.c;
}

/* Cycles of it for each line that an SM reads. */
static double cycles_per_line(uint32_t sms, const char *const *settings, size_t n,
                              enum ct_replay_timing timing)
{
	struct ct_gpu g;
	const struct ct_replay_counts *c = read_all(&g, sms, WARPS, settings, n, timing);
	return (double)(c->cycles - c->launch_cycles) / LINES;
}

/* What binds takes `bound` cycles for a line, in both timings, and less than `most`; without it less than `rest` pass. */
struct binding {
	uint32_t sms;
	const char *bound_by[SETTINGS], *without[SETTINGS];
	double bound, most, rest;
};

static size_t count_settings(const char *const *settings)
{
	size_t n = 0;
	while (n < SETTINGS && settings[n])
		n++;
	return n;
}

static void expect_binding(const struct binding *x)
{
	static const enum ct_replay_timing timings[2] = {CT_REPLAY_FULL, CT_REPLAY_QUICK};
	for (int i = 0; i < 2; i++) {
		double a = cycles_per_line(x->sms, x->bound_by, count_settings(x->bound_by), timings[i]);
		double b = cycles_per_line(x->sms, x->without, count_settings(x->without), timings[i]);
		if (!(a >= x->bound && a < x->most && b < x->rest))
			fail_msg("%.2f and %.2f cycles a line, what binds needs %.2f", a, b, x->bound);
	}
}

/* A slice looks up a line in each cycle of the LLC's clock. */
static void slices_follow_the_llc_clock(void **state)
{
	(void)state;
	expect_binding(&(struct binding){
		15,
		{"noc.packet_flits_one=on", "clock.noc=1400MHz", "clock.llc=140MHz"},
		{"noc.packet_flits_one=on", "clock.noc=1400MHz", "clock.llc=1400MHz"},
		15 * 10 / 12.0,
		1.4 * 15 * 10 / 12.0,
		0.5 * 15 * 10 / 12.0});
}

/* A port of an SM takes a flit in each cycle of the network's clock. */
static void ports_follow_the_network_clock(void **state)
{
	(void)state;
	expect_binding(&(struct binding){
		8,
		{"noc.packet_flits_one=on", "clock.noc=140MHz", "clock.llc=1400MHz"},
		{"noc.packet_flits_one=on", "clock.noc=1400MHz", "clock.llc=1400MHz"},
		10,
		18,
		5});
}

/* A line is five flits, which leave a slice one after the other whoever they go to. */
static void flits_keep_a_slice_busy(void **state)
{
	(void)state;
	expect_binding(&(struct binding){
		30,
		{"clock.noc=1400MHz", "clock.llc=1400MHz"},
		{"clock.noc=1400MHz", "clock.llc=1400MHz", "noc.flit=136"},
		30 * 5 / 12.0,
		2 * 30 * 5 / 12.0,
		0.6 * 30 * 5 / 12.0});
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

/* The shares of the network's time in which each crossbar has all that it can move. */
static void shares_of_backlog(uint32_t sms, const char *flits, uint32_t warps,
                              enum ct_replay_timing timing, double *requests, double *replies)
{
	const char *const set[] = {"clock.llc=1400MHz", flits};
	struct ct_gpu g;
	const struct ct_replay_counts *c = read_all(&g, sms, warps, set, 2, timing);
	double ticks = (double)(c->cycles - c->launch_cycles) * g.noc_mhz / g.core_mhz;
	*requests = (double)c->noc_request_backlog / ticks;
	*replies = (double)c->noc_reply_backlog / ticks;
}

/* Lines of five flits keep the twelve slices sending; where every packet is one flit, many SMs keep them taking; few warps do
 * neither. */
static void a_backlog_shows_what_a_network_holds_up(void **state)
{
	static const enum ct_replay_timing timings[2] = {CT_REPLAY_FULL, CT_REPLAY_QUICK};
	double requests, replies;
	(void)state;
	for (int i = 0; i < 2; i++) {
		shares_of_backlog(15, "noc.packet_flits_one=off", WARPS, timings[i], &requests,
		                  &replies);
		if (!(replies > 0.7 && replies <= 1 && requests < 0.2))
			fail_msg("long replies: requests %.3f, replies %.3f", requests, replies);
		shares_of_backlog(60, "noc.packet_flits_one=on", WARPS, timings[i], &requests, &replies);
		if (!(requests > 0.7 && requests <= 1 && replies < requests))
			fail_msg("many SMs: requests %.3f, replies %.3f", requests, replies);
		shares_of_backlog(15, "noc.packet_flits_one=off", 1, timings[i], &requests, &replies);
		if (!(requests < 0.05 && replies < 0.05))
			fail_msg("few warps: requests %.3f, replies %.3f", requests, replies);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_follow_the_llc_clock),
		cmocka_unit_test(ports_follow_the_network_clock),
		cmocka_unit_test(flits_keep_a_slice_busy),
		cmocka_unit_test(clocks_may_be_faster),
		cmocka_unit_test(a_backlog_shows_what_a_network_holds_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
