/* answer.c - one question to a mechanism and the stage that it is about: the estimates end up in its profile. */
#include <stdio.h>
#include <string.h>

#include "estimator/estimator.h"

int est_open(struct est_answer *a, struct ct_tool *t, const struct ct_mechanism *m,
             const struct ct_range_spec *sweep, struct ct_error *e)
{
	memset(a, 0, sizeof *a);
	a->question.run.option = ((const struct est_own *)t->own)->value;
	a->question.run.sweep = sweep;
	int st = ct_question_open(&a->question, t, m, e);
	ct_tool_pass_for(t, &a->pass, UINT32_C(1) << ct_mechanism_find(m->name));
	/* What a histogram can tell is not measured again in each pass: that is reuse --mechanisms. */
	if (st == CT_OK && m->observer && m->needs_pass) {
		a->observers[0] = &a->question.observer;
		a->pass.observers = a->observers;
		a->pass.n_observers = 1;
	}
	return st;
}

void est_close(struct est_answer *a)
{
	ct_question_close(&a->question);
	ct_miss_cache_free(a->workload.cache);
	memset(a, 0, sizeof *a);
}

/* The option that wants the systems replayed, or NULL; text has n bytes for it. */
static const char *replay_option(const struct ct_tool *t, const struct ct_mechanism *m, char *text,
                                 size_t n)
{
	const struct est_own *own = t->own;
	if (t->check)
		return "--check";
	for (unsigned i = 0; i < m->n_options; i++)
		if (m->options[i].replays && own->value[i]) {
			snprintf(text, n, "--%s", m->options[i].name);
			return text;
		}
	return t->method == CT_METHOD_REPLAY ? "--method replay" : NULL;
}

/* A profile without a workload is one all the same: those that need it say what is missing. */
static int read_workload(struct est_answer *a, const struct ct_workload **w, struct ct_error *e)
{
	const struct ct_stage *s = &a->stage;
	struct ct_error lacks = {0};
	int st = ct_workload_read(&a->workload, s->p, s->base.sms,
	                          (double)ct_gpu_register_bytes(&s->base), &lacks);
	a->workload.cache = ct_miss_cache_new(); /* without one it only takes longer */
	*w = st == CT_OK ? &a->workload : NULL;
	return st == CT_ERR_NOMEM ? ct_fail_nomem(e) : CT_OK;
}

int est_ask(struct est_answer *a, struct ct_error *e)
{
	struct ct_mechanism_run *run = &a->question.run;
	const struct ct_mechanism *m = run->mechanism;
	const struct ct_workload *w;
	char text[64];
	const char *why = replay_option(a->question.tool, m, text, sizeof text);
	/* What it has measured may still hold of another GPU; what was estimated does not. */
	ct_stage_forget(&a->stage, m->measured ? m->name : NULL);
	if (a->stage.changed)
		ct_judge_forget(a->stage.p);
	int st = read_workload(a, &w, e);
	if (st == CT_OK) {
		ct_question_about(&a->question, &a->stage, w);
		st = m->estimate(run, e);
	}
	if (st == CT_OK && why)
		st = m->replay(run, why, e);
	if (st == CT_OK && run->sweep && m->sweep)
		st = m->sweep(run, e);
	return st;
}

int est_judge(struct est_answer *a, struct ct_error *e)
{
	if (a->question.run.method == CT_BY_ANALYTIC)
		return CT_OK;
	ct_question_judge(&a->question, &a->judge);
	int st = ct_judge_replays(&a->judge, e);
	if (st == CT_OK && *a->judge.why.text) {
		const struct ct_diag d = ct_tool_diag(a->question.tool);
		ct_warn(&d, "the verdict rests on estimates, as nothing could be replayed: %s",
		        a->judge.why.text);
	}
	return st;
}
