#include "models/verdict/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/common/cause.h"
#include "models/registry.h"
#include "models/verdict/bound.h"
#include "models/verdict/range.h"
#include "models/verdict/size.h"

static const char *const words[] = {"benefits", "neutral", "hurts", "unknown"};
static const char *const steps[] = {"NA", "bound", "estimate", "quick", "full"};
const char ct_verdict_baseline[] = "configured";

/* The rule that man/triage.1 tells. */
const double ct_verdict_benefits = 1.02, ct_verdict_hurts = 0.98;

const char *ct_verdict_baseline_of(const struct ct_mechanism *m)
{
	return m->configured ? m->configured : ct_verdict_baseline;
}

int ct_verdict_too_small(const struct ct_verdict *v)
{
	return v->word == CT_UNKNOWN && ct_size_is_reason(v->reason);
}

const char *ct_verdict_word(enum ct_verdict_word w)
{
	return words[w];
}

int ct_verdict_find(const char *name)
{
	for (int i = 0; i < 4; i++)
		if (strcmp(words[i], name) == 0)
			return i;
	return -1;
}

const char *ct_verdict_step(enum ct_verdict_step s)
{
	return steps[s];
}

int ct_verdict_possible(const struct ct_profile *p, const struct ct_mechanism *m)
{
	struct ct_estimate es;
	return ct_range_estimate(p, m, m->judged, &es) != CT_DECIDED_NOT;
}

/* The reason's first phrases that fit into n bytes, without a comma at the end. */
static size_t leading_phrases(const char *reason, size_t n)
{
	size_t whole = strlen(reason), cut = 0;
	if (whole < n)
		return whole;
	for (size_t i = 0; i < n; i++)
		if (strncmp(reason + i, ", ", 2) == 0)
			cut = i;
	return cut ? cut : n;
}

/* Any record of the mechanism, such as reuse --mechanisms leaves. */
static int is_measured(const struct ct_profile *p, const struct ct_mechanism *m)
{
	const struct ct_record *r;
	for (size_t i = 0; (r = ct_profile_next(p, "ES", &i));)
		if (r->nfields > 1 && strcmp(r->field[1], m->name) == 0)
			return 1;
	return 0;
}

static void no_estimate(const struct ct_profile *p, const struct ct_mechanism *m, struct ct_verdict *v)
{
	struct ct_estimate es;
	int any = ct_profile_get_estimate(p, "all", m->name, m->judged, "speedup", NULL, &es);
	if (any)
		snprintf(v->reason, sizeof v->reason,
		         "no speed-up against the GPU as configured: run %s "
		         "again",
		         m->command);
	else if (m->needs_pass && !is_measured(p, m))
		snprintf(v->reason, sizeof v->reason, "profile lacks %s; run reuse --mechanisms all",
		         m->name);
	else
		snprintf(v->reason, sizeof v->reason, "profile lacks %s; run %s", m->name, m->command);
}

/* A trace that was cut on purpose looks like one that lost a part: the verdict holds for what is
 * there, and who reads it has to know. */
static void tell_gaps(const struct ct_profile *p, struct ct_verdict *v)
{
	char gaps[CT_GAPS_MAX];
	size_t n = strlen(v->reason);
	if (ct_profile_gaps(p, gaps, sizeof gaps))
		snprintf(v->reason + n, sizeof v->reason - n, "; only a part of the trace was there: %s",
		         gaps);
}

/* Why, in the mechanism's words. Where it is known to have had nothing to act on, and its speed-up does not say otherwise, that is
 * why; what is left of a difference comes of what a system changes besides. */
static void give_reason(const struct ct_profile *p, const struct ct_mechanism *m, struct ct_verdict *v)
{
	static const double rounding = 0.0005; /* what would be printed as 0.0 % */
	const struct ct_mechanism_number speedup = {v->speedup, v->low, v->high};
	char idle[96] = "", rest[96] = "";
	v->reason[0] = '\0';
	int still = v->speedup <= ct_verdict_benefits && v->speedup >= ct_verdict_hurts;
	if (!still || !m->acted || m->acted(p, idle, sizeof idle) != 0) {
		m->reason(p, &speedup, v->reason, sizeof v->reason);
		return;
	}
	if (fabs(v->speedup - 1) >= rounding)
		snprintf(rest, sizeof rest, ", %+.1f %% come of what %s changes besides",
		         100 * (v->speedup - 1), m->judged);
	snprintf(v->reason, sizeof v->reason, "%s: nothing to act on%s", idle, rest);
}

/* The best of the systems that m has to beat, into v: the step of its estimate, or CT_DECIDED_NOT when p lacks one of
 * them. *least gets the step of the one that is known least closely. */
