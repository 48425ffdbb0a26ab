/* text.h - numbers and tokens of trace text, without locale, stdio or allocation.
 *
 * All text handed to these ends in a newline, which no number or token holds. */
#ifndef CT_TRACE_PRIVATE_TEXT_H
#define CT_TRACE_PRIVATE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline int ct_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Ends a token: blank, newline or the carriage return before it. */
static inline int ct_is_end(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline const char *ct_skip_blanks(const char *p)
{
	while (ct_is_blank(*p))
		p++;
	return p;
}

static inline int ct_hex_digit(char c)
{
	unsigned u = (unsigned char)c;
	if (u - '0' <= 9)
		return (int)(u - '0');
	u |= 0x20;
	return u - 'a' <= 5 ? (int)(u - 'a' + 10) : -1;
}

/* The first place of `what` between p and end, or NULL. */
static inline const char *ct_text_find(const char *p, const char *end, const char *what)
{
	size_t n = strlen(what);
	while ((size_t)(end - p) >= n) {
		p = memchr(p, what[0], (size_t)(end - p) - n + 1);
		if (!p)
			return NULL;
		if (memcmp(p, what, n) == 0)
			return p;
		p++;
	}
	return NULL;
}

/* Each parses one number at p and returns the end of it, or NULL when there is none
 * or it does not fit. */
static inline const char *ct_text_u64(const char *p, uint64_t *out)
{
	uint64_t v = 0;
	const char *start = p;
	for (; (unsigned)(*p - '0') <= 9; p++) {
		unsigned d = (unsigned)(*p - '0');
		if (v > (UINT64_MAX - d) / 10)
			return NULL;
		v = v * 10 + d;
	}
	*out = v;
	return p > start ? p : NULL;
}

static inline const char *ct_text_i64(const char *p, int64_t *out)
{
	uint64_t v;
	int negative = *p == '-';
	p = ct_text_u64(p + negative, &v);
	if (!p || v > (uint64_t)INT64_MAX + (uint64_t)negative)
		return NULL;
	*out = negative ? (int64_t)(0 - v) : (int64_t)v;
	return p;
}

/* With or without 0x. */
static inline const char *ct_text_hex(const char *p, uint64_t *out)
{
	if (p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	const char *start = p;
	uint64_t v = 0;
	for (int d; (d = ct_hex_digit(*p)) >= 0; p++) {
		if (v >> 60)
			return NULL;
		v = v << 4 | (unsigned)d;
	}
	*out = v;
	return p > start ? p : NULL;
}

/* Loads eight bytes whatever their alignment. */
static inline uint64_t ct_load64(const void *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline unsigned ct_popcount(uint32_t v)
{
#if defined(__GNUC__) && defined(__POPCNT__)
	return (unsigned)__builtin_popcount(v);
#else
	v = v - ((v >> 1) & 0x55555555u);
	v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
	return (((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
#endif
}

#endif
