/* What nvcc takes in a source and clang does not: launches that are written with blanks between the angle brackets, special registers
 * with one percent sign in the text of asm statements, and alignas behind __shared__. */
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
	const struct ctcc_words *options; /* of both sides, for -I */
	struct ct_buf list;               /* the overlay's entries */
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

static int is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the word at s[i] is w. */
static int is_word(const char *s, size_t i, size_t n, const char *w)
{
	size_t len = strlen(w);
	return i + len <= n && memcmp(s + i, w, len) == 0 && (i == 0 || !is_name(s[i - 1])) &&
	       (i + len == n || !is_name(s[i + len]));
}

static size_t skip_blanks(const char *s, size_t i, size_t n)
{
	while (i < n && isspace((unsigned char)s[i]))
		i++;
	return i;
}

/* Where the text of the asm statement at s[i] begins, behind its bracket; 0 where there is none. */
static size_t text_of_asm(const char *s, size_t i, size_t n)
{
	static const char *const words[] = {
		"asm", "__asm__", "__asm", "volatile", "__volatile__", "__volatile"};
	size_t found = 0;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (is_word(s, i, n, words[k]) && (k < 3 || found)) {
			found = i = skip_blanks(s, i + strlen(words[k]), n);
			k = 2; /* what may follow */
		}
	return found && i < n && s[i] == '(' ? i + 1 : 0;
}

/* Whether s[i] is the percent sign of a special register of PTX, and the only one. */
static int is_special_register(const char *s, size_t i, size_t n)
{
	static const char *const names[] = {
		"tid",
		"ntid",
		"ctaid",
		"nctaid",
		"laneid",
		"warpid",
		"nwarpid",
		"smid",
		"nsmid",
		"gridid",
		"lanemask_eq",
		"lanemask_lt",
		"lanemask_le",
		"lanemask_gt",
		"lanemask_ge",
		"clock",
		"clock_hi",
		"clock64",
		"globaltimer",
		"globaltimer_lo",
		"globaltimer_hi",
		"dynamic_smem_size",
		"total_smem_size"};
	if (s[i] != '%' || (i > 0 && s[i - 1] == '%'))
		return 0;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (is_word(s, i + 1, n, names[k]))
			return 1;
	return 0;
}

/* Copies the strings from s[i] on, with comments and blanks among them, and doubles the percent signs of special registers. Returns where
 * something else begins. */
static size_t double_in_strings(struct ct_buf *out, const char *s, size_t i, size_t n, int *changed)
{
	for (size_t end; i < n; i = end) {
		end = skip_quoted(s, i, n);
		if (end == i && !isspace((unsigned char)s[i]))
			break;
		end = end == i ? i + 1 : end;
		for (size_t k = i; k < end; k++) {
			if (s[i] == '"' && is_special_register(s, k, end)) {
				ct_buf_putc(out, '%');
				*changed = 1;
			}
			ct_buf_putc(out, s[k]);
		}
	}
	return i;
}

/* Whether the word before s[i] says where a variable lies. */
static int is_behind_space(const char *s, size_t i)
{
	static const char *const words[] = {"__shared__", "__device__", "__constant__", "__managed__"};
	while (i > 0 && isspace((unsigned char)s[i - 1]))
		i--;
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		size_t n = strlen(words[k]);
		if (i >= n && is_word(s, i - n, i, words[k]))
			return 1;
	}
	return 0;
}

/* Copies a source into *out: clang wants "%%smid" where nvcc takes "%smid" as well, and behind __shared__ the word that C has for
 * alignas. Returns whether any of it had to be changed. */
static int translate(struct ct_buf *out, const char *s, size_t n)
{
	int changed = 0;
	for (size_t i = 0, end; i < n;) {
		size_t text = text_of_asm(s, i, n);
		if (is_word(s, i, n, "alignas") && is_behind_space(s, i)) {
			ct_buf_puts(out, "_Alignas");
			i += 7;
			changed = 1;
			continue;
		}
		end = text ? text : skip_quoted(s, i, n);
		end = end == i ? i + 1 : end;
		ct_buf_add(out, s + i, end - i);
		i = text ? double_in_strings(out, s, end, n, &changed) : end;
	}
	return changed;
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

/* A file that is included by "NAME": beside the file that does, or in a folder of -I. */
static int rewrite_named(struct rewrite *r, const char *name, int n, const char *path, int depth,
                         struct ct_error *e)
{
	const char *slash = strrchr(path, '/');
	int folder = slash && *name != '/' ? (int)(slash - path) + 1 : 0, st = CT_OK;
	char full[PATH_MAX];
	int len = snprintf(full, sizeof full, "%.*s%.*s", folder, path, n, name);
	if (len < 0 || (size_t)len >= sizeof full)
		return CT_OK;
	if (access(full, F_OK) == 0)
		return rewrite_file(r, full, depth, e);
	for (size_t i = 0; i < r->options->n && st == CT_OK; i++) {
		const char *o = r->options->word[i];
		if (strncmp(o, "-I", 2) != 0)
			continue;
		len = snprintf(full, sizeof full, "%s/%.*s", o + 2, n, name);
		if (len > 0 && (size_t)len < sizeof full && access(full, F_OK) == 0)
			return rewrite_file(r, full, depth, e);
	}
	return st;
}

/* Files that lines `#include "NAME"` name. */
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
		size_t n = *p == '"' ? strcspn(p + 1, "\"\n") : 0;
		if (n && n < PATH_MAX)
			st = rewrite_named(r, p + 1, (int)n, path, depth + 1, e);
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
	int changed = join_brackets(text, n);
	changed |= translate(&rewritten, text, n);
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
                 const char **overlay, struct ct_error *e)
{
	struct rewrite r = {.options = options, .source = number};
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
