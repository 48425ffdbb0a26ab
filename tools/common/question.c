#include "common/question.h"

#include <stdlib.h>

#include "base/mem.h"
#include "common/pass.h"
#include "models/registry.h"

static enum ct_mechanism_method method_of(const struct ct_tool *t)
{
	return t->method == CT_METHOD_ANALYTIC ? CT_BY_ANALYTIC
	       : t->method == CT_METHOD_REPLAY ? CT_BY_REPLAY
	                                       : CT_BY_AUTO;
}

int ct_question_open(struct ct_question *q, struct ct_tool *t, const struct ct_mechanism *m,
                     struct ct_error *e)
{
	struct ct_mechanism_run *run = &q->run;
	q->tool = t;
	run->mechanism = m;
	if (!(q->set = ct_calloc(t->n_set + 1, sizeof *q->set)))
		return ct_fail_nomem(e);
	for (size_t i = 0; i < t->n_set; i++)
		if (ct_mechanism_is_key(m, t->set[i])) {
			if (ct_mechanism_check_key(t->set[i], e) != CT_OK)
				return e->status;
			q->set[run->n_set++] = t->set[i];
		}
	ct_tool_pass_settings(t, &q->settings);
	run->set = q->set;
	run->method = method_of(t);
	run->check = t->check;
	run->data_dir = ct_tool_data_dir();
	run->settings = &q->settings;
	int st = m->open(run, e);
	if (st == CT_OK && m->observer) {
		q->observer = *m->observer;
		q->observer.ctx = run;
	}
	return st;
}

/* What the stage knows, after it has changed. */
static void follow_stage(struct ct_question *q)
{
	const struct ct_stage *s = q->stage;
	q->run.p = s->p;
	q->run.base = &s->base;
	q->run.gpu = &s->gpu;
	q->run.changed = s->changed;
	q->run.l1_changed = s->l1_changed;
	q->run.llc_changed = s->llc_changed;
	q->run.from_trace = s->from_trace || s->replayed;
}

static int pass_again(struct ct_mechanism_run *run, const char *why, struct ct_profile **p,
                      struct ct_error *e)
{
	const struct ct_question *q = run->caller;
	return ct_stage_replay(q->tool, q->stage, why, p, e);
}

static void take_profile(struct ct_mechanism_run *run, struct ct_profile *p)
{
	struct ct_question *q = run->caller;
	ct_stage_take(q->stage, p);
	follow_stage(q);
}

void ct_question_about(struct ct_question *q, struct ct_stage *s, const struct ct_workload *w)
{
	q->stage = s;
	q->run.workload = w;
	q->run.pass_again = pass_again;
	q->run.take = take_profile;
	q->run.caller = q;
	follow_stage(q);
}

void ct_question_judge(struct ct_question *q, struct ct_judge *j)
{
	const struct ct_stage *s = q->stage;
	j->run[ct_mechanism_find(q->run.mechanism->name)] = &q->run;
	j->p = s->p;
	j->gpu = &s->gpu;
	j->settings = &q->settings;
	j->from_trace = s->from_trace;
	j->full_only = q->run.method == CT_BY_REPLAY;
	/* What a pass has sampled tells no cycles, and is replayed. */
	ct_judge_know_configured(j, s->p);
	if (s->changed)
		j->configured_cycles = 0;
}

void ct_question_close(struct ct_question *q)
{
	if (q->run.mechanism)
		q->run.mechanism->close(&q->run);
	free(q->set);
	*q = (struct ct_question){0};
}
