/* miss_curve.h - hits of an LRU cache of any size from reuse-distance histograms.
 *
 * ct_hist_hits_assoc() for a cache's shape, replication from the joint histograms, and how
 * such curves meet a cache that was measured. */
#ifndef CT_MODELS_COMMON_MISS_CURVE_H
#define CT_MODELS_COMMON_MISS_CURVE_H

#include <stdint.h>

#include "locality/hist.h"
#include "locality/mrc.h"
#include "locality/rj.h"

/* Share of accesses with distances of [lo, hi) that hit; 0 for cold ones (lo CT_COLD).
 * doc/models.md section 1. Pure. */
double ct_hit_share(const struct ct_cache_shape *c, uint64_t lo, uint64_t hi);

/* Hits in accesses. Pure. */
double ct_curve_hits(const struct ct_hist *h, const struct ct_cache_shape *c);

/* What RJ says of private L1s of that shape (readings replication-ratio, mean-replicas and seen-at-fill):
 * line fills by reads, those of them whose line sits in another L1, and copies over all
 * L1s after the fill. Own and other caches are taken as independent. */
struct ct_replication {
	double fills, replicated, copies;
};
void ct_curve_replication(const struct ct_rj *nearest, const struct ct_rj *sharers,
                          const struct ct_cache_shape *c, struct ct_replication *r);

/* How the curves meet a cache that was measured. Lines that fall into the sets at random
 * (the binomial) and lines that spread evenly (as if there were no sets) bound what sets do;
 * contiguous data under a good set hash come near the second. Where the measured misses
 * lie between the two they tell the mixture. Where they do not, the spread is taken as
 * even, and the cache as a little larger or smaller than it is: most of the misses sit
 * where a working set just fits or just does not, so that a shift of that point explains
 * them and a factor on the misses does not. */
struct ct_curve_fit {
	double scatter; /* 0: lines spread evenly over the sets, 1: at random */
	double stretch; /* of the capacity, within CT_STRETCH_MAX of 1 */
};
#define CT_STRETCH_MAX 1.25
/* misses(ctx, lines, ways) of the stream, ways 0: fully associative; measured: at `lines`
 * and `ways`. {1, 1} where the curves are one. Pure but for misses(). */
void ct_curve_fit(double (*misses)(const void *ctx, double lines, unsigned ways), const void *ctx,
                  double lines, unsigned ways, double measured, struct ct_curve_fit *fit);
/* The misses of the fitted curve. */
double ct_curve_fitted(double (*misses)(const void *ctx, double lines, unsigned ways), const void *ctx,
                       double lines, unsigned ways, const struct ct_curve_fit *fit);

#endif
