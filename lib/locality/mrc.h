/* mrc.h - miss-ratio curves of caches from reuse-distance histograms.
 *
 * Histograms count accesses by their LRU stack distance in lines (hist.h); reads and
 * writes are kept apart and either may be NULL here. Misses include cold ones. Nothing
 * is allocated; all functions are pure. */
#ifndef CT_LOCALITY_MRC_H
#define CT_LOCALITY_MRC_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "locality/hist.h"

CT_DECLS_BEGIN

/* A cache as the histograms see it. */
struct ct_cache_shape {
	double lines;  /* capacity */
	unsigned ways; /* of a set; ways >= lines: fully associative */
};

/* A cache of `bytes` built like one of `ways` ways and `sets` sets: the rule of
 * gpu.h's sizes (the ways stay; above 32 ways the sets stay). Pure. */
struct ct_cache_shape ct_cache_shape(uint64_t bytes, uint32_t line, uint32_t sets, uint32_t ways);

struct ct_mrc_input {
	const struct ct_hist *reads, *writes;
};

/* Accesses in both histograms, first touches included. Pure. */
uint64_t ct_mrc_accesses(const struct ct_mrc_input *in);

/* Misses of an LRU cache of `lines` lines: ways = 0 fully associative, else that many
 * ways and sets chosen as if at random (exact binomial, ct_hist_hits_assoc()). */
double ct_mrc_misses(const struct ct_mrc_input *in, double lines, unsigned ways);
/* Misses over accesses; NaN without accesses. */
double ct_mrc_ratio(const struct ct_mrc_input *in, double lines, unsigned ways);

/* Capacities for a curve: `per_octave` steps per doubling, from 16 lines to the first
 * one at or above max_lines, each a whole number of lines. Writes at most n, returns how
 * many there are. */
size_t ct_mrc_capacities(double max_lines, unsigned per_octave, double *lines, size_t n);

/* A cache of n slices of equal capacity, lines / n each, of which slice i gets share[i]
 * of the lines (shares sum to 1): a slice sees distances shrunk by its share, so it acts
 * like a whole cache of (lines / n) / share[i] lines for share[i] of the accesses. Equal
 * shares give ct_mrc_misses(). */
double ct_mrc_misses_sliced(const struct ct_mrc_input *in, double lines, unsigned ways,
                            const double *share, size_t n);
/* Shares that rise evenly from (2 - beta) / n to beta / n: beta = largest over mean load
 * (doc/models.md section 3), cut to [1, 2]. */
void ct_mrc_shares(double beta, double *share, size_t n);

/* What an LLC behind private L1s misses, from the unfiltered stream (all SMs' L1 accesses
 * merged) instead of its own (doc/models.md section 3): an L1 removes short distances only,
 * so the LLC's misses are those of the merged stream, and its local ratio is misses over
 * what reaches it: m2 = M(C2) / m1, stores of a write-through L1 included in both. That
 * holds where the LLC is larger than all L1s together. */
struct ct_mrc_filtered {
	double ratio;     /* local miss ratio in [0, 1] */
	double low, high; /* equal to ratio where valid, else the range that is left: from the
	                     unfiltered ratio applied as it is to 1 */
	int valid;        /* 0: the LLC is not larger than the L1s together; use the replayed
	                     `llc` view, or the range with a warning */
};
/* merged: line distances of all L1 accesses; llc_accesses: lines that reach the LLC (L1
 * read misses plus stores, for a write-through L1); l1_lines: of all L1s together. */
struct ct_mrc_filtered ct_mrc_filtered_llc(const struct ct_mrc_input *merged, double llc_accesses,
                                           double l1_lines, double llc_lines, unsigned ways);

CT_DECLS_END

#endif
