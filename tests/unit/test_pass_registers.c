/* Registers of whole CTAs against every warp by itself: warps of equal, similar and very long streams, in several launches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/regs.h"
#include "pass/private/registers.h"
#include "tests/support/microtrace.h"
#include "trace/trace.h"

enum { CODE = 40, WARPS = 8, CTAS = 30, MANY = 400, LONG = 30000 };

/* The instruction at a place of the code: the same registers wherever it is written. */
static void put_inst(struct micro *m, unsigned at)
{
	m->pc = 16 * at;
	if (at % 7 == 3)
		micro_line(m, "ffffffff 1 R%u LDG.E 1 R%u 4 1 0x10000000 4", at % 5, at % 11 + 1);
	else
		micro_line(m, "ffffffff 1 R%u IADD3 2 R%u R%u 0", at * 3 % 17, at % 13, at * 5 % 29);
}

/* n instructions of a walk through the code that the seed chooses. */
static void put_walk(struct micro *m, uint32_t warp, unsigned n, uint64_t seed)
{
	unsigned at = 0;
	micro_warp(m, warp, n);
	for (unsigned i = 0; i < n; i++) {
		put_inst(m, at);
		at = ct_rand64(&seed) % 4 ? (at + 1) % CODE : (unsigned)(ct_rand64(&seed) % CODE);
	}
}

/* Each instruction a jump, in one of many orders. */
static void put_jumps(struct micro *m, uint32_t warp, unsigned n, unsigned order)
{
	micro_warp(m, warp, n);
	for (unsigned i = 0; i < n; i++)
		put_inst(m, i < 8 ? (order >> i & 1) * 20 + 2 * i : i * 3 % CODE);
}

/* Three times the same warps, of more jumps together than are kept. */
static void put_long_ways(struct micro *m)
{
	enum { WAYS = 72, JUMPS = 4000 };
	micro_kernel(m, "ways", 3 * WAYS / WARPS, WARPS * 32, 0, 32);
	for (unsigned w = 0; w < 3 * WAYS; w++) {
		if (w % WARPS == 0)
			micro_cta(m);
		put_jumps(m, w % WARPS, JUMPS, w % WAYS);
		if (w % WARPS == WARPS - 1)
			micro_cta_end(m);
	}
}

/* Three of four warps take one of few ways, the others one of their own; one is very long, of jumps alone. */
static void put_launch(struct micro *m, uint64_t seed)
{
	micro_kernel(m, "k", CTAS, WARPS * 32, 0, 32);
	for (unsigned c = 0; c < CTAS; c++) {
		micro_cta(m);
		for (unsigned w = 0; w < WARPS; w++) {
			uint64_t r = ct_rand64(&seed);
			if (c == CTAS / 2 && w == 3)
				put_walk(m, w, LONG, r);
			else if (r % 4)
				put_walk(m, w, 20 + (unsigned)(r / 4 % 3), r / 4 % 9);
			else
				put_walk(m, w, (unsigned)(r / 4 % MANY), r);
		}
		micro_cta_end(m);
	}
}

/* Counts each warp as it comes. Returns the instructions. */
static uint64_t count_warps(struct ct_cta *cta, struct ct_hist *insts, struct ct_hist *distinct)
{
	static struct ct_regs regs;
	struct ct_cursor *c;
	struct ct_inst inst;
	uint64_t n = 0;
	for (uint32_t i = 0; i < ct_cta_warps(cta); i++) {
		assert_int_equal(ct_cursor_open(&c, cta, i, NULL), CT_OK);
		memset(&regs, 0, sizeof regs);
		for (; ct_cursor_next(c, &inst, NULL) > 0; n++)
			ct_regs_step(&regs, ct_code_at(ct_cta_code(cta), inst.sid), insts, distinct);
		ct_cursor_close(c);
	}
	return n;
}

static void streams_count_as_their_warps(void **state)
{
	static struct ct_hist insts, distinct, one_insts, one_distinct;
	struct micro m = {{0}, 0, 0};
	struct ct_source *s = NULL;
	struct ct_trace *t = NULL;
	struct ct_event ev;
	struct ct_cta *cta;
	struct ct_error e = {0};
	struct ct_pass_registers *r = ct_pass_registers_new();
	unsigned launches = 0;
	(void)state;
	assert_non_null(r);
	for (uint64_t k = 0; k < 3; k++)
		put_launch(&m, 7 + k % 2); /* the third is the first again */
	put_long_ways(&m);
	assert_int_equal(ct_source_open_memory(&s, "micro", m.text.data, m.text.len, &e), CT_OK);
	assert_int_equal(ct_trace_open_source(&t, s, NULL, &e), CT_OK);
	for (; ct_trace_next(t, &ev, &e) > 0; launches++) {
		uint64_t n = 0;
		while (ct_trace_next_cta(t, &cta, &e) > 0) {
			n += count_warps(cta, &one_insts, &one_distinct);
			assert_int_equal(ct_pass_registers_cta(r, cta, &e), CT_OK);
			ct_cta_unref(cta);
		}
		assert_int_equal(ct_pass_registers_collect(r, &insts, &distinct), n);
		assert_true(n > LONG);
		assert_memory_equal(&insts, &one_insts, sizeof insts);
		assert_memory_equal(&distinct, &one_distinct, sizeof distinct);
	}
	assert_int_equal(launches, 4);
	assert_int_equal(ct_pass_registers_collect(r, &insts, &distinct), 0);
	ct_pass_registers_free(r);
	ct_trace_close(t);
	ct_buf_free(&m.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(streams_count_as_their_warps)};
	return cmocka_run_group_tests_name("pass_registers", tests, NULL, NULL);
}
