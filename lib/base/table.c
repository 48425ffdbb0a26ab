#include "base/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "base/utf8.h"

enum { GAP = 2, NAME_WIDTH = 48, NAME_TAIL = 16, WRAP_LEAST = 18, BAR_MOST = 100 };

/* The style of a table that names none. */
static const struct ct_table_style plain = {0, 0, 0};

static const struct ct_table_style *style_of(const struct ct_table *t)
{
	return t->style ? t->style : &plain;
}

void ct_table_cell(struct ct_table *t, const char *fmt, ...)
{
	char small[256], *text = small;
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof small && (text = malloc((size_t)n + 1)))
		vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	if (n < 0 || !text) {
		t->cells.failed = 1;
		return;
	}
	/* Names come from traces: a terminal must not obey them. */
	ct_utf8_clean(text, strlen(text));
	for (char *s = text; *s; s++)
		if ((unsigned char)*s < 0x20)
			*s = '?';
	ct_buf_add(&t->cells, text, strlen(text) + 1);
	t->count++;
	if (text != small)
		free(text);
}

/* Digits of v in groups of three. */
static void grouped(char out[32], uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v), k = 0;
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			out[k++] = ',';
		out[k++] = digits[i];
	}
	out[k] = '\0';
}

void ct_table_heads(struct ct_table *t, const char *const *names)
{
	for (unsigned i = 0; i < t->columns; i++)
		ct_table_cell(t, "%s", names[i]);
}

void ct_table_count(struct ct_table *t, uint64_t v)
{
	char s[32];
	grouped(s, v);
	ct_table_cell(t, "%s", s);
}

void ct_table_real(struct ct_table *t, double v)
{
	double a = fabs(v);
	char s[32];
	if (isnan(v)) {
		ct_table_cell(t, "-");
	} else if (a >= 999.5 && a < 1e18) {
		grouped(s, (uint64_t)(a + 0.5));
		ct_table_cell(t, "%s%s", v < 0 ? "-" : "", s);
	} else if (a >= 0.001 && a < 999.5) {
		/* Three digits, the trailing zeros kept: a column stays readable. */
		int decimals = a >= 99.95 ? 0 : a >= 9.995 ? 1 : a >= 0.9995 ? 2 : 3;
		ct_table_cell(t, "%.*f", decimals, v);
	} else {
		ct_table_cell(t, "%.3g", v == 0 ? 0.0 : v);
	}
}

void ct_table_percent(struct ct_table *t, double fraction)
{
	if (isnan(fraction))
		ct_table_cell(t, "-");
	else
		ct_table_cell(t, "%.1f %%", fraction == 0 ? 0.0 : fraction * 100);
}

void ct_table_size(struct ct_table *t, uint64_t bytes)
{
	char s[32];
	ct_format_size(bytes, s, sizeof s);
	ct_table_cell(t, "%s", s);
}

void ct_table_bar(struct ct_table *t, double fraction, unsigned width)
{
	static const char *const eighth[] = {
		"",
		"\xe2\x96\x8f",
		"\xe2\x96\x8e",
		"\xe2\x96\x8d",
		"\xe2\x96\x8c",
		"\xe2\x96\x8b",
		"\xe2\x96\x8a",
		"\xe2\x96\x89"};
	char bar[3 * BAR_MOST + 8] = "";
	const int utf8 = style_of(t)->utf8;
	size_t at = 0;
	width = width > BAR_MOST ? BAR_MOST : width;
	double v = fraction > 0 ? (fraction < 1 ? fraction : 1) * width : 0;
	unsigned whole = (unsigned)(utf8 ? v : v + 0.5);
	for (unsigned i = 0; i < whole; i++, at += strlen(bar + at))
		memcpy(bar + at, utf8 ? "\xe2\x96\x88" : "#", utf8 ? 4 : 2);
	if (utf8)
		memcpy(bar + at, eighth[(unsigned)((v - whole) * 8) & 7],
		       4 * (((unsigned)((v - whole) * 8) & 7) > 0));
	ct_table_cell(t, "%s", bar);
}

void ct_table_spark(struct ct_table *t, const double *v, size_t n, double low, double high)
{
	static const char ascii[] = "_.-=+*#@";
	char text[3 * BAR_MOST + 1] = "";
	size_t at = 0;
	n = n > BAR_MOST ? BAR_MOST : n;
	for (size_t i = 0; i < n; i++) {
		double share = high > low ? (v[i] - low) / (high - low) : 0;
		int level = (int)(fmin(fmax(share, 0), 1) * 7 + 0.5);
		if (isnan(v[i])) {
			text[at++] = ' ';
		} else if (style_of(t)->utf8) {
			text[at++] = '\xe2';
			text[at++] = '\x96';
			text[at++] = (char)(0x81 + level);
		} else {
			text[at++] = ascii[level];
		}
	}
	text[at] = '\0';
	ct_table_cell(t, "%s", text);
}

