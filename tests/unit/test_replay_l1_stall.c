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
	run(LOADS - 1, LOADS / 2, SETS * LINE, LOADS, "l1.dirty_percent=0", &r);
	assert_int_equal(r.c.l1_set_stall, 0);
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
	const struct CMUnitTest tests[] = {cmocka_unit_test(misses_wait_for_a_line_of_their_set),
	                                   cmocka_unit_test(stores_keep_lines_of_a_set),
	                                   cmocka_unit_test(misses_wait_for_a_register)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
