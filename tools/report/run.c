#include "report/run.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "common/plugin.h"
#include "common/plugin_records.h"

static int of_others(void *name, const struct ct_record *r)
{
	return strcmp(r->field[0], name) != 0;
}

static const struct ct_record *find_verdict(const struct ct_profile *p, const char *const key[2])
{
	const struct ct_record *r;
	for (size_t i = 0; (r = ct_profile_next(p, "TV", &i));)
		if (r->nfields > 1 && !strcmp(r->field[0], key[0]) && !strcmp(r->field[1], key[1]))
			return r;
	return NULL;
}

static int add_workload(struct rep_run *run, struct ct_profile *p, const char *path, struct ct_error *e)
{
	struct rep_workload *w;
	if (ct_grow((void **)&run->w, &run->cap, run->n + 1, sizeof *run->w) < 0)
		return ct_fail_nomem(e);
	w = &run->w[run->n];
	memset(w, 0, sizeof *w);
	w->path = ct_strndup(path, strlen(path));
	if (!w->path)
		return ct_fail_nomem(e);
	w->p = p;
	ct_workload_name(p, path, w->name, sizeof w->name);
	ct_profile_remove(p, "TV", of_others,
	                  w->name); /* which a profile may have been put together with */
	run->n++;
	return CT_OK;
}

static struct rep_workload *find_workload(struct rep_run *run, const char *name)
{
	for (size_t i = 0; i < run->n; i++)
		if (strcmp(run->w[i].name, name) == 0)
			return &run->w[i];
	return NULL;
}

const struct rep_workload *rep_run_find(const struct rep_run *run, const char *name)
{
	size_t lo = 0, hi = run->n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int c = strcmp(run->w[mid].name, name);
		if (c == 0)
			return &run->w[mid];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static int has_records(const struct ct_profile *p, const char *type)
{
	size_t i = 0;
	return ct_profile_next(p, type, &i) != NULL;
}

/* A document of triage: verdicts on many workloads. Each goes to the workload of its
 * name, or to a new one that has nothing else. */
static int add_verdicts(struct rep_run *run, const struct ct_profile *p, struct ct_error *e)
{
	const struct ct_record *r;
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(p, "TV", &i));) {
		struct rep_workload *w = r->nfields >= 7 ? find_workload(run, r->field[0]) : NULL;
		if (r->nfields < 7)
			continue;
		if (!w) {
			struct ct_profile *empty = ct_tool_profile(e);
			st = empty ? add_workload(run, empty, "", e) : CT_ERR_NOMEM;
			if (st != CT_OK) {
				ct_profile_free(empty);
				break;
			}
			w = &run->w[run->n - 1];
			snprintf(w->name, sizeof w->name, "%s", r->field[0]);
		}
		st = ct_profile_put(w->p, "TV", r->nfields, r->field, e);
	}
	return st;
}

static int add_profile(struct ct_tool *t, struct rep_run *run, const char *path, struct ct_error *e)
{
	struct ct_source *s;
	struct ct_profile *p = NULL;
	enum ct_kind kind = CT_KIND_PROFILE;
	int st = ct_source_open(&s, path, NULL, e);
	if (st != CT_OK)
		return st;
	st = ct_source_sniff(s, &kind, e);
	if (st == CT_OK && kind != CT_KIND_PROFILE)
		st = ct_fail(e, CT_ERR_USAGE, "%s: not a profile: make one with reuse, or run triage",
		             path);
	if (st == CT_OK)
		st = ct_profile_read(&p, s, !t->no_verify, e);
	if (st == CT_OK && p)
		ct_profile_set_metrics(p, ct_mechanism_metric);
	ct_source_close(s);
	if (st != CT_OK)
		return st;
	if (!has_records(p, "TV") || has_records(p, "SN"))
		st = add_workload(run, p, path, e);
	else if (ct_grow((void **)&run->verdicts, &run->cap_verdicts, run->n_verdicts + 1,
	                 sizeof(struct ct_profile *)) < 0)
		st = ct_fail_nomem(e);
	else
		run->verdicts[run->n_verdicts++] = p;
	if (st != CT_OK)
		ct_profile_free(p);
	return st;
}

/* 1 for name.profile, also packed. */
static int is_named(const char *path)
{
	static const char *const packed[] = {"", ".gz", ".xz", ".zst"}, *const ours[] = {".profile",
	                                                                                 ".prof", ".tv"};
	size_t n = strlen(path);
	for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++)
		for (size_t k = 0; k < sizeof ours / sizeof ours[0]; k++) {
			size_t a = strlen(ours[k]), b = strlen(packed[i]);
			if (n > a + b && strncmp(path + n - a - b, ours[k], a) == 0 &&
			    strcmp(path + n - b, packed[i]) == 0)
				return 1;
		}
	return 0;
}

