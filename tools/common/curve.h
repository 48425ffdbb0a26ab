/* curve.h - a miss-ratio curve as a few numbers, for a sparkline. */
#ifndef CT_TOOLS_COMMON_CURVE_H
#define CT_TOOLS_COMMON_CURVE_H

#include "base/table.h"
#include "profile/profile.h"

enum { CT_CURVE_POINTS = 9 };

/* Miss rates by sector of a level ("l1", "llc") at a sixteenth of the capacity in force, an eighth ... sixteen times, as
 * ct_baseline_l1_rates() gives them: the middle one is that of SN. 1, or 0 when p has no such accesses or no GPU; fails with CT_ERR_NOMEM. */
int ct_curve_of(const struct ct_profile *p, const char *scope, const char *level,
                double v[CT_CURVE_POINTS]);
/* The same of register reads by a window of 1 to 9 instructions (view reg_insts). */
int ct_curve_of_registers(const struct ct_profile *p, const char *scope, double v[CT_CURVE_POINTS]);

/* A cell with the curve of ct_curve_of(), from no misses to nothing but misses; "-" without data. */
void ct_curve_cell(struct ct_table *t, const struct ct_profile *p, const char *scope, const char *level);

#endif
