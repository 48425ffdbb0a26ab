#include "models/common/llc_fit.h"

#include <math.h>

/* Curves closer than this tell nothing about how lines spread. */
static const double APART = 0.02;
static const double FACTOR_MAX = 4;

static double between(double even, double random, double scatter)
{
	return even + (random - even) * scatter;
}

static double sector_curve(const struct ct_workload *w, double sms, double lines, unsigned ways,
                           double scatter)
{
	return between(ct_workload_llc_sector_misses(w, sms, lines, 0),
	               ct_workload_llc_sector_misses(w, sms, lines, ways), scatter);
}

static double line_curve(const struct ct_workload *w, double sms, double lines, unsigned ways,
                         double scatter)
{
	return between(ct_workload_llc_misses(w, sms, lines, 0),
	               ct_workload_llc_misses(w, sms, lines, ways), scatter);
}

static void fit_curves(struct ct_llc_fit *f, const struct ct_workload *w, double lines,
                       unsigned ways)
{
	double even = ct_workload_llc_sector_misses(w, w->sms, lines, 0);
	double random = ct_workload_llc_sector_misses(w, w->sms, lines, ways);
	double replayed = w->llc_sector_misses, cold = ct_workload_llc_sector_cold(w, w->sms);
	if (random - even > APART * random)
		f->scatter = fmin(fmax((replayed - even) / (random - even), 0), 1);
	double curve = between(even, random, f->scatter);
	if (cold > 0 && replayed < cold)
		f->first = replayed / cold;
	if (curve - cold > APART * curve)
		f->beyond = fmin(fmax(replayed - cold, 0) / (curve - cold), FACTOR_MAX);
	else if (cold > 0 && replayed > cold)
		f->first = fmin(replayed / cold, FACTOR_MAX);
}

void ct_llc_fit(struct ct_llc_fit *f, const struct ct_workload *w, double lines, unsigned ways)
{
	double requests = ct_workload_llc_requests(w, w->sms);
	*f = (struct ct_llc_fit){ .scatter = 1, .first = 1, .beyond = 1, .sectors_per_request = 1 };
	if (requests > 0)
		f->sectors_per_request = fmax(w->llc_sectors / requests, 1);
	if (isfinite(ct_workload_llc_sector_misses(w, w->sms, lines, ways))) {
		fit_curves(f, w, lines, ways);
		return;
	}
	double absent = ct_workload_llc_misses(w, w->sms, lines, ways);
	double stay = absent > 0 ? requests / absent : 1;
	double grown = absent > 0 ? w->llc_sector_misses / absent / f->sectors_per_request : 0;
	if (stay > 1.01 && grown > 0)
		f->sector_growth = fmin(fmax(log(grown) / log(stay), -1), 1);
}

void ct_llc_misses(const struct ct_llc_fit *f, const struct ct_workload *w, double sms,
                   double lines, unsigned ways, int scattered, struct ct_llc_misses *out)
{
	double scatter = scattered ? 1 : f->scatter;
	double requests = ct_workload_llc_requests(w, sms);
	double sectors = sector_curve(w, sms, lines, ways, scatter);
	out->lines = fmin(line_curve(w, sms, lines, ways, scatter), requests);
	if (isfinite(sectors)) {
		double cold = ct_workload_llc_sector_cold(w, sms);
		out->sectors = f->first * cold + f->beyond * fmax(sectors - cold, 0);
	} else {
		double stay = out->lines > 0 ? fmax(requests / out->lines, 1) : 1;
		out->sectors = out->lines * f->sectors_per_request * pow(stay, f->sector_growth);
	}
	out->sectors = fmin(out->sectors, requests * f->sectors_per_request);
}
