/* fit.c - a profile of a trace that is too small for its GPU, made again on a part of that GPU. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/question.h"
#include "common/stage.h"
#include "models/registry.h"
#include "pass/scale.h"

/* A pass with the observers of other mechanisms beside those that the stage wants. */
struct wider_pass {
	struct ct_tool_pass pass;
	const struct ct_pass_observer *list[CT_PASS_OBSERVERS_MAX];
	struct ct_question question[CT_MECHANISMS_MAX];
};

static int is_measured(const struct ct_profile *p, const char *mechanism)
{
	const struct ct_record *r;
	for (size_t i = 0; (r = ct_profile_next(p, "ES", &i));)
		if (r->nfields > 1 && strcmp(r->field[1], mechanism) == 0)
			return 1;
	return 0;
}

static int is_wanted(const struct wider_pass *w, const struct ct_pass_observer *o)
{
	for (unsigned i = 0; i < w->pass.n_observers; i++)
		if (strcmp(w->list[i]->name, o->name) == 0)
			return 1;
	return 0;
}

/* The stages behind this one find in the new profile what reuse --mechanisms had left in the old one. */
static int widen_pass(struct wider_pass *w, struct ct_tool *t, const struct ct_stage *s,
                      struct ct_error *e)
{
	const struct ct_mechanism *m;
	int st = CT_OK;
	if (s->pass)
		w->pass = *s->pass;
	for (unsigned i = 0; i < w->pass.n_observers && i < CT_PASS_OBSERVERS_MAX; i++)
		w->list[i] = w->pass.observers[i];
	w->pass.observers = w->list;
	for (unsigned i = 0; st == CT_OK && (m = ct_mechanism_at(i)); i++) {
		if (!m->needs_pass || !m->observer || is_wanted(w, m->observer) ||
		    !is_measured(s->p, m->name) || w->pass.n_observers == CT_PASS_OBSERVERS_MAX)
			continue;
		st = ct_question_open(&w->question[i], t, m, e);
		if (st == CT_OK)
			w->list[w->pass.n_observers++] = &w->question[i].observer;
	}
	return st;
}

/* Replays the profile's trace on the part of the GPU that it fills, with all that the caller asked
 * for. */
static int make_again(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	const struct ct_tool_pass *asked = s->pass;
	struct wider_pass *w = ct_calloc(1, sizeof *w);
	struct ct_profile *p = NULL;
	int st = w ? widen_pass(w, t, s, e) : ct_fail_nomem(e);
	if (st == CT_OK) {
		s->pass = &w->pass;
		st = ct_stage_replay(t, s, "--scale auto", &p, e);
		s->pass = asked;
	}
	if (st == CT_OK)
		ct_stage_take(s, p);
	for (unsigned i = 0; w && i < CT_MECHANISMS_MAX; i++)
		ct_question_close(&w->question[i]);
	free(w);
	return st;
}

/* Warnings from `from` on are of a pass that came to nothing. */
static void forget_warnings(struct ct_tool *t, size_t from)
{
	if (t->warnings.len <= from)
		return;
	t->warnings.len = from;
	t->warnings.data[from] = '\0';
}

/* The factor by which the GPU in force is to be scaled, which s->gpu becomes; 1 where it is filled, scaled already, or
 * nobody knows. */
static int find_factor(struct ct_tool *t, struct ct_stage *s, double *waves, double *factor,
                       struct ct_error *e)
{
	*factor = 1;
	int st = ct_tool_gpu(t, s->p, &s->gpu, e);
	if (st != CT_OK || s->gpu.sms_asked)
		return st;
	st = ct_pass_waves(s->p, &s->gpu, waves, e);
	if (st == CT_OK)
		*factor = ct_pass_scale_factor(&s->gpu, *waves);
	*waves /= s->gpu.sms;
	return st < 0 ? st : CT_OK;
}

int ct_stage_fit(struct ct_tool *t, struct ct_stage *s, struct ct_error *e)
{
	struct ct_diag d = ct_tool_diag(t);
	struct ct_error why = {0};
	const size_t warned = t->warnings.len;
	const int truncated = s->truncated;
	double waves = 0, factor;
	int st = find_factor(t, s, &waves, &factor, e);
	if (st != CT_OK || factor == 1) {
		forget_warnings(t, warned);
		return st;
	}
	st = ct_gpu_scale(&s->gpu, factor, &why);
	if (st == CT_OK)
		st = make_again(t, s, &why);
	if (st == CT_OK)
		return CT_OK;
	if (st == CT_ERR_NOMEM)
		return ct_fail_nomem(e);
	forget_warnings(t, warned);
	s->truncated = truncated;
	ct_warn(&d,
	        "the profile fills %.2g waves of its GPU, and cannot be made again on a part of it: %s",
	        waves, why.text);
	return CT_OK;
}
