/* Bypassing the L1: the predictor by hand, the L1s against a brute-force twin, the interface, and what must hold of
 * the replayed systems. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "gpu/address.h"
#include "models/bypass/measure.h"
#include "models/bypass/parts.h"
#include "models/bypass/seen.h"
#include "models/bypass/tags.h"
#include "models/registry.h"
#include "tests/support/gpus.h"
#include "tests/support/mechanism_trial.h"

enum { NEVER = 1 << 16 };

static void expect_ok(int st, const struct ct_error *e)
{
	if (st != CT_OK)
		fail_msg("%d: %s", st, e->text);
}

static struct ct_bp_params params_of(double entries, double bits, double threshold, double every)
{
	struct ct_bp_params p;
	ct_constants_defaults(&ct_bp_constants, p.v);
	p.v[CT_BP_ENTRIES] = entries;
	p.v[CT_BP_COUNTER_BITS] = bits;
	p.v[CT_BP_THRESHOLD] = threshold;
	p.v[CT_BP_SAMPLE_EVERY] = every;
	return p;
}

/* ---- the predictor ---- */

/* Lines of one load die until it passes; one miss in three is let in to see, and hits there change its mind. */
static void learns_and_unlearns(void **state)
{
	struct ct_bp_params params = params_of(64, 2, 2, 3);
	struct ct_bp_predictor *p;
	struct ct_bp_learned c;
	struct ct_error e;
	(void)state;
	expect_ok(ct_bp_predictor_new(&p, 2, 4, &params, &e), &e);
	ct_bp_predictor_kernel(p, "k");
	for (int i = 0; i < 6; i++) {
		assert_int_equal(ct_bp_may_allocate(p, 1, 0x40), i < 3 || i == 5);
		if (i < 3)
			ct_bp_allocated(p, 1, 0, 0x40, i > 0); /* each puts out the line before it */
	}
	assert_int_equal(ct_bp_counter(p, 1, 0x40), 2);
	assert_int_equal(ct_bp_counter(p, 0, 0x40), 0); /* of another L1 */
	ct_bp_allocated(p, 1, 0, 0x40, 1);
	ct_bp_allocated(p, 1, 0, 0x40, 1);
	assert_int_equal(ct_bp_counter(p, 1, 0x40), 3); /* as much as two bits hold */
	c = ct_bp_predictor_counts(p);
	assert_int_equal(c.evictions, 4);
	assert_int_equal(c.dead, 4);
	assert_int_equal(c.passes, 2);
	assert_int_equal(c.samples, 1);
	ct_bp_found(p, 1, 0, 0x40, 0); /* a sector miss is no reuse */
	assert_int_equal(ct_bp_counter(p, 1, 0x40), 3);
	for (uint32_t left = 3; left-- > 0;) {
		ct_bp_found(p, 1, 0, 0x40, 1);
		assert_int_equal(ct_bp_counter(p, 1, 0x40), left);
	}
	ct_bp_found(p, 1, 0, 0x40, 1);
	assert_int_equal(ct_bp_counter(p, 1, 0x40), 0);
	ct_bp_allocated(p, 1, 0, 0x80, 1); /* the line was reused: nothing is raised */
	assert_int_equal(ct_bp_counter(p, 1, 0x40), 0);
	assert_int_equal(ct_bp_may_allocate(p, 1, 0x40), 1);
	ct_bp_predictor_free(p);
	ct_bp_predictor_free(NULL);
}

/* Who has asked for the line last is who is blamed or praised. */
static void the_last_load_counts(void **state)
{
	struct ct_bp_params params = params_of(1 << 10, 4, 2, 0);
	struct ct_bp_predictor *p;
	struct ct_error e;
	(void)state;
	expect_ok(ct_bp_predictor_new(&p, 1, 2, &params, &e), &e);
	ct_bp_predictor_kernel(p, "k");
	ct_bp_allocated(p, 0, 0, 0x10, 0);
	ct_bp_found(p, 0, 0, 0x20, 0);
	ct_bp_allocated(p, 0, 0, 0x30, 1);
	assert_int_equal(ct_bp_counter(p, 0, 0x10), 0);
	assert_int_equal(ct_bp_counter(p, 0, 0x20), 1);
	ct_bp_allocated(p, 0, 1, 0x20, 0);
	ct_bp_found(p, 0, 1, 0x10, 1);
	assert_int_equal(ct_bp_counter(p, 0, 0x20), 0);
	/* The same place in another kernel is another load. */
	for (int i = 0; i < 3; i++)
		ct_bp_allocated(p, 0, 0, 0x50, 1);
	assert_int_equal(ct_bp_may_allocate(p, 0, 0x50), 0);
	ct_bp_predictor_kernel(p, "another");
	assert_int_equal(ct_bp_may_allocate(p, 0, 0x50), 1);
	ct_bp_predictor_free(p);
}

