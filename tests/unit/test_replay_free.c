/* Resources that cost nothing: the work stays, its time goes. */
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
#include "gpu/address.h"

enum {
	EVERYTHING = CT_REPLAY_FREE_ISSUE | CT_REPLAY_FREE_DEPENDENCIES | CT_REPLAY_FREE_L1 |
	             CT_REPLAY_FREE_NETWORK | CT_REPLAY_FREE_LLC | CT_REPLAY_FREE_DRAM
};

static struct micro_result result;

static void gpu(struct ct_gpu *g, const char *a, const char *b)
{
	const char *const sets[] = {a, b};
	micro_gpu(g, MICRO_RTX3070);
	test_gpu_set(g, sets, (a != NULL) + (b != NULL));
}

/* Cycles without the launch of the trace that `make` writes. */
static uint64_t cycles(void (*make)(struct micro *m), const struct ct_gpu *g, unsigned what)
{
	struct micro m;
	struct ct_replay_options o = {.free = what};
	memset(&m, 0, sizeof m);
	make(&m);
	micro_run(&m, g, &o, &result);
	return result.c.cycles - result.c.launch_cycles;
}

/* A load, and an instruction that needs it. */
static void one_load(struct micro *m)
{
	micro_kernel(m, "k", 1, 32, 0, 16);
	micro_cta(m);
	micro_warp(m, 0, 3);
	micro_line(m, "ffffffff 1 R4 LDG.E 1 R2 4 1 0x10000000 4");
	micro_line(m, "ffffffff 1 R5 FFMA 2 R4 R4 0");
	micro_line(m, "ffffffff 0 EXIT 0 0");
	micro_cta_end(m);
}

static void latencies(void **state)
{
	struct ct_gpu g;
	(void)state;
	gpu(&g, NULL, NULL);
	uint64_t full = cycles(one_load, &g, 0);
	uint64_t dram = cycles(one_load, &g, CT_REPLAY_FREE_DRAM);
	uint64_t llc = cycles(one_load, &g, CT_REPLAY_FREE_LLC);
	uint64_t l1 = cycles(one_load, &g, CT_REPLAY_FREE_L1);
	assert_true(full - dram >= g.dram_latency && full - dram < g.dram_latency + 100);
	assert_in_range(full - llc, g.llc_latency, g.llc_latency + 8);
	assert_in_range(full - l1, g.l1_latency - 1, g.l1_latency + 4);
	uint64_t both = cycles(one_load, &g, CT_REPLAY_FREE_DRAM | CT_REPLAY_FREE_LLC);
	assert_in_range(dram - both, g.llc_latency, g.llc_latency + 8);
	assert_true(cycles(one_load, &g, EVERYTHING) < 40);
}

/* A chain of dependent special functions, and many independent ones. */
static void chain(struct micro *m)
{
	micro_kernel(m, "k", 1, 32, 0, 16);
	micro_cta(m);
	micro_warp(m, 0, 21);
	for (int i = 0; i < 20; i++)
		micro_line(m, "ffffffff 1 R4 MUFU.RCP 1 R4 0");
	micro_line(m, "ffffffff 0 EXIT 0 0");
	micro_cta_end(m);
}

