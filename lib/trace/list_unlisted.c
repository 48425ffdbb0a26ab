/* list_unlisted.c - kernels that lie beside their list and are not in it. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/private/list.h"

struct names {
	char **name;
	size_t n, cap;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Length of a kernel's name without what a compressor put behind it, "kernel-12.traceg" or
 * "kernel-12-ctx_0x5607b0e17740.traceg"; *form is where the number ends. 0 for any other name. */
static size_t kernel_length(const char *name, const char **form)
{
	static const char *const end[] = {".traceg", ".tracez", ".trace"};
	if (strncmp(name, "kernel-", 7) != 0)
		return 0;
	size_t n = 7 + strspn(name + 7, "0123456789");
	*form = name + n;
	for (int i = 0; i < 3 && n > 7; i++) {
		const char *at = strstr(name + n, end[i]);
		if (at && ct_list_is_suffix(at + strlen(end[i])) &&
		    (at == *form || !strncmp(*form, "-ctx_", 5)))
			return (size_t)(at - name) + strlen(end[i]);
	}
	return 0;
}

/* Whether a name ends behind its number like the first of the list. */
static int is_like(const char *like, const char *form, const char *end)
{
	size_t k = (size_t)(end - form);
	return strlen(like) == k && strncmp(like, form, k) == 0;
}

/* A folder may hold the tracer's files and the post-processor's, and those of several contexts: only
 * those that end behind their number as the first of the list count. */
static int add_kernel(struct names *l, const char *name, char **like)
{
	const char *form;
	size_t n = kernel_length(name, &form), k = n ? n - (size_t)(form - name) : 0;
	if (n == 0 || (*like && !is_like(*like, form, name + n)))
		return 0;
	if ((!*like && !(*like = ct_strndup(form, k))) ||
	    ct_grow((void **)&l->name, &l->cap, l->n + 1, sizeof *l->name) != 0 ||
	    !(l->name[l->n] = ct_strndup(name, n)))
		return -1;
	l->n++;
	return 0;
}

static void free_names(struct names *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->name[i]);
	free(l->name);
}

static int read_folder(const char *folder, char **like, struct names *l, struct ct_error *e)
{
	DIR *d = opendir(folder);
	int st = CT_OK;
	if (!d)
		return errno == EACCES ? CT_OK
		                       : ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot read", folder);
	for (struct dirent *x; st == CT_OK && (errno = 0, (x = readdir(d)));)
		if (add_kernel(l, x->d_name, like) != 0)
			st = ct_fail_nomem(e);
	if (st == CT_OK && errno)
		st = ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot read", folder);
	closedir(d);
	return st;
}

int ct_list_is_of_folder(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	if (strncmp(name, "kernelslist", 11) != 0)
		return 0;
	name += 11;
	return !strncmp(name, "_ctx_", 5) || ct_list_is_suffix(name) ||
	       (!strncmp(name, ".g", 2) && ct_list_is_suffix(name + 2));
}

static int compare_names(struct ct_list *list, const struct names *listed, struct names *there,
                         struct ct_error *e)
{
	qsort(there->name, there->n, sizeof *there->name, by_text);
	for (size_t i = 0; i < there->n; i++) {
		char *name = there->name[i];
		if ((i && !strcmp(name, there->name[i - 1])) || /* packed and not */
		    bsearch(&name, listed->name, listed->n, sizeof *listed->name, by_text))
			continue;
		if (list->unlisted++ == 0 && !(list->first_unlisted = ct_strndup(name, strlen(name))))
			return ct_fail_nomem(e);
	}
	return CT_OK;
}

/* The tracer lists kernels as it numbers them. A list that names one twice is made by hand. The names are sorted. */
static void find_unordered(struct ct_list *list, const struct names *listed, const char *like)
{
	uint64_t highest = 0;
	for (size_t i = 1; i < listed->n; i++)
		if (!strcmp(listed->name[i], listed->name[i - 1]))
			return;
	for (size_t i = 0; i < list->n; i++) {
		struct ct_list_entry *x = &list->entry[i];
		const char *form;
		size_t n = x->is_kernel ? kernel_length(x->name, &form) : 0;
		if (n == 0 || !is_like(like, form, x->name + n))
			continue;
		uint64_t number = strtoull(x->name + 7, NULL, 10);
		x->unordered = number <= highest;
		if (x->unordered && list->unordered++ == 0)
			list->first_unordered = i;
		highest = number > highest ? number : highest;
	}
}

int ct_list_find_unlisted(struct ct_list *list, const char *path, const char *folder, struct ct_error *e)
{
	struct names listed = {0}, there = {0};
	char *like = NULL;
	int st = CT_OK;
	if (!ct_list_is_of_folder(path))
		return CT_OK;
	for (size_t i = 0; i < list->n && st == CT_OK; i++)
		if (list->entry[i].is_kernel && add_kernel(&listed, list->entry[i].name, &like) != 0)
			st = ct_fail_nomem(e);
	if (st == CT_OK && listed.n) { /* like is known then */
		qsort(listed.name, listed.n, sizeof *listed.name, by_text);
		find_unordered(list, &listed, like);
	}
	if (st == CT_OK && listed.n)
		st = read_folder(folder, &like, &there, e);
	if (st == CT_OK && there.n)
		st = compare_names(list, &listed, &there, e);
	free_names(&listed);
	free_names(&there);
	free(like);
	return st;
}
