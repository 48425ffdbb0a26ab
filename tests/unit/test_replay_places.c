/* How memory instructions come to the load/store unit and into the L1: quick timing has it as full timing does, where nothing
 * misses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/gpus.h"
#include "../support/microtrace.h"
#include "base/hash.h"

enum {
	SCHEDULERS = 4,
	WARPS = 8,
	ROUNDS = 8,
	LOADS = WARPS * ROUNDS,
	ADDRESS = 0x10000000,
	LINE = 128,
	SECTOR = 32
};

static void gpu(struct ct_gpu *g, const char *const *sets, unsigned n)
{
	micro_gpu(g, MICRO_RTX3070);
	test_gpu_set(g, sets, n);
}

static void run(struct micro *m, const struct ct_gpu *g, enum ct_replay_timing timing,
                struct micro_result *r)
{
	const struct ct_replay_options o = {.timing = timing, .ideal = CT_REPLAY_IDEAL_L1};
	micro_run(m, g, &o, r);
}

/* ---- places in front of the load/store unit ---- */

/* Instructions of a warp before its first load: the oldest compute for a while, so that the others are under way by then. */
static uint32_t instructions_before(uint32_t w)
{
	return w < 2 * SCHEDULERS ? 100 : 0;
}

/* Instructions with what a load has brought, of different number so that data comes in another order than warps issue in. */
static uint32_t instructions_after(uint32_t w)
{
	return 3 + w * 7 % 5;
}

