#include "common/curve.h"

#include <math.h>
#include <string.h>

#include "models/common/baseline.h"
#include "pass/origin.h"

int ct_curve_of(const struct ct_profile *p, const char *scope, const char *level,
                double v[CT_CURVE_POINTS])
{
	double factor[CT_CURVE_POINTS];
	struct ct_gpu g;
	for (int i = 0; i < CT_CURVE_POINTS; i++)
		factor[i] = ldexp(1, i - CT_CURVE_POINTS / 2);
	int st = ct_pass_get_gpu(p, &g, NULL);
	if (st != CT_OK)
		return st == CT_ERR_NOMEM ? st : 0;
	int any = strcmp(level, "l1") == 0
	                  ? ct_baseline_l1_rates(p, &g, scope, factor, CT_CURVE_POINTS, v)
	                  : ct_baseline_llc_rates(p, &g, scope, factor, CT_CURVE_POINTS, v);
	return any && !isnan(v[CT_CURVE_POINTS / 2]);
}

int ct_curve_of_registers(const struct ct_profile *p, const char *scope, double v[CT_CURVE_POINTS])
{
	struct ct_hist h;
	memset(&h, 0, sizeof h);
	double total = ct_profile_get_hist(p, scope, "reg_insts", &h, NULL) ? (double)ct_hist_total(&h)
	                                                                    : 0;
	for (int i = 0; i < CT_CURVE_POINTS && total > 0; i++)
		v[i] = 1 -
		       ct_hist_hits(&h, i + 2) / total; /* distances count from 1: at most the window */
	return total > 0;
}

void ct_curve_cell(struct ct_table *t, const struct ct_profile *p, const char *scope, const char *level)
{
	double v[CT_CURVE_POINTS];
	int known = ct_curve_of(p, scope, level, v);
	t->cells.failed |= known < 0;
	if (known > 0)
		ct_table_spark(t, v, CT_CURVE_POINTS, 0, 1);
	else
		ct_table_cell(t, "-");
}
