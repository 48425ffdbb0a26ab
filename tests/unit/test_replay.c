/* The engine as a whole: counts agree with observers and between the two timings, runs
 * repeat exactly, replication, warm-up, launches in sequence, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "../support/microtrace.h"
#include "base/mem.h"
#include "replay/parts.h"
#include "trace/trace.h"

/* A GPU small enough that every queue fills up. */
static void small_gpu(struct ct_gpu *g, int variant)
{
	static const char *const sets[][4] = {
		{"sm.count=2", "l1.mshr_merge=2", "l1.mshr_entries=8", "l1.miss_queue=4"},
		{"sm.count=3", "l1.mshr_merge=4", "l1.mshr_entries=64", "l1.miss_queue=8"},
		{"sm.count=1", "sm.scheduler=gto", "l1.mshr_entries=16", "l1.miss_queue=2"},
	};
	struct ct_error e;
	micro_gpu(g, variant % MICRO_GPUS);
	for (int i = 0; i < 4; i++)
		if (ct_gpu_set(g, sets[variant][i], &e) < 0)
			fail_msg("%s", e.text);
	if (ct_gpu_check(g, &e) < 0)
		fail_msg("%s", e.text);
}

enum { CTAS = 9, WARPS = 5, INSTS = 60 };

static void random_trace(struct micro *m, uint64_t seed, int launches)
{
	micro_random(m, seed, launches, CTAS, WARPS, INSTS);
}

static void check_sums(const struct micro_result *r)
{
	const struct ct_replay_counts *c = &r->c;
	assert_int_equal(c->l1_accesses, r->l1_hit + r->l1_pending + r->l1_miss);
	assert_int_equal(c->l1_pending, r->l1_pending);
	assert_int_equal(c->l1_misses, r->l1_miss);
	assert_true(c->l1_read_misses + c->l1_read_pending <= c->l1_read_accesses);
	assert_true(c->llc_misses + c->llc_pending <= c->llc_accesses);
	assert_true(c->llc_line_misses <= c->llc_line_accesses);
	/* sectors of a line that stalls kept more than a window apart are two events */
	assert_in_range(r->llc_events, c->llc_line_accesses, c->llc_line_accesses * 11 / 10);
	assert_int_equal(c->warp_insts, (uint64_t)CTAS * WARPS * (INSTS + 4) * 2);
	assert_int_equal(c->ctas, CTAS * 2);
	assert_int_equal(c->warps, CTAS * WARPS * 2);
	/* a load of a sector that a store has met on its way is a miss and joins the fill */
	assert_in_range(c->dram_read_bytes, 32 * c->llc_read_misses * 99 / 100, 32 * c->llc_read_misses);
}

static void random_traces_add_up_and_repeat(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		static struct micro_result a, b, quick;
		struct micro m;
		struct ct_gpu g;
		struct ct_replay_options o = {.replication = 1};
		small_gpu(&g, (int)(seed % 3));
		random_trace(&m, seed, 2);
		micro_run(&m, &g, &o, &a);
		check_sums(&a);
		random_trace(&m, seed, 2);
		micro_run(&m, &g, &o, &b);
		assert_memory_equal(&a, &b, sizeof a);
		o.timing = CT_REPLAY_QUICK;
		random_trace(&m, seed, 2);
		micro_run(&m, &g, &o, &quick);
		check_sums(&quick);
		assert_int_equal(a.c.l1_accesses, quick.c.l1_accesses);
		assert_int_equal(a.c.l1_read_accesses, quick.c.l1_read_accesses);
		assert_int_equal(a.c.thread_insts, quick.c.thread_insts);
		assert_int_equal(a.c.global_lane_accesses, quick.c.global_lane_accesses);
		assert_true(a.c.replicated_misses <= a.c.line_fills &&
		            a.c.line_fills <= a.c.line_copies);
	}
}

/* The usual memory system goes a way of its own; parts that do nothing lead past it. */
static void nothing_as_a_part_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 11; seed <= 19; seed++) {
		static struct micro_result a, b;
		const struct ct_replay_parts none = {0};
		struct ct_replay_options o = {.replication = seed & 1};
		struct micro m;
		struct ct_gpu g;
		small_gpu(&g, (int)(seed % 3));
		random_trace(&m, seed, 2);
		micro_run(&m, &g, &o, &a);
		o.parts = &none;
		random_trace(&m, seed, 2);
		micro_run(&m, &g, &o, &b);
		assert_memory_equal(&a, &b, sizeof a);
	}
}