/* Warps of one scheduler load 32 lines at a time and compute with what has come; the other schedulers have none. */
static void loads_in_rounds(struct micro *m)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "k", 1, 32 * WARPS * SCHEDULERS, 0, 32);
	micro_cta(m);
	for (uint32_t w = 0; w < WARPS * SCHEDULERS; w++) {
		uint32_t rounds = w % SCHEDULERS ? 0 : ROUNDS,
			 before = rounds ? instructions_before(w) : 0;
		micro_warp(m, w, 1 + before + rounds * (1 + instructions_after(w)));
		for (uint32_t i = 0; i < before; i++)
			micro_line(m, "ffffffff 1 R5 FFMA 2 R5 R5 0");
		for (uint32_t i = 0; i < rounds; i++) {
			micro_line(m, "ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x %d",
			           ADDRESS + (w * ROUNDS + i) * 32 * LINE, LINE);
			for (uint32_t k = 0; k < instructions_after(w); k++)
				micro_line(m, "ffffffff 1 R4 FFMA 2 R4 R4 0");
		}
		micro_line(m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(m);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Warps of the loads in the order of issue; a load keeps the unit for 32 cycles, so that no two issue in one. */
static void order_of_loads(const struct micro_result *r, uint32_t warp[LOADS])
{
	uint64_t key[LOADS];
	uint32_t n = 0, done[WARPS * SCHEDULERS] = {0};
	for (uint32_t i = 0; i < r->issues; i++) {
		uint32_t w = r->warp[i], before = instructions_before(w),
			 round = 1 + instructions_after(w);
		uint32_t k = done[w]++;
		if (w % SCHEDULERS == 0 && k >= before && k < before + ROUNDS * round &&
		    (k - before) % round == 0)
			key[n++] = r->issue[i] << 8 | w;
	}
	assert_int_equal(n, LOADS);
	qsort(key, LOADS, sizeof *key, by_number);
	for (uint32_t i = 0; i < LOADS; i++)
		warp[i] = key[i] & 0xff;
}

/* A greedy scheduler gives a place to the warp that it has issued from last, if that one can load, and else to the oldest. Full
 * timing shows which warp that is, and quick timing has the same. */
static void greedy_warps_go_on(void **state)
{
	static const char *const sets[][3] = {
		{"sm.scheduler=gto", "sm.memory_collectors=1", "sm.collectors=7"},
		{"sm.scheduler=gto", "sm.memory_collectors=2", "sm.collectors=7"}};
	uint32_t full[2][LOADS], quick[LOADS];
	struct micro_result *r = calloc(1, sizeof *r);
	(void)state;
	assert_non_null(r);
	for (int i = 0; i < 2; i++) {
		struct ct_gpu g;
		struct micro m;
		gpu(&g, sets[i], 3);
		assert_int_equal(g.schedulers, SCHEDULERS);
		loads_in_rounds(&m);
		run(&m, &g, CT_REPLAY_FULL, r);
		order_of_loads(r, full[i]);
		loads_in_rounds(&m);
		run(&m, &g, CT_REPLAY_QUICK, r);
		order_of_loads(r, quick);
		assert_memory_equal(full[i], quick, sizeof quick);
	}
	assert_memory_not_equal(full[0], full[1], sizeof full[0]);
	free(r);
}

/* ---- warps of a cycle ---- */

/* Warps that compute for so long and then load, in the order in which they do. */
static void loads_at_once(const struct ct_gpu *g, enum ct_replay_timing timing, uint32_t chain,
                          struct micro_result *r, uint32_t warp[WARPS])
{
	struct micro m;
	uint32_t n = 0, done[WARPS] = {0};
	memset(&m, 0, sizeof m);
	micro_kernel(&m, "k", 1, 32 * WARPS, 0, 32);
	micro_cta(&m);
	for (uint32_t w = 0; w < WARPS; w++) {
		micro_warp(&m, w, 2 + chain);
		for (uint32_t k = 0; k < chain; k++)
			micro_line(&m, "ffffffff 1 R5 FFMA 2 R5 R5 0");
		micro_line(&m, "ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4", ADDRESS + w * LINE);
		micro_line(&m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(&m);
	run(&m, g, timing, r);
	for (uint32_t i = 0; i < r->issues; i++)
		if (done[r->warp[i]]++ == chain)
			warp[n++] = r->warp[i];
	assert_int_equal(n, WARPS);
}

/* In each cycle another scheduler is the first. The order is that in which memory instructions come to the load/store unit, so
 * that SMs that are a cycle apart go different ways, and do not stay in step for ever. */
static void schedulers_take_turns(void **state)
{
	static const char *const lrr[] = {"sm.scheduler=lrr"};
	static const enum ct_replay_timing timings[] = {CT_REPLAY_FULL, CT_REPLAY_QUICK};
	struct ct_gpu g;
	struct micro_result *r = calloc(1, sizeof *r);
	(void)state;
	assert_non_null(r);
	gpu(&g, lrr, 1);
	for (int t = 0; t < 2; t++) {
		uint32_t warp[WARPS], first = 0;
		for (uint32_t chain = 0; chain < 8; chain++) {
			loads_at_once(&g, timings[t], chain, r, warp);
			first |= 1u << warp[0];
		}
		assert_int_equal(first, 7); /* the fourth warp begins a cycle later */
	}
	free(r);
}

/* ---- banks ---- */

/* Loads of one warp to 32 lines, a sector of each that `sector` gives. */
static uint64_t cycles_of_sectors(const struct ct_gpu *g, enum ct_replay_timing timing, uint64_t seed,
                                  uint32_t (*sector)(uint64_t *seed, uint32_t lane),
                                  struct micro_result *r)
{
	struct micro m;
	memset(&m, 0, sizeof m);
	micro_kernel(&m, "k", 1, 32, 0, 255);
	micro_cta(&m);
	micro_warp(&m, 0, 33);
	for (uint32_t i = 0; i < 32; i++) {
		struct ct_buf lanes = {0};
		for (uint32_t lane = 0; lane < 32; lane++)
			ct_buf_printf(&lanes, " 0x%x",
			              ADDRESS + lane * LINE + sector(&seed, lane) * SECTOR);
		micro_line(&m, "ffffffff 1 R%u LDG.E 1 R2 4 0%.*s", 8 + i, (int)lanes.len,
		           (const char *)lanes.data);
		ct_buf_free(&lanes);
	}
	micro_line(&m, "ffffffff 0 EXIT 0 0");
	micro_cta_end(&m);
	run(&m, g, timing, r);
	return r->c.cycles - r->c.launch_cycles;
}

static uint32_t in_turn(uint64_t *seed, uint32_t lane)
{
	(void)seed;
	return lane % 4;
}

static uint32_t in_pairs(uint64_t *seed, uint32_t lane)
{
	(void)seed;
	return lane / 2 % 4;
}

static uint32_t at_random(uint64_t *seed, uint32_t lane)
{
	(void)lane;
	return (uint32_t)(ct_rand64(seed) >> 20) % 4;
}

/* Sectors enter in descending order, each cycle up to the first whose bank is taken: four a cycle when banks come in turn, two
 * at most when they come in pairs, although every bank has as many of them. */
static void sectors_enter_in_order(void **state)
{
	struct ct_gpu g;
	struct micro_result *r = calloc(1, sizeof *r);
	(void)state;
	assert_non_null(r);
	gpu(&g, NULL, 0);
	assert_int_equal(g.l1.banks, 4);
	uint64_t turn = cycles_of_sectors(&g, CT_REPLAY_FULL, 0, in_turn, r);
	uint64_t pairs = cycles_of_sectors(&g, CT_REPLAY_FULL, 0, in_pairs, r);
	assert_true(pairs > turn + 31 * 8);
	assert_in_range(cycles_of_sectors(&g, CT_REPLAY_QUICK, 0, in_turn, r), turn - 2, turn + 2);
	assert_in_range(cycles_of_sectors(&g, CT_REPLAY_QUICK, 0, in_pairs, r), pairs - 2, pairs + 2);
	for (uint64_t seed = 1; seed <= 10; seed++) {
		uint64_t full = cycles_of_sectors(&g, CT_REPLAY_FULL, seed, at_random, r);
		assert_in_range(cycles_of_sectors(&g, CT_REPLAY_QUICK, seed, at_random, r), full - 2,
		                full + 2);
	}
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(greedy_warps_go_on),
		cmocka_unit_test(schedulers_take_turns),
		cmocka_unit_test(sectors_enter_in_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
