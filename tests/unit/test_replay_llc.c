/* What the replay counts of slices of the LLC that stand still. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/gpus.h"
#include "../support/microtrace.h"

enum { SMS = 8, ADDRESS = 0x10000000, LINE = 128 };

static uint32_t same_sector(const void *ctx, uint32_t cta, uint32_t warp, uint32_t load)
{
	(void)ctx, (void)cta, (void)warp, (void)load;
	return ADDRESS;
}

static uint32_t own_line(const void *ctx, uint32_t cta, uint32_t warp, uint32_t load)
{
	(void)ctx, (void)warp, (void)load;
	return ADDRESS + cta * LINE;
}

/* Cycles of slices that stood still while a warp on each of eight SMs loads one sector. */
static uint64_t stalled(uint32_t (*address)(const void *, uint32_t, uint32_t, uint32_t), unsigned merge,
                        enum ct_replay_timing timing, uint64_t *cycles)
{
	char setting[32];
	const char *const sets[] = {"sm.count=8", setting};
	const struct ct_replay_options o = {.timing = timing};
	struct micro_result r;
	struct micro m;
	struct ct_gpu g;
	snprintf(setting, sizeof setting, "llc.mshr_merge=%u", merge);
	micro_gpu(&g, MICRO_RTX3070);
	test_gpu_set(&g, sets, 2);
	micro_loads(&m, "k", SMS, 1, 1, 0, address, NULL);
	micro_run(&m, &g, &o, &r);
	*cycles = r.c.cycles - r.c.launch_cycles;
	return r.c.llc_merge_stall;
}

/* The first request that finds no room in its sector's entry waits until DRAM answers, the later it comes the shorter. Where
 * there is room for all nobody waits. */
static void waits_until_the_sector_comes(void **state)
{
	static const enum ct_replay_timing timings[] = {CT_REPLAY_FULL, CT_REPLAY_QUICK};
	(void)state;
	for (int t = 0; t < 2; t++) {
		uint64_t cycles, before = UINT64_MAX;
		for (unsigned merge = 1; merge < SMS; merge++) {
			uint64_t now = stalled(same_sector, merge, timings[t], &cycles);
			assert_true(now > 100 && now < cycles);
			assert_true(now < before);
			before = now;
		}
		assert_int_equal(stalled(same_sector, SMS, timings[t], &cycles), 0);
		assert_int_equal(stalled(own_line, 1, timings[t], &cycles), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_until_the_sector_comes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
