/* Code and branches cost time: sm.branch_cycles, sm.code_first_cycles and sm.code_line_cycles, in full and quick timing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../support/gpus.h"
#include "../support/microtrace.h"

/* A loop of three instructions that is passed twice, and code that lies two lines of 128 bytes behind it. */
static const uint32_t pcs[] = {0, 16, 32, 0, 16, 32, 48, 256, 272};
enum { INSTS = sizeof pcs / sizeof pcs[0] };

static struct micro_result result;

static void replay(const char *const *sets, unsigned n, enum ct_replay_timing timing)
{
	struct micro m;
	struct ct_gpu g;
	const struct ct_replay_options o = {.timing = timing};
	micro_gpu(&g, MICRO_QV100);
	test_gpu_set(&g, sets, n);
	memset(&m, 0, sizeof m);
	micro_kernel(&m, "k", 1, 32, 0, 255);
	micro_cta(&m);
	micro_warp(&m, 0, INSTS + 1);
	for (unsigned i = 0; i < INSTS; i++) {
		m.pc = pcs[i];
		micro_line(&m, "ffffffff 1 R%u FFMA 2 R8 R9 0", 16 + i);
	}
	micro_line(&m, "ffffffff 0 EXIT 0 0");
	micro_cta_end(&m);
	micro_run(&m, &g, &o, &result);
	assert_int_equal(result.issues, INSTS + 1);
}

/* Cycles between instructions, where a branch takes 16 more and lines of code cost 0. */
static void a_branch_delays_its_warp(void **state)
{
	static const char *const branch[] = {"sm.branch_cycles=16"};
	static const enum ct_replay_timing timings[] = {CT_REPLAY_FULL, CT_REPLAY_QUICK};
	(void)state;
	for (int t = 0; t < 2; t++) {
		long without[INSTS];
		replay(NULL, 0, timings[t]);
		for (unsigned i = 0; i + 1 < INSTS; i++)
			without[i] = micro_apart(&result, i, i + 1);
		replay(branch, 1, timings[t]);
		for (unsigned i = 0; i + 1 < INSTS; i++)
			if (i == 2 || i == 6) /* the next does not follow in the code */
				assert_int_equal(micro_apart(&result, i, i + 1), 17);
			else
				assert_true(micro_apart(&result, i, i + 1) <=
				            without[i]); /* its unit is idle by then */
	}
}

/* The first line of code comes after 900 cycles, another after 30, each once; with warm caches, without llc.flush, there is
 * nothing to wait for. */
static void code_is_fetched_once(void **state)
{
	static const char *const code[] = {
		"sm.code_first_cycles=900", "sm.code_line_cycles=30", "llc.flush=on"};
	static const enum ct_replay_timing timings[] = {CT_REPLAY_FULL, CT_REPLAY_QUICK};
	(void)state;
	for (int t = 0; t < 2; t++) {
		uint64_t first;
		replay(code, 2, timings[t]);
		first = result.issue[0];
		assert_true(micro_apart(&result, 6, 7) < 5);
		replay(code, 3, timings[t]);
		assert_in_range(result.issue[0] - first, 898, 901);
		for (unsigned i = 0; i + 1 < INSTS; i++)
			if (i == 6)
				assert_int_equal(micro_apart(&result, i, i + 1), 31);
			else
				assert_true(micro_apart(&result, i, i + 1) < 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_branch_delays_its_warp),
		cmocka_unit_test(code_is_fetched_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
