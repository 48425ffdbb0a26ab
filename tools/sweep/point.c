/* point.c - the estimates of a group of points, which share a GPU: from the profile of the input, or where that does not
 * suffice from one that another pass over the trace makes on the GPU of the group. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/estimator.h"
#include "common/plugin.h"
#include "common/question.h"
#include "common/stage.h"
#include "models/common/workload.h"
#include "models/verdict/judge.h"
#include "models/verdict/verdict.h"
#include "sweep/sweep.h"

struct group {
	const struct sw_task *task;
	const struct sw_own *o;
	struct ct_profile *passed; /* of a pass on the GPU of the group; NULL: there was none. Owned */
	uint32_t asked;            /* mechanisms that are asked in this process, a bit each */
};

/* What is found out of a point: the lines of each system, and what is left to ask. */
struct findings {
	struct ct_buf line[SW_SYSTEMS_MAX];
	struct ct_buf warnings;
	uint32_t open;     /* mechanisms that have not answered, a bit each */
	int baseline_open; /* and the GPU as configured */
};

/* A try at one point. */
struct attempt {
	struct group *group;
	size_t point;
	int last;       /* the trace may be read; there is no other attempt */
	int on_own_gpu; /* the profile is of the GPU of the group */
	struct ct_tool tool;
	const char **set;
	char assignment[SW_DIMENSIONS_MAX][CT_SWEPT_KEY_MAX + CT_RANGE_PART_MAX];
	char why[CT_SWEPT_KEY_MAX + CT_RANGE_PART_MAX + 8];
	struct ct_question question[CT_MECHANISMS_MAX];
	int status[CT_MECHANISMS_MAX]; /* of each mechanism's estimate */
	struct ct_error error[CT_MECHANISMS_MAX];
	const struct ct_pass_observer *observer[CT_MECHANISMS_MAX];
	struct ct_tool_pass pass;
	struct ct_stage stage;
	struct ct_workload workload;
	int has_workload;
};

/* ---- what is asked ---- */

/* The options of the point: those of the command line, with its own behind them. Those for the GPU that the profile was
 * made with are in the profile. */
static int collect_options(struct attempt *a, struct ct_error *e)
{
	const struct sw_own *o = a->group->o;
	const struct ct_tool *t = a->group->task->t;
	int known = a->on_own_gpu || a->group->task->input->from_trace;
	size_t n = 0;
	a->tool = *t;
	if (!(a->set = ct_calloc(t->n_set + SW_DIMENSIONS_MAX, sizeof *a->set)))
		return ct_fail_nomem(e);
	for (size_t i = 0; i < t->n_set; i++)
		if (!known || ct_mechanism_of_key(t->set[i]) >= 0)
			a->set[n++] = t->set[i];
	for (unsigned i = 0; i < o->n_dimensions; i++) {
		const struct sw_dimension *d = &o->dimension[i];
		snprintf(a->assignment[i], sizeof a->assignment[i], "%s=%s", d->key,
		         sw_value(o, a->point, i));
		if (d->kind == SW_PARAMETER || (d->kind == SW_OF_GPU && !a->on_own_gpu))
			a->set[n++] = a->assignment[i];
		if (d->kind == SW_OF_GPU)
			snprintf(a->why, sizeof a->why, "%s", a->assignment[i]);
	}
	if (!*a->why)
		snprintf(a->why, sizeof a->why, "%s", a->assignment[0]);
	a->tool.set = a->set;
	a->tool.n_set = n;
	if (known)
		a->tool.gpu_name = NULL;
	a->tool.scale = 0; /* that of the input: values are of the scaled GPU */
	return CT_OK;
}

/* Whether no other system of the mechanism is asked for than the judged one. */
static int asks_judged_only(const struct sw_own *o, unsigned m)
{
	for (unsigned i = 0; i < o->n_systems; i++)
		if (o->system[i].mechanism == (int)m &&
		    strcmp(sw_system_name(&o->system[i]), ct_mechanism_at(m)->judged) != 0)
			return 0;
	return 1;
}

