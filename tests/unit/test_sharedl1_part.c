/* Shared L1s in the replay engine: counts that are known beforehand, over every network, and
 * what must hold between systems. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/microtrace.h"
#include "models/shared_l1/part.h"
#include "tests/support/gpus.h"
#include "tests/support/sharedl1_twin.h"

enum { CTAS = 8, WARPS = 2, LINES = 40, STORES = 1, CORES = 4 };

/* Every warp reads 32 to 128 bytes of each of the same lines, `rounds` times, and stores to its
 * own. */
static void table(struct micro *m, int rounds)
{
	static const char *const lanes[] = {"000000ff", "0000ffff", "00ffffff", "ffffffff"};
	memset(m, 0, sizeof *m);
	micro_kernel(m, "k", CTAS, WARPS * 32, 0, 32);
	for (uint32_t c = 0; c < CTAS; c++) {
		micro_cta(m);
		for (uint32_t w = 0; w < WARPS; w++) {
			micro_warp(m, w, (uint32_t)rounds * LINES * 2 + 2);
			for (int k = 0; k < rounds; k++)
				for (uint32_t i = 0; i < LINES; i++) {
					/* 4 KiB apart: consecutive homes; over 8 sets, so that all fit */
					micro_line(m, "%s 1 R4 LDG.E 1 R2 4 1 0x%x 4", lanes[i / 4 % 4],
					           0x10000000 + 4096 * i + 128 * (i / 4 % 8));
					micro_line(m, "ffffffff 1 R6 FFMA 3 R4 R5 R6 0");
				}
			micro_line(m, "ffffffff 0 STG.E 2 R2 R6 4 1 0x%x 4",
			           0x20000000 + 128 * (c * WARPS + w));
			micro_line(m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(m);
	}
}

struct outcome {
	struct micro_result r;
	struct ct_sl_part_counts c;
};

/* The twin is given what happened and has to come to the same counts. */
struct follower {
	struct twin t;
	uint64_t done[TWIN_WAITS];
	unsigned phases; /* events whose route the twin disagrees with */
};

static unsigned hashed(uint64_t line)
{
	return ct_sl_home(CT_SL_HOMES_HASH, line, 32, 4);
}

static void follow(void *ctx, const struct ct_sl_org_event *ev)
{
	struct follower *f = ctx;
	uint32_t hit, pending;
	if (ev->what == CT_SL_ROUTED)
		f->phases += twin_route(&f->t, ev->from, ev->line) != ev->at;
	else if (ev->what == CT_SL_ACCESSED)
		(void)twin_access(&f->t, ev->at, ev->from, ev->line, ev->mask, ev->is_write, 0, &hit,
		                  &pending);
	else if (ev->what == CT_SL_FILLED)
		(void)twin_fill(&f->t, ev->at, ev->line, ev->mask, f->done);
	else
		twin_flush(&f->t, ev->at);
}

static struct follower *new_follower(const struct ct_gpu *g, enum ct_sl_homes homes)
{
	struct follower *f = calloc(1, sizeof *f);
	assert_non_null(f);
	f->t.organisation = 's';
	f->t.homes = "mfh"[homes];
	f->t.hashed = hashed;
	f->t.cores = g->sms;
	f->t.sets = g->l1.sets;
	f->t.ways = g->l1.ways;
	f->t.reserve = 1;
	assert_true(g->l1.sets <= TWIN_SETS);
	return f;
}

static void agree(const struct follower *f, const struct ct_sl_org_stats *x)
{
	assert_int_equal(f->phases, 0);
	assert_int_equal(x->reads, f->t.reads);
	assert_int_equal(x->read_misses, f->t.read_misses);
	assert_int_equal(x->writes, f->t.writes);
	assert_int_equal(x->write_misses, f->t.write_misses);
	assert_int_equal(x->fills, f->t.fills);
	assert_int_equal(x->replicated, f->t.replicated);
	assert_int_equal(x->landed, f->t.landed);
	assert_int_equal(x->copies, f->t.copies);
}

/* What a system gives for a trace on a GPU beside an LLC organisation, or none; f NULL: nobody follows. */
static void run_beside(const struct ct_llc_part *llc, const struct ct_gpu *g, const char *system,
                       const struct ct_sl_params *params, enum ct_sl_network kind, struct follower *f,
                       struct micro *m, struct outcome *o)
{
	struct ct_sl_place place;
	struct ct_sl_part *p;
	struct ct_error e;
	assert_int_equal(ct_sl_place_spread(&place, g->sms, g->llc_partitions, &e), CT_OK);
	if (ct_sl_part_new(&p, ct_sl_system_at((size_t)ct_sl_system_find(system)), g, params, kind,
	                   &place, &e) != CT_OK)
		fail_msg("%s: %s", system, e.text);
	struct ct_replay_parts parts = *ct_sl_part_parts(p);
	struct ct_replay_options ro = {.parts = &parts};
	parts.llc = llc;
	if (f)
		ct_sl_part_watch(p, follow, f);
	micro_run(m, ct_sl_part_gpu(p), &ro, &o->r);
	ct_sl_part_counts(p, &o->c);
	ct_sl_part_free(p);
}

static void run_part(const struct ct_gpu *g, const char *system, const struct ct_sl_params *params,
                     enum ct_sl_network kind, struct follower *f, struct micro *m, struct outcome *o)
{
	run_beside(NULL, g, system, params, kind, f, m, o);
}

static void run(const char *system, enum ct_sl_network kind, enum ct_sl_homes homes, int rounds,
                struct outcome *o)
{
	struct ct_gpu g;
	struct ct_sl_params params;
	struct micro m;
	test_gpu_sharedl1_small(&g);
	ct_sl_defaults(&params);
	params.homes = homes;
	params.v[CT_SL_SAMPLING] = 8;
	params.v[CT_SL_EXECUTION] = 64;
	int fixed = !strncmp(system, "Shared", 6) || !strcmp(system, "Hypothetical");
	struct follower *f = fixed ? new_follower(&g, homes) : NULL;
	table(&m, rounds);
	run_part(&g, system, &params, kind, f, &m, o);
	if (fixed)
		agree(f, &o->c.org);
	free(f);
	assert_int_equal(o->r.c.warp_insts, CTAS * WARPS * ((uint64_t)rounds * LINES * 2 + 2));
}

static void test_counts(void **state)
{
	static struct outcome o;
	(void)state;
	for (int kind = 0; kind < CT_SL_NETS; kind++)
		for (int homes = 0; homes < CT_SL_HOMES_KINDS; homes++) {
			run("Shared", (enum ct_sl_network)kind, (enum ct_sl_homes)homes, 2, &o);
			uint64_t reads = 2 * LINES * CTAS * WARPS, writes = CTAS * WARPS;
			assert_int_equal(o.c.org.reads, reads);
			assert_int_equal(o.c.org.writes, writes);
			/* One fetch for all cores. */
			assert_int_equal(o.r.c.l1_read_accesses, reads);
			assert_int_equal(o.r.c.l1_read_misses, o.c.org.read_misses);
			assert_int_equal(o.r.c.llc_read_accesses, o.c.org.read_misses);
			assert_int_equal(o.r.c.llc_accesses, o.c.org.read_misses + writes);
			assert_true(homes == CT_SL_HOMES_HASH ? o.c.org.read_misses >= LINES
			                                      : o.c.org.read_misses == LINES);
			assert_int_equal(o.c.org.landed, o.c.org.copies); /* no two copies */
			assert_int_equal(o.c.org.replicated, 0);
			assert_int_equal(o.c.org.local + o.c.org.remote, reads + writes);
			assert_int_equal(o.c.org.past, 0);
			assert_int_equal(o.c.home_bytes, o.c.remote_reads * 128);
		}
	/* Round robin over 4 homes: three of four reads are remote. */
	run("Shared", CT_SL_NET_MESH, CT_SL_HOMES_MOD, 1, &o);
	assert_int_equal(o.c.remote_reads, LINES * CTAS * WARPS * 3 / 4);
	assert_true(o.c.reply_latency > 0);
}

static void test_systems(void **state)
{
	static struct outcome o, chunk, shared, ideal, pp;
	(void)state;
	for (int kind = 0; kind < CT_SL_NETS; kind++) {
		enum ct_sl_network n = (enum ct_sl_network)kind;
		run("Shared", n, CT_SL_HOMES_MOD, 3, &shared);
		run("Shared+Chunk", n, CT_SL_HOMES_MOD, 3, &chunk);
		run("Hypothetical", n, CT_SL_HOMES_MOD, 3, &ideal);
		run("Shared++", n, CT_SL_HOMES_MOD, 3, &pp);
		/* Of 40 lines 12 are asked for 32 bytes each, 12 for 64, 8 for 96 and 8 for 128: 73.6 in the
		 * mean, from every home alike. */
		assert_int_equal(chunk.c.remote_reads, shared.c.remote_reads);
		assert_int_equal(23 * shared.c.home_bytes, 40 * chunk.c.home_bytes);
		assert_true(chunk.c.home_bytes <= shared.c.home_bytes);
		assert_true(chunk.c.flits < shared.c.flits || n == CT_SL_NET_FORWARDED);
		assert_true(ideal.r.c.cycles <= chunk.r.c.cycles);
		if (n == CT_SL_NET_MESH) {
			assert_true(pp.c.org.past > 0);
			assert_int_equal(pp.c.org.past + pp.c.org.local + pp.c.org.remote,
			                 shared.c.org.local + shared.c.org.remote);
		} else {
			assert_int_equal(pp.c.org.past, 0);
			assert_int_equal(pp.c.home_bytes, chunk.c.home_bytes);
		}
	}
	run("Private", CT_SL_NET_MESH, CT_SL_HOMES_MOD, 3, &o);
	assert_true(o.r.c.l1_read_misses >= 4 * LINES); /* every SM fetches every line */
	assert_true(shared.c.org.read_misses < o.r.c.l1_read_misses);
	run("16x-L1", CT_SL_NET_MESH, CT_SL_HOMES_MOD, 3, &ideal);
	assert_true(ideal.r.c.l1_read_misses <= o.r.c.l1_read_misses);
}

static void test_dynamic(void **state)
{
	static const char *const name[] = {"DynAMAT", "DynAMAT+L1MRpr", "DynEB-noguard", "DynEB"};
	static struct outcome o;
	(void)state;
	for (int i = 0; i < 4; i++) {
		run(name[i], CT_SL_NET_MESH, CT_SL_HOMES_MOD, 12, &o);
		assert_true(o.c.org.phases.sampled > 0 && o.c.org.phases.decisions > 0);
		assert_int_equal(o.c.org.reads + o.c.org.writes + o.c.org.past,
		                 12 * LINES * CTAS * WARPS + CTAS * WARPS);
		assert_true(o.c.org.phases.chose_shared <= o.c.org.phases.decisions);
	}
}

/* Private is the GPU itself where that has a mesh: a profile's baseline is Private's replay. */
static void test_private_is_the_gpu(void **state)
{
	static struct outcome o;
	static struct micro_result own;
	static struct micro m;
	struct ct_gpu g;
	(void)state;
	test_gpu_sharedl1_small(&g);
	run("Private", CT_SL_NET_MESH, CT_SL_HOMES_MOD, 3, &o);
	table(&m, 3);
	micro_run(&m, &g, NULL, &own);
	assert_memory_equal(&own.c, &o.r.c, sizeof own.c);
}

/* Address of the k-th line whose home is core c: 32 lines to a home, as the L1 has 32 sets. */
static uint32_t own_line(uint32_t c, uint32_t k)
{
	return 0x10000000 + 4096 * (k / 32 * CORES + c) + 128 * (k % 32);
}

/* Every CTA asks for lines of the home that it runs on: 4 SMs of one CTA each. Its warps miss the same lines together, more
 * often than an MSHR merges, and other lines `stride` apart, more than the L1 holds; and they store to what was read. */
static void own_lines(struct micro *m, uint32_t warps, uint32_t loads, uint32_t stride)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "k", CORES, warps * 32, 0, 32);
	for (uint32_t c = 0; c < CORES; c++) {
		micro_cta(m);
		for (uint32_t w = 0; w < warps; w++) {
			micro_warp(m, w, loads * 2 + loads / 4 + 1);
			for (uint32_t i = 0; i < loads; i++) {
				micro_line(m, "ffffffff 1 R%d LDG.E 1 R2 4 1 0x%x 4", 4 + i % 8,
				           own_line(c, stride * (i / 3 + (i % 3) * w)));
				micro_line(m, "ffffffff 1 R3 FFMA 3 R%d R5 R3 0", i % 4 ? 3 : 4 + i % 8);
				if (i % 4 == 3)
					micro_line(m, "ffffffff 0 STG.E 2 R2 R3 4 1 0x%x 4",
					           own_line(c, stride * (i / 5)));
			}
			micro_line(m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(m);
	}
}

/* The same of a system as it is, with its network over the slices. */
static void run_system(const struct ct_gpu *g, const char *system, struct micro *m,
                       struct micro_result *r)
{
	static struct outcome o;
	struct ct_sl_params params;
	ct_sl_defaults(&params);
	run_part(g, system, &params, CT_SL_NET_FORWARDED, NULL, m, &o);
	*r = o.r;
}

static uint64_t cycles_of(const struct ct_gpu *g, uint32_t warps, uint32_t stride, const char *system)
{
	static struct micro m;
	static struct micro_result r;
	own_lines(&m, warps, 4 * warps, stride);
	run_system(g, system, &m, &r);
	return r.c.cycles;
}

/* Where each core asks for what it is itself home to, sharing changes nothing: the limits of the homes are those of the
 * engine's L1, to the cycle, in every write policy that such an L1 has. */
static void test_own_homes_are_private(void **state)
{
	static const char *const setting[] = {
		"l1.mshr_merge=8", "l1.mshr_merge=2", "l1.mshr_entries=3",
		"l1.miss_queue=2", "l1.write=evict",
	};
	struct ct_gpu g;
	struct ct_error e;
	unsigned limited = 0;
	(void)state;
	for (size_t i = 0; i < sizeof setting / sizeof setting[0]; i++)
		for (uint32_t stride = 1; stride <= 8; stride *= 8) {
			uint64_t usual;
			test_gpu_sharedl1_small(&g);
			assert_int_equal(ct_gpu_set(&g, "sm.max_ctas=1", &e), CT_OK);
			usual = cycles_of(&g, 12, stride, "Private");
			assert_int_equal(ct_gpu_set(&g, setting[i], &e), CT_OK);
			assert_int_equal(cycles_of(&g, 12, stride, "Shared"),
			                 cycles_of(&g, 12, stride, "Private"));
			limited += cycles_of(&g, 12, stride, "Private") > usual;
		}
	assert_true(limited >= 3); /* the limits are felt, or this proves nothing */
}

/* Loads and stores of any widths, strides and sets of lanes over few lines: parts of sectors, of lines and whole ones, that
 * meet in banks, in MSHRs and in sets. */
static void anything(struct micro *m, uint32_t seed, uint32_t warps, uint32_t insts, uint32_t lines)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "k", 2, warps * 32, 0, 32);
	for (uint32_t c = 0; c < 2; c++) {
		micro_cta(m);
		for (uint32_t w = 0; w < warps; w++) {
			micro_warp(m, w, insts + 1);
			for (uint32_t i = 0; i < insts; i++) {
				seed = seed * 1664525 + 1013904223;
				uint32_t width = 1u << (seed >> 28 & 1) * 2 << (seed >> 29 & 1),
					 at = seed >> 8;
				uint32_t stride = width * (seed >> 27 & 1 ? 1 : seed >> 25 & 1 ? 3 : 33);
				uint32_t mask = seed >> 5 & 1 ? 0xffffffffu
				                              : 0xffu << (seed >> 3 & 3) * 8;
				uint32_t address = 0x10000000 + at % (lines * 128) / width * width;
				if ((seed >> 6 & 3) == 0)
					micro_line(m, "%08x 0 STG.E 2 R2 R3 %u 1 0x%x %u", mask, width,
					           address, stride);
				else
					micro_line(m, "%08x 1 R%u LDG.E 1 R2 %u 1 0x%x %u", mask,
					           4 + i % 8, width, address, stride);
			}
			micro_line(m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(m);
	}
}

/* One SM is home to every line: its L1 is the private one, sectored or not, to the cycle and in each count, and within 2 %
 * where the L1 is so small that most lines leave again at once. */
static void test_one_core(void **state)
{
	static const char *const gpu[] = {"fermi-15", "sharedl1-28", "rtx3080", "rtx2060-third"};
	static const char *const setting[] = {
		"l1.mshr_merge=48", "l1.mshr_merge=2", "l1.mshr_entries=5",
		"l1.miss_queue=4",  "l1.size=16KiB",
	};
	static struct micro m;
	static struct micro_result own, shared;
	struct ct_gpu g;
	struct ct_error e;
	uint64_t most = 0, least = UINT64_MAX;
	(void)state;
	for (uint32_t i = 0; i < 4 * 5; i++) {
		test_gpu(&g, gpu[i % 4]);
		assert_int_equal(ct_gpu_set(&g, "sm.count=1", &e), CT_OK);
		assert_int_equal(ct_gpu_set(&g, setting[i / 4], &e), CT_OK);
		assert_int_equal(ct_gpu_check(&g, &e), CT_OK);
		anything(&m, i, 6, 60, i / 4 == 4 ? 400 : 60);
		run_system(&g, "Private", &m, &own);
		for (const char *const *s =
		             (const char *const[]){"Shared", "DynEB", "Hypothetical", NULL};
		     *s; s++) {
			anything(&m, i, 6, 60, i / 4 == 4 ? 400 : 60);
			run_system(&g, *s, &m, &shared);
			if (i / 4 == 4) { /* lines leave while requests for them wait: nearly */
				assert_true(fabs((double)shared.c.cycles / (double)own.c.cycles - 1) <
				            0.02);
				continue;
			}
			assert_int_equal(shared.c.cycles, own.c.cycles);
			assert_int_equal(shared.c.l1_accesses, own.c.l1_accesses);
			assert_int_equal(shared.c.l1_misses, own.c.l1_misses);
			assert_int_equal(shared.c.l1_pending, own.c.l1_pending);
			assert_int_equal(shared.c.l1_line_accesses, own.c.l1_line_accesses);
			assert_int_equal(shared.c.l1_line_misses, own.c.l1_line_misses);
		}
		most = own.c.cycles > most ? own.c.cycles : most;
		least = own.c.cycles < least ? own.c.cycles : least;
	}
	assert_true(most > 2 * least); /* the limits are felt */
}

/* Several SMs that store to parts of sectors which others wait for: each request is answered once. */
static void test_stores_meet_loads(void **state)
{
	static struct micro m;
	static struct micro_result r;
	struct ct_gpu g;
	struct ct_error e;
	(void)state;
	for (uint32_t seed = 0; seed < 4; seed++) {
		test_gpu(&g, "rtx3080");
		assert_int_equal(ct_gpu_set(&g, "sm.count=2", &e), CT_OK);
		assert_int_equal(ct_gpu_set(&g, "sm.max_ctas=1", &e), CT_OK);
		assert_int_equal(ct_gpu_check(&g, &e), CT_OK);
		anything(&m, seed, 6, 60, 8);
		run_system(&g, "Shared", &m, &r);
		assert_int_equal(r.c.warp_insts, 2 * 6 * 61);
	}
}

/* SM 0 reads lines of private sets that nobody has, a new one with each lane, and SM 1 lines of shared sets whose home is
 * SM 0: while DynEB samples, both need MSHRs of SM 0. */
static void stream_beside_remote(struct micro *m)
{
	enum { STREAM = 24, ASKED = 16, STREAMERS = 8 };
	memset(m, 0, sizeof *m);
	micro_kernel(m, "k", 2, STREAMERS * 32, 0, 32);
	micro_cta(m);
	for (uint32_t w = 0; w < STREAMERS; w++) {
		micro_warp(m, w, STREAM + 1);
		for (uint32_t i = 0; i < STREAM; i++)
			micro_line(m, "ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x 256", 4 + i % 8,
			           0x10000000 + 8192 * (w * STREAM + i));
		micro_line(m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(m);
	micro_cta(m);
	for (uint32_t w = 0; w < STREAMERS; w++) {
		micro_warp(m, w, w ? 1 : ASKED + 1);
		for (uint32_t i = 0; !w && i < ASKED; i++)
			micro_line(m, "ffffffff 1 R4 LDG.E 1 R4 4 1 0x%x 4",
			           0x20000000 + 4096 * CORES * i + 128);
		micro_line(m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(m);
}

/* Where misses take turns at the MSHRs, a remote request waits for a few of the home's own fetches, not for all. */
static void test_turns(void **state)
{
	static struct outcome o[2];
	struct ct_sl_params params;
	struct ct_gpu g;
	struct ct_error e;
	struct micro m;
	(void)state;
	for (int turns = 0; turns < 2; turns++) {
		test_gpu_sharedl1_small(&g);
		assert_int_equal(ct_gpu_set(&g, "l1.mshr_entries=4", &e), CT_OK);
		assert_int_equal(ct_gpu_set(&g, "sm.max_ctas=1", &e), CT_OK);
		ct_sl_defaults(&params);
		params.v[CT_SL_TURNS] = turns;
		stream_beside_remote(&m);
		run_part(&g, "DynEB", &params, CT_SL_NET_MESH, NULL, &m, &o[turns]);
		assert_true(o[turns].c.remote_reads > 0);
	}
	if (!(o[1].c.queue_waits * 4 < o[0].c.queue_waits))
		fail_msg("%llu cycles in queues, %llu with turns",
		         (unsigned long long)o[0].c.queue_waits, (unsigned long long)o[1].c.queue_waits);
}

static enum ct_llc_outcome
pass_everything(void *ctx, struct ct_replay *r, const struct ct_llc_request *q, uint64_t cycle)
{
	(void)r;
	(void)q;
	(void)cycle;
	++*(unsigned *)ctx;
	return CT_LLC_PASS;
}

/* Beside an LLC organisation, which could have something at a slice or an SM in the same cycle, messages and timers of shared
 * L1s are events among others. One that does nothing changes no cycle and no count. */
static void test_beside_an_llc(void **state)
{
	static const char *const system[] = {"Shared", "DynEB"};
	static struct outcome alone, beside;
	static struct micro m;
	unsigned asked = 0;
	const struct ct_llc_part llc = {.part.ctx = &asked, .access = pass_everything};
	struct ct_sl_params params;
	struct ct_gpu g;
	struct ct_error e;
	(void)state;
	ct_sl_defaults(&params);
	params.v[CT_SL_SAMPLING] = 8;
	params.v[CT_SL_EXECUTION] = 64;
	for (uint32_t i = 0; i < 4; i++) {
		test_gpu_sharedl1_small(&g);
		if (i >= 2) /* requests are refused at their homes */
			assert_int_equal(ct_gpu_set(&g, "l1.miss_queue=2", &e), CT_OK);
		anything(&m, i, 8, 60, 96);
		run_part(&g, system[i % 2], &params, CT_SL_NET_FORWARDED, NULL, &m, &alone);
		anything(&m, i, 8, 60, 96);
		run_beside(&llc, &g, system[i % 2], &params, CT_SL_NET_FORWARDED, NULL, &m, &beside);
		assert_true(alone.c.remote_reads > 100 && alone.c.queue_waits > 0);
		assert_memory_equal(&alone.r.c, &beside.r.c, sizeof alone.r.c);
		assert_int_equal(alone.c.queue_waits, beside.c.queue_waits);
		assert_int_equal(alone.c.org.read_misses, beside.c.org.read_misses);
	}
	assert_true(asked > 0);
}

/* The same run twice gives the same cycles. */
static void test_repeats(void **state)
{
	static struct outcome a, b;
	(void)state;
	run("DynEB", CT_SL_NET_MESH, CT_SL_HOMES_MOD, 4, &a);
	run("DynEB", CT_SL_NET_MESH, CT_SL_HOMES_MOD, 4, &b);
	assert_int_equal(a.r.c.cycles, b.r.c.cycles);
	assert_int_equal(a.c.flit_hops, b.c.flit_hops);
}

/* A line's pieces of 32 bytes are a mask of 32 bits. */
static void test_long_lines(void **state)
{
	struct ct_gpu g;
	struct ct_sl_params params;
	struct ct_sl_place place;
	struct ct_sl_part *p;
	struct ct_error e;
	(void)state;
	test_gpu_sharedl1_small(&g);
	ct_sl_defaults(&params);
	assert_int_equal(ct_sl_place_spread(&place, g.sms, g.llc_partitions, &e), CT_OK);
	for (g.l1.line = g.l1.sector = 1024; g.l1.line <= 2048; g.l1.line *= 2, g.l1.sector *= 2)
		for (const char *const *s = (const char *const[]){"Private", "Shared", "DynEB", NULL};
		     *s; s++) {
			const struct ct_sl_system *system = ct_sl_system_at(
				(size_t)ct_sl_system_find(*s));
			int st = ct_sl_part_new(&p, system, &g, &params, CT_SL_NET_MESH, &place, &e);
			assert_int_equal(st, system->shared && g.l1.line > 1024 ? CT_ERR_USAGE : CT_OK);
			ct_sl_part_free(p);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),        cmocka_unit_test(test_systems),
		cmocka_unit_test(test_dynamic),       cmocka_unit_test(test_private_is_the_gpu),
		cmocka_unit_test(test_turns),         cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_long_lines),    cmocka_unit_test(test_own_homes_are_private),
		cmocka_unit_test(test_one_core),      cmocka_unit_test(test_stores_meet_loads),
		cmocka_unit_test(test_beside_an_llc),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
