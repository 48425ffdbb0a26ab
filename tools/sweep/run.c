/* run.c - all points of all inputs: the inputs are opened first, then points are estimated in groups that share a GPU,
 * those that need no trace before the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "common/workers.h"
#include "sweep/sweep.h"

struct job {
	size_t input, group;
};

struct run {
	struct ct_tool *t;
	struct sw_own *o;
	struct sw_journal *journal;
	struct job *job;
	size_t n;
	struct job *again; /* those that need the trace */
	size_t n_again;
	int may_pass;
	unsigned places, threads_each;
	size_t points, found; /* to do, and done */
	int drawn;
	int status; /* of what callbacks meet */
	struct ct_error *e;
};

/* ---- both phases ---- */

static int may_begin(void *ctx)
{
	const struct run *r = ctx;
	return r->status == CT_OK &&
	       (!(r->o->budget > 0) || ct_workers_clock() - r->o->start < r->o->budget);
}

static void draw_progress(void *ctx, size_t busy)
{
	struct run *r = ctx;
	const struct ct_tool *t = r->t;
	(void)busy;
	if (t->quiet || !(t->progress || isatty(STDERR_FILENO)))
		return;
	fprintf(stderr, "\r%s: %zu of %zu points", t->spec->name, r->found, r->points);
	r->drawn = 1;
}

static int run_jobs(struct run *r, size_t n, void (*work)(void *, size_t, struct ct_buf *),
                    void (*done)(void *, size_t, char *, size_t, const char *))
{
	struct ct_workers w = {.n = n,
	                       .ctx = r,
	                       .work = work,
	                       .done = done,
	                       .wait = draw_progress,
	                       .may_begin = may_begin};
	w.places = r->places = r->t->threads > n ? (unsigned)n : r->t->threads;
	r->threads_each = n ? r->t->threads / w.places : 1;
	int st = n ? ct_workers_run(&w, r->e) : CT_OK;
	return st == CT_OK ? r->status : st;
}

/* ---- opening ---- */

static void open_job(void *ctx, size_t i, struct ct_buf *reply)
{
	struct run *r = ctx;
	ct_workers_share(r->t, r->threads_each, r->places);
	sw_open_input(r->t, r->job[i].input, reply);
}

static void opened_job(void *ctx, size_t i, char *reply, size_t n, const char *why)
{
	struct run *r = ctx;
	if (r->status == CT_OK)
		r->status = sw_open_take(r->t, r->job[i].input, reply, n, why, r->e);
}

/* Opens the inputs of which points are missing; a single one is printed, too, where the output is a profile. */
static int open_inputs(struct run *r)
{
	size_t n = 0;
	for (size_t i = 0; i < r->o->n_inputs; i++) {
		int missing = r->o->n_inputs == 1 && sw_prints_profile(r->t);
		for (size_t k = 0; k < r->o->points && !missing; k++)
			missing = !r->o->input[i].result[k].text;
		if (missing)
			r->job[n++] = (struct job){i, 0};
	}
	return run_jobs(r, n, open_job, opened_job);
}

/* ---- points ---- */

static void estimate_job(void *ctx, size_t i, struct ct_buf *reply)
{
	struct run *r = ctx;
	ct_workers_share(r->t, r->threads_each, r->places);
	const struct sw_task task = {.t = r->t,
	                             .input = &r->o->input[r->job[i].input],
	                             .group = r->job[i].group,
	                             .may_pass = r->may_pass};
	sw_estimate_group(&task, reply);
}

static void take_point(struct run *r, size_t input, size_t point, const char *text, size_t n)
{
	struct sw_result *x = &r->o->input[input].result[point];
	if (point >= r->o->points || x->text)
		return;
	if (!(x->text = ct_strndup(text, n))) {
		r->status = ct_fail_nomem(r->e);
		return;
	}
	r->found++;
	r->status = sw_journal_append(r->journal, r->o, input, point, r->e);
}

