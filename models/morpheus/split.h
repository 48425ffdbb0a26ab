/* split.h - hits, misses and mispredictions when n SMs compute and the rest cache.
 *
 * Address separation hands every line to the conventional LLC or to one extended set,
 * in proportion to capacity and by a hash, so that a set of b blocks sees the share
 * b / (all blocks) of the lines: its stack distances are the stream's, thinned
 * (models/common/thin.h). The filters follow from the same thinned curve. */
#ifndef CT_MODELS_MORPHEUS_SPLIT_H
#define CT_MODELS_MORPHEUS_SPLIT_H

#include "models/common/bloom.h"
#include "models/common/workload.h"
#include "models/morpheus/capacity.h"

/* False-positive probabilities of one filter, shared by all evaluations. */
struct ct_mo_bloom {
	unsigned bits, hashes;
	double ceiling;
	unsigned n;
	double *f; /* f[0 .. n-1], owned */
};
int ct_mo_bloom_init(struct ct_mo_bloom *b, const struct ct_morpheus_params *p, struct ct_error *e);
void ct_mo_bloom_free(struct ct_mo_bloom *b);

/* The two kinds of extended set: in registers and in the L1. */
enum { CT_MO_SETS_RF, CT_MO_SETS_L1, CT_MO_SET_KINDS };

struct ct_mo_split {
	double sms, cache_sms;
	double conv_lines, ext_lines;        /* capacities */
	double ext_share;                    /* of the requests, = of the capacity */
	double sets[CT_MO_SET_KINDS];        /* number of each kind */
	double kind_share[CT_MO_SET_KINDS];  /* of the requests, each kind together */
	double kind_misses[CT_MO_SET_KINDS]; /* line misses, not anchored */
	double requests;                     /* line requests at the LLC, whole run */
	double conv_misses, ext_misses;      /* line misses by the curve, not anchored */
	double given_miss;                   /* P(predicted hit | miss), both kinds of set */
	double stale, alias;                 /* its parts */
	int dead, crowded;                   /* RF filters that cannot swap; that hardly do (> 0.6) */
	int simulated;                       /* given_miss comes from filters simulated bit by bit */
};

/* Evaluates a split. conv_lines: of the conventional LLC, of `ways`. cache_sms 0 gives
 * a plain LLC. bloom NULL: predictions are left at 0. Fails with CT_ERR_NOMEM. */
int ct_mo_split_eval(const struct ct_workload *w, const struct ct_morpheus_kernel *k,
                     const struct ct_mo_bloom *bloom, double sms, double cache_sms, double conv_lines,
                     unsigned ways, struct ct_mo_split *out, struct ct_error *e);

/* P(predicted hit | miss) of one set by simulation: exact LRU of `blocks` and its two
 * filters bit by bit, under a stream whose LRU miss ratio at j blocks is miss[j] (j <
 * n_miss). Deterministic. NaN when nothing missed; < 0 when out of memory. */
double ct_mo_simulate_filters(const double *miss, unsigned n_miss, unsigned bits, unsigned hashes,
                              unsigned blocks, unsigned accesses);

#endif
