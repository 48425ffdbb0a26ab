#include "models/common/constants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/items.h"
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
	const char *at = t->aliases, *alias;
	while ((alias = ct_item_next(&at, &n)))
		if (n > 0 && !strncmp(assignment, alias, n) && assignment[n] == '.')
			return n + 1;
	return 0;
}

int ct_constants_own(const struct ct_constants *t, const char *assignment)
{
	return prefix_length(t, assignment) > 0;
}

/* Fails with the key that may have been meant. */
static int unknown_key(const struct ct_constants *t, const char *key, size_t n, struct ct_error *e)
{
	const char *names[KEYS_MAX];
	char given[64];
	size_t count = t->n < KEYS_MAX ? t->n : KEYS_MAX;
	snprintf(given, sizeof given, "%.*s", (int)(n < 60 ? n : 60), key);
	for (size_t i = 0; i < count; i++)
		names[i] = t->row[i].name;
	int near = ct_nearest_name(given, names, count);
	if (!count)
		return ct_fail(e, CT_ERR_USAGE, "unknown key %s.%s: there are none", t->prefix, given);
	if (near < 0 && (near = ct_closest_name(given, names, count)) >= 0)
		return ct_fail(
			e, CT_ERR_USAGE,
			"unknown key %s.%s: the nearest is %s.%s; %s(7) and --constants list them",
			t->prefix, given, t->prefix, names[near], t->page);
	return ct_fail(e, CT_ERR_USAGE, "unknown key %s.%s: did you mean %s.%s?", t->prefix, given,
	               t->prefix, names[near]);
}

enum ct_constant_type ct_constants_type(const struct ct_constants *t, size_t i)
{
	if (i < t->whole && t->row[i].type == CT_CONSTANT_REAL)
		return CT_CONSTANT_WHOLE;
	return t->row[i].type;
}

const char *ct_constant_type_name(enum ct_constant_type type)
{
	static const char *const names[] = {"real", "whole", "switch", "power of two"};
	return names[type];
}

static int is_power_of_two(double v)
{
	int exponent;
	return v > 0 && frexp(v, &exponent) == 0.5;
}

/* Fails for a value that its type rules out: with the values that are right. */
static int check_type(const struct ct_constants *t, size_t i, const char *assignment, double v,
                      struct ct_error *e)
{
	const struct ct_constant *c = &t->row[i];
	char list[160] = "";
	size_t n = 0;
	if (ct_constants_type(t, i) == CT_CONSTANT_SWITCH && v != 0 && v != 1)
		return ct_fail(e, CT_ERR_USAGE, "%s: a switch: use 0 or 1", assignment);
	if (ct_constants_type(t, i) != CT_CONSTANT_POWER_OF_TWO || is_power_of_two(v))
		return CT_OK;
	for (double x = 1; x <= c->hi && n < sizeof list - 24; x *= 2)
		if (x >= c->lo)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%.0f",
			                      !n              ? ""
			                      : 2 * x > c->hi ? " or "
			                                      : ", ",
			                      x);
	return ct_fail(e, CT_ERR_USAGE, "%s: not a power of two: use %s", assignment, list);
}

/* Sets a constant from text, with its unit, range and type checked. */
static int set_row(const struct ct_constants *t, size_t i, const char *assignment, const char *value,
                   double *out, struct ct_error *e)
{
	const struct ct_constant *c = &t->row[i];
	int whole = ct_constants_type(t, i) != CT_CONSTANT_REAL;
	double v;
	if (ct_parse_unit(value, unit_of(c->unit), &v) != 0)
		return ct_fail(e, CT_ERR_USAGE, "%s: not a number%s%s: write %s.%s=%g", assignment,
		               *c->unit ? " of " : "", c->unit, t->prefix, c->name, c->value);
	if (!(v >= c->lo && v <= c->hi) || (whole && v != floor(v)))
		return ct_fail(e, CT_ERR_USAGE, "%s: out of range: %s%g to %g%s%s", assignment,
		               whole ? "whole numbers from " : "", c->lo, c->hi, *c->unit ? " " : "",
		               c->unit);
	int st = check_type(t, i, assignment, v, e);
	if (st == CT_OK)
		*out = v;
	return st;
}

/* Reads "KEY=VALUE" behind `skip` characters of the assignment: the row's number and its value. */
static int read_row(const struct ct_constants *t, const char *assignment, size_t skip, size_t *which,
                    double *value, struct ct_error *e)
{
	const char *key = assignment + skip, *eq = strchr(key, '=');
	if (!eq)
		return ct_fail(e, CT_ERR_USAGE, "%s: not KEY=VALUE: write %s", assignment, t->example);
	size_t n = (size_t)(eq - key);
	for (size_t i = 0; i < t->n; i++)
		if (strlen(t->row[i].name) == n && !strncmp(t->row[i].name, key, n)) {
			*which = i;
			return set_row(t, i, assignment, eq + 1, value, e);
		}
	return unknown_key(t, key, n, e);
}

int ct_constants_set(const struct ct_constants *t, double *v, const char *assignment, size_t *which,
                     struct ct_error *e)
{
	size_t row;
	double value;
	int st = read_row(t, assignment, prefix_length(t, assignment), &row, &value, e);
	if (st != CT_OK)
		return st;
	v[row] = value;
	if (which)
		*which = row;
	return CT_OK;
}

int ct_constants_check(const struct ct_constants *t, const char *assignment, struct ct_error *e)
{
	size_t row, skip = prefix_length(t, assignment), n = strcspn(assignment, "=");
	const char *dot = memchr(assignment, '.', n);
	double value;
	if (skip)
		return read_row(t, assignment, skip, &row, &value, e);
	int st = read_row(t, assignment, dot ? (size_t)(dot + 1 - assignment) : 0, &row, &value, e);
	if (st != CT_OK)
		return st;
	return ct_fail(e, CT_ERR_USAGE, "unknown key %.*s: did you mean %s.%s?", (int)(n < 60 ? n : 60),
	               assignment, t->prefix, t->row[row].name);
}
