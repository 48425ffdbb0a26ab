/* An engine that is told after how many cycles nobody needs more: it is right up to there, and stops behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/microtrace.h"

enum { CTAS = 6, LOADS = 60, LAUNCHES = 3 };

static struct micro_result result;

/* Chains of loads in several launches, more CTAs than one SM takes at a time. */
static void chains(struct micro *m)
{
	memset(m, 0, sizeof *m);
	for (int k = 0; k < LAUNCHES; k++) {
		micro_kernel(m, "chain", CTAS, 1024, 0, 32);
		for (uint32_t c = 0; c < CTAS; c++) {
			micro_cta(m);
			for (uint32_t w = 0; w < 32; w++) {
				micro_warp(m, w, LOADS + 1);
				for (int i = 0; i < LOADS; i++)
					micro_line(m, "ffffffff 1 R2 LDG.E 1 R2 4 1 0x1%03x%02x00 4",
					           (unsigned)(c * 64 + w), (unsigned)i);
				micro_line(m, "ffffffff 0 EXIT 0 0");
			}
			micro_cta_end(m);
		}
	}
}

static struct ct_replay_counts run(const struct ct_gpu *g, enum ct_replay_timing timing, uint64_t most,
                                   uint64_t warmup)
{
	struct micro m;
	struct ct_replay_options o = {.timing = timing, .most_cycles = most, .warmup = warmup};
	chains(&m);
	micro_run(&m, g, &o, &result);
	return result.c;
}

static uint64_t own_cycles(const struct ct_replay_counts *c)
{
	return c->cycles - c->launch_cycles;
}

static void check_gpu(const struct ct_gpu *g, enum ct_replay_timing timing, uint64_t warmup)
{
	const struct ct_replay_counts whole = run(g, timing, 0, warmup);
	const uint64_t all = own_cycles(&whole);
	struct ct_replay_counts c = run(g, timing, all, warmup);
	assert_memory_equal(&c, &whole, sizeof c);
	for (uint64_t part = 1; part < 8; part++) {
		const uint64_t most = all * part / 8;
		c = run(g, timing, most, warmup);
		assert_true(own_cycles(&c) > most);
		assert_true(own_cycles(&c) <= all);
		assert_true(c.warp_insts <= whole.warp_insts);
	}
	c = run(g, timing, all / 8, warmup);
	assert_true(c.warp_insts < whole.warp_insts);
}

static void test_stops_behind(void **state)
{
	(void)state;
	for (int which = 0; which < MICRO_GPUS; which++) {
		struct ct_gpu g;
		struct ct_error e;
		micro_gpu(&g, which);
		if (ct_gpu_set(&g, "sm.count=1", &e) < 0)
			fail_msg("%s", e.text);
		check_gpu(&g, CT_REPLAY_FULL, 0);
		check_gpu(&g, CT_REPLAY_QUICK, 0);
		check_gpu(&g, CT_REPLAY_FULL, CTAS * 32 * LOADS / 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stops_behind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