/* The same under the networks that a configuration can name, which run as parts, and two levels of warps. */
static void configured_parts_add_up_and_repeat(void **state)
{
	static const char *const key[] = {"noc.kind=mesh", "noc.kind=butterfly",
	                                  "sm.scheduler=two_level", "noc.packet_flits_one=off"};
	(void)state;
	for (uint32_t v = 1; v < 16; v += 2 + v % 3) {
		static struct micro_result a, b;
		struct micro m;
		struct ct_gpu g;
		struct ct_error e;
		small_gpu(&g, (int)(v % 3));
		for (int i = 0; i < 4; i++)
			if (v >> i & 1)
				assert_int_equal(ct_gpu_set(&g, key[i], &e), 0);
		assert_int_equal(ct_gpu_set(&g, "sm.active_warps=2", &e), 0);
		assert_int_equal(ct_gpu_check(&g, &e), 0);
		random_trace(&m, v, 2);
		micro_run(&m, &g, NULL, &a);
		check_sums(&a);
		random_trace(&m, v, 2);
		micro_run(&m, &g, NULL, &b);
		assert_memory_equal(&a, &b, sizeof a);
	}
}

/* Two levels that the GPU asks for, which schedulers choose from in place, and the same policy as a part: any set of active
 * warps, with its state from one launch to the next. */
static void two_levels_in_place_are_those_of_the_part(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 24; seed++) {
		static struct micro_result in_place, part;
		static const char *const places[] = {"sm.active_warps=1", "sm.active_warps=2",
		                                     "sm.active_warps=3", "sm.active_warps=6"};
		struct micro m;
		struct ct_gpu g;
		struct ct_error e;
		struct ct_two_level *two;
		small_gpu(&g, (int)(seed % 3));
		assert_int_equal(ct_gpu_set(&g, "sm.scheduler=lrr", &e), 0);
		assert_int_equal(ct_gpu_set(&g, places[seed / 3 % 4], &e), 0);
		assert_int_equal(ct_gpu_check(&g, &e), 0);
		assert_int_equal(ct_two_level_new(&two, &g, g.active_warps, &e), 0);
		struct ct_replay_parts p = {.sched = ct_two_level_part(two)};
		struct ct_replay_options o = {.parts = &p};
		random_trace(&m, seed, 2);
		micro_run(&m, &g, &o, &part);
		ct_two_level_free(two);
		assert_int_equal(ct_gpu_set(&g, "sm.scheduler=two_level", &e), 0);
		assert_int_equal(ct_gpu_check(&g, &e), 0);
		random_trace(&m, seed, 2);
		micro_run(&m, &g, NULL, &in_place);
		assert_memory_equal(&part, &in_place, sizeof part);
	}
}

/* Issue order within a warp is program order, one instruction a cycle and scheduler. */
static void issues_are_in_order(void **state)
{
	static struct micro_result r;
	struct micro m;
	struct ct_gpu g;
	static uint64_t last[8][512];
	(void)state;
	small_gpu(&g, 0);
	random_trace(&m, 5, 1);
	micro_run(&m, &g, NULL, &r);
	memset(last, 0, sizeof last);
	for (uint32_t i = 0; i < r.issues; i++) {
		uint32_t k = r.warp[i] % g.schedulers;
		assert_true(last[r.sm[i]][k] < r.issue[i]);
		last[r.sm[i]][k] = r.issue[i];
	}
}

/* Two SMs read the same 8 lines: the second to be filled finds another copy. */
static void replicas(void **state)
{
	(void)state;
	for (int timing = CT_REPLAY_FULL; timing <= CT_REPLAY_QUICK; timing += CT_REPLAY_QUICK) {
		static struct micro_result r;
		struct micro m = {0};
		struct ct_gpu g;
		struct ct_error e;
		struct ct_replay_options o = {.replication = 1, .timing = (enum ct_replay_timing)timing};
		micro_gpu(&g, MICRO_RTX3070);
		assert_int_equal(ct_gpu_set(&g, "sm.count=2", &e), 0);
		assert_int_equal(ct_gpu_check(&g, &e), 0);
		micro_kernel(&m, "k", 2, 32, 0, 32);
		for (uint32_t c = 0; c < 2; c++) {
			micro_cta(&m);
			micro_warp(&m, 0, 9);
			for (int i = 0; i < 8; i++)
				micro_line(&m, "ffffffff 1 R4 LDG.E 1 R4 4 1 0x%x 4",
				           0x10000000 + 128 * i);
			micro_line(&m, "ffffffff 0 EXIT 0 0");
			micro_cta_end(&m);
		}
		micro_run(&m, &g, &o, &r);
		assert_int_equal(r.c.line_fills, 16);
		assert_int_equal(r.c.replicated_misses, 8);
		assert_int_equal(r.c.line_copies, 8 * 1 + 8 * 2);
	}
}

