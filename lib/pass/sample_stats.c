#include "pass/private/sample_stats.h"

#include <math.h>

#include "base/numeric.h"

void ct_pass_spread_add(struct ct_pass_spread *s, double v)
{
	double d = v - s->mean;
	s->n++;
	s->mean += d / s->n;
	s->m2 += d * (v - s->mean);
}

/* More degrees of freedom are counted as so many, which is on the safe side. */
enum { FREEDOM_MAX = 16 };

double ct_pass_spread_half(const struct ct_pass_spread *s)
{
	if (s->n < 2)
		return INFINITY;
	unsigned freedom = s->n - 1 < FREEDOM_MAX ? s->n - 1 : FREEDOM_MAX;
	return ct_student_factor95(freedom) * sqrt(s->m2 / (s->n - 1) / s->n);
}
