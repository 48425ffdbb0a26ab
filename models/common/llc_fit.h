/* llc_fit.h - misses of an LLC of any size, fitted to the one that was replayed.
 *
 * The curves are made to meet the replayed misses by how evenly lines spread over the sets
 * and by a small change of the capacity (ct_curve_fit()); what is left over scales the
 * misses beyond first touches. */
#ifndef CT_MODELS_COMMON_LLC_FIT_H
#define CT_MODELS_COMMON_LLC_FIT_H

#include "models/common/miss_curve.h"
#include "models/common/workload.h"

struct ct_llc_fit {
	struct ct_curve_fit curve;
	double first;  /* factor on first touches */
	double beyond; /* factor on all other misses */
	double sectors_per_request;
	/* Without sector distances: while a line stays, k requests touch it and need s k^g of
	 * its sectors (s: sectors of a request); g makes the replayed sector misses come out. */
	double sector_growth;
};

struct ct_llc_misses {
	double lines;   /* absent lines */
	double sectors; /* absent sectors */
};

/* Fits to the replayed sector misses of an LLC of `lines` in sets of `ways`. Pure but
 * for w's cache, as the next. */
void ct_llc_fit(struct ct_llc_fit *f, const struct ct_workload *w, double lines, unsigned ways);
/* Misses of a run on `sms` SMs. scattered: lines are known to fall at random (a hash
 * divides them between caches), whatever the fit says. */
void ct_llc_misses(const struct ct_llc_fit *f, const struct ct_workload *w, double sms, double lines,
                   unsigned ways, int scattered, struct ct_llc_misses *out);

#endif
