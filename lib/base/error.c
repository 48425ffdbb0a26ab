#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Quoted input may hold anything; an error must stay one printable line. */
static void make_printable(char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c < 0x20 || c == 0x7f)
			*s = '?';
	}
}

int ct_fail(struct ct_error *e, int status, const char *fmt, ...)
{
	if (!e)
		return status;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	make_printable(e->text);
	e->status = status;
	return status;
}

int ct_fail_errno(struct ct_error *e, int status, int errnum, const char *fmt, ...)
{
	if (!e)
		return status;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	size_t n = strlen(e->text);
	char reason[128];
	if (strerror_r(errnum, reason, sizeof reason) != 0)
		snprintf(reason, sizeof reason, "error %d", errnum);
	snprintf(e->text + n, sizeof e->text - n, ": %s", reason);
	make_printable(e->text);
	e->status = status;
	return status;
}

int ct_fail_nomem(struct ct_error *e)
{
	return ct_fail(e, CT_ERR_NOMEM, "out of memory: free some or use a smaller input");
}

void ct_warn(const struct ct_diag *d, const char *fmt, ...)
{
	if (!d || !d->warn)
		return;
	char text[CT_ERROR_TEXT_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	make_printable(text);
	d->warn(d->ctx, text);
}
