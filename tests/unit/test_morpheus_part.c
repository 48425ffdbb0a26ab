/* Morpheus in the engine: what an unloaded extended hit takes, that every request is answered
 * and DRAM is read once for what fits, stores and atomics, and that levels change nothing
 * but capacity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/microtrace.h"
#include "models/morpheus/part.h"

enum { SMS = 4, CACHE = 2, TRIP = 282, SERVICE = 316, PORT = 7, LINES = 512 };

static void gpu(struct ct_gpu *g)
{
	struct ct_error e;
	micro_gpu(g, MICRO_RTX3070);
	assert_int_equal(ct_gpu_set(g, "sm.count=4", &e), 0);
	assert_int_equal(ct_gpu_set(g, "l1.size=16KiB", &e), 0);
	if (ct_gpu_check(g, &e) < 0)
		fail_msg("%s", e.text);
}

static struct ct_mo_part_params params(void)
{
	struct ct_mo_part_params p;
	memset(&p, 0, sizeof p);
	p.first_cache_sm = SMS - CACHE;
	p.block_bytes = 128;
	p.mix = (struct ct_morpheus_mix){0.25, 0.25, 0.5};
	p.ext.cache_sms = CACHE;
	p.ext.partitions = 4;
	p.ext.conv_blocks = 1; /* nearly all is extended */
	p.ext.kernel = (struct ct_morpheus_kernel){
		.warps = 48,
		.rf_warps = 32,
		.l1_warps = 16,
		.rf_blocks = 50,
		.l1_blocks = 64,
		.ratio = 1};
	p.ext.filter = (struct ct_mo_filter_params){256, 3, CT_MO_HASH_MIX};
	p.ext.service = SERVICE;
	p.ext.port = PORT;
	p.ext.trip = TRIP;
	p.ext.epoch = 10000;
	return p;
}

struct outcome {
	struct micro_result r;
	struct ct_mo_part_counts part;
	struct ct_mo_extllc_counts ext;
};

/* Runs m with the part on the last SMs, and without it on as many compute SMs. */
static void both(void (*trace)(struct micro *), const struct ct_mo_part_params *p, struct outcome *with,
                 struct micro_result *without)
{
	static const uint8_t owned[SMS] = {0, 0, 1, 1};
	struct ct_gpu g;
	struct ct_error e = {0};
	struct micro m;
	gpu(&g);
	struct ct_mo_part *part = ct_mo_part_new(p, &g, &e);
	if (!part)
		fail_msg("%s", e.text);
	struct ct_replay_parts parts = {.llc = ct_mo_part_llc(part), .owned = owned};
	struct ct_replay_options o = {.parts = &parts};
	trace(&m);
	micro_run(&m, &g, &o, &with->r);
	ct_mo_part_counts(part, &with->part, &with->ext);
	ct_mo_part_free(part);
	parts.llc = NULL;
	trace(&m);
	micro_run(&m, &g, &o, without);
	assert_int_equal(with->r.c.warp_insts, without->c.warp_insts);
	assert_int_equal(with->ext.false_negatives, 0);
}

/* One warp loads a line, then the same line of another L1 set's worth of lines later. */
static void again(struct micro *m)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "again", 1, 32, 0, 32);
	micro_cta(m);
	micro_warp(m, 0, 2 * 256 + 1);
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < 256; i++) /* 32 KiB: twice the L1; each waits for the last */
			micro_line(m, "ffffffff 1 R2 LDG.E 1 R2 4 1 0x%x 4", 0x40000000 + 128 * i);
	micro_line(m, "ffffffff 0 EXIT 0 0");
	micro_cta_end(m);
}

static void unloaded_hit_takes_the_trip(void **state)
{
	static struct outcome x;
	static struct micro_result plain;
	struct ct_mo_part_params p = params();
	(void)state;
	both(again, &p, &x, &plain);
	assert_true(x.ext.reads >= 500);                   /* all but what is conventional */
	assert_int_equal(x.ext.reads, x.part.sectors / 4); /* four sectors share a request */
	assert_int_equal(x.ext.hits, x.ext.reads / 2);
	assert_int_equal(x.ext.misses, x.ext.reads - x.ext.hits);
	assert_int_equal(x.r.c.dram_read_bytes, plain.c.dram_read_bytes);
	/* Nothing queues: the controller has its answer after the trip. */
	uint64_t mean = x.part.latency_sum / x.part.answers;
	assert_in_range(mean, TRIP - 4, TRIP + 12);
	/* The second pass pays that on top of what a conventional hit takes. */
	uint64_t more = x.r.c.cycles - plain.c.cycles, hits = x.ext.hits;
	assert_in_range(more, hits * (TRIP - 4),
	                hits * (TRIP + 16) + x.ext.false_positives * (TRIP + 16));
}

