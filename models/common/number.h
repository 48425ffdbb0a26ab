/* number.h - a number that a verdict rests on, with the range that it may be in. */
#ifndef CT_MODELS_COMMON_NUMBER_H
#define CT_MODELS_COMMON_NUMBER_H

#include <math.h>

#include "base/decls.h"

CT_DECLS_BEGIN

/* low and high are NaN where there is no range, as of a replay. */
struct ct_mechanism_number {
	double value, low, high;
};

/* A number without a range. Pure. */
static inline struct ct_mechanism_number ct_number_alone(double v)
{
	const struct ct_mechanism_number x = {v, NAN, NAN};
	return x;
}

/* A number whose range is itself, for ct_number_widen() to begin with. Pure. */
static inline struct ct_mechanism_number ct_number_begin(double v)
{
	const struct ct_mechanism_number x = {v, v, v};
	return x;
}

/* Makes the range reach to v. A NaN changes nothing. */
static inline void ct_number_widen(struct ct_mechanism_number *x, double v)
{
	x->low = fmin(x->low, v);
	x->high = fmax(x->high, v);
}

CT_DECLS_END

#endif
