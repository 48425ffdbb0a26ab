#include "models/common/thin.h"

#include <math.h>

#include "base/numeric.h"

/* The lower tail of a binomial ends where it is below exp(-TAIL^2 / 2) = 2e-11, the upper
 * one at a term of that share: nothing that six digits show. */
static const double TAIL = 7, LEAST = 1e-12;

/* What the bins of one share have in common. */
struct share {
	double p, odds, log_p, log_none;
};

/* P(Bin(d, p) = first). */
static double first_term(const struct share *s, double d, double first)
{
	double none = (d - first) * s->log_none;
	if (first == 0)
		return exp(none);
	return exp(ct_log_choose(d, first) + first * s->log_p + none);
}

/* Adds n * P(Bin(d, p) = j) to at[j] for j < blocks_max. */
static void spread_distance(const struct share *s, double d, double n, unsigned blocks_max, double *at)
{
	double mean = d * s->p, first = floor(fmax(mean - TAIL * sqrt(mean * (1 - s->p)), 0));
	if (first >= blocks_max)
		return;
	double now = n * first_term(s, d, first), least = n * LEAST;
	unsigned last = d < blocks_max - 1.0 ? (unsigned)d : blocks_max - 1;
	unsigned j = (unsigned)first;
	/* Two terms at a time: one division, and a shorter chain of products. */
	for (; j < last && (now > least || j < mean); j += 2) {
		double each = s->odds / ((j + 1.0) * (j + 2.0)), left = (d - j) * each;
		at[j] += now;
		at[j + 1] += now * left * (j + 2.0);
		now *= left * (d - j - 1) * s->odds;
	}
	if (j == last)
		at[j] += now;
}

void ct_thin_curve(const struct ct_hist *h, double share, unsigned blocks_max, double *miss)
{
	ct_thin_mixed(h, NULL, 0, share, blocks_max, miss);
}

void ct_thin_mixed(const struct ct_hist *a, const struct ct_hist *b, double weight, double share,
                   unsigned blocks_max, double *miss)
{
	double of_b = b ? weight : 0, of_a = 1 - of_b;
	double total = of_a * (double)ct_hist_total(a) + (b ? of_b * (double)ct_hist_total(b) : 0);
	const struct share s = {
		.p = share, .odds = share / (1 - share), .log_p = log(share), .log_none = log1p(-share)};
	for (unsigned j = 0; j <= blocks_max; j++)
		miss[j] = 0;
	if (total <= 0)
		return;
	for (unsigned i = 0; i < CT_HIST_BINS; i++) {
		if (!(a->count[i] | (b ? b->count[i] : 0)))
			continue; /* most of them, and making them doubles takes longest */
		double n = of_a * (double)a->count[i] + (b ? of_b * (double)b->count[i] : 0);
		if (!(n > 0))
			continue;
		double d = floor(((double)ct_hist_lo(i) + (double)ct_hist_hi(i) - 1) / 2);
		if (share < 1)
			spread_distance(&s, d, n, blocks_max, miss);
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