static void storage(void **state)
{
	struct ct_bp_params p = params_of(128, 4, 8, 32);
	(void)state;
	assert_float_equal(ct_bp_storage_bytes(&p, 256), (128 * (4 + 5) + 256 * (7 + 1)) / 8.0, 1e-9);
	p = params_of(128, 4, 8, 0);
	assert_float_equal(ct_bp_storage_bytes(&p, 256), (128 * 4 + 256 * 8) / 8.0, 1e-9);
}

/* ---- the L1s ---- */

enum { TWIN_LINES = 64 };

/* Every set a list of its lines, the youngest last. */
struct twin {
	uint64_t line[8][TWIN_LINES];
	uint32_t sectors[8][TWIN_LINES], n[8], ways, fifo;
};

static int twin_find(const struct twin *t, uint32_t set, uint64_t line)
{
	for (uint32_t i = 0; i < t->n[set]; i++)
		if (t->line[set][i] == line)
			return (int)i;
	return -1;
}

static uint32_t twin_remove(struct twin *t, uint32_t set, uint32_t i)
{
	uint32_t sectors = t->sectors[set][i];
	t->n[set]--;
	memmove(&t->line[set][i], &t->line[set][i + 1], (t->n[set] - i) * sizeof t->line[0][0]);
	memmove(&t->sectors[set][i], &t->sectors[set][i + 1], (t->n[set] - i) * sizeof t->sectors[0][0]);
	return sectors;
}

static void twin_append(struct twin *t, uint32_t set, uint64_t line, uint32_t sectors)
{
	t->line[set][t->n[set]] = line;
	t->sectors[set][t->n[set]++] = sectors;
}

/* One random step on both. */
static void step(struct ct_bp_tags *tags, struct twin *t, uint32_t sets, uint32_t hash, uint64_t *random)
{
	uint64_t line = ct_rand64(random) % 96;
	uint32_t sectors = (uint32_t)(ct_rand64(random) % 15 + 1),
		 set = ct_set_index((enum ct_set_hash)hash, sets, line);
	uint32_t slot = ct_bp_tags_find(tags, line);
	int i = twin_find(t, set, line), evicted;
	assert_int_equal(slot == CT_BP_NO_SLOT, i < 0);
	if (i < 0) {
		slot = ct_bp_tags_allocate(tags, line, &evicted);
		assert_int_equal(evicted, t->n[set] == t->ways);
		assert_int_equal(slot / t->ways, set);
		if (t->n[set] == t->ways)
			twin_remove(t, set, 0);
		twin_append(t, set, line, sectors);
		assert_int_equal(ct_bp_tags_sectors(tags, slot), 0);
		ct_bp_tags_fill(tags, slot, sectors);
		return;
	}
	assert_int_equal(ct_bp_tags_sectors(tags, slot), t->sectors[set][i]);
	if (ct_rand64(random) % 4 == 0) {
		ct_bp_tags_drop(tags, slot, sectors);
		t->sectors[set][i] &= ~sectors;
		if (!t->sectors[set][i])
			twin_remove(t, set, (uint32_t)i);
		return;
	}
	ct_bp_tags_touch(tags, slot);
	ct_bp_tags_fill(tags, slot, sectors);
	t->sectors[set][i] |= sectors;
	if (!t->fifo)
		twin_append(t, set, line, twin_remove(t, set, (uint32_t)i));
}

static void as_its_twin(void **state)
{
	static const struct {
		uint32_t sets, ways;
		const char *hash;
	} shape[] = {
		{1, 1, "linear"}, {1, 12, "linear"}, {4, 4, "linear"},
		{8, 3, "linear"}, {3, 5, "linear"},
	};
	(void)state;
	for (size_t k = 0; k < 2 * sizeof shape / sizeof shape[0]; k++) {
		static struct twin t;
		const char *const settings[] = {k % 2 ? "l1.replacement=fifo" : "l1.replacement=lru"};
		uint32_t sets = shape[k / 2].sets, ways = shape[k / 2].ways;
		uint64_t random = k + 1;
		struct ct_bp_tags *tags;
		struct ct_error e;
		struct ct_gpu g;
		test_gpu_with(&g, "fermi-15", settings, 1);
		g.l1.set_hash = CT_HASH_LINEAR;
		expect_ok(ct_bp_tags_new(&tags, &g, sets * ways + 3, &e), &e);
		ct_bp_tags_shape(tags, sets, ways);
		assert_true(ct_bp_tags_has_shape(tags, sets, ways) &&
		            !ct_bp_tags_has_shape(tags, sets + 1, ways));
		for (int flushed = 0; flushed < 3; flushed++) {
			t = (struct twin){.ways = ways, .fifo = k % 2};
			ct_bp_tags_flush(tags);
			for (int i = 0; i < 20000; i++)
				step(tags, &t, sets, g.l1.set_hash, &random);
		}
		ct_bp_tags_free(tags);
	}
}