/* The setting that the point has for the systems of a mechanism; 0: it has none. */
static double setting_of(const struct attempt *a, unsigned m)
{
	const struct sw_own *o = a->group->o;
	for (unsigned i = 0; i < o->n_dimensions; i++)
		if (o->dimension[i].kind == SW_SETTING && o->dimension[i].mechanism == m)
			return strtod(sw_value(o, a->point, i), NULL);
	return 0;
}

/* A mechanism that cannot be asked, as a parameter is out of range, fails by itself. */
static void open_questions(struct attempt *a)
{
	const struct sw_own *o = a->group->o;
	unsigned views = 0;
	for (unsigned i = 0; i < ct_mechanism_count(); i++) {
		const struct ct_mechanism *m = ct_mechanism_at(i);
		struct ct_question *q = &a->question[i];
		views |= o->mechanisms >> i & 1 ? m->views : 0;
		if (!(a->group->asked >> i & 1))
			continue;
		q->run.judged_only = asks_judged_only(o, i);
		q->run.setting = setting_of(a, i);
		a->status[i] = ct_question_open(q, &a->tool, m, &a->error[i]);
		if (a->status[i] != CT_OK)
			continue;
		if (m->needs_pass && m->observer)
			a->observer[a->pass.n_observers++] = &q->observer;
	}
	a->pass.observers = a->observer;
	a->pass.without = views & CT_READS_LLC_SMS ? 0 : 1u << CT_PASS_LLC_SMS;
}

/* ---- the profile it is asked about ---- */

static int is_of_unmeasured(void *ctx, const struct ct_record *r)
{
	int m = r->nfields > 1 ? ct_mechanism_find(r->field[1]) : -1;
	(void)ctx;
	return m >= 0 && !ct_mechanism_at((unsigned)m)->measured;
}

/* Drops what the profile tells of estimates and verdicts: each point makes its own. */
static void drop_answers(struct ct_profile *p)
{
	ct_judge_forget(p);
	ct_profile_remove(p, "ES", is_of_unmeasured, NULL);
	ct_profile_remove(p, "TV", NULL, NULL);
	ct_profile_remove(p, "SW", NULL, NULL);
}

static int has_parameters(const struct sw_own *o)
{
	for (unsigned i = 0; i < o->n_dimensions; i++)
		if (o->dimension[i].kind == SW_PARAMETER)
			return 1;
	return 0;
}

/* Opens the stage on a copy of the profile; at last by a pass on the GPU of the group where that differs, whose profile
 * the other points of the group can be asked about, too. */
static int open_stage(struct attempt *a, struct ct_error *e)
{
	struct group *g = a->group;
	int analytic = g->task->t->method == CT_METHOD_ANALYTIC;
	struct ct_profile *p = ct_tool_profile_copy(a->on_own_gpu ? g->passed : g->task->input->p, e);
	if (!p)
		return ct_fail_nomem(e);
	drop_answers(p);
	int st = ct_stage_open_profile(
		&a->tool, &a->stage, p, &a->pass, a->last && !analytic ? a->why : NULL, e);
	if (st == CT_OK && a->stage.replayed && !(g->passed = ct_tool_profile_copy(a->stage.p, e)))
		return ct_fail_nomem(e);
	if (st == CT_OK && !has_parameters(g->o) && (a->on_own_gpu || g->task->input->from_trace))
		a->stage.from_trace = 1; /* what was measured was measured for these parameters */
	return st;
}

/* ---- estimates ---- */

static int ask_mechanism(struct attempt *a, unsigned i, struct ct_error *e)
{
	struct ct_mechanism_run *run = &a->question[i].run;
	if (a->status[i] != CT_OK) /* it could not be opened */
		return CT_OK;
	ct_question_about(&a->question[i], &a->stage, a->has_workload ? &a->workload : NULL);
	if (!a->last)
		run->pass_again = NULL;
	a->status[i] = run->mechanism->estimate(run, &a->error[i]);
	if (a->status[i] == CT_OK && a->tool.method == CT_METHOD_REPLAY)
		a->status[i] = run->mechanism->replay(run, "--method replay", &a->error[i]);
	return a->status[i] == CT_ERR_NOMEM ? ct_fail_nomem(e) : CT_OK;
}

