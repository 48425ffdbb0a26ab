/* Quick replay: the same accesses as the full engine, unloaded latencies to the cycle, no resource
 * faster than it can be, limits that bind, the same result each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/microtrace.h"
#include "base/hash.h"
#include "replay/private/quick.h"

static const struct ct_replay_options quick = {.timing = CT_REPLAY_QUICK};

static const char load[] = "ffffffff 1 R1 LDG.E 1 R2 4 1 0x7f0000000000 4";
static const char bypass[] = "ffffffff 1 R1 LDG.E.STRONG.GPU 1 R2 4 1 0x7f0000000000 0";
static const char use[] = "ffffffff 1 R9 FADD 2 R1 R1 0";

/* One warp by quick replay. */
static struct micro_result one_warp(const struct ct_gpu *g, uint32_t n, const char *const *lines)
{
	static struct micro_result r;
	struct micro m;
	micro_one_warp(&m, n, lines);
	micro_run(&m, g, &quick, &r);
	return r;
}

/* doc/replay.md sections 4, 5 and 9, as the full engine has them (test_replay_latency.c). */
static void latencies(void **state)
{
	static const struct {
		const char *line;
		long want[MICRO_GPUS];
	} cases[] = {
		{"ffffffff 1 R1 FADD 2 R2 R3 0", {7, 7, 7}},
		{"ffffffff 1 R1 MUFU.RCP 1 R2 0", {25, 26, 26}},
		{"ffffffff 1 R1 DADD 2 R2 R4 0", {13, 69, 69}},
		{"ffffffff 1 R1 LDS 1 R2 4 1 0x0 4", {25, 34, 35}},
		{"ffffffff 1 R1 LDS 1 R2 4 1 0x0 16", {28, 37, 38}},
		{"ffffffff 1 R1 LDS 1 R2 4 1 0x0 128", {56, 65, 66}},
	};
	(void)state;
	for (int i = 0; i < MICRO_GPUS; i++) {
		struct ct_gpu g;
		micro_gpu(&g, i);
		for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
			const char *lines[] = {cases[k].line, use};
			struct micro_result r = one_warp(&g, 2, lines);
			assert_int_equal(micro_apart(&r, 0, 1), cases[k].want[i]);
		}
		/* DRAM, an L1 hit, the LLC */
		const char *lines[] = {load, use, load, use, bypass, use};
		struct micro_result r = one_warp(&g, 6, lines);
		uint32_t llc = g.l1_latency + g.llc_latency + 13;
		uint32_t dram = llc + g.dram_latency +
		                (uint32_t)((g.dram_rcd + g.dram_cl) * g.core_mhz / g.dram_mhz);
		assert_in_range(micro_apart(&r, 0, 1), dram - 4, dram + 20);
		assert_int_equal(micro_apart(&r, 2, 3), g.l1_latency + 4);
		assert_int_equal(micro_apart(&r, 4, 5), g.llc_latency + 12);
		assert_int_equal(r.c.dram_read_bytes, 128);
	}
}

/* Two loads hold both ways of a set until DRAM answers. A store to a third line of it waits for one of these, and behind it, in
 * the banks, a load that misses in another set. */
static void a_store_waits_for_a_way(void **state)
{
	static const char *const lines[] = {
		"ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4",
		"ffffffff 1 R5 LDG.E 1 R2 4 1 0x7f0000000100 4",
		"ffffffff 0 STG.E 2 R2 R3 4 1 0x7f0000000200 4",
		"ffffffff 1 R6 LDG.E 1 R2 4 1 0x7f0000000080 4",
		"ffffffff 1 R7 FADD 2 R6 R6 0",
	};
	(void)state;
	for (int i = 0; i < MICRO_GPUS; i++) {
		static struct micro_result full;
		struct ct_gpu g;
		struct micro m;
		micro_gpu(&g, i);
		g.l1_adaptive = 0;
		g.l1.sets = 2;
		g.l1.ways = 2;
		g.l1.size = 4 * g.l1.line;
		g.l1.set_hash = CT_HASH_LINEAR;
		g.l1.write_policy = CT_WRITE_THROUGH_ALLOCATE;
		micro_one_warp(&m, 5, lines);
		micro_run(&m, &g, NULL, &full);
		struct micro_result r = one_warp(&g, 5, lines);
		long want = micro_apart(&full, 3, 4), got = micro_apart(&r, 3, 4);
		assert_true(want > 2 * (long)(g.l1_latency + g.llc_latency + g.dram_latency));
		assert_in_range(got, want - 20, want + 20);
	}
}

