/* Numbers of lines are those of their first appearance, where lines lie together and where they are scattered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "locality/linemap.h"

enum { TABLE = 1 << 20, STEP = 1000 };

/* The twin: an open table with room for all. */
struct twin {
	uint64_t *line; /* + 1 */
	uint32_t *number, used;
};

static uint32_t number_of(struct twin *t, uint64_t line)
{
	size_t i = (size_t)(line * 0x9e3779b97f4a7c15u >> 44) % TABLE;
	while (t->line[i] && t->line[i] != line + 1)
		i = (i + 1) % TABLE;
	if (!t->line[i]) {
		t->line[i] = line + 1;
		t->number[i] = t->used++;
	}
	return t->number[i];
}

/* n lines that come again and again, near each other or anywhere in 57 bits, in steps of odd sizes. */
static void enter_lines(struct ct_linemap *m, struct twin *t, uint64_t from, uint64_t reach, uint32_t n)
{
	struct ct_line_access a[STEP];
	uint32_t got[STEP];
	memset(a, 0, sizeof a);
	for (uint32_t i = 0, part; i < n; i += part) {
		part = 1 + (uint32_t)(ct_mix64(from + i) % STEP);
		part = part < n - i ? part : n - i;
		for (uint32_t k = 0; k < part; k++)
			a[k].line = from + ct_mix64((i + k) * 3 / 4 + from) % reach;
		assert_int_equal(ct_linemap_enter(m, a, part, got), 0);
		for (uint32_t k = 0; k < part; k++)
			assert_int_equal(got[k], number_of(t, a[k].line));
	}
	assert_int_equal(m->used, t->used);
}

static void with_map(void (*body)(struct ct_linemap *m, struct twin *t))
{
	struct ct_linemap m = {0};
	struct twin t = {.line = calloc(TABLE, sizeof *t.line),
	                 .number = calloc(TABLE, sizeof *t.number)};
	assert_non_null(t.line);
	assert_non_null(t.number);
	assert_int_equal(ct_linemap_init(&m), 0);
	body(&m, &t);
	ct_linemap_free(&m);
	free(t.line);
	free(t.number);
}

static void near_each_other(struct ct_linemap *m, struct twin *t)
{
	enter_lines(m, t, 1u << 30, 300000, 400000);
	assert_false(m->is_sparse);
}

static void scattered(struct ct_linemap *m, struct twin *t)
{
	enter_lines(m, t, 5, (uint64_t)1 << 57, 300000);
	assert_true(m->is_sparse);
}

/* Lines that were numbered while they lay together keep their numbers when others scatter. */
static void scattered_later(struct ct_linemap *m, struct twin *t)
{
	enter_lines(m, t, 1u << 20, 100000, 150000);
	assert_false(m->is_sparse);
	enter_lines(m, t, 77, (uint64_t)1 << 57, 300000);
	assert_true(m->is_sparse);
	enter_lines(m, t, 1u << 20, 100000, 150000);
}

static void test_near(void **state)
{
	(void)state;
	with_map(near_each_other);
}

static void test_scattered(void **state)
{
	(void)state;
	with_map(scattered);
}

static void test_scattered_later(void **state)
{
	(void)state;
	with_map(scattered_later);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_near), cmocka_unit_test(test_scattered),
	                                   cmocka_unit_test(test_scattered_later)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