static void lines_once_seen(void **state)
{
	struct ct_bp_seen s = {.lines = 0};
	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++)
			assert_int_equal(ct_bp_seen_enter(&s, UINT64_C(0x123456789) * i), i);
	assert_int_equal(s.lines, 5000);
	ct_bp_seen_free(&s);
}

/* ---- traces ---- */

/* A warp on each of two SMs, whose L1s have 128 lines: in each round it loads a table of 64 lines, all by the same
 * instruction, and then by another one 192 lines of `stream` more that come only once, or again in every round. */
static void make_trace(struct micro *m, unsigned rounds, unsigned stream, int again)
{
	memset(m, 0, sizeof *m);
	micro_kernel(m, "walk", 2, 32, 0, 32);
	for (unsigned cta = 0; cta < 2; cta++) {
		unsigned at = 0x10000000u + cta * 0x4000000u, next = at + 0x100000u;
		micro_cta(m);
		micro_warp(m, 0, rounds * (64 + stream) + 1);
		for (unsigned r = 0; r < rounds; r++) {
			for (unsigned i = 0; i < 64; i++) {
				m->pc = 0x100;
				micro_line(m, "ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x 4", 4 + i % 8,
				           at + i * 128);
			}
			for (unsigned i = 0; i < stream; i++) {
				m->pc = 0x200;
				micro_line(m, "ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x 4", 4 + i % 8,
				           next + (again ? i : r * stream + i) * 128);
			}
		}
		m->pc = 0x300;
		micro_line(m, "ffffffff 0 EXIT 0 0");
		micro_cta_end(m);
	}
}

static void make_gpu(struct ct_gpu *g)
{
	static const char *const settings[] = {"sm.count=2", "l1.size=16KiB"};
	test_gpu_with(g, "fermi-15", settings, 2);
}

static void new_trial(struct mechanism_trial *t, unsigned rounds, unsigned stream, int again)
{
	int i = ct_mechanism_find("bypass");
	struct micro m;
	struct ct_gpu g;
	assert_true(i >= 0);
	make_trace(&m, rounds, stream, again);
	make_gpu(&g);
	trial_new(t, ct_mechanism_at((unsigned)i), &g, &m);
}

/* ---- the interface ---- */

/* The stream puts the table out of BL's L1 in every round; once it passes, the table stays. */
static void streams_pass(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	char text[320];
	(void)state;
	new_trial(&t, 24, 192, 0);
	trial_pass(&t, 1);
	assert_int_equal(t.run.mechanism->measured(t.run.p), 1);
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	assert_float_equal(trial_value(&t, "BL", "l1_untimed_miss_rate", "replay"), 1, 1e-9);
	assert_true(trial_value(&t, "Bypass", "l1_untimed_miss_rate", "replay") < 0.85);
	assert_float_equal(trial_value(&t, "Perfect", "l1_untimed_miss_rate", "replay"),
	                   (64 + 24 * 192) / (24 * 256.0), 1e-6);
	assert_float_equal(trial_value(&t, "BL", "speedup", "analytic"), 1, 1e-9);
	assert_true(trial_value(&t, "Bypass", "speedup", "analytic") > 1);
	assert_true(trial_value(&t, "Perfect", "speedup", "analytic") >=
	            trial_value(&t, "Bypass", "speedup", "analytic"));
	assert_true(trial_value(&t, "Ideal-L1", "speedup", "analytic") >
	            trial_value(&t, "Perfect", "speedup", "analytic"));
	assert_true(trial_value(&t, "Bypass", "l1_passed_requests", "replay") > 2000);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), 1);
	t.run.mechanism->reason(t.run.p, &(struct ct_mechanism_number){1.2, 1.1, 1.3}, text,
	                        sizeof text);
	assert_non_null(strstr(text, "of load requests pass the L1"));
	assert_non_null(strstr(text, "faster since L1 sector misses fall from 100 to"));
	assert_non_null(strstr(text, ", limited by "));
	expect_ok(t.run.mechanism->replay(&t.run, "--method replay", &e), &e);
	assert_float_equal(trial_value(&t, "BL", "speedup", "replay"), 1, 1e-9);
	assert_true(trial_value(&t, "Bypass", "speedup", "replay") > 1);
	assert_true(trial_value(&t, "Perfect", "speedup", "replay") >=
	            trial_value(&t, "Bypass", "speedup", "replay"));
	assert_true(trial_value(&t, "Ideal-L1", "speedup", "replay") >
	            trial_value(&t, "Perfect", "speedup", "replay"));
	trial_check_records(&t);
	struct ct_buf b = {0};
	trial_show(&t, &b);
	assert_non_null(strstr(b.data, "Bypass"));
	assert_non_null(strstr(b.data, "by both methods"));
	ct_buf_free(&b);
	trial_free(&t);
}

