/* GPU files: "key = value  # comment" lines, and finding files by name. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "gpu/gpu_keys.h"

enum {
	MAX_FILE = 1 << 20, /* a GPU file has some hundred lines */
	MAX_LINE = 1024,
	MAX_SECTION = 32
};

/* Where each key was given, to refuse duplicates and to name the line of a value that
 * does not agree with the others. */
struct given {
	unsigned line;
	char *value; /* as the key prints right after it was stored */
};

struct reader {
	struct ct_gpu *g;
	const char *name;
	const struct ct_key_row *rows;
	struct given *given;
	char section[MAX_SECTION];
	unsigned line;
	int open_end; /* no newline behind the last line */
};

static char *trim_blanks(char *s)
{
	size_t n;
	while (*s == ' ' || *s == '\t')
		s++;
	n = strlen(s);
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r'))
		s[--n] = 0;
	return s;
}

/* Reads "[section]": its name and a dot stand in front of all keys that follow. */
static int read_section(struct reader *r, char *s, struct ct_error *e)
{
	size_t n = strlen(s);
	if (s[n - 1] != ']' || n < 3 || n - 2 >= sizeof r->section)
		return ct_fail(e, CT_ERR_INPUT, "%s:%u: '%s': wanted [section]", r->name, r->line, s);
	s[n - 1] = 0;
	snprintf(r->section, sizeof r->section, "%s", trim_blanks(s + 1));
	size_t rows, len = strlen(r->section);
	(void)ct_key_rows(&rows);
	for (size_t i = 0; i < rows; i++)
		if (strncmp(r->rows[i].key.name, r->section, len) == 0 &&
		    r->rows[i].key.name[len] == '.')
			return 0;
	return ct_fail(e, CT_ERR_INPUT,
	               "%s:%u: unknown section [%s]: sections are the words before "
	               "the dot of a key",
	               r->name, r->line, r->section);
}

static int remember_key(struct reader *r, const struct ct_key_row *row, struct ct_error *e)
{
	struct given *given = &r->given[row - r->rows];
	struct ct_buf b = {0};
	ct_key_format(r->g, row, &b);
	ct_buf_putc(&b, '\0');
	if (b.failed) {
		ct_buf_free(&b);
		return ct_fail_nomem(e);
	}
	given->line = r->line;
	given->value = b.data;
	return 0;
}

/* Reads "key = value" and stores it. A key that is unknown or given twice is an error; the nearest name
 * is told. */
static int read_assignment(struct reader *r, char *s, struct ct_error *e)
{
	char full[MAX_LINE + MAX_SECTION + 2];
	char *eq = strchr(s, '=');
	struct ct_error why;
	if (!eq)
		return ct_fail(e, CT_ERR_INPUT, "%s:%u: '%s': wanted KEY = VALUE", r->name, r->line, s);
	*eq = 0;
	char *key = trim_blanks(s), *value = trim_blanks(eq + 1);
	snprintf(full, sizeof full, "%s%s%s", r->section, r->section[0] ? "." : "", key);
	const struct ct_key_row *row = ct_key_find(full);
	if (!row) {
		int near;
		const char *name = ct_key_nearest(full, &near);
		return ct_fail(e, CT_ERR_INPUT, "%s:%u: unknown key '%s': %s '%s'%s", r->name, r->line,
		               full, near ? "did you mean" : "the nearest is", name,
		               near ? "?" : "; cachetriage-gpu(5) lists them");
	}
	if (r->given[row - r->rows].line)
		return ct_fail(e, CT_ERR_INPUT, "%s:%u: '%s' was already given in line %u", r->name,
		               r->line, full, r->given[row - r->rows].line);
	if (ct_key_store(r->g, row, value, CT_ERR_INPUT, &why) < 0)
		return ct_fail(e, CT_ERR_INPUT, "%s:%u: %s", r->name, r->line, why.text);
	return remember_key(r, row, e);
}

/* Reads one line without its comment. Lines that no GPU file has end with an error, not with a guess. */
static int read_line(struct reader *r, const char *line, size_t n, struct ct_error *e)
{
	char copy[MAX_LINE];
	if (n >= sizeof copy)
		return ct_fail(e, CT_ERR_INPUT, "%s:%u: line of %zu characters: this is not a GPU file",
		               r->name, r->line, n);
	if (memchr(line, 0, n))
		return ct_fail(e, CT_ERR_INPUT, "%s:%u: NUL character: this is not a GPU file", r->name,
		               r->line);
	memcpy(copy, line, n);
	copy[n] = 0;
	char *hash = strchr(copy, '#');
	if (hash)
		*hash = 0;
	char *s = trim_blanks(copy);
	if (!*s)
		return 0;
	return *s == '[' ? read_section(r, s, e) : read_assignment(r, s, e);
}

