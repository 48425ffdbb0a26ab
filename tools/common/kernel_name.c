/* kernel_name.c - demangles with libiberty (Debian: libiberty-dev), where the Makefile finds it. */
#include "common/kernel_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "counters/counters.h"

#ifdef CT_HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#include <setjmp.h>

/* A mangled name of some hundred characters can stand for one of gigabytes, by substitutions of substitutions: what
 * grows beyond the second limit is given up. */
enum { MANGLED_MAX = 4096, TEXT_MAX = 16384 };

struct demangling {
	struct ct_buf text;
	jmp_buf too_long;
};

static void add_piece(const char *s, size_t n, void *ctx)
{
	struct demangling *d = ctx;
	if (d->text.len + n > TEXT_MAX || d->text.failed)
		longjmp(d->too_long,
		        1); /* libiberty's callback cannot say stop; it holds no memory then */
	ct_buf_add(&d->text, s, n);
}

static int print_demangled(struct demangling *d, const char *raw, int options)
{
	return setjmp(d->too_long) == 0 && cplus_demangle_v3_callback(raw, options, add_piece, d);
}

/* The demangled name, the caller's to free; NULL where there is none, and with b failed when out of memory. */
static char *demangle(struct ct_buf *b, const char *raw, int parameters)
{
	const int options = DMGL_ANSI | (parameters ? DMGL_PARAMS : 0);
	struct demangling *d;
	char *text = NULL;
	if (strncmp(raw, "_Z", 2) != 0 || strlen(raw) > MANGLED_MAX)
		return NULL;
	if (!(d = ct_calloc(1, sizeof *d))) {
		b->failed = 1;
		return NULL;
	}
	if (print_demangled(d, raw, options) && d->text.len) {
		text = d->text.data;
		d->text.data = NULL;
	}
	b->failed |= d->text.failed;
	ct_buf_free(&d->text);
	free(d);
	return text;
}
#else
static char *demangle(struct ct_buf *b, const char *raw, int parameters)
{
	(void)b;
	(void)raw;
	(void)parameters;
	return NULL;
}
#endif

/* Behind "operator" and the characters of the operator, of which "<" and "(" open no brackets. */
static const char *skip_operator(const char *s)
{
	s += strlen("operator");
	if (strncmp(s, "()", 2) == 0 || strncmp(s, "[]", 2) == 0)
		return s + 2;
	if (*s == ' ') /* of a conversion: its type */
		return s + 1 + strcspn(s + 1, "<(");
	return s + strspn(s, "+-*/%^&|~!=<>,");
}

static int is_operator(const char *start, const char *s)
{
	return strncmp(s, "operator", 8) == 0 && !isalnum((unsigned char)s[8]) && s[8] != '_' &&
	       (s == start || !(isalnum((unsigned char)s[-1]) || s[-1] == '_'));
}

/* Behind the bracket that closes the one at s, or the end. */
static const char *skip_parameters(const char *s)
{
	int depth = 0;
	for (; *s; s++) {
		depth += *s == '(';
		depth -= *s == ')';
		if (!depth)
			return s + 1;
	}
	return s;
}

/* Finds the last name of a signature, "sum<256>" of "void ns::sum<256>(float*) const". An operator is named with the
 * class or lambda before it. */
static const char *last_name(const char *text, size_t *n)
{
	const char *name = text, *before = text, *s = text;
	int depth = 0;
	while (*s) {
		if (is_operator(text, s)) {
			name = depth == 0 ? before : name;
			s = skip_operator(s);
			continue;
		}
		if (depth == 0 && *s == '(' && s > name) {
			/* Parameters: of the function itself or, with "::" behind, of one that holds a lambda. */
			const char *end = skip_parameters(s);
			end += strncmp(end, " const", 6) == 0 ? 6 : 0;
			if (strncmp(end, "::", 2) != 0)
				break;
			s = end;
			continue;
		}
		if (strchr("<({[", *s)) {
			depth++;
		} else if (strchr(">)}]", *s)) {
			depth -= depth > 0 && !(*s == '>' && s > text && s[-1] == '-');
		} else if (depth == 0 && strncmp(s, " [clone", 7) == 0) {
			break;
		} else if (depth == 0 && *s == ' ') {
			before = name = s + 1;
		} else if (depth == 0 && strncmp(s, "::", 2) == 0) {
			before = name;
			name = s++ + 2;
		}
		s++;
	}
	*n = (size_t)(s - name);
	return name;
}

void ct_kernel_name_full(struct ct_buf *b, const char *raw)
{
	char *text = demangle(b, raw, 1);
	ct_buf_puts(b, text ? text : raw);
	free(text);
}

void ct_kernel_name_short(struct ct_buf *b, const char *raw)
{
	char *text = demangle(b, raw, 0), bare[256];
	const int mangled = strncmp(raw, "_Z", 2) == 0;
	size_t n = 0;
	const char *name = text || !mangled ? last_name(text ? text : raw, &n) : raw;
	if (n)
		ct_buf_add(b, name, n);
	else if (!*raw)
		ct_buf_putc(b, '?');
	else
		ct_buf_puts(b, ct_counter_base_name(raw, bare, sizeof bare) ? bare : raw);
	free(text);
}