/* Asks some mechanisms about the profile of the stage. */
static int ask_once(struct attempt *a, uint32_t mask, struct ct_error *e)
{
	struct ct_stage *s = &a->stage;
	struct ct_error why = {0};
	int st = ct_workload_read(&a->workload, s->p, s->base.sms,
	                          (double)ct_gpu_register_bytes(&s->base), &why);
	if (st == CT_ERR_NOMEM)
		return ct_fail_nomem(e);
	a->has_workload = st == CT_OK;
	a->workload.cache = ct_miss_cache_new(); /* without one it only takes longer */
	st = CT_OK;
	for (unsigned i = 0; i < ct_mechanism_count() && st == CT_OK; i++)
		if (mask >> i & 1)
			st = ask_mechanism(a, i, e);
	ct_miss_cache_free(a->workload.cache);
	a->workload.cache = NULL;
	return st;
}

/* A mechanism that has made another pass for itself has put its profile in the place of what the others were asked about:
 * they are asked again. */
static int ask_all(struct attempt *a, uint32_t mask, struct ct_error *e)
{
	const struct ct_profile *before = a->stage.p;
	int st = ask_once(a, mask, e);
	if (st == CT_OK && a->stage.p != before)
		st = ask_once(a, mask, e);
	return st == CT_OK ? ct_stage_retarget(&a->tool, &a->stage, e) : st;
}

/* ---- what is told ---- */

static void put_row(struct ct_buf *b, const struct sw_system *s, const struct ct_estimate *es)
{
	ct_buf_printf(b, "R\t%s\t%s\t%s\t", sw_mechanism_name(s), sw_system_name(s), es->metric);
	ct_buf_real(b, es->value);
	ct_buf_printf(b, "\t%s\t%s\t", es->unit, es->method);
	ct_buf_real(b, es->low);
	ct_buf_putc(b, '\t');
	ct_buf_real(b, es->high);
	ct_buf_putc(b, '\n');
}

static void put_failure(struct ct_buf *b, const struct sw_system *s, const char *why)
{
	ct_buf_printf(b, "E\t%s\t%s\t", sw_mechanism_name(s), sw_system_name(s));
	for (; *why; why++)
		ct_buf_putc(b, *why == '\t' || *why == '\n' ? ' ' : *why);
	ct_buf_putc(b, '\n');
}

/* What one system has of the metrics that --metric names, and which it has beside. */
struct asked {
	const struct sw_own *o;
	char had[SW_METRICS_MAX];
	struct ct_buf others;
};

/* Whether the row is wanted; else its name is noted. */
static int take_metric(struct asked *q, const char *metric)
{
	int wanted = !q->o->n_metrics;
	for (unsigned i = 0; i < q->o->n_metrics; i++)
		if (!strcmp(q->o->metric[i], metric))
			wanted = q->had[i] = 1;
	if (!wanted)
		ct_buf_printf(&q->others, "%s%s", q->others.len ? "," : "", metric);
	return wanted;
}

/* Where the system lacks one, says what it has beside. */
static void tell_others(struct asked *q, const struct sw_system *s, struct ct_buf *b)
{
	int lacks = 0;
	for (unsigned i = 0; i < q->o->n_metrics; i++)
		lacks |= !q->had[i];
	if (lacks)
		ct_buf_printf(b, "M\t%s\t%s\t%s\n", sw_mechanism_name(s), sw_system_name(s),
		              q->others.len ? q->others.data : "");
	ct_buf_free(&q->others);
}

