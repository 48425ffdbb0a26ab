/* What stores send, and what the LLC does with one that misses, where the GPU is one of GPGPU-Sim's: pieces of sectors
 * (noc.piece) and lines that are read (llc.write = back_fetch). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/gpus.h"
#include "../support/microtrace.h"
#include "base/hash.h"

enum { LINE = 128, FLIT = 32, HEADER = 8, LEAST = 32, MASKS = 200 };

static struct micro_result result;

static const enum ct_replay_timing timings[] = {CT_REPLAY_FULL, CT_REPLAY_QUICK};

static void gpu(struct ct_gpu *g, const char *setting, const char *another)
{
	const char *sets[] = {"sm.count=1", setting, another};
	test_gpu_with(g, "fermi-15", sets, 1 + (setting != NULL) + (another != NULL));
}

/* Runs one warp with that line, or those two. */
static const struct ct_replay_counts *
run(const struct ct_gpu *g, enum ct_replay_timing timing, const char *first, const char *second)
{
	struct micro m;
	struct ct_replay_options o = {.timing = timing};
	const char *lines[] = {first, second};
	micro_one_warp(&m, second ? 2 : 1, lines);
	micro_run(&m, g, &o, &result);
	return &result.c;
}

static const struct ct_replay_counts *
run_masked(const struct ct_gpu *g, enum ct_replay_timing timing, const char *what, uint32_t lanes)
{
	char line[512];
	int n = snprintf(line, sizeof line, "%08x %s 4 0", lanes, what);
	for (uint32_t i = 0; i < 32; i++) /* the addresses of active lanes */
		if (lanes >> i & 1)
			n += snprintf(line + n, sizeof line - (size_t)n, " 0x%x", 0x10000000u + 4 * i);
	return run(g, timing, line, NULL);
}

static uint32_t flits(uint32_t bytes)
{
	return (HEADER + bytes + FLIT - 1) / FLIT;
}

/* Brute-force twin: the smallest aligned block of 32, 64 or 128 bytes that holds the bytes that the lanes touch, four each. */
static uint32_t piece_of(uint32_t lanes)
{
	for (uint32_t n = LEAST; n < LINE; n *= 2)
		for (uint32_t at = 0; at < LINE; at += n) {
			int inside = 1;
			for (uint32_t lane = 0; lane < 32; lane++)
				if (lanes >> lane & 1)
					inside &= 4 * lane >= at && 4 * lane + 4 <= at + n;
			if (inside)
				return n;
		}
	return LINE;
}

static uint32_t some_lanes(uint64_t *seed)
{
	uint32_t first = (uint32_t)(ct_rand64(seed) % 32), n = 1 + (uint32_t)(ct_rand64(seed) % 32);
	uint32_t run = n == 32 ? UINT32_MAX : (1u << n) - 1, thin = (uint32_t)ct_rand64(seed);
	uint32_t lanes = run << first & (ct_rand64(seed) % 2 ? thin : UINT32_MAX);
	return lanes ? lanes : 1u << first;
}

/* A store sends its piece and is acknowledged by a header. */
static void stores_send_pieces(void **state)
{
	uint64_t seed = 26;
	struct ct_gpu g, whole;
	(void)state;
	gpu(&g, NULL, NULL);
	gpu(&whole, "noc.piece=0", NULL);
	for (int i = 0; i < MASKS; i++)
		for (int t = 0; t < 2; t++) {
			uint32_t lanes = some_lanes(&seed), want = flits(piece_of(lanes));
			const struct ct_replay_counts *c = run_masked(
				&g, timings[t], "0 STG.E 2 R4 R6", lanes);
			assert_int_equal(c->noc_request_busy, want);
			assert_int_equal(c->noc_reply_busy, flits(0));
			c = run_masked(&whole, timings[t], "0 STG.E 2 R4 R6", lanes);
			assert_int_equal(c->noc_request_busy, flits(LINE));
		}
}