static enum ct_verdict_step
best_alternative(const struct ct_profile *p, const struct ct_mechanism *m, struct ct_verdict *v,
                 struct ct_estimate *best, enum ct_verdict_step *least)
{
	enum ct_verdict_step step = CT_DECIDED_NOT;
	int lacks = 0;
	*least = CT_DECIDED_FULL;
	for (const char *const *name = m->alternatives; name && *name; name++) {
		struct ct_estimate es;
		enum ct_verdict_step s = ct_range_estimate(p, m, *name, &es);
		lacks |= s == CT_DECIDED_NOT;
		*least = s < *least ? s : *least;
		if (s == CT_DECIDED_NOT || v->alternative_speedup >= es.value)
			continue;
		step = s;
		*best = es;
		v->alternative_speedup = es.value;
		snprintf(v->alternative, sizeof v->alternative, "%s", *name);
	}
	return lacks ? CT_DECIDED_NOT : step;
}

/* What the numbers of one verdict say, before words are put to them. */
struct case_of {
	const struct ct_profile *p;
	const struct ct_mechanism *m;
	struct ct_estimate judged, alternative;
	enum ct_verdict_step by, by_alternative,
		by_least;              /* of judged, best alternative, any alternative */
	double bound;                  /* the most that it can gain */
	double over_bound;             /* the same over the best alternative, where replays tell both */
	double over_low, over_high;    /* range of what it gains over the best alternative */
	char why_bound[CT_REASON_MAX]; /* why no more than the bound */
};

/* Whether an alternative is known as closely as the judged system, or by a replay in quick timing, whose error is in
 * the range then. */
static int is_replayed_as(enum ct_verdict_step alternative, enum ct_verdict_step judged)
{
	return alternative >= judged || alternative >= CT_DECIDED_QUICK;
}

/* benefits: above the border against the GPU as configured and against the best alternative; hurts: below it against the
 * GPU as configured; neutral: between the borders, or no faster than what is simpler, which a replay has to tell: estimates of
 * two systems, each off on its own, told it of six pairs of tests/verdicts, and of four it was not so. */
static void choose_word(const struct case_of *c, struct ct_verdict *v)
{
	const double up = ct_verdict_benefits, down = ct_verdict_hurts;
	/* A replay that gains more than a bound tells that the bound left something out: the order of requests, for instance. */
	int alone = !c->m->alternatives, gains = c->by == CT_DECIDED_FULL && v->low > up,
	    bounded = (c->bound <= up && !gains) ||
	              (c->over_bound <= up && !(gains && (alone || c->over_low > up))),
	    no_loss = v->low >= down || (c->m->candidates && c->by == CT_DECIDED_ESTIMATE);
	v->decided_by = c->by;
	if (v->high < down) {
		v->word = CT_HURTS;
	} else if (no_loss && bounded) {
		v->word = CT_NEUTRAL;
		v->decided_by = CT_DECIDED_BOUND;
	} else if (v->low >= down && v->high <= up) {
		v->word = CT_NEUTRAL;
	} else if (alone ? v->low > up
	                 : v->low > up && c->over_low > up && is_replayed_as(c->by_least, c->by)) {
		v->word = CT_BENEFITS;
	} else if (!alone && v->low >= down && c->over_high <= up &&
	           c->by_alternative >= CT_DECIDED_QUICK) {
		v->word = CT_NEUTRAL;
	} else {
		v->word = CT_UNKNOWN;
		v->decided_by = CT_DECIDED_NOT;
		v->open = 1;
	}
}

/* Adds to the reason what the mechanism is held against, where that decides. */
static void tell_alternative(const struct ct_verdict *v, char *reason, size_t n)
{
	size_t used = strlen(reason);
	double over = v->speedup / v->alternative_speedup;
	if (isnan(v->alternative_speedup) || !(v->speedup > ct_verdict_benefits))
		return;
	if (v->word == CT_NEUTRAL)
		snprintf(reason + used, n - used, "%s%+.1f %%, which %s gives too (%+.1f %%)",
		         used ? "; " : "", 100 * (v->speedup - 1), v->alternative,
		         100 * (v->alternative_speedup - 1));
	else if (v->word == CT_BENEFITS)
		snprintf(reason + used, n - used, "; %+.1f %% over %s, the best that is simpler",
		         100 * (over - 1), v->alternative);
}

/* What a longer run might change. */
static void tell_first_touches(const struct case_of *c, const struct ct_verdict *v, char *reason,
                               size_t n)
{
	static const double many = 0.5;
	double cold = ct_bound_first_touches(c->p);
	size_t used = strlen(reason);
	if (c->m->by_cache && cold > many && v->decided_by != CT_DECIDED_BOUND)
		snprintf(reason + used, n - used,
		         "; %.0f %% of LLC misses are first touches: a longer run may tell more",
		         100 * cold);
}

