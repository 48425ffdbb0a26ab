/* CTAs made of instructions: what goes in comes out of the cursors, in any order of the warps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/cta_maker.h"

enum { WARPS = 5, CODES = 7 };

struct given {
	uint32_t sid, mask, value[34];
	unsigned nvalues;
	int has_addresses;
	uint64_t lane[32];
};

static uint64_t state = 1;

static uint32_t draw(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

static struct ct_cta_maker *make(uint32_t sid[CODES])
{
	static const char *const opcodes[CODES] = {
		"MOV", "IADD3", "LDG.E", "STS.64", "FFMA", "LDG.E.128", "EXIT"};
	static char name[] = "k";
	struct ct_kernel k = {.id = 1, .name = name, .grid = {4, 1, 1}, .block = {32 * WARPS, 1, 1}};
	struct ct_cta_maker *m;
	struct ct_error e;
	assert_int_equal(ct_cta_maker_new(&m, &k, 0, &e), CT_OK);
	for (unsigned i = 0; i < CODES; i++) {
		struct ct_sinst s = {.pc = 16 * i, .opcode = opcodes[i], .ndst = 1, .dst = {4}};
		s.width_field = i == 2 ? 4 : i == 3 ? 8 : i == 5 ? 16 : 0;
		assert_int_equal(ct_cta_maker_code(m, &s, &sid[i], &e), CT_OK);
		assert_int_equal(sid[i], i);
	}
	return m;
}

/* A random instruction: addresses strided, in runs, or anywhere. */
static struct given random_one(void)
{
	struct given g = {.sid = draw(CODES),
	                  .mask = draw(3)   ? UINT32_MAX
	                          : draw(4) ? draw(1u << 31)
	                                    : 0};
	g.has_addresses = g.sid == 2 || g.sid == 3 || g.sid == 5;
	uint64_t base = draw(1u << 30) * UINT64_C(4096), stride = draw(3) ? draw(16) * 4 : 0;
	unsigned how = draw(3);
	for (unsigned l = 0; l < 32; l++)
		g.lane[l] = how == 2 ? base + draw(1u << 20) * (l + UINT64_C(1))
		                     : base + stride * (how ? l / 4 : l);
	if (draw(8) == 0) {
		g.nvalues = 2;
		g.value[0] = 1;
		g.value[1] = draw(1u << 30);
	}
	return g;
}

static void check_warp(struct ct_cta *cta, uint32_t w, const struct given *want, size_t n)
{
	struct ct_cursor *c;
	struct ct_error e;
	struct ct_inst got;
	assert_int_equal(ct_cta_warp(cta, w)->insts, n);
	assert_int_equal(ct_cursor_open(&c, cta, w, &e), CT_OK);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(ct_cursor_next(c, &got, &e), 1);
		assert_int_equal(got.sid, want[i].sid);
		assert_int_equal(got.mask, want[i].mask);
		assert_int_equal(got.nvalues, want[i].nvalues);
		if (want[i].nvalues)
			assert_int_equal(got.values[1], want[i].value[1]);
		unsigned k = 0;
		for (unsigned l = 0; want[i].has_addresses && l < 32; l++)
			if (want[i].mask >> l & 1)
				assert_int_equal(got.addr[k++], want[i].lane[l]);
		assert_int_equal(got.naddr, k);
		assert_int_equal(got.addr_form != CT_ADDR_NONE, want[i].has_addresses);
	}
	assert_int_equal(ct_cursor_next(c, &got, &e), 0);
	ct_cursor_close(c);
}

/* Few and very many instructions per warp: those of 64 KiB and more are cut into segments. */
static void test_round_trip(void **unused)
{
	(void)unused;
	static const size_t most[] = {0, 40, 3000, 60000};
	uint32_t sid[CODES];
	struct ct_error e;
	struct ct_cta_maker *m = make(sid);
	for (unsigned round = 0; round < 4; round++) {
		size_t n[WARPS] = {0};
		struct given *all[WARPS];
		struct ct_cta *cta;
		for (unsigned w = 0; w < WARPS; w++)
			all[w] = calloc(most[round] + 1, sizeof *all[w]);
		assert_int_equal(ct_cta_maker_begin(m, round, WARPS, &e), CT_OK);
		for (size_t i = 0; i < most[round]; i++) {
			unsigned w = draw(i % 7 ? 2 : WARPS);
			struct given g = random_one();
			all[w][n[w]++] = g;
			assert_int_equal(
				ct_cta_maker_put(m, w, g.sid, g.mask, g.has_addresses ? g.lane : NULL,
			                         g.nvalues ? g.value : NULL, g.nvalues, &e),
				CT_OK);
		}
		assert_int_equal(ct_cta_maker_end(m, &cta, &e), CT_OK);
		assert_int_equal(ct_cta_index(cta), round);
		assert_int_equal(ct_cta_warps(cta), WARPS);
		for (unsigned w = 0; w < WARPS; w++) {
			check_warp(cta, w, all[w], n[w]);
			free(all[w]);
		}
		ct_cta_unref(cta);
	}
	ct_cta_maker_free(m);
}

/* A CTA may outlive its maker, and one that was begun need not be ended. */
static void test_lives(void **unused)
{
	(void)unused;
	uint32_t sid[CODES];
	struct ct_error e;
	struct ct_cta *cta;
	struct ct_cta_maker *m = make(sid);
	assert_int_equal(ct_cta_maker_begin(m, 2, 1, &e), CT_OK);
	assert_int_equal(ct_cta_maker_put(m, 0, sid[6], 3, NULL, NULL, 0, &e), CT_OK);
	assert_int_equal(ct_cta_maker_end(m, &cta, &e), CT_OK);
	assert_int_equal(ct_cta_maker_begin(m, 3, 2, &e), CT_OK);
	ct_cta_maker_free(m);
	assert_string_equal(ct_code_at(ct_cta_code(cta), 6)->opcode, "EXIT");
	assert_int_equal(ct_code_at(ct_cta_code(cta), 6)->unit, CT_CLASS_EXIT);
	assert_string_equal(ct_cta_kernel(cta)->name, "k");
	ct_cta_unref(cta);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_lives)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
