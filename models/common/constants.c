#include "models/common/constants.h"

#include <stdio.h>
#include <string.h>

enum ct_unit ct_constant_unit(const char *name)
{
	for (int u = CT_UNIT_NONE; u <= CT_UNIT_PERCENT; u++)
		if (*name && !strcmp(ct_unit_name((enum ct_unit)u), name))
			return (enum ct_unit)u;
	return CT_UNIT_NONE;
}

int ct_constant_unknown(const char *prefix, const char *page, const char *key, size_t n,
                        const char *const *names, size_t count, struct ct_error *e)
{
	char given[64];
	snprintf(given, sizeof given, "%.*s", (int)(n < 60 ? n : 60), key);
	int near = ct_nearest_name(given, names, count);
	if (near < 0)
		return ct_fail(e, CT_ERR_USAGE, "unknown key %s.%s: %s(7) lists them", prefix, given, page);
	return ct_fail(e, CT_ERR_USAGE, "unknown key %s.%s: did you mean %s.%s?", prefix, given, prefix,
	               names[near]);
}
