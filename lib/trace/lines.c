#include "trace/private/lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void ct_lines_init(struct ct_lines *l, struct ct_source *s)
{
	*l = (struct ct_lines){.source = s, .line = 1};
}

void ct_lines_free(struct ct_lines *l)
{
	free(l->carry);
	l->carry = NULL;
}

int ct_lines_fail(const struct ct_lines *l, struct ct_error *e, int status, const char *fmt, ...)
{
	char text[CT_ERROR_TEXT_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return ct_fail(e, status, "%s:%" PRIu64 ": %s", ct_source_name(l->source), l->line, text);
}

/* Appends n bytes to the carried line. */
static int carry_on(struct ct_lines *l, size_t have, const char *p, size_t n, struct ct_error *e)
{
	if (have + n > CT_LINE_MAX)
		return ct_lines_fail(l, e, CT_ERR_INPUT, "line longer than %d bytes: this is no trace",
		                     CT_LINE_MAX);
	size_t need = have + n + 1 + CT_SOURCE_SLACK;
	if (ct_grow((void **)&l->carry, &l->carry_cap, need, 1) != 0)
		return ct_fail_nomem(e);
	memcpy(l->carry + have, p, n);
	memset(l->carry + have + n, 0, 1 + CT_SOURCE_SLACK);
	return CT_OK;
}

static const char *last_newline(const char *p, const char *end)
{
	while (end > p)
		if (*--end == '\n')
			return end;
	return NULL;
}

/* Next chunk of the source into rest; failures get the file and line. */
static int next_chunk(struct ct_lines *l, struct ct_error *e)
{
	struct ct_error bare;
	size_t n;
	int st = ct_source_read_bare(l->source, &l->rest, &n, &bare);
	if (st < 0)
		return ct_lines_fail(l, e, st, "%s", bare.text);
	l->rest_end = n ? l->rest + n : l->rest;
	l->text_bytes += n;
	return st;
}

/* The line that began with the `have` bytes in carry. */
static int straddling_line(struct ct_lines *l, size_t have, struct ct_error *e)
{
	for (;;) {
		int st = next_chunk(l, e);
		if (st < 0)
			return st;
		if (st == 0) {
			l->ended = 1;
			l->rest = l->rest_end = NULL;
			if (have == 0)
				return 0;
			l->carry[have] = '\n';
			l->unterminated = 1;
			l->p = l->carry;
			l->end = l->carry + have + 1;
			return 1;
		}
		const char *nl = memchr(l->rest, '\n', (size_t)(l->rest_end - l->rest));
		if (have == 0 && nl)
			return 1; /* nothing was carried: the chunk is used in place */
		size_t n = (size_t)((nl ? nl + 1 : l->rest_end) - l->rest);
		st = carry_on(l, have, l->rest, n, e);
		if (st < 0)
			return st;
		have += n;
		l->rest += n;
		if (nl) {
			l->p = l->carry;
			l->end = l->carry + have;
			return 1;
		}
	}
}

int ct_lines_fill(struct ct_lines *l, struct ct_error *e)
{
	l->p = l->end = NULL;
	for (;;) {
		const char *nl = last_newline(l->rest, l->rest_end);
		if (nl) {
			l->p = l->rest;
			l->end = l->rest = nl + 1;
			return 1;
		}
		if (l->ended)
			return 0;
		size_t have = (size_t)(l->rest_end - l->rest);
		int st = have ? carry_on(l, 0, l->rest, have, e) : CT_OK;
		if (st < 0)
			return st;
		l->rest = l->rest_end = NULL;
		st = straddling_line(l, have, e);
		if (st <= 0 || l->p)
			return st;
	}
}
