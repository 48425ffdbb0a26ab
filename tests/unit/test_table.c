#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/table.h"

static void aligns_numbers_right_and_text_left(void **state)
{
	struct ct_table t = {.columns = 4};
	struct ct_buf b = {0};
	(void)state;
	ct_table_cell(&t, "scope");
	ct_table_cell(&t, "misses");
	ct_table_cell(&t, "rate");
	ct_table_cell(&t, "why");
	ct_table_cell(&t, "all");
	ct_table_count(&t, 1234567);
	ct_table_percent(&t, 0.5);
	ct_table_cell(&t, "9 lives");
	ct_table_cell(&t, "n\xc3\xa9\x1b[0m");
	ct_table_count(&t, 7);
	ct_table_percent(&t, NAN);
	ct_table_cell(&t, "x");
	ct_table_render(&t, &b);
	assert_string_equal(b.data, "scope      misses    rate  why\n"
	                            "all     1,234,567  50.0 %  9 lives\n"
	                            "n\xc3\xa9?[0m          7       -  x\n");
	assert_int_equal(t.count, 0);
	ct_buf_free(&b);
}

/* A reason that begins with a number is no number: it wraps on the left, rather than that columns go. */
static void sentences_begin_with_numbers(void **state)
{
	static const struct ct_table_style narrow = {.width = 36};
	static const unsigned char rank[] = {0, 2, 0};
	struct ct_table t = {.columns = 3, .style = &narrow, .rank = rank};
	struct ct_buf b = {0};
	(void)state;
	ct_table_cell(&t, "name");
	ct_table_cell(&t, "SMs");
	ct_table_cell(&t, "reason");
	ct_table_cell(&t, "bfs");
	ct_table_cell(&t, "4/68");
	ct_table_cell(&t, "0 evictions from the L1s: nothing to act on");
	ct_table_render(&t, &b);
	assert_string_equal(b.data, "name   SMs  reason\n"
	                            "bfs   4/68  0 evictions from the\n"
	                            "            L1s: nothing to act on\n");
	ct_buf_free(&b);
}

static void lines_end_without_blanks(void **state)
{
	struct ct_table t = {.columns = 3};
	struct ct_buf b = {0};
	(void)state;
	ct_table_render(&t, &b);
	assert_int_equal(b.len, 0);
	ct_table_cell(&t, "a");
	ct_table_cell(&t, "long head");
	ct_table_cell(&t, "%s", "");
	ct_table_cell(&t, "%s", "");
	ct_table_cell(&t, "b");
	ct_table_cell(&t, "%s", "");
	ct_table_cell(&t, "c");
	ct_table_render(&t, &b);
	assert_string_equal(b.data, "a  long head\n   b\nc\n");
	ct_buf_free(&b);
}

static void numbers_for_people(void **state)
{
	static const double v[] = {0,     1,          1.0 / 3, 0.99999, 12.345, 99.96, 999.4,
	                           999.6, -1234567.8, 0.00012, 1e20,    NAN,    -0.0};
	static const char want[] =
		"x\n0\n1.00\n0.333\n1.00\n12.3\n100\n999\n1,000\n-1,234,568\n0.00012\n"
		"1e+20\n-\n0\n18,446,744,073,709,551,615\n5 MiB\n0.0 %\n";
	struct ct_table t = {.columns = 1};
	struct ct_buf b = {0};
	(void)state;
	ct_table_cell(&t, "x");
	for (size_t i = 0; i < sizeof v / sizeof v[0]; i++)
		ct_table_real(&t, v[i]);
	ct_table_count(&t, UINT64_MAX);
	ct_table_size(&t, 5 << 20);
	ct_table_percent(&t, -0.0);
	ct_table_render(&t, &b);
	/* Alignment is tested above: blanks at the front do not matter here. */
	struct ct_buf plain = {0};
	for (size_t i = 0; i < b.len; i++)
		if (b.data[i] != ' ' || (i > 0 && b.data[i - 1] != ' ' && b.data[i - 1] != '\n'))
			ct_buf_putc(&plain, b.data[i]);
	assert_string_equal(plain.data, want);
	ct_buf_free(&b);
	ct_buf_free(&plain);
}