/* So do atomics, whose reply has as much; a load past the L1 gets its piece, one through the L1 its line. */
static void others_do_too(void **state)
{
	uint64_t seed = 27;
	struct ct_gpu g, past;
	(void)state;
	gpu(&g, NULL, NULL);
	gpu(&past, "l1.bypass=global", NULL);
	for (int i = 0; i < MASKS; i++)
		for (int t = 0; t < 2; t++) {
			uint32_t lanes = some_lanes(&seed), piece = flits(piece_of(lanes));
			const struct ct_replay_counts *c = run_masked(
				&g, timings[t], "1 R5 ATOMG.ADD 2 R4 R6", lanes);
			assert_int_equal(c->noc_request_busy, piece * c->llc_accesses);
			assert_int_equal(c->noc_reply_busy, piece * c->llc_accesses);
			c = run_masked(&past, timings[t], "1 R5 LDG.E 1 R4", lanes);
			assert_int_equal(c->noc_request_busy, flits(0));
			assert_int_equal(c->noc_reply_busy, piece);
			c = run_masked(&g, timings[t], "1 R5 LDG.E 1 R4", lanes);
			assert_int_equal(c->noc_request_busy, flits(0));
			assert_int_equal(c->noc_reply_busy, flits(LINE));
		}
}

/* The bytes of a store that misses go on to DRAM and its line is read; one that hits, or that only allocates, does neither. */
static void a_miss_reads_its_line(void **state)
{
	static const char store[] = "000000ff 0 STG.E 2 R4 R6 4 1 0x10000000 4",
			  near_one[] = "0000ff00 0 STG.E 2 R4 R6 4 1 0x10000020 4",
			  load[] = "ffffffff 1 R5 LDG.E 1 R4 4 1 0x10000000 4",
			  end[] = "ffffffff 0 MEMBAR.SC.GPU 0 0";
	struct ct_gpu g, validate;
	(void)state;
	gpu(&g, NULL, NULL);
	gpu(&validate, "llc.write=back_validate", NULL);
	for (int t = 0; t < 2; t++) {
		const struct ct_replay_counts *c = run(&g, timings[t], store, end);
		assert_int_equal(c->dram_read_bytes, LINE);
		assert_int_equal(c->dram_write_bytes, 32);
		assert_int_equal(c->llc_misses, 1);
		c = run(&validate, timings[t], store, end);
		assert_int_equal(c->dram_read_bytes + c->dram_write_bytes, 0);
		/* the second comes while the line is on its way: it goes on, too, and reads nothing */
		c = run(&g, timings[t], store, near_one);
		assert_int_equal(c->dram_read_bytes, LINE);
		assert_int_equal(c->dram_write_bytes, 64);
		assert_int_equal(c->llc_misses, 1);
		assert_int_equal(c->llc_pending, 1);
		c = run(&g, timings[t], store, load); /* finds what the store has asked for */
		assert_int_equal(c->dram_read_bytes, LINE);
		assert_int_equal(c->llc_read_misses, 0);
	}
}

/* A store whose line is there stays in the LLC. */
static void a_hit_stays(void **state)
{
	struct ct_gpu g;
	(void)state;
	gpu(&g, NULL, NULL);
	for (int t = 0; t < 2; t++) {
		struct micro m;
		struct ct_replay_options o = {.timing = timings[t]};
		const char *lines[] = {"ffffffff 1 R5 LDG.E 1 R4 4 1 0x10000000 4",
		                       "ffffffff 1 R6 FFMA 2 R5 R9 0",
		                       "ffffffff 0 STG.E 2 R6 R6 4 1 0x10000000 4"};
		micro_one_warp(&m, 3, lines);
		micro_run(&m, &g, &o, &result);
		assert_int_equal(result.c.dram_read_bytes, LINE);
		assert_int_equal(result.c.dram_write_bytes, 0);
		assert_int_equal(result.c.llc_misses, 1);
	}
}

