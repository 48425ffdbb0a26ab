#include "base/buf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int reserve_bytes(struct ct_buf *b, size_t more)
{
	if (b->failed)
		return -1;
	if (more > (size_t)-1 - b->len - 1 ||
	    ct_grow((void **)&b->data, &b->cap, b->len + more + 1, 1) < 0) {
		b->failed = 1;
		return -1;
	}
	return 0;
}

void ct_buf_add(struct ct_buf *b, const void *p, size_t n)
{
	if (reserve_bytes(b, n) < 0)
		return;
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void ct_buf_puts(struct ct_buf *b, const char *s)
{
	ct_buf_add(b, s, strlen(s));
}

void ct_buf_putc(struct ct_buf *b, char c)
{
	ct_buf_add(b, &c, 1);
}

void ct_buf_printf(struct ct_buf *b, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		b->failed = 1;
	else if (reserve_bytes(b, (size_t)n) == 0) {
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

void ct_buf_real(struct ct_buf *b, double v)
{
	if (isnan(v)) {
		ct_buf_puts(b, "NA");
		return;
	}
	if (isinf(v)) {
		ct_buf_puts(b, v > 0 ? "inf" : "-inf");
		return;
	}
	char s[64];
	/* -0 and 0 are one number to a reader of the profile. */
	int n = snprintf(s, sizeof s, "%.6g", v == 0 ? 0.0 : v);
	for (int i = 0; i < n; i++)
		if (s[i] == ',')
			s[i] = '.';
	ct_buf_add(b, s, (size_t)n);
}

void ct_buf_reset(struct ct_buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void ct_buf_free(struct ct_buf *b)
{
	free(b->data);
	memset(b, 0, sizeof *b);
}

int ct_buf_check(const struct ct_buf *b, struct ct_error *e)
{
	return b->failed ? ct_fail_nomem(e) : CT_OK;
}