static void warm_up_is_not_counted(void **state)
{
	static struct micro_result all, warm;
	struct micro m;
	struct ct_gpu g;
	struct ct_replay_options o = {.warmup = 1500};
	(void)state;
	small_gpu(&g, 1);
	random_trace(&m, 3, 2);
	micro_run(&m, &g, NULL, &all);
	random_trace(&m, 3, 2);
	micro_run(&m, &g, &o, &warm);
	assert_true(warm.c.warp_insts <= all.c.warp_insts - 1500);
	assert_true(warm.c.warp_insts > all.c.warp_insts / 3);
	assert_true(warm.c.cycles < all.c.cycles);
	assert_true(warm.c.resident_warp_cycles < all.c.resident_warp_cycles);
	assert_int_equal(all.issues, warm.issues);
	/* A launch that ends before the warm-up does is not counted at all. */
	o.warmup = all.c.warp_insts + 1;
	random_trace(&m, 3, 2);
	micro_run(&m, &g, &o, &warm);
	assert_int_equal(warm.c.warp_insts + warm.c.cycles + warm.c.l1_accesses + warm.c.ctas, 0);
}

/* A launch needs occupancy; one without CTAs takes its launch latency. */
static void refusals(void **state)
{
	struct ct_gpu g;
	struct ct_replay *r;
	struct ct_replay_counts c;
	struct ct_error e = {0};
	char name[] = "k";
	struct ct_kernel k = {.name = name, .grid = {4, 1, 1}, .block = {2048, 1, 1}, .regs = 8};
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	assert_int_equal(ct_replay_new(&r, &g, NULL, &e), 0);
	assert_int_equal(ct_replay_kernel_begin(r, &k, &e), CT_ERR_INPUT);
	k.block[0] = 64;
	assert_int_equal(ct_replay_kernel_begin(r, &k, &e), 0);
	assert_int_equal(ct_replay_kernel_end(r, &c, &e), 0);
	assert_int_equal(c.warp_insts, 0);
	assert_int_equal(c.launch_cycles, 5000);
	ct_replay_free(r);
	ct_replay_free(NULL);
	g.schedulers = 64;
	assert_int_equal(ct_replay_new(&r, &g, NULL, &e), CT_ERR_UNSUPPORTED);
	assert_null(r);
}

/* CTAs i go to SM i in the first wave; the next launch starts at the SM after the last
 * one used (doc/replay.md sections 1 and 2). */
static void placement(void **state)
{
	static struct micro_result r;
	struct micro m = {0};
	struct ct_gpu g;
	(void)state;
	micro_gpu(&g, MICRO_RTX2060);
	for (int l = 0; l < 4; l++) {
		micro_kernel(&m, "k", 8, 32, 0, 32);
		for (int c = 0; c < 8; c++) {
			micro_cta(&m);
			micro_warp(&m, 0, 1);
			micro_line(&m, "ffffffff 0 EXIT 0 0");
			micro_cta_end(&m);
		}
	}
	micro_run(&m, &g, NULL, &r);
	assert_int_equal(r.issues, 32);
	for (uint32_t i = 0; i < 32; i++)
		assert_int_equal(r.sm[i], i % 30);
}

/* Stores fill a set of an L1 that protects modified lines: one of them makes room, in both
 * timings (with none to take, the one waited for ever and the other read past the tags). */
static void a_set_of_modified_lines(void **state)
{
	static const char *const keys[] = {"sm.count=1", "l1.adaptive=off", "l1.sets=32",
	                                   "l1.dirty_percent=60", "l1.write=through_allocate"};
	(void)state;
	for (int timing = CT_REPLAY_FULL; timing <= CT_REPLAY_QUICK; timing += CT_REPLAY_QUICK) {
		static struct micro_result r;
		struct micro m = {0};
		struct ct_gpu g;
		struct ct_error e;
		struct ct_replay_options o = {.timing = (enum ct_replay_timing)timing};
		micro_gpu(&g, MICRO_RTX3070);
		for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
			assert_int_equal(ct_gpu_set(&g, keys[i], &e), 0);
		assert_int_equal(ct_gpu_check(&g, &e), 0);
		uint32_t lines = g.l1.ways + 8;
		micro_kernel(&m, "k", 1, 32, 0, 32);
		micro_cta(&m);
		micro_warp(&m, 0, lines + 1);
		for (uint32_t i = 0; i < lines; i++)
			micro_line(&m, "ffffffff 0 STG.E 2 R2 R4 4 1 0x%x 4", 0x10000000 + 128 * 32 * i);
		micro_line(&m, "ffffffff 0 EXIT 0 0");
		micro_cta_end(&m);
		micro_run(&m, &g, &o, &r);
		assert_int_equal(r.c.l1_accesses, 4 * lines);
		assert_int_equal(r.c.l1_misses, 4 * lines);
	}
}

