/* Arithmetic of the paper, reuse bits, plans, the STHLD machine, bounds, measuring a replay. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/microtrace.h"
#include "base/hash.h"
#include "locality/regs.h"
#include "models/malekeh/estimate.h"
#include "models/malekeh/parts.h"
#include "models/malekeh/plan.h"
#include "tests/support/gpus.h"

static struct ct_gpu third(void)
{
	struct ct_gpu g;
	test_gpu(&g, "rtx2060-third");
	return g;
}

static const struct ct_mk_system *named(const char *name)
{
	int i = ct_mk_system_find(name);
	assert_true(i >= 0);
	return ct_mk_system_at((size_t)i);
}

/* The arithmetic of doc/papers/malekeh.md. */
static void arithmetic(void **state)
{
	struct ct_gpu g = third();
	(void)state;
	uint64_t bow = ct_mk_cache_bytes(named("BOW"), &g), registers = ct_gpu_register_bytes(&g);
	assert_int_equal(ct_mk_added_bytes(named("Malekeh"), &g), 2048);     /* 2 KB more per SM */
	assert_true(2048.0 / (double)registers == 0.0078125);                /* 0.78 % of it */
	assert_int_equal(ct_mk_cache_bytes(named("Malekeh"), &g) / 4, 2048); /* tables of a sub-core */
	assert_int_equal(named("BOW")->window * CT_MK_BOC_SLOTS * CT_MK_VALUE_BYTES,
	                 3072);               /* 3 KB a collector */
	assert_int_equal(bow / 4, 24 * 1024); /* 24 KB a sub-core */
	assert_int_equal(bow, 96 * 1024);
	assert_int_equal(bow / ct_mk_cache_bytes(named("Malekeh"), &g), 12);
	assert_int_equal(1000 * ct_mk_cache_bytes(named("Malekeh"), &g) / bow, 83);
	assert_int_equal(ct_mk_cache_bytes(named("Malekeh_PR"), &g) / 4, 8 * 1024); /* a third of BOW */
	assert_int_equal(3 * ct_mk_cache_bytes(named("Malekeh_PR"), &g), bow);
	assert_int_equal(11 * CT_MK_BOC_SLOTS * CT_MK_VALUE_BYTES,
	                 11264);                                  /* eleven tensor instructions */
	assert_int_equal(g.schedulers * named("RFC")->active, 8); /* active warps */
	assert_int_equal(ct_gpu_max_warps(&g) - 8, 24);
	struct ct_mk_machine m;
	struct ct_mk_params p;
	ct_mk_machine_of(&g, &m);
	ct_mk_defaults(&p);
	/* the crossbar's crossings: 2 x 8 against 2 x 2 */
	double two = ct_mk_crossbar_pj(named("OCU"), &m, 8, &p);
	assert_true(ct_mk_crossbar_pj(named("BOW"), &m, 8, &p) == 4 * two);
	/* 8 collectors over 2 are the anchor, 2.83; 16 are then 5.27, where 5.19 is printed (I) */
	struct ct_mk_system sixteen = *named("OCU");
	sixteen.collectors = 16;
	struct ct_mk_counts c = {.bank_reads = 1000, .slots = 1000};
	double reads = ct_mk_energy_pj(&c, named("OCU"), &m, 8, &p);
	assert_true(fabs(ct_mk_energy_pj(&c, named("OCU-8"), &m, 8, &p) / reads - 2.83) < 1e-9);
	assert_true(fabs(ct_mk_energy_pj(&c, &sixteen, &m, 8, &p) / reads - 5.27) < 0.005);
	assert_true(ct_mk_added_bytes(named("OCU"), &g) == 0);
}

/* ---- streams by hand ---- */

/* "d a b": one instruction, registers as numbers, first the result, -1: none. */
static void add(struct ct_mk_stream *s, uint32_t sid, int d, int a, int b, int slow)
{
	struct ct_gpu g;
	struct ct_sinst i = {.opcode = "X", .unit = slow ? CT_CLASS_MEM : CT_CLASS_SP, .pc = 16 * sid};
	ct_gpu_defaults(&g);
	if (slow) {
		i.space = CT_SPACE_GLOBAL;
		i.access = CT_ACCESS_LOAD;
	}
	if (d >= 0)
		i.dst[i.ndst++] = (ct_reg)d;
	if (a >= 0)
		i.src[i.nsrc++] = (ct_reg)a;
	if (b >= 0)
		i.src[i.nsrc++] = (ct_reg)b;
	assert_non_null(ct_mk_stream_op(s, &g, sid, &i));
	assert_true(ct_mk_stream_add(s, 0, sid) >= 0);
}

