#include "common/swept.h"

#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"

enum { POINTS_MAX = 256 };

static enum ct_unit unit_by_name(const char *name)
{
	for (int u = CT_UNIT_NONE + 1; u <= CT_UNIT_PERCENT; u++)
		if (!strcmp(ct_unit_name((enum ct_unit)u), name))
			return (enum ct_unit)u;
	return CT_UNIT_NONE;
}

int ct_swept_parameter(const char *key, const struct ct_mechanism *m, int bare, struct ct_swept *out)
{
	const struct ct_constants *t = m->parameters;
	const char *dot = strchr(key, '.');
	if (dot ? !ct_constants_own(t, key) : !bare)
		return 1;
	const char *name = dot ? dot + 1 : key;
	for (size_t i = 0; i < t->n; i++) {
		const struct ct_constant *c = &t->row[i];
		enum ct_constant_type type = ct_constants_type(t, i);
		if (strcmp(c->name, name) != 0)
			continue;
		*out = (struct ct_swept){
			.rule = {.unit = unit_by_name(c->unit),
		                 .low = c->lo,
		                 .high = c->hi,
		                 .whole = 1,
		                 .points_max = POINTS_MAX},
			.either = type == CT_CONSTANT_REAL};
		if (type == CT_CONSTANT_POWER_OF_TWO)
			out->rule.factor = 2;
		snprintf(out->key, sizeof out->key, "%s.%s", t->prefix, c->name);
		return CT_OK;
	}
	return 1;
}

struct gpu_key {
	const char *key;
	int found;
	enum ct_unit unit;
};

static void match_gpu_key(void *ctx, const char *key, const char *value, const char *unit)
{
	struct gpu_key *k = ctx;
	(void)value;
	if (strcmp(key, k->key) != 0)
		return;
	k->found = 1;
	k->unit = unit_by_name(unit);
}

int ct_swept_gpu_key(const char *key, struct ct_swept *out, struct ct_error *e)
{
	static const double largest = 9007199254740992; /* 2^53: whole numbers are exact up to it */
	struct gpu_key k = {.key = key};
	struct ct_gpu g;
	ct_gpu_defaults(&g);
	int st = ct_gpu_each(&g, match_gpu_key, &k, e);
	if (st != CT_OK || !k.found)
		return st != CT_OK ? st : 1;
	*out = (struct ct_swept){.rule = {.unit = k.unit, .high = largest, .points_max = POINTS_MAX},
	                         .either = 1};
	if (k.unit == CT_UNIT_BYTES)
		out->rule.factor = 2;
	snprintf(out->key, sizeof out->key, "%s", key);
	return CT_OK;
}

int ct_swept_read(const char *option, const struct ct_range_text *text, const struct ct_swept *key,
                  struct ct_range_spec *range, struct ct_error *e)
{
	struct ct_error fraction = {0};
	struct ct_range_rule rule = key->rule;
	if (!key->either)
		return ct_range_read(option, text, &rule, range, e);
	rule.whole = 1;
	if (ct_range_read(option, text, &rule, range, &fraction) == CT_OK)
		return CT_OK;
	rule.whole = 0;
	return ct_range_read(option, text, &rule, range, e);
}