static void long_cells_are_whole(void **state)
{
	struct ct_table t = {.columns = 1};
	struct ct_buf b = {0};
	char name[2000];
	(void)state;
	memset(name, 'k', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	ct_table_cell(&t, "%s", name);
	ct_table_render(&t, &b);
	assert_int_equal(b.len, sizeof name);
	ct_buf_free(&b);
}

static void names_are_cut_in_the_middle(void **state)
{
	struct ct_table t = {.columns = 1};
	struct ct_buf b = {0};
	(void)state;
	ct_table_name(&t, "name:k");
	ct_table_name(&t, "123456789012345678901234567890123456789012345678");
	ct_table_name(&t, "1234567890123456789012345678901234567890123456789");
	ct_table_name(&t, "\xc3\xa9"
	                  "23456789012345678901234567890123456789\xc3\xa9"
	                  "234567890123456\xc3\xa9");
	ct_table_render(&t, &b);
	assert_string_equal(b.data, "name:k\n"
	                            "123456789012345678901234567890123456789012345678\n"
	                            "123456789012345678901234567890..4567890123456789\n"
	                            "\xc3\xa9"
	                            "23456789012345678901234567890..234567890123456\xc3\xa9\n");
	ct_buf_free(&b);
}

/* A third of the room would be the end of both, and the same. */
static void cut_names_differ_where_they_can(void **state)
{
	const struct ct_table_style style = {.width = 24};
	static const unsigned char rank[] = {0, 0};
	struct ct_table t = {.columns = 2, .style = &style, .rank = rank};
	struct ct_buf b = {0};
	(void)state;
	ct_table_cell(&t, "name");
	ct_table_cell(&t, "v");
	ct_table_cell(&t, "Morpheus-Basic/No-Prediction");
	ct_table_cell(&t, "1");
	ct_table_cell(&t, "Morpheus-Basic/Perfect-Prediction");
	ct_table_cell(&t, "2");
	ct_table_render(&t, &b);
	const char *first = strchr(b.data, '\n') + 1, *second = strchr(first, '\n') + 1;
	assert_non_null(strstr(first, ".."));
	assert_non_null(strstr(second, ".."));
	assert_true(strncmp(first, second, (size_t)(strstr(first, "  ") - first)) != 0);
	ct_buf_free(&b);
}

static void bars_and_sparks(void **state)
{
	static const double v[] = {0, 0.5, 1, NAN, 4};
	struct ct_table t = {.columns = 1};
	struct ct_buf b = {0};
	(void)state;
	for (int utf8 = 0; utf8 < 2; utf8++) {
		const struct ct_table_style style = {.utf8 = utf8};
		t.style = &style;
		ct_table_cell(&t, "x");
		ct_table_bar(&t, 0.5, 4);
		ct_table_bar(&t, 0.3, 4);
		ct_table_bar(&t, 7, 2);
		ct_table_bar(&t, NAN, 2);
		ct_table_spark(&t, v, 5, 0, 4);
		ct_table_render(&t, &b);
	}
	assert_string_equal(b.data, "x\n##\n#\n##\n\n_.- @\n"
	                            "x\n\xe2\x96\x88\xe2\x96\x88\n\xe2\x96\x88\xe2\x96\x8f\n"
	                            "\xe2\x96\x88\xe2\x96\x88\n\n"
	                            "\xe2\x96\x81\xe2\x96\x82\xe2\x96\x83 \xe2\x96\x88\n");
	ct_buf_free(&b);
}

static void a_terminal_has_a_width_and_colours(void **state)
{
	static const struct ct_table_style style = {.color = 1, .width = 36};
	struct ct_table t = {.columns = 2, .style = &style};
	struct ct_buf b = {0};
	(void)state;
	ct_table_cell(&t, "verdict");
	ct_table_cell(&t, "why");
	ct_table_cell(&t, "benefits");
	ct_table_cell(&t, "a working set of nine mebibytes fits");
	ct_table_render(&t, &b);
	assert_string_equal(b.data, "verdict   why\n\033[32mbenefits\033[0m  a working set of nine\n"
	                            "          mebibytes fits\n");
	ct_buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bars_and_sparks),
		cmocka_unit_test(a_terminal_has_a_width_and_colours),
		cmocka_unit_test(aligns_numbers_right_and_text_left),
		cmocka_unit_test(lines_end_without_blanks),
		cmocka_unit_test(sentences_begin_with_numbers),
		cmocka_unit_test(numbers_for_people),
		cmocka_unit_test(long_cells_are_whole),
		cmocka_unit_test(names_are_cut_in_the_middle),
		cmocka_unit_test(cut_names_differ_where_they_can),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