/* A gain may be one over a configured GPU whose stores are in its own way, which another setting takes away as well. */
static void tell_modified_lines(const struct case_of *c, char *reason, size_t n)
{
	char text[160];
	const double share = ct_cause_modified(c->p);
	size_t used = strlen(reason);
	snprintf(text, sizeof text,
	         "; modified lines keep an L1 waiting for %.0f %% of the time: "
	         "-p l1.dirty_percent=0 shows what they cost",
	         100 * fmin(share, 1));
	if (share > 0 && used + strlen(text) < n)
		memcpy(reason + used, text, strlen(text) + 1);
}

/* Which numbers leave the verdict open: those of the judged system against the GPU as configured where their range crosses
 * a border, else those of what it gains over the best alternative. */
static void tell_border(const struct case_of *c, const struct ct_verdict *v, char *text, size_t n)
{
	const double up = ct_verdict_benefits, down = ct_verdict_hurts;
	const struct ct_verdict over = {.word = CT_UNKNOWN, .low = c->over_low, .high = c->over_high};
	char range[CT_RANGE_TEXT_MAX];
	if (v->low <= up) {
		ct_verdict_range_text(v, range);
		snprintf(text, n,
		         v->low < down && v->high > up ? "range %s crosses %g and %g"
		                                       : "range %s crosses %g",
		         range, v->low < down ? down : up, up);
	} else if (c->over_low <= up && c->over_high > up) {
		ct_verdict_range_text(&over, range);
		snprintf(text, n, "range of the gain over %s, %s, crosses %g", v->alternative, range,
		         up);
	} else {
		snprintf(text, n, "what is simpler is not known as closely");
	}
}

/* The last step that was taken, and what would tell more. */
static void tell_step(const struct case_of *c, char *text, size_t n)
{
	static const char *const after[] = {[CT_DECIDED_ESTIMATE] = "the estimate",
	                                    [CT_DECIDED_QUICK] = "a quick replay",
	                                    [CT_DECIDED_FULL] = "a full replay"};
	const struct ct_range_doubt d = ct_range_doubt(c->p, &c->judged);
	const int sampled = c->by == CT_DECIDED_FULL && (!isnan(c->judged.low) || d.sampled > 0);
	const char *cure = NULL;
	if (c->by == CT_DECIDED_ESTIMATE && c->m->cure)
		cure = c->m->cure(c->judged.method, fmax(d.below, d.above) > d.paired);
	if (!cure)
		cure = sampled                    ? "only a larger sample or a longer trace can tell"
		       : c->by == CT_DECIDED_FULL ? "only a longer trace can tell"
		                                  : "a full replay may tell";
	snprintf(text, n, "after %s: %s", after[c->by], cure);
}

/* Says of an unknown verdict which border its range crosses, after which step. */
static void tell_open(const struct case_of *c, struct ct_verdict *v)
{
	enum { SAID = 130 };
	char why[CT_REASON_MAX], border[192], step[192];
	memcpy(why, v->reason, sizeof why);
	tell_border(c, v, border, sizeof border);
	tell_step(c, step, sizeof step);
	snprintf(v->reason, sizeof v->reason, "%.*s; %s %s", (int)leading_phrases(why, SAID), why,
	         border, step);
}

static void give_reason_of(const struct case_of *c, struct ct_verdict *v)
{
	if (v->decided_by == CT_DECIDED_BOUND) {
		snprintf(v->reason, sizeof v->reason, "%s", c->why_bound);
		return;
	}
	give_reason(c->p, c->m, v);
	if (v->word == CT_UNKNOWN) {
		tell_open(c, v);
		tell_modified_lines(c, v->reason, sizeof v->reason);
		return;
	}
	tell_alternative(v, v->reason, sizeof v->reason);
	tell_modified_lines(c, v->reason, sizeof v->reason);
	tell_first_touches(c, v, v->reason, sizeof v->reason);
}

/* Without an estimate only the bound can decide. */
static void decide_by_bound(struct case_of *c, struct ct_verdict *v)
{
	if (c->bound <= ct_verdict_benefits) {
		v->word = CT_NEUTRAL;
		v->decided_by = CT_DECIDED_BOUND;
		snprintf(v->reason, sizeof v->reason, "%s", c->why_bound);
	} else {
		no_estimate(c->p, c->m, v);
		v->open = 1;
	}
}

/* Where the best of the simpler systems is only estimated to be that: the first one that is known as closely as the judged
 * system and gives as much takes its place, since the best of all gives no less. */
