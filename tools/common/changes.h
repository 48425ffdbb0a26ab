/* changes.h - where a run changes its ways. */
#ifndef CT_TOOLS_COMMON_CHANGES_H
#define CT_TOOLS_COMMON_CHANGES_H

#include <stddef.h>

#include "base/error.h"

/* Divides n points of `dims` values each (value[point * dims + dim], NaN: not known) into stretches whose means are
 * constant: phase[point] numbers them from 1. The division has the least squared error, in units of each dimension's
 * noise, plus 2 (dims + 1) ln n for each stretch (twice Schwarz' criterion: neighbours are no independent draws). It is
 * found by pruned exact dynamic programming (R. Killick, P. Fearnhead and I. Eckley, "Optimal Detection of Changepoints With a Linear Computational
 * Cost", JASA 107, 2012). Fails with CT_ERR_NOMEM. */
int ct_changes(const double *value, size_t n, unsigned dims, unsigned *phase, struct ct_error *e);

#endif
