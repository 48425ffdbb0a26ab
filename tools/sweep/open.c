/* open.c - an input becomes the profile that its points are estimated from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/estimator.h"
#include "common/question.h"
#include "common/stage.h"
#include "models/common/workload.h"
#include "sweep/sweep.h"

/* What is measured beside the pass: a question to each mechanism that no histogram can tell of. */
struct measured {
	struct ct_question question[CT_MECHANISMS_MAX];
	const struct ct_pass_observer *observer[CT_MECHANISMS_MAX];
	struct ct_tool_pass pass;
	struct ct_stage stage;
	struct ct_workload workload;
};

/* Opens the questions whose observers the pass needs. */
static int open_questions(struct ct_tool *t, struct measured *x, struct ct_error *e)
{
	const struct sw_own *o = t->own;
	unsigned views = 0;
	int st = CT_OK;
	for (unsigned i = 0; i < ct_mechanism_count() && st == CT_OK; i++) {
		const struct ct_mechanism *m = ct_mechanism_at(i);
		if (!(o->mechanisms >> i & 1))
			continue;
		views |= m->views;
		if (!m->needs_pass || !m->observer)
			continue;
		st = ct_question_open(&x->question[i], t, m, e);
		x->observer[x->pass.n_observers++] = &x->question[i].observer;
	}
	x->pass.observers = x->observer;
	x->pass.without = views & CT_READS_LLC_SMS ? 0 : 1u << CT_PASS_LLC_SMS;
	return st;
}

/* Measures what the profile lacks, once, rather than at each of its points. What cannot be measured those say. */
static int measure_missing(struct ct_tool *t, struct measured *x, struct ct_profile **p,
                           struct ct_error *e)
{
	struct ct_error why = {0};
	int st = ct_stage_open_profile(t, &x->stage, *p, &x->pass, NULL, e);
	*p = NULL;
	int read = st == CT_OK &&
	           ct_workload_read(&x->workload, x->stage.p, x->stage.base.sms,
	                            (double)ct_gpu_register_bytes(&x->stage.base), &why) == CT_OK;
	for (unsigned i = 0; st == CT_OK && i < ct_mechanism_count(); i++) {
		const struct ct_mechanism *m = x->question[i].run.mechanism;
		if (!m || !m->measured || m->measured(x->stage.p))
			continue;
		ct_question_about(&x->question[i], &x->stage, read ? &x->workload : NULL);
		if (m->estimate(&x->question[i].run, &why) == CT_ERR_NOMEM)
			st = ct_fail_nomem(e);
	}
	if (st == CT_OK) {
		*p = x->stage.p;
		x->stage.p = NULL;
	}
	ct_stage_close(&x->stage);
	return st;
}

/* A profile on another scale is made anew, so that the points can go on from there as from a trace: *remade. */
static int scale_profile(struct ct_tool *t, struct measured *x, struct ct_profile **p, int *remade,
                         struct ct_error *e)
{
	int st = open_questions(t, x, e);
	x->stage = (struct ct_stage){.p = *p, .pass = &x->pass};
	*p = NULL;
	if (st == CT_OK && ct_tool_scales(t))
		st = ct_stage_fit(t, &x->stage, e);
	else if (st == CT_OK)
		st = ct_stage_open_profile(t, &x->stage, x->stage.p, &x->pass, "--scale", e);
	*remade = x->stage.replayed;
	if (st == CT_OK) {
		*p = x->stage.p;
		x->stage.p = NULL;
	}
	ct_stage_close(&x->stage);
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		ct_question_close(&x->question[i]);
	return st;
}

/* A profile is about its own GPU: -g and -p are the points' to follow. */
static int take_profile(struct ct_tool *t, struct measured *x, struct ct_profile **p, struct ct_error *e)
{
	const char **set = ct_calloc(t->n_set + 1, sizeof *set);
	struct ct_tool plain = *t;
	size_t n = 0;
	if (!set)
		return ct_fail_nomem(e);
	for (size_t i = 0; i < t->n_set; i++)
		if (ct_mechanism_of_key(t->set[i]) >= 0)
			set[n++] = t->set[i];
	plain.set = set;
	plain.n_set = n;
	plain.gpu_name = NULL;
	int st = open_questions(&plain, x, e);
	if (st == CT_OK && t->method != CT_METHOD_ANALYTIC && x->pass.n_observers)
		st = measure_missing(&plain, x, p, e);
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		ct_question_close(&x->question[i]);
	t->warnings = plain.warnings;
	free(set);
	return st;
}

