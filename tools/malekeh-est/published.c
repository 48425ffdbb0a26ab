/* The paper's numbers beside ours. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "own.h"

enum { FIELDS = 7, LINE = 512 };

static int word(char c)
{
	return isalnum((unsigned char)c);
}

/* 1 if one of the names between commas stands in the path as a word of its own. */
static int names(const char *aliases, const char *path)
{
	for (const char *a = aliases; *a;) {
		size_t n = strcspn(a, ",");
		for (const char *p = path; *p; p++) {
			size_t i = 0;
			while (i < n && p[i] && tolower((unsigned char)p[i]) == a[i])
				i++;
			if (i == n && !word(p[n]) && (p == path || !word(p[-1])))
				return 1;
		}
		a += n + (a[n] == ',');
	}
	return 0;
}

static double ours(const struct ct_profile *p, const char *system, const char *metric)
{
	struct ct_estimate es;
	return ct_profile_get_estimate(p, "all", "malekeh", system, metric, "replay", &es) ? es.value
	                                                                                  : NAN;
}

static unsigned split(char *line, char **f)
{
	unsigned n = 0;
	for (char *p = line; p && n < FIELDS; n++) {
		f[n] = p;
		p = strchr(p, '\t');
		if (p)
			*p++ = '\0';
	}
	return n;
}

static void row(struct ct_table *table, const struct ct_profile *p, char **f, double published)
{
	double here = ours(p, f[1], f[3]);
	if (strcmp(f[2], "-") && strcmp(f[2], "OCU") && strcmp(f[2], "OCU-mono"))
		here /= ours(p, f[2], f[3]);
	for (int i = 1; i < 4; i++)
		ct_table_cell(table, "%s", f[i]);
	ct_table_cell(table, "%.6g", published);
	if (isnan(here))
		ct_table_cell(table, "-");
	else
		ct_table_cell(table, "%.6g", here);
	ct_table_cell(table, "%.*s%s%s: %s", (int)strcspn(f[0], ","), f[0], *f[5] ? ", " : "", f[5], f[6]);
}

static int read_rows(FILE *file, const char *path, const char *trace, const struct ct_profile *p,
                     struct ct_table *table, struct ct_error *e)
{
	char line[LINE], *f[FIELDS];
	for (unsigned number = 1; fgets(line, sizeof line, file); number++) {
		double v;
		line[strcspn(line, "\n")] = '\0';
		if (*line == '#' || *line == '\0')
			continue;
		if (split(line, f) != FIELDS || ct_parse_real(f[4], &v) < 0)
			return ct_fail(e, CT_ERR_INPUT, "%s:%u: not a line of published numbers: install the data "
			               "again", path, number);
		if (!strcmp(f[0], "mean") || names(f[0], trace))
			row(table, p, f, v);
	}
	return CT_OK;
}

int mk_published(const struct ct_profile *p, struct ct_buf *b, struct ct_error *e)
{
	static const char *const head[] = {"system", "against", "metric", "paper", "here", "where"};
	struct ct_table table = {.columns = 6};
	struct ct_buf path = {0};
	size_t i = 0;
	const struct ct_record *tr = ct_profile_next(p, "TR", &i);
	ct_buf_printf(&path, "%s/malekeh/published.tsv", ct_tool_data_dir());
	if (ct_buf_check(&path, e) != CT_OK)
		return CT_ERR_NOMEM;
	for (int k = 0; k < 6; k++)
		ct_table_cell(&table, "%s", head[k]);
	FILE *f = fopen(path.data, "rb");
	int st = f ? read_rows(f, path.data, tr ? tr->field[0] : "", p, &table, e)
	           : ct_fail(e, CT_ERR_IO, "%s: cannot be opened: install the data again, or set "
	                     "CACHETRIAGE_DATA", path.data);
	if (f)
		fclose(f);
	ct_buf_free(&path);
	ct_buf_puts(b, "\npublished:\n");
	ct_table_render(&table, b);
	ct_buf_puts(b, "They may differ because inputs, compilers and GPUs are others, because the paper runs a "
	            "cycle-level simulator,\nand because its means are over all its applications. Nothing here "
	            "is fitted to them.\n");
	return st;
}
