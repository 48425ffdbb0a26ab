/* Latencies and rules that doc/replay.md calls measured: found with micro traces in the reference
 * simulator, reproduced here with the same micro traces, to the cycle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/microtrace.h"

static struct micro_result run(int gpu, uint32_t n, const char *const *lines)
{
	static struct micro_result r;
	struct micro m;
	struct ct_gpu g;
	micro_gpu(&g, gpu);
	micro_one_warp(&m, n, lines);
	micro_run(&m, &g, NULL, &r);
	return r;
}

static void dependent_instructions(void **state)
{
	static const struct {
		const char *line;
		int want[MICRO_GPUS];
	} cases[] = {
		{"ffffffff 1 R1 FADD 2 R2 R3 0", {7, 7, 7}},
		{"ffffffff 1 R1 IADD3 2 R2 R3 0", {7, 7, 7}},
		{"ffffffff 1 R1 HFMA2 2 R2 R3 0", {7, 7, 7}},
		{"ffffffff 1 R1 MUFU.RCP 1 R2 0", {25, 26, 26}},
		{"ffffffff 1 R1 DADD 2 R2 R4 0", {13, 69, 69}},
		{"ffffffff 1 R1 HMMA.1688.F32 2 R2 R4 0", {7, 37, 21}},
		{"ffffffff 1 R1 LDS 1 R2 4 1 0x0 4", {25, 34, 35}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int g = 0; g < MICRO_GPUS; g++) {
			const char *lines[] = {cases[i].line, "ffffffff 1 R9 FADD 2 R1 R1 0"};
			struct micro_result r = run(g, 2, lines);
			if (micro_apart(&r, 0, 1) != cases[i].want[g])
				fail_msg("GPU %d: %s: %ld cycles, wanted %d", g, cases[i].line,
				         micro_apart(&r, 0, 1), cases[i].want[g]);
		}
}

/* A stream of independent instructions of one warp: one each initiation interval. */
static void initiation_intervals(void **state)
{
	static const struct {
		const char *op;
		int want[MICRO_GPUS];
	} cases[] = {
		{"FADD", {2, 1, 2}},     {"IADD3", {2, 2, 2}},  {"HFMA2", {1, 1, 1}},
		{"MUFU.RCP", {8, 8, 8}}, {"DADD", {4, 64, 64}}, {"HMMA.1688.F32", {2, 32, 16}},
		{"BRA", {4, 4, 4}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int g = 0; g < MICRO_GPUS; g++) {
			char text[24][64];
			const char *lines[24];
			for (int k = 0; k < 24; k++) {
				snprintf(text[k], sizeof text[k], "ffffffff 1 R%d %s 1 R2 0", 4 + k,
				         cases[i].op);
				if (!strcmp(cases[i].op, "BRA"))
					snprintf(text[k], sizeof text[k], "ffffffff 0 BRA 0 0");
				lines[k] = text[k];
			}
			struct micro_result r = run(g, 24, lines);
			if (micro_apart(&r, 12, 22) != 10 * cases[i].want[g])
				fail_msg("GPU %d: %s: %ld cycles for ten, wanted %d", g, cases[i].op,
				         micro_apart(&r, 12, 22), 10 * cases[i].want[g]);
		}
}

static const char load[] = "ffffffff 1 R1 LDG.E 1 R2 4 1 0x7f0000000000 4";
static const char use[] = "ffffffff 1 R9 FADD 2 R1 R1 0";

/* Loads: DRAM first, then L1 (the second load of the same line). */
static void global_loads(void **state)
{
	static const int hit[MICRO_GPUS] = {24, 43, 36}, first[MICRO_GPUS] = {331, 513, 358};
	(void)state;
	for (int g = 0; g < MICRO_GPUS; g++) {
		const char *lines[] = {load, use, load, use};
		struct micro_result r = run(g, 4, lines);
		assert_int_equal(micro_apart(&r, 2, 3), hit[g]);
		/* 128 cold bytes: command by command our DRAM opens a row a few cycles later */
		assert_in_range(micro_apart(&r, 0, 1), first[g], first[g] * 103 / 100);
		assert_int_equal(r.l1_hit, 4);
		assert_int_equal(r.l1_miss, 4);
		assert_int_equal(r.c.dram_read_bytes, 128);
	}
}

/* Every memory instruction is told of once, when its user may issue. */
static void memory_instructions_end_once(void **state)
{
	static const char *const lines[] = {
		load,
		use,
		"ffffffff 0 STG.E 2 R2 R4 4 1 0x7f0000001000 4",
		"ffffffff 1 R1 LDS 1 R2 4 1 0x0 4",
		use,
		"ffffffff 1 R1 ATOMG.E.ADD 2 R2 R4 4 1 0x7f0000002000 4",
		"00000000 1 R1 LDG.E 1 R2 4 1 0x0 0",
	};
	(void)state;
	for (int g = 0; g < MICRO_GPUS; g++) {
		struct micro_result r = run(g, 7, lines);
		uint32_t loads = 0;
		assert_int_equal(r.mems, 5);
		for (uint32_t i = 0; i < r.mems; i++)
			for (uint32_t k = 0; k < r.issues; k++)
				if (r.issue[k] == r.mem[i].issued && (k == 0 || k == 3)) {
					loads++;
					assert_int_equal(r.issue[k + 1], r.mem[i].done);
				}
		assert_int_equal(loads, 2);
	}
}

/* Sectors of one instruction that meet in a bank follow each other. */
static void bank_conflicts(void **state)
{
	static const struct {
		int stride, extra;
	} cases[] = {{4, 0}, {16, 3}, {128, 31}};
	static const int hit[MICRO_GPUS] = {24, 43, 36};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int g = 0; g < MICRO_GPUS; g++) {
			char l[64];
			snprintf(l, sizeof l, "ffffffff 1 R1 LDG.E 1 R2 4 1 0x7f0000000000 %d",
			         cases[i].stride);
			const char *lines[] = {l, use, l, use};
			struct micro_result r = run(g, 4, lines);
			assert_int_equal(micro_apart(&r, 2, 3), hit[g] + cases[i].extra);
		}
}

