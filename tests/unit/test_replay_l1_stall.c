/* What the replay counts of L1s whose misses wait for a line of their set or for a miss register. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/gpus.h"
#include "tests/support/microtrace.h"

enum { SETS = 4, LINE = 128, LOADS = 8, ADDRESS = 0x10000000 };

/* A warp that stores to `stores` lines and then loads `loads` others, so many bytes apart, on one SM with an L1 of four sets. */
static void run(unsigned stores, unsigned loads, unsigned apart, unsigned ways, const char *setting,
                struct micro_result *r)
{
	struct micro m = {0};
	struct ct_gpu g;
	micro_gpu(&g, MICRO_RTX3070);
	g.l1_adaptive = 0;
	g.l1.sets = SETS;
	g.l1.ways = ways;
	g.l1.size = SETS * ways * LINE;
	if (setting)
		test_gpu_set(&g, &setting, 1);
	micro_kernel(&m, "k", 1, 32, 0, 64);
	micro_cta(&m);
	micro_warp(&m, 0, stores + loads + 1);
	for (unsigned i = 0; i < stores; i++)
		micro_line(&m, "00000001 0 STG.E 2 R2 R3 4 1 0x%x 4", ADDRESS + i * apart);
	for (unsigned i = 0; i < loads; i++)
		micro_line(&m, "00000001 1 R%u LDG.E 1 R2 4 1 0x%x 4", 4 + i,
		           ADDRESS + (stores + i) * apart);
	micro_line(&m, "ffffffff 0 EXIT 0 0");
	micro_cta_end(&m);
	micro_run(&m, &g, NULL, r);
}

/* As many loads as the set has lines are on their way at once. The next waits for a fill, and where the set has more lines there
 * is less to wait for; of several sets none waits. */
static void misses_wait_for_a_line_of_their_set(void **state)
{
	static struct micro_result r;
	uint64_t before = UINT64_MAX;
	(void)state;
	for (unsigned ways = 1; ways < LOADS; ways++) {
		run(0, LOADS, SETS * LINE, ways, NULL, &r);
		assert_true(r.c.l1_set_stall > 100 && r.c.l1_set_stall < before);
		assert_true(r.c.l1_set_stall < r.c.cycles - r.c.launch_cycles);
		assert_int_equal(r.c.l1_mshr_stall, 0);
		before = r.c.l1_set_stall;
	}
	run(0, LOADS, SETS * LINE, LOADS, NULL, &r);
	assert_int_equal(r.c.l1_set_stall, 0);
	run(0, LOADS, LINE, LOADS / SETS, NULL, &r);
	assert_int_equal(r.c.l1_set_stall, 0);
}

/* Modified lines are no victims below that share of the L1: loads of their set have what is left of it. */
static void stores_keep_lines_of_a_set(void **state)
{
	static struct micro_result r;
	(void)state;
	run(LOADS - 1, LOADS / 2, SETS * LINE, LOADS, "l1.dirty_percent=25", &r);
	assert_true(r.c.l1_set_stall > 100);
	assert_true(r.c.l1_modified_stall > 100 && r.c.l1_modified_stall <= r.c.l1_set_stall);
	run(LOADS - 1, LOADS / 2, SETS * LINE, LOADS, "l1.dirty_percent=0", &r);
	assert_int_equal(r.c.l1_set_stall, 0);
	assert_int_equal(r.c.l1_modified_stall, 0);
}

/* Stores that go round the sets leave lines to loads of each, and loads alone wait for fills and not for modified lines. */
static void only_modified_lines_of_a_set_count(void **state)
{
	static struct micro_result r;
	(void)state;
	run(LOADS - 1, LOADS / 2, LINE, LOADS, "l1.dirty_percent=25", &r);
	assert_int_equal(r.c.l1_modified_stall, 0);
	run(0, LOADS, SETS * LINE, 2, "l1.dirty_percent=25", &r);
	assert_true(r.c.l1_set_stall > 100);
	assert_int_equal(r.c.l1_modified_stall, 0);
	run(LOADS - 1, LOADS / 2, SETS * LINE, LOADS, "l1.dirty_percent=100", &r);
	assert_true(r.c.l1_modified_stall > 100);
}

/* Launches of CTAs with these numbers of loads behind stores that leave them one line of their set, one to an SM. */
static uint64_t modified_stall_of(const unsigned *loads, unsigned ctas, unsigned launches)
{
	static struct micro_result r;
	struct micro m = {0};
	struct ct_gpu g;
	micro_gpu(&g, MICRO_RTX3070);
	g.sms = ctas;
	g.l1_adaptive = 0;
	g.l1.sets = SETS;
	g.l1.ways = LOADS;
	g.l1.size = SETS * LOADS * LINE;
	for (unsigned k = 0; k < launches; k++) {
		micro_kernel(&m, "k", ctas, 32, 0, 64);
		for (unsigned c = 0; c < ctas; c++) {
			micro_cta(&m);
			micro_warp(&m, 0, LOADS - 1 + loads[c] + 1);
			for (unsigned i = 0; i < LOADS - 1; i++)
				micro_line(&m, "00000001 0 STG.E 2 R2 R3 4 1 0x%x 4",
				           ADDRESS + ((k * ctas + c) * 100 + i) * SETS * LINE);
			for (unsigned i = 0; i < loads[c]; i++)
				micro_line(&m, "00000001 1 R%u LDG.E 1 R2 4 1 0x%x 4", 4 + i,
				           ADDRESS + ((k * ctas + c) * 100 + LOADS + i) * SETS * LINE);
			micro_line(&m, "ffffffff 0 EXIT 0 0");
			micro_cta_end(&m);
		}
	}
	micro_run(&m, &g, NULL, &r);
	assert_true(r.c.l1_modified_stall <= r.c.cycles - r.c.launch_cycles);
	return r.c.l1_modified_stall;
}

/* Of the SMs of a launch it is the one that is held up longest, and launches add up. */
static void the_slowest_sm_counts(void **state)
{
	static const unsigned one[] = {6}, mixed[] = {0, 6, 2, 1};
	const uint64_t alone = modified_stall_of(one, 1, 1);
	const uint64_t among = modified_stall_of(mixed, 4, 1);
	(void)state;
	assert_true(alone > 1000);
	assert_true(10 * among > 9 * alone && 10 * among < 11 * alone);
	assert_true(modified_stall_of(mixed, 4, 3) > 2 * among);
}

static void misses_wait_for_a_register(void **state)
{
	static struct micro_result r;
	uint64_t before = UINT64_MAX;
	static const char *const entries[] = {
		"l1.mshr_entries=1", "l1.mshr_entries=2", "l1.mshr_entries=4"};
	(void)state;
	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
		run(0, LOADS, LINE, LOADS, entries[i], &r);
		assert_true(r.c.l1_mshr_stall > 100 && r.c.l1_mshr_stall < before);
		assert_int_equal(r.c.l1_set_stall, 0);
		before = r.c.l1_mshr_stall;
	}
	run(0, LOADS, LINE, LOADS, NULL, &r);
	assert_int_equal(r.c.l1_mshr_stall, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(misses_wait_for_a_line_of_their_set),
		cmocka_unit_test(stores_keep_lines_of_a_set),
		cmocka_unit_test(only_modified_lines_of_a_set_count),
		cmocka_unit_test(the_slowest_sm_counts), cmocka_unit_test(misses_wait_for_a_register)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