/* Each load's address depends on the one before: nothing overlaps. */
static void a_chain_takes_the_sum(void **state)
{
	enum { LOADS = 50 };
	(void)state;
	for (int i = 0; i < MICRO_GPUS; i++) {
		static struct micro_result r;
		struct micro m = {0};
		struct ct_gpu g;
		micro_gpu(&g, i);
		micro_kernel(&m, "k", 1, 32, 0, 32);
		micro_cta(&m);
		micro_warp(&m, 0, 2 * LOADS + 1);
		for (int turn = 0; turn < 2; turn++)
			for (int k = 0; k < LOADS; k++)
				micro_line(&m, "00000001 1 R2 LDG.E.STRONG.GPU 1 R2 4 1 0x%x 4",
				           0x10000000 + 4096 * k);
		micro_line(&m, "ffffffff 0 EXIT 0 0");
		micro_cta_end(&m);
		micro_run(&m, &g, &quick, &r);
		assert_int_equal(r.c.llc_misses, LOADS);
		assert_int_equal(micro_apart(&r, LOADS, 2 * LOADS - 1),
		                 (LOADS - 1) * (g.llc_latency + 12));
		assert_true(micro_apart(&r, 0, LOADS) >=
		            (long)(LOADS * (g.llc_latency + 12 + g.dram_latency)));
	}
}

