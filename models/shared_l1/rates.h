/* rates.h - miss rates, replication and replicas of private and shared L1s of any size, from
 * a profile's histograms (doc/models.md section 4).
 *
 * Private: the L1s' own streams (RD l1). Shared: the stream of all SMs together (RD merged)
 * in a cache of all L1s' sets: each line has one home, whose set is the one it would have
 * in any L1. Write policy, flushes and what counts as a miss are those of the profile.
 * Lines fall into sets at random. */
#ifndef CT_MODELS_SHARED_L1_RATES_H
#define CT_MODELS_SHARED_L1_RATES_H

#include "gpu/gpu.h"
#include "models/common/baseline.h"
#include "models/shared_l1/home.h"

struct ct_sl_rates {
	double read_lines, write_lines;       /* accesses, one line of one instruction each */
	double read_misses, write_misses;     /* of them */
	double read_cold;                     /* of read_misses: first touches, of an L1 or of all */
	double misses_low, misses_high, edge; /* of both, by how much the order may differ (watch.h) */
	double sectors, sector_misses;        /* reads and writes; NaN when unknown */
	double fills, replicated, copies;     /* private only, of read misses (RJ); NaN */
};

struct ct_sl_curves; /* the histograms of one profile */
/* Fails with CT_ERR_INPUT naming the view that the profile lacks, CT_ERR_NOMEM. *c is the
 * caller's; p is not needed afterwards. */
int ct_sl_curves_load(struct ct_sl_curves **c, const struct ct_profile *p, struct ct_error *e);
void ct_sl_curves_free(struct ct_sl_curves *c); /* NULL allowed */

/* Bytes of the L1s that the launches ran with on g, times factor (> 0): one part where the
 * L1 is not adaptive. */
void ct_sl_parts(const struct ct_profile *p, const struct ct_gpu *g, double factor,
                 struct ct_l1_parts *parts);

/* The same with so many more ways each. Pure. */
void ct_sl_parts_add(const struct ct_gpu *g, uint32_t ways, struct ct_l1_parts *parts);

/* L1s of those sizes, every core its own. Pure. */
void ct_sl_private(const struct ct_sl_curves *c, const struct ct_l1_parts *parts, struct ct_sl_rates *r);
/* The same L1s of `cores` cores, shared. Folding gives some slices half an L1. Pure. */
void ct_sl_shared(const struct ct_sl_curves *c, const struct ct_l1_parts *parts, unsigned cores,
                  enum ct_sl_homes homes, struct ct_sl_rates *r);

/* Misses over accesses of lines, reads and writes. */
double ct_sl_miss_rate(const struct ct_sl_rates *r);

/* What an analytic miss rate has to be within of the replayed one. */
extern const double ct_sl_accuracy;
/* 1 where a rate may well not be, with that share of the accesses at the edge: order decides. NaN:
 * 0. Pure. */
int ct_sl_order_sensitive(double edge);
/* Moves the misses of order-sensitive rates to one end of their range, and leaves other rates
 * alone. */
void ct_sl_rates_shift(struct ct_sl_rates *r, int up);
/* Marks rates as exact: they were counted in the order of the system itself. */
void ct_sl_rates_exact(struct ct_sl_rates *r);

#endif
