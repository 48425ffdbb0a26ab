/* search.h - how many SMs compute, found by replays: a few SM counts over the whole range, then those around the best. */
#ifndef CT_MODELS_MORPHEUS_SEARCH_H
#define CT_MODELS_MORPHEUS_SEARCH_H

#include "models/mechanism.h"

/* No search tries more SM counts than this. */
enum { CT_MO_TRIED_MAX = 10 };

/* The SM counts from `fewest` to `all` to replay next, in ascending order, none of which is among the n tried ones; how
 * many go to value[], and 0 when the search is over. Cycles that are not a number count as the worst. Which counts are
 * asked for depends on the arguments only. Pure. */
unsigned ct_mo_search_next(unsigned fewest, unsigned all, const struct ct_mechanism_tried *tried,
                           unsigned n, double value[CT_CANDIDATES_MAX]);
/* The place in tried[] of the SM count to choose: the one with the fewest cycles, or more SMs where that costs less than
 * half a percent, which is noise. n of at least 1. Pure. */
unsigned ct_mo_search_best(const struct ct_mechanism_tried *tried, unsigned n);

#endif