/* The GPU as configured: its summary numbers, which the stage has moved to the GPU of the point. */
static void tell_baseline(const struct attempt *a, const struct sw_system *s, struct ct_buf *b)
{
	static const char *const metrics[] = {
		"cycles", "ipc", "l1_miss_rate", "l1_mpki", "llc_miss_rate", "llc_mpki"};
	const struct ct_profile *p = a->stage.p;
	struct asked asked = {.o = a->group->o};
	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
		const char *key[2] = {"all", metrics[i]};
		const struct ct_record *r = ct_profile_find(p, "SN", 2, key);
		struct ct_estimate es = {.metric = metrics[i], .low = NAN, .high = NAN};
		if (!r || !take_metric(&asked, metrics[i]))
			continue;
		if (!ct_field_real(r->field[2], &es.value))
			es.value = NAN;
		es.unit = r->field[3];
		es.method = r->field[4];
		if (i == 0 && (!ct_profile_get(p, "all", "cycles_low", &es.low) ||
		               !ct_profile_get(p, "all", "cycles_high", &es.high)))
			es.low = es.high = NAN;
		put_row(b, s, &es);
	}
	tell_others(&asked, s, b);
}

/* Where systems are replayed, the estimate that a replay takes the place of. */
static int is_replaced(const struct attempt *a, const struct ct_record *r, unsigned metric)
{
	const char *const *f = r->field;
	struct ct_estimate es;
	return a->tool.method == CT_METHOD_REPLAY && !strcmp(f[metric + 3], "analytic") &&
	       ct_profile_get_estimate(a->stage.p, f[0], f[1], f[2], f[metric], "replay", &es);
}

/* The estimates of a system; how many there were. Speed-ups have the range that verdicts and tables state. */
static unsigned tell_system(const struct attempt *a, const struct sw_system *s, struct ct_buf *b)
{
	enum { SCOPE, MECHANISM, SYSTEM, METRIC, VALUE, UNIT, METHOD, LOW, HIGH, FIELDS };
	struct asked asked = {.o = a->group->o};
	const struct ct_record *r;
	unsigned n = 0;
	for (size_t i = 0; (r = ct_profile_next(a->stage.p, "ES", &i));) {
		struct ct_estimate es = {.value = NAN, .low = NAN, .high = NAN};
		if (r->nfields < FIELDS || strcmp(r->field[SCOPE], "all") != 0 ||
		    strcmp(r->field[MECHANISM], sw_mechanism_name(s)) != 0 ||
		    strcmp(r->field[SYSTEM], sw_system_name(s)) != 0)
			continue;
		n++;
		if (!take_metric(&asked, r->field[METRIC]) || is_replaced(a, r, METRIC))
			continue;
		es.mechanism = r->field[MECHANISM];
		es.system = r->field[SYSTEM];
		es.metric = r->field[METRIC];
		es.unit = r->field[UNIT];
		es.method = r->field[METHOD];
		if (!ct_field_real(r->field[VALUE], &es.value))
			es.value = NAN;
		if (!ct_field_real(r->field[LOW], &es.low) || !ct_field_real(r->field[HIGH], &es.high))
			es.low = es.high = NAN;
		if (!strncmp(es.metric, "speedup", strlen("speedup")))
			ct_verdict_range(a->stage.p, &es, &es.low, &es.high);
		put_row(b, s, &es);
	}
	if (n)
		tell_others(&asked, s, b);
	return n;
}

static void tell_warnings(const struct ct_tool *t, struct ct_buf *b)
{
	const char *at = t->warnings.len ? t->warnings.data : "";
	for (size_t n; *at; at += n) {
		n = strcspn(at, "\n") + 1;
		ct_buf_printf(b, "W\t%.*s\n", (int)(n - 1), at);
	}
}

/* No estimate tells of a system: one that was asked for by its mechanism's name alone is left out, as those that only the
 * mechanism's own command measures. */
static void tell_missing(const struct attempt *a, const struct sw_system *s, struct ct_buf *b)
{
	char why[256];
	if (s->of_all)
		return;
	snprintf(why, sizeof why, "no estimate of %s tells of its system %s: ask %s%s",
	         sw_mechanism_name(s), sw_system_name(s),
	         ct_mechanism_at((unsigned)s->mechanism)->command,
	         a->tool.method == CT_METHOD_REPLAY ? "" : ", or use --method replay");
	put_failure(b, s, why);
}