/* What fits is never evicted: no counter moves, and the systems do the same. */
static void nothing_to_act_on(void **state)
{
	struct mechanism_trial t;
	struct ct_error e = {0};
	char text[320];
	(void)state;
	new_trial(&t, 8, 32, 1);
	trial_pass(&t, 1);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), 0);
	assert_string_equal(text, "0 evictions from the L1s");
	expect_ok(t.run.mechanism->estimate(&t.run, &e), &e);
	assert_float_equal(trial_value(&t, "Bypass", "speedup", "analytic"), 1, 1e-9);
	assert_float_equal(trial_value(&t, "Bypass", "l1_untimed_miss_rate", "replay"),
	                   trial_value(&t, "BL", "l1_untimed_miss_rate", "replay"), 1e-12);
	trial_free(&t);
	new_trial(&t, 8, 32, 1);
	trial_pass(&t, 0);
	assert_int_equal(t.run.mechanism->measured(t.run.p), 0);
	assert_int_equal(t.run.mechanism->acted(t.run.p, text, sizeof text), -1);
	trial_free(&t);
}

/* A profile that nothing was measured for is completed from its trace, to the same numbers as in the pass; a
 * parameter that decides what passes is measured again. */
static void measured_later(void **state)
{
	static const char *const never[] = {"bypass.threshold=16"};
	struct mechanism_trial with, without;
	struct ct_error e = {0};
	(void)state;
	new_trial(&without, 12, 192, 0);
	trial_pass(&without, 0);
	without.run.method = CT_BY_ANALYTIC;
	assert_int_equal(without.run.mechanism->estimate(&without.run, &e), CT_ERR_USAGE);
	assert_non_null(strstr(e.text, "needs the trace"));
	without.run.method = CT_BY_AUTO;
	expect_ok(without.run.mechanism->estimate(&without.run, &e), &e);
	new_trial(&with, 12, 192, 0);
	trial_pass(&with, 1);
	expect_ok(with.run.mechanism->estimate(&with.run, &e), &e);
	assert_true(trial_value(&with, "Bypass", "speedup", NULL) ==
	            trial_value(&without, "Bypass", "speedup", NULL));
	assert_true(trial_value(&with, "Bypass", "speedup", NULL) > 1);
	with.run.l1_changed = 1;
	assert_int_equal(with.run.mechanism->estimate(&with.run, &e), CT_ERR_INPUT);
	trial_free(&with);
	trial_free(&without);
	new_trial(&with, 12, 192, 0);
	with.run.set = never;
	with.run.n_set = 1;
	trial_pass(&with, 1);
	assert_true(with.run.mechanism->values(&with.run)[CT_BP_THRESHOLD] == 16);
	expect_ok(with.run.mechanism->estimate(&with.run, &e), &e);
	assert_true(trial_value(&with, "Bypass", "l1_passed_requests", NULL) == 0);
	assert_float_equal(trial_value(&with, "Bypass", "speedup", NULL), 1, 1e-9);
	trial_free(&with);
}

/* ---- replays ---- */

static void run_system(struct micro *m, const struct ct_gpu *g, enum ct_bp_system system,
                       const struct ct_bp_params *params, struct micro_result *r)
{
	struct ct_bp_parts *x;
	struct ct_error e;
	expect_ok(ct_bp_parts_new(&x, g, system, params, &e), &e);
	struct ct_replay_options o = {.parts = ct_bp_parts_plugs(x)};
	micro_run(m, g, &o, r);
	ct_bp_parts_free(x);
}