static void begin(struct ct_mk_stream *s)
{
	memset(s, 0, sizeof *s);
	assert_int_equal(ct_mk_stream_cta(s), 0);
	assert_int_equal(ct_mk_stream_warp(s, 0, 0), 0);
	s->resident = 1;
}

static void reuse_bits(void **state)
{
	struct ct_mk_stream s;
	struct ct_error e = {0};
	(void)state;
	begin(&s);
	add(&s, 0, 1, 2, 3, 0); /* R1 near (next), R2 read 2 later, R3 overwritten before a read */
	add(&s, 1, 3, 1, -1, 0);
	add(&s, 2, 4, 2, 3, 0);
	add(&s, 3, 5, 4, 4, 0);
	assert_int_equal(ct_mk_stream_seal(&s, &e), CT_OK);
	assert_int_equal(ct_mk_stream_oracle(&s, 2, &e), CT_OK);
	const uint32_t dst = 1u << CT_MK_BIT_DST, *b = s.warp[0].bits;
	assert_int_equal(b[0], dst | 1); /* R1, R2: near; R3: never read again */
	assert_int_equal(b[1], dst);     /* R3 is read by the next; R1 no more */
	assert_int_equal(b[2], dst);
	assert_int_equal(b[3], 0);
	assert_int_equal(ct_mk_stream_oracle(&s, 1, &e), CT_OK);
	assert_int_equal(s.warp[0].bits[0], dst); /* R2 is two away now */
	assert_int_equal(ct_mk_stream_lives(&s, &e), CT_OK);
	assert_int_equal(s.warp[0].life[0], 2); /* R1: last read by instruction 1 */
	assert_int_equal(s.warp[0].life[1], 3);
	assert_int_equal(s.warp[0].life[2], 4);
	assert_int_equal(s.warp[0].life[3], 0);
	ct_mk_stream_free(&s);
}

/* Near twice, far once: near. Tie: far. */
static void majority(void **state)
{
	struct ct_mk_stream s;
	struct ct_error e = {0};
	(void)state;
	begin(&s);
	add(&s, 0, 1, 9, -1, 0);
	add(&s, 1, 2, 1, -1, 0);
	for (int i = 0; i < 4; i++) { /* the same two again, the last time without a reader */
		assert_true(ct_mk_stream_add(&s, 0, 0) >= 0);
		if (i < 1)
			assert_true(ct_mk_stream_add(&s, 0, 1) >= 0);
	}
	assert_int_equal(ct_mk_stream_seal(&s, &e), CT_OK);
	assert_int_equal(ct_mk_stream_oracle(&s, 12, &e), CT_OK);
	assert_int_equal(ct_mk_stream_profile(&s, 0, &e), CT_OK);
	/* five times: R1 is read after two of them; R9 is read again after four */
	assert_int_equal(s.op[0].mask >> CT_MK_BIT_DST & 1, 0);
	assert_int_equal(s.op[0].mask & 1, 1);
	assert_int_equal(s.op[1].mask, 0);
	ct_mk_stream_free(&s);
}

static void strands(void **state)
{
	struct ct_mk_stream s;
	struct ct_error e = {0};
	(void)state;
	begin(&s);
	add(&s, 0, 1, 8, 9, 0); /* R1: read twice at once, then dead */
	add(&s, 1, 2, 1, 1, 0);
	add(&s, 2, 3, 2, -1, 1); /* load R3 by R2 */
	add(&s, 3, 4, 3, 8, 0);  /* waits for it: another strand; R8 from the banks again */
	add(&s, 4, 5, 4, 3, 0);
	assert_int_equal(ct_mk_stream_seal(&s, &e), CT_OK);
	assert_int_equal(ct_mk_stream_lives(&s, &e), CT_OK);
	assert_int_equal(ct_mk_plan_strands(&s, &e), CT_OK);
	const struct ct_mk_strand *p = s.warp[0].plan->strand;
	assert_int_equal(p[0].hit, 0);
	assert_int_equal(p[0].keep, 1);
	assert_int_equal(p[0].bank, 0); /* R1 dies inside */
	assert_int_equal(p[1].hit, 3);  /* both slots */
	assert_int_equal(p[2].hit, 1);  /* R2 */
	assert_int_equal(p[2].bank, 1); /* a load's result goes to the banks */
	assert_int_equal(p[3].hit, 0);
	assert_int_equal(p[3].fill, 1); /* R3 is read again: kept */
	assert_int_equal(p[4].hit, 3);
	ct_mk_stream_free(&s);
}

