#include "report/checks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LINE_MAX_BYTES = CT_REQUIRE_TEXT_MAX };

int rep_checks_add(struct rep_checks *c, const char *text, struct ct_error *e)
{
	if (ct_grow((void **)&c->check, &c->cap, c->n + 1, sizeof *c->check) < 0)
		return ct_fail_nomem(e);
	memset(&c->check[c->n], 0, sizeof *c->check);
	int st = ct_require_parse(&c->check[c->n].r, text, e);
	c->n += st == CT_OK;
	return st;
}

static int add_line(struct rep_checks *c, char *line, const char *path, unsigned number,
                    struct ct_error *e)
{
	struct ct_error own = {0};
	/* A '#' in a workload's name ("bfs#2") is no comment. */
	for (char *s = line; *s; s++)
		if (*s == '#' && (s == line || s[-1] == ' ' || s[-1] == '\t')) {
			*s = '\0';
			break;
		}
	if (!line[strspn(line, " \t\r\n")])
		return CT_OK;
	int st = rep_checks_add(c, line, &own);
	return st == CT_OK ? CT_OK : ct_fail(e, st, "%s:%u: %s", path, number, own.text);
}

int rep_checks_add_file(struct rep_checks *c, const char *path, struct ct_error *e)
{
	char line[LINE_MAX_BYTES + 2];
	int st = CT_OK;
	unsigned number = 0;
	FILE *f = fopen(path, "r");
	if (!f)
		return ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open", path);
	while (st == CT_OK && fgets(line, sizeof line, f)) {
		number++;
		size_t n = strlen(line), first = strspn(line, " \t\r");
		if (n && line[n - 1] != '\n' && line[first] && line[first] != '#')
			c->open_end = path;
		if (n == sizeof line - 1 && line[n - 1] != '\n')
			st = ct_fail(e, CT_ERR_USAGE, "%s:%u: a line of more than %d characters", path,
			             number, LINE_MAX_BYTES);
		else if (n == 0 || (line[n - 1] != '\n' && !feof(f))) /* it ends before its newline */
			st = ct_fail(e, CT_ERR_USAGE, "%s:%u: a NUL byte: this is no text", path,
			             number);
		else
			st = add_line(c, line, path, number, e);
	}
	if (st == CT_OK && ferror(f))
		st = ct_fail(e, CT_ERR_IO, "%s: cannot be read", path);
	fclose(f);
	return st;
}

/* The number that a name of a threshold stands for: a summary metric, an estimate, or a verdict's
 * speed-up or range. Returns 0 where the workload has none. */
static int number_of(const void *run, const struct ct_require_name *name, double *v)
{
	const struct rep_workload *w = run;
	struct ct_estimate es;
	if (!*name->mechanism)
		return ct_profile_get(w->p, "all", name->metric, v);
	if (*name->system) {
		if (!rep_es(w, name->mechanism, name->system, name->metric, &es))
			return 0;
		*v = es.value;
		return !isnan(*v);
	}
	int m = ct_mechanism_find(name->mechanism);
	if (m < 0)
		return 0;
	const struct ct_verdict *d = &w->v[m];
	*v = strcmp(name->metric, "speedup") == 0 ? d->speedup
	     : strcmp(name->metric, "low") == 0   ? d->low
	     : strcmp(name->metric, "high") == 0  ? d->high
	                                          : NAN;
	return !isnan(*v);
}

static const char *word_of(const void *run, const char *mechanism)
{
	const struct rep_workload *w = run;
	int m = ct_mechanism_find(mechanism);
	return m < 0 ? NULL : ct_verdict_word(w->v[m].word);
}

static const char *name_of(const void *run, size_t i)
{
	return ((const struct rep_run *)run)->w[i].name;
}

/* Whether a workload of the one run is in the other, too. */
static int share_a_workload(const struct rep_run *run, const struct rep_run *old)
{
	for (size_t i = 0; i < run->n; i++)
		if (rep_run_find(old, run->w[i].name))
			return 1;
	return 0;
}

