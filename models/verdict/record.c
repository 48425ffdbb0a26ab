/* record.c - verdicts as TV records, and as a line for people. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/registry.h"
#include "models/verdict/verdict.h"

static enum ct_verdict_step find_step(const char *name)
{
	for (int i = CT_DECIDED_BOUND; i <= CT_DECIDED_FULL; i++)
		if (strcmp(ct_verdict_step((enum ct_verdict_step)i), name) == 0)
			return (enum ct_verdict_step)i;
	return CT_DECIDED_NOT;
}

/* The fields of TV that are numbers, in its order. */
enum { SPEEDUP, LOW, HIGH, ALTERNATIVE_SPEEDUP, SMS_USED, SMS_ASKED, NUMBERS };

int ct_verdict_write(struct ct_profile *p, const char *workload, const struct ct_mechanism *m,
                     const struct ct_verdict *v, struct ct_error *e)
{
	const double number[NUMBERS] = {
		v->speedup, v->low, v->high, v->alternative_speedup, v->sms_used, v->sms_asked};
	size_t at[NUMBERS];
	struct ct_buf b = {0};
	for (unsigned i = 0; i < NUMBERS; i++) {
		at[i] = b.len;
		ct_buf_real(&b, number[i]);
		ct_buf_putc(&b, '\0');
	}
	int st = ct_buf_check(&b, e);
	if (st == CT_OK) {
		const char *f[] = {
			workload,
			m->name,
			ct_verdict_word(v->word),
			b.data + at[SPEEDUP],
			b.data + at[LOW],
			b.data + at[HIGH],
			v->reason,
			ct_verdict_baseline_of(m),
			*v->alternative ? v->alternative : "NA",
			b.data + at[ALTERNATIVE_SPEEDUP],
			ct_verdict_step(v->decided_by),
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

/* 1 when a number as it is printed lies on the same side of each border as the number itself. */
static int shows_borders(double x, int digits)
{
	const double border[] = {ct_verdict_hurts, ct_verdict_benefits};
	char text[64];
	snprintf(text, sizeof text, "%.*f", digits, x);
	const double printed = strtod(text, NULL);
	for (size_t i = 0; i < sizeof border / sizeof border[0]; i++)
		if ((x < border[i]) != (printed < border[i]) || (x > border[i]) != (printed > border[i]))
			return 0;
	return 1;
}

void ct_verdict_range_text(const struct ct_verdict *v, char out[CT_RANGE_TEXT_MAX])
{
	enum { FEW = 2, MANY = 6 };
	int digits = FEW;
	if (!isfinite(v->low) || !isfinite(v->high)) {
		snprintf(out, CT_RANGE_TEXT_MAX, "-");
		return;
	}
	while (v->word == CT_UNKNOWN && digits < MANY &&
	       !(shows_borders(v->low, digits) && shows_borders(v->high, digits)))
		digits++;
	snprintf(out, CT_RANGE_TEXT_MAX, "%.*f..%.*f", digits, v->low, digits, v->high);
}

void ct_verdict_line(const struct ct_verdict *v, const struct ct_mechanism *m, struct ct_buf *b)
{
	static const char *const by[] = {
		[CT_DECIDED_NOT] = "",
		[CT_DECIDED_BOUND] = ", decided by the bound",
		[CT_DECIDED_ESTIMATE] = ", decided by the estimate",
		[CT_DECIDED_QUICK] = ", decided by a quick replay",
		[CT_DECIDED_FULL] = ", decided by a full replay"};
	char range[CT_RANGE_TEXT_MAX];
	ct_verdict_range_text(v, range);
	ct_buf_printf(b, "verdict: %s", ct_verdict_word(v->word));
	if (!isnan(v->speedup))
		ct_buf_printf(b,
		              ": %s runs %.2f times as fast as %s%sthis GPU as configured (range %s%s)",
		              m->judged, v->speedup, m->configured ? m->configured : "",
		              m->configured ? ", which stands for " : "", range, by[v->decided_by]);
	ct_buf_printf(b, ": %s\n", v->reason);
}
