#include "ptx/lex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ct_ptx_lex_fail(struct ct_ptx_lexer *x, int status, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return ct_fail(x->e, status, "%s:%u: %s", x->file, (unsigned)x->line, text);
}

static int is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '$' || c == '%' || c == '.';
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Steps over blanks and both kinds of comment, and counts lines. */
static int skip_blanks(struct ct_ptx_lexer *x)
{
	while (x->at < x->end) {
		if (*x->at == '\n') {
			x->read_line++;
			x->at++;
		} else if (*x->at == ' ' || *x->at == '\t' || *x->at == '\r' || *x->at == '\f' ||
		           *x->at == '\v') {
			x->at++;
		} else if (x->end - x->at > 1 && x->at[0] == '/' && x->at[1] == '/') {
			while (x->at < x->end && *x->at != '\n')
				x->at++;
		} else if (x->end - x->at > 1 && x->at[0] == '/' && x->at[1] == '*') {
			const char *start = x->at;
			for (x->at += 2; x->end - x->at > 1 && (x->at[0] != '*' || x->at[1] != '/');
			     x->at++)
				x->read_line += *x->at == '\n';
			if (x->end - x->at < 2) {
				x->at = start;
				return ct_ptx_lex_fail(x, CT_ERR_INPUT,
				                       "a comment that does not end: close it with */");
			}
			x->at += 2;
		} else {
			break;
		}
	}
	return CT_OK;
}

/* 0f and 0d constants hold the bits of a value, in 8 and 16 hexadecimal digits. */
static int read_bits(struct ct_ptx_lexer *x)
{
	struct ct_ptx_token *t = &x->now;
	size_t digits = t->text[1] == 'f' || t->text[1] == 'F' ? 8 : 16;
	t->kind = CT_PTX_FLOAT;
	t->single = digits == 8;
	t->value = 0;
	if (t->length != digits + 2)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT,
		                       "'%.*s' is no number: 0f has 8 hexadecimal digits, 0d has 16",
		                       ct_ptx_shown(x), t->text);
	for (size_t i = 2; i < t->length; i++) {
		const char *digit = strchr(
			"0123456789abcdef",
			t->text[i] >= 'A' && t->text[i] <= 'F' ? t->text[i] - 'A' + 'a' : t->text[i]);
		if (!digit || !*digit)
			return ct_ptx_lex_fail(x, CT_ERR_INPUT,
			                       "'%.*s' has a digit that is not hexadecimal",
			                       ct_ptx_shown(x), t->text);
		t->value = t->value << 4 | (uint64_t)(digit - "0123456789abcdef");
	}
	return CT_OK;
}

/* Value of a digit in any base up to 16; 16 for what is none. */
static unsigned digit_value(char c)
{
	if (is_digit(c))
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;
}

/* Integers are decimal, octal (0), hexadecimal (0x) or binary (0b), with an optional U. */
static int read_integer(struct ct_ptx_lexer *x)
{
	struct ct_ptx_token *t = &x->now;
	size_t n = t->length, i = 0;
	unsigned base = 10;
	if (n > 1 && t->text[n - 1] == 'U')
		n--;
	if (n > 2 && t->text[0] == '0' && (t->text[1] == 'x' || t->text[1] == 'X'))
		base = 16, i = 2;
	else if (n > 2 && t->text[0] == '0' && (t->text[1] == 'b' || t->text[1] == 'B'))
		base = 2, i = 2;
	else if (n > 1 && t->text[0] == '0')
		base = 8, i = 1;
	t->kind = CT_PTX_INTEGER;
	t->value = 0;
	for (; i < n; i++) {
		unsigned digit = digit_value(t->text[i]);
		if (digit >= base)
			return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' is no number", ct_ptx_shown(x),
			                       t->text);
		if (t->value > (UINT64_MAX - digit) / base)
			return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' needs more than 64 bits",
			                       ct_ptx_shown(x), t->text);
		t->value = t->value * base + digit;
	}
	return CT_OK;
}

/* Writes a decimal number as digits and an exponent, "1.25e3" as "125e1": strtod() rounds that right and reads it alike in
 * every locale, whose decimal point may be another. Returns 0, or -1 for what is no number. */
static int without_point(const char *text, char *out, size_t n)
{
	size_t digits = 0;
	int fraction = 0, point = 0;
	long exponent = 0;
	for (; is_digit(*text) || (*text == '.' && !point); text++)
		if (*text == '.')
			point = 1;
		else if (digits + 1 < n) {
			out[digits++] = *text;
			fraction += point;
		}
	if (*text == 'e' || *text == 'E') {
		char *end;
		exponent = strtol(text + 1, &end, 10);
		text = end;
	}
	if (*text || !digits || exponent < -100000 || exponent > 100000)
		return -1;
	return snprintf(out + digits, n - digits, "e%ld", exponent - fraction) < (int)(n - digits)
	               ? 0
	               : -1;
}

