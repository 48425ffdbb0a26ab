#include "models/verdict/name.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Removes one of these endings; 1 if there was one. */
static int strip_ending(const char *s, size_t *n)
{
	static const char *const endings[] = {
		".xz", ".gz", ".zst", ".ctz", ".profile", ".traceg", ".trace", ".txt", ".tsv", ".ctp"};
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		size_t m = strlen(endings[i]);
		if (*n > m && strncmp(s + *n - m, endings[i], m) == 0) {
			*n -= m;
			return 1;
		}
	}
	return 0;
}

/* The last part of the path's first n bytes: *start of it, its length returned. */
static size_t last_part(const char *path, size_t n, size_t *start)
{
	while (n > 1 && path[n - 1] == '/')
		n--;
	size_t s = n;
	while (s > 0 && path[s - 1] != '/')
		s--;
	*start = s;
	return n - s;
}

static int begins_with(const char *s, size_t n, const char *word)
{
	size_t m = strlen(word);
	return n >= m && strncmp(s, word, m) == 0;
}

static void name_of_path(const char *path, char *out, size_t n)
{
	size_t start, up, len = last_part(path, strlen(path), &start), parent;
	const char *s = path + start;
	parent = last_part(path, start, &up);
	if (begins_with(path + up, parent, "..") || (parent == 1 && path[up] == '.') || start == 0)
		parent = 0;
	if (begins_with(s, len, "kernelslist") && parent) {
		snprintf(out, n, "%.*s", (int)parent, path + up);
		return;
	}
	while (strip_ending(s, &len))
		;
	if (begins_with(s, len, "kernel-") && parent)
		snprintf(out, n, "%.*s:%.*s", (int)parent, path + up, (int)len, s);
	else
		snprintf(out, n, "%.*s", (int)len, s);
}

/* 1 when the path ends in "." or "..": the name that the folder has is not in it. */
static int is_nameless(const char *path)
{
	size_t start, len = last_part(path, strlen(path), &start);
	return (len == 1 && path[start] == '.') || (len == 2 && strncmp(path + start, "..", 2) == 0);
}

void ct_workload_name_of_path(const char *path, char *out, size_t n)
{
	char *folder = is_nameless(path) ? realpath(path, NULL) : NULL;
	name_of_path(folder ? folder : path, out, n);
	free(folder);
}

void ct_workload_name(const struct ct_profile *p, const char *path, char *out, size_t n)
{
	const struct ct_record *r, *only = NULL;
	size_t i = 0;
	int several = 0;
	while ((r = ct_profile_next(p, "TV", &i))) {
		several |= only && strcmp(only->field[0], r->field[0]) != 0;
		only = only ? only : r;
	}
	if (only && !several) {
		snprintf(out, n, "%s", only->field[0]);
		return;
	}
	i = 0;
	const struct ct_record *tr = ct_profile_next(p, "TR", &i);
	/* "." of a profile was another folder. */
	if (tr && !ct_profile_next(p, "TR", &i) && strcmp(tr->field[0], "-") != 0 &&
	    !is_nameless(tr->field[0]))
		path = tr->field[0];
	ct_workload_name_of_path(path, out, n);
}

/* ---- distinct names ---- */

/* A set of names by their places, which are counted from 1; 0 is a free slot. */
struct names {
	char *(*name_of)(void *ctx, size_t i);
	void *ctx;
	size_t *slot, mask;
	unsigned *same; /* by place - 1: how many have had this name */
};

/* The slot that holds the name, or where it belongs. */
static size_t *slot_of(const struct names *x, const char *name)
{
	size_t at = (size_t)ct_mix64(ct_crc64(0, name, strlen(name))) & x->mask;
	while (x->slot[at] && strcmp(x->name_of(x->ctx, x->slot[at] - 1), name) != 0)
		at = (at + 1) & x->mask;
	return &x->slot[at];
}

/* Gives the i-th name, which another one has already, a form that nobody has. */
static void number_name(const struct names *x, size_t i)
{
	enum { ROOM = 12 }; /* for # and the digits */
	char *name = x->name_of(x->ctx, i);
	unsigned *same = &x->same[*slot_of(x, name) - 1];
	size_t len = strlen(name), most = CT_WORKLOAD_NAME_MAX - ROOM, *to;
	do {
		snprintf(name + (len > most ? most : len), ROOM, "#%u", ++*same);
		to = slot_of(x, name);
	} while (*to);
	*to = i + 1;
}

int ct_workload_distinguish(size_t n, char *(*name_of)(void *ctx, size_t i), void *ctx,
                            struct ct_error *e)
{
	struct names x = {.name_of = name_of, .ctx = ctx, .mask = 15};
	while (x.mask / 2 < n)
		x.mask = 2 * x.mask + 1;
	x.slot = ct_calloc(x.mask + 1, sizeof *x.slot);
	x.same = ct_calloc(n, sizeof *x.same);
	int st = x.slot && x.same ? CT_OK : ct_fail_nomem(e);
	for (size_t i = 0; i < n && st == CT_OK; i++) {
		const char *name = name_of(ctx, i);
		size_t *to = name ? slot_of(&x, name) : NULL;
		if (to && !*to) {
			*to = i + 1;
			x.same[i] = 1;
		}
	}
	for (size_t i = 0; i < n && st == CT_OK; i++) {
		const char *name = name_of(ctx, i);
		if (name && *slot_of(&x, name) != i + 1)
			number_name(&x, i);
	}
	free(x.slot);
	free(x.same);
	return st;
}

size_t ct_workload_numbered(const char *name, unsigned *k)
{
	const char *hash = strrchr(name, '#');
	size_t digits = hash ? strspn(hash + 1, "0123456789") : 0;
	if (!hash || hash == name || digits == 0 || digits > 9 || hash[1 + digits] || hash[1] == '0')
		return 0;
	*k = (unsigned)strtoul(hash + 1, NULL, 10);
	return *k > 1 ? (size_t)(hash - name) : 0;
}
