/* cell.h - the columns that every table of speed-ups has. */
#ifndef CT_MODELS_VERDICT_CELL_H
#define CT_MODELS_VERDICT_CELL_H

#include "base/table.h"
#include "models/common/number.h"
#include "profile/profile.h"

/* Adds a cell with the speed-up and one with its range as verdicts state it (ct_verdict_range()), "baseline" for the
 * system that speed-ups are against, "-" where nothing is known. mechanism and method: of the number, as in ES. */
void ct_verdict_speedup_cells(struct ct_table *t, const struct ct_profile *p, const char *mechanism,
                              const struct ct_mechanism_number *x, const char *method, int is_baseline);

#endif
