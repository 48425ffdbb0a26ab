#include "models/shared_l1/published.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "models/common/published.h"

enum { FIELDS = 7, TEXT_MAX_BYTES = 1 << 16 };

static int read_text(const char *path, char **text, struct ct_error *e)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s", path);
	char *b = malloc(TEXT_MAX_BYTES + 1);
	if (!b) {
		fclose(f);
		return ct_fail_nomem(e);
	}
	size_t n = fread(b, 1, TEXT_MAX_BYTES, f);
	int bad = ferror(f) || !feof(f);
	fclose(f);
	if (bad) {
		free(b);
		return ct_fail(e, CT_ERR_IO, "%s: cannot be read, or is larger than 64 KiB", path);
	}
	b[n] = '\0';
	*text = b;
	return CT_OK;
}

/* Splits a line at tabs, in place. */
static unsigned split(char *line, char *field[FIELDS])
{
	unsigned n = 0;
	for (char *p = line; p && n < FIELDS; n++) {
		field[n] = p;
		p = strchr(p, '\t');
		if (p)
			*p++ = '\0';
	}
	return n;
}

static int add_line(struct ct_sl_published *t, char **f, unsigned n)
{
	if (n == 4 && !strcmp(f[0], "app") && t->apps < CT_SL_PUBLISHED_MAX) {
		t->app[t->apps++] = (struct ct_sl_published_app){ f[1], f[2], f[3] };
		return 0;
	}
	double v;
	if (n != FIELDS || strcmp(f[0], "result") != 0 || t->results == CT_SL_PUBLISHED_MAX ||
	    ct_parse_real(f[5], &v) < 0)
		return -1;
	t->result[t->results++] =
		(struct ct_sl_published_result){ f[1], f[2], f[3], f[4], v, f[6] };
	return 0;
}

int ct_sl_published_load(struct ct_sl_published *t, const char *path, struct ct_error *e)
{
	memset(t, 0, sizeof *t);
	int st = read_text(path, &t->text, e);
	unsigned number = 0;
	for (char *line = t->text, *next; st == CT_OK && line && *line; line = next) {
		char *field[FIELDS];
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		if (*line == '#' || *line == '\0')
			continue;
		if (add_line(t, field, split(line, field)) < 0)
			st = ct_fail(e, CT_ERR_INPUT, "%s:%u: not a line of published numbers: install the data "
			             "again", path, number);
	}
	if (st != CT_OK)
		ct_sl_published_free(t);
	return st;
}

void ct_sl_published_free(struct ct_sl_published *t)
{
	free(t->text);
	memset(t, 0, sizeof *t);
}

const struct ct_sl_published_app *ct_sl_published_find(const struct ct_sl_published *t,
                                                       const char *path)
{
	const struct ct_sl_published_app *best = NULL;
	size_t longest = 0;
	for (unsigned i = 0; i < t->apps; i++)
		for (const char *a = t->app[i].aliases; *a;) {
			size_t n = strcspn(a, ",");
			if (n > longest && ct_published_stands_in(path, a, n)) {
				longest = n;
				best = &t->app[i];
			}
			a += n + (a[n] == ',');
		}
	return best;
}

static double metric_of(const struct ct_sl_row *rows, const char *system, const char *metric)
{
	int i = ct_sl_system_find(system);
	if (i < 0)
		return NAN;
	const struct ct_sl_row *r = &rows[i];
	if (!strcmp(metric, "speedup"))
		return r->speedup.value;
	if (!strcmp(metric, "perf_per_watt"))
		return r->perf_per_watt.value;
	if (!strcmp(metric, "l1_request_miss_rate"))
		return r->x.l1_request_miss_rate;
	if (!strcmp(metric, "reply_latency"))
		return r->x.reply_latency;
	return !strcmp(metric, "replicas") ? r->x.replicas : NAN;
}

double ct_sl_published_ours(const struct ct_sl_row *rows, const struct ct_sl_published_result *r)
{
	double v = metric_of(rows, r->system, r->metric);
	return strcmp(r->against, "-") == 0 ? v : v / metric_of(rows, r->against, r->metric);
}
