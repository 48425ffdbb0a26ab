#include "models/common/facts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

double ct_fact_sn(const struct ct_profile *p, const char *metric)
{
	double v;
	return ct_profile_get(p, "all", metric, &v) ? v : NAN;
}

double ct_fact_es(const struct ct_profile *p, const char *mechanism, const char *system,
                  const char *metric)
{
	struct ct_estimate x;
	return ct_profile_get_estimate(p, "all", mechanism, system, metric, NULL, &x) ? x.value : NAN;
}

double ct_fact_gp(const struct ct_profile *p, const char *key)
{
	double v;
	const char *text = ct_profile_gp(p, key);
	return text && ct_field_real(text, &v) ? v : NAN;
}

void ct_fact_size_text(double bytes, char out[CT_FACT_TEXT_MAX])
{
	static const char *const units[] = {"KiB", "MiB", "GiB"};
	const char *unit = "B";
	double v = bytes;
	for (int i = 0; i < 3 && v >= 1000; i++) {
		v /= 1024;
		unit = units[i];
	}
	snprintf(out, CT_FACT_TEXT_MAX, v < 9.95 && *unit != 'B' ? "%.1f %s" : "%.0f %s", v, unit);
}

void ct_fact_change_text(double old, double new, char out[CT_FACT_TEXT_MAX])
{
	out[0] = '\0';
	if (old > 0 && new >= 0)
		snprintf(out, CT_FACT_TEXT_MAX, " %+.0f %%", 100 * (new / old - 1));
}

void ct_fact_add(char *text, size_t n, const char *fmt, ...)
{
	size_t at = strlen(text);
	va_list ap;
	if (at >= n)
		return;
	va_start(ap, fmt);
	vsnprintf(text + at, n - at, fmt, ap);
	va_end(ap);
}
