#include "models/common/llc_fit.h"

#include <math.h>

/* Curves closer than this tell nothing about how lines spread. */
static const double APART = 0.02;
static const double FACTOR_MAX = 4;

struct stream {
	const struct ct_workload *w;
	double sms;
};

static double sector_misses(const void *ctx, double lines, unsigned ways)
{
	const struct stream *s = ctx;
	return ct_workload_llc_sector_misses(s->w, s->sms, lines, ways);
}

static double line_misses(const void *ctx, double lines, unsigned ways)
{
	const struct stream *s = ctx;
	return ct_workload_llc_misses(s->w, s->sms, lines, ways);
}

/* Fits the curve of the LLC to the misses that were replayed: first the curve itself, then a factor on
 * what is no first touch, and what is left over on first touches. */
static void fit_curves(struct ct_llc_fit *f, const struct ct_workload *w, double lines, unsigned ways)
{
	const struct stream s = {w, w->sms};
	double replayed = w->llc_sector_misses, cold = ct_workload_llc_sector_cold(w, w->sms);
	ct_curve_fit(sector_misses, &s, lines, ways, replayed, &f->curve);
	double curve = ct_curve_fitted(sector_misses, &s, lines, ways, &f->curve);
	if (curve - cold > APART * curve) {
		if (cold > 0 && replayed < cold)
			f->first = replayed / cold;
		f->beyond = fmin(fmax(replayed - cold, 0) / (curve - cold), FACTOR_MAX);
		/* What a factor within reason leaves over is spread over first touches: the replayed LLC is met. */
		if (f->beyond == FACTOR_MAX && cold > 0)
			f->first = (replayed - f->beyond * (curve - cold)) / cold;
	} else if (cold > 0) {
		f->first = fmin(fmax(replayed - fmax(curve - cold, 0), 0) / cold, FACTOR_MAX);
	}
}

void ct_llc_fit(struct ct_llc_fit *f, const struct ct_workload *w, double lines, unsigned ways)
{
	double requests = ct_workload_llc_requests(w, w->sms);
	*f = (struct ct_llc_fit){.curve = {1, 1}, .first = 1, .beyond = 1, .sectors_per_request = 1};
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

void ct_llc_misses(const struct ct_llc_fit *f, const struct ct_workload *w, double sms, double lines,
                   unsigned ways, int scattered, struct ct_llc_misses *out)
{
	const struct stream s = {w, sms};
	struct ct_curve_fit curve = f->curve;
	if (scattered)
		curve.scatter = 1;
	double requests = ct_workload_llc_requests(w, sms);
	double sectors = ct_curve_fitted(sector_misses, &s, lines, ways, &curve);
	out->lines = fmin(ct_curve_fitted(line_misses, &s, lines, ways, &curve), requests);
	if (isfinite(sectors)) {
		double cold = ct_workload_llc_sector_cold(w, sms);
		out->sectors = f->first * cold + f->beyond * fmax(sectors - cold, 0);
	} else {
		double stay = out->lines > 0 ? fmax(requests / out->lines, 1) : 1;
		out->sectors = out->lines * f->sectors_per_request * pow(stay, f->sector_growth);
	}
	out->sectors = fmin(out->sectors, requests * f->sectors_per_request);
}
