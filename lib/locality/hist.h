/* hist.h - histograms of distances in the profile's bins.
 *
 * Bins are exact below 256, then 16 per octave, as RD records have them; cold accesses are
 * counted apart. Counters are 64-bit integers, so sums do not depend on order. */
#ifndef CT_LOCALITY_HIST_H
#define CT_LOCALITY_HIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/decls.h"

CT_DECLS_BEGIN

#define CT_COLD UINT64_MAX /* distance of a first access */

enum {
	CT_HIST_EXACT = 256,
	CT_HIST_PER_OCTAVE = 16,
	CT_HIST_BINS = CT_HIST_EXACT + CT_HIST_PER_OCTAVE * 56
};

struct ct_hist {
	uint64_t count[CT_HIST_BINS];
	uint64_t cold;
};

/* Bin of a distance; bounds [lo, hi) of a bin. Pure. */
static inline unsigned ct_hist_bin(uint64_t distance)
{
	if (distance < CT_HIST_EXACT)
		return (unsigned)distance;
	/* 256 = 2^8 is the first octave; its 16 bins are chosen by the 4 bits below the
	 * leading one. */
	unsigned octave = ct_high_bit(distance);
	return CT_HIST_EXACT + (octave - 8) * CT_HIST_PER_OCTAVE +
	       (unsigned)(distance >> (octave - 4) & 15);
}
/* The distances in a bin: from ct_hist_lo() up to, but without, ct_hist_hi(). bin is below CT_HIST_BINS.
 * Pure. */
uint64_t ct_hist_lo(unsigned bin);
uint64_t ct_hist_hi(unsigned bin);
/* Bin whose lower bound is exactly lo, or -1. */
int ct_hist_bin_at(uint64_t lo);

/* Counts n accesses at this distance, or n first touches where it is CT_COLD. One thread at a time for a
 * histogram. */
static inline void ct_hist_add(struct ct_hist *h, uint64_t distance, uint64_t n)
{
	if (distance == CT_COLD)
		h->cold += n;
	else
		h->count[ct_hist_bin(distance)] += n;
}
/* Adds n distances, CT_COLD among them, quicker than one by one. A
 * distance in the last bin, which no stack is deep enough for, counts as CT_COLD. */
void ct_hist_add_all(struct ct_hist *h, const uint64_t *distance, size_t n);
/* The same on one path (enum ct_isa); for tests and benches. Same result. */
void ct_hist_add_all_on(struct ct_hist *h, const uint64_t *distance, size_t n, int isa);
uint64_t ct_hist_total(const struct ct_hist *h);
/* Takes n accesses away, from the near end; from the cold ones last. */
void ct_hist_cut(struct ct_hist *h, uint64_t n);
void ct_hist_merge(struct ct_hist *into, const struct ct_hist *from);

/* Accesses with distance < capacity (LRU hits, fully associative); a bin that the
 * capacity cuts is split linearly. Result in accesses. Pure. */
double ct_hist_hits(const struct ct_hist *h, double capacity);
/* The same for `ways`-way sets of a cache of `capacity` lines when lines fall into
 * sets at random: P(hit | d) = P(Binomial(d, ways / capacity) < ways), the exact sum
 * and not its normal approximation (Brehob and Enbody 1999; Smith 1978), averaged
 * exactly over each bin. ways >= capacity is fully associative; ways 0 never hits. */
double ct_hist_hits_assoc(const struct ct_hist *h, double capacity, unsigned ways);
/* The same of n histograms at once, hits[n]; quicker than one by one. */
void ct_hist_hits_of(const struct ct_hist *const *h, unsigned n, double capacity, unsigned ways,
                     double *hits);
/* Mean of P(Binomial(d, p) < ways) over d in [lo, hi), lo < hi, 0 < p <= 1. Pure. */
double ct_binomial_hit(uint64_t lo, uint64_t hi, double p, unsigned ways);

/* The same for many bins of one p and one number of ways, quicker in ascending order; a
 * share may differ from ct_binomial_hit()'s by some 1e-14. One thread each. */
struct ct_binomial {
	double p;
	unsigned ways;
	double sure, never; /* d p below the first hits, above the second misses */
	/* private: constants of p, and what the last calls found */
	double odds, log_none, mean, below, brim;
	uint64_t mean_of, below_of;
};
/* Prepares *b for one chance of a hit in a set (0 < p <= 1) and one number of ways. Nothing is
 * allocated. */
void ct_binomial_start(struct ct_binomial *b, double p, unsigned ways);
/* Mean of P(Binomial(d, p) < ways) over d in [lo, hi), lo < hi. It keeps what it found in *b. */
double ct_binomial_share(struct ct_binomial *b, uint64_t lo, uint64_t hi);

CT_DECLS_END

#endif
