#include "common/curve.h"

#include <math.h>
#include <string.h>

static int ratios(const struct ct_profile *p, const char *scope, const char *view,
                  const double capacity[CT_CURVE_POINTS], double v[CT_CURVE_POINTS])
{
	struct ct_hist h;
	memset(&h, 0, sizeof h);
	double total = ct_profile_get_hist(p, scope, view, &h, NULL) ? (double)ct_hist_total(&h) : 0;
	for (int i = 0; i < CT_CURVE_POINTS && total > 0; i++)
		v[i] = 1 - ct_hist_hits(&h, capacity[i]) / total;
	return total > 0;
}

int ct_curve_of(const struct ct_profile *p, const char *scope, const char *view, double lines,
                double v[CT_CURVE_POINTS])
{
	double capacity[CT_CURVE_POINTS];
	for (int i = 0; i < CT_CURVE_POINTS; i++)
		capacity[i] = ldexp(lines, i - CT_CURVE_POINTS / 2);
	return lines > 0 && ratios(p, scope, view, capacity, v);
}

int ct_curve_of_registers(const struct ct_profile *p, const char *scope, double v[CT_CURVE_POINTS])
{
	double window[CT_CURVE_POINTS];
	for (int i = 0; i < CT_CURVE_POINTS; i++)
		window[i] = i + 2; /* distances count from 1: at most the window */
	return ratios(p, scope, "reg_insts", window, v);
}

double ct_curve_lines(const struct ct_profile *p, const char *size_key, const char *line_key)
{
	const char *size = ct_profile_gp(p, size_key), *line = ct_profile_gp(p, line_key);
	double bytes, each;
	if (!size || !line || !ct_field_real(size, &bytes) || !ct_field_real(line, &each) || !(each > 0))
		return NAN;
	return bytes / each;
}

void ct_curve_cell(struct ct_table *t, const struct ct_profile *p, const char *scope, const char *view,
                   const char *size_key, const char *line_key)
{
	double v[CT_CURVE_POINTS];
	if (ct_curve_of(p, scope, view, ct_curve_lines(p, size_key, line_key), v))
		ct_table_spark(t, v, CT_CURVE_POINTS, 0, 1);
	else
		ct_table_cell(t, "-");
}
