/* rj.h - joint histograms of an access's distance in its own SM and in others (RJ).
 *
 * For a read with own distance d and distances d_j in the other SMs' stacks, kind
 * `nearest` counts (d, min d_j) once, kind `sharers` counts (d, d_j) once for every
 * other SM j that holds the line on its stack. With LRU L1s of C lines the read misses
 * when d >= C and SM j holds the line when d_j < C, so that one pass gives for every C
 *
 *     replication ratio = #nearest{own >= C, other < C} / #nearest{own >= C}
 *     mean replicas     = 1 + #sharers{own >= C, other < C} / #nearest{own >= C}
 *
 * (doc/readings.md, readings replication-ratio and mean-replicas): presence at the time of
 * the miss; copies after the fill, mean over fills. */
#ifndef CT_LOCALITY_RJ_H
#define CT_LOCALITY_RJ_H

#include <stddef.h>
#include <stdint.h>

#include "base/decls.h"
#include "base/error.h"

CT_DECLS_BEGIN

/* A rectangle [own_lo, own_hi) x [other_lo, other_hi) of distances in lines. Cold
 * (never touched there) is lo = hi = CT_COLD. */
struct ct_rj_cell {
	uint64_t own_lo, own_hi, other_lo, other_hi, count;
};

/* Cells in ascending order of own_lo, then other_lo; no two equal in all bounds.
 * Zero-initialise. */
struct ct_rj {
	struct ct_rj_cell *cell;
	size_t n, cap;
};

/* Adds a cell's count (an equal cell grows). Any order, but ascending order is O(1).
 * Fails with CT_ERR_NOMEM. */
int ct_rj_add(struct ct_rj *j, const struct ct_rj_cell *c, struct ct_error *e);
int ct_rj_merge(struct ct_rj *into, const struct ct_rj *from, struct ct_error *e);
void ct_rj_free(struct ct_rj *j); /* frees and zeroes */

/* Accesses with own distance >= capacity, cold ones included; and of those the ones
 * with other < capacity. A side of a cell that the capacity cuts is split linearly.
 * Pure. */
double ct_rj_misses(const struct ct_rj *j, double capacity);
double ct_rj_shared_misses(const struct ct_rj *j, double capacity);

/* Replication ratio and mean replicas at an L1 of `capacity` lines; NaN without
 * misses. */
void ct_rj_replication(const struct ct_rj *nearest, const struct ct_rj *sharers, double capacity,
                       double *ratio, double *replicas);

CT_DECLS_END

#endif
