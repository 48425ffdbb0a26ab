#include "models/verdict/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/registry.h"
#include "models/verdict/size.h"

static const char *const words[] = {"benefits", "neutral", "hurts", "unknown"};
static const char *const steps[] = {"NA", "bound", "estimate", "quick", "full"};
const char ct_verdict_baseline[] = "configured";

/* The rule that man/triage.1 tells. */
const double ct_verdict_benefits = 1.02, ct_verdict_hurts = 0.98;

/* Nine in ten of 29 pairs of simulator runs (doc/models.md section 13), by what we say ourselves:
 * floor where our ratio of cycles moves by less than 3 %, share of its logarithm where it
 * moves by more. Replay: 15 and 14 pairs (make fidelity). Analytic: mpki --method analytic
 * on the 13 pairs that change the LLC, 11 and 2 of them. */
static const struct ct_paired_error replayed = {0.006, 0.28}, analytic = {0.012, 0.54};

int ct_verdict_too_small(const struct ct_verdict *v)
{
	return v->word == CT_UNKNOWN && ct_size_asks_for_scale(v->reason);
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

static enum ct_verdict_step find_step(const char *name)
{
	for (int i = CT_DECIDED_BOUND; i <= CT_DECIDED_FULL; i++)
		if (strcmp(steps[i], name) == 0)
			return (enum ct_verdict_step)i;
	return CT_DECIDED_NOT;
}

struct ct_paired_error ct_paired_error(const char *method)
{
	return strcmp(method, "replay") == 0 ? replayed : analytic;
}

static int find_estimate(const struct ct_profile *p, const struct ct_mechanism *m,
                         struct ct_estimate *es)
{
	return ct_profile_get_estimate(p, "all", m->name, m->judged, "speedup_configured", NULL, es) &&
	       es->value > 0;
}

int ct_verdict_possible(const struct ct_profile *p, const struct ct_mechanism *m)
{
	struct ct_estimate es;
	return find_estimate(p, m, &es);
}

static double squared(double x)
{
	return x * x;
}

/* What sampling adds: the half-width of the miss ratio's 95 % interval, the larger of the
 * two levels'. Time is at most proportional to misses, so it bounds the logarithm's. NaN when unknown. */
static double sampling_error(const struct ct_profile *p)
{
	static const char *const view[] = {"l1", "llc"};
	double worst = 0;
	for (int i = 0; i < 2; i++) {
		const char *key[2] = {"all", view[i]};
		const struct ct_record *r = ct_profile_find(p, "RE", 2, key);
		double v;
		if (!r || r->nfields < 4)
			continue;
		if (!ct_field_real(r->field[3], &v))
			return NAN; /* merged, or nothing was sampled */
		worst = fmax(worst, v);
	}
	return worst;
}

/* What a speed-up may be off, as parts of its logarithm: what such estimates were off in pairs of runs, what the
 * estimate itself states to either side, and sampling (NaN: not known). */
struct doubt {
	double paired, below, above, sampled;
};

static struct doubt doubt_of(const struct ct_profile *p, const struct ct_estimate *es)
{
	struct ct_paired_error x = ct_paired_error(es->method);
	double s = log(es->value);
	return (struct doubt){.paired = fmax(x.floor, x.share * fabs(s)),
	                      .below = es->low > 0 && es->low < es->value ? s - log(es->low) : 0,
	                      .above = es->high > es->value ? log(es->high) - s : 0,
	                      .sampled = sampling_error(p)};
}

/* Independent errors of the logarithm add up as their squares do. */
static double added(const struct doubt *d, double stated)
{
	return sqrt(squared(d->paired) + squared(stated) + squared(d->sampled));
}

void ct_verdict_range(const struct ct_profile *p, const struct ct_estimate *es, double *low,
                      double *high)
{
	*low = *high = NAN;
	if (!(es->value > 0))
		return;
	struct doubt d = doubt_of(p, es);
	*low = exp(log(es->value) - added(&d, d.below));
	*high = exp(log(es->value) + added(&d, d.above));
}

/* What would narrow the range, by the doubt that is the largest. */
static const char *cure_of(const struct ct_mechanism *m, const struct ct_estimate *es, double parameters,
                           double paired)
{
	const char *cure = m->cure ? m->cure(es->method, parameters > paired) : NULL;
	return cure ? cure : "no estimate of ours is closer than that";
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

static void too_wide(const struct ct_mechanism *m, const struct ct_estimate *es, double parameters,
                     double paired, struct ct_verdict *v)
{
	enum { SAID = 130 };
	char why[CT_REASON_MAX];
	memcpy(why, v->reason, sizeof why);
	snprintf(v->reason, sizeof v->reason, "%.*s; range too wide to tell: %s",
	         (int)leading_phrases(why, SAID), why, cure_of(m, es, parameters, paired));
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

static int no_estimate(const struct ct_profile *p, const struct ct_mechanism *m, struct ct_verdict *v)
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
	return 0;
}

/* A trace that was cut on purpose looks like one that lost a part: the verdict holds for what is
 * there, and who reads it has to know. */
static void tell_gaps(const struct ct_profile *p, struct ct_verdict *v)
{
	char gaps[CT_GAPS_MAX];
	size_t n = strlen(v->reason);
	if (ct_profile_gaps(p, gaps, sizeof gaps))
		snprintf(v->reason + n, sizeof v->reason - n, "; of a part of the trace: %s", gaps);
}

/* Why, in the mechanism's words; before them that it had nothing to act on, where that is known. */
static void give_reason(const struct ct_profile *p, const struct ct_mechanism *m, struct ct_verdict *v)
{
	const struct ct_mechanism_number speedup = {v->speedup, v->low, v->high};
	char idle[96] = "";
	size_t n = 0;
	v->reason[0] = '\0';
	if (m->acted && m->acted(p, idle, sizeof idle) == 0) {
		snprintf(v->reason, sizeof v->reason, "%s: nothing to act on, ", idle);
		n = strlen(v->reason);
	}
	m->reason(p, &speedup, v->reason + n, sizeof v->reason - n);
}

static void decide_word(const struct ct_profile *p, const struct ct_mechanism *m, double scale,
                        struct ct_verdict *v)
{
	struct ct_estimate es;
	*v = (struct ct_verdict){.word = CT_UNKNOWN,
	                         .speedup = NAN,
	                         .low = NAN,
	                         .high = NAN,
	                         .alternative_speedup = NAN,
	                         .sms_used = NAN,
	                         .sms_asked = NAN};
	if (!find_estimate(p, m, &es)) {
		no_estimate(p, m, v);
		return;
	}
	struct doubt d = doubt_of(p, &es);
	v->speedup = es.value;
	ct_verdict_range(p, &es, &v->low, &v->high);
	if (isnan(v->low)) {
		snprintf(v->reason, sizeof v->reason,
		         "the error of sampling is not known, as of merged samples: "
		         "profile without --sample");
		return;
	}
	if (ct_size_too_small(p, m, scale == 0 ? ct_size_scale(p) : scale, v->reason, sizeof v->reason))
		return;
	if (v->low > ct_verdict_benefits)
		v->word = CT_BENEFITS;
	else if (v->high < ct_verdict_hurts)
		v->word = CT_HURTS;
	else if (v->low >= ct_verdict_hurts && v->high <= ct_verdict_benefits)
		v->word = CT_NEUTRAL;
	give_reason(p, m, v);
	if (v->word == CT_UNKNOWN)
		too_wide(m, &es, fmax(d.below, d.above), d.paired, v);
}

void ct_verdict_decide(const struct ct_profile *p, const struct ct_mechanism *m, double scale,
                       struct ct_verdict *v)
{
	decide_word(p, m, scale, v);
	if (!isnan(v->speedup))
		tell_gaps(p, v);
}

/* The fields of TV that are numbers, in its order. */
enum { SPEEDUP, LOW, HIGH, ALTERNATIVE_SPEEDUP, SMS_USED, SMS_ASKED, NUMBERS };

int ct_verdict_write(struct ct_profile *p, const char *workload, const struct ct_mechanism *m,
                     const struct ct_verdict *v, struct ct_error *e)
{
	const double number[NUMBERS] = {v->speedup, v->low,      v->high, v->alternative_speedup,
	                                v->sms_used, v->sms_asked};
	size_t at[NUMBERS];
	struct ct_buf b = {0};
	for (unsigned i = 0; i < NUMBERS; i++) {
		at[i] = b.len;
		ct_buf_real(&b, number[i]);
		ct_buf_putc(&b, '\0');
	}
	int st = ct_buf_check(&b, e);
	if (st == CT_OK) {
		const char *f[] = {workload,
		                   m->name,
		                   words[v->word],
		                   b.data + at[SPEEDUP],
		                   b.data + at[LOW],
		                   b.data + at[HIGH],
		                   v->reason,
		                   ct_verdict_baseline,
		                   *v->alternative ? v->alternative : "NA",
		                   b.data + at[ALTERNATIVE_SPEEDUP],
		                   steps[v->decided_by],
		                   b.data + at[SMS_USED],
		                   b.data + at[SMS_ASKED]};
		st = ct_profile_put(p, "TV", sizeof f / sizeof f[0], f, e);
	}
	ct_buf_free(&b);
	return st;
}

static double real_or_nan(const struct ct_record *r, unsigned field)
{
	double x;
	return r->nfields > field && ct_field_real(r->field[field], &x) ? x : NAN;
}

int ct_verdict_read(const struct ct_record *r, struct ct_verdict *v)
{
	enum { BASELINE = 7, ALTERNATIVE, BY_ALTERNATIVE, DECIDED_BY, USED, ASKED };
	int which = r->nfields >= BASELINE ? ct_mechanism_find(r->field[1]) : -1;
	int word = which < 0 ? -1 : ct_verdict_find(r->field[2]);
	if (word < 0)
		return -1;
	*v = (struct ct_verdict){
		.word = (enum ct_verdict_word)word,
		.speedup = real_or_nan(r, 3),
		.low = real_or_nan(r, 4),
		.high = real_or_nan(r, 5),
		.alternative_speedup = real_or_nan(r, BY_ALTERNATIVE),
		.decided_by = r->nfields > DECIDED_BY ? find_step(r->field[DECIDED_BY]) : CT_DECIDED_NOT,
		.sms_used = real_or_nan(r, USED),
		.sms_asked = real_or_nan(r, ASKED)};
	snprintf(v->reason, sizeof v->reason, "%s", r->field[6]);
	if (r->nfields > ALTERNATIVE && strcmp(r->field[ALTERNATIVE], "NA") != 0)
		snprintf(v->alternative, sizeof v->alternative, "%s", r->field[ALTERNATIVE]);
	return which;
}

void ct_verdict_line(const struct ct_verdict *v, const struct ct_mechanism *m, struct ct_buf *b)
{
	ct_buf_printf(b, "verdict: %s", words[v->word]);
	if (!isnan(v->speedup))
		ct_buf_printf(
			b, ": %s runs %+.1f %% against this GPU as configured (range %+.1f to %+.1f %%)",
			m->judged, 100 * (v->speedup - 1), 100 * (v->low - 1), 100 * (v->high - 1));
	ct_buf_printf(b, ": %s\n", v->reason);
}
