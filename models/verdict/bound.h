/* bound.h - what a mechanism cannot gain, whatever it does: the cheapest step of a verdict. */
#ifndef CT_MODELS_VERDICT_BOUND_H
#define CT_MODELS_VERDICT_BOUND_H

#include "models/mechanism.h"
#include "profile/profile.h"

/* The most that m can gain over the GPU as configured, by the estimate or replay of its ideal with its error, or because
 * nothing is used again where it works; reason[n] gets why, one line. Infinity when p does not say. Pure. */
double ct_bound_speedup(const struct ct_profile *p, const struct ct_mechanism *m, char *reason,
                        size_t n);

/* The system that bounds m: its ideal, or where it estimates none the name under which replays of its level's ideal are
 * recorded; NULL: it has no bound. Static storage. */
const char *ct_bound_system(const struct ct_mechanism *m);

/* First touches over misses of the LLC, from 0 to 1; NaN when p does not say. Pure. */
double ct_bound_first_touches(const struct ct_profile *p);
/* The most that m can gain over a simpler system, of which *es is the speed-up by a replay: what its ideal gains over
 * that where a replay has told it, else infinity. The reason is written only where that is no gain. Pure. */
double ct_bound_over(const struct ct_profile *p, const struct ct_mechanism *m, const char *system,
                     const struct ct_estimate *es, char *reason, size_t n);

#endif
