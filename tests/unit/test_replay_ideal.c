/* Levels that are as good as they can be: they miss nothing, cost what a hit costs, and hurt no program. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/gpus.h"
#include "../support/microtrace.h"
#include "base/hash.h"
#include "replay/parts.h"

enum { ALL = CT_REPLAY_IDEAL_L1 | CT_REPLAY_IDEAL_LLC | CT_REPLAY_IDEAL_REGISTERS, PROGRAMS = 24 };

static struct micro_result result;

static void gpu(struct ct_gpu *g, int which, const char *const *sets, unsigned n)
{
	micro_gpu(g, which);
	test_gpu_set(g, sets, n);
}

/* ---- one load, one instruction ---- */

static const char *const load_and_use[] = {
	"ffffffff 1 R4 LDG.E 1 R2 4 1 0x10000000 4", "ffffffff 1 R5 FFMA 2 R4 R4 0"};

/* Cycles from issue of the load to issue of what needs it. */
static long trip(const struct ct_gpu *g, enum ct_replay_timing timing, unsigned ideal)
{
	struct micro m;
	struct ct_replay_options o = {.timing = timing, .ideal = ideal};
	micro_one_warp(&m, 2, load_and_use);
	micro_run(&m, g, &o, &result);
	return micro_apart(&result, 0, 1);
}

/* doc/replay.md sections 5 and 9: an L1 hit takes the L1's latency + 4, an LLC hit behind an L1 miss both
 * latencies + 13. Here they are first touches. */
static void first_touches_hit(void **state)
{
	(void)state;
	for (int which = 0; which < MICRO_GPUS; which++) {
		struct ct_gpu g;
		gpu(&g, which, NULL, 0);
		long l1 = (long)g.l1_latency + 4, llc = (long)(g.l1_latency + g.llc_latency) + 13;
		assert_int_equal(trip(&g, CT_REPLAY_FULL, CT_REPLAY_IDEAL_L1), l1);
		assert_in_range(trip(&g, CT_REPLAY_FULL, CT_REPLAY_IDEAL_LLC), llc, llc + 4);
		assert_int_equal(trip(&g, CT_REPLAY_QUICK, CT_REPLAY_IDEAL_L1), l1);
		assert_in_range(trip(&g, CT_REPLAY_QUICK, CT_REPLAY_IDEAL_LLC), llc - 2, llc + 4);
		assert_true(trip(&g, CT_REPLAY_FULL, 0) > llc + (long)g.dram_latency);
		assert_int_equal(trip(&g, CT_REPLAY_FULL, CT_REPLAY_IDEAL_REGISTERS),
		                 trip(&g, CT_REPLAY_FULL, 0));
	}
}

/* Three operands of one bank take three steps, in an ideal file one: the warp that waits for a collector
 * behind eight of them is served earlier. */
static void banks_do_not_conflict(void **state)
{
	struct ct_gpu g;
	uint64_t n[2];
	(void)state;
	gpu(&g, MICRO_RTX3070, NULL, 0);
	for (int k = 0; k < 2; k++) {
		struct micro m;
		struct ct_replay_options o = {.ideal = k ? CT_REPLAY_IDEAL_REGISTERS : 0};
		uint32_t every = g.register_banks / g.schedulers;
		memset(&m, 0, sizeof m);
		micro_kernel(&m, "k", 1, 32, 0, 255);
		micro_cta(&m);
		micro_warp(&m, 0, 65);
		for (unsigned i = 0; i < 64; i++)
			micro_line(&m, "ffffffff 1 R%u FFMA 3 R%u R%u R%u 0", 64 + i, 8, 8 + every,
			           8 + 2 * every);
		micro_line(&m, "ffffffff 0 EXIT 0 0");
		micro_cta_end(&m);
		micro_run(&m, &g, &o, &result);
		n[k] = result.c.cycles - result.c.launch_cycles;
	}
	assert_true(n[1] + 20 < n[0]); /* 64 instructions of one warp, at least a half cycle each */
}

/* ---- collectors of memory instructions ---- */

/* One warp stores to 32 lines at a time and then computes, each result from the one before; another of the same scheduler
 * computes. */
