#include "models/common/thin.h"

#include <math.h>

/* Standard deviations beyond which a binomial tail is below 1e-20. */
static const double TAIL = 10;

/* Adds n * P(Bin(d, p) = j) to at[j] for j < blocks_max. */
static void spread(double d, double p, double n, unsigned blocks_max, double *at)
{
	double mean = d * p, sd = sqrt(mean * (1 - p));
	double first = floor(fmax(mean - TAIL * sd - TAIL, 0));
	if (first >= blocks_max)
		return;
	double last = fmin(fmin(ceil(mean + TAIL * sd + TAIL), d), blocks_max - 1.0);
	double odds = p / (1 - p);
	double pmf = exp(lgamma(d + 1) - lgamma(first + 1) - lgamma(d - first + 1) +
	                 first * log(p) + (d - first) * log1p(-p));
	for (double j = first; j <= last; j++) {
		at[(unsigned)j] += n * pmf;
		pmf *= (d - j) / (j + 1) * odds;
	}
}

void ct_thin_curve(const struct ct_hist *h, double share, unsigned blocks_max, double *miss)
{
	double total = (double)ct_hist_total(h);
	for (unsigned j = 0; j <= blocks_max; j++)
		miss[j] = 0;
	if (total <= 0)
		return;
	for (unsigned b = 0; b < CT_HIST_BINS; b++) {
		if (!h->count[b])
			continue;
		double lo = (double)ct_hist_lo(b), hi = (double)ct_hist_hi(b);
		double d = floor((lo + hi - 1) / 2), n = (double)h->count[b];
		if (share < 1)
			spread(d, share, n, blocks_max, miss);
		else if (d < blocks_max)
			miss[(unsigned)d] += n;
	}
	/* miss[j] holds the accesses of thinned distance j: turn into those of j or more. */
	double hits = 0;
	for (unsigned j = 0; j <= blocks_max; j++) {
		double here = miss[j];
		miss[j] = fmax(1 - hits / total, 0);
		hits += here;
	}
}