/* Reads and more results than are planned, for longer than a strand is planned for. */
static void strands_of_many_operands(void **state)
{
	enum { INSTS = 300 };
	struct ct_mk_stream s;
	struct ct_error e = {0};
	struct ct_gpu g;
	(void)state;
	begin(&s);
	ct_gpu_defaults(&g);
	for (uint32_t sid = 0; sid < INSTS; sid++) {
		struct ct_sinst i = {.opcode = "HGMMA.64x256x16.F32",
		                     .unit = CT_CLASS_TENSOR,
		                     .pc = 16 * sid,
		                     .ndst = 1,
		                     .nsrc = 1,
		                     .dst_regs = {64},
		                     .src_regs = {4}};
		i.src[0] = (ct_reg)(sid % 2 ? 192 : 196);
		const struct ct_mk_op *o = ct_mk_stream_op(&s, &g, sid, &i);
		assert_non_null(o);
		assert_true(o->ndst >= CT_MK_PLAN_SLOTS);
		assert_true(ct_mk_stream_add(&s, 0, sid) >= 0);
	}
	assert_int_equal(ct_mk_stream_seal(&s, &e), CT_OK);
	assert_int_equal(ct_mk_stream_lives(&s, &e), CT_OK);
	assert_int_equal(ct_mk_plan_strands(&s, &e), CT_OK);
	const struct ct_mk_strand *p = s.warp[0].plan->strand;
	assert_int_equal(p[0].fill, 7); /* R196 to R198, which come again */
	for (uint32_t k = 0; k < INSTS; k++)
		assert_int_equal(p[k].keep, 0); /* nothing reads a result */
	ct_mk_stream_free(&s);
}

static void ranges(void **state)
{
	struct ct_mk_stream s;
	struct ct_error e = {0};
	(void)state;
	begin(&s);
	add(&s, 0, 1, 2, 3, 0);
	add(&s, 1, 4, 1, 2, 0);
	add(&s, 2, 5, 4, 6, 0); /* a fifth and sixth register: a new interval of four */
	add(&s, 3, 5, 5, 1, 0);
	assert_int_equal(ct_mk_stream_seal(&s, &e), CT_OK);
	assert_int_equal(ct_mk_plan_ranges(&s, 4, &e), CT_OK);
	const struct ct_mk_plan *p = s.warp[0].plan;
	assert_int_equal(p->ranges, 3);          /* two and the end mark */
	assert_int_equal(p->range[0].reads, 2);  /* R2, R3 */
	assert_int_equal(p->range[0].writes, 2); /* R1, R4 live on */
	assert_int_equal(p->range[1].first, 2);
	assert_int_equal(p->range[1].reads, 3);  /* R4, R6, R1 */
	assert_int_equal(p->range[1].writes, 0); /* R5 is dead */
	ct_mk_stream_free(&s);
}

/* ---- the machine ---- */

static void load_table(struct ct_mk_sthld_table *t)
{
	struct ct_error e = {0};
	char path[1024];
	if (ct_mk_sthld_load(t, test_data("malekeh/sthld.tsv", path, sizeof path), &e) < 0)
		fail_msg("%s", e.text);
}

/* Flat up to the knee, then 6 % of the flat IPC less for each step. */
static double curve(double flat, int knee, int value)
{
	double ipc = value <= knee ? flat : flat * (1 - 0.06 * (value - knee));
	return ipc > 0.1 * flat ? ipc : 0.1 * flat;
}

static unsigned until_held(const struct ct_mk_sthld_table *t, struct ct_mk_sthld *m, double flat,
                           int knee)
{
	for (unsigned n = 1; n < 60; n++) {
		ct_mk_sthld_step(t, m, curve(flat, knee, m->value));
		if (m->state == 6 && m->value == knee)
			return n;
	}
	return 0;
}

/* What the reconstruction was checked with (reading sthld-table). */
static void converges_at_the_knee(void **state)
{
	struct ct_mk_sthld_table t;
	struct ct_mk_sthld m;
	(void)state;
	load_table(&t);
	ct_mk_sthld_start(&t, &m);
	assert_int_equal(m.value, 0);
	assert_in_range(until_held(&t, &m, 1, 5), 1, 12);
	for (int i = 0; i < 20; i++) {
		ct_mk_sthld_step(&t, &m, curve(1, 5, m.value));
		assert_int_equal(m.value, 5); /* held */
	}
	assert_in_range(until_held(&t, &m, 1, 2), 1, 10);
	ct_mk_sthld_start(&t, &m);
	until_held(&t, &m, 1, 5);
	assert_in_range(until_held(&t, &m, 1.2, 10), 1, 14);
	for (int i = 0; i < 500; i++) { /* whatever comes, it stays within its limits */
		ct_mk_sthld_step(&t, &m, (double)(ct_mix64((uint64_t)i) % 100));
		assert_in_range(m.value, t.lowest, t.highest);
		assert_in_range(m.state, 1, 6);
	}
}