/* Tries a threshold on each workload that it is meant for. It passes when none failed, none lacked a
 * value, and there was one at all. A comparison with a run of other workloads fails: it would test nothing for ever. */
static int check_one(struct rep_check *c, const struct rep_run *run, const struct rep_run *old,
                     int allow_unknown, struct ct_error *e)
{
	const struct ct_require_source source = {number_of, word_of, allow_unknown};
	c->finding = ct_calloc(run->n, sizeof *c->finding);
	if (!c->finding)
		return ct_fail_nomem(e);
	for (size_t i = 0; i < run->n; i++) {
		const struct rep_workload *w = &run->w[i];
		struct rep_finding *f = &c->finding[c->n];
		if (!ct_require_applies(c->r, w->name))
			continue;
		f->w = w;
		f->outcome = ct_require_eval(c->r, &source, w, old ? rep_run_find(old, w->name) : NULL,
		                             f->why, sizeof f->why);
		if (f->outcome == CT_REQUIRE_MISNAMED)
			return ct_fail(e, CT_ERR_USAGE, "requirement '%s': %s", ct_require_text(c->r),
			               f->why);
		c->failed += f->outcome == CT_REQUIRE_FAILED;
		c->absent += f->outcome == CT_REQUIRE_ABSENT;
		c->no_base += f->outcome == CT_REQUIRE_NO_BASE;
		c->n++;
	}
	c->gone = ct_require_unmatched(c->r, run->n, name_of, run);
	c->strangers = c->no_base > 0 && old && !share_a_workload(run, old);
	c->skipped = c->n > 0 && !c->gone && !c->strangers && c->no_base == c->n;
	c->passed = c->n > 0 && !c->gone && !c->failed && !c->absent && !c->skipped && !c->strangers;
	return CT_OK;
}

int rep_checks_run(struct rep_checks *c, const struct rep_run *run, const struct rep_run *old,
                   struct ct_error *e)
{
	int st = CT_OK;
	for (size_t i = 0; i < c->n && st == CT_OK; i++) {
		if (!old && ct_require_uses_base(c->check[i].r))
			return ct_fail(e, CT_ERR_USAGE,
			               "requirement '%s' names base: give the old run, --compare OLD",
			               ct_require_text(c->check[i].r));
		st = check_one(&c->check[i], run, old, c->allow_unknown, e);
		c->failed += !c->check[i].passed && !c->check[i].skipped;
		c->skipped += c->check[i].skipped;
	}
	return st;
}

void rep_checks_free(struct rep_checks *c)
{
	for (size_t i = 0; i < c->n; i++) {
		ct_require_free(c->check[i].r);
		free(c->check[i].finding);
	}
	free(c->check);
	memset(c, 0, sizeof *c);
}

void rep_check_why(const struct rep_check *c, char *out, size_t n)
{
	size_t bad = c->failed + c->absent;
	if (c->gone) {
		snprintf(out, n, "no workload is called %s", c->gone);
		return;
	}
	if (c->n == 0) {
		snprintf(out, n, "there is no workload");
		return;
	}
	if (c->strangers) {
		snprintf(out, n, "no workload of this run is in the old one: give both the same names");
		return;
	}
	for (size_t i = 0; i < c->n; i++) {
		const struct rep_finding *f = &c->finding[i];
		if (f->outcome == CT_REQUIRE_PASSED || (bad && f->outcome == CT_REQUIRE_NO_BASE))
			continue;
		if (bad > 1)
			snprintf(out, n, "%s: %s (and %zu more)", f->w->name, f->why, bad - 1);
		else
			snprintf(out, n, "%s: %s", f->w->name, f->why);
		return;
	}
	snprintf(out, n, "holds for %zu workload%s", c->n, c->n == 1 ? "" : "s");
}