/* Writes down what the attempt has found out of what was open. What failed stays open for another attempt. */
static void take_answers(const struct attempt *a, struct findings *f)
{
	const struct sw_own *o = a->group->o;
	uint32_t failed = 0;
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		if (a->status[i] < 0)
			failed |= UINT32_C(1) << i;
	for (unsigned i = 0; i < o->n_systems; i++) {
		const struct sw_system *s = &o->system[i];
		if (s->mechanism < 0 && f->baseline_open)
			tell_baseline(a, s, &f->line[i]);
		else if (s->mechanism < 0 || !(f->open >> s->mechanism & 1))
			continue;
		else if (!(failed >> s->mechanism & 1) && !tell_system(a, s, &f->line[i]))
			tell_missing(a, s, &f->line[i]);
		else if (failed >> s->mechanism & 1 && a->last)
			put_failure(&f->line[i], s, a->error[s->mechanism].text);
	}
	f->open &= failed;
	f->baseline_open = 0;
	tell_warnings(&a->tool, &f->warnings);
}

/* ---- the group ---- */

static void close_attempt(struct attempt *a)
{
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		ct_question_close(&a->question[i]);
	ct_stage_close(&a->stage);
	ct_buf_free(&a->tool.warnings);
	free(a->set);
}

/* Asks what is open; fails where nothing could be asked. */
static int try_point(struct group *g, size_t point, int last, struct findings *f, struct ct_error *e)
{
	struct attempt *a = ct_calloc(1, sizeof *a);
	if (!a)
		return ct_fail_nomem(e);
	a->group = g;
	a->point = point;
	a->last = last;
	a->on_own_gpu = last && g->passed;
	int st = collect_options(a, e);
	memset(&a->tool.warnings, 0, sizeof a->tool.warnings);
	if (st == CT_OK) {
		open_questions(a);
		st = open_stage(a, e);
	}
	if (st == CT_OK)
		st = ask_all(a, f->open, e);
	if (st == CT_OK)
		take_answers(a, f);
	close_attempt(a);
	free(a);
	return st;
}

/* The point from the profile, and what that does not tell from another pass, of the mechanisms that are open. Returns 0
 * where it needs the trace and may not have it. */
static int ask_point(struct group *g, size_t point, struct findings *f)
{
	struct ct_error e = {0};
	int analytic = g->task->t->method == CT_METHOD_ANALYTIC;
	const uint32_t asked = f->open;
	const int baseline = f->baseline_open;
	int st = try_point(g, point, analytic, f, &e);
	if (!analytic && (f->open || f->baseline_open) && st != CT_ERR_NOMEM) {
		if (!g->task->may_pass)
			return 0;
		e = (struct ct_error){0};
		st = try_point(g, point, 1, f, &e);
	}
	for (unsigned i = 0; st < 0 && i < g->o->n_systems; i++) {
		const struct sw_system *s = &g->o->system[i];
		if (!f->line[i].len && (s->mechanism < 0 ? baseline : (int)(asked >> s->mechanism & 1)))
			put_failure(&f->line[i], s, e.text);
	}
	return 1;
}

/* ---- plugins ---- */

/* A point of one plugin, in its process. */
struct plugin_point {
	struct group *group;
	size_t point;
	unsigned m;
};

/* "N\n" where it needs the trace and may not have it; else of each system "INDEX LENGTH\n" and its lines. */
static int work_of_plugin(void *ctx, struct ct_buf *reply, struct ct_error *e)
{
	const struct plugin_point *x = ctx;
	struct findings *f = ct_calloc(1, sizeof *f);
	if (!f)
		return ct_fail_nomem(e);
	x->group->asked = f->open = UINT32_C(1) << x->m;
	if (!ask_point(x->group, x->point, f)) {
		ct_buf_puts(reply, "N\n");
		return CT_OK;
	}
	for (unsigned i = 0; i < x->group->o->n_systems; i++) {
		reply->failed |= f->line[i].failed;
		if (f->line[i].len) {
			ct_buf_printf(reply, "%u %zu\n", i, f->line[i].len);
			ct_buf_add(reply, f->line[i].data, f->line[i].len);
		}
	}
	return CT_OK;
}