static void bad_tables(void **state)
{
	static const char *const bad[] = {
		"",
		"start\t1\t0\t0\t64\nthreshold\t0.02\n",
		"7\tS\t1\t0\n",
		"1\tX\t1\t0\n",
		"1\tS\t1\n",
		"start\t1\t70\t0\t64\n",
		"1\tS\t1\t1.5\n",
		"threshold\t0\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ct_mk_sthld_table t;
		struct ct_error e = {0};
		assert_int_equal(ct_mk_sthld_parse(&t, "x", bad[i], strlen(bad[i]), &e), CT_ERR_INPUT);
		assert_non_null(strstr(e.text, "x:"));
	}
}

/* ---- bounds ---- */

/* Cycles of the stream where operands are there at once. */
static uint64_t ideal_cycles(struct ct_mk_stream *s)
{
	const struct ct_mk_system *sys = ct_mk_system_at((size_t)ct_mk_system_find("OCU-ideal"));
	struct ct_mk_machine m = {.cores = 1, .banks = 2, .interval = 10000};
	struct ct_mk_state st;
	struct ct_mk_counts c = {0};
	struct ct_error e = {0};
	ct_mk_state_start(&st, &m, 1);
	assert_int_equal(ct_mk_prepare(s, sys, &e), CT_OK);
	assert_int_equal(ct_mk_run(s, sys, &m, &st, &c, &e), CT_OK);
	return c.cycles;
}

/* The same stream through reuse's histograms and through the organisations: BOW is exact,
 * nothing finds what is read first, banks and schedulers need their cycles. */
static void bounds_hold(void **state)
{
	uint64_t seed = 21;
	struct ct_gpu g;
	(void)state;
	ct_gpu_defaults(&g);
	for (int round = 0; round < 12; round++) {
		static struct ct_hist insts, distinct;
		static struct ct_regs regs;
		struct ct_mk_stream s;
		struct ct_sinst code[24];
		struct ct_error e = {0};
		memset(&insts, 0, sizeof insts);
		memset(&distinct, 0, sizeof distinct);
		ct_regs_reset(&regs);
		begin(&s);
		unsigned span = 4 + (unsigned)(ct_rand64(&seed) % 28);
		for (uint32_t sid = 0; sid < 24; sid++) {
			code[sid] = (struct ct_sinst){.opcode = "X",
			                              .unit = CT_CLASS_SP,
			                              .ndst = 1,
			                              .nsrc = (uint8_t)(1 + ct_rand64(&seed) % 3)};
			code[sid].dst[0] = (ct_reg)(ct_rand64(&seed) % span);
			for (unsigned k = 0; k < code[sid].nsrc; k++)
				code[sid].src[k] = (ct_reg)(ct_rand64(&seed) % span);
			assert_non_null(ct_mk_stream_op(&s, &g, sid, &code[sid]));
		}
		for (unsigned i = 0; i < 600; i++) {
			uint32_t sid = (uint32_t)(ct_rand64(&seed) % 24);
			ct_regs_step(&regs, &code[sid], &insts, &distinct);
			ct_mk_stream_add(&s, 0, sid);
		}
		assert_int_equal(ct_mk_stream_seal(&s, &e), CT_OK);
		uint64_t least = ideal_cycles(&s);
		for (size_t i = 0; i < CT_MK_SYSTEMS; i++) {
			struct ct_mk_system sys = *ct_mk_system_at(i);
			struct ct_mk_machine m = {.cores = 1, .banks = 2, .interval = 10000};
			struct ct_mk_state st;
			struct ct_mk_counts c = {0};
			if (sys.kind == CT_MK_BOC)
				sys.window = 1 + (uint32_t)round % 8;
			sys.sthld = 2;
			ct_mk_state_start(&st, &m, 1);
			assert_int_equal(ct_mk_prepare(&s, &sys, &e), CT_OK);
			assert_int_equal(ct_mk_run(&s, &sys, &m, &st, &c, &e), CT_OK);
			struct ct_mk_bound b = ct_mk_hit_bound(&sys, &insts, &distinct);
			double hit = (double)(c.hits - c.repeats) / (double)(c.slots - c.repeats);
			if (sys.kind == CT_MK_BOC)
				assert_true(hit == b.hit && b.hit == b.most);
			else if (sys.kind == CT_MK_CCU)
				assert_true(hit <= b.most);
			assert_true(c.cycles >= ct_mk_least_cycles(&c, &sys, &m));
			if (sys.collectors == 2)
				assert_true(c.cycles >= least);
		}
		ct_mk_stream_free(&s);
	}
}

/* ---- in the full engine ---- */

enum { LOOPS = 40, CHAIN_INSTS = 480 };

