/* number.h - a number that a verdict rests on, with the range that it may be in. */
#ifndef CT_MODELS_COMMON_NUMBER_H
#define CT_MODELS_COMMON_NUMBER_H

#include <math.h>

/* low and high are NaN where there is no range, as of a replay. */
struct ct_mechanism_number { double value, low, high; };

/* A number without a range. Pure. */
static inline struct ct_mechanism_number ct_number_alone(double v)
{
	return (struct ct_mechanism_number){v, NAN, NAN};
}

/* A number whose range is itself, for ct_number_widen() to begin with. Pure. */
static inline struct ct_mechanism_number ct_number_begin(double v)
{
	return (struct ct_mechanism_number){v, v, v};
}

/* Makes the range reach to v. A NaN changes nothing. */
static inline void ct_number_widen(struct ct_mechanism_number *x, double v)
{
	x->low = fmin(x->low, v);
	x->high = fmax(x->high, v);
}

#endif