/* Many warps read, store to and update a table that fits the extended LLC, twice. */
static void mixed(struct micro *m)
{
	memset(m, 0, sizeof *m);
	for (int launch = 0; launch < 2; launch++) {
		micro_kernel(m, "mixed", 8, 128, 0, 32);
		for (uint32_t c = 0; c < 8; c++) {
			micro_cta(m);
			for (uint32_t w = 0; w < 4; w++) {
				micro_warp(m, w, 3 * LINES / 32 + 1);
				for (uint32_t i = 0; i < LINES / 32; i++) {
					uint32_t line = 0x40000000 +
					                128 * ((i * 32 + c * 4 + w) % LINES);
					micro_line(m, "ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4", line);
					micro_line(m, "ffffffff 0 STG.E 2 R2 R4 4 1 0x%x 4",
					           line + 0x100000);
					micro_line(m, "0000000f 1 R6 ATOMG.ADD 2 R2 R4 4 1 0x%x 4",
					           line + 0x200000);
				}
				micro_line(m, "ffffffff 0 EXIT 0 0");
			}
			micro_cta_end(m);
		}
	}
}

static void every_kind_of_request_is_answered(void **state)
{
	static struct outcome x;
	static struct micro_result plain;
	struct ct_mo_part_params p = params();
	(void)state;
	for (int predictor = 0; predictor < 3; predictor++) {
		p.ext.predictor = (enum ct_mo_predictor)predictor;
		both(mixed, &p, &x, &plain);
		assert_int_equal(x.r.c.llc_accesses, plain.c.llc_accesses);
		assert_int_equal(x.r.c.llc_read_accesses, plain.c.llc_read_accesses);
		assert_true(x.ext.writes > 0 && x.ext.atomics > 0 && x.ext.reads > 0);
		/* What is read comes from DRAM once; what is stored whole never. */
		assert_in_range(x.r.c.dram_read_bytes, LINES * 128u, 2 * LINES * 128u + 4096);
		assert_int_equal(x.r.c.llc_misses, plain.c.llc_misses);
		if (predictor == CT_MO_PREDICT_NONE)
			assert_int_equal(x.ext.false_positives, x.ext.misses);
		if (predictor == CT_MO_PREDICT_PERFECT)
			assert_int_equal(x.ext.false_positives, 0);
	}
}

static void small_sets_write_back_and_compression_helps(void **state)
{
	static struct outcome small, packed;
	static struct micro_result plain;
	struct ct_mo_part_params p = params();
	(void)state;
	p.ext.kernel = (struct ct_morpheus_kernel){
		.warps = 16, .rf_warps = 16, .rf_blocks = 16, .ratio = 1};
	both(mixed, &p, &small, &plain);
	assert_true(small.ext.dirty > 0);
	assert_true(small.r.c.dram_write_bytes >= 128 * small.ext.dirty / 2);
	assert_true(small.r.c.dram_read_bytes > plain.c.dram_read_bytes);
	p.ext.compression = 1;
	p.ext.epoch = 100;
	both(mixed, &p, &packed, &plain);
	assert_true(packed.ext.hits > small.ext.hits);
	assert_true(packed.r.c.dram_read_bytes < small.r.c.dram_read_bytes);
}

static void refuses_other_blocks(void **state)
{
	struct ct_mo_part_params p = params();
	struct ct_gpu g;
	struct ct_error e = {0};
	(void)state;
	gpu(&g);
	p.block_bytes = 64;
	assert_null(ct_mo_part_new(&p, &g, &e));
	assert_int_equal(e.status, CT_ERR_USAGE);
	p = params();
	p.first_cache_sm = SMS - 1;
	assert_null(ct_mo_part_new(&p, &g, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unloaded_hit_takes_the_trip),
		cmocka_unit_test(every_kind_of_request_is_answered),
		cmocka_unit_test(small_sets_write_back_and_compression_helps),
		cmocka_unit_test(refuses_other_blocks),
	};
	return cmocka_run_group_tests_name("morpheus_part", tests, NULL, NULL);
}