/* Two CTAs of eight warps: accumulate, load, store. */
static void program(struct micro *m)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "k", 2, 256, 0, 32);
	for (int cta = 0; cta < 2; cta++) {
		micro_cta(m);
		for (uint32_t w = 0; w < 8; w++) {
			micro_warp(m, w, 4 * LOOPS + 1);
			for (int i = 0; i < LOOPS; i++) {
				micro_line(m, "ffffffff 1 R4 FFMA 3 R5 R7 R4 0");
				micro_line(m, "ffffffff 1 R9 FADD 2 R4 R11 0");
				micro_line(m, "ffffffff 1 R5 LDG.E 1 R3 4 1 0x7f%02u%02u000000 4", w,
				           (unsigned)i);
				micro_line(m, "ffffffff 0 STS 2 R13 R9 4 1 0x0 4");
			}
			micro_line(m, "ffffffff 0 EXIT 0 0");
		}
		micro_cta_end(m);
	}
}

static void parts_in_the_engine(void **state)
{
	static struct micro_result r;
	struct ct_gpu g = third();
	struct ct_mk_sthld_table table;
	struct ct_mk_params params;
	uint64_t slots = 2 * 8 * LOOPS * 8, results = 2 * 8 * LOOPS * 3;
	(void)state;
	load_table(&table);
	for (size_t i = 0; i < CT_MK_SYSTEMS; i++) {
		const struct ct_mk_system *s = ct_mk_system_at(i);
		struct ct_mk_parts *p = NULL;
		struct ct_mk_counts c;
		struct ct_error e = {0};
		struct micro m;
		ct_mk_defaults(&params);
		params.v[CT_MK_P_INTERVAL] = 500;
		int st = ct_mk_parts_new(&p, s, &g, &params, NULL, &table, 1, &e);
		if (!ct_mk_parts_can(s)) {
			assert_int_equal(st, CT_ERR_UNSUPPORTED);
			continue;
		}
		assert_int_equal(st, CT_OK);
		struct ct_replay_options o = {.parts = ct_mk_parts_table(p)};
		program(&m);
		micro_run(&m, &g, &o, &r);
		ct_mk_parts_counts(p, &c);
		assert_int_equal(c.insts, r.c.warp_insts);
		assert_int_equal(c.slots, slots);
		assert_int_equal(c.results, results);
		if (s->kind ==
		    CT_MK_LTRF) /* what it fetches again after each load stays until the next */
			assert_true(c.bank_reads == c.cache_fills && c.hits < c.slots &&
			            c.bank_reads > c.slots - c.hits);
		else
			assert_int_equal(c.hits + c.bank_reads, c.slots);
		if (s->kind == CT_MK_RFC) {
			/* the load's result goes past the cache; a value that is overwritten there never leaves */
			assert_int_equal(c.cache_writes, results / 3 * 2);
			assert_true(c.demotions > 0 && c.bank_writes <= c.results);
			assert_true(c.hits > 0);
		} else if (s->kind == CT_MK_LTRF) {
			assert_true(c.demotions > 0 && c.bank_writes <= c.results);
		} else { /* SW-RFC without planned code keeps nothing */
			assert_int_equal(c.bank_writes, c.results);
		}
		assert_true(c.cycles == 0 && r.c.cycles > r.c.launch_cycles);
		if (s->kind == CT_MK_OCU)
			assert_int_equal(c.hits, 0);
		/* a window of three: R4 in FFMA (3 back), R4 in FADD, R9 in STS; R5 two back; not R7,
		 * R11, R3, R13; nothing in the first round but R4 and R9 */
		if (s->kind == CT_MK_BOC)
			assert_int_equal(c.hits, 2 * 8 * (4 * LOOPS - 2));
		ct_mk_parts_free(p);
	}
}

/* Eight warps a sub-core, each with `chains` chains of FFMA that take turns, so that dependent instructions are that far
 * apart. */
struct chains {
	unsigned chains;
	int one_bank; /* all registers of a warp lie in the same bank */
	int own; /* each chain reads a register of its own and its sum twice, both of one bank, and none that all
	                         share */
	int near;             /* all operands are near; else all are far */
	enum ct_mk_data data; /* which warps come first */
	int in_turn;          /* the GPU's schedulers are round robin */
	unsigned accesses;    /* of a bank in a cycle; 0: one */
};

static void chain_params(const struct chains *x, struct ct_mk_params *params)
{
	ct_mk_defaults(params);
	params->v[CT_MK_P_INTERVAL] = 500;
	params->v[CT_MK_P_PRIORITY] = x->data;
	params->v[CT_MK_P_BANK_ACCESSES] = x->accesses ? x->accesses : 1;
}

static struct ct_gpu chain_gpu(const struct chains *x)
{
	struct ct_gpu g = third();
	if (x->in_turn)
		g.scheduler = CT_SCHED_LRR;
	return g;
}