/* After ct_gpu_check(): a value that was given must still be in force. */
static int check_given(const struct reader *r, size_t rows, struct ct_error *e)
{
	struct ct_buf b = {0};
	int rc = 0;
	for (size_t i = 0; i < rows && rc == 0; i++) {
		const struct given *given = &r->given[i];
		if (!given->line || r->rows[i].effect == CT_EFFECT_DERIVED)
			continue;
		ct_buf_reset(&b);
		ct_key_format(r->g, &r->rows[i], &b);
		ct_buf_putc(&b, '\0');
		if (b.failed)
			rc = ct_fail_nomem(e);
		else if (strcmp(b.data, given->value) != 0)
			rc = ct_fail(e, CT_ERR_INPUT,
			             "%s:%u: %s = %s does not agree with the other sizes, which "
			             "make %s",
			             r->name, given->line, r->rows[i].key.name, given->value, b.data);
	}
	ct_buf_free(&b);
	return rc;
}

/* Reads all lines of a file, which may begin with a byte-order mark and may lack its last newline. */
static int read_lines(struct reader *r, const char *text, size_t n, struct ct_error *e)
{
	static const char bom[] = "\xef\xbb\xbf";
	size_t at = n >= 3 && memcmp(text, bom, 3) == 0 ? 3 : 0;
	while (at < n) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - (text + at)) : n - at;
		int rc;
		r->line++;
		r->open_end = !end;
		if ((rc = read_line(r, text + at, len, e)) < 0)
			return rc;
		at += len + 1;
	}
	return 0;
}

static unsigned given_count(const struct reader *r, size_t rows)
{
	unsigned n = 0;
	for (size_t i = 0; i < rows; i++)
		n += r->given[i].line != 0;
	return n;
}

/* A description in full gives every key; one of a few changes gives few. What gives a quarter of them
 * and not all may have lost lines, or its end. */
static void tell_lost(const struct reader *r, size_t rows, const struct ct_diag *diag)
{
	unsigned all = 0, given = 0;
	const char *first = NULL;
	for (size_t i = 0; i < rows; i++) {
		if (r->rows[i].effect == CT_EFFECT_DERIVED || r->rows[i].effect == CT_EFFECT_OPTIONAL)
			continue;
		all++;
		given += r->given[i].line != 0;
		if (!r->given[i].line && !first)
			first = r->rows[i].key.name;
	}
	if (r->open_end) /* a number may have lost digits */
		ct_warn(diag, "%s:%u: the last line has no end: the file may be cut", r->name, r->line);
	if (given > all / 4 && given < all)
		ct_warn(diag,
		        "%s: %u of %u keys are not given and are those of rtx3080, %s is the first: are lines lost?",
		        r->name, all - given, all, first);
}

/* Reads a file in this program's form: over the defaults, then checked as a whole, so that the order of
 * its lines does not matter. */
static int parse_own(struct ct_gpu *g, const char *name, const char *text, size_t n,
                     const struct ct_diag *diag, struct ct_error *e)
{
	size_t rows;
	struct reader r = {.g = g, .name = name, .rows = ct_key_rows(&rows)};
	struct ct_error why;
	int rc;
	r.given = ct_calloc(rows, sizeof *r.given);
	if (!r.given)
		return ct_fail_nomem(e);
	ct_gpu_defaults(g);
	rc = read_lines(&r, text, n, e);
	if (rc == 0 && given_count(&r, rows) == 0)
		rc = ct_fail(e, CT_ERR_INPUT, "%s: no key in it: this is not a GPU file", name);
	if (rc == 0 && ct_gpu_check(g, &why) < 0)
		rc = ct_fail(e, CT_ERR_INPUT, "%s: %s", name, why.text);
	if (rc == 0)
		rc = check_given(&r, rows, e);
	if (rc == 0)
		tell_lost(&r, rows, diag);
	for (size_t i = 0; i < rows; i++)
		free(r.given[i].value);
	free(r.given);
	return rc;
}

/* Reads a GPU of either form, told by its content. */
static int parse_text(struct ct_gpu *g, const struct ct_sim_text *config,
                      const struct ct_sim_text *trace, const struct ct_diag *diag, struct ct_error *e)
{
	struct ct_error why;
	if (!ct_sim_recognise(config->text, config->n)) {
		if (trace)
			return ct_fail(e, CT_ERR_INPUT,
			               "%s: a trace.config belongs to a gpgpusim.config, which "
			               "%s is not",
			               trace->name, config->name);
		return parse_own(g, config->name, config->text, config->n, diag, e);
	}
	int rc = ct_sim_parse(g, config, trace, diag, e);
	if (rc == 0 && ct_gpu_check(g, &why) < 0)
		rc = ct_fail(e, CT_ERR_INPUT, "%s: %s", config->name, why.text);
	return rc;
}

int ct_gpu_parse(struct ct_gpu *g, const char *name, const char *text, size_t n,
                 const struct ct_diag *diag, struct ct_error *e)
{
	struct ct_sim_text config = {name, text, n};
	return parse_text(g, &config, NULL, diag, e);
}

