#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/regs.h"

#define R(n) CT_REG_MAKE(CT_REG_R, n)
#define P(n) CT_REG_MAKE(CT_REG_P, n)

static struct ct_regs regs;
static struct ct_hist insts, distinct;

static int clear(void **state)
{
	(void)state;
	memset(&regs, 0, sizeof regs);
	memset(&insts, 0, sizeof insts);
	memset(&distinct, 0, sizeof distinct);
	return 0;
}

static void step(ct_reg dst, ct_reg a, ct_reg b)
{
	struct ct_sinst s = {.ndst = dst != CT_REG_RZ, .nsrc = 2, .dst = {dst}, .src = {a, b}};
	ct_regs_step(&regs, &s, &insts, &distinct);
}

static void distances_start_at_one(void **state)
{
	(void)state;
	step(R(1), CT_REG_RZ, CT_REG_URZ); /* writes R1, reads nothing */
	assert_int_equal(ct_hist_total(&insts), 0);
	step(R(2), R(1), R(1)); /* one distinct source, written one before */
	assert_int_equal(ct_hist_total(&insts), 1);
	assert_int_equal(insts.count[1], 1);
	assert_int_equal(distinct.count[1], 1);
	step(R(3), R(4), R(5)); /* never accessed: cold */
	assert_int_equal(insts.cold, 2);
	assert_int_equal(distinct.cold, 2);
	step(R(1), R(1), R(2)); /* R1 last read 2 ago; R2, R4, R5, R3 accessed since */
	assert_int_equal(insts.count[2], 2);
	assert_int_equal(distinct.count[5], 1);
	assert_int_equal(distinct.count[4], 1);     /* R2: R4, R5, R3 since */
	assert_int_equal(ct_hist_total(&insts), 5); /* R1 as destination counts nothing */
}

static void predicates_are_no_registers_here(void **state)
{
	(void)state;
	step(P(0), P(0), P(1));
	step(P(0), P(0), P(1));
	assert_int_equal(ct_hist_total(&insts), 0);
	step(CT_REG_MAKE(CT_REG_UR, 4), R(4), R(4));
	step(CT_REG_RZ, CT_REG_MAKE(CT_REG_UR, 4), R(4)); /* two files, two registers */
	assert_int_equal(insts.count[1], 2);
}

/* DFMA R4, R2, R8, R4: six reads of pairs, four distinct registers of them twice named. */
static void pairs_are_two_registers(void **state)
{
	struct ct_sinst s = {.ndst = 1,
	                     .nsrc = 3,
	                     .dst = {R(4)},
	                     .src = {R(2), R(8), R(4)},
	                     .dst_regs = {2},
	                     .src_regs = {2, 2, 2}};
	(void)state;
	ct_regs_step(&regs, &s, &insts, &distinct);
	assert_int_equal(insts.cold, 6);
	ct_regs_step(&regs, &s, &insts, &distinct);
	assert_int_equal(insts.count[1], 6);
	/* on top of the stack lie R5 and R4, then R9, R8, R3, R2 */
	for (unsigned d = 1; d <= 6; d++)
		assert_int_equal(distinct.count[d], 1);
}

static void reset_makes_all_cold(void **state)
{
	(void)state;
	step(R(1), R(2), R(3));
	ct_regs_reset(&regs);
	step(R(1), R(2), R(3));
	assert_int_equal(insts.cold, 4);
	assert_int_equal(insts.count[1], 0);
}

/* Twin: the whole history is kept and searched backwards. */
struct history {
	ct_reg reg[6];
	unsigned n;
};

static void twin_source(const struct history *h, unsigned now, ct_reg reg, struct ct_hist *i,
                        struct ct_hist *d)
{
	uint8_t seen[512] = {0};
	unsigned others = 0;
	for (unsigned t = now; t-- > 0;)
		for (unsigned k = h[t].n; k-- > 0;) {
			if (h[t].reg[k] == reg) {
				ct_hist_add(i, now - t, 1);
				ct_hist_add(d, others + 1, 1);
				return;
			}
			others += !seen[h[t].reg[k]];
			seen[h[t].reg[k]] = 1;
		}
	ct_hist_add(i, CT_COLD, 1);
	ct_hist_add(d, CT_COLD, 1);
}

/* A register of either file. */
static ct_reg any_register(uint64_t *seed, unsigned registers)
{
	unsigned n = (unsigned)(ct_rand64(seed) % registers);
	return n % 8 ? R(n) : CT_REG_MAKE(CT_REG_UR, n % 63);
}

/* The first program is so long that times are numbered anew. */
static void random_programs_equal_the_twin(void **state)
{
	enum { LONG = 20000, SHORT = 400 };
	static struct history h[LONG];
	static struct ct_hist ti, td;
	uint64_t seed = 3;
	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		unsigned registers = 1 + (unsigned)(ct_rand64(&seed) % (round ? 60 : 250));
		clear(NULL);
		memset(&ti, 0, sizeof ti);
		memset(&td, 0, sizeof td);
		for (unsigned t = 0; t < (round ? SHORT : LONG); t++) {
			struct ct_sinst s = {.nsrc = (uint8_t)(ct_rand64(&seed) % 5),
			                     .ndst = (uint8_t)(ct_rand64(&seed) % 3)};
			h[t].n = 0;
			for (unsigned i = 0; i < s.nsrc; i++) {
				unsigned dup = 0;
				s.src[i] = any_register(&seed, registers);
				for (unsigned k = 0; k < i; k++)
					dup |= s.src[k] == s.src[i];
				if (!dup)
					twin_source(h, t, s.src[i], &ti, &td);
			}
			for (unsigned i = 0; i < s.nsrc; i++)
				h[t].reg[h[t].n++] = s.src[i];
			for (unsigned i = 0; i < s.ndst; i++)
				h[t].reg[h[t].n++] = s.dst[i] = any_register(&seed, registers);
			ct_regs_step(&regs, &s, &insts, &distinct);
		}
		assert_memory_equal(&insts, &ti, sizeof ti);
		assert_memory_equal(&distinct, &td, sizeof td);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(distances_start_at_one, clear),
		cmocka_unit_test_setup(predicates_are_no_registers_here, clear),
		cmocka_unit_test_setup(pairs_are_two_registers, clear),
		cmocka_unit_test_setup(reset_makes_all_cold, clear),
		cmocka_unit_test_setup(random_programs_equal_the_twin, clear),
	};
	return cmocka_run_group_tests_name("regs", tests, NULL, NULL);
}
