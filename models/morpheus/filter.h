/* filter.h - the hit/miss predictor of one extended set, bit by bit (reading two-filters).
 *
 * Two Bloom filters: BF1 answers queries and holds every resident block, BF2 collects
 * the blocks used since the last swap. When BF2's counter of new blocks reaches the
 * associativity, it holds everything that LRU keeps: it becomes BF1 and a cleared
 * filter takes its place. No false negative can occur under exact LRU; other
 * replacement needs the rule by touched blocks (reading swap-rule), for which the owner of
 * the set calls ct_mo_filter_swap() itself. */
#ifndef CT_MODELS_MORPHEUS_FILTER_H
#define CT_MODELS_MORPHEUS_FILTER_H

#include <stdint.h>

#include "base/error.h"

enum ct_mo_hash {
	CT_MO_HASH_MIX,        /* k independent positions out of a 64-bit mixer, with replacement */
	CT_MO_HASH_DOUBLE,     /* h1 + i h2, the two halves of one mix */
	CT_MO_HASH_PARTITIONED /* position i inside the i-th m/k bits */
};

struct ct_mo_filter_params {
	unsigned bits;   /* m, 8 .. 65536 */
	unsigned hashes; /* k, 1 .. 16, at most bits */
	enum ct_mo_hash kind;
};

/* All the filter pairs of one GPU side by side: 2 * bits / 8 bytes per set. */
struct ct_mo_filters;

/* sets pairs, all empty. NULL and *e on CT_ERR_USAGE or CT_ERR_NOMEM. Caller frees. */
struct ct_mo_filters *
ct_mo_filters_new(const struct ct_mo_filter_params *p, uint64_t sets, struct ct_error *e);
void ct_mo_filters_free(struct ct_mo_filters *f); /* NULL allowed */

/* BF1's answer: 1 predicted hit, 0 predicted miss. Pure on a constant object. */
int ct_mo_filter_predict(const struct ct_mo_filters *f, uint64_t set, uint64_t block);
/* Records an access (insertion or reuse) in both filters: returns 1 when BF2 had not
 * seen the block, and counts it. Swaps when the count reaches associativity (0:
 * never, the caller swaps). */
int ct_mo_filter_update(struct ct_mo_filters *f, uint64_t set, uint64_t block, unsigned associativity);
/* Clears BF1 and exchanges the two. */
void ct_mo_filter_swap(struct ct_mo_filters *f, uint64_t set);

/* Blocks counted in BF2 since the last swap; swaps of all sets; set bits of BF1. */
unsigned ct_mo_filter_count(const struct ct_mo_filters *f, uint64_t set);
uint64_t ct_mo_filters_swaps(const struct ct_mo_filters *f);
unsigned ct_mo_filter_ones(const struct ct_mo_filters *f, uint64_t set);

#endif
