/* Escaped text is read back by readers written from the languages' rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/items.h"
#include "base/utf8.h"

static void check(void (*escape)(struct ct_buf *, const char *), const char *text, const char *want)
{
	struct ct_buf b = {0};
	escape(&b, text);
	ct_buf_putc(&b, '\0');
	assert_int_equal(b.failed, 0);
	assert_string_equal(b.data, want);
	ct_buf_free(&b);
}

static void known_texts(void **state)
{
	(void)state;
	check(ct_escape_markup, "a<b>&\"c'\x01\x7f\xc3\xa9", "a&lt;b&gt;&amp;&quot;c&#39;??\xc3\xa9");
	check(ct_escape_json, "a\"\\\t\n\x01\x7f\xff\xc3\xa9",
	      "\"a\\\"\\\\\\t\\n\\u0001\\u007f\\\\xFF\xc3\xa9\"");
	check(ct_escape_json, "", "\"\"");
	check(ct_escape_field, "a\\\t\n\x01\xff\xc3\xa9'", "a\\\\\\t\\n\\x01\\xFF\xc3\xa9'");
	check(ct_escape_field, "", "");
	check(ct_escape_csv, "plain text", "plain text");
	check(ct_escape_csv, "a,\"b\"", "\"a,\"\"b\"\"\"");
	check(ct_escape_csv, "a\nb", "\"a\nb\"");
	check(ct_escape_shell, "runs/a=1.ctz", "runs/a=1.ctz");
	check(ct_escape_shell, "", "''");
	check(ct_escape_shell, "it's $HOME", "'it'\\''s $HOME'");
}

static void markdown_keeps_a_cell_one_cell(void **state)
{
	struct ct_buf b = {0};
	(void)state;
	ct_escape_markdown(&b, "a|b\n`c`<&>", 100);
	ct_escape_markdown(&b, " abc\xc3\xa9zz", 5); /* the fifth byte ends a character of two */
	ct_buf_putc(&b, '\0');
	assert_string_equal(b.data, "a&#124;b &#96;c&#96;&#60;&amp;&#62; abc\xc3\xa9...");
	ct_buf_free(&b);
}

/* ---- read back ---- */

static void draw_text(uint64_t *rng, char *out, size_t n)
{
	static const char *const piece[] = {
		"a",    "'",    "\"",   "\\",       "\t",           "\n", ",", "\r", "$", "`", " ",
		"\x01", "\x7f", "\xff", "\xc3\xa9", "\xe2\x82\xac", "&",  "<", "x4", "!", "*"};
	size_t at = 0;
	for (size_t left = ct_rand64(rng) % n; left > 0 && at + 4 < n; left--) {
		const char *p = piece[ct_rand64(rng) % (sizeof piece / sizeof piece[0])];
		memcpy(out + at, p, strlen(p));
		at += strlen(p);
	}
	out[at] = '\0';
}

static int hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c - 'A' + 10;
}

static void read_field(const char *s, char *out)
{
	for (; *s; s++) {
		if (*s != '\\')
			*out++ = *s;
		else if (*++s == 'x') {
			*out++ = (char)(hex_value(s[1]) * 16 + hex_value(s[2]));
			s += 2;
		} else {
			*out++ = *s == 't' ? '\t' : *s == 'n' ? '\n' : *s;
		}
	}
	*out = '\0';
}

/* One field up to the end; quoted ones have their quotes doubled. */
static void read_csv(const char *s, char *out)
{
	int quoted = *s == '"';
	for (s += quoted; *s && !(quoted && s[0] == '"' && s[1] != '"'); s++) {
		s += quoted && *s == '"';
		*out++ = *s;
	}
	*out = '\0';
}

static void fields_are_read_back(void **state)
{
	uint64_t rng = 5;
	char text[64], back[256];
	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct ct_buf b = {0};
		draw_text(&rng, text, sizeof text);
		ct_escape_field(&b, text);
		ct_buf_putc(&b, '\0');
		for (const char *s = b.data; *s;) {
			size_t n = ct_utf8(s, strlen(s)); /* what a terminal shows */
			assert_true(n > 0 && (unsigned char)*s >= 0x20 && *s != 0x7f);
			s += n;
		}
		read_field(b.data, back);
		assert_string_equal(back, text);
		ct_buf_reset(&b);
		ct_escape_csv(&b, text);
		ct_buf_putc(&b, '\0');
		read_csv(b.data, back);
		assert_string_equal(back, text);
		ct_buf_free(&b);
	}
}

/* The shell itself reads some of them back. */
static void words_are_read_back_by_the_shell(void **state)
{
	uint64_t rng = 6;
	char text[48], back[256];
	(void)state;
	for (int i = 0; i < 40; i++) {
		struct ct_buf b = {0};
		draw_text(&rng, text, sizeof text);
		ct_buf_puts(&b, "printf '%s.' ");
		ct_escape_shell(&b, text);
		ct_buf_putc(&b, '\0');
		FILE *f = popen(b.data, "r");
		assert_non_null(f);
		back[fread(back, 1, sizeof back - 1, f)] = '\0';
		assert_int_equal(pclose(f), 0);
		assert_int_equal(strlen(back), strlen(text) + 1);
		assert_int_equal(strncmp(back, text, strlen(text)), 0);
		ct_buf_free(&b);
	}
}

/* ---- lists ---- */

static void items_of_a_list(void **state)
{
	static const struct {
		const char *text;
		int n;
		const char *item[4];
	} list[] = {{"", 1, {""}},
	            {"a", 1, {"a"}},
	            {"a,b", 2, {"a", "b"}},
	            {",", 2, {"", ""}},
	            {"a,,b,", 4, {"a", "", "b", ""}},
	            {" a b , c", 2, {"a b", "c"}}};
	(void)state;
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		const char *at = list[i].text, *raw = list[i].text, *p;
		char item[8];
		size_t len, total = 0;
		for (int k = 0; k < list[i].n; k++) {
			assert_int_equal(ct_item_copy(&at, item, sizeof item), 1);
			assert_string_equal(item, list[i].item[k]);
			assert_non_null(p = ct_item_next(&raw, &len));
			assert_true(p == list[i].text + total);
			total += len + 1;
		}
		assert_int_equal(ct_item_copy(&at, item, sizeof item), 0);
		assert_null(ct_item_next(&raw, &len));
		assert_int_equal(total, strlen(list[i].text) + 1);
	}
	const char *at = "1234567,12345678, 12345678";
	char item[8];
	assert_int_equal(ct_item_copy(&at, item, sizeof item), 1);
	assert_int_equal(ct_item_copy(&at, item, sizeof item), -1);
	assert_string_equal(item, "");
	assert_int_equal(ct_item_copy(&at, item, sizeof item), -1);
	assert_int_equal(ct_item_copy(&at, item, sizeof item), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_texts),
		cmocka_unit_test(markdown_keeps_a_cell_one_cell),
		cmocka_unit_test(fields_are_read_back),
		cmocka_unit_test(words_are_read_back_by_the_shell),
		cmocka_unit_test(items_of_a_list),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