static int take_trace(struct ct_tool *t, struct measured *x, struct ct_trace *trace,
                      struct ct_profile **p, struct ct_error *e)
{
	int st = (*p = ct_tool_profile(e)) ? open_questions(t, x, e) : CT_ERR_NOMEM;
	if (st == CT_OK)
		st = ct_tool_pass_run(t, trace, NULL, &x->pass, *p, e);
	for (unsigned i = 0; i < ct_mechanism_count(); i++)
		ct_question_close(&x->question[i]);
	return st;
}

/* *p is the caller's also when it fails. 1 where damage was met. */
static int open_input(struct ct_tool *t, size_t i, struct ct_profile **p, int *from_trace,
                      struct ct_error *e)
{
	const struct sw_own *o = t->own;
	struct measured *x = ct_calloc(1, sizeof *x);
	struct ct_input in = {0};
	char *operand[1] = {(char *)o->input[i].path};
	t->operand = operand;
	t->operands = 1;
	int st = x ? ct_tool_open_input(t, 0, &in, e) : ct_fail_nomem(e), damaged = 0;
	*from_trace = in.trace != NULL;
	if (st == CT_OK && in.trace) {
		st = take_trace(t, x, in.trace, p, e);
	} else if (st == CT_OK) {
		*p = in.profile;
		in.profile = NULL;
		damaged = ct_tool_truncated(t, *p);
		st = t->scale != 0 ? scale_profile(t, x, p, from_trace, e) : take_profile(t, x, p, e);
	}
	ct_input_close(&in);
	free(x);
	return st == CT_OK ? damaged : st;
}

/* "status from_trace warnings\n", the warnings, and the profile or the error. */
void sw_open_input(struct ct_tool *t, size_t i, struct ct_buf *reply)
{
	struct ct_error e = {0};
	struct ct_profile *p = NULL;
	struct ct_buf text = {0};
	int from_trace = 0;
	int st = open_input(t, i, &p, &from_trace, &e);
	if (st >= 0 && ct_profile_write(p, &text, &e) != CT_OK)
		st = e.status;
	ct_buf_printf(reply, "%d %d %zu\n", st, from_trace, t->warnings.len);
	if (t->warnings.len)
		ct_buf_add(reply, t->warnings.data, t->warnings.len);
	if (st >= 0)
		ct_buf_add(reply, text.data, text.len);
	else
		ct_buf_puts(reply, e.text);
	ct_buf_free(&text);
	ct_profile_free(p);
}

int sw_open_take(struct ct_tool *t, size_t i, char *reply, size_t n, const char *why, struct ct_error *e)
{
	struct sw_input *in = &((struct sw_own *)t->own)->input[i];
	char *rest = reply ? strchr(reply, '\n') : NULL, *at = reply;
	in->opened = 1;
	if (!rest) {
		in->error = ct_strndup(why, strlen(why));
		return in->error ? CT_OK : ct_fail_nomem(e);
	}
	int st = (int)strtol(at, &at, 10);
	in->from_trace = strtol(at, &at, 10) != 0;
	size_t warnings = strtoul(at, NULL, 10);
	ct_buf_add(&t->warnings, ++rest, warnings);
	rest += warnings;
	in->truncated = st > 0;
	if (st < 0) {
		in->error = ct_strndup(rest, strlen(rest));
		return in->error ? CT_OK : ct_fail_nomem(e);
	}
	st = ct_profile_read_memory(&in->p, in->path, rest, n - (size_t)(rest - reply), 1, e);
	if (st != CT_OK)
		return st;
	ct_profile_set_metrics(in->p, ct_mechanism_metric);
	ct_workload_name(in->p, in->path, in->name, sizeof in->name);
	return CT_OK;
}