/* 1 for a file that a folder is asked for: a profile by its first bytes, packed or not, or by its
 * name: one whose first bytes are damaged must not be missing from the report. < 0: cannot be told. */
static int is_profile(const char *path, struct ct_error *e)
{
	struct ct_source *s;
	struct stat info;
	enum ct_kind kind = CT_KIND_BINARY;
	if (stat(path, &info) != 0)
		return errno == ENOENT ? 0
		                       : ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot be read", path);
	if (!S_ISREG(info.st_mode))
		return 0;
	if (is_named(path))
		return 1;
	int st = ct_source_open(&s, path, &(struct ct_source_options){.no_thread = 1}, e);
	if (st != CT_OK)
		return st;
	st = ct_source_sniff(s, &kind, e);
	ct_source_close(s);
	/* What is not ours may be damaged. */
	return st == CT_ERR_IO || st == CT_ERR_NOMEM ? st : st == CT_OK && kind == CT_KIND_PROFILE;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
	char **name;
	size_t n, cap;
};

static int add_name(struct names *l, const char *folder, const char *file, struct ct_error *e)
{
	struct ct_buf b = {0};
	ct_buf_printf(&b, "%s/%s", folder, file);
	int st = b.failed || ct_grow((void **)&l->name, &l->cap, l->n + 1, sizeof *l->name) < 0
	                 ? ct_fail_nomem(e)
	                 : is_profile(b.data, e);
	if (st > 0)
		l->name[l->n++] = b.data;
	else
		ct_buf_free(&b);
	return st < 0 ? st : CT_OK;
}

static int profiles_in(const char *path, struct names *l, struct ct_error *e)
{
	struct dirent *d;
	DIR *dir = opendir(path);
	int st = dir ? CT_OK : ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot open", path);
	while (st == CT_OK && (errno = 0, d = readdir(dir)))
		st = add_name(l, path, d->d_name, e);
	if (st == CT_OK && errno)
		st = ct_fail_errno(e, CT_ERR_IO, errno, "%s: cannot be read", path);
	if (dir)
		closedir(dir);
	return st;
}

static int add_folder(struct ct_tool *t, struct rep_run *run, const char *path, struct ct_error *e)
{
	struct names l = {0};
	int st = profiles_in(path, &l, e);
	char **name = l.name;
	size_t n = l.n;
	if (n)
		qsort(name, n, sizeof *name, by_text);
	for (size_t i = 0; i < n; i++) {
		if (st == CT_OK)
			st = add_profile(t, run, name[i], e);
		free(name[i]);
	}
	free(name);
	if (st == CT_OK && n == 0)
		st = ct_fail(e, CT_ERR_INPUT, "%s: no profiles in this folder", path);
	return st;
}