/* However short the miss queue is set, a store that misses finds room at last. */
static void the_shortest_queue_does(void **state)
{
	struct ct_gpu g;
	(void)state;
	gpu(&g, "llc.miss_queue=1", "llc.mshr_entries=1");
	for (int t = 0; t < 2; t++) {
		const struct ct_replay_counts *c = run(
			&g, timings[t], "ffffffff 0 STG.E 2 R4 R6 4 1 0x10000000 128",
			"ffffffff 0 STG.E 2 R4 R6 4 1 0x10010000 128");
		assert_int_equal(c->llc_misses, 64);
		assert_int_equal(c->dram_read_bytes, 64 * LINE);
		assert_int_equal(c->dram_write_bytes, 64 * LEAST);
	}
}

/* The store is over when its line has come, not before. */
static void a_miss_waits_for_its_line(void **state)
{
	struct ct_gpu g, validate;
	(void)state;
	gpu(&g, NULL, NULL);
	gpu(&validate, "llc.write=back_validate", NULL);
	for (int t = 0; t < 2; t++) {
		uint64_t slow = run_masked(&g, timings[t], "0 STG.E 2 R4 R6", 1)->cycles;
		uint64_t fast = run_masked(&validate, timings[t], "0 STG.E 2 R4 R6", 1)->cycles;
		assert_true(slow >= fast + g.dram_latency);
	}
}

/* Loads of 32 lines each, of one warp after the other, wait for the only collector of memory instructions: that is a part of
 * their latency, which is about the same where nearly all of them find one. */
static void waiting_for_a_collector_is_latency(void **state)
{
	double latency[2];
	(void)state;
	for (int t = 0; t < 2; t++) {
		for (int k = 0; k < 2; k++) {
			struct micro m;
			struct ct_gpu g;
			struct ct_replay_options o = {.timing = timings[t]};
			memset(&m, 0, sizeof m);
			gpu(&g, k ? "sm.memory_collectors=16" : "sm.memory_collectors=1", NULL);
			micro_kernel(&m, "k", 1, 32 * 32, 0, 32);
			micro_cta(&m);
			for (uint32_t w = 0; w < 32; w++) {
				micro_warp(&m, w, 3);
				micro_line(&m, "ffffffff 1 R5 LDG.E 1 R4 4 1 0x%x 128",
				           0x10000000u + 4096 * w);
				micro_line(&m, "ffffffff 1 R6 FFMA 2 R5 R9 0");
				micro_line(&m, "ffffffff 0 EXIT 0 0");
			}
			micro_cta_end(&m);
			micro_run(&m, &g, &o, &result);
			assert_int_equal(result.c.mem_latency_count, 32);
			latency[k] = (double)result.c.mem_latency_sum / 32;
			assert_true((double)result.c.mem_stall_warp_cycles > 0.9 * 32 * latency[k]);
		}
		assert_true(latency[0] > 0.9 * latency[1] && latency[0] < 1.1 * latency[1]);
	}
}

static void refused(void **state)
{
	struct ct_gpu g;
	struct ct_error e;
	(void)state;
	test_gpu(&g, "fermi-15");
	assert_int_equal(ct_gpu_set(&g, "noc.piece=16", &e), 0);
	assert_int_equal(ct_gpu_check(&g, &e), CT_ERR_INPUT);
	assert_int_equal(ct_gpu_set(&g, "noc.piece=48", &e), 0);
	assert_int_equal(ct_gpu_check(&g, &e), CT_ERR_INPUT);
	assert_int_equal(ct_gpu_set(&g, "noc.piece=64", &e), 0);
	assert_int_equal(ct_gpu_check(&g, &e), CT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores_send_pieces),
		cmocka_unit_test(others_do_too),
		cmocka_unit_test(a_miss_reads_its_line),
		cmocka_unit_test(a_hit_stays),
		cmocka_unit_test(the_shortest_queue_does),
		cmocka_unit_test(a_miss_waits_for_its_line),
		cmocka_unit_test(waiting_for_a_collector_is_latency),
		cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
