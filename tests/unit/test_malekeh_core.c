/* The sub-core model against a twin that steps every cycle, and against closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/malekeh_twin.h"
#include "base/hash.h"

static struct ct_gpu gpu(void)
{
	struct ct_gpu g;
	ct_gpu_defaults(&g);
	return g;
}

/* A program of `insts` static instructions over `regs` registers. */
static void program(struct ct_mk_stream *s, uint64_t *seed, unsigned insts, unsigned regs)
{
	static const enum ct_unit_class unit[] = {
		CT_CLASS_SP, CT_CLASS_SP, CT_CLASS_INT, CT_CLASS_SFU, CT_CLASS_MEM};
	struct ct_gpu g = gpu();
	for (unsigned sid = 0; sid < insts; sid++) {
		struct ct_sinst i = {
			.opcode = "X", .pc = 16 * sid, .unit = (uint8_t)unit[ct_rand64(seed) % 5]};
		if (i.unit == CT_CLASS_MEM) {
			i.space = ct_rand64(seed) & 1 ? CT_SPACE_SHARED : CT_SPACE_GLOBAL;
			i.access = ct_rand64(seed) % 4 ? CT_ACCESS_LOAD : CT_ACCESS_STORE;
		}
		i.nsrc = (uint8_t)(1 + ct_rand64(seed) % (ct_rand64(seed) % 16 ? 3 : 7));
		i.ndst = i.access == CT_ACCESS_STORE ? 0 : (uint8_t)(ct_rand64(seed) % 8 ? 1 : 3);
		for (unsigned k = 0; k < i.nsrc; k++)
			i.src[k] = (ct_reg)(ct_rand64(seed) % regs);
		for (unsigned k = 0; k < i.ndst; k++)
			i.dst[k] = (ct_reg)((ct_rand64(seed) % regs + k) % regs);
		assert_non_null(ct_mk_stream_op(s, &g, sid, &i));
	}
}

static void warps(struct ct_mk_stream *s, uint64_t *seed, unsigned ctas, unsigned per, unsigned statics)
{
	for (unsigned c = 0; c < ctas; c++) {
		assert_int_equal(ct_mk_stream_cta(s), c);
		for (unsigned w = 0; w < per; w++) {
			int32_t id = ct_mk_stream_warp(s, c, w);
			unsigned n = 20 + (unsigned)(ct_rand64(seed) % 60);
			for (unsigned i = 0; i < n; i++) {
				uint32_t sid = i % statics;
				int64_t at = ct_mk_stream_add(s, (uint32_t)id, sid);
				if (s->op[sid].unit == CT_MK_U_MEM)
					ct_mk_stream_mem(s, (uint32_t)id, (size_t)at,
					                 1 + ct_rand64(seed) % 4,
					                 20 + ct_rand64(seed) % 300);
			}
		}
	}
}

static void seeded(struct ct_mk_stream *s, uint64_t *seed)
{
	struct ct_error e = {0};
	unsigned statics = 8 + (unsigned)(ct_rand64(seed) % 40),
		 ctas = 1 + (unsigned)(ct_rand64(seed) % 4);
	memset(s, 0, sizeof *s);
	program(s, seed, statics, 4 + (unsigned)(ct_rand64(seed) % 24));
	warps(s, seed, ctas, 1 + (unsigned)(ct_rand64(seed) % 4), statics);
	s->resident = 1 + (uint32_t)(ct_rand64(seed) % 2);
	assert_int_equal(ct_mk_stream_seal(s, &e), CT_OK);
}

static struct ct_mk_machine machine(uint32_t banks)
{
	struct ct_mk_machine m = {
		.cores = 1,
		.banks = banks,
		.interval = CT_MK_INTERVAL,
		.lowest = 1,
		.slow_latency = 300,
		.shared_latency = 30};
	return m;
}

static struct ct_mk_counts simulate(struct ct_mk_stream *s, const struct ct_mk_system *sys,
                                    const struct ct_mk_machine *m)
{
	struct ct_error e = {0};
	struct ct_mk_state st;
	struct ct_mk_counts c = {0};
	ct_mk_state_start(&st, m, 1);
	assert_int_equal(ct_mk_prepare(s, sys, &e), CT_OK);
	if (ct_mk_run(s, sys, m, &st, &c, &e) != CT_OK)
		fail_msg("%s", e.text);
	return c;
}

static void compare(const char *what, const struct ct_mk_counts *a, const struct ct_mk_counts *b)
{
	const uint64_t *x = &a->cycles, *y = &b->cycles;
	for (size_t i = 0; i < sizeof *a / sizeof *x; i++)
		if (x[i] != y[i])
			fail_msg("%s: counter %zu is %llu, the twin has %llu", what, i,
			         (unsigned long long)x[i], (unsigned long long)y[i]);
}

static struct ct_mk_system named(const char *name)
{
	int i = ct_mk_system_find(name);
	assert_true(i >= 0);
	return *ct_mk_system_at((size_t)i);
}

