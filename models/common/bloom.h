/* bloom.h - false positives of Bloom filters, single and in alternating pairs
 * (doc/models.md section 7; readings two-filters, filter-hashes and filter-size).
 *
 * All functions are pure and thread-safe. */
#ifndef CT_MODELS_COMMON_BLOOM_H
#define CT_MODELS_COMMON_BLOOM_H

#include <stddef.h>

enum { CT_BLOOM_BITS_MAX = 1 << 16, CT_BLOOM_HASHES_MAX = 16 };

/* False-positive probability of a filter of m bits and k hashes after n distinct
 * keys: the textbook (1 - (1 - 1/m)^(kn))^k, a lower bound of the exact one. */
double ct_bloom_classic(unsigned m, unsigned k, double n);
/* The same with m / k bits for each hash: (1 - (1 - k/m)^n)^k. */
double ct_bloom_partitioned(unsigned m, unsigned k, double n);

/* Exact probabilities E[(X/m)^k] for n = 0 .. n_max into out[n_max + 1], X the bits
 * set after kn throws: the occupancy recursion
 * P_{j+1}(x) = P_j(x) x/m + P_j(x-1) (m-x+1)/m, in O(k n_max m). Equals Bose et al. 2008.
 * Returns 0, -1 when an argument is out of range, -2 when out of memory. */
int ct_bloom_exact(unsigned m, unsigned k, unsigned n_max, double *out);

/* The most distinct keys that the counter of a pair of filters can count before the filter
 * under it answers "seen" to everything: sum over j of 1 - F(j). 0 when an argument
 * is out of range. A set whose associativity lies above it has a
 * dead predictor: its filters never swap. */
double ct_bloom_ceiling(unsigned m, unsigned k);

/* What one set's pair of alternating filters does in the steady state. */
struct ct_dual_bloom {
	double keys_at_swap;    /* a': distinct blocks BF2 holds when its counter says a */
	double cycle;           /* accesses between swaps; infinite when they never swap */
	double miss_rate;       /* M(a) of the stream */
	double false_positives; /* per access */
	double given_miss;      /* P(predicted hit | miss); 0 when there are no misses */
	double stale, alias;    /* its two parts: evicted but still in BF1; hash collision */
	double mean_keys;       /* mean distinct blocks in BF1 over a cycle, D1 */
	double ceiling;         /* ct_bloom_ceiling(m, k) */
	int dead;               /* associativity above the ceiling: never swaps */
	int doubtful;           /* above 0.8 of it: the formula is optimistic there, simulate */
};

/* miss[j], j = 0 .. n_miss - 1: LRU miss ratio of the stream that the set sees at
 * capacity j blocks (miss[0] = 1, falling); the last entry holds beyond. f[j], j = 0
 * .. n_f - 1: exact false-positive probabilities of one filter (ct_bloom_exact); the
 * last entry holds beyond, so at least 2a' + 1 are wanted. associativity a >= 1;
 * ceiling: ct_bloom_ceiling(m, k). Equations of doc/models.md section 7, evaluated as sums
 * over the distinct blocks. Returns 0, or -1 when an argument is out of range. */
int ct_dual_bloom_eval(const double *miss, size_t n_miss, const double *f, size_t n_f, unsigned m,
                       unsigned k, unsigned associativity, double ceiling, struct ct_dual_bloom *out);

#endif