static uint64_t cycles_of_both(const struct ct_gpu *g, enum ct_replay_timing timing)
{
	struct micro m;
	struct ct_replay_options o = {.timing = timing};
	memset(&m, 0, sizeof m);
	micro_kernel(&m, "k", 1, 32 * (g->schedulers + 1), 0, 255);
	micro_cta(&m);
	for (uint32_t w = 0; w <= g->schedulers; w++) {
		int stores = w == 0, computes = w == g->schedulers;
		micro_warp(&m, w, stores ? 117 : computes ? 513 : 1);
		for (unsigned i = 0; stores && i < 16; i++)
			micro_line(&m, "ffffffff 0 STG.E 2 R4 R6 4 1 0x%x 128", 0x10000000u + 4096 * i);
		for (unsigned i = 0; stores && i < 100; i++)
			micro_line(&m, "ffffffff 1 R5 FFMA 2 R5 R9 0");
		for (unsigned i = 0; computes && i < 512; i++)
			micro_line(&m, "ffffffff 1 R%u FFMA 2 R8 R9 0", 16 + i % 200);
		micro_line(&m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(&m);
	micro_run(&m, g, &o, &result);
	return result.c.cycles - result.c.launch_cycles;
}

/* Stores that wait for the load/store unit keep the two collectors that all share; where they have one of their own, the
 * other warp computes meanwhile. */
static void memory_collectors_are_apart(void **state)
{
	static const char *const sets[][2] = {{"sm.memory_collectors=0", "sm.collectors=2"},
	                                      {"sm.memory_collectors=1", "sm.collectors=2"},
	                                      {"sm.memory_collectors=2", "sm.collectors=2"}};
	uint64_t n[3];
	struct ct_gpu g;
	(void)state;
	for (int i = 0; i < 3; i++) {
		gpu(&g, MICRO_RTX3070, sets[i], 2);
		n[i] = cycles_of_both(&g, CT_REPLAY_FULL);
	}
	assert_true(n[1] + 30 < n[0]);
	assert_true(n[2] + 20 < n[1]); /* it begins to compute behind its last store */
}

/* Quick replays know collectors as the places of memory instructions in front of the load/store unit, where warps issue in the
 * order of age: a scheduler has its own with memory collectors, else those of all schedulers are shared. */
static void quick_takes_memory_collectors(void **state)
{
	static const char *const sets[][3] = {
		{"sm.scheduler=gto", "sm.memory_collectors=0", "sm.collectors=16"},
		{"sm.scheduler=gto", "sm.memory_collectors=1", "sm.collectors=16"},
		{"sm.scheduler=gto", "sm.memory_collectors=0", "sm.collectors=1"}};
	uint64_t n[3];
	struct ct_gpu g;
	(void)state;
	for (int i = 0; i < 3; i++) {
		gpu(&g, MICRO_RTX3070, sets[i], 3);
		n[i] = cycles_of_both(&g, CT_REPLAY_QUICK);
	}
	assert_true(n[0] < n[1]);
	assert_true(n[2] < n[1]); /* the only scheduler that loads has all of the shared places */
}

/* ---- any program ---- */

/* Loads, stores, atomics and arithmetic with bank conflicts of everybody's own, by the seed; without lines to spread
 * over, arithmetic only. */
static void random_warp(struct micro *m, uint64_t *seed, uint32_t warp, unsigned spread, int barrier)
{
	enum { INSTS = 40 };
	micro_warp(m, warp, INSTS + 1 + (barrier != 0));
	for (int i = 0; i < INSTS; i++) {
		unsigned at = 0x10000000u + 32u * (unsigned)(ct_rand64(seed) % (spread + 1)),
			 d = 4 + (unsigned)(ct_rand64(seed) % 40),
			 s = 4 + (unsigned)(ct_rand64(seed) % 40);
		static const unsigned strides[] = {4, 8, 32, 128, 512};
		unsigned stride = strides[ct_rand64(seed) % 5];
		switch (spread ? ct_rand64(seed) % 10 : 10) {
		case 0: micro_line(m, "ffffffff 0 STG.E 2 R4 R6 4 1 0x%x %u", at, stride); break;
		case 1:
		case 2:
		case 3: micro_line(m, "ffffffff 1 R%u LDG.E 1 R%u 4 1 0x%x %u", d, s, at, stride); break;
		case 4: micro_line(m, "0000000f 1 R%u ATOMG.ADD 2 R%u R6 4 1 0x%x 4", d, s, at); break;
		case 5: micro_line(m, "ffffffff 1 R%u LDS 1 R4 4 1 0x%x %u", d, at % 64, stride); break;
		default: micro_line(m, "ffffffff 1 R%u FFMA 3 R%u R%u R6 0", d, s, s + 8); break;
		}
		if (barrier && i == INSTS / 2)
			micro_line(m, "ffffffff 0 BAR.SYNC 0 0");
	}
	micro_line(m, "ffffffff 0 EXIT 0 0");
}

static void random_program(struct micro *m, uint64_t seed, int memory)
{
	static const unsigned spreads[] = {64, 1000, 20000, 400000};
	unsigned ctas = 1 + (unsigned)(ct_rand64(&seed) % 8),
		 warps = 1 + (unsigned)(ct_rand64(&seed) % 8),
		 spread = memory ? spreads[ct_rand64(&seed) % 4] : 0,
		 barrier = ct_rand64(&seed) % 3 == 0;
	memset(m, 0, sizeof *m);
	micro_kernel(m, "k", ctas, 32 * warps, 1024, 48);
	for (unsigned c = 0; c < ctas; c++) {
		micro_cta(m);
		for (unsigned w = 0; w < warps; w++)
			random_warp(m, &seed, w, spread, (int)barrier);
		micro_cta_end(m);
	}
}

static struct ct_replay_counts
counts_of(const struct ct_gpu *g, uint64_t seed, enum ct_replay_timing timing, unsigned ideal)
{
	struct micro m;
	struct ct_replay_options o = {.timing = timing, .ideal = ideal};
	random_program(&m, seed, 1);
	micro_run(&m, g, &o, &result);
	return result.c;
}

/* What never misses has no misses, and below it there is what it lets through only. */
static void check_traffic(const struct ct_replay_counts *c, const struct ct_replay_counts *was,
                          unsigned ideal)
{
	assert_int_equal(c->warp_insts, was->warp_insts);
	assert_int_equal(c->l1_accesses, was->l1_accesses);
	assert_int_equal(c->l1_read_accesses, was->l1_read_accesses);
	if (ideal & CT_REPLAY_IDEAL_L1) {
		assert_int_equal(c->l1_misses + c->l1_pending + c->l1_line_misses + c->l1_sector_misses,
		                 0);
		assert_int_equal(result.l1_miss + result.l1_pending, 0);
		/* stores and atomics */
		assert_int_equal(c->llc_accesses - c->llc_read_accesses,
		                 was->llc_accesses - was->llc_read_accesses);
		assert_in_range(was->llc_read_accesses - c->llc_read_accesses,
		                was->l1_read_misses - was->l1_read_misses / 10, was->l1_read_misses);
	} else if (ideal & CT_REPLAY_IDEAL_LLC) {
		assert_true(c->llc_accesses > 0);
	}
	if (ideal & CT_REPLAY_IDEAL_LLC) {
		assert_int_equal(c->llc_misses + c->llc_pending + c->llc_line_misses, 0);
		assert_int_equal(c->dram_read_bytes + c->dram_write_bytes + c->dram_busy, 0);
	}
}

/* SMs are few, so that they meet; caches are small, so that programs miss. */
static void random_gpu(struct ct_gpu *g, uint64_t seed)
{
	char llc[64];
	const char *const sets[] = {"sm.count=3", "l1.size=16KiB", llc};
	micro_gpu(g, (int)(seed % MICRO_GPUS));
	snprintf(llc, sizeof llc, "llc.size=%llu", (unsigned long long)(ct_gpu_llc_bytes(g) / 8));
	gpu(g, (int)(seed % MICRO_GPUS), sets, seed % 2 ? 3 : 1);
}

static double own_cycles(const struct ct_replay_counts *c)
{
	return (double)(c->cycles - c->launch_cycles);
}

/* Cycles over those of the same program and timing as configured, after the checks of its traffic. */
static double check_program(uint64_t seed, enum ct_replay_timing timing, unsigned ideal)
{
	struct ct_gpu g;
	random_gpu(&g, seed);
	struct ct_replay_counts was = counts_of(&g, seed, timing, 0);
	struct ct_replay_counts c = counts_of(&g, seed, timing, ideal);
	check_traffic(&c, &was, ideal);
	if (seed % 4 == 0) {
		struct ct_replay_counts again = counts_of(&g, seed, timing, ideal);
		assert_memory_equal(&again, &c, sizeof c);
	}
	return own_cycles(&c) / own_cycles(&was);
}

/* Another order of the same work may cost something, above all where atomics meet or DRAM changes its rows. Of these
 * programs none loses a quarter, few lose more than 2 %, and they gain together. */
static void programs_are_not_slower(void **state)
{
	static const enum ct_replay_timing timings[] = {CT_REPLAY_FULL, CT_REPLAY_QUICK};
	(void)state;
	for (int t = 0; t < 2; t++)
		for (unsigned ideal = 1; ideal <= ALL; ideal++) {
			double sum = 0;
			unsigned slower = 0;
			if (t && (ideal & CT_REPLAY_IDEAL_REGISTERS))
				continue;
			for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
				double x = check_program(seed, timings[t], ideal);
				if (x > 1.25)
					fail_msg("program %llu, timing %d, ideal %u: %.3f of the cycles",
					         (unsigned long long)seed, t, ideal, x);
				slower += x > 1.02;
				sum += log(x);
			}
			/* registers are what few of them wait for: what is left is the order of the rest */
			int registers = ideal == CT_REPLAY_IDEAL_REGISTERS;
			assert_in_range(slower, 0, registers ? PROGRAMS / 4 : PROGRAMS / 8);
			assert_true(exp(sum / PROGRAMS) < (registers ? 1.02 : 0.9));
		}
}

/* Without memory nothing can get into another's way but by issuing earlier. */
static void arithmetic_is_not_slower(void **state)
{
	unsigned faster = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
		double n[2];
		for (int k = 0; k < 2; k++) {
			struct micro m;
			struct ct_gpu g;
			struct ct_replay_options o = {.ideal = k ? CT_REPLAY_IDEAL_REGISTERS : 0};
			random_gpu(&g, seed);
			random_program(&m, seed, 0);
			micro_run(&m, &g, &o, &result);
			n[k] = own_cycles(&result.c);
		}
		assert_true(n[1] <= 1.02 * n[0] + 4);
		faster += n[1] < n[0];
	}
	assert_true(faster > PROGRAMS / 2);
}