static double engine_cycles(const char *system, const struct chains *x)
{
	static struct micro_result r;
	struct ct_gpu g = chain_gpu(x);
	struct ct_mk_sthld_table table;
	struct ct_mk_params params;
	struct ct_mk_masks masks = {0};
	struct ct_mk_parts *p = NULL;
	struct ct_error e = {0};
	struct micro m;
	load_table(&table);
	chain_params(x, &params);
	struct ct_mk_mask *mask = ct_mk_masks_add(&masks, CHAIN_INSTS + 1);
	assert_non_null(mask);
	memset(mask->bits, x->near ? 0xff : 0, (CHAIN_INSTS + 1) * sizeof *mask->bits);
	assert_int_equal(ct_mk_parts_new(&p, named(system), &g, &params, &masks, &table, 1, &e), CT_OK);
	struct ct_replay_options o = {.parts = ct_mk_parts_table(p)};
	memset(&m, 0, sizeof m);
	micro_kernel(&m, "k", 1, 1024, 0, 32);
	micro_cta(&m);
	for (uint32_t w = 0; w < 32; w++) {
		micro_warp(&m, w, CHAIN_INSTS + 1);
		for (unsigned i = 0; i < CHAIN_INSTS; i++) {
			unsigned sum = 4 + (x->one_bank ? 2 : 1) * (i % x->chains);
			micro_line(&m, "ffffffff 1 R%u FFMA 3 R%u R%u R%u 0", sum, x->own ? sum : 30,
			           x->own        ? sum + 16
			           : x->one_bank ? 32
			                         : 31,
			           sum);
		}
		micro_line(&m, "ffffffff 0 EXIT 0 0");
	}
	micro_cta_end(&m);
	micro_run(&m, &g, &o, &r);
	ct_mk_parts_free(p);
	ct_mk_masks_clear(&masks);
	return (double)(r.c.cycles - r.c.launch_cycles);
}

static double chain_cycles(const char *system, unsigned chains, int one_bank)
{
	const struct chains x = {.chains = chains, .one_bank = one_bank};
	return engine_cycles(system, &x);
}

static double chain_gain(const char *system, unsigned chains, int one_bank)
{
	return chain_cycles("OCU", chains, one_bank) / chain_cycles(system, chains, one_bank);
}

/* What the mechanism gains by how far apart dependent instructions are. A collector is in use for the cycle of its issue and
 * one for each operand, so that two of them just feed a unit that takes an instruction in two cycles, and lose to every bank
 * conflict. Neighbours: the warp waits for its result, the next one finds the collector of a warp with data taken away, and
 * Malekeh loses (0.955); with a collector for each warp it gains. Two to eight apart the greedy warp finds what it has just
 * used. Where the operands of a warp lie in one bank, three reads and a write take four cycles of it, and the gain is twofold.
 * RFC's two active warps of eight cannot fill the time between dependent neighbours. */
static void gain_by_distance(void **state)
{
	(void)state;
	assert_true(fabs(chain_gain("Malekeh", 1, 0) - 0.955) < 0.01);
	assert_true(chain_gain("Malekeh_PR", 1, 0) > 1.3);
	assert_true(chain_gain("Malekeh", 2, 0) > 1.2);
	assert_true(chain_gain("Malekeh", 8, 0) < chain_gain("Malekeh", 4, 0));
	for (unsigned chains = 4; chains <= 16; chains *= 2) {
		/* as fast as the unit */
		assert_true(chain_cycles("Malekeh", chains, 0) < 2.01 * 8 * CHAIN_INSTS);
		assert_true(chain_gain("Malekeh", chains, 0) > 1.12);
		assert_true(fabs(chain_gain("Malekeh", chains, 0) / chain_gain("OCU-8", chains, 0) - 1) <
		            0.01);
		assert_true(chain_cycles("OCU", chains, 1) > 3.5 * 8 * CHAIN_INSTS);
		assert_true(chain_gain("Malekeh", chains, 1) > 1.8);
	}
	assert_true(chain_gain("RFC", 1, 0) < 0.75 && chain_gain("RFC", 2, 0) > 1.1);
}

/* Eight entries hold the sum and the own register of four chains, and of eight chains nothing until it is needed again: the
 * gain is gone. Without own registers eight sums and the two that all share are ten, and the two stay. */
static void gain_by_registers(void **state)
{
	static const double low[] = {1.2, 1.3, 1.15, 1.0}, high[] = {1.3, 1.4, 1.25, 1.05};
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const struct chains x = {.chains = 1u << i, .own = 1, .near = 1};
		const double gain = engine_cycles("OCU", &x) / engine_cycles("Malekeh", &x);
		assert_true(gain >= low[i] && gain < high[i]);
	}
	const struct chains shared = {.chains = 8, .near = 1};
	assert_true(engine_cycles("OCU", &shared) / engine_cycles("Malekeh", &shared) > 1.12);
}