static void take_sufficient(struct case_of *c, struct ct_verdict *v)
{
	if (is_replayed_as(c->by_alternative, c->by) || v->low < ct_verdict_hurts)
		return;
	for (const char *const *name = c->m->alternatives; name && *name; name++) {
		struct ct_estimate es;
		enum ct_verdict_step by = ct_range_estimate(c->p, c->m, *name, &es);
		double low, high;
		if (by < CT_DECIDED_QUICK || !is_replayed_as(by, c->by))
			continue;
		ct_range_ratio(c->p, &c->judged, &es, &low, &high);
		if (high > ct_verdict_benefits)
			continue;
		c->alternative = es;
		c->by_alternative = by;
		c->over_low = low;
		c->over_high = high;
		v->alternative_speedup = es.value;
		snprintf(v->alternative, sizeof v->alternative, "%s", *name);
		return;
	}
}

/* An estimate that is above what is possible is off by that much at least, and may be as far on the other side. An ideal may be
 * slower than the GPU as configured, with requests in another order: that makes no loss of an estimate. */
static void keep_to_bound(double ideal, struct ct_verdict *v)
{
	double bound = fmax(ideal, 1);
	if (bound >= v->high)
		return;
	v->high = bound;
	if (v->speedup > bound)
		v->low = fmin(v->low, bound * bound / v->speedup);
	v->speedup = fmin(v->speedup, bound);
}

static void decide_by_range(struct case_of *c, struct ct_verdict *v)
{
	ct_verdict_range(c->p, &c->judged, &v->low, &v->high);
	if (isnan(v->low)) {
		v->open = 1;
		snprintf(v->reason, sizeof v->reason,
		         "the error of sampling is not known, as of merged samples: "
		         "profile without --sample");
		return;
	}
	c->by_alternative = best_alternative(c->p, c->m, v, &c->alternative, &c->by_least);
	c->over_low = 0; /* without the alternatives nothing is known of what it adds */
	c->over_high = INFINITY;
	if (c->by_alternative != CT_DECIDED_NOT && c->m->alternatives)
		ct_range_ratio(c->p, &c->judged, &c->alternative, &c->over_low, &c->over_high);
	if (c->by_alternative != CT_DECIDED_NOT)
		take_sufficient(c, v);
	if (c->bound > ct_verdict_benefits && c->by_alternative >= CT_DECIDED_QUICK)
		c->over_bound = ct_bound_over(
			c->p, c->m, v->alternative, &c->alternative, c->why_bound, sizeof c->why_bound);
	if (c->by == CT_DECIDED_ESTIMATE)
		keep_to_bound(c->bound, v);
	choose_word(c, v);
	give_reason_of(c, v);
}

/* 1 when the trace is cut, with the reason. */
static int is_damaged(const struct ct_profile *p, struct ct_verdict *v)
{
	double flag;
	if (!ct_profile_get(p, "all", "truncated", &flag) || !(flag > 0))
		return 0;
	snprintf(v->reason, sizeof v->reason,
	         "the trace is damaged and only a part of it was used: record it again");
	return 1;
}

static void decide_word(const struct ct_profile *p, const struct ct_mechanism *m,
                        const struct ct_size *size, struct ct_verdict *v)
{
	struct case_of c = {.p = p, .m = m, .over_bound = INFINITY};
	c.by = ct_range_estimate(p, m, m->judged, &c.judged);
	if (c.by != CT_DECIDED_NOT)
		v->speedup = c.judged.value;
	c.bound = ct_bound_speedup(p, m, c.why_bound, sizeof c.why_bound);
	/* What even an ideal does not gain holds at any size. */
	if (is_damaged(p, v) || (!(c.bound <= ct_verdict_benefits) &&
	                         ct_size_too_small(size, m, v->reason, sizeof v->reason))) {
		if (c.by == CT_DECIDED_NOT)
			no_estimate(p, m, v);
		else
			ct_verdict_range(p, &c.judged, &v->low, &v->high);
		return;
	}
	if (c.by == CT_DECIDED_NOT)
		decide_by_bound(&c, v);
	else
		decide_by_range(&c, v);
}

int ct_verdict_decide(const struct ct_profile *p, const struct ct_mechanism *m, struct ct_verdict *v)
{
	struct ct_size size;
	int st = ct_size_measure(p, &size);
	*v = (struct ct_verdict){
		.word = CT_UNKNOWN,
		.speedup = NAN,
		.low = NAN,
		.high = NAN,
		.alternative_speedup = NAN,
		.sms_used = size.used,
		.sms_asked = size.asked};
	if (st != CT_OK)
		return st;
	decide_word(p, m, &size, v);
	if (isnan(v->speedup))
		return CT_OK;
	tell_gaps(p, v);
	if (v->decided_by != CT_DECIDED_BOUND)
		ct_size_tell(&size, m, v->reason, sizeof v->reason);
	return CT_OK;
}