/* ---- what cannot be ---- */

static enum ct_llc_outcome pass(void *ctx, struct ct_replay *r, const struct ct_llc_request *q,
                                uint64_t cycle)
{
	(void)ctx;
	(void)r;
	(void)q;
	(void)cycle;
	return CT_LLC_PASS;
}

static void refused(void **state)
{
	static const struct ct_llc_part llc = {.access = pass};
	static const struct ct_replay_parts parts = {.llc = &llc};
	const struct ct_replay_options bad[] = {
		{.timing = CT_REPLAY_QUICK, .ideal = CT_REPLAY_IDEAL_REGISTERS},
		{.timing = CT_REPLAY_FULL, .ideal = CT_REPLAY_IDEAL_LLC, .parts = &parts},
		{.timing = CT_REPLAY_FULL, .ideal = 1u << 3},
	};
	const struct ct_replay_options good = {.ideal = CT_REPLAY_IDEAL_L1, .parts = &parts};
	struct ct_gpu g;
	struct ct_replay *r = NULL;
	struct ct_error e;
	(void)state;
	gpu(&g, MICRO_RTX3070, NULL, 0);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_int_equal(ct_replay_new(&r, &g, &bad[i], &e), CT_ERR_UNSUPPORTED);
		assert_null(r);
	}
	assert_int_equal(ct_replay_new(&r, &g, &good, &e), CT_OK);
	ct_replay_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_touches_hit),
		cmocka_unit_test(banks_do_not_conflict),
		cmocka_unit_test(memory_collectors_are_apart),
		cmocka_unit_test(quick_takes_memory_collectors),
		cmocka_unit_test(programs_are_not_slower),
		cmocka_unit_test(arithmetic_is_not_slower),
		cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