/* The process of a group did not end well: none of its points has a number. */
static void fail_group(struct run *r, const struct job *job, const char *why)
{
	struct ct_buf b = {0};
	size_t each;
	sw_groups(r->o, &each);
	for (unsigned i = 0; i < r->o->n_systems; i++)
		ct_buf_printf(&b, "E\t%s\t%s\t%s\n", sw_mechanism_name(&r->o->system[i]),
		              sw_system_name(&r->o->system[i]), why);
	if (b.failed)
		r->status = ct_fail_nomem(r->e);
	for (size_t k = 0; k < each && r->status == CT_OK; k++)
		take_point(r, job->input, sw_group_point(r->o, job->group, k), b.data, b.len);
	ct_buf_free(&b);
}

static void estimated_job(void *ctx, size_t i, char *reply, size_t n, const char *why)
{
	struct run *r = ctx;
	const struct job *job = &r->job[i];
	if (r->status != CT_OK)
		return;
	if (!reply) {
		fail_group(r, job, why);
		return;
	}
	if (*reply == 'N') {
		r->again[r->n_again++] = *job;
		return;
	}
	for (char *at = reply; *at && r->status == CT_OK;) {
		size_t point = strtoul(at + 2, &at, 10);
		const char *text = *at ? ++at : at, *next = strstr(text, "\nP\t");
		size_t length = next ? (size_t)(next + 1 - text) : (size_t)(reply + n - text);
		take_point(r, job->input, point, text, length);
		at += length;
	}
}

/* The groups of which points are missing. */
static void list_groups(struct run *r)
{
	size_t each, groups = sw_groups(r->o, &each);
	r->n = 0;
	for (size_t i = 0; i < r->o->n_inputs; i++)
		for (size_t g = 0; r->o->input[i].p && g < groups; g++) {
			size_t missing = 0;
			for (size_t k = 0; k < each; k++)
				missing += !r->o->input[i].result[sw_group_point(r->o, g, k)].text;
			if (missing)
				r->job[r->n++] = (struct job){i, g};
			r->points += missing;
		}
}

static int estimate_points(struct run *r)
{
	list_groups(r);
	int st = run_jobs(r, r->n, estimate_job, estimated_job);
	if (st != CT_OK || !r->n_again)
		return st;
	memcpy(r->job, r->again, r->n_again * sizeof *r->job);
	r->may_pass = 1;
	return run_jobs(r, r->n_again, estimate_job, estimated_job);
}

/* ---- all ---- */

static char *name_of(void *ctx, size_t i)
{
	struct sw_input *in = (struct sw_input *)ctx + i;
	return *in->name ? in->name : NULL;
}

/* What the budget left out, and what an input has not said. */
static int name_missing(struct run *r)
{
	for (size_t i = 0; i < r->o->n_inputs; i++) {
		struct sw_input *in = &r->o->input[i];
		if (!*in->name)
			ct_workload_name_of_path(in->path, in->name, sizeof in->name);
		for (size_t k = 0; k < r->o->points; k++)
			r->o->late += !in->error && !in->result[k].text;
	}
	return ct_workload_distinguish(r->o->n_inputs, name_of, r->o->input, r->e);
}

int sw_run(struct ct_tool *t, struct ct_error *e)
{
	struct sw_own *o = t->own;
	struct run r = {.t = t, .o = o, .e = e};
	size_t each, jobs = sw_groups(o, &each) * o->n_inputs;
	o->start = ct_workers_clock();
	r.job = ct_calloc(jobs, sizeof *r.job);
	r.again = ct_calloc(jobs, sizeof *r.again);
	int st = r.job && r.again ? sw_journal_open(&r.journal, t, e) : ct_fail_nomem(e);
	if (st == CT_OK)
		st = open_inputs(&r);
	if (st == CT_OK)
		st = estimate_points(&r);
	if (st == CT_OK)
		st = name_missing(&r);
	if (r.drawn)
		fprintf(stderr, "\r%60s\r", "");
	sw_journal_close(r.journal);
	free(r.job);
	free(r.again);
	return st;
}
