#include "locality/parts.h"

#include <math.h>

#include "base/numeric.h"

/* Sampled misses at a capacity: of all parts, and of each unless `each` is NULL. */
static double misses(const struct ct_hist *part, double within, double *each)
{
	double sum = 0;
	for (int i = 0; i < CT_PARTS; i++) {
		double m = (double)ct_hist_total(&part[i]) - ct_hist_hits(&part[i], within);
		if (each)
			each[i] = m;
		sum += m;
	}
	return sum;
}

double ct_parts_error(const struct ct_hist part[CT_PARTS], double within, double side)
{
	double each[CT_PARTS];
	(void)misses(part, within, each);
	double spread_part = CT_PARTS * ct_mean_error(each, CT_PARTS); /* of the sum of the parts */
	double scale_part = (misses(part, within > side ? within - side : 0, NULL) -
	                     misses(part, within + side, NULL)) /
	                    2;
	return ct_student_factor95(CT_PARTS - 1) * hypot(spread_part, scale_part);
}
