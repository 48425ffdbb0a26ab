/* The DRAM bandwidth that the GPUs of data/gpus reach: nothing between the SMs and DRAM may keep a stream of whole
 * rows from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/support/gpus.h"
#include "tests/support/microtrace.h"

enum { CTA_WARPS = 8, SM_WARPS = 32, LOADS = 24, ROW_APART = 66816 };

/* All warps of the GPU read one array from its begin to its end, a line each at a time, eight loads ahead. The distance
 * of a warp's lines is no multiple of a small L1's sets. */
static uint32_t next_line(const void *gpu, uint32_t cta, uint32_t warp, uint32_t load)
{
	const struct ct_gpu *g = gpu;
	uint32_t at_once = g->sms * SM_WARPS + 8;
	return 0x10000000 + 128 * (load * at_once + cta * CTA_WARPS + warp);
}

/* Share of its peak at which DRAM delivers the stream, from the moment at which a quarter has been asked for: before,
 * the first answers are on their way. */
static double share_of_peak(const struct ct_gpu *g, enum ct_replay_timing timing)
{
	static struct micro_result r;
	struct micro m;
	struct ct_replay_options o = {
		.timing = timing, .warmup = (uint64_t)g->sms * SM_WARPS * LOADS / 4};
	micro_loads(&m, "stream", g->sms * SM_WARPS / CTA_WARPS, CTA_WARPS, LOADS, 4, next_line, g);
	micro_run(&m, g, &o, &r);
	double seconds = (double)(r.c.cycles - r.c.launch_cycles) / (g->core_mhz * 1e6);
	return (double)(r.c.dram_read_bytes + r.c.dram_write_bytes) / seconds /
	       (ct_gpu_dram_gbps(g) * 1e9);
}

static void every_gpu_reaches_its_bandwidth(void **state)
{
	static const struct {
		const char *gpu, *setting;
		int large; /* a second or more of the sanitizers' time */
	} runs[] = {
		{"rtx2060-third", NULL, 0},
		{"rtx2060", NULL, 0},
		{"rtx3070", NULL, 0},
		{"rtx3080", NULL, 0},
		{"v100", NULL, 0},
		{"qv100", NULL, 0},
		{"rtx4090", NULL, 1},
		{"a100", NULL, 1},
		{"h100", NULL, 1},
		/* with their own flits of 32 bytes a line takes five cycles of a port at 700 MHz: 60 and 73 % */
		{"sharedl1-28", "noc.flit=136", 0},
		{"fermi-15", "noc.flit=136", 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		struct ct_gpu g;
		if (CT_ADDRESS_SANITIZER && runs[i].large)
			continue;
		test_gpu_with(&g, runs[i].gpu, &runs[i].setting, runs[i].setting != NULL);
		double share = share_of_peak(&g, CT_REPLAY_FULL);
		if (!(share >= 0.8 && share <= 1))
			fail_msg("%s: %.1f %% of its DRAM bandwidth", runs[i].gpu, 100 * share);
	}
}

/* What the network lets through is what such a GPU reaches. A queue at each input of a crossbar, whose first packet
 * holds up those behind it, lets through 0.586 of what the ports could where packets go anywhere (Karol, Hluchyj and
 * Morgan, IEEE Transactions on Communications 1987). */
static void a_narrow_network_binds(void **state)
{
	static const struct {
		const char *gpu;
		double least, most;
	} runs[] = {{"sharedl1-28", 0.8, 1}, {"fermi-15", 0.5, 0.7}};
	(void)state;
	for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		struct ct_gpu g;
		test_gpu(&g, runs[i].gpu);
		double ports = g.llc_slices * g.noc_mhz * 1e6 * 128 / 5;
		double network = ports / (ct_gpu_dram_gbps(&g) * 1e9);
		double share = share_of_peak(&g, CT_REPLAY_FULL) / network;
		if (!(share > runs[i].least && share < runs[i].most))
			fail_msg("%s: %.1f %% of what its ports allow", runs[i].gpu, 100 * share);
	}
}

