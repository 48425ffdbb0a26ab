#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int ct_parse_u64(const char *s, uint64_t *out)
{
	uint64_t v = 0, base = 10;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (!*s)
		return -1;
	for (; *s; s++) {
		unsigned d;
		if (*s >= '0' && *s <= '9')
			d = (unsigned)(*s - '0');
		else if (base == 16 && *s >= 'a' && *s <= 'f')
			d = (unsigned)(*s - 'a' + 10);
		else if (base == 16 && *s >= 'A' && *s <= 'F')
			d = (unsigned)(*s - 'A' + 10);
		else
			return -1;
		if (v > (UINT64_MAX - d) / base)
			return -1;
		v = v * base + d;
	}
	*out = v;
	return 0;
}

int ct_parse_u64_range(const char *s, uint64_t lo, uint64_t hi, uint64_t *out)
{
	uint64_t v;
	if (ct_parse_u64(s, &v) < 0 || v < lo || v > hi)
		return -1;
	*out = v;
	return 0;
}

/* Decimal real at *p; strtod would read another decimal point under LC_ALL.
 * Values come from configuration files, so one rounding at the end is enough. */
static int scan_real(const char **p, double *out)
{
	const char *s = *p;
	int neg = 0, digits = 0, scale = 0, exp10 = 0;
	double v = 0;
	if (*s == '+' || *s == '-')
		neg = *s++ == '-';
	for (; *s >= '0' && *s <= '9'; s++, digits++)
		v = v * 10 + (*s - '0');
	if (*s == '.')
		for (s++; *s >= '0' && *s <= '9'; s++, digits++, scale++)
			v = v * 10 + (*s - '0');
	if (!digits)
		return -1;
	if ((*s == 'e' || *s == 'E') && ((s[1] >= '0' && s[1] <= '9') ||
	                                 ((s[1] == '+' || s[1] == '-') && s[2] >= '0' && s[2] <= '9'))) {
		int eneg = 0;
		s++;
		if (*s == '+' || *s == '-')
			eneg = *s++ == '-';
		for (; *s >= '0' && *s <= '9'; s++)
			if (exp10 < 10000)
				exp10 = exp10 * 10 + (*s - '0');
		if (eneg)
			exp10 = -exp10;
	}
	int e = exp10 - scale;
	v = e < 0 ? v / pow(10, -e) : v * pow(10, e);
	if (!isfinite(v))
		return -1;
	*out = neg ? -v : v;
	*p = s;
	return 0;
}

int ct_parse_real(const char *s, double *out)
{
	double a, b;
	if (scan_real(&s, &a) < 0)
		return -1;
	if (*s == '/') {
		s++;
		if (scan_real(&s, &b) < 0 || b == 0)
			return -1;
		a /= b;
	}
	if (*s || !isfinite(a))
		return -1;
	*out = a;
	return 0;
}

int ct_parse_share(const char *s, double *out)
{
	enum { LENGTH_MOST = 60 };
	char number[LENGTH_MOST + 1];
	const size_t len = strlen(s);
	const int percent = len > 0 && s[len - 1] == '%';
	if (len > LENGTH_MOST)
		return -1;
	snprintf(number, sizeof number, "%.*s", (int)len - percent, s);
	if (ct_parse_real(number, out) < 0)
		return -1;
	*out /= percent ? 100 : 1;
	return 0;
}

struct suffix {
	enum ct_unit unit;
	const char *text;
	double factor;
};

