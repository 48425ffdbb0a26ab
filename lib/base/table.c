#include "base/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/table_draw.h"
#include "base/units.h"
#include "base/utf8.h"

enum { NAME_WIDTH = 48, NAME_TAIL = 16, BAR_MOST = 100 };

/* The style of a table that names none. */
static const struct ct_table_style plain = {0, 0, 0, NULL};

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
static void grouped_digits(char out[32], uint64_t v)
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

/* A value in full, where a program reads it: 1. */
static int exact(struct ct_table *t, double v)
{
	struct ct_buf b = {0};
	if (!style_of(t)->csv)
		return 0;
	ct_buf_real(&b, v);
	t->cells.failed |= b.failed;
	ct_table_cell(t, "%s", b.failed ? "" : b.data);
	ct_buf_free(&b);
	return 1;
}

static int exact_count(struct ct_table *t, uint64_t v)
{
	if (style_of(t)->csv)
		ct_table_cell(t, "%llu", (unsigned long long)v);
	return style_of(t)->csv != NULL;
}

void ct_table_count(struct ct_table *t, uint64_t v)
{
	char s[32];
	if (exact_count(t, v))
		return;
	grouped_digits(s, v);
	ct_table_cell(t, "%s", s);
}

void ct_table_real(struct ct_table *t, double v)
{
	double a = fabs(v);
	char s[32];
	if (exact(t, v))
		return;
	if (isnan(v)) {
		ct_table_cell(t, "-");
	} else if (a >= 999.5 && a < 1e18) {
		grouped_digits(s, (uint64_t)(a + 0.5));
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
	if (exact(t, fraction))
		return;
	if (isnan(fraction))
		ct_table_cell(t, "-");
	else
		ct_table_cell(t, "%.1f %%", fraction == 0 ? 0.0 : fraction * 100);
}

void ct_table_size(struct ct_table *t, uint64_t bytes)
{
	char s[32];
	if (exact_count(t, bytes))
		return;
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
	if (exact(t, fraction))
		return;
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

/* The values of a curve, with blanks between. */
static void exact_values(struct ct_table *t, const double *v, size_t n)
{
	struct ct_buf b = {0};
	for (size_t i = 0; i < n; i++) {
		ct_buf_puts(&b, i ? " " : "");
		ct_buf_real(&b, v[i]);
	}
	t->cells.failed |= b.failed;
	ct_table_cell(t, "%s", b.len ? b.data : "");
	ct_buf_free(&b);
}

void ct_table_spark(struct ct_table *t, const double *v, size_t n, double low, double high)
{
	static const char ascii[] = "_.-=+*#@";
	char text[3 * BAR_MOST + 1] = "";
	size_t at = 0;
	if (style_of(t)->csv) {
		exact_values(t, v, n);
		return;
	}
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

void ct_table_name(struct ct_table *t, const char *name)
{
	size_t width = ct_utf8_width(name);
	if (width <= NAME_WIDTH || style_of(t)->csv) {
		ct_table_cell(t, "%s", name);
		return;
	}
	ct_table_cell(t, "%.*s..%s", (int)(ct_utf8_at(name, NAME_WIDTH - NAME_TAIL - 2) - name), name,
	              ct_utf8_at(name, width - NAME_TAIL));
}

/* Rows as they are, for a program. What has no head is a drawing for people. */
static void print_csv(const struct ct_table *t, struct ct_buf *b)
{
	const char *s = t->cells.data, *head = s;
	if (b->len)
		ct_buf_puts(b, "\r\n"); /* between two tables */
	for (unsigned i = 0, any = 0; i < t->count; i++, s += strlen(s) + 1) {
		if (i % t->columns == 0) {
			head = t->cells.data;
			any = 0;
		}
		if (*head) {
			ct_buf_puts(b, any++ ? "," : "");
			ct_escape_csv(b, strcmp(s, "-") == 0 ? "NA" : s);
		}
		head += strlen(head) + 1;
		if ((i + 1) % t->columns == 0 || i + 1 == t->count)
			ct_buf_puts(b, "\r\n");
	}
}

void ct_table_render(struct ct_table *t, struct ct_buf *b)
{
	struct ct_buf *csv = style_of(t)->csv;
	if (!t->columns || t->cells.failed)
		b->failed = 1;
	else if (t->count && csv)
		print_csv(t, csv);
	else if (t->count)
		ct_table_draw(t, style_of(t), b);
	ct_buf_free(&t->cells);
	t->count = 0;
}
