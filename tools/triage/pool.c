/* pool.c - a process per input (common/workers.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "common/digest.h"
#include "common/progress.h"
#include "common/workers.h"
#include "triage/pages.h"
#include "triage/triage.h"

struct pool {
	struct ct_tool *t;
	struct tr_job *job;
	size_t n, done, failed;
	size_t *order; /* the largest first: the last to finish is then a short one */
	unsigned places, threads_each;
	uint64_t bytes, bytes_done;
	double start;
	int show, drawn;
};

/* ---- in the worker ---- */

static void reply_curves(const struct ct_profile *p, struct ct_buf *b)
{
	double curve[CT_MECHANISMS_MAX][CT_CURVE_POINTS];
	unsigned has = tr_curves(p, curve, &b->failed);
	for (unsigned m = 0; m < CT_MECHANISMS_MAX; m++) {
		if (!(has >> m & 1))
			continue;
		ct_buf_printf(b, "C%u", m);
		for (int i = 0; i < CT_CURVE_POINTS; i++)
			ct_buf_printf(b, " %.3f", curve[m][i]);
		ct_buf_putc(b, '\n');
	}
}

static void reply_verdict(const struct ct_record *r, struct ct_buf *b)
{
	for (unsigned f = 1; f < r->nfields; f++)
		ct_buf_printf(b, "%c%s", f == 1 ? 'V' : '\t', r->field[f]);
	ct_buf_putc(b, '\n');
}

/* Only the verdicts and what tables draw travel; the profile itself is in --resume's folder, if anywhere. */
static void write_reply(struct ct_buf *b, int st, int kept, int broken, const char *name,
                        const struct ct_profile *p, const struct ct_buf *warnings, struct ct_error *e)
{
	const struct ct_record *r;
	name = st < 0 ? "" : name;
	for (char *c = e->text; *c; c++) /* of a path; lines are the form of the reply */
		*c = *c == '\n' ? '?' : *c;
	/* its length too: a name may hold anything */
	ct_buf_printf(b, "%d %d %d %zu\n%s\n", st, kept, broken, strlen(name), name);
	if (st < 0)
		ct_buf_printf(b, "E%s\n", e->text);
	for (size_t i = 0; st >= 0 && (r = ct_profile_next(p, "TV", &i));)
		if (strcmp(r->field[0], name) == 0)
			reply_verdict(r, b);
	if (st >= 0)
		reply_curves(p, b);
	if (warnings->len)
		ct_buf_printf(b, "W%s", warnings->data);
}

static void work_on(void *ctx, size_t i, struct ct_buf *reply)
{
	struct pool *p = ctx;
	struct ct_error e = {0};
	struct ct_profile *profile = NULL;
	char name[CT_WORKLOAD_NAME_MAX] = "";
	int kept = 0;
	ct_workers_share(p->t, p->threads_each, p->places);
	tr_large_pages();
	int st = tr_job_run(p->t, p->job[p->order[i]].path, &profile, name, &kept, &e);
	write_reply(reply, st, kept, p->t->plugin_broken, name, profile, &p->t->warnings, &e);
	ct_profile_free(profile);
}

/* ---- in the parent ---- */

/* The text up to the end of the line; *s moves behind it. */
static char *next_line(char **s)
{
	char *begin = *s, *nl = strchr(begin, '\n');
	if (!nl)
		return NULL;
	*nl = '\0';
	*s = nl + 1;
	return begin;
}

static void take_record(struct tr_job *j, const struct ct_record *r)
{
	struct ct_verdict v;
	int m = ct_verdict_read(r, &v);
	if (m < 0 && r->nfields > 1 && strchr(r->field[1], ',')) { /* of several together */
		const char *f[CT_RECORD_FIELDS_MAX];
		memcpy(f, r->field, r->nfields * sizeof *f);
		f[1] = ct_mechanism_at(0)->name;
		m = ct_verdict_read(
			&(struct ct_record){.type = r->type, .nfields = r->nfields, .field = f}, &v);
		m = m < 0 ? m : (int)ct_mechanism_count();
	}
	if (m >= 0) {
		j->v[m] = v;
		j->has |= 1u << m;
	}
}

static void take_verdict(struct tr_job *j, char *text)
{
	const char *f[CT_RECORD_FIELDS_MAX] = {""};
	unsigned n = 1;
	for (char *s = text; s && n < CT_RECORD_FIELDS_MAX; n++) {
		f[n] = s;
		if ((s = strchr(s, '\t')))
			*s++ = '\0';
	}
	take_record(j, &(struct ct_record){.type = "TV", .nfields = n, .field = f});
}

static void take_curve(struct tr_job *j, char *text)
{
	unsigned m = (unsigned)strtoul(text, &text, 10);
	if (m >= CT_MECHANISMS_MAX)
		return;
	for (int i = 0; i < CT_CURVE_POINTS; i++)
		j->curve[m][i] = strtod(text, &text);
	j->has_curve |= 1u << m;
}