/* The same in the model of one SM. */
static double model_cycles(const char *system, const struct chains *x)
{
	struct ct_mk_params params;
	struct ct_mk_system sys;
	struct ct_gpu g = chain_gpu(x);
	struct ct_mk_sthld_table table;
	struct ct_mk_machine m;
	struct ct_mk_state state;
	struct ct_mk_counts c = {0};
	struct ct_mk_stream s = {.warps_per_cta = 32, .resident = 1};
	struct ct_error e = {0};
	assert_int_equal(ct_mk_stream_cta(&s), 0);
	for (uint32_t i = 0; i < x->chains; i++) {
		struct ct_sinst ffma = {.opcode = "FFMA", .unit = CT_CLASS_SP, .ndst = 1, .nsrc = 3};
		ffma.dst[0] = ffma.src[2] = (ct_reg)(4 + (x->one_bank ? 2 : 1) * i);
		ffma.src[0] = 30;
		ffma.src[1] = x->one_bank ? 32 : 31;
		assert_non_null(ct_mk_stream_op(&s, &g, i, &ffma));
	}
	for (uint32_t w = 0; w < 32; w++) {
		assert_int_equal(ct_mk_stream_warp(&s, 0, w), w);
		for (uint32_t i = 0; i < CHAIN_INSTS; i++)
			assert_true(ct_mk_stream_add(&s, w, i % x->chains) >= 0);
	}
	assert_int_equal(ct_mk_stream_seal(&s, &e), CT_OK);
	for (uint32_t i = 0; i < x->chains; i++)
		s.op[i].mask = x->near ? UINT32_MAX : 0;
	load_table(&table);
	chain_params(x, &params);
	ct_mk_apply(&params, &g, named(system), &sys);
	ct_mk_machine_of(&g, &m);
	ct_mk_apply_machine(&params, &m);
	m.sthld = &table;
	ct_mk_state_start(&state, &m, 1);
	assert_int_equal(ct_mk_run(&s, &sys, &m, &state, &c, &e), CT_OK);
	ct_mk_stream_free(&s);
	return (double)c.cycles;
}

/* Without memory the model of a sub-core and the engine are one machine: the collectors are as long in use, and the units take
 * as many instructions. With two collectors and two or four chains it counts which bank is asked first in the cycle in which
 * the CTA begins: 3.8 %, and none when the model begins in an odd cycle as the engine does. */
static void model_and_engine_agree(void **state)
{
	static const char *const systems[] = {
		"OCU", "OCU-8", "BOW", "Malekeh", "Malekeh_PR", "OCU-ideal"};
	(void)state;
	for (int one_bank = 0; one_bank < 2; one_bank++)
		for (unsigned chains = 1; chains <= 16; chains *= 2)
			for (unsigned i = 0; i < sizeof systems / sizeof *systems; i++) {
				const struct chains x = {.chains = chains, .one_bank = one_bank};
				double model = model_cycles(systems[i], &x);
				double engine = engine_cycles(systems[i], &x);
				int phase = i == 0 && !one_bank && (chains == 2 || chains == 4);
				assert_true(fabs(model / engine - 1) < (phase ? 0.04 : 0.005));
			}
}

/* OCU-own has what the GPU has: the number of collectors, those of memory instructions alone, and the order of warps. */
static void own_collectors(void **state)
{
	static const struct {
		const char *gpu;
		uint32_t collectors, memory;
		enum ct_mk_schedule schedule;
	} want[] = {{"rtx2060-third", 2, 0, CT_MK_GTO},
	            {"rtx3080", 2, 0, CT_MK_IN_TURN},
	            {"fermi-15", 7, 1, CT_MK_GTO}};
	(void)state;
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct ct_gpu g;
		test_gpu(&g, want[i].gpu);
		const struct ct_mk_system own = ct_mk_system_on(named("OCU-own"), &g);
		assert_int_equal(own.collectors, want[i].collectors);
		assert_int_equal(own.memory, want[i].memory);
		assert_int_equal(own.schedule, want[i].schedule);
		assert_int_equal(ct_mk_system_on(named("Malekeh"), &g).collectors, 2);
	}
	for (unsigned chains = 4; chains <= 16; chains *= 2) {
		struct chains x = {.chains = chains, .one_bank = 1};
		const double greedy = engine_cycles("OCU", &x);
		assert_true(engine_cycles("OCU-own", &x) == greedy);
		x.in_turn = 1; /* the next warp's registers lie in the other bank */
		assert_true(engine_cycles("OCU-own", &x) < 0.7 * greedy);
		assert_true(fabs(model_cycles("OCU-own", &x) / engine_cycles("OCU-own", &x) - 1) <
		            0.005);
	}
}

/* Three reads and a result take four cycles of a bank that serves one a cycle, and two of one that serves two, in which the
 * unit takes an instruction. */
