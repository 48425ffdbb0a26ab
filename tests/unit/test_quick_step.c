/* Quick replay of SMs whose warps are in step (quick_step.c): as in full timing where units decide, the same accesses whatever
 * way an SM goes, barriers and memory across a change of way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../support/microtrace.h"

static const struct ct_replay_options quick = {.timing = CT_REPLAY_QUICK};

/* A launch of a CTA of `warps` warps that all execute the same: integers that depend on nothing, a branch after every sixteen, so
 * that warps wait for the integer unit and for collectors. */
static void add_integers(struct micro *m, uint32_t warps, uint32_t insts)
{
	micro_kernel(m, "integers", 1, 32 * warps, 0, 40);
	micro_cta(m);
	for (uint32_t w = 0; w < warps; w++) {
		micro_warp(m, w, insts + 1);
		for (uint32_t i = 0; i < insts; i++)
			if (i % 16 == 15)
				micro_line(m, "ffffffff 0 BRA 0 0");
			else
				micro_line(m, "ffffffff 1 R%u IADD3 2 R2 R3 0", 4 + i % 8);
		micro_line(m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(m);
}

/* A launch of eight warps that load lines of their own one after the other. */
static void add_chains(struct micro *m, uint32_t from, uint32_t loads)
{
	micro_kernel(m, "chains", 1, 256, 0, 40);
	micro_cta(m);
	for (uint32_t w = 0; w < 8; w++) {
		micro_warp(m, w, loads + 1);
		for (uint32_t i = 0; i < loads; i++)
			micro_line(m, "ffffffff 1 R2 LDG.E 1 R2 4 1 0x%x 4",
			           from + 0x100000 * w + 128 * i);
		micro_line(m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(m);
}

/* Runs the trace by the timing of o; returns its cycles without launches. */
static uint64_t cycles_of(struct micro *m, const struct ct_gpu *g, const struct ct_replay_options *o)
{
	static struct micro_result r;
	micro_run(m, g, o, &r);
	return r.c.cycles - r.c.launch_cycles;
}

static uint64_t integers(const struct ct_gpu *g, const struct ct_replay_options *o, int launches,
                         uint32_t insts)
{
	struct micro m = {0};
	for (int i = 0; i < launches; i++)
		add_integers(&m, 24, insts);
	return cycles_of(&m, g, o);
}

/* The first launch puts the SM in step; from then on each takes the cycles of full timing, and the first nearly does. */
static void units_decide_as_in_full_timing(void **state)
{
	(void)state;
	for (int i = 0; i < MICRO_GPUS; i++)
		for (int two_level = 0; two_level < 2; two_level++) {
			struct ct_gpu g;
			micro_gpu(&g, i);
			g.sms = 1;
			if (two_level)
				g.scheduler = CT_SCHED_TWO_LEVEL;
			uint64_t one = integers(&g, NULL, 1, 600), three = integers(&g, NULL, 3, 600);
			uint64_t first = integers(&g, &quick, 1, 600);
			assert_int_equal(integers(&g, &quick, 3, 600) - first, three - one);
			assert_in_range(first, one * 94 / 100, one * 106 / 100);
		}
}

/* Loads, stores, atomics, copies, fences and barriers that an SM meets in step, and while it changes its way. */
static void accesses_are_those_of_full_timing(void **state)
{
	static struct micro_result full, a, b;
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct micro_result *const into[] = {&full, &a, &b};
		struct ct_gpu g;
		micro_gpu(&g, (int)(seed % MICRO_GPUS));
		g.sms = 1 + (uint32_t)seed % 2;
		for (int run = 0; run < 3; run++) {
			struct micro m, integers = {0};
			micro_random(&m, seed, 2, 6, 5, 100);
			add_integers(&integers, 24, 150);
			add_integers(&integers, 24, 150);
			ct_buf_add(&integers.text, m.text.data, m.text.len);
			ct_buf_free(&m.text);
			micro_run(&integers, &g, run ? &quick : NULL, into[run]);
		}
		assert_memory_equal(&a, &b, sizeof a);
		assert_int_equal(a.c.warp_insts, full.c.warp_insts);
		assert_int_equal(a.c.thread_insts, full.c.thread_insts);
		assert_int_equal(a.c.l1_accesses, full.c.l1_accesses);
		assert_int_equal(a.c.l1_read_accesses, full.c.l1_read_accesses);
		assert_int_equal(a.c.mem_latency_count, full.c.mem_latency_count);
		assert_int_equal(a.c.l1_accesses, a.l1_hit + a.l1_pending + a.l1_miss);
		assert_in_range(a.c.cycles - a.c.launch_cycles,
		                (full.c.cycles - full.c.launch_cycles) * 8 / 10,
		                (full.c.cycles - full.c.launch_cycles) * 12 / 10);
	}
}

/* Memory that an SM meets in step. All warps ask for the same lines: more than an MSHR entry merges, so that the tags are held
 * up and the load/store unit fills the pipeline in front of them. Copies that hit are over when they are taken. */
static void add_memory(struct micro *m, uint32_t warps)
{
	micro_kernel(m, "memory", 1, 32 * warps, 4096, 40);
	micro_cta(m);
	for (uint32_t w = 0; w < warps; w++) {
		micro_warp(m, w, 79);
		for (uint32_t i = 0; i < 70; i++)
			if (i % 10 == 9)
				micro_line(m, "ffffffff 1 R%u LDG.E 1 R3 4 1 0x%x 4", 12 + i / 10,
				           0x10000000 + (i % 20 == 9 ? 0 : 0x10000 * w) + 128 * i);
			else
				micro_line(m, "ffffffff 1 R%u IADD3 2 R2 R3 0", 4 + i % 8);
		micro_line(m, "ffffffff 1 R3 FADD 2 R12 R18 0");
		micro_line(m, "ffffffff 1 R5 ATOMS.ADD 2 R3 R2 4 1 0x40 4");
		micro_line(m, "ffffffff 0 LDGSTS.E 2 R3 R5 4 1 0x10000480 4");
		micro_line(m, "ffffffff 0 LDGDEPBAR 0 0");
		micro_line(m, "ffffffff 0 DEPBAR.LE 0 0 0");
		micro_line(m, "00000000 1 R6 LDG.E 1 R3 4 0");
		micro_line(m, "00000000 1 R7 ATOMG.E.ADD.STRONG.GPU 2 R3 R2 4 0");
		micro_line(m, "ffffffff 1 R9 FADD 2 R5 R6 0");
		micro_line(m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(m);
}

static void memory_is_over_in_step(void **state)
{
	(void)state;
	for (int i = 0; i < MICRO_GPUS; i++) {
		static struct micro_result full, r;
		struct micro_result *const into[] = {&full, &r};
		struct ct_gpu g;
		micro_gpu(&g, i);
		g.sms = 1;
		for (int run = 0; run < 2; run++) {
			struct micro m = {0};
			add_integers(&m, 24, 600);
			add_memory(&m, 24);
			add_memory(&m, 24);
			micro_run(&m, &g, run ? &quick : NULL, into[run]);
		}
		assert_int_equal(r.c.l1_accesses, full.c.l1_accesses);
		assert_int_equal(r.c.llc_accesses, full.c.llc_accesses);
		assert_int_equal(r.c.mem_latency_count, full.c.mem_latency_count);
		assert_in_range(r.c.cycles - r.c.launch_cycles,
		                (full.c.cycles - full.c.launch_cycles) * 9 / 10,
		                (full.c.cycles - full.c.launch_cycles) * 11 / 10);
	}
}

/* Half of the warps load the same lines, more than merge, and wait for the load/store unit when the others put the SM in
 * step. *m is cleared before. */
static void make_halves(struct micro *m)
{
	enum { WARPS = 24, INSTS = 1000, LOADS = 300 };
	memset(m, 0, sizeof *m);
	micro_kernel(m, "k", 1, 32 * WARPS, 0, 40);
	micro_cta(m);
	for (uint32_t w = 0; w < WARPS; w++) {
		micro_warp(m, w, (w & 4 ? LOADS : INSTS) + 1);
		m->pc = w & 4 ? 0x10000 : 0;
		for (uint32_t i = 0; i < (w & 4 ? LOADS : INSTS); i++)
			if (w & 4)
				micro_line(m, "ffffffff 1 R%u LDG.E 1 R3 4 1 0x%x 4", 4 + i % 8,
				           0x10000000 + 128 * i);
			else
				micro_line(m, "ffffffff 1 R%u IADD3 2 R2 R3 0", 4 + i % 8);
		micro_line(m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(m);
}

static void what_waits_goes_on_in_step(void **state)
{
	static struct micro_result full, r;
	struct micro m;
	struct ct_gpu g;
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	g.sms = 1;
	make_halves(&m);
	micro_run(&m, &g, NULL, &full);
	make_halves(&m);
	micro_run(&m, &g, &quick, &r);
	assert_int_equal(r.c.warp_insts, full.c.warp_insts);
	assert_int_equal(r.c.l1_accesses, full.c.l1_accesses);
	assert_in_range(r.c.cycles - r.c.launch_cycles, (full.c.cycles - full.c.launch_cycles) * 9 / 10,
	                (full.c.cycles - full.c.launch_cycles) * 11 / 10);
}

/* Integers, chains of loads, and what follows: an SM that has been in step runs ahead again, so that what follows takes the
 * cycles that it takes without integers before. */
static void an_sm_runs_ahead_again(void **state)
{
	uint64_t with[2], without[2];
	struct ct_gpu g;
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	g.sms = 1;
	for (int more = 0; more < 2; more++) {
		struct micro m = {0}, n = {0};
		add_integers(&m, 24, 600);
		add_chains(&m, 0x10000000, 20);
		add_chains(&n, 0x10000000, 20);
		if (more) {
			add_integers(&m, 6, 200);
			add_integers(&n, 6, 200);
		}
		with[more] = cycles_of(&m, &g, &quick);
		without[more] = cycles_of(&n, &g, &quick);
	}
	assert_int_equal(with[1] - with[0], without[1] - without[0]);
}

/* One warp of 24 comes to the barrier at once, the others put the SM in step before they come: nobody is behind it before
 * all are there. */
static void a_barrier_holds_across_the_change(void **state)
{
	enum { WARPS = 24, INSTS = 150 };
	static struct micro_result r;
	struct micro m = {0};
	struct ct_gpu g;
	uint64_t last = 0, first = UINT64_MAX;
	uint32_t issued[WARPS] = {0};
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	g.sms = 1;
	micro_kernel(&m, "k", 1, 32 * WARPS, 0, 40);
	micro_cta(&m);
	for (uint32_t w = 0; w < WARPS; w++) {
		uint32_t n = w ? INSTS : 0;
		micro_warp(&m, w, n + 3);
		m.pc = 16 * (INSTS - n);
		for (uint32_t i = 0; i < n; i++)
			micro_line(&m, "ffffffff 1 R%u IADD3 2 R2 R3 0", 4 + i % 8);
		micro_line(&m, "ffffffff 0 BAR.SYNC 0 0");
		micro_line(&m, "ffffffff 1 R9 FADD 2 R2 R3 0");
		micro_line(&m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(&m);
	micro_run(&m, &g, &quick, &r);
	assert_int_equal(r.issues, (WARPS - 1) * INSTS + 3 * WARPS);
	for (uint32_t i = 0; i < r.issues; i++) {
		uint32_t w = r.warp[i], barrier = w ? INSTS : 0, k = issued[w]++;
		if (k == barrier && r.issue[i] > last)
			last = r.issue[i];
		if (k > barrier && r.issue[i] < first)
			first = r.issue[i];
	}
	assert_true(first >=
	            last); /* those of schedulers whose turn comes later may issue in the same cycle */
}

/* A warp whose last instruction is a barrier has come to it in step, and waits for a slow memory, too; the SM runs ahead before
 * the others come, which goes on without it. */
static void a_barrier_may_be_the_last(void **state)
{
	enum { WARPS = 8, CHAIN = 400 };
	static struct micro_result r;
	struct micro m = {0};
	struct ct_gpu g;
	(void)state;
	micro_gpu(&g, MICRO_RTX3070);
	g.sms = 1;
	g.dram_latency = 20000;
	add_integers(&m, 24, 600);
	micro_kernel(&m, "k", 1, 32 * WARPS, 0, 40);
	micro_cta(&m);
	for (uint32_t w = 0; w < WARPS; w++) {
		micro_warp(&m, w, w ? CHAIN + 2 : 2);
		if (!w)
			micro_line(&m, "ffffffff 1 R2 LDG.E 1 R2 4 1 0x10000000 4");
		for (uint32_t i = 0; w && i < CHAIN; i++)
			micro_line(&m, "ffffffff 1 R2 FADD 2 R2 R3 0");
		micro_line(&m, "ffffffff 0 BAR.SYNC 0 0");
		if (w)
			micro_line(&m, "ffffffff 1 R9 FADD 2 R2 R3 0");
	}
	micro_cta_end(&m);
	micro_run(&m, &g, &quick, &r);
	assert_int_equal(r.c.warp_insts, 24 * 601 + (WARPS - 1) * (CHAIN + 2) + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_decide_as_in_full_timing),
		cmocka_unit_test(accesses_are_those_of_full_timing),
		cmocka_unit_test(memory_is_over_in_step),
		cmocka_unit_test(what_waits_goes_on_in_step),
		cmocka_unit_test(an_sm_runs_ahead_again),
		cmocka_unit_test(a_barrier_holds_across_the_change),
		cmocka_unit_test(a_barrier_may_be_the_last),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
