#include "models/common/constants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

enum { KEYS_MAX = 64 };

static enum ct_unit unit_of(const char *name)
{
	for (int u = CT_UNIT_NONE; u <= CT_UNIT_PERCENT; u++)
		if (*name && !strcmp(ct_unit_name((enum ct_unit)u), name))
			return (enum ct_unit)u;
	return CT_UNIT_NONE;
}

void ct_constants_defaults(const struct ct_constants *t, double *v)
{
	for (size_t i = 0; i < t->n; i++)
		v[i] = t->row[i].value;
}

/* Characters of the prefix and its dot that the assignment begins with; 0: none of them. */
static size_t prefix_length(const struct ct_constants *t, const char *assignment)
{
	size_t n = strlen(t->prefix);
	if (!strncmp(assignment, t->prefix, n) && assignment[n] == '.')
		return n + 1;
	for (const char *a = t->aliases; *a; a += n + (a[n] == ',')) {
		n = strcspn(a, ",");
		if (!strncmp(assignment, a, n) && assignment[n] == '.')
			return n + 1;
	}
	return 0;
}

int ct_constants_own(const struct ct_constants *t, const char *assignment)
{
	return prefix_length(t, assignment) > 0;
}

static int unknown(const struct ct_constants *t, const char *key, size_t n, struct ct_error *e)
{
	const char *names[KEYS_MAX];
	char given[64];
	size_t count = t->n < KEYS_MAX ? t->n : KEYS_MAX;
	snprintf(given, sizeof given, "%.*s", (int)(n < 60 ? n : 60), key);
	for (size_t i = 0; i < count; i++)
		names[i] = t->row[i].name;
	int near = ct_nearest_name(given, names, count);
	if (near < 0)
		return ct_fail(e, CT_ERR_USAGE, "unknown key %s.%s: %s(7) and --constants list them", t->prefix,
		               given, t->page);
	return ct_fail(e, CT_ERR_USAGE, "unknown key %s.%s: did you mean %s.%s?", t->prefix, given,
	               t->prefix, names[near]);
}

static int set_row(const struct ct_constants *t, size_t i, const char *assignment, const char *value,
                   double *out, struct ct_error *e)
{
	const struct ct_constant *c = &t->row[i];
	double v;
	if (ct_parse_unit(value, unit_of(c->unit), &v) != 0)
		return ct_fail(e, CT_ERR_USAGE, "%s: not a number%s%s: write %s.%s=%g", assignment,
		               *c->unit ? " of " : "", c->unit, t->prefix, c->name, c->value);
	if (!(v >= c->lo && v <= c->hi) || (i < t->whole && v != floor(v)))
		return ct_fail(e, CT_ERR_USAGE, "%s: out of range: %s%g to %g%s%s", assignment,
		               i < t->whole ? "whole numbers from " : "", c->lo, c->hi, *c->unit ? " " : "",
		               c->unit);
	*out = v;
	return CT_OK;
}

int ct_constants_set(const struct ct_constants *t, double *v, const char *assignment, size_t *which,
                     struct ct_error *e)
{
	const char *key = assignment + prefix_length(t, assignment), *eq = strchr(key, '=');
	size_t n = eq ? (size_t)(eq - key) : strlen(key);
	for (size_t i = 0; i < t->n; i++) {
		if (strlen(t->row[i].name) != n || strncmp(t->row[i].name, key, n) != 0)
			continue;
		if (which)
			*which = i;
		if (eq)
			return set_row(t, i, assignment, eq + 1, &v[i], e);
		break;
	}
	if (!eq)
		return ct_fail(e, CT_ERR_USAGE, "%s: not KEY=VALUE: write %s", assignment, t->example);
	return unknown(t, key, n, e);
}
