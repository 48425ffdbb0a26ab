/* curve.h - a miss-ratio curve as a few numbers, for a sparkline. */
#ifndef CT_TOOLS_COMMON_CURVE_H
#define CT_TOOLS_COMMON_CURVE_H

#include "base/table.h"
#include "profile/profile.h"

enum { CT_CURVE_POINTS = 9 };

/* Miss ratios of reads of a view of RD ("l1", "llc") at a sixteenth of `lines` of capacity,
 * an eighth ... sixteen times: fully associative, LRU. 1, or 0 when p has no such reads. */
int ct_curve_of(const struct ct_profile *p, const char *scope, const char *view, double lines,
                double v[CT_CURVE_POINTS]);
/* The same of register reads by a window of 1 to 9 instructions (view reg_insts). */
int ct_curve_of_registers(const struct ct_profile *p, const char *scope, double v[CT_CURVE_POINTS]);

/* A cell with the curve of ct_curve_of(), from no misses to nothing but misses; "-" without
 * data. size_key, line_key: of the GPU in force ("llc.size", "llc.line"). */
void ct_curve_cell(struct ct_table *t, const struct ct_profile *p, const char *scope, const char *view,
                   const char *size_key, const char *line_key);
/* Lines of a cache in GP; NaN where they are missing. */
double ct_curve_lines(const struct ct_profile *p, const char *size_key, const char *line_key);

#endif