/* Takes these lines; 0 where they are not right. */
static int take_plugin(const struct plugin_point *x, const struct ct_buf *reply, struct findings *f)
{
	const char *at = reply->len ? reply->data : "", *end = at + reply->len;
	while (at < end) {
		char *next;
		unsigned long i = strtoul(at, &next, 10), n = strtoul(next, &next, 10);
		if (*next++ != '\n' || i >= x->group->o->n_systems || n > (size_t)(end - next) ||
		    x->group->o->system[i].mechanism != (int)x->m)
			return 0;
		ct_buf_add(&f->line[i], next, n);
		at = next + n;
	}
	return 1;
}

/* Each plugin about the point, in a process of its own. Returns 0 as ask_point() does. */
static int ask_plugins(struct group *g, size_t point, struct findings *f)
{
	const uint32_t plugins = g->o->mechanisms & ct_mechanism_plugins();
	int done = 1;
	for (unsigned m = 0; m < ct_mechanism_count() && done; m++) {
		struct plugin_point x = {g, point, m};
		struct ct_buf reply = {0};
		struct ct_error e = {0};
		int broken, st;
		if (!(plugins >> m & 1))
			continue;
		st = ct_plugin_run(g->task->t, UINT32_C(1) << m, work_of_plugin, &x, &reply, &broken,
		                   &e);
		done = st != CT_OK || !reply.len || *reply.data != 'N';
		if (st == CT_OK && done && !take_plugin(&x, &reply, f))
			st = ct_fail(&e, CT_ERR_INPUT, "a plugin's answer is damaged");
		for (unsigned i = 0; st < 0 && i < g->o->n_systems; i++)
			if (g->o->system[i].mechanism == (int)m) {
				ct_buf_reset(&f->line[i]);
				put_failure(&f->line[i], &g->o->system[i], e.text);
			}
		ct_buf_free(&reply);
	}
	return done;
}

static int estimate_point(struct group *g, size_t point, struct findings *f)
{
	g->asked = f->open = g->o->mechanisms & ~ct_mechanism_plugins();
	f->baseline_open = 1;
	return ask_point(g, point, f) && ask_plugins(g, point, f);
}

static void put_findings(struct findings *f, size_t point, unsigned n, struct ct_buf *reply)
{
	ct_buf_printf(reply, "P\t%zu\n", point);
	for (unsigned i = 0; i < n; i++) {
		reply->failed |= f->line[i].failed;
		ct_buf_add(reply, f->line[i].data, f->line[i].len);
	}
	reply->failed |= f->warnings.failed;
	ct_buf_add(reply, f->warnings.data, f->warnings.len);
}

static void reset_findings(struct findings *f)
{
	for (unsigned i = 0; i < SW_SYSTEMS_MAX; i++)
		ct_buf_reset(&f->line[i]);
	ct_buf_reset(&f->warnings);
}

void sw_estimate_group(const struct sw_task *task, struct ct_buf *reply)
{
	struct group g = {.task = task, .o = task->t->own};
	struct findings *f = ct_calloc(1, sizeof *f);
	size_t each;
	int done = f != NULL;
	reply->failed |= !f;
	sw_groups(g.o, &each);
	for (size_t k = 0; k < each && done; k++) {
		size_t point = sw_group_point(g.o, task->group, k);
		if (task->input->result[point].text)
			continue;
		reset_findings(f);
		done = estimate_point(&g, point, f);
		put_findings(f, point, g.o->n_systems, reply);
	}
	if (f && !done) {
		ct_buf_reset(reply);
		ct_buf_puts(reply, "N\n");
	}
	for (unsigned i = 0; f && i < SW_SYSTEMS_MAX; i++)
		ct_buf_free(&f->line[i]);
	if (f)
		ct_buf_free(&f->warnings);
	free(f);
	ct_profile_free(g.passed);
}