static void bank_accesses(void **state)
{
	(void)state;
	for (unsigned chains = 4; chains <= 16; chains *= 2) {
		struct chains x = {.chains = chains, .one_bank = 1};
		const double one = engine_cycles("OCU", &x);
		x.accesses = 2;
		const double two = engine_cycles("OCU", &x);
		assert_true(one > 3.5 * 8 * CHAIN_INSTS && two < 2.1 * 8 * CHAIN_INSTS);
		assert_true(fabs(model_cycles("OCU", &x) / two - 1) < 0.005);
	}
}

/* Where all operands are far, warps have nothing but far values in their collectors: if those are no data (reading
 * priority-data), the order is greedy, then oldest, and fewer sources hit; owners of a collector and warps with any value
 * are the same here. With near ones all three are. The model and the engine take the parameter alike. */
static void data_that_counts(void **state)
{
	(void)state;
	for (int one_bank = 0; one_bank < 2; one_bank++) {
		struct chains x = {.chains = 2, .one_bank = one_bank};
		const double owner = engine_cycles("Malekeh", &x), oldest = engine_cycles("OCU", &x);
		const double each = engine_cycles("Malekeh_PR", &x);
		x.data = CT_MK_DATA_ANY;
		assert_true(engine_cycles("Malekeh", &x) == owner);
		x.data = CT_MK_DATA_NEAR;
		assert_true(engine_cycles("Malekeh", &x) > 1.03 * owner);
		assert_true(fabs(model_cycles("Malekeh", &x) / engine_cycles("Malekeh", &x) - 1) <
		            0.005);
		assert_true(engine_cycles("OCU", &x) == oldest);
		assert_true(engine_cycles("Malekeh_PR", &x) == each);
		x.near = 1;
		const double near = engine_cycles("Malekeh", &x);
		x.data = CT_MK_DATA_OWNER;
		assert_true(engine_cycles("Malekeh", &x) == near);
	}
}

/* True distances are of whole warps, which the engine does not see ahead; systems without bits do not care. */
static void oracle_is_no_part(void **state)
{
	struct ct_gpu g = third();
	struct ct_mk_params params;
	(void)state;
	ct_mk_defaults(&params);
	params.v[CT_MK_P_ORACLE] = 1;
	for (size_t i = 0; i < CT_MK_SYSTEMS; i++) {
		const struct ct_mk_system *s = ct_mk_system_at(i);
		struct ct_mk_parts *p = NULL;
		struct ct_error e = {0};
		int can = ct_mk_parts_can(s) && (s->kind != CT_MK_CCU || s->lru);
		assert_int_equal(ct_mk_parts_new(&p, s, &g, &params, NULL, NULL, 1, &e),
		                 can ? CT_OK : CT_ERR_UNSUPPORTED);
		ct_mk_parts_free(p);
	}
}

static void constants(void **state)
{
	struct ct_mk_params p;
	struct ct_error e = {0};
	(void)state;
	ct_mk_defaults(&p);
	assert_true(p.v[CT_MK_P_RTHLD] == CT_MK_RTHLD && p.v[CT_MK_P_INTERVAL] == CT_MK_INTERVAL);
	assert_true(p.v[CT_MK_P_PROFILED] == ct_mk_profiled_share);
	assert_int_equal(ct_mk_set(&p, "malekeh.rthld=7", &e), CT_OK);
	assert_true(p.v[CT_MK_P_RTHLD] == 7);
	assert_int_equal(ct_mk_set(&p, "malekeh.rthld=-1", &e), CT_ERR_USAGE);
	assert_int_equal(ct_mk_set(&p, "malekeh.rthl=1", &e), CT_ERR_USAGE);
	assert_non_null(strstr(e.text, "malekeh.rthld"));
	for (size_t i = 0; i < ct_mk_constants.n; i++)
		assert_true(ct_mk_constants.row[i].source[0] && ct_mk_constants.row[i].lo <= p.v[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(reuse_bits),
		cmocka_unit_test(majority),
		cmocka_unit_test(strands),
		cmocka_unit_test(strands_of_many_operands),
		cmocka_unit_test(ranges),
		cmocka_unit_test(converges_at_the_knee),
		cmocka_unit_test(bad_tables),
		cmocka_unit_test(bounds_hold),
		cmocka_unit_test(parts_in_the_engine),
		cmocka_unit_test(gain_by_distance),
		cmocka_unit_test(gain_by_registers),
		cmocka_unit_test(model_and_engine_agree),
		cmocka_unit_test(own_collectors),
		cmocka_unit_test(bank_accesses),
		cmocka_unit_test(data_that_counts),
		cmocka_unit_test(oracle_is_no_part),
		cmocka_unit_test(constants),
	};
	return cmocka_run_group_tests_name("malekeh_parts", tests, NULL, NULL);
}
