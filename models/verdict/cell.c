#include "models/verdict/cell.h"

#include <math.h>

#include "models/verdict/verdict.h"

void ct_verdict_speedup_cells(struct ct_table *t, const struct ct_profile *p, const char *mechanism,
                              const struct ct_mechanism_number *x, const char *method, int is_baseline)
{
	/* A replay of the whole trace states no range, in its ES record neither: its row has it that nothing is left open. */
	const int open = x->low < x->high;
	const struct ct_estimate es = {
		.mechanism = mechanism,
		.method = method,
		.value = x->value,
		.low = open ? x->low : NAN,
		.high = open ? x->high : NAN};
	double low, high;
	if (isfinite(x->value))
		ct_table_cell(t, "%.3f", x->value);
	else
		ct_table_cell(t, "-");
	ct_verdict_range(p, &es, &low, &high);
	if (is_baseline)
		ct_table_cell(t, "baseline");
	else if (isfinite(low) && isfinite(high))
		ct_table_cell(t, "%.3f..%.3f", low, high);
	else
		ct_table_cell(t, "-");
}