static void equals_the_twin(void **state)
{
	static const char *const names[] = {"OCU",     "OCU-8",         "BOW", "Malekeh", "Malekeh_PR",
	                                    "GTO+LRU", "Malekeh-ports", "RFC", "SW-RFC",  "LTRF"};
	uint64_t seed = 5;
	(void)state;
	for (int round = 0; round < 24; round++) {
		struct ct_mk_stream s;
		seeded(&s, &seed);
		for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
			struct ct_mk_system sys = named(names[i]);
			struct ct_mk_counts want;
			uint32_t banks = round % 3 ? 2 : 4;
			struct ct_mk_machine m = machine(banks);
			if (sys.kind == CT_MK_CCU) {
				sys.sthld = round % 4 * 3;
				sys.entries = 6 + (uint32_t)round % 5 * 2;
				sys.rthld = round % 2 ? 12 : 4;
				sys.data = (enum ct_mk_data)(round % 3);
			}
			if (sys.kind == CT_MK_BOC)
				sys.window = 1 + (uint32_t)round % 8;
			struct ct_mk_counts got = simulate(&s, &sys, &m);
			malekeh_twin(&s, &sys, banks, &want);
			compare(names[i], &got, &want);
		}
		ct_mk_stream_free(&s);
	}
}

/* What every organisation must keep to, whatever it does. */
static void laws(void **state)
{
	uint64_t seed = 9;
	(void)state;
	for (int round = 0; round < 10; round++) {
		struct ct_mk_stream s;
		struct ct_mk_counts ocu = {0};
		const struct ct_mk_system *sys;
		seeded(&s, &seed);
		for (size_t i = 0; (sys = ct_mk_system_at(i)); i++) {
			struct ct_mk_machine m = machine(2);
			struct ct_mk_system fixed = *sys;
			fixed.sthld = 4;
			struct ct_mk_counts c = simulate(&s, &fixed, &m);
			if (i == 0)
				ocu = c;
			assert_int_equal(c.insts, s.insts);
			assert_int_equal(c.slots, ocu.slots);
			assert_int_equal(c.results, ocu.results);
			assert_int_equal(c.issued, s.insts);
			assert_true(c.hits <= c.slots && c.cache_writes <= c.results);
			assert_true(c.cycles >= s.insts); /* one scheduler */
			if (sys->kind != CT_MK_LTRF)      /* every hit avoids exactly one bank read */
				assert_int_equal(c.hits + c.bank_reads, c.slots);
			if (sys->kind == CT_MK_OCU || sys->kind == CT_MK_CCU || sys->kind == CT_MK_BOC)
				assert_int_equal(c.bank_writes, c.results);
			/* two banks of one access a cycle: the throughput bound */
			assert_true(2 * c.cycles >= c.bank_reads);
		}
		ct_mk_stream_free(&s);
	}
}

/* r reads of uniform registers by one instruction alone in two banks: the longer queue,
 * doc/models.md section 10: r/2 + r C(r-1, r/2) / 2^r. */
static void bank_conflicts_are_binomial(void **state)
{
	static const double want[] = {0, 1, 1.5, 2.25, 2.75, 3.4375, 3.9375};
	struct ct_gpu g = gpu();
	(void)state;
	for (unsigned r = 1; r <= 6; r++) {
		uint64_t total = 0;
		for (unsigned pattern = 0; pattern < 1u << r; pattern++) {
			struct ct_mk_stream s = {0};
			struct ct_error e = {0};
			struct ct_sinst i = {.opcode = "X", .unit = CT_CLASS_SP, .nsrc = (uint8_t)r};
			for (unsigned k = 0; k < r; k++)
				i.src[k] = (ct_reg)(2 * k + (pattern >> k & 1));
			assert_non_null(ct_mk_stream_op(&s, &g, 0, &i));
			ct_mk_stream_cta(&s);
			ct_mk_stream_warp(&s, 0, 0);
			ct_mk_stream_add(&s, 0, 0);
			s.resident = 1;
			assert_int_equal(ct_mk_stream_seal(&s, &e), CT_OK);
			struct ct_mk_machine m = machine(2);
			struct ct_mk_system sys = named("OCU");
			m.free_ports = 1; /* only the banks hold operands back */
			struct ct_mk_counts c = simulate(&s, &sys, &m);
			total += c.collect_cycles - 1; /* dispatch is the cycle after the last operand */
			m.free_ports = 0;
			c = simulate(&s, &sys, &m);
			assert_int_equal(c.collect_cycles - 1, r); /* one port: one operand a cycle */
			ct_mk_stream_free(&s);
		}
		assert_true((double)total / (1u << r) == want[r]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_twin),
		cmocka_unit_test(laws),
		cmocka_unit_test(bank_conflicts_are_binomial),
	};
	return cmocka_run_group_tests_name("malekeh_core", tests, NULL, NULL);
}
