#include "pass/private/sample_stats.h"

#include <math.h>
#include <stddef.h>

void ct_pass_spread_add(struct ct_pass_spread *s, double v)
{
	double d = v - s->mean;
	s->n++;
	s->mean += d / s->n;
	s->m2 += d * (v - s->mean);
}

/* 97.5 % quantiles of Student's t for 1, 2, ... degrees of freedom; beyond the table the
 * last is used, which is on the safe side. */
static const double quantile[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                  2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120};

double ct_pass_spread_half(const struct ct_pass_spread *s)
{
	const unsigned last = sizeof quantile / sizeof quantile[0];
	if (s->n < 2)
		return INFINITY;
	unsigned freedom = s->n - 1 < last ? s->n - 1 : last;
	return quantile[freedom - 1] * sqrt(s->m2 / (s->n - 1) / s->n);
}