/* A channel has its requests under way for dram.latency and more: with too few of them it idles, whatever the timing of
 * its banks allows. Quick timing bounds no channel. */
static void the_return_queue_binds(void **state)
{
	static const char *const few[] = {"dram.return_queue=192"};
	struct ct_gpu g, configured;
	(void)state;
	test_gpu(&configured, "rtx3080");
	test_gpu_with(&g, "rtx3080", few, 1);
	double core = g.core_mhz * 1e6, sector = 32;
	double bound = (g.dram_queue + 192) * sector * g.dram_channels / (g.dram_latency / core) /
	               (ct_gpu_dram_gbps(&g) * 1e9);
	double share = share_of_peak(&g, CT_REPLAY_FULL);
	if (!(share < bound && share > 0.85 * bound))
		fail_msg("%.1f %% of the DRAM bandwidth, %.1f %% are under way", 100 * share,
		         100 * bound);
	assert_true(share_of_peak(&configured, CT_REPLAY_QUICK) > 0.8);
}

/* Each load reads a row of a bank of its own, far from all others. */
static uint32_t next_row(const void *gpu, uint32_t cta, uint32_t warp, uint32_t load)
{
	(void)gpu;
	return 0x10000000 + ROW_APART * ((cta * CTA_WARPS + warp) * LOADS + load);
}

/* The share of DRAM's time with a backlog, and the share of its peak that it moves meanwhile. */
static void backlog_of(const struct ct_gpu *g, unsigned warps,
                       uint32_t (*address)(const void *, uint32_t, uint32_t, uint32_t),
                       enum ct_replay_timing timing, double *share, double *yield)
{
	static struct micro_result r;
	struct micro m;
	const struct ct_replay_options o = {.timing = timing};
	micro_loads(&m, "k", (warps + CTA_WARPS - 1) / CTA_WARPS, CTA_WARPS, LOADS, 4, address, g);
	micro_run(&m, g, &o, &r);
	double cycles = ct_gpu_dram_cycles(g, (double)(r.c.cycles - r.c.launch_cycles));
	*share = (double)r.c.dram_backlog / cycles;
	*yield = r.c.dram_backlog ? (double)r.c.dram_backlog_busy / (double)r.c.dram_backlog : 0;
	assert_true(r.c.dram_backlog_busy <= r.c.dram_busy);
}

/* A backlog is counted where more loads wait for DRAM than it has banks; what it then moves is most of its peak where they
 * follow each other in rows, and a part of it where each opens a row. */
static void a_backlog_shows_what_dram_yields(void **state)
{
	static const enum ct_replay_timing timings[] = {CT_REPLAY_FULL, CT_REPLAY_QUICK};
	struct ct_gpu g;
	double share, yield;
	(void)state;
	test_gpu(&g, "rtx3070");
	for (size_t i = 0; i < 2; i++) {
		backlog_of(&g, g.sms * SM_WARPS, next_line, timings[i], &share, &yield);
		if (!(share > 0.5 && share <= 1 && yield > 0.8 && yield <= 1))
			fail_msg("a stream: %.3f of the time, %.3f of the peak", share, yield);
		backlog_of(&g, g.sms * SM_WARPS, next_row, timings[i], &share, &yield);
		if (!(share > 0.5 && share <= 1 && yield > 0.1 && yield < 0.6))
			fail_msg("rows: %.3f of the time, %.3f of the peak", share, yield);
		backlog_of(&g, CTA_WARPS, next_line, timings[i], &share, &yield);
		if (!(share < 0.01))
			fail_msg("few warps: %.3f of the time", share);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_gpu_reaches_its_bandwidth),
		cmocka_unit_test(a_narrow_network_binds),
		cmocka_unit_test(the_return_queue_binds),
		cmocka_unit_test(a_backlog_shows_what_dram_yields),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
