/* range.h - which estimate of a system counts, and how far its speed-up may be off. All functions are pure. */
#ifndef CT_MODELS_VERDICT_RANGE_H
#define CT_MODELS_VERDICT_RANGE_H

#include "models/mechanism.h"
#include "models/verdict/verdict.h"
#include "profile/profile.h"

/* The speed-up of a system of m against the GPU as configured, from the closest estimate that p has: by a replay in full
 * timing, in quick timing, else by the mechanism's estimator. Returns the step that made it, or CT_DECIDED_NOT when p has
 * none; *es is set otherwise, and its value is above 0. */
enum ct_verdict_step ct_range_estimate(const struct ct_profile *p, const struct ct_mechanism *m,
                                       const char *system, struct ct_estimate *es);

/* What a speed-up may be off, as parts of its logarithm: what such estimates were off in pairs of runs, what the
 * estimate itself states to either side, and sampling (NaN: not known). */
struct ct_range_doubt {
	double paired, below, above, sampled;
};
struct ct_range_doubt ct_range_doubt(const struct ct_profile *p, const struct ct_estimate *es);

/* The range of what system a gains over system b where both were estimated: independent errors of the logarithms add up
 * as their squares do, and what pairs of runs were off counts once, of the gain. */
void ct_range_ratio(const struct ct_profile *p, const struct ct_estimate *a, const struct ct_estimate *b,
                    double *low, double *high);

#endif
