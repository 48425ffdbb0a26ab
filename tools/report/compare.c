#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* More than any number's. */
static const double VERDICT_EFFECT = 1e9;

static struct rep_change *add_change(struct rep_changes *c, const struct rep_workload *w,
                                     const struct rep_workload *old, struct ct_error *e)
{
	if (ct_grow((void **)&c->change, &c->cap, c->n + 1, sizeof *c->change) < 0) {
		ct_fail_nomem(e);
		return NULL;
	}
	struct rep_change *x = &c->change[c->n++];
	*x = (struct rep_change){.w = w, .old = old, .before = NAN, .after = NAN};
	return x;
}

const char *rep_way_name(enum rep_way way)
{
	static const char *const name[REP_WAYS] = {"Regressions", "Improvements", "Other changes"};
	return name[way];
}

int rep_change_percent(const struct rep_change *x, char out[32])
{
	double part = x->after / x->before - 1;
	if (x->word_before || !isfinite(part))
		return 0;
	snprintf(out, 32, "%+.1f %%", 100 * part);
	return 1;
}

static int has_changed(double a, double b)
{
	return isnan(a) != isnan(b) || (!isnan(a) && a != b);
}

/* How much a change matters beside others: finite also from or to 0; -1 where one run has no value. */
static double effect_of(const struct ct_metric *m, double before, double after)
{
	if (isnan(before) || isnan(after))
		return -1;
	double difference = fabs(after - before);
	if (m && strcmp(m->unit, "ratio") == 0 && isfinite(difference))
		return difference;
	double effect = difference / ((fabs(before) + fabs(after)) / 2);
	return isfinite(effect) ? effect : -1;
}

static enum rep_way way_of(const struct ct_metric *m, double before, double after)
{
	if (!m || m->better == CT_METRIC_NEITHER || isnan(before) || isnan(after))
		return REP_OTHER;
	return (after < before) == (m->better == CT_METRIC_LESS) ? REP_BETTER : REP_WORSE;
}

/* The metric's entry, of the profile's own table or of a mechanism's; NULL: not known. */
static const struct ct_metric *metric_of(const char *type, const char *name)
{
	const struct ct_metric *m = ct_metric(type, name);
	return m ? m : ct_mechanism_metric(type, name);
}

/* Notes a value that changed, unless it only follows from the GPU or from options. */
static int compare_value(struct rep_changes *c, const struct rep_workload *w,
                         const struct rep_workload *old, const struct ct_metric *m, const char *what,
                         double before, double after, struct ct_error *e)
{
	if (!has_changed(before, after) || (m && m->better == CT_METRIC_GIVEN))
		return CT_OK;
	struct rep_change *x = add_change(c, w, old, e);
	if (!x)
		return CT_ERR_NOMEM;
	snprintf(x->what, sizeof x->what, "%s", what);
	x->before = before;
	x->after = after;
	x->effect = effect_of(m, before, after);
	x->way = way_of(m, before, after);
	return CT_OK;
}

static int is_all(const struct ct_record *r)
{
	return r->nfields > 2 && strcmp(r->field[0], "all") == 0;
}

/* The SN that r, a record of the new run, is of; gone: of the old one, and only what the new one lacks. */
static int compare_metric(struct rep_changes *c, const struct rep_workload *w,
                          const struct rep_workload *old, const struct ct_record *r, int gone,
                          struct ct_error *e)
{
	if (!is_all(r) || (gone && ct_profile_method(w->p, "all", r->field[1])))
		return CT_OK;
	return compare_value(c, w, old, metric_of("SN", r->field[1]), r->field[1],
	                     rep_sn(old, r->field[1]), rep_sn(w, r->field[1]), e);
}

static int compare_summary(struct rep_changes *c, const struct rep_workload *w,
                           const struct rep_workload *old, struct ct_error *e)
{
	const struct ct_record *r;
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(w->p, "SN", &i));)
		st = compare_metric(c, w, old, r, 0, e);
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(old->p, "SN", &i));)
		st = compare_metric(c, w, old, r, 1, e);
	return st;
}

/* Whether an estimate's metric is what it comes to, and not one of the counts on the way. */
static int is_outcome(const char *metric)
{
	static const char *const name[] = {
		"cycles", "ipc", "speedup", "speedup_configured", "perf_per_watt", "energy_j"};
	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
		if (strcmp(metric, name[i]) == 0)
			return 1;
	return 0;
}

