/* miss_curve.h - hits of an LRU cache of any size from reuse-distance histograms.
 *
 * As ct_hist_hits_assoc(), but quick for a sweep over many sizes and highly
 * associative caches: bins so far from the capacity that their share is 0 or 1 to
 * twelve standard deviations are not summed term by term. */
#ifndef CT_MODELS_COMMON_MISS_CURVE_H
#define CT_MODELS_COMMON_MISS_CURVE_H

#include <stdint.h>

#include "locality/hist.h"
#include "locality/rj.h"

/* A cache as the histograms see it. */
struct ct_cache_shape {
	double lines;   /* capacity */
	unsigned ways;  /* of a set; ways >= lines: fully associative */
};

/* A cache of `bytes` built like one of `ways` ways and `sets` sets: the rule of
 * gpu.h's sizes (the ways stay; above 32 ways the sets stay). Pure. */
struct ct_cache_shape ct_cache_shape(uint64_t bytes, uint32_t line, uint32_t sets, uint32_t ways);

/* Share of accesses with distances of [lo, hi) that hit; 0 for cold ones (lo CT_COLD).
 * model-notes.md 1.1.2. Pure. */
double ct_hit_share(const struct ct_cache_shape *c, uint64_t lo, uint64_t hi);

/* Hits in accesses. Pure. */
double ct_curve_hits(const struct ct_hist *h, const struct ct_cache_shape *c);

/* What RJ says of private L1s of that shape (papers-facts SL-M1, SL-M3, SL-Q13, SL-Q14):
 * line fills by reads, those of them whose line sits in another L1, and copies over all
 * L1s after the fill. Own and other caches are taken as independent. */
struct ct_replication {
	double fills, replicated, copies;
};
void ct_curve_replication(const struct ct_rj *nearest, const struct ct_rj *sharers,
                          const struct ct_cache_shape *c, struct ct_replication *r);

#endif
