#include "models/morpheus/search.h"

#include <math.h>
#include <string.h>

/* The first round: so many SM counts, evenly over the range; all where there are few, since what CTAs leave over makes the
 * time of a small GPU jump from count to count. */
enum { COARSE = 4, FEW = 6 };
/* Neighbours of the best count are this share of it away from it, or one SM, when the search ends. */
static const double FINE = 1.0 / 8;
/* Least gain that takes SMs away from computing. */
static const double WORTH_IT = 0.005;
/* Where fewer SMs lengthen the run by more than this share of what they would if SMs alone set its pace, nothing else is
 * saturated, and fewer cannot help. */
static const double PACED_BY_SMS = 0.5;

static double cycles_of(const struct ct_mechanism_tried *t)
{
	return t->cycles > 0 && isfinite(t->cycles) ? t->cycles : INFINITY;
}

/* Copies the tried counts in ascending order. */
static void sort_tried(const struct ct_mechanism_tried *tried, unsigned n,
                       struct ct_mechanism_tried *out)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned k = i;
		for (; k > 0 && out[k - 1].setting > tried[i].setting; k--)
			out[k] = out[k - 1];
		out[k] = tried[i];
	}
}

/* The best of counts in ascending order. */
static unsigned best_of_sorted(const struct ct_mechanism_tried *sorted, unsigned n)
{
	unsigned best = n - 1;
	for (unsigned i = n; i-- > 0;)
		if (cycles_of(&sorted[i]) * (1 + WORTH_IT) < cycles_of(&sorted[best]))
			best = i;
	return best;
}

unsigned ct_mo_search_best(const struct ct_mechanism_tried *tried, unsigned n)
{
	struct ct_mechanism_tried sorted[CT_MO_TRIED_MAX];
	unsigned i = 0;
	n = n < CT_MO_TRIED_MAX ? n : CT_MO_TRIED_MAX;
	sort_tried(tried, n, sorted);
	double setting = sorted[best_of_sorted(sorted, n)].setting;
	while (i + 1 < n && tried[i].setting != setting)
		i++;
	return i;
}

static unsigned first_round(unsigned fewest, unsigned all, double value[CT_CANDIDATES_MAX])
{
	unsigned n = 0, counts = all - fewest < FEW ? all - fewest + 1 : COARSE;
	for (unsigned k = 0; k < counts; k++) {
		double step = counts > 1 ? (double)(all - fewest) / (counts - 1) : 0;
		double v = floor(fewest + step * k + 0.5);
		if (!n || v > value[n - 1])
			value[n++] = v;
	}
	return n;
}

/* Whether the time of the run follows the SMs between the two largest counts. */
static int is_paced_by_sms(const struct ct_mechanism_tried *fewer, const struct ct_mechanism_tried *all)
{
	double longer = cycles_of(fewer) / cycles_of(all) - 1;
	return longer > PACED_BY_SMS * (all->setting / fewer->setting - 1);
}

unsigned ct_mo_search_next(unsigned fewest, unsigned all, const struct ct_mechanism_tried *tried,
                           unsigned n, double value[CT_CANDIDATES_MAX])
{
	struct ct_mechanism_tried sorted[CT_MO_TRIED_MAX];
	unsigned found = 0;
	fewest = fewest > 1 ? fewest : 1;
	if (!n)
		return first_round(fewest < all ? fewest : all, all, value);
	if (n + 2 > CT_MO_TRIED_MAX)
		return 0;
	sort_tried(tried, n, sorted);
	unsigned best = best_of_sorted(sorted, n);
	double at = sorted[best].setting, fine = fmax(at * FINE, 1);
	if (best > 0 && best + 1 == n && is_paced_by_sms(&sorted[best - 1], &sorted[best]))
		return 0;
	if (best > 0 && at - sorted[best - 1].setting > fine)
		value[found++] = floor((at + sorted[best - 1].setting) / 2);
	if (best + 1 < n && sorted[best + 1].setting - at > fine)
		value[found++] = ceil((at + sorted[best + 1].setting) / 2);
	return found;
}
