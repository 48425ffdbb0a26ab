#include "models/morpheus/published.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

enum { FIELDS = 8, TEXT_MAX_BYTES = 1 << 20 };

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
		return ct_fail(e, CT_ERR_IO, "%s: cannot be read, or is larger than 1 MiB", path);
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

static int count_of(const char *s, int *out)
{
	uint64_t v;
	if (ct_parse_u64_range(s, 0, 1 << 20, &v) < 0)
		return -1;
	*out = (int)v;
	return 0;
}

static int add_line(struct ct_mo_published *t, char **f, unsigned n, struct ct_error *e)
{
	if (n == FIELDS && !strcmp(f[0], "app")) {
		struct ct_mo_published_app a = { f[1], f[2], f[3], f[4], 0, 0, 0 };
		struct ct_mo_published_app *more =
			ct_reallocarray(t->app, t->apps + 1, sizeof *more);
		if (!more)
			return ct_fail_nomem(e);
		t->app = more;
		if (count_of(f[5], &a.ibl_sms) < 0 || count_of(f[6], &a.basic_sms) < 0 ||
		    count_of(f[7], &a.all_sms) < 0)
			return CT_ERR_INPUT;
		t->app[t->apps++] = a;
		return CT_OK;
	}
	if (n == FIELDS && !strcmp(f[0], "result")) {
		struct ct_mo_published_result r = { f[1], f[2], f[3], f[4], 0, f[6], f[7] };
		struct ct_mo_published_result *more =
			ct_reallocarray(t->result, t->results + 1, sizeof *more);
		if (!more)
			return ct_fail_nomem(e);
		t->result = more;
		if (ct_parse_real(f[5], &r.value) < 0)
			return CT_ERR_INPUT;
		t->result[t->results++] = r;
		return CT_OK;
	}
	return CT_ERR_INPUT;
}

int ct_mo_published_load(struct ct_mo_published *t, const char *path, struct ct_error *e)
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
		st = add_line(t, field, split(line, field), e);
		if (st == CT_ERR_INPUT)
			ct_fail(e, st, "%s:%u: not a line of published numbers: install the data again", path,
			        number);
	}
	if (st != CT_OK)
		ct_mo_published_free(t);
	return st;
}

void ct_mo_published_free(struct ct_mo_published *t)
{
	free(t->app);
	free(t->result);
	free(t->text);
	memset(t, 0, sizeof *t);
}

static int word_char(char c)
{
	return isalnum((unsigned char)c);
}

/* 1 if the n characters of alias stand in path, neither side running on in a word. */
static int stands_in(const char *path, const char *alias, size_t n)
{
	for (const char *p = path; *p; p++) {
		size_t i = 0;
		while (i < n && p[i] && tolower((unsigned char)p[i]) == alias[i])
			i++;
		if (i == n && !word_char(p[n]) && (p == path || !word_char(p[-1])))
			return 1;
	}
	return 0;
}

const struct ct_mo_published_app *ct_mo_published_find(const struct ct_mo_published *t,
                                                       const char *path)
{
	const struct ct_mo_published_app *best = NULL;
	size_t longest = 0;
	for (size_t i = 0; i < t->apps; i++)
		for (const char *a = t->app[i].aliases; *a;) {
			size_t n = strcspn(a, ",");
			if (n > longest && stands_in(path, a, n)) {
				longest = n;
				best = &t->app[i];
			}
			a += n + (a[n] == ',');
		}
	return best;
}

static double metric_of(const struct ct_mo_answer *a, const char *system, const char *metric)
{
	int i = ct_mo_system_find(system);
	if (i < 0)
		return NAN;
	const struct ct_mo_row *r = &a->row[i];
	const struct ct_mo_estimate *x = &r->x;
	if (!strcmp(metric, "speedup"))
		return r->speedup.value;
	if (!strcmp(metric, "perf_per_watt"))
		return r->perf_per_watt.value;
	if (!strcmp(metric, "cycles"))
		return x->cycles;
	if (!strcmp(metric, "llc_throughput_ratio"))
		return x->llc_requests / x->cycles;
	if (!strcmp(metric, "noc_load_ratio"))
		return x->packets / x->cycles;
	if (!strcmp(metric, "dram_utilisation"))
		return x->dram_bytes / x->cycles;
	return !strcmp(metric, "llc_mpki") ? x->llc_misses : NAN;
}

double ct_mo_published_ours(const struct ct_mo_answer *a,
                            const struct ct_mo_published_result *r)
{
	return metric_of(a, r->system, r->metric) / metric_of(a, r->against, r->metric);
}