int rep_run_add(struct ct_tool *t, struct rep_run *run, const char *path, struct ct_error *e)
{
	struct stat info;
	if (strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		return add_folder(t, run, path, e);
	return add_profile(t, run, path, e);
}

static int by_name(const void *a, const void *b)
{
	const struct rep_workload *x = a, *y = b;
	int c = strcmp(x->name, y->name);
	return c ? c : strcmp(x->path, y->path);
}

static char *name_of(void *run, size_t i)
{
	return ((struct rep_run *)run)->w[i].name;
}

struct plugin_verdict {
	struct rep_workload *w;
	unsigned m;
};

static int work_of_plugin(void *ctx, struct ct_buf *reply, struct ct_error *e)
{
	const struct plugin_verdict *x = ctx;
	struct ct_verdict v;
	const struct ct_mechanism *m = ct_mechanism_at(x->m);
	if (ct_verdict_decide(x->w->p, m, &v) < 0)
		return ct_fail_nomem(e);
	int st = ct_verdict_write(x->w->p, x->w->name, m, &v, e);
	return st == CT_OK ? ct_plugin_records(x->w->p, UINT32_C(1) << x->m, NULL, reply, e) : st;
}

/* What a plugin says of the numbers that the profile has: in its process, and as triage decides it. */
static int decide_plugin(struct ct_tool *t, struct rep_workload *w, unsigned m, struct ct_error *e)
{
	struct plugin_verdict x = {w, m};
	struct ct_buf reply = {0};
	struct ct_error why = {0};
	struct ct_verdict *v = &w->v[m];
	const char *const key[2] = {w->name, ct_mechanism_at(m)->name};
	int broken, st = ct_plugin_run(t, UINT32_C(1) << m, work_of_plugin, &x, &reply, &broken, &why);
	if (st == CT_OK)
		st = ct_plugin_take_records(w->p, UINT32_C(1) << m, NULL, &reply, &broken, &why);
	const struct ct_record *r = st == CT_OK ? find_verdict(w->p, key) : NULL;
	if (!r || ct_verdict_read(r, v) < 0) {
		*v = (struct ct_verdict){
			.word = CT_UNKNOWN,
			.speedup = NAN,
			.low = NAN,
			.high = NAN,
			.alternative_speedup = NAN,
			.sms_used = NAN,
			.sms_asked = NAN};
		snprintf(v->reason, sizeof v->reason, "%.400s", why.text);
	}
	if (broken)
		ct_plugin_tell(t, &why);
	ct_buf_free(&reply);
	return broken || st == CT_OK ? CT_OK : ct_fail(e, st, "%s", why.text);
}

/* TV of the workload's own profile first; what is missing is decided here. */
static int decide_verdicts(struct ct_tool *t, struct rep_workload *w, struct ct_error *e)
{
	const struct ct_record *r;
	int given[CT_MECHANISMS_MAX] = {0};
	for (size_t i = 0; (r = ct_profile_next(w->p, "TV", &i));) {
		struct ct_verdict v;
		int m = ct_verdict_read(r, &v);
		if (m >= 0) {
			w->v[m] = v;
			given[m] = 1;
		}
	}
	int st = CT_OK;
	for (unsigned m = 0; m < ct_mechanism_count() && st == CT_OK; m++)
		if (!given[m] && ct_mechanism_plugins() >> m & 1)
			st = decide_plugin(t, w, m, e);
		else if (!given[m] && ct_verdict_decide(w->p, ct_mechanism_at(m), &w->v[m]) < 0)
			st = ct_fail_nomem(e);
	return st;
}

/* The mechanisms that a profile has estimates or verdicts of, a bit each. */
static uint32_t mechanisms_of(const struct ct_profile *p)
{
	static const char *const types[] = {"ES", "TV"};
	const struct ct_record *r;
	uint32_t mask = 0;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; (r = ct_profile_next(p, types[k], &i));) {
			int m = r->nfields > 1 ? ct_mechanism_find(r->field[1]) : -1;
			mask |= m < 0 ? 0 : UINT32_C(1) << m;
		}
	return mask;
}

int rep_next_shown(const struct rep_run *run, unsigned *m)
{
	while (*m < ct_mechanism_count() && !(run->shown >> *m & 1))
		++*m;
	return *m < ct_mechanism_count();
}

int rep_run_finish(struct ct_tool *t, struct rep_run *run, struct ct_error *e)
{
	int st = CT_OK;
	for (size_t i = 0; i < run->n_verdicts && st == CT_OK; i++)
		st = add_verdicts(run, run->verdicts[i], e);
	if (st != CT_OK)
		return st;
	if (run->n == 0)
		return ct_fail(e, CT_ERR_INPUT, "no workloads in the input: name profiles");
	qsort(run->w, run->n, sizeof *run->w, by_name);
	st = ct_workload_distinguish(run->n, name_of, run, e);
	if (st != CT_OK)
		return st;
	qsort(run->w, run->n, sizeof *run->w, by_name);
	run->shown = ct_mechanisms_published();
	for (size_t i = 0; i < run->n && st == CT_OK; i++) {
		run->shown |= mechanisms_of(run->w[i].p);
		st = decide_verdicts(t, &run->w[i], e);
	}
	return st;
}

void rep_run_free(struct rep_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		ct_profile_free(run->w[i].p);
		free(run->w[i].path);
	}
	free(run->w);
	for (size_t i = 0; i < run->n_verdicts; i++)
		ct_profile_free(run->verdicts[i]);
	free(run->verdicts);
	memset(run, 0, sizeof *run);
}

double rep_sn(const struct rep_workload *w, const char *metric)
{
	double v;
	return ct_profile_get(w->p, "all", metric, &v) ? v : NAN;
}

enum rep_part rep_part(const struct rep_workload *w, char *text, size_t n)
{
	char gaps[CT_GAPS_MAX];
	int lacks = ct_profile_gaps(w->p, gaps, sizeof gaps);
	if (rep_sn(w, "truncated") > 0) {
		snprintf(text, n, "the trace is damaged, only a part of it is counted%s%s",
		         lacks ? ": " : "", gaps);
		return REP_DAMAGED;
	}
	snprintf(text, n, "only a part of the trace was there: %s", gaps);
	return lacks ? REP_PART : REP_WHOLE;
}

int rep_es(const struct rep_workload *w, const char *mechanism, const char *system, const char *metric,
           struct ct_estimate *es)
{
	return ct_profile_get_estimate(w->p, "all", mechanism, system, metric, NULL, es);
}