static const struct suffix suffixes[] = {
	{CT_UNIT_BYTES, "B", 1},
	{CT_UNIT_BYTES, "bytes", 1},
	{CT_UNIT_BYTES, "K", 1024.0},
	{CT_UNIT_BYTES, "KB", 1024.0},
	{CT_UNIT_BYTES, "KiB", 1024.0},
	{CT_UNIT_BYTES, "M", 1048576.0},
	{CT_UNIT_BYTES, "MB", 1048576.0},
	{CT_UNIT_BYTES, "MiB", 1048576.0},
	{CT_UNIT_BYTES, "G", 1073741824.0},
	{CT_UNIT_BYTES, "GB", 1073741824.0},
	{CT_UNIT_BYTES, "GiB", 1073741824.0},
	{CT_UNIT_BYTES, "TB", 1099511627776.0},
	{CT_UNIT_BYTES, "TiB", 1099511627776.0},
	{CT_UNIT_MHZ, "kHz", 1e-3},
	{CT_UNIT_MHZ, "MHz", 1},
	{CT_UNIT_MHZ, "GHz", 1e3},
	{CT_UNIT_NS, "ns", 1},
	{CT_UNIT_NS, "us", 1e3},
	{CT_UNIT_NS, "ms", 1e6},
	{CT_UNIT_NS, "s", 1e9},
	{CT_UNIT_CYCLES, "cycles", 1},
	{CT_UNIT_CYCLES, "cycle", 1},
	{CT_UNIT_GBPS, "B/s", 1e-9},
	{CT_UNIT_GBPS, "MB/s", 1e-3},
	{CT_UNIT_GBPS, "GB/s", 1},
	{CT_UNIT_GBPS, "TB/s", 1e3},
	{CT_UNIT_PJ, "pJ", 1},
	{CT_UNIT_PJ, "nJ", 1e3},
	{CT_UNIT_PJ, "uJ", 1e6},
	{CT_UNIT_PJ_PER_B, "pJ/B", 1},
	{CT_UNIT_PJ_PER_B, "pJ/bit", 8},
	{CT_UNIT_WATT, "W", 1},
	{CT_UNIT_WATT, "mW", 1e-3},
	{CT_UNIT_PERCENT, "%", 1},
};

int ct_parse_unit(const char *s, enum ct_unit unit, double *out)
{
	double v;
	if (scan_real(&s, &v) < 0)
		return -1;
	if (*s == ' ')
		s++;
	if (!*s) {
		*out = v;
		return 0;
	}
	for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
		if (suffixes[i].unit == unit && strcmp(suffixes[i].text, s) == 0) {
			*out = v * suffixes[i].factor;
			return 0;
		}
	return -1;
}

int ct_parse_size(const char *s, uint64_t *out)
{
	double v;
	/* Whole byte counts beyond 2^53 must not go through a double. */
	if (ct_parse_u64(s, out) == 0)
		return 0;
	if (ct_parse_unit(s, CT_UNIT_BYTES, &v) < 0 || v < 0 || v >= 9.2e18 || v != floor(v))
		return -1;
	*out = (uint64_t)v;
	return 0;
}

const char *ct_unit_name(enum ct_unit unit)
{
	static const char *const names[] = {
		"", "bytes", "MHz", "ns", "cycles", "GB/s", "pJ", "pJ/B", "W", "%"};
	return names[unit];
}

void ct_format_size(uint64_t bytes, char *out, size_t n)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double v = (double)bytes;
	size_t i = 0;
	while (v >= 1024 && i < 4) {
		v /= 1024;
		i++;
	}
	snprintf(out, n, "%.4g %s", v, unit[i]);
}

/* How many letters have to change to make one name of the other (Levenshtein), for "did you mean". Names
 * above 64 letters are far from all others. */
static size_t edit_distance(const char *a, const char *b)
{
	enum { MAX = 64 };
	size_t la = strlen(a), lb = strlen(b), row[MAX + 1];
	if (la > MAX || lb > MAX)
		return MAX;
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diag = row[0];
		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t up = row[j];
			size_t best = diag + (a[i - 1] != b[j - 1]);
			if (up + 1 < best)
				best = up + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
			diag = up;
		}
	}
	return row[lb];
}

/* The nearest of those within `limit` edits. */
static int nearest_within(const char *s, size_t limit, const char *const *names, size_t n)
{
	size_t best = (size_t)-1;
	int at = -1;
	for (size_t i = 0; i < n; i++) {
		size_t d = edit_distance(s, names[i]);
		if (d <= limit && d < best) {
			best = d;
			at = (int)i;
		}
	}
	return at;
}

int ct_nearest_name(const char *s, const char *const *names, size_t n)
{
	size_t limit = strlen(s) / 3;
	return nearest_within(s, limit < 2 ? 2 : limit, names, n);
}

int ct_closest_name(const char *s, const char *const *names, size_t n)
{
	return nearest_within(s, (size_t)-1, names, n);
}
