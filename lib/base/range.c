#include "base/range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	POINTS_MAX = 4096,   /* of a rule that sets no limit */
	COUNT_MAX = 1 << 30, /* where counting the points of a range stops */
};

static const double FACTOR_MAX = 1e6;

/* ---- text ---- */

static int copy_part(char *out, size_t cap, const char *from, size_t n)
{
	if (n == 0 || n >= cap)
		return -1;
	memcpy(out, from, n);
	out[n] = '\0';
	return 0;
}

int ct_range_split(const char *option, const char *text, const char *example, struct ct_range_text *out,
                   struct ct_error *e)
{
	const char *equals = strchr(text, '='), *a = equals ? equals + 1 : text;
	const char *dots = strstr(a, ".."), *b = dots ? dots + 2 : NULL;
	const char *colon = b ? strchr(b, ':') : NULL;
	*out = (struct ct_range_text){.text = text};
	int ok = dots != NULL;
	if (ok && equals)
		ok = copy_part(out->key, sizeof out->key, text, (size_t)(equals - text)) == 0;
	if (ok)
		ok = copy_part(out->first, sizeof out->first, a, (size_t)(dots - a)) == 0 &&
		     copy_part(out->last, sizeof out->last, b,
		               colon ? (size_t)(colon - b) : strlen(b)) == 0;
	if (ok && colon)
		ok = copy_part(out->step, sizeof out->step, colon + 1, strlen(colon + 1)) == 0;
	if (!ok)
		return ct_fail(e, CT_ERR_USAGE,
		               "%s %s: write KEY=A..B, KEY=A..B:STEP or KEY=A..B:xFACTOR, as in %s",
		               option, text, example);
	return CT_OK;
}

/* ---- numbers ---- */

/* A number of the rule's unit; whole ones are read exactly. */
static int read_number(const char *text, const struct ct_range_rule *rule, double *v)
{
	uint64_t u;
	if (rule->whole && ct_parse_u64(text, &u) == 0) {
		*v = (double)u;
		return 0;
	}
	if (ct_parse_unit(text, rule->unit, v) < 0 &&
	    (rule->unit != CT_UNIT_NONE || ct_parse_real(text, v) < 0))
		return -1;
	return rule->whole && *v != floor(*v) ? -1 : 0;
}

static int read_end(const char *option, const struct ct_range_text *t, const char *text,
                    const struct ct_range_rule *rule, double *v, struct ct_error *e)
{
	const char *unit = ct_unit_name(rule->unit);
	if (read_number(text, rule, v) == 0 && *v >= rule->low && *v <= rule->high)
		return CT_OK;
	return ct_fail(e, CT_ERR_USAGE, "%s %s: '%s' is no %snumber from %.15g to %.15g%s%s", option,
	               t->text, text, rule->whole ? "whole " : "", rule->low, rule->high,
	               *unit ? " " : "", unit);
}

/* STEP or xFACTOR, or what the rule says where the text has neither. */
static int read_step(const char *option, const struct ct_range_text *t, const struct ct_range_rule *rule,
                     struct ct_range_spec *r, struct ct_error *e)
{
	struct ct_range_rule plain = {.whole = rule->whole};
	const char *number = rule->whole ? "a whole number" : "a number";
	r->factor = rule->factor > 1 ? rule->factor : 0;
	r->step = r->factor > 0 ? 0 : rule->step > 0 ? rule->step : 1;
	if (t->step[0] == 'x') {
		r->step = 0;
		if (read_number(t->step + 1, &plain, &r->factor) < 0 ||
		    !(r->factor > 1 && r->factor <= FACTOR_MAX))
			return ct_fail(e, CT_ERR_USAGE,
			               "%s %s: the factor behind x has to be %s above 1", option,
			               t->text, number);
	} else if (t->step[0]) {
		r->factor = 0;
		if (read_number(t->step, rule, &r->step) < 0 || !(r->step > 0))
			return ct_fail(e, CT_ERR_USAGE,
			               "%s %s: the step behind ':' has to be %s above 0; x2 doubles",
			               option, t->text, number);
	}
	if (r->factor > 0 && !(r->first > 0))
		return ct_fail(e, CT_ERR_USAGE,
		               "%s %s: nothing grows from 0 by a factor: start above 0 or give a step",
		               option, t->text);
	return CT_OK;
}

int ct_range_read(const char *option, const struct ct_range_text *t, const struct ct_range_rule *rule,
                  struct ct_range_spec *out, struct ct_error *e)
{
	size_t most = rule->points_max ? rule->points_max : POINTS_MAX;
	struct ct_range_spec r = {.whole = rule->whole};
	memcpy(r.key, t->key, sizeof r.key);
	int st = read_end(option, t, t->first, rule, &r.first, e);
	if (st == CT_OK)
		st = read_end(option, t, t->last, rule, &r.last, e);
	if (st == CT_OK && r.last < r.first)
		st = ct_fail(e, CT_ERR_USAGE,
		             "%s %s: it ends below its first value: write the smaller one first", option,
		             t->text);
	if (st == CT_OK)
		st = read_step(option, t, rule, &r, e);
	if (st == CT_OK && ct_range_points(&r) > most)
		st = ct_fail(e, CT_ERR_USAGE, "%s %s: more than %zu points: take a larger step", option,
		             t->text, most);
	if (st == CT_OK)
		*out = r;
	return st;
}

/* ---- values ---- */

/* A last value that real steps miss by rounding only still counts. */
static double with_slack(const struct ct_range_spec *r, double v)
{
	return r->whole ? v : v * (1 + 1e-9);
}

size_t ct_range_points(const struct ct_range_spec *r)
{
	size_t n = 1;
	if (r->factor > 0) {
		for (double v = r->first * r->factor; v <= with_slack(r, r->last) && n < COUNT_MAX;
		     v *= r->factor)
			n++;
		return n;
	}
	double steps = with_slack(r, (r->last - r->first) / r->step);
	return steps < COUNT_MAX ? n + (size_t)steps : COUNT_MAX;
}

double ct_range_at(const struct ct_range_spec *r, size_t i)
{
	double v = r->first;
	if (r->factor > 0)
		for (; i > 0; i--)
			v *= r->factor;
	else
		v += (double)i * r->step;
	return fmin(v, r->last);
}

void ct_range_text_at(const struct ct_range_spec *r, size_t i, char *out, size_t n)
{
	snprintf(out, n, r->whole ? "%.0f" : "%.6g", ct_range_at(r, i));
}
