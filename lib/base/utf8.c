#include "base/utf8.h"

#include <string.h>

size_t ct_utf8(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t len;
	if (n == 0)
		return 0;
	if (u[0] < 0x80)
		return 1;
	if (u[0] >= 0xc2 && u[0] <= 0xdf)
		len = 2;
	else if (u[0] >= 0xe0 && u[0] <= 0xef)
		len = 3;
	else if (u[0] >= 0xf0 && u[0] <= 0xf4)
		len = 4;
	else
		return 0;
	if (n < len)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
	    (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
		return 0;
	return len;
}

static int is_printable(const char *s, size_t len)
{
	unsigned char c = (unsigned char)*s;
	if (len == 1)
		return (c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n' || c == '\r';
	/* C1 controls: a terminal may obey them. */
	if (len == 2 && c == 0xc2)
		return (unsigned char)s[1] >= 0xa0;
	return len != 3 || (memcmp(s, "\xef\xbf\xbe", 3) != 0 && memcmp(s, "\xef\xbf\xbf", 3) != 0);
}

void ct_utf8_clean(char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = ct_utf8(s + i, n - i), step = len ? len : 1;
		if (!len || !is_printable(s + i, len))
			memset(s + i, '?', step);
		i += step;
	}
}

size_t ct_utf8_width(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

const char *ct_utf8_at(const char *s, size_t n)
{
	for (; *s; s++)
		if (((unsigned char)*s & 0xc0) != 0x80 && n-- == 0)
			break;
	return s;
}