/* Compares an estimate with the old run's. With `gone` it looks for those that only the old run has. */
static int compare_estimate(struct rep_changes *c, const struct rep_workload *w,
                            const struct rep_workload *old, const struct ct_record *r, int gone,
                            struct ct_error *e)
{
	struct ct_estimate a = {.value = NAN}, b = {.value = NAN};
	char what[160];
	if (!is_all(r) || r->nfields < 9)
		return CT_OK;
	int has = ct_profile_get_estimate(
		w->p, "all", r->field[1], r->field[2], r->field[3], r->field[6], &a);
	if (gone && has)
		return CT_OK;
	ct_profile_get_estimate(old->p, "all", r->field[1], r->field[2], r->field[3], r->field[6], &b);
	snprintf(what, sizeof what, "%s.%s.%s", r->field[1], r->field[2], r->field[3]);
	size_t had = c->n;
	int st = compare_value(c, w, old, metric_of("ES", r->field[3]), what, b.value, a.value, e);
	if (c->n > had)
		c->change[had].detail = !is_outcome(r->field[3]);
	return st;
}

static int compare_estimates(struct rep_changes *c, const struct rep_workload *w,
                             const struct rep_workload *old, struct ct_error *e)
{
	const struct ct_record *r;
	int st = CT_OK;
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(w->p, "ES", &i));)
		st = compare_estimate(c, w, old, r, 0, e);
	for (size_t i = 0; st == CT_OK && (r = ct_profile_next(old->p, "ES", &i));)
		st = compare_estimate(c, w, old, r, 1, e);
	return st;
}

/* A mechanism that did not hurt and does now gains the workload less; unknown is neither more nor less. */
static enum rep_way verdict_way(enum ct_verdict_word before, enum ct_verdict_word after)
{
	if (before == CT_UNKNOWN || after == CT_UNKNOWN)
		return REP_OTHER;
	return after > before ? REP_WORSE : REP_BETTER; /* benefits, neutral, hurts */
}

/* Notes verdicts that changed; they stand above all other changes. */
static int compare_verdicts(struct rep_changes *c, const struct rep_run *run,
                            const struct rep_workload *w, const struct rep_workload *old,
                            struct ct_error *e)
{
	for (unsigned m = 0; rep_next_shown(run, &m); m++) {
		if (w->v[m].word == old->v[m].word)
			continue;
		struct rep_change *x = add_change(c, w, old, e);
		if (!x)
			return CT_ERR_NOMEM;
		snprintf(x->what, sizeof x->what, "%s.verdict", ct_mechanism_at(m)->name);
		x->word_before = ct_verdict_word(old->v[m].word);
		x->word_after = ct_verdict_word(w->v[m].word);
		x->before = old->v[m].speedup;
		x->after = w->v[m].speedup;
		x->effect = VERDICT_EFFECT;
		x->way = verdict_way(old->v[m].word, w->v[m].word);
	}
	return CT_OK;
}

static int by_effect(const void *a, const void *b)
{
	const struct rep_change *x = a, *y = b;
	if (x->way != y->way)
		return x->way < y->way ? -1 : 1;
	if (x->detail != y->detail)
		return x->detail - y->detail;
	if (x->effect != y->effect)
		return x->effect < y->effect ? 1 : -1;
	int c = strcmp(x->w->name, y->w->name);
	return c ? c : strcmp(x->what, y->what);
}

int rep_compare(struct rep_changes *c, const struct rep_run *old, const struct rep_run *run,
                struct ct_error *e)
{
	int st = CT_OK;
	memset(c, 0, sizeof *c);
	c->only_old = ct_calloc(old->n, sizeof *c->only_old);
	c->only_new = ct_calloc(run->n, sizeof *c->only_new);
	if (!c->only_old || !c->only_new)
		return ct_fail_nomem(e);
	for (size_t i = 0; i < old->n; i++)
		if (!rep_run_find(run, old->w[i].name))
			c->only_old[c->n_old++] = old->w[i].name;
	for (size_t i = 0; i < run->n && st == CT_OK; i++) {
		const struct rep_workload *w = &run->w[i], *before = rep_run_find(old, w->name);
		size_t n = c->n;
		if (!before) {
			c->only_new[c->n_new++] = w->name;
			continue;
		}
		st = compare_verdicts(c, run, w, before, e);
		if (st == CT_OK)
			st = compare_summary(c, w, before, e);
		if (st == CT_OK)
			st = compare_estimates(c, w, before, e);
		c->same += c->n == n;
	}
	if (c->n)
		qsort(c->change, c->n, sizeof *c->change, by_effect);
	for (size_t i = 0; i < c->n; i++)
		c->n_way[c->change[i].way]++;
	return st;
}

void rep_changes_free(struct rep_changes *c)
{
	free(c->change);
	free(c->only_old);
	free(c->only_new);
	memset(c, 0, sizeof *c);
}