/* A decimal point makes a double; the exponent may have a sign. */
static int read_decimal(struct ct_ptx_lexer *x)
{
	struct ct_ptx_token *t = &x->now;
	char text[64], whole[96];
	char last = t->text[t->length - 1];
	if ((last == 'e' || last == 'E') && x->at < x->end && (*x->at == '+' || *x->at == '-')) {
		x->at++;
		while (x->at < x->end && is_digit(*x->at))
			x->at++;
		t->length = (size_t)(x->at - t->text);
	}
	if (t->length >= sizeof text)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' is too long for a number",
		                       ct_ptx_shown(x), t->text);
	memcpy(text, t->text, t->length);
	text[t->length] = '\0';
	if (without_point(text, whole, sizeof whole) < 0)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%s' is no number", text);
	double value = strtod(whole, NULL);
	t->kind = CT_PTX_FLOAT;
	t->single = 0;
	memcpy(&t->value, &value, sizeof value);
	return CT_OK;
}

static int read_number(struct ct_ptx_lexer *x)
{
	const struct ct_ptx_token *t = &x->now;
	if (t->length > 1 && t->text[0] == '0' && t->text[1] && strchr("fFdD", t->text[1]))
		return read_bits(x);
	if (memchr(t->text, '.', t->length))
		return read_decimal(x);
	return read_integer(x);
}

/* Reads a word or a number. Two colons inside a word belong to it (.shared::cta). */
static int read_word(struct ct_ptx_lexer *x)
{
	struct ct_ptx_token *t = &x->now;
	while (x->at < x->end) {
		if (is_word_char(*x->at))
			x->at++;
		else if (x->end - x->at > 2 && x->at[0] == ':' && x->at[1] == ':' &&
		         is_word_char(x->at[2]))
			x->at += 2; /* .shared::cta */
		else
			break;
	}
	t->length = (size_t)(x->at - t->text);
	t->kind = CT_PTX_WORD;
	return is_digit(*t->text) ? read_number(x) : CT_OK;
}

int ct_ptx_lex_next(struct ct_ptx_lexer *x)
{
	struct ct_ptx_token *t = &x->now;
	int rc = skip_blanks(x);
	x->line = x->read_line;
	t->text = x->at;
	t->length = 0;
	t->mark = '\0';
	t->kind = CT_PTX_END;
	if (rc < 0 || x->at == x->end)
		return rc;
	if (*x->at == '\0')
		return x->at + 1 == x->end ? CT_OK
		                           : ct_ptx_lex_fail(x, CT_ERR_INPUT,
		                                             "a NUL byte in the text: is this PTX?");
	if (is_word_char(*x->at))
		return read_word(x);
	if (*x->at == '"') {
		const char *close = memchr(x->at + 1, '"', (size_t)(x->end - x->at - 1));
		if (!close || memchr(x->at, '\n', (size_t)(close - x->at)))
			return ct_ptx_lex_fail(x, CT_ERR_INPUT,
			                       "a string that does not end in its line");
		t->kind = CT_PTX_STRING;
		x->at = close + 1;
		t->length = (size_t)(x->at - t->text);
		return CT_OK;
	}
	if (!strchr("{}()[]<>,;:=+-!@|*&~^/", *x->at))
		return ct_ptx_lex_fail(x, CT_ERR_INPUT,
		                       "an unexpected character (code %u): is this PTX?",
		                       (unsigned)(unsigned char)*x->at);
	t->kind = CT_PTX_MARK;
	t->mark = *x->at++;
	t->length = 1;
	return CT_OK;
}

int ct_ptx_lex_begin(struct ct_ptx_lexer *x, const char *file, const char *text, size_t size,
                     struct ct_error *e)
{
	memset(x, 0, sizeof *x);
	x->file = file;
	x->at = text;
	x->end = text + size;
	x->line = x->read_line = 1;
	x->e = e;
	return ct_ptx_lex_next(x);
}

int ct_ptx_is_mark(const struct ct_ptx_lexer *x, char mark)
{
	return x->now.kind == CT_PTX_MARK && x->now.mark == mark;
}

int ct_ptx_is_word(const struct ct_ptx_lexer *x, const char *word)
{
	return x->now.kind == CT_PTX_WORD && strlen(word) == x->now.length &&
	       memcmp(word, x->now.text, x->now.length) == 0;
}

int ct_ptx_skip_mark(struct ct_ptx_lexer *x, char mark)
{
	if (!ct_ptx_is_mark(x, mark))
		return 0;
	int rc = ct_ptx_lex_next(x);
	return rc < 0 ? rc : 1;
}

int ct_ptx_skip_word(struct ct_ptx_lexer *x, const char *word)
{
	if (!ct_ptx_is_word(x, word))
		return 0;
	int rc = ct_ptx_lex_next(x);
	return rc < 0 ? rc : 1;
}

int ct_ptx_want_mark(struct ct_ptx_lexer *x, char mark)
{
	if (ct_ptx_is_mark(x, mark))
		return ct_ptx_lex_next(x);
	if (x->now.kind == CT_PTX_END)
		return ct_ptx_lex_fail(x, CT_ERR_INPUT,
		                       "the text ends where '%c' should be: is it cut short?", mark);
	return ct_ptx_lex_fail(x, CT_ERR_INPUT, "'%.*s' where '%c' should be", ct_ptx_shown(x),
	                       x->now.text, mark);
}

int ct_ptx_shown(const struct ct_ptx_lexer *x)
{
	return x->now.length > 80 ? 80 : (int)x->now.length;
}