/* Characters of a UTF-8 text: its bytes without the continuation bytes. */
static size_t width_of(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* Start of the n-th character. */
static const char *character(const char *s, size_t n)
{
	for (; *s; s++)
		if (((unsigned char)*s & 0xc0) != 0x80 && n-- == 0)
			break;
	return s;
}

void ct_table_name(struct ct_table *t, const char *name)
{
	size_t width = width_of(name);
	if (width <= NAME_WIDTH) {
		ct_table_cell(t, "%s", name);
		return;
	}
	ct_table_cell(t, "%.*s..%s", (int)(character(name, NAME_WIDTH - NAME_TAIL - 2) - name), name,
	              character(name, width - NAME_TAIL));
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 1 for a number, 0 for text, -1 for a missing value, which goes with either. */
static int looks_like_number(const char *s)
{
	if (!*s || strcmp(s, "-") == 0 || strcmp(s, "NA") == 0)
		return -1;
	return is_digit(s[0]) || (s[0] == '-' && is_digit(s[1])) || strcmp(s, "inf") == 0;
}

struct column {
	size_t width;
	int numbers, texts;
};

static void measure(const struct ct_table *t, struct column *c)
{
	const char *s = t->cells.data;
	for (unsigned i = 0; i < t->count; i++, s += strlen(s) + 1) {
		struct column *k = &c[i % t->columns];
		size_t w = width_of(s);
		if (w > k->width)
			k->width = w;
		if (i >= t->columns && looks_like_number(s) >= 0) {
			k->numbers += looks_like_number(s);
			k->texts += !looks_like_number(s);
		}
	}
}

static void pad(struct ct_buf *b, size_t n)
{
	while (n-- > 0)
		ct_buf_putc(b, ' ');
}

/* Verdicts stand out in colour, if there is one; the word says the same. */
static void print_cell(struct ct_buf *b, const char *s, int color)
{
	const char *code = !color                       ? NULL
	                   : strcmp(s, "benefits") == 0 ? "32"
	                   : strcmp(s, "hurts") == 0    ? "31"
	                   : strcmp(s, "unknown") == 0  ? "2"
	                                                : NULL;
	if (code)
		ct_buf_printf(b, "\033[%sm%s\033[0m", code, s);
	else
		ct_buf_puts(b, s);
}

/* A text from column `indent` on, in lines of at most `room` characters. */
static void print_wrapped(struct ct_buf *b, const char *s, size_t indent, size_t room)
{
	while (width_of(s) > room) {
		const char *end = character(s, room), *cut = end;
		while (cut > s && *cut != ' ')
			cut--;
		if (cut == s)
			cut = end;
		ct_buf_add(b, s, (size_t)(cut - s));
		ct_buf_putc(b, '\n');
		pad(b, indent);
		s = cut + (*cut == ' ');
	}
	ct_buf_puts(b, s);
}

static void print_cells(const struct ct_table *t, const struct column *c, struct ct_buf *b)
{
	const struct ct_table_style *style = style_of(t);
	size_t before_last = 0;
	for (unsigned i = 0; i + 1 < t->columns; i++)
		before_last += c[i].width + GAP;
	int wrap = style->width > before_last + WRAP_LEAST;
	const char *s = t->cells.data;
	size_t owed = 0; /* blanks that the next cell needs: none end a line */
	for (unsigned i = 0; i < t->count; i++, s += strlen(s) + 1) {
		const struct column *k = &c[i % t->columns];
		size_t fill = k->width - width_of(s);
		int right = k->numbers && !k->texts;
		if (*s) {
			pad(b, owed + (right ? fill : 0));
			if (wrap && !right && (i + 1) % t->columns == 0)
				print_wrapped(b, s, before_last, style->width - before_last);
			else
				print_cell(b, s, style->color);
			owed = right ? GAP : fill + GAP;
		} else {
			owed += k->width + GAP;
		}
		if ((i + 1) % t->columns == 0 || i + 1 == t->count) {
			ct_buf_putc(b, '\n');
			owed = 0;
		}
	}
}

void ct_table_render(struct ct_table *t, struct ct_buf *b)
{
	struct column *c = t->columns ? ct_calloc(t->columns, sizeof *c) : NULL;
	if (!c || t->cells.failed) {
		b->failed = 1;
	} else if (t->count) {
		measure(t, c);
		print_cells(t, c, b);
	}
	free(c);
	ct_buf_free(&t->cells);
	t->count = 0;
}
