#include "base/escape.h"

#include <string.h>

#include "base/utf8.h"

static const char hex[] = "0123456789ABCDEF";

static int is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7f;
}

/* How many bytes of the n at s a language of strings takes as they are: whole characters up to the first
 * backslash, control character, byte that is no UTF-8, or `special` character. */
static size_t plain_length(const char *s, size_t n, char special)
{
	size_t i = 0;
	for (size_t len; i < n; i += len) {
		if (is_control((unsigned char)s[i]) || s[i] == '\\' || s[i] == special)
			break;
		len = (unsigned char)s[i] < 0x80 ? 1 : ct_utf8(s + i, n - i);
		if (!len)
			break;
	}
	return i;
}

void ct_escape_markup(struct ct_buf *b, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&': ct_buf_puts(b, "&amp;"); break;
		case '<': ct_buf_puts(b, "&lt;"); break;
		case '>': ct_buf_puts(b, "&gt;"); break;
		case '"': ct_buf_puts(b, "&quot;"); break;
		case '\'': ct_buf_puts(b, "&#39;"); break;
		default: ct_buf_putc(b, is_control((unsigned char)*s) ? '?' : *s);
		}
}

void ct_escape_markdown(struct ct_buf *b, const char *s, size_t most)
{
	for (size_t i = 0; s[i]; i++) {
		if (i >= most && ((unsigned char)s[i] & 0xc0) != 0x80) {
			ct_buf_puts(b, "...");
			return;
		}
		if (strchr("|*_`[]<>\\#~", s[i]))
			ct_buf_printf(b, "&#%d;", s[i]);
		else if (s[i] == '&')
			ct_buf_puts(b, "&amp;");
		else
			ct_buf_putc(b, (unsigned char)s[i] < 0x20 ? ' ' : s[i]);
	}
}

void ct_escape_json(struct ct_buf *b, const char *s)
{
	size_t n = strlen(s), i = 0;
	ct_buf_putc(b, '"');
	for (;;) {
		size_t plain = plain_length(s + i, n - i, '"');
		ct_buf_add(b, s + i, plain);
		i += plain;
		if (i == n)
			break;
		unsigned char c = (unsigned char)s[i];
		if (c == '"' || c == '\\')
			ct_buf_printf(b, "\\%c", c);
		else if (c == '\t' || c == '\n')
			ct_buf_puts(b, c == '\t' ? "\\t" : "\\n");
		else if (is_control(c))
			ct_buf_printf(b, "\\u%04x", c);
		else
			ct_buf_printf(b, "\\\\x%c%c", hex[c >> 4], hex[c & 15]);
		i++;
	}
	ct_buf_putc(b, '"');
}

void ct_escape_field(struct ct_buf *b, const char *s)
{
	size_t n = strlen(s), i = 0;
	for (;;) {
		size_t plain = plain_length(s + i, n - i, '\\');
		ct_buf_add(b, s + i, plain);
		i += plain;
		if (i == n)
			break;
		unsigned char c = (unsigned char)s[i++];
		if (c == '\t' || c == '\n' || c == '\\') {
			char two[2] = {'\\', c == '\t' ? 't' : c == '\n' ? 'n' : '\\'};
			ct_buf_add(b, two, 2);
		} else {
			/* Other control characters too: a terminal must not obey a kernel's name. */
			char four[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
			ct_buf_add(b, four, 4);
		}
	}
}

/* s between quotes, with `inner` for every quote in it. */
static void put_quoted(struct ct_buf *b, const char *s, char quote, const char *inner)
{
	ct_buf_putc(b, quote);
	for (; *s; s++)
		if (*s == quote)
			ct_buf_puts(b, inner);
		else
			ct_buf_putc(b, *s);
	ct_buf_putc(b, quote);
}

void ct_escape_csv(struct ct_buf *b, const char *s)
{
	if (s[strcspn(s, ",\"\r\n")])
		put_quoted(b, s, '"', "\"\"");
	else
		ct_buf_puts(b, s);
}

void ct_escape_shell(struct ct_buf *b, const char *s)
{
	static const char harmless[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
	if (*s && !s[strspn(s, harmless)])
		ct_buf_puts(b, s);
	else
		put_quoted(b, s, '\'', "'\\''");
}
