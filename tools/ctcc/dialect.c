/* What nvcc takes in sources and clang does not: the source and the files that it includes, each of which clang sees as it needs it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ctcc/job.h"

enum { DEEPEST = 48 };

struct rewrite {
	const struct ctcc_words *options; /* of both sides, for -I and -isystem */
	struct ct_buf list;               /* the overlay's entries */
	struct ctcc_words seen;
	unsigned files, source; /* how many; the number of the source */
	int shuffles;           /* one of them has a shuffle */
};

static int write_whole(const char *path, const char *text, size_t n, struct ct_error *e)
{
	FILE *f = fopen(path, "wb");
	if (!f)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s", path);
	int bad = fwrite(text, 1, n, f) != n;
	if (fclose(f) != 0 || bad)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s", path);
	return CT_OK;
}

static void put_quoted(struct ct_buf *b, const char *s)
{
	ct_buf_putc(b, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			ct_buf_putc(b, '\\');
		ct_buf_putc(b, *s);
	}
	ct_buf_putc(b, '"');
}

static int was_seen(struct rewrite *r, const char *path)
{
	for (size_t i = 0; i < r->seen.n; i++)
		if (strcmp(r->seen.word[i], path) == 0)
			return 1;
	ctcc_add(&r->seen, path);
	return 0;
}

static int rewrite_file(struct rewrite *r, const char *path, int depth, struct ct_error *e);

/* Whether it is a folder of the system, where nothing is written for nvcc alone. */
static int is_system(const char *folder)
{
	return strncmp(folder, "/usr/include", 12) == 0;
}

/* The folder that the options say at word *i, which moves on to their last word about it; NULL: they say something else. */
static const char *folder_of(const struct ctcc_words *options, size_t *i)
{
	const char *o = options->word[*i];
	if (strncmp(o, "-I", 2) == 0)
		return o + 2;
	return strcmp(o, "-isystem") == 0 && *i + 1 < options->n ? options->word[++*i] : NULL;
}

/* A file that is included by "NAME", beside the file that does (`beside`), or by <NAME>: in a folder of -I or -isystem. */
static int rewrite_named(struct rewrite *r, const char *name, int n, const char *path, int beside,
                         int depth, struct ct_error *e)
{
	const char *slash = strrchr(path, '/'), *folder;
	int own = slash && *name != '/' ? (int)(slash - path) + 1 : 0;
	char full[PATH_MAX];
	int len = snprintf(full, sizeof full, "%.*s%.*s", own, path, n, name);
	if (len < 0 || (size_t)len >= sizeof full)
		return CT_OK;
	if (beside && access(full, F_OK) == 0)
		return rewrite_file(r, full, depth, e);
	for (size_t i = 0; i < r->options->n; i++) {
		folder = folder_of(r->options, &i);
		if (!folder || is_system(folder))
			continue;
		len = snprintf(full, sizeof full, "%s/%.*s", folder, n, name);
		if (len > 0 && (size_t)len < sizeof full && access(full, F_OK) == 0)
			return rewrite_file(r, full, depth, e);
	}
	return CT_OK;
}

/* Files that lines `#include "NAME"` and `#include <NAME>` name. */
static int rewrite_included(struct rewrite *r, const char *text, const char *path, int depth,
                            struct ct_error *e)
{
	int st = CT_OK;
	for (const char *s = text; s && st == CT_OK; s = strchr(s, '\n')) {
		s += strspn(s, " \t\r\n");
		if (*s != '#')
			continue;
		const char *p = s + 1 + strspn(s + 1, " \t");
		if (strncmp(p, "include", 7) != 0)
			continue;
		p += 7 + strspn(p + 7, " \t");
		size_t n = *p == '"' ? strcspn(p + 1, "\"\n") : *p == '<' ? strcspn(p + 1, ">\n") : 0;
		if (n && n < PATH_MAX)
			st = rewrite_named(r, p + 1, (int)n, path, *p == '"', depth + 1, e);
	}
	return st;
}

/* Puts a rewritten file into the overlay, under the name by which it is found, which may lead through links. */
static int show_instead(struct rewrite *r, char *full, const char *text, size_t n, struct ct_error *e)
{
	char name[32], *slash = strrchr(full, '/');
	snprintf(name, sizeof name, "%u-rewritten-%u", r->source, r->files);
	const char *copy = ctcc_temporary(name, e);
	int st = copy ? write_whole(copy, text, n, e) : CT_ERR_IO;
	if (st < 0 || !slash)
		return st;
	*slash = '\0';
	ct_buf_printf(&r->list, "%s{\"type\": \"directory\", \"name\": ", r->files ? ",\n" : "");
	put_quoted(&r->list, full);
	ct_buf_puts(&r->list, ", \"contents\": [{\"type\": \"file\", \"name\": ");
	put_quoted(&r->list, slash + 1);
	ct_buf_puts(&r->list, ", \"external-contents\": ");
	put_quoted(&r->list, copy);
	ct_buf_puts(&r->list, "}]}");
	r->files++;
	return CT_OK;
}

static int rewrite_file(struct rewrite *r, const char *path, int depth, struct ct_error *e)
{
	char full[PATH_MAX];
	struct ct_buf rewritten = {0};
	size_t n = 0;
	int st = CT_OK;
	if (depth > DEEPEST || !realpath(path, full) || was_seen(r, full))
		return CT_OK;
	char *text = ctcc_read(path, &n);
	if (!text)
		return CT_OK;
	r->shuffles |= strstr(text, "shfl") != NULL;
	int changed = ctcc_translate(&rewritten, text, n);
	if (changed)
		st = ct_buf_check(&rewritten, e);
	if (changed && st == CT_OK)
		st = show_instead(r, full, rewritten.data, rewritten.len, e);
	if (st == CT_OK)
		st = rewrite_included(r, text, path, depth, e);
	ct_buf_free(&rewritten);
	free(text);
	return st;
}

int ctcc_dialect(const char *source, unsigned number, const struct ctcc_words *options,
                 const char **overlay, int *shuffles, struct ct_error *e)
{
	struct rewrite r = {.options = options, .source = number};
	char name[32];
	struct ct_buf all = {0};
	*overlay = NULL;
	int st = rewrite_file(&r, source, 0, e);
	*shuffles = r.shuffles;
	if (st == CT_OK && r.seen.failed)
		st = ct_fail_nomem(e);
	if (st == CT_OK && r.files > 0) {
		ct_buf_puts(&all, "{\"version\": 0, \"use-external-names\": false, \"roots\": [\n");
		if (r.list.len)
			ct_buf_add(&all, r.list.data, r.list.len);
		ct_buf_puts(&all, "\n]}\n");
		all.failed |= r.list.failed;
		st = ct_buf_check(&all, e);
		snprintf(name, sizeof name, "%u-overlay.yaml", number);
		*overlay = st == CT_OK ? ctcc_temporary(name, e) : NULL;
		st = *overlay ? write_whole(*overlay, all.data, all.len, e) : e ? e->status : CT_ERR_IO;
	}
	ct_buf_free(&r.list);
	ct_buf_free(&all);
	ctcc_words_free(&r.seen);
	return st;
}
