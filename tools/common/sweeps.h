/* sweeps.h - swept estimates (SW) for people. */
#ifndef CT_TOOLS_COMMON_SWEEPS_H
#define CT_TOOLS_COMMON_SWEEPS_H

#include "base/buf.h"
#include "profile/profile.h"

/* Appends a table of the mechanism's sweeps of scope all, behind an empty line: by key and
 * system the ends of x, the best and the worst value, and the curve between them. Of more
 * than two systems only the speed-ups. Nothing where p has no sweep; timelines (core:N) are
 * no sweeps. Out of memory shows in b. */
void ct_sweeps_table(const struct ct_profile *p, const char *mechanism, struct ct_buf *b);

#endif
