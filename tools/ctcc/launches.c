/* Launches that are written with blanks between the angle brackets. */
#include <ctype.h>
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

enum { DEEPEST = 16 };

struct rewrite {
	struct ct_buf list; /* the overlay's entries */
	struct ctcc_words seen;
	unsigned files, source; /* how many; the number of the source */
};

/* Where the comment, string or character that starts at s[i] ends; i where none does. */
static size_t skip_quoted(const char *s, size_t i, size_t n)
{
	if (s[i] == '/' && i + 1 < n && s[i + 1] == '/') {
		while (i < n && s[i] != '\n')
			i += s[i] == '\\' && i + 1 < n ? 2 : 1;
		return i < n ? i : n;
	}
	if (s[i] == '/' && i + 1 < n && s[i + 1] == '*') {
		for (i += 2; i + 1 < n && !(s[i] == '*' && s[i + 1] == '/');)
			i++;
		return i + 1 < n ? i + 2 : n;
	}
	/* An apostrophe inside of a number separates digits. */
	if (s[i] == '"' || (s[i] == '\'' && (i == 0 || !isalnum((unsigned char)s[i - 1])))) {
		char quote = s[i++];
		while (i < n && s[i] != quote && s[i] != '\n')
			i += s[i] == '\\' && i + 1 < n ? 2 : 1;
		return i < n ? i + 1 : n;
	}
	return i;
}

/* The place behind three brackets c with blanks among them from s[i] on; 0 where it is something else. */
static size_t three_of(const char *s, size_t i, size_t n, char c)
{
	unsigned k = 0;
	size_t end = i;
	for (; i < n && k < 3; i++) {
		if (s[i] == c) {
			k++;
			end = i + 1;
		} else if (s[i] != ' ' && s[i] != '\t') {
			break;
		}
	}
	return k == 3 ? end : 0;
}

static int behind_operator(const char *s, size_t i)
{
	while (i > 0 && isspace((unsigned char)s[i - 1]))
		i--;
	return i >= 8 && memcmp(s + i - 8, "operator", 8) == 0;
}

/* Joins the brackets in place: blanks go in front, so that lines and columns stay. Returns whether any had to be. */
static int join_brackets(char *s, size_t n)
{
	int changed = 0, open = 0;
	for (size_t i = 0; i < n;) {
		size_t next = skip_quoted(s, i, n), end;
		if (next > i) {
			i = next;
			continue;
		}
		if (s[i] == '<' && (end = three_of(s, i, n, '<')) && !behind_operator(s, i)) {
			changed |= end - i > 3;
			memset(s + i, ' ', end - i - 3);
			memset(s + end - 3, '<', 3);
			open = 1;
			i = end;
		} else if (open && s[i] == '>' && (end = three_of(s, i, n, '>'))) {
			changed |= end - i > 3;
			memset(s + i, ' ', end - i - 3);
			memset(s + end - 3, '>', 3);
			open = 0;
			i = end;
		} else {
			if (s[i] == ';' || s[i] == '}')
				open = 0;
			i++;
		}
	}
	return changed;
}

/* The whole file, NUL-terminated, or NULL where it is no readable file (the compiler will say so). */
static char *read_whole(const char *path, size_t *size)
{
	struct stat st;
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	if (f && fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && st.st_size < 1 << 28) {
		text = malloc((size_t)st.st_size + 1);
		*size = text ? fread(text, 1, (size_t)st.st_size, f) : 0;
		if (text)
			text[*size] = '\0';
	}
	if (f)
		fclose(f);
	return text;
}

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

/* Files that lines `#include "NAME"` name, beside the file that holds them. */
static int rewrite_included(struct rewrite *r, const char *text, const char *path, int depth,
                            struct ct_error *e)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0, st = CT_OK;
	for (const char *s = text; s && st == CT_OK; s = strchr(s, '\n')) {
		s += strspn(s, " \t\r\n");
		if (*s != '#')
			continue;
		const char *p = s + 1 + strspn(s + 1, " \t");
		if (strncmp(p, "include", 7) != 0)
			continue;
		p += 7 + strspn(p + 7, " \t");
		size_t n = *p == '"' ? strcspn(p + 1, "\"\n") : 0;
		char name[PATH_MAX];
		int len = snprintf(name, sizeof name, "%.*s%.*s", p[1] == '/' ? 0 : folder, path, (int)n,
		                   p + 1);
		if (n && len > 0 && (size_t)len < sizeof name)
			st = rewrite_file(r, name, depth + 1, e);
	}
	return st;
}

static int rewrite_file(struct rewrite *r, const char *path, int depth, struct ct_error *e)
{
	char full[PATH_MAX], name[32];
	size_t n = 0;
	int st = CT_OK;
	if (depth > DEEPEST || !realpath(path, full) || was_seen(r, full))
		return CT_OK;
	char *text = read_whole(path, &n);
	if (!text)
		return CT_OK;
	if (join_brackets(text, n)) {
		snprintf(name, sizeof name, "%u-launches-%u", r->source, r->files);
		const char *copy = ctcc_temporary(name, e);
		st = copy ? write_whole(copy, text, n, e) : CT_ERR_IO;
		/* The name by which it is found, which may lead through links. */
		char *slash = strrchr(full, '/');
		if (st == CT_OK && slash) {
			*slash = '\0';
			ct_buf_printf(&r->list,
			              "%s{\"type\": \"directory\", \"name\": ", r->files ? ",\n" : "");
			put_quoted(&r->list, full);
			ct_buf_puts(&r->list, ", \"contents\": [{\"type\": \"file\", \"name\": ");
			put_quoted(&r->list, slash + 1);
			ct_buf_puts(&r->list, ", \"external-contents\": ");
			put_quoted(&r->list, copy);
			ct_buf_puts(&r->list, "}]}");
			r->files++;
		}
	}
	if (st == CT_OK)
		st = rewrite_included(r, text, path, depth, e);
	free(text);
	return st;
}

int ctcc_launches(const char *source, unsigned number, const char **overlay, struct ct_error *e)
{
	struct rewrite r = {.source = number};
	char name[32];
	struct ct_buf all = {0};
	*overlay = NULL;
	int st = rewrite_file(&r, source, 0, e);
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