/* Streams of loads from many warps; returns cycles without the launch. */
static uint64_t stream(const struct ct_gpu *g, uint32_t ctas, uint32_t warps, uint32_t loads,
                       uint32_t apart_by, struct micro_result *r)
{
	struct micro m = {0};
	uint32_t at = 0x10000000;
	micro_kernel(&m, "k", ctas, 32 * warps, 0, 64);
	for (uint32_t c = 0; c < ctas; c++) {
		micro_cta(&m);
		for (uint32_t w = 0; w < warps; w++) {
			micro_warp(&m, w, loads + 1);
			for (uint32_t k = 0; k < loads; k++, at += apart_by)
				micro_line(&m, "ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x 4", 4 + k % 32, at);
			micro_line(&m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(&m);
	}
	micro_run(&m, g, &quick, r);
	return r->c.cycles - r->c.launch_cycles;
}

/* Lines that miss at the LLC with two sectors each, and more of them than an SM can tell apart at once. */
static void every_line_that_misses_counts(void **state)
{
	enum { WARPS = 16, LOADS = 40, LINES = 16 };
	static struct micro_result r;
	struct micro m = {0};
	struct ct_gpu g;
	uint32_t at = 0x10000000;
	(void)state;
	assert_true(WARPS * LOADS * LINES > RP_LINES_IN_FLIGHT);
	micro_gpu(&g, 0);
	micro_kernel(&m, "k", 1, 32 * WARPS, 0, 64);
	micro_cta(&m);
	for (uint32_t w = 0; w < WARPS; w++) {
		micro_warp(&m, w, LOADS + 1);
		for (uint32_t k = 0; k < LOADS; k++, at += LINES * 128)
			micro_line(&m, "ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x 64", 4 + k % 32, at);
		micro_line(&m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(&m);
	micro_run(&m, &g, &quick, &r);
	assert_int_equal(r.c.llc_misses, 2 * WARPS * LOADS * LINES);
	assert_int_equal(r.c.llc_line_misses, WARPS * LOADS * LINES);
}

/* A stream takes at least its bytes over what DRAM, slices or the port of an SM can move, and not
 * much longer than the narrowest of them. */
static void bandwidth(void **state)
{
	static struct micro_result r;
	(void)state;
	for (int i = 0; i < MICRO_GPUS; i++) {
		struct ct_gpu g;
		micro_gpu(&g, i);
		uint64_t all = stream(&g, g.sms, 16, 16, 128, &r);
		double sectors = (double)r.c.dram_read_bytes / 32;
		double dram = sectors * g.dram_ccd / g.dram_channels * g.core_mhz / g.dram_mhz;
		assert_true((double)all >= dram && (double)all < 1.6 * dram + 1000);
		uint64_t one = stream(&g, 1, 16, 16, 128, &r); /* one sector a cycle into the SM */
		assert_true(one >= r.c.l1_misses && r.c.l1_misses == 16 * 16 * 4);
		/* one bank of one channel: an activate each RC cycles */
		uint64_t rows = stream(&g, 4, 8, 8, 1 << 26, &r);
		assert_true(rows >= all / 64);
	}
}

/* Where every line lies in one slice it serves one sector a cycle: also when far more is asked
 * for than the calendars hold. */
static void a_slice_serves_one_a_cycle(void **state)
{
	enum { LINES = 48 };
	static struct micro_result r;
	struct micro m = {0};
	struct ct_gpu g;
	(void)state;
	micro_gpu(&g, MICRO_RTX2060);
	g.l1_skip = CT_L1_SKIP_ALL;
	for (int launch = 0; launch < 2; launch++) {
		micro_kernel(&m, "k", g.sms, 128, 0, 64);
		for (uint32_t c = 0; c < g.sms; c++) {
			micro_cta(&m);
			for (uint32_t w = 0; w < 4; w++) {
				micro_warp(&m, w, LINES + 1);
				for (uint32_t k = 0; k < LINES; k++)
					micro_line(&m, "ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x 4",
					           4 + k % 32,
					           0x10000000 + 12 * 256 * ((k + 8 * c) % LINES));
				micro_line(&m, "ffffffff 0 EXIT 0 0");
			}
			micro_cta_end(&m);
		}
	}
	micro_run(&m, &g, &quick, &r);
	double rate = (double)r.c.llc_accesses / (double)(r.c.cycles - r.c.launch_cycles);
	assert_true(rate <= 1.0 && rate > 0.7);
}

/* Fewer entries, fewer merges: more cycles, the same accesses. */
static void limits_bind(void **state)
{
	static struct micro_result many, few;
	struct ct_gpu g;
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	uint64_t fast = stream(&g, 4, 8, 24, 128, &many);
	g.l1.mshr_entries = 8;
	uint64_t slow = stream(&g, 4, 8, 24, 128, &few);
	assert_true(slow > 2 * fast);
	assert_int_equal(many.c.l1_misses, few.c.l1_misses);
	micro_gpu(&g, MICRO_RTX3070);
	fast = stream(&g, 1, 16, 24, 0, &many); /* all the same line */
	g.l1.mshr_merge = 1;
	slow = stream(&g, 1, 16, 24, 0, &few);
	assert_true(slow >= fast);
	assert_int_equal(many.c.l1_accesses, few.c.l1_accesses);
	micro_gpu(&g, MICRO_RTX3070);
	g.llc.mshr_entries = 2;
	slow = stream(&g, 4, 8, 24, 128, &few);
	micro_gpu(&g, MICRO_RTX3070);
	assert_true(slow > stream(&g, 4, 8, 24, 128, &many));
}

static void random_line(struct micro *m, uint64_t *seed)
{
	static const char *const alu[] = {"FFMA", "IADD3", "MUFU.RCP", "HFMA2", "BRA", "DADD"};
	static const int stride[] = {4, 0, 8, 128, 32, -4};
	uint32_t v = (uint32_t)ct_rand64(seed), d = 4 + v % 12, s = 4 + (v >> 8) % 12;
	uint32_t at = 0x10000000 + 32 * ((v >> 12) % 4000), mask = v >> 30 ? 0xffffffffu : 0xffffu;
	int st = stride[(v >> 4) % 6];
	switch ((v >> 16) % 10) {
	case 0: micro_line(m, "%08x 1 R%u LDG.E 1 R%u 4 1 0x%x %d", mask, d, s, at, st); break;
	case 1: micro_line(m, "%08x 0 STG.E 2 R%u R%u 4 1 0x%x %d", mask, d, s, at, st); break;
	case 2: micro_line(m, "%08x 1 R%u LDS 1 R%u 4 1 0x40 %d", mask, d, s, st < 0 ? 0 : st); break;
	case 3:
		micro_line(m, "%08x 1 R%u ATOMG.E.ADD.STRONG.GPU 2 R%u R2 4 1 0x%x %d", mask, d, s, at,
		           st);
		break;
	case 4:
		micro_line(m, "%08x 1 R%u LDG.E.STRONG.GPU 1 R%u 4 1 0x%x %d", mask, d, s, at, st);
		break;
	case 5: micro_line(m, "%08x 0 LDGSTS.E 2 R%u R%u 4 1 0x%x %d", mask, d, s, at, st); break;
	case 6: micro_line(m, v & 1 ? "ffffffff 0 LDGDEPBAR 0 0" : "ffffffff 0 DEPBAR.LE 0 0 1"); break;
	default: micro_line(m, "%08x 1 R%u %s 2 R%u R%u 0", mask, d, alu[v % 6], s, d); break;
	}
}

static void random_trace(struct micro *m, uint64_t seed)
{
	enum { CTAS = 9, WARPS = 5, INSTS = 60 };
	memset(m, 0, sizeof *m);
	for (int l = 0; l < 2; l++) {
		micro_kernel(m, "k", CTAS, WARPS * 32, 4096, 40);
		for (uint32_t c = 0; c < CTAS; c++) {
			micro_cta(m);
			for (uint32_t w = 0; w < WARPS; w++) {
				micro_warp(m, w, INSTS + 1);
				for (int i = 0; i < INSTS; i++)
					if (i % 20 == 19)
						micro_line(m, "ffffffff 0 BAR.SYNC 0 0");
					else
						random_line(m, &seed);
				micro_line(m, "ffffffff 0 EXIT 0 0");
			}
			micro_cta_end(m);
		}
	}
}

/* What is asked for does not depend on the timing, and a run repeats to the bit. */
static void counts_are_those_of_the_full_engine(void **state)
{
	static struct micro_result full, a, b;
	(void)state;
	for (uint64_t seed = 1; seed <= 7; seed++) {
		struct micro m;
		struct ct_gpu g;
		micro_gpu(&g, (int)(seed % MICRO_GPUS));
		g.sms = 1 + (uint32_t)seed % 4;
		g.scheduler = seed % 2 ? CT_SCHED_GTO : CT_SCHED_LRR;
		if (seed > 4)
			g.scheduler = CT_SCHED_TWO_LEVEL;
		g.active_warps = 1 + (uint32_t)seed % 3;
		random_trace(&m, seed);
		micro_run(&m, &g, NULL, &full);
		random_trace(&m, seed);
		micro_run(&m, &g, &quick, &a);
		random_trace(&m, seed);
		micro_run(&m, &g, &quick, &b);
		assert_memory_equal(&a, &b, sizeof a);
		assert_int_equal(a.c.warp_insts, full.c.warp_insts);
		assert_int_equal(a.c.thread_insts, full.c.thread_insts);
		assert_int_equal(a.c.l1_accesses, full.c.l1_accesses);
		assert_int_equal(a.c.l1_read_accesses, full.c.l1_read_accesses);
		assert_int_equal(a.c.mem_latency_count, full.c.mem_latency_count);
		/* what the LLC is asked for differs by L1 misses, and loads that join the fill of a
		 * sector that a store has met on its way */
		uint64_t others = full.c.llc_accesses - full.c.l1_read_misses;
		assert_in_range(a.c.llc_accesses - a.c.l1_read_misses, others * 99 / 100,
		                others * 101 / 100);
		assert_int_equal(a.c.l1_accesses, a.l1_hit + a.l1_pending + a.l1_miss);
		/* a line that was evicted on its way is a miss that reads nothing */
		assert_true(a.c.dram_read_bytes <= 32 * a.c.llc_read_misses);
		assert_in_range(a.c.cycles - a.c.launch_cycles,
		                (full.c.cycles - full.c.launch_cycles) * 7 / 10,
		                (full.c.cycles - full.c.launch_cycles) * 13 / 10);
	}
}

/* Cycles without the launch of a CTA of `warps` warps: chains of results, with a load of a line of their own before the
 * last half if `loads`. */
static uint64_t chains(const struct ct_gpu *g, const struct ct_replay_options *o, uint32_t warps,
                       int loads)
{
	enum { CHAIN = 100 };
	static struct micro_result r;
	struct micro m = {0};
	micro_kernel(&m, "k", 1, 32 * warps, 0, 40);
	micro_cta(&m);
	for (uint32_t w = 0; w < warps; w++) {
		micro_warp(&m, w, CHAIN + 2);
		for (int i = 0; i <= CHAIN; i++)
			if (i != CHAIN / 2)
				micro_line(&m, "ffffffff 1 R1 FADD 2 R1 R1 0");
			else if (loads)
				micro_line(&m, "ffffffff 1 R1 LDG.E 1 R1 4 1 0x%x 4",
				           0x10000000 + 4096 * w);
			else
				micro_line(&m, "ffffffff 0 BAR.SYNC 0 0");
		micro_line(&m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(&m);
	micro_run(&m, g, o, &r);
	return r.c.cycles - r.c.launch_cycles;
}

/* Only the active warps of a two-level scheduler issue; one that waits for data or at a barrier leaves its place to
 * another (two_level.c). */
static void only_active_warps_issue(void **state)
{
	(void)state;
	for (int loads = 0; loads < 2; loads++) {
		struct ct_gpu g;
		micro_gpu(&g, MICRO_RTX3070);
		g.scheduler = CT_SCHED_LRR;
		uint64_t all = chains(&g, &quick, 16, loads);
		g.scheduler = CT_SCHED_TWO_LEVEL;
		for (g.active_warps = 1; g.active_warps <= 4; g.active_warps++) {
			uint64_t full = chains(&g, NULL, 16, loads), q = chains(&g, &quick, 16, loads);
			assert_in_range(q, full * 9 / 10, full * 11 / 10);
			if (g.active_warps == 1)
				assert_true(q > 2 * all);
		}
	}
}

/* Whatever there is too little of, launches come to an end, with the same accesses. */
static void any_limits(void **state)
{
	static struct micro_result full, r;
	uint64_t seed = 5;
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct micro m;
		struct ct_gpu g;
		micro_gpu(&g, i % MICRO_GPUS);
		g.sms = 1 + (uint32_t)ct_rand64(&seed) % 6;
		g.launch_cycles = ct_rand64(&seed) % 2 ? 0 : 300;
		g.l1.mshr_entries = 1 + (uint32_t)ct_rand64(&seed) % 40;
		g.l1.mshr_merge = 1 + (uint32_t)ct_rand64(&seed) % 3;
		g.l1.miss_queue = 1 + (uint32_t)ct_rand64(&seed) % 4;
		g.llc.mshr_entries = 1 + (uint32_t)ct_rand64(&seed) % 3;
		g.llc.mshr_merge = 1 + (uint32_t)ct_rand64(&seed) % 2;
		g.llc_latency = 1 + (uint32_t)ct_rand64(&seed) % 300;
		if (i % 3 == 2) /* four requests for a sector */
			g.l1.sector = g.l1.line;
		random_trace(&m, (uint64_t)i + 10);
		micro_run(&m, &g, NULL, &full);
		random_trace(&m, (uint64_t)i + 10);
		micro_run(&m, &g, &quick, &r);
		assert_int_equal(r.c.warp_insts, full.c.warp_insts);
		assert_int_equal(r.c.l1_accesses, full.c.l1_accesses);
		assert_int_equal(r.c.l1_accesses, r.l1_hit + r.l1_pending + r.l1_miss);
		assert_int_equal(r.c.ctas, full.c.ctas);
		assert_int_equal(r.c.mem_latency_count, full.c.mem_latency_count);
		assert_true(r.c.dram_read_bytes <= 32 * r.c.llc_read_misses);
	}
}

/* Four L1 sectors lie in one of an LLC without sectors: one read of DRAM for each line. */
static void sectors_of_the_llc_may_be_larger(void **state)
{
	enum { LINES = 24 };
	static const struct ct_replay_options full = {.timing = CT_REPLAY_FULL};
	const struct ct_replay_options *const options[] = {&full, &quick};
	(void)state;
	for (int i = 0; i < 2 * MICRO_GPUS; i++) {
		static struct micro_result r;
		struct micro m = {0};
		struct ct_gpu g;
		micro_gpu(&g, i / 2);
		g.llc.sector = g.llc.line;
		micro_kernel(&m, "k", 1, 32, 0, 32);
		micro_cta(&m);
		micro_warp(&m, 0, LINES + 1);
		for (int k = 0; k < LINES; k++)
			micro_line(&m, "ffffffff 1 R2 LDG.E 1 R2 4 1 0x%x 4", 0x10000000 + 128 * k);
		micro_line(&m, "ffffffff 0 EXIT 0 0");
		micro_cta_end(&m);
		micro_run(&m, &g, options[i % 2], &r);
		assert_int_equal(r.c.llc_accesses, 4 * LINES);
		assert_int_equal(r.c.llc_misses, LINES);
		assert_int_equal(r.c.dram_read_bytes, 128 * LINES);
	}
}

/* Against a table of taken places: each request gets the first free one. */
static void calendars_give_the_first_free_place(void **state)
{
	enum { PLACES = 1 << 16 };
	static uint8_t taken[PLACES];
	static struct rp_calendar c;
	uint64_t seed = 7, floor = 0;
	(void)state;
	memset(taken, 0, sizeof taken);
	memset(&c, 0, sizeof c);
	for (int i = 0; i < 20000; i++) {
		uint64_t v = ct_rand64(&seed);
		floor += v % 3;
		uint64_t t = floor + (v >> 8) % (v >> 40 & 1 ? 2000 : 300), want = t;
		while (taken[want])
			want++;
		uint64_t got = rp_calendar_take(&c, floor, t);
		if (want < (floor / 64 + RP_CALENDAR_WORDS) * 64)
			assert_int_equal(got, want);
		assert_int_equal(taken[got], 0);
		taken[got] = 1;
	}
	/* more than it holds: one after the other */
	memset(&c, 0, sizeof c);
	for (uint64_t i = 0; i < 3 * 64 * RP_CALENDAR_WORDS; i++)
		assert_int_equal(rp_calendar_take(&c, i / 4, i / 4), i);
}

/* A unit that is busy for longer than is known: as long as for all that is known, at no more cost. */
static void slots_end_where_nothing_is_known(void **state)
{
	enum { KNOWN = 64 * RP_ISSUE_WORDS, TAKEN = 1 << 14 };
	static struct rp_slots a, b;
	(void)state;
	memset(&a, 0, sizeof a);
	memset(&b, 0, sizeof b);
	for (uint32_t i = 0; i < TAKEN; i += 3) {
		uint64_t t = i + i % 7 * 50;
		assert_int_equal(rp_slots_take(&a, i, t, i % 5 ? 1 : UINT32_MAX),
		                 rp_slots_take(&b, i, t, i % 5 ? 1 : KNOWN));
	}
	assert_memory_equal(&a, &b, sizeof a);
}

static void what_needs_the_full_engine_is_refused(void **state)
{
	static const char *const keys[] = {"noc.kind=mesh", "noc.kind=butterfly"};
	(void)state;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct ct_gpu g;
		struct ct_replay *r;
		struct ct_error e = {0};
		micro_gpu(&g, MICRO_RTX3070);
		assert_int_equal(ct_gpu_set(&g, keys[i], &e), 0);
		assert_int_equal(ct_gpu_check(&g, &e), 0);
		assert_int_equal(ct_replay_new(&r, &g, &quick, &e), CT_ERR_UNSUPPORTED);
		assert_null(r);
		assert_non_null(strstr(e.text, "full"));
	}
}

/* A slow memory: the last of so many loads are over after the cycles that a launch may last. */
static void a_launch_lasts_too_long(void **state)
{
	static const struct {
		uint32_t loads;
		int status;
	} runs[] = {{1500, CT_OK}, {1600, CT_ERR_LIMIT}};
	(void)state;
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		static struct micro_result r;
		struct ct_error e = {0};
		struct micro m = {0};
		struct ct_gpu g;
		micro_gpu(&g, MICRO_RTX3070);
		assert_int_equal(ct_gpu_set(&g, "clock.core=55000", &e), 0);
		assert_int_equal(ct_gpu_set(&g, "clock.dram=1", &e), 0);
		assert_int_equal(ct_gpu_check(&g, &e), 0);
		micro_kernel(&m, "k", 1, 32, 0, 32);
		micro_cta(&m);
		micro_warp(&m, 0, 2 * runs[i].loads + 1);
		for (uint32_t k = 0; k < runs[i].loads; k++) {
			micro_line(&m, "00000001 1 R4 LDG.E 1 R2 4 1 0x%x 0", 0x10000000 + 4096 * k);
			micro_line(&m, "ffffffff 1 R2 FFMA 3 R4 R5 R2 0");
		}
		micro_line(&m, "ffffffff 0 EXIT 0 0");
		micro_cta_end(&m);
		if (micro_try(&m, &g, &quick, &r, &e) != runs[i].status)
			fail_msg("run %zu: %s, %llu cycles", i, e.text, (unsigned long long)r.c.cycles);
	}
}

/* Launches that begin within the window in which the one before has ended, at any cycle of it: each loads the same line, which
 * the LLC has after the first, and none takes longer than that. */
static void launches_begin_within_windows(void **state)
{
	enum { LAUNCHES = 40 };
	uint64_t first = 0;
	(void)state;
	for (uint32_t n = 1; n <= LAUNCHES; n++) {
		static struct micro_result r;
		struct micro m = {0};
		struct ct_gpu g;
		micro_gpu(&g, MICRO_RTX3070);
		g.launch_cycles = g.cta_launch_cycles = 0;
		for (uint32_t k = 0; k < n; k++) {
			micro_kernel(&m, "k", 1, 32, 0, 32);
			micro_cta(&m);
			micro_warp(&m, 0, 3 + k);
			micro_line(&m, "%s", bypass);
			micro_line(&m, "%s", use);
			for (uint32_t i = 0; i < k; i++) /* so that ends are spread over windows */
				micro_line(&m, "ffffffff 1 R8 FADD 2 R2 R3 0");
			micro_line(&m, "ffffffff 0 EXIT 0 0");
			micro_cta_end(&m);
		}
		micro_run(&m, &g, &quick, &r);
		first = n == 1 ? r.c.cycles : first;
		assert_int_equal(r.c.dram_read_bytes, 32);
		assert_in_range(r.c.cycles, first, n * (first + n));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies),
		cmocka_unit_test(a_store_waits_for_a_way),
		cmocka_unit_test(a_chain_takes_the_sum),
		cmocka_unit_test(every_line_that_misses_counts),
		cmocka_unit_test(bandwidth),
		cmocka_unit_test(a_slice_serves_one_a_cycle),
		cmocka_unit_test(limits_bind),
		cmocka_unit_test(counts_are_those_of_the_full_engine),
		cmocka_unit_test(only_active_warps_issue),
		cmocka_unit_test(any_limits),
		cmocka_unit_test(sectors_of_the_llc_may_be_larger),
		cmocka_unit_test(calendars_give_the_first_free_place),
		cmocka_unit_test(slots_end_where_nothing_is_known),
		cmocka_unit_test(what_needs_the_full_engine_is_refused),
		cmocka_unit_test(a_launch_lasts_too_long),
		cmocka_unit_test(launches_begin_within_windows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
