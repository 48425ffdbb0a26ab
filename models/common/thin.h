/* thin.h - what one set of a hashed cache sees of a stream.
 *
 * A set that an address hash gives the share p of all lines sees, of the d distinct
 * lines between two touches of a line of its own, a binomial number: the thinned
 * stack distance Bin(d, p). All sets together therefore have the miss ratio of one
 * (doc/models.md section 1, without the normal approximation). */
#ifndef CT_MODELS_COMMON_THIN_H
#define CT_MODELS_COMMON_THIN_H

#include "locality/hist.h"

/* LRU miss ratios of such a set at capacities of 0 .. blocks_max lines into
 * miss[blocks_max + 1]; cold accesses miss always. share in (0, 1]. Bins wider than
 * one count at their middle. All 0 for an empty histogram. Pure. */
void ct_thin_curve(const struct ct_hist *h, double share, unsigned blocks_max, double *miss);
/* The curve of the accesses of two streams together, of which b's count `weight` and a's the rest. b NULL: the curve of
 * a alone. */
void ct_thin_mixed(const struct ct_hist *a, const struct ct_hist *b, double weight, double share,
                   unsigned blocks_max, double *miss);

#endif