/* The lines of a reply behind its head, into the job. */
static void take_lines(struct tr_job *j, char *s)
{
	char *l;
	while (*s && *s != 'W' && (l = next_line(&s))) {
		if (*l == 'E')
			j->error = ct_strndup(l + 1, strlen(l + 1));
		else if (*l == 'C')
			take_curve(j, l + 1);
		else
			take_verdict(j, l + 1);
	}
	if (*s == 'W' && !(j->warnings = ct_strndup(s + 1, strlen(s + 1)))) {
		j->status = CT_ERR_NOMEM; /* without them it would look better than it is */
		j->has = 0;
	}
}

static void take_reply(struct tr_job *j, char *reply, size_t len, const char *why)
{
	char *s = reply, *head = NULL;
	size_t n = 0;
	if (reply && (head = next_line(&s))) {
		j->status = (int)strtol(head, &head, 10);
		j->kept = strtol(head, &head, 10) != 0;
		j->broken = strtol(head, &head, 10) != 0;
		n = strtoul(head, NULL, 10);
	}
	if (!head || n >= sizeof j->name || (size_t)(reply + len - s) <= n) {
		j->status = CT_ERR_IO;
		j->error = ct_strndup(why, strlen(why));
		return;
	}
	memcpy(j->name, s, n);
	j->name[n] = '\0';
	take_lines(j, s + n + 1);
}

static void take_job(void *ctx, size_t i, char *reply, size_t n, const char *why)
{
	struct pool *p = ctx;
	struct tr_job *j = &p->job[p->order[i]];
	take_reply(j, reply, n, why);
	/* What an earlier run left in a profile was not judged now. */
	const struct tr_own *o = p->t->own;
	if (o->mechanisms)
		j->has &= o->mechanisms | (unsigned)(o->with.n > 0) << ct_mechanism_count();
	p->t->plugin_broken |= j->broken;
	p->done++;
	p->failed += j->status < 0;
	p->bytes_done += j->bytes;
}

static void draw_progress(void *ctx, size_t busy)
{
	struct pool *p = ctx;
	const char *name = busy < p->n ? p->job[p->order[busy]].path : "";
	double took = ct_workers_clock() - p->start;
	char eta[32] = "", front[160];
	if (!p->show)
		return;
	if (p->bytes_done > 0 && took > 0.5) {
		unsigned left = (unsigned)(took * (double)(p->bytes - p->bytes_done) /
		                           (double)p->bytes_done);
		snprintf(eta, sizeof eta, ", ETA %u:%02u", left / 60, left % 60);
	}
	snprintf(front, sizeof front, "%s: %zu of %zu, %zu failed, %.1f MB/s%s, now ", p->t->spec->name,
	         p->done, p->n, p->failed, took > 0 ? (double)p->bytes_done * 1e-6 / took : 0, eta);
	ct_progress_draw(front, name, "");
	p->drawn = 1;
}

static const struct tr_job *sizes;

static int larger_first(const void *a, const void *b)
{
	const struct tr_job *x = &sizes[*(const size_t *)a], *y = &sizes[*(const size_t *)b];
	return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : x < y ? -1 : x > y;
}

int tr_pool(struct ct_tool *t, struct tr_job *job, size_t n, struct ct_error *e)
{
	struct pool p = {.t = t, .job = job, .n = n, .start = ct_workers_clock()};
	p.places = t->threads > n ? (unsigned)n : t->threads;
	p.threads_each = t->threads / (p.places ? p.places : 1);
	p.show = !t->quiet && (t->progress || isatty(STDERR_FILENO));
	p.order = ct_calloc(n, sizeof *p.order);
	int st = p.order ? CT_OK : ct_fail_nomem(e);
	for (size_t i = 0; i < n && st == CT_OK; i++) {
		p.order[i] = i;
		p.bytes += job[i].bytes = ct_digest_bytes(job[i].path);
	}
	if (st == CT_OK) {
		sizes = job;
		qsort(p.order, n, sizeof *p.order, larger_first);
		struct ct_workers w = {.places = p.places,
		                       .n = n,
		                       .ctx = &p,
		                       .work = work_on,
		                       .done = take_job,
		                       .wait = draw_progress};
		st = ct_workers_run(&w, e);
	}
	if (p.drawn)
		ct_progress_clear();
	if (t->verbose && st == CT_OK)
		fprintf(stderr, "%s: %zu inputs, %zu failed, in %.1f s\n", t->spec->name, n, p.failed,
		        ct_workers_clock() - p.start);
	free(p.order);
	return st;
}

int tr_whole(const struct ct_tool *t, size_t n)
{
	const struct tr_own *o = t->own;
	return n == 1 && t->output == CT_OUTPUT_PROFILE && !o->shards && !o->join && !o->only &&
	       !o->mechanisms && !(o->min_speedup > 0);
}

int tr_alone(struct ct_tool *t, struct tr_job *job, struct ct_error *e)
{
	struct ct_error own = {0};
	job->status = tr_job_run(t, job->path, &job->whole, job->name, &job->kept, &own);
	if (job->status == CT_ERR_NOMEM)
		return ct_fail_nomem(e);
	if (job->status < 0)
		job->error = ct_strndup(own.text, strlen(own.text));
	const struct ct_record *r;
	for (size_t i = 0; job->whole && (r = ct_profile_next(job->whole, "TV", &i));)
		if (strcmp(r->field[0], job->name) == 0)
			take_record(job, r);
	return CT_OK;
}