static void crowd(struct micro *m)
{
	micro_kernel(m, "k", 1, 1024, 0, 16);
	micro_cta(m);
	for (uint32_t w = 0; w < 32; w++) {
		micro_warp(m, w, 11);
		for (int i = 0; i < 10; i++)
			micro_line(m, "ffffffff 1 R%d MUFU.RCP 1 R20 0", 4 + i);
		micro_line(m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(m);
}

static void computing(void **state)
{
	struct ct_gpu g;
	(void)state;
	gpu(&g, NULL, NULL);
	uint64_t latency = g.unit[CT_CLASS_SFU].latency, every = g.unit[CT_CLASS_SFU].initiation;
	uint64_t full = cycles(chain, &g, 0);
	assert_in_range(full - cycles(chain, &g, CT_REPLAY_FREE_DEPENDENCIES), 18 * (latency - 1),
	                20 * (latency - 1));
	assert_int_equal(full, cycles(chain, &g, CT_REPLAY_FREE_ISSUE));
	full = cycles(crowd, &g, 0);
	uint64_t issue = cycles(crowd, &g, CT_REPLAY_FREE_ISSUE);
	assert_in_range(full - issue, 70 * (every - 1), 80 * every); /* 80 a scheduler */
	assert_true(full - cycles(crowd, &g, CT_REPLAY_FREE_DEPENDENCIES) <= latency);
}

/* Every SM asks for other sectors of one slice's lines. */
static struct ct_gpu hot;
static void one_slice(struct micro *m)
{
	struct ct_address_map map;
	struct ct_error e;
	uint64_t line = 0;
	assert_int_equal(ct_address_map_init(&map, &hot, &e), 0);
	micro_kernel(m, "k", hot.sms, 128, 0, 16);
	for (uint32_t c = 0; c < hot.sms; c++) {
		micro_cta(m);
		for (uint32_t w = 0; w < 4; w++) {
			micro_warp(m, w, 9);
			for (int i = 0; i < 8; i++, line++) {
				while (ct_address_place(&map, 0x10000000 + line % 64 * 128).slice != 0 &&
				       line % 64)
					line++;
				micro_line(m, "ffffffff 1 R%d LDG.E 1 R2 4 1 0x%x 4", 4 + i,
				           (unsigned)(0x10000000 + line % 64 * 128));
			}
			micro_line(m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(m);
	}
}

static void bandwidth(void **state)
{
	(void)state;
	gpu(&hot, "l1.mshr_entries=16", NULL);
	uint64_t llc = cycles(one_slice, &hot, CT_REPLAY_FREE_LLC);
	uint64_t net = cycles(one_slice, &hot, CT_REPLAY_FREE_NETWORK);
	uint64_t both = cycles(one_slice, &hot, CT_REPLAY_FREE_LLC | CT_REPLAY_FREE_NETWORK);
	assert_true(both < llc && both < net);
	/* whatever network there is, free it is the same */
	gpu(&hot, "l1.mshr_entries=16", "noc.kind=mesh");
	assert_true(cycles(one_slice, &hot, 0) > net);
	assert_int_equal(cycles(one_slice, &hot, CT_REPLAY_FREE_NETWORK), net);
	gpu(&hot, "l1.mshr_entries=1", NULL);
	uint64_t few = cycles(one_slice, &hot, 0);
	assert_true(cycles(one_slice, &hot, CT_REPLAY_FREE_MSHR) < few / 2);
	gpu(&hot, "l1.mshr_entries=4096", "l1.mshr_merge=1024");
	if (ct_gpu_set(&hot, "llc.mshr_entries=4096", NULL) < 0 ||
	    ct_gpu_set(&hot, "llc.mshr_merge=4096", NULL) < 0)
		fail();
	assert_int_equal(cycles(one_slice, &hot, 0), cycles(one_slice, &hot, CT_REPLAY_FREE_MSHR));
}

static void random_trace(struct micro *m)
{
	uint64_t seed = 3;
	micro_kernel(m, "a", 12, 160, 1024, 32);
	for (uint32_t c = 0; c < 12; c++) {
		micro_cta(m);
		for (uint32_t w = 0; w < 5; w++) {
			micro_warp(m, w, 61);
			for (int i = 0; i < 60; i++) {
				unsigned at = 0x10000000u + 32u * (unsigned)(ct_rand64(&seed) % 2000),
					 d = 4 + i % 20u;
				switch (ct_rand64(&seed) % 8) {
				case 0: micro_line(m, "ffffffff 0 STG.E 2 R4 R6 4 1 0x%x 4", at); break;
				case 1:
					micro_line(m, "ffffffff 1 R%u LDG.E 1 R4 4 1 0x%x 128", d, at);
					break;
				case 2:
					micro_line(m, "ffffffff 1 R%u LDS 1 R4 4 1 0x%x 128", d,
					           at % 64);
					break;
				case 3:
					micro_line(m, "ffffffff 1 R%u LDG.E 1 R4 4 1 0x%x 4", d, at);
					break;
				default:
					micro_line(m, "ffffffff 1 R%u FFMA 2 R%u R6 0", d,
					           4 + (d + 3) % 20);
					break;
				}
			}
			micro_line(m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(m);
	}
}

/* Whatever is free, the same instructions make the same accesses and end earlier. */
static void work_stays(void **state)
{
	struct ct_gpu g;
	(void)state;
	gpu(&g, "sm.count=3", "llc.size=1MiB");
	uint64_t full = cycles(random_trace, &g, 0);
	struct ct_replay_counts want = result.c;
	for (unsigned what = 1; what <= EVERYTHING; what += what < 32 ? what : 15) {
		uint64_t n = cycles(random_trace, &g, what);
		assert_int_equal(want.warp_insts, result.c.warp_insts);
		assert_int_equal(want.l1_accesses, result.c.l1_accesses);
		assert_int_equal(want.l1_read_accesses, result.c.l1_read_accesses);
		/* other orders of the same requests: a little slack */
		assert_true(n <= full + full / 20);
	}
	assert_true(cycles(random_trace, &g, EVERYTHING) * 4 < full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies),
		cmocka_unit_test(computing),
		cmocka_unit_test(bandwidth),
		cmocka_unit_test(work_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