/* Gathers of eight lanes with stores between them, the same instructions in each warp. */
static void gather(struct micro *m, uint64_t seed)
{
	memset(m, 0, sizeof *m);
	for (unsigned launch = 0; launch < 2; launch++) {
		micro_kernel(m, "gather", 6, 96, 0, 32);
		for (unsigned c = 0; c < 6; c++) {
			micro_cta(m);
			for (unsigned w = 0; w < 3; w++) {
				micro_warp(m, w, 41);
				for (unsigned i = 0; i < 40; i++) {
					struct ct_buf list = {0};
					m->pc = 16 * (i % 5);
					for (int lane = 0; lane < 8; lane++)
						ct_buf_printf(
							&list, " 0x%x",
							0x10000000 +
								(unsigned)(ct_rand64(&seed) % 8192) * 4);
					if (i % 5 == 4)
						micro_line(m, "000000ff 0 STG.E 2 R2 R6 4 0%s",
						           list.data);
					else
						micro_line(m, "000000ff 1 R%u LDG.E 1 R2 4 0%s",
						           4 + i % 5, list.data);
					ct_buf_free(&list);
				}
				m->pc = 0x100;
				micro_line(m, "ffffffff 0 EXIT 0 0");
			}
			micro_cta_end(m);
		}
	}
}

/* With a threshold that no counter reaches, Bypass is the engine as it is, to the last count and cycle. */
static void out_of_reach_is_the_baseline(void **state)
{
	static const char *const name[] = {"fermi-15", "rtx3080", "a100"};
	static const char *const write[] = {
		"l1.write=evict", "l1.write=through_allocate", "l1.write=through_no_allocate"};
	static struct micro_result bl, bypass, eager, perfect;
	struct ct_bp_params never = params_of(128, 4, NEVER, 32), soon = params_of(128, 1, 1, 0);
	uint64_t passed_more = 0;
	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		const char *const settings[] = {
			"sm.count=2", "l1.adaptive=off", "l1.ways=4", "l1.size=4KiB", write[i % 3]};
		struct micro m;
		struct ct_gpu g;
		test_gpu_with(&g, name[i / 3], settings, 5);
		gather(&m, i);
		run_system(&m, &g, CT_BP_BL, &never, &bl);
		gather(&m, i);
		run_system(&m, &g, CT_BP_BYPASS, &never, &bypass);
		assert_memory_equal(&bypass.c, &bl.c, sizeof bl.c);
		assert_memory_equal(bypass.issue, bl.issue, sizeof bl.issue);
		gather(&m, i);
		run_system(&m, &g, CT_BP_BYPASS, &soon, &eager);
		assert_int_equal(eager.c.l1_accesses, bl.c.l1_accesses);
		passed_more += eager.c.l1_read_misses - bl.c.l1_read_misses;
		gather(&m, i);
		run_system(&m, &g, CT_BP_PERFECT, &never, &perfect);
		assert_int_equal(perfect.c.warp_insts, bl.c.warp_insts);
		assert_true(perfect.c.l1_read_misses < bl.c.l1_read_misses);
	}
	assert_true(passed_more > 0);
}

/* Any engine of the interface runs to its end. */
static void any_engine(void **state)
{
	const struct ct_mechanism *mech = ct_mechanism_at((unsigned)ct_mechanism_find("bypass"));
	uint64_t random = 7;
	(void)state;
	for (int i = 0; i < 24; i++) {
		static struct micro_result r;
		uint64_t v = ct_rand64(&random);
		uint8_t bytes[CT_ANY_ENGINE_BYTES] = {
			(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
		struct ct_replays_engine engine;
		struct ct_error e;
		struct micro m;
		struct ct_gpu g;
		void *parts;
		make_gpu(&g);
		gather(&m, v);
		expect_ok(mech->any_engine(&g, bytes, &engine, &parts, &e), &e);
		micro_run(&m, &g, &engine.options, &r);
		mech->any_engine_free(parts);
		assert_int_equal(r.c.warp_insts, 2 * 6 * 3 * 41);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(learns_and_unlearns),
		cmocka_unit_test(the_last_load_counts),
		cmocka_unit_test(storage),
		cmocka_unit_test(as_its_twin),
		cmocka_unit_test(lines_once_seen),
		cmocka_unit_test(streams_pass),
		cmocka_unit_test(nothing_to_act_on),
		cmocka_unit_test(measured_later),
		cmocka_unit_test(out_of_reach_is_the_baseline),
		cmocka_unit_test(any_engine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
