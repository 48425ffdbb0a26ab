#include "models/common/published.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/items.h"
#include "base/mem.h"
#include "base/units.h"

enum { TEXT_MAX_BYTES = 1 << 20 };

/* Reads a small file whole, with a NUL behind it: *text is the caller's to free. */
static int read_text(const char *path, char **text, struct ct_error *e)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s", path);
	char *b = malloc(TEXT_MAX_BYTES + 1);
	size_t n = b ? fread(b, 1, TEXT_MAX_BYTES, f) : 0;
	int bad = ferror(f) || (b && !feof(f));
	fclose(f);
	if (!b)
		return ct_fail_nomem(e);
	if (bad) {
		free(b);
		return ct_fail(e, CT_ERR_IO, "%s: cannot be read, or is larger than 1 MiB", path);
	}
	b[n] = '\0';
	*text = b;
	return CT_OK;
}

enum { APP_ALIASES = 2, RESULT_VALUE = 5 };

/* Splits a line at tabs, in place. Returns 0 when it is neither an application nor a result. */
static int split_line(char *line, struct ct_published_row *row)
{
	*row = (struct ct_published_row){0};
	for (char *p = line; p;) {
		if (row->n == CT_PUBLISHED_FIELDS)
			return 0;
		row->field[row->n++] = p;
		p = strchr(p, '\t');
		if (p)
			*p++ = '\0';
	}
	for (unsigned i = row->n; i < CT_PUBLISHED_FIELDS; i++)
		row->field[i] = "";
	if (!strcmp(row->field[0], "result"))
		return ct_parse_real(row->field[RESULT_VALUE], &row->value) == 0;
	return !strcmp(row->field[0], "app") && row->n > APP_ALIASES;
}

int ct_published_load(struct ct_published *t, const char *path, struct ct_error *e)
{
	memset(t, 0, sizeof *t);
	int st = read_text(path, &t->text, e);
	unsigned number = 0;
	for (char *line = t->text, *next; st == CT_OK && line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		if (*line == '#' || *line == '\0')
			continue;
		struct ct_published_row *more = ct_reallocarray(t->row, t->rows + 1, sizeof *more);
		if (!more) {
			st = ct_fail_nomem(e);
			break;
		}
		t->row = more;
		if (!split_line(line, &t->row[t->rows++]))
			st = ct_fail(e, CT_ERR_INPUT,
			             "%s:%u: not a line of published numbers: install the data "
			             "again",
			             path, number);
	}
	if (st != CT_OK)
		ct_published_free(t);
	return st;
}

void ct_published_free(struct ct_published *t)
{
	free(t->row);
	free(t->text);
	memset(t, 0, sizeof *t);
}

/* 1 if the n characters of alias stand in path, neither side running on in a word. */
int ct_published_stands_in(const char *path, const char *alias, size_t n)
{
	for (const char *p = path; *p; p++) {
		size_t i = 0;
		while (i < n && p[i] && tolower((unsigned char)p[i]) == alias[i])
			i++;
		if (i == n && !isalnum((unsigned char)p[n]) &&
		    (p == path || !isalnum((unsigned char)p[-1])))
			return 1;
	}
	return 0;
}

const struct ct_published_row *ct_published_find(const struct ct_published *t, const char *path)
{
	const struct ct_published_row *best = NULL;
	size_t longest = 0, n;
	for (size_t i = 0; i < t->rows; i++) {
		const char *at = t->row[i].field[APP_ALIASES], *alias;
		while (!strcmp(t->row[i].field[0], "app") && (alias = ct_item_next(&at, &n)))
			if (n > longest && ct_published_stands_in(path, alias, n)) {
				longest = n;
				best = &t->row[i];
			}
	}
	return best;
}

int ct_published_of_profile(struct ct_published *t, const char *data_dir, const char *folder,
                            const struct ct_profile *p, const struct ct_published_row **app,
                            struct ct_error *e)
{
	struct ct_buf path = {0};
	size_t i = 0;
	const struct ct_record *tr = ct_profile_next(p, "TR", &i);
	*t = (struct ct_published){0};
	*app = NULL;
	ct_buf_printf(&path, "%s/%s/published.tsv", data_dir, folder);
	int st = ct_buf_check(&path, e);
	if (st == CT_OK)
		st = ct_published_load(t, path.data, e);
	ct_buf_free(&path);
	if (st == CT_OK && tr)
		*app = ct_published_find(t, tr->field[0]);
	return st;
}
