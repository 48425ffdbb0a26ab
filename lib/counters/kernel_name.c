/* kernel_name.c - the bare name of a kernel, however a tool spells it.
 *
 * Mangled names follow the Itanium C++ ABI, section "External Names". Only what lies on the way to the last name of a
 * nested name is read: template arguments are stepped over, not understood. */
#include <ctype.h>
#include <string.h>

#include "counters/counters.h"

/* Nested names and template arguments nest; no real name comes near. */
enum { DEPTH_MAX = 64 };

static int keep_part(const char *s, size_t len, char *out, size_t n)
{
	if (len == 0 || len >= n)
		return 0;
	memmove(out, s, len);
	out[len] = '\0';
	return 1;
}

/* ---- mangled ---- */

/* A name that begins with its length: *s moves behind it. NULL when there is none. */
static const char *source_name(const char **s, size_t *len)
{
	size_t n = 0;
	const char *p = *s;
	for (; isdigit((unsigned char)*p); p++)
		if ((n = 10 * n + (size_t)(*p - '0')) > CT_COUNTER_NAME_MAX)
			return NULL;
	if (n == 0 || memchr(p, '\0', n))
		return NULL;
	*s = p + n;
	*len = n;
	return p;
}

/* A substitution: S_, S1A_, St, Sa and their kin. */
static const char *skip_substitution(const char *s)
{
	s++;
	if (*s == '_' || isdigit((unsigned char)*s) || isupper((unsigned char)*s)) {
		while (isdigit((unsigned char)*s) || isupper((unsigned char)*s))
			s++;
		return *s == '_' ? s + 1 : NULL;
	}
	return *s ? s + 1 : NULL;
}

/* Steps over what stands between an opening letter and its E: template arguments, packs, nested names. s stands behind
 * the letter; the result behind the E, or NULL. In a literal (L type value E) digits behind the type are its value. */
static const char *skip_group(const char *s, int literal, int depth)
{
	size_t len;
	int typed = 0;
	if (depth > DEPTH_MAX)
		return NULL;
	while (s && *s != 'E') {
		if (isdigit((unsigned char)*s) && !(literal && typed)) {
			if (!source_name(&s, &len))
				return NULL;
			typed = 1;
		} else if (*s == 'S') {
			s = skip_substitution(s);
			typed = 1;
		} else if ((*s == 'T' || *s == 'A') && (s[1] == '_' || isdigit((unsigned char)s[1]))) {
			s += 1 + strspn(s + 1, "0123456789_"); /* a parameter, the size of an array */
			typed = 1;
		} else if (strchr("INJXLF", *s) && *s) {
			s = skip_group(s + 1, *s == 'L', depth + 1);
			typed = 1;
		} else if (*s == '\0') {
			return NULL;
		} else {
			typed = typed || islower((unsigned char)*s);
			s++;
		}
	}
	return s ? s + 1 : NULL;
}

/* The last name of N ... E, which begins behind the N. */
static int nested_name(const char *s, char *out, size_t n)
{
	const char *name = NULL, *last;
	size_t len = 0, last_len;
	while (*s == 'K' || *s == 'V' || *s == 'r')
		s++;
	while (s && *s != 'E') {
		if (isdigit((unsigned char)*s)) {
			last = source_name(&s, &last_len);
			if (!last)
				return 0;
			name = last;
			len = last_len;
		} else if (*s == 'I') {
			s = skip_group(s + 1, 0, 0);
		} else if (*s == 'S') {
			s = skip_substitution(s);
		} else if (*s == 'L') { /* of internal linkage */
			s++;
		} else {
			return 0;
		}
	}
	return s && name && keep_part(name, len, out, n);
}

static int mangled_base(const char *s, char *out, size_t n)
{
	size_t len;
	s += 2;
	if (*s == 'L')
		s++;
	if (*s == 'N')
		return nested_name(s + 1, out, n);
	const char *name = source_name(&s, &len);
	return name && keep_part(name, len, out, n);
}

/* ---- demangled ---- */

/* Behind the bracket that closes the one at s, or NULL. */
static const char *skip_brackets(const char *s)
{
	int depth = 0;
	for (; *s; s++) {
		if (strchr("<({[", *s))
			depth++;
		else if (strchr(">)}]", *s) && !(*s == '>' && s[-1] == '-') && --depth == 0)
			return s + 1;
	}
	return NULL;
}

/* "void ns::reduce<(int)256>(float *, int)": the last name before template arguments or parameters. Unnamed namespaces
 * are written <unnamed>:: or (anonymous namespace):: */
static int signature_base(const char *s, char *out, size_t n)
{
	const char *name = s, *p = s;
	while (*p && *p != '(' && *p != '<') {
		if (*p == ' ' || *p == ':' || *p == '*' || *p == '&')
			name = p + 1;
		p++;
		if ((*p == '(' || *p == '<') && name == p) {
			p = skip_brackets(p);
			if (!p)
				return 0;
			name = p;
		}
	}
	/* members of class templates: the name goes on behind the arguments */
	if (*p == '<') {
		const char *behind = skip_brackets(p);
		if (behind && behind[0] == ':' && behind[1] == ':')
			return signature_base(behind + 2, out, n);
	}
	return keep_part(name, (size_t)(p - name), out, n);
}

int ct_counter_base_name(const char *name, char *out, size_t n)
{
	const int mangled = strncmp(name, "_Z", 2) == 0;
	const char *s = name;
	if (n == 0)
		return 0;
	if (!mangled && (*s == '<' || *s == '(')) { /* an unnamed namespace stands first */
		s = skip_brackets(s);
		while (s && *s == ':')
			s++;
	}
	if (s && (mangled ? mangled_base(s, out, n) : signature_base(s, out, n)))
		return 1;
	size_t len = strlen(name);
	len = len < n ? len : n - 1;
	memmove(out, name, len);
	out[len] = '\0';
	return 0;
}