/* Cycles of one warp that stores as many lines as a set of an L1 of four sets has ways, `step` sets apart, and then loads
 * 32 lines of set 0, when modified lines below `percent` are protected. */
static uint64_t loads_behind_stores(uint32_t percent, uint32_t step)
{
	enum { LOADS = 32 };
	static struct micro_result r;
	struct micro m = {0};
	struct ct_gpu g;
	struct ct_error e;
	struct ct_replay_options o = {.timing = CT_REPLAY_FULL};
	char protect[32];
	snprintf(protect, sizeof protect, "l1.dirty_percent=%u", percent);
	micro_gpu(&g, MICRO_RTX3070);
	const char *const keys[] = {"sm.count=1", "l1.adaptive=off", "l1.sets=4", protect};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		assert_int_equal(ct_gpu_set(&g, keys[i], &e), 0);
	assert_int_equal(ct_gpu_check(&g, &e), 0);
	micro_kernel(&m, "k", 1, 32, 0, 64);
	micro_cta(&m);
	micro_warp(&m, 0, g.l1.ways + LOADS + 1);
	for (uint32_t i = 0; i < g.l1.ways; i++)
		micro_line(&m, "ffffffff 0 STG.E 2 R2 R4 4 1 0x%x 4",
		           0x10000000 + 128 * (4 * i + i * step % 4));
	for (uint32_t i = 0; i < LOADS; i++)
		micro_line(&m, "ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x 4", 8 + i, 0x20000000 + 512 * i);
	micro_line(&m, "ffffffff 0 EXIT 0 0");
	micro_cta_end(&m);
	micro_run(&m, &g, &o, &r);
	return r.c.cycles - r.c.launch_cycles;
}

/* An L1 that protects modified lines until they are a quarter of it, as Accel-Sim's is configured, has one way left for
 * loads of a set that stores have filled: they wait for each other. Stores to all sets leave enough. This is what makes
 * launches slow whose stores fall into one set of an SM (doc/validation.md). */
static void stores_to_one_set_hold_up_loads(void **state)
{
	(void)state;
	uint64_t without = loads_behind_stores(0, 0);
	assert_true(loads_behind_stores(25, 0) > 5 * without);
	assert_true(10 * loads_behind_stores(25, 1) < 11 * loads_behind_stores(0, 1));
}

/* One warp stores 4 bytes of every sector of 12 KiB and reads them, so many times each. */
static void sectors_of_a_warp(struct micro *m, const char *load, int stores, int rounds)
{
	enum { STEPS = 12 };
	memset(m, 0, sizeof *m);
	micro_kernel(m, "k", 1, 32, 0, 32);
	micro_cta(m);
	micro_warp(m, 0, (uint32_t)(STEPS * (stores + rounds) + 1));
	for (int k = 0; k < STEPS * stores; k++)
		micro_line(m, "ffffffff 0 STG.E 2 R2 R4 4 1 0x%x 32", 0x10000000 + 1024 * k);
	for (int k = 0; k < STEPS * rounds; k++)
		micro_line(m, "ffffffff 1 R%d %s 1 R2 4 1 0x%x 32", 4 + k % 8, load,
		           0x10000000 + 1024 * (k % STEPS));
	micro_line(m, "ffffffff 0 EXIT 0 0");
	micro_cta_end(m);
}

/* What reaches the LLC, and what of it misses, is the same in both timings: with several LLC sectors in
 * one of the L1, several LLC lines in one of the L1, parts of sectors stored, with and without an L1
 * on the way. */