/* The whole file at path, at most MAX_FILE bytes. The caller frees *text. */
static int read_file(const char *path, char **text, size_t *n, struct ct_error *e)
{
	FILE *f = fopen(path, "rb");
	int rc = 0;
	*text = NULL;
	*n = 0;
	if (!f)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open", path);
	char *p = malloc(MAX_FILE + 1);
	if (!p) {
		rc = ct_fail_nomem(e);
	} else {
		*n = fread(p, 1, MAX_FILE + 1, f);
		if (ferror(f))
			rc = ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot read", path);
		else if (*n > MAX_FILE)
			rc = ct_fail(e, CT_ERR_INPUT, "%s: over %d bytes: this is not a GPU file", path,
			             MAX_FILE);
	}
	fclose(f);
	if (rc < 0) {
		free(p);
		return rc;
	}
	*text = p;
	return 0;
}

static int is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* trace.config in the folder of path, when there is one. */
static int path_beside(const char *path, char *out, size_t room)
{
	const char *slash = strrchr(path, '/');
	int n = snprintf(out, room, "%.*strace.config", slash ? (int)(slash + 1 - path) : 0, path);
	return n > 0 && (size_t)n < room && is_file(out);
}

/* Reads a GPU's file, and the trace.config that belongs to a gpgpusim.config: the one named, or one
 * beside it. */
static int load_file(struct ct_gpu *g, const char *path, const char *trace_path,
                     const struct ct_diag *diag, struct ct_error *e)
{
	char near[4096], *text, *trace_text = NULL;
	struct ct_sim_text config = {path, NULL, 0}, trace = {trace_path, NULL, 0};
	int rc = read_file(path, &text, &config.n, e);
	if (rc < 0)
		return rc;
	config.text = text;
	if (!trace.name && ct_sim_recognise(text, config.n) && path_beside(path, near, sizeof near))
		trace.name = near;
	if (trace.name)
		rc = read_file(trace.name, &trace_text, &trace.n, e);
	trace.text = trace_text;
	if (rc == 0)
		rc = parse_text(g, &config, trace.name ? &trace : NULL, diag, e);
	free(text);
	free(trace_text);
	return rc;
}

/* "FILE,TRACECONFIG", unless a file has that very name. */
static int load_pair(struct ct_gpu *g, const char *name, const struct ct_diag *diag, struct ct_error *e)
{
	const char *comma = strrchr(name, ',');
	char path[4096];
	if (!comma || is_file(name) || (size_t)(comma - name) >= sizeof path || !comma[1])
		return load_file(g, name, NULL, diag, e);
	memcpy(path, name, (size_t)(comma - name));
	path[comma - name] = 0;
	return load_file(g, path, comma + 1, diag, e);
}

enum { MAX_NAMES = 256, NAME_ROOM = 64 };

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* "name: neither ..." with the description that it was probably meant to be. */
static int unknown_gpu(const char *name, const char *data_dir, struct ct_error *e)
{
	char path[4096], found[MAX_NAMES][NAME_ROOM];
	const char *names[MAX_NAMES];
	size_t n = 0;
	int at = -1;
	const struct dirent *entry;
	DIR *d = NULL;
	if (data_dir && snprintf(path, sizeof path, "%s/gpus", data_dir) < (int)sizeof path)
		d = opendir(path);
	while (d && n < MAX_NAMES && (entry = readdir(d))) {
		size_t len = strlen(entry->d_name);
		if (len <= 5 || len - 5 >= NAME_ROOM || strcmp(entry->d_name + len - 5, ".conf") != 0)
			continue;
		memcpy(found[n], entry->d_name, len - 5);
		found[n++][len - 5] = 0;
	}
	if (d)
		closedir(d);
	qsort(found, n, sizeof found[0], by_name); /* folders have no order */
	for (size_t i = 0; i < n; i++)
		names[i] = found[i];
	at = ct_nearest_name(name, names, n);
	if (at >= 0)
		return ct_fail(e, CT_ERR_INPUT,
		               "GPU '%s': no such description or file: did you mean '%s'?", name,
		               names[at]);
	return ct_fail(e, CT_ERR_INPUT, "GPU '%s': neither a file nor one of %s/gpus/*.conf", name,
	               data_dir ? data_dir : "data");
}

int ct_gpu_load(struct ct_gpu *g, const char *name_or_file, const char *data_dir,
                const struct ct_diag *diag, struct ct_error *e)
{
	char path[4096];
	struct stat st;
	if (!strchr(name_or_file, '/') && data_dir) {
		int n = snprintf(path, sizeof path, "%s/gpus/%s.conf", data_dir, name_or_file);
		if (n > 0 && (size_t)n < sizeof path && is_file(path))
			return load_file(g, path, NULL, diag, e);
	}
	if (stat(name_or_file, &st) == 0 && S_ISDIR(st.st_mode)) {
		int n = snprintf(path, sizeof path, "%s/gpgpusim.config", name_or_file);
		if (n > 0 && (size_t)n < sizeof path && is_file(path))
			return load_file(g, path, NULL, diag, e);
		return ct_fail(e, CT_ERR_INPUT, "%s: a folder without a gpgpusim.config", name_or_file);
	}
	if (strchr(name_or_file, '/') || strchr(name_or_file, ',') || is_file(name_or_file))
		return load_pair(g, name_or_file, diag, e);
	return unknown_gpu(name_or_file, data_dir, e);
}
