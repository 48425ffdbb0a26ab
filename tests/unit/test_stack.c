/* Both engines of stack.h against the brute-force list, on seeded random programs of
 * every call, with windows so small that compaction happens all the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/stack.h"
#include "tests/support/brute_stack.h"

struct plan {
	enum ct_stack_engine engine;
	uint32_t sectors;
	uint64_t window, lines, spread; /* line addresses: number * spread, scrambled if 0 */
	int calls, touches_only;
};

static uint64_t pick_line(const struct plan *p, uint64_t *seed)
{
	uint64_t r = ct_rand64(seed), n = p->lines;
	uint64_t line = r % 4 ? (r >> 8) % n : (r >> 8) % (n / 8 + 1); /* some hot lines */
	return p->spread ? line * p->spread : ct_mix64(line);
}

static void check_access(struct ct_stack *s, struct brute_stack *b, const struct plan *p,
                         uint64_t line, uint64_t what, uint32_t mask)
{
	uint64_t got[4] = {1, 1, 1, 1}, want[4] = {1, 1, 1, 1};
	uint32_t all = (1u << p->sectors) - 1;
	uint64_t d = brute_probe(b, line);
	if (what < 4) {
		assert_int_equal(ct_stack_touch(s, line), brute_access(b, line, all, 1, 1, NULL));
	} else if (what < 9) {
		assert_int_equal(ct_stack_touch_sectors(s, line, mask, got),
		                 brute_access(b, line, mask & all, 1, 1, want));
	} else if (what < 11) {
		assert_int_equal(ct_stack_store_noalloc(s, line),
		                 brute_access(b, line, 0, 0, 0, NULL));
	} else {
		assert_int_equal(ct_stack_store_noalloc_sectors(s, line, mask, got),
		                 brute_access(b, line, mask & all, 0, 0, want));
	}
	if (p->sectors == 1 && what >= 4) /* one sector: its distance is the line's */
		want[0] = mask & 1 && (what < 9 || what >= 11) ? d : 1;
	assert_memory_equal(got, want, sizeof got);
}

static void check_batch(struct ct_stack *s, struct brute_stack *b, const struct plan *p,
                        uint64_t *seed)
{
	static uint64_t line[1000], got[1000];
	size_t n = ct_rand64(seed) % (ct_rand64(seed) % 8 ? 70 : 1000);
	for (size_t i = 0; i < n; i++)
		line[i] = pick_line(p, seed);
	ct_stack_touch_batch(s, line, n, got);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got[i], brute_access(b, line[i], 15, 1, 1, NULL));
}

static void run_plan(const struct plan *p, uint64_t seed)
{
	struct ct_stack_options o = {.engine = p->engine, .sectors = p->sectors,
	                             .window = p->window};
	struct ct_error e;
	struct ct_stack *s = ct_stack_new(&o, &e);
	struct brute_stack b = {0};
	assert_non_null(s);
	for (int i = 0; i < p->calls; i++) {
		uint64_t line = pick_line(p, &seed), r = ct_rand64(&seed);
		uint64_t what = p->touches_only ? r % 9 : r % 16;
		assert_int_equal(ct_stack_probe(s, line), brute_probe(&b, line));
		if (what == 15 && (r >> 20) % 64 == 0) {
			ct_stack_flush(s);
			brute_free(&b);
		} else if (what == 14) {
			ct_stack_invalidate(s, line);
			brute_invalidate(&b, line);
		} else if (what == 13 || (what == 8 && (r >> 20) % 8 == 0)) {
			check_batch(s, &b, p, &seed);
		} else {
			check_access(s, &b, p, line, what, (uint32_t)(r >> 32));
		}
		assert_int_equal(ct_stack_lines(s), b.n);
	}
	assert_int_equal(ct_stack_check(s, &e), 0);
	assert_true(ct_stack_bytes(s) > 0);
	ct_stack_free(s);
	brute_free(&b);
}

static void sweep(enum ct_stack_engine engine)
{
	static const uint64_t lines[] = {1, 2, 3, 17, 64, 65, 200, 700};
	static const uint64_t windows[] = {0, 1, 2, 3, 5, 64, 100, 128, 4096};
	uint64_t seed = 1;
	for (int i = 0; i < 400; i++) {
		uint64_t r = ct_rand64(&seed);
		struct plan p = {.engine = engine, .sectors = 1 + (uint32_t)(r % 4),
		                 .window = windows[(r >> 8) % 9], .lines = lines[(r >> 16) % 8],
		                 .spread = (r >> 24) % 3 ? (r >> 26) % 3 * 31 : 1,
		                 .calls = 250, .touches_only = (r >> 30) % 2};
		run_plan(&p, r);
	}
}

static void textbook_equals_brute_force(void **state)
{
	(void)state;
	sweep(CT_STACK_TEXTBOOK);
}

static void default_engine_equals_brute_force(void **state)
{
	(void)state;
	sweep(CT_STACK_AUTO);
}

static void distances_of_a_known_stream(void **state)
{
	static const uint64_t line[] = {5, 5, 7, 9, 5, UINT64_MAX, 0, 7, UINT64_MAX};
	static const uint64_t want[] = {CT_COLD, 0, CT_COLD, CT_COLD, 2, CT_COLD, CT_COLD, 4, 2};
	uint64_t got[9];
	struct ct_stack *s = ct_stack_new(NULL, NULL);
	(void)state;
	assert_non_null(s);
	ct_stack_touch_batch(s, line, 9, got);
	assert_memory_equal(got, want, sizeof want);
	assert_int_equal(ct_stack_probe(s, 9), 4);
	assert_int_equal(ct_stack_probe(s, 8), CT_COLD);
	ct_stack_free(s);
	ct_stack_free(NULL);
}

/* A sector keeps the largest line distance since its own last touch. */
static void sectors_keep_the_largest_distance(void **state)
{
	struct ct_stack_options o = {.sectors = 4};
	struct ct_stack *s = ct_stack_new(&o, NULL);
	uint64_t d[4];
	(void)state;
	assert_non_null(s);
	ct_stack_touch_sectors(s, 1, 3, d);
	assert_true(d[0] == CT_COLD && d[1] == CT_COLD);
	ct_stack_touch(s, 2);
	ct_stack_touch(s, 3);
	assert_int_equal(ct_stack_touch_sectors(s, 1, 1, d), 2);
	assert_int_equal(d[0], 2);
	assert_int_equal(ct_stack_touch_sectors(s, 1, 6, d), 0);
	assert_int_equal(d[1], 2); /* untouched while the line was at distance 2 */
	assert_int_equal(d[2], CT_COLD);
	assert_int_equal(ct_stack_touch_sectors(s, 1, 2, d), 0);
	assert_int_equal(d[1], 0);
	ct_stack_free(s);
}

static void too_many_sectors_are_refused(void **state)
{
	struct ct_stack_options o = {.sectors = 5};
	struct ct_error e;
	(void)state;
	assert_null(ct_stack_new(&o, &e));
	assert_int_equal(e.status, CT_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(textbook_equals_brute_force),
		cmocka_unit_test(default_engine_equals_brute_force),
		cmocka_unit_test(distances_of_a_known_stream),
		cmocka_unit_test(sectors_keep_the_largest_distance),
		cmocka_unit_test(too_many_sectors_are_refused),
	};
	return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
