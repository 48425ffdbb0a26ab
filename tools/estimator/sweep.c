/* sweep.c - --sweep of any key that -p takes: the question is asked anew at each of its values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/swept.h"
#include "estimator/estimator.h"

/* ---- which key ---- */

/* A key that the mechanism sweeps itself: CT_OK, 1 where it is none of them, or < 0. */
static int read_native(const struct ct_range_text *text, const struct ct_mechanism *m,
                       struct est_sweep *s, struct ct_error *e)
{
	for (unsigned i = 0; i < m->n_sweeps; i++)
		if (!strcmp(m->sweeps[i].key, text->key)) {
			s->native = 1;
			return ct_range_read("--sweep", text, &m->sweeps[i].rule, &s->range, e);
		}
	return 1;
}

/* A parameter of the mechanism, with its prefix or without, or a key of the GPU. */
static int read_key(const struct ct_range_text *text, const struct ct_mechanism *m, struct est_sweep *s,
                    struct ct_error *e)
{
	struct ct_swept k;
	int st = ct_swept_parameter(text->key, m, 1, &k);
	if (st == 1) {
		st = ct_swept_gpu_key(text->key, &k, e);
		s->of_gpu = st == CT_OK;
	}
	if (st != CT_OK)
		return st;
	memcpy(s->key, k.key, sizeof s->key);
	return ct_swept_read("--sweep", text, &k, &s->range, e);
}

static int unknown_key(const struct ct_range_text *text, const struct ct_mechanism *m,
                       struct ct_error *e)
{
	struct ct_buf native = {0};
	struct ct_error near = {0};
	char assignment[CT_RANGE_KEY_MAX + 4];
	struct ct_gpu g;
	snprintf(assignment, sizeof assignment, "%s=0", text->key);
	if (ct_mechanism_of_key(assignment) >= 0) {
		ct_mechanism_check_key(assignment, &near);
	} else {
		ct_gpu_defaults(&g);
		ct_gpu_set(&g, assignment, &near);
	}
	for (unsigned i = 0; i < m->n_sweeps; i++)
		ct_buf_printf(&native, "%s, ", m->sweeps[i].example);
	int st = ct_buf_check(&native, e);
	if (st == CT_OK)
		st = ct_fail(e, CT_ERR_USAGE,
		             "--sweep %s: %s%swrite %sor a key of -p (--constants and --print-gpu list "
		             "them)",
		             text->text, near.text, *near.text ? "; " : "",
		             native.len ? native.data : "");
	ct_buf_free(&native);
	return st;
}

int est_sweep_read(const char *text, const struct ct_mechanism *m, struct est_sweep *s,
                   struct ct_error *e)
{
	struct ct_range_text parts;
	*s = (struct est_sweep){0};
	int st = ct_range_split("--sweep", text,
	                        m->n_sweeps ? m->sweeps[0].example : "l1.latency=20..40:5", &parts, e);
	if (st != CT_OK)
		return st;
	snprintf(s->key, sizeof s->key, "%s", parts.key);
	st = read_native(&parts, m, s, e);
	if (st == 1)
		st = read_key(&parts, m, s, e);
	return st == 1 ? unknown_key(&parts, m, e) : st;
}

/* ---- one point ---- */

/* What SW tells of a point: the metrics that every mechanism has, and its own. */
static int is_told(const struct ct_mechanism *m, const char *metric)
{
	static const char *const all[] = {
		"speedup", "speedup_configured", "cycles", "ipc", "l1_miss_rate", "llc_mpki"};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!strcmp(metric, all[i]))
			return 1;
	for (unsigned i = 0; i < m->n_metrics; i++)
		if (!strcmp(metric, m->metrics[i].name))
			return 1;
	return 0;
}