static void shared_conflicts(void **state)
{
	static const int base[MICRO_GPUS] = {25, 34, 35};
	(void)state;
	for (int ways = 1; ways <= 32; ways *= 2)
		for (int g = 0; g < MICRO_GPUS; g++) {
			char l[64];
			snprintf(l, sizeof l, "ffffffff 1 R1 LDS 1 R2 4 1 0x0 %d", 4 * ways);
			const char *lines[] = {l, use};
			struct micro_result r = run(g, 2, lines);
			assert_int_equal(micro_apart(&r, 0, 1), base[g] + ways - 1);
		}
}

/* The LLC holds the line, the L1 does not: a second launch, after the L1 was emptied. */
static void llc_hits(void **state)
{
	static const int past_l1[MICRO_GPUS] = {193, 239, 239}, bypassed[MICRO_GPUS] = {172, 199, 206};
	(void)state;
	for (int g = 0; g < MICRO_GPUS; g++)
		for (int bypass = 0; bypass < 2; bypass++) {
			static struct micro_result r;
			struct micro m = {0};
			struct ct_gpu gpu;
			micro_gpu(&gpu, g);
			for (int k = 0; k < 2; k++) {
				micro_kernel(&m, "k", 1, 32, 0, 32);
				micro_cta(&m);
				micro_warp(&m, 0, 3);
				micro_line(&m, "00000001 1 R1 LDG.E%s 1 R2 4 1 0x7f0000000000 4",
				           bypass ? ".STRONG.GPU" : "");
				micro_line(&m, "%s", use);
				micro_line(&m, "ffffffff 0 EXIT 0 0");
				micro_cta_end(&m);
			}
			micro_run(&m, &gpu, NULL, &r);
			assert_int_equal(micro_apart(&r, 3, 4), bypass ? bypassed[g] : past_l1[g]);
			assert_int_equal(r.c.l1_accesses, bypass ? 0 : 2);
			assert_int_equal(r.c.llc_read_misses, 1);
		}
}

