/* llc_fit.h - misses of an LLC of any size, fitted to the one that was replayed.
 *
 * Two curves bound what a cache of sets does: lines that fall into sets at random (the
 * binomial), and lines that spread evenly (as if fully associative). Contiguous data
 * under a good set hash come near the second. The replayed misses tell where between
 * the two a workload lies; what is left over scales the misses beyond first touches. */
#ifndef CT_MODELS_COMMON_LLC_FIT_H
#define CT_MODELS_COMMON_LLC_FIT_H

#include "models/common/workload.h"

struct ct_llc_fit {
	double scatter;  /* 0: lines spread evenly over the sets, 1: at random */
	double first;    /* factor on first touches */
	double beyond;   /* factor on all other misses */
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
void ct_llc_misses(const struct ct_llc_fit *f, const struct ct_workload *w, double sms,
                   double lines, unsigned ways, int scattered, struct ct_llc_misses *out);

#endif