/* The estimates of scope all in p as SW records of `into`. */
static int put_point(const struct ct_mechanism *m, const struct est_sweep *s, const char *x,
                     const struct ct_profile *p, struct ct_profile *into, struct ct_error *e)
{
	enum { SCOPE, MECHANISM, SYSTEM, METRIC, VALUE, UNIT, METHOD, LOW, HIGH, FIELDS };
	const struct ct_record *r;
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(p, "ES", &i));) {
		if (r->nfields < FIELDS || strcmp(r->field[SCOPE], "all") ||
		    strcmp(r->field[MECHANISM], m->name) || !is_told(m, r->field[METRIC]))
			continue;
		const char *const f[FIELDS + 2] = {
			"all",
			m->name,
			r->field[SYSTEM],
			s->key,
			x,
			r->field[METRIC],
			r->field[VALUE],
			r->field[UNIT],
			r->field[METHOD],
			r->field[LOW],
			r->field[HIGH]};
		st = ct_profile_put(into, "SW", FIELDS + 2, f, e);
	}
	return st;
}

/* Asks at one point about a copy of the profile: as it is, or with `again` after another pass over the trace. */
static int ask_point(struct ct_tool *t, const struct ct_mechanism *m, int again,
                     const struct ct_profile *before, struct est_answer *a, struct ct_error *e)
{
	struct ct_profile *p;
	int st = est_open(a, t, m, NULL, e);
	if (st == CT_OK && !(p = ct_tool_profile_copy(before, e)))
		st = ct_fail_nomem(e);
	if (st == CT_OK)
		st = ct_stage_open_profile(t, &a->stage, p, &a->pass, again ? "--sweep" : NULL, e);
	return st == CT_OK ? est_ask(a, e) : st;
}

/* What the profile cannot follow is measured on the trace: the pass is made again there. */
static int run_point(struct ct_tool *t, const struct ct_mechanism *m, const struct est_sweep *s,
                     const char *x, const struct ct_profile *before, struct ct_profile *into,
                     struct ct_error *e)
{
	struct est_answer *a = ct_calloc(1, sizeof *a);
	int st = a ? CT_OK : ct_fail_nomem(e);
	for (int again = 0; a && again < 2; again++) {
		st = ask_point(t, m, again, before, a, e);
		if (st == CT_OK)
			st = put_point(m, s, x, a->stage.p, into, e);
		ct_stage_close(&a->stage);
		est_close(a);
		if (!s->of_gpu || t->method == CT_METHOD_ANALYTIC ||
		    (st != CT_ERR_USAGE && st != CT_ERR_INPUT))
			break;
	}
	free(a);
	return st;
}

/* ---- the sweep ---- */

/* The assignments of a point, its own behind the others. Those for the GPU that the pass was made with are in the
 * profile. */
static size_t collect_set(const struct ct_tool *t, int from_trace, const char *own, const char **set)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n_set; i++)
		if (!from_trace || ct_mechanism_of_key(t->set[i]) >= 0)
			set[n++] = t->set[i];
	set[n++] = own;
	return n;
}

int est_sweep_run(struct ct_tool *t, const struct ct_mechanism *m, const struct est_sweep *s,
                  const struct ct_profile *before, int from_trace, struct ct_profile *into,
                  struct ct_error *e)
{
	const struct ct_tool asked = *t;
	char assignment[sizeof s->key + CT_RANGE_PART_MAX + 1], x[CT_RANGE_PART_MAX];
	const char **set = ct_calloc(t->n_set + 1, sizeof *set);
	int st = set ? CT_OK : ct_fail_nomem(e);
	if (set) {
		t->n_set = collect_set(&asked, from_trace, assignment, set);
		t->set = set;
	}
	if (from_trace) {
		t->gpu_name = NULL;
		t->scale = 0;
	}
	for (size_t i = 0; i < ct_range_points(&s->range) && st == CT_OK; i++) {
		ct_range_text_at(&s->range, i, x, sizeof x);
		snprintf(assignment, sizeof assignment, "%s=%s", s->key, x);
		st = run_point(t, m, s, x, before, into, e);
	}
	t->set = asked.set;
	t->n_set = asked.n_set;
	t->gpu_name = asked.gpu_name;
	t->scale = asked.scale;
	free(set);
	return st;
}
