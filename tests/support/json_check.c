#include "tests/support/json_check.h"

#include <string.h>

enum { MAX_KEYS = 128, MAX_DEPTH = 16 };

struct in {
	const char *s, *end;
	int depth;
};

static int value(struct in *j);

static int hex4(struct in *j)
{
	for (int i = 0; i < 4; i++, j->s++)
		if (j->s == j->end || !strchr("0123456789abcdefABCDEF", *j->s) || !*j->s)
			return 0;
	return 1;
}

/* Decodes one UTF-8 sequence independently of lib/profile: by its code point. */
static int utf8(struct in *j)
{
	unsigned char c = (unsigned char)*j->s++;
	unsigned more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 9;
	unsigned long cp = c & (0x3fu >> more);
	static const unsigned long least[] = {0, 0x80, 0x800, 0x10000};
	if (c < 0x80)
		return 1;
	if (more == 9 || c >= 0xf8)
		return 0;
	for (unsigned i = 0; i < more; i++, j->s++) {
		if (j->s == j->end || ((unsigned char)*j->s & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | ((unsigned char)*j->s & 0x3f);
	}
	return cp >= least[more] && cp <= 0x10ffff && !(cp >= 0xd800 && cp <= 0xdfff);
}

static int string(struct in *j)
{
	if (j->s == j->end || *j->s++ != '"')
		return 0;
	while (j->s < j->end) {
		unsigned char c = (unsigned char)*j->s;
		if (c == '"') {
			j->s++;
			return 1;
		}
		if (c < 0x20)
			return 0;
		if (c != '\\') {
			if (!utf8(j))
				return 0;
			continue;
		}
		if (++j->s == j->end)
			return 0;
		c = (unsigned char)*j->s++;
		if (c == 'u' ? !hex4(j) : !c || !strchr("\"\\/bfnrt", c))
			return 0;
	}
	return 0;
}

static int digits(struct in *j)
{
	const char *start = j->s;
	while (j->s < j->end && *j->s >= '0' && *j->s <= '9')
		j->s++;
	return j->s > start;
}

static int number(struct in *j)
{
	if (j->s < j->end && *j->s == '-')
		j->s++;
	if (j->s + 1 < j->end && j->s[0] == '0' && j->s[1] >= '0' && j->s[1] <= '9')
		return 0;
	if (!digits(j))
		return 0;
	if (j->s < j->end && *j->s == '.') {
		j->s++;
		if (!digits(j))
			return 0;
	}
	if (j->s < j->end && (*j->s == 'e' || *j->s == 'E')) {
		j->s++;
		if (j->s < j->end && (*j->s == '+' || *j->s == '-'))
			j->s++;
		return digits(j);
	}
	return 1;
}

static int word(struct in *j, const char *w)
{
	size_t n = strlen(w);
	if ((size_t)(j->end - j->s) < n || memcmp(j->s, w, n) != 0)
		return 0;
	j->s += n;
	return 1;
}

static int object(struct in *j)
{
	const char *key[MAX_KEYS];
	size_t len[MAX_KEYS], n = 0;
	if (!word(j, "{") || ++j->depth > MAX_DEPTH)
		return 0;
	do {
		if (n == MAX_KEYS)
			return 0;
		key[n] = j->s;
		if (!string(j))
			return 0;
		len[n] = (size_t)(j->s - key[n]);
		for (size_t i = 0; i < n; i++)
			if (len[i] == len[n] && memcmp(key[i], key[n], len[n]) == 0)
				return 0;
		n++;
		if (!word(j, ":") || !value(j))
			return 0;
	} while (word(j, ","));
	j->depth--;
	return word(j, "}");
}

static int value(struct in *j)
{
	if (j->s == j->end)
		return 0;
	switch (*j->s) {
	case '{': return object(j);
	case '"': return string(j);
	case 't': return word(j, "true");
	case 'f': return word(j, "false");
	case 'n': return word(j, "null");
	default: return number(j);
	}
}

int json_lines_valid(const char *s, size_t n)
{
	struct in j = {s, s + n, 0};
	while (j.s < j.end)
		if (!object(&j) || !word(&j, "\n"))
			return 0;
	return 1;
}