static void atomics(void **state)
{
	static const struct {
		const char *line;
		int want[MICRO_GPUS];
	} cases[] = {
		{"00000001 1 R1 ATOMG.E.ADD.STRONG.GPU 2 R2 R4 4 1 0x7f0000000000 4", {171, 198, 205}},
		{"ffffffff 1 R1 ATOMG.E.ADD.STRONG.GPU 2 R2 R4 4 1 0x7f0000000000 4", {174, 201, 208}},
		{"ffffffff 1 R1 ATOMG.E.ADD.STRONG.GPU 2 R2 R4 4 1 0x7f0000000000 0", {202, 229, 236}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int g = 0; g < MICRO_GPUS; g++) {
			/* the first load warms the LLC; the instruction after the atomic needs nothing */
			const char *lines[] = {load, use, cases[i].line, "ffffffff 1 R8 IADD3 1 R5 0"};
			struct micro_result r = run(g, 4, lines);
			if (micro_apart(&r, 2, 3) != cases[i].want[g])
				fail_msg("GPU %d, case %zu: %ld cycles, wanted %d", g, i,
				         micro_apart(&r, 2, 3), cases[i].want[g]);
		}
}

/* Cycles of whole launches: nothing but EXIT, and one store. */
static void floors(void **state)
{
	static const int stored[MICRO_GPUS] = {197, 243, 243};
	(void)state;
	for (int g = 0; g < MICRO_GPUS; g++) {
		struct micro_result r = run(g, 0, NULL);
		assert_int_equal(r.c.cycles - r.c.launch_cycles, 8);
		const char *lines[] = {"ffffffff 0 STG.E 2 R2 R4 4 1 0x7f0000000000 4"};
		r = run(g, 1, lines);
		assert_int_equal(r.c.cycles - r.c.launch_cycles, stored[g]);
	}
}

static void barriers_back_to_back(void **state)
{
	static struct micro_result r;
	struct micro m = {0};
	struct ct_gpu g;
	(void)state;
	micro_gpu(&g, MICRO_QV100);
	micro_kernel(&m, "k", 1, 256, 0, 32);
	micro_cta(&m);
	for (uint32_t w = 0; w < 8; w++) {
		micro_warp(&m, w, 21);
		for (int i = 0; i < 20; i++)
			micro_line(&m, "ffffffff 0 BAR.SYNC 0 0");
		micro_line(&m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(&m);
	micro_run(&m, &g, NULL, &r);
	uint64_t from = 0, to = 0;
	for (uint32_t i = 0; i < r.issues; i++) {
		if (i == 8 * 5)
			from = r.issue[i];
		if (i == 8 * 15)
			to = r.issue[i];
	}
	assert_int_equal(to - from, 20); /* two cycles each: eight warps, four schedulers */
}

static void membar_empties_the_l1(void **state)
{
	(void)state;
	for (int g = 0; g < MICRO_GPUS; g++) {
		const char *lines[] = {load, use, load, "ffffffff 0 MEMBAR.SC.GPU 0 0", load, use};
		struct micro_result r = run(g, 6, lines);
		assert_int_equal(r.l1_miss, 8);
		assert_int_equal(r.l1_hit, 4);
		assert_int_equal(r.c.dram_read_bytes, 128);
	}
}

/* A sector that a store has written in part is fetched when it is read. */
static void partly_written_sectors(void **state)
{
	(void)state;
	for (int whole = 0; whole < 2; whole++) {
		char s[64];
		snprintf(s, sizeof s, "%s 0 STG.E 2 R2 R4 4 1 0x7f0000000000 4",
		         whole ? "000000ff" : "0000000f");
		const char *lines[] = {s, "000000ff 1 R1 LDG.E 1 R2 4 1 0x7f0000000000 4", use};
		struct micro_result r = run(MICRO_RTX3070, 3, lines);
		assert_int_equal(r.c.dram_read_bytes, whole ? 0 : 32);
		assert_int_equal(r.c.l1_read_misses, whole ? 0 : 1);
	}
}

/* One warp on each of n SMs reads one cold line: the fifth reader of a sector that is on
 * its way blocks its slice until DRAM has answered (RTX2060: 375, 690, 790). */
static void merge_limit_of_the_llc(void **state)
{
	static const struct {
		uint32_t sms;
		int want;
	} cases[] = {{4, 375}, {5, 690}, {30, 790}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		static struct micro_result r;
		struct micro m = {0};
		struct ct_gpu g;
		micro_gpu(&g, MICRO_RTX2060);
		micro_kernel(&m, "k", cases[i].sms, 32, 0, 32);
		for (uint32_t c = 0; c < cases[i].sms; c++) {
			micro_cta(&m);
			micro_warp(&m, 0, 3);
			micro_line(&m, "%s", load);
			micro_line(&m, "%s", use);
			micro_line(&m, "ffffffff 0 EXIT 0 0");
			micro_cta_end(&m);
		}
		micro_run(&m, &g, NULL, &r);
		assert_in_range(r.c.cycles - r.c.launch_cycles, cases[i].want * 97 / 100,
		                cases[i].want * 103 / 100);
	}
}

/* 64 KiB of L1 are 512 lines: those that a store has touched stay until they are a
 * quarter of all (doc/replay.md section 6: of 200 stored lines the last 127 or so survive a
 * stream of 1000 others, of 64 all do). */
static void dirty_lines_are_protected(void **state)
{
	static const struct {
		int stored, low, high;
	} cases[] = {{64, 64, 64}, {200, 120, 128}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		static struct micro_result r;
		struct micro m = {0};
		struct ct_gpu g;
		int n = cases[i].stored;
		micro_gpu(&g, MICRO_RTX2060);
		micro_kernel(&m, "k", 1, 32, 0, 32);
		micro_cta(&m);
		micro_warp(&m, 0, (uint32_t)(n + 1000 + n + 1));
		for (int k = 0; k < n; k++)
			micro_line(&m, "ffffffff 0 STG.E 2 R2 R4 4 1 0x%x 4", 0x10000000 + 128 * k);
		for (int k = 0; k < 1000; k++)
			micro_line(&m, "ffffffff 1 R1 LDG.E 1 R2 4 1 0x%x 4", 0x20000000 + 128 * k);
		for (int k = 0; k < n; k++)
			micro_line(&m, "ffffffff 1 R1 LDG.E 1 R2 4 1 0x%x 4", 0x10000000 + 128 * k);
		micro_line(&m, "ffffffff 0 EXIT 0 0");
		micro_cta_end(&m);
		micro_run(&m, &g, NULL, &r);
		assert_in_range(r.l1_hit / 4, cases[i].low, cases[i].high);
	}
}

/* Without a partition hash, lines 12 channels of 256 B apart meet in one slice, which
 * serves one sector a cycle; neighbouring lines use all of them. */
/* A head that waits for a free MSHR holds up its own bank only: a hit that comes to another bank
 * after it is not late, also when its own bank has more behind it (doc/replay.md section 5). */
static void banks_go_on_alone(void **state)
{
	static const char *const lines[] = {
		"00000001 1 R1 LDG.E 1 R2 4 1 0x7f0000000020 4", /* bank 1, to hit later */
		"ffffffff 1 R9 FADD 2 R1 R1 0",
		"00000001 1 R4 LDG.E 1 R2 4 1 0x7f0000001000 4", /* bank 0: takes the only entry, */
		"00000001 1 R5 LDG.E 1 R2 4 1 0x7f0000002000 4", /* waits for it, */
		"00000001 1 R6 LDG.E 1 R2 4 1 0x7f0000003000 4", /* waits behind that one */
		"00000001 1 R7 LDG.E 1 R2 4 1 0x7f0000000020 4",
		"ffffffff 1 R9 FADD 2 R7 R7 0",
	};
	static struct micro_result r;
	struct micro m;
	struct ct_gpu g;
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	g.l1.mshr_entries = 1;
	micro_one_warp(&m, sizeof lines / sizeof *lines, lines);
	micro_run(&m, &g, NULL, &r);
	assert_int_equal(r.l1_hit, 1);
	assert_int_equal(r.l1_miss, 4);
	assert_in_range(micro_apart(&r, 5, 6), 43,
	                45); /* a hit, with the issue of four loads before it */
}

static void slice_camping(void **state)
{
	enum { LINES = 96 };
	double rate[2];
	(void)state;
	for (int camping = 0; camping < 2; camping++) {
		static struct micro_result r;
		struct micro m = {0};
		struct ct_gpu g;
		micro_gpu(&g, MICRO_RTX2060);
		g.l1_skip = CT_L1_SKIP_ALL;
		for (int launch = 0; launch < 2; launch++) { /* the second finds all in the LLC */
			micro_kernel(&m, "k", g.sms, 128, 0, 64);
			for (uint32_t c = 0; c < g.sms; c++) {
				micro_cta(&m);
				for (uint32_t w = 0; w < 4; w++) {
					micro_warp(&m, w, LINES + 1);
					for (uint32_t k = 0; k < LINES; k++)
						micro_line(&m, "ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x 4",
						           4 + k % 32,
						           0x10000000 + (camping ? 12 * 256 : 128) *
						                                ((k + 8 * c) % LINES));
					micro_line(&m, "ffffffff 0 EXIT 0 0");
				}
				micro_cta_end(&m);
			}
		}
		micro_run(&m, &g, NULL, &r);
		rate[camping] = (double)r.c.llc_accesses / (double)(r.c.cycles - r.c.launch_cycles);
	}
	assert_true(rate[1] <= 1.0 && rate[1] > 0.9);
	assert_true(rate[0] > 3 * rate[1]); /* with the cold launch and its merge stalls */
}

/* A warp that waits for one of three loads has three on their way, one that waits for each has one. */
static void loads_on_the_way_of_a_waiting_warp(void **state)
{
	static const char *const together[] = {
		"ffffffff 1 R1 LDG.E 1 R4 4 1 0x10000000 4", "ffffffff 1 R2 LDG.E 1 R4 4 1 0x10010000 4",
		"ffffffff 1 R3 LDG.E 1 R4 4 1 0x10020000 4", "ffffffff 1 R9 FADD 2 R1 R1 0"};
	static const char *const apart[] = {
		"ffffffff 1 R1 LDG.E 1 R4 4 1 0x10000000 4", "ffffffff 1 R9 FADD 2 R1 R1 0",
		"ffffffff 1 R1 LDG.E 1 R4 4 1 0x10010000 4", "ffffffff 1 R9 FADD 2 R1 R1 0"};
	(void)state;
	for (int g = 0; g < MICRO_GPUS; g++) {
		struct micro_result r = run(g, 4, together);
		assert_true(r.c.mem_stall_warp_cycles > 100);
		assert_true(r.c.mem_stall_open == 3 * r.c.mem_stall_warp_cycles);
		r = run(g, 4, apart);
		assert_true(r.c.mem_stall_warp_cycles > 200);
		assert_true(r.c.mem_stall_open == r.c.mem_stall_warp_cycles);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dependent_instructions),
		cmocka_unit_test(initiation_intervals),
		cmocka_unit_test(global_loads),
		cmocka_unit_test(memory_instructions_end_once),
		cmocka_unit_test(bank_conflicts),
		cmocka_unit_test(shared_conflicts),
		cmocka_unit_test(llc_hits),
		cmocka_unit_test(atomics),
		cmocka_unit_test(floors),
		cmocka_unit_test(barriers_back_to_back),
		cmocka_unit_test(membar_empties_the_l1),
		cmocka_unit_test(partly_written_sectors),
		cmocka_unit_test(merge_limit_of_the_llc),
		cmocka_unit_test(dirty_lines_are_protected),
		cmocka_unit_test(banks_go_on_alone),
		cmocka_unit_test(slice_camping),
		cmocka_unit_test(loads_on_the_way_of_a_waiting_warp),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