static void sectors_of_any_size(void **state)
{
	enum { SECTORS = 12 * 32, KEYS = 8 };
	static const char *const small[] = {
		"l1.adaptive=off",  "sm.count=1",           "llc.slices=1",  "dram.channels=1",
		"llc.partitions=1", "dram.interleave=4096", "dram.mapping=", "llc.set_hash=linear",
		"llc.ways=4",       "llc.sets=32"};
	static const struct {
		const char *key[KEYS];
		int stores, rounds;
		uint64_t reads, misses;
	} runs[] = {
		{{"l1.line=128"}, 0, 3, 3 * SECTORS, SECTORS},
		{{"l1.sector=64"}, 0, 3, 3 * SECTORS, SECTORS},
		{{"l1.sector=128"}, 0, 3, 3 * SECTORS, SECTORS},
		{{"l1.line=256", "l1.sector=64"}, 0, 3, 3 * SECTORS, SECTORS},
		{{"l1.line=512", "l1.sector=256"}, 0, 3, 3 * SECTORS, SECTORS},
		{{"l1.line=128"},
	         1,
	         1,
	         SECTORS,
	         SECTORS}, /* 4 bytes of each sector do not make it readable */
		{{"l1.bypass=global"}, 1, 1, SECTORS, SECTORS},
		{{"l1.sector=64"}, 1, 1, SECTORS, 0}, /* written bytes are followed in sectors of 32 */
		{{"l1.line=256", "l1.sector=64"}, 1, 1, SECTORS, 0},
		{{"l1.line=256"}, 1, 1, SECTORS, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
		for (int timing = CT_REPLAY_FULL; timing <= CT_REPLAY_QUICK; timing += CT_REPLAY_QUICK) {
			static struct micro_result r;
			struct micro m;
			struct ct_gpu g;
			struct ct_error e;
			struct ct_replay_options o = {.timing = (enum ct_replay_timing)timing};
			micro_gpu(&g, MICRO_RTX3070);
			for (size_t k = 0; k < sizeof small / sizeof *small; k++)
				assert_int_equal(ct_gpu_set(&g, small[k], &e), 0);
			for (size_t k = 0; k < KEYS && runs[i].key[k]; k++)
				assert_int_equal(ct_gpu_set(&g, runs[i].key[k], &e), 0);
			assert_int_equal(ct_gpu_check(&g, &e), 0);
			sectors_of_a_warp(&m, "LDG.E.STRONG.GPU", runs[i].stores, runs[i].rounds);
			micro_run(&m, &g, &o, &r);
			if (r.c.llc_read_accesses != runs[i].reads ||
			    r.c.llc_read_misses != runs[i].misses)
				fail_msg("%s, timing %d: %llu reads, %llu misses", runs[i].key[0],
				         timing, (unsigned long long)r.c.llc_read_accesses,
				         (unsigned long long)r.c.llc_read_misses);
			assert_int_equal(r.c.dram_read_bytes, 32 * runs[i].misses);
		}
}

/* More entries than the caches have sectors are those of any number: nothing waits for one. What the
 * keys allow at most takes little, as long as it is not used. */
static void more_mshrs_than_sectors(void **state)
{
	static const char *const keys[] = {
		"l1.adaptive=off", "l1.sets=4", "l1.ways=2", "llc.sets=8", "llc.ways=2"};
	static const uint32_t entries[] = {33, 64, 1 << 20};
	static struct micro_result r[3];
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct micro m;
		struct ct_gpu g;
		struct ct_error e;
		micro_gpu(&g, MICRO_RTX3070);
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
			assert_int_equal(ct_gpu_set(&g, keys[k], &e), 0);
		assert_int_equal(ct_gpu_check(&g, &e), 0);
		g.l1.mshr_entries = entries[i];
		g.llc.mshr_entries = g.dram_queue = entries[i] < 1 << 20 ? entries[i] * 2 : 1 << 20;
		sectors_of_a_warp(&m, "LDG.E", 1, 2);
		micro_run(&m, &g, NULL, &r[i]);
		assert_memory_equal(&r[i].c, &r[0].c, sizeof r->c);
	}
	struct rusage u;
	assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
#if !CT_ADDRESS_SANITIZER                        /* which touches what it hands out */
	assert_in_range(u.ru_maxrss, 0, 600000); /* KiB */
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_traces_add_up_and_repeat),
		cmocka_unit_test(nothing_as_a_part_changes_nothing),
		cmocka_unit_test(configured_parts_add_up_and_repeat),
		cmocka_unit_test(two_levels_in_place_are_those_of_the_part),
		cmocka_unit_test(issues_are_in_order),
		cmocka_unit_test(replicas),
		cmocka_unit_test(warm_up_is_not_counted),
		cmocka_unit_test(a_set_of_modified_lines),
		cmocka_unit_test(stores_to_one_set_hold_up_loads),
		cmocka_unit_test(sectors_of_any_size),
		cmocka_unit_test(more_mshrs_than_sectors),
		cmocka_unit_test(refusals),
		cmocka_unit_test(placement),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
