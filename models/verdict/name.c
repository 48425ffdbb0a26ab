#include "models/verdict/name.h"

#include <stdio.h>
#include <string.h>

/* Removes one of these endings; 1 if there was one. */
static int strip(const char *s, size_t *n)
{
	static const char *const endings[] = {".xz", ".gz", ".zst", ".ctz", ".profile", ".traceg",
	                                      ".trace", ".txt", ".tsv", ".ctp"};
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

static int begins(const char *s, size_t n, const char *word)
{
	size_t m = strlen(word);
	return n >= m && strncmp(s, word, m) == 0;
}

void ct_workload_name_of_path(const char *path, char *out, size_t n)
{
	size_t start, up, len = last_part(path, strlen(path), &start), parent;
	const char *s = path + start;
	parent = last_part(path, start, &up);
	if (begins(path + up, parent, "..") || (parent == 1 && path[up] == '.') || start == 0)
		parent = 0;
	if (begins(s, len, "kernelslist") && parent) {
		snprintf(out, n, "%.*s", (int)parent, path + up);
		return;
	}
	while (strip(s, &len))
		;
	if (begins(s, len, "kernel-") && parent)
		snprintf(out, n, "%.*s:%.*s", (int)parent, path + up, (int)len, s);
	else
		snprintf(out, n, "%.*s", (int)len, s);
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
	if (tr && !ct_profile_next(p, "TR", &i) && strcmp(tr->field[0], "-") != 0)
		path = tr->field[0];
	ct_workload_name_of_path(path, out, n);
}
